"""Sentences for steps that rely on the rules of a variant."""

from __future__ import annotations

from itertools import combinations

from pipeline.errors import listed
from pipeline.steps.presentation.words import (
    StepWords,
    by_cells,
    number_word,
    unit_names,
    with_commas,
)


class RuleWords(StepWords):
    """The placeholders of the templates of `wording` that describe rules of variants."""

    @property
    def rules(self) -> str:
        """The cited rules."""
        return listed(cited.rule for cited in self.step.cited if cited.rule)

    @property
    def line_rules(self) -> str:
        """The cited rules in the line of a step."""
        return with_commas(cited.rule for cited in self.step.cited if cited.rule)

    @property
    def line_along(self) -> str:
        """The units in which locked candidates eliminate."""
        cover = unit_names(self.position, self.step.cover, is_line=True)
        return f" along {cover}" if cover else ""

    @property
    def combinations(self) -> str:
        """Why the cells of a sum do not have some candidates."""
        cells = next(cited.cells for cited in self.step.cited if cited.rule)
        targets, values = {*self.step.eliminated}, {value for _, value in self.step.eliminated}
        left = {
            value
            for cell in cells
            for value in self.position.values_in(cell) or (self.position.values[cell],)
            if (cell, value) not in targets
        }
        if len(cells) == 1:
            value = self.symbols(left)
            return f"{self.names(cells)} is the only cell of {self.rules}, so it is {value}"
        count, allowed = number_word(len(cells)), self.symbols(sorted(left))
        if left.isdisjoint(values) and len(left) < len(values):
            all_differ = all(self.position.sees(*pair) for pair in combinations(cells, 2))
            verb = "must be" if all_differ and len(left) == len(cells) else "are among"
            return f"the {count} values of {self.rules} {verb} {allowed}, so {self.conclusion}"
        start = f"no {count} candidates that fill {self.rules} include"
        if left.isdisjoint(values):
            return f"{start} {self.eliminated_values}, so {self.conclusion}"
        eliminated = (
            f"{self.symbols(values, 'or')} in {self.names(cells, 'or')}"
            for cells, values in by_cells(targets).items()
        )
        return f"{start} {listed(eliminated, 'or')}"

    @property
    def cage_places(self) -> str:
        """The places of the value in the cited cage, and the cells that see all of them."""
        (value,) = self.step.values
        cage = next(cited for cited in self.step.cited if cited.rule)
        places = [cell for cell in cage.cells if self.position.has(cell, value)]
        if len(places) == 1:
            return f"{self.names(places)} is {self.value}; {self.conclusion_for('it')}"
        return (
            f"one of {self.names(places)} is {self.value}; "
            f"{self.conclusion_for('both' if len(places) == 2 else 'all of them')}"
        )

    @property
    def left_over(self) -> str:
        """The sum of the innies and outies."""
        inside = {cell for unit in self.step.units for cell in self.position.units[unit]}
        innies = [cell for cell in self.step.cells if cell in inside]
        outies = [cell for cell in self.step.cells if cell not in inside]
        unit_sum = sum(self.position.geometry.values) * len(self.step.units)
        start = f"the cells of {self.units} sum to {unit_sum}; with {self.rules},"
        total = self.step.total
        if not (innies and outies):
            return f"{start} {self._sum_of(innies or outies)} {abs(total)}"
        difference = (
            f"{abs(total)} {'more' if total > 0 else 'less'} than" if total else "as much as"
        )
        return f"{start} {self._sum_of(innies)} {difference} {self.names(outies)}"

    def _sum_of(self, cells: list[int]) -> str:
        return f"{self.names(cells)} {'must be' if len(cells) == 1 else 'must sum to'}"
