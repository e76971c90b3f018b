"""The batch solver agrees with brute force, and with itself on single puzzles."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.machine_code import Asked
from support.needs import needs_numba
from support.oracle import is_solution, solutions
from support.puzzles import pattern

from pipeline.limits import NEVER, Deadline, Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.compiled import (
    SECONDS_PER_PUZZLE,
    BatchSolutions,
    BatchSolver,
    check_batch_search,
    kernel,
    machine_code,
    solve_masks,
)

pytestmark = needs_numba
NINE = Geometry(3, 3)
EMPTY = np.full(81, NINE.all_values, np.uint64)
SOLVED = 1 << (np.array(pattern(NINE).values, np.uint64) - np.uint64(1))


def made(count: int, seed: int = 7):
    """(P, 81) masks: givens and marks around a grid, some of them clashing, some nothing but marks.

    They have no, one, some and thousands of solutions.
    """
    generator = np.random.default_rng(seed)
    noise = generator.integers(0, 512, (count, 81), dtype=np.uint64)
    masks = np.where(generator.random((count, 81)) < 0.5, SOLVED | noise, SOLVED)
    share = generator.random((count, 1))
    masks = np.where(generator.random((count, 81)) < share, NINE.all_values, masks)
    masks[::5] = np.where(generator.random(masks[::5].shape) < 0.02, noise[::5], masks[::5])
    return masks.astype(np.uint64)


def rows_of(found: BatchSolutions, index: int) -> list[tuple[int, ...]]:
    return list(map(tuple, found.grids[: found.counts[index], index].tolist()))


def test_it_finds_what_brute_force_finds(lanes):
    masks = made(60)
    found = lanes(masks, 5, NEVER)
    assert found.decided.all()
    assert {0, 1, 5} <= set(found.counts.tolist())
    for index, cells in enumerate(masks.tolist()):
        puzzle = Puzzle(NINE, tuple(cells))
        grids = [Grid(NINE, values) for values in rows_of(found, index)]
        assert len(grids) == len(solutions(puzzle, 5))
        assert grids == sorted(set(grids))
        assert all(is_solution(puzzle, grid) for grid in grids)
        assert not found.grids[len(grids) :, index].any()


@pytest.mark.parametrize("most", [1, 3])
def test_what_is_found_depends_neither_on_the_order_nor_on_the_company(lanes, most):
    masks = made(300)
    together = lanes(masks, most, NEVER)
    order = random.Random(3).sample(range(300), 300)
    mixed = lanes(masks[order], most, NEVER)
    assert (mixed.counts == together.counts[order]).all()
    assert (mixed.grids == together.grids[:, order]).all()
    for start, stop in ((0, 1), (1, 8), (8, 300)):
        part = lanes(masks[start:stop], most, NEVER)
        assert (part.counts == together.counts[start:stop]).all()
        assert (part.grids == together.grids[:, start:stop]).all()


@pytest.mark.trial  # whatever is searched, plain Python works on all lanes
def test_plain_python_finds_the_same(lanes):
    masks = made(4, seed=2)
    masks[:, ::2] = SOLVED[::2]
    masks[1] = np.where(SOLVED < 8, 7, SOLVED)
    ours, theirs = lanes(masks, 3, NEVER), BatchSolver(kernel.search)(masks, 3, NEVER)
    assert {0, 1, 3} <= {*ours.counts.tolist()}
    assert (ours.counts == theirs.counts).all()
    assert (ours.grids == theirs.grids).all()


def test_no_puzzles_and_puzzles_that_allow_nothing(lanes):
    assert lanes(made(0), 2, NEVER).grids.shape == (2, 0, 81)
    masks = np.stack([EMPTY, np.zeros_like(EMPTY), EMPTY, EMPTY])
    masks[2, 40] = 0
    masks[3, :2] = 1
    found = lanes(masks, 2, NEVER)
    assert found.counts.tolist() == [2, 0, 0, 0]
    assert found.decided.all()


def test_only_the_bits_of_the_nine_values_count(lanes):
    masks = made(20)
    wide = masks | np.uint64(0xFE00)
    assert (lanes(wide, 2, NEVER).grids == lanes(masks, 2, NEVER).grids).all()


def test_without_time_nothing_is_decided_and_nothing_is_claimed(lanes):
    found = lanes(made(5), 2, Deadline.of(Limits(0.0)))
    assert not found.decided.any()
    assert not found.counts.any()
    assert not found.grids.any()


def test_when_the_time_is_up_what_was_found_is_right(lanes):
    """Two puzzles have far more solutions than can be found in time."""
    wanted = 1_000_000
    masks = np.stack([EMPTY, SOLVED, EMPTY])
    found = lanes(masks, wanted, Deadline.of(Limits(0.05)))
    assert found.decided.tolist() == [False, True, False]
    assert found.counts[1] == 1
    for index in (0, 2):
        assert found.counts[index] < wanted
        grids = [Grid(NINE, values) for values in rows_of(found, index)[:20]]
        assert all(is_solution(Puzzle.empty(NINE), grid) for grid in grids)


@pytest.mark.parametrize(("shape", "most"), [((1, 80), 2), ((81,), 2), ((1, 81), 0)])
def test_wrong_shapes_are_refused(shape, most):
    with pytest.raises(ValueError, match="expected masks of shape"):
        solve_masks(np.ones(shape, np.uint64), most, 1.0)


def test_machine_code_is_loaded_for_the_work_that_there_is(lanes, monkeypatch):
    asked = Asked(lanes._run_search)
    monkeypatch.setattr("pipeline.solving.compiled.loader", asked)
    monkeypatch.setattr(kernel, "search", None)
    assert solve_masks(SOLVED[None], 2, 100.0).counts.tolist() == [1]
    assert machine_code(1000)
    assert asked.seconds == [SECONDS_PER_PUZZLE, 1000 * SECONDS_PER_PUZZLE]


def test_code_that_finds_nothing_fails_its_trial():
    with pytest.raises(RuntimeError, match="does not find two solutions"):
        check_batch_search(lambda *_: True)
