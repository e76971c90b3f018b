"""Small examples of the rules about groups of cells and their sums."""

from __future__ import annotations

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.cages import Arrow, Cage, Clone, EqualSums, Quadruple, SameMultiset, Sum

FOUR, SIX, SEVEN, TWELVE = Geometry(2, 2), Geometry(2, 3), Geometry(1, 7), Geometry(3, 4)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))

EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {
    Cage: [
        (FOUR, Cage((0, 1, 5), 7)),
        (SIX, Cage((0, 6, 7, 8), 13)),
        (SIX, Cage((35,), 5)),
        (SIX, Cage((0, 1, 2))),
        (FOUR, Cage((0, 1, 2, 3), 10)),
        (FOUR, Cage((0, 1, 2), 3)),  # cannot be filled, as all below
        (FOUR, Cage((0, 1, 2, 3, 4), 12)),
        (FOUR, Cage((0, 1), -3)),
        (TWO_GRIDS, Cage((14, 15, 16), 6)),
    ],
    Arrow: [
        (FOUR, Arrow((0,), (1, 2, 3))),
        (SIX, Arrow((14,), (7, 0))),
        (SEVEN, Arrow((0,), (8,))),
        (FOUR, Arrow((1, 0), (4, 5, 6, 7))),
        (SIX, Arrow((12, 6), (7, 8, 9))),
        (FOUR, Arrow((0,), (1, 2, 1))),  # crosses itself
        (FOUR, Arrow((0,), (1, 0))),  # comes back to its circle, so that it cannot be filled
        (FOUR, Arrow((1, 0), (4, 5, 1, 6, 7))),
        (FOUR, Arrow((0, 1, 2), (3, 7) * 19)),
        (FOUR, Arrow((0,), (1, 2, 3, 7, 6))),  # cannot be filled
        (FOUR, Arrow((0, 1, 2), tuple(range(4, 16)) * 3)),
        (TWELVE, Arrow((0, 1), (12, 13))),
    ],
    Quadruple: [
        (FOUR, Quadruple((0, 1, 4, 5), (3, 1))),
        (SIX, Quadruple((0, 1, 6, 7), (2, 5, 2))),
        (SIX, Quadruple((7, 8, 13, 14), (4, 4, 4, 4))),
        (SIX, Quadruple((0, 1), (6,))),
        (FOUR, Quadruple((0, 1, 4, 5), (1, 2, 3, 4))),
        (FOUR, Quadruple((0, 1, 4, 5), (1, 2, 3, 4, 4))),  # cannot be filled, as all below
        (FOUR, Quadruple((0, 1, 4, 5), (5,))),
        (FOUR, Quadruple((0, 1, 4, 5), (0,))),
        (FOUR, Quadruple((0, 1, 4, 5), (1, 1, 1, 1, 1))),
    ],
    Clone: [
        (FOUR, Clone((0, 1), (14, 11))),
        (SIX, Clone((0, 6), (6, 12))),  # they overlap
        (SIX, Clone((3,), (3,))),
    ],
    SameMultiset: [
        (FOUR, SameMultiset(((0, 1, 2), (4, 5, 6)))),
        (FOUR, SameMultiset(((0, 1), (7, 10), (4, 15)))),
        (SIX, SameMultiset(((0, 1), (7, 1)))),  # they overlap
        (FOUR, SameMultiset(((0, 0, 1), (4, 5, 6)))),  # one cell counts twice
        (SEVEN, SameMultiset(((0,), (8,), (16,)))),
    ],
    Sum: [
        (FOUR, Sum(((0, 1), (4, 1), (5, 1)), 7)),
        (SIX, Sum(((0, 1), (7, -2), (8, 3)), 5)),
        (SIX, Sum(((0, 1), (1, 1), (0, 1)), 8)),  # one cell counts twice
        (FOUR, Sum(((0, 1), (1, 1), (0, -1)), 3)),
        (FOUR, Sum(((0, 0), (1, 2)), 4)),
        (FOUR, Sum(((0, 0),), 0)),
        (FOUR, Sum(((0, 1), (1, 1)), 9)),  # cannot be filled, as all below
        (FOUR, Sum(((0, 2), (1, 2)), 7)),
        (FOUR, Sum(((0, 10**30), (1, -1)), 0)),
    ],
    EqualSums: [
        (FOUR, EqualSums(((0, 1, 2), (4, 5)))),
        (SIX, EqualSums(((0,), (7, 8)))),
        (FOUR, EqualSums(((0, 1), (4, 5), (6, 3)))),
        (SIX, EqualSums(((0, 1), (0, 7)))),  # they overlap
        (FOUR, EqualSums(((0, 1, 1), (4, 5)))),  # one cell counts twice
        (FOUR, EqualSums(((0,), (1, 2, 3, 4, 5)))),  # cannot be filled
    ],
}
