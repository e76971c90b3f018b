"""Equivalent puzzles are reported with their positions; the first of each class is kept."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from support.puzzles import EVEN_ODD, HARD, NINE, NINE_SOLVED, NINE_TWO, STUCK

from pipeline.catalogue import comparing
from pipeline.catalogue.classes import ABSENT, Classes, keys_of
from pipeline.catalogue.comparing import Copy, SkippedItem, Tally, find_copies, find_overlap
from pipeline.catalogue.puzzle_arrays import random_symmetries, text_lines
from pipeline.errors import is_environmental
from pipeline.settings import Settings

SETTINGS = Settings().for_collection()
OTHERS = (HARD, NINE, NINE_TWO, STUCK, "." * 81, NINE_SOLVED)


def image_of(text, seed=1):
    cells = np.array([[int(c) if c.isdigit() else 0 for c in text]], np.uint8)
    return text_lines(random_symmetries(3, 1, seed).images(cells)).decode().strip()


def collection(path, *lines):
    path.write_text("".join(line + "\n" for line in lines))
    return path


@pytest.fixture(params=[4096, 1])
def sized(request, monkeypatch):
    """Batches of thousands of puzzles, and of one."""
    monkeypatch.setattr(comparing, "BATCH_PUZZLES", request.param)
    monkeypatch.setattr(comparing, "CHUNK_BYTES", 16 * request.param)


def named(*paths: Path) -> list[tuple[Path, str]]:
    return [(path, str(path)) for path in paths]


@pytest.mark.usefixtures("sized")
def test_copies_are_reported_and_the_first_of_each_class_is_kept(tmp_path):
    one = collection(tmp_path / "one.txt", *OTHERS, image_of(HARD))
    two = collection(tmp_path / "two.txt", image_of(STUCK), image_of(NINE_TWO), NINE)
    kept, tally = io.BytesIO(), Tally()
    found = [*find_copies(named(one, two), SETTINGS, kept, tally)]
    assert found == [
        Copy(str(one), 7, str(one), 1),
        Copy(str(two), 1, str(one), 4),
        Copy(str(two), 2, str(one), 3),
        Copy(str(two), 3, str(one), 2),
    ]
    assert kept.getvalue().decode().split() == list(OTHERS)
    assert tally == Tally(puzzles=10, classes=6, copies=4, skipped=0)


@pytest.mark.usefixtures("sized")
def test_items_other_than_classic_puzzles_are_reported_and_left_out(tmp_path):
    marked = EVEN_ODD.replace("\n", "")
    odd = collection(tmp_path / "odd.txt", NINE, HARD, marked, "12", "." * 16, "", image_of(NINE))
    found = [*find_copies(named(odd), SETTINGS)]
    assert [(each.line, type(each)) for each in found if isinstance(each, SkippedItem)] == [
        (3, SkippedItem),
        (4, SkippedItem),
        (5, SkippedItem),
    ]
    assert found[0].reason == "it is not a classic 9×9 puzzle"
    assert "12" not in found[0].reason
    assert "expected" in found[1].reason
    assert found[3:] == [Copy(str(odd), 7, str(odd), 1)]


def test_single_puzzles_folders_and_archives_are_compared(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "single.txt").write_text(image_of(NINE))
    (folder / "no.txt").write_text("nothing")
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("many.txt", f"{HARD}\n{STUCK}\n{NINE}\n" * 2)
    found = [*find_copies(named(folder, packed), SETTINGS)]
    single = f"{folder}/single.txt"
    assert [each.source for each in found if isinstance(each, SkippedItem)] == [f"{folder}/no.txt"]
    many = f"{packed}/many.txt"
    assert [each for each in found if isinstance(each, Copy)] == [
        Copy(many, 3, single, None),
        Copy(many, 4, many, 1),
        Copy(many, 5, many, 2),
        Copy(many, 6, single, None),
    ]


def test_the_overlap_of_two_collections_is_reported(tmp_path):
    known = collection(tmp_path / "train.txt", *OTHERS, image_of(HARD))
    asked = collection(tmp_path / "test.txt", NINE_SOLVED[:-1] + ".", image_of(HARD, 3), STUCK, "x")
    theirs, ours = Tally(), Tally()
    left, *copies = find_overlap(named(known), named(asked), SETTINGS, None, (theirs, ours))
    assert (type(left), left.line) == (SkippedItem, 4)
    assert copies == [Copy(str(asked), 2, str(known), 1), Copy(str(asked), 3, str(known), 4)]
    assert theirs == Tally(puzzles=7, classes=6, copies=1, skipped=0)
    assert ours == Tally(puzzles=3, classes=0, copies=2, skipped=1)


def test_spilling_to_disk_does_not_change_the_result(tmp_path):
    source = named(collection(tmp_path / "a.txt", *OTHERS, *map(image_of, OTHERS), *OTHERS))
    assert [*find_copies(source, SETTINGS, limit_bytes=0)] == [*find_copies(source, SETTINGS)]


CLASS = 24
"""Bytes of a class."""


def keys(*numbers):
    """Hashes, many of which share their upper half."""
    return np.array([(number // 3, number % 3) for number in numbers], np.uint64).reshape(-1, 2)


@pytest.mark.parametrize("limit", [10**9, 50 * CLASS, 0])
def test_the_position_of_a_class_is_that_of_its_first_puzzle(tmp_path, limit):
    generator, first = random.Random(2), {}
    with Classes(limit, tmp_path) as classes:
        place = 0
        for _ in range(40):
            numbers = generator.choices(range(300), k=generator.randrange(1, 30))
            places = np.arange(place, place + len(numbers))
            expected = [first.setdefault(n, p) for n, p in zip(numbers, places, strict=True)]
            assert classes.add(keys(*numbers), places).tolist() == expected
            place += len(numbers)
        every = keys(*range(300))
        assert classes.find(every).tolist() == [first.get(n, ABSENT) for n in range(300)]
        assert len(classes) == len(first)
        assert not any(tmp_path.iterdir())  # so nothing is left if the process is killed


def test_a_full_disk_is_an_environment_failure(monkeypatch):
    monkeypatch.setattr("pipeline.catalogue.classes.TemporaryFile", full_disk)
    with Classes(0) as classes, pytest.raises(OSError, match="No space left") as caught:
        classes.add(keys(1), np.zeros(1, np.int64))
    assert is_environmental(caught.value)


def full_disk(**_):
    return Path("/dev/full").open("wb")


def test_an_empty_index_has_no_classes():
    with Classes() as classes:
        assert classes.find(keys(1, 2)).tolist() == [ABSENT, ABSENT]
        assert classes.add(keys(), np.zeros(0, np.int64)).tolist() == []
        assert len(classes) == 0


def test_forms_have_equal_keys_if_and_only_if_they_are_equal():
    forms = np.array([[0] * 80 + [n] for n in (1, 2, 1)], np.uint8)
    one, two, again = keys_of(forms).tolist()
    assert one == again
    assert one != two
