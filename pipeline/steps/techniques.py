"""All techniques, simplest first, and the walk through a puzzle that tries them in this order.

A technique is a row in TECHNIQUES; its kind selects the function that finds it. A new function
needs a new kind and a line in `_find`. Names, order, levels and scores come from HoDoKu 2.2 (B.
Hobiger, 2008), ratings from Sudoku Explainer 1.2 (N. Juillerat, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.certify.steps import follows
from pipeline.native import compiled
from pipeline.solving import LEVELS
from pipeline.steps import layout as L
from pipeline.steps.explainer import aligned as explainer_aligned
from pipeline.steps.explainer import bug as explainer_bug
from pipeline.steps.explainer import cycles as explainer_cycles
from pipeline.steps.explainer import loops as explainer_loops
from pipeline.steps.explainer import multiple as explainer_multiple
from pipeline.steps.explainer import nested as explainer_nested
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer import nishio as explainer_nishio
from pipeline.steps.explainer import patterns as explainer_patterns
from pipeline.steps.hodoku import (
    almost_locked_sets,
    chains,
    colours,
    forcing,
    loops,
    nets,
    patterns,
    rectangles,
    singles,
    sue_de_coq,
    wings,
)
from pipeline.steps.hodoku.singles import apply_queued, set_up_queues
from pipeline.steps.step_arrays import apply_step, reset_step, set_up

MAX_SCORES = (800, 1000, 1600, 1800)
"""Maximum score of a puzzle at each level except the last, which has no maximum."""

(
    SINGLE, LOCKED_CANDIDATES, SUBSET, FISH, UNIQUE_RECTANGLE, BUG, CHAIN,
    COLOURS, WING, SUE_DE_COQ, ALMOST_LOCKED_SETS, FORCING_NET, REMOTE_PAIR, LOOP,
    FORCING_CHAIN, BRUTE_FORCE,
    EXPLAINER_HIDDEN_SINGLE, EXPLAINER_LOCKED, EXPLAINER_NAKED_SINGLE, EXPLAINER_HIDDEN_SET,
    EXPLAINER_NAKED_SET, EXPLAINER_FISH, EXPLAINER_WING, EXPLAINER_LOOP, EXPLAINER_BUG,
    EXPLAINER_ALIGNED, EXPLAINER_CHAIN, EXPLAINER_NISHIO, EXPLAINER_MULTIPLE,
    EXPLAINER_DYNAMIC, VARIANT,
) = range(31)  # fmt: skip
"""Kinds of techniques: `_find` selects by kind the function to call. The package `variants` finds
those of the kind VARIANT.
"""


class Technique(NamedTuple):
    """A technique of human solvers.

    - `level`: an index in LEVELS.
    - `score`: the score of HoDoKu, 0 if HoDoKu does not have the technique.
    - `se`: the rating of Sudoku Explainer in tenths, 0 if it does not have the technique.
    - `kind`, `form`, `size`: the arguments of `_find`; a subset of size 2 is a pair.
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
        return self.kind in (BUG, UNIQUE_RECTANGLE, EXPLAINER_LOOP, EXPLAINER_BUG)


