"""The candidates and units of a puzzle of any geometry while steps are taken."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import ne
from typing import NamedTuple

from pipeline.puzzle.constraints import AllDifferent, AllOf, Allowed, Constraint, Pairs
from pipeline.puzzle.geometry import unit_name, units_of
from pipeline.puzzle.puzzle import Puzzle

Candidate = tuple[int, int]
"""A cell, counted from 0, and a value."""


class Unit(NamedTuple):
    """Cells that hold different values.

    - `name`: such as `row 4` or `diagonal from r1c1`.
    - `bits`: the cells as bits.
    - `is_full`: whether each value occurs in the unit.
    - `rule`: the index of the rule that makes it a unit; None for rows, columns and boxes.
    """

    name: str
    cells: tuple[int, ...]
    bits: int
    is_full: bool
    rule: int | None


class Citations:
    """What a step relies on.

    - `cells`: cells, each of which holds one of its candidates.
    - `places`: (unit, value): one of the places of the value in the unit holds it.
    - `units`: other units, whose cells hold different values.
    - `rules`: rules of the puzzle, by index.

    They are keys of dictionaries, to be in the order in which they were added.
    """

    def __init__(self) -> None:
        self.cells: dict[int, None] = {}
        self.places: dict[tuple[int, int], None] = {}
        self.units: dict[int, None] = {}
        self.rules: dict[int, None] = {}

    @property
    def all_units(self) -> dict[int, None]:
        return dict.fromkeys(unit for unit, _ in self.places) | self.units


class State:
    """Candidates of a puzzle of any geometry with at most 16 values.

    - `masks`: for each cell, the mask of its candidates; of a filled cell, the mask of its value.
    - `open_cells`: the cells that are not filled.
    - `givens`: the cells that the puzzle fills.
    - `units`: rows, columns, boxes, then the units of rules; cells that a rule such as anti-knight
      keeps apart are a unit of two cells.
    - `sees`: for each cell, the cells that cannot hold the same value, as bits.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.geometry = puzzle, puzzle.geometry
        self.lowest, self.side, self.size = (
            self.geometry.lowest,
            self.geometry.side,
            self.geometry.size,
        )
        self.constraints = tuple(rule.constraints(self.geometry) for rule in puzzle.rules)
        self.parts = tuple(tuple(_parts_of(constraint)) for constraint in self.constraints)
        self.units = tuple(self._find_units())
        self.units_with: list[list[int]] = [[] for _ in range(self.size)]
        for index, unit in enumerate(self.units):
            for cell in unit.cells:
                self.units_with[cell].append(index)
        self._last_candidates: dict[Hashable, Hashable] = {}
        self.sees = self._find_peers()
        self.masks = [*puzzle.cells]
        for cell, values in self._marks():
            self.masks[cell] &= sum(
                1 << v - self.lowest for v in values if v in self.geometry.values
            )
        self.open_cells = {*range(self.size)}
        self.givens = frozenset(cell for cell, _ in puzzle.givens())
        for cell, mask in enumerate(puzzle.cells):
            if mask & mask - 1 == 0:
                self.place(cell, mask.bit_length() - 1)

    def _find_units(self) -> Iterator[Unit]:
        seen: set[frozenset[int]] = set()
        named: list[tuple[str, tuple[int, ...], int | None]] = [
            (unit_name(self.geometry, index), cells, None)
            for index, cells in enumerate(units_of(self.geometry))
        ]
        for index, (rule, parts) in enumerate(zip(self.puzzle.rules, self.parts, strict=True)):
            groups = [part.cells for part in parts if isinstance(part, AllDifferent)]
            name = rule.describe(self.geometry)
            are_alike = len(groups) > 1 and len({*map(len, groups)}) == 1
            named += [
                (f"{name} {number}" if are_alike else name, cells, index)
                for number, cells in enumerate(groups, 1)
            ]
            named += [
                (name, pair, index)
                for part in parts
                if isinstance(part, Pairs) and part.relation is ne
                for pair in part.pairs
            ]
        for name, cells, rule_index in named:
            if (key := frozenset(cells)) not in seen and len(key) > 1:
                seen.add(key)
                yield Unit(name, tuple(cells), bits_of(cells), len(key) == self.side, rule_index)

    def _find_peers(self) -> list[int]:
        sees = [0] * self.size
        for unit in self.units:
            for cell in unit.cells:
                sees[cell] |= unit.bits & ~(1 << cell)
        return sees

    def _marks(self) -> Iterator[tuple[int, Iterable[int]]]:
        """Yield the cells that a rule marks, and the values that each may hold."""
        for part in chain.from_iterable(self.parts):
            if isinstance(part, Allowed):
                yield part.cell, part.values

    def eliminate(self, cell: int, bit: int) -> None:
        self.masks[cell] &= ~(1 << bit)

    def place(self, cell: int, bit: int) -> None:
        """Fill a cell, and eliminate the value from all cells that see it."""
        self.masks[cell] = 1 << bit
        self.open_cells.discard(cell)
        for other in cells_of(self.sees[cell]):
            if other in self.open_cells:
                self.eliminate(other, bit)

    @property
    def is_filled(self) -> bool:
        return not self.open_cells

    def places(self, unit: int, bit: int) -> list[int]:
        """The open cells of a unit with this candidate."""
        masks = self.masks
        return [c for c in self.units[unit].cells if masks[c] >> bit & 1 and c in self.open_cells]

    def has_placed(self, unit: int, bit: int) -> bool:
        """Whether a filled cell of the unit holds the value."""
        masks = self.masks
        return any(masks[c] >> bit & 1 for c in self.units[unit].cells if c not in self.open_cells)

    @cached_property
    def full_units(self) -> tuple[int, ...]:
        return tuple(index for index, unit in enumerate(self.units) if unit.is_full)

    def cells_with(self, bit: int) -> int:
        """The open cells with this candidate, as bits."""
        return sum(1 << cell for cell in self.open_cells if self.masks[cell] >> bit & 1)

    def seen_by_all(self, cells: Iterable[int]) -> int:
        """The cells that see all of some cells, as bits."""
        seen = -1
        for cell in cells:
            seen &= self.sees[cell]
        return seen & (1 << self.size) - 1

    def cite_sight(self, cited: Citations, a: int, b: int) -> None:
        """Cite a unit of two cells that see each other."""
        for index in self.units_with[a]:
            if b in self.units[index].cells:
                cited.units[index] = None
                return

    def masks_of(self, cited: Citations) -> list[int]:
        """For each cell, its candidates; all values for the cells that are not cited."""
        cells = {*cited.cells}
        for index in cited.all_units:
            cells.update(self.units[index].cells)
        for index in cited.rules:
            cells.update(self.constraints[index].scope())
        return [
            mask if cell in cells else self.geometry.all_values
            for cell, mask in enumerate(self.masks)
        ]

    def constraints_of(self, cited: Citations) -> list[Constraint]:
        """The constraints of the cited units and rules."""
        units: list[Constraint] = [
            AllDifferent(self.units[index].cells) for index in cited.all_units
        ]
        return units + [self.constraints[index] for index in cited.rules]

    def has_changed(self, key: Hashable, candidates: Hashable) -> bool:
        """Whether `candidates` differ from those of the last call with this key.

        Patterns that depend on these candidates alone need not be looked for again otherwise.
        """
        is_same = self._last_candidates.get(key) == candidates
        self._last_candidates[key] = candidates
        return not is_same

    def masks_at(self, cells: Iterable[int]) -> tuple[int, ...]:
        """The masks of some cells."""
        return tuple([self.masks[cell] for cell in cells])

    def value(self, bit: int) -> int:
        return bit + self.lowest


def _parts_of(constraint: Constraint) -> Iterator[Constraint]:
    """Yield the constraints that must all hold."""
    if isinstance(constraint, AllOf):
        for part in constraint.parts:
            yield from _parts_of(part)
    else:
        yield constraint


def bits_of(cells: Iterable[int]) -> int:
    """The set of some distinct cells, as bits."""
    return sum(1 << cell for cell in cells)


def cells_of(bits: int) -> Iterator[int]:
    """Yield the cells of a set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def union(masks: Sequence[int]) -> int:
    """The values that are in any of the masks."""
    every = 0
    for mask in masks:
        every |= mask
    return every
