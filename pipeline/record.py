"""Result → the texts that are published: the record, the log, the solutions, the CNFs."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from pipeline.cnf import blocking_clause
from pipeline.dimacs import dimacs_lines
from pipeline.parse import render_puzzle
from pipeline.published import SCHEMA
from pipeline.puzzle import Grid, Puzzle
from pipeline.result import Result
from pipeline.rows import CLAIMED, PROVED
from pipeline.version import __version__

LARGE_PROOF = 256 * 1024
"""Characters from which on a proof is compressed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The dropped thing that a job is about: its id, file name, and size and hash of its bytes.

    `sha256` and `bytes` are None for what was refused unread. `declared` is what was declared of
    its notation.
    """

    job: str
    source: str
    sha256: str | None
    bytes: int | None
    declared: Mapping[str, str] = field(default_factory=dict)


def timestamp(moment: datetime) -> str:
    """UTC with milliseconds and a Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def render_solution(grid: Grid, format_name: str) -> str:
    """The grid in a notation, a filled puzzle file of its own."""
    return render_puzzle(Puzzle.of_values(grid.geometry, grid.values), format_name)


def solution_texts(result: Result) -> Iterable[str]:
    """The text of each solution, in the notation of the input."""
    assert result.parsed, "solutions come from a puzzle"  # noqa: S101
    return (render_solution(grid, result.parsed.format) for grid in result.solutions)


def cnf_texts(result: Result) -> tuple[Iterable[str], Iterable[str]]:
    """The DIMACS text of the puzzle, and the same with each solution blocked; in pieces."""
    assert result.cnf, "a solved puzzle was encoded"  # noqa: S101
    blocking = [blocking_clause(grid, result.cnf) for grid in result.solutions]
    return dimacs_lines(result.cnf), dimacs_lines(result.cnf, blocking)


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(data).hexdigest()


def make_record(
    origin: Origin, result: Result, files: Mapping[str, str], finished: datetime
) -> dict[str, Any]:
    """The record; `files` maps each published name to its SHA-256."""
    parsed, solver = result.parsed, result.solver
    geometry = parsed.puzzle.geometry if parsed else None
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "job": origin.job,
        "source": origin.source,
        "sha256": origin.sha256,
        "bytes": origin.bytes,
        **_declared(origin.declared),
        "format": result.format,
        "variant": parsed.variant if parsed else None,
        "box": [geometry.height, geometry.width] if geometry else None,
        "status": result.status,
        "solutions": result.found,
        "complete": result.complete,
        "message": result.message,
        "files": [{"name": name, "sha256": hashed} for name, hashed in files.items()],
        "solver": solver
        and {"name": solver.name, "version": solver.version, "fallback": solver.fallback},
        "encoding": _encoding(result),
        "seconds": told_seconds(result.seconds),
        "finished": timestamp(finished),
    }
    if result.certificate:
        record["certificate"] = result.certificate.as_record()
    if result.status == "unsolvable" and result.parsed:
        found = result.conflict
        record["conflict"] = found and found.as_record()
        record["conflict_minimal"] = found and found.minimal
    if result.difference:
        record["difference"] = result.difference.as_record()
    if result.disagreement:
        record["disagreement"] = result.disagreement
    return record


def _declared(declared: Mapping[str, str]) -> dict[str, Any]:
    """The field `declared`, where anything was."""
    return {"declared": dict(declared)} if declared else {}


def _encoding(result: Result) -> dict[str, Any] | None:
    """What the solver was asked: how it was made, and its size."""
    if result.formula:
        clauses = len(result.formula.clauses)
        return {"name": None, "variables": result.formula.variables, "clauses": clauses}
    if result.cnf is None:
        return None
    variables = len(result.cnf.candidates)
    return {"name": result.cnf.encoding, "variables": variables, "clauses": result.cnf.size}


def record_text(record: Mapping[str, Any]) -> str:
    """The record as indented JSON, ASCII only, whatever the names are made of."""
    return json.dumps(record, indent=1) + "\n"


