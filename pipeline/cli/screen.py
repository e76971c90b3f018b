"""What `run` and `watch` tell a person: a line for each job, and in the end what all came to."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, TextIO

import typer

from pipeline.errors import counted, duration, printable
from pipeline.outbox.events import EVENTS
from pipeline.outbox.names import REPORT
from pipeline.outbox.schema import ASIDE, CLAIMED
from pipeline.service.log import shows
from pipeline.settings import Settings

__all__ = ["Screen"]

Kind = Literal["well", "bad", "warning", "note"]
_MARKS: Final[Mapping[Kind, tuple[str, str, str | None]]] = {
    "well": ("✓", "+", "green"),
    "bad": ("✗", "x", "red"),
    "warning": ("!", "!", "yellow"),
    "note": ("·", "-", None),
}
"""A mark, the same in ASCII, and its colour."""

_NARROWEST, _WIDEST = 16, 40
"""Columns for names."""

_STATUS, _TIME = len("unsolvable"), len("999 ms")
_BESIDE_NAMES = len("✓ ") + len("  ") + _STATUS + len("  ") + _TIME
_FOR_DETAILS = 24
"""Columns that names leave for what stands behind the time, where there are so many."""

_INDENT = " " * 4

_TOLD_BY_REASON = frozenset(("environment.failed", "command.failed"))
"""Events whose reason says all."""


class Screen:
    """A log for people, on standard error; with `quiet`, only what went wrong.

    It colours a terminal, unless NO_COLOR is set, and keeps to ASCII where the locale has no more.
    """

    def __init__(
        self,
        settings: Settings,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._stream = stream
        self._clock = clock
        self._begun = clock()
        self._jobs = 0
        self._puzzles: Counter[str] = Counter()
        self._claimed = 0
        self._waited = 0.0
        self._is_silent = True
        terminal = stream or sys.stderr
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._is_terminal = terminal.isatty()
        self._is_coloured = self._is_terminal and not plain
        self._is_ascii = not shows("✓", terminal)
        self._columns = _columns_of(terminal)

    def info(self, event: str, **values: Any) -> None:
        self._tell("note", event, values)

    def warning(self, event: str, **values: Any) -> None:
        self._tell("warning", event, values)

    def error(self, event: str, **values: Any) -> None:
        self._tell("bad", event, values)

    def _tell(self, kind: Kind, event: str, values: dict[str, Any]) -> None:
        match event:
            case "job.finished":
                self._count(values)
                self._say_finished("bad" if kind == "bad" else "well", values)
            case "run.waited":
                self._waited = values["seconds"]
            case "watch.started":
                inbox, outbox = map(_shown, (self._settings.inbox, self._settings.outbox))
                self._say("note", f"watching {inbox}; results go to {outbox}; Ctrl-C stops")
            case "watch.stopped":
                self.sum_up(has_waited=True, was_stopped=True)
            case _:
                self._say(kind, _in_a_sentence(event, values))

    def _count(self, values: Mapping[str, Any]) -> None:
        self._jobs += 1
        totals = values["totals"] if "totals" in values else {values["status"]: 1}
        self._puzzles.update({name: n for name, n in totals.items() if name not in ASIDE})
        self._claimed += values.get(CLAIMED, values.get("certificate") == CLAIMED)

    def sum_up(self, *, has_waited: bool = False, was_stopped: bool = False) -> None:
        """Say how many puzzles came to what, how fast, and where the results are.

        If it `has_waited` for files, there is no rate to tell. If there were no jobs, say so, but
        if something else was said.
        """
        if self._is_terminal and not self._settings.quiet and (self._jobs or was_stopped):
            self._write("")  # after ^C, too
        if not self._jobs:
            if has_waited:
                self._say("note", "stopped; nothing was dropped")
            elif self._is_silent:
                drop = f"nothing to do: drop files in {_shown(self._settings.inbox)}"
                self._say("note", "stopped before anything was done" if was_stopped else drop)
            return
        seconds = max(self._clock() - self._begun - self._waited, 1e-3)
        total = self._puzzles.total()
        line = f"{total:,} puzzle{'s' * (total != 1)}"
        if self._jobs != total:
            line += f" in {self._jobs:,} file{'s' * (self._jobs != 1)}"
        each = [f"{n:,} {status}" for status, n in self._puzzles.most_common() if n]
        each += [f"{self._claimed:,} only claimed"] if self._claimed else []
        each += [f"besides {duration(self._waited)} of waiting"] if self._waited else []
        line += f", {duration(seconds)}" + ("" if has_waited else f", {_rate(total / seconds)}")
        self._say("note", line, ", ".join(each))
        outbox = _shown(self._settings.outbox)
        if self._settings.report:
            self._say("note", f"results are in {outbox}, with a page of them: {REPORT}")
        else:
            named = "" if outbox == "outbox" else f" {shlex.quote(outbox)}"
            self._say("note", f"results are in {outbox}; for a page: sudoku-pipeline report{named}")

    def _say_finished(self, kind: Kind, values: Mapping[str, Any]) -> None:
        room = self._columns - _BESIDE_NAMES - _FOR_DETAILS
        name = _fitted(printable(values["source"]), min(max(room, _NARROWEST), _WIDEST))
        seconds = values["seconds"]
        took = "" if "batch" in seconds else duration(seconds["total"])  # else that of many
        line = f"{name}  {values['status']:<{_STATUS}}  {took:>{_TIME}}".rstrip()
        self._say(kind, line, _detail(values))

    def _say(self, kind: Kind, line: str, detail: str | None = None) -> None:
        """Write a line, its detail behind it if there is room, else below."""
        if self._settings.quiet and kind in ("well", "note"):
            return
        self._is_silent = False
        mark, in_ascii, colour = _MARKS[kind]
        if self._is_ascii:
            mark, line, detail = in_ascii, _in_ascii(line), detail and _in_ascii(detail)
        below = []
        wrapped = partial(
            textwrap.wrap,
            width=max(self._columns - 1, 2 * _NARROWEST),
            subsequent_indent=_INDENT,
            break_on_hyphens=False,
        )
        if _width(f"{mark} {line}  {detail or ''}") < self._columns:
            line = f"{line}  {detail or ''}".rstrip()
        elif detail is None:
            line, *below = wrapped(line)
        else:
            below = wrapped(detail, initial_indent=_INDENT)
        line = f"{mark} {line}"
        if self._is_coloured and colour:
            end = len(mark) if kind == "well" else len(line)
            line = typer.style(line[:end], fg=colour) + line[end:]
        self._write(line, *below)

    def _write(self, *lines: str) -> None:
        with suppress(OSError, ValueError):  # a closed terminal must not stop the work
            stream = self._stream or sys.stderr
            stream.write("\n".join(lines) + "\n")  # at once: commands are told of by a thread
            stream.flush()


def _detail(values: Mapping[str, Any]) -> str:
    """What there is to say besides status and time."""
    totals, told = values.get("totals"), []
    if totals is not None:
        most = Counter({name: n for name, n in totals.items() if name not in ASIDE})
        told += [f"{n:,} {name}" for name, n in most.most_common() if n]
        told += [f"{values[CLAIMED]:,} only claimed"] if values.get(CLAIMED) else []
        return ", ".join(told)
    if values["status"] == "multiple" and values["complete"]:
        told += [counted(values["solutions"], "solution")]
    told += [values["message"]] if values["message"] else []
    told += ["that these are all is only claimed"] if values["certificate"] == CLAIMED else []
    return printable("; ".join(told))


def _in_a_sentence(event: str, values: Mapping[str, Any]) -> str:
    """An event in words: those of its published meaning, but of a solver that takes over."""
    about, reason = values.get("source"), values.get("reason")
    if event == "solver.fallback":
        who = values.get("solver") or "another solver"
        said = f"{who} answered" if about else f"{who} answers"
        said += f" for {counted(values['puzzles'], 'puzzle')}" if values.get("puzzles") else ""
    elif event == "job.progress":
        said = f"{values['puzzles']:,} puzzles, {_rate(values['per_second'])}"
        said += f", {values['percent']:.0f} %" if values["percent"] is not None else ""
    else:
        said = "" if event in _TOLD_BY_REASON else EVENTS[event].meaning
    return printable(": ".join(filter(None, (about, said, reason))))


def _rate(a_second: float) -> str:
    return f"{a_second:,.0f}/s" if a_second >= 10 else f"{a_second:.1f}/s"


def _shown(path: os.PathLike[str]) -> str:
    return printable(os.fspath(path))


def _in_ascii(text: str) -> str:
    return text.translate({ord("µ"): "u", ord("…"): "~"})


def _fitted(name: str, columns: int) -> str:
    """The name, cut or padded to so many columns."""
    if _width(name) > columns:
        while _width(name) >= columns:
            name = name[:-1]
        name += "…"
    return name + " " * (columns - _width(name))


def _width(text: str) -> int:
    """The columns that a printable text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _columns_of(stream: TextIO) -> int:
    with suppress(ValueError):
        return int(os.environ["COLUMNS"]) if "COLUMNS" in os.environ else _measured(stream)
    return 80


def _measured(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
