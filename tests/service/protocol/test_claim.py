"""Claims: one owner, whose death leaves all that the next one must know."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import tempfile
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.breakers import WAIT
from support.claims import claimed
from support.drop_folders import SMALL
from support.strategies import examples

from pipeline.files import is_file_name
from pipeline.service.protocol.checkpointed import PROGRESS, CheckpointedFiles
from pipeline.service.protocol.claim import (
    LOCK,
    MANIFEST,
    Manifest,
    last_json_object,
    manifests_in_work,
    new_job_id,
    read_manifest,
    take_over_abandoned,
)
from pipeline.service.protocol.overview import claim_descriptions
from pipeline.service.protocol.settle import UNKNOWN_FINGERPRINT, Fingerprint

WHOLE = Manifest("job", "a.txt", "a", keep_cnf=False, claimed="", fingerprint=UNKNOWN_FINGERPRINT)
FORGED: list[dict[str, object]] = [
    *({"source": name} for name in (["a.txt"], "../a.txt", "a\0b", "", 3, None)),
    *({"stem": name} for name in ([], "../a", 3)),
    *({"job": "../job"}, {"former": ["../a"]}, {"claimed": "now"}, {"more": 1}),
    *({"files": [name]} for name in ("../../a", 3, "/etc/passwd", "a//")),
]
"""What is not what we would write in a note."""


def taken_over(box):
    """The one claim whose owner has died, to be closed."""
    (claim,) = take_over_abandoned(box.folders)
    return closing(claim)


def test_a_claim_is_abandoned_only_when_its_owner_has_died_and_its_attempt_stays_counted(
    box, bench
):
    box.drop("a.txt")
    owner = bench.start("run", "--workers", "1", step="attempt.counted", what=WAIT)
    bench.wait_until_held()
    assert list(take_over_abandoned(box.folders)) == []
    owner.kill()
    owner.wait()
    with taken_over(box) as claim:
        assert claim.manifest.source == "a.txt"
        assert claim.original.read_text() == SMALL
        assert claim.attempts() == 1
        assert list(take_over_abandoned(box.folders)) == [], "it has a new owner"
    with taken_over(box):
        pass


def test_the_lock_says_for_people_who_has_the_claim(box):
    with closing(claimed(box)) as claim:
        words = f"process {os.getpid()} on {os.uname().nodename}"
        assert (claim.folder / LOCK).read_text() == f"attempts at job: 0\n{words}\n"
        assert list(claim_descriptions(box.folders)) == [(claim.manifest, words)]
    ((_, words),) = claim_descriptions(box.folders)
    assert words.startswith("no process is working on it")


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_claim_is_put_back_as_it_was_also_where_a_crash_had_cut_that(box, is_cut):
    claim = claimed(box)
    inode = claim.original.stat().st_ino
    if is_cut:
        os.link(claim.original, box.inbox / "a.txt")
    assert claim.put_back(box.inbox)
    status = (box.inbox / "a.txt").stat()
    assert (status.st_ino, status.st_nlink) == (inode, 1)
    assert box.in_work() == set()


def test_putting_back_never_hides_a_newer_file(box):
    with closing(claimed(box)) as claim:
        box.drop("a.txt", "newer")
        assert not claim.put_back(box.inbox)
        assert (box.inbox / "a.txt").read_text() == "newer"
        assert claim.original.read_text() == "original"
        assert len(box.in_work()) == 1


def test_an_attempt_counts_until_it_ends_and_for_good_where_it_does_not(box):
    with closing(claimed(box)) as claim:
        claim.count_attempt()
        with claim.attempt():
            assert claim.attempts() == 2
        assert claim.attempts() == 1
        for error in (ValueError, SystemExit):
            with pytest.raises(error), claim.attempt(uncounted=(SystemExit,)):
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


def test_files_to_clear_away_are_saved_and_added_to(box):
    with closing(claimed(box)) as claim:
        claim.save_files(["b", "a/"])
        claim.save_files(["c", "b"])
    with taken_over(box) as again:
        assert again.manifest == claim.manifest == replace(claim.manifest, files=("a/", "b", "c"))


def test_a_note_is_durable_before_any_progress_is(box, synced):
    with closing(claimed(box)) as claim:
        growing = CheckpointedFiles(claim, box.folders)
        assert (claim.folder / MANIFEST).stat().st_ino not in synced
        growing.append("a.csv", b"row\n")
        growing.checkpoint({"steps": 1})
        paths = (
            growing.path("a.csv"),
            claim.folder / MANIFEST,
            claim.folder,
            claim.folder / PROGRESS,
        )
        assert list(synced)[-1] == paths[-1].stat().st_ino
        assert all(path.stat().st_ino in synced for path in paths)


@pytest.mark.parametrize("cut", [1, 2, 50, 1000], ids=lambda cut: f"all but {cut}")
def test_a_note_that_was_cut_off_while_it_was_added_to_is_read_and_added_to(box, cut):
    with closing(claimed(box)) as claim:
        claim.save_files(["a"])
        with (claim.folder / MANIFEST).open("a") as file:
            file.write("\n" + replace(claim.manifest, files=("b",)).text()[: -1 - cut])
        assert read_manifest(claim.folder) == claim.manifest
        claim.save_files(["c"])
    with taken_over(box) as found:
        assert found.manifest.files == ("a", "c")


def test_of_a_claim_whose_note_is_lost_or_forged_the_file_is_still_found(box):
    with closing(claimed(box)) as claim:
        texts = ["", "{", "[]\n", "{}\n", '{"fingerprint": [1]}\n', "\xff", "[" * 200_000]
        texts += [json.dumps(asdict(WHOLE) | change) + "\n" for change in FORGED]
        for text in texts:
            (claim.folder / MANIFEST).write_text(text)
            assert read_manifest(claim.folder) == replace(WHOLE, job="", stem=""), text[:40]


def test_a_claim_without_its_file_is_removed(box):
    with closing(claimed(box)) as claim:
        claim.original.unlink()
    assert list(take_over_abandoned(box.folders)) == []
    assert box.in_work() == set()


def test_what_was_being_prepared_by_the_dead_is_removed_but_not_by_the_living(box):
    litter = box.folders.work / ".new-job"
    litter.mkdir()
    (litter / LOCK).touch()
    with (box.folders.work / ".preparing").open("w") as preparing:
        fcntl.flock(preparing, fcntl.LOCK_SH)
        assert list(take_over_abandoned(box.folders)) == []
        assert box.in_work() == {".new-job"}
    assert list(take_over_abandoned(box.folders)) == []
    assert box.in_work() == set()


file_names = st.binary().map(os.fsdecode).filter(is_file_name)
saved = st.builds(str.__add__, file_names, st.sampled_from(["", "/"]))


@examples(25)
@given(file_names, st.lists(saved), st.lists(file_names), st.integers(0), st.booleans())
def test_a_note_is_read_as_it_was_written(source, files, former, number, keep_cnf):
    fingerprint = Fingerprint(number, number + 1, number + 2)
    lists = tuple(former), tuple(files)
    manifest = Manifest(
        "job", source, source, keep_cnf, "2026-01-02T03:04:05Z", fingerprint, *lists
    )
    assert manifest.text().isascii()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "note")
        path.write_text("{}\n" + manifest.text() + "\n" + manifest.text()[:-2])
        assert Manifest.from_values(last_json_object(path)) == manifest


def test_job_ids_differ_and_sort_by_time(box):
    now = datetime.now(UTC)
    assert len({new_job_id(now) for _ in range(1000)}) == 1000
    assert new_job_id(now) < new_job_id(now + timedelta(seconds=1))
    assert manifests_in_work(box.folders) == []


def test_a_file_that_leaves_the_inbox_while_a_claim_is_taken_over_does_not_keep_the_claim(
    box, monkeypatch
):
    claim = claimed(box)
    os.link(claim.original, box.inbox / "a.txt")
    claim.close()
    lstat = Path.lstat

    def vanishing(path):
        if path == box.inbox / "a.txt":
            path.unlink(missing_ok=True)
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", vanishing)
    with taken_over(box) as found:
        assert found.original.read_text() == "original"


def test_a_claim_that_cannot_be_looked_into_is_not_held(box, monkeypatch):
    claimed(box).close()

    def denied(_folder):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("pipeline.service.protocol.claim.read_manifest", denied)
        assert list(take_over_abandoned(box.folders)) == []
    with taken_over(box) as found:
        assert found.is_held
