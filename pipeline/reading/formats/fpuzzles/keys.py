"""What stands under each key of a document, as rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.base import neighbours
from pipeline.puzzle.rules.cages import Arrow, Cage, Clone, Quadruple
from pipeline.puzzle.rules.lines import (
    Between,
    DoubleArrow,
    Entropic,
    Lockout,
    Modular,
    Nabner,
    Palindrome,
    RegionSum,
    Renban,
    Thermometer,
    Whispers,
    Zipper,
)
from pipeline.puzzle.rules.outside import LittleKiller, Sandwich, Skyscraper, XSum
from pipeline.puzzle.rules.pairs import (
    XV,
    AntiKing,
    AntiKnight,
    BlackDot,
    Extreme,
    Indexer,
    NegativeKropki,
    NegativeXV,
    Nonconsecutive,
    Parity,
    WhiteDot,
)
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, ExtraRegion, Windoku
from pipeline.reading.formats.fpuzzles.document import Misread, Node
from pipeline.reading.formats.fpuzzles.items import Item

FLAGS: dict[str, Callable[[], Rule]] = {
    "diagonal+": lambda: Diagonal(rising=True),
    "diagonal-": lambda: Diagonal(rising=False),
    "antiknight": AntiKnight,
    "antiking": AntiKing,
    "disjointgroups": DisjointGroups,
    "windoku": Windoku,
}
NONCONSECUTIVE, NEGATIVE = "nonconsecutive", "negative"
TOTALS = {"X": 10, "V": 5}
LARGEST_CIRCLE = 3
"""Cells of an arrow's circle, which are the digits of a number."""

Line = tuple[int, ...]
Pair = tuple[int, int]


class Kind(NamedTuple):
    """The members that objects under a key may have, and the rules that the objects are."""

    members: frozenset[str]
    rules: Callable[[Sequence[Item]], Iterable[Rule]]


def _each(members: str, rule: Callable[[Item], Rule]) -> Kind:
    """Objects that are a rule each."""
    return Kind(frozenset(members.split()), lambda items: map(rule, items))


def _lines(rule: Callable[[Item, Line], Rule], members: str = "lines") -> Kind:
    """Objects with lines that are a rule each."""

    def rules(items: Sequence[Item]) -> Iterator[Rule]:
        return (rule(item, line) for item in items for line in item.lines())

    return Kind(frozenset(members.split()), rules)


def _cage(item: Item) -> Rule:
    return Cage(item.cells(), item.number(default=0) or None)


def _two(item: Item) -> Pair:
    first, second = item.cells(least=2, most=2)
    return first, second


def _white(item: Item) -> Rule:
    return WhiteDot(*_two(item), item.number(default=1))


def _black(item: Item) -> Rule:
    return BlackDot(*_two(item), item.number(least=1, default=2))


def _xv(items: Sequence[Item]) -> Iterator[Rule]:
    """Those that have a letter."""
    for item in items:
        pair = _two(item)
        if item.has("value"):
            value = item.member("value")
            total = TOTALS.get(str(value.value).strip().upper())
            if total is None:
                raise value.wrong("'X' or 'V'")
            yield XV(*pair, total)


def _clone(item: Item) -> Rule:
    cells, copy = item.cells(), item.cells("cloneCells")
    if len(cells) != len(copy):
        way = item.fields["cloneCells"].way
        raise Misread(f"{len(cells)} cells", str(len(copy)), way)
    return Clone(cells, copy)


def _quadruples(items: Sequence[Item]) -> Iterator[Rule]:
    """Those that have values."""
    for item in items:
        side, cells = item.board.geometry.side, item.cells(least=4, most=4)
        values = tuple(each.number(1, side) for each in item.member("values").list())
        if values:
            yield Quadruple(cells, values)


def _arrows(items: Sequence[Item]) -> Iterator[Rule]:
    """An arrow for each line; a line starts in the circle, which is read like a text.

    A circle without a line, or whose line does not leave its first cell, is no rule.
    """
    for item in items:
        circle = tuple(sorted(item.cells(most=LARGEST_CIRCLE)))
        for node in item.fields["lines"].list() if "lines" in item.fields else ():
            first, *shaft = item.path(node, 1)
            if first not in circle:
                raise Misread("a line that starts in the circle", "another", node.way)
            if shaft:
                yield Arrow(circle, tuple(shaft))


def _clues(rule: Callable[[Line, int], Rule], least: int = 1) -> Kind:
    """Clues beside the grid, those that have a number, from the least one that means something."""

    def rules(items: Sequence[Item]) -> Iterator[Rule]:
        for item in items:
            line, number = item.clue(), item.number(default=-1)
            if number >= least:
                yield rule(line, number)

    return Kind(frozenset(("cell", "value")), rules)


def _little_killers(items: Sequence[Item]) -> Iterator[Rule]:
    """Those that have a number above 0; the cells may be told, and then are the diagonal's."""
    for item in items:
        diagonal = item.diagonal()
        told = item.cells("cells") if "cells" in item.fields else diagonal
        if sorted(told) != sorted(diagonal):
            raise Misread("the cells of the diagonal", "others", item.fields["cells"].way)
        if number := item.number(default=0):
            yield LittleKiller(diagonal, number)


