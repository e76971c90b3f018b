"""Minisat: what is asked ahead, while a process is busy with the question before."""

from __future__ import annotations

import shutil

import pytest
from support.needs import needs_minisat
from support.solving import SIX, TWO, UNIQUE

from pipeline.limits import Limits
from pipeline.reading.formats import parse_puzzle, parsed_from
from pipeline.settings import Settings
from pipeline.solving.cnf import Sat, Unsat, blocking_clause
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.one import Search
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers.minisat import Minisat

LIMITS = Limits(60.0)
TRUE = (1, -1)
"""A clause that forbids nothing."""


@pytest.fixture
def minisat():
    solver = Minisat(shutil.which("minisat"))
    yield solver
    solver.close()


@needs_minisat
@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize(("text", "models"), [(UNIQUE, 1), (TWO, 2), (SIX, 6)])
def test_what_was_asked_ahead_counts_only_with_the_clause_that_was_added(
    text, models, is_right, minisat
):
    cnf = encode_puzzle(parse_puzzle(text), "extended")
    with minisat.open(cnf, LIMITS) as session:
        first = session.solve().model
    with minisat.open(cnf, LIMITS) as session:
        session.foresee(lambda: cnf.blocking(first) if is_right else TRUE)
        found = 0
        while isinstance(answer := session.solve(), Sat):
            found += 1
            session.add(cnf.blocking(answer.model))
        assert (found, answer) == (models, Unsat())


@needs_minisat
def test_no_process_is_left_of_a_question_that_was_asked_ahead_in_vain(minisat):
    cnf = encode_puzzle(parse_puzzle(UNIQUE), "extended")
    with minisat.open(cnf, LIMITS) as session:
        session.foresee(lambda: TRUE)
        session.solve()
        ahead = session._ahead[1].started.process
    assert ahead.returncode is not None


@pytest.mark.parametrize(("text", "is_foreseen"), [(UNIQUE, True), (TWO, False), (SIX, False)])
def test_only_the_block_of_an_only_solution_is_foreseen(text, is_foreseen):
    puzzle = parse_puzzle(text)
    search = Search(PuzzleProblem(parsed_from(puzzle)), Settings(), Stopwatch())
    cnf = encode_puzzle(puzzle)
    clause = search._foreseen(cnf)
    assert (clause is not None, search.searched is not None) == (is_foreseen, is_foreseen)
    if is_foreseen:
        (grid,) = search.searched.missing
        assert clause == blocking_clause(grid, cnf)
