"""Looking at an inbox: real files, real leases, real links and pipes."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from support.archives import deep_folder

from pipeline.service.protocol.settle import (
    Observation,
    fingerprint_of,
    has_writer,
    is_being_written,
    is_unchanged,
    names_in,
    observe,
)

MOST = 100


def whole(data: bytes) -> tuple[None, bool]:
    return None, False


def never_asked(data: bytes) -> tuple[None, bool]:
    raise AssertionError("this should not have been read")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"some text")
    return path


@pytest.fixture
def leases(file):
    """Skip where leases do not work at all."""
    with file.open("rb") as open_file:
        if has_writer(open_file.fileno()) is None:
            pytest.skip("this filesystem has no leases")


@pytest.fixture
def stranger(file, monkeypatch):
    """Be an ordinary user, in the folder of a file that is another's."""
    if os.geteuid():
        pytest.skip("only root can become another user")
    file.parent.chmod(0o777)
    monkeypatch.chdir(file.parent)
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_names_come_in_order_and_those_that_hold_nothing_are_passed_over_with_a_reason(tmp_path):
    for folder in (".work", "done", "failed", "set", ".hidden", "x.tmp", "__MACOSX"):
        (tmp_path / folder).mkdir()
    litter = ("Thumbs.db", "THUMBS.DB", "desktop.ini", "@eaDir", "lost+found", "4913")
    for name in ("b", "a", "c d", "-n", ".a.txt", "a.txt~", ".DS_Store", "__MACOSX.txt", *litter):
        (tmp_path / name).touch()
    names, ignored = names_in(tmp_path)
    assert names == ["-n", "__MACOSX.txt", "a", "b", "c d", "set"]
    told = dict.fromkeys((*litter, "__MACOSX"), "a system file, not a puzzle")
    told |= dict.fromkeys(("a.txt~", "x.tmp"), "its name marks it as temporary")
    assert ignored == told


def test_links_pipes_and_names_that_are_no_text_are_up_for_a_look(tmp_path):
    for name in ("folder-link", "done", "failed"):  # the last two may lie elsewhere
        (tmp_path / name).symlink_to("/")
    (tmp_path / "broken").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"\xff")).touch()
    assert names_in(tmp_path)[0] == sorted(["folder-link", "broken", "pipe", "\udcff"])


@pytest.mark.usefixtures("leases")
def test_a_writer_is_seen_until_the_last_one_has_closed_the_file(file):
    with file.open("ab"):
        with file.open("ab"):
            assert observe(file, never_asked, MOST).has_writer is True
        assert observe(file, never_asked, MOST).has_writer is True
    assert observe(file, whole, MOST).has_writer is False


@pytest.mark.usefixtures("leases")
def test_a_reader_is_no_writer_and_looking_leaves_no_lease(file):
    with file.open("rb"):
        assert observe(file, whole, MOST).has_writer is False
    descriptor = os.open(file, os.O_WRONLY | os.O_NONBLOCK)
    os.close(descriptor)


def test_a_sight_tells_inode_size_and_mtime_and_what_the_content_says(file):
    os.utime(file, ns=(5, 7))
    for cut_off in (True, False):
        seen = observe(file, lambda data, cut_off=cut_off: (data.upper(), cut_off), MOST)
        fingerprint = (file.stat().st_ino, 9, 7)
        wanted = Observation(
            "a.txt", fingerprint, seen.has_writer, is_cut_off=cut_off, data=b"some text"
        )
        assert seen == replace(wanted, source=b"SOME TEXT")


def test_a_file_is_not_unchanged_if_other_bytes_have_its_size_and_time(file):
    seen = observe(file, whole, MOST)
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_bytes(b"same size")
    os.utime(file, ns=times)
    assert is_unchanged(file, seen.fingerprint)
    assert not is_unchanged(file, seen.fingerprint, seen.data)
    assert is_unchanged(file, seen.fingerprint, b"same size")


