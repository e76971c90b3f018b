"""What the rules of a variant eliminate: cages and other sums, innies and outies, and any rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod

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
"""Limits of the search for combinations of a sum, and of the assignments of another rule that are
all tried."""

_BY_OTHERS = AllDifferent, SetTotal, Total, Allowed
"""Constraints that other techniques take account of."""

_MAX_SCOPE = 16
"""Most cells of a rule of which each candidate is tried by the exhaustive search."""


def find_sum(state: State) -> Iterator[Found]:
    """Candidates that occur in no combination of a cage or another sum."""
    for index, parts in enumerate(state.parts):
        sums = [part for part in parts if isinstance(part, SetTotal | Total)]
        if not sums or not state.has_changed(("sum", index), state.constraints[index].scope()):
            continue
        struck: dict[tuple[int, int], None] = {}
        for part in sums:
            weights = _weights(part)
            supported = _supported(state, weights, part.total, index)
            if supported is not None:
                struck |= dict.fromkeys(_missing(state, supported))
        if struck:
            yield _by_rule(state, index, [*struck])


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
    state: State,
    weights: Mapping[int, int],
    total: int,
    rule: int | None,
    different: Sequence[int] = (),
) -> dict[int, int] | None:
    """For each cell, the candidates that occur in some combination with this weighted sum.

    Cells hold different values where the rule itself, or one of the units `different`, says so. None
    if there are too many combinations. A depth-first search with bounds on the rest of the sum.
    """
    cells = sorted(weights, key=lambda cell: state.masks[cell].bit_count())
    groups = [bits_of(state.units[index].cells) for index in different]
    if rule is not None:
        groups += [
            bits_of(p.cells) for p in state.parts[rule] if isinstance(p, AllDifferent | SetTotal)
        ]
    apart = [
        [j for j in range(i) if any(g >> cells[i] & 1 and g >> cells[j] & 1 for g in groups)]
        for i in range(len(cells))
    ]
    options = [
        [(bit, weights[c] * state.value(bit)) for bit in cells_of(state.masks[c])] for c in cells
    ]
    low, high = [0], [0]
    for choices in reversed(options):
        if not choices:
            return None
        amounts = [amount for _, amount in choices]
        low.append(low[-1] + min(amounts))
        high.append(high[-1] + max(amounts))
    low, high = low[::-1], high[::-1]
    supported, chosen, tried = [0] * len(cells), [0] * len(cells), 0

    def extend(index: int, rest: int) -> bool:
        """Whether the cells from `index` on can sum to `rest`."""
        nonlocal tried
        if index == len(cells):
            return True
        is_possible = False
        for bit, amount in options[index]:
            tried += 1
            if tried > _MAX_TRIED:
                return is_possible
            left = rest - amount
            if not low[index + 1] <= left <= high[index + 1]:
                continue
            if any(chosen[j] == bit for j in apart[index]):
                continue
            chosen[index] = bit
            if extend(index + 1, left):
                supported[index] |= 1 << bit
                is_possible = True
        return is_possible

    extend(0, total)
    return None if tried > _MAX_TRIED else dict(zip(cells, supported, strict=True))


def find_innies(state: State) -> Iterator[Found]:
    """The 45 rule: units of all values have a known sum, and so has what cages leave over of it.

    Innies are cells of the units in no cage that lies in them; outies are the cells outside of the
    units of cages that lie partly in them. The sum of units less that of cages is that of the innies,
    less that of the outies.
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
            if not state.has_changed(key, weights):
                continue
            different = _units_around(state, weights)
            supported = _supported(state, weights, total, None, different)
            struck = [*_missing(state, supported)] if supported else []
            if struck:
                found = Found(struck=struck, cells=tuple(weights), units=units)
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
        cells |= bits_of(state.units[index].cells)
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
        if not state.has_changed(("rule", index), constraint.scope()):
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
