"""Puzzles with rules are searched through: what is found is what brute force finds."""

from __future__ import annotations

import random
import time
from functools import cache
from itertools import combinations, islice, permutations, product
from math import inf, log
from operator import le, lt, ne

import pytest
from support.cases import for_each
from support.needs import needs_numba
from support.notations import ARROWS, JIGSAW, KILLER, SUMOCUE
from support.oracle import solutions
from support.puzzles import PATIENCE, pattern
from support.rules.examples import EXAMPLES, FOUR, NINE, SIX, TWO_GRIDS
from support.rules.predicates import MEANS

from pipeline.certify import certify_grid
from pipeline.certify.exhaustive import OUT_OF_TIME, NotSolutions, SearchResult
from pipeline.certify.variants import (
    VariantSearch,
    check_variant_search,
    plain_search,
    run_search,
    search,
    search_all_of_variant,
)
from pipeline.certify.variants import layout as L
from pipeline.certify.variants.arrays import build_search_arrays
from pipeline.certify.variants.simplify import MAX_ALTERNATIVES
from pipeline.puzzle.connected import Connected, DifferentPairs, EqualToAny
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AnyOf,
    AtLeast,
    Automaton,
    Constraint,
    Equivalent,
    HoldsEachPart,
    OneOfSets,
    OutsideRange,
    Pairs,
    Ranked,
    ValueSwitch,
)
from pipeline.puzzle.counts import CountsItself, Occurrences, Visible
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.line_sums import SegmentSums, SumBetweenExtremes
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.puzzle.rules.cages import Cage, Sum
from pipeline.puzzle.rules.lines import Thermometer, Whispers
from pipeline.puzzle.rules.outside import XSum
from pipeline.puzzle.rules.pairs import AntiKnight, Greater
from pipeline.puzzle.rules.regions import ExtraRegion
from pipeline.puzzle.sums import CountOfEqual, SameTotals, SetTotal, Total, TotalBetween
from pipeline.reading.formats import parse_puzzle

FORMS = ["plain", pytest.param("compiled", marks=needs_numba)]
SIXTEEN = Geometry(4, 4)
ALL = 10_000

every_rule = for_each("kind", EXAMPLES)


@pytest.fixture(params=FORMS)
def step(request):
    """The search as machine code, or None for plain Python."""
    return None if request.param == "plain" else request.getfixturevalue("ruling")


class Formula(Rule):
    """A rule that is a constraint of the tests."""

    name = "formula"

    constraint: Constraint

    def constraints(self, geometry):
        return self.constraint


MOST_OPENED = 600
"""Grids of a free geometry that are compared."""


def find_missing(step, puzzle, listed=(), most=ALL, nodes=inf):
    return run_search(step, puzzle, listed, most, nodes, time.monotonic() + PATIENCE)


@cache
def filled(geometry):
    """All grids of a small geometry."""
    return solutions(Puzzle.empty(geometry), ALL)


def drawn(geometry, chance):
    """A grid."""
    if geometry.free_grid:
        return Grid(geometry, tuple(chance.choices(geometry.values, k=geometry.size)))
    if geometry.side <= 4:
        return chance.choice(filled(geometry))
    names = chance.sample(range(1, geometry.side + 1), geometry.side)
    return Grid(geometry, tuple(names[value - 1] for value in pattern(geometry).values))


def opened(grid, cells, chance):
    """A puzzle whose givens are of the grid, some cells and a few more are blank; all its grids."""
    geometry = grid.geometry
    if geometry.free_grid:
        number = min(len(cells), int(log(MOST_OPENED, geometry.side)))
        blank = {*chance.sample(cells, number)}
        choices = [geometry.values if c in blank else (v,) for c, v in enumerate(grid.values)]
        nothing = geometry.lowest - 1
        given = [nothing if cell in blank else v for cell, v in enumerate(grid.values)]
        grids = [Grid(geometry, values) for values in product(*choices)]
        return Puzzle.of_values(geometry, given), grids
    if geometry.side <= 4:
        return Puzzle.empty(geometry), filled(geometry)
    blank = chance.sample(cells, min(len(cells), 10)) + chance.sample(range(geometry.size), 4)
    given = [0 if cell in blank else value for cell, value in enumerate(grid.values)]
    puzzle = Puzzle.of_values(geometry, given)
    return puzzle, solutions(puzzle, ALL)


