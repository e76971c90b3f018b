"""Single puzzles: an audit passes what was published, and finds everything done to it."""

from __future__ import annotations

import lzma
import os

import pytest
from auditing import EXAMPLES, ONE, SIX_BY_SIX, copied, in_a_line, made
from solving import EVEN_ODD, NONE, SIX, TWO

from pipeline.audit import jobs
from pipeline.certify.formula import Formula
from pipeline.settings import Reading

HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..\n"
FILES = {
    "one.txt": ONE,
    "two.txt": TWO,
    "six.txt": SIX,
    "none.txt": NONE,
    "clash.txt": "11..\n....\n....\n....\n",
    "marks.txt": EVEN_ODD,
    "two-by-three.txt": SIX_BY_SIX,
    "hard.txt": HARD,
    "boxes.txt": "2 2\n1 0 0 0\n0 0 2 0\n0 3 0 0\n0 0 0 4\n",
    "line.txt": in_a_line(ONE),
    "bad.txt": "hello\n",
}
CLAIMS = {
    "bad": "invalid",
    "clash": "unsolvable, proved",
    "none": "unsolvable, proved",
    "two": "multiple, proved",
    "six": "multiple, proved",
}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return made(tmp_path_factory.mktemp("audit"), FILES)


@pytest.fixture
def outbox(original, tmp_path):
    return copied(original, tmp_path)


def test_what_was_published_passes(outbox):
    findings = outbox.findings()
    assert {each.name: each.problems + each.gaps for each in findings.values()} == {
        name.removesuffix(".txt"): () for name in FILES
    }
    claims = {each.name: each.claim for each in findings.values()}
    assert claims == dict.fromkeys(claims, "unique, proved") | CLAIMS


def test_every_example_passes(tmp_path):
    files = {path.name: path.read_bytes() for path in EXAMPLES.iterdir()}
    outbox = made(tmp_path, files)
    findings = outbox.findings()
    assert {each.verdict for each in findings.values()} == {"ok"}
    assert len(findings) == len(files)
    assert findings["even-odd-six-solutions"].claim == "multiple, proved"
    assert findings["hexadecimal"].claim == "unique, proved"


def test_a_changed_digit_is_found(outbox):
    outbox.change("one_1.solution", "one", lambda text: text.replace("1243", "1143"))
    problems = outbox.problems("one")
    assert problems[0].startswith("one_1.solution: row 1 holds 1 twice")
    assert any("one.proof.cnf: clause" in each and "blocks a grid" in each for each in problems)


def test_a_changed_digit_is_found_by_its_hash_alone(outbox):
    path = outbox.folder / "one_1.solution"
    path.write_text("# by me\n" + path.read_text())
    assert "one_1.solution: its sha256 is" in outbox.problems("one")[0]


def test_a_solution_of_another_puzzle_is_found(outbox):
    outbox.write("one_1.solution", "4312\n2134\n1243\n3421\n", "one")
    assert "one_1.solution: row 1, column 1 holds 4, given as 1" in outbox.problems("one")


def test_a_value_that_a_mark_forbids_is_found(outbox):
    outbox.exchange("marks.txt", EVEN_ODD.replace("2.*.*", "2***."), "marks")
    assert any("marked even" in each for each in outbox.problems("marks"))


def test_two_equal_solutions_are_found(outbox):
    first = (outbox.folder / "six_1.solution").read_text()
    outbox.write("six_4.solution", first, "six")
    problems = outbox.problems("six")
    assert "six_4.solution holds the same grid as six_1.solution" in problems
    assert any(each.startswith("six.proof.cnf: cannot be made again") for each in problems)


def test_a_missing_solution_file_is_found(outbox):
    (outbox.folder / "six_3.solution").unlink()
    assert "six_3.solution is listed, and is not there" in outbox.problems("six")


def test_a_solution_file_that_is_no_longer_listed_is_found(outbox):
    outbox.remove("six_3.solution", "six")
    problems = outbox.problems("six")
    assert "six_3.solution is not listed, but six_4.solution is" in problems
    assert "6 solutions in the record, 5 solution files listed" in problems


