"""What every rule of `rules/` must do; a new one is tested by its examples in `support/rules/`.

Three things must agree on an assignment of the cells of a rule: its formula, the clauses of that,
and a plain predicate in `support/rules/predicates.py`. All assignments of an example are compared
where they are few enough, else some drawn at random and on a walk among those that keep the rule.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import pytest
from pysat.solvers import Minisat22
from support.cases import default_cases, for_each
from support.rules.examples import EXAMPLES, stated
from support.rules.predicates import MEANS

from pipeline.outbox.report.rule_shapes import SHAPE_KINDS
from pipeline.puzzle.builder import ClauseBuilder, ClauseLimits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

every_rule = for_each("kind", EXAMPLES)

QUICK, THOROUGH = (800, 20), (1500, 60)
"""How many assignments of an example are all tried, and else drawn in each of several ways."""


class Stated:
    """An example, and its clauses: totals are chosen from sets of values, or added up."""

    def __init__(self, geometry: Geometry, rule: Rule) -> None:
        self.geometry, self.rule = geometry, rule
        self.formula, self.means = rule.constraints(geometry), MEANS[type(rule)]
        self.clauses = stated(geometry, rule)
        self.values = self.clauses.values
        self.cells = rule.scope(geometry)
        added = stated(geometry, rule, ClauseLimits(sets=0))
        ways = [self.clauses] if self.clauses.clauses == added.clauses else [self.clauses, added]
        self.solvers = [self._solver(clauses) for clauses in ways]
        self.keeps = cache(self._keeps)

    def _solver(self, clauses: ClauseBuilder) -> Minisat22:
        solver = Minisat22(bootstrap_with=clauses.clauses)
        for cell in self.cells:
            held = [clauses.literal(cell, value) for value in self.values]
            solver.add_clause(held)
            for a, b in combinations(held, 2):
                solver.add_clause([-a, -b])
        return solver

    def grid(self, held: tuple[int, ...], elsewhere: int) -> list[int]:
        """A grid with one value in all other cells."""
        grid = [elsewhere] * self.geometry.size
        for cell, value in zip(self.cells, held, strict=True):
            grid[cell] = value
        return grid

    def _keeps(self, held: tuple[int, ...]) -> bool:
        """Whether the rule holds; that its formula, clauses and other cells do not deny it."""
        grid, other = (self.grid(held, elsewhere) for elsewhere in (1, self.geometry.side))
        wanted = self.means(self.rule, self.geometry, grid)
        assert self.means(self.rule, self.geometry, other) == wanted, "asks for other cells"
        for each in (grid, other):
            assert self.formula.holds(each) == wanted, f"{self.rule} of {held}: it is {wanted}"
        literals = [*map(self.clauses.literal, self.cells, held)]
        for solver in self.solvers:
            taken = solver.solve(assumptions=literals)
            assert taken == wanted, f"clauses of {self.rule} of {held}: it is {wanted}"
        return wanted

    def some_taken(self, chance: random.Random, number: int) -> Iterator[tuple[int, ...]]:
        """Assignments that the clauses take, some values of which are chosen at random."""
        for _ in range(number):
            cells = chance.sample(self.cells, chance.randint(0, min(4, len(self.cells))))
            chosen = [self.clauses.literal(cell, chance.choice(self.values)) for cell in cells]
            solver = chance.choice(self.solvers)
            if solver.solve(assumptions=chosen):
                model = {*solver.get_model()}
                yield tuple(
                    next(
                        value for value in self.values if self.clauses.literal(cell, value) in model
                    )
                    for cell in self.cells
                )


def changed(chance: random.Random, held: tuple[int, ...], values: range) -> tuple[int, ...]:
    """The values with one of them changed, or two of them swapped."""
    after = list(held)
    a, b = chance.randrange(len(held)), chance.randrange(len(held))
    if chance.random() < 0.5:
        after[a] = chance.choice(values)
    else:
        after[a], after[b] = after[b], after[a]
    return tuple(after)


def drawn(example: Stated, chance: random.Random, some: int) -> Iterator[tuple[int, ...]]:
    """Random values, different ones as far as there are, and steps from those that are taken."""
    values, number = example.values, len(example.cells)
    for _ in range(some):
        yield tuple(chance.choices(values, k=number))
        if number <= len(values):
            yield tuple(chance.sample(values, number))
    for held in example.some_taken(chance, some):
        yield held
        here = held
        for _ in range(10):
            after = changed(chance, here, values)
            yield after
            if example.keeps(after):
                here = after


def assignments(example: Stated, most: int, some: int) -> Iterator[tuple[int, ...]]:
    """All of them; of more than `most`, `some` that are drawn in each of several ways."""
    if len(example.values) ** len(example.cells) <= most:
        return product(example.values, repeat=len(example.cells))
    return drawn(example, random.Random(len(example.cells)), some)


def named(kind: type[Rule]) -> Iterator[type[Rule]]:
    """The rules of the package below a class: each class with a name of its own is one."""
    for below in kind.__subclasses__():
        if "name" in vars(below):
            yield below
        yield from named(below)


def test_every_rule_has_a_name_of_its_own_examples_and_a_predicate():
    rules = {each for each in named(Rule) if each.__module__.startswith("pipeline.puzzle.")}
    assert rules == {*EXAMPLES} == {*MEANS}
    assert len({rule.name for rule in rules}) == len(rules)
    assert all(type(each) is rule for rule, found in EXAMPLES.items() for _, each in found)


@pytest.mark.parametrize(("most", "some"), default_cases([QUICK, THOROUGH], QUICK))
@every_rule
def test_formula_clauses_and_predicate_agree_on_what_keeps_the_rule_and_what_breaks_it(
    kind, most, some
):
    seen = set()
    for geometry, rule in EXAMPLES[kind]:
        example = Stated(geometry, rule)
        seen |= set(map(example.keeps, assignments(example, most, some)))
    assert seen == {True, False}


@every_rule
def test_the_clauses_are_about_the_cells_of_the_rule_and_variables_of_their_own(kind):
    for geometry, rule in EXAMPLES[kind]:
        cells = rule.scope(geometry)
        assert len({*cells}) == len(cells)
        assert {*rule.constraints(geometry).scope()} <= {*cells}
        assert Puzzle.empty(geometry, (rule,)).rules == (rule,)

        clauses = stated(geometry, rule)
        own = {*range(clauses.candidates + 1, clauses.variables + 1)}
        literals = {abs(literal) for clause in clauses.clauses for literal in clause}
        assert literals - own <= {clauses.literal(c, v) for c in cells for v in clauses.values}
        assert all(len({*map(abs, clause)}) == len(clause) for clause in clauses.clauses)


@every_rule
def test_a_condition_holds_of_all_that_is_added_under_it(kind):
    """What a rule adds under a false literal excludes nothing."""
    for geometry, rule in EXAMPLES[kind]:
        clauses = ClauseBuilder(geometry.side, geometry.size, lowest=geometry.lowest)
        condition = clauses.new_variable()
        with clauses.condition(condition):
            rule.encode(geometry, clauses)
        with Minisat22(bootstrap_with=clauses.clauses) as solver:
            held = [clauses.literal(cell, 1) for cell in rule.scope(geometry)]
            assert solver.solve(assumptions=[-condition, *held])


@every_rule
def test_a_rule_and_its_formula_are_frozen_values(kind):
    for geometry, rule in EXAMPLES[kind]:
        for each in (rule, rule.constraints(geometry)):
            again = pickle.loads(pickle.dumps(each))
            assert (again, hash(again)) == (each, hash(each))
            for field in dataclasses.fields(each):
                with pytest.raises(dataclasses.FrozenInstanceError):
                    setattr(each, field.name, getattr(each, field.name))


@every_rule
def test_a_rule_is_described_in_one_line_that_names_its_kind_and_its_place(kind):
    cells_of: dict[tuple[Geometry, str], tuple[int, ...]] = {}
    for geometry, rule in EXAMPLES[kind]:
        described = rule.describe(geometry)
        assert described == " ".join(described.split())
        assert 0 < len(described) <= 80
        if kind.preposition or kind.describe is not Rule.describe:
            assert re.search(r"\b(r\d+c\d+|(row|column) \d+|[A-Z]{2,}\d*)\b", described)
        else:
            cells = rule.scope(geometry)
            assert cells_of.setdefault((geometry, described), cells) == cells, "it has a place"


class Box(NamedTuple):
    """The extent of a grid and one cell around it."""

    rows: int
    columns: int

    def has(self, point: Point) -> bool:
        row, column = point
        return 0 <= row <= self.rows + 1 and 0 <= column <= self.columns + 1


def points(shape: Shape) -> tuple[Point, ...]:
    match shape:
        case Line() | Ring():
            return shape.points
        case Dot() | Label():
            return (shape.point,)
        case Outline() | Tint():
            return shape.cells


@every_rule
def test_a_rule_is_drawn_within_the_grid_or_just_outside_it_in_a_look_that_there_is(kind):
    for geometry, rule in EXAMPLES[kind]:
        around = Box(*geometry.extent)
        places: set[Place] = set(map(geometry.place, range(geometry.size)))
        for shape in rule.draw(geometry):
            assert (type(shape), shape.kind) in SHAPE_KINDS
            assert points(shape)
            assert all(map(around.has, points(shape)))
            if isinstance(shape, Outline | Tint | Ring):
                assert {*points(shape)} <= places


def numbers_changed(rule: Rule) -> Iterator[Rule]:
    """The rule with one of its numbers or choices changed, if it can be that."""
    for field in dataclasses.fields(rule):
        value = getattr(rule, field.name)
        if isinstance(value, int):
            with contextlib.suppress(ValueError):
                after = not value if isinstance(value, bool) else value + 1
                yield dataclasses.replace(rule, **{field.name: after})


@every_rule
def test_what_is_drawn_and_printed_of_a_rule_tells_its_numbers(kind):
    for geometry, rule in EXAMPLES[kind]:
        for other in numbers_changed(rule):
            drawn, after = (list(each.draw(geometry)) for each in (rule, other))
            assert (drawn, rule.caption()) != (after, other.caption()), other