def meant(geometry, grids, rules):
    """Those grids that keep the rules, by their predicates, in ascending order."""
    return [
        grid
        for grid in grids
        if all(MEANS[type(rule)](rule, geometry, grid.values) for rule in rules)
    ]


@every_rule
def test_the_solutions_of_an_example_are_those_that_its_predicate_takes(kind, step):
    chance, examples = random.Random(kind.__name__), EXAMPLES[kind]
    for geometry, rule in examples[: some(step, len(examples)) or 1]:
        puzzle, grids = opened(drawn(geometry, chance), rule.scope(geometry), chance)
        puzzle = Puzzle(geometry, puzzle.cells, (rule,))
        found = find_missing(step, puzzle)
        if isinstance(rule, Sum) and rule.terms[0][1] > 10**20:
            assert found == SearchResult((), 0, "the numbers in a sum are too large")
            continue
        assert found.undecided is None
        assert sorted(found.missing) == meant(geometry, grids, (rule,)), rule


def combinations_of_rules(seed):
    """Endless puzzles with some of the examples' rules, and their solutions; most have some."""
    chance = random.Random(seed)
    while True:
        geometry = chance.choice((FOUR, SIX, FOUR, SIX, TWO_GRIDS))
        grid = drawn(geometry, chance)
        known = [rule for some in EXAMPLES.values() for g, rule in some if g == geometry]
        if chance.random() < 0.8:
            known = [rule for rule in known if meant(geometry, [grid], [rule])]
        rules = tuple(chance.sample(known, min(chance.randint(1, 4), len(known))))
        cells = [*dict.fromkeys(cell for rule in rules for cell in rule.scope(geometry))]
        puzzle, grids = opened(grid, cells, chance)
        if not any(isinstance(rule, Sum) and rule.total == 0 for rule in rules):  # too large
            yield Puzzle(geometry, puzzle.cells, rules), meant(geometry, grids, rules), chance


def some(step, number):
    """How many of so many are gone through: plain Python is slow, and its branches the same."""
    return number if step else number // 4


def test_the_solutions_of_several_rules_are_those_that_all_predicates_take(step):
    counts, number = [], some(step, 72)
    for puzzle, known, _ in islice(combinations_of_rules(5), number):
        found = find_missing(step, puzzle)
        assert found.undecided is None
        assert sorted(found.missing) == known, puzzle.rules
        counts.append(len(known))
    assert counts.count(0) > number / 12
    assert sum(count > 1 for count in counts) > number / 6


def test_what_is_not_listed_is_missing_and_nothing_else_is(step):
    for puzzle, known, chance in islice(combinations_of_rules(4), some(step, 24)):
        if not known:
            assert find_missing(step, puzzle).is_complete
            continue
        assert find_missing(step, puzzle, known).is_complete
        lacking = chance.choice(known)
        listed = [grid for grid in known if grid != lacking]
        found = find_missing(step, puzzle, listed)
        assert (found.missing, found.undecided) == ((lacking,), None)
        one = find_missing(step, puzzle, (), most=1)
        assert len(one.missing) == 1
        assert not certify_grid(puzzle, one.missing[0])


@needs_numba
def test_machine_code_takes_the_branches_of_plain_python(ruling):
    for puzzle, _, _ in islice(combinations_of_rules(5), 16):
        assert find_missing(ruling, puzzle) == find_missing(None, puzzle)


@needs_numba
@pytest.mark.parametrize("text", [KILLER, ARROWS, JIGSAW, SUMOCUE])
def test_published_puzzles_are_searched_through(text, ruling):
    puzzle = parse_puzzle(text)
    found = find_missing(ruling, puzzle)
    assert found.undecided is None
    assert len(found.missing) == 1
    assert not certify_grid(puzzle, found.missing[0])
    assert find_missing(ruling, puzzle, found.missing).is_complete


def test_relations_of_many_values_are_looked_up_in_several_tables(step):
    values = pattern(SIXTEEN).values
    row = [*range(16)]
    given = [0 if cell < 48 else value for cell, value in enumerate(values)]
    rising = sorted(row, key=values.__getitem__)
    rules = (Thermometer(tuple(rising[:13])), Whispers(tuple(rising[12::3]), 3))
    puzzle = Puzzle.of_values(SIXTEEN, given, rules)
    found = find_missing(step, puzzle)
    assert found.undecided is None
    assert Grid(SIXTEEN, values) in found.missing
    assert not any(certify_grid(puzzle, grid) for grid in found.missing)


