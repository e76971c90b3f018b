"""`encode`, `decode` and `certify`: a puzzle out to any solver, and its answer back."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest
from pysat.solvers import Minisat22
from support.archives import zip_of
from support.cases import for_each
from support.commands import SOLVED, run, start
from support.needs import needs_minisat
from support.oracle import is_solution
from support.puzzles import PATIENCE, UNIQUE, digits, holed, pattern
from support.solvers import every_encoding

from pipeline import Geometry, Grid, Puzzle, parse_puzzle, render_puzzle
from pipeline.solving.encode import ENCODINGS

pytestmark = pytest.mark.usefixtures("puzzle_folder")

FORMULA = "p cnf 2 2\n1 2 0\n-1 0\n"
NINE = Geometry(3, 3)


def result_of(dimacs: str, style: str = "minisat") -> str:
    """The result file of a solver for a DIMACS text."""
    lines = [line for line in dimacs.splitlines() if line[0] not in "cp"]
    with Minisat22(bootstrap_with=[[*map(int, line.split())][:-1] for line in lines]) as engine:
        if not engine.solve():
            return "UNSAT\n" if style == "minisat" else "s UNSATISFIABLE\n"
        model = " ".join(map(str, engine.get_model()))
    return f"SAT\n{model} 0\n" if style == "minisat" else f"c x\ns SATISFIABLE\nv {model}\nv 0\n"


# encode and decode


@needs_minisat
@pytest.mark.parametrize(
    ("encoding", "numbering"), [*product(ENCODINGS, ["dense"]), ("extended", "decimal")]
)
def test_minisat_solves_the_empty_grid_and_decode_reads_its_result(encoding, numbering):
    how = ["--empty", "3x3", "--encoding", encoding, "--numbering", numbering]
    assert run("encode", *how, "-o", "empty.cnf") == (0, "", "")
    command = ["minisat", "-verb=0", "empty.cnf", "empty.out"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 10
    code, printed, said = run("decode", *how, "empty.out")
    rows = printed.splitlines()
    assert (code, said, [len(row) for row in rows]) == (0, "", [9] * 9)
    grid = Grid(NINE, tuple(int(digit) for row in rows for digit in row))
    assert is_solution(Puzzle.empty(NINE), grid)


def test_the_textbook_encoding_of_the_empty_grid_has_3159_clauses_of_digits():
    how = ["--encoding", "textbook", "--numbering", "decimal"]
    code, printed, _ = run("encode", "--empty", "3x3", *how)
    lines = [line for line in printed.splitlines() if not line.startswith("c")]
    assert (code, lines[0], len(lines)) == (0, "p cnf 999 3159", 3160)
    assert (lines[1], lines[-1]) == ("111 121 131 141 151 161 171 181 191 0", "-998 -999 0")


@pytest.mark.parametrize(
    ("encoding", "clauses"),
    [("textbook", 3159), ("minimal", 8829), ("extended", 11988), ("reduced", 11988)],
)
def test_the_header_of_the_empty_grid_counts_variables_and_clauses(encoding, clauses):
    _, printed, _ = run("encode", "--empty", "3x3", "--encoding", encoding)
    comments = printed.split("p cnf")[0].splitlines()
    assert f"p cnf 729 {clauses}" in printed.splitlines()
    assert all(line.startswith("c ") for line in comments)
    assert encoding in comments[0]


def test_encode_is_extended_by_default_and_writes_the_same_to_a_file():
    assert run("encode", "two.txt") == run("encode", "two.txt", "--encoding", "extended")
    assert run("encode", "boxes.txt", "-o", "boxes.cnf") == (0, "", "")
    assert (0, Path("boxes.cnf").read_text(), "") == run("encode", "boxes.txt")
    assert run("encode", "boxes.txt", "-o", "-") == run("encode", "boxes.txt")


@pytest.mark.parametrize("style", ["minisat", "competition"])
@every_encoding
def test_decode_reads_the_result_of_an_encoded_puzzle(encoding, style):
    _, dimacs, _ = run("encode", "unique.txt", "--encoding", encoding)
    Path("out").write_text(result_of(dimacs, style))
    assert run("decode", "unique.txt", "out", "--encoding", encoding) == (0, SOLVED, "")


@pytest.mark.parametrize(
    ("file", "printed"),
    [("boxes.txt", "2 2\n1 2 4 3\n3 4 2 1\n4 3 1 2\n2 1 3 4\n"), ("none.txt", "no solution\n")],
)
def test_decode_takes_the_result_from_standard_input(file, printed):
    _, dimacs, _ = run("encode", file)
    assert run("decode", file, "-", given=result_of(dimacs)) == (0, printed, "")


def test_decode_prints_no_grid_that_is_no_solution_of_the_puzzle():
    _, dimacs, _ = run("encode", "other.txt")
    code, printed, said = run("decode", "unique.txt", "-", given=result_of(dimacs))
    assert (code, printed, "not a solution of this puzzle" in said) == (1, "", True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("INDET\n", "the solver gave up"),
        ("", "found an empty result"),
        ("SAT\n1 2\n", "does not end with 0"),
        ("SAT\n1 0\n", "row 1, column 2 without a value"),
        ("SAT\n1 2 0\n", "row 1, column 1 two values, 1 and 2"),
        ("hello\n", "found 'hello'"),
    ],
)
def test_decode_says_what_is_wrong_with_a_result(text, why):
    code, printed, said = run("decode", "unique.txt", "-", given=text)
    assert (code, printed, said[:9], why in said) == (1, "", "<stdin>: ", True)
    Path("out\x07").write_text(text)
    assert said.replace("<stdin>", "out\\x07") == run("decode", "unique.txt", "out\x07")[2]


@for_each(
    "line",
    [
        "encode",
        "encode two.txt --empty 2x2",
        "encode two.txt six.txt",
        "encode two.txt six.txt -o two.cnf",
        "encode two.txt -o no/where/",
        "encode two.txt -o six.txt/",
        "encode --empty 3",
        "encode --empty 0x3",
        "encode --empty 17x17",
        "encode --empty 4x4 --numbering decimal",
        "encode two.txt --encoding shortest",
        "decode two.txt",
        "decode --empty 2x2 two.txt out",
        "decode --empty big out",
        "decode - -",
        "decode --empty 2x2 - -",
    ],
)
def test_a_command_without_a_meaning_is_a_usage_error(line):
    code, printed, said = run(*line.split())
    assert (code, printed, said != "") == (2, "", True)


def test_a_file_that_is_no_puzzle_or_not_there_is_named(puzzle_folder):
    (puzzle_folder / "a.cnf").write_text(FORMULA)
    for command in (["encode"], ["decode", "two.txt"]):
        command.insert(1, "no.txt")
        said = "no.txt: cannot be read: No such file or directory\n"
        assert run(*command) == (1, "", said)
        command[1] = "a.cnf"
        assert run(*command) == (1, "", "a.cnf: expected a puzzle, found a formula\n")


def test_a_full_disk_is_the_environments_failure():
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    code, _, said = run("encode", "two.txt", "-o", str(full))
    assert (code, "No space left on device" in said) == (75, True)


@pytest.mark.parametrize("size", [(2, 3), (4, 4), (1, 7)], ids=str)
def test_empty_grids_of_other_sizes_go_out_and_come_back(size):
    empty = ["--empty", "x".join(map(str, size)), "--encoding", "reduced"]
    _, dimacs, _ = run("encode", *empty)
    code, printed, said = run("decode", *empty, "-", given=result_of(dimacs))
    assert (code, said) == (0, "")
    grid = Grid(Geometry(*size), tuple(value for _, value in parse_puzzle(printed).givens()))
    assert is_solution(Puzzle.empty(Geometry(*size)), grid)


# encode to a folder


def test_a_folder_takes_the_formula_of_each_puzzle_named_after_its_source_and_line():
    Path("many.txt").write_text("1.....2..3.....4\n\n1...............\n")
    code, printed, said = run("encode", "many.txt", "two.txt", "-o", "cnf/")
    assert (code, printed, said) == (0, "cnf: 3 formulas\n", "")
    assert sorted(each.name for each in Path("cnf").iterdir()) == [
        *("many-1.cnf", "many-3.cnf", "two.cnf"),
    ]
    assert Path("cnf/two.cnf").read_text() == run("encode", "two.txt")[1]
    assert Path("cnf/many-1.cnf").read_text() == run("encode", "line.txt")[1]
    assert run("encode", "six.txt", "-o", "cnf", "--quiet") == (0, "", "")
    assert Path("cnf/six.cnf").exists()


def test_formulas_that_exist_are_replaced_only_by_force():
    Path("cnf").mkdir()
    Path("cnf/two.cnf").write_text("mine")
    code, _, said = run("encode", "two.txt", "-o", "cnf")
    assert (code, "two.cnf exists" in said, Path("cnf/two.cnf").read_text()) == (2, True, "mine")
    assert run("encode", "two.txt", "-o", "cnf", "--force")[0] == 0
    assert Path("cnf/two.cnf").read_text() == run("encode", "two.txt")[1]


def test_puzzles_that_cannot_be_encoded_are_named_with_file_and_line():
    Path("a.cnf").write_text(FORMULA)
    Path("many.txt").write_text("1.....2..3.....4\nx\n1...............\n")
    Path("large.txt").write_text("." * 256 + "\n")
    how = ["--numbering", "decimal", "-o", "cnf/"]
    code, printed, said = run("encode", "many.txt", "a.cnf", "large.txt", *how)
    assert (code, printed) == (1, "cnf: 2 formulas\n")
    assert [line.split(": ")[0] for line in said.splitlines()] == [
        *("many.txt:2:1", "a.cnf", "large.txt"),
    ]


def test_names_that_strangers_gave_are_made_safe_and_different():
    names = ["../up.txt", "a/x.txt", "b/x.txt", "we ird;$\x07.txt", "l" * 250]
    Path("all.zip").write_bytes(zip_of(*((name, UNIQUE) for name in names)))
    code, _, said = run("encode", "all.zip", "-o", "cnf/")
    assert (code, said) == (1, "all.zip/../up.txt: its name leads out of the archive by '..'\n")
    long, *others = sorted(each.name for each in Path("cnf").iterdir())
    assert others == ["we-ird.cnf", "x-2.cnf", "x.cnf"]
    assert re.fullmatch(r"l{200,}~[0-9a-f]{8}\.cnf", long)


# certify


@for_each(
    ("files", "code", "printed"),
    [
        ("unique.txt solved.txt", 0, "valid\n"),
        ("unique.txt -", 0, "valid\n"),
        ("unique.txt line boxes", 0, "line: valid\nboxes: valid\n"),
        ("a.cnf good", 0, "valid\n"),
        ("a.cnf wrong", 1, "clause 2 is not satisfied\n"),
        ("a.cnf unique.txt", 1, "unique.txt: expected a line 's SATISFIABLE'\n"),
        ("unique.txt six", 1, "the puzzle has boxes of 2×2, the grid of 2×3\n"),
        ("marked.txt other.txt", 1, "row 1, column 4 holds 4, marked odd\n"),
        (
            *("unique.txt wrong.txt", 1),
            "\n".join(
                f"column {c} holds {v} twice: row 2, column {c} and row 3, column {c}"
                for c, v in ((3, 2), (4, 1))
            )
            + "\n",
        ),
    ],
)
def test_certify_prints_every_fault_of_a_solution_or_a_model(files, code, printed):
    for name, text in {
        "line": SOLVED.replace("\n", ""),
        "boxes": "2 2\n" + " ".join("".join(SOLVED.split())),
        "a.cnf": FORMULA,
        "good": "s SATISFIABLE\nv -1 2 0\n",
        "wrong": "s SATISFIABLE\nv 1 2 0\n",
        "six": digits(pattern(Geometry(2, 3))),
        "marked.txt": "1*..\n....\n....\n....\n",
    }.items():
        Path(name).write_text(text)
    found = run("certify", *files.split(), given=SOLVED)
    assert (found[0], found[2]) == (code, "")
    assert found[1] == printed if "marked" not in files else printed in found[1]


def test_certify_tells_several_solutions_apart_by_name():
    files = ["solved.txt", "other.txt", "two.txt", "bad.txt", "no.txt"]
    code, printed, _ = run("certify", "unique.txt", *files)
    names = [line.split(":")[0] for line in printed.splitlines()]
    assert all(line.count(".txt") == 1 for line in printed.splitlines()), "each names its file once"
    assert (code, names) == (1, ["solved.txt", *["other.txt"] * 3, "two.txt", "bad.txt", "no.txt"])
    assert "solved.txt: valid\n" in printed
    assert "other.txt: row 2, column 3 holds 1, given as 2\n" in printed
    assert "row 1, column 3 is empty" in printed
    for name in files[2:]:
        assert run("certify", "unique.txt", name)[1].count(name) == 1


def test_certify_of_what_is_no_puzzle_says_where():
    code, printed, said = run("certify", "bad.txt", "solved.txt")
    assert (code, printed) == (1, "")
    assert said.startswith("bad.txt:3:3: expected ")


@pytest.mark.parametrize("size", [(2, 3), (3, 4), (4, 4), (5, 5), (1, 7)], ids=str)
def test_box_size_puzzles_of_other_sizes_are_solved_and_their_solutions_certified(size):
    puzzle = holed(pattern(Geometry(*size)), every=2)
    Path("big").write_text("c made up\n" + render_puzzle(puzzle, "boxes"))
    code, printed, said = run("solve", "--max-solutions", "1", "big")
    assert code == 0
    assert said.startswith(("big: unique: proved", "big: multiple: at least 2 solutions\n"))
    assert printed.startswith(f"{size[0]} {size[1]}\n")
    Path("big_1.solution").write_text(printed)
    assert run("certify", "big", "big_1.solution") == (0, "valid\n", "")


def test_the_commands_work_as_processes_through_pipes():
    """encode, minisat in between, decode, certify: as in a shell."""

    def piped(given: str, *arguments: str) -> tuple[int, str]:
        with start(*arguments, stdin=subprocess.PIPE) as process:
            printed, _ = process.communicate(given, timeout=PATIENCE)
        return process.returncode, printed

    how = ["--encoding", "minimal"]
    code, dimacs = piped(UNIQUE, "encode", "-", *how)
    assert code == 0
    assert piped(result_of(dimacs), "decode", "unique.txt", "-", *how) == (0, SOLVED)
    code, printed = piped(SOLVED, "certify", "two.txt", "-")
    assert (code, "given as 2" in printed) == (1, True)


def test_a_wrong_header_is_mentioned_and_refused_if_strict(tmp_path):
    Path("short.cnf").write_text("p cnf 3 3\n1 0\n-2 0\n")
    said = "short.cnf: header: 3 clauses declared, found 2\n"
    assert run("solve", "short.cnf", "--solver", "pysat")[::2] == (0, said)
    code, _, said = run("solve", "short.cnf", "--strict")
    assert (code, said.partition("\n")[0]) == (
        1,
        "short.cnf:3:5: expected 3 clauses, as the header says, found 2 clauses",
    )


def test_a_count_says_which_models_differ_in_nothing_but_free_variables():
    Path("free.cnf").write_text("p cnf 4 1\n1 2 0\n")
    code, printed, said = run("count", "free.cnf", "--solver", "pysat")
    assert (code, printed) == (0, "12\n")
    free = "free.cnf: 2 variables are in no clause; models that differ only there count separately"
    assert free in said
    Path("short.cnf").write_text("p cnf 2 2\n1 0\n")
    assert run("count", "short.cnf", "--solver", "pysat")[1] == "<=2\n"
    counted = json.loads(run("count", "--json", "short.cnf", "--solver", "pysat")[1])
    assert counted["message"] == "header: 2 clauses declared, found 1"
