"""The lines of a collection's files, side by side in blocks: arrays of bytes, in bounded memory."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import InputError, in_words, is_environmental
from pipeline.files import descriptor_of
from pipeline.outbox.tables import LONGEST_LINE

_BUFFERS = 8 * 1024 * 1024
"""Bytes to read from all files at once."""
_LEAST, _MOST = 4 * 1024, 256 * 1024
"""Bytes to read from one of them at once."""
_MOST_LINES = 200_000
"""LineBlock in a block, of all files."""
_MOST_BYTES = 16 * 1024 * 1024
"""Bytes that one file has in a block; a single line may have more."""


@dataclass(frozen=True, slots=True)
class LineBlock:
    """N consecutive lines: `data` with their ends, and where each begins and ends in it, (N,)."""

    data: NDArray[np.uint8]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.ends)

    def first(self, count: int) -> LineBlock:
        return LineBlock(self.data, self.starts[:count], self.ends[:count])

    def text(self, at: int) -> str:
        line = self.data[self.starts[at] : self.ends[at]].tobytes()
        return line.decode(errors="surrogateescape")

    @property
    def widths(self) -> NDArray[np.intp]:
        return self.ends - self.starts

    def parted(self, fields: int) -> tuple[LineBlock, list[str]]:
        """The lines without so many fields at their ends, and these fields, each behind a comma.

        A line with fewer fields stays whole. The fields must not be quoted.
        """
        if not fields:
            return self, []
        end = int(self.ends[-1]) if len(self) else 0
        commas = np.flatnonzero(self.data[:end] == ord(","))
        before = np.searchsorted(commas, self.ends) - fields
        at = commas[np.maximum(before, 0)] if len(commas) else self.ends
        ends = np.where((before >= 0) & (at >= self.starts), at, self.ends)
        spans = zip(ends.tolist(), self.ends.tolist(), strict=True)
        text = self.data[:end].tobytes()
        tails = [text[start:stop].decode(errors="surrogateescape") for start, stop in spans]
        return LineBlock(self.data, self.starts, ends), tails

    def cut(self, at: NDArray[np.intp], width: int) -> NDArray[np.uint8]:
        """The lines at these places, ascending, which have that width: (q, width)."""
        if not len(at):
            return np.zeros((0, width), np.uint8)
        first, last = int(at[0]), int(at[-1])
        start, stop = int(self.starts[first]), int(self.ends[last]) + 1
        if stop - start == len(at) * (width + 1):  # there are no others between them
            return self.data[start:stop].reshape(len(at), width + 1)[:, :width]
        text: NDArray[np.uint8] = self.data[self.starts[at][:, None] + np.arange(width)]
        return text


class _LineFile:
    """A file of lines; `fault` says why there are no more."""

    def __init__(self, path: Path, size: int) -> None:
        self.name = path.name
        self.fault: str | None = None
        self._size = size
        self._rest = b""
        try:
            self.file: io.FileIO | None = io.FileIO(descriptor_of(path))
        except OSError as error:
            if is_environmental(error):
                raise
            self.file, self.fault = None, f"cannot be read: {in_words(error)}"

    def look(self, count: int) -> LineBlock:
        """Up to so many lines that come next."""
        found = self._rest.count(b"\n")
        parts, size = [self._rest], len(self._rest)
        longest = 0 if found else size
        while found < count and size < _MOST_BYTES and longest < LONGEST_LINE:
            if not (block := self._read()):
                break
            parts.append(block)
            size += len(block)
            ends = block.count(b"\n")
            found += ends
            longest = len(block) - block.rfind(b"\n") if ends else longest + len(block)
        self._rest = b"".join(parts)
        return self._sound(np.frombuffer(self._rest, np.uint8), count)

    def _read(self) -> bytes:
        try:
            return (self.file.read(self._size) or b"") if self.file else b""
        except OSError as error:
            self.fault = f"cannot be read: {in_words(error)}"
            return b""

    def _sound(self, data: NDArray[np.uint8], count: int) -> LineBlock:
        """The lines up to one that is too long, or ends otherwise than with LF."""
        ends = np.flatnonzero(data == ord("\n"))[:count]
        starts = np.concatenate((np.zeros(min(1, len(ends)), np.intp), ends[:-1] + 1))
        is_wrong = ends - starts >= LONGEST_LINE
        if b"\r\n" in self._rest:
            is_wrong |= (ends > starts) & (data[ends - 1] == ord("\r"))
        sound = int(is_wrong.argmax()) if is_wrong.any() else len(ends)
        if sound < len(ends) and ends[sound] - starts[sound] < LONGEST_LINE:
            self.fault = "a line ends with CR and LF, not with LF"
        elif sound < len(ends) or (not sound and len(data)):
            self.fault = "a line is too long, or has no end"
        return LineBlock(data, starts, ends).first(sound)

    def drop(self, lines: LineBlock) -> None:
        """Go on behind these lines, which come next."""
        if len(lines):
            self._rest = self._rest[int(lines.ends[-1]) + 1 :]


class LineFiles:
    """Files with a line for each puzzle, side by side; to be used as a context.

    `count` is how many lines have been taken from each, since the header of the first.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        size = min(_MOST, max(_LEAST, _BUFFERS // len(paths)))
        self._files = [_LineFile(path, size) for path in paths]
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:
            for each in self._files:
                if each.file:
                    stack.callback(each.file.close)

    def begin(self) -> str:
        """Go on behind the header of the first file, and return it. Raises InputError."""
        table = self._files[0]
        first = table.look(1)
        if table.fault and not len(first):
            raise InputError(f"{table.name}: {table.fault}")
        table.drop(first)
        return first.text(0) if len(first) else ""

    def take(self, count: int) -> list[LineBlock]:
        """The next lines of each file, equally many: at most `count`, and as many as fit.

        Raises InputError if no line is left.
        """
        most = max(1, min(count, _MOST_LINES // len(self._files)))
        found = [each.look(most) for each in self._files]
        least = min(map(len, found))
        if not least:
            raise self._ended(found)
        found = [lines.first(least) for lines in found]
        for each, lines in zip(self._files, found, strict=True):
            each.drop(lines)
        self.count += least
        return found

    def _ended(self, found: Sequence[LineBlock]) -> InputError:
        for each, lines in zip(self._files, found, strict=True):
            if each.fault and not len(lines):
                return InputError(f"{each.name}: {each.fault}")
        name = next(each.name for each, lines in zip(self._files, found, strict=True) if not lines)
        return InputError(f"{name} ends too early, before row {self.count + 1}")

    def end(self) -> None:
        """Raise InputError if there are more lines."""
        for each in self._files:
            more = len(each.look(1))
            if each.fault and not more:
                raise InputError(f"{each.name}: {each.fault}")
            if more:
                raise InputError(f"{each.name} goes on behind the last puzzle")
