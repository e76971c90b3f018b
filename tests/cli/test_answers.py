"""`solve` and `count`: what they print, where, and how they exit."""

from __future__ import annotations

import json
import re

import pytest
from support.commands import FILES, FIRST, SECOND, SOLVED, run
from support.packing import zip_of
from support.solving import PATIENCE, UNIQUE, program

pytestmark = pytest.mark.usefixtures("puzzle_folder")


PROVED = r"{}: proved by [\w ]+ in \d+ steps?, checked by sudoku-pipeline [\w.+-]+\n?"


@pytest.mark.parametrize(
    ("file", "printed"),
    [
        ("unique.txt", f"unique\n{SOLVED}"),
        ("line.txt", f"unique\n{SOLVED.replace(chr(10), '')}\n"),
        ("boxes.txt", "unique\n2 2\n1 2 4 3\n3 4 2 1\n4 3 1 2\n2 1 3 4\n"),
        ("solved.txt", f"unique\n{SOLVED}"),
    ],
)
def test_solve_prints_the_verdict_and_the_solution_in_the_notation_of_the_file(file, printed):
    assert run("solve", file) == (0, printed, "")


def test_solve_prints_all_solutions_and_says_that_they_are_all():
    code, printed, said = run("solve", "two.txt")
    assert (code, printed) == (0, f"multiple: all 2 solutions\n{FIRST}\n{SECOND}")
    assert said == (
        "two.txt: they differ in 8 cells; adding 3 in row 1, column 3 leaves one of them\n"
        " 1  2 |[.][.]\n[.][.]| .  .\n------+------\n[.] . | 2 [.]\n . [.]|[.] 1\n"
    )
    assert run("solve", "--quiet", "two.txt") == (0, printed, "")


def test_solve_says_that_there_are_more_solutions():
    code, printed, said = run("solve", "--max-solutions", "1", "two.txt")
    assert (code, printed.count("\n")) == (0, 5)
    assert said == "two.txt: multiple: there are more solutions than the 1 asked for\n"


def test_solve_names_the_cells_that_clash():
    printed = "unsolvable\nrow 1 holds 1 twice: row 1, column 1 and row 1, column 2\n"
    code, said, _ = run("solve", "clash.txt")
    assert (code, said[: len(printed)]) == (0, printed)
    assert said[len(printed) :].startswith("[1][1]| .  .\n")


def test_solve_shows_a_smallest_set_of_givens_without_a_solution(monkeypatch):
    monkeypatch.setattr("pipeline.solving.one.EXPLAIN_SECONDS", PATIENCE)
    code, printed, _ = run("solve", "none.txt")
    first, sentence, *drawn = printed.splitlines()
    assert (code, first) == (0, "unsolvable")
    assert "have no solution together" in sentence
    assert sum(line.count("[") for line in drawn) == int(sentence.split()[0])


def test_solve_shows_the_line_of_a_fault_with_a_caret(puzzle_folder):
    (puzzle_folder / "bad.txt").write_text("1...\n..2.\n.3q.\n...4\n")
    _, _, said = run("solve", "bad.txt")
    assert said.splitlines()[1:] == ["    .3q.", "      ^"]


def test_solve_answers_formulas_in_the_notation_of_the_sat_competitions(puzzle_folder):
    (puzzle_folder / "a.cnf").write_text("c x\np cnf 3 2\n1 -3 0\n2 3 -1 0\n")
    (puzzle_folder / "b.cnf").write_text("p cnf 1 2\n1 0\n-1 0\n")
    code, printed, said = run("solve", "a.cnf")
    assert (code, said) == (0, "")
    assert printed.splitlines()[0] == "s SATISFIABLE"
    assert printed.splitlines()[1].endswith(" 0")
    code, printed, said = run("solve", "b.cnf")
    assert (code, printed) == (0, "s UNSATISFIABLE\n")
    assert re.fullmatch(PROVED.format("b.cnf"), said)
    assert run("count", "a.cnf")[:2] == (0, "5\n")
    assert run("count", "b.cnf")[:2] == (0, "0\n")


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
    ("text", "where"),
    [
        (FILES["bad.txt"], "bad.txt:3:3: expected "),
        ("1...\n..2.\n.3..\n...4.\n", "bad.txt:4:5: expected a row of 4 cells, found 5 cells"),
        ("", "bad.txt: expected a puzzle, found an empty file"),
        ("2 2\n1 2 3 4 5\n", "bad.txt:2:9: expected a number from 1 to 4, or 0 for a blank"),
    ],
)
def test_solve_says_where_a_file_is_no_puzzle(text, where, puzzle_folder):
    (puzzle_folder / "bad.txt").write_text(text)
    code, printed, said = run("solve", "bad.txt")
    assert (code, printed) == (1, "")
    assert said.startswith(where)
    assert run("count", "bad.txt")[::2] == (1, said)


