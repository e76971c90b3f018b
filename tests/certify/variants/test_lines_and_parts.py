"""Sum lines, sums between extreme values, and parts of squares: the search finds what is meant."""

from __future__ import annotations

import random
from itertools import combinations, product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from pipeline.certify.variants import layout as L
from pipeline.certify.variants import run_search
from pipeline.certify.variants.arrays import build_search_arrays
from pipeline.certify.variants.line_propagators import MAX_SEGMENT_TOTAL
from pipeline.certify.variants.propagation import propagate_all
from pipeline.certify.variants.search import _schedule_all
from pipeline.certify.variants.simplify import NoSolution, searched_values
from pipeline.puzzle.constraints import AllDifferent, AllOf, AnyOf, Constraint, HoldsEachPart
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.line_sums import SegmentSums, SumBetweenExtremes
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.sums import Total, TotalBetween

MOST_GRIDS = 250


class Stated(Rule):
    """A rule that is a constraint."""

    name = "stated"

    constraint: Constraint

    def constraints(self, geometry):
        return self.constraint


def row(candidates, constraint, values):
    """A row of cells that must keep nothing but the constraint."""
    geometry = Geometry(1, len(values), free_grid=FreeGrid(1, len(candidates), values[0]))
    masks = tuple(sum(1 << v - values[0] for v in some) for some in candidates)
    return Puzzle(geometry, masks, (Stated(constraint),))


def all_of(candidates, keeps):
    return [line for line in product(*map(sorted, candidates)) if keeps(line)]


def found(puzzle):
    result = run_search(None, puzzle, (), MOST_GRIDS + 1, inf, inf)
    assert result.undecided is None
    return sorted(grid.values for grid in result.missing)


def left_after_propagation(puzzle):
    """The values of each cell before the first branch; None after a contradiction."""
    lowest, size = searched_values(puzzle)[0], puzzle.geometry.size
    try:
        state, problem, _ = build_search_arrays(puzzle, inf)
    except NoSolution:
        return None
    state, problem = state.tolist(), problem.tolist()
    _schedule_all(state, problem)
    if not propagate_all(state, problem):
        return None
    masks = state[L.DOMAINS : L.DOMAINS + size]
    return [{bit + lowest for bit in range(31) if mask >> bit & 1} for mask in masks]


def columns(lines):
    """The values that each cell has in some line; None if there is no line."""
    return [{*column} for column in zip(*lines, strict=True)] if lines else None


@st.composite
def rows(draw, most_cells, most_values):
    """Values, and candidates of a few cells, of which there are not too many combinations."""
    lowest = draw(st.integers(0, 1))
    values = range(lowest, lowest + draw(st.integers(2, most_values)))
    length = draw(st.integers(1, most_cells))
    some = st.sets(st.sampled_from(values), min_size=1)
    candidates = draw(st.lists(some, min_size=length, max_size=length))
    number = 1
    for index, cell in enumerate(candidates):
        if number * len(cell) > MOST_GRIDS:
            candidates[index] = {min(cell)}
        number *= len(candidates[index])
    return values, candidates


def has_segments(line, total):
    """Whether the line, up to values of 0, is cut into pieces of the total."""
    if not any(line):
        return True
    ends = [end for end in range(1, len(line) + 1) if sum(line[:end]) == total]
    return any(has_segments(line[end:], total) for end in ends)


@given(rows(5, 5), st.integers(1, 11), st.booleans(), st.data())
@examples(60)
def test_segments_of_lines_and_loops_sum_to_the_total(cells, total, is_loop, data):
    """A line may visit a cell twice. Else, without a 0, each value left is in some solution."""
    values, candidates = cells
    line = (*range(len(candidates)),)
    if repeated := data.draw(st.lists(st.sampled_from(line), max_size=1)):
        line = (*line, *repeated)

    def keeps(held):
        held = [held[cell] for cell in line]
        starts = range(len(held)) if is_loop else [0]
        some = any(held) or not is_loop
        return some and any(has_segments(held[k:] + held[:k], total) for k in starts)

    constraint = SegmentSums(line, total, is_loop)
    puzzle, known = row(candidates, constraint, values), all_of(candidates, keeps)
    assert found(puzzle) == known
    assert known == all_of(candidates, constraint.holds)
    if not (repeated or (is_loop and 0 in values)):
        assert left_after_propagation(puzzle) == columns(known)


