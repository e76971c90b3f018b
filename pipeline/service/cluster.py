"""Cluster: compute requests on the workers of a Dask scheduler, and yield the replies in order.

Claims, files and checkpoints stay in this process. Dask repeats the requests of lost workers (see
its `worker-ttl`). A request that kills its workers, or gets an unreadable reply, is computed by a
local worker process. No other module uses Dask.

We submit `pickle.loads(data)`: unpickling computes the request, and replies are bytes, so the
scheduler needs no code of this package. Dask unpickles its own messages, so the scheduler can run
code in this process.
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
from pipeline.service.replies import error_text, pack_request, read_reply
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

_T = TypeVar("_T")

LOCAL_PREFIX = "local:"
"""Address prefix for a cluster on this machine; the number of workers follows."""

REQUESTS_PER_THREAD = 3
"""Pending requests per worker thread: one is computed, one is queued, one is in transit."""

MAX_PENDING_REQUESTS = 256
"""Maximum number of pending requests; each takes about 512 KiB here and in the scheduler."""

MAX_FETCHED = 16
"""Maximum number of replies fetched before they are needed; a reply may have megabytes."""

SCHEDULER_TIMEOUT = 60.0
"""Seconds to wait for a connection, for a response of the scheduler, and for a worker."""

CONNECT_SECONDS = 10.0
"""Seconds that `close` waits for a local cluster that is still starting."""
_LOST_MESSAGE = "the connection to the scheduler was lost"
"""Message of an EnvironmentFailure."""
CLOSE_TIMEOUT = 5.0
"""Seconds to wait for a client or local cluster to close."""
_MONITOR_INTERVAL = 1.0
"""Seconds between checks of the scheduler and its workers."""
_SILENCED_LOGGERS = ("asyncio", "bokeh", "distributed", "tornado")
"""First parts of the names of the loggers of Dask and its dependencies."""


class Cluster:
    """The workers of a Dask scheduler or of a local cluster; connects on demand.

    Raises UsageError if the extra is not installed.
    """

    batch_count = 8

    def __init__(
        self,
        address: str,
        settings: Settings,
        stop: Stop,
        patience: float = SCHEDULER_TIMEOUT,
    ) -> None:
        check_extra("--cluster", "cluster", "distributed")
        self._address = address
        self._settings = settings
        self._stop = stop
        self._patience = patience
        self._local_pool = Pool(1, settings, stop)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connecting: futures.Future[_Connection] | None = None

    def replies(self, requests: Iterator[Request]) -> Replies:
        """See Workers. Raises EnvironmentFailure if the scheduler or the workers cannot be used.

        At most REQUESTS_PER_THREAD requests per thread and MAX_PENDING_REQUESTS in total are
        pending. At most MAX_FETCHED replies are fetched before they are needed.
        """
        own_connection = None
        pending: deque[tuple[Request, futures.Future[bytes | Crashed]]] = deque()
        slots = asyncio.Semaphore(MAX_FETCHED)
        try:
            connection = yield from self._connect()
            own_connection = self._connecting
            while True:
                room = max(1, min(MAX_PENDING_REQUESTS, REQUESTS_PER_THREAD * connection.threads))
                for request in islice(requests, max(0, room - len(pending))):
                    data = pack_request(request, self._settings)
                    pending.append((request, self._run(connection.compute(data, slots))))
                if not pending:
                    return
                request, reply = pending[0]
                futures_waited: list[futures.Future[Any]] = [reply, connection.monitor]
                futures.wait(futures_waited, REPLY_SECONDS, "FIRST_COMPLETED")
                if self._stop.is_requested:
                    raise Interrupted
                if not reply.done():
                    self._check_monitor(connection)
                    yield None
                    continue
                pending.popleft()
                with self._raising_failures(connection):
                    content = reply.result()
                yield from self._replies_to(request, content)
                self._running_loop().call_soon_threadsafe(slots.release)
        except EnvironmentFailure:
            if own_connection is self._connecting:  # otherwise there is a newer connection
                self._disconnect()
            raise
        finally:
            for _, reply in pending:
                reply.cancel()

    def _replies_to(self, request: Request, content: bytes | Crashed) -> Replies:
        """Yield the request with its reply. If workers crashed, a local process computes it."""
        read = (
            read_reply(content, request, self._settings) if isinstance(content, bytes) else content
        )
        match read:
            case Done(value):
                yield request, value
            case EnvironmentFailed(reason):
                raise EnvironmentFailure(
                    f"{self._address}: a worker's environment failed: {reason}"
                )
            case Crashed():
                yield from self._local_pool.replies(iter([request]))

    def _connect(self) -> Generator[None, None, _Connection]:
        """Connect if necessary, and return the connection; yields None while waiting.

        Reconnects if the last attempt failed or the connection was lost. Raises EnvironmentFailure
        and Interrupted.
        """
        connecting = self._connecting
        if connecting is None or _is_unusable(connecting):
            self._disconnect()
            connection = _Connection.connect(self._address, self._patience)
            connecting = self._connecting = self._run(connection)
        while not futures.wait([connecting], REPLY_SECONDS).done:
            if self._stop.is_requested:
                raise Interrupted
            yield None
        try:
            return connecting.result()
        except TimeoutError as error:
            why = f"--cluster {self._address} does not respond; check the address and the scheduler"
            raise EnvironmentFailure(why) from error
        except Exception as error:
            raise EnvironmentFailure(f"--cluster {self._address}: {error_text(error)}") from error

    def _check_monitor(self, connection: _Connection) -> None:
        """Raise EnvironmentFailure if the scheduler does not respond or has no workers."""
        if connection.monitor.done():
            with self._raising_failures(connection):
                connection.monitor.result()

    @contextmanager
    def _raising_failures(self, connection: _Connection) -> Iterator[None]:
        """Convert exceptions of Dask and of its workers to EnvironmentFailure."""
        try:
            yield
        except (TimeoutError, EnvironmentFailure) as error:
            why = str(error) or "the scheduler does not respond"
            raise EnvironmentFailure(f"{self._address}: {why}") from error
        except Exception as error:
            if connection.is_lost or isinstance(error, futures.CancelledError | OSError):
                why = _LOST_MESSAGE
            else:
                why = f"a worker cannot compute: {error_text(error)}"
                if not isinstance(error, PipelineError):
                    why += f"; install sudoku-pipeline {__version__} on the workers"
            raise EnvironmentFailure(f"{self._address}: {why}") from error

    def _run(self, work: Coroutine[Any, Any, _T]) -> futures.Future[_T]:
        return asyncio.run_coroutine_threadsafe(work, self._running_loop())

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        """The event loop for Dask, which runs in its own thread.

        That thread and its child processes block SIGINT: at Ctrl-C, this process ends them.
        Python's resource tracker would unblock the signal, so it is started first.
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
        """Disconnect, and end a local cluster."""
        connecting, self._connecting = self._connecting, None
        if connecting is None or connecting.cancel():
            return
        with suppress(Exception):
            self._run(connecting.result().close()).result(2 * CLOSE_TIMEOUT)

    def close(self) -> None:
        """End all processes and threads, including a local cluster that is still starting."""
        self._local_pool.close()
        if self._connecting is not None and self._address.startswith(LOCAL_PREFIX):
            futures.wait([self._connecting], CONNECT_SECONDS)
        self._disconnect()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None


