"""Templates: the clauses of a constraint with its cells and literals left open.

Constraints of one shape have the same clauses but for their variables. A template has these clauses
once, and `instantiate` makes the clauses of all constraints at once, with no Python code per clause.
Templates are cached across puzzles.

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
    _layouts: dict[int, Layout] = field(init=False, default_factory=dict)

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

    def layout(self, conditions: int) -> Layout:
        """The layout of the instances under this number of conditions."""
        layout = self._layouts.get(conditions)
        if layout is not None:
            return layout
        numbers, placeholder = self.numbers, self.placeholder
        is_open = numbers == placeholder
        shift = np.where(abs(numbers) > placeholder, np.sign(numbers) * (conditions - 1), 0)
        literals = np.repeat(numbers + shift, np.where(is_open, conditions, 1))
        first = (np.cumsum(is_open) - 1)[is_open] * (conditions - 1) + np.flatnonzero(is_open)
        for index in range(1, conditions):
            literals[first + index] += index
        other = self.literals + conditions
        entries = (
            [self.side] * self.cells + [1] * (other + 1),
            [1] * self.cells + [0] * other + [1],
            [self.side] * self.cells + [1] * other + [self.auxiliary],
        )
        self._layouts[conditions] = layout = Layout(
            np.array(entries, np.int32),
            self.cells * self.side + other + self.auxiliary,
            np.maximum(abs(literals) - 1, 0).astype(np.intp),
            np.sign(literals).astype(np.int32),
        )
        return layout


class Layout(NamedTuple):
    """Where the literals of an instance come from.

    - `entries`: the entries of a row of `instantiate`, one in each column: its factor, its offset,
      and the number of consecutive variables that begin at factor · entry + offset.
    - `variables`: the number of variables, in the order of the entries.
    - `indices`: for each number of the clauses, the index of its variable; 0 for a 0.
    - `signs`: the sign of each number.
    """

    entries: NDArray[np.int32]
    variables: int
    indices: NDArray[np.intp]
    signs: NDArray[np.int32]


Instances = Mapping[tuple[Template, int], list[int]]
"""The instances of each template under a number of conditions, one after another. An instance is a
row: its cells, its literals, the negations of its conditions, and the number of variables before
its own.
"""

_NUMBERS_PER_CHUNK = 1 << 18
"""About the number of literals that are made at a time, by arrays of 32 bytes each."""


def instantiate(instances: Instances) -> Iterator[NDArray[np.int32]]:
    """Yield the clauses of all instances, in order, with a 0 after each clause."""
    layouts, rows, size = list[Layout](), list[int](), 0
    for (template, conditions), all_rows in instances.items():
        layout = template.layout(conditions)
        width, numbers = layout.entries.shape[1], len(layout.indices)
        length = width * (_NUMBERS_PER_CHUNK // (numbers + 1) + 1)
        for start in range(0, len(all_rows), length):
            chunk = all_rows[start : start + length] if len(all_rows) > length else all_rows
            count = len(chunk) // width
            layouts += [layout] * count
            rows += chunk
            size += count * numbers
            if size >= _NUMBERS_PER_CHUNK:
                yield _clauses_of(layouts, rows)
                layouts, rows, size = [], [], 0
    if layouts:
        yield _clauses_of(layouts, rows)


def _clauses_of(layouts: Sequence[Layout], rows: Sequence[int]) -> NDArray[np.int32]:
    """The clauses of instances. `layouts`: the layout of each instance; `rows`: their rows."""
    entries = np.array(rows, np.int32)
    factors, offsets, lengths = np.concatenate([layout.entries for layout in layouts], axis=1)
    ends = np.cumsum(lengths)
    firsts = entries * factors + offsets - (ends - lengths)
    variables = np.repeat(firsts, lengths) + np.arange(ends[-1])
    signs = np.concatenate([layout.signs for layout in layouts])
    if not len(variables):
        return signs  # empty clauses
    counts = [layout.variables for layout in layouts]
    before = np.cumsum(counts) - counts
    indices = np.concatenate([layout.indices for layout in layouts])
    indices += np.repeat(before, [len(layout.indices) for layout in layouts])
    literals: NDArray[np.int32] = variables.astype(np.int32).take(indices, mode="clip") * signs
    return literals


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
