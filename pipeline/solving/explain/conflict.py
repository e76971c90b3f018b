"""Why a puzzle has no solution: the clues that contradict each other, and a sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from pipeline.certify import clashing_givens
from pipeline.errors import EnvironmentFailure, SolverError, counted
from pipeline.limits import Limits
from pipeline.puzzle.clauses import Clause, ClauseBuilder
from pipeline.puzzle.puzzle import Puzzle, values_of
from pipeline.solving.encode import Numbering, encode_puzzle
from pipeline.solving.solvers.pysat import Pysat, Satisfiable

LIMITS = Limits(2.0)
"""Default limits of an explanation."""

LARGEST_SIDE = 36
"""Its rules are 3.3 million clauses and take seconds to load; those of 49×49 are 11 million."""

_MOST_TOLD = 8
"""Clues that a sentence names; for more a drawing is clearer."""


@dataclass(frozen=True, slots=True)
class Clue:
    """The content that a cell must have: a value, or a mark: `even`, `odd` or a list of values.

    Row and column count from 1.
    """

    row: int
    column: int
    holds: int | Literal["even", "odd"] | tuple[int, ...]

    @classmethod
    def at(cls, cell: int, puzzle: Puzzle) -> Clue:
        """The clue in a cell that is not blank."""
        geometry, mask = puzzle.geometry, puzzle.cells[cell]
        place, values = geometry.place(cell), tuple(values_of(mask))
        if len(values) == 1:
            return cls(*place, values[0])
        if mask == geometry.even_values:
            return cls(*place, "even")
        return cls(*place, "odd" if mask == geometry.odd_values else values)

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    @property
    def value(self) -> int | None:
        """The value, unless it is a mark."""
        return self.holds if isinstance(self.holds, int) else None

    def __str__(self) -> str:
        holds = " or ".join(map(str, self.holds)) if isinstance(self.holds, tuple) else self.holds
        return f"{holds} in row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues and rules that no grid can keep together, and a sentence.

    The clues are in the order of their cells; `rules` are the places of rules in `Puzzle.rules`.
    `minimal`: without any one of them there is such a grid. False if time was too short to leave
    out all that is not needed.
    """

    clues: tuple[Clue, ...]
    message: str
    minimal: bool
    rules: tuple[int, ...] = ()

    def places(self) -> tuple[tuple[int, int], ...]:
        return tuple(clue.place for clue in self.clues)


def explain_conflict(
    puzzle: Puzzle, engine: Pysat | None = None, limits: Limits = LIMITS
) -> Conflict | None:
    """Explain why an unsolvable puzzle has no solution; None if that takes too long.

    Two equal givens in a unit come first. Failing these, `engine` looks for a small set of givens,
    marks and rules; without one, a new engine, which takes 0.1 s to start. Raises SolverError if
    the puzzle has a solution after all.
    """
    if clash := clashing_givens(puzzle):
        cell_at = puzzle.geometry.cell_at
        cells = [cell for place in clash.cells if (cell := cell_at(*place)) is not None]
        return Conflict(_clues(puzzle, cells), clash.message, minimal=True)
    if puzzle.geometry.side > LARGEST_SIDE:
        return None
    clauses, clues_at, rules_at = _assumed(puzzle)
    try:
        with contextlib.nullcontext(engine) if engine else Pysat() as asked:
            found = asked.core(clauses, [*rules_at, *clues_at], limits)
    except Satisfiable as error:
        raise SolverError("the puzzle that was found to have no solution has one") from error
    except EnvironmentFailure:  # an explanation is an extra
        found = None
    if found is None:
        return None
    core, minimal = found
    clues = _clues(puzzle, [clues_at[each] for each in core if each in clues_at])
    rules = tuple(sorted(rules_at[each] for each in core if each in rules_at))
    told = [puzzle.rules[rule].describe(puzzle.geometry) for rule in rules]
    return Conflict(clues, _sentence(clues, told, minimal=minimal), minimal, rules)


def _clues(puzzle: Puzzle, cells: Iterable[int]) -> tuple[Clue, ...]:
    return tuple(Clue.at(cell, puzzle) for cell in sorted(cells))


def _sentence(clues: Sequence[Clue], rules: Sequence[str], *, minimal: bool) -> str:
    """Name the clues by their places and the rules by their names, or count them."""
    if rules and minimal and len(clues) + len(rules) <= _MOST_TOLD:
        named = [*map(str, clues), *rules]
        if len(named) == 1:
            return f"{named[0]} leaves no solution"
        return f"{', '.join(named[:-1])} and {named[-1]} leave no solution"
    givens = sum(clue.value is not None for clue in clues)
    kinds = {"given": givens, "mark": len(clues) - givens, "rule": len(rules)}
    said = " and ".join(counted(number, noun) for noun, number in kinds.items() if number)
    if not said:
        return "rows, columns and boxes alone have no solution"
    if not minimal:
        return f"{said} have no solution together; there was no time to find fewer"
    number = len(clues) + len(rules)
    fewer = "either of them does" if number == 2 else f"any {number - 1} of them do"
    named = [*map(str, clues), *rules]
    if rest := named[_MOST_TOLD:]:
        named = [*named[:_MOST_TOLD], f"and {len(rest)} more"]
    return f"{said} have no solution together, though {fewer}: {'; '.join(named)}"


def _assumed(puzzle: Puzzle) -> tuple[Iterable[Clause], dict[int, int], dict[int, int]]:
    """Clauses, the assumption of each clue → its cell, and that of each rule → its place.

    A given is assumed by its candidate's variable, a mark by a variable of its own that implies
    that the forbidden values are absent, a rule by one that implies its clauses.
    """
    geometry = puzzle.geometry
    units = encode_puzzle(Puzzle.empty(geometry), "extended")
    before = Numbering(geometry).before
    made = ClauseBuilder(geometry.side, geometry.size)
    cells: dict[int, int] = {}
    for cell, mask in enumerate(puzzle.cells):
        if mask == geometry.all_values:
            continue
        if mask & (mask - 1):
            assumption = made.new()
            forbidden = values_of(geometry.all_values & ~mask)
            made.made += ((-assumption, -(before(cell) + value)) for value in forbidden)
        else:
            assumption = before(cell) + mask.bit_length()
        cells[assumption] = cell
    rules: dict[int, int] = {}
    for place, rule in enumerate(puzzle.rules):
        assumption = made.new()
        rules[assumption] = place
        with made.under(assumption):
            rule.encode(geometry, made)
    return chain(units.clauses(), made.made), cells, rules
