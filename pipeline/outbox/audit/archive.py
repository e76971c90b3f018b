"""Audit the set of an archive: the table of its members, and the set of each member."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from pipeline.errors import InputError, counted, in_words
from pipeline.outbox import CollectionRecord, NoRecord, Record
from pipeline.outbox.audit.archive_table import ArchiveTable
from pipeline.outbox.audit.collection import (
    audit_counts,
    audit_parquet,
    counts_in_record,
    counts_summary,
)
from pipeline.outbox.audit.findings import NOT_LISTED, Findings, audit_files, folders_in
from pipeline.outbox.audit.single import audit_content
from pipeline.outbox.published import PublishedCollection, PublishedPuzzle, load_published
from pipeline.outbox.schema import COLLECTION, DISAGREEMENTS, PROVED, REFUSED, UNVERIFIED, or_none
from pipeline.outbox.tables import ArchiveRow
from pipeline.reading import OneProblem, Unreadable
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.streams import PeekableStream, drain
from pipeline.reading.archives.walk import Member, kind_of, walk
from pipeline.reading.formats import Layout
from pipeline.reading.read import source_of_member
from pipeline.reading.unread import add_unread, unread_counts


def audit_archive(published: PublishedCollection, original: Path, report: Findings) -> str:
    """Audit an archive's set against its original. Returns a summary of the counts found."""
    audited = _AuditedArchive(published, report)
    try:
        kind = kind_of(original)
        if kind != published.record.format:
            recorded = published.record.format
            report.add_problem(f"the record says {recorded!r}, the original is {kind!r}")
        audited.run(original)
    except (InputError, OSError) as error:
        report.add_problem(in_words(error) if isinstance(error, OSError) else str(error))
    return counts_summary(f"archive of {counted(audited.count, 'member')}", audited.counts)


