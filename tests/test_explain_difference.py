from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import solutions
from solving import SIX, pattern
from strategies import examples, solved_grids

from pipeline.explain import Clue, Difference, explain_difference
from pipeline.parse import parse_puzzle
from pipeline.puzzle import Geometry, Grid, Puzzle

FOUR, NINE = Geometry(2, 2), Geometry(3, 3)
EMPTY = solutions(Puzzle.empty(FOUR), 300)


def left_by(grids, clues) -> list[Grid]:
    """The grids that have all these values."""
    side = grids[0].geometry.side
    places = [((clue.row - 1) * side + clue.column - 1, clue.value) for clue in clues]
    return [grid for grid in grids if all(grid.values[cell] == value for cell, value in places)]


def fewest(grids) -> int:
    """By trying all sets of cells: two grids with equal values in them are not told apart."""
    for size in range(1, 17):
        for cells in combinations(range(16), size):
            seen = [tuple(grid.values[cell] for cell in cells) for grid in grids]
            if any(seen.count(values) == 1 for values in seen):
                return size
    raise AssertionError("equal grids")


@examples(60)
@given(grids=st.lists(st.sampled_from(EMPTY), min_size=2, max_size=40, unique=True))
def test_the_decisive_cells_are_the_fewest_that_leave_one(grids):
    difference = explain_difference(grids)
    differing = {
        (cell // 4 + 1, cell % 4 + 1)
        for cell in range(16)
        if len({grid.values[cell] for grid in grids}) > 1
    }
    assert difference.exact
    assert list(difference.cells) == sorted(differing)
    assert {clue.place for clue in difference.decisive} <= differing
    assert len(left_by(grids, difference.decisive)) == 1
    assert len(difference.decisive) == fewest(grids)


@examples(25)
@given(
    grids=st.sampled_from([NINE, Geometry(2, 3)]).flatmap(
        lambda g: st.lists(solved_grids(g), min_size=2, max_size=9, unique=True)
    ),
    steps=st.integers(0, 2000),
)
def test_whatever_it_may_take_one_grid_is_left(grids, steps):
    difference = explain_difference(grids, steps)
    assert len(left_by(grids, difference.decisive)) == 1
    assert list(difference.decisive) == sorted(difference.decisive, key=lambda clue: clue.place)
    whole = explain_difference(grids)
    assert whole.exact
    if difference.exact:
        assert len(difference.decisive) == len(whole.decisive)
    else:
        assert len(difference.decisive) >= len(whole.decisive)


def boxes_swapped(*swaps: tuple[int, int]) -> list[Grid]:
    """All grids that come of choosing freely, for each pair of cells, to exchange their values."""
    values = [pattern(NINE).values]
    for first, second in swaps:
        exchanged = [list(grid) for grid in values]
        for grid in exchanged:
            grid[first], grid[second] = grid[second], grid[first]
        values += map(tuple, exchanged)
    return [Grid(NINE, grid) for grid in values]


def test_free_choices_have_to_be_made_one_by_one():
    """A hard case for the search; what the cells hold otherwise does not matter."""
    swaps = [(0, 1), (10, 11), (20, 21), (30, 31), (40, 41), (50, 51)]
    difference = explain_difference(boxes_swapped(*swaps))
    assert len(difference.cells) == 12
    assert len(difference.decisive) == 6
    assert difference.exact


def test_the_search_betters_what_greed_finds():
    """Two cells are enough, where the cell that excludes the most is in neither such pair."""
    rows = ["1221", "2122", "1211", "1112", "2111", "1122", "2221", "2212"]
    grids = [Grid(FOUR, (*map(int, row), *[1] * 12)) for row in rows]
    assert len(explain_difference(grids, steps=0).decisive) == 3
    difference = explain_difference(grids)
    assert difference.exact
    assert len(difference.decisive) == fewest(grids) == 2
    assert len(left_by(grids, difference.decisive)) == 1


@examples(60)
@given(rows=st.lists(st.tuples(*[st.integers(1, 2)] * 6), min_size=2, max_size=30, unique=True))
def test_it_is_exact_whatever_the_grids_hold(rows):
    grids = [Grid(FOUR, (*row, *[1] * 10)) for row in rows]
    difference = explain_difference(grids)
    assert difference.exact
    assert len(difference.decisive) == fewest(grids)
    assert len(left_by(grids, difference.decisive)) == 1


def test_a_search_that_is_cut_off_does_not_claim_to_be_exact():
    difference = explain_difference(EMPTY, steps=100)
    assert len(left_by(EMPTY, difference.decisive)) == 1
    assert not difference.exact


def test_more_grids_than_bits_of_a_word_or_greedy_tries_are_told_apart():
    difference = explain_difference(EMPTY, steps=10**9)
    assert difference == explain_difference(EMPTY, steps=10**9)
    assert difference.exact
    assert len(difference.decisive) == 4
    assert len(left_by(EMPTY, difference.decisive)) == 1


def test_the_grid_that_needs_the_fewest_is_chosen():
    """The last has a value that no other has there; the others have to be told by two."""
    rows = ["1234341221434321", "1243431221343421", "1243431231242431", "1234341243212143"]
    grids = [Grid(FOUR, tuple(map(int, row))) for row in rows]
    assert explain_difference(grids).decisive == (Clue(3, 3, 4),)


def test_the_record_tells_the_cells():
    grids = [Grid(Geometry(1, 3), tuple(map(int, row))) for row in ("123231312", "132213321")]
    difference = explain_difference(grids)
    cells = ((1, 2), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3))
    assert difference == Difference(cells, (Clue(1, 2, 2),), exact=True)
    assert difference.as_record() == {
        "cells": [{"row": row, "column": column} for row, column in cells],
        "decisive": [{"row": 1, "column": 2, "value": 2}],
        "exact": True,
    }


def test_six_solutions_are_told_apart():
    grids = solutions(parse_puzzle(SIX), 10)
    assert len(grids) == 6
    assert len(left_by(grids, explain_difference(grids).decisive)) == 1


@pytest.mark.parametrize(
    "grids",
    [[], EMPTY[:1], [EMPTY[0], EMPTY[0]], [EMPTY[0], pattern(NINE)]],
    ids=["none", "one", "equal", "geometries"],
)
def test_what_does_not_differ_is_refused(grids):
    with pytest.raises(ValueError, match="no two of them equal"):
        explain_difference(grids)


def test_the_largest_value_has_a_place_too():
    grid = pattern(Geometry(16, 16))
    swapped = Grid(grid.geometry, (*grid.values[256:], *grid.values[:256]))
    difference = explain_difference([grid, swapped])
    assert len(difference.cells) == 256**2
    assert difference.exact
    assert len(difference.decisive) == 1
