"""`solve_many` on texts against `run` on a file of the same puzzles, in one run.

    python bench/library.py [COUNT] [FILE]

FILE holds one puzzle a line; without one the benchmark makes its own. Both solve with one worker;
the seconds of `run` include its start. They take turns, and each one's best counts.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from puzzles import puzzles

from pipeline import solve_many

ROUNDS = 3


def seconds_of_library(texts: list[bytes]) -> float:
    start = time.perf_counter()
    found = sum(result.status in ("unique", "multiple") for result in solve_many(texts))
    if found != len(texts):
        raise SystemExit(f"{len(texts) - found} puzzles were not solved")
    return time.perf_counter() - start


def seconds_of_run(texts: list[bytes]) -> float:
    with TemporaryDirectory() as folder:
        inbox = Path(folder) / "inbox"
        inbox.mkdir()
        (inbox / "many.txt").write_bytes(b"\n".join(text.strip() for text in texts) + b"\n")
        command = [sys.executable, "-m", "pipeline", "run", "--quiet", "--settle", "0"]
        start = time.perf_counter()
        folders = ["--inbox", str(inbox), "--outbox", str(Path(folder) / "outbox")]
        subprocess.run([*command, *folders, "--workers", "1"], check=True)
        return time.perf_counter() - start


def main() -> None:
    texts = puzzles(sys.argv[2:], int(sys.argv[1]) if sys.argv[1:] else 10_000)
    rounds = [(seconds_of_library(texts), seconds_of_run(texts)) for _ in range(ROUNDS)]
    library, run = (min(each) for each in zip(*rounds, strict=True))
    print(f"solve_many {library:.2f} s, run {run:.2f} s for {len(texts)} puzzles")
    print(f"solve_many / run: {library / run:.2f}")


if __name__ == "__main__":
    main()
