"""Reduced: `extended` over the candidates that the givens and marks leave.

Satisfied clauses and false literals are never written, and what unit propagation decides has
no variable. G. Kwon and H. Jain, Optimized CNF encoding for Sudoku puzzles, 2006; they take
out what the givens decide, here it is what unit propagation decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from pipeline.cnf import Clause, Cnf, Family
from pipeline.encode.numbering import Numbering, Style
from pipeline.encode.propagate import propagate
from pipeline.puzzle import Candidate, Geometry, Puzzle, units_of, values_of

_NAMES = ("row", "column", "box")


def encode_reduced(puzzle: Puzzle, style: Style) -> Cnf:
    """The Cnf of the surviving candidates, numbered 1 … m (`decimal`: by their digits)."""
    geometry = puzzle.geometry
    numbering = Numbering(geometry, style)
    cells = propagate(puzzle)
    if cells is None:
        conflict = Family("the givens and marks leave some group without a candidate", 1, [()])
        return Cnf(geometry, "reduced", 0, (conflict,), {})
    alive, candidates, fixed = _number(geometry, cells, numbering)
    families = list(_cell_families(alive)) + list(_unit_families(geometry, alive))
    highest = numbering.highest if style == "decimal" else len(candidates)
    return Cnf(geometry, "reduced", highest, tuple(families), candidates, tuple(fixed))


def _number(
    geometry: Geometry, cells: list[int], numbering: Numbering
) -> tuple[list[list[tuple[int, int]]], dict[int, Candidate], list[Candidate]]:
    """Per cell its open candidates as (value, variable); variable → candidate; the decided."""
    alive: list[list[tuple[int, int]]] = []
    candidates: dict[int, Candidate] = {}
    fixed: list[Candidate] = []
    dense = numbering.style == "dense"
    for cell, mask in enumerate(cells):
        row, column = geometry.place(cell)
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
    at_least: list[Clause] = []
    at_most: list[Clause] = []
    for group in groups:
        at_least.append(tuple(group))
        at_most += combinations([-variable for variable in group], 2)
    return (
        Family(what[0], len(at_least), at_least),
        Family(what[1], len(at_most), at_most),
    )


def _cell_families(alive: list[list[tuple[int, int]]]) -> tuple[Family, Family]:
    groups = ([variable for _, variable in here] for here in alive if here)
    return _exactly_one(("every cell holds a value", "no cell holds two values"), groups)


def _unit_families(geometry: Geometry, alive: list[list[tuple[int, int]]]) -> Iterable[Family]:
    n, units = geometry.side, units_of(geometry)
    for index, name in enumerate(_NAMES):
        groups: list[list[int]] = []
        for unit in units[index * n : index * n + n]:
            places: dict[int, list[int]] = {}
            for cell in unit:
                for value, variable in alive[cell]:
                    places.setdefault(value, []).append(variable)
            groups += (places[value] for value in sorted(places))
        titles = (f"every {name} holds every value", f"no value twice in a {name}")
        yield from _exactly_one(titles, groups)
