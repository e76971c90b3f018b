"""Time of solving and proving variants, compared with another solver or with minisat alone.

    python bench/variants.py [--list] [--trust-solver] [--against TIMES [--scale SECONDS]] FILE…

Each line of a FILE is a puzzle in any notation, or a JSON object with `name`, `link` or `input`,
and optionally the published `solution`, which is compared. A FILE named `*.iss` is one puzzle.
`--list` prints each puzzle. Puzzles without a verified answer are always named. Times are
milliseconds of CPU time of this process and its children, from the text to the result.

TIMES has the times of another solver, one object per line with `name` and `ms`. Puzzles that it
lacks are skipped. `--scale` is the number of seconds that LOOP takes on the machine of TIMES.
LOOP is also run here, and TIMES are multiplied by the ratio. Without TIMES the baseline is
one minisat process that solves the formula once: no second solution, no proof. All run alternately
on one core. `--trust-solver` leaves out the check that no solution is missing. Machine code is
compiled, and three small puzzles are solved, before the measurement.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle
from pipeline.limits import Limits
from pipeline.service.doctor import programs_of
from pipeline.service.solving import solve_one
from pipeline.settings import ENCODING, Settings
from pipeline.solving.cnf import dimacs_lines
from pipeline.solving.problem import PuzzleProblem, read_problem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers

WARM_UP = (
    "1" + 15 * ".",
    ".Shape~4x4.~R1C1_1.~R2C3_2.~R3C2_3.~R4C4_4.Cage~3~R1C1~R1C2",
    ".Shape~4x4.~R1C1_1.~R1C2_3.Cage~3~R1C1~R1C2",
)
"""Puzzles that are solved before the measurement: a classic with many solutions, and variants with
one and with none. They start processes and load code.
"""

LONGEST = 60.0
"""Time limit of the baseline per puzzle, in seconds."""


class Given(NamedTuple):
    """A puzzle of a file, with its solution if that is given."""

    name: str
    text: str
    solution: str | None


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--trust-solver", action="store_true")
    parser.add_argument("--against", type=Path, metavar="TIMES")
    parser.add_argument("--scale", type=float, metavar="SECONDS")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    asked = parser.parse_args()
    scale = loop_seconds() / asked.scale if asked.scale else 1.0
    other_times = times_in(asked.against, scale) if asked.against else None
    settings = Settings(trust_solver=asked.trust_solver)
    compile_all(settings)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    given = [item for file in asked.files for item in givens(file)]
    rows = list[Row]()
    with Solvers("auto", "minisat") as solvers:
        for text in WARM_UP:
            warm_up = read_problem(text.encode(), "", settings)
            assert isinstance(warm_up, PuzzleProblem)
            solve_one(warm_up, solvers, settings, Stopwatch())
        for row in (measure(item, solvers, settings, other_times) for item in given):
            rows += [row] if row else []
            if row and asked.list:
                print(row, flush=True)
    statuses = Counter(row.label for row in rows)
    if skipped := len(given) - len(rows):
        statuses["not timed by the other"] = skipped
    for label, number in statuses.most_common():
        print(f"{number:5} {label}")
    unverified = [row for row in rows if row.reason is not None]
    print(f"{len(unverified):5} unknown or unverified")
    if not asked.trust_solver:
        for row in unverified:
            print(f"      {row.name}: {row.reason}")
    if asked.scale:
        print(f"times of the other are multiplied by {scale:.2f}")
    if solved := [row for row in rows if row.other]:
        print(summary(solved, "the other" if other_times else "bare minisat"))


class Row(NamedTuple):
    """The outcome of a puzzle, the seconds that it took here, and those of the other.

    `reason`: why the answer is unknown or unverified; None if it is neither.
    """

    name: str
    label: str
    reason: str | None = None
    seconds: float = 0.0
    other: float = 0.0
    variables: int = 0

    def __str__(self) -> str:
        return (
            f"{self.name[:40]:40} {self.label:26} {1000 * self.seconds:7.0f} ms "
            f"{1000 * self.other:7.1f} ms theirs {self.variables:6} variables"
        )


def measure(
    given: Given, solvers: Solvers, settings: Settings, other_times: dict[str, float] | None
) -> Row | None:
    """Solve a puzzle. None if the other has no time for it."""
    if other_times is not None and given.name not in other_times:
        return None
    start = processor_seconds()
    try:
        problem = read_problem(given.text.encode(), "", settings)
    except InvalidPuzzle as error:
        return Row(given.name, f"refused: {error}")
    assert isinstance(problem, PuzzleProblem)
    result = solve_one(problem, solvers, settings, Stopwatch())
    seconds = processor_seconds() - start
    other = other_times[given.name] if other_times else bare_seconds(problem, result)
    label = f"{result.status}, {result.certificate_label or 'not proved'}"
    reason = None
    if result.status in ("unknown", "failed") or result.certificate_label == "unverified":
        reason = (result.certificate.reason if result.certificate else None) or result.message
    label += fault(result, given.solution)
    variables = result.encoding.variables if result.encoding else 0
    return Row(given.name, label, reason, seconds, other, variables)


def compile_all(settings: Settings) -> None:
    """Compile all machine code and wait for it, because puzzles take much longer without it."""
    try:
        for program in programs_of(settings):
            program.compile_into(program.create_folder())
    except ImportError:
        print("there is no machine code without the extra [fast]: plain Python is timed")


def summary(rows: list[Row], name: str) -> str:
    """The percentiles of both times, and of the ratio per puzzle."""
    lines = [f"{'':16} {'p50':>8} {'p90':>8} {'p99':>8}"]
    for label, values in (
        ("ours, ms", [1000 * row.seconds for row in rows]),
        (f"{name}, ms", [1000 * row.other for row in rows]),
        ("ratio", [row.seconds / row.other for row in rows]),
    ):
        ordered = sorted(values)
        high = [ordered[int(len(values) * share)] for share in (0.9, 0.99)]
        numbers = (statistics.median(values), *high)
        lines.append(f"{label:16}" + "".join(f" {number:8.1f}" for number in numbers))
    return "\n".join(lines)


def times_in(file: Path, scale: float) -> dict[str, float]:
    """Seconds of another solver by name of the puzzle, multiplied by `scale`."""
    rows = map(json.loads, filter(None, file.read_text().splitlines()))
    return {row["name"]: scale * max(row["ms"], 0.001) / 1000 for row in rows}


LOOP = "s = 0\nfor i in range(20_000_000): s += i * i % 7"
"""A loop whose time compares machines: at the top of a module, where `s` and `i` are globals."""


def loop_seconds() -> float:
    """CPU seconds of LOOP, which takes half as long in a function."""
    start = time.process_time()
    exec(LOOP, {})
    return time.process_time() - start


def processor_seconds() -> float:
    """CPU seconds of this process and its children, running or ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    alive = sum(map(_alive, _children(os.getpid())))
    return time.process_time() + ended.ru_utime + ended.ru_stime + alive


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _alive(process: int) -> float:
    """CPU seconds of a process and its children; 0 if it has ended."""
    try:
        tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
        own = sum(int(task.read_text().split()[0]) for task in tasks) / 1e9
        return own + sum(map(_alive, _children(process)))
    except OSError:
        return 0.0