def test_alternatives_may_be_nested(step):
    """Three alternatives for the first cell, of two of which one depends on another cell."""
    total = [Total(((1, 1), (2, 1)), number) for number in (3, 5, 7)]
    by_value = ValueSwitch(4, (total[0], AnyOf((total[1], total[2])), AnyOf(()), AllOf(())))
    nested = AllOf((AnyOf((by_value, OneOfSets((0, 5), ((1, 2), (3, 3))))), AnyOf((total[1],))))
    found = find_missing(step, Puzzle.empty(FOUR, (Formula(nested),)))
    assert sorted(found.missing) == [grid for grid in filled(FOUR) if nested.holds(grid.values)]


def in_a_row_of_six(chance):
    """Six different values, some of whose cells hold a set of values or have a sum; all rows."""
    geometry = Geometry(1, 6, free_grid=FreeGrid(1, 6))
    cells = chance.sample(range(6), 6)
    some, others = tuple(cells[: chance.randint(2, 5)]), tuple(cells[3:])
    wide = range(min(len(some), 3), len(some) + 1)
    sets = [tuple(chance.sample(range(1, 7), chance.choice(wide))) for _ in range(5)]
    weight = chance.choice((-2, -1, 1, 2))
    terms = *((cell, 1) for cell in some), *((cell, weight) for cell in others)
    of_sums = Total(terms, chance.randint(4, 20))
    constraint = chance.choice((OneOfSets(some, tuple(sets)), of_sums))
    rule = Formula(AllOf((AllDifferent(tuple(range(6))), constraint)))
    masks = [chance.randrange(1, 64) | chance.randrange(1, 64) for _ in range(6)]
    known = [
        Grid(geometry, row)
        for row in permutations(range(1, 7))
        if all(m >> v - 1 & 1 for m, v in zip(masks, row, strict=True)) and constraint.holds(row)
    ]
    return Puzzle(geometry, tuple(masks), (rule,)), known


def test_sets_and_sums_of_some_cells_of_a_unit_leave_all_that_is_possible(step):
    counts = []
    for seed in range(150):
        puzzle, known = in_a_row_of_six(random.Random(seed))
        found = find_missing(step, puzzle)
        assert found.undecided is None
        assert sorted(found.missing) == sorted(known), seed
        counts.append(len(known))
    assert counts.count(0) > 15
    assert sum(count > 1 for count in counts) > 15


def remainder(rest, value, modulus):
    """A step of an automaton that sums up remainders, and takes no 4 after a 1."""
    total, before = rest
    return None if (before, value) == (1, 4) else ((total + value) % modulus, value)


def region(cells, chance):
    """Some of the cells are one region; any two of them may be neighbours."""
    pairs = [pair for pair in combinations(cells, 2) if chance.random() < 4 / len(cells)]
    values = tuple(chance.sample(range(1, 6), chance.randint(1, 3)))
    return Connected(cells, tuple(pairs), values, chance.choice((None, 1, 2, 3, 4, 5)))


def counted(cells, chance):
    """The second cell may count itself."""
    counter, start, *others = cells
    if chance.random() < 0.2:
        counter = start
    cut = chance.randint(0, len(others))
    arms = tuple(others[:cut]), tuple(others[cut:])
    offset, unbroken = chance.randint(-1, 1), chance.random() < 0.5
    return CountOfEqual(counter, start, arms, offset, unbroken)


def rank(cells, chance):
    """Lines of two or three cells, which may be the same ones backwards."""
    length = chance.randint(2, 3)
    lines = [cells[at : at + length] for at in range(0, len(cells) - length + 1, length)]
    lines += [line[::-1] for line in lines if chance.random() < 0.3]
    smaller, tied = chance.randint(0, 2), chance.random() < 0.5
    return Ranked(lines[0], tuple(lines[1:]), chance.randint(1, 4), smaller, tied)


