"""What the commands on the folders do: run, watch, status, retry, prune, doctor."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from pipeline.cli.options import say
from pipeline.cli.screen import Screen
from pipeline.errors import EnvironmentFailure, counted, printable
from pipeline.service.exits import ALL_WELL, SOME_BAD, TRY_AGAIN
from pipeline.service.log import Display, LazyLog, Log
from pipeline.service.loop import no_hook, run_once
from pipeline.service.loop import watch as watch_folders
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.overview import (
    Entry,
    Overview,
    delete_expired,
    expired_files,
    retry_failed,
    survey,
)
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.outbox.report import Keeper


def run(settings: Settings) -> None:
    log = _log(settings)
    with _reporting(settings, log) as keeper:
        code = run_once(settings, log, keeper.after if keeper else no_hook)
        if keeper and code != TRY_AGAIN:
            keeper.finish()
    if isinstance(log, Screen):
        log.sum_up(was_stopped=code == TRY_AGAIN)
    raise typer.Exit(code)


def watch(settings: Settings) -> None:
    log = _log(settings)
    with _reporting(settings, log) as keeper:
        watch_folders(settings, log, keeper.after if keeper else no_hook)


def _log(settings: Settings) -> Log:
    """The log for a person at a terminal, or for a program that reads standard error."""
    wanted = settings.log_format
    is_read = wanted == "console" or (wanted == "auto" and sys.stderr.isatty())
    return Screen(settings) if is_read else LazyLog(quiet=settings.quiet)


@contextmanager
def _reporting(settings: Settings, log: Log) -> Iterator[Keeper | None]:
    if not settings.report:
        yield None
        return
    from pipeline.outbox.report import Keeper  # noqa: PLC0415 - few ask for it

    def warn(reason: str) -> None:
        log.warning("report.failed", reason=reason)

    keeper = Keeper(settings.outbox, settings.inbox, warn)
    try:
        yield keeper
    finally:
        keeper.close()


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_MOST_SHOWN = 20


def _folders(settings: Settings) -> Folders:
    folders = Folders(settings.inbox, settings.outbox)
    if not folders.inbox.is_dir():
        raise EnvironmentFailure(f"{printable(str(settings.inbox))}: no such folder; see --inbox")
    return folders


def status(settings: Settings, *, as_json: bool) -> None:
    overview = survey(_folders(settings), settings.settle)
    if as_json:
        print(json.dumps(dataclasses.asdict(overview) | {"stuck": overview.is_stuck}, indent=1))
    else:
        _print_overview(overview)
    if overview.is_stuck:
        say("files wait and nothing scans: start `sudoku-pipeline watch`, or `run` from cron")
    raise typer.Exit(SOME_BAD if overview.is_stuck else ALL_WELL)


def _print_overview(overview: Overview) -> None:
    for title, entries in (
        ("waiting", overview.waiting),
        ("settling", overview.settling),
        ("ignored", overview.ignored),
        ("in work", overview.in_work),
        ("failed", overview.failed),
    ):
        print(f"{title:<10}{len(entries):>8}")
        _print_entries(entries)
    print(f"{'done':<10}{overview.done:>8}")
    age = "never" if overview.scan_age is None else f"{overview.scan_age:.0f} s ago"
    print(f"{'last scan':<10}{age:>8}")


def _print_entries(entries: list[Entry]) -> None:
    for entry in entries[:_MOST_SHOWN]:
        is_named = entry.note.startswith(f"{entry.name}:")
        said = entry.note if is_named else ": ".join(filter(None, (entry.name, entry.note)))
        print(f"    {printable(said)}")
    if len(entries) > _MOST_SHOWN:
        print(f"    and {len(entries) - _MOST_SHOWN} more")


def retry(settings: Settings, names: list[str] | None, *, every: bool) -> None:
    if bool(names) == every:
        raise typer.BadParameter("give either names or --all")
    code = ALL_WELL
    for name, hindrance in retry_failed(_folders(settings), None if every else names):
        if hindrance is None:
            print(f"{printable(name)}: back in the inbox")
        else:
            say(f"{printable(name)}: {hindrance}")
            code = SOME_BAD
    raise typer.Exit(code)


def _seconds(age: str) -> float:
    match = re.fullmatch(r"(\d{1,6})([smhdw])", age)
    if not match:
        raise typer.BadParameter(f"--older-than {age}: expected a number and s, m, h, d or w: 30d")
    return int(match[1]) * _UNITS[match[2]]


def prune(settings: Settings, *, older_than: str, dry_run: bool) -> None:
    seconds = _seconds(older_than)  # told before a folder that is missing
    expired = expired_files(_folders(settings), seconds)
    display = Display(None, bar=True)
    files = list(display.over(expired, "looking", "file"))
    if dry_run:
        for file in files:
            print(printable(str(file.path)))
        print(f"would delete {counted(len(files), 'file')}")
    else:
        going = display.over(files, "deleting", "file", len(files))
        print(f"deleted {counted(delete_expired(going), 'file')}")


def doctor(settings: Settings, whence: Mapping[str, str], *, as_json: bool) -> None:
    from pipeline.service.doctor import Finding, examine  # noqa: PLC0415 - run and watch need none

    findings = list(examine(settings))
    for name, place in whence.items():
        value = getattr(settings, name)
        said = f"{value:g}" if isinstance(value, float) else str(value)
        said = said.lower() if isinstance(value, bool) else said
        findings.append(Finding("ok", f"{name.replace('_', '-')} is {said}, by {place}"))
    if as_json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        for finding in findings:
            remedy = f": {finding.remedy}" if finding.remedy else ""
            print(f"{finding.level:<8} {printable(finding.about + remedy)}")
    levels = Counter(finding.level for finding in findings)
    raise typer.Exit(SOME_BAD if levels["problem"] else ALL_WELL)
