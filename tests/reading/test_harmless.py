"""Titles, comments, columns and borders that change no puzzle must not keep one from being read."""

from __future__ import annotations

import pytest
from support.parsers import LINE, ROWS, SOLVED, grid

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.solving.items import read
from pipeline.solving.problem import PuzzleProblem

OTHER = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
OTHER_SOLVED = "417369825632158947958724316825437169791586432346912758289643571573291684164875293"
FOUR = "1.....2..3.....4"
SIX = "..2..4...6...25.6.......16.2....3.1."
EIGHT = "52..1.78.....2...14.....6..72..3...27.5..8...4..4.....65.7.5...1"
SPACED = "".join(" ".join(row) + "\n" for row in ROWS.split())


def barred(cells: str, width: int) -> list[str]:
    """The rows of a grid with bars between boxes of that width."""
    rows = grid(cells).split()
    return ["|".join(row[at : at + width] for at in range(0, len(row), width)) for row in rows]


def bands(rows: list[str], height: int, border: str) -> str:
    """Those rows with a border between boxes of that height."""
    parts = ["\n".join(rows[at : at + height]) for at in range(0, len(rows), height)]
    return f"\n{border}\n".join(parts) + "\n"


def every(rows: list[str], border: str) -> str:
    """The rows between borders, above the first and below the last too."""
    return "".join(f"{border}\n{row}\n" for row in rows) + border + "\n"


NINE_BARRED = barred(LINE, 3)
FRAMED = [f"|{row}|" for row in NINE_BARRED]
ALL_BARRED = ["|" + "|".join(row) + "|" for row in ROWS.split()]
LIBRARY = ":0000:x:{}:::\n"
XML = '<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n<name>{}</name>\n{}</opensudoku>\n'
GAME = '<game data="{}" />\n'

BOXES = {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3)}
BOTH = (LINE, OTHER)

ONE = {
    "bars between boxes": "\n".join(NINE_BARRED),
    "bars between all cells": "\n".join("|".join(row) for row in ROWS.split()),
    "bars around all cells": "\n".join(ALL_BARRED),
    "a border between boxes": bands(NINE_BARRED, 3, "---+---+---"),
    "a border of = and +": bands(NINE_BARRED, 3, "===+===+==="),
    "a border after every row": every(ALL_BARRED, "+-+-+-+-+-+-+-+-+-+"),
    "a border after every row, spaced": every(
        [row.replace("|", " | ") for row in ALL_BARRED], "+" + "---+" * 9
    ),
    "Simple Sudoku's frame": f"*-----------*\n{bands(FRAMED, 3, '|---+---+---|')}*-----------*\n",
    "a frame of +": every([bands(FRAMED, 3, "+---+---+---+").strip()], "+---+---+---+"),
    "spaced boxes": bands([" ".join(row) for row in NINE_BARRED], 3, "------+-------+------"),
    "spaces between boxes": bands([row.replace("|", " ") for row in NINE_BARRED], 3, ""),
    "spaces between cells": SPACED,
    "commas": SPACED.replace(" ", ","),
    "comments above": f"# Sudoku 12, from the paper\n// rating: 1.2\n{ROWS}",
    "comments below and between": f"{ROWS[:30]}# the middle\n{ROWS[30:]}\n# http://example.org\n",
    "empty lines": f"\n\n{ROWS}\n\n",
    "empty lines between boxes": "\n\n".join(
        ROWS[start : start + 30].strip() for start in (0, 30, 60)
    ),
    "a carriage return": ROWS.replace("\n", "\r\n"),
    "a title": f"Sudoku no. 17\n{ROWS}",
    "a title and an empty line": f"Taken from the paper\n\n{ROWS}",
    "a number as a title": f"12\n{ROWS}",
    "a name above one line": f"puzzle\n{LINE}\n",
    "one line and fields": f"{LINE} 1.2 easy\n",
    "one line with bars": "|".join(LINE[at : at + 9] for at in range(0, 81, 9)) + "\n",
    "SadMan's comments": f"#AAnn\n#DMade by hand\n#B01-01-2010\n#SA paper\n#LEasy\n{ROWS}",
    "SadMan's sections": f"#AAnn\n[Puzzle]\n{ROWS}[State]\n{grid(SOLVED)}",
    "a HoDoKu line": LIBRARY.format(LINE),
    "a HoDoKu line with digits placed": LIBRARY.format("53+4" + LINE[3:]),
    "a HoDoKu line with candidates removed": f":0000:x:{LINE}:314 916::\n",
    "OpenSudoku": XML.format("easy", GAME.format(LINE.replace(".", "0"))),
    "a header and one record": f"id,puzzle\n1,{LINE}\n",
}

SIX_ROWS, EIGHT_ROWS = barred(SIX, 3), barred(EIGHT, 4)

SMALLER = {
    "6x6 with bars and borders": (SIX, bands(SIX_ROWS, 2, "---+---")),
    "6x6 with empty lines": (SIX, bands([row.replace("|", " ") for row in SIX_ROWS], 2, "")),
    "6x6 in a frame": (
        SIX,
        every([bands([f"|{row}|" for row in SIX_ROWS], 2, "+---+---+").strip()], "+---+---+"),
    ),
    "6x6 with bars between all cells": (SIX, "\n".join("|".join(row) for row in grid(SIX).split())),
    "8x8 with bars and borders": (EIGHT, bands(EIGHT_ROWS, 2, "----+----")),
    "8x8 with = and +": (EIGHT, bands(EIGHT_ROWS, 2, "====+====")),
    "4x4 with bars and borders": (FOUR, bands(barred(FOUR, 2), 2, "--+--")),
}

