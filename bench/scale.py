"""The rate of `run` from a thousand lines to ten million, and where the curve bends.

    python bench/scale.py [MOST] [MANY] [FILE]

One collection of 1,000 lines, of 10,000, … of MOST is solved by one worker and by two, then MANY
files of 10,000 lines by two. Each worker's line has the time, the rate, the puzzles a second of
what was added since the line before, and the most MB that a process had resident. The curve bends
where the work takes as long as all that is done once: starting, and writing the set. The lines are
made from those in FILE, as `collection.py` does; after REPEATED they come again.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from million import Drop, make

LEAST, MOST, MANY, OF_EACH = 1_000, 10_000_000, 1_000, 10_000
REPEATED = 100_000
WORKERS = (1, 2)


def lines_of(folder: Path, count: int, files: list[str]) -> Path:
    """A file of so many lines."""
    path, block = folder / f"{count}.txt", folder / "block"
    if not block.exists():
        make(block, REPEATED, files)
    data = block.read_bytes()
    width = len(data) // REPEATED
    with path.open("wb") as file:
        for begin in range(0, count, REPEATED):
            file.write(data[: width * min(REPEATED, count - begin)])
    return path


def measured(path: Path, workers: int, copies: int = 1) -> tuple[float, int]:
    """The seconds of a run, and the most MB resident."""
    box = Drop(path.with_name("box"))
    box.drop(path, copies)
    seconds = box.run("--workers", str(workers))
    left = [each.name for each in (box.top / "inbox").glob("*.txt")]
    assert not left, f"{len(left)} files are left"
    shutil.rmtree(box.top)
    return seconds, box.most_resident


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:3]]
    most, many = [*numbers, *(MOST, MANY)[len(numbers) :]]
    counts = [LEAST]
    while counts[-1] < most:
        counts.append(min(most, 10 * counts[-1]))
    spent = dict.fromkeys(WORKERS, (0, 0.0))
    once = dict.fromkeys(WORKERS, (0.0, 0.0))
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        for count in counts:
            path = lines_of(Path(name), count, sys.argv[3:])
            for workers in WORKERS:
                seconds, resident = measured(path, workers)
                before, earlier = spent[workers]
                added = (count - before) / max(seconds - earlier, 1e-3)
                spent[workers] = count, seconds
                print(
                    f"{count:9d} lines, {workers} workers: {seconds:7.2f} s, "
                    f"{count / seconds:7.0f} a second, those added {added:7.0f}, {resident} MB",
                    flush=True,
                )
                once[workers] = seconds - count / added, added
            print(f"  two workers: {spent[1][1] / spent[2][1]:.2f} times one", flush=True)
            path.unlink()
        for workers, (seconds, added) in once.items():
            bend = f"the curve bends at {seconds * added:.0f} lines"
            print(f"{workers} workers: {seconds:.2f} s are spent once, so that {bend}")
        seconds, resident = measured(lines_of(Path(name), OF_EACH, sys.argv[3:]), 2, many)
        rate = many * OF_EACH / seconds
        print(f"{many} files of {OF_EACH}: {seconds:.2f} s, {rate:.0f} a second, {resident} MB")


if __name__ == "__main__":
    main()
