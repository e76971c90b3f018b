"""Write the results of a chunk of puzzles as rows of CSV and lines of solution files.

The rows of plain lines (see `plain`) are made with numpy, all at once. Other puzzles are added one
by one.
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
from pipeline.outbox.rows import Rows, count_extras, merge_fallbacks
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import csv_field, one_line, trait_columns, unproved_reason, yes_or_no
from pipeline.outbox.traits import row_fields
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Entry, Layout, signs_of
from pipeline.reading.formats.cells import has_default_boxes, line_with_box_size
from pipeline.reading.formats.plain import ChunkContents, PlainLines
from pipeline.reading.unread import caveat, unread_counts
from pipeline.solving import Traits
from pipeline.solving.items import problem_of
from pipeline.solving.many import BatchResult
from pipeline.solving.one import compare_solution
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Certificate, Result

_MAX_TEXT_CHARACTERS = 500
"""Maximum length of the text of an invalid puzzle in a row."""

_COMMA = np.uint8(ord(","))


class _PlainRows:
    """The rows of Q plain lines without individual results, made all at once.

    - `positions`: (Q,) the positions of the puzzles in their chunk, ascending.
    - `indexes`: (Q,) the indices of their answers.
    - `ranks`: the maximum number of solutions.
    - `totals`: numbers of puzzles by status and by completeness.

    Puzzles with the same status and number of solutions are of one kind: their rows differ only in
    index, line, puzzle and solution.
    """

    def __init__(
        self, positions: NDArray[np.intp], answers: BatchResult, indexes: NDArray[np.intp]
    ) -> None:
        self.positions, self._answers, self._indexes = positions, answers, indexes
        self._counts = answers.counts[indexes]
        self._kinds = self._counts * 2 + answers.has_more[indexes]
        self.ranks = int(self._counts.max(initial=0))
        self.totals: Counter[str] = Counter()
        self._texts: list[tuple[bytes, bytes]] = []
        for kind, count in enumerate(np.bincount(self._kinds).tolist()):
            first = int(indexes[(self._kinds == kind).argmax()])
            self._texts.append(self._text_of_kind(first, count) if count else (b"", b""))

    def _text_of_kind(self, answer: int, count: int) -> tuple[bytes, bytes]:
        """The texts before and after the solution in the rows of a kind.

        `answer` is the index of one answer of this kind. Adds the `count` puzzles to the totals.
        """
        answers, certificate = self._answers, self._answers.certificate(answer)
        status, complete = answers.status(answer), yes_or_no(answers.is_complete(answer))
        self.totals[status] += count
        if certificate:
            self.totals[certificate.complete] += count
        how = certificate.label if certificate else ""
        before = f",{status},{answers.counts[answer]},{complete},{how},"
        return before.encode(), f",{csv_field(_answer_message(answers, answer))},,\n".encode()

    def table(self, first: int, numbers: NDArray[np.int64], cells: NDArray[np.uint8]) -> bytes:
        """The rows in order. `numbers` (Q,) are the line numbers, `cells` (Q, 81) the puzzles.

        `first` is the index of the chunk's first puzzle.
        """
        comma = np.full((len(numbers), 1), _COMMA)
        before, after = (
            np.array(texts)[self._kinds].view(np.uint8).reshape(len(numbers), -1)
            for texts in zip(*self._texts, strict=True)
        )
        solutions = [self._solutions(0, 0)] if self.ranks else []
        index = _digits(self.positions + first)
        columns = [index, comma, _digits(numbers), comma, cells, before, *solutions, after]
        return _without_padding(np.concatenate(columns, axis=1))

    def _solutions(self, rank: int, blank: int) -> NDArray[np.uint8]:
        """The solutions (Q, 81) of this rank in ASCII; rows without one consist of `blank`."""
        is_solved = (self._counts > rank)[:, None]
        grids = self._answers.grids[rank, self._indexes] + np.uint8(ord("0"))
        return grids if is_solved.all() else np.where(is_solved, grids, np.uint8(blank))

    def lines(self, rank: int) -> bytes:
        """The lines of the solution file number `rank`, from 0; dots for puzzles without one."""
        lines = np.full((len(self._indexes), 82), ord("."), np.uint8)
        lines[:, -1] = ord("\n")
        if rank < self.ranks:
            lines[:, :-1] = self._solutions(rank, ord("."))
        return lines.tobytes()


def _digits(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Positive ascending numbers (Q,) in ASCII (Q, ·), padded with NUL bytes on the left."""
    digits = np.zeros((len(numbers), len(str(numbers[-1]))), np.uint8)
    for column in reversed(range(digits.shape[1])):
        rest, numbers = numbers, numbers // 10
        digits[:, column] = np.where(rest > 0, rest - numbers * 10 + ord("0"), 0)
    return digits


