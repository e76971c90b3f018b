"""Solve problems from any source: a single problem to a Result, a chunk of a collection to Rows.

Puzzles are solved one by one, with fallback to other solvers, or in batches of one geometry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import InvalidPuzzle, LimitReached, printable
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading import OneProblem, SingleFormula, SinglePuzzle, Unreadable
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import Layout, TextChunk, count_lines, parsed_from, symbols_of
from pipeline.reading.formats.detect import with_file_hint
from pipeline.reading.read import COLLECTION_CHUNK_BYTES
from pipeline.settings import Settings
from pipeline.solving.items import Item, problem_of, sources_at
from pipeline.solving.one import MIN_BATCH, compare_solution, solve_problem
from pipeline.solving.problem import Problem, PuzzleProblem, S, problem_in, read_problem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pipeline.outbox.rows import Rows
    from pipeline.reading.formats.plain import ChunkContents

MAX_BATCH_SIDE = 25
"""Maximum side of puzzles that are solved in batches; larger ones would not fit in memory."""

PuzzleLike = PuzzleProblem | Puzzle | Sequence[Sequence[int | None]]
"""A puzzle, its problem, or rows of values, but not a formula."""

ProblemLike = (
    Problem | Puzzle | Item | OneProblem | str | bytes | Path | Sequence[Sequence[int | str | None]]
)
"""A problem, a puzzle, an item, a source with one problem, a text, a file, or rows of values."""


def solve_puzzle(
    puzzle: Puzzle,
    settings: Settings | None = None,
    on_grid: Callable[[Grid], None] | None = None,
) -> Result[Grid]:
    """Solve a puzzle like `api.solve`, with the options as Settings.

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

    With the batch solver, these calls follow at the end. Raises EnvironmentFailure.
    """
    if settings.solver != "batch" or _batch_geometry(problem, settings) is None:
        return solve_problem(problem, solvers, settings, watch, on_solution)
    (result,) = solve_problems([problem], solvers, settings, [watch.spent()])
    if on_solution:
        for solution in result.solutions:
            on_solution(solution)
    return result


def solve_source(data: bytes, source: str, solvers: Solvers, settings: Settings) -> Result:
    """Solve the bytes of one file; `source` names it in messages. Raises EnvironmentFailure."""
    return solve_sources([(source, data)], solvers, settings)[0]


def solve_items(items: Sequence[OneProblem], solvers: Solvers, settings: Settings) -> list[Result]:
    """Solve sources with one problem each. Raises EnvironmentFailure."""
    return solve_sources([(item.name, item) for item in items], solvers, settings)


def solve_sources(
    sources: Sequence[tuple[str, ProblemLike]], solvers: Solvers, settings: Settings
) -> list[Result]:
    """Solve several files, texts or puzzles, each with a name for messages.

    Raises EnvironmentFailure.
    """
    results: dict[int, Result] = {}
    problems: dict[int, Problem] = {}
    parse_seconds: list[float] = []
    for index, (name, source) in enumerate(sources):
        if isinstance(source, Unreadable):
            results[index] = refused_result(source)
            continue
        if isinstance(source, Item) and source.problem is None:
            results[index] = _unread_result(source)
            continue
        watch = Stopwatch(
            parse=source.seconds if isinstance(source, SinglePuzzle | SingleFormula) else None
        )
        try:
            with watch.timing("parse"):
                problems[index] = problem_of_source(name, source, settings)
        except InvalidPuzzle as error:
            seconds, code = watch.seconds(), error.code
            error.__context__ = error.__traceback__ = None  # their frames hold the whole text
            results[index] = Result(
                "invalid", message=str(error), seconds=seconds, code=code, error=error
            )
        except LimitReached as error:
            results[index] = Result("unknown", (), False, str(error), seconds=watch.seconds())
        else:
            parse_seconds.append(watch.spent())
    solved_results = solve_problems(list(problems.values()), solvers, settings, parse_seconds)
    results |= zip(problems, with_traits(solved_results, settings), strict=True)
    return [results[index] for index in range(len(sources))]


def refused_result(source: Unreadable) -> Result:
    """The result of an unreadable source: status `invalid`, and the time spent reading it."""
    seconds = {"total": source.seconds}
    if source.data is not None:
        seconds["parse"] = source.seconds
    return Result("invalid", message=source.reason, seconds=seconds, code=source.code)


def solve_groups(
    groups: Iterable[list[Item]],
    solvers: Solvers,
    settings: Settings,
    on_solution: Callable[[str], None] | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Solve items group by group, and yield each item with its result.

    Puzzles of collections are solved with the settings of a collection, as in `run`. `on_solution`
    is called with the text of each solution: for a single puzzle as soon as the solution is found,
    otherwise after the group is solved. Raises EnvironmentFailure.
    """

    def report(problem: Problem, solution: Any) -> None:
        if on_solution:
            on_solution("".join(problem.text(solution)))

    for group in groups:
        first = group[0]
        chosen = settings if first.line is None else settings.for_collection()
        problems = [item.problem for item in group if item.problem]
        parse_seconds = [] if first.seconds is None or len(group) > 1 else [first.seconds]
        is_streamed = on_solution is not None and first.is_only_item and bool(problems)
        if is_streamed:
            watch = Stopwatch(parse=first.seconds)
            problem: Problem[Any] = problems[0]
            results = [solve_one(problem, solvers, chosen, watch, partial(report, problem))]
        else:
            results = solve_problems(problems, solvers, chosen, parse_seconds)
        remaining = iter(with_traits(results, chosen))
        for item in group:
            result = next(remaining) if item.problem else _unread_result(item)
            if item.problem and not is_streamed:
                for solution in result.solutions:
                    report(item.problem, solution)
            yield item, result


