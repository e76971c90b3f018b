"""Any source of a problem → its Result: alone through the chain, or with its like in a batch."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice, zip_longest
from typing import Any, Unpack

from pipeline.beside import compared
from pipeline.chain import Search, solve_problem
from pipeline.cnf import Unknown, Unsat
from pipeline.errors import EnvironmentFailure, InvalidPuzzle, LimitReached, SolverError
from pipeline.parse import parsed_from
from pipeline.problem import Problem, PuzzleProblem, S, read_problem
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.result import Result, Stopwatch
from pipeline.settings import Settings, Solving
from pipeline.solvers import Solvers

LARGEST_SIDE = 25
"""Larger puzzles are solved one by one: their candidates alone would fill the memory."""

FIRST_CHUNK, CHUNK = 64, 2048
"""Puzzles that `solve_many` takes at once: few at first, so that results come soon."""

Text = str | bytes


def solve(puzzle: Puzzle | Text, **settings: Unpack[Solving]) -> Result:
    """Solve a puzzle, or the puzzle or formula in a text: its status and certified solutions.

    The settings are those of `Settings` that say how to read and to solve. A text that is not a
    puzzle gives a Result too: `invalid`, with where and why in its message.

        >>> solve("1.....2..3.....4").solutions[0].values[:4]
        (1, 2, 4, 3)
        >>> solve("11..............").message
        'row 1 holds 1 twice: row 1, column 1 and row 1, column 2'

    Raises UsageError for a setting out of its range, SolverMissing if the chosen solver is not
    installed, EnvironmentFailure if no solver can work.
    """
    chosen = Settings(**settings)
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        return _solve_all([("puzzle", puzzle)], solvers, chosen)[0]


def solve_many(
    puzzles: Iterable[Puzzle | Text], *, workers: int = 1, **settings: Unpack[Solving]
) -> Iterator[Result]:
    """Solve puzzles and texts, many at once: the result of each, in order, as they come.

    Each is what `solve` gives, at the speed at which collections are solved. With several
    `workers` so many processes work, and a program has to call this under
    `if __name__ == "__main__":`. No more is read ahead than keeps them busy.

        >>> [result.status for result in solve_many(["1.....2..3.....4", "1..............."])]
        ['unique', 'multiple']

    Raises as `solve` does.
    """
    chosen = Settings(**settings)
    chunks = _chunks(puzzles)
    if workers > 1:
        yield from _in_processes(chunks, workers, chosen)
        return
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        for chunk in chunks:
            yield from _solve_all(chunk, solvers, chosen)


def solutions(puzzle: Puzzle | Text, **settings: Unpack[Solving]) -> Generator[Any, None, None]:
    """Yield each solution of a puzzle, or model of a formula, certified, as soon as it is found.

    Closing the generator ends the solver. `timeout` is for all of them, `max_solutions` is
    ignored.

        >>> with closing(solutions("................")) as grids:
        ...     len(set(islice(grids, 100)))
        100

    Raises as `solve` does, InvalidPuzzle for a text that is not a puzzle, LimitReached if the time
    or memory does not suffice to find them all, and SolverError if no solver could go on.
    """
    chosen = Settings(**settings)
    problem = _problem_of("puzzle", puzzle, chosen)
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        search = Search(problem, chosen, Stopwatch())
        shown: set[Any] = set()
        for solver in solvers.chain:
            try:
                with closing(search.stream(solver)) as stream:
                    for each in stream:
                        if isinstance(each, Unsat):
                            return
                        if isinstance(each, Unknown):
                            raise LimitReached(each.reason)
                        if each not in shown:
                            shown.add(each)
                            yield each
            except (SolverError, EnvironmentFailure):
                if solver is solvers.chain[-1]:
                    raise


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
    return _solve_all([(source, data)], solvers, settings)[0]


def solve_sources(
    sources: Sequence[tuple[str, bytes]], solvers: Solvers, settings: Settings
) -> list[Result]:
    """Solve the bytes of many files, each with its name for messages.

    Raises EnvironmentFailure.
    """
    return _solve_all(sources, solvers, settings)


def _solve_all(
    sources: Sequence[tuple[str, Puzzle | Text]], solvers: Solvers, settings: Settings
) -> list[Result]:
    results: dict[int, Result] = {}
    read: dict[int, Problem] = {}
    parse: list[float] = []
    for index, (name, data) in enumerate(sources):
        watch = Stopwatch()
        try:
            with watch.timing("parse"):
                read[index] = _problem_of(name, data, settings)
        except InvalidPuzzle as error:
            results[index] = Result("invalid", message=str(error), seconds=watch.seconds())
        except LimitReached as error:
            results[index] = Result("unknown", (), False, str(error), seconds=watch.seconds())
        else:
            parse.append(watch.spent())
    found = solve_problems(list(read.values()), solvers, settings, parse)
    results |= zip(read, found, strict=True)
    return [results[index] for index in range(len(sources))]


def _problem_of(name: str, puzzle: Puzzle | Text, settings: Settings) -> Problem:
    if isinstance(puzzle, Puzzle):
        return PuzzleProblem(parsed_from(puzzle))
    data = puzzle.encode(errors="surrogatepass") if isinstance(puzzle, str) else puzzle
    return read_problem(data, name, settings)


Chunk = Sequence[tuple[str, Puzzle | Text]]


def _chunks(puzzles: Iterable[Puzzle | Text]) -> Iterator[Chunk]:
    named = ((f"puzzle {number}", puzzle) for number, puzzle in enumerate(puzzles, 1))
    size = FIRST_CHUNK
    while chunk := list(islice(named, size)):
        yield chunk
        size = CHUNK


def _in_processes(chunks: Iterator[Chunk], workers: int, settings: Settings) -> Iterator[Result]:
    from concurrent.futures import Future, ProcessPoolExecutor  # noqa: PLC0415 - slow to load
    from multiprocessing import get_context  # noqa: PLC0415

    pool = ProcessPoolExecutor(workers, get_context("spawn"))
    try:
        ahead: deque[Future[list[Result]]] = deque()
        for chunk in chunks:
            ahead.append(pool.submit(_solve_chunk, chunk, settings))
            if len(ahead) > workers:
                yield from ahead.popleft().result()
        while ahead:
            yield from ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _solve_chunk(chunk: Chunk, settings: Settings) -> list[Result]:
    with Solvers(settings.solver, settings.minisat) as solvers:
        return _solve_all(chunk, solvers, settings)


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
    if not isinstance(problem, PuzzleProblem) or settings.keep_cnf:
        return None
    geometry = problem.puzzle.geometry
    return geometry if geometry.side <= LARGEST_SIDE else None


def _alone(problem: Problem, parse: float | None, solvers: Solvers, settings: Settings) -> Result:
    read = {} if parse is None else {"parse": parse}
    watch = Stopwatch(before=parse or 0.0, earlier=read)
    return solve_problem(problem, solvers, settings, watch)
