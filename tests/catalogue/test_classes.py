"""The classes that were met: found again wherever they are kept."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from pipeline.catalogue.classes import NOWHERE, Classes, keys_of
from pipeline.errors import is_environmental

CLASS = 24


def keys(*numbers):
    """Hashes of which many share their upper half."""
    return np.array([(number // 3, number % 3) for number in numbers], np.uint64).reshape(-1, 2)


@pytest.mark.parametrize("limit", [10**9, 50 * CLASS, 0])
def test_each_class_is_found_where_it_was_met_first(tmp_path, limit):
    generator, first = random.Random(2), {}
    with Classes(limit, tmp_path) as classes:
        place = 0
        for _ in range(40):
            numbers = generator.choices(range(300), k=generator.randrange(1, 30))
            places = np.arange(place, place + len(numbers))
            expected = [first.setdefault(n, p) for n, p in zip(numbers, places, strict=True)]
            assert classes.meet(keys(*numbers), places).tolist() == expected
            place += len(numbers)
        every = keys(*range(300))
        assert classes.find(every).tolist() == [first.get(n, NOWHERE) for n in range(300)]
        assert len(classes) == len(first)
        assert not any(tmp_path.iterdir())  # so a process that is killed leaves nothing


def test_a_disk_without_room_is_the_environments_failure(monkeypatch):
    monkeypatch.setattr("pipeline.catalogue.classes.TemporaryFile", full_disk)
    with Classes(0) as classes, pytest.raises(OSError, match="No space left") as caught:
        classes.meet(keys(1), np.zeros(1, np.int64))
    assert is_environmental(caught.value)


def full_disk(**_):
    return Path("/dev/full").open("wb")


def test_no_class_is_found_among_none():
    with Classes() as classes:
        assert classes.find(keys(1, 2)).tolist() == [NOWHERE, NOWHERE]
        assert classes.meet(keys(), np.zeros(0, np.int64)).tolist() == []
        assert len(classes) == 0


def test_equal_forms_have_equal_keys_and_others_do_not():
    forms = np.array([[0] * 80 + [n] for n in (1, 2, 1)], np.uint8)
    one, two, again = keys_of(forms).tolist()
    assert one == again
    assert one != two