def _without_padding(text: NDArray[np.uint8]) -> bytes:
    """The text without NUL bytes."""
    whole = text.tobytes()
    return whole.translate(None, b"\0") if b"\0" in whole else whole  # the search is faster


class RowsBuilder:
    """Builds the rows of a chunk. Each puzzle is added once, in any order.

    - `cells`: the number of dots in a solution file for a puzzle of unknown size.
    - `first`: the index of the chunk's first puzzle.
    - `trait_names`: the traits whose columns the rows have.
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
        self._traits: dict[int, str] = {}
        self._totals: Counter[str] = Counter()
        self._fallbacks: list[Fallback] = []

    def pending(self) -> list[int]:
        """The positions in the chunk of the puzzles that were not added yet."""
        positions: list[int] = np.flatnonzero(~self._is_added).tolist()
        return positions

    def add_result(self, position: int, result: Result) -> None:
        """Add the puzzle at a position with its result. Models of formulas become empty lines."""
        entry = self._contents.entry(position)
        if entry.claimed is not None:
            puzzle = problem_of(entry).puzzle
            result = compare_solution(result, puzzle, entry.claimed, entry.signs)
        grids = (solution if isinstance(solution, Grid) else None for solution in result.solutions)
        lines = [one_line(grid.values, entry.signs) if grid else "" for grid in grids]
        warning = result.solver.warning if result.solver else None
        why = result.message, _reason(result.certificate), warning, result.disagreement
        message = "; ".join(filter(None, (*why, _caveat(entry, result.status))))
        wrong = csv_field(printable(result.disagreement or ""))
        verification = f"{yes_or_no(result.complete)},{result.certificate_label}"
        self._add_row(
            position,
            entry,
            result.status,
            lines,
            verification,
            f"{csv_field(printable(message))},{wrong}",
        )
        self._fallbacks += count_extras(result, self._totals)

    def add_batch(self, positions: NDArray[np.intp], answers: BatchResult) -> None:
        """Add the puzzles at these positions with their answers.

        Plain lines are added all at once in the first batch that has some, else one by one.
        """
        lines = self._contents.lines_of(positions)
        lines[list(answers.results)] = -1
        if self._plain:
            lines[:] = -1
        indexes = np.flatnonzero(lines >= 0)
        if len(indexes):
            plain, own = self._contents.plain, lines[indexes]
            self._plain = _PlainRows(positions[indexes], answers, indexes)
            self._plain_table = self._plain.table(self._first, plain.numbers[own], plain.cells[own])
            self._totals += self._plain.totals
            self._is_added[positions[indexes]] = True
        for index in np.flatnonzero(lines < 0).tolist():
            self._add_answer(int(positions[index]), answers, index)

    def _add_answer(self, position: int, answers: BatchResult, index: int) -> None:
        """Add one puzzle with its answer. `index` is the index of the answer."""
        entry, status = self._contents.entry(position), answers.status(index)
        lines = [one_line(values, entry.signs) for values in answers.solutions(index)]
        differs = entry.claimed is not None and entry.claimed not in lines
        if differs or index in answers.results:
            self.add_result(position, answers.result(index))
            return
        message = "; ".join(filter(None, (_answer_message(answers, index), _caveat(entry, status))))
        certificate = answers.certificate(index)
        how = certificate.label if certificate else ""
        verification = f"{yes_or_no(answers.is_complete(index))},{how}"
        self._add_row(position, entry, status, lines, verification, f"{csv_field(message)},")
        if certificate:
            self._totals[certificate.complete] += 1

    def _add_row(
        self,
        position: int,
        entry: Entry,
        status: str,
        lines: Sequence[str],
        verification: str,
        message: str,
    ) -> None:
        """Add a row.

        `verification` is the text of the fields `complete` and `certificate`, `message` that of the
        fields `message` and `disagreement`.
        """
        max_length = _MAX_TEXT_CHARACTERS if entry.puzzle is None else None
        text = entry.text if entry.plain else csv_field(printable(entry.text[:max_length]))
        index = self._first + position
        head = f"{index},{entry.line or ''},{text},{status},{len(lines)},{verification}"
        row = f"{head},{lines[0] if lines else ''},{message},{csv_field(entry.title)}\n"
        cells = len(entry.puzzle.cells) if entry.puzzle else self._cells
        self._table[position] = row.encode(errors="surrogateescape")
        self._lines[position] = [*lines, "." * (81 if entry.plain else cells)]
        self._totals[status] += 1
        self._is_added[position] = True

    def add_traits(
        self, positions: Iterable[int], traits_of_each: Iterable[Traits], geometry: Geometry
    ) -> None:
        """Add the traits of puzzles of one geometry to their rows."""
        fields = (row_fields(traits, geometry) for traits in traits_of_each)
        self._traits.update(zip(positions, fields, strict=True))

    def rows(self) -> Rows:
        """The rows of the chunk, after all puzzles were added."""
        ranks = max((len(lines) - 1 for lines in self._lines.values()), default=0)
        ranks = max(ranks, min(1, len(self._is_added)), self._plain.ranks if self._plain else 0)
        return Rows(
            self._first,
            len(self._is_added),
            self._with_traits(self._merge(self._plain_table, self._table)),
            [self._solution_lines(rank) for rank in range(ranks)],
            self._totals,
            merge_fallbacks(self._fallbacks),
            unread_counts(entry.unread for _, entry in self._contents.entries()),
        )

    def _with_traits(self, table: bytes) -> bytes:
        """The rows with trait columns, which are empty for puzzles without traits."""
        if not self._trait_names:
            return table
        empty = "," * len(trait_columns(self._trait_names))
        fields = [self._traits.get(position, empty) for position in range(len(self._is_added))]
        ends = "\n".join([*fields, ""]).encode("ascii").split(b"\n")
        return b"\n".join(map(add, table.split(b"\n"), ends))

    def _solution_lines(self, rank: int) -> bytes:
        """The lines of the solution file number `rank`, from 0; dots for puzzles without one."""
        texts = {
            position: f"{lines[min(rank, len(lines) - 1)]}\n".encode("ascii")
            for position, lines in self._lines.items()
        }
        return self._merge(self._plain.lines(rank) if self._plain else b"", texts)

    def _merge(self, plain: bytes, separate: Mapping[int, bytes]) -> bytes:
        """Combine the lines of plain lines and of other puzzles in order of position."""
        if not separate:
            return plain
        texts = dict(separate)
        if self._plain:
            texts.update(zip(self._plain.positions.tolist(), plain.splitlines(True), strict=True))
        return b"".join([texts[position] for position in range(len(self._is_added))])


def error_rows(layout: Layout, line: int, message: str, trait_names: Sequence[str] = ()) -> Rows:
    """A row with status `invalid`, whose message says why the rest of a source was not read."""
    entry = Entry(line, "", None, message, None, plain=False)
    contents = ChunkContents(PlainLines.without_lines(), [entry])
    builder = RowsBuilder(contents, layout.cells, 1, trait_names)
    builder.add_result(0, Result("invalid", message=message))
    return builder.rows()


def rows_of(results: Sequence[Result], first: int, trait_names: tuple[str, ...] = ()) -> Rows:
    """The rows of results, numbered from `first`, with empty line numbers."""
    contents = ChunkContents(PlainLines.without_lines(), [_entry_of(result) for result in results])
    builder = RowsBuilder(contents, NINE_BY_NINE.size, first, trait_names)
    for position, result in enumerate(results):
        builder.add_result(position, result)
        if (traits := result.traits) and isinstance(problem := result.problem, PuzzleProblem):
            builder.add_traits(
                [position], [replace(traits, asked=trait_names)], problem.puzzle.geometry
            )
    return builder.rows()


def _entry_of(result: Result) -> Entry:
    """An entry for a result's problem, as if it were read from a collection."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return Entry(0, "", None, None, None, plain=False)
    puzzle, signs = problem.puzzle, signs_of(problem.format)
    text = _puzzle_text(puzzle, signs)
    read = problem.parsed
    entry = Entry(0, text, puzzle, None, None, plain=False, signs=signs, parsed=read)
    return entry._replace(title=read.title, unread=read.unread)


