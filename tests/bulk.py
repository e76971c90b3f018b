"""Jobs of many puzzles: what is dropped, runs of it that break, and requests that go wrong.

`python bulk.py` is a `Breaker`'s process in which collections come in small pieces, folders
settle at once, and more points have names: NOTING and NOTED, before and after a step is noted,
and BEGUN, after a request was handed to a worker. What is begun and noted is told in the log.
Workers are forked from it, unless real ones are asked for: these take a third of a second each.
"""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import breaking
from breaking import Breaker
from dropping import (
    NO_SOLUTION,
    OTHER,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    wait_for,
)
from typer.testing import CliRunner

from pipeline.errors import EnvironmentFailure
from pipeline.run.job import Tuning
from pipeline.run.loop import run_once, watch
from pipeline.run.requests import Portions
from pipeline.run.workers import Request, serve
from pipeline.settings import Settings
from pipeline.solve.peer import Peer

TESTS = Path(__file__).parent
PIECE = 2048
"""Bytes of a piece, here: 120 puzzles of 4×4."""
NOTING, NOTED, BEGUN = "note.writing", "note.written", "request.begun"
STOP, WAIT, BEREAVE = "stop", "wait", "bereave"
"""What may happen at a step besides dying: a SIGTERM, a wait, the death of all workers."""


def in_a_line(puzzle: str) -> str:
    return puzzle.replace("\n", "")


SOLVED = in_a_line(SMALL_SOLVED)
BLANK = "." * 16


@dataclass(frozen=True)
class Line:
    """A line of a collection, and what is to come of it: a first solution, if one is known."""

    text: str
    status: str
    first: str | None = None


GOOD = Line(in_a_line(SMALL), "unique", SOLVED)
ODD = (
    Line("hello", "invalid", BLANK),
    Line(in_a_line(NO_SOLUTION), "unsolvable", BLANK),
    Line(in_a_line(TWO_SOLUTIONS), "multiple"),
)


