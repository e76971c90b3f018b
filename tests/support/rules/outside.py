"""Small examples of the rules of clues outside the grid."""

from __future__ import annotations

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.outside import LittleKiller, Sandwich, Skyscraper, XSum

TWO, THREE, FOUR = Geometry(1, 2), Geometry(1, 3), Geometry(2, 2)
FIVE, SIX, NINE = Geometry(1, 5), Geometry(2, 3), Geometry(3, 3)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))

EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {
    LittleKiller: [
        (FOUR, LittleKiller((2, 5, 8), 7)),
        (SIX, LittleKiller((33, 26, 19, 12), 11)),
        (FOUR, LittleKiller((3, 6, 9, 12), 16)),
        *((FOUR, LittleKiller((corner,), 3)) for corner in (0, 3, 12, 15)),
        (FOUR, LittleKiller((1, 4), 9)),  # cannot be filled
    ],
    Sandwich: [
        (TWO, Sandwich((0, 1), 0)),
        (THREE, Sandwich((0, 1, 2), 2)),
        (FOUR, Sandwich((0, 1, 2, 3), 0)),
        (FOUR, Sandwich((3, 7, 11, 15), 5)),
        (FIVE, Sandwich((10, 11, 12, 13, 14), 4)),
        (SIX, Sandwich((0, 1, 2, 3, 4, 5), 5)),
        (NINE, Sandwich(tuple(range(9)), 14)),
        (FOUR, Sandwich((0, 1, 2, 3), 1)),  # cannot be filled, as all below
        (FOUR, Sandwich((0, 1, 2, 3), -1)),
        (FOUR, Sandwich((0, 1, 2), 0)),
    ],
    Skyscraper: [
        (TWO, Skyscraper((0, 1), 2)),
        (FOUR, Skyscraper((0, 1, 2, 3), 2)),
        (FOUR, Skyscraper((12, 8, 4, 0), 4)),
        (FIVE, Skyscraper((14, 13, 12, 11, 10), 3)),
        (SIX, Skyscraper((0, 1, 2, 3), 1)),
        (FOUR, Skyscraper((0, 1, 2, 3), 0)),  # cannot be filled, as the next
        (FOUR, Skyscraper((0, 1, 2, 3), 5)),
        (TWO_GRIDS, Skyscraper((10, 11, 16, 17), 2)),
    ],
    XSum: [
        (TWO, XSum((0, 1), 3)),
        (FOUR, XSum((0, 1, 2, 3), 6)),
        (FOUR, XSum((15, 11, 7, 3), 10)),
        (FIVE, XSum((0, 1, 2, 3, 4), 9)),
        (SIX, XSum((5, 4, 3, 2, 1, 0), 12)),
        (NINE, XSum(tuple(range(9)), 23)),
        (FOUR, XSum((0, 1, 2, 3), 2)),  # cannot be filled, as all below
        (FOUR, XSum((0, 1, 2, 3), 11)),
        (FOUR, XSum((0, 1, 2), 6)),
    ],
}
