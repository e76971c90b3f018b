"""All techniques, simplest first, and the walk through a puzzle that tries them in this order.

A technique is a function and a row. The row is in TECHNIQUES or in BY_RATING, and its kind selects
the function: `hodoku.find` and `explainer.find` have a line for each kind. Names, order, levels and
scores come from HoDoKu 2.2 (B. Hobiger, 2008), ratings from Sudoku Explainer 1.2 (N. Juillerat,
2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.certify.steps import follows
from pipeline.native import compiled
from pipeline.settings import Level
from pipeline.solving import LEVELS
from pipeline.steps import explainer, hodoku
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer import patterns as explainer_patterns
from pipeline.steps.hodoku import (
    almost_locked_sets,
    chains,
    colours,
    loops,
    patterns,
    rectangles,
    singles,
    wings,
)
from pipeline.steps.hodoku.singles import apply_queued, set_up_queues
from pipeline.steps.step_arrays import apply_step, reset_step, set_up

MAX_SCORES = (800, 1000, 1600, 1800)
"""Maximum score of a puzzle at each level except the last, which has no maximum."""

VARIANT = 200
"""The kind of the techniques in `variants`; `hodoku` and `explainer` define the other kinds."""


class Technique(NamedTuple):
    """A technique of human solvers.

    - `level`: an index in LEVELS.
    - `score`: the score of HoDoKu, 0 for a technique of Sudoku Explainer.
    - `se`: the lowest rating of Sudoku Explainer in tenths, 0 for a technique of HoDoKu.
    - `kind`, `form`, `size`: the arguments of `find`; a subset of size 2 is a pair.
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
        return self.kind in (
            hodoku.BUG_PLUS_ONE,
            hodoku.UNIQUE_RECTANGLE,
            explainer.BUG,
            explainer.UNIQUE_LOOP,
        )


def level_of(hardest: int, score: int, *, is_solved: bool) -> Level:
    """The level of a puzzle, as in HoDoKu.

    `hardest`: the highest level of its steps, an index in LEVELS. `score`: the sum of their scores.
    """
    level = hardest
    while level < len(MAX_SCORES) and (score > MAX_SCORES[level] or not is_solved):
        level += 1
    return LEVELS[level]


def _scored(
    name: str, level: int, score: int, kind: int, form: int = 0, size: int = 0
) -> Technique:
    """A technique of HoDoKu."""
    return Technique(name, level, score, 0, kind, form, size)


def _rated(name: str, level: int, se: int, kind: int, form: int = 0, size: int = 0) -> Technique:
    """A technique of Sudoku Explainer."""
    return Technique(name, level, 0, se, kind, form, size)


