"""The chain for many puzzles of one geometry at once.

Lanes, or one formula for many puzzles, answer what they can; the rest goes through the chain of
`stages` one by one. Every grid is certified all the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pipeline.beside import compared
from pipeline.certify import certify_many, clashing_givens
from pipeline.errors import InvalidPuzzle
from pipeline.formulas import is_formula, solve_clauses
from pipeline.limits import Limits
from pipeline.parse import Parsed, made
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Result, SolverUsed, Status, Stopwatch
from pipeline.settings import ENCODING, Settings
from pipeline.solve import Solvers
from pipeline.stages import (
    OnGrid,
    is_chosen,
    more_than,
    parse_once,
    solve_parsed,
    with_evidence,
)
from pipeline.union import solve_union

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_SIDE = 25
"""Larger puzzles go one by one: their candidates alone would fill the memory."""

FEWEST = 64
"""Puzzles from which on `auto` asks lanes."""

MOST_TOGETHER = 100
"""Solutions of each puzzle: with more of them the puzzles go one by one."""

LONGEST_TOGETHER = 10.0
"""Seconds that puzzles may be solved together before those left over go one by one."""

SHARE_TOGETHER = 0.5
"""Of the time of a puzzle: the rest is left for going alone, or for a proof."""


@dataclass(slots=True)
class Answers:
    """What is known of P puzzles, by their places in the batch.

    `grids` has the shape (most, P, n²): the certified solutions of each in order, zeros where
    there is none. `counts` says how many of them count. `others` are the results of those that
    went one by one, which may have more solutions than there is room for in `grids`. `spent` are
    the seconds that went into each: what it was solved in together, and its own stages.
    """

    status: list[Status]
    counts: NDArray[np.int64]
    complete: NDArray[np.bool_]
    grids: NDArray[Any]
    used: SolverUsed
    spent: NDArray[np.float64]
    messages: dict[int, str] = field(default_factory=dict)
    others: dict[int, Result] = field(default_factory=dict)


def masks_of(puzzles: Sequence[Puzzle]) -> NDArray[np.uint64]:
    """The masks of puzzles of one geometry, (P, n²)."""
    return np.array([puzzle.cells for puzzle in puzzles], np.uint64)


def solve_batch(
    geometry: Geometry,
    masks: NDArray[np.uint64],
    solvers: Solvers,
    settings: Settings,
    before: Sequence[float] = (),
) -> Answers:
    """Solve P puzzles of one geometry, whose side is at most LARGEST_SIDE.

    `before` are the seconds already spent on each, if any were. Raises EnvironmentFailure.
    """
    answers = _blank(len(masks), geometry, settings)
    answers.spent[: len(before)] = before
    together = range(len(masks))
    if not _go_together(settings):
        left: dict[int, str | None] = dict.fromkeys(together)
    elif settings.solver == "lanes" or (settings.solver == "auto" and len(masks) >= FEWEST):
        left = _ask_lanes(geometry, masks, answers, settings)
    else:
        left = _ask_together(geometry, masks, answers, solvers, settings)
    share = settings.cross_check
    settled = set(together).difference(left) if share else ()
    checked = {index for index in settled if is_chosen(_puzzle(geometry, masks[index]), share)}
    for index in sorted(checked.union(left)):
        parsed = made(_puzzle(geometry, masks[index]))
        watch = Stopwatch(before=float(answers.spent[index]))
        result = solve_parsed(parsed, solvers, settings, watch, explain=False)
        answers.spent[index] = watch.spent()
        if index in checked:
            _compare(answers, index, result)
        else:
            _replace(answers, index, result, left[index])
    for index in together:
        if answers.status[index] == "unsolvable":
            clash = clashing_givens(_puzzle(geometry, masks[index]))
            if clash:
                answers.messages[index] = clash.message
    return answers


def lanes_take(geometry: Geometry, settings: Settings) -> bool:
    """Whether lanes can solve a puzzle as it is to be solved."""
    return (
        geometry.side <= LARGEST_SIDE and settings.limit <= MOST_TOGETHER and not settings.keep_cnf
    )


def solve_by_lanes(
    parsed: Parsed, solvers: Solvers, settings: Settings, watch: Stopwatch, on_grid: OnGrid | None
) -> Result:
    """Solve one puzzle as a batch of its own. Raises EnvironmentFailure."""
    masks = masks_of([parsed.puzzle])
    before, start = watch.spent(), time.perf_counter()
    answers = solve_batch(parsed.puzzle.geometry, masks, solvers, settings, [before])
    batch = time.perf_counter() - start
    result = _shown(answers, 0, parsed, batch, solvers, settings)
    if on_grid:
        for grid in result.solutions:
            on_grid(grid)
    return replace(result, seconds={**result.seconds, **watch.seconds()})


def _go_together(settings: Settings) -> bool:
    """Whether puzzles can be solved together as they are to be solved."""
    as_usual = settings.encoding == ENCODING or settings.solver == "lanes"
    return as_usual and settings.limit <= MOST_TOGETHER


def _seconds_together(settings: Settings) -> float:
    """Seconds that puzzles may be solved together; no solver is better where lanes are chosen."""
    share = settings.timeout * SHARE_TOGETHER
    return share if settings.solver == "lanes" else min(share, LONGEST_TOGETHER)


def _blank(count: int, geometry: Geometry, settings: Settings) -> Answers:
    shape = (min(settings.limit, MOST_TOGETHER), count, geometry.side**2)
    return Answers(
        ["unknown"] * count,
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        np.zeros(shape, np.uint8),
        SolverUsed("lanes", f"numpy {np.__version__}", None),
        np.zeros(count),
    )


def _puzzle(geometry: Geometry, masks: NDArray[np.uint64]) -> Puzzle:
    return Puzzle(geometry, tuple(masks.tolist()))


def _ask_lanes(
    geometry: Geometry, masks: NDArray[np.uint64], answers: Answers, settings: Settings
) -> dict[int, str | None]:
    """Fill in what lanes find; the puzzles that they leave undecided, or why they are wrong."""
    from pipeline.solve.lanes import solve_lanes  # noqa: PLC0415 - slow to load

    most = settings.limit
    watch = Stopwatch()
    found = solve_lanes(geometry, masks, most + 1, _seconds_together(settings))
    certified = np.ones_like(found.decided)
    for rank in range(most + 1):
        here = np.flatnonzero(found.counts > rank)
        if not len(here):
            break
        certified[here] &= certify_many(geometry, masks[here], found.grids[rank, here])
        if rank < most:
            answers.grids[rank] = found.grids[rank]
    answers.counts[:] = np.minimum(found.counts, most)
    answers.complete[:] = found.counts <= most
    _judge(answers, most)
    left = np.flatnonzero(~(found.decided & certified)).tolist()
    answers.spent += watch.seconds()["total"]
    return {index: None if certified[index] else "a grid of lanes is no solution" for index in left}


def _ask_together(
    geometry: Geometry,
    masks: NDArray[np.uint64],
    answers: Answers,
    solvers: Solvers,
    settings: Settings,
) -> dict[int, str | None]:
    """Fill in what is shown to be unique in formulas of many puzzles; the other puzzles."""
    solver = solvers.chain[0]
    limits = Limits(_seconds_together(settings), settings.memory_limit)
    unique, answers.grids[0], seconds = solve_union(geometry, masks, solver, limits)
    answers.spent += seconds
    answers.used = SolverUsed(solver.name, solver.version, solvers.lacking)
    answers.counts[unique] = 1
    answers.complete[unique] = True
    for index in np.flatnonzero(unique).tolist():
        answers.status[index] = "unique"
    return dict.fromkeys(np.flatnonzero(~unique).tolist())


def _judge(answers: Answers, most: int) -> None:
    """The status of each puzzle, and why it is not complete."""
    names: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
    answers.status[:] = [names[count] for count in np.minimum(answers.counts, 2).tolist()]
    for index in np.flatnonzero(~answers.complete):
        answers.messages[int(index)] = more_than(most)
        answers.status[index] = "multiple"


def solve_sources(
    sources: Sequence[tuple[str, bytes]], solvers: Solvers, settings: Settings
) -> list[Result]:
    """The chain for the bytes of many files, each named for messages. Raises EnvironmentFailure."""
    results: dict[int, Result] = {}
    groups: dict[Geometry, dict[int, tuple[Parsed, float]]] = {}
    for index, (name, data) in enumerate(sources):
        if is_formula(data, settings):
            results[index] = solve_clauses(data, name, solvers, settings)
            continue
        watch = Stopwatch()
        try:
            with watch.timing("parse"):
                parsed = parse_once(data, name, *settings.reading)
        except InvalidPuzzle as error:
            results[index] = Result("invalid", message=str(error), seconds=watch.seconds())
            continue
        geometry = parsed.puzzle.geometry
        if settings.keep_cnf or geometry.side > LARGEST_SIDE:
            results[index] = solve_parsed(parsed, solvers, settings, watch)
        else:
            groups.setdefault(geometry, {})[index] = parsed, watch.seconds()["parse"]
    for geometry, group in groups.items():
        results |= _solve_group(geometry, group, solvers, settings)
    return [compared(results[index]) for index in range(len(sources))]


def _solve_group(
    geometry: Geometry,
    group: dict[int, tuple[Parsed, float]],
    solvers: Solvers,
    settings: Settings,
) -> dict[int, Result]:
    """The results of puzzles that were parsed in so many seconds each."""
    if len(group) == 1:
        ((index, (parsed, parse)),) = group.items()
        result = solve_parsed(parsed, solvers, settings, Stopwatch(before=parse))
        return {index: _parsed_in(parse, result)}
    start = time.perf_counter()
    masks = masks_of([parsed.puzzle for parsed, _ in group.values()])
    before = [parse for _, parse in group.values()]
    answers = solve_batch(geometry, masks, solvers, settings, before)
    batch = time.perf_counter() - start
    results = {}
    for place, (index, (parsed, parse)) in enumerate(group.items()):
        shown = _shown(answers, place, parsed, batch, solvers, settings)
        results[index] = _parsed_in(parse, shown)
    return results


def _shown(
    answers: Answers,
    place: int,
    parsed: Parsed,
    batch: float,
    solvers: Solvers,
    settings: Settings,
) -> Result:
    """The result of one puzzle of a batch that took so many seconds, with what shows it."""
    found = _result(answers, place, parsed, batch)
    watch = Stopwatch(before=float(answers.spent[place]))
    shown = with_evidence(found, solvers, settings, watch)
    if found.complete and not shown.complete:  # what the batch says is not true
        watch = Stopwatch(before=watch.spent())
        shown = solve_alone(parsed, shown.message, solvers, settings, watch)
    return shown


def _parsed_in(parse: float, result: Result) -> Result:
    """The result with the seconds of the parser; what was waited for others since is not its."""
    seconds = {"parse": parse, **result.seconds, "total": parse + result.seconds["total"]}
    return replace(result, seconds=seconds)


def solve_alone(
    parsed: Parsed, why: str | None, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result:
    """The chain for a puzzle of a batch; `why` says what was wrong with the batch's answer."""
    result = solve_parsed(parsed, solvers, replace(settings, solver="auto"), watch)
    return replace(result, solver=result.solver and replace(result.solver, fallback=why))


