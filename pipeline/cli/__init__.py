"""The command line: options → the library, errors → exit codes."""

from __future__ import annotations

import sys

import typer

from pipeline.cli import folders, tools
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
    tools.solve,
    tools.count,
    tools.encode,
    tools.decode,
    tools.certify,
)
for command in COMMANDS:
    app.command()(accounted(command))


def main() -> None:
    """Run the command line; file names that are no text are shown escaped."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app()
