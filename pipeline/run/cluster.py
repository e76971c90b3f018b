"""A Dask cluster: connecting to its scheduler, submitting and fetching. The only module with Dask.

The scheduler needs nothing of this package: what is submitted is bytes and `pickle.loads`.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
import warnings
from collections.abc import Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import takewhile
from pickle import loads
from typing import Any

from pipeline.errors import EnvironmentFailure, PipelineError, UsageError
from pipeline.run.packing import packed, unpacked
from pipeline.run.pool import Request
from pipeline.run.worker import Crashed, Done, Surroundings
from pipeline.settings import Settings
from pipeline.version import __version__

LOCAL = "local:"
"""Before a number of workers: a cluster of this machine's own."""

CONNECT_SECONDS = 10.0
_FAREWELL_SECONDS = 5.0
_TALKATIVE = ("asyncio", "bokeh", "distributed", "tornado")

Told = Done | Surroundings | Crashed


def check_installed() -> None:
    """Raise UsageError where the extra is not installed; load nothing."""
    if find_spec("distributed") is None:
        raise UsageError("--cluster needs dask.distributed: pip install distributed")


class Connection:
    """A client of a scheduler, and a cluster of our own if the address is local:N.

    Nothing here waits, but for making and closing it.
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
        """Clear away a client that could not be made: it leaves a thread, and waits at its end."""
        with suppress(Exception):
            self._client.status = "closed"
            self._client._loop_runner.stop()  # noqa: SLF001 - it has no other end
        self.close()

    def submit(self, request: Request, settings: Settings) -> Any:
        """Have a request computed; its future."""
        with self._translating():
            key = f"sudoku-{uuid.uuid4().hex}"
            return self._client.submit(loads, packed(request, settings), key=key, pure=False)

    def fetch(self, computed: Sequence[Any]) -> futures.Future[list[Any]]:
        """Fetch what the first of these came to, and what follows it and is there as well."""
        return self._begun(self._fetched(computed))

    async def _fetched(self, computed: Sequence[Any]) -> list[Any]:
        there = list(takewhile(lambda future: future.status == "finished", computed))
        try:
            found: list[Any] = await self._client.gather(
                there or computed[:1], asynchronous=True, direct=False
            )
        except self._gave_up as error:
            if len(there) > 1:
                return await self._fetched(computed[:1])
            return [Crashed(str(error))]
        return found

    def told(self, fetched: futures.Future[list[Any]]) -> list[Told]:
        """What the workers said. Raises EnvironmentFailure."""
        with self._translating():
            return [
                each if isinstance(each, Crashed) else unpacked(each) for each in fetched.result()
            ]

    def threads(self) -> futures.Future[dict[str, int]]:
        """Ask how many threads each worker has."""
        return self._begun(self._client.scheduler.ncores())

    def _begun(self, work: Any) -> futures.Future[Any]:
        with self._translating():
            try:
                return asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)
            except RuntimeError:  # it is closed
                work.close()
                raise

    def release(self, future: Any) -> None:
        """Let the scheduler forget what was submitted, done or not."""
        with suppress(Exception):
            future.release()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Errors of Dask, and of workers that cannot even reply, are the surroundings'."""
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
        """Leave the scheduler, and end a cluster of our own."""
        for each in (self._client, self._own):
            with suppress(Exception):
                if each is not None:
                    each.close(timeout=_FAREWELL_SECONDS)


def _silence() -> None:
    """Let Dask print nothing: what there is to be said, we say."""
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
    """Whether Dask's configuration names the certificates that TLS takes."""
    from distributed.security import Security  # noqa: PLC0415

    return Security().get_connection_args("client").get("ssl_context") is not None


def in_a_line(error: BaseException) -> str:
    """What an error says, in one line."""
    if isinstance(error, PipelineError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
