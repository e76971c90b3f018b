"""Printed boards and candidate grids."""

from __future__ import annotations

import io
from itertools import chain

import pytest
from support.parsers import CLASSIC, LINE, ROWS, layout_of, read, refusal, said_of

from pipeline.reading.formats.boards import line_kind
from pipeline.settings import DETECTED

ROW_LIST = ROWS.split()
DOTS = [row.replace("0", ".") for row in ROW_LIST]


def boxed(cells: str, bar: str) -> str:
    return f" {bar} ".join(" ".join(cells[start : start + 3]) for start in (0, 3, 6))


def with_borders(rows: list[str], border: str) -> str:
    return "\n".join([*rows[:3], border, *rows[3:6], border, *rows[6:]]) + "\n"


LIGHT = [f"│ {boxed(row, '│')} │" for row in DOTS]
HEAVY = [f"┃ {boxed(row, '┃')} ┃" for row in DOTS]
FIELDS = [f"|{'|'.join(row.replace('.', ' '))}|" for row in DOTS]
LABELLED = [f"{label} | {boxed(row, '|')} |" for label, row in zip("ABCDEFGHI", DOTS, strict=True)]
COLUMNS = "    1 2 3   4 5 6   7 8 9"
CROSSED = "+-------+-------+-------+"
BOARDS = {
    "light": with_borders(LIGHT, "├───────┼───────┼───────┤"),
    "heavy": with_borders(HEAVY, "┣━━━━━━━╋━━━━━━━╋━━━━━━━┫"),
    "dashes": with_borders(DOTS, "-----------"),
    "nine dashes": with_borders(DOTS, "---------"),
    "equals": with_borders([boxed(row, "|") for row in DOTS], "=======:=======:======="),
    "spaced dashes": with_borders([boxed(row, "|") for row in DOTS], "- - - - - - - - - - -"),
    "qqwing": with_borders([boxed(row, "|") for row in DOTS], "-------|-------|-------"),
    "fields": "\n".join(FIELDS),
    "drawn fields": "\n+-+-+-+-+-+-+-+-+-+\n".join(FIELDS),
    "markdown": "\n".join(["|A|B|C|D|E|F|G|H|I|", "|:-:" * 9 + "|", *FIELDS]),
    "labels": "\n".join(
        [COLUMNS, CROSSED, *LABELLED[:3], CROSSED, *LABELLED[3:6], CROSSED, *LABELLED[6:], CROSSED]
    ),
    "underscores": "\n".join(" ".join(row).replace(".", "__") for row in DOTS),
}
CANDIDATES = """\
.------------------.-----------------.-------------------.
| 2469  7    2346  | 36   149   8    | 123   123   5     |
| 2489  2345 2348  | 357  149   49   | 12378 6     1378  |
| 1     356  38    | 2    67    56   | 9     4     378   |
:------------------+-----------------+-------------------:
| 2678  1236 23678 | 4    5     26   | 12367 1378  9     |
| 24678 2346 234678| 9    267   1    | 234567 23578 3467 |
| 5     1246 9     | 67   8     3    | 12467 127   146   |
:------------------+-----------------+-------------------:
| 46    9    5     | 8    346   7    | 1346  13    2     |
| 2467  8    1     | 56   23469 24569| 34567 357   3467  |
| 3     246  2467  | 1    246   2456 | 45678 9     4678  |
'------------------'-----------------'-------------------'
"""


@pytest.mark.parametrize("name", BOARDS)
def test_a_printed_board_is_read(name):
    parsed = read(BOARDS[name])
    assert parsed.puzzle == CLASSIC
    assert parsed.format.split()[0] == "board"


@pytest.mark.parametrize("blank", "XxX?_*-")
def test_every_blank_is_read(blank):
    assert read(LINE.replace(".", blank).replace("0", blank)).puzzle == CLASSIC


def test_candidates_restrict_cells_and_single_ones_are_givens():
    puzzle = read(CANDIDATES).puzzle
    assert puzzle.cells[0] == 0b100101010
    assert dict(puzzle.givens())[1] == 7
    compact = "\n".join(
        line.replace("|", " ") for line in CANDIDATES.splitlines() if line[0] == "|"
    )
    assert read(compact).puzzle == puzzle


