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
    Settler,
    Settling,
    Sight,
)

SETTLE = 2.0
NOW, WALL = 1000.0, 2_000_000_000.0
OLD = int((WALL - 3600) * 1e9)
"""An mtime of an hour ago, in ns."""
FULL = Fingerprint(inode=7, size=90, modified_ns=OLD)
EMPTY = Fingerprint(inode=7, size=0, modified_ns=OLD)


def sight(fingerprint=FULL, *, writer=False, cut_off=False, name="a.txt", is_folder=False):
    return Sight(name, fingerprint, writer, cut_off, is_folder, fingerprint.modified_ns)


def empty(mtime_age):
    """What is empty, and was last written so many seconds ago by its own account."""
    return EMPTY._replace(modified_ns=int((WALL - mtime_age) * 1e9))


def folder(fingerprint=FULL, *, writer=None, name="set"):
    """A folder in which a writer is seen, or none: it is never known that there is none."""
    return sight(fingerprint, writer=writer, name=name, is_folder=True)


def verdict(seen, *, age=0.0, settler=None):
    """What is said of a file that has been seen as it is for `age` seconds."""
    settler = settler or Settler(SETTLE)
    if age:
        settler.judge(seen, NOW - age, WALL - age)
    return settler.judge(seen, NOW, WALL)


def test_a_file_is_ready_if_nobody_writes_it_or_if_it_has_settled():
    for writer, cut_off, age in product((True, False, None), (False, True), (0, 1, 1.9, 2, 99)):
        ready = writer is not True and (age >= SETTLE or (writer is False and not cut_off))
        told = verdict(sight(writer=writer, cut_off=cut_off), age=age)
        assert (told is None) is ready, (writer, cut_off, age)


@pytest.mark.parametrize("seen", [sight(writer=None), sight(cut_off=True)])
def test_what_may_still_be_written_is_looked_at_again_when_it_will_have_settled(seen):
    assert verdict(seen).seconds == SETTLE
    assert verdict(seen, age=1.5).seconds == 0.5
    assert not verdict(seen, age=1.5).held


def test_a_file_that_a_writer_has_open_is_held_and_looked_at_again_soon():
    assert verdict(sight(writer=True), age=1e6).held
    assert not verdict(sight(writer=True), age=1).held
    for age in (0, 99):
        assert 0 < verdict(sight(writer=True), age=age).seconds <= SETTLE


def test_a_file_that_its_writer_closes_is_ready_at_once():
    settler = Settler(SETTLE)
    assert isinstance(settler.judge(sight(writer=True), NOW, WALL), Settling)
    assert settler.judge(sight(writer=False), NOW, WALL) is None


@pytest.mark.parametrize("make", [sight, folder])
@pytest.mark.parametrize(
    "changed",
    [FULL._replace(inode=8), FULL._replace(size=91), FULL._replace(modified_ns=OLD + 1)],
    ids=["replaced", "grown", "touched"],
)
def test_any_change_starts_the_settling_time_anew(make, changed):
    settler, settle = Settler(SETTLE), SETTLE if make is sight else FOLDER_SECONDS
    settler.judge(make(writer=None), NOW, WALL)
    seen, then = make(changed, writer=None), NOW + settle - 0.5
    assert settler.judge(seen, then, WALL).seconds == settle
    assert isinstance(settler.judge(seen, then + settle - 0.1, WALL), Settling)
    assert settler.judge(seen, then + settle, WALL) is None


def test_a_change_and_back_starts_the_settling_time_anew():
    settler = Settler(SETTLE)
    for moment, fingerprint in enumerate((FULL, FULL._replace(size=9), FULL)):
        told = settler.judge(sight(fingerprint, writer=None), NOW + moment, WALL)
        assert told.seconds == SETTLE


def test_an_old_mtime_does_not_count_as_settled():
    copied = FULL._replace(modified_ns=1)
    assert isinstance(verdict(sight(copied, writer=None)), Settling)


@pytest.mark.parametrize("writer", [False, None])
def test_an_empty_file_waits_until_it_is_sixty_seconds_old_by_its_mtime(writer):
    for mtime_age in (0, 30, 59.5):
        told = verdict(sight(empty(mtime_age), writer=writer))
        assert told.seconds == pytest.approx(EMPTY_SECONDS - mtime_age, abs=1e-3)
        assert not told.held
    for mtime_age in (60, 61, 1e6):
        assert verdict(sight(empty(mtime_age))) is None


def test_an_empty_file_with_an_mtime_in_the_future_is_ready_a_minute_after_it_was_first_seen():
    for make in (sight, folder):
        assert isinstance(verdict(make(empty(-600)), age=59), Settling)
        assert verdict(make(empty(-600)), age=60) is None


def test_an_mtime_that_no_clock_is_wrong_by_keeps_nothing_empty_waiting():
    assert verdict(sight(empty(-1e6))) is None
    assert verdict(folder(empty(-1e6)), age=FOLDER_SECONDS) is None


def test_an_old_empty_file_still_settles_where_writers_cannot_be_told():
    assert verdict(sight(EMPTY, writer=None)).seconds == SETTLE
    assert verdict(sight(EMPTY, writer=None), age=2) is None


