"""A step as a person writes it: `r4c7=5 hidden single in row 4`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from pipeline.steps import techniques
from pipeline.steps.board import BOXES, COLUMNS

if TYPE_CHECKING:
    from pipeline.steps import Node, Step

_TEMPLATES = {
    techniques.LOCKED: " in {units} along {cover}",
    techniques.FISH: " in {units} and {cover}{fins}",
    techniques.EMPTY_RECTANGLE: " in {box} with {cells}",
    techniques.UNIQUE_RECTANGLE: " in {cells}, as the solution is unique,",
    techniques.COLOURS: " in {one_colour} and {other_colour}",
    techniques.VERITY: " from each {cases}",
    techniques.FORCING_NET: " from {start} by singles to a contradiction",
}
"""Where a pattern is, for techniques of which its cells or its units alone do not tell."""


def text_of(step: Step) -> str:
    """The step in a line: what it concludes, the technique, and where the pattern is.

    `r4c7=5 hidden single in row 4`; `naked pair 3,8 in r2c1,r2c5 removes 8 from r2c7`; a chain as
    `3r1c2=3r1c8-5r1c8=5r4c8`: of two nodes joined by `=` one holds, of two joined by `-` not both.
    """
    name, where = step.technique.name, _template(step).format_map(_parts(step))
    if step.placed:
        placed = ",".join(f"{place(cell)}={value}" for cell, value in step.placed)
        return f"{placed} {name}{where}"
    by_value = groupby(sorted(step.struck, key=itemgetter(1)), key=itemgetter(1))
    removed = ", ".join(f"{value} from {_places(cell for cell, _ in of)}" for value, of in by_value)
    has_values = step.values and step.technique.kind != techniques.VERITY
    values = f" {_listed(step.values)}" if has_values else ""
    return f"{name}{values}{where} removes {removed}"


def place(cell: int) -> str:
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


def _template(step: Step) -> str:
    kind = step.technique.kind
    if kind in _TEMPLATES:
        return _TEMPLATES[kind]
    if step.chain:
        return " {chain}"
    if step.cells:
        return " in {cells}"
    return " in {units}" if step.units else ""


def _parts(step: Step) -> dict[str, str]:
    """The texts for the placeholders of templates."""
    cells, values, chain, units = step.cells, _listed(step.values), step.chain, step.units
    fins = f" with {'fin' if len(cells) == 1 else 'fins'} {_places(cells)}" if cells else ""
    colours = [
        _listed(sorted(_joined(node.cells) for node in chain if node.holds == colour))
        for colour in (True, False)
    ]
    of_cell, of_unit = f"of {values} in {_places(cells)}", f"place of {values} in {_units(units)}"
    return {
        "cells": _places(cells),
        "fins": fins,
        "units": _units(units),
        "cover": _units(step.cover),
        "box": _units(units[-1:]),
        "one_colour": colours[0],
        "other_colour": colours[1],
        "cases": of_cell if cells else of_unit,
        "start": f"{_joined(chain[0].cells)}={chain[0].value}" if chain else "",
        "chain": _chain(chain),
    }


def _chain(chain: Sequence[Node]) -> str:
    """The nodes with `=` where the first does not hold and the second does, else `-`."""
    signed = (f"{'=' if node.holds else '-'}{node.value}{_joined(node.cells)}" for node in chain)
    return "".join(signed)[1:]


def _joined(cells: Sequence[int]) -> str:
    """Cells of a row, a column or a box in one: `r1c23`, `r45c2`."""
    rows = "".join(str(row + 1) for row in sorted({cell // 9 for cell in cells}))
    columns = "".join(str(column + 1) for column in sorted({cell % 9 for cell in cells}))
    return f"r{rows}c{columns}"


def _units(units: Sequence[int]) -> str:
    """`row 4`, `columns 3,8`, `row 1 and box 2`."""
    kinds = ("row", "rows", 0), ("column", "columns", COLUMNS), ("box", "boxes", BOXES)
    said = []
    for one, several, first in kinds:
        some = [unit - first + 1 for unit in units if first <= unit < first + 9]
        if some:
            said.append(f"{several if len(some) > 1 else one} {_listed(some)}")
    return " and ".join(said)


def _places(cells: Iterable[int]) -> str:
    return _listed(map(place, cells))


def _listed(parts: Iterable[object]) -> str:
    return ",".join(map(str, parts))