def test_an_empty_or_too_large_file_is_not_read_and_one_that_is_gone_is_not_there(file):
    for content in (b"", b"x" * (MOST + 1)):
        file.write_bytes(content)
        assert not observe(file, never_asked, MOST).is_cut_off
    assert observe(file.with_name("gone"), never_asked, MOST) is None


def read_in_pieces(monkeypatch, most: int) -> None:
    """Be on a filesystem that reads up to so many bytes at once."""
    read = os.read
    monkeypatch.setattr(
        "pipeline.service.protocol.settle.os.read", lambda fd, size: read(fd, min(size, most))
    )


def test_a_file_that_is_read_in_pieces_is_read_whole(file, monkeypatch):
    read_in_pieces(monkeypatch, 4)
    seen = observe(file, whole, MOST)
    assert (seen.data, seen.is_cut_off) == (b"some text", False)
    assert is_unchanged(file, seen.fingerprint, seen.data)


def test_a_file_of_which_less_can_be_read_than_it_has_is_cut_off(file, monkeypatch):
    monkeypatch.setattr("pipeline.service.protocol.settle.os.read", lambda _fd, _size: b"")
    seen = observe(file, never_asked, MOST)
    assert (seen.data, seen.is_cut_off) == (None, True)


@pytest.mark.parametrize("size", [1, MOST, MOST + 1, 2**30])
def test_a_file_of_nuls_is_blank_and_one_with_content_is_not(file, size):
    with file.open("wb") as sparse:
        sparse.truncate(size)
    assert observe(file, whole, MOST).is_blank
    file.write_bytes(b"\0text" + b"\0" * min(size, 5000))
    assert not observe(file, whole, MOST).is_blank


def test_a_file_that_changes_while_it_is_read_looks_cut_off(file):
    def grow(data: bytes) -> tuple[None, bool]:
        file.write_bytes(data * 2)
        return None, False

    seen = observe(file, grow, MOST)
    assert (seen.is_cut_off, seen.fingerprint) == (True, fingerprint_of(file.stat()))


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(path.name)  # the whole path might be too long for a socket


