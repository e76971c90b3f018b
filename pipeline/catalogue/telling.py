"""What `--also` tells of results, and of the answers to a batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.catalogue.minimal import redundant_givens
from pipeline.catalogue.traits import LARGEST_SIDE, Found, Redundancy, Solved, find_traits
from pipeline.catalogue.values import Flags, Masks
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.settings import Settings
from pipeline.solving.many import Answers
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result, Traits

_OTHERS = ("multiple", "unsolvable")


def fields_of(geometry: Geometry, masks: Masks, answers: Answers, settings: Settings) -> list[str]:
    """What is added to the row of each puzzle of a batch."""
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
    return find_traits(solved, settings.traits, _by_lanes(settings.timeout)).lines()


def with_traits(results: Sequence[Result], settings: Settings) -> list[Result]:
    """The results of puzzles with what else is asked about them; others as they are."""
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
        for index, place in enumerate(places):
            told[place] = replace(results[place], traits=_traits(found, index))
    return told


def _traits(found: Found, place: int) -> Traits:
    cells = np.flatnonzero(found.redundant[place]).tolist()
    redundant = tuple(cells) if found.has_redundant[place] else None
    form = found.form(place) if "canonical" in found.asked else None
    return Traits(found.asked, form, redundant, found.effort(place))


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
    """Finds which givens can be left out, so many seconds for each puzzle."""

    def redundancy(solved: Solved) -> tuple[Flags, Flags]:
        found = redundant_givens(solved.geometry, solved.masks, seconds * len(solved.masks))
        return found.cells, found.certain

    return redundancy
