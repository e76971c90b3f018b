"""Sentences for patterns: singles, subsets, fish, wings, aligned exclusion.

The sentences are made from the constraints that a step cites, and do not depend on the function
that found the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from pipeline.errors import listed
from pipeline.steps.presentation.branching import excludes
from pipeline.steps.presentation.rule_words import RuleWords
from pipeline.steps.presentation.words import cited_name, number_word, possible_only
from pipeline.steps.step import UNIQUENESS, Candidate, Cited

MAX_COMBINATIONS = 12
"""Longer lists of combinations are left out of the reason of an aligned exclusion."""

_PLURALS = {"row": "rows", "column": "columns", "box": "boxes"}


class PatternWords(RuleWords):
    """The placeholders of the templates of `wording` that describe a pattern."""

    # Singles, locked candidates, subsets and fish

    @property
    def single(self) -> str:
        """Why a value is the last of its unit, has its last place there, or is left for a cell."""
        ((cell, value),) = self.step.placed
        cited = self.step.cited[0]
        if cited.unit is None:
            return self._naked_single(cell, value)
        unit, symbol = self.unit_names([cited.unit]), self.position.symbol(value)
        open_cells = [c for c in cited.cells if c != cell and not self.position.values[c]]
        if not open_cells:
            return (
                f"{self.name(cell)} is the only open cell of {unit}, and {symbol} is missing there"
            )
        blockers = self._blockers(open_cells, value)
        rest = [c for c in open_cells if not any(self.position.sees(c, b) for b in blockers)]
        marked = [
            c for c in rest if self.position.mark_of(c) and not self.position.allows(c, value)
        ]
        causes = [f"see the {symbol} in {self.names(blockers, 'or')}"] if blockers else []
        if marked:
            causes.append(f"are marked as {self.position.mark_of(marked[0])}")
        if len(rest) > len(marked):
            causes.append(f"lack {symbol} as a candidate")
        return (
            f"{symbol} must be in {unit}, and {self.name(cell)} is its only place there: the other "
            f"open cells {', or '.join(causes)}"
        )

    def _naked_single(self, cell: int, value: int) -> str:
        """Why a value is the only candidate of a cell."""
        name, symbol = self.name(cell), self.position.symbol(value)
        seen = {self.position.values[other] for other in self.position.peers[cell]}
        excluded = {*self.position.geometry.values} - {value}
        mark = self.position.mark_of(cell)
        if excluded <= seen and not mark:
            return f"{name} sees all values but {symbol}, so it is {symbol}"
        excluded = {other for other in excluded if self.position.allows(cell, other)}
        causes = [f"is marked as {mark}"] if mark else []
        if excluded & seen:
            causes.append(f"sees {self.symbols(sorted(excluded & seen))}")
        if eliminated := sorted(excluded - seen):
            noun = "candidate" if len(eliminated) == 1 else "candidates"
            causes.append(f"lacks the {noun} {self.symbols(eliminated)}")
        return f"{name} {listed(causes)}, so only {symbol} is left for it"

    def _blockers(self, cells: Sequence[int], value: int) -> list[int]:
        """A few cells that hold a value. Those of `cells` that see the value see one of them."""
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
        unit = self.unit_names(units[:1]) if units else "its unit"
        symbol = self.position.symbol(value)
        return f", and {self.name(cell)} is the only place left for {symbol} in {unit}"

    @property
    def fins(self) -> str:
        return f"the {'fins' if len(self.step.fins) > 1 else 'fin'} {self.names(self.step.fins)}"

    @property
    def no_fin(self) -> str:
        return "no fin is" if len(self.step.fins) > 1 else "the fin is not"

    @property
    def a_fin(self) -> str:
        return "a fin" if len(self.step.fins) > 1 else "the fin"

    @property
    def all_fins(self) -> str:
        return "all fins" if len(self.step.fins) > 1 else "the fin"

    @property
    def in_both_cases(self) -> str:
        """The conclusion of a finned fish."""
        return f"{self.names_are(self.target_cells)} not {self.value} in either case"

    @property
    def locked(self) -> str:
        """The unit that contains all places of locked candidates, or the cells that see them."""
        if not self.step.cover:
            return f"and {self.conclusion_for('all of these')}"
        which = "both" if len(self.step.cells) == 2 else "all"
        return f"{which} in {self.cover}, so no other cell of {self.cover} is {self.value}"

    @property
    def subset(self) -> str:
        """Why other cells lose the values of a naked subset: they are in its unit, or see it."""
        units = self.position.units_with(self.step.cells)
        around = {cell for unit in units for cell in self.position.units[unit]}
        if {*self.target_cells} <= around:
            values = self.symbols(self.step.values, "or")
            return f"so no other cell of {self.common_units} is {values}"
        return (
            f"so no cell that sees all places of one of them there is that value: {self.conclusion}"
        )

    @property
    def count(self) -> str:
        """The number of base units of a fish, in words."""
        return number_word(len(self.step.units))

    @property
    def all_cover(self) -> str:
        """The cover units of a fish: `both columns`, `all three rows`."""
        count = self.count
        return f"{'both' if count == 'two' else f'all {count}'} {self._kind_of(self.step.cover)}"

    @property
    def base_kind(self) -> str:
        """The kind of the base units of a fish: `rows`, or `units` if their kinds differ."""
        return self._kind_of(self.step.units)

    def _kind_of(self, units: Sequence[int]) -> str:
        """The kind of several units in the plural."""
        kinds = {self.position.unit_names[unit].split()[0] for unit in units}
        return _PLURALS.get(kinds.pop() if len(kinds) == 1 else "", "units")

    # Wings and other patterns of a few strong links

    def _pairs(self) -> list[tuple[Cited, tuple[Candidate, ...]]]:
        """The cited constraints with two candidates."""
        pairs = [(cited, cited.candidates(self.position)) for cited in self.step.cited]
        return [(cited, pair) for cited, pair in pairs if len(pair) == 2]

    def _see_all(self, candidates: Sequence[Candidate]) -> bool:
        """Whether each of the candidates excludes all that the step eliminates."""
        return all(
            target not in candidates and excludes(self.position, candidate, target)
            for target in self.step.eliminated
            for candidate in candidates
        )

    @property
    def two_links(self) -> str:
        """Two units with two places of a value each; a place of one sees a place of the other."""
        for (one, first), (other, second) in combinations(self._pairs(), 2):
            for (end, near), (far, last) in product(permutations(first), permutations(second)):
                if excludes(self.position, near, far) and self._see_all([end, last]):
                    return (
                        f"{possible_only(self.position, one)}, and "
                        f"{possible_only(self.position, other)}; {self.names([near[0], far[0]])} "
                        f"see each other and are not both {self.value}, so one of "
                        f"{self.names([end[0], last[0]])} is; {self.conclusion_for('both')}"
                    )
        return self.refuted

    @property
    def empty_rectangle(self) -> str:
        """A box whose places are in a row and a column, and a line with two places."""
        for line, pair in self._pairs():
            for box in (c for c in self.step.cited if c is not line):
                for near, far in permutations(pair):
                    places = box.candidates(self.position)
                    seen = [p for p in places if excludes(self.position, near, p)]
                    rest = [p for p in places if p not in seen]
                    if seen and rest and self._see_all([far]) and self._see_all(rest):
                        return (
                            f"{possible_only(self.position, line)}; if {self.name(far[0])} is not "
                            f"{self.value}, {self.name(near[0])} is, and then the {self.value} of "
                            f"{cited_name(self.position, box)} is in "
                            f"{self.names((c for c, _ in rest), 'or')}; in both cases "
                            f"{self.conclusion_for(f'a {self.value}')}"
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
                second_value = self.symbols(v for v in values if v != value)
                symbol, twins_named = self.position.symbol(value), self.names([one, two])
                return (
                    f"{twins_named} both have the candidates {self.symbols(values)}; "
                    f"{possible_only(self.position, link)}; {self.name(first)} sees "
                    f"{self.name(near)} and {self.name(second)} sees {self.name(far)}, so "
                    f"{twins_named} are not both {symbol}, and one of them is {second_value}; "
                    f"{self.conclusion_for('both')}"
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
            own = [*(pincers[0] - common), *(pincers[1] - common)]
            if sorted({*own, *(common & {*candidates})}) != [*candidates]:
                continue
            value, has_value = self.symbols(common), common <= {*candidates}
            cases = [
                f"if it is {self.position.symbol(other)}, the pincer {self.name(cell)} is {value}"
                for other, cell in zip(own, (first, second), strict=True)
            ]
            cases += [f"else it is {value} itself"] if has_value else []
            cells = [pivot, first, second] if has_value else [first, second]
            return (
                f"the pivot {self.name(pivot)} is {self.symbols(candidates, 'or')}: "
                f"{', '.join(cases)}; so one of {self.names(cells)} is {value}; "
                f"{self.conclusion_for('all three' if has_value else 'both')}"
            )
        return self.refuted

    # Aligned exclusion

    @property
    def aligned(self) -> str:
        """The combinations of values of a few cells, and what excludes each."""
        texts = []
        for target in self.step.eliminated:
            cells = [cell for cell in self.step.cells if cell != target[0]]
            values = ([(cell, value) for value in self.position.values_in(cell)] for cell in cells)
            reasons = [
                self._excluder([target, *rest])
                for rest in product(*values)
                if not any(
                    excludes(self.position, *two) for two in combinations((target, *rest), 2)
                )
            ]
            if None in reasons or len(reasons) > MAX_COMBINATIONS:
                return self.refuted
            texts.append(
                f"if {self.name(target[0])} were {self.position.symbol(target[1])}, "
                f"{self.names(cells)} could not be {listed(filter(None, reasons), 'or')}"
            )
        return (
            f"{'; '.join(texts)}; all other combinations would repeat a value in a unit, so "
            f"{self.conclusion}"
        )

    def _excluder(self, candidates: Sequence[Candidate]) -> str | None:
        """A combination, and the cell that makes it impossible; None if there is no such cell."""
        values = self.symbols(value for _, value in candidates[1:])
        held = {value for _, value in candidates}
        for cited in self.step.cited:
            if cited.unit is None and not cited.rule and cited.cells[0] not in self.step.cells:
                (cell,) = cited.cells
                allowed = {*self.position.values_in(cell)}
                if allowed <= held and all(
                    self.position.sees(cell, other)
                    for other, value in candidates
                    if value in allowed
                ):
                    return f"{values} ({self.name(cell)} is {self.symbols(sorted(allowed), 'or')})"
        return None

    # Other techniques

    @property
    def refuted(self) -> str:
        """A sentence for any step: the constraints that it cites leave only the conclusions."""
        return f"{listed(self._cited_names())} leave no other possibility: {self.conclusion}"

    def _cited_names(self) -> Iterator[str]:
        """The cited candidates of cells, places of values in units, and rules."""
        for cited in self.step.cited:
            name = cited_name(self.position, cited)
            if cited.value:
                yield f"the places of {self.position.symbol(cited.value)} in {name}"
            elif cited.rule:
                yield f"the rule {name}" if name != UNIQUENESS else "the uniqueness of the solution"
            else:
                yield f"the candidates of {name}"
