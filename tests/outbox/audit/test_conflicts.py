"""Why there is no solution, where solutions differ, and how tables are written."""

from __future__ import annotations

from itertools import product

import pytest
from support.outboxes import ONE, call, in_a_line, made, packed
from support.puzzles import NONE, SIX, TWO

from pipeline.outbox.audit import AuditOptions
from pipeline.outbox.audit.conflicts import audit_conflict, audit_difference
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.schema import (
    PuzzleRecord,
    RecordedCell,
    RecordedClue,
    RecordedDifference,
    Value,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle

LINES = "".join(map(in_a_line, (ONE, TWO, SIX, NONE)))
TEN = " ".join(
    str((row % 2 * 5 + row // 2 + column) % 10 + 1) for row in range(10) for column in range(10)
)
FILES = {
    "none.txt": NONE,
    "six.txt": SIX,
    "one.txt": ONE,
    "clash.txt": "11..\n....\n....\n2..2\n",
    "lines.txt": LINES,
    "boxes.txt": "2 2\n1 0 0 0\n0 0 2 0\n0 3 0 0\n0 0 0 4\n",
    "sat.cnf": "p cnf 3 2\n1 2 0\n-1 3 0\n",
    "set.zip": packed(("a/none.txt", NONE), ("b/six.txt", SIX)),
}
CONFLICT = [
    {"row": 1, "column": 2, "value": 2},
    {"row": 2, "column": 3, "value": 1},
    {"row": 3, "column": 4, "value": 2},
]


OPTIONS = ("--encoding", "extended")


def prepare(outbox):
    for stem in ("none", "set/a/none"):  # a busy machine may have been too slow to find it
        outbox.edit(stem, conflict=CONFLICT, conflict_minimal=True)


def test_what_was_published_passes(original):
    findings = original.findings()
    assert {each.name: each.problems + each.gaps for each in findings.values()} == {
        name.partition(".")[0]: () for name in FILES
    }


CORNER = {"row": 1, "column": 1}
CONFLICTS = {
    "removed": (None, "missing"),
    "empty": ([], "missing"),
    "no clue": ([CORNER], "a clue has a value or a mark - at `$.conflict[0]`"),
    "two in a clue": ([CORNER | {"value": 1, "mark": "even"}], "a clue has a value or a mark"),
    "outside": ([{"row": 5, "column": 1, "value": 1}], "1 in row 5, column 1 is not in the grid"),
    "twice": ([CORNER | {"value": 1}] * 2, "row 1, column 1 is named twice"),
    "not given": ([CORNER | {"value": 2}], "does not have 2 in row 1, column 1"),
    "no mark": ([CORNER | {"mark": "odd"}], "does not have odd in row 1, column 1"),
    "no value": ([CORNER | {"mark": [0, 5]}], "does not have 0 or 5 in row 1"),
    "no values": ([CORNER | {"mark": []}], "the original does not have "),
    "a sentence": ([CORNER | {"mark": "1 or 4"}], "Invalid enum value '1 or 4'"),
    "satisfiable": (
        [CORNER | {"value": 1}],
        "its clues do not contradict each other: they have a solution",
    ),
}


@pytest.mark.parametrize(("conflict", "said"), CONFLICTS.values(), ids=CONFLICTS)
@pytest.mark.parametrize("stem", ["none", "set/a/none"])
def test_another_conflict_is_found(outbox, stem, conflict, said):
    outbox.edit(stem, conflict=conflict)
    problems = outbox.problems(stem.partition("/")[0])
    assert any("conflict" in each and said in each for each in problems), problems


@pytest.mark.parametrize("stem", ["none", "set/a/none"])
def test_a_conflict_without_its_clues_is_found(outbox, stem):
    top = stem.partition("/")[0]
    for left_out in range(len(CONFLICT)):
        outbox.edit(stem, conflict=CONFLICT[:left_out] + CONFLICT[left_out + 1 :])
        (said,) = outbox.problems(top)
        assert said.endswith(
            "conflict: its clues do not contradict each other: they have a solution"
        )
    for fields in (("conflict",), ("conflict_minimal",)):
        outbox.forget(stem, *fields)
        assert outbox.problems(top)[0].endswith("conflict: missing")


def test_a_conflict_that_is_not_minimal_is_found(outbox):
    clues = outbox.record("none")["conflict"]
    more = next(
        clue
        for row, line in enumerate(NONE.split(), 1)
        for column, sign in enumerate(line, 1)
        if sign != "." and (clue := {"row": row, "column": column, "value": int(sign)}) not in clues
    )
    outbox.edit("none", conflict=[*clues, more])
    assert outbox.problems("none")[0].startswith("conflict: not minimal: without ")
    outbox.forget("none", "conflict_minimal")
    assert outbox.problems("none")[1].startswith("conflict: not minimal: without ")
    outbox.edit("none", conflict_minimal=False)
    assert outbox.problems("none") == ()


def test_that_no_conflict_was_found_in_time_is_believed_where_that_may_be(outbox):
    outbox.edit("none", conflict=None, conflict_minimal=None)
    finding = outbox.finding("none")
    assert (finding.verdict, finding.notes) == ("ok", ("conflict: none was found in time",))
    outbox.edit("clash", conflict=None, conflict_minimal=None)
    said = "conflict: none is recorded, but the clues of row 1 contradict each other"
    assert outbox.problems("clash") == (said,)


@pytest.mark.parametrize("stem", ["one", "sat", "lines", "set"])
def test_what_explains_nothing_is_found(outbox, stem):
    told = outbox.record("none"), outbox.record("six")
    outbox.edit(stem, conflict=told[0]["conflict"], difference=told[1]["difference"])
    problems = outbox.problems(stem)
    why = "unknown field" if stem in ("lines", "set") else "not expected here"
    assert {f"conflict: {why}", f"difference: {why}"} <= {*problems}


def test_a_conflict_is_checked_without_the_original_too(outbox):
    outbox.original("none.txt").unlink()
    outbox.edit("none", conflict=[CORNER | {"value": 1}])
    (said,) = outbox.finding("none").problems
    assert said == "conflict: its clues do not contradict each other: they have a solution"


def test_a_conflict_for_which_time_was_not_enough_is_unchecked(outbox):
    finding = outbox.finding("none", seconds=0.0)
    assert finding.verdict == "unchecked"
    said = "conflict: not checked: time ran out; raise --timeout"
    assert said in finding.gaps
    assert call(outbox, "--timeout", "0.001")[0] in (0, 1)


def conflict_of(puzzle, clues, *, minimal=True):
    """What an audit says of a conflict."""
    report = Findings()
    record = PuzzleRecord(
        job="", source="", status="", files=(), conflict=tuple(clues), conflict_minimal=minimal
    )
    audit_conflict(record, puzzle, puzzle.geometry, report)
    return report.finding("", "")


def test_marks_are_clues_too():
    geometry = Geometry(2, 2)
    low = 0b0011
    cells = {0: low, 1: low, 5: low, 6: geometry.even_values}
    puzzle = Puzzle(geometry, tuple(cells.get(cell, geometry.all_values) for cell in range(16)))
    places = ((1, 1), (1, 2), (2, 2))
    clues = [RecordedClue(row=row, column=column, mark=(1, 2)) for row, column in places]
    assert conflict_of(puzzle, clues).verdict == "ok"
    extra = RecordedClue(row=2, column=3, mark="even")
    (said,) = conflict_of(puzzle, [*clues, extra]).problems
    assert said.startswith("conflict: not minimal: without even in row 2, column 3 there is")
    assert conflict_of(puzzle, [*clues, extra], minimal=False).verdict == "ok"
    assert conflict_of(puzzle, [extra, *clues[:2]]).problems


def test_the_conflict_of_a_puzzle_that_is_too_large_is_unchecked():
    geometry = Geometry(16, 16)
    cells = [geometry.all_values] * geometry.side**2
    cells[0] = cells[-1] = 1
    clues = [RecordedClue(row=n, column=n, value=1) for n in (1, 256)]
    (said,) = conflict_of(Puzzle(geometry, tuple(cells)), clues).gaps
    assert said == "conflict: not checked: grids larger than 49×49 are not searched"


def test_a_removed_difference_is_found(outbox):
    for stem in ("six", "set/b/six"):
        outbox.forget(stem, "difference")
        said = outbox.problems(stem.partition("/")[0])[0]
        assert said.endswith("difference: missing")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"cells": []}, "is not listed, but the solutions differ there"),
        ({"cells": 7}, "Expected `array`, got `int` - at `$.difference.cells`"),
        ({"cells": [{"row": 0, "column": 1}]}, "row 0, column 1 is not in the grid"),
        ({"decisive": []}, "the decisive values leave 6 solutions, not one"),
        ({"decisive": [CORNER | {"value": 2}]}, "the decisive values leave 0 solutions, not one"),
        ({"decisive": [{"row": 9, "column": 1, "value": 2}]}, "row 9, column 1 is not in the grid"),
        ({"decisive": [CORNER]}, "missing required field `value` - at `$.difference.decisive[0]`"),
        ({"exact": None}, "Expected `bool`, got `null` - at `$.difference.exact`"),
    ],
)
def test_an_edited_difference_is_found(outbox, fields, said):
    outbox.edit_in("six", "difference", **fields)
    problems = outbox.problems("six")
    assert any(said in each for each in problems), problems


