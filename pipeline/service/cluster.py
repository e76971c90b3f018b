"""Workers of a cluster: requests go to its scheduler, their replies come back in order.

Claims, files and progress stay here. The cluster replaces a lost worker, and the requests of one
that does not answer are computed by another. What is lost again, or given up by the cluster, goes
to a worker of our own, as in a run without a cluster: only that gives the same bytes, and knows
what to give up.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent import futures
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any

from pipeline.errors import EnvironmentFailure
from pipeline.service.crew import Crew, Timeouts
from pipeline.service.exits import Interrupted
from pipeline.service.log import Log
from pipeline.service.scheduler import (
    CONNECT_SECONDS,
    LOCAL,
    Connection,
    check_installed,
    in_a_line,
)
from pipeline.service.workers import (
    REPLY_SECONDS,
    Crashed,
    Done,
    Pool,
    Replies,
    Reply,
    Request,
    Surroundings,
)
from pipeline.settings import Settings

AHEAD = 3
"""Requests under way for each thread of a worker: one computed, one waiting, one on its way."""

MOST = 256
"""Requests under way in all; the scheduler and we hold some 512 KiB for each."""

TOGETHER = 16
"""Replies that are fetched ahead: one may be some megabytes."""

COPIES = 2
"""How often a request is sent out before it is computed here."""


class Cluster:
    """The workers of a Dask scheduler, or of a cluster made here; connected on demand.

    The log, if there is one, names workers that are passed over. Raises UsageError if the extra
    is not installed.
    """

    batches = 8

    def __init__(
        self,
        address: str,
        settings: Settings,
        stopping: Callable[[], bool],
        log: Log | None = None,
        timeouts: Timeouts = Timeouts(),  # noqa: B008 - it is frozen
    ) -> None:
        check_installed()
        self._address = address
        self._settings = settings
        self._stopping = stopping
        self._log = log
        self._timeouts = timeouts
        self._here = Pool(1, settings, stopping)
        self._connecting: futures.Future[Crew] | None = None
        self._passed_over: set[tuple[str, str]] = set()

    def replies(self, requests: Iterator[Request]) -> Replies:
        """As in Workers. Raises EnvironmentFailure if there is no scheduler, or no worker.

        At most AHEAD requests for each thread of a worker are under way, MOST in all, and up to
        TOGETHER replies are fetched ahead.
        """
        mine = None
        try:
            crew = yield from self._connected()
            mine = self._connecting
            with closing(_UnderWay(crew, self._settings)) as under_way:
                while under_way.filled(requests):
                    told = under_way.next()
                    if self._stopping():
                        raise Interrupted
                    if told is None:
                        yield None
                    else:
                        yield from self._settled(*told)
        except EnvironmentFailure:
            if mine in (None, self._connecting):  # else there is a newer connection
                self._disconnect()
            raise

    def _settled(self, request: Request, told: Reply) -> Replies:
        match told:
            case Done(value):
                yield request, value
            case Surroundings(reason):
                raise EnvironmentFailure(f"{self._address}: a worker's surroundings: {reason}")
            case Crashed():
                yield from self._here.replies(iter([request]))

    def _connected(self) -> Generator[None, None, Crew]:
        """The workers, once there is a connection. Raises EnvironmentFailure, Interrupted.

        A connection that is slow, for example because the other end accepts it and says nothing,
        is waited for again at the next call: there is never more than one.
        """
        if self._connecting is None:
            self._connecting = _in_background(
                lambda: Crew(Connection(self._address), self._timeouts, self._tell)
            )
        end = time.monotonic() + self._timeouts.connect
        while not futures.wait([self._connecting], REPLY_SECONDS).done:
            if self._stopping():
                raise Interrupted
            if time.monotonic() > end:
                raise EnvironmentFailure(f"no cluster: {self._address} does not answer")
            yield None
        try:
            return self._connecting.result()
        except Exception as error:
            raise EnvironmentFailure(f"no cluster: {in_a_line(error)}") from error

    def _tell(self, worker: str, why: str) -> None:
        if self._log is not None and (worker, why) not in self._passed_over:
            self._passed_over.add((worker, why))
            self._log.warning("worker.passed_over", worker=worker, reason=why)

    def _disconnect(self) -> None:
        """Leave the scheduler, unless the connection is still being made."""
        if self._connecting is not None and self._connecting.done():
            begun, self._connecting = self._connecting, None
            _close(begun)

    def close(self) -> None:
        """End everything that was started; a local cluster even if it is still starting."""
        self._here.close()
        if self._connecting is not None:
            patience = CONNECT_SECONDS if self._address.startswith(LOCAL) else 0
            futures.wait([self._connecting], patience)
            self._connecting.add_done_callback(_close)


@dataclass(slots=True)
class _Chunk:
    """A request: how often it was sent, where it was sent last, and its reply on the way."""

    request: Request
    sent: int = 0
    future: Any = None
    workers: frozenset[str] = frozenset()
    fetched: futures.Future[Any] | None = None

    def is_there(self) -> bool:
        return self.fetched is not None and self.fetched.done()


class _UnderWay:
    """Requests that were sent out, in order, and replies that are fetched but not taken."""

    def __init__(self, crew: Crew, settings: Settings) -> None:
        self._crew = crew
        self._connection = crew.connection
        self._settings = settings
        self._chunks: deque[_Chunk] = deque()
        self._looks = 0
        self._there = crew.there

    def filled(self, requests: Iterator[Request]) -> bool:
        """Send out as many requests as there is room for; whether any are left to be taken.

        Raises EnvironmentFailure.
        """
        self._crew.look()
        room = min(MOST, AHEAD * sum(self._crew.threads.values()))
        for request in islice(requests, max(0, max(1, room) - len(self._chunks))):
            self._chunks.append(_Chunk(request))
        if self._looks != self._crew.looks:
            self._looks = self._crew.looks
            self._mend()
        for place, chunk in enumerate(self._chunks):
            if chunk.future is None and chunk.sent < COPIES:
                self._send(chunk)
            if place < TOGETHER and chunk.future and not chunk.fetched:
                chunk.fetched = self._connection.fetch(chunk.future)
        return bool(self._chunks)

    def _send(self, chunk: _Chunk) -> None:
        """Send it to all workers that answer and fit, if there are any, for one to compute."""
        if workers := frozenset(self._crew.threads):
            chunk.future = self._connection.submit(
                chunk.request, self._settings, workers, ahead=bool(chunk.sent)
            )
            chunk.workers = workers
            chunk.sent += 1

    def _mend(self) -> None:
        """Forget lost requests, and stop fetching from a worker that is gone.

        Such a fetch takes half a minute to fail.
        """
        gone = not self._there <= self._crew.there
        self._there = self._crew.there
        for chunk in self._chunks:
            if chunk.is_there() or chunk.future is None:
                continue
            if self._is_lost(chunk):
                self._forget(chunk)
            elif gone and chunk.fetched:
                chunk.fetched.cancel()
                chunk.fetched = None

    def _is_lost(self, chunk: _Chunk) -> bool:
        """Whether a silent worker holds it, or all workers that may compute it are gone."""
        return chunk.future.key in self._crew.held or chunk.workers.isdisjoint(self._crew.there)

    def next(self) -> tuple[Request, Reply] | None:
        """The next request with its reply, or None if that does not come in time."""
        chunk = self._chunks[0]
        if chunk.fetched:
            futures.wait([chunk.fetched], REPLY_SECONDS)
            if not chunk.fetched.done():
                return None
            reply = self._connection.reply(chunk.fetched, chunk.request, self._settings)
        elif chunk.future or chunk.sent < COPIES:
            self._crew.wait(REPLY_SECONDS)
            return None
        else:
            reply = Crashed("its workers do not answer")
        self._forget(self._chunks.popleft())
        return chunk.request, reply

    def _forget(self, chunk: _Chunk) -> None:
        """Have the scheduler forget it, done or not; a late answer is ignored."""
        if chunk.fetched:
            chunk.fetched.cancel()
        if chunk.future:
            self._connection.release(chunk.future)
        chunk.future = chunk.fetched = None

    def close(self) -> None:
        """Have the scheduler forget what was not taken."""
        for chunk in self._chunks:
            self._forget(chunk)


def _close(made: futures.Future[Crew]) -> None:
    with suppress(Exception):
        made.result().close()


def _in_background(make: Callable[[], Crew]) -> futures.Future[Crew]:
    """Begin to make it in a thread that is not waited for at exit.

    Ctrl-C must not reach its threads, nor the processes that they start: these end with us.
    Python's resource tracker is started first, as it would otherwise unblock the signal.
    """
    made: futures.Future[Crew] = futures.Future()

    def work() -> None:
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            made.set_result(make())
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            made.set_exception(error)

    threading.Thread(target=work, name="cluster", daemon=True).start()
    return made