def lines(count: int) -> list[Line]:
    """Lines of which some are no puzzle, or have no or two solutions; the first 200 have not."""
    return [ODD[i // 17 % 3] if i >= 200 and i % 17 == 0 else GOOD for i in range(count)]


def collection(count: int = 620) -> bytes:
    """A collection, of five pieces and a rest."""
    return "".join(line.text + "\n" for line in lines(count)).encode()


BAD = "1...\n..k.\n....\n....\n"


def archive() -> bytes:
    """A zip of all there can be in one."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as nested:
        nested.writestr("deep.txt", OTHER)
        nested.writestr("deep/some.sdm", collection(5))
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as outer:
        outer.writestr("one.txt", SMALL)
        outer.writestr("torn.txt", "torn" * 9)
        outer.writestr("../evil.txt", SMALL)
        outer.writestr("two.txt", TWO_SOLUTIONS)
        outer.writestr("many/lines.txt", collection(260))
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        outer.writestr(link, "one.txt")
        outer.writestr("inner.zip", inner.getvalue())
        outer.writestr("bad.txt", BAD)
    return whole.getvalue().replace(b"torn" * 9, b"thrown" * 6)


def other_archive() -> bytes:
    """A zip of the same name with other members."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as outer:
        outer.writestr("earlier/one.txt", SMALL)
        outer.writestr("two.txt", NO_SOLUTION)
    return whole.getvalue()


def folder_at(top: Path) -> Path:
    """A folder with the same things in it as the archive."""
    (top / "many").mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(archive())) as whole:
        (top / "inner.zip").write_bytes(whole.read("inner.zip"))
    for name, text in (("one", SMALL), ("two", TWO_SOLUTIONS), ("bad", BAD)):
        (top / f"{name}.txt").write_text(text)
    (top / "many/lines.txt").write_bytes(collection(260))
    (top / "link.txt").symlink_to("one.txt")
    return top


def drop(box: DropFolder, kind: str, name: str) -> None:
    """Drop one of the above, or a single puzzle, under a name."""
    contents = {
        "collection": collection,
        "zip": archive,
        "other zip": other_archive,
        "single": SMALL.encode,
    }
    if kind == "folder":
        folder_at(box.inbox.parent / "folder").rename(box.inbox / name)
    else:
        box.drop(name, contents[kind]())


def answers(box: DropFolder) -> dict[str, bytes | None]:
    """All that is in the outbox: the bytes of solutions and tables, None for other files."""
    return {
        str(path.relative_to(box.outbox)): path.read_bytes()
        if path.suffix in (".solution", ".csv")
        else None
        for path in box.outbox.rglob("*")
        if not path.is_dir() and path.name != ".lock"
    }


def check_records(box: DropFolder) -> None:
    """Every record is whole, and all there is belongs to one and has the hash it tells."""
    listed = set()
    for path in filter(Path.is_file, box.outbox.rglob("*.json")):
        listed.add(path)
        for entry in json.loads(path.read_bytes())["files"]:
            file = path.with_name(entry["name"])
            assert sha256(file.read_bytes()).hexdigest() == entry["sha256"]
            listed.add(file)
    found = {path for path in box.outbox.rglob("*") if not path.is_dir()}
    assert found - {box.outbox / ".lock"} == listed


def check_tidy(box: DropFolder) -> None:
    """Nothing waits, is in work, or lies about."""
    assert box.waiting() == set()
    assert box.in_work() == set()
    hidden = {path.name for path in box.outbox.rglob(".*")} - {".lock"}
    assert not hidden
    assert not [path for path in box.outbox.rglob("*") if path.is_dir() and not any(path.iterdir())]


@dataclass(frozen=True)
class Bench:
    """Runs on one pair of folders, and what their log tells."""

    breaker: Breaker
    box: DropFolder
    log: Path

    @classmethod
    def within(cls, folder: Path, breaker: Breaker) -> Bench:
        """Make a pair of folders in this one."""
        return cls(breaker, DropFolder.within(folder), folder / "log")

    def start(
        self,
        *argv: str,
        step: str = "",
        nth: int = 1,
        what: str = breaking.KILL,
        real: bool = False,
    ) -> int:
        """Start a command; its pid."""
        folders = ["--inbox", str(self.box.inbox), "--outbox", str(self.box.outbox)]
        options = ["--settle", "0.01", *argv[1:]]
        return self.breaker._ask(
            "start",
            argv=[argv[0], *folders, *options],
            log=str(self.log),
            step=step,
            what=what,
            nth=nth,
            real=real,
        )

    def run(self, *options: str, **breaks: Any) -> tuple[int, list[dict[str, Any]]]:
        """A run to its end: its exit code, and what it said."""
        before = len(self.events())
        code = self.breaker.wait(self.start("run", *options, **breaks))
        return code, self.events()[before:]

    def events(self) -> list[dict[str, Any]]:
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.rpartition("\n")[0].splitlines()]

    def go(self) -> None:
        """Let go what waits at a step."""
        Path(f"{self.log}.go").touch()

    def wait_until_held(self) -> None:
        """Wait until it waits at a step."""
        wait_for(lambda: told(self.events(), "held"))


def told(events: Sequence[dict[str, Any]], what: str) -> list[Any]:
    """The values of one kind of event of ours, in order: `begun`, `noted`, `worker`, `held`."""
    return [event[what] for event in events if event["event"] == "told" and what in event]


class BulkBreaker(Breaker):
    """Starts commands in processes of their own, with small pieces."""

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Breaker]:
        path = os.pathsep.join(map(str, (TESTS / "faults", TESTS, TESTS.parent)))
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SUDOKU_PIPELINE_")}
        process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=kept | {"PYTHONPATH": path},
            process_group=0,
        )
        with process:
            yield cls(process)
            process.stdin.close()


def _tell(**what: Any) -> None:
    os.write(2, json.dumps({"event": "told", **what}).encode() + b"\n")


def _name_of(request: Any) -> list[Any]:
    """What tells a request from all others of a job."""
    match type(request).__name__:
        case "PieceOf":
            return [request.member, request.piece.first_line]
        case "Items":
            return [item.name for item in request.items]
    return ["end of", request.member]


def _prepare() -> None:
    """Make pieces small, and tell what happens."""
    from pipeline.dropbox import settle
    from pipeline.dropbox.growing import Growing
    from pipeline.dropbox.steps import reached

    settle.FOLDER_SECONDS = 0.01
    note = Growing.note

    def note_and_tell(self: Any, state: dict[str, Any]) -> None:
        reached(NOTING)
        note(self, state)
        _tell(noted=state["steps"])
        reached(NOTED)

    Growing.note = note_and_tell


class _Told(Peer):
    """A worker of which is told that it starts, and what it is asked for."""

    def send(self, request: object) -> None:
        from pipeline.dropbox.steps import reached

        if isinstance(request, Settings):
            _workers.append(self._process.pid)
            _tell(worker=self._process.pid)
            super().send(request)
            return
        _tell(begun=_name_of(request))
        super().send(request)
        reached(BEGUN)


