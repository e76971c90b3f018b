"""The commands of `--on-done` and `--on-bad`, which are run for jobs that have ended."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from io import RawIOBase
from pathlib import Path

from pipeline.errors import UsageError, in_words, printable
from pipeline.outbox import ENDING
from pipeline.service.jobs import Ended
from pipeline.service.log import Log
from pipeline.settings import Settings
from pipeline.solving.solvers.child import child, ended_within

SECONDS = 30.0
"""How long a command may take; then its process group is killed."""

_LONGEST, _SHOWN = 1000, 200
_LOOK_SECONDS = 0.1
_BLOCK = 64 * 1024


class Commands:
    """Runs commands for jobs that have ended. The next job waits for them.

    A command gets the absolute path of the record as its last argument, and in the environment

        SUDOKU_JOB_SOURCE   the name of what was dropped, as it was: a stranger may have chosen it
        SUDOKU_JOB_STATUS   the status in the record
        SUDOKU_JOB_MESSAGE  the message in the record, printable and at most 1,000 characters; may
                            be empty
        SUDOKU_JOB_RECORD   the path of the record

    The command is split as a shell would, but no shell runs it. Its standard input is empty. Its
    output is not shown, except the last line in the log if it fails. When it ends, or after
    SECONDS, its process group is killed.

    A command runs once at most, after the job is published. That includes a job taken over from
    another process. If the process is killed before the command has run, it never runs. A failure
    is logged, and changes nothing for the job.

    `is_late` says whether the time to stop is over. Raises UsageError for a command that is
    empty, cannot be split or is not found.
    """

    def __init__(
        self, settings: Settings, log: Log, is_late: Callable[[], bool], seconds: float = SECONDS
    ) -> None:
        self._on_done = _split("--on-done", settings.on_done)
        self._on_bad = _split("--on-bad", settings.on_bad)
        self._outbox = settings.outbox
        self._log = log
        self._is_late = is_late
        self._seconds = seconds

    def run(self, ended: Ended) -> None:
        """Run the commands for this job; log which failed."""
        record = str((self._outbox / (ended.manifest.stem + ENDING)).absolute())
        variables = {
            "SUDOKU_JOB_SOURCE": ended.manifest.source,
            "SUDOKU_JOB_STATUS": ended.status,
            "SUDOKU_JOB_MESSAGE": printable(ended.message or "")[:_LONGEST],
            "SUDOKU_JOB_RECORD": record,
        }
        chosen = {"--on-done": self._on_done, "--on-bad": self._on_bad if ended.bad else []}
        for option, argv in chosen.items():
            if not argv:
                continue
            try:
                failure, said = self._outcome([*argv, record], variables)
            except OSError as error:
                failure, said = in_words(error), b""
            except ValueError as error:
                failure, said = str(error), b""
            if failure:
                lines = [line.strip() for line in said.decode(errors="replace").split("\n")]
                last = next(filter(None, reversed(lines)), "")
                reason = f"{option}: {failure}" + (f": {printable(last)[:_SHOWN]}" if last else "")
                source = printable(ended.manifest.source)
                self._log.warning("command.failed", source=source, reason=reason)

    def _outcome(self, argv: Sequence[str], variables: Mapping[str, str]) -> tuple[str, bytes]:
        """How a command failed, empty if it did not, and the end of its output.

        Raises OSError or ValueError if it cannot be started.
        """
        hearing, saying = os.pipe()
        with (
            open(hearing, "rb", buffering=0) as heard,  # noqa: PTH123 - a descriptor
            open(saying, "wb"),  # noqa: PTH123
            Path(os.devnull).open("rb") as nothing,
            child(argv, None, saying, nothing.fileno(), (), variables) as process,
        ):
            os.set_blocking(hearing, False)
            said, outcome = b"", ""
            end = time.monotonic() + self._seconds
            while not ended_within(process, _LOOK_SECONDS) and not outcome:
                said = _end_of(said, heard)
                if time.monotonic() >= end:
                    outcome = f"killed after {self._seconds:g} s"
                elif self._is_late():
                    outcome = "killed, as it was time to stop"
            said = _end_of(said, heard)
        code = process.returncode
        if outcome or not code:
            return outcome, said
        return f"exit code {code}" if code > 0 else f"killed by signal {-code}", said


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
    """The end of the output, with what can be read now."""
    end = time.monotonic() + _LOOK_SECONDS
    while (block := pipe.read(_BLOCK)) and time.monotonic() < end:
        said = (said + block)[-_LONGEST:]
    return said
