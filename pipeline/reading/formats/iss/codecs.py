"""The arguments of constraints: how they are read from words, one after the other, and written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from urllib.parse import unquote

from pipeline.puzzle.puzzle import Geometry, Rule, usual_boxes
from pipeline.puzzle.rules import cages, custom, free, lines, neighbours, outside, regions
from pipeline.reading.formats.codecs import Codec, Fields, field, nothing, read_only
from pipeline.reading.formats.iss import machines
from pipeline.reading.formats.iss.patterns import pattern_machine
from pipeline.reading.formats.iss.phrases import Arguments, Context, cell_word, line_word
from pipeline.reading.formats.ruled import RowColumn, cells_along
from pipeline.reading.formats.text import Word

APART = "-"
"""A word between groups of cells."""

LOOP = "LOOP"
_MOST_OF_PIECE = 30
_MOST_WEIGHT = 100
_WEIGHT = re.compile(r"-?\d{1,9}", re.ASCII)


def _cells(cells: Iterable[int], geometry: Geometry) -> list[str]:
    return [cell_word(geometry, cell) for cell in cells]


def _cell(cell: int, geometry: Geometry) -> list[str]:
    return [cell_word(geometry, cell)]


def _number(number: int, _geometry: Geometry) -> list[str]:
    return [str(number)]


def _joined(numbers: Iterable[int], _geometry: Geometry) -> list[str]:
    return ["_".join(map(str, numbers))]


def _parted(parts: Iterable[Sequence[int]], geometry: Geometry) -> list[str]:
    return [word for part in parts for word in (APART, *_cells(part, geometry))][1:]


def number(name: str, least: int = 0, usual: int | None = None) -> Codec:
    """A number, which may be missing if there is a usual one."""

    def read(args: Arguments) -> int:
        return args.number(least) if usual is None or args.has_number() else usual

    return field(name, read, _number)


def line(least: int = 2) -> Codec:
    """The cells of a line; fewer mean nothing."""

    def read(args: Arguments) -> list[Fields]:
        return [{"line": cells}] if len(cells := args.cells()) >= least else []

    return Codec(read, lambda rule, geometry: _cells(rule.line, geometry))


def cells(name: str, least: int = 1, *, once: bool = False) -> Codec:
    return field(name, lambda args: args.cells(least, once=once), _cells)


cell = field("control", Arguments.cell, _cell)
each_cell = Codec(
    lambda args: [{"cell": cell} for cell in args.cells()],
    lambda rule, geometry: _cell(rule.cell, geometry),
)


def word(name: str, expected: str, **meanings: object) -> Codec:
    """One of some words, such as a direction."""

    def read(args: Arguments) -> object:
        word = args.next(expected)
        if word.text.upper() not in meanings:
            raise args.wrong(word, expected)
        return meanings[word.text.upper()]

    return field(name, read, lambda value, _: [key for key in meanings if meanings[key] == value])


def grid(is_met: Callable[[Context], bool], expected: str) -> Codec:
    """No argument, but a condition that the grid has to meet."""

    def read(args: Arguments) -> list[Fields]:
        if not is_met(args.context):
            raise args.wrong(args.phrase.type, expected)
        return [{}]

    return Codec(read, nothing)


of_nine = grid(
    lambda context: context.geometry.values == range(1, 10),
    "a grid of side 9, with the values 1 to 9,",
)
without_zero = grid(lambda context: context.geometry.lowest != 0, "a grid with values from 1 on")
with_boxes = grid(
    lambda context: context.regions == tuple(context.geometry.boxes()), "a grid with boxes"
)


def _regions(args: Arguments) -> object:
    if not args.context.regions:
        raise args.wrong(args.phrase.type, "a grid with boxes, or a jigsaw without")
    return args.context.regions


all_regions = field("regions", _regions)
row_or_column = field(
    "line", Arguments.row_or_column, lambda cells, geometry: [line_word(geometry, cells)]
)


def _pairs(args: Arguments) -> Iterator[Fields]:
    """Every two cells that are neighbours; each has to be in such a pair."""
    cells = args.cells(2, once=True)
    places = {cell: at for at, cell in enumerate(cells)}
    found = (pair for pair in neighbours(args.geometry) if places.keys() >= {*pair})
    bound = sorted(sorted(places[cell] for cell in pair) for pair in found)
    paired = {*chain.from_iterable(bound)}
    for at, word in enumerate(args.phrase.words):
        if at not in paired:
            raise args.wrong(word, "a neighbour of another of these cells")
    return ({"a": cells[a], "b": cells[b]} for a, b in bound)


pairs_of_neighbours = Codec(_pairs, lambda rule, geometry: _cells((rule.a, rule.b), geometry))


def from_both_ends(most: Callable[[Geometry], int | None] = lambda _: None) -> Codec:
    """A row or column, a clue at its beginning and one at its end; either may be missing."""

    def read(args: Arguments) -> Iterator[Fields]:
        line, clues = args.row_or_column(), args.phrase.words[1:3]
        if not any(clue.text for clue in clues):
            raise args.short("a number")
        for clue, cells in zip(clues, (line, line[::-1]), strict=False):
            args.next("a number")
            if clue.text:
                yield {"line": cells, "number": args.number_in(clue, 1, most(args.geometry))}

    def write(rule: outside.Outside, geometry: Geometry) -> list[str]:
        before = [] if rule.line[0] < rule.line[-1] else [""]
        return [line_word(geometry, rule.line), *before, str(rule.number)]

    return Codec(read, write)


def largest_value(geometry: Geometry) -> int:
    return geometry.values[-1]


def number_of_lines(geometry: Geometry) -> int:
    """Of a square grid: rows and columns, each from both ends."""
    return 4 * geometry.side


def ties_of(args: Arguments) -> str:
    """Which ties a `.FullRankTies` allows."""
    expected = "'none', 'only-unclued' or 'any'"
    word = args.next(expected)
    if word.text not in ("none", "only-unclued", "any"):
        raise args.wrong(word, expected)
    return word.text


no_ties = Codec(lambda args: [{}] if ties_of(args) == "none" else [], lambda *_: ["none"])


def _tied(args: Arguments) -> bool:
    if args.context.ties is None:
        raise args.wrong(args.phrase.type, "no '.FullRankTies' beside it in a group")
    return args.context.ties == "any"


tied = field("tied", _tied)


def windoku(args: Arguments) -> Iterator[Rule]:
    """Windows of the size of the usual boxes, a cell apart; a side without boxes has none."""
    n = args.geometry.side
    boxes = usual_boxes(n)
    if args.geometry.free:
        raise args.wrong(args.phrase.type, "a grid of usual rows, columns and values")
    if n == 9:
        yield regions.Windoku()
    elif boxes.has_boxes:
        for left in range(1, n - boxes.width, boxes.width + 1):
            for top in range(1, n - boxes.height, boxes.height + 1):
                rows, columns = range(top, top + boxes.height), range(left, left + boxes.width)
                window = tuple(row * n + column for row in rows for column in columns)
                yield regions.ExtraRegion(window)


def read_cage(args: Arguments) -> Iterator[Rule]:
    """A cage; in its sum a cell counts as often as it is listed."""
    total, cells = args.number() or None, args.cells()
    once = tuple(dict.fromkeys(cells))
    if total is None or len(once) == len(cells):
        yield cages.Cage(once, total)
    else:
        yield from (cages.Cage(once), cages.Sum(tuple(Counter(cells).items()), total))


def cage_words(rule: cages.Cage, geometry: Geometry) -> list[str]:
    return [str(rule.total or 0), *_cells(rule.group, geometry)]


def _weighted_sum(args: Arguments) -> Iterator[Fields]:
    """A sum, perhaps with a factor for each cell: `12_=_1_-2`."""
    word = args.next("a number")
    numbers = word.text.split("_")
    if not all(_WEIGHT.fullmatch(each) for each in (numbers[0], *numbers[2:])):
        raise args.wrong(word, "a number, or '12_=_1_-2'")
    if numbers[1:2] not in ([], ["="]):
        raise args.wrong(word, "'=' behind the sum")
    total, cells = int(numbers[0]), args.cells()
    weights = [*map(int, numbers[2:])] if len(numbers) > 1 else [1] * len(cells)
    if max(map(abs, weights), default=0) > _MOST_WEIGHT:
        raise args.wrong(word, f"factors, -{_MOST_WEIGHT} to {_MOST_WEIGHT},")
    if len(weights) != len(cells):
        raise args.wrong(word, f"{len(cells)} factors")
    terms: Counter[int] = Counter()
    for cell, weight in zip(cells, weights, strict=True):
        terms[cell] += weight
    yield {"terms": tuple(terms.items()), "total": total}


def _weighted_words(rule: cages.Sum, geometry: Geometry) -> list[str]:
    cells, weights = zip(*rule.terms, strict=True)
    factors = ["=", *map(str, weights)] if {*weights} != {1} else []
    return ["_".join((str(rule.total), *factors)), *_cells(cells, geometry)]


weighted_sum = Codec(_weighted_sum, _weighted_words)


def _sum_line(args: Arguments) -> Iterator[Fields]:
    is_loop = any(word.text == LOOP for word in args.phrase.words[-1:])
    # ISS takes a loop of zeros for a sum of 1 only
    least = 2 if is_loop and args.geometry.lowest == 0 else 1
    total, words = args.number(least, _MOST_OF_PIECE), args.rest(1)
    cells = tuple(map(args.cell_in, words[:-1] if is_loop else words))
    if not cells:
        raise args.short("1 cells or more")
    yield {"line": cells, "total": total, "loop": is_loop}


def _sum_line_words(rule: lines.SumLine, geometry: Geometry) -> list[str]:
    return [str(rule.total), *_cells(rule.line, geometry), *[LOOP] * rule.loop]


sum_line = Codec(_sum_line, _sum_line_words)
joined_values = field(
    "wanted", lambda args: args.values_in(args.next("values, such as '1_2_2'")), _joined
)


def _look_and_say(args: Arguments) -> tuple[int, ...]:
    """Pairs of how often and what: `1223` is one 2 and two 3s."""
    expected = "pairs of how often and which value, each value once"
    word = args.next(expected)
    counts, values = word.text[::2], word.text[1::2]
    if not values or len(counts) != len(values) or len({*values}) < len(values):
        raise args.wrong(word, expected)
    return tuple(
        number
        for often, value in zip(counts, values, strict=True)
        for number in [args.value_in(word._replace(text=value))]
        * args.number_in(word._replace(text=often), 1)
    )


look_and_say = field("wanted", _look_and_say, read_only)


def _counted(args: Arguments) -> Iterator[Fields]:
    counter, *counted = args.cells(2, once=True)
    yield {"counter": counter, "counted": tuple(counted)}


counted = Codec(_counted, lambda rule, geometry: _cells((rule.counter, *rule.counted), geometry))


def _groups_apart(args: Arguments) -> tuple[tuple[int, ...], ...]:
    parts = tuple(tuple(map(args.cell_in, part)) for part in args.parts(APART))
    if len(parts) < 2 or not all(parts):
        expected = f"two groups of cells or more, '{APART}' between them"
        raise args.short(expected, len(args.phrase.words))
    return parts


groups_apart = field("parts", _groups_apart, _parted)


def _groups_of_one_size(args: Arguments) -> tuple[tuple[int, ...], ...]:
    number = args.number(least=2, most=args.geometry.size)
    cells = args.cells()
    size, rest = divmod(len(cells), number)
    if rest:
        raise args.short(f"cells for {number} groups of one size", len(cells))
    return tuple(cells[at : at + size] for at in range(0, len(cells), size))


groups_of_one_size = field(
    "parts",
    _groups_of_one_size,
    lambda parts, geometry: [str(len(parts)), *_cells(chain.from_iterable(parts), geometry)],
)


def _arrow(args: Arguments) -> Iterator[Fields]:
    circle, *shaft = args.cells(2)
    yield {"circle": (circle,), "shaft": tuple(shaft)}


def _arrow_words(rule: cages.Arrow, geometry: Geometry) -> list[str] | None:
    return _cells(rule.circle + rule.shaft, geometry) if len(rule.circle) == 1 else None


arrow = Codec(_arrow, _arrow_words)


def _pill_arrow(args: Arguments) -> Iterator[Fields]:
    """An arrow whose circle, the first cells, is read like a text."""
    size = args.number(least=2, most=cages.LARGEST_CIRCLE)
    cells = args.cells(size + 1)
    yield {"circle": tuple(sorted(cells[:size])), "shaft": cells[size:]}


def _pill_words(rule: cages.Arrow, geometry: Geometry) -> list[str] | None:
    size, cells = len(rule.circle), (*sorted(rule.circle), *rule.shaft)
    return [str(size), *_cells(cells, geometry)] if size > 1 else None


pill_arrow = Codec(_pill_arrow, _pill_words)


def _around(args: Arguments) -> tuple[int, ...]:
    """The four cells whose top left one is named."""
    corner = args.next("a cell, and values")
    row, column = args.geometry.place(args.cell_in(corner))
    corners = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
    around = [cell for place in corners if (cell := args.geometry.cell_at(*place)) is not None]
    if len(around) < 4:
        raise args.wrong(corner, "the top left cell of four")
    return tuple(around)


around = field("around", _around, lambda cells, geometry: _cell(min(cells), geometry))


def _values(args: Arguments) -> tuple[int, ...]:
    words = args.rest()
    if not words:
        raise args.short("a cell, and values")
    return tuple(map(args.value_in, words))


values = field("wanted", _values, lambda values, _: map(str, values))


def _diagonal(args: Arguments) -> tuple[int, ...]:
    """The diagonal from a cell at the edge: each edge has a direction, the upper corners one."""
    corner = args.next("1 cells or more")
    cell, (rows, columns) = args.cell_in(corner), args.context.lines
    row, column = args.geometry.place(cell)
    steps: list[tuple[bool, RowColumn]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == columns, (-1, -1)),
        (row == rows, (-1, 1)),
    ]
    diagonals = [cells_along(args.geometry, (row, column), step) for at, step in steps if at]
    is_lower_corner = row == rows and column in (1, columns)
    if not diagonals or is_lower_corner or cell >= args.geometry.inner:
        raise args.wrong(corner, "a cell at the edge of the grid, but no lower corner")
    return max(diagonals, key=len)


diagonal = field("line", _diagonal, lambda cells, geometry: _cell(cells[0], geometry))


def _named_lines(args: Arguments, *, named: bool = True) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and cells of lines, with nothing or a name, `_so`, between them."""
    name, cells = "", list[int]()
    for word in args.rest():
        if word.text and not (named and word.text.startswith("_")):
            cells.append(args.cell_in(word))
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


