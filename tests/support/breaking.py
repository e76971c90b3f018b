"""Real processes of the command line that die, wait or fail at a step of the protocol.

One process forks them all, and their workers, at the request of a `Breaker`: to start Python for
each would take most of the time. In these runs collections are cut in small pieces and folders
settle at once. More steps have names: NOTING and NOTED, before and after a step of a job is noted,
and BEGUN, after a worker got a request. The log has an event for each request and each note.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from support.dropping import DropFolder, environment, wait_for
from support.forking import forked, hurry

from pipeline.service.exits import Stop
from pipeline.service.workers import Pool, Replies, Request, serve
from pipeline.settings import Settings
from pipeline.solving.solvers.child import Peer

KILL, FILL_DISK, STOP, WAIT, BEREAVE = "kill", "fill", "stop", "wait", "bereave"
"""What may happen at a step: death, a full disk, a SIGTERM, a wait, the death of all workers."""

NOTING, NOTED, BEGUN = "note.writing", "note.written", "request.begun"
PIECE = 180
"""Bytes of a piece: 10 puzzles of 4×4."""


@dataclass(frozen=True)
class Breaker:
    """Starts commands in processes of their own."""

    pipe: Connection

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Breaker]:
        ours, theirs = Pipe()
        process = forked(_serve, theirs, environment())
        theirs.close()
        with ours:
            yield cls(ours)
        process.join()

    def start(self, argv: Sequence[str], log: Path, **breaks: Any) -> int:
        """Start a command that breaks when it reaches `step` for the `nth` time; its pid.

        `what` is done then, KILL if nothing else is said; nth = 0: every time. `real` workers
        are not forked.
        """
        return self._ask("start", argv=[*argv], log=str(log), **breaks)

    def wait(self, pid: int) -> int:
        """The exit code of a command, or minus the signal that killed it."""
        return self._ask("wait", pid=pid)

    def load(self, module: str) -> None:
        """Load a module once, for all that is started from now on."""
        self._ask("load", module=module)

    def call(self, module: str, name: str, log: Path, **values: Any) -> int:
        """Call a function in a process of its own; its pid."""
        return self._ask("call", module=module, name=name, log=str(log), values=values)

    def _ask(self, question: str, **values: Any) -> int:
        self.pipe.send({"question": question, **values})
        return int(self.pipe.recv())


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

    def start(self, name: str, *options: str, **breaks: Any) -> int:
        """Start a command on the folders; its pid. The solver is one that needs no processes."""
        folders = ["--inbox", str(self.box.inbox), "--outbox", str(self.box.outbox)]
        usual = ["--settle", "0.01", "--solver", "lanes", "--log-format", "json"]
        argv = [name, *folders, *usual, *options]
        return self.breaker.start(argv, self.log, **breaks)

    def run(self, *options: str, **breaks: Any) -> tuple[int, list[dict[str, Any]]]:
        """Run to the end, with one worker unless options differ: exit code and events."""
        before = len(self.events())
        code = self.breaker.wait(self.start("run", *(options or ("--workers", "1")), **breaks))
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


_workers: list[int] = []


def _tell(**what: Any) -> None:
    os.write(2, json.dumps({"event": "told", **what}).encode() + b"\n")


def _name_of(request: Any) -> list[Any]:
    """What tells a request from all others of a job."""
    match type(request).__name__:
        case "PieceOf":
            return [request.member, request.piece.first_line]
        case "Singles":
            return [item.name for item in request.items]
    return ["end of", request.member]


class _Told(Peer):
    """A worker whose start and requests are logged."""

    def send(self, request: object) -> None:
        from pipeline.service.protocol import AUDITED

        if isinstance(request, Settings):
            _workers.append(self._process.pid)
            _tell(worker=self._process.pid)
            super().send(request)
            return
        _tell(begun=_name_of(request))
        super().send(request)
        sys.audit(AUDITED + BEGUN)


class ForkedPeer(Peer):
    """A worker that need not load anything."""

    def __init__(self, module: str) -> None:
        self.pipe, pid = _spare.pop() if _spare else _forked()
        self._process = SimpleNamespace(pid=pid)

    def has_ended(self) -> bool:
        if self._process.pid:
            info = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, info) is not None
        return True

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


class _ToldForked(_Told, ForkedPeer):
    """Both."""


class ForkingPool(Pool):
    """A pool whose workers are forked, before it starts threads."""

    def __init__(self, count: int, settings: Settings, stop: Stop, _: Any) -> None:
        super().__init__(count, settings, stop, ForkedPeer)

    def replies(self, requests: Iterator[Request]) -> Replies:
        _spare.extend(_forked() for _ in range(self.count - len(_spare) - len(self._idle)))
        return super().replies(requests)

    def close(self) -> None:
        super().close()
        while _spare:
            ForkedPeer("").close()


_spare: list[tuple[Connection, int]] = []
"""Workers that were forked before there were threads, which may hold locks when others fork."""


def _forked() -> tuple[Connection, int]:
    """A worker, and the pipe to it."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        _be_worker(theirs.detach())
    theirs.close()
    return Connection(ours.detach()), pid


