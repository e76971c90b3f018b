"""Walks in plain Python to the examples of techniques."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from support.techniques import EXAMPLES, RATED_EXAMPLES, masks_of

from pipeline import solve
from pipeline.certify.steps import ELIMINATED, PLACED, STACK_SIZE, TECHNIQUE, follows
from pipeline.steps import BY_RATING, BY_SCORE, _Walker
from pipeline.steps.layout import HIGHEST_RATING, STEPS_TAKEN
from pipeline.steps.techniques import Technique


@dataclass
class Walk:
    """The last step of a walk.

    - `number`: the number of steps, from 1. `rating`: the highest rating of a step, in tenths.
    - `state`: the arrays of `certify.steps`, before the step.
    """

    technique: str
    number: int
    rating: int
    state: list[int]
    step: list[int]

    @property
    def placed(self) -> tuple[tuple[int, int], ...]:
        return self._candidates(PLACED)

    @property
    def struck(self) -> tuple[tuple[int, int], ...]:
        return self._candidates(ELIMINATED)

    def _candidates(self, first: int) -> tuple[tuple[int, int], ...]:
        listed = self.step[first + 1 : first + 1 + self.step[first]]
        return tuple((candidate // 9, candidate % 9 + 1) for candidate in sorted(listed))

    def is_certified(self, *, unique: bool = True) -> bool:
        """Whether the step follows from what it cites."""
        return bool(follows(self.state, self.step, [0] * STACK_SIZE, int(unique)))


def walk_to(
    order: Sequence[Technique],
    masks: Sequence[int],
    number: int = 0,
    run: Callable[..., int] | None = None,
) -> Walk:
    """Step `number`, from 0, of a walk from a state, whose masks are as for `steps`.

    `run`: the compiled `take_steps`, or None for plain Python.
    """
    walker = _Walker(run, order)
    walker.begin(masks, unique=True)
    walker.take(number)
    state = [int(number) for number in walker.state]
    walker.take(1)
    step = [int(number) for number in walker.step]
    taken, rating = int(walker.walk[STEPS_TAKEN]), int(walker.walk[HIGHEST_RATING])
    return Walk(order[step[TECHNIQUE]].name, taken, rating, state, step)


def scored_walk(name: str) -> Walk:
    """The example of a technique of HoDoKu."""
    number, line = EXAMPLES[name]
    return walk_to(BY_SCORE, masks_of(line), number)


def rated_walk(name: str) -> Walk:
    """The example of a technique of Sudoku Explainer."""
    return walk_to(BY_RATING, RATED_EXAMPLES[name].masks)


def solution_of(masks: Sequence[int]) -> tuple[int, ...]:
    """The solution of a state, by its filled cells."""
    filled = [mask.bit_length() if mask.bit_count() == 1 else 0 for mask in masks]
    (solution,) = solve("".join(map(str, filled))).solutions
    return solution.values
