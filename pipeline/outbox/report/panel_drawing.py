"""Draw panels of a worked solution as one SVG, each with its texts below its board."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap
from typing import Final

from pipeline.errors import printable
from pipeline.outbox.report.board import board_svg
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.step_shapes import STEP_STYLE
from pipeline.outbox.report.worked import Panel

_BOARD, _GAP = 186, 14
"""Width and height of a board, and the distance between panels, in SVG units."""

_COLUMNS = 3
"""Maximum number of panels in a row."""

_LINE_HEIGHT, _TEXT_WIDTH, _INDENT = 8.0, 58, 3
"""The height of a line of text in SVG units; the number of characters in a line; the number of
characters by which a nested line is indented."""

_SCALE = 2
"""Pixels to an SVG unit, as for other boards."""

_CAPTION_STYLE: Final = (
    ".ground { fill: #fff; }\n"
    '.caption { font: 6.2px "Liberation Sans", Arial, sans-serif; fill: #131417; }\n'
    ".heading { font-weight: 700; }\n"
)


def panels_svg(panels: Sequence[Panel], title: str) -> str:
    """Draw panels in rows as the content of an SVG file.

    Raises ValueError without panels, or if a board is too large.
    """
    if not panels:
        raise ValueError("there is no step to draw")
    columns = min(_COLUMNS, len(panels))
    body, top = list[str](), float(_GAP)
    for start in range(0, len(panels), columns):
        row = panels[start : start + columns]
        heights = []
        for index, panel in enumerate(row):
            left = _GAP + index * (_BOARD + _GAP)
            svg, height = _panel(panel, left, top, f"b{start + index}")
            body.append(svg)
            heights.append(height)
        top += max(heights) + _GAP
    width, height = _GAP + columns * (_BOARD + _GAP), top
    style = BOARD_STYLE + SHAPES_STYLE + STEP_STYLE + _CAPTION_STYLE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SCALE * width:g}" '
        f'height="{_SCALE * height:g}" viewBox="0 0 {width:g} {height:g}">'
        f"<title>{escape(printable(title))}</title><style>{style}</style>"
        f'<path class="ground" d="M0 0h{width:g}v{height:g}h-{width:g}z"/>{"".join(body)}</svg>'
    )


def _panel(panel: Panel, left: float, top: float, key: str) -> tuple[str, float]:
    """Draw a panel; returns the SVG and its height."""
    heading = f"{panel.numbers}  {panel.title}" if panel.numbers else panel.title
    parts, y = [_text(heading, left, top + 6, "caption heading")], top + 10
    if board := panel.board:
        width, height = board.size
        scale = _BOARD / max(width, height)
        place = f'x="{left:g}" y="{y:g}" width="{width * scale:g}" height="{height * scale:g}" '
        svg = board_svg(board, heading, key)
        parts.append(svg.replace("<svg ", f"<svg {place}", 1))
        y += height * scale
    for line in panel.lines:
        indent = " " * (_INDENT * line.depth)
        for text in wrap(line.text, _TEXT_WIDTH - len(indent)) or [""]:
            y += _LINE_HEIGHT
            parts.append(_text(text, left + 3 * len(indent), y, "caption"))
    return "".join(parts), y + 2 - top


def _text(text: str, x: float, y: float, css_class: str) -> str:
    return f'<text class="{css_class}" x="{x:g}" y="{y:g}">{escape(printable(text))}</text>'
