"""Every command that prints has `--json`: an object a line, with the names that its help gives."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from support.commands import run, solve_dimacs
from support.pages import COMMANDS, ROOT

LOGS, IS_JSON = {"run", "watch", "serve"}, {"schema"}
EXAMPLES = {
    "solve": ["line.sdm", "six.txt"],
    "count": ["line.sdm", "two.txt"],
    "sheet": ["line.sdm", "colours.cnf", "-o", "sheet.html"],
    "encode": ["line.sdm", "colours.cnf", "-o", "formulas/"],
    "decode": ["six.txt", "six.out"],
    "convert": ["--to", "lines", "line.sdm", "killer.txt"],
    "generate": ["2", "--seed", "3"],
    "dedupe": ["line.sdm", "line.sdm"],
    "certify": ["six.txt", "outbox/six_1.solution"],
    "audit": [],
    "proof": ["six.json", "-o", "proofs"],
    "report": [],
    "bench": ["--solvers", "glucose4", "six.txt", "nothing.txt"],
    "init": ["made"],
    "status": [],
    "retry": ["nothing.txt"],
    "prune": ["--older-than", "0s"],
    "doctor": [],
}

NAMES = {
    "count": "source solutions complete status message",
    "sheet": "file puzzles pages rules solutions steps omitted",
    "encode": "source line variables clauses file puzzles reason",
    "decode": "source solution",
    "convert": "source line text reason",
    "generate": "index puzzle givens solution certificate nodes effort rating seed",
    "dedupe": "source line first_source first_line",
    "certify": "source valid faults",
    "audit": "name claim problems gaps notes verdict",
    "proof": "name status proved variables clauses steps files reason other_solution",
    "report": "file puzzles totals steps",
    "bench": "name line variables clauses status runs reason",
    "init": "path made",
    "status": "waiting settling ignored in_work failed done scan_age stuck",
    "retry": "name retried reason",
    "prune": "path deleted",
    "doctor": "level about remedy",
}
"""The names in the objects that the EXAMPLES print, together; those of `solve` are a record's."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    path = tmp_path_factory.mktemp("desk")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        for name in ("line.sdm", "six.txt", "killer.txt", "colours.cnf"):
            shutil.copy(ROOT / "examples" / name, name)
        Path("two.txt").write_text("1...............")
        Path("nothing.txt").write_text("no puzzle")
        Path("inbox").mkdir()
        shutil.copy("six.txt", "inbox")
        assert run("run", "--grace", "0", "-q")[0] == 0
        assert run("encode", "six.txt", "-o", "six.cnf")[0] == 0
        solve_dimacs("six.cnf", "six.out")
        yield path


def test_every_command_that_prints_has_it():
    having = {name for name, each in COMMANDS.items() for p in each.params if "--json" in p.opts}
    assert having == {*COMMANDS} - LOGS - IS_JSON == {*EXAMPLES} == {*NAMES, "solve"}


@pytest.mark.parametrize("command", EXAMPLES)
@pytest.mark.usefixtures("desk")
def test_standard_output_has_an_object_a_line_and_nothing_else(command):
    code, printed, _ = run(command, *EXAMPLES[command], "--json")
    assert code in (0, 1)
    told = [json.loads(line) for line in printed.splitlines()]
    assert told
    assert all(isinstance(each, dict) for each in told)
    names = {name for each in told for name in each}
    if command == "solve":
        assert names == {*json.loads(Path("outbox/six.json").read_bytes()), "texts"}
        return
    assert names == {*NAMES[command].split()}
    (option,) = (each for each in COMMANDS[command].params if "--json" in each.opts)
    assert names <= {*re.findall(r"\w+", option.help)}


@pytest.mark.parametrize("options", ["--times", "--svg -"])
@pytest.mark.usefixtures("desk")
def test_nothing_else_is_printed_beside_the_records_of_solve(options):
    code, printed, said = run("solve", "six.txt", "--json", *options.split())
    assert (code, printed) == (2, "")
    assert "--json" in said


@pytest.mark.usefixtures("desk")
def test_records_are_no_boards():
    assert run("solve", "six.txt", "--json", "--board")[2] == run("solve", "six.txt", "--json")[2]


@pytest.mark.usefixtures("desk")
def test_encode_tells_programs_why_a_puzzle_alone_is_not_encoded():
    code, printed, said = run("encode", "nothing.txt", "--json")
    told = json.loads(printed)
    assert (code, told["source"], told["reason"] + "\n") == (1, "nothing.txt", said)
