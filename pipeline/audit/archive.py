"""An archive's set: each member against its own record, and the table that lists them all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pipeline.audit.collection import audit_collection, collection_in, compare_evidence
from pipeline.audit.explanations import audit_presence
from pipeline.audit.files import audit_files, audit_stem
from pipeline.audit.findings import Report
from pipeline.audit.records import Record, Sets, read_record, sets_below
from pipeline.audit.single import audit_single
from pipeline.audit.streams import Content, table_of
from pipeline.audit.terms import Terms
from pipeline.errors import InputError, counted, in_words, printable
from pipeline.published import NoRecord
from pipeline.unpack import Member, UnpackError, kind_of, walk

COLUMNS = ("member", "format", "status", "solutions", "complete", "message")
REFUSED, FAILED, COLLECTION = "refused", "failed", "collection"
NOT_WRITTEN = "it cannot be written"
_ASIDE = frozenset(("disagreements", "fallbacks"))


class Row(NamedTuple):
    """A row of the table of members."""

    member: str
    format: str
    status: str
    solutions: str
    complete: str
    message: str


def audit_archive(record: Record, original: Path, terms: Terms, report: Report) -> str:
    """Audit an archive's set against the archive, or the folder, that was dropped."""
    audit_presence(record, report)
    audited = _Archive(record, terms, report)
    try:
        kind = kind_of(original)
        if kind != record.format:
            report.bad(f"the record says {record.format!r}, the original is {kind!r}")
        audited.run(original)
    except (InputError, OSError) as error:
        report.bad(in_words(error) if isinstance(error, OSError) else str(error))
    return audited.summary()


