"""Any CNF: every status, models held against the clauses, and which solver is asked."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from needs import needs_minisat
from solving import program, result_lines
from strategies import examples

from pipeline.cnf import Sat, Unknown, Unsat
from pipeline.dimacs import parse_result
from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.formulas import Model, solution_text, solve_formula, solve_parsed_formula
from pipeline.parse.formula import parse_formula, proof_clauses
from pipeline.result import Result, Stopwatch
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.solve.pysat import Pysat

both_solvers = pytest.mark.parametrize(
    "solver", [pytest.param("minisat", marks=needs_minisat), "pysat"]
)
Clauses = list[tuple[int, ...]]


def dimacs(clauses: Clauses, variables: int) -> str:
    lines = (" ".join(map(str, (*clause, 0))) for clause in clauses)
    return "\n".join([f"p cnf {variables} {len(clauses)}", *lines, ""])


def solve(text: str, solver="pysat", **options) -> Result:
    settings = Settings(solver=solver, **options)
    with Solvers(settings.solver, settings.minisat) as solvers:
        return ask(text, solvers, settings)


def ask(text: str, solvers: Solvers, settings: Settings) -> Result:
    parsed = parse_formula(text.encode(), "a.cnf")
    return next(solve_formula(parsed, solvers, settings, Stopwatch()))


def models_of(clauses: Clauses, variables: int) -> list[Model]:
    """All models, in order, by trying."""
    every = product(*((-v, v) for v in range(1, variables + 1)))
    return [model for model in every if all({*model} & {*clause} for clause in clauses)]


def pigeonhole(holes: int) -> tuple[Clauses, int]:
    """holes + 1 pigeons."""
    at = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    never = [
        (-at[p][h], -at[q][h]) for p, q in combinations(range(holes + 1), 2) for h in range(holes)
    ]
    return [*map(tuple, at), *never], holes * (holes + 1)


def three_sat(seed: int, clauses: int) -> tuple[Clauses, int]:
    """Random clauses of three of nine variables."""
    rng = random.Random(seed)
    chosen = (rng.sample(range(1, 10), 3) for _ in range(clauses))
    return [tuple(v * rng.choice((1, -1)) for v in three) for three in chosen], 9


def chain(length: int, last: int) -> tuple[Clauses, int]:
    """1, and each implies the next; the last is as is said."""
    return [(1,), *((-v, v + 1) for v in range(1, length)), (last * length,)], length


SATLIB = "c uf4\np cnf 4  3 \n 4 -2 3  0\n-1 4 2 0\n 1 -4 -3 0\n%\n0\n\n"
SATISFIABLE = {
    "satlib": SATLIB,
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
@pytest.mark.parametrize("text", SATISFIABLE.values(), ids=SATISFIABLE.keys())
def test_a_satisfiable_formula_is_solved_with_a_model_of_all_its_variables(solver, text):
    result = solve(text, solver)
    assert (result.status, result.complete, result.message) == ("solved", None, None)
    assert (result.solver.name, result.solver.fallback) == (solver, None)
    parsed = parse_formula(text.encode(), "a.cnf")
    (model,) = result.models
    assert [abs(literal) for literal in model] == list(range(1, parsed.variables + 1))
    assert all({*model} & {*clause} for clause in parsed.written)
    assert list(result.seconds) == ["solve", "decode", "certify", "total"]


@both_solvers
@pytest.mark.parametrize("text", UNSATISFIABLE.values(), ids=UNSATISFIABLE.keys())
def test_an_unsatisfiable_formula_is_shown_to_have_no_model(solver, text):
    for most in (None, 1, 5):
        result = solve(text, solver, max_solutions=most)
        assert (result.status, result.models, result.complete) == ("unsolvable", (), True)
        assert result.solver.name == solver


@both_solvers
@pytest.mark.parametrize("text", UNSATISFIABLE.values(), ids=UNSATISFIABLE.keys())
def test_the_clauses_for_a_proof_have_no_model_either(solver, text):
    variables, clauses = proof_clauses(parse_formula(text.encode(), "a.cnf"))
    assert all(len({*map(abs, clause)}) == len(clause) for clause in clauses)
    assert solve(dimacs(list(clauses), variables), solver).status == "unsolvable"


def test_variables_that_no_clause_has_are_negative():
    assert solve("p cnf 3 0").models == ((-1, -2, -3),)
    assert solve("p cnf 4 1\n3 0").models == ((-1, -2, 3, -4),)


@both_solvers
@pytest.mark.parametrize("seed", range(12))
def test_all_models_are_found_and_in_order_where_all_are_asked_for(solver, seed):
    clauses, variables = three_sat(seed, 12 + 3 * seed)
    expected = models_of(clauses, variables)
    result = solve(dimacs(clauses, variables), solver, max_solutions=600)
    assert result.complete
    assert list(result.models) == expected
    assert result.status == {0: "unsolvable", 1: "unique"}.get(len(expected), "multiple")
    proof = proof_clauses(parse_formula(dimacs(clauses, variables).encode(), "a"), result.models)
    assert solve(dimacs(list(proof[1]), proof[0]), solver).status == "unsolvable"


@both_solvers
@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("p cnf 0 0", [()]),
        ("p cnf 1 1\n-1 0", [(-1,)]),
        ("p cnf 2 1\n1 2 -2 0", [(-1, -2), (-1, 2), (1, -2), (1, 2)]),
        ("p cnf 3 2\n1 0\n3 3 0", [(1, -2, 3), (1, 2, 3)]),
    ],
)
def test_models_are_counted_over_all_variables_of_the_header(solver, text, models):
    result = solve(text, solver, max_solutions=5)
    assert (list(result.models), result.complete) == (models, True)


@both_solvers
@pytest.mark.parametrize(
    ("most", "number", "complete"), [(2, 2, False), (7, 7, False), (8, 8, True), (9, 8, True)]
)
def test_one_more_question_tells_at_the_limit_whether_there_are_more(
    solver, most, number, complete
):
    result = solve("p cnf 3 0", solver, max_solutions=most)
    assert (result.status, result.complete) == ("multiple", complete)
    assert len({*result.models}) == len(result.models) == number
    more = None if complete else f"there are more models than the {most} asked for"
    assert result.message == more


@both_solvers
def test_a_limit_before_a_verdict_is_unknown_with_its_reason(solver):
    text = dimacs(*pigeonhole(12))
    for most in (None, 3):
        result = solve(text, solver, timeout=0.3, max_solutions=most)
        assert (result.status, result.models, result.complete) == ("unknown", (), False)
        assert result.message == "the time limit of 0.3 s was reached"


class Scripted:
    """A solver with its answers made up; an exception among them is raised."""

    version = None

    def __init__(self, *script, name="scripted"):
        self.name = name
        self._script = iter(script)

    def open(self, cnf, limits):
        self.limits = limits
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def solve(self):
        answer = next(self._script)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def add(self, clause):
        pass

    def close(self):
        pass


def scripted(text: str, *chain, **options) -> Result:
    with Solvers("pysat") as solvers:
        solvers.chain = chain
        return ask(text, solvers, Settings(solver="pysat", **options))


def test_a_solver_that_is_shown_to_be_wrong_is_followed_by_the_next():
    for liar, most in (
        (Scripted(Unsat(), name="liar"), None),
        (Scripted(ONE, Unsat(), name="liar"), 9),
    ):
        with Solvers("pysat") as solvers:
            solvers.chain = (liar, Pysat())
            parsed = parse_formula(PAIR.encode(), "a.cnf")
            settings = Settings(solver="pysat", prove="always", max_solutions=most)
            result = solve_parsed_formula(parsed, solvers, settings, Stopwatch())
        assert result.status == ("solved" if most is None else "multiple")
        assert len(result.models) == ((most and 3) or 1)
        assert result.solver.name == "pysat"
        assert "no proof that there are no more solutions holds" in result.solver.fallback


def test_a_formula_that_no_solver_is_right_about_is_not_complete_and_says_so():
    with Solvers("pysat") as solvers:
        solvers.chain = (Scripted(Unsat(), name="liar"),)
        parsed = parse_formula(PAIR.encode(), "a.cnf")
        result = solve_parsed_formula(parsed, solvers, Settings(), Stopwatch())
    assert (result.status, result.complete, result.proof) == ("unknown", False, None)
    assert "glucose4 has found a model" in result.message
    assert result.solver.fallback == result.message


def test_a_formula_of_many_clauses_is_claimed_and_says_why(monkeypatch):
    monkeypatch.setattr("pipeline.evidence.MAX_CLAUSES", 3)
    with Solvers("pysat") as solvers:
        parsed = parse_formula(b"p cnf 2 4\n1 2 0 1 -2 0 -1 2 0 -1 -2 0", "a.cnf")
        result = solve_parsed_formula(parsed, solvers, Settings(), Stopwatch())
    assert (result.status, result.complete, result.proof) == ("unsolvable", True, None)
    assert result.certificate.complete == "claimed"
    assert result.certificate.reason == "4 clauses are more than the 3 that a proof is made for"


ONE, TWO = Sat(frozenset({1, -2})), Sat(frozenset({-1, 2}))
PAIR = "p cnf 2 1\n1 2 0"


@pytest.mark.parametrize(
    ("script", "status", "number"),
    [
        ([Unknown("enough")], "unknown", 0),
        ([ONE, Unknown("enough")], "unknown", 1),
        ([ONE, TWO, Unknown("enough")], "multiple", 2),
    ],
)
def test_what_was_found_before_a_limit_is_kept(script, status, number):
    result = scripted(PAIR, Scripted(*script), max_solutions=3)
    assert (result.status, len(result.models), result.complete) == (status, number, False)
    assert result.message == "enough"


def test_a_limit_after_the_most_asked_for_leaves_open_whether_there_are_more():
    result = scripted(PAIR, Scripted(ONE, TWO, Unknown("enough")), max_solutions=2)
    assert (result.status, result.complete, result.message) == ("multiple", False, "enough")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([Sat(frozenset({-1, -2}))], "the model of liar does not satisfy the clauses"),
        ([Sat(frozenset())], "the model of liar does not satisfy the clauses"),
        ([Sat(frozenset({1, -1, 2}))], "the model of liar does not satisfy the clauses"),
        ([ONE, ONE], "liar found a model again that was blocked"),
    ],
)
def test_a_solver_that_lies_is_followed_by_the_next(script, reason):
    result = scripted(PAIR, Scripted(*script, name="liar"), Pysat(), max_solutions=3)
    assert (result.status, len(result.models), result.complete) == ("multiple", 3, True)
    assert (result.solver.name, result.solver.fallback) == ("pysat", reason)


def test_models_are_held_against_the_clauses_as_they_were_written():
    """A parser that normalised wrongly is found out, whatever the solver is told."""
    parsed = parse_formula(b"p cnf 2 2\n1 1 2 0\n-1 0", "a.cnf")
    wrong = parse_formula(b"p cnf 2 1\n-1 0", "a.cnf")
    object.__setattr__(parsed, "clauses", wrong.clauses)
    settings = Settings(solver="pysat")
    with Solvers("pysat") as solvers:
        solvers.chain = (Scripted(Sat(frozenset({-1, -2}))),)
        result = next(solve_formula(parsed, solvers, settings, Stopwatch()))
    assert (result.status, result.solver) == ("failed", None)
    assert result.message == "the model of scripted does not satisfy clause 1"


@pytest.mark.parametrize(
    "body",
    [
        result_lines([-1, -2]),
        result_lines([]),
        result_lines([7]),
        "printf 'SAT\\n1 -2\\n' > \"$out\"; exit 10",
        "exit 10",
        "exit 3",
        "kill -9 $$",
    ],
)
def test_a_lying_or_crashing_minisat_is_found_out(tmp_path, body):
    minisat = program(tmp_path / "minisat", body)
    result = solve(PAIR, "minisat", minisat=minisat)
    assert (result.status, result.solver.name) == ("solved", "pysat")
    assert "minisat" in result.solver.fallback


def test_where_no_solver_works_the_result_is_failed_and_says_why(tmp_path):
    minisat = program(tmp_path / "minisat", "exit 3")
    with Solvers("minisat", minisat) as solvers:
        solvers.chain = solvers.chain[:1]
        result = ask(PAIR, solvers, Settings(solver="minisat", minisat=minisat))
    assert (result.status, result.models, result.solver) == ("failed", (), None)
    assert result.message == "minisat ended with exit code 3"


def test_only_where_the_last_solver_lacks_its_surroundings_is_that_an_error():
    broken = EnvironmentFailure("no room")
    result = scripted(PAIR, Scripted(broken), Pysat())
    assert (result.status, result.solver.fallback) == ("solved", "no room")
    with pytest.raises(EnvironmentFailure, match="no room"):
        scripted(PAIR, Scripted(broken), Scripted(broken))


def test_the_limits_hold_for_all_solvers_together():
    first, second = Scripted(SolverError("it crashed")), Scripted(ONE)
    assert scripted(PAIR, first, second, timeout=9.0, memory_limit=70).status == "solved"
    assert first.limits.spent < second.limits.spent < 9
    assert (second.limits.seconds, second.limits.megabytes) == (9.0, 70)


def test_lanes_take_no_part_and_what_comes_behind_them_answers():
    result = solve(PAIR, "lanes")
    assert result.status == "solved"
    assert result.solver.name in ("minisat", "pysat")
    assert result.solver.fallback == "lanes solve nothing but Sudoku"


def test_where_there_is_no_minisat_the_result_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert solve(PAIR, "auto").solver.fallback == "minisat is not installed"


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ((), "s SATISFIABLE\nv 0\n"),
        ((1, -2, 3), "s SATISFIABLE\nv 1 -2 3 0\n"),
        ((-1,) * 26, "s SATISFIABLE\nv" + " -1" * 25 + "\nv -1 0\n"),
        ((1,) * 38, "s SATISFIABLE\nv" + " 1" * 38 + "\nv 0\n"),
    ],
)
def test_a_model_is_written_as_in_the_sat_competitions(model, text):
    assert "".join(solution_text(model)) == text


@examples(20)
@given(st.lists(st.booleans(), max_size=300), st.integers(0, 9_999_000))
def test_the_lines_are_short_and_what_reads_results_reads_them(signs, offset):
    model = tuple(v if sign else -v for v, sign in enumerate(signs, offset + 1))
    lines = list(solution_text(model))
    assert all(len(line) <= 79 and line[-1] == "\n" for line in lines)
    assert all(line.startswith("v ") for line in lines[1:])
    assert all(len(line) + len(after.split()[1]) >= 79 for line, after in pairwise(lines[1:]))
    assert lines[-1].endswith(" 0\n")
    assert parse_result("".join(lines)) == Sat(frozenset(model))


@pytest.fixture(scope="module", params=[pytest.param("minisat", marks=needs_minisat), "pysat"])
def solvers(request):
    with Solvers(request.param) as made:
        yield made


literals = st.integers(-5, 5).filter(bool)


@examples(26)
@given(st.lists(st.lists(literals, max_size=4).map(tuple), max_size=14), st.integers(5, 6))
def test_random_formulas_have_the_models_that_trying_finds(solvers, clauses, variables):
    expected = models_of(clauses, variables)
    text = dimacs(clauses, variables)
    all_of_them = ask(text, solvers, Settings(max_solutions=64))
    assert (list(all_of_them.models), all_of_them.complete) == (expected, True)
    one = ask(text, solvers, Settings())
    assert one.status == ("solved" if expected else "unsolvable")
    assert {*one.models} <= {*expected}
