"""Claimers: additional processes that claim files from the same inbox.

    every n-th name ─▶ claimer ─▶ its own claims, sets and records ─▶ ClaimerReport

Each claimer processes its files like `run`. A claimer does not process large collections, archives
and slow puzzles, but returns their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import Any

import msgspec

from pipeline.errors import EnvironmentFailure
from pipeline.service.jobs import EndedJob
from pipeline.service.protocol.folders import Folders
from pipeline.service.signals import Interrupted, Stop
from pipeline.service.workers import LocalWorker
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import EXIT_WAIT_SECONDS, Peer

MAX_NAMES = 16_384
"""Maximum number of names that a claimer gets at a time: about 20 s of work."""


class ClaimerReport(msgspec.Struct, frozen=True):
    """A claimer's report on the names that it was given.

    - `ended`: the jobs that it has finished.
    - `log`: its log events, as (level, event, values).
    - `unclaimed`: names that it did not process.
    - `failure`: the reason if its environment failed.
    - `is_dead`: whether the process died; its claims are then abandoned.
    """

    ended: tuple[EndedJob, ...] = ()
    log: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    unclaimed: tuple[str, ...] = ()
    failure: str | None = None
    is_dead: bool = False


class Claimers:
    """Up to `count` claimer processes, which are started when there are enough names."""

    def __init__(self, count: int, settings: Settings, start: Callable[[str], Peer] = Peer) -> None:
        self._count = count
        self._settings = settings
        self._start = start
        self._peers: list[Peer] = []
        self.busy: set[Peer] = set()
        """Claimers that have not reported on their names yet."""
        self._is_stopped = False

    def share(self, names: Sequence[str], names_per_claimer: int) -> Sequence[str]:
        """Give each claimer every n-th name. Returns this process's share.

        At most one claimer is started for each `names_per_claimer` names.
        """
        count = min(self._count, len(names) // names_per_claimer)
        while len(self._peers) < count and self._start_one():
            pass
        peers = self._peers[:count]
        stride = len(peers) + 1
        for first, peer in enumerate(peers, 1):
            peer.send(names[first : MAX_NAMES * stride : stride])
            self.busy.add(peer)
        return names[::stride]

    def _start_one(self) -> bool:
        """Start a claimer. Returns whether it started. After a failure, no more are started."""
        try:
            peer = self._start(__name__)
        except OSError:
            self._count = 0
            return False
        peer.send(self._settings)
        self._peers.append(peer)
        return True

    def reports(self, seconds: float = 0.0) -> Iterator[ClaimerReport]:
        """Yield pending reports; wait up to `seconds` for the first."""
        pipes = {peer.pipe: peer for peer in self.busy}
        from multiprocessing.connection import wait  # noqa: PLC0415 - slow to load

        for pipe in wait([*pipes], seconds):
            peer = pipes[pipe]  # type: ignore[index] # `wait` also accepts sockets
            self.busy.discard(peer)
            try:
                report: ClaimerReport = peer.receive(0)
            except EOFError:
                self._count -= 1
                self._peers.remove(peer)
                peer.close()
                yield ClaimerReport(is_dead=True)
            else:
                yield report

    def stop(self) -> None:
        """Send each claimer a stop signal, which starts its grace period."""
        if not self._is_stopped:
            self._is_stopped = True
            for peer in self._peers:
                peer.terminate()

    def close(self) -> None:
        """End all claimers. Idle claimers clean up at once; busy ones have their grace period."""
        if self.busy:
            self.stop()
        for peer in self._peers:
            peer.pipe.close()
        for peer in self._peers:
            peer.exit_code(EXIT_WAIT_SECONDS + (peer in self.busy) * self._settings.grace)
            peer.close()
        self._peers.clear()
        self.busy.clear()
        self._is_stopped = False


class _BufferedLog:
    """A log that collects its events, to be sent to another process."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, dict[str, Any]]] = []

    def info(self, event: str, **values: Any) -> None:
        self.lines.append(("info", event, values))

    def warning(self, event: str, **values: Any) -> None:
        self.lines.append(("warning", event, values))

    def error(self, event: str, **values: Any) -> None:
        self.lines.append(("error", event, values))


def serve(descriptor: int) -> None:
    """Main function of a claimer: receives the settings, then names, through a pipe."""
    from multiprocessing.connection import Connection  # noqa: PLC0415 - slow to load

    from pipeline.service.intake import Intake  # noqa: PLC0415 - `intake` imports this module
    from pipeline.service.log import Display  # noqa: PLC0415 - slow to load
    from pipeline.service.runtime import Runtime  # noqa: PLC0415 - slow to load

    with ExitStack() as stack:
        pipe = stack.enter_context(Connection(descriptor))
        settings: Settings = pipe.recv()
        stop, log, ended = Stop(settings.grace), _BufferedLog(), list[EndedJob]()
        stack.enter_context(stop.handling_signals())
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        local = LocalWorker(solvers, settings, stop)
        folders = Folders(settings.inbox, settings.outbox)
        runtime = Runtime(
            folders=folders,
            settings=settings,
            log=log,
            stop=stop,
            local=local,
            batch_workers=local,
            pool=local,
            claimers=Claimers(0, settings),
            leaves_slow_puzzles=True,
        )
        display = Display(None, bar=False)
        intake = Intake(runtime, display, ended.append, once=True, quick_only=True)
        stack.callback(intake.close)
        with suppress(EOFError, ConnectionError):
            while not stop.is_requested:
                names, failure, left = pipe.recv(), None, list[str]()
                try:
                    left = intake.process_quick(names)
                except (EnvironmentFailure, OSError) as error:
                    failure = str(error)
                except Interrupted:
                    pass
                pipe.send(ClaimerReport(tuple(ended), tuple(log.lines), tuple(left), failure))
                ended.clear()
                log.lines.clear()
