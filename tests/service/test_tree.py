"""Archives and folders through the real `run`: a tree that mirrors them, and what is wrong."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import lzma
import os
import tarfile
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.archives import tar_info, tar_of, zip_info, zip_of
from support.drop_folders import (
    NO_SOLUTION,
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    events_in,
)
from support.forks import Here
from support.logs import Silent
from support.puzzles import EVEN_ODD
from support.sources import check_records

from pipeline.outbox.archive_rows import archive_table, member_summaries
from pipeline.service.jobs import ChunkSizes
from pipeline.service.jobs.archive import ArchiveJob
from pipeline.service.loop import run_once
from pipeline.service.protocol import publish
from pipeline.service.runtime import Tuning
from pipeline.settings import Settings

HEADER = (
    "member,index,line,puzzle,status,solutions,complete,certificate,solution,message,disagreement,"
    "title\n"
)
LINE = SMALL.replace("\n", "")
PAIR = LINE + "\n" + OTHER.replace("\n", "") + "\n"
BAD_LINE = PAIR + "1.k.............\n" + PAIR
SDK = """\
[Puzzle]
53..7....
6..195...
.98....6.
8...6...3
4..8.3..1
7...2...6
.6....28.
...419..5
....8..79
"""

MEMBERS = {
    "a.txt": SMALL,
    "line.txt": LINE,
    "two.txt": TWO_SOLUTIONS,
    "none.txt": NO_SOLUTION,
    "marks.txt": EVEN_ODD,
    "sadman.sdk": SDK,
    "boxes.txt": "2 2\n1 0 0 0\n0 0 2 0\n0 3 0 0\n0 0 0 4\n",
    "bad.txt": "1...\n..k.\n....\n....\n",
    "empty.txt": "",
    "readme.txt": "These puzzles\nwere made in 2020.\n",
    "cover.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "top.txt": PAIR,
    "worse.txt": BAD_LINE,
    "packed.txt.gz": gzip.compress(OTHER.encode()),
}
"""Of each kind one; alone and in an archive they are to give the same."""

OTHERS = ("empty.txt", "readme.txt", "cover.png")
"""Members that are `other` in an archive, and invalid alone."""

ENTRIES = [
    (name, data if isinstance(data, bytes) else data.encode()) for name, data in MEMBERS.items()
]
KINDS = {
    "zip": lambda: zip_of(*ENTRIES),
    "tar.gz": lambda: gzip.compress(tar_of(*ENTRIES)),
}
OTHER_SAID = "nothing in it looks like a puzzle"
every_kind = pytest.mark.parametrize("kind", [*KINDS, "folder"])


def table(box, stem):
    return list(csv.DictReader(io.StringIO(box.text(f"{stem}.csv"), newline="")))


def members_of(box, stem):
    """The members and their statuses, each once."""
    rows = member_summaries(archive_table(box.outbox / f"{stem}.csv"))
    return [(row.member, row.status) for row in rows]


def files_in(top):
    """The files below a folder, by their names relative to it."""
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if not path.is_dir()
    }


def check_whole(box):
    """Every record tells the hashes of its files, and there is nothing else; no litter anywhere."""
    check_records(box)
    assert (box.waiting(), box.in_work()) == (set(), set())


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A pass over the members as files of their own."""
    box = DropFolder.within(tmp_path_factory.mktemp("alone"))
    for name, data in ENTRIES:
        if name not in OTHERS:
            box.drop(name, data)
    assert box.run().returncode == 1
    return box


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """A pass over archives of the members, of every kind, and over a folder of them."""
    box = DropFolder.within(tmp_path_factory.mktemp("together"))
    folder = box.inbox / "in-folder"
    folder.mkdir()
    for name, data in ENTRIES:
        (folder / name).write_bytes(data)
    for kind, make in KINDS.items():
        box.drop(f"in-{kind.replace('.', '-')}.{kind}", make())
    return box, box.run()


