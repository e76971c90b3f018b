"""A real Dask scheduler and its workers, each a process of its own, and requests sent to them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dropping import environment, wait_for
from solving import children
from support.doubling import doubles

from pipeline.run.cluster import Cluster
from pipeline.settings import Settings

TESTS = Path(__file__).parents[1]
NOWHERE = "tcp://127.0.0.1:1"
"""An address at which no scheduler is."""


@dataclass
class Machines:
    """A scheduler, and the nannies of its workers, which replace what dies."""

    folder: Path
    address: str
    stack: ExitStack
    scheduler: subprocess.Popen[bytes]
    nannies: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @classmethod
    @contextmanager
    def started(cls, folder: Path, workers: int = 2, port: str = "0") -> Iterator[Machines]:
        """Start them; they may be submitted to at once."""
        told = folder / f"scheduler-{port}.json"
        argv = ["scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
        with ExitStack() as stack:
            file = ("--scheduler-file", str(told))
            scheduler = _started(stack, folder, "", *argv, *file)  # which needs nothing of ours
            address = wait_for(lambda: _address_in(told))
            machines = cls(folder, address, stack, scheduler)
            for _ in range(workers):
                machines.add_worker()
            yield machines

    def add_worker(self) -> None:
        path = os.pathsep.join(map(str, (TESTS.parent, TESTS)))
        self.nannies.append(self._with_worker(self.stack, path))

    @contextmanager
    def other_version(self, folder: Path, version: str) -> Iterator[None]:
        """A worker that has another version of the package, or what looks like one."""
        package = folder / "pipeline"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "version.py").write_text(f"__version__ = {version!r}\n")
        with ExitStack() as stack:
            self._with_worker(stack, str(folder), "--no-nanny")
            yield

    def _with_worker(self, stack: ExitStack, path: str, *options: str) -> subprocess.Popen[bytes]:
        argv = ["worker", self.address, "--nthreads", "1", "--nworkers", "1", "--no-dashboard"]
        return _started(stack, self.folder, path, *argv, *options)

    def workers(self) -> set[int]:
        """The processes that compute, once they are there."""
        there = [wait_for(lambda nanny=nanny: workers_of(nanny.pid)) for nanny in self.nannies]
        return set().union(*there)


def _started(
    stack: ExitStack, folder: Path, path: str, what: str, *argv: str
) -> subprocess.Popen[bytes]:
    """Start a part of Dask; it ends at the latest with the stack, and its children with it."""
    log = stack.enter_context((folder / "machines.log").open("ab"))
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", *argv],
        cwd=folder,
        env=environment(PYTHONPATH=path),
        stdout=subprocess.DEVNULL,
        stderr=log,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _address_in(told: Path) -> str | None:
    try:
        return str(json.loads(told.read_text())["address"])
    except (FileNotFoundError, ValueError):
        return None


def workers_of(pid: int) -> set[int]:
    """The workers that a process has started, as a nanny or as a cluster of its own."""
    return {
        child
        for child in children(pid)
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    }


@contextmanager
def stopped(*workers: int) -> Iterator[None]:
    """Stop these processes for a while."""
    try:
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def without_memory(address: str) -> Iterator[None]:
    """Have all workers take themselves for full for a while, so that they are paused."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        usual = set(client.run(_pausing_at, 1e-9).values())
        try:
            yield
        finally:
            client.run(_pausing_at, *usual)


def _pausing_at(fraction: float, dask_worker: Any) -> float:
    """Set how full a worker's memory is when it pauses; how full that was before."""
    memory = dask_worker.memory_manager
    usual, memory.memory_pause_fraction = memory.memory_pause_fraction, fraction
    return float(usual)


class PassedOver(list[str]):
    """A log that keeps why workers are passed over."""

    def warning(self, event: str, **values: Any) -> None:
        assert event == "worker.passed_over"
        self.append(values["reason"])

    debug = info = error = warning


def asked(address: str, requests: Any, **options: Any) -> list[tuple[int, Any]]:
    """What all these requests for doubles came to, one after the other."""
    with closing(Cluster(address, Settings(), lambda: False, **options)) as cluster:
        return doubles(cluster.replies(iter(requests)))
