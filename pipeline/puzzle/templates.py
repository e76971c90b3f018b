"""Templates: the clauses of a constraint with its cells and literals left open.

Constraints of one shape have the same clauses but for their variables. A template has these clauses
once, and `instantiate` makes the clauses of all constraints together, with no Python code per
clause. Templates are cached across puzzles.

The variables of a template, in ascending order, and what replaces them:

| variables           | number        | replaced by                                |
|---------------------|---------------|--------------------------------------------|
| candidates          | cells × side  | the candidates of the instance's cells     |
| parameters          | `literals`    | the instance's literals                    |
| `placeholder`       | 1             | the negations of the instance's conditions |
| auxiliary variables | `auxiliary`   | new variables of the instance              |

The placeholder is the first literal of each clause that applies only under the conditions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """Clauses with open variables.

    - `numbers`: literals, with a 0 after each clause.
    - `side`, `cells`, `literals`, `auxiliary`: see the table above.
    - `clauses`: the number of clauses.
    - `results`: the auxiliary variables that the encoding returned, counted from 1.
    - `steps`: the number of steps of work that the encoding counted.
    """

    numbers: NDArray[np.int32]
    side: int
    cells: int
    literals: int
    auxiliary: int
    results: tuple[int, ...]
    steps: int
    clauses: int = field(init=False)
    _conditional: int = field(init=False)
    _layouts: dict[int, InstanceLayout] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        conditional = np.count_nonzero(self.numbers == self.placeholder)
        clauses = len(self.numbers) - int(np.count_nonzero(self.numbers))
        object.__setattr__(self, "clauses", clauses)
        object.__setattr__(self, "_conditional", int(conditional))

    @property
    def placeholder(self) -> int:
        """The variable that the conditions replace."""
        return self.cells * self.side + self.literals + 1

    def literals_under(self, conditions: int) -> int:
        """The number of literals in the clauses of an instance with this number of conditions."""
        return len(self.numbers) - self.clauses + (conditions - 1) * self._conditional

    def layout(self, conditions: int) -> InstanceLayout:
        """The layout of the instances under this number of conditions."""
        layout = self._layouts.get(conditions)
        if layout is not None:
            return layout
        numbers, placeholder = self.numbers.astype(np.intp), self.placeholder
        is_open = numbers == placeholder
        shift = np.where(abs(numbers) > placeholder, np.sign(numbers) * (conditions - 1), 0)
        literals = np.repeat(numbers + shift, np.where(is_open, conditions, 1))
        first = (np.cumsum(is_open) - 1)[is_open] * (conditions - 1) + np.flatnonzero(is_open)
        for index in range(1, conditions):
            literals[first + index] += index
        other = self.literals + conditions
        entries = (
            [self.side] * self.cells + [1] * (other + 2),
            [1] * self.cells + [0] * other + [1, 0],
            [self.side] * self.cells + [1] * other + [self.auxiliary, 1],
        )
        variables = self.cells * self.side + other + self.auxiliary
        indices = np.where(literals, 2 * abs(literals) - 2 + (literals < 0), 2 * variables)
        layout = InstanceLayout(np.array(entries, np.int32), variables + 1, indices)
        self._layouts[conditions] = layout
        return layout


class InstanceLayout(NamedTuple):
    """How the variables and the clauses of an instance follow from its row (see `Instances`).

    - `entries`: for each entry x of a row a factor, an offset, and the number of consecutive
      variables that begin at factor · x + offset.
    - `variables`: the number of variables, with the last entry, 0, as one of them.
    - `indices`: for each literal and 0 of the clauses, its index in a table of the literals v, -v
      for each variable v.
    """

    entries: NDArray[np.int32]
    variables: int
    indices: NDArray[np.intp]


Instances = Mapping[tuple[Template, int], list[int]]
"""Maps a template and a number of conditions to the rows of its instances, one after another. A row
has the cells, the literals, the negations of the conditions, the number of variables before its
own, and 0, for the end of each clause.
"""

# A killer has many templates with few instances each, for which the calls of numpy take longer than
# the work. So these instances are made together, which takes more passes but fewer calls.
_FEW_INSTANCES, _FEW_NUMBERS = 8, 4096
"""A template is instantiated together with others if it has fewer instances, and fewer literals
and zeros in each.
"""


def instantiate(instances: Instances) -> Iterator[NDArray[np.int32]]:
    """Yield the clauses of all instances, in order, with a 0 after each clause."""
    layouts, rows = list[InstanceLayout](), list[int]()
    for (template, conditions), own_rows in instances.items():
        layout = template.layout(conditions)
        count = len(own_rows) // layout.entries.shape[1]
        if count < _FEW_INSTANCES and len(layout.indices) < _FEW_NUMBERS:
            layouts += [layout] * count
            rows += own_rows
            continue
        if layouts:
            yield _clauses_of_few(layouts, rows)
            layouts, rows = [], []
        yield _clauses_of_many(layout, own_rows)
    if layouts:
        yield _clauses_of_few(layouts, rows)


def _clauses_of_many(layout: InstanceLayout, rows: Sequence[int]) -> NDArray[np.int32]:
    """The clauses of instances with the same layout."""
    factors, offsets, lengths = layout.entries
    firsts = np.array(rows, np.int32).reshape(-1, len(lengths)) * factors + offsets
    columns = np.repeat(np.arange(len(lengths)), lengths)
    steps = np.arange(layout.variables) - (np.cumsum(lengths) - lengths)[columns]
    variables = firsts.take(columns, axis=1) + steps.astype(np.int32)
    return _literals(variables).take(layout.indices, axis=1).reshape(-1)


def _clauses_of_few(layouts: Sequence[InstanceLayout], rows: Sequence[int]) -> NDArray[np.int32]:
    """The clauses of instances, whose layouts may differ."""
    factors, offsets, lengths = np.concatenate([layout.entries for layout in layouts], axis=1)
    ends = np.cumsum(lengths)
    firsts = np.array(rows, np.int32) * factors + offsets - (ends - lengths)
    variables = np.repeat(firsts, lengths) + np.arange(ends[-1])
    counts = [layout.variables for layout in layouts]
    before = 2 * (np.cumsum(counts) - counts)
    indices = np.concatenate([layout.indices for layout in layouts])
    indices += np.repeat(before, [len(layout.indices) for layout in layouts])
    return _literals(variables.astype(np.int32)).take(indices)


def _literals(variables: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each variable v of a row the literals v and -v."""
    literals = np.empty((*variables.shape, 2), np.int32)
    literals[..., 0] = variables
    np.negative(variables, out=literals[..., 1])
    return literals.reshape(*variables.shape[:-1], 2 * variables.shape[-1])


class TemplateCache:
    """Templates by their shape. A full cache is emptied.

    `max_bytes`: about the maximum size. A template of more than an eighth is not cached.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._templates: dict[Hashable, Template] = {}
        self._bytes = 0

    def get(self, shape: Hashable) -> Template | None:
        """The template of a shape, if it is cached."""
        return self._templates.get(shape)

    def add(self, shape: Hashable, template: Template) -> None:
        """Cache a template."""
        size = _TEMPLATE_BYTES + _NUMBER_BYTES * len(template.numbers)
        if 8 * size > self._max_bytes:
            return
        if self._bytes + size > self._max_bytes:
            self.clear()
        self._templates[shape] = template
        self._bytes += size

    def clear(self) -> None:
        """Forget all templates."""
        self._templates.clear()
        self._bytes = 0


_TEMPLATE_BYTES, _NUMBER_BYTES = 4096, 24
"""Estimated memory of a template without its numbers, and of each number with its indices."""

TEMPLATES = TemplateCache(64_000_000)
"""The templates of all puzzles of this process."""
