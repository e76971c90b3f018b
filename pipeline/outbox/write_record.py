"""Result → published files: the record, the log, the solutions, the CNFs."""

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

from pipeline.outbox import LARGEST
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
from pipeline.reading.unread import unread_of_many
from pipeline.solving import Encoding
from pipeline.solving.result import Certificate, Result
from pipeline.version import __version__, build

if TYPE_CHECKING:
    from pipeline.reading.formats import Parsed
    from pipeline.solving.explain import Clue
    from pipeline.solving.problem import S

FilesOfSet = Iterator[tuple[str, Iterable[str | bytes]]]
"""File names, and the content of each in chunks."""

_INDENTED = 10
"""The extra bytes of an object in a list, in the layout of `record_text`."""

LARGE_PROOF = 256 * 1024
"""Minimum number of characters from which proofs are compressed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The dropped source of a job: its id, file name, and size and hash of its bytes.

    `sha256` and `bytes` are None if it was refused unread. `declared` has the options that declare
    its notation, `member` is the index of a member in its archive, from 0.
    """

    job: str
    source: str
    sha256: str | None
    bytes: int | None
    declared: Mapping[str, str] = field(default_factory=dict)
    member: int | None = None


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """The published set of one puzzle or formula."""

    origin: Origin
    result: Result
    keep_cnf: bool = False

    @property
    def not_read(self) -> str | None:
        """The parts of the source that the answer ignores."""
        return self.result.caveat

    def warnings(self) -> list[dict[str, str]]:
        """The reason for a fallback, unless it was planned, as fields of log lines."""
        used = self.result.solver
        return [{"solver": used.name, "reason": used.warning}] if used and used.warning else []

    def record(self, files: Mapping[str, str], finished: datetime) -> PuzzleRecord:
        """The record; `files` maps each published name to its SHA-256."""
        result, solver = self.result, None
        if used := result.solver:
            solver = RecordedSolver(name=used.name, version=used.version, fallback=used.fallback)
        checked: PuzzleCertificate | UnsetType = UNSET
        if certificate := result.certificate:
            checked = PuzzleCertificate(solutions="checked", **msgspec.to_builtins(certificate))
        return PuzzleRecord(
            **_fields_of_all(self.origin, files, result.seconds, finished),
            **_read(_parsed(result)),
            format=result.format,
            status=result.status,
            solutions=len(result.solutions),
            complete=result.complete,
            message=result.full_message,
            solver=solver,
            encoding=_encoding(result),
            certificate=checked,
            **_explained(result),
            disagreement=result.disagreement or UNSET,
            **_traits(result),
        )

    def files(self, stem: str, record: Record, claimed: str) -> FilesOfSet:
        """All files of the set except the record, which need not list them yet."""
        result = self.result
        for number, solution in enumerate(result.solutions, 1):
            assert result.problem, "solutions come from a problem"  # noqa: S101
            yield f"{stem}_{number}.solution", result.problem.text(solution)
        if self.keep_cnf and result.cnf:
            from pipeline.solving.cnf import cnf_texts  # noqa: PLC0415 - loaded by then

            puzzle, counted = cnf_texts(result.cnf, result.solutions)
            yield f"{stem}.cnf", puzzle
            yield f"{stem}_count.cnf", counted
        if result.proof:
            yield f"{stem}.proof.cnf", result.proof.formula().text()
            yield _proof_file(f"{stem}.proof.drat", result.proof.drat)
            yield _proof_file(f"{stem}.proof.lrat", result.proof.lrat)
        read = _parsed(result)
        yield f"{stem}.log", _log(record, claimed, read.reason if read else "")


