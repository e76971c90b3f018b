"""The text of a step: `r4c7=5 hidden single in row 4`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from pipeline.steps import techniques
from pipeline.steps.layout import FIRST_BOX, FIRST_COLUMN

if TYPE_CHECKING:
    from pipeline.steps.step import Step

_LOCATION_TEMPLATES = {
    techniques.LOCKED_CANDIDATES: "{values} in {units} along {cover}",
    techniques.FISH: "{values} in {units} and {cover}{fins}",
    techniques.EMPTY_RECTANGLE: "{values} in {box} with {cells}",
    techniques.UNIQUE_RECTANGLE: "{values} in {cells}, as the solution is unique,",
    techniques.COLOURS: "{values} in {one_colour} and {other_colour}",
    techniques.VERITY: " from each {cases}",
    techniques.FORCING_NET: " from {start} by singles to a contradiction",
}
"""How to write the location of a step. Other techniques show their chain, cells or units."""


def text_of(step: Step) -> str:
    """Write a step in one line: the cells it fills, the technique, the pattern, the eliminations.

    Examples: `r4c7=5 hidden single in row 4`, `naked pair 3,8 in r2c1,r2c5 removes 8 from r2c7`.
    A chain is `3r1c2=3r1c8-5r1c8=5r4c8`: of two nodes with `=` between them at least one holds, of
    two with `-` at most one.
    """
    template = _LOCATION_TEMPLATES.get(step.technique.kind, "{values}{pattern}")
    location = template.format_map(_placeholders(step))
    if step.placed:
        placed = ",".join(f"{cell_name(cell)}={value}" for cell, value in step.placed)
        return f"{placed} {step.technique.name}{location}"
    by_value = groupby(sorted(step.struck, key=itemgetter(1)), key=itemgetter(1))
    removed = ", ".join(
        f"{value} from {_cell_names(cell for cell, _ in candidates)}"
        for value, candidates in by_value
    )
    return f"{step.technique.name}{location} removes {removed}"


def cell_name(cell: int) -> str:
    """`r1c1` for cell 0."""
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


def _placeholders(step: Step) -> dict[str, str]:
    """The placeholders of the templates and their texts."""
    cells, units, chain = _cell_names(step.cells), _unit_names(step.units), step.chain
    fins = _cell_names(step.fins)
    values = f" {_with_commas(step.values)}" if step.values and not step.placed else ""
    location = cells or units
    # the link before a node that holds is strong, the one before a node that does not is weak
    linked = (f"{'=' if node.holds else '-'}{node.value}{_spot_name(node.cells)}" for node in chain)
    one_colour, other_colour = (
        _with_commas(sorted(_spot_name(node.cells) for node in chain if node.holds == colour))
        for colour in (True, False)
    )
    return {
        "values": values,
        "pattern": " " + "".join(linked)[1:] if chain else f" in {location}" if location else "",
        "cells": cells,
        "fins": f" with {'fins' if len(step.fins) > 1 else 'fin'} {fins}" if fins else "",
        "units": units,
        "cover": _unit_names(step.cover),
        "box": _unit_names(step.units[-1:]),
        "one_colour": one_colour,
        "other_colour": other_colour,
        "cases": f"of{values} in {cells}" if cells else f"place of{values} in {units}",
        "start": f"{_spot_name(chain[0].cells)}={chain[0].value}" if chain else "",
    }


def _spot_name(cells: Sequence[int]) -> str:
    """A cell, or a group of cells in a line: `r1c2`, `r1c23`, `r45c2`."""
    rows = "".join(str(row + 1) for row in sorted({cell // 9 for cell in cells}))
    columns = "".join(str(column + 1) for column in sorted({cell % 9 for cell in cells}))
    return f"r{rows}c{columns}"


def _unit_names(units: Sequence[int]) -> str:
    """Units by kind and number: `row 4`, `columns 3,8`, `row 1 and box 2`."""
    kinds = ("row", "rows", 0), ("column", "columns", FIRST_COLUMN), ("box", "boxes", FIRST_BOX)
    texts = []
    for singular, plural, first in kinds:
        numbers = [unit - first + 1 for unit in units if first <= unit < first + 9]
        if numbers:
            texts.append(f"{plural if len(numbers) > 1 else singular} {_with_commas(numbers)}")
    return " and ".join(texts)


def _cell_names(cells: Iterable[int]) -> str:
    return _with_commas(map(cell_name, cells))


def _with_commas(words: Iterable[object]) -> str:
    return ",".join(map(str, words))
