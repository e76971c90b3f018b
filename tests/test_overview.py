"""What is where in the folders, as `status` tells it."""

from __future__ import annotations

import os
from contextlib import closing

import pytest
from claiming import claimed
from dropping import DropFolder, record_text

from pipeline.dropbox.claim import LOCK
from pipeline.dropbox.note import NOTE
from pipeline.dropbox.overview import LONG_AGO, Entry, Overview, stamp_scan, survey
from pipeline.dropbox.recover import abandoned
from pipeline.dropbox.scan import has_writer
from pipeline.published.originals import files_in

SETTLE = 2.0
OURS = f"process {os.getpid()} on {os.uname().nodename}"


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


def surveyed(box):
    return survey(box.folders, SETTLE)


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


def test_of_an_empty_inbox_that_was_never_scanned_there_is_nothing_to_say(tmp_path):
    box = DropFolder.within(tmp_path)
    assert surveyed(box) == Overview()
    assert not Overview().is_stuck
    assert list(tmp_path.rglob("*")) == [box.inbox], "nothing is made"


def test_a_missing_inbox_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        survey(DropFolder(tmp_path / "inbox", tmp_path).folders, SETTLE)


def test_what_is_complete_waits(box):
    for name in ("b.txt", "a.txt", os.fsdecode(b"\xff.txt")):
        box.drop(name)
    waiting = surveyed(box).waiting
    assert waiting == [Entry("a.txt"), Entry("b.txt"), Entry("\udcff.txt")]


def test_what_will_be_refused_waits_with_the_reason(box):
    (box.inbox / "link").symlink_to("nowhere")
    os.mkfifo(box.inbox / "pipe")
    waiting = surveyed(box).waiting
    assert waiting == [Entry("link", "it is a link"), Entry("pipe", "it is a named pipe")]


def test_what_may_not_be_complete_is_settling_with_the_reason(box):
    box.drop("empty.txt", "")
    with box.drop("written.txt").open("a") as writer:
        if has_writer(writer.fileno()) is None:
            pytest.skip("this filesystem has no leases")
        overview = surveyed(box)
    assert overview.settling == [
        Entry("empty.txt", "it is still empty"),
        Entry("written.txt", "a writer has it open"),
    ]
    assert overview.waiting == []


def test_what_is_passed_over_is_ignored_with_the_reason_but_for_hidden_names(box):
    (box.inbox / "set").mkdir()
    for name in ("a.part", ".hidden"):
        box.drop(name)
    ignored = {entry.name: entry.note for entry in surveyed(box).ignored}
    assert ignored == {"a.part": "a temporary name"}


def test_what_is_in_work_is_told_with_who_has_it(box):
    with closing(claimed(box)):
        assert surveyed(box).in_work == [Entry("a.txt", OURS)]
    ((name, note),) = ((entry.name, entry.note) for entry in surveyed(box).in_work)
    assert (name, note) == ("a.txt", "abandoned; the next scan takes it up")


def test_a_claim_whose_note_is_lost_is_told_by_its_file(box):
    with closing(claimed(box)) as claim:
        (claim.folder / NOTE).unlink()
        assert surveyed(box).in_work == [Entry("a.txt", OURS)]


def test_a_claim_in_preparation_is_not_in_work_yet(box):
    fresh = box.folders.work / ".new-job"
    fresh.mkdir()
    (fresh / LOCK).touch()
    assert surveyed(box).in_work == []


def test_a_newer_file_of_a_name_in_work_waits(box):
    with closing(claimed(box)):
        box.drop("a.txt", "newer")
        overview = surveyed(box)
    assert (names(overview.in_work), names(overview.waiting)) == (["a.txt"], ["a.txt"])


@pytest.mark.parametrize("stem", ["a", "a.txt", "a.txt~2"])
def test_what_failed_is_told_with_the_reason_that_its_record_gives(box, stem):
    record(box, "a", "a.sdk", message="another's")
    record(box, stem, "a.txt", status="invalid", message="a.txt:1:1: no")
    (box.inbox / "failed/a.txt").touch()
    assert surveyed(box).failed == [Entry("a.txt", "a.txt:1:1: no")]


def test_what_failed_without_a_message_is_told_with_its_status(box):
    record(box, "a", "a.txt", status="failed", message=None)
    (box.inbox / "failed/a.txt").touch()
    assert surveyed(box).failed == [Entry("a.txt", "failed")]


def test_what_failed_and_has_no_record_is_told_too(box):
    (box.inbox / "failed/a.txt").symlink_to("nowhere")
    assert surveyed(box).failed == [Entry("a.txt", "its record is gone")]


def test_a_newer_file_that_went_well_gives_no_reason_for_one_that_failed(box):
    record(box, "a", "a.txt", status="unique", message=None)
    (box.inbox / "failed/a.txt").touch()
    assert surveyed(box).failed != [Entry("a.txt", "unique")]


def test_all_originals_of_one_name_are_counted(box):
    for folder in ("done", "failed"):
        for shelf in (".", "2", "3"):
            (box.inbox / folder / shelf).mkdir(exist_ok=True)
            (box.inbox / folder / shelf / "a.txt").touch()
    overview = surveyed(box)
    assert (overview.done, names(overview.failed)) == (3, ["a.txt"] * 3)


def test_a_file_or_link_with_a_number_for_a_name_is_an_original_and_no_shelf(tmp_path):
    (tmp_path / "2").write_text("a puzzle")
    (tmp_path / "3").mkdir()
    (tmp_path / "3/2").touch()
    (tmp_path / "4").symlink_to("/")
    found = [str(path.relative_to(tmp_path)) for path in files_in(tmp_path)]
    assert found == ["2", "3/2", "4"]
    assert list(files_in(tmp_path / "missing")) == []


def test_the_age_of_the_last_scan_is_told(box):
    assert surveyed(box).scan_age is None
    scanned(box, 0)
    assert 0 <= surveyed(box).scan_age < LONG_AGO
    scanned(box, 1000)
    assert 1000 <= surveyed(box).scan_age < 1000 + LONG_AGO
    scanned(box, -1000)  # a clock was set back
    assert surveyed(box).scan_age is None


@pytest.mark.parametrize(
    ("scan_age", "stuck"),
    [(None, True), (LONG_AGO + 1, True), (LONG_AGO, False), (0.0, False)],
)
def test_files_are_stuck_when_they_wait_and_nobody_has_looked_for_long(scan_age, stuck):
    assert Overview(waiting=[Entry("a.txt")], scan_age=scan_age).is_stuck is stuck
    assert not Overview(failed=[Entry("a.txt")], done=1, scan_age=scan_age).is_stuck


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_files_that_whoever_asks_may_not_lease_are_stuck_as_well(box, monkeypatch):
    os.utime(box.drop("a.txt"), (0, 0))
    scanned(box, 10 * LONG_AGO)
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
    (claim,) = abandoned(box.folders)
    claim.close()
