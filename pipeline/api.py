"""The library: functions that solve, compare, convert and generate puzzles."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Unpack, cast, overload

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, printable
from pipeline.keywords import (
    BenchOptions,
    ConvertingOptions,
    SolvingOptions,
    SourceOptions,
    WishOptions,
    check_name,
    settings_from,
)
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading.formats import symbols_of
from pipeline.service.signals import Stop
from pipeline.service.solving import ProblemLike, PuzzleLike, problem_of_source, solve_sources
from pipeline.service.workers import BatchRequest, Pool, Request
from pipeline.settings import Settings, settings_declared
from pipeline.solving import MAX_STEPS_SIDE, Rating
from pipeline.solving.cnf import Unknown, Unsat
from pipeline.solving.complete import check_complete, prove_complete
from pipeline.solving.one import Search
from pipeline.solving.problem import FormulaProblem, PuzzleProblem
from pipeline.solving.result import Certificate, Result, Stopwatch, limits_left
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.catalogue.comparing import Copy, SkippedItem, Tally
    from pipeline.catalogue.generating import Wish
    from pipeline.outbox.frames import DataFrame, Table
    from pipeline.puzzle.puzzle import Grid, Puzzle
    from pipeline.reading.formats.dimacs import Model
    from pipeline.service.converting import Converted
    from pipeline.solving.bench import BenchResult
    from pipeline.steps import Step
    from pipeline.steps.orders import Order

BATCH_SIZES = (1, 64, 2048)
"""Number of puzzles in the first, the second and each further batch of `solve_many`.

