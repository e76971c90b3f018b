"""One object in a document, such as a cage: its cells, lines and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from pipeline.puzzle.puzzle import Geometry
from pipeline.reading.formats.fpuzzles.document import Misread, Node
from pipeline.reading.formats.ruled import Place, cells_along

COSMETIC = frozenset(
    ("angle", "baseC", "c", "cArray", "fontC", "height", "highlight", "outlineC", "size", "width")
)
"""Keys that say how something looks."""

_SYMBOLS = {"xsum": "◯", "skyscraper": "▯"}
"""What programs draw around the clues under a key."""

_CELL = re.compile(r"R(\d{1,2})C(\d{1,2})", re.ASCII | re.IGNORECASE)
_DIRECTIONS = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}


@dataclass(frozen=True)
class Context:
    """The grid that objects are about, its regions, and the places that rules have named.

    `named` are the places of each cell, line or group, by key; drawings may repeat these, and
    with them the values that are said there.
    """

    geometry: Geometry
    regions: tuple[tuple[int, ...], ...]
    named: dict[str, list[frozenset[Place]]] = field(default_factory=dict)
    values: set[tuple[frozenset[Place], str]] = field(default_factory=set)

    def place(self, node: Node) -> Place:
        """A place in the grid, or beside it, where clues stand."""
        match = _CELL.fullmatch(node.value) if isinstance(node.value, str) else None
        if match is None:
            raise node.wrong("a cell, such as 'R1C1'")
        row, column = int(match[1]), int(match[2])
        if max(row, column) > self.geometry.side + 1:
            raise node.wrong(f"a cell of {self.geometry.side} rows and columns, or one beside them")
        return row, column

    def cell(self, node: Node) -> int:
        n = self.geometry.side
        cell = self.geometry.cell_at(*self.place(node))
        if cell is None:
            raise node.wrong(f"a cell of the grid, 'R1C1' to 'R{n}C{n}'")
        return cell


@dataclass(frozen=True)
class RuleObject:
    """An object under `key`, and its members without cosmetics."""

    context: Context
    key: str
    node: Node
    fields: dict[str, Node]

    def member(self, name: str) -> Node:
        """A member that has to be there."""
        if name not in self.fields:
            raise Misread(f"'{name}'", "none", self.node.way)
        return self.fields[name]

    def has(self, name: str) -> bool:
        """Whether a member is there and says something."""
        return name in self.fields and not self.fields[name].is_nothing

    def number(self, name: str = "value", least: int = 0, default: int | None = None) -> int:
        """A number that may be missing if there is a default."""
        if default is not None and not self.has(name):
            return default
        return self.member(name).number(least)

    def cell(self) -> int:
        node = self.member("cell")
        return self._name([node], [self.context.cell(node)])[0]

    def cells(
        self, least: int = 1, most: int | None = None, name: str = "cells"
    ) -> tuple[int, ...]:
        """Different cells in their order."""
        node = self.member(name)
        cells = self.path(node, least, most)
        if len({*cells}) < len(cells):
            raise Misread("different cells", "one of them twice", node.way)
        return cells

    def lines(self) -> Iterator[tuple[int, ...]]:
        """The cells of each line, at least one, in their order; a line may cross itself."""
        node = self.member("lines")
        lines = node.list()
        if not lines:
            raise Misread("one line or more", "none", node.way)
        return (self.path(line, 2) for line in lines)

    def clue(self) -> tuple[int, ...]:
        """The row or column that a clue beside the grid looks along, from there on."""
        node = self.member("cell")
        row, column = self.context.place(node)
        end = self.context.geometry.side + 1
        steps = {(0, column): (1, 0), (end, column): (-1, 0), (row, 0): (0, 1), (row, end): (0, -1)}
        return self._seen(node, steps.get((row, column)), "a place beside a row or column")

    def diagonal(self) -> tuple[int, ...]:
        """The diagonal that a clue beside the grid looks along."""
        node, direction = self.member("cell"), self.member("direction")
        step = _DIRECTIONS.get(str(direction.value))
        if step is None:
            raise direction.wrong("'UL', 'UR', 'DL' or 'DR'")
        expected = f"a place beside the grid from which {direction.value} leads in"
        return self._seen(node, step, expected)

    def _seen(self, node: Node, step: Place | None, expected: str) -> tuple[int, ...]:
        """The cells that are seen from a place beside the grid, one at least."""
        place = self.context.place(node)
        outside = self.context.geometry.cell_at(*place) is None
        line = cells_along(self.context.geometry, place, step) if step and outside else ()
        if not line:
            raise node.wrong(expected)
        return self._name([node], line)

    def path(self, node: Node, least: int, most: int | None = None) -> tuple[int, ...]:
        """Cells in their order, perhaps some of them twice."""
        nodes = node.list()
        if len(nodes) < least or (most is not None and len(nodes) > most):
            span = f"{least} to {most} cells" if most and most > least else f"{least} cells"
            raise Misread(span if most else f"{least} cells or more", str(len(nodes)), node.way)
        return self._name(nodes, [self.context.cell(each) for each in nodes])

    def _name(self, nodes: list[Node], cells: list[int] | tuple[int, ...]) -> tuple[int, ...]:
        """Note the places, and those at the ends, as named by a rule."""
        places = [self.context.place(node) for node in nodes]
        groups = [frozenset(places), frozenset(places[:1]), frozenset(places[-1:])]
        self.context.named.setdefault(self.key, []).extend(groups)
        said = [self.fields["value"].text] if self.has("value") else []
        said += [_SYMBOLS[self.key]] if self.key in _SYMBOLS else []
        self.context.values.update((group, text) for group in groups for text in said)
        return tuple(cells)


def everything_named(context: Context) -> set[frozenset[Place]]:
    """The groups of places that rules have named, and all those of each key together."""
    together = (frozenset(chain.from_iterable(groups)) for groups in context.named.values())
    return {*chain.from_iterable(context.named.values()), *together}
