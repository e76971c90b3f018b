"""Eliminations by the rules of a variant: cages and other sums, innies and outies, any rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, product
from math import prod
from typing import NamedTuple

from pipeline.certify.cited import follows_from
from pipeline.puzzle.constraints import AllDifferent, Allowed, Constraint, Pairs
from pipeline.puzzle.geometry import bits_of, indices_of
from pipeline.puzzle.sums import SetTotal, Total
from pipeline.steps.step import Candidate
from pipeline.steps.variants.patterns import Deduction
from pipeline.steps.variants.state import State, union

_MAX_LEFT_OVER = 4
"""Maximum number of innies and outies together."""

_MAX_UNITS = 4
"""Maximum number of units whose sums are added."""

_MAX_TRIED = 20_000
"""Maximum number of candidates that are tried in a search for the combinations of a sum."""

_MAX_ASSIGNMENTS = 5_000
"""Maximum number of assignments of a rule that are tried one by one. If a rule has more, a search
tries to refute each candidate."""

_MAX_SCOPE = 16
"""Maximum number of cells of a rule whose candidates are tried by the exhaustive search."""

_COVERED_CONSTRAINTS = AllDifferent, SetTotal, Total, Allowed
"""Constraints for which there are other techniques."""


def find_sum_combinations(state: State) -> Iterator[Deduction]:
    """Eliminate candidates that occur in no combination of a cage or another sum."""
    for index, parts in enumerate(state.parts):
        sums = [part for part in parts if isinstance(part, SetTotal | Total)]
        masks = state.masks_at(state.constraints[index].scope())
        if not sums or not state.has_changed(("sum", index), masks):
            continue
        eliminated: dict[Candidate, None] = {}
        for part in sums:
            groups = [p.cells for p in parts if isinstance(p, AllDifferent | SetTotal)]
            weights = part.weights() if isinstance(part, Total) else dict.fromkeys(part.cells, 1)
            search = _Combinations(state, weights, part.total, groups)
            eliminated |= dict.fromkeys(search.eliminated())
        if eliminated:
            yield _from_rule(state, index, [*eliminated])


def find_cage_values(state: State) -> Iterator[Deduction]:
    """Eliminate a value of all combinations of a cage from cells that see all its places in it."""
    for index, parts in enumerate(state.parts):
        for part in parts:
            if not isinstance(part, SetTotal):
                continue
            weights = dict.fromkeys(part.cells, 1)
            common = _Combinations(state, weights, part.total, [part.cells]).common
            for bit in indices_of(common):
                places = [cell for cell in part.cells if state.masks[cell] >> bit & 1]
                targets = [*indices_of(state.common_peers(places) & state.cells_with(bit))]
                if targets:
                    deduction = _from_rule(state, index, [(cell, bit) for cell in targets])
                    deduction.values = 1 << bit
                    for cell in targets:
                        state.cite_peers(deduction.cited, places, cell)
                    yield deduction


def _from_rule(state: State, index: int, eliminated: list[Candidate]) -> Deduction:
    """A deduction that cites one rule."""
    scope = dict.fromkeys(state.constraints[index].scope())
    deduction = Deduction(eliminated=eliminated, cells=tuple(scope))
    deduction.cited.rules[index] = None
    return deduction


def _unsupported(state: State, supported: Mapping[int, int]) -> Iterator[Candidate]:
    """Yield the candidates of open cells that are not in the masks `supported`."""
    for cell, mask in supported.items():
        if cell in state.open_cells:
            for bit in indices_of(state.masks[cell] & ~mask):
                yield cell, bit


class _Combinations:
    """The combinations of candidates with a given weighted sum.

    - `weights`: the weight of each cell.
    - `groups`: cells that hold different values.

    A depth-first search finds all combinations. Bounds on the sum of the remaining cells prune it.
    After _MAX_TRIED candidates it gives up, and nothing is known about the combinations.

    - `common`: the values that occur in all combinations, as bits; 0 if nothing is known.
    """

    def __init__(
        self,
        state: State,
        weights: Mapping[int, int],
        total: int,
        groups: Iterable[Iterable[int]],
    ) -> None:
        self._state = state
        self._cells = sorted(weights, key=lambda cell: state.masks[cell].bit_count())
        sets = [{*group} for group in groups]
        self._different = [
            [i for i in range(index) if any({cell, self._cells[i]} <= group for group in sets)]
            for index, cell in enumerate(self._cells)
        ]
        """For each cell, the indices of earlier cells that hold other values."""
        self._options = [
            [(bit, weights[cell] * (bit + 1)) for bit in indices_of(state.masks[cell])]
            for cell in self._cells
        ]
        """For each cell, its candidates, and the amount that each adds to the sum."""
        amounts = [[a for _, a in options] or [0] for options in reversed(self._options)]
        self._low = [*accumulate(map(min, amounts), initial=0)][::-1]
        self._high = [*accumulate(map(max, amounts), initial=0)][::-1]
        self._chosen, self._supported = [0] * len(self._cells), [0] * len(self._cells)
        self._tried, self.common = 0, (1 << state.side) - 1
        self._extend(0, total)
        self._is_known = all(self._options) and self._tried <= _MAX_TRIED
        if not self._is_known:
            self.common = 0

    def eliminated(self) -> list[Candidate]:
        """The candidates that occur in no combination; empty if nothing is known."""
        if not self._is_known:
            return []
        supported = dict(zip(self._cells, self._supported, strict=True))
        return [*_unsupported(self._state, supported)]

    def _extend(self, index: int, rest: int) -> bool:
        """Whether the cells from `index` on can sum to `rest`."""
        if index == len(self._options):
            self.common &= bits_of({*self._chosen})
            return True
        is_possible = False
        for bit, amount in self._options[index]:
            self._tried += 1
            if self._tried > _MAX_TRIED:
                break
            left = rest - amount
            if not self._low[index + 1] <= left <= self._high[index + 1]:
                continue
            if any(self._chosen[other] == bit for other in self._different[index]):
                continue
            self._chosen[index] = bit
            if self._extend(index + 1, left):
                self._supported[index] |= 1 << bit
                is_possible = True
        return is_possible


class _Cage(NamedTuple):
    """A cage: the index of its rule, its cells as bits, and its sum."""

    rule: int
    cells: int
    total: int


def find_innies_and_outies(state: State) -> Iterator[Deduction]:
    """The 45 rule: the sum of full units is known, so the sum of what cages leave over is known.

    Some cages lie in the units, others partly. Innies are the cells of the units that are in none
    of these cages. Outies are the cells of these cages outside of the units. The sum of the units
    less the sum of the cages is the sum of the innies less the sum of the outies.
    """
    cages = [
        _Cage(index, bits_of(part.cells), part.total)
        for index, parts in enumerate(state.parts)
        for part in parts
        if isinstance(part, SetTotal)
    ]
    if not cages:
        return
    unit_sum = sum(state.geometry.values)
    for units in sorted(_disjoint_units(state), key=len):
        inside = _cells_of_units(state, units)
        within = [cage for cage in cages if not cage.cells & ~inside]
        partly = [cage for cage in cages if cage.cells & inside and cage.cells & ~inside]
        choices = [(), *((cage,) for cage in partly), tuple(partly)]
        for crossing in dict.fromkeys(choices):
            used = [*within, *crossing]
            weights, total = _left_over(inside, unit_sum * len(units), used)
            if not 0 < len(weights) <= _MAX_LEFT_OVER:
                continue
            if not state.has_changed((units, crossing), state.masks_at(weights)):
                continue
            different = _units_around(state, weights)
            groups = (state.units[unit].cells for unit in different)
            eliminated = _Combinations(state, weights, total, groups).eliminated()
            if eliminated:
                deduction = Deduction(
                    eliminated=eliminated, cells=tuple(weights), units=units, total=total
                )
                deduction.cited.units |= dict.fromkeys((*units, *different))
                deduction.cited.rules |= dict.fromkeys(cage.rule for cage in used)
                yield deduction


def _left_over(inside: int, total: int, cages: Sequence[_Cage]) -> tuple[dict[int, int], int]:
    """Innies with weight 1 and outies with weight -1, and their sum. Empty if cages overlap."""
    covered, outside = 0, 0
    for cage in cages:
        if cage.cells & (covered | outside):
            return {}, 0
        covered |= cage.cells & inside
        outside |= cage.cells & ~inside
        total -= cage.total
    innies = dict.fromkeys(indices_of(inside & ~covered), 1)
    return innies | dict.fromkeys(indices_of(outside), -1), total


def _disjoint_units(state: State) -> Iterator[tuple[int, ...]]:
    """Yield full units, runs of up to _MAX_UNITS rows, columns or boxes, and pairs of regions."""
    geometry_units = [u for u in state.full_units if state.units[u].rule is None]
    for index in state.full_units:
        yield (index,)
    for kind in ("row", "column", "box"):
        same = [u for u in geometry_units if state.units[u].name.startswith(kind)]
        for length in range(2, _MAX_UNITS + 1):
            for first in range(len(same) - length + 1):
                chosen = tuple(same[first : first + length])
                if _cells_of_units(state, chosen).bit_count() == length * state.side:
                    yield chosen
    regions = [u for u in state.full_units if state.units[u].rule is not None]
    for pair in combinations(regions, 2):
        if _cells_of_units(state, pair).bit_count() == 2 * state.side:
            yield pair


def _cells_of_units(state: State, units: Sequence[int]) -> int:
    """The cells of some units, as bits."""
    return union(state.units[index].bits for index in units)


def _units_around(state: State, cells: Mapping[int, int]) -> list[int]:
    """Units with at least two of the cells."""
    return [
        index for index, unit in enumerate(state.units) if len({*unit.cells} & cells.keys()) > 1
    ]


def find_rule_exclusions(state: State) -> Iterator[Deduction]:
    """Eliminate candidates that contradict a rule, whatever the other cells of the rule hold."""
    for index, constraint in enumerate(state.constraints):
        if all(isinstance(part, _COVERED_CONSTRAINTS) for part in state.parts[index]):
            continue
        if not state.has_changed(("rule", index), state.masks_at(constraint.scope())):
            continue
        if eliminated := _contradicting(state, index, constraint):
            yield _from_rule(state, index, eliminated)


def _contradicting(state: State, index: int, constraint: Constraint) -> list[Candidate]:
    """The candidates of the rule's cells that the rule excludes."""
    parts = state.parts[index]
    if all(isinstance(part, Pairs | AllDifferent | Allowed) for part in parts):
        pairs = [part for part in parts if isinstance(part, Pairs)]
        return _without_partner(state, pairs)
    cells = [*dict.fromkeys(constraint.scope())]
    if not any(cell in state.open_cells for cell in cells):
        return []
    if prod(state.masks[cell].bit_count() for cell in cells) <= _MAX_ASSIGNMENTS:
        return [*_unsupported(state, _supported_values(state, cells, constraint))]
    return [*_refuted_candidates(state, index, cells)] if len(cells) <= _MAX_SCOPE else []


