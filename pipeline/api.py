"""The library: solve one, many, or solution by solution, compare and generate, as commands do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack, overload

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, printable
from pipeline.puzzle.puzzle import NINE
from pipeline.service.solving import AsPuzzle, Given, problem_given, solve_sources
from pipeline.service.workers import Pool, Request, Several
from pipeline.settings import (
    BenchOptions,
    ConvertingOptions,
    Settings,
    SolvingOptions,
    SourceOptions,
    settings_declared,
    settings_given,
)
from pipeline.solving.cnf import Unknown, Unsat
from pipeline.solving.complete import check_complete, prove_complete
from pipeline.solving.one import Search
from pipeline.solving.problem import FormulaProblem, PuzzleProblem
from pipeline.solving.result import Certificate, Result, Stopwatch, limits_left
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.catalogue.comparing import Copy, Left, Tally
    from pipeline.catalogue.generating import Wish
    from pipeline.outbox.arrow import DataFrame, Table
    from pipeline.puzzle.puzzle import Grid, Puzzle
    from pipeline.reading.formats.formula import Model
    from pipeline.service.converting import Converted
    from pipeline.solving.bench import Benched
    from pipeline.steps import Step

SIZES = (1, 64, 2048)
"""Puzzles that `solve_many` takes at once: few at first, so that results come soon."""

MOST_CHECKED = 10_000
"""With more solutions than this, `solutions` does not check that none is missing."""

AT_ONCE = 100
"""Missing solutions that are sought at once."""

MOST_CHARACTERS = 1024 * 1024
"""Of texts that are taken at once."""


@overload
def solve(puzzle: AsPuzzle, **settings: Unpack[SolvingOptions]) -> Result[Grid]: ...
@overload
def solve(puzzle: FormulaProblem, **settings: Unpack[SolvingOptions]) -> Result[Model]: ...
@overload
def solve(puzzle: Given, **settings: Unpack[SolvingOptions]) -> Result[Grid | Model]: ...
def solve(puzzle: Given, **settings: Unpack[SolvingOptions]) -> Result[Grid | Model]:
    """Solve a puzzle, a problem that was read, or the puzzle or formula in a text or file.

    A text is a str or bytes, a file a Path; a list of rows is taken as by `Puzzle.from_rows`. The
    solutions of a puzzle are grids, those of a formula models; `grids` of the result are the grids.
    The settings are those of `Settings` that say how to read and to solve. A text that is no puzzle
    gives a Result too: `invalid`, and where and why in its message.

        >>> solve("1.....2..3.....4").solutions[0].values[:4]
        (1, 2, 4, 3)
        >>> solve("11..............").message
        'row 1 holds 1 twice: row 1, column 1 and row 1, column 2'

    Raises UsageError for a wrong value of a setting, SolverMissing for a solver that is asked for
    and not installed, EnvironmentFailure where no solver can work, OSError for a file that cannot
    be read, ValueError for rows that are no grid.
    """
    chosen = settings_given(settings, SolvingOptions)
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        return solve_sources([("puzzle", puzzle)], solvers, chosen)[0]


@overload
def solve_many(
    puzzles: Iterable[AsPuzzle], *, workers: int = 1, **settings: Unpack[SolvingOptions]
) -> Iterator[Result[Grid]]: ...
@overload
def solve_many(
    puzzles: Iterable[Given], *, workers: int = 1, **settings: Unpack[SolvingOptions]
) -> Iterator[Result[Grid | Model]]: ...
def solve_many(
    puzzles: Iterable[Given], *, workers: int = 1, **settings: Unpack[SolvingOptions]
) -> Iterator[Result[Grid | Model]]:
    """Solve puzzles and texts, many at once; yield the result of each, in order.

    Each result is that of `solve`. Unique puzzles are solved at the speed of a collection; a puzzle
    without a solution, or with several, takes longer. `max_solutions=2` is enough to know whether
    there are several. If `workers` is more than 1, that many processes compute. They read no
    further ahead than they need; closing the iterator ends them.

        >>> [result.status for result in solve_many(["1.....2..3.....4", "1..............."])]
        ['unique', 'multiple']

    Raises as `solve` does.
    """
    replace(settings_declared()["workers"], least=1).check(workers, "workers")
    chosen = settings_given(settings, SolvingOptions)
    if isinstance(puzzles, (str, bytes, Path)):
        found = f"expected many puzzles, found one {type(puzzles).__name__}"
        raise TypeError(f"{found}: `solve` takes a text or a Path, `read` all puzzles of a file")
    return _solve_many(puzzles, workers, chosen)


@overload
def solutions(puzzle: AsPuzzle, **settings: Unpack[SolvingOptions]) -> Generator[Grid]: ...
@overload
def solutions(puzzle: FormulaProblem, **settings: Unpack[SolvingOptions]) -> Generator[Model]: ...
@overload
def solutions(puzzle: Given, **settings: Unpack[SolvingOptions]) -> Generator[Grid | Model]: ...
def solutions(puzzle: Given, **settings: Unpack[SolvingOptions]) -> Generator[Grid | Model]:
    """Each solution of a puzzle, or model of a formula, certified, as soon as it is found.

    At the end it is checked that none is missing, unless a solver found more than MOST_CHECKED.
    Closing the generator ends the solver. `timeout` is for all of them together, and counts what
    the caller does in between; `max_solutions` is ignored.

        >>> from itertools import islice
        >>> with closing(solutions("................")) as grids:
        ...     len(set(islice(grids, 100)))
        100

    Raises as `solve` does, InvalidPuzzle for a text that is none, LimitReached where the time or
    the memory does not suffice to find them all, or to check that they are all, and SolverError
    where no solver could go on.
    """
    chosen = settings_given(settings, SolvingOptions)
    search = Search(problem_given("puzzle", puzzle, chosen), chosen, Stopwatch())
    shown: set[Any] = set()
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        for solver in solvers.chain:
            try:
                with closing(search.stream(solver, solvers.after(solver))) as stream:
                    for found in stream:
                        if isinstance(found, Unknown):
                            raise LimitReached(found.reason)
                        if isinstance(found, Unsat):
                            break
                        if found not in shown:
                            shown.add(found)
                            yield found
            except (SolverError, EnvironmentFailure):
                if solver is solvers.chain[-1]:
                    raise
            else:
                break
        yield from _missing(search, [*shown], solvers)


def _missing(search: Search[Any], shown: Sequence[Any], solvers: Solvers) -> Iterator[Any]:
    """Yield the solutions that a solver has missed although it claims to have found all.

    Raises SolverError, and LimitReached where it cannot be known that there are no more.
    """
    settings, known = search.settings, [*shown]
    while len(known) <= MOST_CHECKED and not settings.trust_solver:
        limits = limits_left(settings, search.watch)
        with search.watch.timing("prove"):
            checked = check_complete(search.problem, known, solvers, limits, most=AT_ONCE)
        yield from checked.missing
        known += checked.missing
        certificate = checked.certificate
        if len(known) > len(shown) and certificate.by == "exhaustion":
            # the solver was wrong, so that there are no more is the word of the search alone
            limits = limits_left(settings, search.watch)
            certificate, _ = prove_complete(search.problem, known, solvers, limits)
        if certificate.complete == "proved":
            return
        if certificate.complete == "claimed":
            raise LimitReached(f"that there are no more is only claimed: {certificate.reason}")
        if not checked.missing:
            raise SolverError(f"that there are no more was claimed: {certificate.reason}")
    if len(known) > len(shown):
        raise LimitReached(f"there are more than {MOST_CHECKED:,}, and a solver has missed some")


class _Puzzles(Several[tuple[str, Given]]):
    """Puzzles, each with its name; their CNFs, which take memory, are left out if none asks."""

    __slots__ = ()

    def compute(self, solvers: Solvers, settings: Settings) -> list[Result]:
        results = solve_sources(self.items, solvers, settings)
        return results if settings.keep_cnf else [each.without_cnf() for each in results]


def _solve_many(puzzles: Iterable[Given], workers: int, settings: Settings) -> Iterator[Result]:
    with Solvers(settings.solver, settings.minisat) as solvers:
        if workers == 1:
            for request in _requests(puzzles):
                yield from request.compute(solvers, settings)
            return
        pool = Pool(workers, settings, lambda: False)
        with closing(pool), closing(pool.replies(_requests(puzzles))) as replies:
            for reply in replies:
                if reply is not None:
                    yield from reply[1]


def _requests(puzzles: Iterable[Given]) -> Iterator[Request]:
    sizes = iter(SIZES)
    size, characters = next(sizes), 0
    some: list[tuple[str, Given]] = []
    for number, puzzle in enumerate(puzzles, 1):
        some.append((f"puzzle {number}", puzzle))
        characters += len(puzzle) if isinstance(puzzle, (str, bytes)) else 0
        if len(some) >= size or characters >= MOST_CHARACTERS:
            yield _Puzzles(tuple(some))
            some, size, characters = [], next(sizes, size), 0
    if some:
        yield _Puzzles(tuple(some))


def to_arrow(results: Iterable[Result[Grid | Model]]) -> Table:
    """The table of these results: a row each, with the columns of a collection's table, typed.

    Its `index` counts the results, its `line` is null, as are other fields that are not known.
    The columns of `traits` follow. Parquet, polars and duckdb take the table as it is.

    Raises UsageError if pyarrow, the extra [data], is missing, TypeError for what is no result, and
    what getting the results raises.
    """
    from pipeline.outbox.arrow import table_of  # noqa: PLC0415 - an extra

    return table_of(results)


def to_frame(results: Iterable[Result[Grid | Model]]) -> DataFrame:
    """The same as a frame of pandas, which the extra [data] brings."""
    from pipeline.outbox.arrow import frame_of  # noqa: PLC0415 - as above

    return frame_of(to_arrow(results))


def dedupe(
    *sources: str | Path,
    against: str | Path | None = None,
    kept: BinaryIO | None = None,
    tally: Tally | None = None,
    **settings: Unpack[SourceOptions],
) -> Generator[Copy | Left]:
    """Find the classic 9×9 puzzles that are equivalent to an earlier one of these sources.

    Two puzzles are equivalent if relabelling the digits, turning the grid, and permuting bands,
    rows, stacks and columns turns one into the other. Sources are files, folders and archives. The
    first puzzle of each class is written to `kept`, one a line; `tally` counts. With `against`,
    puzzles are compared with those of that source only, and `kept` gets the ones that it lacks. A
    puzzle that cannot be compared is a `Left`, with the reason. The memory does not grow with the
    sources: classes beyond some millions go to a temporary folder.

    Raises UsageError for a wrong value of a setting, OSError if the environment fails.
    """
    from pipeline.catalogue import comparing  # noqa: PLC0415 - numpy is slow to load

    chosen = settings_given(settings, SourceOptions)
    named = [*map(_shown, sources)]
    if against is None:
        yield from comparing.dedupe(named, chosen, kept, tally)
    else:
        tallies = comparing.Tally(), tally or comparing.Tally()
        yield from comparing.overlap([_shown(against)], named, chosen, kept, tallies)


def overlap(
    known: str | Path, asked: str | Path, **settings: Unpack[SourceOptions]
) -> Generator[Copy | Left]:
    """Find what `dedupe(asked, against=known)` finds, until version 1.1."""
    message = "overlap(a, b) is now dedupe(b, against=a); the old name works until 1.1"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    yield from dedupe(asked, against=known, **settings)


def _shown(source: str | Path) -> tuple[Path, str]:
    return Path(source), printable(str(source))


def convert(
    *sources: str | Path | Puzzle,
    to: str,
    solutions: bool = False,
    kept: BinaryIO | None = None,
    **settings: Unpack[ConvertingOptions],
) -> Iterator[Converted]:
    r"""Convert puzzles, also those in files, folders, archives and outboxes, to another notation.

    Each is a `Converted`: the bytes of a file with it alone, or the reason why the notation cannot
    say it. What is written was read again and compared. All together are written to `kept`, as one
    file. With `solutions` they are solved first, and the solutions are written; an outbox has them
    already. The memory does not grow with the sources.

        >>> for each in convert("examples/six.txt", "examples/killer.txt", to="lines"):
        ...     print(each.data, each.reason)
        b'...5....5631.......1.3.5.5....2.4...\n' None
        None lines cannot say diagonal from r1c1

    Raises UsageError for a target that there is not, and for a wrong value of a setting, InputError
    for several puzzles in a file that holds one, or that would be read as others, OSError if the
    environment fails.
    """
    from pipeline.service import converting  # noqa: PLC0415 - most do not convert

    chosen = settings_given(settings, ConvertingOptions)
    return converting.convert(_named(sources), to, chosen, solutions=solutions, kept=kept)


def _named(sources: Iterable[str | Path | Puzzle]) -> list[tuple[Path | Puzzle, str]]:
    """Puzzles and paths, each with its name in messages."""
    paths = (Path(each) if isinstance(each, str) else each for each in sources)
    return [(each, each.name if isinstance(each, Path) else "puzzle") for each in paths]


def bench(
    *sources: str | Path | Puzzle,
    solvers: Sequence[str] = ("minisat", "glucose4", "cadical195"),
    unique: bool = False,
    **settings: Unpack[BenchOptions],
) -> Iterator[Benched]:
    """Measure how long solvers take for each puzzle or formula of these sources.

    Solvers are `minisat`, the program, and those of PySAT by their names. Each gets the same
    clauses, by default those of the `extended` encoding, and `timeout` and `memory_limit` for
    itself. Its start, and in PySAT the loading of clauses, is not measured. Each solution is
    certified; that there is none is the solver's claim. With `unique` a solver is also asked for
    another solution, and its seconds are for both answers. A solver that fails, or is wrong, does
    not end the run.

        >>> for each in bench("examples/six.txt", solvers=["glucose4"]):
        ...     print(each.status, each.variables, each.clauses, each.runs[0].seconds < 60)
        solved 216 2315 True

    Raises UsageError for a solver that there is not, and for a wrong value of a setting,
    SolverMissing for one that is not installed, OSError if the environment fails.
    """
    from pipeline.solving import bench as benching  # noqa: PLC0415 - loads numpy
    from pipeline.solving.items import items_of  # noqa: PLC0415 - as above

    chosen = settings_given({"encoding": "extended", **settings}, BenchOptions)
    items = (item for what, name in _named(sources) for item in items_of(what, name, chosen))
    found = benching.solvers_named(solvers, chosen.minisat)
    return benching.bench(items, found, chosen, unique=unique)


def generate(
    wish: Wish | None = None, seed: int = 0, on_tried: Callable[[int], object] = lambda _: None
) -> Generator[Result[Grid]]:
    """Generate new puzzles of 9×9 with one solution, without end; minimal ones by default.

    Each is the result of a puzzle that `solve` would give, with the certificate that there is no
    other solution. The same seed gives the same puzzles. `on_tried` is called often, with the
    number of grids that were tried.

        >>> from itertools import islice
        >>> [result.status for result in islice(generate(), 2)]
        ['unique', 'unique']

    Raises UsageError for a negative seed, LimitReached if none is found for a long time.
    """
    from pipeline.catalogue import generating  # noqa: PLC0415 - as above
    from pipeline.puzzle.puzzle import Grid, Puzzle  # noqa: PLC0415
    from pipeline.reading.formats import parsed_from  # noqa: PLC0415

    for made in generating.generate(wish or generating.Wish(), seed, on_tried):
        yield Result(
            "unique",
            (Grid(NINE, made.solution),),
            complete=True,
            problem=PuzzleProblem(parsed_from(Puzzle(NINE, made.masks))),
            certificate=Certificate("proved", "exhaustion", made.nodes),
        )


def has_steps(result: Result[Grid | Model]) -> bool:
    """Whether steps are looked for: in a 9×9 puzzle without other rules that has a solution."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem) or not result.solutions:
        return False
    return problem.puzzle.is_plain and problem.puzzle.geometry == NINE


def steps_of(result: Result[Grid | Model]) -> Iterator[Step]:
    """The steps through the puzzle of a result, as `steps`.

        >>> from pipeline import solve, steps_of
        >>> [step.technique.name for step in steps_of(solve("12345678." + "." * 72))]
        ['full house']

    Raises ValueError for a result that `has_steps` refuses.
    """
    from pipeline.steps import steps  # noqa: PLC0415 - numpy is slow to load

    problem, found = result.problem, result.certificate
    if not isinstance(problem, PuzzleProblem) or not has_steps(result):
        raise ValueError("steps are looked for in 9×9 puzzles without other rules that are solved")
    unique = result.status == "unique" and found is not None and found.complete == "proved"
    return steps(problem.puzzle.cells, unique=unique)
