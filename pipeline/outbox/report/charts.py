"""Draw the charts of the report: throughput and solve times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import NamedTuple

from pipeline.errors import counted, duration
from pipeline.outbox.report.survey import (
    BINS_PER_DECADE,
    PageBounds,
    Survey,
)

_BAR_SECONDS = (1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000, 31_536_000)
"""The possible widths of a bar of the throughput chart, in seconds."""

_MAX_BARS = 40
"""Maximum number of bars of the throughput chart."""

_CHART_WIDTH, _CHART_HEIGHT, _FLOOR, _MAX_BAR_WIDTH = 360, 96, 74, 36
"""Lengths in a chart, in SVG units. The bars stand on `_FLOOR`, a distance from the top."""

_RATE_UNITS = ((1, "second"), (60, "minute"), (3600, "hour"), (86_400, "day"))
"""Units of time, each with its length in seconds."""

Chart = tuple[str, str, str]
"""The title, text and SVG of a chart."""


class Bar(NamedTuple):
    """A bar of a chart. Its label is written below its left edge."""

    height: int
    description: str
    label: str = ""


def charts_of_times(survey: Survey, bounds: PageBounds) -> list[Chart]:
    """Draw the charts of throughput and of solve times. A chart without data is omitted."""
    charts = []
    bars, width = _throughput_bars(survey)
    if len(bars) > 1 and (rate := _rate_text(survey)):
        words = f"{rate}; each bar is {width}."
        charts.append(("Throughput", words, _svg(bars, "Puzzles finished over time", "c0")))
    if bars := _solve_time_bars(survey.solve_times):
        words = f"{counted(survey.solve_times.total(), 'puzzle', ',')} solved individually, "
        words += "not in batches"
        if survey.lacks_times:
            words += f"; only the first {bounds.timed_members:,} members of archives are counted"
        words += "."
        charts.append(("Solve time", words, _svg(bars, "Puzzles by solve time", "c1")))
    return charts


def _solve_time_bars(counts: Counter[int]) -> list[Bar]:
    """Make the bars of `Survey.solve_times`. The axis begins and ends at powers of ten."""
    if not counts:
        return []
    lowest = min(counts) // BINS_PER_DECADE * BINS_PER_DECADE
    end = -(-(max(counts) + 1) // BINS_PER_DECADE) * BINS_PER_DECADE
    edges = [duration(10 ** (index / BINS_PER_DECADE)) for index in range(lowest, end + 1)]
    return [
        Bar(
            counts[lowest + index],
            f"{low} to {edges[index + 1]}: {counts[lowest + index]:,}",
            "" if index % BINS_PER_DECADE else low,
        )
        for index, low in enumerate(edges[:-1])
    ]


def _throughput_bars(survey: Survey) -> tuple[list[Bar], str]:
    """Make the bars of finished puzzles by time. Returns the bars, and their width in words."""
    if not survey.finished:
        return [], ""
    first, last = survey.started, max(survey.finished)
    width = next(
        (each for each in _BAR_SECONDS if (last - first) / each < _MAX_BARS - 1), _BAR_SECONDS[-1]
    )
    first = max(first // width, last // width - 10 * _MAX_BARS) * width
    counts: Counter[int] = Counter()
    for moment, puzzles in zip(survey.finished, survey.puzzles, strict=True):
        counts[max(0, int((moment - first) // width))] += int(puzzles)
    bar_count = int((last - first) // width) + 1
    labels = {0: time_text(first), bar_count - 1: time_text(last)} if bar_count > 1 else {}
    bars = [
        Bar(
            counts[index],
            f"from {time_text(first + index * width)}: {counts[index]:,}",
            labels.get(index, ""),
        )
        for index in range(bar_count)
    ]
    return bars, duration(width)


def _rate_text(survey: Survey) -> str:
    """The mean number of puzzles finished per unit of time, in words; empty if it is unknown."""
    seconds, puzzles = max(survey.finished) - survey.started, sum(survey.puzzles)
    if seconds <= 0 or not puzzles:
        return ""
    per_second = puzzles / seconds
    length, unit = next(
        (rate_unit for rate_unit in _RATE_UNITS if per_second * rate_unit[0] >= 1),
        _RATE_UNITS[-1],
    )
    number = per_second * length
    shown = f"{number:,.0f}" if number >= 10 else f"{number:.1f}"
    return f"{shown} a {unit}, {puzzles:,.0f} in {duration(seconds)}"


def _svg(bars: Sequence[Bar], title: str, key: str) -> str:
    """Draw a bar chart as SVG. Its ids begin with `key`. Only the highest bar shows its value."""
    step = _CHART_WIDTH / len(bars)
    width = min(step * 0.84, _MAX_BAR_WIDTH)
    tallest = max(bar.height for bar in bars)
    parts = []
    for index, bar in enumerate(bars):
        left, height = index * step, bar.height / tallest * (_FLOOR - 16)
        height = max(height, 1.5) if bar.height else 0
        parts.append(
            f'<rect class="bar" x="{left + (step - width) / 2:.1f}" y="{_FLOOR - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"><title>{escape(bar.description)}</title>'
            f"</rect>"
        )
        if bar.label:
            is_last = index == len(bars) - 1 and index > 0
            x, anchor = (left + step, "end") if is_last else (left, "start")
            parts.append(f'<text x="{x:.1f}" y="{_FLOOR + 15}" class="{anchor}">{bar.label}</text>')
    highest = max(range(len(bars)), key=lambda index: bars[index].height)
    middle = min(max((highest + 0.5) * step, 20), _CHART_WIDTH - 20)
    parts.append(f'<text class="peak" x="{middle:.1f}" y="11">{tallest:,}</text>')
    text = "; ".join(bar.description for bar in bars if bar.height)
    return (
        f'<svg class="chart" viewBox="0 0 {_CHART_WIDTH} {_CHART_HEIGHT}" role="img" '
        f'aria-labelledby="{key}t {key}d"><title id="{key}t">{escape(title)}</title>'
        f'<desc id="{key}d">{escape(text)}</desc>'
        f'<path class="floor" d="M0 {_FLOOR}h{_CHART_WIDTH}"/>{"".join(parts)}</svg>'
    )


def time_text(seconds: float) -> str:
    """Format a time, in seconds since 1970, in UTC; `?` if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"
