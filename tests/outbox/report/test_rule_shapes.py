"""Rules on a board: each in the look that solvers know, and none in the way of another."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from support.rules.examples import EXAMPLES
from support.svg import SVG, drawn, of_class

from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.rule_shapes import SHAPE_KINDS, SHAPES_STYLE, style_sheet_for
from pipeline.outbox.report.shape_paths import ShapeStyle, css_class, draw_shapes
from pipeline.puzzle.constraints import AllOf
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.rules import cages, lines, outside, pairs, regions
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Ring, Shape, Tint

GOLDEN = Path(__file__).parents[2] / "golden"
FOUR, SIX, NINE = Geometry(2, 2), Geometry(2, 3), Geometry(3, 3)
ANYTHING = {
    Tint: lambda kind: Tint(((1, 1), (2, 1)), kind),
    Line: lambda kind: Line(((1, 1), (2, 2), (2, 3)), kind, has_bulb=True, has_arrowhead=True),
    Outline: lambda kind: Outline(((1, 1), (1, 2)), kind, "3"),
    Ring: lambda kind: Ring(((1, 1), (1, 2)), kind),
    Dot: lambda kind: Dot((1, 1.5), kind, "1 2 3"),
    Label: lambda kind: Label((1, 1.5), "<", kind),
}


def text_of(element: Element) -> list[str]:
    """The texts of an element's parts."""
    return [each.text or "" for each in element.iter(f"{SVG}tspan")]


class Shown(Rule):
    """A rule that demands nothing and is drawn with these shapes."""

    drawn: tuple[Shape, ...]
    name = "shown"

    def constraints(self, geometry):
        return AllOf(())

    def draw(self, geometry):
        return self.drawn

    def describe(self, geometry):
        return "<shown> & told"


def board(*shown: Shape | Rule, geometry: Geometry = SIX, broken: tuple[int, ...] = ()) -> Board:
    """An empty board with rules, each shape one of its own."""
    own = tuple(each if isinstance(each, Rule) else Shown((each,)) for each in shown)
    return Board(Puzzle.empty(geometry, own), rules_in_conflict=broken)


def texts(svg) -> list[str]:
    return [text for element in svg.iter(f"{SVG}text") for text in text_of(element)]


def test_every_rule_that_is_drawn_is_told():
    for geometry, rule in chain(*EXAMPLES.values()):
        svg = drawn(board(rule, geometry=geometry))
        assert rule.describe(geometry)[:20] in svg.find(f"{SVG}desc").text, rule


@pytest.mark.parametrize("broken", [False, True])
def test_every_kind_can_be_drawn(broken):
    for shape, name in {*SHAPE_KINDS} - {(Outline, "region")}:  # which is a border
        look = ShapeStyle(shape, name, broken)
        assert "".join(draw_shapes(look, [ANYTHING[shape](name)])).count(look.css_classes) == 1, (
            look
        )
        assert f".{css_class(shape)} {{" in style_sheet_for([(shape, name)]), look


def test_the_style_of_all_kinds_is_made_once():
    assert style_sheet_for(SHAPE_KINDS) == SHAPES_STYLE
    assert style_sheet_for([]) == ""


def test_values_stand_above_shapes_and_those_above_the_lines_of_the_grid():
    order = [
        *(pairs.Parity(0, odd=True), lines.Renban((0, 1)), cages.Cage((4, 5), 3)),
        *(lines.Between((6, 7, 8)), pairs.WhiteDot(0, 1), pairs.Greater(0, 6)),
    ]
    values = [1, *[0] * 35]
    svg = drawn(Board(Puzzle.of_values(SIX, values, tuple(order))))
    names = [each.get("class").split()[-1] for each in svg if each.get("class")]
    assert names == [
        *("paper", "odd-tint", "renban-line", "between-line", "thin", "thick", "cage-outline"),
        *("between-ring", "corner", "white-dot", "gap", "greater-label", "low"),
    ]


def test_an_arrow_begins_at_the_edge_of_its_circle():
    (line,) = of_class(drawn(board(cages.Arrow((0,), (1, 2)))), "arrow-line")
    assert line.get("d").startswith("M17.6 10L30 10 44.5 10")


def test_an_arrow_leaves_room_for_the_digit_of_its_last_cell():
    svg = drawn(board(cages.Arrow((0,), (1,)), outside.LittleKiller((1, 8, 15), 9)))
    (arrow,), (clue,) = of_class(svg, "arrow-line"), of_class(svg, "little-killer-line")
    assert arrow.get("d").startswith("M17.6 10L24.5 10M")
    assert clue.get("d").startswith("M16.4 -3.6L21.6 1.6M"), "its tip is outside the cell's middle"


