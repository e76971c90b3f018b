"""Archives in archives, and archives that are broken: what can still be read, and what is said."""

from __future__ import annotations

import bz2
import collections
import gzip
import io
import lzma
import os
import resource
import struct
import tarfile
import zipfile
from functools import partial

import pytest
from test_unpack import A, B, read, tar_info, tar_of, zip_info, zip_of

from pipeline.unpack import (
    Room,
    UnpackError,
    inner_members,
    members,
    opened,
    walk,
)


@pytest.fixture
def drop(tmp_path):
    def put(content):
        path = tmp_path / "dropped"
        path.write_bytes(content)
        return path

    return put


def everything(path, limits=None):
    """Names with contents or errors, nested archives opened; an error of the whole comes last."""
    found = []
    try:
        for member in members(path, limits or Room()):
            if member.nested:
                found += [(member.name, *inner) for inner in contents(inner_members(member))]
            else:
                found += contents([member])
    except UnpackError as error:
        found.append(error)
    return found


def contents(listed):
    found = []
    try:
        for member in listed:
            try:
                found.append((member.name, member.refusal or member.stream.read()))
            except UnpackError as error:
                found.append((member.name, error))
    except UnpackError as error:
        found.append(("", error))
    return found


NESTED = {
    "zip": zip_of(("x", A), ("y", B)),
    "tar": tar_of(("x", A), ("y", B)),
    "tar.xz": lzma.compress(tar_of(("x", A), ("y", B))),
    "zip.gz": gzip.compress(zip_of(("x", A), ("y", B))),
}


@pytest.mark.parametrize("outer", ["zip", "tar", "tar.bz2", "folder"])
def test_an_archive_in_an_archive_is_opened(drop, tmp_path, outer):
    entries = [*NESTED.items(), ("z", B)]
    if outer == "folder":
        path = tmp_path
        for name, content in entries:
            (path / name).write_bytes(content)
    else:
        tar = tar_of(*entries)
        path = drop({"zip": zip_of(*entries), "tar": tar, "tar.bz2": bz2.compress(tar)}[outer])
    expected = [(name, *inner) for name in NESTED for inner in [("x", A), ("y", B)]]
    assert sorted(everything(path)) == sorted([*expected, ("z", B)])


@pytest.mark.parametrize("innermost", NESTED)
def test_an_archive_in_an_archive_in_an_archive_is_refused(drop, innermost):
    path = drop(zip_of(("a", tar_of(("b", NESTED[innermost]), ("c", B)))))
    why = "it is an archive in an archive in an archive: no deeper than one in one is read"
    assert everything(path) == [("a", "b", why), ("a", "c", B)]


def test_a_large_nested_tar_of_noise_is_recognised_inside_bzip2(drop):
    noise = os.urandom(2**21)
    path = drop(zip_of(("a", bz2.compress(tar_of(("x", noise)))), method=zipfile.ZIP_STORED))
    assert everything(path) == [("a", "x", noise)]


def test_a_member_that_is_no_archive_has_no_members(drop):
    for member in members(drop(zip_of(("a", A))), Room()):
        with pytest.raises(ValueError, match="a is no archive"):
            next(inner_members(member))


def test_a_stream_is_closed_when_the_next_member_is_asked_for(drop):
    for pack in (zip_of, tar_of):
        listed = members(drop(pack(("a", A), ("b", B))), Room())
        stale = next(listed).stream
        assert next(listed).stream.read() == B
        with pytest.raises(ValueError, match="closed"):
            stale.read()
        listed.close()


def test_a_wrong_checksum_is_that_members_fault(drop):
    content = bytearray(zip_of(("a", A), ("b", B), ("c", A), method=zipfile.ZIP_STORED))
    content[content.index(B)] ^= 1
    first, (name, error), third = everything(drop(content))
    assert (first, name, third) == (("a", A), "b", ("c", A))
    assert str(error) == "its checksum is wrong: it is damaged"


def test_a_header_in_the_wrong_place_is_that_members_fault(drop):
    content = bytearray(zip_of(("a", A), ("b", B)))
    content[content.index(b"PK\3\4", 1)] ^= 1
    first, (name, error) = everything(drop(content))
    assert (first, name) == (("a", A), "b")
    assert "not where the list" in str(error)


@pytest.mark.parametrize("stated", [10, 1000])
def test_a_wrong_size_is_that_members_fault(drop, stated):
    content = bytearray(zip_of(("a", A), ("b", B)))
    struct.pack_into("<L", content, content.index(b"PK\1\2") + 24, stated)
    (name, error), other = everything(drop(content))
    assert (name, other) == ("a", ("b", B))
    assert "than the list of members says" in str(error)


