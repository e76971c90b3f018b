"""Commands in real processes that do not wait for Python to start: they are forked from one
that has loaded the package, and their workers from them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest.mock import patch

from pipeline.solving.solvers.child import EXIT_TIMEOUT, Peer

_TESTS = Path(__file__).parents[1]
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["support.warmed"])


def forked(function: Callable[..., object], *values: object) -> BaseProcess:
    """Call a function in a process that is forked from the one that has loaded the package."""
    process = _SERVER.Process(target=function, args=values)
    path = os.pathsep.join(map(str, (_TESTS, _TESTS.parent)))
    with patch.dict(os.environ, PYTHONPATH=path):
        forkserver.ensure_running()
    process.start()
    return process


class ForkedServer(Peer):
    """A peer that need not load anything: the same function, in a process that is forked."""

    def __init__(self, module: str) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self._process = forked(_serve, module, theirs)
        theirs.close()

    def has_ended(self) -> bool:
        return self._process.exitcode is not None

    def exit_code(self) -> int | None:
        self._process.join(EXIT_TIMEOUT)
        return self._process.exitcode

    def close(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join()


def _serve(module: str, pipe: Connection) -> None:
    import_module(module).serve(os.dup(pipe.fileno()))


class Forked:
    """A command that was started, as `subprocess.Popen` has it.

    `out` and `err` are the files, opened for writing, that take what it prints.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        out: Path,
        err: Path,
        environment: Mapping[str, str],
        cwd: Path | None = None,
    ) -> None:
        self._process = forked(
            _run, [*arguments], str(out), str(err), {**environment}, str(cwd or Path.cwd())
        )
        self.args = arguments

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or minus the signal that killed it."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired([*self.args], timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def hurry() -> None:
    """Have a run wait less: for folders to settle, after failures, and for a lost watcher."""
    from pipeline.service import loop
    from pipeline.service.protocol import settle

    settle.FOLDER_SECONDS = 0.01
    loop.POLL_SECONDS = 0.5
    loop._FIRST_PAUSE = loop._LOOK_AFTER_WATCHER = 0.1


def _run(arguments: list[str], out: str, err: str, environment: dict[str, str], cwd: str) -> None:
    from support.breaking import ForkingPool

    from pipeline.cli import main
    from pipeline.service import loop

    hurry()
    loop.Pool = ForkingPool
    for target, path in ((1, out), (2, err)):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, target)
        os.close(descriptor)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")  # as these files need it
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["sudoku-pipeline", *arguments]
    main()
