"""Propagate: the rounds of deduction that many lanes go through together, and where to split them.

In a round, on all lanes at once:

- A cell with one candidate left is *single*; one with none kills its lane.
- For every value, the cells that a line shares with a box are a *triad* (of three, in a 9×9
  grid). A band has as many rows as boxes; which triad of a row has the value, and in which row
  a box has it, is a permutation matrix. `permute` finds which triads may and which must have the
  value: locked candidates, and what singles exclude. (T. Dillon's augmented encoding, in tdoku,
  2019.) Columns and stacks likewise.
- A triad that must have as many values as it has cells has no other.
- The only candidate of a triad that must have the value is *hidden*: its cell holds it.

A round is compiled to a list of numpy calls on fixed buffers, once for each size.

A lane is split on a cell with the fewest candidates, usually two. Among those a cell is preferred
whose candidates all have places in two or more boxes of their row, and of their column; and among
these one whose candidates all have places in other such cells, in another box of the row or column.
Compared with any smallest cell this saves a third of the nodes on hard 9×9 puzzles. Counting the
places in the groups, tried before, cost more and saved less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.solving.compiled.planes import WORD, Bits, Layout

and_, or_, xor, invert, copy = (
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.invert,
    np.copyto,
)


class Program:
    """A sequence of calls; some of them mark lanes without a solution in `dead`.

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
        """A buffer for planes, with undefined content."""
        size, index = prod(shape), self._in_use
        self._in_use += 1
        if index == len(self._buffers) or self._buffers[index].size < size:
            self._buffers[index : index + 1] = [np.empty(size, np.uint64)]
        return self._buffers[index][:size].reshape(shape)

    def forget(self) -> None:
        """Release what `new` has given; later calls may reuse it."""
        self._in_use = 0

    def do(self, function: Callable[..., object], *arguments: object) -> None:
        """Add a call in numpy's order: the result goes into the last argument."""
        self._calls.append((function, arguments))

    def die(self, lanes: Bits) -> None:
        """Mark each lane dead that has its bit in any of these planes."""
        planes = lanes.reshape(-1, len(self._dead))
        found = np.empty_like(self._dead)
        self.do(or_.reduce, planes, 0, None, found)
        self.do(or_, self._dead, found, self._dead)

    def any_of(self, planes: Sequence[Bits], some: Bits) -> None:
        """Set `some` to the union of the planes."""
        if len(planes) == 1:
            self.do(copy, some, planes[0])
            return
        self.do(or_, planes[0], planes[1], some)
        for plane in planes[2:]:
            self.do(or_, some, plane, some)

    def count(self, planes: Sequence[Bits], once: Bits, twice: Bits, temp: Bits) -> None:
        """Set `once` where some plane is set, and `twice` where two or more are."""
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
        """Set the first pair to the combined `once` and `twice` of all others."""
        (once, twice), *others = pairs
        self.do(copy, once, others[0][0])
        self.do(copy, twice, others[0][1])
        for other_once, other_twice in others[1:]:
            self.do(and_, once, other_once, temp)
            self.do(or_, twice, temp, twice)
            self.do(or_, twice, other_twice, twice)
            self.do(or_, once, other_once, once)

    def three_of_nine(self, planes: Bits, three: Bits) -> None:
        """Set `three` where at least three of nine planes are set, by their sums in threes."""
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


def permute(program: Program, may: Bits, must: Bits) -> None:
    """Tighten, in place, which entries of permutation matrices may and which must be ones.

    `may[x, y]` and `must[x, y]` are groups of planes: in every row y, and in every column x, of a
    matrix exactly one entry is set. A lane whose matrix has no permutation left is dead.
    """
    if len(may) == 3:
        _permute_three(program, may, must)
        return
    ours, needed = program.new(may.shape), program.new(must.shape)
    program.do(copy, ours, may)
    program.do(copy, needed, must)
    _exactly_one(program, list(ours), list(needed))
    _exactly_one(program, list(ours.swapaxes(0, 1)), list(needed.swapaxes(0, 1)))
    program.do(copy, may, ours)
    program.do(copy, must, needed)


def _permute_three(program: Program, may: Bits, must: Bits) -> None:
    """Tighten all 3×3 matrices at once, by minors: an entry needs one of two pairs beyond it.

    `wide` repeats the first rows and columns after the last, so that x+1 and x+2 are slices.
    """
    do = program.do
    wide = program.new((5, 5, *may.shape[2:]))
    ours, first, second = (program.new(may.shape) for _ in range(3))
    do(copy, ours, must)
    for column in range(3):
        do(or_, ours[column - 2], ours[column - 1], first[column])
    do(invert, first, first)
    do(copy, ours, may)
    do(and_, ours, first, wide[:3, :3])
    do(copy, wide[:3, 3:], wide[:3, :2])
    do(copy, wide[3:], wide[:2])
    do(and_, wide[1:4, 1:4], wide[2:5, 2:5], first)
    do(and_, wide[1:4, 2:5], wide[2:5, 1:4], second)
    do(or_, first, second, first)
    do(and_, wide[:3, :3], first, ours)
    once, twice, temp = first
    program.count(list(ours), once, twice, temp)
    do(invert, once[0], once[0])
    program.die(once[0])
    do(invert, twice, twice)
    do(copy, may, ours)
    do(and_, ours, twice, must)


