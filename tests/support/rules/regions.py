"""Small examples of the rules about regions."""

from __future__ import annotations

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, ExtraRegion, Region, Windoku

FOUR, SIX, NINE = Geometry(2, 2), Geometry(2, 3), Geometry(3, 3)
NO_BOXES = Geometry(1, 4)

EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {
    Region: [
        (NO_BOXES, Region((0, 1, 2, 5))),
        (NO_BOXES, Region((7, 3, 6))),
        (NO_BOXES, Region((8,))),
        (NO_BOXES, Region((8, 9, 12, 13, 14))),  # cannot be filled
    ],
    ExtraRegion: [
        (FOUR, ExtraRegion((5, 6, 9, 10))),
        (FOUR, ExtraRegion((0, 15))),
        (FOUR, ExtraRegion((0, 3, 6, 9, 12))),  # cannot be filled
        (SIX, ExtraRegion((0, 7, 14, 21, 28))),
    ],
    Diagonal: [
        (FOUR, Diagonal(rising=True)),
        (FOUR, Diagonal(rising=False)),
        (NO_BOXES, Diagonal(rising=True)),
        (Geometry(1, 5), Diagonal(rising=False)),
    ],
    Windoku: [(NINE, Windoku()), (Geometry(1, 9), Windoku())],
    DisjointGroups: [
        (FOUR, DisjointGroups()),
        (SIX, DisjointGroups()),
        (Geometry(3, 2), DisjointGroups()),
    ],
}
