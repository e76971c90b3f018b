"""The rules that each type of constraint stands for: a row of `TYPES` for each type.

A row names a rule and how its arguments are read, one after the other. Further arguments are
refused, and so are cells and numbers that the rule itself does not take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from pipeline.puzzle.puzzle import Rule, usual_boxes
from pipeline.puzzle.rules import cages, lines, neighbours, outside, pairs, regions
from pipeline.reading.formats.iss.phrases import Phrase
from pipeline.reading.formats.ruled import RowColumn, RuleType, cells_along

_APART = "-"
"""Stands between the groups of an `EqualSum`."""

Argument = Callable[[Phrase], object]
"""Reads a part of a phrase; None: the phrase means nothing."""


class TypeOf(NamedTuple):
    """A type of constraint: the rules of a kind that its phrases are."""

    kind: RuleType
    rules: Callable[[Phrase], Iterable[Rule]]


def _one(kind: RuleType, *arguments: Argument) -> TypeOf:
    """A rule made of these arguments; texts tell numbers first, rules take cells first."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        values = [read(phrase) for read in arguments]
        if None not in values:
            yield kind(*sorted(values, key=lambda value: not isinstance(value, tuple)))

    return TypeOf(kind, rules)


def _number(least: int = 0, usual: int | None = None) -> Argument:
    """A number, which may be missing if there is a usual one."""
    return lambda phrase: phrase.number(least) if usual is None or phrase.has_number() else usual


def _line(least: int = 2) -> Argument:
    """The cells of a line; fewer mean nothing."""
    return lambda phrase: cells if len(cells := phrase.cells()) >= least else None


def _cells(least: int = 1, *, once: bool = False) -> Argument:
    return lambda phrase: phrase.cells(least, once=once)


def _word(expected: str, **meanings: object) -> Argument:
    """One of some words, such as a direction."""

    def read(phrase: Phrase) -> object:
        word = phrase.next(expected)
        if word.text.upper() not in meanings:
            raise phrase.wrong(word, expected)
        return meanings[word.text.upper()]

    return read


def _pairs(kind: RuleType, *numbers: int) -> TypeOf:
    """Every two cells listed that are neighbours; each of them has to be in such a pair."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        cells = phrase.cells(2, once=True)
        beside = {*neighbours(phrase.geometry)}
        bound = [pair for pair in combinations(cells, 2) if (min(pair), max(pair)) in beside]
        paired = {cell for pair in bound for cell in pair}
        for cell, word in zip(cells, phrase.words, strict=True):
            if cell not in paired:
                raise phrase.wrong(word, "a neighbour of another of these cells")
        return (kind(*pair, *numbers) for pair in bound)

    return TypeOf(kind, rules)


def _from_both_ends(kind: RuleType) -> TypeOf:
    """A row or column, a clue at its beginning and one at its end; either may be missing."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        line, clues = phrase.row_or_column(), phrase.words[1:3]
        if not any(clue.text for clue in clues):
            raise phrase.short("a number")
        for clue, cells in zip(clues, (line, line[::-1]), strict=False):
            phrase.next("a number")
            if clue.text:
                yield kind(cells, phrase.number_in(clue, 1))

    return TypeOf(kind, rules)


def _of_nine(phrase: Phrase) -> object:
    if phrase.geometry.side != 9:
        raise phrase.wrong(phrase.type, "a grid of side 9")
    return _line()(phrase)


def _regions(phrase: Phrase) -> object:
    if not phrase.regions:
        raise phrase.wrong(phrase.type, "a grid with boxes, or a jigsaw without")
    return phrase.regions


def _disjoint(phrase: Phrase) -> Iterator[Rule]:
    if phrase.regions != tuple(phrase.geometry.boxes()):
        raise phrase.wrong(phrase.type, "a grid with boxes")
    yield regions.DisjointGroups()


