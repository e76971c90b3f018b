"""Which files are complete, decided from sights and clocks that are made up."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from pipeline.service.protocol.settle import (
    EMPTY_SECONDS,
    FOLDER_SECONDS,
    Fingerprint,
    History,
    Observation,
)

SETTLE = 2.0
NOW, WALL = 1000.0, 2_000_000_000.0
OLD = int((WALL - 3600) * 1e9)
"""An mtime of an hour ago, in ns."""
FULL = Fingerprint(inode=7, size=90, modified_ns=OLD)
EMPTY = Fingerprint(inode=7, size=0, modified_ns=OLD)


def observation(fingerprint=FULL, *, writer=False, cut_off=False, name="a.txt", is_folder=False):
    return Observation(name, fingerprint, writer, cut_off, is_folder, fingerprint.modified_ns)


def empty(mtime_age):
    """The fingerprint of an empty file with an mtime so many seconds ago."""
    return EMPTY._replace(modified_ns=int((WALL - mtime_age) * 1e9))


def folder(fingerprint=FULL, *, writer=None, name="set"):
    """A folder with a writer, or without a known one."""
    return observation(fingerprint, writer=writer, name=name, is_folder=True)


def verdict(seen, *, age=0.0, settle=SETTLE):
    """Judge a file that has not changed for `age` seconds."""
    history = History()
    if age:
        history.judge(seen, settle, NOW - age, WALL - age)
    return history.judge(seen, settle, NOW, WALL)


def test_a_file_is_ready_if_nobody_writes_it_or_if_it_has_settled():
    for writer, cut_off, age in product((True, False, None), (False, True), (0, 1, 1.9, 2, 99)):
        ready = writer is not True and (age >= SETTLE or (writer is False and not cut_off))
        told = verdict(observation(writer=writer, cut_off=cut_off), age=age)
        assert (told is None) is ready, (writer, cut_off, age)


WAITS = {
    "unknown": (observation(writer=None), {0: SETTLE, 1.5: 0.5, 2: None}),
    "cut off": (observation(cut_off=True), {0: SETTLE, 1.5: 0.5, 2: None}),
    "copied with its old time": (
        observation(FULL._replace(modified_ns=1), writer=None),
        {0: SETTLE},
    ),
    "empty for half a minute": (observation(empty(30)), {0: EMPTY_SECONDS - 30}),
    "just emptied": (observation(empty(59.5), writer=None), {0: 0.5}),
    "empty for a minute": (observation(empty(60)), {0: None}),
    "empty for long": (observation(empty(1e6)), {0: None}),
    "empty, of the future": (observation(empty(-600)), {59: 1, 60: None}),
    "empty, of no clock": (observation(empty(-1e6)), {0: None}),
    "empty, unknown": (observation(EMPTY, writer=None), {0: SETTLE, 2: None}),
    "folder": (folder(), {0: 5, 4.5: 0.5, 5: None}),
    "empty folder": (folder(EMPTY), {0: FOLDER_SECONDS, 5: None}),
    "folder just emptied": (folder(empty(30)), {0: 30}),
    "empty folder of the future": (folder(empty(-600)), {59: 1, 60: None}),
    "empty folder of no clock": (folder(empty(-1e6)), {5: None}),
}
"""Sights, and by their age the seconds until the next look; None: complete."""


@pytest.mark.parametrize(("seen", "waits"), WAITS.values(), ids=WAITS)
def test_what_is_not_complete_is_looked_at_again_when_it_will_be(seen, waits):
    for age, seconds in waits.items():
        told = verdict(seen, age=age)
        assert (told and told.seconds) == pytest.approx(seconds, abs=1e-3), age
        assert told is None or not told.is_held_open


@pytest.mark.parametrize(
    "seen", [observation(writer=True), observation(EMPTY, writer=True), folder(writer=True)]
)
def test_what_a_writer_has_open_is_held_after_a_while_and_looked_at_again_soon(seen):
    for age, held in {0: False, 1: False, 99: True, 1e6: True}.items():
        told = verdict(seen, age=age)
        assert (told.is_held_open, 0 < told.seconds <= FOLDER_SECONDS) == (held, True)


def test_a_file_that_its_writer_closes_is_ready_at_once():
    history = History()
    assert history.judge(observation(writer=True), SETTLE, NOW, WALL)
    assert history.judge(observation(writer=False), SETTLE, NOW, WALL) is None


@pytest.mark.parametrize("make", [observation, folder])
@pytest.mark.parametrize(
    "changed",
    [FULL._replace(inode=8), FULL._replace(size=91), FULL._replace(modified_ns=OLD + 1)],
    ids=["replaced", "grown", "touched"],
)
def test_any_change_and_back_starts_the_settling_time_anew(make, changed):
    history, settle = History(), SETTLE if make is observation else FOLDER_SECONDS
    history.judge(make(writer=None), SETTLE, NOW, WALL)
    for then, fingerprint in enumerate((changed, FULL), 1):
        seen, now = make(fingerprint, writer=None), NOW + then * (settle - 0.5)
        assert history.judge(seen, SETTLE, now, WALL).seconds == settle
    assert history.judge(seen, SETTLE, now + settle - 0.1, WALL)
    assert history.judge(seen, SETTLE, now + settle, WALL) is None


def test_with_no_settling_time_only_a_writer_or_emptiness_holds_a_file_up():
    assert verdict(observation(writer=None), settle=0) is None
    assert verdict(observation(cut_off=True), settle=0) is None
    assert verdict(observation(writer=True), settle=0)


@pytest.mark.parametrize("settle", [0.0, 60.0])
def test_a_folder_settles_for_five_seconds_whatever_settle_says(settle):
    for age, seconds in {0: 5, 4.5: 0.5, 5: None}.items():
        told = verdict(folder(), age=age, settle=settle)
        assert (told and told.seconds) == seconds


@pytest.mark.parametrize("change", [FULL, FULL._replace(size=91)])
def test_a_folder_is_ready_five_seconds_after_its_last_writer_and_change(change):
    history = History()
    history.judge(folder(), SETTLE, NOW, WALL)
    history.judge(folder(change, writer=True), SETTLE, NOW + 100, WALL)
    assert history.judge(folder(change), SETTLE, NOW + 104.9, WALL)
    assert history.judge(folder(change), SETTLE, NOW + 105, WALL) is None


@pytest.mark.parametrize("make", [observation, folder])
def test_patience_ends_with_the_settling_time_from_the_first_sight_whatever_has_changed(make):
    history, settle = History(), SETTLE if make is observation else FOLDER_SECONDS
    for second in range(4):
        told = history.judge(
            make(FULL._replace(size=second), writer=None), SETTLE, NOW + second, WALL
        )
        assert told.patience == settle - second


@examples(25)
@given(st.floats(0, 60), st.floats(0, 1e6), st.floats(0, 120))
def test_what_has_not_changed_is_ready_once_patience_is_at_an_end(settle, first, later):
    history = History()
    history.judge(observation(writer=None), settle, first, WALL)
    told = history.judge(observation(writer=None), settle, first + later, WALL)
    assert told is None or told.patience > 0


sights = st.builds(
    observation,
    st.builds(Fingerprint, st.integers(1, 2), st.integers(0, 2), st.integers(OLD, OLD + 2)),
    writer=st.sampled_from([True, False, None]),
    cut_off=st.booleans(),
    name=st.sampled_from("ab"),
    is_folder=st.booleans(),
)


@examples(50)
@given(st.lists(st.tuples(sights, st.floats(0, 5)), max_size=30))
def test_whoever_comes_back_when_told_finds_an_unchanged_file_ready(looks):
    history, now = History(), NOW
    for seen, pause in looks:
        told = history.judge(seen, SETTLE, now, WALL + now)
        if told and not seen.has_writer:
            assert told.seconds > 0
            later = now + told.seconds + 1e-6
            assert history.judge(seen, SETTLE, later, WALL + later) is None
            now = later
        now += pause
