"""Shell completion, as bash asks for it: in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.drop_folders import environment

SCRIPT = """\
eval "$(_SUDOKU_PIPELINE_COMPLETE=source_bash sudoku-pipeline)"
complete -p sudoku-pipeline
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_sudoku_pipeline_completion sudoku-pipeline
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""Prints how bash completes its arguments, of which it has split the words."""


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the program on PATH, and with failed files."""
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bin/sudoku-pipeline"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom pipeline.cli import main; main()\n")
    program.chmod(0o755)
    for name in ("two words.txt", "b.txt", "2/b.txt"):
        path = tmp_path / "in/failed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    hostile = tmp_path / "hostile/failed"
    hostile.mkdir(parents=True)
    for name in (
        "$(touch x).txt",
        "\\$(touch x).txt",
        "two\nlines.txt",
        "\x1b[2J.txt",
        "\udcff.txt",
    ):
        (hostile / name).touch()  # only the first one can be escaped for all shells
    return tmp_path


def completions(desk: Path, *words: str, **variables: str) -> list[str]:
    """What is offered for the last of the words in bash, which splits a line also at `=`."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    told = environment(**variables)
    told["PATH"] = f"{desk / 'bin'}:{told['PATH']}"
    command = ["bash", "-c", SCRIPT, "bash", "sudoku-pipeline", *words]
    ended = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    registered, *offered = ended.stdout.splitlines()
    assert registered == "complete -o default -F _sudoku_pipeline_completion sudoku-pipeline"
    return [word for word in offered if word]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ru"], ["run"]),
        (["help", "stat"], ["status"]),
        (["solve", "--max-s"], ["--max-solutions"]),
        (["solve", "--format", "f-"], ["f-puzzles"]),
        (["convert", "--to", "f-"], ["f-puzzles", "f-puzzles-link"]),
        (["solve", "--solver", "="], ["auto", "minisat", "pysat", "batch"]),
        (["solve", "--solver", "=", "mi"], ["minisat"]),
        (["solve", "--traits", "minimal,"], ["minimal,canonical", "minimal,effort"]),
        (["solve", "--steps", "=", "f"], ["full"]),
        (["solve", "--steps", ""], []),
        (["bench", "--solvers", "minisat,glucose4,mini"], ["minisat,glucose4,minicard"]),
        (["proof", "--checker", "c"], ["cake_lpr"]),
        (["solve", "--until", "naked-s"], ["naked-single"]),
        (["retry", "--inbox", "in", ""], ["b.txt", r"two\ words.txt"]),
        (["retry", "--inbox", "in", "b.txt", ""], [r"two\ words.txt"]),
        (["retry", ""], []),
        (["retry", "--inbox", "hostile", ""], [r"\$\(touch\ x\).txt"]),
        (["solve", "exam"], []),
    ],
    ids=" ".join,
)
def test_bash_completes_words(desk, words, offered):
    found = completions(desk, *words)
    assert {*offered} <= {*found}
    assert bool(offered) == bool(found), "else bash offers files"


def test_invalid_completion_requests_print_nothing(desk):
    Path("sudoku-pipeline.toml").write_text("also = 3\n")
    variables = {"SUDOKU_PIPELINE_TIMOUT": "3", "SUDOKU_PIPELINE_TIMEOUT": "x"}
    assert completions(desk, "solve", "--also", "x", "--ord", **variables) == ["--order"]


def test_other_shells_pass_the_whole_line(desk):
    for line, offered in (("solve --steps ", ""), ("solve --steps=f", "full"), ("ru", "run")):
        told = environment(_TYPER_COMPLETE_ARGS=f"sudoku-pipeline {line}")
        told |= {
            "_SUDOKU_PIPELINE_COMPLETE": "complete_fish",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        command = [sys.executable, "-m", "pipeline"]
        ended = subprocess.run(command, env=told, capture_output=True, text=True, check=False)
        assert (ended.stdout.split("\t")[0].strip(), ended.stderr) == (offered, "")
