"""Convert drawings and pages to PNG and PDF with Typst. No other module uses Typst.

Typst contains its own fonts, so a board looks the same on every machine. Typst does not support
custom properties of CSS, so this module replaces them by colours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pipeline.errors import check_extra

FONT: Final = "Libertinus Serif"
"""A font built into Typst. Characters that it lacks are taken from fonts of the machine."""

_PIXELS_PER_INCH = 192
"""The resolution of a PNG. An inch has 96 SVG units."""

_CUSTOM_PROPERTY = re.compile(r"var\(--([\w-]+), ([^)]*)\)")
"""Matches a use of a custom property, with its name and its fallback."""

_FONT_SIZE = re.compile(r"(\bfont: [\d.]+px )")

_BOARD_PAGES: Final = """
#set document(title: "Sudoku", date: none)
#for svg in json(bytes(sys.inputs.data)) {
  page(width: auto, height: auto, margin: 0pt, image(bytes(svg), format: "svg"))
}
"""


def typeset_picture(svgs: Sequence[str], kind: str) -> bytes:
    """Convert drawings to the content of a file of this kind: `svg`, `png` or `pdf`.

    A PDF contains all drawings; other files contain only the first. Raises UsageError if the extra
    is not installed.
    """
    if kind == "svg":
        return f"{svgs[0]}\n".encode()
    return png_of(svgs[0]) if kind == "png" else pdf_of(svgs)


def png_of(svg: str) -> bytes:
    """Convert a drawing, which `board_svg` made with `standalone`, to PNG.

    Raises UsageError if the extra is not installed.
    """
    return _compile(_BOARD_PAGES, [resolve_colours(svg)], "png")


def pdf_of(svgs: Sequence[str]) -> bytes:
    """Convert drawings to a PDF. Each drawing has its own page, which is as large as the drawing.

    Raises UsageError if the extra is not installed.
    """
    return _compile(_BOARD_PAGES, [resolve_colours(svg) for svg in svgs], "pdf")


def typeset(layout: str, data: object) -> bytes:
    """Typeset a layout, which is a program in Typst's language, as a PDF.

    The program reads the data as JSON from `sys.inputs.data`. Data is never run as code.
    Raises UsageError if the extra is not installed.
    """
    return _compile(layout, data, "pdf")


def resolve_colours(svg: str, colours: Mapping[str, str] | None = None) -> str:
    """Replace custom properties in a drawing by colours, and add Typst's font.

    `colours` maps custom properties to colours. Other properties are replaced by their fallbacks.
    """
    colours_by_name = colours or {}
    svg = _CUSTOM_PROPERTY.sub(lambda match: colours_by_name.get(match[1], match[2]), svg)
    return _FONT_SIZE.sub(rf'\1"{FONT}", ', svg)


def check_typst() -> None:
    """Raise UsageError if the extra is not installed."""
    check_extra("a PNG or PDF", "draw", "typst")


def _compile(layout: str, data: object, kind: Literal["pdf", "png"]) -> bytes:
    check_typst()
    import typst  # noqa: PLC0415 - 80 MB of machine code

    inputs = {"data": json.dumps(data)}
    document: bytes = typst.compile(
        layout.encode(), format=kind, ppi=_PIXELS_PER_INCH, sys_inputs=inputs
    )
    return document
