"""A program that is compiled in a moment: the sum of some numbers."""

from __future__ import annotations

from ctypes import c_int64
from pathlib import Path

from pipeline.native import Program

TINY = Program(
    name="tiny",
    sources=(Path(__file__),),
    compiler="support.tiny.object_code",
    trial="support.tiny.try_sum",
    arguments="Pq",
    result="q",
)


def object_code(name):
    from numba import carray, types

    from pipeline.native import building

    def summed(numbers, count):
        total = 0
        for number in carray(numbers, count):
            total += number
        return total

    signature = types.int64(types.CPointer(types.int64), types.int64)
    return building.object_code(summed, signature, name)


def try_sum(function):
    if sum_by(function, 40, 2) != 42:
        raise RuntimeError("it cannot add")


def sum_by(function, *numbers):
    return function((c_int64 * len(numbers))(*numbers), len(numbers))
