"""Effort: measures agree with their definitions and are invariant under symmetries."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from support.machine_code import Asked
from support.needs import needs_numba
from support.oracle import peers
from support.puzzles import HARD, NINE, NINE_SOLVED, PATIENCE, STUCK

from pipeline.catalogue import effort, singles
from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.effort import backdoors_of, count_splits, depths_of, splits_of
from pipeline.catalogue.puzzle_arrays import masks_of_values, random_symmetries
from pipeline.catalogue.singles import propagate_singles, try_singles
from pipeline.catalogue.solutions import certified_solutions
from pipeline.puzzle.geometry import NINE_BY_NINE as NINES
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle

ONE = ".............8.1.37.9....5....5......6...1234..1..4.6....6....2.7...23.5....4..78"
TWO = "..3.......56...1.37...2.......56...1..7.....489.2..........8......9...45....4.67."
"""Puzzles that singles solve once one or two further cells are given."""


# Singles, and trial and error over them, from their definitions: one candidate at a time.

State = frozenset[tuple[int, int]] | None
"""Candidates (cell, value); None is a contradiction."""


@lru_cache
def units(geometry: Geometry) -> list[list[int]]:
    n, height, width = geometry.side, geometry.height, geometry.width
    rows = [[n * row + column for column in range(n)] for row in range(n)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    boxes = [
        [n * (top + row) + left + column for row in range(height) for column in range(width)]
        for top in range(0, n, height)
        for left in range(0, n, width)
    ]
    return rows + columns + boxes


def state_of(masks) -> State:
    return frozenset((c, v) for c, mask in enumerate(masks) for v in range(16) if mask >> v & 1)


def masks_of(state: State, cells: int) -> list[int]:
    """0 in all cells of a contradiction."""
    found = [0] * cells
    for cell, value in state or ():
        found[cell] |= 1 << value
    return found


def defined(geometry: Geometry, state: State) -> State:
    while state is not None:
        eliminated = _eliminated(geometry, state)
        if eliminated is None or not eliminated:
            return state if eliminated is not None else None
        state = state - eliminated
    return None


def _eliminated(geometry: Geometry, state) -> set[tuple[int, int]] | None:
    """The candidates that singles strike; None for a contradiction."""
    n, eliminated = geometry.side, set()
    by_cell = {cell: [v for v in range(n) if (cell, v) in state] for cell in range(n * n)}
    for cell, values in by_cell.items():
        if not values:
            return None
        if len(values) == 1:
            eliminated |= {(peer, values[0]) for peer in peers(geometry)[cell]}
    for unit in units(geometry):
        for value in range(n):
            places = [cell for cell in unit if (cell, value) in state]
            if not places:
                return None
            if len(places) == 1:
                eliminated |= {(places[0], v) for v in range(n) if v != value}
    return eliminated & state


def tried(geometry: Geometry, state: State, depth: int) -> State:
    """What trial and error of that depth leaves."""
    state = defined(geometry, state)
    if depth == 0 or state is None:
        return state
    going = True
    while going and state is not None:
        going = False
        for cell, value in sorted(state):
            if state is None or sum(c == cell for c, _ in state) == 1:
                continue
            trial = frozenset((c, v) for c, v in state if c != cell or v == value)
            if tried(geometry, trial, depth - 1) is None:
                state = defined(geometry, state - {(cell, value)})
                going = True
    return state


def is_decided(geometry: Geometry, state: State) -> bool:
    return state is not None and len(state) == geometry.side**2


def depth_of(geometry: Geometry, masks, most: int = 2) -> int:
    state = state_of(masks)
    return next(d for d in range(most + 1) if is_decided(geometry, tried(geometry, state, d)))


def backdoor_of(geometry: Geometry, masks, solution, most: int = 3) -> int:
    cells = range(len(masks))
    for size in range(most + 1):
        for chosen in combinations(cells, size):
            given = [1 << solution[c] - 1 if c in chosen else masks[c] for c in cells]
            if is_decided(geometry, defined(geometry, state_of(given))):
                return size
    return -1


@pytest.fixture
def compiled(singling, monkeypatch):
    monkeypatch.setattr(singles, "loader", Asked(singling))


def puzzle_masks(*texts):
    return np.array([parse_puzzle(text).cells for text in texts], np.uint16)


def test_depths_and_backdoors_agree_with_brute_force():
    """A puzzle that singles solve, and the same puzzle with fewer givens."""
    masks = puzzle_masks(NINE, ONE)
    grids = certified_solutions(NINES, masks, 2).grids[0]
    expected = [depth_of(NINES, each) for each in masks.tolist()]
    assert depths_of(masks).tolist() == expected
    both = zip(masks.tolist(), grids.tolist(), strict=True)
    assert backdoors_of(masks, grids).tolist() == [backdoor_of(NINES, *each) for each in both]


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_9x9_puzzles_have_their_known_depths_and_backdoors():
    masks = puzzle_masks(NINE, ONE, TWO, HARD)
    grids = certified_solutions(NINES, masks, 2).grids[0]
    assert depths_of(masks).tolist() == [0, 1, 1, 2]
    assert depths_of(masks, max_depth=1).tolist() == [0, 1, 1, 2]
    assert backdoors_of(masks, grids).tolist() == [0, 1, 2, 2]
    assert backdoors_of(masks, grids, max_cells=1).tolist() == [0, 1, 2, 2]


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_effort_is_invariant_under_symmetries():
    """1000 symmetries; fewer for puzzles with a backdoor of two cells, which take long."""
    for text, count in ((NINE, 500), (ONE, 480), (TWO, 20)):
        puzzle = [int(sign) if sign.isdigit() else 0 for sign in text]
        images = random_symmetries(3, count, seed=11).images(np.array([puzzle], np.uint8))
        masks = masks_of_values(NINES, images)
        known = certified_solutions(NINES, masks, 2, PATIENCE)
        forms = canonical_forms(images, known.unique, known.grids[0])
        assert (forms == forms[0]).all()  # splits depend on the form only
        assert len(set(depths_of(masks).tolist())) == 1
        assert len(set(backdoors_of(masks, known.grids[0]).tolist())) == 1


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_harder_puzzles_have_more_splits():
    masks = puzzle_masks(NINE, ONE, HARD)
    puzzles = np.where(masks == 511, 0, np.log2(masks).astype(np.uint8) + 1).astype(np.uint8)
    forms = canonical_forms(
        puzzles, np.ones(3, np.bool_), certified_solutions(NINES, masks, 2).grids[0]
    )
    splits = splits_of(forms)
    assert splits.mean[0] == splits.spread[0] == 0
    assert splits.mean[0] < splits.mean[1] < splits.mean[2]
    assert (splits.spread[1:] > 0).all()


def test_only_puzzles_that_singles_solve_have_no_splits():
    assert count_splits(puzzle_masks(NINE)).tolist() == [0]
    (splits,) = count_splits(puzzle_masks(ONE)).tolist()
    assert splits > 0


@pytest.mark.usefixtures("compiled")
def test_the_batch_size_does_not_change_the_result(monkeypatch):
    masks = puzzle_masks(NINE, ONE, TWO)
    expected, depths = count_splits(masks).tolist(), depths_of(masks).tolist()
    monkeypatch.setattr(effort, "BATCH_STATES", 2)
    assert count_splits(masks).tolist() == expected
    assert depths_of(masks).tolist() == depths


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def form(request, monkeypatch):
    step = request.getfixturevalue("singling") if request.param == "compiled" else None
    monkeypatch.setattr(singles, "loader", Asked(step))


def states(count):
    """Puzzles with more and more errors, and random masks."""
    generator, made = random.Random(5), []
    for number in range(count):
        text = (NINE, HARD, STUCK, NINE_SOLVED)[number // 4 % 4] if number % 4 else "." * 81
        masks = [1 << int(c) - 1 if c.isdigit() else NINES.all_values for c in text]
        for _ in range(number % 18):
            masks[generator.randrange(81)] &= generator.randrange(512)
        made.append(masks)
    return np.array(made, np.uint16).T.copy()


@pytest.mark.usefixtures("form")
def test_closure_under_singles_agrees_with_its_definition():
    given = states(70)
    expected = [masks_of(defined(NINES, state_of(s)), 81) for s in given.T.tolist()]
    propagate_singles(given)
    assert given.T.tolist() == expected
    assert 0 < sum(not any(state) for state in expected) < 70


@pytest.mark.usefixtures("form")
def test_states_of_a_batch_are_independent():
    given = states(100)
    alone = given.copy()
    propagate_singles(given)
    for place in range(0, 100, 9):
        one = alone[:, place : place + 1].copy()
        propagate_singles(one)
        assert (one[:, 0] == given[:, place]).all()


@pytest.mark.usefixtures("form")
def test_an_empty_batch_of_states_stays_empty():
    propagate_singles(np.zeros((81, 0), np.uint16))


@needs_numba
def test_compiled_code_that_misses_singles_fails_its_self_test(singling):
    try_singles(singling)
    with pytest.raises(RuntimeError, match="wrong singles"):
        try_singles(lambda *_: True)


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((81, 2), np.int64), np.zeros((80, 2), np.uint16), np.zeros((2, 81), np.uint16).T],
)
def test_other_arrays_are_refused(wrong):
    with pytest.raises(ValueError, match="shape"):
        propagate_singles(wrong)
