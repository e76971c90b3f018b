"""Write puzzles and solutions as text, and read solutions.

If the format of a puzzle has `has_solutions`, its solutions are filled puzzles in the same
notation. Other solutions are rows of values: a line for each row of the bounding rectangle, or, in
a free geometry, for each row of the grid and each group of extra cells.

If all values are at most 9, they are digits without separators, and a space is a place without a
cell. Otherwise they are numbers separated by one space, and `-` is a place without a cell. Places
without a cell are omitted at the end of a line. The text does not contain the geometry, so
`read_values` requires it.
"""

from __future__ import annotations

from pipeline.errors import InputError, InvalidPuzzle, counted
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.detect import BY_NAME, is_written_as_values
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import quote

_MAX_DIGIT = 9
"""The largest value for which values are written without separators."""


def render_puzzle(puzzle: Puzzle, format_name: str) -> str:
    r"""Write a puzzle in a format, or in the notation that `Parsed.format` names.

        >>> from pipeline import parse_puzzle
        >>> render_puzzle(parse_puzzle("1.....2..3.....4"), "grid")
        '1...\n..2.\n.3..\n...4\n'

    Raises ValueError if the format cannot express the puzzle, and KeyError for an unknown format.
    """
    name, _, notation = format_name.partition(" ")
    render = BY_NAME[name].render
    if render is None:
        raise ValueError(f"puzzles cannot be written as {name}")
    return render(puzzle, notation)


def solution_text(parsed: Parsed, grid: Grid) -> str:
    """Write a solution as a filled puzzle in the notation of the puzzle, or as rows of values."""
    if is_written_as_values(parsed.format, parsed.puzzle):
        return write_values(grid)
    return render_puzzle(Puzzle.of_values(grid.geometry, grid.values), parsed.format)


def parsed_from(puzzle: Puzzle) -> Parsed:
    """Wrap a puzzle that was not read from a text, with a format that can express it."""
    if not puzzle.is_plain:
        return Parsed(puzzle, "values", "it was not read", "rules")
    geometry = puzzle.geometry
    has_marks = not {geometry.even_values, geometry.odd_values}.isdisjoint(puzzle.cells)
    for name in ("grid", "boxes"):
        try:
            render_puzzle(puzzle, name)
        except ValueError:
            continue
        return Parsed(puzzle, name, "it was not read", "even-odd" if has_marks else "classic")
    return Parsed(puzzle, "boxes", "it was not read", "classic")


def write_values(grid: Grid) -> str:
    """Write a grid as rows of values, as `read_values` reads them."""
    geometry = grid.geometry
    separator, no_cell = _value_notation(geometry)
    return "".join(
        separator.join(no_cell if cell is None else str(grid.values[cell]) for cell in row) + "\n"
        for row in _rows(geometry)
    )


def filled_grid(puzzle: Puzzle, source: str) -> Grid:
    """The grid of a puzzle all of whose cells are given. Raises InputError for any other puzzle."""
    values = dict(puzzle.givens())
    for cell in range(len(puzzle.cells)):
        if cell not in values:
            row, column = puzzle.geometry.place(cell)
            raise InputError(f"{source}: the cell in row {row}, column {column} is empty")
    return Grid(puzzle.geometry, tuple(values[cell] for cell in range(len(values))))


def read_values(data: bytes, source: str, geometry: Geometry) -> Grid:
    """Read rows of values as `write_values` writes them; messages name the `source`.

    Raises InvalidPuzzle for any other text.
    """
    rows, lines = _rows(geometry), data.decode(errors="replace").split("\n")
    rest = lines.pop()
    if rest or len(lines) < len(rows):
        number = min(len(lines), len(rows)) + 1
        found = quote(rest) if rest else counted(len(lines), "line")
        expected = f"{counted(len(rows), 'line')}, each with a line end"
        raise InvalidPuzzle(source, number, 1, expected, found, truncated=number <= len(rows))
    if len(lines) > len(rows):
        found = quote(lines[len(rows)])
        raise InvalidPuzzle(source, len(rows) + 1, 1, "the end of the file", found)
    values = [0] * geometry.size
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), 1):
        for cell, value in _values_in(line, row, geometry, (source, number)):
            values[cell] = value
    return Grid(geometry, tuple(values))


def _values_in(
    line: str, row: list[int | None], geometry: Geometry, location: tuple[str, int]
) -> list[tuple[int, int]]:
    """The cells and values in a line; `location` is the source and the number of the line."""
    separator, no_cell = _value_notation(geometry)
    value_of_word = {str(value): value for value in geometry.values}
    words = line.split(separator) if separator and line else [*line]
    values, column = [], 1
    for index, cell in enumerate(row):
        word = words[index] if index < len(words) else ""
        if cell is None and word != no_cell:
            expected = f"{no_cell!r}, because there is no cell"
            raise InvalidPuzzle(*location, column, expected, _quote_or_nothing(word))
        if cell is not None:
            if word not in value_of_word:
                expected = f"a value from {geometry.lowest} to {geometry.values[-1]}"
                raise InvalidPuzzle(*location, column, expected, _quote_or_nothing(word))
            values.append((cell, value_of_word[word]))
        column += len(word) + len(separator)
    if len(words) > len(row):
        expected = f"the end of a line of {counted(len(row), 'place')}"
        raise InvalidPuzzle(*location, column, expected, _quote_or_nothing(words[len(row)]))
    return values


def _quote_or_nothing(word: str) -> str:
    return quote(word) if word else "nothing"


def _value_notation(geometry: Geometry) -> tuple[str, str]:
    """The separator of values, and the character of a place without a cell."""
    return ("", " ") if geometry.values[-1] <= _MAX_DIGIT else (" ", "-")


def _rows(geometry: Geometry) -> list[list[int | None]]:
    """The cells of each row of the extent, up to its last cell; None for a place without a cell.

    In a free geometry, each group of extra cells is a row too.
    """
    if geometry.free_grid:
        return [[*cells] for _, cells in geometry.free_grid.rows_and_groups()]
    height, width = geometry.extent
    rows = [
        [geometry.cell_at(row, column) for column in range(1, width + 1)]
        for row in range(1, height + 1)
    ]
    for row in rows:
        while row and row[-1] is None:
            row.pop()
    return rows
