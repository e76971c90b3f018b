"""`doctor FILE` shows how files are read, or why they are refused."""

from __future__ import annotations

import json
import zipfile

import pytest
from support.cases import for_each
from support.commands import run
from support.documents import cells, document, text_of
from support.parsers import LINE, ROWS, SOLVED

EVERYTHING = document(title="A title", ruleset="Both diagonals.", killercage=[cells("R1C1 R1C2")])


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def facts(tmp_path, content: str | bytes, *options: str, code: int = 0) -> dict[str, object]:
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / "a.txt").write_bytes(data)
    found, printed, _ = run("doctor", "--json", *options, "a.txt")
    assert found == code
    told = json.loads(printed)
    assert told.pop("file") == "a.txt"
    return told


@for_each(
    ("text", "expected"),
    [
        (
            f"An easy one\n{ROWS}",
            {"kind": "puzzle", "side": 9, "boxes": "boxes of 3×3 cells", "title": "An easy one"},
        ),
        (ROWS, {"format": "grid", "reason": "9 rows of 9 cells", "blanks": "'.'"}),
        (ROWS.replace(".", "_"), {"blanks": "'_'", "givens": "30 of 81 cells"}),
        (f"{ROWS}\nBoth diagonals.\n", {"not read": "line 11: 'Both diagonals.'"}),
        (
            "0123456789ABCDEF\n" + ("." * 16 + "\n") * 15,
            {"format": "characters", "alphabet": "0-F", "side": 16, "givens": "16 of 256 cells"},
        ),
        (
            text_of(EVERYTHING),
            {"variant": "rules", "rules": "1 cage", "title": "A title", "not read": "ruleset"},
        ),
        (
            "p cnf 3 2\n1 -3 0\n2 3 -1 0\n",
            {"kind": "formula", "format": "cnf", "size": "3 variables, 2 clauses"},
        ),
        (
            "p cnf 1 3\n1 0\n",
            {"size": "1 variable, 1 clause", "not read": "header: 3 clauses declared, found 1"},
        ),
        (f"ecdf{'.' * 73}ghia", {"format": "wordoku", "side": 9}),
    ],
)
def test_a_puzzle_or_formula_is_described(text, expected, tmp_path):
    assert expected.items() <= facts(tmp_path, text).items()


def test_a_collection_has_its_layout_and_its_columns(tmp_path):
    rows = "".join(f"{number};{LINE};{SOLVED}\n" for number in range(30))
    told = facts(tmp_path, f"id;quiz;solution\n{rows}31;{LINE[:-1]};\n")
    assert told["kind"] == "collection"
    assert (told["format"], told["delimiter"], told["header"]) == ("csv", "';'", "line 1")
    assert told["puzzle"] == "field 2 (quiz)"
    assert told["solution"] == "field 3 (solution); it is compared with the result"
    assert told["puzzles"] == "30 in the first 65,536 bytes"
    assert told["refused"].startswith("1 record; a.txt:32:")


def test_an_archive_or_a_folder_has_its_kind(tmp_path):
    (tmp_path / "box").mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", ROWS)
    code, printed, _ = run("doctor", "box", "a.zip")
    assert code == 0
    assert "box: archive\n  format        a folder\n" in printed
    assert "a.zip: archive\n  format        an archive (zip)\n" in printed


def test_a_refused_file_has_a_code_and_the_formats_that_nearly_fit(tmp_path):
    damaged = ROWS.replace("9", "k", 1)
    told = facts(tmp_path, damaged, code=1)
    assert (told["kind"], told["code"]) == ("refused", "wrong-cell")
    assert told["message"] == "a.txt:2:5: expected a digit or a blank, found 'k'"
    assert told["read_as"] == "grid: 9 rows of 9 cells"
    sixteen = f"12{'.' * 14}\n" * 16
    told = facts(tmp_path, sixteen, code=1)
    assert told["code"] == "ambiguous"
    assert "--format lines" in told["message"]
    told = facts(tmp_path, f"{LINE}\n", "--format", "json", code=1)
    assert "--format line" in told["would read it"].split(", ")


def test_a_puzzle_as_an_argument_or_from_a_pipe_is_described():
    code, printed, _ = run("doctor", LINE)
    assert code == 0
    assert "format        line\n" in printed
    code, printed, _ = run("doctor", "53..7")
    assert code == 1
    assert "expected 16, 36, 64 or 81 cells, found 5 cells" in printed


def test_a_foreign_file_is_named_without_guesses(tmp_path):
    told = facts(tmp_path, b"%PDF-1.4\n", code=1)
    assert {*told} == {"kind", "code", "message"}
    assert told["code"] == "foreign-format"
