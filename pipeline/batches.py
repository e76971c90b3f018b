"""The chain for many puzzles of one geometry at once.

Lanes, or one formula for many puzzles, answer what they can; the rest goes through the chain of
`stages` one by one. Every grid is certified all the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pipeline.certify import clashing_givens
from pipeline.certify.many import certify_many
from pipeline.cnf import Sat, Unsat
from pipeline.encode.together import Together, encode_together, propagate_many
from pipeline.errors import EnvironmentFailure, InvalidPuzzle, SolverError
from pipeline.parse import Parsed, made
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.settings import Settings
from pipeline.solve import Limits, Solver, Solvers
from pipeline.stages import (
    Result,
    SolverUsed,
    Status,
    Stopwatch,
    is_chosen,
    parse_once,
    solve_parsed,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_SIDE = 25
"""Larger puzzles go one by one: their candidates alone would fill the memory."""

FEWEST = 64
"""Puzzles from which on `auto` asks lanes."""

TOGETHER = 64
"""Puzzles in one formula."""

LONGEST_TOGETHER = 10.0
"""Seconds that a batch may take before the puzzles left in it go one by one."""

_WORTH_GOING_ON = 4
"""One formula is asked again and again while fewer than a quarter have several solutions."""


@dataclass(slots=True)
class Answers:
    """What is known of P puzzles, by their places in the batch.

    `grids` has the shape (most, P, n²): the certified solutions of each in order, zeros where
    there is none. `counts` says how many of them count. `others` are the results of those that
    went one by one.
    """

    status: list[Status]
    counts: NDArray[np.int64]
    complete: NDArray[np.bool_]
    grids: NDArray[Any]
    used: SolverUsed
    messages: dict[int, str] = field(default_factory=dict)
    others: dict[int, Result] = field(default_factory=dict)


def masks_of(puzzles: Sequence[Puzzle]) -> NDArray[np.uint64]:
    """The masks of puzzles of one geometry, (P, n²)."""
    return np.array([puzzle.cells for puzzle in puzzles], np.uint64)


def solve_batch(
    geometry: Geometry, masks: NDArray[np.uint64], solvers: Solvers, settings: Settings
) -> Answers:
    """Solve P puzzles of one geometry, whose side is at most LARGEST_SIDE.

    Raises EnvironmentFailure.
    """
    answers = _blank(len(masks), geometry, settings)
    together = range(len(masks))
    if settings.solver == "lanes" or (settings.solver == "auto" and len(masks) >= FEWEST):
        left = _ask_lanes(geometry, masks, answers, settings)
    else:
        left = _Union(geometry, masks, answers, solvers.chain[0], settings).solve()
        answers.used = replace(answers.used, fallback=solvers.lacking)
    if settings.cross_check:
        checked = sorted(set(together) - set(left))
        left += [i for i in checked if is_chosen(_puzzle(geometry, masks[i]), settings.cross_check)]
    for index in left:
        _alone(geometry, masks, answers, index, solvers, settings)
    for index in together:
        if answers.status[index] == "unsolvable" and index not in answers.messages:
            clash = clashing_givens(_puzzle(geometry, masks[index]))
            if clash:
                answers.messages[index] = clash.message
    return answers


def _blank(count: int, geometry: Geometry, settings: Settings) -> Answers:
    shape = (settings.limit, count, geometry.side**2)
    return Answers(
        ["unknown"] * count,
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        np.zeros(shape, np.uint8),
        SolverUsed("lanes", f"numpy {np.__version__}", None),
    )


def _puzzle(geometry: Geometry, masks: NDArray[np.uint64]) -> Puzzle:
    return Puzzle(geometry, tuple(masks.tolist()))


def _ask_lanes(
    geometry: Geometry, masks: NDArray[np.uint64], answers: Answers, settings: Settings
) -> list[int]:
    """Fill in what lanes find; the puzzles that they leave undecided, or got wrong."""
    from pipeline.solve.lanes import solve_lanes  # noqa: PLC0415 - slow to load

    most = settings.limit
    alone = settings.solver == "lanes"
    seconds = settings.timeout if alone else min(settings.timeout, LONGEST_TOGETHER)
    found = solve_lanes(geometry, masks, most + 1, seconds)
    right = found.decided.copy()
    for rank in range(most + 1):
        here = np.flatnonzero(found.counts > rank)
        if not len(here):
            break
        right[here] &= certify_many(geometry, masks[here], found.grids[rank, here])
        if rank < most:
            answers.grids[rank] = found.grids[rank]
    answers.counts[:] = np.minimum(found.counts, most)
    answers.complete[:] = found.counts <= most
    _judge(answers, most)
    return [int(i) for i in np.flatnonzero(~right)]


def _judge(answers: Answers, most: int) -> None:
    """The status of each puzzle, and why it is not complete."""
    names: tuple[Status, ...] = ("unsolvable", "unique", "multiple")
    answers.status[:] = [names[count] for count in np.minimum(answers.counts, 2).tolist()]
    for index in np.flatnonzero(~answers.complete):
        answers.messages[int(index)] = more_than(most)
        answers.status[index] = "multiple"


def more_than(most: int) -> str:
    """What is said of a puzzle with more solutions than were asked for."""
    return f"there are more solutions than the {most} asked for"


def solve_sources(
    sources: Sequence[tuple[str, bytes]], solvers: Solvers, settings: Settings
) -> list[Result]:
    """The chain for the bytes of many files, each named for messages. Raises EnvironmentFailure."""
    results: dict[int, Result] = {}
    groups: dict[Geometry, dict[int, tuple[Parsed, Stopwatch]]] = {}
    for index, (name, data) in enumerate(sources):
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
            groups.setdefault(geometry, {})[index] = parsed, watch
    for geometry, group in groups.items():
        results |= _solve_group(geometry, group, solvers, settings)
    return [results[index] for index in range(len(sources))]


def _solve_group(
    geometry: Geometry,
    group: dict[int, tuple[Parsed, Stopwatch]],
    solvers: Solvers,
    settings: Settings,
) -> dict[int, Result]:
    if len(group) == 1:
        ((index, (parsed, watch)),) = group.items()
        return {index: solve_parsed(parsed, solvers, settings, watch)}
    start = time.perf_counter()
    masks = masks_of([parsed.puzzle for parsed, _ in group.values()])
    answers = solve_batch(geometry, masks, solvers, settings)
    share = (time.perf_counter() - start) / len(group)
    results = {}
    for place, (index, (parsed, watch)) in enumerate(group.items()):
        spent = watch.seconds()["parse"]
        seconds = {"parse": spent, "solve": share, "total": spent + share}
        results[index] = _result(answers, place, parsed, seconds)
    return results


def _result(answers: Answers, place: int, parsed: Parsed, seconds: dict[str, float]) -> Result:
    """What is known of one puzzle of a batch."""
    if place in answers.others:
        alone = answers.others[place]
        spent = {"parse": seconds["parse"], **alone.seconds}
        return replace(alone, parsed=parsed, seconds=spent)
    geometry = parsed.puzzle.geometry
    status = answers.status[place]
    clash = clashing_givens(parsed.puzzle) if status == "unsolvable" else None
    return Result(
        status,
        tuple(
            Grid(geometry, tuple(answers.grids[rank, place].tolist()))
            for rank in range(int(answers.counts[place]))
        ),
        bool(answers.complete[place]),
        answers.messages.get(place),
        parsed,
        solver=answers.used,
        clash=clash,
        seconds=seconds,
    )


class _Union:
    """Many puzzles in one formula.

    One question finds a solution of each. Another proves that none has a second: each solution
    is blocked under a selector, and one clause says that some selector holds. What is not
    solved so is halved, down to single puzzles.
    """

    def __init__(
        self,
        geometry: Geometry,
        masks: NDArray[np.uint64],
        answers: Answers,
        solver: Solver,
        settings: Settings,
    ) -> None:
        self._geometry = geometry
        self._masks = masks
        self._cells, self._consistent = propagate_many(geometry, masks)
        self._answers = answers
        self._solver = solver
        self._settings = settings
        answers.used = SolverUsed(solver.name, solver.version, None)

    def solve(self) -> list[int]:
        """Fill in what is shown to be unique; the rest, which goes one by one."""
        left = np.flatnonzero(~self._consistent).tolist()
        sound = np.flatnonzero(self._consistent)
        for start in range(0, len(sound), TOGETHER):
            left += self._halve(sound[start : start + TOGETHER])
        return left

    def _halve(self, part: NDArray[np.int64]) -> list[int]:
        """The puzzles of these that are not shown to be unique."""
        if len(part) > 1:
            try:
                left = self._ask(part)
            except EnvironmentFailure:
                left = [int(index) for index in part]
            except SolverError:
                left = None
            if left is not None:
                return left
            middle = len(part) // 2
            return self._halve(part[:middle]) + self._halve(part[middle:])
        return [int(index) for index in part]

    def _ask(self, part: NDArray[np.int64]) -> list[int] | None:
        """The puzzles that have a second solution; None where some may have none."""
        seconds = min(self._settings.timeout, LONGEST_TOGETHER)
        limits = Limits(seconds, self._settings.memory_limit)
        together = encode_together(self._geometry, self._cells[part])
        with self._solver.open(together.cnf, limits) as session:
            answer = session.solve()
            if not isinstance(answer, Sat):
                return None
            chosen = together.chosen(answer.model)
            grids = together.grids(chosen)
            if not certify_many(self._geometry, self._masks[part], grids).all():
                raise SolverError(f"a grid of {self._solver.name} is no solution")
            for clause in _under_selectors(together, chosen, len(part)):
                session.add(clause)
            session.add(tuple(together.spare(place) for place in range(len(part))))
            multiple: set[int] = set()
            while isinstance(answer := session.solve(), Sat):
                others = together.grids(together.chosen(answer.model))
                found = set(np.flatnonzero((others != grids).any(axis=1)).tolist()) - multiple
                if not found:
                    return None
                if len(multiple | found) > len(part) // _WORTH_GOING_ON:
                    return [int(index) for index in part]
                for place in found:
                    session.add((-together.spare(place),))
                multiple |= found
            if not isinstance(answer, Unsat):
                return None
        self._settle(part, grids, multiple)
        return [int(part[place]) for place in sorted(multiple)]

    def _settle(
        self, part: NDArray[np.int64], grids: NDArray[np.uint8], multiple: set[int]
    ) -> None:
        for place, index in enumerate(part.tolist()):
            if place not in multiple:
                self._answers.status[index] = "unique"
                self._answers.counts[index] = 1
                self._answers.complete[index] = True
                self._answers.grids[0, index] = grids[place]


def _under_selectors(
    together: Together, chosen: NDArray[np.int64], count: int
) -> Iterator[tuple[int, ...]]:
    """For each puzzle: its selector implies that one of its chosen candidates is false."""
    owners = together.owners[0][chosen]
    bounds = np.searchsorted(owners, np.arange(count + 1))
    literals = (-(chosen + 1)).tolist()
    for place in range(count):
        clause = literals[bounds[place] : bounds[place + 1]]
        yield (*clause, -together.spare(place))


def _alone(
    geometry: Geometry,
    masks: NDArray[np.uint64],
    answers: Answers,
    index: int,
    solvers: Solvers,
    settings: Settings,
) -> None:
    """Solve one puzzle of the batch by itself; its result takes the place of what was found."""
    result = solve_parsed(made(_puzzle(geometry, masks[index])), solvers, settings, Stopwatch())
    answers.others[index] = result
    answers.status[index] = result.status
    answers.counts[index] = len(result.solutions)
    answers.complete[index] = bool(result.complete)
    answers.grids[:, index] = 0
    answers.messages.pop(index, None)
    if result.message:
        answers.messages[index] = result.message
    for rank, grid in enumerate(result.solutions):
        answers.grids[rank, index] = grid.values