TECHNIQUES = (
    Technique("full house", 0, 4, 10, SINGLE, singles.FULL_HOUSE),
    Technique("naked single", 0, 4, 23, SINGLE, singles.NAKED_SINGLE),
    Technique("hidden single", 0, 14, 0, SINGLE, singles.HIDDEN_SINGLE),
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
    Technique("remote pair", 2, 110, 0, REMOTE_PAIR),
    Technique("BUG+1", 2, 100, 56, BUG),
    Technique("skyscraper", 2, 130, 0, WING, wings.SKYSCRAPER),
    Technique("2-string kite", 2, 150, 0, WING, wings.KITE),
    Technique("turbot fish", 2, 120, 66, CHAIN, chains.TURBOT),
    Technique("empty rectangle", 2, 120, 0, WING, wings.EMPTY_RECTANGLE),
    Technique("W-wing", 2, 150, 0, WING, wings.W_WING),
    Technique("XY-wing", 2, 160, 42, WING, wings.XY_WING),
    Technique("XYZ-wing", 2, 180, 44, WING, wings.XYZ_WING),
    Technique("unique rectangle 1", 2, 100, 45, UNIQUE_RECTANGLE, 1),
    Technique("unique rectangle 2", 2, 100, 45, UNIQUE_RECTANGLE, 2),
    Technique("unique rectangle 3", 2, 100, 46, UNIQUE_RECTANGLE, 3),
    Technique("unique rectangle 4", 2, 100, 45, UNIQUE_RECTANGLE, 4),
    Technique("unique rectangle 5", 2, 100, 45, UNIQUE_RECTANGLE, 5),
    Technique("unique rectangle 6", 2, 100, 0, UNIQUE_RECTANGLE, 6),
    Technique("hidden rectangle", 2, 100, 0, UNIQUE_RECTANGLE, rectangles.HIDDEN),
    Technique("avoidable rectangle 1", 2, 100, 0, UNIQUE_RECTANGLE, rectangles.AVOIDABLE_1),
    Technique("avoidable rectangle 2", 2, 100, 0, UNIQUE_RECTANGLE, rectangles.AVOIDABLE_2),
    Technique("finned X-wing", 2, 130, 0, FISH, patterns.FINNED, 2),
    Technique("sashimi X-wing", 2, 150, 0, FISH, patterns.SASHIMI, 2),
    Technique("finned swordfish", 3, 200, 0, FISH, patterns.FINNED, 3),
    Technique("sashimi swordfish", 3, 240, 0, FISH, patterns.SASHIMI, 3),
    Technique("finned jellyfish", 3, 250, 0, FISH, patterns.FINNED, 4),
    Technique("sashimi jellyfish", 3, 260, 0, FISH, patterns.SASHIMI, 4),
    Technique("Sue de Coq", 3, 250, 0, SUE_DE_COQ),
    Technique("simple colours", 2, 150, 0, COLOURS, colours.SIMPLE),
    Technique("multi-colours", 2, 200, 0, COLOURS, colours.MULTI),
    Technique("X-chain", 3, 260, 66, CHAIN, chains.X_CHAIN),
    Technique("XY-chain", 3, 260, 70, CHAIN, chains.XY_CHAIN),
    Technique("alternating inference chain", 3, 280, 70, LOOP, 0),
    Technique("grouped chain", 3, 300, 0, LOOP, 1),
    Technique("ALS-XZ", 3, 300, 0, ALMOST_LOCKED_SETS, almost_locked_sets.XZ),
    Technique("ALS-XY-wing", 3, 320, 0, ALMOST_LOCKED_SETS, almost_locked_sets.XY_WING),
    Technique("ALS chain", 3, 340, 0, ALMOST_LOCKED_SETS, almost_locked_sets.CHAIN),
    Technique("death blossom", 3, 360, 0, ALMOST_LOCKED_SETS, almost_locked_sets.BLOSSOM),
    Technique("forcing chain", 4, 500, 0, FORCING_CHAIN),
    Technique("forcing net", 4, 700, 85, FORCING_NET),
)
OPTIONAL = ("death blossom",)
"""Techniques that HoDoKu does not use unless it is told to."""

BY_SCORE = tuple(technique for technique in TECHNIQUES if technique.name not in OPTIONAL)
"""The techniques of HoDoKu in its order."""

SCORED = (*BY_SCORE, Technique("brute force", 4, 10_000, 0, BRUTE_FORCE))
"""What HoDoKu counts for its score: its techniques, and brute force where none of them applies."""

