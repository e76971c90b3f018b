"""Explain to people why a puzzle has no solution, or where its solutions differ."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations
from math import comb
from operator import and_
from typing import Literal

from pipeline.certify import clashing_givens
from pipeline.errors import EnvironmentFailure, SolverError, counted
from pipeline.limits import Limits
from pipeline.puzzle.builder import ClauseBuilder
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.geometry import values_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.encode import Numbering, encode_puzzle
from pipeline.solving.solvers.pysat import Pysat, Satisfiable

LIMITS = Limits(2.0)
"""Default limits of an explanation."""

MAX_EXPLAINED_SIDE = 36
"""Largest side that is explained: 3.3 million clauses, which take seconds to load. 49×49 would take
11 million."""

_MAX_NAMED = 8
"""Maximum number of clues that a sentence names; beyond it, a drawing is clearer."""

_MAX_TRIED = 100
"""Grids for which decisive cells are computed."""

_MAX_COMBINATIONS = 300_000
"""Combinations of values that are tested to show that no fewer suffice: some 0.1 s."""

Holders = dict[int, dict[int, int]]
"""By cell in which grids differ: value → the grids with that value, as a bit set."""


@dataclass(frozen=True, slots=True)
class Clue:
    """A clue: a cell, and the value or mark (`even`, `odd` or a list of values) that it `holds`.

    Row and column count from 1. A cell outside the grid has a `name` too.
    """

    row: int
    column: int
    holds: int | Literal["even", "odd"] | tuple[int, ...]
    name: str = ""

    @classmethod
    def of_cell(cls, cell: int, puzzle: Puzzle) -> Clue:
        """The clue of a cell that is not blank."""
        geometry, mask = puzzle.geometry, puzzle.cells[cell]
        place, values = geometry.place(cell), tuple(values_of(mask, geometry.lowest))
        name = geometry.name_of(cell) if cell >= geometry.grid_size else ""
        if len(values) == 1:
            return cls(*place, values[0], name)
        if mask == geometry.even_values:
            return cls(*place, "even", name)
        return cls(*place, "odd" if mask == geometry.odd_values else values, name)

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    @property
    def value(self) -> int | None:
        """The value; None for a mark."""
        return self.holds if isinstance(self.holds, int) else None

    def __str__(self) -> str:
        holds = " or ".join(map(str, self.holds)) if isinstance(self.holds, tuple) else self.holds
        return f"{holds} in {self.name or f'row {self.row}, column {self.column}'}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues and rules that contradict each other, and a sentence that says so.

    The clues are in the order of their cells; `rules` are indices in `Puzzle.rules`. `minimal` is
    true if removing any one of them leaves a solution, and false if there was no time to find a
    minimal set.
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
    """Explain why a puzzle has no solution; None if that takes too long.

    Reports two equal givens in a unit, if there are any. Otherwise `engine` searches for a minimal
    unsatisfiable set of givens, marks and rules. Without one, a new engine is started, which takes
    0.1 s. Raises SolverError if the puzzle has a solution.
    """
    if clash := clashing_givens(puzzle):
        cell_at = puzzle.geometry.cell_at
        cells = [cell for place in clash.cells if (cell := cell_at(*place)) is not None]
        return Conflict(_clues(puzzle, cells), clash.message, minimal=True)
    if puzzle.geometry.side > MAX_EXPLAINED_SIDE:
        return None
    clauses, clues_at, rules_at = _assumptions(puzzle)
    try:
        with contextlib.nullcontext(engine) if engine else Pysat() as asked:
            result = asked.core(clauses, [*rules_at, *clues_at], limits)
    except Satisfiable as error:
        raise SolverError("a puzzle that was found to be unsolvable has a solution") from error
    except EnvironmentFailure:  # an explanation is optional
        result = None
    if result is None:
        return None
    core, minimal = result
    clues = _clues(puzzle, [clues_at[literal] for literal in core if literal in clues_at])
    rules = tuple(sorted(rules_at[literal] for literal in core if literal in rules_at))
    descriptions = [puzzle.rules[rule].describe(puzzle.geometry) for rule in rules]
    return Conflict(clues, _sentence(clues, descriptions, minimal=minimal), minimal, rules)


def _clues(puzzle: Puzzle, cells: Iterable[int]) -> tuple[Clue, ...]:
    return tuple(Clue.of_cell(cell, puzzle) for cell in sorted(cells))


def _sentence(clues: Sequence[Clue], rules: Sequence[str], *, minimal: bool) -> str:
    """Name the clues and rules, or count them if there are too many."""
    if rules and minimal and len(clues) + len(rules) <= _MAX_NAMED:
        named = [*map(str, clues), *rules]
        if len(named) == 1:
            return f"{named[0]} leaves no solution"
        return f"{', '.join(named[:-1])} and {named[-1]} leave no solution"
    givens = sum(clue.value is not None for clue in clues)
    kinds = {"given": givens, "mark": len(clues) - givens, "rule": len(rules)}
    counts = " and ".join(counted(number, noun) for noun, number in kinds.items() if number)
    if not counts:
        return "rows, columns and boxes alone have no solution"
    if not minimal:
        return f"{counts} have no solution together; there was no time to find fewer"
    number = len(clues) + len(rules)
    fewer = "either of them has one" if number == 2 else f"any {number - 1} of them have one"
    named = [*map(str, clues), *rules]
    if rest := named[_MAX_NAMED:]:
        named = [*named[:_MAX_NAMED], f"and {len(rest)} more"]
    return f"{counts} have no solution together, although {fewer}: {'; '.join(named)}"


def _assumptions(puzzle: Puzzle) -> tuple[Iterable[Clause], dict[int, int], dict[int, int]]:
    """The clauses, and the assumption literals: of clues → cell, and of rules → index.

    The assumption of a given is its candidate. A mark gets a new variable that implies that the
    forbidden values are false, and a rule gets one that implies its clauses.
    """
    geometry = puzzle.geometry
    units = encode_puzzle(Puzzle.empty(geometry), "extended")
    before = Numbering(geometry).before
    builder = ClauseBuilder(geometry.side, geometry.size, lowest=geometry.lowest)
    cells: dict[int, int] = {}
    for cell, mask in enumerate(puzzle.cells):
        if mask == geometry.all_values:
            continue
        if mask & (mask - 1):
            assumption = builder.new_variable()
            forbidden = values_of(geometry.all_values & ~mask, geometry.lowest)
            for value in forbidden:
                builder.add(-assumption, -(before(cell) + value))
        else:
            assumption = before(cell) + next(values_of(mask, geometry.lowest))
        cells[assumption] = cell
    rules: dict[int, int] = {}
    for index, rule in enumerate(puzzle.rules):
        assumption = builder.new_variable()
        rules[assumption] = index
        with builder.condition(assumption):
            rule.encode(geometry, builder)
    return chain(units.clauses(), builder.clauses), cells, rules


@dataclass(frozen=True, slots=True)
class Difference:
    """The cells in which grids differ, row by row, and values that single out one grid.

    Row and column count from 1. `exact` is true if no fewer values than `decisive` single out a
    grid, and false if that is unknown.
    """

    cells: tuple[tuple[int, int], ...]
    decisive: tuple[Clue, ...]
    exact: bool


def explain_difference(grids: Sequence[Grid]) -> Difference:
    """Find where distinct grids of one geometry differ.

    Decisive cells are chosen by the greedy set cover for each grid, and the smallest choice is
    reported. For G grids it has at most 1 + ln G times the minimum for that grid (V. Chvátal, A
    greedy heuristic for the set-covering problem, 1979). Raises ValueError for fewer than two
    grids, equal grids or several geometries.
    """
    different = {(grid.geometry, grid.values) for grid in grids}
    if not 2 <= len(different) == len(grids) or len({grid.geometry for grid in grids}) > 1:
        raise ValueError("expected two or more distinct grids of one geometry")
    place = grids[0].geometry.place
    holders = _holders(grids)
    cell_of_sets = {frozenset(held.values()): cell for cell, held in reversed(holders.items())}
    options = {cell: holders[cell] for cell in sorted(cell_of_sets.values())}
    tried = range(min(len(grids), _MAX_TRIED))
    choices = ((index, _decisive_cells(index, grids, options)) for index in tried)
    chosen, cells = min(choices, key=lambda choice: len(choice[1]))
    return Difference(
        tuple(map(place, holders)),
        tuple(Clue(*place(cell), grids[chosen].values[cell]) for cell in sorted(cells)),
        _is_minimum(len(cells), [*chain.from_iterable(sets.values() for sets in options.values())]),
    )


def _is_minimum(size: int, sets: Sequence[int]) -> bool:
    """Whether no `size` - 1 of these sets intersect in one grid; False if too many to test."""
    if comb(len(sets), size - 1) > _MAX_COMBINATIONS:
        return False
    common = (reduce(and_, chosen, -1) for chosen in combinations(sets, size - 1))
    return not any(left > 0 and not left & (left - 1) for left in common)


def _holders(grids: Sequence[Grid]) -> Holders:
    holders, lowest = Holders(), grids[0].geometry.lowest
    for cell, column in enumerate(zip(*(grid.values for grid in reversed(grids)), strict=True)):
        if len(occurring := sorted(set(column))) > 1:
            held = bytes(value - lowest for value in column)
            holders[cell] = {value: _positions(held, value - lowest) for value in occurring}
    return holders


def _positions(held: bytes, byte: int) -> int:
    """The positions of a byte, as a bit set whose bit 0 is the last position."""
    digits = bytearray(b"0" * 256)
    digits[byte] = ord("1")
    return int(held.translate(digits), 2)


def _decisive_cells(index: int, grids: Sequence[Grid], holders: Holders) -> list[int]:
    """Choose cells greedily: each excludes as many as possible of the other grids that are left."""
    values = grids[index].values
    left = (1 << len(grids)) - 1 & ~(1 << index)
    cells: list[int] = []
    while left:
        cell = min(holders, key=lambda cell: (holders[cell][values[cell]] & left).bit_count())
        cells.append(cell)
        left &= holders[cell][values[cell]]
    return cells
