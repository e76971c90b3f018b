"""Words for patterns: singles, subsets, fish, wings, aligned exclusion.

A property is the placeholder of a template in `wording`. It reads the pattern from the constraints
that the step cites, so it does not depend on the function that found the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from pipeline.steps.presentation.branching import excludes
from pipeline.steps.presentation.rule_words import RuleWords
from pipeline.steps.presentation.words import (
    cited_name,
    listed,
    possible_only,
)
from pipeline.steps.step import UNIQUENESS, Candidate, Cited

MAX_COMBINATIONS = 12
"""More combinations are not listed in the reason of an aligned exclusion."""


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
            causes.append("lack it as a candidate" if blockers else f"lack the candidate {value}")
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
        if lost := sorted(others - seen):
            parts.append(
                f"lacks the {'candidate' if len(lost) == 1 else 'candidates'} {listed(lost)}"
            )
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
        """The kind of the base units of a fish: `rows`, or `units` if their kinds differ."""
        return self._kind_of(self.step.units)

    @property
    def cover_kind(self) -> str:
        """The kind of the cover units of a fish: `columns`, or `units` if their kinds differ."""
        return self._kind_of(self.step.cover)

    def _kind_of(self, units: Sequence[int]) -> str:
        """The kind of several units in the plural."""
        kinds = {self.position.unit_names[unit].split()[0] for unit in units}
        return {"row": "rows", "column": "columns", "box": "boxes"}.get(
            kinds.pop() if len(kinds) == 1 else "", "units"
        )

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
