"""Functions for `dedupe`, `overlap` and `generate`: parse options, write collections and tables."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict

from pipeline.api import generate
from pipeline.catalogue.comparing import Copy, SkippedItem, Tally
from pipeline.catalogue.generating import Wish
from pipeline.cli.file_access import (
    STANDARD_OUTPUT,
    atomic_output,
    atomic_table,
    goes_to_terminal,
)
from pipeline.cli.messages import say
from pipeline.cli.options import Output
from pipeline.errors import LimitReached, UsageError, printable
from pipeline.outbox.tables import CopyRow, GeneratedRow, RatedRow, csv_line, one_line
from pipeline.reading.formats.cells import plain_cells
from pipeline.service.log import Display, Progress
from pipeline.service.signals import Stopped, blocking_signals
from pipeline.service.solving import with_traits
from pipeline.settings import Level, Settings
from pipeline.solving.compiled import PROGRAM
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result

_MAX_REPORTED = 20
"""Maximum number of puzzles that messages list one by one."""

_TRAITS = Settings(traits="effort,rating")
"""Settings that select the traits computed for generated puzzles."""


def range_of(option: str, text: str) -> tuple[int, int]:
    """Parse a range such as `22-26`, or a number such as `24`. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text)
    if not match:
        raise UsageError(f"{option}: expected a number or a range such as 22-26, found {text!r}")
    minimum, maximum = int(match[1]), int(match[2] or match[1])
    if minimum > maximum:
        raise UsageError(f"{option}: expected a range such as {maximum}-{minimum}, found {text!r}")
    return minimum, maximum


def wish_of(  # noqa: PLR0913 - one parameter per option
    givens: str | None,
    depth: str | None,
    level: Level | None,
    technique: str | None,
    *,
    redundant: bool,
    symmetric: bool,
    marks: bool,
) -> Wish:
    """Make the `Wish` for these options of `generate`. Raises UsageError."""
    if redundant and givens is None:
        raise UsageError("--redundant needs a number of givens, such as --givens 30-34")
    try:
        clues = range_of("givens", givens) if givens else Wish().givens
        depths = range_of("depth", depth) if depth else None
        return Wish(clues, not redundant, symmetric, marks, depths, level, technique)
    except UsageError as error:
        raise UsageError(f"--{error}".replace("minimal=False", "--redundant")) from error


def table_path(target: Path, table: Path | None) -> Path | None:
    """The path of the table: `table`, if given, else NAME.csv if the collection is a text file."""
    if table or target == STANDARD_OUTPUT or not target.name or is_table(target):
        return table
    return target.with_suffix(".csv")


def is_table(target: Path) -> bool:
    """Whether generated puzzles are written to this target as a table."""
    return target.suffix.lower() in (".csv", ".parquet")


def write_copies(
    target: Path | None, results: Generator[Copy | SkippedItem], display: Display, out: Output
) -> list[CopyRow]:
    """Write copies to the table `target`, if given; with --json, print them.

    Reports skipped puzzles. Returns the rows of the first copies, for `print_copies`.
    """
    first_rows: list[CopyRow] = []
    skipped = 0
    with ExitStack() as stack:
        table = stack.enter_context(atomic_table(target, CopyRow)) if target else None
        stack.callback(display.end)
        for result in stack.enter_context(closing(results)):
            if isinstance(result, SkippedItem):
                skipped += 1
                if skipped <= _MAX_REPORTED:
                    say(_skip_message(result))
                continue
            line, first_line = (str(number or "") for number in (result.line, result.first_line))
            row = CopyRow(result.source, line, result.first_source, first_line)
            first_rows += [row] if len(first_rows) < _MAX_REPORTED else []
            if table:
                table.write(csv_line(row))
            out.row(dataclasses.asdict(result))
    if skipped > _MAX_REPORTED:
        say(f"and {skipped - _MAX_REPORTED:,} more puzzles skipped")
    return first_rows


def _skip_message(item: SkippedItem) -> str:
    """The message that a puzzle was skipped, with its location."""
    where = f"{item.source}:{item.line}" if item.line else item.source
    has_location = item.reason.startswith(item.source)
    return item.reason if has_location else f"{where}: skipped: {item.reason}"


def show_comparisons(display: Display, *tallies: Tally) -> None:
    """Make the display show the number of puzzles compared so far."""

    def tick() -> None:
        done = sum(tally.puzzles for tally in tallies)
        display.tick("comparing", Progress(done, done, None))

    for tally in tallies:
        tally.on_batch = tick


def print_copies(
    first_rows: Sequence[CopyRow], copies: int, table: Path | None, out: Output, *, to_stderr: bool
) -> None:
    """Print the first copies with their equivalents, and the name of the table that lists all.

    Prints nothing with --json, or if the table goes to standard output.
    """
    if out.as_json or table == STANDARD_OUTPUT:
        return
    for row in first_rows:
        place, first_place = (
            f"{source}:{line}" if line else source
            for source, line in ((row.source, row.line), (row.first_source, row.first_line))
        )
        text = f"    {printable(place)} is equivalent to {printable(first_place)}"
        out.note(text, to_stderr=to_stderr)
    if copies > len(first_rows):
        listing = printable(str(table)) if table else "--table FILE"
        more = f"    and {copies - len(first_rows):,} more puzzles; {listing} lists all"
        out.note(more, to_stderr=to_stderr)


