"""Checks of a rule's data, most of them whatever the grid is."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.puzzle.puzzle import Geometry


def check_cells(name: str, cells: Sequence[int], least: int = 1, *, once: bool = False) -> None:
    """Raise ValueError for too few cells, or for one that is named twice but may be only once."""
    if len(cells) < least:
        raise ValueError(
            f"{name}: at least {least} {'cell' if least == 1 else 'cells'}, not {len(cells)}"
        )
    if once and len({*cells}) < len(cells):
        raise ValueError(f"{name}: a cell is named twice")


def check_at_least(name: str, what: str, number: int, least: int) -> None:
    """Raise ValueError for a number, of what the message says, that is too small."""
    if number < least:
        raise ValueError(f"{name}: {what} must be at least {least}, not {number}")


def check_parts(name: str, parts: Sequence[Sequence[int]]) -> None:
    """Raise ValueError for fewer than two parts, or for a part without cells."""
    if len(parts) < 2:
        raise ValueError(f"{name}: at least 2 parts, not {len(parts)}")
    for part in parts:
        check_cells(f"{name}: a part", part)


def check_one_grid(name: str, geometry: Geometry) -> None:
    """Raise ValueError for several grids that share boxes."""
    if geometry.grids:
        raise ValueError(f"{name}: there are several grids")
