"""Logical steps through a 9×9 puzzle, each certified: the next, all of them, and how hard it is.

`patterns` and `chains` find steps, `techniques` takes the simplest in turn, and
`certify.steps` checks each by what it cites. `wording` tells a step as a person writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pipeline.certify import steps as layout
from pipeline.errors import SolverError
from pipeline.native import Loaded, Program
from pipeline.puzzle.geometry import values_of
from pipeline.solving import LEVELS, Rating
from pipeline.steps import board
from pipeline.steps.chains import GRAPH
from pipeline.steps.techniques import (
    BY_RATING,
    BY_SCORE,
    FILLED,
    HARDEST,
    MOST_SCORES,
    RATING,
    ROWS,
    SCORE,
    STEPS,
    UNIQUE,
    WRONG,
    Technique,
    walk,
    walk_of,
)

__all__ = ["BY_RATING", "BY_SCORE", "Node", "Step", "ratings", "steps"]

_OURS = (f"pipeline.steps.{name}" for name in ("techniques", "chains", "patterns", "board"))
_MODULES = *_OURS, "pipeline.certify.steps"
PROGRAM = Program("steps", "walk", _MODULES, "pipeline.steps.try_walk")
loaded = Loaded(PROGRAM)

_SLOW, _SLOW_RATING = 0.01, 0.02
"""Seconds that plain Python takes for a step, and for a rating, of most puzzles."""

_ALL = 1000
"""More steps than a puzzle can have: each fills a cell or strikes a candidate."""

_strike: Callable[..., None] = board.strike
_TRIAL = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


class Node(NamedTuple):
    """A node of a chain: one of these cells, from 0, holds the value, or none does."""

    value: int
    cells: tuple[int, ...]
    holds: bool


class StepRejected(SolverError):
    """A step that does not follow from what it cites: its number, from 1, and its technique."""

    def __init__(self, number: int, technique: str) -> None:
        super().__init__(f"step {number}, {technique}, does not follow from what it cites")
        self.number, self.technique = number, technique


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what it concludes, and from what.

    placed, struck: candidates (cell, value) that hold, or do not; cells count from 0, values from
    1. values, cells: of the pattern. units: where it is, and cover: where it strikes; from 0, the
    rows, the columns, then the boxes. chain: its nodes, in order.
    """

    technique: Technique
    placed: tuple[tuple[int, int], ...]
    struck: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    cells: tuple[int, ...]
    units: tuple[int, ...]
    cover: tuple[int, ...]
    chain: tuple[Node, ...]


@lru_cache(maxsize=2)
def _tables(*, is_array: bool) -> Any:
    return np.array(board.tables(), np.int64) if is_array else board.tables()


class _Walk:
    """A walk through one puzzle after another, by the techniques of `order`."""

    def __init__(self, step: Callable[..., int] | None, order: Sequence[Technique]) -> None:
        self.order, self.is_compiled = order, step is not None
        sizes = (board.STATE, layout.STEP, GRAPH, board.STATE, layout.SCRATCH)
        s, o, g, u, v = (np.zeros(size, np.int64) if step else [0] * size for size in sizes)
        rows = walk_of(order)
        self.walk: Any = np.array(rows, np.int64) if step else [*rows]
        self._fresh = rows[:ROWS]
        self.state: Any = s
        self.step: Any = o
        self._run: Callable[..., int] = step or walk
        self._arrays = self.walk, s, _tables(is_array=step is not None), o, g, u, v

    def begin(self, masks: Sequence[int], *, unique: bool) -> None:
        self.walk[:ROWS] = self._fresh
        self.walk[UNIQUE] = int(unique)
        self.state[layout.CELLS : layout.CELLS + 81] = masks

    def take(self, most: int) -> int:
        """Take so many steps; return how it ended. Raises StepRejected for one that is wrong."""
        ended = self._run(*self._arrays, most)
        if ended == WRONG:
            name = self.order[int(self.step[layout.TECHNIQUE])].name
            raise StepRejected(int(self.walk[STEPS]) + 1, name)
        return ended