TECHNIQUES = (
    _scored("full house", 0, 4, hodoku.SINGLE, singles.FULL_HOUSE),
    _scored("naked single", 0, 4, hodoku.SINGLE, singles.NAKED_SINGLE),
    _scored("hidden single", 0, 14, hodoku.SINGLE, singles.HIDDEN_SINGLE),
    _scored("locked pair", 1, 40, hodoku.SUBSET, patterns.LOCKED, 2),
    _scored("locked triple", 1, 60, hodoku.SUBSET, patterns.LOCKED, 3),
    _scored("pointing", 1, 50, hodoku.LOCKED_CANDIDATES, patterns.POINTING),
    _scored("claiming", 1, 50, hodoku.LOCKED_CANDIDATES, patterns.CLAIMING),
    _scored("naked pair", 1, 60, hodoku.SUBSET, patterns.NAKED, 2),
    _scored("naked triple", 1, 80, hodoku.SUBSET, patterns.NAKED, 3),
    _scored("hidden pair", 1, 70, hodoku.SUBSET, patterns.HIDDEN, 2),
    _scored("hidden triple", 1, 100, hodoku.SUBSET, patterns.HIDDEN, 3),
    _scored("naked quadruple", 2, 120, hodoku.SUBSET, patterns.NAKED, 4),
    _scored("hidden quadruple", 2, 150, hodoku.SUBSET, patterns.HIDDEN, 4),
    _scored("X-wing", 2, 140, hodoku.FISH, patterns.BASIC, 2),
    _scored("swordfish", 2, 150, hodoku.FISH, patterns.BASIC, 3),
    _scored("jellyfish", 2, 160, hodoku.FISH, patterns.BASIC, 4),
    _scored("remote pair", 2, 110, hodoku.REMOTE_PAIR),
    _scored("BUG+1", 2, 100, hodoku.BUG_PLUS_ONE),
    _scored("skyscraper", 2, 130, hodoku.SHORT_CHAIN, wings.SKYSCRAPER),
    _scored("2-string kite", 2, 150, hodoku.SHORT_CHAIN, wings.KITE),
    _scored("turbot fish", 2, 120, hodoku.SIMPLE_CHAIN, chains.TURBOT),
    _scored("empty rectangle", 2, 120, hodoku.SHORT_CHAIN, wings.EMPTY_RECTANGLE),
    _scored("W-wing", 2, 150, hodoku.SHORT_CHAIN, wings.W_WING),
    _scored("XY-wing", 2, 160, hodoku.SHORT_CHAIN, wings.XY_WING),
    _scored("XYZ-wing", 2, 180, hodoku.SHORT_CHAIN, wings.XYZ_WING),
    _scored("unique rectangle 1", 2, 100, hodoku.UNIQUE_RECTANGLE, 1),
    _scored("unique rectangle 2", 2, 100, hodoku.UNIQUE_RECTANGLE, 2),
    _scored("unique rectangle 3", 2, 100, hodoku.UNIQUE_RECTANGLE, 3),
    _scored("unique rectangle 4", 2, 100, hodoku.UNIQUE_RECTANGLE, 4),
    _scored("unique rectangle 5", 2, 100, hodoku.UNIQUE_RECTANGLE, 5),
    _scored("unique rectangle 6", 2, 100, hodoku.UNIQUE_RECTANGLE, 6),
    _scored("hidden rectangle", 2, 100, hodoku.UNIQUE_RECTANGLE, rectangles.HIDDEN_RECTANGLE),
    _scored("avoidable rectangle 1", 2, 100, hodoku.UNIQUE_RECTANGLE, rectangles.AVOIDABLE_1),
    _scored("avoidable rectangle 2", 2, 100, hodoku.UNIQUE_RECTANGLE, rectangles.AVOIDABLE_2),
    _scored("finned X-wing", 2, 130, hodoku.FISH, patterns.FINNED, 2),
    _scored("sashimi X-wing", 2, 150, hodoku.FISH, patterns.SASHIMI, 2),
    _scored("finned swordfish", 3, 200, hodoku.FISH, patterns.FINNED, 3),
    _scored("sashimi swordfish", 3, 240, hodoku.FISH, patterns.SASHIMI, 3),
    _scored("finned jellyfish", 3, 250, hodoku.FISH, patterns.FINNED, 4),
    _scored("sashimi jellyfish", 3, 260, hodoku.FISH, patterns.SASHIMI, 4),
    _scored("Sue de Coq", 3, 250, hodoku.SUE_DE_COQ),
    _scored("simple colours", 2, 150, hodoku.COLOURING, colours.SIMPLE),
    _scored("multi-colours", 2, 200, hodoku.COLOURING, colours.MULTI),
    _scored("X-chain", 3, 260, hodoku.SIMPLE_CHAIN, chains.X_CHAIN),
    _scored("XY-chain", 3, 260, hodoku.SIMPLE_CHAIN, chains.XY_CHAIN),
    _scored("alternating inference chain", 3, 280, hodoku.INFERENCE_CHAIN, loops.CANDIDATES_ONLY),
    _scored("grouped chain", 3, 300, hodoku.INFERENCE_CHAIN, loops.WITH_GROUPS),
    _scored("grouped chain with ALS", 3, 300, hodoku.INFERENCE_CHAIN, loops.WITH_SETS),
    _scored("ALS-XZ", 3, 300, hodoku.ALMOST_LOCKED_SETS, almost_locked_sets.ALS_XZ),
    _scored("ALS-XY-wing", 3, 320, hodoku.ALMOST_LOCKED_SETS, almost_locked_sets.ALS_XY_WING),
    _scored("ALS chain", 3, 340, hodoku.ALMOST_LOCKED_SETS, almost_locked_sets.ALS_CHAIN),
    _scored("death blossom", 3, 360, hodoku.ALMOST_LOCKED_SETS, almost_locked_sets.DEATH_BLOSSOM),
    _scored("forcing chain", 4, 500, hodoku.FORCING_CHAIN),
    _scored("forcing net", 4, 700, hodoku.FORCING_NET),
)
OPTIONAL = ("grouped chain with ALS", "death blossom")
"""Techniques that are off by default in HoDoKu."""