def test_solve_goes_on_behind_a_file_that_is_no_puzzle_or_not_there():
    code, printed, said = run("solve", "none.txt", "bad.txt", "missing.txt", "unique.txt")
    assert code == 1
    assert printed.startswith("none.txt: unsolvable\n")
    assert printed.endswith(f"unique.txt: unique\n{SOLVED}")
    proved, wrong, *_, missing = said.splitlines()
    assert re.match(PROVED.format("none.txt"), proved)
    assert wrong.startswith("bad.txt:3:3: expected ")
    assert missing == "missing.txt: cannot be read: No such file or directory"


@pytest.mark.parametrize("command", ["solve", "count", "encode"])
def test_a_dash_is_standard_input(command):
    code, printed, _ = run(command, "-", given=UNIQUE)
    assert (code, printed) == run(command, "unique.txt")[:2]
    assert code == 0


@pytest.mark.parametrize("command", ["solve", "count", "encode"])
def test_messages_call_standard_input_by_name(command):
    code, printed, said = run(command, "-", given=FILES["bad.txt"])
    assert (code, printed) == (1, "")
    assert "<stdin>:3:3: expected " in said


def test_solve_says_which_limit_left_it_without_an_answer(tmp_path):
    fake = program(tmp_path / "fake", "sleep 1000")
    code, printed, said = run(
        "solve", "two.txt", "--minisat", fake, "--timeout", "0.2", "--solver", "auto"
    )
    assert (code, printed) == (1, "")
    assert said == "two.txt: unknown: the time limit of 0.2 s was reached\n"


def test_solve_says_why_pysat_solved(tmp_path):
    fake = program(tmp_path / "fake", "exit 3")
    code, printed, said = run("solve", "unique.txt", "--minisat", fake, "--solver", "auto")
    assert (code, printed) == (0, f"unique\n{SOLVED}")
    assert said == "unique.txt: minisat ended with exit code 3; pysat solved it\n"


