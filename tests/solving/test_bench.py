"""`bench` certifies the solutions of each solver and reports wrong ones."""

from __future__ import annotations

import pytest
from support.needs import needs_minisat
from support.notations import KILLER
from support.puzzles import SIX, UNIQUE
from support.solvers import Scripted

from pipeline import bench, parse_puzzle, read
from pipeline.errors import SolverError, SolverMissing, UsageError
from pipeline.limits import Limits
from pipeline.settings import Settings
from pipeline.solving.bench import bench as bench_items
from pipeline.solving.bench import solvers_named
from pipeline.solving.cnf import Sat, Unknown, Unsat
from pipeline.solving.encode import encode_puzzle

PUZZLE = parse_puzzle(UNIQUE)
LIMITS = Limits()
READY = Sat(frozenset({1}))
"""The answer to the trivial formula that is solved before the measurement."""


class Warm(Scripted):
    """A fake solver that needs no process."""

    def warm(self, limits):
        pass

    def add(self, clause):
        pass

    def close(self):
        pass


def model_of(text: str) -> Sat:
    cnf = encode_puzzle(parse_puzzle(text), "extended")
    with solvers_named(["glucose4"])["glucose4"] as solver, solver.open(cnf, LIMITS) as session:
        return session.solve()


def benched(text: str, *, unique: bool = False, **scripts):
    """The benchmark of a puzzle with these fake solvers."""
    solvers = {name: Warm(READY, *script, name=name) for name, script in scripts.items()}
    settings = Settings(encoding="extended")
    (found,) = bench_items(read(text.encode()), solvers, settings, unique=unique)
    return found


@needs_minisat
def test_puzzles_with_rules_and_without_are_solved_by_each_solver():
    solvers = ["minisat", "glucose4", "cadical195"]
    found = [*bench(PUZZLE, parse_puzzle(KILLER), solvers=solvers, unique=True)]
    assert [each.where for each in found] == ["puzzle", "puzzle"]
    for each in found:
        assert (each.status, each.reason) == ("unique", None)
        assert [
            (run.solver, run.solution_count, run.says_complete, run.failure) for run in each.runs
        ] == [(solver, 1, True, None) for solver in solvers]
        assert all(run.seconds > 0 for run in each.runs)


def test_a_model_that_is_no_solution_is_wrong():
    found = benched(SIX, liar=[Sat(frozenset(range(1, 217)))])
    assert (found.status, found.runs[0].failure, found.runs[0].seconds) == (
        "unknown",
        "wrong",
        None,
    )
    found = benched(UNIQUE, liar=[model_of("1...............")])
    assert "the grid of liar is not a solution" in found.runs[0].reason


def test_a_solver_that_finds_nothing_where_another_does_is_wrong():
    found = benched(UNIQUE, right=[model_of(UNIQUE)], liar=[Unsat()])
    right, liar = found.runs
    assert (found.status, right.failure, liar.failure) == ("solved", None, "wrong")
    assert liar.reason == "liar found only 0, but right found 1"


def test_a_solution_that_was_blocked_does_not_count_twice():
    model = model_of(UNIQUE)
    found = benched(UNIQUE, unique=True, liar=[model, model])
    assert (found.runs[0].failure, found.runs[0].solution_count) == ("wrong", 0)


def test_a_solver_that_fails_or_gives_up_does_not_end_the_run():
    reason = Limits().memory_message
    found = benched(
        UNIQUE, dead=[SolverError("it died")], full=[Unknown(reason)], right=[model_of(UNIQUE)]
    )
    told = [(run.solver, run.failure, run.reason) for run in found.runs]
    assert told == [
        ("dead", "failed", "it died"),
        ("full", "memory", reason),
        ("right", None, None),
    ]
    assert found.status == "solved"


def test_a_puzzle_that_is_too_large_for_the_memory_has_no_runs(tmp_path):
    file = tmp_path / "large.cnf"
    file.write_text("p cnf 10000000 1\n1 0\n")
    (found,) = bench(file, solvers=["glucose4"], memory_limit=64)
    assert (found.runs, "memory limit" in found.reason) == ((), True)


def test_solvers_are_checked_before_anything_is_read():
    with pytest.raises(UsageError, match="unknown solver 'chaff'"):
        bench("no.txt", solvers=["chaff"])
    with pytest.raises(SolverMissing):
        bench("no.txt", solvers=["minisat"], minisat="/no/minisat")
