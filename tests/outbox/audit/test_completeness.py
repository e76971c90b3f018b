"""Every claim that solutions are all is checked anew: whoever forges one is found."""

from __future__ import annotations

import tarfile
from tarfile import SYMTYPE, TarInfo

import pytest
from support.outboxes import (
    ONE,
    SIX_BY_SIX,
    call,
    in_a_line,
    linked,
    made,
    packed,
    shared,
)
from support.puzzles import (
    EVEN_ODD_SIX,
    NINE,
    NINE_SOLVED,
    NINE_TWO,
    NONE,
    SIX,
    STUCK,
    TWO,
    pattern,
)
from support.solvers import at_hand

from pipeline.certify.exhaustive import SearchResult, search_all
from pipeline.certify.formula import core_of, proof_formula
from pipeline.errors import LimitReached, SolverError
from pipeline.outbox.audit import AuditOptions
from pipeline.outbox.audit.completeness import audit_other_solutions
from pipeline.outbox.audit.findings import Findings
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.complete import make_refuter

MODELS = "p cnf 3 2\n1 2 0\n-1 3 0\n"
NO_MODEL = "p cnf 3 8\n" + "".join(
    f"{a} {b} {c} 0\n" for a in (1, -1) for b in (2, -2) for c in (3, -3)
)
HIDDEN = "".join(
    " ".join("0" if value < 3 else str(value) for value in row) + "\n"
    for row in pattern(Geometry(4, 4)).rows()
)
"""16×16, without its ones and twos."""

WIDE = f"4 4\n{HIDDEN}"
WIDES = 2 * ("".join("..23456789ABCDEFG"[int(value)] for value in HIDDEN.split()) + "\n")
LINES = "".join(map(in_a_line, (ONE, TWO, SIX, NONE, SIX_BY_SIX)))
NINES = "".join(f"{line}\n" for line in (NINE, NINE_TWO, STUCK, NINE, NINE_TWO, in_a_line(ONE)))
FILES = {
    "one.txt": ONE,
    "two.txt": TWO,
    "six.txt": SIX,
    "none.txt": NONE,
    "marks.txt": EVEN_ODD_SIX,
    "wide.txt": WIDE,
    "models.cnf": MODELS,
    "no-model.cnf": NO_MODEL,
    "lines.txt": LINES,
    "nines.txt": NINES,
    "wides.txt": WIDES,
    "set.zip": packed(
        ("a/one.txt", ONE), ("a/two.txt", TWO), ("b/nines.txt", NINES), ("models.cnf", MODELS)
    ),
}
MOST = ("--max-solutions", "20", "--timeout", "30")
TERMS = {"refuter": make_refuter(at_hand("pysat"), 4096)}
"""How the command audits."""

WAYS = {"exhaustive-search": (), "unverified": ("--trust-solver",)}
"""How the outbox came about, by the word that its tables have for it."""


@pytest.fixture(scope="module", params=WAYS)
def word(request):
    return request.param


@pytest.fixture(scope="module")
def original(tmp_path_factory, word):
    options = ("--prove", "never", *MOST, *WAYS[word])
    return shared(
        tmp_path_factory, f"complete-{word}", lambda folder: made(folder, FILES, *options)
    )


@pytest.fixture
def outbox(original, tmp_path):
    return linked(original, tmp_path)


def test_what_is_honest_passes_whoever_vouches_for_it(original, word):
    findings = original.findings(**TERMS)
    assert {each.name: each.problems + each.gaps for each in findings.values()} == dict.fromkeys(
        findings, ()
    )
    assert len(findings) == len(FILES)
    known = "unverified" if word == "unverified" else "proved"
    assert findings["two"].claim == f"multiple, {known}"
    assert findings["lines"].claim.endswith(f", 5 {known}")
    assert {row[6] for row in original.rows("lines.csv")[1:]} == {word}


