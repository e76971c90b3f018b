"""Every record of an outbox: which original it is about, and what is to be looked at."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.audit.archive import COLUMNS as MEMBER_COLUMNS
from pipeline.audit.archive import audit_archive
from pipeline.audit.collection import audit_collection, collection_in
from pipeline.audit.files import audit_files, audit_stem
from pipeline.audit.findings import Finding, Report
from pipeline.audit.originals import Original, Originals
from pipeline.audit.records import Record, Sets, read_record, sets_below, sets_in
from pipeline.audit.single import audit_single
from pipeline.audit.streams import COLUMNS as ROW_COLUMNS
from pipeline.audit.streams import Content
from pipeline.audit.terms import Terms
from pipeline.errors import EnvironmentFailure, in_words
from pipeline.files import is_file_name, read_regular
from pipeline.published import NoRecord
from pipeline.unpack import UnpackError, kind_of, opened

_ATTEMPTS = 3
_LONGEST_HEADER = 200
ARCHIVE, NO_RECORD = "archive", "no record"
_ARCHIVES = ("zip", "tar", "folder")
_NOT_READ = ("invalid", "failed")
"""The statuses of what may have been impossible to read."""


def audit(outbox: Path, originals: Sequence[Path], terms: Terms | None = None) -> Iterator[Finding]:
    """Audit every set in an outbox; `originals` are folders like `inbox/done`.

    Nothing is written. A set that is replaced meanwhile is looked at again. Raises
    EnvironmentFailure where a folder cannot be read.
    """
    chosen = terms or Terms()
    try:
        known = Originals.of(originals)
        names = known.names()  # before the records, which come first
        sets = sets_in(outbox)
    except OSError as error:
        raise EnvironmentFailure(in_words(error)) from error
    archives, sources = set(), set()
    for stem in sorted(sets.records):
        record, finding = _of_set(stem, sets, known, chosen)
        if record is not None:
            sources.add(record.source)
            archives |= {stem} if record.status == ARCHIVE else set()
        if finding is not None:
            yield finding
    yield from _without_record(sets, archives)
    for name in sorted(names - sources):
        report = Report()
        report.gap(f"there is no record of {name}, which is done")
        yield report.finding(name, NO_RECORD)


def _without_record(sets: Sets, archives: set[str]) -> Iterator[Finding]:
    """The results that no record lists: answers, tables, and folders of them."""
    tables = (name for name in sorted(sets.names) if _is_stray_table(name, sets))
    folders = (f for f in sorted({*sets.folders} - archives) if _holds_sets(sets.folder / f))
    for name in (*sets.strays(), *tables, *(f"{folder}/" for folder in folders)):
        report = Report()
        report.bad(f"{name} is there, and no record lists it")
        yield report.finding(name, NO_RECORD)


def _is_stray_table(name: str, sets: Sets) -> bool:
    """Whether a file is the table of a job that is not there."""
    if not name.endswith(".csv") or name.removesuffix(".csv") in sets.records:
        return False
    try:
        first = read_regular(sets.folder / name, _LONGEST_HEADER).partition(b"\n")[0]
    except OSError:
        return False
    return first.decode(errors="replace").split(",") in ([*MEMBER_COLUMNS], [*ROW_COLUMNS])


def _holds_sets(folder: Path) -> bool:
    """Whether there is a record or an answer anywhere in a folder; its links are not followed."""
    try:
        return any(sets.records or sets.answers for sets in sets_below(folder))
    except OSError:
        return False


def _of_set(
    stem: str, sets: Sets, originals: Originals, terms: Terms
) -> tuple[Record | None, Finding | None]:
    """The record of one set, if it is one, and what is found out; None if it is gone."""
    record, finding = None, None
    for _ in range(_ATTEMPTS):
        report = Report()
        try:
            record = read_record(sets.path(stem))
        except FileNotFoundError:
            return None, None
        except NoRecord as error:
            report.bad(f"{stem}.json: {error}")
            return None, report.finding(stem, NO_RECORD)
        finding = report.finding(stem, _claim(record, sets, originals, terms, report))
        if finding.verdict != "bad" or _is_same(record):
            break
    return record, finding


def _claim(record: Record, sets: Sets, originals: Originals, terms: Terms, report: Report) -> str:
    """Audit one set; what it claims. Whatever is in it, others are audited behind it."""
    if not is_file_name(record.source):
        report.bad(f"the source {record.source!r} is no file name")
        return record.status
    try:
        audit_stem(record, record.source, report)
        audit_files(record, sets.beside(record.stem), report)
        return _audit(record, originals, terms, report)
    except EnvironmentFailure:
        raise
    except Exception as error:  # noqa: BLE001 - strangers wrote all that is read here
        report.bad(f"it cannot be audited: {type(error).__name__}: {error}")
        return record.status


def _is_same(record: Record) -> bool:
    """Whether the record is still the one that was looked at."""
    try:
        return read_record(record.path) == record
    except (NoRecord, FileNotFoundError):
        return False


def _audit(record: Record, originals: Originals, terms: Terms, report: Report) -> str:
    """Audit a set with its original; what it claims."""
    found = originals.of_record(record, terms)
    if not found:
        report.gap(f"its original {record.source!r} is gone: nothing to compare it with")
        if record.status in ("collection", ARCHIVE):
            return record.status
        return audit_single(record, None, terms, report)
    chosen = found[0]
    if len(found) > 1 and record.sha256 is None:  # a folder, dropped again
        chosen = next((each for each in found if _is_clean(record, each, terms)), chosen)
    if not chosen.fits:
        report.bad(f"the original {chosen.path} has another sha256 than the record tells")
    return _with(record, chosen, terms, report)


def _is_clean(record: Record, original: Original, terms: Terms) -> bool:
    """Whether nothing is wrong with a set if that is its original."""
    trial = Report()
    _with(record, original, terms, trial)
    return trial.is_clean


def _with(record: Record, original: Original, terms: Terms, report: Report) -> str:
    """Audit a set with what may be its original; what it claims."""
    path = original.path
    if record.declared:
        report.note(f"read as {' and '.join(record.declared.values())}, as the record says")
        terms = terms.with_declared(record.declared)
    try:
        status = path.lstat()
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        if record.bytes != size and not (record.bytes is None and record.status in _NOT_READ):
            report.bad(f"{record.bytes} bytes in the record, the original has {size}")
        if size is not None and record.sha256 is None and record.status not in _NOT_READ:
            report.bad("the record tells no sha256")
        if record.status == ARCHIVE:
            return audit_archive(record, path, terms, report)
        if record.status == "collection":
            with opened(path, terms.limits) as stream:
                return audit_collection(record, Content(stream), terms, report)
        data = _data(record, path, terms, report)
    except (UnpackError, OSError) as error:
        if record.status in _NOT_READ:
            data = None
        else:
            said = in_words(error) if isinstance(error, OSError) else str(error)
            report.bad(f"the original cannot be read: {said}")
            return record.status
    return audit_single(record, data, terms, report)


def _data(record: Record, path: Path, terms: Terms, report: Report) -> bytes | None:
    """The bytes of what should be a single puzzle; None for what cannot be one."""
    if kind_of(path) in _ARCHIVES:
        if record.status != "failed":
            report.bad(f"the status is {record.status!r}, but the original is an archive")
        return None
    with opened(path, terms.limits) as stream:
        content = Content(stream)
        is_invalid = record.status == "invalid"
        if is_invalid and collection_in(content, terms.reading):
            report.bad("the status is 'invalid', but the original is a collection")
        return content.whole(terms.reading.max_bytes + 1)