def stem(kind):
    return f"in-{kind.replace('.', '-')}"


@every_kind
def test_a_member_gives_what_it_gives_alone(together, alone, kind):
    box, _ = together
    wanted = {name: data for name, data in files_in(alone.outbox).items() if name != ".lock"}
    found = files_in(box.outbox / stem(kind))
    others = {f"{name.partition('.')[0]}.{ending}" for name in OTHERS for ending in ("json", "log")}
    assert found.keys() - others == wanted.keys()
    fields = ("source", "format", "status", "solutions", "complete", "message", "variant", "box")
    for name, data in wanted.items():
        if name.endswith((".solution", ".csv")):
            assert found[name] == data, name
        if name.endswith(".json"):
            mine, theirs = (json.loads(text) for text in (found[name], data))
            for field in (*fields, "totals", "conflict"):
                assert mine.get(field) == theirs.get(field), (name, field)
            names = [{file["name"] for file in record["files"]} for record in (mine, theirs)]
            assert names[0] == names[1]
            assert mine["job"] == box.record(stem(kind))["job"]
            *_, ended = events = events_in(found[name.replace(".json", ".log")].decode())
            (read,) = (event for event in events if event["event"] == "stage.parse")
            assert (ended["event"], bool(read.get("reason"))) == (
                "job.finished",
                bool(mine["format"]),
            )
            assert read.get("format") == mine["format"]


@every_kind
def test_the_table_has_a_row_for_every_puzzle(together, alone, kind):
    box, _ = together
    clash = '"row 1 holds 1 twice: row 1, column 1 and row 1, column 3"'
    line, solved = SMALL.replace("\n", ""), SMALL_SOLVED.replace("\n", "")
    one = f",unique,1,true,exhaustive-search,{solved},,,"
    rows = {
        "a.txt": f"1,,{line}{one}",
        "line.txt": f"1,,{line}{one}",
        "none.txt": f"1,,1.1.............,unsolvable,0,true,lrat,,{clash},,",
        "bad.txt": "1,,,invalid,0,,,,\"bad.txt:2:3: expected a digit or a blank, found 'k'\",,",
        "empty.txt": '1,,,other,0,,,,"empty.txt: expected a puzzle, found an empty file; '
        f'{OTHER_SAID}",,',
        "readme.txt": "1,,,other,0,,,,\"readme.txt:1:1: expected a digit or a blank, found 'T'; "
        f'{OTHER_SAID}",,',
        "cover.png": '1,,,other,0,,,,"cover.png: expected a puzzle as text, found a picture (PNG); '
        "type the cells: one line of 81 digits and dots; "
        f'{OTHER_SAID}",,',
    }
    text = box.text(f"{stem(kind)}.csv")
    assert text.startswith(HEADER)
    for name, row in rows.items():
        assert f"\n{name},{row}\n" in text, name
    for name in ("top", "worse"):
        _, *own = alone.text(f"{name}.csv").splitlines()
        assert "".join(f"\n{name}.txt,{row}" for row in own) in text
    order = sorted(MEMBERS) if kind == "folder" else [*MEMBERS]
    assert [name for name, _ in members_of(box, stem(kind))] == order
    assert len(text.splitlines()) == 1 + len(MEMBERS) - 2 + 2 + 5


@every_kind
def test_the_record_has_the_totals_of_all_puzzles(together, kind):
    box, _ = together
    record = box.record(stem(kind))
    wanted = {"invalid": 2, "multiple": 1, "other": 3, "unique": 12, "unsolvable": 1}
    assert record["totals"] == wanted
    assert (record["schema"], record["status"]) == (2, "archive")
    assert record["format"] == {"zip": "zip", "folder": "folder"}.get(kind, "tar")
    if kind == "folder":
        assert (record["source"], record["sha256"], record["bytes"]) == ("in-folder", None, None)
        return
    data = (box.inbox / "done" / record["source"]).read_bytes()
    assert record["source"] == f"{stem(kind)}.{kind}"
    assert (record["bytes"], record["sha256"]) == (len(data), sha256(data).hexdigest())
    assert [event["event"] for event in events_in(box.text(f"{stem(kind)}.log"))] == [
        "job.claimed",
        "stage.parse",
        "job.finished",
    ]


