"""Who may write which names of the outbox."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import pytest
from dropping import DropFolder, environment, record_text
from hypothesis import given
from hypothesis import strategies as st
from solving import PATIENCE
from strategies import examples

from pipeline.dropbox.note import NOTE, Note
from pipeline.dropbox.reserve import Reservations
from pipeline.dropbox.settle import Fingerprint
from pipeline.published.names import key_of


@pytest.fixture
def box(tmp_path):
    return prepared(tmp_path)


def prepared(folder: Path) -> DropFolder:
    box = DropFolder.within(folder)
    box.folders.prepare()
    return box


def hold(box, source, stem, former=(), *, keep_cnf=False):
    """Be in work under a stem."""
    note = Note(f"job of {source}", source, stem, keep_cnf, "", Fingerprint(0, 0, 0), former)
    folder = box.folders.work / key_of(source)
    folder.mkdir(exist_ok=True)
    (folder / NOTE).write_text(note.text())


def publish(box, source, stem, former=(), *, keep_cnf=False):
    """End the work with a published set, in place of the former ones."""
    for other in former:
        (box.outbox / f"{other}.json").unlink(missing_ok=True)
    names = [f"{stem}_1.solution", f"{stem}.log"]
    names += [f"{stem}.cnf", f"{stem}_count.cnf"] if keep_cnf else []
    (box.outbox / f"{stem}.json").write_text(record_text(source, *names))
    folder = box.folders.work / key_of(source)
    if folder.exists():
        (folder / NOTE).unlink()
        folder.rmdir()


def reserve(box, source, *, keep_cnf=False, reservations=None, then=hold):
    reserver = reservations or Reservations(box.folders)
    with reserver.reserving(source, keep_cnf=keep_cnf) as (stem, former):
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
def test_kept_cnfs_collide_with_a_source_called_count(box, then):
    assert reserve(box, "a.txt", keep_cnf=True, then=then) == "a"
    assert reserve(box, "a_count.txt", keep_cnf=True, then=then) == "a_count.txt"


@pytest.mark.parametrize("then", [hold, publish])
def test_a_source_called_count_holds_its_cnf_against_one_that_comes_later(box, then):
    assert reserve(box, "A_COUNT.txt", keep_cnf=True, then=then) == "A_COUNT"
    assert reserve(box, "a.txt", keep_cnf=True, then=then) == "a.txt"
    assert reserve(box, "a.sdk", then=then) == "a"


@pytest.mark.parametrize("kept", [(True, False), (False, True)])
def test_without_both_cnfs_there_is_no_collision_with_count(box, kept):
    assert reserve(box, "a.txt", keep_cnf=kept[0]) == "a"
    assert reserve(box, "a_count.txt", keep_cnf=kept[1]) == "a_count"


def test_a_source_that_comes_again_keeps_its_stem(box):
    for source, stem in {"a.txt": "a", "a.sdk": "a.sdk", "a.TXT": "a.TXT"}.items():
        assert reserve(box, source, then=publish) == stem
    for source, stem in {"a.TXT": "a.TXT", "a.sdk": "a.sdk", "a.txt": "a"}.items():
        assert reserve(box, source, then=publish) == stem


def test_a_source_keeps_the_full_name_though_the_shorter_stem_has_become_free(box):
    reserve(box, "a.txt", then=publish)
    reserve(box, "a.sdk", then=publish)
    (box.outbox / "a.json").unlink()
    assert reserve(box, "a.sdk", then=publish) == "a.sdk"
    assert reserve(box, "a.txt", then=publish) == "a"


def test_a_source_that_needs_another_stem_is_told_those_it_has_used(box):
    reserve(box, "a.txt", then=publish)
    reserve(box, "a_count.txt", keep_cnf=True, then=publish)
    reservations = Reservations(box.folders)
    with reservations.reserving("a.txt", keep_cnf=True) as told:
        assert told == ("a.txt", ("a",))
    with reservations.reserving("a.txt", keep_cnf=False) as told:
        assert told == ("a", ())


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


def test_what_is_no_longer_held_is_free(box):
    reservations = Reservations(box.folders)
    reserve(box, "a.txt", then=publish, reservations=reservations)
    (box.outbox / "a.json").unlink()
    assert reserve(box, "a.sdk", reservations=reservations) == "a"


def test_a_reservation_that_fails_holds_nothing(box):
    reservations = Reservations(box.folders)
    with pytest.raises(OSError, match="on purpose"), reservations.reserving("a.txt", keep_cnf=True):
        raise OSError("on purpose")
    assert reserve(box, "a.sdk", reservations=reservations) == "a"


def test_one_process_reserves_at_a_time(box):
    wait = f"""
from pathlib import Path
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.reserve import Reservations
folders = Folders(Path({str(box.inbox)!r}), Path({str(box.outbox)!r}))
print("asks", flush=True)
with Reservations(folders).reserving("a.sdk", keep_cnf=False) as (stem, former):
    print(stem, flush=True)
"""
    with Reservations(box.folders).reserving("a.txt", keep_cnf=False) as (stem, _):
        child = subprocess.Popen(
            [sys.executable, "-c", wait], stdout=subprocess.PIPE, text=True, env=environment()
        )
        assert child.stdout.readline() == "asks\n"
        hold(box, "a.txt", stem)
    assert child.communicate(timeout=PATIENCE) == ("a.sdk\n", None)


def folded_outputs(stem, *, keep_cnf):
    """What a job with this stem may write, by the contract, with numbers as they come."""
    ends = [".json", ".log", "_1.solution", "_2.solution", "_11.solution"]
    ends += [".cnf", "_count.cnf"] if keep_cnf else []
    names = (unicodedata.normalize("NFC", stem + end).casefold() for end in ends)
    return {unicodedata.normalize("NFC", name) for name in names}


pieces = ["a", "A", "_count", "_COUNT", "_1", ".txt", ".gz", ".solution", ".json", ".log", ".cnf"]
pieces += ["~2", "\u00e9", "e\u0301", "\u00df", "ss", " ", "-", "x" * 200]
sources = (
    st.lists(st.sampled_from(pieces), min_size=1, max_size=4)
    .map("".join)
    .filter(lambda name: name[0] != "." and len(os.fsencode(name)) <= 255)
)
drops = st.tuples(sources, st.booleans(), st.booleans(), st.booleans())


@examples(150)
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
