"""Words for what the rules of a variant exclude: why each of these steps holds."""

from __future__ import annotations

from pipeline.steps.presentation.words import Words, listed, unit_names, with_commas


class RuleWords(Words):
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
        """The values in the combinations of a sum, or that none has the eliminated candidates."""
        cells = next(cited.cells for cited in self.step.cited if cited.rule)
        struck = {*self.step.struck}
        left = {
            value
            for cell in cells
            for value in self.position.values_in(cell)
            if (cell, value) not in struck
        }
        if left and left.isdisjoint(value for _, value in struck):
            start = f"the combinations of {self.rules} consist of {listed(sorted(left))}"
        else:
            start = f"no combination of {self.rules} has these candidates"
        return f"{start}, so {self.conclusion}"

    @property
    def cage_places(self) -> str:
        """The places of the value in the cited cage, and the cells that see all of them."""
        (value,) = self.step.values
        cage = next(cited for cited in self.step.cited if cited.rule)
        places = [cell for cell in cage.cells if self.position.has(cell, value)]
        sees = "sees" if len(self.step.struck) == 1 else "see"
        pronoun = "it" if len(places) == 1 else "all of these"
        return (
            f"it is in {self.names(places, 'or')}; {self.struck_cells} {sees} {pronoun}, "
            f"so {self.conclusion}"
        )

    @property
    def left_over(self) -> str:
        """The sum of the innies and outies."""
        inside = {cell for unit in self.step.units for cell in self.position.units[unit]}
        innies = [cell for cell in self.step.cells if cell in inside]
        outies = [cell for cell in self.step.cells if cell not in inside]
        unit_sum = sum(self.position.geometry.values) * len(self.step.units)
        start = f"the cells of {self.units} sum to {unit_sum}; with {self.rules}, that means that"
        if not outies:
            return f"{start} {self._sum_of(innies)} to {self.step.total}"
        if not innies:
            return f"{start} {self._sum_of(outies)} to {-self.step.total}"
        total, others = self.step.total, self.names(outies)
        if not total:
            return f"{start} {self._sum_of(innies)} to as much as {others}"
        difference = f"{abs(total)} {'more' if total > 0 else 'less'} than {others}"
        return f"{start} {self._sum_of(innies)} to {difference}"

    def _sum_of(self, cells: list[int]) -> str:
        return f"{self.names(cells)} {'comes' if len(cells) == 1 else 'sum'}"
