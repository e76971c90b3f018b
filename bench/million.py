"""A collection of a million lines: time, memory, and going on after a SIGKILL half-way.

    python bench/million.py [COUNT] [FILE]

A tenth of COUNT lines is solved first, then all of them: the ratio of the two rates is near 1
where the time is linear. Then all again, killed half-way and gone on with: its files must be the
same. Printed are the rates, the most that any process had resident, and how much the second run
did after the kill.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from collection import shuffled
from puzzles import puzzles

COUNT = 1_000_000


@dataclass
class Drop:
    """A folder with an inbox, into which a collection is dropped, or many alike."""

    top: Path
    most_resident: int = 0

    def drop(self, lines: Path, copies: int = 1) -> None:
        (self.top / "inbox").mkdir(parents=True, exist_ok=True)
        os.link(lines, self.top / "inbox" / "lines.txt")
        for number in range(2, copies + 1):
            os.link(lines, self.top / "inbox" / f"lines-{number}.txt")

    def run(self, *options: str, kill_at: float | None = None) -> float:
        """Seconds of `run`, killed when that share is done."""
        argv = [sys.executable, "-m", "pipeline", "run", "--quiet", *options]
        folders = ["--inbox", str(self.top / "inbox"), "--outbox", str(self.top / "outbox")]
        begun = time.perf_counter()
        with subprocess.Popen([*argv, *folders]) as process:
            while process.poll() is None:
                self.most_resident = max(self.most_resident, *map(resident, family(process.pid)))
                if kill_at is not None and self.done() >= kill_at:
                    process.send_signal(signal.SIGKILL)
                time.sleep(0.05)
        return time.perf_counter() - begun

    def done(self) -> float:
        """The share that is noted as done."""
        for note in self.top.glob("inbox/.work/[!.]*/.progress"):
            lines = note.read_bytes().split(b"\n")
            if len(lines) > 1:
                return float(lines[-2].split(b'"share": ')[1].split(b",")[0].rstrip(b"}"))
        return 0.0

    def digests(self) -> list[str]:
        names = ("lines.csv", "lines_1.solution")
        return [
            file_digest((self.top / "outbox" / n).open("rb"), "sha256").hexdigest() for n in names
        ]


def family(pid: int) -> list[int]:
    """A process and its children."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *map(int, children)]


def resident(pid: int) -> int:
    """The most MB that a process ever had resident."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


def make(path: Path, count: int, files: list[str]) -> None:
    generator = random.Random(1)
    known = [data.decode().split()[0] for data in puzzles(files, 5000)]
    with path.open("w") as file:
        for number in range(count):
            file.write(shuffled(known[number % len(known)], generator) + "\n")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        rates, most, digests = [], 0, []
        for number, lines in enumerate((count // 10, count)):
            path = Path(name, f"{lines}.txt")
            make(path, lines, sys.argv[2:])
            box = Drop(Path(name, str(number)))
            box.top.mkdir()
            box.drop(path)
            rates.append(lines / box.run())
            most = max(most, box.most_resident)
            digests = box.digests()
            print(f"{lines:9d} lines: {rates[-1]:8.0f} a second")
        print(f"  all to a tenth: {rates[1] / rates[0]:.2f}; most resident {most} MB")
        box = Drop(Path(name, "killed"))
        box.top.mkdir()
        box.drop(path)
        box.run(kill_at=0.5)
        share = box.done()
        spent = box.run()
        assert box.digests() == digests, "the files differ"
        left = (1 - share) * count
        print(f"  killed at {share:.0%}: the rest at {left / spent:.0f} a second, the same files")


if __name__ == "__main__":
    main()
