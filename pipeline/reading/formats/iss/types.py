"""The rules that each type of constraint stands for: a row of `TYPES` for each type.

A row names a rule and how its arguments are read, one after the other. Further arguments are
refused, and so are cells and numbers that the rule itself does not take.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations
from typing import NamedTuple
from urllib.parse import unquote

from pipeline.puzzle.puzzle import Rule, usual_boxes
from pipeline.puzzle.rules import (
    cages,
    custom,
    free,
    lines,
    neighbours,
    outside,
    pairs,
    regions,
    values_in,
    whole,
)
from pipeline.reading.formats.iss import machines
from pipeline.reading.formats.iss.groups import GROUPS, OR
from pipeline.reading.formats.iss.patterns import pattern_machine
from pipeline.reading.formats.iss.phrases import Phrase
from pipeline.reading.formats.ruled import RowColumn, RuleType, cells_along
from pipeline.reading.formats.text import Word

_APART = "-"
"""Stands between the groups of an `EqualSum`."""

_LOOP = "LOOP"
_MOST_OF_PIECE = 30
_MOST_WEIGHT = 100
_WEIGHT = re.compile(r"-?\d{1,9}", re.ASCII)

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


def _from_both_ends(kind: RuleType, most: Callable[[Phrase], int | None] | None = None) -> TypeOf:
    """A row or column, a clue at its beginning and one at its end; either may be missing."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        line, clues = phrase.row_or_column(), phrase.words[1:3]
        if not any(clue.text for clue in clues):
            raise phrase.short("a number")
        for clue, cells in zip(clues, (line, line[::-1]), strict=False):
            phrase.next("a number")
            if clue.text:
                yield kind(cells, phrase.number_in(clue, 1, most(phrase) if most else None))

    return TypeOf(kind, rules)


def _largest(phrase: Phrase) -> int:
    return values_in(phrase.geometry)[-1]


def _full_rank(phrase: Phrase) -> Iterator[Rule]:
    if phrase.ties is None:
        raise phrase.wrong(phrase.type, "no '.FullRankTies' beside it in a group")
    kind = partial(outside.FullRank, tied=phrase.ties == "any")
    return iter(_from_both_ends(kind, lambda phrase: 4 * phrase.geometry.side).rules(phrase))


def _ties(phrase: Phrase) -> Iterator[Rule]:
    if ties_of(phrase) == "none":
        yield whole.NoTiedLines()


def ties_of(phrase: Phrase) -> str:
    """Which ties a `.FullRankTies` allows."""
    expected = "'none', 'only-unclued' or 'any'"
    word = phrase.next(expected)
    if word.text not in ("none", "only-unclued", "any"):
        raise phrase.wrong(word, expected)
    return word.text


