"""The traits that `--traits` adds, of many puzzles at once, from their masks and solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.effort import backdoors_of, depths_of, splits_of
from pipeline.catalogue.puzzles import (
    Flags,
    Indices,
    MaskArray,
    ValueArray,
    are_classic,
    lines_of,
    values_of_masks,
)
from pipeline.puzzle.puzzle import NINE, Geometry
from pipeline.solving import Effort, Traits
from pipeline.steps import ratings

LARGEST_SIDE = 25
"""Larger puzzles have no traits."""

OTHERS = ("multiple", "unsolvable")
"""The statuses of puzzles that are known to have no solution, or several."""


@dataclass(frozen=True, slots=True)
class Solved:
    """P puzzles of one geometry, none with other rules, and what is known of their solutions.

    masks: (P, n²). unique: (P,) which have one solution, and solutions: (P, n²) which that is;
    rows of others do not count. others: (P,) which are known to have none, or several.
    """

    geometry: Geometry
    masks: MaskArray
    unique: Flags
    others: Flags
    solutions: ValueArray

    def among(self, at: Indices) -> Solved:
        """Those in these places."""
        return Solved(
            self.geometry, self.masks[at], self.unique[at], self.others[at], self.solutions[at]
        )


Redundancy = Callable[[Solved], tuple[Flags, Flags]]
"""Finds, for puzzles with one solution, the givens that can be left out, (P, n²), each alone, and
for which puzzles they are known, (P,)."""


def find_traits(
    solved: Solved, asked: tuple[str, ...], redundancy: Redundancy | None = None
) -> list[Traits]:
    """The traits of each puzzle that are asked for; see `canonical`, `effort`, `steps`."""
    found = [Traits(asked)] * len(solved.masks)
    if "minimal" in asked and redundancy:
        at = np.flatnonzero(solved.unique)
        redundant, known = redundancy(solved.among(at))
        for place, cells in zip(at[known].tolist(), redundant[known], strict=True):
            found[place] = Traits(asked, redundant=tuple(np.flatnonzero(cells).tolist()))
    if {"canonical", "effort"} & {*asked} and solved.geometry == NINE:
        wanted = solved.unique | (solved.others & ("canonical" in asked))
        at = np.flatnonzero(are_classic(solved.masks) & wanted)
        for place, more in zip(at.tolist(), _classic(solved.among(at), asked), strict=True):
            found[place] = replace(more, redundant=found[place].redundant)
    if "rating" in asked and solved.geometry == NINE:
        at = np.flatnonzero(solved.unique)
        rated = ratings(solved.masks[at].tolist())
        for place, rating in zip(at.tolist(), rated, strict=True):
            found[place] = replace(found[place], rating=rating)
    return found


def _classic(solved: Solved, asked: tuple[str, ...]) -> list[Traits]:
    """The forms of classic puzzles, and the efforts of those with one solution."""
    masks, unique = solved.masks, solved.unique
    forms = canonical_forms(values_of_masks(masks), unique, solved.solutions)
    found = [Traits(asked)] * len(forms)
    if "canonical" in asked:
        found = [Traits(asked, text) for text in lines_of(forms).decode().split()]
    if "effort" in asked:
        depths = depths_of(masks[unique]).tolist()
        backdoors = backdoors_of(masks[unique], solved.solutions[unique]).tolist()
        splits, spreads = (
            [round(x, 2) for x in each.tolist()] for each in splits_of(forms[unique])
        )
        numbers = zip(depths, backdoors, splits, spreads, strict=True)
        for place, (depth, backdoor, mean, spread) in zip(
            np.flatnonzero(unique).tolist(), numbers, strict=True
        ):
            effort = Effort(depth=depth, backdoor=backdoor, splits=mean, spread=spread)
            found[place] = replace(found[place], effort=effort)
    return found
