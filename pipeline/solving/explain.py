"""Explain to users why a puzzle has no solution, or where its solutions differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import chain, combinations
from math import comb
from operator import and_
from typing import TYPE_CHECKING, Literal

from pipeline.certify import clashing_givens
from pipeline.certify.formula import formula_size
from pipeline.errors import EnvironmentFailure, SolverError, counted
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.builder import ClauseBuilder
from pipeline.puzzle.clauses import PackedClauses
from pipeline.puzzle.geometry import Geometry, units_of, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.cores import CoreAnswer, UnsatCore, shrink_core
from pipeline.solving.encode import Numbering, encode_puzzle
from pipeline.solving.solvers import Satisfiable
from pipeline.solving.solvers.pysat import Pysat

if TYPE_CHECKING:
    from pipeline.solving.cdcl import Cdcl

DEFAULT_LIMITS = Limits(2.0)
"""Default limits of `explain_conflict`."""

MAX_EXPLAINED_SIDE = 36
"""Maximum side of a puzzle that is explained. Side 36 has 3.3 million clauses, which take seconds
to load; side 49 would have 11 million.
"""

_CLAUSE_SECONDS = 5e-7
"""Seconds for making a clause of the units. The work does not check the clock, so it is not started
if too little time is left.
"""

_NODES_PER_SLICE = 500
"""Number of branches of the exhaustive search in a slice (see `CoreQuery`)."""

_MAX_SLICES = 8
"""Maximum number of slices in which to find that a clue or rule can be left out: 4,000 branches."""

_MAX_NAMED = 8
"""Maximum number of clues and rules that a message names. More are easier to see in a drawing."""

_MAX_GRIDS = 100
"""Maximum number of grids for which `explain_difference` computes decisive cells."""

_MAX_COMBINATIONS = 300_000
"""Maximum number of combinations of values that are tested to show that fewer values do not
suffice. The tests take about 0.1 s.
"""

GridsByValue = dict[int, dict[int, int]]
"""Cell in which grids differ → value → bit set of the grids with this value in the cell."""


@dataclass(frozen=True, slots=True)
class Clue:
    """A clue: a cell with a value or a mark.

    - `row`, `column`: the position, counted from 1.
    - `holds`: the value, or the mark: `even`, `odd` or the allowed values.
    - `name`: the name of the cell if it is an extra cell outside the grid, else empty.
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
        """The row and column."""
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
    """Clues and rules that contradict each other.

    - `clues`: the clues, in the order of their cells.
    - `message`: a sentence that names or counts the clues and rules.
    - `minimal`: true if the rest has a solution after removing any one of the clues and rules;
      false if there was no time to find a minimal set.
    - `rules`: the indices of the rules in `Puzzle.rules`.
    """

    clues: tuple[Clue, ...]
    message: str
    minimal: bool
    rules: tuple[int, ...] = ()

    def places(self) -> tuple[tuple[int, int], ...]:
        """The row and column of each clue."""
        return tuple(clue.place for clue in self.clues)


def explain_conflict(
    puzzle: Puzzle, engine: Pysat | Cdcl | None = None, limits: Limits = DEFAULT_LIMITS
) -> Conflict | None:
    """Explain why a puzzle has no solution. Returns None if that takes too long.

    Reports two equal givens in a unit, if there are any. Otherwise `engine` searches for a minimal
    unsatisfiable set of givens, marks and rules; by default, a new engine is started, which takes
    0.1 s. If the engine finds none for a variant before the time is up, the exhaustive search tries
    in the rest of the time; it needs machine code. Raises SolverError if the puzzle has a solution.
    """
    deadline = Deadline.of(limits)
    if clash := clashing_givens(puzzle):
        cell_at = puzzle.geometry.cell_at
        cells = [cell for place in clash.cells if (cell := cell_at(*place)) is not None]
        return Conflict(_clues(puzzle, cells), clash.message, minimal=True)
    if puzzle.geometry.side > MAX_EXPLAINED_SIDE:
        return None
    if deadline.left() < _CLAUSE_SECONDS * formula_size(puzzle.geometry):
        return None
    clauses, clue_cells, rule_indices = _clauses_with_assumptions(puzzle)
    assumptions = [*rule_indices, *clue_cells]
    result: UnsatCore | None = None
    try:
        # an explanation is optional, so it is no error if PySAT cannot be started
        with suppress(EnvironmentFailure), nullcontext(engine) if engine else Pysat() as solver:
            result = solver.find_core(clauses, assumptions, limits)
        if result is None and not puzzle.is_plain:
            result = _search_core(puzzle, assumptions, clue_cells, rule_indices, deadline)
    except Satisfiable as error:
        raise SolverError("a puzzle that was found to be unsolvable has a solution") from error
    if result is None:
        return None
    core, minimal = result
    clues = _clues(puzzle, [clue_cells[x] for x in core if x in clue_cells])
    rules = tuple(sorted(rule_indices[x] for x in core if x in rule_indices))
    descriptions = [puzzle.rules[rule].describe(puzzle.geometry) for rule in rules]
    return Conflict(clues, _sentence(clues, descriptions, minimal=minimal), minimal, rules)


