"""Draw the position of a step, with its pattern and conclusions, as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Final, NamedTuple

from pipeline.puzzle.geometry import Geometry, values_of
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


def text_board(picture: Picture, signs: str = "", *, has_colours: bool = False) -> str:
    """Draw the candidates before a step; returns text without a newline at the end.

    Candidates with a role are written between signs, which the last line explains, so that the
    board can be read without colours. Rows and columns are numbered.

    - `signs`: the characters of the values 1, 2, …; empty for numbers.
    - `has_colours`: add bold text and colours, as escape sequences.
    """
    geometry = picture.before.geometry
    texts = [_cell_text(picture, cell, signs) for cell in range(geometry.size)]
    rows, columns = geometry.extent
    cells = [[geometry.cell_at(r, c) for c in range(1, columns + 1)] for r in range(1, rows + 1)]
    widths = [
        max((len(texts[cell].plain) for cell in column if cell is not None), default=0)
        for column in zip(*cells, strict=True)
    ]
    lefts = _line_before(geometry, columns, by_row=False)
    label = len(f"r{rows}")
    ends = [index for index in range(1, columns) if lefts[index]]
    segments = [*zip([0, *ends], [*ends, columns], strict=True)]

    def line(parts: list[str]) -> str:
        return " | ".join("  ".join(parts[start:end]) for start, end in segments).rstrip()

    header = line([f"c{index + 1}".ljust(width) for index, width in enumerate(widths)])
    lines = [" " * (label + 2) + header.replace("|", " ")]
    dashes = "-+-".join(
        "-" * (sum(widths[start:end]) + 2 * (end - start - 1)) for start, end in segments
    )
    for number, row in enumerate(cells):
        if number and _line_before(geometry, rows, by_row=True)[number]:
            lines.append(" " * (label + 2) + dashes)
        parts = [
            " " * width if cell is None else texts[cell].padded(width, has_colours=has_colours)
            for cell, width in zip(row, widths, strict=True)
        ]
        lines.append(f"{f'r{number + 1}':<{label}}  {line(parts)}".rstrip())
    if legend := _legend(picture, has_colours=has_colours):
        lines.append(" " * (label + 2) + legend)
    return "\n".join(lines)


def _line_before(geometry: Geometry, count: int, *, by_row: bool) -> list[bool]:
    """Whether a line is drawn before each row, or each column."""
    is_aligned = all(
        top % geometry.height == 0 == left % geometry.width for top, left in geometry.grids
    )
    if not (geometry.has_boxes and is_aligned):
        return [False] * count
    size = geometry.height if by_row else geometry.width
    return [bool(index) and index % size == 0 for index in range(count)]


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


def _cell_text(picture: Picture, cell: int, signs: str) -> _CellText:
    """The value or the candidates of a cell."""
    before = picture.before

    def sign(value: int) -> str:
        return signs[value - 1 : value] or str(value)

    if value := before.values[cell]:
        text = sign(value)
        return _CellText(text, ((None, text),), cell in before.givens)
    values = [*values_of(before.candidates[cell], before.geometry.lowest)]
    separator = "," if any(len(sign(value)) > 1 for value in before.geometry.values) else ""
    parts = list[tuple[Role | None, str]]()
    for role, group in groupby(values, lambda value: picture.roles.get((cell, value))):
        text = separator.join(map(sign, group))
        if role:
            text = f"{_STYLES[role].before}{text}{_STYLES[role].after}"
        if separator and parts:
            parts.append((None, separator))
        parts.append((role, text))
    return _CellText("".join(text for _, text in parts), tuple(parts), is_given=False)


def _legend(picture: Picture, *, has_colours: bool) -> str:
    """What the signs around candidates mean; empty if there are none."""
    used = {*picture.roles.values()}
    words = []
    for role, (before, after, colour, meaning) in _STYLES.items():
        if role in used:
            signs = f"{before} {after}"
            words.append(f"{_coloured(signs, f'1;{colour}') if has_colours else signs} {meaning}")
    return "   ".join(words)
