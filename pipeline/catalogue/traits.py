"""Traits of batches of puzzles, computed from their masks and solutions."""

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
    text_lines,
    values_of_masks,
)
from pipeline.puzzle.geometry import NINE, Geometry
from pipeline.solving import Effort, Traits
from pipeline.steps import ratings

MAX_TRAITS_SIDE = 25
"""Traits are not computed for larger puzzles."""

NON_UNIQUE = ("multiple", "unsolvable")
"""Statuses of puzzles known to have no solution or several."""


@dataclass(frozen=True, slots=True)
class SolvedBatch:
    """P puzzles of one geometry, without further rules, and their solutions.

    masks: (P, n²) the candidates of each cell.
    unique: (P,) whether the puzzle has exactly one solution.
    non_unique: (P,) whether it is known to have none or several.
    solutions: (P, n²) the solutions of unique puzzles; other rows are ignored.
    """

    geometry: Geometry
    masks: MaskArray
    unique: Flags
    non_unique: Flags
    solutions: ValueArray

    def take(self, indices: Indices) -> SolvedBatch:
        """The puzzles at these indices."""
        return SolvedBatch(
            self.geometry,
            self.masks[indices],
            self.unique[indices],
            self.non_unique[indices],
            self.solutions[indices],
        )


RedundancyFinder = Callable[[SolvedBatch], tuple[Flags, Flags]]
"""Finds the redundant givens of puzzles with one solution. Returns flags (P, n²) of the cells, and
flags (P,) of the puzzles for which they are certain."""


def find_traits(
    solved: SolvedBatch, asked: tuple[str, ...], redundancy: RedundancyFinder | None = None
) -> list[Traits]:
    """The requested traits of each puzzle, which `canonical`, `effort` and `steps` define."""
    traits = [Traits(asked)] * len(solved.masks)
    if "minimal" in asked and redundancy:
        indices = np.flatnonzero(solved.unique)
        redundant, certain = redundancy(solved.take(indices))
        for index, cells in zip(indices[certain].tolist(), redundant[certain], strict=True):
            traits[index] = Traits(asked, redundant=tuple(np.flatnonzero(cells).tolist()))
    if {"canonical", "effort"} & {*asked} and solved.geometry == NINE:
        wanted = solved.unique | (solved.non_unique & ("canonical" in asked))
        indices = np.flatnonzero(are_classic(solved.masks) & wanted)
        classic = _classic_traits(solved.take(indices), asked)
        for index, classic_traits in zip(indices.tolist(), classic, strict=True):
            traits[index] = replace(classic_traits, redundant=traits[index].redundant)
    if "rating" in asked and solved.geometry == NINE:
        indices = np.flatnonzero(solved.unique)
        rated = ratings(solved.masks[indices].tolist())
        for index, rating in zip(indices.tolist(), rated, strict=True):
            traits[index] = replace(traits[index], rating=rating)
    return traits


def _classic_traits(solved: SolvedBatch, asked: tuple[str, ...]) -> list[Traits]:
    """The canonical forms of classic puzzles, and the efforts of those with one solution."""
    masks, unique = solved.masks, solved.unique
    forms = canonical_forms(values_of_masks(masks), unique, solved.solutions)
    traits = [Traits(asked)] * len(forms)
    if "canonical" in asked:
        traits = [Traits(asked, text) for text in text_lines(forms).decode().split()]
    if "effort" in asked:
        depths = depths_of(masks[unique]).tolist()
        backdoors = backdoors_of(masks[unique], solved.solutions[unique]).tolist()
        splits, spreads = (
            [round(x, 2) for x in column.tolist()] for column in splits_of(forms[unique])
        )
        numbers = zip(depths, backdoors, splits, spreads, strict=True)
        for index, (depth, backdoor, mean, spread) in zip(
            np.flatnonzero(unique).tolist(), numbers, strict=True
        ):
            effort = Effort(depth=depth, backdoor=backdoor, splits=mean, spread=spread)
            traits[index] = replace(traits[index], effort=effort)
    return traits
