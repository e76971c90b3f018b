"""A sheet as a PDF: its pages are those of the HTML file, and nothing on them is cut off."""

from __future__ import annotations

import pytest
from support.drop_folders import NO_SOLUTION, SMALL
from support.needs import needs_typst
from support.puzzles import EVEN_ODD, NINE
from support.sheets import pages_of

from pipeline import Geometry, Puzzle, parse_puzzle, solve
from pipeline.outbox.report import PER_PAGE, Board, Head, Sheet, SheetPuzzle, sheet_pdf
from pipeline.puzzle.rules import cages, lines

pytestmark = needs_typst

HEAD = Head("Class 7b", "A. Teacher", "easy")
LONG = "a name that is too long for any board that is drawn on any page, whatever its width " * 3


def printed(text: str, name: str = "a.txt") -> SheetPuzzle:
    puzzle = parse_puzzle(text)
    result = solve(puzzle)
    grid = result.solutions[0] if result.solutions else None
    return SheetPuzzle(name, Board(puzzle, grid), result.status, result.message or "")


def ruled(*rules) -> SheetPuzzle:
    return SheetPuzzle(LONG, Board(Puzzle.empty(Geometry(3, 3), rules)))


def words_of(page: str) -> str:
    return " ".join(page.split())


def test_it_has_the_pages_of_the_sheet_with_their_heads_and_feet():
    sheet = Sheet.of([printed(NINE), ruled(cages.Cage((0, 1), 3))], 1, head=HEAD)
    pages = [words_of(page) for page in pages_of(sheet_pdf(sheet))]
    assert len(pages) == sheet.total == 4
    for number, page in enumerate(pages, 1):
        assert f"{number} of 4" in page
        assert ("Class 7b" in page) == (number == 1)
    assert "easy · A. Teacher 1 a.txt" in pages[0]
    assert "Solutions: page 4" in pages[0]
    assert "Rules: page 3 · Solutions: page 4" in pages[1]
    assert "Cage Values in the cage do not repeat" in pages[2]
    assert pages[3].startswith("Solutions 1 a.txt")


@pytest.mark.parametrize("per_page", PER_PAGE)
def test_however_many_stand_on_a_page_each_page_is_one_page(per_page):
    """Notes and names of two lines and more, under boards of all sizes, move nothing on."""
    various = [printed(text, LONG) for text in (NINE, SMALL, EVEN_ODD, NO_SOLUTION)] * 3
    various += [SheetPuzzle(LONG, Board(Puzzle.empty(Geometry(*box)))) for box in ((4, 4), (5, 5))]
    various += [ruled(lines.SumLine((at, at + 1), at + 1, loop=True)) for at in range(12)]
    sheet = Sheet.of(various, per_page, head=Head(LONG, LONG, LONG))
    assert len(pages_of(sheet_pdf(sheet))) == sheet.total


def test_names_are_shown_as_they_are():
    wild = '#panic("x") *a* _b_ <c> @d $e$'
    page = pages_of(sheet_pdf(Sheet.of([printed(SMALL, wild)], head=Head(wild))))[0]
    assert words_of(page).count(wild) == 2