def _labelled(rule: custom.Relation | custom.StateMachine, geometry: Geometry) -> list[str]:
    """The cells of a line behind its name, whose signs with a meaning in texts are escaped."""
    escaped = "".join(
        sign if sign.isascii() and sign.isalnum() else "".join(f"%{b:02X}" for b in sign.encode())
        for sign in rule.label
    )
    return [f"_{escaped}"] * bool(escaped) + _cells(rule.line, geometry)


def related_lines(*, once: bool = False) -> Codec:
    """Lines for a relation; one of a single cell means nothing."""

    def read(args: Arguments) -> Iterator[Fields]:
        for name, cells in _named_lines(args):
            if once and len({*cells}) < len(cells):
                raise args.wrong(args.phrase.type, "different cells")
            if len(cells) > 1:
                yield {"line": cells, "label": name}

    return Codec(read, _labelled)


def _related(args: Arguments, *, is_old: bool = False) -> tuple[int, ...]:
    expected = "a relation in base64"
    word = args.next(expected)
    try:
        return machines.related_in(word.text, args.geometry.values, is_old=is_old)
    except ValueError as error:
        raise args.wrong(word, f"{expected} ({error})") from None


related = field(
    "related", _related, lambda related, geometry: [machines.key_of(related, geometry.values)]
)
old_related = field("related", lambda args: _related(args, is_old=True), read_only)


