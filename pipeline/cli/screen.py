"""The log for people: one line per job of `run` and `watch`, and a summary at the end."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TextIO

from pipeline.cli.options import program
from pipeline.errors import counted, duration, printable
from pipeline.outbox.events import EVENTS
from pipeline.outbox.names import FAILED, REPORT
from pipeline.outbox.schema import (
    ARCHIVE,
    COLLECTION,
    EXTRA_COUNTS,
    UNVERIFIED,
    WITH_TOTALS,
    status_counts,
)
from pipeline.reading.unread import unread_summary
from pipeline.service.log import can_encode
from pipeline.settings import Settings

if TYPE_CHECKING:
    from rich.console import Console

_MARKS: Final = {"+": ("✓", "green"), "x": ("✗", "red"), "!": ("!", "yellow"), "-": ("·", "")}
"""ASCII mark → mark and colour, for lines about a finished job, a failure, a warning, a note."""

_MIN_NAME_WIDTH, _MAX_NAME_WIDTH = 16, 40
"""The minimum and maximum width of the column of names."""

_STATUS_WIDTH, _TIME_WIDTH = len("unsolvable"), len("999 ms")
"""The widths of the columns of statuses and of times."""

_OTHER_WIDTH = len("✓ ") + len("  ") + _STATUS_WIDTH + len("  ") + _TIME_WIDTH + 24
"""The width of a line without its name: 24 of it are for details."""

_MAX_KEPT = 5
"""Maximum number of unfinished files that the summary of a stopped run names."""

_SHOWN_BY_REASON = frozenset(("environment.failed", "command.failed", "source.unread"))
"""Events for which only the reason is shown, without the documented meaning."""

_ROUTINE_EVENTS = frozenset(
    ("job.continued", "job.progress", "solver.fallback", "compiled.missing", "file.waits")
)
"""Events that a short log leaves out."""


class Screen:
    """A log for people on standard error. With the setting `quiet`, only problems are shown.

    A short log (`is_short`) leaves out successful jobs. On a terminal, lines have colours unless
    NO_COLOR is set. In the C locale, marks are ASCII.
    """

    def __init__(
        self,
        settings: Settings,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        is_short: bool = False,
    ) -> None:
        self._settings = settings
        self._stream = stream
        self._clock = clock
        self._started_at = clock()
        self._jobs = 0
        self._puzzles: Counter[str] = Counter()
        self._unverified = 0
        self._continued_jobs: dict[str, int] = {}
        """Source of a continued job → number of its puzzles that earlier runs solved."""
        self._earlier_puzzles = 0
        self._paused_sources = set[str]()
        self._refused_count = 0
        self._kinds = set[str]()
        self._waited_seconds = 0.0
        self._is_silent = True
        self._is_short = is_short
        self._terminal = stream or sys.stderr
        self._is_terminal = self._terminal.isatty()
        self._is_ascii = not can_encode("✓", self._terminal)

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console  # noqa: PLC0415 - slow to load, and often not needed

        return Console(file=self._terminal, highlight=False, markup=False, soft_wrap=True)

    def info(self, event: str, **values: Any) -> None:
        self._show("-", event, values)

    def warning(self, event: str, **values: Any) -> None:
        self._show("!", event, values)

    def error(self, event: str, **values: Any) -> None:
        self._show("x", event, values)

    def _show(self, ascii_mark: str, event: str, values: dict[str, Any]) -> None:
        """Show an event. If formatting fails, which must not end a job, show it unformatted."""
        try:
            self._show_event(ascii_mark, event, values)
        except Exception:  # noqa: BLE001 - the job is published, but not yet logged
            self._write(printable(f"{_MARKS[ascii_mark][0]} {event} {values}"))

    def _show_event(self, ascii_mark: str, event: str, values: dict[str, Any]) -> None:
        """Show an event, and update the totals."""
        if event in ("job.continued", "job.paused"):
            source = values["source"]
            self._continued_jobs.setdefault(source, values.get("puzzles", 0))
            (self._paused_sources.add if event == "job.paused" else self._paused_sources.discard)(
                source
            )
        match event:
            case "job.finished":
                self._count(values)
                if ascii_mark == "x" or not self._is_short:
                    self._say_finished("x" if ascii_mark == "x" else "+", values)
            case "source.unread" if not self._is_short:
                pass  # the line of the job contains the event
            case "run.waited":
                self._waited_seconds = values["seconds"]
            case "watch.started":
                inbox, outbox = map(_path_text, (self._settings.inbox, self._settings.outbox))
                self._say("-", f"watching {inbox}; results go to {outbox}; press Ctrl-C to stop")
            case "watch.stopped":
                self.sum_up(has_waited=True, was_stopped=True)
            case _ if not (self._is_short and ascii_mark == "-" and event in _ROUTINE_EVENTS):
                self._say(ascii_mark, _event_text(event, values))

    def _count(self, values: Mapping[str, Any]) -> None:
        """Add a finished job to the totals."""
        self._jobs += 1
        totals = values["totals"] if "totals" in values else {values["status"]: 1}
        self._puzzles.update({name: n for name, n in totals.items() if name not in EXTRA_COUNTS})
        self._unverified += values.get(UNVERIFIED, values.get("certificate") == UNVERIFIED)
        self._earlier_puzzles += self._continued_jobs.pop(values["source"], 0)
        self._refused_count += values["status"] in ("invalid", "failed")
        self._kinds |= {values["status"]} & {*WITH_TOTALS}

    def sum_up(self, *, has_waited: bool = False, was_stopped: bool = False) -> None:
        """Print counts by status, time, rate, and where the results are.

        - `has_waited`: leave out time and rate, because most of the time was spent waiting for
          files.
        - `was_stopped`: whether a signal ended the run. Then it also prints the work left for the
          next run.

        The rate counts only puzzles of this run. If there were no jobs, prints that there were
        none, unless another line was printed before.
        """
        if self._is_terminal and not self._settings.quiet and (self._jobs or was_stopped):
            self._write("")  # also ends the line of ^C
        if not self._jobs:
            self._say_no_jobs(has_waited=has_waited, was_stopped=was_stopped)
        else:
            self._say_totals(has_waited=has_waited)
        if was_stopped:
            self._say_kept()
        if self._jobs:
            self._say_where()

    def _say_no_jobs(self, *, has_waited: bool, was_stopped: bool) -> None:
        """Print that no job was finished, unless another line was printed before."""
        if self._paused_sources:
            them = "it" if len(self._paused_sources) == 1 else "them"
            files = counted(len(self._paused_sources), "unfinished file")
            self._say("-", f"stopped with {files}; the next run continues {them}")
        elif has_waited or self._is_silent:
            if has_waited or was_stopped:
                self._say("-", "stopped; no file was finished")
            else:
                self._say_idle()

    def _say_totals(self, *, has_waited: bool) -> None:
        """Print counts by status and, unless `has_waited`, time and rate."""
        total = self._puzzles.total()
        line = counted(total, "puzzle", ",")
        if self._jobs != total:
            line += f" in {counted(self._jobs, 'file', ',')}"
        if self._earlier_puzzles:
            line += f", {self._earlier_puzzles:,} of them solved by earlier runs"
        facts = _counts(self._puzzles, self._unverified)
        waited = ""
        if self._waited_seconds:
            waited = f"plus {duration(self._waited_seconds)} waiting for files"
        if not has_waited:
            seconds = max(self._clock() - self._started_at - self._waited_seconds, 1e-3)
            rate = _rate((total - self._earlier_puzzles) / seconds)
            line += f", {duration(seconds)}{waited and f' {waited}'}, {rate}"
        elif waited:
            facts.append(waited)
        self._say("-", line, ", ".join(facts))

    def _say_idle(self) -> None:
        """Print that there is nothing to do, and why files in the inbox are left out."""
        from pipeline.service.protocol.settle import names_in  # noqa: PLC0415 - rarely needed

        line = f"nothing to do: drop files in {_path_text(self._settings.inbox)}"
        with suppress(OSError):
            if ignored := names_in(self._settings.inbox)[1]:
                name, reason = next(iter(ignored.items()))
                more = f", and {counted(len(ignored) - 1, 'other')}" if len(ignored) > 1 else ""
                line += f"; ignored: {printable(name)} ({reason}){more}"
        self._say("-", line)

    def _say_kept(self) -> None:
        """Print the work left for the next run: files in the inbox, and unfinished files."""
        from pipeline.service.protocol.folders import Folders  # noqa: PLC0415 - rarely needed
        from pipeline.service.protocol.overview import kept_work  # noqa: PLC0415

        kept = []
        with suppress(OSError):
            inbox = self._settings.inbox
            waiting, unfinished = kept_work(Folders(inbox, self._settings.outbox))
            kept += [f"{counted(waiting, 'file', ',')} in {_path_text(inbox)}"] if waiting else []
            for state in unfinished[:_MAX_KEPT]:
                note = f" ({state.note})" if state.note else ""
                kept.append(f"{printable(state.name)}{note}")
            if len(unfinished) > _MAX_KEPT:
                kept.append(counted(len(unfinished) - _MAX_KEPT, "other unfinished file"))
        if kept:
            self._say("-", f"kept for the next run: {', '.join(kept)}")

    def _say_where(self) -> None:
        """Print where the results, the tables and the failed files are."""
        inbox, outbox = map(_path_text, (self._settings.inbox, self._settings.outbox))
        if self._refused_count:
            named = "" if inbox == "inbox" else f" --inbox {shlex.quote(inbox)}"
            files = counted(self._refused_count, "failed file")
            retry = f"{program()} retry --all{named}"
            fix = "fix it" if self._refused_count == 1 else "fix them"
            self._say("-", f"{files} in {inbox}/{FAILED}; {fix} and run: {retry}")
        kinds = [f"{kind}s" for kind in (COLLECTION, ARCHIVE) if kind in self._kinds]
        if kinds:
            self._say("-", f"puzzles of {' and '.join(kinds)}: {outbox}/NAME.csv")
        if self._settings.report:
            self._say("-", f"results are in {outbox}; report: {outbox}/{REPORT}")
        else:
            named = "" if outbox == "outbox" else f" {shlex.quote(outbox)}"
            self._say("-", f"results are in {outbox}; for a report: {program()} report{named}")

    def _say_finished(self, ascii_mark: str, values: Mapping[str, Any]) -> None:
        """Write the line of a finished job."""
        from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - slow to load

        name = printable(values["source"])
        room = min(max(self._console.width - _OTHER_WIDTH, _MIN_NAME_WIDTH), _MAX_NAME_WIDTH)
        if cell_len(name) > room:
            name = set_cell_size(name, room - 1).rstrip() + "…"
        seconds = values["seconds"]
        # With "batch", the total includes other puzzles. A job after too many attempts has none.
        took = duration(seconds["total"]) if "total" in seconds and "batch" not in seconds else ""
        columns = f"{values['status']:<{_STATUS_WIDTH}}  {took:>{_TIME_WIDTH}}"
        line = f"{set_cell_size(name, room)}  {columns}"
        self._say(ascii_mark, line.rstrip(), _detail(values))

    def _say(self, ascii_mark: str, line: str, detail: str | None = None) -> None:
        """Write a line, with its detail after it if that fits, else below it."""
        if self._settings.quiet and ascii_mark in "+-":
            return
        from rich.cells import cell_len  # noqa: PLC0415 - slow to load

        self._is_silent = False
        mark, colour = _MARKS[ascii_mark]
        width = self._console.width - 1
        below = []
        if cell_len(f"{mark} {line}  {detail or ''}") <= width:
            line = f"{line}  {detail or ''}".rstrip()
        elif detail is None:
            line, *below = self._wrap(line, width)
        elif detail:
            below = self._wrap(detail, width)
        text = "\n    ".join((f"{mark} {line}", *below))
        self._write(text, colour, len(mark if ascii_mark == "+" else f"{mark} {line}"))

    def _wrap(self, text: str, width: int) -> list[str]:
        """The lines of a text, which is wrapped only on a terminal."""
        if not self._is_terminal:
            return [text]
        from rich.text import Text  # noqa: PLC0415 - slow to load

        lines = Text(text).wrap(self._console, max(width, 2 * _MIN_NAME_WIDTH) - 4)
        return [line.plain.rstrip() for line in lines]

    def _write(self, text: str, colour: str = "", coloured: int = 0) -> None:
        """Write a text, with its first `coloured` characters in `colour`."""
        from rich.text import Text  # noqa: PLC0415 - slow to load

        shown = Text(text)
        shown.stylize(colour, 0, coloured)
        with suppress(OSError, ValueError):  # the terminal may be closed; the work continues
            with self._console.capture() as captured:
                self._console.print(shown)
            output = captured.get()
            if self._is_ascii:
                output = output.translate(str.maketrans("µ…✓✗·", "u~+x-"))
            stream = self._stream or sys.stderr  # a progress bar replaces sys.stderr
            stream.write(output)
            stream.flush()


def _counts(totals: Mapping[str, int], unverified: int) -> list[str]:
    """The counts by status, and the number of unverified results, as texts."""
    return status_counts(totals) + (
        [f"{unverified:,} not verified as complete"] if unverified else []
    )


def _detail(values: Mapping[str, Any]) -> str:
    """The details of a finished job.

    For a collection or archive: the counts by status. For a puzzle: the number of solutions, the
    message, and whether completeness was not verified.
    """
    if "totals" in values:
        counts = ", ".join(_counts(values["totals"], values.get(UNVERIFIED, 0)))
        return "; ".join(filter(None, (counts, unread_summary(values.get("unread", {})))))
    facts = []
    if values["status"] == "multiple" and values["complete"]:
        facts += [counted(values["solutions"], "solution")]
    facts += [values["message"]] if values["message"] else []
    if values["certificate"] == UNVERIFIED:
        facts += ["not verified as complete"]
    return printable("; ".join(facts))


def _event_text(event: str, values: Mapping[str, Any]) -> str:
    """An event as text: mostly its documented meaning."""
    source, reason = values.get("source"), values.get("reason")
    if event == "solver.fallback":
        solver = values.get("solver") or "another solver"
        text = f"solved by {solver}" if source else f"{solver} is used"
        text += f" for {counted(values['puzzles'], 'puzzle')}" if values.get("puzzles") else ""
    elif event == "job.progress":
        text = f"{values['puzzles']:,} puzzles done, {_rate(values['per_second'])}"
        text += f", {values['percent']:.0f} %" if values["percent"] is not None else ""
    elif event == "compiled.missing":
        text = f"{values['programs']} not compiled"
        text += "; until then, collections are processed hundreds of times slower"
    else:
        text = "" if event in _SHOWN_BY_REASON else EVENTS[event].meaning
    return printable(": ".join(filter(None, (source, text, reason))))


def _rate(per_second: float) -> str:
    """A rate as text, such as `1,234/s`."""
    return f"{per_second:,.0f}/s" if per_second >= 10 else f"{per_second:.1f}/s"


def _path_text(path: os.PathLike[str]) -> str:
    return printable(os.fspath(path))
