"""Which classes of puzzles were met, and where first: by 128 bits of a hash of the canonical form.

A class takes 24 bytes: its hash and its place. Beyond a limit they are on a disk, in sorted runs.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzles import Indices, ValueArray

LIMIT_BYTES = 64 * 1024 * 1024
"""Limit on the classes in memory."""

NOWHERE = -1

_CLASS = np.dtype([("high", np.uint64), ("low", np.uint64), ("place", np.int64)])
Keys = NDArray[np.uint64]
Run = NDArray[Any]
"""Classes (C,) of `_CLASS`, in the order of the upper halves of their hashes."""


def keys_of(forms: ValueArray) -> Keys:
    """The hashes (P, 2) of forms (P, n²)."""
    hashes = [blake2b(form, digest_size=16).digest() for form in np.ascontiguousarray(forms)]
    return np.frombuffer(b"".join(hashes), np.uint64).reshape(-1, 2)


def _sorted_run(classes: Run) -> Run:
    return classes[np.argsort(classes["high"], kind="stable")]


def _found_in(run: Run, keys: Keys) -> Indices:
    """The place of each class, NOWHERE if it is not in the run."""
    high, low = run["high"], run["low"]
    at = np.searchsorted(high, keys[:, 0])
    found = np.full(len(keys), NOWHERE)
    open_ = np.arange(len(keys))
    while len(open_):  # once, except for hashes with the same upper half
        open_ = open_[at[open_] < len(run)]
        open_ = open_[high[at[open_]] == keys[open_, 0]]
        same = low[at[open_]] == keys[open_, 1]
        found[open_[same]] = run["place"][at[open_[same]]]
        open_ = open_[~same]
        at[open_] += 1
    return found


class Classes(AbstractContextManager["Classes"]):
    """The classes that were met; a context, as it may use temporary files.

    The files have no names, so nothing is left of them however the process ends.
    """

    def __init__(self, limit: int = LIMIT_BYTES, folder: Path | None = None) -> None:
        self._limit = limit
        self._folder = folder
        self._runs: list[Run] = []
        self._spilled: list[Run] = []

    def __exit__(self, *_: object) -> None:
        self._runs, self._spilled = [], []

    def __len__(self) -> int:
        return sum(map(len, (*self._runs, *self._spilled)))

    def find(self, keys: Keys) -> Indices:
        """The place where each class was met first, NOWHERE if it was not."""
        order = np.argsort(keys[:, 0])  # neighbours are looked for in the same parts of a file
        ordered, found = keys[order], np.full(len(keys), NOWHERE)
        for run in (*self._runs, *self._spilled):
            found = np.maximum(found, _found_in(run, ordered))
        unordered = np.empty_like(found)
        unordered[order] = found
        return unordered

    def meet(self, keys: Keys, places: Indices) -> Indices:
        """The place where each class was met first, also among these; new ones are noted.

        Raises OSError if there is no room for them.
        """
        firsts = self.find(keys)
        new = np.flatnonzero(firsts == NOWHERE)
        _, first, which = np.unique(keys[new], axis=0, return_index=True, return_inverse=True)
        firsts[new] = places[new[first]][which.reshape(-1)]
        if len(first):
            run = np.empty(len(first), _CLASS)
            run["high"], run["low"] = keys[new[first]].T
            run["place"] = places[new[first]]
            self._add(_sorted_run(run))
        return firsts

    def _add(self, run: Run) -> None:
        """Note a run; runs of about the same size become one."""
        while self._runs and len(self._runs[-1]) <= 2 * len(run):
            run = _sorted_run(np.concatenate([run, self._runs.pop()]))
        self._runs.append(run)
        if sum(each.nbytes for each in self._runs) > self._limit:
            self._spilled.append(self._on_disk(_sorted_run(np.concatenate(self._runs))))
            self._runs = []

    def _on_disk(self, run: Run) -> Run:
        """The same run in a file without a name, which is gone when nobody maps it."""
        with TemporaryFile(dir=self._folder) as file:
            file.write(run.data)
            file.flush()
            return np.memmap(file, _CLASS, "r")
