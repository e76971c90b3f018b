"""DIMACS text out, a solver's result in."""

from __future__ import annotations

from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from pipeline.errors import InvalidResult
from pipeline.puzzle.puzzle import Candidate, Geometry, Puzzle
from pipeline.solving.cnf import (
    MAX_VARIABLE,
    Cnf,
    Family,
    Sat,
    Unknown,
    Unsat,
    clause_lines,
    dimacs_lines,
    parse_result,
)
from pipeline.solving.encode import encode_puzzle

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


@pytest.mark.parametrize("lengths", [[2], [1, 2, 3], [2, 0], [3] + [2] * 4096])
def test_every_clause_is_one_line_ended_by_0_however_many_there_are(lengths):
    clauses = [tuple(range(-length, 0)) for length in islice(cycle(lengths), 9000)]
    expected = "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
    assert "".join(clause_lines(clauses)) == expected


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected SAT, UNSAT, INDET or an 's' line, found an empty result"),
        ("\n c of nothing\n", "expected SAT, UNSAT, INDET or an 's' line, found an empty result"),
        ("\nhello\n", "line 2: expected SAT, UNSAT, INDET or an 's' line, found 'hello'"),
        ("v 1 0\nSAT", "line 1: expected SAT, UNSAT, INDET or an 's' line, found '1 0'"),
        ("UNSAT\n1 0", "line 2: expected SAT, UNSAT, INDET or an 's' line, found '1 0'"),
        ("SAT\n1 0\nUNSAT", "line 3: a second verdict, 'UNSAT'"),
        ("SAT\n", "the model is not ended by 0"),
        ("SAT\n1 -2", "the model is not ended by 0"),
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
