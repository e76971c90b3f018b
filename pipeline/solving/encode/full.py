"""Full: the encodings over all n³ candidates, each a selection of the same families of clauses.

A *group* is a list of variables of which exactly one is true: the values of a cell, or the
places of a value in a row, column or box. A grid has 4n² of them, n² of each kind. The selections
are those of I. Lynce and J. Ouaknine, Sudoku as a SAT problem, 2006. The clauses of a puzzle's
rules follow, the same in each encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from math import comb
from typing import Literal

from pipeline.errors import UsageError
from pipeline.limits import Limits
from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.puzzle import Candidate, Geometry, Puzzle, values_of
from pipeline.settings import EncodingChoice, NumberingChoice
from pipeline.solving.cnf import Cnf, Family, LazyClauses

GroupKind = Literal["cell", "row", "column", "box"]
DECIMAL_LARGEST_SIDE = 9

LEAST, MOST = 0, 1
RULES_TITLE = "the rules beyond rows, columns and boxes"
TITLES: dict[GroupKind, tuple[str, str]] = {
    "cell": ("every cell holds a value", "no cell holds two values"),
    "row": ("every row holds every value", "no value twice in a row"),
    "column": ("every column holds every value", "no value twice in a column"),
    "box": ("every box holds every value", "no value twice in a box"),
}
"""For each kind: the titles for "at least one of each group" and "at most one"."""

SELECTIONS: dict[EncodingChoice, tuple[tuple[GroupKind, int], ...]] = {
    "textbook": (("row", LEAST), ("column", LEAST), ("box", LEAST), ("cell", MOST)),
    "minimal": (("cell", LEAST), ("row", MOST), ("column", MOST), ("box", MOST)),
    "extended": tuple(product(TITLES, (LEAST, MOST))),
}
"""The families that each encoding states."""


def encode_full(
    encoding: EncodingChoice, puzzle: Puzzle, style: NumberingChoice, limits: Limits
) -> Cnf:
    """State the families of an encoding over all candidates, then the givens, marks and rules.

    The families are lazy: time limits apply where their clauses are generated.
    """
    numbering = Numbering(puzzle.geometry, style)
    families = [_family(numbering, kind, bound) for kind, bound in SELECTIONS[encoding]]
    families += _givens_and_marks(puzzle, numbering)
    rules = puzzle.clauses_of_rules(limits.checking())
    highest, own = numbering.highest, rules.auxiliary
    if rules.made:
        number = [0, *numbering, *range(highest + 1, highest + 1 + own)]
        made = rules.made if style == "dense" else [*renumbered(rules.made, number)]
        families.append(Family(RULES_TITLE, len(made), made))
    return Cnf(puzzle.geometry, encoding, highest + own, tuple(families), numbering, (), own)


def renumbered(clauses: Iterable[Clause], number: Sequence[int], true: int = 0) -> Iterator[Clause]:
    """The clauses with the number of each variable in place of it.

    `true` is the number of a variable that holds, if there is one: clauses with it and literals
    that deny it are left out.
    """
    for clause in clauses:
        literals = [number[x] if x > 0 else -number[-x] for x in clause]
        if true not in literals:
            yield tuple([x for x in literals if x != -true])


@dataclass(frozen=True)
class Numbering(Mapping[int, Candidate]):
    """The map from every variable of a full numbering to its candidate.

    `dense` is c·n + v for the cell c, from 0: without gaps from 1, up to n³ in a single grid;
    `decimal` is the digits rcv, for a single grid with a side up to 9 (UsageError beyond).
    """

    geometry: Geometry
    style: NumberingChoice = "dense"

    def __post_init__(self) -> None:
        n, grids = self.geometry.side, len(self.geometry.grids)
        if self.style == "decimal" and grids:
            raise UsageError(f"decimal numbering is for a single grid, not for {grids}: use dense")
        if self.style == "decimal" and n > DECIMAL_LARGEST_SIDE:
            raise UsageError(
                f"decimal numbering ends at side {DECIMAL_LARGEST_SIDE}, this puzzle has {n}: "
                "use dense"
            )

    @property
    def highest(self) -> int:
        """The variable of the last candidate."""
        n = self.geometry.side
        return n * self.geometry.size if self.style == "dense" else 111 * n

    def before(self, cell: int) -> int:
        """The number to which a value is added to get the variable of (cell, value)."""
        if self.style == "dense":
            return cell * self.geometry.side
        row, column = self.geometry.place(cell)
        return 100 * row + 10 * column

    def __getitem__(self, variable: int) -> Candidate:
        n = self.geometry.side
        if self.style == "dense":
            cell, value = divmod(variable - 1, n)
            if not 0 <= cell < self.geometry.size:
                raise KeyError(variable)
            return Candidate(*self.geometry.place(cell), value + 1)
        digits = (variable // 100, variable // 10 % 10, variable % 10)
        if not all(1 <= digit <= n for digit in digits):
            raise KeyError(variable)
        return Candidate(*digits)

    def __iter__(self) -> Iterator[int]:
        n = self.geometry.side
        for cell in range(self.geometry.size):
            start = self.before(cell)
            yield from range(start + 1, start + n + 1)

    def __len__(self) -> int:
        return self.geometry.side * self.geometry.size


def pairs(groups: Iterable[Iterable[int]]) -> Iterator[Clause]:
    """For any two variables of a group, the clause that one of them is false."""
    for group in groups:
        yield from combinations([-variable for variable in group], 2)


def _groups(numbering: Numbering, kind: GroupKind) -> Iterator[Clause]:
    """The groups of a kind, each with its n variables in ascending order."""
    geometry, before = numbering.geometry, numbering.before
    values = range(1, geometry.side + 1)
    if kind == "cell":
        return (tuple([before(cell) + v for v in values]) for cell in range(geometry.size))
    units = {"row": geometry.rows, "column": geometry.columns, "box": geometry.boxes}[kind]()
    return (tuple([before(cell) + v for cell in unit]) for unit in units for v in values)


def _family(numbering: Numbering, kind: GroupKind, bound: int) -> Family:
    geometry = numbering.geometry
    n = geometry.side
    groups, title = LazyClauses(partial(_groups, numbering, kind)), TITLES[kind][bound]
    number = geometry.size if kind == "cell" else n * geometry.units(kind)
    if bound == LEAST:
        return Family(title, number, groups)
    return Family(title, number * comb(n, 2), LazyClauses(partial(pairs, groups)))


def _givens_and_marks(puzzle: Puzzle, numbering: Numbering) -> Iterator[Family]:
    """The givens, and the negation of every value that a mark forbids, without empty families."""
    full = puzzle.geometry.all_values
    givens = [(numbering.before(cell) + value,) for cell, value in puzzle.givens()]
    forbidden = [
        (numbering.before(cell), full & ~mask)
        for cell, mask in enumerate(puzzle.cells)
        if mask & (mask - 1) and mask != full
    ]
    if givens:
        yield Family("givens", len(givens), givens)
    if forbidden:
        size = sum(mask.bit_count() for _, mask in forbidden)
        yield Family("values that marks forbid", size, LazyClauses(partial(_negated, forbidden)))


def _negated(forbidden: Iterable[tuple[int, int]]) -> Iterator[Clause]:
    return ((-(before + value),) for before, mask in forbidden for value in values_of(mask))
