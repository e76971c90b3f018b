"""Lanes: many puzzles at once get what each would get alone, and what brute force says."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import is_solution, solutions
from support.solving import EVEN_ODD, NONE, SIX, TWO, holed, pattern
from support.strategies import blank_for, examples, opened, puzzles

from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.compiled import Found, solve_lanes

FOUR, SIX_BY_SIX, EIGHT, NINE = Geometry(2, 2), Geometry(2, 3), Geometry(2, 4), Geometry(3, 3)
GEOMETRIES = [
    *(Geometry(1, n) for n in (2, 3, 5)),
    *(Geometry(n, 1) for n in (2, 4)),
    *(FOUR, SIX_BY_SIX, Geometry(3, 2), EIGHT, Geometry(4, 2), NINE),
]
AGES = 100.0


def masks_of(*puzzles_: Puzzle):
    return np.array([puzzle.cells for puzzle in puzzles_], np.uint64)


def solve(geometry: Geometry, puzzles_: list[Puzzle], most: int) -> Found:
    cells = geometry.side**2
    return solve_lanes(geometry, masks_of(*puzzles_).reshape(-1, cells), most, AGES)


def grids_of(found: Found, geometry: Geometry, index: int) -> list[Grid]:
    theirs = found.grids[: found.counts[index], index].tolist()
    return [Grid(geometry, tuple(values)) for values in theirs]


def check_against_brute_force(puzzle: Puzzle, found: Found, index: int, most: int) -> None:
    expected = solutions(puzzle, most)
    grids = grids_of(found, puzzle.geometry, index)
    assert found.decided[index]
    assert found.counts[index] == len(expected)
    assert not found.grids[len(expected) :, index].any()
    if len(expected) < most:
        assert grids == expected
    assert grids == sorted(set(grids))
    assert all(is_solution(puzzle, grid) for grid in grids)


@examples(6)
@given(data=st.data())
def test_it_agrees_with_brute_force(data):
    geometry = data.draw(st.sampled_from(GEOMETRIES))
    variants = ["classic", "even-odd"] if geometry.side > 3 else ["classic"]
    variant = data.draw(st.sampled_from(variants))
    kinds = opened(geometry, variant) if geometry.side > 6 else puzzles(geometry, variant)
    some = data.draw(st.lists(kinds, min_size=1, max_size=4))
    found = solve(geometry, some, 5)
    for index, puzzle in enumerate(some):
        check_against_brute_force(puzzle, found, index, 5)


@examples(6)
@given(data=st.data(), geometry=st.sampled_from([FOUR, SIX_BY_SIX]))
def test_a_cell_may_allow_any_values_at_all(data, geometry):
    masks, cells = st.integers(1, geometry.all_values), geometry.side**2
    masks |= st.just(geometry.all_values)
    puzzle = Puzzle(geometry, tuple(data.draw(st.lists(masks, min_size=cells, max_size=cells))))
    check_against_brute_force(puzzle, solve(geometry, [puzzle], 8), 0, 8)


@pytest.mark.parametrize(("text", "count"), [(NONE, 0), (SIX, 6), (TWO, 2), (EVEN_ODD, 1)])
def test_it_finds_all_solutions_that_there_are(text, count):
    puzzle = parse_puzzle(text)
    found = solve(puzzle.geometry, [puzzle], 7)
    assert found.counts[0] == count
    check_against_brute_force(puzzle, found, 0, 7)


@pytest.mark.parametrize("most", [1, 3, 64, 287, 300])
def test_it_stops_at_as_many_solutions_as_are_wanted(most):
    found = solve(FOUR, [Puzzle.empty(FOUR)] * 3, most)
    assert found.counts.tolist() == [min(most, 288)] * 3
    assert found.grids.shape == (most, 3, 16)
    check_against_brute_force(Puzzle.empty(FOUR), found, 0, most)
    assert (found.grids[:, :1] == found.grids).all()


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 5), Geometry(1, 7)])
def test_an_empty_grid_has_more_than_one_solution(geometry):
    found = solve(geometry, [Puzzle.empty(geometry)], 2)
    first, second = grids_of(found, geometry, 0)
    assert first < second
    assert all(is_solution(Puzzle.empty(geometry), grid) for grid in (first, second))


@pytest.mark.parametrize("geometry", [Geometry(5, 5), Geometry(8, 8)])
def test_large_grids_are_solved_too(geometry):
    grid = pattern(geometry)
    found = solve(geometry, [holed(grid, 7), Puzzle.of_values(geometry, grid.values)], 2)
    assert found.counts.tolist() == [1, 1]
    assert grids_of(found, geometry, 0) == grids_of(found, geometry, 1) == [grid]


@pytest.mark.parametrize(
    ("geometry", "shape", "most", "message"),
    [
        (Geometry(5, 13), (1, 65**2), 2, "up to 64"),
        (NINE, (1, 80), 2, "masks of shape"),
        (NINE, (81,), 2, "masks of shape"),
        (NINE, (1, 81), 0, "masks of shape"),
    ],
)
def test_sides_above_64_and_wrong_shapes_are_refused(geometry, shape, most, message):
    with pytest.raises(ValueError, match=message):
        solve_lanes(geometry, np.ones(shape, np.uint64), most, AGES)


def test_givens_that_clash_and_a_cell_without_any_value_have_no_solution():
    masks = masks_of(*map(Puzzle.of_values, [FOUR] * 3, ([3, 3, *[0] * 14], [1] * 16, [0] * 16)))
    masks[2, 7] = 0
    found = solve_lanes(FOUR, masks, 2, AGES)
    assert found.counts.tolist() == [0, 0, 0]
    assert found.decided.all()
    assert not found.grids.any()


def mixed(count: int, seed: int = 1) -> list[Puzzle]:
    """Puzzles of 4×4 with no, one, two and many solutions."""
    some = [parse_puzzle(text) for text in (NONE, SIX, TWO)]
    some += [Puzzle.empty(FOUR), holed(pattern(FOUR), 3), holed(pattern(FOUR), 2)]
    return random.Random(seed).choices(some, k=count)


@pytest.mark.parametrize("count", [0, 1, 64, 65, 1000])
def test_any_number_of_puzzles_can_be_solved_together(count):
    some = mixed(count)
    found = solve(FOUR, some, 3)
    assert found.counts.shape == found.decided.shape == (count,)
    assert found.grids.shape == (3, count, 16)
    known = {puzzle: len(solutions(puzzle, 3)) for puzzle in set(some)}
    assert found.counts.tolist() == [known[puzzle] for puzzle in some]
    assert found.decided.all()


def hard(count: int, variant: str = "classic") -> list[Puzzle]:
    """Made 9×9 puzzles, most of them with several solutions, some with none."""
    generator, grid = random.Random(7), pattern(NINE)
    made = []
    for index in range(count):
        kept = set(generator.sample(range(81), 24))
        cells = [
            1 << value - 1 if cell in kept else blank_for(NINE, variant, value)
            for cell, value in enumerate(grid.values)
        ]
        if index % 4 == 0:
            cells[next(iter(kept))] = 1 << generator.randrange(9)
        made.append(Puzzle(NINE, tuple(cells)))
    return made


@pytest.mark.parametrize("variant", ["classic", "even-odd"])
def test_what_is_found_depends_neither_on_the_order_nor_on_the_company(variant):
    """The first solutions too, where there are more than are wanted."""
    some = hard(70, variant)
    together = solve(NINE, some, 3)
    backwards = solve(NINE, some[::-1], 3)
    assert (together.counts == backwards.counts[::-1]).all()
    assert (together.grids == backwards.grids[:, ::-1]).all()
    for index in range(0, len(some), 23):
        alone = solve(NINE, [some[index]], 3)
        assert alone.counts[0] == together.counts[index]
        assert (alone.grids[:, 0] == together.grids[:, index]).all()


def test_a_small_stack_changes_nothing_but_the_time(monkeypatch):
    some = mixed(10)
    roomy = solve(FOUR, some, 7)
    monkeypatch.setattr("pipeline.solving.compiled.search.STACK_BYTES", 0)
    narrow = solve(FOUR, some, 7)
    assert (narrow.grids == roomy.grids).all()
    assert (narrow.counts == roomy.counts).all()


def test_paths_longer_than_there_is_room_for_cost_only_the_order(monkeypatch):
    geometry = Geometry(4, 4)
    monkeypatch.setattr("pipeline.solving.compiled.search.CELLS_PER_WORD", 1000)
    found = solve(geometry, [Puzzle.empty(geometry)] * 2, 3)
    assert found.counts.tolist() == [3, 3]
    for index in (0, 1):
        grids = grids_of(found, geometry, index)
        assert grids == sorted(set(grids))
        assert all(is_solution(Puzzle.empty(geometry), grid) for grid in grids)


def test_without_time_nothing_is_decided_and_nothing_is_claimed():
    found = solve_lanes(NINE, masks_of(*hard(5)), 2, 0.0)
    assert not found.decided.any()
    assert not found.counts.any()
    assert not found.grids.any()


def test_when_the_time_is_up_what_was_found_is_right():
    """Far more solutions are wanted than can be found in that time."""
    wanted = 500_000
    found = solve_lanes(NINE, masks_of(Puzzle.empty(NINE)), wanted, 0.05)
    assert found.decided.tolist() == [False]
    count = int(found.counts[0])
    assert count < wanted
    assert not found.grids[count:].any()
    for grid in grids_of(found, NINE, 0)[:20]:
        assert is_solution(Puzzle.empty(NINE), grid)


def test_the_buffer_size_of_numpy_is_left_as_it_was():
    before = np.getbufsize()
    solve(FOUR, mixed(3), 2)
    assert np.getbufsize() == before
