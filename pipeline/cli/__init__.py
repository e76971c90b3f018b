"""The command line: converts options to library calls, and errors to exit codes.

Neither this module nor `pipeline` imports a slow module: until `main` handles signals, Ctrl-C would
print a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from pipeline.service.signals import code_when_stopped, exit_when_stopped

TYPE_CHECKING = False  # importing typing takes long

if TYPE_CHECKING:
    from typer import Typer

__all__ = ["application", "main"]

_GC_THRESHOLD = 50_000
"""Allocations between garbage collections. With the default, these take a fifth of `report`."""


def application(command: str = "") -> Typer:
    """Create the program with all commands, or only with `command` if it is a command."""
    from pipeline.cli.program import application as create_application  # noqa: PLC0415 - slow to load

    return create_application(command)


def main() -> None:
    """Run the command of the arguments. Signals end it with its exit code for signals."""
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
