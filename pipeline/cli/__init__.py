"""The command line: options to library calls, errors to exit codes.

Neither this module nor `pipeline` imports anything slow, because Ctrl-C prints a traceback until
`main` has set up signal handling.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from pipeline.service.signals import end_with, when_stopped

TYPE_CHECKING = False  # as in pipeline

if TYPE_CHECKING:
    from typer import Typer

__all__ = ["application", "main"]

_BEFORE_SEARCH = 50_000
"""Allocations between garbage collections, which took a fifth of the time of `report`."""


def application(only: str = "") -> Typer:
    """All commands, or `only` one of them."""
    from pipeline.cli.program import application as made  # noqa: PLC0415 - see above

    return made(only)


def main() -> None:
    """Run the command line. From here on, signals end it with the right exit code."""
    command = sys.argv[1] if sys.argv[1:] else ""
    end_with(when_stopped(command))
    gc.set_threshold(_BEFORE_SEARCH)
    atexit.register(gc.freeze)  # skip the garbage collection at exit
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start idle threads
    app = application(command)
    # with a closed stdout, printing has to fail; with a closed stderr, messages are dropped
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app(prog_name="sudoku-pipeline")
