"""Command lines: how values are read, and in which words mistakes are told."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from support.commands import run
from support.dropping import environment
from support.solving import UNIQUE

from pipeline.version import __version__


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("runn", "'runn'.* 'run'"),
        ("frobnicate", "'frobnicate'"),
        ("run --timout 3", "--timout.* --timeout"),
        ("run --frobnicate", "--frobnicate"),
        ("--outbox a run", "--outbox"),
        ("run extra", "extra"),
        ("run --timeout x", "--timeout: expected a number from 0.001 to 1,000,000, found 'x'"),
        ("run --timeout", "--timeout.* requires an argument"),
        ("run --timeout 0", "--timeout: expected a number from 0.001 to 1,000,000"),
        ("run --workers 1.5", "--workers: expected a whole number from 0 to 1,024, found '1.5'"),
        ("run --quiet=3", "--quiet.* not take a value"),
        ("run --solver foo", "--solver: expected one of auto, minisat, .*, found 'foo'"),
        ("solve", "FILES is missing"),
        ("prune", "--older-than is missing"),
        ("proof a.csv 1 two", "INDEX: expected a whole number, found 'two'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(line, said):
    code, printed, told = run(*line.split())
    assert (code, printed) == (2, "")
    assert re.fullmatch(f"sudoku-pipeline: .*{said}.*\n", told)


def test_a_mistyped_name_cannot_command_the_terminal():
    for line in (["\x1b[2J"], ["run", "--\x1b[2J"], ["run", "\x1b[2J"]):
        told = run(*line)[2]
        assert "\x1b" not in told
        assert "\\x1b" in told


def test_without_a_command_the_help_is_shown_and_that_is_an_error():
    code, printed, said = run()
    assert (code, said) == (2, "")
    assert printed.lstrip().startswith("Usage: ")


@pytest.mark.parametrize("command", [[], ["run"], ["solve"]], ids=["", "run", "solve"])
def test_help_has_a_short_name(command):
    assert run(*command, "-h") == run(*command, "--help")
    assert run(*command, "-h")[0] == 0


def test_the_version_is_told():
    assert run("--version") == (0, f"sudoku-pipeline {__version__}\n", "")


def test_settings_may_stand_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(UNIQUE)
    monkeypatch.setenv("SUDOKU_PIPELINE_TRUST_SOLVER", "yes")
    assert "only claimed: --trust-solver" in run("solve", "a.txt")[2]
    monkeypatch.setenv("SUDOKU_PIPELINE_TRUST_SOLVER", "off")
    assert run("solve", "a.txt")[2] == ""


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TIMEOUT", "x", "expected a number from 0.001 to 1,000,000, found 'x'"),
        ("QUIET", "perhaps", "expected true or false, found 'perhaps'"),
    ],
)
def test_a_wrong_value_in_the_environment_is_named_after_its_variable(
    name, value, said, monkeypatch
):
    variable = f"SUDOKU_PIPELINE_{name}"
    monkeypatch.setenv(variable, value)
    assert run("run") == (2, "", f"sudoku-pipeline: {variable}: {said}\n")


def test_a_variable_that_is_no_setting_is_told_and_harms_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(UNIQUE)
    monkeypatch.setenv("SUDOKU_PIPELINE_TIMOUT", "3")
    code, printed, said = run("solve", "a.txt")
    assert (code, printed.splitlines()[0]) == (0, "unique")
    hint = "did you mean SUDOKU_PIPELINE_TIMEOUT?"
    assert said == f"sudoku-pipeline: SUDOKU_PIPELINE_TIMOUT: there is no such setting; {hint}\n"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("sudoku-pipeline ru", "run"), ("sudoku-pipeline solve --max-s", "--max-solutions")],
)
def test_shells_can_complete_commands_and_options(typed, offered):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    asked = environment() | words | {"_SUDOKU_PIPELINE_COMPLETE": "complete_bash"}
    code = "import sys; sys.argv = ['sudoku-pipeline']; from pipeline.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=asked, capture_output=True, text=True, check=False
    )
    assert offered in done.stdout.split()
