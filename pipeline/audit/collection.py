"""A collection's set: original, table, solutions and proofs, side by side in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import count

from pipeline.audit.explanations import audit_presence
from pipeline.audit.files import ONLY_CLAIMED
from pipeline.audit.findings import Report
from pipeline.audit.lines import Read, certify_lines, read_row
from pipeline.audit.proofs import check_steps
from pipeline.audit.proofs_file import ProofsFile
from pipeline.audit.records import Record
from pipeline.audit.streams import Beside, Content
from pipeline.audit.terms import Terms
from pipeline.certify.formula import proof_formula
from pipeline.errors import InputError, PipelineError, counted
from pipeline.parse import Detected, Entry, detect_collection
from pipeline.settings import Reading

PIECE_BYTES = 256 * 1024
ASIDE = frozenset(("disagreements", "fallbacks"))
"""What the totals count beside the statuses."""


def collection_in(content: Content, reading: Reading) -> Detected | None:
    """How a source is read as a collection; None where it is none by its own account."""
    return detect_collection(content.beginning, content.is_whole, reading.format)


def audit_collection(record: Record, content: Content, terms: Terms, report: Report) -> str:
    """Audit a collection's set against its original; what it claims.

    `terms` are those that were declared.
    """
    audit_presence(record, report)
    found = collection_in(content, terms.reading)
    if found is None or found.format.name != record.format:
        report.bad(f"the original is no collection of the format {record.format!r}")
        return record.status
    audited = _Collection(record, terms, report)
    entries = _entries(content, found, record, terms)
    try:
        audited.run(entries, content)
    except InputError as error:
        report.bad(str(error))
    else:
        audited.compare_totals()
    return audited.summary()


def _entries(
    content: Content, found: Detected, record: Record, terms: Terms
) -> Iterator[list[Entry]]:
    for piece in found.pieces(content, PIECE_BYTES):
        yield found.entries(piece, record.source, terms.reading)


class _Collection:
    """One walk through a collection."""

    def __init__(self, record: Record, terms: Terms, report: Report) -> None:
        self._record = record
        self._terms = terms
        self._report = report
        self._totals: Counter[str] = Counter()
        self._complete = 0
        self._proved = 0
        self._alone = 0
        self._numbers = count(1)

    def run(self, entries: Iterable[list[Entry]], content: Content) -> None:
        """Look at every row. Raises InputError where the files cannot be read any further."""
        record = self._record
        folder = record.path.parent
        names = record.numbered()
        beside = Beside(folder / f"{record.stem}.csv", [folder / name for name in names])
        with ExitStack() as stack:
            proofs = self._proofs(stack)
            for some in entries:
                self._look(some, beside, proofs)
            if content.error is not None:
                self._look([_broken(str(content.error))], beside, None)
            beside.end()
            if proofs and proofs.next:
                raise InputError(f"{record.stem}.proofs.csv: there is no row {proofs.next.row}")
            if proofs and self._report.is_clean:  # else proofs may have been passed over
                proofs.end()

    def _proofs(self, stack: ExitStack) -> ProofsFile | None:
        names = [f"{self._record.stem}.proofs.{ending}" for ending in ("xz", "csv")]
        listed = [name for name in names if name in self._record.files]
        if len(listed) == 1:
            self._report.bad(f"of {names[0]} and {names[1]} only {listed[0]} is listed")
        if len(listed) < 2:
            return None
        packed, index = map(self._record.path.with_name, names)
        return stack.enter_context(ProofsFile(packed, index))

    def _look(self, entries: list[Entry], beside: Beside, proofs: ProofsFile | None) -> None:
        """Look at some rows, whose grids are certified together."""
        read: list[Read] = []
        for entry, number in zip(entries, self._numbers, strict=False):  # entries come to an end
            row, lines = beside.next()
            read.append(read_row(number, entry, row, lines, self._record, self._report))
            self._totals[row.status] += 1
            self._totals["disagreements"] += read[-1].disagrees
            self._complete += read[-1].complete
            self._alone += row.status == "multiple" and row.solutions == "1"
        certify_lines(read, self._report)
        for each in read:
            if proofs and proofs.next and proofs.next.row == each.number:
                self._check(each, proofs, proofs.next.steps)
                proofs.advance()

    def _check(self, read: Read, proofs: ProofsFile, steps: int) -> None:
        """Check the proof of one row."""
        report = self._report.within(f"proof of row {read.number}")
        self._proved += 1
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

    def compare_totals(self) -> None:
        """Whether the record counts as we do."""
        ours = {name: n for name, n in self._totals.items() if n and name != "fallbacks"}
        theirs = {name: n for name, n in self._record.totals.items() if n and name != "fallbacks"}
        for name in sorted(ours.keys() | theirs.keys()):
            here, there = ours.get(name, 0), theirs.get(name, 0)
            if here != there:
                self._report.bad(f"totals: {there} {name} in the record, {here} in the table")
        if self._alone:
            self._report.gap(f"{counted(self._alone, 'row')}: {ONLY_CLAIMED}")
        compare_evidence(self._record, self._proved, self._complete - self._proved, self._report)

    def summary(self) -> str:
        """What the collection claims, in a few words."""
        statuses = sorted(name for name in self._totals if self._totals[name] and name not in ASIDE)
        said = [f"{self._totals[name]} {name}" for name in statuses]
        said += [f"{self._proved} proved"] * bool(self._proved)
        puzzles = sum(self._totals[name] for name in statuses)
        return f"collection of {counted(puzzles, 'puzzle')}: {', '.join(said)}"


def compare_evidence(record: Record, proved: int, claimed: int, report: Report) -> None:
    """Whether a record of many puzzles counts those that are proved, and claimed, as we do."""
    told = record.certificate
    for word, here, there in (
        ("proved", proved, (told and told.proved) or 0),
        ("claimed", claimed, (told and told.claimed) or 0),
    ):
        if here != there:
            report.bad(f"certificate: {there} {word}, where it is {here}")


def _broken(message: str) -> Entry:
    """What stands for the rest of a source that is broken."""
    return Entry(0, "", None, message, None, plain=False)
