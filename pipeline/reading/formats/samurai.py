"""Samurai: five grids of 9×9, one a line, that share the boxes in the corners of the third.

    the upper left, the upper right, the middle, the lower left and the lower right grid

The five lines are one puzzle if they agree in all shared cells and these are not all blank. If
together they give no cell two values, and no unit a value twice, they may be one or five: then the
format has to be declared.

Or a picture, as solutions are written: 21 rows of up to 21 places, perhaps with a space between all
places. A space, `-` or any other blank stands for a place without a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pipeline.errors import counted
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import BLANKS, DIGITS, values_in
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.ruled import given_masks
from pipeline.reading.formats.text import Text, TextLine, Word
from pipeline.settings import Reading

SAMURAI_GEOMETRY = Geometry(3, 3, ((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))
"""The grids in the order of the lines."""

_SIDE = SAMURAI_GEOMETRY.side
_GRIDS = len(SAMURAI_GEOMETRY.grids)
_EXTENT = SAMURAI_GEOMETRY.extent[0]
_SURE = "5 lines of 81 cells that agree where the grids share boxes"
_UNSURE = "5 lines of 81 cells that may be one puzzle or five"


def recognise_samurai(text: Text) -> str | None:
    if _is_picture(text):
        return f"{_EXTENT} rows with gaps where there is no grid"
    return judge_lines([row.cells for row in text.rows])


def judge_lines(lines: Sequence[str]) -> str | None:
    """Why lines of cells are one puzzle, or that they may be; None if they are not."""
    if len(lines) != _GRIDS or any(len(line) != _SIDE**2 for line in lines):
        return None
    signs: dict[int, list[str]] = {}
    for cell, sign in zip(_cells(), chain.from_iterable(lines), strict=True):
        signs.setdefault(cell, []).append(sign)
    shared = [pair for pair in signs.values() if len(pair) > 1]
    blanks = {*"".join(lines)} - {*DIGITS}
    if all(one == other for one, other in shared) and any(one in DIGITS for one, _ in shared):
        return _SURE
    if len(blanks) > 1 or not blanks <= {*BLANKS}:
        return None
    given = {cell: {*found} - blanks for cell, found in signs.items()}
    geometry = SAMURAI_GEOMETRY
    units = chain(geometry.rows(), geometry.columns(), geometry.boxes())
    in_units = ([sign for cell in unit for sign in given[cell]] for unit in units)
    is_sound = all(len({*each}) == len(each) for each in in_units)
    return _UNSURE if is_sound and all(len(each) < 2 for each in given.values()) else None


def _cells() -> Iterator[int]:
    """The cells of the lines, grid by grid and row by row."""
    return chain.from_iterable(SAMURAI_GEOMETRY.rows())


def _is_picture(text: Text) -> bool:
    if len(text.rows) != _EXTENT:
        return False
    placed = [*_picture(text)]
    gaps = [word.text for cell, word in placed if cell is None]
    return len(placed) - len(gaps) == SAMURAI_GEOMETRY.size and {*gaps} <= {" ", *BLANKS}


def _picture(text: Text) -> Iterator[tuple[int | None, Word]]:
    """Each place with its cell, None in the gaps."""
    for row, line in enumerate(text.rows, 1):
        for column, word in enumerate(_places(line), 1):
            yield SAMURAI_GEOMETRY.cell_at(row, column), word


def _places(line: TextLine) -> list[Word]:
    words = [*line.words()]
    signs = [*enumerate(line.text.rstrip(), 1)]
    if len(signs) > _EXTENT and not any(sign.strip() for _, sign in signs[1::2]):
        signs = signs[::2]
    single = [Word(line.number, column, sign) for column, sign in signs]
    return words if len(words) == _EXTENT else single


def parse_samurai(text: Text, reading: Reading) -> Parsed:
    if _is_picture(text):
        return _found(text, _picture(text))
    rows, expected = text.rows or text.lines, "5 lines of 81 cells"
    for row in rows:
        if len(row.cells) != _SIDE**2:
            raise text.behind(row, "81 cells", counted(len(row.cells), "cell"))
    if len(rows) < _GRIDS:
        raise text.at_end(expected, counted(len(rows), "line"))
    if len(rows) > _GRIDS:
        raise text.at_line(rows[_GRIDS], expected, counted(len(rows), "line"))
    if reading.format == "auto" and judge_lines([row.cells for row in rows]) == _UNSURE:
        expected = "--format samurai for one puzzle, or --format lines for five"
        raise text.error(None, None, expected, _UNSURE)
    words = chain.from_iterable(row.placed_cells() for row in rows)
    return _found(text, zip(_cells(), words, strict=True))


def _found(text: Text, placed: Iterable[tuple[int | None, Word]]) -> Parsed:
    """The puzzle with these words in its cells; a shared one may be given in one grid or both."""
    cells, words = zip(*((cell, word) for cell, word in placed if cell is not None), strict=True)
    values = values_in(text, words, DIGITS, "a digit")
    given = [(cell, 1 << value - 1) for cell, value in zip(cells, values, strict=True) if value]
    masks, contradicting = given_masks(SAMURAI_GEOMETRY, given)
    return Parsed(Puzzle(SAMURAI_GEOMETRY, masks, tuple(contradicting)), variant="rules")


SAMURAI = Format("samurai", recognise_samurai, parse_samurai)
