"""Model → Grid, and back: Grid → the clause that forbids it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import chain

from pipeline.cnf import Clause, Cnf
from pipeline.errors import SolverError
from pipeline.puzzle import Grid


def decode_model(model: AbstractSet[int], cnf: Cnf) -> Grid:
    """The grid that a model of `cnf` describes.

    `model` is the set of the literals that hold. Raises SolverError unless every cell gets
    exactly one value.
    """
    n = cnf.geometry.side
    values = [0] * (n * n)
    chosen = (
        cnf.candidates[literal] for literal in model if literal > 0 and literal in cnf.candidates
    )
    for row, column, value in chain(cnf.fixed, chosen):
        cell = (row - 1) * n + column - 1
        if values[cell]:
            raise SolverError(
                f"the model gives row {row}, column {column} two values, {values[cell]} and {value}"
            )
        values[cell] = value
    if 0 in values:
        row, column = cnf.geometry.place(values.index(0))
        raise SolverError(f"the model leaves row {row}, column {column} without a value")
    return Grid(cnf.geometry, tuple(values))


def blocking_clause(grid: Grid, cnf: Cnf) -> Clause:
    """The clause that forbids this grid and no other, over the variables of `cnf`."""
    n = grid.geometry.side
    return tuple(
        -variable
        for variable, (row, column, value) in cnf.candidates.items()
        if grid.values[(row - 1) * n + column - 1] == value
    )
