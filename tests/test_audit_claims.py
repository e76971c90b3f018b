"""Why there is no solution, where solutions differ, what was asked, and how it is written."""

from __future__ import annotations

import json
import lzma
from itertools import product

import pytest
from auditing import ONE, call, copied, in_a_line, made, packed
from solving import NONE, SIX, TWO

from pipeline.audit.explanations import audit_conflict, audit_difference
from pipeline.audit.findings import Report, Terms
from pipeline.published.schema import Cell, Clue, Difference, PuzzleRecord, Value
from pipeline.puzzle import Geometry, Grid, Puzzle

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


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    outbox = made(tmp_path_factory.mktemp("claims"), FILES, "--encoding", "extended")
    for stem in ("none", "set/a/none"):  # a busy machine may have been too slow to find it
        outbox.edit(stem, conflict=CONFLICT, conflict_minimal=True)
    return outbox


@pytest.fixture
def outbox(original, tmp_path):
    return copied(original, tmp_path)


def forget(outbox, stem, *fields):
    """Remove some fields of a record."""
    left = {name: value for name, value in outbox.record(stem).items() if name not in fields}
    (outbox.folder / f"{stem}.json").write_text(json.dumps(left))


def test_what_was_published_passes(outbox):
    findings = outbox.findings()
    assert {each.name: each.problems + each.gaps for each in findings.values()} == {
        name.partition(".")[0]: () for name in FILES
    }


CONFLICTS = {
    "removed": (None, "none is told"),
    "empty": ([], "expected clues"),
    "no clue": ([{"row": 1, "column": 1}], "cells, each with row, column and value"),
    "two in a clue": ([{"row": 1, "column": 1, "value": 1, "mark": "even"}], "expected clues"),
    "outside": ([{"row": 5, "column": 1, "value": 1}], "1 in row 5, column 1 is no cell"),
    "twice": ([{"row": 1, "column": 1, "value": 1}] * 2, "row 1, column 1 is named twice"),
    "not given": ([{"row": 1, "column": 1, "value": 2}], "does not have 2 in row 1, column 1"),
    "no mark": ([{"row": 1, "column": 1, "mark": "odd"}], "does not have odd in row 1, column 1"),
    "no value": ([{"row": 1, "column": 1, "mark": "0 or x"}], "does not have 0 or x in row 1"),
    "satisfiable": ([{"row": 1, "column": 1, "value": 1}], "a grid that has all of its clues"),
}


@pytest.mark.parametrize(("conflict", "said"), CONFLICTS.values(), ids=CONFLICTS)
@pytest.mark.parametrize("stem", ["none", "set/a/none"])
def test_another_conflict_is_found(outbox, stem, conflict, said):
    outbox.edit(stem, conflict=conflict)
    problems = outbox.problems(stem.partition("/")[0])
    assert any("conflict: " in each and said in each for each in problems), problems


@pytest.mark.parametrize("stem", ["none", "set/a/none"])
def test_a_conflict_without_its_clues_is_found(outbox, stem):
    clues = outbox.record(stem)["conflict"]
    top = stem.partition("/")[0]
    for left_out in range(len(clues)):
        outbox.edit(stem, conflict=clues[:left_out] + clues[left_out + 1 :])
        (said,) = outbox.problems(top)
        assert said.endswith("conflict: there is a grid that has all of its clues")
    forget(outbox, stem, "conflict")
    assert outbox.problems(top)[0].endswith("conflict: none is told")
    forget(outbox, stem, "conflict", "conflict_minimal")
    assert outbox.problems(top)[0].endswith("conflict: none is told")


def test_a_conflict_that_is_not_minimal_is_found(outbox):
    clues = outbox.record("none")["conflict"]
    (more,) = [
        {"row": row, "column": column, "value": int(sign)}
        for row, line in enumerate(NONE.split(), 1)
        for column, sign in enumerate(line, 1)
        if sign != "." and {"row": row, "column": column, "value": int(sign)} not in clues
    ][:1]
    outbox.edit("none", conflict=[*clues, more])
    assert outbox.problems("none")[0].startswith("conflict: it is not minimal: without ")
    forget(outbox, "none", "conflict_minimal")
    assert outbox.problems("none")[0].startswith("conflict: it is not minimal: without ")
    outbox.edit("none", conflict_minimal=False)
    assert outbox.problems("none") == ()


