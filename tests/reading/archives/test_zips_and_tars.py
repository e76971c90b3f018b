"""Zips and tars: cut off, damaged, strange and hostile ones."""

from __future__ import annotations

import bz2
import collections
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
from contextlib import closing
from functools import partial

import pytest
from support.archives import (
    PACKERS,
    A,
    B,
    dropped,
    in_little_memory,
    tar_info,
    tar_of,
    walked,
    zip_info,
    zip_of,
)

from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.walk import walk


@pytest.fixture
def drop(tmp_path):
    return lambda content: dropped(tmp_path, content)


def test_a_wrong_checksum_is_that_members_fault(drop):
    content = bytearray(zip_of(("a", A), ("b", B), ("c", A), method=zipfile.ZIP_STORED))
    content[content.index(B)] ^= 1
    why = "its checksum is wrong: it is damaged"
    assert walked(drop(content)) == [("a", A), ("b", why), ("c", A)]


def test_a_header_in_the_wrong_place_is_that_members_fault(drop):
    content = bytearray(zip_of(("a", A), ("b", B)))
    content[content.index(b"PK\3\4", 1)] ^= 1
    why = "it is damaged: it is not at the recorded position"
    assert walked(drop(content)) == [("a", A), ("b", why)]


@pytest.mark.parametrize(("stated", "than"), [(10, "longer"), (1000, "shorter")])
def test_a_wrong_size_is_that_members_fault(drop, stated, than):
    content = bytearray(zip_of(("a", A), ("b", B)))
    struct.pack_into("<L", content, content.index(b"PK\1\2") + 24, stated)
    why = f"it is damaged: it is {than} than recorded"
    assert walked(drop(content)) == [("a", why), ("b", B)]


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        (("docProps/app.xml", "xl/workbook.xml", "[Content_Types].xml"), "spreadsheet"),
        (("[Content_Types].xml", "word/document.xml"), "document"),
        (("mimetype:application/vnd.oasis.opendocument.spreadsheet", "content.xml"), "spreadsheet"),
        (("mimetype:application/vnd.oasis.opendocument.text", "content.xml"), "document"),
    ],
)
def test_a_file_of_an_office_program_is_named_and_not_unpacked(drop, parts, kind):
    entries = [(name, content or A) for name, _, content in (part.partition(":") for part in parts)]
    office = zip_of(*entries, method=zipfile.ZIP_STORED)
    why = f"it is a {kind}; save it as {'CSV' if kind == 'spreadsheet' else 'text'}"
    assert walked(drop(office)) == [("", why)]
    assert walked(drop(zip_of(("a", A), ("b", office)))) == [("a", A), ("b", why)]


@pytest.mark.parametrize("size", [30, 100, -1])
def test_a_zip_without_its_end_is_cut_off(drop, size):
    ((name, why),) = walked(drop(zip_of(("a", A), ("b", B))[:size]))
    assert name == ""
    assert "cut off" in why


@pytest.mark.parametrize(
    ("offset", "value", "why"),
    [(4, 1, "one of several parts"), (12, 2**16 - 1, "not at the recorded position")],
)
def test_a_zip_whose_end_is_wrong_is_an_error(drop, offset, value, why):
    content = bytearray(zip_of(("a", A)))
    struct.pack_into("<H", content, content.index(b"PK\5\6") + offset, value)
    ((_, told),) = walked(drop(content))
    assert why in told


@pytest.mark.parametrize("method", [8, 9, 14])
def test_a_zip_that_is_encrypted_or_strangely_compressed_is_refused(drop, method):
    content = bytearray(zip_of(("a", A), ("b", B)))
    at = content.index(b"PK\1\2")
    struct.pack_into("<HH", content, at + 8, 1 if method == 8 else 0, method)
    (_, why), last = walked(drop(content))
    assert why.startswith("it is encrypted" if method == 8 else "it is compressed by method")
    assert last == ("b", B)


def test_backslashes_separate_in_zips_made_on_windows(drop):
    for host, name in ((0, "a/b.txt"), (10, "a/b.txt"), (3, "a\\b.txt")):
        path = drop(zip_of((zip_info("a\\b.txt", host=host), A), (zip_info("c\\", host=host), b"")))
        assert walked(path)[0] == (name, A)
        assert len(walked(path)) == (1 if host != 3 else 2)


def test_names_in_zips_are_utf8_or_cp437_whatever_they_claim(drop):
    for found in (b"\x81.txt", "ü.txt".encode()):
        name = "x" * len(found)
        path = drop(zip_of((name, A)).replace(name.encode(), found))
        assert walked(path) == [("ü.txt", A)]
    claimed = zip_of(("é", A)).replace("é".encode(), b"\xe9\xe9")
    assert walked(drop(claimed)) == [("\udce9\udce9", A)]


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
    assert walked(drop(content[:at] + entry + record + locator + last)) == [("a", A)]


