"""The command line: turns options into library calls, and errors into exit codes.

Neither this module nor `pipeline` imports anything slow: until `main` handles signals, Ctrl-C
prints a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from pipeline.service.signals import code_when_stopped, exit_when_stopped

TYPE_CHECKING = False  # as in pipeline

if TYPE_CHECKING:
    from typer import Typer

__all__ = ["application", "main"]

_GC_THRESHOLD = 50_000
"""Allocations between garbage collections, which took a fifth of the time of `report`."""


def application(only: str = "") -> Typer:
    """The program with all commands, or with `only` this one."""
    from pipeline.cli.program import application as create_application  # noqa: PLC0415 - see above

    return create_application(only)


def main() -> None:
    """Run the command line. From here on, signals end it with the right exit code."""
    command = sys.argv[1] if sys.argv[1:] else ""
    exit_when_stopped(code_when_stopped(command))
    gc.set_threshold(_GC_THRESHOLD)
    atexit.register(gc.freeze)  # skip the garbage collection at exit
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start idle threads
    app = application(command)
    # If stdout is closed, printing has to fail; if stderr is closed, messages are dropped.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app(prog_name="sudoku-pipeline")
