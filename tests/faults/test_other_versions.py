"""Jobs that another version left in work are taken up, and two versions share an inbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import left_behind
from support.breaking import Bench
from support.many import answers, check_records, check_tidy

STORED = {path.stem: json.loads(path.read_text()) for path in left_behind.FOLDER.iterdir()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, breaker):
    """What becomes of each source, and the exit code, where nothing is killed."""
    found = {}
    for what in ("puzzle", "collection", "folder"):
        bench = Bench.within(tmp_path_factory.mktemp(what), breaker)
        left_behind.drop(bench.box, what)
        code, _ = bench.run()
        found[what] = code, bench.box.record("set"), answers(bench.box)
    return found


@pytest.mark.parametrize(
    ("version", "state"), [(version, state) for version in STORED for state in STORED[version]]
)
def test_a_job_that_another_version_left_on_another_machine_is_taken_up(
    version, state, bench, undisturbed
):
    code, record, expected = undisturbed[left_behind.KILLED[state][0]]
    left_behind.restore(bench.box, STORED[version][state])
    assert bench.run()[0] == (0 if state == "puzzle published" else code)
    assert answers(bench.box) == expected
    names = ("status", "totals", "solutions", "complete", "sha256")
    found = bench.box.record("set")
    assert {name: found.get(name) for name in names} == {name: record.get(name) for name in names}
    check_records(bench.box)
    check_tidy(bench.box)
    assert {Path(name).parts[0] for name in bench.box.kept("done")} == {"set"}
