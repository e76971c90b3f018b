"""What somebody adds beside the answers: marks, fields and folders are found."""

from __future__ import annotations

import codecs
import shutil

import pytest
from support.notations import ISS
from support.outboxes import ONE, in_a_line, packed
from support.puzzles import NONE, TWO

LINES = in_a_line(ONE) + in_a_line(TWO)
FILES = {
    "one.txt": ONE,
    "two.txt": TWO,
    "none.txt": NONE,
    "some.cnf": "p cnf 2 3\n1 2 0\n-1 2 0\n1 -2 0\n",
    "ruled.txt": f"{ISS}\n",
    "lines.txt": LINES,
    "set.zip": packed(("in/one.txt", ONE), ("in/lines.txt", LINES), ("deep/er/two.txt", TWO)),
}


OPTIONS = ("--keep-cnf",)


def test_what_was_published_passes(original):
    assert {each.verdict for each in original.findings().values()} == {"ok"}


MARKED = {
    "one": ("one.json", "one.proof.cnf", "one.proof.drat"),
    "some": ("some_1.solution",),
    "ruled": ("ruled_1.solution",),
    "lines": ("lines.json", "lines.csv", "lines_1.solution"),
    "set": ("set.json", "set.csv"),
    "set/in/one": ("set/in/one.json",),
}


@pytest.mark.parametrize(("stem", "name"), [(s, n) for s in MARKED for n in MARKED[s]])
def test_a_byte_order_mark_is_found(stem, name, outbox):
    marked = codecs.BOM_UTF8 + outbox.path(name).read_bytes()
    if name.endswith(".json"):
        outbox.path(name).write_bytes(marked)
    else:
        outbox.write(name, marked, stem)
    assert outbox.problems(stem.partition("/")[0])


@pytest.mark.parametrize("stem", ["one", "some", "lines", "set", "set/in/one", "set/in/lines"])
def test_a_field_that_no_record_has_is_found(stem, outbox):
    job = stem.partition("/")[0]
    within = "in/" + stem.rpartition("/")[2] + ".txt: " if "/" in stem else ""
    outbox.edit(stem, verified_by="me")
    assert outbox.problems(job) == (f"{within}verified_by: unknown field",)
    outbox.forget(stem, "verified_by")
    outbox.edit_in(stem, "certificate", trust=None)
    assert outbox.problems(job) == (f"{within}certificate.trust: unknown field",)


def test_a_field_that_no_file_of_a_record_has_is_found(outbox):
    first, *others = outbox.record("one")["files"]
    outbox.edit("one", files=[first | {"size": 3}, *others])
    assert outbox.problems("one") == ("files.size: unknown field",)


@pytest.mark.parametrize("name", ["new", "in/new", "in/new/er"])
def test_an_empty_folder_in_a_tree_is_found(name, outbox):
    path = outbox.path("set") / name
    path.mkdir(parents=True)
    problems = outbox.problems("set")
    assert f"set/{name}/ is an empty folder" in problems
    assert all(said.endswith("is an empty folder") for said in problems)


def test_the_folder_of_a_member_that_could_not_be_written_is_no_stray_one(outbox):
    shutil.rmtree(outbox.path("set/deep"))
    (outbox.path("set") / "deep" / "er").mkdir(parents=True)
    why = {"status": "failed", "solutions": "0", "complete": "", "certificate": ""}
    why |= {"puzzle": "", "solution": "", "message": "it cannot be written: no room"}
    outbox.set_row("set.csv", "set", 4, **why)
    totals = outbox.record("set")["totals"]
    outbox.edit("set", totals=totals | {"multiple": totals["multiple"] - 1, "failed": 1})
    known = outbox.record("set")["certificate"]
    outbox.edit_in("set", "certificate", proved=known["proved"] - 1)
    assert outbox.problems("set") == ()
    (outbox.path("set") / "deep" / "est").mkdir()
    assert outbox.problems("set") == ("set/deep/est/ is an empty folder",)
