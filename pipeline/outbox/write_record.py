"""Result → what is published: the record, the log, the solutions, the CNFs."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, structs

from pipeline.outbox.schema import (
    CLAIMED,
    PROVED,
    Cell,
    Certificate,
    CertificateOfMany,
    Clue,
    Difference,
    Fallback,
    File,
    ManyRecord,
    PuzzleRecord,
    Record,
    RuleTold,
    Solver,
    Value,
)
from pipeline.solving.facts import Encoding
from pipeline.solving.result import Result
from pipeline.version import __version__

if TYPE_CHECKING:
    from pipeline.puzzle.puzzle import Puzzle
    from pipeline.reading.formats import Parsed
    from pipeline.solving import explain

LARGE_PROOF = 256 * 1024
"""Proofs of this many characters or more are compressed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The dropped source of a job: its id, file name, and size and hash of its bytes.

    `sha256` and `bytes` are None for what was refused unread. `declared` holds the options that
    declared its notation, `member` is the place of a member in its archive, from 0.
    """

    job: str
    source: str
    sha256: str | None
    bytes: int | None
    declared: Mapping[str, str] = field(default_factory=dict)
    member: int | None = None


def timestamp(moment: datetime) -> str:
    """UTC with milliseconds and a Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def cnf_texts(result: Result) -> tuple[Iterable[str], Iterable[str]]:
    """The DIMACS text of the puzzle, and the same with each solution blocked; in pieces."""
    from pipeline.solving.cnf import blocking_clause, dimacs_lines  # noqa: PLC0415 - loaded by then

    assert result.cnf, "a solved puzzle was encoded"  # noqa: S101
    blocking = [blocking_clause(grid, result.cnf) for grid in result.solutions]
    return dimacs_lines(result.cnf), dimacs_lines(result.cnf, blocking)


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def make_record(
    origin: Origin, result: Result, files: Mapping[str, str], finished: datetime
) -> PuzzleRecord:
    """The record; `files` maps each published name to its SHA-256."""
    found, used = result.certificate, result.solver
    parsed = _parsed(result)
    geometry = parsed.puzzle.geometry if parsed else None
    solver = Solver(name=used.name, version=used.version, fallback=used.fallback) if used else None
    return PuzzleRecord(
        **_common(origin, files, result.seconds, finished),
        format=result.format,
        variant=parsed.variant if parsed else None,
        box=(geometry.height, geometry.width) if geometry else None,
        grids=(geometry and geometry.grids) or UNSET,
        rules=dict(Counter(rule.name for rule in parsed.puzzle.rules)) or UNSET
        if parsed
        else UNSET,
        unread=(parsed and parsed.unread) or UNSET,
        status=result.status,
        solutions=len(result.solutions),
        complete=result.complete,
        message=result.said,
        solver=solver,
        encoding=_encoding(result),
        certificate=Certificate(solutions="checked", **asdict(found)) if found else UNSET,
        **_explained(result),
        disagreement=result.disagreement or UNSET,
        **_traits(result),
    )


def _traits(result: Result) -> dict[str, Any]:
    """The fields for what else was asked about a puzzle."""
    traits, parsed, told = result.traits, _parsed(result), dict[str, Any]()
    if traits is None or parsed is None:
        return told
    if "canonical" in traits.asked:
        told["canonical"] = traits.canonical
    if "minimal" in traits.asked:
        told["redundant"] = None
        if traits.redundant is not None:
            givens, place = dict(parsed.puzzle.givens()), parsed.puzzle.geometry.place
            told["redundant"] = tuple(
                Value(row=place(cell)[0], column=place(cell)[1], value=givens[cell])
                for cell in traits.redundant
            )
    if "effort" in traits.asked:
        told["effort"] = traits.effort
    return told


def _parsed(result: Result) -> Parsed | None:
    """The puzzle as it was read; None for a formula, or if nothing was read."""
    from pipeline.solving.problem import PuzzleProblem  # noqa: PLC0415 - as above

    return result.problem.parsed if isinstance(result.problem, PuzzleProblem) else None


def _common(
    origin: Origin, files: Mapping[str, str], seconds: Mapping[str, float], finished: datetime
) -> dict[str, Any]:
    """The fields that every record has."""
    return {
        "version": __version__,
        "job": origin.job,
        "source": origin.source,
        "member": UNSET if origin.member is None else origin.member,
        "sha256": origin.sha256,
        "bytes": origin.bytes,
        "declared": dict(origin.declared) or UNSET,
        "seconds": told_seconds(seconds),
        "files": tuple(File(name=name, sha256=hashed) for name, hashed in files.items()),
        "finished": timestamp(finished),
    }


def _encoding(result: Result) -> Encoding | None:
    """How the formula given to the solver was made, and its size."""
    from pipeline.solving.problem import FormulaProblem  # noqa: PLC0415 - as above

    if isinstance(result.problem, FormulaProblem):
        formula = result.problem.parsed
        return Encoding(name=None, variables=formula.variables, clauses=len(formula.clauses))
    return result.encoding


def _explained(result: Result) -> dict[str, Any]:
    """The fields that say why there is no solution, or where several differ."""
    told: dict[str, Any] = {}
    if result.status == "unsolvable" and (parsed := _parsed(result)):
        found = result.conflict
        told["conflict"] = tuple(map(_clue, found.clues)) if found else None
        told["conflict_minimal"] = found.minimal if found else None
        if found and found.rules:
            told["conflict_rules"] = tuple(_rules_told(parsed.puzzle, found.rules))
    if different := result.difference:
        cells = tuple(Cell(row=row, column=column) for row, column in different.cells)
        decisive = tuple(
            Value(row=clue.row, column=clue.column, value=clue.value)
            for clue in different.decisive
            if clue.value is not None
        )
        told["difference"] = Difference(cells=cells, decisive=decisive, exact=different.exact)
    return told


