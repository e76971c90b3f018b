"""Commands that check and show what was published: certify, audit, proof, report, schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import READING, Force, takes
from pipeline.settings import Settings, environment_name

Originals = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FOLDER", help="Folders of originals, like the default: done in the inbox."
    ),
]
LratChecker = Annotated[
    str | None,
    typer.Option(
        "--checker",
        metavar="PROGRAM",
        help="Have another checker of LRAT confirm each proof: cake_lpr or lrat-check.",
    ),
]


@takes(*READING)
def certify(
    puzzle: Annotated[Path, typer.Argument(help="The puzzle, or formula; - is standard input.")],
    solutions: Annotated[list[Path], typer.Argument(help="Filled grids, or models, to check.")],
    settings: Settings,
) -> None:
    """Check solutions of a puzzle, or models of a formula.

    It looks at nothing but the rules, or the clauses.

    sudoku-pipeline certify examples/classic.sudoku outbox/classic_1.solution

    sudoku-pipeline certify examples/colours.cnf outbox/colours_1.solution
    """
    from pipeline.cli import formulas

    formulas.certify(puzzle, solutions, settings)


@takes("inbox", "max_bytes", "max_total_bytes", "timeout", "memory_limit", "quiet")
def audit(
    settings: Settings,
    outbox: Annotated[
        Path,
        typer.Argument(envvar=environment_name("outbox"), show_envvar=False, help="What to audit."),
    ] = Path("outbox"),
    *,
    originals: Originals = None,
    checker: LratChecker = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Check an outbox from its files alone.

    It checks solutions, that they are all, counts and proofs.

    A job is ok, BAD, or unchecked if its original is gone or time was too short.
    --timeout is for one proof, one search for more solutions, one conflict or one difference.

    sudoku-pipeline audit

    sudoku-pipeline audit outbox --originals inbox/done --json

    Exit code 1: something is wrong, or could not be checked.
    """
    from pipeline.cli import outbox as commands

    commands.audit(settings, outbox, originals=originals, as_json=as_json, checker=checker)


@takes("inbox", "max_bytes", "max_total_bytes", "timeout", "memory_limit", "quiet")
def proof(
    settings: Settings,
    path: Annotated[
        Path,
        typer.Argument(metavar="RECORD|TABLE", help="NAME.json, or NAME.csv of a collection."),
    ],
    indices: Annotated[
        list[int] | None,
        typer.Argument(metavar="INDEX", help="Rows of the table; by default all, up to 1,000."),
    ] = None,
    *,
    originals: Originals = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where to write, by default here.",
        ),
    ] = None,
    checker: LratChecker = None,
) -> None:
    """Prove that published solutions are all, for other checkers.

    For each claim, however it was certified, writes the formula that there is another solution,
    NAME.proof.cnf, and a refutation of it, NAME.proof.drat, with hints in NAME.proof.lrat: made
    now, and checked.

    sudoku-pipeline proof outbox/classic.json

    sudoku-pipeline proof outbox/collection.csv 1 5 -o proofs

    If the original of a table is gone, its puzzles are taken from the table, with a warning.

    Exit code 1: there is another solution, or no proof was found in time, or no original of a
    record.
    """
    from pipeline.cli import proofs

    proofs.proof(settings, path, indices or [], originals=originals, output=output, checker=checker)


@takes("inbox", "quiet")
def report(
    settings: Settings,
    outbox: Annotated[
        Path,
        typer.Argument(
            envvar=environment_name("outbox"), show_envvar=False, help="What to report."
        ),
    ] = Path("outbox"),
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write the page: report.html in the outbox; - is standard output.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Make a page that shows an outbox: totals, times, jobs, boards.

    The page is self-contained, but its links lead to the files of the outbox. It replaces the
    report.html that is in the outbox; a file named with -o only with --force.

    sudoku-pipeline report

    sudoku-pipeline report outbox -o report.html
    """
    from pipeline.cli import outbox as commands

    commands.report(settings, outbox, output=output, force=force)


def schema() -> None:
    """Print the JSON Schema of the record, name.json.

    docs/reference/published.md says the same in words, and describes tables and logs too.

    sudoku-pipeline schema
    """
    from pipeline.cli import outbox

    outbox.schema()
