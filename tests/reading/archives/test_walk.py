"""The one walk through archives and folders: what is read, in which order, what is refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import resource
import socket
import stat
import tarfile
import zipfile
from contextlib import closing, nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.archives import (
    PACKERS,
    A,
    B,
    dropped,
    in_little_memory,
    search_all,
    tar_info,
    tar_of,
    walked,
    zip_info,
    zip_of,
)
from support.strategies import examples

from pipeline.reading.archives import UnpackError, UnpackLimits, safe_parts
from pipeline.reading.archives.walk import check_readable, kind_of, open_unpacked, walk


def folder_of(root, *entries):
    for name, content in entries:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


both_packers = pytest.mark.parametrize("pack", [zip_of, tar_of])
TAR_FORMATS = tarfile.PAX_FORMAT, tarfile.GNU_FORMAT
LONG_NAME = "long/" * 30 + "x" * 120
ENTRIES = [("b/2.txt", A), ("b/1.txt", B), ("a", b""), ("ü/数独.sdk", A), (LONG_NAME, B)]
PAIR = [("x", A), ("y", B)]
NESTED = {
    "zip": zip_of(*PAIR),
    "tar": tar_of(*PAIR),
    "tar.xz": lzma.compress(tar_of(*PAIR)),
    "zip.gz": gzip.compress(zip_of(*PAIR)),
}
ZEROS = bytes(64 * 2**20)


@pytest.fixture
def drop(tmp_path):
    return lambda content: dropped(tmp_path, content)


IN_ORDER = {
    **{f"zip {n}": ("zip", zip_of(*ENTRIES, method=n)) for n in (0, 8, 12)},
    **{
        f"tar {n}": ("tar", tar_of(*ENTRIES, form=n))
        for n in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)
    },
    **{kind: ("tar", pack(tar_of(*ENTRIES))) for kind, pack in PACKERS.items()},
    "zip in gzip": ("zip", gzip.compress(zip_of(*ENTRIES))),
}


@pytest.mark.parametrize(("kind", "content"), IN_ORDER.values(), ids=IN_ORDER)
def test_an_archive_is_read_in_its_order_however_it_is_packed(drop, kind, content):
    path = drop(content)
    assert kind_of(path) == kind
    assert walked(path) == ENTRIES


def test_a_folder_is_read_in_the_order_of_the_names_bytes(tmp_path):
    entries = [(name, name.encode()) for name in ("B", "a/c", "a/é", "a.b", "b")]
    folder = folder_of(tmp_path, *entries)
    assert kind_of(folder) == "folder"
    assert walked(folder) == entries


def test_an_empty_archive_or_folder_has_no_members(drop, tmp_path):
    assert walked(tmp_path) == []
    for content in (zip_of(), tar_of(), gzip.compress(tar_of()), bytes(1024)):
        path = drop(content)
        assert kind_of(path) in ("zip", "tar")
        assert walked(path) == []
        check_readable(path, UnpackLimits())
    assert walked(drop(A)) == [("", "it is not an archive")]


def test_a_member_that_is_compressed_on_its_own_is_unpacked_but_not_twice(drop):
    packed = [(kind, pack(A)) for kind, pack in PACKERS.items()]
    path = drop(zip_of(*packed, ("twice", gzip.compress(lzma.compress(A)))))
    expected = [(kind, A) for kind in PACKERS]
    assert walked(path) == [*expected, ("twice", "it is compressed twice")]


def test_links_and_special_files_have_no_kind_and_are_not_opened(drop, tmp_path):
    drop(A)
    (tmp_path / "link").symlink_to("dropped")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "gone"):
        for look in (kind_of, lambda path: open_unpacked(path, UnpackLimits())):
            with pytest.raises(OSError, match=rf"{name}|link"):
                look(tmp_path / name)


@pytest.mark.parametrize("outer", ["zip", "tar", "tar.bz2", "folder"])
def test_an_archive_in_an_archive_is_opened_in_its_place(drop, tmp_path, outer):
    entries = [("a", A), *NESTED.items(), ("zz", B)]
    match outer:
        case "folder":
            path = folder_of(tmp_path / "set", *entries)
        case "zip":
            path = drop(zip_of(*entries))
        case _:
            path = drop((bz2.compress if outer == "tar.bz2" else bytes)(tar_of(*entries)))
    expected = [(f"{name}/{inner}", content) for name in NESTED for inner, content in PAIR]
    found = walked(path)
    assert (found[0], found[-1]) == (("a", A), ("zz", B))
    assert sorted(found[1:-1]) == sorted(expected)


@pytest.mark.parametrize("innermost", NESTED)
def test_an_archive_in_an_archive_in_an_archive_is_refused(drop, innermost):
    path = drop(zip_of(("a", tar_of(("b", NESTED[innermost]), ("c", B)))))
    why = "it is nested too deep: only an archive directly inside an archive is read"
    assert walked(path) == [("a/b", why), ("a/c", B)]


def test_a_large_nested_tar_of_noise_is_recognised_inside_bzip2(drop):
    noise = os.urandom(2**21)
    path = drop(zip_of(("a", bz2.compress(tar_of(("x", noise)))), method=zipfile.ZIP_STORED))
    assert walked(path) == [("a/x", noise)]


@both_packers
def test_a_stream_is_closed_when_the_next_member_is_asked_for(drop, pack):
    with closing(walk(drop(pack(("a", A), ("b", B))), UnpackLimits())) as found:
        stale = next(found).stream
        assert next(found).stream.read() == B
        with pytest.raises(ValueError, match="closed"):
            stale.read()


def test_a_walk_goes_on_behind_a_broken_nested_archive(drop):
    cut = NESTED["zip"][: len(NESTED["zip"]) // 2]
    path = drop(zip_of(("a", A), ("cut.zip", cut), ("z", B)))
    why = "it is cut off: the list of members at its end is missing"
    assert walked(path) == [("a", A), ("cut.zip", why), ("z", B)]
    check_readable(path, UnpackLimits())


def test_a_walk_says_where_the_archive_itself_breaks_off(drop):
    path = drop(tar_of(("a", A), ("b", B))[:1200])
    first, (name, why) = walked(path)
    assert (first, name, "cut off" in why) == (("a", A), "", True)
    check_readable(path, UnpackLimits())
    with pytest.raises(UnpackError, match="cut off"):
        check_readable(drop(zip_of(("a", A))[:60]), UnpackLimits())


def test_a_first_member_is_enough_though_nothing_comes_of_it(drop):
    check_readable(drop(tar_of(("a", tar_of()), ("b", B))[: 1024 + 10240]), UnpackLimits())


@pytest.mark.parametrize("size", [200, 100])
def test_a_name_that_gets_too_long_or_too_deep_in_a_nested_archive_is_refused(drop, size):
    long = "/".join(["x" * size] * 10) if size == 200 else "/".join("x" * 40)
    inner = zip_of((f"{long}/y", B), ("../out", B))
    (_, why), (out, leads_out), last = walked(drop(zip_of((f"{long}/n.zip", inner), ("z", B))))
    assert why == ("its name is too long" if size == 200 else "it is more than 64 folders deep")
    assert (out, last) == (f"{long}/n.zip/../out", ("z", B))
    assert "leads out" in leads_out


def test_what_the_machine_is_at_fault_for_ends_a_walk(drop):
    path = drop(zip_of(("a", A)))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(free := os.open(path, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            next(walk(path, UnpackLimits()))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_member_that_is_gone_is_refused_in_a_folder(tmp_path):
    found = walk(folder_of(tmp_path, *((name, A) for name in "abc")), UnpackLimits())
    assert next(found).name == "a"
    (tmp_path / "b").unlink()
    assert next(found).refusal == "it cannot be read: No such file or directory"
    assert [member.stream.read() for member in found] == [A]


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


@both_packers
def test_an_unsafe_name_is_refused_and_the_others_are_read(drop, pack):
    *refused, last = walked(drop(pack(*((name, A) for name in UNSAFE), ("good", B))))
    assert last == ("good", B)
    for (name, why), (found, told) in zip(UNSAFE.items(), refused, strict=True):
        assert why in told
        assert found in (name, name[:200] + "…")


def test_the_parts_of_a_harmless_name_are_what_is_left_of_it():
    assert safe_parts("./a//b/./c d") == ("a", "b", "c d")
    assert safe_parts("..a/b..") == ("..a", "b..")
    assert safe_parts("caf\udce9") == ("caf\udce9",)
    for name in ("", ".", "./", "a\0b", "\ud800", *UNSAFE):
        assert isinstance(safe_parts(name), str)


@both_packers
def test_of_a_name_that_comes_twice_the_first_is_read(drop, pack):
    warned = pytest.warns(UserWarning, match="Duplicate") if pack is zip_of else nullcontext()
    with warned:
        path = drop(pack(("a/b", A), ("a/b", B), ("./a//b", B), ("c", B)))
    why = "another member has the same name"
    assert walked(path) == [("a/b", A), ("a/b", why), ("a/b", why), ("c", B)]


JUNK = [".DS_Store", "__MACOSX/._a", ".git/config", "a/Thumbs.db", "x.tmp", "b/~$a.txt", "c.txt~"]


def test_a_member_whose_number_is_a_file_of_vim_in_an_inbox_is_read(drop):
    names = ["4912", "4913", "4914"]
    assert walked(drop(zip_of(*((name, A) for name in names)))) == [(name, A) for name in names]


def test_junk_and_empty_folders_are_passed_over(drop, tmp_path):
    entries = [*((name, A) for name in JUNK), ("a/a", B)]
    folders = [tar_info(name, tarfile.DIRTYPE) for name in ("./", "e")]
    assert walked(drop(tar_of(*((folder, b"") for folder in folders), *entries))) == [("a/a", B)]
    assert walked(drop(zip_of(("./", b""), *entries, ("e/", b"")))) == [("a/a", B)]
    (tmp_path / "set" / "e" / "f").mkdir(parents=True)
    assert walked(folder_of(tmp_path / "set", *entries)) == [("a/a", B)]
    found = walked(drop(zip_of(("../.x", A), ("__MACOSX/../../x", A), ("../", b""))))
    assert ["leads out" in why for _, why in found] == [True] * 3, "names that lead out are listed"


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a named pipe"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
        (b"Z", "not supported"),
    ],
)
def test_what_is_no_file_is_refused_in_a_tar(drop, kind, why):
    content = A if kind in (tarfile.GNUTYPE_SPARSE, b"Z") else b""
    (_, told), last = walked(drop(tar_of((tar_info("x", kind, "../y"), content), ("a", B))))
    assert why in told
    assert last == ("a", B)


def test_what_is_no_file_is_refused_in_a_folder(tmp_path, monkeypatch):
    (tmp_path / "in").symlink_to("a")
    (tmp_path / "out").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").write_bytes(B)
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("socket")
        assert walked(tmp_path) == [
            ("a", B),
            ("in", "it is a link"),
            ("out", "it is a link"),
            ("pipe", "it is a named pipe"),
            ("socket", "it is a socket"),
        ]


def drained(path, room=None):
    """How much can be read of all members, and why no more can be."""
    size, errors = 0, []
    for member in walk(path, room or UnpackLimits()):
        read, error = (0, member.refusal) if member.refusal else search_all(member.stream)
        size += read
        errors += [error] if error else []
    return size, errors


def test_a_bomb_in_a_zip_leaves_the_other_members(drop):
    path = drop(zip_of(("a", A), ("bomb", ZEROS + b"0"), ("b", B)))
    size, (error,) = drained(path)
    assert size <= len(A) + len(ZEROS) + len(B)
    assert "like a zip bomb" in str(error)


@both_packers
def test_the_total_counts_all_members_and_ends_the_archive(drop, pack):
    path = drop(pack(*((str(number), A) for number in range(10))))
    assert drained(path, UnpackLimits(2**20)) == (10 * len(A), [])
    size, errors = drained(path, UnpackLimits(4 * len(A)))
    assert size <= 4 * len(A)
    assert len(errors) == 1 + (pack is zip_of)
    assert all("raise --max-total-bytes to allow more" in str(error) for error in errors)
    check_readable(path, UnpackLimits(1))


@both_packers
def test_too_many_members_are_refused_first_or_read_up_to_their_number(drop, pack):
    path, few = drop(pack(*((str(number), A) for number in range(10)))), UnpackLimits(members=4)
    with pytest.raises(UnpackError, match="more than 4 members"):
        check_readable(path, few)
    check_readable(path, few, counts_members=False)
    size, errors = drained(path, few)
    assert size == 4 * len(A)
    assert "more than 4 members" in errors[-1]


@both_packers
def test_members_are_counted_those_inside_included(drop, pack):
    inner = zip_of(*((name, A) for name in "abc"))
    path = drop(pack(("1", inner), ("2", inner)))
    assert drained(path, UnpackLimits(members=8)) == (6 * len(A), [])
    size, errors = drained(path, UnpackLimits(members=7))
    assert size == 5 * len(A)
    assert "more than 7 members" in errors[0]


def test_memory_does_not_grow_with_what_is_read(drop):
    noise = bytes(range(256)) * 2**12
    path = drop(tar_of(*((f"{number}/x", noise) for number in range(30))))
    with in_little_memory():
        assert drained(path) == (30 * len(noise), [])


def test_a_large_archive_in_an_archive_is_kept_on_disk_while_it_is_read(drop):
    noise = bytes(range(256)) * 2**17
    path = drop(tar_of(("a", zip_of(("x", noise), ("y", A), method=zipfile.ZIP_STORED))))
    with in_little_memory():
        assert drained(path) == (len(noise) + len(A), [])


VARIED = [("a.txt", A), ("b/c.txt", B * 20), ("d.gz", gzip.compress(A)), ("e", zip_of(("f", A)))]
SEEDS = [
    *(zip_of(*VARIED, method=method) for method in (0, 8, 12)),
    tar_of(*VARIED, ("é" * 90, B)),
    tar_of(*VARIED, ("x" * 120, B), form=tarfile.GNU_FORMAT),
    *(pack(tar_of(*VARIED)) for pack in PACKERS.values()),
    gzip.compress(zip_of(*VARIED)),
    *(pack(A * 5) + pack(B) for pack in PACKERS.values()),
]
SMALL = UnpackLimits(total_bytes=20_000, members=8)


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


@examples(150)
@given(content=mutated())
def test_mutated_archives_raise_what_is_meant_within_the_limits(tmp_path_factory, content):
    path = dropped(tmp_path_factory.getbasetemp(), content)
    size, errors = drained(path, SMALL)
    assert size <= SMALL.total_bytes
    assert errors or kind_of(path) in ("zip", "tar")
    try:
        stream = open_unpacked(path, SMALL)
    except UnpackError:
        return
    with stream:
        size, _ = search_all(stream)
    assert size <= max(len(content), SMALL.total_bytes)


def test_strange_names_and_types_are_refused_in_a_zip(drop):
    kinds = {"link": stat.S_IFLNK, "named pipe": stat.S_IFIFO, "device": stat.S_IFBLK}
    refused = {
        **{zip_info(why, mode=mode | 0o777): f"it is a {why}" for why, mode in kinds.items()},
        **dict.fromkeys((zip_info(""), zip_info("./.")), "it has no name"),
        zip_info("a\0b"): "its name contains a NUL",
    }
    path = drop(zip_of(*((info, b"/etc/passwd") for info in refused), ("c", B)))
    assert [text for _, text in walked(path)] == [*refused.values(), B]


def test_bytes_and_members_are_counted_in_a_folder_too(tmp_path):
    folder_of(tmp_path, *((name, A) for name in "abc"))
    assert drained(tmp_path, UnpackLimits(3 * len(A), members=3)) == (3 * len(A), [])
    assert drained(tmp_path, UnpackLimits(3 * len(A) - 1))[0] == 2 * len(A)
    assert "more than 2 members" in drained(tmp_path, UnpackLimits(members=2))[1][0]
