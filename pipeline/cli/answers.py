"""What the commands that solve without folders do: solve and count."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer

from pipeline.cli.files import (
    STANDARD_OUTPUT,
    check_target,
    lines_in,
    path_of,
    source_name,
    write_to,
)
from pipeline.cli.options import say
from pipeline.errors import (
    InputError,
    InvalidPuzzle,
    LimitReached,
    SolverError,
    UsageError,
    counted,
    printable,
)
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import signs_of
from pipeline.reading.read import contents_of
from pipeline.reading.source import Archive, Collection, Single
from pipeline.service.exits import ALL_WELL, SOME_BAD
from pipeline.service.log import Display, shows
from pipeline.service.requests import solve_one, solve_problems, with_traits
from pipeline.settings import Settings
from pipeline.solving.facts import NOT_WELL
from pipeline.solving.items import Item, items_of
from pipeline.solving.problem import FormulaProblem, PuzzleProblem, read_problem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.outbox.report import Board
    from pipeline.solving.explain import Difference


AT_ONCE = 1024
"""Puzzles of a collection that are solved together."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The file to draw in, if any; whether without the solution, and whether to replace a file."""

    svg: Path | None
    puzzle_only: bool
    force: bool


def solve(
    files: list[Path], settings: Settings, *, times: bool, drawing: Drawing, as_json: bool
) -> None:
    _check_drawn(drawing, files)
    svg = drawing.svg
    kept: list[tuple[str, Result]] = []
    well = True
    with Solvers(settings.solver, settings.minisat) as solvers:
        say_lacking(solvers, settings)
        within = _display(settings, has_bar=len(files) == 1)
        among = _display(settings, has_bar=len(files) > 1)
        for file in among.over(files, "solve", "file", len(files)):
            for answer in _solved_in(file, solvers, settings, within, drawn=bool(svg)):
                name, result = answer.name, answer.result
                if as_json:
                    print(_record_line(answer, settings))
                elif not answer.is_alone:
                    print(f"{printable(name)}: {_in_a_line(result)}")
                else:
                    before = f"{name}: " if len(files) > 1 else ""
                    _tell(answer, settings, None if svg == STANDARD_OUTPUT else before)
                kept += [(name, result)] if times or svg else []
                well &= result.status not in NOT_WELL
    if times and kept:
        times_table(kept)
    if svg:
        _draw(svg, *kept[0], puzzle_only=drawing.puzzle_only)
    raise typer.Exit(ALL_WELL if well else SOME_BAD)


def _display(settings: Settings, *, has_bar: bool = True) -> Display:
    """Progress, unless the lines that are printed on the same terminal show it."""
    return Display(None, bar=has_bar and not settings.quiet and not sys.stdout.isatty())


def _under_bar(
    display: Display, path: Path, name: str, solvers: Solvers, settings: Settings
) -> Iterator[tuple[str, Result]]:
    """What `solved_of` gives, with its progress. A collection's lines tell about how many come."""
    total = None
    if display.has_bar and isinstance(contents_of(path, name, settings), Collection):
        total = lines_in(path)
    return display.over(solved_of(path, name, solvers, settings), name, total=total)


class Answer(NamedTuple):
    """What was found out about a puzzle, and where it stands: by itself, with its bytes, or not.

    `fault` shows the place where it could not be read.
    """

    name: str
    result: Result
    is_alone: bool
    data: bytes | None = None
    fault: str | None = None


def _record_line(answer: Answer, settings: Settings) -> str:
    """The record that `run` would write, with the texts of the solutions, in one line of JSON."""
    import msgspec  # noqa: PLC0415 - slow to load

    from pipeline.outbox.write_record import Origin, SetOfOne, digest  # noqa: PLC0415 - as above
    from pipeline.service.protocol.claim import new_job_id  # noqa: PLC0415 - as above

    data, result, now = answer.data, answer.result, datetime.now(UTC)
    sha256, size = (None, None) if data is None else (digest(data), len(data))
    origin = Origin(new_job_id(now), answer.name, sha256, size, settings.reading.declared())
    told = msgspec.to_builtins(SetOfOne(origin, result).record({}, now))
    problem = result.problem
    texts = ["".join(problem.text(each)) for each in result.solutions] if problem else []
    return json.dumps(told | {"texts": texts})


def _check_drawn(drawing: Drawing, files: Sequence[Path]) -> None:
    svg = drawing.svg
    if svg is None:
        if drawing.puzzle_only:
            raise UsageError("--puzzle-only: say with --svg where to draw")
        return
    if len(files) != 1:
        raise UsageError("--svg: give one puzzle to draw")
    check_target("--svg", svg, files, force=drawing.force)
    if svg.suffix.lower() not in ("", ".svg"):
        raise UsageError(f"--svg: {printable(str(svg))}: expected a name that ends in .svg")


