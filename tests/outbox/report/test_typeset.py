"""Drawings as PNG and PDF: what is in the files, and what is said without the extra."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from support.needs import needs_typst
from support.puzzles import NINE
from support.sheets import pages_of

from pipeline import parse_puzzle
from pipeline.outbox.report import Board, board_svg
from pipeline.outbox.report.typeset import pdf_of, png_of, resolve_colours, typeset


def pixels_of(png: bytes) -> np.ndarray:
    """The greys of an image: 0 is black, 255 is white."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("L"))


RULES = sorted((Path(__file__).parents[3] / "docs" / "assets" / "rules").glob("*.svg"))


def drawn(text: str) -> str:
    return board_svg(Board(parse_puzzle(text)), "Puzzle", "b", standalone=True)


@needs_typst
def test_a_png_shows_the_lines_and_the_givens_of_the_board():
    pixels = pixels_of(png_of(drawn(NINE)))
    height, width = pixels.shape
    assert (height, width) == (736, 736)  # two pixels for each of the 368 units
    dark = pixels < 128
    assert dark[6:, 6].mean() > 0.9  # the border on the left
    cell = slice(20, 70)  # inside the first cell, which holds a 5, and the third, which is empty
    assert dark[cell, cell].any()
    assert not dark[cell, 180:230].any()


@needs_typst
def test_a_pdf_has_a_page_for_each_drawing_and_is_the_same_each_time():
    svgs = [drawn(NINE), drawn("1.....2..3.....4")]
    pdf = pdf_of(svgs)
    assert len(pages_of(pdf)) == 2
    assert pdf == pdf_of(svgs)


@needs_typst
def test_the_drawings_of_all_rules_are_taken_and_have_no_colour_that_the_engine_does_not_know():
    svgs = [path.read_text(encoding="utf-8") for path in RULES]
    assert not [svg for svg in svgs if "var(" in resolve_colours(svg)]
    assert len(pages_of(pdf_of(svgs))) == len(svgs) > 60


def test_a_drawing_takes_given_colours_and_else_its_own():
    svg = "<style>.a { fill: var(--ink, #123); stroke: var(--line, #456) }</style>"
    assert resolve_colours(svg) == "<style>.a { fill: #123; stroke: #456 }</style>"
    assert resolve_colours(svg, {"ink": "#000"}) == "<style>.a { fill: #000; stroke: #456 }</style>"


@needs_typst
def test_data_is_shown_and_never_run():
    data = ['#read("/etc/passwd") #panic("x")', "*a* _b_ $c$ <d>"]
    pdf = typeset("#for each in json(bytes(sys.inputs.data)) [#each #parbreak()]", data)
    assert len(pages_of(pdf)) == 1
