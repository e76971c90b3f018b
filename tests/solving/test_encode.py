"""The DIMACS text and the sizes of each encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cases import for_each
from support.strategies import examples, puzzles

from pipeline.errors import LimitReached, UsageError
from pipeline.limits import Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Candidate, Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.solving.cnf import dimacs_lines
from pipeline.solving.encode import ENCODINGS, Numbering, encode_puzzle

GOLDEN = Path(__file__).parents[1] / "golden"
FOUR, SIX, NINE = Geometry(2, 2), Geometry(2, 3), Geometry(3, 3)
LITTLE_GIVEN = Puzzle.of_values(
    NINE,
    map(int, "000000010400000000020000000000050407008000300001090000300400200050100000000806000"),
)


def test_textbook_of_an_empty_2x2_is_the_golden_file():
    text = "".join(dimacs_lines(encode_puzzle(Puzzle.empty(FOUR), "textbook", "decimal")))
    assert text == (GOLDEN / "textbook-2x2-decimal.cnf").read_text()


def test_textbook_of_an_empty_3x3_has_the_textbook_order():
    nine = range(1, 10)
    expected = ["p cnf 999 3159"]
    for row, value in product(nine, nine):
        expected += [" ".join(f"{row}{column}{value}" for column in nine) + " 0"]
    for column, value in product(nine, nine):
        expected += [" ".join(f"{row}{column}{value}" for row in nine) + " 0"]
    for top, left, value in product((1, 4, 7), (1, 4, 7), nine):
        places = product(range(top, top + 3), range(left, left + 3))
        expected += [" ".join(f"{row}{column}{value}" for row, column in places) + " 0"]
    for row, column in product(nine, nine):
        for low, high in combinations(nine, 2):
            expected += [f"-{row}{column}{low} -{row}{column}{high} 0"]
    text = "".join(dimacs_lines(encode_puzzle(Puzzle.empty(NINE), "textbook", "decimal")))
    assert [line for line in text.splitlines() if not line.startswith("c")] == expected


@for_each(
    ("encoding", "clauses"),
    [("textbook", 3_159), ("minimal", 8_829), ("extended", 11_988), ("reduced", 11_988)],
)
@for_each(("numbering", "variables"), [("dense", 729), ("decimal", 999)])
def test_an_empty_9x9_has_the_documented_counts(encoding, clauses, numbering, variables):
    cnf = encode_puzzle(Puzzle.empty(NINE), encoding, numbering)
    assert (cnf.variables, cnf.size, len(cnf.candidates)) == (variables, clauses, 729)


@pytest.mark.parametrize("encoding", ["textbook", "minimal", "extended"])
def test_each_given_adds_a_unit_clause_and_each_mark_what_it_forbids(encoding):
    puzzle = Puzzle(NINE, (1 << 4, NINE.even_values, NINE.odd_values) + (NINE.all_values,) * 78)
    plain = list(encode_puzzle(Puzzle.empty(NINE), encoding, "decimal").clauses())
    clauses = list(encode_puzzle(puzzle, encoding, "decimal").clauses())
    assert clauses[: len(plain)] == plain
    assert clauses[len(plain) :] == [
        (literal,) for literal in (115, -121, -123, -125, -127, -129, -132, -134, -136, -138)
    ]


def test_dense_numbers_have_no_gaps_and_decimal_ones_are_the_digits():
    assert list(Numbering(FOUR)) == list(range(1, 65))
    assert Numbering(NINE)[729] == Numbering(NINE, "decimal")[999] == Candidate(9, 9, 9)
    assert Numbering(SIX)[(3 - 1) * 36 + (5 - 1) * 6 + 2] == Candidate(3, 5, 2)
    assert Numbering(SIX, "decimal")[352] == Candidate(3, 5, 2)


def propagated(clauses: Iterable[tuple[int, ...]]) -> list[frozenset[int]]:
    """The clauses after unit propagation, or the empty clause."""
    left = [frozenset(clause) for clause in clauses]
    while units := {literal for clause in left if len(clause) == 1 for literal in clause}:
        left = [
            frozenset(literal for literal in clause if -literal not in units)
            for clause in left
            if len(clause) == 1 or units.isdisjoint(clause)
        ]
        if frozenset() in left:
            return [frozenset()]
        left = [clause for clause in left if units.isdisjoint(clause)]
    return left


TWO_FIVES_IN_A_ROW = Puzzle.of_values(NINE, [5, 0, 0, 5] + [0] * 77)
TWO_VALUES_FOR_ONE_CELL = Puzzle(FOUR, (0b1111,) + (0b1100,) * 3 + (0b1111,) * 12)
CASES = [(FOUR, "classic"), (SIX, "classic"), (FOUR, "even-odd"), (SIX, "even-odd")]


@example(LITTLE_GIVEN)
@example(TWO_FIVES_IN_A_ROW)
@example(TWO_VALUES_FOR_ONE_CELL)
@examples(15)
@given(st.sampled_from(CASES).flatmap(lambda case: puzzles(*case)))
def test_reduced_is_what_unit_propagation_leaves_of_extended(puzzle):
    whole = encode_puzzle(puzzle, "extended", "decimal").clauses()
    reduced = encode_puzzle(puzzle, "reduced", "decimal").clauses()
    assert Counter(map(frozenset, reduced)) == Counter(propagated(whole))


def test_reduced_leaves_out_what_the_sum_of_a_cage_excludes():
    three, seventeen = Cage((0, 1), 3), Cage((9, 10), 17)
    cnf = encode_puzzle(Puzzle.empty(NINE, (three, seventeen)), "reduced", "decimal")
    left = {
        place: {v for *at, v in cnf.candidates.values() if at == [*place]}
        for place in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
    }
    assert left[1, 1] == left[1, 2] == {1, 2}
    assert left[2, 1] == left[2, 2] == {8, 9}
    assert left[3, 1] == {*range(1, 10)}


def test_reduced_of_a_cell_to_which_two_cages_leave_nothing_is_one_empty_clause():
    cages = Cage((0, 1), 3), Cage((1, 2), 17)
    assert [*encode_puzzle(Puzzle.empty(NINE, cages)).clauses()] == [()]


def test_reduced_numbers_the_survivors_in_the_order_of_their_digits():
    dense = encode_puzzle(LITTLE_GIVEN, "reduced")
    decimal = encode_puzzle(LITTLE_GIVEN, "reduced", "decimal")
    assert list(dense.candidates) == list(range(1, dense.variables + 1))
    assert list(dense.candidates.values()) == sorted(decimal.candidates.values())
    assert list(decimal.candidates) == [int("%d%d%d" % c) for c in decimal.candidates.values()]
    assert (decimal.variables, decimal.size) == (999, dense.size)


def test_reduced_of_a_half_filled_36x36_is_a_fortieth_of_extended():
    geometry, places = Geometry(6, 6), product(range(36), range(36))
    pattern = [(6 * (row % 6) + row // 6 + column) % 36 + 1 for row, column in places]
    chosen = Random(36)
    puzzle = Puzzle.of_values(geometry, [value * chosen.randint(0, 1) for value in pattern])
    assert encode_puzzle(puzzle, "reduced").size < encode_puzzle(puzzle, "extended").size / 40


@pytest.mark.parametrize(
    ("geometry", "why"),
    [
        (Geometry(2, 5), "allows sides up to 9, and this puzzle has side 10"),
        (Geometry(4, 4), "allows sides up to 9, and this puzzle has side 16"),
        (Geometry(2, 2, ((0, 0), (2, 2))), "is for a single grid, not for 2: use dense"),
    ],
)
def test_decimal_numbering_refuses_large_sides_and_several_grids(geometry, why):
    for encoding in ENCODINGS:
        with pytest.raises(UsageError, match=why):
            encode_puzzle(Puzzle.empty(geometry), encoding, "decimal")
    with pytest.raises(UsageError, match=r"encoding: expected one of textbook, .* found 'short'"):
        encode_puzzle(Puzzle.empty(geometry), "short")


@for_each("encoding", ENCODINGS)
def test_without_limits_rules_may_have_many_clauses(encoding):
    rows = tuple(Cage(tuple(range(start, start + 16))) for start in range(0, 256, 16))
    assert encode_puzzle(Puzzle.empty(Geometry(4, 4), rows), encoding).size > 30_000


@for_each("encode", ENCODINGS.values())
def test_the_limits_of_a_puzzle_hold_for_the_clauses_of_its_rules(encode):
    rows = tuple(Cage(tuple(range(start, start + 12)), 150) for start in range(0, 625, 25))
    large = Puzzle.empty(Geometry(5, 5), rows)
    with pytest.raises(LimitReached, match="the memory limit of 16 MB was reached"):
        encode(large, "dense", Limits(megabytes=16))
    with pytest.raises(LimitReached, match="the time limit of 0 s was reached"):
        encode(large, "dense", Limits(0.0))
