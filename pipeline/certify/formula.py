"""The formula that a proof of completeness refutes, from the rules alone, and its DIMACS text.

It states the puzzle, and excludes each published grid: if it is unsatisfiable, there is no other
solution. No encoder takes part in it. Most of its clauses are satisfied as soon as its
unit clauses are propagated; the rest is its core, which is quicker to refute, and whose refutation
is quicker to check.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, combinations, compress
from math import comb
from operator import ne, neg

from pipeline.errors import LimitReached
from pipeline.limits import NEVER, Deadline
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.geometry import Geometry, units_of, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle

MAX_CLAUSES = 3_000_000
"""Limit on the clauses of a puzzle's formula."""

MAX_REFUTED = 1_000_000
"""Clauses of any other for which making and checking a proof takes a gigabyte."""

_AT_ONCE = 10_000
_OFTEN = 1000
_HEADER = re.compile(r"p cnf (0|[1-9][0-9]{0,9}) (0|[1-9][0-9]{0,9})\n")
_BODY = re.compile(r"(?:(?:-?[1-9][0-9]{0,9} )*+0\n)*+")


class FormulaTooLarge(LimitReached):
    """A geometry whose rules need more clauses than a proof can be made for."""


@dataclass(frozen=True, eq=False)
class Rules:
    """The clauses that all puzzles of a geometry share, and their text, made once."""

    clauses: tuple[Clause, ...]

    @cached_property
    def text(self) -> str:
        return "".join(_pieces(self.clauses))


@dataclass(frozen=True, slots=True)
class Formula:
    """Clauses over the variables 1 … `variables`, in the order in which they are published.

    A clause names no variable twice. `rules` are the clauses it begins with, if they are shared
    with other formulas.
    """

    variables: int
    clauses: tuple[Clause, ...]
    rules: Rules = field(default=Rules(()), repr=False, compare=False)

    @property
    def own(self) -> tuple[Clause, ...]:
        return self.clauses[len(self.rules.clauses) :]

    def text(self) -> Iterator[str]:
        """The DIMACS text in pieces: the header, then one clause a line."""
        yield f"p cnf {self.variables} {len(self.clauses)}\n"
        yield self.rules.text
        yield from _pieces(self.own)


def formula_size(geometry: Geometry) -> int:
    """The number of clauses that state the rules, without generating them."""
    n, height, width = geometry.side, geometry.height, geometry.width
    pairs = comb(n, 2)
    apart = pairs - height * comb(width, 2) - width * comb(height, 2)
    groups = geometry.size + n * (geometry.units("row") + geometry.units("column"))
    boxes = 0 if _boxes_are_lines(geometry) else n * geometry.units("box")
    return groups * (1 + pairs) + boxes * (1 + apart)


def proof_formula(puzzle: Puzzle, grids: Sequence[Grid]) -> Formula:
    """State the units, the puzzle's givens, marks and rules, and exclude the grids.

    "Cell c holds the v-th value" is the variable c·n + v, cells counting from 0 row by row; behind
    them come the variables that rules have of their
    own. Raises LimitReached if the clauses are too many, and ValueError for a grid of another
    geometry or one named twice.
    """
    geometry = puzzle.geometry
    if any(grid.geometry != geometry for grid in grids) or len(set(grids)) < len(grids):
        raise ValueError("the grids must be of the puzzle's geometry and differ from one another")
    rules = _rules(geometry)
    variables = geometry.side * geometry.size
    stated: tuple[Clause, ...] = ()
    if puzzle.rules:
        further = puzzle.clauses_of_rules()
        variables, stated = further.variables, tuple(map(_once, further))
    clauses = (*rules.clauses, *_units(puzzle), *stated, *map(_other_than, grids))
    return Formula(variables, clauses, rules)


def _once(clause: Clause) -> Clause:
    """A clause that names no literal twice."""
    return clause if len({*clause}) == len(clause) else tuple(dict.fromkeys(clause))


@lru_cache(maxsize=4)
def _rules(geometry: Geometry) -> Rules:
    size = formula_size(geometry)
    if size > MAX_CLAUSES:
        n = geometry.side
        raise FormulaTooLarge(
            f"the rules of {n}×{n} are {size:,} clauses, more than the {MAX_CLAUSES:,} "
            "that a proof is made for"
        )
    return Rules(tuple(_stated(geometry)))


