"""Build the arrays of the search for a variant; `layout` describes them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.exhaustive import OUT_OF_TIME
from pipeline.certify.variants import layout as L
from pipeline.certify.variants.joint import joint_sums
from pipeline.certify.variants.regions import CONNECTED_SCRATCH
from pipeline.certify.variants.simplify import (
    NoSolution,
    Simplified,
    Terms,
    cells_in,
    innies,
    set_of,
    weights_of,
)
from pipeline.certify.variants.tables import (
    MAX_VALUES_WITH_SETS,
    AutomatonKey,
    Numbers,
    TooLarge,
    automaton_layers,
    bit_tables,
    sets_by_sum,
)
from pipeline.puzzle.connected import Connected, DifferentPairs
from pipeline.puzzle.constraints import (
    AllDifferent,
    Allowed,
    AtLeast,
    Automaton,
    Cells,
    Constraint,
    OneOfSets,
    Pairs,
    Ranked,
)
from pipeline.puzzle.geometry import units_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.sums import CountOfEqual, SameTotals, Total

MAX_CELLS = 1000
MAX_NUMBERS = 2_000_000
MAX_SUM = 1 << 40
"""Beyond these limits TooLarge is raised. Masks fit in a number: there are at most 31 values."""

_IN_ALTERNATIVE = L.NOTHING
"""In place of the queue of a constraint in an alternative: only its ANY_OF is scheduled."""

_QUEUE_OF_KIND = {L.PAIR: L.EARLY, L.TOTAL: L.SOON, L.ONE_OF_SETS: L.SOON}
"""The queues of cheap kinds of constraints, instead of NORMAL."""

_MAX_UNGROUPED = 9
"""Totals of more cells than this are first grouped by units. If there are more values than this,
sets of values are listed only for totals of one group."""

Group = tuple[int, list[int]]
"""A weight, and cells of this weight that must all differ."""


class SearchArrays(NamedTuple):
    """The arrays of a search that has not started."""

    state: Numbers
    problem: Numbers
    weights: NDArray[np.float64]


PATIENCE = 1000
"""Failures before the first restart."""


def search_arrays(puzzle: Puzzle, end: float, patience: int = PATIENCE) -> SearchArrays:
    """Build the arrays of a search for all solutions, by `end` on the monotonic clock.

    The search restarts after `patience` failures, then after twice as many, and so on. Raises
    NoSolution, and TooLarge, also if time runs out.
    """
    geometry = puzzle.geometry
    if geometry.size > MAX_CELLS:
        raise TooLarge(f"variants of more than {MAX_CELLS:,} cells are not searched")
    simplified = Simplified(puzzle)
    constraints = [rule.constraints(geometry) for rule in puzzle.rules]
    for constraint in (*constraints, *joint_sums(constraints, units_of(geometry), geometry.values)):
        simplified.add(constraint)
    if not all(simplified.masks):
        raise NoSolution
    arrays = _Builder(simplified, end).pack()
    arrays.state[L.RESTART] = patience
    return arrays


class _UnitData(NamedTuple):
    """The constraints of units, cached for all puzzles with these units: do not change them.

    - `numbers`: the constraints, as in CONSTRAINT_DATA.
    - `scheduled`: the offset and the queue of each constraint.
    - `sets`: the cells of each unit, as bits.
    """

    numbers: list[int]
    scheduled: list[tuple[int, int]]
    sets: list[int]


_MAX_CACHED_UNITS, _MAX_SAME_VALUES = 128, 200_000
"""Maximum number of units whose constraints are cached, and of numbers in SAME_VALUES constraints.

