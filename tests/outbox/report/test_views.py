"""What the page believes of strangers, and how it samples what is too much."""

from __future__ import annotations

import json
import os
import re
import tracemalloc
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import run
from support.drop_folders import SMALL, DropFolder
from support.outboxes import packed
from support.reports import HEAD, collection, page_of, record, table, text_of
from support.strategies import examples

from pipeline.errors import InputError, printable
from pipeline.outbox.archive_rows import UNREADABLE
from pipeline.outbox.originals import Originals, SmallOriginals
from pipeline.outbox.report import write_report
from pipeline.outbox.report.published_jobs import read_job, sample_members, sample_table
from pipeline.outbox.report.survey import PageBounds, survey
from pipeline.outbox.report.views import Viewer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    *("source", "status", "format", "message", "box", "solutions", "complete", "sha256", "member"),
    *("solver", "certificate", "job", "seconds", "finished", "totals", "files", "declared"),
    *("conflict", "conflict_rules", "difference", "grids", "rules"),
)


def test_what_cannot_be_read_in_place_of_a_record_is_a_row_that_says_so(tmp_path):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").symlink_to("/etc/hostname")
    (tmp_path / "c.json").mkdir()
    os.mkfifo(tmp_path / "d.json")
    page = page_of(tmp_path, tmp_path)
    assert page.rows() == 4
    assert page.said.count("the record cannot be read") == 2 * 4, "in the table and on the card"


