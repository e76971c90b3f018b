"""How a job begins: names that are nobody else's, a claim of what was seen and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claims import at_step, claimed, manifest_of
from support.drop_folders import DropFolder, environment, record_text, wait_for
from support.strategies import examples

from pipeline.outbox.names import claim_key
from pipeline.service.protocol import claiming as claiming_module
from pipeline.service.protocol.claim import (
    LOCK,
    MANIFEST,
    Manifest,
    manifests_in_work,
    read_manifest,
    take_over_abandoned,
)
from pipeline.service.protocol.claiming import Reservations, make_claim
from pipeline.service.protocol.settle import UNKNOWN_FINGERPRINT

RACE = """
import signal, sys
from pathlib import Path
from pipeline.service.protocol.claiming import make_claim
from pipeline.service.protocol.claim import Manifest
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.settle import fingerprint_of
folders = Folders(Path(sys.argv[1]), Path(sys.argv[2]))
def claim(name):
    try:
        seen = fingerprint_of((folders.inbox / name).lstat())
    except FileNotFoundError:
        return None
    return make_claim(folders, Manifest(f"{sys.argv[3]}-{name}", name, name, False, "", seen))
print("ready", flush=True)
sys.stdin.readline()
print(*[name for name in map(str, range(40)) if claim(name)], flush=True)
signal.pause()
"""


@contextmanager
def racing(box, owner):
    """A process that claims what it can when it has read a line; it is killed in the end."""
    argv = [sys.executable, "-c", RACE, box.inbox, box.outbox, owner]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(argv, env=environment(), **pipes) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            yield child
        finally:
            child.kill()


def test_of_several_processes_one_gets_each_file(box):
    for name in range(40):
        box.drop(str(name))
    with racing(box, "a") as a, racing(box, "b") as b:
        for child in (a, b):
            child.stdin.write("go\n")
        won = [child.stdout.readline().split() for child in (a, b)]
        owners = [(name, owner) for owner, names in zip("ab", won, strict=True) for name in names]
        assert sorted(name for name, _ in owners) == sorted(map(str, range(40)))
        told = {manifest.source: manifest.job for manifest in manifests_in_work(box.folders)}
        assert told == {name: f"{owner}-{name}" for name, owner in owners}
    assert box.waiting() == set()


def test_a_name_that_is_in_work_is_not_claimed_again_until_it_is_done(box):
    first = claimed(box)
    assert (box.waiting(), first.original.read_text()) == (set(), "original")
    assert manifests_in_work(box.folders) == [first.manifest]
    assert claimed(box, content="newer") is None
    assert box.waiting() == {"a.txt"}
    first.original.unlink()
    first.remove()
    with closing(make_claim(box.folders, manifest_of(box))) as second:
        assert second.original.read_text() == "newer"


CHANGES = {
    "gone": lambda path: path.unlink(),
    "grown": lambda path: path.write_text("longer than it was"),
    "touched": lambda path: os.utime(path, ns=(1, 1)),
    "replaced": lambda path: path.with_name("new").rename(path),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_after_it_was_seen_goes_back_and_nothing_is_left(box, change):
    path = box.drop("a.txt", "original")
    path.with_name("new").write_text("original")
    manifest = manifest_of(box)
    CHANGES[change](path)
    content = path.exists() and path.read_text()
    assert make_claim(box.folders, manifest) is None
    assert (path.exists() and path.read_text()) == content
    assert box.in_work() == set()


def test_a_changed_file_that_a_newer_one_keeps_from_going_back_stays_claimed_and_is_abandoned(box):
    path = box.drop("a.txt", "original")
    manifest = manifest_of(box)
    path.write_text("changed after it was seen")
    with at_step("claim.taken", lambda: box.drop("a.txt", "newer")):
        assert make_claim(box.folders, manifest) is None
    assert path.read_text() == "newer"
    assert make_claim(box.folders, manifest_of(box)) is None, "the changed one comes first"
    (claim,) = take_over_abandoned(box.folders)
    assert claim.original.read_text() == "changed after it was seen"
    claim.original.unlink()
    claim.remove()
    with closing(make_claim(box.folders, manifest_of(box))) as newer:
        assert newer.original.read_text() == "newer"


def test_a_file_that_is_opened_for_writing_after_it_was_seen_goes_back(box):
    manifest = manifest_of(box, box.drop("a.txt", "one ").name)
    with (box.inbox / "a.txt").open("a") as writer:
        if make_claim(box.folders, manifest) is not None:
            pytest.skip("this filesystem has no leases")
        writer.write("two")
    assert (box.inbox / "a.txt").read_text() == "one two"
    assert box.in_work() == set()


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("nowhere")], ids=["pipe", "link"]
)
def test_what_is_no_file_can_be_claimed_and_put_back(box, make):
    make(box.inbox / "a")
    kind = (box.inbox / "a").lstat().st_mode
    claim = make_claim(box.folders, manifest_of(box, "a"))
    assert claim.original.lstat().st_mode == kind
    assert claim.put_back(box.inbox)
    assert (box.inbox / "a").lstat().st_mode == kind


def test_a_note_of_another_file_does_not_cost_a_claim_its_own(box):
    with closing(claimed(box)) as claim:
        (claim.folder / MANIFEST).write_text(replace(claim.manifest, source="b.txt").text())
    (found,) = take_over_abandoned(box.folders)
    with closing(found):
        assert (found.manifest.job, found.manifest.source) == ("", "a.txt")
        assert found.original.read_text() == "original"


def prepared(folder: Path) -> DropFolder:
    box = DropFolder.within(folder)
    box.folders.prepare()
    return box


def hold(box, source, stem, former=(), *, keep_cnf=False):
    """Be in work under a stem."""
    manifest = Manifest(f"job of {source}", source, stem, keep_cnf, "", UNKNOWN_FINGERPRINT, former)
    folder = box.folders.work / claim_key(source)
    folder.mkdir(exist_ok=True)
    (folder / MANIFEST).write_text(manifest.text())


def publish(box, source, stem, former=(), *, keep_cnf=False):
    """End the work with a published set, which replaces earlier ones."""
    for other in former:
        (box.outbox / f"{other}.json").unlink(missing_ok=True)
    names = [f"{stem}_1.solution", f"{stem}.log"]
    names += [f"{stem}.cnf", f"{stem}_count.cnf"] if keep_cnf else []
    (box.outbox / f"{stem}.json").write_text(record_text(source, *names))
    folder = box.folders.work / claim_key(source)
    if folder.exists():
        (folder / MANIFEST).unlink()
        folder.rmdir()


def reserve(box, source, *, keep_cnf=False, reservations=None, then=hold):
    reserver = reservations or Reservations(box.folders)
    with reserver.locked():
        manifest = reserver.reserve(source, UNKNOWN_FINGERPRINT, keep_cnf=keep_cnf)
        stem, former = manifest.stem, manifest.former
        then(box, source, stem, former, keep_cnf=keep_cnf)
    return stem


@pytest.mark.parametrize("then", [hold, publish])
@pytest.mark.parametrize(
    ("sources", "stems"),
    [
        (["a.txt", "b.txt"], ["a", "b"]),
        (["a.txt", "a.sdk"], ["a", "a.sdk"]),
        (["a.txt", "A.txt"], ["a", "A.txt"]),
        (["a.txt", "A.txt", "a.TXT"], ["a", "A.txt", "a.TXT~2"]),
        (["\u00e9.txt", "e\u0301.txt"], ["\u00e9", "e\u0301.txt"]),
        (["a.txt", "a.txt.gz"], ["a", "a.txt.gz"]),
        (["a.txt.txt", "a.sdk", "a.txt"], ["a.txt", "a", "a.txt~2"]),
        (["a.txt", "a_1.solution"], ["a", "a_1"]),
        (["a.txt", "a_count.txt"], ["a", "a_count"]),
        (["x" * 250, "x" * 249 + "y"], None),
        (["a.b.txt", "a.txt"], ["a.b", "a"]),
    ],
)
def test_no_two_sources_get_the_same_names(box, sources, stems, then):
    got = [reserve(box, source, then=then) for source in sources]
    assert len(set(got)) == len(sources)
    assert stems is None or got == stems


@pytest.mark.parametrize("then", [hold, publish])
def test_kept_cnfs_collide_with_a_source_called_count_whichever_comes_first(box, then):
    assert reserve(box, "a.txt", keep_cnf=True, then=then) == "a"
    assert reserve(box, "a_count.txt", keep_cnf=True, then=then) == "a_count.txt"
    assert reserve(box, "B_COUNT.txt", keep_cnf=True, then=then) == "B_COUNT"
    assert reserve(box, "b.txt", keep_cnf=True, then=then) == "b.txt"
    assert reserve(box, "b.sdk", then=then) == "b"


def test_without_both_cnfs_there_is_no_collision_with_count(box):
    for source, kept in (("a", True), ("b", False)):
        assert reserve(box, f"{source}.txt", keep_cnf=kept) == source
        assert reserve(box, f"{source}_count.txt", keep_cnf=not kept) == f"{source}_count"


def test_a_source_that_comes_again_keeps_its_stem_though_a_shorter_one_has_become_free(box):
    stems = {"a.txt": "a", "a.sdk": "a.sdk", "a.TXT": "a.TXT"}
    for source, stem in (*stems.items(), *reversed(stems.items())):
        assert reserve(box, source, then=publish) == stem
    (box.outbox / "a.json").unlink()
    assert reserve(box, "a.sdk", then=publish) == "a.sdk"
    assert reserve(box, "a.txt", then=publish) == "a"


def test_a_source_that_needs_another_stem_is_told_those_it_has_used(box):
    reserve(box, "a.txt", then=publish)
    reserve(box, "a_count.txt", keep_cnf=True, then=publish)
    for keep_cnf, told in {True: ("a.txt", ("a",)), False: ("a", ())}.items():
        reservations = Reservations(box.folders)
        with reservations.locked():
            manifest = reservations.reserve("a.txt", UNKNOWN_FINGERPRINT, keep_cnf=keep_cnf)
        assert (manifest.stem, manifest.former) == told


def test_an_earlier_set_holds_its_names_until_the_one_of_another_stem_has_replaced_it(box):
    reserve(box, "a.txt", then=publish)
    reserve(box, "a_count.txt", keep_cnf=True, then=publish)
    assert reserve(box, "a.txt", keep_cnf=True) == "a.txt"
    assert reserve(box, "a.sdk", then=publish) == "a.sdk"
    publish(box, "a.txt", "a.txt", ("a",), keep_cnf=True)
    assert reserve(box, "a.ss") == "a"


def test_a_reservation_is_seen_by_another_that_had_looked_before(box):
    one, other = Reservations(box.folders), Reservations(box.folders)
    assert reserve(box, "a.txt", reservations=one) == "a"
    assert reserve(box, "a.sdk", reservations=other) == "a.sdk"
    assert reserve(box, "a.ss", reservations=one) == "a.ss"
    assert reserve(box, "A.SDK", reservations=one) == "A.SDK~2"


def fail(*_, **__):
    raise OSError("on purpose")


def test_what_is_no_longer_held_is_free_and_a_reservation_that_fails_holds_nothing(box):
    reservations = Reservations(box.folders)
    with pytest.raises(OSError, match="on purpose"):
        reserve(box, "a.txt", reservations=reservations, then=fail)
    assert reserve(box, "a.sdk", then=publish, reservations=reservations) == "a"
    (box.outbox / "a.json").unlink()
    assert reserve(box, "a.ss", reservations=reservations) == "a"


def test_the_claims_in_work_are_read_once_however_many_names_are_reserved(box, monkeypatch):
    """Else dropping files again takes quadratic time."""
    for number in range(4):
        reserve(box, f"{number}.txt", then=publish)
    calls = []
    monkeypatch.setattr(claiming_module, "manifests_in_work", lambda _: calls.append(1) or [])
    reservations = Reservations(box.folders)
    with reservations.locked():
        listed = len(calls)
        stems = [
            reservations.reserve(f"{number}.txt", UNKNOWN_FINGERPRINT, keep_cnf=False).stem
            for number in range(4)
        ]
        assert stems == ["0", "1", "2", "3"]
        assert reservations.reserve("0.sdk", UNKNOWN_FINGERPRINT, keep_cnf=False).stem == "0.sdk"
    assert len(calls) <= listed + 1


def test_one_reserves_at_a_time(box):
    """The lock is the open file's: threads that open it exclude each other as processes do."""
    told = []
    other = Thread(target=lambda: told.append(reserve(box, "a.sdk")))
    reservations = Reservations(box.folders)
    with reservations.locked():
        stem = reservations.reserve("a.txt", UNKNOWN_FINGERPRINT, keep_cnf=False).stem
        other.start()
        wait_for(lambda: len(opened_by_us(box.outbox / ".lock")) == 2)
        hold(box, "a.txt", stem)
        assert told == []
    other.join()
    assert told == ["a.sdk"]