def _exactly_one(program: Program, may: list[Bits], must: list[Bits]) -> None:
    """Exactly one of these groups holds: it must if no other may, and if one must no other may."""
    do = program.do
    once, twice, temp = (program.new(may[0].shape) for _ in range(3))
    program.count(may, once, twice, temp)
    do(invert, once, once)
    program.die(once)
    do(invert, twice, twice)
    for one, needed in zip(may, must, strict=True):
        do(and_, one, twice, temp)
        do(or_, needed, temp, needed)
    program.count(must, once, twice, temp)
    program.die(twice)
    do(invert, once, once)
    for one, needed in zip(may, must, strict=True):
        do(or_, needed, once, temp)
        do(and_, one, temp, one)


IN_BOX_COLUMN, IN_BOX_ROW = 0, 2
"""The axes of the candidates along which the triads of rows and of columns lie."""

MATRIX_AXES = {IN_BOX_COLUMN: (2, 1, 0, 3, 4), IN_BOX_ROW: (3, 0, 1, 2, 4)}
"""The axes of an array of triads, as columns and rows of the matrices and the rest."""


class Chunk:
    """Planes of `words` words, the buffers to propagate in, and the state of the lanes.

    `block` and `other` hold all planes, as `rows_of` and `planes_of` need them; `alive` and
    `before` are the same memory by candidate. After `propagate`, `dead`, `open` and `moved` have
    a bit for each lane: whether it has no solution, whether it has an undecided cell, and whether
    the last round changed it. A lane that is neither dead nor open is solved.
    """

    def __init__(self, layout: Layout, words: int) -> None:
        self.layout, self.words = layout, words
        candidates = (*layout.shape, words)
        size = layout.planes * words
        self.block, self.other, space = (
            np.zeros((WORD, layout.row_words * words), np.uint64) for _ in range(3)
        )
        self.spare = space.reshape(-1)
        self.alive, self.before, self.hidden = (
            block.reshape(-1)[:size].reshape(candidates)
            for block in (self.block, self.other, space)
        )
        self.single = np.zeros(candidates, np.uint64)
        self.once, self.twice, self.temp = (
            np.zeros(self.alive[:, 0].shape, np.uint64) for _ in range(3)
        )
        self.dead, self.open, self.moved = (np.zeros(words, np.uint64) for _ in range(3))
        self._round = self._compile()

    def propagate(self, rounds: int) -> None:
        """Run so many rounds on the planes in `alive`; overwrites `before`."""
        self.dead[:] = 0
        for _ in range(rounds - 1):
            self._round.run()
        copy(self.before, self.alive)
        self._round.run()
        xor(self.before, self.alive, self.before)
        or_.reduce(self.before.reshape(-1, self.words), 0, out=self.moved)
        or_.reduce(self.twice.reshape(-1, self.words), 0, out=self.open)

    def _compile(self) -> Program:
        program = Program(self.dead)
        self._find_singles(program)
        self._strike_lines(program, IN_BOX_COLUMN)
        self._strike_lines(program, IN_BOX_ROW)
        self._strike_hidden(program)
        return program

    def _find_singles(self, program: Program) -> None:
        """Count the values in groups first, which makes for long stretches of memory."""
        groups = self.layout.geometry.height
        by_group = self.alive.reshape(len(self.alive), groups, -1, *self.alive.shape[2:])
        group, size = by_group[:, 0].shape, by_group[:, 0].size
        once, twice, temp = (
            space.reshape(group)
            for space in (
                self.single.reshape(-1)[:size],
                self.hidden.reshape(-1)[:size],
                self.single.reshape(-1)[-size:],
            )
        )
        program.count(list(by_group.swapaxes(0, 1)), once, twice, temp)
        pairs = list(zip(once.swapaxes(0, 1), twice.swapaxes(0, 1), strict=True))
        program.join([(self.once, self.twice), *pairs], self.temp)
        program.do(invert, self.once, self.once)
        program.die(self.once)
        program.do(invert, self.twice, self.temp)
        program.do(and_, self.alive, self.temp[:, None], self.single)

    def _strike_lines(self, program: Program, axis: int) -> None:
        """Process rows or columns; the triads lie along this axis of the candidates."""
        program.forget()
        do = program.do
        alive, single = (np.moveaxis(planes, axis, 0) for planes in (self.alive, self.single))
        may, twice, must, temp = (program.new(alive[0].shape) for _ in range(4))
        program.count(list(alive), may, twice, temp)
        program.any_of(list(single), must)
        do(invert, must, temp)
        axes = MATRIX_AXES[axis]
        permute(program, may.transpose(axes), must.transpose(axes))
        do(and_, may, temp, may)  # a triad with a single keeps nothing else
        if self.layout.geometry.height == self.layout.geometry.width == 3:
            _strike_full(program, may, must, 0 if axis == IN_BOX_COLUMN else 1)
        do(invert, twice, twice)
        do(and_, must, twice, must)
        strike, hide = np.expand_dims(may, axis), np.expand_dims(must, axis)
        found = self.hidden if axis == IN_BOX_COLUMN else self.single
        do(or_, self.single, strike, found)
        do(and_, self.alive, found, self.alive)
        do(and_, self.alive, hide, found)

    def _strike_hidden(self, program: Program) -> None:
        do, others = program.do, self.once
        do(or_, self.hidden, self.single, self.hidden)
        do(or_.reduce, self.hidden, 1, None, others)
        do(invert, others, others)
        do(or_, self.hidden, others[:, None], self.hidden)
        do(and_, self.alive, self.hidden, self.alive)


