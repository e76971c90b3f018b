"""When the compiled check is asked, that its code is tried, and what it does not run into."""

from __future__ import annotations

from ctypes import c_int64, c_uint8

import numpy as np
import pytest
from support.linking import Asked
from support.needs import needs_numba
from support.solving import PATIENCE, pattern

from pipeline.certify import compiled, many
from pipeline.certify.compiled.state import LANES, LEFT, ROWS
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.puzzle.puzzle import NINE, Geometry

SIX = Geometry(2, 3)


def judged(geometry, puzzles):
    """The verdicts on so many full grids."""
    values = np.array([pattern(geometry).values] * puzzles, np.uint8)
    masks, counts = 1 << (values.astype(np.uint64) - np.uint64(1)), np.ones(puzzles, np.int64)
    return exhausted_many(geometry, masks, counts, values[None], PATIENCE)[0]


@pytest.mark.parametrize(
    ("puzzles", "at_once"), [(compiled.MANY, True), (compiled.MANY - 1, False), (1, False)]
)
def test_the_compiled_check_is_worth_loading_at_once_for_many_puzzles(
    monkeypatch, puzzles, at_once
):
    asked = Asked()
    monkeypatch.setattr(many, "loaded", asked)
    assert (judged(NINE, puzzles) == Verdict.COMPLETE).all()
    assert (asked.at_once, asked.counted) == ([at_once], 1)


def test_other_sides_are_for_numpy_and_do_not_count(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(many, "loaded", asked)
    assert (judged(SIX, compiled.MANY) == Verdict.COMPLETE).all()
    assert (asked.at_once, asked.counted) == ([], 0)


@needs_numba
def test_where_it_is_there_the_slow_forms_do_not_search(checking, monkeypatch):
    asked = Asked(checking)
    monkeypatch.setattr(many, "loaded", asked)
    for slow in ("check_abreast", "check_one_by_one"):
        monkeypatch.setattr(many, slow, None)
    assert judged(NINE, 3).tolist() == [Verdict.COMPLETE] * 3
    assert asked.counted == 0


@needs_numba
@pytest.mark.parametrize("said", [Verdict.COMPLETE, Verdict.INCOMPLETE, Verdict.UNDECIDED])
def test_code_that_does_not_search_fails_its_trial(said, checking):
    """It says the same of every claim that has solutions."""

    def step(*arguments):
        ended = checking(*arguments)
        counts, verdicts, puzzles = arguments[9], arguments[11], arguments[13]
        for place, count in enumerate((c_int64 * puzzles).from_address(counts)):
            if count:
                (c_uint8 * puzzles).from_address(verdicts)[place] = said
        return ended

    compiled.try_check(checking)
    with pytest.raises(RuntimeError, match="does not check"):
        compiled.try_check(step)


@needs_numba
def test_a_lane_with_nowhere_to_branch_is_given_up():
    """As after a fault; nothing beyond its fields is looked at."""
    from pipeline.certify.compiled.search import NOWHERE, _choice

    fields = np.zeros((ROWS, LANES), np.uint16)
    fields[LEFT:] = 30
    assert _choice.py_func(fields, 0) == NOWHERE
