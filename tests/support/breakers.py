"""Real processes of the command line that die, wait or fail at a step of the protocol.

In these runs collections are cut in small pieces and folders settle at once. More steps have
names: NOTING and NOTED, before and after a step of a job is noted, and BEGUN, after a worker got
a request. The log has an event for each request and each note.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from support.drop_folders import DropFolder, environment, wait_for
from support.forks import Forked, ForkedPeer, fork_spares

from pipeline.service.workers import Pool
from pipeline.settings import Settings
from pipeline.solving.solvers.child import Peer

KILL, FILL_DISK, STOP, WAIT, BEREAVE = "kill", "fill", "stop", "wait", "bereave"
"""What may happen at a step: death, a full disk, a SIGTERM, a wait, the death of all workers."""

NOTING, NOTED, BEGUN = "note.writing", "note.written", "request.begun"
CHUNK_BYTES = 180
"""Bytes of a piece: 10 puzzles of 4×4."""


@dataclass(frozen=True)
class Bench:
    """Runs on one pair of folders, and what their log tells."""

    box: DropFolder
    log: Path

    @classmethod
    def within(cls, folder: Path) -> Bench:
        """Make a pair of folders in this one."""
        return cls(DropFolder.within(folder), folder / "log")

    def start(self, name: str, *options: str, **breaks: Any) -> Forked:
        """Start a command on the folders that breaks when it reaches `step` for the `nth` time.

        `what` is done then, KILL if nothing else is said; nth = 0: every time. `real` workers
        are not forked. The solver is one that needs no processes.
        """
        folders = ["--inbox", str(self.box.inbox), "--outbox", str(self.box.outbox)]
        usual = ["--settle", "0.01", "--solver", "batch", "--log-format", "json"]
        argv, prepare = [name, *folders, *usual, *options], partial(_prepare, self.log, **breaks)
        return Forked.command(argv, self.log, self.log, environment(), prepare=prepare)

    def run(self, *options: str, **breaks: Any) -> tuple[int, list[dict[str, Any]]]:
        """Run to the end, with one worker unless options differ: exit code and events."""
        before = len(self.events())
        code = self.start("run", *(options or ("--workers", "1")), **breaks).wait()
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
        case "ChunkOf":
            return [request.member, request.chunk.first_line]
        case "PuzzleBatch":
            return [item.name for item in request.items]
    return ["end of", request.member]


class _Told(Peer):
    """A worker whose start and requests are logged."""

    def send(self, request: object) -> None:
        from pipeline.service.protocol import AUDIT_PREFIX

        if isinstance(request, Settings):
            _workers.append(self._process.pid)
            _tell(worker=self._process.pid)
            super().send(request)
            return
        _tell(begun=_name_of(request))
        super().send(request)
        sys.audit(AUDIT_PREFIX + BEGUN)


class _ToldForked(_Told, ForkedPeer):
    """Both."""


def _break_at(step: str, what: str, nth: int, go: Path) -> None:
    """Break when that step is reached for the nth time; every time if that is 0."""
    from pipeline.service.protocol import AUDIT_PREFIX

    seen, awaited = 0, AUDIT_PREFIX + step

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


def _prepare(
    log: Path,
    step: str = "",
    what: str = KILL,
    nth: int = 1,
    real: bool = False,
    checkpoint_seconds: float = 0.0,
) -> None:
    """In the child: have the run log each note, and break."""
    from pipeline.service import loop
    from pipeline.service.jobs import ChunkSizes
    from pipeline.service.protocol import AUDIT_PREFIX
    from pipeline.service.protocol.checkpointed import CheckpointedFiles
    from pipeline.service.runtime import Tuning

    checkpoint = CheckpointedFiles.checkpoint

    def checkpoint_and_tell(self: Any, state: dict[str, Any]) -> None:
        sys.audit(AUDIT_PREFIX + NOTING)
        checkpoint(self, state)
        _tell(noted=state["steps"])
        sys.audit(AUDIT_PREFIX + NOTED)

    CheckpointedFiles.checkpoint = checkpoint_and_tell
    fork_spares(0 if real else 4)
    tuning = Tuning(
        ChunkSizes(chunk=CHUNK_BYTES, proved=CHUNK_BYTES, items=2),
        walk_seconds=0.01,
        checkpoint_seconds=checkpoint_seconds,
        start_worker=_Told if real else _ToldForked,
    )
    loop.Pool = Pool
    loop.run_once = partial(loop.run_once, tuning=tuning)
    loop.watch = partial(loop.watch, tuning=tuning)
    _break_at(step, what, nth, Path(f"{log}.go"))
