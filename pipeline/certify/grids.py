"""Check grids against the rules of a puzzle, and models against clauses.

The checks use no encoding and no solver. Batches of grids are checked by other code than single
grids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import neg
from typing import TYPE_CHECKING, Any

from pipeline.puzzle.geometry import Geometry, unit_name, units_of, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK_PUZZLES = 4096
"""Number of puzzles that are checked together. Their arrays fit into the cache of a core."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: a message, and the cells that break the rule, as (row, column) from 1.

    `rule` is `geometry`, `row`, `column`, `box`, `given`, `mark`, or a rule's name.
    """

    rule: str
    message: str
    cells: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return self.message


def certify_grid(puzzle: Puzzle, grid: Grid) -> tuple[Violation, ...]:
    """Return all violations of the puzzle's rules by a grid; none if the grid is a solution.

    Rules other than rows, columns and boxes are checked by their method `holds`. If the grid and
    the puzzle differ in geometry, this is the only violation.

        >>> from pipeline import parse_puzzle
        >>> puzzle = parse_puzzle("1.....2..3.....4")
        >>> solution = Grid(puzzle.geometry, (1, 2, 4, 3, 3, 4, 2, 1, 4, 3, 1, 2, 2, 1, 3, 4))
        >>> certify_grid(puzzle, solution)
        ()
        >>> certify_grid(puzzle, Grid(puzzle.geometry, (1, 2, 3, 4) * 4))[0].message
        'column 1 holds 1 twice: row 1, column 1 and row 2, column 1'
    """
    if not (isinstance(puzzle, Puzzle) and isinstance(grid, Grid)):
        found = f"{type(puzzle).__name__} and {type(grid).__name__}"
        raise TypeError(f"expected a Puzzle and a Grid, found {found}")
    if puzzle.geometry != grid.geometry:
        ours, theirs = puzzle.geometry, grid.geometry
        message = (
            f"the puzzle has boxes of {ours.height}×{ours.width}, "
            f"the grid of {theirs.height}×{theirs.width}"
        )
        return (Violation("geometry", message, ()),)
    broken = (*_repetitions(grid.geometry, grid.values), *_forbidden_values(puzzle, grid))
    return (*broken, *_broken_rules(puzzle, grid)) if puzzle.rules else broken


def is_solution(puzzle: Puzzle, solution: Grid) -> bool:
    """Whether a grid is a solution of the puzzle."""
    return not certify_grid(puzzle, solution)


def clashing_givens(puzzle: Puzzle) -> Violation | None:
    """Return a violation for the first two equal givens of a row, column or box, or None."""
    values = [0] * len(puzzle.cells)
    for cell, value in puzzle.givens():
        values[cell] = value
    return next(_repetitions(puzzle.geometry, values), None)


def _repetitions(geometry: Geometry, values: Sequence[int]) -> Iterator[Violation]:
    """Yield a violation for each repeated value of a unit. The value 0 is an empty cell."""
    for index, unit in enumerate(units_of(geometry)):
        if len({values[cell] for cell in unit}) == len(unit):  # most units repeat no value
            continue
        first: dict[int, int] = {}
        for cell in unit:
            value = values[cell]
            if value and first.setdefault(value, cell) != cell:
                name = unit_name(geometry, index)
                places = (a, b), (c, d) = geometry.place(first[value]), geometry.place(cell)
                message = f"{name} holds {value} twice: row {a}, column {b} and row {c}, column {d}"
                yield Violation(name.partition(" ")[0], message, places)


def _forbidden_values(puzzle: Puzzle, grid: Grid) -> Iterator[Violation]:
    """Yield a violation for each cell whose value contradicts its given or mark."""
    lowest = puzzle.geometry.lowest
    for cell, (mask, value) in enumerate(zip(puzzle.cells, grid.values, strict=True)):
        if mask >> (value - lowest) & 1:
            continue
        place = row, column = puzzle.geometry.place(cell)
        is_extra = cell >= puzzle.geometry.grid_size
        name = puzzle.geometry.name_of(cell) if is_extra else f"row {row}, column {column}"
        where = f"{name} holds {value}"
        if mask & (mask - 1):
            yield Violation("mark", f"{where}, marked {_mark_text(puzzle, mask)}", (place,))
        else:
            yield Violation("given", f"{where}, given as {next(values_of(mask, lowest))}", (place,))


def _broken_rules(puzzle: Puzzle, grid: Grid) -> Iterator[Violation]:
    """Yield a violation for each further rule of the puzzle that the grid breaks."""
    geometry = puzzle.geometry
    for rule in puzzle.rules:
        if not rule.holds(geometry, grid.values):
            places = tuple(map(geometry.place, rule.scope(geometry)))
            yield Violation(rule.name, f"{rule.describe(geometry)} is broken", places)


def _mark_text(puzzle: Puzzle, mask: int) -> str:
    if mask == puzzle.geometry.even_values:
        return "even"
    if mask == puzzle.geometry.odd_values:
        return "odd"
    return "as " + " or ".join(map(str, values_of(mask, puzzle.geometry.lowest)))


def certify_many(
    geometry: Geometry, masks: NDArray[np.unsignedinteger], grids: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Check one grid per puzzle. Returns flags (P,) of the grids that are solutions.

    The puzzles have no further rules. `masks` and `grids` are (P, n²). Bit v-1 of a mask allows the
    value v. Raises ValueError for other shapes, and for sides above 64.
    """
    import numpy as np  # noqa: PLC0415 - slow to load

    cells = geometry.side**2
    if geometry.side > 64 or masks.shape != grids.shape or masks.shape[1:] != (cells,):
        raise ValueError(
            f"expected masks and grids of shape (P, {cells}), found masks of {masks.shape}, "
            f"grids of {grids.shape}"
        )
    is_valid = np.zeros(len(grids), np.bool_)
    for start in range(0, len(grids), CHUNK_PUZZLES):
        stop = start + CHUNK_PUZZLES
        is_valid[start:stop] = _certify_chunk(geometry, masks[start:stop], grids[start:stop])
    return is_valid


