"""A survey of an outbox → one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.report.board import board_style
from pipeline.report.records import shortened
from pipeline.report.survey import (
    Bounds,
    Survey,
    bars_svg,
    duration,
    finished_bars,
    moment_said,
    rate,
    solve_time_bars,
    survey,
)
from pipeline.report.views import PAGE, Viewer, encoded, in_order
from pipeline.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

RENEWING = ' data-renews="5"'
"""The page begins with this while it is kept up to date: its script reloads it."""

_BOUNDS = Bounds()
_FOLDER = Path(__file__).parent


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
    style, script = board_style() + _text("page.css"), _text("page.js")
    yield from page_template().generate(
        policy=_policy(style, script),
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
        views=views,
        statuses=[status for status, _ in in_order(statuses)],
        formats=sorted({view.kind for view in views} - {""}),
        bounds=bounds,
        is_full=viewer.is_full,
        page_size=PAGE,
    )


@cache
def page_template() -> Template:
    """The template of the page, which takes some 0.2 s to load."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow

    loader = FileSystemLoader(_FOLDER)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.filters |= {
        "grouped": "{:,}".format,
        "duration": duration,
        "moment": moment_said,
        "shortened": shortened,
    }
    return environment.get_template("page.html.j2")


@cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
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
