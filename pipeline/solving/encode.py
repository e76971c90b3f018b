"""Puzzle → Cnf: the encodings over all n³ candidates, and `reduced` over the remaining ones.

A *group* is a list of variables of which exactly one is true: the values of a cell, or the
positions of a value in a row, column or box. A grid has 4n² groups, n² of each kind. The encodings
over all candidates select from the same families of clauses (I. Lynce and J. Ouaknine, Sudoku as a
SAT problem, 2006). `reduced` states the families of `extended` over the candidates that the givens
and marks leave. The clauses of further rules follow, the same in each encoding.

To add an encoding, add a selection to SELECTIONS, or a function to ENCODINGS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations, product
from math import comb
from typing import Literal

from pipeline.errors import UsageError
from pipeline.limits import NO_TIME_LIMIT, Deadline, Limits
from pipeline.puzzle.clauses import Clause, PackedClauses, RuleClauses
from pipeline.puzzle.geometry import Geometry, units_of, values_of
from pipeline.puzzle.puzzle import Candidate, Puzzle
from pipeline.settings import EncodingChoice, NumberingChoice
from pipeline.solving.cnf import Cnf, Family, LazyClauses
from pipeline.solving.reduction import reduce_candidates

GroupKind = Literal["cell", "row", "column", "box"]
DECIMAL_LARGEST_SIDE = 9

AT_LEAST, AT_MOST = 0, 1
RULES_TITLE = "the rules beyond rows, columns and boxes"
TITLES: dict[GroupKind, tuple[str, str]] = {
    "cell": ("every cell holds a value", "no cell holds two values"),
    "row": ("every row holds every value", "no value twice in a row"),
    "column": ("every column holds every value", "no value twice in a column"),
    "box": ("every box holds every value", "no value twice in a box"),
}
"""Titles by kind of group: for "at least one" and for "at most one"."""

SELECTIONS: dict[EncodingChoice, tuple[tuple[GroupKind, int], ...]] = {
    "textbook": (("row", AT_LEAST), ("column", AT_LEAST), ("box", AT_LEAST), ("cell", AT_MOST)),
    "minimal": (("cell", AT_LEAST), ("row", AT_MOST), ("column", AT_MOST), ("box", AT_MOST)),
    "extended": tuple(product(TITLES, (AT_LEAST, AT_MOST))),
}
"""The families of each encoding."""

_CELL_SELECTION: tuple[tuple[GroupKind, int], ...] = (("cell", AT_LEAST), ("cell", AT_MOST))
"""The families of a free geometry in every encoding: cells are its only groups."""

CANDIDATE_BYTES = 1024
"""Maximum memory of a candidate in this process, including its literal in a model."""

MAX_CACHED_SIDE = 16
"""Largest side for which the candidates of a geometry are cached."""

MAX_STORED_PAIRS = 100_000
"""Size up to which a family of pairs is stored. Larger ones are generated at each iteration."""

MAX_PACKED = 4_000_000
"""Maximum of candidates × side × grids for which the clauses of `extended` are packed."""


def encode_puzzle(
    puzzle: Puzzle,
    encoding: EncodingChoice = "reduced",
    numbering: NumberingChoice = "dense",
    limits: Limits = NO_TIME_LIMIT,
) -> Cnf:
    """Encode a puzzle: the models of the clauses are exactly its solutions.

        >>> from pipeline import parse_puzzle
        >>> cnf = encode_puzzle(parse_puzzle("1.....2..3.....4"), "extended")
        >>> cnf.variables, cnf.size
        (64, 452)

    `encoding` is a key of ENCODINGS. Raises UsageError for an unknown one and for decimal numbering
    of a side above 9, and LimitReached if the limits are too low.
    """
    if encoding not in ENCODINGS:
        raise UsageError(f"encoding: expected one of {', '.join(ENCODINGS)}, found {encoding!r}")
    return ENCODINGS[encoding](puzzle, numbering, limits)


def encode_full(
    encoding: EncodingChoice, puzzle: Puzzle, style: NumberingChoice, limits: Limits
) -> Cnf:
    """State the families of an encoding over all candidates, then givens, marks and rules.

    The families are lazy. Time limits apply where their clauses are generated.
    """
    numbering = Numbering(puzzle.geometry, style)
    selected = _CELL_SELECTION if puzzle.geometry.free else SELECTIONS[encoding]
    families = [_family(numbering, kind, bound) for kind, bound in selected]
    families += _givens_and_marks(puzzle, numbering)
    rules = puzzle.clauses_of_rules(limits.checking())
    highest, auxiliary = numbering.highest, rules.auxiliary
    if made := [*rules]:
        number = [0, *numbering, *range(highest + 1, highest + 1 + auxiliary)]
        made = made if style == "dense" else [*_renumber(made, number)]
        families.append(Family(RULES_TITLE, len(made), made))
    return Cnf(
        puzzle.geometry, encoding, highest + auxiliary, tuple(families), numbering, (), auxiliary
    )


def _renumber(clauses: Iterable[Clause], number: Sequence[int]) -> Iterator[Clause]:
    """Replace each variable of the clauses by its entry in `number`."""
    literal = _literal_table(number).__getitem__
    return (tuple(map(literal, clause)) for clause in clauses)


def _literal_table(number: Sequence[int]) -> list[int]:
    """Extend a table by variable so that literals can index it: -v counts from its end."""
    return [*number, *(-entry for entry in reversed(number[1:]))]


@dataclass(frozen=True)
class Numbering(Mapping[int, Candidate]):
    """The map from variable to candidate over all candidates of a geometry.

    `dense` numbers cell c, from 0, and its v-th value as c·n + v: 1 … n³ in a single grid.
    `decimal` uses the digits rcv. It raises UsageError for sides above 9, for several grids and
    for free geometries.
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
        """The highest variable."""
        n = self.geometry.side
        return n * self.geometry.size if self.style == "dense" else 111 * n

    def before(self, cell: int) -> int:
        """The offset of a cell: adding a value gives the variable of (cell, value)."""
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
    """For any two variables of a group, the clause that at least one of them is false."""
    return chain.from_iterable(combinations([-x for x in group], 2) for group in groups)


