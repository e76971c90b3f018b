"""Effort: numbers that their definitions give, and that no symmetry changes."""

from __future__ import annotations

import numpy as np
import pytest
from support.linking import Asked
from support.needs import needs_numba
from support.reasoning import backdoor_of, depth_of
from support.solving import HARD, NINE, PATIENCE, pattern

from pipeline.catalogue import effort, singles
from pipeline.catalogue.asking import solutions_of
from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.effort import BEYOND, backdoors_of, count_splits, depths_of, splits_of
from pipeline.catalogue.minimal import redundant_givens
from pipeline.catalogue.symmetries import random_symmetries
from pipeline.catalogue.values import masks_of_values
from pipeline.parse import parse_puzzle
from pipeline.puzzle import NINE as NINES
from pipeline.puzzle import Geometry

ONE = ".............8.1.37.9....5....5......6...1234..1..4.6....6....2.7...23.5....4..78"
TWO = "..3.......56...1.37...2.......56...1..7.....489.2..........8......9...45....4.67."
"""Singles decide them once one cell is given, or two."""


@pytest.fixture
def compiled(singling, monkeypatch):
    monkeypatch.setattr(singles, "loaded", Asked(singling))


def masks_of(*texts):
    return np.array([parse_puzzle(text).cells for text in texts], np.uint16)


def minimal_puzzles(geometry, count):
    """Puzzles with one solution: of a grid, givens are left out in some order while they can be."""
    masks = np.array([[1 << v - 1 for v in pattern(geometry).values]] * count, np.uint16)
    words = np.random.PCG64(8).random_raw(masks.shape)
    while True:
        found = redundant_givens(geometry, masks).cells
        able = found.any(axis=1)
        if not able.any():
            return masks
        chosen = np.where(found, words, np.uint64(0)).argmax(axis=1)
        masks[able, chosen[able]] = geometry.all_values


@pytest.mark.parametrize(("geometry", "count"), [(Geometry(2, 2), 12), (Geometry(2, 3), 8)])
def test_depths_and_backdoors_are_what_their_definitions_say(geometry, count):
    masks = minimal_puzzles(geometry, count)
    grids = solutions_of(geometry, masks, 2).grids[0]
    expected = [depth_of(geometry, each) for each in masks.tolist()]
    assert depths_of(masks).tolist() == expected
    both = zip(masks.tolist(), grids.tolist(), strict=True)
    expected = [backdoor_of(geometry, each, grid) for each, grid in both]
    assert backdoors_of(masks, grids).tolist() == expected


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_puzzles_of_nine_have_the_depths_and_backdoors_that_are_known_of_them():
    masks = masks_of(NINE, ONE, TWO, HARD)
    grids = solutions_of(NINES, masks, 2).grids[0]
    assert depths_of(masks).tolist() == [0, 1, 1, 2]
    assert depths_of(masks, most=1).tolist() == [0, 1, 1, BEYOND]
    assert backdoors_of(masks, grids).tolist() == [0, 1, 2, 2]
    assert backdoors_of(masks, grids, most=1).tolist() == [0, 1, BEYOND, BEYOND]


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_no_symmetry_changes_a_number():
    """Of 1000 symmetries; those of puzzles that two cells decide are few, as they take long."""
    for text, count in ((NINE, 500), (ONE, 480), (TWO, 20)):
        puzzle = [int(sign) if sign.isdigit() else 0 for sign in text]
        images = random_symmetries(3, count, seed=11).of(np.array([puzzle], np.uint8))
        masks = masks_of_values(NINES, images)
        known = solutions_of(NINES, masks, 2, PATIENCE)
        forms = canonical_forms(images, known.unique, known.grids[0])
        assert (forms == forms[0]).all()  # on which alone splits depend
        assert len(set(depths_of(masks).tolist())) == 1
        assert len(set(backdoors_of(masks, known.grids[0]).tolist())) == 1


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_splits_are_more_the_harder_a_puzzle_is():
    masks = masks_of(NINE, ONE, HARD)
    puzzles = np.where(masks == 511, 0, np.log2(masks).astype(np.uint8) + 1).astype(np.uint8)
    forms = canonical_forms(puzzles, np.ones(3, np.bool_), solutions_of(NINES, masks, 2).grids[0])
    splits = splits_of(forms)
    assert splits.mean[0] == splits.spread[0] == 0
    assert splits.mean[0] < splits.mean[1] < splits.mean[2]
    assert (splits.spread[1:] > 0).all()


def test_a_puzzle_that_singles_decide_has_no_splits_and_a_blank_grid_of_four_has_some():
    """Four by four has 288 grids, and a split in each node of the tree above them."""
    assert count_splits(masks_of(NINE)).tolist() == [0]
    (splits,) = count_splits(Geometry(2, 2), np.full((1, 16), 15, np.uint16)).tolist()
    assert 288 / 4 < splits < 288


def test_states_that_do_not_fit_at_once_are_looked_at_in_turn(monkeypatch):
    masks = minimal_puzzles(Geometry(2, 3), 3)
    expected = count_splits(masks).tolist()
    depths = depths_of(masks).tolist()
    monkeypatch.setattr(effort, "AT_ONCE", 2)
    assert count_splits(masks).tolist() == expected
    assert depths_of(masks).tolist() == depths