def _unread_result(item: Item) -> Result:
    """The result of an item that could not be read."""
    seconds = Stopwatch(parse=item.seconds).seconds() if item.is_only_item else {}
    if isinstance(item.content, LimitReached):
        return Result("unknown", complete=False, message=item.reason, seconds=seconds)
    return Result("invalid", message=item.reason, seconds=seconds, code=item.code)


def with_traits(results: list[Result], settings: Settings) -> list[Result]:
    """Return the results with the traits that `settings.traits` names."""
    if not settings.trait_names:
        return results
    from pipeline.catalogue import result_traits  # noqa: PLC0415 - rarely needed

    return result_traits.add_traits(results, settings)


def problem_of_source(name: str, source: ProblemLike, settings: Settings) -> Problem:
    """The problem in a source.

    Raises InvalidPuzzle, InputError for an item without a problem, LimitReached, OSError if a file
    cannot be read, and ValueError if `Puzzle.from_rows` refuses the rows.
    """
    if (rows_of_array := getattr(source, "tolist", None)) is not None:
        source = rows_of_array()
    if isinstance(source, (list, tuple)):
        source = Puzzle.from_rows(source)
    if isinstance(source, Item):
        source = source.problem or Unreadable(source.name, source.reason or "", code=source.code)
    match source:
        case Problem():
            return source
        case Puzzle():
            return PuzzleProblem(parsed_from(source))
        case str() | bytes() | Path():
            return _problem_of_data(name, source, settings)
        case SinglePuzzle() | SingleFormula():
            return problem_in(source, settings)
        case Unreadable():
            refused_result(source).raise_for_status()
    kind = type(source).__name__
    raise TypeError(
        "expected a Puzzle, an item, a text as str or bytes, a Path, or a list of rows, "
        f"found {kind}"
    )


def _problem_of_data(name: str, data: str | bytes | Path, settings: Settings) -> Problem:
    """The problem in a text or a file. Raises InvalidPuzzle, LimitReached, OSError."""
    if isinstance(data, Path):
        with data.open("rb") as file:
            return read_problem(file.read(settings.max_bytes + 1), printable(str(data)), settings)
    if isinstance(data, bytes):
        return read_problem(data, name, settings)
    try:
        return read_problem(data.encode(errors="surrogatepass"), name, settings)
    except InvalidPuzzle as error:
        raise with_file_hint(error, data) from None


