"""Parquet, by pyarrow where that is installed; so much at a time as its own words say can be held."""

from collections.abc import Iterator
from typing import Any

from unfooled.data.files.delimited import refuse_doubles
from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput
from unfooled.limits import UNPACKED, beyond, limits

AT_ONCE = 2**25  # bytes of values that are unpacked together
ROWS = 4096  # that are made together


def rows(file: Lines) -> Iterator[Row]:
    """The rows, some thousands of them held at a time."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise BadInput(f"{place(file.path)}: Parquet needs pyarrow; pip install 'unfooled[parquet]'") from None
    content = file.whole()
    if not content.read(1):  # an empty file has no rows, as one of any other kind
        return
    size = content.seek(0, 2)
    content.seek(0)
    try:
        parquet = ParquetFile(content, thrift_string_size_limit=limits().document, thrift_container_size_limit=10**6)
        names = parquet.schema_arrow.names
        if max(len(names), parquet.metadata.num_columns) > limits().columns:
            width = f"{place(file.path)}: {parquet.metadata.num_columns:,} columns"
            raise beyond(width, "columns", "keep the columns that are needed")
        refuse_doubles(place(file.path), names)
        check_growth(file, parquet.metadata.num_rows * len(names), size)  # a value is a byte at least
        texts = [field.name for field in parquet.schema_arrow if str(field.type) in TEXTS]
        parquet = ParquetFile(content, read_dictionary=texts)
        for row in unpacked(file, parquet, size):
            yield row
            file.row += 1
    except (ArrowException, ValueError, OSError) as error:
        raise BadInput(f"{place(file.path)}: not a Parquet file ({shown(error)}); write it again") from None


# Values of these types that repeat are stored once, and are held once: a few bytes can stand for gigabytes of them.
TEXTS = ("string", "large_string", "binary", "large_binary")


def unpacked(file: Lines, parquet: Any, size: int) -> Iterator[Row]:
    """The rows by row groups, refused where they come to far more than the file holds."""
    given = 0
    for number in range(parquet.metadata.num_row_groups):
        group = parquet.metadata.row_group(number)
        chunks = [group.column(place) for place in range(group.num_columns)]
        check_growth(file, max((chunk.total_uncompressed_size for chunk in chunks), default=0), size)
        # A value of a list may repeat as texts do, and no more is known of it than how large all of them are.
        largest = max((chunk.total_uncompressed_size for chunk in chunks if "." in chunk.path_in_schema), default=0)
        for batch in parquet.iter_batches(max(1, min(ROWS, AT_ONCE // max(largest, 1))), row_groups=[number]):
            given += sum(letters(column) for column in batch.columns)
            check_growth(file, given, size)
            yield from batch.to_pylist()


def letters(column: Any) -> int:
    """How many bytes the values of a column take when each is written out."""
    from pyarrow import DictionaryArray, compute

    if not isinstance(column, DictionaryArray):
        return int(column.nbytes) + len(column)
    lengths = compute.binary_length(column.dictionary)
    return int(compute.sum(lengths.take(column.indices)).as_py() or 0) + len(column)


def check_growth(file: Lines, unpacked: int, size: int) -> None:
    """Refuse values that are many times as large as their file."""
    if unpacked > max(UNPACKED, limits().ratio * size):
        growth = f"{place(file.path)}: unpacks to {unpacked / size:.0f} times its size"
        raise beyond(growth, "ratio", "write it as CSV if that is what you expect")


PARQUET = Format(rows)