BY_RATING = (
    Technique("full house", 0, 0, 10, EXPLAINER_HIDDEN_SINGLE, explainer_patterns.LAST_CELL),
    Technique(
        "hidden single in a box", 0, 0, 12, EXPLAINER_HIDDEN_SINGLE, explainer_patterns.IN_BOX
    ),
    Technique(
        "hidden single in a line", 0, 0, 15, EXPLAINER_HIDDEN_SINGLE, explainer_patterns.IN_LINE
    ),
    Technique("direct pointing", 0, 0, 17, EXPLAINER_LOCKED, 0, 1),
    Technique("direct hidden pair", 1, 0, 20, EXPLAINER_HIDDEN_SET, 1, 2),
    Technique("naked single", 0, 0, 23, EXPLAINER_NAKED_SINGLE),
    Technique("direct hidden triple", 1, 0, 25, EXPLAINER_HIDDEN_SET, 1, 3),
    Technique("pointing", 1, 0, 26, EXPLAINER_LOCKED, 0),
    Technique("claiming", 1, 0, 28, EXPLAINER_LOCKED, 1),
    Technique("naked pair", 1, 0, 30, EXPLAINER_NAKED_SET, 0, 2),
    Technique("X-wing", 2, 0, 32, EXPLAINER_FISH, 0, 2),
    Technique("hidden pair", 1, 0, 34, EXPLAINER_HIDDEN_SET, 0, 2),
    Technique("naked triple", 1, 0, 36, EXPLAINER_NAKED_SET, 0, 3),
    Technique("swordfish", 2, 0, 38, EXPLAINER_FISH, 0, 3),
    Technique("hidden triple", 1, 0, 40, EXPLAINER_HIDDEN_SET, 0, 3),
    Technique("XY-wing", 2, 0, 42, EXPLAINER_WING, 0, 2),
    Technique("XYZ-wing", 2, 0, 44, EXPLAINER_WING, 0, 3),
    Technique("unique loop", 2, 0, 45, EXPLAINER_LOOP),
    Technique("naked quadruple", 2, 0, 50, EXPLAINER_NAKED_SET, 0, 4),
    Technique("jellyfish", 2, 0, 52, EXPLAINER_FISH, 0, 4),
    Technique("hidden quadruple", 2, 0, 54, EXPLAINER_HIDDEN_SET, 0, 4),
    Technique("bivalue universal grave", 2, 0, 56, EXPLAINER_BUG),
    Technique("aligned pair exclusion", 3, 0, 62, EXPLAINER_ALIGNED, 0, 2),
    Technique("cycle or forcing chain", 3, 0, 65, EXPLAINER_CHAIN),
    Technique("aligned triplet exclusion", 3, 0, 75, EXPLAINER_ALIGNED, 0, 3),
    Technique("Nishio forcing chain", 4, 0, 75, EXPLAINER_NISHIO),
    Technique("multiple forcing chain", 4, 0, 80, EXPLAINER_MULTIPLE),
    Technique("dynamic forcing chain", 4, 0, 85, EXPLAINER_DYNAMIC),
    Technique("dynamic forcing chain plus", 4, 0, 90, EXPLAINER_DYNAMIC, 1),
    Technique("nested forcing chain", 4, 0, 95, EXPLAINER_DYNAMIC, 2),
    Technique("nested multiple forcing chain", 4, 0, 100, EXPLAINER_DYNAMIC, 3),
    Technique("nested dynamic forcing chain", 4, 0, 105, EXPLAINER_DYNAMIC, 4),
)
"""The techniques of Sudoku Explainer in its order.

`se` is the lowest rating of a technique: loops and chains find the rating of each step. Sudoku
Explainer has no levels. They are those that HoDoKu gives to the same technique or a similar one.
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
    has_queues = any(technique.kind == SINGLE for technique in order)
    return [
        -1,
        int(unique),
        len(order),
        0,
        0,
        0,
        int(has_queues),
        0,
        0,
        0,
        *chain.from_iterable(rows),
    ]


MORE, FILLED, STUCK, UNSOUND, PAUSED = range(5)
"""Outcomes of `take_steps`.

