"""Sentences for almost locked sets: cells of a unit that have one candidate more than cells."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations, islice, pairwise
from string import ascii_uppercase

from pipeline.errors import listed
from pipeline.steps.presentation.chain_words import ChainWords
from pipeline.steps.presentation.words import number_word
from pipeline.steps.step import Node

_Set = tuple[int, ...]
"""The cells of an almost locked set."""

_Chain = tuple[tuple[_Set, ...], tuple[int, ...]]
"""Sets, and their restricted commons."""

_SET_COUNTS = {"ALS-XZ": (2,), "ALS-XY-wing": (3,), "ALS chain": (4, 5, 6)}
"""The possible numbers of sets of a technique."""


class SetWords(ChainWords):
    """The placeholders of the templates of `wording` that describe almost locked sets."""

    @property
    def line_all_values(self) -> str:
        """The candidates of the cells of the pattern."""
        return self._line_symbols(self._values_of(self.step.cells))

    @property
    def line_sets(self) -> str:
        """The sets with their candidates: `1,4,7 in r1c2,r1c5 and 4,7 in r3c5`."""
        return " and ".join(
            f"{self._line_symbols(self._values_of(cells))} in {self._line_names(cells)}"
            for cells in self._chain_of_sets()[0] or [self.step.cells]
        )

    def _values_of(self, cells: _Set) -> list[int]:
        """The candidates of cells, ascending."""
        return sorted({value for cell in cells for value in self.position.values_in(cell)})

    def _chain_of_sets(self) -> _Chain:
        """Almost locked sets that prove the step, in order, and their restricted commons.

        A common for each two neighbours; of two sets with two commons, both. Empty if no sets of
        the pattern are found that prove the step. The pattern has the cells of each set after those
        of the sets before, each cell once. Chains grow by one set at a time, and one is kept for
        each number of cells, last set and last common: to list all chains can take a minute.
        """
        sets, pattern = self._almost_locked_sets(), self.step.cells
        counts = _SET_COUNTS[self.step.technique.name]
        if 2 in counts:
            for pair in ((pattern[:size], pattern[size:]) for size in range(1, len(pattern))):
                if {*map(frozenset, pair)} <= {*map(frozenset, sets)} and self._is_double(*pair):
                    return pair, (*self._commons(*pair),)
        ends = {cells for cells in sets if self._is_end(cells)}
        next_sets, commons = cache(partial(self._next_sets, sets)), cache(self._commons)
        # Number of known cells, last set and last common → a chain
        chains: dict[tuple[int, _Set, int], _Chain] = {
            (known, cells, 0): ((cells,), ()) for known, cells in next_sets(0) if cells in ends
        }
        for count in range(2, max(counts) + 1):
            chains = {
                (number, cells, value): ((*chain, cells), (*links, value))
                for (known, last, before), (chain, links) in chains.items()
                for number, cells in next_sets(known)
                if cells not in chain
                for value in commons(last, cells)
                if value != before and (links or value not in self.target_values)
            }
            for (known, last, value), path in chains.items() if count in counts else ():
                if known == len(pattern) and last in ends and value not in self.target_values:
                    return path
        return (), ()

    def _next_sets(self, sets: list[_Set], known: int) -> list[tuple[int, _Set]]:
        """The sets whose new cells come next after the first `known` cells of the pattern.

        Each with the number of cells that are then known.
        """
        pattern = self.step.cells
        new = [({*cells}.difference(pattern[:known]), cells) for cells in sets]
        return [
            (known + len(more), cells)
            for more, cells in new
            if more == {*pattern[known : known + len(more)]}
        ]

    def _almost_locked_sets(self) -> list[_Set]:
        """The almost locked sets among the cells of the pattern, in the units of the pattern."""
        in_units = ({*self.step.cells} & {*self.position.units[unit]} for unit in self.step.units)
        sets = (
            cells
            for near in in_units
            for size in range(1, len(near) + 1)
            for cells in combinations(sorted(near), size)
            if len(self._values_of(cells)) == size + 1
        )
        return [*dict.fromkeys(sets)]

    def _is_double(self, first: _Set, second: _Set) -> bool:
        """Whether two sets have two restricted commons, and therefore imply the eliminations."""
        commons = self._commons(first, second)
        return len(commons) == 2 and all(
            all(seen) if value in commons else any(seen)
            for cell, value in self.step.eliminated
            if (seen := [self._sees_places(cell, value, cells) for cells in (first, second)])
        )

    def _sees_places(self, cell: int, value: int, cells: _Set) -> bool:
        """Whether a set has a candidate, and a cell sees all its places there."""
        places = self._places(value, cells)
        return bool(places) and all(self.position.sees(cell, place) for place in places)

    def _is_end(self, cells: _Set) -> bool:
        """Whether each eliminated candidate sees all places of its value in a set."""
        return all(self._sees_places(*target, cells) for target in self.step.eliminated)

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
            f"{self.names(cells)} have only {self.symbols(self._values_of(cells))}, so they hold "
            "all of these but one"
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
        sets, commons = self._chain_of_sets()
        if not sets:
            return f"the candidates of {self.cells} leave no other possibility: {self.conclusion}"
        letters = (sign for sign in ascii_uppercase if sign not in self.position.symbols)
        names = [*islice(letters, len(sets))]
        start = listed(
            f"{name} = {self.names(cells)} ({self.symbols(self._values_of(cells))})"
            for name, cells in zip(names, sets, strict=True)
        )
        start = f"{start} are sets with one candidate more than cells"
        shared = [*map(self.position.symbol, commons)]
        if len(shared) == len(sets):
            pair = ", nor both ".join(shared)
            return (
                f"{start}; they cannot both hold {pair}, as the places see each other, so each set "
                f"holds one of these values and all its others: {self.conclusion}"
            )
        links = ", nor ".join(
            f"{first} and {second} {'both' if index else 'cannot both hold'} {shared[index]}"
            for index, (first, second) in enumerate(pairwise(names))
        )
        held_values = self.symbols(self.target_values)
        then = ", so ".join(
            f"{name} lacks {lost} and holds {held}"
            for name, lost, held in zip(names[1:], shared, [*shared[1:], held_values], strict=True)
        )
        return (
            f"{start}; {links}, as the places see each other; if {names[0]} lacks {shared[0]}, it "
            f"holds {held_values}; if not, {then}; "
            f"{self._conclusion_for_places(f'in {names[0]} and {names[-1]}')}"
        )

    def _conclusion_for_places(self, where: str) -> str:
        """The conclusion for cells that see all places of a value in some cells."""
        if len(self.target_values) == 1:
            return self.conclusion_for(f"all places of {self.eliminated_values} {where}")
        return (
            f"no cell that sees all places of one of these values {where} can hold it: "
            f"{self.conclusion}"
        )

    @property
    def blossom(self) -> str:
        """A stem, and an almost locked set, the petal, for each of its candidates."""
        stem, *petals = self.step.cells
        return (
            f"the stem {self.name(stem)} is {self.symbols(self._values_of((stem,)), 'or')}; its "
            f"petals in {self.names(petals)} are sets with one candidate more than cells; one of "
            f"them lacks the value of the stem, and therefore holds {self.eliminated_values}; "
            f"{self._conclusion_for_places('in the petals')}"
        )

    @property
    def sue_de_coq(self) -> str:
        """Cells of a line and a box with as many candidates as cells."""
        cells, values = self.step.cells, self._values_of(self.step.cells)
        twice = [
            value for value in values if not self.position.units_with(self._places(value, cells))
        ]
        how_often = f" ({self.symbols(twice)} twice)" if twice else ""
        return (
            f"{self.names(cells)} have only {self.symbols(values)}, each of which fits there "
            f"only once{how_often}, so the {number_word(len(cells))} cells need all of these; "
            f"{self._conclusion_for_places('there')}"
        )
