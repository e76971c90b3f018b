"""Commands on whole collections: convert, generate, dedupe."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pipeline.cli.options import (
    READING,
    SOLVING,
    FilesArgument,
    ForceOption,
    Output,
    check_json,
    json_option,
    output_option,
    say_renamed,
    takes,
)
from pipeline.errors import UsageError, counted, printable
from pipeline.service.exits import ALL_WELL, SOME_BAD
from pipeline.settings import Level, Settings

MOST = 100_000_000
TableOption = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help=(
            "Where to write the table: beside -o NAME.txt it is NAME.csv; - is standard output. "
            "A name that ends in .parquet makes it Parquet."
        ),
    ),
]


CopiesAsJson = Annotated[
    bool, json_option("source, line, first_source, first_line of each equivalent puzzle")
]


@takes(
    *("inbox", *READING, "max_total_bytes", "max_members", "quiet"),
    *(name for name in SOLVING if name != "max_solutions"),
)
def convert(  # noqa: PLR0913 - one for each option
    files: FilesArgument,
    settings: Settings,
    *,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=(
                "lines, csv, grid, ss, sdk, opensudoku, hodoku, boxes, bordered, spreadsheet, "
                "json, pencil-marks, f-puzzles, f-puzzles-link, sudokupad-link, iss, svg, png or "
                "pdf; not needed if the ending after -o says it."
            ),
        ),
    ] = None,
    output: Annotated[
        str | None,
        output_option(
            "Write there, not to standard output; FOLDER/ takes a file for each puzzle.", "PATH"
        ),
    ] = None,
    solutions: Annotated[
        bool,
        typer.Option(
            "--solutions", help="Write the solutions; f-puzzles and CSV hold the puzzles as well."
        ),
    ] = False,
    force: ForceOption = False,
    as_json: Annotated[
        bool,
        json_option(
            "file and puzzles of each file; without -o source, line and text of each puzzle; "
            "source, line and reason of each that is not converted"
        ),
    ] = False,
) -> None:
    """Write puzzles, or their solutions, in another notation, or draw them.

    An outbox, a record or a table has its solutions already; other puzzles are solved. A puzzle
    that the notation cannot say is refused by the name of the reason, such as a rule. Each text is
    read again and compared.

    sudoku-pipeline convert --to f-puzzles-link examples/killer.txt

    sudoku-pipeline convert -o solved.csv --solutions examples/line.sdm

    sudoku-pipeline convert -o classic.sdk examples/classic.sudoku

    sudoku-pipeline convert -o killer.svg examples/killer.txt

    sudoku-pipeline convert -o boards.pdf examples/collection.txt

    sudoku-pipeline convert -o boards/ --to svg examples/collection.txt

    Exit code 1: a puzzle was not converted.
    """
    from pipeline.cli import converting
    from pipeline.cli.files import STANDARD_OUTPUT, check_target, is_shown, sources_of

    target = Path(output) if output else STANDARD_OUTPUT
    is_folder = target.is_dir() or (output or "").endswith("/")
    name = converting.target_meant(to, target)
    if not is_folder:
        check_target("--output", target, files, force=force)
    if name in ("png", "pdf") and (is_shown(target) or (as_json and not output)):
        raise UsageError(f"--output: say where to write the {name.upper()}")
    check_json(output, as_json=as_json)
    out = Output(as_json, settings.quiet)
    run = converting.Converting(name, settings, out, solutions=solutions, target=target)
    with sources_of(files, settings) as sources:
        if is_folder:
            converting.to_folder(run, sources, target, force=force)
        elif as_json and not output:
            converting.to_programs(run, sources)
        else:
            converting.to_file(run, sources, target)
    if output and run.done and not as_json:
        out.wrote(output, f": {counted(run.done, 'puzzle')} as {name}")
    raise typer.Exit(SOME_BAD if run.left else ALL_WELL)


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
            help="The depth of trial and error, 0 to 2; puzzles of depth 2 are very rare.",
        ),
    ] = None,
    difficulty: Annotated[
        Level | None,
        typer.Option(
            "--difficulty",
            metavar="LEVEL",
            help="The level of the steps that solve it: easy, medium, hard, unfair or extreme.",
        ),
    ] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="Clues look the same after half a turn.")
    ] = False,
    even_odd: Annotated[
        bool, typer.Option("--even-odd", help="With cells that are marked as even or odd.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            help="The same seed gives the same puzzles; by default it is random, and printed.",
        ),
    ] = None,
    output: Annotated[
        Path | None, output_option("Write the collection there, not to standard output.")
    ] = None,
    table: TableOption = None,
    force: ForceOption = False,
    as_json: Annotated[
        bool,
        json_option("index, puzzle, givens, solution, certificate, nodes, effort, rating, seed"),
    ] = False,
) -> None:
    """Generate classic puzzles of 9×9, each with one solution, which is certified.

    Each clue is needed, unless --redundant is given. The same options and seed give the same
    puzzles, without --seed other ones each time. The table has their solutions and certificates.

    sudoku-pipeline generate 10

    sudoku-pipeline generate 99 --symmetric --givens 24-26 --seed 7 -o many.txt

    sudoku-pipeline generate 10 --redundant --givens 30-34 --depth 0 -o easy.txt

    sudoku-pipeline generate 6 --difficulty hard -o hard.txt

    sudoku-pipeline generate 3 --even-odd

    Exit code 1: for a long time no puzzle was found that fits the options.
    """
    from pipeline.cli import catalogue
    from pipeline.cli.files import STANDARD_OUTPUT, check_targets
    from pipeline.service.log import Display

    wish = catalogue.wish_of(
        givens, depth, difficulty, redundant=redundant, symmetric=symmetric, marks=even_odd
    )
    if not 1 <= count <= MOST:
        raise UsageError(f"N: expected 1 to {MOST:,}")
    if seed is not None and seed < 0:
        raise UsageError(f"--seed: expected 0 or more, found {seed}")
    target, beside = _targets_of(output, table, is_printed=not as_json, as_json=as_json)
    check_targets({"--output": target, "--table": beside}, [], force=force)
    out, display = Output(as_json, settings.quiet), Display(None, bar=not settings.quiet)
    if seed is None:
        seed = secrets.randbelow(10**9)
        out.note(f"--seed {seed} gives the same puzzles again", aside=True)
    made, ended = catalogue.write_generated(wish, seed, count, (target, beside), display, out)
    is_file = output not in (None, STANDARD_OUTPUT)
    if is_file or ended:
        name = f"{printable(str(target))}: " if is_file else ""
        number = f"{made:,} of " if ended else ""
        number += counted(count, "puzzle", ",")
        said = "each with one solution, as a search through everything has shown"
        out.note(f"{name}{number}, {said}", aside=bool(ended))
    if ended:
        raise ended


@takes(*READING, "max_total_bytes", "max_members", "quiet")
def dedupe(  # noqa: PLR0913 - one for each option
    sources: FilesArgument,
    settings: Settings,
    *,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FILE",
            help="Find the puzzles that are equivalent to one of this file, folder or archive.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write the first of each class there, not to standard output; with --against the "
            "puzzles that FILE lacks."
        ),
    ] = None,
    table: TableOption = None,
    force: ForceOption = False,
    as_json: CopiesAsJson = False,
) -> None:
    """Find equivalent puzzles, and write the first of each class.

    Two classic 9×9 puzzles are equivalent if relabelling the digits, turning the grid, and
    permuting bands, rows, stacks and columns turns one into the other. Other puzzles are left out,
    each with a message.

    sudoku-pipeline dedupe examples/collection.txt

    sudoku-pipeline dedupe -o all.txt examples/line.sdm examples/collection.txt

    sudoku-pipeline dedupe --against examples/collection.txt examples/line.sdm

    cat examples/collection.txt | sudoku-pipeline dedupe -

    Exit code 1: something was left out, or with --against there are equivalent puzzles.
    """
    from pipeline.catalogue import comparing
    from pipeline.cli import catalogue
    from pipeline.cli.files import STANDARD_OUTPUT, check_targets, growing, is_shown, sources_of
    from pipeline.service.log import Display

    is_printed = not (as_json or against)
    target, beside = _targets_of(output, table, is_printed=is_printed, as_json=as_json)
    inputs = [against, *sources] if against else sources
    check_targets({"--output": target, "--table": beside}, inputs, force=force)
    out = Output(as_json, settings.quiet)
    if against:
        _compare(against, sources, settings, (target, beside), out)
    display = Display(None, bar=not settings.quiet and not is_shown(target))
    tally = comparing.Tally()
    catalogue.ticking(display, tally)
    with sources_of(sources, settings) as named, growing(target) as kept:
        found = comparing.dedupe(named, settings, kept, tally)
        catalogue.write_copies(beside, found, display, out)
    aside = STANDARD_OUTPUT in (target, beside)
    classes = "1 class" if tally.classes == 1 else f"{tally.classes:,} classes"
    is_kept = output and output != STANDARD_OUTPUT
    where = f": {printable(str(target))} has the first" if is_kept else ""
    where += " of each" if where and tally.classes > 1 else ""
    out.note(f"{counted(tally.puzzles, 'puzzle', ',')} in {classes}{where}", aside=aside)
    text = "which are equivalent to an earlier one, and to which"
    catalogue.note_written(beside, tally.copies, text, out, aside=aside)
    raise typer.Exit(SOME_BAD if tally.left else ALL_WELL)


def _targets_of(
    output: Path | None, table: Path | None, *, is_printed: bool, as_json: bool
) -> tuple[Path, Path | None]:
    """Where the collection goes, and its table; by default it is printed. Raises UsageError."""
    from pipeline.cli.catalogue import table_beside
    from pipeline.cli.files import COLLECTIONS, STANDARD_OUTPUT, TABLES, check_ending

    target = output or (STANDARD_OUTPUT if is_printed else Path(os.devnull))
    beside = table_beside(target, table) if output or is_printed else table
    if as_json and STANDARD_OUTPUT in (target, beside):
        raise UsageError("--json is for standard output; name files with -o and --table")
    check_ending("--output", target, COLLECTIONS)
    if beside:
        check_ending("--table", beside, TABLES)
    return target, beside


def _compare(
    known: Path,
    sources: list[Path],
    settings: Settings,
    targets: tuple[Path, Path | None],
    out: Output,
) -> NoReturn:
    """Find the puzzles of the sources that `known` has, too; write those that it lacks."""
    from pipeline.catalogue import comparing
    from pipeline.cli import catalogue
    from pipeline.cli.files import STANDARD_OUTPUT, growing, is_shown, source_name, sources_of
    from pipeline.service.log import Display

    target, beside = targets
    display = Display(None, bar=not out.quiet and not is_shown(target))
    tallies = theirs, ours = comparing.Tally(), comparing.Tally()
    catalogue.ticking(display, theirs, ours)
    with sources_of([known, *sources], settings) as (first, *others), growing(target) as kept:
        found = comparing.overlap([first], others, settings, kept, tallies)
        copies = catalogue.write_copies(beside, found, display, out)
    named = ", ".join(map(source_name, sources))
    verdict = f"{ours.copies:,} of {counted(ours.puzzles, 'puzzle', ',')} of {named}"
    verdict += " is" if ours.copies == 1 else " are"
    verdict += (
        f" equivalent to one of {counted(theirs.puzzles, 'puzzle', ',')} of {source_name(known)}"
    )
    aside = STANDARD_OUTPUT in (target, beside)
    Output(out.as_json).note(
        f"{'overlap' if ours.copies else 'no overlap'}: {verdict}", aside=aside
    )
    text = "which these are, and to which they are equivalent"
    catalogue.note_written(beside, ours.copies, text, out, aside=aside)
    if not (beside or out.as_json or out.quiet) and target != STANDARD_OUTPUT:
        catalogue.say_copies(copies, ours.copies)
    is_well = not (ours.copies or ours.left or theirs.left)
    raise typer.Exit(ALL_WELL if is_well else SOME_BAD)


@takes(*READING, "max_total_bytes", "max_members", "quiet")
def overlap(
    known: Annotated[Path, typer.Argument(metavar="A", help="The known puzzles.")],
    asked: Annotated[Path, typer.Argument(metavar="B", help="The puzzles to look for among them.")],
    settings: Settings,
    *,
    table: Annotated[
        Path | None,
        typer.Option("--table", "-o", metavar="FILE", help="As of `dedupe`."),
    ] = None,
    force: ForceOption = False,
    as_json: CopiesAsJson = False,
) -> None:
    """Do what `dedupe --against A B` does, until version 1.1."""
    from pipeline.cli.files import check_targets

    say_renamed("overlap A B", "dedupe --against A B")
    targets = _targets_of(None, table, is_printed=False, as_json=as_json)
    check_targets({"--table": table}, [known, asked], force=force)
    _compare(known, [asked], settings, targets, Output(as_json, settings.quiet))
