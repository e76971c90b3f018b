"""The rules that each type of constraint stands for: a row of `TYPES` for each type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import cages, lines, outside, pairs, regions
from pipeline.puzzle.rules.base import neighbours
from pipeline.reading.formats.iss.grammar import Cells, Phrase
from pipeline.reading.formats.ruled import Place, cells_along, usual_boxes

_APART = "-"
"""Stands between the groups of an `EqualSum`."""

Kind = Callable[..., Rule]


class TypeOf(NamedTuple):
    """A type of constraint: the rules of a kind that its phrases are."""

    kind: Kind
    rules: Callable[[Phrase], Iterable[Rule]]


def _flag(kind: Kind) -> TypeOf:
    """A type without arguments."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        phrase.only(0)
        yield kind()

    return TypeOf(kind, rules)


def _line(kind: Kind, least: int = 2) -> TypeOf:
    """A line of cells; one of fewer means nothing."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        line = phrase.cells()
        if len(line) >= least:
            yield kind(line)

    return TypeOf(kind, rules)


def _numbered_line(kind: Kind, smallest: int, usual: int | None = None) -> TypeOf:
    """A number and a line; the number may be missing if there is a usual one."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        has_number = usual is None or (bool(phrase.words) and phrase.words[0].text.isdigit())
        number = phrase.number(least=smallest) if has_number else usual
        line = phrase.cells(skipped=int(has_number))
        if len(line) > 1:
            yield kind(line, number)

    return TypeOf(kind, rules)