def _result(answers: Answers, place: int, parsed: Parsed, batch: float) -> Result:
    """What was found of one puzzle of a batch, which took so many seconds.

    A puzzle that went alone in the end has its own stages, and not the batch's.
    """
    if place in answers.others:
        return replace(answers.others[place], parsed=parsed)
    geometry = parsed.puzzle.geometry
    return Result(
        answers.status[place],
        tuple(
            Grid(geometry, tuple(answers.grids[rank, place].tolist()))
            for rank in range(int(answers.counts[place]))
        ),
        bool(answers.complete[place]),
        answers.messages.get(place),
        parsed,
        solver=answers.used,
        seconds={"batch": batch, "total": batch},
    )


def _compare(answers: Answers, index: int, result: Result) -> None:
    """Take the result of a cross-check in place of what the batch came to, if that is wrong.

    A certified grid beats the word of a solver that there is no other.
    """
    grids = {grid.values for grid in result.solutions}
    found = {tuple(grid.tolist()) for grid in answers.grids[: answers.counts[index], index]}
    ours, theirs = answers.used.name, result.solver.name if result.solver else ""
    if answers.complete[index] and not grids <= found:
        _replace(answers, index, result, f"{ours} missed a solution that {theirs} found")
    elif result.complete and not found <= grids:
        answers.messages[index] = f"{theirs} missed a solution that {ours} found"


def _replace(answers: Answers, index: int, result: Result, why: str | None) -> None:
    """Put what a puzzle came to by itself in the place of what was found together.

    `why` says what was wrong with that, if it was not only undecided.
    """
    if why and result.solver:
        result = replace(result, solver=replace(result.solver, fallback=why))
    answers.others[index] = result
    answers.status[index] = result.status
    answers.complete[index] = bool(result.complete)
    answers.counts[index] = len(result.solutions)
    answers.grids[:, index] = 0
    for rank, grid in enumerate(result.solutions[: len(answers.grids)]):
        answers.grids[rank, index] = grid.values
    answers.messages.pop(index, None)
    if result.message:
        answers.messages[index] = result.message