@examples(13)
@given(fields=st.dictionaries(st.sampled_from(FIELDS), JSON), status=st.text() | st.just("archive"))
def test_no_record_breaks_the_report(fields, status, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    told = {"schema": 1, "source": "x", "status": status} | fields
    (folder / "a.json").write_text(json.dumps(told))
    assert page_of(folder, folder).rows() == 1


def test_numbers_and_times_that_cannot_be_are_not_believed(tmp_path):
    record(tmp_path, "a", solutions=10**4000, finished="9999-12-31T00:00:00Z")
    record(tmp_path, "b", finished="2026-01-02T00:00:00Z", seconds={"total": 10.0**14})
    record(tmp_path, "c", finished="2026-01-01T00:00:00Z")
    record(tmp_path, "d", finished="0001-01-01T00:00:00Z", member=-1)
    said = page_of(tmp_path, tmp_path).said
    assert "last of which finished on 2026-01-02 00:00:00" in said
    assert "0" * 99 not in said
    assert len(survey(tmp_path, PageBounds()).finished) == 2


def listed(outbox, *names):
    """The links of a job that lists files of these names."""
    record(outbox, "a", files=[{"name": name, "sha256": ""} for name in names])
    return page_of(outbox, outbox)


def test_files_that_lead_elsewhere_are_not_linked(tmp_path):
    (tmp_path / "outbox").mkdir()
    (tmp_path / "secret").write_text("x")
    names = ["../secret", "/etc/hostname", "..", "", "a\0b", "javascript:alert(1)"]
    assert listed(tmp_path / "outbox", *names).files == ["a.json"]


def test_record_and_log_are_linked_however_many_solutions_there_are(tmp_path):
    names = [f"a_{number}.solution" for number in range(1, 12)] + ["a.log", "a.cnf"]
    for name in names:
        (tmp_path / name).touch()
    page = listed(tmp_path, *names)
    assert page.files == [*names[:4], "a.log", "a.json"]
    assert "record and 8 more" in page.said


def test_a_name_that_is_no_text_is_shown_and_linked(tmp_path):
    record(tmp_path, os.fsdecode(b"caf\xe9"), status="failed")
    page = page_of(tmp_path, tmp_path)
    assert "caf\\udce9.txt" in page.said
    assert "caf%E9.json" in page.links


def archive(outbox, *members):
    """An archive of members: name, status, and what else is in its record; whole or row alone."""
    tree, rows = outbox / "set", ["member,format,status,solutions,complete,certificate,message\n"]
    tree.mkdir(parents=True, exist_ok=True)
    for number, (name, status, fields) in enumerate(members):
        rows.append(f"{printable(name)},grid,{status},1,true,exhaustive-search,\n")
        if fields is not None:
            record(tree, Path(name).stem, status=status, member=number, **fields)
    (outbox / "set.csv").write_text("".join(rows))
    return record(outbox, "set", source="set.zip", status="archive", totals={"unique": 2})


def test_an_archives_member_cannot_lead_out_of_its_tree(tmp_path):
    outbox = tmp_path / "outbox"
    record(tmp_path, "a", member=0, message="secret")
    members = [(name, "unique", None) for name in ("../../a.txt", f"{tmp_path}/a.txt")]
    archive(outbox, *members)
    assert "secret" not in page_of(outbox, tmp_path).said


def test_a_link_in_place_of_an_archives_tree_is_not_followed(tmp_path):
    outbox = tmp_path / "outbox"
    archive(tmp_path, ("a.txt", "unique", {"message": "secret", "seconds": {"solve": 1.0}}))
    archive(outbox, ("a.txt", "unique", None))
    (outbox / "set").rmdir()
    (outbox / "set").symlink_to(tmp_path / "set")
    said = page_of(outbox, tmp_path).said
    assert "secret" not in said
    assert "Solve time" not in said


def test_a_failure_in_a_collection_in_an_archive_comes_before_what_went_well(tmp_path):
    archive(
        tmp_path,
        *((f"a{number}.txt", "unique", {}) for number in range(200)),
        ("good.txt", "collection", {"totals": {"unique": 9}}),
        ("bad.txt", "collection", {"totals": {"unique": 9, "failed": 1}}),
    )
    for name, last in (("good", "unique"), ("bad", "failed")):
        table(tmp_path / f"set/{name}.csv", ["unique"] * 9 + [last])
    said = page_of(tmp_path, tmp_path).said
    assert said.index("bad.txt, puzzle 10") < said.index("a0.txt")
    assert "good.txt, puzzle" not in said


def test_a_member_whose_name_is_not_printable_keeps_its_record(tmp_path):
    names = ["a\u202e.txt", "b\n.txt", os.fsdecode(b"c\xe9.txt"), "d\\n.txt"]
    archive(tmp_path, *((name, "unique", {"message": "found it"}) for name in names))
    assert page_of(tmp_path, tmp_path).said.count("found it") == 4


def test_a_member_without_a_board_says_why(tmp_path):
    archive(tmp_path, ("a.txt", "unsolvable", {"box": [2, 2]}), ("b.txt", "unsolvable", None))
    said = page_of(tmp_path, tmp_path).said
    assert "Neither a solution nor the original was found." in said
    assert "The record was not found." in said


def found_of(job, inbox, allowed, *texts):
    """Of the members of its original those with one of these texts."""
    wanted = {sha256(text.encode()).hexdigest() for text in texts}
    originals = Originals.of([inbox / "done"])
    found = SmallOriginals(originals, allowed).find_members(job.source, wanted)
    return {data.decode() for data in found.values()}


def test_the_members_that_are_timed_and_looked_for_are_bounded_for_the_whole_page(tmp_path):
    texts = [f"{SMALL}# {number}\n" for number in range(4)]
    job = read_job(
        archive(tmp_path, *((f"a{at}.txt", "unique", {"seconds": {"solve": 1}}) for at in range(4)))
    )
    said = page_of(tmp_path, tmp_path, bounds=PageBounds(timed_members=3)).said
    assert "3 puzzles solved individually" in said
    assert "only the first 3 members of archives are counted" in said
    (tmp_path / "done").mkdir()
    packed_up = packed(*((f"a{at}.txt", text) for at, text in enumerate(texts)))
    (tmp_path / "done" / "set.zip").write_bytes(packed_up)
    five = iter(range(5))
    assert [len(found_of(job, tmp_path, five, *texts)) for _ in range(2)] == [4, 1]


def test_the_members_behind_a_broken_nested_archive_are_found(tmp_path):
    (tmp_path / "done").mkdir()
    entries = ("a.txt", SMALL), ("broken.zip", "PK\x05\x06"), ("z.txt", SMALL + "# z\n")
    (tmp_path / "done" / "set.zip").write_bytes(packed(*entries))
    wanted = [text for _, text in entries[::2]]
    job, nine = read_job(archive(tmp_path)), iter(range(9))
    assert found_of(job, tmp_path, nine, *wanted) == {*wanted}


def test_a_sample_has_the_failures_first(tmp_path):
    statuses = ["unique"] * 50 + ["multiple", "failed", "unsolvable", "invalid"]
    sample = sample_table(table(tmp_path / "many.csv", statuses), 6)
    assert [(row.index, row.status) for _, row, _ in sample.rows] == [
        *(("52", "failed"), ("54", "invalid"), ("53", "unsolvable")),
        *(("51", "multiple"), ("1", "unique"), ("2", "unique")),
    ]
    assert sample.count == 54


def test_rows_that_are_broken_are_rows_that_say_so_and_quotes_are_read(tmp_path):
    path = tmp_path / "many.csv"
    long = b"1,1," + b"1" * 3_000_000 + b",unique,1,true,exhaustive-search,,,,\n"
    quoted = b'4,4,"a,b",invalid,0,,,,"no ""puzzle""",,\n'
    path.write_bytes(HEAD.encode() + b'1,2,"\n\xff,,,\n' + long + quoted)
    sample = sample_table(path, 9)
    statuses = [row.status for _, row, _ in sample.rows]
    assert statuses == [UNREADABLE, UNREADABLE, UNREADABLE, "invalid"]
    last = sample.rows[-1][1]
    assert (sample.count, last.puzzle, last.message) == (4, "a,b", 'no "puzzle"')
    with pytest.raises(InputError, match="the first line is not 'member,index"):
        sample_members(path, 9)


def test_long_lines_of_a_table_are_not_kept(tmp_path):
    path = tmp_path / "many.csv"
    with path.open("w") as file:
        file.write(HEAD)
        file.writelines(
            f"{at},{at},{'1' * 200_000},unique,1,true,exhaustive-search,,,\n" for at in range(100)
        )
    tracemalloc.start()
    try:
        assert len(sample_table(path, 100).rows) == 100
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_board_with_numbers_of_two_digits_is_wide(tmp_path):
    for side, height, width in ((9, 3, 3), (12, 3, 4)):
        numbers = " ".join(str(cell % side + 1) for cell in range(side * side))
        name = f"a{side}_1.solution"
        (tmp_path / name).write_text(f"c\n{height} {width}\n{numbers}\n")
        record(tmp_path, f"a{side}", files=[{"name": name, "sha256": ""}])
    cards = [kept["class"] for tag, kept in page_of(tmp_path, tmp_path).tags if tag == "article"]
    assert sorted(cards) == ["card", "card wide"]


def test_clues_outside_do_not_make_a_board_wide(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("outside.txt", ".Shape~4x4.Sandwich~5~C1.Sandwich~3~R2.~R1C2_4\n")
    box.drop("nine.txt", ".Sandwich~5~C1.Sandwich~3~R2.~R1C2_4.~R5C5_9\n")
    assert box.run("--max-solutions", "1").returncode == 0
    tags = page_of(box.outbox, box.inbox).tags
    assert [kept["class"] for tag, kept in tags if tag == "article"] == ["card", "card"]


def test_a_page_has_a_bounded_number_of_jobs_and_boards_and_says_so(tmp_path):
    for name in ("many", "more"):
        collection(tmp_path, name, ["unique"] * 100)
    for number in range(20):
        record(tmp_path, f"job{number}", status="failed" if number == 13 else "unique")
    page = page_of(tmp_path, tmp_path, bounds=PageBounds(jobs=8, boards_per_job=20))
    assert "220 puzzles in 22 jobs" in page.said
    assert "8 of 22 jobs are listed" in page.said
    assert "filters apply to listed ones" in page.said
    assert page.said.index("job13.txt") < page.said.index("job0.txt")
    assert page.boards() <= 2 * 20
    assert page.rows() == 8


def test_boards_take_a_bounded_room_and_the_page_says_so(tmp_path):
    collection(tmp_path, "many", ["unique"] * 20)
    whole = page_of(tmp_path, tmp_path)
    page = page_of(tmp_path, tmp_path, bounds=PageBounds(board_characters=5_000))
    assert 0 < page.boards() < whole.boards() == 20
    assert "5 kB of drawings" in page.said


def test_however_many_single_jobs_there_are_collections_have_boards(tmp_path):
    for number in range(10):
        name = f"job{number}_1.solution"
        (tmp_path / name).write_text("1243342143122134")
        files = [{"name": name, "sha256": ""}]
        record(tmp_path, f"job{number}", status="failed", box=[2, 2], files=files)
    for name in ("more", "most", "many"):
        collection(tmp_path, name, ["unique"] * 9)
    record(tmp_path, "lost", status="collection", totals={"unique": 9})
    page = page_of(tmp_path, tmp_path, bounds=PageBounds(boards=8))
    assert page.boards() == 6 + 2
    assert page.said.count("4 of 9 puzzles are shown") == 3
    assert " 0 of 9 puzzles are shown" not in page.said
    assert page.said.count("Not drawn: this page has enough boards.") == 4 + 3 * 4 - 2
    assert page.said.count("The table cannot be read") == 1
    assert "This page has at most 8 boards" in page.said


def test_collections_leave_boards_for_what_follows(tmp_path):
    job = read_job(collection(tmp_path, "many", ["unique"] * 100))
    viewer = Viewer([job], tmp_path, "", tmp_path, PageBounds(boards=50, boards_per_job=40))
    views = [viewer.view(number, job) for number in range(4)]
    assert [len(view.cards) for view in views] == [25, 13, 6, 4]
    assert viewer.row_boards_left == 2


def inside(outbox, tag, **options):
    """The texts of all elements of the page that begin so."""
    found = re.findall(f"<{tag}>(.*?)</", text_of(outbox, outbox, **options))
    return [unescape(re.sub("<[^>]+>", "", text)) for text in found]


def test_a_reason_in_the_table_is_escaped_and_bounded(tmp_path):
    hostile = "<script>alert(1)</script>\n" + "x" * 500
    record(tmp_path, "bad", status="failed", message=hostile)
    record(tmp_path, "good")
    totals = {"unique": 5, "failed": 1_000, "invalid": 2, "disagreements": 3}
    record(tmp_path, "many", status="collection", totals=totals)
    reason, many = inside(tmp_path, 'p class="reason"')
    assert reason == printable(hostile)[:199] + "…"
    assert many == "2 invalid, 1,000 failed"


def test_a_total_leads_to_its_jobs_if_any_is_listed(tmp_path):
    record(tmp_path, "bad", status="failed")
    record(tmp_path, "good")
    first = {"bounds": PageBounds(jobs=1)}
    assert inside(tmp_path, "dt", **first) == ["unique", "failed"]
    tags = page_of(tmp_path, tmp_path, **first).tags
    linked = [given for _, given in tags if "data-status" in given]
    assert [each["data-status"] for each in linked] == ["failed"]


def test_a_job_of_many_puzzles_shows_how_long_it_was_in_work_and_one_of_a_batch_does_not(tmp_path):
    record(tmp_path, "many", status="collection", totals={"unique": 9}, seconds={"total": 90.0})
    record(tmp_path, "alone", seconds={"parse": 1, "solve": 2, "total": 4})
    record(tmp_path, "together", seconds={"parse": 1, "batch": 7, "total": 8}, solver={"name": "x"})
    page = page_of(tmp_path, tmp_path)
    assert [given["data-v"] for _, given in page.tags if "data-v" in given] == (
        ["4.000000", "90.000000", ""]
    )
    assert "1 puzzle solved individually" in page.said
    assert "with others in 7 s by x" in page.said


def test_conflicting_givens_of_a_row_are_marked_whatever_its_message_says(tmp_path):
    row = '1,1,1.1.............,unsolvable,0,true,exhaustive-search,,"row 4, column 4",,\n'
    (tmp_path / "many.csv").write_text(HEAD + row)
    record(tmp_path, "many", status="collection", totals={"unsolvable": 1})
    assert "In conflict: row 1 column 1, row 1 column 3." in page_of(tmp_path, tmp_path).said


def test_rules_of_a_puzzle_are_drawn_and_those_in_conflict_are_marked(tmp_path):
    inbox, outbox = tmp_path / "inbox", tmp_path / "outbox"
    inbox.mkdir()
    cages = [{"cells": ["R1C1", "R1C2"], "value": 8}, {"cells": ["R4C3", "R4C4"], "value": 3}]
    puzzle = {"size": 4, "grid": [[{}] * 4] * 4, "killercage": cages}
    (inbox / "cages.txt").write_text(json.dumps(puzzle))
    folders = ("--inbox", str(inbox), "--outbox", str(outbox))
    assert run("run", *folders, "--settle", "0", "--quiet", "--report")[0] == 0
    shown = (outbox / "report.html").read_text()
    assert '<path class="outline cage-outline" d="M41.7 61.7' in shown
    assert '<path class="outline cage-outline broken" d="M1.7 1.7' in shown
    assert "Rules in conflict: cage 8 at r1c1." in shown


EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."


def test_a_rated_puzzle_can_be_found_by_its_level(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("easy.txt", EASY)
    box.drop("many.txt", f"{EASY}\n{HARD}\n")
    box.run("--settle", "0", "--traits", "rating")
    write_report(box.outbox, box.inbox, box.outbox / "report.html")
    page = box.text("report.html")
    assert '<p class="reason">easy, score 204</p>' in page
    assert "<option>easy</option><option>medium</option></select>" in page
    assert 'data-levels="easy medium"' in page
    assert page.count('class="card" data-level="medium"') == 1
    assert "<span>easy, score 204</span>" in page


def test_a_table_of_schema_1_is_shown_in_the_words_of_today(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text(f"{HEAD}1,1,12,unique,1,true,claimed,12,claimed: --trust-solver,,\n")
    ((_, row, _),) = sample_table(path, 1, schema=1).rows
    assert row.certificate == "unverified"
