"""Clauses from templates are the clauses that the encodings make directly."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from pysat.solvers import Minisat22
from support.cases import for_each
from support.rules.examples import EXAMPLES

from pipeline import encode_puzzle
from pipeline.errors import LimitReached
from pipeline.puzzle.builder import ClauseBuilder, ClauseLimits
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.constraints import OneOfSets, Pairs, Ranked
from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.sums import Total
from pipeline.puzzle.templates import TEMPLATES, Template, TemplateCache

NINE = Geometry(3, 3)
RULES = [cases[0] for cases in EXAMPLES.values()]
"""A geometry and a rule of each kind."""


def new_builder(geometry: Geometry, limits: ClauseLimits | None = None) -> ClauseBuilder:
    return ClauseBuilder(
        geometry.side,
        geometry.size,
        limits or ClauseLimits(),
        lowest=geometry.lowest,
        units=units_of(geometry),
    )


def clauses_under(
    conditions: int, geometry: Geometry, rule: Rule, *, from_templates: bool
) -> tuple[list[Clause], int]:
    """The sorted clauses of a rule under conditions, and the number of variables."""
    clauses = new_builder(geometry)
    clauses._is_recorder = not from_templates
    selectors = [clauses.new_variable() for _ in range(conditions)]
    with clauses.condition(*selectors):
        rule.encode(geometry, clauses)
    return sorted(tuple(sorted(clause)) for clause in clauses.clauses), clauses.variables


@for_each("conditions", [0, 1, 3])
def test_templates_give_the_clauses_of_each_rule(conditions):
    for geometry, rule in RULES:
        made = clauses_under(conditions, geometry, rule, from_templates=True)
        assert made == clauses_under(conditions, geometry, rule, from_templates=False), rule
        again = clauses_under(conditions, geometry, rule, from_templates=True)
        assert again == made, rule


@for_each("count", [1, 7, 8, 40])
def test_templates_give_the_clauses_of_few_instances_and_of_many(count):
    pairs = tuple(combinations(range(20), 2))[:count]
    made = []
    for is_recorder in (False, True):
        clauses = new_builder(NINE)
        clauses._is_recorder = is_recorder
        Pairs(pairs, int.__lt__).encode(clauses)
        OneOfSets((0, 1, 40), ((1, 2, 3), (2, 3, 4))).encode(clauses)
        made.append((sorted(map(sorted, clauses.clauses)), clauses.variables))
    assert made[0] == made[1]


def test_unit_clauses_are_the_facts_of_a_puzzle():
    for geometry, rule in RULES:
        clauses = new_builder(geometry)
        rule.encode(geometry, clauses)
        units = [clause[0] for clause in clauses.clauses if len(clause) == 1]
        assert [*clauses.build().facts] == units


LINES = [tuple(range(start, start + 9)) for start in range(0, 81, 9)]


@for_each(
    "constraint",
    [
        Pairs(tuple(combinations(range(9), 2)), int.__ne__),
        OneOfSets(tuple(range(9)), ((1, 2, 3), (2, 3, 4, 5))),
        Ranked(LINES[0], tuple(LINES[1:]), 1, 2, may_tie=True),
        Total(tuple((cell, 1) for cell in range(20)), 90),
    ],
)
def test_the_limits_are_the_same_if_a_template_is_cached(constraint):
    complete = new_builder(NINE)
    constraint.encode(complete)
    clauses, literals = len(complete), sum(map(len, complete.clauses))
    exact = ClauseLimits(clauses=clauses, literals=literals)
    constraint.encode(new_builder(NINE, exact))
    too_low = exact._replace(clauses=clauses - 1), exact._replace(literals=literals - 1)
    for limits in (*too_low, ClauseLimits(steps=complete._steps - 1)):
        constraint.encode(new_builder(NINE))  # the template is cached
        for _ in range(2):
            with pytest.raises(LimitReached, match="the rules"):
                constraint.encode(new_builder(NINE, limits))
            TEMPLATES.clear()


def test_memory_is_checked_while_templates_are_used():
    seen: list[int] = []
    clauses = ClauseBuilder(9, 81, check=seen.append)
    for _ in range(2):
        Total(tuple((cell, 1) for cell in range(20)), 90).encode(clauses)
    assert seen[-1] >= 80 * (len(clauses) - 4096)
    assert len({*seen}) > 2


def template(numbers: int) -> Template:
    return Template(np.zeros(numbers, np.int32), 9, 0, 0, 0, (), 0)


def test_a_full_cache_of_templates_is_emptied():
    cache = TemplateCache(100_000)
    for shape in range(24):
        cache.add(shape, template(0))
    assert all(cache.get(shape) for shape in range(24))
    cache.add(24, template(300))
    assert cache.get(24)
    assert not any(map(cache.get, range(24)))


def test_large_templates_are_not_cached():
    cache = TemplateCache(100_000)
    cache.add("large", template(1000))
    assert cache.get("large") is None


def solution_of_nine(chance: random.Random) -> list[int]:
    """A grid of 9×9 that solves a Sudoku."""
    digits = chance.sample(range(1, 10), 9)
    rows = [3 * (row % 3) + row // 3 for row in range(9)]
    return [digits[(shift + column) % 9] for shift in rows for column in range(9)]


def solver_of_nine(total: Total) -> tuple[Minisat22, int]:
    """A solver of the grid and a sum, and the number of the sum's clauses."""
    clauses = new_builder(NINE)
    total.encode(clauses)
    grid = encode_puzzle(Puzzle.empty(NINE), "extended").clauses()
    solver = Minisat22(bootstrap_with=grid)
    solver.append_formula(clauses.clauses)
    return solver, len(clauses)


BORDER = [cell for cell in range(81) if {0, 8} & {*divmod(cell, 9)}]


@for_each(
    "weights",
    [
        dict.fromkeys(BORDER, 1),
        {**dict.fromkeys(range(7), -1), 40: 10, 41: 1, **dict.fromkeys(range(72, 80), -1)},
        {**dict.fromkeys(range(9), 2), 9: 1, 10: 1, 11: 1, 12: -3, 13: -3},
        dict.fromkeys(range(27), 1),
    ],
)
def test_long_sums_use_the_sums_of_whole_units(weights):
    chance = random.Random(45)
    grids = [solution_of_nine(chance) for _ in range(10)]
    sums = [sum(values[cell] * weight for cell, weight in weights.items()) for values in grids]
    solver, size = solver_of_nine(Total(tuple(weights.items()), sums[0]))
    with solver:
        for values, total in zip(grids, sums, strict=True):
            held = [9 * cell + value for cell, value in enumerate(values)]
            assert solver.solve(assumptions=held) == (total == sums[0])
    assert size < 10_000