def test_leaving_a_solution_out_altogether_is_found_by_the_proof(outbox):
    six = (outbox.folder / "six_6.solution").read_text()
    outbox.remove("six_6.solution", "six")
    outbox.edit("six", solutions=5)
    (said,) = [each for each in outbox.problems("six") if "proof.cnf" in each]
    assert said.endswith(f"blocks a grid that was not published: {in_a_line(six).strip()}")
    outbox.write_formula("six", *outbox.formula("six").clauses)
    assert [each.partition(":")[0] for each in outbox.problems("six")] == ["six.proof.drat"]


def test_an_added_solution_file_is_found(outbox):
    (outbox.folder / "one_2.solution").write_text("4312\n2134\n1243\n3421\n")
    assert outbox.problems("one") == ("one_2.solution is there, and is not listed",)


def test_an_added_solution_that_is_listed_and_counted_is_found(outbox):
    outbox.write("one_2.solution", "4312\n2134\n1243\n3421\n", "one")
    outbox.edit("one", solutions=2, status="multiple")
    assert "one_2.solution: row 1, column 1 holds 4, given as 1" in outbox.problems("one")


def test_an_answer_without_a_record_is_found(outbox):
    (outbox.folder / "mine_1.solution").write_text("1243\n3421\n4312\n2134\n")
    said = outbox.problems("mine_1.solution")
    assert said == ("mine_1.solution is there, and no record lists it",)


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("six", {"solutions": 7}, "7 solutions in the record, 6 solution files listed"),
        ("six", {"status": "unique"}, "the status 'unique' does not go with 6 solutions"),
        ("one", {"complete": False}, "the status 'unique' does not go with 1 solution"),
        ("one", {"status": "unsolvable"}, "the status 'unsolvable' does not go with"),
        ("none", {"status": "invalid", "complete": None}, "the original reads as grid"),
        ("none", {"status": "fine"}, "the status 'fine' is unknown"),
        ("one", {"box": [1, 4]}, "the record says grid, classic, boxes of 1×4, the original is"),
        ("one", {"format": "boxes"}, "the record says boxes, classic"),
        ("one", {"bytes": 7}, "7 bytes in the record, the original has 20"),
        ("one", {"sha256": None}, "the record tells no sha256"),
        ("one", {"certificate": {"solutions": "checked", "complete": "no"}}, "complete is 'no'"),
        ("one", {"certificate": None}, "one.proof.cnf is listed, where the certificate says"),
        ("bad", {"status": "collection"}, "the original is no collection of the format None"),
        ("one", {"status": "archive"}, "the original is 'plain'"),
        ("one", {"source": "../one.txt"}, "the source '../one.txt' is no file name"),
        ("one", {"source": 7}, "one.json: source: expected a text"),
        ("one", {"files": [1]}, "one.json: files: expected different names"),
        ("one", {"schema": 2}, "one.json: it is no record of schema 1"),
    ],
)
def test_an_edited_record_is_found(outbox, name, fields, said):
    outbox.edit(name, **fields)
    assert any(said in each for each in outbox.problems(name)), outbox.problems(name)


def test_an_edited_number_of_steps_is_found(outbox):
    outbox.certify("marks", steps=7)
    (said,) = outbox.problems("marks")
    assert said.startswith("marks.proof.drat: the proof has ")
    assert said.endswith(" steps, where 7 are told")


def test_a_record_from_another_puzzle_is_found(outbox):
    (outbox.folder / "one.json").write_text((outbox.folder / "two.json").read_text())
    problems = outbox.problems("one")
    assert "the source is 'two.txt': its set would be called 'two'" in problems
    assert "two_1.solution is listed, and is none of this job's names" in problems
    assert "one_1.solution is there, and is not listed" in problems


def test_a_record_that_is_fitted_to_another_puzzle_is_found(outbox):
    theirs = outbox.record("line")
    told = {name: theirs[name] for name in ("sha256", "bytes", "format", "certificate")}
    outbox.edit("six", **told)
    assert any("has another sha256" in each for each in outbox.problems("six"))


