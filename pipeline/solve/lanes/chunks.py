"""Chunks: those of one geometry, made when they are needed and kept for the next search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.solve.lanes.layout import WORD, Layout
from pipeline.solve.lanes.propagate import Chunk

_idle: dict[Layout, Chunks] = {}


class Chunks:
    """A chunk for each of a few numbers of words: 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._made: dict[int, Chunk] = {}

    def for_lanes(self, lanes: int) -> Chunk:
        """The smallest that has room for so many; its planes hold anything."""
        words = -(-lanes // WORD)
        power = 1 << (words - 1).bit_length()
        words = power * 3 // 4 if power >= 4 and words <= power * 3 // 4 else power
        if words not in self._made:
            self._made[words] = Chunk(self._layout, words)
        return self._made[words]


@contextmanager
def chunks_of(layout: Layout) -> Iterator[Chunks]:
    """Chunks that nobody else uses meanwhile; those of the last geometry are kept."""
    chunks = _idle.pop(layout, None) or Chunks(layout)
    try:
        yield chunks
    finally:
        _idle.clear()
        _idle[layout] = chunks
