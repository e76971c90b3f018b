"""Innies and outies follow from cages and units, and solvers need them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pysat.solvers import Glucose4
from support.cases import for_each

from pipeline import encode_puzzle, parse_puzzle
from pipeline.puzzle.builder import ClauseBuilder
from pipeline.puzzle.constraints import AllDifferent, Constraint, conjuncts
from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.regions import Region
from pipeline.puzzle.sums import SetTotal, Total
from pipeline.puzzle.unit_totals import unit_totals

FOUR, NINE = Geometry(2, 2), Geometry(3, 3)
GRID = tuple((3 * row + row // 3 + column) % 9 + 1 for row in range(9) for column in range(9))
HARD_KILLER = "D<A<GD<I<^S<<^H<<^B^P<^D<^B^^^^^^^F^E<N<<<<^<7^O<KO<NB^F^^^^^^^G^<<^>>^F^<D<^A<>^"


def totals_of(geometry: Geometry, rules: Sequence[Rule]) -> list[Constraint]:
    parts = [*conjuncts(rule.constraints(geometry) for rule in rules)]
    builder = ClauseBuilder(geometry.side, geometry.size, units=units_of(geometry))
    builder.add_regions(part.cells for part in parts if isinstance(part, AllDifferent))
    return [*unit_totals(parts, builder.group_masks, geometry.values, builder.peers)]


@for_each(
    ("rules", "expected"),
    [
        ([Cage((0, 1, 2), 6)], Total(((3, 1),), 4)),
        ([Cage((0, 1, 2, 7), 10)], Total(((3, 1), (7, -1)), 0)),
        ([Cage((1, 2), 5)], SetTotal((0, 3), 5, FOUR.values)),
        ([Cage((0, 1, 4), 7), Cage((2, 3, 7), 6)], SetTotal((4, 7), 3, FOUR.values)),
        ([Region((0, 1, 2, 5)), Cage((0, 1), 3)], SetTotal((2, 5), 7, FOUR.values)),
        ([Cage((0, 1, 2), 6), Cage((1, 2, 3, 7), 10)], Total(((3, 1),), 4)),
    ],
)
def test_cages_that_nearly_fill_a_unit_leave_innies_or_outies(rules, expected):
    assert expected in totals_of(FOUR, rules)


def test_what_follows_from_the_cages_of_a_solved_grid_holds_there_and_is_short():
    chance, found = random.Random(5), list[Constraint]()
    for _ in range(20):
        cages, remaining = list[Cage](), {*range(81)}
        while len(remaining) > 10:
            start = chance.choice(sorted(remaining))
            shape = [start + offset for offset in (0, 1, 9, 10)[: chance.randint(2, 4)]]
            cells = tuple(cell for cell in shape if cell in remaining)
            remaining.difference_update(shape)
            if len({GRID[cell] for cell in cells}) == len(cells):
                cages.append(Cage(cells, sum(GRID[cell] for cell in cells)))
        found += totals_of(NINE, cages)
    assert {*map(type, found)} == {SetTotal, Total}
    assert all(total.holds(GRID) for total in found)
    assert all(len(total.terms) <= 3 for total in found if isinstance(total, Total))


def test_without_sums_nothing_follows():
    assert totals_of(FOUR, [Cage((0, 1, 2)), Region((0, 1, 2, 5))]) == []


def test_a_solver_needs_few_conflicts_for_a_killer_with_few_innies():
    cnf = encode_puzzle(parse_puzzle(HARD_KILLER))
    with Glucose4(bootstrap_with=cnf.clauses()) as solver:
        assert solver.solve()
        solver.add_clause([-x for x in solver.get_model() if x in cnf.candidates])
        assert not solver.solve()
        assert solver.accum_stats()["conflicts"] < 2000  # 7,198 without them
