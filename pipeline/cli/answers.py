"""Solve files without folders: every puzzle in them, with its result, or as a table."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.cli.files import STANDARD_OUTPUT, growing_table, path_of, source_name
from pipeline.cli.options import say
from pipeline.errors import InputError, LimitReached, printable
from pipeline.reading import Archive, Collection, OneProblem, Unreadable
from pipeline.reading.read import read_now, source_at
from pipeline.reading.unread import add_unread, unread_counts, unread_of_many
from pipeline.service.log import Display, Progress
from pipeline.service.solving import refused, solve_one, solve_problems, with_traits
from pipeline.settings import Settings
from pipeline.solving.items import groups, items_of
from pipeline.solving.problem import problem_in
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.outbox.rows import Rows


_MOST_SAID = 20
"""Files of which it is said what was not read."""


class Answered(NamedTuple):
    """The result for a puzzle, and the name of its place.

    `is_alone` is false in collections and archives. `data` are the bytes of a puzzle that is alone.
    `fault` points at the place where it could not be read.
    """

    name: str
    result: Result
    is_alone: bool = True
    data: bytes | None = None
    fault: str | None = None


def say_lacking(solvers: Solvers, settings: Settings) -> None:
    """Say that minisat is wanted and not there, unless quiet."""
    if solvers.lacking and not settings.quiet:
        say(f"{solvers.lacking}: PySAT solves instead")


def say_unread(unread: Mapping[str, Mapping[str, int]], what: str = "read") -> None:
    """Say once for a file what was not read of it, and for how many puzzles."""
    for name, texts in islice(unread.items(), _MOST_SAID):
        say(f"{printable(name)}: {unread_of_many(texts, what)}")
    if len(unread) > _MOST_SAID:
        say(f"and {len(unread) - _MOST_SAID:,} more files that were not {what} whole")


def answered_in(
    files: list[Path],
    settings: Settings,
    on_solution: Callable[[str], None] | None = None,
) -> Iterator[Answered]:
    """Solve every puzzle in these files, and show the progress.

    `on_solution` is called with the text of each solution, for a single puzzle at once.
    """
    is_shown = not settings.quiet and not sys.stdout.isatty()  # else the lines show it
    among = Display(None, bar=is_shown and len(files) > 1)
    within = Display(None, bar=is_shown and len(files) == 1)
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        for file in among.over(files, "solve", "file", len(files)):
            name = source_name(file)
            try:
                with path_of(file, settings) as path:
                    found = source_at(path, name, settings)
                    if not isinstance(found, Archive | Collection):
                        yield _solved_alone(found, solvers, settings, on_solution)
                        continue
                    each = _solved_of(path, name, solvers, settings, isinstance(found, Archive))
                    unread = defaultdict[str, Counter[str]](Counter)
                    for answered in within.over(each, name):
                        if on_solution and (problem := answered.result.problem):
                            for solution in answered.result.solutions:
                                on_solution("".join(problem.text(solution)))
                        if texts := answered.result.unread_texts:
                            add_unread(unread[name], unread_counts([texts]))
                        yield answered
                    say_unread(unread)
            except InputError as error:
                yield Answered(name, Result("invalid", message=str(error)))


def write_table(files: Sequence[Path], target: Path, settings: Settings) -> Counter[str]:
    """Write a row for each puzzle in these files; how many have each status.

    Each begins with its source if there are several. Raises InputError, and writes nothing, if none
    of the files could be read.
    """
    from pipeline.outbox.schema import STATUSES  # noqa: PLC0415 - few write tables
    from pipeline.outbox.tables import PuzzleRow, SourcedRow, quoted  # noqa: PLC0415

    totals, done = Counter[str](), 0
    unread = defaultdict[str, Counter[str]](Counter)
    display = Display(None, bar=not settings.quiet and target != STANDARD_OUTPUT)
    with ExitStack() as stack:
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        stack.callback(display.end)
        say_lacking(solvers, settings)
        found = _rows_of(files, solvers, settings)
        begun = [*islice(found, 1)]
        are_several = len(files) > 1 or any(each != source_name(files[0]) for each, _ in begun)
        kind = SourcedRow if are_several else PuzzleRow
        table = stack.enter_context(growing_table(target, kind, settings.traits))
        for source, rows in chain(begun, found):
            lines = rows.table
            if are_several:
                before = f"{quoted(source)},".encode()
                lines = b"".join(before + line + b"\n" for line in lines.split(b"\n")[:-1])
            table.write(lines)
            totals += rows.totals
            if rows.unread:
                add_unread(unread[source], rows.unread)
            done += rows.count
            display.tick("solve", Progress(done, done, None))
    say_unread(unread)
    return Counter({status: totals[status] for status in STATUSES if totals[status]})


def _rows_of(
    files: Sequence[Path], solvers: Solvers, settings: Settings
) -> Iterator[tuple[str, Rows]]:
    """The rows of all puzzles in files, with their source; an unreadable file has one, too.

    Raises InputError if none of the files could be read: then there is no table.
    """
    from pipeline.outbox.write_rows import rows_of  # noqa: PLC0415 - slow to load
    from pipeline.service.solving import rows_of_source  # noqa: PLC0415

    first, faults = 1, list[str]()
    for file in files:
        name = source_name(file)
        try:
            with path_of(file, settings) as path:
                for source, rows in rows_of_source(path, name, solvers, settings, first):
                    first += rows.count
                    yield source, rows
        except InputError as error:
            faults.append(str(error))
            if len(faults) == len(files):
                raise InputError("\n".join(faults)) from error
            yield name, rows_of([Result("invalid", message=str(error))], first, settings.traits)
            first += 1


def _solved_alone(
    source: OneProblem,
    solvers: Solvers,
    settings: Settings,
    on_solution: Callable[[str], None] | None,
) -> Answered:
    name, data, watch = source.name, source.data, Stopwatch()
    try:
        with watch.timing("parse"):
            source = read_now(source, settings)
    except LimitReached as error:
        result = Result("unknown", complete=False, message=str(error), seconds=watch.seconds())
        return Answered(name, result, True, data)
    if isinstance(source, Unreadable):
        return Answered(name, refused(source), True, data, _with_caret(source))
    problem, watch = problem_in(source, settings), Stopwatch(parse=source.seconds)
    if on_solution:

        def show(solution: Any) -> None:
            on_solution("".join(problem.text(solution)))

        return Answered(name, solve_one(problem, solvers, settings, watch, show), True, data)
    found = solve_problems([problem], solvers, settings, [watch.spent()])
    return Answered(name, with_traits(found, settings)[0], True, data)


def _with_caret(source: Unreadable) -> str | None:
    """Why a source is refused, and the place in its line, if there is one."""
    from pipeline.solving.explain import caret, line_at  # noqa: PLC0415 - seldom needed

    if source.data is None:
        return None
    number, column = source.place or (0, 0)
    line = line_at(source.data, number) if source.place else None
    if line is None:
        return source.reason
    shown = caret(line, column).replace("\n", "\n    ")
    return f"{source.reason}\n    {shown}"


def _solved_of(
    path: Path, name: str, solvers: Solvers, settings: Settings, is_archive: bool
) -> Iterator[Answered]:
    """Solve a collection or an archive: collections as `run` does, other members one by one."""
    for some in groups(items_of(path, name, settings)):
        chosen = settings if some[0].line is None else settings.of_many()
        problems = [item.problem for item in some if item.problem]
        found = iter(with_traits(solve_problems(problems, solvers, chosen), chosen))
        for item in some:
            where = f"{name}/{item.name}" if is_archive else item.name
            where = f"{where}:{item.line}" if item.line else where
            result = next(found) if item.problem else Result("invalid", message=item.reason)
            yield Answered(where, result, is_alone=False)
