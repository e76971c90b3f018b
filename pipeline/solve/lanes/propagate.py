"""Chunk: many lanes side by side, and the rounds of deduction that they go through together.

In a round, on all lanes at once:

- A cell with one candidate left is *single*; one with none kills its lane.
- For every value, the cells that a line shares with a box are a *triad* (of three, in a 9×9
  grid). A band has as many rows as boxes; which triad of a row has the value, and in which row
  a box has it, is a permutation matrix. So `matrices` tells which triads may and which must
  have the value: locked candidates, and what singles exclude. (T. Dillon's augmented encoding,
  in tdoku, 2019.) Columns and stacks likewise.
- A triad that must have as many values as it has cells has no other.
- The one candidate of a triad that must have the value is *hidden*: its cell holds it.

What a round does is compiled to a list of numpy calls on fixed buffers, once for each size.
"""

from __future__ import annotations

import numpy as np

from pipeline.solve.lanes.layout import WORD, Bits, Layout
from pipeline.solve.lanes.matrices import permute
from pipeline.solve.lanes.program import Program, and_, copy, invert, or_, xor

IN_BOX_COLUMN, IN_BOX_ROW = 0, 2
"""The axes of the candidates that the triads of rows and those of columns lie along."""

MATRIX_AXES = {IN_BOX_COLUMN: (2, 1, 0, 3, 4), IN_BOX_ROW: (3, 0, 1, 2, 4)}
"""The axes of an array of triads, as columns and rows of the matrices and what is left."""


class Chunk:
    """Planes of `words` words, the buffers to propagate in, and what is known of the lanes.

    `block` and `other` hold all planes, as `transpose` wants them; `alive` and `before` are the
    same memory by candidate. `dead`, `open` and `moved` have a bit for each lane, and tell,
    after `propagate`, which lanes have no solution, which have an undecided cell, and which the
    last round changed. A lane that is neither dead nor open is solved.
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
        """So many rounds, from the planes in `alive`; `before` is used up."""
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
        """The values are counted in groups first: that makes for long stretches of memory."""
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
        """Rows or columns; the triads lie along this axis of the candidates."""
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
    """A triad of three cells that must have three of the nine values has no other."""
    values = np.moveaxis(must, value_axis, 0)
    free, allowed = program.new(values[0].shape), program.new(may.shape)
    program.three_of_nine(values, free)
    program.do(invert, free, free)
    program.do(or_, must, np.expand_dims(free, value_axis), allowed)
    program.do(and_, may, allowed, may)
