"""The kinds of each shape, and their styles, in the order in which they are drawn.

Colours are of middle lightness and half transparent, so that one does on light and on dark paper.
The class of a kind of line is `renban-line`; every line has the class `line` too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Ring, Shape, Tint

ShapeKind = tuple[type[Shape], str]

_GREY = "var(--shape, #7f848d)"
_INK = "var(--given, #131417)"
_PAPER = "var(--paper, #fff)"

_BASES: Final[Mapping[type[Shape], str]] = {
    Tint: f"fill: {_GREY}; fill-opacity: .3",
    Line: f"fill: none; stroke: {_GREY}; stroke-opacity: .5; stroke-width: 5; "
    "stroke-linecap: round; stroke-linejoin: round",
    Outline: f"fill: none; stroke: {_INK}; stroke-width: .75",
    Ring: f"fill: none; stroke: {_GREY}; stroke-width: 1.3",
    Dot: "stroke: var(--thick, #1f2023); stroke-width: .8",
    Label: f"fill: {_INK}",
}
_TEXTS: Final = f"""\
.board .corner {{ font-size: 5.4px; text-anchor: start; fill: {_INK}; stroke: {_PAPER}; \
stroke-width: 1.6; paint-order: stroke; }}
.board .inside {{ font-size: 5.2px; fill: {_INK}; }}
.board .clue {{ font-size: 10px; }}
.board .bulbs {{ opacity: .5; }}
.board .bulbs .line {{ stroke-opacity: 1; }}
.board .bulb {{ fill: {_GREY}; }}
.board .gap {{ fill: none; stroke: {_PAPER}; stroke-width: 3; }}
"""
_SIGN = f"fill: none; stroke: {_INK}; stroke-linejoin: round; stroke-linecap: round; stroke-width: "
_THIN = "stroke-opacity: 1; stroke-width: "

STYLES: Final[Mapping[ShapeKind, str]] = {
    (Tint, "extra-region"): "fill: #5f87c4",
    (Tint, "windoku"): "fill: #5f87c4",
    (Tint, "clone"): "",
    (Tint, "same-values"): "fill: #8a9a4a",
    (Tint, "equal-sums"): "fill: #b08a4a",
    (Tint, "minimum"): "fill-opacity: .2",
    (Tint, "maximum"): "fill-opacity: .2",
    (Tint, "row-indexer"): "fill: #4f9a68",
    (Tint, "column-indexer"): "fill: #b8608c",
    (Tint, "even"): "fill-opacity: .4",  # a smaller square
    (Tint, "odd"): "fill-opacity: .4",  # a disc
    (Line, "thermometer"): "stroke-width: 6",
    (Line, "slow-thermometer"): "stroke-width: 6; stroke-linecap: butt; stroke-dasharray: 3.4 2.6",
    (Line, "palindrome"): "stroke-width: 4",
    (Line, "renban"): "stroke: #a34fb8",
    (Line, "whispers"): "stroke: #3f9a4c; stroke-opacity: .6",
    (Line, "region-sum"): "stroke: #3d86cf; stroke-width: 4",
    (Line, "entropic"): "stroke: #e08a3c",
    (Line, "modular"): "stroke: #2aa39b",
    (Line, "nabner"): "stroke: #c9ab24; stroke-opacity: .6",
    (Line, "zipper"): "stroke: #8f7ff0; stroke-width: 3.6",
    (Line, "between"): "stroke-width: 2.6; stroke-opacity: .75",
    (Line, "lockout"): "stroke: #4f6fc0; stroke-width: 2.6; stroke-opacity: .7",
    (Line, "double-arrow"): _THIN + "1.4",
    (Line, "arrow"): _THIN + "1.4",
    (Line, "diagonal"): "stroke: #3d86cf; stroke-width: 1; stroke-opacity: .8",
    (Line, "little-killer"): f"stroke: {_INK}; {_THIN}.9",  # from a clue to its diagonal
    (Outline, "region"): "",  # a border, as of boxes
    (Outline, "cage"): "stroke-dasharray: 2 1.5",
    (Outline, "sum"): "stroke-dasharray: .1 1.8; stroke-linecap: round; stroke-width: 1",
    (Ring, "arrow"): "",
    (Ring, "double-arrow"): "",
    (Ring, "between"): f"fill: {_GREY}; fill-opacity: .25",
    (Ring, "lockout"): "fill: #4f6fc0; fill-opacity: .2; stroke: #4f6fc0",  # a diamond
    (Dot, "white"): "fill: #fff; stroke: #1f2023",
    (Dot, "black"): f"fill: #000; stroke: {_GREY}",
    (Dot, "quadruple"): f"fill: {_PAPER}",
    # X, V, or another sum of two neighbours
    (Label, "xv"): f"font-size: 8px; stroke: {_PAPER}; stroke-width: 2.4; paint-order: stroke",
    # < > ∧ ∨: signs that point at the lesser cell, two of them smaller
    (Label, "greater"): _SIGN + "1.1",
    (Label, "minimum"): _SIGN + ".9",
    (Label, "maximum"): _SIGN + ".9",
    (Label, "sandwich"): "",
    (Label, "skyscraper"): "font-style: italic",
    (Label, "x-sum"): "font-weight: 700",
    (Label, "little-killer"): "",
}
"""The CSS of each kind, in addition to that of its shape; a new kind is entered here."""

_INSIDE: Final = {
    "white": ".board .in-white { fill: #131417; }\n",
    "black": ".board .in-black { fill: #fff; }\n",
}
_BROKEN: Final = """\
.board .broken { stroke: var(--conflict, #b3261e); }
.board .tint.broken { fill: var(--conflict-tint, #f9d9d4); fill-opacity: 1; stroke-width: 1; }
.board .bulb.broken, .board text.broken { fill: var(--conflict, #b3261e); stroke: none; }
"""
"""Rules in conflict: the last word on what it says."""


def name_of(shape: type[Shape], kind: str = "") -> str:
    """The class of a shape, or of one of its kinds: `line`, `renban-line`."""
    return "-".join(filter(None, (kind, shape.__name__.lower())))


def style_of(kinds: Collection[ShapeKind]) -> str:
    """The style sheet for shapes of these kinds."""
    used = [kind for kind in STYLES if kind in kinds]
    shapes = {shape for shape, _ in used}
    rules = [_rule(name_of(shape), _BASES[shape]) for shape in _BASES if shape in shapes]
    rules += [_rule(name_of(*kind), STYLES[kind]) for kind in used if STYLES[kind]]
    inside = (_INSIDE[kind] for shape, kind in used if shape is Dot and kind in _INSIDE)
    return "".join((*rules, _TEXTS, *inside, _BROKEN)) if used else ""


def _rule(name: str, said: str) -> str:
    return f".board .{name} {{ {said}; }}\n"


SHAPES_STYLE: Final = style_of(STYLES.keys())
"""The style sheet for all kinds."""
