"""Solve files outside the drop folder, and return results or write a table."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.cli.files import STANDARD_OUTPUT, atomic_table, path_of, source_name
from pipeline.cli.options import say
from pipeline.errors import InputError, printable
from pipeline.reading.unread import add_unread, unread_counts, unread_of_many
from pipeline.service.log import Display, Progress
from pipeline.service.solving import solved
from pipeline.settings import Settings
from pipeline.solving.items import Item, groups, items_of
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.outbox.rows import Rows


_MOST_SAID = 20
"""Maximum number of files whose unread parts are reported."""


def say_lacking(solvers: Solvers, settings: Settings) -> None:
    """Say that minisat is missing, unless quiet."""
    if solvers.lacking and not settings.quiet:
        say(f"{solvers.lacking}: using PySAT instead")


def say_unread(unread: Mapping[str, Mapping[str, int]], what: str = "read") -> None:
    """Report the unread parts of each file, and how many puzzles have them."""
    for name, texts in islice(unread.items(), _MOST_SAID):
        say(f"{printable(name)}: {unread_of_many(texts, what)}")
    if len(unread) > _MOST_SAID:
        say(f"and {len(unread) - _MOST_SAID:,} more files that were not completely {what}")


def answered_in(
    files: list[Path],
    settings: Settings,
    on_solution: Callable[[str], None] | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Solve every puzzle in these files, showing progress.

    `on_solution` is called with the text of each solution; for a single puzzle, as it is found.
    """
    is_shown = not settings.quiet and not sys.stdout.isatty()  # else the results show it
    among = Display(None, bar=is_shown and len(files) > 1)
    within = Display(None, bar=is_shown and len(files) == 1)
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        for file in among.over(files, "solve", "file", len(files)):
            name, unread = source_name(file), defaultdict[str, Counter[str]](Counter)
            try:
                with path_of(file, settings) as path:
                    found = solved(
                        groups(items_of(path, name, settings)), solvers, settings, on_solution
                    )
                    for item, result in within.over(found, name):
                        if not item.is_alone and (texts := result.unread_texts):
                            add_unread(unread[name], unread_counts([texts]))
                        yield item, result
                    say_unread(unread)
            except InputError as error:
                yield (
                    Item(name, None, str(error), is_alone=True),
                    Result("invalid", message=str(error)),
                )


def write_table(files: Sequence[Path], target: Path, settings: Settings) -> Counter[str]:
    """Write a row for each puzzle in these files; returns counts by status.

    With several sources, each row begins with its source. Raises InputError, and writes nothing, if
    no file could be read.
    """
    from pipeline.outbox.schema import STATUSES  # noqa: PLC0415 - few write tables
    from pipeline.outbox.tables import PuzzleRow, SourcedRow, csv_field  # noqa: PLC0415

    totals, done = Counter[str](), 0
    unread = defaultdict[str, Counter[str]](Counter)
    display = Display(None, bar=not settings.quiet and target != STANDARD_OUTPUT)
    with ExitStack() as stack:
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        stack.callback(display.end)
        say_lacking(solvers, settings)
        named_rows = _rows_of(files, solvers, settings)
        begun = [*islice(named_rows, 1)]
        are_several = len(files) > 1 or any(name != source_name(files[0]) for name, _ in begun)
        kind = SourcedRow if are_several else PuzzleRow
        table = stack.enter_context(atomic_table(target, kind, settings.trait_names))
        for source, rows in chain(begun, named_rows):
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
    """The rows of all puzzles, each with its source; an unreadable file has a row, too.

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
                rows_of([Result("invalid", message=str(error))], first, settings.trait_names),
            )
            first += 1
