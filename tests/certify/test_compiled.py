"""When the compiled check is asked, that its code is tried, and what it does not run into."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from false_claims import Maker, arrays
from support.linking import Asked
from support.needs import needs_numba
from support.solving import PATIENCE, pattern

from pipeline.certify import compiled, many
from pipeline.certify.compiled import search
from pipeline.certify.compiled.search import LANES, NOWHERE, _choice
from pipeline.certify.compiled.sweep import LEFT, ROWS
from pipeline.certify.many import NODES, OTHERWISE, Verdict, exhausted_many
from pipeline.limits import NEVER
from pipeline.puzzle.puzzle import NINE, Geometry

SIX = Geometry(2, 3)


def judged(geometry, puzzles):
    """The verdicts on so many full grids."""
    values = np.array([pattern(geometry).values] * puzzles, np.uint8)
    masks, counts = 1 << (values.astype(np.uint64) - np.uint64(1)), np.ones(puzzles, np.int64)
    return exhausted_many(geometry, masks, counts, values[None], PATIENCE)[0]


def test_the_machine_code_is_loaded_for_the_work_that_there_is(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(many, "loaded", asked)
    assert (judged(NINE, 20) == Verdict.COMPLETE).all()
    assert asked.seconds == [20 * OTHERWISE]


def test_other_sides_are_checked_one_by_one_and_do_not_count(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(many, "loaded", asked)
    assert (judged(SIX, 20) == Verdict.COMPLETE).all()
    assert asked.seconds == []


@needs_numba
def test_where_it_is_there_the_slow_forms_do_not_search(checking, monkeypatch):
    asked = Asked(checking)
    monkeypatch.setattr(many, "loaded", asked)
    monkeypatch.setattr(many, "check_one_by_one", None)
    assert judged(NINE, 3).tolist() == [Verdict.COMPLETE] * 3


@needs_numba
@pytest.mark.parametrize("said", [Verdict.COMPLETE, Verdict.INCOMPLETE, Verdict.UNDECIDED])
def test_code_that_does_not_search_fails_its_trial(said, checking):
    """It says the same of every claim that has solutions."""

    def step(lanes, masks, counts, grids, verdicts, *rest):
        ended = checking(lanes, masks, counts, grids, verdicts, *rest)
        verdicts[counts > 0] = said
        return ended

    compiled.try_check(checking)
    with pytest.raises(RuntimeError, match="does not check"):
        compiled.try_check(step)


def test_a_lane_with_nowhere_to_branch_is_given_up():
    """As after a fault; nothing beyond its fields is looked at."""
    fields = np.zeros((ROWS, LANES), np.uint16)
    fields[LEFT:] = 30
    assert _choice(fields, 0) == NOWHERE


@needs_numba
def test_plain_python_judges_the_same(checking):
    claims = list(islice((each for each in Maker(seed=2).claims() if is_nine(each)), 40))
    masks, counts, grids = arrays(claims)
    ours = compiled.check(checking, masks, counts, grids, NODES, NEVER)
    theirs = compiled.check(search.search, masks, counts, grids, NODES, NEVER)
    assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]


def is_nine(claim):
    return claim.puzzle.geometry == NINE
