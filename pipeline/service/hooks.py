"""Hooks: the commands of `--on-done` and `--on-bad`, run for each finished job."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from io import RawIOBase
from pathlib import Path

from pipeline.errors import UsageError, in_words, printable
from pipeline.outbox import RECORD_SUFFIX
from pipeline.service.jobs import EndedJob
from pipeline.service.log import Log
from pipeline.settings import Settings
from pipeline.solving.solvers.child import ended_within, start_child

TIME_LIMIT = 30.0
"""Time limit of a command in seconds, after which its process group is killed."""

_MAX_MESSAGE, _MAX_LOGGED_LINE = 1000, 200
"""Maximum number of characters of SUDOKU_JOB_MESSAGE, and of a logged line of output.

The first one is also the maximum number of bytes of output that are kept.
"""
_POLL_SECONDS = 0.1
"""Seconds between checks whether the command has exited."""
_BLOCK_BYTES = 64 * 1024
"""Bytes of output to read at a time."""


class Commands:
    """Runs commands for each finished job. The next job waits for them.

    A command gets the absolute path of the record as its last argument, and these variables:

        SUDOKU_JOB_SOURCE   the name of the dropped file, unchanged and untrusted
        SUDOKU_JOB_STATUS   the status in the record
        SUDOKU_JOB_MESSAGE  the message in the record, printable, at most 1,000 characters, or
                            empty
        SUDOKU_JOB_RECORD   the path of the record

    The command line is split as by a shell, but run without one. Its standard input is empty. Its
    output is discarded; if it fails, the last line is logged. When it exits, or after TIME_LIMIT
    seconds, its process group is killed.

    A command runs at most once per job, after publication, even if another process began the job.
    If this process is killed between publication and the command, the command does not run. A
    failure of the command is logged, and does not affect the job.

    `is_late` returns whether the grace period is over. Raises UsageError for a command that is
    empty, cannot be split, or is not found.
    """

    def __init__(
        self, settings: Settings, log: Log, is_late: Callable[[], bool], seconds: float = TIME_LIMIT
    ) -> None:
        self._on_done = _split_command("--on-done", settings.on_done)
        self._on_bad = _split_command("--on-bad", settings.on_bad)
        self._outbox = settings.outbox
        self._log = log
        self._is_late = is_late
        self._seconds = seconds

    def run(self, ended: EndedJob) -> None:
        """Run the commands for a finished job, and log their failures."""
        record = str((self._outbox / (ended.manifest.stem + RECORD_SUFFIX)).absolute())
        variables = {
            "SUDOKU_JOB_SOURCE": ended.manifest.source,
            "SUDOKU_JOB_STATUS": ended.status,
            "SUDOKU_JOB_MESSAGE": printable(ended.message or "")[:_MAX_MESSAGE],
            "SUDOKU_JOB_RECORD": record,
        }
        chosen = {"--on-done": self._on_done, "--on-bad": self._on_bad if ended.is_bad else []}
        for option, argv in chosen.items():
            if not argv:
                continue
            try:
                failure, output = self._run([*argv, record], variables)
            except OSError as error:
                failure, output = in_words(error), b""
            except ValueError as error:
                failure, output = str(error), b""
            if failure:
                lines = [line.strip() for line in output.decode(errors="replace").split("\n")]
                last = next(filter(None, reversed(lines)), "")
                reason = f"{option}: {failure}" + (
                    f": {printable(last)[:_MAX_LOGGED_LINE]}" if last else ""
                )
                source = printable(ended.manifest.source)
                self._log.warning("command.failed", source=source, reason=reason)

    def _run(self, argv: Sequence[str], variables: Mapping[str, str]) -> tuple[str, bytes]:
        """Run a command. Returns why it failed, or an empty text, and the end of its output.

        Raises OSError or ValueError if it cannot be started.
        """
        read_end, write_end = os.pipe()
        with (
            open(read_end, "rb", buffering=0) as reader,  # noqa: PTH123 - a descriptor, not a path
            open(write_end, "wb"),  # noqa: PTH123
            Path(os.devnull).open("rb") as null,
            start_child(argv, None, write_end, null.fileno(), (), variables) as process,
        ):
            os.set_blocking(read_end, False)
            output, outcome = b"", ""
            end = time.monotonic() + self._seconds
            while not ended_within(process, _POLL_SECONDS) and not outcome:
                output = _read_available(output, reader)
                if time.monotonic() >= end:
                    outcome = f"killed after {self._seconds:g} s"
                elif self._is_late():
                    outcome = "killed at the end of the grace period"
            output = _read_available(output, reader)
        code = process.returncode
        if outcome or not code:
            return outcome, output
        return f"exit code {code}" if code > 0 else f"killed by signal {-code}", output


def _split_command(option: str, command: str | None) -> list[str]:
    """The program and arguments of a command; empty for None. Raises UsageError."""
    if command is None:
        return []
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{option}: {str(error).lower()}; check the quotes") from error
    if "\0" in command:
        raise UsageError(f"{option}: the command contains a NUL character; remove it")
    if not argv or not argv[0]:
        raise UsageError(f"{option}: expected a command, found an empty text")
    if shutil.which(argv[0]) is None:
        raise UsageError(
            f"{option}: program not found: {printable(argv[0])}; install it, or give its path"
        )
    return argv


def _read_available(output: bytes, pipe: RawIOBase) -> bytes:
    """Append the data available in `pipe` to `output`. Returns the last bytes."""
    end = time.monotonic() + _POLL_SECONDS
    while (block := pipe.read(_BLOCK_BYTES)) and time.monotonic() < end:
        output = (output + block)[-_MAX_MESSAGE:]
    return output