def test_that_no_conflict_was_found_in_time_is_believed_where_that_may_be(outbox):
    outbox.edit("none", conflict=None, conflict_minimal=None)
    finding = outbox.findings()["none"]
    assert (finding.verdict, finding.notes) == ("ok", ("conflict: none was found in time",))
    outbox.edit("clash", conflict=None, conflict_minimal=None)
    said = "conflict: none is told, but the clues of row 1 have no solution together"
    assert outbox.problems("clash") == (said,)


@pytest.mark.parametrize("stem", ["one", "sat", "lines", "set"])
def test_what_explains_nothing_is_found(outbox, stem):
    told = outbox.record("none"), outbox.record("six")
    outbox.edit(stem, conflict=told[0]["conflict"], difference=told[1]["difference"])
    problems = outbox.problems(stem)
    assert "conflict: there should be none" in problems
    assert "difference: there should be none" in problems


def test_a_conflict_is_checked_without_the_original_too(outbox):
    outbox.original("none.txt").unlink()
    outbox.edit("none", conflict=[{"row": 1, "column": 1, "value": 1}])
    (said,) = outbox.findings()["none"].problems
    assert said == "conflict: there is a grid that has all of its clues"


def test_a_conflict_for_which_time_was_not_enough_is_unchecked(outbox):
    finding = outbox.findings(seconds=0.0)["none"]
    assert finding.verdict == "unchecked"
    said = "conflict: it was not checked: time was too short; --timeout gives it longer"
    assert said in finding.gaps
    assert call(outbox, "--timeout", "0.001")[0] in (0, 1)


def conflict_of(puzzle, clues, *, minimal=True, seconds=60.0):
    """What an audit says of a conflict."""
    report = Report()
    terms = Terms(seconds=seconds)
    record = PuzzleRecord(
        job="", source="", status="", files=(), conflict=tuple(clues), conflict_minimal=minimal
    )
    audit_conflict(record, puzzle, puzzle.geometry, terms, report)
    return report.finding("", "")


def test_marks_are_clues_too():
    geometry = Geometry(2, 2)
    low = 0b0011
    cells = {0: low, 1: low, 5: low, 6: geometry.even_values}
    puzzle = Puzzle(geometry, tuple(cells.get(cell, geometry.all_values) for cell in range(16)))
    clues = [
        Clue(row=row, column=column, mark="1 or 2") for row, column in ((1, 1), (1, 2), (2, 2))
    ]
    assert conflict_of(puzzle, clues).verdict == "ok"
    extra = Clue(row=2, column=3, mark="even")
    (said,) = conflict_of(puzzle, [*clues, extra]).problems
    assert said.startswith("conflict: it is not minimal: without even in row 2, column 3 there is")
    assert conflict_of(puzzle, [*clues, extra], minimal=False).verdict == "ok"
    assert conflict_of(puzzle, [extra, *clues[:2]]).problems


def test_the_conflict_of_a_puzzle_that_is_too_large_is_unchecked():
    geometry = Geometry(16, 16)
    cells = [geometry.all_values] * geometry.side**2
    cells[0] = cells[-1] = 1
    clues = [Clue(row=n, column=n, value=1) for n in (1, 256)]
    (said,) = conflict_of(Puzzle(geometry, tuple(cells)), clues).gaps
    assert said == "conflict: it was not checked: sides above 36 are not searched"


def test_a_removed_difference_is_found(outbox):
    for stem in ("six", "set/b/six"):
        forget(outbox, stem, "difference")
        assert (
            outbox.findings()[stem.partition("/")[0]]
            .problems[0]
            .endswith("difference: none is told")
        )


def edit_difference(outbox, **fields):
    outbox.edit("six", difference=outbox.record("six")["difference"] | fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"cells": []}, "is not told, where the solutions differ"),
        ({"cells": 7}, "difference: cells: expected cells, each with row, column"),
        ({"cells": [{"row": 0, "column": 1}]}, "row 0, column 1 is no cell"),
        ({"decisive": []}, "6 solutions with the values that are said to leave one"),
        ({"decisive": [{"row": 1, "column": 1, "value": 2}]}, "0 solutions with the values"),
        ({"decisive": [{"row": 9, "column": 1, "value": 2}]}, "row 9, column 1 is no cell"),
        ({"decisive": [{"row": 1, "column": 1}]}, "each with row, column and value"),
        ({"exact": None}, "difference: exact: expected true or false"),
    ],
)
def test_an_edited_difference_is_found(outbox, fields, said):
    edit_difference(outbox, **fields)
    problems = outbox.problems("six")
    assert any(said in each for each in problems), problems


