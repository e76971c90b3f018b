"""Write the results of a chunk of puzzles as rows of CSV and lines of solution files.

Plain lines (see `plain`) are written with numpy, all at once. Other puzzles are added one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import add

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import printable
from pipeline.outbox.archive_rows import puzzle_text
from pipeline.outbox.rows import Rows, count_extras, merge_fallbacks
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import csv_field, one_line, trait_columns, unproved_reason, yes_or_no
from pipeline.outbox.traits import row_fields
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import Entry, Layout, symbols_of
from pipeline.reading.formats.plain import ChunkContents, PlainLines
from pipeline.reading.unread import caveat, unread_counts
from pipeline.solving import Traits
from pipeline.solving.items import problem_of
from pipeline.solving.many import BatchResult
from pipeline.solving.one import compare_solution
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Certificate, Result

_MAX_TEXT_CHARACTERS = 500
"""Maximum number of characters that a row quotes of an invalid puzzle."""

_COMMA = np.uint8(ord(","))
"""A comma in ASCII."""


class _PlainRows:
    """Makes the rows of Q plain lines that have no individual results, all at once.

    - `positions`: (Q,) the positions of the puzzles in their chunk, ascending.
    - `indexes`: (Q,) the indices of the puzzles' answers in `answers`.
    - `max_solutions`: the largest number of solutions that one of the puzzles has.
    - `totals`: numbers of puzzles by status and by completeness.

    The kind of a puzzle is its number of solutions and whether it has more. The rows of one kind
    differ only in index, line, puzzle and solution.
    """

    def __init__(
        self, positions: NDArray[np.intp], answers: BatchResult, indexes: NDArray[np.intp]
    ) -> None:
        self.positions, self._answers, self._indexes = positions, answers, indexes
        self._counts = answers.counts[indexes]
        self._kinds = self._counts * 2 + answers.has_more[indexes]
        self.max_solutions = int(self._counts.max(initial=0))
        self.totals: Counter[str] = Counter()
        self._texts: list[tuple[bytes, bytes]] = []
        for kind, count in enumerate(np.bincount(self._kinds).tolist()):
            first = int(indexes[(self._kinds == kind).argmax()])
            self._texts.append(self._add_kind(first, count) if count else (b"", b""))

    def _add_kind(self, answer: int, count: int) -> tuple[bytes, bytes]:
        """Count the puzzles of a kind. Returns the texts of a row before and after the solution.

        `answer`: the index of one answer of this kind. `count`: the number of its puzzles.
        """
        answers, certificate = self._answers, self._answers.certificate(answer)
        status, complete = answers.status(answer), yes_or_no(answers.is_complete(answer))
        self.totals[status] += count
        if certificate:
            self.totals[certificate.complete] += count
        label = certificate.label if certificate else ""
        before = f",{status},{answers.counts[answer]},{complete},{label},"
        return before.encode(), f",{csv_field(_answer_message(answers, answer))},,\n".encode()

    def table(self, first: int, line_numbers: NDArray[np.int64], cells: NDArray[np.uint8]) -> bytes:
        """The rows as CSV, in order of position.

        - `first`: the index of the chunk's first puzzle.
        - `line_numbers`: (Q,) the lines of the puzzles in the source.
        - `cells`: (Q, 81) the puzzles in ASCII.
        """
        comma = np.full((len(line_numbers), 1), _COMMA)
        before, after = (
            np.array(texts)[self._kinds].view(np.uint8).reshape(len(line_numbers), -1)
            for texts in zip(*self._texts, strict=True)
        )
        solutions = [self._solutions(0, 0)] if self.max_solutions else []
        index = _ascii_digits(self.positions + first)
        columns = [
            index,
            comma,
            _ascii_digits(line_numbers),
            comma,
            cells,
            before,
            *solutions,
            after,
        ]
        return _without_padding(np.concatenate(columns, axis=1))

    def _solutions(self, rank: int, blank: int) -> NDArray[np.uint8]:
        """The solutions (Q, 81) number `rank`, from 0, in ASCII.

        A puzzle without such a solution has 81 bytes `blank` instead.
        """
        is_solved = (self._counts > rank)[:, None]
        grids = self._answers.grids[rank, self._indexes] + np.uint8(ord("0"))
        return grids if is_solved.all() else np.where(is_solved, grids, np.uint8(blank))

    def lines(self, rank: int) -> bytes:
        """The lines of the solution file number `rank`, from 0.

        A puzzle without such a solution has a line of dots.
        """
        lines = np.full((len(self._indexes), 82), ord("."), np.uint8)
        lines[:, -1] = ord("\n")
        if rank < self.max_solutions:
            lines[:, :-1] = self._solutions(rank, ord("."))
        return lines.tobytes()


def _ascii_digits(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Write positive ascending numbers (Q,) in ASCII (Q, ·), padded with NUL bytes on the left."""
    digits = np.zeros((len(numbers), len(str(numbers[-1]))), np.uint8)
    for column in reversed(range(digits.shape[1])):
        previous, numbers = numbers, numbers // 10
        digits[:, column] = np.where(previous > 0, previous - numbers * 10 + ord("0"), 0)
    return digits


