"""Which givens and rules of a puzzle with rules can be left out, each alone: the others stay.

`solutions` does the same for batches of puzzles without rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from pipeline.puzzle.puzzle import Puzzle

Judge = Callable[[Puzzle, float], bool | None]
"""Says whether a puzzle has only one solution; None if it does not know in so many seconds."""


class Needless(NamedTuple):
    """The cells of givens, and the places of rules, that can be left out."""

    givens: tuple[int, ...]
    rules: tuple[int, ...]


def needless_parts(puzzle: Puzzle, is_unique: Judge, seconds: float) -> Needless | None:
    """Find them in a puzzle with one solution; None if the time is too short for all."""
    end = time.monotonic() + seconds
    every, cells, rules = puzzle.geometry.all_values, puzzle.cells, puzzle.rules
    givens = [cell for cell, _ in puzzle.givens()]
    opened = [(*cells[:cell], every, *cells[cell + 1 :]) for cell in givens]
    asked = [replace(puzzle, cells=each) for each in opened]
    fewer = [(*rules[:place], *rules[place + 1 :]) for place in range(len(rules))]
    asked += [replace(puzzle, rules=each) for each in fewer]
    answers = list[bool]()
    for each in asked:
        left = end - time.monotonic()
        answer = is_unique(each, left) if left > 0 else None
        if answer is None:
            return None
        answers.append(answer)
    found = zip(givens, answers, strict=False), enumerate(answers[len(givens) :])
    return Needless(*(tuple(part for part, can_go in some if can_go) for some in found))
