"""Boards of steps: on a terminal, and in files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.commands import run
from support.needs import needs_typst
from support.notations import KILLER_GRID
from support.puzzles import UNIQUE
from support.sheets import pages_of
from support.svg import SVG, of_class

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


@pytest.fixture(autouse=True)
def _desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("easy.txt").write_text(f"{EASY}\n")
    Path("four.txt").write_text(UNIQUE)


def test_each_step_has_a_board_where_boards_are_asked_for():
    code, printed, _ = run("solve", "--quiet", "--steps", "--board", "easy.txt")
    assert code == 0
    assert printed.count("* * placed") == EASY.count(".")
    plain = run("solve", "--quiet", "--steps", "easy.txt")[1]
    assert "* * placed" not in plain


def test_the_steps_are_drawn_to_one_file():
    assert run("solve", "--quiet", "--steps", "--svg", "steps.svg", "easy.txt")[0] == 0
    svg = ET.fromstring(Path("steps.svg").read_text())
    assert len(of_class(svg, "board")) == -(-EASY.count(".") // 16)
    assert of_class(svg, "mark-ordered")
    letters = [text for text in svg.iter(f"{SVG}text") if (text.text or "").startswith("a  r")]
    assert len(letters) == len(of_class(svg, "board"))


def test_steps_of_other_sizes_are_drawn_and_a_hint_draws_what_it_tells():
    assert run("solve", "--quiet", "--steps", "--svg", "four.svg", "four.txt")[0] == 0
    assert of_class(ET.fromstring(Path("four.svg").read_text()), "mark-ordered")
    for hint, is_told in (("technique", False), ("where", False), ("step", True)):
        drawn = Path(f"{hint}.svg")
        assert run("solve", "--quiet", f"--hint={hint}", "--svg", str(drawn), "easy.txt")[0] == 0
        svg = ET.fromstring(drawn.read_text())
        assert bool(of_class(svg, "mark-ordered")) == is_told
        assert not of_class(svg, "solved"), "the solution is not drawn"


@needs_typst
def test_steps_become_a_picture_or_a_pdf_with_a_page_for_each_board():
    assert run("solve", "--quiet", "--steps", "--svg", "steps.png", "easy.txt")[0] == 0
    assert Path("steps.png").read_bytes().startswith(b"\x89PNG")
    assert run("solve", "--quiet", "--steps", "--svg", "steps.pdf", "easy.txt")[0] == 0
    assert len(pages_of(Path("steps.pdf").read_bytes())) == -(-EASY.count(".") // 16)


def test_a_puzzle_without_steps_is_drawn_with_its_solution():
    Path("open.txt").write_text("....\n" * 4)
    options = ("--quiet", "--max-solutions", "1", "--steps", "--svg", "open.svg")
    assert run("solve", *options, "open.txt")[0] == 0
    svg = ET.fromstring(Path("open.svg").read_text())
    assert of_class(svg, "solved")
    assert not of_class(svg, "in-step")


def test_other_endings_are_refused():
    code, _, said = run("solve", "--steps", "--svg", "steps.gif", "easy.txt")
    assert (code, "expected a name that ends in .svg, .png or .pdf" in said) == (2, True)
    assert not Path("steps.gif").exists()


PROVED = "unique: proved by exhaustive search\n"
CAGES = """\
┏3━━━━━┳7━━━━━━┓
┃ 1  2 ┃ 3   4 ┃
┠7┄┄┄┄┄╂3┄┄┄┄┄┄┨
┃ 3  4 ┃ 1   2 ┃
┣3━━━━━╋7━━━━━━┫
┃ 2  1 ┃ 4   3 ┃
┠7┄┄┄┄┄╂2┄┄┬┄┄┄┨
┃ 4  3 ┃ 2 ┆ 1 ┃
┗━━━━━━┻━━━┷━━━┛
"""


def test_boards_of_a_killer_have_its_cages():
    Path("killer.txt").write_text(KILLER_GRID)
    assert run("solve", "--quiet", "--board", "killer.txt")[1] == f"{PROVED}{CAGES}"
    for options in (["--steps", "--board"], ["--hint=step"]):
        printed = run("solve", "--quiet", *options, "killer.txt")[1]
        assert "┄ ┆ cage" in printed
        assert "3┄┄┄┄┄┄┄┄┄┄7┄┄┄┄┄┄┄┄┄┄\n" in printed
