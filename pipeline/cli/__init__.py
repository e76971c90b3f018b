"""The command line: options → the library, errors → exit codes.

What is imported here is loaded before `main` can handle a signal: as little as possible.
"""

from __future__ import annotations

import os
import sys

from pipeline.exits import end_with, when_stopped

__all__ = ["main"]


def main() -> None:
    """Run the command line; from here on SIGTERM and Ctrl-C end it with the right exit code."""
    end_with(when_stopped(sys.argv[1] if sys.argv[1:] else ""))
    from pipeline.cli.commands import app  # noqa: PLC0415 - most of the time of a start

    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app()
