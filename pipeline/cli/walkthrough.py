"""Print the logical steps that solve a puzzle, or a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Literal

from pipeline.api import NO_STEPS, Mistake, all_steps_of, has_steps, mistakes_of, steps_of
from pipeline.cli.messages import say
from pipeline.cli.results import record_line
from pipeline.cli.step_drawings import print_board
from pipeline.errors import SolverError, counted, printable
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import symbols_of
from pipeline.service.log import Display, Progress
from pipeline.settings import Settings
from pipeline.solving import ERROR_STATUSES
from pipeline.solving.items import Item
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.steps import Step
from pipeline.steps.orders import Order, order_with, technique_named
from pipeline.steps.presentation.step_objects import (
    place_object,
    place_of,
    step_object,
    technique_object,
)
from pipeline.steps.presentation.wording import wording_of
from pipeline.steps.presentation.words import branch_lines, unit_names, with_commas
from pipeline.steps.variants import VARIANT_TECHNIQUES

HintLevel = Literal["technique", "where", "step"]
StepDetail = Literal["lines", "full"]

_NO_SOLUTION = "no steps, because there is no solution"
"""Why a puzzle without solutions has no steps."""

_INDENT = "     "
"""The indentation of the reason of a step, below its number."""


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """Which steps to print, and how.

    - `hint`: how much of the next step to print; None for all steps.
    - `detail`: `full` also prints the branches of chains and nets.
    - `are_all`: all steps of the first position, instead of those that solve the puzzle.
    - `order`: the order of the techniques.
    - `until`: the name of the technique before whose first step to stop; None for none.
    - `boards`: draw the board of each step.

    Raises UsageError for an unknown technique.
    """

    hint: HintLevel | None = None
    detail: StepDetail = "lines"
    are_all: bool = False
    order: Order = "hodoku"
    until: str | None = None
    boards: bool = False

    def __post_init__(self) -> None:
        if self.until is not None:
            self._last(self.until)

    def _last(self, name: str) -> str:
        """The name of a technique as its order has it. Raises UsageError if there is none."""
        return technique_named(name, (*order_with(self.order), *VARIANT_TECHNIQUES)).name

    @property
    def has_only_steps(self) -> bool:
        """Whether steps are printed instead of the solution."""
        return self.hint is not None or self.are_all or self.until is not None

    def steps_of(
        self, result: Result[Any], on_search: Callable[[int], object] = lambda _: None
    ) -> Iterator[Step]:
        """The steps of a result to print. `on_search` as for `all_steps_of`."""
        last = None if self.until is None else self._last(self.until)
        if self.are_all:
            steps = all_steps_of(result, order=self.order, on_search=on_search)
        else:
            steps = steps_of(result, order=self.order, optional=() if last is None else (last,))
        if last is not None:
            steps = takewhile(lambda step: last not in _names_of(step), steps)
        return islice(steps, 1) if self.hint else steps

    def drawn_steps(self, result: Result[Any]) -> list[Step]:
        """The steps of a result to draw; none for a hint that does not tell the step."""
        is_told = self.hint in (None, "step")
        return [*self.steps_of(result)] if is_told and has_steps(result) else []


def _names_of(step: Step) -> tuple[str, str]:
    """The names of a technique: a hidden single in a box is also a hidden single."""
    return step.technique.name, wording_of(step).name


def show_steps(
    item: Item, result: Result[Any], settings: Settings, walkthrough: Walkthrough, *, as_json: bool
) -> bool:
    """Print the steps of a puzzle, or a hint.

    If `as_json`, prints the record of the puzzle with its steps. With a hint, the record has no
    field `texts`, which would show the solutions. Returns False if the puzzle was not solved, if
    there is no hint, if the state of the game contains mistakes, if a step fails its check, or if
    the puzzle has no steps and these were to be printed instead of the solution.
    """
    name, problem = printable(item.where), result.problem
    try:
        mistakes = _mistake_texts(result)
        if as_json:
            return _print_record(item, result, settings, walkthrough, mistakes)
        if result.status in ERROR_STATUSES:
            return False
        is_start = walkthrough.hint is not None or walkthrough.are_all
        for text in mistakes:
            print(text) if is_start else say(f"{name}: {text}")
        if mistakes and is_start:
            return False
        if not isinstance(problem, PuzzleProblem) or not has_steps(result):
            is_unsolvable = result.complete and not result.solutions
            say(f"{name}: {_NO_SOLUTION if is_unsolvable else NO_STEPS}")
            return not walkthrough.has_only_steps
        return _show(name, result, problem, walkthrough, Display(None, bar=not settings.quiet))
    except SolverError as error:
        say(f"{name}: failed: {error}")
        return False


def _print_record(
    item: Item,
    result: Result[Any],
    settings: Settings,
    walkthrough: Walkthrough,
    mistakes: list[str],
) -> bool:
    """Print the record of a puzzle with its steps; returns whether there is what was asked for."""
    is_hint = walkthrough.hint is not None
    steps = [] if is_hint and mistakes else _step_objects(result, walkthrough)
    more: dict[str, Any] = {"mistakes": mistakes} if mistakes else {}
    print(record_line(item, result, settings, texts=not is_hint, steps=steps, **more))
    return bool(steps) if is_hint else steps is not None or not walkthrough.has_only_steps


def _show(
    name: str,
    result: Result[Any],
    problem: PuzzleProblem,
    walkthrough: Walkthrough,
    display: Display,
) -> bool:
    """Print the steps of a puzzle, or a hint; returns whether there is a hint, if asked."""
    if walkthrough.hint:
        return _show_hint(name, result, problem.puzzle, walkthrough)
    _show_all(name, result, problem.puzzle, walkthrough, display)
    return True


def _mistake_texts(result: Result[Any]) -> list[str]:
    """The mistakes in the state of a game."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return []
    return [_mistake_text(mistake, problem) for mistake in mistakes_of(result)]


