"""Constraints and their clauses accept exactly the values that their definition accepts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product
from operator import lt, ne

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.cases import for_each
from support.strategies import examples

from pipeline.errors import LimitReached
from pipeline.limits import Limits
from pipeline.puzzle.builder import ClauseBuilder, ClauseLimits
from pipeline.puzzle.connected import Connected, EqualToAny
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AnyOf,
    AtLeast,
    Automaton,
    Constraint,
    Equivalent,
    OneOfSets,
    OutsideRange,
    Pairs,
    ValueSwitch,
)
from pipeline.puzzle.counts import CountsItself, Occurrences, Visible
from pipeline.puzzle.sums import CountOfEqual, SameTotals, SetTotal, Total, TotalBetween

Values = tuple[int, ...]
Means = Callable[[Values], bool]

SIDE, CELLS = 4, 3
EVERY = range(1, SIDE + 1)

cell = st.integers(0, CELLS - 1)
cells = st.lists(cell, min_size=1, max_size=4).map(tuple)
"""Cells that may repeat."""

distinct_cells = st.lists(cell, min_size=1, unique=True).map(tuple)
value = st.integers(1, SIDE)
values_allowed = st.sets(value).map(sorted).map(tuple)
sums = st.integers(-1, SIDE * CELLS + 1)


def solver_of(clauses: ClauseBuilder, number: int) -> Minisat22:
    """A solver of the clauses in which each of the first `number` cells holds one value."""
    solver = Minisat22(bootstrap_with=clauses.clauses)
    for index in range(number):
        held = [clauses.literal(index, v) for v in clauses.values]
        solver.add_clause(held)
        for a, b in combinations(held, 2):
            solver.add_clause([-a, -b])
    return solver


def accepted_by(clauses: ClauseBuilder, number: int, *more: int) -> set[Values]:
    """The assignments of the first cells that satisfy the clauses and the literals `more`."""
    with solver_of(clauses, number) as solver:
        return {
            held
            for held in product(clauses.values, repeat=number)
            if solver.solve(assumptions=[*map(clauses.literal, range(number), held), *more])
        }


def check_clauses(
    encode: Callable[[ClauseBuilder], object], means: Means, side: int = SIDE, number: int = CELLS
) -> None:
    """Check that clauses accept what `means` accepts, and under conditions only if these hold."""
    every = set(product(range(1, side + 1), repeat=number))
    meant = set(filter(means, every))

    plain = ClauseBuilder(side, number)
    encode(plain)
    assert accepted_by(plain, number) == meant

    free, of_a_cell = ClauseBuilder(side, number), ClauseBuilder(side, number)
    condition = free.new_variable()
    with free.condition(condition):
        encode(free)
    assert accepted_by(free, number, condition) == meant
    assert accepted_by(free, number, -condition) == every

    with (
        of_a_cell.condition(of_a_cell.literal(0, 1)),
        of_a_cell.condition(-of_a_cell.literal(number - 1, 2)),
    ):
        encode(of_a_cell)
    met = {held for held in every if held[0] == 1 and held[-1] != 2}
    assert accepted_by(of_a_cell, number) == (meant & met) | (every - met)


def check(constraint: Constraint, means: Means, side: int = SIDE, number: int = CELLS) -> None:
    """Check that the constraint and its clauses accept what `means` accepts."""
    every = set(product(range(1, side + 1), repeat=number))
    assert set(filter(constraint.holds, every)) == set(filter(means, every))
    check_clauses(constraint.encode, means, side, number)


def held(values: Values, some: Sequence[int]) -> list[int]:
    return [values[each] for each in some]


def different(values: Sequence[int]) -> bool:
    return len({*values}) == len(values)


@examples(20)
@given(wanted=st.lists(st.tuples(cell, value, st.booleans()), unique=True))
def test_a_clause_is_true_if_one_of_its_literals_is(wanted):
    def encode(clauses: ClauseBuilder) -> None:
        clauses.add(*((1 if yes else -1) * clauses.literal(c, v) for c, v, yes in wanted))

    check_clauses(encode, lambda values: any((values[c] == v) == yes for c, v, yes in wanted))


@examples(100)
@given(values=st.sets(st.integers(1, 12)), size=st.integers(0, 13), total=st.integers(-2, 80))
def test_all_sets_with_a_total_are_listed(values, size, total):
    found = ClauseBuilder(SIDE, CELLS).sets_with_total(values, size, total)
    expected = [each for each in combinations(sorted(values), size) if sum(each) == total]
    assert sorted(tuple(sorted(each)) for each in found) == expected


def test_too_many_sets_with_a_total_are_not_listed():
    clauses = ClauseBuilder(25, 8)
    assert len(clauses.sets_with_total(range(1, 17), 8, 68)) == 526
    assert clauses.sets_with_total(range(1, 26), 8, 104) is None


@examples(20)
@given(one=cell, allowed=values_allowed)
def test_a_cell_holds_one_of_the_values_allowed(one, allowed):
    check(Allowed(one, allowed), lambda values: values[one] in allowed)


@examples(40)
@given(line=cells, table=st.frozensets(st.tuples(value, value)))
def test_pairs_are_related_by_any_relation_even_a_cell_to_itself(line, table):
    check(
        Pairs(tuple(pairwise(line)), lambda u, v, some: (u, v) in some, (table,)),
        lambda values: all(pair in table for pair in pairwise(held(values, line))),
    )


@for_each(
    "relation", [lt, ne, lambda u, v: u + v == 5, lambda u, v: u + v == 4, lambda u, v: False]
)
def test_pairs_are_related_whether_few_or_many_are_forbidden(relation):
    check(
        Pairs(((0, 1), (2, 1)), relation),
        lambda values: relation(values[0], values[1]) and relation(values[2], values[1]),
    )


@examples(20)
@given(facts=st.lists(st.tuples(st.tuples(cell, value), st.tuples(cell, value)), max_size=3))
def test_facts_are_equivalent(facts):
    facts = tuple((one, other) for one, other in facts if one != other)
    check(
        Equivalent(facts),
        lambda values: all((values[a] == u) == (values[b] == v) for (a, u), (b, v) in facts),
    )


@pytest.mark.parametrize("others", [(), (1,), (1, 2)])
def test_a_cell_equals_one_of_others(others):
    check(EqualToAny(0, others), lambda values: values[0] in held(values, others))


def test_equality_of_two_cells_is_one_variable_under_all_conditions():
    clauses = ClauseBuilder(SIDE, CELLS)
    condition = clauses.new_variable()
    with clauses.condition(condition):
        same = clauses.define_equal(0, 1)
    assert clauses.define_equal(1, 0) == same
    equal = {held for held in product(EVERY, repeat=CELLS) if held[0] == held[1]}
    assert accepted_by(clauses, CELLS, -condition, same) == equal
    assert not accepted_by(clauses, CELLS, -condition, -same) & equal


def test_constraints_that_share_a_variable_keep_their_meaning():
    count = CountOfEqual(2, 0, ((1,),), 0, unbroken=True)

    def encode(clauses: ClauseBuilder) -> None:
        for each in (EqualToAny(0, (1, 2)), count, EqualToAny(0, (1, 2)), count):
            each.encode(clauses)

    def means(values: Values) -> bool:
        a, b, c = values
        return c == 1 + (a == b) and a in {b, c}

    check_clauses(encode, means)


@for_each("side", [2, 3])
@for_each("size", [None, 1, 2, 3, 4])
def test_cells_with_the_values_form_one_connected_region(size, side):
    """Adjacent cells are not numbered consecutively."""
    row = (2, 0, 3, 1)

    def is_connected(values: list[int]) -> bool:
        signs = "".join("x" if value in {1, 3} else " " for value in held(values, row)).strip()
        return signs.isalpha() and size in {None, len(signs)}

    check(Connected((0, 1, 2, 3), tuple(pairwise(row)), (1, 3), size), is_connected, side, 4)


@pytest.mark.parametrize(("some", "low", "high"), [((0,), 1, 2), ((0, 1), 1, 2), ((), 0, 1)])
def test_cells_are_below_the_low_cell_or_above_the_high_cell(some, low, high):
    check(
        OutsideRange(some, low, high),
        lambda values: not any(values[low] <= values[c] <= values[high] for c in some),
    )


@examples(10)
@given(some=distinct_cells)
def test_cells_are_all_different(some):
    check(AllDifferent(some), lambda values: different(held(values, some)))


@pytest.mark.parametrize("side", [2, 3, 4])
def test_n_different_cells_hold_all_n_values(side):
    values = [*range(1, side + 1)]
    check(AllDifferent(tuple(range(side))), lambda held: sorted(held) == values, side, side)


def test_more_cells_than_values_cannot_differ():
    some = (0, 1, 2)
    for constraint in (AllDifferent(some), SetTotal(some, 4, range(1, 3))):
        check(constraint, lambda values: False, side=2)


@examples(30)
@given(some=distinct_cells, wanted=st.integers(0, SIDE + 1), times=st.integers(-1, CELLS + 1))
def test_at_least_a_number_of_cells_hold_the_value(some, wanted, times):
    check(AtLeast(some, wanted, times), lambda values: held(values, some).count(wanted) >= times)


@examples(20)
@given(some=cells, sets=st.lists(values_allowed, max_size=4).map(tuple))
def test_the_set_of_values_is_one_of_the_sets(some, sets):
    check(OneOfSets(some, sets), lambda values: tuple(sorted({*held(values, some)})) in sets)


@examples(40)
@given(terms=st.lists(st.tuples(cell, st.integers(-3, 3)), max_size=5).map(tuple), total=sums)
def test_a_total_is_a_weighted_sum(terms, total):
    check(Total(terms, total), lambda values: sum(values[c] * by for c, by in terms) == total)


@examples(40)
@given(parts=st.lists(cells, max_size=4).map(tuple), counted=st.none() | value)
@example(parts=((0,), (1, 2, 1, 2, 1)), counted=None)  # sums of 1 to 4, and of 5 or more
def test_parts_have_equal_sums_or_equal_counts_of_a_value(parts, counted):
    def of(line: list[int]) -> int:
        return sum(line) if counted is None else line.count(counted)

    check(
        SameTotals(parts, counted),
        lambda values: len({of(held(values, part)) for part in parts}) <= 1,
    )


@pytest.mark.parametrize("most", [1000, 0])
@examples(20)
@given(some=distinct_cells, total=sums, allowed=values_allowed)
def test_different_allowed_values_sum_to_the_total(most, some, total, allowed):
    def means(values: Values) -> bool:
        line = held(values, some)
        return different(line) and {*line} <= {*allowed} and sum(line) == total

    constraint = SetTotal(some, total, allowed)
    check(constraint, means)
    clauses = ClauseBuilder(SIDE, CELLS, ClauseLimits(sets=most))
    constraint.encode(clauses)
    assert accepted_by(clauses, CELLS) == set(filter(means, product(EVERY, repeat=CELLS)))


@for_each(
    ("values", "keeps"),
    [
        ((1, 2, 3, 4, 22, 23, 24, 25), True),
        ((9, 10, 11, 12, 14, 15, 16, 17), True),
        ((1, 2, 3, 4, 21, 23, 24, 25), False),
        ((1, 2, 3, 4, 22, 23, 24, 24), False),
        ((1, 2, 3, 4, 23, 23, 23, 25), False),
        ((2, 2, 3, 3, 22, 23, 24, 25), False),
    ],
)
def test_totals_with_too_many_sets_are_encoded_as_running_sums(values, keeps):
    clauses = ClauseBuilder(25, 8)
    SetTotal(tuple(range(8)), 104, range(1, 26)).encode(clauses)
    with solver_of(clauses, 8) as solver:
        assert solver.solve(assumptions=list(map(clauses.literal, range(8), values))) == keeps


@for_each("total", range(-1, 7))
def test_the_values_between_1_and_n_sum_to_the_total(total):
    def means(values: Values) -> bool:
        if sorted(values) != [*EVERY]:
            return False
        first, last = sorted((values.index(1), values.index(SIDE)))
        return sum(values[first + 1 : last]) == total

    check(TotalBetween(tuple(range(SIDE)), total), means, SIDE, SIDE)


def table_step(state: int, each: int, table: frozenset[tuple[tuple[int, int], int]]) -> int | None:
    return dict(table).get((state, each))


@examples(30)
@given(
    some=st.lists(cell, max_size=4).map(tuple),
    table=st.dictionaries(st.tuples(st.integers(0, 3), value), st.integers(0, 3)),
    accepted=st.frozensets(st.integers(0, 3)),
)
def test_an_automaton_accepts_values_that_lead_to_an_accepted_state(some, table, accepted):
    def means(values: Values) -> bool:
        state = 0
        for each in held(values, some):
            state = table.get((state, each))
        return state in accepted

    check(Automaton(some, 0, table_step, accepted, (frozenset(table.items()),)), means)


@examples(30)
@given(some=distinct_cells, counted=value, times=st.integers(0, 4), exactly=st.booleans())
def test_a_value_occurs_so_many_times_or_at_least_as_often(some, counted, times, exactly):
    def means(values: Values) -> bool:
        count = held(values, some).count(counted)
        return count == times or (count > times and not exactly)

    check(Occurrences(some, counted, times, exactly), means)


@for_each("number", range(1, 5))
def test_each_value_that_the_cells_hold_counts_itself(number):
    def means(values: Values) -> bool:
        return all(values.count(each) == each for each in values)

    check(CountsItself(tuple(range(number))), lambda values: means(values[:number]), SIDE, 4)


@examples(20)
@given(some=distinct_cells, number=st.integers(0, 4))
def test_values_that_are_the_highest_so_far_are_visible(some, number):
    def means(values: Values) -> bool:
        line = held(values, some)
        return sum(each > max(line[:at], default=0) for at, each in enumerate(line)) == number

    check(Visible(some, number, SIDE), means)


@examples(20)
@given(options=st.lists(st.tuples(cell, values_allowed), max_size=3))
def test_conjunctions_and_disjunctions(options):
    parts = tuple(Allowed(*each) for each in options)
    check(AllOf(parts), lambda values: all(values[c] in some for c, some in options))
    check(AnyOf(parts), lambda values: any(values[c] in some for c, some in options))
    assert [*AllOf(parts).scope()] == [c for c, _ in options]


@examples(20)
@given(one=cell, other=cell, options=st.tuples(*[values_allowed] * SIDE))
def test_the_value_of_a_cell_selects_the_part_that_holds(one, other, options):
    parts = tuple(Allowed(other, some) for some in options)
    check(ValueSwitch(one, parts), lambda values: values[other] in options[values[one] - 1])


def test_cells_of_a_unit_need_no_clauses_to_differ():
    clauses = ClauseBuilder(4, 5, units=((0, 1, 2), (2, 3)))
    AllDifferent((0, 1, 3)).encode(clauses)
    a, b, c = ([clauses.literal(cell, value) for value in range(1, 5)] for cell in (0, 1, 3))
    apart = [{-x, -y} for one in (a, b) for x, y in zip(one, c, strict=True)]
    assert sorted(map(sorted, clauses.clauses)) == sorted(map(sorted, apart))


def test_variables_are_numbered_after_all_candidates():
    clauses = ClauseBuilder(9, 81)
    assert clauses.literal(0, 1) == 1
    assert clauses.literal(80, 9) == clauses.variables == 729
    assert clauses.new_variable() == 730
    assert clauses.new_selectors(2) == [731, 732]
    assert clauses.auxiliary == 3


def test_conditions_end_with_their_block_even_after_an_error():
    clauses = ClauseBuilder(2, 2)

    def fails() -> None:
        with clauses.condition(3), clauses.condition(-4):
            clauses.add(1)
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    clauses.add(2)
    assert clauses.clauses == [(-3, 4, 1), (2,)]


NINE_CELLS = tuple(range(9))


@for_each(
    ("most", "constraint"),
    [
        (ClauseLimits(clauses=50), AllDifferent(NINE_CELLS)),
        (ClauseLimits(clauses=5), OneOfSets(NINE_CELLS, (range(1, 10),))),
        (ClauseLimits(literals=50), AllDifferent(NINE_CELLS)),
        (ClauseLimits(steps=50), Pairs(((0, 1),), lt)),
        (ClauseLimits(steps=500), Total(tuple((each, 1) for each in NINE_CELLS), 45)),
        (ClauseLimits(steps=500), SameTotals((NINE_CELLS, tuple(range(9, 18))))),
        (ClauseLimits(steps=5), SetTotal((0, 1, 2, 3), 20, range(1, 10))),
    ],
)
def test_clauses_beyond_the_limits_are_refused(most, constraint):
    with pytest.raises(LimitReached, match="the rules"):
        constraint.encode(ClauseBuilder(9, 81, most))
    constraint.encode(ClauseBuilder(9, 81))


def test_limits_are_checked_while_clauses_are_made():
    makes = ClauseBuilder(25, 625, check=Limits(megabytes=0).checker())
    with pytest.raises(LimitReached, match="the memory limit of 0 MB"):
        AllDifferent(tuple(range(25))).encode(makes)
    takes = ClauseBuilder(25, 625, check=Limits(0.0).checker())
    with pytest.raises(LimitReached, match="the time limit of 0 s"):
        Total(tuple((each, 1) for each in range(25)), 300).encode(takes)
    assert len(takes.clauses) < 4096


def test_a_sum_may_rely_on_cells_that_differ():
    chance, counts = random.Random(5), []
    for _ in range(24):
        units = [chance.sample(range(6), chance.randint(2, 4)) for _ in range(3)]
        weight = chance.choice(((1,), (1, 2), (-1, 1), (-2, 1, 3)))
        total = Total(tuple((cell, chance.choice(weight)) for cell in range(6)), 0)
        differ = {
            held
            for held in product(range(1, 5), repeat=6)
            if all(len({held[cell] for cell in unit}) == len(unit) for unit in units)
        }
        if not differ:
            continue
        reached = sum(v * w for v, (_, w) in zip(min(differ), total.terms, strict=True))
        total = Total(total.terms, reached + chance.choice((0, 0, 1, 9)))
        clauses, plain = ClauseBuilder(4, 6, units=units), ClauseBuilder(4, 6)
        total.encode(clauses)
        total.encode(plain)
        assert accepted_by(clauses, 6) & differ == set(filter(total.holds, differ)), (units, total)
        counts.append(len(plain.clauses) - len(clauses.clauses))
    assert sum(count > 0 for count in counts) > 8
