"""Rules with clues outside the grid: little killers, sandwiches, skyscrapers, X-sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from pipeline.puzzle.arguments import CellsField
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    AnyOf,
    Automaton,
    Cells,
    Constraint,
    Ranked,
    ValueSwitch,
)
from pipeline.puzzle.counts import Visible
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import check_cells, directed_lines, places, pointer, square_side
from pipeline.puzzle.rules.lines import Lunchbox
from pipeline.puzzle.shapes import Label, Line, Shape
from pipeline.puzzle.sums import SetTotal, Total, TotalBetween


class OutsideClue(Rule):
    """A clue outside the grid about a line of cells. The line starts at the clue."""

    style: ClassVar[str]
    min_cells: ClassVar[int] = 2

    line: CellsField
    number: int

    def check(self) -> None:
        check_cells(self.name, self.line, self.min_cells, no_repeats=True)

    def scope(self, geometry: Geometry) -> Cells:
        return self.line

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        (row, column), (down, right) = geometry.place(self.line[0]), step_of(geometry, self.line)
        return (Label((row - down, column - right), str(self.number), self.style),)

    def describe(self, geometry: Geometry) -> str:
        """The description, such as `skyscraper 3 of row 3 from the left`."""
        sides = {(0, 1): "left", (0, -1): "right", (1, 0): "top", (-1, 0): "bottom"}
        side = sides.get(step_of(geometry, self.line))
        direction = f" from the {side}" if side else ""
        return f"{self.name} {self.number} {_line_text(geometry, self.line)}{direction}"


class LittleKiller(OutsideClue):
    """Values along the diagonal that the arrow points at sum to the clue; they may repeat."""

    name, style, min_cells = "little killer", "little-killer", 1

    def constraints(self, geometry: Geometry) -> Constraint:
        return Total(tuple((cell, 1) for cell in self.line), self.number)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        row, column = geometry.place(self.line[0])
        down, right = step_of(geometry, self.line)
        arrow = tuple((row - by * down, column - by * right) for by in (0.68, 0.42))
        return *OutsideClue.draw(self, geometry), Line(arrow, self.style, has_arrowhead=True)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} {self.number} from {geometry.name_of(self.line[0])}"


class Sandwich(OutsideClue):
    """Values in the cells between 1 and n sum to the clue; the line contains each value once.

    In a free grid, the smallest and the largest value of the line replace 1 and n.
    """

    name = style = "sandwich"

    def constraints(self, geometry: Geometry) -> Constraint:
        if geometry.free_grid:
            return Lunchbox(self.line, self.number).constraints(geometry)
        is_whole = len(self.line) == geometry.side
        return TotalBetween(self.line, self.number) if is_whole else AnyOf(())

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} {self.number} {_line_text(geometry, self.line)}"


class Skyscraper(OutsideClue):
    """The clue counts the values that are larger than all values between them and the clue."""

    name = style = "skyscraper"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Visible(self.line, self.number, geometry.values[-1])


class XSum(OutsideClue):
    """The first x cells sum to the clue, where x is the first value; the line has each value once.

    The line of a free grid may contain only some of the values, and x may be 0.
    """

    name, style = "X-sum", "x-sum"

    def constraints(self, geometry: Geometry) -> Constraint:
        first, *rest = self.line
        values = geometry.values
        if geometry.free_grid:
            return ValueSwitch(first, tuple(map(self._sum_of, values)), geometry.lowest)
        if len(self.line) != len(values):
            return AnyOf(())
        sums = [
            SetTotal(tuple(rest[: x - 1]), self.number - x, tuple(v for v in values if v != x))
            for x in values
        ]
        return AllOf((AllDifferent(self.line), ValueSwitch(first, tuple(sums))))

    def _sum_of(self, x: int) -> Constraint:
        """The constraint that the first x cells sum to the clue, if the first value is x."""
        if x > len(self.line):
            return AnyOf(())
        return Total(tuple((cell, 1) for cell in self.line[1:x]), self.number - x)


class HiddenSkyscraper(OutsideClue):
    """The clue is the first value that is hidden, seen from it, by an equal or larger value."""

    name, style = "hidden skyscraper", "hidden-skyscraper"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Automaton(self.line, -1, _highest_visible, frozenset((_HIDDEN,)), (self.number,))


class NumberedRoom(OutsideClue):
    """If the first cell holds k, the k-th cell holds the clue; no other cell holds the clue."""

    name, style = "numbered room", "numbered-room"

    def constraints(self, geometry: Geometry) -> Constraint:
        return pointer(self.line[0], self.line, self.number, geometry.values)


class FullRank(OutsideClue):
    """The clue is the line's rank among all rows and columns, read from both ends as numbers.

    The smallest number has rank 1. Each value begins four of these lines: ranks 1 to 4 begin with
    the lowest value, ranks 5 to 8 with the next one, and so on. If a line is `tied`, other lines
    may be equal to it.
    """

    name, style = "full rank", "full-rank"

    tied: bool = False

    def constraints(self, geometry: Geometry) -> Constraint:
        first, smaller = divmod(self.number - 1, 4)
        first += geometry.lowest
        return Ranked(self.line, self._other_lines(geometry), first, smaller, self.tied)

    def scope(self, geometry: Geometry) -> Cells:
        if square_side(self.name, geometry) != geometry.side:
            raise ValueError(f"{self.name}: the grid must have as many values as rows")
        return tuple(dict.fromkeys(chain(self.line, *self._other_lines(geometry))))

    def _other_lines(self, geometry: Geometry) -> tuple[Cells, ...]:
        """All other lines. Raises ValueError if the rule's line is not a whole row or column."""
        lines = _directed_lines(geometry)
        if self.line not in lines:
            raise ValueError(f"{self.name}: its line must be a whole row or column")
        return tuple(line for line in lines if line != self.line)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        labels = (s for s in OutsideClue.draw(self, geometry) if isinstance(s, Label))
        return [replace(label, text=f"#{self.number}") for label in labels]

    def caption(self) -> str:
        return f"{self.name}, ties allowed" if self.tied else self.name


