"""Read cells as people type them, and write grids as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.puzzle.geometry import Geometry


_BLANKS = ("", ".", "_", "-")
"""Ways to type a blank cell, besides 0 and None."""


def value_text(value: int, symbols: str) -> str:
    """The symbol of a value, or the number if it has none."""
    return (symbols[value - 1 : value] if symbols else "") or str(value)


def value_of(cell: int | str | None, place: tuple[int, int]) -> int:
    """The value of a cell, or 0 for a blank. Raises ValueError, which names the position."""
    text = str(cell or "").strip()
    if text in _BLANKS:
        return 0
    if not (text.isascii() and text.isdigit()):
        where = "row {}, column {}".format(*place)
        raise ValueError(f"{where}: expected a value or a blank, found {cell!r}")
    return int(text)


def board_text(geometry: Geometry, texts: Sequence[str]) -> str:
    """Write the text of each cell at its position, in columns of equal width."""
    width, (rows, columns) = max(map(len, texts)), geometry.extent
    lines: list[str] = []
    for row in range(1, rows + 1):
        cells = (geometry.cell_at(row, column) for column in range(1, columns + 1))
        row_texts = ("" if cell is None else texts[cell] for cell in cells)
        lines.append(" ".join(text.rjust(width) for text in row_texts).rstrip())
    return "\n".join(lines)