def _search_core(
    puzzle: Puzzle,
    assumptions: Sequence[int],
    clue_cells: dict[int, int],
    rule_indices: dict[int, int],
    deadline: Deadline,
) -> UnsatCore | None:
    """The last core that the exhaustive search finds; None if it has no machine code or no time.

    Raises Satisfiable if the puzzle has a solution.
    """
    from pipeline.certify.variants import VariantSearch, loader  # noqa: PLC0415 - loads numpy

    compiled_search = loader.get(at_once=True)
    if compiled_search is None:
        return None

    def ask(literals: Sequence[int], slices: int) -> CoreAnswer:
        cells = {clue_cells[literal] for literal in literals if literal in clue_cells}
        rules = [rule_indices[literal] for literal in literals if literal in rule_indices]
        subset = replace(
            puzzle,
            cells=tuple(
                mask if cell in cells else puzzle.geometry.all_values
                for cell, mask in enumerate(puzzle.cells)
            ),
            rules=tuple(puzzle.rules[rule] for rule in rules),
        )
        search = VariantSearch(subset, deadline.end)
        search.use(compiled_search)
        if any(True for _ in search.solutions(slices * _NODES_PER_SLICE, deadline.end)):
            return "holds"
        deadline.check()
        # the search does not say which clues and rules it needed, so the core has all
        return {*literals} if search.is_complete else "hard"

    return shrink_core(ask, assumptions, max_slices=_MAX_SLICES)


def _clues(puzzle: Puzzle, cells: Iterable[int]) -> tuple[Clue, ...]:
    """The clues of these cells, sorted by cell."""
    return tuple(Clue.of_cell(cell, puzzle) for cell in sorted(cells))


def _sentence(clues: Sequence[Clue], rules: Sequence[str], *, minimal: bool) -> str:
    """The message of a conflict: names the clues and rules, or counts them."""
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
    if unnamed := named[_MAX_NAMED:]:
        named = [*named[:_MAX_NAMED], f"and {len(unnamed)} more"]
    return f"{counts} have no solution together, although {fewer}: {'; '.join(named)}"


def _clauses_with_assumptions(
    puzzle: Puzzle,
) -> tuple[PackedClauses, dict[int, int], dict[int, int]]:
    """Encode the units, and each clue and rule under an assumption, which is a literal.

    Returns the clauses, a map from the assumptions of clues to their cells, and a map from the
    assumptions of rules to their indices. The assumption of a given is its candidate. The
    assumption of a mark is a new variable that forbids the other values. The assumption of a rule
    is a new variable that implies the clauses of the rule.
    """
    geometry = puzzle.geometry
    offset = Numbering(geometry).offset
    units = units_of(geometry)
    builder = ClauseBuilder(geometry.side, geometry.size, lowest=geometry.lowest, units=units)
    cells: dict[int, int] = {}
    for cell, mask in enumerate(puzzle.cells):
        if mask == geometry.all_values:
            continue
        if mask & (mask - 1):
            assumption = builder.new_variable()
            forbidden = values_of(geometry.all_values & ~mask, geometry.lowest)
            for value in forbidden:
                builder.add(-assumption, -(offset(cell) + value))
        else:
            assumption = offset(cell) + next(values_of(mask, geometry.lowest))
        cells[assumption] = cell
    rules: dict[int, int] = {}
    for index, rule in enumerate(puzzle.rules):
        assumption = builder.new_variable()
        rules[assumption] = index
        with builder.condition(assumption):
            rule.encode(geometry, builder)
    return PackedClauses(_unit_clauses(geometry).data + builder.build().data), cells, rules


