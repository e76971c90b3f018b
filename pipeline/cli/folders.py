"""The commands on the folders: run and watch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from pipeline.cli.options import READING, SOLVING, takes
from pipeline.exits import TRY_AGAIN
from pipeline.log import LazyLog, Log
from pipeline.run.loop import run_once
from pipeline.run.loop import watch as watch_folders
from pipeline.run.sweep import no_hook
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.report import Keeper

FOLDERS = ("inbox", "outbox")
PROTOCOL = ("workers", "cluster", "max_total_bytes", "keep_cnf", "settle", "grace")
OUTPUT = ("report", "log_format", "quiet")


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL, *OUTPUT)
def run(settings: Settings) -> None:
    """Process everything in the inbox and exit: for cron.

    sudoku-pipeline run

    sudoku-pipeline run --inbox /srv/sudoku/in --outbox /srv/sudoku/out --quiet

    sudoku-pipeline run --cluster local:2

    Exit code 0: all went well; 1: some input was invalid, unknown or failed; 75: the disk or a
    folder failed, or a signal came; nothing was lost, run again.
    """
    log = LazyLog(settings.log_format, quiet=settings.quiet)
    with _reporting(settings, log) as keeper:
        code = run_once(settings, log, keeper.after if keeper else no_hook)
        if keeper and code != TRY_AGAIN:
            keeper.finish()
    raise typer.Exit(code)


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL, *OUTPUT, "poll", "health")
def watch(settings: Settings) -> None:
    """Process everything dropped in the inbox until SIGTERM or Ctrl-C.

    sudoku-pipeline watch

    sudoku-pipeline watch --poll --inbox /mnt/share/in

    sudoku-pipeline watch --report

    sudoku-pipeline watch --health /run/sudoku-pipeline/health.json

    Exit code 0: a signal ended it; 75: a folder was missing at the start.
    """
    log = LazyLog(settings.log_format, quiet=settings.quiet)
    with _reporting(settings, log) as keeper:
        watch_folders(settings, log, keeper.after if keeper else no_hook)


@contextmanager
def _reporting(settings: Settings, log: Log) -> Iterator[Keeper | None]:
    if not settings.report:
        yield None
        return
    from pipeline.report import Keeper  # noqa: PLC0415 - few ask for it

    def warn(reason: str) -> None:
        log.warning("report.failed", reason=reason)

    keeper = Keeper(settings.outbox, settings.inbox, warn)
    try:
        yield keeper
    finally:
        keeper.close()
