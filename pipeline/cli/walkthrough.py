"""Print the logical steps that solve a puzzle, or a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Literal

from pipeline.api import (
    NO_STEPS,
    Mistake,
    all_steps_of,
    has_orders,
    has_steps,
    mistakes_of,
    steps_of,
)
from pipeline.cli.messages import say
from pipeline.cli.results import record_line
from pipeline.cli.step_drawings import HintLevel, hint_picture, print_board
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
from pipeline.steps.orders import DEFAULT_ORDER, Order, order_with, technique_named
from pipeline.steps.presentation.step_objects import (
    place_object,
    step_object,
    technique_object,
)
from pipeline.steps.presentation.wording import wording_of
from pipeline.steps.presentation.words import branch_lines
from pipeline.steps.techniques import Technique
from pipeline.steps.variants import VARIANT_TECHNIQUES

StepDetail = Literal["lines", "full"]

_NO_SOLUTION = "no steps, because there is no solution"
"""Why a puzzle without solutions has no steps."""

_NO_ORDER = "--order does nothing: only 9×9 puzzles without extra rules have orders to choose from"
"""The message if an order is given for another puzzle."""

_INDENT = "     "
"""The indentation of the reason of a step, below its number."""


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """Which steps to print, and how.

    - `hint`: how much of the next step to print; None for all steps.
    - `detail`: `full` also prints the branches of chains and nets.
    - `are_all`: all steps of the first position, instead of those that solve the puzzle.
    - `order`: the order of the techniques; None for the default.
    - `until`: the name of the technique before whose first step to stop; None for none.
    - `boards`: draw the board of each step.

    Raises UsageError for an unknown technique.
    """

    hint: HintLevel | None = None
    detail: StepDetail = "lines"
    are_all: bool = False
    order: Order | None = None
    until: str | None = None
    boards: bool = False

    def __post_init__(self) -> None:
        _ = self.last_technique

    @property
    def techniques(self) -> Sequence[Technique]:
        """The techniques of the order, with all optional ones."""
        return order_with(self.order or DEFAULT_ORDER)

    @property
    def last_technique(self) -> str | None:
        """The full name of the technique `until`. Raises UsageError for an unknown one."""
        if self.until is None:
            return None
        return technique_named(self.until, (*self.techniques, *VARIANT_TECHNIQUES)).name

    @property
    def has_only_steps(self) -> bool:
        """Whether steps are printed instead of the solution."""
        return self.hint is not None or self.are_all or self.until is not None

    def stops_before(self, step: Step) -> bool:
        """Whether a step is of the technique `until`."""
        return self.last_technique in _names_of(step)

    def steps_found(
        self, result: Result[Any], on_search: Callable[[int], object] = lambda _: None
    ) -> Iterator[Step]:
        """The steps of a result, without regard to `hint` and `until`.

        `on_search` as for `all_steps_of`.
        """
        order, last = self.order or DEFAULT_ORDER, self.last_technique
        if self.are_all:
            return all_steps_of(result, order=order, on_search=on_search)
        return steps_of(result, order=order, optional=() if last is None else (last,))

    def steps_of(self, result: Result[Any]) -> Iterator[Step]:
        """The steps of a result to print."""
        steps = takewhile(lambda step: not self.stops_before(step), self.steps_found(result))
        return islice(steps, 1) if self.hint else steps

    def drawn_steps(self, result: Result[Any]) -> list[Step]:
        """The steps of a result to draw; none for a hint that does not tell the step."""
        is_told = self.hint in (None, "step")
        return [*self.steps_of(result)] if is_told and has_steps(result) else []


def _names_of(step: Step) -> tuple[str, str]:
    """The names of a technique: a hidden single in a box is also a hidden single."""
    return step.technique.name, wording_of(step).name


def show_steps(
    item: Item,
    result: Result[Any],
    settings: Settings,
    walkthrough: Walkthrough,
    *,
    as_json: bool,
    has_title: bool,
) -> bool:
    """Print the steps of a puzzle, or a hint.

    - `as_json`: print the record of the puzzle with its steps. With a hint, the record has no field
      `texts`, which would show the solutions.
    - `has_title`: print the name of the puzzle first, unless `as_json`.

    Returns False if the puzzle was not solved, if a step fails its check, if the state of the game
    contains mistakes that a hint names, or if no step is found that was to be printed instead of
    the solution.
    """
    name, problem = printable(item.where), result.problem
    try:
        mistakes = _mistake_texts(result)
        if walkthrough.order and isinstance(problem, PuzzleProblem) and not has_orders(problem):
            say(f"{name}: {_NO_ORDER}")
        if as_json:
            return _print_record(item, result, settings, walkthrough, mistakes)
        if result.status in ERROR_STATUSES:
            return False
        is_start = walkthrough.hint is not None or walkthrough.are_all
        if has_title:
            print(name)
        for text in mistakes:
            print(text) if is_start else say(f"{name}: {text}")
        if mistakes and is_start:
            return False
        if not isinstance(problem, PuzzleProblem) or not has_steps(result):
            say(f"{name}: {_reason_for_no_steps(result)}")
            return not walkthrough.has_only_steps
        if mistakes:
            say(f"{name}: the steps start from the givens")
        return _show(name, result, problem, walkthrough, Display(None, bar=not settings.quiet))
    except SolverError as error:
        say(f"{name}: failed: {error}")
        return False


def _reason_for_no_steps(result: Result[Any]) -> str:
    """Why a result has no steps."""
    if not isinstance(result.problem, PuzzleProblem):
        return "a formula has no steps"
    return _NO_SOLUTION if result.complete and not result.solutions else NO_STEPS


def _print_record(
    item: Item,
    result: Result[Any],
    settings: Settings,
    walkthrough: Walkthrough,
    mistakes: list[str],
) -> bool:
    """Print the record of a puzzle with its steps; returns as `_show` does."""
    is_hint = walkthrough.hint is not None
    steps = [] if is_hint and mistakes else _step_objects(result, walkthrough)
    more: dict[str, Any] = {"mistakes": mistakes} if mistakes else {}
    print(record_line(item, result, settings, texts=not is_hint, steps=steps, **more))
    if steps is None:
        return not walkthrough.has_only_steps
    return bool(steps) or not (is_hint or walkthrough.are_all)


def _show(
    name: str,
    result: Result[Any],
    problem: PuzzleProblem,
    walkthrough: Walkthrough,
    display: Display,
) -> bool:
    """Print the steps of a puzzle, or a hint.

    Returns False if there is no hint, or none of `--all-steps`.
    """
    if _is_full(result, problem):
        say(f"{name}: the grid is full: no step is left")
        return walkthrough.hint is None and not walkthrough.are_all
    if walkthrough.hint:
        return _show_hint(name, result, problem.puzzle, walkthrough, walkthrough.hint)
    return _show_all(name, result, problem.puzzle, walkthrough, display)


def _is_full(result: Result[Any], problem: PuzzleProblem) -> bool:
    """Whether no cell is open in the position from which the steps start."""
    open_cells = {c for c, mask in enumerate(problem.puzzle.cells) if mask.bit_count() > 1}
    if result.status == "unique" and not mistakes_of(result):
        open_cells -= {cell for cell, _ in problem.parsed.progress.placed}
    return not open_cells


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


def _show_hint(
    name: str, result: Result[Any], puzzle: Puzzle, walkthrough: Walkthrough, level: HintLevel
) -> bool:
    """Print what a level of hint reveals of the next step; returns whether there is a step."""
    step = next(walkthrough.steps_of(result), None)
    if step is None:
        say(f"{name}: no step found")
        return False
    if level == "technique":
        print(step.technique.name)
    elif level == "where":
        print(f"{step.technique.name}: {step.where}")
    else:
        print(step)
        _print_details(step, full=True)
    if walkthrough.boards or level == "step":
        print_board(hint_picture(step, level), puzzle)
    return True


def _show_all(
    name: str,
    result: Result[Any],
    puzzle: Puzzle,
    walkthrough: Walkthrough,
    display: Display,
) -> bool:
    """Print all steps, numbered, with their reasons; returns as `_show` does."""
    last, count, total = None, 0, len(walkthrough.techniques)

    def on_search(done: int) -> None:
        display.tick(name, Progress(done, done, total, "technique", is_count=True))

    try:
        for step in walkthrough.steps_found(result, on_search):
            display.end()
            if walkthrough.stops_before(step):
                say(f"{name}: stopped before step {count + 1}: {step.technique.name}")
                return True
            last, count = step, count + 1
            print(f"{count:3}  {step}")
            _print_details(step, full=walkthrough.detail == "full")
            if walkthrough.boards:
                print_board(hint_picture(step, "step"), puzzle)
                print()
    finally:
        display.end()
    if walkthrough.are_all and count == 0:
        say(f"{name}: no step found")
        return False
    if not walkthrough.are_all and not (last and _fills_grid(last)):
        message = f"no step found after {counted(count, 'step')}" if count else "no step found"
        say(f"{name}: {message}{'' if walkthrough.until else '; solved by search'}")
    elif walkthrough.until:
        say(f"{name}: no step uses the technique {walkthrough.last_technique}")
    return True


def _fills_grid(step: Step) -> bool:
    """Whether no cell is open after a step."""
    open_cells = {cell for cell, mask in enumerate(step.before.candidates) if mask}
    return open_cells == {cell for cell, _ in step.placed}


def _print_details(step: Step, *, full: bool) -> None:
    """Print the reason of a step and, if `full`, its branches."""
    print(f"{_INDENT}{step.reason}")
    for branch in step.branches if full else ():
        for line in branch_lines(step.before, branch):
            print(f"{_INDENT}{line}")


def _step_objects(result: Result[Any], walkthrough: Walkthrough) -> list[dict[str, Any]] | None:
    """The steps as JSON objects, or None. Hints omit the fields that they do not reveal."""
    if not has_steps(result):
        return None
    if walkthrough.hint == "technique":
        return [technique_object(step) for step in walkthrough.steps_of(result)]
    if walkthrough.hint == "where":
        return [
            technique_object(step) | place_object(step) for step in walkthrough.steps_of(result)
        ]
    return [step_object(step) for step in walkthrough.steps_of(result)]
