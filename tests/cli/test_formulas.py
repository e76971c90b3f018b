"""`encode`, `decode` and `certify`: a puzzle out to any solver, and its answer back."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest
from pysat.solvers import Minisat22
from support.commands import FIRST, SOLVED, run, start
from support.needs import needs_minisat
from support.oracle import is_solution
from support.solvers import every_encoding
from support.solving import PATIENCE, UNIQUE, digits, holed, pattern

from pipeline import Geometry, Grid, Puzzle, parse_puzzle, render_puzzle
from pipeline.solving.encode import ENCODINGS

pytestmark = pytest.mark.usefixtures("puzzle_folder")


def minisat(cnf: str, result: str) -> int:
    command = ["minisat", "-verb=0", cnf, result]
    return subprocess.run(command, check=False, capture_output=True).returncode


def result_of(dimacs: str, style: str = "minisat") -> str:
    """What a solver writes of a DIMACS text."""
    lines = [line for line in dimacs.splitlines() if line[0] not in "cp"]
    with Minisat22(bootstrap_with=[[*map(int, line.split())][:-1] for line in lines]) as engine:
        if not engine.solve():
            return "UNSAT\n" if style == "minisat" else "s UNSATISFIABLE\n"
        model = " ".join(map(str, engine.get_model()))
    return f"SAT\n{model} 0\n" if style == "minisat" else f"c x\ns SATISFIABLE\nv {model}\nv 0\n"


@needs_minisat
@pytest.mark.parametrize(
    ("encoding", "numbering"), [*product(ENCODINGS, ["dense"]), ("extended", "decimal")]
)
def test_minisat_solves_the_empty_grid_and_decode_reads_its_result(encoding, numbering):
    how = ["--empty", "3x3", "--encoding", encoding, "--numbering", numbering]
    assert run("encode", *how, "-o", "empty.cnf") == (0, "", "")
    assert minisat("empty.cnf", "empty.out") == 10
    code, printed, said = run("decode", *how, "empty.out")
    assert (code, said) == (0, "")
    rows = printed.splitlines()
    assert [len(row) for row in rows] == [9] * 9
    geometry = Geometry(3, 3)
    grid = Grid(geometry, tuple(int(digit) for row in rows for digit in row))
    assert is_solution(Puzzle.empty(geometry), grid)


def test_the_textbook_encoding_of_the_empty_grid_has_3159_clauses_of_digits():
    how = ["--encoding", "textbook", "--numbering", "decimal"]
    code, printed, _ = run("encode", "--empty", "3x3", *how)
    lines = [line for line in printed.splitlines() if not line.startswith("c")]
    assert code == 0
    assert lines[0] == "p cnf 999 3159"
    assert len(lines) == 3160
    assert lines[1] == "111 121 131 141 151 161 171 181 191 0"
    assert lines[-1] == "-998 -999 0"


@pytest.mark.parametrize(
    ("encoding", "header"),
    [
        ("textbook", "p cnf 729 3159"),
        ("minimal", "p cnf 729 8829"),
        ("extended", "p cnf 729 11988"),
        ("reduced", "p cnf 729 11988"),
    ],
)
def test_the_header_of_the_empty_grid_counts_variables_and_clauses(encoding, header):
    _, printed, _ = run("encode", "--empty", "3x3", "--encoding", encoding)
    comments = printed.split("p cnf")[0].splitlines()
    assert header in printed.splitlines()
    assert comments
    assert all(line.startswith("c ") for line in comments)
    assert encoding in comments[0]


def test_encode_is_extended_if_not_told_otherwise_not_even_by_the_solvers_default():
    assert run("encode", "two.txt") == run("encode", "two.txt", "--encoding", "extended")


def test_encode_writes_the_same_to_a_file_as_to_standard_output():
    assert run("encode", "boxes.txt", "-o", "boxes.cnf") == (0, "", "")
    assert (0, Path("boxes.cnf").read_text(), "") == run("encode", "boxes.txt")
    assert run("encode", "boxes.txt", "-o", "-") == run("encode", "boxes.txt")


@pytest.mark.parametrize("style", ["minisat", "competition"])
@every_encoding
def test_decode_reads_the_result_of_an_encoded_puzzle(encoding, style):
    _, dimacs, _ = run("encode", "unique.txt", "--encoding", encoding)
    Path("out").write_text(result_of(dimacs, style))
    assert run("decode", "unique.txt", "out", "--encoding", encoding) == (0, SOLVED, "")


def test_decode_takes_the_result_from_standard_input():
    _, dimacs, _ = run("encode", "boxes.txt")
    code, printed, _ = run("decode", "boxes.txt", "-", given=result_of(dimacs))
    assert (code, printed) == (0, "2 2\n1 2 4 3\n3 4 2 1\n4 3 1 2\n2 1 3 4\n")


def test_decode_says_no_solution_where_there_is_none():
    _, dimacs, _ = run("encode", "none.txt")
    assert run("decode", "none.txt", "-", given=result_of(dimacs)) == (0, "no solution\n", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("INDET\n", "the solver gave up"),
        ("", "found an empty result"),
        ("SAT\n1 2\n", "not ended by 0"),
        ("SAT\n1 0\n", "row 1, column 2 without a value"),
        ("SAT\n1 2 0\n", "row 1, column 1 two values, 1 and 2"),
        ("hello\n", "found 'hello'"),
    ],
)
def test_decode_says_what_is_wrong_with_a_result(text, why):
    code, printed, said = run("decode", "unique.txt", "-", given=text)
    assert (code, printed) == (1, "")
    assert why in said
    assert said.startswith("<stdin>: ")
    Path("out\x07").write_text(text)
    assert said.replace("<stdin>", "out\\x07") == run("decode", "unique.txt", "out\x07")[2]


def test_decode_prints_no_grid_that_is_no_solution_of_the_puzzle():
    _, dimacs, _ = run("encode", "other.txt")
    code, printed, said = run("decode", "unique.txt", "-", given=result_of(dimacs))
    assert (code, printed) == (1, "")
    assert "not a solution of this puzzle" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["encode"],
        ["encode", "two.txt", "--empty", "2x2"],
        ["encode", "--empty", "3"],
        ["encode", "--empty", "0x3"],
        ["encode", "--empty", "17x17"],
        ["encode", "--empty", "4x4", "--numbering", "decimal"],
        ["encode", "two.txt", "--encoding", "shortest"],
        ["decode", "two.txt"],
        ["decode", "--empty", "2x2", "two.txt", "out"],
        ["decode", "--empty", "big", "out"],
        ["decode", "-", "-"],
        ["decode", "--empty", "2x2", "-", "-"],
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(arguments):
    code, printed, said = run(*arguments)
    assert (code, printed) == (2, "")
    assert said


@pytest.mark.parametrize("command", [["encode", "no.txt"], ["decode", "no.txt", "two.txt"]])
def test_a_file_that_is_not_there_is_named(command):
    assert run(*command) == (
        1,
        "",
        "no.txt: cannot be read: No such file or directory\n",
    )


def test_a_full_disk_is_the_environments_failure():
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    code, _, said = run("encode", "two.txt", "-o", str(full))
    assert code == 75
    assert "No space left on device" in said


@pytest.mark.parametrize("solution", ["solved.txt", "-"])
def test_certify_finds_a_solution_valid(solution):
    assert run("certify", "unique.txt", solution, given=SOLVED) == (0, "valid\n", "")


def test_certify_checks_the_model_of_a_formula(puzzle_folder):
    (puzzle_folder / "a.cnf").write_text("p cnf 2 2\n1 2 0\n-1 0\n")
    (puzzle_folder / "good").write_text("s SATISFIABLE\nv -1 2 0\n")
    (puzzle_folder / "wrong").write_text("s SATISFIABLE\nv 1 2 0\n")
    assert run("certify", "a.cnf", "good") == (0, "valid\n", "")
    assert run("certify", "a.cnf", "wrong") == (1, "clause 2 is not satisfied\n", "")
    code, printed, _ = run("certify", "a.cnf", "unique.txt")
    assert (code, printed) == (1, "unique.txt: expected a line 's SATISFIABLE'\n")


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_a_formula_is_no_puzzle(command, puzzle_folder):
    (puzzle_folder / "a.cnf").write_text("p cnf 2 2\n1 2 0\n-1 0\n")
    files = ["a.cnf", "a.cnf"] if command == "decode" else ["a.cnf"]
    code, printed, said = run(command, *files)
    assert (code, printed) == (1, "")
    assert said == "a.cnf: expected a puzzle, found a formula\n"


def test_certify_takes_the_puzzle_from_standard_input_and_any_notation():
    Path("line").write_text(SOLVED.replace("\n", ""))
    Path("boxes").write_text("2 2\n" + " ".join("".join(SOLVED.split())))
    code, printed, _ = run("certify", "-", "line", "boxes", given=UNIQUE)
    assert (code, printed) == (0, "line: valid\nboxes: valid\n")


def test_certify_prints_every_violation_with_its_cells():
    violations = [
        "column 3 holds 2 twice: row 2, column 3 and row 3, column 3",
        "column 4 holds 1 twice: row 2, column 4 and row 3, column 4",
    ]
    code, printed, _ = run("certify", "unique.txt", "wrong.txt")
    assert (code, printed.splitlines()) == (1, violations)


def test_certify_tells_several_solutions_apart_by_name():
    code, printed, _ = run("certify", "unique.txt", "solved.txt", "other.txt", "two.txt", "bad.txt")
    names = [line.split(":")[0] for line in printed.splitlines()]
    assert all(line.count(".txt") == 1 for line in printed.splitlines()), "each names its file once"
    assert code == 1
    assert names == ["solved.txt", "other.txt", "other.txt", "other.txt", "two.txt", "bad.txt"]
    assert "solved.txt: valid\n" in printed
    assert "other.txt: row 2, column 3 holds 1, given as 2\n" in printed
    assert "row 1, column 3 is not filled" in printed


def test_certify_sees_a_mark_that_is_not_obeyed():
    Path("marked").write_text("1*..\n....\n....\n....\n")
    code, printed, _ = run("certify", "marked", "-", given=FIRST)
    assert code == 1
    assert "row 1, column 4 holds 4, marked odd" in printed.splitlines()


def test_certify_tells_a_grid_of_another_size():
    Path("six").write_text(digits(pattern(Geometry(2, 3))))
    code, printed, _ = run("certify", "unique.txt", "six")
    assert (code, printed) == (1, "the puzzle has boxes of 2×2, the grid of 2×3\n")


def test_certify_names_a_file_that_it_cannot_read_once():
    for names in (["bad.txt"], ["no.txt"], ["two.txt"], ["bad.txt", "no.txt", "two.txt"]):
        code, printed, _ = run("certify", "unique.txt", *names)
        assert code == 1
        assert [
            line.count(name) for line, name in zip(printed.splitlines(), names, strict=True)
        ] == [1] * len(names)


def test_certify_of_what_is_no_puzzle_says_where():
    code, printed, said = run("certify", "bad.txt", "solved.txt")
    assert (code, printed) == (1, "")
    assert said.startswith("bad.txt:3:3: expected ")


@pytest.mark.parametrize("size", [(2, 3), (3, 4), (4, 4), (5, 5), (1, 7)], ids=str)
def test_box_size_puzzles_of_other_sizes_are_solved_and_their_solutions_certified(size):
    geometry = Geometry(*size)
    puzzle = holed(pattern(geometry), every=2)
    Path("big").write_text("c made up\n" + render_puzzle(puzzle, "boxes"))
    code, printed, _ = run("solve", "--max-solutions", "1", "big")
    verdict, _, solution = printed.partition("\n")
    assert (code, verdict) in ((0, "unique"), (0, "multiple: 1 solution and more"))
    assert solution.startswith(f"{size[0]} {size[1]}\n")
    Path("big_1.solution").write_text(solution)
    assert run("certify", "big", "big_1.solution") == (0, "valid\n", "")


@pytest.mark.parametrize("size", [(2, 3), (4, 4), (1, 7)], ids=str)
def test_empty_grids_of_other_sizes_go_out_and_come_back(size):
    empty = ["--empty", "x".join(map(str, size)), "--encoding", "reduced"]
    _, dimacs, _ = run("encode", *empty)
    code, printed, said = run("decode", *empty, "-", given=result_of(dimacs))
    assert (code, said) == (0, "")
    puzzle = parse_puzzle(printed)
    grid = Grid(Geometry(*size), tuple(value for _, value in puzzle.givens()))
    assert is_solution(Puzzle.empty(Geometry(*size)), grid)


def test_the_commands_work_as_processes_through_pipes():
    """encode, minisat in between, decode, certify: as in a shell."""
    with start("encode", "-", "--encoding", "minimal", stdin=subprocess.PIPE) as encode:
        dimacs, said = encode.communicate(UNIQUE, timeout=PATIENCE)
    assert (encode.returncode, said) == (0, "")
    how = ["--encoding", "minimal"]
    with start("decode", "unique.txt", "-", *how, stdin=subprocess.PIPE) as decode:
        grid, _ = decode.communicate(result_of(dimacs), timeout=PATIENCE)
    assert (decode.returncode, grid) == (0, SOLVED)
    with start("certify", "two.txt", "-", stdin=subprocess.PIPE) as certify:
        printed, _ = certify.communicate(grid, timeout=PATIENCE)
    assert certify.returncode == 1
    assert "given as 2" in printed
