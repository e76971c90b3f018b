"""Solvers that give wrong answers about many puzzles at once: nothing wrong comes of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bad_solvers import ALL, NINES, Liar, at_random, check_found_out, cut_short, honest
from support.machine_code import replace_lanes
from support.puzzles import EVEN_ODD_SIX, NINE, NINE_TWO
from support.solvers import at_hand, chain_of
from support.strategies import examples

from pipeline import Settings, parse_puzzle
from pipeline.certify.many import Verdict
from pipeline.reading.formats import parsed_from
from pipeline.solving.compiled import BatchSolutions
from pipeline.solving.many import Batch, masks_of, solve_batch
from pipeline.solving.one import MIN_BATCH as FEWEST
from pipeline.solving.problem import PuzzleProblem

pytestmark = pytest.mark.usefixtures("unhurried")

LaneLie = Callable[[BatchSolutions, np.random.Generator], None]
"""Makes a lie of what lanes have found, in place."""


def drop_one(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Leave out the last solution of some."""
    some = (found.counts > 0) & (generator.random(len(found.counts)) < 0.5)
    found.counts[some] -= 1


def drop_first(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Leave out the first of several solutions."""
    for place in np.flatnonzero(found.counts > 1):
        found.grids[:-1, place] = found.grids[1:, place]
        found.counts[place] -= 1


def keep_one(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Leave out all but the first solution."""
    np.minimum(found.counts, 1, out=found.counts)


def drop_all(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Say that there is no solution at all."""
    found.counts[:] = 0


def change_cells(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Change a cell of each grid."""
    cells = generator.integers(0, found.grids.shape[2], found.grids.shape[:2])
    for (rank, place), cell in np.ndenumerate(cells):
        found.grids[rank, place, cell] = generator.integers(0, 256)


def swap_puzzles(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Give each puzzle what was found for the next one."""
    found.counts[:] = np.roll(found.counts, 1)
    found.grids[:] = np.roll(found.grids, 1, axis=1)


def repeat(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Give the first solution once more."""
    some = (found.counts > 0) & (found.counts < len(found.grids))
    for place in np.flatnonzero(some):
        found.grids[found.counts[place], place] = found.grids[0, place]
        found.counts[place] += 1


def invent(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Say that there is one more solution, with a grid of nothing."""
    found.counts[found.counts < len(found.grids)] += 1


def give_up(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Say of some that there was no time, and of others that there was."""
    found.counts[::3] = 0
    found.decided[::2] = False


LANE_LIES = (
    drop_one, drop_first, drop_all, change_cells, swap_puzzles, repeat, invent, give_up
)  # fmt: skip


def lying_lanes(monkeypatch, lie: LaneLie, seed: int = 0) -> None:
    """Have lanes lie."""
    generator = np.random.default_rng(seed)
    replace_lanes(monkeypatch, lambda found: lie(found, generator))


def undecided(geometry, masks, *_rest):
    """A replacement of `search_all_of_batch` that never has time."""
    return np.full(len(masks), Verdict.UNDECIDED, np.uint8), np.zeros(len(masks), np.int64)


def batch(puzzles, solvers, **options):
    """What a batch of these puzzles comes to, as in a small collection."""
    problems = [PuzzleProblem(parsed_from(puzzle)) for puzzle in puzzles]
    settings = Settings(**{"max_solutions": 9} | options)
    results = {}
    for geometry in {puzzle.geometry for puzzle in puzzles}:
        places = [at for at, puzzle in enumerate(puzzles) if puzzle.geometry == geometry]
        own = [problems[at] for at in places]
        some = Batch(geometry, masks_of([puzzles[at] for at in places]), own.__getitem__)
        answers = solve_batch(some, solvers, settings, explain=False)
        results |= {at: answers.result(index) for index, at in enumerate(places)}
    return [results[at] for at in range(len(puzzles))]


@examples(25)
@given(seed=st.integers(0, 10**6), limit=st.integers(1, 9))
def test_lies_at_random_about_many_puzzles_do_no_harm(seed, limit):
    with chain_of(Liar(honest(), at_random(seed)), honest()) as solvers:
        results = batch(ALL * 2, solvers, max_solutions=limit)
    for puzzle, result in zip(ALL * 2, results, strict=True):
        check_found_out(puzzle, result, limit)


@pytest.mark.parametrize("solver", ["auto", "batch"])
@pytest.mark.parametrize("lie", LANE_LIES, ids=lambda lie: lie.__name__)
def test_lanes_that_lie_do_no_harm(lie, solver, monkeypatch):
    puzzles = NINES * (FEWEST // 4)
    lying_lanes(monkeypatch, lie)
    results = batch(puzzles, at_hand("pysat"), solver=solver)
    for puzzle, result in zip(puzzles, results, strict=True):
        check_found_out(puzzle, result)


@pytest.mark.parametrize("lie", [drop_all, drop_one])
def test_lanes_that_are_trusted_are_believed_and_every_claim_of_them_says_so(lie, monkeypatch):
    lying_lanes(monkeypatch, lie)
    puzzles = [parse_puzzle(NINE_TWO)] * FEWEST
    results = batch(puzzles, at_hand("pysat"), solver="batch", trust_solver=True)
    claimed = [result for result in results if result.complete]
    assert {result.certificate_label for result in claimed} == {"unverified"}
    assert lie is drop_one or claimed
    if lie is drop_one:
        assert {result.status for result in claimed} == {"unique", "multiple"}


def test_a_wrong_grid_that_the_check_had_no_time_for_is_found_out(monkeypatch):
    lying_lanes(monkeypatch, change_cells)
    monkeypatch.setattr("pipeline.solving.many.search_all_of_batch", undecided)
    for result in batch([parse_puzzle(NINE)] * FEWEST, at_hand("pysat"), solver="batch"):
        check_found_out(parse_puzzle(NINE), result)


def test_where_the_check_of_a_batch_is_cut_short_after_a_find_the_next_solver_is_asked(monkeypatch):
    monkeypatch.setattr("pipeline.solving.problem.find_missing", cut_short)
    lying_lanes(monkeypatch, keep_one)
    monkeypatch.setattr("pipeline.solving.many.search_all_of_batch", undecided)
    results = batch([parse_puzzle(EVEN_ODD_SIX)] * FEWEST, at_hand("pysat"), solver="batch")
    for result in results:
        check_found_out(parse_puzzle(EVEN_ODD_SIX), result)