def test_a_cell_more_and_a_cell_less_of_a_difference_are_found(outbox):
    cells = outbox.record("six")["difference"]["cells"]
    first = "row {row}, column {column}".format(**cells[0])
    edit_difference(outbox, cells=cells[1:])
    assert outbox.problems("six") == (
        f"difference: {first} is not told, where the solutions differ",
    )
    edit_difference(outbox, cells=[*cells, {"row": 1, "column": 1}])
    assert outbox.problems("six") == (
        "difference: row 1, column 1 is told, where all solutions have the same value",
    )
    edit_difference(outbox, cells=[*cells, cells[0]])
    assert outbox.problems("six") == (f"difference: {first} is named twice",)


def test_decisive_values_that_are_needless_are_found(outbox):
    told = outbox.record("six")["difference"]
    assert told["exact"]
    more = {"row": 1, "column": 1, "value": 1}
    edit_difference(outbox, decisive=[more, *told["decisive"]])
    size = len(told["decisive"])
    word = "value" if size == 1 else "values"
    assert outbox.problems("six") == (f"difference: {size} {word} would do to leave one solution",)
    edit_difference(outbox, exact=False)
    assert outbox.problems("six") == ()


def test_how_few_values_leave_one_solution_is_searched_until_time_is_up():
    geometry = Geometry(2, 2)
    grids = [Grid(geometry, (*first, *[1] * 13)) for first in product((1, 2), repeat=3)]
    cells = tuple(Cell(row=1, column=column) for column in (1, 2, 3))
    clues = tuple(Value(row=1, column=column, value=1) for column in (1, 2, 3, 4))
    for decisive, seconds, verdict in (
        (clues[:3], 60.0, "ok"),
        (clues, 60.0, "bad"),
        (clues, 0.0, "unchecked"),
    ):
        report = Report()
        told = Difference(cells=cells, decisive=decisive, exact=True)
        audit_difference(told, grids, Terms(seconds=seconds), report)
        assert report.finding("", "").verdict == verdict


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (None, "encoding: none is told, though the puzzle was encoded"),
        ("extended", "encoding: expected a name"),
        ({"name": "nonsense", "variables": 64, "clauses": 452}, "there is none called 'nonsense'"),
        ({"name": None, "variables": 64, "clauses": 452}, "there is none called 'None'"),
        ({"name": 7, "variables": 64, "clauses": 452}, "encoding: expected a name"),
        ({"name": "minimal", "variables": 64, "clauses": 452}, "where it has 64 and 308"),
        ({"name": "extended", "variables": 7, "clauses": 452}, "where it has 64 and 452"),
        ({"name": "extended", "variables": 64}, "encoding: expected a name, and numbers"),
    ],
)
def test_an_edited_encoding_is_found(outbox, told, said):
    outbox.edit("one", encoding=told)
    problems = outbox.problems("one")
    assert any(said in each for each in problems), problems


def test_the_encoding_of_a_formula_has_its_size_and_no_name(outbox):
    outbox.edit("sat", encoding={"name": None, "variables": 3, "clauses": 7})
    said = "3 variables and 7 clauses in the record, where it has 3 and 2"
    assert outbox.problems("sat") == (f"encoding: {said}",)
    for told in (None, {"name": "reduced", "variables": 3, "clauses": 2}):
        outbox.edit("sat", encoding=told)
        assert outbox.problems("sat")[0].startswith("encoding: expected one of a formula")


@pytest.mark.parametrize("stem", ["lines", "set"])
def test_what_holds_many_puzzles_has_no_encoding(outbox, stem):
    outbox.edit(stem, encoding=outbox.record("one")["encoding"])
    assert outbox.problems(stem) == ("encoding: there should be none",)


def test_the_cnf_that_was_kept_is_in_the_encoding_that_is_told(tmp_path):
    outbox = made(tmp_path, {"six.txt": SIX}, "--keep-cnf")
    assert outbox.problems("six") == ()
    told = outbox.record("six")["encoding"]
    outbox.edit("six", encoding=told | {"clauses": told["clauses"] + 1})
    found = [each.partition(": ")[2].partition(": ")[0] for each in outbox.problems("six")]
    assert found == ["six.cnf", "six_count.cnf"]
    outbox.edit("six", encoding=told | {"name": "minimal"})
    assert "encoding: six.cnf is not in the encoding 'minimal'" in outbox.problems("six")
    outbox.edit("six", encoding=None)
    assert outbox.problems("six") == ("encoding: none is told, though the puzzle was encoded",)


