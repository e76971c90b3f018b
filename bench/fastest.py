"""Compare the speed of collections with that of a SAT solver that is kept alive.

    python bench/fastest.py FOLDER [--trust-solver] [ROW…]

FOLDER has `17clue.txt`, `top1465.txt` and `hardest.txt`, with one 9×9 puzzle per line. Each ROW
(default: all) is a collection made from one of them, or from generated puzzles with many solutions.
It is solved by `run --workers 1`, timed from start to end.

The baseline is PySAT's minisat22. The formula is loaded once, givens are assumptions, and a clause
blocks each solution, up to the same number of solutions. Only its solving time counts, measured
before and after our run. Both use the same single core. The row `as-is` is 17clue.txt itself, minus
the time of an empty run. In the last row, `workers`, two workers with two cores solve the million.

`--trust-solver` leaves out the check that no solution is missing, to show the cost of the check.
`latency.py` measures one file under `watch`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from million import make
from puzzles import made
from pysat.solvers import Minisat22

from pipeline.certify import many as checking
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.solving import compiled as lanes
from pipeline.solving.encode import encode_puzzle

MOST = 3
"""Solutions to find: two are published, a third shows that there are more."""

RENEWED = 100
"""Puzzles after which the baseline gets a new solver, to bound its blocking clauses."""

SAMPLE = 1000
"""Approximate number of puzzles of a row that the baseline solves, evenly spread."""

MANY = 5000
"""Distinct puzzles in the row `many`."""

DIGITS = "123456789"


def baseline_seconds(texts: Sequence[str]) -> float:
    """Seconds of solving per puzzle."""
    rules = list(encode_puzzle(Puzzle.empty(NINE_BY_NINE), "extended").clauses())
    spent = 0.0
    for start in range(0, len(texts), RENEWED):
        with Minisat22(bootstrap_with=rules) as solver:
            for number, text in enumerate(texts[start : start + RENEWED]):
                givens = [9 * cell + int(sign) for cell, sign in enumerate(text) if sign in DIGITS]
                selector = 1000 + number
                begun = time.perf_counter()
                for _ in range(MOST):
                    if not solver.solve(assumptions=[selector, *givens]):
                        break
                    model = [literal for literal in solver.get_model()[:729] if literal > 0]
                    solver.add_clause([-selector, *(-literal for literal in model)])
                spent += time.perf_counter() - begun
    return spent / len(texts)


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Restrict this process and its children to `count` cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def run_seconds(
    folder: Path, lines: Path | None, options: Sequence[str], workers: int = 1
) -> float:
    """Seconds of a whole `run`, with a collection or an empty inbox."""
    box = Path(tempfile.mkdtemp(dir=folder))
    (box / "inbox").mkdir()
    if lines:
        os.link(lines, box / "inbox" / "lines.txt")
    argv = [sys.executable, "-m", "pipeline", "run", "--quiet", "--workers", str(workers)]
    argv += ["--inbox", str(box / "inbox"), "--outbox", str(box / "outbox"), *options]
    begun = time.perf_counter()
    subprocess.run(argv, check=True)
    spent = time.perf_counter() - begun
    assert not lines or (box / "outbox" / "lines.json").exists()
    shutil.rmtree(box)
    return spent


def repeated(source: Path, times: int) -> Callable[[Path], None]:
    """A collection that repeats the puzzles."""

    def write(path: Path) -> None:
        lines = "".join(f"{text}\n" for text in first_fields(source))
        with path.open("w") as file:
            for _ in range(times):
                file.write(lines)

    return write


def first_fields(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def main() -> None:
    data, rest = Path(sys.argv[1]), sys.argv[2:]
    options = [argument for argument in rest if argument.startswith("--")]
    chosen = [argument for argument in rest if argument not in options]
    for program in (lanes.PROGRAM, checking.PROGRAM):
        program.compile_into(program.create_folder())  # as `doctor` does
    easy, hard, hardest = (data / f"{name}.txt" for name in ("17clue", "top1465", "hardest"))
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        folder = Path(name)
        many = folder / "many.txt"
        many.write_text("".join(f"{made(seed).decode()}\n" for seed in range(MANY)))
        rows: dict[str, tuple[Path, Callable[[Path], None]]] = {
            "as-is": (easy, repeated(easy, 1)),
            "million": (easy, lambda path: make(path, 1_000_000, [str(easy)])),
            "top1465": (hard, repeated(hard, 300)),
            "hardest": (hardest, repeated(hardest, 100)),
            "many": (many, repeated(many, 300_000 // MANY)),
        }
        print("µs a puzzle                     minisat22      ours   ratio")
        for row, (source, write) in rows.items():
            if chosen and row not in chosen:
                continue
            collection = folder / f"{row}.txt"
            write(collection)
            with cores(1):
                report(folder, row, source, collection, options)
        if not chosen or "workers" in chosen:
            collection = folder / "million.txt"
            if not collection.exists():
                rows["million"][1](collection)
            with cores(1):
                one = run_seconds(folder, collection, options)
            with cores(2):
                two = run_seconds(folder, collection, options, workers=2)
            print(f"two workers / one: {one / two:.2f}")


def report(folder: Path, row: str, source: Path, collection: Path, options: Sequence[str]) -> None:
    texts = first_fields(source)
    sample = texts[:: max(1, len(texts) // SAMPLE)]
    count = sum(1 for _ in collection.open())
    before = baseline_seconds(sample)
    if row == "as-is":
        pairs = [
            (run_seconds(folder, collection, options), run_seconds(folder, None, options))
            for _ in range(7)
        ]
        spent = sorted(full - empty for full, empty in pairs)[3]
    else:
        spent = run_seconds(folder, collection, options)
    base, ours = (before + baseline_seconds(sample)) / 2, spent / count
    label = f"{row}, {count:,} lines"
    print(f"{label:<28}{base * 1e6:12.1f}{ours * 1e6:10.2f}{base / ours:8.1f} x", flush=True)


if __name__ == "__main__":
    main()
