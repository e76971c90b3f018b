"""Draw the position of a step, with its pattern and conclusions, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final, NamedTuple

from pipeline.puzzle.geometry import values_of
from pipeline.puzzle.puzzle import Rule
from pipeline.solving.drawing import PLAIN_BOARD, BoardStyle
from pipeline.steps.presentation.cell_borders import (
    Border,
    CellBorders,
    ascii_junction,
    box_drawing_junction,
    outlines_of,
    row_above,
    straight,
)
from pipeline.steps.presentation.picture import Picture, Role


class _Style(NamedTuple):
    """How candidates of a role are written: between two signs, and in a colour of ANSI."""

    before: str
    after: str
    colour: int
    meaning: str


_STYLES: Final[Mapping[Role, _Style]] = {
    Role.PATTERN: _Style("[", "]", 36, "pattern"),
    Role.SECOND: _Style("{", "}", 33, "second part of the pattern"),
    Role.FIN: _Style("<", ">", 35, "fin"),
    Role.ELIMINATED: _Style("(", ")", 31, "eliminated"),
    Role.PLACED: _Style("*", "*", 32, "placed"),
    Role.PLACE: _Style(":", ":", 36, "place of the step"),
}


def text_board(
    picture: Picture,
    rules: Iterable[Rule] = (),
    style: BoardStyle = PLAIN_BOARD,
) -> str:
    """Draw the candidates before a step; returns text without a newline at the end.

    Candidates with a role are written between signs, which the last line explains, so that the
    board can be read without colours. Rows and columns are numbered. Boxes and regions have solid
    borders, cages dotted ones, with the sum above the first cell.

    - `rules`: the rules of the puzzle; its regions and cages are drawn.
    - `style`: with colours, roles are also shown by bold text and colours.
    """
    geometry = picture.before.geometry
    borders = CellBorders(geometry, outlines_of(geometry, rules))
    junction = ascii_junction if style.is_ascii else box_drawing_junction(borders)
    texts = [_cell_text(picture, cell) for cell in range(geometry.size)]
    rows, columns = geometry.extent
    grid = [[geometry.cell_at(r, c) for c in range(1, columns + 1)] for r in range(1, rows + 1)]
    widths = [
        max(len(borders.texts.get((row, column), "")) for row in range(1, rows + 1))
        for column in range(1, columns + 1)
    ]
    for cells in grid:
        lengths = (0 if cell is None else len(texts[cell].plain) for cell in cells)
        widths = [*map(max, widths, lengths)]
    kinds = [
        [borders.between((row, column), (row, column + 1)) for column in range(1, columns + 1)]
        for row in range(1, rows + 1)
    ]
    gaps = ["   " if any(column) else "  " for column in zip(*kinds, strict=True)]
    gaps[-1] = ""
    names = "".join(
        f"c{column}".ljust(width) + gap
        for column, (width, gap) in enumerate(zip(widths, gaps, strict=True), 1)
    )
    label = len(f"r{rows}")
    lines = [" " * (label + 2) + names.rstrip()]
    for row, (cells, kinds_of_row) in enumerate(zip(grid, kinds, strict=True), 1):
        if above := row_above(borders, row, widths, gaps, junction):
            lines.append(" " * (label + 2) + above)
        line = f"{f'r{row}':<{label}}  "
        for cell, width, gap, kind in zip(cells, widths, gaps, kinds_of_row, strict=True):
            line += (
                " " * width
                if cell is None
                else texts[cell].padded(width, has_colours=style.has_colours)
            )
            line += f" {straight(junction, kind)[1]} " if len(gap) > 2 else gap
        lines.append(line.rstrip())
    legend = _legend(picture, has_colours=style.has_colours)
    legend += [f"{' '.join(straight(junction, Border.CAGE))} cage"] * borders.has_cages
    if legend:
        lines.append(" " * (label + 2) + "   ".join(legend))
    return "\n".join(lines)


class _CellText(NamedTuple):
    """The text of a cell without escape sequences, and its parts with their roles."""

    plain: str
    parts: tuple[tuple[Role | None, str], ...]
    is_given: bool

    def padded(self, width: int, *, has_colours: bool) -> str:
        """The text, filled up with spaces."""
        if not has_colours:
            return self.plain.ljust(width)
        text = "".join(
            _coloured(part, f"1;{_STYLES[role].colour}") if role else part
            for role, part in self.parts
        )
        text = _coloured(text, "1") if self.is_given else text
        return text + " " * (width - len(self.plain))


def _coloured(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"


def _cell_text(picture: Picture, cell: int) -> _CellText:
    """The value or the candidates of a cell."""
    before = picture.before
    if value := before.values[cell]:
        text = before.symbol(value)
        return _CellText(text, ((None, text),), cell in before.givens)
    values = [*values_of(before.candidates[cell], before.geometry.lowest)]
    separator = (
        "," if any(len(before.symbol(value)) > 1 for value in before.geometry.values) else ""
    )
    parts = list[tuple[Role | None, str]]()
    for role, group in groupby(values, lambda value: picture.roles.get((cell, value))):
        text = separator.join(map(before.symbol, group))
        if role:
            text = f"{_STYLES[role].before}{text}{_STYLES[role].after}"
        if separator and parts:
            parts.append((None, separator))
        parts.append((role, text))
    return _CellText("".join(text for _, text in parts), tuple(parts), is_given=False)


def _legend(picture: Picture, *, has_colours: bool) -> list[str]:
    """The meanings of the signs around candidates."""
    used = {*picture.roles.values()}
    words = []
    for role, (before, after, colour, meaning) in _STYLES.items():
        if role in used:
            signs = f"{before} {after}"
            words.append(f"{_coloured(signs, f'1;{colour}') if has_colours else signs} {meaning}")
    return words
