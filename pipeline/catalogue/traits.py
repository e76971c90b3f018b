"""What `--also` tells of many puzzles at once: masks and solutions in, columns of a table out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.effort import (
    BEYOND,
    DEEPEST,
    WIDEST,
    Numbers,
    Splits,
    backdoors_of,
    depths_of,
    splits_of,
)
from pipeline.catalogue.symmetries import Cells
from pipeline.catalogue.values import Flags, Masks, are_classic, texts_of, values_of_masks
from pipeline.puzzle.puzzle import NINE, Geometry
from pipeline.solving.facts import Effort

LARGEST_SIDE = 25
"""Of puzzles whose givens are left out; of larger ones nothing is told."""


@dataclass(frozen=True, slots=True)
class Solved:
    """P puzzles of one geometry, none with other rules, and what is known of their solutions.

    masks: (P, n²). unique: (P,) which have one solution, and solutions: (P, n²) which that is;
    rows of others do not count. others: (P,) which are known to have none, or several.
    """

    geometry: Geometry
    masks: Masks
    unique: Flags
    others: Flags
    solutions: Cells

    def among(self, at: NDArray[np.intp]) -> Solved:
        """Those in these places."""
        return Solved(
            self.geometry, self.masks[at], self.unique[at], self.others[at], self.solutions[at]
        )


Redundancy = Callable[[Solved], tuple[Flags, Flags]]
"""Of puzzles with one solution the givens that can be left out, (P, n²), each alone, and of which
puzzles that is known, (P,)."""


@dataclass(frozen=True, slots=True)
class Found:
    """The traits of P puzzles of one geometry; rows that are not known do not count.

    forms: (P, 81). redundant: (P, n²). depths, backdoors: (P,), BEYOND if they are larger.
    """

    asked: tuple[str, ...]
    geometry: Geometry
    forms: Cells
    has_form: Flags
    redundant: Flags
    has_redundant: Flags
    depths: Numbers
    backdoors: Numbers
    splits: Splits
    has_effort: Flags

    def columns(self, trait: str) -> list[list[str]]:
        """The columns of a trait, a name in `published.tables.ALSO`: each has a text per puzzle."""
        match trait:
            case "canonical":
                return [_texts(texts_of(self.forms), self.has_form)]
            case "minimal":
                count = map(str, self.redundant.sum(axis=1).tolist())
                return [
                    _texts(each, self.has_redundant)
                    for each in (count, _cells_told(self.redundant))
                ]
            case "effort":
                numbers = (
                    map(str, _capped(self.depths, DEEPEST).tolist()),
                    map(str, _capped(self.backdoors, WIDEST).tolist()),
                    map("{:.2f}".format, self.splits.mean.tolist()),
                    map("{:.2f}".format, self.splits.spread.tolist()),
                )
                return [_texts(each, self.has_effort) for each in numbers]
        raise ValueError(f"there is no trait {trait!r}")

    def lines(self) -> list[str]:
        """For each puzzle the fields that are added to its row, each behind a comma."""
        columns = [column for trait in self.asked for column in self.columns(trait)]
        return ["," + ",".join(fields) for fields in zip(*columns, strict=True)]

    def form(self, place: int) -> str | None:
        return texts_of(self.forms[place, None])[0] if self.has_form[place] else None

    def effort(self, place: int) -> Effort | None:
        if not self.has_effort[place]:
            return None
        return Effort(
            depth=int(_capped(self.depths, DEEPEST)[place]),
            backdoor=int(_capped(self.backdoors, WIDEST)[place]),
            splits=round(float(self.splits.mean[place]), 2),
            spread=round(float(self.splits.spread[place]), 2),
        )


def find_traits(solved: Solved, asked: tuple[str, ...], redundancy: Redundancy) -> Found:
    """Find what is asked; see `catalogue.canonical`, `minimal` and `effort`."""
    count, cells = solved.masks.shape
    found = Found(
        asked,
        solved.geometry,
        np.zeros((count, NINE.size), np.uint8),
        np.zeros(count, np.bool_),
        np.zeros((count, cells), np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        Splits(np.zeros(count), np.zeros(count)),
        np.zeros(count, np.bool_),
    )
    if "minimal" in asked:
        at = np.flatnonzero(solved.unique)
        found.redundant[at], found.has_redundant[at] = redundancy(solved.among(at))
    if {"canonical", "effort"} & {*asked} and solved.geometry == NINE:
        wanted = solved.unique | (solved.others & ("canonical" in asked))
        _add_classic(found, solved, np.flatnonzero(are_classic(solved.masks) & wanted))
    return found


def _add_classic(found: Found, solved: Solved, at: NDArray[np.intp]) -> None:
    """Find the forms of the classic puzzles at these places, and how hard they are, if asked."""
    values = values_of_masks(solved.masks[at])
    found.forms[at] = canonical_forms(values, solved.unique[at], solved.solutions[at])
    found.has_form[at] = True
    if "effort" not in found.asked:
        return
    at = at[solved.unique[at]]
    found.depths[at] = depths_of(solved.masks[at])
    found.backdoors[at] = backdoors_of(solved.masks[at], solved.solutions[at])
    splits = splits_of(found.forms[at])
    found.splits.mean[at], found.splits.spread[at] = splits.mean, splits.spread
    found.has_effort[at] = True


def _texts(texts: Sequence[str] | map[str], known: Flags) -> list[str]:
    """The texts; nothing where it is not known."""
    pairs = zip(texts, known.tolist(), strict=True)
    return [text if is_known else "" for text, is_known in pairs]


def _cells_told(chosen: Flags) -> list[str]:
    """The cells of each puzzle as `r1c9`, row by row, with spaces between."""
    side = round(chosen.shape[1] ** 0.5)
    names = [f"r{row}c{column}" for row in range(1, side + 1) for column in range(1, side + 1)]
    puzzles, cells = np.nonzero(chosen)
    told = [names[cell] for cell in cells.tolist()]
    ends = np.searchsorted(puzzles, np.arange(len(chosen) + 1)).tolist()
    return [" ".join(told[start:end]) for start, end in pairwise(ends)]


def _capped(numbers: Numbers, most: int) -> Numbers:
    """The numbers, and one more than the most for those that are larger."""
    return np.where(numbers == BEYOND, most + 1, numbers)