def any_formula(chance, depth):
    """A constraint of any kind over the cells of a grid of 4×4."""

    def cells(least, most, *, once=True):
        number = chance.randint(least, most)
        return tuple(
            chance.sample(range(16), number) if once else chance.choices(range(16), k=number)
        )

    def sets():
        return tuple(tuple(chance.sample(range(1, 6), chance.randint(1, 3))) for _ in range(4))

    def fact():
        return chance.randrange(16), chance.randint(1, 5)

    some, few = cells(2, 5), cells(2, 4, once=False)
    states = frozenset((0, value) for value in range(1, 5))
    kinds = [
        lambda: Allowed(few[0], tuple(chance.sample(range(7), 4))),
        lambda: Pairs(((few[0], few[1]), (few[-1], few[0])), chance.choice((lt, le, ne)), ()),
        lambda: Equivalent(((fact(), fact()),)),
        lambda: OutsideRange(few[2:], few[0], few[1]),
        lambda: AllDifferent(cells(1, 4)),
        lambda: AtLeast(some, chance.randint(1, 5), chance.randint(0, 3)),
        lambda: OneOfSets(few, sets()),
        lambda: Total(tuple((cell, chance.randint(-3, 3)) for cell in few), chance.randint(-6, 9)),
        lambda: SameTotals(
            (few, cells(1, 3, once=False), cells(1, 3)), chance.choice((None, 1, 2))
        ),
        lambda: SetTotal(some[:3], chance.randint(4, 9), tuple(chance.sample(range(6), 4))),
        lambda: TotalBetween(cells(4, 4), chance.choice((0, 2, 3, 5))),
        lambda: SegmentSums(few, chance.randint(1, 7), chance.random() < 0.5),
        lambda: AllOf((AllDifferent(some), SumBetweenExtremes(some, chance.randint(0, 7)))),
        lambda: HoldsEachPart(some, ((1, chance.randint(2, 3)), (4, 5))),
        lambda: Automaton(few, (0, 0), remainder, states, (chance.randint(2, 4),)),
        lambda: EqualToAny(some[0], some[1:]),
        lambda: DifferentPairs(tuple(zip(some[::2], some[1::2], strict=False))),
        lambda: region(cells(2, 16), chance),
        lambda: counted(cells(4, 8), chance),
        lambda: rank(cells(6, 12), chance),
        lambda: Occurrences(
            cells(2, 12), chance.randint(1, 5), chance.randint(0, 3), chance.random() < 0.5
        ),
        lambda: CountsItself(cells(1, 10)),
        lambda: Visible(some, chance.randint(1, 3), 4),
    ]
    if depth and chance.random() < 0.7:
        parts = tuple(any_formula(chance, depth - 1) for _ in range(4))
        return chance.choice(
            (AnyOf(parts[1:]), AllOf(parts[2:]), ValueSwitch(chance.randrange(16), parts))
        )
    return chance.choice(kinds)()


def test_the_solutions_of_any_formula_are_the_grids_of_which_it_holds(step):
    chance, counts = random.Random(8), []
    for _ in range(some(step, 120)):
        formula = any_formula(chance, chance.randint(0, 3))
        known = [grid for grid in filled(FOUR) if formula.holds(grid.values)]
        found = find_missing(step, Puzzle.empty(FOUR, (Formula(formula),)))
        assert found.undecided is None
        assert sorted(found.missing) == known, formula
        counts.append(len(known))
    assert len(counts) / 25 < counts.count(0) < len(counts) * 4 / 5


def test_what_is_left_over_by_sums_that_name_a_cell_twice_is_right(step):
    """Four sums of other cells are looked at together."""
    others = Cage((2, 3), 5), Cage((8, 9), 3), Cage((12, 13), 7)
    for odd in (
        Sum(((0, 1), (0, 1)), 4),
        Sum(((15, 1), (15, 1)), 4),
        Sum(((0, 2), (0, -1), (1, 1)), 5),
    ):
        rules = (odd, *others)
        found = find_missing(step, Puzzle.empty(FOUR, rules))
        known = meant(FOUR, filled(FOUR), rules)
        assert known
        assert sorted(found.missing) == known, rules


def test_too_many_alternatives_are_not_searched():
    pairs = [AnyOf(tuple(Total(((cell, 1),), value) for value in (1, 2, 3))) for cell in range(6)]
    many = Formula(AnyOf((AllOf(tuple(pairs)), AllOf(()))))
    found = find_missing(None, Puzzle.empty(FOUR, (many,)))
    why = f"a rule has more than {MAX_ALTERNATIVES} alternatives"
    assert found == SearchResult((), 0, why)


