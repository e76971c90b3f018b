"""Collections of printed boards."""

from __future__ import annotations

import io

import pytest
from support.parsers import CLASSIC, LINE, ROWS, grid, layout_of, read, refusal
from support.puzzles import NINE_SOLVED

from pipeline.reading.formats import Entry, Layout, parse_puzzle
from pipeline.settings import DETECTED

DOTS = [row.replace("0", ".") for row in ROWS.split()]


def boxed(cells: str, bar: str) -> str:
    return f" {bar} ".join(" ".join(cells[start : start + 3]) for start in (0, 3, 6))


def framed(rows: list[str], top: str, middle: str, bottom: str) -> str:
    return "\n".join([top, *rows[:3], middle, *rows[3:6], middle, *rows[6:], bottom]) + "\n"


BOARDS = {
    "box characters": framed(
        [f"║ {boxed(row, '│')} ║" for row in DOTS],
        "╔═══════╤═══════╤═══════╗",
        "╟───────┼───────┼───────╢",
        "╚═══════╧═══════╧═══════╝",
    ),
    "fields": "".join(f"|{'|'.join(row.replace('.', ' '))}|\n" for row in DOTS),
    "dashes": framed(DOTS, *["-----------"] * 3),
    "n dashes": framed(DOTS, *["---------"] * 3),
    "grid": ROWS,
}
SEPARATORS = {
    "titles": "Puzzle {}\n",
    "padded titles": "\nGrid {:02}\n\n",
    "comments": "# name {}\n",
    "numbers": "{}.\n",
    "dashes": "---\n",
    "many dashes": "\n--------------------\n",
    "equals": "=====\n",
    "stars": "***\n",
    "empty lines": "\n",
}


def entries_of(text: str, size: int = 1) -> tuple[Layout, list[Entry]]:
    layout = layout_of(text.encode())
    assert layout is not None
    chunks = layout.chunks(io.BytesIO(text.encode()), size)
    return layout, [entry for chunk in chunks for entry in layout.entries(chunk, DETECTED)]


@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_boards_with_anything_usual_between_are_a_collection(board, separator):
    text = "".join(separator.format(number) + board for number in (1, 2, 3))
    _, entries = entries_of(text)
    assert [entry.puzzle_read for entry in entries] == [CLASSIC] * 3
    assert entries == entries_of(text, 1 << 20)[1]


@pytest.mark.parametrize("name", ["box characters", "fields", "dashes"])
def test_boards_with_nothing_between_are_cut_after_n_rows(name):
    layout, entries = entries_of(BOARDS[name] * 3)
    assert [entry.puzzle_read for entry in entries] == [CLASSIC] * 3
    assert layout.format.name == "boards"


def test_titles_and_text_below_belong_to_their_board():
    board = BOARDS["box characters"]
    _, entries = entries_of(f"Easy\n{board}Both diagonals too\n\nHard\n{board}\nsee below\n")
    assert [entry.title for entry in entries] == ["Easy", "Hard"]
    assert [len(entry.unread) for entry in entries] == [0, 2]
    alone = read(f"Easy\n{board}Killer cages: see below\n")
    assert (alone.title, alone.puzzle) == ("Easy", CLASSIC)
    assert "Killer" in alone.unread[0]


def test_a_damaged_board_is_an_error_of_its_own():
    board = BOARDS["box characters"]
    lines = board.splitlines(keepends=True)
    for bad in ("".join(lines[:2] + lines[3:]), board.replace("7", "k"), board.replace("7", "77")):
        _, entries = entries_of(f"No. 1\n{board}No. 2\n{bad}No. 3\n{board}")
        assert [entry.puzzle_read for entry in entries] == [CLASSIC, None, CLASSIC]
        assert entries[1].error is not None


def test_drawn_boxes_are_those_of_each_board():
    rows = ["│ 1 . │ . 2 │ . . │", "│ . 3 │ . . │ . 4 │", "│ . . │ . . │ . . │"] * 2
    tall = "\n".join([*rows[:3], "├─────┼─────┼─────┤", *rows[3:]]) + "\n"
    wide = "│ 1 . . . 2 . │\n" * 6
    _, entries = entries_of(f"Board one\n{tall}Board two\n{wide}Board three\n{tall}")
    puzzles = [entry.puzzle_read for entry in entries]
    assert [puzzle and puzzle.geometry.height for puzzle in puzzles] == [3, 2, 3]


def test_candidates_become_pencil_marks():
    cells = [[str(n) for n in row] for row in grid(NINE_SOLVED).split()]
    cells[0][0] = cells[0][1] = cells[4][4] = "123456789"
    board = "\n".join(f"| {' '.join(row[:3])} | {' '.join(row[3:])} |" for row in cells) + "\n"
    _, entries = entries_of(f"One\n{board}Two\n{board.replace('123456789', '35')}")
    assert [entry.error for entry in entries] == [None, None]
    puzzle = entries[1].puzzle_read
    assert puzzle is not None
    assert puzzle.cells[0] == 0b10100
    assert parse_puzzle(entries[1].text) == puzzle


def test_lines_of_n_dashes_among_blanks_that_are_dashes_are_refused():
    rows = grid(LINE.replace(".", "-").replace("0", "-"))
    refusal("---------\n".join([rows] * 3))
    assert len(entries_of("---\n".join([rows] * 3))[1]) == 3


def test_letters_are_no_titles_and_stated_sizes_are_not_ignored():
    letters = grid(LINE.translate(str.maketrans("123456789", "ABCDEFGHI")))
    refusal(letters + letters.splitlines()[4] + "\n")
    refusal("puzzle size: 3x2\n" + "| 1 . . | . . 2 |\n" * 6 + "Two\n")


def test_a_map_of_regions_is_no_board():
    digits = "".join(f"| {' '.join(row)} |\n" for row in ("1122", "1122", "3344", "3344"))
    board = "| 1 . . . |\n| . . 2 . |\n| . 3 . . |\n| . . . 4 |\n"
    assert refusal(f"One\n{board}Two\n{board}Three\n{digits}").code


def test_numbers_that_may_be_rows_are_no_titles():
    rows = grid("..2..4...6...25.6.......16.2....3.1.")
    four = "1...\n..3.\n.4..\n...2\n....\n"
    more = (rows + "\n112233\n112233\n112\n", "112233\n112\n" + rows, rows + "112233\n")
    for text in (four, *more):
        refusal(text)
        assert layout_of(text.encode()) is None


def test_rows_of_letters_are_no_titles():
    row = "CD..│EFGH│...."
    rows = [row, *["1.2.│....│...B"] * 11]
    border = "────┼────┼────"
    text = "\n".join([*rows[:3], border, *rows[3:6], border, *rows[6:9], border, *rows[9:]])
    assert len(read(text.replace("1", "A").replace("2", "L")).puzzle.cells) == 144
    for first in (row, "CDABEFGHIJKL"):
        refusal(f"{first}\n" + text.replace("1", "A").replace("2", "L"))
