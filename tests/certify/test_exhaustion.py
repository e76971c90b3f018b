"""A search through everything finds a grid exactly where there is one."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import solutions
from support.solving import pattern
from support.strategies import examples

from pipeline.certify import certify_grid
from pipeline.certify.exhaustion import Undecided, crowded_unit, find_grid
from pipeline.parse import parse_puzzle
from pipeline.puzzle import Geometry, Puzzle

SMALL = [Geometry(*box) for box in product((1, 2, 3), (1, 2, 3)) if 2 <= box[0] * box[1] <= 6]
NINE, LARGE = Geometry(3, 3), Geometry(8, 8)


def soon():
    return time.monotonic() + 60


def marked(geometry, masks):
    cells = [masks.get(cell, geometry.all_values) for cell in range(geometry.side**2)]
    return Puzzle(geometry, tuple(cells))


@st.composite
def puzzles(draw):
    geometry = draw(st.sampled_from(SMALL))
    masks = st.integers(1, geometry.all_values) | st.integers(0, geometry.side - 1).map(
        lambda shift: 1 << shift
    )
    cells = st.integers(0, geometry.side**2 - 1)
    return marked(geometry, draw(st.dictionaries(cells, masks, max_size=geometry.side + 4)))


@examples(25)
@given(puzzle=puzzles())
def test_it_finds_what_brute_force_finds(puzzle):
    grid = find_grid(puzzle, soon())
    assert (grid is None) == (not solutions(puzzle, 1))
    assert grid is None or not certify_grid(puzzle, grid)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..", 1),
        ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....42.", 0),
        ("1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..", 1),
    ],
)
def test_hard_puzzles_are_searched_through(text, count):
    puzzle = parse_puzzle(text)
    grid = find_grid(puzzle, soon())
    assert (grid is not None) == bool(count)
    assert grid is None or not certify_grid(puzzle, grid)


@pytest.mark.parametrize("geometry", [NINE, Geometry(4, 4), Geometry(2, 5), Geometry(1, 7)])
def test_an_empty_grid_is_filled(geometry):
    puzzle = marked(geometry, {0: 1, geometry.side + 1: 1 << 2})
    grid = find_grid(puzzle, soon())
    assert grid is not None
    assert not certify_grid(puzzle, grid)


@pytest.mark.parametrize("geometry", [NINE, LARGE])
def test_the_clues_of_a_single_unit_are_decided_for_any_side(geometry):
    evens = dict.fromkeys(range(geometry.side // 2), geometry.even_values)
    for unit in (evens, {cell * geometry.side: mask for cell, mask in evens.items()}):
        grid = find_grid(marked(geometry, unit), soon())
        assert grid is not None
        assert not certify_grid(marked(geometry, unit), grid)
        crowd = unit | {max(unit) + (1 if unit is evens else geometry.side): 2}
        assert find_grid(marked(geometry, crowd), soon()) is None
        assert crowded_unit(marked(geometry, crowd)) in ("row 1", "column 1")
        assert crowded_unit(marked(geometry, unit)) is None


def test_what_takes_too_long_is_undecided():
    with pytest.raises(Undecided, match="time was too short"):
        find_grid(marked(NINE, {0: 1, 80: 1}), 0.0)
    with pytest.raises(Undecided, match="sides above 36"):
        find_grid(marked(LARGE, {0: 1, LARGE.side**2 - 1: 1}), soon())


def test_a_full_grid_is_found_and_a_wrong_one_is_not():
    grid = pattern(NINE)
    assert find_grid(Puzzle.of_values(NINE, grid.values), soon()) == grid
    assert find_grid(Puzzle.of_values(NINE, (9, *grid.values[1:])), soon()) is None
