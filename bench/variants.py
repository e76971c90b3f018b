"""How long puzzles with rules take, solved and proved, against bare minisat on the same formula.

    python bench/variants.py [--list] FILE…

Each line of a FILE is a puzzle in any notation, or an object in JSON with `link` or `input`, and
perhaps `name` and `solution`, which then has to be the one that is found. `--list` prints each.
The baseline is one minisat process that solves the first formula, without the question whether
there is another solution, and without a proof. All run on one core, and take turns.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pipeline import Settings
from pipeline.errors import InvalidPuzzle
from pipeline.service.solving import solve_one
from pipeline.solving.cnf import dimacs_lines
from pipeline.solving.problem import PuzzleProblem, read_problem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers


class Given(NamedTuple):
    """A puzzle of a file, with its solution, if that is told."""

    name: str
    text: str
    solution: str | None


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    listed = "--list" in sys.argv
    files = [Path(each) for each in sys.argv[1:] if each != "--list"]
    settings, statuses = Settings(), Counter[str]()
    ours: list[float] = []
    bare: list[float] = []
    with Solvers("auto", "minisat") as solvers, TemporaryDirectory() as folder:
        for given in (each for file in files for each in givens(file)):
            try:
                problem = read_problem(given.text.encode(), "", settings)
            except InvalidPuzzle as error:
                statuses["refused"] += 1
                if listed:
                    print(f"{given.name[:40]:40} refused: {error}")
                continue
            assert isinstance(problem, PuzzleProblem)
            start = time.perf_counter()
            result = solve_one(problem, solvers, settings, Stopwatch())
            ours.append(time.perf_counter() - start)
            bare.append(bare_seconds(result, Path(folder)))
            told = f"{result.status}, {result.told_certificate or 'not proved'}"
            statuses[f"{told}{fault(result, given.solution)}"] += 1
            if listed:
                print(row(given, result, told, ours[-1], bare[-1]))
    for told, number in statuses.most_common():
        print(f"{number:5} {told}")
    if ours:
        p50, p95 = statistics.median(ours), sorted(ours)[int(len(ours) * 0.95)]
        ratio = p50 / statistics.median(bare)
        print(f"p50 {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms, p50 / bare minisat {ratio:.1f}")


def givens(file: Path) -> Iterator[Given]:
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.startswith("{") and '"name"' in line:
            told = json.loads(line)
            text = told.get("link") or told["input"]
            yield Given(told["name"], text, told.get("solution"))
        elif line:
            yield Given(f"{file.name}:{number}", line, None)


def fault(result: Result, solution: str | None) -> str:
    """What is wrong by the published solution: nothing, if it is the first of those found."""
    if solution is None or not result.solutions:
        return ""
    values = result.solutions[0].values
    letters = "".join(chr(ord("A") + value - 1) for value in values)
    digits = "".join(map(str, values))
    return "" if solution in (letters, digits) else ", NOT the published solution"


def row(given: Given, result: Result, told: str, seconds: float, bare: float) -> str:
    wrong = fault(result, given.solution)
    variables = result.cnf.variables if result.cnf else 0
    times = f"{1000 * seconds:7.0f} ms {1000 * bare:6.0f} ms bare {variables:6} variables"
    return f"{given.name[:40]:40} {told:16} {times}{wrong}"


def bare_seconds(result: Result, folder: Path) -> float:
    """Seconds of one minisat process on the puzzle's formula, from its start to its end."""
    program = shutil.which("minisat")
    if program is None:
        raise SystemExit("minisat is not installed")
    assert result.cnf
    (folder / "cnf").write_text("".join(dimacs_lines(result.cnf)))
    start = time.perf_counter()
    command = [program, "-verb=0", str(folder / "cnf"), str(folder / "out")]
    subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
