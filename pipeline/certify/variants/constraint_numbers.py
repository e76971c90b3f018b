"""Encode the constraints of a variant as numbers, which `layout` describes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import accumulate, chain
from operator import and_, eq
from typing import Any

import numpy as np

from pipeline.certify.exhaustive import OUT_OF_TIME
from pipeline.certify.variants import layout as L
from pipeline.certify.variants.group_propagators import PEERS_SCRATCH
from pipeline.certify.variants.groups import (
    Covers,
    are_peers,
    self_counting_sets,
    visible_automaton,
)
from pipeline.certify.variants.innies import Terms, innies
from pipeline.certify.variants.rank_numbers import (
    Edge,
    comparable_pairs,
    encode_rank,
    ranked_lines,
)
from pipeline.certify.variants.region_propagators import CONNECTED_SCRATCH
from pipeline.certify.variants.simplify import NoSolution, SimplifiedConstraints
from pipeline.certify.variants.unit_numbers import encode_units
from pipeline.certify.variants.value_tables import (
    MAX_VALUES_WITH_SETS,
    AutomatonKey,
    Numbers,
    TooLarge,
    automaton_layers,
    bit_tables,
    nondeterministic_layers,
    sets_by_sum,
    unions_of_parts,
)
from pipeline.puzzle.connected import Connected, DifferentPairs, EqualToAny
from pipeline.puzzle.constraints import (
    AllDifferent,
    Allowed,
    AtLeast,
    Automaton,
    Cells,
    Constraint,
    HoldsEachPart,
    NondeterministicAutomaton,
    OneOfSets,
    Pairs,
    Ranked,
)
from pipeline.puzzle.counts import CountsItself, Occurrences, Visible
from pipeline.puzzle.geometry import bits_of
from pipeline.puzzle.line_sums import SegmentSums, SumBetweenExtremes
from pipeline.puzzle.sums import CountOfEqual, CountOfValues, SameTotals, Total

MAX_NUMBERS = 2_000_000
MAX_SUM = 1 << 40
"""Maximum length of all constraints, or of all tables, and maximum absolute value in a sum.
TooLarge is raised if one is exceeded. Masks always fit into a number, because sides are at most
31."""

_IN_ALTERNATIVE = L.NONE
"""The queue of constraints in alternatives. Only their ANY_OF is scheduled."""

_QUEUE_OF_KIND = {
    L.PAIR: L.EARLY,
    **dict.fromkeys((L.TOTAL, L.ONE_OF_SETS, L.MIN_COUNTS, L.SEGMENT_SUMS, L.SUM_BETWEEN), L.SOON),
}
"""The queue of each cheap kind of constraint, instead of NORMAL. With sum lines and sandwiches in
SOON, their puzzles take half the time, because failures then give weight to the cells of the lines.
EARLY is no better."""

_MAX_UNGROUPED_CELLS = 9
"""The cells of a sum with more cells than this are first grouped by units. If a puzzle has more
values than this, sets of values are listed only for sums of one group."""

Group = tuple[int, list[int]]
"""A weight, and cells of a sum that have this weight and must differ."""


class ConstraintNumbers:
    """Encodes the constraints of a puzzle, and the tables that they share; see `layout`.

    - `numbers`: the encoded constraints, one after another.
    - `scheduled`: the offset and the queue of each constraint that can be scheduled.
    - `blocks`: the start of `problem` up to `end_of_blocks`: bit tables, then shared tables.
    - `sets_offset`: the offset of SETS_BY_SUM, or NONE.
    - `scratch`: length of the working memory that propagators need.
    - `memory`: length of MEMORY.
    - `max_any_of_cells`: maximum number of cells of an ANY_OF.
    - `edges`: the edges of ranked lines, an ordered set.
    """

    def __init__(self, simplified: SimplifiedConstraints, end: float) -> None:
        self.source = simplified
        self._end = end
        self.units = simplified.all_units()
        self._unit_numbers = encoded_units = encode_units(self.units, deadline=end)
        self.blocks = [bit_tables()]
        self._block_offsets: dict[int, int] = {}
        self.end_of_blocks = L.DATA
        self.numbers = [*encoded_units.numbers]
        self.scheduled = [*encoded_units.scheduled]
        self._covers = Covers(simplified)
        self._known_totals = set[tuple[Terms, int]]()
        self.sets_offset = L.NONE
        self.scratch = self.max_any_of_cells = 1
        self.edges: dict[Edge, None] = {}
        self.memory = 0

    def add_all(self) -> None:
        """Add all constraints. Raises NoSolution and TooLarge."""
        source = self.source
        for constraint in source.constraints:
            self._add_constraint(constraint, L.NORMAL)
        for small, large in comparable_pairs(source.constraints):
            self.add_order(small, large)
        for terms, total in innies(source, self.units):
            self._add_sum(terms, total, L.LATE)
        for alternatives in source.choices:
            self._add_any_of(alternatives)
        if not self.scheduled:  # the areas of `problem` must not be empty
            self._add_encoded(L.ONE_OF_VALUES, L.NORMAL, (0,), source.masks[0])

    def _add_encoded(self, kind: int, queue: int, cells: Sequence[int], *numbers: int) -> int:
        """Add an encoded constraint. Returns its offset. Raises TooLarge."""
        offset = len(self.numbers)
        self.numbers += (kind, len(cells), *cells, *numbers)
        if queue != _IN_ALTERNATIVE:
            queue = _QUEUE_OF_KIND.get(kind, queue) if queue == L.NORMAL else queue
            self.scheduled.append((offset, queue))
        if len(self.numbers) > MAX_NUMBERS:
            raise TooLarge("the rules take too much memory")
        return offset

    def _add_table(self, numbers: Numbers) -> int:
        """Return the offset in `problem` of a shared table. Adds the table if it is new."""
        offset = self._block_offsets.get(id(numbers))
        if offset is None:
            offset = self._block_offsets[id(numbers)] = self.end_of_blocks
            self.blocks.append(numbers)
            self.end_of_blocks += len(numbers)
            if self.end_of_blocks > MAX_NUMBERS:
                raise TooLarge("the rules take too much memory")
        return offset

    def _add_constraint(self, constraint: Constraint, queue: int) -> list[int]:
        """Add a constraint without alternatives. Returns the offsets of the encoded constraints.

        Raises NoSolution if the constraint cannot hold, and TooLarge.
        """
        if time.monotonic() > self._end:
            raise TooLarge(OUT_OF_TIME)
        kind = type(constraint)
        if kind not in _ADDERS:
            raise TooLarge(f"the search does not support {kind.__name__}")
        return _ADDERS[kind](self, constraint, queue)

    def add_allowed(self, constraint: Allowed, queue: int) -> list[int]:
        cell, mask = constraint.cell, self.source.mask(constraint.values)
        if not mask & self.source.masks[cell]:
            raise NoSolution
        return [self._add_encoded(L.ONE_OF_VALUES, queue, (cell,), mask)]

    def add_different(self, constraint: AllDifferent, queue: int) -> list[int]:
        cells = constraint.cells
        if len({*cells}) < len(cells) or len(cells) > len(self.source.values):
            raise NoSolution
        return [self._add_encoded(L.ALL_DIFFERENT, queue, cells)]

    def add_pairs(self, constraint: Pairs, queue: int) -> list[int]:
        related = self.source.relation(constraint)
        if related.is_trivial:
            return []
        tables = self._add_table(related.forwards), self._add_table(related.backwards)
        return [
            self._add_encoded(L.ONE_OF_VALUES, queue, (a,), related.self_related)
            if a == b
            else self._add_encoded(L.PAIR, queue, (a, b), *tables)
            for a, b in constraint.pairs
        ]

    def add_at_least(self, constraint: AtLeast, queue: int) -> list[int]:
        cells, bit = constraint.cells, self.source.mask((constraint.value,))
        if constraint.minimum <= 0:
            return []
        if not bit or constraint.minimum > len(cells):
            raise NoSolution
        if constraint.minimum == 1:
            return [self._add_encoded(L.MIN_COUNTS, queue, cells, 1, 1, bit)]
        times = constraint.value, constraint.minimum
        return self.add_occurrences(Occurrences(cells, *times, exactly=False), queue)

    def add_occurrences(self, constraint: Occurrences, queue: int) -> list[int]:
        cells, bit = constraint.cells, self.source.mask((constraint.value,))
        minimum = constraint.times
        maximum = minimum if constraint.exactly else len(cells)
        if minimum <= 0 and not (constraint.exactly and bit):
            return []
        if not bit or minimum > len(cells):
            raise NoSolution
        covers = self._add_table(self._covers.table_of(cells))
        return [self._add_encoded(L.OCCURRENCES, queue, cells, bit, minimum, maximum, covers)]

    def add_counts_itself(self, constraint: CountsItself, queue: int) -> list[int]:
        cells, values, begin, end = constraint.cells, self.source.values, L.NONE, L.NONE
        if not cells:
            return []
        sets = self_counting_sets(values, len(cells), self._covers.of(cells))
        if sets is not None:
            if not sets:
                raise NoSolution
            begin = self._add_table(np.array([*map(self.source.mask, sets)], np.int64))
            end = begin + len(sets)
        self.scratch = max(self.scratch, 3 * len(values))
        covers = self._add_table(self._covers.table_of(cells))
        return [self._add_encoded(L.COUNTS_ITSELF, queue, cells, values[0], begin, end, covers)]

    def add_visible(self, constraint: Visible, queue: int) -> list[int]:
        lowest_value, peers = self.source.values[0], self.source.peers
        return self.add_automaton(visible_automaton(constraint, lowest_value, peers), queue)

    def add_same_counts(self, constraint: SameTotals, queue: int) -> list[int]:
        parts, counted = constraint.parts, constraint.counted_value
        bits = 0 if counted is None else self.source.mask((counted,))
        if len(parts) < 2 or not bits:
            return []
        cells = [*chain.from_iterable(parts)]
        return [self._add_encoded(L.SAME_COUNTS, queue, cells, bits, len(parts), *map(len, parts))]

    def add_one_of_sets(self, constraint: OneOfSets, queue: int) -> list[int]:
        cells, sets = tuple(dict.fromkeys(constraint.cells)), constraint.sets
        if not cells and not all(sets):
            return []
        masks = [
            mask
            for values in sets
            if 0 < (mask := self.source.mask(values)).bit_count() == len({*values}) <= len(cells)
        ]
        if not masks:
            raise NoSolution
        begin = self._add_table(np.array(masks, np.int64))
        return [
            self._add_encoded(
                L.ONE_OF_SETS,
                queue,
                cells,
                begin,
                begin + len(masks),
                *self._unit_numbers.context(cells),
            )
        ]

    def add_automaton(self, constraint: Automaton, queue: int) -> list[int]:
        cells = constraint.cells
        key = AutomatonKey(
            constraint.start, constraint.step, constraint.accepted, constraint.numbers
        )
        layers = automaton_layers(key, len(cells), self.source.values)
        if layers is None:
            raise NoSolution
        if not cells:
            return []
        return [self._add_layers(cells, layers, queue)]

    def _add_layers(self, cells: Cells, layers: Numbers, queue: int) -> int:
        """Add an automaton in the format of `layout`. Returns the offset of the constraint."""
        kind, numbers = L.AUTOMATON, 1
        if len({*cells}) == len(cells) and are_peers(bits_of(cells), self.source.peers):
            kind, numbers = L.AUTOMATON_OF_PEERS, PEERS_SCRATCH
        self.scratch = max(self.scratch, numbers * int(layers[0]))
        return self._add_encoded(kind, queue, cells, self._add_table(layers))

    def add_nondeterministic(self, constraint: NondeterministicAutomaton, queue: int) -> list[int]:
        layers = nondeterministic_layers(constraint, self.source.values)
        if layers is None:
            raise NoSolution
        return [self._add_layers(constraint.cells, layers, queue)]

    def add_connected(self, constraint: Connected, queue: int) -> list[int]:
        cells, size = constraint.cells, constraint.size
        inside = self.source.mask(constraint.values)
        if not inside or (size is not None and not 0 < size <= len(cells)):
            raise NoSolution
        positions = {cell: index for index, cell in enumerate(cells)}
        neighbours = constraint.neighbours()
        offsets = [*accumulate((len(neighbours[cell]) for cell in cells), initial=len(cells) + 1)]
        listed = [positions[other] for cell in cells for other in neighbours[cell]]
        next_equal = [positions[cell] for cell in self.source.rings_of_equal(cells)]
        self.scratch = max(self.scratch, CONNECTED_SCRATCH * len(cells))
        numbers = inside, size or 0, *offsets, *listed, *next_equal, self.memory
        self.memory += 2 * -(-len(cells) // L.CELLS_PER_WORD)
        return [self._add_encoded(L.CONNECTED, queue, cells, *numbers)]

    def add_different_pairs(self, constraint: DifferentPairs, queue: int) -> list[int]:
        if len(constraint.pairs) > len(self.source.values) ** 2:
            raise NoSolution
        if len(constraint.pairs) < 2:
            return []
        return [
            self._add_encoded(L.DIFFERENT_PAIRS, queue, [*chain.from_iterable(constraint.pairs)])
        ]

    def add_count_of_equal(self, constraint: CountOfEqual, queue: int) -> list[int]:
        cells, arms = [*constraint.scope()], constraint.arms
        offset = self.source.values[0] + constraint.offset
        self.scratch = max(self.scratch, len(cells))
        numbers = offset, constraint.unbroken, len(arms), *map(len, arms)
        return [self._add_encoded(L.COUNT_OF_EQUAL, queue, cells, *numbers)]

    def add_equal_to_any(self, constraint: EqualToAny, queue: int) -> list[int]:
        cells = constraint.cell, *constraint.other_cells
        if constraint.cell in constraint.other_cells:
            return []
        return [self._add_encoded(L.EQUAL_TO_ANY, queue, cells)]

    def add_count_of_values(self, constraint: CountOfValues, queue: int) -> list[int]:
        cells = constraint.counter, *dict.fromkeys(constraint.cells)
        return [self._add_encoded(L.COUNT_OF_VALUES, queue, cells, self.source.values[0])]

    def add_each_part(self, constraint: HoldsEachPart, queue: int) -> list[int]:
        cells = tuple(dict.fromkeys(constraint.cells))
        unions = unions_of_parts(constraint.parts, self.source.values)
        if not all(mask for _, mask in unions) or len(constraint.parts) > len(cells):
            raise NoSolution
        if not unions:
            return []
        numbers = chain.from_iterable(unions)
        return [self._add_encoded(L.MIN_COUNTS, queue, cells, len(unions), *numbers)]

    def add_segment_sums(self, constraint: SegmentSums, queue: int) -> list[int]:
        cells = constraint.cells
        if not cells:
            return []
        self.scratch = max(self.scratch, 2 * len(cells))
        numbers = constraint.total, constraint.is_loop, self.source.values[0]
        return [self._add_encoded(L.SEGMENT_SUMS, queue, cells, *numbers)]

    def add_sum_between(self, constraint: SumBetweenExtremes, queue: int) -> list[int]:
        cells, total = constraint.cells, constraint.total
        values = self.source.values
        if not (2 <= len(cells) <= len(values) and 0 <= total <= sum(values)):
            raise NoSolution
        self._use_sets(len(cells), 1)
        self.scratch = max(self.scratch, len(cells))
        return [self._add_encoded(L.SUM_BETWEEN, queue, cells, total, values[0])]

    def add_ranked(self, constraint: Ranked, queue: int) -> list[int]:
        bit = self.source.mask((constraint.first,))
        if not bit or not 0 <= constraint.rank <= len(constraint.other_lines):
            raise NoSolution
        encoded = encode_rank(constraint, bit, self.source.whole_units())
        if queue != _IN_ALTERNATIVE:
            self.edges |= dict.fromkeys(encoded.edges)
        return [self._add_encoded(L.RANKED, queue, encoded.scope, *encoded.numbers)]

    def add_order(self, small: Ranked, large: Ranked) -> None:
        """Add the order of two lines that `comparable_pairs` yields."""
        if small.rank == large.rank:
            pairs = tuple(zip(small.line, large.line, strict=True))
            self._add_constraint(Pairs(pairs, eq), L.NORMAL)
        else:
            lines = frozenset((small.line, *small.other_lines))
            are_different = ranked_lines(lines, self.source.whole_units()).are_different
            used = self.source.mask((small.first,)) if are_different else 0
            self._add_encoded(L.INCREASING, L.NORMAL, [*small.line, *large.line], used)

    def add_total(self, constraint: Total, queue: int) -> list[int]:
        terms = [term for term in sorted(constraint.weights().items()) if term[1]]
        return self._add_sum(tuple(terms), constraint.total, queue)

    def _add_sum(self, terms: Terms, total: int, queue: int) -> list[int]:
        """Add a weighted sum of values, converted to a sum of their indices.

        Returns the offset of the constraint; no offset if the sum is trivial or was added before.
        Raises NoSolution if the sum has no terms and its total is not 0, and TooLarge.
        """
        if not terms:
            if total:
                raise NoSolution
            return []
        values, weights = self.source.values, [weight for _, weight in terms]
        if abs(total) > MAX_SUM or sum(map(abs, weights)) * values[-1] > MAX_SUM:
            raise TooLarge("the numbers in a sum are too large")
        if queue != _IN_ALTERNATIVE:
            if (terms, total) in self._known_totals:
                return []
            self._known_totals.add((terms, total))
        groups = self._divide_into_groups(terms)
        scope, contexts = list[int](), list[int]()
        numbers = [total - values[0] * sum(weights), len(groups)]
        for weight, cells in groups:
            has_sets = self._use_sets(len(cells), len(groups))
            numbers += len(cells), weight, has_sets
            contexts += self._unit_numbers.context(tuple(cells)) if has_sets else (0,)
            scope += cells
        return [self._add_encoded(L.TOTAL, queue, scope, *numbers, *contexts)]

    def _use_sets(self, length: int, group_count: int) -> int:
        """Return 1 if the propagator is to list the sets of values of a group, else 0.

        Adds the table of sets when it is first needed. `length` is the number of cells of the
        group, `group_count` the number of groups of the sum.
        """
        if length == 1:
            return 0
        count = len(self.source.values)
        if count > (_MAX_UNGROUPED_CELLS if group_count > 1 else MAX_VALUES_WITH_SETS):
            return 0
        if self.sets_offset == L.NONE:
            masks, offsets = sets_by_sum(count)
            self.sets_offset = self._add_table(offsets + self._add_table(masks))
        return 1

    # A greedy search, because large groups have tight bounds. While many cells remain, choose the
    # largest group within a unit. Then add each remaining cell to the first group of its weight
    # whose cells are all its peers.
    def _divide_into_groups(self, terms: Terms) -> list[Group]:
        """Divide the cells of a sum into groups, ordered by decreasing absolute weight."""
        peers, groups = self.source.peers, list[Group]()
        common = list[int]()  # for each group, the peers of all its cells
        while len(terms) > _MAX_UNGROUPED_CELLS:
            same_weight = self._equal_weights_by_unit(dict(terms))
            weight, cells = max(same_weight, key=lambda group: len(group[1]), default=(0, []))
            if len(cells) < 2:
                break
            groups.append((weight, cells))
            common.append(reduce(and_, [peers[cell] for cell in cells]))
            terms = tuple([term for term in terms if term[0] not in cells])
        for cell, weight in terms:
            for index, (group_weight, cells) in enumerate(groups):
                if group_weight == weight and common[index] >> cell & 1:
                    cells.append(cell)
                    common[index] &= peers[cell]
                    break
            else:
                groups.append((weight, [cell]))
                common.append(peers[cell])
        if len(groups) > 1:
            groups.sort(key=lambda group: -abs(group[0]))
        return groups

    def _equal_weights_by_unit(self, weights: dict[int, int]) -> Iterator[Group]:
        """Yield a group for each unit and weight: the cells of the unit with this weight."""
        for unit in self.units:
            by_weight: dict[int, list[int]] = {}
            for cell in unit.cells:
                if cell in weights:
                    by_weight.setdefault(weights[cell], []).append(cell)
            yield from by_weight.items()

    def _add_any_of(self, alternatives: list[list[Constraint]]) -> None:
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
                return  # this alternative always holds
            for offset in offsets:
                scope |= dict.fromkeys(self.scope(offset))
            count += 1
            numbers += len(offsets), *offsets
        if not count:
            raise NoSolution
        self.max_any_of_cells = max(self.max_any_of_cells, len(scope))
        self._add_encoded(L.ANY_OF, L.NORMAL, tuple(scope), count, *numbers)

    # In many puzzles, most of the numbers are those of units, so the arrays of units are cached
    # too.
    def arrays(self) -> tuple[Numbers, Numbers]:
        """Return `numbers` and `scheduled` as arrays, the latter with two columns."""
        numbers, scheduled = self._unit_numbers.arrays
        rest = np.array(self.numbers[len(numbers) :], np.int64)
        rest_scheduled = np.array(self.scheduled[len(scheduled) :], np.int64).reshape(-1, 2)
        return np.concatenate([numbers, rest]), np.concatenate([scheduled, rest_scheduled])

    def scope(self, offset: int) -> list[int]:
        """Return the cells of the constraint at an offset."""
        first = offset + L.SCOPE
        return self.numbers[first : first + self.numbers[offset + L.SCOPE_LENGTH]]


_ADDERS: dict[type[Constraint], Callable[[ConstraintNumbers, Any, int], list[int]]] = {
    Allowed: ConstraintNumbers.add_allowed,
    AllDifferent: ConstraintNumbers.add_different,
    Pairs: ConstraintNumbers.add_pairs,
    AtLeast: ConstraintNumbers.add_at_least,
    SameTotals: ConstraintNumbers.add_same_counts,
    OneOfSets: ConstraintNumbers.add_one_of_sets,
    Automaton: ConstraintNumbers.add_automaton,
    NondeterministicAutomaton: ConstraintNumbers.add_nondeterministic,
    Total: ConstraintNumbers.add_total,
    Connected: ConstraintNumbers.add_connected,
    DifferentPairs: ConstraintNumbers.add_different_pairs,
    CountOfEqual: ConstraintNumbers.add_count_of_equal,
    CountOfValues: ConstraintNumbers.add_count_of_values,
    EqualToAny: ConstraintNumbers.add_equal_to_any,
    Ranked: ConstraintNumbers.add_ranked,
    Occurrences: ConstraintNumbers.add_occurrences,
    CountsItself: ConstraintNumbers.add_counts_itself,
    Visible: ConstraintNumbers.add_visible,
    HoldsEachPart: ConstraintNumbers.add_each_part,
    SegmentSums: ConstraintNumbers.add_segment_sums,
    SumBetweenExtremes: ConstraintNumbers.add_sum_between,
}
"""The method that encodes each kind of constraint."""
