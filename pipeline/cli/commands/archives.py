"""Commands for collections: convert, generate, dedupe."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pipeline.cli.completion import complete_technique
from pipeline.cli.messages import say_renamed
from pipeline.cli.options import (
    READING_FIELDS,
    SOLVING_FIELDS,
    FilesArgument,
    ForceOption,
    Output,
    check_json,
    json_option,
    output_option,
    takes,
)
from pipeline.errors import UsageError, counted, printable
from pipeline.service.signals import EXIT_BAD_INPUT, EXIT_OK
from pipeline.settings import Level, Settings, TargetChoice

MAX_GENERATED = 100_000_000
"""Maximum number of puzzles that one command generates."""

TableOption = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help=(
            "Write the table to this file; - is standard output. The format is Parquet if the name "
            "ends in .parquet, else CSV. Default with -o NAME.txt: NAME.csv."
        ),
    ),
]


CopiesJsonOption = Annotated[
    bool, json_option("source, line, first_source and first_line of each equivalent puzzle")
]


@takes(
    *("inbox", *READING_FIELDS, "max_total_bytes", "max_members", "quiet"),
    *(name for name in SOLVING_FIELDS if name != "max_solutions"),
)
def convert(  # noqa: PLR0913 - one parameter per option
    files: FilesArgument,
    settings: Settings,
    *,
    to: Annotated[
        TargetChoice | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="The notation, such as csv, svg or f-puzzles-link; not needed if the file name "
            "after -o implies it. `doctor --formats` lists all.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        output_option(
            "Write to this file instead of standard output; FOLDER/: write one file per puzzle.",
            "PATH",
        ),
    ] = None,
    solutions: Annotated[
        bool,
        typer.Option(
            "--solutions", help="Write solutions; f-puzzles and CSV contain the puzzles as well."
        ),
    ] = False,
    force: ForceOption = False,
    as_json: Annotated[
        bool,
        json_option(
            "file and puzzles for each file, or without -o source, line and text for each puzzle; "
            "source, line and reason for each puzzle that was not converted"
        ),
    ] = False,
) -> None:
    """Convert puzzles or solutions to another notation, or draw them.

    Solutions in an outbox, a record or a table are reused; other puzzles are solved. A puzzle that
    the notation cannot express is rejected, with the reason. All output is read back and compared
    with the puzzle.

    sudoku-pipeline convert -o killer.svg examples/killer.txt

    sudoku-pipeline convert --to f-puzzles-link examples/killer.txt

    sudoku-pipeline convert -o solved.csv --solutions examples/line.sdm

    sudoku-pipeline convert -o classic.sdk examples/classic.sudoku

    sudoku-pipeline convert -o boards.pdf examples/collection.txt

    sudoku-pipeline convert -o boards/ --to svg examples/collection.txt

    Exit code 1: a puzzle could not be converted.
    """
    from pipeline.cli import converting
    from pipeline.cli.file_access import STANDARD_OUTPUT, check_target, goes_to_terminal, sources_of
    from pipeline.cli.guesses import check_is_no_target
    from pipeline.service.converting import NAMES, endings_of

    if output is None:
        check_is_no_target(files, {end for name in NAMES for end in endings_of(name)}, "convert")
    target = Path(output) if output else STANDARD_OUTPUT
    is_folder = target.is_dir() or (output or "").endswith("/")
    name = converting.target_notation(to, target)
    if not is_folder:
        check_target("--output", target, files, force=force)
    if name in ("png", "pdf") and (goes_to_terminal(target) or (as_json and not output)):
        raise UsageError(f"--output: {name.upper()} cannot be printed here; name a file")
    check_json(output, as_json=as_json)
    out = Output(as_json, settings.quiet)
    run = converting.Conversion(name, settings, out, solutions=solutions, target=target)
    with sources_of(files, settings) as sources:
        if is_folder:
            converting.write_folder(run, sources, target, force=force)
        elif as_json and not output:
            converting.print_objects(run, sources)
        else:
            converting.write_file(run, sources, target)
    if output and run.converted_count and not as_json:
        out.report_file(output, f": {counted(run.converted_count, 'puzzle')} as {name}")
    raise typer.Exit(EXIT_BAD_INPUT if run.skipped_count else EXIT_OK)


@takes("quiet")
def generate(  # noqa: PLR0913 - one parameter per option
    count: Annotated[int, typer.Argument(metavar="N", help="Number of puzzles.")],
    settings: Settings,
    *,
    givens: Annotated[
        str | None,
        typer.Option("--givens", metavar="RANGE", help="Number of givens, such as 24 or 22-26."),
    ] = None,
    redundant: Annotated[
        bool,
        typer.Option(
            "--redundant", help="Leave in redundant givens, to reach the number of --givens."
        ),
    ] = False,
    depth: Annotated[
        str | None,
        typer.Option(
            "--depth",
            metavar="RANGE",
            help="Depth of trial and error, 0 to 2; puzzles of depth 2 are very rare.",
        ),
    ] = None,
    difficulty: Annotated[
        Level | None,
        typer.Option(
            "--difficulty",
            metavar="LEVEL",
            help="Level of the steps that solve it: easy, medium, hard, unfair or extreme.",
        ),
    ] = None,
    technique: Annotated[
        str | None,
        typer.Option(
            "--technique",
            autocompletion=complete_technique,
            metavar="NAME",
            help="The hardest technique among its steps, such as X-wing or naked-pair. "
            "Rare techniques, such as hidden quadruples, may take minutes or not be found.",
        ),
    ] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="Place the givens symmetrically under a half turn.")
    ] = False,
    even_odd: Annotated[
        bool, typer.Option("--even-odd", help="Mark some cells as even or odd.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            help="The same seed gives the same puzzles. Default: a random one, which is printed.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write the collection to this file, not to standard output; to NAME.csv or "
            "NAME.parquet as a table with puzzle, givens, level and score."
        ),
    ] = None,
    table: TableOption = None,
    force: ForceOption = False,
    as_json: Annotated[
        bool,
        json_option("index, puzzle, givens, solution, certificate, nodes, effort, rating, seed"),
    ] = False,
) -> None:
    """Generate classic 9×9 puzzles, each with a certified unique solution.

    Puzzles are minimal, unless --redundant is given. The same options and seed give the same
    puzzles. The table of --table contains solutions and certificates.

    sudoku-pipeline generate 10

    sudoku-pipeline generate 99 --symmetric --givens 24-26 --seed 7 -o many.txt

    sudoku-pipeline generate 10 --redundant --givens 30-34 --depth 0 -o easy.txt

    sudoku-pipeline generate 6 --difficulty hard -o hard.txt

    sudoku-pipeline generate 100 -o graded.csv

    sudoku-pipeline generate 3 --technique "naked pair"

    sudoku-pipeline generate 3 --even-odd

    Exit code 1: the search gave up, because no puzzle matched the options for a long time. On
    Ctrl-C, the puzzles found so far are kept, and a message says how many were found and tried.
    """
    from pipeline.cli import catalogue
    from pipeline.cli.file_access import GENERATED, STANDARD_OUTPUT, check_targets
    from pipeline.service.log import Display

    wish = catalogue.wish_of(
        *(givens, depth, difficulty, technique),
        redundant=redundant,
        symmetric=symmetric,
        marks=even_odd,
    )
    if not 1 <= count <= MAX_GENERATED:
        raise UsageError(f"N: expected 1 to {MAX_GENERATED:,}, found {count}")
    if seed is not None and seed < 0:
        raise UsageError(f"--seed: expected 0 or more, found {seed}")
    target, table_target = _targets_of(
        output, table, is_printed=not as_json, as_json=as_json, endings=GENERATED
    )
    check_targets({"--output": target, "--table": table_target}, [], force=force)
    out, display = Output(as_json, settings.quiet), Display(None, bar=not settings.quiet)
    if seed is None:
        seed = secrets.randbelow(10**9)
        out.note(f"--seed {seed} gives the same puzzles again", to_stderr=True)
    catalogue.note_if_slow(out)
    targets = target, table_target
    made, tried, ended = catalogue.write_generated(wish, seed, count, targets, display, out)
    is_file = output not in (None, STANDARD_OUTPUT)
    if is_file or ended:
        name = f"{printable(str(target))}: " if is_file else ""
        number = f"{made:,} of " if ended else ""
        number += counted(count, "puzzle", ",")
        promise = "each with one solution, verified by exhaustive search"
        attempts = f"; {tried:,} tried" if ended and tried else ""
        out.note(f"{name}{number}, {promise}{attempts}", to_stderr=bool(ended))
        text = "lists their solutions"
        catalogue.note_table(table_target, made, text, out, to_stderr=bool(ended))
    if ended:
        raise ended


@takes(*READING_FIELDS, "max_total_bytes", "max_members", "quiet")
def dedupe(  # noqa: PLR0913 - one parameter per option
    sources: FilesArgument,
    settings: Settings,
    *,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FILE",
            help="List the puzzles with an equivalent puzzle in this file, folder or archive.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write the first puzzle of each class to this file; with --against, the puzzles "
            "without an equivalent."
        ),
    ] = None,
    table: TableOption = None,
    force: ForceOption = False,
    as_json: CopiesJsonOption = False,
) -> None:
    """Find equivalent puzzles, and write the first of each class.

    Two classic 9×9 puzzles are equivalent if relabelling digits, rotating, reflecting, and
    permuting bands, rows, stacks and columns can turn one into the other. Other kinds of puzzles
    are skipped and reported.

    sudoku-pipeline dedupe examples/collection.txt

    sudoku-pipeline dedupe --against examples/collection.txt examples/line.sdm

    sudoku-pipeline dedupe -o all.txt examples/line.sdm examples/collection.txt

    cat examples/collection.txt | sudoku-pipeline dedupe -

    Exit code 1: a puzzle was skipped, or with --against there are equivalent puzzles.
    """
    from pipeline.catalogue import comparing
    from pipeline.cli import catalogue
    from pipeline.cli.file_access import (
        STANDARD_OUTPUT,
        atomic_output,
        check_targets,
        goes_to_terminal,
        sources_of,
    )
    from pipeline.service.log import Display

    is_printed = not (as_json or against)
    target, table_target = _targets_of(output, table, is_printed=is_printed, as_json=as_json)
    inputs = [against, *sources] if against else sources
    check_targets({"--output": target, "--table": table_target}, inputs, force=force)
    out = Output(as_json, settings.quiet)
    if against:
        _compare(against, sources, settings, (target, table_target), out)
    display = Display(None, bar=not settings.quiet and not goes_to_terminal(target))
    tally = comparing.Tally()
    catalogue.show_comparisons(display, tally)
    with sources_of(sources, settings) as named, atomic_output(target) as kept:
        copies = comparing.find_copies(named, settings, kept, tally)
        first_rows = catalogue.write_copies(table_target, copies, display, out)
    to_stderr = STANDARD_OUTPUT in (target, table_target)
    classes = "1 class" if tally.classes == 1 else f"{tally.classes:,} classes"
    is_kept = output and output != STANDARD_OUTPUT
    which = "the first of each" if tally.classes > 1 else "the first"
    where = f"; wrote {which} to {printable(str(target))}" if is_kept else ""
    out.note(f"{counted(tally.puzzles, 'puzzle', ',')} in {classes}{where}", to_stderr=to_stderr)
    catalogue.print_copies(first_rows, tally.copies, table_target, out, to_stderr=to_stderr)
    text = "lists the puzzles that are equivalent to an earlier one"
    catalogue.note_table(table_target, tally.copies, text, out, to_stderr=to_stderr)
    raise typer.Exit(EXIT_BAD_INPUT if tally.skipped else EXIT_OK)


def _targets_of(
    output: Path | None,
    table: Path | None,
    *,
    is_printed: bool,
    as_json: bool,
    endings: Sequence[str] | None = None,
) -> tuple[Path, Path | None]:
    """The paths of the collection and of its table, or None if there is no table.

    `is_printed`: whether the collection goes to standard output if `output` is None. `endings`: the
    extensions that it may have, by default those of collections. Raises UsageError.
    """
    from pipeline.cli.catalogue import table_path
    from pipeline.cli.file_access import COLLECTIONS, STANDARD_OUTPUT, TABLES, check_ending

    target = output or (STANDARD_OUTPUT if is_printed else Path(os.devnull))
    table_target = table_path(target, table) if output or is_printed else table
    if as_json and STANDARD_OUTPUT in (target, table_target):
        raise UsageError("--json prints to standard output; name files with -o and --table")
    check_ending("--output", target, endings or COLLECTIONS)
    if table_target:
        check_ending("--table", table_target, TABLES)
    return target, table_target


def _compare(
    known: Path,
    sources: list[Path],
    settings: Settings,
    targets: tuple[Path, Path | None],
    out: Output,
) -> NoReturn:
    """List the puzzles that have an equivalent in `known`, and write the others to a collection.

    `targets`: the collection, and the table or None. Ends the command.
    """
    from pipeline.catalogue import comparing
    from pipeline.cli import catalogue
    from pipeline.cli.file_access import (
        STANDARD_OUTPUT,
        atomic_output,
        goes_to_terminal,
        source_name,
        sources_of,
    )
    from pipeline.service.log import Display

    target, table_target = targets
    display = Display(None, bar=not out.quiet and not goes_to_terminal(target))
    tallies = theirs, ours = comparing.Tally(), comparing.Tally()
    catalogue.show_comparisons(display, theirs, ours)
    with sources_of([known, *sources], settings) as (first, *rest), atomic_output(target) as kept:
        found = comparing.find_overlap([first], rest, settings, kept, tallies)
        copies = catalogue.write_copies(table_target, found, display, out)
    named = ", ".join(map(source_name, sources))
    if ours.puzzles == 1:
        verdict = f"the 1 puzzle in {named} has {'an' if ours.copies else 'no'} equivalent"
    else:
        number = f"{ours.copies:,}" if ours.copies else "none"
        verb = "have" if ours.copies > 1 else "has"
        verdict = f"{number} of the {ours.puzzles:,} puzzles in {named} {verb} an equivalent"
    verdict += f" among the {counted(theirs.puzzles, 'puzzle', ',')} in {source_name(known)}"
    to_stderr = STANDARD_OUTPUT in (target, table_target)
    Output(out.as_json).note(
        f"{'overlap' if ours.copies else 'no overlap'}: {verdict}", to_stderr=to_stderr
    )
    catalogue.print_copies(copies, ours.copies, table_target, out, to_stderr=to_stderr)
    text = "lists the equivalent puzzles"
    catalogue.note_table(table_target, ours.copies, text, out, to_stderr=to_stderr)
    is_well = not (ours.copies or ours.skipped or theirs.skipped)
    raise typer.Exit(EXIT_OK if is_well else EXIT_BAD_INPUT)


@takes(*READING_FIELDS, "max_total_bytes", "max_members", "quiet")
def overlap(
    known: Annotated[Path, typer.Argument(metavar="A", help="The known puzzles.")],
    asked: Annotated[Path, typer.Argument(metavar="B", help="The puzzles to look for among them.")],
    settings: Settings,
    *,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table", "-o", metavar="FILE", help="Write the table to this file, as in `dedupe`."
        ),
    ] = None,
    force: ForceOption = False,
    as_json: CopiesJsonOption = False,
) -> None:
    """Former name of `dedupe --against A B`; works until version 1.1."""
    from pipeline.cli.file_access import check_targets

    say_renamed("overlap A B", "dedupe --against A B")
    targets = _targets_of(None, table, is_printed=False, as_json=as_json)
    check_targets({"--table": table}, [known, asked], force=force)
    _compare(known, [asked], settings, targets, Output(as_json, settings.quiet))