def _groups(numbering: Numbering, kind: GroupKind) -> Iterator[Clause]:
    """The groups of a kind, each with n variables in ascending order."""
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
    number = geometry.size if kind == "cell" else n * geometry.unit_count(kind)
    if bound == AT_LEAST:
        return Family(title, number, groups)
    return Family(title, number * comb(n, 2), LazyClauses(partial(pairs, groups)))


def _givens_and_marks(puzzle: Puzzle, numbering: Numbering) -> Iterator[Family]:
    """The families of givens and of values that marks forbid, unless empty."""
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
            "values that marks forbid", size, LazyClauses(partial(_negations, forbidden, lowest))
        )


def _negations(forbidden: Iterable[tuple[int, int]], lowest: int) -> Iterator[Clause]:
    return ((-(before + v),) for before, mask in forbidden for v in values_of(mask, lowest))


def encode_reduced(puzzle: Puzzle, style: NumberingChoice, limits: Limits) -> Cnf:
    """State `extended` over the candidates that unit propagation leaves.

    Variables are numbered 1 … m, or by their digits (`decimal`). Decided candidates have no
    variable; satisfied clauses and false literals are left out. G. Kwon and H. Jain, Optimized CNF
    encoding for Sudoku puzzles, 2006, remove only candidates that the givens exclude directly.
    Raises LimitReached.
    """
    deadline = Deadline.of(limits)
    geometry = puzzle.geometry
    numbering = Numbering(geometry, style)
    rules = puzzle.clauses_of_rules(limits.checking()) if puzzle.rules else None
    cells = reduce_candidates(puzzle, rules.facts if rules else ())
    if cells is None:
        conflict = Family("the givens and marks leave some group without a candidate", 1, [()])
        return Cnf(geometry, "reduced", 0, (conflict,), {})
    limits.allow(CANDIDATE_BYTES * sum(mask.bit_count() for mask in cells))
    open_candidates, candidates, fixed = _number_candidates(cells, numbering, deadline)
    highest = numbering.highest if style == "decimal" else len(candidates)
    families = _families(geometry, open_candidates, deadline)
    auxiliary = 0
    if rules:
        auxiliary = rules.auxiliary
        true = highest + auxiliary + 1
        number, values = [0], geometry.values
        for mask, open_values in zip(cells, open_candidates, strict=True):
            variables = (
                dict(open_values) if open_values else {mask.bit_length() - 1 + values[0]: true}
            )
            number += [variables.get(value, -true) for value in values]
        number += range(highest + 1, true)
        families = _families_with_rules(geometry, families, rules, number, true)
    given = tuple(families), candidates, tuple(fixed)
    deadline.check()
    return Cnf(geometry, "reduced", highest + auxiliary, *given, auxiliary)


def _families_with_rules(
    geometry: Geometry,
    unpacked: Iterable[Family],
    rules: RuleClauses,
    number: Sequence[int],
    true: int,
) -> Iterator[Family]:
    """The families of `extended` over the remaining candidates, and the family of the rules.

    `number` maps each variable to its new number, or to `true` or -`true` if it is decided.
    `unpacked` are the families of `extended` over the remaining candidates, used if the geometry
    is too large to be packed.
    """
    import numpy as np  # noqa: PLC0415 - few puzzles have rules

    literals = np.array(_literal_table(number), np.int32)
    packed_families = _packed_families(geometry)
    if packed_families is None:
        yield from unpacked
    rule_family = RULES_TITLE, PackedClauses(rules.data)
    for title, clauses in (*(packed_families or ()), rule_family):
        left = clauses.assigned(literals, true)
        yield Family(title, len(left), left)


