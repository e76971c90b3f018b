"""The rules of variants, to define puzzles in Python.

    >>> from pipeline import Puzzle, solve
    >>> from pipeline.rules import Cage, Thermometer
    >>> puzzle = Puzzle.empty(4)
    >>> puzzle = puzzle.with_rules(
    ...     Thermometer([(1, 1), (1, 2), (1, 3), (1, 4)]),
    ...     Thermometer([(3, 1), (3, 2)]),
    ...     Cage([(2, 1), (3, 1)], total=5),
    ... )
    >>> list(solve(puzzle).solution)
    [(1, 2, 3, 4), (3, 4, 1, 2), (2, 3, 4, 1), (4, 1, 2, 3)]

A cell is (row, column), counted from 1, or its number, counted from 0.
`docs/reference/rules.md` has an example of each rule.
"""

from inspect import isabstract, isclass

from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules.cages import *
from pipeline.puzzle.rules.custom import *
from pipeline.puzzle.rules.free import *
from pipeline.puzzle.rules.lines import *
from pipeline.puzzle.rules.outside import *
from pipeline.puzzle.rules.pairs import *
from pipeline.puzzle.rules.regions import *
from pipeline.puzzle.rules.whole import *

__all__ = sorted(
    name
    for name, kind in vars().items()
    if isclass(kind) and issubclass(kind, Rule) and hasattr(kind, "name") and not isabstract(kind)
)
