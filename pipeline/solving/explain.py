"""Why a puzzle has no solution or several, and how to show where: for people, not for proof."""

from __future__ import annotations

import codecs
import contextlib
import io
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations, islice, pairwise
from math import comb
from operator import and_
from typing import Literal

from pipeline.certify import clashing_givens
from pipeline.errors import EnvironmentFailure, SolverError, counted, printable
from pipeline.limits import Limits
from pipeline.puzzle.builder import ClauseBuilder
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.geometry import Geometry, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.encode import Numbering, encode_puzzle
from pipeline.solving.solvers.pysat import Pysat, Satisfiable

LIMITS = Limits(2.0)
"""Default limits of an explanation."""

LARGEST_SIDE = 36
"""Its rules are 3.3 million clauses and take seconds to load; those of 49×49 are 11 million."""

_MOST_TOLD = 8
"""Clues that a sentence names; for more a drawing is clearer."""

_MOST_TRIED = 100
"""Grids for which decisive cells are sought."""

_MOST_SETS = 300_000
"""Combinations of values that are tried to find out whether fewer would do: some 0.1 s."""

Holders = dict[int, dict[int, int]]
"""For each cell in which grids differ: value → the set of grids (a bit each) with it there."""

_EVEN, _ODD, _OTHER = "*", ".", "?"
_GAP, _WIDEST = 4, 100
"""Columns between two boards, and those of a line with both."""

_ESCAPE = re.compile(r"\x1b\[\dm")

_NARROWEST = 20
_CUT = "…"

LARGEST_SHOWN = 1024 * 1024
"""Bytes of the largest source of which a line is shown."""


