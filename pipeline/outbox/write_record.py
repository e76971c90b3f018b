"""Write the files of a set: record, log, solutions, formulas and proofs."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from pipeline.outbox import MAX_RECORD_BYTES
from pipeline.outbox.events import log_lines
from pipeline.outbox.schema import (
    PROVED,
    UNVERIFIED,
    CollectionCertificate,
    CollectionRecord,
    Fallback,
    PublishedFile,
    PuzzleCertificate,
    PuzzleRecord,
    Record,
    RecordedCell,
    RecordedClue,
    RecordedDifference,
    RecordedFree,
    RecordedSolver,
    Value,
)
from pipeline.outbox.traits import TRAITS, recorded_rules
from pipeline.reading.unread import unread_summary
from pipeline.solving import Encoding
from pipeline.solving.result import Certificate, Result
from pipeline.version import __version__, build

if TYPE_CHECKING:
    from pipeline.reading.formats import Parsed
    from pipeline.solving.explain import Clue
    from pipeline.solving.problem import S

FilesOfSet = Iterator[tuple[str, Iterable[str | bytes]]]
"""An iterator over the names of files, each with the file's content in chunks."""

_INDENT_BYTES = 10
"""Number of bytes that indentation adds to an entry of `files` in a record."""

MIN_COMPRESSED_CHARACTERS = 256 * 1024
"""Proofs with at least this number of characters are compressed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The fields of a record that identify a job and its source.

    - `job`: the id of the job.
    - `source`: the name of the file or folder.
    - `sha256`, `bytes`: the hash and size of the content; None if the source was not read.
    - `declared`: maps the options that declared the notation to their values.
    - `member`: the number of a member in its archive, from 0; None for other sources.
    """

    job: str
    source: str
    sha256: str | None
    bytes: int | None
    declared: Mapping[str, str] = field(default_factory=dict)
    member: int | None = None


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """The result of one puzzle or formula, to be published.

    `keep_cnf`: whether the formulas that the solver was given are published too.
    """

    origin: Origin
    result: Result
    keep_cnf: bool = False

    @property
    def caveat(self) -> str | None:
        """A warning about parts of the source that were not read; None if no warning is needed."""
        return self.result.caveat

    def warnings(self) -> list[dict[str, str]]:
        """The fields of a log line for each unplanned fallback: one line, or none."""
        solver = self.result.solver
        if solver is None or not solver.warning:
            return []
        return [{"solver": solver.name, "reason": solver.warning}]

    def record(self, files: Mapping[str, str], finished: datetime) -> PuzzleRecord:
        """Make the record. `files` maps the name of each published file to its SHA-256."""
        result, recorded_solver = self.result, None
        if solver := result.solver:
            recorded_solver = RecordedSolver(
                name=solver.name, version=solver.version, fallback=solver.fallback
            )
        recorded_certificate: PuzzleCertificate | UnsetType = UNSET
        if certificate := result.certificate:
            recorded_certificate = PuzzleCertificate(
                solutions="checked", **msgspec.to_builtins(certificate)
            )
        return PuzzleRecord(
            **_common_fields(self.origin, files, result.seconds, finished),
            **_puzzle_fields(_parsed(result)),
            unread=(result.problem.unread if result.problem else ()) or UNSET,
            format=result.format,
            status=result.status,
            solutions=len(result.solutions),
            complete=result.complete,
            message=result.full_message,
            code=result.code or UNSET,
            solver=recorded_solver,
            encoding=_encoding(result),
            certificate=recorded_certificate,
            **_explanation_fields(result),
            disagreement=result.disagreement or UNSET,
            **_trait_fields(result),
        )

    def files(self, stem: str, record: Record, claim_time: str) -> FilesOfSet:
        """Yield all files of the set except the record. The log repeats fields of `record`."""
        result = self.result
        for number, solution in enumerate(result.solutions, 1):
            assert result.problem, "solutions come from a problem"  # noqa: S101
            yield f"{stem}_{number}.solution", result.problem.text(solution)
        if self.keep_cnf and result.cnf:
            from pipeline.solving.cnf import cnf_texts  # noqa: PLC0415 - the solver has loaded it

            puzzle_cnf, counting_cnf = cnf_texts(result.cnf, result.solutions)
            yield f"{stem}.cnf", puzzle_cnf
            yield f"{stem}_count.cnf", counting_cnf
        if result.proof:
            yield f"{stem}.proof.cnf", result.proof.formula().text()
            yield _proof_file(f"{stem}.proof.drat", result.proof.drat)
            yield _proof_file(f"{stem}.proof.lrat", result.proof.lrat)
        parsed = _parsed(result)
        yield f"{stem}.log", _log_content(record, claim_time, parsed.reason if parsed else "")


