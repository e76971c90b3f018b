"""Bits that flip in the compiled search while it works, or in what checks it: no harm is done."""

from __future__ import annotations

import random
from collections.abc import Callable
from ctypes import c_int64, c_uint8, c_uint64
from itertools import islice

import numpy as np
import pytest
from false_claims import Maker
from support.needs import needs_numba
from support.solvers import at_hand

from pipeline import batch
from pipeline.batch import Batch, masks_of, solve_batch
from pipeline.certify.many import exhausted_many
from pipeline.limits import NEVER
from pipeline.parse import parsed_from
from pipeline.problem import PuzzleProblem
from pipeline.puzzle import NINE
from pipeline.settings import Settings
from pipeline.solvers.lanes.state import BEGUN, LANES, MOST_HALVES, ROW_WORDS, WORD, WORDS

ONE_STEP = 1
MOST = 9

pytestmark = needs_numba


@pytest.fixture(scope="module")
def solved():
    """Puzzles with all their solutions; more than there are lanes, so that some have to wait."""
    made = (each for each in Maker(seed=3).puzzles() if each.puzzle.geometry == NINE)
    return list(islice(made, 100)) * 7


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


seeds = pytest.mark.parametrize("seed", [1, 2, 3])
places = pytest.mark.parametrize(
    "where", ["grids", "counts", "idle", "candidates", "planes", "puzzle", "numbers"]
)


def results_of(solved, solver="lanes"):
    problems = [PuzzleProblem(parsed_from(each.puzzle)) for each in solved]
    some = Batch(NINE, masks_of([each.puzzle for each in solved]), problems.__getitem__)
    settings = Settings(solver=solver, max_solutions=MOST)
    answers = solve_batch(some, at_hand("pysat"), settings, explain=False)
    return [answers.result(place) for place in range(len(solved))]


def check(solved, results):
    """All is as if no bit had flipped, and nothing stands on anybody's word."""
    for each, result in zip(solved, results, strict=True):
        assert tuple(grid.values for grid in result.solutions) == each.solutions
        assert result.complete
        assert result.told_certificate in ("exhaustion", "drat")


@seeds
@places
def test_a_search_whose_bits_flip_publishes_nothing_wrong(
    where, seed, solved, compiled, monkeypatch
):
    step = Flipping(compiled._step, where, seed)
    monkeypatch.setattr("pipeline.solvers.lanes.loaded.get", lambda *, at_once: step)
    results = results_of(solved)
    assert step.flips
    check(solved, results)


@seeds
@places
def test_those_flips_change_what_the_search_says(where, seed, solved, compiled):
    """Otherwise they would show nothing."""
    from pipeline.solvers.lanes.loading import CompiledSearch

    masks = masks_of([each.puzzle for each in solved])
    right = compiled(masks, MOST + 1, NEVER)
    told = CompiledSearch(Flipping(compiled._step, where, seed))(masks, MOST + 1, NEVER)
    differ = (told.counts != right.counts) | (told.grids != right.grids).any(axis=(0, 2))
    assert differ.any()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_check_whose_bits_flip_rejects_nothing_that_is_right(seed, solved, monkeypatch):
    """What it takes for wrong, or for incomplete, is looked at once more, by other means."""
    generator = np.random.default_rng(seed)

    def flipped(*arguments):
        verdicts, nodes = exhausted_many(*arguments)
        some = generator.random(len(verdicts)) < 0.3
        return np.where(some, verdicts ^ generator.integers(1, 4, len(verdicts)), verdicts), nodes

    monkeypatch.setattr(batch, "exhausted_many", flipped)
    check(solved, results_of(solved))
