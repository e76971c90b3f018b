"""Results → rows: the results of a chunk of puzzles, as CSV and solution files.

Rows of plain lines are made together, in numpy; the rows of other puzzles one at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import add

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import printable
from pipeline.outbox.rows import Rows, count_further, summed
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import added_names, one_line, quoted, unproved, yes_or_no
from pipeline.outbox.traits import row_fields
from pipeline.puzzle.geometry import NINE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Entry, Layout, signs_of
from pipeline.reading.formats.cells import has_usual_boxes, in_boxes
from pipeline.reading.formats.plain import ChunkContents, PlainLines
from pipeline.reading.unread import caveat, unread_counts
from pipeline.solving import Traits
from pipeline.solving.items import problem_of
from pipeline.solving.many import BatchResult
from pipeline.solving.one import compared
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Certificate, Result

_LONGEST_TEXT = 500
_COMMA = np.uint8(ord(","))


class _PlainRows:
    """The rows of Q plain lines that need no message, made together.

    `places` (Q,) are the indices of the puzzles in their chunk, ascending, `indexes` (Q,) the
    indices of their answers. Puzzles with the same status and number of solutions are of one kind.
    They also have the same certificate, because puzzles that were solved alone are not among them.
    """

    def __init__(
        self, places: NDArray[np.intp], answers: BatchResult, indexes: NDArray[np.intp]
    ) -> None:
        self.places, self._answers, self._at = places, answers, indexes
        self._counts = answers.counts[indexes]
        self._kinds = self._counts * 2 + answers.more[indexes]
        self.ranks = int(self._counts.max(initial=0))
        self.totals: Counter[str] = Counter()
        self._row_texts: list[tuple[bytes, bytes]] = []
        for kind, count in enumerate(np.bincount(self._kinds).tolist()):
            first = int(indexes[(self._kinds == kind).argmax()])
            self._row_texts.append(self._row_text(first, count) if count else (b"", b""))

    def _row_text(self, answer: int, count: int) -> tuple[bytes, bytes]:
        """The text of a row before and after its solution; counts puzzles of one kind."""
        answers, certificate = self._answers, self._answers.certificate(answer)
        status, complete = answers.status(answer), yes_or_no(answers.is_complete(answer))
        self.totals[status] += count
        if certificate:
            self.totals[certificate.complete] += count
        how = certificate.label if certificate else ""
        before = f",{status},{answers.counts[answer]},{complete},{how},"
        return before.encode(), f",{quoted(_beside_answer(answers, answer))},,\n".encode()

    def table(self, first: int, numbers: NDArray[np.int64], cells: NDArray[np.uint8]) -> bytes:
        """The rows of lines with these numbers (Q,) and cells (Q, 81).

        `first` is the index of the chunk's first puzzle.
        """
        comma = np.full((len(numbers), 1), _COMMA)
        before, after = (
            np.array(texts)[self._kinds].view(np.uint8).reshape(len(numbers), -1)
            for texts in zip(*self._row_texts, strict=True)
        )
        solutions = [self._solutions(0, 0)] if self.ranks else []
        index = _digits(self.places + first)
        columns = [index, comma, _digits(numbers), comma, cells, before, *solutions, after]
        return _without_padding(np.concatenate(columns, axis=1))

    def _solutions(self, rank: int, blank: int) -> NDArray[np.uint8]:
        """The solutions of that rank in ASCII, (Q, 81), with `blank` for missing ones."""
        have = (self._counts > rank)[:, None]
        grids = self._answers.grids[rank, self._at] + np.uint8(ord("0"))
        return grids if have.all() else np.where(have, grids, np.uint8(blank))

    def lines(self, rank: int) -> bytes:
        """A line for each puzzle: its solution of that rank, from 0, or dots."""
        lines = np.full((len(self._at), 82), ord("."), np.uint8)
        lines[:, -1] = ord("\n")
        if rank < self.ranks:
            lines[:, :-1] = self._solutions(rank, ord("."))
        return lines.tobytes()


def _digits(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Positive ascending numbers in ASCII, (Q, digits), padded with NUL bytes on the left."""
    digits = np.zeros((len(numbers), len(str(numbers[-1]))), np.uint8)
    for column in reversed(range(digits.shape[1])):
        left, numbers = numbers, numbers // 10
        digits[:, column] = np.where(left > 0, left - numbers * 10 + ord("0"), 0)
    return digits


def _without_padding(text: NDArray[np.uint8]) -> bytes:
    """The text without its NUL bytes, if any."""
    whole = text.tobytes()
    return whole.translate(None, b"\0") if b"\0" in whole else whole