def test_a_proof_cut_short_is_found(outbox):
    text = outbox.proof("hard").splitlines(keepends=True)
    assert len(text) > 1, "it takes more than propagation"
    outbox.write("hard.proof.drat", "".join(text[:-1]), "hard")
    (said,) = outbox.problems("hard")
    assert said.startswith("hard.proof.drat: the proof ends after")
    outbox.write("hard.proof.drat", text[-1], "hard")
    assert "line 1: 0 does not follow by unit propagation" in outbox.problems("hard")[0]
    outbox.write("hard.proof.drat", "", "hard")
    assert "the proof ends after 0 steps" in outbox.problems("hard")[0]
    outbox.write("hard.proof.drat", "hello\n", "hard")
    assert "line 1: expected a step of a proof" in outbox.problems("hard")[0]


def test_a_proof_of_another_puzzle_is_found(outbox):
    for ending in ("cnf", "drat"):
        theirs = (outbox.folder / f"two.proof.{ending}").read_text()
        outbox.write(f"six.proof.{ending}", theirs, "six")
    outbox.certify("six", steps=outbox.record("two")["certificate"]["steps"])
    problems = outbox.problems("six")
    assert problems[0].startswith("six.proof.cnf: clause ")
    assert problems[1].startswith("six.proof.drat: line 1: ")


def test_a_proof_of_a_puzzle_of_another_size_is_found(outbox):
    for ending in ("cnf", "drat"):
        theirs = (outbox.folder / f"one.proof.{ending}").read_text()
        outbox.write(f"marks.proof.{ending}", theirs, "marks")
    assert outbox.problems("marks")[0] == ("marks.proof.cnf: it has 64 variables instead of 729")


@pytest.mark.parametrize("name", ["one", "none", "six", "marks", "two-by-three"])
def test_a_removed_clause_is_found(outbox, name):
    *clauses, last = outbox.formula(name).clauses
    outbox.write_formula(name, *clauses)
    number = len(clauses) + 1
    assert outbox.problems(name)[0].startswith(f"{name}.proof.cnf: clause {number} is missing")
    outbox.write_formula(name, *clauses[:9], *clauses[10:], last)
    shown = " ".join(map(str, clauses[9]))
    assert outbox.problems(name) == (f"{name}.proof.cnf: clause 10 is missing: '{shown} 0'",)


def test_an_added_clause_is_found(outbox):
    clauses = outbox.formula("one").clauses
    outbox.write_formula("one", *clauses[:20], (-1, 64), *clauses[20:])
    assert outbox.problems("one") == ("one.proof.cnf: clause 21 is added: '-1 64 0'",)
    outbox.write_formula("one", *clauses, ())
    number = len(clauses) + 1
    assert outbox.problems("one") == (f"one.proof.cnf: clause {number} is added: '0'",)


def test_a_changed_clause_is_found(outbox):
    first, *clauses = outbox.formula("one").clauses
    outbox.write_formula("one", (*first[:-1], 64), *clauses)
    said = "one.proof.cnf: clause 1 is added: '1 2 3 64 0', instead of '1 2 3 4 0'"
    assert outbox.problems("one") == (said,)
    outbox.write_formula("one", *clauses, first)
    assert outbox.problems("one") == ("one.proof.cnf: clause 1 is not in its place",)


def test_a_clause_that_blocks_an_unpublished_grid_is_found(outbox):
    clauses = outbox.formula("one").clauses
    unpublished = "4312213412433421"
    block = tuple(-(cell * 4 + int(value)) for cell, value in enumerate(unpublished))
    outbox.write_formula("one", *clauses, block)
    number = len(clauses) + 1
    said = f"clause {number} blocks a grid that was not published: {unpublished}"
    assert outbox.problems("one") == (f"one.proof.cnf: {said}",)


def test_a_formula_with_the_same_clauses_in_other_words_is_found(outbox):
    outbox.change("one.proof.cnf", "one", lambda text: "c mine\n" + text)
    (said,) = outbox.problems("one")
    assert said.startswith("one.proof.cnf: line 1: expected 'p cnf")


