"""The commands on the folders: run and watch."""

from __future__ import annotations

import typer

from pipeline.cli.options import READING, SOLVING, takes
from pipeline.log import LazyLog
from pipeline.run.loop import run_once
from pipeline.run.loop import watch as watch_folders
from pipeline.settings import Settings

FOLDERS = ("inbox", "outbox")
PROTOCOL = (
    "workers",
    "cluster",
    "max_total_bytes",
    "keep_cnf",
    "settle",
    "grace",
    "log_format",
    "quiet",
)


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL)
def run(settings: Settings) -> None:
    """Process what lies in the inbox and exit: for cron.

    sudoku-pipeline run

    sudoku-pipeline run --inbox /srv/sudoku/in --outbox /srv/sudoku/out --quiet

    Exit code 0: all went well; 1: some input was invalid, unknown or failed; 75: the disk or a
    folder failed, or a signal came; nothing was lost, run again.
    """
    log = LazyLog(settings.log_format, quiet=settings.quiet)
    raise typer.Exit(run_once(settings, log))


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL, "poll", "health")
def watch(settings: Settings) -> None:
    """Process what is dropped in the inbox until SIGTERM or Ctrl-C.

    sudoku-pipeline watch

    sudoku-pipeline watch --poll --inbox /mnt/share/in

    sudoku-pipeline watch --health /run/sudoku-pipeline/health.json
    """
    watch_folders(settings, LazyLog(settings.log_format, quiet=settings.quiet))
