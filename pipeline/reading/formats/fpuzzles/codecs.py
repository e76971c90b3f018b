"""Codecs of the arguments of rules: read from objects of a document, and written as members."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import cages, outside, pairs, places
from pipeline.reading.formats.fpuzzles.document import DIRECTIONS, Placed, RuleObject
from pipeline.reading.formats.rule_forms import Codec, RuleFields, codec, field

DRAWINGS = ("cage", "circle", "line", "rectangle", "text")
"""The keys of drawings."""

Members = list[tuple[str, object]]
"""Keys and values of an object to be written."""

_DIGITAL_ROOT = re.compile("DR([1-9])", re.IGNORECASE)
_TOTALS = {letter: total for total, letter in pairs.SIGNS.items()}


def is_drawing(key: str, node: Placed) -> bool:
    """Whether an object under this key is a drawing; a cage with a digital root is a rule."""
    value = node.fields().get("value")
    has_root = key == "cage" and value is not None and _DIGITAL_ROOT.fullmatch(value.text)
    return key in DRAWINGS and not has_root


def _names(cells: Iterable[int], geometry: Geometry) -> list[str]:
    return ["R{}C{}".format(*geometry.place(cell)) for cell in cells]


def _cells(cells: Iterable[int], geometry: Geometry) -> Members:
    return [("cells", _names(cells, geometry))]


def _cell(cell: int, geometry: Geometry) -> Members:
    return [("cell", _names((cell,), geometry)[0])]


def _lines(line: Sequence[int], geometry: Geometry) -> Members:
    return [("lines", [_names(line, geometry)])]


def _value(value: object, _geometry: Geometry) -> Members:
    return [("value", str(value))]


def cells(name: str, minimum: int = 1, maximum: int | None = None) -> Codec:
    return field(name, _cells)(lambda item: item.cells(minimum, maximum))


cell = field("cell", _cell)(RuleObject.cell)
each_cell = Codec(
    lambda item: ({"cell": cell} for cell in item.cells()),
    lambda rule, geometry: _cells((rule.cell,), geometry),
)


@codec(lambda rule, geometry: _cells((rule.a, rule.b), geometry))
def pair(item: RuleObject) -> Iterator[RuleFields]:
    a, b = item.cells(2, 2)
    yield {"a": a, "b": b}


def line(minimum: int = 2, *, once: bool = False) -> Codec:
    """Each line of at least `minimum` cells; with `once`, repeated cells are dropped."""

    def read(item: RuleObject) -> Iterator[RuleFields]:
        for line in item.lines():
            if len(line) >= minimum:
                yield {"line": tuple(dict.fromkeys(line)) if once else line}

    return Codec(read, lambda rule, geometry: _lines(rule.line, geometry))


def number(name: str, minimum: int = 0, default: int | None = None) -> Codec:
    """A number in the member `value`; the default is not written."""

    def write(number: int, geometry: Geometry) -> Members:
        return [] if number == default else _value(number, geometry)

    return field(name, write)(lambda item: item.number(minimum, default))


@field("difference", _value)
def half_of_side(item: RuleObject) -> int:
    """The number in `value`, by default half of the side."""
    return item.number(minimum=1, default=(item.context.geometry.side + 1) // 2)


def clue(minimum: int = 1) -> Codec:
    """The number of a clue; without one, or with one below `minimum`, the clue has no effect."""

    def read(item: RuleObject) -> Iterator[RuleFields]:
        if (number := item.number(default=-1)) >= minimum:
            yield {"number": number}

    return Codec(read, lambda rule, geometry: _value(rule.number, geometry))


def _clue_position(line: Sequence[int], geometry: Geometry) -> Members:
    """The position outside the grid at which the clue of a line is."""
    (row, column), (down, right) = places(geometry, line)[0], outside.step_of(geometry, line)
    return [("cell", f"R{row - down}C{column - right}")]


row_or_column = field("line", _clue_position)(RuleObject.clue)


def _direction(line: Sequence[int], geometry: Geometry) -> Members | None:
    step = outside.step_of(geometry, line)
    names = [name for name, direction in DIRECTIONS.items() if direction == step]
    return [("direction", names[0]), *_clue_position(line, geometry)] if names else None


@field("line", _direction)
def diagonal(item: RuleObject) -> tuple[int, ...]:
    """A diagonal; its cells may also be listed."""
    diagonal = item.diagonal()
    if item.list("cells") and sorted(item.cells()) != sorted(diagonal):
        raise item.member("cells").wrong("the cells of the diagonal", "other cells")
    return diagonal


regions = field("regions")(lambda item: item.context.regions)


@codec(lambda rule, geometry: _value(rule.total, geometry) if rule.total else [])
def total(item: RuleObject) -> Iterator[RuleFields]:
    """The sum of a cage, or None. A cage with a digital root is not a rule of this form."""
    if not item.matched(_DIGITAL_ROOT):
        yield {"total": item.number(default=0) or None}


@codec(lambda rule, geometry: _value(f"DR{rule.root}", geometry))
def digital_root(item: RuleObject) -> Iterator[RuleFields]:
    """The digital root of the sum of a cage, such as DR7; other cages are not of this form."""
    if root := item.matched(_DIGITAL_ROOT):
        yield {"root": int(root[1])}


def _letter(rule: pairs.XV, geometry: Geometry) -> Members | None:
    return _value(pairs.SIGNS[rule.total], geometry) if rule.total in pairs.SIGNS else None


@codec(_letter)
def letter(item: RuleObject) -> Iterator[RuleFields]:
    """The letter X or V; an object without one has no effect."""
    if item.has("value"):
        value = item.member("value")
        total = _TOTALS.get(value.text.upper())
        if total is None:
            raise value.wrong("'X' or 'V'")
        yield {"total": total}


def _cells_and_clone(rule: cages.Clone, geometry: Geometry) -> Members:
    return [*_cells(rule.original, geometry), ("cloneCells", _names(rule.copy, geometry))]


@codec(_cells_and_clone)
def clone(item: RuleObject) -> Iterator[RuleFields]:
    cells, copy = item.cells(), item.cells(name="cloneCells")
    if len(cells) != len(copy):
        raise item.member("cloneCells").wrong(f"{len(cells)} cells", str(len(copy)))
    yield {"original": cells, "copy": copy}


@codec(lambda rule, _: [("values", [*rule.wanted])])
def values(item: RuleObject) -> Iterator[RuleFields]:
    """Values; an object without any has no effect."""
    side = item.context.geometry.side
    if values := tuple(node.number(1, side) for node in item.member("values").list()):
        yield {"wanted": values}


def _circle_and_line(rule: cages.Arrow, geometry: Geometry) -> Members:
    """The circle, and the line from its nearest cell."""
    (row, column), *_ = places(geometry, rule.shaft)

    def distance(cell: int) -> int:
        other_row, other_column = geometry.place(cell)
        return abs(other_row - row) + abs(other_column - column)

    line = (min(rule.circle, key=distance), *rule.shaft)
    return [*_cells(rule.circle, geometry), *_lines(line, geometry)]


@codec(_circle_and_line)
def arrows(item: RuleObject) -> Iterator[RuleFields]:
    """An arrow for each line. A line starts in the circle, a number in reading order.

    A circle without a line, or with a line of a single cell, is not a rule.
    """
    circle = tuple(sorted(item.cells(maximum=cages.MAX_CIRCLE)))
    for node in item.list("lines"):
        first, *shaft = item.path(node, 1)
        if first not in circle:
            raise node.wrong("a line that starts in the circle", "a line that starts elsewhere")
        if shaft:
            yield {"circle": circle, "shaft": tuple(shaft)}


@codec(lambda rule, geometry: _cell(rule.cell, geometry))
def extreme(item: RuleObject) -> Iterator[RuleFields]:
    """A marked cell and its neighbours; `without_marked` removes those that are marked too."""
    cell, geometry = item.cell(), item.context.geometry
    row, column = geometry.place(cell)
    places = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    beside = [geometry.cell_at(*place) for place in places]
    yield {
        "cell": cell,
        "neighbours": tuple(neighbour for neighbour in beside if neighbour is not None),
    }


def without_marked(rules: Iterable[Rule]) -> Iterator[Rule]:
    """One rule of `extreme` per cell, without the neighbours that are marked too."""
    marked = {rule.cell: rule for rule in rules if isinstance(rule, pairs.Extreme)}
    for cell, rule in marked.items():
        unmarked = tuple(neighbour for neighbour in rule.neighbours if neighbour not in marked)
        yield pairs.Extreme(cell, unmarked, rule.maximum)


@codec(each_cell.write)
def each_in_region(item: RuleObject) -> Iterator[RuleFields]:
    """Cells that point into their regions; a cell outside all regions has no effect."""
    for cell in item.cells():
        for region in item.context.regions:
            if cell in region:
                yield {"cell": cell, "region": region}
