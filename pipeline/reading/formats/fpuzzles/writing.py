"""Convert a puzzle with its rules to a document.

`formats/targets.py` reads each document back, and compares it with the puzzle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import starmap

from pipeline.puzzle.geometry import Geometry, usual_boxes, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.puzzle.rules.lines import RegionSum
from pipeline.puzzle.rules.pairs import BoxIndexer, Parity
from pipeline.puzzle.rules.regions import ExtraRegion, Region
from pipeline.reading.formats.cells import shape_in_words
from pipeline.reading.formats.notations import FLAGS, LAST, written
from pipeline.reading.formats.parsed import Notes
from pipeline.reading.formats.variants import MAX_RULES_SIDE, MIN_RULES_SIDE

Written = dict[str, object]
"""The members of an object to be written."""

_LINES = {
    "slowthermometer": "#CFCFCF",
    "renban": "#F067F0",
    "whispers": "#67F067",
    "regionsumline": "#2ECBFF",
    "entropicline": "#FFCCAA",
    "modularline": "#33BBBB",
    "nabner": "#C9C883",
    "zipperline": "#B0A0E0",
    "doublearrow": "#C54B8B",
    "lockout": "#F09060",
}
"""Keys of lines that f-puzzles itself does not draw, and the colour in which we draw them."""

_TEXTS = {"xsum": "X-Sum", "skyscraper": "Skyscraper"}
_CAGES = {
    "rowindexer": "Row Indexer",
    "columnindexer": "Column Indexer",
    "boxindexer": "Box Indexer",
}
"""The same for clues and cells, with the text that marks their drawings."""


def document_text(puzzle: Puzzle, solution: Grid | None = None, notes: Notes = ()) -> str:
    """The document of a puzzle as one line of JSON, with its solution and notes if given.

    Raises ValueError with a noun for anything that a document cannot express.
    """
    n, geometry = puzzle.geometry.side, puzzle.geometry
    shapes = (usual_boxes(n), Geometry(1, n)) if MIN_RULES_SIDE <= n <= MAX_RULES_SIDE else ()
    if geometry not in shapes:
        raise ValueError(shape_in_words(geometry))
    puzzle = _with_parity(puzzle)
    own = {region: index for index, region in enumerate(_own_regions(puzzle))}
    cells = _cells(puzzle, own)
    whole: Written = {
        "size": n,
        **dict(notes),
        "grid": [cells[start : start + n] for start in range(0, n * n, n)],
    }
    whole |= _by_key(puzzle, [rule for rule in puzzle.rules if _group(rule) not in own])
    for key, drawings in _drawings(whole).items():
        existing = whole.get(key, [])
        whole[key] = [*(existing if isinstance(existing, list) else ()), *drawings]
    if solution:
        for cell, value in zip(cells, solution.values, strict=True):
            cell.setdefault("value", value)
        whole["solution"] = [*solution.values]
    return json.dumps(whole, separators=(",", ":"))


def _with_parity(puzzle: Puzzle) -> Puzzle:
    """A copy in which even and odd cells are rules, if the puzzle has no other rules."""
    odd_of = {puzzle.geometry.even_values: False, puzzle.geometry.odd_values: True}
    marked = {cell: odd_of[mask] for cell, mask in enumerate(puzzle.cells) if mask in odd_of}
    if puzzle.rules or not marked:
        return puzzle
    full = puzzle.geometry.all_values
    cells = tuple(full if cell in marked else mask for cell, mask in enumerate(puzzle.cells))
    return Puzzle(puzzle.geometry, cells, tuple(starmap(Parity, marked.items())))


def _group(rule: Rule) -> tuple[int, ...]:
    return rule.group if isinstance(rule, Region | ExtraRegion) else ()


def _own_regions(puzzle: Puzzle) -> Iterator[tuple[int, ...]]:
    """The regions of a grid without boxes, and smaller ones that rules refer to."""
    if puzzle.geometry.has_boxes:
        return
    referenced = {
        region for rule in puzzle.rules if isinstance(rule, RegionSum) for region in rule.regions
    }
    referenced |= {rule.region for rule in puzzle.rules if isinstance(rule, BoxIndexer)}
    for rule in puzzle.rules:
        if isinstance(rule, Region) or (isinstance(rule, ExtraRegion) and rule.group in referenced):
            yield rule.group


def _by_key(puzzle: Puzzle, rules: Sequence[Rule]) -> Written:
    """The members of the document that describe rules. Raises ValueError for other rules."""
    flags, objects, last = dict[str, bool](), dict[str, list[Written]](), list[Rule]()
    for rule in rules:
        if any(type(rule) in row.kinds for row in LAST.values()):
            last.append(rule)
        elif flag := next((key for key, flagged in FLAGS.items() if flagged == rule), ""):
            flags[flag] = True
        elif output := written(rule, puzzle.geometry, by_keys=True):
            key, members = output
            # the value is the last member
            item = dict(sorted(members, key=lambda member: member[0] == "value"))
            objects.setdefault(key, []).append(item)
        else:
            raise ValueError(rule.describe(puzzle.geometry))
    whole: Written = {**flags, **objects}
    for key, row in LAST.items():
        if matching := [rule for rule in last if type(rule) in row.kinds]:
            whole[key] = row.write(matching)
    return whole


def _cells(puzzle: Puzzle, own: dict[tuple[int, ...], int]) -> list[Written]:
    """The cells: givens, candidates and, in a grid without boxes, region numbers."""
    geometry = puzzle.geometry
    region_of = {cell: index for region, index in own.items() for cell in region}
    cells: list[Written] = []
    for index, mask in enumerate(puzzle.cells):
        cell: Written = {}
        if mask & (mask - 1) == 0:
            cell = {"value": mask.bit_length(), "given": True}
        elif mask != geometry.all_values:
            cell = {"givenPencilMarks": [*values_of(mask)]}
        if not geometry.has_boxes:
            cell["region"] = region_of.get(index)
        cells.append(cell)
    return cells


def _drawings(document: Written) -> dict[str, list[Written]]:
    """The drawings, by key, that extensions of f-puzzles add for rules that it does not draw."""
    drawings: dict[str, list[Written]] = {}
    for key, value in document.items():
        for item in value if isinstance(value, list) else ():
            if colour := _LINES.get(key):
                style = {"outlineC": colour, "width": 0.3, "isNewConstraint": True}
                drawings.setdefault("line", []).append({"lines": item["lines"], **style})
            elif name := _TEXTS.get(key):
                text = {"cells": [item["cell"]], "value": item["value"], "fromConstraint": name}
                drawings.setdefault("text", []).append(text | {"fontC": "#000000", "size": 0.7})
            elif name := _CAGES.get(key):
                cage = {"cells": item["cells"], "fromConstraint": name}
                drawings.setdefault("cage", []).append(cage | {"outlineC": "#707070"})
    return drawings
