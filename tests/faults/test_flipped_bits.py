"""Bits that flip in the compiled search while it works, or in what checks it: no harm is done."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from false_claims import Maker
from support.bit_flips import PLACES, Flipping
from support.cases import default_cases
from support.needs import needs_numba
from support.solvers import at_hand

from pipeline.certify.many import search_all_of_batch
from pipeline.limits import NEVER
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading.formats import parsed_from
from pipeline.settings import Settings
from pipeline.solving import many as batch
from pipeline.solving.compiled import BatchSolver
from pipeline.solving.many import Batch, masks_of, solve_batch
from pipeline.solving.problem import PuzzleProblem

MOST = 9

pytestmark = needs_numba


@pytest.fixture(scope="module")
def solved():
    """Puzzles with all their solutions; more than there are lanes, so that some have to wait."""
    made = (each for each in Maker(seed=3).puzzles() if each.puzzle.geometry == NINE_BY_NINE)
    return list(islice(made, 40)) * 18


seeds = pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.trial)])


def results_of(solved, prove):
    problems = [PuzzleProblem(parsed_from(each.puzzle)) for each in solved]
    some = Batch(NINE_BY_NINE, masks_of([each.puzzle for each in solved]), problems.__getitem__)
    settings = Settings(solver="batch", max_solutions=MOST, prove=prove)
    answers = solve_batch(some, at_hand("pysat"), settings, explain=False)
    return [answers.result(place) for place in range(len(solved))]


def check(solved, results):
    """All is as if no bit had flipped, and nothing stands on anybody's word."""
    for each, result in zip(solved, results, strict=True):
        assert tuple(grid.values for grid in result.solutions) == each.solutions
        assert result.complete
        assert result.certificate_label in ("exhaustive-search", "lrat")


@seeds
@pytest.mark.parametrize("where", default_cases(PLACES, "grids", "counts"))
def test_a_search_whose_bits_flip_publishes_nothing_wrong(where, seed, solved, lanes, monkeypatch):
    """Also where all that has no solution is refuted, which takes most of the time."""
    step = Flipping(lanes._run_search, where, seed)
    monkeypatch.setattr("pipeline.solving.compiled.loader.get", lambda *_, **__: step)
    results = results_of(solved, "unsolvable" if seed == 1 else "never")
    assert step.flips
    check(solved, results)


@seeds
@pytest.mark.parametrize("where", PLACES)
def test_those_flips_change_what_the_search_says(where, seed, solved, lanes):
    """Otherwise they would show nothing."""
    masks = masks_of([each.puzzle for each in solved])
    right = lanes(masks, MOST + 1, NEVER)
    told = BatchSolver(Flipping(lanes._run_search, where, seed))(masks, MOST + 1, NEVER)
    differ = (told.counts != right.counts) | (told.grids != right.grids).any(axis=(0, 2))
    assert differ.any()


@pytest.mark.parametrize(("seed", "prove"), [(1, "unsolvable"), (2, "never")])
def test_a_check_whose_bits_flip_rejects_nothing_that_is_right(seed, prove, solved, monkeypatch):
    """If it rejects something, that is checked once more by other means."""
    generator = np.random.default_rng(seed)

    def flipped(*arguments):
        verdicts, nodes = search_all_of_batch(*arguments)
        some = generator.random(len(verdicts)) < 0.3
        return np.where(some, verdicts ^ generator.integers(1, 4, len(verdicts)), verdicts), nodes

    monkeypatch.setattr(batch, "search_all_of_batch", flipped)
    check(solved, results_of(solved, prove))
