"""The workers of a scheduler: which are present, answer and fit.

A worker that is stopped, or cut off, stays in the scheduler's list for minutes. Unlike a busy
worker's, the time of its last heartbeat stands still, which our own clock shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass

from pipeline.errors import EnvironmentFailure
from pipeline.service.scheduler import Connection, Seen, Worker, in_a_line
from pipeline.version import __version__


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds to wait, and for what.

    `connect`: for a connection, or for a local cluster to start. `answer`: for the scheduler.
    `no_worker`: for a worker that answers and fits, from when a look has found none and while a
    caller waits. `silence`: for a heartbeat, before a worker's chunks go to others. `look`:
    between two looks at the workers.
    """

    connect: float = 60.0
    answer: float = 30.0
    no_worker: float = 60.0
    silence: float = 20.0
    look: float = 1.0


class Crew:
    """What is known about the workers. Looking at them takes a moment, but never blocks.

    `there` are the workers that the scheduler has and that are not closing, `silent` those of
    them that do not answer, `threads` those that answer, fit and take chunks, with the number of
    their threads. `held` says which silent worker has a chunk, by its key. `looks` counts the
    looks that were taken in.
    """

    def __init__(
        self,
        connection: Connection,
        timeouts: Timeouts,
        tell: Callable[[str, str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.connection = connection
        self.there: frozenset[str] = frozenset()
        self.silent: frozenset[str] = frozenset()
        self.threads: dict[str, int] = {}
        self.held: dict[str, str] = {}
        self.looks = 0
        self._timeouts = timeouts
        self._tell = tell
        self._clock = clock
        self._heartbeats: dict[str, tuple[float, float]] = {}
        self._misfits: dict[str, str] = {}
        self._asked = -timeouts.look
        self._fits = False
        self._without_since: float | None = None
        self._failed: Exception | None = None
        self._asking: futures.Future[Seen] | None = None

    def look(self) -> None:
        """Take in the scheduler's answer, and ask again when due. Raises EnvironmentFailure."""
        now = self._clock()
        late = now > self._asked + self._timeouts.answer
        if self._asking is not None and self._asking.done():
            self._hear(self._asking, now)
            self._asking = None
        elif self._asking is not None and late:
            raise EnvironmentFailure(f"{self.connection.address}: the scheduler does not answer")
        if late:
            self._without_since = None  # no caller has waited for a worker in between
        without = self._without_since
        if without is not None and now > without + self._timeouts.no_worker:
            raise EnvironmentFailure(f"{self.connection.address}: {self._what_is_lacking()}")
        pause = self._timeouts.look if self.threads else min(self._timeouts.look, 0.1)
        if self._asking is None and now > self._asked + pause:
            self._asking = self.connection.look(sorted(self.silent))
            self._asked = now

    def wait(self, seconds: float) -> None:
        """Wait at most so long until the scheduler has answered."""
        if self._asking is None:
            time.sleep(seconds)
        else:
            futures.wait([self._asking], seconds)

    def _hear(self, asked: futures.Future[Seen], now: float) -> None:
        try:
            self._take_in(asked.result())
            self._failed = None
        except Exception as error:  # noqa: BLE001 - if it is lost, whatever is fetched will tell
            self._failed = error
        if self._fits:
            self._without_since = None
        elif self._without_since is None:
            self._without_since = now

    def _take_in(self, seen: Seen) -> None:
        before = self._heartbeats
        self._heartbeats = {
            address: before[address]
            if before.get(address, (None, 0))[0] == worker.heartbeat
            else (worker.heartbeat, seen.at)
            for address, worker in seen.workers.items()
        }
        self.there = frozenset(seen.workers)
        self.silent = frozenset(
            address
            for address, (_, since) in self._heartbeats.items()
            if seen.at > since + self._timeouts.silence
        )
        self._misfits = {
            address: why
            for address, worker in seen.workers.items()
            if (why := _misfit(worker)) is not None
        }
        fitting = {
            address: worker
            for address, worker in seen.workers.items()
            if worker.version == __version__ and address not in self.silent
        }
        self._fits = bool(fitting)
        self.threads = {
            address: worker.threads for address, worker in fitting.items() if not worker.paused
        }
        self.held = seen.held
        self.looks += 1
        for address in self.silent:
            self._tell(address, "it does not answer")
        for address, why in self._misfits.items():
            self._tell(address, why)
        for address in fitting.keys() - self.threads.keys():
            self._tell(address, "it has no memory left")

    def _what_is_lacking(self) -> str:
        if self._failed is not None:
            return f"its workers cannot be listed: {in_a_line(self._failed)}"
        for address, why in self._misfits.items():
            remedy = f"install sudoku-pipeline {__version__} there"
            return f"a worker cannot compute: {address}: {why}; {remedy}"
        return "no worker answers" if self.there else "there is no worker"

    def close(self) -> None:
        self.connection.close()


def _misfit(worker: Worker) -> str | None:
    if isinstance(worker.version, Exception):
        return in_a_line(worker.version)
    if worker.version in (None, __version__):
        return None
    return f"it has sudoku-pipeline {worker.version}, not {__version__}"
