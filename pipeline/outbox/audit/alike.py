"""Rows of plain 9×9 puzzles that say the same of their solutions: audited together, as arrays.

One of them is read like any other row. The others may differ from it in index, line, puzzle and
solution only. If these are right, and the solutions certified, the other rows are right too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.certify import certify_lists
from pipeline.certify.many import exhausted_many
from pipeline.errors import InputError
from pipeline.outbox.audit.lines import LineBlock
from pipeline.outbox.audit.rows import Portion, read_row, sought_in
from pipeline.outbox.audit.sets import Report
from pipeline.outbox.tables import LONGEST_LINE, PuzzleRow
from pipeline.puzzle.puzzle import NINE
from pipeline.reading.formats.plain import PlaceArray, masks_of_plain

_CELLS = 81
_MOST_SHAPES, _MOST_KINDS = 16, 4
"""Shapes of rows to look for in a portion, and kinds in each; others are read one by one."""
_POWERS = 10 ** np.arange(1, 19)

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AlikeRows:
    """Rows that say the same as this one: their places in the portion."""

    row: PuzzleRow
    places: PlaceArray


def find_alike(portion: Portion, seconds: float) -> list[AlikeRows]:
    """Groups of rows that are right; other rows need not be wrong.

    The search for other solutions has so many seconds for each row.
    """
    plain = _Plain.of(portion)
    kinds = plain.kinds()
    right = plain.right(kinds, seconds)
    return [AlikeRows(kind.row, plain.at[kind.places[right[kind.places]]]) for kind in kinds]


@dataclass(frozen=True, slots=True)
class _Plain:
    """The Q plain puzzles of a portion.

    `at` (Q,) are their places in it, ascending, `lines` (Q,) and `cells` (Q, 81) what the original
    holds. The first `counts` (Q,) of the `grids` (R, Q, 81) are their solutions. `is_legible` (Q,)
    says that they are grids, that there is nothing else, and that a solution beside the puzzle is
    the first one.
    """

    portion: Portion
    at: PlaceArray
    lines: NDArray[np.int64]
    cells: NDArray[np.uint8]
    counts: NDArray[np.int64]
    grids: NDArray[np.uint8]
    is_legible: Bools

    @classmethod
    def of(cls, portion: Portion) -> _Plain:
        contents = portion.contents
        places, cells = contents.plain_cells()
        others = [entry for _, entry in contents.entries() if entry.plain]
        lines = np.concatenate([contents.plain.numbers, [entry.line for entry in others]])
        at = places - portion.start
        chosen = np.flatnonzero((at >= 0) & (at < len(portion)))
        if others:
            chosen = chosen[np.argsort(at[chosen])]
        at = at[chosen]
        grids, counts, is_legible = _solutions(portion.lines[1:], at)
        if any(entry.claimed is not None for entry in others):
            has_claim, claims = _claims(
                [None] * len(contents.plain.numbers) + [e.claimed for e in others]
            )
            is_first = (claims[chosen] == grids[:1]).all(axis=(0, 2)) & (counts > 0)
            is_legible &= ~has_claim[chosen] | is_first
        return cls(portion, at, lines[chosen], cells[chosen], counts, grids, is_legible)

    def kinds(self) -> list[AlikeRows]:
        """Groups of rows that are right if their solutions are.

        Places are those among the plain ones.
        """
        shapes, sizes = self._shapes()
        kinds = []
        for shape in np.argsort(-sizes, kind="stable")[:_MOST_SHAPES].tolist():
            left = np.flatnonzero(self.is_legible & (shapes == shape))
            for _ in range(_MOST_KINDS):
                if not len(left):
                    break
                row = self._judged(int(self.at[left[0]]))
                if row is None:
                    left = left[1:]
                    continue
                alike = self._are_alike(left, row)
                kinds.append(AlikeRows(row, left[alike]))
                alike[0] = True  # so that the loop goes on
                left = left[~alike]
        return kinds

    def _shapes(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The shape of each row, by its width and where its fields begin; how many have each."""
        index = np.searchsorted(_POWERS, self.at + self.portion.first, "right")
        line = np.searchsorted(_POWERS, self.lines, "right")
        width = self.portion.lines[0].widths[self.at]
        shape = ((self.counts * 32 + index) * 32 + line) * LONGEST_LINE + width
        _, shapes, sizes = np.unique(shape, return_inverse=True, return_counts=True)
        return shapes, sizes

    def _judged(self, at: int) -> PuzzleRow | None:
        """The row at a place of the portion; None if it is wrong, or tells more than others."""
        trial = Report()
        try:
            row = read_row(self.portion, at, trial).row
        except InputError:
            return None
        return row if trial.is_clean and not row.disagreement else None

    def _are_alike(self, rows: PlaceArray, row: PuzzleRow) -> Bools:
        """Which rows, all of one shape, say the same as the first one of their own puzzles."""
        table = self.portion.lines[0]
        text = table.text(int(self.at[rows[0]])).encode(errors="surrogateescape")
        begun = f"{row.index},{row.line},"
        told = f"{row.status},{row.solutions},{row.complete},{row.certificate},"
        if not text.startswith(f"{begun}{row.puzzle},{told}{row.solution},".encode()):
            return np.zeros(len(rows), np.bool_)
        expected = np.empty((len(rows), len(text)), np.uint8)
        expected[:] = np.frombuffer(text, np.uint8)
        numbers = self.at[rows] + self.portion.first
        _write(expected, 0, _digits(numbers, len(row.index)))
        _write(expected, len(row.index) + 1, _digits(self.lines[rows], len(row.line)))
        _write(expected, len(begun), self.cells[rows])
        if row.solution:
            solution = self.grids[0, rows] + np.uint8(ord("0"))
            _write(expected, len(begun) + _CELLS + 1 + len(told), solution)
        same = expected == table.cut(self.at[rows], len(text))
        return np.ones(len(rows), np.bool_) if same.all() else same.all(axis=1)

    def right(self, kinds: list[AlikeRows], seconds: float) -> Bools:
        """Which rows of these kinds have right solutions, and all, or not all, if they say so."""
        right = np.zeros(len(self.at), np.bool_)
        is_any, sought = np.zeros(len(self.at), np.bool_), np.zeros(len(self.at), np.uint8)
        for kind in kinds:
            sought[kind.places] = sought_in(kind.row)
            is_any[kind.places] = not sought_in(kind.row)
        if len(rows := np.flatnonzero(sought)):
            right[rows] = self._verdicts(rows, seconds) == sought[rows]
        if len(rows := np.flatnonzero(is_any)):
            masks, grids = masks_of_plain(self.cells[rows]), self.grids[:, rows]
            right[rows] = certify_lists(NINE, masks, self.counts[rows], grids)
        return right

    def _verdicts(self, rows: PlaceArray, seconds: float) -> NDArray[np.uint8]:
        masks, grids = masks_of_plain(self.cells[rows]), self.grids[:, rows]
        verdicts, _ = exhausted_many(NINE, masks, self.counts[rows], grids, seconds * len(rows))
        return verdicts


