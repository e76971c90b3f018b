"""Processes that need not load the package: commands, workers and engines are forked.

Tests fork them from a server that has loaded `support.preload`; a command forks its own workers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pipeline.service.signals import Stop
from pipeline.service.workers import LocalWorker, Pool, Replies, Request
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import EXIT_WAIT_SECONDS, Peer

_TESTS = Path(__file__).parents[1]
_SERVER = multiprocessing.get_context("forkserver")
_PRELOADED = ["support.preload"]


def preload(module: str) -> None:
    """Have the server load a module, too; it must not have started yet."""
    _PRELOADED.append(module)


def forked(function: Callable[..., object], *values: object) -> BaseProcess:
    """Call a function in a process that the server forks."""
    process = _SERVER.Process(target=function, args=values)
    _SERVER.set_forkserver_preload(_PRELOADED)
    path = os.pathsep.join(map(str, (_TESTS, _TESTS.parent)))
    with patch.dict(os.environ, PYTHONPATH=path):
        forkserver.ensure_running()
    process.start()
    return process


def _forked_here(function: Callable[..., object], *values: object) -> BaseProcess:
    """Call a function in a process that this one forks, and ends when it ends."""
    process = multiprocessing.get_context("fork").Process(target=function, args=values, daemon=True)
    process.start()
    return process


def _peer(
    module: str, fork: Callable[..., BaseProcess] = _forked_here
) -> tuple[Connection, BaseProcess]:
    ours, theirs = multiprocessing.Pipe()
    with theirs:
        return ours, fork(_serve, module, theirs)


def _serve(module: str, pipe: Connection) -> None:
    """In a fork: hold nothing that belongs to others, and serve."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    descriptor = pipe.fileno()
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    with suppress(ConnectionError):  # whoever asked has died
        import_module(module).serve(descriptor)


_spare: list[tuple[Connection, BaseProcess]] = []
"""Workers that were forked before there were threads, which may hold locks when others fork."""


def fork_spares(count: int) -> None:
    """Fork so many workers of pools, which the next peers take."""
    _spare.extend(_peer(Pool.__module__) for _ in range(count))


class ForkedPeer(Peer):
    """A peer that is forked from this process."""

    def __init__(self, module: str) -> None:
        is_spare = _spare and module == Pool.__module__
        self.pipe, self._process = _spare.pop() if is_spare else _peer(module)

    def terminate(self) -> None:
        self._process.terminate()

    def has_ended(self) -> bool:
        return self._process.exitcode is not None

    def exit_code(self, seconds: float = EXIT_WAIT_SECONDS) -> int | None:
        self._process.join(seconds)
        return self._process.exitcode

    def close(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join()


class ForkedEngine(ForkedPeer):
    """A peer that the server forks."""

    def __init__(self, module: str) -> None:
        self.pipe, self._process = _peer(module, forked)


class ForkingPool(Pool):
    """A pool whose workers are forked before it starts threads."""

    def __init__(self, count: int, settings: Settings, stop: Stop, _: Any) -> None:
        super().__init__(count, settings, stop, ForkedPeer)

    def replies(self, requests: Iterator[Request]) -> Replies:
        fork_spares(self.count - len(_spare) - len(self._idle))
        return super().replies(requests)

    def close(self) -> None:
        super().close()
        while _spare:
            ForkedPeer(Pool.__module__).close()


class Here:
    """A pool without processes."""

    batches = 1

    def __init__(self, _: int, settings: Settings, *__: Callable[..., object]) -> None:
        self._settings = settings

    def replies(self, requests: Iterator[Request]) -> Replies:
        with Solvers(self._settings.solver, self._settings.minisat) as solvers:
            yield from LocalWorker(solvers, self._settings, Stop(0.0)).replies(requests)

    def close(self) -> None:
        """Nothing was started."""


class Forked:
    """A process that the server forks, as `subprocess.Popen` has one."""

    def __init__(self, function: Callable[..., object], *values: object) -> None:
        self._process = forked(function, *values)
        assert self._process.pid
        self.pid = self._process.pid

    @classmethod
    def command(
        cls,
        arguments: Sequence[str],
        out: Path,
        err: Path,
        environment: Mapping[str, str],
        cwd: Path | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> Forked:
        """Start a command that prints to files; `prepare` is called in its process before it."""
        where = cwd or Path.cwd()
        return cls(run_command, [*arguments], out, err, {**environment}, where, prepare)

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or minus the signal that killed it."""
        self._process.join(timeout)
        code = self._process.exitcode
        assert code is not None, "it did not end in time"
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def redirect(out: Path, err: Path) -> None:
    """Have what this process prints go to files."""
    for target, path in ((1, out), (2, err)):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, target)
        os.close(descriptor)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")  # as these files need it


def run_command(
    arguments: Sequence[str],
    out: Path,
    err: Path,
    environment: Mapping[str, str],
    cwd: Path,
    prepare: Callable[[], None] | None,
) -> None:
    """In a fork: a command that waits less for folders to settle, and after failures."""
    from pipeline.cli import main
    from pipeline.service import loop
    from pipeline.service.protocol import settle

    settle.FOLDER_SECONDS = 0.01
    loop.POLL_SECONDS = 0.5
    loop._MIN_PAUSE = loop._CHECK_WATCHER_SECONDS = 0.1
    loop.Pool = ForkingPool
    redirect(out, err)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    if prepare:
        prepare()
    sys.argv = ["sudoku-pipeline", *arguments]
    main()