def test_an_empty_file_that_has_a_writer_is_not_ready():
    assert isinstance(verdict(sight(EMPTY, writer=True), age=99), Settling)


def test_many_files_settle_side_by_side():
    settler = Settler(SETTLE)
    names = [f"{number}.txt" for number in range(100)]
    for moment, name in enumerate(names):
        settler.judge(sight(writer=None, name=name), NOW + moment / 100, WALL)
    told = [settler.judge(sight(writer=None, name=name), NOW + 2.5, WALL) for name in names]
    assert [one is None for one in told] == [moment <= 50 for moment in range(100)]


def test_what_has_gone_and_comes_back_settles_anew():
    settler = Settler(SETTLE)
    for name in ("a", "b"):
        settler.judge(sight(writer=None, name=name), NOW, WALL)
    settler.forget_all_but(["b"])
    assert settler.judge(sight(writer=None, name="a"), NOW + 3, WALL).seconds == SETTLE
    assert settler.judge(sight(writer=None, name="b"), NOW + 3, WALL) is None


def test_with_no_settling_time_only_a_writer_or_emptiness_holds_a_file_up():
    assert verdict(sight(writer=None), settler=Settler(0)) is None
    assert verdict(sight(cut_off=True), settler=Settler(0)) is None
    assert isinstance(verdict(sight(writer=True), settler=Settler(0)), Settling)


@pytest.mark.parametrize("settle", [0.0, SETTLE, 60.0])
def test_a_folder_is_ready_when_it_has_not_changed_for_five_seconds_whatever_settle_says(settle):
    settler = Settler(settle)
    assert settler.judge(folder(), NOW, WALL).seconds == 5
    assert settler.judge(folder(), NOW + 4.5, WALL).seconds == 0.5
    assert settler.judge(folder(), NOW + 5, WALL) is None


def test_a_folder_is_not_ready_while_there_is_a_writer_in_it_however_long_it_is_unchanged():
    told = verdict(folder(writer=True), age=4)
    assert isinstance(told, Settling)
    assert (told.held, told.seconds) == (False, 1.25)
    assert verdict(folder(writer=True), age=1e6).held


def test_a_folder_is_ready_five_seconds_after_its_last_writer_and_change():
    settler = Settler(SETTLE)
    settler.judge(folder(writer=True), NOW, WALL)
    settler.judge(folder(FULL._replace(size=91), writer=True), NOW + 3, WALL)
    assert isinstance(settler.judge(folder(FULL._replace(size=91)), NOW + 7.9, WALL), Settling)
    assert settler.judge(folder(FULL._replace(size=91)), NOW + 8, WALL) is None


def test_a_folder_that_did_not_change_must_be_free_of_writers_for_five_seconds_too():
    settler = Settler(2.0)
    settler.judge(folder(), NOW, WALL)
    assert settler.judge(folder(writer=True), NOW + 100, WALL).held
    assert isinstance(settler.judge(folder(), NOW + 104.9, WALL), Settling)
    assert settler.judge(folder(), NOW + 105, WALL) is None


def test_an_empty_folder_waits_for_a_minute_from_its_last_change():
    assert verdict(folder(empty(30))).seconds == pytest.approx(30)
    assert verdict(folder(EMPTY)).seconds == FOLDER_SECONDS
    assert verdict(folder(EMPTY), age=5) is None


@pytest.mark.parametrize("make", [sight, folder])
def test_patience_ends_with_the_settling_time_from_the_first_sight_whatever_has_changed(make):
    settler, settle = Settler(SETTLE), SETTLE if make is sight else FOLDER_SECONDS
    for second in range(4):
        told = settler.judge(make(FULL._replace(size=second), writer=None), NOW + second, WALL)
        assert told.patience == settle - second
    settler.forget_all_but(())
    assert settler.judge(make(FULL, writer=None), NOW + 9, WALL).patience == settle


@examples(25)
@given(st.floats(0, 60), st.floats(0, 1e6), st.floats(0, 120))
def test_what_has_not_changed_is_ready_once_patience_is_at_an_end(settle, first, later):
    settler = Settler(settle)
    settler.judge(sight(writer=None), first, WALL)
    told = settler.judge(sight(writer=None), first + later, WALL)
    assert told is None or told.patience > 0


sights = st.builds(
    sight,
    st.builds(Fingerprint, st.integers(1, 2), st.integers(0, 2), st.integers(OLD, OLD + 2)),
    writer=st.sampled_from([True, False, None]),
    cut_off=st.booleans(),
    name=st.sampled_from("ab"),
    is_folder=st.booleans(),
)


@examples(50)
@given(st.lists(st.tuples(sights, st.floats(0, 5)), max_size=30))
def test_whoever_comes_back_when_told_finds_an_unchanged_file_ready(history):
    settler, now = Settler(SETTLE), NOW
    for seen, pause in history:
        told = settler.judge(seen, now, WALL + now)
        if isinstance(told, Settling) and not seen.writer:
            assert told.seconds > 0
            later = now + told.seconds + 1e-6
            assert settler.judge(seen, later, WALL + later) is None
            now = later
        now += pause