def certify_lists(
    geometry: Geometry,
    masks: NDArray[np.unsignedinteger],
    counts: NDArray[np.integer[Any]],
    grids: NDArray[np.integer[Any]],
) -> NDArray[np.bool_]:
    """Check a list of grids per puzzle. Returns flags (P,).

    The flag of a puzzle is set if the grids in its list are distinct solutions.

    `masks` is (P, n²), `grids` is (R, P, n²). The list of puzzle p is `grids[:counts[p], p]`.
    Raises ValueError in the same cases as `certify_many`.
    """
    import numpy as np  # noqa: PLC0415 - slow to load

    is_valid = np.ones(len(counts), np.bool_)
    for rank in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > rank)
        is_valid[rows] &= certify_many(geometry, masks[rows], grids[rank, rows])
        for earlier in grids[:rank, rows]:
            is_valid[rows] &= (earlier != grids[rank, rows]).any(axis=1)
    return is_valid


def _certify_chunk(
    geometry: Geometry, masks: NDArray[np.unsignedinteger], grids: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Check a chunk of puzzles as `certify_many` does.

    The n cells of a unit differ if together they hold all n values.
    """
    import numpy as np  # noqa: PLC0415 - slow to load

    side = geometry.side
    word_type = np.min_scalar_type(geometry.all_values)
    if grids.dtype != np.uint8:
        grids = np.where((grids >= 0) & (grids <= side), grids, 0).astype(np.uint8)
    shifts = np.ascontiguousarray(grids.T) - np.uint8(1)
    chosen = np.left_shift(1, shifts, dtype=word_type)  # 0 where the shift is too large
    allowed = np.ascontiguousarray(masks.T, word_type)
    is_valid: NDArray[np.bool_] = (chosen & allowed != 0).all(axis=0)
    all_values = word_type.type(geometry.all_values)
    for unit in units_of(geometry):
        is_valid &= np.bitwise_or.reduce(chosen[list(unit)], axis=0) == all_values
    return is_valid


def certify_model(clauses: Iterable[Sequence[int]], model: Iterable[int]) -> int | None:
    """Return the index, from 0, of the first clause that a model does not satisfy, or None.

    The model may omit variables. If it contains both a literal and its negation, both are ignored.
    """
    true = frozenset(model)
    if not true.isdisjoint(map(neg, true)):
        true = true.difference(map(neg, true))
    for index, clause in enumerate(clauses):
        if true.isdisjoint(clause):
            return index
    return None