def _whole_of_nine(kind: Callable[[], Rule]) -> TypeOf:
    """A rule of the whole grid, for values 1 to 9."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        _check_nine(phrase)
        yield kind()

    return TypeOf(kind, rules)


def _check_nine(phrase: Phrase) -> None:
    if phrase.geometry.values != range(1, 10):
        raise phrase.wrong(phrase.type, "a grid of side 9, with the values 1 to 9,")


def _anti_taxicab(phrase: Phrase) -> Iterator[Rule]:
    if phrase.geometry.lowest == 0:
        raise phrase.wrong(phrase.type, "a grid with values from 1 on")
    yield whole.AntiTaxicab()


def _of_nine(phrase: Phrase) -> object:
    _check_nine(phrase)
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
    if phrase.geometry.free:
        raise phrase.wrong(phrase.type, "a grid of usual rows, columns and values")
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


def _sum(phrase: Phrase) -> Iterator[Rule]:
    """A sum, perhaps with a factor for each cell: `12_=_1_-2`."""
    word = phrase.next("a number")
    numbers = word.text.split("_")
    if not all(_WEIGHT.fullmatch(each) for each in (numbers[0], *numbers[2:])):
        raise phrase.wrong(word, "a number, or '12_=_1_-2'")
    if numbers[1:2] not in ([], ["="]):
        raise phrase.wrong(word, "'=' behind the sum")
    total, cells = int(numbers[0]), phrase.cells()
    weights = [*map(int, numbers[2:])] if len(numbers) > 1 else [1] * len(cells)
    if max(map(abs, weights), default=0) > _MOST_WEIGHT:
        raise phrase.wrong(word, f"factors, -{_MOST_WEIGHT} to {_MOST_WEIGHT},")
    if len(weights) != len(cells):
        raise phrase.wrong(word, f"{len(cells)} factors")
    terms: Counter[int] = Counter()
    for cell, weight in zip(cells, weights, strict=True):
        terms[cell] += weight
    yield cages.Sum(tuple(terms.items()), total)


def _sum_line(phrase: Phrase) -> Iterator[Rule]:
    is_loop = any(word.text == _LOOP for word in phrase.words[-1:])
    # ISS takes a loop of zeros for a sum of 1 only
    least = 2 if is_loop and phrase.geometry.lowest == 0 else 1
    total, words = phrase.number(least, _MOST_OF_PIECE), phrase.rest(1)
    cells = tuple(map(phrase.cell_in, words[:-1] if is_loop else words))
    if not cells:
        raise phrase.short("1 cells or more")
    yield lines.SumLine(cells, total, is_loop)


def _contains(phrase: Phrase, *, exactly: bool) -> Iterator[Rule]:
    """Values with `_` between them, and cells."""
    word = phrase.next("values, such as '1_2_2'")
    values = [word._replace(text=each) for each in word.text.split("_")]
    wanted = tuple(map(phrase.value_in, values))
    yield cages.Contains(phrase.cells(once=True), wanted, exactly)


def _look_and_say(phrase: Phrase) -> Iterator[Rule]:
    """Pairs of how often and what: `1223` is one 2 and two 3s."""
    expected = "pairs of how often and which value, each value once"
    word = phrase.next(expected)
    counts, values = word.text[::2], word.text[1::2]
    if not values or len(counts) != len(values) or len({*values}) < len(values):
        raise phrase.wrong(word, expected)
    wanted = [
        number
        for often, value in zip(counts, values, strict=True)
        for number in [phrase.value_in(word._replace(text=value))]
        * phrase.number_in(word._replace(text=often), 1)
    ]
    yield cages.Contains(phrase.cells(once=True), tuple(wanted), exactly=True)


def _count_distinct(phrase: Phrase) -> Iterator[Rule]:
    counter, *counted = phrase.cells(2, once=True)
    yield cages.CountOfDifferent(counter, tuple(counted))


def _groups(phrase: Phrase, *, named: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and cells of lines, with nothing or a name, `_so`, between them."""
    name, cells = "", list[int]()
    for word in phrase.rest():
        if word.text and not (named and word.text.startswith("_")):
            cells.append(phrase.cell_in(word))
            continue
        if cells:
            yield name, tuple(cells)
        name, cells = (_label(word.text[1:]) if word.text else name), []
    if cells:
        yield name, tuple(cells)


def _label(text: str) -> str:
    """A name as people may read it."""
    said = "".join(sign if sign.isprintable() else " " for sign in unquote(text))
    short = " ".join(said.split())
    most = custom.LONGEST_LABEL
    return short if len(short) <= most else f"{short[: most - 1].rstrip()}…"


def _relation(phrase: Phrase, *, every: bool, is_old: bool = False) -> Iterator[Rule]:
    """The relation of two values; a line of one cell means nothing."""
    expected = "a relation in base64"
    word = phrase.next(expected)
    values = values_in(phrase.geometry)
    try:
        related = machines.related_in(word.text, values, is_old=is_old)
    except ValueError as error:
        raise phrase.wrong(word, f"{expected} ({error})") from None
    for name, cells in _groups(phrase, named=True):
        if every and len({*cells}) < len(cells):
            raise phrase.wrong(phrase.type, "different cells")
        if len(cells) > 1:
            yield custom.Relation(cells, related, every, name)


