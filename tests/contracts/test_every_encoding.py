"""What every encoding of `encode.py` must do; a new one is tested by being registered."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.cases import for_each
from support.oracle import is_solution, solutions
from support.puzzles import EVEN_ODD
from support.strategies import examples, puzzles, solved_grids

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.cages import Cage, CountingCircles
from pipeline.puzzle.rules.lines import Lunchbox
from pipeline.puzzle.rules.outside import FullRank
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats import parse_puzzle
from pipeline.settings import EncodingChoice
from pipeline.solving.cnf import Cnf, decode_model, dimacs_lines
from pipeline.solving.encode import ENCODINGS, encode_puzzle

LIMIT = 20
TWO_GRIDS = Geometry(2, 2, ((0, 0), (2, 2)))
JIGSAW = ((0, 1, 2, 5), (3, 6, 7, 11), (4, 8, 9, 12), (10, 13, 14, 15))
FOUR, SIX = Geometry(2, 2), Geometry(2, 3)
CASES = [(FOUR, "classic"), (SIX, "classic"), (FOUR, "even-odd"), (SIX, "even-odd")]

every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
every_numbering = pytest.mark.parametrize("numbering", ["dense", "decimal"])
any_puzzle = st.sampled_from(CASES).flatmap(lambda case: puzzles(*case))


def test_every_encoding_can_be_chosen():
    assert get_args(EncodingChoice) == tuple(ENCODINGS)


def grids(cnf: Cnf, limit: int) -> list[Grid]:
    """The models of a CNF as grids, each blocked by its true candidates; at most `limit`."""
    found: list[Grid] = []
    with Minisat22(bootstrap_with=cnf.clauses()) as solver:
        while len(found) < limit and solver.solve():
            model = frozenset(solver.get_model())
            found.append(decode_model(model, cnf))
            solver.add_clause([-literal for literal in model if literal in cnf.candidates])
    return sorted(found)


@every_numbering
@every_encoding
@examples(6)
@given(puzzle=any_puzzle)
def test_the_models_are_exactly_the_solutions(encoding, numbering, puzzle):
    found = grids(encode_puzzle(puzzle, encoding, numbering), LIMIT)
    expected = solutions(puzzle, LIMIT)
    if len(expected) < LIMIT:
        assert found == expected
    else:
        assert len(set(found)) == LIMIT
        assert all(is_solution(puzzle, grid) for grid in found)


@every_numbering
@every_encoding
@examples(6)
@given(puzzle=any_puzzle)
def test_the_header_counts_and_clauses_speak_of_numbered_candidates(encoding, numbering, puzzle):
    cnf = encode_puzzle(puzzle, encoding, numbering)
    written = "".join(dimacs_lines(cnf)).splitlines()
    clauses = [line for line in written if line[0] not in "cp"]
    assert f"p cnf {cnf.variables} {len(clauses)}" in written
    assert [family.size for family in cnf.families] == [
        len(list(family.clauses)) for family in cnf.families
    ]
    assert clauses == [" ".join(map(str, (*clause, 0))) for clause in cnf.clauses()]
    for clause in cnf.clauses():
        variables = {abs(literal) for literal in clause}
        assert len(variables) == len(clause)
        assert all(1 <= variable <= cnf.variables for variable in variables)
        assert variables <= cnf.candidates.keys()


@every_encoding
@pytest.mark.parametrize("geometry", [Geometry(1, 2), Geometry(2, 1), Geometry(3, 4)])
@examples(5)
@given(data=st.data())
def test_sides_below_4_and_above_9_are_encoded_too(encoding, geometry, data):
    values = data.draw(solved_grids(geometry)).values
    puzzle = Puzzle.of_values(geometry, [v * (cell % 3 > 0) for cell, v in enumerate(values)])
    (grid,) = grids(encode_puzzle(puzzle, encoding), 1)
    assert is_solution(puzzle, grid)


FIXED = {
    "equal givens": Puzzle.of_values(FOUR, [1, 1] + [0] * 14),
    "no place left": Puzzle.of_values(FOUR, [1, 2, 0, 0, 0, 0, 3, 4] + [0] * 8),
    "three odd cells": Puzzle(FOUR, (FOUR.odd_values,) * 3 + (FOUR.all_values,) * 13),
    "all even": Puzzle(SIX, (SIX.even_values,) * 36),
    "empty": Puzzle.empty(FOUR),
    "even-odd": parse_puzzle(EVEN_ODD),
    "cages": Puzzle.empty(FOUR, (Cage((0, 1, 4), 6), Cage((10, 11), 5), Cage((15, 14)))),
    "cage and givens": Puzzle.of_values(FOUR, [1, 0, 0, 0] * 4, (Cage((1, 2), 5),)),
    "given in a cage": Puzzle.of_values(FOUR, [1] + [0] * 15, (Cage((0, 1), 4), Cage((2, 3)))),
    "no sum": Puzzle.empty(FOUR, (Cage((0, 1), 9),)),
    "full rank": Puzzle.empty(FOUR, (FullRank((7, 6, 5, 4), 7), FullRank((1, 5, 9, 13), 5))),
    "full rank of a corner": Puzzle.empty(FOUR, (FullRank((0, 4, 8, 12), 10, tied=True),)),
    "counting circles": Puzzle.empty(FOUR, (CountingCircles((0, 1, 5, 6, 10, 12, 15)),)),
    "lunchbox": Puzzle.of_values(
        SIX, [0] * 12 + [*map(int, "231564564231312645645312")], (Lunchbox((0, 1, 2, 3, 4), 9),)
    ),
    "jigsaw": Puzzle.empty(Geometry(1, 4), tuple(map(Region, JIGSAW))),
    "two grids": Puzzle.of_values(TWO_GRIDS, [1, 2, 3, 4] + [0] * 24),
    "two grids with a cage": Puzzle.of_values(
        TWO_GRIDS, [1, 2, 3, 4] + [0] * 24, (Cage((12, 13, 14), 9),)
    ),
}


@every_numbering
@every_encoding
@for_each("puzzle", FIXED.values())
def test_the_models_are_the_solutions_that_keep_the_rules(encoding, numbering, puzzle):
    if numbering == "decimal" and puzzle.geometry.grids:
        return
    cnf = encode_puzzle(puzzle, encoding, numbering)
    assert grids(cnf, 1000) == solutions(puzzle, 1000)
    assert bool(cnf.auxiliary) <= bool(puzzle.rules)
    if cnf.auxiliary and numbering == "dense":
        assert max(cnf.candidates) + cnf.auxiliary == cnf.variables
