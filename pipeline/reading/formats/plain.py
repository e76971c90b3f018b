"""Find the plain lines of a chunk with NumPy: lines that are exactly a 9×9 puzzle.

This module is used only for collections, because NumPy is slow to load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading.formats.parsed import Entry, TextChunk
from pipeline.reading.formats.records import plain_entry

IndexArray = NDArray[np.intp]

_ALL_PLAIN = b"123456789.", b"1234567890"
_DOT, _ZERO, _NEITHER = 1, 2, 4
_KIND_OF_BYTE = np.full(256, _NEITHER, np.uint8)
_KIND_OF_BYTE[ord("1") : ord("9") + 1] = 0
_KIND_OF_BYTE[ord(".")], _KIND_OF_BYTE[ord("0")] = _DOT, _ZERO


@dataclass(frozen=True, slots=True)
class PlainLines:
    """Q lines of 81 characters of 1-9 and at most one kind of blank, `.` or `0`.

    - `numbers` (Q,): the line numbers in the source, from 1, ascending.
    - `cells` (Q, 81): the characters, with `.` for each blank.
    - `remaining`: the other lines of the chunk; each run of consecutive lines is a chunk.
    """

    numbers: NDArray[np.int64]
    cells: NDArray[np.uint8]
    remaining: list[TextChunk]

    @classmethod
    def without_lines(cls, *remaining: TextChunk) -> PlainLines:
        """Create an instance for chunks without plain lines."""
        return cls(np.zeros(0, np.int64), np.zeros((0, 81), np.uint8), list(remaining))

    def entry(self, index: int) -> Entry:
        return plain_entry(int(self.numbers[index]), self.cells[index].tobytes().decode("ascii"))


def plain_lines(chunk: TextChunk) -> PlainLines:
    """Find the plain lines of a chunk. A chunk with a lone CR is treated as having none."""
    if (cells := _uniform_lines(chunk.data)) is not None:
        return PlainLines(np.arange(len(cells)) + chunk.first_line, _with_dots(cells), [])
    data = np.frombuffer(chunk.data, np.uint8)
    if chunk.data.count(b"\r") != chunk.data.count(b"\r\n"):
        return PlainLines.without_lines(chunk)
    ends = np.flatnonzero(data == ord("\n"))
    if len(data) and (not len(ends) or ends[-1] != len(data) - 1):
        ends = np.append(ends, len(data))
    starts = np.concatenate((np.zeros(min(1, len(ends)), np.intp), ends[:-1] + 1))
    lengths = ends - starts
    lengths -= (lengths > 0) & (data[ends - 1] == ord("\r"))
    candidates = np.flatnonzero(lengths == 81)
    cells = data[starts[candidates][:, None] + np.arange(81)]
    kinds = np.bitwise_or.reduce(_KIND_OF_BYTE[cells], axis=1)
    is_plain = kinds < (_DOT | _ZERO)
    lines = candidates[is_plain]
    remaining = _runs_between(chunk, lines, starts, np.append(ends, 0))
    return PlainLines(lines + chunk.first_line, _with_dots(cells[is_plain]), remaining)


def _uniform_lines(data: bytes) -> NDArray[np.uint8] | None:
    """The cells, if all lines of a chunk are plain and have the same line end; else None."""
    width = data.find(b"\n") + 1
    end = data[81:width]
    if end not in (b"\n", b"\r\n") or len(data) % width:
        return None
    if not any(data.translate(None, kind) == end * (len(data) // width) for kind in _ALL_PLAIN):
        return None
    lines = np.frombuffer(data, np.uint8).reshape(-1, width)
    return lines[:, :81] if (lines[:, 81:] == np.frombuffer(end, np.uint8)).all() else None


def _with_dots(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The cells with `.` for each `0`."""
    is_zero = cells == ord("0")
    return np.where(is_zero, np.uint8(ord(".")), cells) if is_zero.any() else cells


def _runs_between(
    chunk: TextChunk, lines: NDArray[np.intp], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> list[TextChunk]:
    """Split off the lines that are not plain. Each run of consecutive lines becomes a chunk.

    `lines` are the indices of the plain lines; `starts` and `ends` are the offsets of all lines.
    """
    count = len(starts)
    bounds = np.concatenate(([-1], lines, [count]))
    gaps = np.flatnonzero(np.diff(bounds) > 1)
    runs = []
    for first, stop in zip((bounds[gaps] + 1).tolist(), bounds[gaps + 1].tolist(), strict=True):
        end = int(ends[stop - 1]) + 1
        runs.append(TextChunk(chunk.first_line + first, chunk.data[int(starts[first]) : end]))
    return runs


def masks_of_plain(cells: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The masks (P, 81) of 9×9 puzzles, given their ASCII characters; all except 1-9 are blanks."""
    shifts = cells - np.uint8(ord("1"))
    masks: NDArray[np.uint16] = np.left_shift(1, shifts, dtype=np.uint16)
    masks |= (shifts > 8) * np.uint16(NINE_BY_NINE.all_values)  # for blanks, the shift sets no bit
    return masks


class ChunkContents:
    """The puzzles and invalid records of a chunk, numbered from 0."""

    def __init__(self, plain: PlainLines, entries: Sequence[Entry]) -> None:
        self.plain = plain
        self._entries = entries
        self._plain_count = len(plain.numbers)
        lines = np.array([entry.line for entry in entries], np.int64)
        if self._plain_count:
            self._order = np.argsort(np.concatenate((plain.numbers, lines)), kind="stable")
        else:
            self._order = np.arange(len(entries))
        indices = np.empty(len(self._order), np.intp)
        indices[self._order] = np.arange(len(indices))
        self.plain_indices = indices[: self._plain_count]
        self._entry_indices = indices[self._plain_count :]

    def __len__(self) -> int:
        return len(self._order)

    def entry(self, index: int) -> Entry:
        position = int(self._order[index])
        if position < self._plain_count:
            return self.plain.entry(position)
        return self._entries[position - self._plain_count]

    def lines_of(self, indices: IndexArray) -> IndexArray:
        """For each index of a puzzle, its index in `plain`, or -1 if it is not a plain line."""
        positions = self._order[indices]
        positions[positions >= self._plain_count] = -1
        return positions

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """The indices of the entries that are not plain lines, and these entries."""
        return zip(self._entry_indices.tolist(), self._entries, strict=True)

    def plain_cells(self) -> tuple[IndexArray, NDArray[np.uint8]]:
        """The indices of all plain puzzles, and their cells (P, 81). Plain lines come first."""
        indices = [index for index, entry in self.entries() if entry.plain]
        texts = "".join([entry.text for entry in self._entries if entry.plain])
        cells = np.frombuffer(texts.encode("ascii"), np.uint8).reshape(-1, 81)
        return (
            np.concatenate((self.plain_indices, np.array(indices, np.intp))),
            np.concatenate((self.plain.cells, cells)),
        )
