"""Reduced: `extended` over the candidates that the givens and marks leave.

Satisfied clauses and false literals are never written, and what unit propagation decides has
no variable. After G. Kwon and H. Jain, Optimized CNF encoding for Sudoku puzzles, 2006; they remove
what the givens decide, this removes what unit propagation decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from math import comb

from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.puzzle import Candidate, Geometry, Puzzle, units_of, values_of
from pipeline.settings import NumberingChoice
from pipeline.solving.cnf import Cnf, Family, LazyClauses
from pipeline.solving.encode.full import (
    LEAST,
    MOST,
    RULES_TITLE,
    TITLES,
    GroupKind,
    Numbering,
    pairs,
    renumbered,
)

CANDIDATE_BYTES = 1024
"""The most memory of a candidate in this process, here and later as a part of a model."""

MOST_KEPT = 100_000
"""Larger families of pairs are regenerated whenever they are needed."""


def encode_reduced(puzzle: Puzzle, style: NumberingChoice, limits: Limits) -> Cnf:
    """The Cnf of the surviving candidates, numbered 1 … m (`decimal`: by their digits).

    Raises LimitReached.
    """
    deadline = Deadline.of(limits)
    geometry = puzzle.geometry
    numbering = Numbering(geometry, style)
    cells = propagate(puzzle)
    if cells is None:
        conflict = Family("the givens and marks leave some group without a candidate", 1, [()])
        return Cnf(geometry, "reduced", 0, (conflict,), {})
    limits.allow(CANDIDATE_BYTES * sum(mask.bit_count() for mask in cells))
    alive, candidates, fixed = _number(cells, numbering, deadline)
    families = [*_families(geometry, alive, deadline)]
    highest = numbering.highest if style == "decimal" else len(candidates)
    own = 0
    if puzzle.rules:
        rules = puzzle.clauses_of_rules(limits.until(deadline).checking())
        own = rules.auxiliary
        true = highest + own + 1
        number = [0]
        for mask, here in zip(cells, alive, strict=True):
            variables = dict(here) if here else {mask.bit_length(): true}
            number += [variables.get(value, -true) for value in range(1, geometry.side + 1)]
        number += range(highest + 1, true)
        left = [*deadline.watch(renumbered(rules.made, number, true))]
        families.append(Family(RULES_TITLE, len(left), left))
    return Cnf(geometry, "reduced", highest + own, tuple(families), candidates, tuple(fixed), own)


def _number(
    cells: list[int], numbering: Numbering, deadline: Deadline
) -> tuple[list[list[tuple[int, int]]], dict[int, Candidate], list[Candidate]]:
    """The open candidates of each cell as (value, variable), variable → candidate, the decided."""
    geometry = numbering.geometry
    alive: list[list[tuple[int, int]]] = []
    candidates: dict[int, Candidate] = {}
    fixed: list[Candidate] = []
    dense = numbering.style == "dense"
    for cell, mask in enumerate(cells):
        row, column = geometry.place(cell)
        if column == 1:
            deadline.check()
        here: list[tuple[int, int]] = []
        if mask & (mask - 1):
            start = numbering.before(cell)
            for value in values_of(mask):
                variable = len(candidates) + 1 if dense else start + value
                candidates[variable] = Candidate(row, column, value)
                here.append((value, variable))
        else:
            fixed.append(Candidate(row, column, mask.bit_length()))
        alive.append(here)
    return alive, candidates, fixed


def _exactly_one(kind: GroupKind, groups: Sequence[Clause]) -> Iterator[Family]:
    """At least one, and at most one; many pairs are not kept in memory."""
    size = sum(comb(len(group), 2) for group in groups)
    at_most = LazyClauses(partial(pairs, groups))
    yield Family(TITLES[kind][LEAST], len(groups), groups)
    yield Family(TITLES[kind][MOST], size, list(at_most) if size <= MOST_KEPT else at_most)


def _families(
    geometry: Geometry, alive: list[list[tuple[int, int]]], deadline: Deadline
) -> Iterator[Family]:
    yield from _exactly_one("cell", [tuple([x for _, x in here]) for here in alive if here])
    kinds: dict[GroupKind, Iterator[Sequence[int]]]
    kinds = {"row": geometry.rows(), "column": geometry.columns(), "box": geometry.boxes()}
    for kind, units in kinds.items():
        groups: list[Clause] = []
        for unit in units:
            deadline.check()
            places: dict[int, list[int]] = {}
            for cell in unit:
                for value, variable in alive[cell]:
                    places.setdefault(value, []).append(variable)
            groups += (tuple(places[value]) for value in sorted(places))
        yield from _exactly_one(kind, groups)


@lru_cache(maxsize=16)
def _units_at(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """For each cell the indices of its units in `units_of`; in a single grid row, column, box."""
    found: list[list[int]] = [[] for _ in range(geometry.size)]
    for index, unit in enumerate(units_of(geometry)):
        for cell in unit:
            found[cell].append(index)
    return tuple(map(tuple, found))


def propagate(puzzle: Puzzle) -> list[int] | None:
    """The masks of the surviving candidates, or None if some group has none left.

    Naked and hidden singles until nothing changes: the fixpoint of unit propagation on the
    `extended` formula, which does not depend on the order of the units.
    """
    geometry = puzzle.geometry
    units, units_at = units_of(geometry), _units_at(geometry)
    cells = list(puzzle.cells)
    if not geometry.grids and not _strike_givens(cells, units_at, len(units)):
        return None
    waiting = dict.fromkeys(range(len(units)))
    while waiting:
        index = next(iter(waiting))
        del waiting[index]
        moved = _tighten(cells, units[index], geometry.all_values)
        if moved is None:
            return None
        for cell in moved:
            waiting.update(dict.fromkeys(units_at[cell]))
    return cells


def _strike_givens(cells: list[int], units_at: Sequence[Sequence[int]], units: int) -> bool:
    """Strike givens from their row, column and box, in place; False for a conflict.

    Propagating the units would do that too, in twice the time.
    """
    taken = [0] * units
    for mask, (row, column, box) in zip(cells, units_at, strict=True):
        if not mask & (mask - 1):
            taken[row] |= mask
            taken[column] |= mask
            taken[box] |= mask
    for cell, (row, column, box) in enumerate(units_at):
        mask = cells[cell]
        if mask & (mask - 1):
            cells[cell] = mask & ~(taken[row] | taken[column] | taken[box])
            if not cells[cell]:
                return False
    return True


def _tighten(cells: list[int], unit: tuple[int, ...], full: int) -> list[int] | None:
    """Propagate inside one unit, in place; return the changed cells, or None for a conflict."""
    once = twice = fixed = undecided = 0
    for cell in unit:
        mask = cells[cell]
        twice |= once & mask
        once |= mask
        if mask & (mask - 1):
            undecided |= mask
        elif fixed & mask:
            return None
        else:
            fixed |= mask
    if once != full:
        return None
    hidden = once & ~twice & ~fixed
    if not (hidden or undecided & fixed):
        return []
    moved = []
    for cell in unit:
        mask = cells[cell]
        if mask & (mask - 1):
            left = mask & hidden or mask & ~fixed
            if (left & (left - 1) and mask & hidden) or not left:
                return None
            if left != mask:
                cells[cell] = left
                moved.append(cell)
    return moved
