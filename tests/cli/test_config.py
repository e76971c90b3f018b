"""The settings file: what holds, whence it is, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.solving import TWO

from pipeline.settings import settings_declared

FILE = "sudoku-pipeline.toml"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.txt").write_text(TWO)
    return tmp_path


def counted(*options: str) -> str:
    """What `count` says of a puzzle with two solutions."""
    return run("count", "two.txt", *options)[1].strip()


def test_an_option_beats_the_environment_which_beats_the_file(folder, monkeypatch):
    assert counted() == "2"
    (folder / FILE).write_text("max-solutions = 1\n")
    assert counted() == ">=1"
    monkeypatch.setenv("SUDOKU_PIPELINE_MAX_SOLUTIONS", "2")
    assert counted() == "2"
    assert counted("--max-solutions", "1") == ">=1"


@pytest.mark.parametrize("how", ["option", "environment"])
def test_a_file_elsewhere_is_named_and_takes_the_place_of_the_usual_one(how, folder, monkeypatch):
    (folder / FILE).write_text("max-solutions = 100\n")
    other = folder / "other.toml"
    other.write_text("max-solutions = 1\n")
    if how == "option":
        assert counted("--config", str(other)) == ">=1"
    else:
        monkeypatch.setenv("SUDOKU_PIPELINE_CONFIG", str(other))
        assert counted() == ">=1"


def test_paths_in_a_file_are_relative_to_its_folder(folder):
    home = folder / "home"
    (home / "in").mkdir(parents=True)
    (home / "in" / "two.txt").write_text(TWO)
    (home / "settings.toml").write_text('inbox = "in"\noutbox = "out"\nsettle = 0\nquiet = true\n')
    assert run("run", "--config", "home/settings.toml") == (0, "", "")
    assert (home / "out" / "two_1.solution").exists()
    assert run("audit", "--config", "home/settings.toml")[0] == 0


def test_one_file_serves_all_commands_though_none_takes_all_of_it(folder):
    (folder / FILE).write_text('poll = true\nmax-solutions = 1\nsettle = 1.5\nformat = "grid"\n')
    assert counted() == ">=1"
    assert run("encode", "two.txt")[0] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max-solution = 1\n", "max-solution: no such setting; did you mean max-solutions?"),
        ("max_solutions = 1\n", "max_solutions: no such setting; did you mean max-solutions?"),
        ("xyzzy = 1\n", "xyzzy: no such setting"),
        ("config = 'a'\n", "config: no such setting"),
        ("[run]\nquiet = true\n", "run: no such setting"),
        ("timeout = 'x'\n", "timeout: expected a number from 0.001 to 1,000,000, found 'x'"),
        ("timeout = true\n", "timeout: expected a number from 0.001 to 1,000,000, found True"),
        ("workers = 1.5\n", "workers: expected a whole number from 0 to 1,024, found 1.5"),
        ("quiet = 1\n", "quiet: expected true or false, found 1"),
        ("quiet = 'yes'\n", "quiet: expected true or false, found 'yes'"),
        ("also = ['a']\n", "also: expected a text, found ['a']"),
        ("solver = 'foo'\n", "solver: expected one of auto, minisat, pysat, lanes, found 'foo'"),
        ("timeout = 0\n", "timeout: expected a number from 0.001 to 1,000,000"),
        ("timeout = \n", "line 1, column 11: Invalid value"),
        ("timeout = 1\ntimeout = 2\n", "line 2, column 12: Cannot overwrite a value"),
    ],
)
def test_what_is_no_setting_is_refused_with_its_place(text, said, folder):
    (folder / FILE).write_text(text)
    code, printed, told = run("run")
    assert (code, printed) == (2, "")
    line = told.removeprefix(f"sudoku-pipeline: {FILE}:").strip()
    assert line.split(" (")[0] == said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "No such file"),
        (Path.mkdir, "directory"),
        (lambda path: path.write_bytes(b"\xff"), "expected UTF-8, found something else at byte 1"),
        (lambda path: path.write_bytes(b"#" * 2**21), "at most 1,048,576 bytes"),
        (lambda path: path.write_bytes(b"timeout = " + b"1" * 5000), "limit"),
        (lambda path: path.write_bytes(b"a = " + b"[" * 5000), "recursion"),
        (lambda path: path.write_bytes(b'inbox = "a\\u0000b"'), "expected a text"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(make, said, folder):
    make(folder / "a.toml")
    code, _, told = run("run", "--config", "a.toml")
    assert (code, said in told, "a.toml" in told) == (2, True, True)


HARMFUL = {
    "inbox": '"elsewhere"',
    "outbox": '"elsewhere"',
    "metrics": '"elsewhere"',
    "minisat": '"./evil"',
    "on-done": '"./evil"',
    "on-bad": '"./evil"',
    "cluster": '"tcp://127.0.0.1:1"',
    "trust-solver": "true",
    "memory-limit": "64",
    "max-bytes": "1",
    "max-total-bytes": "1",
}


@pytest.mark.parametrize("name", HARMFUL)
@pytest.mark.parametrize("command", [["run"], ["solve", "two.txt"]], ids=" ".join)
def test_a_file_that_is_only_found_does_not_hold_what_could_harm(name, command, folder):
    """Else whoever may drop a puzzle might have a program run, or files written elsewhere."""
    (folder / FILE).write_text(f"quiet = true\n{name} = {HARMFUL[name]}\n")
    code, printed, said = run(*command)
    assert (code, printed) == (2, "")
    why = f"not taken from a file that was only found; name it: --config {FILE}"
    assert said == f"sudoku-pipeline: {FILE}: {name}: {why}\n"


def test_these_are_all_the_risky_settings():
    risky = {setting.key for setting in settings_declared().values() if setting.risky}
    assert risky == HARMFUL.keys()


def test_a_file_that_is_named_may_name_a_program(folder):
    (folder / "my.toml").write_text('minisat = "./none"\nsolver = "minisat"\n')
    code, _, said = run("solve", "two.txt", "--config", "my.toml")
    assert (code, "./none: not a program" in said) == (2, True)


def test_doctor_says_which_settings_are_no_defaults_and_whence(folder, monkeypatch):
    (folder / FILE).write_text("max-solutions = 7\nquiet = true\n")
    monkeypatch.setenv("SUDOKU_PIPELINE_TIMEOUT", "9")
    _, printed, _ = run("doctor", "--json", "--workers", "1")
    about = [each["about"] for each in json.loads(printed)]
    settings = [each for each in about if ", by " in each]
    assert sorted(settings) == [
        f"max-solutions is 7, by {FILE}",
        f"quiet is true, by {FILE}",
        "timeout is 9, by SUDOKU_PIPELINE_TIMEOUT",
        "workers is 1, by an option",
    ]