def with_crlf(data):
    return data.replace(b"\n", b"\r\n")


def with_blanks(data):
    return data.replace(b"\n", b" \n")


def without_end(data):
    return data.removesuffix(b"\n")


def with_mark(data):
    return b"\xef\xbb\xbf" + data


def with_a_line(data):
    return data + b"\n"


REWRITTEN = (with_crlf, with_blanks, without_end, with_mark, with_a_line)


@pytest.mark.parametrize("rewrite", REWRITTEN)
@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("one", "one_1.solution"),
        ("boxes", "boxes_1.solution"),
        ("six", "six_3.solution"),
        ("sat", "sat_1.solution"),
        ("lines", "lines_1.solution"),
        ("lines", "lines.csv"),
        ("set/b/six", "set/b/six_2.solution"),
        ("set", "set.csv"),
    ],
)
def test_a_file_that_is_written_otherwise_is_found(outbox, rewrite, stem, name):
    outbox.write(name, rewrite((outbox.folder / name).read_bytes()), stem)
    assert outbox.problems(stem.partition("/")[0])


def test_where_a_solution_is_written_otherwise_is_told(outbox):
    lines = (outbox.folder / "one_1.solution").read_bytes().splitlines(keepends=True)
    outbox.write("one_1.solution", lines[0] + with_crlf(lines[1]) + b"".join(lines[2:]), "one")
    wanted, found = lines[1], with_crlf(lines[1])
    said = f"one_1.solution:2: it is written otherwise: expected {wanted!r}, found {found!r}"
    assert outbox.problems("one") == (said,)


def test_a_line_of_numbers_that_is_written_otherwise_is_found(tmp_path):
    lines = f"{in_a_line(ONE)}1... ...4 ..3. ....\n2 5  {TEN}\n"
    outbox = made(tmp_path, {"numbers.txt": lines}, "--prove", "never")
    good = (outbox.folder / "numbers_1.solution").read_text()
    assert good.endswith(f"{TEN}\n")
    for change in ((" 1 ", " 01 "), (" 1 ", "  1 "), ("\n", " \n")):
        outbox.write("numbers_1.solution", good.replace(*change), "numbers")
        assert outbox.problems("numbers")
    outbox.write("numbers_1.solution", good, "numbers")
    assert outbox.problems("numbers") == ()


STRAY = {
    "garbage": b"hello",
    "zeros": b"\0" * 4,
    "an empty stream": lzma.compress(b""),
    "another stream": lzma.compress(b"0\n"),
}


@pytest.mark.parametrize("stray", STRAY.values(), ids=STRAY)
def test_what_follows_the_proofs_is_found(outbox, stray):
    good = (outbox.folder / "lines.proofs.xz").read_bytes()
    outbox.write("lines.proofs.xz", good + stray, "lines")
    said = "lines.proofs.xz: there is more in it than proofs of rows"
    assert outbox.problems("lines") == (said,)


@pytest.mark.parametrize("stray", STRAY.values(), ids=STRAY)
def test_what_follows_a_packed_proof_is_found(outbox, stray):
    proof = lzma.compress(outbox.proof("none").encode())
    outbox.write("none.proof.drat.xz", proof, "none")
    outbox.remove("none.proof.drat", "none")
    assert outbox.problems("none") == ()
    outbox.write("none.proof.drat.xz", proof + stray, "none")
    assert outbox.problems("none")[0].startswith("none.proof.drat.xz: ")


def test_what_lies_within_the_streams_of_proofs_and_is_none_is_found(outbox):
    good = lzma.decompress((outbox.folder / "lines.proofs.xz").read_bytes())
    outbox.write("lines.proofs.xz", lzma.compress(good + b"0\n"), "lines")
    said = "lines.proofs.xz: there is more in it than proofs of rows"
    assert outbox.problems("lines") == (said,)
    outbox.write("lines.proofs.xz", lzma.compress(b"0\n" + good), "lines")

    def shifted(text):
        head, *rows = (line.split(",") for line in text.splitlines())
        return "".join(
            ",".join(row) + "\n"
            for row in (head, *([*r[:2], str(int(r[2]) + 2), *r[3:]] for r in rows))
        )

    outbox.change("lines.proofs.csv", "lines", shifted)
    assert outbox.problems("lines") == (said,)