def _boxes_are_lines(geometry: Geometry) -> bool:
    return 1 in (geometry.height, geometry.width)


def _stated(geometry: Geometry) -> Iterator[Clause]:
    """At least one and at most one of each cell's values, and of each value's places in a unit.

    Boxes do not repeat what rows and columns say about two cells, or about all.
    """
    n = geometry.side
    values = range(1, n + 1)
    cells = [[cell * n + value for value in values] for cell in range(geometry.size)]
    units, number = units_of(geometry), geometry.units("row") + geometry.units("column")
    lines, boxes = units[:number], units[number:]
    places = [[cells[cell][value - 1] for cell in line] for line in lines for value in values]
    for group in (*cells, *places):
        yield tuple(group)
        yield from combinations(map(neg, group), 2)
    if _boxes_are_lines(geometry):
        return
    for box in boxes:
        at = geometry.place
        pairs = combinations(box, 2)
        apart = [(a, b) for a, b in pairs if all(map(ne, at(a), at(b)))]
        for value in range(n):
            yield tuple(cells[cell][value] for cell in box)
            yield from ((-cells[a][value], -cells[b][value]) for a, b in apart)


def _units(puzzle: Puzzle) -> Iterator[Clause]:
    """A given is true; every value that a mark forbids is false."""
    n, full = puzzle.geometry.side, puzzle.geometry.all_values
    for cell, mask in enumerate(puzzle.cells):
        if mask & (mask - 1) == 0:
            yield (cell * n + mask.bit_length(),)
        else:
            yield from ((-(cell * n + value),) for value in values_of(full & ~mask))


def _other_than(grid: Grid) -> Clause:
    n, before = grid.geometry.side, 1 - grid.geometry.lowest
    return tuple(-(cell * n + before + value) for cell, value in enumerate(grid.values))


def _pieces(clauses: Sequence[Clause]) -> Iterator[str]:
    for start in range(0, len(clauses), _AT_ONCE):
        yield "".join(map(_line, clauses[start : start + _AT_ONCE]))


def _line(clause: Clause) -> str:
    if len(clause) == 2:
        return "%d %d 0\n" % clause
    return " ".join(map(str, (*clause, "0\n")))


def read_formula(text: str) -> Formula:
    """Read the formula whose `text` this is.

    Strict: only the header and one clause a line, as many as announced. Raises
    ValueError with the line for anything else, such as a clause that names a variable twice.
    """
    first, end, body = text.partition("\n")
    header = _HEADER.fullmatch(first + end)
    if header is None:
        raise ValueError(f"line 1: expected 'p cnf VARIABLES CLAUSES', found {first[:40]!r}")
    matched = _BODY.match(body)
    legible = body.rfind("\n", 0, matched.end()) + 1 if matched else 0  # more before Python 3.11.5
    if legible < len(body):
        odd = body[legible : legible + 40].partition("\n")[0]
        number = body.count("\n", 0, legible) + 2
        raise ValueError(f"line {number}: expected literals, 0 and a line's end, found {odd!r}")
    variables, announced = map(int, header.groups())
    clauses = tuple(_clauses(body, variables))
    if len(clauses) != announced:
        raise ValueError(f"line 1: {announced} clauses are announced, {len(clauses)} follow")
    return Formula(variables, clauses)


def _clauses(body: str, variables: int) -> Iterator[Clause]:
    for number, line in enumerate(body.splitlines(), 2):
        clause = tuple(map(int, line[:-1].split()))
        named = set(map(abs, clause))
        if len(named) < len(clause):
            raise ValueError(f"line {number}: a variable is named twice")
        if named and max(named) > variables:
            raise ValueError(f"line {number}: variable {max(named)} of {variables}")
        yield clause


