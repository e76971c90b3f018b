"""All commands, with their options and help, grouped by the panels of `--help`.

A command imports other modules only when it runs, so that `--help` is fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pipeline.cli.commands.archives import convert, dedupe, generate, overlap
from pipeline.cli.commands.checks import audit, proof, report, schema
from pipeline.cli.commands.drop_folder import doctor, init, prune, retry, run, serve, status, watch
from pipeline.cli.commands.formulas import bench, certify, decode, encode
from pipeline.cli.commands.puzzles import count, sheet, solve

__all__ = ["COMMANDS", "FORMER_PANEL", "PANELS"]

FORMER_PANEL = "Former"
"""The panel of former commands, which work until 1.1 and are hidden in the help."""

PANELS: Final[dict[str, tuple[Callable[..., None], ...]]] = {
    "Folders": (run, watch, serve),
    "One puzzle": (solve, count, sheet, encode, decode),
    "Archives": (convert, generate, dedupe),
    "Check": (certify, audit, proof, report, bench, schema),
    "Operate": (init, status, retry, prune, doctor),
    FORMER_PANEL: (overlap,),
}
COMMANDS: Final = {command.__name__: command for panel in PANELS.values() for command in panel}
