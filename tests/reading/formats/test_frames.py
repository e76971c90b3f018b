"""A format is a frame and alphabets: as one that is not registered, numbers with spaces between."""

from __future__ import annotations

import pytest
from support.cases import for_each

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import numbers
from pipeline.reading.formats.frames import frame_of_numbers, parser
from pipeline.reading.formats.text import decode_text
from pipeline.settings import Reading

ROWS = ["01 __ 0 2", "__ _ _ _", "3 _ _ _", "_ _ _ 4"]
PARSE = parser(
    lambda text: frame_of_numbers(text, text.lines, (4, 6)),
    numbers({"0", "_", "__"}, ", or 0 or _ for a blank"),
)


def read(rows: list[str], **options: str) -> Puzzle:
    return PARSE(decode_text("\n".join(rows).encode(), "a"), Reading(**options)).puzzle


def test_tokens_become_cells():
    rows = [row.replace("__", "0").replace("_", "0") for row in ROWS]
    wanted = Puzzle.of_values(Geometry(2, 2), [1, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4])
    assert read(rows) == wanted
    framed = [f"|{row[:-3]}|{row[-3:]}|" for row in rows]
    assert read(["+--+--+", *framed[:2], "--+--", *framed[2:]]) == wanted


NUMBER = "a number from 1 to 4, or 0 or _ for a blank"
SHORT = ["1 _ _ 2", "_ _ _", "3 _ _ _", "_ _ _ 4"]


@for_each(
    ("rows", "options", "message"),
    [
        ([*SHORT[:3], "_ k 0 4"], {}, f"a:4:3: expected {NUMBER}, found 'k'"),
        ([*SHORT[:3], "_ 5 0 4"], {}, f"a:4:3: expected {NUMBER}, found '5'"),
        ([*SHORT[:3], "_ _ 0 4"], {}, "a:2:6: expected a row of 4 cells, found 3 cells"),
        (ROWS, {}, "a:1:7: expected one symbol for all blanks, '__' as before, found '0'"),
        (["1|0 0 2"] * 4, {}, "a:1: expected lines around the usual boxes of 2×2 cells"),
        (["1 0 0 2"] * 4, {"boxes": "2x3"}, "a: expected 6 rows and columns, as --boxes 2x3 says"),
    ],
)
def test_tokens_are_judged_first_then_rows_then_second_blanks_then_lines(rows, options, message):
    with pytest.raises(InvalidPuzzle) as caught:
        read(rows, **options)
    assert str(caught.value).startswith(message)
