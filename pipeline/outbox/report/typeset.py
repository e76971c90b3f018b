"""Drawings and page layouts → PNG and PDF, by Typst. Only this module imports it.

Typst is one wheel per platform and has its own fonts, so a board looks the same on every machine.
It does not support custom properties of CSS, so they are replaced by colours here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pipeline.errors import check_extra

FONT: Final = "Libertinus Serif"
"""Built into Typst. The machine's fonts are the fallback for characters that it lacks."""

_RESOLUTION = 192
"""Pixels per inch of a PNG; an SVG has 96 units per inch."""

_VARIABLE = re.compile(r"var\(--([\w-]+), ([^)]*)\)")
_FAMILIES = re.compile(r"(\bfont: [\d.]+px )")

_BOARDS: Final = """
#set document(title: "Sudoku", date: none)
#for svg in json(bytes(sys.inputs.data)) {
  page(width: auto, height: auto, margin: 0pt, image(bytes(svg), format: "svg"))
}
"""


def picture_of(svgs: Sequence[str], kind: str) -> bytes:
    """A drawing as svg or png, or several as a pdf. Raises as `png_of` does."""
    if kind == "svg":
        return f"{svgs[0]}\n".encode()
    return png_of(svgs[0]) if kind == "png" else pdf_of(svgs)


def png_of(svg: str) -> bytes:
    """A PNG of one drawing, as `board_svg` makes them with `alone`.

    Raises UsageError if the extra is not installed.
    """
    return _compiled(_BOARDS, [plain(svg)], "png")


def pdf_of(svgs: Sequence[str]) -> bytes:
    """A PDF of drawings, one or more, each on a page of its own size. Raises as `png_of` does."""
    return _compiled(_BOARDS, [plain(svg) for svg in svgs], "pdf")


def typeset(layout: str, data: object) -> bytes:
    """A PDF of a layout in Typst's language, which gets the data as JSON in `sys.inputs.data`.

    The data is not evaluated as code. Raises as `png_of` does.
    """
    return _compiled(layout, data, "pdf")


def plain(svg: str, colours: Mapping[str, str] | None = None) -> str:
    """The drawing in Typst's font, and in these colours, by default its own."""
    named = colours or {}
    svg = _VARIABLE.sub(lambda match: named.get(match[1], match[2]), svg)
    return _FAMILIES.sub(rf'\1"{FONT}", ', svg)


def check_installed() -> None:
    """Raise UsageError if the extra is not installed."""
    check_extra("a PNG or PDF", "draw", "typst")


def _compiled(layout: str, data: object, kind: Literal["pdf", "png"]) -> bytes:
    check_installed()
    import typst  # noqa: PLC0415 - 80 MB of machine code

    inputs = {"data": json.dumps(data)}
    made: bytes = typst.compile(layout.encode(), format=kind, ppi=_RESOLUTION, sys_inputs=inputs)
    return made