def _pairs(kind: Kind, *numbers: int) -> TypeOf:
    """Every two cells listed that are neighbours; each of them has to be in such a pair."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        cells = phrase.different(phrase.cells(least=2))
        beside = {*neighbours(phrase.geometry)}
        bound = [pair for pair in combinations(cells, 2) if (min(pair), max(pair)) in beside]
        paired = {cell for pair in bound for cell in pair}
        for cell, word in zip(cells, phrase.words, strict=True):
            if cell not in paired:
                raise phrase.wrong(word, "a neighbour of another of these cells")
        return (kind(*pair, *numbers) for pair in bound)

    return TypeOf(kind, rules)


def _lockout(phrase: Phrase) -> Iterator[Rule]:
    difference = phrase.number(least=1)
    yield lines.Lockout(phrase.cells(skipped=1, least=2), difference)


def _entropic(phrase: Phrase) -> Iterable[Rule]:
    if phrase.geometry.side != 9:
        raise phrase.wrong(phrase.type, "a grid of side 9")
    return _line(lines.Entropic).rules(phrase)


def _region_sum(phrase: Phrase) -> Iterator[Rule]:
    if not phrase.regions:
        raise phrase.wrong(phrase.type, "a grid with boxes, or a jigsaw without")
    line = phrase.cells()
    if len(line) > 1:
        yield lines.RegionSum(line, phrase.regions)


def _disjoint(phrase: Phrase) -> Iterable[Rule]:
    if phrase.regions != tuple(phrase.geometry.boxes()):
        raise phrase.wrong(phrase.type, "a grid with boxes")
    return _flag(regions.DisjointGroups).rules(phrase)


def _windoku(phrase: Phrase) -> Iterator[Rule]:
    """Windows of the size of the usual boxes, a cell apart; a side without boxes has none."""
    phrase.only(0)
    n = phrase.geometry.side
    if n == 9:
        yield regions.Windoku()
        return
    boxes = usual_boxes(n)
    if not boxes.has_boxes:
        return
    for left in range(1, n - boxes.width, boxes.width + 1):
        for top in range(1, n - boxes.height, boxes.height + 1):
            rows, columns = range(top, top + boxes.height), range(left, left + boxes.width)
            window = tuple(row * n + column for row in rows for column in columns)
            yield regions.ExtraRegion(window)


def _different(phrase: Phrase) -> Iterator[Rule]:
    yield regions.ExtraRegion(phrase.different(phrase.cells()))


def _diagonal(phrase: Phrase) -> Iterator[Rule]:
    phrase.only(1)
    direction = phrase.words[0] if phrase.words else phrase.type
    if direction.text not in ("1", "-1"):
        raise phrase.wrong(direction, "'1' or '-1', the direction of the diagonal")
    yield regions.Diagonal(rising=direction.text == "1")


def _cage(phrase: Phrase) -> Iterator[Rule]:
    """A cage; in its sum a cell counts as often as it is listed."""
    total = phrase.number() or None
    cells = phrase.cells(skipped=1)
    once = tuple(dict.fromkeys(cells))
    if total is None or len(once) == len(cells):
        yield cages.Cage(once, total)
    else:
        yield from (cages.Cage(once), _sum_of(cells, total))


def _sum_of(cells: Cells, total: int) -> Rule:
    return cages.Sum(tuple(Counter(cells).items()), total)


def _sum(phrase: Phrase) -> Iterator[Rule]:
    total = phrase.number()
    yield _sum_of(phrase.cells(skipped=1), total)


def _equal_sums(phrase: Phrase) -> Iterator[Rule]:
    parts: list[list[int]] = [[]]
    for word in phrase.words:
        if word.text == _APART:
            parts.append([])
        else:
            parts[-1].append(phrase.cell(word))
    if len(parts) < 2 or not all(parts):
        raise phrase.short(f"two groups of cells or more, '{_APART}' between them")
    yield cages.EqualSums(tuple(map(tuple, parts)))


def _same_values(phrase: Phrase) -> Iterator[Rule]:
    number = phrase.number(least=2, most=phrase.geometry.size)
    cells = phrase.cells(skipped=1)
    size, rest = divmod(len(cells), number)
    if rest:
        raise phrase.short(f"cells for {number} groups of one size")
    yield cages.SameMultiset(tuple(cells[at : at + size] for at in range(0, len(cells), size)))


def _arrow(phrase: Phrase) -> Iterator[Rule]:
    circle, *shaft = phrase.cells(least=2)
    yield cages.Arrow((circle,), tuple(shaft))


def _pill_arrow(phrase: Phrase) -> Iterator[Rule]:
    """An arrow whose circle, the first cells, is read like a text."""
    size = phrase.number(least=2, most=cages.LARGEST_CIRCLE)
    cells = phrase.cells(skipped=1, least=size + 1)
    circle = phrase.different(cells[:size], skipped=1)
    yield cages.Arrow(tuple(sorted(circle)), cells[size:])


def _quadruple(phrase: Phrase) -> Iterator[Rule]:
    if len(phrase.words) < 2:
        raise phrase.short("a cell, and values")
    geometry, corner = phrase.geometry, phrase.words[0]
    row, column = geometry.place(phrase.cell(corner))
    corners = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
    around = [cell for place in corners if (cell := geometry.cell_at(*place)) is not None]
    if len(around) < 4:
        raise phrase.wrong(corner, "the top left cell of four")
    values = (phrase.number(at, 1, geometry.side) for at in range(1, len(phrase.words)))
    yield cages.Quadruple(tuple(around), tuple(values))


def _little_killer(phrase: Phrase) -> Iterator[Rule]:
    """The diagonal from a cell at the edge: each edge has a direction, the upper corners one."""
    phrase.only(2)
    total = phrase.number()
    (start,) = phrase.cells(skipped=1)
    n, (row, column) = phrase.geometry.side, phrase.geometry.place(start)
    steps: list[tuple[bool, Place]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == n, (-1, -1)),
        (row == n, (-1, 1)),
    ]
    diagonals = [cells_along(phrase.geometry, (row, column), step) for at, step in steps if at]
    if not diagonals or (row == n and column in (1, n)):
        expected = "a cell at the edge of the grid, but no lower corner"
        raise phrase.wrong(phrase.words[1], expected)
    yield outside.LittleKiller(max(diagonals, key=len), total)


def _sandwich(phrase: Phrase) -> Iterator[Rule]:
    phrase.only(2)
    total = phrase.number()
    yield outside.Sandwich(phrase.row_or_column(at=1), total)


def _from_both_ends(kind: Kind) -> TypeOf:
    """A row or column, a clue at its beginning and one at its end; either may be missing."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        phrase.only(3)
        line = phrase.row_or_column()
        clues = [at for at, word in enumerate(phrase.words) if at and word.text]
        if not clues:
            raise phrase.short("a number")
        return (kind(line if at == 1 else line[::-1], phrase.number(at, least=1)) for at in clues)

    return TypeOf(kind, rules)


