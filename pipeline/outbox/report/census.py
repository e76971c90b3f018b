"""Counts of what `--also` found out about the puzzles on a page, and their charts."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.outbox.report.survey import Bar, bars_svg

_FORM = re.compile(r"[.1-9]{81}", re.ASCII)
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,6})?", re.ASCII)
_BLANKS = re.compile(r"[.0]")
_DEEPEST, _WIDEST = 2, 3
_MOST_LABELS = 12
_SIZES = (1, 2, 3, 5, 10, 100, 1000)

Chart = tuple[str, str, str]
"""Title, words and SVG."""


@dataclass(slots=True)
class Census:
    """Puzzles by what was found out about them; `forms` has a hash of each canonical form."""

    givens: Counter[int] = field(default_factory=Counter)
    redundant: Counter[int] = field(default_factory=Counter)
    depths: Counter[int] = field(default_factory=Counter)
    backdoors: Counter[int] = field(default_factory=Counter)
    splits: Counter[int] = field(default_factory=Counter)
    forms: array[int] = field(default_factory=lambda: array("q"))

    def add(self, told: Mapping[str, str], puzzle: str = "") -> None:
        """Count a puzzle by its fields; malformed ones are left out."""
        form = told.get("canonical", "")
        if _FORM.fullmatch(form):
            self.forms.append(hash(form))
        else:
            form = puzzle
        if form and len(form) == 81 and any(told.values()):
            self.givens[81 - len(_BLANKS.findall(form))] += 1
        for counter, column, most in (
            (self.redundant, "redundant", 81),
            (self.depths, "effort_depth", _DEEPEST + 1),
            (self.backdoors, "effort_backdoor", _WIDEST + 1),
        ):
            text = told.get(column, "")
            if _NUMBER.fullmatch(text) and text.isdecimal() and int(text) <= most:
                counter[int(text)] += 1
        if _NUMBER.fullmatch(text := told.get("effort_splits", "")):
            mean = float(text)
            self.splits[math.ceil(math.log2(mean)) if mean > 1 else int(mean > 0) - 1] += 1

    def add_line(self, line: bytes, names: Sequence[str]) -> None:
        """Count the puzzle of a row whose last columns have these names."""
        fields = line.decode("ascii", errors="replace").rstrip("\r\n").rsplit(",", len(names))
        if len(fields) == len(names) + 1:
            told = dict(zip(names, fields[1:], strict=True))
            self.add(told, fields[0].split(",", 3)[2] if fields[0].count(",") > 2 else "")

    def charts(self) -> list[Chart]:
        """A chart for each of these for which there is data."""
        made = [
            ("Givens", self._of(self.givens, "how many givens they have"), _every(self.givens)),
            (
                "Redundant givens",
                self._of(self.redundant, "givens that can be left out, each alone; 0: minimal"),
                _every(self.redundant),
            ),
            (
                "Depth",
                self._of(self.depths, "the depth of trial and error over singles"),
                _capped(self.depths, _DEEPEST),
            ),
            (
                "Backdoor",
                self._of(self.backdoors, "the fewest cells that let singles decide the rest"),
                _capped(self.backdoors, _WIDEST),
            ),
            (
                "Splits",
                self._of(self.splits, "how often a search branches, the mean over 64 images"),
                _doubling(self.splits),
            ),
            ("Classes", *self._classes()),
        ]
        return [
            (title, words, bars_svg(bars, f"Puzzles: {title.lower()}", f"t{place}", centred=True))
            for place, (title, words, bars) in enumerate(made)
            if bars
        ]

    def _of(self, counts: Counter[int], what: str) -> str:
        return f"Of {_counted(counts.total(), 'puzzle', 's')}: {what}."

    def _classes(self) -> tuple[str, list[Bar]]:
        """How many puzzles are equivalent to each other."""
        if not self.forms:
            return "", []
        import numpy as np  # noqa: PLC0415 - slow to load

        forms = np.frombuffer(self.forms, np.int64)
        sizes = Counter(np.unique(forms, return_counts=True)[1].tolist())
        words = f"{_counted(len(forms), 'puzzle', 's')} in {_counted(sizes.total(), 'class', 'es')}"
        words += " of equivalent ones, by size."
        bars = []
        for least, beyond in zip(_SIZES, (*_SIZES[1:], math.inf), strict=True):
            count = sum(n for size, n in sizes.items() if least <= size < beyond)
            most = "" if beyond == math.inf else f"–{beyond - 1:.0f}"
            label = f"{least}" if beyond == least + 1 else f"{least}{most or '+'}"
            bars.append(Bar(count, f"classes of {label}: {count:,}", label))
        while bars and not bars[-1].count:
            bars.pop()
        return words, bars


def _counted(number: int, noun: str, ending: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else ending}"


def _every(counts: Counter[int]) -> list[Bar]:
    """A bar for each number from the least to the largest."""
    if not counts:
        return []
    numbers = range(min(counts), max(counts) + 1)
    step = -(-len(numbers) // _MOST_LABELS)
    return [
        Bar(counts[each], f"{each}: {counts[each]:,}", str(each) if at % step == 0 else "")
        for at, each in enumerate(numbers)
    ]


def _capped(counts: Counter[int], most: int) -> list[Bar]:
    if not counts:
        return []
    labels = [*map(str, range(most + 1)), "more"]
    return [Bar(counts[at], f"{each}: {counts[at]:,}", each) for at, each in enumerate(labels)]


def _doubling(counts: Counter[int]) -> list[Bar]:
    """Bars for none, up to 1, up to 2, up to 4 and so on; -1 stands for none."""
    labels = {
        power: "0" if power < 0 else f"≤{2**power}"
        for power in range(-1, max(counts, default=-2) + 1)
    }
    return [
        Bar(counts[power], f"{label}: {counts[power]:,}", label) for power, label in labels.items()
    ]
