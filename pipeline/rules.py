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
    Contains,
    CountingCircles,
    CountOfDifferent,
    DigitalRoot,
    EqualityCage,
    EqualSums,
    Quadruple,
    RellikCage,
    SameMultiset,
    Sum,
)
from pipeline.puzzle.rules.custom import OneOf, Relation, StateMachine
from pipeline.puzzle.rules.free import (
    ChaosArrow,
    ChaosConstruction,
    ChaosCount,
    ConnectedValues,
    Doppelganger,
    SameRegions,
    Unit,
)
from pipeline.puzzle.rules.lines import (
    Between,
    DoubleArrow,
    Entropic,
    Lockout,
    Lunchbox,
    Modular,
    Nabner,
    Palindrome,
    RegionSum,
    Renban,
    SumLine,
    Thermometer,
    ValueIndexer,
    Whispers,
    Zipper,
)
from pipeline.puzzle.rules.outside import (
    FullRank,
    HiddenSkyscraper,
    LittleKiller,
    NumberedRoom,
    Sandwich,
    Skyscraper,
    XSum,
)
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
from pipeline.puzzle.rules.whole import (
    AntiTaxicab,
    Flatmates,
    GlobalEntropy,
    GlobalModular,
    NoTiedLines,
)

__all__ = [
    "XV",
    "Among",
    "AntiKing",
    "AntiKnight",
    "AntiTaxicab",
    "Arrow",
    "Between",
    "BlackDot",
    "BoxIndexer",
    "Cage",
    "ChaosArrow",
    "ChaosConstruction",
    "ChaosCount",
    "Clone",
    "ConnectedValues",
    "Contains",
    "CountOfDifferent",
    "CountingCircles",
    "Diagonal",
    "DigitalRoot",
    "DisjointGroups",
    "Doppelganger",
    "DoubleArrow",
    "Entropic",
    "EqualSums",
    "EqualityCage",
    "ExtraRegion",
    "Extreme",
    "Flatmates",
    "FullRank",
    "GlobalEntropy",
    "GlobalModular",
    "Greater",
    "HiddenSkyscraper",
    "Indexer",
    "LittleKiller",
    "Lockout",
    "Lunchbox",
    "Modular",
    "Nabner",
    "NegativeKropki",
    "NegativeXV",
    "NoTiedLines",
    "Nonconsecutive",
    "NumberedRoom",
    "OneOf",
    "Palindrome",
    "Parity",
    "Quadruple",
    "Region",
    "RegionSum",
    "Relation",
    "RellikCage",
    "Renban",
    "SameMultiset",
    "SameRegions",
    "Sandwich",
    "Skyscraper",
    "StateMachine",
    "Sum",
    "SumLine",
    "Thermometer",
    "Unit",
    "ValueIndexer",
    "Whispers",
    "WhiteDot",
    "Windoku",
    "XSum",
    "Zipper",
]
