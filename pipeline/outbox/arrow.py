"""Typed tables: rows of CSV → Arrow, Parquet and pandas. Only this module imports pyarrow.

An Arrow table has the same content as the CSV. Its columns have the types that `tables.py`
declares, an empty field is null, and texts lack the apostrophe that only spreadsheets need.
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

ROWS_AT_ONCE = 1024
"""Number of results that are converted to rows together."""

GROUP_BYTES = 16 * 1024 * 1024
"""Bytes of CSV per row group of a Parquet file: about 70,000 puzzles."""


def check_installed(name: str = "pyarrow") -> None:
    """Raise UsageError if the extra is not installed."""
    check_extra("a table with types", "data", name)


def typed(lines: bytes, kind: type[Struct], trait_names: Iterable[str] = ()) -> Table:
    """The table of these lines of CSV, which have no header."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, and slow to load
    from pyarrow import compute, csv  # noqa: PLC0415

    schema = _schema(kind, trait_names)
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
    for place, field in enumerate(schema):
        if field.type == pa.string():
            bare = compute.replace_substring_regex(table.column(place), r"^'('*[=+@-])", r"\1")
            table = table.set_column(place, field, bare)
    return table


def _schema(kind: type[Struct], trait_names: Iterable[str]) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - as above

    types = {
        WHOLE: pa.int64(),
        NUMBER: pa.float64(),
        TRUTH: pa.bool_(),
        WORD: pa.dictionary(pa.int32(), pa.string()),
    }
    declared = column_types(kind, trait_names).items()
    return pa.schema([(name, types.get(type_name, pa.string())) for name, type_name in declared])


@contextmanager
def parquet(
    file: BinaryIO,
    kind: type[Struct],
    trait_names: Iterable[str] = (),
    group_bytes: int = GROUP_BYTES,
) -> Iterator[Groups]:
    """A writer of Parquet, a row group at a time. Raises UsageError if pyarrow is missing."""
    check_installed()
    from pyarrow import parquet as pq  # noqa: PLC0415 - as above

    with pq.ParquetWriter(file, _schema(kind, trait_names), compression="zstd") as writer:
        groups = Groups(
            lambda lines: writer.write_table(typed(lines, kind, trait_names)), group_bytes
        )
        yield groups
        groups.end()


class Groups:
    """Buffers lines and writes them once they exceed `max_bytes`."""

    def __init__(self, write: Callable[[bytes], object], max_bytes: int) -> None:
        self._write, self._most = write, max_bytes
        self._lines, self._size = list[bytes](), 0

    def write(self, lines: bytes, /) -> None:
        self._lines.append(lines)
        self._size += len(lines)
        if self._size >= self._most:
            self.end()

    def end(self) -> None:
        """Write the remaining lines."""
        if self._lines:
            self._write(b"".join(self._lines))
        self._lines, self._size = [], 0


def table_of(results: Iterable[Result]) -> Table:
    """The rows of results, with the columns of all traits that were requested for any of them.

    Raises UsageError if pyarrow is missing, TypeError for anything but a Result.
    """
    check_installed()
    import pyarrow as pa  # noqa: PLC0415 - as above

    tables, asked, rest = [typed(b"", PuzzleRow, TRAITS)], set[str](), map(_checked, results)
    while batch := list(islice(rest, ROWS_AT_ONCE)):
        asked.update(name for result in batch if result.traits for name in result.traits.asked)
        first = sum(map(len, tables)) + 1
        tables.append(typed(rows_of(batch, first, tuple(TRAITS)).table, PuzzleRow, TRAITS))
    whole = pa.concat_tables(tables).unify_dictionaries()
    return whole.select(columns(PuzzleRow, [name for name in TRAITS if name in asked]))


def _checked(result: object) -> Result:
    if not isinstance(result, Result):
        message = f"expected results, such as those of `solve_many`, found {type(result).__name__}"
        raise TypeError(f"{message}; tables of an outbox are files: outbox/NAME.csv")
    return result


def frame_of(table: Table) -> DataFrame:
    """The table as a pandas frame. Columns of integers stay integers if values are missing.

    Raises UsageError if pandas is missing.
    """
    check_installed("pandas")
    import pandas as pd  # noqa: PLC0415 - as above
    import pyarrow as pa  # noqa: PLC0415

    types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=types.get)
