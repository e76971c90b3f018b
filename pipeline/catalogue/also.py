"""What `--traits` adds to results, and to the answers to a batch; solvers take part in this."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.catalogue.needless import Judge, needless_parts
from pipeline.catalogue.puzzles import Flags, MaskArray
from pipeline.catalogue.solutions import redundant_givens
from pipeline.catalogue.traits import (
    LARGEST_SIDE,
    OTHERS,
    Redundancy,
    Solved,
    find_traits,
)
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.reading.formats import parsed_from
from pipeline.settings import Settings
from pipeline.solving import Traits
from pipeline.solving.many import Answers
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers


def traits_of(
    geometry: Geometry, masks: MaskArray, answers: Answers, settings: Settings
) -> list[Traits]:
    """The traits of each puzzle of a batch."""
    unique = (answers.counts == 1) & ~answers.more
    others = ~unique
    solutions = np.zeros(masks.shape, np.uint8)
    if len(answers.grids):
        solutions[unique] = answers.grids[0, unique]
    for place, result in answers.results.items():
        unique[place], others[place] = result.status == "unique", result.status in OTHERS
        if unique[place]:
            solutions[place] = result.solutions[0].values
    solved = Solved(geometry, masks, unique, others, solutions)
    return find_traits(solved, settings.trait_names, _by_lanes(settings.timeout))


def with_traits(results: Sequence[Result], settings: Settings) -> list[Result]:
    """The results of puzzles with their traits; others as they are."""
    told, groups = [*results], defaultdict[Geometry, list[int]](list)
    for place, result in enumerate(results):
        puzzle = _puzzle_of(result)
        if puzzle is None:
            continue
        if puzzle.is_plain and puzzle.geometry.side <= LARGEST_SIDE:
            groups[puzzle.geometry].append(place)
        else:
            told[place] = replace(result, traits=traits_of_one(result, settings))
    for geometry, places in groups.items():
        solved = _solved(geometry, [results[place] for place in places])
        plain = find_traits(solved, settings.trait_names, _by_lanes(settings.timeout))
        for place, each in zip(places, plain, strict=True):
            told[place] = replace(results[place], traits=each)
    return told


def traits_of_one(result: Result, settings: Settings) -> Traits:
    """The traits of a puzzle that is not solved in a batch: with rules and one solution."""
    puzzle, nothing = _puzzle_of(result), Traits(settings.trait_names)
    is_asked = "minimal" in settings.trait_names and result.status == "unique"
    if puzzle is None or puzzle.is_plain or not is_asked or puzzle.geometry.side > LARGEST_SIDE:
        return nothing
    with Solvers("pysat") as solvers:
        parts = needless_parts(puzzle, _by_solver(solvers), settings.timeout)
    if parts is None:
        return nothing
    return replace(nothing, redundant=parts.givens, redundant_rules=parts.rules)


def _by_solver(solvers: Solvers) -> Judge:
    """Solve puzzles, and take an answer if it is proved."""

    def is_unique(puzzle: Puzzle, seconds: float) -> bool | None:
        settings = Settings(max_solutions=2, timeout=seconds)
        problem = PuzzleProblem(parsed_from(puzzle))
        result = solve_problem(problem, solvers, settings, Stopwatch(), explain=False)
        if result.status == "multiple":
            return False
        is_proved = result.certificate is not None and result.certificate.complete == "proved"
        return True if result.status == "unique" and is_proved else None

    return is_unique


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
        np.isin(statuses, OTHERS),
        np.array(grids, np.uint8),
    )


def _by_lanes(seconds: float) -> Redundancy:
    """Finds redundant givens by the batch solver, in so many seconds for each puzzle."""

    def redundancy(solved: Solved) -> tuple[Flags, Flags]:
        found = redundant_givens(solved.geometry, solved.masks, seconds * len(solved.masks))
        return found.cells, found.certain

    return redundancy
