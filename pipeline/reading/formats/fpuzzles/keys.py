"""The rules that stand under each key of a document: a row of `KEYS` for each key.

A row names a rule, how its arguments are read, and how it is written; what an object has beside
these is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import (
    Along,
    OnBorder,
    cages,
    lines,
    neighbours,
    outside,
    pairs,
    regions,
)
from pipeline.reading.formats.fpuzzles import writers
from pipeline.reading.formats.fpuzzles.document import Placed, RuleObject
from pipeline.reading.formats.fpuzzles.writers import Names, Writer, Written
from pipeline.reading.formats.ruled import RuleType

DRAWINGS = ("cage", "circle", "line", "rectangle", "text")
"""Keys of lists of drawings."""

_DIGITAL_ROOT = re.compile("DR([1-9])", re.IGNORECASE)
_TOTALS = {letter: total for total, letter in pairs.SIGNS.items()}


class Key(NamedTuple):
    """A key of a list of objects, the rules of a kind that they are, and their object of one."""

    kind: RuleType
    rules: Callable[[Sequence[RuleObject]], Iterable[Rule]]
    written: Writer


def _some(kind: RuleType, rules: Callable[[RuleObject], Iterable[Rule]], written: Writer) -> Key:
    """Objects each of which is some rules, perhaps none."""
    return Key(kind, lambda items: [rule for item in items for rule in rules(item)], written)


def _each(kind: RuleType, written: Writer, *arguments: Callable[[RuleObject], object]) -> Key:
    """Objects that are a rule each, made of these arguments."""
    return _some(kind, lambda item: [kind(*(each(item) for each in arguments))], written)


def _two(kind: RuleType, number: Callable[[RuleObject], int]) -> Key:
    """Objects with two cells and a number."""

    def written(rule: OnBorder, names: Names) -> Written:
        return names.of((rule.a, rule.b), writers.number_of(rule))

    return _some(kind, lambda item: [kind(*item.cells(2, 2), number(item))], written)


def _lines(kind: RuleType, *arguments: Callable[[RuleObject], object], least: int = 2) -> Key:
    """Objects with lines, of which those of at least so many cells are a rule each."""

    def rules(item: RuleObject) -> Iterator[Rule]:
        values = [each(item) for each in arguments]
        return (kind(line, *values) for line in item.lines() if len(line) >= least)

    def written(rule: Along, names: Names) -> Written:
        value = writers.number_of(rule)
        line: Written = {"lines": [[*map(names.cell, rule.line)]]}
        return line if value is None else line | {"value": str(value)}

    return _some(kind, rules, written)


def _thermometers(slow: bool) -> Key:
    key = _lines(lines.Thermometer, lambda _: slow)
    return key._replace(
        written=lambda rule, names: key.written(rule, names) if rule.slow == slow else None
    )


def _once(kind: RuleType) -> Key:
    """Lines as sets of cells: one that closes names its first cell twice."""
    return _lines(lambda line: kind(tuple(dict.fromkeys(line))))._replace(kind=kind)


def _clues(kind: RuleType, least: int = 1) -> Key:
    """Clues beside the grid; those without a number, or with a smaller one, mean nothing."""

    def rules(item: RuleObject) -> Iterator[Rule]:
        line, number = item.clue(), item.number(default=-1)
        if number >= least:
            yield kind(line, number)

    return _some(kind, rules, writers.clue)


def _number(least: int = 0, default: int | None = None) -> Callable[[RuleObject], int]:
    return lambda item: item.number(least, default)


def _total(item: RuleObject) -> int | None:
    return item.number(default=0) or None


def _killer_cage(item: RuleObject) -> Iterator[Rule]:
    """A cage with a sum, without one, or with the digital root of its sum, such as DR7."""
    root = item.matched(_DIGITAL_ROOT)
    if root:
        yield cages.DigitalRoot(item.cells(), int(root[1]))
    else:
        yield cages.Cage(item.cells(), _total(item))


def _drawn_root(item: RuleObject) -> Iterator[Rule]:
    """A drawn cage with a digital root, which says nothing of values that repeat."""
    root = item.matched(_DIGITAL_ROOT)
    if root:
        yield cages.DigitalRoot(item.cells(), int(root[1]), repeating=True)


def is_drawing(key: str, node: Placed) -> bool:
    """Whether an object is no rule but a drawing, as all are but a cage with a digital root."""
    value = node.fields().get("value")
    has_root = key == "cage" and value is not None and _DIGITAL_ROOT.fullmatch(value.text)
    return key in DRAWINGS and not has_root


def _half_of_side(item: RuleObject) -> int:
    return item.number(least=1, default=(item.context.geometry.side + 1) // 2)


def _regions(item: RuleObject) -> object:
    return item.context.regions


def _xv(item: RuleObject) -> Iterator[Rule]:
    """Two cells with a letter; without one they mean nothing."""
    first, second = item.cells(2, 2)
    if item.has("value"):
        value = item.member("value")
        total = _TOTALS.get(value.text.upper())
        if total is None:
            raise value.wrong("'X' or 'V'")
        yield pairs.XV(first, second, total)


def _clone(item: RuleObject) -> Iterator[Rule]:
    cells, copy = item.cells(), item.cells(name="cloneCells")
    if len(cells) != len(copy):
        raise item.member("cloneCells").wrong(f"{len(cells)} cells", str(len(copy)))
    yield cages.Clone(cells, copy)


def _quadruple(item: RuleObject) -> Iterator[Rule]:
    """Four cells with values; without any they mean nothing."""
    side, cells = item.context.geometry.side, item.cells(4, 4)
    values = tuple(each.number(1, side) for each in item.member("values").list())
    if values:
        yield cages.Quadruple(cells, values)


def _arrows(item: RuleObject) -> Iterator[Rule]:
    """An arrow for each line; a line starts in the circle, which is read like a text.

    A circle without a line, or whose line does not leave its first cell, is no rule.
    """
    circle = tuple(sorted(item.cells(most=cages.LARGEST_CIRCLE)))
    for node in item.list("lines"):
        first, *shaft = item.path(node, 1)
        if first not in circle:
            raise node.wrong("a line that starts in the circle", "another")
        if shaft:
            yield cages.Arrow(circle, tuple(shaft))


def _little_killer(item: RuleObject) -> Iterator[Rule]:
    """A diagonal, whose cells may be named too; it means nothing without a number above 0."""
    diagonal = item.diagonal()
    if item.list("cells") and sorted(item.cells()) != sorted(diagonal):
        raise item.member("cells").wrong("the cells of the diagonal", "others")
    if number := item.number(default=0):
        yield outside.LittleKiller(diagonal, number)


def _extremes(maximum: bool) -> Key:
    """Cells that are compared with their neighbours, except those that are marked too."""

    def rules(items: Sequence[RuleObject]) -> Iterator[Rule]:
        beside: dict[int, set[int]] = {item.cell(): set() for item in items}
        for pair in neighbours(items[0].context.geometry) if items else ():
            for cell, other in (pair, pair[::-1]):
                if cell in beside and other not in beside:
                    beside[cell].add(other)
        for cell, others in beside.items():
            yield pairs.Extreme(cell, tuple(sorted(others)), maximum)

    def written(rule: pairs.Extreme, names: Names) -> Written | None:
        return {"cell": names.cell(rule.cell)} if rule.maximum == maximum else None

    return Key(pairs.Extreme, rules, written)


def _parity(odd: bool) -> Key:
    def written(rule: pairs.Parity, names: Names) -> Written | None:
        return {"cell": names.cell(rule.cell)} if rule.odd == odd else None

    return _each(pairs.Parity, written, RuleObject.cell, lambda _: odd)


def _indexers(row: bool) -> Key:
    make = pairs.Indexer

    def written(rule: pairs.Indexer, names: Names) -> Written | None:
        return names.of((rule.cell,)) if rule.row == row else None

    return _some(make, lambda item: [make(cell, row) for cell in item.cells()], written)


def _box_indexers(item: RuleObject) -> Iterator[Rule]:
    """Cells that point into their regions; those in none point nowhere."""
    for cell in item.cells():
        for region in item.context.regions:
            if cell in region:
                yield pairs.BoxIndexer(cell, region)


FLAGS: dict[str, Rule] = {
    "diagonal+": regions.Diagonal(rising=True),
    "diagonal-": regions.Diagonal(rising=False),
    "antiknight": pairs.AntiKnight(),
    "antiking": pairs.AntiKing(),
    "disjointgroups": regions.DisjointGroups(),
    "windoku": regions.Windoku(),
}
"""Keys of true or false, which stand for a rule."""

KEYS: dict[str, Key] = {
    "killercage": _some(cages.Cage, _killer_cage, writers.cage),
    "cage": _some(cages.DigitalRoot, _drawn_root, writers.root),
    "extraregion": _each(
        regions.ExtraRegion, lambda rule, names: names.of(rule.group), RuleObject.cells
    ),
    "clone": _some(cages.Clone, _clone, writers.clone),
    "quadruple": _some(cages.Quadruple, _quadruple, writers.quadruple),
    "arrow": _some(cages.Arrow, _arrows, writers.arrow),
    "difference": _two(pairs.WhiteDot, _number(default=1)),
    "ratio": _two(pairs.BlackDot, _number(least=1, default=2)),
    "xv": _some(pairs.XV, _xv, writers.xv),
    "even": _parity(odd=False),
    "odd": _parity(odd=True),
    "minimum": _extremes(maximum=False),
    "maximum": _extremes(maximum=True),
    "columnindexer": _indexers(row=False),
    "rowindexer": _indexers(row=True),
    "boxindexer": _some(
        pairs.BoxIndexer, _box_indexers, lambda rule, names: names.of((rule.cell,))
    ),
    "littlekillersum": _some(outside.LittleKiller, _little_killer, writers.little_killer),
    "sandwichsum": _clues(outside.Sandwich, least=0),
    "xsum": _clues(outside.XSum),
    "skyscraper": _clues(outside.Skyscraper),
    "thermometer": _thermometers(slow=False),
    "slowthermometer": _thermometers(slow=True),
    "palindrome": _lines(lines.Palindrome),
    "renban": _once(lines.Renban),
    "whispers": _lines(lines.Whispers, _half_of_side),
    "betweenline": _lines(lines.Between, least=3),
    "regionsumline": _lines(lines.RegionSum, _regions),
    "entropicline": _lines(lines.Entropic),
    "modularline": _lines(lines.Modular, _number(least=2, default=3)),
    "nabner": _once(lines.Nabner),
    "zipperline": _lines(lines.Zipper),
    "doublearrow": _lines(lines.DoubleArrow),
    "lockout": _lines(lines.Lockout, _number(least=1, default=4)),
}
"""Keys of lists of objects."""


def nonconsecutive(geometry: Geometry, node: Placed, rules: Sequence[Rule]) -> Iterator[Rule]:
    """Neighbours without a dot are not consecutive."""
    if node.flag():
        dots = pairs.marked_pairs(geometry, rules, pairs.WhiteDot, pairs.BlackDot)
        yield pairs.Nonconsecutive(dots)


def negative(geometry: Geometry, node: Placed, rules: Sequence[Rule]) -> Iterator[Rule]:
    """Pairs without a mark of a kind must not have the values that such a mark stands for."""
    names = [each.value for each in node.list()]
    for at, each in enumerate(node.list()):
        if each.value not in ("ratio", "difference", "xv") or each.value in names[:at]:
            raise each.wrong("'ratio', 'difference' or 'xv', each once")
    differences = {rule.difference for rule in rules if isinstance(rule, pairs.WhiteDot)} or {1}
    ratios = {rule.ratio for rule in rules if isinstance(rule, pairs.BlackDot)} or {2}
    if {"difference", "ratio"}.intersection(names):
        yield pairs.NegativeKropki(
            tuple(sorted(differences)) if "difference" in names else (),
            tuple(sorted(ratios)) if "ratio" in names else (),
            pairs.marked_pairs(geometry, rules, pairs.WhiteDot, pairs.BlackDot),
        )
    if "xv" in names:
        yield pairs.NegativeXV(tuple(pairs.SIGNS), pairs.marked_pairs(geometry, rules, pairs.XV))


class Last(NamedTuple):
    """A key whose rules, of these kinds, depend on those under other keys; its value for them."""

    kinds: tuple[RuleType, ...]
    rules: Callable[[Geometry, Placed, Sequence[Rule]], Iterable[Rule]]
    written: Callable[[Sequence[Rule]], object]


LAST: dict[str, Last] = {
    "nonconsecutive": Last((pairs.Nonconsecutive,), nonconsecutive, lambda _: True),
    "negative": Last((pairs.NegativeKropki, pairs.NegativeXV), negative, writers.negative),
}
"""Keys that depend on the marks under all others, in this order."""

RULES_OF_KEYS: list[tuple[str, RuleType]] = [
    *((key, type(rule)) for key, rule in FLAGS.items()),
    *((key, row.kind) for key, row in KEYS.items()),
    ("killercage", cages.DigitalRoot),
    *((key, kind) for key, row in LAST.items() for kind in row.kinds),
]
"""Every key that stands for rules, and their kind."""
