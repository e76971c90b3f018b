"""A collection's set: original, table, solutions and proofs, side by side in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import BinaryIO

import numpy as np

from pipeline.certify.formula import proof_formula
from pipeline.errors import InputError, PipelineError, counted
from pipeline.outbox.audit.alike import find_alike
from pipeline.outbox.audit.complete import audit_another, audit_complete
from pipeline.outbox.audit.lines import LineFiles
from pipeline.outbox.audit.proofs import ProofsFile, check_steps
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
    """What a record counts: puzzles by status, and those that are counted aside."""
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
        with ExitStack() as stack:
            proofs = self._proofs(stack)
            files = stack.enter_context(LineFiles(paths))
            also = self._also(files)
            for contents in pieces:
                start = 0
                while start < len(contents):
                    lines = files.take(len(contents) - start)
                    lines[0], added = lines[0].parted(
                        sum(len(columns(ALSO[each])) for each in also)
                    )
                    portion = Portion(self._names, self.count + 1, contents, start, lines)
                    self._look(portion, proofs)
                    if also:
                        audit_rows(portion, added, also, self._terms, self._report)
                    start += len(lines[0])
                self._told(self.count)
            files.end()
            if proofs and (unread := proofs.next):
                raise InputError(f"{proofs.name}: there is no row {unread.index}")
            if proofs and self._report.is_clean:  # else proofs may have been skipped
                proofs.end()
        compare_counts(self.counts, record, self._report)

    def _told(self, done: int) -> None:
        """Tell that so many rows are audited."""
        record = self._published.record
        total = sum(n for name, n in record.totals.items() if name not in ASIDE)
        self._terms.on_rows(record.source, done, total)

    def _also(self, files: LineFiles) -> tuple[str, ...]:
        """What the table tells in addition, by its header. Raises InputError."""
        also = also_in(files.begin(), PuzzleRow)
        if also is None:
            expected = ",".join(columns(PuzzleRow))
            raise InputError(f"{self._names[0]}: the first line is not {expected!r}")
        return also

    def _proofs(self, stack: ExitStack) -> ProofsFile | None:
        names = [f"{self._published.stem}.proofs.{ending}" for ending in ("xz", "csv")]
        listed = [name for name in names if name in self._published.files]
        if len(listed) == 1:
            self._report.bad(f"of {names[0]} and {names[1]} only {listed[0]} is listed")
        if len(listed) < 2:
            return None
        return stack.enter_context(ProofsFile(*map(self._published.beside, names)))

    def _look(self, portion: Portion, proofs: ProofsFile | None) -> None:
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
        settled |= self._audit_proofs(portion, odd, proofs)
        self._search([e for e in odd.values() if e.is_sound and e.number not in settled])
        if fault:
            raise fault

    def _add(self, row: PuzzleRow, count: int) -> None:
        """Count rows that say the same."""
        self.counts[row.status] += count
        if row.complete == "true":
            self.counts[CLAIMED if row.certificate == "claimed" else PROVED] += count

    def _audit_proofs(
        self, portion: Portion, odd: Mapping[int, Read], proofs: ProofsFile | None
    ) -> set[int]:
        """Check the proofs of some rows; the numbers of those that they prove."""
        rows = range(portion.first, self.count + 1)
        tried, proved = set(), set()
        while proofs and proofs.next and proofs.next.index in rows:
            number, steps = proofs.next.index, proofs.next.steps
            tried.add(number)
            read = odd.get(number) or read_row(portion, number - portion.first, Report())
            if self._check(read, proofs, steps):
                proved.add(number)
            self._told(number)
            proofs.advance()
        for number, read in odd.items():
            if read.row.certificate == "drat" and number not in tried:
                self._about(number).bad("the certificate is 'drat', but there is no proof")
        return proved

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

    def _check(self, read: Read, proofs: ProofsFile, steps: int) -> bool:
        """Whether the next proof shows that the solutions of a row are all."""
        report = self._report.within(f"proof of row {read.number}")
        try:
            text = proofs.take()
            if not read.complete or read.puzzle is None:
                report.bad("the row does not say that its solutions are all")
                return False
            if read.row.certificate != "drat":
                report.bad(
                    f"the certificate of the row is {read.row.certificate[:20]!r}, not 'drat'"
                )
            formula = proof_formula(read.puzzle, [*read.grids.values()])
        except (ValueError, PipelineError) as error:
            report.bad(str(error))
            return False
        return check_steps(formula, text, steps, self._terms, report)
