"""Workers of a Dask cluster: requests go to its scheduler, their replies come back in order.

Claims, files and progress stay here. Dask computes the requests of lost and silent workers again
(its `worker-ttl`). A request that kills its workers, or whose reply cannot be read, goes to a
worker of our own, as in a run without a cluster. This is the only module with Dask.

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
from collections.abc import Callable, Generator, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from multiprocessing import resource_tracker
from pickle import loads
from typing import Any

from pipeline.errors import EnvironmentFailure, PipelineError, UsageError
from pipeline.service.exits import Interrupted
from pipeline.service.replies import in_a_line, packed, read_reply
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
from pipeline.version import __version__

LOCAL = "local:"
"""Prefix of a number of workers: a cluster on this machine."""

AHEAD = 3
"""Requests under way for each thread of a worker: one computed, one waiting, one on its way."""

MOST = 256
"""Requests under way in all; the scheduler and we hold some 512 KiB for each."""

TOGETHER = 16
"""Replies that are fetched ahead: one may be some megabytes."""

CONNECT_SECONDS = 10.0
EXIT_TIMEOUT = 5.0
_AGAIN_SECONDS = 0.05
_TALKATIVE = ("asyncio", "bokeh", "distributed", "tornado")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds to wait, and for what.

    `connect`: for a connection, or for a local cluster to start. `answer`: for the scheduler.
    `no_worker`: for a worker, while a caller waits. `look`: between two looks at the workers.
    """

    connect: float = 60.0
    answer: float = 30.0
    no_worker: float = 60.0
    look: float = 1.0


class Cluster:
    """The workers of a Dask scheduler, or of a cluster made here; connected on demand.

    Raises UsageError if the extra is not installed.
    """

    batches = 8

    def __init__(
        self,
        address: str,
        settings: Settings,
        stopping: Callable[[], bool],
        timeouts: Timeouts = Timeouts(),
    ) -> None:
        if find_spec("distributed") is None:
            raise UsageError("--cluster needs dask.distributed: pip install distributed")
        self._address = address
        self._settings = settings
        self._stopping = stopping
        self._timeouts = timeouts
        self._here = Pool(1, settings, stopping)
        self._connecting: futures.Future[Connection] | None = None

    def replies(self, requests: Iterator[Request]) -> Replies:
        """As in Workers. Raises EnvironmentFailure if there is no scheduler, or no worker.

        At most AHEAD requests for each thread of a worker are under way, MOST in all, and up to
        TOGETHER replies are fetched ahead.
        """
        mine = None
        under_way: deque[_Sent] = deque()
        try:
            connection = yield from self._connected()
            mine = self._connecting
            watch = _Watch(connection, self._timeouts)
            while True:
                room = max(1, min(MOST, AHEAD * watch.threads()))
                for request in islice(requests, max(0, room - len(under_way))):
                    under_way.append(connection.submit(request, self._settings))
                if not under_way:
                    return
                for sent in islice(under_way, TOGETHER):
                    sent.fetched = sent.fetched or connection.fetch(sent.future)
                is_there = under_way[0].is_there_within(REPLY_SECONDS)
                if self._stopping():
                    raise Interrupted
                if not is_there:
                    yield None
                    continue
                yield from self._settled(connection, sent := under_way.popleft())
                sent.release()
        except EnvironmentFailure:
            if mine in (None, self._connecting):  # else there is a newer connection
                self._disconnect()
            raise
        finally:
            for sent in under_way:
                sent.release()

    def _settled(self, connection: Connection, sent: _Sent) -> Replies:
        match connection.reply(sent, self._settings):
            case Done(value):
                yield sent.request, value
            case Surroundings(reason):
                raise EnvironmentFailure(f"{self._address}: a worker's surroundings: {reason}")
            case Crashed():
                yield from self._here.replies(iter([sent.request]))

    def _connected(self) -> Generator[None, None, Connection]:
        """The connection, once there is one. Raises EnvironmentFailure, Interrupted.

        A connection that is slow, for example because the other end accepts it and says nothing,
        is waited for again at the next call: there is never more than one.
        """
        if self._connecting is None:
            self._connecting = _in_background(lambda: Connection(self._address))
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
class _Sent:
    """A request, its result on the cluster, and the reply on its way here."""

    request: Request
    future: Any
    fetched: futures.Future[bytes | Crashed] | None = None

    def is_there_within(self, seconds: float) -> bool:
        return self.fetched is not None and bool(futures.wait([self.fetched], seconds).done)

    def release(self) -> None:
        """Have the scheduler forget it, done or not."""
        if self.fetched:
            self.fetched.cancel()
        with suppress(Exception):
            self.future.release()


class _Watch:
    """Asks the scheduler now and then how many threads its workers have."""

    def __init__(self, connection: Connection, timeouts: Timeouts) -> None:
        self._connection = connection
        self._timeouts = timeouts
        self._asked = self._had_worker = time.monotonic()
        self._asking = connection.threads()
        self._threads = 0

    def threads(self) -> int:
        """The last answer. Raises EnvironmentFailure without an answer, or a worker, for long."""
        now, address = time.monotonic(), self._connection.address
        if self._asking.done():
            self._threads = self._connection.result(self._asking)
            self._had_worker = now if self._threads else self._had_worker
            if now > self._asked + self._timeouts.look:
                self._asked, self._asking = now, self._connection.threads()
        elif now > self._asked + self._timeouts.answer:
            raise EnvironmentFailure(f"{address}: the scheduler does not answer")
        if now > self._had_worker + self._timeouts.no_worker:
            raise EnvironmentFailure(f"{address}: there is no worker")
        return self._threads