MAKERS = {
    "link": (lambda path: path.symlink_to(__file__), "it is a link"),
    "folder link": (lambda path: path.symlink_to("/"), "it is a link"),
    "broken link": (lambda path: path.symlink_to("nowhere"), "it is a link"),
    "pipe": (os.mkfifo, "it is a named pipe"),
    "socket": (make_socket, "it is a special file"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_no_file_is_refused_unopened_and_has_no_writer(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    make, words = MAKERS[kind]
    make(tmp_path / "a")
    seen = observe(tmp_path / "a", never_asked, MOST)
    assert seen.refusal == words
    assert is_unchanged(tmp_path / "a", seen.fingerprint)


def test_of_an_unreadable_file_it_is_not_known_whether_it_is_complete(file, request):
    file.chmod(0)
    if not os.geteuid():
        request.getfixturevalue("stranger")
    seen = observe(Path(os.path.relpath(file)), never_asked, MOST)
    assert (seen.has_writer, seen.is_cut_off) == (None, False)
    assert is_unchanged(Path(os.path.relpath(file)), seen.fingerprint)


@pytest.mark.usefixtures("leases", "stranger")
def test_of_anothers_file_it_is_not_known_whether_it_has_a_writer(file):
    assert observe(Path(file.name), whole, MOST).has_writer is None


@pytest.mark.usefixtures("leases")
def test_a_file_is_unchanged_until_it_is_written_or_replaced(file):
    seen = observe(file, whole, MOST).fingerprint
    moved = file.rename(file.with_name("b"))
    assert is_unchanged(moved, seen)
    with moved.open("ab"):
        assert not is_unchanged(moved, seen)
    assert is_unchanged(moved, seen)
    os.utime(moved, ns=(1, 1))
    assert not is_unchanged(moved, seen)


@pytest.fixture
def folder(tmp_path):
    """A folder with files at several depths."""
    top = tmp_path / "set"
    (top / "inner" / "deep").mkdir(parents=True)
    for name in ("a.txt", "inner/b.txt", "inner/deep/c.txt"):
        (top / name).write_text(name)
    return top


def sight_of(folder):
    """Look at a folder, in which no file may be read."""
    return observe(folder, never_asked, MOST)


def test_of_a_folder_in_which_nobody_writes_it_is_not_known_that_nobody_does(folder):
    seen = sight_of(folder)
    assert seen == sight_of(folder)
    assert (seen.name, seen.is_folder, seen.has_writer, seen.is_cut_off) == (
        "set",
        True,
        None,
        False,
    )
    assert seen.fingerprint.inode == folder.stat().st_ino


@pytest.mark.usefixtures("leases")
@pytest.mark.parametrize("name", ["a.txt", "inner/b.txt", "inner/deep/c.txt", "inner/new.txt"])
def test_a_writer_anywhere_in_a_folder_is_seen_until_it_has_closed_its_file(folder, name):
    with (folder / name).open("ab"):
        seen = sight_of(folder)
        assert seen.has_writer is True
        assert is_being_written(folder)
        assert not is_unchanged(folder, seen.fingerprint)
    assert sight_of(folder).has_writer is None
    assert not is_being_written(folder)
    assert is_unchanged(folder, seen.fingerprint)


CHANGES = {
    "file": lambda top: (top / "inner/deep/new.txt").touch(),
    "folder": lambda top: (top / "inner/empty").mkdir(),
    "gone": lambda top: (top / "inner/deep/c.txt").unlink(),
    "renamed": lambda top: (top / "inner/deep/c.txt").rename(top / "inner/deep/d.txt"),
    "moved": lambda top: (top / "inner/deep/c.txt").rename(top / "inner/c.txt"),
    "uprooted": lambda top: (top / "inner/deep").rename(top / "deep"),
    "grown": lambda top: (top / "inner/deep/c.txt").write_text("longer than before"),
    "touched": lambda top: os.utime(top / "inner/deep/c.txt", ns=(5, 7)),
    "link": lambda top: (top / "link").symlink_to("a.txt"),
    "replaced": lambda top: (top / "a.txt").replace(top / "inner/b.txt"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_below_a_folder_changes_its_fingerprint(folder, change):
    before = sight_of(folder).fingerprint
    CHANGES[change](folder)
    assert sight_of(folder).fingerprint != before
    assert not is_unchanged(folder, before)


def test_a_folder_that_is_renamed_is_still_what_was_seen_and_an_empty_one_has_no_size(folder):
    before = sight_of(folder).fingerprint
    assert is_unchanged(folder.rename(folder.with_name("other")), before)
    folder.mkdir()
    assert sight_of(folder).fingerprint.size == 0


@pytest.mark.parametrize("length", [4080, 6000])
def test_a_folder_is_the_same_wherever_it_lies_however_long_the_paths_in_it_are(tmp_path, length):
    top = deep_folder(tmp_path / "set", length)
    seen = sight_of(top)
    elsewhere = tmp_path / "some" / "way" / "further" / "down"
    elsewhere.mkdir(parents=True)
    assert is_unchanged(top.rename(elsewhere / "set"), seen.fingerprint)


@pytest.mark.usefixtures("leases")
def test_what_links_in_a_folder_lead_to_has_no_part_in_it(folder, file):
    (folder / "link").symlink_to(file)
    (folder / "inner/up").symlink_to(folder.parent)
    os.mkfifo(folder / "pipe")
    before = sight_of(folder)
    with file.open("ab") as writer:
        writer.write(b"more")
        writer.flush()
        assert sight_of(folder) == before
    assert before.has_writer is None


def test_looking_at_a_pipe_neither_waits_nor_wakes_its_writer(tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe")
    observe(pipe, never_asked, MOST)
    with pytest.raises(OSError, match="No such device"):
        os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
