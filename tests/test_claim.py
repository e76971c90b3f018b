"""Claims: one owner, nothing hidden, nothing claimed that is not what was seen."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from dropping import OTHER, OTHER_SOLVED, SMALL, DropFolder
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from support.claiming import at_step, claimed, claiming, go, note_of

from pipeline.dropbox.claim import LOCK, Note, abandoned, new_job_id, notes_in_work
from pipeline.dropbox.claiming import Shelf, make_claim
from pipeline.dropbox.overview import claims_seen
from pipeline.dropbox.settle import Fingerprint
from pipeline.files import is_file_name
from pipeline.log import LazyLog
from pipeline.run.loop import run_once
from pipeline.settings import Settings

RACE = "print(*[n for n in map(str, range(40)) if claim(n)], flush=True); signal.pause()"


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


def test_a_claim_takes_the_file_out_of_the_inbox(box):
    with closing(claimed(box)) as claim:
        assert box.waiting() == set()
        assert claim.original.read_text() == "original"
        assert notes_in_work(box.folders) == [claim.note]
        assert len(box.in_work()) == 1


def test_of_several_processes_one_gets_each_file(box):
    for name in range(40):
        box.drop(str(name))
    with (
        claiming(box, RACE, "a") as a,
        claiming(box, RACE, "b") as b,
        claiming(box, RACE, "c") as c,
    ):
        for child in (a, b, c):
            go(child)
        won = [child.stdout.readline().split() for child in (a, b, c)]
        owners = [(name, owner) for owner, names in zip("abc", won, strict=True) for name in names]
        assert sorted(name for name, _ in owners) == sorted(map(str, range(40)))
        told = {note.source: note.job for note in notes_in_work(box.folders)}
        assert told == {name: f"{owner}-{name}" for name, owner in owners}
    assert box.waiting() == set()


def test_a_file_that_has_gone_is_not_claimed_and_leaves_nothing(box):
    box.drop("a.txt")
    note = note_of(box)
    (box.inbox / "a.txt").unlink()
    assert make_claim(box.folders, note) is None
    assert box.in_work() == set()


def test_a_name_that_is_in_work_is_not_claimed_again_until_it_is_done(box):
    first = claimed(box)
    assert claimed(box, content="newer") is None
    assert box.waiting() == {"a.txt"}
    first.original.unlink()
    first.remove()
    with closing(make_claim(box.folders, note_of(box))) as second:
        assert second.original.read_text() == "newer"


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("longer than it was"),
        lambda path: os.utime(path, ns=(1, 1)),
        lambda path: path.with_name("new").rename(path),
    ],
    ids=["grown", "touched", "replaced"],
)
def test_a_file_that_changed_after_it_was_seen_goes_back(box, change):
    path = box.drop("a.txt", "original")
    path.with_name("new").write_text("original")
    note = note_of(box)
    change(path)
    content = path.read_text()
    assert make_claim(box.folders, note) is None
    assert path.read_text() == content
    assert box.in_work() == set()


def test_a_changed_file_that_a_newer_one_keeps_from_going_back_stays_claimed_and_is_abandoned(box):
    path = box.drop("a.txt", "original")
    note = note_of(box)
    path.write_text("changed after it was seen")
    with at_step("claim.taken", lambda: box.drop("a.txt", "newer")):
        assert make_claim(box.folders, note) is None
    assert path.read_text() == "newer"
    assert make_claim(box.folders, note_of(box)) is None, "the changed one comes first"
    (claim,) = abandoned(box.folders)
    assert claim.original.read_text() == "changed after it was seen"
    claim.original.unlink()
    claim.remove()
    with closing(make_claim(box.folders, note_of(box))) as newer:
        assert newer.original.read_text() == "newer"


def test_a_pass_finishes_a_changed_file_that_cannot_go_back_and_then_the_newer_one(box):
    path = box.drop("a.txt", SMALL)

    def change():
        (taken,) = box.folders.work.rglob("a.txt")
        os.utime(taken, ns=(1, 1))
        box.drop("a.txt", OTHER)

    with at_step("claim.taken", change):
        settings = Settings(inbox=box.inbox, outbox=box.outbox)
        assert run_once(settings, LazyLog("json", quiet=True)) == 0
    assert not path.exists()
    done = [(box.folders.done / name).read_text() for name in ("a.txt", "2/a.txt")]
    assert done == [SMALL, OTHER]
    assert box.text("a_1.solution") == OTHER_SOLVED


def test_a_file_that_is_opened_for_writing_after_it_was_seen_goes_back(box):
    path = box.drop("a.txt", "one ")
    note = note_of(box)
    with path.open("a") as writer:
        if make_claim(box.folders, note) is not None:
            pytest.skip("this filesystem has no leases")
        writer.write("two")
    assert path.read_text() == "one two"
    assert box.in_work() == set()


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("nowhere")], ids=["pipe", "link"]
)
def test_what_is_no_file_can_be_claimed_and_put_back(box, make):
    make(box.inbox / "a")
    kind = (box.inbox / "a").lstat().st_mode
    claim = make_claim(box.folders, note_of(box, "a"))
    assert claim.original.lstat().st_mode == kind
    assert claim.put_back(box.inbox)
    assert (box.inbox / "a").lstat().st_mode == kind


def test_the_lock_says_for_people_who_has_the_claim(box):
    with closing(claimed(box)) as claim:
        words = f"process {os.getpid()} on {os.uname().nodename}"
        assert (claim.folder / LOCK).read_text() == f"attempts at job: 0\n{words}\n"
        assert list(claims_seen(box.folders)) == [(claim.note, words)]
    ((_, words),) = claims_seen(box.folders)
    assert "abandoned" in words


def test_a_claim_is_put_back_as_it_was(box):
    claim = claimed(box)
    inode = claim.original.stat().st_ino
    assert claim.put_back(box.inbox)
    assert (box.inbox / "a.txt").stat().st_ino == inode
    assert box.in_work() == set()


def test_putting_back_never_hides_a_newer_file(box):
    with closing(claimed(box)) as claim:
        box.drop("a.txt", "newer")
        assert not claim.put_back(box.inbox)
        assert (box.inbox / "a.txt").read_text() == "newer"
        assert claim.original.read_text() == "original"
        assert len(box.in_work()) == 1


def test_putting_back_goes_on_where_a_crash_had_cut_it(box):
    claim = claimed(box)
    os.link(claim.original, box.inbox / "a.txt")
    assert claim.put_back(box.inbox)
    assert (box.inbox / "a.txt").stat().st_nlink == 1
    assert box.in_work() == set()


def test_an_attempt_counts_until_it_ends_and_for_good_where_it_does_not(box):
    with closing(claimed(box)) as claim:
        claim.count_attempt()
        with claim.attempt():
            assert claim.attempts() == 2
        assert claim.attempts() == 1
        for error in (ValueError, SystemExit):
            with pytest.raises(error), claim.attempt(free=(SystemExit,)):
                raise error
            assert claim.attempts() == 1
        with pytest.raises(SystemExit), claim.attempt():
            raise SystemExit
        assert claim.attempts() == 2
        claim.reset_attempts()
        assert claim.attempts() == 0


def test_only_attempts_at_the_same_step_one_after_the_other_add_up(box):
    with closing(claimed(box)) as claim:
        for step, number in [(0, 1), (0, 2), (3, 1), (3, 2), (0, 1), (7, 1), (7, 2), (7, 3)]:
            claim.count_attempt(step)
            assert claim.attempts() == number
        with claim.attempt(8):
            assert claim.attempts() == 1
        assert claim.attempts() == 3


def test_what_is_left_of_a_finished_claim_serves_the_next_and_counts_for_itself(box):
    shelf = Shelf()
    box.drop("a.txt")
    first = make_claim(box.folders, note_of(box, job="first"), shelf)
    inode = (first.folder / LOCK).stat().st_ino
    first.count_attempt()
    first.original.unlink()
    first.remove()
    first.close()
    assert notes_in_work(box.folders) == []
    assert list(abandoned(box.folders)) == [], "it is kept, and nobody's to take"
    box.drop("b.txt", "another")
    with closing(make_claim(box.folders, note_of(box, "b.txt", job="second"), shelf)) as second:
        assert (second.folder / LOCK).stat().st_ino == inode
        assert (second.original.read_text(), second.attempts()) == ("another", 0)
        assert notes_in_work(box.folders) == [second.note]
    shelf.close()


def test_a_claim_with_more_in_it_than_every_claim_has_is_not_kept(box):
    shelf = Shelf()
    box.drop("a.txt")
    claim = make_claim(box.folders, note_of(box), shelf)
    (claim.folder / ".progress").write_text("of this job alone")
    claim.original.unlink()
    claim.remove()
    assert list(box.folders.work.glob(".new-*")) == []


def test_a_shelf_is_left_empty(box):
    shelf = Shelf()
    for name in ("a.txt", "b.txt"):
        box.drop(name)
    claims = [make_claim(box.folders, note_of(box, n, job=n), shelf) for n in ("a.txt", "b.txt")]
    for claim in claims:
        claim.original.unlink()
        claim.remove()
    shelf.close()
    assert list(box.folders.work.glob(".new-*")) == []


def test_a_claim_is_made_anew_where_the_work_folder_was_removed_meanwhile(box):
    shelf = Shelf()
    box.drop("a.txt")
    claim = make_claim(box.folders, note_of(box), shelf)
    claim.original.unlink()
    claim.remove()
    shutil.rmtree(box.folders.work)
    box.folders.prepare()
    box.drop("a.txt", "again")
    with closing(make_claim(box.folders, note_of(box), shelf)) as again:
        assert again.original.read_text() == "again"
    shelf.close()


file_names = st.binary().map(os.fsdecode).filter(is_file_name)


@examples(100)
@given(file_names, st.lists(file_names), st.lists(file_names), st.integers(0), st.booleans())
def test_a_note_is_read_as_it_was_written(source, files, former, number, keep_cnf):
    fingerprint = Fingerprint(number, number + 1, number + 2)
    lists = tuple(former), tuple(files)
    note = Note("job", source, source, keep_cnf, "2026-01-02T03:04:05Z", fingerprint, *lists)
    assert note.text().isascii()
    assert Note.of_text(note.text()) == note
    assert Note.of_text("{}\n" + note.text() + "\n" + note.text()[:-2]) == note


def test_job_ids_differ_and_sort_by_time():
    now = datetime.now(UTC)
    assert len({new_job_id(now) for _ in range(1000)}) == 1000
    assert new_job_id(now) < new_job_id(now + timedelta(seconds=1))
