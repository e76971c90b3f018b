"""Words for the patterns of techniques: why each of them holds.

A property is the placeholder of a template in `wording`. It reads the pattern from the constraints
that the step cites, so it does not depend on the function that found the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from pipeline.steps.branching import candidates_of, excludes
from pipeline.steps.rule_words import RuleWords
from pipeline.steps.step import CONCLUSION, UNIQUENESS, Candidate, Cited, Node
from pipeline.steps.words import (
    cited_name,
    contradiction_text,
    listed,
    node_name,
    possible_only,
    with_commas,
)

MAX_CHAIN_NODES = 8
"""Longer chains are not repeated in their reason."""

MAX_COMBINATIONS = 12
"""More combinations are not listed in the reason of an aligned exclusion."""

_EXCHANGE = (
    "these two could be exchanged there, and the puzzle would have a second solution, but it is "
    "unique"
)
"""Why cells cannot hold only two values."""


class PatternWords(RuleWords):
    """The placeholders of the templates of `wording` that describe a pattern."""

    # Singles, locked candidates, subsets and fish

    @property
    def single(self) -> str:
        """Why a single holds: in a unit with one open cell, in a cell, or in a unit."""
        ((cell, value),) = self.step.placed
        cited = self.step.cited[0]
        if cited.unit is None:
            return self._naked_single(cell, value)
        unit = self.units_named([cited.unit])
        others = [c for c in cited.cells if c != cell and not self.position.values[c]]
        if not others:
            return (
                f"{self.name(cell)} is the only open cell of {unit}, and {value} is missing there"
            )
        blockers = self._blockers(others, value)
        lost = [c for c in others if not any(self.position.sees(c, b) for b in blockers)]
        marked = [
            c for c in lost if self.position.mark_of(c) and not self.position.allows(c, value)
        ]
        lost = [c for c in lost if c not in marked]
        causes = []
        if blockers:
            causes.append(f"see the {value} in {self.names(blockers, 'or')}")
        if marked:
            causes.append(f"are marked as {self.position.mark_of(marked[0])}")
        if lost:
            causes.append("have lost it before" if blockers else f"have lost {value} before")
        return (
            f"{value} must be in {unit}, and {self.name(cell)} is its only place there: the other "
            f"open cells {', or '.join(causes)}"
        )

    def _naked_single(self, cell: int, value: int) -> str:
        """Why a value is the only candidate of a cell."""
        seen = {self.position.values[other] for other in self.position.peers[cell]} - {0}
        mark = self.position.mark_of(cell)
        others = {*range(1, self.position.geometry.side + 1)} - {value}
        if mark:
            others = {other for other in others if self.position.allows(cell, other)}
        parts = [f"is marked as {mark}"] if mark else []
        parts += [f"sees {listed(sorted(others & seen))}"] if others & seen else []
        parts += [f"has lost {listed(sorted(others - seen))} before"] if others - seen else []
        return f"{self.name(cell)} {listed(parts)}, so only {value} is left for it"

    def _blockers(self, cells: Sequence[int], value: int) -> list[int]:
        """The cells that hold a value and see one of the cells; as few as possible."""
        missing, blockers = {*cells}, list[int]()
        holders = [c for c, held in enumerate(self.position.values) if held == value]
        while missing:
            best = max(holders, key=lambda c: len(missing & self.position.peers[c]), default=None)
            if best is None or not missing & self.position.peers[best]:
                break
            missing -= self.position.peers[best]
            blockers.append(best)
        return sorted(blockers)

    @property
    def direct(self) -> str:
        """The single that a direct step leaves; empty for other steps."""
        if not self.step.placed:
            return ""
        ((cell, value),) = self.step.placed
        units = [
            c.unit
            for c in self.step.cited
            if c.unit is not None and c.value == value and cell in c.cells
        ]
        place = self.units_named(units[:1]) if units else "its unit"
        return f", and {self.name(cell)} is the only place left for {value} in {place}"

    @property
    def fins(self) -> str:
        """The fins, with their number."""
        many = len(self.step.fins) > 1
        return f"the {'fins' if many else 'fin'} {self.names(self.step.fins)}"

    @property
    def no_fin(self) -> str:
        return "none of these is" if len(self.step.fins) > 1 else "the fin is not"

    @property
    def a_fin(self) -> str:
        return "a fin" if len(self.step.fins) > 1 else "the fin"

    @property
    def are_both(self) -> str:
        """The cells of the conclusion are in the cover and see the fins."""
        many = len({cell for cell, _ in self.step.struck}) > 1
        fins = "all fins" if len(self.step.fins) > 1 else "the fin"
        return (
            f"{'are' if many else 'is'} in {self.cover} and {'see' if many else 'sees'} {fins}, so "
            f"{'they are' if many else 'it is'} not {self.value} in either case"
        )

    @property
    def which_are(self) -> str:
        return "both" if len(self.step.cells) == 2 else "all"

    @property
    def locked(self) -> str:
        """Why cells do not hold the value of locked candidates: their unit, or what they see."""
        if self.step.cover:
            return (
                f"{self.which_are} in {self.cover}, so no other cell of {self.cover} holds "
                f"{self.value}"
            )
        cells = {cell for cell, _ in self.step.struck}
        return (
            f"and {self.struck_cells} {'see' if len(cells) > 1 else 'sees'} all of these, "
            f"so {self.conclusion}"
        )

    @property
    def subset(self) -> str:
        """Why other cells do not hold the values of a naked subset: their unit or peers."""
        hit = {c for u in self.position.units_with(self.step.cells) for c in self.position.units[u]}
        if {cell for cell, _ in self.step.struck} <= hit:
            return f"so no other cell of {self.common_units} holds them"
        return f"so no cell that sees all cells with one of them holds it: {self.conclusion}"

    @property
    def count(self) -> str:
        """The number of base units of a fish, in words."""
        return {2: "two", 3: "three", 4: "four"}.get(
            len(self.step.units), str(len(self.step.units))
        )

    @property
    def base_kind(self) -> str:
        """The kind of the base units of a fish: `rows`."""
        return self.units.split()[0]

    @property
    def cover_kind(self) -> str:
        """The kind of the cover units of a fish: `columns`."""
        return self.cover.split()[0]

    # Wings and other patterns of few strong links

    def _pairs(self) -> list[tuple[Cited, tuple[Candidate, ...]]]:
        """The cited constraints with two candidates."""
        pairs = [(cited, cited.candidates(self.position)) for cited in self.step.cited]
        return [(cited, pair) for cited, pair in pairs if len(pair) == 2]

    def _see_all(self, candidates: Sequence[Candidate]) -> bool:
        """Whether all eliminated candidates are excluded by each of the candidates."""
        return all(
            struck not in candidates and excludes(self.position, each, struck)
            for struck in self.step.struck
            for each in candidates
        )

    @property
    def two_links(self) -> str:
        """Two units with two places of a value each; a place of one sees a place of the other."""
        pairs = self._pairs()
        for (one, first), (other, second) in combinations(pairs, 2):
            for (end, near), (far, last) in product(permutations(first), permutations(second)):
                if excludes(self.position, near, far) and self._see_all([end, last]):
                    return (
                        f"{possible_only(self.position, one)}, and "
                        f"{possible_only(self.position, other)}; {self.names([near[0], far[0]])} "
                        f"see each other, so at most one of them is {self.value}, and at least "
                        f"one of {self.names([end[0], last[0]])} is; {self._seeing_both()}"
                    )
        return self.refuted

    def _seeing_both(self) -> str:
        """The conclusion for cells that see two others."""
        see = "see" if len({cell for cell, _ in self.step.struck}) > 1 else "sees"
        return f"{self.struck_cells} {see} both, so {self.conclusion}"

    @property
    def empty_rectangle(self) -> str:
        """A box whose places are in a row and a column, and a line with two places."""
        ((target, value),) = self.step.struck[:1]
        for line, pair in self._pairs():
            for box in (c for c in self.step.cited if c is not line):
                for near, far in permutations(pair):
                    places = box.candidates(self.position)
                    seen = [p for p in places if excludes(self.position, near, p)]
                    rest = [p for p in places if p not in seen]
                    is_fit = seen and rest and excludes(self.position, far, (target, value))
                    if is_fit and all(excludes(self.position, p, (target, value)) for p in rest):
                        return (
                            f"{possible_only(self.position, line)}; if {self.name(far[0])} is not "
                            f"{value}, {self.name(near[0])} is, and then {value} in "
                            f"{cited_name(self.position, box)} is in "
                            f"{self.names((c for c, _ in rest), 'or')}; in both cases "
                            f"{self.name(target)} sees a {value}, so {self.conclusion}"
                        )
        return self.refuted

    @property
    def w_wing(self) -> str:
        """Two cells with the same two candidates, and a unit with two places of one of them."""
        twins = [c for c in self.step.cited if c.unit is None]
        links = [(c, pair) for c, pair in self._pairs() if c.unit is not None]
        if len(twins) != 2 or not links:
            return self.refuted
        one, two = sorted(cited.cells[0] for cited in twins)
        values = self.position.values_in(one)
        for (link, pair), (near, far) in product(links, permutations([one, two])):
            value = link.value
            (first, _), (second, _) = pair
            is_seen = self.position.sees(first, near) and self.position.sees(second, far)
            if is_seen and value in values:
                (other,) = (v for v in values if v != value)
                return (
                    f"{self.names([one, two])} both have the candidates {listed(values)}; "
                    f"{possible_only(self.position, link)}; {self.name(first)} sees "
                    f"{self.name(near)} and {self.name(second)} sees {self.name(far)}, so one of "
                    f"{self.names([one, two])} is not {value} and therefore {other}; "
                    f"{self._seeing_both()}"
                )
        return self.refuted

    @property
    def wing(self) -> str:
        """A pivot and two pincers."""
        cells = [c.cells[0] for c in self.step.cited if c.unit is None]
        for pivot, first, second in permutations(cells, 3):
            candidates = self.position.values_in(pivot)
            pincers = [{*self.position.values_in(cell)} for cell in (first, second)]
            common = pincers[0] & pincers[1]
            is_seen = all(self.position.sees(pivot, cell) for cell in (first, second))
            if first > second or not is_seen or len(common) != 1:
                continue
            (value,) = common
            others = [*(pincers[0] - common), *(pincers[1] - common)]
            if sorted({*others, *(common & {*candidates})}) != [*candidates]:
                continue
            cases = [
                f"if it is {other}, the pincer {self.name(cell)} is {value}"
                for other, cell in zip(others, (first, second), strict=True)
            ]
            if value in candidates:
                cases.append(f"else it is {value} itself")
            cells_named = self.names(
                [pivot, first, second] if value in candidates else [first, second]
            )
            return (
                f"the pivot {self.name(pivot)} is {listed(candidates, 'or')}: {', '.join(cases)}; "
                f"so one of {cells_named} is {value}, and {self.struck_cells}, which "
                f"{'sees' if len(self.step.struck) == 1 else 'see'} "
                f"{'all three' if value in candidates else 'both'}, {self.are_not}"
            )
        return self.refuted

    @property
    def are_not(self) -> str:
        """`is not 3`, `are not 3`."""
        values = listed(sorted({value for _, value in self.step.struck}), "or")
        return f"{'is' if len({cell for cell, _ in self.step.struck}) == 1 else 'are'} not {values}"

    # Uniqueness

    @property
    def deadly_cells(self) -> str:
        """A unique rectangle or loop."""
        deadly = next(c for c in self.step.cited if c.rule == UNIQUENESS)
        extras = deadly.candidates(self.position)
        roof = [*dict.fromkeys(cell for cell, _ in extras)]
        filled = [cell for cell in deadly.cells if self.position.values[cell]]
        pair = listed(self.step.values)
        start = f"if {self.names(deadly.cells)} held only {pair}, {_EXCHANGE}"
        if filled:
            start = (
                f"no value of {self.names(filled)} is given; if all of {self.names(deadly.cells)} "
                f"held only {pair}, {_EXCHANGE}"
            )
        values = sorted({value for _, value in extras})
        if len(roof) == 1:
            return (
                f"{start}; so {self.name(roof[0])} is {listed(values, 'or')}, {self.struck_there}"
            )
        one_of = f"{start}; so one of {self.names(roof)} is {listed(values, 'or')}"
        cells = [c.cells[0] for c in self.step.cited if c.unit is None and not c.rule]
        digits = [c for c in self.step.cited if c.unit is not None]
        if cells:
            together = sorted({*values, *(v for c in cells for v in self.position.values_in(c))})
            return (
                f"{one_of}; with {self.names(cells)} that makes {len(cells) + 1} cells for "
                f"{listed(together)}, so {self.conclusion}"
            )
        of_roof = [
            each for each in digits if {c for c, _ in each.candidates(self.position)} == {*roof}
        ]
        if of_roof and of_roof[0].value in self.step.values and len(roof) == 2:
            digit = of_roof[0].value
            (other,) = (value for value in self.step.values if value != digit)
            return (
                f"{possible_only(self.position, of_roof[0])}, so one of these is {digit}; if the "
                f"other were {other}, {self.names(deadly.cells)} would hold only {pair}, "
                f"{_EXCHANGE}; so {self.conclusion}"
            )
        if len(digits) == 2 and {digit.value for digit in digits} < {*self.step.values}:
            first, second = (possible_only(self.position, digit) for digit in digits)
            return (
                f"{first}, and {second}; so if {self.struck_or}, {self.names(deadly.cells)} would "
                f"hold only {pair}, {_EXCHANGE}; so {self.conclusion}"
            )
        if digits:
            unit = self.units_named([d.unit for d in digits[:1] if d.unit is not None])
            places = sorted({c for d in digits for c, _ in d.candidates(self.position)})
            return (
                f"{one_of}; in {unit}, {listed(d.value for d in digits)} are possible only in "
                f"{self.names(places)}, so {self.conclusion}"
            )
        return f"{one_of}, and {self.conclusion}"

    @property
    def struck_or(self) -> str:
        """The eliminated candidates as an assumption: `r1c2 or r3c4 were 5`."""
        by_value: dict[int, list[int]] = {}
        for cell, value in self.step.struck:
            by_value.setdefault(value, []).append(cell)
        return listed((f"{self.names(c, 'or')} were {v}" for v, c in by_value.items()), "or")

    @property
    def struck_there(self) -> str:
        """What the cells of the conclusion are not."""
        values = listed(sorted({value for _, value in self.step.struck}), "or")
        return f"not {values}"

    @property
    def grave(self) -> str:
        """A bivalue universal grave."""
        deadly = next(c for c in self.step.cited if c.rule == UNIQUENESS)
        extras = [
            f"{value} in {self.name(cell)}" for cell, value in deadly.candidates(self.position)
        ]
        many = len(extras) > 1
        struck = {cell for cell, _ in self.step.struck}
        so = self.conclusion
        if not many and struck == {*deadly.cells}:
            so = f"{self.name(deadly.cells[0])} is {self.value}, {self.struck_there}"
        return (
            f"without {listed(extras)}, every open cell would have two candidates and every value "
            "two places or none in each unit, and the puzzle would have no solution or several, "
            f"but it has one; so {'one of these holds, and ' if many else ''}{so}"
        )

    # Chains

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

    # Aligned exclusion

    @property
    def aligned(self) -> str:
        """The combinations of the values of some cells, and what excludes them."""
        cells = self.step.cells
        texts = []
        for struck in self.step.struck:
            others = [cell for cell in cells if cell != struck[0]]
            values = ([(cell, value) for value in self.position.values_in(cell)] for cell in others)
            reasons = [
                self._excluder([struck, *rest])
                for rest in product(*values)
                if not any(
                    excludes(self.position, *two) for two in combinations((struck, *rest), 2)
                )
            ]
            if None in reasons or len(reasons) > MAX_COMBINATIONS:
                return self.refuted
            texts.append(
                f"if {self.name(struck[0])} were {struck[1]}, {self.names(others)} could not be "
                f"{listed(filter(None, reasons), 'or')}"
            )
        return (
            f"cells that see each other have different values; {'; '.join(texts)}; so no "
            f"values would be left for them, and {self.conclusion}"
        )

    def _excluder(self, candidates: Sequence[Candidate]) -> str | None:
        """A combination, and why it is impossible; None if it is possible."""
        values = listed(value for _, value in candidates[1:])
        held = {value for _, value in candidates}
        for cited in self.step.cited:
            if cited.unit is None and not cited.rule and cited.cells[0] not in self.step.cells:
                allowed = {*self.position.values_in(cited.cells[0])}
                if allowed <= held and all(
                    self.position.sees(cited.cells[0], cell)
                    for cell, value in candidates
                    if value in allowed
                ):
                    return (
                        f"{values} ({self.name(cited.cells[0])} is {listed(sorted(allowed), 'or')})"
                    )
        return None

    # Other techniques

    @property
    def refuted(self) -> str:
        """A sentence that is true of every step: what it cites refutes the opposite."""
        return f"{listed(self._cited_names())} leave no other possibility: {self.conclusion}"

    def _cited_names(self) -> Iterator[str]:
        """The cells with their candidates, the values with their units, and the rules cited."""
        for cited in self.step.cited:
            name = cited_name(self.position, cited)
            if cited.value:
                yield f"the places of {cited.value} in {name}"
            elif cited.rule:
                yield f"the rule {name}" if name != UNIQUENESS else "the uniqueness of the solution"
            else:
                yield f"the candidates of {name}"
