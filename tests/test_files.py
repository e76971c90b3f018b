"""Reading files that others made."""

from __future__ import annotations

import os
import socket
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest

from pipeline.files import SAFE_FLAGS, numbered_paths, read_end, read_regular


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"some text")
    return path


def test_reading_stops_one_byte_behind_the_most(file):
    for most, data in [(100, b"some text"), (9, b"some text"), (8, b"some text"), (4, b"some ")]:
        assert read_regular(file, most) == data
    assert read_regular(file, 0) == b"s"
    file.write_bytes(b"")
    assert read_regular(file, 0) == b""


def test_the_end_of_a_file_is_read_alone(file):
    assert [read_end(file, most) for most in (100, 4, 0)] == [b"some text", b"text", b""]


def test_of_a_huge_file_no_more_is_read_than_asked_for(file):
    with file.open("wb") as sparse:
        sparse.truncate(10 * 2**30)
    tracemalloc.start()
    try:
        assert len(read_regular(file, 1000)) == 1001
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("target", ["a.txt", "nowhere", "."])
def test_no_link_is_followed(file, target):
    link = file.with_name("link")
    link.symlink_to(target)
    with pytest.raises(OSError, match="link"):
        read_regular(link, 100)


def test_what_is_no_file_or_not_there_is_refused_without_waiting(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("socket")  # the whole path might be too long for a socket
    told = {"pipe": "pipe is not a regular file", "/dev/zero": "zero is not a regular file"}
    for name, words in {**told, "socket": "socket", "gone": "gone"}.items():
        with pytest.raises(OSError, match=words):
            read_regular(tmp_path / name, 100)
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path, 100)


def test_what_is_opened_safely_is_closed_on_exec(file):
    descriptor = os.open(file, SAFE_FLAGS)
    try:
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


def test_a_name_that_is_taken_gets_a_number_before_its_ending():
    names = [path.name for path in islice(numbered_paths(Path("in", "a.b.txt")), 3)]
    assert names == ["a.b.txt", "a.b-2.txt", "a.b-3.txt"]
    assert next(islice(numbered_paths(Path("in", "a")), 1, None)) == Path("in", "a-2")