def _tell(answer: Answer, settings: Settings, before: str | None) -> None:
    """Print a result after `before`, unless that is None, and explain it."""
    if before is not None:
        _print_result(before, answer.result)
    if answer.fault:
        say(answer.fault)
    else:
        _explain(answer.name, answer.result, settings)


def _solved_in(
    file: Path, solvers: Solvers, settings: Settings, display: Display, *, drawn: bool
) -> Iterator[Answer]:
    """Each answer to a file.

    Raises UsageError for many that are to be `drawn`.
    """
    name = source_name(file)
    try:
        with path_of(file, settings.max_bytes) as path:
            found = contents_of(path, name, settings)
            if isinstance(found, Single):
                yield _solve_single(found, solvers, settings)
                return
            if drawn:
                raise UsageError(f"--svg: {name} holds many puzzles; give one to draw")
            for where, result in _under_bar(display, path, name, solvers, settings):
                yield Answer(where, result, is_alone=False)
    except InputError as error:
        yield Answer(name, Result("invalid", message=str(error)), is_alone=True)


def say_lacking(solvers: Solvers, settings: Settings) -> None:
    """Say that minisat is wanted and not there, unless quiet."""
    if solvers.lacking and not settings.quiet:
        say(f"{solvers.lacking}: PySAT solves instead")


def _solve_single(single: Single, solvers: Solvers, settings: Settings) -> Answer:
    name, watch, data = single.name, Stopwatch(), single.data
    if data is None:
        result = Result("invalid", message=single.refusal, seconds=watch.seconds())
        return Answer(name, result, is_alone=True)
    try:
        with watch.timing("parse"):
            problem = read_problem(data, name, settings, single.what)
    except InvalidPuzzle as error:
        result = Result("invalid", message=str(error), seconds=watch.seconds())
        return Answer(name, result, True, data, _with_caret(error, data))
    except LimitReached as error:
        result = Result("unknown", complete=False, message=str(error), seconds=watch.seconds())
        return Answer(name, result, True, data)
    found = solve_problems([problem], solvers, settings, [watch.spent()])
    (result,) = with_traits(found, settings)
    return Answer(name, result, True, data)


def solved_of(
    path: Path, name: str, solvers: Solvers, settings: Settings
) -> Iterator[tuple[str, Result]]:
    """The results for all that a collection or an archive holds, each with where it stands.

    What stands in a collection is solved as `run` does; each other member of an archive as if it
    were alone.
    """
    is_archive = isinstance(contents_of(path, name, settings), Archive)
    for some in _groups(items_of(path, name, settings)):
        of_many = some[0].line is not None
        problems = [item.problem for item in some if item.problem]
        chosen = settings.of_many() if of_many else settings
        found = iter(with_traits(solve_problems(problems, solvers, chosen), chosen))
        for item in some:
            where = f"{name}/{item.name}" if is_archive else item.name
            where = f"{where}:{item.line}" if item.line else where
            yield where, next(found) if item.problem else Result("invalid", message=item.reason)


