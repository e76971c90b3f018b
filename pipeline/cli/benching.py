"""Print the table of `bench` as text, CSV or LaTeX."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import Final, Literal

from pipeline.errors import printable
from pipeline.service.log import can_encode
from pipeline.solving.bench import BenchResult

COLUMNS: Final = ("name", "variables", "clauses", "status")
"""The columns to the left of the columns of the solvers."""
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
"""Special character of LaTeX → the command that prints it."""
_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _LATEX_ESCAPES)))


class ResultTable:
    """Prints a table with a row for each problem and, except in CSV, rows of totals.

    `to`: the format. CSV and LaTeX are printed row by row, text at the end. A table without rows is
    not printed.
    """

    def __init__(self, to: str, solvers: Sequence[str]) -> None:
        self._to, self._head = to, [*COLUMNS, *solvers]
        self._rows: list[list[str]] = []
        self._seconds: list[list[float]] = [[] for _ in solvers]
        self._count = 0

    def add(self, result: BenchResult) -> None:
        """Add the row of a problem."""
        if not self._count:
            self._begin()
        self._count += 1
        for known, run in zip(self._seconds, result.runs, strict=True):
            if run.seconds is not None:
                known.append(run.seconds)
        sizes = str(result.variables), str(result.clauses)
        seconds = (str(run.failure or _seconds_text(run.seconds)) for run in result.runs)
        self._write([printable(result.where), *sizes, result.status, *seconds])

    def _begin(self) -> None:
        """Print the head of the table."""
        if self._to == "csv":
            self._write(self._head)
        elif self._to == "latex":
            print(rf"\begin{{tabular}}{{lrrl{'r' * len(self._seconds)}}}", r"\hline", sep="\n")
            print(_latex_row(self._head), r"\hline", sep="\n")

    def _write(self, row: list[str]) -> None:
        """Print a row; in text format, keep it until the end."""
        if self._to == "csv":
            csv.writer(sys.stdout, lineterminator="\n").writerow(row)
            sys.stdout.flush()
        elif self._to == "latex":
            print(_latex_row(row), flush=True)
        else:
            self._rows.append(row)

    def end(self) -> None:
        """Print the rows of totals; in text format, print the whole table."""
        if not self._count:
            return
        footer = [
            self._footer_row(f"answered (of {self._count})", lambda known: str(len(known))),
            self._footer_row("total", lambda known: _seconds_text(sum(known) if known else None)),
            self._footer_row(
                "median", lambda known: _seconds_text(median(known) if known else None)
            ),
        ]
        if self._to == "latex":
            print(r"\hline", *map(_latex_row, footer), r"\hline", r"\end{tabular}", sep="\n")
        elif self._to == "text":
            _print_table(self._head, self._rows, footer)

    def _footer_row(self, name: str, summarise: Callable[[list[float]], str]) -> list[str]:
        return [name, "", "", "", *map(summarise, self._seconds)]


def _seconds_text(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.4f}"


def _latex_row(row: Sequence[str]) -> str:
    cells = (_LATEX_SPECIAL.sub(lambda match: _LATEX_ESCAPES[match[0]], cell) for cell in row)
    return " & ".join(cells) + r" \\"


def _print_table(
    head: Sequence[str], rows: Sequence[list[str]], footer: Sequence[list[str]]
) -> None:
    """Print a text table whose columns are as wide as needed."""
    from rich import box  # noqa: PLC0415 - only needed here
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table as RichTable  # noqa: PLC0415

    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = 80 + 16 * len(head)
    table = RichTable(
        box=box.SIMPLE if can_encode("─", sys.stdout) else box.ASCII, padding=(0, 1, 0, 0)
    )
    for name in head:
        side: Literal["left", "right"] = "left" if name in ("name", "status") else "right"
        table.add_column(name, justify=side, no_wrap=name != "name", overflow="fold")
    for row in rows:
        table.add_row(*row)
    table.add_section()
    for row in footer:
        table.add_row(*row)
    console.print(table)
