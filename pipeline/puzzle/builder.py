"""A builder of clauses, with the encodings that several constraints share.

Variable c·n + v is a candidate: it means "cell c holds the v-th value". Auxiliary variables come
after all candidates. The clauses of rules assume that every cell holds exactly one value, which the
clauses of the grid require.
"""

from __future__ import annotations

from array import array
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from functools import cached_property, lru_cache, reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

from pipeline.errors import LimitReached
from pipeline.puzzle import encodings
from pipeline.puzzle.clauses import Clause, PackedClauses, RuleClauses
from pipeline.puzzle.geometry import bits_of, indices_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pipeline.puzzle.templates import Template, TemplateCache


Encoding = Callable[..., Sequence[int] | None]
"""A function of a builder, cells, literals and parameters that adds clauses; see `encode_cached`.
"""


class ClauseLimits(NamedTuple):
    """Limits on the clauses of a puzzle's rules. A builder that exceeds one raises LimitReached.

    - `clauses`: maximum number of clauses.
    - `literals`: maximum number of literals. A clause of a wide grid may have hundreds.
    - `steps`: maximum number of steps of work, many of which add no clause.
    - `sets`: maximum number of sets of values that have a given total. With more sets, the total is
      encoded as a running sum. Grids of up to 16 values never reach this limit.
    """

    clauses: int = 3_000_000
    literals: int = 12_000_000
    steps: int = 10_000_000
    sets: int = 1000


_DEFAULT_LIMITS = ClauseLimits()

_CLAUSE_BYTES, _LITERAL_BYTES = 80, 24
"""Estimated memory, in bytes, of a clause and of each of its literals."""

_CLAUSES_PER_CHECK, _STEPS_PER_CHECK = 4096, 1 << 14
"""Number of clauses, and number of steps, between two calls of `check`."""