def _without_padding(text: NDArray[np.uint8]) -> bytes:
    """Remove the NUL bytes from a text."""
    data = text.tobytes()
    # searching for NUL is faster than translating
    return data.translate(None, b"\0") if b"\0" in data else data


class RowsBuilder:
    """Builds the rows of a chunk. Each puzzle is added once, in any order.

    - `cells`: the number of dots in the line of a solution file for a puzzle of unknown size.
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
        """The positions of the puzzles in the chunk that were not added yet."""
        positions: list[int] = np.flatnonzero(~self._is_added).tolist()
        return positions

    def add_result(self, position: int, result: Result) -> None:
        """Add the result of the puzzle at a position. Models of formulas become empty lines."""
        entry = self._contents.entry(position)
        if entry.claimed is not None:
            puzzle = problem_of(entry).puzzle
            result = compare_solution(result, puzzle, entry.claimed, entry.symbols)
        grids = (solution if isinstance(solution, Grid) else None for solution in result.solutions)
        lines = [one_line(grid.values, entry.symbols) if grid else "" for grid in grids]
        warning = result.solver.warning if result.solver else None
        certificate, disagreement = result.certificate, result.disagreement
        remarks = result.message, _unproved_reason(certificate), warning, disagreement
        message = "; ".join(filter(None, (*remarks, _unread_caveat(entry, result.status))))
        disagreement_field = csv_field(printable(disagreement or ""))
        verification = f"{yes_or_no(result.complete)},{result.certificate_label}"
        self._add_row(
            position,
            entry,
            result.status,
            lines,
            verification,
            f"{csv_field(printable(message))},{disagreement_field}",
        )
        self._fallbacks += count_extras(result, self._totals)

    def add_batch(self, positions: NDArray[np.intp], answers: BatchResult) -> None:
        """Add the answers of the puzzles at these positions.

        The plain lines of the first batch that has any are added all at once. All other puzzles are
        added one by one.
        """
        lines = self._contents.lines_of(positions)
        lines[list(answers.results)] = -1
        if self._plain:
            lines[:] = -1
        indexes = np.flatnonzero(lines >= 0)
        if len(indexes):
            plain, plain_lines = self._contents.plain, lines[indexes]
            self._plain = _PlainRows(positions[indexes], answers, indexes)
            self._plain_table = self._plain.table(
                self._first, plain.numbers[plain_lines], plain.cells[plain_lines]
            )
            self._totals += self._plain.totals
            self._is_added[positions[indexes]] = True
        for index in np.flatnonzero(lines < 0).tolist():
            self._add_answer(int(positions[index]), answers, index)

    def _add_answer(self, position: int, answers: BatchResult, index: int) -> None:
        """Add the answer of one puzzle. `index` is the index of the answer in `answers`."""
        entry, status = self._contents.entry(position), answers.status(index)
        lines = [one_line(values, entry.symbols) for values in answers.solutions(index)]
        is_disagreement = entry.claimed is not None and entry.claimed not in lines
        if is_disagreement or index in answers.results:
            self.add_result(position, answers.result(index))
            return
        message = "; ".join(
            filter(None, (_answer_message(answers, index), _unread_caveat(entry, status)))
        )
        certificate = answers.certificate(index)
        label = certificate.label if certificate else ""
        verification = f"{yes_or_no(answers.is_complete(index))},{label}"
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
        messages: str,
    ) -> None:
        """Add the row of a puzzle.

        - `lines`: the puzzle's lines in the solution files.
        - `verification`: the fields `complete` and `certificate`, as CSV.
        - `messages`: the fields `message` and `disagreement`, as CSV.
        """
        max_length = _MAX_TEXT_CHARACTERS if entry.puzzle is None else None
        text = entry.text if entry.plain else csv_field(printable(entry.text[:max_length]))
        index = self._first + position
        head = f"{index},{entry.line or ''},{text},{status},{len(lines)},{verification}"
        row = f"{head},{lines[0] if lines else ''},{messages},{csv_field(entry.title)}\n"
        cells = len(entry.puzzle.cells) if entry.puzzle else self._cells
        self._table[position] = row.encode(errors="surrogateescape")
        self._lines[position] = [*lines, "." * (81 if entry.plain else cells)]
        self._totals[status] += 1
        self._is_added[position] = True

    def add_traits(
        self, positions: Iterable[int], traits: Iterable[Traits], geometry: Geometry
    ) -> None:
        """Add traits to the rows of puzzles of one geometry at these positions."""
        fields = (row_fields(traits_of_puzzle, geometry) for traits_of_puzzle in traits)
        self._traits.update(zip(positions, fields, strict=True))

    def rows(self) -> Rows:
        """The rows of the chunk. All puzzles must have been added."""
        file_count = max((len(lines) - 1 for lines in self._lines.values()), default=0)
        file_count = max(
            file_count, min(1, len(self._is_added)), self._plain.max_solutions if self._plain else 0
        )
        return Rows(
            self._first,
            len(self._is_added),
            self._with_traits(self._merge(self._plain_table, self._table)),
            [self._solution_lines(rank) for rank in range(file_count)],
            self._totals,
            merge_fallbacks(self._fallbacks),
            unread_counts(entry.unread for _, entry in self._contents.entries()),
        )

    def _with_traits(self, table: bytes) -> bytes:
        """Append the trait columns to the rows, with empty fields for puzzles without traits."""
        if not self._trait_names:
            return table
        empty = "," * len(trait_columns(self._trait_names))
        fields = [self._traits.get(position, empty) for position in range(len(self._is_added))]
        endings = "\n".join([*fields, ""]).encode("ascii").split(b"\n")
        return b"\n".join(map(add, table.split(b"\n"), endings))

    def _solution_lines(self, rank: int) -> bytes:
        """The lines of the solution file number `rank`, from 0, for all puzzles of the chunk."""
        texts = {
            position: f"{lines[min(rank, len(lines) - 1)]}\n".encode("ascii")
            for position, lines in self._lines.items()
        }
        return self._merge(self._plain.lines(rank) if self._plain else b"", texts)

    def _merge(self, plain: bytes, other_lines: Mapping[int, bytes]) -> bytes:
        """Combine the output lines of plain lines with the lines of other puzzles, by position."""
        if not other_lines:
            return plain
        texts = dict(other_lines)
        if self._plain:
            texts.update(zip(self._plain.positions.tolist(), plain.splitlines(True), strict=True))
        return b"".join([texts[position] for position in range(len(self._is_added))])


def error_rows(layout: Layout, line: int, message: str, trait_names: Sequence[str] = ()) -> Rows:
    """Make a row with the status `invalid` that says why the rest of a source was not read."""
    entry = Entry(line, "", None, message, None, plain=False)
    contents = ChunkContents(PlainLines.without_lines(), [entry])
    builder = RowsBuilder(contents, layout.cells, 1, trait_names)
    builder.add_result(0, Result("invalid", message=message))
    return builder.rows()


def rows_of(results: Sequence[Result], first: int, trait_names: tuple[str, ...] = ()) -> Rows:
    """Make the rows of results, with indices from `first` on and without line numbers."""
    contents = ChunkContents(PlainLines.without_lines(), [_entry_of(result) for result in results])
    builder = RowsBuilder(contents, NINE_BY_NINE.size, first, trait_names)
    for position, result in enumerate(results):
        builder.add_result(position, result)
        if (traits := result.traits) and isinstance(problem := result.problem, PuzzleProblem):
            builder.add_traits(
                [position], [replace(traits, requested=trait_names)], problem.puzzle.geometry
            )
    return builder.rows()


def _entry_of(result: Result) -> Entry:
    """Make the entry that a result's problem would have in a collection."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return Entry(0, "", None, None, None, plain=False)
    puzzle, symbols = problem.puzzle, symbols_of(problem.format)
    text = puzzle_text(puzzle, symbols)
    parsed = problem.parsed
    entry = Entry(0, text, puzzle, None, None, plain=False, symbols=symbols, parsed=parsed)
    return entry._replace(title=parsed.title, unread=parsed.unread)


def _unread_caveat(entry: Entry, status: str) -> str | None:
    """A warning about the unread parts of an entry; None if no warning is needed."""
    return caveat(status, entry.unread) if entry.unread else None


def _answer_message(answers: BatchResult, index: int) -> str:
    """The message of an answer that has no individual result."""
    return answers.message(index) or _unproved_reason(answers.certificate(index)) or ""


def _unproved_reason(certificate: Certificate | None) -> str | None:
    return unproved_reason(certificate.complete, certificate.reason) if certificate else None
