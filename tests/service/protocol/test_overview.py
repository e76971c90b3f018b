"""The state of the folders as `status` shows it; failed files put back, old files deleted."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import time
from contextlib import closing
from pathlib import PurePath

import pytest
from support.archives import deep_folder
from support.claims import claimed
from support.drop_folders import DropFolder, record_text

from pipeline.service.protocol.claim import LOCK, MANIFEST, take_over_abandoned
from pipeline.service.protocol.overview import (
    MAX_SCAN_AGE,
    NAME_IN_INBOX,
    NEWER_FILE,
    NOT_FAILED,
    FileState,
    Overview,
    delete_expired,
    expired_files,
    read_overview,
    retry_failed,
    stamp_scan,
)
from pipeline.service.protocol.settle import has_writer

SETTLE = 2.0
DAY = 86400.0
OURS = f"process {os.getpid()} on {os.uname().nodename}"


def surveyed(box):
    return read_overview(box.folders, SETTLE)


def names(entries):
    return [entry.name for entry in entries]


def record(box, stem, source, **values):
    (box.outbox / f"{stem}.json").write_text(record_text(source, **values))


def scanned(box, seconds):
    """Have the last scan that long ago."""
    stamp_scan(box.folders)
    stamp = box.folders.work / ".last-scan"
    then = stamp.stat().st_mtime - seconds
    os.utime(stamp, (then, then))


def put(box, *paths):
    """Originals below the inbox, each with its own path as content."""
    for name in paths:
        path = box.inbox / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def test_of_an_empty_inbox_that_was_never_scanned_there_is_nothing_to_say(tmp_path):
    box = DropFolder.within(tmp_path)
    assert surveyed(box) == Overview()
    assert not Overview().is_stuck
    assert list(tmp_path.rglob("*")) == [box.inbox], "nothing is made"
    with pytest.raises(FileNotFoundError):
        surveyed(DropFolder(tmp_path / "missing", tmp_path))


def test_what_lies_in_the_inbox_is_told_with_the_reason_that_it_is_not_taken(box):
    for name in ("b.txt", "a.txt", os.fsdecode(b"\xff.txt"), "a.part", ".hidden"):
        box.drop(name)
    (box.inbox / "link").symlink_to("nowhere")
    os.mkfifo(box.inbox / "pipe")
    (box.inbox / "set").mkdir()
    box.drop("empty.txt", "")
    with box.drop("written.txt").open("a") as writer:
        if has_writer(writer.fileno()) is None:
            pytest.skip("this filesystem has no leases")
        overview = surveyed(box)
    refused = [FileState("link", "it is a link"), FileState("pipe", "it is a named pipe")]
    assert overview.waiting == [
        FileState("a.txt"),
        FileState("b.txt"),
        *refused,
        FileState("\udcff.txt"),
    ]
    assert overview.settling == [
        FileState("empty.txt", "it is still empty"),
        FileState("set", "it is still empty"),
        FileState("written.txt", "a program has it open for writing"),
    ]
    assert overview.ignored == [FileState("a.part", "its name marks it as temporary")]


def test_what_is_in_work_is_told_with_who_has_it_though_its_note_is_lost(box):
    with closing(claimed(box)) as claim:
        box.drop("a.txt", "newer")
        overview = surveyed(box)
        assert (overview.in_work, names(overview.waiting)) == (
            [FileState("a.txt", OURS)],
            ["a.txt"],
        )
        (claim.folder / MANIFEST).unlink()
        assert surveyed(box).in_work == [FileState("a.txt", OURS)]
    fresh = box.folders.work / ".new-job"  # a claim in preparation is not in work yet
    fresh.mkdir()
    (fresh / LOCK).touch()
    assert surveyed(box).in_work == [
        FileState("a.txt", "no process is working on it; the next scan resumes it")
    ]


def test_what_failed_is_told_with_the_reason_that_its_record_gives(box):
    told = {"a": "no", "b.txt": "no", "c.txt~2": "no", "d": None}
    for stem, message in told.items():
        record(box, stem, stem[0] + ".txt", status="invalid", message=message)
    record(box, "b", "b.sdk", message="another's")
    record(box, "e", "e.txt", status="unique", message=None)
    put(box, *(f"failed/{name}.txt" for name in "abcde"))
    (box.inbox / "failed/f.txt").symlink_to("nowhere")
    reasons = ["no", "no", "no", "invalid"]
    reasons += [
        "a newer file with this name has the result unique",
        "its record is missing, so the reason is unknown",
    ]
    assert [entry.note for entry in surveyed(box).failed] == reasons


def test_all_originals_of_one_name_are_counted(box):
    put(box, *(f"{top}/{n}/a.txt" for top in ("done", "failed") for n in (".", "2", "3")))
    overview = surveyed(box)
    assert (overview.done, names(overview.failed)) == (3, ["a.txt"] * 3)


def test_the_age_of_the_last_scan_is_told_unless_a_clock_was_set_back(box):
    assert surveyed(box).scan_age is None
    for seconds in (0, 1000):
        scanned(box, seconds)
        assert seconds <= surveyed(box).scan_age < seconds + MAX_SCAN_AGE
    scanned(box, -1000)
    assert surveyed(box).scan_age is None


def test_files_are_stuck_when_they_wait_and_nobody_has_looked_for_long():
    for age, stuck in [(None, True), (MAX_SCAN_AGE + 1, True), (MAX_SCAN_AGE, False), (0.0, False)]:
        assert Overview(waiting=[FileState("a.txt")], scan_age=age).is_stuck is stuck
        assert not Overview(failed=[FileState("a.txt")], done=1, scan_age=age).is_stuck


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_files_that_whoever_asks_may_not_lease_are_stuck_as_well(box, monkeypatch):
    os.utime(box.drop("a.txt"), (0, 0))
    scanned(box, 10 * MAX_SCAN_AGE)
    monkeypatch.chdir(box.inbox.parent)
    relative = DropFolder(*(path.relative_to(box.inbox.parent) for path in (box.inbox, box.outbox)))
    box.inbox.parent.chmod(0o755)
    os.seteuid(65534)
    try:
        overview = surveyed(relative)
    finally:
        os.seteuid(0)
    assert overview.is_stuck


def test_looking_changes_nothing(box):
    def seen():
        paths = sorted(box.inbox.parent.rglob("*"))
        return [(path, path.lstat().st_mtime_ns, path.lstat().st_ino) for path in paths]

    claimed(box, "gone.txt").close()
    box.drop("a.txt")
    (box.inbox / "link").symlink_to("nowhere")
    before = seen()
    surveyed(box)
    assert seen() == before
    (claim,) = take_over_abandoned(box.folders)
    claim.close()


def test_named_files_go_back_the_others_stay_and_what_did_not_fail_is_told(box):
    put(box, "failed/a.txt", "failed/b.txt", "failed/c.txt", "done/d.txt")
    told = dict(retry_failed(box.folders, ["a.txt", "c.txt", "d.txt", "../failed/b.txt", "."]))
    not_failed = dict.fromkeys((".", "../failed/b.txt", "d.txt"), NOT_FAILED)
    assert told == {"a.txt": None, "c.txt": None, **not_failed}
    assert (box.waiting(), box.kept("failed")) == ({"a.txt", "c.txt"}, {"b.txt"})


def test_all_go_back_as_they_were_when_none_is_named(box):
    put(box, "failed/a.txt", "failed/2/b.txt", "failed/2/3", "failed/3/c.txt")
    os.utime(box.inbox / "failed/a.txt", ns=(1, 2))
    (box.inbox / "failed/d").symlink_to("nowhere")
    before = (box.inbox / "failed/a.txt").stat()
    returned = {"3", "a.txt", "b.txt", "c.txt", "d"}
    assert dict(retry_failed(box.folders, None)) == dict.fromkeys(returned)
    assert (box.waiting(), box.kept("failed")) == (returned, set())
    after = (box.inbox / "a.txt").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (before.st_ino, 2, 1)
    assert (box.inbox / "a.txt").read_text() == "failed/a.txt"
    assert (box.inbox / "d").readlink().name == "nowhere"


def test_what_goes_back_hides_nothing_that_is_there(box):
    put(box, "failed/a.txt", "failed/2/a.txt")
    assert [why for _, why in retry_failed(box.folders, None)] == [None, NAME_IN_INBOX]
    (kept,) = box.kept("failed")
    box.drop("a.txt", "newer")
    assert list(retry_failed(box.folders, ["a.txt"])) == [("a.txt", NAME_IN_INBOX)]
    assert (box.inbox / "a.txt").read_text() == "newer"
    (box.inbox / "a.txt").unlink()
    assert list(retry_failed(box.folders, ["a.txt"])) == [("a.txt", None)]
    assert (box.inbox / "a.txt").read_text() == f"failed/{kept}"


@pytest.mark.parametrize("status", ["unique", "collection", "in work"])
def test_a_name_that_a_newer_job_has_taken_goes_back_only_if_it_is_named(box, status):
    put(box, "failed/a.txt", "failed/b.txt")
    if status == "in work":
        claimed(box).close()
    else:
        record(box, "a", "a.txt", status=status)
    record(box, "b", "b.txt", status="invalid", message="it is none")
    assert list(retry_failed(box.folders, None)) == [("a.txt", NEWER_FILE), ("b.txt", None)]
    assert (box.waiting(), box.kept("failed")) == ({"b.txt"}, {"a.txt"})
    assert list(retry_failed(box.folders, ["a.txt"])) == [("a.txt", None)]


@pytest.mark.parametrize("latest", [0, 1])
def test_of_several_failed_files_of_one_name_the_latest_goes_back(box, latest):
    put(box, *(names := ["failed/a.txt", "failed/2/a.txt"]))
    later, other = box.inbox / names[latest], box.inbox / names[1 - latest]
    while later.stat().st_ctime_ns <= other.stat().st_ctime_ns:
        later.chmod(0o600)  # until the clock goes on
    assert list(retry_failed(box.folders, None)) == [("a.txt", None), ("a.txt", NAME_IN_INBOX)]
    assert (box.inbox / "a.txt").read_text() == names[latest]


def publish(box, stem, *files, age=0.0, **fields):
    """A set whose record is that old."""
    then = time.time() - age
    for name in files:
        (box.outbox / name).touch()
        os.utime(box.outbox / name, (then, then))
    record(box, stem, f"{stem}.txt", files=[{"name": n, "sha256": ""} for n in files], **fields)


def publish_tree(box, stem, *members, age=0.0):
    """The set of an archive, with the sets of its members; its own log is there too."""
    publish(box, stem, f"{stem}.csv", f"{stem}.log", age=age, status="archive")
    for member in members:
        folder = (box.outbox / stem / member).parent
        folder.mkdir(parents=True, exist_ok=True)
        name = PurePath(member).name
        within = DropFolder(box.inbox, folder)
        publish(within, name, f"{name}_1.solution", f"{name}.log", age=age)


def expired(box, seconds):
    return list(expired_files(box.folders, seconds))


def old(box, seconds):
    """What is that old, as paths below both folders."""
    return [str(file.path.relative_to(box.inbox.parent)) for file in expired(box, seconds)]


def test_originals_are_old_from_when_they_were_moved_and_not_by_their_mtime(box):
    put(box, "done/a.txt", "done/2/a.txt", "done/2/b.txt", "dropped/a.txt")
    for name in ("done/a.txt", "dropped/a.txt", "dropped"):
        os.utime(box.inbox / name, (0, 0))
    (box.inbox / "dropped").rename(box.inbox / "done/set")
    assert old(box, DAY) == []
    found = ["2/a.txt", "2/b.txt", "a.txt", "set"]
    assert old(box, 0) == [f"inbox/done/{name}" for name in found]


def test_what_failed_or_waits_or_is_in_work_is_never_old_and_of_a_set_only_the_log(box):
    put(box, "failed/a.txt", "failed/2/a.txt", "b.txt", ".work/c.txt")
    publish(box, "a", "a_1.solution", "a.log", "a.cnf", "a_count.cnf", age=2 * DAY)
    publish(box, "b", "b_1.solution", "b.log", age=DAY / 2)
    assert (old(box, DAY), old(box, 3 * DAY)) == (["outbox/a.log"], [])


def test_logs_that_no_record_lists_are_not_ours_and_without_an_outbox_there_are_none(box):
    publish(box, "a", "a.log", "../outside.log", "gone.log", age=DAY)
    (box.outbox / "gone.log").unlink()
    (box.outbox / "other.log").touch()
    (box.outbox / "b.json").write_text('["other.log"]')
    (box.outbox / ".c.json").write_text((box.outbox / "a.json").read_text())
    assert old(box, 0) == ["outbox/a.log"]
    shutil.rmtree(box.outbox)
    put(box, "done/a.txt")
    assert old(box, 0) == ["inbox/done/a.txt"]


def test_deleting_minds_nothing_that_has_gone_and_spares_what_was_replaced(box):
    put(box, "done/a.txt", "done/b.txt", "done/c.txt", "done/set/a.txt", "fresh/b.txt", "newer")
    (box.inbox / "done/link").symlink_to(box.inbox / "done/b.txt")
    files = expired(box, 0)
    (box.inbox / "done/a.txt").unlink()
    (box.inbox / "newer").rename(box.inbox / "done/c.txt")
    (box.inbox / "done/set").rename(box.inbox / "moved")
    (box.inbox / "fresh").rename(box.inbox / "done/set")
    assert delete_expired(files) == 2
    assert box.kept("done") == {"c.txt", "set/b.txt"}


def test_a_dropped_folder_is_old_as_a_whole_and_a_shelf_never_is(box):
    put(box, "done/set/inner/a.txt", "done/set/b.txt", "done/2/set/a.txt", "done/2/2/a.txt")
    put(box, "done/3/a.txt")
    assert old(box, 0) == [f"inbox/done/{name}" for name in ("2/2", "2/set", "3/a.txt", "set")]
    assert delete_expired(expired(box, 0)) == 4
    assert box.kept("done") == set()
    assert {path.name for path in (box.inbox / "done").iterdir()} == {"2", "3"}


def test_no_link_is_followed_out_of_a_folder_that_goes(box):
    put(box, "precious/a.txt", "done/set/b.txt")
    (box.inbox / "done/set/link").symlink_to(box.inbox / "precious")
    (box.inbox / "done/2").symlink_to(box.inbox / "precious")
    assert delete_expired(expired(box, 0)) == 2
    assert list((box.inbox / "done").iterdir()) == []
    assert (box.inbox / "precious/a.txt").read_text() == "precious/a.txt"


def test_what_cannot_be_deleted_is_told_when_all_else_has_gone(box, monkeypatch):
    put(box, "done/a/a.txt", "done/b.txt")

    def refused(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr(shutil, "rmtree", refused)
    with pytest.raises(PermissionError):
        delete_expired(expired(box, 0))
    assert box.kept("done") == {"a/a.txt"}


def test_of_an_old_archive_the_logs_in_its_tree_are_old_too(box):
    publish_tree(box, "set", "a", "inner/b", "inner/deep/c", age=2 * DAY)
    publish_tree(box, "young", "a", age=DAY / 2)
    logs = ["set.log", "set/a.log", "set/inner/b.log", "set/inner/deep/c.log"]
    assert old(box, DAY) == [f"outbox/{log}" for log in logs]
    delete_expired(expired(box, DAY))
    left = {str(path.relative_to(box.outbox)) for path in box.outbox.rglob("*.log")}
    assert left == {"young.log", "young/a.log"}
    assert (box.outbox / "set/inner/deep/c_1.solution").exists()


def test_a_folder_that_is_no_archives_tree_and_what_a_link_leads_to_are_not_looked_into(box):
    publish_tree(box, "set", "inner/a")
    (box.outbox / "other").mkdir()
    publish(DropFolder(box.inbox, box.outbox / "other"), "b", "b.log")
    (box.outbox / "set/link").symlink_to(box.outbox / "other")
    publish_tree(box, "linked")
    (box.outbox / "linked").symlink_to(box.outbox / "other")
    (box.outbox / "set/inner/stray.log").touch()
    assert old(box, 0) == [f"outbox/{log}" for log in ("linked.log", "set.log", "set/inner/a.log")]


@pytest.mark.parametrize("descriptors", [512, 4096])
def test_a_folder_too_deep_to_be_deleted_is_named_and_the_others_are_deleted(deeply, descriptors):
    """Python opens every level of it; before 3.13 it recurses too, else 4096 are enough."""
    box = DropFolder.within(deeply)
    box.folders.prepare()
    deep = deep_folder(box.inbox / "done/deep", 2400, each=1)
    put(box, "done/z.txt")
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(descriptors, usual[1]), usual[1]))
    named, why = None, "too deep"
    try:
        delete_expired(expired_files(box.folders, 0.0))
    except OSError as error:
        named, why = error.filename, str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    assert "too deep" in why
    assert named == (deep if deep.exists() else None)
    assert deep.exists() or descriptors == 4096
    assert not (box.inbox / "done/z.txt").exists()
