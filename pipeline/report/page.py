"""A survey of an outbox → one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pipeline.report.board import board_style
from pipeline.report.charts import (
    bars_svg,
    duration,
    finished_bars,
    moment_said,
    rate,
    solve_time_bars,
)
from pipeline.report.links import encoded
from pipeline.report.originals import Originals
from pipeline.report.records import NOT_WELL, STATUSES, Job, shortened
from pipeline.report.scan import MOST_TIMED, Survey, survey
from pipeline.report.views import MOST_BOARDS, MOST_ROWS, PAGE, Shower, Shown, shares
from pipeline.version import __version__

MOST_JOBS = 1_000
RENEWING = ' data-renews="5"'
"""What the page begins with while somebody keeps it: its script loads it anew every few seconds."""

_LONGEST_REASON = 200
_FOLDER = Path(__file__).parent


def page_pieces(outbox: Path, inbox: Path, beside: Path, *, is_kept: bool = False) -> Iterator[str]:
    """The text of the page about an outbox, in pieces; it is to lie in the folder `beside`.

    Originals are looked for in the inbox. A page that is kept up to date renews itself while it
    is open. Raises OSError where the outbox cannot be read.
    """
    found = survey(outbox, MOST_JOBS)
    prefix = "" if _same(outbox, beside) else encoded(_way(beside, outbox)) + "/"
    shower = Shower(outbox, prefix, Originals(inbox), *shares(found.jobs))
    return _pieces(found, shower, datetime.now(UTC), RENEWING if is_kept else "")


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _way(start: Path, to: Path) -> str:
    return os.path.relpath(to.resolve(), start.resolve())


def _pieces(found: Survey, shower: Shower, now: datetime, renewing: str) -> Iterator[str]:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow

    loader = FileSystemLoader(_FOLDER)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    style, script = board_style() + _text("page.css"), _text("page.js")
    shown = [*enumerate(map(shower.show, found.jobs))]
    return environment.get_template("page.html.j2").generate(
        policy=_policy(style, script),
        style=style,
        script=script,
        renewing=renewing,
        outbox=shortened(str(shower.outbox)),
        version=__version__,
        now=moment_said(now.timestamp()),
        last=moment_said(max(found.finished)) if found.finished else "",
        jobs=found.count,
        puzzles=found.totals.total(),
        totals=_totals(found.totals),
        shares=_shares(found.totals),
        charts=_charts(found),
        rows=[_Row.of(number, each) for number, each in shown],
        statuses=_statuses(found.jobs),
        formats=sorted({_kind(job) for job in found.jobs} - {""}),
        singles=[each for each in shown if not each[1].job.is_many],
        many=[each for each in shown if each[1].job.is_many],
        sampled=_sampled(shower),
        page_size=PAGE,
    )


@dataclass(frozen=True, slots=True)
class _Chart:
    """Bars with what stands above them."""

    title: str
    words: str
    svg: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A job in the table."""

    name: str
    href: str
    status: str
    statuses: str
    reason: str
    kind: str
    format: str
    puzzles: int
    solutions: str
    seconds: str
    took: str
    finished: str

    @classmethod
    def of(cls, number: int, shown: Shown) -> _Row:
        job = shown.job
        took = None if "batch" in job.seconds else job.seconds.get("total")
        return cls(
            shown.name,
            f"#j{number}",
            job.status,
            " ".join({job.status: 1, **job.totals}),
            _reason(shown),
            _kind(job),
            shortened(job.format, 40),
            job.puzzles,
            "" if job.solutions is None else f"{job.solutions:,}",
            "" if took is None else f"{took:.6f}",
            "" if took is None else duration(took),
            "" if job.finished is None else moment_said(job.finished),
        )


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What a browser may do with the page: use its own style and script, and nothing else."""
    hashes = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    ours = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*hashes)
    return f"default-src 'none'; {ours}; base-uri 'none'; form-action 'none'"


def _reason(shown: Shown) -> str:
    """Why a job came out as it did, if there is something to say; of many puzzles, how many."""
    bad = ", ".join(f"{count:,} {status}" for status, count in shown.counts if status in NOT_WELL)
    return shortened(shown.job.message, _LONGEST_REASON) or (bad if shown.job.is_many else "")


def _kind(job: Job) -> str:
    """The format without its notation."""
    return shortened(job.format.partition(" ")[0], 40)


def _statuses(jobs: Sequence[Job]) -> list[str]:
    """The statuses that some of the jobs, or of their puzzles, have."""
    there = {status for job in jobs for status in (job.status, *job.totals)}
    order = (*STATUSES, *sorted(there.difference(STATUSES)))
    return [status for status in order if status in there]


def _in_order(totals: Mapping[str, int]) -> list[tuple[str, int]]:
    order = (*STATUSES, *sorted(totals.keys() - {*STATUSES}))
    return [(status, totals[status]) for status in order if totals.get(status)]


def _totals(totals: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """Status, count and share of all puzzles."""
    whole = sum(totals.values())
    return [(status, n, _share(n / whole)) for status, n in _in_order(totals)]


def _share(part: float) -> str:
    if part in (0, 1):
        return ""
    return "< 0.1 %" if part < 0.001 else "> 99.9 %" if part > 0.999 else f"{part * 100:.1f} %"


def _shares(totals: Mapping[str, int]) -> str:
    """A strip in which each status has its share."""
    whole, left, parts = sum(totals.values()), 0.0, []
    for status, count in _in_order(totals):
        width = count / whole * 1000
        parts.append(f'<rect class="{status}" x="{left:.2f}" width="{width:.2f}" height="10"/>')
        left += width
    strip = '<svg viewBox="0 0 1000 10" preserveAspectRatio="none">'
    return f"{strip}{''.join(parts)}</svg>" if parts else ""


def _charts(found: Survey) -> list[_Chart]:
    charts = []
    bars, width = finished_bars(found)
    if len(bars) > 1 and (said := rate(found)):
        words = f"{said}; each bar is {width}."
        title = "Puzzles finished over time"
        charts.append(_Chart("Throughput", words, bars_svg(bars, title, "c0")))
    if bars := solve_time_bars(found.solve_times):
        timed = found.solve_times.total()
        words = f"Of {timed:,} puzzle{'' if timed == 1 else 's'} solved on their own; "
        words += "those solved together are not timed"
        words += f", and of archives the first {MOST_TIMED:,} files alone." if found.is_cut else "."
        charts.append(_Chart("Solve time", words, bars_svg(bars, "Puzzles by solve time", "c1")))
    return charts


def _sampled(shower: Shower) -> str:
    """What is left out, in words."""
    if not shower.is_full:
        return ""
    return (
        f"This page draws at most {MOST_BOARDS:,} boards, up to {MOST_ROWS} of one collection; "
        "the tables and files hold all puzzles."
    )
