"""Reduced: `extended` over the candidates that the givens and marks leave.

Satisfied clauses and false literals are never written, and what unit propagation decides has
no variable. G. Kwon and H. Jain, Optimized CNF encoding for Sudoku puzzles, 2006; they take
out what the givens decide, here it is what unit propagation decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations

from pipeline.cnf import Clause, Cnf, Family, Generated
from pipeline.encode.numbering import Numbering, Style
from pipeline.encode.propagate import propagate
from pipeline.limits import Deadline, Limits
from pipeline.puzzle import Candidate, Geometry, Puzzle, units_of, values_of

CANDIDATE_BYTES = 1024
"""What a candidate takes in this process at most, here and later as a part of a model."""

MOST_KEPT = 100_000
"""Pairs of a family beyond which they are made anew whenever they are needed."""

_NAMES = ("row", "column", "box")


def encode_reduced(puzzle: Puzzle, style: Style, limits: Limits) -> Cnf:
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
    families = [*_cell_families(alive), *_unit_families(geometry, alive, deadline)]
    highest = numbering.highest if style == "decimal" else len(candidates)
    return Cnf(geometry, "reduced", highest, tuple(families), candidates, tuple(fixed))


def _number(
    cells: list[int], numbering: Numbering, deadline: Deadline
) -> tuple[list[list[tuple[int, int]]], dict[int, Candidate], list[Candidate]]:
    """Per cell its open candidates as (value, variable); variable → candidate; the decided."""
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


def _exactly_one(what: tuple[str, str], groups: Iterable[list[int]]) -> tuple[Family, Family]:
    """At least one, and at most one; the pairs of a large puzzle are not kept in memory."""
    at_least = [tuple(group) for group in groups]
    pairs = sum(len(group) * (len(group) - 1) // 2 for group in at_least)
    at_most = Generated(partial(_pairs, at_least))
    return (
        Family(what[0], len(at_least), at_least),
        Family(what[1], pairs, list(at_most) if pairs <= MOST_KEPT else at_most),
    )


def _pairs(groups: Iterable[Clause]) -> Iterator[Clause]:
    for group in groups:
        yield from combinations([-variable for variable in group], 2)


def _cell_families(alive: list[list[tuple[int, int]]]) -> tuple[Family, Family]:
    groups = ([variable for _, variable in here] for here in alive if here)
    return _exactly_one(("every cell holds a value", "no cell holds two values"), groups)


def _unit_families(
    geometry: Geometry, alive: list[list[tuple[int, int]]], deadline: Deadline
) -> Iterable[Family]:
    n, units = geometry.side, units_of(geometry)
    for index, name in enumerate(_NAMES):
        groups: list[list[int]] = []
        for unit in units[index * n : index * n + n]:
            deadline.check()
            places: dict[int, list[int]] = {}
            for cell in unit:
                for value, variable in alive[cell]:
                    places.setdefault(value, []).append(variable)
            groups += (places[value] for value in sorted(places))
        titles = (f"every {name} holds every value", f"no value twice in a {name}")
        yield from _exactly_one(titles, groups)
