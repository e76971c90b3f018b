"""Logical steps through a 9×9 puzzle, each certified: the next one, all of them, or a rating.

`patterns`, `chains` and `nets` find steps, `techniques` tries the simplest first, and
`certify.steps` checks that each step follows from its citations. `wording` writes a step in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pipeline.errors import SolverError
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.geometry import values_of
from pipeline.solving import LEVELS, Rating
from pipeline.steps import layout as L
from pipeline.steps import step_arrays
from pipeline.steps.techniques import (
    BY_RATING,
    BY_SCORE,
    FILLED,
    MAX_SCORES,
    WRONG,
    Technique,
    new_walk,
    take_steps,
)

__all__ = ["BY_RATING", "BY_SCORE", "Node", "Step", "ratings", "steps"]

_NAMES = "techniques", "chains", "nets", "patterns", "step_arrays", "layout"
_MODULES = *(f"pipeline.steps.{name}" for name in _NAMES), "pipeline.certify.steps"
PROGRAM = Program("steps", "take_steps", _MODULES, "pipeline.steps.try_walk")
loader = ProgramLoader(PROGRAM)

_PYTHON_STEP, _PYTHON_RATING = 0.01, 0.02
"""Seconds that plain Python takes for a step, and for a rating, of most puzzles."""

_ALL = 1000
"""An upper bound of the number of steps: each fills a cell or eliminates a candidate."""

_eliminate: Callable[..., None] = step_arrays.eliminate
_TRIAL = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


class Node(NamedTuple):
    """A node of a chain: one of these cells, from 0, holds the value, or, if not `holds`, none."""

    value: int
    cells: tuple[int, ...]
    holds: bool


class StepRejected(SolverError):
    """A step does not follow from its citations: its number, from 1, and its technique."""

    def __init__(self, number: int, technique: str) -> None:
        super().__init__(f"step {number}, {technique}, does not follow from what it cites")
        self.number, self.technique = number, technique


@dataclass(frozen=True, slots=True)
class Step:
    """A step of logic: its conclusions and its pattern.

    - `placed`, `struck`: candidates (cell, value) that are placed or eliminated.
    - `values`, `cells`, `units`: the pattern.
    - `cover`: the units in which it eliminates candidates.
    - `chain`: its nodes, in order.

    Values count from 1, cells and units from 0; units are the rows, the columns, then the boxes.
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
    return np.array(step_arrays.make_tables(), np.int64) if is_array else step_arrays.make_tables()


class _Walk:
    """Walks through puzzles, one after another, by the techniques of `order`."""

    def __init__(self, step: Callable[..., int] | None, order: Sequence[Technique]) -> None:
        self.order, self.is_compiled = order, step is not None
        self._fresh = new_walk(order)
        self.walk: Any = np.array(self._fresh, np.int64) if step else [*self._fresh]
        self.state, self.step = self._zeros(L.STATE_SIZE), self._zeros(L.STEP_SIZE)
        self._run: Callable[..., int] = step or take_steps
        self._arrays = (
            self.walk,
            self.state,
            _tables(is_array=self.is_compiled),
            self.step,
            *map(self._zeros, (L.GRAPH_SIZE, L.STATE_SIZE, L.STACK_SIZE)),
        )

    def _zeros(self, size: int) -> Any:
        return np.zeros(size, np.int64) if self.is_compiled else [0] * size

    def begin(self, masks: Sequence[int], *, unique: bool) -> None:
        self.walk[: L.TECHNIQUE_ROWS] = self._fresh[: L.TECHNIQUE_ROWS]
        self.walk[L.IS_UNIQUE] = int(unique)
        self.state[L.CELLS : L.CELLS + 81] = masks

    def take(self, max_steps: int) -> int:
        """Take at most `max_steps` steps; returns how the walk ended. Raises StepRejected."""
        ended = self._run(*self._arrays, max_steps)
        if ended == WRONG:
            name = self.order[int(self.step[L.TECHNIQUE])].name
            raise StepRejected(int(self.walk[L.STEPS_TAKEN]) + 1, name)
        return ended