@pytest.mark.parametrize("is_loop", [False, True])
@pytest.mark.parametrize("total", [MAX_SEGMENT_TOTAL, MAX_SEGMENT_TOTAL + 1])
def test_the_partial_sums_of_long_segments_fit_into_a_number(total, is_loop):
    """Above the limit, they are the states of an automaton."""
    values = range(1, 32)
    candidates = [{31}, {1, 29, 30, 31}, {28, 29, 30, 31}, {2, 31}]
    for line in product(*map(sorted, candidates)):
        cut = [sum(line[:end]) for end in range(5)]
        arcs = [(a, b) for a, b in combinations(cut[:-1], 2)] if is_loop else [(0, b) for b in cut]
        is_kept = cut[-1] == total or (
            cut[-1] == 2 * total and any(b - a == total for a, b in arcs)
        )
        assert SegmentSums((0, 1, 2, 3), total, is_loop).holds(line) == is_kept
    puzzle = row(candidates, SegmentSums((0, 1, 2, 3), total, is_loop), values)
    known = all_of(candidates, SegmentSums((0, 1, 2, 3), total, is_loop).holds)
    assert found(puzzle) == known
    assert known


@given(rows(6, 6), st.integers(0, 14))
@examples(60)
def test_values_between_the_smallest_and_the_largest_sum_to_the_total(cells, total):
    values, candidates = cells

    def keeps(held):
        first, last = sorted((held.index(min(held)), held.index(max(held))))
        return len({*held}) == len(held) and sum(held[first + 1 : last]) == total

    line = (*range(len(candidates)),)
    if len(line) < 2:
        return
    between = AllOf((AllDifferent(line), SumBetweenExtremes(line, total)))
    known = all_of(candidates, keeps)
    assert known == all_of(candidates, between.holds)
    assert found(row(candidates, between, values)) == known
    either = AnyOf((between, Total(((0, 1),), values[0])))
    known = all_of(candidates, lambda held: keeps(held) or held[0] == values[0])
    assert found(row(candidates, either, values)) == known


@pytest.mark.parametrize("total", [0, 5, 14])
def test_a_whole_line_has_the_sum_between_1_and_the_number_of_its_cells(total):
    """Values from 0 leave out the 0."""
    chance = random.Random(total)
    for lowest in (0, 1):
        candidates = [{*chance.sample(range(1, 7), 4), lowest} for _ in range(6)]
        constraint = TotalBetween(tuple(range(6)), total)
        puzzle = row(candidates, constraint, range(lowest, 7))
        known = all_of(candidates, constraint.holds)
        assert found(puzzle) == known
        assert known


def test_values_between_extremes_of_wide_grids_are_alternatives():
    """Sets of more than 12 values are not listed."""
    candidates = [{1, 13}, {2, 5}, {3, 5, 7}, {1, 12, 13}]
    for constraint in (SumBetweenExtremes((0, 1, 2, 3), 7), SumBetweenExtremes((3, 2, 1, 0), 12)):
        both = AllOf((AllDifferent((0, 1, 2, 3)), constraint))
        known = all_of(candidates, both.holds)
        assert found(row(candidates, both, range(1, 14))) == known
        assert known


def test_sets_between_the_ends_of_a_sandwich_are_found_without_a_branch():
    """The sum 9 leaves the sets of 2, 3, 4 and of 4, 5 between 1 and 6."""
    candidates = [{1, 5, 6}, {2, 3, 4}, {2, 3, 4, 5}, {2, 3, 5}, {1, 4, 5, 6}, {1, 5, 6}]
    constraint = TotalBetween(tuple(range(6)), 9)
    puzzle = row(candidates, constraint, range(1, 7))
    assert left_after_propagation(puzzle) == columns(found(puzzle))


@given(rows(5, 7), st.integers(0, 7), st.data())
@examples(60)
def test_each_part_is_held_and_each_value_left_is_in_some_solution(cells, number, data):
    """More parts than are looked at together are stated one by one."""
    values, candidates = cells
    owners = data.draw(st.lists(st.integers(0, number), min_size=7, max_size=7))
    parts = tuple(
        tuple(v for v, owner in zip(values, owners, strict=False) if owner == part)
        for part in range(number)
    )
    line = tuple(range(len(candidates)))
    puzzle = row(candidates, HoldsEachPart(line, parts), values)
    known = all_of(candidates, lambda held: all({*held} & {*part} for part in parts))
    assert found(puzzle) == known
    assert known == all_of(candidates, HoldsEachPart(line, parts).holds)
    if number > 5:
        return
    assert left_after_propagation(puzzle) == columns(known)
    either = AnyOf((HoldsEachPart(line, parts), Total(((0, 1),), values[-1])))
    known = all_of(candidates, lambda h: all({*h} & {*p} for p in parts) or h[0] == values[-1])
    assert found(row(candidates, either, values)) == known


def test_the_only_value_of_a_part_is_eliminated_from_common_peers():
    cells = [{1, 2}, {1, 3}, {2, 3, 4}, {1, 2, 3, 4}]
    differ = AllDifferent((0, 1, 3))
    puzzle = row(cells, AllOf((differ, HoldsEachPart((0, 1, 2), ((1,), (4,))))), range(1, 5))
    left = left_after_propagation(puzzle)
    assert left == [{1, 2}, {1, 3}, {4}, {2, 3, 4}]
    assert left == columns(found(puzzle))
