"""A piece of a collection → its rows: the result of each puzzle, as CSV and as solutions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

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


def one_line(values: Sequence[int], signs: str = "") -> str:
    """Write a grid of any size in one line: digits, signs of an alphabet, or spaced numbers."""
    if signs:
        return "".join([signs[value - 1] for value in values])
    if len(values) <= 81:
        return bytes(values).translate(_DIGITS).decode("ascii")
    return " ".join(map(str, values))


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
