"""Audit the set of a collection, in chunks: compare table and solution files with the original."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from pipeline.errors import InputError, UsageError, counted, in_words
from pipeline.outbox.audit.audited_rows import AuditedRow, RowChunk, read_row, row_chunks
from pipeline.outbox.audit.batches import (
    asserted_verdict,
    certify_grids_of_rows,
    find_correct_completeness,
    find_correct_rows,
)
from pipeline.outbox.audit.completeness import audit_other_solutions
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.audit.provenance import audit_fallbacks, audit_log
from pipeline.outbox.audit.traits import audit_row_traits
from pipeline.outbox.published import PublishedCollection
from pipeline.outbox.schema import (
    DISAGREEMENTS,
    EXTRA_COUNTS,
    FALLBACKS,
    PROVED,
    UNVERIFIED,
    CollectionRecord,
    or_none,
)
from pipeline.outbox.tables import PuzzleRow, Table, columns
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import Entry, Layout
from pipeline.reading.formats.plain import ChunkContents, PlainLines
from pipeline.reading.unread import add_unread, unread_counts
from pipeline.settings import Reading

_CHUNK_BYTES = 512 * 1024
"""Number of bytes of the original in a chunk."""


def counts_in_record(record: CollectionRecord) -> Counter[str]:
    """The counts in a record: puzzles by status, and the EXTRA_COUNTS."""
    return Counter(record.totals) + Counter(record.completeness_counts)


def audit_counts(
    published: PublishedCollection, counts: Counter[str], unread: Counter[str], report: Findings
) -> None:
    """Compare the counts in a record with the counts of the audit, and check its log.

    An audit cannot count fallbacks again: it only compares their recorded numbers.
    """
    record, recorded = published.record, counts_in_record(published.record)
    for name in sorted({*counts, *recorded} - {FALLBACKS}):
        if counts[name] != recorded[name]:
            where = "certificate" if name in (PROVED, UNVERIFIED) else "totals"
            report.add_problem(
                f"{where}: {recorded[name]} {name} in the record, {counts[name]} found"
            )
    if (in_record := or_none(record.unread) or {}) != unread:
        report.add_difference(
            f"unread: the record says {in_record}, the original has {dict(unread)}"
        )
    audit_fallbacks(record, report)
    audit_log(published, report)


def audit_parquet(
    published: PublishedCollection, row_class: type[Struct], report: Findings
) -> None:
    """Compare the Parquet file of a set, if it has one, with its table. Raises InputError."""
    path = published.sibling(f"{published.stem}.parquet")
    if path.name not in published.files:
        return
    from pipeline.outbox.arrow import difference_from_csv  # noqa: PLC0415 - needs an extra

    try:
        table = Table(published.sibling(f"{published.stem}.csv"), row_class)
        if fault := difference_from_csv(path, table, row_class, table.trait_names):
            report.add_problem(f"{path.name}: {fault}")
    except UsageError as error:
        report.add_gap(f"{path.name} was not compared with the table: {error}")
    except OSError as error:
        report.add_problem(f"{path.name}: cannot be read: {in_words(error)}")


def counts_summary(subject: str, counts: Counter[str]) -> str:
    """Format a subject and its counts: `collection of 2 puzzles: 2 unique, 2 proved`."""
    parts = [f"{n} {name}" for name, n in sorted(counts.items()) if n and name not in EXTRA_COUNTS]
    parts += [f"{counts[name]} {name}" for name in (PROVED, UNVERIFIED) if counts[name]]
    return f"{subject}: {', '.join(parts)}"


def audit_collection(
    published: PublishedCollection, layout: Layout, stream: PeekableStream, report: Findings
) -> str:
    """Audit a collection's set against its original. Returns a summary of the counts found."""
    if layout.format.name != published.record.format:
        report.add_difference(format_mismatch(published))
    audited = _AuditedCollection(published, report)
    try:
        audited.run(_read_chunks(layout, stream, report.settings.reading))
    except InputError as error:
        report.add_problem(str(error))
    return counts_summary(f"collection of {counted(audited.count, 'puzzle')}", audited.counts)


def format_mismatch(published: PublishedCollection) -> str:
    """Make the message for an original that is not a collection in the recorded format."""
    return f"the original is not a collection of the format {published.record.format!r}"


