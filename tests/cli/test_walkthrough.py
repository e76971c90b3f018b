"""`solve --steps` and `--hint`: what they print, and for which puzzles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.puzzles import UNIQUE

LAST = "53467891267219534819834256785976142342685379171392485696153728428741963534528617."
SOLVED = f"{LAST[:-1]}9"
TWO_LEFT = f".{LAST[1:]}"
STEP = "r9c9=9 full house in row 9"
NONE = "steps are only available for solved 9×9 puzzles without extra rules"
ENDED = "no step found; solved by search"


@pytest.fixture(autouse=True)
def _desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("last.txt").write_text(f"{LAST}\n")
    Path("four.txt").write_text(UNIQUE)
    Path("open.txt").write_text(f"{'.' * 81}\n")


def test_steps_stand_before_the_solution_and_a_hint_alone():
    code, printed, _ = run("solve", "--quiet", "--steps", "last.txt")
    assert (code, printed) == (0, f"  1  {STEP}\nunique\n{SOLVED}\n")
    assert run("solve", "--quiet", "--hint", "last.txt")[:2] == (0, f"{STEP}\n")


def test_what_the_letters_are_in_steps_is_said():
    letters = SOLVED.translate(str.maketrans("123456789", "ABCDEFGHI"))
    Path("letters.txt").write_text(f"{letters[:-1].rstrip()}.\n")
    code, printed, said = run("solve", "--quiet", "--hint", "letters.txt")
    assert (code, printed) == (0, f"{STEP}\n")
    assert said.startswith("letters.txt: symbols in the steps: A is 1, B is 2, C is 3")


def test_the_record_in_json_has_the_steps():
    (step,) = json.loads(run("solve", "--steps", "--json", "last.txt")[1])["steps"]
    assert (step["text"], step["technique"], step["level"]) == (STEP, "full house", "easy")
    assert step["placed"] == [{"row": 9, "column": 9, "value": 9}]
    assert json.loads(run("solve", "--steps", "--json", "four.txt")[1])["steps"] is None


@pytest.mark.parametrize(("option", "expected"), [("--steps", 0), ("--hint", 1)])
def test_where_no_steps_are_looked_for_it_is_said(option, expected):
    code, _, said = run("solve", "--quiet", option, "four.txt")
    assert (code, said) == (expected, f"four.txt: {NONE}\n")


def test_a_hint_does_not_give_the_solution_away():
    Path("puzzle.txt").write_text(f"{TWO_LEFT}\n")
    record = json.loads(run("solve", "--hint", "--json", "puzzle.txt")[1])
    assert "texts" not in record
    assert SOLVED not in json.dumps(record)
    assert run("solve", "--quiet", "--hint", "--svg", "hint.svg", "puzzle.txt")[0] == 0
    drawn = Path("hint.svg").read_text()
    assert ('class="given"' in drawn, 'class="solved"' in drawn) == (True, False)


def test_a_hint_that_cannot_be_given_has_a_reason_and_exit_code_1():
    Path("wrong.txt").write_text("1..k\n....\n....\n....\n")
    code, printed, said = run("solve", "--solver", "pysat", "--hint", "wrong.txt")
    assert (code, printed) == (1, "")
    assert said.startswith("wrong.txt:1:4: expected")
    assert run("solve", "--hint", "--json", "four.txt")[0] == 1
    code, printed, said = run("solve", "--quiet", "--max-solutions", "1", "--hint", "open.txt")
    assert (code, printed, said) == (1, "", "open.txt: no step found\n")


def test_steps_end_where_only_a_search_goes_on():
    said = run("solve", "--quiet", "--max-solutions", "1", "--steps", "open.txt")[2]
    assert said.startswith(f"open.txt: {ENDED}\n")