@pytest.mark.parametrize(
    ("stem", "said"),
    [
        ("one", "there is a solution: 1243342143122134"),
        ("two", "there is another solution: 12"),
        ("six", "there is another solution: "),
        ("marks", "there is another solution: "),
        ("wide", "there is another solution: "),
        ("models", "there is another model: "),
        ("set/a/one", "a/one.txt: there is a solution: 1243342143122134"),
        ("set/a/two", "a/two.txt: there is another solution: 12"),
        ("set/models", "models.cnf: there is another model: "),
    ],
)
def test_a_solution_that_is_left_out_is_found(outbox, stem, said):
    before = outbox.record(stem)["solutions"]
    outbox.leave_out(stem)
    problems = outbox.problems(stem.partition("/")[0], **TERMS)
    assert any(each.startswith(said) for each in problems), problems
    if before == 2:
        assert "difference" not in " ".join(problems)


def test_all_models_of_a_formula_that_are_left_out_are_found(outbox):
    while outbox.record("models")["solutions"]:
        outbox.leave_out("models")
    assert outbox.problems("models", **TERMS)[-1].startswith("there is a model: ")


@pytest.mark.parametrize(
    ("stem", "number", "said"),
    [
        ("lines", 1, "lines.csv: row 1: there is a solution: 1243342143122134"),
        ("lines", 2, "lines.csv: row 2: there is another solution: 12"),
        ("lines", 3, "lines.csv: row 3: there is another solution: "),
        ("wides", 2, "wides.csv: row 2: there is another solution: "),
        ("nines", 1, f"nines.csv: row 1: there is a solution: {NINE_SOLVED}"),
        ("nines", 2, "nines.csv: row 2: there is another solution: 5"),
        ("nines", 6, "nines.csv: row 6: there is a solution: 1243342143122134"),
        ("set/b/nines", 5, "b/nines.txt: nines.csv: row 5: there is another solution: 5"),
    ],
)
def test_a_solution_that_is_left_out_of_a_collection_is_found(outbox, stem, number, said):
    outbox.leave_out_of_row(stem, number)
    problems = outbox.problems(stem.partition("/")[0])
    not_ours = "totals", "in its record", "of set.csv differs"
    ours = [each for each in problems if not any(text in each for text in not_ours)]
    assert len(ours) == 1
    assert ours[0].startswith(said)


@pytest.mark.parametrize("lines", [f"{NINE}\n{NINE_TWO}\n", in_a_line(ONE) + in_a_line(TWO)])
def test_a_forged_row_is_found_among_many(tmp_path, lines):
    outbox = made(tmp_path, {"many.txt": lines * 99}, "--prove", "never", *MOST)
    assert outbox.problems("many") == ()
    outbox.leave_out_of_row("many", 122)
    (said,) = outbox.problems("many")
    assert said.startswith("many.csv: row 122: there is another solution: ")


def test_more_solutions_than_were_asked_for_cannot_be_denied(tmp_path):
    files = {"six.txt": SIX, "lines.txt": LINES, "models.cnf": MODELS}
    outbox = made(tmp_path, files, "--prove", "never", "--max-solutions", "2")
    assert {each.verdict for each in outbox.findings(**TERMS).values()} == {"ok"}
    for stem in ("six", "models"):
        outbox.edit(stem, complete=True, message=None)
        outbox.certify(stem, complete="proved", by="exhaustive-search", nodes=3)
        (said,) = outbox.problems(stem, **TERMS)
        assert said.startswith("there is another ")
    outbox.set_row(
        "lines.csv", "lines", 3, complete="true", certificate="exhaustive-search", message=""
    )
    outbox.certify("lines", proved=5)
    (said,) = outbox.problems("lines")
    assert said.startswith("lines.csv: row 3: there is another solution: ")


