"""The commands without folders: solve, count, encode, decode, certify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.certify import certify_grid
from pipeline.cli.options import READING, SOLVING, File, takes
from pipeline.cli.outcome import ALL_WELL, BAD_INPUT, report
from pipeline.cli.reading import (
    STANDARD_INPUT,
    empty_puzzle,
    read_bytes,
    read_grid,
    read_puzzle,
    source_name,
)
from pipeline.cli.times import times_table
from pipeline.cnf import Sat, Unknown, Unsat
from pipeline.decode import decode_model
from pipeline.dimacs import dimacs_lines, parse_result
from pipeline.encode import Style, encode_puzzle
from pipeline.errors import InputError, SolverError, printable
from pipeline.parse import Parsed, render_puzzle
from pipeline.puzzle import Puzzle
from pipeline.record import render_solution, solution_texts
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.stages import Result, Stopwatch, solve_parsed

Files = Annotated[list[Path], typer.Argument(help="Puzzle files; - is standard input.")]
Empty = Annotated[
    str | None, typer.Option("--empty", metavar="HxW", help="An empty grid with boxes of HxW.")
]
Numbering = Annotated[
    Style, typer.Option("--numbering", help="Variables without gaps, or as the digits rcv.")
]
LARGEST_RESULT = 1 << 30


@takes(*SOLVING, *READING, "quiet")
def solve(
    files: Files,
    settings: Settings,
    *,
    times: Annotated[bool, typer.Option("--times", help="Add a table of run times.")] = False,
) -> None:
    """Solve puzzle files and print their solutions.

    sudoku-pipeline solve examples/classic.txt

    sudoku-pipeline solve --times examples/*.txt

    cat examples/line.txt | sudoku-pipeline solve -
    """
    code = ALL_WELL
    results: list[tuple[str, Result]] = []
    with Solvers(settings.solver, settings.minisat) as solvers:
        _say_lacking(solvers, settings)
        for file in files:
            name = source_name(file)
            result = _solve_file(file, solvers, settings)
            _print_result(name if len(files) > 1 else None, name, result, settings)
            results.append((name, result))
            if result.status in BAD_INPUT:
                code = 1
    if times:
        times_table(results)
    raise typer.Exit(code)


def _say_lacking(solvers: Solvers, settings: Settings) -> None:
    if solvers.lacking and not settings.quiet:
        report(f"{solvers.lacking}: PySAT solves instead")


def _solve_file(file: Path, solvers: Solvers, settings: Settings) -> Result:
    watch = Stopwatch()
    try:
        with watch.timing("parse"):
            parsed = read_puzzle(file, settings)
    except InputError as error:
        return Result("invalid", message=str(error), seconds=watch.seconds())
    return solve_parsed(parsed, solvers, settings, watch)


def _print_result(title: str | None, name: str, result: Result, settings: Settings) -> None:
    """The verdict and the solutions on standard output, whatever else on standard error."""
    before = f"{printable(title)}: " if title else ""
    name = printable(name)
    match result.status:
        case "invalid":
            report(result.message or "")
        case "unsolvable":
            print(f"{before}no solution")
            if result.message:
                print(result.message)
        case _ if result.solutions:
            print(f"{before}solution exists")
            print("\n".join(solution_texts(result)), end="")
            if len(result.solutions) > 1 and result.complete and not settings.quiet:
                report(f"{name}: these are all {len(result.solutions)} solutions")
            if not result.complete:
                why = result.message or "--max-solutions was reached"
                report(f"{name}: there may be more solutions: {why}")
        case _:
            report(f"{name}: {result.status}: {result.message}")
    if result.solver and result.solver.fallback and "not installed" not in result.solver.fallback:
        report(f"{name}: {result.solver.fallback}; PySAT solved it")


@takes(*SOLVING, *READING, "quiet")
def count(
    file: File,
    settings: Settings,
    *,
    show: Annotated[bool, typer.Option("--print", help="Print each as it is found.")] = False,
) -> None:
    """Count the solutions of a puzzle, up to --max-solutions.

    sudoku-pipeline count --max-solutions 1000 examples/even-odd-six.txt

    sudoku-pipeline count --print -
    """
    with Solvers(settings.solver, settings.minisat) as solvers:
        _say_lacking(solvers, settings)
        parsed = read_puzzle(file, settings)
        result = solve_parsed(
            parsed,
            solvers,
            settings,
            Stopwatch(),
            (lambda grid: print(render_solution(grid, parsed.format), flush=True))
            if show
            else None,
        )
    if result.status == "failed":
        raise SolverError(result.message)
    print(f"{'' if result.complete else '>='}{len(result.solutions)}")
    if result.message and not result.complete:
        report(f"{printable(source_name(file))}: {result.message}")
    raise typer.Exit(1 if result.status in BAD_INPUT else ALL_WELL)


@takes("encoding", *READING, encoding="extended")
def encode(
    settings: Settings,
    file: Annotated[Path | None, typer.Argument(help="A puzzle file; - is stdin.")] = None,
    empty: Empty = None,
    numbering: Numbering = "dense",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write there, not to standard output.")
    ] = None,
) -> None:
    """Write a puzzle as a DIMACS CNF.

    sudoku-pipeline encode examples/classic.txt -o classic.cnf

    sudoku-pipeline encode --empty 3x3 --encoding textbook --numbering decimal
    """
    if (file is None) == (empty is None):
        raise typer.BadParameter("give either a puzzle file or --empty")
    puzzle = empty_puzzle(empty) if empty else read_puzzle(_named(file), settings).puzzle
    lines = dimacs_lines(encode_puzzle(puzzle, settings.encoding, numbering))
    if output is None or output == STANDARD_INPUT:
        sys.stdout.writelines(lines)
    else:
        with output.open("w", encoding="ascii") as stream:
            stream.writelines(lines)


def _named(file: Path | None) -> Path:
    if file is None:
        raise typer.BadParameter("a file is missing")
    return file


@takes("encoding", *READING, encoding="extended")
def decode(
    settings: Settings,
    files: Annotated[list[Path], typer.Argument(metavar="[PUZZLE] RESULT")],
    empty: Empty = None,
    numbering: Numbering = "dense",
) -> None:
    """Turn a solver's result file into the grid it stands for.

    The result is minisat's, or has the SAT competition's s and v lines. --encoding and
    --numbering are those that the CNF was made with.

    sudoku-pipeline decode examples/classic.txt classic.out

    sudoku-pipeline decode --empty 3x3 --numbering decimal empty.out
    """
    if len(files) != (1 if empty else 2):
        raise typer.BadParameter("give PUZZLE and RESULT, or --empty and RESULT")
    parsed = _empty_parsed(empty_puzzle(empty)) if empty else read_puzzle(files[0], settings)
    text = read_bytes(files[-1], LARGEST_RESULT).decode("ascii", errors="replace")
    match parse_result(text):
        case Sat(model):
            cnf = encode_puzzle(parsed.puzzle, settings.encoding, numbering)
            grid = decode_model(model, cnf)
            violations = certify_grid(parsed.puzzle, grid)
            if violations:
                raise SolverError(f"not a solution of this puzzle: {violations[0]}")
            print(render_solution(grid, parsed.format), end="")
        case Unsat():
            print("no solution")
        case Unknown(reason):
            raise SolverError(f"the result tells nothing: {reason}")


def _empty_parsed(puzzle: Puzzle) -> Parsed:
    """An empty puzzle, as if read from a file: as a grid where that has signs for it."""
    try:
        render_puzzle(puzzle, "grid")
    except ValueError:
        return Parsed(puzzle, "boxes", "", "classic")
    return Parsed(puzzle, "grid", "", "classic")


@takes(*READING)
def certify(
    puzzle: Annotated[Path, typer.Argument(help="The puzzle; - is standard input.")],
    solutions: Annotated[list[Path], typer.Argument(help="Filled grids to check.")],
    settings: Settings,
) -> None:
    """Check solutions against a puzzle, from the rules alone.

    sudoku-pipeline certify examples/classic.txt outbox/classic_1.solution
    """
    code = ALL_WELL
    wanted = read_puzzle(puzzle, settings).puzzle
    for file in solutions:
        before = f"{printable(source_name(file))}: " if len(solutions) > 1 else ""
        try:
            lines = [
                str(violation) for violation in certify_grid(wanted, read_grid(file, settings))
            ]
        except InputError as error:
            lines = [str(error)]
        print("\n".join(f"{before}{line}" for line in lines or ["valid"]))
        code = 1 if lines else code
    raise typer.Exit(code)