class Connection:
    """A client of a scheduler, and a local cluster if the address is local:N.

    Nothing here blocks, except making and closing it.
    """

    def __init__(self, address: str) -> None:
        _silence()
        from distributed import Client, KilledWorker, LocalCluster  # noqa: PLC0415 - slow to load

        if address.startswith("tls:") and not _is_secured():
            raise EnvironmentFailure("tls:// needs Dask's own settings, distributed.comm.tls")
        self.address = address
        self._gave_up = KilledWorker
        self._own: Any = None
        if address.startswith(LOCAL):
            self._own = LocalCluster(
                n_workers=int(address.removeprefix(LOCAL)),
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        self._client: Any = Client.__new__(Client)
        try:
            self._client.__init__(
                self._own or address,
                timeout=CONNECT_SECONDS,
                set_as_default=False,
                name="sudoku-pipeline",
            )
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Clean up a client that could not be made: it leaves a thread, and would wait at exit."""
        with suppress(Exception):
            self._client.status = "closed"
            self._client._loop_runner.stop()  # noqa: SLF001 - it has no other end
        self.close()

    def submit(self, request: Request, settings: Settings) -> _Sent:
        """Have a worker compute a request. Workers take requests in the order of submission."""
        with self._translating():
            key = f"sudoku-{uuid.uuid4().hex}"
            sent = packed(request, settings)
            terms = {"key": key, "pure": False, "fifo_timeout": "0s"}
            return _Sent(request, self._client.submit(loads, sent, **terms))

    def fetch(self, computed: Any) -> futures.Future[bytes | Crashed]:
        """Wait for the result, and fetch it."""
        return self._begun(self._fetched(computed))

    async def _fetched(self, computed: Any) -> bytes | Crashed:
        """Fetch one result at a time: in Dask's own `gather` one silent worker holds up all."""
        while True:
            error = await computed.exception(asynchronous=True)
            if isinstance(error, self._gave_up):
                return Crashed(str(error))
            if error is not None:
                raise error
            if computed.cancelled():
                raise ConnectionResetError
            found = await self._client.scheduler.gather(keys=[computed.key])
            if found["status"] == "OK":
                reply: bytes = found["data"][computed.key]
                return reply
            await asyncio.sleep(_AGAIN_SECONDS)  # its worker is lost; it is computed again

    def reply(self, sent: _Sent, settings: Settings) -> Reply:
        """The reply to a request that was fetched. Raises EnvironmentFailure."""
        found = self.result(sent.fetched)
        return found if isinstance(found, Crashed) else read_reply(found, sent.request, settings)

    def threads(self) -> futures.Future[int]:
        """Ask how many threads all workers have."""
        return self._begun(self._counted())

    async def _counted(self) -> int:
        workers = (await self._client.scheduler.identity())["workers"]
        return sum(each["nthreads"] for each in workers.values())

    def _begun(self, work: Any) -> futures.Future[Any]:
        with self._translating():
            try:
                return asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)
            except RuntimeError:  # it is closed
                work.close()
                raise

    def result(self, done: futures.Future[Any] | None) -> Any:
        """The outcome of work that was begun. Raises EnvironmentFailure."""
        assert done is not None, "it was begun"  # noqa: S101 - for mypy
        with self._translating():
            return done.result()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Turn errors of Dask, and of workers that cannot even reply, into EnvironmentFailure."""
        try:
            yield
        except Exception as error:
            lost = self._client.status != "running"
            if lost or isinstance(error, futures.CancelledError | OSError):
                why = "the connection to the scheduler was lost"
            else:
                why = f"a worker cannot compute: {in_a_line(error)}"
                if not isinstance(error, PipelineError):
                    why += f"; install sudoku-pipeline {__version__} there"
            raise EnvironmentFailure(f"{self.address}: {why}") from error

    def close(self) -> None:
        """Leave the scheduler, and end a local cluster."""
        for each in (self._client, self._own):
            with suppress(Exception):
                if each is not None:
                    each.close(timeout=EXIT_TIMEOUT)


def _silence() -> None:
    """Keep Dask from printing; our own log has what matters."""
    import distributed  # noqa: F401, PLC0415 - it sets up its logging when it is loaded

    for name, known in list(logging.root.manager.loggerDict.items()):
        if isinstance(known, logging.Logger) and name.split(".")[0] in _TALKATIVE:
            known.handlers.clear()
            known.propagate = True
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    warnings.filterwarnings("ignore", module=r"(dask|distributed|tornado)\b")


def _is_secured() -> bool:
    """Whether Dask's configuration names the certificates for TLS."""
    from distributed.security import Security  # noqa: PLC0415

    return Security().get_connection_args("client").get("ssl_context") is not None


def _close(made: futures.Future[Connection]) -> None:
    with suppress(Exception):
        made.result().close()


def _in_background(make: Callable[[], Connection]) -> futures.Future[Connection]:
    """Begin to make it in a thread that is not waited for at exit.

    Ctrl-C must not reach its threads, nor the processes that they start: these end with us.
    Python's resource tracker is started first, as it would otherwise unblock the signal.
    """
    made: futures.Future[Connection] = futures.Future()

    def work() -> None:
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            made.set_result(make())
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            made.set_exception(error)

    threading.Thread(target=work, name="cluster", daemon=True).start()
    return made
