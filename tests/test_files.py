"""Reading files that others made."""

from __future__ import annotations

import os
import socket
import tracemalloc
from pathlib import Path

import pytest

from pipeline.files import SAFELY, read_regular


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"some text")
    return path


@pytest.mark.parametrize(
    ("most", "data"),
    [(100, b"some text"), (9, b"some text"), (8, b"some text"), (4, b"some "), (0, b"s")],
)
def test_reading_stops_one_byte_behind_the_most(file, most, data):
    assert read_regular(file, most) == data


def test_an_empty_file_is_read(file):
    file.write_bytes(b"")
    assert read_regular(file, 0) == b""


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


def test_a_folder_and_a_pipe_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe is no regular file"):
        read_regular(tmp_path / "pipe", 100)
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path, 100)


def test_a_socket_and_what_is_not_there_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("socket")  # the whole path might be too long for a socket
    for name in ("socket", "gone"):
        with pytest.raises(OSError, match=name):
            read_regular(tmp_path / name, 100)


def test_a_device_is_refused():
    with pytest.raises(OSError, match="zero is no regular file"):
        read_regular(Path("/dev/zero"), 100)


def test_what_is_opened_safely_is_closed_on_exec(file):
    descriptor = os.open(file, SAFELY)
    try:
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)
