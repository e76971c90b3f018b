"""The command line: options → the library, errors → exit codes.

What is imported here is loaded before `main` can handle a signal: as little as possible.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import TYPE_CHECKING

from pipeline.service.exits import end_with, when_stopped

if TYPE_CHECKING:
    from typer import Typer

__all__ = ["application", "main"]


def application(only: str = "") -> Typer:
    """All commands, or `only` one of them."""
    import inspect  # noqa: PLC0415 - see above

    import typer  # noqa: PLC0415

    from pipeline.cli.arguments import (  # noqa: PLC0415
        ELSEWHERE,
        HELP,
        Command,
        Group,
        no_options,
        own_options,
    )
    from pipeline.cli.commands import COMMANDS  # noqa: PLC0415
    from pipeline.cli.options import CONFIG, accounted  # noqa: PLC0415

    is_one = only in COMMANDS  # then no options of its own, for which typer would load pydantic
    app = typer.Typer(
        name="sudoku-pipeline",
        cls=Group,
        help="Solve Sudoku files that are dropped in a folder, by SAT, and certify every answer.",
        context_settings=HELP,
        add_help_option=not is_one,
        add_completion=not is_one,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(no_options if is_one else own_options)  # else a lone command would have no name
    for name in [only] if is_one else COMMANDS:
        has_settings = CONFIG in inspect.signature(COMMANDS[name]).parameters
        epilog = ELSEWHERE if has_settings else None
        command = app.command(cls=Command, context_settings=HELP, epilog=epilog)
        command(accounted(COMMANDS[name]))
    return app


def main() -> None:
    """Run the command line; from here on SIGTERM and Ctrl-C end it with the right exit code."""
    command = sys.argv[1] if sys.argv[1:] else ""
    end_with(when_stopped(command))
    atexit.register(gc.freeze)  # else Python searches all that is loaded for garbage as it ends
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start idle threads
    app = application(command)
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app(prog_name="sudoku-pipeline")
