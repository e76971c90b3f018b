"""What every rule of `rules/` must do; a new one is tested by examples of it in `support/rules/`.

The clauses of a rule must take an assignment of its cells exactly if the rule holds. That is seen
for every assignment of an example whose cells allow few enough, else for some drawn at random and
for those on a walk among the ones that keep the rule.
"""

from __future__ import annotations

import dataclasses
import pickle
import random
import re
import sys
from collections.abc import Iterator
from itertools import combinations, product
from typing import NamedTuple

import pytest
from pysat.solvers import Minisat22
from support.rules import cages, lines, outside, pairs, regions
from support.rules.stating import stated

import pipeline.puzzle.rules
from pipeline.outbox.report.styles import STYLES
from pipeline.puzzle.clauses import Clauses, Most
from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

EXAMPLES = {
    rule: found
    for module in (lines, cages, outside, pairs, regions)
    for rule, found in module.EXAMPLES.items()
}
CASES = [(rule, *each) for rule, found in EXAMPLES.items() for each in found]
every_example = pytest.mark.parametrize(
    ("geometry", "rule"),
    [each[1:] for each in CASES],
    ids=[f"{kind.__name__}-{index}" for index, (kind, *_) in enumerate(CASES)],
)

RULES = [vars(pipeline.puzzle.rules)[name] for name in pipeline.puzzle.rules.__all__]

MOST = 5000
"""Assignments of an example that are all tried."""

SOME = 300
"""How many are drawn of an example that allows more, in each of several ways."""

NO_PLACE = {
    *("AntiKnight", "AntiKing", "Nonconsecutive", "NoDots", "NoXV"),
    *("Windoku", "DisjointGroups", "Diagonal"),
}
"""Rules of the whole grid, and those that say where they are by their name."""


