"""Have what a run loads when it needs it loaded once, before processes are forked from this one."""

from __future__ import annotations

import functools
import gc
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import typer.main
from typer.testing import CliRunner

from pipeline.cli import program
from pipeline.service.exits import Stop
from pipeline.service.loop import run_once
from pipeline.service.workers import Inline, Replies, Request
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers

PUZZLES = {
    "unique": "1...\n..2.\n.3..\n...4\n",
    "multiple": "12..\n3421\n4312\n21..\n",
    "unsolvable": "1.1.\n....\n....\n....\n",
    "invalid": "1...\n..k.\n....\n....\n",
}

LATER = (
    "concurrent.futures.thread",
    "llvmlite.binding",
    "pipeline.certify.compiled",
    "pipeline.service.doctor",
    "pipeline.solving.compiled",
    "platformdirs.unix",
    "pysat.solvers",
    "structlog.dev",
)
"""What other runs load that have workers, or much to do."""


class Here:
    """A pool without processes."""

    batches = 1

    def __init__(self, _: int, settings: Settings, *__: Callable[..., object]) -> None:
        self._settings = settings

    def replies(self, requests: Iterator[Request]) -> Replies:
        with Solvers(self._settings.solver, self._settings.minisat) as solvers:
            yield from Inline(solvers, self._settings, Stop(0.0)).replies(requests)

    def close(self) -> None:
        """Nothing was started."""


class Silent:
    """A log for nobody."""

    def debug(self, event: str, **values: object) -> None:
        """Nothing."""

    info = warning = error = debug


def warm() -> None:
    """Run over a file of each kind in this process."""
    lines = "".join(text.replace("\n", "") + "\n" for text in PUZZLES.values()) * 40
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        for name, text in {**PUZZLES, "lines": lines}.items():
            members.writestr(f"{name}.txt", text)
    with TemporaryDirectory() as folder, patch("pipeline.service.loop.Pool", Here):
        inbox = Path(folder, "inbox")
        inbox.mkdir()
        (inbox / "set.zip").write_bytes(archive.getvalue())
        for name, text in {**PUZZLES, "lines": lines}.items():
            (inbox / f"{name}.txt").write_text(text)
        run_once(Settings(inbox=inbox, outbox=Path(folder, "outbox"), settle=0), Silent())
    for name in LATER:
        with suppress(ImportError):  # of an extra
            import_module(name)
    program.application = functools.cache(program.application)
    typer.main.get_command = functools.cache(typer.main.get_command)
    for name in ("", "run", "watch"):
        typer.main.get_command(program.application(name))
    CliRunner().invoke(program.application("run"), ["run", "--help"])
    gc.collect()
    gc.freeze()
