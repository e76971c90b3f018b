"""Many puzzles in one formula: propagated, encoded and read back as each of them alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import is_solution
from support.solving import NONE, SIX, TWO, UNIQUE
from support.strategies import arbitrary, examples, opened, puzzles, spoiled

from pipeline.limits import Limits
from pipeline.puzzle.puzzle import Geometry, Grid
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.cnf import Sat, Unsat, clause_lines
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.encode.reduced import propagate
from pipeline.solving.encode.together import encode_together, propagate_many
from pipeline.solving.solvers.pysat import Pysat

GEOMETRIES = [Geometry(2, 2), Geometry(2, 3), Geometry(3, 2), Geometry(2, 4), Geometry(3, 3)]
VARIANTS = ["classic", "even-odd"]
NINE = Geometry(3, 3)
STUCK = "..9..............1.....234.....5......3...6....7.1...8.5...3....9...6...18......5"
"""It has no solution, which propagation does not see."""

FOURS = [parse_puzzle(text) for text in (UNIQUE, TWO, SIX)]


def masks_of(found):
    return np.array([puzzle.cells for puzzle in found], np.uint64).reshape(len(found), -1)


def clauses_of(cnf):
    """How often each clause is there, whatever the order of clauses and of literals."""
    lines = "".join(part for family in cnf.families for part in clause_lines(family.clauses))
    found = [tuple(map(int, line.split())) for line in lines.splitlines()]
    assert all(clause[-1] == 0 for clause in found)
    return Counter(tuple(sorted(clause[:-1])) for clause in found)


def consistent(found):
    """Those of the puzzles that propagation does not refute, and their masks after it."""
    cells, right = propagate_many(found[0].geometry, masks_of(found))
    kept = [puzzle for puzzle, good in zip(found, right, strict=True) if good]
    return kept, cells[right]


@pytest.fixture(scope="module")
def engine():
    with Pysat() as made:
        yield made


@st.composite
def batches(draw, kinds=puzzles, most=6):
    """Puzzles of one geometry and variant."""
    geometry = draw(st.sampled_from(GEOMETRIES))
    one = kinds(geometry, draw(st.sampled_from(VARIANTS)))
    return draw(st.lists(one, min_size=1, max_size=most))


@examples(5)
@given(batches())
def test_propagating_many_gives_what_propagating_each_gives(found):
    cells, right = propagate_many(found[0].geometry, masks_of(found))
    assert cells.shape == (len(found), found[0].geometry.side ** 2)
    for puzzle, after, good in zip(found, cells.tolist(), right.tolist(), strict=True):
        alone = propagate(puzzle)
        assert good == (alone is not None)
        if alone is not None:
            assert after == alone


@pytest.mark.parametrize("kind", [opened, spoiled, arbitrary])
def test_nine_by_nine_with_marks_and_contradictions_are_propagated_alike(kind):
    @examples(5)
    @given(st.lists(kind(NINE, "even-odd") | kind(NINE), min_size=3, max_size=8))
    def check(found):
        cells, right = propagate_many(NINE, masks_of(found))
        wanted = [propagate(puzzle) for puzzle in found]
        assert right.tolist() == [alone is not None for alone in wanted]
        kept = [alone for alone in wanted if alone is not None]
        assert cells[right].tolist() == kept

    check()


def test_contradictions_leave_the_others_and_what_is_handed_in_alone():
    """In the last a cell is the only place of two values."""
    texts = (UNIQUE, "11..\n....\n....\n....\n", NONE, TWO, ".1...2........21")
    found = [parse_puzzle(text) for text in texts]
    masks = masks_of(found)
    cells, right = propagate_many(found[0].geometry, masks)
    assert (masks == masks_of(found)).all()
    assert right.tolist() == [propagate(puzzle) is not None for puzzle in found]
    assert not right[4]
    assert cells[0].tolist() == propagate(found[0])
    assert cells[3].tolist() == propagate(found[3])


def test_no_puzzles_are_propagated_to_none():
    cells, right = propagate_many(NINE, np.zeros((0, 81), np.uint64))
    assert (cells.shape, right.shape) == ((0, 81), (0,))


@examples(7)
@given(batches())
def test_several_have_the_disjoint_union_of_their_formulas(found):
    kept, cells = consistent(found)
    if not kept:
        return
    together = encode_together(kept[0].geometry, cells)
    wanted, before = Counter(), 0
    for puzzle in kept:
        alone = encode_puzzle(puzzle, "reduced")
        for clause, times in clauses_of(alone).items():
            moved = (literal + (before if literal > 0 else -before) for literal in clause)
            wanted[tuple(sorted(moved))] += times
        before += len(alone.candidates)
    assert clauses_of(together.cnf) == wanted
    assert together.cnf.size == sum(wanted.values())
    assert together.cnf.variables == before + len(kept)
    spare = [together.spare(place) for place in range(len(kept))]
    used = {abs(literal) for clause in wanted for literal in clause}
    assert used.isdisjoint(spare), "it stands in no clause"
    assert spare == [*range(before + 1, before + len(kept) + 1)]


@examples(5)
@given(batches())
def test_every_variable_tells_its_puzzle_its_cell_and_its_value(found):
    kept, cells = consistent(found)
    if not kept:
        return
    together = encode_together(kept[0].geometry, cells)
    places, n = list(zip(*map(np.ndarray.tolist, together.owners), strict=True)), found[0].geometry
    wanted = [
        (at, (row - 1) * n.side + column - 1, value - 1)
        for at, puzzle in enumerate(kept)
        for row, column, value in encode_puzzle(puzzle, "reduced").candidates.values()
    ]
    assert places == wanted
    fixed = [
        [0 if mask & mask - 1 else mask.bit_length() for mask in row] for row in cells.tolist()
    ]
    assert together.fixed.tolist() == fixed


def test_chosen_are_the_true_candidates_less_one_ascending_and_no_spare():
    together = encode_together(FOURS[0].geometry, consistent(FOURS)[1])
    spare = [together.spare(place) for place in range(3)]
    assert together.chosen(frozenset([5, -4, 2, 1, -3, *spare])).tolist() == [0, 1, 4]
    assert together.chosen(frozenset([-1, -2, -spare[0]])).tolist() == []


def test_nothing_chosen_gives_grids_of_what_propagation_decided():
    _, cells = consistent(FOURS)
    together = encode_together(FOURS[0].geometry, cells)
    grids = together.grids(together.chosen(frozenset()))
    assert (grids == together.fixed).all()
    assert (grids[0] > 0).all()
    assert (grids[1:] == 0).any(axis=1).all()


@examples(5)
@given(batches(opened, 3))
def test_a_model_is_read_as_one_solution_of_each_puzzle(engine, found):
    kept, cells = consistent(found)
    together = encode_together(kept[0].geometry, cells)
    with engine.open(together.cnf, Limits(60)) as session:
        answer = session.solve()
    assert isinstance(answer, Sat)
    grids = together.grids(together.chosen(answer.model))
    assert len(grids) == len(kept)
    for puzzle, values in zip(kept, grids.tolist(), strict=True):
        assert is_solution(puzzle, Grid(puzzle.geometry, tuple(values)))


def test_one_puzzle_without_a_solution_spoils_the_formula_of_all(engine):
    found, masks = consistent([parse_puzzle(STUCK), parse_puzzle("." * 81)])
    assert len(found) == 2
    together = encode_together(NINE, masks)
    with engine.open(together.cnf, Limits(60)) as session:
        assert isinstance(session.solve(), Unsat)
