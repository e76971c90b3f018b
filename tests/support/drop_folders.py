"""An inbox and an outbox, the real commands on them, and waiting for what they do."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.forks import Forked
from support.puzzles import PATIENCE

import pipeline
from pipeline.service.protocol.folders import Folders

SMALL = "1...\n..2.\n.3..\n...4\n"
SMALL_SOLVED = "1243\n3421\n4312\n2134\n"
OTHER = "4...\n..3.\n.2..\n...1\n"
OTHER_SOLVED = "4312\n2134\n1243\n3421\n"
NO_SOLUTION = "1.1.\n....\n....\n....\n"
TWO_SOLUTIONS = "12..\n3421\n4312\n21..\n"
ENDLESS = ".........\n" * 9
"""More solutions than anybody waits for: with ENDLESSLY all are looked for."""
ENDLESSLY = ("--max-solutions", "100000000", "--timeout", "100000")


_PAUSE = 0.005


def wait_for(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Look again and again until the condition gives something true; what it gave."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(_PAUSE)
    return value


def events_in(text: str) -> list[dict[str, Any]]:
    """The events in a JSON log."""
    return [json.loads(line) for line in text.splitlines()]


def record_text(source: str, /, *names: str, **fields: Any) -> str:
    """A record of a source that lists these names, as far as the folders ask."""
    files = [{"name": name, "sha256": ""} for name in names]
    told = {"schema": 1, "job": f"job of {source}", "source": source, "status": "unique"}
    return json.dumps(told | {"files": files} | fields)


def command(*arguments: str | os.PathLike[str]) -> list[str]:
    """The command line of this very package."""
    return [sys.executable, "-m", "pipeline", *map(os.fspath, arguments)]


def environment(**variables: str) -> dict[str, str]:
    """This process's environment, without options for the command but those given."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SUDOKU_PIPELINE_")}
    return kept | {"PYTHONPATH": str(Path(pipeline.__file__).parents[1])} | variables


def finished(
    *arguments: str | os.PathLike[str], cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The command, run to its end."""
    told = [os.fspath(each) for each in arguments]
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = Forked.command(told, out, err, environment(**variables), cwd)
        try:
            code = process.wait(100)
        finally:
            process.kill()
        return subprocess.CompletedProcess(told, code, out.read_text(), err.read_text())


@dataclass(frozen=True)
class DropFolder:
    """An inbox and an outbox of one test."""

    inbox: Path
    outbox: Path

    @classmethod
    def within(cls, folder: Path) -> DropFolder:
        """Make a pair in this folder; the inbox alone is there to begin with."""
        pair = cls(folder / "inbox", folder / "outbox")
        pair.inbox.mkdir(parents=True)
        return pair

    @property
    def folders(self) -> Folders:
        return Folders(self.inbox, self.outbox)

    def drop(self, name: str, content: str | bytes = SMALL) -> Path:
        """Put a file into the inbox, complete at once, in place of any of that name."""
        data = content.encode() if isinstance(content, str) else content
        fresh = self.inbox.parent / "dropped"
        fresh.write_bytes(data)
        return fresh.rename(self.inbox / name)

    def call(self, name: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command on this pair to its end."""
        folders = ("--inbox", self.inbox, "--outbox", self.outbox)
        return finished(name, *folders, *options, **variables)

    def run(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """`run` on this pair to its end, logging JSON."""
        return self.call("run", "--log-format", "json", *options, **variables)

    @contextmanager
    def watching(self, *options: str) -> Iterator[Watching]:
        """`watch` on this pair, killed on leaving if it has not ended."""
        number = len(list(self.inbox.parent.glob("watch-*.log")))
        log = self.inbox.parent / f"watch-{number}.log"
        folders = ["--inbox", str(self.inbox), "--outbox", str(self.outbox)]
        argv = ["watch", "--log-format", "json", *folders, *options]
        log.touch()
        process = Forked.command(argv, log, log, environment())
        try:
            yield Watching(process, log)
        finally:
            process.kill()
            process.wait()

    def record(self, stem: str) -> dict[str, Any]:
        return json.loads((self.outbox / f"{stem}.json").read_bytes())

    def has_record(self, stem: str) -> bool:
        return (self.outbox / f"{stem}.json").exists()

    def published(self) -> set[str]:
        """The names in the outbox, except the lock's."""
        return {path.name for path in self.outbox.iterdir()} - {".lock"}

    def text(self, name: str) -> str:
        return (self.outbox / name).read_text()

    def waiting(self) -> set[str]:
        """What lies in the inbox itself."""
        return {path.name for path in self.inbox.iterdir()} - {".work", "done", "failed"}

    def kept(self, folder: str) -> set[str]:
        """The files below `done` or `failed`, as relative paths."""
        top = self.inbox / folder
        return {str(path.relative_to(top)) for path in top.rglob("*") if not path.is_dir()}

    def in_work(self) -> set[str]:
        """The claims, and the litter that there should be none of."""
        names = {path.name for path in (self.inbox / ".work").iterdir() if not is_kept(path)}
        return names - {".preparing", ".last-scan"}

    def computing(self) -> bool:
        """Whether a computation has begun."""
        locks = self.inbox.glob(".work/[!.]*/.lock")
        return any(re.match("attempts at .*: [1-9]", lock.read_text()) for lock in locks)


def is_kept(path: Path) -> bool:
    """Whether a living process keeps this for the next file that it claims or reads."""
    if not path.name.startswith((".new-", ".reading-")):
        return False
    try:
        with (path / ".lock" if path.is_dir() else path).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@dataclass(frozen=True)
class Watching:
    """A running `watch`."""

    process: Forked
    log: Path

    def signal(self, *numbers: signal.Signals) -> None:
        for number in numbers:
            self.process.send_signal(number)

    def end(self, seconds: float = PATIENCE) -> int:
        """Wait for its end; its exit code."""
        return self.process.wait(seconds)

    def events(self) -> list[dict[str, Any]]:
        """The events printed so far; every whole line must be one."""
        return events_in(self.log.read_text().rpartition("\n")[0])

    def finished(self) -> list[str]:
        """The sources of the jobs that ended, in order."""
        return [e["source"] for e in self.events() if e["event"] == "job.finished"]