def solve_problems(
    problems: Sequence[Problem],
    solvers: Solvers,
    settings: Settings,
    parse_seconds: Sequence[float] = (),
) -> list[Result]:
    """Solve problems, in batches of one geometry where possible.

    `parse_seconds` lists the seconds that reading each problem took. Raises EnvironmentFailure.
    """
    groups: defaultdict[Geometry | None, list[int]] = defaultdict(list)
    for index, problem in enumerate(problems):
        groups[_batch_geometry(problem, settings)].append(index)
    results: dict[int, Result] = {}
    for geometry, indices in groups.items():
        if geometry is None or (len(indices) < MIN_BATCH and settings.solver != "batch"):
            for index in indices:
                watch = Stopwatch(parse=parse_seconds[index] if parse_seconds else None)
                results[index] = solve_problem(problems[index], solvers, settings, watch)
            continue
        from pipeline.solving.many import Batch, masks_of, solve_batch  # noqa: PLC0415 - numpy is slow to load

        batch_problems = [p for index in indices if isinstance(p := problems[index], PuzzleProblem)]
        batch_seconds = [parse_seconds[index] for index in indices] if parse_seconds else ()
        batch = Batch(
            geometry,
            masks_of([problem.puzzle for problem in batch_problems]),
            batch_problems.__getitem__,
            batch_seconds,
        )
        answers = solve_batch(batch, solvers, settings)
        results |= {index: answers.result(position) for position, index in enumerate(indices)}
    return [_compare_with_source(problem, results[index]) for index, problem in enumerate(problems)]


def _batch_geometry(problem: Problem, settings: Settings) -> Geometry | None:
    """The geometry of a puzzle that can be solved in a batch; None if it cannot."""
    geometry = None if settings.keep_cnf else problem.plain_geometry
    return geometry if geometry and geometry.side <= MAX_BATCH_SIDE else None


def _compare_with_source(problem: Problem, result: Result) -> Result:
    """Compare a result with the solution that the source states. Returns the updated result."""
    if not isinstance(problem, PuzzleProblem):
        return result
    parsed = problem.parsed
    if parsed.unread and result.problem is None:
        result = replace(result, problem=problem)
    return compare_solution(result, parsed.puzzle, parsed.claimed, symbols_of(parsed.format))


def solve_chunk(
    chunk: TextChunk, layout: Layout, solvers: Solvers, settings: Settings, first: int = 1
) -> Rows:
    """Read, solve and certify the puzzles of a chunk; `first` is the index of its first puzzle.

    Raises EnvironmentFailure.
    """
    from pipeline.outbox.write_rows import RowsBuilder  # noqa: PLC0415 - not for single puzzles
    from pipeline.solving.many import Batch, batch_slices, solve_batch  # noqa: PLC0415 - slow to load

    contents = layout.contents(chunk, settings.reading)
    builder = RowsBuilder(contents, layout.cells, first, settings.trait_names)
    for geometry, group_indices, masks in _batches(contents):
        for batch_slice in batch_slices(geometry, masks, settings):
            indices = group_indices[batch_slice]
            batch = Batch(geometry, masks[batch_slice], partial(_problem_at, contents, indices))
            answers = solve_batch(batch, solvers, settings, explain=False)
            builder.add_batch(indices, answers)
            if settings.trait_names:
                from pipeline.catalogue.result_traits import traits_of  # noqa: PLC0415 - rarely needed

                traits = traits_of(geometry, masks[batch_slice], answers, settings)
                builder.add_traits(indices.tolist(), traits, geometry)
    for index in builder.pending():
        entry = contents.entry(index)
        if entry.error is not None:
            builder.add_result(index, Result("invalid", message=entry.error, code=entry.code))
            continue
        problem = problem_of(entry)
        result = solve_problem(problem, solvers, settings, Stopwatch(), explain=False)
        builder.add_result(index, result)
        if settings.trait_names and entry.puzzle is not None and not entry.puzzle.is_plain:
            from pipeline.catalogue.result_traits import traits_of_one  # noqa: PLC0415 - slow to load

            builder.add_traits([index], [traits_of_one(result, settings)], entry.puzzle.geometry)
    return builder.rows()


