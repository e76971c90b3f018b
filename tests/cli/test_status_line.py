"""The line that says the status of a puzzle, and the commands that are suggested below it."""

from __future__ import annotations

import pytest
from support.cases import for_each

from pipeline import solve
from pipeline.cli.arguments import LinkPath
from pipeline.cli.next_commands import suggest_commands
from pipeline.cli.status_line import coloured, status_line
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.solving.result import Certificate, Result

GRID = Grid(Geometry(2, 2), (1,) * 16)
ONE, TWO = (GRID,), (GRID, GRID)
SEARCHED = Certificate("proved", "exhaustive-search", 12)
CHECKED = Certificate("proved", "lrat", solver="cadical", checker="sudoku-pipeline 1.0", steps=1)
TRUSTED = Certificate("unverified", reason="--trust-solver")
UNPROVED = Certificate("proved", "exhaustive-search", 12, reason="the memory limit was reached")
LATE = "the time limit of 2 s was reached"


@for_each(
    ("result", "line"),
    [
        (Result("unique", ONE, True, certificate=SEARCHED), "unique: proved by exhaustive search"),
        (
            Result("unique", ONE, True, certificate=CHECKED),
            (
                "unique: proved by an LRAT proof of 1 step, found by cadical, "
                "checked by sudoku-pipeline 1.0"
            ),
        ),
        (Result("unique", ONE, True, certificate=TRUSTED), "unique: unverified: --trust-solver"),
        (Result("unique", ONE, True), "unique: unverified"),
        (
            Result("multiple", TWO, True, certificate=SEARCHED),
            "multiple: exactly 2 solutions, proved by exhaustive search",
        ),
        (
            Result("multiple", ONE, False, "there are more solutions than the 1 asked for"),
            "multiple: at least 2 solutions",
        ),
        (Result("multiple", TWO, False, LATE), f"multiple: at least 2 solutions; {LATE}"),
        (
            Result("unsolvable", (), True, "row 1 holds 1 twice", certificate=UNPROVED),
            (
                "unsolvable: no solution, proved by exhaustive search; "
                "no proof to publish: the memory limit was reached"
            ),
        ),
        (Result("unknown", ONE, False, LATE), f"unknown: at least 1 solution; {LATE}"),
        (Result("unknown", (), False, LATE), f"unknown: {LATE}"),
    ],
)
def test_the_line_has_the_status_and_the_evidence(result, line):
    assert status_line(result) == line


@pytest.mark.parametrize(
    ("result", "colour"),
    [
        (Result("unique", ONE, True, certificate=SEARCHED), 32),
        (Result("unique", ONE, True, certificate=TRUSTED), 33),
        (Result("multiple", TWO, True, certificate=SEARCHED), 33),
        (Result("unsolvable", (), True, certificate=SEARCHED), 31),
    ],
)
def test_only_a_proved_unique_solution_is_green(result, colour, monkeypatch):
    assert coloured("status: how", result) == "status: how", "not on a terminal"
    monkeypatch.setattr("pipeline.cli.status_line.has_colours", lambda: True)
    assert coloured("status: how", result) == f"\x1b[1;{colour}mstatus\x1b[0m: how"


def suggested(text: str, capsys, tmp_path, **settings) -> list[str]:
    """What each command that is suggested for a puzzle does."""
    file = tmp_path / "a b.txt"
    file.write_text(text)
    suggest_commands(file, solve(text, **settings))
    first, second, *lines = capsys.readouterr().err.splitlines() or ["", "Try next:"]
    assert (first, second) == ("", "Try next:")
    assert all(line.endswith(f" '{file}'") for line in lines)
    return [line.split("  ")[2].strip() for line in lines]


def test_the_commands_that_are_suggested_depend_on_the_puzzle(capsys, tmp_path):
    nine = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    steps = ["step by step", "a hint"]
    assert suggested(nine, capsys, tmp_path) == [*steps, "its difficulty", "a page to print"]
    assert suggested("1.....2..3.....4", capsys, tmp_path) == [*steps, "a page to print"]
    assert suggested("." * 16, capsys, tmp_path) == ["a page to print", "count solutions"]
    assert suggested("11" + "." * 14, capsys, tmp_path) == []
    lines = ".Shape~4x4\n.Whisper~2~R1C1~R1C2~R2C2\n.Cage~3~R1C1~R1C2\n"
    assert suggested(lines, capsys, tmp_path)[-1] == "a full picture"
    cages = ".Shape~4x4\n.Cage~3~R1C1~R1C2\n"
    assert "a full picture" not in suggested(cages, capsys, tmp_path), "a terminal shows them"


def test_a_long_link_is_not_repeated_in_each_command(capsys):
    link = LinkPath("https://www.f-puzzles.com/?load=" + "N4Ig" * 100)
    suggest_commands(link, solve("1.....2..3.....4"))
    heading, *lines = capsys.readouterr().err.splitlines()[1:]
    assert heading == "Try next, with your puzzle or link in place of PUZZLE:"
    assert lines[0].split()[-2:] == ["--steps", "PUZZLE"]
