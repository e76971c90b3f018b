"""`proof`: the formula and the refutation of a published claim, and what it says where none is."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.cases import for_each
from support.commands import run
from support.drop_folders import DropFolder
from support.outboxes import (
    ONE,
    OTHER_GRID,
    Outbox,
    checked,
    copied,
    dropped,
    formula_in,
    in_a_line,
    packed,
    shared,
)
from support.puzzles import HARD, NINE, NONE, TWO, pattern

from pipeline.certify.formula import proof_formula
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle

LETTERS = pattern(Geometry(4, 4))
LETTERED = "".join(
    "." if cell % 5 == 0 else "123456789ABCDEFG"[value - 1]
    for cell, value in enumerate(LETTERS.values)
)
UNSATISFIABLE = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n"
LINES = f"{in_a_line(ONE)}{in_a_line(TWO)}{in_a_line(NONE)}hello there\n{'.' * 16}\n{NINE}\n"
FILES = {
    "one.txt": ONE,
    "two.txt": TWO,
    "hard.txt": f"{HARD}\n",
    "bad.txt": "1...\n..2.\n.3q.\n...4\n",
    "none.cnf": UNSATISFIABLE,
    "some.cnf": "p cnf 1 1\n1 0\n",
    "lines.txt": LINES,
    "letters.txt": f"{LETTERED}\n{LETTERED}\n",
    "tree/sub/one.txt": ONE,
    "tree/lines.txt": LINES,
    "set.zip": packed(("sub/one.txt", ONE), ("sub/lines.txt", LINES), ("none.cnf", UNSATISFIABLE)),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return shared(tmp_path_factory, "claims", lambda folder: dropped(folder, FILES))


@dataclass(frozen=True)
class Desk:
    """An outbox, and a folder for proofs."""

    outbox: Outbox
    folder: Path

    def proof(self, line: str) -> tuple[int, str, str]:
        """Exit code and output of `proof` with the name of a record or table, and options."""
        name, *more = line.split()
        inbox = ("--inbox", str(self.outbox.box.inbox), "-o", str(self.folder))
        return run("proof", str(self.outbox.path(name)), *more, *inbox)

    def said(self, line: str, expected: int = 1) -> str:
        """The message of a proof that writes nothing, and exits with 1, or 2 for a wrong use."""
        code, printed, said = self.proof(line)
        assert (code, printed, self.written()) == (expected, "", set())
        return said

    def written(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()} if self.folder.exists() else set()

    def elsewhere(self) -> Desk:
        return Desk(self.outbox, self.folder.with_name("elsewhere"))


def files_of(*stems: str) -> set[str]:
    return {f"{stem}.proof.{end}" for stem in stems for end in ("cnf", "drat", "lrat")}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def desk(original, tmp_path):
    return Desk(copied(original, tmp_path), tmp_path / "proofs")


# What is written


def test_a_record_has_a_formula_and_a_refutation(desk):
    code, printed, said = desk.proof("one.json")
    where = f"{desk.folder}/one.proof"
    names = f"{where}.cnf, {where}.drat, {where}.lrat"
    told = f"one.json: unique: 1 step, 64 variables, 389 clauses: {names}\n"
    assert (code, printed, said, desk.written()) == (0, told, "", files_of("one"))
    assert formula_in(desk.folder, "one") == desk.outbox.formula("one")
    assert checked(desk.folder, "one") == 1
    before = {path: path.stat().st_mtime_ns for path in desk.folder.iterdir()}
    assert desk.proof("one.json")[0] == 0
    assert {path: path.stat().st_mtime_ns for path in desk.folder.iterdir()} == before


def test_hard_puzzles_several_solutions_and_formulas_are_proved_too(desk):
    for name in ("hard", "two", "none"):
        assert desk.proof(f"{name}.json")[0] == 0
    assert checked(desk.folder, "hard") > 1
    assert formula_in(desk.folder, "two") == desk.outbox.formula("two")
    assert (desk.folder / "none.proof.cnf").read_text() == UNSATISFIABLE
    assert checked(desk.folder, "none")


def test_rows_that_are_named_have_files_each(desk):
    code, printed, said = desk.proof("lines.csv 6 2 2")
    assert (code, said) == (0, "")
    beginnings = ["lines.csv: row 2: multip", "lines.csv: row 6: unique"]
    assert [line[:24] for line in printed.splitlines()] == beginnings
    assert desk.written() == files_of("lines_2", "lines_6")
    assert formula_in(desk.folder, "lines_2") == desk.outbox.formula("two")
    assert formula_in(desk.folder, "lines_6").variables == 729


@pytest.mark.parametrize("name", ["lines.csv", "lines.json", "set/sub/lines.csv", "tree/lines.csv"])
def test_without_indices_all_rows_that_are_complete_are_proved(desk, name):
    code, printed, said = desk.proof(name)
    assert (code, said) == (0, "")
    rows = [line.split(": ")[1:3] for line in printed.splitlines()]
    statuses = ["unique", "multiple", "unsolvable", "unique"]
    assert rows == [[f"row {n}", s] for n, s in zip((1, 2, 3, 6), statuses, strict=True)]
    for index in (1, 2, 3, 6):
        assert checked(desk.folder, f"lines_{index}")


@pytest.mark.parametrize("stem", ["set/sub/one", "set/none", "tree/sub/one"])
def test_a_member_of_an_archive_is_proved_as_one_that_is_alone(desk, stem):
    alone, there = stem.rpartition("/")[2], desk.elsewhere()
    assert (desk.proof(f"{stem}.json")[0], there.proof(f"{alone}.json")[0]) == (0, 0)
    assert contents(there.folder) == contents(desk.folder)


def test_of_folders_that_were_dropped_again_the_right_one_is_taken(desk):
    done = desk.outbox.box.inbox / "done"
    (done / "2").mkdir()
    (done / "tree").rename(done / "2" / "tree")
    (done / "tree" / "sub").mkdir(parents=True)
    (done / "tree" / "lines.txt").write_text(f"{in_a_line(NONE)}{LINES}")
    (done / "tree" / "sub" / "one.txt").write_text(TWO)
    for name in ("tree/sub/one.json", "tree/lines.csv"):
        assert desk.proof(name)[::2] == (0, "")
    assert formula_in(desk.folder, "one") == desk.outbox.formula("one")


def test_a_row_in_letters_is_proved(desk):
    assert desk.proof("letters.csv 2")[::2] == (0, "")
    without = proof_formula(parse_puzzle(LETTERED), []).clauses
    (excluded,) = formula_in(desk.folder, "letters_2").clauses[len(without) :]
    values = [(-literal - 1) % 16 + 1 for literal in excluded]
    assert values == [*LETTERS.values]


def test_what_was_declared_of_the_notation_holds(tmp_path):
    text = ONE.replace(".", "*", 3)
    dropped(tmp_path, {"one.txt": text}, "--variant", "classic")
    desk = Desk(Outbox(DropFolder(tmp_path / "inbox", tmp_path / "outbox")), tmp_path / "proofs")
    assert desk.proof("one.json")[0] == 0
    assert formula_in(desk.folder, "one").clauses == (
        *proof_formula(parse_puzzle(ONE), []).clauses,
        formula_in(desk.folder, "one").clauses[-1],
    )


def test_the_working_folder_is_the_default(desk, monkeypatch):
    desk.folder.mkdir()
    monkeypatch.chdir(desk.folder)
    inbox = ("--inbox", str(desk.outbox.box.inbox), "--quiet")
    assert run("proof", str(desk.outbox.path("one.json")), *inbox) == (0, "", "")
    assert desk.written() == files_of("one")


# Where it writes


@pytest.mark.parametrize("ending", ["cnf", "drat", "lrat"])
def test_something_else_is_not_overwritten(desk, ending):
    desk.folder.mkdir()
    mine = desk.folder / f"one.proof.{ending}"
    mine.write_text("mine")
    said = f"sudoku-pipeline: {mine} exists with other content; remove it, or name another folder\n"
    assert desk.proof("one.json") == (2, "", said)
    assert contents(desk.folder) == {mine.name: b"mine"}


@pytest.mark.parametrize("inside", ["", "set", "set/sub"])
def test_nothing_is_written_among_published_results(desk, inside):
    before = {*desk.outbox.folder.rglob("*")}
    there = Desk(desk.outbox, desk.outbox.folder / inside)
    code, _, said = there.proof("set/sub/one.json")
    assert code == 2
    assert "is reserved for published results; name another folder" in said
    assert {*desk.outbox.folder.rglob("*")} == before


# Claims that are false


@pytest.mark.parametrize("name", ["two.json", "lines.csv"])
def test_a_claim_that_is_false_is_told_with_another_solution(desk, name):
    if name == "two.json":
        desk.outbox.remove("two_2.solution", "two")
        desk.outbox.edit("two", status="unique", solutions=1)
    else:
        desk.outbox.set_row("lines.csv", "lines", 2, status="unique", solutions="1")
        desk.outbox.change_line("lines_2.solution", "lines", 2, "." * 16)
    (kept,) = desk.outbox.path("two_1.solution").read_text().split("\n\n")
    code, printed, said = desk.proof(f"{name} 2" if name == "lines.csv" else name)
    assert (code, said, desk.written()) == (1, "", set())
    first, *rows = printed.splitlines()
    assert first.startswith("BAD  ")
    assert first.endswith("recorded as unique, but there is another solution:")
    shown = "".join(rows)
    assert shown != in_a_line(kept).strip()
    puzzle = "".join(TWO.split())
    assert all(given in (".", sign) for given, sign in zip(puzzle, shown, strict=True))


def test_a_model_that_is_missing_is_told(desk):
    desk.outbox.edit("some", status="unsolvable", solutions=0, complete=True)
    desk.outbox.remove("some_1.solution", "some")
    code, printed, _ = desk.proof("some.json")
    assert (code, desk.written()) == (1, set())
    assert printed.endswith("there is another model:\ns SATISFIABLE\nv 1 0\n")
    code, printed, said = desk.proof("some.json --json")
    (told,) = map(json.loads, printed.splitlines())
    assert (code, said, told["proved"], told["files"]) == (1, "", False, [])
    assert told["reason"] == "recorded as unsolvable, but there is another model"
    assert told["other_solution"] == "s SATISFIABLE\nv 1 0\n"


def test_one_row_that_is_false_keeps_the_others_from_nothing(desk):
    desk.outbox.set_row("lines.csv", "lines", 2, status="unique", solutions="1")
    desk.outbox.change_line("lines_2.solution", "lines", 2, "." * 16)
    desk.outbox.change_line("lines_1.solution", "lines", 1, "1234341221434321")
    code, printed, said = desk.proof("lines.csv")
    assert code == 1
    assert "lines.csv: row 1: the grid of lines_1.solution is not a solution: row" in said
    assert "BAD  lines.csv: row 2: recorded as unique" in printed
    assert desk.written() == files_of("lines_3", "lines_6")


# What is no claim, or cannot be proved

NO_CLAIM = "nothing to prove: the record does not state that all solutions are listed (status"
ARCHIVE = "set.json belongs to an archive; give the record or table of a member in set/"


@for_each(
    ("line", "code", "said"),
    [
        ("bad.json", 1, f"bad.json: {NO_CLAIM} inv"),
        ("some.json", 1, f"some.json: {NO_CLAIM} so"),
        ("else.json", 1, "else.json: no such record"),
        ("else.csv", 1, "else.json: no such record"),
        ("lines.csv 4", 1, f"lines.csv: row 4: {NO_CLAIM}"),
        ("lines.csv 5", 1, f"lines.csv: row 5: {NO_CLAIM}"),
        ("one.json --max-bytes 8", 1, "expected at most 8 bytes (--max-bytes)"),
        (
            *("hard.json --timeout 0.001", 1),
            "hard.json: not proved: the time limit of 0.001 s was reached",
        ),
        ("one_1.solution", 2, "expected a record, NAME.json, or a table, NAME.csv"),
        ("one.json 1", 2, "one.json is a single puzzle; leave out INDEX"),
        ("lines.csv 0", 2, "INDEX: expected 1 or more, found 0"),
        (f"lines.csv {10**30}", 2, f"lines.csv has no row {10**30}: it has 6 rows"),
        ("lines.csv 2 7 9", 2, "lines.csv has no row 7: it has 6 rows"),
        ("set.json", 2, ARCHIVE),
        ("set.csv 1", 2, ARCHIVE),
        ("lines.csv two", 2, "INDEX: expected"),
        ("one.json --originals nowhere", 2, "--originals nowhere: no such folder"),
    ],
)
def test_a_wrong_use_and_what_claims_nothing_are_told(desk, line, code, said):
    assert said in desk.said(line, code)


def test_a_folder_to_write_to_and_pysat_must_be_there(desk, monkeypatch):
    assert "no such folder" in Desk(desk.outbox, desk.folder / "deeper").said("one.json", 2)
    monkeypatch.setattr("pipeline.solving.solvers.pysat.find_spec", lambda _name: None)
    assert "PySAT, which makes proofs, is not installed" in desk.said("one.json", 2)


def test_more_rows_than_are_taken_at_once_have_to_be_named(desk):
    rows = desk.outbox.rows("lines.csv")
    more = [rows[0], *([str(n), *rows[1][1:]] for n in range(1, 1202))]
    with desk.outbox.path("lines.csv").open("w") as file:
        csv.writer(file, lineterminator="\n").writerows(more)
    said = desk.said("lines.csv", 2)
    assert "lines.csv: 1,201 rows are complete, more than the 1,000 allowed at once" in said
    assert "give some INDEX arguments" in said
    assert desk.proof("lines.csv 1")[0] == 0


def test_a_record_or_a_solution_that_is_none_is_told(desk):
    desk.outbox.write("one_1.solution", OTHER_GRID, "one")
    assert "one.json: the grid of one_1.solution is not a solution: row 1" in desk.said("one.json")
    desk.outbox.path("one_1.solution").unlink()
    assert "one.json: the record counts 1 solution, found 0" in desk.said("one.json")
    desk.outbox.path("one.json").write_text("{}")
    assert "one.json: it is not a record of schema 2" in desk.said("one.json")


@pytest.mark.parametrize("name", ["one.json", "set/sub/one.json"])
def test_without_its_original_a_record_is_not_proved(desk, name):
    shutil.rmtree(desk.outbox.box.inbox / "done")
    (desk.outbox.box.inbox / "done").mkdir()
    dropped_as = "set.zip" if "/" in name else "one.txt"
    assert (
        f"its original '{dropped_as}' was not found; give its folder with --originals"
        in desk.said(name)
    )


@pytest.mark.parametrize("name", ["lines.csv", "set/sub/lines.csv"])
def test_without_its_original_a_row_is_proved_as_it_stands_in_the_table(desk, name):
    assert desk.proof(name)[0] == 0
    there = desk.elsewhere()
    shutil.rmtree(desk.outbox.box.inbox / "done")
    code, _, said = there.proof(name)
    gone = "set.zip" if "/" in name else "lines.txt"
    told = f"lines.csv: its original '{gone}' was not found: the puzzles were read from the table\n"
    assert (code, said) == (0, told)
    assert contents(there.folder) == contents(desk.folder)


@pytest.mark.parametrize("name", ["one.json", "lines.csv", "set/sub/one.json"])
def test_another_original_is_not_proved(desk, name):
    stem = name.partition(".")[0].partition("/")[0]
    (path,) = (desk.outbox.box.inbox / "done").glob(f"{stem}.*")
    path.write_bytes(path.read_bytes() + b"\n")
    assert "is not the original of this record" in desk.said(name)


def test_originals_may_be_elsewhere(desk):
    done = desk.outbox.box.inbox / "done"
    moved = done.rename(desk.outbox.folder.parent / "elsewhere")
    assert desk.proof(f"set/sub/lines.csv 1 --originals {moved}")[0] == 0


@pytest.mark.parametrize("name", ["one.json", "tree/sub/one.json", "set/sub/one.json"])
def test_originals_are_found_beside_the_outbox(desk, name, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert run("proof", str(desk.outbox.path(name)), "-o", str(desk.folder))[::2] == (0, "")