def _be_worker(descriptor: int) -> NoReturn:
    """In a fork: hold nothing that is another's, and serve."""
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
        serve(descriptor)
    finally:
        os._exit(0)


def _break_at(step: str, what: str, nth: int, go: Path) -> None:
    """Break when that step is reached for the nth time; every time if that is 0."""
    from pipeline.service.protocol import AUDITED

    seen, awaited = 0, AUDITED + step

    def on_event(event: str, _arguments: object) -> None:
        nonlocal seen
        if event == awaited:
            seen += 1
            if nth in (0, seen):
                _break(step, what, go)

    sys.addaudithook(on_event)


def _break(step: str, what: str, go: Path) -> None:
    match what:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "fill":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        case "stop":
            signal.raise_signal(signal.SIGTERM)
        case "wait":
            _tell(held=step)
            wait_for(go.exists)
        case "bereave":
            for pid in _workers:
                os.kill(pid, signal.SIGKILL)


def _run(request: dict[str, Any]) -> None:
    """In the child: the command."""
    from pipeline.cli import main
    from pipeline.service import loop
    from pipeline.service.jobs import Portions
    from pipeline.service.runtime import Tuning

    _spare.extend(_forked() for _ in range(0 if request.get("real") else 4))
    tuning = Tuning(
        Portions(piece=PIECE, piece_to_prove=PIECE, items=2),
        walk_seconds=0.01,
        checkpoint_seconds=request.get("checkpoint_seconds", 0.0),
        start_worker=_Told if request.get("real") else _ToldForked,
    )
    loop.run_once = partial(loop.run_once, tuning=tuning)
    loop.watch = partial(loop.watch, tuning=tuning)
    go, what = Path(request["log"] + ".go"), request.get("what", KILL)
    _break_at(request.get("step", ""), what, request.get("nth", 1), go)
    sys.argv = ["sudoku-pipeline", *request["argv"]]
    main()


def _prepare() -> None:
    """Have all runs hurry, and log each note."""
    from pipeline.service.protocol import AUDITED
    from pipeline.service.protocol.growing import Growing

    hurry()
    note = Growing.note

    def note_and_tell(self: Any, state: dict[str, Any]) -> None:
        sys.audit(AUDITED + NOTING)
        note(self, state)
        _tell(noted=state["steps"])
        sys.audit(AUDITED + NOTED)

    Growing.note = note_and_tell


def _serve(pipe: Connection, variables: dict[str, str]) -> None:
    """In the process that forks: answer until nobody asks any more."""
    os.setpgid(0, 0)
    os.environ.clear()
    os.environ.update(variables)
    _prepare()
    with suppress(EOFError):
        while True:
            request = pipe.recv()
            match request["question"]:
                case "wait":
                    _, status = os.waitpid(request["pid"], 0)
                    pipe.send(os.waitstatus_to_exitcode(status))
                case "load":
                    import_module(request["module"])
                    pipe.send(0)
                case _ if pid := os.fork():
                    pipe.send(pid)
                case _:
                    pipe.close()
                    _be_started(request)
    os.killpg(0, signal.SIGKILL)  # with all that a test which failed has left running


def _be_started(request: dict[str, Any]) -> NoReturn:
    """In the child: a command, or a function, whose output goes to the log."""
    sink = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nowhere), (1, sink), (2, sink)):
        os.dup2(source, target)
    code = 1
    try:
        if request["question"] == "call":
            getattr(import_module(request["module"]), request["name"])(**request["values"])
        else:
            _run(request)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    finally:
        sys.stderr.flush()
        os._exit(code)
