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

__all__ = ["COMMANDS", "EVERYDAY_OPTIONS", "FORMER_PANEL", "PANELS"]

FORMER_PANEL = "Former"
"""The panel of former commands, which work until 1.1 and are hidden in the help."""

PANELS: Final[dict[str, tuple[Callable[..., None], ...]]] = {
    "Puzzles": (solve, generate, convert, sheet, dedupe),
    "Folders": (init, run, watch, serve, status, report, retry, prune),
    "Check": (audit, certify, proof, doctor),
    "Formulas": (encode, decode, count, bench, schema),
    FORMER_PANEL: (overlap,),
}
COMMANDS: Final = {command.__name__: command for panel in PANELS.values() for command in panel}

EVERYDAY_OPTIONS: Final = {
    "solve": "--steps --hint --board --traits --timeout --json",
    "generate": "--difficulty --technique --givens --symmetric --seed --output",
    "convert": "--output --to --solutions --force",
    "sheet": "--output --per-page --title --levels --steps --no-solutions",
    "dedupe": "--against --output --table --json",
    "run": "--inbox --outbox --timeout --traits --report --quiet",
    "watch": "--inbox --outbox --timeout --traits --report --on-bad",
    "serve": "--port --host --inbox --outbox",
    "status": "--since --inbox --outbox --json",
    "report": "--output --steps --outbox",
    "retry": "--all --dry-run --inbox",
    "prune": "--older-than --dry-run --inbox",
    "audit": "--originals --timeout --quiet --json",
    "proof": "--output --checker --outbox",
    "doctor": "--formats --inbox --outbox --json",
    "encode": "--output --encoding --empty",
    "decode": "--encoding --empty",
    "count": "--max-solutions --timeout --print",
    "bench": "--solvers --unique --to --timeout",
}
"""Command → the options that `-h` lists. Other commands list all options of their own."""