def listable(result: Result[S], stem: str, largest: int = LARGEST) -> Result[S]:
    """The result with as many solutions as a record of `largest` bytes can list with that stem.

    A larger record could not be read back.
    """
    count = len(result.solutions)
    last = PublishedFile(name=f"{stem}_{count}.solution", sha256="0" * 64)
    entry = len(record_text(last)) + _INDENTED
    max_bytes = (largest - largest // 8) // entry  # the rest is for the other fields
    if count <= max_bytes:
        return result
    from pipeline.solving.explain import explain_difference  # noqa: PLC0415 - hardly ever needed

    shown = result.solutions[:max_bytes]
    return replace(
        result,
        solutions=shown,
        complete=False,
        message=f"there are more solutions than the {max_bytes} that a record can list",
        certificate=Certificate("no"),
        proof=None,
        difference=explain_difference(list[Any](shown)) if result.difference else None,
    )


@dataclass(frozen=True, slots=True)
class CollectionSet:
    """The published set of a collection or an archive, without its table and solutions.

    - `counts`: by status, and the further counts of FURTHER_COUNTS.
    - `seconds`: the time that the job took.
    - `reason`: why it was read in that format.
    - `fallbacks`: why solvers other than the first choice answered.
    - `unread`: number of puzzles by unread text.
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
    def not_read(self) -> str | None:
        """The parts of the source that the answers ignore."""
        return unread_of_many(self.unread) or None

    def warnings(self) -> list[dict[str, Any]]:
        """The fallbacks as fields of log lines."""
        return [msgspec.structs.asdict(fallback) for fallback in self.fallbacks]

    def record(self, files: Mapping[str, str], finished: datetime) -> CollectionRecord:
        """The record; `files` maps each published name to its SHA-256."""
        known = {how: self.counts.get(how, 0) for how in (PROVED, UNVERIFIED)}
        totals = {name: n for name, n in sorted(self.counts.items()) if name not in known}
        return CollectionRecord(
            **_fields_of_all(self.origin, files, {"total": self.seconds}, finished),
            format=self.format,
            status=self.status,
            totals=totals,
            certificate=CollectionCertificate(solutions="checked", **known)
            if any(known.values())
            else UNSET,
            fallbacks=self.fallbacks or UNSET,
            unread=dict(self.unread) or UNSET,
        )

    def files(self, stem: str, record: Record, claimed: str) -> FilesOfSet:
        """The log."""
        yield f"{stem}.log", _log(record, claimed, self.reason)


def timestamp(moment: datetime) -> str:
    """UTC with milliseconds and a Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digest(data: bytes) -> str:
    """The SHA-256 in hexadecimal."""
    return sha256(data).hexdigest()


def listed(hashes: Mapping[str, str]) -> tuple[PublishedFile, ...]:
    """The files of a record, by their SHA-256."""
    return tuple(PublishedFile(name=name, sha256=hashed) for name, hashed in hashes.items())


def record_text(record: Record | PublishedFile) -> str:
    """The record, or a part of it, as indented JSON in ASCII."""
    fields = msgspec.to_builtins(record)
    try:
        text = msgspec.json.format(json.dumps(fields), indent=1)
    except msgspec.DecodeError:  # a name that is not Unicode
        text = json.dumps(fields, indent=1)
    return text + "\n"


def _fields_of_all(
    origin: Origin, files: Mapping[str, str], seconds: Mapping[str, float], finished: datetime
) -> dict[str, Any]:
    """The fields that every record has."""
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
        "files": listed(files),
        "finished": timestamp(finished),
    }


def _parsed(result: Result) -> Parsed | None:
    """The puzzle as it was read; None for a formula, or if nothing was read."""
    from pipeline.solving.problem import PuzzleProblem  # noqa: PLC0415 - as above

    return result.problem.parsed if isinstance(result.problem, PuzzleProblem) else None


def _read(parsed: Parsed | None) -> dict[str, Any]:
    """The fields about the puzzle itself."""
    if parsed is None:
        return {}
    puzzle = parsed.puzzle
    return {
        "variant": parsed.variant,
        "box": (puzzle.geometry.height, puzzle.geometry.width),
        "grids": puzzle.geometry.grids or UNSET,
        "free": RecordedFree.of(puzzle.geometry) or UNSET,
        "rules": dict(Counter(rule.name for rule in puzzle.rules)) or UNSET,
        "unread": parsed.unread or UNSET,
        "title": parsed.title or UNSET,
    }


def _encoding(result: Result) -> Encoding | None:
    """The encoding of the solver's formula, and its size."""
    from pipeline.solving.problem import FormulaProblem  # noqa: PLC0415 - as above

    if isinstance(result.problem, FormulaProblem):
        formula = result.problem.parsed
        return Encoding(name=None, variables=formula.variables, clauses=len(formula.clauses))
    return result.encoding


def _explained(result: Result) -> dict[str, Any]:
    """The fields that explain why there is no solution, or where several differ."""
    fields: dict[str, Any] = {}
    if result.status == "unsolvable" and (parsed := _parsed(result)):
        conflict, puzzle = result.conflict, parsed.puzzle
        fields["conflict"] = tuple(map(_clue, conflict.clues)) if conflict else None
        fields["conflict_minimal"] = conflict.minimal if conflict else None
        if conflict and conflict.rules:
            fields["conflict_rules"] = recorded_rules(puzzle, conflict.rules)
    if different := result.difference:
        decisive = ((clue.place, clue.value) for clue in different.decisive)
        fields["difference"] = RecordedDifference(
            cells=tuple(RecordedCell(*place) for place in different.cells),
            decisive=tuple(Value(*place, value) for place, value in decisive if value is not None),
            exact=different.exact,
        )
    return fields


def _clue(clue: Clue) -> RecordedClue:
    if isinstance(clue.holds, int):
        return RecordedClue(*clue.place, value=clue.holds)
    return RecordedClue(*clue.place, mark=clue.holds)


def _traits(result: Result) -> dict[str, Any]:
    """The fields of traits."""
    traits, parsed = result.traits, _parsed(result)
    if traits is None or parsed is None:
        return {}
    fields: dict[str, Any] = {}
    for name in traits.asked:
        fields |= TRAITS[name].recorded(traits, parsed.puzzle)
    return fields


def _log(record: Record, claimed: str, reason: str) -> list[str]:
    """The text of a log."""
    return ["".join(json.dumps(line) + "\n" for line in log_lines(record, claimed, reason))]


def _proof_file(name: str, text: str) -> tuple[str, Iterable[str | bytes]]:
    """The name and content of a proof's file, compressed if it is large."""
    if len(text) < LARGE_PROOF:
        return name, [text]
    return f"{name}.xz", [lzma.compress(text.encode("ascii"), preset=1)]
