"""The canonical form of classic 9×9 puzzles: one for each class that symmetries make of a puzzle.

Symmetries permute bands, rows in a band, stacks and columns in a stack, transpose, and relabel. Of
two grids the lower is that with the lower value in the first cell, row by row, in which they
differ; a blank is lower than any value.

- A puzzle with one solution: among the symmetries that make its solution the lowest it can become,
  the lowest image of the puzzle.
- Any other: the lowest image of the puzzle under all symmetries.

So a form is an image of its puzzle, and puzzles are equivalent exactly if their forms are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.direct import lowest_form
from pipeline.catalogue.forms import BOX, CELLS, SIDE, forms_through
from pipeline.catalogue.symmetries import Cells

__all__ = ["canonical_forms"]


def canonical_forms(puzzles: Cells, unique: NDArray[np.bool_], solutions: Cells) -> Cells:
    """The canonical forms (P, 81) of classic puzzles (P, 81), 0 for a blank.

    Where `unique` (P,), the puzzle has one solution, (P, 81), and its form is found through that;
    rows of others do not count. Raises ValueError for other shapes, and for values and solutions
    that cannot be.
    """
    if puzzles.shape != solutions.shape or puzzles.shape[1:] != (CELLS,):
        raise ValueError(f"puzzles of shape {puzzles.shape}, solutions of {solutions.shape}")
    _check(puzzles, solutions[unique])
    forms = np.empty(puzzles.shape, np.uint8)
    forms[unique] = forms_through(puzzles[unique], solutions[unique])
    for place in np.flatnonzero(~unique).tolist():
        forms[place] = lowest_form(puzzles[place], BOX)
    return forms


def _check(puzzles: Cells, solutions: Cells) -> None:
    if puzzles.dtype != np.uint8 or solutions.dtype != np.uint8 or (puzzles > SIDE).any():
        raise ValueError(f"expected values of 0 to {SIDE} as bytes")
    bits = np.left_shift(1, solutions, dtype=np.int32).reshape(-1, BOX, BOX, BOX, BOX)
    units = (np.bitwise_or.reduce(bits, axis=axes) for axes in ((3, 4), (1, 2), (2, 4)))
    if not all((each == 2 ** (SIDE + 1) - 2).all() for each in units):
        raise ValueError("what is said to be a solution is none")
