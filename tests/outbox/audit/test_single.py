"""Single puzzles and formulas: an audit passes what was published, and finds what is done to it."""

from __future__ import annotations

import base64
import lzma
import os

import pytest
from support.outboxes import (
    EXAMPLES,
    ONE,
    OTHER_GRID,
    SIX_BY_SIX,
    Tamper,
    certify,
    change,
    edit,
    exchange,
    in_a_line,
    made,
    remove,
    unlink,
    write,
)
from support.puzzles import EVEN_ODD, HARD, NONE, SIX, TWO

from pipeline.certify.formula import Formula
from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.settings import Settings

SATISFIABLE = "c odd\np cnf 3 3\n1 -1 2 0 1 1 2 0\n-1 3 0\n"
UNSATISFIABLE = "p cnf 2 5\n1 2 2 0\n1 -2 0\n-1 2 0\n-1 -2 0 1 -1 0\n"
FILES = {
    "one.txt": ONE,
    "two.txt": TWO,
    "six.txt": SIX,
    "none.txt": NONE,
    "clash.txt": "11..\n....\n....\n....\n",
    "marks.txt": EVEN_ODD,
    "two-by-three.txt": SIX_BY_SIX,
    "hard.txt": f"{HARD}\n",
    "boxes.txt": "2 2\n1 0 0 0\n0 0 2 0\n0 3 0 0\n0 0 0 4\n",
    "line.txt": in_a_line(ONE),
    "bad.txt": "hello\n",
    "sat.cnf": SATISFIABLE,
    "unsat.cnf": UNSATISFIABLE,
}
CLAIMS = {
    "bad": "invalid",
    "clash": "unsolvable, proved",
    "none": "unsolvable, proved",
    "two": "multiple, proved",
    "six": "multiple, proved",
    "sat": "solved",
    "unsat": "unsolvable, proved",
}


def test_what_was_published_passes(original):
    findings = original.findings()
    assert {each.name: each.problems + each.gaps for each in findings.values()} == {
        name.partition(".")[0]: () for name in FILES
    }
    claims = {each.name: each.claim for each in findings.values()}
    assert claims == dict.fromkeys(claims, "unique, proved") | CLAIMS


def test_every_example_passes(tmp_path):
    files = {path.name: path.read_bytes() for path in EXAMPLES.iterdir()}
    findings = made(tmp_path, files).findings()
    assert {each.verdict for each in findings.values()} == {"ok"}
    assert len(findings) == len(files)
    assert findings["even-odd-six-solutions"].claim == "multiple, proved"
    assert findings["hexadecimal"].claim == "unique, proved"


def leave_out_six(outbox):
    outbox.remove("six_6.solution", "six")
    outbox.edit("six", solutions=5)


def refute_without_six(outbox):
    leave_out_six(outbox)
    outbox.write_formula("six", *outbox.formula("six").clauses)


def add_solution(outbox):
    outbox.write("one_2.solution", OTHER_GRID, "one")
    outbox.edit("one", solutions=2, status="multiple")


def write_comment(outbox):
    path = outbox.path("one_1.solution")
    path.write_text("# by me\n" + path.read_text())


def take_record(outbox):
    outbox.path("one.json").write_text(outbox.path("two.json").read_text())


def fit_to_another(outbox):
    theirs = outbox.record("line")
    names = ("sha256", "bytes", "format", "certificate")
    outbox.edit("six", **{name: theirs[name] for name in names})


def take_proof_of(theirs: str, ours: str) -> Tamper:
    def take(outbox):
        for ending in ("cnf", "drat", "lrat"):
            text = outbox.path(f"{theirs}.proof.{ending}").read_text()
            outbox.write(f"{ours}.proof.{ending}", text, ours)

    return take


def cut_proof(outbox):
    text = outbox.path("hard.proof.lrat").read_text().splitlines(keepends=True)
    assert len(text) > 1, "it takes more than propagation"
    outbox.write("hard.proof.lrat", "".join(text[:-1]), "hard")


def link(outbox):
    path = outbox.path("one_1.solution")
    path.symlink_to(path.rename(outbox.folder.parent / "aside"))


PROOF_OF_ONE = [f"one.proof.{ending}" for ending in ("cnf", "drat", "lrat")]

