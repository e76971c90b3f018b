"""Puzzles for a sheet: from files, archives or an outbox, solved if they are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from pipeline.cli.answers import say_lacking
from pipeline.cli.files import growing, is_named, path_of, source_name, write_to
from pipeline.cli.results import board_of
from pipeline.errors import InputError, UsageError, printable
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals
from pipeline.outbox.report import (
    MOST_PRINTED,
    TOO_LARGE,
    Board,
    Printed,
    Sheet,
    check_installed,
    is_published,
    puzzles_at,
    sheet_pdf,
)
from pipeline.puzzle.puzzle import NINE
from pipeline.reading.formats.formula import NO_PUZZLE
from pipeline.service.solving import solved
from pipeline.settings import Settings
from pipeline.solving import LEVELS, Rating
from pipeline.solving.items import Item, items_of
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers
from pipeline.steps import ratings

__all__ = [
    "MOST_PRINTED",
    "RATING",
    "arranged",
    "check_kind",
    "complaint",
    "first_of",
    "found_in",
    "with_solutions",
    "without_names",
    "write",
]

RATING = "rating"
"""The order of `--sort` by ratings."""

Unsolved = tuple[Printed, Item | None]
"""A puzzle, and the item that is still to be solved, if it is."""


def found_in(sources: Sequence[Path], settings: Settings) -> Iterator[Unsolved | InputError]:
    """The puzzles in all sources, in order; an error in the place of each that is not printed."""
    originals = Originals.of([settings.inbox / DONE])
    for source in sources:
        if is_named(source) and is_published(source):
            for each in puzzles_at(source, originals):
                yield each if isinstance(each, InputError) else (each, None)
            continue
        whole = source_name(source)
        try:
            with path_of(source, settings) as path:
                for item in items_of(path, whole, settings):
                    member = item.name.removeprefix(f"{whole}/")
                    file = source.name if is_named(source) else ""
                    yield _unsolved(item, file if member == whole else member)
        except InputError as error:
            yield error


def _unsolved(item: Item, name: str) -> Unsolved | InputError:
    if item.line:
        name = f"{name}, line {item.line}" if name else f"line {item.line}"
    problem, where = item.problem, printable(item.where)
    if problem is None:
        return InputError(f"{item.reason}")
    if not isinstance(problem, PuzzleProblem):
        return InputError(f"{where}: {NO_PUZZLE}")
    board = Board(problem.puzzle, signs=item.signs, unread=problem.unread)
    if not board.is_drawable:
        return InputError(f"{where}: {TOO_LARGE}")
    return Printed(name, board, where=item.where, title=problem.parsed.title), item


def first_of(
    found: Iterable[Unsolved | InputError], first: int | None
) -> tuple[list[Unsolved], list[InputError]]:
    """The first puzzles, or all, and the errors among them.

    Raises UsageError for more than a sheet takes.
    """
    taken: list[Unsolved] = []
    errors: list[InputError] = []
    for each in found:
        if isinstance(each, InputError):
            errors.append(each)
            continue
        if len(taken) == MOST_PRINTED:
            raise UsageError(
                f"there are more than the {MOST_PRINTED:,} puzzles that a sheet takes; "
                f"--first {MOST_PRINTED} takes the first of them"
            )
        taken.append(each)
        if len(taken) == first:
            break
    return taken, errors


def with_solutions(found: Sequence[Unsolved], settings: Settings) -> list[Printed]:
    """Solve what is not solved yet, as the puzzles of a collection are."""
    items = [item for _, item in found if item]
    if not items:
        return [printed for printed, _ in found]
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        results = solved([items], solvers, settings.of_many())
        return [_with(each, next(results)[1]) if item else each for each, item in found]


def _with(printed: Printed, result: Result) -> Printed:
    board = board_of(printed.board, result)
    return replace(printed, board=board, status=result.status, message=result.said or "")


def arranged(printed: Sequence[Printed], sort: str | None, *, levels: bool) -> list[Printed]:
    """Sort puzzles, the easiest first, and note the level of each.

    `givens`: by the number of givens, the most first. `rating`: by level and score of the steps
    that solve them; puzzles without these come last.
    """
    rated = _rated(printed) if levels or sort == RATING else [None] * len(printed)
    told = [
        replace(each, level=rating.level) if levels and rating and rating.level else each
        for each, rating in zip(printed, rated, strict=True)
    ]
    if sort == RATING:
        ranks = [
            (LEVELS.index(each.level), each.score) if each and each.level else (inf, 0)
            for each in rated
        ]
    elif sort:
        ranks = [(-len(each.board.givens), 0) for each in printed]
    else:
        return told
    return [told[place] for place in sorted(range(len(told)), key=ranks.__getitem__)]


def _rated(printed: Sequence[Printed]) -> list[Rating | None]:
    """The ratings of puzzles of 9×9 without other rules with one solution; None for others."""
    puzzles = [each.board.puzzle if each.status == "unique" else None for each in printed]
    at = [
        place
        for place, puzzle in enumerate(puzzles)
        if puzzle and puzzle.is_plain and puzzle.geometry == NINE
    ]
    found = ratings(puzzle.cells for place in at if (puzzle := puzzles[place]))
    rated = dict(zip(at, found, strict=True))
    return [rated.get(place) for place in range(len(printed))]


def without_names(printed: Sequence[Printed]) -> list[Printed]:
    """Drop the names of puzzles, except of those with a fault to look up."""
    return [
        each if each.message or each.status not in ("", "unique") else replace(each, name="")
        for each in printed
    ]


def check_kind(target: Path) -> None:
    """Raise UsageError if the target is called as no sheet is, or nothing here makes a PDF."""
    if target.suffix.lower() not in ("", ".html", ".htm", ".pdf"):
        shown = printable(str(target))
        raise UsageError(f"--output: {shown}: expected a name that ends in .html or .pdf")
    if is_pdf(target):
        check_installed()


def is_pdf(target: Path) -> bool:
    """Whether a PDF is to be written there."""
    return target.suffix.lower() == ".pdf"


def write(target: Path, laid_out: Sheet) -> None:
    """Write a sheet: as a PDF if the target is called so, else as HTML."""
    if not is_pdf(target):
        write_to(target, laid_out.pieces())
        return
    with growing(target) as file:
        file.write(sheet_pdf(laid_out))


def complaint(printed: Printed, *, solutions: bool) -> str | None:
    """A message about a puzzle that is not unique, or has another fault."""
    said = [printed.status] if printed.status not in ("", "unique") else []
    if printed.status == "multiple":
        said.append("it has more than one solution" + (", one is printed" if solutions else ""))
    elif printed.message:
        said.append(printed.message)
    return printable(": ".join((printed.where, *said))) if said else None
