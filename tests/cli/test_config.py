"""The settings file: which settings hold, where they come from, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.commands import run
from support.puzzles import TWO

from pipeline.settings import settings_declared

FILE = "sudoku-pipeline.toml"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.txt").write_text(TWO)
    return tmp_path


def counted(*options: str) -> str:
    """The count of a puzzle with two solutions."""
    return run("count", "two.txt", *options)[1].strip()


def test_an_option_beats_the_environment_which_beats_the_file(folder, monkeypatch):
    assert counted() == "2"
    (folder / FILE).write_text("max-solutions = 1\n")
    assert counted() == ">=1"
    monkeypatch.setenv("SUDOKU_PIPELINE_MAX_SOLUTIONS", "2")
    assert counted() == "2"
    assert counted("--max-solutions", "1") == ">=1"


def test_a_file_elsewhere_is_named_and_takes_the_place_of_the_usual_one(folder, monkeypatch):
    (folder / FILE).write_text("max-solutions = 100\n")
    (folder / "other.toml").write_text("max-solutions = 1\n")
    assert (counted(), counted("--config", "other.toml")) == ("2", ">=1")
    monkeypatch.setenv("SUDOKU_PIPELINE_CONFIG", "other.toml")
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
        ("max-solution = 1", "max-solution: unknown setting; did you mean max-solutions?"),
        ("max_solutions = 1", "max_solutions: unknown setting; did you mean max-solutions?"),
        ("xyzzy = 1", "xyzzy: unknown setting"),
        ("config = 'a'", "config: unknown setting"),
        ("[run]\nquiet = true", "run: unknown setting"),
        (
            "timeout = 'x'",
            (
                "timeout: expected a number of seconds from 0.001 to 1,000,000, "
                "or a value with a unit such as 5m, found 'x'"
            ),
        ),
        (
            "timeout = true",
            (
                "timeout: expected a number of seconds from 0.001 to 1,000,000, "
                "or a value with a unit such as 5m, found"
            ),
        ),
        ("workers = 1.5", "workers: expected a whole number from 0 to 1,024, found 1.5"),
        ("quiet = 1", "quiet: expected true or false, found 1"),
        ("quiet = 'yes'", "quiet: expected true or false, found 'yes'"),
        ("traits = ['a']", "traits: expected a string, found ['a']"),
        ("solver = 'foo'", "solver: expected one of auto, minisat, pysat, batch, found 'foo'"),
        ("timeout = 0", "timeout: expected a number of seconds from 0.001 to 1,000,000"),
        ("timeout = ", "line 1, column 11: Invalid value"),
        ("timeout = 1\ntimeout = 2", "line 2, column 12: Cannot overwrite a value"),
        ("# \xff", "expected UTF-8, found an invalid byte at position 3"),
        ("#" * 2**21, "expected at most 1,048,576 bytes, found more"),
        ("timeout = " + "1" * 5000, "Exceeds the limit"),
        ("a = " + "[" * 5000, "maximum recursion depth exceeded"),
        ('inbox = "a\\u0000b"', "expected a string"),
        (None, "No such file"),
    ],
    ids=lambda text: str(text)[:20],
)
def test_a_file_with_a_fault_is_refused_with_its_place(text, said, folder):
    if text is not None:
        (folder / "a.toml").write_bytes(text.encode("latin-1") + b"\n" * (len(text) < 99))
    code, printed, told = run("run", "--config", "a.toml")
    assert (code, printed, told.count("\n")) == (2, "", 1)
    assert told.startswith("sudoku-pipeline: a.toml: ")
    assert said in told


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
    "max-members": "1",
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_file_that_is_only_found_does_not_hold_a_risky_setting(name, folder):
    """Else whoever may drop a puzzle might have a program run, or files written elsewhere."""
    assert {each.key for each in settings_declared().values() if each.is_risky} == HARMFUL.keys()
    (folder / FILE).write_text(f"quiet = true\n{name} = {HARMFUL[name]}\n")
    why = "not allowed in a settings file that was not named; "
    why += f"to trust this file, pass --config {FILE}"
    for command in (["run"], ["solve", "two.txt"]):
        assert run(*command) == (2, "", f"sudoku-pipeline: {FILE}: {name}: {why}\n")


@pytest.mark.parametrize("options", [[], ["--config", "named.toml"]])
def test_a_pipe_is_no_settings_file(options, folder):
    """Nobody writes to it: to open it as usual would wait for ever."""
    name = options[-1] if options else FILE
    os.mkfifo(folder / name)
    why = "expected a regular file, found a named pipe"
    assert run("count", "two.txt", *options) == (2, "", f"sudoku-pipeline: {name}: {why}\n")


def test_a_link_to_a_file_is_a_settings_file_and_dev_null_an_empty_one(folder):
    (folder / "one.toml").write_text("max-solutions = 1\n")
    (folder / FILE).symlink_to("one.toml")
    assert counted() == ">=1"
    assert counted("--config", "/dev/null") == "2"


def test_a_file_that_is_named_may_name_a_program(folder):
    (folder / "my.toml").write_text('minisat = "./none"\nsolver = "minisat"\n')
    code, _, said = run("solve", "two.txt", "--config", "my.toml")
    assert (code, "./none: not a program" in said) == (2, True)


def test_doctor_shows_where_each_changed_setting_comes_from(folder, monkeypatch):
    (folder / FILE).write_text("max-solutions = 7\nquiet = true\n")
    monkeypatch.setenv("SUDOKU_PIPELINE_TIMEOUT", "9")
    _, printed, _ = run("doctor", "--json", "--workers", "1")
    about = [json.loads(each)["about"] for each in printed.splitlines()]
    assert sorted(each for each in about if ", from " in each) == [
        f"--max-solutions is 7, from {FILE}",
        f"--quiet is true, from {FILE}",
        "--timeout is 9s, from SUDOKU_PIPELINE_TIMEOUT",
        "--workers is 1, from the command line",
    ]