TAMPERED: list[tuple[str, Tamper, str]] = [
    ("one", change("one_1.solution", "1243", "1143"), "one_1.solution: row 1 holds 1 twice"),
    ("one", change("one_1.solution", "1243", "1143"), "the formula differs at clause"),
    ("one", write_comment, "one_1.solution: its sha256 is"),
    ("one", write("one_1.solution", OTHER_GRID), "row 1, column 1 holds 4, given as 1"),
    ("marks", exchange("marks.txt", EVEN_ODD.replace("2.*.*", "2***.")), "marked even"),
    (
        "six",
        lambda o: o.write("six_4.solution", o.path("six_1.solution").read_text(), "six"),
        "six_4.solution has the same grid as six_1.solution",
    ),
    ("six", unlink("six_3.solution"), "six_3.solution is listed, but missing"),
    ("six", unlink("six_3.solution"), "six.proof.cnf: cannot be recomputed: 1 solution"),
    ("six", remove("six_3.solution"), "six_3.solution is not listed, but six_4.solution is"),
    ("six", leave_out_six, "the formula differs at clause"),
    ("six", refute_without_six, "six.proof.lrat:"),
    ("one", add_solution, "one_2.solution: row 1, column 1 holds 4, given as 1"),
    ("one", write("one_1.solution", "1243\n3421\n4312\n213.\n"), "row 4, column 4 is empty"),
    ("marks", certify("marks", steps=7), "the record says 7"),
    ("one", take_record, "results of source 'two.txt' should be named 'two'"),
    ("one", take_record, "two_1.solution is listed, but is not a file that this job writes"),
    ("six", fit_to_another, "does not have the sha256 in the record"),
    ("hard", cut_proof, "hard.proof.lrat: the proof ends without the empty clause"),
    ("hard", write("hard.proof.lrat", ""), "without the empty clause"),
    ("hard", write("hard.proof.lrat", "99999 0 1 0\n"), "line 1: hint 1 has 9 literals left"),
    ("hard", write("hard.proof.lrat", "0\n"), "line 1: expected a step of a proof"),
    (
        "hard",
        write("hard.proof.drat", "0\n"),
        "hard.proof.drat does not have the same steps as hard.p",
    ),
    ("six", take_proof_of("two", "six"), "six.proof.cnf: the formula differs at clause "),
    ("six", take_proof_of("two", "six"), "six.proof.lrat: line 1: "),
    ("marks", take_proof_of("one", "marks"), "marks.proof.cnf: it has 64 variables instead of 729"),
    ("one", change("one.proof.cnf", "p cnf", "c mine\np cnf"), "one.proof.cnf: line 1: expected '"),
    ("one", remove("one.proof.cnf"), "lrat, found one.proof.drat and one.proof.lrat"),
    ("one", remove(*PROOF_OF_ONE), "one.proof.lrat, found nothing"),
    ("two", unlink("two.proof.drat"), "two.proof.drat is listed, but missing"),
    ("one", lambda o: o.original("one.txt").write_text(SIX), "one.txt does not have the sha256"),
    ("one", exchange("one.txt", "4...\n..3.\n.2..\n...1\n"), "column 1 holds 1, given as 4"),
    (
        "one",
        exchange("one.txt", ONE.replace("4", ".")),
        "one.proof.cnf: the formula differs at clause",
    ),
    ("marks", exchange("marks.txt", ONE), "the original is grid"),
    ("one", exchange("one.txt", "hello\n"), "the original is not a puzzle: one.txt:1:1: expected"),
    ("one", link, "one_1.solution: cannot be read"),
    ("unsat", edit("unsat", status="invalid", complete=None), "but the original reads as a formul"),
    (
        "unsat",
        exchange("unsat.cnf", UNSATISFIABLE.replace("-1 2 0", "1 2 0")),
        "unsat.proof.lrat: line ",
    ),
    (
        "unsat",
        write("unsat.proof.cnf", "".join(Formula(2, ((1, 2), (1, -2), (-1, 2), (1,))).text())),
        "unsat.proof.cnf: the formula differs at clause 4",
    ),
    ("six", edit("six", solutions=7), "7 solutions in the record, 6 solution files listed"),
    ("six", edit("six", status="unique"), "status 'unique' contradicts 6 solutions"),
    ("one", edit("one", complete=False), "status 'unique' contradicts 1 solution"),
    ("one", edit("one", status="unsolvable"), "status 'unsolvable' contradicts"),
    ("one", edit("one", status="solved", complete=None), "status 'solved' is only for formulas"),
    ("none", edit("none", status="invalid", complete=None), "the original reads as grid"),
    ("none", edit("none", status="fine"), "unknown status 'fine'"),
    ("one", edit("one", box=[1, 4]), "the record says grid, classic, boxes of 1×4, the original i"),
    ("one", edit("one", format="boxes"), "the record says boxes, classic"),
    ("one", edit("one", bytes=7), "7 bytes in the record, the original has 20"),
    ("one", edit("one", sha256=None), "the record has no sha256"),
    ("one", edit("one", certificate={"solutions": "checked", "complete": "no"}), "complete is 'no"),
    (
        "one",
        edit("one", certificate={"solutions": "checked"}),
        "one.proof.cnf is listed, but the certificate is 'no', which has no proof files",
    ),
    ("one", edit("one", certificate=None), "Expected `object`, got `null` - at `$.certificate`"),
    ("one", edit("one", declared={"format": "cnf"}), "the original is not a puzzle"),
    (
        "bad",
        edit("bad", status="collection"),
        "the original is not a collection of the form",
    ),
    ("one", edit("one", status="archive"), "the original is 'plain'"),
    ("one", edit("one", source="../one.txt"), "the source '../one.txt' is not a file name"),
    ("one", edit("one", source="another.txt"), "should be named 'another'"),
    ("one", edit("one", source=7), "got `int` - at `$.source`"),
    ("one", edit("one", files=[1]), "got `int` - at `$.files[0]`"),
    ("one", edit("one", schema=3), "one.json: it is not a record of schema 2"),
]


