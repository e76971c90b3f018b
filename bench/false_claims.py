"""Generate claims that some grids are all solutions of a puzzle: true ones, and all kinds of false.

The puzzles have sides 4 to 12, with and without marks, and up to eight solutions. PySAT enumerates
these from clauses that are written here, so no code is shared with the checks under test.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from pysat.solvers import Solver

from pipeline.puzzle.geometry import Geometry, values_of
from pipeline.puzzle.puzzle import Puzzle

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values = tuple[int, ...]
Truth = Literal["COMPLETE", "INCOMPLETE", "WRONG"]

MOST = 8
"""Solutions of a puzzle."""

BUDGET = 1000
"""Conflicts per solution. Minisat never finishes some 12×12 puzzles with few clues."""

GEOMETRIES = {
    Geometry(2, 2): 2,
    Geometry(2, 3): 1,
    Geometry(3, 2): 1,
    Geometry(3, 3): 6,
    Geometry(3, 4): 1,
    Geometry(4, 3): 1,
}
"""Geometries and their weights."""

MARKS = ("blank", "even or odd", "pencilmarks", "mixed")
"""Marks that replace removed clues."""

HONEST = "honest"


@dataclass(frozen=True, slots=True)
class Solved:
    """A puzzle and all its solutions."""

    puzzle: Puzzle
    solutions: tuple[Values, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that grids are all solutions of a puzzle, and the correct verdict.

    INCOMPLETE: they are distinct solutions, but there is another one. WRONG: they are not.
    """

    kind: str
    puzzle: Puzzle
    grids: tuple[Values, ...]
    truth: Truth


