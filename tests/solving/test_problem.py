"""Formulas as problems: statuses, certified models, and their text."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.solvers import Scripted, both_solvers, chain_of, solve_at_hand
from support.strategies import examples

from pipeline.reading.formats.dimacs import parse_formula, proof_clauses
from pipeline.settings import Settings
from pipeline.solving.cnf import Sat, parse_result
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import FormulaProblem, model_lines
from pipeline.solving.result import Stopwatch

Clauses = list[tuple[int, ...]]


def dimacs(clauses: Clauses, variables: int) -> str:
    lines = (" ".join(map(str, (*clause, 0))) for clause in clauses)
    return "\n".join([f"p cnf {variables} {len(clauses)}", *lines, ""])


def models_of(clauses: Clauses, variables: int):
    """All models in order, by brute force."""
    every = product(*((-v, v) for v in range(1, variables + 1)))
    return [model for model in every if all({*model} & {*clause} for clause in clauses)]


def pigeonhole(holes: int) -> tuple[Clauses, int]:
    """Pigeonhole clauses for `holes` + 1 pigeons."""
    at = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    never = [
        (-at[p][h], -at[q][h]) for p, q in combinations(range(holes + 1), 2) for h in range(holes)
    ]
    return [*map(tuple, at), *never], holes * (holes + 1)


def three_sat(seed: int, clauses: int) -> tuple[Clauses, int]:
    """Random 3-SAT clauses over nine variables."""
    rng = random.Random(seed)
    chosen = (rng.sample(range(1, 10), 3) for _ in range(clauses))
    return [tuple(v * rng.choice((1, -1)) for v in three) for three in chosen], 9


def chain(length: int, last: int) -> tuple[Clauses, int]:
    """A chain of implications from variable 1, with the last variable fixed."""
    return [(1,), *((-v, v + 1) for v in range(1, length)), (last * length,)], length


PAIR = "p cnf 2 1\n1 2 0"
SATISFIABLE = {
    "satlib": "c uf4\np cnf 4  3 \n 4 -2 3  0\n-1 4 2 0\n 1 -4 -3 0\n%\n0\n\n",
    "nothing": "p cnf 0 0",
    "no clauses": "p cnf 3 0\n",
    "chain": dimacs(*chain(400, 1)),
    "random": dimacs(*three_sat(1, 20)),
    "comments inside": "p cnf 3 2\n1\nc 7 0\n-2 0\nc\n2\n3 0",
    "many on a line": "p cnf 3 4 \n1 2 0 -1 2 0 1 -2 0 3 0",
    "crlf": "p cnf 3 2\r\nc x\r\n1 -2 0\r\n-1 0\r\n",
    "tabs": "\tp\tcnf\t3\t2\n\t1\t-2\t0\t-1\t0\t",
    "unused variables": "p cnf 50 1\n-25 -26 0\n",
    "tautologies": "p cnf 3 2\n3 1 -3 0\n2 -2 0\n",
    "duplicates": "p cnf 2 2\n-1 -1 -1 0\n1 2 1 2 0\n",
}
UNSATISFIABLE = {
    "pigeonhole": dimacs(*pigeonhole(4)),
    "pigeonhole in one line": "p cnf 20 45\n" + " ".join(dimacs(*pigeonhole(4)).split()[4:]),
    "empty clause": "p cnf 0 1\n0\n",
    "empty clause amid others": "p cnf 3 3\n1 2 0 0 -3 0",
    "chain": dimacs(*chain(400, -1)),
    "random": dimacs(*three_sat(2, 90)),
    "duplicates": "p cnf 2 4\n1 1 2 0 1 -2 1 0 -1 2 2 0 -2 -2 -1 -1 0\n%\n0\n",
    "tautologies": "p cnf 2 4\n2 -2 1 0 1 0 1 2 -1 0 -1 0\n",
}


@both_solvers
@for_each("text", SATISFIABLE.values())
def test_a_satisfiable_formula_is_solved_with_a_model_of_all_its_variables(solver, text):
    result = solve_at_hand(text, solver=solver)
    assert (result.status, result.complete, result.message) == ("solved", None, None)
    assert (result.solver.name, result.solver.fallback) == (solver, None)
    parsed = parse_formula(text.encode(), "a.cnf")
    (model,) = result.solutions
    assert [abs(literal) for literal in model] == list(range(1, parsed.variables + 1))
    assert all({*model} & {*clause} for clause in parsed.written)
    assert list(result.seconds) == ["parse", "solve", "decode", "certify", "total"]
    assert result.cnf is None, "its text is not made here"


@both_solvers
@for_each("text", UNSATISFIABLE.values())
def test_an_unsatisfiable_formula_is_shown_to_have_no_model(solver, text):
    """The clauses for its proof have no models either."""
    for most in (None, 1, 5):
        result = solve_at_hand(text, solver=solver, max_solutions=most, prove="never")
        assert (result.status, result.solutions, result.complete) == ("unsolvable", (), True)
        assert result.solver.name == solver
    variables, clauses = proof_clauses(parse_formula(text.encode(), "a.cnf"))
    assert all(len({*map(abs, clause)}) == len(clause) for clause in clauses)
    again = solve_at_hand(dimacs(list(clauses), variables), solver=solver, prove="never")
    assert again.status == "unsolvable"


@both_solvers
@pytest.mark.parametrize(
    ("clauses", "variables"),
    [
        *(three_sat(seed, 12 + 3 * seed) for seed in range(0, 12, 2)),
        ([], 0),
        ([(-1,)], 1),
        ([(1, 2, -2)], 2),
        ([(1,), (3, 3)], 3),
    ],
)
def test_all_models_are_found_and_in_order_where_all_are_asked_for(solver, clauses, variables):
    """Models count over all variables of the header."""
    text, expected = dimacs(clauses, variables), models_of(clauses, variables)
    result = solve_at_hand(text, solver=solver, max_solutions=600, prove="never")
    assert (list(result.solutions), result.complete) == (expected, True)
    assert result.status == {0: "unsolvable", 1: "unique"}.get(len(expected), "multiple")
    blocked = proof_clauses(parse_formula(text.encode(), "a"), result.solutions)
    again = solve_at_hand(dimacs(list(blocked[1]), blocked[0]), solver=solver, prove="never")
    assert again.status == "unsolvable"


@both_solvers
@pytest.mark.parametrize("most", [None, 3])
def test_a_limit_before_a_verdict_is_unknown_with_its_reason(solver, most):
    result = solve_at_hand(dimacs(*pigeonhole(12)), solver=solver, timeout=0.3, max_solutions=most)
    assert (result.status, result.solutions, result.complete) == ("unknown", (), False)
    assert "time limit" in result.message


def test_a_formula_of_many_clauses_is_claimed_and_says_why(monkeypatch):
    monkeypatch.setattr("pipeline.solving.problem.MAX_OTHER_CLAUSES", 3)
    result = solve_at_hand("p cnf 2 4\n1 2 0 1 -2 0 -1 2 0 -1 -2 0", solver="pysat")
    assert (result.status, result.complete, result.proof) == ("unsolvable", True, None)
    assert result.certificate.complete == "unverified"
    assert result.certificate.reason == "4 clauses; the limit for a proof is 3"


def test_models_are_held_against_the_clauses_as_they_were_written():
    """Models are certified against the clauses as written, so a wrong normalisation is found."""
    parsed = parse_formula(b"p cnf 2 2\n1 1 2 0\n-1 0", "a.cnf")
    wrong = parse_formula(b"p cnf 2 1\n-1 0", "a.cnf")
    object.__setattr__(parsed, "clauses", wrong.clauses)
    with chain_of(Scripted(Sat(frozenset({-1, -2})))) as solvers:
        result = solve_problem(FormulaProblem(parsed), solvers, Settings(), Stopwatch())
    assert (result.status, result.solver) == ("failed", None)
    assert result.message == "the model of scripted does not satisfy clause 1"


@for_each(
    ("model", "text"),
    [
        ((), "s SATISFIABLE\nv 0\n"),
        ((1, -2, 3), "s SATISFIABLE\nv 1 -2 3 0\n"),
        ((-1,) * 26, "s SATISFIABLE\nv" + " -1" * 25 + "\nv -1 0\n"),
        ((1,) * 38, "s SATISFIABLE\nv" + " 1" * 38 + "\nv 0\n"),
    ],
)
def test_a_model_is_written_as_in_the_sat_competitions(model, text):
    assert "".join(model_lines(model)) == text


@examples(5)
@given(st.lists(st.booleans(), max_size=300), st.integers(0, 9_999_000))
def test_the_lines_are_short_and_what_reads_results_reads_them(signs, offset):
    model = tuple(v if sign else -v for v, sign in enumerate(signs, offset + 1))
    lines = list(model_lines(model))
    assert all(len(line) <= 79 and line[-1] == "\n" for line in lines)
    assert all(line.startswith("v ") for line in lines[1:])
    assert all(len(line) + len(after.split()[1]) >= 79 for line, after in pairwise(lines[1:]))
    assert lines[-1].endswith(" 0\n")
    assert parse_result("".join(lines)) == Sat(frozenset(model))
