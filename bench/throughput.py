"""Puzzles per second from drop to certified results on disk, uniqueness included.

    python bench/throughput.py [--workers N] [--only lanes|minisat] FILE…

Each FILE holds one puzzle a line. It is dropped as a collection under `watch`, with `lanes` and
with `minisat`; small ones are dropped before, so that what is slow to load is there. The baseline
is that of `fastest.py`: PySAT's minisat22 kept alive. `minisat` is also held against one process
per question.
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
from fastest import baseline_seconds, first_fields
from pysat.solvers import Minisat22

from pipeline import parse_puzzle
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.encode import Numbering, encode_puzzle

WARM = 200
SAMPLE = 100
SOLVERS = ("batch", "minisat")


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
        assert len(solved) == len(first_fields(path))
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
        texts = first_fields(path)
        base = baseline_seconds(texts)
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
