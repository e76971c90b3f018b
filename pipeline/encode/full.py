"""Full: the encodings over all n³ candidates, each a selection of the same families of clauses.

A *group* is a list of variables of which exactly one is true: the values of a cell, or the
places of a value in a row, column or box. There are 4n² of them, n² of each kind. The selections
are those of I. Lynce and J. Ouaknine, Sudoku as a SAT problem, 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

from pipeline.cnf import Clause, Cnf, Family, Generated
from pipeline.encode.numbering import Numbering, Style
from pipeline.limits import Limits
from pipeline.puzzle import Puzzle, values_of

Kind = Literal["cell", "row", "column", "box"]
Bound = Literal["at least one", "at most one"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One bound for all groups of one kind, and how to say it."""

    title: str
    kind: Kind
    bound: Bound


def groups(numbering: Numbering, kind: Kind) -> Iterator[list[int]]:
    """The n² groups of a kind, each with its n variables in ascending order."""
    geometry = numbering.geometry
    before = numbering.before
    values = range(1, geometry.side + 1)
    if kind == "cell":
        return ([before(cell) + value for value in values] for cell in range(len(values) ** 2))
    units: Iterable[Iterable[int]]
    match kind:
        case "row":
            units = geometry.rows()
        case "column":
            units = geometry.columns()
        case "box":
            units = geometry.boxes()
    return ([before(cell) + value for cell in unit] for unit in units for value in values)


def _at_least_one(numbering: Numbering, kind: Kind) -> Iterator[Clause]:
    return map(tuple, groups(numbering, kind))


def _at_most_one(numbering: Numbering, kind: Kind) -> Iterator[Clause]:
    for group in groups(numbering, kind):
        yield from combinations([-variable for variable in group], 2)


def _family(rule: Rule, numbering: Numbering) -> Family:
    n = numbering.geometry.side
    if rule.bound == "at least one":
        return Family(rule.title, n * n, Generated(partial(_at_least_one, numbering, rule.kind)))
    pairs = n * (n - 1) // 2
    return Family(rule.title, n * n * pairs, Generated(partial(_at_most_one, numbering, rule.kind)))


def _givens(puzzle: Puzzle, numbering: Numbering) -> Family:
    clauses = [(numbering.before(cell) + value,) for cell, value in puzzle.givens()]
    return Family("givens", len(clauses), clauses)


def _marks(puzzle: Puzzle, numbering: Numbering) -> Family:
    """The negation of every value that a cell forbids, unless the cell is a given."""
    full = puzzle.geometry.all_values
    forbidden = [
        (numbering.before(cell), full & ~mask)
        for cell, mask in enumerate(puzzle.cells)
        if mask & (mask - 1) and mask != full
    ]
    size = sum(mask.bit_count() for _, mask in forbidden)
    return Family("values that marks forbid", size, Generated(partial(_negated, forbidden)))


def _negated(forbidden: Iterable[tuple[int, int]]) -> Iterator[Clause]:
    return ((-(before + value),) for before, mask in forbidden for value in values_of(mask))


def encode_rules(name: str, rules: Iterable[Rule]) -> Callable[[Puzzle, Style, Limits], Cnf]:
    """An encoder that states these rules over all candidates, then the givens and marks.

    It does next to nothing: whoever goes through the clauses keeps to the limits.
    """
    stated = tuple(rules)

    def encode(puzzle: Puzzle, style: Style, _limits: Limits) -> Cnf:
        numbering = Numbering(puzzle.geometry, style)
        families = [_family(rule, numbering) for rule in stated]
        families += [
            family
            for family in (_givens(puzzle, numbering), _marks(puzzle, numbering))
            if family.size
        ]
        return Cnf(puzzle.geometry, name, numbering.highest, tuple(families), numbering)

    return encode


encode_extended = encode_rules(
    "extended",
    (
        Rule("every cell holds a value", "cell", "at least one"),
        Rule("no cell holds two values", "cell", "at most one"),
        Rule("every row holds every value", "row", "at least one"),
        Rule("no value twice in a row", "row", "at most one"),
        Rule("every column holds every value", "column", "at least one"),
        Rule("no value twice in a column", "column", "at most one"),
        Rule("every box holds every value", "box", "at least one"),
        Rule("no value twice in a box", "box", "at most one"),
    ),
)


encode_minimal = encode_rules(
    "minimal",
    (
        Rule("every cell holds a value", "cell", "at least one"),
        Rule("no value twice in a row", "row", "at most one"),
        Rule("no value twice in a column", "column", "at most one"),
        Rule("no value twice in a box", "box", "at most one"),
    ),
)


encode_textbook = encode_rules(
    "textbook",
    (
        Rule("every row holds every value", "row", "at least one"),
        Rule("every column holds every value", "column", "at least one"),
        Rule("every box holds every value", "box", "at least one"),
        Rule("no cell holds two values", "cell", "at most one"),
    ),
)
