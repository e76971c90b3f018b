"""Bombs and mutated archives: stopped at the limits, in little memory, by errors that are meant."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_unpack import A, B, tar_of, zip_of

from pipeline.unpack import Room, TooMuch, UnpackError, inner_members, kind_of, members, opened

ZEROS = bytes(64 * 2**20)
SOME = ZEROS[: 2**25]
MEMORY = 12 * 2**20


@pytest.fixture
def drop(tmp_path):
    def put(content):
        path = tmp_path / "dropped"
        path.write_bytes(content)
        return path

    return put


@contextmanager
def in_little_memory():
    """What is done takes far less memory than what is read would."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def ten_gibibytes():
    """Zeros, compressed; each 64 MiB of them in a stream of its own."""
    return {pack: pack.compress(ZEROS) * 160 for pack in (gzip, bz2)}


def exhausted(stream):
    """How much can be read, and the error after it, if any."""
    size = 0
    try:
        while data := stream.read1():
            size += len(data)
    except UnpackError as error:
        return size, error
    return size, None


def drained(path, limits):
    """How much can be read of all members, and all errors."""
    sizes, errors = [], []
    try:
        for member in members(path, limits):
            try:
                for each in inner_members(member) if member.nested else [member]:
                    size, error = (0, None) if each.refusal else exhausted(each.stream)
                    sizes.append(size)
                    errors += [error] if error else []
            except UnpackError as error:
                errors.append(error)
    except UnpackError as error:
        errors.append(error)
    return sum(sizes), errors


@pytest.mark.parametrize("pack", [gzip, bz2])
def test_ten_gibibytes_of_zeros_are_stopped_early(drop, ten_gibibytes, pack):
    path = drop(ten_gibibytes[pack])
    with in_little_memory(), opened(path, Room()) as stream:
        size, error = exhausted(stream)
    assert "1000 times its size" in str(error)
    assert size <= len(ZEROS)


@pytest.mark.parametrize("pack", [gzip, bz2, lzma])
def test_the_total_is_a_limit_to_the_byte(drop, pack):
    path = drop(pack.compress(SOME))
    with in_little_memory(), opened(path, Room(len(SOME), ratio=10**9)) as stream:
        assert exhausted(stream) == (len(SOME), None)
    with opened(path, Room(len(SOME) - 1, ratio=10**9)) as stream:
        size, error = exhausted(stream)
    assert size < len(SOME)
    assert isinstance(error, TooMuch)
    assert str(error).endswith("--max-total-bytes allows more")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_bomb_in_a_zip_leaves_the_other_members(drop, method):
    path = drop(zip_of(("a", A), ("bomb", ZEROS + b"0"), ("b", B), method=method))
    size, (error,) = drained(path, Room())
    assert size <= len(A) + len(ZEROS) + len(B)
    assert "as bombs do" in str(error)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_the_total_counts_all_members_and_ends_the_archive(drop, pack):
    path = drop(pack(*((str(number), A) for number in range(10))))
    assert drained(path, Room(2**20)) == (10 * len(A), [])
    size, errors = drained(path, Room(4 * len(A)))
    assert size <= 4 * len(A)
    assert len(errors) == 1 + (pack is zip_of)
    assert {type(error) for error in errors} == {TooMuch}


def test_the_total_counts_the_files_of_a_folder(tmp_path):
    for name in "abc":
        (tmp_path / name).write_bytes(A)
    assert drained(tmp_path, Room(3 * len(A))) == (3 * len(A), [])
    assert drained(tmp_path, Room(3 * len(A) - 1))[0] == 2 * len(A)


def test_members_are_counted_those_inside_included(drop, tmp_path):
    inner = zip_of(*((name, A) for name in "abc"))
    for pack in (zip_of, tar_of):
        path = drop(pack(("1", inner), ("2", inner)))
        assert drained(path, Room(members=8)) == (6 * len(A), [])
        size, errors = drained(path, Room(members=7))
        assert size == 5 * len(A)
        assert "more than 7 members" in str(errors[0])
    path.unlink()
    for name in "abcd":
        (tmp_path / name).write_bytes(A)
    assert drained(tmp_path, Room(members=4))[1] == []
    assert "more than 3 members" in str(drained(tmp_path, Room(members=3))[1])


