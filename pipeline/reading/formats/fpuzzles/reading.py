"""A document → a puzzle with its rules, of which nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.puzzle.rules.pairs import Parity
from pipeline.puzzle.rules.regions import ExtraRegion, Region
from pipeline.reading.formats.base import Parsed
from pipeline.reading.formats.fpuzzles.document import Misread, Node, whole_number
from pipeline.reading.formats.fpuzzles.items import COSMETIC, Context, RuleObject, everything_named
from pipeline.reading.formats.fpuzzles.keys import FLAGS, KEYS, LAST
from pipeline.reading.formats.ruled import (
    LEAST_SIDE,
    MOST_SIDE,
    given_masks,
    usual_boxes,
    variant_of,
)
from pipeline.reading.formats.text import quote

_SILENT = frozenset(
    (
        "author",
        "disabledlogic",
        "fog",
        "foglight",
        "fogofwar",
        "highlightConflicts",
        "successMessage",
        "title",
        "truecandidatesoptions",
    )
)
"""Keys that mean nothing for the solution."""

_DRAWINGS = ("cage", "circle", "line", "rectangle", "text")
_REPEATING = frozenset(("fromConstraint", "fromRangskSolver", "isLLConstraint", "isNewConstraint"))
"""Members by which programs mark drawings that repeat a rule."""

_IN_CELLS = frozenset(("centerPencilMarks", "cornerPencilMarks"))
_CELL = ("value", "given", "region", "givenPencilMarks")
_OTHERS = frozenset(("size", "grid", "ruleset", "solution", *_DRAWINGS))
_KNOWN = _OTHERS | FLAGS.keys() | KEYS.keys() | LAST.keys()
_Cells = list[dict[str, Node]]


def read(document: object) -> Parsed:
    """The puzzle of a document that `load` has read. Raises Misread."""
    fields = _fields(document)
    boxes = usual_boxes(_member(fields, "size").number(LEAST_SIDE, MOST_SIDE))
    cells = _cells(_member(fields, "grid"), boxes.side)
    given = [each for at, cell in enumerate(cells) for each in _given(cell, at, boxes)]
    regions = _regions(cells, boxes)
    has_boxes = {*regions} == {*boxes.boxes()}
    geometry = boxes if has_boxes else Geometry(1, boxes.side)
    own = () if has_boxes else (_region(each, boxes.side) for each in regions)
    context = Context(geometry, regions)
    rules = (*own, *_rules(fields, context))
    _check_drawings(fields, context)
    masks, contradicting = given_masks(geometry, given)
    masks, rules = _marked(geometry, masks, (*rules, *contradicting))
    claimed, uncompared = _claimed(fields, boxes.side)
    try:
        puzzle = Puzzle(geometry, masks, rules)
    except ValueError as error:
        raise Misread("rules that fit the grid", str(error)) from None
    prose = ("ruleset",) if "ruleset" in fields and not fields["ruleset"].is_nothing else ()
    return Parsed(puzzle, variant=variant_of(puzzle), claimed=claimed, unread=prose + uncompared)


def _fields(document: object) -> dict[str, Node]:
    """The members of the document; it may have no other than those that are known."""
    fields = Node(document).fields()
    for key, node in fields.items():
        if key not in _KNOWN and key not in _SILENT:
            raise Misread("rules that are known", quote(key), node.way, at_key=True)
    return fields


def _member(fields: dict[str, Node], name: str) -> Node:
    if name not in fields:
        raise Misread(f"'{name}', as in every document of f-puzzles", "none")
    return fields[name]


def _cells(grid: Node, side: int) -> _Cells:
    """The n² cells, by their members."""
    rows = [row.list() for row in grid.list()]
    lengths = {len(rows), *map(len, rows)}
    if lengths != {side}:
        raise Misread(f"{side} rows of {side} cells", "others", grid.way)
    return [cell.known(_CELL, _IN_CELLS | COSMETIC) for row in rows for cell in row]


def _given(cell: dict[str, Node], at: int, geometry: Geometry) -> Iterator[tuple[int, int]]:
    """The cell with the values that it may hold; one that is not given is somebody's progress."""
    n, marks = geometry.side, cell.get("givenPencilMarks")
    if marks is not None and not marks.is_nothing and marks.list():
        yield at, sum({1 << mark.number(1, n) - 1 for mark in marks.list()})
    if "given" not in cell or not cell["given"].flag():
        return
    if "value" not in cell:
        row, column = geometry.place(at)
        raise Misread("'value' beside 'given'", f"none in R{row}C{column}", cell["given"].way)
    yield at, 1 << cell["value"].number(1, n) - 1