def test_an_arrow_leaves_a_long_circle_at_its_end():
    shapes = (Ring(((1, 1), (1, 2)), "arrow"), Line(((1, 1), (1, 2), (1, 3)), "arrow"))
    (line,) = of_class(drawn(board(Shown(shapes))), "arrow-line")
    assert line.get("d") == "M37.6 10L50 10"


def test_a_line_of_one_cell_is_a_spot():
    (line,) = of_class(drawn(board(Line(((2, 2),), "renban"))), "renban-line")
    assert line.get("d") == "M30 30h0"


def test_lines_of_a_kind_are_one_element():
    svg = drawn(board(lines.Renban((0, 1)), lines.Palindrome((3, 4)), lines.Renban((6, 7))))
    assert [each.get("d").count("M") for each in of_class(svg, "line")] == [1, 2]


def test_sums_stand_in_the_top_left_cell_of_a_cage():
    svg = drawn(board(cages.Cage((7, 1, 6), 12), cages.Cage((9, 10))))
    (corner,) = of_class(svg, "corner")
    (sum_,) = corner
    assert (sum_.text, sum_.get("x"), sum_.get("y")) == ("12", "21.8", "6.4")


def test_cages_that_share_cells_are_not_drawn_over_each_other():
    svg = drawn(board(cages.Cage((0, 1), 3), cages.Cage((0, 6), 4)))
    (path,) = of_class(svg, "cage-outline")
    assert path.get("d").startswith("M1.7 1.7")
    assert "M3.2 3.2" in path.get("d")
    assert texts(svg) == ["3/4"]


def test_texts_of_different_kinds_in_a_cell_are_joined():
    svg = drawn(board(cages.Cage((0, 1), 3), cages.Sum(((0, 1), (6, 1)), 12)))
    assert texts(svg) == ["3/12"]
    (corner,) = of_class(svg, "corner")
    assert corner.get("class") == "corner"


def test_a_long_text_is_written_small():
    svg = drawn(
        board(cages.Contains((0, 1, 2), (1, 2)), cages.Contains((6, 7, 8, 9), (1, 1, 2, 3)))
    )
    (small,) = of_class(svg, "corner", "long")
    assert text_of(small) == ["1 1 2 3"]
    assert texts(svg) == ["1 2", "1 1 2 3"]


def test_sums_leave_room_for_candidates():
    cells = [0b11, *[SIX.all_values] * 35]
    svg = drawn(Board(Puzzle(SIX, tuple(cells), (cages.Cage((0, 1), 3),))))
    (corner,) = of_class(svg, "corner", "tight")
    assert corner[0].get("y") == "4.7"


def test_a_sum_gives_way_to_a_large_dot_at_its_corner():
    quadruple = cages.Quadruple((0, 1, 6, 7), (1, 2))
    svg = drawn(board(quadruple, cages.Cage((7, 8), 11), cages.Cage((9, 10), 4)))
    (corner,) = of_class(svg, "corner")
    assert [(each.text, each.get("x")) for each in corner] == [("11", "27.6"), ("4", "61.8")]


def test_digits_are_lower_and_smaller_where_cells_have_texts():
    puzzle = Puzzle.of_values(SIX, [1, *[0] * 35], (cages.Cage((0, 1), 3),))
    (low,) = of_class(drawn(Board(puzzle)), "given", "low")
    assert low.get("y") == "16.2"
    without_sum = Puzzle.of_values(SIX, [1, *[0] * 35], (cages.Cage((0, 1)),))
    (usual,) = of_class(drawn(Board(without_sum)), "given")
    assert (usual.get("class"), usual.get("y")) == ("given", "15")


def test_regions_have_heavy_borders_and_boxes_light_ones():
    svg = drawn(board(*[regions.Region(tuple(range(start, start + 6))) for start in (0, 6)]))
    (boxes,), (thick,) = of_class(svg, "boxes"), of_class(svg, "thick")
    assert "M60 0v120" in boxes.get("d")
    assert "M60 0" not in thick.get("d")
    assert of_class(drawn(board(lines.Renban((0, 1)))), "boxes") == []


def test_a_caption_names_rules_that_are_not_drawn():
    shown = (pairs.AntiKnight(), lines.Whispers((0, 1), 3), lines.Renban((6, 7)))
    puzzle = Puzzle.empty(SIX, shown)
    (note,) = of_class(drawn(Board(puzzle, has_caption=True)), "note")
    assert text_of(note) == ["anti-knight, whispers 3"]
    assert drawn(Board(puzzle, has_caption=True)).get("viewBox") == "-2 -2 124 134"
    assert of_class(drawn(Board(puzzle)), "note") == []


