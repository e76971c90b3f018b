"""Every command: its options and its help. What it does is in the module that it then loads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline.cli.options import READING, SOLVING, takes, whence
from pipeline.settings import NumberingChoice, Settings, environment_name

FOLDERS = ("inbox", "outbox")
PROTOCOL = ("workers", "cluster", "max_total_bytes", "keep_cnf", "also", "settle", "grace")
OUTPUT = ("on_done", "on_bad", "metrics", "report", "log_format", "quiet")

File = Annotated[
    Path, typer.Argument(help="A puzzle, a collection or an archive; - is standard input.")
]
Files = Annotated[
    list[Path], typer.Argument(help="Puzzles, collections, archives; - is standard input.")
]
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
Table = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="Where to write the table: beside -o NAME.txt it is NAME.csv; - is standard output.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace a file that exists, but never an input.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Empty = Annotated[
    str | None, typer.Option("--empty", metavar="HxW", help="An empty grid with boxes of HxW.")
]
Numbering = Annotated[
    NumberingChoice,
    typer.Option("--numbering", help="Variables without gaps, or as the digits rcv."),
]


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL, *OUTPUT)
def run(settings: Settings) -> None:
    """Process everything in the inbox and exit: for cron.

    sudoku-pipeline run

    sudoku-pipeline run --inbox /srv/sudoku/in --outbox /srv/sudoku/out --quiet

    sudoku-pipeline run --cluster local:2

    sudoku-pipeline run --also canonical,minimal,effort

    Exit code 0: all went well; 1: some input was invalid, unknown or failed; 75: the disk or a
    folder failed, or a signal came; nothing was lost, run again.
    """
    from pipeline.cli import folders

    folders.run(settings)


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL, *OUTPUT, "poll")
def watch(settings: Settings) -> None:
    """Process everything dropped in the inbox until SIGTERM or Ctrl-C.

    sudoku-pipeline watch

    sudoku-pipeline watch --poll --inbox /mnt/share/in

    sudoku-pipeline watch --report

    sudoku-pipeline watch --on-done ./notify.sh

    sudoku-pipeline watch --metrics /run/sudoku-pipeline/metrics.prom

    A command of --on-done or --on-bad gets the path of the record as its last argument, and
    SUDOKU_JOB_SOURCE, SUDOKU_JOB_STATUS, SUDOKU_JOB_MESSAGE and SUDOKU_JOB_RECORD in its
    environment. No shell runs it; it has 30 s; it has nothing to read, and what it prints is lost,
    but for its last line in the log if it fails.

    Exit code 0: a signal ended it; 75: a folder was missing at the start.
    """
    from pipeline.cli import folders

    folders.watch(settings)


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


def schema() -> None:
    """Print the JSON Schema of the record, name.json.

    docs/reference/published.md says the same in words, and describes tables and logs too.

    sudoku-pipeline schema
    """
    from pipeline.cli import outbox

    outbox.schema()


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


@takes("inbox", "outbox", "settle")
def status(settings: Settings, *, as_json: Json = False) -> None:
    """Show what waits, settles, is in work, done, failed.

    sudoku-pipeline status

    sudoku-pipeline status --json | jq .scan_age

    Exit code 1: files wait, and nothing has scanned the inbox for two minutes.
    """
    from pipeline.cli import folders

    folders.status(settings, as_json=as_json)


@takes("inbox", "outbox")
def retry(
    settings: Settings,
    names: Annotated[list[str] | None, typer.Argument(help="Names in inbox/failed/.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All that failed.")] = False,
) -> None:
    """Put failed files back into the inbox.

    sudoku-pipeline retry puzzle.txt

    sudoku-pipeline retry --all

    Exit code 1: some were not put back; `--all` passes over names with a newer result.
    """
    from pipeline.cli import folders

    folders.retry(settings, names, every=every)


@takes("inbox", "outbox")
def prune(
    settings: Settings,
    *,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="30d, 12h, 90m, 2w, 60s.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Delete old originals from inbox/done/ and old logs.

    Solutions, records and failed files stay.

    sudoku-pipeline prune --older-than 30d --dry-run

    sudoku-pipeline prune --older-than 30d
    """
    from pipeline.cli import folders

    folders.prune(settings, older_than=older_than, dry_run=dry_run)


@takes(*FOLDERS, *SOLVING, *READING, *PROTOCOL, *OUTPUT, "poll")
def doctor(context: typer.Context, settings: Settings, *, as_json: Json = False) -> None:
    """Say what this machine lacks, and which settings hold.

    It takes the options of `run` and `watch`, and says of those that are not the defaults whence
    they are: an option, the environment, or the settings file.

    sudoku-pipeline doctor

    sudoku-pipeline doctor --inbox /mnt/share/in

    Exit code 1: something will not work.
    """
    from pipeline.cli import folders

    folders.doctor(settings, whence(context), as_json=as_json)


COMMANDS = {
    command.__name__: command
    for command in (
        run,
        watch,
        solve,
        count,
        encode,
        decode,
        certify,
        audit,
        proof,
        schema,
        report,
        sheet,
        dedupe,
        overlap,
        generate,
        status,
        retry,
        prune,
        doctor,
    )
}
"""In the order in which the help lists them."""