class Oracle:
    """Enumerates the solutions of puzzles of one geometry by a SAT solver."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._solver = Solver("minisat22", bootstrap_with=_rules(geometry))
        self._variables = geometry.side**3

    def solutions(self, puzzle: Puzzle, limit: int = MOST) -> list[Values] | None:
        """The solutions of a puzzle; None if there are more than `limit`, or it is too hard."""
        side, solutions, answer = self._geometry.side, list[Values](), True
        self._variables += 1
        asked = [-self._variables]
        for cell, mask in enumerate(puzzle.cells):
            forbidden = self._geometry.all_values & ~mask
            asked += [-(cell * side + value) for value in values_of(forbidden)]
        while len(solutions) <= limit:
            self._solver.conf_budget(BUDGET)
            answer = self._solver.solve_limited(assumptions=asked)
            if not answer:
                break
            solutions.append(self._values())
            chosen = (cell * side + value for cell, value in enumerate(solutions[-1]))
            self._solver.add_clause([*(-variable for variable in chosen), self._variables])
        self._solver.add_clause([self._variables])
        return sorted(solutions) if answer is False else None

    def any_grid(self, generator: random.Random) -> Values:
        """A filled grid."""
        side = self._geometry.side
        wanted = generator.choices(range(1, side + 1), k=side * side)
        phases = range(1, side**3 + 1)
        true = {cell * side + value for cell, value in enumerate(wanted)}
        self._solver.set_phases([literal if literal in true else -literal for literal in phases])
        self._solver.solve()
        return self._values()

    def _values(self) -> Values:
        side = self._geometry.side
        model = self._solver.get_model()[: side**3]
        return tuple((literal - 1) % side + 1 for literal in model if literal > 0)


def _rules(geometry: Geometry) -> Iterator[list[int]]:
    """Clauses: each cell has a value, and cells that see each other differ."""
    side, height, width = geometry.side, geometry.height, geometry.width
    places = [(r, c, (r // height, c // width)) for r in range(side) for c in range(side)]
    for cell in range(side * side):
        yield [cell * side + value for value in range(1, side + 1)]
        for one, other in combinations(range(1, side + 1), 2):
            yield [-(cell * side + one), -(cell * side + other)]
    for (one, here), (other, there) in combinations(enumerate(places), 2):
        if any(a == b for a, b in zip(here, there, strict=True)):
            yield from ([-(one * side + v), -(other * side + v)] for v in range(1, side + 1))


class Maker:
    """Generates puzzles and claims about them, reproducibly by its seed."""

    def __init__(
        self,
        seed: int,
        geometries: Mapping[Geometry, int] = MappingProxyType(GEOMETRIES),
        marks: Sequence[str] = MARKS,
    ) -> None:
        self._generator = random.Random(seed)
        self._geometries = geometries
        self._marks = marks

    @cached_property
    def _oracles(self) -> dict[Geometry, Oracle]:
        return {geometry: Oracle(geometry) for geometry in self._geometries}

    def puzzles(self) -> Iterator[Solved]:
        """Yield puzzles with all their solutions, forever."""
        chances = list(self._geometries.values())
        while True:
            (geometry,) = self._generator.choices(list(self._geometries), chances)
            solved = self._opened(geometry)
            yield self._spoiled(solved) if self._generator.random() < 0.15 else solved

    def claims(self) -> Iterator[Claim]:
        """Yield the claims that `about` makes of each puzzle, forever."""
        latest: dict[Geometry, Solved] = {}
        for solved in self.puzzles():
            geometry = solved.puzzle.geometry
            another = latest.get(geometry) or self._opened(geometry)
            latest[geometry] = solved
            yield from self.about(solved, another)

    def about(self, solved: Solved, another: Solved) -> Iterator[Claim]:
        """Yield the true claim about a puzzle, and false ones. `another` has the same geometry."""
        puzzle, all_of_them = solved.puzzle, solved.solutions
        yield Claim(HONEST, puzzle, all_of_them, "COMPLETE")
        for kind, grids in self._false(all_of_them, another, puzzle.geometry):
            truth = truth_of(grids, all_of_them)
            if truth != "COMPLETE":
                yield Claim(kind, puzzle, tuple(grids), truth)

    def _false(
        self, solutions: Sequence[Values], another: Solved, geometry: Geometry
    ) -> Iterator[tuple[str, Sequence[Values]]]:
        """Yield kinds of false claims with their grids. A few may happen to be true."""
        generator, foreign = self._generator, self._oracles[geometry].any_grid(self._generator)
        yield "those of another puzzle", another.solutions
        yield "one invented", [*solutions, foreign]
        if not solutions:
            return
        yield "none", []
        for place in range(len(solutions)):
            before, after = solutions[:place], solutions[place + 1 :]
            if before or after:
                yield "one left out", [*before, *after]
        place = generator.randrange(len(solutions))
        before, here, after = solutions[:place], solutions[place], solutions[place + 1 :]
        yield "one foreign", [*before, foreign, *after]
        yield "a cell changed", [*before, self._cell_changed(here, geometry.side), *after]
        yield "two rows swapped", [*before, self._rows_swapped(here, geometry.side), *after]
        yield "one repeated", generator.sample([*solutions, here], len(solutions) + 1)
        if len(solutions) > 1:
            yield "one in place of another", [*before, generator.choice([*before, *after]), *after]

    def _cell_changed(self, values: Values, side: int) -> Values:
        cell = self._generator.randrange(len(values))
        other = (values[cell] - 1 + self._generator.randrange(1, side)) % side + 1
        return (*values[:cell], other, *values[cell + 1 :])

    def _rows_swapped(self, values: Values, side: int) -> Values:
        rows = [values[start : start + side] for start in range(0, len(values), side)]
        one, other = self._generator.sample(range(side), 2)
        rows[one], rows[other] = rows[other], rows[one]
        return tuple(value for row in rows for value in row)

    def _opened(self, geometry: Geometry) -> Solved:
        """Remove clues from a filled grid, up to a random number of solutions."""
        generator, oracle = self._generator, self._oracles[geometry]
        values, marks = oracle.any_grid(generator), generator.choice(self._marks)
        order = generator.sample(range(len(values)), len(values))
        hidden = [self._mask(geometry, value, marks) for value in values]
        limit = generator.randint(1, MOST)

        def with_open(count: int) -> Puzzle:
            cells = [1 << value - 1 for value in values]
            for cell in order[:count]:
                cells[cell] = hidden[cell]
            return Puzzle(geometry, tuple(cells))

        few, many = 0, len(values) + 1
        solutions = [values]
        while many - few > 1:
            middle = (few + many) // 2
            more = oracle.solutions(with_open(middle), limit)
            if more is None:
                many = middle
            else:
                few, solutions = middle, more
        return Solved(with_open(few), tuple(solutions))

    def _mask(self, geometry: Geometry, value: int, marks: str) -> int:
        """A mask for a cell whose clue is removed; it allows the value."""
        if marks == "mixed":
            marks = self._generator.choice(MARKS[:-1])
        if marks == "pencilmarks":
            return self._generator.randint(1, geometry.all_values) | 1 << value - 1
        if marks == "even or odd" and self._generator.random() < 0.6:
            return geometry.odd_values if value % 2 else geometry.even_values
        return geometry.all_values

    def _spoiled(self, solved: Solved) -> Solved:
        """The puzzle with a cell that excludes its values in all solutions."""
        puzzle, generator = solved.puzzle, self._generator
        cell = generator.randrange(len(puzzle.cells))
        held = {grid[cell] for grid in solved.solutions}
        false_values = [value for value in range(1, puzzle.geometry.side + 1) if value not in held]
        if not false_values:
            return solved
        chosen = generator.sample(false_values, generator.choice([1, len(false_values)]))
        mask = sum(1 << value - 1 for value in chosen)
        spoiled = Puzzle(puzzle.geometry, (*puzzle.cells[:cell], mask, *puzzle.cells[cell + 1 :]))
        solutions = self._oracles[puzzle.geometry].solutions(spoiled)
        return solved if solutions is None else Solved(spoiled, tuple(solutions))


def truth_of(grids: Sequence[Values], solutions: Sequence[Values]) -> Truth:
    """The correct verdict on these grids, given all solutions."""
    if len(set(grids)) < len(grids) or not set(grids) <= set(solutions):
        return "WRONG"
    return "COMPLETE" if len(grids) == len(solutions) else "INCOMPLETE"


def by_geometry(claims: Sequence[Claim]) -> dict[Geometry, list[int]]:
    """The indices of claims by geometry."""
    places: dict[Geometry, list[int]] = {}
    for place, claim in enumerate(claims):
        places.setdefault(claim.puzzle.geometry, []).append(place)
    return places


def arrays(
    claims: Sequence[Claim],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint8]]:
    """Masks (P, n²), counts (P,) and grids (R, P, n²) of claims of one geometry."""
    masks = np.array([claim.puzzle.cells for claim in claims], np.uint64)
    counts = np.array([len(claim.grids) for claim in claims], np.int64)
    grids = np.zeros((int(counts.max(initial=0)), *masks.shape), np.uint8)
    for place, claim in enumerate(claims):
        for rank, values in enumerate(claim.grids):
            grids[rank, place] = values
    return masks, counts, grids
