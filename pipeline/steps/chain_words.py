"""Words for colours, chains and nets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product

from pipeline.steps.branching import candidates_of, excludes
from pipeline.steps.step import CONCLUSION, Node
from pipeline.steps.uniqueness_words import UniquenessWords
from pipeline.steps.words import contradiction_text, listed, node_name, with_commas

MAX_CHAIN_NODES = 8
"""Longer chains are not repeated in their reason."""


class ChainWords(UniquenessWords):
    """The placeholders of the templates of `wording` that describe colours, chains and nets."""

    @property
    def colours(self) -> str:
        """Two colours of a value, of which one holds."""
        colours = {
            holds: sorted(c for node in self.step.chain if node.holds == holds for c in node.cells)
            for holds in (True, False)
        }
        either = (
            f"units with only two places for {self.value} connect two groups of cells; either all "
            f"of one group are {self.value}, {self.names(colours[True])}, or all of the other, "
            f"{self.names(colours[False])}"
        )
        struck = {cell for cell, _ in self.step.struck}
        for cells in colours.values():
            clash = next((p for p in combinations(cells, 2) if self.position.sees(*p)), None)
            if clash and struck <= {*cells}:
                return (
                    f"{either}; {self.names(clash)} see each other, so it is not their group, and "
                    f"{self.conclusion}"
                )
        sees = "sees a cell" if len(struck) == 1 else "each see a cell"
        return f"{either}; {self.struck_cells} {sees} of both groups, so {self.conclusion}"

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
        """Two cells of two groups that see each other; None if there are none."""
        pairs = product(first, second)
        return next((pair for pair in pairs if self.position.sees(*pair)), None)

    @property
    def multi_colours(self) -> str:
        """Two groups of cells, of each of which one of two colours holds."""
        components = self._components()
        struck = [*dict.fromkeys(cell for cell, _ in self.step.struck)]
        value = self.value
        for (one, other), (own, opposite) in permutations(components, 2):
            start = (
                f"units with only two places for {value} connect cells; either all of "
                f"{self.names(one)} are {value}, or all of {self.names(other)}; also either all of "
                f"{self.names(own)}, or all of {self.names(opposite)}"
            )
            for false, true in ((one, other), (other, one)):
                clashes = [self._touching(false, colour) for colour in (own, opposite)]
                if {*struck} <= {*false} and None not in clashes:
                    texts = [
                        f"{self.name(a)} sees {self.name(b)}" for a, b in filter(None, clashes)
                    ]
                    return (
                        f"{start}; {listed(texts)}, so {self.names(false)} cannot be {value} in "
                        f"either case, and {self.conclusion}"
                    )
                for near, far in ((own, opposite), (opposite, own)):
                    clash = self._touching(false, near)
                    seen = (
                        self._touching([cell], group) for cell in struck for group in (true, far)
                    )
                    if clash and None not in seen:
                        return (
                            f"{start}; {self.names(clash)} see each other, so they are not both "
                            f"{value}, and all of {self.names(true)} or all of {self.names(far)} "
                            f"are; {self.struck_cells} "
                            f"{'sees a cell' if len(struck) == 1 else 'each see a cell'} of both "
                            f"of these, so {self.conclusion}"
                        )
        return self.refuted

    @property
    def remote_pair(self) -> str:
        """Cells with the same two candidates, each of which sees the next."""
        cells = [*dict.fromkeys(cell for node in self.step.chain for cell in node.cells)]
        struck = [*dict.fromkeys(cell for cell, _ in self.step.struck)]
        see = "sees" if len(struck) == 1 else "each see"
        return (
            f"{self.names(cells)} have only {self.values}, and each of them sees the next, so they "
            f"hold {self.values} in turn; {self.struck_cells} {see} two of them that hold "
            f"different values, so {self.conclusion}"
        )

    @property
    def chain(self) -> str:
        """A chain whose first or last node holds, a chain that contradicts its start, or a loop."""
        chain = self.step.chain
        if len(chain) < 2:
            return self.forcing
        first, last = chain[0], chain[-1]
        start, end = node_name(self.position, first), node_name(self.position, last)
        middle = [node_name(self.position, node) for node in chain[1:]]
        so = f"if {start}, then {listed(middle, 'and finally')}"
        if len(chain) > MAX_CHAIN_NODES:
            so = f"if {start}, the chain leads to {end}"
        opposite = first._replace(holds=not first.holds)
        is_excluded = first.holds and last.holds and self._excludes(first, last)
        if last == opposite or is_excluded:
            return f"{so}, which contradicts {start}; so {self.conclusion}"
        if not first.holds and not last.holds and self._excludes(first, last):
            other = node_name(self.position, opposite)
            return f"{so}; if {other}, {end} as well, so {self.conclusion}"
        if not first.holds and last.holds:
            ends = [(cell, node.value) for node in (first, last) for cell in node.cells]
            if self._see_all(ends):
                true = node_name(self.position, opposite)
                return (
                    f"{so}; so at least one of {true} and {end} is true; in both cases "
                    f"{self.conclusion}"
                )
        return (
            f"{so}; the chain is a loop, as its ends are linked, too: of any two neighbours in it "
            f"exactly one is true; what both neighbours exclude is false, so {self.conclusion}"
        )

    def _excludes(self, first: Node, second: Node) -> bool:
        """Whether all candidates of two nodes exclude each other."""
        return all(
            excludes(self.position, one, other)
            for one in candidates_of(first)
            for other in candidates_of(second)
        )

    @property
    def forcing(self) -> str:
        """A forcing chain, or a chain or net that ends in a contradiction."""
        branches = self.step.branches
        if not branches:
            return self.refuted
        assumptions = [node_name(self.position, branch.assumption) for branch in branches]
        if all(branch.ends == CONCLUSION for branch in branches):
            if len(branches) == 1:
                return self.refuted
            return f"whether {listed(assumptions, 'or')}, it follows that {self.conclusion}"
        if len(branches) == 1:
            return (
                f"if {assumptions[0]}, {contradiction_text(self.position, branches[0])}, so "
                f"{self.conclusion}"
            )
        return f"each of {listed(assumptions)} leads to a contradiction, so {self.conclusion}"
