"""Puzzle → Cnf: the encodings over all n³ candidates, and `reduced`, over those that are left.

A *group* is a list of variables of which exactly one is true: the values of a cell, or the
places of a value in a row, column or box. A grid has 4n² of them, n² of each kind. Each encoding
over all candidates is a selection of the same families of clauses; the selections are those of
I. Lynce and J. Ouaknine, Sudoku as a SAT problem, 2006. `reduced` states the families of `extended`
over the candidates that the givens and marks leave. The clauses of a puzzle's rules follow, the
same in each encoding.

A new encoding is a selection in SELECTIONS, or a function and its entry in ENCODINGS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations, product
from math import comb
from typing import Literal

from pipeline.errors import UsageError
from pipeline.limits import UNHURRIED, Deadline, Limits
from pipeline.puzzle.clauses import Clause, PackedClauses, RuleClauses
from pipeline.puzzle.puzzle import Candidate, Geometry, Puzzle, units_of, values_of
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

_OF_CELLS: tuple[tuple[GroupKind, int], ...] = (("cell", LEAST), ("cell", MOST))
"""Those of a free geometry, in every encoding: it has no other groups."""

CANDIDATE_BYTES = 1024
"""The most memory of a candidate in this process, here and later as a part of a model."""

LARGEST_KEPT = 16
"""The candidates of a geometry are made once up to this side."""

MOST_KEPT = 100_000
"""Larger families of pairs are regenerated whenever they are needed."""

MOST_IN_ARRAYS = 4_000_000
"""Candidates times the side, up to which puzzles with rules have all clauses in arrays."""


def encode_puzzle(
    puzzle: Puzzle,
    encoding: EncodingChoice = "reduced",
    numbering: NumberingChoice = "dense",
    limits: Limits = UNHURRIED,
) -> Cnf:
    """Encode a puzzle: the models of the clauses are exactly its solutions.

        >>> from pipeline import parse_puzzle
        >>> cnf = encode_puzzle(parse_puzzle("1.....2..3.....4"), "extended")
        >>> cnf.variables, cnf.size
        (64, 452)

    `encoding` is a key of ENCODINGS. Raises UsageError for another, and for decimal numbering of a
    side above 9, LimitReached if the limits do not suffice.
    """
    if encoding not in ENCODINGS:
        raise UsageError(f"encoding: expected one of {', '.join(ENCODINGS)}, found {encoding!r}")
    return ENCODINGS[encoding](puzzle, numbering, limits)


def encode_full(
    encoding: EncodingChoice, puzzle: Puzzle, style: NumberingChoice, limits: Limits
) -> Cnf:
    """State the families of an encoding over all candidates, then the givens, marks and rules.

    The families are lazy: time limits apply where their clauses are generated.
    """
    numbering = Numbering(puzzle.geometry, style)
    selected = _OF_CELLS if puzzle.geometry.free else SELECTIONS[encoding]
    families = [_family(numbering, kind, bound) for kind, bound in selected]
    families += _givens_and_marks(puzzle, numbering)
    rules = puzzle.clauses_of_rules(limits.checking())
    highest, own = numbering.highest, rules.auxiliary
    if made := [*rules]:
        number = [0, *numbering, *range(highest + 1, highest + 1 + own)]
        made = made if style == "dense" else [*_renumbered(made, number)]
        families.append(Family(RULES_TITLE, len(made), made))
    return Cnf(puzzle.geometry, encoding, highest + own, tuple(families), numbering, (), own)


def _renumbered(clauses: Iterable[Clause], number: Sequence[int]) -> Iterator[Clause]:
    """The clauses with the number of each variable in place of it."""
    literal = _of_literals(number).__getitem__
    return (tuple(map(literal, clause)) for clause in clauses)


def _of_literals(number: Sequence[int]) -> list[int]:
    """What is said of 0 and of each variable, and the same negated for -n … -1."""
    return [*number, *(-each for each in reversed(number[1:]))]


@dataclass(frozen=True)
class Numbering(Mapping[int, Candidate]):
    """The map from every variable of a full numbering to its candidate.

    `dense` is c·n + v for the cell c, from 0, and the v-th value: without gaps from 1, up to n³ in
    a single grid; `decimal` is the digits rcv, for a single grid with a side up to 9, which is not
    free (UsageError beyond).
    """

    geometry: Geometry
    style: NumberingChoice = "dense"

    def __post_init__(self) -> None:
        n, grids = self.geometry.side, len(self.geometry.grids)
        if self.style == "decimal" and grids:
            raise UsageError(f"decimal numbering is for a single grid, not for {grids}: use dense")
        if self.style == "decimal" and self.geometry.free:
            raise UsageError("decimal numbering is for a grid of n rows and columns: use dense")
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
            return cell * self.geometry.side + 1 - self.geometry.lowest
        row, column = self.geometry.place(cell)
        return 100 * row + 10 * column

    def __getitem__(self, variable: int) -> Candidate:
        n = self.geometry.side
        if self.style == "dense":
            cell, value = divmod(variable - 1, n)
            if not 0 <= cell < self.geometry.size:
                raise KeyError(variable)
            return Candidate(*self.geometry.place(cell), value + self.geometry.lowest)
        digits = (variable // 100, variable // 10 % 10, variable % 10)
        if not all(1 <= digit <= n for digit in digits):
            raise KeyError(variable)
        return Candidate(*digits)

    def __iter__(self) -> Iterator[int]:
        n = self.geometry.side
        for cell in range(self.geometry.size):
            first = self.before(cell) + self.geometry.lowest
            yield from range(first, first + n)

    def __len__(self) -> int:
        return self.geometry.side * self.geometry.size


def pairs(groups: Iterable[Iterable[int]]) -> Iterator[Clause]:
    """For any two variables of a group, the clause that one of them is false."""
    return chain.from_iterable(combinations([-x for x in group], 2) for group in groups)


def _groups(numbering: Numbering, kind: GroupKind) -> Iterator[Clause]:
    """The groups of a kind, each with its n variables in ascending order."""
    geometry = numbering.geometry
    values, before = geometry.values, [*map(numbering.before, range(geometry.size))]
    if kind == "cell":
        return (tuple([start + v for v in values]) for start in before)
    units = {"row": geometry.rows, "column": geometry.columns, "box": geometry.boxes}[kind]()
    return (tuple([before[cell] + v for cell in unit]) for unit in units for v in values)


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
    full, lowest = puzzle.geometry.all_values, puzzle.geometry.lowest
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
        yield Family(
            "values that marks forbid", size, LazyClauses(partial(_negated, forbidden, lowest))
        )


def _negated(forbidden: Iterable[tuple[int, int]], lowest: int) -> Iterator[Clause]:
    return ((-(before + v),) for before, mask in forbidden for v in values_of(mask, lowest))


def encode_reduced(puzzle: Puzzle, style: NumberingChoice, limits: Limits) -> Cnf:
    """State `extended` over the surviving candidates, numbered 1 … m (`decimal`: by their digits).

    Satisfied clauses and false literals are never written, and what unit propagation decides has no
    variable. After G. Kwon and H. Jain, Optimized CNF encoding for Sudoku puzzles, 2006; they
    remove what the givens decide, this removes what unit propagation decides. Raises LimitReached.
    """
    deadline = Deadline.of(limits)
    geometry = puzzle.geometry
    numbering = Numbering(geometry, style)
    rules = puzzle.clauses_of_rules(limits.checking()) if puzzle.rules else None
    cells = propagate(puzzle, rules.facts if rules else ())
    if cells is None:
        conflict = Family("the givens and marks leave some group without a candidate", 1, [()])
        return Cnf(geometry, "reduced", 0, (conflict,), {})
    limits.allow(CANDIDATE_BYTES * sum(mask.bit_count() for mask in cells))
    alive, candidates, fixed = _number(cells, numbering, deadline)
    highest = numbering.highest if style == "decimal" else len(candidates)
    families = _families(geometry, alive, deadline)
    own = 0
    if rules:
        own = rules.auxiliary
        true = highest + own + 1
        number, values = [0], geometry.values
        for mask, here in zip(cells, alive, strict=True):
            variables = dict(here) if here else {mask.bit_length() - 1 + values[0]: true}
            number += [variables.get(value, -true) for value in values]
        number += range(highest + 1, true)
        families = _with_rules(geometry, families, rules, number, true)
    given = tuple(families), candidates, tuple(fixed)
    deadline.check()
    return Cnf(geometry, "reduced", highest + own, *given, own)


def _with_rules(
    geometry: Geometry,
    others: Iterable[Family],
    rules: RuleClauses,
    number: Sequence[int],
    true: int,
) -> Iterator[Family]:
    """The families of `extended` over the candidates that are left, and that of the rules.

    `number` has the new number of each variable, `true` or -`true` if it is decided. `others` are
    the same without the rules, for a geometry that is too large for arrays.
    """
    import numpy as np  # noqa: PLC0415 - few puzzles have rules

    literals = np.array(_of_literals(number), np.int32)
    stated = _extended(geometry)
    if stated is None:
        yield from others
    of_rules = RULES_TITLE, PackedClauses(rules.data)
    for title, clauses in (*(stated or ()), of_rules):
        left = clauses.assigned(literals, true)
        yield Family(title, len(left), left)


@lru_cache(maxsize=4)
def _extended(geometry: Geometry) -> list[tuple[str, PackedClauses]] | None:
    """The families of `extended` over all candidates of a geometry; None if they are large."""
    import numpy as np  # noqa: PLC0415 - as above

    n, numbering = geometry.side, Numbering(geometry)
    if n * n * geometry.size * max(1, len(geometry.grids)) > MOST_IN_ARRAYS:
        return None
    kinds: tuple[GroupKind, ...] = ("cell",) if geometry.free else tuple(TITLES)
    found: list[tuple[str, PackedClauses]] = []
    for kind in kinds:
        groups = np.array([*_groups(numbering, kind)], np.int32)
        one, other = np.triu_indices(n, 1)
        pairs = -groups[:, one], -groups[:, other], np.zeros_like(groups[:, one])
        families = np.pad(groups, ((0, 0), (0, 1))), np.stack(pairs, axis=2)
        found += zip(
            TITLES[kind], (PackedClauses(each.tobytes()) for each in families), strict=True
        )
    return found


def _of_cell(geometry: Geometry, cell: int) -> tuple[Candidate, ...]:
    """The candidates of a cell, one for each value."""
    row, column = geometry.place(cell)
    return tuple(Candidate(row, column, value) for value in geometry.values)


@lru_cache(maxsize=2)
def _made_of(geometry: Geometry) -> tuple[tuple[Candidate, ...], ...]:
    """The candidates of each cell, made once for all puzzles."""
    return tuple(_of_cell(geometry, cell) for cell in range(geometry.size))


def _number(
    cells: list[int], numbering: Numbering, deadline: Deadline
) -> tuple[list[list[tuple[int, int]]], dict[int, Candidate], list[Candidate]]:
    """The open candidates of each cell as (value, variable), variable → candidate, the decided."""
    geometry = numbering.geometry
    alive: list[list[tuple[int, int]]] = []
    candidates: dict[int, Candidate] = {}
    fixed: list[Candidate] = []
    dense, lowest, side = numbering.style == "dense", geometry.lowest, geometry.side
    made = _made_of(geometry) if geometry.side <= LARGEST_KEPT else None
    for cell, mask in enumerate(cells):
        if cell % side == 0:
            deadline.check()
        of_cell = made[cell] if made else _of_cell(geometry, cell)
        here: list[tuple[int, int]] = []
        if mask & (mask - 1):
            start = numbering.before(cell)
            for value in values_of(mask, lowest):
                variable = len(candidates) + 1 if dense else start + value
                candidates[variable] = of_cell[value - lowest]
                here.append((value, variable))
        else:
            fixed.append(of_cell[mask.bit_length() - 1])
        alive.append(here)
    return alive, candidates, fixed


def _exactly_one(kind: GroupKind, groups: Sequence[Clause]) -> Iterator[Family]:
    """At least one, and at most one; many pairs are not kept in memory."""
    size = sum(comb(len(group), 2) for group in groups)
    at_most = LazyClauses(partial(pairs, groups))
    yield Family(TITLES[kind][LEAST], len(groups), groups)
    yield Family(TITLES[kind][MOST], size, list(at_most) if size <= MOST_KEPT else at_most)


def _families(
    geometry: Geometry, alive: list[list[tuple[int, int]]], deadline: Deadline
) -> Iterator[Family]:
    yield from _exactly_one("cell", [tuple([x for _, x in here]) for here in alive if here])
    if geometry.free:
        return
    kinds: dict[GroupKind, Iterator[Sequence[int]]]
    kinds = {"row": geometry.rows(), "column": geometry.columns(), "box": geometry.boxes()}
    for kind, units in kinds.items():
        groups: list[Clause] = []
        for unit in units:
            deadline.check()
            places: dict[int, list[int]] = {}
            for cell in unit:
                for value, variable in alive[cell]:
                    places.setdefault(value, []).append(variable)
            groups += (tuple(places[value]) for value in sorted(places))
        yield from _exactly_one(kind, groups)


@lru_cache(maxsize=16)
def _units_at(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """For each cell the indices of its units in `units_of`; in a single grid row, column, box."""
    found: list[list[int]] = [[] for _ in range(geometry.size)]
    for index, unit in enumerate(units_of(geometry)):
        for cell in unit:
            found[cell].append(index)
    return tuple(map(tuple, found))


def propagate(puzzle: Puzzle, facts: Iterable[int] = ()) -> list[int] | None:
    """The masks of the surviving candidates, or None if some group has none left.

    Naked and hidden singles until nothing changes: the fixpoint of unit propagation on the
    `extended` formula, which does not depend on the order of the units. `facts` are literals that
    are known to be true.
    """
    geometry = puzzle.geometry
    units, units_at = units_of(geometry), _units_at(geometry)
    cells = list(puzzle.cells)
    for literal in facts:
        cell, place = divmod(abs(literal) - 1, geometry.side)
        if cell < len(cells):
            cells[cell] &= 1 << place if literal > 0 else ~(1 << place)
    if 0 in cells:
        return None
    if geometry.free:
        return cells
    if not geometry.grids and not _strike_givens(cells, units_at, len(units)):
        return None
    waiting = dict.fromkeys(range(len(units)))
    while waiting:
        index = next(iter(waiting))
        del waiting[index]
        moved = _tighten(cells, units[index], geometry.all_values)
        if moved is None:
            return None
        for cell in moved:
            waiting.update(dict.fromkeys(units_at[cell]))
    return cells


def _strike_givens(cells: list[int], units_at: Sequence[Sequence[int]], units: int) -> bool:
    """Strike givens from their row, column and box, in place; False for a conflict.

    Propagating the units would do that too, in twice the time.
    """
    taken = [0] * units
    for mask, (row, column, box) in zip(cells, units_at, strict=True):
        if not mask & (mask - 1):
            taken[row] |= mask
            taken[column] |= mask
            taken[box] |= mask
    for cell, (row, column, box) in enumerate(units_at):
        mask = cells[cell]
        if mask & (mask - 1):
            cells[cell] = mask & ~(taken[row] | taken[column] | taken[box])
            if not cells[cell]:
                return False
    return True


def _tighten(cells: list[int], unit: tuple[int, ...], full: int) -> list[int] | None:
    """Propagate inside one unit, in place; return the changed cells, or None for a conflict."""
    once = twice = fixed = undecided = 0
    for cell in unit:
        mask = cells[cell]
        twice |= once & mask
        once |= mask
        if mask & (mask - 1):
            undecided |= mask
        elif fixed & mask:
            return None
        else:
            fixed |= mask
    if once != full:
        return None
    hidden = once & ~twice & ~fixed
    if not (hidden or undecided & fixed):
        return []
    moved = []
    for cell in unit:
        mask = cells[cell]
        if mask & (mask - 1):
            left = mask & hidden or mask & ~fixed
            if (left & (left - 1) and mask & hidden) or not left:
                return None
            if left != mask:
                cells[cell] = left
                moved.append(cell)
    return moved


ENCODINGS: dict[EncodingChoice, Callable[[Puzzle, NumberingChoice, Limits], Cnf]] = {
    **{name: partial(encode_full, name) for name in SELECTIONS},
    "reduced": encode_reduced,
}
