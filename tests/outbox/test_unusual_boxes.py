"""Puzzles in other boxes than the usual ones: published, audited, proved, drawn and converted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.archives import zip_of
from support.commands import run
from support.outboxes import made

from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle

CELLS = "..2..4...6...25.6.......16.2....3.1."
DRAWN = (
    ". .|2 .|. 4\n. .|. 6|. .\n. 2|5 .|6 .\n---+---+---\n. .|. .|. .\n1 6|. 2|. .\n. .|3 .|1 .\n"
)
USUAL = "..2..4\n...6..\n.25.6.\n......\n16.2..\n..3.1.\n"
MARKED = DRAWN.replace(". .|2 .", "* .|2 .")
AS_DRAWN, AS_USUAL = "612354451623325461536142164235243516", "632154541623425361316542164235253416"
TEXT = "3 2 " + " ".join(CELLS.replace(".", "0"))
FILES = {
    "one.txt": DRAWN,
    "titled.txt": f"No. 1\n{DRAWN}",
    "many.txt": f"{DRAWN}\n{USUAL}",
    "marked.txt": f"{MARKED}\n{MARKED}",
    "set.zip": zip_of(("in/one.txt", DRAWN)),
}
DECLARED = {"line.txt": CELLS, "lines.txt": f"{CELLS}\n{CELLS}\n{'.' * 81}\n"}


@pytest.fixture
def drawn(tmp_path):
    return made(tmp_path, FILES)


def answer(cells: str) -> str:
    return "".join(f"{cells[start : start + 6]}\n" for start in range(0, 36, 6))


def test_what_is_drawn_is_solved_published_and_audited_as_drawn(drawn):
    for stem in ("one", "titled", "set/in/one"):
        assert drawn.record(stem)["box"] == [3, 2]
        assert drawn.record(stem)["format"] == "grid"
        assert drawn.path(f"{stem}_1.solution").read_text() == answer(AS_DRAWN)
    (_, *rows) = drawn.rows("many.csv")
    assert [row[2] for row in rows] == [TEXT, CELLS]
    assert [row[7] for row in rows] == [AS_DRAWN, AS_USUAL]
    assert {each.verdict for each in drawn.findings().values()} == {"ok"}
    drawn.edit("one", box=[2, 3])
    assert "boxes of 2×3" in drawn.findings()["one"].problems[0]


def test_the_puzzle_in_a_row_is_the_one_that_was_solved_or_none(drawn):
    assert parse_puzzle(drawn.rows("many.csv")[1][2]).geometry == Geometry(3, 2)
    assert [row[2] for row in drawn.rows("marked.csv")[1:]] == ["", ""]  # which no notation says


def test_a_row_is_proved_and_a_board_drawn_without_the_original(drawn):
    shutil.rmtree(drawn.box.inbox / "done")
    table, page = drawn.path("many.csv"), drawn.path("page.html")
    code, _, said = run("proof", str(table), "1", "-o", str(drawn.path("proofs")))
    assert (code, "the puzzles were read from the table" in said) == (0, True)
    inbox = ("--inbox", str(drawn.box.inbox))
    assert run("report", str(drawn.folder), *inbox, "-o", str(page))[0] == 0
    rows = "Row 1: 6 1 2 3 5 4."
    assert f"boxes of 3×2. {rows}" in page.read_text()  # the record's, of the solution alone
    assert f"boxes of 3×2, 11 givens. {rows}" in page.read_text()  # the row's
    assert "boxes of 2×3, 11 givens. Row 1: 6 3 2 1 5 4." in page.read_text()
    assert f"boxes of 2×3. {rows}" not in page.read_text()


def test_declared_boxes_are_recorded_and_known_to_the_audit(tmp_path):
    outbox = made(tmp_path, DECLARED, "--boxes", "3x2")
    assert outbox.record("line")["declared"] == {"boxes": "3x2"}
    assert outbox.path("line_1.solution").read_text() == answer(AS_DRAWN)
    rows = outbox.rows("lines.csv")[1:]
    assert [row[2] for row in rows] == [TEXT, TEXT, "." * 81]
    assert [row[3] for row in rows] == ["unique", "unique", "invalid"]
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}
    outbox.edit("line", declared={"boxes": "2x3"})
    assert any("boxes of 3×2" in problem for problem in outbox.problems("line"))
    for wrong in ("1x6", "boxes"):
        outbox.edit("line", declared={"boxes": wrong})
        said = "declared: expected valid values of format, variant, alphabet, boxes or strict"
        assert said in outbox.findings()["line"].problems[0]


def test_commands_keep_the_boxes_or_refuse_what_cannot_say_them(drawn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.txt").write_text(DRAWN)
    Path("usual.txt").write_text(answer(AS_USUAL))
    solution = str(drawn.path("one_1.solution"))
    assert run("certify", "one.txt", solution)[0] == 0
    assert run("certify", "one.txt", "usual.txt")[0] == 1
    _, printed, _ = run("convert", "--to", "boxes", "one.txt")
    assert parse_puzzle(printed) == parse_puzzle(DRAWN)
    for name in ("grid", "ss", "lines", "spreadsheet", "json"):
        code, printed, said = run("convert", "--to", name, "one.txt")
        assert (code, printed) == (1, "")
        assert f"{name} cannot express boxes of 3×2 cells" in said
    assert run("solve", "one.txt", "--table", "table.csv")[0] == 0
    assert f",{TEXT},unique," in Path("table.csv").read_text()
    assert run("sheet", "one.txt", "-o", "sheet.html")[0] == 0
    assert "boxes of 3×2, 11 givens" in Path("sheet.html").read_text()


def test_boxes_are_a_setting_of_the_environment_and_of_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDOKU_PIPELINE_BOXES", "3x2")
    assert run("solve", CELLS)[1] == answer(AS_DRAWN)
    assert run("solve", "--boxes", "2x3", CELLS)[1] == f"{AS_USUAL}\n"
    monkeypatch.delenv("SUDOKU_PIPELINE_BOXES")
    Path("sudoku-pipeline.toml").write_text('boxes = "3x2"\n')
    assert run("solve", CELLS)[1] == answer(AS_DRAWN)
    Path("sudoku-pipeline.toml").write_text('boxes = "1x6"\n')
    code, _, said = run("solve", CELLS)
    assert code == 2
    assert "boxes: expected auto, or RxC with R and C above 1, as 2x3, found '1x6'" in said
