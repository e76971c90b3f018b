"""All commands, put together."""

from __future__ import annotations

import typer

from pipeline.cli import answers, folders, formulas, operator, outbox
from pipeline.cli.outcome import accounted

__all__ = ["app"]

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
    outbox.audit,
    outbox.schema,
    outbox.report,
    operator.status,
    operator.retry,
    operator.prune,
    operator.doctor,
)
for command in COMMANDS:
    app.command()(accounted(command))
