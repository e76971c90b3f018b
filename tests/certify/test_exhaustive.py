"""Exhaustive search finds exactly the solutions that a list lacks."""

from __future__ import annotations

from itertools import islice, product

import pytest
from false_claims import HONEST, Maker
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.oracle import is_solution, solutions
from support.puzzles import EVEN_ODD_SIX, HARD, SIX, TWO, UNIQUE, pattern
from support.strategies import examples

from pipeline.certify import certify_grid, exhaustive
from pipeline.certify.exhaustive import (
    NotSolutions,
    SearchResult,
    search_all,
    unit_without_matching,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_puzzle

SMALL = [Geometry(*box) for box in product((1, 2, 3), (1, 2, 3)) if 2 <= box[0] * box[1] <= 6]
NINE, LARGE = Geometry(3, 3), Geometry(8, 8)


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


def found(puzzle):
    """A solution, or None."""
    result = search_all(puzzle, [])
    assert result.undecided is None
    assert result.is_complete == (not result.missing)
    return next(iter(result.missing), None)


@examples(25)
@given(puzzle=puzzles())
def test_it_finds_what_brute_force_finds(puzzle):
    grid = found(puzzle)
    assert (grid is None) == (not solutions(puzzle, 1))
    assert grid is None or is_solution(puzzle, grid)


@examples(25)
@given(puzzle=puzzles(), data=st.data())
def test_what_is_not_listed_is_missing_and_nothing_else_is(puzzle, data):
    known = solutions(puzzle, 30)
    listed = data.draw(st.lists(st.sampled_from(known), unique=True)) if known else []
    wanted = data.draw(st.integers(1, 40))
    result = search_all(puzzle, listed, max_solutions=wanted)
    assert result.undecided is None
    assert len(set(result.missing)) == len(result.missing)
    assert all(is_solution(puzzle, grid) for grid in result.missing)
    assert not set(result.missing) & set(listed)
    if len(known) < 30:
        assert len(result.missing) == min(wanted, len(known) - len(listed))
        assert result.is_complete == (len(listed) == len(known))
    else:
        assert len(result.missing) >= min(wanted, 30 - len(listed))


def test_no_false_claim_passes_and_every_honest_one_does():
    for claim in islice(Maker(seed=11).claims(), 400):
        grids = [Grid(claim.puzzle.geometry, values) for values in claim.grids]
        if claim.truth == "WRONG":
            with pytest.raises(NotSolutions):
                search_all(claim.puzzle, grids)
            continue
        result = search_all(claim.puzzle, grids)
        assert result.is_complete == (claim.kind == HONEST)
        assert len(result.missing) == (claim.kind != HONEST)
        assert not any(certify_grid(claim.puzzle, grid) for grid in result.missing)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (HARD, 1),
        ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....42.", 0),
        ("1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..", 1),
    ],
)
def test_hard_puzzles_are_searched_through(text, count):
    puzzle = parse_puzzle(text)
    result = search_all(puzzle, [], max_solutions=2)
    assert len(result.missing) == count
    assert not any(certify_grid(puzzle, grid) for grid in result.missing)
    assert search_all(puzzle, result.missing).is_complete


@for_each("geometry", [NINE, Geometry(4, 4), Geometry(2, 5), Geometry(1, 7)])
def test_an_empty_grid_is_filled(geometry):
    puzzle = marked(geometry, {0: 1, geometry.side + 1: 1 << 2})
    grid = found(puzzle)
    assert grid is not None
    assert not certify_grid(puzzle, grid)


