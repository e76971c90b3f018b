"""The time limit of a puzzle in a batch includes the time of the batch."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from support.machine_code import put_in_place, replace_lanes
from support.parsers import layout_of
from support.puzzles import NINE, NINE_TWO

from pipeline.certify.many import search_all_of_batch
from pipeline.limits import Limits
from pipeline.reading.formats import TextChunk
from pipeline.service.solving import solve_chunk, solve_sources
from pipeline.settings import Reading, Settings
from pipeline.solving.one import MIN_BATCH as FEWEST
from pipeline.solving.one import Search
from pipeline.solving.problem import read_problem
from pipeline.solving.result import Certificate, Stopwatch

SEVEN = Limits(7.0).timeout_message

numbers = pytest.mark.parametrize("number", [2, FEWEST])


class Clock:
    """A clock that advances only during slowed calls."""

    def __init__(self):
        self.now = 0.0

    def slowed(self, work, seconds):
        """Wrap a function so that each call takes `seconds` longer."""

        def slow(*arguments, **options):
            self.now += seconds
            return work(*arguments, **options)

        return slow


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in ("solving.many", "service.solving"):
        monkeypatch.setattr(f"pipeline.{module}.Stopwatch", partial(Stopwatch, lambda: clock.now))
    monkeypatch.setattr(
        "pipeline.solving.many.time", SimpleNamespace(perf_counter=lambda: clock.now)
    )
    return clock


@pytest.fixture
def slow_together(monkeypatch, clock, lanes):
    """Make the batch solver take `seconds`."""

    def slow(seconds):
        put_in_place(monkeypatch, clock.slowed(lanes, seconds))

    return slow


def as_sources(texts, solvers, **options):
    """Status, certificate and reason of each puzzle."""
    sources = [(f"{at}.txt", text.encode()) for at, text in enumerate(texts)]
    found = []
    for result in solve_sources(sources, solvers, Settings(**options)):
        known = result.certificate or Certificate("no")
        found.append((result.status, known.complete, known.reason or result.message))
    return found


def as_rows(texts, solvers, **options):
    """Status, certificate and reason of each puzzle of a collection."""
    data = "".join(text.replace("\n", "") + "\n" for text in texts).encode()
    layout = layout_of(data, True, Reading(format="lines"), "top.txt")
    rows = solve_chunk(TextChunk(1, data), layout, solvers, Settings(**options).for_collection())
    return [
        (row[3], known_by(row), row[8] or None)
        for row in csv.reader(io.StringIO(rows.table.decode()))
    ]


def known_by(row):
    if row[5] != "true":
        return "no"
    return "unverified" if row[6] == "unverified" else "proved"


ways = pytest.mark.parametrize("solve", [as_sources, as_rows])


def told(found):
    """These facts in the form that tables have."""
    return {
        (status, known, why and why.removeprefix("unverified: ")) for status, known, why in found
    }


@ways
@numbers
@pytest.mark.parametrize(
    ("seconds", "known"),
    [(7, ("unverified", SEVEN)), (0, ("proved", None))],
    ids=["all the time", "no time"],
)
def test_what_was_found_together_stands_and_is_proved_if_time_is_left(
    solve, number, seconds, known, slow_together, solvers
):
    slow_together(seconds)
    assert told(solve([NINE] * number, solvers, solver="batch", timeout=7, prove="always")) == {
        ("unique", *known)
    }


@ways
@pytest.mark.parametrize(
    ("timeout", "wanted"),
    [(60, ("multiple", "proved", None)), (7, ("unknown", "no", SEVEN))],
)
def test_what_goes_alone_in_the_end_has_the_time_that_is_left(
    solve, timeout, wanted, monkeypatch, clock, solvers
):
    def undecided(found):
        clock.now += 10
        return replace(found, decided=np.zeros(len(found.decided), np.bool_))

    replace_lanes(monkeypatch, undecided)
    found = solve([NINE_TWO] * 2, solvers, solver="batch", timeout=timeout, prove="never")
    found = [(status, known, why if known == "no" else None) for status, known, why in found]
    assert told(found) == {wanted}


@ways
def test_going_alone_takes_of_the_time_for_the_proof(solve, monkeypatch, clock, solvers):
    def slow(search, *chain):
        settings, search.settings = search.settings, replace(search.settings, timeout=60)
        with search.watch.timing("solve"):
            clock.now += 7
        found = collect(search, *chain)
        search.settings = settings
        return found

    collect = Search.collect
    monkeypatch.setattr(Search, "collect", slow)
    found = solve([NINE_TWO] * 2, solvers, solver="pysat", timeout=7, prove="always")
    assert told(found) == {("multiple", "unverified", SEVEN)}


@ways
def test_a_proof_takes_of_the_time_for_asking_the_next_solver(solve, monkeypatch, clock, solvers):
    refusing = clock.slowed(lambda *_: (Certificate("no", reason="of this test"), None), 7)
    monkeypatch.setattr("pipeline.solving.complete.SEARCH_SECONDS", 0.0)
    monkeypatch.setattr("pipeline.solving.complete._prove", refusing)
    found = solve([NINE] * 2, solvers, solver="batch", timeout=7, prove="always")
    ((status, known, why),) = set(found)
    assert (status, known) == ("unknown", "no")
    assert SEVEN in why


@numbers
@pytest.mark.parametrize(("asking", "checking"), [(0, 3.5), (3, 2), (7, 0), (9, 0)])
def test_checking_together_takes_half_of_what_asking_left_at_most(
    number, asking, checking, slow_together, monkeypatch, solvers
):
    allowed = []

    def noting(*arguments):
        allowed.append(arguments[-1])
        return search_all_of_batch(*arguments)

    slow_together(asking)
    monkeypatch.setattr("pipeline.solving.many.search_all_of_batch", noting)
    as_sources([NINE] * number, solvers, solver="batch", prove="never", timeout=7)
    assert allowed == [checking]


@ways
def test_checking_together_takes_of_the_time_for_the_proof(solve, monkeypatch, clock, solvers):
    slow = clock.slowed(search_all_of_batch, 7)
    monkeypatch.setattr("pipeline.solving.many.search_all_of_batch", slow)
    found = solve([NINE] * FEWEST, solvers, timeout=7, prove="always")
    assert told(found) == {("unique", "unverified", SEVEN)}


def test_parsing_takes_of_the_time_of_what_is_solved_with_others(monkeypatch, clock, solvers):
    monkeypatch.setattr("pipeline.service.solving.read_problem", clock.slowed(read_problem, 7))
    for number in (1, 2):
        found = as_sources([NINE_TWO] * number, solvers, solver="pysat", timeout=7)
        assert told(found) == {("unknown", "no", SEVEN)}


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ({"timeout": 60}, 10),
        ({"timeout": 7}, 3.5),
        ({"timeout": 60, "solver": "batch"}, 30),
    ],
)
def test_puzzles_are_together_for_half_of_their_time_at_most(
    monkeypatch, solvers, options, seconds
):
    asked = replace_lanes(monkeypatch, lambda _found: None)
    as_sources([NINE] * FEWEST, solvers, prove="never", **options)
    assert asked == [pytest.approx(seconds, abs=0.5)]