def _mistake_text(mistake: Mistake, problem: PuzzleProblem) -> str:
    """A mistake, without the value of the solution."""
    cell, value = problem.puzzle.geometry.name_of(mistake.cell), mistake.value
    if mistake.is_placed:
        return f"{cell}={symbols_of(problem.format)[value - 1 : value] or value} is wrong"
    return f"{cell}: the right value was removed from the candidates"


def _show_hint(name: str, result: Result[Any], puzzle: Puzzle, walkthrough: Walkthrough) -> bool:
    """Print the next step as far as the hint tells it; returns whether one was found."""
    step = next(walkthrough.steps_of(result), None)
    if step is None:
        say(f"{name}: no step found")
        return False
    if walkthrough.hint == "technique":
        print(step.technique.name)
    elif walkthrough.hint == "where":
        print(f"{step.technique.name}: {_place_text(step)}")
    else:
        print(step)
        _print_details(step, full=True)
    if walkthrough.boards or walkthrough.hint == "step":
        print_board(step, puzzle)
    return True


def _place_text(step: Step) -> str:
    """The units or the cells of a step."""
    units, cells = place_of(step)
    if units:
        return unit_names(step.before, units, is_line=True)
    return with_commas(map(step.before.name_of, cells))


def _show_all(
    name: str,
    result: Result[Any],
    puzzle: Puzzle,
    walkthrough: Walkthrough,
    display: Display,
) -> None:
    """Print all steps, numbered, with their reasons."""
    step, count, total = None, 0, len(order_with(walkthrough.order))

    def on_search(done: int) -> None:
        display.tick(name, Progress(done, done, total, "technique", is_count=True))

    try:
        for count, step in enumerate(walkthrough.steps_of(result, on_search), 1):
            display.end()
            print(f"{count:3}  {step}")
            _print_details(step, full=walkthrough.detail == "full")
            if walkthrough.boards:
                print_board(step, puzzle)
                print()
    finally:
        display.end()
    if walkthrough.are_all or walkthrough.until is not None:
        if not count:
            say(f"{name}: no step found")
        return
    if not _is_filled(puzzle, step):
        message = f"no step found after {counted(count, 'step')}" if count else "no step found"
        say(f"{name}: {message}; solved by search")


def _is_filled(puzzle: Puzzle, last: Step | None) -> bool:
    """Whether no cell is open after the last step, or at the start if there is none."""
    if last is None:
        return all(mask.bit_count() == 1 for mask in puzzle.cells)
    open_cells = {cell for cell, mask in enumerate(last.before.candidates) if mask}
    return open_cells == {cell for cell, _ in last.placed}


def _print_details(step: Step, *, full: bool) -> None:
    """Print the reason of a step and, if `full`, its branches."""
    print(f"{_INDENT}{step.reason}")
    for branch in step.branches if full else ():
        for line in branch_lines(step.before, branch):
            print(f"{_INDENT}{line}")


def _step_objects(result: Result[Any], walkthrough: Walkthrough) -> list[dict[str, Any]] | None:
    """The steps as JSON objects, hints without what they do not tell; None if there are none."""
    if not has_steps(result):
        return None
    if walkthrough.hint == "technique":
        return [technique_object(step) for step in walkthrough.steps_of(result)]
    if walkthrough.hint == "where":
        return [
            technique_object(step) | place_object(step) for step in walkthrough.steps_of(result)
        ]
    return [step_object(step) for step in walkthrough.steps_of(result)]