def test_candidates_must_ascend():
    assert "ascending" in said_of(CANDIDATES.replace(" 149 ", " 194 "))
    assert "ascending" in said_of(CANDIDATES.replace(" 149 ", " 144 "))


@pytest.mark.parametrize("side", [16, 25])
@pytest.mark.parametrize("first", [False, True])
def test_large_boards_are_numbers(side, first):
    root = int(side**0.5)
    values = [
        [(row * root + row // root + column) % side + 1 for column in range(side)]
        for row in range(side)
    ]
    values[0][0] = values[3][2] = 0
    text = "\n".join(" ".join(map(str, row)) for row in values)
    puzzle = read(f"{side}\n{text}" if first else text).puzzle
    assert len(puzzle.cells) == side * side
    assert [cell for cell, _ in puzzle.givens()] == [
        cell for cell in range(side * side) if values[cell // side][cell % side]
    ]


def test_a_side_with_several_boxes_needs_them():
    text = "\n".join(" ".join(str((a + b) % 12 + 1) for b in range(12)) for a in range(12))
    assert "--boxes 2x6, 3x4, 4x3 or 6x2" in said_of(text)
    assert read(text, boxes="3x4").puzzle.geometry.height == 3


@pytest.mark.parametrize("name", [*BOARDS, "candidates"])
def test_a_board_without_a_row_is_refused(name):
    lines = (CANDIDATES if name == "candidates" else BOARDS[name]).splitlines()
    cells = [index for index, line in enumerate(lines) if any(map(str.isdigit, line))]
    for index in cells[1:]:
        refusal("\n".join(lines[:index] + lines[index + 1 :]))
        refusal("\n".join([*lines[:index], lines[index], *lines[index:]]))


def test_dashes_that_may_be_a_row_of_blanks_are_refused():
    rows = [row.replace(".", "-") for row in DOTS]
    refusal(with_borders(rows, "---------"))


def test_lines_of_equals_signs_stand_between_grids():
    line = "=========\n"
    layout = layout_of((line + ROWS + line + ROWS).encode())
    assert layout is not None
    chunks = layout.chunks(io.BytesIO((line + ROWS + line + ROWS).encode()), 1)
    entries = [entry for chunk in chunks for entry in layout.entries(chunk, DETECTED)]
    assert [entry.puzzle_read for entry in entries] == [CLASSIC, CLASSIC]
    assert read(line + ROWS).puzzle == CLASSIC


def test_a_doubled_blank_is_no_blank_of_its_own():
    said_of(". . 1 .\n.. 3 . .\n. . . 2\n4 . . .\n")


def test_a_long_line_that_is_nearly_a_frame_is_no_border():
    assert line_kind(f".{'-' * 60}.{'-' * 60}.") == "border"
    assert line_kind(f".{'-' * 60}.{'-' * 60}...**") == "row"


def twelve(height: int, width: int, signs: str = "") -> list[list[str]]:
    """The cells of a 12×12 puzzle with blanks."""
    rows = [
        [(column + width * (row % height) + row // height) % 12 for column in range(12)]
        for row in range(12)
    ]
    return [
        [
            "." if (row + column) % 3 else signs[value] if signs else f"{value + 1:>2}"
            for column, value in enumerate(values)
        ]
        for row, values in enumerate(rows)
    ]


def drawn(rows: list[list[str]], height: int, width: int, gap: str = " ") -> str:
    """The rows with bars and borders around boxes of that size."""
    lines = []
    for index, row in enumerate(rows):
        parts = [gap.join(row[at : at + width]) for at in range(0, len(row), width)]
        lines += (
            ["+".join("-" * len(part) for part in parts)] if index % height == 0 < index else []
        )
        lines.append("|".join(parts))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("box", [(3, 4), (4, 3), (2, 6), (6, 2)])
def test_lines_decide_the_boxes_of_sides_that_have_no_usual_ones(box):
    rows = [[cell.rjust(2) for cell in row] for row in twelve(*box)]
    puzzle = read(drawn(rows, *box)).puzzle
    assert (puzzle.geometry.height, puzzle.geometry.width) == box
    bars = "\n".join(line for line in drawn(rows, *box).splitlines() if "-" not in line)
    assert read(bars).puzzle == puzzle
    assert read(bars.replace("|", " "), boxes=f"{box[0]}x{box[1]}").puzzle == puzzle


def test_lines_that_draw_no_boxes_of_such_a_side_are_refused():
    rows = [[cell.rjust(2) for cell in row] for row in twelve(3, 4)]
    said = said_of(drawn(rows, 3, 5))
    assert "lines around boxes, or --boxes 2x6, 3x4, 4x3 or 6x2" in said
    assert "lines around boxes" in said_of(drawn(rows, 5, 4))
    said_of(drawn(rows, 3, 3))


def test_empty_rows_and_columns_decide_the_boxes_of_such_a_side():
    for height, width in ((3, 4), (4, 3), (2, 6)):
        lines = []
        for index, row in enumerate(twelve(height, width)):
            parts = (",".join(row[at : at + width]) for at in range(0, 12, width))
            line = ",,".join(parts).replace(".", "")
            lines += ["," * line.count(",")] if index % height == 0 < index else []
            lines.append(line)
        assert read("\n".join(lines)).puzzle.geometry.height == height


@pytest.mark.parametrize("signs", ["123456789ABC", "123456789abc", "0123456789AB", "ABCDEFGHIJKL"])
def test_letters_are_values_above_9(signs):
    expected = read(drawn([[cell.rjust(2) for cell in row] for row in twelve(3, 4)], 3, 4)).puzzle
    text = drawn(twelve(3, 4, signs), 3, 4, "")
    assert read(text).puzzle == expected
    assert read(text.replace("|", ""), boxes="3x4").puzzle == expected


def test_letters_of_several_alphabets_are_refused():
    text = drawn(twelve(3, 4, "123456789ABC"), 3, 4, "")
    assert "1-C or 0-B" in said_of(text.replace("C", "."))
    assert "numbers separated by spaces" in said_of(text.replace("C", "."))


@pytest.mark.parametrize("side", [4, 6])
def test_a_frame_of_box_characters_makes_no_larger_grid(side):
    rows = "".join(f"│{'.' * (side - 1)}{row % side + 1}│\n" for row in range(side))
    puzzle = read(f"┌{'─' * side}┐\n{rows}└{'─' * side}┘\n").puzzle
    assert len(puzzle.cells) == side * side


def test_a_markdown_table_of_16_columns_is_a_board():
    values = [[(4 * row + row // 4 + column) % 16 + 1 for column in range(16)] for row in range(16)]
    for columns in "ABCDEFGHIJKLMNOP", [f"C{n}" for n in range(1, 17)]:
        lines = [f"|{'|'.join(columns)}|", "|---" * 16 + "|"]
        lines += [f"|{'|'.join(str(n) if n % 3 else ' ' for n in row)}|" for row in values]
        puzzle = read("\n".join(lines)).puzzle
        assert dict(puzzle.givens())[0] == 1
        assert len(puzzle.cells) == 256


@pytest.mark.parametrize("box", [(3, 4), (2, 5)])
def test_a_line_of_letters_is_a_puzzle_of_side_10_or_12_with_stated_boxes(box):
    side = box[0] * box[1]
    grid = [
        [(column + box[1] * (row % box[0]) + row // box[0]) % side for column in range(side)]
        for row in range(side)
    ]
    line = "".join("." if value == 0 else "123456789ABC"[value] for row in grid for value in row)
    puzzle = read(line, boxes=f"{box[0]}x{box[1]}").puzzle
    assert (puzzle.geometry.height, puzzle.geometry.width) == box
    assert dict(puzzle.givens()) == {
        cell: value + 1 for cell, value in enumerate(chain.from_iterable(grid)) if value
    }
    assert f"--boxes {'2x6, 3x4' if side == 12 else '2x5'}" in said_of(line)
    assert "expected a line of 16, 36, 64 or 81" in said_of(
        line.translate(str.maketrans("ABC", "..."))
    )