def test_an_entry_that_is_named_like_a_folder_and_has_content_is_refused(drop):
    why = "it has the name of a folder, but also content"
    assert walked(drop(zip_of(("odd.txt/", A), ("a", B)))) == [("odd.txt", why), ("a", B)]


def test_overlapping_members_are_refused(drop):
    """After Fifield, "A better zip bomb", 2019."""
    content = bytes(2**20)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", content)
        for number in range(1, 1000):
            again = zipfile.ZipInfo(str(number))
            for field in zipfile.ZipInfo.__slots__:
                if field not in ("filename", "orig_filename"):
                    setattr(again, field, getattr(archive.filelist[0], field, None))
            archive.filelist.append(again)
    first, *others = walked(drop(file.getvalue()))
    assert first == ("0", content)
    assert {why for _, why in others} == {
        "its data overlaps the data of another member, as in a zip bomb"
    }


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()])
def test_of_a_tar_that_is_cut_off_the_members_before_are_read(drop, pack):
    content = pack(tar_of(("a", A), ("b", os.urandom(2**20)), ("c", B)))
    *whole, (name, why) = walked(drop(content[: len(content) // 2]))
    assert (name, bool(why)) == ("", True)
    if pack is not bz2.compress:  # its block is not complete
        assert "cut off" in why
        assert whole[0] == ("a", A)
        assert "cut off" in whole[1][1]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_of_a_member_that_is_cut_off_everything_before_is_read(drop, pack):
    noise = os.urandom(2**18)
    content = pack(tar_of(("a", noise)))
    with closing(walk(drop(content[: len(content) - 4000]), UnpackLimits())) as members:
        chunks = iter(partial(next(members).stream.read1, 2**16), b"")
        found = bytearray()
        with pytest.raises(UnpackError, match="cut off"):
            collections.deque(map(found.extend, chunks), maxlen=0)
    assert noise.startswith(found)
    assert len(found) > len(noise) - 20_000


def test_a_tar_without_an_end_mark_may_be_cut_off(drop):
    content = tar_of(("a", A), ("b", B))[:2048]
    why = "it is cut off: its end mark is missing"
    assert walked(drop(content)) == [("a", A), ("b", B), ("", why)]


def test_a_broken_header_ends_a_tar(drop):
    content = bytearray(tar_of(("a", A), ("b", B)))
    content[1024] ^= 1
    first, (_, why) = walked(drop(content))
    assert first == ("a", A)
    assert "headers is damaged" in why


def test_headers_that_never_end_are_an_error(drop):
    empty = tar_info("x", tarfile.GNUTYPE_LONGNAME).tobuf(tarfile.GNU_FORMAT)
    assert walked(drop(empty * 100)) == [
        ("", "it has too many headers for one member: it is damaged")
    ]


@pytest.mark.parametrize("records", [b"x", b"9 size=-1\n", b"10 size=1x\n", b"0 a=b\n", b"4 a\n"])
def test_broken_records_in_a_tar_are_an_error(drop, records):
    ((_, why),) = walked(drop(tar_of((tar_info("x", tarfile.XHDTYPE), records), ("a", A))))
    assert "headers is damaged" in why


def test_a_sparse_file_by_pax_headers_is_refused(drop):
    info = tar_info("x")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    assert walked(drop(tar_of((info, A)))) == [("x", "it is a sparse file")]


def test_the_map_of_an_old_sparse_file_is_skipped(drop):
    header = bytearray(tar_of((tar_info("x", tarfile.GNUTYPE_SPARSE), A))[:1024])
    header[482] = 1
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:512]))
    content = header[:512] + b"\1" * 512 + bytes(512) + header[512:] + tar_of(("a", B))
    assert walked(drop(content)) == [("x", "it is a sparse file"), ("a", B)]
    ((_, why),) = walked(drop(content[:1024]))
    assert "cut off" in why


def test_what_pax_headers_say_counts_and_global_ones_do_not(drop):
    said = tar_of((tar_info("x", tarfile.XHDTYPE), b"11 size=90\n14 path=b/c d\n"))[:1024]
    comment = tar_of((tar_info("g", tarfile.XGLTYPE), b"10 path=x\n"))[:1024]
    content = comment + said + tar_info("no").tobuf() + A + bytes(422) + bytes(1024)
    assert walked(drop(content)) == [("b/c d", A)]


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_names_of_gigabytes_are_not_taken_into_memory(drop, kind):
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 10 * 2**30
    zeros = gzip.compress(bytes(64 * 2**20)) * 160
    path = drop(gzip.compress(header.tobuf(tarfile.GNU_FORMAT)) + zeros)
    with in_little_memory():
        ((_, why),) = walked(path)
    assert "too long" in why or "like a zip bomb" in why