def test_constraints_of_another_kind_are_not_searched():
    class Any(Constraint):
        def scope(self):
            return ()

        def holds(self, values):
            return True

        def encode(self, clauses):
            pass

    for odd in (Formula(Any()), Formula(AnyOf((Any(), AnyOf(()), Any())))):
        found = find_missing(None, Puzzle.empty(FOUR, (odd,)))
        assert found == SearchResult((), 0, "the search does not support Any")


def test_parts_that_say_nothing_always_hold(step):
    for part in (
        Equivalent(()),
        SameTotals(((0, 1),)),
        SameTotals((), counted_value=2),
        AtLeast((), 1, 0),
    ):
        for rule in (Formula(part), Formula(AnyOf((Total(((0, 1),), 9), part, part)))):
            found = find_missing(step, Puzzle.empty(FOUR, (rule,)))
            assert len(found.missing) == 288


def test_grids_of_many_cells_are_not_searched():
    corners = tuple((18 * row, 18 * column) for row in range(4) for column in range(4))
    for geometry in (Geometry(7, 7), Geometry(4, 8), Geometry(3, 3, grids=corners)):
        found = search_all_of_variant(Puzzle.empty(geometry, (Greater(0, 1),)), ())
        assert found == SearchResult((), 0, "variants of more than 1,000 cells are not searched")


@pytest.mark.parametrize("units", [(), (AllDifferent((0, 1, 2)),)])
def test_a_long_sum_may_have_no_cell_in_any_unit(units, step):
    """A free grid has no units but those of its rules."""
    geometry = Geometry(1, 3, free_grid=FreeGrid(2, 7))
    long = Total(tuple((cell, 1) for cell in range(3, 14)), 12)
    puzzle = Puzzle.empty(geometry, tuple(map(Formula, (*units, long))))
    found = find_missing(step, puzzle)
    assert found.undecided is None
    assert len(found.missing) == 11 * (6 if units else 27)


