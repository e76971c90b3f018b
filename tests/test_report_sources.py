"""What the report believes of strangers, and how it samples what is too much."""

from __future__ import annotations

import json
import os
import re
import tracemalloc
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from dropping import SMALL
from hypothesis import given
from hypothesis import strategies as st
from reporting import HEAD, ROW, page_of, record, table_of
from strategies import examples
from support.auditing import packed

from pipeline.errors import printable
from pipeline.report import page_pieces, views
from pipeline.report.records import UNREADABLE, read_job
from pipeline.report.scan import survey
from pipeline.report.tables import sample_archive, sample_collection

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    *("source", "status", "format", "message", "box", "solutions", "complete", "sha256", "member"),
    *("solver", "certificate", "job", "seconds", "finished", "totals", "files", "declared"),
    *("conflict", "difference"),
)


BROKEN = {
    "no JSON": b"{",
    "a list": b"[1]",
    "another schema": b'{"schema": 2}',
    "too deep": b"[" * 100_000,
    "a long number": b'{"schema": 1, "source": "a", "bytes": ' + b"9" * 10_000 + b"}",
    "no text": b"\xff\xfe{",
    "too large": b'{"schema": 1}' + b" " * 2**26,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_record_that_cannot_be_read_is_a_row_that_says_so(content, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    assert read_job(tmp_path / "a.json").status == UNREADABLE
    page = page_of(tmp_path, tmp_path)
    assert page.rows() == 1
    assert "the record cannot be read" in page.said


def test_a_link_or_a_folder_in_place_of_a_record_is_not_followed(tmp_path):
    (tmp_path / "a.json").symlink_to("/etc/hostname")
    (tmp_path / "b.json").mkdir()
    os.mkfifo(tmp_path / "c.json")
    assert {job.status for job in survey(tmp_path, 9).jobs} == {UNREADABLE}


@examples(50)
@given(fields=st.dictionaries(st.sampled_from(FIELDS), JSON), status=st.text() | st.just("archive"))
def test_no_record_breaks_the_report(fields, status, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    told = {"schema": 1, "source": "x", "status": status} | fields
    (folder / "a.json").write_text(json.dumps(told))
    assert page_of(folder, folder).rows() == 1


def test_files_that_lead_elsewhere_are_not_linked(tmp_path):
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    (tmp_path / "secret").write_text("x")
    names = ["../secret", "/etc/hostname", "..", "", "a\0b", "javascript:alert(1)"]
    record(outbox, "a", files=[{"name": name} for name in names])
    links = [link for link in page_of(outbox, tmp_path).links if not link.startswith("#")]
    assert links == ["a.json"]


def test_record_and_log_are_linked_however_many_solutions_there_are(tmp_path):
    names = [f"a_{number}.solution" for number in range(1, 12)] + ["a.log", "a.cnf"]
    for name in names:
        (tmp_path / name).touch()
    record(tmp_path, "a", files=[{"name": name} for name in names])
    page = page_of(tmp_path, tmp_path)
    files = [link for link in page.links if not link.startswith("#")]
    assert files == [*names[:4], "a.log", "a.json"]
    assert "record and 8 more" in page.said


def test_a_name_that_is_no_text_is_shown_and_linked(tmp_path):
    name = os.fsdecode(b"caf\xe9")
    record(tmp_path, name, status="failed")
    page = page_of(tmp_path, tmp_path)
    assert "caf\\udce9.txt" in page.said
    assert "caf%E9.json" in page.links


def test_an_archives_member_cannot_lead_out_of_its_tree(tmp_path):
    outbox = tmp_path / "outbox"
    (outbox / "set").mkdir(parents=True)
    record(outbox, "set", status="archive", totals={"unique": 2})
    record(tmp_path, "a", member=0)
    table = "member,format,status,solutions,complete,message\n../../a.txt,grid,unique,1,true,\n"
    (outbox / "set.csv").write_text(table + f"{tmp_path}/a.txt,grid,unique,1,true,\n")
    assert page_of(outbox, tmp_path).boards() == 0


def archive(outbox, *members):
    """An archive of members: name, status, and what else is in its record; whole or row alone."""
    tree, table = outbox / "set", ["member,format,status,solutions,complete,message\n"]
    tree.mkdir(parents=True, exist_ok=True)
    for number, (name, status, fields) in enumerate(members):
        table.append(f"{printable(name)},grid,{status},1,true,\n")
        if fields is not None:
            record(tree, Path(name).stem, status=status, member=number, **fields)
    (outbox / "set.csv").write_text("".join(table))
    return record(outbox, "set", source="set.zip", status="archive", totals={"unique": 2})


def test_a_failure_in_a_collection_in_an_archive_comes_before_what_went_well(tmp_path):
    archive(
        tmp_path,
        *((f"a{number}.txt", "unique", {}) for number in range(200)),
        ("good.txt", "collection", {"totals": {"unique": 9}}),
        ("bad.txt", "collection", {"totals": {"unique": 9, "failed": 1}}),
    )
    for name, last in (("good", "unique"), ("bad", "failed")):
        table_of(tmp_path / "set", ["unique"] * 9 + [last]).rename(tmp_path / f"set/{name}.csv")
    said = page_of(tmp_path, tmp_path).said
    assert said.index("bad.txt, puzzle 10") < said.index("a0.txt")
    assert "good.txt, puzzle" not in said


def test_however_many_single_jobs_there_are_collections_have_boards(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.report.views.MOST_BOARDS", 8)
    for number in range(10):
        name = f"job{number}"
        record(tmp_path, name, status="failed", box=[2, 2], files=[{"name": f"{name}_1.solution"}])
        (tmp_path / f"{name}_1.solution").write_text("1243342143122134")
    for name in ("more", "most", "many"):
        table_of(tmp_path, ["unique"] * 9).rename(tmp_path / f"{name}.csv")
        record(tmp_path, name, status="collection", totals={"unique": 9})
    record(tmp_path, "lost", status="collection", totals={"unique": 9})
    page = page_of(tmp_path, tmp_path)
    assert page.boards() == 6 + 2
    assert page.said.count("Shown are 4 of 9 puzzles") == 3
    assert "Shown are 0" not in page.said
    assert page.said.count("There is no room for its board on this page.") == 4 + 3 * 4 - 2
    assert page.said.count("Its table cannot be read") == 1
    assert "This page draws at most" in page.said


def test_a_member_whose_name_is_not_printable_keeps_its_record(tmp_path):
    names = ["a\u202e.txt", "b\n.txt", os.fsdecode(b"c\xe9.txt"), "d\\n.txt"]
    archive(tmp_path, *((name, "unique", {"message": "found it"}) for name in names))
    assert page_of(tmp_path, tmp_path).said.count("found it") == 4


def test_a_member_without_a_board_says_why(tmp_path):
    archive(tmp_path, ("a.txt", "unsolvable", {"box": [2, 2]}), ("b.txt", "unsolvable", None))
    said = page_of(tmp_path, tmp_path).said
    assert "Neither a solution nor the original was found." in said
    assert "Its record was not found." in said


def test_the_members_that_are_timed_and_looked_for_are_bounded_for_the_whole_page(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("pipeline.report.scan.MOST_TIMED", 3)
    texts = [f"{SMALL}# {number}\n" for number in range(4)]
    hashes = [sha256(text.encode()).hexdigest() for text in texts]
    members = [
        (f"a{at}.txt", "unique", {"seconds": {"solve": 1}, "sha256": hashes[at]}) for at in range(4)
    ]
    job = read_job(archive(tmp_path, *members))
    assert "Of 3 puzzles solved on their own" in page_of(tmp_path, tmp_path).said
    assert "of archives the first" in page_of(tmp_path, tmp_path).said
    (tmp_path / "done").mkdir()
    packed_up = packed(*((f"a{at}.txt", text) for at, text in enumerate(texts)))
    (tmp_path / "done" / "set.zip").write_bytes(packed_up)
    originals = views.Originals(tmp_path, most_members=5)
    assert len(originals.members_of(job, hashes)) == 4
    assert len(originals.members_of(job, hashes)) == 1


def test_the_members_behind_a_broken_nested_archive_are_found(tmp_path):
    (tmp_path / "done").mkdir()
    entries = ("a.txt", SMALL), ("broken.zip", "PK\x05\x06"), ("z.txt", SMALL + "# z\n")
    (tmp_path / "done" / "set.zip").write_bytes(packed(*entries))
    wanted = {sha256(text.encode()).hexdigest(): text.encode() for _, text in entries[::2]}
    job = read_job(archive(tmp_path))
    assert views.Originals(tmp_path).members_of(job, wanted) == wanted


def test_numbers_and_times_that_cannot_be_are_not_believed(tmp_path):
    record(tmp_path, "a", solutions=10**4000, finished="9999-12-31T00:00:00Z")
    record(tmp_path, "b", finished="2026-01-02T00:00:00Z", seconds={"total": 10.0**14})
    record(tmp_path, "c", finished="2026-01-01T00:00:00Z")
    record(tmp_path, "d", finished="0001-01-01T00:00:00Z", member=-1)
    said = page_of(tmp_path, tmp_path).said
    assert "last of which finished on 2026-01-02 00:00:00" in said
    assert "0" * 99 not in said
    found = survey(tmp_path, 9)
    assert len(found.finished) == 2


def test_a_link_in_place_of_an_archives_tree_is_not_followed(tmp_path):
    outbox = tmp_path / "outbox"
    archive(tmp_path, ("a.txt", "unique", {"message": "secret", "seconds": {"solve": 1.0}}))
    archive(outbox, ("a.txt", "unique", None))
    (outbox / "set").rmdir()
    (outbox / "set").symlink_to(tmp_path / "set")
    said = page_of(outbox, tmp_path).said
    assert "secret" not in said
    assert "Solve time" not in said


def test_a_sample_has_the_failures_first(tmp_path):
    statuses = ["unique"] * 50 + ["multiple", "failed", "unsolvable", "invalid"]
    sample = sample_collection(table_of(tmp_path, statuses), None, 6)
    assert [(row.index, row.status) for row in sample.rows] == [
        ("52", "failed"),
        ("54", "invalid"),
        ("53", "unsolvable"),
        ("51", "multiple"),
        ("1", "unique"),
        ("2", "unique"),
    ]
    assert sample.of == 54


def test_rows_that_are_broken_are_rows_that_say_so(tmp_path):
    path = tmp_path / "many.csv"
    long = b"1,1," + b"1" * 3_000_000 + b",unique,1,true,,\n"
    path.write_bytes(
        HEAD.encode() + b'1,2,"\n\xff,,,\n' + long + ROW.format(index=4, status="unique").encode()
    )
    sample = sample_collection(path, None, 9)
    assert [row.status for row in sample.rows] == [UNREADABLE, UNREADABLE, UNREADABLE, "unique"]
    assert sample.of == 4
    assert sample_archive(path, 9).of == 4


def test_long_lines_of_a_table_are_not_kept(tmp_path):
    path = tmp_path / "many.csv"
    with path.open("w") as file:
        file.write(HEAD)
        file.writelines(f"{at},{at},{'1' * 200_000},unique,1,true,,\n" for at in range(100))
    tracemalloc.start()
    try:
        assert len(sample_collection(path, None, 100).rows) == 100
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_board_with_numbers_of_two_digits_is_wide(tmp_path):
    for side, height, width in ((9, 3, 3), (12, 3, 4)):
        numbers = " ".join(str(cell % side + 1) for cell in range(side * side))
        (tmp_path / f"a{side}_1.solution").write_text(f"c\n{height} {width}\n{numbers}\n")
        record(tmp_path, f"a{side}", files=[{"name": f"a{side}_1.solution"}])
    cards = [kept["class"] for tag, kept in page_of(tmp_path, tmp_path).tags if tag == "article"]
    assert sorted(cards) == ["card", "card wide"]


def test_a_quoted_puzzle_has_its_status_read(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text(HEAD + '1,1,"a,b",invalid,0,,,"no ""puzzle"""\n')
    (row,) = sample_collection(path, None, 9).rows
    assert (row.puzzle, row.status, row.message) == ("a,b", "invalid", 'no "puzzle"')


def test_a_page_has_a_bounded_number_of_jobs_and_boards_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.report.page.MOST_JOBS", 8)
    for name in ("many", "more"):
        table_of(tmp_path, ["unique"] * 1_000).rename(tmp_path / f"{name}.csv")
        record(tmp_path, name, status="collection", totals={"unique": 1_000})
    for number in range(20):
        record(tmp_path, f"job{number}", status="failed" if number == 13 else "unique")
    page = page_of(tmp_path, tmp_path)
    assert "2,020 puzzles in 22 jobs" in page.said
    assert "Listed are 8 of 22 jobs" in page.said
    assert page.said.index("job13.txt") < page.said.index("job0.txt")
    assert page.boards() <= 2 * views.MOST_ROWS
    assert page.rows() == 8


def inside(outbox, tag):
    """The texts of all elements of the page that begin so."""
    found = re.findall(f"<{tag}>(.*?)</", "".join(page_pieces(outbox, outbox, outbox)))
    return [unescape(re.sub("<[^>]+>", "", text)) for text in found]


def test_a_reason_in_the_table_is_escaped_and_bounded(tmp_path):
    hostile = "<script>alert(1)</script>\n" + "x" * 500
    record(tmp_path, "bad", status="failed", message=hostile)
    record(tmp_path, "good")
    totals = {"unique": 5, "failed": 1_000, "invalid": 2, "disagreements": 3}
    record(tmp_path, "many", status="collection", totals=totals, message=7)
    reason, many = inside(tmp_path, 'p class="reason"')
    assert reason == printable(hostile)[:199] + "…"
    assert many == "2 invalid, 1,000 failed"


def test_a_total_leads_to_the_jobs_that_are_listed_and_to_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.report.page.MOST_JOBS", 1)
    record(tmp_path, "bad", status="failed")
    record(tmp_path, "good")
    assert inside(tmp_path, "dt") == ["unique", "failed"]
    linked = [given for _, given in page_of(tmp_path, tmp_path).tags if "data-status" in given]
    assert linked == [{"href": "#jobs", "data-status": "failed"}]


def test_a_job_of_many_puzzles_shows_how_long_it_was_in_work_and_one_of_a_batch_does_not(tmp_path):
    record(tmp_path, "many", status="collection", totals={"unique": 9}, seconds={"total": 90.0})
    record(tmp_path, "alone", seconds={"parse": 1, "solve": 2, "total": 4})
    record(tmp_path, "together", seconds={"parse": 1, "batch": 7, "total": 8}, solver={"name": "x"})
    page = page_of(tmp_path, tmp_path)
    assert [given["data-v"] for _, given in page.tags if "data-v" in given] == (
        ["4.000000", "90.000000", ""]
    )
    assert "Of 1 puzzle solved on their own" in page.said
    assert "with others in 7 s by x" in page.said


def test_collections_leave_boards_for_what_follows(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.report.views.MOST_ROWS", 40)
    shower = views.Shower(tmp_path, "", views.Originals(tmp_path), left=50)
    table_of(tmp_path, ["unique"] * 100)
    job = read_job(record(tmp_path, "many", status="collection", totals={"unique": 100}))
    assert [len(shower.show(job).puzzles) for _ in range(4)] == [25, 13, 6, 4]
    assert shower.left == 2
