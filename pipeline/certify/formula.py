"""The DIMACS formula that a proof of completeness refutes, made from the rules alone.

The formula states the puzzle and blocks each published grid, so it is unsatisfiable if and only if
the puzzle has no other solution. It uses no encoder, and shares only the clauses of further rules
with the encodings. The core of a formula consists of the clauses that unit propagation uses, and of
the clauses that are open after it. The core is faster to refute than the formula, and its proof is
faster to check.
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
"""Maximum number of clauses of a puzzle's formula."""

MAX_OTHER_CLAUSES = 1_000_000
"""Maximum number of clauses of other formulas. A proof of that size and its check take up to 1 GB
of memory."""

_CHUNK_CLAUSES = 10_000
"""Number of clauses in a chunk of DIMACS text."""

_CHECK_INTERVAL = 1000
"""Number of literals that are propagated between two checks of the deadline."""

# The syntax of DIMACS in the strict form that `Formula.text` writes.
_HEADER = re.compile(r"p cnf (0|[1-9][0-9]{0,9}) (0|[1-9][0-9]{0,9})\n")
_BODY = re.compile(r"(?:(?:-?[1-9][0-9]{0,9} )*+0\n)*+")


class FormulaTooLarge(LimitReached):
    """The rules of a geometry need more clauses than the limit for a proof."""


@dataclass(frozen=True, eq=False)
class SharedClauses:
    """The clauses that all puzzles of a geometry share, and their text."""

    clauses: tuple[Clause, ...]

    @cached_property
    def text(self) -> str:
        """The clauses in DIMACS, one per line."""
        return "".join(_text_chunks(self.clauses))


@dataclass(frozen=True, slots=True)
class Formula:
    """Clauses over the variables 1 … `variables`, in the order in which they are published.

    No clause names a variable twice. `shared`: the first clauses, if other formulas share them.
    """

    variables: int
    clauses: tuple[Clause, ...]
    shared: SharedClauses = field(default=SharedClauses(()), repr=False, compare=False)

    @property
    def own_clauses(self) -> tuple[Clause, ...]:
        """The clauses after the shared clauses."""
        return self.clauses[len(self.shared.clauses) :]

    def text(self) -> Iterator[str]:
        """Yield the DIMACS text in chunks: the header, then one clause per line."""
        yield f"p cnf {self.variables} {len(self.clauses)}\n"
        yield self.shared.text
        yield from _text_chunks(self.own_clauses)


def formula_size(geometry: Geometry) -> int:
    """Return the number of clauses that state cells, rows, columns and boxes.

    The clauses are not generated.
    """
    n, height, width = geometry.side, geometry.height, geometry.width
    pairs = comb(n, 2)
    pairs_apart = pairs - height * comb(width, 2) - width * comb(height, 2)
    groups = geometry.size + n * (geometry.unit_count("row") + geometry.unit_count("column"))
    boxes = 0 if _boxes_are_lines(geometry) else n * geometry.unit_count("box")
    return groups * (1 + pairs) + boxes * (1 + pairs_apart)


def proof_formula(puzzle: Puzzle, grids: Sequence[Grid]) -> Formula:
    """State the units, givens, marks and rules of a puzzle, and block the grids.

    Variable c·n + v means that cell c holds the v-th value. Cells are numbered from 0, row by row.
    The auxiliary variables of rules have higher numbers. Raises LimitReached for too many clauses,
    and ValueError for a grid of another geometry or a grid that is listed twice.
    """
    geometry = puzzle.geometry
    if any(grid.geometry != geometry for grid in grids) or len(set(grids)) < len(grids):
        raise ValueError("expected distinct grids of the puzzle's geometry")
    shared = _shared_clauses(geometry)
    variables = geometry.side * geometry.size
    rule_clauses: tuple[Clause, ...] = ()
    if puzzle.rules:
        rules = puzzle.clauses_of_rules()
        variables = rules.variables
        rule_clauses = tuple(map(_without_repeats, rules))
    givens, blocking = _given_clauses(puzzle), map(_blocking_clause, grids)
    return Formula(variables, (*shared.clauses, *givens, *rule_clauses, *blocking), shared)


def _without_repeats(clause: Clause) -> Clause:
    """Return the clause with each of its literals once."""
    return clause if len({*clause}) == len(clause) else tuple(dict.fromkeys(clause))