class _AuditedArchive:
    """Audits the members of an archive, and counts them and their puzzles."""

    def __init__(self, published: PublishedCollection, report: Findings) -> None:
        self.count = 0
        self.counts: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._published = published
        self._folder = published.sibling(published.stem)
        self._report = report
        self._records: dict[int, Path] = {}
        self._empty_folders: set[Path] = set()

    def run(self, original: Path) -> None:
        """Audit all members. Raises InputError or OSError if the audit must stop before the end."""
        self._find_records()
        table = ArchiveTable(self._published)
        if table.is_of_members and self._report.is_current_build:
            self._report.add_problem(
                f"{self._published.stem}.csv has other columns than this version writes"
            )
        for number, member in enumerate(walk(original, UnpackLimits.of(self._report.settings))):
            self.count += 1
            self._audit_member(number, member, table, self._report.section(member.name))
        table.check_end()
        for path in self._records.values():
            self._report.add_problem(f"{self._relative(path)} belongs to no member of the archive")
        for path in sorted(self._empty_folders):
            self._report.add_problem(f"{self._relative(path)}/ is an empty folder")
        audit_parquet(self._published, ArchiveRow, self._report)
        audit_counts(self._published, self.counts, self._unread, self._report)

    def _relative(self, path: Path) -> str:
        """The path relative to the outbox, for messages."""
        return str(path.relative_to(self._folder.parent))

    def _find_records(self) -> None:
        """Find the records in the archive's folder, and store their paths by member number."""
        if not stat.S_ISDIR(self._folder.lstat().st_mode):
            raise NotADirectoryError(f"{self._folder.name} is not a folder")
        folders = [*folders_in(self._folder)]
        filled_folders = [folder.path for folder in folders if folder.names]
        self._empty_folders = {folder.path for folder in folders} - {self._folder, *filled_folders}
        self._empty_folders -= {parent for path in filled_folders for parent in path.parents}
        for folder in folders:
            for path in folder.records():
                folder.names.remove(path.name)
                where = self._relative(path)
                try:
                    published = load_published(path)
                except (NoRecord, FileNotFoundError) as error:
                    self._report.add_problem(f"{where}: {error}")
                    continue
                folder.names.difference_update(published.files)
                number = or_none(published.record.member)
                if number is None or number in self._records:
                    self._report.add_problem(
                        f"{where}: its member number is missing, or another record has it: {number}"
                    )
                else:
                    self._records[number] = path
            for name in sorted(folder.names):
                self._report.add_problem(f"{self._relative(folder.path / name)} {NOT_LISTED}")

    def _audit_member(
        self, number: int, member: Member, table: ArchiveTable, report: Findings
    ) -> None:
        """Audit a member: its rows in the table, and its set."""
        path = self._records.pop(number, None)
        source = source_of_member(member, report.settings)
        is_refused = isinstance(source, Unreadable) and source.data is None
        published = load_published(path) if path is not None and not is_refused else None
        if isinstance(published, PublishedCollection) and not table.is_of_members:
            report = replace(report, is_current_build=published.is_current_build)
            self._audit_set(published, member.name, source, report)
            table.compare_collection(published, member.name, report)
            return
        row = table.take_row(member.name, report)
        if row.status != COLLECTION:
            self.counts[row.status] += 1
        if path is None:
            table.check_has_no_results(row, report)
        if path is not None and is_refused:
            report.add_problem(f"cannot be read, but its status is {row.status!r}")
        elif published is not None:
            report = replace(report, is_current_build=published.is_current_build)
            self._audit_set(published, member.name, source, report)
            table.compare_row(published, row, source, report)
        elif row.status == "failed" and member.stream is not None:
            self._allow_empty_folders(member)
        elif row.status != REFUSED or not is_refused:
            report.add_problem("has no record")

    def _allow_empty_folders(self, member: Member) -> None:
        """Do not report the folders of a member as empty: its results could not be written."""
        parts = PurePosixPath(member.name).parent.parts
        for folder in [*self._empty_folders]:
            outbox_parts = folder.relative_to(self._folder).parts
            if _is_folder_of(outbox_parts, parts[: len(outbox_parts)]):
                self._empty_folders.remove(folder)

    def _audit_set(
        self,
        published: PublishedPuzzle | PublishedCollection,
        member_name: str,
        source: OneProblem | tuple[Layout, PeekableStream],
        report: Findings,
    ) -> None:
        """Audit the set of a member against its content in the archive."""
        record, name = published.record, PurePosixPath(member_name)
        audit_files(published, name.name, report)
        outbox_parts = published.path.parent.relative_to(self._folder).parts
        if not _is_folder_of(outbox_parts, name.parent.parts):
            where = self._relative(published.path.parent)
            report.add_problem(f"its results are in the wrong folder, {where}")
        if published.declared != self._published.declared:
            report.add_problem("its record declares a different notation than the archive's record")
        if record.source != member_name:
            report.add_problem(f"its record has the source {record.source!r}")
        try:
            audit_content(published, source, report)
        except UnpackError as error:
            report.add_problem(f"cannot be read: {error}")
        self._count(record)
        if isinstance(source, tuple):
            stream = source[1]
            drain(stream)
            digest, size = stream.digest, stream.size
        else:
            data = source.data or b""
            digest, size = sha256(data).hexdigest(), len(data)
        if (record.sha256, record.bytes) != (digest, size):
            recorded = f"sha256 {(record.sha256 or 'null')[:12]}… and {record.bytes} bytes"
            report.add_problem(
                f"its content differs from the record: sha256 {digest[:12]}… and {size} bytes, "
                f"recorded {recorded}"
            )

    def _count(self, record: Record) -> None:
        """Add a member to the counts. `_audit_member` counts the status of a single puzzle."""
        if isinstance(record, CollectionRecord):
            self.counts += counts_in_record(record)
            add_unread(self._unread, or_none(record.unread) or {})
            return
        add_unread(self._unread, unread_counts([or_none(record.unread) or ()]))
        self.counts[DISAGREEMENTS] += or_none(record.disagreement) is not None
        recorded = or_none(record.certificate)
        if record.complete and recorded and recorded.complete in (PROVED, UNVERIFIED):
            self.counts[recorded.complete] += 1


def _is_folder_of(outbox_parts: Sequence[str], archive_parts: Sequence[str]) -> bool:
    """Whether a folder in the outbox contains the results of a folder in the archive.

    The arguments are the parts of the two folders' paths. A folder in the outbox has `~` after its
    name if a result could have the same name.
    """
    return len(outbox_parts) == len(archive_parts) and all(
        folder.startswith(name) and not folder[len(name) :].strip("~")
        for folder, name in zip(outbox_parts, archive_parts, strict=True)
    )