@dataclass(frozen=True, slots=True)
class Clue:
    """The content that a cell must have: a value, or a mark: `even`, `odd` or a list of values.

    Row and column count from 1. A cell outside the grid has a `name` too.
    """

    row: int
    column: int
    holds: int | Literal["even", "odd"] | tuple[int, ...]
    name: str = ""

    @classmethod
    def at(cls, cell: int, puzzle: Puzzle) -> Clue:
        """The clue in a cell that is not blank."""
        geometry, mask = puzzle.geometry, puzzle.cells[cell]
        place, values = geometry.place(cell), tuple(values_of(mask, geometry.lowest))
        name = geometry.name_of(cell) if cell >= geometry.inner else ""
        if len(values) == 1:
            return cls(*place, values[0], name)
        if mask == geometry.even_values:
            return cls(*place, "even", name)
        return cls(*place, "odd" if mask == geometry.odd_values else values, name)

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    @property
    def value(self) -> int | None:
        """The value, unless it is a mark."""
        return self.holds if isinstance(self.holds, int) else None

    def __str__(self) -> str:
        holds = " or ".join(map(str, self.holds)) if isinstance(self.holds, tuple) else self.holds
        return f"{holds} in {self.name or f'row {self.row}, column {self.column}'}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues and rules that no grid can keep together, and a sentence.

    The clues are in the order of their cells; `rules` are the places of rules in `Puzzle.rules`.
    `minimal`: without any one of them there is such a grid. False if time was too short to leave
    out all that is not needed.
    """

    clues: tuple[Clue, ...]
    message: str
    minimal: bool
    rules: tuple[int, ...] = ()

    def places(self) -> tuple[tuple[int, int], ...]:
        return tuple(clue.place for clue in self.clues)


def explain_conflict(
    puzzle: Puzzle, engine: Pysat | None = None, limits: Limits = LIMITS
) -> Conflict | None:
    """Explain why an unsolvable puzzle has no solution; None if that takes too long.

    Two equal givens in a unit come first. Failing these, `engine` looks for a small set of givens,
    marks and rules; without one, a new engine, which takes 0.1 s to start. Raises SolverError if
    the puzzle has a solution after all.
    """
    if clash := clashing_givens(puzzle):
        cell_at = puzzle.geometry.cell_at
        cells = [cell for place in clash.cells if (cell := cell_at(*place)) is not None]
        return Conflict(_clues(puzzle, cells), clash.message, minimal=True)
    if puzzle.geometry.side > LARGEST_SIDE:
        return None
    clauses, clues_at, rules_at = _assumed(puzzle)
    try:
        with contextlib.nullcontext(engine) if engine else Pysat() as asked:
            found = asked.core(clauses, [*rules_at, *clues_at], limits)
    except Satisfiable as error:
        raise SolverError("the puzzle that was found to have no solution has one") from error
    except EnvironmentFailure:  # an explanation is an extra
        found = None
    if found is None:
        return None
    core, minimal = found
    clues = _clues(puzzle, [clues_at[each] for each in core if each in clues_at])
    rules = tuple(sorted(rules_at[each] for each in core if each in rules_at))
    told = [puzzle.rules[rule].describe(puzzle.geometry) for rule in rules]
    return Conflict(clues, _sentence(clues, told, minimal=minimal), minimal, rules)


def _clues(puzzle: Puzzle, cells: Iterable[int]) -> tuple[Clue, ...]:
    return tuple(Clue.at(cell, puzzle) for cell in sorted(cells))


def _sentence(clues: Sequence[Clue], rules: Sequence[str], *, minimal: bool) -> str:
    """Name the clues by their places and the rules by their names, or count them."""
    if rules and minimal and len(clues) + len(rules) <= _MOST_TOLD:
        named = [*map(str, clues), *rules]
        if len(named) == 1:
            return f"{named[0]} leaves no solution"
        return f"{', '.join(named[:-1])} and {named[-1]} leave no solution"
    givens = sum(clue.value is not None for clue in clues)
    kinds = {"given": givens, "mark": len(clues) - givens, "rule": len(rules)}
    said = " and ".join(counted(number, noun) for noun, number in kinds.items() if number)
    if not said:
        return "rows, columns and boxes alone have no solution"
    if not minimal:
        return f"{said} have no solution together; there was no time to find fewer"
    number = len(clues) + len(rules)
    fewer = "either of them does" if number == 2 else f"any {number - 1} of them do"
    named = [*map(str, clues), *rules]
    if rest := named[_MOST_TOLD:]:
        named = [*named[:_MOST_TOLD], f"and {len(rest)} more"]
    return f"{said} have no solution together, though {fewer}: {'; '.join(named)}"


def _assumed(puzzle: Puzzle) -> tuple[Iterable[Clause], dict[int, int], dict[int, int]]:
    """Clauses, the assumption of each clue → its cell, and that of each rule → its place.

    A given is assumed by its candidate's variable, a mark by a variable of its own that implies
    that the forbidden values are absent, a rule by one that implies its clauses.
    """
    geometry = puzzle.geometry
    units = encode_puzzle(Puzzle.empty(geometry), "extended")
    before = Numbering(geometry).before
    made = ClauseBuilder(geometry.side, geometry.size, lowest=geometry.lowest)
    cells: dict[int, int] = {}
    for cell, mask in enumerate(puzzle.cells):
        if mask == geometry.all_values:
            continue
        if mask & (mask - 1):
            assumption = made.new()
            forbidden = values_of(geometry.all_values & ~mask, geometry.lowest)
            for value in forbidden:
                made.add(-assumption, -(before(cell) + value))
        else:
            assumption = before(cell) + next(values_of(mask, geometry.lowest))
        cells[assumption] = cell
    rules: dict[int, int] = {}
    for place, rule in enumerate(puzzle.rules):
        assumption = made.new()
        rules[assumption] = place
        with made.under(assumption):
            rule.encode(geometry, made)
    return chain(units.clauses(), made.made), cells, rules


@dataclass(frozen=True, slots=True)
class Difference:
    """The cells in which grids differ, row by row, and values that leave only one of the grids.

    Row and column count from 1. If `exact`, no fewer values than those of `decisive` leave a
    single grid; else that is not known.
    """

    cells: tuple[tuple[int, int], ...]
    decisive: tuple[Clue, ...]
    exact: bool


def explain_difference(grids: Sequence[Grid]) -> Difference:
    """Find where these grids, of one geometry and all different, differ.

    Decisive cells are chosen greedily for each grid, and the smallest choice is reported. For G
    grids it has at most 1 + ln G times as many cells as that grid needs (V. Chvátal, 1979).
    Raises ValueError for fewer than two grids, for equal ones and for several geometries.
    """
    different = {(grid.geometry, grid.values) for grid in grids}
    if not 2 <= len(different) == len(grids) or len({grid.geometry for grid in grids}) > 1:
        raise ValueError("only two or more grids of one geometry, no two of them equal, differ")
    place = grids[0].geometry.place
    holders = _holders(grids)
    alike = {frozenset(held.values()): cell for cell, held in reversed(holders.items())}
    options = {cell: holders[cell] for cell in sorted(alike.values())}
    tried = range(min(len(grids), _MOST_TRIED))
    found = ((index, _decisive(index, grids, options)) for index in tried)
    chosen, cells = min(found, key=lambda each: len(each[1]))
    return Difference(
        tuple(map(place, holders)),
        tuple(Clue(*place(cell), grids[chosen].values[cell]) for cell in sorted(cells)),
        _are_fewest(len(cells), [held for at in options.values() for held in at.values()]),
    )


def _are_fewest(size: int, sets: Sequence[int]) -> bool:
    """Whether no fewer of these sets have a single grid in common; False if they are too many."""
    if comb(len(sets), size - 1) > _MOST_SETS:
        return False
    common = (reduce(and_, some, -1) for some in combinations(sets, size - 1))
    return not any(left > 0 and not left & (left - 1) for left in common)


def _holders(grids: Sequence[Grid]) -> Holders:
    found, lowest = Holders(), grids[0].geometry.lowest
    for cell, column in enumerate(zip(*(grid.values for grid in reversed(grids)), strict=True)):
        if len(occurring := sorted(set(column))) > 1:
            held = bytes(value - lowest for value in column)
            found[cell] = {value: _places(held, value - lowest) for value in occurring}
    return found


def _places(held: bytes, byte: int) -> int:
    """The places of that byte, as a bit each, the last place being bit 0."""
    digits = bytearray(b"0" * 256)
    digits[byte] = ord("1")
    return int(held.translate(digits), 2)


def _decisive(index: int, grids: Sequence[Grid], holders: Holders) -> list[int]:
    """Choose cells greedily, each of which excludes the most of the remaining other grids."""
    values = grids[index].values
    left = (1 << len(grids)) - 1 & ~(1 << index)
    cells: list[int] = []
    while left:
        cell = min(holders, key=lambda cell: (holders[cell][values[cell]] & left).bit_count())
        cells.append(cell)
        left &= holders[cell][values[cell]]
    return cells


def marked_grid(puzzle: Puzzle, cells: Collection[tuple[int, int]], signs: str = "") -> str:
    """Draw the puzzle between box lines, with these cells (row, column from 1) in brackets.

    Even marks are `*` and odd ones `.`, as in files. Blanks are `.`, or `_` among marks. `signs`
    are those of the values 1, 2, … if not numbers. No newline at the end.
    """
    geometry = puzzle.geometry
    named = {1 << at: _sign(value, signs) for at, value in enumerate(geometry.values)}
    size = max(map(len, named.values()))
    marks = {geometry.even_values: _EVEN, geometry.odd_values: _ODD}
    marks = {mask: sign for mask, sign in marks.items() if mask not in named}
    named |= marks
    blank = "." if {*puzzle.cells} <= named.keys() - marks.keys() | {geometry.all_values} else "_"
    named[geometry.all_values] = blank
    shown = [named.get(mask, _OTHER) for mask in puzzle.cells]
    marked = frozenset(geometry.cell_at(row, column) for row, column in cells)
    return _between_lines(geometry, shown, size, marked)


def boxed_grid(
    grid: Grid,
    signs: str = "",
    bold: Collection[int] = frozenset(),
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw the grid between box lines, some cells in bold for a terminal, some in brackets.

    `signs` are those of the values 1, 2, … if not numbers. No newline at the end.
    """
    shown = [_sign(value, signs) for value in grid.values]
    size = max(map(len, shown))
    for cell in bold:
        shown[cell] = f"\x1b[1m{shown[cell]:>{size}}\x1b[0m"
    return _between_lines(grid.geometry, shown, size, marked)


