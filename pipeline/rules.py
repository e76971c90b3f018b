"""The rules of variants, to define puzzles in Python.

    >>> from pipeline import Puzzle, solve
    >>> from pipeline.rules import Cage, Thermometer
    >>> puzzle = Puzzle.empty(4)
    >>> at = puzzle.geometry.cells_at
    >>> lines = at((1, 1), (1, 2), (1, 3), (1, 4)), at((3, 1), (3, 2))
    >>> puzzle = puzzle.with_rules(*map(Thermometer, lines), Cage(at((2, 1), (3, 1)), 5))
    >>> [grid] = solve(puzzle).solutions
    >>> [*grid.rows()]
    [(1, 2, 3, 4), (3, 4, 1, 2), (2, 3, 4, 1), (4, 1, 2, 3)]

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
