"""`Cnf`, its DIMACS text, parsing of results, and decoding of models."""

from __future__ import annotations

from array import array
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.strategies import examples, geometries, solved_grids

from pipeline.errors import InvalidResult, SolverError
from pipeline.puzzle.clauses import PackedClauses, clauses_of
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Candidate, Grid, Puzzle
from pipeline.solving.cnf import (
    MAX_VARIABLE,
    Cnf,
    Family,
    LazyClauses,
    Sat,
    Unknown,
    Unsat,
    _packed_lines,
    blocking_clause,
    clause_lines,
    decode_model,
    dimacs_lines,
    is_numpy_worth_it,
    parse_result,
)
from pipeline.solving.encode import ENCODINGS, Numbering, encode_puzzle

CANDIDATES = {1: Candidate(1, 1, 1), 2: Candidate(1, 1, 2)}
ONE = Family("at least one", 1, [(1, 2)])
NOT_BOTH = Family("at most one", 2, [(-1, -2), (-1, 3)])


def cnf_of(*families: Family, variables: int = 3) -> Cnf:
    return Cnf(Geometry(1, 2), "made up", variables, families, CANDIDATES)


def test_clauses_come_in_order_are_counted_and_can_be_read_again():
    cnf = cnf_of(ONE, NOT_BOTH, Family("made anew", 1, LazyClauses(lambda: iter([(7,)]))))
    assert list(cnf.clauses()) == list(cnf.clauses()) == [(1, 2), (-1, -2), (-1, 3), (7,)]
    assert cnf.size == 4


@for_each(
    ("model", "satisfied"),
    [
        ({1, -2, 3}, True),
        ({2, -1}, True),
        ({1, -2, -3}, False),
        ({1, -2}, False),
        ({1, -1, 2, 3}, False),
        (set(), False),
    ],
)
def test_a_model_satisfies_by_holding_a_literal_of_every_clause_and_no_opposites(model, satisfied):
    assert cnf_of(ONE, NOT_BOTH).satisfied_by(model) is satisfied


def test_no_model_satisfies_the_empty_clause_and_any_model_satisfies_no_clauses():
    assert not cnf_of(Family("conflict", 1, [()])).satisfied_by({1, 2})
    assert cnf_of().satisfied_by(set())


clauses_of_six = st.lists(
    st.lists(st.integers(1, 6), max_size=4, unique=True).flatmap(
        lambda some: st.tuples(*(st.sampled_from((x, -x)) for x in some))
    )
)


def array_of(clauses: list[tuple[int, ...]]) -> PackedClauses:
    return PackedClauses(array("i", [x for each in clauses for x in (*each, 0)]).tobytes())


@examples(100)
@given(clauses=clauses_of_six, signs=st.tuples(*[st.booleans()] * 6), least=st.integers(1, 9))
def test_clauses_in_an_array_are_the_same_as_in_a_list(clauses, signs, least):
    packed = array_of(clauses)
    assert ([*packed], len(packed), packed.size) == (clauses, len(clauses), sum(map(len, clauses)))
    assert len(PackedClauses(packed.data)) == len(clauses)
    assert "".join(_packed_lines(packed)) == "".join(clause_lines(clauses))
    *full, last = [*packed.chunks(least)] or [[0]]
    assert [x for chunk in packed.chunks(least) for x in clauses_of(chunk)] == clauses
    assert {each[-1] for each in (*full, last)} == {0}
    assert all(len(each) >= least for each in full)
    model = {x if sign else -x for x, sign in enumerate(signs, 1)}
    cnf = cnf_of(Family("clauses", len(clauses), clauses), variables=6)
    assert packed.hold_for(cnf._truth_table(model)) == cnf.satisfied_by(model)


def test_many_packed_clauses_are_the_same_as_in_a_list():
    clauses = [(x, -(x % 7 + 1)) for x in range(1, 20_000)]
    model = {x if x % 3 else -x for x in range(1, 20_000)}
    packed = array_of(clauses)
    assert is_numpy_worth_it(packed)
    assert "".join(clause_lines(packed)) == "".join(clause_lines(clauses))
    both = (Family("clauses", len(clauses), each) for each in (packed, clauses))
    assert [cnf_of(family, variables=20_000).satisfied_by(model) for family in both] == [False] * 2


@examples(100)
@given(clauses=clauses_of_six, numbers=st.tuples(*[st.sampled_from((1, 2, 9, -9))] * 6))
def test_what_is_decided_is_left_out_of_clauses_in_an_array(clauses, numbers):
    of_literals = np.array([0, *numbers, *(-x for x in reversed(numbers))], np.int32)
    renamed = [tuple(int(of_literals[x]) for x in each) for each in clauses]
    expected = [tuple(x for x in each if x != -9) for each in renamed if 9 not in each]
    assert [*array_of(clauses).renumbered(of_literals, 9)] == expected


