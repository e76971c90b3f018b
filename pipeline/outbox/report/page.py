"""A survey of an outbox → one HTML file, written once, or updated as jobs finish."""

from __future__ import annotations

import base64
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.errors import duration, in_words
from pipeline.files import remove_abandoned, write_whole
from pipeline.outbox.names import REPORT
from pipeline.outbox.report.charts import charts_of_times, moment_said
from pipeline.outbox.report.published_jobs import read_job, shortened
from pipeline.outbox.report.shaped import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.survey import Over, PageBounds, survey
from pipeline.outbox.report.views import PAGE, Viewer, encoded, in_order
from pipeline.solving import LEVELS
from pipeline.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

_PAUSE, _SHARE = 5.0, 10
"""Seconds between two pages, and the inverse of the share of time spent on writing them."""

_LONGEST_LAST = 1.0
"""Maximum seconds for the last page after a stop signal."""

_BOUNDS, _BOUNDS_OF_ONE = PageBounds(), PageBounds(boards=12, rows=12)
_FOLDER = Path(__file__).parent
_PAGE, _CARDS = "page.html.j2", "cards.html.j2"


class Panel(NamedTuple):
    """HTML that a server adds at the top of the page, with its own style and script.

    The script may make requests to that server.
    """

    html: str = ""
    style: str = ""
    script: str = ""


_NO_PANEL = Panel()


def page_chunks(  # noqa: PLR0913 - all but the first three have defaults
    outbox: Path,
    inbox: Path,
    beside: Path,
    over: Over = iter,
    bounds: PageBounds = _BOUNDS,
    panel: Panel = _NO_PANEL,
    *,
    totals: Counter[str] | None = None,
) -> Iterator[str]:
    """Yield the text of the report of an outbox, for a file in the folder `beside`.

    Originals are searched for in the inbox. `totals` receives the number of puzzles by status.
    Raises OSError if the outbox cannot be read.
    """
    surveyed = survey(outbox, bounds, over)
    if totals is not None:
        totals.update(surveyed.totals)
    here, there = beside.resolve(), outbox.resolve()
    prefix = "" if here == there else encoded(os.path.relpath(there, here)) + "/"
    viewer = Viewer(surveyed.jobs, outbox, prefix, inbox, bounds)
    views = [viewer.view(number, job) for number, job in enumerate(surveyed.jobs)]
    statuses = dict.fromkeys((status for view in views for status in view.statuses), 1)
    formats = {view.kind for view in views}
    style = BOARD_STYLE + SHAPES_STYLE + own_text("page.css") + panel.style
    script = own_text("page.js") + panel.script
    yield from template(_PAGE).generate(
        policy=policy(style, script, asks=bool(panel.script)),
        style=style,
        script=script,
        panel=panel.html,
        outbox=shortened(str(outbox)),
        version=__version__,
        now=moment_said(datetime.now(UTC).timestamp()),
        surveyed=surveyed,
        last=moment_said(max(surveyed.finished)) if surveyed.finished else "",
        totals=_totals(surveyed.totals),
        shares=_shares(surveyed.totals),
        charts=charts_of_times(surveyed, bounds),
        views=views,
        statuses=[status for status, _ in in_order(statuses)],
        formats=sorted(formats - {""}),
        levels=[level for level in LEVELS if any(level in view.levels for view in views)],
        bounds=bounds,
        is_full=viewer.is_full,
    )


def job_fragment(record: Path, inbox: Path, first_id: int) -> str:
    """One job as HTML, to insert into a page by `page_chunks`. Empty if the record is gone.

    The ids of its boards are `b` and a number, from `first_id` on.
    """
    job = read_job(record)
    if job is None:
        return ""
    viewer = Viewer([job], record.parent, "", inbox, _BOUNDS_OF_ONE)
    viewer.keys = iter(range(first_id, sys.maxsize))
    cards: Any = template(_CARDS).module
    return str(cards.alone(viewer.view(0, job))).strip()


@cache
def template(name: str) -> Template:
    """A template of this folder. Loading the first one takes about 0.2 s."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow

    loader = FileSystemLoader(_FOLDER)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.globals["page_size"] = PAGE
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


def policy(style: str, script: str = "", *, asks: bool = False) -> str:
    """The content security policy: the page's own style and script, and nothing else.

    `asks`: the script may make requests to the server of the page.
    """
    hashes = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    ours = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*hashes)
    ours += "; connect-src 'self'" if asks else ""
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
    """A bar divided into the shares of the statuses."""
    whole, left, parts = sum(totals.values()), 0.0, []
    for status, count in in_order(totals):
        width = count / whole * 1000
        parts.append(f'<rect class="{status}" x="{left:.2f}" width="{width:.2f}" height="10"/>')
        left += width
    strip = '<svg viewBox="0 0 1000 10" preserveAspectRatio="none">'
    return f"{strip}{''.join(parts)}</svg>" if parts else ""


def write_report(
    outbox: Path,
    inbox: Path,
    target: Path,
    over: Over = iter,
    totals: Counter[str] | None = None,
) -> None:
    """Write the report of an outbox, see `page_chunks`. Raises OSError."""
    remove_abandoned(target)
    write_whole(target, page_chunks(outbox, inbox, target.parent, over, totals=totals))


class ReportUpdater:
    """Keeps the report of an outbox up to date between jobs; a failure is only a warning."""

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
        self._next = clock()
        self._took = 0.0
        self._warned = ""

    def after(self, finished: int) -> float | None:
        """Count finished jobs, and write the page if it is due.

        The first page is written in any case. Returns the delay until the next call; None if
        there is nothing to do until a job ends.
        """
        self._is_stale = self._is_stale or finished > 0
        if self._clock() >= self._next:
            self.finish()
        return self._next - self._clock() if self._is_stale else None

    def finish(self) -> None:
        """Write the page if it is not up to date."""
        if not self._is_stale:
            return
        why, begun = "", self._clock()
        try:
            write_report(self._outbox, self._inbox, self._outbox / REPORT)
        except OSError as error:
            why = in_words(error)
        except Exception as error:  # noqa: BLE001 - untrusted content must not stop the jobs
            why = f"{type(error).__name__}: {error}"
        ended = self._clock()
        self._took = ended - begun
        self._next = ended + max((_SHARE - 1) * self._took, _PAUSE)
        self._is_stale = bool(why)
        if why and why != self._warned:
            self._warn(why)
        self._warned = why

    def close(self) -> None:
        """Write the last page if that is quick; otherwise the next run writes it."""
        if self._took < _LONGEST_LAST:
            self.finish()