class _Archive:
    """One walk through an archive."""

    def __init__(self, record: Record, terms: Terms, report: Report) -> None:
        self._record = record
        self._terms = terms
        self._report = report
        self._found: dict[int, tuple[Path, Sets]] = {}
        self._totals: Counter[str] = Counter()
        self._evidence: Counter[str] = Counter()
        self._count = 0

    def run(self, original: Path) -> None:
        """Look at every member. Raises InputError and OSError where no more can be looked at."""
        self._find_records()
        table = self._record.path.with_name(f"{self._record.stem}.csv")
        rows = table_of(table, COLUMNS)
        for number, member in enumerate(walk(original, self._terms.limits)):
            row = next(rows, None)
            if row is None:
                raise InputError(f"{table.name} ends too early, before {member.name}")
            self._count += 1
            self._look(number, member, Row(*row), self._report.within(member.name))
        if next(rows, None) is not None:
            raise InputError(f"{table.name} goes on behind the last member")
        for path, _ in self._found.values():
            self._report.bad(f"{self._relative(path)} is the record of no member")
        self._compare_totals()

    def _relative(self, path: Path) -> str:
        return str(path.relative_to(self._record.path.parent))

    def _find_records(self) -> None:
        """The records in the tree, by the number of their member."""
        for sets in sets_below(self._record.path.with_name(self._record.stem)):
            listed: set[str] = set()
            for stem in sorted(sets.records):
                path = sets.path(stem)
                listed |= {path.name, *sets.beside(stem)}
                try:
                    record = read_record(path)
                except (NoRecord, FileNotFoundError) as error:
                    self._report.bad(f"{self._relative(path)}: {error}")
                    continue
                listed |= record.files.keys()
                number = record.member
                if number is None or number in self._found:
                    self._report.bad(f"{self._relative(path)}: member {number} is another's")
                else:
                    self._found[number] = path, sets
            for name in sorted(sets.names - listed):
                self._report.bad(f"{self._relative(sets.folder / name)} is there without a record")

    def _look(self, number: int, member: Member, row: Row, report: Report) -> None:
        """Look at one member."""
        if row.member != printable(member.name):
            report.bad(f"row {number + 1} of the table is about {row.member[:100]!r}")
        if row.status != COLLECTION:
            self._totals[row.status] += 1
        path, sets = self._found.pop(number, (None, None))
        if member.stream is None:
            if row.status != REFUSED or path is not None:
                report.bad(f"it cannot be read, but its status is {row.status!r}")
            return
        if path is None or sets is None:
            not_written = row.status == FAILED and row.message.startswith(NOT_WRITTEN)
            if not not_written and not self._is_refused(member, row):
                report.bad("there is no record of it")
            return
        self._audit(read_record(path), sets, member, row, report)

    def _is_refused(self, member: Member, row: Row) -> bool:
        """Whether a member is rightly refused: it is broken, or too large for a puzzle."""
        assert member.stream is not None  # noqa: S101
        most = self._terms.reading.max_bytes
        try:
            return row.status == REFUSED and len(Content(member.stream).whole(most + 1)) > most
        except UnpackError:
            return True

    def _audit(self, record: Record, sets: Sets, member: Member, row: Row, report: Report) -> None:
        """Audit the record of a member, and compare it with the member's row."""
        assert member.stream is not None  # noqa: S101
        audit_stem(record, PurePosixPath(member.name).name, report)
        audit_files(record, sets.beside(record.stem), report)
        top = self._record.path.with_name(self._record.stem)
        if not _is_folder_of(record.path.relative_to(top), PurePosixPath(member.name)):
            report.bad(f"its set lies in another folder, {self._relative(record.path.parent)}")
        if record.declared != self._record.declared:
            report.bad("its record declares another notation than that of the archive")
        if record.source != member.name:
            report.bad(f"its record is about {record.source!r}")
        content = Content(member.stream)
        if record.status == COLLECTION:
            audit_collection(record, content, self._terms, report)
            self._totals += Counter(record.totals)
            told = record.certificate
            self._evidence["proved"] += (told and told.proved) or 0
            self._evidence["claimed"] += (told and told.claimed) or 0
            while content.read():  # so that all of it is hashed
                pass
        else:
            data = self._whole(content, report)
            is_refused = record.status in ("invalid", "other")
            if is_refused and data and collection_in(content, self._terms.reading):
                report.bad(f"the status is {record.status!r}, but it is a collection")
            audit_single(record, data, self._terms, report)
            self._totals["disagreements"] += record.disagreement is not None
            if record.certificate and record.complete:
                self._evidence[record.certificate.complete or ""] += 1
        if (record.sha256, record.bytes) != (content.digest, content.size):
            report.bad(f"its sha256 is {content.digest[:12]}…, in the record another")
        self._compare_row(record, row, report)

    def _whole(self, content: Content, report: Report) -> bytes | None:
        try:
            return content.whole(self._terms.reading.max_bytes + 1)
        except UnpackError as error:
            report.bad(f"it cannot be read: {error}")
            return None

    def _compare_row(self, record: Record, row: Row, report: Report) -> None:
        """Whether the table says of a member what its record does."""
        solutions, complete = record.solutions, record.complete
        message = row.message if record.status == COLLECTION else record.message or ""
        if record.status == COLLECTION:
            solutions = sum(record.totals.get(name, 0) for name in ("unique", "multiple"))
        told = Row(
            row.member,
            record.format or "",
            record.status,
            str(solutions),
            "" if complete is None else str(complete).lower(),
            printable(message),
        )
        for name, here, there in zip(Row._fields, row, told, strict=True):
            if here != there:
                report.bad(f"{name} is {here[:60]!r} in the table, {there[:60]!r} in its record")

    def _compare_totals(self) -> None:
        ours, theirs = self._totals, self._record.totals
        for name in sorted({*ours, *theirs} - {"fallbacks"}):
            here, there = ours[name], theirs.get(name, 0)
            if here != there:
                self._report.bad(f"totals: {there} {name} in the record, {here} in the table")
        proved, claimed = self._evidence["proved"], self._evidence["claimed"]
        compare_evidence(self._record, proved, claimed, self._report)

    def summary(self) -> str:
        """What the archive claims, in a few words."""
        statuses = sorted(n for n in self._totals if self._totals[n] and n not in _ASIDE)
        said = [f"{self._totals[name]} {name}" for name in statuses]
        if proved := self._evidence["proved"]:
            said.append(f"{proved} proved")
        return f"archive of {counted(self._count, 'member')}: {', '.join(said)}"


def _is_folder_of(path: Path, member: PurePosixPath) -> bool:
    """Whether a record lies where that of a member does.

    A folder gets `~` behind its name where an answer may have that.
    """
    here, there = path.parent.parts, member.parent.parts
    return len(here) == len(there) and all(
        own.startswith(name) and not own[len(name) :].strip("~")
        for own, name in zip(here, there, strict=True)
    )
