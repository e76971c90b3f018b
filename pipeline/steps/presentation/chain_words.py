"""Sentences for colours, chains and nets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product

from pipeline.errors import listed
from pipeline.steps.presentation.branching import are_exclusive, conclusions_of
from pipeline.steps.presentation.uniqueness_words import UniquenessWords
from pipeline.steps.presentation.words import (
    contradiction_text,
    node_name,
    possible_only,
    with_commas,
)
from pipeline.steps.step import CONCLUSION


class ChainWords(UniquenessWords):
    """The placeholders of the templates of `wording` that describe colours, chains and nets."""

    @property
    def colours(self) -> str:
        """Two colours of a value, of which one is true."""
        colours = {
            holds: sorted(c for node in self.step.chain if node.holds == holds for c in node.cells)
            for holds in (True, False)
        }
        first, second = map(self.names_are, colours.values())
        start = (
            f"units with only two places for {self.value} link these cells: {first} {self.value}, "
            f"or else {second}"
        )
        for cells in colours.values():
            clash = next((p for p in combinations(cells, 2) if self.position.sees(*p)), None)
            if clash and {*self.target_cells} <= {*cells}:
                return f"{start}; {self.names(clash)} see each other, so {self.conclusion}"
        return f"{start}; in both cases {self.conclusion_for(f'a {self.value}')}"

    @property
    def line_components(self) -> str:
        """The colours of each group of cells: `r1c1/r2c5 and r3c3/r4c8`."""
        return " and ".join(
            "/".join(with_commas(map(self.name, colour)) for colour in component)
            for component in self._components()
        )

    def _components(self) -> list[tuple[list[int], list[int]]]:
        """The two colours of each group of cells that units with two places connect."""
        links: dict[int, list[int]] = {}
        for _, ((first, _), (second, _)) in self._pairs():
            links.setdefault(first, []).append(second)
            links.setdefault(second, []).append(first)
        components, colours = [], dict[int, int]()
        for start in sorted(links):
            if start in colours:
                continue
            colours[start], reached = 0, [start]
            for cell in reached:
                for other in links[cell]:
                    if other not in colours:
                        colours[other] = 1 - colours[cell]
                        reached.append(other)
            components.append(
                (
                    sorted(cell for cell in reached if not colours[cell]),
                    sorted(cell for cell in reached if colours[cell]),
                )
            )
        return components

    def _touching(self, first: Sequence[int], second: Sequence[int]) -> tuple[int, int] | None:
        """A cell of each of two groups, which see each other; None if no cells do."""
        pairs = product(first, second)
        return next((pair for pair in pairs if self.position.sees(*pair)), None)

    @property
    def multi_colours(self) -> str:
        """Two groups of cells, each with two colours, of which one is true."""
        value = self.value
        for (one, other), (own, opposite) in permutations(self._components(), 2):
            start = (
                f"units with only two places for {value} link these cells: {self.names_are(one)} "
                f"{value}, or else {self.names_are(other)}; {self.names_are(own)} {value}, or else "
                f"{self.names_are(opposite)}"
            )
            for false, true in ((one, other), (other, one)):
                clashes = [self._touching(false, colour) for colour in (own, opposite)]
                if {*self.target_cells} <= {*false} and None not in clashes:
                    texts = [
                        f"{self.name(a)} sees {self.name(b)}" for a, b in filter(None, clashes)
                    ]
                    return f"{start}; {listed(texts)}, so {self.names_are(false)} not {value}"
                for near, far in ((own, opposite), (opposite, own)):
                    clash = self._touching(false, near)
                    seen = (
                        self._touching([cell], group)
                        for cell in self.target_cells
                        for group in (true, far)
                    )
                    if clash and None not in seen:
                        return (
                            f"{start}; {self.names(clash)} see each other and are not both "
                            f"{value}, so {self.names_are(true)} {value}, or "
                            f"{self.names_are(far)}; in both cases "
                            f"{self.conclusion_for(f'a {value}')}"
                        )
        return self.refuted

    @property
    def remote_pair(self) -> str:
        """Cells with the same two candidates, each of which sees the next."""
        cells = dict.fromkeys(cell for node in self.step.chain for cell in node.cells)
        return (
            f"{self.names(cells)} have only {self.values}, and each of them sees the next, so they "
            f"are {self.values} in turn; {self.conclusion_for('two of them with different values')}"
        )

    @property
    def chain(self) -> str:
        """A chain whose first or last node holds, a chain that contradicts its start, or a loop."""
        chain = self.step.chain
        if len(chain) < 2:
            return self.forcing
        first, last = chain[0], chain[-1]
        opposite = first._replace(holds=not first.holds)
        start, end = node_name(self.position, first), node_name(self.position, last)
        other = node_name(self.position, opposite)
        premise = f"if {start}, the chain leads to {end}"
        if not self.step.branches:  # which would name each node
            nodes = (node_name(self.position, node) for node in chain[1:])
            premise = f"if {start}, then {listed(nodes, 'and finally')}"
        is_excluded = are_exclusive(self.position, first, last)
        if last == opposite or (first.holds and last.holds and is_excluded):
            return f"{premise}, a contradiction; so {self.conclusion}"
        if not first.holds and not last.holds and is_excluded:
            return f"{premise}, and if {other}, {end}, too; so {self.conclusion}"
        ends = [(cell, node.value) for node in (first, last) for cell in node.cells]
        if not first.holds and last.holds and self._see_all(ends):
            return f"{premise}; so {other} or {end}, and in both cases {self.conclusion}"
        return (
            f"{premise}, and {end} leads back to {start}; of two neighbours in this loop, exactly "
            f"one is true, so candidates that both exclude are false: {self.conclusion}"
        )

    @property
    def forcing(self) -> str:
        """A forcing chain, or a chain or net that ends in a contradiction."""
        branches = self.step.branches
        if not branches:
            opposites = [
                node_name(self.position, node._replace(holds=not node.holds))
                for node in conclusions_of(self.step)
            ]
            return (
                f"if {listed(opposites, 'or')}, the cells and units that the step cites lead to a "
                f"contradiction, so {self.conclusion}"
            )
        assumptions = [node_name(self.position, branch.assumption) for branch in branches]
        if all(branch.ends == CONCLUSION for branch in branches):
            cited, cases = self.step.cited[0], f"one of {listed(assumptions)} is true"
            if cited.value:
                cases = possible_only(self.position, cited)
            elif not cited.rule:
                ((cell, *_),) = (cited.cells,)
                cases = f"{self.name(cell)} is {self.symbols(self.position.values_in(cell), 'or')}"
            in_each = {1: "", 2: "in both cases "}.get(len(branches), "in each case ")
            return f"{cases}, and {in_each}it follows that {self.conclusion}"
        if len(branches) == 1:
            return (
                f"if {assumptions[0]}, {contradiction_text(self.position, branches[0])}, so "
                f"{self.conclusion}"
            )
        return f"each of {listed(assumptions)} leads to a contradiction, so {self.conclusion}"
