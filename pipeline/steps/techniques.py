"""All techniques, from the simplest, and the walk through a puzzle that takes them in turn.

A technique is a function of the candidates and a row in TECHNIQUES; a new function also has a kind,
and its line in `_find`. Names, order, levels and scores are those of HoDoKu 2.2 (B. Hobiger, 2008),
ratings those of Sudoku Explainer 1.2 (N. Juillerat, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.certify.steps import NODES, TECHNIQUE, follows
from pipeline.native import compiled
from pipeline.solving import LEVELS
from pipeline.steps import chains, patterns
from pipeline.steps.board import OPEN, apply, begin, set_up

MOST_SCORES = (800, 1000, 1600, 1800)
"""The highest sum of scores of each level but the last: with more, a puzzle is of the next one."""

LENGTHS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""A chain with more nodes than each of these is rated one tenth higher by Sudoku Explainer."""

(
    SINGLE, LOCKED, SUBSET, FISH, UNIQUE_RECTANGLE, BUG, EMPTY_RECTANGLE, CHAIN, COLOURS, XYZ_WING,
    VERITY, FORCING_NET,
) = range(12)  # fmt: skip
"""Kinds of techniques: one for each function, or each way to call it."""


class Technique(NamedTuple):
    """A technique: its name, its level as an index in LEVELS, its score, and its rating in tenths.

    kind, form, size: how it is found, such as naked subsets of two cells. A score or a rating of 0:
    HoDoKu, or Sudoku Explainer, does not have it.
    """

    name: str
    level: int
    score: int
    se: int
    kind: int
    form: int = 0
    size: int = 0

    @property
    def level_name(self) -> str:
        return LEVELS[self.level]

    @property
    def needs_unique(self) -> bool:
        return self.kind in (BUG, UNIQUE_RECTANGLE)


TECHNIQUES = (
    Technique("full house", 0, 4, 10, SINGLE, patterns.FULL_HOUSE),
    Technique("naked single", 0, 4, 23, SINGLE, patterns.NAKED_SINGLE),
    Technique("hidden single", 0, 14, 0, SINGLE, patterns.EVERYWHERE),
    Technique("locked pair", 1, 40, 0, SUBSET, patterns.LOCKED, 2),
    Technique("locked triple", 1, 60, 0, SUBSET, patterns.LOCKED, 3),
    Technique("pointing", 1, 50, 26, LOCKED, patterns.POINTING),
    Technique("claiming", 1, 50, 28, LOCKED, patterns.CLAIMING),
    Technique("naked pair", 1, 60, 30, SUBSET, patterns.NAKED, 2),
    Technique("naked triple", 1, 80, 36, SUBSET, patterns.NAKED, 3),
    Technique("hidden pair", 1, 70, 34, SUBSET, patterns.HIDDEN, 2),
    Technique("hidden triple", 1, 100, 40, SUBSET, patterns.HIDDEN, 3),
    Technique("naked quadruple", 2, 120, 50, SUBSET, patterns.NAKED, 4),
    Technique("hidden quadruple", 2, 150, 54, SUBSET, patterns.HIDDEN, 4),
    Technique("X-wing", 2, 140, 32, FISH, patterns.BASIC, 2),
    Technique("swordfish", 2, 150, 38, FISH, patterns.BASIC, 3),
    Technique("jellyfish", 2, 160, 52, FISH, patterns.BASIC, 4),
    Technique("BUG+1", 2, 100, 56, BUG),
    Technique("skyscraper", 2, 130, 0, CHAIN, chains.SKYSCRAPER),
    Technique("2-string kite", 2, 150, 0, CHAIN, chains.KITE),
    Technique("turbot fish", 2, 120, 66, CHAIN, chains.TURBOT),
    Technique("empty rectangle", 2, 120, 0, EMPTY_RECTANGLE, chains.EMPTY_RECTANGLE),
    Technique("W-wing", 2, 150, 0, CHAIN, chains.W_WING),
    Technique("XY-wing", 2, 160, 42, CHAIN, chains.XY_WING),
    Technique("XYZ-wing", 2, 180, 44, XYZ_WING, chains.XYZ_WING),
    Technique("unique rectangle 1", 2, 100, 45, UNIQUE_RECTANGLE, 1),
    Technique("unique rectangle 2", 2, 100, 45, UNIQUE_RECTANGLE, 2),
    Technique("unique rectangle 3", 2, 100, 46, UNIQUE_RECTANGLE, 3),
    Technique("unique rectangle 4", 2, 100, 45, UNIQUE_RECTANGLE, 4),
    Technique("unique rectangle 5", 2, 100, 45, UNIQUE_RECTANGLE, 5),
    Technique("finned X-wing", 2, 130, 0, FISH, patterns.FINNED, 2),
    Technique("sashimi X-wing", 2, 150, 0, FISH, patterns.SASHIMI, 2),
    Technique("finned swordfish", 3, 200, 0, FISH, patterns.FINNED, 3),
    Technique("sashimi swordfish", 3, 240, 0, FISH, patterns.SASHIMI, 3),
    Technique("finned jellyfish", 3, 250, 0, FISH, patterns.FINNED, 4),
    Technique("sashimi jellyfish", 3, 260, 0, FISH, patterns.SASHIMI, 4),
    Technique("simple colours", 2, 150, 0, COLOURS),
    Technique("X-chain", 3, 260, 66, CHAIN, chains.X_CHAIN),
    Technique("XY-chain", 3, 260, 70, CHAIN, chains.XY_CHAIN),
    Technique("alternating inference chain", 3, 280, 70, CHAIN, chains.AIC),
    Technique("grouped chain", 3, 300, 0, CHAIN, chains.GROUPED),
    Technique("forcing chain", 4, 500, 0, VERITY, chains.GROUPED),
    Technique("forcing net", 4, 700, 85, FORCING_NET),
    Technique("hidden single in a box", 0, 0, 12, SINGLE, patterns.IN_BOXES),
    Technique("hidden single in a line", 0, 0, 15, SINGLE, patterns.IN_LINES),
    Technique("direct pointing", 0, 0, 17, LOCKED, patterns.DIRECT_POINTING),
    Technique("direct claiming", 0, 0, 19, LOCKED, patterns.DIRECT_CLAIMING),
    Technique("direct hidden pair", 0, 0, 20, SUBSET, patterns.DIRECT, 2),
    Technique("direct hidden triple", 0, 0, 25, SUBSET, patterns.DIRECT, 3),
    Technique("multiple forcing chain", 0, 0, 80, VERITY, chains.AIC),
)
BY_SCORE = tuple(each for each in TECHNIQUES if each.score)
BY_RATING = tuple(sorted((each for each in TECHNIQUES if each.se), key=lambda each: each.se))

