"""An index of classes of equivalent puzzles. It maps a class to the position of its first puzzle.

A class is identified by a 128-bit hash of its canonical form and takes 24 bytes: the hash and the
position of its first puzzle. Sorted runs of classes are written to disk when they exceed a memory
limit.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzle_arrays import Indices, ValueArray

LIMIT_BYTES = 64 * 1024 * 1024
"""Default limit on the memory for classes, in bytes."""

ABSENT = -1
"""The position of a class that is not in the index."""

_CLASS = np.dtype([("high", np.uint64), ("low", np.uint64), ("position", np.int64)])
"""A class: the upper and lower half of its hash, and the position of its first puzzle."""

Keys = NDArray[np.uint64]
"""The hashes (C, 2) of classes: the upper and the lower half of each."""

Run = NDArray[Any]
"""Classes (C,) of type `_CLASS`, sorted by the upper halves of their hashes."""


def keys_of(forms: ValueArray) -> Keys:
    """Return the hashes (P, 2) of canonical forms (P, n²)."""
    hashes = [blake2b(form, digest_size=16).digest() for form in np.ascontiguousarray(forms)]
    return np.frombuffer(b"".join(hashes), np.uint64).reshape(-1, 2)


def _sorted_run(classes: Run) -> Run:
    """Return the classes sorted by the upper halves of their hashes."""
    return classes[np.argsort(classes["high"], kind="stable")]


def _positions_in(run: Run, keys: Keys) -> Indices:
    """Return the position (C,) of the first puzzle of each class; ABSENT if not in the run."""
    high, low = run["high"], run["low"]
    rows = np.searchsorted(high, keys[:, 0])
    positions = np.full(len(keys), ABSENT)
    pending = np.arange(len(keys))
    while len(pending):  # once, except for hashes with the same upper half
        pending = pending[rows[pending] < len(run)]
        pending = pending[high[rows[pending]] == keys[pending, 0]]
        same = low[rows[pending]] == keys[pending, 1]
        positions[pending[same]] = run["position"][rows[pending[same]]]
        pending = pending[~same]
        rows[pending] += 1
    return positions


class Classes(AbstractContextManager["Classes"]):
    """An index of classes. Use it in a `with` statement, which closes its temporary files.

    The files have no names: the system frees them even if the process is killed.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES, folder: Path | None = None) -> None:
        self._limit_bytes = limit_bytes
        self._folder = folder
        self._runs: list[Run] = []
        self._spilled: list[Run] = []

    def __exit__(self, *_: object) -> None:
        self._runs, self._spilled = [], []

    def __len__(self) -> int:
        return sum(map(len, (*self._runs, *self._spilled)))

    def find(self, keys: Keys) -> Indices:
        """Return the position (C,) of the first puzzle of each class; ABSENT for a new class."""
        order = np.argsort(keys[:, 0])  # lookups in sorted order read each file from start to end
        ordered, positions = keys[order], np.full(len(keys), ABSENT)
        for run in (*self._runs, *self._spilled):
            positions = np.maximum(positions, _positions_in(run, ordered))
        unordered = np.empty_like(positions)
        unordered[order] = positions
        return unordered

    def add(self, keys: Keys, positions: Indices) -> Indices:
        """Add the classes that are new. Returns the position (C,) of each class's first puzzle.

        Raises OSError if the disk is full.
        """
        firsts = self.find(keys)
        new = np.flatnonzero(firsts == ABSENT)
        _, first, which = np.unique(keys[new], axis=0, return_index=True, return_inverse=True)
        firsts[new] = positions[new[first]][which.reshape(-1)]
        if len(first):
            run = np.empty(len(first), _CLASS)
            run["high"], run["low"] = keys[new[first]].T
            run["position"] = positions[new[first]]
            self._add_run(_sorted_run(run))
        return firsts

    def _add_run(self, run: Run) -> None:
        """Add a run, merged with runs that are not much larger.

        Writes all runs to disk, as one, if they exceed the limit.
        """
        while self._runs and len(self._runs[-1]) <= 2 * len(run):
            run = _sorted_run(np.concatenate([run, self._runs.pop()]))
        self._runs.append(run)
        if sum(stored.nbytes for stored in self._runs) > self._limit_bytes:
            self._spilled.append(self._spill(_sorted_run(np.concatenate(self._runs))))
            self._runs = []

    def _spill(self, run: Run) -> Run:
        """Write a run to a file without a name. Returns a memory map, which keeps the file open."""
        with TemporaryFile(dir=self._folder) as file:
            file.write(run.data)
            file.flush()
            return np.memmap(file, _CLASS, "r")
