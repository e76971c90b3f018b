"""A survey of an outbox → one HTML file, written once, or kept up to date while jobs end."""

from __future__ import annotations

import base64
import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import duration, in_words
from pipeline.files import read_regular, write_whole
from pipeline.outbox.names import REPORT
from pipeline.outbox.report.board import BOARD_STYLE
from pipeline.outbox.report.records import shortened
from pipeline.outbox.report.styles import SHAPES_STYLE
from pipeline.outbox.report.survey import (
    Bounds,
    Survey,
    bars_svg,
    finished_bars,
    moment_said,
    rate,
    solve_time_bars,
    survey,
)
from pipeline.outbox.report.views import PAGE, Viewer, encoded, in_order
from pipeline.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

RENEWING = ' data-renews="5"'
"""The page begins with this while it is kept up to date: its script reloads it."""

_BEGINNING = 100
_LARGEST_PAGE = 64 * 1024 * 1024
_ABANDONED = 3600.0
"""Seconds after which a temporary file has no writer any more."""

_PAUSE = 5.0
"""Seconds between two pages."""

_SLICE, _SHARE = 0.05, 10
"""Seconds that a slice of work on a page may take; its share of all time is one part in ten."""

_LAST_SECONDS = 1.0
"""Time for a last page when the process is told to stop; otherwise the next run writes it."""

_BOUNDS = Bounds()
_FOLDER = Path(__file__).parent
_PAGE = "page.html.j2"


def page_pieces(
    outbox: Path, inbox: Path, beside: Path, *, renews: bool = False, bounds: Bounds = _BOUNDS
) -> Iterator[str]:
    """Yield the text of the page about an outbox, which is to lie in the folder `beside`.

    Many pieces are empty: there is little work between any two, so that the caller can pause.
    Originals are looked for in the inbox. A page that `renews` reloads itself while it is open.
    Raises OSError if the outbox cannot be read.
    """
    found = yield from survey(outbox, bounds)
    here, there = beside.resolve(), outbox.resolve()
    prefix = "" if here == there else encoded(os.path.relpath(there, here)) + "/"
    viewer = Viewer.of(found.jobs, outbox, prefix, inbox, bounds)
    views = []
    for number, job in enumerate(found.jobs):
        views.append((yield from viewer.view(number, job)))
        yield ""
    statuses = dict.fromkeys((each for view in views for each in view.statuses), 1)
    style = BOARD_STYLE + SHAPES_STYLE + own_text("page.css")
    script = own_text("page.js")
    yield from template(_PAGE).generate(
        policy=policy(style, script),
        style=style,
        script=script,
        renewing=RENEWING if renews else "",
        outbox=shortened(str(outbox)),
        version=__version__,
        now=moment_said(datetime.now(UTC).timestamp()),
        found=found,
        last=moment_said(max(found.finished)) if found.finished else "",
        totals=_totals(found.totals),
        shares=_shares(found.totals),
        charts=_charts(found, bounds),
        census=viewer.census.charts(),
        views=views,
        statuses=[status for status, _ in in_order(statuses)],
        formats=sorted({view.kind for view in views} - {""}),
        bounds=bounds,
        is_full=viewer.is_full,
        page_size=PAGE,
    )


@cache
def template(name: str) -> Template:
    """A template of this folder; the first takes some 0.2 s to load."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow

    loader = FileSystemLoader(_FOLDER)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.filters |= {
        "grouped": "{:,}".format,
        "duration": duration,
        "moment": moment_said,
        "shortened": shortened,
    }
    return environment.get_template(name)


@cache
def own_text(name: str) -> str:
    """The text of a file of this folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def policy(style: str, script: str = "") -> str:
    """The content security policy: the page's own style and script, and nothing else."""
    hashes = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    ours = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*hashes)
    return f"default-src 'none'; {ours}; base-uri 'none'; form-action 'none'"


