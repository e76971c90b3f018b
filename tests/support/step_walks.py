"""Walks in plain Python to the examples of techniques."""

from __future__ import annotations

from dataclasses import dataclass

from support.step_states import STATES
from support.techniques import RATED_EXAMPLES

from pipeline.certify.steps import ELIMINATED, PLACED, STACK_SIZE, TECHNIQUE, follows
from pipeline.reading.formats import parse_source
from pipeline.steps import BY_RATING, _Walker
from pipeline.steps.layout import HIGHEST_RATING
from pipeline.steps.orders import Order, order_with


@dataclass
class Walk:
    """A step of a walk.

    - `rating`: the rating of the step, in tenths.
    - `state`: the array of `certify.steps`, before the step.
    """

    technique: str
    rating: int
    state: list[int]
    step: list[int]

    @property
    def placed(self) -> tuple[tuple[int, int], ...]:
        return self._candidates(PLACED)

    @property
    def eliminated(self) -> tuple[tuple[int, int], ...]:
        return self._candidates(ELIMINATED)

    def _candidates(self, first: int) -> tuple[tuple[int, int], ...]:
        listed = self.step[first + 1 : first + 1 + self.step[first]]
        return tuple((candidate // 9, candidate % 9 + 1) for candidate in sorted(listed))

    def is_certified(self, *, unique: bool = True) -> bool:
        """Whether the step follows from what it cites."""
        return bool(follows(self.state, self.step, [0] * STACK_SIZE, int(unique)))


def walk_from(walker: _Walker) -> Walk:
    """The next step of a walk."""
    walker.take(0)
    state = [int(number) for number in walker.state]
    walker.take(1)
    step, rating = [int(number) for number in walker.step], int(walker.walk[HIGHEST_RATING])
    return Walk(walker.order[step[TECHNIQUE]].name, rating, state, step)


def rated_walk(name: str) -> Walk:
    """The first step in the example of a technique of Sudoku Explainer."""
    walker = _Walker(None, BY_RATING)
    walker.begin(RATED_EXAMPLES[name].masks, unique=True)
    return walk_from(walker)


def walk_of(order: Order, name: str) -> Walk:
    """The step that a technique alone finds in its state, see `support.step_states`."""
    parsed = parse_source(STATES[order, name].encode(), "state.txt")
    walker = _Walker(None, [each for each in order_with(order) if each.name == name])
    placed, eliminated = parsed.progress
    walker.start_at(parsed.puzzle.cells, eliminated, placed, unique=True)
    return walk_from(walker)
