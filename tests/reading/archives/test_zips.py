"""Zips: damaged, strange and hostile ones."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from support.packing import A, B, dropped, walked, zip_info, zip_of


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
    why = "it is not where the list of members says: it is damaged"
    assert walked(drop(content)) == [("a", A), ("b", why)]


@pytest.mark.parametrize(("stated", "than"), [(10, "longer"), (1000, "shorter")])
def test_a_wrong_size_is_that_members_fault(drop, stated, than):
    content = bytearray(zip_of(("a", A), ("b", B)))
    struct.pack_into("<L", content, content.index(b"PK\1\2") + 24, stated)
    why = f"it is {than} than the list of members says: it is damaged"
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
    [(4, 1, "one of several parts"), (12, 2**16 - 1, "not where its end says")],
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
    why = "it is named like a folder and has content"
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
    assert {why for _, why in others} == {"its bytes belong to other members too, as in bombs"}
