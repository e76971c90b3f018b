"""The command line: options → the library, errors → exit codes.

Nothing slow is imported before `main` handles signals, neither here nor in `pipeline`: until then
Ctrl-C prints a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from pipeline.service.exits import end_with, when_stopped

TYPE_CHECKING = False  # as in pipeline

if TYPE_CHECKING:
    from typer import Typer

__all__ = ["application", "main"]

_BEFORE_SEARCH = 50_000
"""Objects that Python makes before it looks for garbage; that took a fifth of `report`."""


def application(only: str = "") -> Typer:
    """All commands, or `only` one of them."""
    from pipeline.cli.program import application as made  # noqa: PLC0415 - see above

    return made(only)


def main() -> None:
    """Run the command line; from here on stopping signals end it with the right exit code."""
    command = sys.argv[1] if sys.argv[1:] else ""
    end_with(when_stopped(command))
    gc.set_threshold(_BEFORE_SEARCH)
    atexit.register(gc.freeze)  # else Python searches all that is loaded for garbage as it ends
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start idle threads
    app = application(command)
    # what is printed to a closed standard output fails; messages have nowhere else to go
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app(prog_name="sudoku-pipeline")
