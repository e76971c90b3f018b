"""Helpers of dedupe, overlap and generate: options, targets, tables."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict

from pipeline.api import generate
from pipeline.catalogue.comparing import Copy, Left, Tally
from pipeline.catalogue.generating import Wish
from pipeline.cli.files import (
    STANDARD_OUTPUT,
    growing,
    growing_table,
    is_shown,
)
from pipeline.cli.options import Output, say
from pipeline.errors import LimitReached, UsageError, printable
from pipeline.outbox.tables import CopyRow, GeneratedRow, csv_line, one_line
from pipeline.reading.formats.cells import plain_cells
from pipeline.service.exits import Stopped, uninterrupted
from pipeline.service.log import Display, Progress
from pipeline.service.solving import with_traits
from pipeline.settings import Level, Settings
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result

_MOST_SAID = 20
_TRAITS = Settings(traits="effort,rating")


def range_of(option: str, text: str) -> tuple[int, int]:
    """The least and the most of a number such as `24`, or a range such as `22-26`.

    Raises UsageError.
    """
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text)
    if not match:
        raise UsageError(f"{option}: expected a number or a range such as 22-26, found {text!r}")
    least, most = int(match[1]), int(match[2] or match[1])
    if least > most:
        raise UsageError(f"{option}: expected a range such as {most}-{least}, found {text!r}")
    return least, most


def wish_of(
    givens: str | None,
    depth: str | None,
    level: Level | None,
    *,
    redundant: bool,
    symmetric: bool,
    marks: bool,
) -> Wish:
    """The wish for puzzles with these options. Raises UsageError."""
    if redundant and givens is None:
        raise UsageError("--redundant: --givens has to say how many clues there are to be")
    try:
        clues = range_of("givens", givens) if givens else Wish().givens
        depths = range_of("depth", depth) if depth else None
        return Wish(clues, not redundant, symmetric, marks, depths, level)
    except UsageError as error:
        raise UsageError(f"--{error}".replace("minimal=False", "--redundant")) from error


def table_beside(target: Path, table: Path | None) -> Path | None:
    """The table that is asked for, or one beside the collection if that is a file."""
    if table or target == STANDARD_OUTPUT or not target.name:
        return table
    return target.with_suffix(".csv")


def write_copies(
    target: Path | None, found: Generator[Copy | Left], display: Display, out: Output
) -> list[CopyRow]:
    """Write the copies as a table, say which puzzles were not compared, and print copies.

    Returns the first of them.
    """
    first: list[CopyRow] = []
    left = 0
    with ExitStack() as stack:
        table = stack.enter_context(growing_table(target, CopyRow)) if target else None
        stack.callback(display.end)
        for each in stack.enter_context(closing(found)):
            if isinstance(each, Left):
                left += 1
                if left <= _MOST_SAID:
                    say(_left_out(each))
                continue
            line, first_line = (str(place or "") for place in (each.line, each.first_line))
            row = CopyRow(each.source, line, each.first_source, first_line)
            first += [row] if len(first) < _MOST_SAID else []
            if table:
                table.write(csv_line(row))
            out.row(dataclasses.asdict(each))
    if left > _MOST_SAID:
        say(f"and {left - _MOST_SAID:,} more are left out")
    return first


def _left_out(left: Left) -> str:
    where = f"{left.source}:{left.line}" if left.line else left.source
    is_told = left.reason.startswith(left.source)
    return left.reason if is_told else f"{where}: left out: {left.reason}"


def ticking(display: Display, *tallies: Tally) -> None:
    """Have the display show how many puzzles were compared."""

    def tick() -> None:
        done = sum(tally.puzzles for tally in tallies)
        display.tick("comparing", Progress(done, done, None))

    for tally in tallies:
        tally.on_lot = tick


def say_copies(first: Sequence[CopyRow], copies: int) -> None:
    """Say which puzzles the first copies are equivalent to, and how to see all."""
    for row in first:
        here, there = (
            f"{source}:{line}" if line else source
            for source, line in ((row.source, row.line), (row.first_source, row.first_line))
        )
        print(f"    {printable(here)} is equivalent to {printable(there)}")
    if copies > len(first):
        print(f"    and {copies - len(first):,} more; --table FILE takes all of them")


def note_written(table: Path | None, copies: int, text: str, out: Output, *, aside: bool) -> None:
    """Say what a table has, if it is a file and has something."""
    if copies and table and table != STANDARD_OUTPUT:
        out.note(f"{printable(str(table))} says {text}", aside=aside)


def write_generated(
    wish: Wish,
    seed: int,
    count: int,
    targets: tuple[Path, Path | None],
    display: Display,
    out: Output,
) -> tuple[int, Stopped | LimitReached | None]:
    """Generate a collection and perhaps a table beside it; how many puzzles, and why not all.

    As JSON everything about each puzzle is printed too, which takes longer.
    Raises Stopped and LimitReached if there is no puzzle yet.
    """
    made, shown = 0, is_shown(targets[0])

    def show(_tried: int) -> None:
        display.tick("generating", Progress(made, made, count, is_count=True))

    with ExitStack() as stack:
        collection = stack.enter_context(growing(targets[0]))
        table = growing_table(targets[1], GeneratedRow) if targets[1] else None
        rows = stack.enter_context(table) if table else None
        stack.callback(display.end)
        puzzles = stack.enter_context(closing(generate(wish, seed, show)))
        try:
            for result in islice(puzzles, count):
                if shown or out.as_json:  # in the place of the bar
                    display.end()
                told = _told(made + 1, result, seed) if out.as_json else {}
                with uninterrupted():
                    made += 1
                    collection.write(_line_of(result))
                    if rows:
                        rows.write(csv_line(_row_of(made, result)))
                    out.row(told)
                    if shown:
                        collection.flush()
        except (Stopped, LimitReached) as error:
            if not made:
                raise
            return made, error
    return made, None


def _line_of(result: Result) -> bytes:
    """A generated puzzle in one line: its cells, or if it has marks its constraints."""
    assert isinstance(result.problem, PuzzleProblem)  # noqa: S101 - `generate` makes nothing else
    puzzle = result.problem.puzzle
    return puzzle.to("lines" if plain_cells(puzzle) else "iss").encode()


def _row_of(index: int, result: Result) -> GeneratedRow:
    """The row of the table with a generated puzzle's solution and certificate."""
    found = result.certificate
    nodes = found.nodes if found and found.nodes else 0
    solution = one_line(result.solutions[0].values)
    return GeneratedRow(index, solution, result.told_certificate, nodes)


def _told(index: int, result: Result, seed: int) -> dict[str, Any]:
    """A generated puzzle, its row of the table, and how hard it is."""
    assert isinstance(result.problem, PuzzleProblem)  # noqa: S101 - as above
    traits = with_traits([result], _TRAITS)[0].traits
    givens = len([*result.problem.puzzle.givens()])
    told = {"puzzle": _line_of(result).decode().strip(), "givens": givens, "seed": seed}
    hard = {name: to_builtins(getattr(traits, name)) for name in _TRAITS.trait_names}
    return asdict(_row_of(index, result)) | told | hard
