"""The charts of the page: when puzzles were finished, how long they took, what is known of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import NamedTuple

from pipeline.errors import duration
from pipeline.outbox.report.survey import (
    BINS_PER_DECADE,
    DEEPEST,
    WIDEST,
    Census,
    PageBounds,
    Survey,
)
from pipeline.solving import LEVELS

_WIDTHS = (1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000, 31_536_000)
_MOST_BARS, _MOST_LABELS = 40, 12
_ROOM, _HEIGHT, _FLOOR, _WIDEST = 360, 96, 74, 36
_PER = ((1, "second"), (60, "minute"), (3600, "hour"), (86_400, "day"))
_SIZES = (1, 2, 3, 5, 10, 100, 1000)
_COLUMNS = {
    "givens": ("Givens", "how many givens they have"),
    "redundant": ("Redundant givens", "givens that can be left out, each alone; 0: minimal"),
    "effort_depth": ("Depth", "the depth of trial and error over singles"),
    "effort_backdoor": ("Backdoor", "the fewest cells that let singles decide the rest"),
    "level": ("Level", "the level of the steps that solve them, as in HoDoKu"),
    "effort_splits": ("Splits", "how often a search branches, the mean over 64 images"),
}

Chart = tuple[str, str, str]
"""Title, words and SVG."""


class Bar(NamedTuple):
    """A bar of a chart: its height, what it counts, and the label below it."""

    height: int
    said: str
    label: str = ""


def charts_of_times(found: Survey, bounds: PageBounds) -> list[Chart]:
    """The charts of throughput and of solve times for which there is data."""
    charts = []
    bars, width = _finished(found)
    if len(bars) > 1 and (said := _rate(found)):
        words = f"{said}; each bar is {width}."
        charts.append(("Throughput", words, _svg(bars, "Puzzles finished over time", "c0")))
    if bars := _solve_times(found.solve_times):
        words = f"Of {_counted(found.solve_times.total(), 'puzzle')} solved on their own; "
        words += "those solved together are not timed"
        words += (
            f", and of archives the first {bounds.timed:,} files alone." if found.is_cut else "."
        )
        charts.append(("Solve time", words, _svg(bars, "Puzzles by solve time", "c1")))
    return charts


def charts_of_puzzles(census: Census) -> list[Chart]:
    """A chart for each thing that `--also` told of some puzzle."""
    made = []
    for column, (title, what) in _COLUMNS.items():
        counts = census.counts.get(column, Counter())
        words = f"Of {_counted(counts.total(), 'puzzle')}: {what}."
        made.append((title, words, _numbered(counts, _labels(column, counts)) if counts else []))
    made.append(("Classes", *_classes(census)))
    return [
        (title, words, _svg(bars, f"Puzzles: {title.lower()}", f"t{place}", centred=True))
        for place, (title, words, bars) in enumerate(made)
        if bars
    ]


def _labels(column: str, counts: Mapping[int, int]) -> dict[int, str]:
    """The label of each number of a column that has a bar."""
    most = {"effort_depth": DEEPEST, "effort_backdoor": WIDEST}.get(column)
    if most is not None:
        return {**{n: str(n) for n in range(most + 1)}, most + 1: "more"}
    if column == "level":
        return dict(enumerate(LEVELS))
    if column == "effort_splits":
        return {n: "0" if n < 0 else f"≤{2**n}" for n in range(-1, max(counts) + 1)}
    return {n: str(n) for n in range(min(counts), max(counts) + 1)}


def _numbered(counts: Mapping[int, int], labels: Mapping[int, str]) -> list[Bar]:
    step = -(-len(labels) // _MOST_LABELS)
    return [
        Bar(counts[number], f"{label}: {counts[number]:,}", "" if at % step else label)
        for at, (number, label) in enumerate(labels.items())
    ]


def _classes(census: Census) -> tuple[str, list[Bar]]:
    """How many puzzles are equivalent to each other."""
    if not census.forms:
        return "", []
    import numpy as np  # noqa: PLC0415 - slow to load

    forms = np.frombuffer(census.forms, np.int64)
    sizes = Counter(np.unique(forms, return_counts=True)[1].tolist())
    words = f"{_counted(len(census.forms), 'puzzle')} in "
    words += f"{_counted(sizes.total(), 'class', 'es')} of equivalent ones, by size."
    bars = []
    for least, beyond in zip(_SIZES, (*_SIZES[1:], math.inf), strict=True):
        count = sum(n for size, n in sizes.items() if least <= size < beyond)
        most = "+" if beyond == math.inf else f"–{beyond - 1}"
        label = f"{least}" if beyond == least + 1 else f"{least}{most}"
        bars.append(Bar(count, f"classes of {label}: {count:,}", label))
    while bars and not bars[-1].height:
        bars.pop()
    return words, bars


def _counted(number: int, noun: str, ending: str = "s") -> str:
    return f"{number:,} {noun}{'' if number == 1 else ending}"


def _solve_times(counts: Counter[int]) -> list[Bar]:
    if not counts:
        return []
    lowest = min(counts) // BINS_PER_DECADE * BINS_PER_DECADE
    end = -(-(max(counts) + 1) // BINS_PER_DECADE) * BINS_PER_DECADE
    edges = [duration(10 ** (at / BINS_PER_DECADE)) for at in range(lowest, end + 1)]
    return [
        Bar(
            counts[lowest + at],
            f"{low} to {edges[at + 1]}: {counts[lowest + at]:,}",
            "" if at % BINS_PER_DECADE else low,
        )
        for at, low in enumerate(edges[:-1])
    ]


def _finished(found: Survey) -> tuple[list[Bar], str]:
    """How many puzzles were finished when, and the time that each bar covers."""
    if not found.finished:
        return [], ""
    first, last = found.started, max(found.finished)
    width = next((w for w in _WIDTHS if (last - first) / w < _MOST_BARS - 1), _WIDTHS[-1])
    first = max(first // width, last // width - 10 * _MOST_BARS) * width
    counts: Counter[int] = Counter()
    for moment, puzzles in zip(found.finished, found.puzzles, strict=True):
        counts[max(0, int((moment - first) // width))] += int(puzzles)
    number = int((last - first) // width) + 1
    ends = {0: moment_said(first), number - 1: moment_said(last)} if number > 1 else {}
    bars = [
        Bar(counts[at], f"from {moment_said(first + at * width)}: {counts[at]:,}", ends.get(at, ""))
        for at in range(number)
    ]
    return bars, duration(width)


def _rate(found: Survey) -> str:
    """How many puzzles were finished per unit of time, on average."""
    seconds, puzzles = max(found.finished) - found.started, sum(found.puzzles)
    if seconds <= 0 or not puzzles:
        return ""
    per_second = puzzles / seconds
    length, unit = next((each for each in _PER if per_second * each[0] >= 1), _PER[-1])
    number = per_second * length
    shown = f"{number:,.0f}" if number >= 10 else f"{number:.1f}"
    return f"{shown} a {unit}, {puzzles:,.0f} in {duration(seconds)}"


def _svg(bars: Sequence[Bar], title: str, key: str, *, centred: bool = False) -> str:
    """A bar chart as SVG whose ids begin with `key`; the largest bar shows its count.

    Labels stand at the left edges of bars, or below their middles if `centred`.
    """
    step = _ROOM / len(bars)
    width = min(step * 0.84, _WIDEST)
    most = max(bar.height for bar in bars)
    parts = []
    for at, bar in enumerate(bars):
        left, height = at * step, bar.height / most * (_FLOOR - 16)
        height = max(height, 1.5) if bar.height else 0
        parts.append(
            f'<rect class="bar" x="{left + (step - width) / 2:.1f}" y="{_FLOOR - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"><title>{escape(bar.said)}</title>'
            f"</rect>"
        )
        if bar.label:
            is_last = at == len(bars) - 1 and at > 0
            x, anchor = (left + step, "end") if is_last else (left, "start")
            if centred:
                x, anchor = left + step / 2, "middle"
            parts.append(f'<text x="{x:.1f}" y="{_FLOOR + 15}" class="{anchor}">{bar.label}</text>')
    highest = max(range(len(bars)), key=lambda at: bars[at].height)
    middle = min(max((highest + 0.5) * step, 20), _ROOM - 20)
    parts.append(f'<text class="peak" x="{middle:.1f}" y="11">{most:,}</text>')
    said = "; ".join(bar.said for bar in bars if bar.height)
    return (
        f'<svg class="chart" viewBox="0 0 {_ROOM} {_HEIGHT}" role="img" '
        f'aria-labelledby="{key}t {key}d"><title id="{key}t">{escape(title)}</title>'
        f'<desc id="{key}d">{escape(said)}</desc>'
        f'<path class="floor" d="M0 {_FLOOR}h{_ROOM}"/>{"".join(parts)}</svg>'
    )


def moment_said(seconds: float) -> str:
    """The time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"
