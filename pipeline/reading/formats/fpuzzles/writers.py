"""The objects of a document: the members that a rule is written as.

Each function is the other direction of a reader in `keys.py`. It returns None for a rule that its
key does not stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import Along, OnBorder, cages, outside, pairs, places
from pipeline.reading.formats.fpuzzles.document import DIRECTIONS
from pipeline.reading.formats.ruled import RowColumn

Written = dict[str, object]
"""The members of an object that is written."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of places in a document that is written, for the grid that it is about."""

    geometry: Geometry

    def cell(self, cell: int) -> str:
        return "R{}C{}".format(*self.geometry.place(cell))

    def of(self, cells: Iterable[int], value: object = None, key: str = "cells") -> Written:
        """Members for cells, and for a value if there is one."""
        named: Written = {key: [*map(self.cell, cells)]}
        return named if value is None else named | {"value": str(value)}

    def beside(self, line: Sequence[int]) -> str:
        """The place outside the grid from which a line is seen."""
        (row, column), (down, right) = places(self.geometry, line)[0], self.step(line)
        return f"R{row - down}C{column - right}"

    def step(self, line: Sequence[int]) -> RowColumn:
        return outside.step_of(self.geometry, line)


Writer = Callable[[Any, Names], Written | None]
"""The object that stands for a rule; None for a rule that its key does not stand for."""


def number_of(rule: OnBorder | Along) -> int | None:
    """The number of a rule, which its class names; None if it is the usual one."""
    if rule.lowest is None:
        return None
    number = int(getattr(rule, rule.lowest[0]))
    usual = next(each.default for each in fields(rule) if each.name == rule.lowest[0])
    return None if number == usual else number


def clue(rule: outside.Outside, names: Names) -> Written:
    return {"cell": names.beside(rule.line), "value": str(rule.number)}


def cage(rule: cages.Cage | cages.DigitalRoot, names: Names) -> Written | None:
    if isinstance(rule, cages.DigitalRoot):
        return None if rule.repeating else names.of(rule.group, f"DR{rule.root}")
    return names.of(rule.group, rule.total)


def root(rule: cages.DigitalRoot, names: Names) -> Written | None:
    return names.of(rule.group, f"DR{rule.root}") if rule.repeating else None


def xv(rule: pairs.XV, names: Names) -> Written | None:
    sign = pairs.SIGNS.get(rule.total)
    return names.of((rule.a, rule.b), sign) if sign else None


def clone(rule: cages.Clone, names: Names) -> Written:
    return names.of(rule.original) | names.of(rule.copy, key="cloneCells")


def quadruple(rule: cages.Quadruple, names: Names) -> Written:
    return names.of(rule.around) | {"values": [*rule.wanted]}


def arrow(rule: cages.Arrow, names: Names) -> Written:
    """An arrow whose line starts in the cell of its circle that is nearest."""
    (row, column), *_ = places(names.geometry, rule.shaft)

    def distance(cell: int) -> int:
        other_row, other_column = names.geometry.place(cell)
        return abs(other_row - row) + abs(other_column - column)

    line = (min(rule.circle, key=distance), *rule.shaft)
    return names.of(rule.circle) | {"lines": [[*map(names.cell, line)]]}


def little_killer(rule: outside.LittleKiller, names: Names) -> Written | None:
    step = names.step(rule.line)
    looks = (name for name, each in DIRECTIONS.items() if each == step)
    return {"direction": found, **clue(rule, names)} if (found := next(looks, "")) else None


def negative(rules: Sequence[Rule]) -> object:
    names = {"difference": False, "ratio": False, "xv": False}
    for rule in rules:
        if isinstance(rule, pairs.NegativeKropki):
            names |= {"difference": bool(rule.differences), "ratio": bool(rule.ratios)}
        names["xv"] |= isinstance(rule, pairs.NegativeXV)
    return [name for name, is_meant in names.items() if is_meant]
