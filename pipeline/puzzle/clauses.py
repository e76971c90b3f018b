"""Clauses as tuples of literals, and packed into an array of integers."""

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
"""The literals of a clause."""

_NUMBERS_PER_CHUNK = 1 << 16
"""Number of literals and zeros that are unpacked at a time."""


def clauses_of(numbers: Sequence[int]) -> Iterator[Clause]:
    """Yield the clauses in a list of literals that has a 0 after each clause."""
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


def clause_bounds(numbers: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The index of the first literal of each clause, and of the 0 after it.

    `np.diff` with `prepend` would copy the array first.
    """
    import numpy as np  # noqa: PLC0415 - slow to load

    ends = np.flatnonzero(numbers == 0)
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return starts, ends


_MAX_LISTED_BYTES = 1 << 12
"""Maximum size in bytes of clauses that are not worth loading numpy for."""


@dataclass(frozen=True, slots=True)
class PackedClauses(Iterable[Clause]):
    """Clauses as signed 32-bit integers with a 0 after each clause; iteration yields tuples."""

    data: bytes

    @staticmethod
    def of(clauses: Iterable[Clause]) -> PackedClauses:
        """Pack clauses."""
        numbers = chain.from_iterable((*clause, 0) for clause in clauses)
        return PackedClauses(array("i", numbers).tobytes())

    @property
    def numbers(self) -> array[int]:
        """The literals, and the 0 after each clause."""
        return array("i", self.data)

    @property
    def size(self) -> int:
        """The number of literals."""
        return len(self.data) // array("i").itemsize - len(self)

    def __len__(self) -> int:
        if len(self.data) <= _MAX_LISTED_BYTES:
            return self.numbers.count(0)
        import numpy as np  # noqa: PLC0415 - slow to load

        return len(self.array) - int(np.count_nonzero(self.array))

    def __iter__(self) -> Iterator[Clause]:
        return chain.from_iterable(map(clauses_of, self.chunks()))

    def chunks(self, min_numbers: int = _NUMBERS_PER_CHUNK) -> Iterator[array[int]]:
        """Yield `numbers` in chunks of whole clauses.

        Each chunk except the last has at least `min_numbers` numbers.
        """
        numbers, start = self.numbers, 0
        while start < len(numbers):
            end = numbers.index(0, min(start + min_numbers, len(numbers)) - 1) + 1
            yield numbers[start:end]
            start = end

    def unit_literals(self) -> tuple[int, ...]:
        """The literals of the unit clauses."""
        if len(self.data) <= _MAX_LISTED_BYTES:
            return tuple(clause[0] for clause in self if len(clause) == 1)
        import numpy as np  # noqa: PLC0415 - slow to load

        is_end = np.concatenate(((True,), self.array == 0))
        is_unit = is_end[:-2] & ~is_end[1:-1] & is_end[2:]
        return tuple(self.array[:-1][is_unit].tolist())

    @property
    def array(self) -> NDArray[np.int32]:
        """`numbers` as a numpy array."""
        import numpy as np  # noqa: PLC0415 - slow to load

        return np.frombuffer(self.data, np.int32)

    def renumbered(self, new_literals: NDArray[np.int32], true_literal: int) -> PackedClauses:
        """Replace each literal by its new literal, and simplify the clauses.

        - `new_literals`: the new literal of each literal, indexed as `_any_marked` explains.
        - `true_literal`: a new literal that is true. Clauses that contain it are dropped, and its
          negation is dropped from all other clauses.
        """
        import numpy as np  # noqa: PLC0415 - slow to load

        renamed = new_literals.take(self.array)
        satisfied, lengths = self._any_marked(renamed == true_literal)
        is_kept = (renamed != -true_literal) & np.repeat(~satisfied, lengths)
        return PackedClauses(renamed.compress(is_kept).tobytes())

    def hold_for(self, is_true: NDArray[np.bool_]) -> bool:
        """Whether each clause has a true literal. `is_true` is indexed as in `_any_marked`."""
        return bool(self._any_marked(is_true[self.array])[0].all())

    def _any_marked(self, marked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """For each clause, whether one of its numbers is marked, and its length including the 0.

        `marked` has an entry for each of `numbers`. Arrays that are indexed by literal have 2n + 1
        entries: for 0, for 1 … n, and for -n … -1.
        """
        import numpy as np  # noqa: PLC0415 - slow to load

        starts, ends = clause_bounds(self.array)
        has_mark = np.logical_or.reduceat(marked, starts) if len(ends) else marked[:0]
        return has_mark, ends - starts + 1


@dataclass(frozen=True, slots=True, eq=False)
class RuleClauses(PackedClauses):
    """The clauses of a puzzle's rules; the encoder and the proof share them.

    - `facts`: the literals of unit clauses.
    - `variables`: the number of variables.
    - `auxiliary`: the number of variables that are not candidates.
    """

    facts: tuple[int, ...]
    variables: int
    auxiliary: int
