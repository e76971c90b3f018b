"""Model against clauses: whether each clause holds one of the model's literals.

Nothing here knows how the model was found, nor how the clauses were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import neg


def certify_model(clauses: Iterable[Sequence[int]], model: Iterable[int]) -> int | None:
    """The index, from 0, of the first clause that the model does not satisfy; None if it does all.

    What is satisfied is so whatever value the variables have that the model leaves out. A
    literal whose negation the model holds too counts for nothing.
    """
    true = frozenset(model)
    if not true.isdisjoint(map(neg, true)):
        true = true.difference(map(neg, true))
    for index, clause in enumerate(clauses):
        if true.isdisjoint(clause):
            return index
    return None
