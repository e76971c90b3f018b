"""A collection's set: original, table and solutions, side by side in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from pipeline.errors import InputError, counted
from pipeline.outbox.audit.alike import find_alike
from pipeline.outbox.audit.complete import audit_another, audit_complete
from pipeline.outbox.audit.lines import LineFiles
from pipeline.outbox.audit.rows import (
    Portion,
    Read,
    certify_lines,
    read_row,
    rightly_said,
    sought_in,
)
from pipeline.outbox.audit.sets import Many, Report, Terms
from pipeline.outbox.audit.traits import audit_rows
from pipeline.outbox.schema import (
    ASIDE,
    CLAIMED,
    DISAGREEMENTS,
    FALLBACKS,
    PROVED,
    ManyRecord,
)
from pipeline.outbox.tables import ALSO, PuzzleRow, also_in, columns
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import HEAD_BYTES, Detected, Entry, detect_collection
from pipeline.reading.formats.plain import PieceContents, PlainLines
from pipeline.settings import Reading

_PIECE_BYTES = 512 * 1024


class Content(PeekableStream):
    """A source whose beginning is known; `is_whole` says that this is all of it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        head = self.head(HEAD_BYTES + 1)
        self.is_whole = len(head) <= HEAD_BYTES
        self.beginning = head[:HEAD_BYTES]


def collection_in(content: Content, reading: Reading) -> Detected | None:
    """How a source is read as a collection; None if its content says it is not one."""
    return detect_collection(content.beginning, content.is_whole, reading.format)


def counts_in(record: ManyRecord) -> Counter[str]:
    """The counts in a record: puzzles by status, and the counts besides."""
    return Counter(record.totals) + Counter(record.known)


def compare_counts(counts: Counter[str], record: ManyRecord, report: Report) -> None:
    """Check that a record counts what was found; fallbacks cannot be found."""
    told = counts_in(record)
    for name in sorted({*counts, *told} - {FALLBACKS}):
        if counts[name] != told[name]:
            where = "certificate" if name in (PROVED, CLAIMED) else "totals"
            report.bad(f"{where}: {told[name]} {name} in the record, {counts[name]} found")


def summary(what: str, counts: Counter[str]) -> str:
    said = [f"{n} {name}" for name, n in sorted(counts.items()) if n and name not in ASIDE]
    said += [f"{counts[name]} {name}" for name in (PROVED, CLAIMED) if counts[name]]
    return f"{what}: {', '.join(said)}"


def audit_collection(published: Many, content: Content, terms: Terms, report: Report) -> str:
    """Audit a collection's set against its original; return a summary of what it claims.

    `terms` include what was declared.
    """
    found = collection_in(content, terms.reading)
    if found is None or found.format.name != published.record.format:
        report.bad(f"the original is no collection of the format {published.record.format!r}")
        return published.record.status
    audited = _Collection(published, terms, report)
    try:
        audited.run(_pieces(content, found, published.record.source, terms.reading))
    except InputError as error:
        report.bad(str(error))
    return summary(f"collection of {counted(audited.count, 'puzzle')}", audited.counts)


def _pieces(
    content: Content, found: Detected, source: str, reading: Reading
) -> Iterator[PieceContents]:
    """The puzzles, piece by piece; where the content breaks off, an entry that says why."""
    for piece in found.pieces(content, _PIECE_BYTES):
        yield found.contents(piece, source, reading)
    if content.error is not None:
        broken = Entry(0, "", None, str(content.error), None, plain=False)
        yield PieceContents(PlainLines.none(), [broken])


class _Collection:
    def __init__(self, published: Many, terms: Terms, report: Report) -> None:
        self.count = 0
        self.counts: Counter[str] = Counter()
        self._published = published
        self._terms = terms
        self._report = report
        self._names = [f"{published.stem}.csv", *published.numbered]

    def run(self, pieces: Iterable[PieceContents]) -> None:
        """Audit every row and all counts. Raises InputError if a file cannot be read further."""
        paths = [self._published.beside(name) for name in self._names]
        record = self._published.record
        if f"{self._published.stem}.proofs.csv" in self._published.files:
            self._report.note("proofs of an earlier version were not read")
        with LineFiles(paths) as files:
            also = self._also(files)
            for contents in pieces:
                start = 0
                while start < len(contents):
                    lines = files.take(len(contents) - start)
                    lines[0], added = lines[0].parted(
                        sum(len(columns(ALSO[each])) for each in also)
                    )
                    portion = Portion(self._names, self.count + 1, contents, start, lines)
                    self._look(portion)
                    if also:
                        audit_rows(portion, added, also, self._terms, self._report)
                    start += len(lines[0])
                self._told(self.count)
            files.end()
        compare_counts(self.counts, record, self._report)

    def _told(self, done: int) -> None:
        """Report that so many rows are audited."""
        record = self._published.record
        total = sum(n for name, n in record.totals.items() if name not in ASIDE)
        self._terms.on_rows(record.source, done, total)

    def _also(self, files: LineFiles) -> tuple[str, ...]:
        """The names in ALSO of which the table has columns. Raises InputError."""
        also = also_in(files.begin(), PuzzleRow)
        if also is None:
            expected = ",".join(columns(PuzzleRow))
            raise InputError(f"{self._names[0]}: the first line is not {expected!r}")
        return also

    def _look(self, portion: Portion) -> None:
        """Audit some rows: those that are alike at once, the others one by one.

        Raises InputError if one is no row, when those before it are audited.
        """
        kinds = find_alike(portion, self._terms.seconds)
        is_odd = np.ones(len(portion), np.bool_)
        for kind in kinds:
            is_odd[kind.places] = False
        odd: dict[int, Read] = {}
        fault, end = None, len(portion)
        for at in np.flatnonzero(is_odd).tolist():
            try:
                read = read_row(portion, at, self._report)
            except InputError as error:
                fault, end = error, at
                break
            odd[read.number] = read
            self._add(read.row, 1)
            self.counts[DISAGREEMENTS] += read.disagrees
        for kind in kinds:
            self._add(kind.row, int((kind.places < end).sum()))
        self.count += end
        settled = certify_lines([*odd.values()], self._report)
        self._search([e for e in odd.values() if e.is_sound and e.number not in settled])
        if fault:
            raise fault

    def _add(self, row: PuzzleRow, count: int) -> None:
        """Count equal rows."""
        self.counts[row.status] += count
        if row.complete == "true":
            self.counts[CLAIMED if row.certificate == "claimed" else PROVED] += count

    def _about(self, number: int) -> Report:
        return self._report.within(f"{self._published.stem}.csv: row {number}")

    def _search(self, rows: Sequence[Read]) -> None:
        """Check that there are no other solutions, or more, as rows say."""
        asked = [row for row in rows if sought_in(row.row)]
        right = rightly_said(asked, self._terms.seconds)
        for row in asked:
            if row.puzzle and row.number not in right:
                audited = audit_complete if row.complete else audit_another
                grids = [*row.grids.values()]
                audited(row.puzzle, grids, self._terms, self._about(row.number))
                self._told(row.number)
