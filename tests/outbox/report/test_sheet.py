"""Sheets: what stands on which page, under which number, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.drop_folders import NO_SOLUTION, SMALL, TWO_SOLUTIONS
from support.puzzles import EVEN_ODD, NINE
from support.sheets import SheetText
from support.solvers import solve_at_hand
from support.strategies import examples

from pipeline import Geometry, Grid, Puzzle, certify_grid, parse_puzzle
from pipeline.outbox.report import (
    MAX_SHEET_PUZZLES,
    PER_PAGE,
    Board,
    Head,
    Sheet,
    SheetPuzzle,
    board_svg,
)
from pipeline.puzzle.geometry import FreeGrid
from pipeline.puzzle.rules import cages, lines, outside, pairs, regions

HEXADECIMAL = Path(__file__).parents[3] / "examples" / "hexadecimal.txt"
BOXES = {4: (2, 2), 9: (3, 3), 12: (3, 4), 16: (4, 4), 25: (5, 5)}


@cache
def printed(text: str, name: str = "a.txt", symbols: str = "") -> SheetPuzzle:
    """A puzzle that is solved as the command does."""
    puzzle = parse_puzzle(text)
    result = solve_at_hand(puzzle, max_solutions=2)
    board = Board(
        puzzle,
        result.solutions[0] if result.solutions else None,
        result.conflict.places() if result.conflict else (),
        result.difference.cells if result.difference else (),
        symbols,
    )
    return SheetPuzzle(name, board, result.status, result.message or "")


def blank(side: int) -> SheetPuzzle:
    """An empty puzzle with some solution that is none."""
    geometry = Geometry(*BOXES[side])
    board = Board(Puzzle.empty(geometry), Grid(geometry, (1,) * side * side))
    return SheetPuzzle(f"{side}.txt", board, "unique")


def sheet_of(*given: SheetPuzzle, **options) -> SheetText:
    return SheetText("".join(Sheet.of(given, **options).chunks()))


def test_puzzles_show_their_givens_and_the_solutions_behind_have_their_numbers():
    sheet = sheet_of(printed(SMALL, "a.txt"), printed(NINE, "b.txt"))
    assert [page.kind for page in sheet.pages] == ["puzzles", "solutions"]
    assert [(each.number, each.name) for each in sheet.puzzles] == [("1", "a.txt"), ("2", "b.txt")]
    assert [each.number for each in sheet.solutions] == ["1", "2"]
    for text, puzzle, solution in zip((SMALL, NINE), sheet.puzzles, sheet.solutions, strict=True):
        read = parse_puzzle(text)
        givens = {read.geometry.place(cell): str(value) for cell, value in read.givens()}
        assert (puzzle.given, puzzle.solved) == (givens, {})
        assert solution.given == givens
        assert certify_grid(read, solution.grid(read)) == ()
        assert (puzzle.note, solution.note) == ("", "")


@for_each("per_page", PER_PAGE)
def test_so_many_stand_on_a_page(per_page):
    pages = sheet_of(*[blank(9)] * 25, per_page=per_page).pages
    puzzles = [len(page.drawn) for page in pages if page.kind == "puzzles"]
    assert puzzles == [per_page] * (25 // per_page) + [25 % per_page] * (25 % per_page > 0)
    assert [len(page.drawn) for page in pages if page.kind == "solutions"] == [25]


@pytest.mark.parametrize(
    ("puzzles", "pages"), [(16, [16]), (17, [17]), (30, [30]), (31, [16, 15]), (33, [30, 3])]
)
def test_solutions_are_as_large_as_few_pages_allow(puzzles, pages):
    found = Sheet.of([blank(9)] * puzzles).solutions
    assert [len(page.slots) for page in found] == pages
    noted = Sheet.of([printed(TWO_SOLUTIONS)] * puzzles).solutions
    assert all(page.boards == 16 for page in noted), "with room for the notes below them"


@pytest.mark.parametrize(("side", "most", "behind"), [(9, 12, 30), (16, 4, 6), (25, 1, 2)])
def test_of_large_boards_fewer_stand_on_a_page(side, most, behind):
    pages = sheet_of(*[blank(side)] * 20, per_page=12).pages
    assert {page.boards for page in pages if page.kind == "puzzles"} == {most}
    assert {page.boards for page in pages if page.kind == "solutions"} == {behind}


@examples(30)
@given(st.lists(st.sampled_from([*BOXES]), min_size=1, max_size=30), st.sampled_from(PER_PAGE))
def test_however_large_they_are_they_stand_in_order_on_pages_that_hold_them(sides, per_page):
    sheet = Sheet.of([blank(side) for side in sides], per_page)
    for pages in (sheet.puzzles, sheet.solutions):
        assert [slot.number for page in pages for slot in page.slots] == [*range(1, len(sides) + 1)]
        assert all(0 < len(page.slots) <= page.boards for page in pages)
    alone = {side: Sheet.of([blank(side)], per_page).puzzles[0].boards for side in {*sides}}
    for page in sheet.puzzles:
        assert page.boards == min(alone[sides[slot.number - 1]] for slot in page.slots)
    for page, after in pairwise(sheet.puzzles):
        room = min(page.boards, alone[sides[after.slots[0].number - 1]])
        assert len(page.slots) >= room, "a page is not left for nothing"


def test_the_foot_of_a_page_tells_where_its_solutions_are():
    pages = sheet_of(*[blank(9)] * 36, per_page=12).pages
    feet = [" ".join(page.foot.split()) for page in pages]
    assert feet == [
        "Solutions: page 4 1 of 5",
        "Solutions: page 4 2 of 5",
        "Solutions: pages 4–5 3 of 5",
        "4 of 5",
        "Solutions 31–36 5 of 5",
    ]


def test_a_puzzle_with_several_solutions_says_so_on_both_sides():
    sheet = sheet_of(printed(TWO_SOLUTIONS))
    assert sheet.puzzles[0].note == "More than one solution."
    assert "difference" not in sheet.puzzles[0].marks
    (solution,) = sheet.solutions
    assert solution.note == "One of several solutions; they differ in the dashed cells."
    assert "difference" in solution.marks
    assert len(solution.given | solution.solved) == 16


def test_a_puzzle_without_a_solution_says_why_behind():
    sheet = sheet_of(printed(NO_SOLUTION), printed(SMALL))
    assert sheet.puzzles[0].note == "No solution."
    assert "conflict" not in sheet.puzzles[0].marks
    first, second = sheet.solutions
    assert first.note.startswith("No solution: row 1 holds 1 twice")
    assert ("conflict" in first.marks, first.solved) == (True, {})
    assert (second.number, len(second.solved)) == ("2", 12)


def test_a_puzzle_whose_solution_was_not_found_in_time_says_so():
    board = Board(parse_puzzle(SMALL))
    (solution,) = sheet_of(SheetPuzzle("a", board, "unknown", "after 1 s")).solutions
    assert solution.note == "No solution is known: after 1 s."
    assert (solution.given, solution.marks) == ({}, set())
    (solution,) = sheet_of(SheetPuzzle("a", board, "unsolvable", "x" * 1000)).solutions
    assert len(solution.note) < 200


def test_marks_of_even_and_odd_cells_are_drawn_and_explained():
    sheet = sheet_of(printed(EVEN_ODD))
    assert "even" in sheet.puzzles[0].marks
    assert sheet.puzzles[0].note == "Grey cells are even, white cells are odd."
    assert sheet.solutions[0].note == ""


def test_odd_marks_are_discs_where_cells_without_a_mark_are_white_too():
    even, odd, every = 0b1010, 0b0101, 0b1111
    for marks, note, drawn in (
        ((even, odd), "Grey squares are even, grey discs are odd.", {"even", "even odd"}),
        ((even, every), "Grey cells are even.", {"even"}),
        ((odd, odd), "Grey discs are odd.", {"even odd"}),
    ):
        puzzle = Puzzle(Geometry(2, 2), (*marks, *[every] * 14))
        (shown,) = sheet_of(SheetPuzzle("a", Board(puzzle)), solutions=False).puzzles
        assert (shown.note, shown.marks & {"even", "even odd"}) == (note, drawn)


def ruled(*given) -> SheetPuzzle:
    return SheetPuzzle("a.txt", Board(Puzzle.empty(Geometry(3, 3), given)))


def test_numbers_that_are_not_drawn_are_told():
    given = (
        lines.Whispers((0, 1, 2), 4),
        lines.Whispers((9, 10, 11), 4),
        lines.Modular((18, 19, 20)),
        lines.Lockout((27, 28, 29), 3),
        lines.Thermometer((36, 37), slow=True),
        pairs.NegativeKropki((), (2, 3), ()),
    )
    (puzzle,) = sheet_of(ruled(*given), solutions=False).puzzles
    assert puzzle.note == (
        "Rules: whispers 4, modular line 3, lockout line 3, slow thermometer, "
        "no other dots (ratio 2, ratio 3)."
    )


def test_lines_that_look_alike_are_told_apart_by_their_places():
    given = (
        lines.Whispers((0, 1, 2), 4),
        lines.Whispers((9, 10, 11), 5),
        lines.Renban((18, 19)),
        lines.Renban((27, 28)),
        lines.Thermometer((36, 37)),
        lines.Thermometer((45, 46), slow=True),
    )
    (puzzle,) = sheet_of(ruled(*given), solutions=False).puzzles
    assert (
        puzzle.note == "Rules: whispers 4 from r1c1, whispers 5 from r2c1, renban, thermometer, "
        "slow thermometer."
    )
    board = board_svg(Board(Puzzle.empty(Geometry(3, 3), given)), "lines", "b")
    assert "Rules: whispers 4 from r1c1, whispers 5 from r2c1, renban from r3c1" in board


def test_puzzles_with_rules_or_clues_around_them_have_room():
    knights, clue = pairs.AntiKnight(), outside.Sandwich(tuple(range(9)), 8)
    for demands, most in (((), 12), ((knights,), 6), ((clue,), 4)):
        sheet = sheet_of(*[ruled(*demands)] * 12, per_page=12, solutions=False)
        assert sheet.pages[0].boards == most


def test_a_page_behind_the_puzzles_tells_what_their_rules_demand():
    given = [ruled(lines.Whispers((0, 1), 4), cages.Cage((9, 10), 8)), printed(SMALL)]
    sheet = sheet_of(*given, ruled(lines.Whispers((3, 4), 5), cages.Cage((9, 10))), per_page=1)
    assert [page.kind for page in sheet.pages] == ["puzzles"] * 3 + ["rules", "solutions"]
    assert sheet.pages[3].told == [
        "Sudoku",
        "Each row, column and box has each value once.",
        "Whispers 4",
        "Neighbours on the line differ by at least 4.",
        "Cage",
        "Values in the cage do not repeat; they sum to the total, if it has one.",
        "Whispers 5",
        "Neighbours on the line differ by at least 5.",
    ]
    assert sheet.pages[0].foot.split()[:3] == ["Rules:", "page", "4"]
    assert "Rules" not in sheet.pages[1].foot


def test_the_rules_of_jigsaws_and_of_grids_of_other_shapes_do_not_speak_of_boxes():
    geometry = Geometry(1, 4)
    jigsaw = Puzzle.empty(geometry, (regions.Region((0, 1, 4, 5)),))
    told = sheet_of(SheetPuzzle("j", Board(jigsaw)), solutions=False).pages[1].told
    assert told[1] == "Each row and column has each value once."
    told = sheet_of(SheetPuzzle("j", Board(jigsaw)), printed(SMALL), solutions=False).pages[1].told
    assert told[1].startswith("Each row and column, and each box where there are boxes, has")
    free = Geometry(1, 4, free_grid=FreeGrid(2, 3))
    lone = Puzzle.empty(free, (cages.Cage((0, 1)),))
    told = sheet_of(SheetPuzzle("f", Board(lone)), solutions=False).pages[1].told
    assert told[0] == "Cage"


def test_many_rules_take_several_pages_and_each_stands_on_one():
    whispers = [lines.Whispers((at, at + 1), at + 1) for at in range(8)]
    modular = [lines.Modular((at, at + 1), at + 2) for at in range(9, 50)]
    sheet = sheet_of(ruled(*whispers, *modular), solutions=False)
    told = [page.told for page in sheet.pages if page.kind == "rules"]
    assert len(told) > 1
    assert sum(map(len, told)) == 2 * (1 + 8 + 41)


def test_the_head_of_the_first_page_has_title_author_and_label():
    head = Head("Class 7b", "A. Teacher", "easy")
    sheet = sheet_of(printed(SMALL), ruled(pairs.AntiKnight()), per_page=1, head=head)
    assert [page.head for page in sheet.pages] == [
        ["Class 7b", "easy · A. Teacher"],
        [],
        ["Rules"],
        ["Solutions"],
    ]
    sheet = sheet_of(*[blank(9)] * 33, per_page=12)
    assert [page.head for page in sheet.pages if page.kind == "solutions"] == [["Solutions"], []]
    sheet = sheet_of(printed(SMALL))
    assert [page.head for page in sheet.pages] == [[], ["Solutions"]]
    (page, _) = sheet_of(printed(SMALL), head=Head(author="<b>\x1b")).pages
    assert page.head == ["Puzzles", r"<b>\x1b"]


def test_a_level_stands_beside_its_puzzle_and_not_beside_its_solution():
    sheet = sheet_of(replace(printed(SMALL), level="easy"), printed(SMALL))
    assert [each.level for each in sheet.puzzles] == ["easy", ""]
    assert [each.level for each in sheet.solutions] == ["", ""]


def test_letters_are_printed_as_letters():
    sheet = sheet_of(printed(HEXADECIMAL.read_text(), symbols="0123456789ABCDEF"))
    assert sheet.puzzles[0].given[1, 1] == "8"
    assert {*sheet.puzzles[0].given.values()} == {*"0123456789ABCDEF"}
    values = sheet.solutions[0].given | sheet.solutions[0].solved
    assert all(len({values[row, column] for column in range(1, 17)}) == 16 for row in range(1, 17))


def test_whatever_a_puzzle_is_called_it_is_a_text():
    hostile = "<script>alert(1)</script>\x1b[31m" + "x" * 1000
    text = "".join(Sheet.of([printed(SMALL, hostile)]).chunks())
    sheet = SheetText(text)
    assert sheet.puzzles[0].name.startswith(r"<script>alert(1)</script>\x1b[31mxx")
    assert len(sheet.puzzles[0].name) < 300
    assert "script" not in sheet.tags
    assert "\x1b" not in text
    assert "default-src 'none'" in unescape(text)
    assert "http:" not in text
    assert "https:" not in text


def test_what_cannot_be_laid_out_is_refused():
    small = printed(SMALL)
    huge = Board(Puzzle.empty(Geometry(2, 13)))
    filled = Board(None, small.board.grid)
    for refused, per_page in (
        ([], 4),
        ([small] * (MAX_SHEET_PUZZLES + 1), 4),
        ([small], 5),
        ([SheetPuzzle("huge", huge)], 1),
        ([SheetPuzzle("no givens", filled)], 1),
    ):
        with pytest.raises(ValueError, match=r"expected|puzzle"):
            Sheet.of(refused, per_page)
    assert len(Sheet.of([small] * MAX_SHEET_PUZZLES, 12).puzzles) == 84