def _indexing(phrase: Phrase) -> Iterator[Rule]:
    direction = phrase.words[0] if phrase.words else phrase.type
    if direction.text.upper() not in ("R", "C"):
        raise phrase.wrong(direction, "'R' or 'C'")
    row = direction.text.upper() == "R"
    return (pairs.Indexer(cell, row) for cell in phrase.cells(skipped=1))


TYPES: dict[str, TypeOf] = {
    "AntiKnight": _flag(pairs.AntiKnight),
    "AntiKing": _flag(pairs.AntiKing),
    "AntiConsecutive": _flag(pairs.Nonconsecutive),
    "Windoku": TypeOf(regions.Windoku, _windoku),
    "DisjointSets": TypeOf(regions.DisjointGroups, _disjoint),
    "Diagonal": TypeOf(regions.Diagonal, _diagonal),
    "AllDifferent": TypeOf(regions.ExtraRegion, _different),
    "Thermo": _line(lines.Thermometer),
    "Palindrome": _line(lines.Palindrome),
    "Renban": _line(lines.Renban),
    "Between": _line(lines.Between, least=3),
    "Zipper": _line(lines.Zipper, least=3),
    "DoubleArrow": _line(lines.DoubleArrow, least=1),
    "Entropic": TypeOf(lines.Entropic, _entropic),
    "Modular": _numbered_line(lines.Modular, smallest=2),
    "Lockout": TypeOf(lines.Lockout, _lockout),
    "Whisper": _numbered_line(lines.Whispers, smallest=1, usual=5),
    "RegionSumLine": TypeOf(lines.RegionSum, _region_sum),
    "WhiteDot": _pairs(pairs.WhiteDot),
    "BlackDot": _pairs(pairs.BlackDot),
    "X": _pairs(pairs.XV, 10),
    "V": _pairs(pairs.XV, 5),
    "GreaterThan": _pairs(pairs.Greater),
    "Cage": TypeOf(cages.Cage, _cage),
    "Sum": TypeOf(cages.Sum, _sum),
    "EqualSum": TypeOf(cages.EqualSums, _equal_sums),
    "SameValues": TypeOf(cages.SameMultiset, _same_values),
    "Arrow": TypeOf(cages.Arrow, _arrow),
    "PillArrow": TypeOf(cages.Arrow, _pill_arrow),
    "Quad": TypeOf(cages.Quadruple, _quadruple),
    "LittleKiller": TypeOf(outside.LittleKiller, _little_killer),
    "Sandwich": TypeOf(outside.Sandwich, _sandwich),
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


STRICT: dict[str, tuple[Kind, Callable[[Phrase, Sequence[Rule]], Rule]]] = {
    "StrictKropki": (pairs.NegativeKropki, _strict_kropki),
    "StrictXV": (pairs.NegativeXV, _strict_xv),
}
"""Types about neighbours without a mark, whose rules depend on those of all other types."""

KINDS: list[tuple[str, Kind]] = [
    *((name, each.kind) for name, each in TYPES.items()),
    *((name, kind) for name, (kind, _) in STRICT.items()),
]
"""Every type that stands for rules, and their kind."""
