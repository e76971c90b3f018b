"""What the commands on collections do: dedupe, overlap and generate."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import typer

from pipeline.api import dedupe as dedupe_sources
from pipeline.api import generate as generate_puzzles
from pipeline.api import overlap as compare_sources
from pipeline.catalogue.comparing import Copy, Left, Tally
from pipeline.catalogue.generating import Wish
from pipeline.cli.files import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    check_target,
    growing,
    path_of,
    source_name,
)
from pipeline.cli.options import say
from pipeline.errors import LimitReached, UsageError, printable
from pipeline.outbox.tables import CopyRow, GeneratedRow, csv_line, header, one_line
from pipeline.puzzle.puzzle import Puzzle
from pipeline.service.exits import ALL_WELL, SOME_BAD, Stopped, uninterrupted
from pipeline.service.log import Display, Progress
from pipeline.settings import READING_KEYS, Settings
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result

MOST = 100_000_000
_MOST_SAID = 20
_RANGE = re.compile(r"(\d{1,3})(?:-(\d{1,3}))?")


def dedupe(
    sources: Sequence[Path],
    settings: Settings,
    *,
    output: Path | None,
    table: Path | None,
    force: bool,
) -> None:
    target = output or STANDARD_OUTPUT
    beside = _table_beside(target, table)
    _check_targets({"--output": target, "--table": beside}, sources, force=force)
    is_shown = _is_shown(target)
    display, tally = Display(None, bar=not settings.quiet and not is_shown), Tally()
    tally.on_lot = _Ticking(display, "comparing", [tally])
    with ExitStack() as stack:
        names, paths = _named(sources, settings, stack)
        kept = stack.enter_context(growing(target))
        found = dedupe_sources(*paths, kept=kept, tally=tally, **_reading(settings))
        _write_copies(stack, beside, found, names, display)
    if not settings.quiet:
        told = say if STANDARD_OUTPUT in (target, beside) else print
        classes = "1 class" if tally.classes == 1 else f"{tally.classes:,} classes"
        where = "" if target == STANDARD_OUTPUT else f": {printable(str(target))} has the first"
        where += " of each" if where and tally.classes > 1 else ""
        told(f"{_puzzles(tally.puzzles)} in {classes}{where}")
        what = "which are equivalent to an earlier one, and to which"
        _say_written(beside, tally.copies, what, told)
    raise typer.Exit(SOME_BAD if tally.left else ALL_WELL)


def overlap(
    known: Path, asked: Path, settings: Settings, *, output: Path | None, force: bool
) -> None:
    _check_targets({"--output": output}, [known, asked], force=force)
    display, theirs, ours = Display(None, bar=not settings.quiet), Tally(), Tally()
    theirs.on_lot = ours.on_lot = _Ticking(display, "comparing", [theirs, ours])
    with ExitStack() as stack:
        names, (first, second) = _named([known, asked], settings, stack)
        found = compare_sources(first, second, tallies=(theirs, ours), **_reading(settings))
        _write_copies(stack, output, found, names, display)
    verdict = f"{ours.copies:,} of {_puzzles(ours.puzzles)} of {source_name(asked)}"
    verdict += " is" if ours.copies == 1 else " are"
    verdict += f" equivalent to one of {_puzzles(theirs.puzzles)} of {source_name(known)}"
    said = f"{'overlap' if ours.copies else 'no overlap'}: {verdict}"
    (say if output == STANDARD_OUTPUT else print)(said)
    if not settings.quiet:
        _say_written(output, ours.copies, "which these are, and to which they are equivalent")
    is_well = not (ours.copies or ours.left or theirs.left)
    raise typer.Exit(ALL_WELL if is_well else SOME_BAD)


def generate(  # noqa: PLR0913 - one for each option
    count: int,
    settings: Settings,
    wish: Wish,
    seed: int,
    *,
    output: Path | None,
    table: Path | None,
    force: bool,
) -> None:
    _check_numbers(count, seed)
    target = output or STANDARD_OUTPUT
    beside = _table_beside(target, table)
    _check_targets({"--output": target, "--table": beside}, [], force=force)
    ended: Stopped | LimitReached | None = None
    with ExitStack() as stack:
        collection = stack.enter_context(growing(target))
        rows = stack.enter_context(growing(beside)) if beside else None
        writing = _Writing(collection, rows)
        display = Display(None, bar=not settings.quiet)
        stack.callback(display.end)

        def show(tried: int) -> None:
            display.tick("generating", Progress(tried, writing.made, count, "tried grid"))

        is_shown = _is_shown(target)
        puzzles = stack.enter_context(closing(generate_puzzles(wish, seed, show)))
        try:
            for result in islice(puzzles, count):
                if is_shown:  # in the place of the bar
                    display.end()
                with uninterrupted():
                    writing.write(result)
                    if is_shown:
                        collection.flush()
        except (Stopped, LimitReached) as error:
            if not writing.made:
                raise
            ended = error
    if not settings.quiet and target != STANDARD_OUTPUT:
        said = "each with one solution, as a search through everything has shown"
        number = f"{writing.made:,} of " if ended else ""
        print(f"{printable(str(target))}: {number}{_puzzles(count)}, {said}")
    if ended:
        raise ended


def _check_numbers(count: int, seed: int) -> None:
    if not 1 <= count <= MOST:
        raise UsageError(f"N: expected 1 to {MOST:,}")
    if seed < 0:
        raise UsageError(f"--seed: expected 0 or more, found {seed}")


class _Writing:
    """Writes generated puzzles, with a row each if there is a table, and counts them."""

    def __init__(self, collection: BinaryIO, rows: BinaryIO | None) -> None:
        self.made = 0
        self._collection = collection
        self._rows = rows
        if rows:
            rows.write(header(GeneratedRow))

    def write(self, result: Result) -> None:
        self.made += 1
        self._collection.write(_line_of(result).encode("ascii"))
        if self._rows:
            self._rows.write(csv_line(_row_of(self.made, result)))


def wish_of(
    givens: str | None, depth: str | None, *, redundant: bool, symmetric: bool, marks: bool
) -> Wish:
    """What is wished by these options. Raises UsageError."""
    if redundant and givens is None:
        raise UsageError("--redundant: --givens has to say how many clues there are to be")
    try:
        return Wish(
            range_of("givens", givens) if givens else Wish().givens,
            not redundant,
            symmetric,
            marks,
            range_of("depth", depth) if depth else None,
        )
    except UsageError as error:
        raise UsageError(f"--{error}") from error


def range_of(option: str, text: str) -> tuple[int, int]:
    """The least and the most of a number such as `24`, or a range such as `22-26`.

    Raises UsageError.
    """
    match = _RANGE.fullmatch(text)
    if not match:
        raise UsageError(f"{option}: expected a number or a range such as 22-26, found {text!r}")
    least, most = match[1], match[2] or match[1]
    return int(least), int(most)


class _Ticking:
    """Shows how many puzzles were compared."""

    def __init__(self, display: Display, what: str, tallies: Sequence[Tally]) -> None:
        self._display = display
        self._what = what
        self._tallies = tallies

    def __call__(self) -> None:
        done = sum(tally.puzzles for tally in self._tallies)
        self._display.tick(self._what, Progress(done, done, None))


def _is_shown(target: Path) -> bool:
    """Whether what is written appears on the terminal, as a bar does."""
    return target == STANDARD_OUTPUT and sys.stdout.isatty()


def _table_beside(target: Path, table: Path | None) -> Path | None:
    """The table that is asked for, or one beside the collection if that is a file."""
    if table or target == STANDARD_OUTPUT or not target.name:
        return table
    return target.with_suffix(".csv")


def _check_targets(
    targets: Mapping[str, Path | None], sources: Sequence[Path], *, force: bool
) -> None:
    named = {option: target for option, target in targets.items() if target}
    for option, target in named.items():
        check_target(option, target, sources, force=force)
    if len({target.resolve() for target in named.values()}) < len(named):
        raise UsageError(f"{' and '.join(named)} are the same file")


def _named(
    sources: Sequence[Path], settings: Settings, stack: ExitStack
) -> tuple[dict[str, str], list[Path]]:
    """The paths of sources, and what they are called where that is something else.

    Raises InputError.
    """
    if sum(source == STANDARD_INPUT for source in sources) > 1:
        raise UsageError("standard input can be read once")
    names, paths = {}, []
    for source in sources:
        path = stack.enter_context(path_of(source, settings.max_total_bytes))
        if source.is_file() or source.is_dir():
            path = source
        names[printable(str(path))] = source_name(source)
        paths.append(path)
    return names, paths


def _reading(settings: Settings) -> dict[str, Any]:
    """The settings as keywords of the library."""
    return {name: getattr(settings, name) for name in READING_KEYS}


def _write_copies(
    stack: ExitStack,
    target: Path | None,
    found: Generator[Copy | Left],
    names: Mapping[str, str],
    display: Display,
) -> None:
    """Write the copies as a table, and say what is left out."""
    table = stack.enter_context(growing(target)) if target else None
    if table:
        table.write(header(CopyRow))
    left = 0
    with closing(found), _ended(display):
        for each in found:
            if isinstance(each, Left):
                left += 1
                if left <= _MOST_SAID:
                    say(_left_said(each, names))
            elif table:
                table.write(csv_line(_copy_row(each, names)))
    if left > _MOST_SAID:
        say(f"and {left - _MOST_SAID:,} more are left out")


@contextmanager
def _ended(display: Display) -> Iterator[None]:
    try:
        yield
    finally:
        display.end()


def _copy_row(copy: Copy, names: Mapping[str, str]) -> CopyRow:
    line, first_line = (str(each or "") for each in (copy.line, copy.first_line))
    source, first = (names.get(name, name) for name in (copy.source, copy.first_source))
    return CopyRow(source, line, first, first_line)


def _left_said(left: Left, names: Mapping[str, str]) -> str:
    name = names.get(left.source, left.source)
    if left.reason.startswith(left.source):
        return f"{name}{left.reason.removeprefix(left.source)}"
    where = f"{name}:{left.line}" if left.line else name
    return f"{where}: left out: {left.reason}"


def _puzzles(count: int) -> str:
    return f"{count:,} puzzle{'' if count == 1 else 's'}"


def _say_written(
    table: Path | None, copies: int, what: str, told: Callable[[str], None] = print
) -> None:
    if copies and table and table != STANDARD_OUTPUT:
        told(f"{printable(str(table))} says {what}")


def _line_of(result: Result) -> str:
    """A puzzle in one line: its cells, or where there are marks constraints."""
    puzzle = _puzzle_of(result)
    masks, every = puzzle.cells, puzzle.geometry.all_values
    if all(mask == every or mask & (mask - 1) == 0 for mask in masks):
        return "".join("." if mask == every else str(mask.bit_length()) for mask in masks) + "\n"
    clues = [
        (puzzle.geometry.place(cell), mask) for cell, mask in enumerate(masks) if mask != every
    ]
    said = ["_".join([f"R{row}C{column}", *_values(mask)]) for (row, column), mask in clues]
    return f".Shape~9x9.~{'~'.join(said)}\n"


def _values(mask: int) -> Iterator[str]:
    return (str(value) for value in range(1, 10) if mask >> (value - 1) & 1)


def _puzzle_of(result: Result) -> Puzzle:
    assert isinstance(result.problem, PuzzleProblem), "it was generated as one"  # noqa: S101
    return result.problem.puzzle


def _row_of(index: int, result: Result) -> GeneratedRow:
    found = result.certificate
    assert found, "what is generated is certified"  # noqa: S101
    solution = one_line(result.solutions[0].values)
    return GeneratedRow(index, solution, result.told_certificate, found.nodes or 0)