def _machines(args: Arguments, expected: str, make: machines.Make, *, named: bool) -> list[Fields]:
    """The machine of the first argument for each of the lines."""
    word = args.next(expected)
    groups = [*_named_lines(args, named=named)]
    if not groups:
        raise args.short("1 cells or more")
    length = max(len(cells) for _, cells in groups)
    try:
        found = args.context.work.machine(make, word.text, args.geometry.values, length)
        label = "" if named else _label(_pattern_text(word.text))
    except ValueError as error:
        raise args.wrong(word, f"{expected} ({error})") from None
    return [found._asdict() | {"line": cells, "label": name or label} for name, cells in groups]


def _machine_words(rule: custom.StateMachine, geometry: Geometry) -> list[str]:
    text = machines.machine_text(rule.moves, rule.accepted, geometry.values)
    return [text, *_labelled(rule, geometry)]


def _pattern_text(text: str) -> str:
    decoded = unquote(text) if "%" in text else machines.bytes_of(text).decode()
    return "".join(decoded.split())


def _pattern(text: str, values: Sequence[int], work: machines.Work) -> machines.Machine:
    return pattern_machine(_pattern_text(text), values, work)


state_machine = Codec(
    lambda args: _machines(args, "a state machine in base64", machines.machine_in, named=True),
    _machine_words,
)
pattern = Codec(
    lambda args: _machines(args, "a pattern in base64", _pattern, named=False), read_only
)