PROVED = {"complete": "proved", "by": "exhaustive-search", "nodes": 1}
CERTIFICATES = [
    ({"complete": "proved"}, "certificate: complete: 'proved' contradicts by: null"),
    (PROVED | {"by": "magic"}, "certificate: complete: 'proved' contradicts by: 'magic'"),
    (
        PROVED | {"complete": "unverified"},
        "certificate: complete: 'unverified' contradicts by: 'exhaustive-search'",
    ),
    (PROVED | {"complete": "no"}, "complete is 'no', but the record's complete is true"),
    (PROVED | {"complete": "sure"}, "complete: expected proved, unverified or no, found 'sure'"),
    (PROVED | {"nodes": None}, "nodes is missing in a certificate that is proved by exhaustive"),
    (PROVED | {"steps": 3}, "steps is not allowed in a certificate that is proved by exh"),
    (PROVED | {"checker": "me"}, "checker is not allowed in a certificate that is proved by"),
    (PROVED | {"by": "lrat"}, "steps is missing in a certificate that is proved by lrat"),
    (
        {"complete": "unverified", "nodes": 1},
        "nodes is not allowed in a certificate that is unverified",
    ),
    ({}, "complete is 'no', but the record's complete is true"),
]


@pytest.mark.parametrize(("certificate", "said"), CERTIFICATES)
def test_a_certificate_whose_fields_do_not_fit_is_found(outbox, certificate, said):
    outbox.edit("two", certificate={"solutions": "checked", **certificate})
    assert any(each.startswith(f"certificate: {said}") for each in outbox.problems("two"))


def test_a_certificate_by_a_proof_has_one(outbox):
    for by, names in (("drat", ""), ("lrat", " and two.proof.lrat")):
        told = {"complete": "proved", "by": by, "solver": "x", "checker": "y", "steps": 1}
        outbox.edit("two", certificate={"solutions": "checked", **told})
        *_, said = outbox.problems("two")
        expected = f"expected the proof files two.proof.cnf and two.proof.drat{names}"
        assert said == f"{expected}, found nothing"


@pytest.mark.parametrize("word", ["drat", "exhaustive-search"])
def test_a_row_is_searched_anew_however_it_was_proved(tmp_path, word):
    outbox = made(tmp_path, {"lines.txt": LINES})
    outbox.set_row("lines.csv", "lines", 1, certificate=word)
    outbox.edit("lines", build=None)
    assert outbox.problems("lines") == ()


def test_proofs_of_an_earlier_version_beside_a_table_are_not_read(tmp_path):
    outbox = made(tmp_path, {"lines.txt": LINES})
    for ending in ("xz", "csv"):
        outbox.write(f"lines.proofs.{ending}", "hello", "lines")
    finding = outbox.finding("lines")
    assert finding.verdict == "ok"
    assert "proofs from an earlier version were not checked" in finding.notes


def test_what_is_proved_and_what_is_claimed_are_counted(outbox, word):
    told = (
        {"proved": 5, "unverified": 0} if word == "unverified" else {"proved": 0, "unverified": 5}
    )
    outbox.certify("lines", **told)
    problems = outbox.problems("lines")
    assert problems == tuple(
        f"certificate: {count} {name} in the record, {5 - count} found"
        for name, count in sorted(told.items())
    )


def test_the_command_has_a_refuter_and_the_library_says_what_it_could_not_check(outbox, word):
    assert call(outbox, "--quiet") == (0, "", "")
    finding = outbox.finding("models")
    if word == "unverified":
        assert finding.verdict == "unchecked"
        said = "not checked whether there are other models: this needs a solver"
        assert finding.gaps[0].startswith(said)
    else:
        assert finding.verdict == "ok"


def test_what_time_was_too_short_for_is_unchecked(outbox):
    for name, said in (
        ("one", ""),
        ("lines", "lines.csv: row 1: "),
        ("nines", "nines.csv: row 1: "),
    ):
        finding = outbox.finding(name, seconds=0.0)
        assert finding.verdict == "unchecked"
        assert finding.gaps[0] == (
            f"{said}not checked whether there are other solutions: time ran out; raise --timeout"
        )


def undecided(puzzle, grids, **_):
    return SearchResult((), 0, "it is too hard")


def said_of(puzzle, grids, ask):
    """What an audit says where only a refuter can tell."""
    report = Findings(AuditOptions(refuter=ask))
    audit_other_solutions(puzzle, grids, report)
    finding = report.finding("", "")
    return (*finding.problems, *finding.gaps)


