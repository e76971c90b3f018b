"""Puzzles for a sheet: from files, archives or an outbox, solved if necessary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from pipeline.cli.answers import say_lacking
from pipeline.cli.files import atomic_output, is_named, path_of, source_name, write_to
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
from pipeline.puzzle.geometry import NINE
from pipeline.reading.formats.formula import FORMULA_REFUSED
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
"""The value of --sort that needs ratings."""

Unsolved = tuple[Printed, Item | None]
"""A puzzle, and its item if it still has to be solved."""


def found_in(sources: Sequence[Path], settings: Settings) -> Iterator[Unsolved | InputError]:
    """The puzzles in all sources, in order; an error for each that cannot be printed."""
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
        return InputError(f"{where}: {FORMULA_REFUSED}")
    board = Board(problem.puzzle, signs=item.signs, unread=problem.unread)
    if not board.is_drawable:
        return InputError(f"{where}: {TOO_LARGE}")
    return Printed(name, board, where=item.where, title=problem.parsed.title), item


def first_of(
    found: Iterable[Unsolved | InputError], first: int | None
) -> tuple[list[Unsolved], list[InputError]]:
    """The first puzzles, or all, and the errors among them.

    Raises UsageError if there are more than a sheet may have.
    """
    taken: list[Unsolved] = []
    errors: list[InputError] = []
    for each in found:
        if isinstance(each, InputError):
            errors.append(each)
            continue
        if len(taken) == MOST_PRINTED:
            raise UsageError(
                f"a sheet has at most {MOST_PRINTED:,} puzzles; --first {MOST_PRINTED} prints "
                "the first of them"
            )
        taken.append(each)
        if len(taken) == first:
            break
    return taken, errors


def with_solutions(found: Sequence[Unsolved], settings: Settings) -> list[Printed]:
    """Solve what is not solved yet, with the limits of a collection."""
    items = [item for _, item in found if item]
    if not items:
        return [printed for printed, _ in found]
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        results = solved([items], solvers, settings.of_many())
        return [_with(each, next(results)[1]) if item else each for each, item in found]


def _with(printed: Printed, result: Result) -> Printed:
    board = board_of(printed.board, result)
    return replace(printed, board=board, status=result.status, message=result.full_message or "")


def arranged(printed: Sequence[Printed], sort: str | None, *, levels: bool) -> list[Printed]:
    """Sort puzzles, easiest first, and add the level of each if `levels`.

    `givens` sorts by number of givens, descending; `rating` by level and score, with unrated
    puzzles last.
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
    """The ratings of unique 9×9 puzzles without extra rules; None for others."""
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
    """Remove the names of puzzles, except those with a fault."""
    return [
        each if each.message or each.status not in ("", "unique") else replace(each, name="")
        for each in printed
    ]


def check_kind(target: Path) -> None:
    """Raise UsageError for another extension, or for PDF if nothing installed can write it."""
    if target.suffix.lower() not in ("", ".html", ".htm", ".pdf"):
        shown = printable(str(target))
        raise UsageError(f"--output: {shown}: expected a name that ends in .html or .pdf")
    if is_pdf(target):
        check_installed()


def is_pdf(target: Path) -> bool:
    """Whether a sheet with this name is written as PDF."""
    return target.suffix.lower() == ".pdf"


def write(target: Path, laid_out: Sheet) -> None:
    """Write a sheet as PDF or HTML, depending on the name."""
    if not is_pdf(target):
        write_to(target, laid_out.chunks())
        return
    with atomic_output(target) as file:
        file.write(sheet_pdf(laid_out))


def complaint(printed: Printed, *, solutions: bool) -> str | None:
    """A message for a puzzle that is not unique or has another fault."""
    said = [printed.status] if printed.status not in ("", "unique") else []
    if printed.status == "multiple":
        said.append("more than one solution" + (", one is printed" if solutions else ""))
    elif printed.message:
        said.append(printed.message)
    return printable(": ".join((printed.where, *said))) if said else None
