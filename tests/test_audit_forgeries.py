"""Every kind of puzzle passes an audit, and every tampering with it fails; forgers get nowhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from auditing import ONE, call, copied, in_a_line, made, packed
from dropping import DropFolder
from solving import SIX, TWO
from support.to_prove import TO_PROVE

import pipeline
from pipeline.audit import Terms, audit
from pipeline.parse import render_puzzle
from pipeline.puzzle import Geometry, Puzzle

CASES = {  # no file can say the large ones with marks
    name: make() for name, make in TO_PROVE.items() if not name.startswith("4x4-even-odd")
}


def test_an_audit_loads_nothing_that_finds_answers():
    code = "import sys, pipeline.audit; print(*sorted(m for m in sys.modules if 'pipeline.' in m))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    names = {name.split(".")[1] for name in loaded.stdout.split()}
    assert "certify" in names
    assert not names & {"cnf", "decode", "dimacs", "encode", "solve", "stages"}


def test_all_that_the_package_names_is_there():
    assert all(hasattr(pipeline, name) for name in pipeline.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pipeline.nothing  # noqa: B018


def text_of(puzzle: Puzzle) -> str:
    return render_puzzle(puzzle, "boxes" if puzzle.geometry == Geometry(4, 4) else "grid")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    files = {f"{name}.txt": text_of(puzzle) for name, puzzle in CASES.items()}
    return made(tmp_path_factory.mktemp("cases"), files)


@pytest.fixture
def only(published, tmp_path):
    """An outbox with the set of one job alone."""

    def of(name):
        box = DropFolder(tmp_path / name / "inbox", tmp_path / name / "outbox")
        (box.inbox / "done").mkdir(parents=True)
        box.outbox.mkdir()
        shutil.copy(published.original(f"{name}.txt"), box.inbox / "done")
        for path in (published.folder / f"{name}.json", *listed(published, name)):
            shutil.copy(path, box.outbox)
        return replace(published, box=box)

    return of


def listed(outbox, name):
    return [outbox.folder / each["name"] for each in outbox.record(name)["files"]]


def test_every_kind_of_puzzle_is_proved_and_passes(published):
    findings = published.findings()
    assert set(findings) == set(CASES)
    for name, finding in findings.items():
        assert (finding.problems, finding.gaps) == ((), ()), name
        assert finding.claim.endswith(", proved"), name


def change_digit(outbox, name):
    if not outbox.record(name)["solutions"]:
        return ""
    path = outbox.folder / f"{name}_1.solution"
    *lines, last = path.read_text().splitlines()
    word = re.search(r"\d+", last)[0]
    outbox.write(
        path.name,
        "\n".join([*lines, last.replace(word, "1" if word != "1" else "2", 1)]) + "\n",
        name,
    )
    return f"{name}_1.solution"


def equal_solutions(outbox, name):
    if outbox.record(name)["solutions"] < 2:
        return ""
    outbox.change(
        f"{name}_2.solution", name, lambda _: (outbox.folder / f"{name}_1.solution").read_text()
    )
    return "holds the same grid as"


def solution_missing(outbox, name):
    if not outbox.record(name)["solutions"]:
        return ""
    (outbox.folder / f"{name}_1.solution").unlink()
    return f"{name}_1.solution is listed, and is not there"


def solution_added(outbox, name):
    count = outbox.record(name)["solutions"]
    (outbox.folder / f"{name}_{count + 1}.solution").write_text(text_of(CASES[name]))
    return f"{name}_{count + 1}.solution is there, and is not listed"


def count_edited(outbox, name):
    count = outbox.record(name)["solutions"] + 1
    outbox.edit(name, solutions=count)
    return "in the record"


def proof_cut_short(outbox, name):
    steps = outbox.proof(name).splitlines(keepends=True)
    outbox.write(f"{name}.proof.drat", "".join(steps[:-1]), name)
    return f"{name}.proof.drat: the proof ends after"


def clause_removed(outbox, name):
    clauses = outbox.formula(name).clauses
    outbox.write_formula(name, *clauses[:7], *clauses[8:])
    return f"{name}.proof.cnf: clause 8"


def clause_added(outbox, name):
    clauses = outbox.formula(name).clauses
    outbox.write_formula(name, *clauses, (1,))
    return f"{name}.proof.cnf: clause {len(clauses) + 1}"


def other_grid_blocked(outbox, name):
    clauses = outbox.formula(name).clauses
    side = CASES[name].geometry.side
    extra = tuple(-(cell * side + 1) for cell in range(side * side))
    outbox.write_formula(name, *clauses, extra)
    return "blocks a grid"


def original_exchanged(outbox, name):
    other = in_a_line(ONE) if CASES[name].geometry.side != 4 else "1" + "." * 35 + "\n"
    outbox.exchange(f"{name}.txt", other, name)
    return "the original is"


def record_of_another(outbox, name):
    outbox.edit(name, source="another.txt")
    return "its set would be called 'another'"


TAMPERINGS = (
    change_digit,
    equal_solutions,
    solution_missing,
    solution_added,
    count_edited,
    proof_cut_short,
    clause_removed,
    clause_added,
    other_grid_blocked,
    original_exchanged,
    record_of_another,
)


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_every_tampering_is_found_in_every_kind_of_puzzle(tamper, published, only):
    tried = 0
    for name in CASES:
        outbox = only(name)
        said = tamper(outbox, name)
        if said:
            tried += 1
            problems = outbox.findings()[name].problems
            assert any(said in each for each in problems), (name, problems)
    assert tried >= 9


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    files = {"one.txt": ONE, "six.txt": SIX, "set.zip": packed(("a/p.txt", ONE), ("b/p.txt", TWO))}
    return made(tmp_path_factory.mktemp("forged"), files)


@pytest.fixture
def outbox(original, tmp_path):
    return copied(original, tmp_path)


@pytest.mark.parametrize("name", ["six_1.solution", "six.proof.cnf", "six.proof.drat", "six.log"])
def test_a_folder_in_the_place_of_a_file_is_found_and_all_else_is_audited(outbox, name):
    (outbox.folder / name).unlink()
    (outbox.folder / name).mkdir()
    assert any(name in each for each in outbox.problems("six"))


def test_a_dropped_folder_may_be_called_like_a_record(tmp_path):
    outbox = made(tmp_path, {"one.txt": ONE})
    folder = outbox.box.inbox / "set.json"
    folder.mkdir()
    (folder / "two.txt").write_text(TWO)
    assert outbox.box.run("--settle", "0").returncode == 0
    findings = outbox.findings()
    assert {each.verdict for each in findings.values()} == {"ok"}
    assert len(findings) == 2


def test_what_is_declared_and_is_not_so_costs_only_its_own_job(outbox):
    outbox.edit("one", declared={"format": "cnf"})
    assert any("the original is no puzzle" in each for each in outbox.problems("one"))
    outbox.edit("set", declared={"format": "cnf"})
    assert outbox.findings()["set"].problems


@pytest.mark.parametrize("field", ["version", "source", "bytes", "status", "certificate"])
def test_a_record_that_is_nested_deeply_costs_only_its_own_job(outbox, field):
    path = outbox.folder / "one.json"
    text = json.dumps(outbox.record("one") | {field: "@@"})
    for depth in (*range(900, 1000, 7), 100_000):
        path.write_text(text.replace('"@@"', "[" * depth + "]" * depth))
        findings = {each.name: each for each in audit(outbox.folder, [], Terms())}
        assert findings["one"].verdict == "bad"
        assert set(findings) == {"one", "six", "set"}


def test_a_name_that_stands_in_a_record_twice_is_found(outbox):
    path = outbox.folder / "one.json"
    path.write_text(path.read_text().replace("{", '{"status": "unsolvable",', 1))
    assert "a name stands in an object twice" in outbox.problems("one")[0]


def test_whatever_fails_in_a_job_costs_only_that_job(outbox, monkeypatch):
    def failing(record, *_):
        if record.stem == "six":
            raise RuntimeError("by\nmistake")

    monkeypatch.setattr("pipeline.audit.jobs.audit_stem", failing)
    assert outbox.problems("six") == (r"it cannot be audited: RuntimeError: by\nmistake",)


def test_results_whose_record_is_gone_are_found(outbox):
    (outbox.folder / "set.json").unlink()
    findings = outbox.findings()
    said = {each.name: each.problems for each in findings.values() if each.problems}
    assert said == {
        "set/": ("set/ is there, and no record lists it",),
        "set.csv": ("set.csv is there, and no record lists it",),
    }
    assert findings["set.zip"].gaps == ("there is no record of set.zip, which is done",)


def test_an_archive_that_is_said_to_have_failed_hides_nothing(outbox):
    record = {k: v for k, v in outbox.record("set").items() if k not in ("totals", "certificate")}
    changed = {"status": "failed", "solutions": 0, "complete": None, "files": []}
    (outbox.folder / "set.json").write_text(json.dumps(record | changed))
    problems = [said for each in outbox.findings().values() for said in each.problems]
    assert "set/ is there, and no record lists it" in problems
    assert "set.csv is there, and is not listed" in problems


def test_a_job_whose_whole_set_is_gone_is_missed(outbox):
    for path in outbox.folder.glob("one*"):
        path.unlink()
    finding = outbox.findings()["one.txt"]
    assert (finding.verdict, finding.claim) == ("unchecked", "no record")
    assert call(outbox)[0] == 1


def test_sets_of_members_that_changed_places_are_found(outbox):
    top = outbox.folder / "set"
    (top / "a").rename(top / "c")
    (top / "b").rename(top / "a")
    (top / "c").rename(top / "b")
    problems = outbox.problems("set")
    assert "a/p.txt: its set lies in another folder, set/b" in problems
    assert "b/p.txt: its set lies in another folder, set/a" in problems


def test_what_lies_in_a_tree_of_results_and_is_none_is_found(outbox):
    (outbox.folder / "set" / "a" / "notes.txt").write_text("hello")
    (outbox.folder / "set" / "etc").symlink_to("/etc")
    assert sorted(outbox.problems("set")) == [
        "set/a/notes.txt is there without a record",
        "set/etc is there without a record",
    ]


@pytest.mark.parametrize("name", ["six.csv", "six.cnf", "six_count.cnf"])
def test_files_that_a_job_of_that_name_may_have_are_listed_or_found(outbox, name):
    (outbox.folder / name).write_text("hello")
    assert outbox.problems("six") == (f"{name} is there, and is not listed",)


def test_what_somebody_else_keeps_in_the_folder_is_left_alone(outbox):
    (outbox.folder / "my.csv").write_text("a,b\n")
    (outbox.folder / "mine").mkdir()
    (outbox.folder / "mine" / "notes.txt").write_text("hello")
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}


def test_that_there_are_several_solutions_is_not_taken_on_trust(outbox, tmp_path):
    outbox.edit("one", status="multiple", complete=False, message="there are more")
    outbox.certify("one", complete="no")
    for name in ("one.proof.cnf", "one.proof.drat"):
        outbox.remove(name, "one")
    finding = outbox.findings()["one"]
    assert (finding.verdict, finding.problems) == ("unchecked", ())
    assert "that there is a second solution is only claimed" in finding.gaps[0]
    lines = made(tmp_path / "lines", {"lines.txt": in_a_line(TWO) * 3}, "--max-solutions", "1")
    assert lines.findings()["lines"].gaps[0].startswith("3 rows: that there is a second")


def test_a_sudoku_is_never_solved_like_a_formula(outbox):
    outbox.edit("one", status="solved", complete=None)
    assert "the status 'solved' is that of a formula" in outbox.problems("one")


CLAIMED = f"puzzle,solution\n{in_a_line(ONE).strip()},1243342143122133\n{in_a_line(TWO).strip()},\n"


def test_a_solution_beside_a_puzzle_that_is_none_cannot_be_hushed_up(tmp_path):
    outbox = made(tmp_path, {"claims.csv": CLAIMED})
    assert outbox.record("claims")["totals"]["disagreements"] == 1
    assert outbox.problems("claims") == ()
    outbox.change("claims.csv", "claims", lambda text: re.sub(r"the solution beside.*", "", text))
    totals = {k: v for k, v in outbox.record("claims")["totals"].items() if k != "disagreements"}
    outbox.edit("claims", totals=totals)
    problems = outbox.problems("claims")
    assert "the message does not say that the solution beside the puzzle is wrong" in problems[0]
    assert "totals: 0 disagreements in the record, 1 in the table" in problems