@lru_cache(maxsize=1)
def _unit_clauses(geometry: Geometry) -> PackedClauses:
    """The clauses of an empty grid, cached for the last geometry."""
    return PackedClauses.of(encode_puzzle(Puzzle.empty(geometry), "extended").clauses())


@dataclass(frozen=True, slots=True)
class Difference:
    """Where grids differ.

    - `cells`: the cells in which they differ, as (row, column) from 1, row by row.
    - `decisive`: cells with their values; only one of the grids has all these values.
    - `exact`: true if no set of fewer values belongs to only one grid, false if that is unknown.
    """

    cells: tuple[tuple[int, int], ...]
    decisive: tuple[Clue, ...]
    exact: bool


def explain_difference(grids: Sequence[Grid]) -> Difference:
    """Find where distinct grids of one geometry differ.

    Decisive cells are chosen for each grid by greedy set cover, and the smallest choice is
    reported. For G grids, its size is at most 1 + ln G times the minimum for that grid (V. Chvátal,
    A greedy heuristic for the set-covering problem, 1979). Raises ValueError for fewer than two
    grids, equal grids or several geometries.
    """
    different = {(grid.geometry, grid.values) for grid in grids}
    if not 2 <= len(different) == len(grids) or len({grid.geometry for grid in grids}) > 1:
        raise ValueError("expected two or more distinct grids of one geometry")
    place = grids[0].geometry.place
    by_cell = _grids_by_value(grids)
    # of cells that divide the grids into the same sets, only the first is considered
    cell_of_sets = {frozenset(sets.values()): cell for cell, sets in reversed(by_cell.items())}
    options = {cell: by_cell[cell] for cell in sorted(cell_of_sets.values())}
    indices = range(min(len(grids), _MAX_GRIDS))
    choices = ((index, _decisive_cells(index, grids, options)) for index in indices)
    chosen, cells = min(choices, key=lambda choice: len(choice[1]))
    return Difference(
        tuple(map(place, by_cell)),
        tuple(Clue(*place(cell), grids[chosen].values[cell]) for cell in sorted(cells)),
        _is_minimum(len(cells), [*chain.from_iterable(sets.values() for sets in options.values())]),
    )


def _is_minimum(size: int, sets: Sequence[int]) -> bool:
    """Whether no intersection of `size` - 1 of the sets is a single grid; False if unknown."""
    if comb(len(sets), size - 1) > _MAX_COMBINATIONS:
        return False
    intersections = (reduce(and_, chosen, -1) for chosen in combinations(sets, size - 1))
    return not any(common > 0 and not common & (common - 1) for common in intersections)


def _grids_by_value(grids: Sequence[Grid]) -> GridsByValue:
    """Find, for each cell in which grids differ, the grids with each value.

    Bit i of a bit set is grid i.
    """
    by_cell, lowest = GridsByValue(), grids[0].geometry.lowest
    for cell, values in enumerate(zip(*(grid.values for grid in reversed(grids)), strict=True)):
        if len(occurring := sorted(set(values))) > 1:
            data = bytes(value - lowest for value in values)
            by_cell[cell] = {value: _positions(data, value - lowest) for value in occurring}
    return by_cell


def _positions(data: bytes, byte: int) -> int:
    """The positions of a byte, as a bit set; bit 0 is the last position."""
    digits = bytearray(b"0" * 256)
    digits[byte] = ord("1")
    return int(data.translate(digits), 2)


def _decisive_cells(index: int, grids: Sequence[Grid], by_cell: GridsByValue) -> list[int]:
    """Choose cells such that no other grid has the values of grid `index` in all of them.

    The choice is greedy: each cell excludes as many of the remaining other grids as possible.
    """
    values = grids[index].values
    remaining = (1 << len(grids)) - 1 & ~(1 << index)
    cells: list[int] = []
    while remaining:
        cell = min(by_cell, key=lambda cell: (by_cell[cell][values[cell]] & remaining).bit_count())
        cells.append(cell)
        remaining &= by_cell[cell][values[cell]]
    return cells
