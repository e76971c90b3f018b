"""Logical steps through a 9×9 puzzle, each certified, and ratings of puzzles by their steps.

The rooms `hodoku` and `explainer` find steps as these two programs do, `techniques` tries the
simplest technique first, and `certify.steps` checks that each step follows from its citations. The
room `variants` finds the steps of other puzzles; `presentation` writes, explains and draws steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from pipeline.errors import SolverError
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.geometry import NINE_BY_NINE, units_of, values_of
from pipeline.settings import RATING_TIMEOUT
from pipeline.solving import NO_TECHNIQUE, RATING_VERSION, TIME_LIMIT, Rating, StopReason
from pipeline.steps import hodoku, step_arrays
from pipeline.steps import layout as L
from pipeline.steps.all_singles import is_single, singles
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.hodoku.singles import eliminate_queued, place_queued
from pipeline.steps.orders import order_with
from pipeline.steps.step import UNIQUENESS, Cited, Node, Position, Step
from pipeline.steps.techniques import (
    BRUTE_FORCE_ROW,
    BY_RATING,
    BY_SCORE,
    FILLED,
    MORE,
    PAUSED,
    SCORED,
    STUCK,
    UNSOUND,
    Technique,
    level_of,
    new_walk,
    take_steps,
)

__all__ = ["BY_RATING", "BY_SCORE", "Node", "Step", "all_steps", "ratings", "steps", "uses_of"]

_MODULE_NAMES = (
    "techniques", "step_arrays", "layout", "explainer", "explainer.aligned", "explainer.bug",
    "explainer.closure", "explainer.cycles", "explainer.hints", "explainer.implications",
    "explainer.loops", "explainer.multiple", "explainer.nested", "explainer.nested_chains",
    "explainer.nested_hints", "explainer.nested_layout",
    "explainer.nested_multiple", "explainer.nested_patterns", "explainer.nested_records",
    "explainer.nested_slots", "explainer.nishio", "explainer.patterns",
    "hodoku", "hodoku.almost_locked_sets", "hodoku.chains", "hodoku.colours",
    "hodoku.eliminations", "hodoku.forcing", "hodoku.links", "hodoku.loops", "hodoku.nets",
    "hodoku.patterns", "hodoku.rectangles", "hodoku.set_links", "hodoku.singles",
    "hodoku.sue_de_coq", "hodoku.wings",
)  # fmt: skip
_MODULES = *(f"pipeline.steps.{name}" for name in _MODULE_NAMES), "pipeline.certify.steps"
"""The modules that contain all compiled functions of the walk."""

PROGRAM = Program("steps", "take_steps", _MODULES, "pipeline.steps.try_walk")
loader = ProgramLoader(PROGRAM)

_SECONDS_PER_STEP, _SECONDS_PER_RATING, _SECONDS_PER_TECHNIQUE = 0.01, 0.02, 0.1
"""Seconds that plain Python typically takes for a step, for a rating, and for all steps of a
technique in a position.
"""

_MAX_STEPS = 64
"""Maximum number of steps that machine code takes between two looks at the clock. Easy puzzles have
fewer. The longest walk in HoDoKu's order through 102 of the hardest puzzles took 0.25 s.
"""

_MAX_MISSES = 20
"""Number of consecutive steps after which `all_steps` gives up a technique, if they rely on the
conclusions of earlier steps. In the positions of 60 hard puzzles at most 19 such steps
came before a step that does not.
"""

_eliminate: Callable[..., None] = step_arrays.eliminate
_fill: Callable[..., None] = step_arrays.fill
_place: Callable[..., None] = place_queued
_eliminate_queued: Callable[..., None] = eliminate_queued
_TRIAL_PUZZLE = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
"""A puzzle that needs most techniques."""


class StepRejected(SolverError):
    """A step does not follow from the cells and units that it cites. `number` counts from 1."""

    def __init__(self, number: int, technique: str) -> None:
        super().__init__(
            f"step {number}, {technique}, does not follow from the cells and units that it cites"
        )
        self.number, self.technique = number, technique


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
        self.graph = self._zeros(L.WHOLE_GRAPH_SIZE)
        self._arrays = (
            self.walk,
            self.state,
            _tables(is_array=self.is_compiled),
            self.step,
            self.graph,
            *map(self._zeros, (L.STATE_SIZE, L.STACK_SIZE)),
            self._scratch(L.WORKSPACE_SIZE, np.int16),
            self._zeros(L.CONSTRAINTS),
            self._scratch(N.NEST_SIZE, np.int32),
        )

    def _zeros(self, size: int) -> Any:
        """An array of zeros for machine code, a list of zeros for plain Python."""
        return np.zeros(size, np.int64) if self.is_compiled else [0] * size

    def _scratch(self, size: int, number_type: type[Any]) -> Any:
        """As `_zeros`, for a large array: unlike a list, a view is not in memory until used."""
        array = np.zeros(size, number_type)
        return array if self.is_compiled else array.data

    def use_order(self, order: Sequence[Technique]) -> None:
        """Take other techniques in the next walk, in this order."""
        self.order, self._initial_walk = order, new_walk(order)
        walk = self._initial_walk
        self.walk = np.array(walk, np.int64) if self.is_compiled else [*walk]
        self._arrays = (self.walk, *self._arrays[1:])

    def begin(self, masks: Sequence[int], *, unique: bool) -> None:
        """Start a walk through a puzzle; `masks` and `unique` as for `steps`."""
        self.walk[: L.TECHNIQUE_ROWS] = self._initial_walk[: L.TECHNIQUE_ROWS]
        self.walk[L.IS_UNIQUE] = int(unique)
        self.state[L.CELLS : L.CELLS + 81] = masks

    def start_at(
        self,
        masks: Sequence[int],
        eliminated: Iterable[tuple[int, int]],
        placed: Iterable[tuple[int, int]],
        *,
        unique: bool,
    ) -> None:
        """Start a walk in a later position of a puzzle; the arguments as for `steps`."""
        self.begin(masks, unique=unique)
        self.take(0)
        tables, has_queues = step_arrays.make_tables(), bool(self.walk[L.HAS_QUEUES])
        for candidate in (9 * cell + value - 1 for cell, value in placed):
            if not self.state[L.CELLS + candidate // 9] >> candidate % 9 & 1:
                continue  # placed by `begin`, as the puzzle allows no other value
            if has_queues:
                _place(self.state, tables, self.graph, candidate)
            else:
                _fill(self.state, tables, candidate)
        for candidate in (9 * cell + value - 1 for cell, value in eliminated):
            if has_queues:
                _eliminate_queued(self.state, tables, self.graph, candidate)
            else:
                _eliminate(self.state, tables, candidate)

    def take(self, max_steps: int) -> int:
        """Take at most `max_steps` steps. Returns MORE, FILLED or STUCK; raises StepRejected."""
        outcome = PAUSED
        while outcome == PAUSED:
            outcome = self._advance(max_steps)
        return outcome

    def take_until(self, deadline: float) -> int:
        """Take steps until `time.monotonic()` is `deadline`.

        Returns FILLED or STUCK, or MORE or PAUSED at the deadline; raises StepRejected. The clock
        is looked at after each step in plain Python. Machine code looks at it after _MAX_STEPS
        steps, and during searches for nested chains: any other step takes less than 0.1 s.
        """
        max_steps = _MAX_STEPS if self.is_compiled else 1
        while True:
            outcome = self._advance(max_steps)
            if outcome not in (MORE, PAUSED) or time.monotonic() >= deadline:
                return outcome

    @property
    def paused_technique(self) -> Technique:
        """The technique that the walk was looking for at its last pause."""
        row = int(self.walk[L.RESUME_ROW]) - L.TECHNIQUE_ROWS
        return self.order[row // L.TECHNIQUE_ROW_SIZE]

    def highest_rating(self, outcome: int) -> int:
        """The highest rating of a step in tenths, for a walk in the order of ratings.

        `outcome`: that of the last call of `take_until`. If the puzzle is not filled, this is a
        lower bound: the techniques before the one that was tried last did not apply.
        """
        tried = self.order[0]
        if outcome == STUCK:
            tried = self.order[-1]
        elif outcome == PAUSED:
            tried = self.paused_technique
        return max(int(self.walk[L.HIGHEST_RATING]), tried.se)

    def _advance(self, max_steps: int) -> int:
        """Take at most `max_steps` steps, but at most up to the next pause."""
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
    eliminated: Iterable[tuple[int, int]] = (),
    placed: Iterable[tuple[int, int]] = (),
) -> Iterator[Step]:
    """Yield the steps through a puzzle until it is filled or no technique applies.

    Each step uses the first technique that applies.

    - `masks`: a mask for each of the 81 cells with the values it may hold; bit 0 stands for 1. A
      cell with a single value is a given.
    - `unique`: whether the solution is proved to be unique. If not, techniques that rely on
      uniqueness are left out.
    - `techniques`: the techniques to try, in this order.
    - `eliminated`, `placed`: candidates (cell, value) that are eliminated, or placed, before the
      first step.

    Raises StepRejected for an unsound step, which is a fault of this program.
    """
    order = [t for t in techniques if unique or not t.needs_unique]
    walker = _Walker(loader.get(_SECONDS_PER_STEP), order)
    walker.start_at(masks, eliminated, placed, unique=unique)
    givens = _givens(masks)
    count = 0
    while True:
        before = _position(walker, givens)
        walker.walk[L.HIGHEST_RATING] = 0
        walker.take(1)
        if int(walker.walk[L.STEPS_TAKEN]) == count:
            return
        count += 1
        yield _decode_step(walker, before)


def all_steps(
    masks: Sequence[int],
    *,
    unique: bool,
    techniques: Sequence[Technique] = BY_SCORE,
    eliminated: Iterable[tuple[int, int]] = (),
    placed: Iterable[tuple[int, int]] = (),
    on_search: Callable[[int], object] = lambda _: None,
) -> Iterator[Step]:
    """Yield all steps that are possible in a position, technique by technique.

    Each conclusion is in one step only, the first that has it. `on_search` is called before each
    search with the number of techniques that are done. The other arguments are those of `steps`.

    A technique finds one step at a time. To find the others, the conclusions of a step are applied.
    A later step is yielded only if the constraints that it cites still have their original
    candidates. After _MAX_MISSES consecutive steps that are not, the next technique is tried.

    Raises StepRejected for an unsound step, which is a fault of this program.
    """
    conclusions, eliminated, placed = set[tuple[int, int, bool]](), [*eliminated], [*placed]
    walker = _Walker(loader.get(_SECONDS_PER_TECHNIQUE * len(techniques)), techniques)

    def start(done: int, eliminated: Iterable[tuple[int, int]]) -> None:
        on_search(done)
        walker.start_at(masks, eliminated, placed, unique=unique)

    for done, technique in enumerate(techniques):
        if technique.needs_unique and not unique:
            continue
        walker.use_order([technique])
        start(done, eliminated)
        before = _position(walker, _givens(masks))
        possible_steps = (
            singles(before, technique)
            if is_single(technique)
            else _steps_of_technique(walker, before, partial(start, done), eliminated)
        )
        for step in possible_steps:
            new = replace(
                step,
                placed=tuple(
                    candidate for candidate in step.placed if (*candidate, True) not in conclusions
                ),
                eliminated=tuple(
                    candidate
                    for candidate in step.eliminated
                    if (*candidate, False) not in conclusions
                ),
            )
            conclusions |= {(*candidate, True) for candidate in new.placed}
            conclusions |= {(*candidate, False) for candidate in new.eliminated}
            if new.placed or new.eliminated:
                yield new


def _steps_of_technique(
    walker: _Walker,
    before: Position,
    restart: Callable[[Iterable[tuple[int, int]]], None],
    eliminated: Sequence[tuple[int, int]],
) -> Iterator[Step]:
    """The steps of the only technique of a walk in a position.

    `restart` starts the walk again; its argument is `eliminated` of `steps`.
    """
    known, eliminated, misses = set[tuple[int, int]](), [*eliminated], 0
    while misses < _MAX_MISSES:
        restart(eliminated)
        position = _position(walker, before.givens)
        walker.take(1)
        if not int(walker.walk[L.STEPS_TAKEN]):
            return
        step = _decode_step(walker, position)
        if known >= {*step.placed, *step.eliminated}:
            return
        known |= {*step.placed, *step.eliminated}
        eliminated += step.eliminated
        eliminated += [
            (cell, other)
            for cell, value in step.placed
            for other in position.values_in(cell)
            if other != value
        ]
        misses += 1
        if all(cited.candidates(position) == cited.candidates(before) for cited in step.cited):
            misses = 0
            yield replace(step, before=before)


def _givens(masks: Sequence[int]) -> frozenset[int]:
    """The cells of a puzzle that have a single value."""
    return frozenset(cell for cell, mask in enumerate(masks) if mask.bit_count() == 1)


def _position(walker: _Walker, givens: frozenset[int]) -> Position:
    """The position of a walk."""
    values = (int(value) for value in walker.state[L.VALUES : L.VALUES + 81])
    candidates = (int(mask) for mask in walker.state[L.CELLS : L.CELLS + 81])
    allowed = (int(mask) for mask in walker.state[L.ALLOWED : L.ALLOWED + 81])
    return Position.classic([*values], [*candidates], givens, NINE_BY_NINE, [*allowed])


def _decode_step(walker: _Walker, before: Position) -> Step:
    """Convert the step array of a walk; `before`: the position before the step."""
    step = [int(number) for number in walker.step]

    def list_at(first: int) -> list[int]:
        return step[first + 1 : first + 1 + step[first]]

    def candidates_at(first: int) -> list[tuple[int, int]]:
        return [(candidate // 9, candidate % 9 + 1) for candidate in list_at(first)]

    technique = walker.order[step[L.TECHNIQUE]]
    cells = tuple(list_at(L.PATTERN_CELLS))
    is_fish = technique.kind == hodoku.FISH
    cited = [_decode_constraint(constraint) for constraint in list_at(L.CITED)]
    if step[L.DEADLY]:
        cited.append(_deadly_pattern(step, cells, before))
    return Step(
        technique,
        tuple(candidates_at(L.PLACED)),
        tuple(sorted(candidates_at(L.ELIMINATED))),
        tuple(values_of(step[L.PATTERN_DIGITS])),
        () if is_fish else cells,
        tuple(values_of(step[L.BASE_UNITS], 0)),
        tuple(values_of(step[L.COVER_UNITS], 0)),
        tuple(
            _decode_node(signed, before.candidates) for signed in reversed(list_at(L.CHAIN_NODES))
        ),
        before,
        cells if is_fish else (),
        tuple(cited),
        int(walker.walk[L.HIGHEST_RATING]) / 10,
    )


def _decode_constraint(constraint: int) -> Cited:
    """Convert a constraint of `layout`."""
    if constraint < L.UNIT_DIGITS:
        return Cited((constraint,))
    unit, digit = constraint // 9 - 9, constraint % 9
    return Cited(units_of(NINE_BY_NINE)[unit], digit + 1, unit)


def _deadly_pattern(step: Sequence[int], cells: tuple[int, ...], before: Position) -> Cited:
    """The uniqueness of the solution, by which a candidate outside of a deadly pattern holds."""
    if step[L.DEADLY] == L.DEADLY_GRID:
        extras = step[L.EXTRAS + 1 : L.EXTRAS + 1 + step[L.EXTRAS]]
        alternatives = tuple((candidate // 9, candidate % 9 + 1) for candidate in extras)
        return Cited(cells, rule=UNIQUENESS, alternatives=alternatives)
    digits = step[L.PATTERN_DIGITS]
    alternatives = tuple(
        (cell, value)
        for cell in cells
        for value in before.values_in(cell)
        if not digits >> value - 1 & 1
    )
    return Cited(cells, rule=UNIQUENESS, alternatives=alternatives)


def _decode_node(signed: int, masks_before: Sequence[int]) -> Node:
    """Convert a signed node of `layout`; `masks_before`: the candidates before the step."""
    tables, node, digit = step_arrays.make_tables(), signed // 2, signed // 2 % 9
    if node >= L.ALL_NODES:
        unit, positions = divmod(node // 9 - L.SPOTS, 512)
        places = (units_of(NINE_BY_NINE)[unit][k] for k in values_of(positions, 0))
        return Node(digit + 1, tuple(places), bool(signed & 1))
    constraint, mask = tables[L.NODE_CONSTRAINTS + 4 * node], tables[L.NODE_MASKS + 4 * node]
    candidates = tables[L.CANDIDATES + 9 * constraint : L.CANDIDATES + 9 * constraint + 9]
    cells = (candidate // 9 for k, candidate in enumerate(candidates) if mask >> k & 1)
    open_cells = tuple(
        cell for cell in cells if node < L.SINGLES or masks_before[cell] >> digit & 1
    )
    return Node(digit + 1, open_cells, bool(signed & 1))


def ratings(
    puzzles: Iterable[Sequence[int]],
    seconds: float = RATING_TIMEOUT,
    *,
    scored: Sequence[Technique] = SCORED,
    has_se: bool = True,
) -> Iterator[Rating]:
    """Rate puzzles that are proved to have one solution, each given by its masks as in `steps`.

    - `seconds`: the time limit for each puzzle; a rating that it cuts short contains lower bounds.
    - `scored`: the techniques for the score and the level, in this order.
    - `has_se`: also rate by Sudoku Explainer's order, which takes most of the time; else `se` is 0.

    If a step is unsound, the rating of that puzzle contains the message in `failed`.
    """
    run, walkers = None, None
    for masks in puzzles:
        run = run or loader.get(_SECONDS_PER_RATING)
        if walkers is None or (run and not walkers[0].is_compiled):
            walkers = _Walker(run, scored), _Walker(run, BY_RATING)
        try:
            yield _rate(walkers[0], walkers[1] if has_se else None, masks, seconds)
        except StepRejected as error:
            name, number, reason = error.technique, error.number, str(error)
            yield Rating(
                score=0,
                level=None,
                hardest=name,
                steps=number,
                se=0,
                solved=False,
                failed=reason,
                version=RATING_VERSION,
            )


def _rate(
    by_score: _Walker, by_rating: _Walker | None, masks: Sequence[int], seconds: float
) -> Rating:
    """Rate a puzzle by two walks through it: in the order of scores and in that of ratings."""
    deadline = time.monotonic() + seconds
    by_score.begin(masks, unique=True)
    solved = by_score.take_until(deadline) == FILLED
    score, count = int(by_score.walk[L.SCORE]), int(by_score.walk[L.STEPS_TAKEN])
    hardest = by_score.order[int(by_score.walk[L.HARDEST])]
    name = hardest.name if count else ""
    stopped: StopReason = ""
    se, ep, ed = 0.0, 0.0, 0.0
    if by_rating:
        by_rating.begin(masks, unique=True)
        outcome = by_rating.take_until(deadline)
        se = by_rating.highest_rating(outcome) / 10
        ep, ed = (int(by_rating.walk[part]) / 10 for part in (L.PLACING_RATING, L.FIRST_RATING))
        stopped = _STOPPED.get(outcome, "")
    return Rating(
        score=score,
        level=level_of(hardest.level, score, is_solved=solved),
        hardest=name,
        steps=count,
        se=se,
        solved=solved,
        ep=ep or None,
        ed=ed or None,
        stopped=stopped,
        version=RATING_VERSION,
    )


class Use(IntEnum):
    """How a puzzle uses a technique. See `uses_of`."""

    NONE, INSUFFICIENT, HARDEST = range(3)


def uses_of(
    technique: Technique, puzzles: Iterable[Sequence[int]], seconds: float = RATING_TIMEOUT
) -> Iterator[Use]:
    """Yield how puzzles with one solution, given by their masks as in `steps`, use a technique.

    - HARDEST: the puzzle is solved, and the technique is the hardest, as in its rating.
    - INSUFFICIENT: without harder techniques, the technique is the hardest, and cells remain open.
    - NONE: any other puzzle.

    This is faster than ratings, because only puzzles that are solved without harder techniques are
    rated. `technique` is one of HoDoKu, `seconds` the time limit for each puzzle. A puzzle with an
    unsound step is NONE.
    """
    limit = _hardness(technique)
    techniques = order_with("hodoku", (technique.name,))
    order = [other for other in techniques if _hardness(other) <= limit]
    run, walkers = None, None
    for masks in puzzles:
        run = run or loader.get(_SECONDS_PER_RATING)
        if walkers is None or (run and not walkers[0].is_compiled):
            walkers = _Walker(run, order), _Walker(run, (*techniques, BRUTE_FORCE_ROW))
        try:
            yield _use_of(technique, *walkers, masks, seconds)
        except StepRejected:
            yield Use.NONE


def _use_of(
    technique: Technique, limited: _Walker, whole: _Walker, masks: Sequence[int], seconds: float
) -> Use:
    """How a puzzle uses a technique; `limited` has no harder techniques, `whole` has all."""
    limited.begin(masks, unique=True)
    is_filled = limited.take_until(time.monotonic() + seconds) == FILLED
    hardest = limited.order[int(limited.walk[L.HARDEST])]
    if hardest is not technique or not int(limited.walk[L.STEPS_TAKEN]):
        return Use.NONE
    if not is_filled:
        return Use.INSUFFICIENT
    rating = _rate(whole, None, masks, seconds)  # some harder techniques come before easier ones
    return Use.HARDEST if rating.solved and rating.hardest == technique.name else Use.NONE


def _hardness(technique: Technique) -> int:
    """A number that is greater for a harder technique."""
    return new_walk([technique])[L.TECHNIQUE_ROWS + L.HARDNESS]


_STOPPED: Final[dict[int, StopReason]] = {
    MORE: TIME_LIMIT,
    PAUSED: TIME_LIMIT,
    STUCK: NO_TECHNIQUE,
}
"""`Rating.stopped` for each outcome of a walk that did not fill the puzzle."""


def try_walk(run: Callable[..., int]) -> None:
    """Test the compiled `take_steps` on a puzzle that needs most techniques.

    Raises RuntimeError if its steps differ from those of plain Python.
    """
    masks = [1 << int(sign) - 1 if sign != "0" else 511 for sign in _TRIAL_PUZZLE]
    for order in (SCORED, BY_RATING):
        compiled, plain = _Walker(run, order), _Walker(None, order)
        for walker in (compiled, plain):
            walker.begin(masks, unique=True)
        for _ in range(40):
            if compiled.take(1) != plain.take(1) or [*compiled.step] != plain.step:
                raise RuntimeError("compiled code and plain Python find different steps")
