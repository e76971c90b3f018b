"""Options, commands and settings by the names that they had before 1.0, each with a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import run
from support.puzzles import TWO

from pipeline import Copy, dedupe, overlap, solve

UNIQUE = "1...\n..2.\n.3..\n...4\n"
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
UNTIL = "the old name works until 1.1"


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDOKU_PIPELINE_SOLVER", "pysat")  # so that nothing is said about minisat
    Path("unique.txt").write_text(UNIQUE)
    Path("two.txt").write_text(TWO)
    Path("easy.txt").write_text(f"{EASY}\n")


def now(former: str, current: str) -> str:
    return f"sudoku-pipeline: {former} is now {current}; {UNTIL}\n"


@pytest.mark.parametrize(
    ("former", "current", "line"),
    [
        ("solve --also minimal easy.txt", "solve --traits minimal easy.txt", "--also|--traits"),
        ("solve --also=minimal easy.txt", "solve --traits=minimal easy.txt", "--also|--traits"),
        (
            "sheet --difficulty level -o - easy.txt",
            "sheet --levels -o - easy.txt",
            "--difficulty level|--levels",
        ),
        ("solve --solver lanes easy.txt", "solve --solver batch easy.txt", "--solver lanes|batch"),
        (
            "overlap easy.txt easy.txt --table -",
            "dedupe --against easy.txt easy.txt --table -",
            "overlap A B|dedupe --against A B",
        ),
        (
            "solve --svg - --puzzle-only easy.txt",
            "convert --to svg easy.txt",
            "solve --svg FILE|convert -o FILE",
        ),
    ],
)
def test_a_former_name_does_what_the_new_one_does(former, current, line):
    words = line.split("|")
    code, printed, said = run(*former.split())
    assert said.startswith(now(*words))
    assert (code, printed, said.removeprefix(now(*words))) == run(*current.split())


def test_a_drawing_of_a_solution_names_its_command():
    code, _, said = run("solve", "--svg", "a.svg", "unique.txt")
    status = "unique.txt: unique: proved by exhaustive search\n"
    assert (code, said) == (0, now("solve --svg FILE", "convert -o FILE --solutions") + status)
    assert run("solve", "--quiet", "--svg", "b.svg", "--hint", "easy.txt")[2] == ""


def test_what_follows_two_dashes_is_no_option():
    assert run("solve", "--", "--also")[2].startswith("--also: cannot be read")


def test_former_settings_count_unless_the_new_ones_are_given(monkeypatch):
    monkeypatch.setenv("SUDOKU_PIPELINE_TRAITS", "")  # so that it is as before in the end
    monkeypatch.delenv("SUDOKU_PIPELINE_TRAITS")
    monkeypatch.setenv("SUDOKU_PIPELINE_ALSO", "effort")
    _, printed, said = run("solve", "--json", "easy.txt")
    assert '"effort"' in printed
    assert said == now("SUDOKU_PIPELINE_ALSO", "SUDOKU_PIPELINE_TRAITS")
    monkeypatch.setenv("SUDOKU_PIPELINE_TRAITS", "rating")
    assert '"effort"' not in run("solve", "--json", "easy.txt")[1]


def test_a_former_setting_of_a_file_counts(monkeypatch):
    monkeypatch.delenv("SUDOKU_PIPELINE_SOLVER")
    Path("sudoku-pipeline.toml").write_text('also = "effort"\nsolver = "lanes"\n')
    _, printed, said = run("solve", "--json", "easy.txt")
    assert '"effort"' in printed
    assert said == now("sudoku-pipeline.toml: also", "traits") + now(
        "sudoku-pipeline.toml: solver = lanes", "batch"
    )


def test_a_setting_may_not_have_both_names():
    Path("sudoku-pipeline.toml").write_text('also = "effort"\ntraits = "rating"\n')
    code, _, said = run("solve", "easy.txt")
    message = "also: the former name of traits, which is set as well; remove also"
    assert (code, message in said) == (2, True)


def test_a_former_option_that_a_command_does_not_have_is_unknown():
    code, _, said = run("audit", "--also", "effort")
    assert (code, "No such option: --also" in said, "is now" in said) == (2, True, False)


def test_former_names_of_the_library_warn():
    with pytest.warns(DeprecationWarning, match=f"also is now traits; {UNTIL}"):
        assert solve(EASY, also="effort").traits == solve(EASY, traits="effort").traits
    with pytest.warns(DeprecationWarning, match=f"solver='lanes' is now solver='batch'; {UNTIL}"):
        assert solve(EASY, solver="lanes").solver.name == solve(EASY, solver="batch").solver.name
    with pytest.warns(DeprecationWarning, match=UNTIL):
        assert [*overlap("easy.txt", "easy.txt")] == [*dedupe("easy.txt", against="easy.txt")]
    assert [*dedupe("easy.txt", against="easy.txt")] == [Copy("easy.txt", None, "easy.txt", None)]
