"""Convert a puzzle with its rules to an f-puzzles document.

`formats/targets.py` reads each document back, and compares it with the puzzle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import starmap

from pipeline.puzzle.geometry import Geometry, default_geometry, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.puzzle.rules.lines import RegionSum
from pipeline.puzzle.rules.pairs import BoxIndexer, Parity
from pipeline.puzzle.rules.regions import ExtraRegion, Region
from pipeline.reading.formats.cells import shape_in_words
from pipeline.reading.formats.notations import DEPENDENT_KEYS, FLAGS, write_rule
from pipeline.reading.formats.parsed import Notes
from pipeline.reading.formats.variants import MAX_RULES_SIDE, MIN_RULES_SIDE

JsonObject = dict[str, object]
"""The members of a JSON object that is written."""

_LINE_COLOURS = {
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
"""Key of a rule about lines that f-puzzles does not draw → the colour of our drawing of it."""

_TEXT_NAMES = {"xsum": "X-Sum", "skyscraper": "Skyscraper"}
"""Key of a clue that f-puzzles does not draw → the text that marks our drawing of it."""

_CAGE_NAMES = {
    "rowindexer": "Row Indexer",
    "columnindexer": "Column Indexer",
    "boxindexer": "Box Indexer",
}
"""Key of an indexer, which f-puzzles does not draw → the text that marks our drawing of it."""


def document_text(puzzle: Puzzle, solution: Grid | None = None, notes: Notes = ()) -> str:
    """The document of a puzzle as one line of JSON, with its solution and notes if given.

    Raises ValueError with a noun phrase for the first property that a document cannot express.
    """
    n, geometry = puzzle.geometry.side, puzzle.geometry
    shapes = (default_geometry(n), Geometry(1, n)) if MIN_RULES_SIDE <= n <= MAX_RULES_SIDE else ()
    if geometry not in shapes:
        raise ValueError(shape_in_words(geometry))
    puzzle = _with_parity_rules(puzzle)
    regions = {region: index for index, region in enumerate(_regions_in_grid(puzzle))}
    cells = _cells(puzzle, regions)
    document: JsonObject = {
        "size": n,
        **dict(notes),
        "grid": [cells[start : start + n] for start in range(0, n * n, n)],
    }
    rules = [rule for rule in puzzle.rules if _cells_of_region_rule(rule) not in regions]
    document |= _rule_members(puzzle, rules)
    for key, drawings in _drawings(document).items():
        existing = document.get(key, [])
        document[key] = [*(existing if isinstance(existing, list) else ()), *drawings]
    if solution:
        for cell, value in zip(cells, solution.values, strict=True):
            cell.setdefault("value", value)
        document["solution"] = [*solution.values]
    return json.dumps(document, separators=(",", ":"))


def _with_parity_rules(puzzle: Puzzle) -> Puzzle:
    """A copy in which even and odd marks are `Parity` rules.

    A puzzle that has rules is returned unchanged.
    """
    is_odd_mask = {puzzle.geometry.even_values: False, puzzle.geometry.odd_values: True}
    marked = {
        cell: is_odd_mask[mask] for cell, mask in enumerate(puzzle.cells) if mask in is_odd_mask
    }
    if puzzle.rules or not marked:
        return puzzle
    full = puzzle.geometry.all_values
    cells = tuple(full if cell in marked else mask for cell, mask in enumerate(puzzle.cells))
    return Puzzle(puzzle.geometry, cells, tuple(starmap(Parity, marked.items())))


def _cells_of_region_rule(rule: Rule) -> tuple[int, ...]:
    return rule.cells if isinstance(rule, Region | ExtraRegion) else ()


def _regions_in_grid(puzzle: Puzzle) -> Iterator[tuple[int, ...]]:
    """Yield the regions that the cells of a grid without boxes store.

    These are the cells of each `Region`, and of each `ExtraRegion` that another rule refers to.
    """
    if puzzle.geometry.has_boxes:
        return
    referenced = {
        region for rule in puzzle.rules if isinstance(rule, RegionSum) for region in rule.regions
    }
    referenced |= {rule.region for rule in puzzle.rules if isinstance(rule, BoxIndexer)}
    for rule in puzzle.rules:
        if isinstance(rule, Region) or (isinstance(rule, ExtraRegion) and rule.cells in referenced):
            yield rule.cells


def _rule_members(puzzle: Puzzle, rules: Sequence[Rule]) -> JsonObject:
    """The members of a document that describe rules.

    Raises ValueError for a rule that a document cannot express.
    """
    flags, objects, last = dict[str, bool](), dict[str, list[JsonObject]](), list[Rule]()
    for rule in rules:
        if any(type(rule) in row.kinds for row in DEPENDENT_KEYS.values()):
            last.append(rule)
        elif flag := next((key for key, flagged in FLAGS.items() if flagged == rule), ""):
            flags[flag] = True
        elif output := write_rule(rule, puzzle.geometry, by_keys=True):
            key, pairs = output
            # the value is the last member
            item = dict(sorted(pairs, key=lambda pair: pair[0] == "value"))
            objects.setdefault(key, []).append(item)
        else:
            raise ValueError(rule.describe(puzzle.geometry))
    members: JsonObject = {**flags, **objects}
    for key, row in DEPENDENT_KEYS.items():
        if matching := [rule for rule in last if type(rule) in row.kinds]:
            members[key] = row.write(matching)
    return members


def _cells(puzzle: Puzzle, regions: dict[tuple[int, ...], int]) -> list[JsonObject]:
    """The object of each cell: its given or candidates and, without boxes, its region number."""
    geometry = puzzle.geometry
    region_of = {cell: index for region, index in regions.items() for cell in region}
    cells: list[JsonObject] = []
    for index, mask in enumerate(puzzle.cells):
        cell: JsonObject = {}
        if mask & (mask - 1) == 0:
            cell = {"value": mask.bit_length(), "given": True}
        elif mask != geometry.all_values:
            cell = {"givenPencilMarks": [*values_of(mask)]}
        if not geometry.has_boxes:
            cell["region"] = region_of.get(index)
        cells.append(cell)
    return cells


def _drawings(document: JsonObject) -> dict[str, list[JsonObject]]:
    """Drawings for the rules that f-puzzles does not draw itself, by document key.

    They have the form in which extensions of f-puzzles store them.
    """
    drawings: dict[str, list[JsonObject]] = {}
    for key, value in document.items():
        for item in value if isinstance(value, list) else ():
            if colour := _LINE_COLOURS.get(key):
                style = {"outlineC": colour, "width": 0.3, "isNewConstraint": True}
                drawings.setdefault("line", []).append({"lines": item["lines"], **style})
            elif name := _TEXT_NAMES.get(key):
                text = {"cells": [item["cell"]], "value": item["value"], "fromConstraint": name}
                drawings.setdefault("text", []).append(text | {"fontC": "#000000", "size": 0.7})
            elif name := _CAGE_NAMES.get(key):
                cage = {"cells": item["cells"], "fromConstraint": name}
                drawings.setdefault("cage", []).append(cage | {"outlineC": "#707070"})
    return drawings