def test_overlapping_members_are_refused(drop):
    """After Fifield, "A better zip bomb", 2019."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", ZEROS[: 2**20])
        for number in range(1, 1000):
            again = zipfile.ZipInfo(str(number))
            for field in zipfile.ZipInfo.__slots__:
                if field not in ("filename", "orig_filename"):
                    setattr(again, field, getattr(archive.filelist[0], field, None))
            archive.filelist.append(again)
    size, errors = drained(drop(file.getvalue()), Room())
    assert (size, errors) == (2**20, [])
    refused = [member.refusal for member in members(drop(file.getvalue()), Room())]
    assert refused[0] is None
    assert set(refused[1:]) == {"its bytes belong to other members too, as in bombs"}


def test_a_dictionary_of_gibibytes_is_refused(drop):
    content = bytearray(lzma.compress(A))
    header = content[12 : 12 + (content[12] + 1) * 4]
    header[header.index(0x21) + 2] = 39  # 3 GiB
    header[-4:] = struct.pack("<L", zlib.crc32(header[:-4]))
    content[12 : 12 + len(header)] = header
    with opened(drop(content), Room()) as stream, pytest.raises(UnpackError, match="emory"):
        stream.read()


@pytest.mark.parametrize("pack", [gzip, bz2, lzma])
def test_streams_with_nothing_in_them_come_to_an_end(drop, pack):
    with opened(drop(pack.compress(b"") * 100_000), Room()) as stream:
        size, error = exhausted(stream)
    assert size == 0
    assert "thousands of streams" in str(error)


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_names_of_gigabytes_are_not_taken_into_memory(drop, kind):
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 10 * 2**30
    path = drop(gzip.compress(header.tobuf(tarfile.GNU_FORMAT)) + gzip.compress(ZEROS) * 160)
    with in_little_memory():
        _, (error,) = drained(path, Room())
    assert "too long" in str(error) or "as bombs do" in str(error)


def test_memory_does_not_grow_with_what_is_read(drop):
    noise = bytes(range(256)) * 2**12
    path = drop(tar_of(*((f"{number}/x", noise) for number in range(30))))
    with in_little_memory():
        assert drained(path, Room()) == (30 * len(noise), [])


def test_a_large_archive_in_an_archive_is_kept_on_disk_while_it_is_read(drop):
    noise = bytes(range(256)) * 2**17
    path = drop(tar_of(("a", zip_of(("x", noise), ("y", A), method=zipfile.ZIP_STORED))))
    with in_little_memory():
        assert drained(path, Room()) == (len(noise) + len(A), [])


ENTRIES = [("a.txt", A), ("b/c.txt", B * 20), ("d.gz", gzip.compress(A)), ("e", zip_of(("f", A)))]
SEEDS = [
    zip_of(*ENTRIES),
    zip_of(*ENTRIES, method=zipfile.ZIP_STORED),
    zip_of(*ENTRIES, method=zipfile.ZIP_BZIP2),
    tar_of(*ENTRIES, ("é" * 90, B)),
    tar_of(*ENTRIES, ("x" * 120, B), form=tarfile.GNU_FORMAT),
    gzip.compress(tar_of(*ENTRIES)),
    lzma.compress(tar_of(*ENTRIES)),
    bz2.compress(tar_of(*ENTRIES)),
    gzip.compress(zip_of(*ENTRIES)),
    gzip.compress(A * 5) + gzip.compress(B),
    lzma.compress(A * 5) + lzma.compress(B),
    bz2.compress(A * 5) + bz2.compress(B),
]
SMALL = Room(total_bytes=20_000, members=8)


@st.composite
def mutated(draw):
    """A valid archive with some of its bytes changed, cut out, put in, said again or cut off."""
    content = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        to = draw(st.integers(at, min(len(content), at + draw(st.sampled_from((1, 4, 600))))))
        match draw(st.sampled_from(("change", "cut", "put", "repeat", "end"))):
            case "change":
                content[at:to] = draw(st.binary(min_size=to - at, max_size=to - at))
            case "cut":
                del content[at:to]
            case "put":
                content[at:at] = draw(st.binary(max_size=8))
            case "repeat":
                content[at:at] = content[at:to]
            case _:
                del content[at:]
    return bytes(content)


@settings(deadline=None, max_examples=300)
@given(content=mutated())
def test_mutated_archives_raise_what_is_meant_within_the_limits(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "mutated"
    path.write_bytes(content)
    size, errors = drained(path, SMALL)
    assert size <= SMALL.total_bytes
    assert errors or kind_of(path) in ("zip", "tar")
    try:
        stream = opened(path, SMALL)
    except UnpackError:
        return
    with stream:
        size, _ = exhausted(stream)
    assert size <= max(len(content), SMALL.total_bytes)