def _without_partner(state: State, parts: Sequence[Pairs]) -> list[Candidate]:
    """The candidates that arc consistency over the pairs eliminates."""
    masks = {cell: state.masks[cell] for part in parts for cell in part.scope()}
    is_changed = True
    while is_changed:
        is_changed = False
        for part in parts:
            for a, b in part.pairs:
                pairs = [
                    (u, v)
                    for u in indices_of(masks[a])
                    for v in indices_of(masks[b])
                    if part.relation(u + 1, v + 1, *part.numbers) and (a != b or u == v)
                ]
                kept_a, kept_b = bits_of({u for u, _ in pairs}), bits_of({v for _, v in pairs})
                if kept_a != masks[a] or kept_b != masks[b]:
                    masks[a], masks[b], is_changed = kept_a, kept_b, True
                if not pairs:
                    return []
    return [*_unsupported(state, masks)]


def _supported_values(state: State, cells: Sequence[int], constraint: Constraint) -> dict[int, int]:
    """For each cell, the candidates in assignments that satisfy the constraint, as a mask."""
    values, supported = [1] * state.size, dict.fromkeys(cells, 0)
    for bits in product(*(tuple(indices_of(state.masks[cell])) for cell in cells)):
        for cell, bit in zip(cells, bits, strict=True):
            values[cell] = bit + 1
        if constraint.holds(values):
            for cell, bit in zip(cells, bits, strict=True):
                supported[cell] |= 1 << bit
    return supported


def _refuted_candidates(state: State, index: int, cells: Sequence[int]) -> Iterator[Candidate]:
    """Yield the candidates that the exhaustive search refutes by the rule alone."""
    for cell in cells:
        if cell not in state.open_cells:
            continue
        for bit in indices_of(state.masks[cell]):
            conclusion = [(cell, bit + 1)]
            if follows_from(
                state.geometry, state.masks, [state.constraints[index]], (), conclusion
            ):
                yield cell, bit
