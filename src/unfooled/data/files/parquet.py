"""Parquet, by pyarrow where that is installed."""

from collections.abc import Iterator

from unfooled.data.files.delimited import refuse_doubles
from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput


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
    try:
        parquet = ParquetFile(content)
        refuse_doubles(place(file.path), parquet.schema_arrow.names)
        for batch in parquet.iter_batches():
            for row in batch.to_pylist():
                yield row
                file.row += 1
    except (ArrowException, ValueError, OSError) as error:
        raise BadInput(f"{place(file.path)}: not a Parquet file ({shown(error)}); write it again") from None


PARQUET = Format(rows)