@lru_cache(maxsize=4)
def _packed_families(geometry: Geometry) -> list[tuple[str, PackedClauses]] | None:
    """The packed families of `extended` over all candidates; None if they are too large."""
    import numpy as np  # noqa: PLC0415 - as above

    n, numbering = geometry.side, Numbering(geometry)
    if n * n * geometry.size * max(1, len(geometry.grids)) > MAX_PACKED:
        return None
    kinds: tuple[GroupKind, ...] = ("cell",) if geometry.free else tuple(TITLES)
    packed: list[tuple[str, PackedClauses]] = []
    for kind in kinds:
        groups = np.array([*_groups(numbering, kind)], np.int32)
        one, other = np.triu_indices(n, 1)
        pairs = -groups[:, one], -groups[:, other], np.zeros_like(groups[:, one])
        families = np.pad(groups, ((0, 0), (0, 1))), np.stack(pairs, axis=2)
        packed += zip(
            TITLES[kind], (PackedClauses(family.tobytes()) for family in families), strict=True
        )
    return packed


def _candidates_of(geometry: Geometry, cell: int) -> tuple[Candidate, ...]:
    """The candidates of a cell, one per value."""
    row, column = geometry.place(cell)
    return tuple(Candidate(row, column, value) for value in geometry.values)


@lru_cache(maxsize=2)
def _cached_candidates(geometry: Geometry) -> tuple[tuple[Candidate, ...], ...]:
    """The candidates of each cell. Cached."""
    return tuple(_candidates_of(geometry, cell) for cell in range(geometry.size))


def _number_candidates(
    cells: list[int], numbering: Numbering, deadline: Deadline
) -> tuple[list[list[tuple[int, int]]], dict[int, Candidate], list[Candidate]]:
    """Number the open candidates.

    Returns the (value, variable) pairs of each cell, the candidate of each variable, and the
    decided candidates.
    """
    geometry = numbering.geometry
    open_candidates: list[list[tuple[int, int]]] = []
    candidates: dict[int, Candidate] = {}
    fixed: list[Candidate] = []
    dense, lowest, side = numbering.style == "dense", geometry.lowest, geometry.side
    made = _cached_candidates(geometry) if geometry.side <= MAX_CACHED_SIDE else None
    for cell, mask in enumerate(cells):
        if cell % side == 0:
            deadline.check()
        cell_candidates = made[cell] if made else _candidates_of(geometry, cell)
        open_values: list[tuple[int, int]] = []
        if mask & (mask - 1):
            start = numbering.before(cell)
            for value in values_of(mask, lowest):
                variable = len(candidates) + 1 if dense else start + value
                candidates[variable] = cell_candidates[value - lowest]
                open_values.append((value, variable))
        else:
            fixed.append(cell_candidates[mask.bit_length() - 1])
        open_candidates.append(open_values)
    return open_candidates, candidates, fixed


def _exactly_one(kind: GroupKind, groups: Sequence[Clause]) -> Iterator[Family]:
    """The families "at least one" and "at most one". The second is lazy if it is large."""
    size = sum(comb(len(group), 2) for group in groups)
    at_most = [*pairs(groups)] if size <= MAX_STORED_PAIRS else LazyClauses(partial(pairs, groups))
    yield Family(TITLES[kind][AT_LEAST], len(groups), groups)
    yield Family(TITLES[kind][AT_MOST], size, at_most)


def _families(
    geometry: Geometry, open_candidates: list[list[tuple[int, int]]], deadline: Deadline
) -> Iterator[Family]:
    yield from _exactly_one(
        "cell",
        [tuple([x for _, x in open_values]) for open_values in open_candidates if open_values],
    )
    if geometry.free:
        return
    units, n = units_of(geometry), geometry.unit_count("row")
    kinds: dict[GroupKind, Sequence[Sequence[int]]]
    kinds = {"row": units[:n], "column": units[n : 2 * n], "box": units[2 * n :]}
    for kind, areas in kinds.items():
        deadline.check()
        groups: list[Clause] = []
        for unit in areas:
            positions: dict[int, list[int]] = {}
            for cell in unit:
                for value, variable in open_candidates[cell]:
                    positions.setdefault(value, []).append(variable)
            groups += (tuple(positions[value]) for value in sorted(positions))
        yield from _exactly_one(kind, groups)


ENCODINGS: dict[EncodingChoice, Callable[[Puzzle, NumberingChoice, Limits], Cnf]] = {
    **{name: partial(encode_full, name) for name in SELECTIONS},
    "reduced": encode_reduced,
}
