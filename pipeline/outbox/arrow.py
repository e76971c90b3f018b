"""Convert rows of CSV to Arrow, Parquet and pandas. No other module uses pyarrow or pandas.

The columns of an Arrow table have the types that `tables.py` declares. Empty fields of CSV become
null, and texts lose the apostrophe that protects them from spreadsheets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from pipeline.errors import check_extra
from pipeline.outbox.tables import PuzzleRow, column_types, columns
from pipeline.outbox.traits import NUMBER, TRAITS, TRUTH, WHOLE, WORD
from pipeline.outbox.write_rows import rows_of
from pipeline.solving.result import Result

if TYPE_CHECKING:
    import pyarrow as pa
    from msgspec import Struct
    from pandas import DataFrame as DataFrame  # noqa: PLC0414 - `api.py` names it
    from pyarrow import Table as Table  # noqa: PLC0414 - as above

BATCH_RESULTS = 1024
"""Number of results that are converted to rows together."""

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


def table_of(results: Iterable[Result]) -> Table:
    """Make an Arrow table of results.

    The table has the columns of each trait that was requested for at least one result. Raises
    UsageError if pyarrow is missing, and TypeError for an object that is not a Result.
    """
    check_arrow()
    import pyarrow as pa  # noqa: PLC0415 - as above

    if isinstance(results, Result):
        raise TypeError("expected a list of results, found a single one: use [result]")
    tables = [arrow_table(b"", PuzzleRow, TRAITS)]
    requested, checked_results = set[str](), map(_check_result, results)
    while batch := list(islice(checked_results, BATCH_RESULTS)):
        requested.update(
            name for result in batch if result.traits for name in result.traits.requested
        )
        first = sum(map(len, tables)) + 1
        tables.append(arrow_table(rows_of(batch, first, tuple(TRAITS)).table, PuzzleRow, TRAITS))
    whole = pa.concat_tables(tables).unify_dictionaries()
    return whole.select(columns(PuzzleRow, [name for name in TRAITS if name in requested]))


def _check_result(result: object) -> Result:
    if not isinstance(result, Result):
        message = f"expected results, such as those of `solve_many`, found {type(result).__name__}"
        raise TypeError(f"{message}; tables of an outbox are files: outbox/NAME.csv")
    return result


def frame_of(table: Table) -> DataFrame:
    """Convert a table to a pandas DataFrame. Integer columns with nulls keep an integer type.

    Raises UsageError if pandas is missing.
    """
    check_arrow("pandas")
    import pandas as pd  # noqa: PLC0415 - as above
    import pyarrow as pa  # noqa: PLC0415

    types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=types.get)