def _nfa(phrase: Phrase) -> Iterator[Rule]:
    yield from _machines(phrase, "a state machine in base64", machines.machine_in, named=True)


def _regex(phrase: Phrase) -> Iterator[Rule]:
    yield from _machines(phrase, "a pattern in base64", _pattern, named=False)


def _pattern(text: str, values: Sequence[int]) -> machines.Machine:
    return pattern_machine(_pattern_text(text), values)


def _pattern_text(text: str) -> str:
    decoded = unquote(text) if "%" in text else machines.bytes_of(text).decode()
    return "".join(decoded.split())


def _machines(
    phrase: Phrase,
    expected: str,
    read: Callable[[str, Sequence[int]], machines.Machine],
    *,
    named: bool,
) -> Iterator[Rule]:
    """The machine of the first argument for each of the lines."""
    word = phrase.next(expected)
    groups = [*_groups(phrase, named=named)]
    if not groups:
        raise phrase.short("1 cells or more")
    length = max(len(cells) for _, cells in groups)
    try:
        found = _determined(read, word.text, values_in(phrase.geometry), length)
        label = "" if named else _label(_pattern_text(word.text))
    except ValueError as error:
        raise phrase.wrong(word, f"{expected} ({error})") from None
    for name, cells in groups:
        yield custom.StateMachine(cells, found.moves, found.accepted, name or label)


@lru_cache(maxsize=64)
def _determined(
    read: Callable[[str, Sequence[int]], machines.Machine],
    text: str,
    values: range,
    length: int,
) -> machines.Determined:
    return machines.determined(read(text, values), values, length)


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
    return tuple(map(phrase.value_in, words))


def _diagonal(phrase: Phrase) -> tuple[int, ...]:
    """The diagonal from a cell at the edge: each edge has a direction, the upper corners one."""
    corner = phrase.next("1 cells or more")
    cell, (rows, columns) = phrase.cell_in(corner), phrase.lines
    row, column = phrase.geometry.place(cell)
    steps: list[tuple[bool, RowColumn]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == columns, (-1, -1)),
        (row == rows, (-1, 1)),
    ]
    diagonals = [cells_along(phrase.geometry, (row, column), step) for at, step in steps if at]
    is_lower_corner = row == rows and column in (1, columns)
    if not diagonals or is_lower_corner or cell >= phrase.geometry.inner:
        raise phrase.wrong(corner, "a cell at the edge of the grid, but no lower corner")
    return max(diagonals, key=len)


def _connected(phrase: Phrase) -> Iterator[Rule]:
    """A group, or nothing for the grid; values; perhaps the number of cells."""
    geometry = phrase.geometry
    expected = "a group of cells, such as 'VA', or nothing for the grid"
    name, word = phrase.next(expected), phrase.next("values, such as '1_2'")
    group = name.text.upper()
    if group and group not in dict(phrase.groups):
        raise phrase.wrong(name, expected)
    cells = geometry.free.group(group) if geometry.free else range(geometry.inner)
    values = [phrase.value_in(word._replace(text=each)) for each in word.text.split("_")]
    has_size = phrase.has_more() and phrase.next("a number")
    size = phrase.number_in(has_size, 1, len(cells)) if has_size and has_size.text else 0
    yield free.ConnectedValues(tuple(cells), tuple(dict.fromkeys(values)), size)


def _offset(phrase: Phrase) -> int:
    """0 or 1; 0 if it is left out."""
    if not phrase.has_more():
        return 0
    word = phrase.next("'0' or '1'")
    return phrase.number_in(word, 0, 1) if word.text else 0


def _region_cells(phrase: Phrase, words: Iterable[Word]) -> tuple[int, ...]:
    """Cells that tell regions."""
    if free.REGIONS not in dict(phrase.groups):
        raise phrase.wrong(phrase.type, "'.ChaosConstruction' beside it")
    found = []
    for word in words:
        found.append(phrase.cell_in(word))
        if not word.text.upper().startswith(free.REGIONS):
            raise phrase.wrong(word, f"a cell that tells a region, such as '{free.REGIONS}1'")
    return tuple(found)


