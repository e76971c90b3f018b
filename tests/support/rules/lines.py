"""Small examples of the rules about lines."""

from __future__ import annotations

from pipeline.puzzle.puzzle import Geometry, Rule
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

FOUR, SIX, SEVEN = Geometry(2, 2), Geometry(2, 3), Geometry(1, 7)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))
FOUR_BOXES, SIX_BOXES = tuple(FOUR.boxes()), tuple(SIX.boxes())

EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {
    Thermometer: [
        (FOUR, Thermometer((0, 5, 10))),
        (SIX, Thermometer((9, 3, 4, 5))),
        (SEVEN, Thermometer((8, 0))),
        (FOUR, Thermometer((0, 1, 2, 3, 7))),  # cannot be filled
        (FOUR, Thermometer((0, 1, 5, 0))),  # closes, so that it cannot be filled
        (FOUR, Thermometer((8, 4, 0, 1), slow=True)),
        (SIX, Thermometer((0, 1, 6, 0), slow=True)),  # a ring
        (TWO_GRIDS, Thermometer((15, 11, 16))),
    ],
    Palindrome: [
        (FOUR, Palindrome((0, 1, 2, 7, 6))),
        (SIX, Palindrome((0, 1, 7, 6))),
        (FOUR, Palindrome((0, 1, 5, 4, 0))),
    ],
    Renban: [
        (FOUR, Renban((0, 1, 6))),
        (SIX, Renban((0, 6, 7, 8))),
        (SIX, Renban((0, 6, 7, 1, 0))),  # cannot be filled
        (FOUR, Renban((0, 1, 2, 3))),
        (FOUR, Renban((0, 1, 2, 3, 7))),  # cannot be filled
    ],
    Whispers: [
        (FOUR, Whispers((0, 1, 5), 2)),
        (SIX, Whispers((0, 7, 14, 9), 3)),
        (SEVEN, Whispers((3, 2, 9), 4)),
        (FOUR, Whispers((0, 1, 5, 4, 0), 1)),
        (FOUR, Whispers((0, 1), 4)),  # cannot be filled
    ],
    Between: [
        (FOUR, Between((0, 1, 2, 7))),
        (SIX, Between((3, 2, 1, 0))),
        (SEVEN, Between((3, 2, 10))),
        (FOUR, Between((0, 1, 5))),
        (SIX, Between((0, 1, 2, 1, 3))),  # crosses itself
        (SIX, Between((0, 1, 2, 0))),  # closes, so that it cannot be filled
    ],
    RegionSum: [
        (FOUR, RegionSum((0, 1, 2, 3), FOUR_BOXES)),
        (FOUR, RegionSum((5, 6, 2, 1, 0), FOUR_BOXES)),  # in one of them twice
        (SIX, RegionSum((1, 2, 3, 9), SIX_BOXES)),
        (SIX, RegionSum((0, 1, 2, 3), SIX_BOXES)),
        (FOUR, RegionSum((0, 1, 4), FOUR_BOXES)),
        (FOUR, RegionSum((0, 1, 2, 3, 7), ((0, 4), (2, 1), (7, 11)))),  # one cell in none
        (FOUR, RegionSum((0, 1, 2, 3), ((0, 2), (3, 7)))),  # goes on after a cell in none
        (FOUR, RegionSum((0, 1, 2), ())),
    ],
    Entropic: [
        (SIX, Entropic((0, 1, 2, 8))),
        (SIX, Entropic((0, 1))),
        (FOUR, Entropic((0, 1, 2, 3, 7))),
        (SEVEN, Entropic((0, 1, 2))),
    ],
    Modular: [
        (SIX, Modular((0, 1, 2, 8))),
        (FOUR, Modular((0, 1, 2, 3, 7))),
        (SIX, Modular((0, 1, 2, 8), 2)),
        (FOUR, Modular((0, 1, 6, 7), 7)),
        (SEVEN, Modular((0, 1, 2), 5)),
    ],
    Nabner: [
        (FOUR, Nabner((0, 1))),
        (SIX, Nabner((0, 7, 14))),
        (SEVEN, Nabner((0, 8, 9, 1, 0))),  # a ring
        (FOUR, Nabner((0, 1, 2))),  # cannot be filled
    ],
    Zipper: [
        (FOUR, Zipper((0, 1, 2, 3, 7))),
        (FOUR, Zipper((0, 1, 2, 3, 7, 6))),
        (SIX, Zipper((0, 6, 7))),
        (SIX, Zipper((0, 6, 7, 1))),
    ],
    DoubleArrow: [
        (FOUR, DoubleArrow((0, 1, 2, 3, 7))),
        (SIX, DoubleArrow((0, 6, 7, 1))),
        (SEVEN, DoubleArrow((0, 8, 1))),
    ],
    Lockout: [
        (SIX, Lockout((0, 1, 2, 8))),
        (SIX, Lockout((8, 9, 10), 2)),
        (FOUR, Lockout((0, 1, 2, 3), 1)),
        (SEVEN, Lockout((0, 1), 4)),
        (FOUR, Lockout((0, 1, 2))),  # cannot be filled
        (SIX, Lockout((0, 1, 7, 1, 2))),  # crosses itself
        (SIX, Lockout((0, 1, 7, 0), 1)),  # closes, so that it cannot be filled
        (SIX, Lockout((0, 1, 0, 7), 1)),
    ],
}
