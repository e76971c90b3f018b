"""Puzzles per second from drop to certified results on disk, uniqueness included.

    python bench/throughput.py [--workers N] [--only lanes|minisat] FILE…

Each FILE holds one puzzle a line. It is dropped as a collection under `watch`, with `lanes` and
with `minisat`; small ones are dropped before, so that the workers are there. The baseline is
PySAT's minisat22 kept alive, the extended formula loaded once, givens as assumptions, and a
second solve with a blocking clause; solving time only. `minisat` is also held against one
process per question.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from bare import bare_seconds
from pysat.solvers import Minisat22

from pipeline import encode_puzzle, parse_puzzle
from pipeline.encode import Numbering
from pipeline.puzzle import Geometry, Grid, Puzzle

NINE = Geometry(3, 3)
RENEWED = 100
WARM = 200
SAMPLE = 100
SOLVERS = ("lanes", "minisat")


def puzzles_in(path: Path) -> list[str]:
    """The first field of every line that is not a comment."""
    lines = path.read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def baseline_seconds(texts: list[str]) -> float:
    """Seconds of solving: a solution of each, and whether there is another."""
    rules = list(encode_puzzle(Puzzle.empty(NINE), "extended").clauses())
    spent = 0.0
    for start in range(0, len(texts), RENEWED):
        with Minisat22(bootstrap_with=rules) as solver:
            for number, text in enumerate(texts[start : start + RENEWED]):
                givens = [
                    9 * cell + int(sign) for cell, sign in enumerate(text) if sign in "123456789"
                ]
                selector = 1000 + number
                begun = time.perf_counter()
                assert solver.solve(assumptions=givens)
                model = [literal for literal in solver.get_model()[:729] if literal > 0]
                solver.add_clause([-selector, *(-literal for literal in model)])
                assert not solver.solve(assumptions=[selector, *givens])
                spent += time.perf_counter() - begun
    return spent


def watch_seconds(path: Path, solver: str, workers: int) -> float:
    """Seconds from the drop to the record under a `watch` that has had a small one before."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        inbox, outbox = Path(name, "inbox"), Path(name, "outbox")
        inbox.mkdir()
        argv = [sys.executable, "-m", "pipeline", "watch", "--quiet", "--solver", solver]
        argv += ["--workers", str(workers), "--inbox", str(inbox), "--outbox", str(outbox)]
        with subprocess.Popen(argv) as watch:
            lines = path.read_bytes().splitlines(keepends=True)
            for number in range(2):
                spent = drop(Path(name), f"warm-{number}", b"".join(lines[:WARM]))
            spent = drop(Path(name), "dropped", b"".join(lines))
            watch.send_signal(signal.SIGTERM)
        solved = (outbox / "dropped_1.solution").read_text().split()
        assert len(solved) == len(puzzles_in(path))
        assert not any("." in line for line in solved)
    return spent


def drop(folder: Path, name: str, data: bytes) -> float:
    """Drop a file and wait for its record; the seconds between."""
    (folder / "fresh").write_bytes(data)
    record = folder / "outbox" / f"{name}.json"
    begun = time.perf_counter()
    (folder / "fresh").rename(folder / "inbox" / f"{name}.txt")
    while not record.exists():
        time.sleep(0.001)
    return time.perf_counter() - begun


def one_by_one_seconds(texts: list[str]) -> float:
    """Seconds a puzzle of one minisat process per question."""
    with tempfile.TemporaryDirectory() as name:
        seconds = 0.0
        for text in islice(texts, SAMPLE):
            puzzle = parse_puzzle(text)
            grid = solution(puzzle)
            seconds += bare_seconds(encode_puzzle(puzzle, "extended"), (grid,), Path(name))
    return seconds / min(SAMPLE, len(texts))


def solution(puzzle: Puzzle) -> Grid:
    """A solution, by PySAT."""
    numbering = Numbering(puzzle.geometry)
    with Minisat22(bootstrap_with=encode_puzzle(puzzle, "extended").clauses()) as solver:
        assert solver.solve()
        chosen = [numbering[literal] for literal in solver.get_model()[:729] if literal > 0]
    return Grid(puzzle.geometry, tuple(candidate.value for candidate in chosen))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", choices=SOLVERS)
    parser.add_argument("files", nargs="+", type=Path)
    chosen = parser.parse_args()
    for path in chosen.files:
        texts = puzzles_in(path)
        base = baseline_seconds(texts) / len(texts)
        print(f"{path.name}: {len(texts)} puzzles, puzzles per second:")
        print(f"  PySAT minisat22, persistent  {1 / base:9.0f}")
        for solver in [chosen.only] if chosen.only else SOLVERS:
            spent = watch_seconds(path, solver, chosen.workers) / len(texts)
            ratio = f"{base / spent:6.2f} x"
            print(f"  drop, --solver {solver:8s}     {1 / spent:9.0f}  {ratio}")
            if solver == "minisat":
                alone = one_by_one_seconds(texts)
                print(f"  one process per question     {1 / alone:9.0f}", end="")
                print(f"  minisat batches are {alone / spent:.1f} x that")


if __name__ == "__main__":
    main()