def test_missing_proof_files_are_found(outbox):
    outbox.remove("one.proof.cnf", "one")
    said = "proved by one.proof.cnf and one.proof.drat, but one.proof.drat is listed"
    assert outbox.problems("one") == (said,)
    outbox.remove("one.proof.drat", "one")
    assert "but nothing is listed" in outbox.problems("one")[0]
    outbox.certify("one", complete="claimed")
    assert outbox.problems("one") == ()
    (outbox.folder / "two.proof.drat").unlink()
    assert outbox.problems("two") == ("two.proof.drat is listed, and is not there",)


def test_a_packed_proof_is_checked_too(outbox):
    text = outbox.proof("hard").encode()
    outbox.write("hard.proof.drat.xz", lzma.compress(text), "hard")
    outbox.remove("hard.proof.drat", "hard")
    assert outbox.problems("hard") == ()
    outbox.write("hard.proof.drat.xz", lzma.compress(text)[:-9], "hard")
    assert outbox.problems("hard")[0] == "hard.proof.drat.xz: it ends too early: it is cut off"
    outbox.write("hard.proof.drat.xz", lzma.compress(b"1" * 70_000_000), "hard")
    assert outbox.problems("hard")[0].startswith("hard.proof.drat.xz: ")


def test_a_proof_for_which_time_was_not_enough_is_unchecked(outbox):
    finding = outbox.findings(seconds=0.0)["hard"]
    assert finding.verdict == "unchecked"
    assert finding.gaps == (
        "hard.proof.drat: the proof was not checked within 0 s; --timeout gives it longer",
    )


def test_an_exchanged_original_is_found(outbox):
    outbox.original("one.txt").write_text(SIX)
    (said, *_) = outbox.problems("one")
    assert said.endswith("done/one.txt has another sha256 than the record tells")


def test_an_exchanged_original_is_found_whatever_the_record_says(outbox):
    outbox.exchange("one.txt", "4...\n..3.\n.2..\n...1\n", "one")
    problems = outbox.problems("one")
    assert "one_1.solution: row 1, column 1 holds 1, given as 4" in problems
    assert any(each.startswith("one.proof.cnf: clause") for each in problems)


def test_an_original_with_one_given_less_is_found_by_the_proof(outbox):
    outbox.exchange("one.txt", ONE.replace("4", "."), "one")
    assert {each.partition(":")[0] for each in outbox.problems("one")} == {
        "one.proof.cnf",
        "one.proof.drat",
    }


def test_an_original_that_is_no_puzzle_is_found(outbox):
    outbox.exchange("one.txt", "hello\n", "one")
    assert outbox.problems("one")[0].startswith("the original is no puzzle: one.txt:1:1: expected")


def test_the_right_one_of_several_originals_is_taken(outbox):
    outbox.box.drop("one.txt", SIX)
    outbox.box.run("--settle", "0", "--prove", "always")
    assert outbox.box.kept("done") >= {"one.txt", "2/one.txt"}
    assert outbox.findings()["one"].claim == "multiple, proved"
    assert outbox.problems("one") == ()


def test_a_link_in_place_of_a_file_is_not_followed(outbox):
    path = outbox.folder / "one_1.solution"
    aside = path.rename(outbox.folder.parent / "aside")
    path.symlink_to(aside)
    assert "one_1.solution: cannot be read" in outbox.problems("one")[0]
    (outbox.folder / "two.json").unlink()
    os.mkfifo(outbox.folder / "two.json")
    assert "two.json: it cannot be read" in outbox.findings()["two"].problems[0]


def test_a_job_is_unchecked_without_its_original_and_still_looked_at(outbox):
    outbox.original("one.txt").unlink()
    outbox.original("two.txt").unlink()
    outbox.write("two_1.solution", "1111\n1111\n1111\n1111\n", "two")
    findings = outbox.findings()
    assert (findings["one"].verdict, findings["one"].claim) == ("unchecked", "unique, proved")
    assert findings["one"].gaps == ("its original 'one.txt' is gone: nothing to compare it with",)
    assert findings["two"].verdict == "bad"
    assert findings["two"].problems[0].startswith("two_1.solution: row 1 holds 1 twice")


def test_a_set_that_is_replaced_meanwhile_is_looked_at_again(outbox, monkeypatch):
    def replacing(published, source, beside, report):
        monkeypatch.undo()
        report.bad("a file of the earlier set is gone")
        outbox.edit("bad", version="0")

    monkeypatch.setattr(jobs, "audit_files", replacing)
    assert outbox.problems("bad") == ()