def _groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items as they are solved together: rows without rules; all else one by one."""
    rows: list[Item] = []
    for item in items:
        is_alone = item.line is None or (item.problem and item.problem.geometry_alone is None)
        if rows and (is_alone or len(rows) == AT_ONCE):
            yield rows
            rows = []
        if is_alone:
            yield [item]
        else:
            rows.append(item)
    if rows:
        yield rows


def _in_a_line(result: Result) -> str:
    """The status, the first solution, and what there is to say."""
    from pipeline.outbox.tables import one_line  # noqa: PLC0415 - not for single puzzles

    solution = ""
    if result.solutions:
        first = result.solutions[0]
        solution = " " + (one_line(first.values) if isinstance(first, Grid) else "satisfiable")
    told, certificate = [result.said], result.certificate
    if certificate and certificate.complete == "claimed":
        told.append(f"that there are no more is only claimed: {certificate.reason}")
    told.append(result.solver.warning if result.solver else None)
    told += _traits_said(result)
    said = "; ".join(filter(None, told))
    return f"{result.status}{solution}" + (f": {printable(said)}" if said else "")


def _with_caret(error: InputError, data: bytes) -> str:
    """The message of an error, and its place in the line, if there is one."""
    from pipeline.solving.explain import caret, line_at  # noqa: PLC0415 - seldom needed

    if isinstance(error, InvalidPuzzle) and error.line and error.column:
        line = line_at(data, error.line)
        if line is not None:
            shown = caret(line, error.column).replace("\n", "\n    ")
            return f"{error}\n    {shown}"
    return str(error)


def _print_result(before: str, result: Result) -> None:
    """Print the verdict and the solutions on standard output."""
    problem = result.problem
    if isinstance(problem, FormulaProblem):
        for model in result.solutions:
            print(before, *problem.text(model), sep="", end="")
        if not result.solutions:
            print(f"{before}s {'UNSATISFIABLE' if result.complete else 'UNKNOWN'}")
    elif result.status == "unsolvable":
        print(f"{before}{result.status}")
        if result.message:
            print(result.message)
        if result.conflict and result.conflict.clues and isinstance(problem, PuzzleProblem):
            from pipeline.solving.explain import marked_grid  # noqa: PLC0415 - seldom needed

            print(marked_grid(problem.puzzle, result.conflict.places()))
    elif result.solutions and problem:
        print(f"{before}{_in_words(result)}")
        if sys.stdout.isatty():
            from pipeline.solving.explain import boxed_grid  # noqa: PLC0415 - seldom needed

            signs = signs_of(problem.format)
            shown = [boxed_grid(grid, signs) + "\n" for grid in result.solutions]
        else:
            shown = ["".join(problem.text(grid)) for grid in result.solutions]
        print("\n".join(shown), end="")


def _in_words(result: Result) -> str:
    """The status, and of several solutions how many there are."""
    if result.status != "multiple":
        return result.status
    number = counted(len(result.solutions), "solution")
    return f"multiple: all {number}" if result.complete else f"multiple: {number} and more"


def _draw(target: Path, name: str, result: Result, *, puzzle_only: bool) -> None:
    """Write the puzzle, and what was found unless `puzzle_only`, as SVG.

    Raises InputError for what is not drawn.
    """
    from pipeline.outbox.report import LARGEST_DRAWN, Board, board_svg  # noqa: PLC0415 - slow to load

    if result.status == "invalid":
        return  # reported already
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        raise InputError(f"{name}: it is no puzzle that could be drawn")
    signs = signs_of(problem.format)
    board = Board(problem.puzzle, signs=signs)
    if not puzzle_only:
        board = board_of(problem.puzzle, result, signs)
    if not board.is_drawable:
        raise InputError(f"{name}: more than {LARGEST_DRAWN}×{LARGEST_DRAWN} cells are not drawn")
    title = name if puzzle_only else f"{name}: {result.status}"
    write_to(target, [board_svg(board, title, "b", alone=True), "\n"])


def board_of(puzzle: Puzzle, result: Result, signs: str) -> Board:
    """The board with a puzzle and what was found; `signs` as `Board` takes them."""
    from pipeline.outbox.report import Board  # noqa: PLC0415 - slow to load

    return Board(
        puzzle,
        result.solutions[0] if result.solutions else None,
        result.conflict.places() if result.conflict else (),
        result.difference.cells if result.difference else (),
        signs,
        result.conflict.rules if result.conflict else (),
        result.problem.unread if result.problem else (),
    )


def _explain(name: str, result: Result, settings: Settings) -> None:
    """Print what else there is to say about a result on standard error."""
    if result.status == "invalid":
        say(str(result.message))
    elif not result.complete and result.status != "solved":
        say(f"{name}: {result.status}: {result.said}")
    elif result.caveat:
        say(f"{name}: {result.caveat}")
    if result.disagreement and result.complete and result.solutions:
        say(f"{name}: {result.disagreement}")
    if result.difference and isinstance(result.problem, PuzzleProblem) and not settings.quiet:
        say(f"{name}: {_decisive(result.difference)}")
        from pipeline.solving.explain import marked_grid  # noqa: PLC0415 - seldom needed

        say(marked_grid(result.problem.puzzle, result.difference.cells))
    if not settings.quiet:
        _say_evidence(name, result)
        for told in _traits_said(result):
            say(f"{name}: {told}")
    if result.solver and (why := result.solver.warning):
        say(f"{name}: {why}; {result.solver.name} solved it")


def _traits_said(result: Result) -> list[str]:
    """What else was found out about a puzzle, in words."""
    traits, said = result.traits, []
    if traits is None or not isinstance(result.problem, PuzzleProblem):
        return []
    if traits.canonical:
        said.append(f"its canonical form is {traits.canonical}")
    if traits.redundant is not None:
        places = map(result.problem.puzzle.geometry.place, traits.redundant)
        named = " ".join(f"r{row}c{column}" for row, column in places)
        said.append(f"givens that can be left out: {named}" if named else "it is minimal")
    if found := traits.effort:
        splits = f"{found.splits:.2f} ± {found.spread:.2f} splits"
        said.append(f"effort: depth {found.depth}, backdoor {found.backdoor}, {splits}")
    return said


def _say_evidence(name: str, result: Result) -> None:
    found = result.certificate
    if found and found.by == "lrat":
        steps = counted(found.steps or 0, "step")
        say(f"{name}: proved by {found.solver} in {steps}, checked by {found.checker}")
    elif found and found.complete == "claimed":
        say(f"{name}: that there are no more is only claimed: {found.reason}")
    elif found and found.reason and result.complete:
        say(f"{name}: no proof to publish: {found.reason}")


def _decisive(difference: Difference) -> str:
    cells = len(difference.cells)
    clues = ", ".join(
        f"{clue.value} in row {clue.row}, column {clue.column}" for clue in difference.decisive
    )
    return f"they differ in {cells} cells; of those found one alone has {clues}"


def count(file: Path, settings: Settings, *, show: bool) -> None:
    name, watch = source_name(file), Stopwatch()
    with (
        Solvers(settings.solver, settings.minisat) as solvers,
        path_of(file, settings.max_bytes) as path,
    ):
        say_lacking(solvers, settings)
        single = contents_of(path, name, settings)
        if not isinstance(single, Single):
            _count_many(path, name, solvers, settings, show=show)
        if single.data is None:
            raise InputError(single.refusal)
        try:
            with watch.timing("parse"):
                problem = read_problem(single.data, name, settings, single.what)
        except InvalidPuzzle as error:
            raise InputError(_with_caret(error, single.data)) from error
        settings = replace(settings, max_solutions=settings.limit)  # of a formula too

        def print_solution(solution: Any) -> None:
            print("".join(problem.text(solution)), flush=True)

        on_solution = print_solution if show else None
        result: Result = solve_one(problem, solvers, settings, watch, on_solution)
    _print_count(file, result, settings)


def _count_many(
    path: Path, name: str, solvers: Solvers, settings: Settings, *, show: bool
) -> NoReturn:
    code = ALL_WELL
    counting = replace(settings, max_solutions=settings.limit)
    for where, result in _under_bar(_display(settings), path, name, solvers, counting):
        found = len(result.solutions)
        if show and result.problem:
            for solution in result.solutions:
                print("".join(result.problem.text(solution)))
        shown = printable(where)
        if result.status not in ("invalid", "failed"):
            print(f"{shown}: {found if result.complete else f'>={found}'}")
        if result.status in NOT_WELL:
            say(f"{shown}: {result.status}: {result.said}")
        elif result.caveat:
            say(f"{shown}: {result.caveat}")
        code = SOME_BAD if result.status in NOT_WELL else code
    raise typer.Exit(code)


def _print_count(file: Path, result: Result, settings: Settings) -> NoReturn:
    if result.status == "failed":
        raise SolverError(result.message)
    if result.status == "invalid":
        raise InputError(result.message)
    found = len(result.solutions)
    print(found if result.complete else f">={found}")
    if result.message and found < settings.limit and not result.complete:
        say(f"{source_name(file)}: {result.message}")
    if result.caveat:
        say(f"{source_name(file)}: {result.caveat}")
    if not settings.quiet:
        _say_evidence(source_name(file), result)
    raise typer.Exit(SOME_BAD if result.status in NOT_WELL else ALL_WELL)


STAGES = ("parse", "encode", "solve", "decode", "certify", "prove", "total")
_WIDTH_ELSEWHERE = 200
_WIDE = 104
"""Columns with room for all headings in one line, and for a file's name."""

