"""The short help of `-h`, and the groups of commands."""

from __future__ import annotations

import pytest
from support.cases import for_each
from support.commands import run
from support.pages import COMMANDS

from pipeline.cli.commands import EVERYDAY_OPTIONS, FORMER_PANEL, PANELS

GROUPS = """\
  Puzzles:   solve, generate, convert, sheet, dedupe
  Folders:   init, run, watch, serve, status, report, retry, prune
  Check:     audit, certify, proof, doctor
  Formulas:  encode, decode, count, bench, schema
"""


@for_each("command", COMMANDS)
def test_the_short_help_fits_on_a_screen_and_leads_to_the_full_one(command):
    code, printed, said = run(command, "-h")
    assert (code, said) == (0, "")
    lines = printed.splitlines()
    assert lines[0].startswith(f"Usage: sudoku-pipeline {command}")
    assert lines[-1] == f"All options: sudoku-pipeline {command} --help"
    assert len(lines) <= 24
    assert 1 <= sum(line.startswith("  sudoku-pipeline ") for line in lines) <= 2
    assert len(run(command, "--help")[1]) > len(printed)


def test_everyday_options_are_listed_in_their_order():
    for command, names in EVERYDAY_OPTIONS.items():
        listed = [line.split()[0] for line in run(command, "-h")[1].splitlines() if "  --" in line]
        assert [name.partition("[")[0].rstrip(",") for name in listed] == names.split()


@pytest.mark.parametrize("command", ["solve", "convert"])
def test_the_help_does_not_list_all_formats(command):
    printed = run(command, "--help")[1]
    assert "`doctor --formats` lists all" in " ".join(printed.replace("│", " ").split())
    assert "killer-arrows" not in printed
    assert "opensudoku" not in printed


def test_commands_are_in_groups():
    code, printed, _ = run("-h")
    assert code == 0
    assert GROUPS in printed
    titles = [line.split()[1] for line in run("--help")[1].splitlines() if line.startswith("╭─")]
    assert titles == ["Options", *(panel for panel in PANELS if panel != FORMER_PANEL)]


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_the_short_help_is_no_wider_than_the_terminal(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, _, _, options = run("retry", "-h")[1].split("\n\n", 3)
    assert max(map(len, options.splitlines()[:3])) <= columns