def test_the_text_of_clauses_with_many_variables_is_the_same():
    clauses = [(1, -70_000), (2**20, -3, 65_535), ()]
    assert "".join(_packed_lines(array_of(clauses))) == "1 -70000 0\n1048576 -3 65535 0\n0\n"


def test_blocking_forbids_the_chosen_candidates_and_no_other_variable():
    assert cnf_of().blocking(frozenset({-1, 2, 3})) == (-2,)
    assert cnf_of().blocking(frozenset({2, 1, -3})) == (-1, -2)


def test_more_variables_than_a_solver_can_number_are_refused():
    assert cnf_of(variables=MAX_VARIABLE).variables == 2**31 - 1
    with pytest.raises(ValueError, match="solvers take at most 2147483647"):
        cnf_of(variables=MAX_VARIABLE + 1)


TWO = Geometry(1, 2)
DENSE = Cnf(TWO, "made up", 8, (), Numbering(TWO))
PARTLY_FIXED = Cnf(
    TWO,
    "made up",
    4,
    (),
    {1: Candidate(1, 2, 2), 2: Candidate(2, 1, 2), 3: Candidate(2, 2, 1), 4: Candidate(1, 1, 2)},
    (Candidate(1, 1, 1),),
)
GRID = Grid(TWO, (1, 2, 2, 1))


def test_the_clause_that_blocks_a_grid_denies_its_candidates_that_have_a_variable():
    assert blocking_clause(GRID, DENSE) == (-1, -4, -6, -7)
    assert blocking_clause(GRID, PARTLY_FIXED) == (-1, -2, -3)


@examples(8)
@given(geometries.flatmap(solved_grids), st.sampled_from([*ENCODINGS]))
def test_a_blocked_grid_is_no_model_and_every_other_still_is(grid, encoding):
    cnf = encode_puzzle(Puzzle.empty(grid.geometry), encoding)
    clause = set(blocking_clause(grid, cnf))
    model = {v if -v in clause else -v for v in cnf.candidates}
    assert decode_model(model, cnf) == grid
    assert cnf.blocking(model) == tuple(sorted(clause, reverse=True))
    shifted = Grid(
        grid.geometry, grid.values[-grid.geometry.side :] + grid.values[: -grid.geometry.side]
    )
    assert not clause.issuperset(blocking_clause(shifted, cnf))


def test_decided_candidates_count_and_variables_without_a_candidate_do_not():
    assert decode_model({1, 2, 3, -4}, PARTLY_FIXED) == GRID
    assert decode_model({1, 4, 6, 7, -2, 9, 1000}, DENSE) == GRID


@for_each(
    ("model", "cnf", "message"),
    [
        ({1, 4, 6}, DENSE, "the model leaves row 2, column 2 without a value"),
        (set(), DENSE, "the model leaves row 1, column 1 without a value"),
        ({1, 2, 4, 6, 7}, DENSE, "the model gives row 1, column 1 two values, "),
        ({1, 2, 3, 4}, PARTLY_FIXED, "the model gives row 1, column 1 two values, 1 and 2"),
    ],
)
def test_a_cell_without_a_value_or_with_two_is_the_solvers_error(model, cnf, message):
    with pytest.raises(SolverError) as caught:
        decode_model(model, cnf)
    assert str(caught.value).startswith(message)


CNF = Cnf(
    Geometry(2, 3),
    "made up",
    7,
    (Family("pairs", 2, [(1, 2), (-1, -2)]), Family("nothing", 0, []), Family("one", 1, [(7,)])),
    {1: Candidate(1, 1, 1), 2: Candidate(1, 1, 2)},
    (Candidate(6, 6, 6),),
)
TEXT = """\
c Sudoku 6x6, boxes 2x3, encoding made up
c 2 candidates have a variable, 1 are decided
p cnf 7 3
c pairs: 2
1 2 0
-1 -2 0
c nothing: 0
c one: 1
7 0
"""


def test_the_text_is_what_it_is_the_header_then_each_family_and_last_what_blocks():
    assert "".join(dimacs_lines(CNF)) == TEXT
    expected = TEXT.replace("p cnf 7 3", "p cnf 7 5")
    expected += "c solutions found, each blocked: 2\n-1 0\n-2 -7 0\n"
    assert "".join(dimacs_lines(CNF, iter([(-1,), (-2, -7)]))) == expected


