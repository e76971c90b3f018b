"""Commands on single puzzles: solve, count, sheet, encode, decode."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline.cli.options import READING, SOLVING, File, Files, Force, takes
from pipeline.settings import NumberingChoice, Settings

Empty = Annotated[
    str | None, typer.Option("--empty", metavar="HxW", help="An empty grid with boxes of HxW.")
]
Numbering = Annotated[
    NumberingChoice,
    typer.Option("--numbering", help="Variables without gaps, or as the digits rcv."),
]


@takes(*SOLVING, *READING, "also", "quiet")
def solve(  # noqa: PLR0913 - one for each option
    files: Files,
    settings: Settings,
    *,
    times: Annotated[bool, typer.Option("--times", help="Add a table of run times.")] = False,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw the puzzle in this file; - is stdout."),
    ] = None,
    puzzle_only: Annotated[
        bool, typer.Option("--puzzle-only", help="Draw the puzzle without its solution.")
    ] = False,
    force: Force = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record of each, with its solutions, as JSON.")
    ] = False,
) -> None:
    """Solve puzzles and print their solutions.

    Of a file of many puzzles each has a line.

    sudoku-pipeline solve examples/classic.sudoku

    sudoku-pipeline solve examples/collection.txt

    sudoku-pipeline solve --times examples/*.sudoku

    sudoku-pipeline solve --svg classic.svg examples/classic.sudoku

    sudoku-pipeline solve --svg - --puzzle-only examples/classic.sudoku

    sudoku-pipeline solve --json examples/six.txt | jq .certificate

    sudoku-pipeline solve --also minimal,effort examples/line.sdm

    cat examples/line.sdm | sudoku-pipeline solve -
    """
    from pipeline.cli import answers

    drawing = answers.Drawing(svg, puzzle_only, force)
    answers.solve(files, settings, times=times, drawing=drawing, as_json=as_json)


@takes(*SOLVING, *READING, "quiet")
def count(
    file: File,
    settings: Settings,
    *,
    show: Annotated[bool, typer.Option("--print", help="Print each as it is found.")] = False,
) -> None:
    """Count the solutions of puzzles, up to --max-solutions of each.

    sudoku-pipeline count --max-solutions 1000 examples/classic.sudoku

    cat examples/six.txt | sudoku-pipeline count --print -
    """
    from pipeline.cli import answers

    answers.count(file, settings, show=show)


@takes("inbox", *SOLVING, *READING, "quiet")
def sheet(  # noqa: PLR0913 - one for each option
    sources: Annotated[
        list[Path],
        typer.Argument(help="Puzzles, collections, archives, an outbox, records; - is stdin."),
    ],
    settings: Settings,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write: a new sheet.html, or sheet-2.html, here; - is standard output.",
        ),
    ] = None,
    force: Force = False,
    per_page: Annotated[
        Literal["1", "2", "4", "6", "9", "12"],
        typer.Option("--per-page", help="Puzzles on a page; fewer of large ones."),
    ] = "4",
    no_solutions: Annotated[
        bool, typer.Option("--no-solutions", help="Leave out the solutions; nothing is solved.")
    ] = False,
    first: Annotated[
        int | None,
        typer.Option("--first", metavar="N", help="Only the first N puzzles, up to 1,000."),
    ] = None,
) -> None:
    """Make pages of puzzles to print, their solutions behind.

    Files are solved as `solve` does. An outbox, a record or a table has its solutions; the
    puzzles of records are read from their originals, in done in the inbox.

    sudoku-pipeline sheet examples/collection.txt

    sudoku-pipeline sheet --per-page 2 -o big.html examples/*.sudoku

    sudoku-pipeline sheet --no-solutions --first 12 --per-page 12 outbox/collection.csv

    Exit code 1: something was not drawn, or a solution was not found.
    """
    from pipeline.cli import sheet as commands

    commands.sheet(
        sources,
        settings,
        output=output,
        force=force,
        per_page=int(per_page),
        solutions=not no_solutions,
        first=first,
    )


@takes("encoding", *READING, encoding="extended")
def encode(
    settings: Settings,
    file: Annotated[Path | None, typer.Argument(help="A puzzle file; - is stdin.")] = None,
    empty: Empty = None,
    numbering: Numbering = "dense",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write there, not to standard output.")
    ] = None,
    force: Force = False,
) -> None:
    """Write a puzzle as a DIMACS CNF.

    sudoku-pipeline encode examples/classic.sudoku -o classic.cnf

    sudoku-pipeline encode --empty 3x3 --encoding textbook --numbering decimal
    """
    from pipeline.cli import formulas

    formulas.encode(settings, file, empty, numbering, output, force=force)


@takes("encoding", *READING, encoding="extended")
def decode(
    settings: Settings,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="[PUZZLE] RESULT", help="The puzzle, or --empty; what was found."),
    ],
    empty: Empty = None,
    numbering: Numbering = "dense",
) -> None:
    """Turn a solver's result file into the grid it stands for.

    The result is minisat's, or has the SAT competition's s and v lines. --encoding and
    --numbering must be those with which the CNF was made.

    sudoku-pipeline decode examples/classic.sudoku classic.out

    sudoku-pipeline decode --empty 3x3 --numbering decimal empty.out
    """
    from pipeline.cli import formulas

    formulas.decode(settings, files, empty, numbering)
