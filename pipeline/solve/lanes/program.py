"""Program: numpy calls on fixed buffers, put together once and run again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from pipeline.solve.lanes.layout import Bits

and_, or_, xor, invert, copy = (
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.invert,
    np.copyto,
)


class Program:
    """Calls in order; the lanes that some of them find without a solution go to `dead`.

    Buffers come from `new`, and are used again after `forget`: the less memory is in use, the
    more of it is in a core's cache.
    """

    def __init__(self, dead: Bits) -> None:
        self._dead = dead
        self._buffers: list[Bits] = []
        self._in_use = 0
        self._calls: list[tuple[Callable[..., object], tuple[Any, ...]]] = []

    def run(self) -> None:
        for function, arguments in self._calls:
            function(*arguments)

    def new(self, shape: tuple[int, ...]) -> Bits:
        """A buffer for planes, with anything in it."""
        size, index = prod(shape), self._in_use
        self._in_use += 1
        if index == len(self._buffers) or self._buffers[index].size < size:
            self._buffers[index : index + 1] = [np.empty(size, np.uint64)]
        return self._buffers[index][:size].reshape(shape)

    def forget(self) -> None:
        """What `new` has given is no longer needed by the calls to come."""
        self._in_use = 0

    def do(self, function: Callable[..., object], *arguments: object) -> None:
        """One call more: numpy's order, the result goes into the last argument."""
        self._calls.append((function, arguments))

    def die(self, lanes: Bits) -> None:
        """Dead is each lane that has its bit in any of these planes."""
        planes = lanes.reshape(-1, len(self._dead))
        found = np.empty_like(self._dead)
        self.do(or_.reduce, planes, 0, None, found)
        self.do(or_, self._dead, found, self._dead)

    def any_of(self, planes: Sequence[Bits], some: Bits) -> None:
        """Let `some` be where some plane is."""
        if len(planes) == 1:
            self.do(copy, some, planes[0])
            return
        self.do(or_, planes[0], planes[1], some)
        for plane in planes[2:]:
            self.do(or_, some, plane, some)

    def count(self, planes: Sequence[Bits], once: Bits, twice: Bits, temp: Bits) -> None:
        """Let `once` be where some plane is, and `twice` where two or more are."""
        if len(planes) == 1:
            self.do(copy, once, planes[0])
            self.do(copy, twice, np.uint64(0))
            return
        self.do(or_, planes[0], planes[1], once)
        self.do(and_, planes[0], planes[1], twice)
        for plane in planes[2:]:
            self.do(and_, once, plane, temp)
            self.do(or_, twice, temp, twice)
            self.do(or_, once, plane, once)

    def join(self, pairs: Sequence[tuple[Bits, Bits]], temp: Bits) -> None:
        """Let the first pair be `once` and `twice` of all that the others have counted."""
        (once, twice), *others = pairs
        self.do(copy, once, others[0][0])
        self.do(copy, twice, others[0][1])
        for other_once, other_twice in others[1:]:
            self.do(and_, once, other_once, temp)
            self.do(or_, twice, temp, twice)
            self.do(or_, twice, other_twice, twice)
            self.do(or_, once, other_once, once)

    def three_of_nine(self, planes: Bits, three: Bits) -> None:
        """Let `three` be where at least three of nine planes are, by their sums in threes."""
        first, second, third = planes[:3], planes[3:6], planes[6:]
        odd, carry, temp = (self.new(first.shape) for _ in range(3))
        once, twice, spare = temp
        self.do(xor, first, second, odd)
        self.do(and_, first, second, carry)
        self.do(and_, odd, third, temp)
        self.do(or_, carry, temp, carry)
        self.do(xor, odd, third, odd)
        self.count(list(carry), once, twice, spare)
        self.do(or_.reduce, odd, 0, None, spare)
        self.do(and_, once, spare, three)
        self.do(or_, three, twice, three)
        self.do(and_.reduce, odd, 0, None, spare)
        self.do(or_, three, spare, three)