def _rules_told(puzzle: Puzzle, places: Iterable[int]) -> Iterator[RuleTold]:
    for place in places:
        yield RuleTold(number=place + 1, told=puzzle.rules[place].describe(puzzle.geometry))


def _clue(clue: explain.Clue) -> Clue:
    if isinstance(clue.holds, int):
        return Clue(row=clue.row, column=clue.column, value=clue.holds)
    return Clue(row=clue.row, column=clue.column, mark=clue.holds)


def record_text(record: Record) -> str:
    """The record as indented JSON, in ASCII even if names are not."""
    return json.dumps(msgspec.to_builtins(record), indent=1) + "\n"


def log_text(origin: Origin, result: Result, claimed: datetime, finished: datetime) -> str:
    """The job's log: one JSON object a line, each stage with its seconds."""
    lines: list[dict[str, Any]] = []
    for stage, seconds in result.seconds.items():
        if stage != "total":
            lines.append({"event": f"stage.{stage}", "seconds": round(seconds, 6)})
        if stage == "parse" and (read := _parsed(result)):
            lines[-1] |= {"format": read.format, "variant": read.variant, "reason": read.reason}
    if (used := result.solver) and used.fallback:
        event = "solver.fallback"
        lines.append({"event": event, "reason": used.fallback, "solver": used.name})
    return _log(origin, timestamp(claimed), lines, finished, finished_event(origin, result))


def _log(
    origin: Origin,
    claimed: str,
    stages: Iterable[Mapping[str, Any]],
    finished: datetime,
    event: Mapping[str, Any],
) -> str:
    """The lines of a log; `event` is what the last one says."""
    lines = (
        {"timestamp": claimed, "event": "job.claimed", "source": origin.source},
        *stages,
        {"timestamp": timestamp(finished), "event": "job.finished", **event},
    )
    return "".join(json.dumps({"job": origin.job, **line}) + "\n" for line in lines)


def finished_event(origin: Origin, result: Result) -> dict[str, Any]:
    seconds = told_seconds(result.seconds)
    if "batch" in seconds:
        del seconds["total"]  # it would be that of all the puzzles of the batch
    return {
        "source": origin.source,
        "status": result.status,
        "solutions": len(result.solutions),
        "complete": result.complete,
        "certificate": result.told_certificate or None,
        "message": result.said,
        "seconds": seconds,
    }


def job_files(
    stem: str, origin: Origin, result: Result, times: tuple[datetime, datetime], *, keep_cnf: bool
) -> Iterator[tuple[str, Iterable[str | bytes]]]:
    """All files of one puzzle but its record: each name and its text in pieces.

    `times`: when it was claimed, and when it was finished.
    """
    for number, solution in enumerate(result.solutions, 1):
        assert result.problem, "solutions come from a problem"  # noqa: S101
        yield f"{stem}_{number}.solution", result.problem.text(solution)
    if keep_cnf and result.cnf:
        puzzle, counted = cnf_texts(result)
        yield f"{stem}.cnf", puzzle
        yield f"{stem}_count.cnf", counted
    if result.proof:
        yield f"{stem}.proof.cnf", result.proof.formula().text()
        yield _proof_file(f"{stem}.proof.drat", result.proof.drat)
        yield _proof_file(f"{stem}.proof.lrat", result.proof.lrat)
    yield f"{stem}.log", [log_text(origin, result, *times)]


def _proof_file(name: str, text: str) -> tuple[str, Iterable[str | bytes]]:
    """The name and content of a proof's file, compressed if it is large."""
    if len(text) < LARGE_PROOF:
        return name, [text]
    return f"{name}.xz", [lzma.compress(text.encode("ascii"), preset=1)]


def told_seconds(seconds: Mapping[str, float]) -> dict[str, float]:
    """Seconds by stage, rounded to a millionth."""
    return {stage: round(spent, 6) for stage, spent in seconds.items()}


def told_totals(totals: Mapping[str, int]) -> dict[str, int]:
    """The totals without those that the certificate has."""
    return {name: n for name, n in sorted(totals.items()) if name not in (PROVED, CLAIMED)}


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of a job of many puzzles: `totals` counts them, `seconds` is how long it took.

    `reason` says why it was read as that format, `fallbacks` why others than the first solver
    answered.
    """

    status: str
    format: str
    reason: str
    totals: Mapping[str, int]
    fallbacks: tuple[Fallback, ...]
    seconds: float


def many_record(
    origin: Origin, summary: Summary, files: Mapping[str, str], finished: datetime
) -> ManyRecord:
    proved, claimed = summary.totals.get(PROVED, 0), summary.totals.get(CLAIMED, 0)
    certificate = CertificateOfMany(solutions="checked", proved=proved, claimed=claimed)
    return ManyRecord(
        **_common(origin, files, {"total": summary.seconds}, finished),
        format=summary.format,
        status=summary.status,
        totals=told_totals(summary.totals),
        certificate=certificate if proved or claimed else UNSET,
        fallbacks=summary.fallbacks or UNSET,
    )


def many_log_text(origin: Origin, summary: Summary, claimed: str, finished: datetime) -> str:
    stage = {"event": "stage.parse", "format": summary.format, "reason": summary.reason}
    fallbacks = [{"event": "solver.fallback", **structs.asdict(f)} for f in summary.fallbacks]
    event = {
        "source": origin.source,
        "status": summary.status,
        "totals": told_totals(summary.totals),
        PROVED: summary.totals.get(PROVED, 0),
        CLAIMED: summary.totals.get(CLAIMED, 0),
        "seconds": told_seconds({"total": summary.seconds}),
    }
    return _log(origin, claimed, [stage, *fallbacks], finished, event)