@pytest.mark.parametrize("size", [30, 100, -1])
def test_a_zip_without_its_end_is_cut_off(drop, size):
    (error,) = everything(drop(zip_of(("a", A), ("b", B))[:size]))
    assert "cut off" in str(error)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_of_a_tar_that_is_cut_off_the_members_before_are_read(drop, pack):
    noise = os.urandom(2**20)
    content = pack(tar_of(("a", A), ("b", noise), ("c", B)))
    *whole, last = everything(drop(content[: len(content) // 2]))
    assert isinstance(last, UnpackError)
    if pack is not bz2.compress:  # its block is not complete
        assert whole[0] == ("a", A)
        assert isinstance(whole[1][1], UnpackError)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_of_a_member_that_is_cut_off_everything_before_is_read(drop, pack):
    noise = os.urandom(2**18)
    content = pack(tar_of(("a", noise)))
    listed = members(drop(content[: len(content) - 4000]), Room())
    member = next(listed)
    chunks = iter(partial(member.stream.read1, 2**16), b"")
    found = bytearray()
    with pytest.raises(UnpackError, match="cut off"):
        collections.deque(map(found.extend, chunks), maxlen=0)
    assert noise.startswith(found)
    assert len(found) > len(noise) - 20_000


def test_a_tar_without_an_end_mark_may_be_cut_off(drop):
    content = tar_of(("a", A), ("b", B))
    found = everything(drop(content[:2048]))
    assert found[:2] == [("a", A), ("b", B)]
    assert str(found[2]) == "its end mark is missing: it is cut off"


def test_a_broken_header_ends_a_tar(drop):
    content = bytearray(tar_of(("a", A), ("b", B)))
    content[1024] ^= 1
    first, error = everything(drop(content))
    assert first == ("a", A)
    assert "headers is damaged" in str(error)


def test_headers_that_never_end_are_an_error(drop):
    empty = tar_info("x", tarfile.GNUTYPE_LONGNAME).tobuf(tarfile.GNU_FORMAT)
    (error,) = everything(drop(empty * 100))
    assert "headers have no end" in str(error)


@pytest.mark.parametrize("records", [b"x", b"9 size=-1\n", b"10 size=1x\n", b"0 a=b\n", b"4 a\n"])
def test_broken_records_in_a_tar_are_an_error(drop, records):
    header = tar_info("x", tarfile.XHDTYPE)
    (error,) = everything(drop(tar_of((header, records), ("a", A))))
    assert "headers is damaged" in str(error)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_that_is_cut_off_says_so_at_its_end(drop, pack):
    content = pack(A * 100)
    for cut in range(1, len(content) - 10, 5):
        stream = opened(drop(content[:-cut]), Room())
        with stream, pytest.raises(UnpackError, match="cut off"):
            list(stream)


def test_an_error_comes_after_all_that_could_be_read_and_stays(drop):
    path = drop(gzip.compress(A) + b"garbage")
    with opened(path, Room()) as stream:
        assert stream.read1() == A
        for _ in range(2):
            with pytest.raises(UnpackError, match="damaged"):
                stream.read1()


def test_zeros_behind_a_compressed_file_are_padding(drop):
    with opened(
        drop(gzip.compress(A) + bytes(512) + gzip.compress(B) + bytes(2**17)), Room()
    ) as stream:
        assert stream.read() == A + B


def test_a_member_that_is_gone_or_unreadable_is_refused_in_a_folder(tmp_path):
    for name in "abc":
        (tmp_path / name).write_bytes(A)
    listed = members(tmp_path, Room())
    assert next(listed).name == "a"
    (tmp_path / "b").unlink()
    assert next(listed).refusal == "it cannot be read: No such file or directory"
    assert next(listed).stream.read() == A
    assert next(listed, None) is None


@pytest.mark.parametrize("method", [8, 9, 14])
def test_a_zip_that_is_encrypted_or_strangely_compressed_is_refused(drop, method):
    content = bytearray(zip_of(("a", A), ("b", B)))
    at = content.index(b"PK\1\2")
    struct.pack_into("<HH", content, at + 8, 1 if method == 8 else 0, method)
    refused, other = everything(drop(content))
    assert refused[1].startswith("it is encrypted" if method == 8 else "it is compressed by method")
    assert other == ("b", B)


def test_backslashes_separate_in_zips_made_on_windows(drop):
    for host, name in ((0, "a/b.txt"), (10, "a/b.txt"), (3, "a\\b.txt")):
        path = drop(zip_of((zip_info("a\\b.txt", host=host), A), (zip_info("c\\", host=host), b"")))
        assert read(path)[0] == (name, A)
        assert len(read(path)) == (1 if host != 3 else 2)


def test_names_in_zips_are_utf8_or_cp437_whatever_they_claim(drop):
    raw = {b"\x81.txt": "ü.txt", "ü.txt".encode(): "ü.txt"}
    for found, expected in raw.items():
        name = "x" * len(found)
        path = drop(zip_of((name, A)).replace(name.encode(), found))
        assert read(path) == [(expected, A)]
    claimed = zip_of(("é", A)).replace("é".encode(), b"\xe9\xe9")
    assert read(drop(claimed)) == [("\udce9\udce9", A)]


def test_a_zip64_is_read(drop):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, archive.open("a", "w", force_zip64=True) as member:
        member.write(A)
    content = file.getvalue()
    at, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    entry = bytearray(content[at:end])
    struct.pack_into("<LL", entry, 20, 2**32 - 1, 2**32 - 1)
    struct.pack_into("<H", entry, 30, 20)
    struct.pack_into("<L", entry, 42, 0)
    entry += struct.pack("<HHQQ", 1, 16, len(A), len(A))
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(entry), at)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, at + len(entry), 1)
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2**16 - 1, 2**16 - 1, *[2**32 - 1] * 2, 0)
    assert read(drop(content[:at] + entry + record + locator + last)) == [("a", A)]


