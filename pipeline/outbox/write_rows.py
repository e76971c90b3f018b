"""Answers → rows: what was found for the puzzles of a piece, as CSV and as solutions.

Rows of plain lines are made all at once, in numpy; those of other puzzles one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from operator import add

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import printable
from pipeline.outbox.rows import Rows, fallbacks_of, summed
from pipeline.outbox.schema import CLAIMED, DISAGREEMENTS, FALLBACKS, Fallback
from pipeline.outbox.tables import ALSO, columns, one_line, quoted, unproved, yes_or_no
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import Entry
from pipeline.reading.formats.plain import PieceContents, PlainLines
from pipeline.reading.source import Source
from pipeline.solving.facts import caveat
from pipeline.solving.items import problem_of
from pipeline.solving.many import Answers
from pipeline.solving.one import compared
from pipeline.solving.result import Certificate, Result

_LONGEST_TEXT = 500
_PLAIN_LINE = 82
"""Bytes of a solution of 9×9, with the end of the line."""

_FOUR_DIGITS: NDArray[np.uint8] = (
    np.arange(10_000)[:, None] // (1000, 100, 10, 1) % 10 + ord("0")
).astype(np.uint8)

_Columns = Sequence[NDArray[np.uint8] | str]


@dataclass(frozen=True)
class _PlainRows:
    """The rows of Q plain lines that need no message, made all at once.

    `numbers` (Q,) and `cells` (Q, 81) are the lines, `places` (Q,) those of the puzzles in their
    piece, ascending, and `at` (Q,) those of their answers. `first` is the index of the piece's
    first puzzle.
    """

    first: int
    numbers: NDArray[np.int64]
    cells: NDArray[np.uint8]
    places: NDArray[np.intp]
    answers: Answers
    at: NDArray[np.intp]

    @cached_property
    def _kinds(self) -> NDArray[np.int64]:
        """Equal for puzzles of the same status and number of solutions.

        Their certificates are alike too: what is not checked with the others has a result.
        """
        return self.answers.counts[self.at] * 2 + self.answers.more[self.at]

    @cached_property
    def ranks(self) -> int:
        return int(self.answers.counts[self.at].max(initial=0))

    def totals(self) -> Counter[str]:
        totals: Counter[str] = Counter()
        counts = np.bincount(self._kinds).tolist()
        for kind, count in enumerate(counts):
            if not count:
                continue
            first = self._first(kind)
            totals[self.answers.status(first)] += count
            if certificate := self.answers.certificate(first):
                totals[certificate.complete] += count
        return totals

    def _first(self, kind: int) -> int:
        """The answer of the first puzzle of this kind."""
        return int(self.at[(self._kinds == kind).argmax()])

    def table(self) -> tuple[bytes, NDArray[np.int64]]:
        """The rows, one after the other, and where each begins and ends, (Q+1,)."""
        texts, lengths = [], []
        index, powers = self.first + self.places, 10 ** np.arange(1, 19)
        longer = [np.searchsorted(each, powers).tolist() for each in (index, self.numbers)]
        for start, stop in pairwise(sorted({0, *chain(*longer), len(index)})):
            own = slice(start, stop)
            text, length = self._same_width(own, index[own])
            texts.append(text)
            lengths.append(length)
        return b"".join(texts), np.cumsum(np.concatenate([[0], *lengths]))

    def _same_width(self, own: slice, index: NDArray[np.intp]) -> tuple[bytes, NDArray[np.int64]]:
        """The rows of some puzzles whose indices, and line numbers, have equally many digits."""
        kinds, numbers, cells, at = (
            self._kinds[own],
            self.numbers[own],
            self.cells[own],
            self.at[own],
        )
        made = {}
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            some = kinds == kind
            some = slice(None) if some.all() else some
            head: _Columns = [_digits(index[some]), ",", _digits(numbers[some]), ",", cells[some]]
            made[kind] = some, self._rows(kind, head, at[some])
        if len(made) == 1:
            ((_, rows),) = made.values()
            return rows.tobytes(), np.full(len(rows), rows.shape[1])
        widest = max(rows.shape[1] for _, rows in made.values())
        wide = np.zeros((len(kinds), widest), np.uint8)
        lengths = np.zeros(len(kinds), np.int64)
        for some, rows in made.values():
            wide[some, : rows.shape[1]] = rows
            lengths[some] = rows.shape[1]
        return wide[np.arange(widest) < lengths[:, None]].tobytes(), lengths

    def _rows(self, kind: int, head: _Columns, at: NDArray[np.intp]) -> NDArray[np.uint8]:
        """The rows of puzzles of one kind, (q, bytes)."""
        answers, first = self.answers, self._first(kind)
        count, complete = answers.counts[first], yes_or_no(answers.is_complete(first))
        certificate = answers.certificate(first)
        how = certificate.told if certificate else ""
        told = f",{answers.status(first)},{count},{complete},{how},"
        said = f",{quoted(_beside_answer(answers, first))},\n"
        solution = [answers.grids[0, at] + np.uint8(ord("0"))] if count else []
        return _beside(len(at), [*head, told, *solution, said])

    def lines(self, rank: int) -> bytes:
        """For each puzzle its solution of that rank, from 0, or a line without one."""
        lines = np.full((len(self.at), _PLAIN_LINE), ord("."), np.uint8)
        lines[:, -1] = ord("\n")
        if rank < self.ranks:
            have = self.answers.counts[self.at] > rank
            lines[have, :-1] = self.answers.grids[rank, self.at[have]] + ord("0")
        return lines.tobytes()


def _digits(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Positive numbers of equally many digits in ASCII, (q, digits)."""
    width = len(str(numbers[0]))
    fours: list[NDArray[np.uint8]] = []
    for _ in range(0, width, 4):
        numbers, last = np.divmod(numbers, 10_000)
        fours.insert(0, _FOUR_DIGITS[last])
    return np.concatenate(fours, axis=1)[:, -width:]


