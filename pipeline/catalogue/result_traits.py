"""Compute the traits that `--traits` names, for single results and for the results of a batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.catalogue.puzzle_arrays import Flags, MaskArray
from pipeline.catalogue.redundant import UniquenessTest, redundant_parts
from pipeline.catalogue.solutions import redundant_givens
from pipeline.catalogue.traits import (
    MAX_TRAITS_SIDE,
    NON_UNIQUE,
    RedundancyFinder,
    SolvedBatch,
    find_traits,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parsed_from
from pipeline.settings import Settings
from pipeline.solving import Traits
from pipeline.solving.many import BatchResult
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers


def traits_of(
    geometry: Geometry, masks: MaskArray, answers: BatchResult, settings: Settings
) -> list[Traits]:
    """Compute the traits of each puzzle of a batch."""
    unique = (answers.counts == 1) & ~answers.has_more
    non_unique = ~unique
    solutions = np.zeros(masks.shape, np.uint8)
    if len(answers.grids):
        solutions[unique] = answers.grids[0, unique]
    for index, result in answers.results.items():
        unique[index] = result.status == "unique"
        non_unique[index] = result.status in NON_UNIQUE
        if unique[index]:
            solutions[index] = result.solutions[0].values
    solved = SolvedBatch(geometry, masks, unique, non_unique, solutions)
    return _find_traits(solved, settings)


def add_traits(results: Sequence[Result], settings: Settings) -> list[Result]:
    """Return the results with traits. Results of problems other than puzzles are unchanged."""
    completed, groups = [*results], defaultdict[Geometry, list[int]](list)
    for index, result in enumerate(results):
        puzzle = _puzzle_of(result)
        if puzzle is None:
            continue
        if puzzle.is_plain and puzzle.geometry.side <= MAX_TRAITS_SIDE:
            groups[puzzle.geometry].append(index)
        else:
            completed[index] = replace(result, traits=traits_of_one(result, settings))
    for geometry, indices in groups.items():
        solved = _solved_batch(geometry, [results[index] for index in indices])
        found_traits = _find_traits(solved, settings)
        for index, traits in zip(indices, found_traits, strict=True):
            completed[index] = replace(results[index], traits=traits)
    return completed


def traits_of_one(result: Result, settings: Settings) -> Traits:
    """Compute the traits of the puzzle of one result.

    Only variants with one solution get traits here. The traits of all other puzzles are empty.
    """
    puzzle, no_traits = _puzzle_of(result), Traits(settings.trait_names)
    is_asked = "minimal" in settings.trait_names and result.status == "unique"
    if puzzle is None or puzzle.is_plain or not is_asked or puzzle.geometry.side > MAX_TRAITS_SIDE:
        return no_traits
    with Solvers("pysat") as solvers:
        parts = redundant_parts(puzzle, _uniqueness_test(solvers), settings.timeout)
    if parts is None:
        return no_traits
    return replace(no_traits, redundant=parts.givens, redundant_rules=parts.rules)


def _uniqueness_test(solvers: Solvers) -> UniquenessTest:
    """Return a test that solves a puzzle with PySAT. If nothing is proved, it returns None."""

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


def _solved_batch(geometry: Geometry, results: Sequence[Result[Grid]]) -> SolvedBatch:
    """Return the puzzles and solutions of results. All puzzles must have this geometry."""
    statuses = np.array([result.status for result in results])
    blank = (1,) * geometry.size
    grids = [
        result.solutions[0].values if result.status == "unique" else blank for result in results
    ]
    puzzles = [puzzle for result in results if (puzzle := _puzzle_of(result))]
    return SolvedBatch(
        geometry,
        np.array([puzzle.cells for puzzle in puzzles], np.uint64),
        statuses == "unique",
        np.isin(statuses, NON_UNIQUE),
        np.array(grids, np.uint8),
    )


def _find_traits(solved: SolvedBatch, settings: Settings) -> list[Traits]:
    """Compute the traits that settings name."""
    return find_traits(
        solved,
        settings.trait_names,
        _redundancy_finder(settings.timeout),
        settings.rating_timeout,
    )


def _redundancy_finder(seconds: float) -> RedundancyFinder:
    """Return a finder of redundant givens. It takes at most `seconds` per puzzle on average."""

    def find_redundancy(solved: SolvedBatch) -> tuple[Flags, Flags]:
        givens = redundant_givens(solved.geometry, solved.masks, seconds * len(solved.masks))
        return givens.cells, givens.certified

    return find_redundancy
