"""What is said to be all solutions of a puzzle is searched for others, through everything."""

from __future__ import annotations

from itertools import islice, product

import pytest
from false_claims import HONEST, Maker
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.oracle import is_solution, solutions
from support.solving import EVEN_ODD_SIX, HARD, SIX, TWO, UNIQUE, pattern
from support.strategies import examples

from pipeline.certify import certify_grid, exhaustion
from pipeline.certify.exhaustion import Exhausted, NotSolutions, crowded_unit, exhausted
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
    """A solution, if there is one."""
    result = exhausted(puzzle, [])
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
    most = data.draw(st.integers(1, 40))
    result = exhausted(puzzle, listed, most=most)
    assert result.undecided is None
    assert len(set(result.missing)) == len(result.missing)
    assert all(is_solution(puzzle, grid) for grid in result.missing)
    assert not set(result.missing) & set(listed)
    if len(known) < 30:
        assert len(result.missing) == min(most, len(known) - len(listed))
        assert result.is_complete == (len(listed) == len(known))
    else:
        assert len(result.missing) >= min(most, 30 - len(listed))


def test_no_false_claim_passes_and_every_honest_one_does():
    for claim in islice(Maker(seed=11).claims(), 400):
        grids = [Grid(claim.puzzle.geometry, values) for values in claim.grids]
        if claim.truth == "WRONG":
            with pytest.raises(NotSolutions):
                exhausted(claim.puzzle, grids)
            continue
        result = exhausted(claim.puzzle, grids)
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
    result = exhausted(puzzle, [], most=2)
    assert len(result.missing) == count
    assert not any(certify_grid(puzzle, grid) for grid in result.missing)
    assert exhausted(puzzle, result.missing).is_complete


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
        assert exhausted(marked(geometry, crowd), []) == Exhausted((), 0)
        assert crowded_unit(marked(geometry, crowd)) in ("row 1", "column 1")
        assert crowded_unit(marked(geometry, unit)) is None


def test_too_little_time_and_too_large_a_side_leave_it_undecided():
    puzzle = marked(NINE, {0: 1, 80: 1})
    assert exhausted(puzzle, [], seconds=0.0) == Exhausted((), 0, "time was too short")
    large = exhausted(marked(LARGE, {0: 1, LARGE.side**2 - 1: 1}), [])
    assert large == Exhausted((), 0, "sides above 49 are not searched")
    filled = pattern(LARGE)
    assert not exhausted(Puzzle.of_values(LARGE, filled.values), [filled]).is_complete
    assert not exhausted(Puzzle.empty(LARGE), [filled]).is_complete


def test_too_few_nodes_leave_it_undecided():
    puzzle = parse_puzzle(HARD)
    listed = solutions(puzzle, 2)
    needed = exhausted(puzzle, listed).nodes
    assert needed > 1
    assert exhausted(puzzle, listed, nodes=needed) == Exhausted((), needed)
    for fewer in (0, 1, needed - 1):
        result = exhausted(puzzle, listed, nodes=fewer)
        assert (result.missing, result.nodes) == ((), fewer)
        assert result.undecided == f"{fewer} nodes were too few"
        assert not result.is_complete


def test_a_search_that_does_not_come_to_a_listed_solution_shows_nothing(monkeypatch):
    """Its propagation takes one of the six for a contradiction."""
    puzzle = parse_puzzle(SIX)
    known = solutions(puzzle, 9)
    propagate, lost = exhaustion._propagate, exhaustion._chosen(puzzle, known[2])

    def wrong(board, left):
        left, state = propagate(board, left)
        return left, exhaustion._DEAD if left == lost else state

    monkeypatch.setattr(exhaustion, "_propagate", wrong)
    result = exhausted(puzzle, known)
    assert not result.is_complete
    assert result.undecided == "the search did not come to a listed solution"
    assert exhausted(puzzle, known[2:3], most=9).undecided
    assert exhausted(puzzle, known[3:], most=2).undecided is None, "as many as were asked for"


def test_what_was_found_before_a_limit_is_told():
    result = exhausted(Puzzle.empty(NINE), [], most=1000, nodes=100)
    assert 0 < len(result.missing) < 1000
    assert result.undecided == "100 nodes were too few"


@for_each(("text", "count"), [(UNIQUE, 1), (TWO, 2), (SIX, 6), (EVEN_ODD_SIX, 6)])
def test_as_many_as_are_asked_for_are_found(text, count):
    puzzle = parse_puzzle(text)
    known = solutions(puzzle, 9)
    assert len(known) == count
    for listed in range(count + 1):
        for most in range(1, count + 2):
            result = exhausted(puzzle, known[:listed], most=most)
            assert set(result.missing) <= set(known[listed:])
            assert len(result.missing) == min(most, count - listed)
            assert result.is_complete == (listed == count)


@pytest.mark.parametrize("first", [1, 3, 20])
def test_beginning_anew_loses_and_repeats_no_solution(first, monkeypatch):
    """After so few failures, and a tenth more each time."""
    monkeypatch.setattr(exhaustion, "_LONGER", 1.1)
    monkeypatch.setattr(exhaustion, "_FIRST_RUN", first)
    for puzzle in (parse_puzzle(EVEN_ODD_SIX), parse_puzzle(SIX), marked(Geometry(2, 2), {0: 1})):
        known = solutions(puzzle, 100)
        result = exhausted(puzzle, [], most=101)
        assert sorted(result.missing) == known
        assert exhausted(puzzle, known).is_complete
        assert exhausted(puzzle, known[1:]).missing == (known[0],)


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
            exhausted(puzzle, listed)
    with pytest.raises(NotSolutions):
        exhausted(parse_puzzle("11.............."), [one])


def test_to_look_for_nothing_is_an_error():
    with pytest.raises(ValueError, match="0 solutions"):
        exhausted(parse_puzzle(UNIQUE), [], most=0)