def _windoku(phrase: Phrase) -> Iterator[Rule]:
    """Windows of the size of the usual boxes, a cell apart; a side without boxes has none."""
    n = phrase.geometry.side
    boxes = usual_boxes(n)
    if n == 9:
        yield regions.Windoku()
    elif boxes.has_boxes:
        for left in range(1, n - boxes.width, boxes.width + 1):
            for top in range(1, n - boxes.height, boxes.height + 1):
                rows, columns = range(top, top + boxes.height), range(left, left + boxes.width)
                window = tuple(row * n + column for row in rows for column in columns)
                yield regions.ExtraRegion(window)


def _cage(phrase: Phrase) -> Iterator[Rule]:
    """A cage; in its sum a cell counts as often as it is listed."""
    total, cells = phrase.number() or None, phrase.cells()
    once = tuple(dict.fromkeys(cells))
    if total is None or len(once) == len(cells):
        yield cages.Cage(once, total)
    else:
        yield from (cages.Cage(once), cages.Sum(tuple(Counter(cells).items()), total))


def _counted_cells(phrase: Phrase) -> tuple[tuple[int, int], ...]:
    return tuple(Counter(phrase.cells()).items())


def _groups_apart(phrase: Phrase) -> tuple[tuple[int, ...], ...]:
    parts: list[list[int]] = [[]]
    for word in phrase.rest():
        if word.text == _APART:
            parts.append([])
        else:
            parts[-1].append(phrase.cell_in(word))
    if len(parts) < 2 or not all(parts):
        expected = f"two groups of cells or more, '{_APART}' between them"
        raise phrase.short(expected, len(phrase.words))
    return tuple(map(tuple, parts))


def _groups_of_one_size(phrase: Phrase) -> tuple[tuple[int, ...], ...]:
    number = phrase.number(least=2, most=phrase.geometry.size)
    cells = phrase.cells()
    size, rest = divmod(len(cells), number)
    if rest:
        raise phrase.short(f"cells for {number} groups of one size", len(cells))
    return tuple(cells[at : at + size] for at in range(0, len(cells), size))


def _arrow(phrase: Phrase) -> Iterator[Rule]:
    circle, *shaft = phrase.cells(2)
    yield cages.Arrow((circle,), tuple(shaft))


def _pill_arrow(phrase: Phrase) -> Iterator[Rule]:
    """An arrow whose circle, the first cells, is read like a text."""
    size = phrase.number(least=2, most=cages.LARGEST_CIRCLE)
    cells = phrase.cells(size + 1)
    yield cages.Arrow(tuple(sorted(cells[:size])), cells[size:])


def _around(phrase: Phrase) -> tuple[int, ...]:
    """The four cells whose top left one is named."""
    corner = phrase.next("a cell, and values")
    geometry = phrase.geometry
    row, column = geometry.place(phrase.cell_in(corner))
    corners = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
    around = [cell for place in corners if (cell := geometry.cell_at(*place)) is not None]
    if len(around) < 4:
        raise phrase.wrong(corner, "the top left cell of four")
    return tuple(around)


def _values(phrase: Phrase) -> tuple[int, ...]:
    words = phrase.rest()
    if not words:
        raise phrase.short("a cell, and values")
    return tuple(phrase.number_in(word, 1, phrase.geometry.side) for word in words)


def _diagonal(phrase: Phrase) -> tuple[int, ...]:
    """The diagonal from a cell at the edge: each edge has a direction, the upper corners one."""
    n, (row, column) = phrase.geometry.side, phrase.geometry.place(phrase.cell())
    steps: list[tuple[bool, RowColumn]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == n, (-1, -1)),
        (row == n, (-1, 1)),
    ]
    diagonals = [cells_along(phrase.geometry, (row, column), step) for at, step in steps if at]
    if not diagonals or (row == n and column in (1, n)):
        expected = "a cell at the edge of the grid, but no lower corner"
        raise phrase.wrong(phrase.words[1], expected)
    return max(diagonals, key=len)


