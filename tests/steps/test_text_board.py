"""The board of a step on a terminal: it can be read without colours."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.pictures import BEFORE, PICTURE, picture_with

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.regions import Region
from pipeline.solving.drawing import BoardStyle
from pipeline.steps.presentation.picture import Picture, Role
from pipeline.steps.presentation.text_board import text_board
from pipeline.steps.step import Position

ASCII = BoardStyle(is_ascii=True)
DRAWN = """\
    c1     c2      c3     c4
r1  1      2[3]4 | 2[3]4  234
r2  234    2     | 234    234
    -------------+-------------
r3  23{4}  234   | 23<4>  23(4)
r4  234    234   | *2*34  1
    [ ] pattern   { } second part of the pattern   < > fin   ( ) eliminated   * * placed"""


def test_each_role_has_its_own_signs_and_the_last_line_explains_them():
    assert text_board(PICTURE, style=ASCII) == DRAWN
    texts = [
        text_board(picture_with(role), style=ASCII).split("c4\n")[1].rsplit("\n", 1)[0]
        for role in Role
    ]
    assert len({*texts}) == len(Role)


def test_a_position_without_a_step_has_no_legend():
    lines = text_board(Picture(BEFORE, {}, (), frozenset(), ())).splitlines()
    assert lines[-1].startswith("r4")


def test_colours_are_added_to_the_signs_and_change_no_column():
    coloured = text_board(PICTURE, style=replace(ASCII, has_colours=True))
    assert coloured != DRAWN
    plain = re.sub(r"\x1b\[[\d;]+m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == DRAWN.splitlines()


def test_values_are_written_with_the_symbols_of_the_position():
    before = replace(BEFORE, symbols="ABCD")
    assert "B[C]D" in text_board(replace(PICTURE, before=before), style=ASCII)


@pytest.mark.parametrize(("height", "width", "cell"), [(2, 3, "12(3)456"), (3, 4, "1,2,(3),4,5")])
def test_grids_of_every_size_are_drawn(height, width, cell):
    geometry = Geometry(height, width)
    masks = (geometry.all_values,) * geometry.size
    before = Position.classic((0,) * geometry.size, masks, frozenset(), geometry)
    picture = Picture(before, {(0, 3): Role.ELIMINATED}, (), frozenset(), ())
    board = text_board(picture, style=ASCII)
    lines = board.splitlines()
    assert lines[1].split()[1].startswith(cell)
    assert len(lines) == 1 + geometry.side + geometry.side // height - 1 + 1
    assert lines[1].count("|") == geometry.side // width - 1


RULES = Cage((0, 1), 3), Cage((4, 8), 5), Cage((5, 6, 10), 7), Cage((3, 7)), Cage((14, 15), 12)
WITH_CAGES = """\
    c1      c2      c3      c4
    3..............       .......
r1  1       2[3]4 | 2[3]4 : 234
    5.......7.....|........
r2  234   : 2     | 234   : 234
    --------------+--------------
r3  23{4} : 234   | 23<4> : 23(4)
    .......       |.12...........
r4  234     234   | *2*34   1
    [ ] pattern   { } second part of the pattern   < > fin   ( ) eliminated   * * placed   \
. : cage"""


def test_cages_have_dotted_borders_and_their_sums():
    assert text_board(PICTURE, RULES, style=ASCII) == WITH_CAGES


def test_box_drawing_changes_no_column():
    drawn = text_board(PICTURE, RULES).splitlines()
    assert drawn[4:6] == ["r2  234   ┆ 2     ┃ 234   ┆ 234", "    ━━━━━━┿━━━━━━━╋━━━━━━━┿━━━━━━"]
    assert [*map(len, drawn)] == [*map(len, WITH_CAGES.splitlines())]


def test_cages_that_begin_in_one_cell_share_their_place():
    board = text_board(PICTURE, [Cage((0, 1), 3), Cage((0, 4), 5)], ASCII)
    assert board.splitlines()[1].strip() == "3/5............"


REGIONS = """\
    c1  c2   c3   c4
r1  1  1 | 1   1
         |   +--
r2  1  1 | 1 | 1
    -----+   |
r3  1  1 | 1 | 1
         +---+
r4  1  1 | 1   1"""


def test_regions_have_solid_borders():
    geometry = Geometry(1, 4)
    regions = (0, 1, 4, 5), (2, 3, 6, 10), (8, 9, 12, 13), (7, 11, 14, 15)
    before = Position.classic((1,) * 16, (0,) * 16, frozenset(), geometry)
    picture = Picture(before, {}, (), frozenset(), ())
    assert text_board(picture, map(Region, regions), style=ASCII) == REGIONS