def _read_chunks(
    layout: Layout, stream: PeekableStream, reading: Reading
) -> Iterator[ChunkContents]:
    """Yield the puzzles of an original in chunks. If reading fails, the last entry is the error."""
    for chunk in layout.chunks(stream, _CHUNK_BYTES):
        yield layout.contents(chunk, reading)
    if stream.error is not None:
        error_entry = Entry(0, "", None, str(stream.error), None, plain=False)
        yield ChunkContents(PlainLines.without_lines(), [error_entry])


class _AuditedCollection:
    """Audits the rows of a collection, and counts its puzzles."""

    def __init__(self, published: PublishedCollection, report: Findings) -> None:
        self.count = 0
        self.counts: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._published = published
        self._report = report
        record = published.record
        self._total = sum(n for name, n in record.totals.items() if name not in EXTRA_COUNTS)

    def run(self, chunks: Iterable[ChunkContents]) -> None:
        """Audit all rows, and the counts. Raises InputError if a file cannot be read to its end."""
        published = self._published
        if f"{published.stem}.proofs.csv" in published.files:
            self._report.add_note("proofs from an earlier version were not checked")
        name = f"{published.stem}.csv"
        table = Table(published.sibling(name), PuzzleRow, published.record.schema)
        if self._report.is_current_build and not table.is_current:
            raise InputError(f"{name}: the first line is not {','.join(columns(PuzzleRow))!r}")
        paths = [*map(published.sibling, (name, *published.solution_files))]
        for chunk in row_chunks(table, paths, self._count_unread(chunks)):
            self._audit_chunk(chunk)
            if table.trait_names:
                audit_row_traits(chunk, table.trait_names, self._report)
            self._report_progress(self.count)
        audit_parquet(published, PuzzleRow, self._report)
        audit_counts(published, self.counts, self._unread, self._report)

    def _count_unread(self, chunks: Iterable[ChunkContents]) -> Iterator[ChunkContents]:
        """Yield the chunks, and count the unread parts of their puzzles."""
        for contents in chunks:
            entries = (entry for _, entry in contents.entries())
            add_unread(self._unread, unread_counts(entry.unread for entry in entries))
            yield contents

    def _report_progress(self, rows: int) -> None:
        """Call `on_rows` with the number of audited rows."""
        self._report.options.on_rows(self._published.record.source, rows, self._total)

    def _audit_chunk(self, chunk: RowChunk) -> None:
        """Audit the rows of a chunk: simple rows as a batch, other rows one by one.

        Raises InputError for a malformed row, after auditing the rows before it.
        """
        correct = find_correct_rows(chunk, self._report.options.seconds)
        rows_read: list[AuditedRow] = []
        fault, end = None, len(chunk)
        correct_rows = {*chain.from_iterable(correct.values())}
        for index in [index for index in range(end) if index not in correct_rows]:
            try:
                read = read_row(chunk, index, self._report)
            except InputError as error:
                fault, end = error, index
                break
            rows_read.append(read)
            self._count_rows(read.row.status, read.row.complete, read.row.certificate, 1)
            self.counts[DISAGREEMENTS] += read.has_wrong_solution
        for assertion, indices in correct.items():
            status, _, complete, certificate = assertion.split(",")
            count = sum(index < end for index in indices)
            self._count_rows(status, complete, certificate, count)
        self.count += end
        wrong = certify_grids_of_rows(rows_read, self._report)
        valid = [row for row in rows_read if row.are_grids_valid and row.number not in wrong]
        self._audit_completeness(valid)
        if fault:
            raise fault

    def _count_rows(self, status: str, complete: str, certificate: str, count: int) -> None:
        """Add `count` rows with the same status, completeness and certificate to the counts."""
        self.counts[status] += count
        if complete == "true":
            self.counts[UNVERIFIED if certificate == "unverified" else PROVED] += count

    def _audit_completeness(self, rows: Sequence[AuditedRow]) -> None:
        """Check what rows assert about other solutions: that there are some, or none."""
        asserting = [row for row in rows if asserted_verdict(row.row)]
        correct = find_correct_completeness(asserting, self._report.options.seconds)
        for row in asserting:
            if row.puzzle and row.number not in correct:
                report = self._report.section(f"{self._published.stem}.csv: row {row.number}")
                is_complete = row.row.complete == "true"
                audit_other_solutions(
                    row.puzzle, [*row.grids.values()], report, expects_other=not is_complete
                )
                self._report_progress(row.number)
