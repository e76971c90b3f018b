"""The commands of `--on-done` and `--on-bad`, which are run for jobs that have ended."""

from __future__ import annotations

import os
import shlex
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from io import RawIOBase
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from pipeline.errors import UsageError, in_words, printable
from pipeline.outbox import ENDING
from pipeline.service.log import Log
from pipeline.service.sinks.set import Ended
from pipeline.settings import Settings
from pipeline.solving.solvers.child import child, ended_within

SECONDS = 30.0
"""How long a command may take; then its process group is killed."""

MOST_WAITING = 10_000
"""Commands that may wait; if there are more, the jobs wait too."""

_PREFIX = "SUDOKU_JOB_"
_LONGEST, _SHOWN = 1000, 200
_LOOK_SECONDS = 0.1
_BLOCK = 64 * 1024


class _Call(NamedTuple):
    """A command to run for one job: the option it is from, its arguments and variables."""

    option: str
    argv: Sequence[str]
    variables: Mapping[str, str]


class Commands:
    """Runs commands for jobs that have ended, one after the other and in that order.

    Jobs do not wait for them, unless MOST_WAITING commands wait.

    A command gets the absolute path of the record as its last argument, and in the environment

        SUDOKU_JOB_SOURCE   the name of what was dropped, as it was: a stranger may have chosen it
        SUDOKU_JOB_STATUS   the status in the record
        SUDOKU_JOB_MESSAGE  the message in the record, printable and at most 1,000 characters; may
                            be empty
        SUDOKU_JOB_RECORD   the path of the record

    It is split as a shell would, but no shell runs it. It has nothing to read; what it prints is
    not shown, but for the last line in the log if it fails. When it ends, or after SECONDS, its
    process group is killed.

    It is run once at most, when all that the job publishes is there: also for a job that another
    process takes over, but not if the process is killed that should have run it. Its failure is
    logged, and changes nothing for the job.

    `stopping` says whether to stop, `is_late` whether the time for that is over. Raises UsageError
    for a command that is empty, cannot be split or is not found.
    """

    def __init__(
        self,
        settings: Settings,
        log: Log,
        stopping: Callable[[], bool],
        is_late: Callable[[], bool],
        seconds: float = SECONDS,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._on_done = _split("--on-done", settings.on_done)
        self._on_bad = _split("--on-bad", settings.on_bad)
        self._outbox = settings.outbox
        self._log = log
        self._stopping = stopping
        self._is_late = is_late
        self._seconds = seconds
        self._room = threading.Semaphore(most_waiting)
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._is_closing = False
        self._has_hung = False
        self._thread = threading.Thread(target=self._work, name="commands", daemon=True)

    def tell(self, ended: Ended) -> None:
        """Have the commands for this job run soon; if too many wait already, wait for one."""
        chosen = {"--on-done": self._on_done, "--on-bad": self._on_bad if ended.bad else []}
        for option, argv in chosen.items():
            if not argv:
                continue
            if not self._thread.is_alive():
                self._thread.start()
            while not self._room.acquire(timeout=_LOOK_SECONDS):
                if self._stopping():
                    break
            self._calls.put(self._call(option, argv, ended))

    def _call(self, option: str, argv: Sequence[str], ended: Ended) -> _Call:
        record = str((self._outbox / (ended.note.stem + ENDING)).absolute())
        told = {
            "SOURCE": ended.note.source,
            "STATUS": ended.status,
            "MESSAGE": printable(ended.message or "")[:_LONGEST],
            "RECORD": record,
        }
        variables = {_PREFIX + name: value for name, value in told.items()}
        return _Call(option, [*argv, record], variables)

    def close(self) -> None:
        """Wait until all commands have been run.

        If that is late, the one that runs is killed and the others are dropped. They are dropped
        too once one of them takes too long, as that would go on for hours.
        """
        if self._thread.is_alive():
            self._is_closing = True
            self._calls.put(None)
            while self._thread.is_alive():  # with pauses, for the handlers of signals
                self._thread.join(_LOOK_SECONDS)

    def _work(self) -> None:
        dropped = 0
        while call := self._calls.get():
            if self._is_late() or (self._is_closing and self._has_hung):
                dropped += 1
            elif failure := self._failure(call):
                source = printable(call.variables[_PREFIX + "SOURCE"])
                reason = f"{call.option}: {failure}"
                self._log.warning("command.failed", source=source, reason=reason)
            self._room.release()
        if dropped:
            why = "it was time to stop" if self._is_late() else "one of them took too long"
            self._log.warning("command.dropped", commands=dropped, reason=why)

    def _failure(self, call: _Call) -> str:
        """Run a command; why it failed, empty if it did not."""
        try:
            code, said = self._run(call)
        except OSError as error:
            return in_words(error)
        except ValueError as error:
            return str(error)
        if code == 0:
            return ""
        lines = said.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        if self._has_hung:
            why = f"killed after {self._seconds:g} s"
        elif code is None:
            why = "killed, as it was time to stop"
        else:
            why = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
        return f"{why}: {printable(last)[:_SHOWN]}" if last else why

    def _run(self, call: _Call) -> tuple[int | None, bytes]:
        """The exit code of a command, None if it was killed here, and the end of what it said.

        Raises OSError if it cannot be started.
        """
        self._has_hung = False
        end = time.monotonic() + self._seconds
        hearing, saying = os.pipe()
        with (
            open(hearing, "rb", buffering=0) as heard,  # noqa: PTH123 - a descriptor
            open(saying, "wb"),  # noqa: PTH123
            Path(os.devnull).open("rb") as nothing,
            child(call.argv, None, saying, nothing.fileno(), (), call.variables) as process,
        ):
            os.set_blocking(hearing, False)
            said = b""
            while not (has_ended := ended_within(process, _LOOK_SECONDS)):
                said = _end_of(said, heard)
                self._has_hung = time.monotonic() >= end
                if self._has_hung or self._is_late():
                    break
            said = _end_of(said, heard)
        return process.returncode if has_ended else None, said


def _split(option: str, command: str | None) -> list[str]:
    """The program and its arguments, none if there is no command. Raises UsageError."""
    if command is None:
        return []
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{option}: expected a command, found {str(error).lower()}") from error
    if "\0" in command:
        raise UsageError(f"{option}: expected a command, found a NUL")
    if not argv or not argv[0]:
        raise UsageError(f"{option}: expected a command, found nothing")
    if shutil.which(argv[0]) is None:
        raise UsageError(
            f"{option}: no program {printable(argv[0])}; expected one on the PATH, or its path"
        )
    return argv


def _end_of(said: bytes, pipe: RawIOBase) -> bytes:
    """The end of what was said, with what can be read now."""
    end = time.monotonic() + _LOOK_SECONDS
    while (block := pipe.read(_BLOCK)) and time.monotonic() < end:
        said = (said + block)[-_LONGEST:]
    return said
