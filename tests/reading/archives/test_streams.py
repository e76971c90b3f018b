"""Compressed files as streams: opened as what is in them, broken ones to where they break."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zlib

import pytest
from support.archives import PACKERS, A, B, dropped, in_little_memory, search_all

from pipeline.reading.archives import (
    MIN_RATIO_BYTES,
    ArchiveLimitExceeded,
    UnpackError,
    UnpackLimits,
)
from pipeline.reading.archives.walk import kind_of, open_unpacked

ZEROS = bytes(2**24)
every_packer = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


@pytest.fixture
def drop(tmp_path):
    return lambda content: dropped(tmp_path, content)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_compressed_file_is_opened_as_what_is_in_it(drop, kind):
    path = drop(PACKERS[kind](A) + PACKERS[kind](B))
    assert kind_of(path) == kind
    with open_unpacked(path, UnpackLimits()) as stream:
        assert stream.readline() == A[:10]
        assert stream.read() == A[10:] + B


@pytest.mark.parametrize("content", [b"", A, b"PK", b"BZh9", b"\x1f\x8b", b"\0" * 20])
def test_a_plain_file_is_opened_as_it_is_without_a_limit(drop, content):
    path = drop(content := content * 2**10)
    assert kind_of(path) == "plain"
    with open_unpacked(path, UnpackLimits(total_bytes=1)) as stream:
        assert stream.read() == content


def test_what_is_compressed_twice_is_refused(drop):
    path = drop(gzip.compress(lzma.compress(A)))
    assert kind_of(path) == "gzip"
    with pytest.raises(UnpackError, match="compressed twice"):
        open_unpacked(path, UnpackLimits())


@every_packer
def test_a_compressed_file_that_is_cut_off_says_so_at_its_end(drop, pack):
    content = pack(A * 100)
    for cut in range(1, len(content) - 10, 5):
        stream = open_unpacked(drop(content[:-cut]), UnpackLimits())
        with stream, pytest.raises(UnpackError, match="cut off"):
            list(stream)


def test_an_error_comes_after_all_that_could_be_read_and_stays(drop):
    with open_unpacked(drop(gzip.compress(A) + b"garbage"), UnpackLimits()) as stream:
        assert stream.read1() == A
        for _ in range(2):
            with pytest.raises(UnpackError, match="damaged"):
                stream.read1()


def test_zeros_behind_a_compressed_file_are_padding(drop):
    content = gzip.compress(A) + bytes(512) + gzip.compress(B) + bytes(2**17)
    with open_unpacked(drop(content), UnpackLimits()) as stream:
        assert stream.read() == A + B


@pytest.mark.parametrize("pack", [gzip, bz2])
def test_ten_gibibytes_of_zeros_are_stopped_early(drop, pack):
    path = drop(pack.compress(ZEROS) * 640)
    with in_little_memory(), open_unpacked(path, UnpackLimits()) as stream:
        size, error = search_all(stream)
    assert "1000 times its size" in str(error)
    assert size <= MIN_RATIO_BYTES


@every_packer
def test_the_total_is_a_limit_to_the_byte(drop, pack):
    path = drop(pack(ZEROS))
    with in_little_memory(), open_unpacked(path, UnpackLimits(len(ZEROS), ratio=10**9)) as stream:
        assert search_all(stream) == (len(ZEROS), None)
    with open_unpacked(path, UnpackLimits(len(ZEROS) - 1, ratio=10**9)) as stream:
        size, error = search_all(stream)
    assert size < len(ZEROS)
    assert isinstance(error, ArchiveLimitExceeded)
    assert str(error).endswith("raise --max-total-bytes to allow more")


def test_a_dictionary_of_gibibytes_is_refused(drop):
    content = bytearray(lzma.compress(A))
    header = content[12 : 12 + (content[12] + 1) * 4]
    header[header.index(0x21) + 2] = 39  # 3 GiB
    header[-4:] = struct.pack("<L", zlib.crc32(header[:-4]))
    content[12 : 12 + len(header)] = header
    with (
        open_unpacked(drop(content), UnpackLimits()) as stream,
        pytest.raises(UnpackError, match="emory"),
    ):
        stream.read()


@every_packer
def test_streams_with_nothing_in_them_come_to_an_end(drop, pack):
    with open_unpacked(drop(pack(b"") * 20_000), UnpackLimits()) as stream:
        size, error = search_all(stream)
    assert size == 0
    assert "thousands of nearly empty streams" in str(error)
