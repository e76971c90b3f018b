"""The candidates and units of a puzzle of any geometry while steps are taken."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from operator import ne
from typing import NamedTuple

from pipeline.puzzle.constraints import AllDifferent, AllOf, Allowed, Constraint, Pairs
from pipeline.puzzle.geometry import bits_of, indices_of, unit_name, units_of
from pipeline.puzzle.puzzle import Puzzle, constraints_of


class VariantUnit(NamedTuple):
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
    """The cells, units and rules from which a step follows.

    - `cells`: cells, each of which holds one of its candidates.
    - `places`: (unit, value): one of the places of the value in the unit holds it.
    - `units`: other units, whose cells hold different values.
    - `rules`: rules of the puzzle, by index.

    Each is an ordered set: the keys of a dictionary, in the order in which they were added.
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
    """Candidates of a puzzle of any geometry with the values 1 to 16 or fewer.

    - `masks`: for each cell, the mask of its candidates; for a filled cell, the mask of its value.
    - `open_cells`: the cells that are not filled.
    - `givens`: the cells that the puzzle fills.
    - `constraints`: for each rule, its constraint.
    - `parts`: for each rule, the constraints that its constraint consists of.
    - `units`: rows, columns and boxes, then the units of rules. Two cells that a rule such as
      anti-knight keeps different are a unit, too.
    - `peers`: for each cell, the cells that cannot hold the same value, as bits.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.geometry = puzzle, puzzle.geometry
        self.side, self.size = self.geometry.side, self.geometry.size
        self.constraints = constraints_of(puzzle)
        self.parts = tuple(tuple(_parts_of(constraint)) for constraint in self.constraints)
        self.units = tuple(self._find_units())
        self.peers = [0] * self.size
        self.units_with: list[list[int]] = [[] for _ in range(self.size)]
        for index, unit in enumerate(self.units):
            for cell in unit.cells:
                self.units_with[cell].append(index)
                self.peers[cell] |= unit.bits & ~(1 << cell)
        self._last_candidates: dict[Hashable, Hashable] = {}
        self.masks = [*puzzle.cells]
        for part in chain.from_iterable(self.parts):
            if isinstance(part, Allowed):
                self.masks[part.cell] &= bits_of(v - 1 for v in {*part.values} if v > 0)
        self.open_cells = {*range(self.size)}
        self.givens = frozenset(cell for cell, _ in puzzle.givens())
        for cell, mask in enumerate(puzzle.cells):
            if mask & mask - 1 == 0:
                self.place(cell, mask.bit_length() - 1)

    def _find_units(self) -> Iterator[VariantUnit]:
        """Yield the units. Of units with the same cells, only the first is yielded."""
        named: list[tuple[str, tuple[int, ...], int | None]] = [
            (unit_name(self.geometry, index), cells, None)
            for index, cells in enumerate(units_of(self.geometry))
        ]
        for index, (rule, parts) in enumerate(zip(self.puzzle.rules, self.parts, strict=True)):
            groups = [part.cells for part in parts if isinstance(part, AllDifferent)]
            name = rule.describe(self.geometry)
            is_numbered = len(groups) > 1 and len({*map(len, groups)}) == 1
            named += [
                (f"{name} {number}" if is_numbered else name, cells, index)
                for number, cells in enumerate(groups, 1)
            ]
            named += [
                (name, pair, index)
                for part in parts
                if isinstance(part, Pairs) and part.relation is ne
                for pair in part.pairs
            ]
        known: set[int] = set()
        for name, cells, rule_index in named:
            bits = bits_of({*cells})
            if bits not in known and bits.bit_count() > 1:
                known.add(bits)
                yield VariantUnit(
                    name, tuple(cells), bits, bits.bit_count() == self.side, rule_index
                )

    def eliminate(self, cell: int, bit: int) -> None:
        self.masks[cell] &= ~(1 << bit)

    def place(self, cell: int, bit: int) -> None:
        """Fill a cell, and eliminate the value from all its peers."""
        self.masks[cell] = 1 << bit
        self.open_cells.discard(cell)
        for peer in indices_of(self.peers[cell]):
            if peer in self.open_cells:
                self.eliminate(peer, bit)

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

    def common_peers(self, cells: Iterable[int]) -> int:
        """The peers of all these cells, as bits. None of the cells is among them."""
        peers = (1 << self.size) - 1
        for cell in cells:
            peers &= self.peers[cell]
        return peers

    def cite_peers(self, cited: Citations, cells: Iterable[int], peer: int) -> None:
        """For each of the cells, cite a unit that contains the cell and its peer."""
        for cell in cells:
            for index in self.units_with[cell]:
                if self.units[index].bits >> peer & 1:
                    cited.units[index] = None
                    break

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
        """Whether `candidates` differ from the candidates in the last call with this key.

        If not, a pattern that depends on these candidates alone need not be searched for again.
        """
        is_same = self._last_candidates.get(key) == candidates
        self._last_candidates[key] = candidates
        return not is_same

    def masks_at(self, cells: Iterable[int]) -> tuple[int, ...]:
        return tuple([self.masks[cell] for cell in cells])


def _parts_of(constraint: Constraint) -> Iterator[Constraint]:
    """Yield the constraints that a constraint consists of: all of them must hold."""
    if isinstance(constraint, AllOf):
        for part in constraint.parts:
            yield from _parts_of(part)
    else:
        yield constraint


def union(sets: Iterable[int]) -> int:
    """The union of sets of cells or of values, which are given as bits."""
    members = 0
    for bits in sets:
        members |= bits
    return members