def test_with_some_members_bad_the_originals_are_done_and_the_pass_exits_with_1(together, alone):
    box, done = together
    assert done.returncode == 1
    assert box.kept("failed") == set()
    archives = {f"{stem(kind)}.{kind}" for kind in KINDS}
    assert box.kept("done") == archives | {f"in-folder/{name}" for name in MEMBERS}
    ended = {e["source"]: e for e in events_in(done.stderr) if e["event"] == "job.finished"}
    assert ended.keys() == archives | {"in-folder"}
    assert {e["level"] for e in ended.values()} == {"error"}
    check_whole(box)
    check_whole(alone)


def test_what_is_no_puzzle_does_not_make_the_pass_fail(box):
    box.drop("set.zip", zip_of(("a.txt", SMALL.encode()), ("readme.txt", b"Hello\n")))
    done = box.run()
    assert done.returncode == 0, done.stderr
    assert box.record("set")["totals"] == {"other": 1, "unique": 1}
    box.drop("readme.txt", "Hello\n")
    assert box.run().returncode == 1
    assert box.record("readme")["status"] == "invalid"


LONG = "x" * 251 + ".txt"
ODD = {
    "a b;'c.txt": SMALL,
    "line\nfeed.txt": SMALL,
    "\x1b[2Jclear.txt": SMALL,
    'quote",comma.txt': SMALL,
    "umlaut-ä/ü.txt": SMALL,
    "byte-\udcff.txt": SMALL,
    "-rf": SMALL,
    "~2.sdk.txt~3": SMALL,
    LONG: SMALL,
    "/".join("d" * 3 for _ in range(60)) + "/deep.txt": SMALL,
}

BESIDE = {
    "a.sdk": SMALL,
    "a.txt": OTHER,
    "a": LINE,
    "x/a.txt": OTHER,
    "y/a.txt": SMALL,
    "x/a.sdk": PAIR,
    "c.txt": PAIR,
    "c.csv": OTHER,
    "c_1.solution": SMALL,
}


def entries(members):
    return [(name, data.encode()) for name, data in members.items()]


NESTED = zip_of(
    ("b.txt", OTHER.encode()),
    ("deep/top.txt", PAIR.encode()),
    ("deeper.tar", tar_of(("c.txt", SMALL.encode()))),
    ("../up.txt", SMALL.encode()),
)
REFUSED = [
    ("../up.txt", SMALL.encode(), "its name leads out of the archive by '..'"),
    ("/etc/absolute.txt", SMALL.encode(), "its name is absolute"),
    ("C:\\drive.txt", SMALL.encode(), "its name is absolute"),
    (tar_info("link.txt", tarfile.SYMTYPE, "/etc/passwd"), b"", "it is a link"),
    (tar_info("hard.txt", tarfile.LNKTYPE, "good.txt"), b"", "it is a link"),
    (tar_info("device", tarfile.CHRTYPE), b"", "it is a device"),
    (tar_info("pipe", tarfile.FIFOTYPE), b"", "it is a named pipe"),
    ("good.txt", SMALL.encode(), ""),
    ("good.txt", OTHER.encode(), "another member has the same name"),
]
REASONS = [reason for *_, reason in REFUSED]
WHOLE_TAR = tar_of(("a.txt", SMALL.encode()), ("b.txt", OTHER.encode()), ("c.txt", SMALL.encode()))
WHOLE_ZIP = zip_of(("a.txt", SMALL.encode()), ("b.txt", OTHER.encode()))
TAR_OF_MANY = tar_of(("a.txt", SMALL.encode()), ("top.txt", (PAIR * 2000).encode()))
HURT = WHOLE_ZIP.index(b"a.txt") + len("a.txt") + 2

