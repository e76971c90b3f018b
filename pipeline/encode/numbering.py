"""Which variable stands for which candidate, in the encodings that number all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pipeline.errors import UsageError
from pipeline.puzzle import Candidate, Geometry

Style = Literal["dense", "decimal"]
DECIMAL_LARGEST_SIDE = 9


@dataclass(frozen=True)
class Numbering(Mapping[int, Candidate]):
    """A mapping from every variable of a full numbering to its candidate.

    `dense` is (r-1)·n² + (c-1)·n + v, without gaps from 1 to n³; `decimal` is the digits rcv,
    for sides up to 9 (UsageError beyond).
    """

    geometry: Geometry
    style: Style = "dense"

    def __post_init__(self) -> None:
        n = self.geometry.side
        if self.style == "decimal" and n > DECIMAL_LARGEST_SIDE:
            raise UsageError(
                f"decimal numbering ends at side {DECIMAL_LARGEST_SIDE}, this puzzle has {n}: "
                "use dense"
            )

    @property
    def highest(self) -> int:
        """The variable of (n, n, n)."""
        n = self.geometry.side
        return n**3 if self.style == "dense" else 111 * n

    def before(self, cell: int) -> int:
        """The number that a value is added to for the variable of (cell, value)."""
        n = self.geometry.side
        if self.style == "dense":
            return cell * n
        row, column = self.geometry.place(cell)
        return 100 * row + 10 * column

    def __getitem__(self, variable: int) -> Candidate:
        n = self.geometry.side
        if self.style == "dense":
            cell, value = divmod(variable - 1, n)
            if not 0 <= cell < n * n:
                raise KeyError(variable)
            return Candidate(*self.geometry.place(cell), value + 1)
        digits = (variable // 100, variable // 10 % 10, variable % 10)
        if not all(1 <= digit <= n for digit in digits):
            raise KeyError(variable)
        return Candidate(*digits)

    def __iter__(self) -> Iterator[int]:
        n = self.geometry.side
        for cell in range(n * n):
            start = self.before(cell)
            yield from range(start + 1, start + n + 1)

    def __len__(self) -> int:
        return self.geometry.side**3