def _chaos_arrow(phrase: Phrase) -> Iterator[Rule]:
    """A cell, 0 or 1, and arms, with `-` between them; none stands for all four directions."""
    control, offset = phrase.cell(), _offset(phrase)
    if not phrase.has_more():
        yield free.ChaosArrow(control, _rays(phrase, control), offset)
        return
    arms: list[list[Word]] = [[]]
    for word in phrase.rest():
        if word.text == _APART:
            arms.append([])
        else:
            arms[-1].append(word)
    found = tuple(_region_cells(phrase, arm) for arm in arms)
    yield free.ChaosArrow(control, found, offset)


def _rays(phrase: Phrase, control: int) -> tuple[tuple[int, ...], ...]:
    """The cells that tell regions, from that of the control on, in all four directions."""
    geometry = phrase.geometry
    _region_cells(phrase, ())
    if geometry.free is None or control >= geometry.inner:
        raise phrase.wrong(phrase.words[0], "a cell of the grid")
    region_of, start = geometry.free.group(free.REGIONS), geometry.place(control)
    rays = (cells_along(geometry, start, step) for step in ((0, 1), (1, 0), (0, -1), (-1, 0)))
    return tuple(tuple(region_of[cell] for cell in ray) for ray in rays)


def _chaos_count(phrase: Phrase) -> Iterator[Rule]:
    control, offset = phrase.cell(), _offset(phrase)
    yield free.ChaosCount(control, _region_cells(phrase, phrase.rest(2)), offset)


def _indexing(phrase: Phrase) -> Iterator[Rule]:
    row = _word("'R' or 'C'", R=True, C=False)(phrase)
    return (pairs.Indexer(cell, bool(row)) for cell in phrase.cells())


TYPES: dict[str, TypeOf] = {
    "AntiKnight": _one(pairs.AntiKnight),
    "AntiKing": _one(pairs.AntiKing),
    "AntiConsecutive": _one(pairs.Nonconsecutive),
    "AntiTaxicab": TypeOf(whole.AntiTaxicab, _anti_taxicab),
    "GlobalEntropy": _whole_of_nine(whole.GlobalEntropy),
    "GlobalMod": _whole_of_nine(whole.GlobalModular),
    "DutchFlatmates": _whole_of_nine(whole.Flatmates),
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
    "SumLine": TypeOf(lines.SumLine, _sum_line),
    "ValueIndexing": _one(lines.ValueIndexer, _cells(3, once=True)),
    "Lunchbox": _one(lines.Lunchbox, _number(), _cells(2, once=True)),
    "RegionSumLine": _one(lines.RegionSum, _line(), _regions),
    "WhiteDot": _pairs(pairs.WhiteDot),
    "BlackDot": _pairs(pairs.BlackDot),
    "X": _pairs(pairs.XV, 10),
    "V": _pairs(pairs.XV, 5),
    "GreaterThan": _pairs(pairs.Greater),
    "Cage": TypeOf(cages.Cage, _cage),
    "Sum": TypeOf(cages.Sum, _sum),
    "RellikCage": _one(cages.RellikCage, _number(1), _cells(once=True)),
    "EqualityCage": _one(cages.EqualityCage, _cells(once=True)),
    "ContainAtLeast": TypeOf(cages.Contains, partial(_contains, exactly=False)),
    "ContainExact": TypeOf(cages.Contains, partial(_contains, exactly=True)),
    "LookAndSay": TypeOf(cages.Contains, _look_and_say),
    "CountingCircles": _one(cages.CountingCircles, _cells(once=True)),
    "CountDistinct": TypeOf(cages.CountOfDifferent, _count_distinct),
    "EqualSum": _one(cages.EqualSums, _groups_apart),
    "SameValues": _one(cages.SameMultiset, _groups_of_one_size),
    "Arrow": TypeOf(cages.Arrow, _arrow),
    "PillArrow": TypeOf(cages.Arrow, _pill_arrow),
    "Quad": _one(cages.Quadruple, _around, _values),
    "LittleKiller": _one(outside.LittleKiller, _number(), _diagonal),
    "Sandwich": _one(outside.Sandwich, _number(), Phrase.row_or_column),
    "Skyscraper": _from_both_ends(outside.Skyscraper),
    "XSum": _from_both_ends(outside.XSum),
    "HiddenSkyscraper": _from_both_ends(outside.HiddenSkyscraper, _largest),
    "NumberedRoom": _from_both_ends(outside.NumberedRoom, _largest),
    "FullRank": TypeOf(outside.FullRank, _full_rank),
    "FullRankTies": TypeOf(whole.NoTiedLines, _ties),
    "Indexing": TypeOf(pairs.Indexer, _indexing),
    "Pair": TypeOf(custom.Relation, partial(_relation, every=False)),
    "PairX": TypeOf(custom.Relation, partial(_relation, every=True)),
    "Binary": TypeOf(custom.Relation, partial(_relation, every=False, is_old=True)),
    "BinaryX": TypeOf(custom.Relation, partial(_relation, every=True, is_old=True)),
    "NFA": TypeOf(custom.StateMachine, _nfa),
    "Regex": TypeOf(custom.StateMachine, _regex),
    "ConnectedValues": TypeOf(free.ConnectedValues, _connected),
    "ChaosArrow": TypeOf(free.ChaosArrow, _chaos_arrow),
    "ChaosCount": TypeOf(free.ChaosCount, _chaos_count),
}
"""Types whose rules need no other phrases."""

