"""Layout of the arrays of a walk through a puzzle.

All are int64 arrays in machine code and lists in plain Python. Cells, digits, units and positions
in a unit count from 0; units are the rows, the columns, then the boxes. A set of digits or of
positions is a mask.

A *candidate* is a digit in a cell: 9 · cell + digit. Exactly one candidate of a *constraint* holds.
Constraints 0 to 80 are the cells, constraint UNIT_DIGITS + 9 · unit + digit is a digit in a unit.
There are 324, as in Sudoku as an exact cover problem. A *spot* is a cell or, from 81 on, one of the
54 groups of three cells where a box meets a line. A *node* is a digit in a spot: 9 · spot + digit.
It is a candidate, or a group of two or three. A *signed* node is 2 · node + 1 if it holds, 2 · node
if it does not.
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
"""The parts of `state` and `step` that `certify.steps` reads, documented there."""

NOTHING = -1

UNIT_DIGITS, CONSTRAINTS = 81, 324
"""The first constraint that is a digit in a unit, and the number of constraints."""

FIRST_ROW, FIRST_COLUMN, FIRST_BOX, UNITS = 0, 9, 18, 27
"""The first unit of each kind, and their number."""

SPOTS, RECTANGLE_COUNT = 135, 486
SINGLES, ALL_NODES = 729, 9 * SPOTS
"""The number of nodes that are candidates, which come first, and the number of all nodes."""

# `state`. It starts with a mask for each constraint: its candidates, as digits of a cell or as
# positions in a unit. The first 81 are CELLS. VALUES has a number for each constraint: 0 while it
# is open, else 1 + the candidate that holds. ALLOWED: see `certify.steps`
OPEN = 729  # number of open cells
ROW_MASKS = 730  # 9 masks: scratch of the search for subsets
STATE_SIZE = 739

(
    CANDIDATES,  # 9 for each constraint: its candidates by position
    UNIT_CELLS,  # 9 for each unit: its cells
    NODE_CONSTRAINTS,  # 4 for each node: row, column, box and cell; of a group line and box
    NODE_MASKS,  # 4 for each node: its candidates in each of these constraints
    SEES,  # 81 for each spot: 1 for the cells that it sees
    BIT_COUNT,  # 512 numbers: bits of a mask
    LOWEST_BIT,  # 512 numbers: lowest bit of a mask
    SETS,  # for k = 0 … 9, where the masks with k bits start; then all masks, sorted by bits
    SPOT_AT,  # 512 for each unit: the spot at the positions of a mask, or NOTHING
    RECTANGLES,  # 4 cells for each rectangle in two rows, two columns and two boxes
    EXCLUDED_FIRST,  # an offset for each node, and the end: where the nodes that it excludes start
    EXCLUDED,  # those nodes, candidates first
) = accumulate(
    (0, 9 * CONSTRAINTS, 9 * UNITS, 36 * SPOTS, 36 * SPOTS, 81 * SPOTS, 512, 512, 522, 512 * UNITS,
     4 * RECTANGLE_COUNT, ALL_NODES + 1)
)  # fmt: skip
"""Offsets of the parts of `tables`, which never change."""

WORDS, BITS = 12, 63
"""A set of candidates in a graph takes WORDS numbers of BITS bits each."""

(
    IS_KNOWN,  # 1 if the links of the state have been found
    HAS_TURBOT,  # whether it has a turbot fish, or NOTHING if that is not known
    SEARCH,  # number of the last search
    NET_START,  # the candidate from which forcing nets are tried first
    IS_NODE,  # for each node, whether it has a candidate, or a group two
    STRONG_FIRST,  # for each node and the end, where its strong links start
    WEAK_FIRST,  # the same for its weak links
    LIVE_FIRST,  # the same for its weak links to nodes that have strong links
    STRONG,  # the other node of each strong link
    LINK_CONSTRAINT,  # the constraint that makes it
    WEAK,  # the other node of each weak link
    LIVE,  # the other node of each weak link that LIVE_FIRST counts
    PARENT,  # at 4 · signed node: the one that implies it, or NOTHING
    PARENT_CONSTRAINT,  # the next number: by which constraint, or NOTHING for a weak link
    DISTANCE,  # the next number: over how many links
    REACHED,  # the next number: the search that reached it
    QUEUE,  # signed nodes in the order in which a search reached them
    EXCLUDED_BY,  # for each node, the start of a search that excludes it, or NOTHING
    SHARED,  # WORDS: the candidates that every candidate of a constraint excludes
    IS_FOLLOWED,  # for each candidate, whether IMPLIED is known
    IMPLIED,  # WORDS for each candidate: the candidates that it excludes
    GRAPH_SIZE,
) = accumulate(
    (0, 1, 1, 1, 1, *4 * (ALL_NODES + 1,), 6000, 6000, 39000, 39000, 1, 1, 1, 8 * ALL_NODES,
     2 * ALL_NODES, ALL_NODES, WORDS, SINGLES, WORDS * SINGLES)
)  # fmt: skip
"""Offsets of the parts of `graph`: the links between the nodes of a state, and searches in them."""

# `walk`
STEPS_TAKEN = 0  # number of steps so far; -1 before the puzzle is set up
IS_UNIQUE = 1  # 1 if it is proved that the puzzle has one solution
TECHNIQUE_COUNT = 2  # number of techniques to try
SCORE = 3  # sum of the scores of all steps
HIGHEST_RATING = 4  # highest rating of a step, in tenths
HARDEST = 5  # index of the hardest technique so far
TECHNIQUE_ROWS = 6  # a row of TECHNIQUE_ROW numbers for each technique, in the order of trying

# A row of `walk`. The technique with the greatest HARDNESS is the hardest: by level, then score
HARDNESS, POINTS, SE, KIND, FORM, SIZE, TECHNIQUE_ROW = range(7)
