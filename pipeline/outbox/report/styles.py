"""The CSS of boards: `board.css`, and the rules of `shapes.css` for the shapes that are drawn.

Colours of shapes are of middle lightness and half transparent, so that they suit light and dark
paper. The class of a kind of line is `renban-line`; every line has the class `line` too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Ring, Shape, Tint

ShapeKind = tuple[type[Shape], str]

_SHAPES: Final[tuple[type[Shape], ...]] = (Tint, Line, Outline, Ring, Dot, Label)
_FOLDER = Path(__file__).parent
_RULES: Final = (_FOLDER / "shapes.css").read_text(encoding="utf-8").splitlines(keepends=True)
_NAME = re.compile(r"\.board \.([\w-]+) \{")

BOARD_STYLE: Final = (_FOLDER / "board.css").read_text(encoding="utf-8")
"""The style sheet for boards without shapes."""


def name_of(shape: type[Shape], kind: str = "") -> str:
    """The class of a shape, or of one of its kinds: `line`, `renban-line`."""
    return "-".join(filter(None, (kind, shape.__name__.lower())))


def _kinds() -> list[ShapeKind]:
    names = [found[1] for rule in _RULES if (found := _NAME.match(rule))]
    return [
        (shape, name.removesuffix(f"-{name_of(shape)}"))
        for name in names
        for shape in _SHAPES
        if name.endswith(f"-{name_of(shape)}")
    ]


SHAPE_KINDS: Final = _kinds()
"""The kinds of each shape in the order in which they are drawn, which is that of their rules."""


def style_of(kinds: Collection[ShapeKind]) -> str:
    """The style sheet for shapes of these kinds."""
    used, known = (
        {name for kind in some for name in (name_of(kind[0]), name_of(*kind), f"in-{kind[1]}")}
        for some in (kinds, SHAPE_KINDS)
    )
    rules = []
    for rule in _RULES if kinds else ():
        found = _NAME.match(rule)
        if not rule.endswith("{ }\n") and (not found or found[1] in used or found[1] not in known):
            rules.append(rule)
    return "".join(rules)


SHAPES_STYLE: Final = style_of(SHAPE_KINDS)
"""The style sheet for all kinds."""
