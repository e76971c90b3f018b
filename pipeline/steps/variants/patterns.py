"""Singles, locked candidates, subsets and fish in a puzzle of any geometry.

Each function yields the deductions of one technique, simplest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from pipeline.puzzle.geometry import bits_of, indices_of
from pipeline.steps.step import Candidate
from pipeline.steps.variants.state import Citations, State, union


@dataclass(slots=True)
class Deduction:
    """A pattern and its conclusions, as in `Step`. Values count from 0; `values` is a mask."""

    placed: Sequence[Candidate] = ()
    eliminated: Sequence[Candidate] = ()
    values: int = 0
    cells: tuple[int, ...] = ()
    units: tuple[int, ...] = ()
    cover: tuple[int, ...] = ()
    chain: tuple[tuple[int, int, bool], ...] = ()
    total: int = 0
    cited: Citations = field(default_factory=Citations)


def find_full_houses(state: State) -> Iterator[Deduction]:
    """The last open cell of a full unit."""
    for index in state.full_units:
        cells = [c for c in state.units[index].cells if c in state.open_cells]
        if len(cells) == 1 and (mask := state.masks[cells[0]]):
            yield _single(cells[0], mask.bit_length() - 1, index)


def find_naked_singles(state: State) -> Iterator[Deduction]:
    """A cell with one candidate."""
    for cell in sorted(state.open_cells):
        mask = state.masks[cell]
        if mask and mask & mask - 1 == 0:
            yield _single(cell, mask.bit_length() - 1)


def find_hidden_singles(state: State) -> Iterator[Deduction]:
    """A value with one place in a full unit; boxes and regions come before rows and columns."""
    for index in sorted(state.full_units, key=lambda u: _is_line(state, u)):
        for bit in range(state.side):
            places = state.places(index, bit)
            if len(places) == 1 and not state.has_placed(index, bit):
                yield _single(places[0], bit, index)


def _is_line(state: State, unit: int) -> bool:
    return state.units[unit].name.startswith(("row", "column"))


def _single(cell: int, bit: int, unit: int | None = None) -> Deduction:
    single = Deduction(placed=[(cell, bit)], values=1 << bit, cells=(cell,))
    if unit is None:
        single.cited.cells[cell] = None
    else:
        single.units = (unit,)
        single.cited.places[unit, bit] = None
    return single


def find_locked_candidates(state: State) -> Iterator[Deduction]:
    """All places of a value in a full unit see a cell: that cell cannot hold the value.

    This includes pointing and claiming, and the same for regions, diagonals and knight's moves.
    """
    for bit in range(state.side):
        with_value = state.cells_with(bit)
        for index in state.full_units:
            places = state.places(index, bit)
            if not 2 <= len(places) <= 6 or state.has_placed(index, bit):
                continue
            targets = state.common_peers(places) & with_value
            if targets:
                yield _locked_candidates(state, index, bit, places, targets)


def _locked_candidates(
    state: State, unit: int, bit: int, places: Sequence[int], targets: int
) -> Deduction:
    """Eliminate a value from the target cells, which see all its places in a unit."""
    locked = Deduction(
        eliminated=[(cell, bit) for cell in indices_of(targets)],
        values=1 << bit,
        cells=tuple(places),
        units=(unit,),
    )
    locked.cover = tuple(
        index
        for index, other in enumerate(state.units)
        if index != unit and not bits_of(places) & ~other.bits and targets & other.bits
    )
    locked.cited.places[unit, bit] = None
    for cell in indices_of(targets):
        state.cite_peers(locked.cited, places, cell)
    return locked


def find_naked_subsets(state: State, size: int) -> Iterator[Deduction]:
    """Some cells of a unit have as many candidates together: no other cell there holds them."""
    cells_with = [state.cells_with(bit) for bit in range(state.side)]
    for index, unit in enumerate(state.units):
        cells = [
            c for c in unit.cells if c in state.open_cells and state.masks[c].bit_count() <= size
        ]
        for chosen in combinations(cells, size):
            values = union(state.masks_at(chosen))
            if values.bit_count() != size:
                continue
            places_of = {
                bit: [c for c in chosen if state.masks[c] >> bit & 1] for bit in indices_of(values)
            }
            eliminated = [
                (cell, bit)
                for bit, places in places_of.items()
                for cell in indices_of(state.common_peers(places) & cells_with[bit])
            ]
            if eliminated:
                subset = Deduction(
                    eliminated=eliminated, values=values, cells=chosen, units=(index,)
                )
                subset.cited.cells |= dict.fromkeys(chosen)
                subset.cited.units[index] = None
                for cell, bit in eliminated:
                    state.cite_peers(subset.cited, places_of[bit], cell)
                yield subset


def find_hidden_subsets(state: State, size: int) -> Iterator[Deduction]:
    """Some values have as many places in a full unit: those cells hold nothing else."""
    for index in state.full_units:
        places_of = {
            bit: bits_of(places)
            for bit in range(state.side)
            if 2 <= len(places := state.places(index, bit)) <= size
        }
        for bits in combinations(places_of, size):
            cells = union(places_of[bit] for bit in bits)
            if cells.bit_count() != size:
                continue
            values = bits_of(bits)
            eliminated = [
                (cell, bit)
                for cell in indices_of(cells)
                for bit in indices_of(state.masks[cell] & ~values)
            ]
            if eliminated:
                subset = Deduction(
                    eliminated=eliminated,
                    values=values,
                    cells=tuple(indices_of(cells)),
                    units=(index,),
                )
                subset.cited.places |= dict.fromkeys((index, bit) for bit in bits)
                yield subset


def find_basic_fish(state: State, size: int) -> Iterator[Deduction]:
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
            base = union(places for _, places in chosen)
            if base.bit_count() != sum(places.bit_count() for _, places in chosen):
                continue
            units = tuple(index for index, _ in chosen)
            cover = _cover(state, units, base, size)
            if cover is None:
                continue
            covered = union(state.units[index].bits for index in cover)
            targets = covered & with_value & ~base
            if targets:
                fish = Deduction(
                    eliminated=[(cell, bit) for cell in indices_of(targets)],
                    values=1 << bit,
                    units=units,
                    cover=cover,
                )
                fish.cited.places |= dict.fromkeys((unit, bit) for unit in units)
                fish.cited.units |= dict.fromkeys(cover)
                yield fish


def _cover(
    state: State, base_units: tuple[int, ...], base: int, size: int
) -> tuple[int, ...] | None:
    """`size` units other than the base units that contain all base cells, or None."""
    first = next(indices_of(base))
    for index in state.units_with[first]:
        if index in base_units:
            continue
        rest = base & ~state.units[index].bits
        if not rest:
            if size == 1:
                return (index,)
        elif size > 1 and (rest_cover := _cover(state, base_units, rest, size - 1)) is not None:
            return index, *rest_cover
    return None