_HALVES = {
    "variables": "vari-\nables",
    "clauses": "clau-\nses",
    "encode": "en-\ncode",
    "decode": "de-\ncode",
    "certify": "cer-\ntify",
}


def times_table(results: Iterable[tuple[str, Result]]) -> None:
    """Print one row per file: status, variables, clauses and the seconds of each stage."""
    from rich import box  # noqa: PLC0415 - only this table needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    is_narrow = console.width < _WIDE
    halves = _HALVES if is_narrow else {}
    table = Table(
        box=box.SIMPLE if shows("─", sys.stdout) else box.ASCII,
        padding=(0, 0 if is_narrow else 1, 0, 0),
    )
    for name in ("file", "status", "variables", "clauses", *STAGES):
        heading = halves.get(name, name)
        if name == "file":
            table.add_column(heading, overflow="ellipsis", min_width=10)
        elif name == "status":
            table.add_column(heading, no_wrap=True)
        else:
            table.add_column(heading, justify="right", no_wrap=True)
    for name, result in results:
        sizes = (str(len(result.cnf.candidates)), str(result.cnf.size)) if result.cnf else ("", "")
        known = dict(result.seconds)
        if "batch" in known:  # the total is that of many
            del known["total"]
        seconds = (f"{known[stage]:.3f}" if stage in known else "" for stage in STAGES)
        shown = printable(name)
        table.add_row(
            shown.rpartition("/")[2] if is_narrow else shown, result.status, *sizes, *seconds
        )
    console.print(table)