def limit_solutions(
    result: Result[S], stem: str, max_record_bytes: int = MAX_RECORD_BYTES
) -> Result[S]:
    """Remove the solutions that do not fit into a record of `max_record_bytes` with this stem.

    Readers reject larger records.
    """
    count = len(result.solutions)
    longest_entry = PublishedFile(name=f"{stem}_{count}.solution", sha256="0" * 64)
    entry_bytes = len(record_text(longest_entry)) + _INDENT_BYTES
    max_files = max_record_bytes * 7 // 8 // entry_bytes  # the rest is for the other fields
    if count <= max_files:
        return result
    from pipeline.solving.explain import explain_difference  # noqa: PLC0415 - rarely needed

    kept = result.solutions[:max_files]
    return replace(
        result,
        solutions=kept,
        complete=False,
        message=f"there are more solutions than the {max_files} that a record can list",
        certificate=Certificate("no"),
        proof=None,
        difference=explain_difference(list[Any](kept)) if result.difference else None,
    )


@dataclass(frozen=True, slots=True)
class CollectionSet:
    """The results of a collection or archive, to be published with its table and solutions.

    - `reason`: why the source was read in this format.
    - `counts`: numbers of puzzles by status, and the EXTRA_COUNTS.
    - `fallbacks`: the solvers that answered instead of the first choice.
    - `seconds`: the time that the job took.
    - `unread`: maps each part that was not read to the number of puzzles that have it.
    """

    origin: Origin
    status: str
    format: str
    reason: str
    counts: Mapping[str, int]
    fallbacks: tuple[Fallback, ...]
    seconds: float
    unread: Mapping[str, int] = field(default_factory=dict)

    @property
    def caveat(self) -> str | None:
        """A warning about parts of the source that were not read; None if no warning is needed."""
        return unread_summary(self.unread) or None

    def warnings(self) -> list[dict[str, Any]]:
        """The fallbacks as fields of log lines."""
        return [msgspec.structs.asdict(fallback) for fallback in self.fallbacks]

    def record(self, files: Mapping[str, str], finished: datetime) -> CollectionRecord:
        """Make the record. `files` maps the name of each published file to its SHA-256."""
        completeness = {name: self.counts.get(name, 0) for name in (PROVED, UNVERIFIED)}
        totals = {name: n for name, n in sorted(self.counts.items()) if name not in completeness}
        return CollectionRecord(
            **_common_fields(self.origin, files, {"total": self.seconds}, finished),
            format=self.format,
            status=self.status,
            totals=totals,
            certificate=CollectionCertificate(solutions="checked", **completeness)
            if any(completeness.values())
            else UNSET,
            fallbacks=self.fallbacks or UNSET,
            unread=dict(self.unread) or UNSET,
        )

    def files(self, stem: str, record: Record, claim_time: str) -> FilesOfSet:
        """Yield only the log: other code writes the table and the solution files."""
        yield f"{stem}.log", _log_content(record, claim_time, self.reason)


def timestamp(moment: datetime) -> str:
    """Format a time in UTC as ISO 8601 with milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digest(data: bytes) -> str:
    """The SHA-256 of these bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def published_files(hashes: Mapping[str, str]) -> tuple[PublishedFile, ...]:
    """Make the field `files` of a record from a map of names to SHA-256."""
    return tuple(PublishedFile(name=name, sha256=hashed) for name, hashed in hashes.items())


def record_text(record: Record | PublishedFile) -> str:
    """Format a record, or an entry of its `files`, as indented JSON in ASCII."""
    fields = msgspec.to_builtins(record)
    try:
        text = msgspec.json.format(json.dumps(fields), indent=1)
    except msgspec.DecodeError:  # a name that is not Unicode
        text = json.dumps(fields, indent=1)
    return text + "\n"


