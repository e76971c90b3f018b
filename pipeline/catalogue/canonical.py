"""The canonical form of classic puzzles: one puzzle of each class that symmetries make of another.

Symmetries permute bands, rows in a band, stacks and columns in a stack, transpose, and relabel. Of
two grids the lower is that with the lower value in the first cell, row by row, in which they
differ; a blank is lower than any value.

- A puzzle with one solution: among the symmetries that make its solution the lowest it can become,
  the lowest image of the puzzle.
- Any other: the lowest image of the puzzle under all symmetries.

So a form is an image of its puzzle, and puzzles are equivalent exactly if their forms are equal.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.abreast import forms_abreast
from pipeline.catalogue.compiled import MANY, compiled_forms, loaded
from pipeline.catalogue.direct import lowest_form
from pipeline.catalogue.symmetries import Cells

__all__ = ["canonical_forms"]

BOXES = {16: 2, 81: 3}
"""The box size of puzzles of so many cells."""


def canonical_forms(puzzles: Cells, unique: NDArray[np.bool_], solutions: Cells) -> Cells:
    """The canonical forms (P, n²) of classic puzzles (P, n²) of 4×4 or 9×9, 0 for a blank.

    Where `unique` (P,), the puzzle has one solution, (P, n²), and its form is found through that;
    rows of others do not count. Raises ValueError for other shapes, and for values and solutions
    that cannot be.
    """
    if puzzles.ndim != 2 or puzzles.shape != solutions.shape or puzzles.shape[1] not in BOXES:
        raise ValueError(f"puzzles of shape {puzzles.shape}, solutions of {solutions.shape}")
    box = BOXES[puzzles.shape[1]]
    _check(puzzles, solutions[unique], box)
    forms = np.empty(puzzles.shape, np.uint8)
    forms[unique] = _through_solutions(puzzles[unique], solutions[unique], box)
    for place in np.flatnonzero(~unique).tolist():
        forms[place] = lowest_form(puzzles[place], box)
    return forms


def _check(puzzles: Cells, solutions: Cells, box: int) -> None:
    side = box * box
    if puzzles.dtype != np.uint8 or solutions.dtype != np.uint8 or (puzzles > side).any():
        raise ValueError(f"expected values of 0 to {side} as bytes")
    bits = np.left_shift(1, solutions, dtype=np.int32).reshape(-1, box, box, box, box)
    units = (np.bitwise_or.reduce(bits, axis=axes) for axes in ((3, 4), (1, 2), (2, 4)))
    if not all((each == 2 ** (side + 1) - 2).all() for each in units):
        raise ValueError("what is said to be a solution is none")


def _through_solutions(puzzles: Cells, solutions: Cells, box: int) -> Cells:
    step = loaded.get(at_once=len(puzzles) >= MANY) if box == 3 else None
    if step:
        return compiled_forms(step, puzzles, solutions)
    start = time.perf_counter()
    forms = forms_abreast(puzzles, solutions, box)
    if box == 3:
        loaded.count(time.perf_counter() - start)
    return forms