@pytest.mark.parametrize("geometry", [NINE, LARGE])
def test_a_unit_whose_cells_cannot_differ_decides_for_any_side(geometry):
    evens = dict.fromkeys(range(geometry.side // 2), geometry.even_values)
    for unit in (evens, {cell * geometry.side: mask for cell, mask in evens.items()}):
        crowd = unit | {max(unit) + (1 if unit is evens else geometry.side): 2}
        assert search_all(marked(geometry, crowd), []) == SearchResult((), 0)
        assert unit_without_matching(marked(geometry, crowd)) in ("row 1", "column 1")
        assert unit_without_matching(marked(geometry, unit)) is None


def test_too_little_time_and_too_large_a_side_leave_it_undecided():
    puzzle = marked(NINE, {0: 1, 80: 1})
    assert search_all(puzzle, [], seconds=0.0) == SearchResult((), 0, "time ran out")
    large = search_all(marked(LARGE, {0: 1, LARGE.side**2 - 1: 1}), [])
    assert large == SearchResult((), 0, "grids larger than 49×49 are not searched")
    filled = pattern(LARGE)
    assert not search_all(Puzzle.of_values(LARGE, filled.values), [filled]).is_complete
    assert not search_all(Puzzle.empty(LARGE), [filled]).is_complete


def test_too_few_nodes_leave_it_undecided():
    puzzle = parse_puzzle(HARD)
    listed = solutions(puzzle, 2)
    needed = search_all(puzzle, listed).nodes
    assert needed > 1
    assert search_all(puzzle, listed, max_nodes=needed) == SearchResult((), needed)
    for fewer in (0, 1, needed - 1):
        result = search_all(puzzle, listed, max_nodes=fewer)
        assert (result.missing, result.nodes) == ((), fewer)
        assert result.undecided == f"the limit of {fewer} search nodes was reached"
        assert not result.is_complete


def test_a_search_that_does_not_come_to_a_listed_solution_shows_nothing(monkeypatch):
    """Propagation wrongly rejects one of the six solutions."""
    puzzle = parse_puzzle(SIX)
    known = solutions(puzzle, 9)
    propagate, lost = exhaustive._propagate, exhaustive._bits_of(puzzle, known[2])

    def wrong(board, left):
        left, state = propagate(board, left)
        return left, exhaustive._DEAD if left == lost else state

    monkeypatch.setattr(exhaustive, "_propagate", wrong)
    result = search_all(puzzle, known)
    assert not result.is_complete
    assert result.undecided == "the search did not find a listed solution"
    assert search_all(puzzle, known[2:3], max_solutions=9).undecided
    assert search_all(puzzle, known[3:], max_solutions=2).undecided is None


def test_solutions_found_before_a_limit_are_returned():
    result = search_all(Puzzle.empty(NINE), [], max_solutions=1000, max_nodes=100)
    assert 0 < len(result.missing) < 1000
    assert result.undecided == "the limit of 100 search nodes was reached"


@for_each(("text", "count"), [(UNIQUE, 1), (TWO, 2), (SIX, 6), (EVEN_ODD_SIX, 6)])
def test_as_many_as_are_asked_for_are_found(text, count):
    puzzle = parse_puzzle(text)
    known = solutions(puzzle, 9)
    assert len(known) == count
    for listed in range(count + 1):
        for wanted in range(1, count + 2):
            result = search_all(puzzle, known[:listed], max_solutions=wanted)
            assert set(result.missing) <= set(known[listed:])
            assert len(result.missing) == min(wanted, count - listed)
            assert result.is_complete == (listed == count)


@pytest.mark.parametrize("first", [1, 3, 20])
def test_restarts_lose_and_repeat_no_solution(first, monkeypatch):
    """The search restarts after `first` failures, then after a tenth more each time."""
    monkeypatch.setattr(exhaustive, "_RUN_GROWTH", 1.1)
    monkeypatch.setattr(exhaustive, "_FIRST_RUN_FAILURES", first)
    for puzzle in (parse_puzzle(EVEN_ODD_SIX), parse_puzzle(SIX), marked(Geometry(2, 2), {0: 1})):
        known = solutions(puzzle, 100)
        result = search_all(puzzle, [], max_solutions=101)
        assert sorted(result.missing) == known
        assert search_all(puzzle, known).is_complete
        assert search_all(puzzle, known[1:]).missing == (known[0],)


def test_a_full_grid_is_found_and_a_wrong_one_is_not():
    grid = pattern(NINE)
    assert found(Puzzle.of_values(NINE, grid.values)) == grid
    assert found(Puzzle.of_values(NINE, (9, *grid.values[1:]))) is None


def test_listed_grids_that_are_no_different_solutions_are_an_error():
    puzzle = parse_puzzle(TWO)
    one, two = solutions(puzzle, 9)
    swapped = Grid(one.geometry, one.values[4:8] + one.values[:4] + one.values[8:])
    foreign, other_size = solutions(parse_puzzle(UNIQUE), 1)[0], pattern(NINE)
    for listed in ([one, one], [one, two, one], [swapped], [one, foreign], [two, other_size]):
        with pytest.raises(NotSolutions):
            search_all(puzzle, listed)
    with pytest.raises(NotSolutions):
        search_all(parse_puzzle("11.............."), [one])


def test_max_solutions_must_be_positive():
    with pytest.raises(ValueError, match="expected at least 1, found 0"):
        search_all(parse_puzzle(UNIQUE), [], max_solutions=0)
