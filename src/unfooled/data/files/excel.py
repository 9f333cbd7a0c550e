"""Excel workbooks (.xlsx), by openpyxl where that is installed: the first sheet with rows, the first of them a header.

A workbook is a packed folder of XML. What it would unpack to is known before anything is unpacked, and refused where
it is too many times its size; so is XML that defines words of its own, by which small files become large, and a table
with holes, by which they become long.
"""

import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, time
from typing import IO, Any, BinaryIO

from unfooled.data.files.delimited import refuse_doubles
from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines
from unfooled.data.phrases import listed, place, shown
from unfooled.errors import BadInput
from unfooled.limits import beyond, limits
from unfooled.parsing import check_archive

MOST_BLANK = 1000  # rows without a value, one behind the other: a few bytes of XML can stand for any number of them
LOOKED_AT = 2**20  # bytes of a part at a time


def rows(file: Lines) -> Iterator[Row]:
    """The rows below the header, one held at a time, each with a value for every column that has a name."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise BadInput(f"{place(file.path)}: Excel files need openpyxl; pip install 'unfooled[excel]'") from None
    content = file.whole()
    check_parts(file, content)
    with warnings.catch_warnings(action="ignore"):  # of what that library leaves out
        try:
            workbook = load_workbook(content, read_only=True, data_only=True, keep_links=False)
            try:
                yield from sheet_rows(file, first_sheet(file, workbook))
            finally:
                workbook.close()
        except BadInput:
            raise
        except Exception as error:  # whatever a damaged file makes that library raise
            raise broken(file, error) from None


def check_parts(file: Lines, content: BinaryIO) -> None:
    """Refuse what is no workbook, what would unpack to more than fits, and XML that defines entities."""
    try:
        check_archive(content, place(file.path))
        with zipfile.ZipFile(content) as parts:
            for entry in parts.infolist():
                with parts.open(entry) as part:
                    if defines_words(part):
                        raise BadInput(
                            f"{place(file.path)}: {shown(entry.filename)} in it defines words of its own, which no "
                            "spreadsheet does; save it as CSV"
                        )
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise broken(file, error) from None
    content.seek(0)


def defines_words(part: IO[bytes]) -> bool:
    """Whether XML has a list of words of its own; letters may be wide, and remarks may stand before it."""
    before = b""
    while some := part.read(LOOKED_AT):
        looked = before + some.replace(b"\0", b"")
        if b"<!DOCTYPE" in looked.upper():
            return True
        before = looked[-8:]
    return False


def broken(file: Lines, error: Exception) -> BadInput:
    """The sentence for a file that cannot be read."""
    return BadInput(
        f"{place(file.path)}: not an Excel workbook that can be read ({shown(error)}); save it again as .xlsx, or "
        "as CSV"
    )


def first_sheet(file: Lines, workbook: Any) -> Any:
    """The first sheet that holds a row; which one it is is said where there are several."""
    sheets = workbook.worksheets
    for sheet in sheets:
        sheet.reset_dimensions()  # what a file says of its own size is not to be trusted
        if any(any(value is not None for value in row) for row in sheet.iter_rows(values_only=True, max_row=50)):
            if len(sheets) > 1:
                others = listed(other.title for other in sheets if other is not sheet)
                file.say(f"the sheet {shown(sheet.title)} is read, {others} not")
            return sheet
    raise BadInput(f"{place(file.path)}: no sheet holds rows; give a workbook with a header and at least two rows")


def sheet_rows(file: Lines, sheet: Any) -> Iterator[Row]:
    """The rows of a sheet; blank ones are empty, so that the numbers of later ones stay right."""
    header: tuple[str, ...] = ()
    blank = 0
    for values in sheet.iter_rows(values_only=True, max_col=limits().columns + 1):
        # Ten thousand cells of nothing are counted in no time, and looked at one by one they are not.
        cells = [] if values.count(None) == len(values) else [written(value) for value in values]
        blank = 0 if any(value not in (None, "") for value in cells) else blank + 1
        if blank > MOST_BLANK:
            raise BadInput(f"{file.here}: {MOST_BLANK:,} rows before it are blank; delete them, or save it as CSV")
        if header:
            refuse_strays(file, cells, header)
            yield {} if blank else dict(zip(header, cells, strict=False))
        elif any(value is not None for value in cells):
            header = header_of(file, cells)
        file.row += 1


def header_of(file: Lines, cells: list[Any]) -> tuple[str, ...]:
    """The names of the columns, without the empty cells behind the last."""
    while cells and cells[-1] in (None, ""):
        cells.pop()
    if len(cells) > limits().columns:
        raise beyond(f"{file.here}: more than {limits().columns:,} columns", "columns", "keep the text and the label")
    names = tuple("" if cell is None else str(cell).strip() for cell in cells)
    refuse_doubles(file.here, names)
    return names


def refuse_strays(file: Lines, cells: list[Any], header: tuple[str, ...]) -> None:
    """Refuse values beside the table, under no name."""
    if any(cell not in (None, "") for cell in cells[len(header) :]):
        raise BadInput(f"{file.here}: a value stands under no name; give its column a header, or empty the cell")


def written(value: object) -> object:
    """A cell's value as a text or a number; dates are written out."""
    return value.isoformat() if isinstance(value, date | time) else value


EXCEL = Format(rows)