def _totals(totals: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """Status, count and share of all puzzles."""
    whole = sum(totals.values())
    return [(status, n, _share(n / whole)) for status, n in in_order(totals)]


def _share(part: float) -> str:
    if part in (0, 1):
        return ""
    return "< 0.1 %" if part < 0.001 else "> 99.9 %" if part > 0.999 else f"{part * 100:.1f} %"


def _shares(totals: Mapping[str, int]) -> str:
    """A strip divided by the statuses' shares."""
    whole, left, parts = sum(totals.values()), 0.0, []
    for status, count in in_order(totals):
        width = count / whole * 1000
        parts.append(f'<rect class="{status}" x="{left:.2f}" width="{width:.2f}" height="10"/>')
        left += width
    strip = '<svg viewBox="0 0 1000 10" preserveAspectRatio="none">'
    return f"{strip}{''.join(parts)}</svg>" if parts else ""


def _charts(found: Survey, bounds: Bounds) -> list[tuple[str, str, str]]:
    """Title, text and SVG of each chart for which there is data."""
    charts = []
    bars, width = finished_bars(found)
    if len(bars) > 1 and (said := rate(found)):
        words = f"{said}; each bar is {width}."
        charts.append(("Throughput", words, bars_svg(bars, "Puzzles finished over time", "c0")))
    if bars := solve_time_bars(found):
        timed = found.solve_times.total()
        words = f"Of {timed:,} puzzle{'' if timed == 1 else 's'} solved on their own; "
        words += "those solved together are not timed"
        words += (
            f", and of archives the first {bounds.timed:,} files alone." if found.is_cut else "."
        )
        charts.append(("Solve time", words, bars_svg(bars, "Puzzles by solve time", "c1")))
    return charts


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def write_report(outbox: Path, inbox: Path, target: Path, *, renews: bool = False) -> None:
    """Write the page about an outbox. Raises OSError."""
    for _ in written(outbox, inbox, target, renews=renews):
        pass


def written(outbox: Path, inbox: Path, target: Path, *, renews: bool = False) -> Iterator[None]:
    """Write the page in short steps, yielding between them. Raises OSError."""
    _remove_abandoned(target)
    pieces = []
    for piece in page_pieces(outbox, inbox, target.parent, renews=renews):
        if piece:
            pieces.append(piece)
        yield
    write_whole(target, pieces)


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of writers that were killed; one in use is younger."""
    ours = re.compile(re.escape(f".{target.name}-") + r"[0-9a-f]{8}\.tmp")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                        _remove(Path(entry.path))


def stop_renewing(page: Path) -> None:
    """Change a written page so that it no longer reloads itself. Raises OSError.

    A file that we would not have written, too large or not regular, is left alone.
    """
    if RENEWING.encode() not in read_regular(page, _BEGINNING):
        return
    data = read_regular(page, _LARGEST_PAGE)
    if len(data) <= _LARGEST_PAGE:
        write_whole(page, [data.decode(errors="replace").replace(RENEWING, "", 1)])


class Keeper:
    """Keeps the report of an outbox up to date; failing to do so is only a warning.

    It works in short slices between jobs, a tenth of the time in all. Until the end an open page
    reloads itself.
    """

    def __init__(
        self,
        outbox: Path,
        inbox: Path,
        warn: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox = outbox
        self._inbox = inbox
        self._warn = warn
        self._clock = clock
        self._is_stale = True
        self._work: Iterator[None] | None = None
        self._next = clock()
        self._renews = False
        self._warned = ""
        template(_PAGE)  # load it now, while no job waits

    def after(self, finished: int) -> float | None:
        """Note that so many jobs have ended; work on the page for a moment if it is time.

        The first page is begun in any case. Returns in how many seconds to call this again; None
        if there is nothing to do until a job ends.
        """
        self._is_stale = self._is_stale or finished > 0
        now = self._clock()
        if self._is_idle or now < self._next:
            return None if self._is_idle else self._next - now
        is_done = self._work_until(now + _SLICE, renews=True)
        ended = self._clock()
        self._next = ended + max((_SHARE - 1) * (ended - now), _PAUSE if is_done else 0.0)
        return None if self._is_idle else self._next - ended

    def finish(self) -> None:
        """Write a pending page, however long that takes."""
        self._end(math.inf)

    def close(self) -> None:
        """Write a pending page, if that is done soon."""
        self._end(self._clock() + _LAST_SECONDS)

    @property
    def _is_idle(self) -> bool:
        return not self._is_stale and self._work is None

    def _end(self, until: float) -> None:
        if not self._is_idle:
            self._work = None
            is_done = self._work_until(until, renews=False)
            self._is_stale = self._is_stale or not is_done
            self._work = None
        if self._renews:
            with contextlib.suppress(OSError):  # then it reloads itself in vain
                stop_renewing(self._outbox / REPORT)
            self._renews = False

    def _work_until(self, moment: float, *, renews: bool) -> bool:
        """Begin or continue a page until that moment; whether it is written, or has failed."""
        why = ""
        try:
            if self._work is None:
                self._is_stale = False  # jobs that end from now on may be missing on this page
                page = self._outbox / REPORT
                self._work = written(self._outbox, self._inbox, page, renews=renews)
            for _ in self._work:
                if self._clock() >= moment:
                    return False
        except OSError as error:
            why = in_words(error)
        except Exception as error:  # noqa: BLE001 - untrusted content must not stop the jobs
            why = f"{type(error).__name__}: {error}"
        else:
            self._renews = renews
        self._work = None
        self._is_stale = self._is_stale or bool(why)
        if why and why != self._warned:
            self._warn(why)
        self._warned = why
        return True
