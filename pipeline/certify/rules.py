"""Grid against Puzzle, from the rules alone.

Nothing here knows how a grid was found: no encoding, no clause, no solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.puzzle import Geometry, Grid, Puzzle, values_of

Rule = Literal["geometry", "row", "column", "box", "given", "mark"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: what is wrong, and the cells (row, column), from 1, that break it."""

    rule: Rule
    message: str
    cells: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return self.message


def certify_grid(puzzle: Puzzle, grid: Grid) -> tuple[Violation, ...]:
    """Every violation of the puzzle's rules by the grid; none if it is a solution.

    Takes O(n²) steps. A grid of another geometry is one violation.
    """
    if puzzle.geometry != grid.geometry:
        ours, theirs = puzzle.geometry, grid.geometry
        message = (
            f"the puzzle has boxes of {ours.height}×{ours.width}, "
            f"the grid of {theirs.height}×{theirs.width}"
        )
        return (Violation("geometry", message, ()),)
    return (*_twice(grid.geometry, grid.values), *_forbidden(puzzle, grid))


def certifier(puzzle: Puzzle, solution: Grid) -> bool:
    """Whether the grid is a solution of the puzzle."""
    return not certify_grid(puzzle, solution)


def clashing_givens(puzzle: Puzzle) -> Violation | None:
    """The first two givens that are equal in a row, column or box, if there are any."""
    values = [0] * len(puzzle.cells)
    for cell, value in puzzle.givens():
        values[cell] = value
    return next(_twice(puzzle.geometry, values), None)


def _twice(geometry: Geometry, values: Sequence[int]) -> Iterator[Violation]:
    """Equal values in a unit; 0 is no value. n cells without a repetition are a permutation."""
    kinds: tuple[tuple[Rule, Iterable[Sequence[int]]], ...] = (
        ("row", geometry.rows()),
        ("column", geometry.columns()),
        ("box", geometry.boxes()),
    )
    for kind, units in kinds:
        for number, unit in enumerate(units, 1):
            first: dict[int, int] = {}
            for cell in unit:
                value = values[cell]
                if value and first.setdefault(value, cell) != cell:
                    here, there = geometry.place(first[value]), geometry.place(cell)
                    message = (
                        f"{kind} {number} holds {value} twice: "
                        f"row {here[0]}, column {here[1]} and row {there[0]}, column {there[1]}"
                    )
                    yield Violation(kind, message, (here, there))


def _forbidden(puzzle: Puzzle, grid: Grid) -> Iterator[Violation]:
    for cell, (mask, value) in enumerate(zip(puzzle.cells, grid.values, strict=True)):
        if mask >> (value - 1) & 1:
            continue
        place = row, column = puzzle.geometry.place(cell)
        where = f"row {row}, column {column} holds {value}"
        if mask & (mask - 1):
            yield Violation("mark", f"{where}, marked {_mark(puzzle, mask)}", (place,))
        else:
            yield Violation("given", f"{where}, given as {mask.bit_length()}", (place,))


def _mark(puzzle: Puzzle, mask: int) -> str:
    if mask == puzzle.geometry.even_values:
        return "even"
    if mask == puzzle.geometry.odd_values:
        return "odd"
    return "as " + " or ".join(map(str, values_of(mask)))