@lru_cache(maxsize=16)
def _unit_masks(units: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The cells of each unit, as a bit mask."""
    return tuple(map(bits_of, units))


@lru_cache(maxsize=16)
def _unit_masks_by_cell(units: tuple[tuple[int, ...], ...]) -> dict[int, list[int]]:
    """For each cell of a unit, its units as bit masks."""
    masks: dict[int, list[int]] = {}
    for unit, mask in zip(units, _unit_masks(units), strict=True):
        for cell in unit:
            masks.setdefault(cell, []).append(mask)
    return masks


@lru_cache(maxsize=16)
def _peer_masks(cells: int, units: tuple[tuple[int, ...], ...]) -> list[int]:
    """For each cell, a bit mask of the cells in its units, itself included."""
    peers = [0] * cells
    for unit, mask in zip(units, _unit_masks(units), strict=True):
        for cell in unit:
            peers[cell] |= mask
    return peers


class ClauseBuilder:
    """Builds clauses over the candidates of a grid with `cells` cells and `side` values.

    - `lowest`: the lowest value; the values are consecutive.
    - `units`: the cells of each unit, which other clauses require to hold different values. The
      clauses of rules may rely on that, and on the groups of `add_regions`.
    - `check`: called regularly with the estimated memory in bytes.

    `variables` is the highest variable. `sums` contains the literals of the sums of groups of
    cells, which constraints share. Methods that add clauses raise LimitReached if `limits` are
    exceeded, or if `check` raises it.

    Clauses that are added one at a time are kept in a list. Those of templates (`encode_cached`)
    are made together by `build`: the calls of numpy for a single small instance cost more than its
    clauses in plain Python.

    `group_masks` has the cells of each of `groups` as a bit mask.
    """

    def __init__(
        self,
        side: int,
        cells: int,
        limits: ClauseLimits = _DEFAULT_LIMITS,
        check: Callable[[int], None] | None = None,
        lowest: int = 1,
        units: Sequence[Sequence[int]] = (),
    ) -> None:
        self.side = side
        self.units = tuple(map(tuple, units))
        self.groups: tuple[Sequence[int], ...] = self.units
        self.group_masks = [*_unit_masks(self.units)]
        self.values = range(lowest, lowest + side)
        self._offset = 1 - lowest
        self.limits = limits
        self.candidates = side * cells
        self.variables = self.candidates
        self._numbers: list[int] = []
        self._arrays: list[NDArray[np.int32]] = []
        self._instances: dict[tuple[Template, int], list[int]] = {}
        self._clause_count = self._literal_count = self._checked_clauses = 0
        self._conditions: Clause = ()
        self._is_recorder = False  # its clauses become a template
        self._clauses_before = 0  # of the builder that it records for
        self._steps = self._checked_steps = 0
        self._check = check
        self._equal: dict[tuple[int, int], int] = {}
        self.sums: dict[frozenset[int], list[int]] = {}
        self.chosen_lines: dict[tuple[int, tuple[tuple[int, ...], ...]], list[int]] = {}

    @property
    def auxiliary(self) -> int:
        """The number of variables that are not candidates."""
        return self.variables - self.candidates

    def __len__(self) -> int:
        return self._clause_count

    @property
    def clauses(self) -> list[Clause]:
        """The clauses so far, as tuples."""
        return [*self.build()]

    def build(self) -> RuleClauses:
        """Pack the clauses so far."""
        if not self._arrays and not self._instances:
            data = array("i", self._numbers).tobytes()
        else:
            data = self._joined().tobytes()
        clauses = PackedClauses(data)
        return RuleClauses(data, clauses.unit_literals(), self.variables, self.auxiliary)

    def _joined(self) -> NDArray[np.int32]:
        """All clauses so far as one array."""
        import numpy as np  # noqa: PLC0415 - slow to load

        from pipeline.puzzle.templates import instantiate  # noqa: PLC0415 - slow to load

        numbers = np.array(self._numbers, np.int32)
        return np.concatenate((numbers, *self._arrays, *instantiate(self._instances)))

    def literal(self, cell: int, value: int) -> int:
        """The literal for "the cell holds the value". The value must be one of `values`."""
        position = value + self._offset
        assert 1 <= position <= self.side  # noqa: S101 - a bug in a rule
        return cell * self.side + position

    def new_variable(self) -> int:
        """Create an auxiliary variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add a clause that applies under the current conditions (see `condition`)."""
        self._append_clause(self._conditions + literals)

    def _append_clause(self, clause: Clause) -> None:
        self._count_clauses(1, len(clause))
        numbers = self._numbers
        numbers += clause
        numbers.append(0)

    def _count_clauses(self, clauses: int, literals: int) -> None:
        """Count clauses before they are added. Raises LimitReached."""
        self._clause_count = count = self._clause_count + clauses
        self._literal_count += literals
        if count > self.limits.clauses or self._literal_count > self.limits.literals:
            needed = self._clauses_before + count - clauses
            raise LimitReached(f"the rules need more than {needed:,} clauses")
        if count - self._checked_clauses >= _CLAUSES_PER_CHECK:
            self._checked_clauses = count
            self._check_memory()

    def add_array(self, numbers: NDArray[np.int32]) -> None:
        """Add clauses as they are, without the current conditions. A 0 follows each clause."""
        clauses = int((numbers == 0).sum())
        self._count_clauses(clauses, len(numbers) - clauses)
        self._arrays.append(numbers)

    def encode_cached(
        self,
        encode: Encoding,
        cells: Sequence[int] = (),
        literals: Sequence[int] = (),
        parameters: tuple[Hashable, ...] = (),
    ) -> list[int]:
        """Add the clauses of `encode(clauses, cells, literals, *parameters)`.

        `encode` is called once for each number of cells, number of literals and parameters, with
        another builder, which has no units and whose cells are numbered from 0. Its clauses become
        a template. So it must not depend on which cells and literals it gets. It may return new
        variables.
        """
        if self._is_recorder:  # no templates within a template: they would be slower
            return [*(encode(self, cells, literals, *parameters) or ())]
        template = self._template(encode, len(cells), len(literals), parameters)
        own, conditions = self.variables, self._conditions
        self.count_steps(template.steps)
        self._count_clauses(template.clauses, template.literals_under(len(conditions)))
        rows = self._instances.setdefault((template, len(conditions)), [])
        rows += (*cells, *literals, *conditions, own, 0)
        self.variables += template.auxiliary
        return [own + result for result in template.results]

    def encode_cached_all(
        self,
        encode: Encoding,
        instances: Sequence[Sequence[int]],
        parameters: tuple[Hashable, ...] = (),
    ) -> None:
        """Call `encode_cached` for each of these tuples of cells, all of the same length."""
        if not instances or self._is_recorder:
            for cells in instances:
                encode(self, cells, (), *parameters)
            return
        template = self._template(encode, len(instances[0]), 0, parameters)
        conditions, count = self._conditions, len(instances)
        self.count_steps(count * template.steps)
        literals = template.literals_under(len(conditions))
        self._count_clauses(count * template.clauses, count * literals)
        rows = self._instances.setdefault((template, len(conditions)), [])
        for cells in instances:
            rows += (*cells, *conditions, self.variables, 0)
            self.variables += template.auxiliary

    def _template(
        self, encode: Encoding, cells: int, literals: int, parameters: tuple[Hashable, ...]
    ) -> Template:
        shape = encode, cells, literals, self.values, self.limits.sets, parameters
        template = self._templates.get(shape)
        if template is None:
            template = self._new_template(encode, cells, literals, parameters)
            self._templates.add(shape, template)
        return template

    @cached_property
    def _templates(self) -> TemplateCache:
        from pipeline.puzzle.templates import TEMPLATES  # noqa: PLC0415 - slow to load

        return TEMPLATES

    def _new_template(
        self, encode: Encoding, cells: int, literals: int, parameters: tuple[Hashable, ...]
    ) -> Template:
        from pipeline.puzzle.templates import Template  # noqa: PLC0415 - as above

        remaining, check = self._remaining_limits(), self._check and self._check_memory
        recorder = ClauseBuilder(self.side, cells, remaining, check, self.values[0])
        parameter_literals = [recorder.new_variable() for _ in range(literals)]
        placeholder = recorder.new_variable()
        recorder._conditions = (placeholder,)
        recorder._is_recorder = True
        recorder._clauses_before = self._clauses_before + self._clause_count
        results = encode(recorder, tuple(range(cells)), parameter_literals, *parameters) or ()
        return Template(
            recorder._joined(),
            self.side,
            cells,
            literals,
            recorder.variables - placeholder,
            tuple(result - placeholder for result in results),
            recorder._steps,
        )

    def _remaining_limits(self) -> ClauseLimits:
        """The limits that the clauses and steps so far leave for a template.

        Each of its clauses may have a placeholder, which counts as a literal only there.
        """
        limits = self.limits
        clauses = limits.clauses - self._clause_count
        return limits._replace(
            clauses=clauses,
            literals=limits.literals - self._literal_count + clauses,
            steps=limits.steps - self._steps,
        )

    @property
    def has_room(self) -> bool:
        """Whether less than half of each limit is used: room for clauses that may be omitted."""
        limits = self.limits
        return (
            2 * self._clause_count < limits.clauses
            and 2 * self._literal_count < limits.literals
            and 2 * self._steps < limits.steps
        )

    def count_steps(self, steps: int) -> None:
        """Count steps of work, even steps that add no clause. Raises LimitReached."""
        self._steps += steps
        if self._steps > self.limits.steps:
            raise LimitReached("the rules take too long to encode")
        if self._steps - self._checked_steps >= _STEPS_PER_CHECK:
            self._checked_steps = self._steps
            self._check_memory()

    def _check_memory(self, memory: int = 0) -> None:
        """Check the memory of the clauses so far and this many more bytes."""
        if self._check:
            memory += _CLAUSE_BYTES * self._clause_count + _LITERAL_BYTES * self._literal_count
            self._check(memory)

    @property
    def conditions(self) -> Clause:
        """The negations of the current conditions, which begin each clause of `add`."""
        return self._conditions

    @contextmanager
    def condition(self, *literals: int) -> Iterator[None]:
        """Context manager: clauses added inside apply only if all these literals are true."""
        outer_conditions = self._conditions
        self._conditions = (*outer_conditions, *(-literal for literal in literals))
        try:
            yield
        finally:
            self._conditions = outer_conditions

    def new_selectors(self, number: int) -> list[int]:
        """Create variables of which at least one is true, for use with `condition`."""
        variables = [self.new_variable() for _ in range(number)]
        self.add(*variables)
        return variables

    def require_at_most_one(self, literals: Sequence[int]) -> None:
        """Require that at most one of the literals is true (sequential encoding)."""
        self.encode_cached(encodings.encode_at_most_one, literals=literals)

    def define_any_cell(self, cells: Sequence[int], value: int) -> int:
        """Create a variable for "one of the cells holds the value", with unconditional clauses."""
        return self.define_disjunction([self.literal(cell, value) for cell in cells])

    def define_disjunction(self, literals: Sequence[int]) -> int:
        """A literal for "one of these literals is true". Its clauses are unconditional."""
        if len(literals) == 1:
            return literals[0]
        (disjunction,) = self.encode_cached(encodings.encode_disjunction, literals=literals)
        return disjunction

    def define_equal(self, a: int, b: int) -> int:
        """The variable for "the cells a and b hold the same value"; a and b must differ.

        The first call creates the variable, which all constraints share. Its clauses are
        unconditional.
        """
        pair = (a, b) if a < b else (b, a)
        if pair not in self._equal:
            (self._equal[pair],) = self.encode_cached(encodings.encode_equal, pair)
        return self._equal[pair]

    @cached_property
    def unit_peers(self) -> Sequence[int]:
        """For each cell, a bit mask of the cells in its units, itself included."""
        return _peer_masks(self.candidates // self.side, self.units)

    def add_regions(self, regions: Iterable[Sequence[int]]) -> None:
        """Let later clauses rely on further groups of cells that hold different values.

        Other clauses must require that, unconditionally. Groups that are part of a unit are left
        out, and empty ones.
        """
        unit_masks = _unit_masks_by_cell(self.units)
        for region in filter(None, regions):
            bits = bits_of(region)
            # a unit that contains the region contains its first cell
            if not any(bits & mask == bits for mask in unit_masks.get(region[0], ())):
                self.groups += (region,)
                self.group_masks.append(bits)
                for cell in region:
                    self.peers[cell] |= bits

    @cached_property
    def peers(self) -> list[int]:
        """For each cell, a bit mask of the cells in its groups, itself included."""
        return [*self.unit_peers]

    def are_different(self, cells: Sequence[int]) -> bool:
        """Whether the values of the cells differ because any two of them are in a group."""
        bits = bits_of({*cells})
        is_apart = all(self.peers[cell] & bits == bits for cell in cells)
        return is_apart and len({*cells}) == len(cells)

    def common_peers(self, cells: Sequence[int]) -> Iterator[int]:
        """Yield the other cells that are in a group with each of these cells."""
        common = reduce(and_, [self.peers[cell] for cell in cells] or [0])
        return indices_of(common & ~bits_of({*cells}))

    def define(self, *literals: int) -> None:
        """Add an unconditional clause, which defines new variables."""
        self._append_clause(literals)

    def define_counter(self, literals: Sequence[int], maximum: int) -> list[int]:
        """Create a unary counter that counts to `maximum` or to the number of literals.

        Returns variables: the k-th is equivalent to "at least k of the literals are true". Their
        clauses are unconditional.
        """
        return self.encode_cached(
            encodings.encode_counter, literals=literals, parameters=(maximum,)
        )

    def require_one_of_sets(
        self, literals: Mapping[int, int], sets: Sequence[Collection[int]]
    ) -> None:
        """Require that the values with true literals form one of the sets.

        `literals`: the literal of each value.
        """
        listed = tuple(tuple(value in values for value in literals) for values in sets)
        self.encode_cached(
            encodings.encode_one_of_sets, literals=[*literals.values()], parameters=(listed,)
        )

    def sets_with_total(
        self, values: Collection[int], size: int, total: int
    ) -> tuple[tuple[int, ...], ...] | None:
        """The sets of `size` values that sum to `total`; None if there are too many."""
        sets, steps = encodings.sets_with_total(tuple(values), size, total, self.limits.sets)
        self.count_steps(steps)
        return sets

    def require_automaton(
        self,
        cells: Sequence[int],
        start: Hashable,
        step: Callable[..., Hashable | None],
        accepted: frozenset[Hashable],
        numbers: tuple[Hashable, ...] = (),
    ) -> None:
        """Require that an automaton accepts the values of the cells.

        - `cells`: may list a cell more than once.
        - `step(state, value, *numbers)`: returns the state after a cell, or None to reject its
          value.
        """
        automaton = encodings.StepAutomaton(start, step, accepted, numbers)
        parameters = automaton, len({*cells}) == len(cells)
        self.encode_cached(encodings.encode_automaton, cells, parameters=parameters)

    def require_sum(
        self,
        cells: Sequence[int],
        summands: tuple[tuple[int, ...], ...],
        bounds: tuple[tuple[int, int], ...],
        totals: tuple[int, ...],
        literals: Sequence[int] = (),
    ) -> None:
        """Require that the sum of the summands of the cells is one of the totals.

        - `cells`: may list a cell more than once.
        - `summands`: for each cell, what each of the values adds.
        - `bounds`: the lowest and the highest sum that is possible after each cell.
        - `literals`: for each total, the literal for "this is the sum"; none for a single total.
        """
        running_sum = encodings.RunningSum(summands, bounds, totals)
        parameters = running_sum, len({*cells}) == len(cells)
        self.encode_cached(encodings.encode_sum, cells, literals, parameters)

    def require_segment_loop(self, cells: Sequence[int], total: int) -> None:
        """Require that the cells, as a loop, can be divided into segments that sum to `total`.

        There is at least one segment. Cells may repeat.
        """
        self.encode_cached(encodings.encode_segment_loop, cells, parameters=(total,))

    def check_room(self, clauses: int) -> None:
        """Raise LimitReached if this many more clauses exceed the limits."""
        if self._clause_count + clauses > self.limits.clauses:
            available = self._clauses_before + self.limits.clauses
            raise LimitReached(f"the rules need more than {available:,} clauses")
        self._check_memory(_CLAUSE_BYTES * clauses)