@dataclass(frozen=True, slots=True)
class Core:
    """Some clauses of a formula, and what is left of them once unit clauses are propagated.

    `places` are those of the clauses in the formula, from 0. If these cannot all be satisfied,
    neither can the formula, whichever were picked. `remaining` are for a solver: the clauses that
    propagation leaves open, without the literals that it makes false; `true` are the others.
    """

    formula: Formula
    places: tuple[int, ...]
    remaining: tuple[Clause, ...]
    true: frozenset[int] = frozenset()

    @property
    def clauses(self) -> list[Clause]:
        """The clauses that are picked from the formula."""
        return [self.formula.clauses[place] for place in self.places]

    @property
    def is_refuted(self) -> bool:
        """Whether propagation alone refutes the formula: then `REFUTED` is its proof."""
        return () in self.remaining

    def model(self, found: AbstractSet[int]) -> tuple[int, ...]:
        """The model of the formula that a model of what remains is part of: all its literals."""
        chosen = self.true.union(found)
        return tuple(
            [
                v if v in chosen and -v not in self.true else -v
                for v in range(1, self.formula.variables + 1)
            ]
        )


Refuter = Callable[[Core, float], "str | frozenset[int]"]
"""Refutes what remains of a core within so many seconds, in DRAT, or finds a model of it.

Nothing that it says is trusted. It raises PipelineError if it does neither.
"""


def core_of(formula: Formula, deadline: Deadline = NEVER) -> Core:
    """Pick the clauses that propagation uses, and those that it leaves open.

    Nothing is lost. A clause that is left out holds a literal that the picked ones make true, so
    it propagates nothing: what unit propagation shows (RUP) from the formula, it shows from the
    core. Takes time and memory in proportion to the formula. Raises LimitReached when the deadline
    has passed.
    """
    first, (sizes, shared) = len(formula.rules.clauses), _indexed(formula.rules)
    own = _index(deadline.watch(formula.own), first)

    def holding(literal: int) -> Iterable[int]:
        """The clauses in which a literal stands."""
        return chain(shared.get(literal, ()), own.get(literal, ()))

    left_in = [*sizes, *map(len, formula.own)]
    true, reasons, is_refuted = _propagate(formula, left_in, holding, deadline)
    if is_refuted:
        return Core(formula, tuple(reasons), ((),))
    is_open = bytearray(b"\1") * len(formula.clauses)
    for index in chain.from_iterable(map(holding, true)):
        is_open[index] = 0
    left = [*compress(range(len(formula.clauses)), is_open)]
    watched = deadline.watch(map(formula.clauses.__getitem__, left))
    remaining = [tuple([x for x in clause if -x not in true]) for clause in watched]
    return Core(formula, (*reasons, *left), tuple(remaining), frozenset(true))


def _propagate(
    formula: Formula,
    not_false: list[int],
    holding: Callable[[int], Iterable[int]],
    deadline: Deadline,
) -> tuple[set[int], list[int], bool]:
    """The literals that become true, the clauses that make them so, and whether one fails.

    `not_false` counts the literals of each clause that are not false. Clauses are given by their
    index; one whose literals are all false comes last.
    """
    true: set[int] = set()
    reasons: list[int] = []
    first = len(formula.rules.clauses)
    waiting = [index for index in range(first, len(not_false)) if not_false[index] <= 1]
    for index in waiting:
        literal = next((x for x in formula.clauses[index] if -x not in true), None)
        if literal is None:
            return true, [*reasons, index], True
        if literal in true:
            continue
        if len(true) % _OFTEN == 0:
            deadline.check()
        true.add(literal)
        reasons.append(index)
        for shorter in holding(-literal):
            not_false[shorter] -= 1
            if not_false[shorter] == 1:
                waiting.append(shorter)
    return true, reasons, False


def _index(clauses: Iterable[Clause], first: int) -> Mapping[int, Sequence[int]]:
    """The clauses in which each literal stands, numbered from `first`."""
    index = defaultdict(list)
    for number, clause in enumerate(clauses, first):
        for literal in clause:
            index[literal].append(number)
    return index


@lru_cache(maxsize=4)
def _indexed(rules: Rules) -> tuple[list[int], Mapping[int, Sequence[int]]]:
    """The sizes of the shared clauses and their index, cached."""
    return [*map(len, rules.clauses)], _index(rules.clauses, 0)
