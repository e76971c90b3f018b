"""Traits of batches of puzzles, computed from their masks and solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.effort import backdoors_of, depths_of, splits_of
from pipeline.catalogue.puzzle_arrays import (
    Flags,
    Indices,
    MaskArray,
    ValueArray,
    are_classic,
    text_lines,
    values_of_masks,
)
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.settings import RATING_TIMEOUT
from pipeline.solving import Effort, Traits
from pipeline.steps import ratings

MAX_TRAITS_SIDE = 25
"""The largest side of a puzzle for which traits are computed."""

NON_UNIQUE = ("multiple", "unsolvable")
"""Statuses of puzzles that are known to have no solution or several."""


@dataclass(frozen=True)
class SolvedBatch:
    """P puzzles of one geometry, without further rules, and their solutions.

    | array | shape | contents |
    |---|---|---|
    | `masks` | (P, n²) | the candidates of each cell |
    | `unique` | (P,) | whether the puzzle has exactly one solution |
    | `non_unique` | (P,) | whether the puzzle is known to have no solution or several |
    | `solutions` | (P, n²) | row p is the solution of puzzle p if it is unique, else ignored |
    """

    geometry: Geometry
    masks: MaskArray
    unique: Flags
    non_unique: Flags
    solutions: ValueArray

    def take(self, indices: Indices) -> SolvedBatch:
        """Return the batch of the puzzles at these indices."""
        return SolvedBatch(
            self.geometry,
            self.masks[indices],
            self.unique[indices],
            self.non_unique[indices],
            self.solutions[indices],
        )

    @cached_property
    def unique_forms(self) -> tuple[Indices, ValueArray]:
        """The indices of the unique classic 9×9 puzzles, and their canonical forms."""
        return self.forms_of(self.unique)

    def forms_of(self, is_selected: Flags) -> tuple[Indices, ValueArray]:
        """Return the indices of the selected classic puzzles, and their canonical forms.

        `is_selected` (P,) flags the selected puzzles. The geometry must be 9×9.
        """
        indices = np.flatnonzero(are_classic(self.masks) & is_selected)
        solved = self.take(indices)
        forms = canonical_forms(values_of_masks(solved.masks), solved.unique, solved.solutions)
        return indices, forms


RedundancyFinder = Callable[[SolvedBatch], tuple[Flags, Flags]]
"""A function that finds the redundant givens of puzzles with one solution. Returns flags (P, n²) of
their cells, and flags (P,) of the puzzles for which the result is certain."""


TraitValues = Iterable[tuple[int, Any]]
"""Indices of puzzles, each with the value of a trait. The trait of other puzzles is None."""


def find_traits(
    solved: SolvedBatch,
    names: tuple[str, ...],
    redundancy: RedundancyFinder | None = None,
    rating_seconds: float = RATING_TIMEOUT,
) -> list[Traits]:
    """Compute the named traits of each puzzle with the functions of `COMPUTATIONS`.

    `rating_seconds`: the time limit for the rating of one puzzle.
    """
    values: list[dict[str, Any]] = [{} for _ in solved.masks]
    for name in names:
        field, compute = COMPUTATIONS[name]
        for index, value in compute(solved, redundancy, rating_seconds):
            values[index][field] = value
    return [Traits(names, **fields) for fields in values]


def _compute_canonical(solved: SolvedBatch, _: RedundancyFinder | None, __: float) -> TraitValues:
    if solved.geometry != NINE_BY_NINE:
        return
    for indices, forms in (solved.unique_forms, solved.forms_of(solved.non_unique)):
        yield from zip(indices.tolist(), text_lines(forms).decode().split(), strict=True)


def _compute_redundant(
    solved: SolvedBatch, redundancy: RedundancyFinder | None, _: float
) -> TraitValues:
    if redundancy is None:
        return
    indices = np.flatnonzero(solved.unique)
    redundant, certain = redundancy(solved.take(indices))
    for index, cells in zip(indices[certain].tolist(), redundant[certain], strict=True):
        yield index, tuple(np.flatnonzero(cells).tolist())


def _compute_efforts(solved: SolvedBatch, _: RedundancyFinder | None, __: float) -> TraitValues:
    if solved.geometry != NINE_BY_NINE:
        return
    indices, forms = solved.unique_forms
    masks = solved.masks[indices]
    depths = depths_of(masks).tolist()
    backdoors = backdoors_of(masks, solved.solutions[indices]).tolist()
    splits, spreads = ([round(x, 2) for x in column.tolist()] for column in splits_of(forms))
    numbers = zip(indices.tolist(), depths, backdoors, splits, spreads, strict=True)
    for index, depth, backdoor, mean, spread in numbers:
        yield index, Effort(depth=depth, backdoor=backdoor, splits=mean, spread=spread)


def _compute_ratings(
    solved: SolvedBatch, _: RedundancyFinder | None, seconds: float
) -> TraitValues:
    if solved.geometry != NINE_BY_NINE:
        return
    indices = np.flatnonzero(solved.unique)
    rated = ratings(solved.masks[indices].tolist(), seconds)
    yield from zip(indices.tolist(), rated, strict=True)


Computation = Callable[[SolvedBatch, RedundancyFinder | None, float], TraitValues]
"""A function that computes a trait; the last argument is the time limit for one rating in seconds.

Without a finder, it yields no redundant givens.
"""

COMPUTATIONS: Final[Mapping[str, tuple[str, Computation]]] = {
    "canonical": ("canonical", _compute_canonical),
    "minimal": ("redundant", _compute_redundant),
    "effort": ("effort", _compute_efforts),
    "rating": ("rating", _compute_ratings),
}
"""Maps the name of a trait to its field of `Traits` and the function that computes it."""