BY_SCORE = tuple(technique for technique in TECHNIQUES if technique.name not in OPTIONAL)
"""The techniques of HoDoKu in its order."""

BRUTE_FORCE_ROW = _scored("brute force", 4, 10_000, hodoku.BRUTE_FORCE)
"""The row for a cell that HoDoKu fills by search, because no technique applies."""

SCORED = (*BY_SCORE, BRUTE_FORCE_ROW)
"""The rows for HoDoKu's score: the techniques of BY_SCORE, and brute force."""

BY_RATING = (
    _rated("full house", 0, 10, explainer.SINGLE_IN_UNIT, explainer_patterns.LAST_CELL),
    _rated("hidden single in a box", 0, 12, explainer.SINGLE_IN_UNIT, explainer_patterns.IN_BOX),
    _rated("hidden single in a line", 0, 15, explainer.SINGLE_IN_UNIT, explainer_patterns.IN_LINE),
    _rated("direct pointing", 0, 17, explainer.INTERSECTION, 0, 1),
    _rated("direct hidden pair", 1, 20, explainer.HIDDEN_SET, 1, 2),
    _rated("naked single", 0, 23, explainer.SINGLE_IN_CELL),
    _rated("direct hidden triple", 1, 25, explainer.HIDDEN_SET, 1, 3),
    _rated("pointing", 1, 26, explainer.INTERSECTION, 0),
    _rated("claiming", 1, 28, explainer.INTERSECTION, 1),
    _rated("naked pair", 1, 30, explainer.NAKED_SET, 0, 2),
    _rated("X-wing", 2, 32, explainer.BASIC_FISH, 0, 2),
    _rated("hidden pair", 1, 34, explainer.HIDDEN_SET, 0, 2),
    _rated("naked triple", 1, 36, explainer.NAKED_SET, 0, 3),
    _rated("swordfish", 2, 38, explainer.BASIC_FISH, 0, 3),
    _rated("hidden triple", 1, 40, explainer.HIDDEN_SET, 0, 3),
    _rated("XY-wing", 2, 42, explainer.WING, 0, 2),
    _rated("XYZ-wing", 2, 44, explainer.WING, 0, 3),
    _rated("unique loop", 2, 45, explainer.UNIQUE_LOOP),
    _rated("naked quadruple", 2, 50, explainer.NAKED_SET, 0, 4),
    _rated("jellyfish", 2, 52, explainer.BASIC_FISH, 0, 4),
    _rated("hidden quadruple", 2, 54, explainer.HIDDEN_SET, 0, 4),
    _rated("bivalue universal grave", 2, 56, explainer.BUG),
    _rated("aligned pair exclusion", 3, 62, explainer.ALIGNED, 0, 2),
    _rated("cycle or forcing chain", 3, 65, explainer.CYCLE_OR_CHAIN),
    _rated("aligned triplet exclusion", 3, 75, explainer.ALIGNED, 0, 3),
    _rated("Nishio forcing chain", 4, 75, explainer.NISHIO),
    _rated("multiple forcing chain", 4, 80, explainer.MULTIPLE),
    _rated("dynamic forcing chain", 4, 85, explainer.DYNAMIC_OR_NESTED),
    _rated("dynamic forcing chain plus", 4, 90, explainer.DYNAMIC_OR_NESTED, 1),
    _rated("nested forcing chain", 4, 95, explainer.DYNAMIC_OR_NESTED, 2),
    _rated("nested multiple forcing chain", 4, 100, explainer.DYNAMIC_OR_NESTED, 3),
    _rated("nested dynamic forcing chain", 4, 105, explainer.DYNAMIC_OR_NESTED, 4),
)
"""The techniques of Sudoku Explainer in its order.

`se` is the lowest rating of a technique: for loops and chains, `explainer.find` returns the rating
of each step. Sudoku Explainer has no levels, so the rows have HoDoKu's levels of the same or a
similar technique.
"""


