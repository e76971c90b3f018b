"""Convert drawings and pages to PNG and PDF with Typst. No other module uses it.

Typst is one wheel per platform, with its own fonts: a board looks the same on every machine. It
does not support custom properties of CSS, so they are replaced by colours here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pipeline.errors import check_extra

FONT: Final = "Libertinus Serif"
"""A font built into Typst; characters that it lacks come from fonts of the machine."""

_RESOLUTION = 192
"""Pixels per inch of a PNG; an inch has 96 SVG units."""

_VARIABLE = re.compile(r"var\(--([\w-]+), ([^)]*)\)")
_FAMILIES = re.compile(r"(\bfont: [\d.]+px )")

_BOARDS: Final = """
#set document(title: "Sudoku", date: none)
#for svg in json(bytes(sys.inputs.data)) {
  page(width: auto, height: auto, margin: 0pt, image(bytes(svg), format: "svg"))
}
"""


def picture_of(svgs: Sequence[str], kind: str) -> bytes:
    """A drawing as a file: `svg`, `png`, or `pdf`, which takes several. Raises UsageError."""
    if kind == "svg":
        return f"{svgs[0]}\n".encode()
    return png_of(svgs[0]) if kind == "png" else pdf_of(svgs)


def png_of(svg: str) -> bytes:
    """A PNG of one drawing, made by `board_svg` with `standalone`.

    Raises UsageError if the extra is not installed.
    """
    return _compile(_BOARDS, [resolve_colours(svg)], "png")


def pdf_of(svgs: Sequence[str]) -> bytes:
    """A PDF of drawings, each on a page of its own size. Raises UsageError as `png_of` does."""
    return _compile(_BOARDS, [resolve_colours(svg) for svg in svgs], "pdf")


def typeset(layout: str, data: object) -> bytes:
    """A PDF of a layout in Typst's language, which reads its data as JSON from `sys.inputs.data`.

    Data is never run as code. Raises UsageError as `png_of` does.
    """
    return _compile(layout, data, "pdf")


def resolve_colours(svg: str, colours: Mapping[str, str] | None = None) -> str:
    """A drawing with colours in place of custom properties, and with Typst's font.

    `colours` maps properties to colours; without it, each has its fallback.
    """
    named = colours or {}
    svg = _VARIABLE.sub(lambda match: named.get(match[1], match[2]), svg)
    return _FAMILIES.sub(rf'\1"{FONT}", ', svg)


def check_installed() -> None:
    """Raise UsageError if the extra is not installed."""
    check_extra("a PNG or PDF", "draw", "typst")


def _compile(layout: str, data: object, kind: Literal["pdf", "png"]) -> bytes:
    check_installed()
    import typst  # noqa: PLC0415 - 80 MB of machine code

    inputs = {"data": json.dumps(data)}
    made: bytes = typst.compile(layout.encode(), format=kind, ppi=_RESOLUTION, sys_inputs=inputs)
    return made
