"""What the command `sheet` does: puzzles from anywhere, solved if they are not, as pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from pipeline.cli.answers import board_of, say_lacking
from pipeline.cli.files import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    check_target,
    path_of,
    source_name,
    unused,
    write_to,
)
from pipeline.cli.options import say
from pipeline.errors import InputError, UsageError, printable
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals
from pipeline.outbox.report import (
    LARGEST_DRAWN,
    MOST_PRINTED,
    Board,
    Printed,
    Sheet,
    is_published,
    puzzles_at,
)
from pipeline.reading.read import contents_of
from pipeline.reading.source import Archive
from pipeline.service.exits import ALL_WELL, SOME_BAD
from pipeline.service.requests import solve_problems
from pipeline.settings import Settings
from pipeline.solving.facts import NOT_WELL
from pipeline.solving.items import Item, items_of
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers

_TARGET = "sheet.html"
_MOST = f"{LARGEST_DRAWN}×{LARGEST_DRAWN}"


@dataclass(frozen=True, slots=True)
class _Unsolved:
    """A puzzle that was read, and not solved yet."""

    name: str
    where: str
    problem: PuzzleProblem
    signs: str


def sheet(  # noqa: PLR0913 - one for each option
    sources: Sequence[Path],
    settings: Settings,
    *,
    output: Path | None,
    force: bool,
    per_page: int,
    solutions: bool,
    first: int | None,
) -> None:
    target = output or unused(_TARGET)
    check_target("--output", target, sources, force=force)
    if first is not None and not 1 <= first <= MOST_PRINTED:
        raise UsageError(f"--first: expected 1 to {MOST_PRINTED:,}")
    found, is_well = _taken(_found(sources, settings), first)
    if not found:
        if not is_well:  # as was said of each
            raise typer.Exit(SOME_BAD)
        raise InputError(f"{', '.join(map(source_name, sources))}: there is no puzzle to print")
    printed = _solved(found, settings) if solutions else [*map(_as_it_is, found)]
    for each in printed:
        is_well &= _tell(each, solutions=solutions)
    laid_out = Sheet.of(printed, per_page, solutions=solutions)
    write_to(target, laid_out.pieces())
    if not settings.quiet and target != STANDARD_OUTPUT and target.is_file():
        print(f"{printable(str(target))}: {laid_out.said}")
    raise typer.Exit(ALL_WELL if is_well else SOME_BAD)


def _found(
    sources: Sequence[Path], settings: Settings
) -> Iterator[Printed | _Unsolved | InputError]:
    """What all sources hold, in order; an error in the place of what cannot be printed."""
    originals = Originals.of([settings.inbox / DONE])
    for source in sources:
        if source != STANDARD_INPUT and is_published(source):
            yield from puzzles_at(source, originals)
            continue
        try:
            yield from _read(source, settings)
        except InputError as error:
            yield error


def _read(source: Path, settings: Settings) -> Iterator[_Unsolved | InputError]:
    """The puzzles of a file, a folder or standard input. Raises InputError."""
    whole = source_name(source)
    title = "" if source == STANDARD_INPUT else source.name
    with path_of(source, settings.max_bytes) as path:
        is_archive = isinstance(contents_of(path, whole, settings), Archive)
        for item in items_of(path, whole, settings):
            where = f"{whole}/{item.name}" if is_archive else whole
            name = item.name if is_archive else title
            yield _unsolved(item, name, where)


def _unsolved(item: Item, name: str, where: str) -> _Unsolved | InputError:
    if item.line:
        name = f"{name}, line {item.line}" if name else f"line {item.line}"
        where = f"{where}:{item.line}"
    problem = item.problem
    if problem is None:
        return InputError(f"{item.reason}")
    if not isinstance(problem, PuzzleProblem):
        return InputError(f"{printable(where)}: not drawn: a formula has no board")
    if not Board(problem.puzzle).is_drawable:
        return InputError(f"{printable(where)}: not drawn: more than {_MOST} cells")
    return _Unsolved(name, where, problem, item.signs)


def _taken(
    found: Iterator[Printed | _Unsolved | InputError], first: int | None
) -> tuple[list[Printed | _Unsolved], bool]:
    """The first puzzles, or all, and whether all were well; what is not is said.

    Raises UsageError for more than a sheet takes.
    """
    taken: list[Printed | _Unsolved] = []
    is_well = True
    for each in found:
        if isinstance(each, InputError):
            say(str(each))
            is_well = False
            continue
        if len(taken) == MOST_PRINTED:
            raise UsageError(
                f"there are more than the {MOST_PRINTED:,} puzzles that a sheet takes; "
                f"--first {MOST_PRINTED} takes the first of them"
            )
        taken.append(each)
        if len(taken) == first:
            break
    return taken, is_well


def _solved(found: Sequence[Printed | _Unsolved], settings: Settings) -> list[Printed]:
    """Solve what is not solved yet, as the puzzles of a collection are."""
    results = iter(_results([each for each in found if isinstance(each, _Unsolved)], settings))
    return [
        each if isinstance(each, Printed) else _with_result(each, next(results)) for each in found
    ]


def _results(asked: Sequence[_Unsolved], settings: Settings) -> list[Result]:
    if not asked:
        return []
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        return solve_problems([each.problem for each in asked], solvers, settings.of_many())


def _with_result(asked: _Unsolved, result: Result) -> Printed:
    board = board_of(asked.problem.puzzle, result, asked.signs)
    return Printed(asked.name, board, result.status, result.said or "", asked.where)


def _as_it_is(found: Printed | _Unsolved) -> Printed:
    if isinstance(found, Printed):
        return found
    board = Board(found.problem.puzzle, signs=found.signs, unread=found.problem.unread)
    return Printed(found.name, board, where=found.where)


def _tell(printed: Printed, *, solutions: bool) -> bool:
    """Say what is wrong with a puzzle; whether its solution is known, if that is printed."""
    said = [printed.status] if printed.status not in ("", "unique") else []
    if printed.status == "multiple":
        said.append("it has more than one solution" + (", one is printed" if solutions else ""))
    elif printed.message:
        said.append(printed.message)
    if said:
        say(printable(": ".join((printed.where, *said))))
    return not solutions or printed.status not in NOT_WELL
