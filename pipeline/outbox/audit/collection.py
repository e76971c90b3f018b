"""A collection's set: original, table and solutions are read in parallel, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pipeline.errors import InputError, counted
from pipeline.outbox.audit.audited_rows import AuditedRow, RowChunk, read_row, row_chunks
from pipeline.outbox.audit.completeness import audit_others
from pipeline.outbox.audit.provenance import audit_fallbacks, audit_log
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.audit.together import certify_lines, right_at_once, rightly_said, sought_in
from pipeline.outbox.audit.traits import audit_rows
from pipeline.outbox.published import PublishedCollection
from pipeline.outbox.schema import (
    DISAGREEMENTS,
    FALLBACKS,
    FURTHER_COUNTS,
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


def counts_in(record: CollectionRecord) -> Counter[str]:
    """The counts in a record: puzzles by status, and the further counts."""
    return Counter(record.totals) + Counter(record.known)


def audit_counts(
    published: PublishedCollection, counts: Counter[str], unread: Counter[str], report: Findings
) -> None:
    """Check the counts in a record and its log. Fallbacks cannot be counted again."""
    record, recorded = published.record, counts_in(published.record)
    for name in sorted({*counts, *recorded} - {FALLBACKS}):
        if counts[name] != recorded[name]:
            where = "certificate" if name in (PROVED, UNVERIFIED) else "totals"
            report.bad(f"{where}: {recorded[name]} {name} in the record, {counts[name]} found")
    if (in_record := or_none(record.unread) or {}) != unread:
        report.rewritten(f"unread: the record says {in_record}, the original has {dict(unread)}")
    audit_fallbacks(record, report)
    audit_log(published, report)


def summary(subject: str, counts: Counter[str]) -> str:
    parts = [
        f"{n} {name}" for name, n in sorted(counts.items()) if n and name not in FURTHER_COUNTS
    ]
    parts += [f"{counts[name]} {name}" for name in (PROVED, UNVERIFIED) if counts[name]]
    return f"{subject}: {', '.join(parts)}"


def audit_collection(
    published: PublishedCollection, layout: Layout, stream: PeekableStream, report: Findings
) -> str:
    """Audit a collection's set against its original; return a summary of its assertions."""
    if layout.format.name != published.record.format:
        report.rewritten(no_collection_of(published))
    audited = _AuditedCollection(published, report)
    try:
        audited.run(_chunks(layout, stream, report.settings.reading))
    except InputError as error:
        report.bad(str(error))
    return summary(f"collection of {counted(audited.count, 'puzzle')}", audited.counts)


def no_collection_of(published: PublishedCollection) -> str:
    return f"the original is not a collection of the format {published.record.format!r}"


def _chunks(layout: Layout, stream: PeekableStream, reading: Reading) -> Iterator[ChunkContents]:
    """The puzzles in chunks; if the stream breaks off, an entry with the reason."""
    for chunk in layout.chunks(stream, _CHUNK_BYTES):
        yield layout.contents(chunk, reading)
    if stream.error is not None:
        broken = Entry(0, "", None, str(stream.error), None, plain=False)
        yield ChunkContents(PlainLines.none(), [broken])


class _AuditedCollection:
    def __init__(self, published: PublishedCollection, report: Findings) -> None:
        self.count = 0
        self.counts: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._published = published
        self._report = report
        record = published.record
        self._total = sum(n for name, n in record.totals.items() if name not in FURTHER_COUNTS)

    def run(self, chunks: Iterable[ChunkContents]) -> None:
        """Audit every row and all counts. Raises InputError if a file cannot be read further."""
        published = self._published
        if f"{published.stem}.proofs.csv" in published.files:
            self._report.note("proofs of an earlier version were not read")
        name = f"{published.stem}.csv"
        table = Table(published.beside(name), PuzzleRow, published.record.schema)
        if self._report.is_ours and not table.is_current:
            raise InputError(f"{name}: the first line is not {','.join(columns(PuzzleRow))!r}")
        paths = [*map(published.beside, (name, *published.numbered))]
        for chunk in row_chunks(table, paths, self._counted(chunks)):
            self._look(chunk)
            if table.trait_names:
                audit_rows(chunk, table.trait_names, self._report)
            self._report_progress(self.count)
        audit_counts(published, self.counts, self._unread, self._report)

    def _counted(self, chunks: Iterable[ChunkContents]) -> Iterator[ChunkContents]:
        """Yield the chunks, and count the unread texts in them."""
        for contents in chunks:
            entries = (entry for _, entry in contents.entries())
            add_unread(self._unread, unread_counts(entry.unread for entry in entries))
            yield contents

    def _report_progress(self, done: int) -> None:
        """Report the number of audited rows."""
        self._report.terms.on_rows(self._published.record.source, done, self._total)

    def _look(self, chunk: RowChunk) -> None:
        """Audit some rows: plain ones as a batch, the others one by one.

        Raises InputError for a malformed row, after the rows before it have been audited.
        """
        right = right_at_once(chunk, self._report.terms.seconds)
        odd: list[AuditedRow] = []
        fault, end = None, len(chunk)
        done = {*chain.from_iterable(right.values())}
        for row in [row for row in range(end) if row not in done]:
            try:
                read = read_row(chunk, row, self._report)
            except InputError as error:
                fault, end = error, row
                break
            odd.append(read)
            self._add(read.row.status, read.row.complete, read.row.certificate, 1)
            self.counts[DISAGREEMENTS] += read.disagrees
        for claim, places in right.items():
            status, _, complete, certificate = claim.split(",")
            self._add(status, complete, certificate, sum(row < end for row in places))
        self.count += end
        unsound = certify_lines(odd, self._report)
        self._search([e for e in odd if e.is_sound and e.number not in unsound])
        if fault:
            raise fault

    def _add(self, status: str, complete: str, certificate: str, count: int) -> None:
        """Count rows with the same fields."""
        self.counts[status] += count
        if complete == "true":
            self.counts[UNVERIFIED if certificate == "unverified" else PROVED] += count

    def _search(self, rows: Sequence[AuditedRow]) -> None:
        """Check whether there are other solutions, against what the rows assert."""
        asked = [row for row in rows if sought_in(row.row)]
        right = rightly_said(asked, self._report.terms.seconds)
        for row in asked:
            if row.puzzle and row.number not in right:
                about = self._report.within(f"{self._published.stem}.csv: row {row.number}")
                is_all = row.row.complete == "true"
                audit_others(row.puzzle, [*row.grids.values()], about, are_claimed=not is_all)
                self._report_progress(row.number)
