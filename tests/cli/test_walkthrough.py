"""`solve --steps`, `--all-steps` and `--hint`: what they print, and for which puzzles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.puzzles import UNIQUE
from support.step_states import STATES

from pipeline.steps import loader

LAST = "53467891267219534819834256785976142342685379171392485696153728428741963534528617."
SOLVED = f"{LAST[:-1]}9"
TWO_LEFT = f".{LAST[1:]}"
STEP = "r9c9=9 full house in row 9"
REASON = "r9c9 is the only open cell of row 9, and 9 is missing there."
ENDED = "no step found; solved by search"
CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
FOUR_LEFT = "".join("." if cell in (0, 3, 9, 12) else sign for cell, sign in enumerate(SOLVED))
"""A puzzle with a naked single, and then a full house."""

IN_PLAY = (
    ":0000:x:.7...8..5.......6.1{}.2..94....45...9...9.1...5...83....95..7..2.8.......3..1...9.:"
    "{}::\n"
)
"""A line of HoDoKu with a digit that was placed in r3c2, and eliminated candidates."""

PROVED = "unique: proved by exhaustive search"

FULL_GAME = f":0000:x:{SOLVED[:8]}+{SOLVED[8:]}:::"
"""A line of HoDoKu with a digit that was placed in the last open cell."""


@pytest.fixture(autouse=True)
def _desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)  # nothing here is worth compiling
    Path("last.txt").write_text(f"{LAST}\n")
    Path("two.txt").write_text(f"{TWO_LEFT}\n")
    Path("four.txt").write_text(UNIQUE)
    Path("formula.cnf").write_text("p cnf 1 1\n1 0\n")
    Path("open.txt").write_text("....\n" * 4)
    Path("rectangle.txt").write_text(f"{FOUR_LEFT}\n")


def test_steps_and_their_reasons_are_printed_before_the_solution():
    code, printed, _ = run("solve", "--quiet", "--steps", "last.txt")
    assert (code, printed) == (0, f"  1  {STEP}\n     {REASON}\n{PROVED}\n{SOLVED}\n")


def test_a_hint_has_three_levels():
    assert run("solve", "--quiet", "--hint", "last.txt")[:2] == (0, "full house\n")
    assert run("solve", "--quiet", "--hint=where", "last.txt")[:2] == (0, "full house: row 9\n")
    code, printed, _ = run("solve", "--quiet", "--hint=step", "last.txt")
    assert (code, printed.splitlines()[:2]) == (0, [STEP, f"     {REASON}"])
    assert printed.splitlines()[-2].startswith("r9")  # the board and its key


def test_the_value_of_a_hint_must_follow_an_equals_sign():
    said = "sudoku-pipeline: --hint where: write --hint=where\n"
    assert run("solve", "--hint", "where") == (2, "", said)
    Path("where").write_text(f"{LAST}\n")
    assert run("solve", "--quiet", "--hint", "where")[:2] == (0, "full house\n")  # a file
    code, _, said = run("solve", "--hint=all", "last.txt")
    assert (code, said) == (
        2,
        "sudoku-pipeline: --hint: expected one of technique, where, step, found 'all'\n",
    )
    assert run("solve", "--quiet", "--", "--hint")[0] == 1


@pytest.mark.parametrize("option", ["--steps", "--all-steps", "--until=X-wing"])
def test_a_hint_is_not_combined_with_steps(option):
    code, _, said = run("solve", "--hint", option, "last.txt")
    assert (code, "--hint cannot be combined" in said) == (2, True)


def test_steps_have_the_symbols_of_the_puzzle():
    letters = SOLVED.translate(str.maketrans("123456789", "ABCDEFGHI"))
    Path("letters.txt").write_text(f"{letters[:-1].rstrip()}.\n")
    code, printed, said = run("solve", "--quiet", "--hint=step", "letters.txt")
    in_letters = [STEP.replace("=9", "=I"), REASON.replace("9 is missing", "I is missing")]
    assert (code, said) == (0, "")
    assert [line.strip() for line in printed.splitlines()[:2]] == in_letters
    assert "*I*" in printed
    (step,) = json.loads(run("solve", "--hint=step", "--json", "letters.txt")[1])["steps"]
    assert [step["text"], step["reason"]] == in_letters
    assert step["placed"] == [{"row": 9, "column": 9, "value": 9}]


def test_branches_are_printed_on_request():
    Path("nishio.txt").write_text(f"{STATES['explainer', 'Nishio forcing chain']}\n")
    code, printed, _ = run("solve", "--quiet", "--order", "explainer", "--hint=step", "nishio.txt")
    lines = printed.splitlines()
    assert (code, lines[0].split(" from ")[0]) == (0, "Nishio forcing chain")
    assert lines[2].startswith("     if ")
    assert any(line.startswith("       contradiction: ") for line in lines)
    steps = run("solve", "--quiet", "--steps", "last.txt")
    assert run("solve", "--quiet", "--steps=full", "last.txt") == steps  # no chains


def test_steps_end_before_a_technique():
    code, printed, _ = run("solve", "--quiet", "--until", "Full-House", "rectangle.txt")
    assert (code, printed.splitlines()[0]) == (0, "  1  r1c4=6 naked single")
    assert printed.count("\n") == 2
    whole = run("solve", "--quiet", "--steps", "rectangle.txt")[1]
    assert whole.startswith(printed)


def test_an_unknown_technique_is_refused_with_a_suggestion():
    code, _, said = run("solve", "--until", "xy-wink", "last.txt")
    assert (code, said) == (
        2,
        "sudoku-pipeline: unknown technique 'xy-wink'; did you mean XY-wing?\n",
    )


def test_a_technique_that_is_not_used_by_default_can_be_named():
    optional = "--until", "grouped-chain with als"
    code, printed, _ = run("solve", "--quiet", *optional, "rectangle.txt")
    assert (code, printed) == run("solve", "--quiet", "--until", "X-wing", "rectangle.txt")[:2]
    code, _, said = run("solve", "--order", "explainer", *optional, "rectangle.txt")
    assert (code, said.partition(";")[0]) == (
        2,
        "sudoku-pipeline: unknown technique 'grouped-chain with als'",
    )


def test_only_the_order_of_sudoku_explainer_has_ratings():
    order = "--order", "explainer"
    (step,) = json.loads(run("solve", *order, "--steps", "--json", "last.txt")[1])["steps"]
    assert (step["score"], step["rating"]) == (0, 1.0)


def test_all_steps_have_each_conclusion_once():
    code, printed, _ = run("solve", "--quiet", "--all-steps", "--json", "rectangle.txt")
    steps = json.loads(printed)["steps"]
    placed = [json.dumps(each) for step in steps for each in step["placed"]]
    assert (code, len(placed)) == (0, len({*placed}))
    assert len(placed) > 1
    first = json.loads(run("solve", "--hint=step", "--json", "rectangle.txt")[1])["steps"][0]
    assert first["text"] in [step["text"] for step in steps]
    lines = run("solve", "--quiet", "--all-steps", "rectangle.txt")[1].splitlines()
    assert [line[5:] for line in lines[::2]] == [step["text"] for step in steps]  # no solution


def test_the_order_of_a_beginner_has_singles_in_boxes_first():
    Path("classic.txt").write_text(f"{CLASSIC}\n")
    orders = {"boxes": "hidden single in a box", "hodoku": "naked single"}
    for order, name in orders.items():
        hint = run("solve", "--quiet", "--order", order, "--hint", "classic.txt")
        assert hint[:2] == (0, f"{name}\n")


def test_the_record_in_json_has_the_steps():
    (step,) = json.loads(run("solve", "--steps", "--json", "last.txt")[1])["steps"]
    assert (step["text"], step["technique"], step["level"]) == (STEP, "full house", "easy")
    assert (step["reason"], step["units"], step["rating"]) == (REASON, ["row 9"], None)
    assert step["placed"] == [{"row": 9, "column": 9, "value": 9}]
    assert step["cited"] == [{"value": 9, "unit": "row 9"}]
    assert step["before"]["candidates"][80] == [9]
    assert json.loads(run("solve", "--steps", "--json", "formula.cnf")[1])["steps"] is None


@pytest.mark.parametrize(("option", "expected"), [("--steps", 0), ("--hint", 1)])
def test_a_puzzle_without_steps_has_a_message(option, expected):
    code, _, said = run("solve", "--quiet", "--max-solutions", "1", option, "formula.cnf")
    assert (code, said.splitlines()[0]) == (expected, "formula.cnf: a formula has no steps")


@pytest.mark.parametrize("level", ["", "=where", "=step"])
def test_a_hint_does_not_give_the_solution_away(level):
    record = json.loads(run("solve", f"--hint{level}", "--json", "two.txt")[1])
    assert "texts" not in record
    assert SOLVED not in json.dumps(record)
    (hint,) = record["steps"]
    assert ("placed" in hint, "units" in hint) == (level == "=step", level != "")
    assert run("solve", "--quiet", f"--hint{level}", "--svg", "hint.svg", "two.txt")[0] == 0
    drawn = Path("hint.svg").read_text()
    assert 'class="solved"' not in drawn


def test_a_hint_that_cannot_be_given_has_a_reason_and_exit_code_1():
    Path("wrong.txt").write_text("1..k\n....\n....\n....\n")
    code, printed, said = run("solve", "--solver", "pysat", "--hint", "wrong.txt")
    assert (code, printed) == (1, "")
    assert said.startswith("wrong.txt:1:4: expected")
    assert run("solve", "--hint", "--json", "wrong.txt")[0] == 1
    code, printed, said = run("solve", "--quiet", "--max-solutions", "1", "--hint", "open.txt")
    assert (code, printed, said) == (1, "", "open.txt: no step found\n")


@pytest.mark.parametrize(
    "option", ["--hint", "--hint=step", "--all-steps", "--steps", "--until=X-wing"]
)
@pytest.mark.parametrize("board", [SOLVED, "1234341221434321", FULL_GAME])
def test_a_full_grid_has_no_step_left(option, board):
    Path("full.txt").write_text(f"{board}\n")
    code, printed, said = run("solve", "--quiet", option, "full.txt")
    only_steps = option != "--steps"
    assert code == (option in ("--hint", "--hint=step", "--all-steps"))
    assert said.startswith("full.txt: the grid is full: no step is left\n")
    assert "no step found" not in said
    assert ("unique" in printed) != only_steps


@pytest.mark.parametrize(
    ("options", "count"),
    [("--hint", 1), ("--hint=where", 1), ("--all-steps", 100), ("--steps", 100)],
)
def test_a_hint_needs_only_one_solution(options, count):
    record = json.loads(run("solve", "--quiet", options, "--json", "open.txt")[1])
    assert (record["status"], record["solutions"], record["steps"]) == ("multiple", count, [])


def test_steps_end_where_only_a_search_goes_on():
    said = run("solve", "--quiet", "--max-solutions", "1", "--steps", "open.txt")[2]
    assert said.startswith(f"open.txt: {ENDED}\n")


def test_a_hint_starts_from_the_state_of_a_game():
    Path("start.txt").write_text(IN_PLAY.format(".", ""))
    Path("state.txt").write_text(IN_PLAY.format("+5", "211"))
    at_start = run("solve", "--quiet", "--hint=step", "start.txt")[1]
    in_play = run("solve", "--quiet", "--hint=step", "state.txt")[1]
    rows = [
        next(line for line in text.splitlines() if line.startswith("r3 "))
        for text in (at_start, in_play)
    ]
    assert [row.split()[2] for row in rows] == ["356", "5"]


def test_mistakes_of_a_player_are_named_without_the_solution():
    Path("wrong.txt").write_text(IN_PLAY.format("+3", "963"))
    code, printed, _ = run("solve", "--quiet", "--hint", "wrong.txt")
    lines = ["r3c2=3 is wrong", "r6c3: the right value was removed from the candidates"]
    assert (code, printed.splitlines()) == (1, lines)
    record = json.loads(run("solve", "--hint", "--json", "wrong.txt")[1])
    assert (record["mistakes"], record["steps"]) == (lines, [])
    code, printed, said = run("solve", "--quiet", "--until", "claiming", "wrong.txt")
    assert (code, said.splitlines()[:3]) == (
        0,
        [f"wrong.txt: {line}" for line in (*lines, "the steps start from the givens")],
    )
    assert printed.startswith("  1  r6c3=9 hidden single")  # from the givens


def test_a_grid_of_candidates_may_lack_the_solution():
    marks = [sign if sign != "." else "123456789" for sign in TWO_LEFT]
    marks[0] = "123"  # the solution has 5 there
    Path("marks.txt").write_text("\n".join(" ".join(marks[k : k + 9]) for k in range(0, 81, 9)))
    code, printed, _ = run("solve", "--quiet", "--hint", "marks.txt")
    assert (code, printed) == (1, "r1c1: the right value was removed from the candidates\n")


def test_a_hidden_single_in_a_box_is_a_hidden_single():
    Path("classic.txt").write_text(f"{CLASSIC}\n")
    options = "--order", "boxes", "--until"
    code, printed, said = run("solve", "--quiet", *options, "hidden single", "classic.txt")
    assert (code, printed, said) == (
        0,
        "",
        "classic.txt: stopped before step 1: hidden single in a box\n",
    )


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize(
    ("option", "expected"),
    [("--steps", 0), ("--all-steps", 1), ("--until=X-wing", 1), ("--hint", 1)],
)
def test_a_puzzle_without_a_solution_has_no_steps(option, expected, is_json):
    """With `--steps`, the command also solves the puzzle; the others only print steps."""
    Path("twice.txt").write_text(f"{FOUR_LEFT[:-1]}3\n")
    options = ("--json",) if is_json else ()
    code, printed, said = run("solve", "--quiet", option, *options, "twice.txt")
    assert code == expected
    assert not is_json or not json.loads(printed)["steps"]
    assert is_json or said.startswith("twice.txt: no steps, because there is no solution\n")
    assert is_json or bool(printed) == (option == "--steps")


def test_the_board_of_a_hint_shows_no_more_than_the_hint():
    def board(level: str) -> str:
        return run("solve", "--quiet", f"--hint{level}", "--board", "two.txt")[1]

    technique, where, step = board(""), board("=where"), board("=step")
    assert not any(sign in technique for sign in "[]{}<>()*:")
    assert where.endswith("    : : place of the step\n")
    assert "*" not in where
    assert step.endswith(" placed\n")


def test_the_steps_and_hints_of_a_collection_follow_its_names():
    Path("many.txt").write_text(f"{LAST}\n{TWO_LEFT}\n")
    code, printed, _ = run("solve", "--quiet", "--hint", "many.txt")
    assert (code, printed.splitlines()[::2]) == (0, ["many.txt:1", "many.txt:2"])
    lines = run("solve", "--quiet", "--steps", "many.txt")[1].splitlines()
    assert lines[:2] == ["many.txt:1", f"  1  {STEP}"]
    lines = run("solve", "--quiet", "--hint", "last.txt", "two.txt")[1].splitlines()
    assert lines[::2] == ["last.txt", "two.txt"]


def test_the_end_before_a_technique_is_reported():
    said = run("solve", "--quiet", "--until", "full house", "rectangle.txt")[2]
    assert said == "rectangle.txt: stopped before step 2: full house\n"
    said = run("solve", "--quiet", "--until", "X-wing", "rectangle.txt")[2]
    assert said == "rectangle.txt: no step uses the technique X-wing\n"


def test_an_order_without_steps_is_refused_and_without_effect_reported():
    code, _, said = run("solve", "--order", "boxes", "last.txt")
    assert (code, said) == (
        2,
        "sudoku-pipeline: --order needs --steps, --all-steps, --until or --hint\n",
    )
    Path("small.txt").write_text("1...\n..3.\n.4..\n...2\n")
    assert "order" in run("solve", "--quiet", "--hint", "--order", "boxes", "small.txt")[2]
    assert "order" not in run("solve", "--quiet", "--hint", "small.txt")[2]


def test_all_steps_of_a_puzzle_without_a_solution_exit_1():
    Path("twice.txt").write_text(f"{FOUR_LEFT[:-1]}3\n")
    assert run("solve", "--quiet", "--all-steps", "twice.txt")[0] == 1


def test_a_line_of_hodoku_is_a_puzzle_as_an_argument():
    code, printed, _ = run("solve", "--quiet", "--hint=step", IN_PLAY.format("+5", "211").strip())
    assert code == 0
    row = next(line for line in printed.splitlines() if line.startswith("r3 "))
    assert row.split()[2] == "5"
