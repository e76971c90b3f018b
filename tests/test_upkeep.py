"""Failed originals go back into the inbox, old files go away."""

from __future__ import annotations

import json
import os
import time

import pytest
from dropping import DropFolder

from pipeline.dropbox.upkeep import IN_THE_WAY, NOT_FAILED, old_files, prune, retry

DAY = 86400.0


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


def put(box, *names):
    """Originals below the inbox, each with its own path as content."""
    for name in names:
        path = box.inbox / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)


def publish(box, stem, *files, age=0.0):
    """A set whose record is that old."""
    for name in files:
        (box.outbox / name).touch()
    record = box.outbox / f"{stem}.json"
    record.write_text(json.dumps({"job": stem, "files": [{"name": name} for name in files]}))
    then = time.time() - age
    for name in files:
        os.utime(box.outbox / name, (then, then))


def old(box, seconds):
    """What is that old, as paths below both folders."""
    top = box.inbox.parent
    return [str(file.path.relative_to(top)) for file in old_files(box.folders, seconds)]


def test_named_files_go_back_and_the_others_stay(box):
    put(box, "failed/a.txt", "failed/b.txt", "failed/c.txt")
    assert dict(retry(box.folders, ["a.txt", "c.txt"])) == {"a.txt": None, "c.txt": None}
    assert (box.waiting(), box.kept("failed")) == ({"a.txt", "c.txt"}, {"b.txt"})
    assert (box.inbox / "a.txt").read_text() == "failed/a.txt"


def test_all_go_back_when_none_is_named(box):
    put(box, "failed/a.txt", "failed/2/b.txt", "failed/2/3", "failed/3/c.txt")
    assert sorted(retry(box.folders, None)) == [(n, None) for n in ("3", "a.txt", "b.txt", "c.txt")]
    assert (box.waiting(), box.kept("failed")) == ({"3", "a.txt", "b.txt", "c.txt"}, set())


def test_a_name_that_did_not_fail_is_told(box):
    put(box, "failed/a.txt", "done/b.txt")
    told = list(retry(box.folders, ["b.txt", "a.txt", "../failed/a.txt", "."]))
    nowhere = [(name, NOT_FAILED) for name in (".", "../failed/a.txt", "b.txt")]
    assert told == [("a.txt", None), *nowhere]
    assert box.kept("done") == {"b.txt"}


def test_of_several_originals_of_one_name_the_first_goes_back_and_the_rest_stay(box):
    put(box, "failed/a.txt", "failed/2/a.txt")
    told = list(retry(box.folders, None))
    assert told == [("a.txt", None), ("a.txt", IN_THE_WAY)]
    kept = {(box.inbox / "failed" / name).read_text() for name in box.kept("failed")}
    assert kept | {(box.inbox / "a.txt").read_text()} == {"failed/a.txt", "failed/2/a.txt"}
    (box.inbox / "a.txt").unlink()
    assert list(retry(box.folders, ["a.txt"])) == [("a.txt", None)]
    assert box.kept("failed") == set()


def test_a_newer_file_in_the_inbox_is_not_hidden(box):
    put(box, "failed/a.txt")
    box.drop("a.txt", "newer")
    assert list(retry(box.folders, ["a.txt"])) == [("a.txt", IN_THE_WAY)]
    assert (box.inbox / "a.txt").read_text() == "newer"
    assert box.kept("failed") == {"a.txt"}


def test_a_link_goes_back_as_a_link(box):
    (box.inbox / "failed/a").symlink_to("nowhere")
    assert list(retry(box.folders, None)) == [("a", None)]
    assert (box.inbox / "a").readlink().name == "nowhere"


def test_what_goes_back_keeps_its_inode_and_mtime(box):
    put(box, "failed/a.txt")
    os.utime(box.inbox / "failed/a.txt", ns=(1, 2))
    before = (box.inbox / "failed/a.txt").stat()
    list(retry(box.folders, None))
    after = (box.inbox / "a.txt").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (before.st_ino, 2, 1)


def test_originals_are_old_from_when_they_were_moved_and_not_by_their_mtime(box):
    put(box, "done/a.txt", "done/2/a.txt", "done/2/b.txt")
    os.utime(box.inbox / "done/a.txt", (0, 0))
    assert old(box, DAY) == []
    assert old(box, 0) == ["inbox/done/2/a.txt", "inbox/done/2/b.txt", "inbox/done/a.txt"]


def test_what_failed_or_waits_or_is_in_work_is_never_old(box):
    put(box, "failed/a.txt", "failed/2/a.txt", "b.txt", ".work/c.txt")
    assert old(box, 0) == []


def test_of_an_old_set_only_the_log_is_old(box):
    publish(box, "a", "a_1.solution", "a.log", "a.cnf", "a_count.cnf", age=2 * DAY)
    publish(box, "b", "b_1.solution", "b.log", age=DAY / 2)
    assert old(box, DAY) == ["outbox/a.log"]
    assert old(box, 3 * DAY) == []


def test_logs_that_no_record_lists_are_not_ours(box):
    publish(box, "a", "a.log", "../outside.log", "gone.log", age=DAY)
    (box.outbox.parent / "outside.log").touch()
    (box.outbox / "gone.log").unlink()
    (box.outbox / "other.log").touch()
    (box.outbox / "b.json").write_text('["other.log"]')
    (box.outbox / ".c.json").write_text((box.outbox / "a.json").read_text())
    assert old(box, 0) == ["outbox/a.log"]


def test_without_an_outbox_there_are_no_logs(box):
    box.outbox.rmdir()
    put(box, "done/a.txt")
    assert old(box, 0) == ["inbox/done/a.txt"]


def test_pruning_minds_nothing_that_has_gone_and_spares_what_was_replaced(box):
    put(box, "done/a.txt", "done/b.txt", "done/c.txt")
    (box.inbox / "done/link").symlink_to(box.inbox / "done/b.txt")
    files = list(old_files(box.folders, 0))
    (box.inbox / "done/a.txt").unlink()
    put(box, "newer")
    (box.inbox / "newer").rename(box.inbox / "done/c.txt")
    assert prune(files) == 2
    assert box.kept("done") == {"c.txt"}


def test_a_folder_that_somebody_made_among_the_originals_stays(box):
    put(box, "done/a.txt", "done/notes/b.txt")
    prune(list(old_files(box.folders, 0)))
    assert box.kept("done") == {"notes/b.txt"}
