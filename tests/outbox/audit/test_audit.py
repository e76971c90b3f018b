"""Which sets an audit looks at, and with which originals; whoever forges one harms no other."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support.drop_folders import DropFolder
from support.outboxes import EXAMPLES, ONE, OTHER_GRID, call, made, packed
from support.puzzles import SIX, TWO

import pipeline
from pipeline.outbox.audit import AuditOptions, audit

FILES = {"one.txt": ONE, "six.txt": SIX, "set.zip": packed(("a/p.txt", ONE), ("b/p.txt", TWO))}


def test_an_audit_loads_nothing_that_finds_answers():
    code = "import sys, pipeline.outbox.audit; print(*[m for m in sys.modules if 'pipeline.' in m])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert any(name.startswith("pipeline.certify") for name in loaded)
    finders = ("pipeline.solving.", "pipeline.service")
    assert not [name for name in loaded if name.startswith(finders)]


def test_all_that_the_package_names_is_there():
    assert all(hasattr(pipeline, name) for name in pipeline.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pipeline.nothing  # noqa: B018


def verdicts(outbox):
    return {each.name: each.verdict for each in outbox.findings().values()}


@pytest.mark.parametrize("name", ["six_1.solution", "six.proof.cnf", "six.proof.drat", "six.log"])
def test_a_folder_in_the_place_of_a_file_is_found_and_all_else_is_audited(outbox, name):
    outbox.path(name).unlink()
    outbox.path(name).mkdir()
    assert any(name in each for each in outbox.findings()["six"].problems)
    assert verdicts(outbox) == {"one": "ok", "six": "bad", "set": "ok"}


def test_a_dropped_folder_may_be_called_like_a_record(tmp_path):
    outbox = made(tmp_path, {"one.txt": ONE})
    folder = outbox.box.inbox / "set.json"
    folder.mkdir()
    (folder / "two.txt").write_text(TWO)
    assert outbox.box.run("--settle", "0").returncode == 0
    assert [*verdicts(outbox).values()] == ["ok", "ok"]


def test_a_zip_that_cannot_be_unpacked_is_rightly_invalid(tmp_path):
    sheet = packed(("xl/workbook.xml", "<x/>"))
    outbox = made(tmp_path, {"sheet.xlsx": sheet, "torn.zip": b"PK\3\4 and no list at its end"})
    assert verdicts(outbox) == {"sheet": "ok", "torn": "ok"}


def test_what_is_declared_and_is_not_so_costs_only_its_own_job(outbox):
    outbox.edit("set", declared={"format": "cnf"})
    assert verdicts(outbox) == {"one": "ok", "six": "ok", "set": "bad"}


@pytest.mark.parametrize("field", ["version", "source", "bytes", "status", "certificate"])
def test_a_record_that_is_nested_deeply_costs_only_its_own_job(outbox, field):
    text = json.dumps(outbox.record("one") | {field: "@@"})
    for depth in (*range(900, 1000, 14), 100_000):
        outbox.path("one.json").write_text(text.replace('"@@"', "[" * depth + "]" * depth))
        findings = {each.name: each for each in audit(outbox.folder, [], AuditOptions())}
        assert findings["one"].verdict == "bad"
        assert set(findings) == {"one", "six", "set"}


def test_a_name_that_stands_in_a_record_twice_is_found(outbox):
    path = outbox.path("one.json")
    path.write_text(path.read_text().replace("{", '{"status": "unsolvable",', 1))
    assert "an object has two fields of the same name" in outbox.findings()["one"].problems[0]


def test_whatever_fails_in_a_job_costs_only_that_job(outbox, monkeypatch):
    def failing(published, *_):
        if published.stem == "six":
            raise RuntimeError("by\nmistake")

    monkeypatch.setattr("pipeline.outbox.audit.audit_files", failing)
    said = (r"it cannot be audited: RuntimeError: by\nmistake",)
    assert outbox.findings()["six"].problems == said
    assert verdicts(outbox) == {"one": "ok", "six": "bad", "set": "ok"}


def test_a_set_that_is_replaced_meanwhile_is_looked_at_again(outbox, monkeypatch):
    def replacing(published, source, report):
        monkeypatch.undo()
        report.add_problem("a file of the earlier set is gone")
        outbox.edit("one", build="0")

    monkeypatch.setattr("pipeline.outbox.audit.audit_files", replacing)
    assert verdicts(outbox)["one"] == "ok"


def test_results_whose_record_is_gone_are_found(outbox):
    outbox.path("set.json").unlink()
    outbox.path("mine_1.solution").write_text(OTHER_GRID)
    findings = outbox.findings()
    names = ("mine_1.solution", "set.csv", "set/")
    assert {each.name: each.problems for each in findings.values() if each.problems} == {
        name: (f"{name} is not listed in any record",) for name in names
    }
    assert findings["set.zip"].gaps == ("set.zip is in done/, but has no record",)


def test_an_archive_that_is_said_to_have_failed_hides_nothing(outbox):
    outbox.forget("set", "totals", "certificate")
    outbox.edit("set", status="failed", solutions=0, complete=None, files=[])
    problems = [said for each in outbox.findings().values() for said in each.problems]
    assert "set/ is not listed in any record" in problems
    assert "set.csv is not listed in any record" in problems


def test_a_job_whose_whole_set_is_gone_is_missed(outbox):
    for path in outbox.folder.glob("one*"):
        path.unlink()
    finding = outbox.findings()["one.txt"]
    assert (finding.verdict, finding.claim) == ("unchecked", "no record")
    assert call(outbox)[0] == 1


@pytest.mark.parametrize("name", ["six.csv", "six.cnf", "six_count.cnf", "six_9.solution"])
def test_files_that_a_job_of_that_name_may_have_are_listed_or_found(outbox, name):
    outbox.path(name).write_text("hello")
    assert outbox.findings()[name].problems == (f"{name} is not listed in any record",)


def test_what_somebody_else_keeps_in_the_folder_is_left_alone(outbox):
    outbox.path("my.csv").write_text("a,b\n")
    outbox.path("mine").mkdir()
    (outbox.path("mine") / "notes.txt").write_text("hello")
    assert {*verdicts(outbox).values()} == {"ok"}


def test_the_right_one_of_several_originals_is_taken(outbox):
    outbox.box.drop("one.txt", SIX)
    outbox.box.run("--settle", "0", "--prove", "always")
    assert outbox.box.kept("done") >= {"one.txt", "2/one.txt"}
    finding = outbox.findings()["one"]
    assert (finding.claim, finding.problems) == ("multiple, proved", ())


def test_the_right_one_of_several_folders_of_one_name_is_taken(tmp_path):
    outbox = made(tmp_path, {"one.txt": ONE})
    folder = outbox.box.inbox / "mine"
    folder.mkdir()
    (folder / "a.txt").write_text(TWO)
    (folder / "collection.txt").write_bytes((EXAMPLES / "collection.txt").read_bytes())
    assert outbox.box.run("--settle", "0").returncode == 0
    assert outbox.finding("mine").claim.startswith("archive of 2 members: ")
    assert outbox.problems("mine") == ()
    earlier = outbox.original("2/mine")
    earlier.mkdir(parents=True)
    (earlier / "a.txt").write_text(SIX)
    assert outbox.problems("mine") == ()
    outbox.original("mine/a.txt").write_text(ONE)
    assert outbox.problems("mine")


def test_how_far_a_collection_is_is_told(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("many.txt", "1.....2..3.....4\n" * 3)
    assert box.run("--settle", "0").returncode == 0
    told = []
    terms = AuditOptions(on_rows=lambda *progress: told.append(progress))
    assert [each.verdict for each in audit(box.outbox, [box.inbox / "done"], terms)] == ["ok"]
    assert told == [("many.txt", 3, 3)]
