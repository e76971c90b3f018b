"""The board of a step as SVG: every role has its own shape, and every text has contrast."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.pictures import BEFORE, BOARD, LINKS, PICTURE, PUZZLE, picture_with
from support.svg import SVG, drawn, of_class

from pipeline.outbox.report import rule_shapes
from pipeline.outbox.report.assets import read_asset
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.step_shapes import STEP_STYLE, ordinal
from pipeline.outbox.report.typeset import png_of
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.steps.presentation.picture import Picture, Role
from pipeline.steps.step import Position

GOLDEN = Path(__file__).parents[2] / "golden" / "board-step.svg"
STYLE = rule_shapes.BOARD_STYLE + STEP_STYLE
TEXTS_ON = {
    "in-step": ("paper", "unit-shade"),
    "in-mark": ("mark-pattern", "mark-second", "mark-fin", "mark-ordered"),
    "is-eliminated": ("paper", "unit-shade"),
    "is-placed": ("mark-placed",),
    "is-ordinal": ("paper", "unit-shade"),
    "given": ("paper", "unit-shade"),
    "solved": ("paper", "unit-shade"),
}
"""Maps the class of a text to the classes of the areas behind it."""
LINES_ON = ("mark-pattern", "mark-second", "mark-fin", "stroke", "link", "cell-frame")
"""The classes of lines on paper."""


def custom_properties(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#\w+)", css))


def themes() -> dict[str, dict[str, str]]:
    """The custom properties of files, of the report by day and night, and of sheets."""
    day, night = read_asset("page.css").split("@media (prefers-color-scheme: dark)", 1)
    night = night.split("* { box-sizing", 1)[0]
    return {
        "file": {},
        "day": custom_properties(day),
        "night": custom_properties(day) | custom_properties(night),
        "sheet": custom_properties(read_asset("sheet.css")),
    }


def colour(name: str, key: str, theme: dict[str, str]) -> str:
    """The colour of a class."""
    rules = re.findall(rf"\.board \.{name} {{([^}}]*)}}", STYLE)
    (found,) = re.findall(rf"\b{key}: var\(--([\w-]+), (#\w+)\)", " ".join(rules))
    return theme.get(*found)


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it."""
    low, high = sorted(map(luminance, (first, second)))
    return (high + 0.05) / (low + 0.05)


def luminance(text: str) -> float:
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_contrast_is_measured_as_the_standard_says():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#fff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("name", themes())
def test_every_text_and_line_can_be_read_in_every_theme(name):
    theme = themes()[name]
    for text, areas in TEXTS_ON.items():
        for area in areas:
            ratio = contrast(colour(text, "fill", theme), colour(area, "fill", theme))
            assert ratio >= 4.5, (text, area, ratio)
    for line in LINES_ON:
        ratio = contrast(colour(line, "stroke", theme), colour("paper", "fill", theme))
        assert ratio >= 3, (line, ratio)


def test_every_text_of_a_step_is_checked_for_contrast():
    board = Board(PUZZLE, step=PICTURE, order=[(14, 2)])
    used = {each.get("class").split()[0] for each in drawn(board).iter(f"{SVG}text")}
    assert used | {"is-placed"} == TEXTS_ON.keys()


def test_a_step_is_drawn_as_it_always_was():
    svg = board_svg(BOARD, "a step", "b", standalone=True)
    assert svg + "\n" == GOLDEN.read_text()


def test_roles_differ_in_shape_and_not_only_in_colour():
    shapes = set()
    for role in Role:
        svg = drawn(Board(PUZZLE, step=picture_with(role)))
        paths = [path for path in svg.iter(f"{SVG}path") if path.get("class") != "paper"]
        shapes.add(tuple(path.get("d") for path in paths))
    assert len(shapes) >= len(Role) - 1  # a placed value has the disc of a pattern, but dark
    style = re.findall(r"\.(mark-pattern|mark-placed) {([^}]*)}", STEP_STYLE)
    areas = [re.findall(r"fill: var\([^,]+, (#\w+)", rule)[0] for _, rule in style]
    assert contrast(*areas) >= 4.5, "the two discs differ in grey, too"


def test_strong_links_are_solid_and_weak_ones_dashed():
    svg = drawn(BOARD)
    for name in ("strong", "weak"):
        (path,) = of_class(svg, name)
        assert path.get("d").count("M") == sum(
            link.is_strong == (name == "strong") for link in LINKS
        )
    assert "stroke-dasharray" in re.findall(r"\.weak {([^}]*)}", STEP_STYLE)[0]
    assert len(of_class(svg, "mark-group")) == 1, "two cells of a node are connected"


def test_values_before_the_step_are_told_from_givens_and_candidates():
    svg = drawn(BOARD)
    assert [of_class(svg, name)[0].text for name in ("given", "solved")] == ["12", "1"]
    plain = of_class(svg, "in-step")[0]
    open_cells = sum(not value for value in BEFORE.values)
    assert len([*plain]) == 3 * open_cells - len(PICTURE.roles)


def test_singles_in_order_have_letters_and_may_stand_without_candidates():
    board = Board(PUZZLE, step=PICTURE, order=[(14, 2), (3, 4)], hides_candidates=True)
    svg = drawn(board)
    assert ["".join(each.itertext()) for each in of_class(svg, "is-ordinal")] == ["ab"]
    assert of_class(svg, "in-step") == of_class(svg, "is-placed") == []
    assert [ordinal(index) for index in (0, 25, 26)] == ["a", "z", "a2"]


def test_a_screen_reader_gets_the_marks_in_words():
    (description,) = drawn(BOARD).iter(f"{SVG}desc")
    for words in ("Eliminated: 4 in r3c4.", "Placed: 2 in r4c3.", "Fin: 4 in r3c3."):
        assert words in description.text


@pytest.mark.parametrize("box", [(2, 3), (3, 3), (3, 4), (4, 4), (1, 7)])
def test_candidates_of_every_size_lie_in_their_cells(box):
    geometry = Geometry(*box)
    size, side = geometry.size, geometry.side
    before = Position.classic((0,) * size, (geometry.all_values,) * size, frozenset(), geometry)
    picture = Picture(before, {(0, side): Role.FIN}, (), frozenset(), ())
    svg = drawn(Board(Puzzle.empty(geometry), step=picture))
    spans = [span for name in ("in-step", "in-mark") for span in of_class(svg, name)[0]]
    assert len(spans) == size * side
    for span in spans:
        assert 0 < float(span.get("x")) < 20 * side
        assert 0 < float(span.get("y")) < 20 * side
    assert len({(span.get("x"), span.get("y")) for span in spans}) == len(spans)


def test_a_step_becomes_a_png():
    assert png_of(board_svg(BOARD, "a step", "b", standalone=True)).startswith(b"\x89PNG")