class RowsOf:
    """Makes the rows of a chunk; each puzzle is added once, in any order.

    `cells` is the number of dots for a puzzle of unknown size, `first` the index of the first
    puzzle. `trait_names` are the traits that rows have.
    """

    def __init__(
        self, contents: ChunkContents, cells: int, first: int, trait_names: Sequence[str] = ()
    ) -> None:
        self._contents = contents
        self._first = first
        self._cells = cells
        self._trait_names = trait_names
        self._is_added = np.zeros(len(contents), np.bool_)
        self._plain: _PlainRows | None = None
        self._plain_table = b""
        self._table: dict[int, bytes] = {}
        self._lines: dict[int, Sequence[str]] = {}
        self._added: dict[int, str] = {}
        self._totals: Counter[str] = Counter()
        self._fallbacks: list[Fallback] = []

    def untold(self) -> list[int]:
        """The indices of puzzles that were not added yet."""
        places: list[int] = np.flatnonzero(~self._is_added).tolist()
        return places

    def add(self, place: int, result: Result) -> None:
        """Add the result of one puzzle. A model of a formula has no line."""
        entry = self._contents.entry(place)
        if entry.claimed is not None:
            puzzle = problem_of(entry).puzzle
            result = compared(result, puzzle, entry.claimed, entry.signs)
        grids = (solution if isinstance(solution, Grid) else None for solution in result.solutions)
        lines = [one_line(grid.values, entry.signs) if grid else "" for grid in grids]
        warning = result.solver.warning if result.solver else None
        why = result.message, _reason(result.certificate), warning, result.disagreement
        message = "; ".join(filter(None, (*why, _caveat(entry, result.status))))
        wrong = quoted(printable(result.disagreement or ""))
        known = f"{yes_or_no(result.complete)},{result.certificate_label}"
        self._put(
            place, entry, result.status, lines, known, f"{quoted(printable(message))},{wrong}"
        )
        self._fallbacks += count_further(result, self._totals)

    def tell_answers(self, places: NDArray[np.intp], answers: BatchResult) -> None:
        """Add the answers of a batch. Only in the first batch are plain lines made together."""
        lines = self._contents.lines_of(places)
        lines[list(answers.results)] = -1
        if self._plain:
            lines[:] = -1
        indexes = np.flatnonzero(lines >= 0)
        if len(indexes):
            plain, own = self._contents.plain, lines[indexes]
            self._plain = _PlainRows(places[indexes], answers, indexes)
            self._plain_table = self._plain.table(self._first, plain.numbers[own], plain.cells[own])
            self._totals += self._plain.totals
            self._is_added[places[indexes]] = True
        for index in np.flatnonzero(lines < 0).tolist():
            self._tell_answer(int(places[index]), answers, index)

    def _tell_answer(self, place: int, answers: BatchResult, index: int) -> None:
        """Add one puzzle of a batch, by its own result if it has one."""
        entry, status = self._contents.entry(place), answers.status(index)
        lines = [one_line(values, entry.signs) for values in answers.solutions(index)]
        differs = entry.claimed is not None and entry.claimed not in lines
        if differs or index in answers.results:
            self.add(place, answers.result(index))
            return
        message = "; ".join(filter(None, (_beside_answer(answers, index), _caveat(entry, status))))
        certificate = answers.certificate(index)
        how = certificate.label if certificate else ""
        known = f"{yes_or_no(answers.is_complete(index))},{how}"
        self._put(place, entry, status, lines, known, f"{quoted(message)},")
        if certificate:
            self._totals[certificate.complete] += 1

    def _put(
        self, place: int, entry: Entry, status: str, lines: Sequence[str], known: str, message: str
    ) -> None:
        """Put a row at its index; `known` and `message` are columns in their written form."""
        max_length = _LONGEST_TEXT if entry.puzzle is None else None
        text = entry.text if entry.plain else quoted(printable(entry.text[:max_length]))
        head = f"{self._first + place},{entry.line or ''},{text},{status},{len(lines)},{known}"
        row = f"{head},{lines[0] if lines else ''},{message},{quoted(entry.title)}\n"
        cells = len(entry.puzzle.cells) if entry.puzzle else self._cells
        self._table[place] = row.encode(errors="surrogateescape")
        self._lines[place] = [*lines, "." * (81 if entry.plain else cells)]
        self._totals[status] += 1
        self._is_added[place] = True

    def add_traits(
        self, places: Iterable[int], traits_of_each: Iterable[Traits], geometry: Geometry
    ) -> None:
        """Add the traits of puzzles of one geometry to their rows."""
        fields = (row_fields(traits, geometry) for traits in traits_of_each)
        self._added.update(zip(places, fields, strict=True))

    def rows(self) -> Rows:
        """The rows, once all results were added."""
        ranks = max((len(lines) - 1 for lines in self._lines.values()), default=0)
        ranks = max(ranks, min(1, len(self._is_added)), self._plain.ranks if self._plain else 0)
        return Rows(
            self._first,
            len(self._is_added),
            self._with_added(self._merged(self._plain_table, self._table)),
            [self._rank(rank) for rank in range(ranks)],
            self._totals,
            summed(self._fallbacks),
            unread_counts(entry.unread for _, entry in self._contents.entries()),
        )

    def _with_added(self, table: bytes) -> bytes:
        """The rows with the columns of traits, empty where they are unknown."""
        if not self._trait_names:
            return table
        empty = "," * len(added_names(self._trait_names))
        added = [self._added.get(place, empty) for place in range(len(self._is_added))]
        ends = "\n".join([*added, ""]).encode("ascii").split(b"\n")
        return b"\n".join(map(add, table.split(b"\n"), ends))

    def _rank(self, rank: int) -> bytes:
        """A line for each puzzle: its solution of that rank, from 0, or dots."""
        texts = {
            place: f"{lines[min(rank, len(lines) - 1)]}\n".encode("ascii")
            for place, lines in self._lines.items()
        }
        return self._merged(self._plain.lines(rank) if self._plain else b"", texts)

    def _merged(self, plain: bytes, separate: Mapping[int, bytes]) -> bytes:
        """The texts of plain lines and of other puzzles, in order."""
        if not separate:
            return plain
        texts = dict(separate)
        if self._plain:
            texts.update(zip(self._plain.places.tolist(), plain.splitlines(True), strict=True))
        return b"".join([texts[place] for place in range(len(self._is_added))])


