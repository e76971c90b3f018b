"""When lanes ask the compiled search, and that its code is what is tried and linked."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from support.linking import Asked
from support.needs import needs_numba
from support.solving import pattern

from pipeline.puzzle.puzzle import Geometry
from pipeline.solving import compiled as lanes
from pipeline.solving.compiled import loading, solve_lanes

NINE, SIX = Geometry(3, 3), Geometry(2, 3)
AGES = 1000.0


def solved(geometry, puzzles):
    """The counts for so many puzzles with one solution."""
    values = np.array([pattern(geometry).values] * puzzles, np.uint64)
    return solve_lanes(geometry, 1 << (values - np.uint64(1)), 2, AGES).counts


@pytest.mark.parametrize(("puzzles", "at_once"), [(loading.MANY, True), (loading.MANY - 1, False)])
def test_the_compiled_search_is_worth_loading_at_once_for_many_puzzles(
    monkeypatch, puzzles, at_once
):
    asked = Asked()
    monkeypatch.setattr(lanes, "loaded", asked)
    assert (solved(NINE, puzzles) == 1).all()
    assert (asked.at_once, asked.counted) == ([at_once], 1)


def test_other_sides_are_for_numpy_and_do_not_count(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(lanes, "loaded", asked)
    assert (solved(SIX, loading.MANY) == 1).all()
    assert (asked.at_once, asked.counted) == ([], 0)


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_where_it_is_there_numpy_does_not_search(monkeypatch):
    asked = Asked(loading.PROGRAM.load_from(loading.PROGRAM.folder()))
    monkeypatch.setattr(lanes, "loaded", asked)
    monkeypatch.setattr(lanes, "search_planes", None)
    assert solved(NINE, 3).tolist() == [1, 1, 1]
    assert asked.counted == 0


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_what_is_compiled_runs_without_numba():
    code = """
import sys
import numpy as np
from pipeline.limits import NEVER
from pipeline.solving.compiled.loading import PROGRAM, CompiledSearch
folder = PROGRAM.folder()
sys.modules["numba"] = None
blank = np.full((3, 81), 511, np.uint16)
print(CompiledSearch(PROGRAM.load_from(folder))(blank, 2, NEVER).counts.tolist())
"""
    argv = [sys.executable, "-c", code]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == "[2, 2, 2]\n"


def test_code_that_finds_nothing_fails_its_trial():
    with pytest.raises(RuntimeError, match="finds no solutions"):
        loading.try_search(lambda *_: True)