def _sign(value: int, signs: str) -> str:
    return signs[value - 1 : value] or str(value)


def side_by_side(one: Grid, other: Grid, signs: str = "") -> str:
    """Draw two grids of one geometry as `boxed_grid` does, the cells that differ in brackets.

    Large ones stand one below the other.
    """
    pairs = enumerate(zip(one.values, other.values, strict=True))
    marked = frozenset(cell for cell, (a, b) in pairs if a != b)
    return abreast([boxed_grid(grid, signs, marked=marked) for grid in (one, other)], _WIDEST)


def abreast(boards: Sequence[str], columns: int) -> str:
    """Boards of one geometry, as many beside each other as there is room for in these columns."""
    lines, width = [board.splitlines() for board in boards], _columns(boards[0]) + _GAP
    count = room_for(boards[0], columns)
    blocks = []
    for start in range(0, len(lines), count):
        rows = zip(*lines[start : start + count], strict=True)
        padded = ("".join(line + " " * (width - _columns(line)) for line in row) for row in rows)
        blocks.append("\n".join(line.rstrip() for line in padded))
    return "\n\n".join(blocks)


def room_for(board: str, columns: int) -> int:
    """How many boards like this one `abreast` puts beside each other, at least 1."""
    return max(1, (columns + _GAP) // (_columns(board) + _GAP))


def _columns(board: str) -> int:
    """Columns of a board, or a line of it, in which only bold cells have escapes."""
    return max(map(len, _ESCAPE.sub("", board).splitlines()), default=0)


def _between_lines(
    geometry: Geometry,
    shown: Sequence[str],
    size: int,
    marked: Collection[int | None] = frozenset(),
) -> str:
    """Draw cells of that size between box lines, the marked ones in brackets.

    Boxes of one row or column have no lines; between several grids there is room.
    """
    rows, columns = geometry.extent
    height, width = _box(geometry)
    starts = range(1, columns + 1, width)
    lines: list[str] = []
    before: list[str] = []
    for row in range(1, rows + 1):
        pieces = []
        for start in starts:
            cells = [geometry.cell_at(row, column) for column in range(start, start + width)]
            pieces.append("".join(_in_cell(cell, shown, size, marked) for cell in cells))
        if before and row % height == 1:
            dashes = ("".join(pair).strip() for pair in zip(before, pieces, strict=True))
            between = ["-" * ((size + 2) * width) if each else "" for each in dashes]
            lines.append(_joined(between, (size + 2) * width, "+"))
        lines.append(_joined(pieces, (size + 2) * width, "|"))
        before = pieces
    return "\n".join(lines)


def _box(geometry: Geometry) -> tuple[int, int]:
    """Rows and columns between the lines; all of them if they would not be those of the boxes."""
    height, width = geometry.height, geometry.width
    in_step = all(top % height == 0 == left % width for top, left in geometry.grids)
    return (height, width) if geometry.has_boxes and in_step else geometry.extent


def _in_cell(
    cell: int | None, shown: Sequence[str], size: int, marked: Collection[int | None]
) -> str:
    if cell is None:
        return " " * (size + 2)
    return f"[{shown[cell]:>{size}}]" if cell in marked else f" {shown[cell]:>{size}} "


def _joined(pieces: Sequence[str], size: int, sign: str) -> str:
    """Pieces of a line of that size, with a sign between two unless both are empty."""
    line = pieces[0].ljust(size)
    for one, other in pairwise(pieces):
        line += (sign if one.strip() or other.strip() else " ") + other.ljust(size)
    return line.rstrip()


def line_at(data: bytes, number: int) -> str | None:
    """A line (from 1) of a source's bytes, numbered as in InvalidPuzzle; None if it has fewer.

    Also None for more than LARGEST_SHOWN bytes. What is not UTF-8 becomes U+FFFD.
    """
    if len(data) > LARGEST_SHOWN:
        return None
    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    line = next(islice(io.StringIO(text, newline=None), number - 1, None), None)
    return None if line is None else line.rstrip("\n")


def caret(line: str, column: int, width: int = 100) -> str:
    """The line, and below it a caret under its column (from 1; one past the end is allowed).

    At most `width` (at least 20) characters are shown: text far from the caret is replaced by
    `…`. A tab is one space, and unprintable characters are escaped. No newline at the end.
    """
    width = max(width, _NARROWEST)
    line = line.rstrip("\r\n").replace("\t", " ")
    at = min(max(column, 1), len(line) + 1) - 1
    before = printable(line[max(0, at - width) : at])
    here = printable(line[at : at + 1])
    after = printable(line[at + 1 : at + 1 + width])
    room = width - max(1, len(here))
    if len(before) + len(after) > room:
        room -= 2 * len(_CUT)
        on_the_right = min(len(after), room // 2)
        on_the_left = min(len(before), room - on_the_right)
        if on_the_left < len(before):
            before = _CUT + before[len(before) - on_the_left :]
        if room - on_the_left < len(after):
            after = after[: room - on_the_left] + _CUT
    return f"{before}{here}{after}\n{' ' * len(before)}^"
