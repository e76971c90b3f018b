"""Commands on whole collections: generate, dedupe, overlap."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import READING, Files, Force, takes
from pipeline.settings import Settings

Table = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="Where to write the table: beside -o NAME.txt it is NAME.csv; - is standard output.",
    ),
]


@takes("quiet")
def generate(  # noqa: PLR0913 - one for each option
    count: Annotated[int, typer.Argument(metavar="N", help="How many puzzles.")],
    settings: Settings,
    *,
    givens: Annotated[
        str | None,
        typer.Option("--givens", metavar="RANGE", help="How many clues, such as 24 or 22-26."),
    ] = None,
    redundant: Annotated[
        bool,
        typer.Option("--redundant", help="Leave in clues that could go, as many as --givens says."),
    ] = False,
    depth: Annotated[
        str | None,
        typer.Option(
            "--depth",
            metavar="RANGE",
            help="The depth of trial and error, 0 to 2; next to no puzzle is of depth 2.",
        ),
    ] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="Clues look the same after half a turn.")
    ] = False,
    even_odd: Annotated[
        bool, typer.Option("--even-odd", help="With cells that are marked as even or odd.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="NUMBER", help="Another one gives other puzzles.")
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the collection there, not to standard output.",
        ),
    ] = None,
    table: Table = None,
    force: Force = False,
) -> None:
    """Generate classic puzzles of 9×9, each with one solution, which is certified.

    They are minimal unless --redundant is given: without any of its clues a puzzle has several
    solutions. The same options and seed give the same puzzles. The table has their solutions and
    certificates.

    sudoku-pipeline generate 10

    sudoku-pipeline generate 100 --symmetric --givens 24-26 --seed 7 -o hundred.txt

    sudoku-pipeline generate 10 --redundant --givens 30-34 --depth 0 -o easy.txt

    sudoku-pipeline generate 3 --even-odd

    Exit code 1: for a long time no puzzle was found that is as wished.
    """
    from pipeline.cli import catalogue

    wish = catalogue.wish_of(
        givens, depth, redundant=redundant, symmetric=symmetric, marks=even_odd
    )
    catalogue.generate(count, settings, wish, seed, output=output, table=table, force=force)


@takes(*READING, "max_total_bytes", "quiet")
def dedupe(
    sources: Files,
    settings: Settings,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the first of each class there, not to standard output.",
        ),
    ] = None,
    table: Table = None,
    force: Force = False,
) -> None:
    """Find puzzles that are equivalent to an earlier one, and write the first of each class.

    Equivalent are classic puzzles of 9×9 that are the same when relabelled, turned, or with bands,
    rows, stacks and columns permuted. Other puzzles are left out, and named.

    sudoku-pipeline dedupe examples/collection.txt

    sudoku-pipeline dedupe -o all.txt --table copies.csv examples/line.sdm examples/collection.txt

    cat examples/collection.txt | sudoku-pipeline dedupe -

    Exit code 1: something was left out.
    """
    from pipeline.cli import catalogue

    catalogue.dedupe(sources, settings, output=output, table=table, force=force)


@takes(*READING, "max_total_bytes", "quiet")
def overlap(
    known: Annotated[
        Path, typer.Argument(metavar="A", help="What is known, such as a training set.")
    ],
    asked: Annotated[
        Path, typer.Argument(metavar="B", help="What is asked about, such as a test set.")
    ],
    settings: Settings,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="TABLE",
            help="Also write a table of these puzzles there; - is standard output.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Tell which puzzles of B are equivalent to one of A.

    Equivalent means the same as for `dedupe`.

    sudoku-pipeline overlap examples/collection.txt examples/line.sdm

    sudoku-pipeline overlap -o overlap.csv examples/collection.txt examples/line.sdm

    Exit code 1: some are equivalent, or something was left out.
    """
    from pipeline.cli import catalogue

    catalogue.overlap(known, asked, settings, output=output, force=force)
