"""Layout of the arrays of a walk through a puzzle.

The arrays are int64 arrays in machine code and lists in plain Python. Cells, digits, units and
positions in a unit count from 0; units are the rows, the columns, then the boxes. A set of digits
or of positions is a mask.

A *candidate* is a digit in a cell: 9 · cell + digit. Exactly one candidate of a *constraint* holds.
Constraints 0 to 80 are the cells; constraint UNIT_DIGITS + 9 · unit + digit is a digit in a unit.
Sudoku as an exact cover problem has the same 324 constraints. A *spot* is a cell or, from 81 on,
one of the 54 groups of three cells where a box meets a line. A *node* is a digit in a spot: 9 ·
spot + digit. If the spot is a cell, the node is a candidate. If it is a group, the node is two or
three candidates of one digit, of which one holds if the node holds. A *signed* node is 2 · node + 1
for "the node holds" and 2 · node for "the node does not hold".
"""

from __future__ import annotations

from itertools import accumulate

from pipeline.certify.steps import (
    ALLOWED,
    BASE_UNITS,
    CELLS,
    CHAIN_NODES,
    CITED,
    COVER_UNITS,
    DEADLY,
    DEADLY_GRID,
    DEADLY_RECTANGLE,
    ELIMINATED,
    PATTERN_CELLS,
    PATTERN_DIGITS,
    PLACED,
    STACK_SIZE,
    STEP_SIZE,
    TECHNIQUE,
    VALUES,
)

__all__ = [
    "ALLOWED", "BASE_UNITS", "CELLS", "CHAIN_NODES", "CITED", "COVER_UNITS", "DEADLY",
    "DEADLY_GRID", "DEADLY_RECTANGLE", "ELIMINATED", "PATTERN_CELLS", "PATTERN_DIGITS", "PLACED",
    "STACK_SIZE", "STEP_SIZE", "TECHNIQUE", "VALUES",
]  # fmt: skip
"""The parts of `state` and `step` that `certify.steps` reads; that module documents them."""

NOTHING = -1
"""Stands for no spot, no node and no constraint in all arrays."""

UNIT_DIGITS, CONSTRAINTS = 81, 324
"""The first constraint that is a digit in a unit; the number of constraints."""

FIRST_ROW, FIRST_COLUMN, FIRST_BOX, UNITS = 0, 9, 18, 27
"""The first unit of each kind; the number of units."""

SPOTS, RECTANGLE_COUNT = 135, 486
"""The number of spots; the number of rectangles in two rows, two columns and two boxes."""

SINGLES, ALL_NODES = 729, 9 * SPOTS
"""The number of candidates, which are the first nodes; the number of nodes."""

# `state`. It starts with a mask for each constraint: the candidates, as digits of a cell or as
# positions in a unit. The first 81 masks are CELLS. VALUES has a number for each constraint: 0
# while no candidate is placed, then 1 + the digit or position of that candidate. `certify.steps`
# documents ALLOWED.
OPEN = 729  # number of open cells
ROW_MASKS = 730  # 9 masks: scratch of the search for subsets
STATE_SIZE = 739

(
    CANDIDATES,  # 9 for each constraint: its candidates by position
    UNIT_CELLS,  # 9 for each unit: its cells
    NODE_CONSTRAINTS,  # 4 for each node: its row, column, box and cell; for a group: line and box
    NODE_MASKS,  # 4 for each node: its candidates in each of these constraints
    SEES,  # 81 for each spot: 1 for each cell that sees all cells of the spot
    BIT_COUNT,  # 512 numbers: the number of bits of each mask
    LOWEST_BIT,  # 512 numbers: the lowest bit of each mask
    SETS,  # for k = 0 … 9: offset of the masks with k bits; then all masks, sorted by bit count
    SPOT_AT,  # 512 for each unit: the spot at the positions of a mask, or NOTHING
    RECTANGLES,  # 4 cells for each rectangle in two rows, two columns and two boxes
    COMPLEXITIES,  # a chain with more nodes than entry k adds k + 1 tenths to its rating
    BASE_TENTHS,  # for each base rating of chains, the tenths
    RANKS,  # 32 for each base rating: the rank of the rating with k tenths more
    EXCLUDED_FIRST,  # an offset in EXCLUDED for each node, and the end
    EXCLUDED,  # for each node, the nodes that it excludes, candidates first
) = accumulate(
    (0, 9 * CONSTRAINTS, 9 * UNITS, 36 * SPOTS, 36 * SPOTS, 81 * SPOTS, 512, 512, 522, 512 * UNITS,
     4 * RECTANGLE_COUNT, 32, 10, 320, ALL_NODES + 1)
)  # fmt: skip
"""Offsets of the parts of `tables`, which never change."""

WORDS, BITS = 12, 63
"""A set of candidates in `graph` is WORDS numbers of BITS bits each."""