def test_there_is_room_around_the_grid_only_for_clues():
    assert drawn(board(lines.Renban((0, 1)))).get("viewBox") == "-2 -2 124 124"
    above = drawn(board(outside.Sandwich((1, 7, 13, 19, 25, 31), 5)))
    assert above.get("viewBox") == "-2 -20 124 142"
    right = drawn(board(outside.Skyscraper((5, 4, 3, 2, 1, 0), 5)))
    assert right.get("viewBox") == "-2 -2 142 124"


def test_clues_in_the_same_place_stand_one_beyond_the_other():
    column = (1, 7, 13, 19, 25, 31)
    svg = drawn(
        board(outside.Sandwich(column, 5), outside.XSum(column, 6), outside.Skyscraper(column, 3))
    )
    places = {each.text: (each.get("x"), each.get("y")) for each in svg.iter(f"{SVG}tspan")}
    assert places == {"5": ("30", "-6.6"), "6": ("30", "-26.6"), "3": ("30", "-46.6")}
    many = drawn(board(*(outside.Sandwich(column, each) for each in range(50))))
    assert many.get("viewBox") == svg.get("viewBox"), "there is an end to it"


def test_rules_in_conflict_are_drawn_as_such():
    both = (lines.Renban((0, 1)), lines.Renban((6, 7)))
    plain, broken = of_class(drawn(board(*both, broken=(1,))), "renban-line")
    assert plain.get("class") == "line renban-line"
    assert broken.get("class") == "line renban-line broken"
    svg = drawn(board(pairs.AntiKnight(), broken=(0, 7)))
    assert svg.find(f"{SVG}desc").text.endswith(" Rules in conflict: anti-knight.")


def test_a_region_in_conflict_is_tinted():
    jigsaw = [regions.Region((0, 1, 2, 5)), regions.Region((3, 6, 7, 11))]
    svg = drawn(board(*jigsaw, geometry=Geometry(1, 4), broken=(1,)))
    (tint,) = of_class(svg, "tint", "broken")
    assert tint.get("d") == "M40 20H60V0H80V60H60V40H40z"


@pytest.mark.parametrize("text", ["<b>&\"'", "\x00\x1b[31m", "1" * 500])
def test_whatever_a_text_is_the_svg_is_valid(text):
    svg = drawn(board(Outline(((1, 1),), "cage", text), Label((0, 1), text, "sandwich")))
    assert all(len(each) <= 12 for each in texts(svg))


def test_a_description_of_many_rules_comes_to_an_end():
    svg = drawn(board(*[Dot((1, 1.5), "white")] * 5000, geometry=FOUR))
    said = svg.find(f"{SVG}desc").text
    assert said.startswith(
        "4×4 cells in boxes of 2×2, 0 givens, 5000 rules. Rules: <shown> & told,"
    )
    assert " more. Row 1: – – – –." in said
    assert len(said) < 1500


def test_an_svg_of_its_own_has_the_styles_of_its_kinds_only():
    text = board_svg(board(lines.Renban((0, 1))), "a", "b", standalone=True)
    assert ".renban-line {" in text
    assert ".whispers-line {" not in text
    assert ".line" not in board_svg(board(), "a", "b", standalone=True)


def test_several_grids_are_drawn_where_they_are():
    several = Geometry(2, 2, grids=((0, 0), (2, 2)))
    values = [cell % 4 + 1 for cell in range(several.size)]
    svg = drawn(Board(Puzzle.of_values(several, values)))
    assert svg.get("viewBox") == "-2 -2 124 124"
    (given,) = of_class(svg, "given")
    places = [*zip(given.get("x").split(), given.get("y").split(), strict=True)]
    assert len({*places}) == 28
    assert ("110", "15") not in places
    said = svg.find(f"{SVG}desc").text
    assert said.startswith("2 grids of 4×4 cells in boxes of 2×2, 28 givens.")
    assert "Row 4 of grid 2: " in said


def test_grids_that_reach_too_far_are_not_drawn():
    assert not Board(Puzzle.empty(Geometry(3, 3, grids=((0, 0), (0, 17))))).is_drawable


def test_rules_are_drawn_as_they_always_were():
    shown = board(
        cages.Cage((0, 1, 6), 11),
        lines.Thermometer((14, 15, 22)),
        cages.Arrow((24,), (25, 26)),
        pairs.BlackDot(34, 35),
        outside.LittleKiller((1, 8, 15, 22, 29), 17),
        broken=(0,),
    )
    svg = board_svg(shown, "rules", "b")
    assert svg + "\n" == (GOLDEN / "board-rules.svg").read_text()