def steps(
    masks: Sequence[int],
    *,
    unique: bool,
    techniques: Sequence[Technique] = BY_SCORE,
    struck: Iterable[tuple[int, int]] = (),
) -> Iterator[Step]:
    """The steps through a puzzle, the simplest first, until it is filled or none goes on.

    masks: for each of the 81 cells the set of values that it may hold, bit 0 for 1; a single one is
    given. unique: whether it is proved that there is one solution; only then steps may use it.
    techniques: those that are tried, in this order. struck: candidates (cell, value) that are gone.
    Raises StepRejected for one that does not follow from what it cites: a fault of this program.
    """
    order = [each for each in techniques if unique or not each.needs_unique]
    walking = _Walk(loaded.get(_SLOW), order)
    walking.begin(masks, unique=unique)
    walking.take(0)
    for cell, value in struck:
        _strike(walking.state, board.tables(), 9 * cell + value - 1)
    taken = 0
    while True:
        before = [int(mask) for mask in walking.state[layout.CELLS : layout.CELLS + 81]]
        walking.take(1)
        if int(walking.walk[STEPS]) == taken:
            return
        taken += 1
        yield _step(walking, before)


def _step(walking: _Walk, before: Sequence[int]) -> Step:
    o = [int(number) for number in walking.step]

    def some(first: int) -> list[int]:
        return o[first + 1 : first + 1 + o[first]]

    return Step(
        walking.order[o[layout.TECHNIQUE]],
        tuple((each // 9, each % 9 + 1) for each in some(layout.PLACED)),
        tuple(sorted((each // 9, each % 9 + 1) for each in some(layout.STRUCK))),
        tuple(values_of(o[layout.DIGITS])),
        tuple(some(layout.MARKS)),
        tuple(values_of(o[layout.BASE], 0)),
        tuple(values_of(o[layout.COVER], 0)),
        tuple(_node(signed, before) for signed in reversed(some(layout.NODES))),
    )


def _node(signed: int, before: Sequence[int]) -> Node:
    t, node, digit = board.tables(), signed // 2, signed // 2 % 9
    first, mask = 9 * t[board.NODE_REASONS + 4 * node], t[board.NODE_MASKS + 4 * node]
    places = (place for place in range(9) if mask >> place & 1)
    cells = (t[board.CANDIDATES + first + place] // 9 for place in places)
    held = tuple(cell for cell in cells if node < board.SINGLES or before[cell] >> digit & 1)
    return Node(digit + 1, held, bool(signed & 1))


def ratings(puzzles: Iterable[Sequence[int]]) -> Iterator[Rating]:
    """How hard each puzzle is, of puzzles that are proved to have one solution.

    Each is given by its masks, as `steps` takes them. A step that does not follow from what it
    cites stops its puzzle alone, whose rating says that it failed.
    """
    step, walks = None, None
    for masks in puzzles:
        step = step or loaded.get(_SLOW_RATING)
        if walks is None or (step and not walks[0].is_compiled):
            walks = _Walk(step, BY_SCORE), _Walk(step, BY_RATING)
        try:
            yield _rating(*walks, masks)
        except StepRejected as error:
            name, at, why = error.technique, error.number, str(error)
            yield Rating(
                score=0, level=None, hardest=name, steps=at, se=0, solved=False, failed=why
            )


def _rating(by_score: _Walk, by_rating: _Walk, masks: Sequence[int]) -> Rating:
    solved = True
    for walking in (by_score, by_rating):
        walking.begin(masks, unique=True)
        solved = walking.take(_ALL) == FILLED and solved
    score, taken = int(by_score.walk[SCORE]), int(by_score.walk[STEPS])
    hardest = by_score.order[int(by_score.walk[HARDEST])]
    name, level = hardest.name if taken else "", hardest.level
    while level < len(MOST_SCORES) and (score > MOST_SCORES[level] or not solved):
        level += 1
    tenths = max(int(by_rating.walk[RATING]), 0 if solved else BY_RATING[-1].se)
    return Rating(
        score=score, level=LEVELS[level], hardest=name, steps=taken, se=tenths / 10, solved=solved
    )


def try_walk(step: Callable[..., int]) -> None:
    """Walk through a puzzle that takes most techniques.

    Raises RuntimeError if the steps are not those of plain Python.
    """
    masks = [1 << int(sign) - 1 if sign != "0" else 511 for sign in _TRIAL]
    for order in (BY_SCORE, BY_RATING):
        ours, plain = _Walk(step, order), _Walk(None, order)
        for each in (ours, plain):
            each.begin(masks, unique=True)
        for _ in range(40):
            if ours.take(1) != plain.take(1) or [*ours.step] != plain.step:
                raise RuntimeError("the machine code takes other steps")
