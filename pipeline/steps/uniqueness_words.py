"""Words for techniques that rely on a unique solution: rectangles, loops, graves."""

from __future__ import annotations

from pipeline.steps.pattern_words import PatternWords
from pipeline.steps.step import UNIQUENESS
from pipeline.steps.words import listed, possible_only

_EXCHANGE = (
    "these two could be exchanged there, and the puzzle would have a second solution, but it is "
    "unique"
)
"""Why cells cannot hold only two values."""


class UniquenessWords(PatternWords):
    """The placeholders of the templates of `wording` that describe deadly patterns."""

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
