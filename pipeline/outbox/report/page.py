"""Write the report about an outbox, one HTML file, once or repeatedly while jobs finish."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline.errors import in_words
from pipeline.files import remove_abandoned, write_text_atomically
from pipeline.outbox.names import REPORT
from pipeline.outbox.report.assets import content_policy, read_asset, template
from pipeline.outbox.report.charts import charts_of_times, time_text
from pipeline.outbox.report.published_jobs import read_job, shorten
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.steps_page import StepPages
from pipeline.outbox.report.survey import PageBounds, TrackRecords, survey
from pipeline.outbox.report.views import Viewer, sorted_statuses, url_path
from pipeline.solving import LEVELS
from pipeline.version import __version__

_MIN_PAUSE_SECONDS, _MIN_PERIODS = 5.0, 10
"""Minimum seconds from the end of one page to the start of the next, and minimum time from start to
start, as a multiple of the time that writing the page took."""

_MAX_LAST_SECONDS = 1.0
"""`ReportUpdater.close` writes the page if writing it took less than this the last time."""

_PAGE_BOUNDS, _JOB_BOUNDS = PageBounds(), PageBounds(boards=12, boards_per_job=12)
"""The default limits of a page, and the limits of the HTML of a single job."""

_PAGE_TEMPLATE, _CARDS_TEMPLATE = "page.html.j2", "cards.html.j2"


def page_style() -> str:
    """The style sheet of the report: of its text, its cards and its boards."""
    return BOARD_STYLE + SHAPES_STYLE + read_asset("page.css")


def page_chunks(  # noqa: PLR0913 - all but the first three have defaults
    outbox: Path,
    inbox: Path,
    folder: Path,
    track: TrackRecords = iter,
    bounds: PageBounds = _PAGE_BOUNDS,
    *,
    served_version: str = "",
    totals: Counter[str] | None = None,
    step_pages: StepPages | None = None,
) -> Iterator[str]:
    """Yield the HTML of the report about an outbox, for a page in `folder`.

    Originals are searched for in the inbox. The numbers of puzzles by status are added to `totals`.
    `step_pages` are linked, and made if they are missing. Raises OSError if the outbox cannot be
    read.

    `served_version`: for the page of `serve`, a text that changes with the outbox. That page links
    to the others, and updates itself once the server has another version.
    """
    surveyed = survey(outbox, bounds, track)
    if totals is not None:
        totals.update(surveyed.totals)
    page_folder, outbox_folder = folder.resolve(), outbox.resolve()
    is_in_outbox = page_folder == outbox_folder
    prefix = "" if is_in_outbox else url_path(os.path.relpath(outbox_folder, page_folder)) + "/"
    is_served = bool(served_version)
    viewer = Viewer(surveyed.jobs, outbox, prefix, inbox, bounds, is_served=is_served)
    viewer.step_pages = step_pages
    views = [viewer.view(number, job) for number, job in enumerate(surveyed.jobs)]
    statuses = dict.fromkeys((status for view in views for status in view.statuses), 1)
    formats = {view.kind for view in views}
    style = page_style()
    script = read_asset("page.js") + (read_asset("update.js") if is_served else "")
    yield from template(_PAGE_TEMPLATE).generate(
        policy=content_policy(style, script, allows_requests=is_served),
        style=style,
        script=script,
        served_version=served_version,
        outbox=shorten(str(outbox)),
        version=__version__,
        now=time_text(datetime.now(UTC).timestamp()),
        surveyed=surveyed,
        last=time_text(max(surveyed.finished)) if surveyed.finished else "",
        totals=_status_rows(surveyed.totals),
        shares=_share_strip(surveyed.totals),
        charts=charts_of_times(surveyed, bounds),
        views=views,
        statuses=[status for status, _ in sorted_statuses(statuses)],
        formats=sorted(formats - {""}),
        levels=[level for level in LEVELS if any(level in view.levels for view in views)],
        bounds=bounds,
        is_full=viewer.is_full,
        step_pages=step_pages,
    )


def job_fragment(record: Path, inbox: Path, first_id: int) -> str:
    """Show one job as HTML, to insert into a page of `page_chunks`.

    The ids of its boards are `b` and a number, from `first_id` on. Returns an empty text if the
    record is missing.
    """
    job = read_job(record)
    if job is None:
        return ""
    viewer = Viewer([job], record.parent, "", inbox, _JOB_BOUNDS, is_served=True)
    viewer.keys = iter(range(first_id, sys.maxsize))
    viewer.has_notation_links = True
    cards: Any = template(_CARDS_TEMPLATE).module
    return str(cards.single_job(viewer.view(0, job))).strip()


def _status_rows(totals: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """The statuses with their numbers of puzzles and their shares of all puzzles."""
    all_puzzles = sum(totals.values())
    return [(status, n, _percent_text(n / all_puzzles)) for status, n in sorted_statuses(totals)]


def _percent_text(share: float) -> str:
    """Format a share in percent; empty for a share of all or no puzzles."""
    if share in (0, 1):
        return ""
    return "< 0.1 %" if share < 0.001 else "> 99.9 %" if share > 0.999 else f"{share * 100:.1f} %"


def _share_strip(totals: Mapping[str, int]) -> str:
    """Draw a strip as SVG, divided in proportion to the shares of the statuses."""
    all_puzzles, left, parts = sum(totals.values()), 0.0, []
    for status, count in sorted_statuses(totals):
        width = count / all_puzzles * 1000
        parts.append(f'<rect class="{status}" x="{left:.2f}" width="{width:.2f}" height="10"/>')
        left += width
    strip = '<svg viewBox="0 0 1000 10" preserveAspectRatio="none">'
    return f"{strip}{''.join(parts)}</svg>" if parts else ""


def write_report(
    outbox: Path,
    inbox: Path,
    target: Path,
    track: TrackRecords = iter,
    totals: Counter[str] | None = None,
    step_pages: StepPages | None = None,
) -> None:
    """Write the report about an outbox to a file. Raises OSError.

    `step_pages`: the pages of steps to link to; by default those that exist.
    """
    remove_abandoned(target)
    step_pages = step_pages or StepPages(target, makes_pages=False)
    page = page_chunks(outbox, inbox, target.parent, track, totals=totals, step_pages=step_pages)
    write_text_atomically(target, page)
    step_pages.remove_others()


class ReportUpdater:
    """Updates the report about an outbox between jobs. A failure causes only a warning."""

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
        self._last_seconds = 0.0
        self._last_fault = ""

    def jobs_finished(self, count: int) -> float | None:
        """Report that `count` more jobs have finished, and write the page if it is due.

        The first call always writes the page. Returns the seconds until the next call is needed;
        None if no call is needed before a job finishes.
        """
        self._is_stale = self._is_stale or count > 0
        if self._clock() >= self._next:
            self.update()
        return self._next - self._clock() if self._is_stale else None

    def update(self) -> None:
        """Write the page unless it is up to date."""
        if not self._is_stale:
            return
        fault, start = "", self._clock()
        try:
            write_report(self._outbox, self._inbox, self._outbox / REPORT)
        except OSError as error:
            fault = in_words(error)
        except Exception as error:  # noqa: BLE001 - untrusted content must not stop the jobs
            fault = f"{type(error).__name__}: {error}"
        end = self._clock()
        self._last_seconds = end - start
        pause = max((_MIN_PERIODS - 1) * self._last_seconds, _MIN_PAUSE_SECONDS)
        self._next = end + pause
        self._is_stale = bool(fault)
        if fault and fault != self._last_fault:
            self._warn(fault)
        self._last_fault = fault

    def close(self) -> None:
        """Write the page once more if that is quick. Otherwise, the next run writes it."""
        if self._last_seconds < _MAX_LAST_SECONDS:
            self.update()