def test_a_lock_that_somebody_holds_is_not_waited_for_for_good(box):
    with (
        Reservations(box.folders).locked(),
        pytest.raises(BlockingIOError) as caught,
        Reservations(box.folders, patience=0.01).locked(),
    ):
        pass
    assert box.folders.is_environment_fault(caught.value), "the pass ends; no file is at fault"


def opened_by_us(path):
    """Our descriptors of a file."""
    links = Path("/proc/self/fd").iterdir()
    return [link for link in links if link.exists() and link.samefile(path)]


def folded_outputs(stem, *, keep_cnf):
    """What a job with this stem may write, by the contract, with numbers as they come."""
    ends = [".json", ".log", "_1.solution", "_2.solution", "_11.solution"]
    ends += [".cnf", "_count.cnf"] if keep_cnf else []
    names = (unicodedata.normalize("NFC", stem + end).casefold() for end in ends)
    return {unicodedata.normalize("NFC", name) for name in names}


chunks = ["a", "A", "_count", "_COUNT", "_1", ".txt", ".gz", ".solution", ".json", ".log", ".cnf"]
chunks += ["~2", "\u00e9", "e\u0301", "\u00df", "ss", " ", "-", "x" * 200]
sources = (
    st.lists(st.sampled_from(chunks), min_size=1, max_size=4)
    .map("".join)
    .filter(lambda name: name[0] != "." and len(os.fsencode(name)) <= 255)
)
drops = st.tuples(sources, st.booleans(), st.booleans(), st.booleans())


