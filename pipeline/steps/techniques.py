"""All techniques, from the simplest, and the walk through a puzzle that tries them in this order.

A technique is a function of the candidates and a row in TECHNIQUES. A new function also needs a
kind and its line in `_find`. Names, order, levels and scores come from HoDoKu 2.2 (B. Hobiger,
2008), ratings from Sudoku Explainer 1.2 (N. Juillerat, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.certify.steps import follows
from pipeline.native import compiled
from pipeline.solving import LEVELS
from pipeline.steps import chains, nets, patterns
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import apply_step, reset_step, set_up

MAX_SCORES = (800, 1000, 1600, 1800)
"""Maximum score of each level except the last; a puzzle with more is of a higher level."""

CHAIN_LENGTHS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Numbers of nodes; Sudoku Explainer rates a chain one tenth higher for each that it exceeds."""

(
    SINGLE, LOCKED_CANDIDATES, SUBSET, FISH, UNIQUE_RECTANGLE, BUG, EMPTY_RECTANGLE, CHAIN,
    COLOURS, XYZ_WING, VERITY, FORCING_NET,
) = range(12)  # fmt: skip
"""Kinds of techniques: one for each function, or for each way to call it."""


class Technique(NamedTuple):
    """A technique, with its level (an index in LEVELS), score, and rating in tenths.

    `kind`, `form` and `size` select how it is found, such as naked subsets of two cells. The score
    is 0 if HoDoKu lacks the technique, the rating is 0 if Sudoku Explainer does.
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
    Technique("pointing", 1, 50, 26, LOCKED_CANDIDATES, patterns.POINTING),
    Technique("claiming", 1, 50, 28, LOCKED_CANDIDATES, patterns.CLAIMING),
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
    Technique("direct pointing", 0, 0, 17, LOCKED_CANDIDATES, patterns.DIRECT_POINTING),
    Technique("direct claiming", 0, 0, 19, LOCKED_CANDIDATES, patterns.DIRECT_CLAIMING),
    Technique("direct hidden pair", 0, 0, 20, SUBSET, patterns.DIRECT, 2),
    Technique("direct hidden triple", 0, 0, 25, SUBSET, patterns.DIRECT, 3),
    Technique("multiple forcing chain", 0, 0, 80, VERITY, chains.AIC),
)
BY_SCORE = tuple(technique for technique in TECHNIQUES if technique.score)
BY_RATING = tuple(sorted((t for t in TECHNIQUES if t.se), key=lambda technique: technique.se))


def new_walk(order: Sequence[Technique], *, unique: bool = False) -> list[int]:
    """The array `walk` for a puzzle that is solved by these techniques."""
    rows = [
        (1000 * technique.level + technique.score, technique.score, technique.se, *technique[-3:])
        for technique in order
    ]
    return [-1, int(unique), len(order), 0, 0, 0, *chain.from_iterable(rows)]


MORE, FILLED, STUCK, WRONG = range(4)
"""How a walk ended: MORE steps are possible, all cells are FILLED, no technique applies (STUCK), or
a step was unsound (WRONG).
"""


@compiled()
def _find(kind, form, size, state, tables, step, graph, scratch):
    """Find a step of one kind and write it to `step`; returns 0 if it finds none."""
    reset_step(step)
    if kind == SINGLE:
        return patterns.single(state, tables, step, form)
    if kind == LOCKED_CANDIDATES:
        return patterns.locked(state, tables, step, scratch, form)
    if kind in (SUBSET, FISH):
        return patterns.subset(state, tables, step, scratch, size, form)
    if kind == UNIQUE_RECTANGLE:
        return patterns.unique_rectangle(state, tables, step, form)
    if kind == BUG:
        return patterns.bug(state, tables, step)
    if kind in (EMPTY_RECTANGLE, CHAIN):
        return chains.chain(state, tables, step, graph, form)
    if kind == COLOURS:
        return chains.colours(state, tables, step, graph)
    if kind in (XYZ_WING, VERITY):
        return chains.verity(state, tables, step, graph, form)
    return nets.forcing_net(state, tables, step, graph, scratch)


# Soundness does not depend on the techniques: `certify.steps.follows` checks each step. After each
# step the search starts again with the simplest technique, so a harder one is used only if nothing
# simpler is left.
@compiled()
def take_steps(walk, state, tables, step, graph, scratch, stack, max_steps):
    """Take at most `max_steps` steps; returns how the walk ended. `step` is the last one.

    A puzzle starts with -1 STEPS_TAKEN and its candidates in CELLS. `scratch` (STATE_SIZE) and
    `stack` (STACK_SIZE) are scratch.
    """
    if walk[L.STEPS_TAKEN] < 0:
        set_up(state, tables)
        walk[L.STEPS_TAKEN] = graph[L.IS_KNOWN] = graph[L.NET_START] = 0
    end = L.TECHNIQUE_ROWS + L.TECHNIQUE_ROW * walk[L.TECHNIQUE_COUNT]
    for _ in range(max_steps):
        if state[L.OPEN] == 0:
            return FILLED
        row = L.TECHNIQUE_ROWS
        while row < end:
            kind, form, size = walk[row + L.KIND], walk[row + L.FORM], walk[row + L.SIZE]
            if _find(kind, form, size, state, tables, step, graph, scratch):
                break
            row += L.TECHNIQUE_ROW
        if row == end:
            return STUCK
        step[L.TECHNIQUE] = (row - L.TECHNIQUE_ROWS) // L.TECHNIQUE_ROW
        if not follows(state, step, stack, walk[L.IS_UNIQUE]):
            return WRONG
        walk[L.STEPS_TAKEN] += 1
        walk[L.SCORE] += walk[row + L.POINTS]
        nodes = step[L.CHAIN_NODES] - 2 if walk[row + L.KIND] == VERITY else step[L.CHAIN_NODES]
        rating = walk[row + L.SE]
        for length in CHAIN_LENGTHS:
            rating += nodes > length
        walk[L.HIGHEST_RATING] = max(walk[L.HIGHEST_RATING], rating)
        hardest = L.TECHNIQUE_ROWS + L.TECHNIQUE_ROW * walk[L.HARDEST]
        if walk[row + L.HARDNESS] > walk[hardest + L.HARDNESS]:
            walk[L.HARDEST] = step[L.TECHNIQUE]
        apply_step(state, tables, step)
        graph[L.IS_KNOWN] = 0
    return MORE if state[L.OPEN] else FILLED
