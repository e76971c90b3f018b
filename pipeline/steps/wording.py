"""A step as a person writes it: `r4c7=5 hidden single in row 4`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from pipeline.steps.board import BOXES, COLUMNS
from pipeline.steps.techniques import (
    CHAIN,
    COLOURS,
    EMPTY_RECTANGLE,
    FINNED_FISH,
    FISH,
    FORCING_NET,
    LOCKED,
    SASHIMI_FISH,
    UNIQUE_RECTANGLE,
    VERITY,
)

if TYPE_CHECKING:
    from pipeline.steps import Node, Step


def text_of(step: Step) -> str:
    """The step in a line: what it concludes, the technique, and where the pattern is.

    `r4c7=5 hidden single in row 4`; `naked pair 3,8 in r2c1,r2c5 removes 8 from r2c7`; a chain as
    `3r1c2=3r1c8-5r1c8=5r4c8`: of two nodes joined by `=` one holds, of two joined by `-` not both.
    """
    name, where = step.technique.name, _where(step)
    if step.placed:
        placed = ",".join(f"{place(cell)}={value}" for cell, value in step.placed)
        return f"{placed} {name}{where}"
    values = " " + _listed(step.values) if step.values and step.technique.kind != VERITY else ""
    return f"{name}{values}{where} removes {_removed(step)}"


def place(cell: int) -> str:
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


def _removed(step: Step) -> str:
    by_value = sorted(step.struck, key=itemgetter(1))
    return ", ".join(
        f"{value} from {_listed(place(cell) for cell, _ in some)}"
        for value, some in groupby(by_value, key=itemgetter(1))
    )


def _where(step: Step) -> str:
    kind, cells = step.technique.kind, _listed(map(place, step.cells))
    if kind in _WHERE:
        return f" {_WHERE[kind](step, cells)}"
    if cells:
        return f" in {cells}"
    return f" in {_units(step.units)}" if step.units else ""


def _fish(step: Step, cells: str) -> str:
    fins = f" with {'fin' if len(step.cells) == 1 else 'fins'} {cells}" if cells else ""
    return f"in {_units(step.units)} and {_units(step.cover)}{fins}"


def _locked(step: Step, _: str) -> str:
    return f"in {_units(step.units)} along {_units(step.cover)}"


def _rectangle(_: Step, cells: str) -> str:
    return f"in {cells}, as the solution is unique,"


def _empty_rectangle(step: Step, cells: str) -> str:
    return f"in {_units(step.units[1:])} with {cells}"


def _colours(step: Step, _: str) -> str:
    one, other = (
        _listed(sorted(_cells(node.cells) for node in step.chain if node.holds == colour))
        for colour in (True, False)
    )
    return f"in {one} and {other}"


def _chain(step: Step, _: str) -> str:
    """The nodes with `=` where the first does not hold and the second does, else `-`."""
    written = ""
    for before, node in zip((None, *step.chain), step.chain, strict=False):
        if before is not None:
            written += "=" if node.holds else "-"
        written += _node(node)
    return written


def _net(step: Step, _: str) -> str:
    return f"from {_said(step.chain[0])} by singles to a contradiction"


def _forcing(step: Step, cells: str) -> str:
    if cells:
        return f"from each of {_listed(step.values)} in {cells}"
    return f"from each place of {_listed(step.values)} in {_units(step.units)}"


def _said(node: Node) -> str:
    """A node with its sign: `r1c2=3`, or `r1c2≠3`."""
    return f"{_cells(node.cells)}{'=' if node.holds else '≠'}{node.value}"


def _node(node: Node) -> str:
    return f"{node.value}{_cells(node.cells)}"


def _cells(cells: Sequence[int]) -> str:
    """Cells of a row, a column or a box in one: `r1c23`, `r45c2`."""
    rows = "".join(str(row + 1) for row in sorted({cell // 9 for cell in cells}))
    columns = "".join(str(column + 1) for column in sorted({cell % 9 for cell in cells}))
    return f"r{rows}c{columns}"


def _units(units: Sequence[int]) -> str:
    """`row 4`, `columns 3,8`, `row 1 and box 2`."""
    kinds = ("row", 0, COLUMNS), ("column", COLUMNS, BOXES), ("box", BOXES, BOXES + 9)
    said = []
    for name, first, end in kinds:
        some = [unit - first + 1 for unit in units if first <= unit < end]
        if some:
            plural = "boxes" if name == "box" else f"{name}s"
            said.append(f"{plural if len(some) > 1 else name} {_listed(some)}")
    return " and ".join(said)


def _listed(parts: Iterable[object]) -> str:
    return ",".join(map(str, parts))


_WHERE: Final[dict[int, Callable[[Step, str], str]]] = {
    FISH: _fish,
    FINNED_FISH: _fish,
    SASHIMI_FISH: _fish,
    LOCKED: _locked,
    UNIQUE_RECTANGLE: _rectangle,
    EMPTY_RECTANGLE: _empty_rectangle,
    COLOURS: _colours,
    CHAIN: _chain,
    VERITY: _forcing,
    FORCING_NET: _net,
}
"""Where a pattern is, for kinds of which its cells or its units alone do not tell."""