- MORE: it took `max_steps` steps, and cells are open.
- FILLED: all cells are filled.
- STUCK: no technique applies.
- UNSOUND: a step does not follow from its citations.
- PAUSED: the search for a step goes on at the next call.
"""


@compiled()
def _find(kind, form, size, state, tables, step, graph, scratch, stack, workspace, grid, nest):
    """Find a step of a kind and write it to `step`.

    Returns 0 if there is none. Else returns the rating of Sudoku Explainer in tenths, or 1 if it is
    that of the technique.
    """
    reset_step(step)
    if kind == EXPLAINER_HIDDEN_SINGLE:
        return explainer_patterns.find_hidden_single_by_unit(state, tables, step, form)
    if kind == EXPLAINER_NAKED_SINGLE:
        return explainer_patterns.find_first_naked_single(state, tables, step)
    if kind == EXPLAINER_LOCKED:
        return explainer_patterns.find_pointing_or_claiming(state, tables, step, form, size)
    if kind == EXPLAINER_HIDDEN_SET:
        return explainer_patterns.find_hidden_set(state, tables, step, size, form)
    if kind == EXPLAINER_NAKED_SET:
        return explainer_patterns.find_naked_set(state, tables, step, size)
    if kind == EXPLAINER_FISH:
        return explainer_patterns.find_fish_without_fins(state, tables, step, size)
    if kind == EXPLAINER_WING:
        return explainer_patterns.find_xy_or_xyz_wing(state, tables, step, size)
    if kind == EXPLAINER_LOOP:
        return explainer_loops.find_unique_loop(state, tables, step, workspace)
    if kind == EXPLAINER_BUG:
        return explainer_bug.find_bivalue_grave(state, scratch, tables, step)
    if kind == EXPLAINER_ALIGNED:
        return explainer_aligned.find_aligned(state, tables, step, scratch, size)
    if kind == EXPLAINER_CHAIN:
        return explainer_cycles.find_cycle_or_chain(state, tables, step, workspace, graph)
    if kind == EXPLAINER_NISHIO:
        return explainer_nishio.find_nishio(state, scratch, tables, step, workspace)
    if kind == EXPLAINER_MULTIPLE:
        return explainer_multiple.find_multiple(state, tables, step, workspace, graph)
    if kind == EXPLAINER_DYNAMIC:
        return explainer_nested.find_dynamic(state, scratch, grid, tables, step, graph, nest, form)
    if kind == SINGLE:
        return singles.find_single(state, tables, step, graph, form)
    if kind == LOCKED_CANDIDATES:
        return patterns.find_locked_candidates(state, tables, step, form)
    if kind == SUBSET:
        return patterns.find_subset(state, tables, step, graph, size, form)
    if kind == FISH:
        return patterns.find_fish(state, tables, step, graph, size, form)
    if kind == UNIQUE_RECTANGLE:
        return rectangles.find_rectangle(state, tables, step, graph, form)
    if kind == BUG:
        return patterns.find_bug(state, tables, step)
    if kind == WING:
        return wings.find_wing(state, tables, step, form)
    if kind == SUE_DE_COQ:
        return sue_de_coq.find_sue_de_coq(state, tables, step, graph)
    if kind == ALMOST_LOCKED_SETS:
        return almost_locked_sets.find_almost_locked_sets(state, tables, step, graph, form)
    if kind == COLOURS:
        return colours.find_colours(state, tables, step, graph, form)
    if kind == CHAIN:
        return chains.find_chain(state, tables, step, graph, form)
    if kind == REMOTE_PAIR:
        return chains.find_remote_pair(state, tables, step, graph)
    if kind == LOOP:
        return loops.find_loop(state, tables, step, graph, form)
    if kind == FORCING_CHAIN:
        return forcing.find_forcing_chain(state, tables, step, graph)
    if kind == BRUTE_FORCE:
        return nets.find_by_brute_force(state, step, stack)
    return nets.find_forcing_net(state, tables, step, graph, scratch)


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
            rating = _find(
                kind, form, size, state, tables, step, graph, scratch, stack, workspace, grid, nest
            )
            if rating:
                break
            row += L.TECHNIQUE_ROW_SIZE
        if row == end:
            return STUCK
        if rating == explainer_nested.SEARCH_PAUSED:
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
