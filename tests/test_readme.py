"""What the README, the --help pages and the docstrings promise is there and runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer.main
from support.commands import run, solve_dimacs

import pipeline
from pipeline.cli import application

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
COLLECTION = ROOT / "examples" / "collection.txt"
FORMULAS = {*(ROOT / "examples").glob("*.cnf")}
EXAMPLES = sorted({*(ROOT / "examples").iterdir()} - {COLLECTION} - FORMULAS)
COMMANDS = typer.main.get_command(application()).commands


def example_lines(command: str) -> list[str]:
    """The command lines that a command's --help shows."""
    shown = (line.strip() for line in COMMANDS[command].help.splitlines())
    return [line for line in shown if re.match(r"(cat \S+ \| )?sudoku-pipeline ", line)]


def options() -> dict[str, tuple[str, list[str]]]:
    """Each option → a pattern of its spellings, and the examples of the commands that take it."""
    found: dict[str, tuple[str, list[str]]] = {}
    for name, command in COMMANDS.items():
        for parameter in command.params:
            flags = [flag for flag in parameter.opts if flag.startswith("-")]
            if flags:
                pattern = rf"(?<![-\w])({'|'.join(flags)})(?![-\w])"
                found.setdefault(flags[0], (pattern, []))[1].extend(example_lines(name))
    return found


OPTIONS = options()
RUNNABLE = [line for command in COMMANDS if command != "watch" for line in example_lines(command)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command):
    assert re.search(rf"sudoku-pipeline {command}\b|`{command}\b", README)


@pytest.mark.parametrize(
    "flag",
    sorted(OPTIONS),
)
def test_every_option_is_in_the_readme_or_in_an_example_of_its_command(flag):
    pattern, lines = OPTIONS[flag]
    assert re.search(pattern, "\n".join([README, *lines]))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_in_its_help(command):
    code, printed, _ = run(command, "--help")
    assert code == 0
    assert example_lines(command)
    flat = " ".join(printed.split())
    assert all(line in flat for line in example_lines(command)), "as one line, to be copied"


def test_the_readme_sets_up_in_one_line_and_tests_in_another():
    first, second = re.findall(r"^    python3 -m venv .*", README, re.MULTILINE)
    assert all(part in first for part in ("pip install '.[fast]'", "examples/", " run ", "outbox/"))
    assert all(part in second for part in ("pip install", "[test]", "pytest"))


def test_what_is_installed_with_an_extra_is_installed_from_the_clone():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"pip install '?([^\s'\[]*)\[(\w+)\]", README)
    assert {what for what, _ in named} == {"."}
    assert {"cluster", "native", "test"} <= {extra for _, extra in named}
    assert {extra for _, extra in named} <= project["optional-dependencies"].keys()


def test_every_file_that_the_readme_names_is_there():
    named = set(re.findall(r"\b(?:examples|tests|bench|contrib|docs)/[\w./-]*\w", README))
    assert "examples/even-odd.sudoku" in named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_python_of_the_readme_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    status, *rows = finished.stdout.splitlines()
    assert status == "unique"
    assert [len(row.split()) for row in rows[:9]] == [9] * 9
    assert rows[9:14] == ["unique 1"] * 4 + ["multiple 2"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_of_a_single_puzzle_is_solved(example):
    code, printed, said = run("solve", str(example))
    assert code == 0
    assert printed.startswith(("unique\n", "multiple: all ", "unsolvable\n"))
    assert "expected" not in said


def test_every_example_of_a_formula_is_answered():
    answers = {path.stem: run("solve", str(path)) for path in FORMULAS}
    code, printed, said = answers["pigeons"]
    assert (code, printed) == (0, "s UNSATISFIABLE\n")
    assert "proved by" in said
    code, printed, said = answers["colours"]
    assert (code, printed.splitlines()[0], said) == (0, "s SATISFIABLE", "")


def test_there_is_an_example_of_every_format_of_single_puzzles():
    read = {pipeline.parse_source(path.read_bytes(), path.name).format for path in EXAMPLES}
    assert {name.split()[0] for name in read} == {known.name for known in pipeline.parse.FORMATS}


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Folders and files as the examples of --help take them, and `sudoku-pipeline` itself."""
    root = tmp_path_factory.mktemp("machine")
    shutil.copytree(ROOT / "examples", root / "examples")
    shutil.copytree(ROOT / "examples", root / "inbox")
    for name in ("outbox", "srv/sudoku/in", "srv/sudoku/out", "mnt/share/in", "bin"):
        (root / name).mkdir(parents=True)
    script(root, "sudoku-pipeline", f'exec {sys.executable} -m pipeline "$@"')
    if shutil.which("jq") is None:
        script(root, "jq", "exec cat")
    assert shell(root, "sudoku-pipeline run --settle 0 --log-format json").returncode == 0
    for how, name in (
        ([str(ROOT / "examples" / "classic.sudoku")], "classic"),
        (["--empty", "3x3", "--numbering", "decimal"], "empty"),
    ):
        cnf, found = (str(root / f"{name}.{ending}") for ending in ("cnf", "out"))
        assert run("encode", *how, "-o", cnf) == (0, "", "")
        solve_dimacs(cnf, found)
    return root


def test_the_example_of_a_collection_is_solved_with_the_others(machine):
    record = json.loads((machine / "outbox" / "collection.json").read_text())
    assert record["status"] == "collection"
    assert record["totals"] == {"multiple": 1, "unique": 4}
    puzzles = COLLECTION.read_text().splitlines()[1:]
    solved = (machine / "outbox" / "collection_1.solution").read_text().splitlines()
    assert [len(line) for line in solved] == [81] * len(puzzles)
    assert (machine / "inbox" / "done" / "collection.txt").exists()


def script(root: Path, name: str, body: str) -> None:
    path = root / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def shell(root: Path, line: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if "SUDOKU_PIPELINE_" not in key}
    path = os.pathsep.join([str(root / "bin"), kept["PATH"]])
    return subprocess.run(
        re.sub(r" /(srv|mnt)/", rf" {root}/\1/", line),
        shell=True,
        cwd=root,
        env=kept | {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("line", RUNNABLE)
def test_every_example_of_a_help_page_runs(line, machine, monkeypatch):
    if re.search(r"[|*]| /|--cluster", line):
        finished = shell(machine, line)
        code, said = finished.returncode, finished.stderr
    else:
        monkeypatch.chdir(machine)
        code, _, said = run(*shlex.split(line)[1:])
    assert code in (0, 1)
    assert "Traceback" not in said
    assert code == 0 or re.search(r" (retry|doctor|status) ", line), said