(
    IS_KNOWN,  # 1 if the links of the state have been found
    HAS_TURBOT,  # whether the state has a turbot fish; NOTHING before the search for one
    SEARCH,  # number of the last search
    NET_START,  # the candidate from which forcing nets are tried first
    IS_NODE,  # for each node, 1 if the candidate is left, or two candidates of the group are
    STRONG_FIRST,  # an index in STRONG for each node, and the end
    WEAK_FIRST,  # an index in WEAK for each node, and the end
    LIVE_FIRST,  # an index in LIVE for each node, and the end
    STRONG,  # for each strong link, the node it leads to
    LINK_CONSTRAINT,  # for each strong link, its constraint
    WEAK,  # for each weak link, the node it leads to
    LIVE,  # the same for the weak links to nodes that have strong links
    PARENT,  # at 4 · signed node: the signed node that implies it, or NOTHING
    PARENT_CONSTRAINT,  # the next number: the constraint of the link, or NOTHING for a weak link
    DISTANCE,  # the next number: the number of links from the start of the search
    REACHED,  # the next number: the number of the last search that reached the signed node
    QUEUE,  # signed nodes in the order in which the search reached them
    EXCLUDED_BY,  # for each node, the last start of a search that excludes it, or NOTHING
    COMMON,  # WORDS numbers: the candidates that every candidate of a constraint excludes
    HAS_EXCLUSIONS,  # for each candidate, whether its EXCLUSIONS are known
    EXCLUSIONS,  # WORDS numbers for each candidate: the candidates that it excludes
    GRAPH_SIZE,
) = accumulate(
    (0, 1, 1, 1, 1, *4 * (ALL_NODES + 1,), 6000, 6000, 39000, 39000, 1, 1, 1, 8 * ALL_NODES,
     2 * ALL_NODES, ALL_NODES, WORDS, SINGLES, WORDS * SINGLES)
)  # fmt: skip
"""Offsets of the parts of `graph`: the links between the nodes of a state, and searches in them."""

# `walk`
STEPS_TAKEN = 0  # number of steps so far; -1 before `set_up`
IS_UNIQUE = 1  # 1 if it is proved that the puzzle has one solution
TECHNIQUE_COUNT = 2  # number of techniques to try
SCORE = 3  # sum of the scores of all steps
HIGHEST_RATING = 4  # highest rating of a step, in tenths
HARDEST = 5  # index of the hardest technique so far
RESUME_ROW = 6  # where the search for a step goes on after a pause, or 0
TECHNIQUE_ROWS = 7  # a row of TECHNIQUE_ROW_SIZE numbers for each technique, in the order of trying

# A row of `walk`. HARDNESS orders techniques by level, then by score. SE is the rating of Sudoku
# Explainer in tenths. KIND, FORM and SIZE are fields of `techniques.Technique`.
HARDNESS, POINTS, SE, KIND, FORM, SIZE, TECHNIQUE_ROW_SIZE = range(7)

(
    STAMP,  # the number of the last count of nodes
    STAMPS,  # for each signed node, the last count that came to it
    STACK,  # derivations that a count has still to look at
    BEST_RANK,  # of the best hint so far: the rank of its rating, or NOTHING if there is none
    BEST_COMPLEXITY,  # its number of nodes
    BEST_KIND,  # its kind
    BEST_BASE,  # its base rating
    BEST_SOURCE,  # the signed node or the constraint from which it starts
    BEST_CONCLUSION,  # the signed node that it concludes, or NOTHING
    BEST_LINKS,  # the links that its search follows, or NOTHING
    CYCLE_END,  # the last node on of the best cycle
    CYCLE_END_OFF,  # the node off that follows it
    CYCLE,  # the signed nodes of a cycle, from its end
    ON_PARENT,  # for each candidate on: the candidate on before it, or NOTHING
    ON_PARENT_OFF,  # for each candidate on: the candidate off between the two
    QUEUE_ON,  # candidates on, in the order in which they are reached
    PENDING,  # pairs of a candidate off and the candidate on that implies it
    LOOP_CELLS,  # of a path that may become a unique loop: its cells
    LOOP_NEXT,  # for each, the neighbour to try next
    LOOP_KINDS,  # for each, the kind of unit that it shares with the one before
    LOOP_EXTRAS,  # for each, the other digits of the path so far
    LOOP_ROOF,  # for each, how many cells of the path so far have other digits
    IS_FOLLOWED,  # for each candidate, whether its slot is known
    SLOTS,  # the first slot, then a slot for each candidate on
) = accumulate(
    (0, 1, 2 * SINGLES, 2 * SINGLES, *9 * (1,), 2 * SINGLES, *3 * (SINGLES,), 60000, *5 * (20,),
     SINGLES)
)  # fmt: skip
"""Offsets of the parts of `workspace`, in which the steps of Sudoku Explainer are found. It has
16-bit numbers.
"""

(
    ON_COUNT,  # number of candidates on that are reached
    OFF_COUNT,  # number of candidates off
    CONFLICT,  # a signed node whose contrary is reached, or NOTHING
    CONFLICT_DERIVATION,  # its derivation
    LAST_DERIVATION,  # the last derivation
    DERIVATIONS_END,  # the end of the derivations
    DERIVATION_AT,  # for each signed node its derivation, an offset in the slot, or 0
    ON_ORDER,  # candidates on in the order in which they are reached
    OFF_ORDER,  # candidates off
    DERIVATIONS,  # a derivation for each node that is reached
    SLOT_SIZE,
) = accumulate((0, *6 * (1,), 2 * SINGLES, SINGLES, SINGLES, 12000))
"""Offsets in a slot, which holds what follows from an assumption."""

# A derivation: the constraint of the strong link (NOTHING for a weak one), the number of nodes on
# the longest path from the assumption, and the parents of the node.
PARENT_COUNT, STRONG_LINK, DEPTH, FIRST_PARENT = range(4)

WORKSPACE_SIZE = SLOTS + SLOT_SIZE * (SINGLES + 1)
