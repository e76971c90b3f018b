"""A Dask scheduler: connecting, submitting, computing, fetching. The only module with Dask.

Submitted is the function `pickle.loads` with bytes, which compute when a worker unpickles them, and
replies are bytes: the scheduler needs nothing of this package. We decode replies by their type. But
Dask unpickles its own messages, so that whoever is the scheduler can run code here.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import socket
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pickle import loads
from typing import Any

import msgspec

from pipeline.errors import EnvironmentFailure, PipelineError, UsageError
from pipeline.service.workers import Crashed, Done, Reply, Request, Surroundings, reply_to
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import keep_freed_memory
from pipeline.version import __version__

LOCAL = "local:"
"""Prefix of a number of workers: a cluster on this machine."""

CONNECT_SECONDS = 10.0
EXIT_TIMEOUT = 5.0

_PICKLED_VERSION = b"cpipeline.version\n__version__\n."
"""A worker unpickles this to the version of this package that it has."""

_VERSION_SECONDS = 0.1
_AGAIN_SECONDS = 0.05
_PAUSED = "paused"
_STAYING = ("running", _PAUSED)
_TALKATIVE = ("asyncio", "bokeh", "distributed", "tornado")
_ours = threading.local()


@dataclass(frozen=True, slots=True)
class Worker:
    """What is known about a worker.

    `heartbeat` is when it was last heard of, by the scheduler's clock. `version` is its version
    of this package, or why there is none; None while it has not said. One that is `paused`
    has no memory left: it finishes what it computes, and begins nothing.
    """

    threads: int
    heartbeat: float
    version: str | Exception | None
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """A look at a scheduler: its time, by our monotonic clock, and its workers by address.

    Workers that are closing are left out: others get what they have not begun. `held` maps the
    keys of requests, done or not, to the worker that has them, among those asked about.
    """

    at: float
    workers: dict[str, Worker]
    held: dict[str, str]


def check_installed() -> None:
    """Raise UsageError if the extra is not installed; load nothing."""
    if find_spec("distributed") is None:
        raise UsageError("--cluster needs dask.distributed: pip install distributed")


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
        self._versions: dict[str, asyncio.Task[str | Exception | None]] = {}
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

    def submit(
        self, request: Request, settings: Settings, workers: Collection[str], *, ahead: bool = False
    ) -> Any:
        """Have one of these workers compute a request; returns its future, which has a `key`.

        Workers take requests in the order of submission, but those `ahead` first.
        """
        with self._translating():
            return self._client.submit(
                loads,
                packed(request, settings),
                key=f"sudoku-{uuid.uuid4().hex}",
                pure=False,
                workers=list(workers),
                priority=int(ahead),
                fifo_timeout="0s",
            )

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

    def reply(
        self, fetched: futures.Future[bytes | Crashed], request: Request, settings: Settings
    ) -> Reply:
        """The workers' reply to a request. Raises EnvironmentFailure."""
        with self._translating():
            found = fetched.result()
        return found if isinstance(found, Crashed) else read_reply(found, request, settings)

    def look(self, holders: Sequence[str]) -> futures.Future[Seen]:
        """Request the list of workers, and what the given ones hold."""
        return self._begun(self._seen(holders))

    async def _seen(self, holders: Sequence[str]) -> Seen:
        scheduler = self._client.scheduler
        workers = (await scheduler.identity())["workers"]
        workers = {address: each for address, each in workers.items() if each["status"] in _STAYING}
        at = time.monotonic()
        held = {}
        if holders := [address for address in holders if address in workers]:
            for ask in (scheduler.processing, scheduler.has_what):
                for address, keys in (await ask(workers=holders)).items():
                    held.update(dict.fromkeys(keys, address))
        versions = await self._versions_of(workers)
        return Seen(
            at,
            {
                address: Worker(
                    each["nthreads"],
                    each["last_seen"],
                    versions[address],
                    each["status"] == _PAUSED,
                )
                for address, each in workers.items()
            },
            held,
        )

    async def _versions_of(self, workers: Collection[str]) -> dict[str, str | Exception | None]:
        """The versions of workers; each is asked once, and its answer taken when it comes."""
        for address in self._versions.keys() - workers:
            self._versions.pop(address).cancel()
        for address in workers:
            if address not in self._versions:
                self._versions[address] = asyncio.ensure_future(self._version_of(address))
        if waiting := [each for each in self._versions.values() if not each.done()]:
            await asyncio.wait(waiting, timeout=_VERSION_SECONDS)
        return {
            address: asked.result() if asked.done() else None
            for address, asked in self._versions.items()
        }

    async def _version_of(self, address: str) -> str | Exception | None:
        while True:
            asked = self._client.run(loads, _PICKLED_VERSION, workers=[address], on_error="return")
            version: str | Exception | None = (await asked).get(address)
            if not isinstance(version, OSError):
                return version
            await asyncio.sleep(1.0)  # it could not be reached

    def _begun(self, work: Any) -> futures.Future[Any]:
        with self._translating():
            try:
                return asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)
            except RuntimeError:  # it is closed
                work.close()
                raise

    def release(self, future: Any) -> None:
        """Have the scheduler forget what was submitted, done or not."""
        with suppress(Exception):
            future.release()

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


def in_a_line(error: BaseException) -> str:
    if isinstance(error, PipelineError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def read_reply(data: bytes, request: Request, settings: Settings) -> Reply:
    """Decode a worker's reply by its type; one that is none counts as a crash."""
    try:
        reply: Reply = msgspec.msgpack.decode(data, type=Reply)
        if isinstance(reply, Done):
            return Done(request.unpacked(reply.value, settings))
    except (ValueError, TypeError, PipelineError, msgspec.MsgspecError) as error:
        return Crashed(f"its reply cannot be read: {in_a_line(error)}")
    return reply


def packed(request: Request, settings: Settings) -> bytes:
    """Bytes that a worker unpickles to the packed reply to a request.

    It runs whatever a scheduler sends anyway.
    """
    return pickle.dumps(_Call(__version__, pickle.dumps((request, settings))))


@dataclass(frozen=True, slots=True)
class _Call:
    version: str
    content: bytes

    def __reduce__(self) -> tuple[Callable[[str, bytes], bytes], tuple[str, bytes]]:
        return compute, (self.version, self.content)


def compute(version: str, content: bytes) -> bytes:
    """Compute what `packed` has packed. Raises RuntimeError if the versions differ.

    Such an error, unlike a reply, can be read by every version.
    """
    if version != __version__:
        raise RuntimeError(f"it has sudoku-pipeline {__version__}, not {version}")
    request, settings = pickle.loads(content)  # noqa: S301 - the sender may run anything anyway
    try:
        solvers = _solvers(settings)
    except (PipelineError, OSError) as error:
        reply: Reply = Surroundings(f"on {socket.gethostname()}: {error}")
    else:
        reply = reply_to(request, solvers, settings, packed=True)
    return msgspec.msgpack.encode(reply)


def _solvers(settings: Settings) -> Solvers:
    """The solvers of this thread, kept while the same ones are wanted."""
    wanted = settings.solver, settings.minisat
    if getattr(_ours, "wanted", None) != wanted:
        keep_freed_memory()
        solvers = Solvers(*wanted)
        if hasattr(_ours, "solvers"):
            _ours.solvers.close()
        _ours.solvers, _ours.wanted = solvers, wanted
    found: Solvers = _ours.solvers
    return found