@lru_cache(maxsize=4)
def _shared_clauses(geometry: Geometry) -> SharedClauses:
    """Return the clauses that all puzzles of a geometry share.

    Raises FormulaTooLarge if there are too many.
    """
    size = formula_size(geometry)
    if size > MAX_CLAUSES:
        n = geometry.side
        raise FormulaTooLarge(
            f"the rules of {n}×{n} need {size:,} clauses; the limit for a proof is {MAX_CLAUSES:,}"
        )
    return SharedClauses(tuple(_unit_rule_clauses(geometry)))


def _boxes_are_lines(geometry: Geometry) -> bool:
    """Whether the boxes equal the rows or the columns."""
    return 1 in (geometry.height, geometry.width)


def _unit_rule_clauses(geometry: Geometry) -> Iterator[Clause]:
    """State that each cell has exactly one value, and each value exactly one place in each unit.

    If a clause of a box is also a clause of a row or column, it is not repeated.
    """
    n = geometry.side
    values = range(1, n + 1)
    cells = [[cell * n + value for value in values] for cell in range(geometry.size)]
    units, number = units_of(geometry), geometry.unit_count("row") + geometry.unit_count("column")
    lines, boxes = units[:number], units[number:]
    positions = [[cells[cell][value - 1] for cell in line] for line in lines for value in values]
    for group in (*cells, *positions):
        yield tuple(group)
        yield from combinations(map(neg, group), 2)
    if _boxes_are_lines(geometry):
        return
    for box in boxes:
        place, pairs = geometry.place, combinations(box, 2)
        pairs_apart = [(a, b) for a, b in pairs if all(map(ne, place(a), place(b)))]
        for value in range(n):
            yield tuple(cells[cell][value] for cell in box)
            yield from ((-cells[a][value], -cells[b][value]) for a, b in pairs_apart)


def _given_clauses(puzzle: Puzzle) -> Iterator[Clause]:
    """Yield unit clauses: given values are true, and values that a mark forbids are false."""
    n, full = puzzle.geometry.side, puzzle.geometry.all_values
    for cell, mask in enumerate(puzzle.cells):
        if mask & (mask - 1) == 0:
            yield (cell * n + mask.bit_length(),)
        else:
            yield from ((-(cell * n + value),) for value in values_of(full & ~mask))


def _blocking_clause(grid: Grid) -> Clause:
    """Return the clause that this grid violates, and every other grid satisfies."""
    n, offset = grid.geometry.side, 1 - grid.geometry.lowest
    return tuple(-(cell * n + offset + value) for cell, value in enumerate(grid.values))


def _text_chunks(clauses: Sequence[Clause]) -> Iterator[str]:
    for start in range(0, len(clauses), _CHUNK_CLAUSES):
        yield "".join(map(_dimacs_line, clauses[start : start + _CHUNK_CLAUSES]))


def _dimacs_line(clause: Clause) -> str:
    if len(clause) == 2:
        return "%d %d 0\n" % clause
    return " ".join(map(str, (*clause, "0\n")))


def read_formula(text: str) -> Formula:
    """Read a formula in the format that `Formula.text` writes.

    The text must consist of a header and one clause per line, as many as the header says. Raises
    ValueError with a line number for any other text, and if a clause names a variable twice.
    """
    first, end, body = text.partition("\n")
    header = _HEADER.fullmatch(first + end)
    if header is None:
        raise ValueError(f"line 1: expected 'p cnf VARIABLES CLAUSES', found {first[:40]!r}")
    matched = _BODY.match(body)  # until Python 3.11.4, the match may end inside an invalid line
    valid_end = body.rfind("\n", 0, matched.end()) + 1 if matched else 0
    if valid_end < len(body):
        rest = body[valid_end : valid_end + 40].partition("\n")[0]
        number = body.count("\n", 0, valid_end) + 2
        raise ValueError(f"line {number}: expected literals, then 0 and a newline, found {rest!r}")
    variables, announced = map(int, header.groups())
    clauses = tuple(_parse_clauses(body, variables))
    if len(clauses) != announced:
        raise ValueError(f"line 1: {announced} clauses are announced, {len(clauses)} follow")
    return Formula(variables, clauses)


def _parse_clauses(body: str, variables: int) -> Iterator[Clause]:
    """Yield the clauses in the lines after the header. Raises ValueError."""
    for number, line in enumerate(body.splitlines(), 2):
        clause = tuple(map(int, line[:-1].split()))
        named = set(map(abs, clause))
        if len(named) < len(clause):
            raise ValueError(f"line {number}: a variable is named twice")
        if named and max(named) > variables:
            raise ValueError(
                f"line {number}: variable {max(named)}, but there are only {variables}"
            )
        yield clause


