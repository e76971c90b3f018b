"""Lines of HoDoKu's library: the state of a game."""

from __future__ import annotations

import pytest
from support.parsers import CLASSIC, LINE, read

from pipeline.reading.formats.parsed import NO_PROGRESS

BLANK = LINE.index(".")
"""The first cell that is not given."""

PLAYED = f"{LINE[:BLANK]}+4{LINE[BLANK + 1 :]}"
"""A line with a 4 that was placed there."""


def test_a_placed_digit_and_eliminated_candidates_are_the_progress():
    parsed = read(f":0300:4:{PLAYED}:123 999::\n")
    assert parsed.puzzle == CLASSIC
    assert parsed.progress == (((BLANK, 4),), ((11, 1), (80, 9)))
    assert read(PLAYED).progress == (((BLANK, 4),), ())


@pytest.mark.parametrize("field", ["", "12", "1234", "102", "a11"])
def test_other_text_after_the_cells_is_not_progress(field):
    assert read(f":0000:x:{LINE}:{field}::\n").progress == NO_PROGRESS
