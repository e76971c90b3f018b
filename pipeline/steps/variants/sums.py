"""What the rules of a variant eliminate: cages and other sums, innies and outies, and any rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, product
from math import prod
from typing import NamedTuple

from pipeline.certify.cited import follows_from
from pipeline.puzzle.constraints import AllDifferent, Allowed, Constraint, Pairs
from pipeline.puzzle.sums import SetTotal, Total
from pipeline.steps.variants.patterns import Found
from pipeline.steps.variants.state import State, bits_of, cells_of

MAX_LEFT_OVER = 4
"""Most innies and outies of which the sum is considered."""

MAX_UNITS = 4
"""Most units that are added up."""

_MAX_TRIED, _MAX_ASSIGNMENTS = 20_000, 5_000
"""Limits of the search for the combinations of a sum, and of the number of assignments of another
rule, which are all tried.
"""

_BY_OTHERS = AllDifferent, SetTotal, Total, Allowed
"""Constraints that other techniques take account of."""

_MAX_SCOPE = 16
"""Most cells of a rule of which each candidate is tried by the exhaustive search."""


def find_sum(state: State) -> Iterator[Found]:
    """Candidates that occur in no combination of a cage or another sum."""
    for index, parts in enumerate(state.parts):
        sums = [part for part in parts if isinstance(part, SetTotal | Total)]
        masks = state.masks_at(state.constraints[index].scope())
        if not sums or not state.has_changed(("sum", index), masks):
            continue
        struck: dict[tuple[int, int], None] = {}
        for part in sums:
            groups = [p.cells for p in parts if isinstance(p, AllDifferent | SetTotal)]
            if support := _supported(state, _weights(part), part.total, groups):
                struck |= dict.fromkeys(_missing(state, support.masks))
        if struck:
            yield _by_rule(state, index, [*struck])


def find_common(state: State) -> Iterator[Found]:
    """A value in all combinations of a cage: cells that see all its places there do not hold it."""
    for index, parts in enumerate(state.parts):
        for part in parts:
            if not isinstance(part, SetTotal):
                continue
            support = _supported(state, _weights(part), part.total, [part.cells])
            for bit in cells_of(support.common & (1 << state.side) - 1) if support else ():
                places = [cell for cell in part.cells if state.masks[cell] >> bit & 1]
                targets = state.seen_by_all(places) & state.cells_with(bit) & ~bits_of(places)
                if targets:
                    found = _by_rule(state, index, [(cell, bit) for cell in cells_of(targets)])
                    found.values = 1 << bit
                    for cell in cells_of(targets):
                        for place in places:
                            state.cite_sight(found.cited, cell, place)
                    yield found


def _weights(part: SetTotal | Total) -> dict[int, int]:
    if isinstance(part, SetTotal):
        return dict.fromkeys(part.cells, 1)
    weights: dict[int, int] = {}
    for cell, weight in part.terms:
        weights[cell] = weights.get(cell, 0) + weight
    return weights


def _by_rule(state: State, index: int, struck: list[tuple[int, int]]) -> Found:
    found = Found(struck=struck, cells=tuple(dict.fromkeys(state.constraints[index].scope())))
    found.cited.rules[index] = None
    return found


def _missing(state: State, supported: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    for cell, mask in supported.items():
        if cell in state.open_cells:
            for bit in cells_of(state.masks[cell] & ~mask):
                yield cell, bit


def _supported(
    state: State, weights: Mapping[int, int], total: int, groups: Iterable[Iterable[int]]
) -> _Support | None:
    """Search for the combinations of a weighted sum.

    - `weights`: the weight of each cell.
    - `groups`: cells that hold different values.

    None if there are too many combinations.
    """
    cells = sorted(weights, key=lambda cell: state.masks[cell].bit_count())
    sets = [{*group} for group in groups]
    apart = [
        [j for j in range(i) if any(cells[i] in each and cells[j] in each for each in sets)]
        for i in range(len(cells))
    ]
    options = [
        [(bit, weights[cell] * state.value(bit)) for bit in cells_of(state.masks[cell])]
        for cell in cells
    ]
    if not all(options):
        return None
    search = _Combinations(options, apart)
    search.extend(0, total)
    if search.is_too_long:
        return None
    return _Support(dict(zip(cells, search.supported, strict=True)), search.common)


class _Support(NamedTuple):
    """What occurs in the combinations of a sum.

    - `masks`: for each cell, the candidates that occur in a combination.
    - `common`: the values that occur in all combinations.
    """

    masks: dict[int, int]
    common: int


class _Combinations:
    """A depth-first search for all values of some cells with a given sum.

    - `options`: for each cell, its candidates, and what each adds to the sum.
    - `apart`: for each cell, the earlier cells that hold other values.

    - `supported`: for each cell, the candidates that occur in a combination.
    - `common`: the values that occur in all combinations.

    Bounds on the sum of the cells that remain prune the search.
    """

    def __init__(
        self, options: Sequence[Sequence[tuple[int, int]]], apart: Sequence[Sequence[int]]
    ) -> None:
        self._options, self._apart = options, apart
        amounts = [[amount for _, amount in choices] for choices in reversed(options)]
        self._low = [*accumulate(map(min, amounts), initial=0)][::-1]
        self._high = [*accumulate(map(max, amounts), initial=0)][::-1]
        self._chosen = [0] * len(options)
        self._tried = 0
        self.supported = [0] * len(options)
        self.common = -1

    @property
    def is_too_long(self) -> bool:
        return self._tried > _MAX_TRIED

    def extend(self, index: int, rest: int) -> bool:
        """Whether the cells from `index` on can sum to `rest`."""
        if index == len(self._options):
            self.common &= bits_of({*self._chosen})
            return True
        is_possible = False
        for bit, amount in self._options[index]:
            self._tried += 1
            if self.is_too_long:
                break
            left = rest - amount
            if not self._low[index + 1] <= left <= self._high[index + 1]:
                continue
            if any(self._chosen[other] == bit for other in self._apart[index]):
                continue
            self._chosen[index] = bit
            if self.extend(index + 1, left):
                self.supported[index] |= 1 << bit
                is_possible = True
        return is_possible


def find_innies(state: State) -> Iterator[Found]:
    """The 45 rule: the sum of full units is known, so the sum of what cages leave over is known.

    Some cages lie in the units, others partly. Innies are the cells of the units that are in none
    of these cages. Outies are the cells of these cages outside of the units. The sum of the units
    less the sum of the cages is the sum of the innies less the sum of the outies.
    """
    cages = [
        (index, bits_of(part.cells), part.total)
        for index, parts in enumerate(state.parts)
        for part in parts
        if isinstance(part, SetTotal)
    ]
    if not cages:
        return
    unit_sum = sum(state.geometry.values)
    tried: set[tuple[int, ...]] = set()
    for units in sorted(_disjoint_units(state), key=len):
        inside = _union_of(state, units)
        within = [cage for cage in cages if not cage[1] & ~inside]
        partly = [cage for cage in cages if cage[1] & inside and cage[1] & ~inside]
        for several in ((), *((cage,) for cage in partly), tuple(partly)):
            weights, total = _left_over(inside, unit_sum * len(units), [*within, *several])
            if weights is None or not 0 < len(weights) <= MAX_LEFT_OVER:
                continue
            key = (*units, *(cage[0] for cage in several))
            if key in tried:
                continue
            tried.add(key)
            if not state.has_changed(key, state.masks_at(weights)):
                continue
            different = _units_around(state, weights)
            groups = (state.units[unit].cells for unit in different)
            support = _supported(state, weights, total, groups)
            struck = [*_missing(state, support.masks)] if support else []
            if struck:
                found = Found(struck=struck, cells=tuple(weights), units=units, total=total)
                found.cited.units |= dict.fromkeys((*units, *different))
                used = (*within, *several)
                found.cited.rules |= dict.fromkeys(cage[0] for cage in used)
                yield found


def _left_over(
    inside: int, total: int, cages: Sequence[tuple[int, int, int]]
) -> tuple[dict[int, int] | None, int]:
    """Innies with weight 1 and outies with weight -1, and their sum. None if cages overlap."""
    covered, outside = 0, 0
    for _, cells, amount in cages:
        if cells & (covered | outside):
            return None, 0
        covered |= cells & inside
        outside |= cells & ~inside
        total -= amount
    innies = dict.fromkeys(cells_of(inside & ~covered), 1)
    return innies | dict.fromkeys(cells_of(outside), -1), total


def _disjoint_units(state: State) -> Iterator[tuple[int, ...]]:
    """Single full units, and neighbouring rows, columns and boxes, up to MAX_UNITS."""
    geometry_units = [u for u in state.full_units if state.units[u].rule is None]
    for index in state.full_units:
        yield (index,)
    for kind in ("row", "column", "box"):
        same = [u for u in geometry_units if state.units[u].name.startswith(kind)]
        for length in range(2, MAX_UNITS + 1):
            for first in range(len(same) - length + 1):
                chosen = tuple(same[first : first + length])
                if _union_of(state, chosen).bit_count() == length * state.side:
                    yield chosen
    regions = [u for u in state.full_units if state.units[u].rule is not None]
    for pair in combinations(regions, 2):
        if _union_of(state, pair).bit_count() == 2 * state.side:
            yield pair


def _union_of(state: State, units: Sequence[int]) -> int:
    cells = 0
    for index in units:
        cells |= state.units[index].bits
    return cells


def _units_around(state: State, cells: Mapping[int, int]) -> list[int]:
    """Units with at least two of the cells."""
    return [
        index for index, unit in enumerate(state.units) if len({*unit.cells} & cells.keys()) > 1
    ]


def find_by_rule(state: State) -> Iterator[Found]:
    """Candidates that contradict a rule, whatever the other cells of the rule hold."""
    for index, constraint in enumerate(state.constraints):
        if all(isinstance(part, _BY_OTHERS) for part in state.parts[index]):
            continue
        if not state.has_changed(("rule", index), state.masks_at(constraint.scope())):
            continue
        if struck := _contradicting(state, index, constraint):
            yield _by_rule(state, index, struck)


def _contradicting(state: State, index: int, constraint: Constraint) -> list[tuple[int, int]]:
    """The candidates of the rule's cells that the rule excludes."""
    parts = state.parts[index]
    if all(isinstance(part, Pairs | AllDifferent | Allowed) for part in parts):
        pairs = [part for part in parts if isinstance(part, Pairs)]
        return _without_partner(state, pairs)
    cells = [*dict.fromkeys(constraint.scope())]
    if not any(cell in state.open_cells for cell in cells):
        return []
    if prod(state.masks[cell].bit_count() for cell in cells) <= _MAX_ASSIGNMENTS:
        return [*_missing(state, _tried(state, cells, constraint))]
    return [*_refuted(state, index, cells)] if len(cells) <= _MAX_SCOPE else []


