"""What `--also` finds for many puzzles at once: their masks and solutions in, `Traits` out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
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
from pipeline.catalogue.solutions import redundant_givens
from pipeline.puzzle.puzzle import NINE, Geometry, Grid, Puzzle
from pipeline.settings import Settings
from pipeline.solving.facts import Effort
from pipeline.solving.many import Answers
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result, Traits

LARGEST_SIDE = 25
"""Larger puzzles have no traits."""

_OTHERS = ("multiple", "unsolvable")


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


def find_traits(solved: Solved, asked: tuple[str, ...], redundancy: Redundancy) -> list[Traits]:
    """The traits of each puzzle that are asked for; see `canonical`, `solutions` and `effort`."""
    found = [Traits(asked) for _ in solved.masks]
    if "minimal" in asked:
        at = np.flatnonzero(solved.unique)
        redundant, known = redundancy(solved.among(at))
        for place, cells in zip(at[known].tolist(), redundant[known], strict=True):
            told = tuple(np.flatnonzero(cells).tolist())
            found[place] = replace(found[place], redundant=told)
    if {"canonical", "effort"} & {*asked} and solved.geometry == NINE:
        wanted = solved.unique | (solved.others & ("canonical" in asked))
        at = np.flatnonzero(are_classic(solved.masks) & wanted)
        for place, more in zip(at.tolist(), _classic(solved.among(at), asked), strict=True):
            found[place] = replace(found[place], canonical=more.canonical, effort=more.effort)
    return found


def _classic(solved: Solved, asked: tuple[str, ...]) -> list[Traits]:
    """The forms of classic puzzles, and the efforts of those with one solution."""
    masks, unique = solved.masks, solved.unique
    forms = canonical_forms(values_of_masks(masks), unique, solved.solutions)
    texts = lines_of(forms).decode().split() if "canonical" in asked else [None] * len(forms)
    efforts: list[Effort | None] = [None] * len(forms)
    if "effort" in asked:
        numbers = (
            depths_of(masks[unique]),
            backdoors_of(masks[unique], solved.solutions[unique]),
            *splits_of(forms[unique]),
        )
        for place, *each in zip(np.flatnonzero(unique).tolist(), *numbers, strict=True):
            depth, backdoor, splits, spread = map(float, each)
            efforts[place] = Effort(
                depth=int(depth),
                backdoor=int(backdoor),
                splits=round(splits, 2),
                spread=round(spread, 2),
            )
    return [Traits(asked, *each) for each in zip(texts, [None] * len(forms), efforts, strict=True)]


def row_fields(geometry: Geometry, traits: Traits) -> str:
    """The fields that are added to the row of a plain puzzle, each behind a comma."""
    fields = []
    for name in traits.asked:
        match name:
            case "canonical":
                fields.append(traits.canonical or "")
            case "minimal" if (redundant := traits.redundant) is not None:
                cells = ("r{}c{}".format(*geometry.place(cell)) for cell in redundant)
                fields += [str(len(redundant)), " ".join(cells)]
            case "minimal":
                fields += ["", ""]
            case "effort" if effort := traits.effort:
                fields += [str(effort.depth), str(effort.backdoor)]
                fields += [f"{effort.splits:.2f}", f"{effort.spread:.2f}"]
            case "effort":
                fields += [""] * 4
    return "".join("," + field for field in fields)


def fields_of(
    geometry: Geometry, masks: MaskArray, answers: Answers, settings: Settings
) -> list[str]:
    """The fields that are added to the row of each puzzle of a batch."""
    unique = (answers.counts == 1) & ~answers.more
    others = ~unique
    solutions = np.zeros(masks.shape, np.uint8)
    if len(answers.grids):
        solutions[unique] = answers.grids[0, unique]
    for place, result in answers.results.items():
        unique[place], others[place] = result.status == "unique", result.status in _OTHERS
        if unique[place]:
            solutions[place] = result.solutions[0].values
    solved = Solved(geometry, masks, unique, others, solutions)
    found = find_traits(solved, settings.traits, _by_lanes(settings.timeout))
    return [row_fields(geometry, traits) for traits in found]


def with_traits(results: Sequence[Result], settings: Settings) -> list[Result]:
    """The results of puzzles with their traits; others as they are."""
    told, groups = [*results], defaultdict[Geometry, list[int]](list)
    for place, result in enumerate(results):
        puzzle = _puzzle_of(result)
        if puzzle is None:
            continue
        told[place] = replace(result, traits=Traits(settings.traits))
        if puzzle.is_plain and puzzle.geometry.side <= LARGEST_SIDE:
            groups[puzzle.geometry].append(place)
    for geometry, places in groups.items():
        solved = _solved(geometry, [results[place] for place in places])
        found = find_traits(solved, settings.traits, _by_lanes(settings.timeout))
        for place, traits in zip(places, found, strict=True):
            told[place] = replace(results[place], traits=traits)
    return told


def _puzzle_of(result: Result) -> Puzzle | None:
    return result.problem.puzzle if isinstance(result.problem, PuzzleProblem) else None


def _solved(geometry: Geometry, results: Sequence[Result[Grid]]) -> Solved:
    """The puzzles of results, which are of one geometry."""
    statuses = np.array([result.status for result in results])
    blank = (1,) * geometry.size
    grids = [
        result.solutions[0].values if result.status == "unique" else blank for result in results
    ]
    puzzles = [puzzle for result in results if (puzzle := _puzzle_of(result))]
    return Solved(
        geometry,
        np.array([puzzle.cells for puzzle in puzzles], np.uint64),
        statuses == "unique",
        np.isin(statuses, _OTHERS),
        np.array(grids, np.uint8),
    )


def _by_lanes(seconds: float) -> Redundancy:
    """Finds redundant givens by the batch solver, in so many seconds for each puzzle."""

    def redundancy(solved: Solved) -> tuple[Flags, Flags]:
        found = redundant_givens(solved.geometry, solved.masks, seconds * len(solved.masks))
        return found.cells, found.certain

    return redundancy
