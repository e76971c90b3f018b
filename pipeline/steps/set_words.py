"""Words for techniques of sets of cells: Sue de Coq and almost locked sets.

The properties are placeholders of templates in `wording`, as in `pattern_words`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipeline.steps.rule_words import RuleWords
from pipeline.steps.words import listed

_SET_COUNTS = {"ALS-XZ": (2, 3), "ALS-XY-wing": (3, 4)}
"""The range of the number of sets; an ALS chain has at least four."""

Set = tuple[int, ...]
"""The cells of an almost locked set."""


class SetWords(RuleWords):
    """The placeholders of the templates of `wording` that describe sets of cells."""

    @property
    def sue_de_coq(self) -> str:
        """Cells of a line and a box that need all their candidates."""
        cells = self.step.cells
        line, box = (self.position.units[unit] for unit in self.step.units)
        crossing = [cell for cell in cells if cell in line and cell in box]
        others = [cell for cell in cells if cell not in crossing]
        parts = [
            f"{self.names(part)} of {self.units_named([unit])} ({self._candidates(part)})"
            for unit, of_unit in zip(self.step.units, (line, box), strict=True)
            if (part := [cell for cell in others if cell in of_unit])
        ]
        return (
            f"{self.names(crossing)} ({self._candidates(crossing)}) and {listed(parts)} are "
            f"{len(cells)} cells that need all their candidates, because each of these fits only "
            f"once in {self.units}, or once in each; so {self.conclusion}"
        )

    @property
    def almost_locked(self) -> str:
        """A chain of two or more almost locked sets."""
        sets = self._almost_locked_sets()
        if not sets:
            return f"{self.cells} leave no other possibility: {self.conclusion}"
        described = [f"{self._set_name(each)} ({self._candidates(each)})" for each in sets]
        start = f"{listed(described)} have one candidate more than cells each"
        commons = [self._commons(a, b) for a, b in pairwise(sets)]
        if len(sets) == 2 and len(commons[0]) == 2:
            first, second = commons[0]
            return (
                f"{start}; only one of the two can hold {first}, and only one {second}, so each "
                f"lacks one of these and holds all its other candidates; so {self.conclusion}"
            )
        links = [
            f"{self._set_name(a)} and {self._set_name(b)} cannot both hold {digit}"
            for (a, b), digit in zip(pairwise(sets), self._links(commons), strict=True)
        ]
        values = listed(sorted({value for _, value in self.step.struck}))
        is_one = len({cell for cell, _ in self.step.struck}) == 1
        return (
            f"{start}; what lacks one candidate holds all others, and {listed(links)}, so "
            f"{self._set_name(sets[0])} or {self._set_name(sets[-1])} holds {values}; "
            f"{self.struck_cells} {'sees' if is_one else 'see'} its places in both, so "
            f"{'it' if is_one else 'they'} {self._are_not}"
        )

    @property
    def blossom(self) -> str:
        """A stem and its petals."""
        stem = self.step.cells[0]
        values = listed(sorted({value for _, value in self.step.struck}))
        is_one = len({cell for cell, _ in self.step.struck}) == 1
        return (
            f"the stem {self.name(stem)} sees, for each of its candidates "
            f"{self._candidates([stem])}, all its places in a set with one candidate more than "
            "cells, the petal; if the stem holds it, the petal holds all its other candidates, so "
            f"one of the petals holds {values}; {self.struck_cells} {'sees' if is_one else 'see'} "
            f"its places in all petals, so {'it' if is_one else 'they'} {self._are_not}"
        )

    @property
    def _are_not(self) -> str:
        values = listed(sorted({value for _, value in self.step.struck}), "or")
        return f"{'is' if len({cell for cell, _ in self.step.struck}) == 1 else 'are'} not {values}"

    def _set_name(self, cells: Set) -> str:
        """A cell, or the set of some cells."""
        return self.name(cells[0]) if len(cells) == 1 else f"the set of {self.names(cells)}"

    def _candidates(self, cells: Sequence[int]) -> str:
        """The candidates of cells."""
        return listed(sorted({value for cell in cells for value in self.position.values_in(cell)}))

    def _links(self, commons: Sequence[Sequence[int]]) -> list[int]:
        """A restricted common of each pair of neighbours, so that it changes along the chain."""
        struck = {value for _, value in self.step.struck}
        digits = list[int]()
        for choices in commons:
            fits = [d for d in choices if d not in struck and d not in digits[-1:]]
            digits.append((fits or list(choices))[0])
        return digits

    def _almost_locked_sets(self) -> list[Set]:
        """The sets of the pattern, whose cells follow one another; empty if they overlap."""
        counts = range(*_SET_COUNTS.get(self.step.technique.name, (4, len(self.step.cells) + 1)))
        splits = self._splits(self.step.cells, ())
        return next((split for split in splits if len(split) in counts), [])

    def _splits(self, cells: Sequence[int], before: Set) -> Iterator[list[Set]]:
        """The ways to split cells into almost locked sets with restricted commons."""
        if not cells:
            yield []
        for size in range(1, len(cells) + 1):
            first = tuple(cells[:size])
            count = len({value for cell in first for value in self.position.values_in(cell)})
            if count != size + 1 or not (size == 1 or self.position.units_with(first)):
                continue
            if before and not self._commons(before, first):
                continue
            for rest in self._splits(cells[size:], first):
                yield [first, *rest]

    def _commons(self, a: Set, b: Set) -> list[int]:
        """The restricted commons of two sets."""
        places = [
            {
                value: [c for c in cells if value in self.position.values_in(c)]
                for value in range(1, 10)
            }
            for cells in (a, b)
        ]
        return [
            value
            for value in self.step.values
            if all(place[value] for place in places)
            and all(self.position.sees(p, q) for p in places[0][value] for q in places[1][value])
        ]
