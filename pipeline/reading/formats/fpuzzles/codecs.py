"""Codecs that read and write the members of the objects that describe rules in f-puzzles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import cages, outside, pairs, places
from pipeline.reading.formats.fpuzzles.document import DIRECTIONS, JsonNode, RuleObject
from pipeline.reading.formats.rule_forms import Codec, RuleFields, codec, field

DRAWINGS = ("cage", "circle", "line", "rectangle", "text")
"""Keys of drawings."""

Members = list[tuple[str, object]]
"""The keys and values of a JSON object that is written."""

_DIGITAL_ROOT = re.compile("DR([1-9])", re.IGNORECASE)
_TOTALS = {letter: total for total, letter in pairs.TOTAL_LETTERS.items()}


def is_drawing(key: str, node: JsonNode) -> bool:
    """Whether an object under this key is a drawing.

    A `cage` with a digital root is not a drawing but a rule.
    """
    value = node.fields().get("value")
    is_rule = key == "cage" and value is not None and _DIGITAL_ROOT.fullmatch(value.text)
    return key in DRAWINGS and not is_rule


def _cell_names(cells: Iterable[int], geometry: Geometry) -> list[str]:
    return ["R{}C{}".format(*geometry.place(cell)) for cell in cells]


def _cells_member(cells: Iterable[int], geometry: Geometry) -> Members:
    return [("cells", _cell_names(cells, geometry))]


def _cell_member(cell: int, geometry: Geometry) -> Members:
    return [("cell", _cell_names((cell,), geometry)[0])]


def _lines_member(line: Sequence[int], geometry: Geometry) -> Members:
    return [("lines", [_cell_names(line, geometry)])]


def _value_member(value: object, _geometry: Geometry) -> Members:
    return [("value", str(value))]


def cells(name: str, minimum: int = 1, maximum: int | None = None) -> Codec:
    """The cells in the member `cells`, for the field `name`."""
    return field(name, _cells_member)(lambda item: item.cells(minimum, maximum))


cell = field("cell", _cell_member)(RuleObject.cell)
each_cell = Codec(
    lambda item: ({"cell": cell} for cell in item.cells()),
    lambda rule, geometry: _cells_member((rule.cell,), geometry),
)


@codec(lambda rule, geometry: _cells_member((rule.a, rule.b), geometry))
def pair(item: RuleObject) -> Iterator[RuleFields]:
    a, b = item.cells(2, 2)
    yield {"a": a, "b": b}


def line(minimum: int = 2, *, once: bool = False) -> Codec:
    """Each line of at least `minimum` cells; with `once`, repeated cells are dropped."""

    def read(item: RuleObject) -> Iterator[RuleFields]:
        for line in item.lines():
            if len(line) >= minimum:
                yield {"line": tuple(dict.fromkeys(line)) if once else line}

    return Codec(read, lambda rule, geometry: _lines_member(rule.line, geometry))


@codec(lambda rule, geometry: None if _repeats(rule.line) else _lines_member(rule.line, geometry))
def line_without_repeats(item: RuleObject) -> Iterator[RuleFields]:
    """Each line of at least two cells. Raises Misread if a line visits a cell twice."""
    for fields in line().read(item):
        if _repeats(fields["line"]):
            raise item.member("lines").wrong("lines of different cells", "a cell twice")
        yield fields


def _repeats(cells: Sequence[int]) -> bool:
    return len({*cells}) < len(cells)


def number(name: str, minimum: int = 0, default: int | None = None) -> Codec:
    """The number in the member `value`, for the field `name`.

    A missing member means the default, and the default is not written.
    """

    def write(number: int, geometry: Geometry) -> Members:
        return [] if number == default else _value_member(number, geometry)

    return field(name, write)(lambda item: item.number(minimum, default))


@field("difference", _value_member)
def half_of_side(item: RuleObject) -> int:
    """The number in the member `value`; the default is half of the side."""
    return item.number(minimum=1, default=(item.context.geometry.side + 1) // 2)


def clue(minimum: int = 1) -> Codec:
    """The number of a clue. A clue without a number of at least `minimum` has no effect."""

    def read(item: RuleObject) -> Iterator[RuleFields]:
        if (number := item.number(default=-1)) >= minimum:
            yield {"number": number}

    return Codec(read, lambda rule, geometry: _value_member(rule.number, geometry))


def _clue_position(line: Sequence[int], geometry: Geometry) -> Members:
    """The member with the position of the clue of a line, outside the grid."""
    (row, column), (down, right) = places(geometry, line)[0], outside.step_of(geometry, line)
    return [("cell", f"R{row - down}C{column - right}")]


row_or_column = field("line", _clue_position)(RuleObject.clue)


def _direction(line: Sequence[int], geometry: Geometry) -> Members | None:
    step = outside.step_of(geometry, line)
    names = [name for name, direction in DIRECTIONS.items() if direction == step]
    return [("direction", names[0]), *_clue_position(line, geometry)] if names else None


@field("line", _direction)
def diagonal(item: RuleObject) -> tuple[int, ...]:
    """The diagonal of a clue. If the object also lists its cells, they must be the same."""
    diagonal = item.diagonal()
    if item.list("cells") and sorted(item.cells()) != sorted(diagonal):
        raise item.member("cells").wrong("the cells of the diagonal", "cells off the diagonal")
    return diagonal


regions = field("regions")(lambda item: item.context.regions)


@codec(lambda rule, geometry: _value_member(rule.total, geometry) if rule.total else [])
def total(item: RuleObject) -> Iterator[RuleFields]:
    """The sum of a cage, or None. Cages with a digital root are not read."""
    if not item.match_value(_DIGITAL_ROOT):
        yield {"total": item.number(default=0) or None}


@codec(lambda rule, geometry: _value_member(f"DR{rule.root}", geometry))
def digital_root(item: RuleObject) -> Iterator[RuleFields]:
    """The digital root of the sum of a cage, such as DR7. Other cages are not read."""
    if root := item.match_value(_DIGITAL_ROOT):
        yield {"root": int(root[1])}


def _letter(rule: pairs.XV, geometry: Geometry) -> Members | None:
    return (
        _value_member(pairs.TOTAL_LETTERS[rule.total], geometry)
        if rule.total in pairs.TOTAL_LETTERS
        else None
    )


@codec(_letter)
def letter(item: RuleObject) -> Iterator[RuleFields]:
    """The letter X or V. An object without a value has no effect."""
    if item.has("value"):
        value = item.member("value")
        total = _TOTALS.get(value.text.upper())
        if total is None:
            raise value.wrong("'X' or 'V'")
        yield {"total": total}


def _cells_and_clone(rule: cages.Clone, geometry: Geometry) -> Members:
    return [
        *_cells_member(rule.original, geometry),
        ("cloneCells", _cell_names(rule.copy, geometry)),
    ]


@codec(_cells_and_clone)
def clone(item: RuleObject) -> Iterator[RuleFields]:
    cells, copy = item.cells(), item.cells(name="cloneCells")
    if len(cells) != len(copy):
        raise item.member("cloneCells").wrong(f"{len(cells)} cells", str(len(copy)))
    yield {"original": cells, "copy": copy}


@codec(lambda rule, _: [("values", [*rule.values])])
def values(item: RuleObject) -> Iterator[RuleFields]:
    """The list `values`. An object with an empty list has no effect."""
    side = item.context.geometry.side
    if values := tuple(node.number(1, side) for node in item.member("values").list()):
        yield {"values": values}


def _circle_and_line(rule: cages.Arrow, geometry: Geometry) -> Members:
    """The circle, and the line, which begins in the cell of the circle nearest to the shaft."""
    (row, column), *_ = places(geometry, rule.shaft)

    def distance(cell: int) -> int:
        other_row, other_column = geometry.place(cell)
        return abs(other_row - row) + abs(other_column - column)

    line = (min(rule.circle, key=distance), *rule.shaft)
    return [*_cells_member(rule.circle, geometry), *_lines_member(line, geometry)]


@codec(_circle_and_line)
def arrows(item: RuleObject) -> Iterator[RuleFields]:
    """The circle and the shaft of an arrow for each line, which starts in the circle.

    The cells of the circle, in reading order, are the digits of a number. A circle without a line,
    or with a line of a single cell, has no effect.
    """
    circle = tuple(sorted(item.cells(maximum=cages.MAX_CIRCLE)))
    for node in item.list("lines"):
        first, *shaft = item.path(node, 1)
        if first not in circle:
            raise node.wrong("a line that starts in the circle", "a line that starts elsewhere")
        if shaft:
            yield {"circle": circle, "shaft": tuple(shaft)}


@codec(lambda rule, geometry: _cell_member(rule.cell, geometry))
def extreme(item: RuleObject) -> Iterator[RuleFields]:
    """A cell and all its neighbours; `without_marked` later removes the marked neighbours."""
    cell, geometry = item.cell(), item.context.geometry
    row, column = geometry.place(cell)
    positions = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    neighbours = (geometry.cell_at(*position) for position in positions)
    yield {
        "cell": cell,
        "neighbours": tuple(neighbour for neighbour in neighbours if neighbour is not None),
    }


def without_marked(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield one `Extreme` rule for each marked cell, without its marked neighbours."""
    marked = {rule.cell: rule for rule in rules if isinstance(rule, pairs.Extreme)}
    for cell, rule in marked.items():
        unmarked = tuple(neighbour for neighbour in rule.neighbours if neighbour not in marked)
        yield pairs.Extreme(cell, unmarked, rule.maximum)


@codec(each_cell.write)
def each_in_region(item: RuleObject) -> Iterator[RuleFields]:
    """Each cell and its region. A cell without a region has no effect."""
    for cell in item.cells():
        for region in item.context.regions:
            if cell in region:
                yield {"cell": cell, "region": region}