def _without_partner(state: State, parts: Sequence[Pairs]) -> list[tuple[int, int]]:
    """Candidates without a partner in the other cell of a pair, until nothing changes."""
    masks = {cell: state.masks[cell] for part in parts for cell in part.scope()}
    is_changed = True
    while is_changed:
        is_changed = False
        for part in parts:
            for a, b in part.pairs:
                pairs = [
                    (u, v)
                    for u in cells_of(masks[a])
                    for v in cells_of(masks[b])
                    if part.relation(state.value(u), state.value(v), *part.numbers)
                    and (a != b or u == v)
                ]
                kept_a, kept_b = bits_of({u for u, _ in pairs}), bits_of({v for _, v in pairs})
                if kept_a != masks[a] or kept_b != masks[b]:
                    masks[a], masks[b], is_changed = kept_a, kept_b, True
                if not pairs:
                    return []
    return [*_missing(state, masks)]


def _tried(state: State, cells: Sequence[int], constraint: Constraint) -> dict[int, int]:
    """For each cell, the candidates in some assignment that satisfies the constraint."""
    values, supported = [state.lowest] * state.size, dict.fromkeys(cells, 0)
    for bits in product(*(tuple(cells_of(state.masks[cell])) for cell in cells)):
        for cell, bit in zip(cells, bits, strict=True):
            values[cell] = state.value(bit)
        if constraint.holds(values):
            for cell, bit in zip(cells, bits, strict=True):
                supported[cell] |= 1 << bit
    return supported


def _refuted(state: State, index: int, cells: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Candidates that the exhaustive search refutes from the rule and the units of its cells."""
    for cell in cells:
        if cell not in state.open_cells:
            continue
        for bit in cells_of(state.masks[cell]):
            conclusion = [(cell, state.value(bit))]
            if follows_from(
                state.geometry, state.masks, [state.constraints[index]], (), conclusion
            ):
                yield cell, bit