def _strike_full(program: Program, may: Bits, must: Bits, value_axis: int) -> None:
    """Exclude others from a triad of three cells that must have three of the nine values."""
    values = np.moveaxis(must, value_axis, 0)
    free, allowed = program.new(values[0].shape), program.new(may.shape)
    program.three_of_nine(values, free)
    program.do(invert, free, free)
    program.do(or_, must, np.expand_dims(free, value_axis), allowed)
    program.do(and_, may, allowed, may)


def cells_to_split(chunk: Chunk, lanes: Bits) -> NDArray[np.intp]:
    """The index of a cell, in the order of the planes, for each lane; arbitrary for other lanes."""
    cells = _smallest_cells(chunk, lanes)
    theirs, temp = chunk.hidden, chunk.before
    and_(chunk.alive, cells[:, None], theirs)
    row, column = _in_several_boxes(chunk.alive)
    locked = _some_value(and_(theirs, ~row, temp)) | _some_value(and_(theirs, ~column, temp))
    row, column = _in_several_boxes(theirs)
    lonely = _some_value(and_(and_(theirs, ~row, temp), ~column, temp))
    cells = _avoid(_avoid(cells, locked), lonely)
    return _first(cells.reshape(-1, chunk.words))


def _smallest_cells(chunk: Chunk, lanes: Bits) -> Bits:
    """Planes of the cells with the fewest candidates, cells with only one excluded."""
    digits = _sum([chunk.alive[:, value] for value in range(chunk.layout.geometry.side)])
    cells: Bits = or_.reduce(digits[1:]) & lanes
    for digit in reversed(digits):
        cells = _avoid(cells, digit)
    return cells


def _sum(planes: list[Bits]) -> list[Bits]:
    """Count in each lane the planes that have it, in binary, lowest digit first (carry-save)."""
    digits = []
    while planes:
        carries = []
        while len(planes) > 1:
            one, other = planes.pop(), planes.pop()
            odd, carry = one ^ other, one & other
            if planes:
                third = planes.pop()
                carry |= odd & third
                odd ^= third
            planes.insert(0, odd)
            carries.append(carry)
        digits += planes
        planes = carries
    return digits


def _in_several_boxes(planes: Bits) -> tuple[Bits, Bits]:
    """For each value and row, and each value and column, whether two boxes have it there."""
    row = _twice(list(np.moveaxis(or_.reduce(planes, 0), 2, 0)))
    column = _twice(list(np.moveaxis(or_.reduce(planes, 2), 3, 0)))
    return row[None, :, :, None], column[:, :, None, :, None]


def _twice(planes: list[Bits]) -> Bits:
    once, twice = planes[0], planes[0] & planes[1] if planes[1:] else np.zeros_like(planes[0])
    for before, plane in pairwise(planes[1:]):
        once = once | before
        twice |= once & plane
    return twice


def _some_value(planes: Bits) -> Bits:
    cells: Bits = or_.reduce(planes, 1)
    return cells


def _avoid(cells: Bits, bad: Bits) -> Bits:
    """The cells without the bad ones; in lanes where all are bad, all of them."""
    good = cells & ~bad
    some_good: Bits = or_.reduce(good.reshape(-1, good.shape[-1]), 0)
    return good | (cells & ~some_good)


def _first(planes: Bits) -> NDArray[np.intp]:
    """For each lane the index of the first plane that has it, by halving."""
    half = 1 << (len(planes) - 1).bit_length()
    kind = np.min_scalar_type(half - 1)
    indices = np.zeros(planes.shape[1] * WORD, kind)
    while half := half // 2:
        left, right = planes[:half].copy(), planes[half:]
        not_left = ~or_.reduce(left, 0)
        left[: len(right)] |= right & not_left
        bits = np.unpackbits(not_left.view(np.uint8), bitorder="little")
        indices = indices << kind.type(1) | bits.astype(kind)
        planes = left
    return indices.astype(np.intp)