def test_a_contradictory_puzzle_is_written_as_the_empty_clause():
    puzzle = Puzzle.of_values(Geometry(1, 2), [1, 1, 0, 0])
    lines = "".join(dimacs_lines(encode_puzzle(puzzle))).splitlines()
    assert [line for line in lines if line[0] != "c"] == ["p cnf 0 1", "0"]


@for_each("lengths", [[2], [1, 2, 3], [2, 0], [3] + [2] * 4096])
def test_every_clause_is_one_line_ended_by_0_however_many_there_are(lengths):
    clauses = [tuple(range(-length, 0)) for length in islice(cycle(lengths), 9000)]
    expected = "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
    assert "".join(clause_lines(clauses)) == expected


@for_each(
    ("text", "answer"),
    [
        ("SAT\n1 -2 3 0\n", Sat(frozenset({1, -2, 3}))),
        ("SAT\r\n1 -2\r\n3 0", Sat(frozenset({1, -2, 3}))),
        ("SAT\n0\n", Sat(frozenset())),
        (f"SAT\n{MAX_VARIABLE} 0\n", Sat(frozenset({MAX_VARIABLE}))),
        ("UNSAT\n", Unsat()),
        ("INDET\n", Unknown("the solver gave up")),
        ("c of 2026\ns SATISFIABLE\nv 1 -2\nc between\nv 3\nv 0\n", Sat(frozenset({1, -2, 3}))),
        ("s UNSATISFIABLE", Unsat()),
        ("c\ns SATISFIABLE\nc\nv 1\n c \nv\nv 0\nc\n", Sat(frozenset({1}))),
        ("c\nSAT\n1 0\n", Sat(frozenset({1}))),
        ("s UNKNOWN\n", Unknown("the solver gave up")),
    ],
)
def test_the_notation_of_minisat_and_that_of_the_competitions_are_read(text, answer):
    assert parse_result(text) == answer


@for_each(
    ("text", "message"),
    [
        ("", "expected SAT, UNSAT, INDET or an 's' line, found an empty result"),
        ("\n c of nothing\n", "expected SAT, UNSAT, INDET or an 's' line, found an empty result"),
        ("\nhello\n", "line 2: expected SAT, UNSAT, INDET or an 's' line, found 'hello'"),
        ("v 1 0\nSAT", "line 1: expected SAT, UNSAT, INDET or an 's' line, found '1 0'"),
        ("UNSAT\n1 0", "line 2: expected SAT, UNSAT, INDET or an 's' line, found '1 0'"),
        ("SAT\n1 0\nUNSAT", "line 3: a second verdict, 'UNSAT'"),
        ("SAT\n", "the model does not end with 0"),
        ("SAT\n1 -2", "the model does not end with 0"),
        ("SAT\n1 two 0", "expected a literal, found 'two'"),
        ("SAT\n1_0 0", "expected a literal, found '1_0'"),
        ("SAT\n\u0661 0", "expected a literal, found '\u0661'"),
        ("SAT\n1\xb2 0", "expected a literal, found '1\xb2'"),
        ("c\ncomment\n", "line 2: expected SAT, UNSAT, INDET or an 's' line, found 'comment'"),
        (f"SAT\n1 {'9' * 5000} 0", f"expected a literal, found '{'9' * 20}'"),
        *[
            (f"SAT\n{model}", "the model has a 0 inside, a literal out of range or a contradiction")
            for model in ("1 0 2 0", "1 2 -1 0", "2147483648 0", "-2147483648 0")
        ],
    ],
)
def test_anything_else_is_no_result_and_the_message_says_why(text, message):
    with pytest.raises(InvalidResult) as caught:
        parse_result(text)
    assert str(caught.value) == message


@examples(15)
@given(
    st.text() | st.lists(st.sampled_from(["SAT", "UNSAT", "s", "v", "1 -2", "0"])).map("\n".join)
)
def test_no_text_makes_reading_a_result_crash(text):
    try:
        answer = parse_result(text)
    except InvalidResult:
        return
    assert isinstance(answer, Sat | Unsat | Unknown)


@examples(15)
@given(st.sets(st.integers(1, MAX_VARIABLE)), st.data())
def test_a_written_model_is_read_back(variables, data):
    model = frozenset(data.draw(st.sampled_from([v, -v])) for v in sorted(variables))
    words = " ".join(map(str, [*model, 0]))
    assert parse_result(f"SAT\n{words}\n") == parse_result(f"s SATISFIABLE\nv {words}\n")
    assert parse_result(f"SAT\n{words}\n") == Sat(model)
