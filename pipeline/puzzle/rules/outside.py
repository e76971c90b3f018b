"""Rules with clues outside the grid: little killers, sandwiches, skyscrapers, X-sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import ClassVar

from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AnyOf,
    Automaton,
    ByValue,
    Cells,
    Constraint,
    Equivalent,
    Ranked,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import check_cells, check_one_grid, directed_lines, places
from pipeline.puzzle.rules.lines import Lunchbox
from pipeline.puzzle.shapes import Label, Line, Shape
from pipeline.puzzle.sums import SetTotal, Total, TotalBetween


class Outside(Rule):
    """A clue outside the grid about a line of cells, which starts at the clue."""

    style: ClassVar[str]
    min_cells: ClassVar[int] = 2

    line: Cells
    number: int

    def __post_init__(self) -> None:
        check_cells(self.name, self.line, self.min_cells, no_repeats=True)

    def cells(self, geometry: Geometry) -> Cells:
        return self.line

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        (row, column), (down, right) = geometry.place(self.line[0]), step_of(geometry, self.line)
        return (Label((row - down, column - right), str(self.number), self.style),)

    def describe(self, geometry: Geometry) -> str:
        """`skyscraper 3 of row 3 from the left`."""
        sides = {(0, 1): "left", (0, -1): "right", (1, 0): "top", (-1, 0): "bottom"}
        side = sides.get(step_of(geometry, self.line))
        seen = f" from the {side}" if side else ""
        return f"{self.name} {self.number} {_line_text(geometry, self.line)}{seen}"


class LittleKiller(Outside):
    """Values along the diagonal that the arrow points at sum to the clue; they may repeat."""

    name, style, min_cells = "little killer", "little-killer", 1

    def constraints(self, geometry: Geometry) -> Constraint:
        return Total(tuple((cell, 1) for cell in self.line), self.number)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        row, column = geometry.place(self.line[0])
        down, right = step_of(geometry, self.line)
        arrow = tuple((row - by * down, column - by * right) for by in (0.68, 0.42))
        return *Outside.draw(self, geometry), Line(arrow, self.style, head=True)

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} {self.number} from {geometry.name_of(self.line[0])}"


class Sandwich(Outside):
    """Values between 1 and n sum to the clue; the line contains each value once.

    In a free grid, the smallest and the largest value of the line replace 1 and n.
    """

    name = style = "sandwich"

    def constraints(self, geometry: Geometry) -> Constraint:
        if geometry.free:
            return Lunchbox(self.line, self.number).constraints(geometry)
        is_whole = len(self.line) == geometry.side
        return TotalBetween(self.line, self.number) if is_whole else AnyOf(())

    def describe(self, geometry: Geometry) -> str:
        return f"{self.name} {self.number} {_line_text(geometry, self.line)}"


class Skyscraper(Outside):
    """The clue counts the values, looking from it, that are larger than all values before them."""

    name = style = "skyscraper"

    def constraints(self, geometry: Geometry) -> Constraint:
        n = geometry.values[-1]
        seen = frozenset((highest, self.number) for highest in range(1, n + 1))
        return Automaton(self.line, (0, 0), _count_visible, seen, (self.number, n))


class XSum(Outside):
    """The first x cells sum to the clue, where x is the first value; the line has each value once.

    The line of a free grid may contain only some of the values, and x may be 0.
    """

    name, style = "X-sum", "x-sum"

    def constraints(self, geometry: Geometry) -> Constraint:
        first, *rest = self.line
        values = geometry.values
        if geometry.free:
            return ByValue(first, tuple(map(self._sum_of, values)), geometry.lowest)
        if len(self.line) != len(values):
            return AnyOf(())
        sums = [
            SetTotal(tuple(rest[: x - 1]), self.number - x, tuple(v for v in values if v != x))
            for x in values
        ]
        return AllOf((AllDifferent(self.line), ByValue(first, tuple(sums))))

    def _sum_of(self, x: int) -> Constraint:
        """The first x cells sum to the clue, given that the first one holds x."""
        if x > len(self.line):
            return AnyOf(())
        return Total(tuple((cell, 1) for cell in self.line[1:x]), self.number - x)


class HiddenSkyscraper(Outside):
    """Looking from the clue, the first value that is not larger than all before it is the clue."""

    name, style = "hidden skyscraper", "hidden-skyscraper"

    def constraints(self, geometry: Geometry) -> Constraint:
        return Automaton(self.line, -1, _highest_visible, frozenset((_HIDDEN,)), (self.number,))


class NumberedRoom(Outside):
    """If the first cell holds k, the k-th cell holds the clue, and no other cell does."""

    name, style = "numbered room", "numbered-room"

    def constraints(self, geometry: Geometry) -> Constraint:
        first, values = self.line[0], geometry.values
        rooms = [(k, cell) for k, cell in enumerate(self.line, 1) if k in values]
        if self.number not in values:
            return AnyOf(())
        not_clue = tuple(value for value in values if value != self.number)
        beyond = self.line[max(values) :]  # not empty only if the values begin with 0
        facts = [((first, k), (cell, self.number)) for k, cell in rooms]
        return AllOf(
            (
                Allowed(first, tuple(k for k, _ in rooms)),
                Equivalent(tuple(fact for fact in facts if fact[0] != fact[1])),
                *(Allowed(cell, not_clue) for cell in beyond),
            )
        )


class FullRank(Outside):
    """The clue is the line's rank among all rows and columns, read from both ends as numbers.

    Rank 1 is the smallest. Each value begins four of the lines, so a line of rank k begins with
    k/4, rounded up, and its rank decides its order among these four. If it is `tied`, other lines
    may be equal to it.
    """

    name, style = "full rank", "full-rank"

    tied: bool = False

    def constraints(self, geometry: Geometry) -> Constraint:
        first, smaller = divmod(self.number - 1, 4)
        return Ranked(self.line, self._other_lines(geometry), first + 1, smaller, self.tied)

    def cells(self, geometry: Geometry) -> Cells:
        check_one_grid(self.name, geometry)
        return tuple(dict.fromkeys(chain(self.line, *self._other_lines(geometry))))

    def _other_lines(self, geometry: Geometry) -> tuple[Cells, ...]:
        """The other lines. Raises ValueError if its own is not a whole row or column."""
        lines = dict.fromkeys(directed_lines(geometry))
        if self.line not in lines:
            raise ValueError(f"{self.name}: its line must be a whole row or column")
        return tuple(line for line in lines if line != self.line)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        labels = (s for s in Outside.draw(self, geometry) if isinstance(s, Label))
        return [replace(label, text=f"#{self.number}") for label in labels]

    def caption(self) -> str:
        return f"{self.name}, ties allowed" if self.tied else self.name


_HIDDEN = -2


def _highest_visible(highest: int, value: int, number: int) -> int | None:
    """The highest value so far; `_HIDDEN` once the first hidden value was the clue."""
    if highest == _HIDDEN or value > highest:
        return highest if highest == _HIDDEN else value
    return _HIDDEN if value == number else None


def _count_visible(
    seen: tuple[int, int], value: int, number: int, side: int
) -> tuple[int, int] | None:
    """The highest value and the count of visible ones; None if `number` is out of reach."""
    highest, count = seen
    if value <= highest:
        return seen
    is_possible = count < number <= count + 1 + side - value
    return (value, count + 1) if is_possible else None


def step_of(geometry: Geometry, line: Sequence[int]) -> tuple[int, int]:
    """The step (rows down, columns right) from the first cell of a line to its second.

    For a single cell, which is a corner of the grid, the step from its clue, outside that corner.
    """
    row, column = geometry.place(line[0])
    if len(line) > 1:
        next_row, next_column = geometry.place(line[1])
        return _signum(next_row - row), _signum(next_column - column)
    _, columns = geometry.extent
    return 1 if row == 1 else -1, 1 if column == columns else -1


def _signum(number: int) -> int:
    return (number > 0) - (number < 0)


def _line_text(geometry: Geometry, line: Cells) -> str:
    """`of row 3`, `of column 3`, or, if it is neither, `from r1c1`."""
    for kind, numbers in zip(
        ("row", "column"), zip(*places(geometry, line), strict=True), strict=True
    ):
        if len({*numbers}) == 1:
            return f"of {kind} {numbers[0]}"
    return f"from {geometry.name_of(line[0])}"
