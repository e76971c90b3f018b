"""A logical step: its conclusions, its pattern, and the position in which it is taken.

The types here do not depend on how a step is found, nor on the size of the puzzle. Cells and units
count from 0, values from 1. A *candidate* is a pair (cell, value). `wording` writes the
line and the reason of a step, `explaining` derives its branches, `picture` says what to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pipeline.errors import shortened
from pipeline.puzzle.boards import value_text
from pipeline.puzzle.geometry import Geometry, unit_name, units_of, values_of

if TYPE_CHECKING:
    from pipeline.steps.techniques import Technique

Candidate = tuple[int, int]
"""A value in a cell: (cell, value)."""

CONTRADICTION, CONCLUSION = "contradiction", "conclusion"
"""How a branch ends."""

UNIQUENESS = "the solution is unique"
"""The rule that a step cites if its technique relies on a unique solution."""


@dataclass(frozen=True)
class Position:
    """The state of a puzzle before a step.

    - `values`: the value of each cell, 0 while the cell is open.
    - `candidates`: a mask for each cell with the values that are still possible, where bit 0 stands
      for 1; 0 for a filled cell.
    - `givens`: the cells that the puzzle fills.
    - `units`, `unit_names`: the sets of cells that hold each value at most once, and their names,
      such as `row 4` or `cage of r1c1 (12)`.
    - `allowed`: a mask for each cell with the values that the puzzle allows, as for a cell that is
      marked as even; empty if this is unknown.
    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    """

    values: tuple[int, ...]
    candidates: tuple[int, ...]
    givens: frozenset[int]
    geometry: Geometry
    units: tuple[tuple[int, ...], ...]
    unit_names: tuple[str, ...]
    allowed: tuple[int, ...] = ()
    symbols: str = ""

    @classmethod
    def classic(
        cls,
        values: Sequence[int],
        candidates: Sequence[int],
        givens: frozenset[int],
        geometry: Geometry,
        allowed: Sequence[int] = (),
    ) -> Position:
        """The position of a puzzle whose units are its rows, columns and boxes."""
        return cls(
            tuple(values),
            tuple(candidates),
            givens,
            geometry,
            units_of(geometry),
            _classic_names(geometry),
            tuple(allowed),
        )

    def mark_of(self, cell: int) -> str:
        """`even` or `odd` for a cell that the puzzle marks so, else an empty text."""
        mask = self.allowed[cell] if self.allowed else 0
        names = {self.geometry.even_values: "even", self.geometry.odd_values: "odd"}
        return names.get(mask, "")

    def allows(self, cell: int, value: int) -> bool:
        """Whether the puzzle allows a value in a cell, if other cells are ignored."""
        return not self.allowed or bool(self.allowed[cell] >> value - 1 & 1)

    def values_in(self, cell: int) -> tuple[int, ...]:
        """The candidates of an open cell, ascending; none for a filled cell."""
        return tuple(values_of(self.candidates[cell]))

    def has(self, cell: int, value: int) -> bool:
        """Whether a value is a candidate of a cell."""
        return bool(self.candidates[cell] >> value - 1 & 1)

    def places(self, unit: int, value: int) -> tuple[int, ...]:
        """The open cells of a unit that have a candidate."""
        return tuple(cell for cell in self.units[unit] if self.has(cell, value))

    def sees(self, first: int, second: int) -> bool:
        """Whether two different cells share a unit."""
        return second in self.peers[first]

    @cached_property
    def peers(self) -> tuple[frozenset[int], ...]:
        """The cells that share a unit with each cell."""
        return _peers_of(self.units, len(self.values))

    def units_with(self, cells: Sequence[int]) -> tuple[int, ...]:
        """The units that contain all of the cells."""
        wanted = {*cells}
        return tuple(index for index, unit in enumerate(self.units) if wanted <= {*unit})

    def name_of(self, cell: int) -> str:
        """The name of a cell, such as `r1c1`."""
        return self.geometry.name_of(cell)

    def symbol(self, value: int) -> str:
        """How a value is written: its character in `symbols`, or its number."""
        return value_text(value, self.symbols)


@lru_cache(maxsize=16)
def _classic_names(geometry: Geometry) -> tuple[str, ...]:
    """The names of the rows, columns and boxes."""
    return tuple(unit_name(geometry, index) for index in range(len(units_of(geometry))))


@lru_cache(maxsize=16)
def _peers_of(units: tuple[tuple[int, ...], ...], size: int) -> tuple[frozenset[int], ...]:
    """The cells that share a unit with each of `size` cells."""
    peers: list[set[int]] = [set() for _ in range(size)]
    for unit in units:
        for cell in unit:
            peers[cell].update(unit)
    return tuple(frozenset(seen - {cell}) for cell, seen in enumerate(peers))


class Node(NamedTuple):
    """A node of a chain: one of the cells contains the value or, if `holds` is False, none does."""

    value: int
    cells: tuple[int, ...]
    holds: bool


@dataclass(frozen=True, slots=True)
class Cited:
    """A constraint that a step relies on: at least one of its candidates holds.

    - `cells`: the cell; or the cells of the unit; or the cells of a rule.
    - `value`: the value that has its place in the unit; 0 for a cell or a rule.
    - `unit`: the index of the unit in `Position.units`; None for a cell or a rule.
    - `rule`: the text of a rule of the puzzle; empty for a cell or a unit.
    - `alternatives`: of a rule, the candidates of which at least one holds; empty if the rule does
      not have this form.
    """

    cells: tuple[int, ...]
    value: int = 0
    unit: int | None = None
    rule: str = ""
    alternatives: tuple[Candidate, ...] = ()

    def candidates(self, position: Position) -> tuple[Candidate, ...]:
        """The candidates of which at least one holds; empty for a rule without `alternatives`."""
        if self.rule:
            return tuple(c for c in self.alternatives if position.has(*c))
        if self.value:
            return tuple(
                (cell, self.value) for cell in self.cells if position.has(cell, self.value)
            )
        return tuple((cell, value) for cell in self.cells for value in position.values_in(cell))


@dataclass(frozen=True, slots=True)
class Inference:
    """A node of a branch, and why it follows.

    - `premises`: the indices of the earlier inferences of the branch that imply the node together.
    - `because`: the constraint whose other candidates the premises exclude; None if a single
      premise that holds excludes the node, for the assumption, for a node of the outer branch that
      is repeated, and for a node with `branches`.
    - `branches`: nested branches that refute the opposite of the node.
    """

    node: Node
    premises: tuple[int, ...] = ()
    because: Cited | None = None
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """The inferences from an assumption, up to a contradiction or to the conclusion of the step.

    - `assumption`: the node that is assumed.
    - `inferences`: the first is the assumption. In a nested branch, nodes of the outer branch
      follow, without premises. If the branch ends in a contradiction, the node of the last
      inference contradicts an earlier node.
    - `ends`: CONTRADICTION or CONCLUSION. CONCLUSION also if the conclusion follows from both ends
      of a chain: the last node is then the end of the chain.
    """

    assumption: Node
    inferences: tuple[Inference, ...]
    ends: str


@dataclass(frozen=True, slots=True)
class Step:
    """A logical step: its conclusions and its pattern. `str(step)` is its line in `solve --steps`.

        >>> from pipeline import steps_of
        >>> step = next(steps_of("12345678." + "." * 72))
        >>> step
        <Step r1c9=9 full house in row 1>
        >>> step.technique.name, step.where
        ('full house', 'row 1')
        >>> step.reason
        'r1c9 is the only open cell of row 1, and 9 is missing there.'

    - `placed`: the candidates that the step places.
    - `eliminated`: the candidates that the step eliminates.
    - `values`, `cells`, `units`: the pattern.
    - `cover`: the units in which the step eliminates candidates.
    - `chain`: the nodes of a chain, in order.
    - `before`: the position in which the step is taken.
    - `fins`: the cells of a fish outside of its cover.
    - `cited`: the constraints from which the conclusions follow.
    - `total`: of innies and outies, the sum of the innies less the sum of the outies.
    - `rating`: the rating of Sudoku Explainer in its order; 0 in other orders.

    Units are indices in `before.units`.
    """

    technique: Technique
    placed: tuple[Candidate, ...]
    eliminated: tuple[Candidate, ...]
    values: tuple[int, ...]
    cells: tuple[int, ...]
    units: tuple[int, ...]
    cover: tuple[int, ...]
    chain: tuple[Node, ...]
    before: Position
    fins: tuple[int, ...] = ()
    cited: tuple[Cited, ...] = ()
    rating: float = 0.0
    total: int = 0

    def __str__(self) -> str:
        from pipeline.steps.presentation.wording import text_of  # noqa: PLC0415 - `wording` imports this module

        return text_of(self)

    def __repr__(self) -> str:
        return f"<Step {shortened(str(self))}>"

    def with_symbols(self, symbols: str) -> Step:
        """The step, written with the characters of `symbols` for the values 1, 2, …."""
        return replace(self, before=replace(self.before, symbols=symbols))

    @property
    def where(self) -> str:
        """The units or cells to look at, as in `solve --hint where`."""
        from pipeline.steps.presentation.step_objects import place_text  # noqa: PLC0415 - imports this module

        return place_text(self)

    @property
    def reason(self) -> str:
        """Why the conclusions follow, in one sentence."""
        from pipeline.steps.presentation.wording import sentence_of  # noqa: PLC0415 - imports this module

        return sentence_of(self)

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches of a chain or net; empty for other techniques."""
        from pipeline.steps.presentation.explaining import branches_of  # noqa: PLC0415 - imports this module

        return branches_of(self)