NOT_IN_GROUPS = {
    *("AntiKnight", "AntiKing", "AntiConsecutive", "AntiTaxicab", "GlobalEntropy", "GlobalMod"),
    *("DutchFlatmates", "Windoku", "DisjointSets", "Diagonal", "FullRankTies"),
    *("Shape", "NoBoxes", "Jigsaw", "StrictKropki", "StrictXV", "Priority", "SearchPriority"),
    *("Var", "RegionSize", "RegionSameValues", "Doppelganger"),
    *("ChaosConstruction", "ChaosArrow", "ChaosCount"),
}
"""Types that groups do not hold."""

NOT_REPLICATED = {
    *("LittleKiller", "Sandwich", "Skyscraper", "XSum", "HiddenSkyscraper", "NumberedRoom"),
    *("FullRank", "ConnectedValues"),
}
"""Types whose arguments are not cells."""


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

MARKS = {"StrictKropki": ("WhiteDot", "BlackDot"), "StrictXV": ("X", "V")}
"""The marks that each of them is about, which groups may not hold then."""

HINTS = ("Priority", "SearchPriority")
"""Types that help a search, and mean nothing."""

LAYOUT: dict[str, RuleType] = {
    "Jigsaw": regions.Region,
    "RegionSameValues": free.SameRegions,
    "ChaosConstruction": free.ChaosConstruction,
    "Doppelganger": free.Doppelganger,
}
"""Types that stand for rules about the rows, columns, boxes and regions of the grid."""

KNOWN = {*TYPES, *STRICT, *GROUPS, *HINTS, *LAYOUT, "", "Given"}
KNOWN |= {"Shape", "NoBoxes", "RegionSize", "Var"}
"""All types that are read."""

RULES_OF_TYPES: list[tuple[str, RuleType]] = [
    *((name, each.kind) for name, each in TYPES.items()),
    *((name, kind) for name, (kind, _) in STRICT.items()),
    (OR, custom.OneOf),
    *((name, kind) for name, kind in LAYOUT.items() if name != "Jigsaw"),
    *(("Shape", free.Unit), ("RegionSize", free.Unit)),
]
"""Every type that stands for rules, and their kind."""
