"""Logical steps through a 9×9 puzzle, each certified, and ratings of puzzles by their steps.

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
from pipeline.steps import nested_layout as N
from pipeline.steps import step_arrays
from pipeline.steps.techniques import (
    BY_RATING,
    BY_SCORE,
    FILLED,
    MAX_SCORES,
    PAUSED,
    UNSOUND,
    Technique,
    new_walk,
    take_steps,
)

__all__ = ["BY_RATING", "BY_SCORE", "Node", "Step", "ratings", "steps"]

_MODULE_NAMES = (
    "techniques", "chains", "nets", "patterns", "explainer", "explainer_uniqueness",
    "explainer_cycles", "explainer_forcing", "explainer_hints", "explainer_implications",
    "explainer_nested", "nested_slots", "nested_hints", "nested_patterns", "nested_records",
    "nested_implications", "nested_chains", "nested_multiple", "step_arrays", "layout",
    "nested_layout",
)  # fmt: skip
_MODULES = *(f"pipeline.steps.{name}" for name in _MODULE_NAMES), "pipeline.certify.steps"
"""The modules that contain all compiled functions of the walk."""

PROGRAM = Program("steps", "take_steps", _MODULES, "pipeline.steps.try_walk")
loader = ProgramLoader(PROGRAM)

_SECONDS_PER_STEP, _SECONDS_PER_RATING = 0.01, 0.02
"""Seconds that plain Python typically takes for a step and for a rating."""

_MAX_STEPS = 1000
"""More steps than any puzzle has: each step fills one of 81 cells or eliminates one of 729
candidates.
"""

_eliminate: Callable[..., None] = step_arrays.eliminate
_TRIAL_PUZZLE = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
"""A puzzle that needs most techniques."""


class Node(NamedTuple):
    """A node of a chain: one of the cells contains the value or, if `holds` is False, none does.

    Cells count from 0, values from 1.
    """

    value: int
    cells: tuple[int, ...]
    holds: bool


class StepRejected(SolverError):
    """A step does not follow from the cells and units that it cites. `number` counts from 1."""

    def __init__(self, number: int, technique: str) -> None:
        super().__init__(
            f"step {number}, {technique}, does not follow from the cells and units that it cites"
        )
        self.number, self.technique = number, technique


@dataclass(frozen=True, slots=True)
class Step:
    """A logical step: its conclusions and its pattern.

    - `placed`: the candidates (cell, value) that the step places.
    - `struck`: the candidates (cell, value) that the step eliminates.
    - `values`, `cells`, `units`: the pattern.
    - `cover`: the units in which the step eliminates candidates.
    - `chain`: the nodes of a chain, in order.

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
    """The constant tables, as an array for machine code or as a tuple for plain Python."""
    return np.array(step_arrays.make_tables(), np.int64) if is_array else step_arrays.make_tables()


class _Walker:
    """Walks through puzzles, one after another, with the techniques of `order`.

    `run`: the compiled `take_steps`, or None for plain Python.
    """

    def __init__(self, run: Callable[..., int] | None, order: Sequence[Technique]) -> None:
        self.order, self.is_compiled = order, run is not None
        self._initial_walk = new_walk(order)
        self.walk: Any = np.array(self._initial_walk, np.int64) if run else [*self._initial_walk]
        self.state, self.step = self._zeros(L.STATE_SIZE), self._zeros(L.STEP_SIZE)
        self._run: Callable[..., int] = run or take_steps
        self._arrays = (
            self.walk,
            self.state,
            _tables(is_array=self.is_compiled),
            self.step,
            *map(self._zeros, (L.GRAPH_SIZE, L.STATE_SIZE, L.STACK_SIZE)),
            self._workspace(),
            self._zeros(N.INNER_SIZE),
            self._nest(),
        )

    def _zeros(self, size: int) -> Any:
        """An array of zeros for machine code, a list of zeros for plain Python."""
        return np.zeros(size, np.int64) if self.is_compiled else [0] * size

    def _workspace(self) -> Any:
        return np.zeros(L.WORKSPACE_SIZE, np.int16) if self.is_compiled else [0] * L.WORKSPACE_SIZE

    def _nest(self) -> Any:
        array = np.zeros(N.NEST_SIZE, np.int32)
        return array if self.is_compiled else memoryview(array)

    def begin(self, masks: Sequence[int], *, unique: bool) -> None:
        """Start a walk through a puzzle; `masks` and `unique` as for `steps`."""
        self.walk[: L.TECHNIQUE_ROWS] = self._initial_walk[: L.TECHNIQUE_ROWS]
        self.walk[L.IS_UNIQUE] = int(unique)
        self.state[L.CELLS : L.CELLS + 81] = masks

    def take(self, max_steps: int) -> int:
        """Take at most `max_steps` steps. Returns MORE, FILLED or STUCK; raises StepRejected."""
        outcome = self._run(*self._arrays, max_steps)
        while outcome == PAUSED:
            outcome = self._run(*self._arrays, max_steps)
        if outcome == UNSOUND:
            name = self.order[int(self.step[L.TECHNIQUE])].name
            raise StepRejected(int(self.walk[L.STEPS_TAKEN]) + 1, name)
        return outcome


