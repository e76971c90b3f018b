"""Publishing: a set appears as a whole, its record last."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from support.claims import at_step, manifest_of
from support.drop_folders import DropFolder, record_text

from pipeline.outbox import record_of
from pipeline.service.protocol.claim import MANIFEST, Claim, read_manifest
from pipeline.service.protocol.claiming import make_claim
from pipeline.service.protocol.publish import (
    OutputSet,
    move_originals,
    publish,
    published_record,
    remove_orphans,
    temporary_path,
)

TWO = {"a_1.solution": "1", "a_2.solution": "2", "a.log": "log"}
ONE = {"a_1.solution": "other", "a.log": "other log"}
JOB, OTHER_JOB = "20260102T030405-0123456789", "20260102T030405-ab"


def claim_of(box, source="a.txt", stem="a", job=JOB):
    box.drop(source)
    return make_claim(box.folders, manifest_of(box, source, stem=stem, job=job))


@dataclass
class Made:
    """Texts by name, and a record that lists them."""

    claim: Claim
    texts: dict[str, str | Iterable[str]]

    def files(self, _stem, _claimed, _finished):
        for name, text in self.texts.items():
            yield name, [text] if isinstance(text, str) else text

    def record(self, hashes, _finished):
        listed = [{"name": name, "sha256": hashed} for name, hashed in hashes.items()]
        manifest = self.claim.manifest
        return record_of(json.loads(record_text(manifest.source, job=manifest.job, files=listed)))


def set_of(claim, files, tree=None):
    made = Made(claim, files)
    return claim, OutputSet(claim.manifest.stem, made, "", datetime.now(UTC), tree=tree)


def publish_set(box, claim, files):
    """Publish these texts with a record."""
    publish([set_of(claim, files)], box.folders)


def published(box, files, source="a.txt", stem="a", job=JOB):
    """A finished job with these files."""
    claim = claim_of(box, source, stem, job)
    publish_set(box, claim, files)
    move_originals([(claim, False)], box.folders)


def contents(box):
    texts = {path.name: path.read_text() for path in box.outbox.iterdir() if path.is_file()}
    return {name: text for name, text in texts.items() if not name.endswith(".json")}


def full_disk(*before):
    """Pieces of text, and then no room."""
    yield from before
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_set_has_its_files_and_a_record_that_lists_them_with_their_hashes(box):
    with closing(claim_of(box)) as claim:
        publish_set(box, claim, TWO | {"a.cnf": ["p cnf ", "0 0\n"]})
    assert contents(box) == TWO | {"a.cnf": "p cnf 0 0\n"}
    assert {file["name"]: file["sha256"] for file in box.record("a")["files"]} == {
        name: sha256(text.encode()).hexdigest() for name, text in contents(box).items()
    }


def test_the_record_comes_last(box):
    seen = set()
    with (
        closing(claim_of(box)) as claim,
        at_step("publish.cleared", lambda: seen.update(box.published())),
    ):
        publish_set(box, claim, TWO)
    assert {name for name in seen if name[0] != "."} == set(TWO)
    assert box.published() == {*TWO, "a.json"}


def test_nothing_is_replaced_before_all_new_files_and_the_notes_are_durable(box, synced):
    published(box, TWO)
    claims = [claim_of(box, job=OTHER_JOB), claim_of(box, "b.txt", "b", OTHER_JOB + "b")]

    def check():
        fresh = list(box.outbox.glob(".*.tmp"))
        assert len(fresh) == 4
        for path in (*(claim.folder / MANIFEST for claim in claims), *fresh):
            assert synced[path.stat().st_ino] == path.stat().st_size
        assert all(claim.folder.stat().st_ino in synced for claim in claims), "the notes' names"
        assert all(read_manifest(claim.folder).files for claim in claims)

    with at_step("publish.withdrawn", check):
        publish(
            [set_of(claim, {f"{claim.manifest.stem}.log": "log"}) for claim in claims], box.folders
        )
    for claim in claims:
        claim.close()


def test_records_come_when_the_names_of_all_other_files_are_durable_and_originals_go_last(
    box, synced
):
    """A filesystem that logs single folders may have an original in both."""

    def cleared():
        assert list(synced)[-1] == box.outbox.stat().st_ino
        assert not box.has_record("a")
        synced.clear()

    claim = claim_of(box)
    with at_step("publish.cleared", cleared):
        publish_set(box, claim, TWO)
    assert list(synced)[-1] == box.outbox.stat().st_ino
    synced.clear()
    with at_step("finish.moved", lambda: synced.update(moved=1)):
        move_originals([(claim, False)], box.folders)
    moved = [path.stat().st_ino for path in (box.inbox, box.inbox / "done")]
    assert list(synced) == [*moved, "moved"]


def test_what_an_interrupted_attempt_has_left_under_a_temporary_name_is_replaced(box):
    with closing(claim_of(box)) as claim:
        for number in range(2):
            path = temporary_path(claim, box.folders, str(number))
            path.write_text("left by an earlier attempt")
        publish_set(box, claim, ONE)
    assert contents(box) == ONE
    assert not any(name.startswith(".") for name in box.published())


def test_an_earlier_set_is_whole_until_everything_new_is_written(box):
    published(box, TWO)
    before = box.record("a")

    def text():
        assert contents(box).items() >= TWO.items()
        assert box.record("a") == before
        yield "late"

    with closing(claim_of(box, job=OTHER_JOB)) as claim:
        publish_set(box, claim, ONE | {"a.cnf": text()})
    assert contents(box) == ONE | {"a.cnf": "late"}
    assert box.record("a")["job"] == OTHER_JOB


def test_an_earlier_set_is_replaced_by_its_list_and_never_by_a_pattern(box):
    published(box, {"a_1_1.solution": "another's", "a_1.log": "another's"}, "a_1.txt", "a_1")
    published(box, TWO)
    (box.outbox / "a_3.solution").write_text("not listed")
    published(box, ONE)
    others = {"a_1_1.solution": "another's", "a_1.log": "another's", "a_3.solution": "not listed"}
    assert contents(box) == ONE | others
    assert box.has_record("a_1")


def test_a_record_that_lists_names_of_others_deletes_none_of_them(box):
    published(box, {"b_1.solution": "another's"}, "b.txt", "b")
    listed = ["b_1.solution", "b.json", "../outside", "a_9.solution", "..", ".lock"]
    listed += ["/etc/hostname", "a/../../outside"]
    (box.outbox / "a.json").write_text(record_text("a.txt", *listed))
    (box.outbox.parent / "outside").touch()
    (box.outbox / "a_9.solution").touch()
    published(box, ONE)
    assert contents(box) == ONE | {"b_1.solution": "another's"}
    assert box.has_record("b")
    assert (box.outbox.parent / "outside").exists()


@pytest.mark.parametrize("before", [[], ["some text"]])
def test_a_full_disk_leaves_the_earlier_set_whole_and_no_litter(box, before):
    published(box, TWO)
    whole = box.published(), contents(box), box.record("a")
    with closing(claim_of(box, job=OTHER_JOB)) as claim:
        for name in ("a_1.solution", "a_2.solution", "a.log", "a.cnf"):
            with pytest.raises(OSError, match="No space"):
                publish_set(box, claim, ONE | {name: full_disk(*before)})
            assert claim.manifest.files == (), "nothing has been touched yet"
            assert whole == (box.published(), contents(box), box.record("a"))


@pytest.mark.parametrize("step", ["saved", "withdrawn", "renaming", "renamed", "cleared"])
def test_a_fault_in_the_middle_leaves_no_litter_and_is_mended_by_doing_it_again(box, step):
    def fail():
        raise OSError(errno.EIO, "Input/output error")

    published(box, TWO | {"a_3.solution": "3"})
    with closing(claim_of(box, job=OTHER_JOB)) as claim:
        with at_step(f"publish.{step}", fail), pytest.raises(OSError, match="Input"):
            publish_set(box, claim, TWO)
        assert published_record(claim, box.folders) is None, "the earlier set is another job's"
        assert not any(name.startswith(".") for name in box.published())
        publish_set(box, claim, ONE)
        assert published_record(claim, box.folders).job == claim.manifest.job
    assert contents(box) == ONE


def test_originals_go_where_they_belong_and_none_is_overwritten(box):
    for is_failed in (False, True, True):
        move_originals([(claim_of(box), is_failed)], box.folders)
    assert (box.kept("done"), box.kept("failed")) == ({"a.txt"}, {"a.txt", "2/a.txt"})
    assert box.in_work() == set()


def test_a_folder_in_the_way_of_a_name_leaves_everything_as_it_was(box):
    published(box, TWO)
    for name in ("a_1.solution", "a.json"):
        (box.outbox / name).unlink()
        (box.outbox / name).mkdir()
        before = box.published(), contents(box)
        with closing(claim_of(box, source="a.txt", job=OTHER_JOB)) as claim:
            with pytest.raises(IsADirectoryError):
                publish_set(box, claim, ONE)
            assert claim.manifest.files == ()
            assert (box.published(), contents(box)) == before
            claim.put_back(box.inbox)
        (box.outbox / name).rmdir()


def test_somebody_elses_folder_of_an_archives_name_leaves_everything_as_it_was(box):
    (box.outbox / "a").mkdir()
    (box.outbox / "a" / "precious").write_text("x")
    tree = box.outbox / ".growing"
    tree.mkdir()
    with closing(claim_of(box, "a.zip")) as claim:
        with pytest.raises(IsADirectoryError):
            publish([set_of(claim, {"a.csv": "new"}, tree)], box.folders)
        assert claim.manifest.files == ()
    assert box.published() == {"a", ".growing"}
    assert (box.outbox / "a" / "precious").read_text() == "x"


def test_the_sets_of_former_stems_are_replaced_as_well_and_nobody_elses(box):
    published(box, TWO | {"a.cnf": "kept"})
    published(box, {"a.txt_1.solution": "another's"}, "a.txt.txt", "a.txt")
    box.drop("a.txt")
    manifest = replace(manifest_of(box, stem="a.txt~2"), former=("a", "a.txt"))
    claim = make_claim(box.folders, manifest)
    publish_set(box, claim, {"a.txt~2.log": "new"})
    move_originals([(claim, False)], box.folders)
    assert contents(box) == {"a.txt~2.log": "new", "a.txt_1.solution": "another's"}
    assert {path.stem for path in box.outbox.glob("*.json")} == {"a.txt", "a.txt~2"}


def test_outputs_are_as_the_umask_wants_them(box):
    before = os.umask(0o027)
    try:
        published(box, ONE)
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in box.outbox.iterdir() if path.name != ".lock"}
    assert modes == {0o640}


def temporary_file(box, claim):
    """What a kill between writing and renaming leaves."""
    seen = []

    def text():
        seen.extend(path for path in box.outbox.iterdir() if path.name != ".lock")
        yield from full_disk()

    with suppress(OSError):
        publish_set(box, claim, {"a_1.solution": text()})
    (path,) = seen
    path.touch()
    return path


def clear_orphans(box):
    remove_orphans(box.folders)


def test_temporary_files_are_removed_only_when_their_job_is_no_longer_in_work(box):
    claim = claim_of(box)
    path = temporary_file(box, claim)
    clear_orphans(box)
    assert path.exists()
    claim.put_back(box.inbox)
    clear_orphans(box)
    assert not path.exists()


def test_orphans_of_another_inbox_and_what_is_not_ours_are_left_alone(box, tmp_path):
    other = DropFolder(tmp_path / "other", box.outbox)
    other.inbox.mkdir()
    other.folders.prepare()
    claim = claim_of(other)
    path = temporary_file(other, claim)
    claim.put_back(other.inbox)
    names = [".tmp", ".a.tmp", f".xyz-{JOB}-1.tmp", f"{path.name}.more", ".gitkeep"]
    for name in names:
        (box.outbox / name).touch()
    clear_orphans(box)
    assert box.published() == {path.name, *names}
    clear_orphans(other)
    assert box.published() == set(names)