class _Forked(_Told):
    """A worker that need not load anything."""

    def __init__(self, module: str) -> None:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            _serve(theirs.detach())
        theirs.close()
        self.pipe = Connection(ours.detach())
        self._process = SimpleNamespace(pid=pid)

    def exit_code(self) -> int:
        if self._process.pid:
            _, status = os.waitpid(self._process.pid, 0)
            self._process.pid = 0
            return os.waitstatus_to_exitcode(status)
        return 0

    def close(self) -> None:
        if self._process.pid:
            os.kill(self._process.pid, signal.SIGKILL)
            self.exit_code()
        self.pipe.close()


def _serve(descriptor: int) -> None:
    """In a fork: hold nothing that is another's, and be a worker."""
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
        serve(descriptor)
    finally:
        os._exit(0)


_workers: list[int] = []


def _breaking(step: str, what: str, nth: int, go: Path) -> Callable[[str], None]:
    """As in `breaking`; what comes back here from there goes on."""
    seen = 0

    def act() -> None:
        if what == STOP:
            signal.raise_signal(signal.SIGTERM)
        elif what == WAIT:
            _tell(held=step)
            wait_for(go.exists)
        elif what == BEREAVE:
            for pid in _workers:
                os.kill(pid, signal.SIGKILL)

    def on_step(name: str) -> None:
        nonlocal seen
        seen += name == step
        if name == step and nth in (0, seen):
            act()

    return on_step


def _run(request: dict[str, Any], run: Callable[[dict[str, Any]], None] = breaking._run) -> None:
    if request["what"] in (STOP, WAIT, BEREAVE):
        go = Path(request["log"] + ".go")
        breaking._breaking = lambda step, what, nth: _breaking(step, what, nth, go)
    from pipeline.cli import folders

    tuning = Tuning(
        Portions(piece=PIECE, piece_to_prove=PIECE, items=2),
        walk_seconds=0.01,
        start_worker=_Told if request["real"] else _Forked,
    )
    folders.run_once = partial(run_once, tuning=tuning)
    folders.watch_folders = partial(watch, tuning=tuning)
    run(request)


@dataclass(frozen=True)
class Doubling(Request):
    """A request for the doubles of some numbers, at some of which things go wrong."""

    numbers: tuple[int, ...]
    deadly: frozenset[int] = frozenset()
    crashing: frozenset[int] = frozenset()
    lacking: frozenset[int] = frozenset()
    exiting: frozenset[int] = frozenset()
    endless: frozenset[int] = frozenset()
    deadly_once: Path | None = None
    held_once: Path | None = None
    """Where the first to compute one leaves its process id, waiting until that is taken away."""
    padding: bytes = b""
    """Which makes the request large, and the reply."""

    def compute(self, solvers: object, settings: object) -> list[tuple[int, Any, bytes]]:
        return [(number, self._double(number), self.padding) for number in self.numbers]

    def _double(self, number: int) -> int:
        if number in self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if number in self.exiting:
            os._exit(0)
        if number in self.crashing:
            raise ZeroDivisionError("no reason")
        if number in self.lacking:
            raise EnvironmentFailure("there is no room")
        if number in self.endless:
            signal.pause()
        if self.deadly_once is not None and not self.deadly_once.exists():
            self.deadly_once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.held_once is not None:
            self._be_held(self.held_once)
        return 2 * number

    def _be_held(self, at: Path) -> None:
        with suppress(FileExistsError):
            at.with_suffix(".taken").touch(exist_ok=False)
            at.write_text(f"{os.getpid()}\n")
            wait_for(lambda: not at.exists())

    def parts(self) -> Sequence[Request]:
        return [replace(self, numbers=(number,)) for number in self.numbers]

    def joined(self, replies: list[Any]) -> Any:
        return [each for reply in replies for each in reply]

    def given_up(self, why: str, settings: object) -> Any:
        return [(number, why, self.padding) for number in self.numbers]


def _load() -> None:
    """Have loaded once, for all, what a run loads when it needs it."""
    for module in (
        "structlog.dev",
        "pipeline.cli.commands",
        "pipeline.pieces",
        "pipeline.solve.lanes",
    ):
        import_module(module)
    CliRunner().invoke(import_module("pipeline.cli.commands").app, ["run", "--help"])


if __name__ == "__main__":
    _load()
    _prepare()
    breaking._run = _run
    breaking._serve()
    os.killpg(0, signal.SIGKILL)  # with all that a test which failed has left running
