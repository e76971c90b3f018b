"""Commands for the drop folder: run, watch, serve, init, status, retry, prune, doctor."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.completion import complete_failed
from pipeline.cli.config import CONFIG_FILE
from pipeline.cli.messages import say
from pipeline.cli.options import Output, example_hint, json_option, origins_of_settings, takes
from pipeline.errors import UsageError, check_extra, counted, printable
from pipeline.option import Setting
from pipeline.quantities import AGE
from pipeline.service.signals import EXIT_BAD_INPUT, EXIT_OK, EXIT_TEMPFAIL
from pipeline.settings import Settings, settings_declared

if TYPE_CHECKING:
    from pipeline.cli.screen import Screen
    from pipeline.outbox.recent import RecentJob, RecentJobs
    from pipeline.outbox.report import ReportUpdater
    from pipeline.service.log import Log
    from pipeline.service.protocol.folders import Folders
    from pipeline.service.protocol.overview import FileState, Overview

_MAX_SHOWN = 20
"""Maximum number of files that `status` lists for each state."""
_ALL_SETTINGS = tuple(settings_declared())
"""The names of all settings."""
_START_COMMANDS = """\
sudoku-pipeline run      # one pass
sudoku-pipeline watch    # until Ctrl-C
sudoku-pipeline serve    # a page to drop puzzles on
"""


@takes(*(name for name in _ALL_SETTINGS if name != "poll"))
def run(settings: Settings) -> None:
    """Process everything in the inbox and exit, for example from cron.

    sudoku-pipeline run

    sudoku-pipeline run --inbox /srv/sudoku/in --outbox /srv/sudoku/out --quiet

    sudoku-pipeline run --cluster local:2

    sudoku-pipeline run --traits canonical,minimal,effort

    On a terminal, this prints a line for each job and a summary; elsewhere, only problems and the
    summary.

    Exit code 0: success; 1: some puzzle ended with the status invalid, unknown or failed, or there
    is no inbox; 75: a disk or folder failed, or a signal arrived. Nothing is lost then: run it
    again.
    """
    from pipeline.service.log import LazyLog
    from pipeline.service.loop import no_hook, run_once

    screen = _terminal_log(settings, is_single_pass=True)
    log = screen or LazyLog(quiet=settings.quiet)
    with _reporting(settings, log) as updater:
        code = run_once(settings, log, updater.jobs_finished if updater else no_hook)
        if updater and code != EXIT_TEMPFAIL:
            updater.update()
    if screen:
        screen.sum_up(was_stopped=code == EXIT_TEMPFAIL)
    raise typer.Exit(code)


@takes(*_ALL_SETTINGS)
def watch(settings: Settings) -> None:
    """Process files dropped in the inbox, until SIGTERM or Ctrl-C.

    sudoku-pipeline watch

    sudoku-pipeline watch --report

    sudoku-pipeline watch --poll --inbox /mnt/share/in

    sudoku-pipeline watch --on-done ./notify.sh

    sudoku-pipeline watch --metrics /run/sudoku-pipeline/metrics.prom

    --on-done and --on-bad append the path of the record to the command, and set SUDOKU_JOB_SOURCE,
    SUDOKU_JOB_STATUS, SUDOKU_JOB_MESSAGE and SUDOKU_JOB_RECORD in its environment. The command
    runs without a shell and with empty input, and is killed after 30 s. If it fails, the last line
    of its output is logged.

    Exit code 0: stopped by a signal; 1: there was no inbox at the start.
    """
    from pipeline.service.log import LazyLog
    from pipeline.service.loop import no_hook
    from pipeline.service.loop import watch as watch_folders

    log = _terminal_log(settings) or LazyLog(quiet=settings.quiet)
    with _reporting(settings, log) as updater:
        watch_folders(settings, log, updater.jobs_finished if updater else no_hook)


@takes(*_ALL_SETTINGS)
def serve(
    settings: Settings,
    *,
    host: Annotated[
        str,
        typer.Option("--host", metavar="NAME", help="Host name or address to listen on."),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", help="Port to listen on; 0: any free port."),
        Setting(minimum=0, maximum=65_535),
    ] = 8181,
) -> None:
    """Watch the inbox, and serve a web page where you drop puzzles and see them solved.

    sudoku-pipeline serve

    sudoku-pipeline serve --port 9000 --inbox /srv/in --outbox /srv/out

    The page takes pasted texts, links and files, and shows results, hints, steps, the queue and the
    report. /health and /metrics are for probes.

    This needs the extra [serve]. The page has no password, and only this machine can reach it,
    unless you set --host. Exit codes: as for `watch`.
    """
    check_extra("serve", "serve", "starlette", "uvicorn")
    from pipeline.web.server import serve as serve_page

    raise typer.Exit(serve_page(settings, _say_address, host, port))


def _say_address(address: str) -> None:
    """Print the address of the page."""
    print(f"serving at {address}", flush=True)


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Folder for the inbox, the outbox and the settings file. Default: the current "
            "folder.",
            show_default=False,
        ),
    ] = Path(),
    *,
    examples: Annotated[
        bool, typer.Option("--examples", help="Also put examples of the formats in the inbox.")
    ] = False,
    systemd: Annotated[
        bool,
        typer.Option(
            "--systemd", help="Also write systemd units for this folder, in FOLDER/systemd."
        ),
    ] = False,
    as_json: Annotated[bool, json_option("path, made (false if it existed)")] = False,
) -> None:
    """Create an inbox, an outbox and a settings file, and explain how to start.

    The settings file lists every setting with its default, commented out. Existing files and
    folders are kept. The units of --systemd run this program as the current user, or as the user
    sudoku if you are root; nothing is installed, but the commands to do so are printed.

    sudoku-pipeline init srv/sudoku

    sudoku-pipeline init --examples

    sudoku-pipeline init --systemd /srv/sudoku
    """
    from pipeline.service.init import create
    from pipeline.service.units import (
        copy_examples,
        install_commands,
        install_obstacle,
        write_units,
    )

    out = Output(as_json)

    def report(path: Path, *, is_new: bool, is_shown: bool = True) -> None:
        text = f"{'created' if is_new else 'kept'} {printable(str(path))}"
        out.row({"path": str(path), "made": is_new}, text if is_shown else None)

    for path, is_new in create(folder, CONFIG_FILE):
        report(path, is_new=is_new)
    if examples:
        copied = [*copy_examples(folder / Settings().inbox)]
        for path, is_new in copied:
            report(path, is_new=is_new, is_shown=False)
        if not as_json:
            count = sum(is_new for _, is_new in copied)
            print(f"created {counted(count, 'example')} in {printable(str(copied[0][0].parent))}")
    for path, is_new in write_units(folder, CONFIG_FILE) if systemd else ():
        report(path, is_new=is_new)
    if as_json:
        return
    place = "" if folder == Path() else f"cd {shlex.quote(printable(str(folder)))}\n"
    commands = textwrap.indent(place + _START_COMMANDS, "    ")
    print(f"\nTo start, drop puzzles in the inbox:\n\n{commands}")
    if systemd:
        installing = textwrap.indent("\n".join(install_commands(folder)), "    ")
        if obstacle := install_obstacle(folder):
            print(f"{obstacle}\n")
        print(f"To install and start the service:\n\n{installing}")
    else:
        named = f" {shlex.quote(printable(str(folder)))}" if place else ""
        print(f"To run it as a service: sudoku-pipeline init --systemd{named}")


def _terminal_log(settings: Settings, *, is_single_pass: bool = False) -> Screen | None:
    """Create the log for people; None if the log is JSON.

    `is_single_pass`: whether the command is `run`. Without a terminal, as from cron, its log shows
    only problems and the summary.
    """
    from pipeline.service.log import is_journal

    wanted = settings.log_format
    if wanted == "json" or (wanted == "auto" and is_journal(sys.stderr)):
        return None
    from pipeline.cli.screen import Screen

    return Screen(
        settings, is_short=is_single_pass and wanted == "auto" and not sys.stderr.isatty()
    )


@contextmanager
def _reporting(settings: Settings, log: Log) -> Iterator[ReportUpdater | None]:
    """Context manager: an updater of the report, or None if the settings request no report."""
    if not settings.report:
        yield None
        return
    from pipeline.outbox.report import ReportUpdater

    def warn(reason: str) -> None:
        log.warning("report.failed", reason=reason)

    updater = ReportUpdater(settings.outbox, settings.inbox, warn)
    try:
        yield updater
    finally:
        updater.close()


@takes("inbox", "outbox", "settle")
def status(
    settings: Settings,
    *,
    since: Annotated[
        float | None,
        typer.Option(
            "--since",
            metavar=AGE.placeholder,
            help="Also list what finished in this time, such as 12h, 90m or 2d: done, failed, "
            "invalid, unknown and unverified files, from their records.",
        ),
        Setting(minimum=0, maximum=10**9, quantity=AGE),
    ] = None,
    as_json: Annotated[
        bool,
        json_option(
            "waiting, settling, ignored, in_work, failed, done, scan_age (in seconds), stuck (true "
            "if files are waiting and no process scans the inbox); recent (with --since: since, "
            "totals, done, failed, invalid, unknown, unverified)"
        ),
    ] = False,
) -> None:
    """Show the files that are waiting, in progress, failed or done.

    sudoku-pipeline status

    sudoku-pipeline status --since 12h

    sudoku-pipeline status --json | jq .scan_age

    Files that settle are still being written. --since counts the latest result of each file.

    Exit code 1: files are waiting, and the inbox has not been scanned for two minutes.
    """
    from pipeline.service.protocol.overview import read_overview

    overview, recent = read_overview(_folders(settings), settings.settle), None
    if since is not None:
        from pipeline.outbox.recent import recent_jobs

        begin = datetime.now(UTC) - timedelta(seconds=since)
        recent = recent_jobs(settings.outbox, begin)
    if as_json:
        fields = dataclasses.asdict(overview) | {"stuck": overview.is_stuck}
        print(json.dumps(fields | ({"recent": dataclasses.asdict(recent)} if recent else {})))
    else:
        _print_overview(overview)
        if recent:
            _print_recent(recent)
    if overview.is_stuck:
        say(
            "files are waiting, but no process scans the inbox: start `sudoku-pipeline watch`, or "
            "`sudoku-pipeline run` from cron"
        )
    raise typer.Exit(EXIT_BAD_INPUT if overview.is_stuck else EXIT_OK)


def _folders(settings: Settings) -> Folders:
    """The folders of the settings. Raises MissingFolder if there is no inbox."""
    from pipeline.service.protocol.folders import Folders

    folders = Folders(settings.inbox, settings.outbox)
    folders.check_inbox()
    return folders


def _print_overview(overview: Overview) -> None:
    """Print the files in each state, and the time of the last scan."""
    for title in ("waiting", "settling", "ignored"):
        _print_files(title, getattr(overview, title))
    _print_files("in progress", overview.in_work)
    _print_files("failed", overview.failed)
    print(f"{'done':<10}{overview.done:>8}")
    age = "never" if overview.scan_age is None else f"{overview.scan_age:.0f} s ago"
    print(f"{'last scan':<10}{age:>8}")


def _print_files(title: str, entries: Sequence[FileState | RecentJob]) -> None:
    """Print the number of files in a state, and the first of them with their notes."""
    print(f"{title:<12}{len(entries):>6,}")
    for entry in entries[:_MAX_SHOWN]:
        is_named = entry.note.startswith(f"{entry.name}:")
        text = entry.note if is_named else ": ".join(filter(None, (entry.name, entry.note)))
        print(f"    {printable(text)}")
    if len(entries) > _MAX_SHOWN:
        print(f"    and {len(entries) - _MAX_SHOWN:,} more")


def _print_recent(recent: RecentJobs) -> None:
    """Print the jobs that finished since a time, problems first."""
    from pipeline.outbox.recent import totals_text

    begin = datetime.fromisoformat(recent.since).astimezone()
    print(f"\nsince {begin:%Y-%m-%d %H:%M}: {printable(totals_text(recent.totals))}")
    for title in ("failed", "invalid", "unknown", "unverified", "done"):
        _print_files(title, getattr(recent, title))


@takes("inbox", "outbox")
def retry(
    context: typer.Context,
    settings: Settings,
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of files in inbox/failed/.", autocompletion=complete_failed),
    ] = None,
    *,
    all_files: Annotated[bool, typer.Option("--all", help="Move all failed files.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list the files; move nothing.")
    ] = False,
    as_json: Annotated[bool, json_option("name, retried, and reason if not")] = False,
) -> None:
    """Move failed files back to the inbox.

    sudoku-pipeline retry puzzle.txt

    sudoku-pipeline retry --all

    sudoku-pipeline retry --all --dry-run

    Exit code 1: some files were not moved, or with --dry-run would not be. --all skips a file if a
    newer file with its name was solved.
    """
    from pipeline.service.protocol.overview import retry_failed

    if bool(names) == all_files:
        raise UsageError(
            f"give either names of failed files or --all{example_hint(context.command)}"
        )
    code, moved = EXIT_OK, "would be moved" if dry_run else "moved"
    files = retry_failed(_folders(settings), None if all_files else names, dry_run=dry_run)
    for name, reason in files:
        fields = {"name": name, "retried": reason is None and not dry_run, "reason": reason}
        Output(as_json).row(fields, None if reason else f"{printable(name)}: {moved} to the inbox")
        if reason and not as_json:
            say(f"{printable(name)}: {reason}")
        code = EXIT_BAD_INPUT if reason else code
    raise typer.Exit(code)


@takes("inbox", "outbox")
def prune(
    settings: Settings,
    *,
    older_than: Annotated[
        float,
        typer.Option(
            "--older-than",
            metavar=AGE.placeholder,
            help="Minimum age, such as 90m, 12h, 30d or 2w.",
        ),
        Setting(minimum=0, maximum=10**12, quantity=AGE),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list the files; delete nothing.")
    ] = False,
    as_json: Annotated[bool, json_option("path, deleted")] = False,
) -> None:
    """Delete old originals from inbox/done/ and old logs.

    Solutions, records and failed files are kept.

    sudoku-pipeline prune --older-than 30d --dry-run

    sudoku-pipeline prune --older-than 30d
    """
    from pipeline.service.log import Display
    from pipeline.service.protocol.overview import delete_expired, expired_files

    expired = expired_files(_folders(settings), older_than)
    display = Display(None, bar=True)
    files = list(display.with_progress(expired, "searching", "file"))
    if dry_run:
        summary = f"would delete {counted(len(files), 'file')}"
    else:
        deletable = display.with_progress(files, "deleting", "file", len(files))
        summary = f"deleted {counted(delete_expired(deletable), 'file')}"
    for file in files if dry_run or as_json else ():
        path, is_gone = str(file.path), not os.path.lexists(file.path)
        Output(as_json).row({"path": path, "deleted": is_gone}, printable(path))
    if not as_json:
        print(summary)


@takes(*_ALL_SETTINGS)
def doctor(
    context: typer.Context,
    settings: Settings,
    *,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Instead of checking the machine, show how these files are read; a puzzle itself "
            "or - (stdin) also works."
        ),
    ] = None,
    formats: Annotated[
        bool,
        typer.Option(
            "--formats", help="List all formats, for reading (--format) and writing (--to)."
        ),
    ] = False,
    as_json: Annotated[
        bool,
        json_option(
            "level (ok, warning or problem), about, remedy; for files: their facts; with "
            "--formats: name, reads, writes, endings, meaning"
        ),
    ] = False,
) -> None:
    """Check this machine and the settings, or show how a file is read.

    Takes the options of `run` and `watch`, and shows where each setting that differs from its
    default comes from: the command line, the environment, or the settings file.

    sudoku-pipeline doctor

    sudoku-pipeline doctor examples/spreadsheet.csv

    sudoku-pipeline doctor --inbox /mnt/share/in

    sudoku-pipeline doctor --formats

    With files, shows the format and why it was chosen, side, boxes, blanks, and unread parts; or
    why a file is refused, and which formats nearly fit.

    --quiet hides passed checks. Exit code 1: there is a problem, or a file is refused.
    """
    from pipeline.service.doctor import Diagnosis, examine

    if formats:
        from pipeline.cli.formats import show_formats

        if files:
            raise UsageError("--formats lists all formats; it takes no files")
        show_formats(Output(as_json, settings.quiet))
        raise typer.Exit
    if files:
        raise typer.Exit(_explain(files, settings, as_json=as_json))
    findings = list(examine(settings))
    for name, origin in origins_of_settings(context).items():
        value = getattr(settings, name)
        text = str(settings_declared()[name].display_value(value))
        text = text.lower() if isinstance(value, bool) else text
        findings.append(Diagnosis("ok", f"--{name.replace('_', '-')} is {text}, from {origin}"))
    for finding in findings:
        if settings.quiet and finding.level == "ok" and not as_json:
            continue
        remedy = f": {finding.remedy}" if finding.remedy else ""
        text = f"{finding.level:<8} {printable(finding.about + remedy)}"
        Output(as_json).row(dataclasses.asdict(finding), text)
    has_problem = any(finding.level == "problem" for finding in findings)
    raise typer.Exit(EXIT_BAD_INPUT if has_problem else EXIT_OK)


def _explain(files: list[Path], settings: Settings, *, as_json: bool) -> int:
    """Print how each file is read, or why it is refused. Returns the exit code."""
    from pipeline.cli.file_access import check_sources, path_of, source_name
    from pipeline.errors import InputError, LimitReached
    from pipeline.reading.explain import Facts, explain

    check_sources(files)
    code, out = EXIT_OK, Output(as_json)
    for file in files:
        name = source_name(file)
        facts: Facts
        try:
            with path_of(file, settings) as path:
                facts = explain(path, name, settings)
        except (InputError, LimitReached) as error:
            refusal = getattr(error, "code", "too-large")
            facts = {"kind": "refused", "code": refusal, "message": str(error)}
        code = EXIT_BAD_INPUT if facts["kind"] == "refused" else code
        lines = [f"{name}: {facts['kind']}"]
        for word, value in facts.items():
            if word != "kind":
                shown = value if isinstance(value, list) else [value]
                title = word.replace("_", " ")
                lines += (f"  {title:<13} {printable(str(x))}" for x in shown)
        out.row({"file": name} | facts, "\n".join(lines))
    return code
