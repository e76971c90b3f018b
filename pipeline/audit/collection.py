"""A collection's set: original, table, solutions and proofs, side by side in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import BinaryIO

from pipeline.audit.findings import Report, Terms
from pipeline.audit.proofs import ProofsFile, check_steps
from pipeline.audit.rows import Read, certify_lines, read_row
from pipeline.audit.sets import ONLY_CLAIMED, Many
from pipeline.certify.formula import proof_formula
from pipeline.errors import InputError, PipelineError, counted
from pipeline.parse import HEAD_BYTES, Detected, Entry, detect_collection
from pipeline.published.schema import ASIDE, DISAGREEMENTS, FALLBACKS, or_none
from pipeline.published.tables import PuzzleRow, lines_of, rows_in
from pipeline.settings import Reading
from pipeline.unpack import PeekableStream

PIECE_BYTES = 256 * 1024


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


@dataclass(slots=True)
class Tally:
    """How many puzzles have which status, and how many are proved or claimed to be complete."""

    totals: Counter[str] = field(default_factory=Counter)
    proved: int = 0
    claimed: int = 0

    def compare(self, published: Many, report: Report) -> None:
        """Compare the counts with a record's."""
        record = published.record
        for name in sorted({*self.totals, *record.totals} - {FALLBACKS}):
            here, there = self.totals[name], record.totals.get(name, 0)
            if here != there:
                report.bad(f"totals: {there} {name} in the record, {here} in the table")
        told = or_none(record.certificate)
        for word, here, there in (
            ("proved", self.proved, told.proved if told else 0),
            ("claimed", self.claimed, told.claimed if told else 0),
        ):
            if here != there:
                report.bad(f"certificate: {there} {word}, where it is {here}")

    def summary(self, what: str) -> str:
        said = [f"{n} {name}" for name, n in sorted(self.of_statuses().items())]
        said += [f"{self.proved} proved"] * bool(self.proved)
        return f"{what}: {', '.join(said)}"

    def of_statuses(self) -> Counter[str]:
        """The counts of statuses that are not 0."""
        return +Counter({name: n for name, n in self.totals.items() if name not in ASIDE})


def audit_misplaced(published: Many, report: Report) -> None:
    """Report fields that only the record of one puzzle may have."""
    for name in published.misplaced:
        report.bad(f"{name}: there should be none")


def audit_collection(published: Many, content: Content, terms: Terms, report: Report) -> str:
    """Audit a collection's set against its original; return a summary of what it claims.

    `terms` include what was declared.
    """
    audit_misplaced(published, report)
    found = collection_in(content, terms.reading)
    if found is None or found.format.name != published.record.format:
        report.bad(f"the original is no collection of the format {published.record.format!r}")
        return published.record.status
    audited = _Collection(published, terms, report)
    try:
        audited.run(_entries(content, found, published, terms), content)
    except InputError as error:
        report.bad(str(error))
    else:
        audited.compare()
    puzzles = counted(audited.tally.of_statuses().total(), "puzzle")
    return audited.tally.summary(f"collection of {puzzles}")


def _entries(
    content: Content, found: Detected, published: Many, terms: Terms
) -> Iterator[list[Entry]]:
    source = published.record.source
    for piece in found.pieces(content, PIECE_BYTES):
        yield found.entries(piece, source, terms.reading)


class _Beside:
    """The rows of a collection, each with its lines in the solution files."""

    def __init__(self, table: Path, solutions: Sequence[Path]) -> None:
        self._table = table
        self._rows = rows_in(table, PuzzleRow)
        self._lines = {path.name: lines_of(path) for path in solutions}

    def next(self) -> tuple[PuzzleRow, dict[str, str]]:
        """The next row with its line in each file. Raises InputError if there is none."""
        row = next(self._rows, None)
        if row is None:
            raise InputError(f"{self._table.name} ends too early")
        lines = {}
        for name, each in self._lines.items():
            line = next(each, None)
            if line is None:
                raise InputError(f"{name} ends too early, before row {row.index}")
            lines[name] = line
        return row, lines

    def end(self) -> None:
        """Raise InputError if anything is left."""
        for name, left in ((self._table.name, self._rows), *self._lines.items()):
            if next(left, None) is not None:
                raise InputError(f"{name} goes on behind the last puzzle")


class _Collection:
    def __init__(self, published: Many, terms: Terms, report: Report) -> None:
        self.tally = Tally()
        self._published = published
        self._terms = terms
        self._report = report
        self._alone = 0
        self._numbers = count(1)

    def run(self, entries: Iterable[list[Entry]], content: Content) -> None:
        """Audit every row. Raises InputError if the files cannot be read any further."""
        published = self._published
        solutions = [published.beside(name) for name in published.numbered]
        beside = _Beside(published.beside(f"{published.stem}.csv"), solutions)
        with ExitStack() as stack:
            proofs = self._proofs(stack)
            for some in entries:
                self._look(some, beside, proofs)
            if content.error is not None:  # the rest is one row
                broken = Entry(0, "", None, str(content.error), None, plain=False)
                self._look([broken], beside, None)
            beside.end()
            if proofs and (left := proofs.next):
                raise InputError(f"{published.stem}.proofs.csv: there is no row {left.index}")
            if proofs and self._report.is_clean:  # else proofs may have been skipped
                proofs.end()

    def _proofs(self, stack: ExitStack) -> ProofsFile | None:
        names = [f"{self._published.stem}.proofs.{ending}" for ending in ("xz", "csv")]
        listed = [name for name in names if name in self._published.files]
        if len(listed) == 1:
            self._report.bad(f"of {names[0]} and {names[1]} only {listed[0]} is listed")
        if len(listed) < 2:
            return None
        return stack.enter_context(ProofsFile(*map(self._published.beside, names)))

    def _look(self, entries: list[Entry], beside: _Beside, proofs: ProofsFile | None) -> None:
        """Audit some rows, and certify their grids together."""
        read: list[Read] = []
        for entry, number in zip(entries, self._numbers, strict=False):  # numbers never end
            row, lines = beside.next()
            read.append(read_row(number, entry, row, lines, self._published, self._report))
            self.tally.totals[row.status] += 1
            self.tally.totals[DISAGREEMENTS] += read[-1].disagrees
            self.tally.claimed += read[-1].complete
            self._alone += row.status == "multiple" and row.solutions == "1"
        certify_lines(read, self._report)
        for each in read:
            if proofs and proofs.next and proofs.next.index == each.number:
                self._check(each, proofs, proofs.next.steps)
                proofs.advance()

    def _check(self, read: Read, proofs: ProofsFile, steps: int) -> None:
        report = self._report.within(f"proof of row {read.number}")
        self.tally.proved += 1
        self.tally.claimed -= 1
        try:
            text = proofs.take()
            if not read.complete or read.puzzle is None:
                report.bad("the row does not say that its solutions are all")
                return
            formula = proof_formula(read.puzzle, [*read.grids.values()])
        except (ValueError, PipelineError) as error:
            report.bad(str(error))
            return
        check_steps(formula, text, steps, self._terms, report)

    def compare(self) -> None:
        """Compare the counts with the record's."""
        if self._alone:
            self._report.gap(f"{counted(self._alone, 'row')}: {ONLY_CLAIMED}")
        self.tally.compare(self._published, self._report)
