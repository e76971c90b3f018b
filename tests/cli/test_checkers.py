"""`--checker`: another program confirms proofs, and one that lies, fails or hangs does no harm.

The programs that do confirm are `tests/support/lrat_check.py` under the names of real ones.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from support import lrat_check
from support.commands import run
from support.outboxes import dropped, made_once
from support.puzzles import TWO, UNIQUE

from pipeline.certify.formula import Formula
from pipeline.cli.proof_files import Checker
from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, SolverMissing
from pipeline.limits import Deadline

FOUR = Formula(2, ((1, 2), (1, -2), (-1, 2), (-1, -2)))
TRUE = "5 1 0 1 2 0\n6 0 5 3 4 0\n"
WRONG = "5 1 0 1 2 0\n6 0 5 3 0\n"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a program on the PATH, by the text of a script for sh, or for Python."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    def put(name, text):
        path = tmp_path / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
        return name

    return put


@pytest.fixture(params=["cake_lpr", "lrat-check"])
def checker(request, program):
    """A program that checks, with the verdict of the real one of that name."""
    verdict = {"cake_lpr": "s VERIFIED UNSAT", "lrat-check": "c VERIFIED"}[request.param]
    text = Path(lrat_check.__file__).read_text().partition("\n")[2]
    text = text.replace('print("s VERIFIED UNSAT")', f'print("c parsed\\n{verdict}\\nc done")')
    return program(request.param, f"#!{sys.executable}\n{text}")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = made_once(tmp_path_factory, "to-confirm", _make)
    return folder / "outbox", folder / "inbox"


def _make(folder):
    files = {"one.txt": UNIQUE, "two.txt": TWO, "lines.txt": f"{UNIQUE}{TWO}"}
    dropped(folder, files, "--prove", "always")


def confirm(name, proof=TRUE, seconds=30.0):
    Checker(name).confirm(FOUR.text(), proof, Deadline(time.monotonic() + seconds, "it is over"))


def test_a_program_confirms_what_holds_and_nothing_else(checker):
    confirm(checker)
    for proof in (WRONG, "", TRUE[:-5]):
        with pytest.raises(SolverError, match=f"{checker} exited with code 1 and printed '"):
            confirm(checker, proof)


@pytest.mark.parametrize(
    "script",
    [
        "exit 0",
        "echo s VERIFIED",
        "echo s VERIFIED UNSAT; exit 1",
        "echo s VERIFIED UNSAT; kill -9 $$",
        "echo s NOT VERIFIED UNSAT",
        "echo c s VERIFIED UNSAT",
        "echo c NOT VERIFIED",
        "head -c 3000000 /dev/zero; echo s VERIFIED UNSAT",
        "printf '\\377\\376'; exit 3",
    ],
)
def test_a_program_that_does_not_both_say_so_and_end_well_confirms_nothing(program, script):
    with pytest.raises(SolverError, match=r"^cake_lpr exited with code "):
        confirm(program("cake_lpr", f"#!/bin/sh\n{script}\n"))


def test_a_program_that_hangs_is_ended_with_its_children(program, tmp_path):
    note = tmp_path / "still here"
    name = program("cake_lpr", f"#!/bin/sh\n(sleep 2; touch '{note}') &\nwait\nsleep 100\n")
    began = time.monotonic()
    with pytest.raises(LimitReached, match="cake_lpr: it is over"):
        confirm(name, seconds=0.2)
    assert time.monotonic() - began < 2


def test_a_program_that_is_not_there_or_cannot_run_is_named(program, made):
    with pytest.raises(SolverMissing, match="--checker nothing: no such program"):
        confirm("nothing")
    with pytest.raises(EnvironmentFailure, match=r"cannot run .*cake_lpr: "):
        confirm(program("cake_lpr", "#!/nowhere/at/all\n"))
    code, _, said = run("audit", str(made[0]), "--checker", "nothing")
    assert (code, "no such program; install it" in said) == (2, True)


def test_only_proofs_that_it_confirms_are_written(checker, program, made, tmp_path):
    outbox, inbox = made
    where = ("--inbox", str(inbox), "-o", str(tmp_path / "proofs"), "--checker", checker)
    code, printed, said = run("proof", str(outbox / "two.json"), *where)
    assert (code, said, "two.proof.lrat" in printed) == (0, "", True)
    assert run("proof", str(outbox / "lines.csv"), *where)[0] == 0
    program(checker, "#!/bin/sh\necho c no\nexit 1\n")
    why = f"{checker} exited with code 1 and printed 'c no'"
    said = f"one.json: the checker did not confirm the proof: {why}\n"
    assert run("proof", str(outbox / "one.json"), *where) == (1, "", said)
    assert len([*(tmp_path / "proofs").glob("*.lrat")]) == 3


def test_an_audit_has_published_proofs_confirmed(checker, program, made):
    outbox, inbox = made
    options = ("audit", str(outbox), "--originals", str(inbox / "done"), "--checker", checker)
    assert run(*options)[0] == 0
    program(checker, "#!/bin/sh\necho c no\nexit 1\n")
    code, printed, _ = run(*options)
    assert (code, "ok         lines" in printed) == (1, True), "its rows were searched"
    assert f"BAD        one  one.proof.lrat: {checker} exited with code 1" in printed
