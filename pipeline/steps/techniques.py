"""All techniques, from the simplest, and the walk through a puzzle that takes them in turn.

A technique is a function of the candidates and a row in TECHNIQUES; a new function also has a kind,
and its line in `_find`. Names, order, levels and scores are those of HoDoKu 2.2 (B. Hobiger, 2008),
ratings those of Sudoku Explainer 1.2 (N. Juillerat, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.certify.steps import NODE_COUNT, TECHNIQUE, follows
from pipeline.native import compiled
from pipeline.solving import LEVELS
from pipeline.steps.board import OPEN, apply, set_up
from pipeline.steps.chains import (
    AIC,
    FROM,
    GROUPED,
    IS_KNOWN,
    X_CHAIN,
    XY_CHAIN,
    chain,
    colours,
    forcing_net,
    verity,
)
from pipeline.steps.patterns import (
    BASIC,
    CLAIMING,
    DIRECT_SET,
    EVERYWHERE,
    FINNED,
    HIDDEN_SET,
    IN_BOXES,
    IN_LINES,
    LOCKED_SET,
    NAKED_SET,
    POINTING,
    SASHIMI,
    fish,
    full_house,
    hidden_single,
    locked,
    naked_single,
    subset,
)
from pipeline.steps.wings import (
    KITE,
    SKYSCRAPER,
    TURBOT,
    bug,
    empty_rectangle,
    two_links,
    unique_rectangle,
    w_wing,
    xy_wing,
)

MOST_SCORES = (800, 1000, 1600, 1800)
"""The highest sum of scores of each level but the last: with more, a puzzle is of the next one."""

(
    FULL_HOUSE, NAKED_SINGLE, HIDDEN_SINGLE, LOCKED, LOCKED_SUBSET, NAKED, HIDDEN, FISH,
    FINNED_FISH, SASHIMI_FISH, BUG, TWO_LINKS, EMPTY_RECTANGLE, W_WING, XY_WING, UNIQUE_RECTANGLE,
    COLOURS, CHAIN, VERITY, FORCING_NET, DIRECT_LOCKED, DIRECT_HIDDEN,
) = range(22)  # fmt: skip
"""Kinds of techniques: one for each function, or each way to call it."""


class Technique(NamedTuple):
    """A technique: its name, its level as an index in LEVELS, its score, and its rating in tenths.

    kind, number: how it is found, such as subsets of that many cells. A score or a rating of 0:
    HoDoKu, or Sudoku Explainer, does not have it.
    """

    name: str
    level: int
    score: int
    se: int
    kind: int
    number: int = 0

    @property
    def level_name(self) -> str:
        return LEVELS[self.level]

    @property
    def needs_unique(self) -> bool:
        return self.kind in (BUG, UNIQUE_RECTANGLE)


TECHNIQUES = (
    Technique("full house", 0, 4, 10, FULL_HOUSE),
    Technique("naked single", 0, 4, 23, NAKED_SINGLE),
    Technique("hidden single", 0, 14, 0, HIDDEN_SINGLE, EVERYWHERE),
    Technique("locked pair", 1, 40, 0, LOCKED_SUBSET, 2),
    Technique("locked triple", 1, 60, 0, LOCKED_SUBSET, 3),
    Technique("pointing", 1, 50, 26, LOCKED, POINTING),
    Technique("claiming", 1, 50, 28, LOCKED, CLAIMING),
    Technique("naked pair", 1, 60, 30, NAKED, 2),
    Technique("naked triple", 1, 80, 36, NAKED, 3),
    Technique("hidden pair", 1, 70, 34, HIDDEN, 2),
    Technique("hidden triple", 1, 100, 40, HIDDEN, 3),
    Technique("naked quadruple", 2, 120, 50, NAKED, 4),
    Technique("hidden quadruple", 2, 150, 54, HIDDEN, 4),
    Technique("X-wing", 2, 140, 32, FISH, 2),
    Technique("swordfish", 2, 150, 38, FISH, 3),
    Technique("jellyfish", 2, 160, 52, FISH, 4),
    Technique("BUG+1", 2, 100, 56, BUG),
    Technique("skyscraper", 2, 130, 0, TWO_LINKS, SKYSCRAPER),
    Technique("2-string kite", 2, 150, 0, TWO_LINKS, KITE),
    Technique("turbot fish", 2, 120, 66, TWO_LINKS, TURBOT),
    Technique("empty rectangle", 2, 120, 0, EMPTY_RECTANGLE),
    Technique("W-wing", 2, 150, 0, W_WING),
    Technique("XY-wing", 2, 160, 42, XY_WING, 2),
    Technique("XYZ-wing", 2, 180, 44, XY_WING, 3),
    Technique("unique rectangle 1", 2, 100, 45, UNIQUE_RECTANGLE, 1),
    Technique("unique rectangle 2", 2, 100, 45, UNIQUE_RECTANGLE, 2),
    Technique("unique rectangle 3", 2, 100, 46, UNIQUE_RECTANGLE, 3),
    Technique("unique rectangle 4", 2, 100, 45, UNIQUE_RECTANGLE, 4),
    Technique("unique rectangle 5", 2, 100, 45, UNIQUE_RECTANGLE, 5),
    Technique("finned X-wing", 2, 130, 0, FINNED_FISH, 2),
    Technique("sashimi X-wing", 2, 150, 0, SASHIMI_FISH, 2),
    Technique("finned swordfish", 3, 200, 0, FINNED_FISH, 3),
    Technique("sashimi swordfish", 3, 240, 0, SASHIMI_FISH, 3),
    Technique("finned jellyfish", 3, 250, 0, FINNED_FISH, 4),
    Technique("sashimi jellyfish", 3, 260, 0, SASHIMI_FISH, 4),
    Technique("simple colours", 2, 150, 0, COLOURS),
    Technique("X-chain", 3, 260, 66, CHAIN, X_CHAIN),
    Technique("XY-chain", 3, 260, 70, CHAIN, XY_CHAIN),
    Technique("alternating inference chain", 3, 280, 70, CHAIN, AIC),
    Technique("grouped chain", 3, 300, 0, CHAIN, GROUPED),
    Technique("forcing chain", 4, 500, 0, VERITY, GROUPED),
    Technique("forcing net", 4, 700, 85, FORCING_NET),
    Technique("hidden single in a box", 0, 0, 12, HIDDEN_SINGLE, IN_BOXES),
    Technique("hidden single in a line", 0, 0, 15, HIDDEN_SINGLE, IN_LINES),
    Technique("direct pointing", 0, 0, 17, DIRECT_LOCKED, POINTING),
    Technique("direct claiming", 0, 0, 19, DIRECT_LOCKED, CLAIMING),
    Technique("direct hidden pair", 0, 0, 20, DIRECT_HIDDEN, 2),
    Technique("direct hidden triple", 0, 0, 25, DIRECT_HIDDEN, 3),
    Technique("multiple forcing chain", 0, 0, 80, VERITY, AIC),
)
BY_SCORE = tuple(each for each in TECHNIQUES if each.score)
BY_RATING = tuple(sorted((each for each in TECHNIQUES if each.se), key=lambda each: each.se))

STEPS, SCORE, HARDEST, RATING, ENDED, UNIQUE, COUNT, ROWS = range(8)
LEVEL, POINTS, SE, KIND, NUMBER, ROW = range(6)
"""In `r`, the walk: the number of steps so far, the sum of their scores, the place of the hardest
technique, the highest rating in tenths; how it ended; whether the puzzle is proved to have one
solution; the number of techniques to try, and a row for each: level, score, rating, kind, number.
"""


def rows_of(order: Sequence[Technique]) -> list[int]:
    """What a walk holds of techniques."""
    return [
        number
        for each in order
        for number in (each.level, each.score, each.se, each.kind, each.number)
    ]


MORE, FILLED, STUCK, WRONG = range(4)
"""How a walk ended: it has taken as many steps as were asked for; all cells are filled; no
technique goes on; a step did not follow from what it cites."""


@compiled()
def _find(kind, number, s, t, o, g, u):
    """Look for a step of one kind; `o` is the step if it returns more than 0."""
    if kind == FULL_HOUSE:
        return full_house(s, t, o)
    if kind == NAKED_SINGLE:
        return naked_single(s, t, o)
    if kind == HIDDEN_SINGLE:
        return hidden_single(s, t, o, number)
    if kind in (LOCKED, DIRECT_LOCKED):
        return locked(s, t, o, u, number, kind == DIRECT_LOCKED)
    if kind == NAKED:
        return subset(s, t, o, u, number, NAKED_SET)
    if kind == LOCKED_SUBSET:
        return subset(s, t, o, u, number, LOCKED_SET)
    if kind == HIDDEN:
        return subset(s, t, o, u, number, HIDDEN_SET)
    if kind == DIRECT_HIDDEN:
        return subset(s, t, o, u, number, DIRECT_SET)
    if kind == FISH:
        return fish(s, t, o, number, BASIC)
    if kind == FINNED_FISH:
        return fish(s, t, o, number, FINNED)
    if kind == SASHIMI_FISH:
        return fish(s, t, o, number, SASHIMI)
    if kind == BUG:
        return bug(s, t, o)
    if kind == TWO_LINKS:
        return two_links(s, t, o, number)
    if kind == EMPTY_RECTANGLE:
        return empty_rectangle(s, t, o)
    if kind == W_WING:
        return w_wing(s, t, o)
    if kind == XY_WING:
        return xy_wing(s, t, o, number)
    if kind == UNIQUE_RECTANGLE:
        return unique_rectangle(s, t, o, number)
    if kind == COLOURS:
        return colours(s, t, o, g)
    if kind == CHAIN:
        return chain(s, t, o, g, number)
    if kind == VERITY:
        return verity(s, t, o, g, number)
    return forcing_net(s, t, o, g, u)


@compiled()
def _length_rating(nodes):
    """What Sudoku Explainer adds to the rating of a chain of so many nodes, in tenths."""
    added, most = 0, 4
    while nodes > most:
        added += 1
        most = most * 3 // 2 if added % 2 else most * 4 // 3
    return added


@compiled()
def walk(r, s, t, o, g, u, v, most):
    """Take so many steps at most, each checked by what it cites; `o` is the last one.

    A puzzle begins with STEPS below 0, and its candidates in the CELLS of `s`.

    u, v: scratch, of STATE and of certify.steps.SCRATCH numbers. Returns how it ended.
    """
    if r[STEPS] < 0:
        set_up(s, t)
        r[STEPS] = g[IS_KNOWN] = g[FROM] = 0
    for _ in range(most):
        if s[OPEN] == 0:
            return FILLED
        row = ROWS
        end = ROWS + ROW * r[COUNT]
        while row < end and not _find(r[row + KIND], r[row + NUMBER], s, t, o, g, u):
            row += ROW
        if row == end:
            return STUCK
        o[TECHNIQUE] = (row - ROWS) // ROW
        if not follows(s, o, v, r[UNIQUE]):
            return WRONG
        r[STEPS] += 1
        r[SCORE] += r[row + POINTS]
        if r[HARDEST] < 0 or _is_harder(r, row, ROWS + ROW * r[HARDEST]):
            r[HARDEST] = o[TECHNIQUE]
        r[RATING] = max(r[RATING], r[row + SE] + _length_rating(o[NODE_COUNT]))
        apply(s, t, o)
        g[IS_KNOWN] = 0
    return MORE if s[OPEN] else FILLED


@compiled(inline=True)
def _is_harder(r, one, other):
    """Whether the technique of a row has a higher level than another's, or else a higher score."""
    if r[one + LEVEL] != r[other + LEVEL]:
        return r[one + LEVEL] > r[other + LEVEL]
    return r[one + POINTS] > r[other + POINTS]