def broken(layout: Layout, line: int, message: str, trait_names: Sequence[str] = ()) -> Rows:
    """A row with the reason why the rest could not be read."""
    entry = Entry(line, "", None, message, None, plain=False)
    making = RowsOf(ChunkContents(PlainLines.none(), [entry]), layout.cells, 1, trait_names)
    making.add(0, Result("invalid", message=message))
    return making.rows()


def rows_of(results: Sequence[Result], first: int, trait_names: tuple[str, ...] = ()) -> Rows:
    """The rows of results from any source; their line numbers are unknown."""
    contents = ChunkContents(PlainLines.none(), [_entry_of(result) for result in results])
    making = RowsOf(contents, NINE.size, first, trait_names)
    for place, result in enumerate(results):
        making.add(place, result)
        if (traits := result.traits) and isinstance(problem := result.problem, PuzzleProblem):
            making.add_traits(
                [place], [replace(traits, asked=trait_names)], problem.puzzle.geometry
            )
    return making.rows()


def _entry_of(result: Result) -> Entry:
    """The entry that the puzzle was read from, rebuilt from the result."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return Entry(0, "", None, None, None, plain=False)
    puzzle, signs = problem.puzzle, signs_of(problem.format)
    text = _text_of(puzzle, signs)
    read = problem.parsed
    entry = Entry(0, text, puzzle, None, None, plain=False, signs=signs, parsed=read)
    return entry._replace(title=read.title, unread=read.unread)


def _text_of(puzzle: Puzzle, signs: str) -> str:
    """A puzzle in one line, as in rows. Rules and marks are written in ISS; empty if impossible."""
    values, blank = dict(puzzle.givens()), puzzle.geometry.all_values
    free = (mask for cell, mask in enumerate(puzzle.cells) if cell not in values)
    if not puzzle.is_plain or any(mask != blank for mask in free):
        with suppress(ValueError):
            return puzzle.to("iss").rstrip("\n")
        return ""
    if not has_usual_boxes(puzzle.geometry):
        return in_boxes(puzzle)
    filled = [values.get(cell, 0) for cell in range(len(puzzle.cells))]
    if signs:
        return "".join([f".{signs}"[value] for value in filled])
    line = one_line(filled)
    return line if " " in line else line.replace("0", ".")


def _caveat(entry: Entry, status: str) -> str | None:
    """The parts of an entry that its answer ignores."""
    return caveat(status, entry.unread) if entry.unread else None


def _beside_answer(answers: BatchResult, index: int) -> str:
    """The message for an answer that has no result of its own."""
    return answers.message(index) or _reason(answers.certificate(index)) or ""


def _reason(certificate: Certificate | None) -> str | None:
    return unproved(certificate.complete, certificate.reason) if certificate else None
