"""Which givens of a puzzle with one solution can be left out, one at a time.

Whether a given is needed is one question: is there a solution that has another value in its cell?
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

import numpy as np

from pipeline.catalogue.asking import solutions_of
from pipeline.catalogue.values import Flags, Masks
from pipeline.puzzle.puzzle import Geometry

QUESTIONS = 1 << 20
"""Cells of the questions that are asked together: enough to keep lanes full."""


@dataclass(frozen=True, slots=True)
class Redundant:
    """The givens that can be left out of P puzzles, each alone: the others stay.

    cells: (P, n²) where they are. certain: (P,) whether that is known of all givens of a puzzle.
    """

    cells: Flags
    certain: Flags


def redundant_givens(geometry: Geometry, masks: Masks, seconds: float = inf) -> Redundant:
    """Find them in puzzles with one solution, whose masks are (P, n²).

    A given is a cell with a single value; left out, it may have any. Other marks stay. A puzzle is
    minimal if there are none. `seconds` are for all puzzles.
    """
    return _redundant(geometry, masks, masks & (masks - np.uint8(1)) == 0, seconds)


def redundant_clues(geometry: Geometry, masks: Masks, seconds: float = inf) -> Redundant:
    """As `redundant_givens`, of givens and marks: of all cells that exclude some value."""
    return _redundant(geometry, masks, masks != geometry.all_values, seconds)


def _redundant(geometry: Geometry, masks: Masks, clues: Flags, seconds: float) -> Redundant:
    end = time.monotonic() + seconds
    places, cells = np.nonzero(clues)
    found = Redundant(np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_))
    at_once = max(1, QUESTIONS // masks.shape[1])
    for start in range(0, len(places), at_once):
        some = slice(start, start + at_once)
        asked, at = masks[places[some]], (np.arange(len(places[some])), cells[some])
        asked[at] ^= asked.dtype.type(geometry.all_values)
        known = solutions_of(geometry, asked, 1, max(0.0, end - time.monotonic()))
        found.cells[places[some], cells[some]] = known.counts == 0
        found.certain[places[some][~known.certain]] = False
    return found
