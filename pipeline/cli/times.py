"""The table of `solve --times`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pipeline.result import Result

STAGES = ("parse", "encode", "solve", "decode", "certify", "total")
_WIDTH_ELSEWHERE = 200


def times_table(results: Iterable[tuple[str, Result]]) -> None:
    """Print one row per file: status, variables, clauses and the seconds of each stage."""
    from rich import box  # noqa: PLC0415 - only this table needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE)
    for heading in ("file", "status", "variables", "clauses", *STAGES):
        justify: Literal["left", "right"] = "left" if heading in ("file", "status") else "right"
        table.add_column(heading, justify=justify, overflow="fold")
    for name, result in results:
        sizes = (str(len(result.cnf.candidates)), str(result.cnf.size)) if result.cnf else ("", "")
        seconds = (
            f"{result.seconds[stage]:.4f}" if stage in result.seconds else "" for stage in STAGES
        )
        table.add_row(name, result.status, *sizes, *seconds)
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    console.print(table)
