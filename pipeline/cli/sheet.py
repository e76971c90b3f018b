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
    MAX_SHEET_PUZZLES,
    TOO_LARGE,
    Board,
    Sheet,
    SheetPuzzle,
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
    "MAX_SHEET_PUZZLES",
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

Unsolved = tuple[SheetPuzzle, Item | None]
"""A puzzle, and its item if it still has to be solved."""


def found_in(sources: Sequence[Path], settings: Settings) -> Iterator[Unsolved | InputError]:
    """The puzzles in all sources, in order; an error for each that cannot be printed."""
    originals = Originals.of([settings.inbox / DONE])
    for source in sources:
        if is_named(source) and is_published(source):
            for puzzle in puzzles_at(source, originals):
                yield puzzle if isinstance(puzzle, InputError) else (puzzle, None)
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
    return SheetPuzzle(name, board, where=item.where, title=problem.parsed.title), item


def first_of(
    entries: Iterable[Unsolved | InputError], first: int | None
) -> tuple[list[Unsolved], list[InputError]]:
    """The first puzzles, or all, and the errors among them.

    Raises UsageError if there are more than a sheet may have.
    """
    taken: list[Unsolved] = []
    errors: list[InputError] = []
    for entry in entries:
        if isinstance(entry, InputError):
            errors.append(entry)
            continue
        if len(taken) == MAX_SHEET_PUZZLES:
            raise UsageError(
                f"a sheet has at most {MAX_SHEET_PUZZLES:,} puzzles; "
                f"--first {MAX_SHEET_PUZZLES} prints the first of them"
            )
        taken.append(entry)
        if len(taken) == first:
            break
    return taken, errors


def with_solutions(unsolved: Sequence[Unsolved], settings: Settings) -> list[SheetPuzzle]:
    """Solve the unsolved puzzles, with the limits of a collection."""
    items = [item for _, item in unsolved if item]
    if not items:
        return [printed for printed, _ in unsolved]
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        results = solved([items], solvers, settings.of_many())
        return [
            _with(sheet_puzzle, next(results)[1]) if item else sheet_puzzle
            for sheet_puzzle, item in unsolved
        ]


def _with(printed: SheetPuzzle, result: Result) -> SheetPuzzle:
    board = board_of(printed.board, result)
    return replace(printed, board=board, status=result.status, message=result.full_message or "")


def arranged(
    printed: Sequence[SheetPuzzle], sort: str | None, *, levels: bool
) -> list[SheetPuzzle]:
    """Sort puzzles, easiest first, and add the level of each if `levels`.

    `givens` sorts by number of givens, descending; `rating` by level and score, with unrated
    puzzles last.
    """
    rated = _rated(printed) if levels or sort == RATING else [None] * len(printed)
    difficulties = [
        replace(puzzle, level=rating.level) if levels and rating and rating.level else puzzle
        for puzzle, rating in zip(printed, rated, strict=True)
    ]
    if sort == RATING:
        ranks = [
            (LEVELS.index(puzzle.level), puzzle.score) if puzzle and puzzle.level else (inf, 0)
            for puzzle in rated
        ]
    elif sort:
        ranks = [(-len(puzzle.board.givens), 0) for puzzle in printed]
    else:
        return difficulties
    return [
        difficulties[place] for place in sorted(range(len(difficulties)), key=ranks.__getitem__)
    ]


def _rated(printed: Sequence[SheetPuzzle]) -> list[Rating | None]:
    """The ratings of unique 9×9 puzzles without extra rules; None for others."""
    puzzles = [entry.board.puzzle if entry.status == "unique" else None for entry in printed]
    indexes = [
        place
        for place, puzzle in enumerate(puzzles)
        if puzzle and puzzle.is_plain and puzzle.geometry == NINE
    ]
    efforts = ratings(puzzle.cells for place in indexes if (puzzle := puzzles[place]))
    rated = dict(zip(indexes, efforts, strict=True))
    return [rated.get(place) for place in range(len(printed))]


def without_names(printed: Sequence[SheetPuzzle]) -> list[SheetPuzzle]:
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


def complaint(printed: SheetPuzzle, *, solutions: bool) -> str | None:
    """A message for a puzzle that is not unique or has another fault."""
    remarks = [printed.status] if printed.status not in ("", "unique") else []
    if printed.status == "multiple":
        remarks.append("more than one solution" + (", one is printed" if solutions else ""))
    elif printed.message:
        remarks.append(printed.message)
    return printable(": ".join((printed.where, *remarks))) if remarks else None
