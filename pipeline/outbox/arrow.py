"""Convert rows of CSV to Arrow and Parquet.

The columns of an Arrow table have the types that `tables.py` declares. Empty fields of CSV become
null, and texts lose the apostrophe that protects them from spreadsheets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pipeline.errors import check_extra
from pipeline.outbox.tables import column_types
from pipeline.outbox.traits import NUMBER, TRUTH, WHOLE, WORD

if TYPE_CHECKING:
    import pyarrow as pa
    from msgspec import Struct
    from pyarrow import Table

_BLOCK_BYTES, _BATCH_ROWS = 1024 * 1024, 10_000
"""Number of bytes of CSV, and of rows of Parquet, that are read at once."""

GROUP_BYTES = 16 * 1024 * 1024
"""Number of bytes of CSV in a row group of a Parquet file, about 70,000 puzzles."""


def check_arrow(name: str = "pyarrow") -> None:
    """Raise UsageError if the package `name`, of the extra `data`, is not installed."""
    check_extra("a table with types", "data", name)


def arrow_table(lines: bytes, row_class: type[Struct], trait_names: Iterable[str] = ()) -> Table:
    """Convert lines of CSV without a header to an Arrow table.

    The columns are the fields of `row_class`, followed by the columns of the traits.
    """
    import pyarrow as pa  # noqa: PLC0415 - an extra, and slow to load
    from pyarrow import compute, csv  # noqa: PLC0415

    schema = _schema(row_class, trait_names)
    if not lines:
        return schema.empty_table()
    text = lines.decode(errors="replace").encode()
    table = csv.read_csv(
        pa.py_buffer(text),
        csv.ReadOptions(column_names=schema.names, block_size=len(text)),
        csv.ParseOptions(),
        csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            true_values=["true"],
            false_values=["false"],
            strings_can_be_null=True,
        ),
    )
    for index, field in enumerate(schema):
        if field.type == pa.string():
            texts = compute.replace_substring_regex(table.column(index), r"^'('*[=+@-])", r"\1")
            table = table.set_column(index, field, texts)
    return table


def _schema(row_class: type[Struct], trait_names: Iterable[str]) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - as above

    types = {
        WHOLE: pa.int64(),
        NUMBER: pa.float64(),
        TRUTH: pa.bool_(),
        WORD: pa.dictionary(pa.int32(), pa.string()),
    }
    declared = column_types(row_class, trait_names).items()
    return pa.schema([(name, types.get(type_name, pa.string())) for name, type_name in declared])


@contextmanager
def parquet_writer(
    file: BinaryIO,
    row_class: type[Struct],
    trait_names: Iterable[str] = (),
    group_bytes: int = GROUP_BYTES,
) -> Iterator[RowGroups]:
    """Open a Parquet writer that takes lines of CSV. Raises UsageError if pyarrow is missing."""
    check_arrow()
    from pyarrow import parquet as pq  # noqa: PLC0415 - as above

    with pq.ParquetWriter(file, _schema(row_class, trait_names), compression="zstd") as writer:
        groups = RowGroups(
            lambda lines: writer.write_table(arrow_table(lines, row_class, trait_names)),
            group_bytes,
        )
        yield groups
        groups.flush()


class RowGroups:
    """Buffers lines, and writes them as a row group when they reach `max_bytes`."""

    def __init__(self, write: Callable[[bytes], object], max_bytes: int) -> None:
        self._write, self._max_bytes = write, max_bytes
        self._lines, self._size = list[bytes](), 0

    def write(self, lines: bytes, /) -> None:
        self._lines.append(lines)
        self._size += len(lines)
        if self._size >= self._max_bytes:
            self.flush()

    def flush(self) -> None:
        """Write the buffered lines, if any."""
        if self._lines:
            self._write(b"".join(self._lines))
        self._lines, self._size = [], 0


def write_parquet(
    lines: BinaryIO, file: BinaryIO, row_class: type[Struct], trait_names: Iterable[str] = ()
) -> None:
    """Write a table of CSV, which has a header, as Parquet, with bounded memory.

    Raises UsageError if pyarrow is missing.
    """
    with parquet_writer(file, row_class, trait_names) as writer:
        lines.readline()
        while block := lines.readlines(_BLOCK_BYTES):
            writer.write(b"".join(block))


def difference_from_csv(
    path: Path, lines: Iterable[str], row_class: type[Struct], trait_names: Iterable[str] = ()
) -> str | None:
    """Compare a Parquet file with the lines of a table of CSV, without its header.

    Returns the first difference in words; None if they are equal. Raises UsageError if pyarrow is
    missing, and OSError if the file cannot be read.
    """
    check_arrow()
    import pyarrow as pa  # noqa: PLC0415 - needs an extra
    from pyarrow import parquet as pq  # noqa: PLC0415

    remaining, first = iter(lines), 1
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(_schema(row_class, trait_names)):
                return "its columns have other names or types than this version writes"
            for batch in file.iter_batches(_BATCH_ROWS):
                rows = "".join(f"{line}\n" for line in islice(remaining, len(batch)))
                encoded = rows.encode(errors="surrogateescape")
                expected = arrow_table(encoded, row_class, trait_names)
                if pa.Table.from_batches([batch]).to_pylist() != expected.to_pylist():
                    last = first - 1 + len(batch)
                    return f"it differs from the table between rows {first} and {last}"
                first += len(batch)
    except pa.ArrowException as error:
        return f"it is not a readable Parquet file: {error}"
    return None if next(remaining, None) is None else f"it ends before row {first} of the table"