def _regions(cells: _Cells, boxes: Geometry) -> tuple[tuple[int, ...], ...]:
    """The cells of each region. A cell may belong to none, and so may all."""
    n = boxes.side
    groups: dict[int, list[int]] = {}
    for at, cell in enumerate(cells):
        node = cell.get("region")
        if node is None:
            groups.setdefault(boxes.box_of(at), []).append(at)
        elif node.value is not None:
            groups.setdefault(node.number(0, n - 1), []).append(at)
    regions = tuple(tuple(group) for _, group in sorted(groups.items()))
    too_large = next((region for region in regions if len(region) > n), None)
    if too_large:
        raise Misread(f"regions of at most {n} cells", str(len(too_large)), ("grid",))
    return regions


def _region(cells: tuple[int, ...], side: int) -> Rule:
    return Region(cells) if len(cells) == side else ExtraRegion(cells)


def _rules(fields: dict[str, Node], context: Context) -> tuple[Rule, ...]:
    """The rules under all keys, in their order; last those that look at the others' marks."""
    rules: list[Rule] = []
    for key, node in fields.items():
        try:
            if key in FLAGS and node.flag():
                rules.append(FLAGS[key])
            elif key in KEYS:
                members = KEYS[key].members
                objects = [
                    RuleObject(context, key, each, _said(each, members)) for each in node.list()
                ]
                rules += KEYS[key].rules(objects)
        except ValueError as error:
            raise Misread("rules that can be kept", str(error), node.way) from None
    for key, rules_of in LAST.items():
        if key in fields:
            rules += rules_of(context.geometry, fields[key], rules)
    return tuple(rules)


def _said(node: Node, members: frozenset[str]) -> dict[str, Node]:
    """The members of an object; an empty value is left out."""
    fields = node.known(members | {"value"}, COSMETIC | _REPEATING)
    if "value" in fields and fields["value"].is_nothing:
        del fields["value"]
    if "value" in fields and "value" not in members:
        raise Misread("no value", quote(str(fields["value"].value)), fields["value"].way)
    return fields


def _check_drawings(fields: dict[str, Node], context: Context) -> None:
    """Raise Misread for a drawing unless it repeats what rules say: its own rule is prose.

    Programs draw the cells of rules that f-puzzles itself does not know, and mark the drawing.
    """
    known = everything_named(context)
    for key in (key for key in _DRAWINGS if key in fields):
        for drawing in fields[key].list():
            said = drawing.known(("cells", "lines", "value"), COSMETIC | _REPEATING)
            marks = {mark for mark in _REPEATING if drawing.fields().get(mark, Node(None)).value}
            outlines = key == "cage" and "value" in said and said["value"].is_nothing
            outlines |= key == "cage" and "value" not in said
            lists = said["lines"].list() if "lines" in said else []
            lists += [said["cells"]] if "cells" in said else []
            drawn = [frozenset(map(context.place, each.list())) for each in lists]
            repeats = bool(drawn) and known.issuperset(drawn)
            if "value" in said and not said["value"].is_nothing:
                text = said["value"].text
                repeats &= context.values.issuperset((group, text) for group in drawn)
            if not (marks or outlines) or not repeats:
                found = f"'{key}', a rule that stands in prose alone"
                raise Misread("drawings of known rules", found, drawing.way)


def _marked(
    geometry: Geometry, masks: tuple[int, ...], rules: tuple[Rule, ...]
) -> tuple[tuple[int, ...], tuple[Rule, ...]]:
    """Masks in place of rules where even and odd cells, blank and each marked once, are all."""
    marks = {rule.cell: rule.odd for rule in rules if isinstance(rule, Parity)}
    blank = all(masks[cell] == geometry.all_values for cell in marks)
    if len(marks) < len(rules) or not blank:
        return masks, rules
    changed = [*masks]
    for cell, odd in marks.items():
        changed[cell] = geometry.odd_values if odd else geometry.even_values
    return tuple(changed), ()


def _claimed(fields: dict[str, Node], side: int) -> tuple[str | None, tuple[str, ...]]:
    """The solution beside the puzzle; or, if it is not whole, that it is not compared."""
    node = fields.get("solution")
    if node is None or node.is_nothing:
        return None, ()
    if isinstance(node.value, str):
        signs: Sequence[object] = node.value
    else:
        rows = [each.value for each in node.list()]
        signs = [sign for row in rows for sign in (row if isinstance(row, list) else [row])]
    if len(signs) != side * side:
        raise Misread(f"{side * side} values", str(len(signs)), node.way)
    values = [whole_number(sign) for sign in signs]
    if not all(value is not None and 1 <= value <= side for value in values):
        return None, ("solution",)
    return ("" if side <= 9 else " ").join(map(str, values)), ()