@pytest.mark.parametrize(("name", "tamper", "said"), TAMPERED)
def test_what_is_done_to_a_set_is_found(outbox, name, tamper, said):
    tamper(outbox)
    problems = outbox.problems(name)
    assert any(said in each for each in problems), problems


ONLY_WRITTEN = (
    "the record says boxes, classic",
    "the record says 7",
    *(f"{name}.proof" for name in ("six", "hard", "one", "unsat", "marks")),
    "the formula differs at clause",
)
"""What may be so in another version, whose claim is searched anew."""


@pytest.mark.parametrize(
    ("name", "tamper"),
    [(name, tamper) for name, tamper, said in TAMPERED if not said.startswith(ONLY_WRITTEN)],
)
def test_that_another_version_did_it_is_no_excuse(outbox, name, tamper):
    tamper(outbox)
    outbox.write_record(name, outbox.record(name) | {"build": None})
    assert outbox.finding(name).verdict == "bad"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s SATISFIABLE\nv 1 2 -3 0\n", "clause 3 of the original is not satisfied"),
        ("s SATISFIABLE\nv 1 3 0\n", "expected a literal for each variable"),
        ("s SATISFIABLE\nv 1 2 3\n", "expected a literal for each variable"),
        ("s UNSATISFIABLE\n", "expected a line 's SATISFIABLE'"),
        ("s SATISFIABLE\n1 2 3 0\n", "expected a line 'v …'"),
        ("s SATISFIABLE\nv 1 x 3 0\n", "expected literals and 0"),
        ("c" * 70_000, "has more than "),
    ],
)
def test_a_changed_model_is_found(outbox, text, said):
    outbox.write("sat_1.solution", text, "sat")
    assert outbox.problems("sat")[0].startswith(f"sat_1.solution: {said}")


@pytest.mark.parametrize("name", ["one", "none", "six", "marks", "two-by-three"])
def test_a_removed_clause_is_found(outbox, name):
    *clauses, last = outbox.formula(name).clauses
    outbox.write_formula(name, *clauses)
    said = f"{name}.proof.cnf: the formula differs at clause"
    assert outbox.problems(name)[0].startswith(f"{said} {len(clauses) + 1}")
    outbox.write_formula(name, *clauses[:9], *clauses[10:], last)
    assert outbox.problems(name) == (f"{said} 10",)