def note_table(table: Path | None, copies: int, text: str, out: Output, *, to_stderr: bool) -> None:
    """Report a table that was written, if it is a file and not empty.

    `text`: what the table contains, in words; `copies`: the number of its rows.
    """
    if copies and table and table != STANDARD_OUTPUT:
        out.note(f"{printable(str(table))} {text}", to_stderr=to_stderr)


def note_if_slow(out: Output) -> None:
    """Report, before generating, that it takes minutes because the search is not compiled."""
    if reason := PROGRAM.unavailable_reason():
        out.note(f"generating takes minutes: {reason}", to_stderr=True)


def write_generated(
    wish: Wish,
    seed: int,
    count: int,
    targets: tuple[Path, Path | None],
    display: Display,
    out: Output,
) -> tuple[int, int, Stopped | LimitReached | None]:
    """Generate puzzles, and write them to a collection and a table.

    `targets`: the collection, and the table or None. A collection whose name ends in .csv or
    .parquet is written as a table of RatedRow. Returns the number of puzzles, the number that
    were tried and, if there are fewer than `count`, the exception that ended the generation. With
    --json, effort and rating are computed, which takes longer. Raises Stopped or LimitReached if no
    puzzle was found; the message then has the number that were tried.
    """
    generated, tried, is_shown = 0, 0, goes_to_terminal(targets[0])

    def show(number: int) -> None:
        nonlocal tried
        tried = number
        remark = f"{tried:,} tried" if wish.technique else ""
        display.tick(
            "generating", Progress(generated, generated, count, is_count=True, remark=remark)
        )

    with ExitStack() as stack:
        add = stack.enter_context(_puzzle_writer(targets[0]))
        table = atomic_table(targets[1], GeneratedRow) if targets[1] else None
        rows = stack.enter_context(table) if table else None
        stack.callback(display.end)
        puzzles = stack.enter_context(closing(generate(wish, seed, show)))
        try:
            for result in islice(puzzles, count):
                if is_shown or out.as_json:  # clear the bar
                    display.end()
                fields = _json_fields(generated + 1, result, seed) if out.as_json else {}
                with blocking_signals():
                    generated += 1
                    add(result)
                    if rows:
                        rows.write(csv_line(_row_of(generated, result)))
                    out.row(fields)
        except (Stopped, LimitReached) as error:
            if not generated:
                if isinstance(error, Stopped) and tried:
                    out.note(f"none of {tried:,} puzzles fits the options so far", to_stderr=True)
                raise
            return generated, tried, error
    return generated, tried, None


@contextmanager
def _puzzle_writer(target: Path) -> Iterator[Callable[[Result], object]]:
    """Context manager: open a target, and yield a function that writes a puzzle to it."""
    if is_table(target):
        with atomic_table(target, RatedRow) as rows:
            yield lambda result: rows.write(csv_line(_rated_row(result)))
        return
    with atomic_output(target) as collection:

        def write(result: Result) -> None:
            collection.write(_line_of(result))
            if goes_to_terminal(target):
                collection.flush()

        yield write


def _line_of(result: Result) -> bytes:
    """A generated puzzle as one line: its cells, or in ISS notation if it has marks."""
    assert isinstance(result.problem, PuzzleProblem)  # noqa: S101 - `generate` only creates puzzles
    puzzle = result.problem.puzzle
    return puzzle.to("lines" if plain_cells(puzzle) else "iss").encode()


def _row_of(index: int, result: Result) -> GeneratedRow:
    """The table row of a generated puzzle, with its solution and certificate."""
    certificate = result.certificate
    nodes = certificate.nodes if certificate and certificate.nodes else 0
    solution = one_line(result.solutions[0].values)
    return GeneratedRow(index, solution, result.certificate_label, nodes)


def _rated_row(result: Result) -> RatedRow:
    """The row of a generated puzzle, with its rating."""
    assert isinstance(result.problem, PuzzleProblem)  # noqa: S101 - `generate` only creates puzzles
    traits = with_traits([result], Settings(traits="rating"))[0].traits
    rating = traits.rating if traits else None
    return RatedRow(
        _line_of(result).decode().strip(),
        len([*result.problem.puzzle.givens()]),
        (rating.level if rating else None) or "",
        rating.score if rating and rating.solved else None,
    )


def _json_fields(index: int, result: Result, seed: int) -> dict[str, Any]:
    """The fields of a generated puzzle for JSON: its table row, cells, effort and rating."""
    assert isinstance(result.problem, PuzzleProblem)  # noqa: S101 - `generate` only creates puzzles
    traits = with_traits([result], _TRAITS)[0].traits
    givens = len([*result.problem.puzzle.givens()])
    fields = {"puzzle": _line_of(result).decode().strip(), "givens": givens, "seed": seed}
    computed = {name: to_builtins(getattr(traits, name)) for name in _TRAITS.trait_names}
    return asdict(_row_of(index, result)) | fields | computed