class _Connection:
    """A client of a scheduler, with a local cluster if the address is local:N.

    `threads`: the number of threads of all workers. `monitor`: a future that fails when the
    scheduler or the workers become unusable.
    """

    monitor: futures.Future[None]

    def __init__(self, client: Any, own_cluster: Any) -> None:
        self.threads = 0
        self._client = client
        self._own_cluster = own_cluster

    @classmethod
    async def connect(cls, address: str, patience: float) -> _Connection:
        """Connect. Raises TimeoutError, EnvironmentFailure and any exception of Dask."""
        _silence_logging()
        from distributed import Client, LocalCluster  # noqa: PLC0415 - slow to load

        own_cluster: Any = None
        if address.startswith("tls:") and not _has_certificates():
            raise EnvironmentFailure(
                "tls:// needs certificates: set distributed.comm.tls in Dask's configuration"
            )
        if address.startswith(LOCAL_PREFIX):
            own_cluster = await LocalCluster(
                n_workers=int(address.removeprefix(LOCAL_PREFIX)),
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                asynchronous=True,
            )
        client = Client(
            own_cluster or address,
            asynchronous=True,
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            name="sudoku-pipeline",
        )
        connection = cls(client, own_cluster)
        monitor = connection._monitor(patience)
        connection.monitor = asyncio.run_coroutine_threadsafe(monitor, asyncio.get_running_loop())
        try:
            await asyncio.wait_for(client, patience)
        except BaseException:
            await connection.close()
            raise
        return connection

    @property
    def is_lost(self) -> bool:
        """Whether Dask no longer reads messages of the scheduler, so that requests may never end.

        Dask reconnects by itself, but after an unreadable message it stops reading.
        """
        reading = self._client._handle_report_task  # noqa: SLF001 - there is no public API
        return bool(self._client.status != "running" or reading is None or reading.done())

    async def compute(self, data: bytes, slots: asyncio.Semaphore) -> bytes | Crashed:
        """Compute a request on a worker, and fetch the reply when a slot is free.

        Requests are computed and fetched in the order of submission.
        """
        from distributed import KilledWorker  # noqa: PLC0415 - loaded already

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

    async def _monitor(self, patience: float) -> None:
        """Count the workers' threads every second.

        Raises TimeoutError if the scheduler does not respond, and EnvironmentFailure if there are
        no workers or the connection is lost.
        """
        await self._client
        had_worker = time.monotonic()
        while time.monotonic() <= had_worker + patience:
            info = await asyncio.wait_for(self._client.scheduler.identity(), patience)
            if self.is_lost:
                raise EnvironmentFailure(_LOST_MESSAGE)
            self.threads = sum(worker["nthreads"] for worker in info["workers"].values())
            if self.threads:
                had_worker = time.monotonic()
            await asyncio.sleep(min(_MONITOR_INTERVAL, patience))
        raise EnvironmentFailure("the scheduler has no workers; start some with `dask worker`")

    async def close(self) -> None:
        """Disconnect, and end a local cluster."""
        self.monitor.cancel()
        reading = self._client._handle_report_task  # noqa: SLF001 - there is no public API
        if reading is not None and reading.done():  # its exception would end the client's `close`
            self._client._handle_report_task = None  # noqa: SLF001
        for closing in (self._client, self._own_cluster):
            with suppress(Exception):
                if closing is not None:
                    await closing.close(timeout=CLOSE_TIMEOUT)


def _is_unusable(connecting: futures.Future[_Connection]) -> bool:
    """Whether connecting failed, or the connection was lost."""
    if not connecting.done():
        return False
    return connecting.exception() is not None or connecting.result().monitor.done()


def _silence_logging() -> None:
    """Silence Dask's loggers and warnings; our own log reports what matters."""
    import distributed  # noqa: F401, PLC0415 - sets up its logging on import

    for name, known in list(logging.root.manager.loggerDict.items()):
        if isinstance(known, logging.Logger) and name.split(".")[0] in _SILENCED_LOGGERS:
            known.handlers, known.propagate = [logging.NullHandler()], False
    warnings.filterwarnings("ignore", module=r"(dask|distributed|tornado)\b")


def _has_certificates() -> bool:
    """Whether Dask's configuration names the certificates for TLS."""
    from distributed.security import Security  # noqa: PLC0415

    return Security().get_connection_args("client").get("ssl_context") is not None
