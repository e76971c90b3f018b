"""Puzzles as values, 0 for a blank: from masks of candidates, back to them, and as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.symmetries import Cells
from pipeline.puzzle.puzzle import NINE, Geometry

Flags = NDArray[np.bool_]
Masks = NDArray[np.unsignedinteger]

_SIGNS = np.frombuffer(b".123456789", np.uint8)
_VALUES = np.zeros(NINE.all_values + 1, np.uint8)
_VALUES[1 << np.arange(9)] = np.arange(1, 10)


def masks_of_values(geometry: Geometry, puzzles: Cells) -> NDArray[np.uint32]:
    """The masks (P, n²) of puzzles (P, n²) of values."""
    given = np.left_shift(1, np.maximum(puzzles, 1) - 1, dtype=np.uint32)
    masks: NDArray[np.uint32] = np.where(puzzles > 0, given, np.uint32(geometry.all_values))
    return masks


def are_classic(masks: Masks) -> Flags:
    """Which puzzles (P, 81) of 9×9 have no marks: every cell is given, or blank."""
    is_given = masks & (masks - np.uint8(1)) == 0
    classic: Flags = (is_given | (masks == NINE.all_values)).all(axis=1)
    return classic


def values_of_masks(masks: Masks) -> Cells:
    """The values (P, 81) of classic puzzles (P, 81) of 9×9."""
    return _VALUES[masks]


def texts_of(puzzles: Cells) -> list[str]:
    """Puzzles (P, 81) in 81 characters each, `.` for a blank."""
    text, size = _SIGNS[puzzles].tobytes().decode("ascii"), puzzles.shape[1]
    return [text[start : start + size] for start in range(0, len(text), size)]


def lines_of(puzzles: Cells) -> bytes:
    """Puzzles (P, 81) as lines of text, `.` for a blank."""
    lines = np.full((len(puzzles), puzzles.shape[1] + 1), ord("\n"), np.uint8)
    lines[:, :-1] = _SIGNS[puzzles]
    return lines.tobytes()
