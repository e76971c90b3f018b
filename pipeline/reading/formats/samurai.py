"""Samurai: five 9×9 grids, one per line; the middle grid shares its corner boxes with the others.

The lines are the upper left, the upper right, the middle, the lower left and the lower right grid.

The five lines are one puzzle if they agree in all shared cells, and at least one shared cell is not
blank. Otherwise, if no given contradicts another one or the rules, the lines may be one puzzle or
five, and the format must be declared.

A samurai may also be a picture, as its solutions are: 21 rows of up to 21 characters, optionally
separated by spaces. A space, `-` or another blank marks a place outside the five grids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from pipeline.errors import counted
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats.alphabets import digits_or_letters
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import BLANKS, DIGITS
from pipeline.reading.formats.frames import Frame, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, Word
from pipeline.settings import Reading

SAMURAI_GEOMETRY = Geometry(3, 3, ((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))
"""The geometry of a samurai, with its grids in the order of the lines."""

_SIDE = SAMURAI_GEOMETRY.side
_GRID_COUNT = len(SAMURAI_GEOMETRY.grids)
_EXTENT = SAMURAI_GEOMETRY.extent[0]
_CERTAIN = "5 lines of 81 cells that agree where the grids share boxes"
_UNCERTAIN = "5 lines of 81 cells that may be one puzzle or five"


def recognise_samurai(text: Text) -> str | None:
    if _is_picture(text):
        return f"{_EXTENT} rows with gaps where there is no grid"
    return reason_for_lines([row.cells for row in text.rows])


def reason_for_lines(lines: Sequence[str]) -> str | None:
    """The reason to read lines of cells as one samurai; None if they cannot be one."""
    if len(lines) != _GRID_COUNT or any(len(line) != _SIDE**2 for line in lines):
        return None
    characters_by_cell: dict[int, list[str]] = {}
    for cell, character in zip(_cells(), chain.from_iterable(lines), strict=True):
        characters_by_cell.setdefault(cell, []).append(character)
    shared = [pair for pair in characters_by_cell.values() if len(pair) > 1]
    blanks = {*"".join(lines)} - {*DIGITS}
    if all(one == other for one, other in shared) and any(one in DIGITS for one, _ in shared):
        return _CERTAIN
    if len(blanks) > 1 or not blanks <= {*BLANKS}:
        return None
    given = {cell: {*characters} - blanks for cell, characters in characters_by_cell.items()}
    geometry = SAMURAI_GEOMETRY
    units = chain(geometry.rows(), geometry.columns(), geometry.boxes())
    in_units = ([digit for cell in unit for digit in given[cell]] for unit in units)
    are_units_sound = all(len({*digits}) == len(digits) for digits in in_units)
    are_cells_sound = all(len(digits) < 2 for digits in given.values())
    return _UNCERTAIN if are_units_sound and are_cells_sound else None


def _cells() -> Iterator[int]:
    """Yield the cell of each character of the five lines, in order."""
    return chain.from_iterable(SAMURAI_GEOMETRY.rows())


def _is_picture(text: Text) -> bool:
    """Whether a text has 21 rows with a character for each cell, and only blanks elsewhere."""
    if len(text.rows) != _EXTENT:
        return False
    placed = [*_picture_places(text)]
    gaps = [word.text for cell, word in placed if cell is None]
    return len(placed) - len(gaps) == SAMURAI_GEOMETRY.size and {*gaps} <= {" ", *BLANKS}


def _picture_places(text: Text) -> Iterator[tuple[int | None, Word]]:
    """Yield the cell at each place, or None outside the grids, and the word at this place."""
    for row, line in enumerate(text.rows, 1):
        for column, word in enumerate(_row_places(line), 1):
            yield SAMURAI_GEOMETRY.cell_at(row, column), word


def _row_places(line: TextLine) -> list[Word]:
    """Split a row into a word for each place: 21 words, or else single characters.

    If spaces separate all characters, they are left out.
    """
    words = [*line.words()]
    single = [Word(line.number, *placed) for placed in enumerate(line.text.rstrip(), 1)]
    if len(single) > _EXTENT and not any(word.text.strip() for word in single[1::2]):
        single = single[::2]
    return words if len(words) == _EXTENT else single


def parse_samurai(text: Text, reading: Reading) -> Parsed:
    rows = text.rows or text.lines
    reason = None if _is_picture(text) else reason_for_lines([row.cells for row in rows])
    if reading.format == "auto" and reason == _UNCERTAIN:
        expected = "--format samurai for one puzzle, or --format lines for five"
        raise text.error(None, None, expected, _UNCERTAIN, code="ambiguous")
    return puzzle_of_frame(text, _frame(text, rows), digits_or_letters, reading)


def _frame(text: Text, rows: Sequence[TextLine]) -> Frame:
    if _is_picture(text):
        placed = [(cell, word) for cell, word in _picture_places(text) if cell is not None]
        frame = Frame.of_words([word for _, word in placed], SAMURAI_GEOMETRY)
        return frame._replace(cells=[cell for cell, _ in placed])
    expected, fault = "5 lines of 81 cells", None
    short = next((row for row in rows if len(row.cells) != _SIDE**2), None)
    if short:
        fault = text.after_line(short, "81 cells", counted(len(short.cells), "cell"))
    elif len(rows) < _GRID_COUNT:
        fault = text.at_end(expected, counted(len(rows), "line"))
    elif len(rows) > _GRID_COUNT:
        fault = text.at_line(rows[_GRID_COUNT], expected, counted(len(rows), "line"))
    words = [word for row in rows for word in row.placed_cells()]
    return Frame.of_words(words, SAMURAI_GEOMETRY, fault)._replace(cells=[*_cells()])


SAMURAI = Format("samurai", recognise_samurai, parse_samurai)
