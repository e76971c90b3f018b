"""A piece of a collection → its rows: the result of each puzzle, as CSV and as solutions."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import printable
from pipeline.parse import Entry
from pipeline.published.schema import CLAIMED, DISAGREEMENTS, FALLBACKS
from pipeline.published.tables import quoted, yes_or_no
from pipeline.puzzle import Grid
from pipeline.reading import Source
from pipeline.result import Certificate, Result

if TYPE_CHECKING:
    from pipeline.batch import Answers

_LONGEST_TEXT = 500
_DIGITS = bytes(ord("0") + value for value in range(10)) + bytes(246)
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Proofs:
    """The proofs of some of the puzzles of consecutive rows, in one stream of xz.

    `index` has for each its row, from 0, where its text begins in the unpacked stream, its
    length, who found it, and its number of steps.
    """

    packed: bytes
    index: tuple[tuple[int, int, int, str, int], ...]

    def later(self, rows: int) -> Proofs:
        """The same, for rows that begin so many rows further down."""
        index = tuple((entry[0] + rows, *entry[1:]) for entry in self.index)
        return Proofs(self.packed, index)


@dataclass(slots=True)
class Rows:
    """The rows of consecutive puzzles.

    `table` is CSV without the index column. `solutions` holds for each rank a line for each
    puzzle; `blank` is such a text without any solution. `seconds` is how long the rows took.
    """

    count: int = 0
    table: bytes = b""
    solutions: list[bytes] = field(default_factory=list)
    blank: bytes = b""
    totals: Counter[str] = field(default_factory=Counter)
    proofs: list[Proofs] = field(default_factory=list)
    seconds: float = field(default=0.0, compare=False)

    def add(self, more: Rows) -> None:
        """Append the rows of the puzzles that follow."""
        for rank in range(max(len(self.solutions), len(more.solutions))):
            if rank == len(self.solutions):
                self.solutions.append(self.blank)
            self.solutions[rank] += (
                more.solutions[rank] if rank < len(more.solutions) else more.blank
            )
        self.proofs += [proofs.later(self.count) for proofs in more.proofs]
        self.count += more.count
        self.table += more.table
        self.blank += more.blank
        self.totals += more.totals
        self.seconds += more.seconds


class RowsOf:
    """Makes the rows of consecutive puzzles, each of which is told once, in any order."""

    def __init__(self, entries: Sequence[Entry], source: Source) -> None:
        self._entries = entries
        self._source = source
        self._table = [""] * len(entries)
        self._lines: list[Sequence[str]] = [()] * len(entries)
        self._totals: Counter[str] = Counter()
        self._proofs: list[tuple[int, str, Certificate]] = []

    def tell(self, place: int, result: Result[Grid]) -> None:
        """Tell of the puzzle at an index by its result."""
        entry = self._entries[place]
        lines = [one_line(grid.values, entry.signs) for grid in result.solutions]
        said = quoted(printable(_said(result)))
        wrong = quoted(printable(result.disagreement or ""))
        self._put(place, result.status, lines, result.complete, f"{said},{wrong}")
        self._totals.update(_counted(result))
        if result.proof and result.certificate:
            self._proofs.append((place, result.proof.text, result.certificate))

    def tell_answer(self, place: int, answers: Answers, index: int) -> bool:
        """Tell of a puzzle by what was found at an index of a batch, if that is all there is.

        False if it has a result of its own, or another solution beside it: `tell` is for that.
        """
        entry, status = self._entries[place], answers.status(index)
        lines = [one_line(values, entry.signs) for values in answers.solutions(index)]
        differs = entry.claimed is not None and entry.claimed not in lines
        if differs or index in answers.results:
            return False
        complete = answers.is_complete(index)
        self._put(place, status, lines, complete, f"{quoted(answers.message(index) or '')},")
        self._totals[status] += 1
        if complete:
            self._totals[CLAIMED] += 1
        return True

    def _put(
        self, place: int, status: str, lines: Sequence[str], complete: bool | None, said: str
    ) -> None:
        entry = self._entries[place]
        most = _LONGEST_TEXT if entry.puzzle is None else None
        text = entry.text if entry.plain else quoted(printable(entry.text[:most]))
        head = f"{entry.line},{text},{status},{len(lines)},{yes_or_no(complete)}"
        self._table[place] = f"{head},{lines[0] if lines else ''},{said}\n"
        self._lines[place] = lines

    def rows(self) -> Rows:
        """The rows, once all puzzles have been told."""
        blanks = ["." * _cells(entry, self._source) for entry in self._entries]
        ranks = range(max(map(len, self._lines), default=0))
        told = list(zip(self._lines, blanks, strict=True))
        return Rows(
            len(self._entries),
            "".join(self._table).encode(errors="surrogateescape"),
            [_block([own[at] if at < len(own) else blank for own, blank in told]) for at in ranks],
            _block(blanks),
            self._totals,
            _packed(sorted(self._proofs)),
        )


def one_line(values: Sequence[int], signs: str = "") -> str:
    """Write a grid of any size in one line: digits, signs of an alphabet, or spaced numbers."""
    if signs:
        return "".join([signs[value - 1] for value in values])
    if len(values) <= 81:
        return bytes(values).translate(_DIGITS).decode("ascii")
    return " ".join(map(str, values))


def _cells(entry: Entry, source: Source) -> int:
    """How many dots stand for an entry without a solution."""
    if entry.plain:
        return 81
    return len(entry.puzzle.cells) if entry.puzzle else source.cells


def _counted(result: Result[Grid]) -> Iterator[str]:
    """The totals that a row counts in."""
    yield result.status
    if result.disagreement:
        yield DISAGREEMENTS
    if result.solver and result.solver.warning:
        yield FALLBACKS
    if result.complete:
        yield result.certificate.complete if result.certificate else CLAIMED


def _packed(proofs: Iterable[tuple[int, str, Certificate]]) -> list[Proofs]:
    index, texts, start = [], [], 0
    for place, text, found in proofs:
        index.append((place, start, len(text), found.solver or "", found.steps or 0))
        texts.append(text)
        start += len(text)
    if not index:
        return []
    packed = lzma.compress("".join(texts).encode("ascii"), preset=1)
    return [Proofs(packed, tuple(index))]


def _block(lines: list[str]) -> bytes:
    return "".join([line + "\n" for line in lines]).encode("ascii")


def _said(result: Result[Grid]) -> str:
    reason = result.certificate.reason if result.certificate and result.complete else None
    unproved = f"claimed: {reason}" if reason else None
    fallback = result.solver.warning if result.solver else None
    return "; ".join(filter(None, (result.message, unproved, fallback, result.disagreement)))


def indexed(table: bytes, first: int) -> bytes:
    """The rows of a table with their index, counted from `first`."""
    rows = table.splitlines(keepends=True)
    return b"".join(chain.from_iterable((b"%d," % at, row) for at, row in enumerate(rows, first)))


def blank_lines(path: Path) -> Iterator[bytes]:
    """For each line of a file of solutions a line without one, in blocks."""
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK):
            yield b"".join([b"." * _cells_in(line) + b"\n" for line in lines])


def _cells_in(line: bytes) -> int:
    return len(line.split() if b" " in line else line.rstrip())


def broken(source: Source, line: int, message: str) -> Rows:
    """The row that says why the rest could not be read."""
    making = RowsOf([Entry(line, "", None, message, None, plain=False)], source)
    making.tell(0, Result("invalid", message=message))
    return making.rows()
