"""`bench`: solvers side by side, in a table as text, as CSV and in LaTeX."""

from __future__ import annotations

import csv
import io
import signal
from pathlib import Path

import pytest
from support.archives import zip_of
from support.commands import run, start
from support.needs import needs_minisat
from support.puzzles import PATIENCE, UNIQUE, pigeons

from pipeline import dimacs_lines

pytestmark = pytest.mark.usefixtures("puzzle_folder")

ENGINES = "glucose4,minisat22"
CLASH = "p cnf 1 2\n1 0\n-1 0\n"


def hard(holes: int) -> str:
    """A formula that takes long."""
    return "".join(dimacs_lines(pigeons(holes)))


def rows_of(*arguments: str) -> list[dict[str, str]]:
    """The rows of a table in CSV, if all went well."""
    code, printed, said = run("bench", "--to", "csv", *arguments)
    assert (code, said) == (0, "")
    return [*csv.DictReader(io.StringIO(printed))]


@needs_minisat
def test_each_solver_has_the_seconds_for_each_puzzle_and_formula():
    Path("clash.cnf").write_text(CLASH)
    rows = rows_of("unique.txt", "clash.cnf", "--solvers", f"minisat,{ENGINES},cadical195")
    told = [[row[name] for name in ("name", "variables", "clauses", "status")] for row in rows]
    assert told == [["unique.txt", "64", "452", "solved"], ["clash.cnf", "1", "2", "unsolvable"]]
    for row in rows:
        assert [*row][4:] == ["minisat", "glucose4", "minisat22", "cadical195"]
        assert all(0 <= float(row[solver]) < PATIENCE for solver in [*row][4:])


def test_unique_also_asks_whether_there_is_another_solution():
    rows = rows_of("unique.txt", "two.txt", "none.txt", "--unique", "--solvers", ENGINES)
    assert [row["status"] for row in rows] == ["unique", "multiple", "unsolvable"]


def test_the_encoding_is_a_choice():
    sizes = [
        rows_of("unique.txt", "--solvers", "glucose4", "--encoding", name)[0]["clauses"]
        for name in ("minimal", "extended")
    ]
    assert int(sizes[0]) < int(sizes[1]) == 452


def test_collections_and_archives_have_a_row_for_each_puzzle():
    line = UNIQUE.replace("\n", "")
    Path("many.txt").write_text(f"{line}\n{line[::-1]}\n")
    Path("all.zip").write_bytes(zip_of(("in/a.txt", UNIQUE)))
    rows = rows_of("many.txt", "all.zip", "--solvers", "glucose4")
    assert [row["name"] for row in rows] == ["many.txt:1", "many.txt:2", "all.zip/in/a.txt"]


def test_the_table_as_text_ends_with_totals_and_medians():
    code, printed, said = run("bench", "unique.txt", "two.txt", "--solvers", ENGINES)
    words = [line.split() for line in printed.splitlines() if line.split()]
    assert (code, said) == (0, "")
    assert words[0] == ["name", "variables", "clauses", "status", "glucose4", "minisat22"]
    assert words[-3] == ["answered", "(of", "2)", "2", "2"]
    assert [words[-2][0], words[-1][0]] == ["total", "median"]
    seconds = [float(row[4]) for row in words[2:4]]
    assert float(words[-2][1]) == pytest.approx(sum(seconds), abs=0.0002)
    assert float(words[-1][1]) == pytest.approx(sum(seconds) / 2, abs=0.0002)


def test_latex_has_its_special_characters_escaped():
    Path("a_b&50%~^{x}$#.txt").write_text(UNIQUE)
    code, printed, _ = run("bench", "a_b&50%~^{x}$#.txt", "--to", "latex", "--solvers", "glucose4")
    lines = printed.splitlines()
    name = r"a\_b\&50\%\textasciitilde{}\textasciicircum{}\{x\}\$\#.txt"
    assert (code, lines[0], lines[-1]) == (0, r"\begin{tabular}{lrrlr}", r"\end{tabular}")
    assert lines[4].startswith(f"{name} & 64 & 452 & solved & ")
    assert all(line.count(" & ") == 4 for line in lines if line.endswith(r" \\"))


def test_a_solver_out_of_time_has_that_in_its_cell_and_the_run_goes_on():
    Path("hard.cnf").write_text(hard(10))
    solvers = ["--solvers", "minisat22,glucose4", "--timeout", "1"]
    code, printed, _ = run("bench", "--to", "csv", "hard.cnf", "unique.txt", *solvers)
    first, second = csv.DictReader(io.StringIO(printed))
    assert (code, first["minisat22"], first["glucose4"]) == (1, "timeout", "timeout")
    assert (first["status"], second["status"]) == ("unknown", "solved")


def test_what_cannot_be_read_is_named_with_its_line_and_has_no_row():
    Path("many.txt").write_text("1.....2..3.....4\n1...............\nx\n")
    code, printed, said = run("bench", "many.txt", "--to", "csv", "--solvers", "glucose4")
    assert (code, len(printed.splitlines())) == (1, 3)
    assert said == "many.txt:3:1: expected a row of 4, 6, 8 or 9 cells, found 1 cell\n"
    assert run("bench", "no.txt", "--solvers", "glucose4")[:2] == (1, "")


@pytest.mark.parametrize("solvers", ["glucose5", "", "glucose4,glucose4"])
def test_solvers_that_there_are_not_are_refused(solvers):
    code, printed, said = run("bench", "unique.txt", "--solvers", solvers)
    assert (code, printed, said != "") == (2, "", True)
    assert solvers != "glucose5" or "expected one of minisat, cadical103, " in said


def test_a_minisat_that_is_not_there_is_said_at_once():
    code, printed, said = run("bench", "unique.txt", "--minisat", "/no/minisat")
    assert (code, printed, "minisat is not installed" in said) == (2, "", True)


def test_ctrl_c_prints_what_there_is():
    Path("hard.cnf").write_text(hard(13))
    solvers = ["--solvers", "minisat22", "--timeout", "1h"]
    with start("bench", "--to", "latex", "unique.txt", "hard.cnf", *solvers) as process:
        begun = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=PATIENCE)
    assert begun[-1].startswith("unique.txt & ")
    assert printed.startswith("\\hline\nanswered (of 1) &")
    assert printed.endswith("\\end{tabular}\n")
    assert (process.returncode, said) == (75, "interrupted\n")