def log_text(origin: Origin, result: Result, claimed: datetime, finished: datetime) -> str:
    """The job's log: one JSON object a line, each stage with its seconds."""
    lines: list[dict[str, Any]] = [
        {"timestamp": timestamp(claimed), "event": "job.claimed", "source": origin.source}
    ]
    for stage, seconds in result.seconds.items():
        if stage != "total":
            lines.append({"event": f"stage.{stage}", "seconds": round(seconds, 6)})
        if stage == "parse" and result.parsed:
            read = result.parsed
            lines[-1] |= {"format": read.format, "variant": read.variant, "reason": read.reason}
    if result.solver and result.solver.fallback:
        lines.append(
            {
                "event": "solver.fallback",
                "reason": result.solver.fallback,
                "solver": result.solver.name,
            }
        )
    lines.append(
        {
            "timestamp": timestamp(finished),
            "event": "job.finished",
            **finished_event(origin, result),
        }
    )
    head = {"job": origin.job}
    return "".join(json.dumps(head | line) + "\n" for line in lines)


def finished_event(origin: Origin, result: Result) -> dict[str, Any]:
    """The fields of the line `job.finished`."""
    return {
        "source": origin.source,
        "status": result.status,
        "solutions": result.found,
        "complete": result.complete,
        "message": result.message,
        "seconds": told_seconds(result.seconds),
    }


def job_files(
    stem: str,
    origin: Origin,
    result: Result,
    times: tuple[datetime, datetime],
    *,
    keep_cnf: bool,
) -> Iterator[tuple[str, Iterable[str | bytes]]]:
    """One puzzle's set but its record: each name and its text in pieces.

    `times`: when it was claimed, and when it was finished.
    """
    for number, text in enumerate(solution_texts(result) if result.solutions else (), 1):
        yield f"{stem}_{number}.solution", [text]
    if result.models:
        from pipeline.formulas import solution_text  # noqa: PLC0415 - seldom needed
    for number, model in enumerate(result.models, 1):
        yield f"{stem}_{number}.solution", solution_text(model)
    if keep_cnf and result.cnf:
        puzzle, counted = cnf_texts(result)
        yield f"{stem}.cnf", puzzle
        yield f"{stem}_count.cnf", counted
    if result.proof:
        yield f"{stem}.proof.cnf", result.proof.formula()
        yield _drat_file(stem, result.proof.text)
    yield f"{stem}.log", [log_text(origin, result, *times)]


def _drat_file(stem: str, text: str) -> tuple[str, Iterable[str | bytes]]:
    """The name of a proof's file and what is in it, compressed where it is large."""
    if len(text) < LARGE_PROOF:
        return f"{stem}.proof.drat", [text]
    return f"{stem}.proof.drat.xz", [lzma.compress(text.encode("ascii"), preset=1)]


def told_seconds(seconds: Mapping[str, float]) -> dict[str, float]:
    """Stage → seconds, to a millionth."""
    return {stage: round(spent, 6) for stage, spent in seconds.items()}


def told_totals(totals: Mapping[str, int]) -> dict[str, int]:
    """The totals without what the certificate tells."""
    return {name: n for name, n in sorted(totals.items()) if name not in (PROVED, CLAIMED)}


def many_record(
    about: Mapping[str, Any],
    declared: Mapping[str, str],
    totals: Mapping[str, int],
    files: Mapping[str, str],
    now: datetime,
) -> dict[str, Any]:
    """The record of a job that holds many puzzles; `totals` counts them per status.

    `about` has its fields up to `status`, and its `seconds`.
    """
    proved, claimed = totals.get(PROVED, 0), totals.get(CLAIMED, 0)
    certificate = {"solutions": "checked", "proved": proved, "claimed": claimed}
    return {
        "schema": SCHEMA,
        "version": __version__,
        **about,
        **_declared(declared),
        "totals": told_totals(totals),
        **({"certificate": certificate} if proved or claimed else {}),
        "files": [{"name": name, "sha256": hashed} for name, hashed in files.items()],
        "finished": timestamp(now),
    }


def many_log_text(
    about: Mapping[str, Any],
    reason: str | None,
    totals: Mapping[str, int],
    claimed: str,
    now: datetime,
) -> str:
    """The log of a job that holds many puzzles."""
    source, job = about["source"], about["job"]
    lines: list[dict[str, Any]] = [
        {"timestamp": claimed, "event": "job.claimed", "source": source},
        {"event": "stage.parse", "format": about["format"], "reason": reason},
        {
            "timestamp": timestamp(now),
            "event": "job.finished",
            "source": source,
            "status": about["status"],
            "totals": told_totals(totals),
            "seconds": about["seconds"],
        },
    ]
    return "".join(json.dumps({"job": job} | line) + "\n" for line in lines)