def test_what_pax_headers_say_counts_and_global_ones_do_not(drop):
    said = tar_of((tar_info("x", tarfile.XHDTYPE), b"11 size=90\n14 path=b/c d\n"))[:1024]
    comment = tar_of((tar_info("g", tarfile.XGLTYPE), b"10 path=x\n"))[:1024]
    content = comment + said + tar_info("no").tobuf() + A + bytes(422) + bytes(1024)
    assert everything(drop(content)) == [("b/c d", A)]


def test_the_map_of_an_old_sparse_file_is_skipped(drop):
    header = bytearray(tar_of((tar_info("x", tarfile.GNUTYPE_SPARSE), A))[:1024])
    header[482] = 1
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:512]))
    content = header[:512] + b"\1" * 512 + bytes(512) + header[512:] + tar_of(("a", B))
    assert everything(drop(content)) == [("x", "it is a sparse file"), ("a", B)]
    (error,) = everything(drop(content[:1024]))
    assert "cut off" in str(error)


@pytest.mark.parametrize(
    ("offset", "value", "why"),
    [(4, 1, "one of several parts"), (12, 2**16 - 1, "not where its end says")],
)
def test_a_zip_whose_end_is_wrong_is_an_error(drop, offset, value, why):
    content = bytearray(zip_of(("a", A)))
    struct.pack_into("<H", content, content.index(b"PK\5\6") + offset, value)
    (error,) = everything(drop(content))
    assert why in str(error)


def walked(path, limits=None):
    """All members by `walk`: each name with its content or its refusal."""
    listed = walk(path, limits or Room())
    return [(member.name, member.refusal or member.stream.read()) for member in listed]


def test_a_walk_has_the_members_of_nested_archives_in_their_places(drop):
    path = drop(zip_of(("a", A), ("n.zip", NESTED["zip"]), ("z", B)))
    assert walked(path) == [("a", A), ("n.zip/x", A), ("n.zip/y", B), ("z", B)]


def test_a_walk_goes_on_behind_a_broken_nested_archive(drop):
    whole = NESTED["zip"]
    path = drop(zip_of(("a", A), ("cut.zip", whole[: len(whole) // 2]), ("z", B)))
    first, (name, why), last = walked(path)
    assert (first, name, last) == (("a", A), "cut.zip", ("z", B))
    assert why == "the list of its members is missing at its end: it is cut off"


def test_a_walk_says_where_the_archive_itself_breaks_off(drop):
    why = "its end mark is missing: it is cut off"
    assert walked(drop(tar_of(("a", A), ("b", B))[:1200])) == [("a", A), ("", why)]


def test_a_name_that_is_too_deep_in_a_walk_is_refused(drop):
    long = "/".join(["x" * 200] * 12)
    (_, why), last = walked(drop(zip_of((f"{long}/n.zip", zip_of((f"{long}/y", B))), ("z", B))))
    assert "too long" in why
    assert last == ("z", B)


def test_what_the_machine_is_at_fault_for_ends_a_walk(drop):
    path = drop(zip_of(("a", A)))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(free := os.open(path, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            next(walk(path, Room()))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
