"""A collection's set: original, table, solutions and proofs, side by side in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, BinaryIO

import numpy as np

from pipeline.audit.claims import ONLY_CLAIMED, fault_in_status, grid_in, is_denied
from pipeline.audit.complete import audit_complete
from pipeline.audit.proofs import ProofsFile, check_steps
from pipeline.audit.sets import Many, Report, Terms
from pipeline.certify import certify_grid, certify_many
from pipeline.certify.formula import proof_formula
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.errors import InputError, PipelineError, counted, printable
from pipeline.parse import HEAD_BYTES, Detected, Entry, detect_collection
from pipeline.published.schema import (
    ASIDE,
    CLAIMED,
    DISAGREEMENTS,
    FALLBACKS,
    PROVED,
    ManyRecord,
    or_none,
)
from pipeline.published.tables import PuzzleRow, lines_of, rows_in
from pipeline.puzzle import NINE, Geometry, Grid, Puzzle
from pipeline.settings import Reading
from pipeline.unpack.streams import PeekableStream

_PIECE_BYTES = 256 * 1024
_MASKS = {str(value): 1 << (value - 1) for value in range(1, 10)} | dict.fromkeys(
    ".0", NINE.all_values
)
_LARGEST_TOGETHER = 64
_LONGEST_TEXT = 500
_SHOWN = 3
_CERTIFICATES = {"true": ("exhaustion", "drat", "claimed"), "false": ("",), "": ("",)}
"""What a row may say of how its solutions are known to be all, by its word on that."""
_COMPLETE = {"true": True, "false": False, "": None}


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
    told = or_none(record.certificate)
    return Counter(record.totals) + Counter(
        {PROVED: told.proved, CLAIMED: told.claimed} if told else {}
    )


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
        audited.run(_entries(content, found, published.record.source, terms.reading))
    except InputError as error:
        report.bad(str(error))
    return summary(f"collection of {counted(audited.count, 'puzzle')}", audited.counts)


def _entries(
    content: Content, found: Detected, source: str, reading: Reading
) -> Iterator[list[Entry]]:
    """The puzzles, piece by piece; where the content breaks off, an entry that says why."""
    for piece in found.pieces(content, _PIECE_BYTES):
        yield found.entries(piece, source, reading)
    if content.error is not None:
        yield [Entry(0, "", None, str(content.error), None, plain=False)]


class _Collection:
    def __init__(self, published: Many, terms: Terms, report: Report) -> None:
        self.count = 0
        self.counts: Counter[str] = Counter()
        self._published = published
        self._terms = terms
        self._report = report
        self._alone = 0
        table = published.beside(f"{published.stem}.csv")
        solutions = [published.beside(name) for name in published.numbered]
        self._names = [path.name for path in (table, *solutions)]
        self._lines: Iterator[tuple[Any, ...]] = zip_longest(
            rows_in(table, PuzzleRow), *map(lines_of, solutions)
        )

    def run(self, entries: Iterable[list[Entry]]) -> None:
        """Audit every row and all counts. Raises InputError if a file cannot be read further."""
        with ExitStack() as stack:
            proofs = self._proofs(stack)
            for some in entries:
                self._look(some, proofs)
            for name, left in zip(self._names, next(self._lines, ()), strict=False):
                if left is not None:
                    raise InputError(f"{name} goes on behind the last puzzle")
            if proofs and (unread := proofs.next):
                raise InputError(f"{proofs.name}: there is no row {unread.index}")
            if proofs and self._report.is_clean:  # else proofs may have been skipped
                proofs.end()
        if self._alone:
            self._report.gap(f"{counted(self._alone, 'row')}: {ONLY_CLAIMED}")
        compare_counts(self.counts, self._published.record, self._report)

    def _proofs(self, stack: ExitStack) -> ProofsFile | None:
        names = [f"{self._published.stem}.proofs.{ending}" for ending in ("xz", "csv")]
        listed = [name for name in names if name in self._published.files]
        if len(listed) == 1:
            self._report.bad(f"of {names[0]} and {names[1]} only {listed[0]} is listed")
        if len(listed) < 2:
            return None
        return stack.enter_context(ProofsFile(*map(self._published.beside, names)))

    def _next(self) -> tuple[PuzzleRow, dict[str, str]]:
        """The next row, with its line in each solution file. Raises InputError if one ends."""
        found: tuple[Any, ...] = next(self._lines, (None,) * len(self._names))
        self.count += 1
        for name, line in zip(self._names, found, strict=True):
            if line is None:
                raise InputError(f"{name} ends too early, before row {self.count}")
        return found[0], dict(zip(self._names[1:], found[1:], strict=True))

    def _look(self, entries: list[Entry], proofs: ProofsFile | None) -> None:
        """Audit some rows, and certify their grids together."""
        read: list[_Read] = []
        for entry in entries:
            row, lines = self._next()
            read.append(_read_row(self.count, entry, row, lines, self._published, self._report))
            self.counts[row.status] += 1
            self.counts[DISAGREEMENTS] += read[-1].disagrees
            if row.complete == "true":
                self.counts[CLAIMED if row.certificate == "claimed" else PROVED] += 1
            self._alone += row.status == "multiple" and row.solutions == "1"
        unsound = _certify_lines(read, self._report)
        proved = set()
        for each in read:
            if proofs and proofs.next and proofs.next.index == each.number:
                if self._check(each, proofs, proofs.next.steps):
                    proved.add(each.number)
                proofs.advance()
            elif each.certificate == "drat":
                self._about(each.number).bad("the certificate is 'drat', but there is no proof")
        known = unsound | proved
        claims = [e for e in read if e.complete and e.is_sound and e.number not in known]
        self._audit_complete(claims)

    def _about(self, number: int) -> Report:
        return self._report.within(f"{self._published.stem}.csv: row {number}")

    def _audit_complete(self, rows: Sequence[_Read]) -> None:
        """Check that the solutions of each row are all: those of 9×9 together."""
        nine = [row for row in rows if row.puzzle and row.puzzle.geometry == NINE]
        good = _are_complete(nine, self._terms)
        shown = {row.number for row, is_shown in zip(nine, good, strict=True) if is_shown}
        for row in rows:
            if row.puzzle and row.number not in shown:
                grids = [*row.grids.values()]
                audit_complete(row.puzzle, grids, self._terms, self._about(row.number))

    def _check(self, read: _Read, proofs: ProofsFile, steps: int) -> bool:
        """Whether the next proof shows that the solutions of a row are all."""
        report = self._report.within(f"proof of row {read.number}")
        try:
            text = proofs.take()
            if not read.complete or read.puzzle is None:
                report.bad("the row does not say that its solutions are all")
                return False
            if read.certificate != "drat":
                report.bad(f"the certificate of the row is {read.certificate[:20]!r}, not 'drat'")
            formula = proof_formula(read.puzzle, [*read.grids.values()])
        except (ValueError, PipelineError) as error:
            report.bad(str(error))
            return False
        return check_steps(formula, text, steps, self._terms, report)


@dataclass(frozen=True, slots=True)
class _Read:
    """A row as found: the puzzle of the original, and its grid in each solution file.

    `is_sound`: they are different grids. `disagrees`: the solution beside the puzzle is wrong, or
    not among all there are.
    """

    number: int
    puzzle: Puzzle | None
    complete: bool
    certificate: str
    grids: Mapping[str, Grid]
    is_sound: bool
    disagrees: bool


def _read_row(
    number: int,
    entry: Entry,
    row: PuzzleRow,
    lines: Mapping[str, str],
    published: Many,
    report: Report,
) -> _Read:
    """Compare a row, and its line in each solution file, with the original.

    Rows are numbered from 1.
    """
    report = report.within(f"{published.stem}.csv: row {number}")
    puzzle = entry.puzzle
    if entry.plain:
        puzzle = Puzzle(NINE, tuple(map(_MASKS.__getitem__, entry.text)))
    _compare(number, entry, row, report)
    if (puzzle is None) != (row.status == "invalid"):
        what = "a puzzle" if puzzle else "no puzzle"
        report.bad(f"the status is {row.status!r}, but the original holds {what} there")
    if row.status == "solved":
        report.bad("the status 'solved' is that of a formula")
    _audit_count(row, [*lines.values()], report)
    complete, grids = row.complete == "true", _grids(lines, entry, puzzle, report)
    is_sound = len({*grids.values()}) == sum(bool(line.strip(".")) for line in lines.values())
    disagrees = row.status != "failed" and is_denied(
        entry.claimed, entry.signs, puzzle, grids.values(), complete=complete
    )
    if bool(row.disagreement) != disagrees:
        said = "does not say" if disagrees else "says"
        report.bad(f"the row {said} that the solution beside the puzzle is wrong")
    return _Read(number, puzzle, complete, row.certificate, grids, is_sound, disagrees)


def _compare(number: int, entry: Entry, row: PuzzleRow, report: Report) -> None:
    """Check that a row is about the entry of that number."""
    text = entry.text
    if not entry.plain:
        text = printable(text[: _LONGEST_TEXT if entry.puzzle is None else None])
    line = str(entry.line) if entry.line else row.line  # unknown for a broken source
    for what, here, there in (
        ("index", row.index, str(number)),
        ("line", row.line, line),
        ("puzzle", row.puzzle, text),
    ):
        if here != there:
            report.bad(f"the {what} is {here[:100]!r}, by the original {there[:100]!r}")


def _audit_count(row: PuzzleRow, lines: Sequence[str], report: Report) -> None:
    """Check that status and completeness fit the lines in the solution files, and the first one."""
    filled = [line for line in lines if line.strip(".")]
    if row.complete not in _COMPLETE:
        report.bad(f"complete: expected true or false, found {row.complete[:20]!r}")
    else:
        if fault := fault_in_status(row.status, len(filled), _COMPLETE[row.complete]):
            report.bad(fault)
        if row.certificate not in _CERTIFICATES[row.complete]:
            said = f"the certificate {row.certificate[:20]!r} does not go with complete"
            report.bad(f"{said}: {row.complete or 'null'}")
    if row.solutions != str(len(filled)) or filled != [*lines[: len(filled)]]:
        report.bad(
            f"{row.solutions[:20]} solutions are told, "
            f"the solution files have {counted(len(filled), 'line')} for it"
        )
    if row.solution != (lines[0] if filled else ""):
        report.bad("its solution is not that of the first solution file")


def _grids(
    lines: Mapping[str, str], entry: Entry, puzzle: Puzzle | None, report: Report
) -> dict[str, Grid]:
    """The grids in the lines of the solution files; invalid ones are reported."""
    size = len(puzzle.cells) if puzzle else None
    grids: dict[str, Grid] = {}
    for name, text in lines.items():
        if text and not text.strip(".") and size in (None, len(text)):
            continue
        grid = grid_in(text, entry.signs, puzzle)
        if grid is None:
            report.bad(f"{name}: {text[:100]!r} is no grid of the puzzle's size")
        else:
            grids[name] = grid
            numbers = " ".join(map(str, grid.values)) if grid.geometry.side > 9 else ""
            if " " in text and text != numbers:
                report.bad(f"{name}: {text[:100]!r} is written otherwise")
    if len(set(grids.values())) < len(grids):
        report.bad("two of its solutions are the same grid")
    return grids


def _certify_lines(rows: Sequence[_Read], report: Report) -> set[int]:
    """Check all grids of some rows against their puzzles; those of one geometry together.

    Return the numbers of the rows in which one is no solution.
    """
    unsound = set()
    groups: dict[Geometry, list[tuple[_Read, Puzzle, str, Grid]]] = {}
    for row in rows:
        for name, grid in row.grids.items():
            if row.puzzle is not None:
                groups.setdefault(grid.geometry, []).append((row, row.puzzle, name, grid))
    for geometry, group in groups.items():
        if geometry.side <= _LARGEST_TOGETHER:
            masks = np.array([puzzle.cells for _, puzzle, _, _ in group], np.uint64)
            grids = np.array([grid.values for *_, grid in group], np.uint16)
            good = certify_many(geometry, masks, grids)
            doubtful = [group[at] for at in np.flatnonzero(~good)]
        else:
            doubtful = group
        for row, puzzle, name, grid in doubtful:
            violations = certify_grid(puzzle, grid)
            if violations or geometry.side <= _LARGEST_TOGETHER:
                unsound.add(row.number)
            if not violations and geometry.side <= _LARGEST_TOGETHER:
                report.bad(f"{name}: line {row.number} is no solution")
            for violation in violations[:_SHOWN]:
                report.bad(f"{name}: line {row.number}: {violation}")
    return unsound


def _are_complete(rows: Sequence[_Read], terms: Terms) -> list[bool]:
    """Which of these rows of 9×9 are shown to have no other solutions."""
    counts = np.array([len(row.grids) for row in rows], np.int64)
    masks = np.array([row.puzzle.cells for row in rows if row.puzzle], np.uint16).reshape(-1, 81)
    grids = np.zeros((counts.max(initial=0), len(rows), 81), np.uint8)
    for place, row in enumerate(rows):
        for rank, grid in enumerate(row.grids.values()):
            grids[rank, place] = grid.values
    verdicts, _ = exhausted_many(NINE, masks, counts, grids, terms.seconds * len(rows))
    return [verdict == Verdict.COMPLETE for verdict in verdicts.tolist()]
