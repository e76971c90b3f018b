"""Sentences for steps that rely on a unique solution: rectangles, loops, graves."""

from __future__ import annotations

from pipeline.errors import listed
from pipeline.steps.presentation.pattern_words import PatternWords
from pipeline.steps.presentation.words import by_cells, possible_only
from pipeline.steps.step import UNIQUENESS

_EXCHANGE = "these could be exchanged, and the solution would not be unique"
"""The reason why the cells of a rectangle or loop do not hold only two values."""


class UniquenessWords(PatternWords):
    """The placeholders of the templates of `wording` that describe deadly patterns."""

    @property
    def deadly_cells(self) -> str:
        """A unique rectangle or loop."""
        deadly = next(c for c in self.step.cited if c.rule == UNIQUENESS)
        extras = deadly.candidates(self.position)
        roof = [*dict.fromkeys(cell for cell, _ in extras)]
        filled = [cell for cell in deadly.cells if self.position.values[cell]]
        pair = self.values
        start = f"if {self.names(deadly.cells)} held only {pair}, {_EXCHANGE}"
        if filled:
            start = f"{self.names_are(filled)} not given: {start}"
        values = sorted({value for _, value in extras})
        extra_values = self.symbols(values, "or")
        if len(roof) == 1:
            return (
                f"{start}; so {self.name(roof[0])} is {extra_values}, not {self.eliminated_values}"
            )
        one_of = f"{start}; so one of {self.names(roof)} is {extra_values}"
        cells = [c.cells[0] for c in self.step.cited if c.unit is None and not c.rule]
        cited_units = [c for c in self.step.cited if c.unit is not None]
        if cells:
            subset = {*values, *(v for c in cells for v in self.position.values_in(c))}
            return (
                f"{one_of}; this cell and {self.names(cells)} together need "
                f"{self.symbols(sorted(subset))}, so {self.conclusion}"
            )
        roof_units = [
            cited
            for cited in cited_units
            if {cell for cell, _ in cited.candidates(self.position)} == {*roof}
        ]
        is_pair = len(roof) == 2 and roof_units and roof_units[0].value in self.step.values
        values_of_units = {cited.value for cited in cited_units}
        if is_pair or (len(cited_units) == 2 and values_of_units < {*self.step.values}):
            strong = roof_units[:1] if is_pair else cited_units
            reasons = ", and ".join(possible_only(self.position, cited) for cited in strong)
            return (
                f"{reasons}; so if {self._assumption()}, {self.names(deadly.cells)} would hold "
                f"only {pair}; {_EXCHANGE}; so {self.conclusion}"
            )
        if cited_units:
            unit = self.unit_names([c.unit for c in cited_units[:1] if c.unit is not None])
            places = {cell for c in cited_units for cell, _ in c.candidates(self.position)}
            return (
                f"{one_of}; in {unit}, {self.symbols(c.value for c in cited_units)} are possible "
                f"only in {self.names(sorted(places))}, so {self.conclusion}"
            )
        return f"{one_of}; {self.conclusion_for('all of these' if len(roof) > 2 else 'both')}"

    def _assumption(self) -> str:
        """The eliminated candidates as an assumption: `r1c2 or r3c4 were 5`."""
        groups = by_cells(self.step.eliminated).items()
        return listed(
            (f"{self.names(cells, 'or')} were {self.symbols(v, 'or')}" for cells, v in groups), "or"
        )

    @property
    def grave(self) -> str:
        """A bivalue universal grave."""
        deadly = next(c for c in self.step.cited if c.rule == UNIQUENESS)
        candidates = deadly.candidates(self.position)
        extras = [
            f"{self.position.symbol(value)} in {self.name(cell)}" for cell, value in candidates
        ]
        so = f"one of these is true, and {self.conclusion}"
        if len(extras) == 1:
            ((cell, value),) = candidates
            is_own = self.target_cells == [cell]
            rest = f", not {self.eliminated_values}" if is_own else f", and {self.conclusion}"
            so = f"{self.name(cell)} is {self.position.symbol(value)}{rest}"
        return (
            f"without {listed(extras)}, every open cell would have two candidates, and every value "
            "two places or none in each unit, and the puzzle would have no solution or several; so "
            f"{so}"
        )