def new_walk(order: Sequence[Technique], *, unique: bool = False) -> list[int]:
    """The array `walk` at the start of a puzzle, for the techniques of `order`."""
    rows = [
        (
            1000 * technique.level + (technique.score or technique.se),
            technique.score,
            technique.se,
            *technique[-3:],
        )
        for technique in order
    ]
    walk = [0] * L.TECHNIQUE_ROWS
    walk[L.STEPS_TAKEN], walk[L.IS_UNIQUE] = -1, int(unique)
    walk[L.TECHNIQUE_COUNT] = len(order)
    walk[L.HAS_QUEUES] = int(any(technique.kind == hodoku.SINGLE for technique in order))
    return [*walk, *chain.from_iterable(rows)]


MORE, FILLED, STUCK, UNSOUND, PAUSED = range(5)
"""Outcomes of `take_steps`.

- MORE: it took `max_steps` steps, and cells are open.
- FILLED: all cells are filled.
- STUCK: no technique applies.
- UNSOUND: a step does not follow from its citations.
- PAUSED: the search for a step goes on at the next call.
"""


# A fault in a technique cannot make a step unsound: `certify.steps.follows` checks each step. After
# each step the search restarts with the first technique, so each step is of the simplest technique
# that applies.
@compiled()
def take_steps(walk, state, tables, step, graph, scratch, stack, workspace, grid, nest, max_steps):
    """Take at most `max_steps` steps. Returns MORE, FILLED, STUCK, UNSOUND or PAUSED.

    To start a puzzle, write -1 to STEPS_TAKEN and its candidates to CELLS. `step` then contains the
    last step. `scratch` (STATE_SIZE numbers), `stack` (STACK_SIZE) and `grid` (CONSTRAINTS) are
    scratch. After PAUSED, the next call continues the search.
    """
    if walk[L.STEPS_TAKEN] < 0:
        if walk[L.HAS_QUEUES]:
            set_up_queues(state, tables, graph)
        else:
            set_up(state, tables)
        walk[L.STEPS_TAKEN] = graph[L.IS_KNOWN] = graph[L.HAS_CLOSURE] = 0
        walk[L.RESUME_ROW] = nest[N.PAUSED_LEVEL] = 0
        nest[N.READY_LEVEL] = L.NOTHING
    end = L.TECHNIQUE_ROWS + L.TECHNIQUE_ROW_SIZE * walk[L.TECHNIQUE_COUNT]
    for _ in range(max_steps):
        if state[L.OPEN] == 0:
            return FILLED
        row, rating = max(L.TECHNIQUE_ROWS, walk[L.RESUME_ROW]), 0
        walk[L.RESUME_ROW] = 0
        while row < end:
            kind, form, size = walk[row + L.KIND], walk[row + L.FORM], walk[row + L.SIZE]
            reset_step(step)
            if kind < explainer.FIRST_KIND:
                rating = hodoku.find(kind, form, size, state, tables, step, graph, scratch, stack)
            else:
                rating = explainer.find(
                    kind, form, size, state, tables, step, graph, scratch, workspace, grid, nest
                )
            if rating:
                break
            row += L.TECHNIQUE_ROW_SIZE
        if row == end:
            return STUCK
        if rating == explainer.nested.SEARCH_PAUSED:
            walk[L.RESUME_ROW] = row
            return PAUSED
        step[L.TECHNIQUE] = (row - L.TECHNIQUE_ROWS) // L.TECHNIQUE_ROW_SIZE
        if not follows(state, step, stack, walk[L.IS_UNIQUE]):
            return UNSOUND
        walk[L.STEPS_TAKEN] += 1
        walk[L.SCORE] += walk[row + L.POINTS]
        if rating == 1:
            rating = walk[row + L.SE]
        walk[L.HIGHEST_RATING] = max(walk[L.HIGHEST_RATING], rating)
        if walk[L.FIRST_RATING] == 0:
            walk[L.FIRST_RATING] = rating
        if walk[L.PLACING_RATING] == 0 and step[L.PLACED]:
            walk[L.PLACING_RATING] = walk[L.HIGHEST_RATING]
        hardest = L.TECHNIQUE_ROWS + L.TECHNIQUE_ROW_SIZE * walk[L.HARDEST]
        if walk[row + L.HARDNESS] > walk[hardest + L.HARDNESS]:
            walk[L.HARDEST] = step[L.TECHNIQUE]
        if walk[L.HAS_QUEUES]:
            apply_queued(state, tables, graph, step)
        else:
            apply_step(state, tables, step)
        graph[L.IS_KNOWN] = graph[L.HAS_CLOSURE] = 0
        nest[N.READY_LEVEL] = L.NOTHING
    return MORE if state[L.OPEN] else FILLED
