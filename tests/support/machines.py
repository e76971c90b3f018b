"""A real Dask scheduler and its workers, each a process of its own, and requests sent to them.

Loading Dask takes a second: the server that forks them has loaded it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.drop_folders import wait_for
from support.forks import Forked, preload, redirect
from support.puzzles import children

from pipeline.version import __version__

preload("distributed")


@dataclass
class Machines:
    """A scheduler, and what replaces its workers when they die, as Dask's nannies do."""

    folder: Path
    scheduler: Forked
    address: str
    nannies: list[Forked] = field(default_factory=list)

    @classmethod
    @contextmanager
    def started(cls, folder: Path, workers: int = 2, port: int = 0) -> Iterator[Machines]:
        """Start them; they may be submitted to at once."""
        told = folder / f"scheduler-{port}"
        scheduler = Forked(be_scheduler, folder / "machines.log", told, port)
        address = wait_for(lambda: told.exists() and told.read_text())
        machines = cls(folder, scheduler, address)
        try:
            machines.nannies += [machines._add_worker(__version__) for _ in range(workers)]
            yield machines
        finally:
            machines.end(*machines.nannies, scheduler)

    def _add_worker(self, version: str) -> Forked:
        return Forked(be_nanny, self.folder / "machines.log", self.address, version)

    @contextmanager
    def other_version(self, version: str) -> Iterator[None]:
        """A worker that has another version of the package, or what looks like one."""
        nanny = self._add_worker(version)
        try:
            yield
        finally:
            self.end(nanny)

    def workers(self) -> set[int]:
        """The processes that compute, once they are there."""
        return set().union(*(wait_for(lambda pid=each.pid: children(pid)) for each in self.nannies))

    def end(self, *started: Forked) -> None:
        """End nannies with their workers, or the scheduler; one that has ended is no matter."""
        for each in started:
            each.send_signal(signal.SIGTERM)
            each.wait()


def be_scheduler(log: Path, told: Path, port: int) -> None:
    """In a process of its own: a scheduler, which has nothing of this package."""
    redirect(log, log)
    for name in list(sys.modules):
        if name.partition(".")[0] == "pipeline":
            sys.modules[name] = None  # type: ignore[assignment]  # it cannot be imported
    from distributed import Scheduler

    async def serve() -> None:
        scheduler = await Scheduler(host="127.0.0.1", port=port, dashboard=False)
        told.write_text(scheduler.address)  # noqa: ASYNC240
        await scheduler.finished()

    asyncio.run(serve())


def be_nanny(log: Path, address: str, version: str) -> None:
    """In a process of its own: start a worker in another, again when that has died."""
    redirect(log, log)
    started: list[int] = []

    def end(*_: object) -> None:
        for pid in started:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while pid := os.fork():
        started[:] = [pid]
        os.waitpid(pid, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    import distributed

    from pipeline.service import replies

    async def serve() -> None:
        worker = await distributed.Worker(address, nthreads=1, dashboard=False)
        await worker.finished()

    replies.__version__ = version
    try:
        asyncio.run(serve())
    finally:
        os._exit(0)
