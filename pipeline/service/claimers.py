"""Further processes that claim files of the same inbox, beside this one.

    names ─▶ claimer ─▶ its own claims, sets and records ─▶ told: what has ended, and its log

Each works as a `run` of its own would, but leaves alone what takes longer than one problem or a
small collection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import msgspec

from pipeline.errors import EnvironmentFailure
from pipeline.service.exits import Interrupted, Stop
from pipeline.service.protocol.folders import Folders
from pipeline.service.sinks import Ended
from pipeline.service.workers import AHEAD, Inline
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Peer

FEW = 16
"""Names in a portion of files that take a while; otherwise there are BATCH in it."""

FEWEST_SHARED = 4
"""With fewer portions for each, starting another process takes longer than it saves."""


class Told(msgspec.Struct, frozen=True):
    """What a claimer has done with what it was given: the jobs that ended, and its log.

    `left` are the names that it did not take; `failure` says how its environment failed.
    """

    ended: tuple[Ended, ...]
    said: tuple[tuple[str, str, dict[str, Any]], ...]
    left: tuple[str, ...]
    failure: str | None


class Claimers:
    """At most so many processes that claim; they are started when there are names enough."""

    def __init__(self, count: int, settings: Settings, start: Callable[[str], Peer] = Peer) -> None:
        self._count = count
        self._settings = settings
        self._start = start
        self._given: dict[Peer, int] = {}
        """How many portions each has that it has not told of."""

    @property
    def are_busy(self) -> bool:
        return any(self._given.values())

    def give(self, names: deque[str], portion: int) -> None:
        """Have each take portions of so many of the names, the last ones, unless it has enough."""
        while len(self._given) < min(self._count, len(names) // (portion * FEWEST_SHARED)):
            self._begin()
        for peer, given in self._given.items():
            for _ in range(given, AHEAD):
                if len(names) >= portion:
                    peer.send([names.pop() for _ in range(portion)])
                    self._given[peer] += 1

    def _begin(self) -> None:
        """Start one; if that is impossible, do without."""
        try:
            peer = self._start(__name__)
        except OSError:
            self._count = 0
            return
        peer.send(self._settings)
        self._given[peer] = 0

    def hear(self, seconds: float = 0.0) -> Iterator[Told | None]:
        """What they have told, waiting so many seconds for the first; None for each that has died.

        What a dead one had claimed is abandoned.
        """
        pipes = {peer.pipe: peer for peer, given in self._given.items() if given}
        if not pipes:
            return
        from multiprocessing.connection import wait  # noqa: PLC0415 - slow to load

        for pipe in wait([*pipes], seconds):
            peer = pipes[pipe]  # type: ignore[index] # no sockets are waited for
            try:
                told: Told = peer.hear(0)
            except EOFError:
                self._count -= 1
                del self._given[peer]
                peer.close()
                yield None
            else:
                self._given[peer] -= 1
                yield told

    def stop(self) -> None:
        """Tell them to stop as a signal tells this process."""
        for peer in self._given:
            peer.terminate()

    def close(self) -> None:
        """End them: those that have nothing to do clear up."""
        for peer in self._given:
            peer.pipe.close()
        for peer in self._given:
            peer.exit_code()
            peer.close()
        self._given.clear()


class _Noted:
    """A log whose lines are told to another process."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, dict[str, Any]]] = []

    def info(self, event: str, **values: Any) -> None:
        self.lines.append(("info", event, values))

    def warning(self, event: str, **values: Any) -> None:
        self.lines.append(("warning", event, values))

    def error(self, event: str, **values: Any) -> None:
        self.lines.append(("error", event, values))


def serve(descriptor: int) -> None:
    """Run in a claimer: take the names that come through a pipe, after the settings."""
    from multiprocessing.connection import Connection  # noqa: PLC0415 - slow to load

    from pipeline.service.intake import Intake  # noqa: PLC0415 - it imports this
    from pipeline.service.job import Shared  # noqa: PLC0415 - as above
    from pipeline.service.log import Display  # noqa: PLC0415 - as above

    with ExitStack() as stack:
        pipe = stack.enter_context(Connection(descriptor))
        settings: Settings = pipe.recv()
        stop, log, ended = Stop(settings.grace), _Noted(), list[Ended]()
        stack.enter_context(stop.handling_signals())
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        inline = Inline(solvers, settings, stop.computing)
        folders = Folders(settings.inbox, settings.outbox)
        computing = (inline, inline, inline)
        shared = Shared(folders, settings, log, stop.computing, *computing, Claimers(0, settings))

        def is_stopping() -> bool:
            return stop.is_requested

        display = Display(None, bar=False)
        intake = Intake(shared, is_stopping, display, ended.append, once=True, quick_only=True)
        stack.callback(intake.close)
        with suppress(EOFError, ConnectionError):
            while not stop.is_requested:
                names, failure, left = pipe.recv(), None, list[str]()
                try:
                    left = intake.take_quick(names)
                except (EnvironmentFailure, OSError) as error:
                    failure = str(error)
                except Interrupted:
                    pass
                pipe.send(Told(tuple(ended), tuple(log.lines), tuple(left), failure))
                ended.clear()
                log.lines.clear()
