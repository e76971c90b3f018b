"""Commands for puzzles: solve, count, sheet."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pipeline.cli.completion import complete_technique
from pipeline.cli.messages import say, say_renamed
from pipeline.cli.options import (
    PIPED,
    READING_FIELDS,
    SOLVING_FIELDS,
    FilesArgument,
    ForceOption,
    OptionalValue,
    Output,
    check_json,
    example_hint,
    json_option,
    outbox_of,
    output_option,
    takes,
)
from pipeline.errors import InputError, UsageError, counted, printable
from pipeline.service.signals import EXIT_BAD_INPUT, EXIT_OK
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.cli.step_drawings import HintLevel
    from pipeline.cli.walkthrough import StepDetail, Walkthrough
    from pipeline.steps.orders import Order


@takes(*SOLVING_FIELDS, *READING_FIELDS, "traits", "rating_timeout", "quiet")
def solve(  # noqa: PLR0913 - one parameter per option
    files: FilesArgument,
    settings: Settings,
    *,
    board: Annotated[
        bool,
        typer.Option(
            "--board",
            help=(
                "Draw boards as on a terminal, and suggest next commands; with --steps or --hint, "
                "draw the candidates and the pattern of each step."
            ),
        ),
    ] = False,
    steps: Annotated[
        Literal["lines", "full"] | None,
        typer.Option(
            "--steps",
            metavar="[=full]",
            help=(
                "Explain a puzzle by logical steps, each checked; --steps=full also prints the "
                "branches of chains and nets."
            ),
        ),
        OptionalValue("lines"),
    ] = None,
    hint: Annotated[
        Literal["technique", "where", "step"] | None,
        typer.Option(
            "--hint",
            metavar="[=where|step]",
            help=(
                "Print the technique of the next step. --hint=where adds its units or cells; "
                "--hint=step prints the step and its board. Nothing shows the solution, not even "
                "--svg or --json."
            ),
        ),
        OptionalValue("technique"),
    ] = None,
    all_steps: Annotated[
        bool, typer.Option("--all-steps", help="Print all steps that are possible at the start.")
    ] = False,
    order: Annotated[
        Literal["boxes", "hodoku", "explainer"] | None,
        typer.Option(
            "--order",
            metavar="NAME",
            help=(
                "With --steps, --all-steps, --until or --hint, order of the techniques in a 9×9 "
                "puzzle: `hodoku` (default), `explainer` as in Sudoku Explainer, or `boxes` for "
                "singles in boxes first."
            ),
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="TECHNIQUE",
            autocompletion=complete_technique,
            help="With --steps, stop before the first step of this technique, such as X-wing.",
        ),
    ] = None,
    times: Annotated[bool, typer.Option("--times", help="Print a table of run times.")] = False,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            help=(
                "Also draw to this file; - is stdout. --steps draws the steps (consecutive singles "
                "share a board), --hint=step the step, other hints the puzzle. The format is PNG "
                "or PDF (a page per board) if the name ends in .png or .pdf, else SVG."
            ),
        ),
    ] = None,
    puzzle_only: Annotated[
        bool,
        typer.Option("--puzzle-only", help="Draw the puzzle without its solution.", hidden=True),
    ] = False,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="FILE",
            help=(
                "Write a table, as for a collection, instead of printing solutions; - is stdout. "
                "The format is Parquet if the name ends in .parquet, else CSV."
            ),
        ),
    ] = None,
    force: ForceOption = False,
    as_json: Annotated[
        bool, json_option("the record of each puzzle, with the solutions in the field texts")
    ] = False,
) -> None:
    """Solve puzzles and print their solutions.

    On a terminal, the puzzle is drawn next to its solution, below a line that says how many
    solutions there are, and how this is known. Elsewhere, standard output has only the solutions,
    in the notation of the puzzle, and that line is on standard error. Each puzzle of a collection
    takes one line.

    sudoku-pipeline solve examples/classic.sudoku

    sudoku-pipeline solve 1.....2..3.....4

    cat examples/line.sdm | sudoku-pipeline solve

    sudoku-pipeline solve examples/collection.txt

    sudoku-pipeline solve --steps examples/line.sdm

    sudoku-pipeline solve --hint examples/classic.sudoku

    sudoku-pipeline solve --hint=step examples/classic.sudoku

    sudoku-pipeline solve --times examples/*.sudoku

    sudoku-pipeline solve --json examples/six.txt | jq .certificate

    sudoku-pipeline solve --traits minimal,effort examples/line.sdm

    sudoku-pipeline solve --table table.csv examples/*.sudoku
    """
    from pipeline.cli import results
    from pipeline.cli.answers import solve_files
    from pipeline.cli.file_access import STANDARD_OUTPUT
    from pipeline.cli.step_drawings import draw_result
    from pipeline.solving import ERROR_STATUSES

    walkthrough = _walkthrough(hint, steps, order, until, are_all=all_steps, boards=board)
    _check_drawing(svg, files, puzzle_only=puzzle_only, is_step=bool(walkthrough), force=force)
    _check_records(svg, times=times, as_json=as_json)
    if table:
        is_alone = not (board or walkthrough or times or svg or as_json)
        raise typer.Exit(_tabulate(files, table, settings, force=force, is_alone=is_alone))
    settings = _without_surplus(settings, walkthrough, shows_solutions=as_json or bool(svg))
    boards, are_several = board or sys.stdout.isatty(), len(files) > 1
    style = results.ResultStyle(
        boards=boards,
        is_text=boards or are_several or walkthrough is not None,
        has_names=are_several,
        has_only_notes=bool(hint) or svg == STANDARD_OUTPUT,
    )
    kept, single, code = [], None, EXIT_OK
    for number, (item, result) in enumerate(solve_files(files, settings)):
        _check_single(svg, files[0], is_alone=item.is_only_item)
        if walkthrough:
            from pipeline.cli.walkthrough import show_steps

            has_title = are_several or not item.is_only_item
            explained = show_steps(
                item, result, settings, walkthrough, as_json=as_json, has_title=has_title
            )
            code = code if explained else EXIT_BAD_INPUT
        elif as_json:
            print(results.record_line(item, result, settings))
        is_bad = result.status in ERROR_STATUSES
        if not as_json and (is_bad or not (walkthrough and walkthrough.has_only_steps)):
            if boards and number and item.is_only_item:
                print()
            results.show_result(item, result, settings, style)
        kept += [(item.where, result)] if times or svg else []
        code = EXIT_BAD_INPUT if is_bad else code
        single = result if item.is_only_item and not are_several else None
    if times and kept:
        results.print_times(kept)
    if svg and kept:
        drawn = [] if puzzle_only or not walkthrough else walkthrough.drawn_steps(kept[0][1])
        draw_result(svg, *kept[0], drawn, puzzle_only=puzzle_only or bool(hint))
    is_seen = board or (boards and sys.stderr.isatty() and not walkthrough)
    if single and is_seen and not (settings.quiet or as_json):
        from pipeline.cli.next_commands import suggest_commands

        suggest_commands(files[0], single)
    raise typer.Exit(code)


def _walkthrough(
    hint: HintLevel | None,
    steps: StepDetail | None,
    order: Order | None,
    until: str | None,
    *,
    are_all: bool,
    boards: bool,
) -> Walkthrough | None:
    """What to print of the steps; None if none of the options asks for steps.

    Raises UsageError for options that cannot be combined, or an unknown technique.
    """
    if not (hint or steps or are_all or until):
        if order:
            raise UsageError("--order needs --steps, --all-steps, --until or --hint")
        return None
    from pipeline.cli.walkthrough import Walkthrough

    if hint and (steps or are_all or until):
        raise UsageError("--hint cannot be combined with --steps, --all-steps or --until")
    return Walkthrough(hint, steps or "lines", are_all, order, until, boards)


def _without_surplus(
    settings: Settings, walkthrough: Walkthrough | None, *, shows_solutions: bool
) -> Settings:
    """The settings to search for one solution if none is shown; else the same settings.

    The status still says whether there are other solutions.

    `shows_solutions`: whether records or a drawing, unless they are those of a hint, show
    solutions.
    """
    if walkthrough is None or not walkthrough.has_only_steps:
        return settings
    if shows_solutions and walkthrough.hint is None:
        return settings
    return replace(settings, max_solutions=1)


def _tabulate(
    files: list[Path], table: Path, settings: Settings, *, force: bool, is_alone: bool
) -> int:
    """Solve these files into a table, and print a summary. Returns the exit code.

    `is_alone`: whether --table is given without an option that it cannot be combined with.
    """
    from pipeline.cli.answers import write_table
    from pipeline.cli.file_access import TABLES, check_ending, check_target
    from pipeline.solving import ERROR_STATUSES

    if not is_alone:
        options = "--board, --steps, --all-steps, --until, --hint, --times, --svg or --json"
        raise UsageError(f"--table cannot be combined with {options}")
    check_target("--table", table, files, force=force)
    check_ending("--table", table, TABLES)
    totals = write_table(files, table, settings)
    summary = ", ".join(f"{count:,} {status}" for status, count in totals.items())
    text = f": {counted(totals.total(), 'puzzle', ',')}: {summary}"
    Output(quiet=settings.quiet).report_file(table, text)
    return EXIT_BAD_INPUT if ERROR_STATUSES & totals.keys() else EXIT_OK


def _check_drawing(
    svg: Path | None, files: list[Path], *, puzzle_only: bool, is_step: bool, force: bool
) -> None:
    """Raise UsageError if --svg cannot be used; print a message if it is used as before 1.0.

    `is_step`: whether --steps or --hint is given.
    """
    from pipeline.cli.file_access import check_target
    from pipeline.cli.step_drawings import check_drawing

    if puzzle_only and svg is None:
        raise UsageError("--puzzle-only needs --svg FILE")
    if svg is None:
        return
    if len(files) != 1:
        raise UsageError("--svg takes one puzzle; give one file, or draw all with `convert`")
    check_target("--svg", svg, files, force=force)
    check_drawing("--svg", svg)
    if not is_step:
        solutions = "" if puzzle_only else " --solutions"
        say_renamed("solve --svg FILE", f"convert -o FILE{solutions}")


def _check_records(svg: Path | None, *, times: bool, as_json: bool) -> None:
    """Raise UsageError if --json is combined with --times or with `--svg -`."""
    check_json(svg, as_json=as_json, option="--svg")
    if times and as_json:
        raise UsageError("--times cannot be combined with --json, whose records contain the times")


def _check_single(svg: Path | None, file: Path, *, is_alone: bool) -> None:
    """Raise UsageError if --svg is given and the file is a collection.

    `is_alone`: whether the file contains a single puzzle.
    """
    if svg and not is_alone:
        raise UsageError(
            f"--svg: {printable(str(file))} is a collection; give a file with one puzzle, or draw "
            "all with `sudoku-pipeline sheet`"
        )


@takes(*SOLVING_FIELDS, *READING_FIELDS, "quiet")
def count(
    files: FilesArgument,
    settings: Settings,
    *,
    print_each: Annotated[
        bool, typer.Option("--print", help="Print each solution as it is found.")
    ] = False,
    as_json: Annotated[
        bool, json_option("source, solutions, complete, status, message, code")
    ] = False,
) -> None:
    """Count the solutions of puzzles, up to --max-solutions each.

    sudoku-pipeline count --max-solutions 1000 examples/classic.sudoku

    sudoku-pipeline count examples/*.sudoku

    cat examples/six.txt | sudoku-pipeline count --print -
    """
    from pipeline.cli.answers import solve_files
    from pipeline.cli.results import (
        count_line,
        is_cut_off,
        say_evidence,
        say_fault,
        say_unused,
    )
    from pipeline.solving import ERROR_STATUSES

    def print_solution(text: str) -> None:
        print(text, flush=True)

    if print_each and as_json:
        raise UsageError("--print cannot be combined with --json; use `solve --json`")
    limit, code = settings.solution_limit, EXIT_OK
    counting = replace(settings, max_solutions=limit)  # the same limit for formulas and collections
    for item, result in solve_files(files, counting, print_solution if print_each else None):
        name, number = printable(item.where), len(result.solutions)
        code = EXIT_BAD_INPUT if result.status in ERROR_STATUSES else code
        if as_json:
            print(count_line(item, result))
            continue
        if result.status not in ("invalid", "failed"):
            before = "" if item.is_only_item and len(files) == 1 else f"{name}: "
            bound = "" if result.complete else "<=" if is_cut_off(result) else ">="
            print(f"{before}{bound}{number}")
        if item.is_only_item and result.status == "invalid":
            say_fault(item, result)
        elif result.status in ERROR_STATUSES or (not result.complete and number < limit):
            say(f"{name}: {result.status}: {result.full_message}")
        elif result.caveat and (item.is_only_item or not result.unread_texts):
            say(f"{name}: {result.caveat}")
        if item.is_only_item and not settings.quiet:
            say_evidence(f"{name}: ", result)
            say_unused(name, result)
    raise typer.Exit(code)


@takes("inbox", "outbox", *SOLVING_FIELDS, *READING_FIELDS, "quiet")
def sheet(  # noqa: PLR0913 - one parameter per option
    context: typer.Context,
    settings: Settings,
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Puzzles, collections, archives, records, or an outbox. Default: the outbox."
        ),
        PIPED,
    ] = None,
    *,
    output: Annotated[
        Path | None,
        output_option(
            "Write to this file; - is standard output. The format is PDF (A4) if the name ends in "
            ".pdf, else HTML. Default: sheet.html, or sheet-2.html and so on if it exists."
        ),
    ] = None,
    force: ForceOption = False,
    per_page: Annotated[
        Literal["1", "2", "4", "6", "9", "12"],
        typer.Option(
            "--per-page",
            metavar="N",
            help="Puzzles per page: 1, 2, 4, 6, 9 or 12; fewer if they are large.",
        ),
    ] = "4",
    no_solutions: Annotated[
        bool, typer.Option("--no-solutions", help="Omit solutions; no puzzle is solved.")
    ] = False,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help=(
                "Print the steps of each puzzle after the solutions, with boards and reasons, "
                "and how to read them; for up to 100 puzzles."
            ),
        ),
    ] = False,
    first: Annotated[
        int | None,
        typer.Option("--first", metavar="N", help="Print only the first N puzzles, up to 1,000."),
    ] = None,
    sort: Annotated[
        Literal["givens", "rating"] | None,
        typer.Option(
            "--sort",
            metavar="NAME",
            help="Sort puzzles, easiest first: by `givens` (most first) or `rating`.",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="Title at the top of the first page."),
    ] = None,
    author: Annotated[
        str | None,
        typer.Option("--author", metavar="TEXT", help="Author at the top of the first page."),
    ] = None,
    difficulty: Annotated[
        str | None,
        typer.Option(
            "--difficulty",
            metavar="TEXT",
            help="A label at the top of the first page.",
        ),
    ] = None,
    levels: Annotated[
        bool,
        typer.Option(
            "--levels", help="Print the level of each puzzle beside it, computed from its steps."
        ),
    ] = False,
    names: Annotated[
        bool,
        typer.Option("--names", help="Print the file and line of each puzzle."),
    ] = False,
    as_json: Annotated[
        bool, json_option("file, puzzles, pages, rules, solutions, steps, omitted")
    ] = False,
) -> None:
    """Make printable pages of puzzles, followed by their rules and solutions.

    Files are solved as in `solve`. Solutions in an outbox, a record or a table are reused; their
    puzzles are read from the originals in inbox/done/.

    sudoku-pipeline sheet examples/collection.txt

    sudoku-pipeline sheet --per-page 2 -o big.html examples/*.sudoku

    sudoku-pipeline sheet --no-solutions --per-page 12 outbox/collection.csv

    sudoku-pipeline sheet --title 'Class 7b' --sort rating examples/collection.txt

    sudoku-pipeline sheet --steps --first 2 -o worked.html examples/collection.txt

    Exit code 1: a puzzle could not be drawn, or a solution was not found.
    """
    from pipeline.cli import sheet_puzzles as sheets
    from pipeline.cli.file_access import check_target, source_name, unused_path
    from pipeline.cli.guesses import check_is_no_target
    from pipeline.outbox.report import Head, Sheet
    from pipeline.solving import ERROR_STATUSES

    if sources and output is None:
        check_is_no_target(sources, (".html", ".pdf"), "sheet")
    sources = sources or [outbox_of(None, settings, f", or puzzles{example_hint(context.command)}")]
    target = output or unused_path("sheet.html")
    check_target("--output", target, sources, force=force)
    sheets.check_target_kind(target)
    check_json(output, as_json=as_json)
    if first is not None and not 1 <= first <= sheets.MAX_SHEET_PUZZLES:
        raise UsageError(f"--first: expected 1 to {sheets.MAX_SHEET_PUZZLES:,}, found {first}")
    unsolved, faults = sheets.take_first(sheets.puzzles_in(sources, settings), first)
    for fault in faults:
        say(str(fault))
    if not unsolved and not faults:
        raise InputError(f"{', '.join(map(source_name, sources))}: no puzzle to print")
    if not unsolved:
        raise typer.Exit(EXIT_BAD_INPUT)
    if difficulty == "level":
        say_renamed("--difficulty level", "--levels")
        difficulty, levels = None, True
    is_rated = levels or steps or sort == sheets.RATING
    if is_rated and settings.trust_solver:
        raise UsageError(
            "--trust-solver cannot be combined with --levels, --steps or --sort rating: they need "
            "proof that the solution is unique"
        )
    is_solved = is_rated or not no_solutions
    printed = (
        sheets.solve_puzzles(unsolved, settings)
        if is_solved
        else [puzzle for puzzle, _ in unsolved]
    )
    for complaint in sheets.complaints(printed, solutions=not no_solutions):
        say(complaint)
    head = Head(title or "", author or "", difficulty or "")
    printed = sheets.sort_puzzles(printed, sort, levels=levels)
    if levels and (unrated := sum(not puzzle.level for puzzle in printed)):
        say(f"{counted(unrated, 'puzzle')} without a level: {sheets.NO_LEVEL}")
    printed = sheets.add_steps(printed) if steps else printed
    printed = printed if names else sheets.remove_names(printed)
    laid_out = Sheet.of(printed, int(per_page), solutions=not no_solutions, head=head)
    sheets.write(target, laid_out)
    fields = {"file": str(target)} | laid_out.counts | {"omitted": len(faults)}
    Output(as_json, settings.quiet).report_file(target, f": {laid_out.summary}", fields)
    is_bad = not no_solutions and any(puzzle.status in ERROR_STATUSES for puzzle in printed)
    raise typer.Exit(EXIT_BAD_INPUT if faults or is_bad else EXIT_OK)