def steps(
    masks: Sequence[int],
    *,
    unique: bool,
    techniques: Sequence[Technique] = BY_SCORE,
    struck: Iterable[tuple[int, int]] = (),
) -> Iterator[Step]:
    """Yield the steps through a puzzle until it is filled or no technique applies.

    Each step uses the first technique that applies.

    - `masks`: a mask for each of the 81 cells with the values it may hold; bit 0 stands for 1. A
      cell with a single value is a given.
    - `unique`: whether the solution is proved to be unique. If not, techniques that rely on
      uniqueness are left out.
    - `techniques`: the techniques to try, in this order.
    - `struck`: candidates (cell, value) that are eliminated before the first step.

    Raises StepRejected for an unsound step, which is a fault of this program.
    """
    order = [t for t in techniques if unique or not t.needs_unique]
    walker = _Walker(loader.get(_SECONDS_PER_STEP), order)
    walker.begin(masks, unique=unique)
    walker.take(0)
    for cell, value in struck:
        _eliminate(walker.state, step_arrays.make_tables(), 9 * cell + value - 1)
    count = 0
    while True:
        masks_before = [int(mask) for mask in walker.state[L.CELLS : L.CELLS + 81]]
        walker.take(1)
        if int(walker.walk[L.STEPS_TAKEN]) == count:
            return
        count += 1
        yield _decode_step(walker, masks_before)


def _decode_step(walker: _Walker, masks_before: Sequence[int]) -> Step:
    """Convert the step array of a walk; `masks_before`: the candidates before the step."""
    step = [int(number) for number in walker.step]

    def list_at(first: int) -> list[int]:
        return step[first + 1 : first + 1 + step[first]]

    def candidates_at(first: int) -> list[tuple[int, int]]:
        return [(candidate // 9, candidate % 9 + 1) for candidate in list_at(first)]

    return Step(
        walker.order[step[L.TECHNIQUE]],
        tuple(candidates_at(L.PLACED)),
        tuple(sorted(candidates_at(L.ELIMINATED))),
        tuple(values_of(step[L.PATTERN_DIGITS])),
        tuple(list_at(L.PATTERN_CELLS)),
        tuple(values_of(step[L.BASE_UNITS], 0)),
        tuple(values_of(step[L.COVER_UNITS], 0)),
        tuple(_decode_node(signed, masks_before) for signed in reversed(list_at(L.CHAIN_NODES))),
    )


def _decode_node(signed: int, masks_before: Sequence[int]) -> Node:
    """Convert a signed node of `layout`; `masks_before`: the candidates before the step."""
    tables, node, digit = step_arrays.make_tables(), signed // 2, signed // 2 % 9
    constraint, mask = tables[L.NODE_CONSTRAINTS + 4 * node], tables[L.NODE_MASKS + 4 * node]
    candidates = tables[L.CANDIDATES + 9 * constraint : L.CANDIDATES + 9 * constraint + 9]
    cells = (candidate // 9 for k, candidate in enumerate(candidates) if mask >> k & 1)
    open_cells = tuple(
        cell for cell in cells if node < L.SINGLES or masks_before[cell] >> digit & 1
    )
    return Node(digit + 1, open_cells, bool(signed & 1))


def ratings(puzzles: Iterable[Sequence[int]]) -> Iterator[Rating]:
    """Rate puzzles that are proved to have one solution, each given by its masks as in `steps`.

    If a step is unsound, the rating of that puzzle contains the message in `failed`.
    """
    run, walkers = None, None
    for masks in puzzles:
        run = run or loader.get(_SECONDS_PER_RATING)
        if walkers is None or (run and not walkers[0].is_compiled):
            walkers = _Walker(run, BY_SCORE), _Walker(run, BY_RATING)
        try:
            yield _rate(*walkers, masks)
        except StepRejected as error:
            name, number, reason = error.technique, error.number, str(error)
            yield Rating(
                score=0, level=None, hardest=name, steps=number, se=0, solved=False, failed=reason
            )


def _rate(by_score: _Walker, by_rating: _Walker, masks: Sequence[int]) -> Rating:
    """Rate a puzzle by two walks through it: in the order of scores and in that of ratings."""
    solved = True
    for walker in (by_score, by_rating):
        walker.begin(masks, unique=True)
        solved = walker.take(_MAX_STEPS) == FILLED and solved
    score, count = int(by_score.walk[L.SCORE]), int(by_score.walk[L.STEPS_TAKEN])
    hardest = by_score.order[int(by_score.walk[L.HARDEST])]
    name, level = hardest.name if count else "", hardest.level
    while level < len(MAX_SCORES) and (score > MAX_SCORES[level] or not solved):
        level += 1
    tenths = max(int(by_rating.walk[L.HIGHEST_RATING]), 0 if solved else BY_RATING[-1].se)
    return Rating(
        score=score, level=LEVELS[level], hardest=name, steps=count, se=tenths / 10, solved=solved
    )


def try_walk(run: Callable[..., int]) -> None:
    """Test the compiled `take_steps` on a puzzle that needs most techniques.

    Raises RuntimeError if its steps differ from those of plain Python.
    """
    masks = [1 << int(sign) - 1 if sign != "0" else 511 for sign in _TRIAL_PUZZLE]
    for order in (BY_SCORE, BY_RATING):
        compiled, plain = _Walker(run, order), _Walker(None, order)
        for walker in (compiled, plain):
            walker.begin(masks, unique=True)
        for _ in range(40):
            if compiled.take(1) != plain.take(1) or [*compiled.step] != plain.step:
                raise RuntimeError("compiled code and plain Python find different steps")
