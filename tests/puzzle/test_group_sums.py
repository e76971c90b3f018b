"""Sums of cells that hold different values: their literals, and the sums that rest on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.cases import for_each
from support.strategies import examples

from pipeline.errors import LimitReached
from pipeline.puzzle.builder import ClauseBuilder, ClauseLimits
from pipeline.puzzle.connected import DifferentPairs
from pipeline.puzzle.constraints import AnyOf, Constraint
from pipeline.puzzle.counts import CountsItself, Occurrences, Visible
from pipeline.puzzle.group_sums import (
    define_counts,
    define_sums,
    partition,
    possible_sums,
    require_total,
)
from pipeline.puzzle.sums import SameTotals, Total

Values = tuple[int, ...]

SIDE, CELLS = 4, 6
PARTS, WHOLE = ((0, 1, 2), (2, 3, 4)), ((0, 1, 2, 3), (3, 4, 5))
"""Units with three of the four values, and with all values."""

units = st.sampled_from((PARTS, WHOLE))
cell = st.integers(0, CELLS - 1)


def builder(side: int = SIDE, cells: int = CELLS, lowest: int = 1, units=PARTS) -> ClauseBuilder:
    return ClauseBuilder(side, cells, lowest=lowest, units=units)


def solver_of(clauses: ClauseBuilder) -> Minisat22:
    """A solver of the clauses in which each cell holds one value, and those of a unit differ."""
    solver = Minisat22(bootstrap_with=clauses.clauses)
    cells = range(clauses.candidates // clauses.side)
    for index in cells:
        held = [clauses.literal(index, value) for value in clauses.values]
        solver.add_clause(held)
        for a, b in combinations(held, 2):
            solver.add_clause([-a, -b])
    for unit in clauses.units:
        for (a, b), value in product(combinations(unit, 2), clauses.values):
            solver.add_clause([-clauses.literal(a, value), -clauses.literal(b, value)])
    return solver


def assignments(clauses: ClauseBuilder) -> Iterator[Values]:
    """All assignments of which the cells of each unit differ."""
    for held in product(clauses.values, repeat=clauses.candidates // clauses.side):
        if all(len({held[cell] for cell in unit}) == len(unit) for unit in clauses.units):
            yield held


def check(
    constraints: list[Constraint],
    means: Callable[[Values], bool],
    units=PARTS,
    lowest: int = 1,
) -> None:
    """Check which assignments the clauses allow, and that under a condition only that changes."""
    clauses, conditional = (builder(lowest=lowest, units=units) for _ in range(2))
    condition = conditional.new_variable()
    for each in constraints:
        each.encode(clauses)
        with conditional.condition(condition):
            each.encode(conditional)
    with solver_of(clauses) as plain, solver_of(conditional) as free:
        for held in assignments(clauses):
            literals = [*map(clauses.literal, range(CELLS), held)]
            meant = means(held)
            assert plain.solve(literals) == meant, held
            assert free.solve([*literals, condition]) == meant, held
            assert free.solve([*literals, -condition]), held


@for_each(
    ("size", "side", "lowest"),
    [(size, side, low) for side in (3, 5) for size in range(2, side) for low in (0, 1)],
)
def test_the_literals_of_a_sum_are_true_of_it_alone(size, side, lowest):
    group = tuple(range(size))
    clauses = builder(side, size, lowest, (group,))
    with clauses.condition(clauses.literal(0, lowest)):  # definitions have no condition
        literals = define_sums(clauses, group)
    sums = possible_sums(size, clauses.values)
    assert {sum(each) for each in combinations(clauses.values, size)} == {*sums}
    with solver_of(clauses) as solver:
        for held in permutations(clauses.values, size):
            decided, implied = solver.propagate([*map(clauses.literal, group, held)])
            assert decided
            true = [total for total, one in zip(sums, literals, strict=True) if one in implied]
            assert true == [sum(held)], held
            assert sum(-one in implied for one in literals) == len(sums) - 1


def test_a_sum_of_a_group_decides_its_values_without_search():
    group = tuple(range(5))
    clauses = builder(9, 9, units=(tuple(range(9)),))
    literals = define_sums(clauses, group)
    with solver_of(clauses) as solver:
        _, implied = solver.propagate([literals[1]])  # 16 = 1 + 2 + 3 + 4 + 6
    possible = {v for v in clauses.values if -clauses.literal(0, v) not in implied}
    assert possible == {1, 2, 3, 4, 6}


@for_each(
    ("numbers", "totals", "expected"),
    [
        ([(1, 2), (1, 2)], (3,), {(1, 2): 3, (2, 1): 3}),
        ([(1, 5), (-1, 0)], (1, 4), {(1, 0): 1, (5, -1): 4}),
        ([(1, 2)], (2,), {(2,): 2}),
        ([(1, 2)], (1, 2), {(1,): 1, (2,): 2}),
        ([(1, 2)], (3,), {}),
        ([(1, 2)], (), {}),
        ([], (0, 1), {(): 0}),
        ([], (1,), {}),
    ],
)
def test_numbers_with_true_literals_sum_to_a_total(numbers, totals, expected):
    clauses = ClauseBuilder(2, 2)
    literals = [*range(1, 2 * len(numbers) + 1)]
    ends = {total: clauses.new_variable() for total in totals}
    clauses.require_at_most_one([*ends.values()])
    require_total(clauses, (), [*literals, *ends.values()], numbers, totals)
    found = {}
    with Minisat22(bootstrap_with=clauses.clauses) as solver:
        for one, other in zip(literals[::2], literals[1::2], strict=True):
            solver.add_clause([one, other])
            solver.add_clause([-one, -other])
        for chosen in product(*(enumerate(pair) for pair in numbers)):
            true = [2 * index + which + 1 for index, (which, _) in enumerate(chosen)]
            if solver.solve(true):
                held = [total for total, literal in ends.items() if literal in solver.get_model()]
                found[tuple(number for _, number in chosen)] = held
    assert found == {chosen: [total] for chosen, total in expected.items()}


@examples(12)
@given(
    terms=st.lists(st.tuples(cell, st.sampled_from((-1, 1, 1, 2))), min_size=5, max_size=9),
    reached=st.integers(0, 50),
    units=units,
    lowest=st.sampled_from((0, 1)),
)
def test_totals_of_cells_in_units(terms, reached, units, lowest):
    def sum_of(held: Values) -> int:
        return sum(held[cell] * weight for cell, weight in terms)

    possible = sorted({sum_of(held) for held in assignments(builder(lowest=lowest, units=units))})
    total = possible[reached % len(possible)]
    check([Total(tuple(terms), total)], lambda held: sum_of(held) == total, units, lowest)


@examples(12)
@given(
    parts=st.lists(st.lists(cell, min_size=1, max_size=5).map(tuple), min_size=2, max_size=3),
    units=units,
    lowest=st.sampled_from((0, 1)),
)
def test_equal_totals_of_parts_in_units(parts, units, lowest):
    check(
        [SameTotals(tuple(parts))],
        lambda held: len({sum(held[cell] for cell in part) for part in parts}) == 1,
        units,
        lowest,
    )


@for_each("units", [PARTS, WHOLE])
@for_each("lowest", [0, 1])
def test_counts_of_cells_in_units(units, lowest):
    for times, exactly in product(range(4), (True, False)):
        check(
            [Occurrences((0, 2, 3, 4, 5), 2, times, exactly)],
            lambda held, t=times, e=exactly: (
                (held[0:1] + held[2:]).count(2) in (range(t, t + 1) if e else range(t, 9))
            ),
            units,
            lowest,
        )
    for cells in (range(6), (0, 2, 3, 4), (1,)):
        check(
            [CountsItself(tuple(cells))],
            lambda held, c=cells: all(
                [held[x] for x in c].count(value) == value for value in (held[x] for x in c)
            ),
            units,
            lowest,
        )


@examples(8)
@given(
    parts=st.lists(
        st.lists(cell, min_size=1, max_size=5, unique=True).map(tuple), min_size=2, max_size=3
    ),
    value=st.integers(0, 4),
    units=units,
    lowest=st.sampled_from((0, 1)),
)
def test_equal_counts_of_parts_in_units(parts, value, units, lowest):
    check(
        [SameTotals(tuple(parts), counted_value=value)],
        lambda held: len({sum(held[cell] == value for cell in part) for part in parts}) == 1,
        units,
        lowest,
    )


@for_each("units", [PARTS, WHOLE])
@for_each("lowest", [0, 1])
def test_pairs_and_skyscrapers_of_cells_in_units(units, lowest):
    for pairs in (((0, 3), (1, 4), (2, 5)), ((0, 5), (3, 1), (4, 2))):
        check(
            [DifferentPairs(pairs)],
            lambda held, pairs=pairs: len({(held[a], held[b]) for a, b in pairs}) == 3,
            units,
            lowest,
        )
    for line, number in product(((0, 1, 2), (3, 2, 1)), range(1, 4)):
        check(
            [Visible(line, number, lowest + SIDE - 1)],
            lambda held, line=line, number=number: (
                number
                == len(
                    {max(held[cell] for cell in line[:end]) for end in range(1, len(line) + 1)}
                    - {0}
                )
            ),
            units,
            lowest,
        )


def test_a_count_has_a_literal_for_each_group_in_place_of_each_cell():
    clauses = builder(9, 81, units=[range(row, row + 9) for row in range(0, 81, 9)])
    assert len(define_counts(clauses, range(5, 25), 4, 10)) == 3
    assert partition(clauses, [0, 9, 1, 17, 40]) == [[0, 1], [9, 17], [40]]


@for_each("total", [6, 7, 9])
def test_a_sum_of_cells_that_differ_lists_their_sets(total):
    check(
        [Total(((0, 2), (1, 2), (2, 2)), 2 * total)],
        lambda held: sum(held[:3]) == total,
    )
    clauses = builder()
    Total(((0, 1), (1, 1), (2, 1)), total).encode(clauses)
    assert not clauses.sums


def test_sums_of_the_same_cells_share_their_literals_even_of_an_alternative():
    cells = (0, 1, 2)
    first, second = (
        Total(((4, 2), (5, -1), *((each, 1) for each in cells)), total) for total in (11, 12)
    )

    def means(held: Values) -> bool:
        added = sum(held[each] for each in cells)
        return 2 * held[4] - held[5] + added in {11, 12} and added == held[4] + 2 * held[5]

    check([AnyOf((first, second)), SameTotals((cells, (5, 4, 5)))], means)
    clauses = builder()
    with clauses.condition(clauses.new_variable()):
        first.encode(clauses)
        literals = dict(clauses.sums)
        second.encode(clauses)
    assert [*literals] == [frozenset(cells)]
    assert clauses.sums == literals


def test_a_group_of_all_values_is_a_constant():
    clauses = builder(units=WHOLE)
    Total(tuple((each, 1) for each in range(5)), 13).encode(clauses)
    assert not clauses.sums
    with solver_of(clauses) as solver:
        assert not solver.propagate([-clauses.literal(4, 3)])[0]  # 1 + 2 + 3 + 4 + 3


@for_each("most", [ClauseLimits(clauses=500), ClauseLimits(steps=500)])
def test_sums_beyond_the_limits_are_refused(most):
    units = (tuple(range(9)), tuple(range(9, 18)))
    total = Total(tuple((each, 1) for each in (*range(5), *range(9, 14))), 50)
    with pytest.raises(LimitReached, match="the rules"):
        total.encode(ClauseBuilder(9, 18, most, units=units))
    total.encode(ClauseBuilder(9, 18, units=units))
