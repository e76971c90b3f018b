"""The rules of variants, from which puzzles are made.

    >>> from pipeline import Puzzle, solve
    >>> from pipeline.rules import Cage, Thermometer
    >>> puzzle = Puzzle.empty(4)
    >>> at = puzzle.geometry.cells_at
    >>> lines = at((1, 1), (1, 2), (1, 3), (1, 4)), at((3, 1), (3, 2))
    >>> puzzle = puzzle.with_rules(*map(Thermometer, lines), Cage(at((2, 1), (3, 1)), 5))
    >>> [grid] = solve(puzzle).solutions
    >>> [*grid.rows()]
    [(1, 2, 3, 4), (3, 4, 1, 2), (2, 3, 4, 1), (4, 1, 2, 3)]

`docs/reference/rules.md` has an example of each. They are not loaded before this module is.
"""

from pipeline.puzzle.rules.cages import (
    Arrow,
    Cage,
    Clone,
    DigitalRoot,
    EqualSums,
    Quadruple,
    SameMultiset,
    Sum,
)
from pipeline.puzzle.rules.lines import (
    Between,
    DoubleArrow,
    Entropic,
    Lockout,
    Modular,
    Nabner,
    Palindrome,
    RegionSum,
    Renban,
    Thermometer,
    Whispers,
    Zipper,
)
from pipeline.puzzle.rules.outside import LittleKiller, Sandwich, Skyscraper, XSum
from pipeline.puzzle.rules.pairs import (
    XV,
    Among,
    AntiKing,
    AntiKnight,
    BlackDot,
    BoxIndexer,
    Extreme,
    Greater,
    Indexer,
    NegativeKropki,
    NegativeXV,
    Nonconsecutive,
    Parity,
    WhiteDot,
)
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, ExtraRegion, Region, Windoku

__all__ = [
    "XV",
    "Among",
    "AntiKing",
    "AntiKnight",
    "Arrow",
    "Between",
    "BlackDot",
    "BoxIndexer",
    "Cage",
    "Clone",
    "Diagonal",
    "DigitalRoot",
    "DisjointGroups",
    "DoubleArrow",
    "Entropic",
    "EqualSums",
    "ExtraRegion",
    "Extreme",
    "Greater",
    "Indexer",
    "LittleKiller",
    "Lockout",
    "Modular",
    "Nabner",
    "NegativeKropki",
    "NegativeXV",
    "Nonconsecutive",
    "Palindrome",
    "Parity",
    "Quadruple",
    "Region",
    "RegionSum",
    "Renban",
    "SameMultiset",
    "Sandwich",
    "Skyscraper",
    "Sum",
    "Thermometer",
    "Whispers",
    "WhiteDot",
    "Windoku",
    "XSum",
    "Zipper",
]
