"""Writes a step in words: `r4c7=5 hidden single in row 4`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from pipeline.steps import techniques
from pipeline.steps.layout import FIRST_BOX, FIRST_COLUMN

if TYPE_CHECKING:
    from pipeline.steps import Step

_TEMPLATES = {
    techniques.LOCKED_CANDIDATES: "{values} in {units} along {cover}",
    techniques.FISH: "{values} in {units} and {cover}{fins}",
    techniques.EMPTY_RECTANGLE: "{values} in {box} with {cells}",
    techniques.UNIQUE_RECTANGLE: "{values} in {cells}, as the solution is unique,",
    techniques.COLOURS: "{values} in {one_colour} and {other_colour}",
    techniques.VERITY: " from each {cases}",
    techniques.FORCING_NET: " from {start} by singles to a contradiction",
}
"""Templates of locations, for techniques whose chain, cells or units alone are not enough."""


def text_of(step: Step) -> str:
    """A step in a line: its conclusion, the technique, and the pattern.

    `r4c7=5 hidden single in row 4`; `naked pair 3,8 in r2c1,r2c5 removes 8 from r2c7`; a chain as
    `3r1c2=3r1c8-5r1c8=5r4c8`: one of two nodes joined by `=` holds, and not both if joined by `-`.
    """
    where = _TEMPLATES.get(step.technique.kind, "{values}{pattern}").format_map(_parts(step))
    if step.placed:
        placed = ",".join(f"{cell_name(cell)}={value}" for cell, value in step.placed)
        return f"{placed} {step.technique.name}{where}"
    by_value = groupby(sorted(step.struck, key=itemgetter(1)), key=itemgetter(1))
    removed = ", ".join(
        f"{value} from {_places(cell for cell, _ in candidates)}" for value, candidates in by_value
    )
    return f"{step.technique.name}{where} removes {removed}"


def cell_name(cell: int) -> str:
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


def _parts(step: Step) -> dict[str, str]:
    """The placeholders of templates and their texts."""
    cells, units, chain = _places(step.cells), _units(step.units), step.chain
    values = f" {_listed(step.values)}" if step.values and not step.placed else ""
    location = cells or units
    # a node that holds follows one that does not, by a strong link
    linked = (f"{'=' if node.holds else '-'}{node.value}{_joined(node.cells)}" for node in chain)
    one, other = (
        _listed(sorted(_joined(node.cells) for node in chain if node.holds == colour))
        for colour in (True, False)
    )
    return {
        "values": values,
        "pattern": " " + "".join(linked)[1:] if chain else f" in {location}" if location else "",
        "cells": cells,
        "fins": f" with {'fins' if len(step.cells) > 1 else 'fin'} {cells}" if cells else "",
        "units": units,
        "cover": _units(step.cover),
        "box": _units(step.units[-1:]),
        "one_colour": one,
        "other_colour": other,
        "cases": f"of{values} in {cells}" if cells else f"place of{values} in {units}",
        "start": f"{_joined(chain[0].cells)}={chain[0].value}" if chain else "",
    }


def _joined(cells: Sequence[int]) -> str:
    """The cells of a row, a column or a box as one text: `r1c23`, `r45c2`."""
    rows = "".join(str(row + 1) for row in sorted({cell // 9 for cell in cells}))
    columns = "".join(str(column + 1) for column in sorted({cell % 9 for cell in cells}))
    return f"r{rows}c{columns}"


def _units(units: Sequence[int]) -> str:
    """`row 4`, `columns 3,8`, `row 1 and box 2`."""
    kinds = ("row", "rows", 0), ("column", "columns", FIRST_COLUMN), ("box", "boxes", FIRST_BOX)
    texts = []
    for singular, plural, first in kinds:
        numbers = [unit - first + 1 for unit in units if first <= unit < first + 9]
        if numbers:
            texts.append(f"{plural if len(numbers) > 1 else singular} {_listed(numbers)}")
    return " and ".join(texts)


def _places(cells: Iterable[int]) -> str:
    return _listed(map(cell_name, cells))


def _listed(parts: Iterable[object]) -> str:
    return ",".join(map(str, parts))