@dataclass(frozen=True, slots=True)
class Core:
    """A subset of the clauses of a formula, before and after unit propagation.

    - `indices`: the indices, from 0, of the clauses of the core in the formula. If these clauses
      are unsatisfiable, so is the formula.
    - `remaining`: the clauses that are open after propagation, without their false literals. They
      are the input of a solver.
    - `implied`: the literals that propagation makes true.
    """

    formula: Formula
    indices: tuple[int, ...]
    remaining: tuple[Clause, ...]
    implied: frozenset[int] = frozenset()

    @property
    def clauses(self) -> list[Clause]:
        """The clauses of the core, with all their literals."""
        return [self.formula.clauses[index] for index in self.indices]

    @property
    def is_refuted(self) -> bool:
        """Whether propagation alone refutes the formula. `TRIVIAL_PROOF` is then its proof."""
        return () in self.remaining

    def model(self, model: AbstractSet[int]) -> tuple[int, ...]:
        """Extend a model of `remaining` to a model of the formula that assigns all variables."""
        true_literals = self.implied.union(model)
        return tuple(
            [
                v if v in true_literals and -v not in self.implied else -v
                for v in range(1, self.formula.variables + 1)
            ]
        )


Refuter = Callable[[Core, float], "str | frozenset[int]"]
"""A function of a core and a time limit in seconds. Returns a DRAT proof, or a model of
`remaining`.

The caller checks the result. The function raises PipelineError if it finds neither.
"""


def core_of(formula: Formula, deadline: Deadline = NEVER) -> Core:
    """Select the clauses that unit propagation uses, and the clauses that are open after it.

    Every other clause is satisfied by a literal that the selected clauses imply, so it never
    propagates. Each RUP step from the formula is therefore also a RUP step from the core. The time
    and memory that the selection takes are linear in the size of the formula. Raises LimitReached
    when the deadline has passed.
    """
    first, (sizes, shared) = len(formula.shared.clauses), _index_shared(formula.shared)
    own = _index_literals(deadline.watch(formula.own_clauses), first)

    def clauses_with(literal: int) -> Iterable[int]:
        """Return the indices of the clauses that contain a literal."""
        return chain(shared.get(literal, ()), own.get(literal, ()))

    not_false = [*sizes, *map(len, formula.own_clauses)]
    true, reasons, is_refuted = _propagate(formula, not_false, clauses_with, deadline)
    if is_refuted:
        return Core(formula, tuple(reasons), ((),))
    is_open = bytearray(b"\1") * len(formula.clauses)
    for index in chain.from_iterable(map(clauses_with, true)):
        is_open[index] = 0
    open_indices = [*compress(range(len(formula.clauses)), is_open)]
    watched = deadline.watch(map(formula.clauses.__getitem__, open_indices))
    remaining = [tuple([x for x in clause if -x not in true]) for clause in watched]
    return Core(formula, (*reasons, *open_indices), tuple(remaining), frozenset(true))


def _propagate(
    formula: Formula,
    not_false: list[int],
    clauses_with: Callable[[int], Iterable[int]],
    deadline: Deadline,
) -> tuple[set[int], list[int], bool]:
    """Propagate the unit clauses of a formula.

    `not_false`: for each clause, the number of its literals that are not false; updated. Returns
    the true literals, the indices of the clauses that imply them, and whether there is a conflict.
    After a conflict, the last index is the index of the falsified clause.
    """
    true: set[int] = set()
    reasons: list[int] = []
    first = len(formula.shared.clauses)
    units = [index for index in range(first, len(not_false)) if not_false[index] <= 1]
    for index in units:
        literal = next((x for x in formula.clauses[index] if -x not in true), None)
        if literal is None:
            return true, [*reasons, index], True
        if literal in true:
            continue
        if len(true) % _CHECK_INTERVAL == 0:
            deadline.check()
        true.add(literal)
        reasons.append(index)
        for clause_index in clauses_with(-literal):
            not_false[clause_index] -= 1
            if not_false[clause_index] == 1:
                units.append(clause_index)
    return true, reasons, False


def _index_literals(clauses: Iterable[Clause], first: int) -> Mapping[int, Sequence[int]]:
    """Map each literal to the indices of its clauses, which count from `first`."""
    index = defaultdict(list)
    for number, clause in enumerate(clauses, first):
        for literal in clause:
            index[literal].append(number)
    return index


@lru_cache(maxsize=4)
def _index_shared(shared: SharedClauses) -> tuple[list[int], Mapping[int, Sequence[int]]]:
    """Return the lengths of the shared clauses, and a map from literals to indices of clauses."""
    return [*map(len, shared.clauses)], _index_literals(shared.clauses, 0)
