"""What the commands on an outbox and its description do: audit, report, schema."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pipeline.cli.files import STANDARD_OUTPUT, check_target, write_to
from pipeline.cli.options import say
from pipeline.errors import EnvironmentFailure, UsageError, counted, printable
from pipeline.outbox import ENDING
from pipeline.outbox.names import DONE
from pipeline.reading.archives.limits import UnpackLimits
from pipeline.service.exits import ALL_WELL, SOME_BAD
from pipeline.service.log import Display, Progress
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.outbox.audit import Finding


_WIDTH = len("unchecked")


def audit(
    settings: Settings,
    outbox: Path,
    *,
    originals: list[Path] | None,
    as_json: bool,
    checker: str | None,
) -> None:
    from pipeline.outbox.audit import Terms  # noqa: PLC0415 - numpy is slow to load
    from pipeline.outbox.audit import audit as audited  # noqa: PLC0415
    from pipeline.solving.complete import refuter  # noqa: PLC0415
    from pipeline.solving.solvers import Solvers  # noqa: PLC0415
    from pipeline.solving.solvers.checker import Checker  # noqa: PLC0415

    folders = folders_of_originals(settings, originals)
    verdicts: Counter[str] = Counter()
    display = Display(None, bar=not settings.quiet)

    def show_rows(source: str, done: int, total: int) -> None:
        display.tick(source, Progress(done, done, total, "row"))

    with Solvers("pysat") as solvers:
        ask = refuter(solvers, settings.memory_limit)
        room = UnpackLimits(settings.max_total_bytes)
        terms = Terms(settings.reading, room, settings.timeout, ask, on_rows=show_rows)
        if checker:
            terms = dataclasses.replace(terms, confirm=Checker(checker).confirm)
        found = audited(outbox, folders, terms)
        for finding in display.over(found, "audit", "job", _records_in(outbox)):
            verdicts[finding.verdict] += 1
            if as_json or not settings.quiet or finding.verdict != "ok":
                _print(finding, as_json=as_json)
    jobs = counted(verdicts.total(), "job")
    said = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in ("ok", "unchecked", "bad"))
    if not settings.quiet:
        (say if as_json else print)(f"{jobs}: {said}")
    raise typer.Exit(ALL_WELL if verdicts.total() == verdicts["ok"] else SOME_BAD)


def _records_in(outbox: Path) -> int:
    """About how many jobs there are to audit."""
    with suppress(OSError):  # as the audit will say
        return sum(path.name.endswith(ENDING) for path in outbox.iterdir())
    return 0


def folders_of_originals(settings: Settings, named: list[Path] | None) -> list[Path]:
    """The folders that `--originals` names, or the usual one. Raises UsageError."""
    for folder in named or ():
        if not folder.is_dir():
            raise UsageError(f"--originals {printable(str(folder))}: no such folder")
    return named or [settings.inbox / DONE]


def schema() -> None:
    from pipeline.outbox import json_schema  # noqa: PLC0415 - takes a while to load

    print(json.dumps(json_schema(), indent=1, ensure_ascii=False))


def _print(finding: Finding, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(finding) | {"verdict": finding.verdict}))
        return
    word = {"ok": "ok", "unchecked": "unchecked", "bad": "BAD"}[finding.verdict]
    notes = f" ({'; '.join(finding.notes)})" if finding.notes else ""
    first, *others = (*finding.problems, *finding.gaps) or (finding.claim + notes,)
    print(f"{word:<{_WIDTH}}  {finding.name}  {first}")
    for each in others:
        print(f"    {each}")


def report(settings: Settings, outbox: Path, *, output: Path | None, force: bool) -> None:
    from pipeline.outbox.report import REPORT, page_pieces, write_report  # noqa: PLC0415 - slow to load

    if not outbox.is_dir():
        raise EnvironmentFailure(f"{printable(str(outbox))}: no such folder")
    display, count = Display(None, bar=not settings.quiet), len([*outbox.iterdir()])

    def over(files: Iterable[Path]) -> Iterable[Path]:
        return display.over(files, "report", "file", count)

    if output is None:
        output = outbox / REPORT
        write_report(outbox, settings.inbox, output, over)
    else:
        check_target("--output", output, force=force)
        beside = outbox if output == STANDARD_OUTPUT else output.resolve().parent
        write_to(output, page_pieces(outbox, settings.inbox, beside, over))
    if not settings.quiet and output != STANDARD_OUTPUT and output.is_file():
        print(printable(str(output)))
