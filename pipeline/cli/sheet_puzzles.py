"""Collect the puzzles of a sheet from files, archives or an outbox, and solve them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from pipeline.cli.file_access import atomic_output, names_file, path_of, source_name, write_to
from pipeline.cli.results import board_with_result
from pipeline.errors import InputError, UsageError, printable
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals
from pipeline.outbox.report import (
    MAX_SHEET_PUZZLES,
    MAX_WORKED_PUZZLES,
    TOO_LARGE,
    Board,
    Sheet,
    SheetPuzzle,
    check_typst,
    is_published,
    puzzles_at,
    sheet_pdf,
    worked_of,
)
from pipeline.reading.formats.dimacs import FORMULA_REFUSED
from pipeline.service.solving import solve_groups
from pipeline.settings import Settings
from pipeline.solving import LEVELS, Rating
from pipeline.solving.items import Item, items_of
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers
from pipeline.steps import ratings

__all__ = [
    "MAX_SHEET_PUZZLES",
    "NO_LEVEL",
    "RATING",
    "add_steps",
    "check_target_kind",
    "complaints",
    "puzzles_in",
    "remove_names",
    "solve_puzzles",
    "sort_puzzles",
    "take_first",
    "write",
]

RATING = "rating"
"""The value of --sort that sorts puzzles by their rating."""

NO_LEVEL = "only 9×9 puzzles with one solution and no extra rules have a level"
"""Why a puzzle has no level."""

SheetEntry = tuple[SheetPuzzle, Item | None]
"""A puzzle, and the item to solve, or None if the solution of the puzzle is published."""


def puzzles_in(sources: Sequence[Path], settings: Settings) -> Iterator[SheetEntry | InputError]:
    """Yield the puzzles of all sources, in order, or an error for each that cannot be printed."""
    originals = Originals.of([settings.inbox / DONE])
    for source in sources:
        if names_file(source) and is_published(source):
            for puzzle in puzzles_at(source, originals):
                yield puzzle if isinstance(puzzle, InputError) else (puzzle, None)
            continue
        whole = source_name(source)
        try:
            with path_of(source, settings) as path:
                for item in items_of(path, whole, settings):
                    member = item.name.removeprefix(f"{whole}/")
                    file = source.name if names_file(source) else ""
                    yield _entry_of(item, file if member == whole else member)
        except InputError as error:
            yield error


def _entry_of(item: Item, name: str) -> SheetEntry | InputError:
    """The puzzle of an item, or an error if it cannot be printed. `name`: the name to print."""
    if item.line:
        name = f"{name}, line {item.line}" if name else f"line {item.line}"
    problem, where = item.problem, printable(item.where)
    if problem is None:
        return InputError(f"{item.reason}")
    if not isinstance(problem, PuzzleProblem):
        return InputError(f"{where}: {FORMULA_REFUSED}")
    board = Board(problem.puzzle, symbols=item.symbols, unread=problem.unread)
    if not board.is_drawable:
        return InputError(f"{where}: {TOO_LARGE}")
    return SheetPuzzle(name, board, where=item.where, title=problem.parsed.title), item


def take_first(
    entries: Iterable[SheetEntry | InputError], max_puzzles: int | None
) -> tuple[list[SheetEntry], list[InputError]]:
    """Take the first `max_puzzles` puzzles, or all if None. Returns puzzles and earlier errors.

    Raises UsageError for more than MAX_SHEET_PUZZLES puzzles.
    """
    taken: list[SheetEntry] = []
    errors: list[InputError] = []
    for entry in entries:
        if isinstance(entry, InputError):
            errors.append(entry)
            continue
        if len(taken) == MAX_SHEET_PUZZLES:
            raise UsageError(
                f"a sheet has at most {MAX_SHEET_PUZZLES:,} puzzles; "
                f"--first {MAX_SHEET_PUZZLES} prints only the first ones"
            )
        taken.append(entry)
        if len(taken) == max_puzzles:
            break
    return taken, errors


def solve_puzzles(unsolved: Sequence[SheetEntry], settings: Settings) -> list[SheetPuzzle]:
    """Solve the puzzles that have no published solution, with the settings for collections."""
    items = [item for _, item in unsolved if item]
    if not items:
        return [puzzle for puzzle, _ in unsolved]
    with Solvers(settings.solver, settings.minisat) as solvers:
        results = solve_groups([items], solvers, settings.for_collection())
        return [
            _add_result(sheet_puzzle, next(results)[1]) if item else sheet_puzzle
            for sheet_puzzle, item in unsolved
        ]


def _add_result(puzzle: SheetPuzzle, result: Result) -> SheetPuzzle:
    """Add the status, the messages and the board of a result to a puzzle."""
    board = board_with_result(puzzle.board, result)
    return replace(puzzle, board=board, status=result.status, message=result.full_message or "")


def sort_puzzles(
    puzzles: Sequence[SheetPuzzle], sort: str | None, *, levels: bool
) -> list[SheetPuzzle]:
    """Sort puzzles, easiest first; if `levels`, add the level of each puzzle.

    `sort`: `givens` (descending number of givens), `rating` (level, then score; unrated puzzles
    last), or None to keep the order.
    """
    all_ratings = _ratings_of(puzzles) if levels or sort == RATING else [None] * len(puzzles)
    labelled = [
        replace(puzzle, level=rating.level) if levels and rating and rating.level else puzzle
        for puzzle, rating in zip(puzzles, all_ratings, strict=True)
    ]
    if sort == RATING:
        ranks = [
            (LEVELS.index(rating.level), rating.score) if rating and rating.level else (inf, 0)
            for rating in all_ratings
        ]
    elif sort:
        ranks = [(-len(puzzle.board.givens), 0) for puzzle in puzzles]
    else:
        return labelled
    return [labelled[index] for index in sorted(range(len(labelled)), key=ranks.__getitem__)]


def add_steps(puzzles: Sequence[SheetPuzzle]) -> list[SheetPuzzle]:
    """Add the steps of each puzzle. Raises UsageError for too many puzzles."""
    if len(puzzles) > MAX_WORKED_PUZZLES:
        raise UsageError(
            f"--steps prints at most {MAX_WORKED_PUZZLES} puzzles; "
            f"--first {MAX_WORKED_PUZZLES} prints only the first ones"
        )
    return [replace(puzzle, worked=worked_of(puzzle.board, puzzle.status)) for puzzle in puzzles]


def _ratings_of(puzzles: Sequence[SheetPuzzle]) -> list[Rating | None]:
    """The ratings of unique 9×9 puzzles without extra rules; None for other puzzles."""
    grids = [entry.board.puzzle if entry.status == "unique" else None for entry in puzzles]
    indexes = [index for index, puzzle in enumerate(grids) if puzzle and puzzle.is_classic]
    computed = ratings(puzzle.cells for index in indexes if (puzzle := grids[index]))
    rating_of = dict(zip(indexes, computed, strict=True))
    return [rating_of.get(index) for index in range(len(puzzles))]


def remove_names(puzzles: Sequence[SheetPuzzle]) -> list[SheetPuzzle]:
    """Remove the printed names of puzzles, except for puzzles with a fault."""
    return [
        puzzle
        if puzzle.message or puzzle.status not in ("", "unique")
        else replace(puzzle, name="")
        for puzzle in puzzles
    ]


def check_target_kind(target: Path) -> None:
    """Raise UsageError for an unknown extension, or for PDF if the extra for it is missing."""
    if target.suffix.lower() not in ("", ".html", ".htm", ".pdf"):
        shown = printable(str(target))
        raise UsageError(f"--output: {shown}: expected a name that ends in .html or .pdf")
    if is_pdf(target):
        check_typst()


def is_pdf(target: Path) -> bool:
    """Whether a sheet with this name is written as PDF."""
    return target.suffix.lower() == ".pdf"


def write(target: Path, laid_out: Sheet) -> None:
    """Write a sheet as PDF if the name of the target ends in .pdf, else as HTML."""
    if not is_pdf(target):
        write_to(target, laid_out.chunks())
        return
    with atomic_output(target) as file:
        file.write(sheet_pdf(laid_out))


def complaints(puzzles: Iterable[SheetPuzzle], *, solutions: bool) -> Iterator[str]:
    """Yield a message about each puzzle with a fault, for example several solutions."""
    for puzzle in puzzles:
        if message := _complaint(puzzle, solutions=solutions):
            yield message


def _complaint(puzzle: SheetPuzzle, *, solutions: bool) -> str | None:
    """A message about a puzzle with a fault, for example several solutions; else None."""
    remarks = [puzzle.status] if puzzle.status not in ("", "unique") else []
    if puzzle.status == "multiple":
        remarks.append("more than one solution" + ("; one of them is printed" if solutions else ""))
    elif puzzle.message:
        remarks.append(puzzle.message)
    return printable(": ".join((puzzle.where, *remarks))) if remarks else None