def test_a_cell_more_and_a_cell_less_of_a_difference_are_found(outbox):
    cells = outbox.record("six")["difference"]["cells"]
    first = "row {row}, column {column}".format(**cells[0])
    for changed, said in (
        (cells[1:], f"{first} is not listed, but the solutions differ there"),
        (
            [*cells, CORNER],
            "row 1, column 1 is listed, but all solutions have the same value there",
        ),
        ([*cells, cells[0]], f"{first} is named twice"),
    ):
        outbox.edit_in("six", "difference", cells=changed)
        assert outbox.problems("six") == (f"difference: {said}",)


def test_decisive_values_that_are_needless_are_found(outbox):
    decisive = outbox.record("six")["difference"]["decisive"]
    needless = [CORNER | {"value": 1}, *decisive]
    outbox.edit_in("six", "difference", decisive=needless, exact=True)
    (said,) = outbox.problems("six")
    assert "exact is true, but" in said
    assert said.endswith(" can leave one solution")
    outbox.edit_in("six", "difference", exact=False)
    assert outbox.problems("six") == ()


def test_how_few_values_leave_one_solution_is_searched_until_time_is_up():
    geometry = Geometry(2, 2)
    grids = [Grid(geometry, (*first, *[1] * 13)) for first in product((1, 2), repeat=3)]
    cells = tuple(RecordedCell(row=1, column=column) for column in (1, 2, 3))
    clues = tuple(Value(row=1, column=column, value=1) for column in (1, 2, 3, 4))
    for decisive, seconds, verdict in (
        (clues[:3], 60.0, "ok"),
        (clues, 60.0, "bad"),
        (clues, 0.0, "unchecked"),
    ):
        report = Findings(AuditOptions(seconds=seconds))
        told = RecordedDifference(cells=cells, decisive=decisive, exact=True)
        audit_difference(told, grids, report)
        assert report.finding("", "").verdict == verdict


