"""Many grids at once: the verdicts are those of `certify_grid`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from solving import pattern
from strategies import examples, opened, puzzles, solved_grids

from pipeline.certify import certify_grid
from pipeline.certify.rules import AT_ONCE, certify_many
from pipeline.puzzle import Geometry, Grid, Puzzle

NINE = Geometry(3, 3)
GEOMETRIES = [Geometry(1, 2), Geometry(2, 2), Geometry(3, 2), Geometry(1, 5), Geometry(2, 4)]


def arrays(pairs):
    masks = np.array([puzzle.cells for puzzle, _ in pairs], np.uint64)
    return masks, np.array([grid.values for _, grid in pairs], np.uint8)


@st.composite
def cases(draw):
    """Puzzles with grids that solve them, almost solve them, or have nothing to do with them."""
    geometry = draw(st.sampled_from(GEOMETRIES))
    grids = solved_grids(geometry)
    pairs = []
    for _ in range(draw(st.integers(1, 4))):
        puzzle = draw(puzzles(geometry) | st.just(Puzzle.empty(geometry)) | opened(geometry))
        values = list(draw(grids).values)
        if draw(st.booleans()):
            cell = draw(st.integers(0, len(values) - 1))
            values[cell] = draw(st.integers(1, geometry.side))
        pairs.append((puzzle, Grid(geometry, tuple(values))))
    return geometry, pairs


@examples(50)
@given(case=cases())
def test_it_agrees_with_the_rules_for_single_grids(case):
    geometry, pairs = case
    verdicts = certify_many(geometry, *arrays(pairs))
    assert verdicts.tolist() == [not certify_grid(puzzle, grid) for puzzle, grid in pairs]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64])
def test_any_single_cell_spoils_a_grid(dtype):
    grid = np.array(pattern(NINE).values, dtype)
    grids = np.repeat(grid[None], 82, axis=0)
    grids[range(81), range(81)] = grid % 9 + 1
    masks = np.full((82, 81), NINE.all_values, np.uint64)
    assert certify_many(NINE, masks, grids).tolist() == [False] * 81 + [True]


def test_two_values_exchanged_all_over_still_solve_but_not_against_a_given():
    grid = np.array(pattern(NINE).values)
    exchanged = np.where(grid == 1, 2, np.where(grid == 2, 1, grid))
    masks = np.full((2, 81), NINE.all_values, np.uint64)
    masks[1, 0] = 1 << int(grid[0]) - 1
    assert certify_many(NINE, masks, np.array([exchanged] * 2)).tolist() == [True, False]


@pytest.mark.parametrize("value", [-1, 0, 10, 64, 65, 73])
def test_a_value_out_of_range_is_no_solution(value):
    grids = np.array([pattern(NINE).values])
    grids[0, 40] = value
    masks = np.full((1, 81), (1 << 64) - 1, np.uint64)
    assert certify_many(NINE, masks, grids).tolist() == [False]


def test_sides_up_to_64_are_certified():
    geometry = Geometry(8, 8)
    grids = np.array([pattern(geometry).values] * 2)
    masks = np.full(grids.shape, geometry.all_values, np.uint64)
    masks[1, 99] ^= np.uint64(1 << int(grids[1, 99]) - 1)
    assert certify_many(geometry, masks, grids).tolist() == [True, False]


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, AT_ONCE + 1])
def test_any_number_of_grids_can_be_certified(count):
    geometry = Geometry(1, 2)
    grids = np.array([[1, 2, 2, 1], [1, 2, 1, 2]] * (count // 2 + 1))[:count].reshape(-1, 4)
    masks = np.full(grids.shape, 3, np.uint64)
    assert certify_many(geometry, masks, grids).tolist() == [i % 2 == 0 for i in range(count)]


@pytest.mark.parametrize(
    ("masks", "grids"), [((1, 81), (2, 81)), ((1, 80), (1, 80)), ((81,), (81,))]
)
def test_wrong_shapes_are_refused(masks, grids):
    with pytest.raises(ValueError, match="for 81 cells"):
        certify_many(NINE, np.ones(masks, np.uint64), np.ones(grids, np.uint8))
