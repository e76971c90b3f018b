"""The clauses of segments accept exactly the lines and loops that can be divided."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from pysat.solvers import Minisat22
from support.cases import for_each

from pipeline.puzzle.builder import ClauseBuilder
from pipeline.puzzle.line_sums import SegmentSums


def accepted_by(clauses: ClauseBuilder) -> set[tuple[int, ...]]:
    """The values of three cells that satisfy the clauses."""
    with Minisat22(bootstrap_with=clauses.clauses) as solver:
        for cell in range(3):
            held = [clauses.literal(cell, value) for value in clauses.values]
            solver.add_clause(held)
            for a, b in combinations(held, 2):
                solver.add_clause([-a, -b])
        return {
            values
            for values in product(clauses.values, repeat=3)
            if solver.solve(assumptions=[*map(clauses.literal, range(3), values)])
        }


def has_segments(line: Sequence[int], total: int) -> bool:
    """Whether a line can be divided into segments, at least one, that each sum to the total."""
    return any(
        sum(line[:end]) == total and (not any(line[end:]) or has_segments(line[end:], total))
        for end in range(1, len(line) + 1)
    )


@for_each("lowest", [0, 1])
@for_each("is_loop", [False, True])
@for_each("total", [1, 2, 3, 5, 6, 12, 13])
def test_segments_of_a_line_or_loop_have_the_same_total(total, is_loop, lowest):
    line = (0, 1, 2, 0)
    clauses = ClauseBuilder(4, 3, lowest=lowest)
    SegmentSums(line, total, is_loop).encode(clauses)
    meant = set()
    for values in product(clauses.values, repeat=3):
        held = [values[cell] for cell in line]
        rotations = [held[start:] + held[:start] for start in range(len(held))]
        if any(has_segments(each, total) for each in (rotations if is_loop else [held])):
            meant.add(values)
        elif not is_loop and not any(held):
            meant.add(values)  # a line of zeros has no segments
    assert accepted_by(clauses) == meant
