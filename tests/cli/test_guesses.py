"""Guessed commands and arguments: one line names the right command with its option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import run
from support.pages import COMMANDS

from pipeline.cli.guesses import _USAGES

LINE = "1.....2..3.....4"


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(f"{LINE}\n")
    Path("inbox").mkdir()


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ("check", "`certify PUZZLE SOLUTION`"),
        ("draw a.txt", "`convert -o NAME.svg FILE`"),
        ("explain", "`solve --steps FILE`"),
        ("rate", "`solve --traits rating FILE`"),
        ("print", "`sheet FILE`"),
        ("link", "`convert --to f-puzzles-link FILE`"),
        ("version", "`sudoku-pipeline --version`"),
        ("hint", "`solve --hint`"),
        ("a.txt", "`solve a.txt`"),
        (
            "https://sudokupad.app/?puzzleid=N4IgzglgXgpiBcBOANCA5",
            "`solve 'https://sudokupad.app/?",
        ),
        (LINE, f"`solve {LINE}`"),
        ("run inbox", "`run --inbox inbox`"),
        ("watch inbox", "`watch --inbox inbox`"),
        ("status in", "`status --inbox in`"),
        ("run a.txt", "`solve a.txt`"),
        ("generate 3 easy", "`generate --difficulty easy`"),
        ("report outbox other", "`report -h`"),
        ("solve --level hard", "`solve --traits rating FILE`"),
        ("run --log json", "did you mean --log-format?"),
        ("solve --version", "`sudoku-pipeline --version`"),
        ("convert a.txt b.svg", "`convert -o b.svg a.txt`"),
        ("convert --to svg a.txt b.svg", "`convert -o b.svg a.txt`"),
        ("sheet a.txt b.pdf", "`sheet -o b.pdf a.txt`"),
        ("doctor --formats a.txt", "takes no files"),
    ],
)
def test_a_guess_ends_with_the_right_command_in_one_line(line, suggestion):
    code, printed, said = run(*line.split())
    assert (code, printed) == (2, "")
    assert re.fullmatch(r"sudoku-pipeline: [^\n]*\n", said)
    assert suggestion in said


def test_a_file_that_exists_is_an_input():
    Path("b.svg").write_text("no puzzle")
    code, _, said = run("convert", "--to", "lines", "a.txt", "b.svg")
    assert (code, "to write it" in said) == (1, False)


def test_suggested_commands_and_options_exist():
    options = {name: {o for p in each.params for o in p.opts} for name, each in COMMANDS.items()}
    words = [word for words in _USAGES for word in words.split()]
    assert len(words) == len({*words})
    assert not {*words} & options.keys()
    for usage in _USAGES.values():
        for command, *rest in (text.split() for text in re.findall("`([^`]+)`", usage)):
            known = options.get(command, {"--version", "--install-completion"})
            assert command in options or command == "sudoku-pipeline"
            assert {word for word in rest if word.startswith("-")} <= known
