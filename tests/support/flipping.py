"""Bits that flip in the compiled search: in this process, in workers, and in those of a cluster.

A worker of a pool is made of this module by its `serve`; one of Dask that preloads it gets
`dask_setup`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from ctypes import c_int64, c_uint8, c_uint64
from itertools import count
from typing import Any

from pipeline.native import Loaded
from pipeline.service import workers
from pipeline.solving.compiled.loading import PROGRAM
from pipeline.solving.compiled.state import BEGUN, LANES, MOST_HALVES, ROW_WORDS, WORD, WORDS

ONE_STEP = 1
PLACES = "grids", "counts", "idle", "candidates", "planes", "puzzle", "numbers"


class Flipping:
    """The step function of the search; between two steps a bit flips now and then.

    None of them leads it to memory that is not its own.
    """

    def __init__(self, step: Callable[..., bool], where: str, seed: int) -> None:
        self.flips = 0
        self._step = step
        self._where = where
        self._random = random.Random(seed)

    def __call__(self, *arguments: int) -> bool:
        ended = self._step(*arguments[:-1], ONE_STEP)
        names = "planes idle puzzle last candidates owner one_before numbers masks"
        at = dict(zip(names.split(), arguments, strict=False))
        puzzles, most, counts, grids = arguments[9:13]
        if self._random.random() < 0.3:
            self.flips += 1
            getattr(self, f"_in_{self._where}")(at, puzzles, most, counts, grids)
        return ended

    def _in_grids(self, at, puzzles, most, counts, grids):
        self._flip(c_uint8, grids, most * puzzles * 81, 8)

    def _in_counts(self, at, puzzles, most, counts, grids):
        count = (c_int64 * puzzles).from_address(counts)
        place = self._random.randrange(puzzles)
        flipped = count[place] ^ 1 << self._random.randrange(4)
        count[place] = min(flipped, most)

    def _in_idle(self, at, puzzles, most, counts, grids):
        self._flip(c_uint64, at["idle"], WORDS, WORD)

    def _in_candidates(self, at, puzzles, most, counts, grids):
        """Of all halves that are set aside, but for what is not a candidate."""
        half = self._random.randrange(LANES * MOST_HALVES) if self._random.random() < 0.1 else 0
        for place in range(half, min(half + 64, LANES * MOST_HALVES)):
            self._flip(c_uint64, at["candidates"] + 8 * ROW_WORDS * place, ROW_WORDS - 1, WORD)

    def _in_planes(self, at, puzzles, most, counts, grids):
        for _ in range(20):
            self._flip(c_uint64, at["planes"], (ROW_WORDS - 1) * LANES, WORD)

    def _in_puzzle(self, at, puzzles, most, counts, grids):
        of_lane = (c_int64 * LANES).from_address(at["puzzle"])
        lane = self._random.randrange(LANES)
        flipped = of_lane[lane] ^ 1 << self._random.randrange(8)
        of_lane[lane] = min(flipped, puzzles - 1)

    def _in_numbers(self, at, puzzles, most, counts, grids):
        """A puzzle that was not begun counts as begun."""
        begun = c_int64.from_address(at["numbers"] + 8 * BEGUN)
        begun.value = min(begun.value + 1, puzzles)

    def _flip(self, kind, address, count, bits):
        at = self._random.randrange(count)
        (kind * count).from_address(address)[at] ^= 1 << self._random.randrange(bits)


def flip_all() -> None:
    """Have bits flip in every compiled search of this process from now on, in place after place."""
    step, seeds, get = PROGRAM.load_from(PROGRAM.folder()), count(), Loaded.get

    def flipping(loaded: Loaded, *, at_once: bool) -> Any:
        if loaded._program != PROGRAM:
            return get(loaded, at_once=at_once)
        seed = next(seeds)
        return Flipping(step, PLACES[seed % len(PLACES)], seed)

    Loaded.get = flipping  # type: ignore[method-assign]


def serve(descriptor: int) -> None:
    """Be a worker of a pool."""
    flip_all()
    workers.serve(descriptor)


def dask_setup(_: object) -> None:
    """Be a worker of a cluster."""
    flip_all()
