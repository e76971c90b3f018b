"""The command that makes a page to look at: report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import takes
from pipeline.errors import EnvironmentFailure, printable
from pipeline.settings import Settings, environment_name

STANDARD_OUTPUT = Path("-")


@takes("inbox", "quiet")
def report(
    settings: Settings,
    outbox: Annotated[
        Path, typer.Argument(envvar=environment_name("outbox"), help="What to report.")
    ] = Path("outbox"),
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write the page: report.html in the outbox; - is standard output.",
        ),
    ] = None,
) -> None:
    """Write one page that shows what is in an outbox: totals, times, jobs, drawn boards.

    The page needs nothing else, but its links lead to the files of the outbox.

    sudoku-pipeline report

    sudoku-pipeline report outbox -o report.html
    """
    from pipeline.report import REPORT, page_pieces, write_report  # noqa: PLC0415 - slow to load

    if not outbox.is_dir():
        raise EnvironmentFailure(f"{printable(str(outbox))}: no such folder")
    if output == STANDARD_OUTPUT:
        for piece in page_pieces(outbox, settings.inbox, outbox):
            sys.stdout.write(piece)
        return
    target = output or outbox / REPORT
    write_report(outbox, settings.inbox, target)
    if not settings.quiet:
        print(printable(str(target)))
