"""Which classes of puzzles were met, and where first: by 128 bits of a hash of the canonical form.

A class takes 24 bytes: its hash and its place. Beyond a limit they are on a disk, in sorted runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.symmetries import Cells

LIMIT_BYTES = 64 * 1024 * 1024
"""Of classes in memory."""

NOWHERE = -1

_CLASS_BYTES = 24
Keys = NDArray[np.uint64]
Places = NDArray[np.int64]


def keys_of(forms: Cells) -> Keys:
    """The hashes (P, 2) of forms (P, n²)."""
    data, size = forms.tobytes(), forms.shape[1]
    starts = range(0, len(data), size)
    hashes = [blake2b(data[at : at + size], digest_size=16).digest() for at in starts]
    return np.frombuffer(b"".join(hashes), np.uint64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class _Run:
    """Classes in the order of the upper halves of their hashes."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    place: Places

    @classmethod
    def of(cls, keys: Keys, places: Places) -> _Run:
        order = np.argsort(keys[:, 0], kind="stable")
        return cls(keys[order, 0], keys[order, 1], places[order])

    @property
    def nbytes(self) -> int:
        return len(self.high) * _CLASS_BYTES

    def with_all(self, others: list[_Run]) -> _Run:
        runs = [self, *others]
        high = np.concatenate([run.high for run in runs])
        order = np.argsort(high, kind="stable")
        low = np.concatenate([run.low for run in runs])[order]
        return _Run(high[order], low, np.concatenate([run.place for run in runs])[order])

    def find(self, keys: Keys) -> Places:
        """The place of each class, NOWHERE if it is not among these."""
        at = np.searchsorted(self.high, keys[:, 0])
        found = np.full(len(keys), NOWHERE)
        open_ = np.arange(len(keys))
        while len(open_):  # once, but for hashes with the same upper half
            open_ = open_[at[open_] < len(self.high)]
            open_ = open_[self.high[at[open_]] == keys[open_, 0]]
            same = self.low[at[open_]] == keys[open_, 1]
            found[open_[same]] = self.place[at[open_[same]]]
            open_ = open_[~same]
            at[open_] += 1
        return found


class Classes:
    """The classes that were met; a context, as it may use temporary files.

    These have no names, so nothing is left of them however the process ends.
    """

    def __init__(self, limit: int = LIMIT_BYTES, folder: Path | None = None) -> None:
        self._limit = limit
        self._folder = folder
        self._runs: list[_Run] = []
        self._spilled: list[_Run] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runs, self._spilled = [], []

    def __len__(self) -> int:
        return sum(len(run.high) for run in (*self._runs, *self._spilled))

    def find(self, keys: Keys) -> Places:
        """The place where each class was met first, NOWHERE if it was not."""
        order = np.argsort(keys[:, 0])  # neighbours are looked for in the same parts of a file
        ordered, found = keys[order], np.full(len(keys), NOWHERE)
        for run in (*self._runs, *self._spilled):
            found = np.maximum(found, run.find(ordered))
        unordered = np.empty_like(found)
        unordered[order] = found
        return unordered

    def meet(self, keys: Keys, places: Places) -> Places:
        """The place where each class was met first, also among these; new ones are noted.

        Raises OSError if there is no room for them.
        """
        firsts = self.find(keys)
        new = np.flatnonzero(firsts == NOWHERE)
        _, first, which = np.unique(keys[new], axis=0, return_index=True, return_inverse=True)
        firsts[new] = places[new[first]][which.reshape(-1)]
        if len(first):
            self._add(_Run.of(keys[new[first]], places[new[first]]))
        return firsts

    def _add(self, run: _Run) -> None:
        """Note a run; runs of about the same size become one."""
        while self._runs and self._runs[-1].nbytes <= 2 * run.nbytes:
            run = run.with_all([self._runs.pop()])
        self._runs.append(run)
        if sum(each.nbytes for each in self._runs) > self._limit:
            self._spill()

    def _spill(self) -> None:
        """Move all that is in memory to a file."""
        first, *others = self._runs
        whole = first.with_all(others)
        parts = (self._on_disk(part) for part in (whole.high, whole.low, whole.place))
        self._spilled.append(_Run(*parts))
        self._runs = []

    def _on_disk(self, part: NDArray[Any]) -> NDArray[Any]:
        """The same numbers in a file without a name, which is gone when nobody maps it."""
        with TemporaryFile(dir=self._folder) as file:
            file.write(part.data)
            file.flush()
            return np.memmap(file, part.dtype, "r")