def _claims(texts: Sequence[str | None]) -> tuple[Bools, NDArray[np.uint8]]:
    """Which puzzles have a solution beside them, (q,), and its values, (q, 81), if it is a grid."""
    is_there = np.array([text is not None for text in texts])
    lines = [t if t and len(t) == _CELLS and t.isascii() else "0" * _CELLS for t in texts]
    claims = np.frombuffer("".join(lines).encode("ascii"), np.uint8) - np.uint8(ord("0"))
    return is_there, claims.reshape(-1, _CELLS)


def _solutions(
    files: Sequence[LineBlock], at: PlaceArray
) -> tuple[NDArray[np.uint8], NDArray[np.int64], Bools]:
    """The grids in the lines at these places, (R, q, 81), how many each has, and if all is legible.

    A line has 81 digits, or dots, and none has digits that follows one with dots.
    """
    grids = np.zeros((len(files), len(at), _CELLS), np.uint8)
    counts = np.zeros(len(at), np.int64)
    is_legible = np.ones(len(at), np.bool_)
    for rank, lines in enumerate(files):
        fitting = np.flatnonzero(lines.widths[at] == _CELLS)
        text = lines.cut(at[fitting], _CELLS)
        is_filled, is_blank = np.zeros((2, len(at)), np.bool_)
        is_filled[fitting] = (text - np.uint8(ord("1")) < 9).all(axis=1)
        if not is_filled.all():
            is_blank[fitting] = (text == ord(".")).all(axis=1)
        grids[rank, fitting] = text - np.uint8(ord("0"))
        is_legible &= is_blank | (is_filled & (counts == rank))
        counts += is_filled
    return grids, counts, is_legible


def _digits(numbers: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    """Numbers of so many digits in ASCII, (q, width)."""
    digits = np.empty((len(numbers), width), np.uint8)
    for place in range(width - 1, -1, -1):
        numbers, digits[:, place] = np.divmod(numbers, 10)
    return digits + np.uint8(ord("0"))


def _write(rows: NDArray[np.uint8], start: int, columns: NDArray[np.uint8]) -> None:
    rows[:, start : start + columns.shape[1]] = columns
