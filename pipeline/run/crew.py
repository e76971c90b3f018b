"""The workers of a scheduler: which are there, answer and fit.

A worker that is stopped, or cut off, stays in the scheduler's list for minutes. What tells it from
one that computes is that the time of its last heartbeat stands still, which our own clock shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass

from pipeline.errors import EnvironmentFailure
from pipeline.run.cluster import Connection, Seen, Worker, in_a_line
from pipeline.version import __version__


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds to wait: for what, and until what is done about it.

    `connect`: for a connection, or a cluster of our own to start, until there is none. `answer`:
    for the scheduler. `lonely`: for a worker that answers and fits. `silence`: for a heartbeat,
    until a worker's chunks go to others. `look`: between two looks at the workers.

    `overdue` is a multiple of the time limit of a puzzle: for the chunk that all others wait for,
    until it is computed by another worker as well. Easy chunks take a thousandth of that; one of
    hard puzzles that takes longer is computed twice, and the first answer counts.
    """

    connect: float = 60.0
    answer: float = 30.0
    lonely: float = 60.0
    silence: float = 20.0
    look: float = 1.0
    overdue: float = 10.0


class Crew:
    """What is known of the workers. Looking at them takes a moment, which nobody waits for.

    `there` are the workers that the scheduler has, `silent` those of them that do not answer,
    `threads` those that answer and fit, with the number of their threads. `held` says which
    worker has a chunk, by its key: for the silent ones, and for all while `tracing` is set.
    `looks` counts the looks that were taken.
    """

    def __init__(
        self, connection: Connection, patience: Patience, tell: Callable[[str, str], None]
    ) -> None:
        self.connection = connection
        self.there: frozenset[str] = frozenset()
        self.silent: frozenset[str] = frozenset()
        self.threads: dict[str, int] = {}
        self.held: dict[str, str] = {}
        self.tracing = False
        self.looks = 0
        self._patience = patience
        self._tell = tell
        self._heartbeats: dict[str, tuple[float, float]] = {}
        self._misfits: dict[str, str] = {}
        self._asked = -patience.look
        self._fitting = time.monotonic()
        self.asking: futures.Future[Seen] | None = None

    def look(self) -> None:
        """Take in what the scheduler has said, and ask again in time. Raises EnvironmentFailure."""
        now = time.monotonic()
        if self.asking is not None and self.asking.done():
            with suppress(Exception):  # that it is lost, whatever is fetched will tell
                self._take_in(self.asking.result())
                self._fitting = now if self.threads else self._fitting
            self.asking = None
        if self.asking is not None and now > self._asked + self._patience.answer:
            raise EnvironmentFailure(f"{self.connection.address}: the scheduler does not answer")
        if now > self._fitting + self._patience.lonely and not self.threads:
            raise EnvironmentFailure(f"{self.connection.address}: {self._what_is_lacking()}")
        pause = self._patience.look if self.threads else min(self._patience.look, 0.1)
        if self.asking is None and now > self._asked + pause:
            traced = self.there if self.tracing else self.silent
            self._asked, self.asking = now, self.connection.look(sorted(traced))

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
            if seen.at > since + self._patience.silence
        )
        self._misfits = {
            address: why
            for address, worker in seen.workers.items()
            if (why := _misfit(worker)) is not None
        }
        self.threads = {
            address: worker.threads
            for address, worker in seen.workers.items()
            if worker.version == __version__ and address not in self.silent
        }
        self.held = seen.held
        self.looks += 1
        for address in self.silent:
            self._tell(address, "it does not answer")
        for address, why in self._misfits.items():
            self._tell(address, why)

    def _what_is_lacking(self) -> str:
        for address, why in self._misfits.items():
            remedy = f"install sudoku-pipeline {__version__} there"
            return f"a worker cannot compute: {address}: {why}; {remedy}"
        return "no worker answers" if self.there else "there is no worker"

    def close(self) -> None:
        self.connection.close()


def _misfit(worker: Worker) -> str | None:
    """Why a worker is of no use to us, if that is known."""
    if isinstance(worker.version, Exception):
        return in_a_line(worker.version)
    if worker.version in (None, __version__):
        return None
    return f"it has sudoku-pipeline {worker.version}, not {__version__}"
