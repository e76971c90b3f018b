"""Check every assertion in an outbox, from its files alone.

Nothing published is trusted. The originals are read again, every grid is checked against the
rules, the formula of every proof is generated again, and every step of the proof is checked.

    outbox ─ sets ─▶ One ──▶ single ──────────────▶ Finding: ok, unchecked, bad
                     Many ─▶ collection, archive ─▶
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.errors import EnvironmentFailure, MissingFolder, in_words
from pipeline.files import is_file_name, read_regular
from pipeline.outbox import ENDING, NoRecord
from pipeline.outbox.audit.archive import audit_archive
from pipeline.outbox.audit.sets import (
    NOT_LISTED,
    AuditOptions,
    Finding,
    Findings,
    audit_files,
    folders_in,
)
from pipeline.outbox.audit.single import audit_content, audit_single
from pipeline.outbox.names import base_of, is_answer
from pipeline.outbox.originals import Originals
from pipeline.outbox.published import (
    Published,
    PublishedCollection,
    PublishedPuzzle,
    load_published,
)
from pipeline.outbox.schema import ARCHIVE, SCHEMA, or_none
from pipeline.outbox.tables import MemberRow, PuzzleRow, traits_in
from pipeline.reading import Archive, Collection, Unreadable
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import kind_of, open_unpacked
from pipeline.reading.read import source_at

__all__ = ["AuditOptions", "Finding", "audit"]

_ATTEMPTS = 3
_LONGEST_HEADER = 400
_NO_RECORD = "no record"
_NOT_READ = ("invalid", "failed")
"""Statuses of sources that may have been impossible to read."""


def audit(
    outbox: Path, originals: Sequence[Path], terms: AuditOptions | None = None
) -> Iterator[Finding]:
    """Audit every set in an outbox; `originals` are folders like `inbox/done`.

    Nothing is written. A set that is replaced meanwhile is audited again. Raises
    MissingFolder if there is no outbox, EnvironmentFailure if a folder cannot be read.
    """
    try:
        known = Originals.of(originals)
        names = known.names()  # before the records, which are published earlier
        folder = next(folders_in(outbox))
    except OSError as error:
        blame = MissingFolder if isinstance(error, FileNotFoundError) else EnvironmentFailure
        raise blame(in_words(error)) from error
    sources, stems, broken = set(), set(), set()
    unlisted = {*folder.names, *(f"{name}/" for name in folder.folders)}
    for path in folder.records():
        published, finding = _of_record(path, known, Findings(terms or AuditOptions()))
        stem = path.name.removesuffix(ENDING)
        stems.add(stem)
        if published is None:
            broken.add(stem)
        else:
            sources.add(published.record.source)
            unlisted.difference_update((path.name, *published.files))
            if published.record.status == ARCHIVE:
                unlisted.discard(f"{published.stem}/")
        if finding is not None:
            yield finding
    for name in sorted(unlisted):
        if base_of(name) in broken or not os.path.lexists(outbox / name):
            continue
        if _is_result(outbox / name, name, stems):
            report = Findings()
            report.bad(f"{name} {NOT_LISTED}")
            yield report.finding(name, _NO_RECORD)
    for name in sorted(names - sources):
        report = Findings()
        report.gap(f"there is no record of {name}, which is done")
        yield report.finding(name, _NO_RECORD)


def _is_result(path: Path, name: str, stems: set[str]) -> bool:
    """Whether a file is an answer or a table, or a folder contains any; its name ends with `/`."""
    if name.endswith("/"):
        return _holds_sets(path)
    return is_answer(name, stems) or (name.endswith(".csv") and _is_table(path))


def _is_table(path: Path) -> bool:
    try:
        first = read_regular(path, _LONGEST_HEADER).partition(b"\n")[0]
    except OSError:
        return False
    text = first.decode("ascii", errors="replace")
    return any(traits_in(text, kind) is not None for kind in (MemberRow, PuzzleRow))


def _holds_sets(path: Path) -> bool:
    """Whether a folder contains a record or an answer, at any depth; links are not followed."""
    try:
        names = (name for folder in folders_in(path) for name in folder.names)
        return any(name.endswith(ENDING) or is_answer(name, ()) for name in names)
    except OSError:
        return False


def _of_record(
    path: Path, originals: Originals, begun: Findings
) -> tuple[Published | None, Finding | None]:
    """Audit one set; return it, if its record is valid, and the finding, or None if it is gone."""
    published, finding, stem = None, None, path.name.removesuffix(ENDING)
    for _ in range(_ATTEMPTS):
        report = begun.without_findings()
        try:
            latest = load_published(path)
        except FileNotFoundError:
            return None, None
        except NoRecord as error:
            report.bad(f"{path.name}: {error}")
            return None, report.finding(stem, _NO_RECORD)
        if latest == published:  # the record is still the one that was audited
            break
        published = latest
        report = begun.without_findings(is_ours=published.is_ours)
        claim = _claim(published, originals, report)
        finding = report.finding(stem, claim)
        if finding.verdict != "bad":
            break
    return published, finding


def _claim(
    published: PublishedPuzzle | PublishedCollection, originals: Originals, report: Findings
) -> str:
    """Audit one set; return its assertion. A broken set does not stop the audit."""
    source, status = published.record.source, published.record.status
    if not is_file_name(source):
        report.bad(f"the source {source!r} is not a file name")
        return status
    if or_none(published.record.member) is not None:
        report.bad("member: unexpected")
    if report.is_ours and published.record.schema != SCHEMA:
        report.bad(f"schema: it is {published.record.schema}, this version writes {SCHEMA}")
    try:
        audit_files(published, source, report)
        return _audit(published, originals, report)
    except EnvironmentFailure:
        raise
    except Exception as error:  # noqa: BLE001 - everything read here is untrusted
        report.bad(f"it cannot be audited: {type(error).__name__}: {error}")
        return status


def _audit(
    published: PublishedPuzzle | PublishedCollection, originals: Originals, report: Findings
) -> str:
    """Audit a set with its original; return its assertion."""
    record = published.record
    candidates = originals.named(record.source)
    if not candidates:
        missing = f"its original {record.source!r} was not found: nothing to compare it with"
        report.gap(f"{missing}; --inbox or --originals says where it is")
        if isinstance(published, PublishedCollection):
            return record.status
        return audit_single(published, None, report)
    if record.sha256 is not None:
        max_bytes, room = report.settings.max_bytes, UnpackLimits.of(report.settings)
        fitting = [*originals.fitting(record, max_bytes, room)]
        if not fitting:
            report.bad(f"the original {candidates[0]} does not have the sha256 in the record")
        candidates = fitting or candidates
    elif len(candidates) > 1:  # a folder, dropped again
        candidates = [
            next((path for path in candidates if _is_right(path, published, report)), candidates[0])
        ]
    return _with(candidates[0], published, report)


def _is_right(
    original: Path, published: PublishedPuzzle | PublishedCollection, report: Findings
) -> bool:
    trial = report.without_findings(is_ours=published.is_ours)
    _with(original, published, trial)
    return trial.is_clean


def _with(
    original: Path, published: PublishedPuzzle | PublishedCollection, report: Findings
) -> str:
    """Audit a set with a file that may be its original; return its assertion."""
    record, declared = published.record, published.declared
    is_unread = record.status in _NOT_READ
    if declared:
        report.note(f"read as {' and '.join(declared.values())}, as the record says")
        report = report.with_declared(declared)
    try:
        status = original.lstat()
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        if record.bytes != size and not (record.bytes is None is record.sha256 and is_unread):
            report.bad(f"{record.bytes} bytes in the record, the original has {size}")
        kind = kind_of(original)
        is_legible = kind == "plain" and (size or 0) <= report.settings.max_bytes
        is_hashed = not is_unread or (record.status == "invalid" and is_legible)
        if record.sha256 is None and size is not None and is_hashed:
            report.bad("the record has no sha256")
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
            report.bad(f"the status is {record.status!r}, but the original is an archive")
        source = Unreadable(record.source, "it is an archive")
    elif isinstance(source, Unreadable) and source.data is None and not is_unread:
        report.bad(f"the original cannot be read: {source.reason}")
        return record.status
    return audit_content(published, source, report)
