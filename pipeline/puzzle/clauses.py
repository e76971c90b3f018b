"""Clauses as tuples of literals, and packed as integers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clause = tuple[int, ...]

_CHUNK = 1 << 16
"""Numbers of packed clauses that are unpacked together."""


def clauses_of(numbers: Sequence[int]) -> Iterator[Clause]:
    """Unpack clauses from one list of literals with a 0 after each clause."""
    literals = [*numbers]
    step = literals.index(0) + 1 if literals else 1
    zeros = literals[step - 1 :: step]
    if step > 1 and not any(zeros) and literals.count(0) * step == len(literals):
        yield from zip(*(literals[index::step] for index in range(step - 1)), strict=True)
        return  # fast path: all clauses have the same length
    start = 0
    while start < len(literals):
        end = literals.index(0, start)
        yield tuple(literals[start:end])
        start = end + 1


@dataclass(frozen=True, slots=True)
class PackedClauses(Iterable[Clause]):
    """Clauses as signed 32-bit integers with a 0 after each clause; iterates over tuples."""

    data: bytes

    @property
    def numbers(self) -> array[int]:
        """The literals and zeros."""
        return array("i", self.data)

    @property
    def size(self) -> int:
        """The number of literals."""
        return len(self.data) // array("i").itemsize - len(self)

    def __len__(self) -> int:
        return self.numbers.count(0)

    def __iter__(self) -> Iterator[Clause]:
        return chain.from_iterable(map(clauses_of, self.chunks()))

    def chunks(self, min_numbers: int = _CHUNK) -> Iterator[array[int]]:
        """The numbers in chunks of whole clauses; all but the last have `min_numbers` or more."""
        numbers, start = self.numbers, 0
        while start < len(numbers):
            end = numbers.index(0, min(start + min_numbers, len(numbers)) - 1) + 1
            yield numbers[start:end]
            start = end

    @property
    def array(self) -> NDArray[np.int32]:
        """The literals and zeros as a numpy array."""
        import numpy as np  # noqa: PLC0415 - slow to load

        return np.frombuffer(self.data, np.int32)

    def assigned(self, number: NDArray[np.int32], true: int) -> PackedClauses:
        """The clauses with each literal replaced by its number, simplified by a true literal.

        `number` is indexed by literal, as in `_any`. `true` is the number of a literal that holds:
        clauses that contain it are dropped, and so are literals that contradict it.
        """
        import numpy as np  # noqa: PLC0415 - as above

        renamed = number[self.array]
        satisfied, lengths = self._any(renamed == true)
        kept = renamed[(renamed != -true) & ~np.repeat(satisfied, lengths)]
        return PackedClauses(kept.tobytes())

    def hold_in(self, is_true: NDArray[np.bool_]) -> bool:
        """Whether each clause has a true literal; `is_true` is indexed by literal, as in `_any`."""
        return bool(self._any(is_true[self.array])[0].all())

    def _any(self, marked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Whether each clause has a marked number, and how many numbers it has, the 0 included.

        Arrays indexed by literal have 2n + 1 entries, for 0, 1 … n and -n … -1.
        """
        import numpy as np  # noqa: PLC0415 - as above

        ends = np.flatnonzero(self.array == 0)
        lengths = np.diff(ends, prepend=-1)
        has_mark = np.logical_or.reduceat(marked, ends - lengths + 1) if len(ends) else marked[:0]
        return has_mark, lengths


@dataclass(frozen=True, slots=True, eq=False)
class RuleClauses(PackedClauses):
    """The clauses of a puzzle's rules, shared by the encoder and the proof.

    `facts` are the literals of unit clauses. `variables` counts all variables, `auxiliary` those
    that are not candidates.
    """

    facts: tuple[int, ...]
    variables: int
    auxiliary: int
