"""Words for patterns of almost locked sets: cells of a unit with one candidate more than cells."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product

from pipeline.steps.presentation.chain_words import ChainWords
from pipeline.steps.presentation.words import listed, with_commas
from pipeline.steps.step import Node

_Set = tuple[int, ...]
"""The cells of an almost locked set."""


class SetWords(ChainWords):
    """The placeholders of the templates of `wording` that describe almost locked sets."""

    @property
    def line_all_values(self) -> str:
        """The candidates of the cells of the pattern."""
        return with_commas(self._values_of(self.step.cells))

    @property
    def line_sets(self) -> str:
        """The sets with their candidates: `1,4,7 in r1c2,r1c5 and 4,7 in r3c5`."""
        return " and ".join(
            f"{with_commas(self._values_of(cells))} in {with_commas(map(self.name, cells))}"
            for cells in self._sets() or [self.step.cells]
        )

    def _values_of(self, cells: _Set) -> list[int]:
        """The candidates of cells, ascending."""
        return sorted({value for cell in cells for value in self.position.values_in(cell)})

    def _sets(self) -> list[_Set]:
        """The almost locked sets of the pattern, whose cells follow one another."""
        return next(self._partitions(self.step.cells, ()), [])

    def _partitions(self, cells: _Set, before: tuple[_Set, ...]) -> Iterator[list[_Set]]:
        """Yield the ways to divide cells into almost locked sets, each linked to the next.

        `before`: the sets so far. A set may also have cells of them, except of the last one.
        """
        if not cells:
            yield [*before]
        earlier = sorted({cell for each in before[:-1] for cell in each} - {*cells})
        for size, more in product(range(1, len(cells) + 1), range(len(earlier) + 1)):
            for shared in combinations(earlier, more):
                own = (*cells[:size], *shared)
                is_set = len(self._values_of(own)) == len(own) + 1 and self.position.units_with(own)
                if is_set and (not before or self._commons(before[-1], own)):
                    yield from self._partitions(cells[size:], (*before, own))

    def _commons(self, first: _Set, second: _Set) -> list[int]:
        """The restricted commons of the step in two sets: values that only one of them can hold."""
        return [
            value
            for value in self.step.values
            if (places := [self._places(value, cells) for cells in (first, second)])
            and all(places)
            and all(self.position.sees(a, b) for a in places[0] for b in places[1])
        ]

    def _places(self, value: int, cells: _Set) -> list[int]:
        """The cells that have a candidate."""
        return [cell for cell in cells if self.position.has(cell, value)]

    @property
    def chain_sets(self) -> str:
        """The sets through which a chain leads: `r1c4 and r1c5 have only 1, 2 and 3, so …`."""
        links = (pair for pair in pairwise(self.step.chain) if pair[1].holds)
        sets = dict.fromkeys(cells for pair in links if (cells := self._set_between(*pair)))
        return listed(
            f"{self.names(cells)} have only {listed(self._values_of(cells))}, so they hold all of "
            "these but one"
            for cells in sets
        )

    def _set_between(self, first: Node, second: Node) -> _Set:
        """The smallest set whose places for two values are these nodes; empty if there is none."""
        cells = (*first.cells, *second.cells)
        near = [cell for cell in self.step.cells if self.position.units_with((*cells, cell))]
        sets = (
            cells
            for size in range(2, len(near) + 1)
            for cells in combinations(near, size)
            if len(self._values_of(cells)) == size + 1
            and self.position.units_with(cells)
            and all((*self._places(node.value, cells),) == node.cells for node in (first, second))
        )
        return next(sets, ()) if first.value != second.value else ()

    @property
    def almost_locked(self) -> str:
        """Two or more almost locked sets, of which the first or the last one is locked."""
        sets = self._sets()
        if len(sets) < 2:
            return self.refuted
        start = listed(
            f"{self.names(cells)} {'has' if len(cells) == 1 else 'have'} only "
            f"{listed(self._values_of(cells))}"
            for cells in sets
        )
        start = f"{start}: each of these sets has one candidate more than cells"
        commons = [self._commons(first, second) for first, second in pairwise(sets)]
        if len(sets) == 2 and len(commons[0]) > 1:
            return (
                f"{start}; {listed(commons[0])} cannot be in both, as all their places there see "
                "each other; so each set lacks one of these values and holds all its others, and "
                f"one of the sets holds each of them; so {self.conclusion}"
            )
        links = listed(
            f"{listed(values, 'or')} cannot be both in {self.names(first)} and in "
            f"{self.names(second)}"
            for values, (first, second) in zip(commons, pairwise(sets), strict=True)
        )
        struck = listed(sorted({value for _, value in self.step.struck}), "or")
        sees = "sees" if len({cell for cell, _ in self.step.struck}) == 1 else "see"
        if len(sets) == 2:
            either = (
                f"one of the two sets lacks {listed(commons[0], 'or')} and holds all its others"
            )
        else:
            either = (
                "if the first set holds the value that it shares with the second, the second "
                "lacks it and holds all its others, and so on to the last; so the first or the "
                "last set lacks a shared value and holds all its others"
            )
        return (
            f"{start}; {links}, as all its places there see each other; so {either}, among them "
            f"{struck}; {self.struck_cells} {sees} all places of {struck} in both, so "
            f"{self.conclusion}"
        )

    @property
    def blossom(self) -> str:
        """A stem, and an almost locked set, the petal, for each of its candidates."""
        stem, *petals = self.step.cells
        struck = listed(sorted({value for _, value in self.step.struck}), "or")
        sees = "sees" if len({cell for cell, _ in self.step.struck}) == 1 else "see"
        return (
            f"{self.names(petals)} are sets with one candidate more than cells, the petals, and "
            f"the stem {self.name(stem)} is {listed(self._values_of((stem,)), 'or')}; for each of "
            "these it sees all places of a petal, which lacks the value that the stem holds, and "
            f"so holds all its others, among them {struck}; {self.struck_cells} {sees} all places "
            f"of {struck} in the petals, so {self.conclusion}"
        )

    @property
    def sue_de_coq(self) -> str:
        """Cells of a line and a box with as many candidates as cells."""
        cells, values = self.step.cells, self._values_of(self.step.cells)
        several = [
            value for value in values if not self.position.units_with(self._places(value, cells))
        ]
        twice = f" ({listed(several)} twice)" if several else ""
        return (
            f"in {self.units}, the {len(cells)} cells {self.names(cells)} have only the candidates "
            f"{listed(values)}; each of these fits there once{twice}, so all are needed to fill "
            "the cells, and no other cell that sees all places of one of them holds it; so "
            f"{self.conclusion}"
        )