def test_a_machine_without_minisat_is_told_once_that_pysat_solves(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, said = run("solve", "--solver", "auto", "unique.txt", "none.txt")
    assert code == 0
    assert said.splitlines()[:1] == ["minisat is not installed: PySAT solves instead"]
    assert said.count("minisat") == 1
    assert run("solve", "--quiet", "--solver", "auto", "unique.txt")[2] == ""


def test_minisat_asked_for_and_not_there_is_a_usage_error_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for command in ("solve", "count"):
        code, printed, said = run(command, "--solver", "minisat", "unique.txt")
        assert (code, printed) == (2, "")
        assert "apt-get install minisat" in said


def test_files_of_many_have_a_row_of_times_and_printed_solutions_for_each_puzzle(tmp_path):
    many = tmp_path / "many.txt"
    many.write_text("1.....2..3.....4\n1.3.3.1.........\n")
    code, printed, _ = run("solve", "--times", str(many))
    rows = [line.split() for line in printed.splitlines() if "many.txt:" in line]
    assert (code, len(rows)) == (0, 4), "a line and a row each"
    assert [row[1] for row in rows[2:]] == [row[1] for row in rows[:2]]
    code, printed, _ = run("count", "--print", str(many))
    assert printed.startswith("1243\n3421\n4312\n2134\n")
    assert f"{many}:1: 1\n" in printed


def test_times_are_a_table_of_the_files():
    code, printed, _ = run("solve", "--times", "--quiet", "two.txt", "none.txt", "bad.txt")
    heading, _, *rows = [line.split() for line in printed.splitlines() if line.strip()][-5:]
    assert code == 1
    assert heading[:4] == ["file", "status", "variables", "clauses"]
    assert heading[4:] == ["parse", "encode", "solve", "decode", "certify", "prove", "total"]
    assert [row[:2] for row in rows] == [
        ["two.txt", "multiple"],
        ["none.txt", "unsolvable"],
        ["bad.txt", "invalid"],
    ]
    assert [len(row) for row in rows] == [11, 9, 4], "an invalid file has no size, only times"
    assert all(float(word) >= 0 for row in rows for word in row[2:])


@pytest.mark.parametrize(
    ("file", "number"),
    [("unique.txt", 1), ("two.txt", 2), ("six.txt", 6), ("none.txt", 0), ("even-odd-six.txt", 6)],
)
def test_count_prints_the_number_of_solutions(file, number):
    assert run("count", "--quiet", file) == (0, f"{number}\n", "")


def test_what_is_proved_is_said_and_why_something_is_not():
    assert re.fullmatch(PROVED.format("none.txt"), run("count", "none.txt")[2])
    _, _, said = run("solve", "--prove", "always", "unique.txt")
    assert re.fullmatch(PROVED.format("unique.txt"), said)
    assert run("solve", "--prove", "never", "none.txt")[2] == ""
    assert run("solve", "--quiet", "none.txt")[2] == ""


def test_count_tells_a_limit_that_was_cut_from_one_that_was_met():
    assert run("count", "--max-solutions", "5", "six.txt") == (0, ">=5\n", "")
    assert run("count", "--max-solutions", "6", "six.txt") == (0, "6\n", "")


def test_count_prints_each_solution_when_asked():
    code, printed, _ = run("count", "--print", "two.txt")
    assert code == 0
    assert printed.endswith("\n2\n")
    assert FIRST in printed
    assert SECOND in printed


def test_count_of_an_empty_grid():
    grid = ("." * 6 + "\n") * 6
    assert run("count", "--max-solutions", "20", "-", given=grid) == (0, ">=20\n", "")


def test_a_variant_can_be_asked_for():
    even = "*...\n....\n....\n....\n"
    assert run("count", "-", given=even)[:2] == (0, "0\n")
    options = ["--variant", "classic", "--max-solutions", "9"]
    assert run("count", *options, "-", given=even)[:2] == (0, ">=9\n")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MAX_SOLUTIONS", "5", (0, ">=5\n", "")),
        ("VARIANT", "classic", (0, "6\n", "")),
        ("ENCODING", "minimal", (0, "6\n", "")),
    ],
)
def test_options_have_twins_in_the_environment(name, value, expected, monkeypatch):
    monkeypatch.setenv(f"SUDOKU_PIPELINE_{name}", value)
    assert run("count", "six.txt") == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_SOLUTIONS", "0"),
        ("MAX_SOLUTIONS", "many"),
        ("TIMEOUT", "0"),
        ("TIMEOUT", "nan"),
        ("MEMORY_LIMIT", "63"),
        ("ENCODING", "shortest"),
        ("SOLVER", "glucose"),
        ("VARIANT", "odd"),
        ("MAX_BYTES", "-1"),
        ("TIMEOUT", "inf"),
        ("TIMEOUT", "1e300"),
        ("TIMEOUT", "1e-300"),
        ("MAX_SOLUTIONS", "9" * 25),
        ("MEMORY_LIMIT", "9" * 25),
        ("MAX_BYTES", "9" * 5000),
        ("TIMEOUT", "9" * 400),
    ],
)
def test_a_value_that_cannot_be_served_is_a_usage_error_by_option_and_by_twin(
    name, value, monkeypatch
):
    flag = f"--{name.lower().replace('_', '-')}"
    code, printed, said = run("count", "six.txt", flag, value)
    assert (code, printed) == (2, "")
    assert flag in said
    monkeypatch.setenv(f"SUDOKU_PIPELINE_{name}", value)
    assert run("count", "six.txt")[0] == 2


@pytest.mark.parametrize("value", ["nan", "inf", "1e300", "-1"])
@pytest.mark.parametrize("flag", ["--settle", "--grace"])
def test_seconds_that_are_none_are_a_usage_error_of_the_folders_commands_too(flag, value):
    for command in ("run", "watch"):
        code, _, said = run(command, f"{flag}={value}")
        assert (code, said) == (
            2,
            f"sudoku-pipeline: {flag}: expected a number from 0 to 1,000,000\n",
        )


def test_the_option_goes_before_its_twin(monkeypatch):
    monkeypatch.setenv("SUDOKU_PIPELINE_MAX_SOLUTIONS", "1")
    assert run("count", "six.txt", "--max-solutions", "2")[1] == ">=2\n"


def test_a_file_that_is_too_large_is_invalid():
    code, _, said = run("solve", "--max-bytes", "10", "two.txt")
    assert code == 1
    assert said.startswith("two.txt: expected at most 10 bytes (--max-bytes), found 20 bytes")


