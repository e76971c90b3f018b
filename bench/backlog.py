"""Single files that were dropped at once, drained by `run`: files per second.

    python bench/backlog.py [COUNT] [FILE]

FILE holds one puzzle a line; without one the benchmark makes its own. Printed is also how many
files a second can be written, made to last and renamed one by one here, before and after: two a
file, as a set has.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from puzzles import puzzles

COUNT = 10_000
SAMPLE = 400


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


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    known = puzzles(sys.argv[2:], count)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        inbox, outbox = Path(name, "inbox"), Path(name, "outbox")
        inbox.mkdir()
        for number in range(count):
            (inbox / f"{number}.txt").write_bytes(known[number % len(known)])
        bare = bare_files_per_second(Path(name, "before"))
        argv = [sys.executable, "-m", "pipeline", "run", "--quiet"]
        begun = time.perf_counter()
        subprocess.run([*argv, "--inbox", str(inbox), "--outbox", str(outbox)], check=True)
        spent = time.perf_counter() - begun
        bare = (bare + bare_files_per_second(Path(name, "after"))) / 2
        assert sum(1 for _ in outbox.glob("*.json")) == count
        assert sum(1 for _ in (inbox / "done").iterdir()) == count
    print(f"{count} files in {spent:.1f} s: {count / spent:.0f} files per second")
    print(f"  bare files, written and synced by twos: {bare:.0f}; ratio {count / spent / bare:.2f}")


if __name__ == "__main__":
    main()
