"""Check that all solvers write the same tables and solutions, byte for byte.

    python bench/agree.py FOLDER|FILE…

Each FILE, and each file below a FOLDER, is solved by a `run` with `--solver auto`. Collections are
also solved by a run with each solver, and all tables and solutions must be identical. (If a puzzle
has more solutions than were asked for, solvers may find different ones.)

Prints one line per file: its puzzles, the seconds of the runs and whether they agree. For a single
puzzle it prints the status, the seconds and the peak memory of a process. The exit code is 1 if
solvers disagree. The environment sets options of `run`, such as SUDOKU_PIPELINE_TIMEOUT=600.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

SOLVERS = ("batch", "minisat", "pysat")
OUTPUTS = (".solution", ".csv")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of ru_maxrss."""


@dataclass(frozen=True)
class Run:
    """The outcome of a run on one file, with the digests of its tables and solutions."""

    record: dict[str, Any]
    digests: dict[str, str]
    seconds: float
    megabytes: int


def run(path: Path, solver: str) -> Run:
    """Run on a new inbox with this file."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        inbox, outbox = Path(name, "inbox"), Path(name, "outbox")
        inbox.mkdir()
        shutil.copyfile(path, inbox / path.name)
        argv = [sys.executable, "-m", "pipeline", "run", "--quiet", "--solver", solver]
        argv += ["--log-format", "json", "--inbox", str(inbox), "--outbox", str(outbox)]
        begun = time.perf_counter()
        with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begun
        assert process.returncode in (0, 1), f"run ended with {process.returncode}"
        (record,) = outbox.glob("*.json")
        megabytes = usage.ru_maxrss * RSS_UNIT // 2**20
        return Run(json.loads(record.read_bytes()), digests_in(outbox), seconds, megabytes)


def digests_in(outbox: Path) -> dict[str, str]:
    """The SHA-256 of every table and file of solutions, by path."""
    found = {}
    for path in outbox.rglob("*"):
        if path.suffix in OUTPUTS:
            with path.open("rb") as file:
                found[str(path.relative_to(outbox))] = file_digest(file, "sha256").hexdigest()
    return found


def files_in(path: Path) -> Iterator[Path]:
    """The file, or the files below the folder."""
    if not path.is_dir():
        yield path
        return
    for below in sorted(path.rglob("*")):
        if below.is_file() and not below.name.startswith("."):
            yield below


def agree(path: Path) -> bool:
    """Print the line of a file; False if solvers disagree about it."""
    first = run(path, "auto")
    status = first.record["status"]
    if "totals" not in first.record:
        print(f"{path.name}: {status}, {first.seconds:.1f} s, {first.megabytes} MB", flush=True)
        return True
    runs = {"auto": first} | {solver: run(path, solver) for solver in SOLVERS}
    others = [solver for solver, other in runs.items() if other.digests != first.digests]
    totals = ", ".join(f"{count} {name}" for name, count in first.record["totals"].items())
    seconds = ", ".join(f"{solver} {other.seconds:.1f} s" for solver, other in runs.items())
    said = f"not the same: {', '.join(others)}" if others else "all the same"
    print(f"{path.name}: {status}, {totals}; {seconds}: {said}", flush=True)
    return not others


def main() -> None:
    files = [file for name in sys.argv[1:] for file in files_in(Path(name))]
    sys.exit(1 if [file for file in files if not agree(file)] else 0)


if __name__ == "__main__":
    main()
