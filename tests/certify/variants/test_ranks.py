"""Full rank: the search finds the grids that a plain predicate takes, in few branches."""

from __future__ import annotations

import random
from functools import cache
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.needs import needs_numba
from support.oracle import solutions
from support.rules.predicates import MEANS

from pipeline.certify.variants import run_search
from pipeline.certify.variants.rank_numbers import comparable_pairs, ranked_lines
from pipeline.puzzle.constraints import AnyOf, Constraint, Ranked
from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.rules import directed_lines
from pipeline.puzzle.rules.outside import FullRank
from pipeline.reading.formats import parse_puzzle

THREE, LATIN, FOUR = Geometry(1, 3), Geometry(1, 4), Geometry(2, 2)
CASE_OF_SIX_CLUES = (
    ".FullRank~R5~17~.FullRank~R4~1~.FullRank~C2~32~.FullRank~C3~28~.FullRank~C4~23~"
    ".FullRank~R1~34~"
)


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def compiled_search(request):
    """The search as machine code, or None for plain Python."""
    return None if request.param == "plain" else request.getfixturevalue("ruling")


class AnyRank(Rule):
    """At least one of the clues holds."""

    name = "any rank"

    clues: tuple[FullRank, ...]

    def constraints(self, geometry) -> Constraint:
        return AnyOf(tuple(clue.constraints(geometry) for clue in self.clues))


@cache
def grids(geometry):
    """All grids of a small geometry."""
    return solutions(Puzzle.empty(geometry), 10_000)


def lines_of(geometry):
    return [*dict.fromkeys(directed_lines(geometry))]


def is_solution(puzzle, grid):
    """Whether a grid keeps the masks and the clues, by their plain predicate."""

    def holds(rule):
        if isinstance(rule, AnyRank):
            return any(map(holds, rule.clues))
        return MEANS[FullRank](rule, puzzle.geometry, grid.values)

    in_masks = all(mask >> v - 1 & 1 for mask, v in zip(puzzle.cells, grid.values, strict=True))
    return in_masks and all(map(holds, puzzle.rules))


def search_all(compiled_search, puzzle):
    return sorted(run_search(compiled_search, puzzle, (), 10_000, inf, inf).missing)


def clue_of(grid, line, *, tied):
    """The clue of a line of a grid."""
    values = [[grid.values[cell] for cell in line] for line in lines_of(grid.geometry)]
    own = [grid.values[cell] for cell in line]
    less = sum(other[0] == own[0] and other < own for other in values)
    return FullRank(line, 4 * own[0] - 3 + less, tied)


def random_puzzle(chance):
    """A puzzle with ranks, most of them of one grid, and some known cells."""
    geometry = chance.choice((LATIN, FOUR))
    grid = chance.choice(grids(geometry))
    clues = []
    for line in chance.sample(lines_of(geometry), chance.randint(1, 4)):
        clue = clue_of(grid, line, tied=chance.random() < 0.5)
        number = clue.number if chance.random() < 0.8 else chance.randint(1, 16)
        clues.append(FullRank(line, number, clue.tied))
    masks = [15] * 16
    for cell in chance.sample(range(16), chance.choice((0, 0, 1, 3, 5))):
        is_given = chance.random() < 0.5
        masks[cell] = 1 << grid.values[cell] - 1 if is_given else chance.randrange(1, 16)
    some_rules = (*clues[:1], AnyRank(tuple(clues[1:] or clues)))
    return Puzzle(geometry, tuple(masks), some_rules if chance.random() < 0.3 else tuple(clues))


def test_ranks_are_those_that_the_predicate_takes(compiled_search):
    chance, counts = random.Random(3), []
    for _ in range(120 if compiled_search else 30):
        puzzle = random_puzzle(chance)
        known = [grid for grid in grids(puzzle.geometry) if is_solution(puzzle, grid)]
        assert search_all(compiled_search, puzzle) == known, puzzle
        counts.append(len(known))
    assert len(counts) / 4 < counts.count(0) < len(counts) * 3 / 4


clues_of_three = st.builds(
    FullRank, st.sampled_from(lines_of(THREE)), st.integers(1, 12), st.booleans()
)


@given(st.integers(0, 7**9 - 1), st.lists(clues_of_three, min_size=1, max_size=3))
def test_ranks_of_three_lines_are_those_that_the_predicate_takes(number, clues):
    masks = tuple(number // 7**cell % 7 + 1 for cell in range(9))
    puzzle = Puzzle(THREE, masks, tuple(clues))
    known = [grid for grid in grids(THREE) if is_solution(puzzle, grid)]
    assert search_all(None, puzzle) == known


def test_all_ranks_of_a_grid_with_ties_hold(compiled_search):
    for grid in random.Random(2).sample(grids(LATIN), 4):
        rules = tuple(clue_of(grid, line, tied=True) for line in lines_of(LATIN))
        assert search_all(compiled_search, Puzzle.empty(LATIN, rules)) == [
            other
            for other in grids(LATIN)
            if all(MEANS[FullRank](rule, LATIN, other.values) for rule in rules)
        ]


def test_a_hard_puzzle_of_six_ranks_takes_few_branches():
    found = run_search(None, parse_puzzle(CASE_OF_SIX_CLUES), (), 2, 200, inf)
    assert (len(found.missing), found.undecided) == (1, None)
    assert found.nodes < 100


def test_lines_are_divided_by_the_edge_at_which_they_begin():
    lines = ranked_lines(frozenset(lines_of(FOUR)), units_of(FOUR))
    assert lines.are_different
    assert sorted(lines.edges) == [
        ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11), (12, 13, 14, 15)),
        ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)),
        ((3, 2, 1, 0), (7, 6, 5, 4), (11, 10, 9, 8), (15, 14, 13, 12)),
        ((12, 8, 4, 0), (13, 9, 5, 1), (14, 10, 6, 2), (15, 11, 7, 3)),
    ]


def test_lines_that_do_not_begin_at_whole_units_have_no_edges():
    lines = frozenset(lines_of(FOUR))
    rows = tuple(FOUR.rows())
    assert ranked_lines(lines, rows) == ((), False)
    assert ranked_lines(lines - {rows[0]}, units_of(FOUR)) == ((), True)
    assert ranked_lines(frozenset(((0,), (1,))), ((0, 1),)) == ((), False)


def test_only_ranks_of_the_same_lines_and_value_are_comparable():
    lines = (0, 1), (2, 3), (4, 5)
    clues = [
        Ranked(lines[0], lines[1:], 1, 1, False),
        Ranked(lines[1], (lines[0], lines[2]), 1, 0, False),
        Ranked(lines[2], lines[:2], 2, 0, False),
        Ranked(lines[2], lines[:1], 1, 2, False),
    ]
    assert [*comparable_pairs([AnyOf(()), *clues])] == [(clues[1], clues[0])]