@lru_cache(maxsize=16)
def _directed_lines(geometry: Geometry) -> tuple[Cells, ...]:
    """All rows and columns in both directions, without repeats; cached."""
    return tuple(dict.fromkeys(directed_lines(geometry)))


_HIDDEN = -2
"""The state of `_highest_visible` after the first hidden value."""


def _highest_visible(highest: int, value: int, number: int) -> int | None:
    """The highest value so far; `_HIDDEN` from the first hidden value on, if that is `number`.

    None if the first hidden value is another number.
    """
    if highest == _HIDDEN or value > highest:
        return highest if highest == _HIDDEN else value
    return _HIDDEN if value == number else None


def step_of(geometry: Geometry, line: Sequence[int]) -> tuple[int, int]:
    """The step (rows down, columns right) from the first cell of a line to the second.

    If the line has a single cell, the step from the clue to this cell, a corner of the grid.
    """
    row, column = geometry.place(line[0])
    if len(line) > 1:
        next_row, next_column = geometry.place(line[1])
        return _signum(next_row - row), _signum(next_column - column)
    columns = geometry.free_grid.columns if geometry.free_grid else geometry.extent[1]
    return 1 if row == 1 else -1, 1 if column == columns else -1


def _signum(number: int) -> int:
    """The sign of a number: 1, 0 or -1."""
    return (number > 0) - (number < 0)


def _line_text(geometry: Geometry, line: Cells) -> str:
    """The location of a line: `of row 3`, `of column 3` or, for other lines, `from r1c1`."""
    for kind, numbers in zip(
        ("row", "column"), zip(*places(geometry, line), strict=True), strict=True
    ):
        if len({*numbers}) == 1:
            return f"of {kind} {numbers[0]}"
    return f"from {geometry.name_of(line[0])}"
