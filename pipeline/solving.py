"""Any source of a problem → its Result: alone through the chain, or with its like in a batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import zip_longest

from pipeline.chain import solve_problem
from pipeline.errors import InvalidPuzzle, LimitReached
from pipeline.evidence import compared
from pipeline.parse import parsed_from
from pipeline.problem import Problem, PuzzleProblem, S, read_problem
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Result, Stopwatch
from pipeline.settings import Settings
from pipeline.solvers import Solvers

LARGEST_SIDE = 25
"""Larger puzzles are solved one by one: their candidates alone would fill the memory."""

Given = Problem | Puzzle | str | bytes
"""What can be solved: a problem that was read, a puzzle, or a text."""


def solve_puzzle(
    puzzle: Puzzle,
    settings: Settings | None = None,
    on_grid: Callable[[Grid], None] | None = None,
) -> Result[Grid]:
    """Solve a puzzle as `solve` does, with settings in one value.

    `on_grid` is called with each solution as it is found.
    """
    chosen, problem = settings or Settings(), PuzzleProblem(parsed_from(puzzle))
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        return solve_one(problem, solvers, chosen, Stopwatch(), on_grid)


def solve_one(
    problem: Problem[S],
    solvers: Solvers,
    settings: Settings,
    watch: Stopwatch,
    on_solution: Callable[[S], None] | None = None,
) -> Result[S]:
    """Solve a problem; `on_solution` is called with each solution as it is found.

    Lanes find all at once. Raises EnvironmentFailure.
    """
    if settings.solver != "lanes" or _together(problem, settings) is None:
        return solve_problem(problem, solvers, settings, watch, on_solution)
    (result,) = solve_problems([problem], solvers, settings, [watch.spent()])
    if on_solution:
        for solution in result.solutions:
            on_solution(solution)
    return result


def solve_source(data: bytes, source: str, solvers: Solvers, settings: Settings) -> Result:
    """Solve the bytes of one file; `source` names it in messages.

    Raises EnvironmentFailure.
    """
    return solve_sources([(source, data)], solvers, settings)[0]


def solve_sources(
    sources: Sequence[tuple[str, Given]], solvers: Solvers, settings: Settings
) -> list[Result]:
    """The results for many files, texts or puzzles, each named for messages.

    Raises EnvironmentFailure.
    """
    results: dict[int, Result] = {}
    read: dict[int, Problem] = {}
    parse: list[float] = []
    for index, (name, data) in enumerate(sources):
        watch = Stopwatch()
        try:
            with watch.timing("parse"):
                read[index] = problem_given(name, data, settings)
        except InvalidPuzzle as error:
            results[index] = Result("invalid", message=str(error), seconds=watch.seconds())
        except LimitReached as error:
            results[index] = Result("unknown", (), False, str(error), seconds=watch.seconds())
        else:
            parse.append(watch.spent())
    found = solve_problems(list(read.values()), solvers, settings, parse)
    results |= zip(read, found, strict=True)
    return [results[index] for index in range(len(sources))]


def problem_given(name: str, given: Given, settings: Settings) -> Problem:
    """The problem that is meant. Raises InvalidPuzzle, LimitReached."""
    match given:
        case Problem():
            return given
        case Puzzle():
            return PuzzleProblem(parsed_from(given))
        case str():
            return read_problem(given.encode(errors="surrogatepass"), name, settings)
        case bytes():
            return read_problem(given, name, settings)
    kind = type(given).__name__
    raise TypeError(f"expected a Puzzle, a Problem, or a text as str or bytes, found {kind}")


def solve_problems(
    problems: Sequence[Problem],
    solvers: Solvers,
    settings: Settings,
    parse: Sequence[float] = (),
) -> list[Result]:
    """Solve problems that took `parse` seconds each to read; those of one geometry together.

    Raises EnvironmentFailure.
    """
    groups: defaultdict[Geometry | None, list[int]] = defaultdict(list)
    for place, problem in enumerate(problems):
        groups[_together(problem, settings)].append(place)
    results: dict[int, Result] = {}
    for geometry, places in groups.items():
        theirs = [parse[place] for place in places] if parse else []
        if geometry is None or (len(places) == 1 and settings.solver != "lanes"):
            for place, seconds in zip_longest(places, theirs):
                results[place] = _alone(problems[place], seconds, solvers, settings)
            continue
        from pipeline.batch import Batch, masks_of, solve_batch  # noqa: PLC0415 - numpy is slow to load

        own = [each for place in places if isinstance(each := problems[place], PuzzleProblem)]
        masks = masks_of([each.puzzle for each in own])
        batch = Batch(geometry, masks, own.__getitem__, theirs)
        results |= zip(places, solve_batch(batch, solvers, settings), strict=True)
    return [compared(results[place]) for place in range(len(problems))]


def _together(problem: Problem, settings: Settings) -> Geometry | None:
    """The geometry of a puzzle that may be solved together with others of it; else None."""
    geometry = None if settings.keep_cnf else problem.geometry_alone
    return geometry if geometry and geometry.side <= LARGEST_SIDE else None


def _alone(problem: Problem, parse: float | None, solvers: Solvers, settings: Settings) -> Result:
    read = {} if parse is None else {"parse": parse}
    watch = Stopwatch(before=parse or 0.0, earlier=read)
    return solve_problem(problem, solvers, settings, watch)
