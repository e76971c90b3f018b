"""The command that makes a page to look at: report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import takes
from pipeline.cli.writing import STANDARD_OUTPUT, check_target, write_to
from pipeline.errors import EnvironmentFailure, printable
from pipeline.settings import Settings, environment_name


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

    The page is self-contained, but its links lead to the files of the outbox.

    sudoku-pipeline report

    sudoku-pipeline report outbox -o report.html
    """
    from pipeline.report import REPORT, page_pieces, write_report  # noqa: PLC0415 - slow to load

    if not outbox.is_dir():
        raise EnvironmentFailure(f"{printable(str(outbox))}: no such folder")
    if output is None:
        output = outbox / REPORT
        write_report(outbox, settings.inbox, output)
    else:
        check_target("--output", output)
        beside = outbox if output == STANDARD_OUTPUT else output.resolve().parent
        write_to(output, page_pieces(outbox, settings.inbox, beside))
    if not settings.quiet and output != STANDARD_OUTPUT and output.is_file():
        print(printable(str(output)))
