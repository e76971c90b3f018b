"""Sentences for almost locked sets: cells of a unit that have one candidate more than cells."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, pairwise, product
from string import ascii_uppercase

from pipeline.steps.presentation.chain_words import ChainWords
from pipeline.steps.presentation.words import listed, number_word
from pipeline.steps.step import Node

_Set = tuple[int, ...]
"""The cells of an almost locked set."""

_SET_COUNTS = {"ALS-XZ": 2, "ALS-XY-wing": 3}
"""The number of sets, for techniques in which it is fixed."""

_MAX_PARTITIONS = 200
"""Maximum number of ways to divide cells into sets that are tried."""


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
            for cells in self._sets() or [self.step.cells]
        )

    def _values_of(self, cells: _Set) -> list[int]:
        """The candidates of cells, ascending."""
        return sorted({value for cell in cells for value in self.position.values_in(cell)})

    def _sets(self) -> list[_Set]:
        """The almost locked sets of the pattern, whose cells follow one another."""
        partitions = [*islice(self._partitions(self.step.cells, ()), _MAX_PARTITIONS)]
        proofs = (sets for sets in partitions if self._is_proof(sets))
        return next(proofs, partitions[0] if partitions else [])

    def _is_proof(self, sets: list[_Set]) -> bool:
        """Whether the first or the last set must hold what the step eliminates."""
        if len(sets) != _SET_COUNTS.get(self.step.technique.name, len(sets)) or len(sets) < 2:
            return False
        if len(sets) == 2 and len(self._commons(*sets)) > 1:
            return True
        ends = [
            (target, self._places(value, cells))
            for target, value in self.step.eliminated
            for cells in (sets[0], sets[-1])
        ]
        is_seen = all(
            places and all(self.position.sees(target, cell) for cell in places)
            for target, places in ends
        )
        return is_seen and self._links(sets) is not None

    def _links(self, sets: list[_Set]) -> tuple[int, ...] | None:
        """A common value of each two neighbours, not the one before; None if there is none."""
        commons = (self._commons(first, second) for first, second in pairwise(sets))
        chosen = product(*commons)
        return next((v for v in chosen if all(a != b for a, b in pairwise(v))), None)

    def _partitions(self, cells: _Set, before: tuple[_Set, ...]) -> Iterator[list[_Set]]:
        """Yield the ways to divide cells into almost locked sets, each linked to the next.

        `before`: the sets so far. A set may also have cells of them, except of the last one.
        """
        if not cells:
            yield [*before]
        earlier = sorted({cell for cells_before in before[:-1] for cell in cells_before} - {*cells})
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
        sets = self._sets()
        if len(sets) < 2:
            return self.refuted
        commons = self._commons(*sets[:2])
        letters = (sign for sign in ascii_uppercase if sign not in self.position.symbols)
        names = [*islice(letters, len(sets))]
        start = listed(
            f"{name} = {self.names(cells)} ({self.symbols(self._values_of(cells))})"
            for name, cells in zip(names, sets, strict=True)
        )
        start = f"{start} are sets with one candidate more than cells"
        if len(sets) == 2 and len(commons) > 1:
            pair = ", nor both ".join(map(self.position.symbol, commons))
            return (
                f"{start}; they cannot both hold {pair}, as the places see each other, so each set "
                f"holds one of these values and all its others: {self.conclusion}"
            )
        values = self._links(sets)
        if values is None:
            return self.refuted
        shared = [*map(self.position.symbol, values)]
        links = ", nor ".join(
            f"{first} and {second} {'both' if index else 'cannot both hold'} {shared[index]}"
            for index, (first, second) in enumerate(pairwise(names))
        )
        value, held_values = self.eliminated_values, self.symbols(self.target_values)
        then = ", so ".join(
            f"{name} lacks {lost} and holds {held}"
            for name, lost, held in zip(names[1:], shared, [*shared[1:], held_values], strict=True)
        )
        return (
            f"{start}; {links}, as the places see each other; if {names[0]} lacks {shared[0]}, it "
            f"holds {held_values}; if not, {then}; "
            f"{self.conclusion_for(f'all places of {value} in {names[0]} and {names[-1]}')}"
        )

    @property
    def blossom(self) -> str:
        """A stem, and an almost locked set, the petal, for each of its candidates."""
        stem, *petals = self.step.cells
        value, held_values = self.eliminated_values, self.symbols(self.target_values)
        return (
            f"the stem {self.name(stem)} is {self.symbols(self._values_of((stem,)), 'or')}; its "
            f"petals in {self.names(petals)} are sets with one candidate more than cells; one of "
            f"them lacks the value of the stem, and therefore holds {held_values}; "
            f"{self.conclusion_for(f'all places of {value} in the petals')}"
        )

    @property
    def sue_de_coq(self) -> str:
        """Cells of a line and a box with as many candidates as cells."""
        cells, values = self.step.cells, self._values_of(self.step.cells)
        twice = [
            value for value in values if not self.position.units_with(self._places(value, cells))
        ]
        how_often = f" ({self.symbols(twice)} twice)" if twice else ""
        so = f"no cell that sees all places of one of them there can hold it: {self.conclusion}"
        if len(self.target_values) == 1:
            so = self.conclusion_for(f"all places of {self.eliminated_values} there")
        return (
            f"{self.names(cells)} have only {self.symbols(values)}, each of which fits there "
            f"only once{how_often}, so the {number_word(len(cells))} cells need all of these; {so}"
        )
