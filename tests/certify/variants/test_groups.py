"""Counts by groups of cells that differ: covers, sets of values, and what the search finds."""

from __future__ import annotations

import random
import time
from itertools import combinations, permutations, product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.needs import needs_numba
from support.puzzles import PATIENCE
from support.strategies import examples

from pipeline.certify.exhaustive import SearchResult
from pipeline.certify.variants import run_search
from pipeline.certify.variants.groups import (
    Covers,
    covers_of,
    self_counting_sets,
    visible_automaton,
)
from pipeline.certify.variants.simplify import SimplifiedConstraints
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    AtLeast,
    Automaton,
    NondeterministicAutomaton,
)
from pipeline.puzzle.counts import CountsItself, Occurrences, Visible
from pipeline.puzzle.geometry import FreeGrid, Geometry, bits_of, indices_of
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.puzzle.rules.pairs import AntiKnight
from pipeline.reading.formats import parse_puzzle

NINE = Geometry(3, 3)
CELLS, VALUES = 6, 3


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)], scope="module")
def step(request):
    """The search as machine code, or None for plain Python."""
    return None if request.param == "plain" else request.getfixturevalue("ruling")


class Formula(Rule):
    """A rule that is a constraint of the tests."""

    name = "formula"

    constraint: AllOf

    def constraints(self, geometry):
        return self.constraint


def simplified(puzzle):
    source = SimplifiedConstraints(puzzle)
    for rule in puzzle.rules:
        source.add(rule.constraints(puzzle.geometry))
    return source


@for_each("rules", [(), (AntiKnight(),)])
def test_a_cover_has_each_cell_once_in_groups_that_differ(rules):
    chance, source = random.Random(3), simplified(Puzzle.empty(NINE, rules))
    covers = Covers(source)
    for number in (1, 2, 9, 20, 45, 81):
        cells = tuple(chance.sample(range(81), number))
        for cover in covers.of(cells):
            assert sum(cover) == bits_of(cells)
            for group in cover:
                for a, b in combinations(indices_of(group), 2):
                    assert source.peers[a] >> b & 1
        count, *numbers = covers.table_of(cells).tolist()
        for cover in covers.of(cells):
            assert numbers.pop(0) == len(cover)
            for group in cover:
                size = numbers.pop(0)
                assert size == group.bit_count()
                assert numbers[:size] == [*indices_of(group)]
                del numbers[:size]
        assert (count, numbers) == (len(covers.of(cells)), [])


def test_there_is_a_cover_for_each_kind_of_unit():
    """A row and a cell below it: the row, or a column, or a box is a group.

    Three cells of a box are one group, although no two of them are in a line.
    """
    covers = Covers(simplified(Puzzle.empty(NINE)))
    row, column, box = ({*range(9)}, {0, 9}, {0, 1, 2, 9})
    firsts = [bits_of(group) for group in (row, column, box)]
    known = covers.of((*range(9), 9))
    assert [*known] == [tuple(sorted((first, sum(known[0]) ^ first))) for first in firsts]
    assert [len(cover) for cover in covers.of((0, 10, 20))] == [1]
    assert covers_of(0b1011, (), (2, 1, 0, 0)) == ((0b11, 0b1000),)


@examples(40)
@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=4), values=st.sets(st.integers(1, 4)))
def test_values_fit_into_groups_if_some_matrix_has_these_sums(sizes, values):
    """Each group holds a set of its size, and each value v is in v groups."""
    total = sum(sizes)
    covers = [tuple((1 << size) - 1 for size in sizes)]
    sets = self_counting_sets(range(1, 5), total, covers)
    rows = product(*(combinations(sorted(values), size) for size in sizes))
    counted = sum(values) == total and any(
        all(sum(v in row for row in matrix) == v for v in values) for matrix in rows
    )
    assert (tuple(sorted(values, reverse=True)) in sets) == counted


def test_too_many_sets_are_not_listed():
    assert self_counting_sets(range(1, 31), 200, ()) is None
    assert len(self_counting_sets(range(1, 17), 68, ())) == 1314
    assert self_counting_sets(range(3), 3, ()) == [(2, 1)]
    assert self_counting_sets(range(2, 6), 7, ()) == [(5, 2), (4, 3)]


@for_each("lowest", [0, 1])
def test_of_cells_that_differ_the_same_are_visible(lowest):
    everyone = [0b11111 ^ 1 << cell for cell in range(5)]
    for length, number in product(range(1, 6), range(6)):
        clue = Visible(tuple(range(length)), number, lowest + 4)
        quick = visible_automaton(clue, lowest, everyone)
        if length > 1:
            assert visible_automaton(clue, lowest, [0] * 5) == clue.automaton()
        for values in permutations(range(lowest, lowest + 5), length):
            assert quick.holds(values) == clue.holds(values)


