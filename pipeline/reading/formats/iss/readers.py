"""Readers of the phrases of constraints whose arguments are more than a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import unquote

from pipeline.puzzle.puzzle import Rule, usual_boxes
from pipeline.puzzle.rules import (
    cages,
    custom,
    free,
    lines,
    pairs,
    regions,
    values_in,
    whole,
)
from pipeline.reading.formats.iss import arguments, machines
from pipeline.reading.formats.iss.arguments import APART
from pipeline.reading.formats.iss.patterns import pattern_machine
from pipeline.reading.formats.iss.phrases import Phrase
from pipeline.reading.formats.ruled import cells_along
from pipeline.reading.formats.text import Word

LOOP = "LOOP"
_MOST_OF_PIECE = 30
_MOST_WEIGHT = 100
_WEIGHT = re.compile(r"-?\d{1,9}", re.ASCII)


def ties(phrase: Phrase) -> Iterator[Rule]:
    if ties_of(phrase) == "none":
        yield whole.NoTiedLines()


def ties_of(phrase: Phrase) -> str:
    """Which ties a `.FullRankTies` allows."""
    expected = "'none', 'only-unclued' or 'any'"
    word = phrase.next(expected)
    if word.text not in ("none", "only-unclued", "any"):
        raise phrase.wrong(word, expected)
    return word.text


def disjoint_groups(phrase: Phrase) -> Iterator[Rule]:
    if phrase.regions != tuple(phrase.geometry.boxes()):
        raise phrase.wrong(phrase.type, "a grid with boxes")
    yield regions.DisjointGroups()


def windoku(phrase: Phrase) -> Iterator[Rule]:
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


def cage(phrase: Phrase) -> Iterator[Rule]:
    """A cage; in its sum a cell counts as often as it is listed."""
    total, cells = phrase.number() or None, phrase.cells()
    once = tuple(dict.fromkeys(cells))
    if total is None or len(once) == len(cells):
        yield cages.Cage(once, total)
    else:
        yield from (cages.Cage(once), cages.Sum(tuple(Counter(cells).items()), total))


def weighted_sum(phrase: Phrase) -> Iterator[Rule]:
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


def anti_taxicab(phrase: Phrase) -> Iterator[Rule]:
    if phrase.geometry.lowest == 0:
        raise phrase.wrong(phrase.type, "a grid with values from 1 on")
    yield whole.AntiTaxicab()


def sum_line(phrase: Phrase) -> Iterator[Rule]:
    is_loop = any(word.text == LOOP for word in phrase.words[-1:])
    # ISS takes a loop of zeros for a sum of 1 only
    least = 2 if is_loop and phrase.geometry.lowest == 0 else 1
    total, words = phrase.number(least, _MOST_OF_PIECE), phrase.rest(1)
    cells = tuple(map(phrase.cell_in, words[:-1] if is_loop else words))
    if not cells:
        raise phrase.short("1 cells or more")
    yield lines.SumLine(cells, total, is_loop)


def contains(phrase: Phrase, *, exactly: bool) -> Iterator[Rule]:
    """Values with `_` between them, and cells."""
    word = phrase.next("values, such as '1_2_2'")
    values = [word._replace(text=each) for each in word.text.split("_")]
    wanted = tuple(map(phrase.value_in, values))
    yield cages.Contains(phrase.cells(once=True), wanted, exactly)


def look_and_say(phrase: Phrase) -> Iterator[Rule]:
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


def count_distinct(phrase: Phrase) -> Iterator[Rule]:
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


def relation(phrase: Phrase, *, every: bool, is_old: bool = False) -> Iterator[Rule]:
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


def nfa(phrase: Phrase) -> Iterator[Rule]:
    yield from _machines(phrase, "a state machine in base64", machines.machine_in, named=True)


def regex(phrase: Phrase) -> Iterator[Rule]:
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


def arrow(phrase: Phrase) -> Iterator[Rule]:
    circle, *shaft = phrase.cells(2)
    yield cages.Arrow((circle,), tuple(shaft))


def pill_arrow(phrase: Phrase) -> Iterator[Rule]:
    """An arrow whose circle, the first cells, is read like a text."""
    size = phrase.number(least=2, most=cages.LARGEST_CIRCLE)
    cells = phrase.cells(size + 1)
    yield cages.Arrow(tuple(sorted(cells[:size])), cells[size:])


def connected(phrase: Phrase) -> Iterator[Rule]:
    """A group, or nothing for the grid, then values, and perhaps the number of cells."""
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


def chaos_arrow(phrase: Phrase) -> Iterator[Rule]:
    """A cell, 0 or 1, and arms, with `-` between them; none stands for all four directions."""
    control, offset = phrase.cell(), _offset(phrase)
    if not phrase.has_more():
        yield free.ChaosArrow(control, _rays(phrase, control), offset)
        return
    arms: list[list[Word]] = [[]]
    for word in phrase.rest():
        if word.text == APART:
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


def chaos_count(phrase: Phrase) -> Iterator[Rule]:
    control, offset = phrase.cell(), _offset(phrase)
    yield free.ChaosCount(control, _region_cells(phrase, phrase.rest(2)), offset)


def indexing(phrase: Phrase) -> Iterator[Rule]:
    row = arguments.word("'R' or 'C'", R=True, C=False).read(phrase)
    return (pairs.Indexer(cell, bool(row)) for cell in phrase.cells())