@examples(19)
@given(st.lists(drops, max_size=12))
def test_whatever_is_dropped_no_two_sources_share_a_name(sequence):
    """Each drop: its source, who of two reserves, whether CNFs are kept, whether it ends."""
    with tempfile.TemporaryDirectory() as folder:
        box = prepared(Path(folder))
        reservers = Reservations(box.folders), Reservations(box.folders)
        held: dict[str, dict[str, bool]] = {}
        working: set[str] = set()
        for source, who, keep_cnf, ends in sequence:
            if source in working:
                continue
            then = publish if ends else hold
            stem = reserve(box, source, keep_cnf=keep_cnf, reservations=reservers[who], then=then)
            if not ends:
                working.add(source)
            mine = folded_outputs(stem, keep_cnf=keep_cnf)
            for other, stems in held.items():
                for its, kept in stems.items():
                    if other != source:
                        assert not mine & folded_outputs(its, keep_cnf=kept), (stem, its)
            held[source] = {**({} if ends else held.get(source, {})), stem: keep_cnf}


def test_a_claim_that_was_put_aside_is_used_again_and_one_whose_folder_has_gone_is_not_missed(box):
    first = claimed(box)
    first.original.unlink()
    spare_claims = [first.make_spare()]
    assert not first.is_held
    box.drop("b.txt", "second")
    with closing(
        make_claim(box.folders, manifest_of(box, "b.txt", job="two"), None, spare_claims)
    ) as second:
        assert (second.original.read_text(), second.manifest.job, spare_claims) == (
            "second",
            "two",
            [],
        )
        assert read_manifest(second.folder) == second.manifest
        second.original.unlink()
        spare_claims = [second.make_spare()]
        shutil.rmtree(box.inbox)
        box.inbox.mkdir()
        box.folders.prepare()
        box.drop("c.txt", "third")
        with closing(
            make_claim(box.folders, manifest_of(box, "c.txt"), None, spare_claims)
        ) as third:
            assert third.original.read_text() == "third"
    assert box.in_work() == {claim_key("c.txt")}


def test_a_claim_that_was_put_aside_is_not_used_again_once_others_could_lock_it(box):
    first = claimed(box)
    first.original.unlink()
    spare = first.make_spare()
    (spare.folder / LOCK).unlink()  # as one who clears up old files does
    box.drop("b.txt", "second")
    with closing(make_claim(box.folders, manifest_of(box, "b.txt"), None, [spare])) as second:
        assert [*take_over_abandoned(box.folders)] == []
        assert second.original.read_text() == "second"
    assert box.in_work() == {claim_key("b.txt")}
