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
from pipeline.catalogue.singles import close_singles, try_singles
from pipeline.puzzle.puzzle import Geometry

NINES = Geometry(3, 3)


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def form(request, monkeypatch):
    step = request.getfixturevalue("singling") if request.param == "compiled" else None
    monkeypatch.setattr(singles, "loaded", Asked(step))


def states(count):
    """Puzzles with more and more wrong, and random masks."""
    generator, made = random.Random(5), []
    for number in range(count):
        text = (NINE, HARD, STUCK, NINE_SOLVED)[number // 4 % 4] if number % 4 else "." * 81
        masks = [1 << int(c) - 1 if c.isdigit() else NINES.all_values for c in text]
        for _ in range(number % 18):
            masks[generator.randrange(81)] &= generator.randrange(512)
        made.append(masks)
    return np.array(made, np.uint16).T.copy()


@pytest.mark.usefixtures("form")
def test_singles_are_what_their_definition_says():
    given = states(70)
    expected = [masks_of(defined(NINES, state_of(s)), 81) for s in given.T.tolist()]
    close_singles(given)
    assert given.T.tolist() == expected
    assert 0 < sum(not any(state) for state in expected) < 70


@pytest.mark.usefixtures("form")
def test_what_follows_does_not_depend_on_the_others():
    given = states(100)
    alone = given.copy()
    close_singles(given)
    for place in range(0, 100, 9):
        one = alone[:, place : place + 1].copy()
        close_singles(one)
        assert (one[:, 0] == given[:, place]).all()


@pytest.mark.usefixtures("form")
def test_no_states_stay_none():
    close_singles(np.zeros((81, 0), np.uint16))


@needs_numba
def test_code_that_takes_no_singles_fails_its_trial(singling):
    try_singles(singling)
    with pytest.raises(RuntimeError, match="does not take singles"):
        try_singles(lambda *_: True)


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((81, 2), np.int64), np.zeros((80, 2), np.uint16), np.zeros((2, 81), np.uint16).T],
)
def test_other_arrays_are_refused(wrong):
    with pytest.raises(ValueError, match="shape"):
        close_singles(wrong)