EULER = f"Grid 01\n{ROWS}Grid 02\n{grid(OTHER)}".replace(".", "0")
MANY = {
    "Project Euler 96": EULER,
    "stacked grids with empty lines": f"{ROWS}\n{grid(OTHER)}",
    "stacked grids with nothing between": ROWS + grid(OTHER),
    "stacked grids with titles": f"Sudoku 1 (easy)\n{ROWS}\nSudoku 2 (hard)\n{grid(OTHER)}",
    "stacked grids with numbers": f"1.\n{ROWS}2.\n{grid(OTHER)}",
    "stacked grids with dates": f"Monday, 3 May\n{ROWS}\nTuesday, 4 May\n{grid(OTHER)}",
    "stacked grids with a key": f"Author: Ann\n{ROWS}\nAuthor: Bob\n{grid(OTHER)}",
    "stacked grids with borders": "\n".join(
        bands(barred(cells, 3), 3, "---+---+---") for cells in BOTH
    ),
    "stacked frames": "\n".join(
        f"*-----------*\n{bands([f'|{row}|' for row in barred(cells, 3)], 3, '|---+---+---|')}"
        "*-----------*\n"
        for cells in BOTH
    ),
    "stacked grids with titles and a footer": (
        f"No. 1\n{ROWS}\nNo. 2\n{grid(OTHER)}\nhttps://example.org/sudoku\n"
    ),
    "lines with comments": f"# easy\n{LINE}\n// hard\n{OTHER}\n",
    "lines with empty lines": f"{LINE}\n\n{OTHER}\n",
    "lines with ratings and names": f"{LINE} 1.2 first\n{OTHER} 7.1 second\n",
    "lines with a hash and a rating": (f"0000183b305c {LINE} 1.2\n000061db6c5f {OTHER} 7.1\n"),
    "lines with bars between rows": "".join("|".join(grid(cells).split()) + "\n" for cells in BOTH),
    "a HoDoKu library": LIBRARY.format(LINE) + LIBRARY.format("4+1" + OTHER[2:]),
    "OpenSudoku": XML.format(
        "two", "".join(GAME.format(cells.replace(".", "0")) for cells in BOTH)
    ),
    "a name above lines": f"puzzle\n{LINE}\n{OTHER}\n",
    "an id": f"id,puzzle\n1,{LINE}\n2,{OTHER}\n",
    "harmless columns": (
        "id,puzzle,rating,date,author,difficulty\n"
        f"1,{LINE},0.5,2020-05-03,Ann,easy\n2,{OTHER},7.1,2020-05-04,Bob,hard\n"
    ),
    "quoted fields": f'"name","puzzle"\n"Ann, the first","{LINE}"\n"Bob","{OTHER}"\n',
    "semicolons": f"puzzle;source\n{LINE};paper\n{OTHER};web\n",
    "no header": f"1,{LINE},easy\n2,{OTHER},hard\n",
}
PAIRS = ((LINE, SOLVED), (OTHER, OTHER_SOLVED))
WITH_SOLUTIONS = {
    "puzzle and solution": "puzzle,solution\n" + "".join(f"{p},{s}\n" for p, s in PAIRS),
    "quizzes and solutions": (
        "quizzes,solutions\n" + "".join(f"{p.replace('.', '0')},{s}\n" for p, s in PAIRS)
    ),
    "id, puzzle, solution, clues, difficulty": (
        "id,puzzle,solution,clues,difficulty\n"
        + "".join(f"{at},{p},{s},30,0.0\n" for at, (p, s) in enumerate(PAIRS, 1))
    ),
    "solutions without a header": "".join(f"{p},{s}\n" for p, s in PAIRS),
    "solutions behind puzzles": "".join(f"{p}{s}\n" for p, s in PAIRS),
    "solutions beside puzzles": "".join(f"{p} {s}\n" for p, s in PAIRS),
}
CASES: dict[str, tuple[str, list[tuple[str, str | None]]]] = {
    **{name: (text, [(LINE, None)]) for name, text in ONE.items()},
    **{name: (text, [(cells, None)]) for name, (cells, text) in SMALLER.items()},
    **{name: (text, [(cells, None) for cells in BOTH]) for name, text in MANY.items()},
    **{name: (text, [*PAIRS]) for name, text in WITH_SOLUTIONS.items()},
    "a solved grid below": (f"{ROWS}\n{grid(SOLVED)}", [(LINE, None), (SOLVED, None)]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_harmless_changes_no_puzzle(name: str) -> None:
    text, puzzles = CASES[name]
    found = [(item.problem, item.reason) for item in read(text.encode())]
    assert [reason for _, reason in found] == [None] * len(puzzles)
    for (problem, _), (cells, claimed) in zip(found, puzzles, strict=True):
        side = round(len(cells) ** 0.5)
        values = [int(sign) if sign != "." else 0 for sign in cells]
        assert isinstance(problem, PuzzleProblem)
        assert problem.puzzle == Puzzle.of_values(Geometry(*BOXES[side]), values)
        assert problem.parsed.claimed == claimed
        assert problem.unread == ()