@pytest.mark.parametrize("which", ["no solution", "a published one"])
def test_that_there_are_more_solutions_takes_another_one(which, monkeypatch):
    puzzle = parse_puzzle(TWO)
    grids = search_all(puzzle, (), max_solutions=9).missing
    found = {"no solution": pattern(puzzle.geometry), "a published one": grids[0]}[which]

    def another_said() -> tuple[str, ...]:
        report = Findings()
        audit_other_solutions(puzzle, grids[:1], report, expects_other=True)
        finding = report.finding("", "")
        return (*finding.problems, *finding.gaps)

    assert another_said() == ()
    monkeypatch.setattr(
        "pipeline.outbox.audit.completeness.find_missing",
        lambda *_, **__: SearchResult((found,), 0),
    )
    (said,) = another_said()
    assert said.startswith("not checked whether there are other solutions: the solution found")


@pytest.fixture
def hard(monkeypatch):
    """A puzzle that no search decides, and its solutions."""
    puzzle = parse_puzzle(TWO)
    grids = search_all(puzzle, (), max_solutions=9).missing
    monkeypatch.setattr("pipeline.outbox.audit.completeness.find_missing", undecided)
    return puzzle, grids


def test_what_the_search_leaves_undecided_is_refuted(hard):
    puzzle, grids = hard
    assert said_of(puzzle, grids, TERMS["refuter"]) == ()
    (said,) = said_of(puzzle, grids[1:], TERMS["refuter"])
    assert said == "there is another solution: " + "".join(map(str, grids[0].values))


def literals(grid):
    return frozenset(cell * 4 + value for cell, value in enumerate(grid.values))


def test_a_refuter_that_has_no_time_says_so(hard):
    puzzle, grids = hard
    with pytest.raises(LimitReached, match="the time limit of 0 s was reached"):
        TERMS["refuter"](core_of(proof_formula(puzzle, grids)), 0.0)


def test_a_refuter_is_not_believed(hard):
    puzzle, grids = hard

    def failing(core, seconds):
        raise SolverError("it broke")

    for ask, said in (
        (lambda *_: "0\n", "line 1: 0 does not follow by unit propagation"),
        (lambda *_: "", "the proof ends without the empty clause"),
        (lambda *_: frozenset(), "the model found does not decode to a grid"),
        (lambda *_: literals(grids[1]), "the solution found is already published"),
        (failing, "it broke"),
        (None, "it is too hard"),
    ):
        assert said_of(puzzle, grids[1:], ask) == (
            f"not checked whether there are other solutions: {said}",
        )


def test_a_grid_of_a_refuter_is_certified(hard):
    puzzle, grids = hard
    wrong = literals(pattern(Geometry(2, 2)))
    (said,) = said_of(puzzle, grids[1:], lambda *_: wrong)
    assert said.startswith("not checked whether there are other solutions: the ")


def test_a_member_without_a_record_claims_nothing(tmp_path):
    link = TarInfo("link.txt")
    link.type, link.linkname = SYMTYPE, "/etc/passwd"
    file = tmp_path / "set.tar"
    with tarfile.open(file, "w") as archive:
        archive.addfile(link)
    outbox = made(tmp_path / "made", {"set.tar": file.read_bytes()})
    assert outbox.problems("set") == ()
    outbox.set_row(
        "set.csv", "set", 1, solutions="1", complete="true", certificate="exhaustive-search"
    )
    assert any(
        "its row in the table has results, but there is no record" in said
        for said in outbox.problems("set")
    )


def test_what_was_not_read_has_no_solutions(tmp_path):
    outbox = made(tmp_path, {"a.txt": TWO})
    outbox.remove("a_2.solution", "a")
    outbox.write("a_1.solution", "garbage\n", "a")
    outbox.forget("a", "difference")
    unread = dict.fromkeys(("format", "variant", "box", "encoding"))
    outbox.edit("a", status="unknown", solutions=1, complete=False, **unread)
    assert "solutions are counted, although the input was not read" in outbox.problems("a")
