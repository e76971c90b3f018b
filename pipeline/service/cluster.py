"""Workers of a Dask cluster: requests go to its scheduler, their replies come back in order.

Claims, files and progress stay here. Dask computes the requests of lost and silent workers again
(its `worker-ttl`). A request that kills its workers, or whose reply cannot be read, goes to a
worker of our own, as in a run without a cluster. No other module knows Dask.

Submitted is the function `pickle.loads` with bytes, which compute when a worker unpickles them, and
replies are bytes: the scheduler needs nothing of this package. But Dask unpickles its own messages,
so whoever is the scheduler can run code here.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Coroutine, Generator, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from pickle import loads
from typing import Any, TypeVar

from pipeline.errors import EnvironmentFailure, PipelineError, check_extra
from pipeline.service.replies import one_line, packed, read_reply
from pipeline.service.signals import Interrupted, Stop
from pipeline.service.workers import (
    REPLY_SECONDS,
    Crashed,
    Done,
    EnvironmentFailed,
    Pool,
    Replies,
    Request,
)
from pipeline.settings import Settings
from pipeline.version import __version__

T = TypeVar("T")

LOCAL = "local:"
"""Prefix of a number of workers: a cluster on this machine."""

AHEAD = 3
"""Requests under way for each thread of a worker: one computed, one waiting, one on its way."""

MOST = 256
"""Requests under way in all; the scheduler and we hold some 512 KiB for each."""

TOGETHER = 16
"""Replies that are fetched ahead: one may be some megabytes."""

PATIENCE = 60.0
"""Seconds to wait for a connection, for an answer of the scheduler, and for a worker."""

CONNECT_SECONDS = 10.0
_LOST = "the connection to the scheduler was lost"
EXIT_TIMEOUT = 5.0
_LOOK_SECONDS = 1.0
_TALKATIVE = ("asyncio", "bokeh", "distributed", "tornado")


class Cluster:
    """The workers of a Dask scheduler, or of a cluster made here; connected on demand.

    Raises UsageError if the extra is not installed.
    """

    batches = 8

    def __init__(
        self,
        address: str,
        settings: Settings,
        stop: Stop,
        patience: float = PATIENCE,
    ) -> None:
        check_extra("--cluster", "cluster", "distributed")
        self._address = address
        self._settings = settings
        self._stop = stop
        self._patience = patience
        self._here = Pool(1, settings, stop)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connecting: futures.Future[_Connection] | None = None

    def replies(self, requests: Iterator[Request]) -> Replies:
        """As in Workers. Raises EnvironmentFailure if there is no scheduler, or no worker.

        At most AHEAD requests for each thread of a worker are under way, MOST in all, and up to
        TOGETHER replies are fetched ahead.
        """
        mine = None
        under_way: deque[tuple[Request, futures.Future[bytes | Crashed]]] = deque()
        slots = asyncio.Semaphore(TOGETHER)
        try:
            connection = yield from self._connected()
            mine = self._connecting
            while True:
                room = max(1, min(MOST, AHEAD * connection.threads))
                for request in islice(requests, max(0, room - len(under_way))):
                    data = packed(request, self._settings)
                    under_way.append((request, self._begun(connection.computed(data, slots))))
                if not under_way:
                    return
                request, reply = under_way[0]
                either: list[futures.Future[Any]] = [reply, connection.watching]
                futures.wait(either, REPLY_SECONDS, "FIRST_COMPLETED")
                if self._stop.is_requested:
                    raise Interrupted
                if not reply.done():
                    self._check(connection)
                    yield None
                    continue
                under_way.popleft()
                with self._translating(connection):
                    found = reply.result()
                yield from self._answered(request, found)
                self._loop_thread().call_soon_threadsafe(slots.release)
        except EnvironmentFailure:
            if mine is self._connecting:  # else there is a newer connection
                self._disconnect()
            raise
        finally:
            for _, reply in under_way:
                reply.cancel()

    def _answered(self, request: Request, found: bytes | Crashed) -> Replies:
        """The request with its reply, computed here if a worker could not."""
        read = read_reply(found, request, self._settings) if isinstance(found, bytes) else found
        match read:
            case Done(value):
                yield request, value
            case EnvironmentFailed(reason):
                raise EnvironmentFailure(
                    f"{self._address}: a worker's environment failed: {reason}"
                )
            case Crashed():
                yield from self._here.replies(iter([request]))

    def _connected(self) -> Generator[None, None, _Connection]:
        """The connection, once there is one. Raises EnvironmentFailure, Interrupted.

        A connection is made anew if the last attempt failed, or if it was lost meanwhile.
        """
        connecting = self._connecting
        if connecting is None or _is_over(connecting):
            self._disconnect()
            made = _Connection.made(self._address, self._patience)
            connecting = self._connecting = self._begun(made)
        while not futures.wait([connecting], REPLY_SECONDS).done:
            if self._stop.is_requested:
                raise Interrupted
            yield None
        try:
            return connecting.result()
        except TimeoutError as error:
            raise EnvironmentFailure(f"no cluster: {self._address} does not respond") from error
        except Exception as error:
            raise EnvironmentFailure(f"no cluster: {one_line(error)}") from error

    def _check(self, connection: _Connection) -> None:
        """Raise EnvironmentFailure if the scheduler is silent, or has no workers."""
        if connection.watching.done():
            with self._translating(connection):
                connection.watching.result()

    @contextmanager
    def _translating(self, connection: _Connection) -> Iterator[None]:
        """Turn errors of Dask, and of workers that cannot even reply, into EnvironmentFailure."""
        try:
            yield
        except (TimeoutError, EnvironmentFailure) as error:
            why = str(error) or "the scheduler does not respond"
            raise EnvironmentFailure(f"{self._address}: {why}") from error
        except Exception as error:
            if connection.is_lost or isinstance(error, futures.CancelledError | OSError):
                why = _LOST
            else:
                why = f"a worker cannot compute: {one_line(error)}"
                if not isinstance(error, PipelineError):
                    why += f"; install sudoku-pipeline {__version__} there"
            raise EnvironmentFailure(f"{self._address}: {why}") from error

    def _begun(self, work: Coroutine[Any, Any, T]) -> futures.Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop_thread())

    def _loop_thread(self) -> asyncio.AbstractEventLoop:
        """The loop that speaks to Dask, in a thread of its own.

        Ctrl-C must not reach its threads, nor the processes that they start: these end with us.
        Python's resource tracker is started first, as it would otherwise unblock the signal.
        """
        if self._loop is None:
            loop = self._loop = asyncio.new_event_loop()

            def work() -> None:
                resource_tracker.ensure_running()
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                loop.run_forever()
                loop.close()

            threading.Thread(target=work, name="cluster", daemon=True).start()
        return self._loop

    def _disconnect(self) -> None:
        """Leave the scheduler, and end a local cluster."""
        begun, self._connecting = self._connecting, None
        if begun is None or begun.cancel():
            return
        with suppress(Exception):
            self._begun(begun.result().closed()).result(2 * EXIT_TIMEOUT)

    def close(self) -> None:
        """End everything that was started; a local cluster even if it is still starting."""
        self._here.close()
        if self._connecting is not None and self._address.startswith(LOCAL):
            futures.wait([self._connecting], CONNECT_SECONDS)
        self._disconnect()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None


class _Connection:
    """A client of a scheduler, and a local cluster if the address is local:N.

    `threads` are those of all workers; `watching` ends with why they cannot be used any more.
    """

    watching: futures.Future[None]

    def __init__(self, client: Any, own: Any) -> None:
        self.threads = 0
        self._client = client
        self._own = own

    @classmethod
    async def made(cls, address: str, patience: float) -> _Connection:
        """Connect. Raises TimeoutError, and whatever Dask raises."""
        _silence()
        from distributed import Client, LocalCluster  # noqa: PLC0415 - slow to load

        own: Any = None
        if address.startswith("tls:") and not _is_secured():
            raise EnvironmentFailure("tls:// needs Dask's configuration, distributed.comm.tls")
        if address.startswith(LOCAL):
            own = await LocalCluster(
                n_workers=int(address.removeprefix(LOCAL)),
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                asynchronous=True,
            )
        client = Client(
            own or address,
            asynchronous=True,
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            name="sudoku-pipeline",
        )
        connection = cls(client, own)
        watching = connection._watched(patience)
        connection.watching = asyncio.run_coroutine_threadsafe(watching, asyncio.get_running_loop())
        try:
            await asyncio.wait_for(client, patience)
        except BaseException:
            await connection.closed()
            raise
        return connection

    @property
    def is_lost(self) -> bool:
        """Whether what the scheduler tells is not heard: what was submitted may then never end.

        Dask connects again, unless what it read made no sense: then it only stops reading.
        """
        reading = self._client._handle_report_task  # noqa: SLF001 - nothing else tells
        return bool(self._client.status != "running" or reading is None or reading.done())

    async def computed(self, data: bytes, slots: asyncio.Semaphore) -> bytes | Crashed:
        """Have a worker compute a request; fetch the reply when there is a slot for it.

        Workers take requests, and replies get slots, in the order of submission.
        """
        from distributed import KilledWorker  # noqa: PLC0415 - loaded by now

        key = f"sudoku-{uuid.uuid4().hex}"
        future = self._client.submit(loads, data, key=key, pure=False, fifo_timeout="0s")
        try:
            await slots.acquire()
            reply: bytes = await future
        except KilledWorker as error:
            return Crashed(str(error))
        else:
            return reply
        finally:
            future.release()

    async def _watched(self, patience: float) -> None:
        """Count the threads of workers.

        Raises TimeoutError, and EnvironmentFailure without workers or if the connection is lost.
        """
        await self._client
        had_worker = time.monotonic()
        while time.monotonic() <= had_worker + patience:
            info = await asyncio.wait_for(self._client.scheduler.identity(), patience)
            if self.is_lost:
                raise EnvironmentFailure(_LOST)
            self.threads = sum(each["nthreads"] for each in info["workers"].values())
            if self.threads:
                had_worker = time.monotonic()
            await asyncio.sleep(min(_LOOK_SECONDS, patience))
        raise EnvironmentFailure("no workers")

    async def closed(self) -> None:
        """Leave the scheduler, and end a local cluster."""
        self.watching.cancel()
        reading = self._client._handle_report_task  # noqa: SLF001 - as in `is_lost`
        if reading is not None and reading.done():  # its error would end `close`
            self._client._handle_report_task = None  # noqa: SLF001
        for each in (self._client, self._own):
            with suppress(Exception):
                if each is not None:
                    await each.close(timeout=EXIT_TIMEOUT)


def _is_over(connecting: futures.Future[_Connection]) -> bool:
    """Whether there is no connection after all, or it cannot be used any more."""
    if not connecting.done():
        return False
    return connecting.exception() is not None or connecting.result().watching.done()


def _silence() -> None:
    """Keep Dask from printing; our own log has what matters."""
    import distributed  # noqa: F401, PLC0415 - it sets up its logging when it is loaded

    for name, known in list(logging.root.manager.loggerDict.items()):
        if isinstance(known, logging.Logger) and name.split(".")[0] in _TALKATIVE:
            known.handlers, known.propagate = [logging.NullHandler()], False
    warnings.filterwarnings("ignore", module=r"(dask|distributed|tornado)\b")


def _is_secured() -> bool:
    """Whether Dask's configuration names the certificates for TLS."""
    from distributed.security import Security  # noqa: PLC0415

    return Security().get_connection_args("client").get("ssl_context") is not None
