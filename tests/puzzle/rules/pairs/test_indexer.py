"""Indexers."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.pairs import Indexer
from pipeline.puzzle.shapes import Tint

NINE = Geometry(3, 3)
LINE = (2, 1, 3, 5, 6, 4, 9, 8, 7)
"""The first says that 1 stands second; it does. The fourth says that 4 stands fifth: 6 does."""
RIGHT = [1, 2, 3, 7, 8, 9]


def test_a_column_indexer_tells_in_which_column_of_its_row_the_number_of_its_column_stands():
    values = [1] * 36 + [*LINE] + [1] * 36
    cells = {column: 36 + column - 1 for column in range(1, 10)}
    assert [c for c, cell in cells.items() if Indexer(cell, row=False).holds(NINE, values)] == RIGHT


def test_a_row_indexer_tells_in_which_row_of_its_column_the_number_of_its_row_stands():
    values = [value for value in LINE for _ in range(9)]
    cells = {row: (row - 1) * 9 + 3 for row in range(1, 10)}
    assert [r for r, cell in cells.items() if Indexer(cell, row=True).holds(NINE, values)] == RIGHT


def test_a_number_that_stands_elsewhere_too_breaks_it():
    line = [3, 9, 1, 9, 9, 9, 9, 9, 9]
    assert Indexer(0, row=False).holds(NINE, line * 9)
    line[5] = 1
    assert not Indexer(0, row=False).holds(NINE, line * 9)


@pytest.mark.parametrize(("row", "kind"), [(False, "column"), (True, "row")])
def test_it_is_shaded_and_told_by_its_kind_and_cell(row, kind):
    assert list(Indexer(40, row).draw(NINE)) == [Tint(((5, 5),), f"{kind}-indexer")]
    assert Indexer(40, row).describe(NINE) == f"{kind} indexer at r5c5"


@pytest.mark.parametrize("row", [True, False])
@pytest.mark.parametrize("cell", [-1, 81, 900])
def test_a_puzzle_refuses_it_outside_the_grid(row, cell):
    with pytest.raises(ValueError, match="indexer: a cell that is not in the grid"):
        Puzzle.empty(NINE, (Indexer(cell, row),))


def test_a_puzzle_of_several_grids_refuses_it():
    with pytest.raises(ValueError, match="indexer: there are several grids"):
        Puzzle.empty(Geometry(2, 2, ((0, 0), (2, 2))), (Indexer(0, row=False),))