def test_clauses_that_are_added_changed_or_moved_are_found(outbox):
    first, *others = clauses = outbox.formula("one").clauses
    for changed, number in (
        ((*clauses[:20], (-1, 64), *clauses[20:]), 21),
        ((*clauses, ()), len(clauses) + 1),
        (((*first[:-1], 64), *others), 1),
        ((*others, first), 1),
    ):
        outbox.write_formula("one", *changed)
        said = f"one.proof.cnf: the formula differs at clause {number}"
        assert outbox.problems("one") == (said,)


def claim_alone(outbox):
    remove(*PROOF_OF_ONE)(outbox)
    outbox.edit("one", certificate={"solutions": "checked", "complete": "unverified"})


@pytest.mark.parametrize("change", [claim_alone, unlink("one.log")])
def test_neither_a_proof_of_a_claim_nor_an_old_log_is_missed(outbox, change):
    change(outbox)
    assert outbox.problems("one") == ()


def test_a_packed_proof_is_checked_too(outbox, monkeypatch):
    text = outbox.path("hard.proof.lrat").read_bytes()
    monkeypatch.setattr("pipeline.outbox.audit.proofs.MAX_LRAT_CHARACTERS", 2 * len(text))
    whole = lzma.compress(text)
    outbox.write("hard.proof.lrat.xz", whole, "hard")
    outbox.remove("hard.proof.lrat", "hard")
    assert outbox.problems("hard") == ()
    for wrong, said in (
        (whole[:-9], ""),
        (whole + b"hello", ""),
        (whole + lzma.compress(b""), ""),
        (b"hello", "is not exactly one complete xz stream"),
        (lzma.compress(b"1" * 3 * len(text)), f"the proof is longer than {2 * len(text):,} char"),
    ):
        outbox.write("hard.proof.lrat.xz", wrong, "hard")
        assert outbox.problems("hard")[0].startswith(f"hard.proof.lrat.xz: {said}")


def as_before(outbox):
    """Make the proof one of an earlier version: without hints; give its text."""
    text = outbox.path("hard.proof.drat").read_text()
    outbox.remove("hard.proof.lrat", "hard")
    outbox.certify("hard", by="drat", checker="dratify 0.1.10", steps=text.count("\n"))
    outbox.edit("hard", build=None)
    return text


def test_a_proof_of_an_earlier_version_is_still_checked(outbox):
    text = as_before(outbox)
    assert outbox.problems("hard") == ()
    for wrong, said in (
        (text[:-2], "without the empty clause"),
        ("0\n", "line 1: 0 does not follow by unit propagation"),
        (text + "0\n", "a step after the empty clause"),
        (f"d 1 0\n1000 0\n{text}", "variable 1000, but there are only 729"),
    ):
        outbox.write("hard.proof.drat", wrong, "hard")
        assert said in outbox.problems("hard")[0]


def test_another_program_may_have_to_confirm_a_proof(outbox):
    def refuse(_formula, _lrat, _deadline):
        raise SolverError("cake_lpr ended with exit code 1")

    def unable(_formula, _lrat, _deadline):
        raise EnvironmentFailure("cake_lpr cannot be run")

    (said,) = outbox.problems("hard", confirm=refuse)
    assert said == "hard.proof.lrat: cake_lpr ended with exit code 1"
    said = "hard.proof.lrat: not checked: cake_lpr cannot be run"
    assert outbox.finding("hard", confirm=unable).gaps == (said,)


def test_a_proof_for_which_time_was_not_enough_is_unchecked(outbox):
    finding = outbox.finding("hard", seconds=0.0)
    assert finding.verdict == "unchecked"
    said = "hard.proof.lrat: not checked: the time limit of 0 s was reached"
    said += "; raise --timeout"
    assert finding.gaps[0] == said
    said = "not checked whether there are other solutions: time ran out"
    assert finding.gaps[1].startswith(said)


def test_a_formula_is_read_as_it_was_declared(outbox):
    outbox.edit("unsat", status="invalid", complete=None)
    outbox.exchange("unsat.cnf", "p cnf 1 1\n1 x 0\n", "unsat")
    said = "the status is 'invalid', but the original reads as a formula"
    assert said not in outbox.problems("unsat")
    assert said not in outbox.problems("unsat", settings=Settings(format="cnf"))