def _extremes(maximum: bool) -> Kind:
    """Cells that are compared with their neighbours, but for those that are marked too."""

    def rules(items: Sequence[Item]) -> Iterator[Rule]:
        marked = [item.cell() for item in items]
        if not marked:
            return
        beside: dict[int, set[int]] = {cell: set() for cell in marked}
        for pair in neighbours(items[0].board.geometry):
            for cell, other in (pair, pair[::-1]):
                if cell in beside and other not in beside:
                    beside[cell].add(other)
        for cell, others in beside.items():
            yield Extreme(cell, tuple(sorted(others)), maximum)

    return Kind(frozenset(("cell",)), rules)


def _indexers(row: bool) -> Kind:
    def rules(items: Sequence[Item]) -> Iterator[Rule]:
        return (Indexer(cell, row) for item in items for cell in item.cells())

    return Kind(frozenset(("cells",)), rules)


def _whispers(item: Item, line: Line) -> Rule:
    half = (item.board.geometry.side + 1) // 2
    return Whispers(line, item.number(least=1, default=half))


def _region_sum(item: Item, line: Line) -> Rule:
    return RegionSum(line, item.board.regions)


def _between(items: Sequence[Item]) -> Iterator[Rule]:
    """Those with cells between their ends."""
    return (Between(line) for item in items for line in item.lines() if len(line) > 2)


def _set(line: Line) -> Line:
    """The cells of a line, each once: one that closes names its first cell twice."""
    return tuple(dict.fromkeys(line))


KINDS: dict[str, Kind] = {
    "killercage": _each("cells value", _cage),
    "extraregion": _each("cells", lambda item: ExtraRegion(item.cells())),
    "clone": _each("cells cloneCells", _clone),
    "quadruple": Kind(frozenset(("cells", "values")), _quadruples),
    "arrow": Kind(frozenset(("cells", "lines")), _arrows),
    "difference": _each("cells value", _white),
    "ratio": _each("cells value", _black),
    "xv": Kind(frozenset(("cells", "value")), _xv),
    "even": _each("cell", lambda item: Parity(item.cell(), odd=False)),
    "odd": _each("cell", lambda item: Parity(item.cell(), odd=True)),
    "minimum": _extremes(maximum=False),
    "maximum": _extremes(maximum=True),
    "columnindexer": _indexers(row=False),
    "rowindexer": _indexers(row=True),
    "littlekillersum": Kind(frozenset(("cell", "cells", "direction", "value")), _little_killers),
    "sandwichsum": _clues(Sandwich, least=0),
    "xsum": _clues(XSum),
    "skyscraper": _clues(Skyscraper),
    "thermometer": _lines(lambda _, line: Thermometer(line)),
    "slowthermometer": _lines(lambda _, line: Thermometer(line, slow=True)),
    "palindrome": _lines(lambda _, line: Palindrome(line)),
    "renban": _lines(lambda _, line: Renban(_set(line))),
    "whispers": _lines(_whispers, "lines value"),
    "betweenline": Kind(frozenset(("lines",)), _between),
    "regionsumline": _lines(_region_sum),
    "entropicline": _lines(lambda _, line: Entropic(line)),
    "modularline": _lines(
        lambda item, line: Modular(line, item.number(least=2, default=3)), "lines value"
    ),
    "nabner": _lines(lambda _, line: Nabner(_set(line))),
    "zipperline": _lines(lambda _, line: Zipper(line)),
    "doublearrow": _lines(lambda _, line: DoubleArrow(line)),
    "lockout": _lines(
        lambda item, line: Lockout(line, item.number(least=1, default=4)), "lines value"
    ),
}
"""What each key holds a list of."""


def negative_rules(geometry: Geometry, node: Node, rules: Sequence[Rule]) -> Iterator[Rule]:
    """What pairs without a mark must not be, for each kind of mark that is named."""
    names = []
    for each in node.list():
        if each.value not in ("ratio", "difference", "xv") or each.value in names:
            raise each.wrong("'ratio', 'difference' or 'xv', each once")
        names.append(each.value)
    differences = {rule.difference for rule in rules if isinstance(rule, WhiteDot)} or {1}
    ratios = {rule.ratio for rule in rules if isinstance(rule, BlackDot)} or {2}
    wanted = (differences if "difference" in names else (), ratios if "ratio" in names else ())
    if any(wanted):
        dots = dotted(geometry, rules)
        yield NegativeKropki(tuple(sorted(wanted[0])), tuple(sorted(wanted[1])), dots)
    if "xv" in names:
        marks = [(rule.a, rule.b) for rule in rules if isinstance(rule, XV)]
        yield NegativeXV(tuple(sorted(TOTALS.values())), _beside(geometry, marks))


def dotted(geometry: Geometry, rules: Sequence[Rule]) -> tuple[Pair, ...]:
    """The neighbours between which a dot stands, whatever its colour."""
    dots = [(rule.a, rule.b) for rule in rules if isinstance(rule, WhiteDot | BlackDot)]
    return _beside(geometry, dots)


def nonconsecutive(geometry: Geometry, rules: Sequence[Rule]) -> Rule:
    return Nonconsecutive(dotted(geometry, rules))


def _beside(geometry: Geometry, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Those pairs that are neighbours, the smaller cell first, ascending."""
    return tuple(sorted({(min(pair), max(pair)) for pair in pairs} & {*neighbours(geometry)}))