def givens(file: Path) -> Iterator[Given]:
    if file.suffix == ".iss":
        yield Given(file.name, file.read_text(), None)
        return
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.startswith("{") and '"name"' in line:
            values = json.loads(line)
            text = values.get("link") or values["input"]
            yield Given(values["name"], text, values.get("solution"))
        elif line:
            yield Given(f"{file.name}:{number}", line, None)


def fault(result: Result, solution: str | None) -> str:
    """A fault if the first solution found is not the published one."""
    if solution is None or not result.solutions:
        return ""
    grid = result.solutions[0]
    values = grid.values[: grid.geometry.grid_size]
    letters = "".join(chr(ord("A") + value - 1) for value in values)
    digits = "".join(map(str, values))
    return "" if solution in (letters, digits) else ", NOT the published solution"


def bare_seconds(problem: PuzzleProblem, result: Result) -> float:
    """CPU seconds of one minisat process on the formula of the puzzle."""
    program = shutil.which("minisat")
    if program is None:
        raise SystemExit("minisat is not installed")
    cnf = result.cnf or problem.encode(ENCODING, Limits())
    with TemporaryDirectory() as name, suppress(subprocess.TimeoutExpired):
        folder = Path(name)
        (folder / "cnf").write_text("".join(dimacs_lines(cnf)))
        start = processor_seconds()
        command = [program, "-verb=0", str(folder / "cnf"), str(folder / "out")]
        subprocess.run(command, capture_output=True, check=False, timeout=LONGEST)
    return max(processor_seconds() - start, 0.001)


if __name__ == "__main__":
    main()