def test_a_sum_of_many_weights_is_soon_stated():
    geometry = Geometry(5, 6)
    terms = tuple((cell, 1 + cell // 2) for cell in range(geometry.size))
    puzzle = Puzzle.empty(geometry, (Sum(terms, 1),))
    assert run_search(None, puzzle, (), 1, inf, time.monotonic() + 5) == SearchResult((), 0)


def test_a_list_that_is_none_of_different_solutions_is_refused(step):
    puzzle = Puzzle.empty(FOUR, (Greater(0, 1),))
    right = [grid for grid in filled(FOUR) if grid.values[0] > grid.values[1]]
    wrong = next(grid for grid in filled(FOUR) if grid.values[0] < grid.values[1])
    for listed in ([right[0], right[0]], [wrong], [pattern(SIX)]):
        with pytest.raises(NotSolutions):
            find_missing(step, puzzle, listed)
    with pytest.raises(ValueError, match="max_solutions: expected at least 1, found 0"):
        find_missing(step, puzzle, (), most=0)


def test_too_few_nodes_or_seconds_leave_it_undecided(step):
    puzzle = Puzzle.empty(FOUR, (AntiKnight(), Greater(0, 1)))
    whole = find_missing(step, puzzle)
    assert whole.nodes > 2
    assert find_missing(step, puzzle, nodes=1.5).nodes == 1
    for fewer in (0, 1, whole.nodes - 1):
        found = find_missing(step, puzzle, nodes=fewer)
        assert (found.nodes, found.undecided) == (
            fewer,
            f"the limit of {fewer} search nodes was reached",
        )
        assert {*found.missing} < {*whole.missing}
    assert find_missing(step, puzzle, nodes=whole.nodes) == whole
    over = run_search(step, puzzle, (), 1, inf, time.monotonic() - 1)
    assert over == SearchResult((), 0, OUT_OF_TIME)


def test_without_machine_code_only_a_short_search_is_made(monkeypatch):
    monkeypatch.setattr("pipeline.certify.variants.loader.get", lambda *_, **__: None)
    puzzle = Puzzle.empty(NINE, (XSum(tuple(range(9)), 30),))
    found = search_all_of_variant(puzzle, (), max_solutions=ALL)
    assert found.undecided.startswith("without compiled code, only short searches are made; ")
    assert (
        search_all_of_variant(puzzle, (), max_solutions=ALL, seconds=0.0).undecided == OUT_OF_TIME
    )
    small = Puzzle.empty(FOUR, (Cage((0, 1), 3),))
    assert len(search_all_of_variant(small, (), max_solutions=ALL).missing) == 48


@needs_numba
def test_with_machine_code_it_is_used(ruling, monkeypatch):
    """At once, or when plain Python takes long."""
    hard = Puzzle.empty(NINE, (XSum(tuple(range(9)), 30),))
    for needed in (False, True):
        asked = []

        def get(seconds, *, at_once=False, needed=needed, asked=asked):
            asked.append(at_once)
            return ruling if at_once >= needed else None

        monkeypatch.setattr("pipeline.certify.variants.loader.get", get)
        assert len(search_all_of_variant(hard, (), max_solutions=3000).missing) == 3000
        assert asked == ([False, True] if needed else [False])


def test_a_search_that_does_not_come_to_a_listed_solution_shows_nothing(monkeypatch):
    """Its propagation takes one solution for a contradiction."""
    puzzle = Puzzle.empty(FOUR, (Cage((0, 1, 4), 6), Greater(0, 1)))
    known = sorted(find_missing(None, puzzle).missing)
    assert len(known) > 2
    lost = [1 << value - 1 for value in known[1].values]
    propagate = search.propagate_all

    def losing(state, problem):
        return propagate(state, problem) and state[L.DOMAINS : L.DOMAINS + 16] != lost

    monkeypatch.setattr("pipeline.certify.variants.search.propagate_all", losing)
    found = find_missing(None, puzzle, known)
    assert (found.missing, found.is_complete) == ((), False)
    assert found.undecided == "the search did not find a listed solution"


def test_the_trial_refuses_a_search_that_finds_something_else(step):
    check_variant_search(step or plain_search)
    with pytest.raises(RuntimeError):
        check_variant_search(lambda *_: L.COMPLETE)


def test_rules_that_contradict_each_other_have_no_solution(step):
    for rules in (
        (Cage((0, 1), 3), Cage((0, 1), 4)),
        (Sum(((0, 0),), 1),),
        (Formula(AnyOf(())),),
        (Formula(AnyOf((Total(((0, 1),), 9), OneOfSets((1,), ((5,),))))),),
        (Formula(OneOfSets((1, 2), ((5, 6),))),),
        (Thermometer((0, 1, 5, 0)),),
    ):
        found = find_missing(step, Puzzle.empty(FOUR, rules))
        assert found.is_complete, rules


def test_what_units_share_is_bounded_and_stated_only_while_there_is_time():
    regions = tuple(
        ExtraRegion((*range(first, first + 8), last))
        for first in range(60)
        for last in range(first + 8, min(first + 18, 81))
    )
    puzzle = Puzzle.empty(Geometry(3, 3), regions)
    units = sum(len(rule.cells) + 2 for rule in regions)
    hurried, whole = (
        len(arrays.state) + len(arrays.problem)
        for arrays in (
            build_search_arrays(puzzle, time.monotonic() - 1),
            build_search_arrays(puzzle, inf),
        )
    )
    assert units < hurried < whole < 1_000_000, "all pairs of 600 regions would be some millions"


@needs_numba
def test_a_search_stops_and_continues_in_machine_code_or_in_plain_python(ruling):
    chance = random.Random(3)
    for puzzle, known, _ in islice(combinations_of_rules(9), 12):
        whole, halting = VariantSearch(puzzle), VariantSearch(puzzle)
        assert sorted(whole.solutions()) == known
        changes_at, nodes = chance.randint(0, 20), 0
        while not halting.is_complete:
            if nodes >= changes_at:
                halting.use(ruling)
            for _ in islice(halting.solutions(nodes), chance.randint(1, 3)):
                assert halting.undecided is None
            nodes += chance.randint(1, 5)
        assert (halting.found, halting.nodes) == (whole.found, whole.nodes)
        assert halting.undecided is None
        assert not [*halting.solutions()]


def test_a_contradiction_of_the_rules_needs_no_branch():
    for puzzle in (
        Puzzle.of_values(FOUR, [1, 1, *[0] * 14]),
        Puzzle.empty(FOUR, (Greater(0, 1), Greater(1, 0))),
    ):
        run = VariantSearch(puzzle)
        assert not [*run.solutions()]
        assert (run.is_complete, run.undecided) == (True, None)
        assert run.nodes == 0