def _common_fields(
    origin: Origin, files: Mapping[str, str], seconds: Mapping[str, float], finished: datetime
) -> dict[str, Any]:
    """Make the fields that all records have."""
    return {
        "version": __version__,
        "build": build(),
        "job": origin.job,
        "source": origin.source,
        "member": UNSET if origin.member is None else origin.member,
        "sha256": origin.sha256,
        "bytes": origin.bytes,
        "declared": dict(origin.declared) or UNSET,
        "seconds": {stage: round(spent, 6) for stage, spent in seconds.items()},
        "files": published_files(files),
        "finished": timestamp(finished),
    }


def _parsed(result: Result) -> Parsed | None:
    """The parsed puzzle of a result; None for a formula, or if reading failed."""
    from pipeline.solving.problem import PuzzleProblem  # noqa: PLC0415 - slow to load

    return result.problem.parsed if isinstance(result.problem, PuzzleProblem) else None


def _puzzle_fields(parsed: Parsed | None) -> dict[str, Any]:
    """Make the fields that describe the puzzle."""
    if parsed is None:
        return {}
    puzzle = parsed.puzzle
    return {
        "variant": parsed.variant,
        "box": (puzzle.geometry.height, puzzle.geometry.width),
        "grids": puzzle.geometry.grids or UNSET,
        "free": RecordedFree.of(puzzle.geometry) or UNSET,
        "rules": dict(Counter(rule.name for rule in puzzle.rules)) or UNSET,
        "title": parsed.title or UNSET,
    }


def _encoding(result: Result) -> Encoding | None:
    """The encoding and size of the formula that the solver was given; None without a formula."""
    from pipeline.solving.problem import FormulaProblem  # noqa: PLC0415 - slow to load

    if isinstance(result.problem, FormulaProblem):
        formula = result.problem.parsed
        return Encoding(name=None, variables=formula.variables, clauses=len(formula.clauses))
    return result.encoding


def _explanation_fields(result: Result) -> dict[str, Any]:
    """Make the fields that say why there is no solution, or where the solutions differ."""
    fields: dict[str, Any] = {}
    if result.status == "unsolvable" and (parsed := _parsed(result)):
        conflict, puzzle = result.conflict, parsed.puzzle
        fields["conflict"] = tuple(map(_recorded_clue, conflict.clues)) if conflict else None
        fields["conflict_minimal"] = conflict.minimal if conflict else None
        if conflict and conflict.rules:
            fields["conflict_rules"] = recorded_rules(puzzle, conflict.rules)
    if difference := result.difference:
        decisive = ((clue.place, clue.value) for clue in difference.decisive)
        fields["difference"] = RecordedDifference(
            cells=tuple(RecordedCell(*place) for place in difference.cells),
            decisive=tuple(Value(*place, value) for place, value in decisive if value is not None),
            exact=difference.exact,
        )
    return fields


def _recorded_clue(clue: Clue) -> RecordedClue:
    if isinstance(clue.holds, int):
        return RecordedClue(*clue.place, value=clue.holds)
    return RecordedClue(*clue.place, mark=clue.holds)


def _trait_fields(result: Result) -> dict[str, Any]:
    """Make the fields of the requested traits."""
    traits, parsed = result.traits, _parsed(result)
    if traits is None or parsed is None:
        return {}
    fields: dict[str, Any] = {}
    for name in traits.requested:
        fields |= TRAITS[name].fields(traits, parsed.puzzle)
    return fields


def _log_content(record: Record, claim_time: str, reason: str) -> list[str]:
    """Make the content of a log, as one chunk."""
    return ["".join(json.dumps(line) + "\n" for line in log_lines(record, claim_time, reason))]


def _proof_file(name: str, text: str) -> tuple[str, Iterable[str | bytes]]:
    """The name and the content of the file of a proof. Large proofs are compressed."""
    if len(text) < MIN_COMPRESSED_CHARACTERS:
        return name, [text]
    return f"{name}.xz", [lzma.compress(text.encode("ascii"), preset=1)]
