"""Chunk: many lanes side by side, and the rounds of deduction that they go through together.

In a round, on all lanes at once:

- A cell with one candidate left is *single*; one with none kills its lane.
- For every value, the cells that a line shares with a box are a *triad* (of three, in a 9×9
  grid). A band has as many rows as boxes; which triad of a row has the value, and in which row
  a box has it, is a permutation matrix. So `matrices` tells which triads may and which must
  have the value: locked candidates, and what singles exclude. (T. Dillon's augmented encoding,
  in tdoku, 2019.) Columns and stacks likewise.
- The one candidate of a triad that must have the value is *hidden*: its cell holds it.

What a round does is compiled to a list of numpy calls on fixed buffers, once for each size.
"""

from __future__ import annotations

import numpy as np

from pipeline.solve.lanes.layout import WORD, Layout
from pipeline.solve.lanes.matrices import permute
from pipeline.solve.lanes.program import Program, and_, copy, invert, or_, xor

ROWS, COLUMNS = (2, 1, 0, 3), (3, 0, 1, 2)
"""The axes of an array of triads, as (one of them, in each of these, for all of those)."""


class Chunk:
    """Planes of `words` words, the buffers to propagate in, and what is known of the lanes.

    `block` and `other` hold all planes, as `transpose` wants them, `alive` and `before` are the
    same memory by candidate. `dead`, `open` and `moved` have a bit for each lane, and tell,
    after `propagate`, which lanes have no solution, which have an undecided cell, and which the
    last round changed. A lane that is neither dead nor open is solved.
    """

    def __init__(self, layout: Layout, words: int) -> None:
        self.layout, self.words = layout, words
        candidates = (*layout.shape, words)
        size = layout.planes * words
        self.block, self.other = (
            np.zeros((WORD, layout.row_words * words), np.uint64) for _ in range(2)
        )
        self.alive, self.before = (
            block.reshape(-1)[:size].reshape(candidates) for block in (self.block, self.other)
        )
        self.spare = np.zeros(self.block.size, np.uint64)
        self.hidden = self.spare[:size].reshape(candidates)
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
        self._strike_lines(program, 0, ROWS)
        self._strike_lines(program, 2, COLUMNS)
        self._strike_hidden(program)
        return program

    def _find_singles(self, program: Program) -> None:
        values = [self.alive[:, value] for value in range(self.layout.geometry.side)]
        program.count(values, self.once, self.twice, self.temp)
        program.do(invert, self.once, self.once)
        program.die(self.once)
        program.do(invert, self.twice, self.temp)
        program.do(and_, self.alive, self.temp[:, None], self.single)

    def _strike_lines(self, program: Program, across: int, axes: tuple[int, ...]) -> None:
        """Rows or columns; the triads lie across this axis of the candidates."""
        do, lines = program.do, Triads(self, across)
        may, must, free = lines.once, lines.must, lines.temp
        program.count(lines.alive, may, lines.twice, lines.temp)
        program.any_of(lines.single, must)
        matrix = tuple(np.zeros_like(may.transpose(*axes, 4), order="C") for _ in range(2))
        do(copy, matrix[0], may.transpose(*axes, 4))
        do(copy, matrix[1], must.transpose(*axes, 4))
        permute(program, *matrix)
        do(copy, may.transpose(*axes, 4), matrix[0])
        do(invert, must, must)
        do(and_, may, must, may)
        do(copy, must.transpose(*axes, 4), matrix[1])
        do(invert, lines.twice, lines.twice)
        do(and_, must, lines.twice, must)
        for alive, single, hidden in zip(lines.alive, lines.single, lines.hidden, strict=True):
            do(or_, single, may, free)
            do(and_, alive, free, alive)
            if across == 0:
                do(and_, alive, must, hidden)
            else:
                do(and_, alive, must, free)
                do(or_, hidden, free, hidden)

    def _strike_hidden(self, program: Program) -> None:
        do, others = program.do, self.once
        program.any_of([self.hidden[:, v] for v in range(self.layout.geometry.side)], others)
        do(invert, others, others)
        do(or_, self.hidden, others[:, None], self.hidden)
        do(and_, self.alive, self.hidden, self.alive)


class Triads:
    """The triads across an axis: their cells' planes, and buffers for what holds of them."""

    def __init__(self, chunk: Chunk, axis: int) -> None:
        self.alive, self.single, self.hidden = (
            list(np.moveaxis(planes, axis, 0))
            for planes in (chunk.alive, chunk.single, chunk.hidden)
        )
        self.once, self.twice, self.must, self.temp = (
            np.zeros(self.alive[0].shape, np.uint64) for _ in range(4)
        )
