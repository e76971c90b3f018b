"""Loaded by the server that forks all others: it has loaded what a run loads."""

from __future__ import annotations

import functools
import gc
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import support.breakers  # noqa: F401 - for the runs
import typer.main
from support.archives import zip_of
from support.forks import Here
from support.logs import Silent
from support.puzzles import NONE, TWO, UNIQUE
from typer.testing import CliRunner

from pipeline.cli import program
from pipeline.service.loop import run_once
from pipeline.settings import Settings

LATER = (
    "concurrent.futures.thread",
    "llvmlite.binding",
    "pipeline.service.doctor",
    "pipeline.solving.compiled",
    "pysat.solvers",
    "structlog.dev",
)
"""What other runs load that have workers, or much to do."""


def _run() -> None:
    """Run over a file of each kind in this process."""
    files = {f"{number}.txt": text for number, text in enumerate((UNIQUE, TWO, NONE, "1...\n..k."))}
    files["lines.txt"] = "".join(text.replace("\n", "") + "\n" for text in files.values()) * 40
    with TemporaryDirectory() as folder, patch("pipeline.service.loop.Pool", Here):
        inbox = Path(folder, "inbox")
        inbox.mkdir()
        (inbox / "set.zip").write_bytes(zip_of(*files.items()))
        for name, text in files.items():
            (inbox / name).write_text(text)
        run_once(Settings(inbox=inbox, outbox=Path(folder, "outbox"), settle=0), Silent())


_run()
for module in LATER:
    with suppress(ImportError):  # of an extra
        import_module(module)
program.application = functools.cache(program.application)
typer.main.get_command = functools.cache(typer.main.get_command)
for command in ("", "run", "watch"):
    typer.main.get_command(program.application(command))
CliRunner().invoke(program.application("run"), ["run", "--help"])
gc.collect()
gc.freeze()
