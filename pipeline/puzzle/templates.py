"""Templates: the clauses of a constraint with its cells and literals left open.

Constraints of one shape have the same clauses but for their variables. A template has these clauses
once, and `instantiate` makes the clauses of all constraints of the shape at once, with no Python
code per clause. Templates are cached across puzzles.

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

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

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
    _indices: dict[int, NDArray[np.intp]] = field(init=False, default_factory=dict)

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

    def instantiate(self, conditions: int, rows: Sequence[int]) -> NDArray[np.int32]:
        """The clauses of instances under this number of conditions, with a 0 after each clause.

        `rows`: for each instance its cells, its literals, the negations of its conditions, and the
        number of variables before its own.
        """
        width = self.cells + self.literals + conditions + 1
        instances = np.array(rows, np.int32).reshape(-1, width)
        cells, other = np.split(instances[:, :-1], [self.cells], axis=1)
        offsets = np.arange(1, self.side + 1, dtype=np.int32)
        candidates = (cells[:, :, None] * self.side + offsets).reshape(len(instances), -1)
        own = instances[:, -1:] + np.arange(1, self.auxiliary + 1, dtype=np.int32)
        positive = np.concatenate((candidates, other, own), axis=1)
        zeros = np.zeros_like(instances[:, :1])
        table = np.concatenate((zeros, positive, -positive[:, ::-1]), axis=1)
        return table.take(self._indices_under(conditions), axis=1).reshape(-1)

    def _indices_under(self, conditions: int) -> NDArray[np.intp]:
        """`numbers` with this number of conditions, as indices into the table of `instantiate`."""
        indices = self._indices.get(conditions)
        if indices is not None:
            return indices
        numbers, placeholder = self.numbers.astype(np.intp), self.placeholder
        is_open = numbers == placeholder
        shift = np.where(abs(numbers) > placeholder, np.sign(numbers) * (conditions - 1), 0)
        indices = np.repeat(numbers + shift, np.where(is_open, conditions, 1))
        first = (np.cumsum(is_open) - 1)[is_open] * (conditions - 1) + np.flatnonzero(is_open)
        for index in range(1, conditions):
            indices[first + index] += index
        variables = placeholder - 1 + conditions + self.auxiliary
        indices[indices < 0] += 2 * variables + 1
        self._indices[conditions] = indices
        return indices


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
