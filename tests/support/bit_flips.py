"""Bits that flip in lanes: in this process, in workers, and in those of a cluster.

A worker of a pool is made of this module by its `serve`; one of Dask that preloads it gets
`dask_setup`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from pipeline.native import ProgramLoader
from pipeline.service import workers
from pipeline.solving.compiled import PROGRAM
from pipeline.solving.compiled.kernel import Lanes
from pipeline.solving.compiled.layout import LANES, RECORD_WORDS, STARTED, VECTOR_WORDS, WORD_BITS

ONE_STEP = 1
PLACES = "grids", "counts", "idle", "branches", "planes", "puzzle", "numbers"


class Flipping:
    """The step function of the search; between two steps a bit flips now and then.

    None of them leads it to memory that is not its own.
    """

    def __init__(self, step: Callable[..., int], where: str, seed: int) -> None:
        self.flips = 0
        self._step = step
        self._where = where
        self._random = random.Random(seed)

    def __call__(self, lanes: Lanes, masks, most, counts, grids, shared, _steps) -> int:
        ended = self._step(lanes, masks, most, counts, grids, shared, ONE_STEP)
        if self._random.random() < 0.3:
            self.flips += 1
            getattr(self, f"_in_{self._where}")(lanes, len(masks), most, counts, grids)
        return ended

    def _in_grids(self, lanes, puzzles, most, counts, grids):
        self._flip(grids.reshape(-1), 8)

    def _in_counts(self, lanes, puzzles, most, counts, grids):
        place = self._random.randrange(puzzles)
        counts[place] = min(counts[place] ^ 1 << self._random.randrange(4), most)

    def _in_idle(self, lanes, puzzles, most, counts, grids):
        self._flip(lanes.idle, WORD_BITS)

    def _in_branches(self, lanes, puzzles, most, counts, grids):
        """In all pending branches, where they hold candidates."""
        places = len(lanes.branches)
        first = self._random.randrange(places) if self._random.random() < 0.1 else 0
        for place in range(first, min(first + 64, places)):
            self._flip(lanes.branches[place, : RECORD_WORDS - 1], WORD_BITS)

    def _in_planes(self, lanes, puzzles, most, counts, grids):
        for _ in range(20):
            self._flip(lanes.planes[: (RECORD_WORDS - 1) * WORD_BITS * VECTOR_WORDS], WORD_BITS)

    def _in_puzzle(self, lanes, puzzles, most, counts, grids):
        lane = self._random.randrange(LANES)
        lanes.puzzle[lane] = min(lanes.puzzle[lane] ^ 1 << self._random.randrange(8), puzzles - 1)

    def _in_numbers(self, lanes, puzzles, most, counts, grids):
        """A puzzle that was not begun counts as begun."""
        lanes.numbers[STARTED] = min(lanes.numbers[STARTED] + 1, puzzles)

    def _flip(self, words, bits):
        at = self._random.randrange(len(words))
        words[at] ^= np.left_shift(1, self._random.randrange(bits), dtype=words.dtype)


def flip_all() -> None:
    """Have bits flip in all searches of this process from now on, in place after place."""
    step, seeds, get = PROGRAM.load_from(PROGRAM.create_folder()), count(), ProgramLoader.get

    def flipping(loaded: ProgramLoader, seconds: float = 0.0, *, at_once: bool = False) -> Any:
        if loaded._program != PROGRAM:
            return get(loaded, seconds, at_once=at_once)
        seed = next(seeds)
        return Flipping(step, PLACES[seed % len(PLACES)], seed)

    ProgramLoader.get = flipping  # type: ignore[method-assign]


def serve(descriptor: int) -> None:
    """Be a worker of a pool."""
    flip_all()
    workers.serve(descriptor)


def dask_setup(_: object) -> None:
    """Be a worker of a cluster."""
    flip_all()