@st.composite
def counting_puzzles(draw):
    """Six cells, some of which differ, with rules that count; and the solutions."""
    lowest = draw(st.integers(0, 1))
    geometry = Geometry(1, VALUES, free_grid=FreeGrid(1, CELLS, lowest))
    cells = st.lists(st.integers(0, CELLS - 1), min_size=1, unique=True).map(tuple)
    groups = st.lists(st.integers(0, CELLS - 1), min_size=2, max_size=VALUES, unique=True)
    value = st.sampled_from(geometry.values)
    rules = st.one_of(
        st.builds(Occurrences, cells, value, st.integers(0, 3), st.booleans()),
        st.builds(AtLeast, cells, value, st.integers(1, 3)),
        st.builds(CountsItself, cells),
        st.builds(Visible, cells, st.integers(1, 3), st.just(geometry.values[-1])),
    )
    parts = [
        *map(AllDifferent, draw(st.lists(groups.map(tuple), max_size=3))),
        *draw(st.lists(rules, min_size=1, max_size=2)),
    ]
    masks = draw(st.tuples(*[st.sampled_from((7, 7, 7, 3, 5, 6))] * CELLS))
    formula = AllOf(tuple(parts))
    known = [
        Grid(geometry, values)
        for values in product(geometry.values, repeat=CELLS)
        if all(mask >> v - lowest & 1 for mask, v in zip(masks, values, strict=True))
        and formula.holds(values)
    ]
    return Puzzle(geometry, masks, (Formula(formula),)), known


@examples(40)
@given(drawn=counting_puzzles())
def test_the_search_finds_all_grids_whose_counts_are_right(drawn, step):
    puzzle, known = drawn
    found = run_search(step, puzzle, (), len(known) + 1, inf, time.monotonic() + PATIENCE)
    assert (sorted(found.missing), found.undecided) == (known, None)


def table_step(state, value, table):
    return dict(table).get((state, value))


@st.composite
def automata_of_peers(draw):
    """A row of different values, some of which an automaton accepts; and the solutions."""
    geometry = Geometry(1, 5, free_grid=FreeGrid(1, 5))
    state, cells = st.integers(0, 2), st.permutations(range(5))
    line = tuple(draw(cells)[: draw(st.integers(1, 5))])
    accepted = draw(st.frozensets(state, min_size=1))
    edges = st.tuples(state, st.sampled_from(geometry.values))
    if draw(st.booleans()):
        table = frozenset(draw(st.dictionaries(edges, state, min_size=8)).items())
        automaton = Automaton(line, 0, table_step, accepted, (table,))
    else:
        nexts = st.lists(state, max_size=2, unique=True).map(tuple)
        moves = st.tuples(*[st.tuples(*[nexts] * 6)] * 3)
        automaton = NondeterministicAutomaton(line, draw(moves), (0, 1), accepted)
    masks = draw(st.tuples(*[st.sampled_from((31, 31, 15, 22, 25, 7))] * 5))
    known = [
        Grid(geometry, values)
        for values in permutations(geometry.values)
        if all(mask >> v - 1 & 1 for mask, v in zip(masks, values, strict=True))
        and automaton.holds(values)
    ]
    rule = Formula(AllOf((AllDifferent(tuple(range(5))), automaton)))
    return Puzzle(geometry, masks, (rule,)), known


@examples(60)
@given(drawn=automata_of_peers())
def test_the_search_finds_all_rows_of_different_values_that_an_automaton_accepts(drawn, step):
    puzzle, known = drawn
    found = run_search(step, puzzle, (), len(known) + 1, inf, time.monotonic() + PATIENCE)
    assert (sorted(found.missing), found.undecided) == (known, None)


@for_each(
    "rule",
    [
        "ContainExact~4_4_4~R1C1~R1C5~R1C9~R4C2~R4C6",
        "ContainAtLeast~4_4_4~R1C1~R2C2~R3C3~R4C4~R5C5",
        "CountingCircles~R1C1~R1C5~R1C9~R4C2~R4C6~R4C8~R4C9",
    ],
)
def test_copies_of_a_value_that_need_more_groups_than_there_are_end_the_search_at_once(rule):
    givens = ".~R2C1_3" if rule.startswith("Counting") else ""
    found = run_search(None, parse_puzzle(f".{rule}{givens}"), (), 1, inf, inf)
    assert found == SearchResult((), 0)
