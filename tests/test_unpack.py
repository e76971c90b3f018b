"""Archives: what is read, in which order, what is refused and why."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import socket
import stat
import tarfile
import zipfile
from contextlib import nullcontext

import pytest
from pipeline.unpack.names import resolved

from pipeline.unpack import (
    Room,
    UnpackError,
    kind_of,
    members,
    opened,
)

A, B = b"4.....8.5\n" * 9, b".2.......\n" * 9
PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def zip_of(*entries, method=zipfile.ZIP_DEFLATED):
    """A zip's bytes; an entry is a name and its content, or a ZipInfo and its content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()


def tar_of(*entries, form=tarfile.PAX_FORMAT):
    """A tar's bytes; an entry is a name and its content, or a TarInfo and its content."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, content in entries:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def zip_info(name, *, host=3, mode=0o644, flags=0):
    info = zipfile.ZipInfo("x")
    info.filename, info.create_system, info.external_attr = name, host, mode << 16
    info.flag_bits |= flags
    return info


def tar_info(name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def folder_of(root, *entries):
    for name, content in entries:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.fixture
def drop(tmp_path):
    """Put bytes into a file whose name says nothing."""

    def put(content):
        path = tmp_path / "dropped"
        path.write_bytes(content)
        return path

    return put


def read(path, limits=None):
    """The members with their contents or refusals."""
    return [
        (member.name, member.refusal or member.stream.read())
        for member in members(path, limits or Room())
    ]


def refusals(path):
    return {name: text for name, text in read(path) if isinstance(text, str)}


ENTRIES = [("b/2.txt", A), ("b/1.txt", B), ("a", b""), ("ü/数独.sdk", A)]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_zip_is_read_in_the_order_of_its_list(drop, method):
    path = drop(zip_of(*ENTRIES, method=method))
    assert kind_of(path) == "zip"
    assert read(path) == ENTRIES


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()])
def test_a_tar_is_read_in_its_order_however_it_is_packed(drop, form, pack):
    entries = [*ENTRIES, ("long/" * 30 + "x" * 120, B)]
    path = drop(pack(tar_of(*entries, form=form)))
    assert kind_of(path) == "tar"
    assert read(path) == entries


def test_a_folder_is_read_in_the_order_of_the_names_bytes(tmp_path):
    names = ["B", "a/c", "a/é", "a.b", "b"]
    folder = folder_of(tmp_path / "set", *((name, name.encode()) for name in names))
    assert kind_of(folder) == "folder"
    expected = ["B", "a/c", "a/é", "a.b", "b"]
    assert read(folder) == [(name, name.encode()) for name in expected]


@pytest.mark.parametrize("kind", PACKERS)
def test_a_compressed_file_is_opened_as_what_is_in_it(drop, kind):
    path = drop(PACKERS[kind](A) + PACKERS[kind](B))
    assert kind_of(path) == kind
    with opened(path, Room()) as stream:
        assert stream.readline() == A[:10]
        assert stream.read() == A[10:] + B


@pytest.mark.parametrize("content", [b"", A, b"PK", b"BZh9", b"\x1f\x8b", b"\0" * 20])
def test_a_plain_file_is_opened_as_it_is_without_a_limit(drop, content):
    path = drop(content := content * 2**10)
    assert kind_of(path) == "plain"
    with opened(path, Room(total_bytes=1)) as stream:
        assert stream.read() == content
    with pytest.raises(UnpackError, match="no archive"):
        read(path)


def test_an_empty_archive_has_no_members(drop):
    for content in (zip_of(), tar_of(), gzip.compress(tar_of()), bytes(1024)):
        path = drop(content)
        assert kind_of(path) in ("zip", "tar")
        assert read(path) == []


def test_an_empty_folder_has_no_members(tmp_path):
    assert read(tmp_path) == []


def test_a_zip_inside_gzip_is_read_like_a_tar(drop):
    path = drop(gzip.compress(zip_of(("a", A))))
    assert kind_of(path) == "zip"
    assert read(path) == [("a", A)]


def test_what_is_compressed_twice_is_refused(drop):
    path = drop(gzip.compress(lzma.compress(A)))
    assert kind_of(path) == "gzip"
    with pytest.raises(UnpackError, match="compressed twice"):
        opened(path, Room())
    path = drop(zip_of(("a", path.read_bytes()), ("b", B)))
    assert read(path) == [("a", "it is compressed twice"), ("b", B)]


def test_a_member_that_is_compressed_on_its_own_is_unpacked(drop):
    path = drop(zip_of(*((kind, pack(A)) for kind, pack in PACKERS.items())))
    assert read(path) == [(kind, A) for kind in PACKERS]


def test_links_and_special_files_have_no_kind_and_are_not_opened(drop, tmp_path):
    drop(A)
    (tmp_path / "link").symlink_to("dropped")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "gone"):
        for look in (kind_of, lambda path: opened(path, Room()), read):
            with pytest.raises(OSError, match=rf"{name}|link"):
                look(tmp_path / name)


UNSAFE = {
    "../x": "leads out",
    "a/../../x": "leads out",
    "a/..": "leads out",
    "..\\x": "leads out",
    "a/b\\..\\c": "leads out",
    "/etc/passwd": "absolute",
    "\\\\host\\x": "absolute",
    "C:\\x": "absolute",
    "c:/x": "absolute",
    "C:": "absolute",
    "x" * 256: "too long",
    "ü" * 128: "too long",
    "x/" * 70 + "x": "64 folders deep",
    "/".join(["x" * 200] * 12): "too long",
}


@pytest.mark.parametrize("pack", [zip_of, tar_of])
@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_name_is_refused_and_the_others_are_read(drop, pack, name):
    (refused, why), other = read(drop(pack((name, A), ("good", B))))
    assert UNSAFE[name] in why
    assert refused in (name, name[:200] + "…")
    assert other == ("good", B)
    assert isinstance(resolved(name), str)


def test_the_parts_of_a_harmless_name_are_what_is_left_of_it():
    assert resolved("./a//b/./c d") == ("a", "b", "c d")
    assert resolved("..a/b..") == ("..a", "b..")
    assert resolved("caf\udce9") == ("caf\udce9",)
    for name in ("", ".", "./", "a\0b", "\ud800"):
        assert isinstance(resolved(name), str)


def test_names_without_characters_are_refused(drop):
    path = drop(zip_of((zip_info(""), A), (zip_info("./."), A), (zip_info("a\0b"), A), ("c", B)))
    assert [text for _, text in read(path)] == ["it has no name"] * 2 + ["its name holds a NUL", B]


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_of_a_name_that_comes_twice_the_first_is_read(drop, pack):
    warned = pytest.warns(UserWarning, match="Duplicate") if pack is zip_of else nullcontext()
    with warned:
        path = drop(pack(("a/b", A), ("a/b", B), ("./a//b", B), ("c", B)))
    why = "another member has the same name"
    assert read(path) == [("a/b", A), ("a/b", why), ("a/b", why), ("c", B)]


JUNK = [".DS_Store", "__MACOSX/._a", ".git/config", "a/Thumbs.db", "x.tmp", "b/~$a.txt", "c.txt~"]


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_junk_and_empty_folders_are_passed_over_in_archives(drop, pack):
    empty = ("e/", b"") if pack is zip_of else (tar_info("e", tarfile.DIRTYPE), b"")
    top = ("./", b"") if pack is zip_of else (tar_info("./", tarfile.DIRTYPE), b"")
    assert read(drop(pack(top, *((name, A) for name in JUNK), empty, ("a/a", B)))) == [("a/a", B)]


def test_junk_and_empty_folders_are_passed_over_in_folders(tmp_path):
    folder_of(tmp_path, *((name, A) for name in JUNK), ("a/a", B))
    (tmp_path / "e" / "f").mkdir(parents=True)
    assert read(tmp_path) == [("a/a", B)]


def test_junk_that_leads_out_is_listed(drop):
    assert refusals(drop(zip_of(("../.x", A), ("__MACOSX/../../x", A), ("../", b""))))


TYPES = {
    tarfile.SYMTYPE: "a link",
    tarfile.LNKTYPE: "a link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
    b"Z": "not read",
}


@pytest.mark.parametrize("kind", TYPES)
def test_what_is_no_file_is_refused_in_a_tar(drop, kind):
    content = A if kind in (tarfile.GNUTYPE_SPARSE, b"Z") else b""
    first, second = read(drop(tar_of((tar_info("x", kind, "../y"), content), ("a", B))))
    assert TYPES[kind] in first[1]
    assert second == ("a", B)


def test_a_sparse_file_by_pax_headers_is_refused(drop):
    info = tar_info("x")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    assert refusals(drop(tar_of((info, A)))) == {"x": "it is a sparse file"}


@pytest.mark.parametrize(
    ("mode", "why"),
    [(stat.S_IFLNK, "a link"), (stat.S_IFIFO, "a named pipe"), (stat.S_IFBLK, "a device")],
)
def test_what_is_no_file_is_refused_in_a_zip(drop, mode, why):
    path = drop(zip_of((zip_info("x", mode=mode | 0o777), b"/etc/passwd"), ("a", B)))
    assert read(path) == [("x", f"it is {why}"), ("a", B)]


def test_what_is_no_file_is_refused_in_a_folder(tmp_path, monkeypatch):
    (tmp_path / "in").symlink_to("a")
    (tmp_path / "out").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").write_bytes(B)
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("socket")
        assert refusals(tmp_path) == {
            "in": "it is a link",
            "out": "it is a link",
            "pipe": "it is a named pipe",
            "socket": "it is a socket",
        }
