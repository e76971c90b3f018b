"""Find redundant givens and rules of variants.

A given or rule is redundant if the puzzle without it still has one solution. The module
`solutions` finds the redundant givens of batches of puzzles without further rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from pipeline.puzzle.puzzle import Puzzle

UniquenessTest = Callable[[Puzzle, float], bool | None]
"""A function of a puzzle and a time limit in seconds. Returns whether the puzzle has one solution;
None if that is not known in time."""


class RedundantParts(NamedTuple):
    """The cells of redundant givens, and the indices of redundant rules."""

    givens: tuple[int, ...]
    rules: tuple[int, ...]


def redundant_parts(
    puzzle: Puzzle, is_unique: UniquenessTest, seconds: float
) -> RedundantParts | None:
    """Return the redundant givens and rules of a puzzle with one solution; None if time ran out."""
    end = time.monotonic() + seconds
    blank, cells, rules = puzzle.geometry.all_values, puzzle.cells, puzzle.rules
    givens = [cell for cell, _ in puzzle.givens()]
    emptied = [(*cells[:cell], blank, *cells[cell + 1 :]) for cell in givens]
    weaker = [replace(puzzle, cells=fewer_givens) for fewer_givens in emptied]
    shortened = [(*rules[:index], *rules[index + 1 :]) for index in range(len(rules))]
    weaker += [replace(puzzle, rules=fewer_rules) for fewer_rules in shortened]
    answers = list[bool]()
    for candidate in weaker:
        left = end - time.monotonic()
        answer = is_unique(candidate, left) if left > 0 else None
        if answer is None:
            return None
        answers.append(answer)
    by_given = zip(givens, answers, strict=False)
    by_rule = enumerate(answers[len(givens) :])
    return RedundantParts(
        tuple(cell for cell, is_redundant in by_given if is_redundant),
        tuple(index for index, is_redundant in by_rule if is_redundant),
    )
