"""Convert an f-puzzles document to a puzzle with its rules. No rule is ignored silently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from pipeline.errors import counted
from pipeline.puzzle.geometry import Geometry, default_geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.rules.pairs import Extreme, Parity
from pipeline.puzzle.rules.regions import ExtraRegion, Region
from pipeline.reading.formats.fpuzzles.codecs import DRAWINGS, is_drawing, without_marked
from pipeline.reading.formats.fpuzzles.document import (
    RULE_COPY_MEMBERS,
    STYLE_MEMBERS,
    DocumentContext,
    JsonNode,
    Misread,
    RuleObject,
    whole_number,
)
from pipeline.reading.formats.notations import DEPENDENT_KEYS, FLAGS, KEYS
from pipeline.reading.formats.parsed import GameProgress, Parsed
from pipeline.reading.formats.variants import (
    MAX_RULES_SIDE,
    MIN_RULES_SIDE,
    given_masks,
    variant_of,
)

_IGNORED_KEYS = frozenset(
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
"""Keys that have no effect on the solution."""

NOTES = ("title", "author", "ruleset")
"""Keys of texts about the puzzle, which `Parsed.notes` contains."""

_CELL_KEYS = ("value", "given", "region", "givenPencilMarks", "parity")
_KNOWN_CELL_KEYS = {*_CELL_KEYS, "centerPencilMarks", "cornerPencilMarks", *STYLE_MEMBERS}
_OTHER_KEYS = ("size", "grid", "ruleset", "solution", *DRAWINGS)
_KNOWN_KEYS = {*_OTHER_KEYS, *_IGNORED_KEYS, *FLAGS, *KEYS, *DEPENDENT_KEYS}


def read_document(document: object) -> Parsed:
    """The puzzle in a document that `parse_json` has returned. Raises Misread."""
    whole = JsonNode(document)
    whole.check_keys(_KNOWN_KEYS, "a known rule", "unknown-rule")
    fields = whole.fields()
    boxes = default_geometry(_member(fields, "size").number(MIN_RULES_SIDE, MAX_RULES_SIDE))
    cells = _cells(_member(fields, "grid"), boxes.side)
    given = [pair for index, cell in enumerate(cells) for pair in _cell_givens(cell, index, boxes)]
    regions = _regions(cells, boxes)
    has_boxes = {*regions} == {*boxes.boxes()}
    geometry = boxes if has_boxes else Geometry(1, boxes.side)
    region_rules = [] if has_boxes else [_region_rule(region, boxes.side) for region in regions]
    context = DocumentContext(geometry, regions)
    rules = [*region_rules, *_rules(fields, context), *_parities(cells)]
    drawings = _unread_drawings(fields, context)
    masks, contradictions = given_masks(geometry, given)
    masks, rules = _with_parity_masks(geometry, masks, [*rules, *contradictions])
    claimed, uncompared = _solution(fields, boxes.side)
    try:
        puzzle = Puzzle(geometry, masks, tuple(rules))
    except ValueError as error:
        raise Misread("rules that fit the grid", str(error)) from None
    prose = ("ruleset",) if "ruleset" in fields and not fields["ruleset"].is_unset else ()
    texts = ((key, fields[key].value) for key in NOTES if key in fields)
    notes = tuple((key, text) for key, text in texts if isinstance(text, str) and text.strip())
    unread = prose + drawings + uncompared
    return Parsed(
        puzzle,
        variant=variant_of(puzzle),
        claimed=claimed,
        unread=unread,
        notes=notes,
        progress=_progress(cells, boxes.side),
    )


def _progress(cells: Sequence[dict[str, JsonNode]], side: int) -> GameProgress:
    """The values that a player has entered, and the candidates that are missing from centre marks.

    Entered values that are not from 1 to n are ignored.
    """
    placed, eliminated = list[tuple[int, int]](), list[tuple[int, int]]()
    for index, cell in enumerate(cells):
        if "given" in cell and cell["given"].value is True:
            continue
        value = str(cell["value"].value) if "value" in cell else ""
        marks = cell["centerPencilMarks"].value if "centerPencilMarks" in cell else None
        kept = {str(mark) for mark in marks} if isinstance(marks, list) else set[str]()
        values = {str(number): number for number in range(1, side + 1)}
        if value in values:
            placed.append((index, values[value]))
        elif kept:
            eliminated += [(index, number) for text, number in values.items() if text not in kept]
    return GameProgress(tuple(placed), tuple(eliminated))


def _member(fields: dict[str, JsonNode], name: str) -> JsonNode:
    """A required member of a document. Raises Misread if it is missing."""
    if name not in fields:
        raise Misread(f"'{name}', which every f-puzzles document has", "none")
    return fields[name]


def _cells(grid: JsonNode, side: int) -> list[dict[str, JsonNode]]:
    """The members of each of the n² cells.

    Raises Misread unless there are n rows of n cells.
    """
    rows = [row.list() for row in grid.list()]
    if {len(rows), *map(len, rows)} != {side}:
        found = counted(len(rows), "row") if len(rows) != side else "a row of another length"
        raise grid.wrong(f"{side} rows of {side} cells", found)
    for cell in chain.from_iterable(rows):
        cell.check_keys(_KNOWN_CELL_KEYS)
    return [cell.fields() for row in rows for cell in row]


def _cell_givens(
    cell: dict[str, JsonNode], index: int, geometry: Geometry
) -> Iterator[tuple[int, int]]:
    """Yield pairs of the cell and the mask of its given values.

    A value that is not marked as given was entered by a player, and is ignored.
    """
    n, marks = geometry.side, cell.get("givenPencilMarks")
    if marks is not None and not marks.is_unset and marks.list():
        yield index, sum({1 << mark.number(1, n) - 1 for mark in marks.list()})
    if "given" not in cell or not cell["given"].flag():
        return
    if "value" not in cell:
        row, column = geometry.place(index)
        raise Misread(
            "a 'value' in a cell with 'given'", f"none in R{row}C{column}", cell["given"].path
        )
    yield index, 1 << cell["value"].number(1, n) - 1


def _parities(cells: Sequence[dict[str, JsonNode]]) -> Iterator[Rule]:
    """Yield a rule for each cell with a parity."""
    for index, cell in enumerate(cells):
        parity = cell.get("parity")
        if parity is not None and not parity.is_unset:
            name = parity.text.lower()
            if name not in ("even", "odd"):
                raise parity.wrong("'even' or 'odd'")
            yield Parity(index, name == "odd")


def _regions(cells: Sequence[dict[str, JsonNode]], boxes: Geometry) -> tuple[tuple[int, ...], ...]:
    """The cells of each region. A cell may belong to no region."""
    n = boxes.side
    groups: dict[int, list[int]] = {}
    for index, cell in enumerate(cells):
        node = cell.get("region")
        if node is None:
            groups.setdefault(boxes.box_of(index), []).append(index)
        elif node.value is not None:
            groups.setdefault(node.number(0, n - 1), []).append(index)
    regions = tuple(tuple(group) for _, group in sorted(groups.items()))
    too_large = next((region for region in regions if len(region) > n), None)
    if too_large:
        raise Misread(f"regions of at most {n} cells", str(len(too_large)), ("grid",))
    return regions


def _region_rule(cells: tuple[int, ...], side: int) -> Rule:
    return Region(cells) if len(cells) == side else ExtraRegion(cells)


def _rules(fields: dict[str, JsonNode], context: DocumentContext) -> list[Rule]:
    """Read the rules of all keys; those in DEPENDENT_KEYS are read last."""
    rules: list[Rule] = []
    for key, node in fields.items():
        try:
            if key in FLAGS and node.flag():
                rules.append(FLAGS[key])
            elif key in KEYS:
                nodes = (child for child in node.list() if not is_drawing(key, child))
                objects = [RuleObject(context, key, child) for child in nodes]
                added = [rule for item in objects for form in KEYS[key] for rule in form.read(item)]
                rules += without_marked(added) if KEYS[key][0].kind is Extreme else added
                for item in objects:
                    item.check_all_read()
        except ValueError as error:
            raise node.wrong("a rule that can be satisfied", str(error)) from None
    for key, row in DEPENDENT_KEYS.items():
        if key in fields:
            rules += row.read(context.geometry, fields[key], rules)
    return rules


def _unread_drawings(fields: dict[str, JsonNode], context: DocumentContext) -> tuple[str, ...]:
    """The code `drawings` if a drawing does not repeat a rule and so may have its own meaning.

    Programs draw the cells of rules that f-puzzles does not draw itself, and mark these drawings.
    Raises Misread for a marked drawing that does not repeat a rule.
    """
    known, unread = context.all_positions, False
    for key in (key for key in DRAWINGS if key in fields):
        for drawing in filter(partial(is_drawing, key), fields[key].list()):
            members = drawing.fields()
            is_marked = any(members[mark].value for mark in RULE_COPY_MEMBERS & members.keys())
            value = members.get("value", JsonNode(None))
            is_outline = key == "cage" and value.is_unset
            if not is_marked and not is_outline:
                unread = True
                continue
            drawing.check_keys({"cells", "lines", "value"} | STYLE_MEMBERS | RULE_COPY_MEMBERS)
            lists = members["lines"].list() if "lines" in members else []
            lists += [members["cells"]] if "cells" in members else []
            drawn = [frozenset(map(context.position, node.list())) for node in lists]
            repeats_rule = bool(drawn) and known.issuperset(drawn)
            if not value.is_unset:
                repeats_rule &= context.values.issuperset((group, value.text) for group in drawn)
            if is_marked and not repeats_rule:
                found = f"'{key}', whose rule is given only in prose"
                raise drawing.wrong("only drawings of known rules", found, "unknown-rule")
            unread |= not repeats_rule
    return ("drawings",) if unread else ()


def _with_parity_masks(
    geometry: Geometry, masks: tuple[int, ...], rules: list[Rule]
) -> tuple[tuple[int, ...], list[Rule]]:
    """Convert all rules to masks if each rule is the parity of a blank cell.

    Returns the masks and the remaining rules.
    """
    marks = {rule.cell: rule.odd for rule in rules if isinstance(rule, Parity)}
    are_blank = all(masks[cell] == geometry.all_values for cell in marks)
    if len(marks) < len(rules) or not are_blank:
        return masks, rules
    marked_masks = [*masks]
    for cell, odd in marks.items():
        marked_masks[cell] = geometry.odd_values if odd else geometry.even_values
    return tuple(marked_masks), []


def _solution(fields: dict[str, JsonNode], side: int) -> tuple[str | None, tuple[str, ...]]:
    """The solution in the document, if it is complete; else None.

    The second result contains the code `solution` if the solution is incomplete.
    """
    node = fields.get("solution")
    if node is None or node.is_unset:
        return None, ()
    if isinstance(node.value, str):
        entries: Sequence[object] = node.value
    else:
        rows = [child.value for child in node.list()]
        entries = [entry for row in rows for entry in (row if isinstance(row, list) else [row])]
    if len(entries) != side * side:
        raise node.wrong(f"{side * side} values", str(len(entries)))
    values = [whole_number(entry) for entry in entries]
    if not all(value is not None and 1 <= value <= side for value in values):
        return None, ("solution",)
    return ("" if side <= 9 else " ").join(map(str, values)), ()
