"""Commands for published results: audit, proof, report, schema."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.completion import complete_checker
from pipeline.cli.messages import say
from pipeline.cli.options import (
    ForceOption,
    Output,
    check_json,
    json_option,
    outbox_of,
    output_option,
    takes,
)
from pipeline.errors import InputError, UsageError, counted, printable
from pipeline.service.signals import EXIT_BAD_INPUT, EXIT_OK
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.outbox.audit import Finding

OriginalsOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder that contains originals; can be repeated. Default: done/ of the inbox.",
    ),
]
CheckerOption = Annotated[
    str | None,
    typer.Option(
        "--checker",
        metavar="PROGRAM",
        autocompletion=complete_checker,
        help="Confirm each proof with another LRAT checker: cake_lpr or lrat-check.",
    ),
]


OutboxArgument = Annotated[
    Path | None, typer.Argument(metavar="OUTBOX", help="The outbox. Default: --outbox.")
]


@takes(
    "inbox",
    "outbox",
    "max_bytes",
    "max_total_bytes",
    "max_members",
    "timeout",
    "memory_limit",
    "quiet",
)
def audit(
    settings: Settings,
    folder: OutboxArgument = None,
    *,
    originals: OriginalsOption = None,
    checker: CheckerOption = None,
    as_json: Annotated[
        bool, json_option("name, claim, problems, gaps, notes, verdict: ok, bad or unchecked")
    ] = False,
) -> None:
    """Audit an outbox, using only its files and the originals.

    It checks solutions, completeness, counts and proofs.

    A job is ok, BAD, or unchecked (its original is missing, or time ran out). --timeout applies to
    each check separately, for example to a proof or a search for more solutions.

    sudoku-pipeline audit

    sudoku-pipeline audit outbox --originals inbox/done --json

    Exit code 1: a job is wrong or could not be checked.
    """
    from pipeline.outbox import RECORD_SUFFIX
    from pipeline.outbox.audit import AuditOptions
    from pipeline.outbox.audit import audit as audited
    from pipeline.service.log import Display, Progress
    from pipeline.solving.complete import make_refuter
    from pipeline.solving.solvers import Solvers

    outbox = outbox_of(folder, settings)
    folders = _folders_of_originals(settings, originals, outbox)
    if not any(path.is_dir() for path in folders):
        missing = printable(str(folders[0]))
        say(
            f"{missing}: no such folder of originals; name the inbox with --inbox, or the folder "
            "with --originals"
        )
    out, display = Output(as_json, settings.quiet), Display(None, bar=not settings.quiet)
    verdicts, jobs = Counter[str](), 0
    with suppress(OSError):  # the audit reports this error
        jobs = sum(path.name.endswith(RECORD_SUFFIX) for path in outbox.iterdir())

    def show_rows(source: str, done: int, total: int) -> None:
        display.tick(source, Progress(done, done, total, "row", is_count=True))

    with Solvers("pysat") as solvers:
        ask = make_refuter(solvers, settings.memory_limit)
        terms = AuditOptions(settings, settings.timeout, ask, on_rows=show_rows)
        if checker:
            from pipeline.cli.proof_files import Checker

            terms = dataclasses.replace(terms, confirm=Checker(checker).confirm)
        audits = audited(outbox, folders, terms)
        for finding in display.with_progress(audits, "audit", "job", jobs):
            verdicts[finding.verdict] += 1
            is_shown = not settings.quiet or finding.verdict != "ok"
            fields = dataclasses.asdict(finding) | {"verdict": finding.verdict}
            out.row(fields, _finding_text(finding) if is_shown else None)
    summary = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in ("ok", "unchecked", "bad"))
    out.note(f"{counted(verdicts.total(), 'job')}: {summary}")
    raise typer.Exit(EXIT_OK if verdicts.total() == verdicts["ok"] else EXIT_BAD_INPUT)


def _folders_of_originals(settings: Settings, named: list[Path] | None, outbox: Path) -> list[Path]:
    """The folders that --originals names, or by default the folder `done` of the inbox.

    If --inbox is not given, an inbox beside the outbox is preferred to one in the current folder.
    Raises UsageError.
    """
    from pipeline.outbox.names import DONE

    for folder in named or ():
        if not folder.is_dir():
            raise UsageError(
                f"--originals {printable(str(folder))}: no such folder; name an existing folder"
            )
    inboxes = [settings.inbox, outbox.resolve().parent / settings.inbox.name]
    if settings.inbox == Settings().inbox:
        inboxes.reverse()
    done = [inbox / DONE for inbox in inboxes if (inbox / DONE).is_dir()]
    return named or done[:1] or [settings.inbox / DONE]


def _finding_text(finding: Finding) -> str:
    """The lines that show a finding: verdict and name, then problems, gaps, or claim with notes."""
    word = {"ok": "ok", "unchecked": "unchecked", "bad": "BAD"}[finding.verdict]
    notes = f" ({'; '.join(finding.notes)})" if finding.notes else ""
    first, *rest = (*finding.problems, *finding.gaps) or (finding.claim + notes,)
    return "\n    ".join((f"{word:<9}  {finding.name}  {first}", *rest))


@takes(
    "inbox",
    "outbox",
    "max_bytes",
    "max_total_bytes",
    "max_members",
    "timeout",
    "memory_limit",
    "quiet",
)
def proof(  # noqa: PLR0913 - one parameter per option
    settings: Settings,
    path: Annotated[
        Path,
        typer.Argument(
            metavar="RECORD|TABLE",
            help="NAME.json, or NAME.csv of a collection, in the current folder or in the outbox.",
        ),
    ],
    indices: Annotated[
        list[int] | None,
        typer.Argument(metavar="INDEX", help="Rows of the table. Default: all, up to 1,000."),
    ] = None,
    *,
    originals: OriginalsOption = None,
    output: Annotated[
        Path | None, output_option("Write to this folder. Default: the current folder.", "FOLDER")
    ] = None,
    checker: CheckerOption = None,
    as_json: Annotated[
        bool,
        json_option(
            "name, status, proved, variables, clauses, steps, files, reason, other_solution"
        ),
    ] = False,
) -> None:
    """Write proofs, for other checkers, that no solution is missing.

    For each result, however it was certified, this writes NAME.proof.cnf, a formula that says that
    there is another solution, and two refutations: NAME.proof.drat (without hints) and
    NAME.proof.lrat (with hints). The proof is computed from scratch and checked.

    sudoku-pipeline proof outbox/classic.json

    sudoku-pipeline proof outbox/collection.csv 1 5 -o proofs

    If the original of a table is missing, the puzzles are read from the table, with a warning.

    Exit code 1: there is another solution, no proof was found in time, or the original of a record
    is missing.
    """
    from pipeline.cli import proof_files
    from pipeline.outbox.assertions import assertions_in, load_published_set
    from pipeline.outbox.originals import enclosing_archive
    from pipeline.solving.solvers import Solvers
    from pipeline.solving.solvers.pysat import check_pysat

    check_pysat()
    other_checker = proof_files.Checker(checker) if checker else None
    in_outbox = settings.outbox / path
    published = load_published_set(path if path.exists() or not in_outbox.exists() else in_outbox)
    above = enclosing_archive(published.path)
    outbox = (above[0] if above else published.path).parent
    folders = _folders_of_originals(settings, originals, outbox)
    folder = proof_files.prepare_folder(output or Path(), published)
    settings = dataclasses.replace(settings, solver="pysat")
    code, doubts = EXIT_OK, set[str]()
    with Solvers(settings.solver) as solvers:
        for statement in assertions_in(published, indices or (), folders, settings):
            if isinstance(statement, InputError):
                say(str(statement))
                code = EXIT_BAD_INPUT
                continue
            if statement.doubt and statement.doubt not in doubts:
                say(statement.doubt)
                doubts.add(statement.doubt)
            attempt = proof_files.prove(statement, folder, solvers, settings, other_checker)
            code = code if attempt.proved else EXIT_BAD_INPUT
            proof_files.show_attempt(attempt, Output(as_json, settings.quiet))
    raise typer.Exit(code)


@takes("inbox", "outbox", "quiet")
def report(
    settings: Settings,
    folder: OutboxArgument = None,
    *,
    output: Annotated[
        Path | None,
        output_option("Write to this file; - is standard output. Default: report.html in OUTBOX."),
    ] = None,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Make a page of hints and steps for each board, in the folder report-steps, or "
            "NAME-steps beside NAME.html.",
        ),
    ] = False,
    force: ForceOption = False,
    as_json: Annotated[bool, json_option("file, puzzles, totals by status, steps")] = False,
) -> None:
    """Write an HTML report of an outbox: totals, times, jobs and boards.

    The page is self-contained, apart from links to files in the outbox and to pages of steps.
    report.html in the outbox is replaced; a file named with -o is replaced only with --force.

    --steps also makes a page of hints and steps for each puzzle that has none yet: at most 100
    pages, within a minute and 20 MB. The search for the steps of one puzzle ends after 20 seconds.
    Pages of puzzles that are no longer on the report are removed. Without --steps, the report links
    to the pages that exist.

    sudoku-pipeline report

    sudoku-pipeline report --steps

    sudoku-pipeline report outbox -o report.html
    """
    from pipeline.cli.file_access import STANDARD_OUTPUT, check_target, write_to
    from pipeline.outbox.report import REPORT, StepPages, page_chunks, write_report
    from pipeline.service.log import Display, Progress

    outbox, totals = outbox_of(folder, settings), Counter[str]()
    display = Display(None, bar=not settings.quiet)

    def with_progress(records: Sequence[Path]) -> Iterable[Path]:
        return display.with_progress(records, "report", "record", len(records))

    def track_steps(count: int) -> None:
        display.tick("steps", Progress(count, count, None, "page"))

    if output == STANDARD_OUTPUT and steps:
        raise UsageError("--steps writes pages beside the report; name a file with --output")
    target = output or outbox / REPORT
    if output is not None:
        check_json(output, as_json=as_json)
        check_target("--output", output, force=force)
    step_pages = StepPages(target.resolve(), makes_pages=steps, track=track_steps)
    if output is None:
        write_report(outbox, settings.inbox, target, with_progress, totals, step_pages)
    else:
        folder = outbox if output == STANDARD_OUTPUT else output.resolve().parent
        page = page_chunks(
            outbox, settings.inbox, folder, with_progress, totals=totals, step_pages=step_pages
        )
        write_to(output, page)
        step_pages.remove_others()
    display.end()
    fields = {"file": str(target), "puzzles": totals.total(), "totals": totals}
    fields |= {"steps": step_pages.count}
    text = f", with the steps of {counted(step_pages.count, 'puzzle')}" if steps else ""
    Output(as_json, settings.quiet).report_file(target, text, fields)


def schema() -> None:
    """Print the JSON Schema of records, NAME.json.

    docs/reference/published.md describes records, tables and logs in words.

    sudoku-pipeline schema
    """
    from pipeline.outbox import json_schema

    print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
