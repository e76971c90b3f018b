"""Print the logical steps that solve a puzzle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

from pipeline.api import has_steps, steps_of
from pipeline.cli.messages import say
from pipeline.cli.results import record_line
from pipeline.cli.step_drawings import print_board
from pipeline.errors import SolverError, counted, printable
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import signs_of
from pipeline.settings import Settings
from pipeline.solving import ERROR_STATUSES
from pipeline.solving.items import Item
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.steps import Step
from pipeline.steps.wording import text_of

_ShowBoard = Callable[[Step], None]
"""Prints the board of a step."""


def show_steps(
    item: Item, result: Result[Any], settings: Settings, *, hint: bool, as_json: bool, boards: bool
) -> bool:
    """Print the steps of a puzzle, or only the next step if `hint`; below each its board, if asked.

    If `as_json`, prints the record of the puzzle with its steps. If `hint`, the record has no field
    `texts`, which would show the solutions. Returns False if the puzzle was not solved, if there is
    no next step to show, or if a step fails its check.
    """
    name, problem = printable(item.where), result.problem
    try:
        if as_json:
            steps = _step_objects(result, 1 if hint else None)
            print(record_line(item, result, settings, texts=not hint, steps=steps))
            return bool(steps) or not hint
        if result.status in ERROR_STATUSES:
            return False
        if not isinstance(problem, PuzzleProblem) or not has_steps(result):
            say(f"{name}: {_NO_STEPS}")
            return not hint
        letters = signs_of(problem.format)
        if letters:
            values = (f"{letter} is {value}" for value, letter in enumerate(letters, 1))
            say(f"{name}: symbols in the steps: {', '.join(values)}")
        show_board = partial(print_board, signs=letters) if boards else None
        if hint:
            return _show_next(name, result, show_board)
        _show_all(name, result, problem.puzzle, show_board)
    except SolverError as error:
        say(f"{name}: failed: {error}")
        return False
    return True


def _show_next(name: str, result: Result[Any], show_board: _ShowBoard | None) -> bool:
    """Print the next step; returns whether one was found."""
    step = next(steps_of(result), None)
    if step is None:
        say(f"{name}: no step found")
        return False
    print(text_of(step))
    if show_board:
        show_board(step)
    return True


def _show_all(
    name: str, result: Result[Any], puzzle: Puzzle, show_board: _ShowBoard | None
) -> None:
    """Print all steps, numbered."""
    steps = [*steps_of(result)]
    for number, step in enumerate(steps, 1):
        print(f"{number:3}  {text_of(step)}")
        if show_board:
            show_board(step)
            print()
    filled = len([*puzzle.givens()]) + sum(len(step.placed) for step in steps)
    if filled < puzzle.geometry.size:
        message = f"no step found after {counted(len(steps), 'step')}" if steps else "no step found"
        say(f"{name}: {message}; solved by search")


def _step_objects(result: Result[Any], max_steps: int | None) -> list[dict[str, Any]] | None:
    """The first `max_steps` steps as JSON objects; None if the puzzle cannot have steps."""
    if not has_steps(result):
        return None
    return [_step_object(step) for step in islice(steps_of(result), max_steps)]


def _step_object(step: Step) -> dict[str, Any]:
    """A step as a JSON object."""
    technique = step.technique
    return {
        "text": text_of(step),
        "technique": technique.name,
        "level": technique.level_name,
        "score": technique.score,
        "placed": [_candidate(*candidate) for candidate in step.placed],
        "struck": [_candidate(*candidate) for candidate in step.struck],
        "chain": [
            {"value": node.value, "cells": [*map(step.before.name_of, node.cells)], "holds": node.holds}
            for node in step.chain
        ],
    }


def _candidate(cell: int, value: int) -> dict[str, int]:
    return {"row": cell // 9 + 1, "column": cell % 9 + 1, "value": value}


_NO_STEPS = "steps are only available for solved 9×9 puzzles without extra rules"
"""The message for a puzzle that cannot be explained by steps."""
