"""Records and rows of schema 1, read as schema 2, and what commands make of such an outbox."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.commands import run
from support.drop_folders import DropFolder
from support.outboxes import Outbox

from pipeline.outbox import NoRecord, load_record, record_of, unknown_fields
from pipeline.outbox.schema1 import upgrade_record, upgrade_row
from pipeline.outbox.tables import MemberRow, PuzzleRow, read_rows

COLLECTION = {"schema": 1, "job": "j", "source": "a.txt", "status": "collection", "files": []}
GOLDEN = Path(__file__).parent / "golden" / "0.1.0-33292043"


@pytest.fixture
def outbox(tmp_path) -> Outbox:
    shutil.copytree(GOLDEN, tmp_path, dirs_exist_ok=True)
    (tmp_path / "inbox" / "failed").mkdir()
    return Outbox(DropFolder(tmp_path / "inbox", tmp_path / "outbox"))


def test_words_of_schema_1_are_read_as_those_of_schema_2(outbox):
    def record(stem):
        return load_record(outbox.folder / f"{stem}.json")

    assert record("trusted").schema == 1
    assert record("trusted").certificate.complete == "unverified"
    assert record("trusted-lines").certificate.unverified == 2
    assert record("caged").certificate.by == "exhaustive-search"
    assert [rule.text for rule in record("caged").redundant_rules] == ["cage 3 at r1c1"]
    assert [rule.number for rule in record("cages-clash").conflict_rules] == [1, 2]
    assert record("batch").solver.name == "batch"
    lines = [*read_rows(outbox.folder / "trusted-lines.csv", PuzzleRow, 1)]
    assert [row.certificate for row in lines] == ["unverified", "unverified", ""]
    assert lines[0].message == "unverified: --trust-solver"
    members = [*read_rows(outbox.folder / "trusted-set.csv", MemberRow, 1)]
    assert [row.certificate for row in members] == ["unverified", ""]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1,1,2,unique,1,true,claimed,2,claimed: no time,,", "unverified,2,unverified: no time,,"),
        ('1,1,"a,""claimed"",b",unique,1,true,exhaustion,2,,,', "exhaustive-search,2,,,"),
        ("1,1,2,unique,1,true,lrat,2,a claimed thing,,", "lrat,2,a claimed thing,,"),
        ("1,1,claimed,invalid,0,,,,claimed: no,,", ",,claimed: no,,"),
        (
            "1,1,2,unique,1,true,claimed,2,,,claimed: a title",
            "unverified,2,,,claimed: a title",
        ),
        (
            '1,1,2,unique,1,true,claimed,2,"read, so; claimed: no time",,',
            '"read, so; unverified: no time",,',
        ),
        ("claimed", "claimed"),
    ],
)
def test_only_the_certificate_of_a_row_and_its_reason_are_renamed(line, expected):
    assert upgrade_row(line, PuzzleRow).endswith(expected)
    assert upgrade_row(line, PuzzleRow)[:20] == line[:20]


def test_values_of_unexpected_types_are_left_to_the_reader():
    odd = {"certificate": ["claimed"], "solver": {"name": 3}, "conflict_rules": [1, {"told": 2}]}
    odd |= {"fallbacks": {"solver": "lanes"}, "redundant_rules": "told"}
    assert upgrade_record(odd) == odd | {"conflict_rules": [1, {"text": 2}]}


@pytest.mark.parametrize(
    ("stem", "fields"),
    [
        ("trusted", {"certificate": {"solutions": "checked", "complete": "claimed"}}),
        ("batch", {"solver": {"name": "lanes"}}),
        ("trusted-lines", {"certificate": {"solutions": "checked", "proved": 0, "claimed": 2}}),
    ],
)
def test_a_record_of_schema_2_may_not_have_words_of_schema_1(outbox, stem, fields):
    assert outbox.finding(stem).verdict == "ok"
    outbox.edit(stem, schema=2, **fields)
    finding = outbox.finding(stem)
    assert finding.problems or any("another version wrote it" in note for note in finding.notes)


def test_a_forged_answer_of_schema_1_is_found(outbox):
    outbox.edit("trusted", certificate={"solutions": "checked", "complete": "proved"})
    assert outbox.finding("trusted").verdict == "bad"
    outbox.set_row("trusted-lines.csv", "trusted-lines", 1, certificate="exhaustion", message="")
    assert outbox.finding("trusted-lines").verdict == "bad"


def test_commands_take_an_outbox_of_schema_1(outbox):
    folders = ("--inbox", str(outbox.box.inbox), "--outbox", str(outbox.folder))

    def verdicts() -> set[str]:
        _, printed, _ = run("audit", "--json", *folders)
        return {json.loads(line)["verdict"] for line in printed.splitlines()}

    assert verdicts() == {"ok"}
    assert run("report", str(outbox.folder), "-o", "-")[0] == 0
    _, printed, _ = run("convert", "--to", "lines", "--solutions", str(outbox.folder))
    assert "1243342143122134" in printed
    assert run("prune", "--older-than", "0s", *folders)[0] == 0
    assert not [*outbox.folder.glob("*.log")]
    assert verdicts() == {"unchecked"}, "the originals were deleted, too"


@pytest.mark.parametrize("names", [("claimed", "unverified"), ("unverified", "claimed")])
def test_a_field_under_both_its_names_hides_nothing(names):
    counts = dict.fromkeys(names, 5) | {"claimed": 99}
    told = upgrade_record(COLLECTION | {"certificate": {"solutions": "checked", **counts}})
    assert told["certificate"] == {"solutions": "checked", **counts}
    known = {"certificate": {"solutions": "", "unverified": 0}}
    assert [*unknown_fields({"certificate": told["certificate"]}, known)] == ["certificate.claimed"]


def test_a_rule_with_both_texts_is_refused():
    rule = {"number": 1, "told": "cage", "text": "another"}
    told = COLLECTION | {"status": "unsolvable", "conflict_rules": [rule]}
    with pytest.raises(NoRecord, match="unknown field `told`"):
        record_of(upgrade_record(told))