def test_a_job_is_unchecked_without_its_original_and_still_looked_at(outbox):
    outbox.original("one.txt").unlink()
    outbox.original("two.txt").unlink()
    outbox.write("two_1.solution", "1111\n1111\n1111\n1111\n", "two")
    one, two = outbox.finding("one"), outbox.finding("two")
    assert (one.verdict, one.claim) == ("unchecked", "unique, proved")
    missing = "its original 'one.txt' was not found, so nothing was compared"
    assert one.gaps == (f"{missing}; give its folder with --originals, or the inbox with --inbox",)
    assert two.verdict == "bad"
    assert two.problems[0].startswith("two_1.solution: row 1 holds 1 twice")


def test_that_there_are_several_solutions_is_not_taken_on_trust(outbox):
    outbox.edit("one", status="multiple", complete=False, message="there are more")
    outbox.edit("one", certificate={"solutions": "checked", "complete": "no"})
    remove(*PROOF_OF_ONE)(outbox)
    said = "the record says that there are more solutions, but there are none"
    assert outbox.problems("one") == (said,)
    finding = outbox.finding("one", seconds=0.0)
    assert finding.verdict == "unchecked"
    assert finding.gaps[0].startswith("not checked whether there are other solutions: time ran out")


def test_a_pipe_in_place_of_a_record_is_not_waited_for(outbox):
    outbox.path("two.json").unlink()
    os.mkfifo(outbox.path("two.json"))
    assert "two.json: it cannot be read" in outbox.findings()["two"].problems[0]


def test_what_was_declared_is_read_so_again(tmp_path):
    stars = made(tmp_path, {"stars.txt": "1*..\n..2.\n.3..\n...4\n"}, "--variant", "classic")
    assert stars.record("stars")["variant"] == "classic"
    finding = stars.findings()["stars"]
    assert (finding.verdict, finding.claim) == ("ok", "unique, proved")
    assert finding.notes == ("read as classic, as the record says",)


def test_the_cnf_of_a_job_may_be_called_like_anothers_formula(tmp_path):
    outbox = made(tmp_path, {"a.proof.txt": ONE}, "--keep-cnf")
    assert outbox.path("a.proof.cnf").exists()
    assert outbox.problems("a.proof") == ()


def test_an_original_that_is_too_slow_to_read_is_unchecked(tmp_path):
    pattern = base64.urlsafe_b64encode(b".*[19].{9}").decode().rstrip("=")
    row = "~".join(f"R1C{column}" for column in range(1, 10))
    text = f".Regex~{pattern}~{row}\n"
    outbox = made(tmp_path, {"slow.txt": text})
    assert outbox.finding("slow").verdict == "ok"
    finding = outbox.finding("slow", settings=Settings(timeout=0.001))
    assert (finding.verdict, finding.problems) == ("unchecked", ())
    assert finding.gaps[0].startswith("the original was not read: slow.txt: expected constraints")


def test_a_formula_with_a_wrong_header_is_audited_as_it_was_read(tmp_path):
    files = {
        "short.cnf": "p cnf 2 3\n1 0\n-2 0\n",
        "bare.cnf": "1 2 0\n-1 0\n",
        "more.cnf": "p cnf 1 0\n0\n",
    }
    outbox = made(tmp_path, files, "--max-solutions", "3")
    assert {each.name: each.claim for each in outbox.findings().values()} == {
        "short": "solved",
        "bare": "unique, proved",
        "more": "unsolvable, proved",
    }
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}
    assert outbox.record("short")["unread"] == ["header: 3 clauses declared, found 2"]
    assert outbox.record("short")["complete"] is False
    outbox.edit("short", status="unique", complete=True)
    said = "complete is true, but the formula has fewer clauses than its header declares, "
    said += "so some models may not be models of the full formula"
    assert said in outbox.problems("short")
    outbox.forget("bare", "unread")
    assert any("unread" in problem for problem in outbox.problems("bare"))


def test_what_strict_refused_is_audited_strictly(tmp_path):
    outbox = made(tmp_path, {"bare.cnf": "1 2 0\n-1 0\n"}, "--strict")
    assert outbox.record("bare")["declared"] == {"strict": "true"}
    assert outbox.finding("bare").verdict == "ok"
    outbox.forget("bare", "declared")
    assert "but the original reads as a formula" in outbox.problems("bare")[0]