def _puzzle_text(puzzle: Puzzle, signs: str) -> str:
    """A puzzle in one line, for a row. Variants and marks are written in ISS if that is possible.

    Empty if it is not.
    """
    values, blank = dict(puzzle.givens()), puzzle.geometry.all_values
    free = (mask for cell, mask in enumerate(puzzle.cells) if cell not in values)
    if not puzzle.is_plain or any(mask != blank for mask in free):
        with suppress(ValueError):
            return puzzle.to("iss").rstrip("\n")
        return ""
    if not has_default_boxes(puzzle.geometry):
        return line_with_box_size(puzzle)
    filled = [values.get(cell, 0) for cell in range(len(puzzle.cells))]
    if signs:
        return "".join([f".{signs}"[value] for value in filled])
    line = one_line(filled)
    return line if " " in line else line.replace("0", ".")


def _caveat(entry: Entry, status: str) -> str | None:
    """A warning about the unread parts of an entry; None if there are none."""
    return caveat(status, entry.unread) if entry.unread else None


def _answer_message(answers: BatchResult, index: int) -> str:
    """The message of an answer that has no individual result."""
    return answers.message(index) or _reason(answers.certificate(index)) or ""


def _reason(certificate: Certificate | None) -> str | None:
    return unproved_reason(certificate.complete, certificate.reason) if certificate else None
