"""Solving where memory, disk, descriptors or time run short: each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support.needs import needs_linux, needs_minisat
from support.puzzles import PATIENCE
from support.solvers import both_solvers

from pipeline.limits import Limits
from pipeline.solving.encode import ENCODINGS

pytestmark = [needs_linux, pytest.mark.trial]  # each starts Python, which starts solvers

PRELUDE = """
import json, os, resource
from pipeline import Geometry, Puzzle, Settings, parse_puzzle, solve_puzzle
from pipeline.errors import EnvironmentFailure
from support.puzzles import *
def limit(name, amount):
    which = getattr(resource, "RLIMIT_" + name)
    resource.setrlimit(which, (amount, resource.getrlimit(which)[1]))
def tell(result):
    used = result.solver
    print(json.dumps([result.status, len(set(result.solutions)), result.complete, result.message,
        used and used.name, used and used.fallback]))
"""
GIB = 2**30


def told_by(code: str) -> list[list]:
    """The results that a Python process prints: a list for each."""
    finished = subprocess.run(
        [sys.executable, "-c", PRELUDE + code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    return [json.loads(line) for line in finished.stdout.splitlines()]


@needs_minisat
def test_pysat_solves_where_the_disk_fills_up_at_any_moment():
    """At the first question, or at a later one: a result of minisat has between 68 and 88 bytes."""
    told = told_by(
        "for size in (0, 1, *range(68, 88, 4), 10**5):\n"
        "    limit('FSIZE', size)\n"
        "    shown = []\n"
        "    tell(solve_puzzle(parse_puzzle(EVEN_ODD_SIX), Settings(), shown.append))\n"
        "    assert len(shown) == len(set(shown)) == 6\n"
    )
    assert {tuple(result[:4]) for result in told} == {("multiple", 6, True, None)}
    names, reasons = zip(*[result[4:] for result in told], strict=True)
    assert set(names) == {"pysat"}
    planned = "minisat handed over to pysat after 2 solutions"
    assert (reasons[0] != planned, reasons[-1]) == (True, planned)
    assert len({reason == planned for reason in reasons[2:-1]}) == 2
    assert all(reasons)


@both_solvers
def test_more_than_1100_open_descriptors_do_no_harm(solver):
    told = told_by(
        "limit('NOFILE', 3000)\n"
        "held = [os.open('/dev/null', os.O_RDONLY) for _ in range(1100)]\n"
        "for text in (UNIQUE, TWO, NONE):\n"
        f"    tell(solve_puzzle(parse_puzzle(text), Settings(solver={solver!r})))\n"
    )
    assert [result[:2] for result in told] == [["unique", 1], ["multiple", 2], ["unsolvable", 0]]
    assert {tuple(result[4:]) for result in told} == {(solver, None)}


def test_having_no_descriptor_left_is_the_environments_failure():
    """Then, with descriptors again, the puzzle is solved."""
    told = told_by(
        "limit('NOFILE', 50)\n"
        "solve_puzzle(parse_puzzle(TWO), Settings())  # loads the rest\n"
        "for solver in ('pysat', 'auto'):\n"
        "    held = []\n"
        "    try:\n"
        "        while True: held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "    except OSError: pass\n"
        "    try:\n"
        "        solve_puzzle(parse_puzzle(TWO), Settings(solver=solver))\n"
        "    except (EnvironmentFailure, OSError) as error:\n"
        "        raised = type(error).__name__\n"
        "    for descriptor in held: os.close(descriptor)\n"
        "    print(json.dumps([raised]))\n"
        "    tell(solve_puzzle(parse_puzzle(TWO), Settings(solver=solver)))\n"
    )
    assert [told[0], told[2]] == [["EnvironmentFailure"]] * 2
    assert [result[:2] for result in told[1::2]] == [["multiple", 2]] * 2


@both_solvers
def test_a_hard_limit_of_memory_below_ours_does_no_harm(solver):
    told = told_by(
        f"resource.setrlimit(resource.RLIMIT_AS, ({GIB // 2}, {GIB // 2}))\n"
        "for text in (EVEN_ODD_SIX, NONE):\n"
        f"    tell(solve_puzzle(parse_puzzle(text), Settings(solver={solver!r})))\n"
    )
    assert [result[:3] for result in told] == [["multiple", 6, True], ["unsolvable", 0, True]]
    assert {tuple(result[4:]) for result in told} == {(solver, None)}


def test_an_almost_empty_grid_of_side_256_is_unknown_and_takes_little_memory():
    told = told_by(
        f"limit('AS', {GIB})\n"
        "puzzle = Puzzle.of_values(Geometry(16, 16), [1] + [0] * 65_535)\n"
        f"for encoding in {[*ENCODINGS]}:\n"
        "    tell(solve_puzzle(puzzle, Settings(encoding=encoding)))\n"
    )
    unknown = ["unknown", 0, False, Limits().memory_message]
    assert [each[:4] for each in told] == [unknown] * len(ENCODINGS)


@both_solvers
def test_an_empty_grid_that_no_little_memory_can_hold_is_unknown_before_it_is_loaded(solver):
    (told,) = told_by(
        f"limit('AS', {GIB})\n"
        "puzzle = Puzzle.empty(Geometry(7, 7))\n"
        f"settings = Settings(solver={solver!r}, encoding='extended', memory_limit=64)\n"
        "tell(solve_puzzle(puzzle, settings))\n"
    )
    assert told == ["unknown", 0, False, Limits(megabytes=64).memory_message, solver, None]
