"""The borders between cells on a terminal board: of boxes, regions and cages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Final

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.shapes import Outline, Place

_REGION: Final = "region"
"""The kind of the outlines that are drawn like boxes; all others are drawn like cages."""


class Border(IntEnum):
    """The kind of a border. A border of two kinds is drawn as the larger one."""

    NONE = 0
    CAGE = 1
    BOX = 2


Junction = Callable[[Border, Border, Border, Border], str]
"""Maps the borders above, below, left and right of a point to a character."""

_JUNCTIONS: Final = (
    " ╶╺╴─╼╸╾━╷┌┍┐┬┮┑┭┯╻┎┏┒┰┲┓┱┳╵└┕┘┴┶┙┵┷│├┝┤┼┾┥┽┿╽┟┢┧╁╆┪╅╈╹┖┗┚┸┺┛┹┻╿┞┡┦╀╄┩╃╇┃┠┣┨╂╊┫╉╋"
)
"""The characters where borders meet. The index has four digits of base 3, for the weights of the
borders above, below, left and right: 0 none, 1 light, 2 heavy."""

_DASHES: Final = {"─": "┄", "│": "┆"}
"""Light lines, which are dashed if they are borders of cages."""


class CellBorders:
    """The borders of a grid: of its boxes, and of outlines around cells.

    - `texts` maps the first cell of each cage with a text, such as its sum, to the text.
    - `has_frame`: whether the edges of the grid have borders.
    """

    def __init__(
        self, geometry: Geometry, outlines: Iterable[Outline], *, has_frame: bool = False
    ) -> None:
        self._has_frame = has_frame
        kinds = (Border.BOX, Border.CAGE)
        self._areas = {kind: defaultdict[Place, list[int]](list) for kind in kinds}
        self.texts = dict[Place, str]()
        boxes = [*geometry.boxes()] if geometry.has_boxes else []
        for index, box in enumerate(boxes):
            self._add(Border.BOX, index, map(geometry.place, box))
        for index, outline in enumerate(outlines, len(boxes)):
            kind = Border.BOX if outline.kind == _REGION else Border.CAGE
            self._add(kind, index, outline.cells)
            if outline.text:
                first = min(outline.cells)
                before = f"{self.texts[first]}/" if first in self.texts else ""
                self.texts[first] = before + outline.text
        self._places = {*map(geometry.place, range(geometry.size))}

    def _add(self, kind: Border, index: int, places: Iterable[Place]) -> None:
        for place in places:
            self._areas[kind][place].append(index)

    @property
    def has_cages(self) -> bool:
        return bool(self._areas[Border.CAGE])

    def between(self, first: Place, second: Place) -> Border:
        """The border between two adjacent cells. Without a frame, the edges of the grid have none.

        Only above the first row, cages have their borders, on which their texts are written.
        """
        if self._has_frame and (first in self._places) != (second in self._places):
            return Border.BOX
        if not {first, second} <= self._places:
            has_text = first[0] == 0 and any(row == 1 for row, _ in self.texts)
            is_in_cage = has_text and second in self._areas[Border.CAGE]
            return Border.CAGE if is_in_cage else Border.NONE
        for kind, areas in self._areas.items():
            if areas.get(first) != areas.get(second):
                return kind
        return Border.NONE


def outlines_of(geometry: Geometry, rules: Iterable[Rule]) -> list[Outline]:
    """The outlines around cells that rules draw: regions and cages."""
    shapes = (shape for rule in rules for shape in rule.draw(geometry))
    return [shape for shape in shapes if isinstance(shape, Outline) and shape.cells]


def ascii_junction(up: Border, down: Border, left: Border, right: Border) -> str:
    """The ASCII character where borders meet, or of a single straight border."""
    kind = max(up, down, left, right)
    across, along = kind in (left, right), kind in (up, down)
    if kind == Border.NONE:
        return " "
    if kind == Border.CAGE:
        return "." if across else ":"
    return "+" if across and along else "-" if across else "|"


def box_drawing_junction(borders: CellBorders) -> Junction:
    """The box-drawing characters where borders meet, or of a single straight border.

    Cages are dashed. If there are cages, the borders of boxes and regions are heavy.
    """
    weights = {Border.NONE: 0, Border.CAGE: 1, Border.BOX: 2 if borders.has_cages else 1}

    def character(up: Border, down: Border, left: Border, right: Border) -> str:
        index = 0
        for border in (up, down, left, right):
            index = 3 * index + weights[border]
        sign = _JUNCTIONS[index]
        return _DASHES.get(sign, sign) if Border.CAGE in (up, left) else sign

    return character


def straight(junction: Junction, kind: Border) -> tuple[str, str]:
    """The characters of a horizontal and of a vertical border of a kind."""
    none = Border.NONE
    return junction(none, none, kind, kind), junction(kind, kind, none, none)


def row_above(
    borders: CellBorders, row: int, widths: Sequence[int], gaps: Sequence[str], junction: Junction
) -> str:
    """The borders above the cells of a row, with the texts of the cages that begin below them.

    Empty if no cell has one.

    - `widths`: the widths of columns.
    - `gaps`: the spaces after columns; the last one is empty.
    """
    columns = range(1, len(widths) + 1)
    kinds = [borders.between((row - 1, column), (row, column)) for column in columns]
    if not any(kinds):
        return ""
    kinds.append(Border.NONE)
    line = ""
    for column, width, gap, kind, following in zip(
        columns, widths, gaps, kinds, kinds[1:], strict=False
    ):
        dash = straight(junction, kind)[0]
        line += borders.texts.get((row, column), "").ljust(width, dash)
        up = borders.between((row - 1, column), (row - 1, column + 1))
        down = borders.between((row, column), (row, column + 1)) if row > 1 else Border.NONE
        middle = junction(up, down, kind, following) if len(gap) > 2 else ""
        line += (dash + middle + straight(junction, following)[0]) if gap else ""
    return line.rstrip()