STEPS, UNIQUE, COUNT, SCORE, RATING, HARDEST, ROWS = range(7)
HARDNESS, POINTS, SE, KIND, FORM, SIZE, ROW = range(7)
"""In `r`, the walk: the number of steps so far; whether the puzzle is proved to have one solution;
the number of techniques to try; the sum of the scores of all steps, the highest rating in tenths,
the place of the hardest technique; and a row for each technique: which is harder, the one of a
higher level or else score; its score, rating, kind, form and size."""


def walk_of(order: Sequence[Technique], *, unique: bool = False) -> list[int]:
    """What a walk by these techniques begins with."""
    rows = [(1000 * each.level + each.score, each.score, each.se, *each[-3:]) for each in order]
    return [-1, int(unique), len(order), 0, 0, 0, *chain.from_iterable(rows)]


MORE, FILLED, STUCK, WRONG = range(4)
"""How a walk ended: it has taken as many steps as were asked for; all cells are filled; no
technique goes on; a step did not follow from what it cites."""


@compiled()
def _find(kind, form, size, s, t, o, g, u):
    """Look for a step of one kind; `o` is the step if it returns more than 0."""
    begin(o)
    if kind == SINGLE:
        return patterns.single(s, t, o, form)
    if kind == LOCKED:
        return patterns.locked(s, t, o, u, form)
    if kind in (SUBSET, FISH):
        return patterns.subset(s, t, o, u, size, form)
    if kind == UNIQUE_RECTANGLE:
        return patterns.unique_rectangle(s, t, o, form)
    if kind == BUG:
        return patterns.bug(s, t, o)
    if kind in (EMPTY_RECTANGLE, CHAIN):
        return chains.chain(s, t, o, g, form)
    if kind == COLOURS:
        return chains.colours(s, t, o, g)
    if kind in (XYZ_WING, VERITY):
        return chains.verity(s, t, o, g, form)
    return chains.forcing_net(s, t, o, g, u)


@compiled()
def walk(r, s, t, o, g, u, v, most):
    """Take so many steps at most, each checked by what it cites; `o` is the last one.

    A puzzle begins with STEPS below 0, and its candidates in the CELLS of `s`.

    u, v: scratch, of STATE and of certify.steps.SCRATCH numbers. Returns how it ended.
    """
    if r[STEPS] < 0:
        set_up(s, t)
        r[STEPS] = g[chains.IS_KNOWN] = g[chains.FROM] = 0
    for _ in range(most):
        if s[OPEN] == 0:
            return FILLED
        row, end = ROWS, ROWS + ROW * r[COUNT]
        while row < end and not _find(r[row + KIND], r[row + FORM], r[row + SIZE], s, t, o, g, u):
            row += ROW
        if row == end:
            return STUCK
        o[TECHNIQUE] = (row - ROWS) // ROW
        if not follows(s, o, v, r[UNIQUE]):
            return WRONG
        r[STEPS] += 1
        r[SCORE] += r[row + POINTS]
        nodes = o[NODES] - 2 if r[row + KIND] == VERITY else o[NODES]
        rating = r[row + SE]
        for most_nodes in LENGTHS:
            rating += nodes > most_nodes
        r[RATING] = max(r[RATING], rating)
        if r[row + HARDNESS] > r[ROWS + ROW * r[HARDEST] + HARDNESS]:
            r[HARDEST] = o[TECHNIQUE]
        apply(s, t, o)
        g[chains.IS_KNOWN] = 0
    return MORE if s[OPEN] else FILLED
