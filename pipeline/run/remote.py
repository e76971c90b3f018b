"""Workers elsewhere: requests go to a cluster, their replies come back in order.

Claims, files and progress stay here. A worker that is lost is made good by the cluster. What
that gives up on goes to a worker of our own, as in a run without a cluster: nothing else gives
the same bytes, and knows what to give up.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent import futures
from contextlib import closing, suppress
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any

from pipeline.errors import EnvironmentFailure
from pipeline.run.cluster import (
    CONNECT_SECONDS,
    LOCAL,
    Connection,
    Told,
    check_installed,
    in_a_line,
)
from pipeline.run.pool import PATIENCE, Pool, Replies, Request
from pipeline.run.stop import Interrupted
from pipeline.run.worker import Crashed, Done, Surroundings
from pipeline.settings import Settings

AHEAD = 3
"""Requests under way for each thread of a worker: one computed, one there, one on its way."""

MOST = 512
"""Requests under way in all; the scheduler and we hold some 256 KiB for each."""

TOGETHER = 16
"""Replies that are fetched at once: one may be some megabytes."""

SILENT_SECONDS = 60.0
"""How long a scheduler may take to be connected, or a cluster of our own to start."""

LONELY_SECONDS = 60.0
"""How long a cluster may have no worker."""

_ANSWER_SECONDS, _LOOK_SECONDS = 30.0, 1.0


class Remote:
    """The workers of a Dask scheduler, or of a cluster made here; connected to when needed.

    Raises UsageError where the extra is not installed.
    """

    batches = 8

    def __init__(self, address: str, settings: Settings, stopping: Callable[[], bool]) -> None:
        check_installed()
        self._address = address
        self._settings = settings
        self._stopping = stopping
        self._here = Pool(1, settings, stopping)
        self._connecting: futures.Future[Connection] | None = None

    def replies(self, requests: Iterator[Request]) -> Replies:
        """As Workers has it. Raises EnvironmentFailure where there is no scheduler, or no worker.

        At most AHEAD requests for each thread of a worker are under way, MOST in all, and twice
        TOGETHER replies are here and not taken yet.
        """
        mine = None
        try:
            connection = yield from self._connected()
            mine = self._connecting
            with closing(_UnderWay(connection, self._settings)) as under_way:
                while under_way.filled(requests):
                    told = under_way.next()
                    if self._stopping():
                        raise Interrupted
                    if told is None:
                        yield None
                    else:
                        yield from self._settled(*told)
        except EnvironmentFailure:
            if mine in (None, self._connecting):  # another may be there in its place
                self._disconnect()
            raise

    def _settled(self, request: Request, told: Told) -> Replies:
        match told:
            case Done(value):
                yield request, value
            case Surroundings(reason):
                raise EnvironmentFailure(f"{self._address}: a worker's surroundings: {reason}")
            case Crashed():
                yield from self._here.replies(iter([request]))

    def _connected(self) -> Generator[None, None, Connection]:
        """The connection, once it is there. Raises EnvironmentFailure and Interrupted.

        One that does not come about in time, as where somebody accepts it and says nothing, is
        waited for again when somebody asks again: there is never more than one.
        """
        if self._connecting is None:
            self._connecting = _in_background(lambda: Connection(self._address))
        end = time.monotonic() + SILENT_SECONDS
        while not futures.wait([self._connecting], PATIENCE).done:
            if self._stopping():
                raise Interrupted
            if time.monotonic() > end:
                raise EnvironmentFailure(f"no cluster: {self._address} does not answer")
            yield None
        try:
            return self._connecting.result()
        except Exception as error:
            raise EnvironmentFailure(f"no cluster: {in_a_line(error)}") from error

    def _disconnect(self) -> None:
        """Leave the scheduler, unless the connection is still being made."""
        if self._connecting is not None and self._connecting.done():
            begun, self._connecting = self._connecting, None
            _close(begun)

    def close(self) -> None:
        """End what was started; a cluster of our own, even if it is still starting."""
        self._here.close()
        if self._connecting is not None:
            patience = CONNECT_SECONDS if self._address.startswith(LOCAL) else 0
            futures.wait([self._connecting], patience)
            self._connecting.add_done_callback(_close)


class _UnderWay:
    """Requests that were submitted, in order, and replies that were fetched and not taken."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings
        self._crew = _Crew(connection)
        self._sent: deque[tuple[Request, Any]] = deque()
        self._ready: deque[tuple[Request, Told]] = deque()
        self._fetching: futures.Future[list[Any]] | None = None

    def filled(self, requests: Iterator[Request]) -> bool:
        """Submit as many requests as there is room for; whether anything is left to be taken."""
        for request in list(islice(requests, max(0, self._crew.room() - len(self._sent)))):
            self._sent.append((request, self._connection.submit(request, self._settings)))
        if self._fetching is None and self._sent:
            first = [future for _, future in islice(self._sent, TOGETHER)]
            self._fetching = self._connection.fetch(first)
        return bool(self._ready or self._sent)

    def next(self) -> tuple[Request, Told] | None:
        """The next request with what the workers said, or None if that is not there in time."""
        if self._ready:
            return self._ready.popleft()
        if self._fetching is None or not futures.wait([self._fetching], PATIENCE).done:
            return None
        fetched, self._fetching = self._fetching, None
        for told in self._connection.told(fetched):
            request, future = self._sent.popleft()
            self._ready.append((request, told))
            self._connection.release(future)
        return self._ready.popleft()

    def close(self) -> None:
        """Let the scheduler forget what is not taken."""
        if self._fetching is not None:
            self._fetching.cancel()
        for _, future in self._sent:
            self._connection.release(future)


class _Crew:
    """How many workers there are: looked at about once a second, without waiting for it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._threads = 0
        self._seen = self._asked = time.monotonic()
        self._asking: futures.Future[dict[str, int]] | None = None

    def room(self) -> int:
        """How many requests may be under way. Raises EnvironmentFailure."""
        now = time.monotonic()
        if self._asking is None and (not self._threads or now > self._asked + _LOOK_SECONDS):
            self._asked, self._asking = now, self._connection.threads()
        if self._asking and self._asking.done():
            with suppress(Exception):  # that it is lost, whatever is fetched will tell
                self._threads = sum(self._asking.result().values())
            self._asking = None
        if self._asking and now > self._asked + _ANSWER_SECONDS:
            raise EnvironmentFailure(f"{self._connection.address}: the scheduler does not answer")
        if self._threads:
            self._seen = now
        elif now > self._seen + LONELY_SECONDS:
            raise EnvironmentFailure(f"{self._connection.address}: there is no worker")
        return max(1, min(MOST, AHEAD * self._threads))


def _close(made: futures.Future[Connection]) -> None:
    """Close a connection that was made, if it was."""
    with suppress(Exception):
        made.result().close()


def _in_background(make: Callable[[], Connection]) -> futures.Future[Connection]:
    """Begin to make it in a thread that is not waited for at exit.

    Ctrl-C is not for its threads, nor for processes that they start: these end with us. Python's
    resource tracker would let it through, if it were started later.
    """
    made: futures.Future[Connection] = futures.Future()

    def work() -> None:
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            made.set_result(make())
        except BaseException as error:  # noqa: BLE001 - for whoever asks for it
            made.set_exception(error)

    threading.Thread(target=work, name="cluster", daemon=True).start()
    return made
