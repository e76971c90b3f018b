"""Where the solutions of a puzzle differ."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.oracle import solutions
from support.puzzles import pattern
from support.strategies import examples

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.explain import (
    Clue,
    explain_difference,
)

FOUR, NINE = Geometry(2, 2), Geometry(3, 3)
EMPTY = solutions(Puzzle.empty(FOUR), 300)


def left_by(grids, clues) -> list[Grid]:
    """The grids that agree with these clues."""
    side = grids[0].geometry.side
    places = [((clue.row - 1) * side + clue.column - 1, clue.value) for clue in clues]
    return [grid for grid in grids if all(grid.values[cell] == value for cell, value in places)]


def fewest(grids) -> int:
    """The minimum number of decisive cells, by trying all sets of cells."""
    for size in range(1, 17):
        for cells in combinations(range(16), size):
            seen = [tuple(grid.values[cell] for cell in cells) for grid in grids]
            if any(seen.count(values) == 1 for values in seen):
                return size
    raise AssertionError("equal grids")


some_rows = st.lists(st.tuples(*[st.integers(1, 2)] * 6), min_size=2, max_size=30, unique=True).map(
    lambda rows: [Grid(FOUR, (*row, *[1] * 10)) for row in rows]
)
some_solutions = st.lists(st.sampled_from(EMPTY), min_size=2, max_size=40, unique=True)


@examples(15)
@given(grids=some_rows | some_solutions)
def test_the_decisive_cells_leave_one_and_are_the_fewest_where_that_is_said(grids):
    difference = explain_difference(grids)
    differing = {
        (cell // 4 + 1, cell % 4 + 1)
        for cell in range(16)
        if len({grid.values[cell] for grid in grids}) > 1
    }
    assert list(difference.cells) == sorted(differing)
    places = [clue.place for clue in difference.decisive]
    assert places == sorted(places)
    assert differing.issuperset(places)
    assert len(left_by(grids, difference.decisive)) == 1
    least = fewest(grids)
    assert difference.exact == (len(places) == least)


def test_what_greed_comes_to_does_not_claim_to_be_exact():
    """Two cells suffice, but the greedy choice is in neither such pair."""
    rows = ["1221", "2122", "1211", "1112", "2111", "1122", "2221", "2212"]
    grids = [Grid(FOUR, (*map(int, row), *[1] * 12)) for row in rows]
    difference = explain_difference(grids)
    assert (len(difference.decisive), difference.exact) == (3, False)


def test_more_grids_than_bits_of_a_word_or_greedy_tries_are_told_apart():
    difference = explain_difference(EMPTY)
    assert difference == explain_difference(EMPTY)
    assert len(difference.decisive) == 4
    assert len(left_by(EMPTY, difference.decisive)) == 1
    assert difference.exact


def test_the_grid_that_needs_the_fewest_is_chosen():
    """One value singles out the last grid; the others take two."""
    rows = ["1234341221434321", "1243431221343421", "1243431231242431", "1234341243212143"]
    grids = [Grid(FOUR, tuple(map(int, row))) for row in rows]
    assert explain_difference(grids).decisive == (Clue(3, 3, 4),)


@for_each(
    "grids",
    [[], EMPTY[:1], [EMPTY[0], EMPTY[0]], [EMPTY[0], pattern(NINE)]],
)
def test_what_does_not_differ_is_refused(grids):
    with pytest.raises(ValueError, match="distinct grids"):
        explain_difference(grids)


def test_the_largest_value_has_a_place_too():
    grid = pattern(Geometry(16, 16))
    swapped = Grid(grid.geometry, (*grid.values[256:], *grid.values[:256]))
    difference = explain_difference([grid, swapped])
    assert len(difference.cells) == 256**2
    assert difference.exact
    assert len(difference.decisive) == 1
