"""Singles: every form takes what their definition says, and finds the same contradictions."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.linking import Asked
from support.needs import needs_numba
from support.reasoning import masks_of, state_of
from support.reasoning import singles as defined
from support.solving import HARD, NINE, NINE_SOLVED, STUCK

from pipeline.catalogue import singles
from pipeline.catalogue.singles import close_compiled, close_singles, try_singles
from pipeline.puzzle.puzzle import Geometry

NINES = Geometry(3, 3)


@pytest.fixture(params=["numpy", pytest.param("compiled", marks=needs_numba)])
def form(request, monkeypatch):
    step = request.getfixturevalue("singling") if request.param == "compiled" else None
    monkeypatch.setattr(singles, "loaded", Asked(step))


def states(geometry, count):
    """Puzzles of nine with more and more wrong, and random masks of other sides."""
    generator, n = random.Random(5), geometry.side
    full, made = geometry.all_values, []
    for number in range(count):
        if geometry == NINES and number % 4:
            text = (NINE, HARD, STUCK, NINE_SOLVED)[number // 4 % 4]
            masks = [1 << int(c) - 1 if c.isdigit() else full for c in text]
        else:
            masks = [full] * n**2
        for _ in range(number % (2 * n)):
            masks[generator.randrange(n * n)] &= generator.randrange(full + 1)
        made.append(masks)
    return np.array(made, np.uint16).T.copy()


@pytest.mark.parametrize(
    ("geometry", "count"),
    [(NINES, 70), (Geometry(2, 3), 60), (Geometry(3, 2), 60), (Geometry(2, 2), 90)],
)
@pytest.mark.usefixtures("form")
def test_singles_are_what_their_definition_says(geometry, count):
    given = states(geometry, count)
    cells = len(given)
    expected = [masks_of(defined(geometry, state_of(s)), cells) for s in given.T.tolist()]
    close_singles(geometry, given)
    assert given.T.tolist() == expected
    assert 0 < sum(not any(state) for state in expected) < count


@pytest.mark.usefixtures("form")
def test_what_follows_does_not_depend_on_the_others():
    given = states(NINES, 100)
    alone = given.copy()
    close_singles(NINES, given)
    for place in range(0, 100, 9):
        one = alone[:, place : place + 1].copy()
        close_singles(NINES, one)
        assert (one[:, 0] == given[:, place]).all()


@pytest.mark.usefixtures("form")
def test_no_states_stay_none():
    close_singles(NINES, np.zeros((81, 0), np.uint16))


@needs_numba
def test_code_that_takes_no_singles_fails_its_trial(singling):
    try_singles(singling)
    with pytest.raises(RuntimeError, match="does not take singles"):
        try_singles(lambda *_: True)


def test_a_side_above_sixteen_and_other_arrays_are_refused():
    for geometry, shape, kind in (
        (Geometry(5, 5), (625, 1), np.uint16),
        (NINES, (81, 1), np.int64),
        (NINES, (16, 1), np.uint16),
    ):
        with pytest.raises(ValueError, match="states of shape"):
            close_singles(geometry, np.zeros(shape, kind))


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((81, 2), np.int64), np.zeros((80, 2), np.uint16), np.zeros((2, 81), np.uint16).T],
)
def test_compiled_code_is_not_given_another_array(wrong):
    with pytest.raises(ValueError, match="shape"):
        close_compiled(lambda *_: True, wrong)