The first batches are small so that the first results arrive early.
"""

MAX_CHECKED_SOLUTIONS = 10_000
"""Maximum number of solutions for which `solutions` checks that none is missing."""

MAX_MISSING_PER_SEARCH = 100
"""Maximum number of missing solutions that one search returns."""

MAX_BATCH_CHARACTERS = 1024 * 1024
"""Number of characters of puzzles after which a batch of `solve_many` is full."""


NO_STEPS = (
    f"steps are only available for solved puzzles with values from 1 to at most {MAX_STEPS_SIDE}"
)
"""Why a puzzle has no steps."""


@overload
def solve(puzzle: PuzzleLike, **settings: Unpack[SolvingOptions]) -> Result[Grid]: ...
@overload
def solve(puzzle: FormulaProblem, **settings: Unpack[SolvingOptions]) -> Result[Model]: ...
@overload
def solve(puzzle: ProblemLike, **settings: Unpack[SolvingOptions]) -> Result[Grid | Model]: ...
def solve(puzzle: ProblemLike, **settings: Unpack[SolvingOptions]) -> Result[Grid | Model]:
    """Solve a puzzle or formula.

    `puzzle` is a Puzzle, an item of `read`, a text (str or bytes), a file (Path), or rows as for
    `Puzzle.from_rows`. Solutions of a puzzle are grids, solutions of a
    formula are models; `Result.grids` contains only grids. `settings` are the fields of
    `Settings` that SolvingOptions lists. For a text that is not a puzzle, the Result has the status
    `invalid`, and its message names the position and the error; `Result.solution` and
    `Result.raise_for_status` raise the exception that `parse_puzzle` raises.

        >>> result = solve("1.....2..3.....4")
        >>> result
        <Result unique, 1 solution, exhaustive-search>
        >>> result.solution[1, 2]
        2
        >>> solve("11..............").message
        'row 1 holds 1 twice: row 1, column 1 and row 1, column 2'
        >>> solve("53..7").message
        'puzzle:1:1: expected a row of 4, 6, 8 or 9 cells, found 5 cells'

    Raises UsageError for an invalid setting, SolverMissing if the requested solver is not
    installed, EnvironmentFailure if no solver can run, OSError if a file cannot be read, ValueError
    for rows that do not form a grid.
    """
    chosen = settings_from(settings, SolvingOptions)
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        return solve_sources([("puzzle", puzzle)], solvers, chosen)[0]


@overload
def solve_many(
    puzzles: Iterable[PuzzleLike], *, workers: int = 1, **settings: Unpack[SolvingOptions]
) -> Iterator[Result[Grid]]: ...
@overload
def solve_many(
    puzzles: Iterable[ProblemLike], *, workers: int = 1, **settings: Unpack[SolvingOptions]
) -> Iterator[Result[Grid | Model]]: ...
def solve_many(
    puzzles: Iterable[ProblemLike], *, workers: int = 1, **settings: Unpack[SolvingOptions]
) -> Iterator[Result[Grid | Model]]:
    """Solve puzzles in bulk, yielding results in order.

    Results are the same as from `solve`. Unique puzzles are fast; puzzles with no solution or
    several take longer. Use `max_solutions=2` if you only need to know whether a puzzle is unique.
    `workers` is the number of processes; 1 solves in this process. `puzzles` is read only a few
    batches ahead. Closing the iterator ends the processes.

        >>> [result.status for result in solve_many(["1.....2..3.....4", "1..............."])]
        ['unique', 'multiple']
        >>> from pipeline import read
        >>> [result.status for result in solve_many(read("examples/collection.txt"))]
        ['unique', 'unique', 'unique', 'unique', 'multiple']

    Raises like `solve`.
    """
    replace(settings_declared()["workers"], minimum=1).check(workers, "workers")
    chosen = settings_from(settings, SolvingOptions)
    if isinstance(puzzles, (str, bytes, Path)):
        message = f"expected an iterable of puzzles, found {type(puzzles).__name__}"
        raise TypeError(f"{message}: use `solve` for one puzzle, `read` for the puzzles of a file")
    return _solve_many(puzzles, workers, chosen)


@overload
def solutions(puzzle: PuzzleLike, **settings: Unpack[SolvingOptions]) -> Generator[Grid]: ...
@overload
def solutions(puzzle: FormulaProblem, **settings: Unpack[SolvingOptions]) -> Generator[Model]: ...
@overload
def solutions(
    puzzle: ProblemLike, **settings: Unpack[SolvingOptions]
) -> Generator[Grid | Model]: ...
def solutions(puzzle: ProblemLike, **settings: Unpack[SolvingOptions]) -> Generator[Grid | Model]:
    """Yield each solution of a puzzle, or model of a formula, once it is found and certified.

    After the last solution, a check confirms that none is missing, unless there are more than
    MAX_CHECKED_SOLUTIONS. Closing the generator ends the solver. `timeout` covers all solutions,
    including the time that the caller takes between them. `max_solutions` is ignored.

        >>> from contextlib import closing
        >>> from itertools import islice
        >>> with closing(solutions("................")) as grids:
        ...     len(set(islice(grids, 100)))
        100

    Raises like `solve`, InvalidPuzzle for a text that is not a puzzle, LimitReached if time or
    memory runs out before all solutions are found and checked, and SolverError if every solver
    failed.
    """
    chosen = settings_from(settings, SolvingOptions)
    search = Search(problem_of_source("puzzle", puzzle, chosen), chosen, Stopwatch())
    yielded: set[Any] = set()
    with Solvers(chosen.solver, chosen.minisat) as solvers:
        for solver in solvers.chain:
            try:
                with closing(search.stream(solver, solvers.successor(solver))) as stream:
                    for answer in stream:
                        if isinstance(answer, Unknown):
                            raise LimitReached(answer.reason)
                        if isinstance(answer, Unsat):
                            break
                        if answer not in yielded:
                            yielded.add(answer)
                            yield answer
            except (SolverError, EnvironmentFailure):
                if solver is solvers.chain[-1]:
                    raise
            else:
                break
        yield from _missing_solutions(search, [*yielded], solvers)


def count(puzzle: ProblemLike, **settings: Unpack[SolvingOptions]) -> int:
    """Count the solutions of a puzzle or formula, up to `max_solutions`, which is 100 by default.

        >>> count("1..............."), count("................", max_solutions=10)
        (72, 10)

    Raises like `solve`, and the errors of `Result.raise_for_status`.
    """
    settings["max_solutions"] = settings_from(settings, SolvingOptions).solution_limit
    return len(solve(puzzle, **settings).raise_for_status().solutions)


def rate(puzzle: ProblemLike, **settings: Unpack[SolvingOptions]) -> Rating:
    """Rate a classic 9×9 puzzle by the logical steps that solve it, as `--traits rating` does.

        >>> from pathlib import Path
        >>> rating = rate(Path("examples/line.sdm"))
        >>> rating.level, rating.hardest, rating.score, rating.se
        ('easy', 'hidden single', 508, 1.5)

    Raises like `solve`, the errors of `Result.solution`, and ValueError for other puzzles.
    """
    settings["traits"] = "rating"
    result = solve(puzzle, **settings)
    result.solution  # noqa: B018 - raises if there is none, or several
    if result.traits is None or result.traits.rating is None:
        raise ValueError("only classic 9×9 puzzles have a rating")
    return result.traits.rating


def _missing_solutions(
    search: Search[Any], yielded: Sequence[Any], solvers: Solvers
) -> Iterator[Any]:
    """Yield the solutions that are not in `yielded`, until none is missing.

    Raises SolverError if the check contradicts the solver without finding a solution, and
    LimitReached if completeness cannot be verified.
    """
    settings, known = search.settings, [*yielded]
    while len(known) <= MAX_CHECKED_SOLUTIONS and not settings.trust_solver:
        limits = limits_left(settings, search.watch)
        with search.watch.timing("prove"):
            checked = check_complete(
                search.problem, known, solvers, limits, max_missing=MAX_MISSING_PER_SEARCH
            )
        yield from checked.missing
        known += checked.missing
        certificate = checked.certificate
        if len(known) > len(yielded) and certificate.by == "exhaustive-search":
            # the solver missed solutions, so it does not confirm the exhaustive search
            limits = limits_left(settings, search.watch)
            certificate, _ = prove_complete(search.problem, known, solvers, limits)
        if certificate.complete == "proved":
            return
        if certificate.complete == "unverified":
            raise LimitReached(f"completeness not verified: {certificate.reason}")
        if not checked.missing:
            raise SolverError(f"the solver missed solutions: {certificate.reason}")
    if len(known) > len(yielded):
        raise LimitReached(
            f"more than {MAX_CHECKED_SOLUTIONS:,} solutions, and the solver missed some"
        )


class _PuzzleBatch(BatchRequest[tuple[str, ProblemLike]]):
    """A batch of (name, puzzle). Results contain a CNF only with `keep_cnf`: it takes memory."""

    __slots__ = ()

    def compute(self, solvers: Solvers, settings: Settings) -> list[Result]:
        results = solve_sources(self.items, solvers, settings)
        return results if settings.keep_cnf else [result.without_cnf() for result in results]


def _solve_many(
    puzzles: Iterable[ProblemLike], workers: int, settings: Settings
) -> Iterator[Result]:
    with Solvers(settings.solver, settings.minisat) as solvers:
        if workers == 1:
            for request in _requests(puzzles):
                yield from request.compute(solvers, settings)
            return
        stop = Stop(0.0)  # it handles no signals: the caller does
        pool = Pool(workers, settings, stop)
        with closing(pool), closing(pool.replies(_requests(puzzles))) as replies:
            for reply in replies:
                if reply is not None:
                    yield from reply[1]


def _requests(puzzles: Iterable[ProblemLike]) -> Iterator[Request]:
    """Yield batches of puzzles as requests."""
    sizes = iter(BATCH_SIZES)
    size, characters = next(sizes), 0
    batch: list[tuple[str, ProblemLike]] = []
    for number, puzzle in enumerate(puzzles, 1):
        batch.append((f"puzzle {number}", puzzle))
        characters += len(puzzle) if isinstance(puzzle, (str, bytes)) else 0
        if len(batch) >= size or characters >= MAX_BATCH_CHARACTERS:
            yield _PuzzleBatch(tuple(batch))
            batch, size, characters = [], next(sizes, size), 0
    if batch:
        yield _PuzzleBatch(tuple(batch))


def to_arrow(results: Iterable[Result[Grid | Model]]) -> Table:
    """A pyarrow table with a row for each result, and the columns of a collection's table.

    `index` numbers the results; `line` and other unknown fields are null. Columns of traits follow.
    The table can be written as Parquet, and used in polars and duckdb.

    Raises UsageError if pyarrow, from the extra [data], is missing, TypeError for an element that
    is not a Result, and whatever iterating over `results` raises.
    """
    from pipeline.outbox.frames import table_of  # noqa: PLC0415 - needs the extra [data]

    return table_of(results)


def to_frame(results: Iterable[Result[Grid | Model]]) -> DataFrame:
    """The table of `to_arrow` as a pandas DataFrame; needs the extra [data].

        >>> frame = to_frame(solve_many(["1.....2..3.....4", "1...............", "x"]))
        >>> frame[["index", "status", "solutions"]].to_dict("list")
        {'index': [1, 2, 3], 'status': ['unique', 'multiple', 'invalid'], 'solutions': [1, 72, 0]}

    Raises like `to_arrow`.
    """
    from pipeline.outbox.frames import frame_of  # noqa: PLC0415 - slow to load

    return frame_of(to_arrow(results))


def dedupe(
    *sources: str | Path,
    against: str | Path | None = None,
    kept: BinaryIO | None = None,
    tally: Tally | None = None,
    **settings: Unpack[SourceOptions],
) -> Generator[Copy | SkippedItem]:
    """Yield the classic 9×9 puzzles that are equivalent to an earlier one in these sources.

    Two puzzles are equivalent if a symmetry maps one to the other: relabelling, rotation,
    reflection, and permutations of rows and columns that keep the boxes. Sources are files, folders
    and archives. The first puzzle of each class is written to `kept`, one per line. `tally` is
    updated with the numbers of puzzles and classes. With `against`, puzzles are compared only with
    the puzzles of that source, and puzzles without an equivalent there are written to `kept`. An
    item that cannot be compared is yielded as a `SkippedItem` with the reason. Memory use is
    bounded: above some millions of classes, a temporary folder is used.

        >>> copies = dedupe("examples/collection.txt", "examples/collection.txt")
        >>> [(copy.line, copy.first_line) for copy in copies]
        [(2, 2), (3, 3), (4, 4), (5, 5), (6, 6)]

    Raises UsageError for an invalid setting, OSError if a file cannot be read or written.
    """
    from pipeline.catalogue import comparing  # noqa: PLC0415 - numpy is slow to load

    chosen = settings_from(settings, SourceOptions)
    named = [*map(_named_path, sources)]
    if against is None:
        yield from comparing.find_copies(named, chosen, kept, tally)
    else:
        tallies = comparing.Tally(), tally or comparing.Tally()
        yield from comparing.find_overlap([_named_path(against)], named, chosen, kept, tallies)


def overlap(
    known: str | Path, asked: str | Path, **settings: Unpack[SourceOptions]
) -> Generator[Copy | SkippedItem]:
    """Yield the same as `dedupe(asked, against=known)`. Deprecated: it will be removed in 1.1."""
    message = "overlap(a, b) is now dedupe(b, against=a); the old name works until 1.1"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    yield from dedupe(asked, against=known, **settings)


def _named_path(source: str | Path) -> tuple[Path, str]:
    """A source, and its name for messages."""
    return Path(source), printable(str(source))


def convert(
    *sources: str | Path | Puzzle,
    to: str,
    solutions: bool = False,
    kept: BinaryIO | None = None,
    **settings: Unpack[ConvertingOptions],
) -> Iterator[Converted]:
    r"""Convert puzzles, or the puzzles in files, folders, archives and outboxes.

    Yields a `Converted` for each puzzle: the bytes of a file with this puzzle, or the reason why
    the notation cannot express it. Output is read back and compared with the puzzle. One file with
    all converted puzzles is written to `kept`. With `solutions`, puzzles are solved and their
    solutions are written; solutions in an outbox are reused. Memory use is bounded.

        >>> for each in convert("examples/six.txt", "examples/killer.txt", to="lines"):
        ...     print(each.data, each.reason)
        b'...5....5631.......1.3.5.5....2.4...\n' None
        None lines cannot express diagonal from r1c1

    Raises UsageError for an unknown notation or an invalid setting, InputError for several puzzles
    in a notation with one puzzle per file, or if puzzles would be read back differently, OSError if
    a file cannot be read or written.
    """
    from pipeline.service import converting  # noqa: PLC0415 - most callers do not convert

    chosen = settings_from(settings, ConvertingOptions)
    return converting.convert(_named_sources(sources), to, chosen, solutions=solutions, kept=kept)


def _named_sources(sources: Iterable[str | Path | Puzzle]) -> list[tuple[Path | Puzzle, str]]:
    """(puzzle or path, name for messages) for each source."""
    paths = (Path(source) if isinstance(source, str) else source for source in sources)
    return [(source, source.name if isinstance(source, Path) else "puzzle") for source in paths]


def bench(
    *sources: str | Path | Puzzle,
    solvers: Sequence[str] = ("minisat", "glucose4", "cadical195"),
    unique: bool = False,
    **settings: Unpack[BenchOptions],
) -> Iterator[BenchResult]:
    """Measure how long each solver takes for each puzzle or formula of these sources.

    `solvers` are names: `minisat`, a program, and solvers of PySAT. All solvers get the same
    clauses, by default in the `extended` encoding; `timeout` and `memory_limit` apply to each run.
    Times exclude starting the solver and, for PySAT, loading the clauses. Solutions are certified,
    but an answer "unsatisfiable" is not verified. With `unique`, a solver is also asked for a
    second solution, and its time includes both answers. A solver that fails or answers wrongly does
    not end the benchmark.

        >>> for each in bench("examples/six.txt", solvers=["glucose4"]):
        ...     print(each.status, each.variables, each.clauses, each.runs[0].seconds < 60)
        solved 216 2315 True

    Raises UsageError for an unknown solver or an invalid setting, SolverMissing for a solver that
    is not installed, OSError if a file cannot be read.
    """
    from pipeline.solving import bench as benching  # noqa: PLC0415 - loads numpy
    from pipeline.solving.items import items_of  # noqa: PLC0415 - slow to load

    chosen = settings_from({"encoding": "extended", **settings}, BenchOptions)
    items = (
        item for path, name in _named_sources(sources) for item in items_of(path, name, chosen)
    )
    named = benching.solvers_named(solvers, chosen.minisat)
    return benching.bench(items, named, chosen, unique=unique)


def generate(
    wish: Wish | None = None,
    seed: int = 0,
    on_tried: Callable[[int], object] = lambda _: None,
    **properties: Unpack[WishOptions],
) -> Generator[Result[Grid]]:
    """Generate an endless sequence of new 9×9 puzzles with a unique solution, by default minimal.

    Each puzzle is a Result as from `solve`, with a certificate of uniqueness. `properties` are the
    fields of `Wish`, and replace those of `wish`. The same properties and seed give the same
    puzzles. `on_tried` is called frequently with the number of puzzles tried so far.

        >>> from itertools import islice
        >>> [result.puzzle for result in islice(generate(givens=(24, 25), seed=7), 2)]
        [<Puzzle of 9×9 cells, 24 givens>, <Puzzle of 9×9 cells, 24 givens>]

    Raises UsageError for a negative seed or properties that contradict each other, and LimitReached
    if no puzzle is found for a long time.
    """
    from pipeline.catalogue import generating  # noqa: PLC0415 - slow to load
    from pipeline.puzzle.puzzle import Grid, Puzzle  # noqa: PLC0415
    from pipeline.reading.formats import parsed_from  # noqa: PLC0415

    for name in properties:
        check_name(name, WishOptions.__annotations__)
    wish = replace(wish or generating.Wish(), **properties)
    for generated in generating.generate_puzzles(wish, seed, on_tried):
        yield Result(
            "unique",
            (Grid(NINE_BY_NINE, generated.solution),),
            complete=True,
            problem=PuzzleProblem(parsed_from(Puzzle(NINE_BY_NINE, generated.masks))),
            certificate=Certificate("proved", "exhaustive-search", generated.nodes),
        )


def has_steps(result: Result[Grid | Model]) -> bool:
    """Whether `steps_of` accepts a result.

    It must be the result of a puzzle that has a solution and the values 1 to 16 or fewer.
    """
    problem = result.problem
    if not isinstance(problem, PuzzleProblem) or not result.solutions:
        return False
    geometry = problem.puzzle.geometry
    return geometry.side <= MAX_STEPS_SIDE and geometry.lowest == 1


def has_orders(problem: PuzzleProblem) -> bool:
    """Whether the `order` of steps can be chosen: for 9×9 puzzles without extra rules."""
    return problem.puzzle.is_classic


def steps_of(
    puzzle: Result[Grid | Model] | ProblemLike,
    *,
    order: Order = "hodoku",
    optional: Collection[str] = (),
) -> Iterator[Step]:
    """Yield the logical steps that solve a puzzle, or the puzzle of a Result.

    Each step uses the first technique that makes progress. If the file contains the state of a game
    in progress, without mistakes, the steps start from it.

        >>> for step in steps_of("12345678." + "." * 72):
        ...     print(step)
        ...     print(step.reason)
        r1c9=9 full house in row 1
        r1c9 is the only open cell of row 1, and 9 is missing there.

    The first step is a hint; its `technique.name` and `where` reveal less than the step.

    `order`: the order of the techniques for a 9×9 puzzle without extra rules: `hodoku`, `explainer`
    for that of Sudoku Explainer, or `boxes` for that of a beginner, who looks for singles in boxes
    first. Other puzzles have a fixed order.

    `optional`: names of techniques that HoDoKu has but does not use by default, "death blossom" and
    "grouped chain with ALS". They are tried at their places in `hodoku` and `boxes`. Other names do
    not matter.

    Raises ValueError if the puzzle has no solution, or values other than 1 to 16 or fewer, and the
    errors of `solve` and `Result.raise_for_status`.
    """
    return _find_steps(_solved(puzzle), order, optional)


def all_steps_of(
    puzzle: Result[Grid | Model] | ProblemLike,
    *,
    order: Order = "hodoku",
    on_search: Callable[[int], object] = lambda _: None,
) -> Iterator[Step]:
    """Yield all logical steps that are possible in the first position of `steps_of`.

    They are sorted by technique. Each conclusion is in one of them only. `order` is that of
    `steps_of`, with all optional techniques. For a 9×9 puzzle without extra rules, `on_search` is
    called frequently with the number of techniques that are done.

        >>> next(all_steps_of("12345678." + "." * 72))
        <Step r1c9=9 full house in row 1>

    Raises like `steps_of`.
    """
    from pipeline.steps.techniques import OPTIONAL  # noqa: PLC0415 - numpy is slow to load

    return _find_steps(_solved(puzzle), order, OPTIONAL, on_search)


def _solved(puzzle: Result[Grid | Model] | ProblemLike) -> Result[Grid | Model]:
    """Solve a puzzle, unless it is a Result. Raises like `solve` and `raise_for_status`."""
    return puzzle if isinstance(puzzle, Result) else solve(puzzle).raise_for_status()


def _find_steps(
    result: Result[Grid | Model],
    order: Order,
    optional: Collection[str],
    on_search: Callable[[int], object] | None = None,
) -> Iterator[Step]:
    """The steps through a puzzle or, with `on_search`, all steps of its first position."""
    from pipeline.steps import all_steps, steps  # noqa: PLC0415 - numpy is slow to load
    from pipeline.steps.orders import order_with  # noqa: PLC0415
    from pipeline.steps.variants import all_variant_steps, variant_steps  # noqa: PLC0415

    problem, certificate = result.problem, result.certificate
    if not isinstance(problem, PuzzleProblem) or not has_steps(result):
        result.raise_for_status()
        raise ValueError(NO_STEPS)
    is_unique = result.status == "unique"
    placed, eliminated = (
        problem.parsed.progress if is_unique and not mistakes_of(result) else ((), ())
    )
    puzzle = problem.puzzle
    if has_orders(problem):
        unique = is_unique and certificate is not None and certificate.complete == "proved"
        find = partial(all_steps, on_search=on_search) if on_search else steps
        techniques = order_with(order, optional)
        found = find(
            puzzle.cells, unique=unique, techniques=techniques, eliminated=eliminated, placed=placed
        )
    else:
        values = dict(placed)
        cells = tuple(
            1 << values[cell] - 1 if cell in values else mask
            for cell, mask in enumerate(puzzle.cells)
        )
        find_variant = all_variant_steps if on_search else variant_steps
        found = find_variant(replace(puzzle, cells=cells), eliminated=eliminated)
    return (step.with_symbols(symbols_of(problem.format)) for step in found)


class Mistake(NamedTuple):
    """A mistake in a game: a wrong value, or an eliminated candidate that is the solution.

    - `cell`, `value`: the candidate; cells from 0, values from 1.
    - `is_placed`: whether the value was placed; else the candidate was eliminated.
    """

    cell: int
    value: int
    is_placed: bool


def mistakes_of(puzzle: Result[Grid | Model] | ProblemLike) -> tuple[Mistake, ...]:
    """The mistakes of a player in the state of a game in progress; empty if none is known.

    Compares the state with the unique solution. For a grid of candidates, all of which are part of
    the puzzle, solves the puzzle of its filled cells if the grid has no solution.

        >>> rest = "..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        >>> mistakes_of(f":0000:x:5+1{rest}:::")
        (Mistake(cell=1, value=1, is_placed=True),)

    Raises like `steps_of`.
    """
    result = _solved(puzzle)
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return ()
    puzzle, progress = problem.puzzle, problem.parsed.progress
    if result.status == "unique":
        values = cast("Grid", result.solutions[0]).values
        mistakes = [Mistake(c, v, True) for c, v in progress.placed if values[c] != v]
        mistakes += [Mistake(c, v, False) for c, v in progress.eliminated if values[c] == v]
        return tuple(mistakes)
    if result.solutions or not result.complete:
        return ()
    filled = tuple(
        mask if mask.bit_count() == 1 else puzzle.geometry.all_values for mask in puzzle.cells
    )
    if filled == puzzle.cells:
        return ()
    without_marks = solve(replace(puzzle, cells=filled))
    if without_marks.status != "unique":
        return ()
    return tuple(
        Mistake(cell, value, False)
        for cell, value in enumerate(without_marks.solutions[0].values)
        if not puzzle.cells[cell] >> value - puzzle.geometry.lowest & 1
    )