def _connected(args: Arguments) -> Iterator[Fields]:
    """A group, or nothing for the grid, then values, and perhaps the number of cells."""
    geometry = args.geometry
    expected = "a group of cells, such as 'VA', or nothing for the grid"
    name, word = args.next(expected), args.next("values, such as '1_2'")
    group = name.text.upper()
    if group and group not in dict(args.context.groups):
        raise args.wrong(name, expected)
    cells = geometry.free.group(group) if geometry.free else range(geometry.inner)
    values = args.values_in(word)
    has_size = args.has_more() and args.next("a number")
    size = args.number_in(has_size, 1, len(cells)) if has_size and has_size.text else 0
    yield {"group": tuple(cells), "values": tuple(dict.fromkeys(values)), "size": size}


def _connected_words(rule: free.ConnectedValues, geometry: Geometry) -> list[str]:
    name = ""
    if geometry.free and rule.group[0] >= geometry.inner:
        name = next(name for name, cells in geometry.free.lines() if rule.group[0] in cells)
    return [name, *_joined(rule.values, geometry), *[str(rule.size)] * bool(rule.size)]


connected = Codec(_connected, _connected_words)


def _offset(args: Arguments) -> int:
    """0 or 1; 0 if it is left out."""
    if not args.has_more():
        return 0
    word = args.next("'0' or '1'")
    return args.number_in(word, 0, 1) if word.text else 0


