"""Solve files named on the command line: yield their results, or write them to a table."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.cli.file_access import STANDARD_OUTPUT, atomic_table, path_of, source_name
from pipeline.cli.messages import say
from pipeline.errors import InputError, printable
from pipeline.reading.unread import add_unread, unread_counts, unread_summary
from pipeline.service.log import Display, Progress
from pipeline.service.solving import solve_groups
from pipeline.settings import Settings
from pipeline.solving.items import Item, group_items, items_of
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.outbox.rows import Rows


_MAX_REPORTED = 20
"""Maximum number of files whose unread parts are reported."""


def say_unread(unread: Mapping[str, Mapping[str, int]], verb: str = "read") -> None:
    """Report the unread parts of each file.

    - `unread`: name of a file → unread part → number of puzzles with this part.
    - `verb`: `read` or `converted`, for messages "not read" or "not converted".
    """
    for name, texts in islice(unread.items(), _MAX_REPORTED):
        say(f"{printable(name)}: {unread_summary(texts, verb)}")
    if len(unread) > _MAX_REPORTED:
        say(f"and {len(unread) - _MAX_REPORTED:,} more files that were not completely {verb}")


def solve_files(
    files: list[Path],
    settings: Settings,
    on_solution: Callable[[str], None] | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Solve every puzzle in these files, and show progress.

    `on_solution`: called with the text of each solution. If the file is a single puzzle, it is
    called as soon as the solution is found.
    """
    is_shown = not settings.quiet and not sys.stdout.isatty()  # a terminal shows the results
    file_display = Display(None, bar=is_shown and len(files) > 1)
    puzzle_display = Display(None, bar=is_shown and len(files) == 1)
    with Solvers(settings.solver, settings.minisat) as solvers:
        for file in file_display.with_progress(files, "solve", "file", len(files)):
            name, unread = source_name(file), defaultdict[str, Counter[str]](Counter)
            is_empty = True
            try:
                with path_of(file, settings) as path:
                    results = solve_groups(
                        group_items(items_of(path, name, settings)), solvers, settings, on_solution
                    )
                    for item, result in puzzle_display.with_progress(results, name):
                        is_empty = False
                        if not item.is_only_item and (texts := result.unread_texts):
                            add_unread(unread[name], unread_counts([texts]))
                        yield item, result
                    say_unread(unread)
                    if is_empty:
                        say(f"{name}: no puzzle to solve")
            except InputError as error:
                yield (
                    Item(name, None, str(error), is_only_item=True),
                    Result("invalid", message=str(error), code=error.code),
                )


def write_table(files: Sequence[Path], target: Path, settings: Settings) -> Counter[str]:
    """Write a table with a row for each puzzle in these files. Returns counts by status.

    If there are several sources, each row begins with the name of its source. Raises InputError,
    and writes nothing, if no file could be read.
    """
    from pipeline.outbox.schema import STATUSES  # noqa: PLC0415 - few write tables
    from pipeline.outbox.tables import PuzzleRow, SourcedRow, csv_field  # noqa: PLC0415

    totals, done = Counter[str](), 0
    unread = defaultdict[str, Counter[str]](Counter)
    display = Display(None, bar=not settings.quiet and target != STANDARD_OUTPUT)
    with ExitStack() as stack:
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        stack.callback(display.end)
        named_rows = _rows_of(files, solvers, settings)
        first_rows = [*islice(named_rows, 1)]
        are_several = len(files) > 1 or any(name != source_name(files[0]) for name, _ in first_rows)
        kind = SourcedRow if are_several else PuzzleRow
        table = stack.enter_context(atomic_table(target, kind, settings.trait_names))
        for source, rows in chain(first_rows, named_rows):
            lines = rows.table
            if are_several:
                before = f"{csv_field(source)},".encode()
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
    """Yield pairs (source name, rows) for all puzzles; an unreadable file gets one row.

    Raises InputError if no file could be read.
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
            yield (
                name,
                rows_of(
                    [Result("invalid", message=str(error), code=error.code)],
                    first,
                    settings.trait_names,
                ),
            )
            first += 1
