"""The commands that solve without folders: solve and count."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from pipeline.cli.options import READING, SOLVING, File, takes
from pipeline.cli.outcome import report
from pipeline.cli.reading import read_bytes, source_name
from pipeline.cli.times import times_table
from pipeline.cli.writing import STANDARD_OUTPUT, check_target, write_to
from pipeline.errors import (
    InputError,
    InvalidPuzzle,
    LimitReached,
    SolverError,
    UsageError,
    counted,
)
from pipeline.exits import ALL_WELL, SOME_BAD
from pipeline.parse import signs_of
from pipeline.problem import FormulaProblem, PuzzleProblem, read_problem
from pipeline.result import NOT_WELL, Result, Stopwatch
from pipeline.settings import Settings
from pipeline.solvers import Solvers
from pipeline.solving import solve_one, solve_problems

if TYPE_CHECKING:
    from pipeline.explain import Difference

Files = Annotated[list[Path], typer.Argument(help="Puzzle files; - is standard input.")]


@takes(*SOLVING, *READING, "quiet")
def solve(
    files: Files,
    settings: Settings,
    *,
    times: Annotated[bool, typer.Option("--times", help="Add a table of run times.")] = False,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw the puzzle in this file; - is stdout."),
    ] = None,
) -> None:
    """Solve puzzle files and print their solutions.

    sudoku-pipeline solve examples/classic.sudoku

    sudoku-pipeline solve --times examples/*.sudoku

    sudoku-pipeline solve --svg classic.svg examples/classic.sudoku

    cat examples/line.sdm | sudoku-pipeline solve -
    """
    if svg is not None:
        if len(files) != 1:
            raise UsageError("--svg: give one puzzle to draw")
        check_target("--svg", svg, files)
    results: list[tuple[str, Result]] = []
    with Solvers(settings.solver, settings.minisat) as solvers:
        _say_lacking(solvers, settings)
        for file in files:
            name = source_name(file)
            result = _solve_file(file, solvers, settings)
            if svg != STANDARD_OUTPUT:
                _print_result(f"{name}: " if len(files) > 1 else "", result)
            _explain(name, result, settings)
            results.append((name, result))
    if times:
        times_table(results)
    if svg is not None:
        _draw(svg, *results[0])
    bad = any(result.status in NOT_WELL for _, result in results)
    raise typer.Exit(SOME_BAD if bad else ALL_WELL)


def _say_lacking(solvers: Solvers, settings: Settings) -> None:
    if solvers.lacking and not settings.quiet:
        report(f"{solvers.lacking}: PySAT solves instead")


def _solve_file(file: Path, solvers: Solvers, settings: Settings) -> Result:
    watch, name, data = Stopwatch(), source_name(file), b""
    try:
        data = read_bytes(file, settings.max_bytes)
        with watch.timing("parse"):
            problem = read_problem(data, name, settings)
    except InputError as error:
        message = _with_caret(error, data)
        return Result("invalid", message=message, seconds=watch.seconds())
    except LimitReached as error:
        return Result("unknown", complete=False, message=str(error), seconds=watch.seconds())
    (result,) = solve_problems([problem], solvers, settings, [watch.spent()])
    return result


def _with_caret(error: InputError, data: bytes) -> str:
    """What is wrong, and the place in its line, if there is one."""
    from pipeline.explain import caret, line_at  # noqa: PLC0415 - seldom needed

    if isinstance(error, InvalidPuzzle) and error.line and error.column:
        line = line_at(data, error.line)
        if line is not None:
            shown = caret(line, error.column).replace("\n", "\n    ")
            return f"{error}\n    {shown}"
    return str(error)


def _print_result(before: str, result: Result) -> None:
    """The verdict and the solutions, on standard output."""
    problem = result.problem
    if isinstance(problem, FormulaProblem):
        for model in result.solutions:
            print(before, *problem.text(model), sep="", end="")
        if not result.solutions:
            print(f"{before}s {'UNSATISFIABLE' if result.complete else 'UNKNOWN'}")
    elif result.status == "unsolvable":
        print(f"{before}no solution")
        if result.message:
            print(result.message)
        if result.conflict and isinstance(problem, PuzzleProblem):
            from pipeline.explain import marked_grid  # noqa: PLC0415 - seldom needed

            print(marked_grid(problem.puzzle, result.conflict.places()))
    elif result.solutions and problem:
        print(f"{before}solution exists")
        if sys.stdout.isatty():
            from pipeline.explain import boxed_grid  # noqa: PLC0415 - seldom needed

            signs = signs_of(problem.format)
            shown = [boxed_grid(grid, signs) + "\n" for grid in result.solutions]
        else:
            shown = ["".join(problem.text(grid)) for grid in result.solutions]
        print("\n".join(shown), end="")


def _draw(target: Path, name: str, result: Result) -> None:
    """Write the puzzle and what was found as SVG. Raises InputError for what is not drawn."""
    from pipeline.report import LARGEST_DRAWN, Board, board_svg  # noqa: PLC0415 - slow to load

    if result.status == "invalid":
        return  # which has been said
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        raise InputError(f"{name}: it is no puzzle that could be drawn")
    board = Board(
        problem.puzzle,
        result.solutions[0] if result.solutions else None,
        result.conflict.places() if result.conflict else (),
        result.difference.cells if result.difference else (),
        signs_of(problem.format),
    )
    if not board.is_drawable:
        raise InputError(f"{name}: more than {LARGEST_DRAWN}×{LARGEST_DRAWN} cells are not drawn")
    title = f"{name}: {result.status}"
    write_to(target, [board_svg(board, title, "b", alone=True), "\n"])


def _explain(name: str, result: Result, settings: Settings) -> None:
    """What else is to be said of a result, on standard error."""
    if result.status == "invalid":
        report(str(result.message))
    elif not result.complete and result.status != "solved":
        report(f"{name}: {result.status}: {result.said}")
    elif result.status == "multiple" and not settings.quiet:
        report(f"{name}: these are all {len(result.solutions)} solutions")
    if result.disagreement and result.complete and result.solutions:
        report(f"{name}: {result.disagreement}")
    if result.difference and isinstance(result.problem, PuzzleProblem) and not settings.quiet:
        report(f"{name}: {_decisive(result.difference)}")
        from pipeline.explain import marked_grid  # noqa: PLC0415 - seldom needed

        report(marked_grid(result.problem.puzzle, result.difference.cells))
    if not settings.quiet:
        _say_evidence(name, result)
    if result.solver and (why := result.solver.warning):
        report(f"{name}: {why}; {result.solver.name} solved it")


def _say_evidence(name: str, result: Result) -> None:
    """Whether there is a proof, where one was asked for."""
    found = result.certificate
    if found and found.complete == "proved":
        steps = counted(found.steps or 0, "step")
        report(f"{name}: proved by {found.solver} in {steps}, checked by {found.checker}")
    elif found and found.reason and result.complete:
        report(f"{name}: not proved: {found.reason}")


def _decisive(difference: Difference) -> str:
    """What would leave a single solution."""
    cells = len(difference.cells)
    clues = ", ".join(
        f"{clue.value} in row {clue.row}, column {clue.column}" for clue in difference.decisive
    )
    return f"they differ in {cells} cells; of those found one alone has {clues}"


@takes(*SOLVING, *READING, "quiet")
def count(
    file: File,
    settings: Settings,
    *,
    show: Annotated[bool, typer.Option("--print", help="Print each as it is found.")] = False,
) -> None:
    """Count the solutions of a puzzle, up to --max-solutions.

    sudoku-pipeline count --max-solutions 1000 examples/classic.sudoku

    cat examples/six.txt | sudoku-pipeline count --print -
    """
    with Solvers(settings.solver, settings.minisat) as solvers:
        _say_lacking(solvers, settings)
        data, watch = read_bytes(file, settings.max_bytes), Stopwatch()
        try:
            with watch.timing("parse"):
                problem = read_problem(data, source_name(file), settings)
        except InvalidPuzzle as error:
            raise InputError(_with_caret(error, data)) from error
        settings = replace(settings, max_solutions=settings.limit)  # of a formula too

        def print_solution(solution: Any) -> None:
            print("".join(problem.text(solution)), flush=True)

        on_solution = print_solution if show else None
        result: Result = solve_one(problem, solvers, settings, watch, on_solution)
    _print_count(file, result, settings)


def _print_count(file: Path, result: Result, settings: Settings) -> NoReturn:
    """Print how many solutions there are, and exit."""
    if result.status == "failed":
        raise SolverError(result.message)
    if result.status == "invalid":
        raise InputError(result.message)
    found = len(result.solutions)
    print(found if result.complete else f">={found}")
    if result.message and found < settings.limit and not result.complete:
        report(f"{source_name(file)}: {result.message}")
    if not settings.quiet:
        _say_evidence(source_name(file), result)
    raise typer.Exit(SOME_BAD if result.status in NOT_WELL else ALL_WELL)