REWRITTEN = {
    "CR LF": lambda data: data.replace(b"\n", b"\r\n"),
    "blanks": lambda data: data.replace(b"\n", b" \n"),
    "no end": lambda data: data.removesuffix(b"\n"),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "a line more": lambda data: data + b"\n",
}


@pytest.mark.parametrize("rewrite", REWRITTEN.values(), ids=REWRITTEN)
@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("lines", "lines_1.solution"),
        ("lines", "lines.csv"),
        ("set", "set.csv"),
    ],
)
def test_a_table_or_its_solutions_written_otherwise_are_found(outbox, rewrite, stem, name):
    outbox.write(name, rewrite(outbox.path(name).read_bytes()), stem)
    assert outbox.problems(stem.partition("/")[0])


def test_a_line_of_numbers_in_another_place_is_found(tmp_path):
    lines = f"{in_a_line(ONE)}1... ...4 ..3. ....\n2 5  {TEN}\n"
    outbox = made(tmp_path, {"numbers.txt": lines}, "--prove", "never")
    good = outbox.path("numbers_1.solution").read_text()
    assert good.endswith(f"{TEN}\n")
    for change in ((" 1 ", "  1 "), ("\n", " \n")):
        outbox.write("numbers_1.solution", good.replace(*change), "numbers")
        assert outbox.problems("numbers")
    outbox.write("numbers_1.solution", good, "numbers")
    assert outbox.problems("numbers") == ()