def steps(
    masks: Sequence[int],
    *,
    unique: bool,
    techniques: Sequence[Technique] = BY_SCORE,
    struck: Iterable[tuple[int, int]] = (),
) -> Iterator[Step]:
    """The steps through a puzzle, the simplest first, until it is filled or no technique applies.

    - `masks`: the values that each of the 81 cells may hold, with bit 0 for 1. A single value is a
      given.
    - `unique`: whether the solution is proved to be unique; only then may steps rely on that.
    - `techniques`: the techniques to try, in this order.
    - `struck`: candidates (cell, value) that were eliminated before.

    Raises StepRejected for an unsound step, which is a fault of this program.
    """
    order = [t for t in techniques if unique or not t.needs_unique]
    walking = _Walk(loader.get(_PYTHON_STEP), order)
    walking.begin(masks, unique=unique)
    walking.take(0)
    for cell, value in struck:
        _eliminate(walking.state, step_arrays.make_tables(), 9 * cell + value - 1)
    count = 0
    while True:
        before = [int(mask) for mask in walking.state[L.CELLS : L.CELLS + 81]]
        walking.take(1)
        if int(walking.walk[L.STEPS_TAKEN]) == count:
            return
        count += 1
        yield _step(walking, before)


def _step(walking: _Walk, before: Sequence[int]) -> Step:
    step = [int(number) for number in walking.step]

    def list_at(first: int) -> list[int]:
        return step[first + 1 : first + 1 + step[first]]

    def candidates_at(first: int) -> list[tuple[int, int]]:
        return [(candidate // 9, candidate % 9 + 1) for candidate in list_at(first)]

    return Step(
        walking.order[step[L.TECHNIQUE]],
        tuple(candidates_at(L.PLACED)),
        tuple(sorted(candidates_at(L.ELIMINATED))),
        tuple(values_of(step[L.PATTERN_DIGITS])),
        tuple(list_at(L.PATTERN_CELLS)),
        tuple(values_of(step[L.BASE_UNITS], 0)),
        tuple(values_of(step[L.COVER_UNITS], 0)),
        tuple(_node(signed, before) for signed in reversed(list_at(L.CHAIN_NODES))),
    )


def _node(signed: int, before: Sequence[int]) -> Node:
    tables, node, digit = step_arrays.make_tables(), signed // 2, signed // 2 % 9
    constraint, mask = tables[L.NODE_CONSTRAINTS + 4 * node], tables[L.NODE_MASKS + 4 * node]
    candidates = tables[L.CANDIDATES + 9 * constraint : L.CANDIDATES + 9 * constraint + 9]
    cells = (candidate // 9 for k, candidate in enumerate(candidates) if mask >> k & 1)
    open_cells = tuple(cell for cell in cells if node < L.SINGLES or before[cell] >> digit & 1)
    return Node(digit + 1, open_cells, bool(signed & 1))


def ratings(puzzles: Iterable[Sequence[int]]) -> Iterator[Rating]:
    """Rate puzzles that are proved to have one solution, given by their masks as in `steps`.

    An unsound step ends only its own puzzle, whose rating says why.
    """
    step, walks = None, None
    for masks in puzzles:
        step = step or loader.get(_PYTHON_RATING)
        if walks is None or (step and not walks[0].is_compiled):
            walks = _Walk(step, BY_SCORE), _Walk(step, BY_RATING)
        try:
            yield _rating(*walks, masks)
        except StepRejected as error:
            name, number, reason = error.technique, error.number, str(error)
            yield Rating(
                score=0, level=None, hardest=name, steps=number, se=0, solved=False, failed=reason
            )


def _rating(by_score: _Walk, by_rating: _Walk, masks: Sequence[int]) -> Rating:
    solved = True
    for walking in (by_score, by_rating):
        walking.begin(masks, unique=True)
        solved = walking.take(_ALL) == FILLED and solved
    score, count = int(by_score.walk[L.SCORE]), int(by_score.walk[L.STEPS_TAKEN])
    hardest = by_score.order[int(by_score.walk[L.HARDEST])]
    name, level = hardest.name if count else "", hardest.level
    while level < len(MAX_SCORES) and (score > MAX_SCORES[level] or not solved):
        level += 1
    tenths = max(int(by_rating.walk[L.HIGHEST_RATING]), 0 if solved else BY_RATING[-1].se)
    return Rating(
        score=score, level=LEVELS[level], hardest=name, steps=count, se=tenths / 10, solved=solved
    )


def try_walk(step: Callable[..., int]) -> None:
    """Walk through a puzzle that needs most techniques.

    Raises RuntimeError if the steps differ from plain Python.
    """
    masks = [1 << int(sign) - 1 if sign != "0" else 511 for sign in _TRIAL]
    for order in (BY_SCORE, BY_RATING):
        tried, plain = _Walk(step, order), _Walk(None, order)
        for walking in (tried, plain):
            walking.begin(masks, unique=True)
        for _ in range(40):
            if tried.take(1) != plain.take(1) or [*tried.step] != plain.step:
                raise RuntimeError("the compiled steps differ from plain Python")
