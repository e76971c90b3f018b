"""Encode a puzzle as a CNF over all n³ candidates, or over those that remain after propagation.

A *group* is a list of variables of which exactly one is true: the values of a cell, or the
positions of a value in a row, column or box. A grid has 4n² groups, n² of each kind. Each encoding
over all candidates is a selection of the same families of clauses (I. Lynce and J. Ouaknine, Sudoku
as a SAT problem, 2006). `reduced` has the families of `extended`, over the candidates that remain
after propagation of the givens and marks. The clauses of rules come last, and are the same in each
encoding.

To add an encoding, add a selection to SELECTIONS, or a function to ENCODINGS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations, compress, count, product
from math import comb
from typing import TYPE_CHECKING, Literal

from pipeline.errors import UsageError
from pipeline.limits import NO_TIME_LIMIT, Deadline, Limits
from pipeline.puzzle.clauses import Clause, PackedClauses, RuleClauses
from pipeline.puzzle.geometry import Geometry, units_of, values_of
from pipeline.puzzle.puzzle import Candidate, Puzzle
from pipeline.settings import EncodingChoice, NumberingChoice
from pipeline.solving.cnf import Cnf, Family, LazyClauses
from pipeline.solving.reduction import reduce_candidates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GroupKind = Literal["cell", "row", "column", "box"]
MAX_DECIMAL_SIDE = 9
"""Maximum side of a puzzle for `decimal` numbering."""

AT_LEAST, AT_MOST = 0, 1
"""The two families of a kind of group: at least one variable is true; at most one is true."""

RULES_TITLE = "the rules beyond rows, columns and boxes"
"""The title of the family of rules."""

TITLES: dict[GroupKind, tuple[str, str]] = {
    "cell": ("every cell holds a value", "no cell holds two values"),
    "row": ("every row holds every value", "no value twice in a row"),
    "column": ("every column holds every value", "no value twice in a column"),
    "box": ("every box holds every value", "no value twice in a box"),
}
"""The titles of the two families of each kind of group."""

SELECTIONS: dict[EncodingChoice, tuple[tuple[GroupKind, int], ...]] = {
    "textbook": (("row", AT_LEAST), ("column", AT_LEAST), ("box", AT_LEAST), ("cell", AT_MOST)),
    "minimal": (("cell", AT_LEAST), ("row", AT_MOST), ("column", AT_MOST), ("box", AT_MOST)),
    "extended": tuple(product(TITLES, (AT_LEAST, AT_MOST))),
}
"""The families of each encoding."""

_CELL_SELECTION: tuple[tuple[GroupKind, int], ...] = (("cell", AT_LEAST), ("cell", AT_MOST))
"""The families of every encoding if the geometry is free: its only groups are the cells."""

CANDIDATE_BYTES = 1024
"""Upper bound, in bytes, on the memory of a candidate in this process, including its literal in a
model.
"""

MAX_CACHED_SIDE = 16
"""Maximum side for which the candidates of a geometry are cached."""

MAX_STORED_PAIRS = 100_000
"""Maximum number of clauses of an "at most one" family of `reduced` that is stored. Each iteration
over a larger family generates its clauses again.
"""

MAX_PACKED_SIZE = 4_000_000
"""Maximum product candidates × side × grids for which the clauses of `extended` are packed."""


def encode_puzzle(
    puzzle: Puzzle,
    encoding: EncodingChoice = "reduced",
    numbering: NumberingChoice = "dense",
    limits: Limits = NO_TIME_LIMIT,
) -> Cnf:
    """Encode a puzzle as clauses whose models are the solutions.

        >>> from pipeline import parse_puzzle
        >>> cnf = encode_puzzle(parse_puzzle("1.....2..3.....4"), "extended")
        >>> cnf.variables, cnf.size
        (64, 452)

    `encoding` is a key of ENCODINGS. Raises UsageError for an unknown encoding, and if
    `Numbering` does not allow decimal numbering. Raises LimitReached if the limits are too low.
    """
    if encoding not in ENCODINGS:
        raise UsageError(f"encoding: expected one of {', '.join(ENCODINGS)}, found {encoding!r}")
    return ENCODINGS[encoding](puzzle, numbering, limits)


def encode_full(
    encoding: EncodingChoice, puzzle: Puzzle, style: NumberingChoice, limits: Limits
) -> Cnf:
    """Encode the groups over all candidates, then the givens, the marks and the rules.

    The families are lazy, so time limits apply only while their clauses are generated.
    """
    numbering = Numbering(puzzle.geometry, style)
    selected = _CELL_SELECTION if puzzle.geometry.free_grid else SELECTIONS[encoding]
    families = [_full_family(numbering, kind, bound) for kind, bound in selected]
    families += _givens_and_marks(puzzle, numbering)
    rules = puzzle.clauses_of_rules(limits.checker())
    highest, auxiliary = numbering.highest_variable, rules.auxiliary
    if rule_clauses := [*rules]:
        if style != "dense":
            new_variables = [0, *numbering, *range(highest + 1, highest + 1 + auxiliary)]
            rule_clauses = [*_renumber(rule_clauses, new_variables)]
        families.append(Family(RULES_TITLE, len(rule_clauses), rule_clauses))
    return Cnf(
        puzzle.geometry, encoding, highest + auxiliary, tuple(families), numbering, (), auxiliary
    )


def _renumber(clauses: Iterable[Clause], new_variables: Sequence[int]) -> Iterator[Clause]:
    """Yield the clauses with each variable replaced by its entry in `new_variables`."""
    new_literal = _literal_table(new_variables).__getitem__
    return (tuple(map(new_literal, clause)) for clause in clauses)


def _literal_table(new_variables: Sequence[int]) -> list[int]:
    """Extend a list indexed by variable to one indexed by literal: -v counts from the end."""
    return [*new_variables, *(-entry for entry in reversed(new_variables[1:]))]


@dataclass(frozen=True)
class Numbering(Mapping[int, Candidate]):
    """A numbering of all candidates of a geometry: maps each variable to its candidate.

    - `dense`: the variable of cell c, from 0, and its v-th value is c·n + v.
    - `decimal`: the digits of the variable are row, column and value. Raises UsageError for sides
      above 9, for several grids and for free geometries.
    """

    geometry: Geometry
    style: NumberingChoice = "dense"

    def __post_init__(self) -> None:
        n, grids = self.geometry.side, len(self.geometry.grids)
        if self.style == "decimal" and grids:
            raise UsageError(f"decimal numbering is for a single grid, not for {grids}: use dense")
        if self.style == "decimal" and self.geometry.free_grid:
            raise UsageError("decimal numbering is for a grid of n rows and columns: use dense")
        if self.style == "decimal" and n > MAX_DECIMAL_SIDE:
            raise UsageError(
                f"decimal numbering allows sides up to {MAX_DECIMAL_SIDE}, "
                f"and this puzzle has side {n}: use dense"
            )

    @property
    def highest_variable(self) -> int:
        """The highest variable."""
        n = self.geometry.side
        return n * self.geometry.size if self.style == "dense" else 111 * n

    def offset(self, cell: int) -> int:
        """The offset of a cell. The variable of (cell, value) is this offset plus the value."""
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
            first = self.offset(cell) + self.geometry.lowest
            yield from range(first, first + n)

    def __len__(self) -> int:
        return self.geometry.side * self.geometry.size


def at_most_one_clauses(groups: Iterable[Iterable[int]]) -> Iterator[Clause]:
    """Yield, for any two variables of a group, the clause that they are not both true."""
    return chain.from_iterable(combinations([-x for x in group], 2) for group in groups)


def _groups(numbering: Numbering, kind: GroupKind) -> Iterator[Clause]:
    """Yield the groups of a kind, each as n variables in ascending order."""
    geometry = numbering.geometry
    values, offsets = geometry.values, [*map(numbering.offset, range(geometry.size))]
    if kind == "cell":
        return (tuple([offset + v for v in values]) for offset in offsets)
    units = {"row": geometry.rows, "column": geometry.columns, "box": geometry.boxes}[kind]()
    return (tuple([offsets[cell] + v for cell in unit]) for unit in units for v in values)


def _full_family(numbering: Numbering, kind: GroupKind, bound: int) -> Family:
    """The lazy family of a kind of group over all candidates. `bound`: AT_LEAST or AT_MOST."""
    geometry = numbering.geometry
    n = geometry.side
    groups, title = LazyClauses(partial(_groups, numbering, kind)), TITLES[kind][bound]
    group_count = geometry.size if kind == "cell" else n * geometry.unit_count(kind)
    if bound == AT_LEAST:
        return Family(title, group_count, groups)
    at_most_one = LazyClauses(partial(at_most_one_clauses, groups))
    return Family(title, group_count * comb(n, 2), at_most_one)


def _givens_and_marks(puzzle: Puzzle, numbering: Numbering) -> Iterator[Family]:
    """Yield the family of givens and the family of values forbidden by marks, each unless empty."""
    all_values, lowest = puzzle.geometry.all_values, puzzle.geometry.lowest
    givens = [(numbering.offset(cell) + value,) for cell, value in puzzle.givens()]
    forbidden = [
        (numbering.offset(cell), all_values & ~mask)
        for cell, mask in enumerate(puzzle.cells)
        if mask & (mask - 1) and mask != all_values
    ]
    if givens:
        yield Family("givens", len(givens), givens)
    if forbidden:
        size = sum(mask.bit_count() for _, mask in forbidden)
        yield Family(
            "values that marks forbid", size, LazyClauses(partial(_negations, forbidden, lowest))
        )


def _negations(forbidden: Iterable[tuple[int, int]], lowest: int) -> Iterator[Clause]:
    """Yield a unit clause for each forbidden value.

    `forbidden`: pairs of the offset of a cell and the mask of its forbidden values.
    """
    return ((-(offset + v),) for offset, mask in forbidden for v in values_of(mask, lowest))


def encode_reduced(puzzle: Puzzle, style: NumberingChoice, limits: Limits) -> Cnf:
    """Encode `extended` over the candidates that remain after unit propagation.

    Variables are numbered 1 … m, or by their digits (`decimal`). Decided candidates have no
    variable; satisfied clauses and false literals are left out. The encoding of G. Kwon and H.
    Jain, Optimized CNF encoding for Sudoku puzzles, 2006, removes only candidates that the givens
    exclude directly. Raises LimitReached.
    """
    deadline = Deadline.of(limits)
    geometry = puzzle.geometry
    numbering = Numbering(geometry, style)
    rules = puzzle.clauses_of_rules(limits.checker()) if puzzle.rules else None
    cells = reduce_candidates(puzzle, rules.facts if rules else ())
    if cells is None:
        conflict = Family("the givens and marks leave some group without a candidate", 1, [()])
        return Cnf(geometry, "reduced", 0, (conflict,), {})
    limits.check_memory(CANDIDATE_BYTES * sum(mask.bit_count() for mask in cells))
    open_flags = [_open_flags(mask, geometry.side) for mask in cells]
    is_open = b"".join(open_flags)
    candidates, fixed = _number_candidates(cells, is_open, numbering, deadline)
    highest = numbering.highest_variable if style == "decimal" else len(candidates)
    families = _open_families(geometry, open_flags, candidates, deadline)
    auxiliary = 0
    if rules:
        auxiliary = rules.auxiliary
        true_literal = highest + auxiliary + 1
        new_literals = _new_literals(cells, is_open, candidates, auxiliary, true_literal)
        families = _families_with_rules(geometry, families, rules, new_literals, true_literal)
    fields = tuple(families), candidates, fixed, auxiliary
    deadline.check()
    return Cnf(geometry, "reduced", highest + auxiliary, *fields)


def _new_literals(
    cells: Sequence[int],
    is_open: bytes,
    variables: Iterable[int],
    auxiliary: int,
    true_literal: int,
) -> NDArray[np.int32]:
    """The argument `new_literals` of `PackedClauses.renumbered` for the clauses of the rules.

    - `cells`: the mask of remaining candidates of each cell.
    - `is_open`: see `_number_candidates`.
    - `variables`: the variables of the open candidates, in order.
    - `auxiliary`: the number of auxiliary variables, the last ones before `true_literal`.

    Candidates that are decided true have `true_literal`, those decided false its negation.
    """
    import numpy as np  # noqa: PLC0415 - few puzzles have rules

    side, literals = len(is_open) // len(cells), np.zeros(len(is_open) + auxiliary + 1, np.int32)
    literals[1:] = -true_literal
    of_candidates = literals[1 : len(is_open) + 1]
    of_candidates[np.frombuffer(is_open, np.bool_)] = np.fromiter(variables, np.int32)
    for cell, mask in enumerate(cells):
        if not mask & (mask - 1):
            literals[side * cell + mask.bit_length()] = true_literal
    literals[len(is_open) + 1 :] = range(true_literal - auxiliary, true_literal)
    return np.concatenate((literals, -literals[:0:-1]))


def _families_with_rules(
    geometry: Geometry,
    families: Iterable[Family],
    rules: RuleClauses,
    new_literals: NDArray[np.int32],
    true_literal: int,
) -> Iterator[Family]:
    """Yield the families of `extended` over the remaining candidates, then the family of the rules.

    - `families`: the unpacked families of `extended` over the remaining candidates. They are used
      only if the geometry is too large for packed clauses, which are faster.
    - `new_literals`, `true_literal`: see `_new_literals`.
    """
    packed_families = _packed_families(geometry)
    if packed_families is None:
        yield from families
    for title, columns in packed_families or ():
        # clauses of one length need no search for their ends, unlike `PackedClauses.renumbered`
        renamed = new_literals.take(columns)
        unsatisfied = renamed.compress((renamed != true_literal).all(axis=0), axis=1).T
        is_kept = unsatisfied != -true_literal
        remaining = unsatisfied if is_kept.all() else unsatisfied[is_kept]
        yield Family(title, len(unsatisfied), PackedClauses(remaining.tobytes()))
    clauses = PackedClauses(rules.data).renumbered(new_literals, true_literal)
    yield Family(RULES_TITLE, len(clauses), clauses)


@lru_cache(maxsize=4)
def _packed_families(geometry: Geometry) -> list[tuple[str, NDArray[np.intp]]] | None:
    """The families of `extended` over all candidates, each as its title and an array of clauses.

    Each column of an array is a clause: its literals, then 0. Returns None if the geometry is too
    large.
    """
    import numpy as np  # noqa: PLC0415 - as above

    n, numbering = geometry.side, Numbering(geometry)
    if n * n * geometry.size * max(1, len(geometry.grids)) > MAX_PACKED_SIZE:
        return None
    kinds: tuple[GroupKind, ...] = ("cell",) if geometry.free_grid else tuple(TITLES)
    packed: list[tuple[str, NDArray[np.intp]]] = []
    for kind in kinds:
        groups = np.array([*_groups(numbering, kind)], np.intp).T  # `take` converts other types
        first, second = np.triu_indices(n, 1)
        pairs = np.stack((-groups[first].ravel(), -groups[second].ravel()))
        families = (np.pad(family, ((0, 1), (0, 0))) for family in (groups, pairs))
        packed += zip(TITLES[kind], families, strict=True)
    return packed


def _candidates_of(geometry: Geometry, cell: int) -> tuple[Candidate, ...]:
    """The candidates of a cell, one for each value."""
    row, column = geometry.place(cell)
    return tuple(Candidate(row, column, value) for value in geometry.values)


@lru_cache(maxsize=2)
def _cached_candidates(geometry: Geometry) -> tuple[Candidate, ...]:
    """The candidates of all cells."""
    return tuple(chain.from_iterable(_candidates_of(geometry, c) for c in range(geometry.size)))


@lru_cache(maxsize=4096)
def _open_flags(mask: int, side: int) -> bytes:
    """A byte for each value: 1 if the mask has it and others, else 0."""
    return bytes([mask & (mask - 1) and mask >> index & 1 for index in range(side)])


def _number_candidates(
    cells: Sequence[int], is_open: bytes, numbering: Numbering, deadline: Deadline
) -> tuple[dict[int, Candidate], tuple[Candidate, ...]]:
    """Number the open candidates, which are those of cells that have more than one left.

    - `cells`: the mask of remaining candidates of each cell.
    - `is_open`: for each candidate, 1 if it is open, else 0.

    Returns the map from variable to candidate, in ascending order, and the decided candidates.
    """
    geometry = numbering.geometry
    all_candidates: Iterable[Candidate]
    decided = [(c, mask.bit_length() - 1) for c, mask in enumerate(cells) if not mask & (mask - 1)]
    if geometry.side <= MAX_CACHED_SIDE:
        all_candidates = cached = _cached_candidates(geometry)
        fixed = [cached[geometry.side * cell + index] for cell, index in decided]
    else:
        cells_in_time = deadline.watch(range(geometry.size))
        all_candidates = chain.from_iterable(_candidates_of(geometry, c) for c in cells_in_time)
        fixed = [_candidates_of(geometry, cell)[index] for cell, index in decided]
    variables = count(1) if numbering.style == "dense" else compress(numbering, is_open)
    candidates = dict(zip(variables, compress(all_candidates, is_open), strict=False))
    return candidates, tuple(fixed)


def _exactly_one(kind: GroupKind, groups: Sequence[Clause]) -> Iterator[Family]:
    """Yield the families AT_LEAST and AT_MOST of these groups. A large AT_MOST family is lazy."""
    size = sum(comb(len(group), 2) for group in groups)
    clauses: Iterable[Clause] = LazyClauses(partial(at_most_one_clauses, groups))
    if size <= MAX_STORED_PAIRS:
        clauses = [*clauses]
    yield Family(TITLES[kind][AT_LEAST], len(groups), groups)
    yield Family(TITLES[kind][AT_MOST], size, clauses)


def _open_families(
    geometry: Geometry, open_flags: Sequence[bytes], variables: Iterable[int], deadline: Deadline
) -> Iterator[Family]:
    """Yield the families of `extended` over the open candidates.

    - `open_flags`: for each cell, a byte for each value: 1 if the candidate is open, else 0.
    - `variables`: the variables of the open candidates.
    """
    remaining = iter(variables)  # the last argument of zip, which else would take one too many
    open_candidates = [
        [*zip(compress(geometry.values, flags), remaining, strict=False)] for flags in open_flags
    ]
    yield from _exactly_one(
        "cell",
        [tuple([x for _, x in open_values]) for open_values in open_candidates if open_values],
    )
    if geometry.free_grid:
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
"""The function that encodes a puzzle, for each encoding."""