def _indexing(phrase: Phrase) -> Iterator[Rule]:
    row = _word("'R' or 'C'", R=True, C=False)(phrase)
    return (pairs.Indexer(cell, bool(row)) for cell in phrase.cells())


TYPES: dict[str, TypeOf] = {
    "AntiKnight": _one(pairs.AntiKnight),
    "AntiKing": _one(pairs.AntiKing),
    "AntiConsecutive": _one(pairs.Nonconsecutive),
    "Windoku": TypeOf(regions.Windoku, _windoku),
    "DisjointSets": TypeOf(regions.DisjointGroups, _disjoint),
    "Diagonal": _one(
        regions.Diagonal,
        _word("'1' or '-1', the direction of the diagonal", **{"1": True, "-1": False}),
    ),
    "AllDifferent": _one(regions.ExtraRegion, _cells(once=True)),
    "Thermo": _one(lines.Thermometer, _line()),
    "Palindrome": _one(lines.Palindrome, _line()),
    "Renban": _one(lines.Renban, _line()),
    "Between": _one(lines.Between, _line(3)),
    "Zipper": _one(lines.Zipper, _line(3)),
    "DoubleArrow": _one(lines.DoubleArrow, _cells()),
    "Entropic": _one(lines.Entropic, _of_nine),
    "Modular": _one(lines.Modular, _number(2), _line()),
    "Lockout": _one(lines.Lockout, _number(1), _cells(2)),
    "Whisper": _one(lines.Whispers, _number(1, usual=5), _line()),
    "RegionSumLine": _one(lines.RegionSum, _line(), _regions),
    "WhiteDot": _pairs(pairs.WhiteDot),
    "BlackDot": _pairs(pairs.BlackDot),
    "X": _pairs(pairs.XV, 10),
    "V": _pairs(pairs.XV, 5),
    "GreaterThan": _pairs(pairs.Greater),
    "Cage": TypeOf(cages.Cage, _cage),
    "Sum": _one(cages.Sum, _number(), _counted_cells),
    "EqualSum": _one(cages.EqualSums, _groups_apart),
    "SameValues": _one(cages.SameMultiset, _groups_of_one_size),
    "Arrow": TypeOf(cages.Arrow, _arrow),
    "PillArrow": TypeOf(cages.Arrow, _pill_arrow),
    "Quad": _one(cages.Quadruple, _around, _values),
    "LittleKiller": _one(outside.LittleKiller, _number(), _diagonal),
    "Sandwich": _one(outside.Sandwich, _number(), Phrase.row_or_column),
    "Skyscraper": _from_both_ends(outside.Skyscraper),
    "XSum": _from_both_ends(outside.XSum),
    "Indexing": TypeOf(pairs.Indexer, _indexing),
}
"""Types whose rules need no other phrases."""


def _strict_kropki(phrase: Phrase, rules: Sequence[Rule]) -> Rule:
    dots = pairs.marked_pairs(phrase.geometry, rules, pairs.WhiteDot, pairs.BlackDot)
    return pairs.NegativeKropki((1,), (2,), dots)


def _strict_xv(phrase: Phrase, rules: Sequence[Rule]) -> Rule:
    signs = pairs.marked_pairs(phrase.geometry, rules, pairs.XV)
    return pairs.NegativeXV(tuple(pairs.SIGNS), signs)


STRICT: dict[str, tuple[RuleType, Callable[[Phrase, Sequence[Rule]], Rule]]] = {
    "StrictKropki": (pairs.NegativeKropki, _strict_kropki),
    "StrictXV": (pairs.NegativeXV, _strict_xv),
}
"""Types about neighbours without a mark, whose rules depend on those of all other types."""

KNOWN = {*TYPES, *STRICT, "", "Given", "Shape", "NoBoxes", "Jigsaw"}
"""All types that are read."""

RULES_OF_TYPES: list[tuple[str, RuleType]] = [
    *((name, each.kind) for name, each in TYPES.items()),
    *((name, kind) for name, (kind, _) in STRICT.items()),
]
"""Every type that stands for rules, and their kind."""
