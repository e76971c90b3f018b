"""What each type of constraint says, as rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.base import neighbours
from pipeline.puzzle.rules.cages import Arrow, Cage, EqualSums, Quadruple, SameMultiset, Sum
from pipeline.puzzle.rules.lines import (
    Between,
    DoubleArrow,
    Entropic,
    Lockout,
    Modular,
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
    Greater,
    Indexer,
    NegativeKropki,
    NegativeXV,
    Nonconsecutive,
    WhiteDot,
)
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, ExtraRegion, Windoku
from pipeline.reading.formats.iss.grammar import Item, Source
from pipeline.reading.formats.ruled import Place, cells_along, usual_boxes
from pipeline.reading.formats.text import Word

_LARGEST_CIRCLE = 3
_APART = "-"
"""Stands between the groups of an `EqualSum`."""

Line = tuple[int, ...]


@dataclass(frozen=True)
class Reader:
    """The grid that items are about, and its regions, if it has any."""

    source: Source
    geometry: Geometry
    regions: tuple[tuple[int, ...], ...]

    def cells(self, item: Item, skipped: int = 0, least: int = 1) -> Line:
        """The cells that follow the first arguments."""
        words = item.words[skipped:]
        if len(words) < least:
            raise self.source.short(item, f"{least} cells or more")
        return tuple(self.cell(item, word) for word in words)

    @cached_property
    def neighbours(self) -> frozenset[tuple[int, int]]:
        """The pairs of orthogonal neighbours, the smaller cell first."""
        return frozenset(neighbours(self.geometry))

    def cell(self, item: Item, word: Word) -> int:
        return self.source.cell(item, word, self.geometry)

    def number(self, item: Item, at: int = 0, least: int = 0, most: int | None = None) -> int:
        if len(item.words) <= at:
            raise self.source.short(item, "a number")
        return self.source.number(item, item.words[at], least, most)

    def only(self, item: Item, most: int) -> None:
        """Raise InvalidPuzzle for more arguments than so many."""
        if len(item.words) > most:
            raise self.source.wrong(item, item.words[most], "the end of the constraint")

    def different(self, item: Item, cells: Line, skipped: int = 0) -> Line:
        for at, cell in enumerate(cells):
            if cell in cells[:at]:
                raise self.source.wrong(item, item.words[skipped + at], "different cells")
        return cells

    def line_of(self, item: Item) -> tuple[Line, Line]:
        """The row or column that a clue is about, from its two ends."""
        if not item.words:
            raise self.source.short(item, "a row or column, such as 'R1' or 'C1'")
        start, step = self.source.row_or_column(item, item.words[0], self.geometry)
        line = cells_along(self.geometry, start, step)
        return line, line[::-1]


_Rules = Callable[[Reader, Item], Iterable[Rule]]


def _flag(rule: Callable[[], Rule]) -> _Rules:
    """A type without arguments."""

    def rules(reader: Reader, item: Item) -> Iterator[Rule]:
        reader.only(item, 0)
        yield rule()

    return rules


def _line(rule: Callable[[Line], Rule], free: int = 1) -> _Rules:
    """A line; one of `free` cells or fewer says nothing."""

    def rules(reader: Reader, item: Item) -> Iterator[Rule]:
        line = reader.cells(item)
        if len(line) > free:
            yield rule(line)

    return rules


def _pairs(rule: Callable[[int, int], Rule]) -> _Rules:
    """Every two cells listed that are neighbours; each of them has to be in such a pair."""

    def rules(reader: Reader, item: Item) -> Iterator[Rule]:
        cells = reader.different(item, reader.cells(item, least=2))
        beside = reader.neighbours
        bound = [pair for pair in combinations(cells, 2) if (min(pair), max(pair)) in beside]
        paired = {cell for pair in bound for cell in pair}
        for cell, word in zip(cells, item.words, strict=True):
            if cell not in paired:
                raise reader.source.wrong(item, word, "a neighbour of another of these cells")
        return (rule(*pair) for pair in bound)

    return rules


def _whisper(reader: Reader, item: Item) -> Iterator[Rule]:
    said = bool(item.words) and item.words[0].text.isdigit()
    difference = reader.number(item, least=1) if said else 5  # of any side
    line = reader.cells(item, skipped=int(said))
    if len(line) > 1:
        yield Whispers(line, difference)


def _modular(reader: Reader, item: Item) -> Iterator[Rule]:
    modulus = reader.number(item, least=2)
    line = reader.cells(item, skipped=1)
    if len(line) > 1:
        yield Modular(line, modulus)


def _lockout(reader: Reader, item: Item) -> Iterator[Rule]:
    difference = reader.number(item, least=1)
    yield Lockout(reader.cells(item, skipped=1, least=2), difference)


def _entropic(reader: Reader, item: Item) -> Iterable[Rule]:
    if reader.geometry.side != 9:
        raise reader.source.wrong(item, item.type, "a grid of side 9")
    return _line(Entropic)(reader, item)


def _region_sum(reader: Reader, item: Item) -> Iterator[Rule]:
    if not reader.regions:
        raise reader.source.wrong(item, item.type, "a grid with boxes, or a jigsaw without")
    yield from _line(lambda line: RegionSum(line, reader.regions))(reader, item)


def _disjoint(reader: Reader, item: Item) -> Iterator[Rule]:
    if reader.regions != tuple(reader.geometry.boxes()):
        raise reader.source.wrong(item, item.type, "a grid with boxes")
    yield from _flag(DisjointGroups)(reader, item)


def _windoku(reader: Reader, item: Item) -> Iterator[Rule]:
    """Windows of the size of the usual boxes, a cell apart; a side without boxes has none."""
    reader.only(item, 0)
    n = reader.geometry.side
    if n == 9:
        yield Windoku()
        return
    boxes = usual_boxes(n)
    if not boxes.has_boxes:
        return
    for left in range(1, n - boxes.width, boxes.width + 1):
        for top in range(1, n - boxes.height, boxes.height + 1):
            rows, columns = range(top, top + boxes.height), range(left, left + boxes.width)
            yield ExtraRegion(tuple(row * n + column for row in rows for column in columns))


def _cage(reader: Reader, item: Item) -> Iterator[Rule]:
    """A cage; in its sum a cell counts as often as it is listed."""
    total = reader.number(item) or None
    cells = reader.cells(item, skipped=1)
    once = tuple(dict.fromkeys(cells))
    if total is None or len(once) == len(cells):
        yield Cage(once, total)
    else:
        yield from (Cage(once), _sum(cells, total))


def _sum(cells: Line, total: int) -> Rule:
    return Sum(tuple(Counter(cells).items()), total)


def _sums(reader: Reader, item: Item) -> Iterator[Rule]:
    total = reader.number(item)
    yield _sum(reader.cells(item, skipped=1), total)


def _equal_sums(reader: Reader, item: Item) -> Iterator[Rule]:
    parts: list[list[int]] = [[]]
    for word in item.words:
        if word.text == _APART:
            parts.append([])
        else:
            parts[-1].append(reader.cell(item, word))
    if len(parts) < 2 or not all(parts):
        raise reader.source.short(item, f"two groups of cells or more, '{_APART}' between them")
    yield EqualSums(tuple(map(tuple, parts)))


def _same_values(reader: Reader, item: Item) -> Iterator[Rule]:
    number = reader.number(item, least=2, most=reader.geometry.size)
    cells = reader.cells(item, skipped=1)
    size, rest = divmod(len(cells), number)
    if rest:
        raise reader.source.short(item, f"cells for {number} groups of one size")
    yield SameMultiset(tuple(cells[at : at + size] for at in range(0, len(cells), size)))


def _arrow(reader: Reader, item: Item) -> Iterator[Rule]:
    circle, *shaft = reader.cells(item, least=2)
    yield Arrow((circle,), tuple(shaft))


def _pill_arrow(reader: Reader, item: Item) -> Iterator[Rule]:
    """An arrow whose circle, the first cells, is read like a text."""
    size = reader.number(item, least=2, most=_LARGEST_CIRCLE)
    cells = reader.cells(item, skipped=1, least=size + 1)
    yield Arrow(tuple(sorted(reader.different(item, cells[:size], 1))), cells[size:])


def _different(reader: Reader, item: Item) -> Iterator[Rule]:
    yield ExtraRegion(reader.different(item, reader.cells(item)))


def _quadruple(reader: Reader, item: Item) -> Iterator[Rule]:
    if len(item.words) < 2:
        raise reader.source.short(item, "a cell, and values")
    row, column = reader.geometry.place(reader.cell(item, item.words[0]))
    corners = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
    around = [cell for place in corners if (cell := reader.geometry.cell_at(*place)) is not None]
    if len(around) < 4:
        raise reader.source.wrong(item, item.words[0], "the top left cell of four")
    side = reader.geometry.side
    values = (reader.number(item, at, 1, side) for at in range(1, len(item.words)))
    yield Quadruple(tuple(around), tuple(values))


def _diagonal(reader: Reader, item: Item) -> Iterator[Rule]:
    reader.only(item, 1)
    said = item.words[0] if item.words else item.type
    if said.text not in ("1", "-1"):
        raise reader.source.wrong(item, said, "'1' or '-1', the direction of the diagonal")
    yield Diagonal(rising=said.text == "1")


def _little_killer(reader: Reader, item: Item) -> Iterator[Rule]:
    """The diagonal from a cell at the edge: each edge has a direction, the upper corners one."""
    reader.only(item, 2)
    total = reader.number(item)
    (start,) = reader.cells(item, skipped=1)
    row, column = reader.geometry.place(start)
    n = reader.geometry.side
    steps: list[tuple[bool, Place]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == n, (-1, -1)),
        (row == n, (-1, 1)),
    ]
    diagonals = [cells_along(reader.geometry, (row, column), step) for at, step in steps if at]
    if not diagonals or (row == n and column in (1, n)):
        expected = "a cell at the edge of the grid, but no lower corner"
        raise reader.source.wrong(item, item.words[1], expected)
    yield LittleKiller(max(diagonals, key=len), total)


def _sandwich(reader: Reader, item: Item) -> Iterator[Rule]:
    reader.only(item, 2)
    total = reader.number(item)
    line, _ = reader.line_of(item._replace(words=item.words[1:]))
    yield Sandwich(line, total)


def _from_both_ends(rule: Callable[[Line, int], Rule]) -> _Rules:
    """A row or column, a clue at its beginning and one at its end; either may be missing."""

    def rules(reader: Reader, item: Item) -> Iterator[Rule]:
        reader.only(item, 3)
        lines = reader.line_of(item)
        said = [at for at, word in enumerate(item.words[1:]) if word.text]
        if not said:
            raise reader.source.short(item, "a number")
        return (rule(lines[at], reader.number(item, at + 1, least=1)) for at in said)

    return rules


def _indexing(reader: Reader, item: Item) -> Iterator[Rule]:
    said = item.words[0] if item.words else item.type
    if said.text.upper() not in ("R", "C"):
        raise reader.source.wrong(item, said, "'R' or 'C'")
    row = said.text.upper() == "R"
    return (Indexer(cell, row) for cell in reader.cells(item, skipped=1))


TYPES: dict[str, _Rules] = {
    "AntiKnight": _flag(AntiKnight),
    "AntiKing": _flag(AntiKing),
    "AntiConsecutive": _flag(Nonconsecutive),
    "Windoku": _windoku,
    "DisjointSets": _disjoint,
    "Diagonal": _diagonal,
    "AllDifferent": _different,
    "Thermo": _line(Thermometer),
    "Palindrome": _line(Palindrome),
    "Renban": _line(Renban),
    "Between": _line(Between, free=2),
    "Zipper": _line(Zipper, free=2),
    "DoubleArrow": _line(DoubleArrow, free=0),
    "Entropic": _entropic,
    "Modular": _modular,
    "Lockout": _lockout,
    "Whisper": _whisper,
    "RegionSumLine": _region_sum,
    "WhiteDot": _pairs(WhiteDot),
    "BlackDot": _pairs(BlackDot),
    "X": _pairs(lambda a, b: XV(a, b, 10)),
    "V": _pairs(lambda a, b: XV(a, b, 5)),
    "GreaterThan": _pairs(Greater),
    "Cage": _cage,
    "Sum": _sums,
    "EqualSum": _equal_sums,
    "SameValues": _same_values,
    "Arrow": _arrow,
    "PillArrow": _pill_arrow,
    "Quad": _quadruple,
    "LittleKiller": _little_killer,
    "Sandwich": _sandwich,
    "Skyscraper": _from_both_ends(Skyscraper),
    "XSum": _from_both_ends(XSum),
    "Indexing": _indexing,
}
"""Types whose rules need no other items."""


def strict_rules(name: str, rules: Sequence[Rule]) -> Rule:
    """What neighbours without a mark must not be: those of `StrictKropki` or `StrictXV`."""
    kropki = name == "StrictKropki"
    marks = (rule for rule in rules if isinstance(rule, WhiteDot | BlackDot if kropki else XV))
    pairs = {(min(mark.a, mark.b), max(mark.a, mark.b)) for mark in marks}
    spared = tuple(sorted(pairs))
    return NegativeKropki((1,), (2,), spared) if kropki else NegativeXV((5, 10), spared)
