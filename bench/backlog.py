"""Single files that were dropped at once, drained by `run`: files per second.

    python bench/backlog.py [COUNT] [FILE] [--against TREE]

FILE holds one puzzle a line; without one the benchmark generates its own, each with one solution:
each further one would be a file more. They are drained by one worker, then by two; then, if one is
given, by the tree of another version, with as many workers. Both are compiled to bytecode before,
as installed packages are. Printed is also how many files a second can be written, made to last and
renamed one by one here, before and after: two a file, as a set has.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from folders import fresh_folder
from puzzles import puzzles

from pipeline import generate
from pipeline.reading.formats import render_puzzle
from pipeline.solving.problem import PuzzleProblem

COUNT = 10_000
OWN = 500
SAMPLE = 400
WORKERS = (1, 2)
HERE = Path(__file__).parent.parent


def bare_files_per_second(folder: Path) -> float:
    """Two files written, synced and renamed in a new folder, as often as SAMPLE says."""
    folder.mkdir()
    begun = time.perf_counter()
    for number in range(SAMPLE):
        for part in "ab":
            path = folder / f"{number}{part}.tmp"
            with path.open("wb") as file:
                file.write(b"1" * 500)
                file.flush()
                os.fsync(file.fileno())
            path.rename(path.with_suffix(".out"))
    return SAMPLE / (time.perf_counter() - begun)


def generated() -> list[bytes]:
    """Puzzles with one solution, the same ones each time."""
    problems = [result.problem for result in islice(generate(), OWN)]
    made = [each.puzzle for each in problems if isinstance(each, PuzzleProblem)]
    return [render_puzzle(puzzle, "line").encode() for puzzle in made]


def drained(tree: Path, known: list[bytes], count: int, workers: int) -> float:
    """Seconds in which `run` of a tree empties a new inbox of so many files."""
    with fresh_folder() as folder:
        inbox, outbox = folder / "inbox", folder / "outbox"
        inbox.mkdir()
        for number in range(count):
            (inbox / f"{number}.txt").write_bytes(known[number % len(known)])
        os.sync()
        argv = [sys.executable, "-m", "pipeline", "run", "--quiet", "--workers", str(workers)]
        argv += ["--inbox", str(inbox), "--outbox", str(outbox)]
        begun = time.perf_counter()
        subprocess.run(argv, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, check=True)
        spent = time.perf_counter() - begun
        assert sum(1 for _ in outbox.glob("*.json")) == count
        assert sum(1 for _ in (inbox / "done").iterdir()) == count
    return spent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--against", type=Path, metavar="TREE")
    chosen = parser.parse_args()
    known = puzzles([chosen.file], chosen.count) if chosen.file else generated()
    trees = [("this tree", HERE), *([("the other", chosen.against)] if chosen.against else [])]
    with fresh_folder() as folder:
        bare = bare_files_per_second(folder / "before")
        print(f"{chosen.count} files:")
        for title, tree in trees:
            compileall.compile_dir(tree / "pipeline", quiet=1)
            for workers in WORKERS:
                spent = drained(tree.absolute(), known, chosen.count, workers)
                rate = chosen.count / spent
                with_so_many = f"{workers} worker{'s' * (workers > 1)}"
                print(f"  {title}, {with_so_many}: {rate:.0f} files per second, {spent:.1f} s")
        bare = (bare + bare_files_per_second(folder / "after")) / 2
    print(f"  bare files, written and synced by twos: {bare:.0f}")
    print(f"  most memory of a process: {getrusage(RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")


if __name__ == "__main__":
    main()
