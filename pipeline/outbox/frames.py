"""Convert results to Arrow tables and pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.outbox.arrow import arrow_table, check_arrow
from pipeline.outbox.tables import PuzzleRow, columns
from pipeline.outbox.traits import TRAITS
from pipeline.outbox.write_rows import rows_of
from pipeline.solving.result import Result

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame  # noqa: PLC0414 - `api.py` names it
    from pyarrow import Table as Table  # noqa: PLC0414 - as above

BATCH_RESULTS = 1024
"""Number of results that are converted to rows together."""


def table_of(results: Iterable[Result]) -> Table:
    """Make an Arrow table of results.

    The table has the columns of each trait that was requested for at least one result. Raises
    UsageError if pyarrow is missing, and TypeError for an object that is not a Result.
    """
    check_arrow()
    import pyarrow as pa  # noqa: PLC0415 - needs an extra

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
    import pandas as pd  # noqa: PLC0415 - needs an extra
    import pyarrow as pa  # noqa: PLC0415

    types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=types.get)
