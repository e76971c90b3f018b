"""The limits of a puzzle hold for the clauses of its rules, however it is encoded."""

from __future__ import annotations

import pytest

from pipeline.errors import LimitReached
from pipeline.limits import Limits
from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.solving.encode import ENCODINGS

ROWS = tuple(Cage(tuple(range(start, start + 12)), 150) for start in range(0, 625, 25))
LARGE = Puzzle.empty(Geometry(5, 5), ROWS)


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_rules_that_need_more_memory_than_there_may_be_are_not_encoded(encode):
    with pytest.raises(LimitReached, match="the memory limit of 64 MB was reached"):
        encode(LARGE, "dense", Limits(megabytes=64))


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "reduced"])
def test_rules_that_take_longer_than_they_may_are_not_encoded(name):
    with pytest.raises(LimitReached, match="the time limit of 0 s was reached"):
        ENCODINGS[name](LARGE, "dense", Limits(0.0))
