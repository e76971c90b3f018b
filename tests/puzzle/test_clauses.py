"""What each primitive says: its clauses can be extended exactly to the assignments it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.strategies import examples

from pipeline.errors import LimitReached
from pipeline.limits import Limits
from pipeline.puzzle.clauses import Clauses, Most

Values = tuple[int, ...]
Says = Callable[[Clauses], None]
Means = Callable[[Values], bool]

SIDE, CELLS = 4, 3
EVERY = range(1, SIDE + 1)

cells = st.lists(st.integers(0, CELLS - 1), min_size=1, max_size=4)
"""Cells, some of which may be named more than once."""

each_once = st.lists(st.integers(0, CELLS - 1), min_size=1, unique=True)
value = st.integers(1, SIDE)
sets_of_values = st.sets(value).map(sorted)
sums = st.integers(-1, SIDE * CELLS + 1)
relation = st.sets(st.tuples(value, value)).map(lambda pairs: lambda u, v: (u, v) in pairs)


def filled(clauses: Clauses, number: int) -> Minisat22:
    """A solver of the clauses and of each of so many cells holding one value."""
    solver = Minisat22(bootstrap_with=clauses.made)
    for cell in range(number):
        held = [clauses.at(cell, each) for each in range(1, clauses.side + 1)]
        solver.add_clause(held)
        for a, b in combinations(held, 2):
            solver.add_clause([-a, -b])
    return solver


def taken(clauses: Clauses, number: int, *more: int) -> set[Values]:
    """The assignments of the first cells that the clauses take, these literals being true."""
    values = range(1, clauses.side + 1)
    with filled(clauses, number) as solver:
        return {
            held
            for held in product(values, repeat=number)
            if solver.solve(assumptions=[*map(clauses.at, range(number), held), *more])
        }


def check(says: Says, means: Means, side: int = SIDE, number: int = CELLS) -> None:
    """What is said is taken as it is, and under a condition just where that is true."""
    every = set(product(range(1, side + 1), repeat=number))
    meant = set(filter(means, every))

    plain = Clauses(side, number)
    says(plain)
    assert taken(plain, number) == meant

    free, of_a_cell = Clauses(side, number), Clauses(side, number)
    condition = free.new()
    with free.under(condition):
        says(free)
    assert taken(free, number, condition) == meant
    assert taken(free, number, -condition) == every

    with of_a_cell.under(of_a_cell.at(0, 1)), of_a_cell.under(-of_a_cell.at(number - 1, 2)):
        says(of_a_cell)
    met = {held for held in every if held[0] == 1 and held[-1] != 2}
    assert taken(of_a_cell, number) == (meant & met) | (every - met)


def held(values: Values, cells: Sequence[int]) -> list[int]:
    return [values[cell] for cell in cells]


@examples(20)
@given(wanted=st.lists(st.tuples(st.integers(0, CELLS - 1), value, st.booleans()), unique=True))
def test_a_clause_is_true_if_one_of_its_literals_is(wanted):
    def says(clauses: Clauses) -> None:
        literals = [(1 if yes else -1) * clauses.at(cell, v) for cell, v, yes in wanted]
        clauses.add(*literals)

    check(says, lambda values: any((values[cell] == v) == yes for cell, v, yes in wanted))


@examples(20)
@given(options=st.lists(sets_of_values, max_size=3))
def test_one_of_the_selectors_picked_is_true(options):
    def says(clauses: Clauses) -> None:
        for selector, values in zip(clauses.pick(len(options)), options, strict=True):
            with clauses.under(selector):
                clauses.allow(0, values)

    check(says, lambda values: any(values[0] in each for each in options))


@examples(20)
@given(cell=st.integers(0, CELLS - 1), allowed=sets_of_values)
def test_a_cell_holds_one_of_the_values_allowed(cell, allowed):
    check(lambda clauses: clauses.allow(cell, allowed), lambda values: values[cell] in allowed)


@examples(40)
@given(a=st.integers(0, CELLS - 1), b=st.integers(0, CELLS - 1), goes=relation)
def test_a_pair_goes_together(a, b, goes):
    check(lambda clauses: clauses.pair(a, b, goes), lambda values: goes(values[a], values[b]))


@pytest.mark.parametrize(
    "goes",
    [lambda u, v: u < v, lambda u, v: u != v, lambda u, v: u + v == 4, lambda u, v: False],
    ids=["rises", "differs", "sums to 4", "never"],
)
@examples(10)
@given(line=cells)
def test_pairs_go_together_whether_few_or_many_are_forbidden(goes, line):
    check(
        lambda clauses: clauses.pairs(pairwise(line), goes),
        lambda values: all(goes(u, v) for u, v in pairwise(held(values, line))),
    )


@examples(10)
@given(a=st.integers(0, CELLS - 1), b=st.integers(0, CELLS - 1))
def test_two_cells_hold_the_same(a, b):
    check(lambda clauses: clauses.same(a, b), lambda values: values[a] == values[b])


@examples(10)
@given(some=each_once)
def test_cells_are_distinct(some):
    check(
        lambda clauses: clauses.distinct(some),
        lambda values: len({*held(values, some)}) == len(some),
    )


def test_more_cells_than_values_are_never_distinct():
    for says in (Clauses.distinct, lambda clauses, some: clauses.combo(some, 6), Clauses.window):
        check(lambda clauses, says=says: says(clauses, range(3)), lambda values: False, side=2)


@pytest.mark.parametrize("side", [2, 3, 4])
def test_a_unit_has_each_value_once(side):
    check(
        lambda clauses: clauses.unit(range(side)),
        lambda values: sorted(values) == list(range(1, side + 1)),
        side,
        side,
    )


@examples(30)
@given(some=each_once, wanted=value, times=st.integers(-1, CELLS + 1))
def test_a_value_is_held_so_often_at_least(some, wanted, times):
    check(
        lambda clauses: clauses.least(some, wanted, times),
        lambda values: held(values, some).count(wanted) >= times,
    )


@examples(20)
@given(wanted=st.lists(st.tuples(st.integers(0, CELLS - 1), value), unique=True))
def test_at_most_one_of_the_literals_is_true(wanted):
    check(
        lambda clauses: clauses.most_one([clauses.at(*each) for each in wanted]),
        lambda values: sum(values[cell] == each for cell, each in wanted) <= 1,
    )


@examples(20)
@given(some=cells, wanted=value)
def test_a_variable_tells_whether_a_value_is_held_whatever_the_conditions_are(some, wanted):
    clauses = Clauses(SIDE, CELLS)
    with clauses.under(clauses.new()):
        variable = clauses.holding(some, wanted)
    every = set(product(EVERY, repeat=CELLS))
    with_it = {values for values in every if wanted in held(values, some)}
    assert taken(clauses, CELLS, variable) == with_it
    assert taken(clauses, CELLS, -variable) == every - with_it


@examples(20)
@given(sets=st.lists(sets_of_values, max_size=4), known=st.sets(value))
def test_the_literals_that_are_true_are_those_of_one_of_the_sets(sets, known):
    """The literals are those of the first cell's value, and of the second's for some values."""

    def says(clauses: Clauses) -> None:
        literals = {each: clauses.at(each in known, each) for each in EVERY}
        clauses.chosen(literals, sets)

    def means(values: Values) -> bool:
        return [each for each in EVERY if values[each in known] == each] in sets

    check(says, means)


@examples(20)
@given(some=cells, sets=st.lists(sets_of_values, max_size=4))
def test_the_values_held_are_those_of_one_of_the_sets(some, sets):
    check(
        lambda clauses: clauses.among(some, sets),
        lambda values: sorted({*held(values, some)}) in sets,
    )


@examples(100)
@given(values=st.sets(st.integers(1, 12)), size=st.integers(0, 13), total=st.integers(-2, 80))
def test_the_sets_with_a_sum_are_found(values, size, total):
    found = Clauses(SIDE, CELLS).sets(values, size, total)
    expected = [each for each in combinations(sorted(values), size) if sum(each) == total]
    assert sorted(tuple(sorted(each)) for each in found) == expected


def test_too_many_sets_with_a_sum_are_not_listed():
    clauses = Clauses(25, 8)
    assert len(clauses.sets(range(1, 17), 8, 68)) == 526
    assert clauses.sets(range(1, 26), 8, 104) is None


@examples(20)
@given(some=each_once, total=sums)
def test_distinct_values_sum_to_the_total(some, total):
    check(
        lambda clauses: clauses.combo(some, total),
        lambda values: len({*held(values, some)}) == len(some) and sum(held(values, some)) == total,
    )


@pytest.mark.parametrize(
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
def test_distinct_values_sum_to_the_total_where_the_sets_are_too_many(values, keeps):
    clauses = Clauses(25, 8)
    clauses.combo(range(8), 104)
    with filled(clauses, 8) as solver:
        assert solver.solve(assumptions=list(map(clauses.at, range(8), values))) == keeps


@examples(10)
@given(some=each_once)
def test_a_window_is_of_consecutive_values(some):
    def means(values: Values) -> bool:
        order = sorted(held(values, some))
        return all(b - a == 1 for a, b in pairwise(order))

    check(lambda clauses: clauses.window(some), means)


@examples(30)
@given(
    some=st.lists(st.integers(0, CELLS - 1), max_size=4),
    table=st.dictionaries(st.tuples(st.integers(0, 3), value), st.integers(0, 3)),
    accepted=st.sets(st.integers(0, 3)),
)
def test_an_automaton_accepts_what_leads_to_an_accepted_state(some, table, accepted):
    def means(values: Values) -> bool:
        state = 0
        for each in held(values, some):
            state = table.get((state, each))
        return state in accepted

    check(
        lambda clauses: clauses.automaton(
            some, 0, lambda _, state, each: table.get((state, each)), accepted.__contains__
        ),
        means,
    )


def test_an_automaton_is_told_the_index_of_the_cell():
    check(
        lambda clauses: clauses.automaton(
            [2, 0, 1], 0, lambda index, _, each: 0 if each > index + 1 else None, lambda _: True
        ),
        lambda values: values[2] > 1 and values[0] > 2 and values[1] > 3,
    )


@examples(40)
@given(
    terms=st.lists(st.tuples(st.integers(0, CELLS - 1), st.integers(-3, 3)), max_size=5),
    totals=st.sets(st.integers(-12, 12), max_size=3),
)
def test_a_total_is_the_sum_of_values_times_their_weights(terms, totals):
    check(
        lambda clauses: clauses.total(terms, totals),
        lambda values: sum(values[cell] * weight for cell, weight in terms) in totals,
    )


@examples(40)
@given(parts=st.lists(cells, min_size=1, max_size=4))
@example(parts=[[0], [1, 2, 1, 2, 1]])  # the least sum of the one is above those of the other
def test_parts_have_equal_sums(parts):
    check(
        lambda clauses: clauses.equal(parts),
        lambda values: len({sum(held(values, part)) for part in parts}) == 1,
    )


@examples(40)
@given(
    parts=st.lists(cells, min_size=1, max_size=3),
    worth=st.lists(st.integers(-2, 3), min_size=SIDE, max_size=SIDE),
)
def test_parts_have_equal_sums_of_what_their_values_are_worth(parts, worth):
    def worth_of(part: Sequence[int], values: Values) -> int:
        return sum(worth[each - 1] * times for each, times in Counter(held(values, part)).items())

    check(
        lambda clauses: clauses.equal(parts, lambda each: worth[each - 1]),
        lambda values: len({worth_of(part, values) for part in parts}) == 1,
    )


def test_variables_are_numbered_after_all_candidates():
    clauses = Clauses(9, 81)
    assert clauses.at(0, 1) == 1
    assert clauses.at(80, 9) == clauses.variables == 729
    assert clauses.new() == 730
    assert clauses.pick(2) == [731, 732]
    assert clauses.auxiliary == 3


def test_conditions_end_with_their_block_even_if_that_fails():
    clauses = Clauses(2, 2)

    def fails() -> None:
        with clauses.under(3), clauses.under(-4):
            clauses.add(1)
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    clauses.add(2)
    assert clauses.made == [(-3, 4, 1), (2,)]


@pytest.mark.parametrize(
    ("most", "says"),
    [
        (Most(clauses=50), lambda clauses: clauses.distinct(range(9))),
        (Most(clauses=5), lambda clauses: clauses.holding(range(9), 1)),
        (Most(literals=50), lambda clauses: clauses.unit(range(9))),
        (Most(steps=50), lambda clauses: clauses.pair(0, 1, lambda u, v: True)),
        (Most(steps=500), lambda clauses: clauses.total([(cell, 1) for cell in range(9)], [45])),
        (Most(steps=500), lambda clauses: clauses.equal([range(9), range(9, 18)])),
        (Most(steps=5), lambda clauses: clauses.combo(range(4), 20)),
    ],
)
def test_what_would_be_too_much_is_refused(most, says):
    with pytest.raises(LimitReached, match="the rules"):
        says(Clauses(9, 81, most))
    says(Clauses(9, 81))


def test_the_limits_of_a_puzzle_are_looked_at_while_clauses_are_made():
    makes = Clauses(25, 625, check=Limits(megabytes=0).checking())
    with pytest.raises(LimitReached, match="the memory limit of 0 MB"):
        makes.unit(range(25))
    takes = Clauses(25, 625, check=Limits(0.0).checking())
    with pytest.raises(LimitReached, match="the time limit of 0 s"):
        takes.total([(cell, 1) for cell in range(25)], [300])
    assert len(takes.made) < 4096