def _region_cells(args: Arguments, words: Iterable[Word]) -> tuple[int, ...]:
    """Cells that tell regions."""
    if free.REGIONS not in dict(args.context.groups):
        raise args.wrong(args.phrase.type, "'.ChaosConstruction' beside it")
    found = []
    for word in words:
        found.append(args.cell_in(word))
        if not word.text.upper().startswith(free.REGIONS):
            raise args.wrong(word, f"a cell that tells a region, such as '{free.REGIONS}1'")
    return tuple(found)


offset = field("offset", _offset, _number)
region_cells = field("counted", lambda args: _region_cells(args, args.rest(2)), _cells)


def _arms(args: Arguments) -> Iterator[Fields]:
    """A cell, 0 or 1, and arms, with `-` between them; none stands for all four directions."""
    control, offset = args.cell(), _offset(args)
    if args.has_more():
        arms = tuple(_region_cells(args, part) for part in args.parts(APART))
    else:
        arms = _rays(args, control)
    yield {"control": control, "arms": arms, "offset": offset}


def _arm_words(rule: free.ChaosArrow, geometry: Geometry) -> list[str]:
    return [*_cell(rule.control, geometry), str(rule.offset), *_parted(rule.arms, geometry)]


def _rays(args: Arguments, control: int) -> tuple[tuple[int, ...], ...]:
    """The cells that tell regions, from that of the control on, in all four directions."""
    geometry = args.geometry
    _region_cells(args, ())
    if geometry.free is None or control >= geometry.inner:
        raise args.wrong(args.phrase.words[0], "a cell of the grid")
    region_of, start = geometry.free.group(free.REGIONS), geometry.place(control)
    rays = (cells_along(geometry, start, step) for step in ((0, 1), (1, 0), (0, -1), (-1, 0)))
    return tuple(tuple(region_of[cell] for cell in ray) for ray in rays)


arms = Codec(_arms, _arm_words)
