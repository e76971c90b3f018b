"""Audit an outbox: check everything that its files assert.

No published file is trusted. The originals are read again, every grid is checked against the rules,
the formula of every proof is encoded again, and every step of the proof is checked.

    record ─▶ PublishedPuzzle ─────▶ single ──────────────▶ Finding: ok, unchecked, bad
              PublishedCollection ─▶ collection, archive ─▶
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.errors import EnvironmentFailure, MissingFolder, in_words
from pipeline.files import is_file_name, read_regular
from pipeline.outbox import RECORD_SUFFIX, NoRecord
from pipeline.outbox.audit.archive import audit_archive
from pipeline.outbox.audit.findings import (
    NOT_LISTED,
    AuditOptions,
    Finding,
    Findings,
    audit_files,
    folders_in,
)
from pipeline.outbox.audit.single import audit_content, audit_single
from pipeline.outbox.names import is_answer, job_stem
from pipeline.outbox.originals import Originals
from pipeline.outbox.published import (
    Published,
    PublishedCollection,
    PublishedPuzzle,
    load_published,
)
from pipeline.outbox.schema import ARCHIVE, SCHEMA, or_none
from pipeline.outbox.tables import ArchiveRow, MemberRow, PuzzleRow, traits_in
from pipeline.reading import Archive, Collection, Unreadable
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import kind_of, open_unpacked
from pipeline.reading.read import source_at

__all__ = ["AuditOptions", "Finding", "audit"]

_MAX_ATTEMPTS = 3
"""Maximum number of audits of a set that is replaced during its audit."""

_MAX_HEADER_BYTES = 400
"""Maximum length of the first line of a table."""

_NO_RECORD = "no record"
"""The assertion in a finding about a file that has no readable record."""

_STATUSES_OF_UNREAD = ("invalid", "failed")
"""The statuses that a source may have if it was not read."""


def audit(
    outbox: Path, originals: Sequence[Path], options: AuditOptions | None = None
) -> Iterator[Finding]:
    """Audit every set in an outbox. `originals` are folders such as `inbox/done`.

    The audit writes no files. A set that is replaced during its audit is audited again. Raises
    MissingFolder if the outbox does not exist, and EnvironmentFailure if a folder cannot be read.
    """
    try:
        found_originals = Originals.of(originals)
        # List originals before records: a record is published before its original moves to `done`.
        names = found_originals.names()
        folder = next(folders_in(outbox))
    except OSError as error:
        kind = MissingFolder if isinstance(error, FileNotFoundError) else EnvironmentFailure
        raise kind(in_words(error)) from error
    sources, stems, unreadable_stems = set(), set(), set()
    unlisted = {*folder.names, *(f"{name}/" for name in folder.folders)}
    for path in folder.records():
        published, finding = _audit_record(
            path, found_originals, Findings(options or AuditOptions())
        )
        stem = path.name.removesuffix(RECORD_SUFFIX)
        stems.add(stem)
        if published is None:
            unreadable_stems.add(stem)
        else:
            sources.add(published.record.source)
            unlisted.difference_update((path.name, *published.files))
            if published.record.status == ARCHIVE:
                unlisted.discard(f"{published.stem}/")
        if finding is not None:
            yield finding
    for name in sorted(unlisted):
        if job_stem(name) in unreadable_stems or not os.path.lexists(outbox / name):
            continue
        if _is_result(outbox / name, name, stems):
            report = Findings()
            report.add_problem(f"{name} {NOT_LISTED}")
            yield report.finding(name, _NO_RECORD)
    for name in sorted(names - sources):
        report = Findings()
        report.add_gap(f"{name} is in done/, but has no record")
        yield report.finding(name, _NO_RECORD)


def _is_result(path: Path, name: str, stems: set[str]) -> bool:
    """Whether a file is an answer or a table, or whether a folder contains a record or an answer.

    The name of a folder ends in `/`.
    """
    if name.endswith("/"):
        return _contains_results(path)
    return is_answer(name, stems) or (name.endswith(".csv") and _is_table(path))


def _is_table(path: Path) -> bool:
    try:
        first = read_regular(path, _MAX_HEADER_BYTES).partition(b"\n")[0]
    except OSError:
        return False
    text = first.decode("ascii", errors="replace")
    return any(traits_in(text, kind) is not None for kind in (ArchiveRow, MemberRow, PuzzleRow))


def _contains_results(path: Path) -> bool:
    """Whether a folder contains a record or an answer, at any depth; links are not followed."""
    try:
        names = (name for folder in folders_in(path) for name in folder.names)
        return any(name.endswith(RECORD_SUFFIX) or is_answer(name, ()) for name in names)
    except OSError:
        return False


def _audit_record(
    path: Path, originals: Originals, template: Findings
) -> tuple[Published | None, Finding | None]:
    """Audit one set. Returns the set and the finding.

    The set is None if its record cannot be read. Both are None if the record no longer exists.
    """
    published, finding, stem = None, None, path.name.removesuffix(RECORD_SUFFIX)
    for _ in range(_MAX_ATTEMPTS):
        report = template.empty_copy()
        try:
            latest = load_published(path)
        except FileNotFoundError:
            return None, None
        except NoRecord as error:
            report.add_problem(f"{path.name}: {error}")
            return None, report.finding(stem, _NO_RECORD)
        if latest == published:  # the record was not replaced during the audit
            break
        published = latest
        report = template.empty_copy(is_current_build=published.is_current_build)
        assertion = _audit_safely(published, originals, report)
        finding = report.finding(stem, assertion)
        if finding.verdict != "bad":
            break
    return published, finding


def _audit_safely(
    published: PublishedPuzzle | PublishedCollection, originals: Originals, report: Findings
) -> str:
    """Audit one set. Reports every exception except EnvironmentFailure as a problem.

    Returns the assertion of the job in words.
    """
    source, status = published.record.source, published.record.status
    if not is_file_name(source):
        report.add_problem(f"the source {source!r} is not a file name")
        return status
    if or_none(published.record.member) is not None:
        report.add_problem("member: only allowed in the record of an archive's member")
    if report.is_current_build and published.record.schema != SCHEMA:
        report.add_problem(f"schema is {published.record.schema}, but this version writes {SCHEMA}")
    try:
        audit_files(published, source, report)
        return _audit(published, originals, report)
    except EnvironmentFailure:
        raise
    except Exception as error:  # noqa: BLE001 - everything read here is untrusted
        report.add_problem(f"it cannot be audited: {type(error).__name__}: {error}")
        return status


def _audit(
    published: PublishedPuzzle | PublishedCollection, originals: Originals, report: Findings
) -> str:
    """Find the original of a set, and audit the set. Returns the assertion of the job in words."""
    record = published.record
    candidates = originals.find(record.source)
    if not candidates:
        missing = f"its original {record.source!r} was not found, so nothing was compared"
        report.add_gap(f"{missing}; give its folder with --originals, or the inbox with --inbox")
        if isinstance(published, PublishedCollection):
            return record.status
        return audit_single(published, None, report)
    if record.sha256 is not None:
        max_bytes, limits = report.settings.max_bytes, UnpackLimits.of(report.settings)
        matching = [*originals.find_matching(record, max_bytes, limits)]
        if not matching:
            report.add_problem(
                f"the original {candidates[0]} does not have the sha256 in the record"
            )
        candidates = matching or candidates
    elif len(candidates) > 1:  # several folders with this name were dropped
        candidates = [
            next(
                (path for path in candidates if _has_no_problems(path, published, report)),
                candidates[0],
            )
        ]
    return _audit_against(candidates[0], published, report)


def _has_no_problems(
    original: Path, published: PublishedPuzzle | PublishedCollection, report: Findings
) -> bool:
    """Whether the audit of a set against this original finds no problems."""
    trial = report.empty_copy(is_current_build=published.is_current_build)
    _audit_against(original, published, trial)
    return trial.is_clean


def _audit_against(
    original: Path, published: PublishedPuzzle | PublishedCollection, report: Findings
) -> str:
    """Audit a set against this original. Returns the assertion of the job in words."""
    record, declared = published.record, published.declared
    may_be_unread = record.status in _STATUSES_OF_UNREAD
    if declared:
        words = ("--strict" if name == "strict" else word for name, word in declared.items())
        report.add_note(f"read as {' and '.join(words)}, as the record says")
        report = report.with_declared(declared)
    try:
        status = original.lstat()
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        if record.bytes != size and not (record.bytes is None is record.sha256 and may_be_unread):
            report.add_problem(f"{record.bytes} bytes in the record, the original has {size}")
        kind = kind_of(original)
        is_readable = kind == "plain" and (size or 0) <= report.settings.max_bytes
        needs_hash = not may_be_unread or (record.status == "invalid" and is_readable)
        if record.sha256 is None and size is not None and needs_hash:
            report.add_problem("the record has no sha256")
        if isinstance(published, PublishedCollection) and record.status == ARCHIVE:
            return audit_archive(published, original, report)
        source = source_at(original, record.source, report.settings)
        if isinstance(source, Collection):
            limits = UnpackLimits.of(report.settings)
            with PeekableStream(open_unpacked(original, limits)) as stream:
                return audit_content(published, (source.layout, stream), report)
    except (UnpackError, OSError) as error:
        why = in_words(error) if isinstance(error, OSError) else str(error)
        source = Unreadable(record.source, why)
    if isinstance(source, Archive):
        if isinstance(published, PublishedPuzzle) and record.status != "failed":
            report.add_problem(f"the status is {record.status!r}, but the original is an archive")
        source = Unreadable(record.source, "it is an archive")
    elif isinstance(source, Unreadable) and source.data is None and not may_be_unread:
        report.add_problem(f"the original cannot be read: {source.reason}")
        return record.status
    return audit_content(published, source, report)
