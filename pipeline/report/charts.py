"""Counts → bars, as SVG, and the words that go with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from pipeline.report.scan import BINS_PER_DECADE, Survey

_WIDTHS = (1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000, 31_536_000)
_MOST_BARS = 40
_ROOM, _HEIGHT, _FLOOR, _WIDEST = 360, 96, 74, 36
_UNITS = ((1.0, "s", 1.0), (1e-3, "ms", 1e3), (1e-6, "µs", 1e6))
_PER = ((1.0, "second"), (60.0, "minute"), (3600.0, "hour"), (86_400.0, "day"))


@dataclass(frozen=True, slots=True)
class Bar:
    """How many there are of what; `label` stands below it, `said` tells what it is."""

    count: int
    said: str
    label: str = ""


def bars_svg(bars: Sequence[Bar], title: str, key: str) -> str:
    """Bars side by side, with the largest count above its own."""
    step = _ROOM / len(bars)
    most = max(bar.count for bar in bars)
    parts = []
    for at, bar in enumerate(bars):
        left, height = at * step, bar.count / most * (_FLOOR - 16)
        width = min(step * 0.84, _WIDEST)
        height = max(height, 1.5) if bar.count else 0
        parts.append(
            f'<rect class="bar" x="{left + (step - width) / 2:.1f}" y="{_FLOOR - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"><title>{escape(bar.said)}</title>'
            f"</rect>"
        )
        if bar.label:
            anchor = "end" if at == len(bars) - 1 and at else "start"
            x = left + step if anchor == "end" else left
            parts.append(f'<text x="{x:.1f}" y="{_FLOOR + 15}" class="{anchor}">{bar.label}</text>')
    highest = max(range(len(bars)), key=lambda at: bars[at].count)
    middle = min(max((highest + 0.5) * step, 20), _ROOM - 20)
    parts.append(f'<text class="peak" x="{middle:.1f}" y="11">{most:,}</text>')
    said = "; ".join(bar.said for bar in bars if bar.count)
    return (
        f'<svg class="chart" viewBox="0 0 {_ROOM} {_HEIGHT}" role="img" '
        f'aria-labelledby="{key}t {key}d"><title id="{key}t">{escape(title)}</title>'
        f'<desc id="{key}d">{escape(said)}</desc>'
        f'<path class="floor" d="M0 {_FLOOR}h{_ROOM}"/>{"".join(parts)}</svg>'
    )


def solve_time_bars(counts: Counter[int]) -> list[Bar]:
    """A histogram of solve times, spaced by powers of ten to a third."""
    if not counts:
        return []
    lowest = min(counts) // BINS_PER_DECADE * BINS_PER_DECADE
    end = -(-(max(counts) + 1) // BINS_PER_DECADE) * BINS_PER_DECADE
    bars = []
    for at in range(lowest, end):
        low, high = (duration(10 ** (edge / BINS_PER_DECADE)) for edge in (at, at + 1))
        said = f"{low} to {high}: {counts[at]:,}"
        bars.append(Bar(counts[at], said, low if at % BINS_PER_DECADE == 0 else ""))
    return bars


def finished_bars(found: Survey) -> tuple[list[Bar], str]:
    """How many puzzles were finished when, and how long the time of each bar is."""
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


def rate(found: Survey) -> str:
    """How many puzzles were finished in a unit of time, over all of the time."""
    if not found.finished:
        return ""
    seconds, puzzles = max(found.finished) - found.started, sum(found.puzzles)
    if seconds <= 0 or not puzzles:
        return ""
    per_second = puzzles / seconds
    length, unit = next((each for each in _PER if per_second * each[0] >= 1), _PER[-1])
    number = per_second * length
    shown = f"{number:,.0f}" if number >= 10 else f"{number:.1f}"
    return f"{shown} a {unit}, {puzzles:,.0f} in {duration(seconds)}"


def duration(seconds: float) -> str:
    """`2 ms`, `1.5 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    if seconds < 60:
        for least, unit, factor in _UNITS:
            if seconds >= least * 0.9995 or unit == "µs":
                return f"{float(f'{seconds * factor:.2g}'):g} {unit}"
    rounded = round(seconds)
    parts = ((rounded // 86_400, "d"), (rounded // 3600 % 24, "h"), (rounded // 60 % 60, "min"))
    known = [f"{n} {unit}" for n, unit in (*parts, (rounded % 60, "s")) if n]
    return " ".join(known[:2])


def moment_said(seconds: float) -> str:
    """The time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"