class Stated:
    """The clauses of an example, asked whether they take values of its cells."""

    def __init__(self, geometry: Geometry, rule: Rule, most: Most | None = None) -> None:
        self.geometry, self.rule = geometry, rule
        self.clauses = stated(geometry, rule, most)
        self.cells = rule.cells(geometry)
        self.solver = Minisat22(bootstrap_with=self.clauses.made)
        for cell in self.cells:
            held = [self.clauses.at(cell, value) for value in self.values]
            self.solver.add_clause(held)
            for a, b in combinations(held, 2):
                self.solver.add_clause([-a, -b])

    @property
    def values(self) -> range:
        return range(1, self.geometry.side + 1)

    def takes(self, held: tuple[int, ...]) -> bool:
        literals = map(self.clauses.at, self.cells, held)
        return self.solver.solve(assumptions=list(literals))

    def keeps(self, held: tuple[int, ...], elsewhere: int) -> bool:
        """Whether the rule holds of a grid with one value in all other cells."""
        grid = [elsewhere] * self.geometry.size
        for cell, value in zip(self.cells, held, strict=True):
            grid[cell] = value
        return self.rule.holds(self.geometry, grid)

    def agrees(self, held: tuple[int, ...]) -> bool:
        """Whether the rule holds, and that clauses and other cells do not deny it."""
        first, last = self.keeps(held, 1), self.keeps(held, self.geometry.side)
        assert first == last, f"{self.rule} of {held} asks for more than its cells"
        assert self.takes(held) == first, f"{self.rule} of {held}: it is {first}"
        return first

    def some_taken(self, chance: random.Random) -> Iterator[tuple[int, ...]]:
        """Assignments that the clauses take, some values of which are chosen at random."""
        for _ in range(SOME):
            cells = chance.sample(self.cells, chance.randint(0, min(4, len(self.cells))))
            chosen = [self.clauses.at(cell, chance.choice(self.values)) for cell in cells]
            if self.solver.solve(assumptions=chosen):
                model = {*self.solver.get_model()}
                yield tuple(
                    next(value for value in self.values if self.clauses.at(cell, value) in model)
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


def drawn(example: Stated, chance: random.Random) -> Iterator[tuple[int, ...]]:
    """Random values, different ones as far as there are, and steps from those that are taken."""
    values, number = example.values, len(example.cells)
    for _ in range(SOME):
        yield tuple(chance.choices(values, k=number))
        if number <= len(values):
            yield tuple(chance.sample(values, number))
    for held in example.some_taken(chance):
        yield held
        here = held
        for _ in range(10):
            after = changed(chance, here, values)
            yield after
            if example.keeps(after, 1):
                here = after


def assignments(example: Stated) -> Iterator[tuple[int, ...]]:
    if len(example.values) ** len(example.cells) <= MOST:
        return product(example.values, repeat=len(example.cells))
    return drawn(example, random.Random(len(example.cells)))


def named(kind: type[Rule]) -> Iterator[type[Rule]]:
    """The rules of the package below a class: what has a name of its own is one."""
    for below in kind.__subclasses__():
        module = vars(sys.modules[below.__module__])
        # a dataclass with slots is made twice, and the first one may still be about
        if "name" in vars(below) and module.get(below.__name__) is below:
            yield below
        yield from named(below)


def test_every_rule_is_exported_and_has_a_name_of_its_own():
    known = {each for each in named(Rule) if each.__module__.startswith("pipeline.")}
    assert known == {*RULES}
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_examples(rule):
    assert EXAMPLES.get(rule)
    assert all(type(each) is rule for _, each in EXAMPLES[rule])


@every_example
def test_the_clauses_take_exactly_what_keeps_the_rule(geometry, rule):
    """Whether sums are chosen from sets of values, or added up as these are too many."""
    chosen, added = Stated(geometry, rule), Stated(geometry, rule, Most(sets=0))
    for example in (chosen,) if chosen.clauses.made == added.clauses.made else (chosen, added):
        for held in assignments(example):
            example.agrees(held)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_the_examples_of_a_rule_have_grids_that_keep_it_and_grids_that_break_it(rule):
    found = set()
    for geometry, each in EXAMPLES[rule]:
        example = Stated(geometry, each)
        found |= {example.keeps(held, 1) for held in assignments(example)}
        if len(found) == 2:
            return
    raise AssertionError(found)


@every_example
def test_the_cells_of_a_rule_are_in_the_grid_and_named_once(geometry, rule):
    cells = rule.cells(geometry)
    assert len({*cells}) == len(cells)
    assert Puzzle.empty(geometry, (rule,)).rules == (rule,)


@every_example
def test_the_clauses_are_about_the_cells_of_the_rule_and_variables_of_their_own(geometry, rule):
    clauses = stated(geometry, rule)
    own = range(clauses.candidates + 1, clauses.variables + 1)
    named = {abs(literal) for clause in clauses.made for literal in clause}
    cells = {clauses.at(cell, value) for cell in rule.cells(geometry) for value in values(clauses)}
    assert named - {*own} <= cells
    for clause in clauses.made:
        assert len({abs(literal) for literal in clause}) == len(clause)


def values(clauses: Clauses) -> range:
    return range(1, clauses.side + 1)


@every_example
def test_the_clauses_are_the_same_each_time_and_only_moved_after_others(geometry, rule):
    first, second, later = (stated(geometry, rule) for _ in range(3))
    assert (first.made, first.variables) == (second.made, second.variables)

    rule.state(geometry, later)
    by = first.variables - first.candidates

    def moved(literal: int) -> int:
        sign = 1 if literal > 0 else -1
        return literal + sign * by if abs(literal) > first.candidates else literal

    assert later.made == first.made + [tuple(map(moved, clause)) for clause in first.made]


@every_example
def test_a_condition_holds_of_all_that_is_added_under_it(geometry, rule):
    """What a rule adds under a false literal excludes nothing."""
    clauses = Clauses(geometry.side, geometry.size)
    condition = clauses.new()
    with clauses.under(condition):
        rule.state(geometry, clauses)
    with Minisat22(bootstrap_with=clauses.made) as solver:
        held = [clauses.at(cell, 1) for cell in rule.cells(geometry)]
        assert solver.solve(assumptions=[-condition, *held])


@every_example
def test_a_rule_is_a_frozen_value(geometry, rule):
    again = pickle.loads(pickle.dumps(rule))
    assert again == rule
    assert hash(again) == hash(rule)
    assert not hasattr(rule, "__dict__")
    for each in dataclasses.fields(rule):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(rule, each.name, getattr(rule, each.name))


@every_example
def test_a_rule_is_told_in_one_line_that_names_its_kind_and_its_place(geometry, rule):
    told = rule.told(geometry)
    assert told == " ".join(told.split())
    assert 0 < len(told) <= 80
    if type(rule).__name__ not in NO_PLACE:
        assert re.search(r"\b(r\d+c\d+|(row|column) \d+)\b", told)


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


@every_example
def test_a_rule_is_drawn_within_the_grid_or_just_outside_it_in_a_look_that_there_is(geometry, rule):
    around = Box(*geometry.extent)
    places: set[Place] = set(map(geometry.place, range(geometry.size)))
    for shape in rule.shapes(geometry):
        assert (type(shape), shape.kind) in STYLES
        assert points(shape)
        assert all(map(around.has, points(shape)))
        if isinstance(shape, Outline | Tint | Ring):
            assert {*points(shape)} <= places
