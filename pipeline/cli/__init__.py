"""The command line: options → the library, errors → exit codes."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import typer

from pipeline.cli import answers, auditing, folders, formulas, operator, reporting
from pipeline.cli.outcome import accounted

__all__ = ["app", "main"]

app = typer.Typer(
    name="sudoku-pipeline",
    help="Solve Sudoku files that are dropped in a folder, by SAT, and certify every answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = (
    folders.run,
    folders.watch,
    answers.solve,
    answers.count,
    formulas.encode,
    formulas.decode,
    formulas.certify,
    auditing.audit,
    reporting.report,
    operator.status,
    operator.retry,
    operator.prune,
    operator.doctor,
)
for command in COMMANDS:
    app.command()(accounted(command))


def main() -> None:
    """Run the command line; SIGTERM ends a command as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - for as long as we live
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app()