SEVENTY = {f"{at % 7}/{at:02}.txt": OTHER if at % 2 else SMALL for at in range(70)}

SOURCES = {
    "odd.tar": tar_of(*entries(ODD)),
    "beside.zip": zip_of(*entries(BESIDE)),
    "nested.zip": zip_of(("inner.zip", NESTED), ("a.txt", SMALL.encode())),
    "packed-inside.tar": tar_of(("in.tar.gz", gzip.compress(WHOLE_TAR)), ("a.txt", b"bad")),
    "refused.tar": tar_of(*(entry for *entry, _ in REFUSED)),
    "only-refused.zip": zip_of(("../a.txt", SMALL.encode()), ("/b.txt", SMALL.encode())),
    "linked.zip": zip_of((zip_info("link", mode=0o120777), b"/etc"), ("a.txt", SMALL.encode())),
    "empty.zip": zip_of(),
    "empty.tar": tar_of(),
    "junk.zip": zip_of((".hidden", b"x"), ("__MACOSX/a.txt", b"x"), ("d/", b""), ("b.part", b"x")),
    "cut.zip": WHOLE_ZIP[: len(WHOLE_ZIP) // 2],
    "hurt.zip": WHOLE_ZIP[:HURT] + bytes([WHOLE_ZIP[HURT] ^ 255]) + WHOLE_ZIP[HURT + 1 :],
    "cut.tar": WHOLE_TAR[:1300],
    "cut-twice.tar.gz": gzip.compress(TAR_OF_MANY)[: len(gzip.compress(TAR_OF_MANY)) // 2],
    "no-end.tar.xz": lzma.compress(WHOLE_TAR)[:-20],
    "seventy.zip": zip_of(*entries(SEVENTY)),
}  # fmt: skip


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A pass over archives in which something is unusual."""
    box = DropFolder.within(tmp_path_factory.mktemp("odd"))
    for name, data in SOURCES.items():
        os.utime(box.drop(name, data), (1, 1))  # a tar of nothing is NULs, which wait
    return box, box.run("--settle", "0")


def test_unusual_archives_end_in_done_with_exit_code_1_and_nothing_is_written_outside(odd):
    box, done = odd
    assert done.returncode == 1
    assert box.kept("done") == set(SOURCES) - {"cut.zip"}
    assert box.kept("failed") == {"cut.zip"}
    assert "it is cut off" in box.record("cut.zip")["message"]
    check_whole(box)
    top = box.inbox.parent
    assert {path.name for path in top.iterdir()} == {"inbox", "outbox"}
    assert not [*top.rglob("up*"), *top.rglob("*absolute*")]


def test_odd_names_are_kept_in_the_tree_and_escaped_in_the_table_and_long_ones_shortened(odd):
    box, _ = odd
    found = table(box, "odd")
    assert [row["status"] for row in found] == ["unique"] * (len(ODD) - 1)
    assert box.text("odd.csv").replace("\n", "").isprintable()
    escaped = [name.encode("unicode_escape").decode() for name in list(ODD)[:6]]
    escaped[4] = "umlaut-ä/ü.txt"
    assert [row["member"] for row in found][:6] == escaped
    solved = [name for name in files_in(box.outbox / "odd") if name.endswith("_1.solution")]
    assert len(solved) == len(found)
    for name in ODD.keys() - {"~2.sdk.txt~3", LONG}:
        whole = box.outbox / "odd" / f"{os.fspath(Path(name).with_suffix(''))}_1.solution"
        assert whole.read_text() == SMALL_SOLVED
    (record,) = (box.outbox / "odd").glob("x*.json")
    assert json.loads(record.read_text())["source"] == LONG
    assert len(record.name) < 255


def test_members_with_one_stem_do_not_overwrite_each_other(odd):
    box, _ = odd
    assert {status for _, status in members_of(box, "beside")} == {"unique", "collection"}
    top = box.outbox / "beside"
    records = sorted(top.rglob("*.json"))
    stems = {
        json.loads(path.read_text())["source"]: str(path.relative_to(top).with_suffix(""))
        for path in records
    }
    assert stems == {
        "a.sdk": "a",
        "a.txt": "a.txt",
        "a": "a~2",
        "x/a.txt": "x/a",
        "y/a.txt": "y/a",
        "x/a.sdk": "x/a.sdk",
        "c.txt": "c",
        "c.csv": "c.csv",
        "c_1.solution": "c_1",
    }
    assert len(records) == len(stems)
    for name in stems.keys() - {"a", "x/a.sdk", "c.txt"}:
        text = (top / f"{stems[name]}_1.solution").read_text()
        assert text == {SMALL: SMALL_SOLVED, OTHER: OTHER_SOLVED}[BESIDE[name]]


def test_archives_in_archives_are_opened_one_level_deep(odd):
    box, _ = odd
    assert members_of(box, "nested") == [
        ("inner.zip/b.txt", "unique"),
        ("inner.zip/deep/top.txt", "collection"),
        ("inner.zip/deeper.tar", "refused"),
        ("inner.zip/../up.txt", "refused"),
        ("a.txt", "unique"),
    ]
    tree = box.outbox / "nested"
    assert (tree / "inner.zip/b_1.solution").read_text() == OTHER_SOLVED
    assert (tree / "inner.zip/deep/top.csv").exists()
    assert box.record("nested")["totals"] == {"refused": 2, "unique": 4}
    packed = [row["member"] for row in table(box, "packed-inside")]
    assert packed == [*(f"in.tar.gz/{name}.txt" for name in "abc"), "a.txt"]


def test_what_must_not_be_read_is_refused_one_by_one_and_listed(odd):
    box, _ = odd
    found = [(row["message"], row["status"]) for row in table(box, "refused")]
    assert found == [(why, "refused" if why else "unique") for why in REASONS]
    assert box.record("refused")["totals"] == {"refused": 8, "unique": 1}
    assert (box.outbox / "refused/good_1.solution").read_text() == SMALL_SOLVED
    messages = {row["member"]: row["message"] for row in table(box, "linked")}
    assert messages["link"] == "it is a link"
    assert ("a.txt", "unique") in members_of(box, "linked")
    assert box.record("only-refused")["totals"] == {"refused": 2}
    assert list((box.outbox / "only-refused").iterdir()) == []


@pytest.mark.parametrize("name", ["empty.zip", "empty.tar", "junk.zip"])
def test_an_archive_with_nothing_to_read_is_an_empty_table(box, name):
    os.utime(box.drop(name, SOURCES[name]), (1, 1))  # a tar of nothing is NULs, which wait
    assert in_process(box) == 0
    top = name.partition(".")[0]
    assert box.text(f"{top}.csv") == HEADER
    assert (box.record(top)["totals"], box.record(top)["status"]) == ({}, "archive")
    assert list((box.outbox / top).iterdir()) == []
    assert box.kept("done") == {name}
    check_whole(box)


@pytest.mark.parametrize("name", ["hurt", "cut", "no-end"])
def test_of_what_is_damaged_or_cut_off_all_is_solved_that_can_be_read(odd, name):
    box, _ = odd
    wanted = {"hurt": ["refused", "unique"], "cut": ["unique", "refused"]}
    found = table(box, name)
    assert [row["status"] for row in found] == wanted.get(name, ["unique"] * 3 + ["refused"])
    (said,) = (row["message"] for row in found if row["status"] == "refused")
    assert ("damaged" if name == "hurt" else "cut off") in said
    assert (box.outbox / "hurt/b_1.solution").read_text() == OTHER_SOLVED


def test_a_collection_that_breaks_off_in_an_archive_has_a_row_that_says_so(odd):
    box, _ = odd
    assert members_of(box, "cut-twice")[:2] == [("a.txt", "unique"), ("top.txt", "collection")]
    inner = (box.outbox / "cut-twice/top.csv").read_text().splitlines()
    assert inner[-1].endswith("cut off,,")
    assert len(inner) > 800
    record = json.loads((box.outbox / "cut-twice/top.json").read_text())
    assert record["totals"]["unique"] >= len(inner) - 3


def test_seventy_of_one_size_go_together_and_each_has_its_own_solution(odd):
    box, _ = odd
    assert [row["member"] for row in table(box, "seventy")] == list(SEVENTY)
    for name, puzzle in SEVENTY.items():
        text = (box.outbox / "seventy" / name.replace(".txt", "_1.solution")).read_text()
        assert text == (SMALL_SOLVED if puzzle == SMALL else OTHER_SOLVED)


def in_process(box, tuning=None, **options):
    """A pass of the library; the exit code."""
    chosen = {"settle": 0, "workers": 1, "solver": "pysat"} | options
    chosen = Settings(inbox=box.inbox, outbox=box.outbox, **chosen)
    with patch("pipeline.service.loop.Pool", Here):
        return run_once(chosen, Silent(), tuning=tuning or Tuning())


def test_an_archive_beside_a_folder_of_its_name_loses_nothing(box):
    inner = zip_of(("a.txt", SMALL.encode()))
    box.drop("set.zip", zip_of(("i.zip", inner), ("i.zip/a.txt", OTHER.encode())))
    assert in_process(box) in (0, 1)
    solved = [text for name, text in files_in(box.outbox / "set").items() if "_1.sol" in name]
    good = [row for row in table(box, "set") if row["status"] == "unique"]
    assert len(solved) == len(good)


def test_kept_formulas_do_not_overwrite_each_other(box):
    members = {"a.txt": SMALL, "a_count.txt": OTHER, "b_count.txt": SMALL, "b.txt": OTHER}
    box.drop("set.zip", zip_of(*entries(members)))
    assert in_process(box, keep_cnf=True) == 0
    check_whole(box)
    cnfs = [name for name in files_in(box.outbox / "set") if name.endswith(".cnf")]
    assert len(cnfs) == 2 * len(members)


def test_a_member_that_is_empty_though_collections_are_declared_harms_no_other(box):
    box.drop("set.zip", zip_of(("none.txt", b""), ("top.txt", PAIR.encode())))
    assert in_process(box, format="lines") in (0, 1)
    assert ("top.txt", "collection") in members_of(box, "set")
    assert box.kept("done") == {"set.zip"}
    check_whole(box)


def test_max_bytes_bounds_a_member_and_max_total_bytes_all_of_them(box):
    members = {"a.txt": SMALL, "long.txt": SMALL + "#" * 100, "top.txt": PAIR * 20, "b.txt": OTHER}
    box.drop("set.zip", zip_of(*entries(members)))
    box.drop("more.tar", tar_of(("a.txt", SMALL.encode()), ("b.txt", b"#" * 9000)))
    assert in_process(box, max_bytes=60, max_total_bytes=6000) == 1
    _, long, *_ = table(box, "set")
    (*_, one), _, (*_, top), (*_, other) = members_of(box, "set")
    assert [one, top, other] == ["unique", "collection", "unique"]
    assert long["status"] in ("invalid", "refused")
    assert "--max-bytes" in long["message"]
    last = table(box, "more")[-1]
    assert last["status"] == "refused"
    assert "--max-total-bytes" in last["message"]
    check_whole(box)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_an_archive_with_more_than_max_members_is_refused_before_anything_is_written(box, pack):
    members = [(f"{number}.txt", SMALL.encode()) for number in range(4)]
    box.drop("four", pack(*members))
    box.drop("three", pack(*members[:3]))
    assert in_process(box, max_members=3) == 1
    assert box.record("four")["status"] == "invalid"
    assert "it has more than 3 members; raise --max-members" in box.record("four")["message"]
    assert not (box.outbox / "four").exists()
    assert [row["status"] for row in table(box, "three")] == ["unique"] * 3


def test_empty_folders_of_a_zip_count_as_members(box):
    box.drop("set.zip", zip_of(*((f"{number}/", b"") for number in range(4))))
    assert in_process(box, max_members=3) == 1
    assert "--max-members" in box.record("set")["message"]


def test_dropped_again_an_archive_replaces_its_tree_as_a_whole(box):
    box.drop("set.zip", zip_of(*entries({"a.txt": SMALL, "d/b.txt": OTHER})))
    assert in_process(box) == 0
    box.drop("set.zip", zip_of(*entries({"c.txt": SMALL})))
    assert in_process(box) == 0
    assert files_in(box.outbox / "set").keys() == {"c.json", "c.log", "c_1.solution"}
    box.drop("set.zip", SMALL)
    assert in_process(box) == 0
    assert box.published() == {"set.json", "set.log", "set_1.solution"}
    check_whole(box)


def test_a_dropped_folder_of_folders_is_mirrored_and_its_links_are_refused(
    box, tmp_path, monkeypatch
):
    monkeypatch.setattr("pipeline.service.protocol.settle.FOLDER_SECONDS", 0.01)
    making = tmp_path / "set"
    (making / "x/empty").mkdir(parents=True)
    (making / "a.txt").write_text(SMALL)
    (making / "x/top.txt").write_text(PAIR)
    (making / "x/in.zip").write_bytes(WHOLE_ZIP)
    (making / "link.txt").symlink_to(making / "a.txt")
    (making / "away").symlink_to(tmp_path)
    (making / "x/.hidden").write_text("x")
    making.rename(box.inbox / "set")
    assert in_process(box) == 1
    assert members_of(box, "set") == [
        ("a.txt", "unique"),
        ("away", "refused"),
        ("link.txt", "refused"),
        ("x/in.zip/a.txt", "unique"),
        ("x/in.zip/b.txt", "unique"),
        ("x/top.txt", "collection"),
    ]
    assert (box.outbox / "set/x/in.zip/b_1.solution").read_text() == OTHER_SOLVED
    kept = {f"set/{name}" for name in ("a.txt", "link.txt", "x/.hidden", "x/in.zip", "x/top.txt")}
    assert box.kept("done") == kept
    check_whole(box)


SEEDS = [
    zip_of(*ENTRIES),
    tar_of(*ENTRIES),
    gzip.compress(tar_of(*ENTRIES)),
    zip_of(("i.zip", zip_of(*ENTRIES[:3])), ("t.tar", tar_of(*ENTRIES[8:])), *ENTRIES[:2]),
    zip_of(*ENTRIES, method=0),
    gzip.compress((BAD_LINE * 20).encode()),
    (BAD_LINE * 20).encode(),
    b"puzzle,solution\n"
    + f"{LINE},{SMALL_SOLVED}".replace("\n", "").encode()
    + b"\n"
    + PAIR.encode(),
]
"""Archives, and collections too."""


@st.composite
def mutated(draw):
    """One of them with bytes changed, cut out, doubled or cut off."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        match draw(st.sampled_from(["change", "change", "zero", "out", "double", "off", "move"])):
            case "change":
                data[at : at + 1] = bytes([draw(st.integers(0, 255))])
            case "zero":
                data[at : at + 4] = bytes(4)
            case "out":
                del data[at : at + draw(st.integers(1, 600))]
            case "double":
                data[at:at] = data[at : at + draw(st.integers(1, 600))]
            case "off":
                del data[max(at, len(data) // 2) :]
            case "move":
                data[at:] = data[at + 512 :] + data[at : at + 512]
    return bytes(data)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(mutated(), min_size=4, max_size=6))
def test_mutated_they_never_crash_nor_lose_the_original_nor_leave_litter(sources):
    with tempfile.TemporaryDirectory() as folder:
        box = DropFolder.within(Path(folder))
        for number, data in enumerate(sources):
            os.utime(
                box.drop(f"set{number}.zip", data or b"\n"), (0, 0)
            )  # NULs would be waited for
        assert in_process(box) in (0, 1)
        kept = {path.name: path.read_bytes() for path in box.inbox.glob("*/set*.zip")}
        assert kept == {f"set{number}.zip": data or b"\n" for number, data in enumerate(sources)}
        check_whole(box)
        for number in range(len(sources)):
            record = box.record(f"set{number}")
            if record["status"] == "archive":
                rows = table(box, f"set{number}")
                statuses = Counter(row["status"] for row in rows)
                assert record["totals"].get("refused", 0) == statuses["refused"]


def failing(number, code):
    """What puts a member's file into the tree; it fails at that call, and once only."""
    calls, write = iter(range(1, 1000)), publish._write_new

    def failing_once(path, *rest, **options):
        if any(each.suffix == ".tmp" for each in path.parents) and next(calls) == number:
            raise OSError(code, os.strerror(code), path.name)
        return write(path, *rest, **options)

    return patch.object(publish, "_write_new", failing_once)


@pytest.mark.parametrize("number", range(1, 7))
def test_a_disk_that_fails_at_one_file_of_a_member_is_not_the_members_fault(box, number):
    """Each of two members has three files."""
    box.drop("set.zip", zip_of(("a.txt", SMALL), ("b.txt", OTHER)))
    with failing(number, errno.EIO):
        assert in_process(box) == 75
    assert not box.has_record("set")
    assert in_process(box) == 0
    assert [row["status"] for row in table(box, "set")] == ["unique", "unique"]
    check_whole(box)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("code", [errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL])
def test_of_a_member_whose_name_cannot_be_written_nothing_is_left(box, number, code):
    box.drop("set.zip", zip_of(("x/a.txt", SMALL), ("y/b.txt", OTHER)))
    with failing(number, code):
        assert in_process(box) == 1
    why = f"its results cannot be written under this name: {os.strerror(code)}"
    said = [(row["status"], row["message"]) for row in table(box, "set")]
    assert said == [("failed", why), ("unique", "")]
    assert {path.name for path in (box.outbox / "set").iterdir()} == {"y"}
    check_whole(box)


@pytest.mark.parametrize("killed", [False, True])
def test_members_whose_paths_get_too_long_are_failed_and_the_others_are_written(tmp_path, killed):
    """A run may end at one of several steps of a collection."""
    box = DropFolder.within(tmp_path)
    outbox = box.outbox.joinpath(*["o" * 200] * 12)
    long = "/".join(["m" * 190] * 9)
    members = [(f"{long}/one.txt", SMALL), (f"{long}/many.txt", PAIR * 41), ("many.txt", PAIR)]
    box.drop("set.zip", zip_of(*members))
    outbox.mkdir(parents=True)
    box = DropFolder(box.inbox, outbox)
    tuning = Tuning(ChunkSizes(chunk=400), checkpoint_seconds=0.0)
    if killed:
        with patch.object(
            ArchiveJob, "_finish_collection", side_effect=OSError(errno.EIO, "Input/output error")
        ):
            assert in_process(box, tuning) == 75
    assert in_process(box, tuning) == 1
    why = f"its results cannot be written under this name: {os.strerror(errno.ENAMETOOLONG)}"
    said = [(row["status"], row["message"]) for row in table(box, "set")]
    assert said == [("failed", why), ("failed", why), ("unique", ""), ("unique", "")]
    assert box.record("set")["totals"] == {"unique": 2, "failed": 2}
    assert {path.name for path in (outbox / "set").iterdir()} == {
        f"many{ending}" for ending in (".csv", ".json", ".log", "_1.solution")
    }
