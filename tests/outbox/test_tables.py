"""Tables that spreadsheets, pandas and duckdb may open: no cell is a formula, no zero is lost."""

from __future__ import annotations

import csv

import pytest
from support.cases import for_each
from support.notations import KILLER, SOLO
from support.outboxes import ONE, in_a_line, made, packed
from support.parsers import LINE

from pipeline import read
from pipeline.outbox.tables import CopyRow, PuzzleRow, csv_line, parse_row, read_rows

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("x, y")', "'=1", "''-"]
HARMLESS = ["", "'", "a=1", "'a", "' =", "1-1", '"=', " ="]


@for_each("text", [*FORMULAS, *HARMLESS])
def test_a_field_is_no_formula_and_reads_back_as_itself(text):
    line = csv_line(CopyRow(text, "7", text, "")).decode()
    (fields,) = csv.reader([line])
    assert fields[0] == (f"'{text}" if text in FORMULAS else text)
    assert parse_row(line[:-1], CopyRow) == CopyRow(text, "7", text, "")


def test_what_looks_like_a_formula_in_tables_is_audited_as_it_was_dropped(tmp_path):
    zeros = in_a_line(ONE).replace(".", "0")
    lines = f"{zeros}=1+1\n@x\n-{'0' * 14}1\n{zeros}"
    outbox = made(tmp_path, {"=2.txt": lines, "set.zip": packed(("=a.txt", ONE), ("-b.txt", "!"))})
    assert {finding.verdict for finding in outbox.findings().values()} == {"ok"}
    for name in ("=2.csv", "set.csv"):
        with outbox.path(name).open(newline="") as file:
            fields = [field for row in csv.reader(file) for field in row]
        assert not [field for field in fields if field.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize("blank", "0_-x?.")
def test_blanks_are_dots_in_a_table_whatever_they_were(tmp_path, blank):
    whole = in_a_line(ONE).replace(".", blank)
    nine = f"{blank * 80}1\n"
    outbox = made(tmp_path, {"two.txt": f"{whole}{whole}", "nine.txt": f"{nine}{nine}"})
    rows = [
        *read_rows(outbox.path("two.csv"), PuzzleRow),
        *read_rows(outbox.path("nine.csv"), PuzzleRow),
    ]
    assert [row.puzzle for row in rows] == [in_a_line(ONE).strip()] * 2 + ["." * 80 + "1"] * 2
    assert {finding.verdict for finding in outbox.findings().values()} == {"ok"}


COLLECTIONS = {
    "four": in_a_line(ONE) + "1..............4\n",
    "zeros": f"{LINE.replace('.', '0')}\n" * 2,
    "letters": (SIXTEEN := "8.D...A..649...." + ".0..9..7..8F.51." + "." * 224 + "\n") * 2,
    "rules": f"{KILLER}\n{SOLO}\n",
}


@pytest.mark.parametrize("text", COLLECTIONS.values(), ids=COLLECTIONS)
def test_a_table_and_the_solutions_in_lines_are_read_as_the_puzzles_that_they_hold(tmp_path, text):
    outbox = made(tmp_path, {"top.txt": text})
    original = [item.problem.puzzle for item in read(text.encode())]
    assert [item.problem.puzzle for item in read(outbox.path("top.csv"))] == original
    solved = [item.problem.puzzle for item in read(outbox.path("top_1.solution"))]
    for puzzle, solution in zip(original, solved, strict=True):
        assert {*puzzle.givens()} <= {*solution.givens()}
        assert len([*solution.givens()]) == len(puzzle.cells)
