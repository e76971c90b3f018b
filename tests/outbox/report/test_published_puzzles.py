"""The puzzles of an outbox for a sheet: in order, with certified solutions, or why they are not."""

from __future__ import annotations

import json
import shutil

import pytest
from support.archives import zip_of
from support.commands import run
from support.drop_folders import SMALL, DropFolder
from support.reports import HOSTILE, LINES

from pipeline import InputError, certify_grid
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals
from pipeline.outbox.report import SheetPuzzle, is_published, puzzles_at

OF_LINES = [f"many.txt, line {line}" for line in (1, 2, 3, 4)]


def originals(box: DropFolder) -> Originals:
    return Originals.of([box.inbox / DONE])


def names(found) -> list[str]:
    return [each.name for each in found if isinstance(each, SheetPuzzle)]


def reasons(found) -> list[str]:
    return [str(each) for each in found if isinstance(each, InputError)]


@pytest.fixture
def copy(box, tmp_path):
    """The outbox of jobs of every kind, to be changed."""
    for name in ("inbox", "outbox"):
        shutil.copytree(getattr(box, name), tmp_path / name)
    return DropFolder(tmp_path / "inbox", tmp_path / "outbox")


def test_an_outbox_gives_all_puzzles_in_the_order_of_its_records(box):
    found = [*puzzles_at(box.outbox, originals(box))]
    inside = ["in/a.txt", "in/none.txt", *OF_LINES]
    stems = [HOSTILE, "even.txt", *OF_LINES, "none.txt", *inside, "small.txt", "two.txt"]
    assert names(found) == stems
    assert reasons(found) == [
        "bad.txt: invalid: bad.txt:1:1: expected a row of 4, 6, 8 or 9 cells, found 3 cells",
        "rule.cnf: a formula is not a puzzle",
    ]


def test_every_solution_is_one_and_statuses_are_those_of_the_records(box):
    found = {each.where: each for each in puzzles_at(box.outbox, originals(box)) if names([each])}
    for each in found.values():
        if each.status in ("unique", "multiple"):
            assert certify_grid(each.board.puzzle, each.board.grid) == ()
        else:
            assert each.board.grid is None
    statuses = {where: each.status for where, each in found.items()}
    assert statuses["none.txt"] == statuses["set.zip/in/none.txt"] == "unsolvable"
    assert statuses["many.txt:3"] == statuses["set.zip/many.txt:3"] == "unsolvable"
    assert statuses["many.txt:4"] == statuses["two.txt"] == "multiple"
    assert found["none.txt"].board.conflict
    assert found["many.txt:3"].board.conflict
    assert found["two.txt"].board.difference
    assert found["many.txt:4"].board.difference
    assert found["even.txt"].board.even_cells()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("small.json", ["small.txt"]),
        ("many.json", OF_LINES),
        ("many.csv", OF_LINES),
        ("set.csv", ["in/a.txt", "in/none.txt", *OF_LINES]),
        ("set/in/a.json", ["in/a.txt"]),
        ("set/many.csv", OF_LINES),
    ],
)
def test_a_record_or_a_table_gives_its_own(name, expected, box):
    path = box.outbox / name
    assert is_published(path)
    found = [*puzzles_at(path, originals(box))]
    assert (names(found), reasons(found)) == (expected, [])


def test_what_is_no_record_and_no_table_of_one_is_not_published(box, tmp_path):
    assert is_published(box.outbox)
    for name in ("small_1.solution", "small.log", "report.html"):
        assert not is_published(box.outbox / name)
    shutil.copy(box.outbox / "many.csv", tmp_path / "many.csv")
    (tmp_path / "list.json").write_text("[[1]]")
    for path in (tmp_path, tmp_path / "many.csv", tmp_path / "list.json", tmp_path / "no.json"):
        assert not is_published(path)


def test_without_the_original_only_the_puzzles_of_tables_are_known(box):
    found = [*puzzles_at(box.outbox, Originals(()))]
    assert names(found) == OF_LINES * 2
    lost = "not drawn: its original was not found; give the inbox with --inbox"
    assert f"small.txt: {lost}" in reasons(found)
    assert f"set.zip/in/a.txt: {lost}" in reasons(found)


def test_a_published_solution_that_is_none_is_not_printed(copy):
    (copy.outbox / "small_1.solution").write_text("1243\n3421\n4312\n2143\n")
    table = (copy.outbox / "many.csv").read_text()
    (copy.outbox / "many.csv").write_text(table.replace("1243342143122134", "1243342143122143", 1))
    found = [*puzzles_at(copy.outbox, originals(copy))]
    assert "small.txt" not in names(found)
    (of_row, of_file) = (each for each in reasons(found) if "BAD" in each)
    assert of_row.startswith("many.txt:1: BAD: its published solution breaks the rules: ")
    assert of_file.startswith("small.txt: BAD: its published solution breaks the rules: ")


def test_a_solution_that_is_gone_is_said_to_be_unknown(copy):
    (copy.outbox / "small_1.solution").unlink()
    (found,) = puzzles_at(copy.outbox / "small.json", originals(copy))
    assert (found.status, found.message) == ("unknown", "its published solution cannot be read")


def test_a_table_that_breaks_off_gives_what_stands_before(copy):
    table = copy.outbox / "many.csv"
    head, first, _ = table.read_text().split("\n", 2)
    table.write_text(f"{head}\n{first}\nnonsense\n")
    found = [*puzzles_at(table, originals(copy))]
    assert names(found) == OF_LINES[:1]
    assert reasons(found)[0].startswith("many.txt: many.csv: line 3: ")
    table.unlink()
    (why,) = puzzles_at(copy.outbox / "many.json", originals(copy))
    assert "many.csv: cannot be read" in str(why)


def test_links_and_strangers_records_are_not_followed(copy):
    told = json.loads((copy.outbox / "set.json").read_text())
    elsewhere = copy.outbox.parent / "elsewhere"
    shutil.move(copy.outbox / "set", elsewhere)
    (copy.outbox / "set").symlink_to(elsewhere)
    found = [*puzzles_at(copy.outbox / "set.json", originals(copy))]
    assert names(found) == []
    assert all("its record was not found" in each for each in reasons(found))
    told["source"] = "../../outside.zip"
    (copy.outbox / "set.json").write_text(json.dumps(told))
    assert names(puzzles_at(copy.outbox / "set.json", originals(copy))) == []
    (copy.outbox / "z.json").symlink_to("small.json")
    assert "z: unreadable: " in reasons(puzzles_at(copy.outbox, originals(copy)))[-1]


def test_members_that_are_no_puzzles_are_passed_over(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop(
        "a.zip", zip_of(("README", "# A box\nof puzzles\n"), ("a.txt", SMALL), ("b.csv", LINES))
    )
    run("run", "--inbox", str(box.inbox), "--outbox", str(box.outbox), "--quiet", "--settle", "0")
    found = [*puzzles_at(box.outbox, originals(box))]
    assert names(found) == ["a.txt", *(f"b.csv, line {line}" for line in (1, 2, 3, 4))]
    assert reasons(found) == []