SAME_VALUES constraints follow from the units, so without some of them the search is only slower.
They grow with the square of the number of units: for 3,000 extra regions, to 44 million numbers.
"""


@lru_cache(maxsize=16)
def _cached_unit_data(units: tuple[Cells, ...]) -> _UnitData:
    return _unit_data(units, math.inf)


# Law of leftovers: two units hold the same values, and so do their remainders without the common
# cells. Jigsaw solvers apply it to several rows at once, this search to two units.
def _unit_data(units: Sequence[Cells], end: float) -> _UnitData:
    """The constraints of units and of pairs of overlapping units.

    After `end` on the monotonic clock, the remaining pairs are left out.
    """
    numbers: list[int] = []
    scheduled: list[tuple[int, int]] = []
    sets = [*map(set_of, units)]
    for unit in units:
        scheduled.append((len(numbers), L.SOON))
        numbers += L.UNIT, len(unit), *unit
    max_numbers = len(numbers) + _MAX_SAME_VALUES
    for index, unit_set in enumerate(sets):
        if len(numbers) > max_numbers or time.monotonic() > end:
            break
        for other_set in sets[index + 1 :]:
            if (unit_set & other_set).bit_count() > 1:
                rest = [*cells_in(unit_set & ~other_set)]
                other_rest = [*cells_in(other_set & ~unit_set)]
                scheduled.append((len(numbers), L.LATE))
                numbers += L.SAME_VALUES, len(rest) + len(other_rest), *rest, *other_rest, len(rest)
    return _UnitData(numbers, scheduled, sets)


class _Builder:
    """Collects the constraints of a puzzle as numbers, then packs them into arrays."""

    def __init__(self, simplified: Simplified, end: float) -> None:
        self._source = simplified
        self._end = end
        self._units = (*simplified.base.units, *simplified.units)
        can_cache = len(self._units) <= _MAX_CACHED_UNITS
        unit_data = _cached_unit_data(self._units) if can_cache else _unit_data(self._units, end)
        self._unit_sets = unit_data.sets
        self._blocks = [bit_tables()]
        self._block_offsets: dict[int, int] = {}
        self._end_of_blocks = L.DATA  # offset in `problem`
        self._numbers = [*unit_data.numbers]  # CONSTRAINT_DATA
        self._scheduled = [*unit_data.scheduled]  # (offset, queue) of each
        self._known_totals: set[tuple[tuple[tuple[int, int], ...], int]] = set()
        self._sets_offset = L.NOTHING
        self._scratch = self._widest_any_of = 1

    def pack(self) -> SearchArrays:
        """Build the arrays of all constraints. Raises NoSolution and TooLarge."""
        source = self._source
        for constraint in source.constraints:
            self._add_constraint(constraint, L.NORMAL)
        for terms, total in innies(source):
            self._add_sum(terms, total, L.LATE)
        for alternatives in source.choices:
            self._add_choice(alternatives)
        if not self._scheduled:  # without units and rules: the areas must not be empty
            self._add(L.ALLOWED, L.NORMAL, (0,), source.masks[0])
        return SearchArrays(*self._state_and_problem(), self._weights())

    def _add(self, kind: int, queue: int, cells: Sequence[int], *numbers: int) -> int:
        """Add a constraint. Returns its offset."""
        offset = len(self._numbers)
        self._numbers += (kind, len(cells), *cells, *numbers)
        if queue != _IN_ALTERNATIVE:
            queue = _QUEUE_OF_KIND.get(kind, queue) if queue == L.NORMAL else queue
            self._scheduled.append((offset, queue))
        if len(self._numbers) > MAX_NUMBERS:
            raise TooLarge("the rules take too much memory")
        return offset

    def _share(self, numbers: Numbers) -> int:
        """The offset in `problem` of numbers that constraints share. Adds them on first use."""
        offset = self._block_offsets.get(id(numbers))
        if offset is None:
            offset = self._block_offsets[id(numbers)] = self._end_of_blocks
            self._blocks.append(numbers)
            self._end_of_blocks += len(numbers)
            if self._end_of_blocks > MAX_NUMBERS:
                raise TooLarge("the rules take too much memory")
        return offset

    def _add_constraint(self, constraint: Constraint, queue: int) -> list[int]:
        """Add a constraint without alternatives. Returns the offsets of its parts.

        Raises NoSolution if it cannot hold, and TooLarge.
        """
        if time.monotonic() > self._end:
            raise TooLarge(OUT_OF_TIME)
        kind = type(constraint)
        if kind not in _ADD:
            raise TooLarge(f"the search does not support {kind.__name__}")
        return _ADD[kind](self, constraint, queue)

    def add_allowed(self, constraint: Allowed, queue: int) -> list[int]:
        cell, mask = constraint.cell, self._source.mask(constraint.values)
        if not mask & self._source.masks[cell]:
            raise NoSolution
        return [self._add(L.ALLOWED, queue, (cell,), mask)]

    def add_different(self, constraint: AllDifferent, queue: int) -> list[int]:
        cells = constraint.cells
        if len({*cells}) < len(cells) or len(cells) > len(self._source.values):
            raise NoSolution
        return [self._add(L.ALL_DIFFERENT, queue, cells)]

    def add_pairs(self, constraint: Pairs, queue: int) -> list[int]:
        related = self._source.relation(constraint)
        if related.is_trivial:
            return []
        tables = self._share(related.forwards), self._share(related.backwards)
        return [
            self._add(L.ALLOWED, queue, (a,), related.equal)
            if a == b
            else self._add(L.PAIR, queue, (a, b), *tables)
            for a, b in constraint.pairs
        ]

    def add_at_least(self, constraint: AtLeast, queue: int) -> list[int]:
        cells, bit = constraint.cells, self._source.mask((constraint.value,))
        if constraint.minimum <= 0:
            return []
        if not bit or constraint.minimum > len(cells):
            raise NoSolution
        return [self._add(L.AT_LEAST, queue, cells, bit, constraint.minimum)]

    def add_same_counts(self, constraint: SameTotals, queue: int) -> list[int]:
        parts, counted = constraint.parts, constraint.counted
        bits = 0 if counted is None else self._source.mask((counted,))
        if len(parts) < 2 or not bits:
            return []
        cells = [*chain.from_iterable(parts)]
        return [self._add(L.SAME_COUNTS, queue, cells, bits, len(parts), *map(len, parts))]

    def add_one_of_sets(self, constraint: OneOfSets, queue: int) -> list[int]:
        cells, sets = tuple(dict.fromkeys(constraint.cells)), constraint.sets
        if not cells and not all(sets):
            return []
        masks = [
            mask
            for values in sets
            if 0 < (mask := self._source.mask(values)).bit_count() == len({*values}) <= len(cells)
        ]
        if not masks:
            raise NoSolution
        begin = self._share(np.array(masks, np.int64))
        return [
            self._add(L.ONE_OF_SETS, queue, cells, begin, begin + len(masks), *self._context(cells))
        ]

    def add_automaton(self, constraint: Automaton, queue: int) -> list[int]:
        cells = constraint.cells
        key = AutomatonKey(
            constraint.start, constraint.step, constraint.accepted, constraint.numbers
        )
        layers = automaton_layers(key, len(cells), self._source.values)
        if layers is None:
            raise NoSolution
        if not cells:
            return []
        self._scratch = max(self._scratch, int(layers[0]))
        return [self._add(L.AUTOMATON, queue, cells, self._share(layers))]

    def add_connected(self, constraint: Connected, queue: int) -> list[int]:
        cells, size = constraint.cells, constraint.size
        inside = self._source.mask(constraint.values)
        if not inside or (size is not None and not 0 < size <= len(cells)):
            raise NoSolution
        positions = {cell: index for index, cell in enumerate(cells)}
        neighbours = constraint.neighbours()
        offsets = [*accumulate((len(neighbours[cell]) for cell in cells), initial=len(cells) + 1)]
        listed = (positions[other] for cell in cells for other in neighbours[cell])
        self._scratch = max(self._scratch, CONNECTED_SCRATCH * len(cells))
        return [self._add(L.CONNECTED, queue, cells, inside, size or 0, *offsets, *listed)]

    def add_different_pairs(self, constraint: DifferentPairs, queue: int) -> list[int]:
        if len(constraint.pairs) > len(self._source.values) ** 2:
            raise NoSolution
        if len(constraint.pairs) < 2:
            return []
        return [self._add(L.DIFFERENT_PAIRS, queue, [*chain.from_iterable(constraint.pairs)])]

    def add_count_of_equal(self, constraint: CountOfEqual, queue: int) -> list[int]:
        cells, arms = [*constraint.scope()], constraint.arms
        offset = self._source.values[0] + constraint.offset
        self._scratch = max(self._scratch, len(cells))
        numbers = offset, constraint.unbroken, len(arms), *map(len, arms)
        return [self._add(L.COUNT_OF_EQUAL, queue, cells, *numbers)]

    def add_ranked(self, constraint: Ranked, queue: int) -> list[int]:
        bit, length = self._source.mask((constraint.first,)), len(constraint.line)
        if not bit or not 0 <= constraint.rank <= len(constraint.other_lines):
            raise NoSolution
        numbers = bit, constraint.rank, constraint.may_tie, length
        return [self._add(L.RANKED, queue, [*constraint.scope()], *numbers)]

    def add_total(self, constraint: Total, queue: int) -> list[int]:
        return self._add_sum(weights_of(constraint), constraint.total, queue)

    def _add_sum(self, terms: Terms, total: int, queue: int) -> list[int]:
        """Add a weighted sum of values, converted to a sum of their indices."""
        terms = {cell: weight for cell, weight in sorted(terms.items()) if weight}
        if not terms:
            if total:
                raise NoSolution
            return []
        values, weights = self._source.values, terms.values()
        if max(abs(total), sum(map(abs, weights)) * max(map(abs, values))) > MAX_SUM:
            raise TooLarge("the numbers in a sum are too large")
        if queue != _IN_ALTERNATIVE:
            key = tuple(terms.items()), total
            if key in self._known_totals:
                return []
            self._known_totals.add(key)
        groups = self._groups(terms)
        numbers, contexts = [total - values[0] * sum(weights), len(groups)], list[int]()
        for weight, cells in groups:
            has_sets = self._use_sets(len(cells), len(groups))
            numbers += len(cells), weight, has_sets
            contexts += self._context(cells) if has_sets else [0]
        scope = [cell for _, cells in groups for cell in cells]
        return [self._add(L.TOTAL, queue, scope, *numbers, *contexts)]

    def _context(self, cells: Sequence[int]) -> list[int]:
        """The context of a group of cells, see `layout`: the other cells of the units around it."""
        if len(cells) < 2:
            return [0]
        group = set_of(cells)
        rests = [unit & ~group for unit in self._unit_sets if not group & ~unit and unit != group]
        return [len(rests), *chain.from_iterable((r.bit_count(), *cells_in(r)) for r in rests)]

    def _use_sets(self, length: int, groups: int) -> int:
        """Whether the sets of values of a group are used. Builds their table on first use."""
        count = len(self._source.values)
        if length == 1 or count > (_MAX_UNGROUPED if groups > 1 else MAX_VALUES_WITH_SETS):
            return 0
        if self._sets_offset == L.NOTHING:
            masks, offsets = sets_by_sum(count)
            self._sets_offset = self._share(offsets + self._share(masks))
        return 1

    # Greedy: as long as many cells are left, the largest group within a unit is taken. Then each
    # other cell joins the first group whose cells are all its peers. Large groups have tight
    # bounds.
    def _groups(self, terms: Terms) -> list[Group]:
        """Groups of cells that differ and have the same weight, large weights first."""
        peers, remaining = self._source.peers, dict(terms)
        groups: list[tuple[int, list[int], int]] = []  # weight, cells, common peers
        while len(remaining) > _MAX_UNGROUPED:
            same_weight = self._equal_weights_by_unit(remaining)
            weight, cells = max(same_weight, key=lambda group: len(group[1]), default=(0, []))
            if len(cells) < 2:
                break
            common_peers = L.NOTHING
            for cell in cells:
                common_peers &= peers[cell]
                del remaining[cell]
            groups.append((weight, cells, common_peers))
        for cell, weight in remaining.items():
            for index, (group_weight, cells, common_peers) in enumerate(groups):
                if group_weight == weight and common_peers >> cell & 1:
                    groups[index] = weight, [*cells, cell], common_peers & peers[cell]
                    break
            else:
                groups.append((weight, [cell], peers[cell]))
        groups.sort(key=lambda group: -abs(group[0]))
        return [(weight, cells) for weight, cells, _ in groups]

    def _equal_weights_by_unit(self, terms: Terms) -> Iterator[Group]:
        """Yield, for each unit, its cells grouped by weight."""
        for unit in self._units:
            by_weight: dict[int, list[int]] = {}
            for cell in unit:
                if cell in terms:
                    by_weight.setdefault(terms[cell], []).append(cell)
            yield from by_weight.items()

    def _add_choice(self, alternatives: list[list[Constraint]]) -> None:
        """Add an ANY_OF constraint. Raises NoSolution if no alternative can hold."""
        count, numbers = 0, list[int]()
        scope: dict[int, None] = {}
        for alternative in alternatives:
            allowed_first = sorted(alternative, key=lambda part: not isinstance(part, Allowed))
            try:
                offsets = [
                    offset
                    for part in allowed_first
                    for offset in self._add_constraint(part, _IN_ALTERNATIVE)
                ]
            except NoSolution:
                continue
            if not offsets:
                return  # an alternative that always holds
            for offset in offsets:
                scope |= dict.fromkeys(self._scope(offset))
            count += 1
            numbers += len(offsets), *offsets
        if not count:
            raise NoSolution
        self._widest_any_of = max(self._widest_any_of, len(scope))
        self._add(L.ANY_OF, L.NORMAL, tuple(scope), count, *numbers)

    def _scope(self, offset: int) -> list[int]:
        first = offset + L.SCOPE
        return self._numbers[first : first + self._numbers[offset + L.SCOPE_LENGTH]]

    def _state_and_problem(self) -> tuple[Numbers, Numbers]:
        """The arrays `state` and `problem`."""
        size, count = len(self._source.masks), len(self._source.values)
        constraints = len(self._scheduled)
        set_words = -(-size // L.CELLS_IN_WORD)
        offsets, queues = np.array(self._scheduled, np.int64).T
        watcher_offsets, watchers = self._watchers()
        areas = {
            L.CONSTRAINT_DATA: np.array(self._numbers, np.int64),
            L.OFFSETS: offsets + self._end_of_blocks,
            L.QUEUES_OF: queues,
            L.PEERS: self._peer_words(set_words),
        }
        watcher_list = self._end_of_blocks + sum(map(len, areas.values())) + len(watcher_offsets)
        areas[L.WATCHERS] = watcher_offsets + watcher_list
        problem = np.concatenate([*self._blocks, *areas.values(), watchers])
        end = self._end_of_blocks
        for name, numbers in areas.items():
            problem[name] = end
            end += len(numbers)
        sizes = {
            L.SIZE: size,
            L.VALUES: count,
            L.CONSTRAINTS: constraints,
            L.UNITS: len(self._units),
            L.SET_WORDS: set_words,
            L.SETS_STRIDE: count * (count - 1) // 2 + 2,
            L.SETS: self._sets_offset,
        }
        lengths = {
            L.FIXED_STACK: size,
            L.IS_QUEUED: constraints,
            L.QUEUE_RINGS: L.QUEUES * constraints,
            L.SAVED_CELLS: size * (size + 1),
            L.DECISIONS: 2 * (size + 1),
            L.SCRATCH: self._scratch,
            L.PROBED: 2 * self._widest_any_of,
        }
        end = L.CELLS + size
        for name, length in lengths.items():
            problem[name] = end
            end += length
        for name, number in sizes.items():
            problem[name] = number
        state = np.zeros(end, np.int64)
        state[L.CELLS : L.CELLS + size] = self._source.masks
        return state, problem

    def _peer_words(self, words: int) -> Numbers:
        """The numbers of PEERS: SET_WORDS for each cell."""
        word = (1 << L.CELLS_IN_WORD) - 1
        shifts = [L.CELLS_IN_WORD * index for index in range(words)]
        peers = [cells >> shift & word for cells in self._source.peers for shift in shifts]
        return np.array(peers, np.int64)

    def _watchers(self) -> tuple[Numbers, Numbers]:
        """The offsets and the list of WATCHERS."""
        scopes = [self._scope(offset) for offset, _ in self._scheduled]
        is_late = np.array([queue == L.LATE for _, queue in self._scheduled])
        constraints = np.repeat(np.arange(len(scopes)), [*map(len, scopes)])
        keys = 2 * np.array([*chain.from_iterable(scopes)], np.int64) + is_late[constraints]
        order = np.argsort(keys, kind="stable")
        offsets = np.searchsorted(keys[order], np.arange(2 * len(self._source.masks) + 1))
        return offsets, constraints[order]

    def _weights(self) -> NDArray[np.float64]:
        """The initial weights of the cells.

        Cells in many and long constraints weigh most. Constraints on the whole grid do not count.
        """
        weights, count = [1.0] * len(self._source.masks), len(self._source.values)
        for offset, _ in self._scheduled:
            kind, length = self._numbers[offset + L.KIND], self._numbers[offset + L.SCOPE_LENGTH]
            if kind in {L.SAME_VALUES, L.CONNECTED, L.DIFFERENT_PAIRS}:  # on the whole grid
                continue
            weight = 2 * length if kind == L.SAME_COUNTS else length
            if kind == L.TOTAL:
                weight = max(2 * count - length, count)
            for cell in self._scope(offset):
                weights[cell] += weight
        return np.array(weights)


_ADD: dict[type[Constraint], Callable[[_Builder, Any, int], list[int]]] = {
    Allowed: _Builder.add_allowed,
    AllDifferent: _Builder.add_different,
    Pairs: _Builder.add_pairs,
    AtLeast: _Builder.add_at_least,
    SameTotals: _Builder.add_same_counts,
    OneOfSets: _Builder.add_one_of_sets,
    Automaton: _Builder.add_automaton,
    Total: _Builder.add_total,
    Connected: _Builder.add_connected,
    DifferentPairs: _Builder.add_different_pairs,
    CountOfEqual: _Builder.add_count_of_equal,
    Ranked: _Builder.add_ranked,
}
