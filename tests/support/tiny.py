"""A program that is compiled in a moment: the sum of some numbers."""

from __future__ import annotations

import numpy as np

from pipeline.native import Program, compiled

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