def rows_of_source(
    path: Path, name: str, solvers: Solvers, settings: Settings, first: int = 1
) -> Iterator[tuple[str, Rows]]:
    """Solve all puzzles in a file, a folder or an archive; yields (source, rows).

    The source is `name`, followed by the path of a member in an archive. `first` is the index of
    the first row. Collections are solved as in `run`. Raises EnvironmentFailure, OSError.
    """
    from pipeline.outbox.write_rows import rows_of  # noqa: PLC0415 - slow to load

    for where, source in sources_at(path, name, settings, f"{name}/"):
        if isinstance(source, tuple):
            parts = _rows_of_collection(*source, solvers, settings.for_collection(), first)
        else:
            results = solve_items([source], solvers, settings)
            parts = iter([rows_of(results, first, settings.trait_names)])
        for rows in parts:
            first += rows.count
            yield printable(where), rows


def _rows_of_collection(
    layout: Layout, stream: PeekableStream, solvers: Solvers, settings: Settings, first: int
) -> Iterator[Rows]:
    """Yield the rows of a collection by chunk. If reading fails, the last row has the error."""
    from pipeline.outbox.write_rows import error_rows  # noqa: PLC0415 - slow to load

    line = 1
    for chunk in layout.chunks(stream, COLLECTION_CHUNK_BYTES):
        rows = solve_chunk(chunk, layout, solvers, settings, first)
        line = chunk.first_line + count_lines(chunk.data)
        first += rows.count
        yield rows
    if stream.error:
        rows = error_rows(layout, line, str(stream.error), settings.trait_names)
        yield replace(rows, table=rows.table_from(first))


def failed_rows(
    chunk: TextChunk, layout: Layout, settings: Settings, why: str, first: int = 1
) -> Rows:
    """The rows of a chunk that could not be computed, with status `failed`."""
    from pipeline.outbox.write_rows import RowsBuilder  # noqa: PLC0415 - slow to load

    contents = layout.contents(chunk, settings.reading)
    builder = RowsBuilder(contents, layout.cells, first, settings.trait_names)
    for index in builder.pending():
        builder.add_result(index, Result("failed", message=why))
    return builder.rows()


def _batches(
    contents: ChunkContents,
) -> Iterator[tuple[Geometry, NDArray[np.intp], NDArray[np.unsignedinteger]]]:
    """Group the puzzles without rules by geometry; yields (geometry, indices, masks)."""
    import numpy as np  # noqa: PLC0415 - slow to load

    from pipeline.reading.formats.plain import masks_of_plain  # noqa: PLC0415 - slow to load
    from pipeline.solving.many import masks_of  # noqa: PLC0415 - slow to load

    indices, cells = contents.plain_cells()
    if len(indices):
        yield NINE_BY_NINE, indices, masks_of_plain(cells)
    by_geometry: defaultdict[Geometry, dict[int, Puzzle]] = defaultdict(dict)
    for index, entry in contents.entries():
        puzzle = entry.puzzle
        if puzzle is not None and puzzle.is_plain and puzzle.geometry.side <= MAX_BATCH_SIDE:
            by_geometry[puzzle.geometry][index] = puzzle
    for geometry, puzzles in by_geometry.items():
        yield geometry, np.array(list(puzzles)), masks_of(list(puzzles.values()))


def _problem_at(contents: ChunkContents, indices: NDArray[np.intp], index: int) -> PuzzleProblem:
    """The problem of a chunk whose index in the chunk is `indices[index]`."""
    return problem_of(contents.entry(int(indices[index])))
