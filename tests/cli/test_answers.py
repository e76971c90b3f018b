"""`solve` and `count`: what they print, where, and how they exit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.archives import zip_of
from support.cases import for_each
from support.commands import FILES, FIRST, SECOND, SOLVED, run
from support.documents import document, text_of
from support.puzzles import PATIENCE, UNIQUE, program

pytestmark = pytest.mark.usefixtures("puzzle_folder")

BY_PROOF = (
    r"proved by an LRAT proof of \d+ steps?, found by [\w ]+, checked by sudoku-pipeline [\w.+-]+\n"
)
BY_SEARCH = "unique: proved by exhaustive search\n"
BOTH = f"{FIRST}\n{SECOND}"
TWO_FOUND = "two.txt: multiple: exactly 2 solutions, proved by exhaustive search\n"
DIFFERENT = (
    "two.txt: the solutions found differ in 8 cells; "
    "adding 3 at r1c3 would leave only one of them\n"
)
CLASH = "row 1 holds 1 twice: row 1, column 1 and row 1, column 2\n"
UNSOLVABLE = "unsolvable: no solution, proved by exhaustive search\n"
TOO_LARGE = "two.txt: expected at most 10 bytes (--max-bytes), found 20 bytes\n"
MANY = "1.....2..3.....4\n12............1.\nx\n"

EXACT = {
    "the solution, and its status": ("solve unique.txt", 0, SOLVED, f"unique.txt: {BY_SEARCH}"),
    "only the solution if quiet": ("solve -q unique.txt", 0, SOLVED, ""),
    "a line for a line": ("solve -q line.txt", 0, f"{''.join(SOLVED.split())}\n", ""),
    "box sizes for box sizes": (
        *("solve -q boxes.txt", 0, "2 2\n1 2 4 3\n3 4 2 1\n4 3 1 2\n2 1 3 4\n", ""),
    ),
    "a solved grid": ("solve solved.txt", 0, SOLVED, f"solved.txt: {BY_SEARCH}"),
    "that these are all, and where they differ": (
        *("solve two.txt", 0, BOTH, f"{TWO_FOUND}{DIFFERENT}"),
    ),
    "no explanation if quiet": ("solve --quiet two.txt", 0, BOTH, TWO_FOUND),
    "the cells that clash": (
        *("solve --prove never clash.txt", 0, ""),
        f"clash.txt: {UNSOLVABLE}clash.txt: {CLASH}",
    ),
    "that uniqueness was not verified": (
        *("solve --quiet --trust-solver unique.txt", 0, SOLVED),
        "unique.txt: unique: unverified: --trust-solver\n",
    ),
    "a header for each of several files": (
        *("solve unique.txt line.txt", 0),
        *(f"unique.txt: {BY_SEARCH}{SOLVED}line.txt: {BY_SEARCH}{''.join(SOLVED.split())}\n", ""),
    ),
    "no proof if none is asked for": ("count --prove never none.txt", 0, "0\n", ""),
    "that a file is too large": ("solve --max-bytes 10 two.txt", 1, "", TOO_LARGE),
    "one solution": ("count unique.txt", 0, "1\n", ""),
    "six solutions": ("count six.txt", 0, "6\n", ""),
    "six of them, marked": ("count even-odd-six.txt", 0, "6\n", ""),
    "that there is none": ("count --quiet none.txt", 0, "0\n", ""),
    "the counts of several": ("count six.txt unique.txt", 0, "six.txt: 6\nunique.txt: 1\n", ""),
    "a limit that was cut": ("count --max-solutions 5 six.txt", 0, ">=5\n", ""),
    "a limit that was met": ("count --max-solutions 6 six.txt", 0, "6\n", ""),
}


@for_each(("line", "code", "printed", "said"), EXACT.values())
def test_solve_and_count_print(line, code, printed, said):
    assert run(*line.split()) == (code, printed, said)


def test_solve_tells_which_rules_it_read_where_a_document_has_rules_in_prose(puzzle_folder):
    cages = [{"cells": ["R1C1", "R1C2"], "value": "3"}, {"cells": ["R2C1", "R2C2"], "value": "7"}]
    parts = {"ruleset": "Digits on blue cells are prime.", "killercage": cages, "antiking": True}
    (puzzle_folder / "prose.json").write_text(text_of(document(4, **parts)))
    _, _, said = run("solve", "prose.json")
    status, _, first, second = said.splitlines()
    assert status.startswith("prose.json: unsolvable: no solution, proved ")
    assert first.endswith("by the rules that were read; the text of the rules was not read")
    told = "the text of the rules was not read and may contain further rules; rules read: "
    told += "2 × cage, anti-king"
    assert second == f"prose.json: {told}"


def test_solve_says_that_there_are_more_solutions():
    code, printed, said = run("solve", "--max-solutions", "1", "two.txt")
    assert (code, said) == (0, "two.txt: multiple: at least 2 solutions\n")
    assert printed in (FIRST, SECOND)


def test_solve_shows_a_smallest_set_of_givens_without_a_solution(monkeypatch):
    monkeypatch.setattr("pipeline.solving.one.EXPLAIN_SECONDS", PATIENCE)
    code, printed, _ = run("solve", "--board", "none.txt")
    first, sentence, *drawn = printed.splitlines()
    assert (code, first.startswith("unsolvable: no solution, proved by ")) == (0, True)
    assert "have no solution together" in sentence
    assert sum(line.count("[") for line in drawn) == int(sentence.split()[0])


def test_formulas_are_answered_in_the_notation_of_the_sat_competitions(puzzle_folder):
    (puzzle_folder / "a.cnf").write_text("c x\np cnf 3 2\n1 -3 0\n2 3 -1 0\n")
    (puzzle_folder / "b.cnf").write_text("p cnf 1 2\n1 0\n-1 0\n")
    code, printed, said = run("solve", "a.cnf")
    assert (code, said) == (0, "")
    assert re.fullmatch(r"s SATISFIABLE\nv .* 0\n", printed)
    code, printed, said = run("solve", "b.cnf")
    assert (code, printed) == (0, "s UNSATISFIABLE\n")
    assert re.fullmatch(f"b.cnf: no model: {BY_PROOF}", said)
    assert [run("count", name)[:2] for name in ("a.cnf", "b.cnf")] == [(0, "5\n"), (0, "0\n")]


def test_solve_says_of_a_formula_that_it_is_unknown(puzzle_folder):
    at = {(i, hole): 12 * i + hole + 1 for i in range(13) for hole in range(12)}  # pigeons
    clauses = [[at[i, hole] for hole in range(12)] for i in range(13)]
    clauses += [
        [-at[i, hole], -at[j, hole]] for hole in range(12) for i in range(13) for j in range(i)
    ]
    lines = (" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
    (puzzle_folder / "hard.cnf").write_text(f"p cnf 156 {len(clauses)}\n" + "".join(lines))
    code, printed, said = run("solve", "--timeout", "0.5", "hard.cnf")
    assert (code, printed) == (1, "s UNKNOWN\n")
    assert said.startswith("hard.cnf: unknown: the time limit of 0.5 s was reached")


@pytest.mark.parametrize(
    ("text", "where", "line"),
    [
        (
            FILES["bad.txt"],
            "bad.txt:3:3: expected a digit",
            "\n    .3q.\n      ^\n    read as grid: ",
        ),
        ("1...\n..2.\n.3..\n...4.\n", "bad.txt:4:5: expected a row of 4 cells, found 5 cells", ""),
        ("", "bad.txt: expected a puzzle, found an empty file", ""),
        (
            "hello\n",
            "bad.txt:1:1: expected a digit or a blank, found 'h'",
            (
                "\n    read as grid: no other format fits"
                "\n    to see which formats nearly fit: sudoku-pipeline doctor bad.txt\n"
            ),
        ),
        ("2 2\n1 2 3 4 5\n", "bad.txt:2:9: expected a number from 1 to 4, or 0 for a blank", ""),
    ],
)
def test_a_fault_is_shown_with_its_place_and_a_caret(text, where, line, puzzle_folder):
    (puzzle_folder / "bad.txt").write_text(text)
    code, printed, said = run("solve", "bad.txt")
    assert (code, printed, line in said) == (1, "", True)
    assert said.startswith(where)
    assert run("count", "bad.txt") == (1, "", said)


def test_solve_goes_on_behind_a_file_that_is_no_puzzle_or_not_there():
    code, printed, said = run("solve", "none.txt", "bad.txt", "missing.txt", "unique.txt")
    assert code == 1
    proved, _, solved = printed.partition("unique.txt: ")
    assert re.match(f"none.txt: unsolvable: no solution, {BY_PROOF}3 givens have no ", proved)
    assert solved == f"{BY_SEARCH}{SOLVED}"
    wrong, *_, missing = said.splitlines(keepends=True)
    assert wrong.startswith("bad.txt:3:3: expected ")
    assert missing == "missing.txt: cannot be read: No such file or directory\n"


def test_a_proof_is_told_of_each_puzzle_that_has_one():
    assert re.fullmatch(f"none.txt: no solution: {BY_PROOF}", run("count", "none.txt")[2])
    said = run("solve", "--prove", "always", "unique.txt")[2]
    assert re.fullmatch(f"unique.txt: unique: {BY_PROOF}", said)


@pytest.mark.parametrize("command", ["solve", "count", "encode"])
def test_a_dash_is_standard_input_which_messages_call_by_name(command):
    code, printed, _ = run(command, "-", given=UNIQUE)
    assert (code, printed) == run(command, "unique.txt")[:2]
    assert code == 0
    code, printed, said = run(command, "-", given=FILES["bad.txt"])
    assert (code, printed) == (1, "")
    assert "<stdin>:3:3: expected " in said


def test_solve_says_why_minisat_gave_no_answer(tmp_path):
    fake = program(tmp_path / "fake", "sleep 1000")
    options = ("--minisat", fake, "--solver", "auto")
    said = "two.txt: unknown: the time limit of 0.2 s was reached\n"
    assert run("solve", "two.txt", "--timeout", "0.2", *options) == (1, "", said)
    program(tmp_path / "fake", "exit 3")
    said = f"unique.txt: {BY_SEARCH}unique.txt: minisat ended with exit code 3; pysat solved it\n"
    assert run("solve", "unique.txt", *options) == (0, SOLVED, said)


def test_minisat_is_only_missed_if_it_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, said = run("solve", "--solver", "auto", "unique.txt", "none.txt")
    assert (code, said.count("minisat")) == (0, 0)
    for command in ("solve", "count"):
        code, printed, said = run(command, "--solver", "minisat", "unique.txt")
        assert (code, printed, "apt-get install minisat" in said) == (2, "", True)


def test_times_are_a_table_with_a_row_for_each_puzzle(tmp_path):
    code, printed, _ = run("solve", "--times", "--quiet", "two.txt", "none.txt", "bad.txt")
    heading, _, *rows = [line.split() for line in printed.splitlines() if line.strip()][-5:]
    assert code == 1
    assert heading[:4] == ["file", "status", "variables", "clauses"]
    assert heading[4:] == ["parse", "encode", "solve", "decode", "certify", "prove", "total"]
    statuses = {"two.txt": "multiple", "none.txt": "unsolvable", "bad.txt": "invalid"}
    assert {row[0]: row[1] for row in rows} == statuses
    assert [len(row) for row in rows] == [11, 9, 4], "an invalid file has no size, only times"
    assert all(float(word) >= 0 for row in rows for word in row[2:])
    (tmp_path / "many.txt").write_text("1.....2..3.....4\n1.3.3.1.........\n")
    code, printed, _ = run("solve", "--times", "many.txt")
    rows = [line.split() for line in printed.splitlines() if "many.txt:" in line]
    assert (code, len(rows)) == (0, 4), "a line and a row each"
    assert [row[1] for row in rows[2:]] == [row[1] for row in rows[:2]]


def test_count_prints_each_solution_when_asked(tmp_path):
    code, printed, _ = run("count", "--print", "two.txt")
    assert (code, printed[-2:], len(printed)) == (0, "2\n", len(BOTH) + 3)
    assert FIRST in printed
    assert SECOND in printed
    (tmp_path / "many.txt").write_text("1.....2..3.....4\n")
    assert run("count", "--print", "many.txt", "--format", "lines")[1].startswith(SOLVED[:4])


def test_a_variant_can_be_asked_for():
    even = "*...\n....\n....\n....\n"
    assert run("count", "-", given=even)[:2] == (0, "0\n")
    options = ["--variant", "classic", "--max-solutions", "9"]
    assert run("count", *options, "-", given=even)[:2] == (0, ">=9\n")


def test_files_of_any_name_are_solved(tmp_path):
    for name in ("-x.txt", "a b.txt", "ré数独.txt", "a.b.c.txt", "n" * 200):
        (tmp_path / name).write_text(UNIQUE)
        assert run("count", "--", name) == (0, "1\n", "")


def test_a_collection_has_a_line_for_each_puzzle(tmp_path):
    (tmp_path / "many.txt").write_text(MANY)
    code, printed, _ = run("solve", "many.txt", "unique.txt")
    first, second, third, *rest = printed.splitlines()
    assert (code, first) == (1, "many.txt:1: unique 1243342143122134")
    assert second.startswith("many.txt:2: multiple 12")
    assert third.startswith("many.txt:3: invalid: many.txt:3:1: expected a row")
    assert rest[0] == f"unique.txt: {BY_SEARCH[:-1]}"
    code, printed, said = run("count", "--max-solutions", "2", "many.txt")
    assert (code, printed) == (1, "many.txt:1: 1\nmany.txt:2: >=2\n")
    assert said.startswith("many.txt:3: invalid: many.txt:3:1: expected a row")
    code, _, said = run("solve", "--svg", "out.svg", "many.txt")
    assert (code, (tmp_path / "out.svg").exists()) == (2, False)
    assert "many.txt is a collection; give a file with one puzzle, or draw all with" in said


def test_archives_and_folders_are_solved_by_their_members(tmp_path):
    data = zip_of(("a.txt", UNIQUE), ("b/many.txt", MANY))
    (tmp_path / "set.zip").write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "set.zip").write_bytes(data)
    for name, before in (("set.zip", "set.zip/"), ("folder", "folder/set.zip/")):
        code, printed, _ = run("solve", name)
        starts = [line.split(": ")[0].removeprefix(before) for line in printed.splitlines()]
        assert ":  " not in printed
        assert (code, starts) == (1, ["a.txt", *(f"b/many.txt:{n}" for n in (1, 2, 3))])


def test_names_in_an_archive_command_no_terminal_and_forge_no_line(puzzle_folder):
    name = "a\x1b]0;owned\x07\nfake.txt: unique 1.txt"
    (puzzle_folder / "evil.zip").write_bytes(zip_of((name, UNIQUE)))
    for command in (["solve"], ["solve", "--times"], ["count"]):
        code, printed, said = run(*command, "evil.zip")
        assert code == 0
        assert not re.search(r"[\x00-\x09\x0b-\x1f]|^fake", printed + said, re.MULTILINE)


def test_json_has_the_record_and_the_texts_of_the_solutions():
    code, printed, said = run("solve", "--json", "unique.txt", "two.txt", "bad.txt")
    one, two, bad = map(json.loads, printed.splitlines())
    assert (code, said) == (1, "")
    assert (one["source"], one["status"], one["texts"]) == ("unique.txt", "unique", [SOLVED])
    assert one["certificate"]["complete"] == "proved"
    assert (two["status"], two["solutions"], len(two["texts"])) == ("multiple", 2, 2)
    assert bad["message"] == "bad.txt:3:3: expected a digit or a blank, found 'q'"


def test_a_claim_is_told_of_each_of_many(puzzle_folder):
    (puzzle_folder / "lines.txt").write_text("1.....2..3.....4\n" * 2)
    printed = run("solve", "--trust-solver", "lines.txt")[1]
    assert printed.count(": unverified: --trust-solver") == 2


def test_json_and_a_drawing_cannot_both_be_printed():
    code, _, said = run("solve", "--json", "--svg", "-", "two.txt")
    assert (code, "name a file with --svg" in said) == (2, True)


def test_a_folder_without_a_puzzle_is_mentioned():
    Path("empty").mkdir()
    Path("empty", ".hidden").write_text("x")
    assert run("solve", "empty", "--solver", "pysat") == (0, "", "empty: no puzzle to solve\n")


def test_a_wrong_setting_says_what_was_found():
    assert run("solve", "--memory-limit", "1M", "a.txt")[2].endswith(", found '1M'\n")
    assert run("solve", "--traits", "minimal,foo", "a.txt")[2].endswith("; found 'foo'\n")
