"""What a full outbox costs: each command on it, and the same command on an empty one.

    python bench/outbox.py [COUNT] [FILE]

A run really solves SAMPLE files, some of which are no puzzles; the outbox of COUNT records is made
of these sets under other names. Records and logs are consistent with the names: `audit` finds
nothing wrong with them. FILE holds one puzzle a line; without one the benchmark makes its own. Each
command is timed from its start to its end as a process; `watch`, and `run` with a file, until the
record of a file that waits in the inbox is there. BENCH_FOLDER names the folder to work in.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from puzzles import puzzles

COUNT, SAMPLE, NO_PUZZLES = 100_000, 200, 2
ROUNDS = 3
JOB = re.compile(r"\d{8}T\d{6}-[0-9a-f]{10}")


class Box:
    """An inbox and an outbox in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.inbox, self.outbox = folder / "inbox", folder / "outbox"
        self.inbox.mkdir(parents=True)

    def argv(self, *words: str) -> list[str]:
        options = ("--inbox", str(self.inbox), "--outbox", str(self.outbox))
        return [sys.executable, "-m", "pipeline", *words, *options]

    def seconds(self, *words: str) -> float:
        """How long a command takes, the best of some rounds."""
        return min(timed(self.argv(*words)) for _ in range(ROUNDS))

    def seconds_to_record(self, *words: str) -> float:
        """From the start of a command until a file that waits has its record."""
        return min(self._to_record(number, *words) for number in range(ROUNDS))

    def _to_record(self, number: int, *words: str) -> float:
        name = f"{words[0]}-waiting-{number}"
        (self.inbox / f"{name}.txt").write_bytes(puzzles((), 1)[0])
        begun = time.perf_counter()
        process = subprocess.Popen(self.argv(*words), stdout=subprocess.DEVNULL)
        while not (self.outbox / f"{name}.json").exists():
            assert process.poll() in (None, 0), f"{words[0]} ended too early"
            time.sleep(0.002)
        spent = time.perf_counter() - begun
        process.terminate()
        process.wait()
        return spent


def timed(argv: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def solve_some(box: Box, files: list[str]) -> list[str]:
    """Solve files with `run`; returns their stems."""
    stems = [f"sample{number:04}" for number in range(SAMPLE)]
    known = puzzles(files, SAMPLE)
    for number, stem in enumerate(stems):
        data = b"no puzzle\n" if number < NO_PUZZLES else known[number % len(known)] + b"\n"
        (box.inbox / f"{stem}.txt").write_bytes(data)
    done = subprocess.run(box.argv("run", "--quiet", "--settle", "0"), check=False)
    assert done.returncode == 1, "some are no puzzles"
    return stems


def copy_sets(box: Box, stems: list[str], full: Box, count: int) -> None:
    """Fill an outbox, and the folders of originals, with the sets of these stems."""
    for folder in (full.outbox, full.inbox / "done", full.inbox / "failed"):
        folder.mkdir()
    sets = [_Set(box, stem) for stem in stems]
    for number in range(count):
        sets[number % len(sets)].copy(full, f"{number:07}", number)


class _Set:
    """The files of one published set, to be written under other names."""

    def __init__(self, box: Box, stem: str) -> None:
        self._stem = stem
        self._record = (box.outbox / f"{stem}.json").read_text()
        self._log = (box.outbox / f"{stem}.log").read_text()
        self._job = JOB.findall(self._record)[0]
        self._solutions = {
            path.name.removeprefix(stem): path.read_bytes()
            for path in box.outbox.glob(f"{stem}_*.solution")
        }
        (original,) = box.inbox.glob(f"*/{stem}.txt")
        self._folder, self._original = original.parent.name, original.read_bytes()

    def copy(self, full: Box, stem: str, number: int) -> None:
        job = f"{self._job[:-10]}{number:010x}"

        def renamed(text: str) -> str:
            return text.replace(self._stem, stem).replace(self._job, job)

        log = renamed(self._log).encode()
        before, after = (sha256(data).hexdigest() for data in (self._log.encode(), log))
        (full.outbox / f"{stem}.json").write_text(renamed(self._record).replace(before, after))
        (full.outbox / f"{stem}.log").write_bytes(log)
        for ending, data in self._solutions.items():
            (full.outbox / (stem + ending)).write_bytes(data)
        (full.inbox / self._folder / f"{stem}.txt").write_bytes(self._original)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        sample, full, empty = (Box(Path(name, each)) for each in ("sample", "full", "empty"))
        copy_sets(sample, solve_some(sample, sys.argv[2:]), full, count)
        empty.outbox.mkdir()
        names = sum(1 for _ in os.scandir(full.outbox))
        print(f"{count} records, {names} files in the outbox: seconds on it, and on an empty one")
        for words in (
            ("run",),
            ("status",),
            ("prune", "--dry-run", "--older-than", "30d"),
            ("prune", "--dry-run", "--older-than", "0s"),
        ):
            said = " ".join(words)
            print(f"  {said:<32}{full.seconds(*words):8.2f}{empty.seconds(*words):8.2f}")
        for command in ("run", "watch"):
            words = (command, "--quiet", "--settle", "0")
            said = f"{command} until the first record"
            told = (box.seconds_to_record(*words) for box in (full, empty))
            print(f"  {said:<32}" + "".join(f"{each:8.2f}" for each in told))
        print(f"  {'report':<32}{report_seconds(full):8.2f}{report_seconds(empty):8.2f}")
        size = (full.outbox / "report.html").stat().st_size
        print(f"  the page: {size / 1e6:.1f} MB")


def report_seconds(box: Box) -> float:
    inbox = ("--inbox", str(box.inbox))
    argv = [sys.executable, "-m", "pipeline", "report", str(box.outbox), *inbox]
    return min(timed(argv) for _ in range(ROUNDS))


if __name__ == "__main__":
    main()
