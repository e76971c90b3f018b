"""Codecs that read and write the arguments of ISS constraints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import adjacent_pairs, cages, lines, outside
from pipeline.puzzle.rules.pairs import Among
from pipeline.reading.formats.iss.phrases import Arguments, Context, cell_word, line_word
from pipeline.reading.formats.rule_forms import Codec, RuleFields, codec, field, write_nothing
from pipeline.reading.formats.variants import RowColumn, cells_along

SEPARATOR = "-"
"""The argument that separates groups of cells."""

_LOOP = "LOOP"
"""The last argument of a line that is a loop."""

_MAX_SEGMENT_SUM = 30
_MAX_WEIGHT = 100
_WEIGHT = re.compile(r"-?\d{1,9}", re.ASCII)


def write_cells(cells: Iterable[int], geometry: Geometry) -> list[str]:
    return [cell_word(geometry, cell) for cell in cells]


def write_cell(cell: int, geometry: Geometry) -> list[str]:
    return [cell_word(geometry, cell)]


def write_number(number: int, _geometry: Geometry) -> list[str]:
    return [str(number)]


def write_joined(numbers: Iterable[int], _geometry: Geometry) -> list[str]:
    return ["_".join(map(str, numbers))]


def write_parts(parts: Iterable[Sequence[int]], geometry: Geometry) -> list[str]:
    return [word for part in parts for word in (SEPARATOR, *write_cells(part, geometry))][1:]


def number(
    name: str, minimum: int = 0, default: int | None = None, no_effect: int | None = None
) -> Codec:
    """A number, which may be missing if there is a `default`.

    `no_effect`: the number for which there is no rule.
    """

    def read(args: Arguments) -> list[RuleFields]:
        number = args.number(minimum) if default is None or args.has_number() else default
        return [] if number == no_effect else [{name: number}]

    return Codec(read, lambda rule, _: [str(getattr(rule, name))])


def line(minimum: int = 2) -> Codec:
    """The cells of a line; a line of fewer than `minimum` cells has no effect."""

    def read(args: Arguments) -> list[RuleFields]:
        return [{"line": cells}] if len(cells := args.cells()) >= minimum else []

    return Codec(read, lambda rule, geometry: write_cells(rule.line, geometry))


def cells(name: str, minimum: int = 1, *, once: bool = False) -> Codec:
    return field(name, write_cells)(lambda args: args.cells(minimum, once=once))


def distinct_cells(name: str) -> Codec:
    """Cells; repeated ones are dropped."""
    return field(name, write_cells)(lambda args: tuple(dict.fromkeys(args.cells())))


each_cell = Codec(
    lambda args: [{"cell": cell} for cell in args.cells()],
    lambda rule, geometry: write_cell(rule.cell, geometry),
)


def word(name: str, expected: str, **meanings: object) -> Codec:
    """One of the words in `meanings`, such as a direction."""

    def read(args: Arguments) -> object:
        word = args.next(expected)
        if word.text.upper() not in meanings:
            raise args.wrong(word, expected)
        return meanings[word.text.upper()]

    return field(name, lambda value, _: [key for key in meanings if meanings[key] == value])(read)


direction = word("rising", "'1' or '-1', the direction of the diagonal", **{"1": True, "-1": False})
row_or_column_indexed = word("row", "'R' or 'C'", R=True, C=False)


def condition(is_met: Callable[[Context], bool], expected: str) -> Codec:
    """A codec without arguments, which raises InvalidPuzzle unless the grid meets a condition."""

    def read(args: Arguments) -> list[RuleFields]:
        if not is_met(args.context):
            raise args.wrong(args.type, expected)
        return [{}]

    return Codec(read, write_nothing)


needs_values_1_to_9 = condition(
    lambda context: context.geometry.values == range(1, 10),
    "a grid of side 9 with the values 1 to 9",
)
needs_no_zero = condition(
    lambda context: context.geometry.lowest != 0, "a grid whose values start at 1"
)


@field("regions")
def regions(args: Arguments) -> object:
    if not args.context.regions:
        raise args.wrong(
            args.type, "a grid with boxes or a jigsaw and without '.ChaosConstruction'"
        )
    return args.context.regions


@field("line", lambda cells, geometry: [line_word(geometry, cells)])
def row_or_column(args: Arguments) -> tuple[int, ...]:
    return args.row_or_column()


@codec(lambda rule, geometry: write_cells((rule.a, rule.b), geometry))
def pairs_of_neighbours(args: Arguments) -> Iterator[RuleFields]:
    """All pairs of neighbours among the cells. Cells without a neighbour have no effect."""
    cells = args.cells(2, once=True)
    indices = {cell: index for index, cell in enumerate(cells)}
    pairs = adjacent_pairs(args.geometry, cells)
    index_pairs = sorted(sorted(indices[cell] for cell in pair) for pair in pairs)
    paired = {*chain.from_iterable(index_pairs)}
    for index, word in enumerate(args.phrase.words):
        if index not in paired:
            args.add_unread(word)
    return ({"a": cells[a], "b": cells[b]} for a, b in index_pairs)


def clues_at_ends(
    limits: Callable[[Geometry], tuple[int, int | None]] = lambda _: (1, None),
) -> Codec:
    """A row or column with clues at its beginning and its end, one of which may be missing.

    `limits` returns the minimum and the maximum of clues; the maximum may be None.
    """

    def read(args: Arguments) -> Iterator[RuleFields]:
        line, clues = args.row_or_column(), args.phrase.words[1:3]
        if not any(clue.text for clue in clues):
            raise args.short("a number")
        for clue, cells in zip(clues, (line, line[::-1]), strict=False):
            args.next("a number")
            if clue.text:
                yield {"line": cells, "number": args.number_in(clue, *limits(args.geometry))}

    def write(rule: outside.OutsideClue, geometry: Geometry) -> list[str]:
        before = [] if rule.line[0] < rule.line[-1] else [""]
        return [line_word(geometry, rule.line), *before, str(rule.number)]

    return Codec(read, write)


def value_limits(geometry: Geometry) -> tuple[int, int]:
    return geometry.values[0], geometry.values[-1]


def rank_limits(geometry: Geometry) -> tuple[int, int]:
    """The limits of a rank. In a square grid, each end of each row and column has a rank."""
    return 1, 4 * geometry.side


def _check_units(args: Arguments) -> None:
    """Raise InvalidPuzzle for a grid whose rows and columns may repeat values."""
    if not args.context.has_units:
        raise args.wrong(args.type, "a grid whose '.Shape' is not 'Raw'")


def ties_of(args: Arguments) -> str:
    """The argument of `.FullRankTies`: which lines of equal rank it allows."""
    _check_units(args)
    expected = "'none', 'only-unclued' or 'any'"
    word = args.next(expected)
    if word.text not in ("none", "only-unclued", "any"):
        raise args.wrong(word, expected)
    return word.text


no_ties = Codec(lambda args: [{}] if ties_of(args) == "none" else [], lambda *_: ["none"])


@field("tied")
def allows_ties(args: Arguments) -> bool:
    _check_units(args)
    if args.context.ties is None:
        raise args.wrong(args.type, "no '.FullRankTies', because a group contains '.FullRank'")
    return args.context.ties == "any"


def read_cage(args: Arguments) -> Iterator[Rule]:
    """Yield the rules of a cage.

    The sum may be empty. A cell is added as often as it is listed.
    """
    word = args.next("a number")
    total, cells = args.number_in(word, 0) if word.text else 0, args.cells()
    group = tuple(dict.fromkeys(cells))
    if not total or len(group) == len(cells):
        yield cages.Cage(group, total or None)
    else:
        yield from (cages.Cage(group), cages.Sum(tuple(Counter(cells).items()), total))


def write_cage(rule: cages.Cage, geometry: Geometry) -> list[str]:
    return [str(rule.total or 0), *write_cells(rule.cells, geometry)]


def _weighted_words(rule: cages.Sum, geometry: Geometry) -> list[str]:
    cells, weights = zip(*rule.terms, strict=True)
    factors = ["=", *map(str, weights)] if {*weights} != {1} else []
    return ["_".join((str(rule.total), *factors)), *write_cells(cells, geometry)]


@codec(_weighted_words)
def sum_terms(args: Arguments) -> Iterator[RuleFields]:
    """A sum, optionally with a factor for each cell, such as `12_=_1_-2`."""
    word = args.next("a number")
    numbers = word.text.split("_")
    if not all(_WEIGHT.fullmatch(text) for text in (numbers[0], *numbers[2:])):
        raise args.wrong(word, "a number, or '12_=_1_-2'")
    if numbers[1:2] not in ([], ["="]):
        raise args.wrong(word, "'=' after the sum")
    total, cells = int(numbers[0]), args.cells()
    weights = [*map(int, numbers[2:])] if len(numbers) > 1 else [1] * len(cells)
    if max(map(abs, weights), default=0) > _MAX_WEIGHT:
        raise args.wrong(word, f"factors from -{_MAX_WEIGHT} to {_MAX_WEIGHT}")
    if len(weights) != len(cells):
        raise args.wrong(word, f"{len(cells)} factors")
    terms: Counter[int] = Counter()
    for cell, weight in zip(cells, weights, strict=True):
        terms[cell] += weight
    yield {"terms": tuple(terms.items()), "total": total}


def _sum_line_words(rule: lines.SumLine, geometry: Geometry) -> list[str]:
    return [str(rule.total), *write_cells(rule.line, geometry), *[_LOOP] * rule.loop]


@codec(_sum_line_words)
def sum_line(args: Arguments) -> Iterator[RuleFields]:
    is_loop = any(word.text == _LOOP for word in args.phrase.words[-1:])
    # ISS accepts a loop of zeros only for a sum of 1
    minimum = 2 if is_loop and args.geometry.lowest == 0 else 1
    total, words = args.number(minimum, _MAX_SEGMENT_SUM), args.rest(1)
    cells = tuple(map(args.cell_in, words[:-1] if is_loop else words))
    if not cells:
        raise args.short("at least 1 cell")
    yield {"line": cells, "total": total, "loop": is_loop}


@field("values", write_joined)
def joined_values(args: Arguments) -> tuple[int, ...]:
    return args.values_in(args.next("values, such as '1_2_2'"))


def read_look_and_say(args: Arguments) -> Iterator[Rule]:
    """Yield the rules of pairs of a count and a value: `1223` is one 2 and two 3s, `02` is no 2."""
    expected = "pairs of a count and a value, each value once"
    word = args.next(expected)
    counts, values = word.text[::2], word.text[1::2]
    if not values or len(counts) != len(values) or len({*values}) < len(values):
        raise args.wrong(word, expected)
    count_of = {
        args.value_in(word._replace(text=value)): args.number_in(word._replace(text=count), 0)
        for count, value in zip(counts, values, strict=True)
    }
    group = args.cells(once=True)
    if wanted := tuple(Counter(count_of).elements()):
        yield cages.Contains(group, wanted, exactly=True)
    allowed = tuple(value for value in args.geometry.values if count_of.get(value, 1))
    if len(allowed) < len(args.geometry.values):
        yield from (Among(cell, allowed) for cell in group)


@codec(lambda rule, geometry: write_cells((rule.counter, *rule.counted), geometry))
def count_of_values(args: Arguments) -> Iterator[RuleFields]:
    counter = args.cell()
    counted = args.cells(once=True)
    yield {"counter": counter, "counted": counted}


def _lockout_words(rule: lines.Lockout, geometry: Geometry) -> list[str]:
    return [str(rule.difference), *write_cells(rule.line, geometry)]


@codec(_lockout_words)
def lockout(args: Arguments) -> Iterator[RuleFields]:
    """A difference, then a line. With the difference 0, a line of two cells has no effect."""
    difference, cells = args.number(), args.cells(2)
    if difference:
        yield {"difference": difference, "line": cells}
    elif len(cells) > 2:
        word = args.phrase.words[0]
        raise args.wrong(
            word, "a difference of at least 1, since there are cells between the ends,"
        )


@field("parts", write_parts)
def separated_groups(args: Arguments) -> tuple[tuple[int, ...], ...]:
    parts = tuple(tuple(map(args.cell_in, part)) for part in args.parts(SEPARATOR))
    if len(parts) < 2 or not all(parts):
        expected = f"at least two groups of cells, separated by '{SEPARATOR}'"
        raise args.short(expected, len(args.phrase.words))
    return parts


@field(
    "parts",
    lambda parts, geometry: [str(len(parts)), *write_cells(chain.from_iterable(parts), geometry)],
)
def equal_groups(args: Arguments) -> tuple[tuple[int, ...], ...]:
    number = args.number(minimum=2, maximum=args.geometry.size)
    cells = args.cells()
    size, rest = divmod(len(cells), number)
    if rest:
        raise args.short(f"cells for {number} groups of equal size", len(cells))
    return tuple(cells[start : start + size] for start in range(0, len(cells), size))


def _arrow_words(rule: cages.Arrow, geometry: Geometry) -> list[str] | None:
    return write_cells(rule.circle + rule.shaft, geometry) if len(rule.circle) == 1 else None


@codec(_arrow_words)
def arrow(args: Arguments) -> Iterator[RuleFields]:
    circle, *shaft = args.cells(2)
    yield {"circle": (circle,), "shaft": tuple(shaft)}


def _pill_words(rule: cages.Arrow, geometry: Geometry) -> list[str] | None:
    size, cells = len(rule.circle), (*sorted(rule.circle), *rule.shaft)
    return [str(size), *write_cells(cells, geometry)] if size > 1 else None


@codec(_pill_words)
def pill_arrow(args: Arguments) -> Iterator[RuleFields]:
    """An arrow. The first `size` cells are its circle; their digits form one number."""
    size = args.number(minimum=2, maximum=cages.MAX_CIRCLE)
    cells = args.cells(size + 1)
    yield {"circle": tuple(sorted(cells[:size])), "shaft": cells[size:]}


@field("cells", lambda cells, geometry: write_cell(min(cells), geometry))
def square(args: Arguments) -> tuple[int, ...]:
    """The four cells of a square, given by the top left one."""
    corner = args.next("a cell, and values")
    row, column = args.geometry.place(args.cell_in(corner))
    corners = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
    cells = [cell for place in corners if (cell := args.geometry.cell_at(*place)) is not None]
    if len(cells) < 4:
        raise args.wrong(corner, "the top left cell of four")
    return tuple(cells)


@field("values", lambda values, _: map(str, values))
def values(args: Arguments) -> tuple[int, ...]:
    words = args.rest()
    if not words:
        raise args.short("a cell, and values")
    return tuple(map(args.value_in, words))


@field("line", lambda cells, geometry: write_cell(cells[0], geometry))
def diagonal(args: Arguments) -> tuple[int, ...]:
    """The diagonal from a cell at the edge, which determines the direction."""
    corner = args.next("at least 1 cell")
    cell, (rows, columns) = args.cell_in(corner), args.context.line_counts
    row, column = args.geometry.place(cell)
    steps: list[tuple[bool, RowColumn]] = [
        (column == 1, (1, 1)),
        (row == 1, (1, -1)),
        (column == columns, (-1, -1)),
        (row == rows, (-1, 1)),
    ]
    diagonals = [
        cells_along(args.geometry, (row, column), step) for applies, step in steps if applies
    ]
    is_lower_corner = row == rows and column in (1, columns)
    if not diagonals or is_lower_corner or cell >= args.geometry.grid_size:
        raise args.wrong(corner, "a cell at the edge of the grid, except its lower corners")
    return max(diagonals, key=len)