def _beside(count: int, columns: _Columns) -> NDArray[np.uint8]:
    """Columns of text side by side, (count, bytes); a string is the same in each row."""
    widths = [len(text) if isinstance(text, str) else text.shape[1] for text in columns]
    rows, start = np.empty((count, sum(widths)), np.uint8), 0
    for text, width in zip(columns, widths, strict=True):
        as_array = np.frombuffer(text.encode("ascii"), np.uint8) if isinstance(text, str) else text
        rows[:, start : start + width] = as_array
        start += width
    return rows


class RowsOf:
    """Makes the rows of a piece; each puzzle is added once, in any order.

    `first` is the index of the first one. `also` are the names of the traits that rows have.
    """

    def __init__(
        self, contents: PieceContents, source: Source, first: int, also: Sequence[str] = ()
    ) -> None:
        self._contents = contents
        self._first = first
        self._source = source
        self._is_told = np.zeros(len(contents), np.bool_)
        self._plain: _PlainRows | None = None
        self._table: dict[int, bytes] = {}
        self._lines: dict[int, Sequence[str]] = {}
        self._totals: Counter[str] = Counter()
        self._fallbacks: list[Fallback] = []
        self._also = also
        self._added: dict[int, str] = {}

    def untold(self) -> list[int]:
        """The places of puzzles that were not added yet."""
        places: list[int] = np.flatnonzero(~self._is_told).tolist()
        return places

    def tell(self, place: int, result: Result[Grid]) -> None:
        """Add one puzzle by its result."""
        entry = self._contents.entry(place)
        if entry.claimed is not None:
            puzzle = problem_of(entry).puzzle
            result = compared(result, puzzle, entry.claimed, entry.signs)
        lines = [one_line(grid.values, entry.signs) for grid in result.solutions]
        said = quoted(printable(_said(result, _caveat(entry, result.status))))
        wrong = quoted(printable(result.disagreement or ""))
        known = result.complete, result.told_certificate
        self._put(place, entry, result.status, lines, known, f"{said},{wrong}")
        self._totals.update(_counted(result))
        self._fallbacks += fallbacks_of([result])

    def tell_answers(self, places: NDArray[np.intp], answers: Answers) -> None:
        """Add puzzles by their answers; only one batch has plain lines."""
        lines = self._contents.lines_of(places)
        lines[list(answers.results)] = -1
        at = np.flatnonzero(lines >= 0)
        if len(at):
            plain, own = self._contents.plain, lines[at]
            self._plain = _PlainRows(
                self._first, plain.numbers[own], plain.cells[own], places[at], answers, at
            )
            self._totals += self._plain.totals()
            self._is_told[places[at]] = True
        for index in np.flatnonzero(lines < 0).tolist():
            self._tell_answer(int(places[index]), answers, index)

    def _tell_answer(self, place: int, answers: Answers, index: int) -> None:
        """Add one puzzle, by its answer if there is no result."""
        entry, status = self._contents.entry(place), answers.status(index)
        lines = [one_line(values, entry.signs) for values in answers.solutions(index)]
        differs = entry.claimed is not None and entry.claimed not in lines
        if differs or index in answers.results:
            self.tell(place, answers.result(index))
            return
        beside = _beside_answer(answers, index), _caveat(entry, status)
        said = f"{quoted('; '.join(filter(None, beside)))},"
        certificate = answers.certificate(index)
        word = certificate.told if certificate else ""
        self._put(place, entry, status, lines, (answers.is_complete(index), word), said)
        self._totals[status] += 1
        if certificate:
            self._totals[certificate.complete] += 1

    def _put(
        self,
        place: int,
        entry: Entry,
        status: str,
        lines: Sequence[str],
        known: tuple[bool | None, str],
        said: str,
    ) -> None:
        """Put a row in its place; `known` is whether the solutions are all, and by what."""
        most = _LONGEST_TEXT if entry.puzzle is None else None
        text = entry.text if entry.plain else quoted(printable(entry.text[:most]))
        head = f"{self._first + place},{entry.line},{text},{status},{len(lines)}"
        head += f",{yes_or_no(known[0])},{known[1]}"
        row = f"{head},{lines[0] if lines else ''},{said}\n"
        self._table[place] = row.encode(errors="surrogateescape")
        self._lines[place] = [*lines, "." * _cells(entry, self._source)]
        self._is_told[place] = True

    def tell_also(self, places: NDArray[np.intp], fields: Sequence[str]) -> None:
        """Add the fields of traits to some rows."""
        self._added.update(zip(places.tolist(), fields, strict=True))

    def rows(self) -> Rows:
        """The rows, once all puzzles have been told."""
        ranks = max((len(lines) - 1 for lines in self._lines.values()), default=0)
        ranks = max(ranks, min(1, len(self._is_told)))
        table: tuple[bytes, NDArray[np.int64]] = b"", np.zeros(1, np.int64)
        if self._plain:
            ranks, table = max(ranks, self._plain.ranks), self._plain.table()
        return Rows(
            self._first,
            len(self._is_told),
            self._with_added(self._merged(*table, self._table)),
            [self._rank(rank) for rank in range(ranks)],
            self._totals,
            summed(self._fallbacks),
        )

    def _with_added(self, table: bytes) -> bytes:
        """The rows with the columns of traits, empty where they are unknown."""
        if not self._also:
            return table
        empty = "," * sum(len(columns(ALSO[name])) for name in self._also)
        added = [self._added.get(place, empty) for place in range(len(self._is_told))]
        ends = "\n".join([*added, ""]).encode("ascii").split(b"\n")
        return b"\n".join(map(add, table.split(b"\n"), ends))

    def _rank(self, rank: int) -> bytes:
        """For each puzzle the line of its solution of that rank, from 0, or one without any."""
        others = {
            place: f"{lines[min(rank, len(lines) - 1)]}\n".encode("ascii")
            for place, lines in self._lines.items()
        }
        lines = self._plain.lines(rank) if self._plain else b""
        count = len(self._plain.at) if self._plain else 0
        return self._merged(lines, np.arange(count + 1) * _PLAIN_LINE, others)

    def _merged(
        self, texts: bytes, bounds: NDArray[np.int64], others: Mapping[int, bytes]
    ) -> bytes:
        """The texts of plain lines, which lie between these bounds, and those of the others."""
        places = self._plain.places if self._plain else np.zeros(0, np.intp)
        parts, start = [], 0
        before = np.searchsorted(places, sorted(others))
        for place, stop in zip(sorted(others), bounds[before].tolist(), strict=True):
            parts += [texts[start:stop], others[place]]
            start = stop
        return b"".join([*parts, texts[start:]])


def broken(source: Source, line: int, message: str, also: Sequence[str] = ()) -> Rows:
    """The row that says why the rest could not be read."""
    entry = Entry(line, "", None, message, None, plain=False)
    making = RowsOf(PieceContents(PlainLines.none(), [entry]), source, 1, also)
    making.tell(0, Result("invalid", message=message))
    return making.rows()


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


def _caveat(entry: Entry, status: str) -> str | None:
    """What the answer to an entry does not take into account."""
    return caveat(status, entry.parsed.unread) if entry.parsed else None


def _said(result: Result[Grid], beside: str | None) -> str:
    fallback = result.solver.warning if result.solver else None
    why = _reason(result.certificate)
    return "; ".join(filter(None, (result.message, why, fallback, result.disagreement, beside)))


def _beside_answer(answers: Answers, index: int) -> str:
    """The message for an answer that has no result of its own."""
    return answers.message(index) or _reason(answers.certificate(index)) or ""


def _reason(certificate: Certificate | None) -> str | None:
    return unproved(certificate.complete, certificate.reason) if certificate else None
