"""The propagator of squares that hold a value of each part, as in global entropy.

Like the propagators in `propagation`, it is exact when every cell of its scope has one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import eliminate_from_peers, restrict
from pipeline.native import compiled


# Hall's theorem (1935), from the side of the parts: k parts need k cells, as a cell holds one
# value. If only k cells can hold values of k parts, each of them must do so. With a mask for every
# union of parts, this is arc-consistent: if the constraint excludes a value of a cell, some k parts
# without this value have only k cells, and the cell is one of them. If the cells have only one
# value of a mask, one of them holds it, so their common peers lose it.
#
# An ANY_OF of values for each part takes more time for each node, and more nodes, because it does
# not consider the parts of a square together.
@compiled()
def propagate_min_counts(state, problem, first, length):
    """Enforce that for each mask, at least `minimum` cells hold one of its values."""
    data = first + length
    for entry in range(data + 1, data + 1 + 2 * problem[data], 2):
        minimum, values = problem[entry], problem[entry + 1]
        count = union = 0
        for i in range(first, first + length):
            mask = state[L.DOMAINS + problem[i]] & values
            union |= mask
            count += mask != 0
        if count < minimum:
            return False
        if count == minimum:
            for i in range(first, first + length):
                if state[L.DOMAINS + problem[i]] & values and not restrict(
                    state, problem, problem[i], values
                ):
                    return False
        elif (
            union & (union - 1) == 0
            and not state[L.IS_PROBING]
            and not eliminate_from_peers(state, problem, first, length, union)
        ):
            return False
    return True
