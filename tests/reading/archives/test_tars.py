"""Tars: cut off, damaged, strange and hostile ones."""

from __future__ import annotations

import bz2
import collections
import gzip
import lzma
import os
import tarfile
from contextlib import closing
from functools import partial

import pytest
from support.packing import PACKERS, A, B, dropped, in_little_memory, tar_info, tar_of, walked

from pipeline.reading.archives.limits import UnpackError, UnpackLimits
from pipeline.reading.archives.walk import walk


@pytest.fixture
def drop(tmp_path):
    return lambda content: dropped(tmp_path, content)


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
    why = "its end mark is missing: it is cut off"
    assert walked(drop(content)) == [("a", A), ("b", B), ("", why)]


def test_a_broken_header_ends_a_tar(drop):
    content = bytearray(tar_of(("a", A), ("b", B)))
    content[1024] ^= 1
    first, (_, why) = walked(drop(content))
    assert first == ("a", A)
    assert "headers is damaged" in why


def test_headers_that_never_end_are_an_error(drop):
    empty = tar_info("x", tarfile.GNUTYPE_LONGNAME).tobuf(tarfile.GNU_FORMAT)
    assert walked(drop(empty * 100)) == [("", "its headers have no end: it is damaged")]


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
    assert "too long" in why or "as bombs do" in why
