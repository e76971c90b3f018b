"""Singles, locked candidates, subsets and fish in a puzzle of any geometry.

Each function yields what it finds, simplest first; `Found` has the pattern and what is cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from pipeline.steps.variants.state import Candidate, Citations, State, bits_of, cells_of, union


@dataclass(slots=True)
class Found:
    """A pattern and its conclusions. Values are bits, from 0; units and rules are indices."""

    placed: list[Candidate] = field(default_factory=list)
    struck: list[Candidate] = field(default_factory=list)
    values: int = 0
    cells: tuple[int, ...] = ()
    units: tuple[int, ...] = ()
    cover: tuple[int, ...] = ()
    chain: tuple[tuple[int, int, bool], ...] = ()
    total: int = 0
    cited: Citations = field(default_factory=Citations)


def find_full_house(state: State) -> Iterator[Found]:
    """The last open cell of a full unit."""
    for index in state.full_units:
        cells = [c for c in state.units[index].cells if c in state.open_cells]
        if len(cells) == 1 and (mask := state.masks[cells[0]]):
            yield _single(cells[0], mask.bit_length() - 1, units=(index,))


def find_naked_single(state: State) -> Iterator[Found]:
    """A cell with one candidate."""
    for cell in sorted(state.open_cells):
        mask = state.masks[cell]
        if mask and mask & mask - 1 == 0:
            yield _single(cell, mask.bit_length() - 1)


def find_hidden_single(state: State) -> Iterator[Found]:
    """A value with one place in a full unit; boxes and regions come before rows and columns."""
    for index in sorted(state.full_units, key=lambda u: _is_line(state, u)):
        for bit in range(state.side):
            places = state.places(index, bit)
            if len(places) == 1 and not state.has_placed(index, bit):
                yield _single(places[0], bit, units=(index,))


def _is_line(state: State, unit: int) -> bool:
    return state.units[unit].name.startswith(("row", "column"))


def _single(cell: int, bit: int, units: tuple[int, ...] = ()) -> Found:
    found = Found(placed=[(cell, bit)], values=1 << bit, cells=(cell,), units=units)
    if units:
        found.cited.places |= dict.fromkeys((unit, bit) for unit in units)
    else:
        found.cited.cells[cell] = None
    return found


def find_locked(state: State) -> Iterator[Found]:
    """All places of a value in a full unit see a cell: that cell cannot hold the value.

    This includes pointing and claiming, and the same for regions, diagonals and knight's moves.
    """
    for bit in range(state.side):
        with_value = state.cells_with(bit)
        for index in state.full_units:
            places = state.places(index, bit)
            if not 2 <= len(places) <= 6 or state.has_placed(index, bit):
                continue
            targets = state.seen_by_all(places) & with_value & ~bits_of(places)
            targets &= ~state.units[index].bits
            if targets:
                yield _seen_places(state, index, bit, places, targets)


def _seen_places(state: State, unit: int, bit: int, places: list[int], targets: int) -> Found:
    """The step that eliminates a value from cells that see all its places in a unit."""
    found = Found(values=1 << bit, cells=tuple(places), units=(unit,))
    found.cited.places[unit, bit] = None
    found.struck = [(cell, bit) for cell in cells_of(targets)]
    found.cover = tuple(
        index
        for index, other in enumerate(state.units)
        if index != unit and {*places}.issubset(other.cells) and targets & other.bits
    )
    for cell in cells_of(targets):
        for place in places:
            state.cite_sight(found.cited, cell, place)
    return found


def find_naked_subset(state: State, size: int) -> Iterator[Found]:
    """Some cells of a unit have as many candidates together: no other cell there holds them."""
    for index, unit in enumerate(state.units):
        cells = [
            c for c in unit.cells if c in state.open_cells and state.masks[c].bit_count() <= size
        ]
        if len(cells) < size:
            continue
        for chosen in combinations(cells, size):
            values = union([state.masks[c] for c in chosen])
            if values.bit_count() != size:
                continue
            struck = [
                (cell, bit)
                for bit in cells_of(values)
                for cell in cells_of(
                    state.seen_by_all([c for c in chosen if state.masks[c] >> bit & 1])
                    & ~bits_of(chosen)
                )
                if cell in state.open_cells and state.masks[cell] >> bit & 1
            ]
            if struck:
                found = Found(struck=struck, values=values, cells=chosen, units=(index,))
                found.cited.cells |= dict.fromkeys(chosen)
                found.cited.units[index] = None
                for cell, bit in struck:
                    for other in chosen:
                        if state.masks[other] >> bit & 1:
                            state.cite_sight(found.cited, cell, other)
                yield found


def find_hidden_subset(state: State, size: int) -> Iterator[Found]:
    """Some values have as many places in a full unit: those cells hold nothing else."""
    for index in state.full_units:
        places_of = {
            bit: bits_of(places)
            for bit in range(state.side)
            if 2 <= len(places := state.places(index, bit)) <= size
        }
        for bits in combinations(places_of, size):
            cells = union([places_of[bit] for bit in bits])
            if cells.bit_count() != size:
                continue
            values = bits_of(bits)
            struck = [
                (cell, bit)
                for cell in cells_of(cells)
                for bit in cells_of(state.masks[cell] & ~values)
            ]
            if struck:
                found = Found(struck=struck, values=values, cells=tuple(cells_of(cells)))
                found.units = (index,)
                found.cited.places |= dict.fromkeys((index, bit) for bit in bits)
                yield found


def find_fish(state: State, size: int) -> Iterator[Found]:
    """The places of a value in some full units lie in as many other units.

    So no other cell of these other units holds the value.

    Base units do not overlap. Rows against columns are the X-wing, swordfish and jellyfish; regions
    and diagonals may be base or cover as well.
    """
    for bit in range(state.side):
        with_value = state.cells_with(bit)
        if not state.has_changed(("fish", size, bit), with_value):
            continue
        bases = [
            (index, bits_of(places))
            for index in state.full_units
            if 2 <= len(places := state.places(index, bit)) <= size
        ]
        for chosen in combinations(bases, size):
            base = union([places for _, places in chosen])
            if base.bit_count() != sum(places.bit_count() for _, places in chosen):
                continue
            units = tuple(index for index, _ in chosen)
            cover = _cover(state, units, base, size)
            if cover is None:
                continue
            covered = union([state.units[index].bits for index in cover])
            struck = [(cell, bit) for cell in cells_of(covered & with_value & ~base)]
            if struck:
                found = Found(struck=struck, values=1 << bit, units=units, cover=cover)
                found.cited.places |= dict.fromkeys((unit, bit) for unit in units)
                found.cited.units |= dict.fromkeys(cover)
                yield found


def _cover(
    state: State, base_units: tuple[int, ...], base: int, size: int
) -> tuple[int, ...] | None:
    """Units, as many as base units, that contain all base cells; None if there are none."""
    first = next(cells_of(base))
    for index in state.units_with[first]:
        if index in base_units:
            continue
        rest = base & ~state.units[index].bits
        if not rest:
            if size == 1:
                return (index,)
        elif size > 1 and (others := _cover(state, base_units, rest, size - 1)) is not None:
            return index, *others
    return None
