"""Programs that are compiled in a moment: the sum of some numbers, and all that vectors can do."""

from __future__ import annotations

import numpy as np

from pipeline.native import Program, compiled
from pipeline.native.vectors import broadcast, load, nonzero_mask, popcount, store

TINY = Program("tiny", "summed", ("support.tiny",), "support.tiny.try_sum")


@compiled()
def summed(numbers):
    total = 0
    for number in numbers:
        total += number
    return total


def try_sum(function):
    if sum_by(function, 40, 2) != 42:
        raise RuntimeError("it cannot add")


def sum_by(function, *numbers):
    return function(np.array(numbers, np.int64))


_SELF = ("support.tiny", "pipeline.native.vectors")
VECTORS = {
    kind: Program(f"vectors{kind(0).itemsize}", "combined", _SELF, f"support.tiny.try_{name}")
    for kind, name in ((np.uint16, "short"), (np.uint64, "long"))
}


@compiled()
def combined(given, found):
    """Write a vector for each operation on the first vectors of `given`."""
    a, b, c = load(given, 0), load(given, 1), load(given, 2)
    store(found, 0, a & b | ~c)
    store(found, 1, a ^ b)
    store(found, 2, a + b)
    store(found, 3, a - b)
    store(found, 4, a << np.uint64(3))
    store(found, 5, a >> np.uint64(5))
    store(found, 6, nonzero_mask(c))
    store(found, 7, popcount(a))
    store(found, 8, broadcast(given[3, 1]))
    store(found, 9, broadcast(given[3, 0]) & a)
    return True


def try_short(function):
    function(np.ones((4, 32), np.uint16), np.zeros((12, 32), np.uint16))


def try_long(function):
    function(np.ones((4, 8), np.uint64), np.zeros((12, 8), np.uint64))