@pytest.mark.parametrize("name", ["-x.txt", "a b.txt", "ré数独.txt", "a.b.c.txt", "n" * 200])
def test_files_of_any_name_are_solved(name, tmp_path):
    (tmp_path / name).write_text(UNIQUE)
    assert run("count", "--", name) == (0, "1\n", "")


@pytest.mark.parametrize("command", ["solve", "count", "encode", "decode", "certify"])
def test_help_has_examples(command):
    code, printed, _ = run(command, "--help")
    assert code == 0
    assert printed.count(f"sudoku-pipeline {command} ") >= 1


@pytest.mark.parametrize("arguments", [["solve"], ["count"], ["certify", "two.txt"], ["nonsense"]])
def test_a_command_that_lacks_something_is_a_usage_error(arguments):
    assert run(*arguments)[0] == 2


MANY = "1.....2..3.....4\n12............1.\nx\n"


def test_solve_prints_a_line_for_each_puzzle_of_a_collection_and_goes_on(tmp_path):
    (tmp_path / "many.txt").write_text(MANY)
    code, printed, _ = run("solve", "many.txt", "unique.txt")
    first, second, third, *rest = printed.splitlines()
    assert code == 1
    assert first == "many.txt:1: unique 1243342143122134"
    assert second.startswith("many.txt:2: multiple 12")
    assert third.startswith("many.txt:3: invalid: many.txt:3:1: expected a row")
    assert rest[0] == "unique.txt: unique"


def test_archives_and_folders_are_solved_by_their_members(tmp_path):
    (tmp_path / "set.zip").write_bytes(zip_of(("a.txt", UNIQUE), ("b/many.txt", MANY)))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "set.zip").write_bytes((tmp_path / "set.zip").read_bytes())
    for name, before in (("set.zip", "set.zip/"), ("folder", "folder/set.zip/")):
        code, printed, _ = run("solve", name)
        assert code == 1
        starts = [line.split(": ")[0] for line in printed.splitlines()]
        assert starts == [
            f"{before}{each}" for each in ("a.txt", *(f"b/many.txt:{n}" for n in (1, 2, 3)))
        ]


def test_count_counts_each_puzzle_of_a_collection(tmp_path):
    (tmp_path / "many.txt").write_text("1.....2..3.....4\n1...............\n")
    assert run("count", "--max-solutions", "20", "many.txt") == (
        0,
        "many.txt:1: 1\nmany.txt:2: >=20\n",
        "",
    )
    (tmp_path / "many.txt").write_text(MANY)
    code, printed, said = run("count", "many.txt")
    assert (code, printed.splitlines()[0]) == (1, "many.txt:1: 1")
    assert said.startswith("many.txt:3: invalid: many.txt:3:1: expected a row")


def test_many_puzzles_are_not_drawn(tmp_path):
    (tmp_path / "many.txt").write_text(MANY)
    code, _, said = run("solve", "--svg", "out.svg", "many.txt")
    assert (code, "many puzzles" in said) == (2, True)


def test_names_in_an_archive_command_no_terminal_and_forge_no_line(puzzle_folder):
    name = "a\x1b]0;owned\x07\nfake.txt: unique 1.txt"
    (puzzle_folder / "evil.zip").write_bytes(zip_of((name, UNIQUE)))
    for command in (["solve"], ["solve", "--times"], ["count"]):
        code, printed, said = run(*command, "evil.zip")
        assert code == 0
        assert not re.search(r"[\x00-\x09\x0b-\x1f]|^fake", printed + said, re.MULTILINE)


def test_the_json_of_an_invalid_file_is_that_of_its_record(puzzle_folder):
    printed = run("solve", "--json", "bad.txt")[1]
    assert json.loads(printed)["message"] == "bad.txt:3:3: expected a digit or a blank, found 'q'"


def test_json_has_the_record_and_the_texts_of_the_solutions(puzzle_folder):
    code, printed, said = run("solve", "--json", "unique.txt", "two.txt")
    one, two = map(json.loads, printed.splitlines())
    assert (code, said) == (0, "")
    assert (one["source"], one["status"], one["texts"]) == ("unique.txt", "unique", [SOLVED])
    assert one["certificate"]["complete"] == "proved"
    assert (two["status"], two["solutions"], len(two["texts"])) == ("multiple", 2, 2)


def test_what_is_only_claimed_is_said_of_each_of_many(puzzle_folder):
    (puzzle_folder / "lines.txt").write_text("1.....2..3.....4\n" * 2)
    printed = run("solve", "--trust-solver", "lines.txt")[1]
    assert printed.count("only claimed: --trust-solver") == 2