def test_a_log_that_was_pruned_is_not_missed(outbox):
    (outbox.folder / "one.log").unlink()
    assert outbox.problems("one") == ()


def test_what_was_declared_is_read_so_again(tmp_path):
    text = "1*..\n..2.\n.3..\n...4\n"
    outbox = made(tmp_path, {"stars.txt": text}, "--variant", "classic")
    assert outbox.record("stars")["variant"] == "classic"
    finding = outbox.findings()["stars"]
    assert (finding.verdict, finding.claim) == ("ok", "unique, proved")
    assert finding.notes == ("read as classic, as the record says",)


def test_the_cnf_of_a_job_may_be_called_like_anothers_formula(tmp_path):
    outbox = made(tmp_path, {"a.proof.txt": ONE}, "--keep-cnf")
    assert (outbox.folder / "a.proof.cnf").exists()
    assert outbox.problems("a.proof") == ()


SATISFIABLE = "c odd\np cnf 3 3\n1 -1 2 0 1 1 2 0\n-1 3 0\n"
UNSATISFIABLE = "p cnf 2 5\n1 2 2 0\n1 -2 0\n-1 2 0\n-1 -2 0 1 -1 0\n"


@pytest.fixture(scope="module")
def formulas(tmp_path_factory):
    files = {"sat.cnf": SATISFIABLE, "unsat.cnf": UNSATISFIABLE}
    return made(tmp_path_factory.mktemp("formulas"), files)


def test_formulas_pass(formulas):
    claims = {each.name: each.claim for each in formulas.findings().values()}
    assert claims == {"sat": "solved", "unsat": "unsolvable, proved"}
    assert formulas.problems("sat") == formulas.problems("unsat") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s SATISFIABLE\nv 1 2 -3 0\n", "sat_1.solution: clause 3 of the original is not"),
        ("s SATISFIABLE\nv 1 3 0\n", "sat_1.solution: expected a literal for each variable"),
        ("s SATISFIABLE\nv 1 2 3\n", "sat_1.solution: expected a literal for each variable"),
        ("s UNSATISFIABLE\n", "sat_1.solution: expected a line 's SATISFIABLE'"),
        ("s SATISFIABLE\n1 2 3 0\n", "sat_1.solution: expected a line 'v …'"),
        ("s SATISFIABLE\nv 1 x 3 0\n", "sat_1.solution: expected literals and 0"),
    ],
)
def test_a_changed_model_is_found(formulas, tmp_path, text, said):
    outbox = copied(formulas, tmp_path)
    outbox.write("sat_1.solution", text, "sat")
    assert outbox.problems("sat")[0].startswith(said)


def test_a_formula_that_is_said_to_be_none_is_found(formulas, tmp_path):
    outbox = copied(formulas, tmp_path)
    outbox.edit("unsat", status="invalid", complete=None)
    said = "the status is 'invalid', but the original reads as a formula"
    assert said in outbox.problems("unsat")
    outbox.exchange("unsat.cnf", "p cnf 1 1\n1 x 0\n", "unsat")
    assert said not in outbox.problems("unsat")
    assert said not in outbox.problems("unsat", reading=Reading(format="cnf"))


def test_a_clause_added_to_a_refuted_formula_is_found(formulas, tmp_path):
    outbox = copied(formulas, tmp_path)
    clauses = ((1, 2), (1, -2), (-1, 2), (-1, -2))
    text = "".join(Formula(2, (*clauses, (1,))).text())
    outbox.write("unsat.proof.cnf", text, "unsat")
    assert outbox.problems("unsat") == ("unsat.proof.cnf: clause 5 is added: '1 0'",)
    outbox.write("unsat.proof.cnf", "".join(Formula(2, clauses).text()), "unsat")
    assert outbox.problems("unsat") == ()
    outbox.exchange("unsat.cnf", UNSATISFIABLE.replace("-1 2 0", "1 2 0"), "unsat")
    assert outbox.problems("unsat")[1].startswith("unsat.proof.drat: line ")
