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

In `graph`, almost locked sets are further spots, from SPOTS on. A digit in such a spot is a node
that holds if the digit is in one of its places in the set. In CHAIN_NODES of a step, where sets
have no numbers, its node is ALL_NODES + 9 · (512 · unit + positions of these places) + digit.
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
    EXTRAS,
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
    "DEADLY_GRID", "DEADLY_RECTANGLE", "ELIMINATED", "EXTRAS", "PATTERN_CELLS", "PATTERN_DIGITS",
    "PLACED", "STACK_SIZE", "STEP_SIZE", "TECHNIQUE", "VALUES",
]  # fmt: skip
"""The parts of `state` and `step` that `certify.steps` reads; that module documents them."""

NOTHING = -1
"""Stands for no spot, no node and no constraint in all arrays."""

UNIT_DIGITS, CONSTRAINTS = 81, 324
"""The first constraint that is a digit in a unit; the number of constraints."""

FIRST_ROW, FIRST_COLUMN, FIRST_BOX, UNITS = 0, 9, 18, 27
"""The first unit of each kind; the number of units."""

SPOTS = 135
"""The number of spots."""

SINGLES, ALL_NODES = 729, 9 * SPOTS
"""The number of candidates, which are the first nodes; the number of nodes."""

# `state`. It starts with a mask for each constraint: the candidates, as digits of a cell or as
# positions in a unit. The first 81 masks are CELLS. VALUES has a number for each constraint: 0
# while no candidate is placed, then 1 + the digit or position of that candidate. `certify.steps`
# documents ALLOWED.
OPEN = 729  # number of open cells
ROW_MASKS = 730  # 9 masks: scratch of the search for subsets
OPEN_CELLS = 739  # for each unit, the number of its open cells
STATE_SIZE = 766

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
    COMPLEXITIES,  # entry k: above this number of nodes, a chain is rated k + 1 tenths higher
    BASE_TENTHS,  # for each base rating of chains, the tenths
    RANKS,  # 32 for each base rating: the rank of the rating with k tenths more
    EXCLUDED_FIRST,  # an offset in EXCLUDED for each node, and the end
    SEEN,  # BANDS words for each spot: the cells that see all cells of the spot
    EXCLUDED,  # for each node, the nodes that it excludes, candidates first
) = accumulate(
    (0, 9 * CONSTRAINTS, 9 * UNITS, 36 * SPOTS, 36 * SPOTS, 81 * SPOTS, 512, 512, 522, 512 * UNITS,
     32, 10, 320, ALL_NODES + 1, 3 * SPOTS)
)  # fmt: skip
"""Offsets of the parts of `tables`, which never change."""

MAX_TRIED = 500
"""More rectangles than a search tries: 486 are possible."""

MAX_SETS, MAX_COMMONS = 700, 15000
"""Limits on the number of almost locked sets, and of their restricted commons."""

GRAPH_NODES = ALL_NODES + 9 * MAX_SETS
"""The number of nodes of `graph`."""

MAX_DIRECT = 195_000
"""Maximum number of direct implications. There are fewer than 45,000 of candidates and groups; the
rest is for almost locked sets.
"""

SET_WORDS = 12
"""A set of almost locked sets is SET_WORDS words of BITS bits."""

BANDS = 3
"""A set of cells is BANDS words of 27 bits: a bit for each cell of three rows."""

WORDS, BITS = 12, 63
"""A set of candidates in `graph` is WORDS numbers of BITS bits each."""

(
    IS_KNOWN,  # a bit for each part that is up to date, see `links`, `set_links` and `patterns`
    SEARCH,  # number of the last search
    IS_NODE,  # for each node, 1 if the candidate is left, or two candidates of the group are
    NAKED_FIRST,  # where in `graph` the queue of naked singles starts
    NAKED_END,  # where it ends
    HIDDEN_FIRST,  # the same for the queue of hidden singles
    HIDDEN_END,
    NAKED_QUEUE,  # space for the naked singles of a walk: candidates
    HIDDEN_QUEUE,  # space for the hidden singles of a walk: candidates
    ROW_DEPTH,  # depth of a search for a set of rows, see `hodoku.patterns.next_rows`
    PICKS,  # at each depth, the row that was chosen
    UNIONS,  # at each depth, the union of the masks of the rows above it
    TRIED_COUNT,  # number of rectangles in TRIED
    TRIED,  # a number for each rectangle that was tried, see `rectangles`
    BOX_PICKS,  # as PICKS and UNIONS, for a search inside another
    BOX_UNIONS,
    ALS_COUNT,  # number of almost locked sets
    ALS_UNIT,  # for each almost locked set, its unit
    ALS_DIGITS,  # its digits
    ALS_CELLS,  # its cells, in BANDS words
    ALS_PLACES,  # BANDS words for each digit: its places in the set
    ALS_SEEN,  # BANDS words for each digit: the other places that see all places in the set
    FIRST_COMMON,  # for each set, the first restricted common with a later set; and the end
    LAST_COMMON,  # for each set, the last restricted common with an earlier set
    COMMON_SETS,  # for each restricted common of two sets: the earlier and the later set
    COMMON_DIGITS,  # its one or two digits
    NEXT_COMMON,  # the next one with the same later set, or NOTHING
    SETS_AT,  # SET_WORDS words for each cell: the sets that contain it
    SETS_OF,  # the same for each digit: the sets that have it
    SETS_WITH,  # the same for each candidate: the sets that have the digit in the cell
    LINKED_SETS,  # the same for each digit: the sets that a set is linked to by the digit
    REACHED_BY,  # for each number of links and each set: the last digits of ALS chains to it
    BLOSSOM,  # BANDS words for each number of petals: the eliminations of a death blossom
    PLACES,  # BANDS words for each digit: the cells that have it as a candidate
    DIRECT_AT,  # 3 for each signed node: in DIRECT, where its candidates start, its groups, the end
    DIRECT,  # the signed nodes that a signed node implies by one link
    CHAIN_START,  # of each signed node: the number of the last search that reached it
    CHAIN_DISTANCE,  # the number of links from the start of that search
    CHAIN_PARENT,  # the signed node before it
    CHAIN_QUEUE,  # the signed nodes of the last search in the order of reaching
    PATH,  # a chain from its start: its length, then its signed nodes
    MARKS,  # for each cell, the number of the last chain that passed it
    NEW_ELIMINATIONS,  # BANDS words for each digit: the eliminations of a chain
    BEST_ELIMINATIONS,  # the same of the best chain so far
    BEST_KEY,  # the rank of these eliminations, see `eliminations.elimination_key`; 0 without any
    BEST_LENGTH,  # the number of nodes of the best chain so far
    COLOURS,  # BANDS words for each colour, 2 · component + 0 or 1: the cells of the colour
    SEEN_BY,  # the same: the cells that see a cell of the colour
    COLOUR_AT,  # an index in CHAIN_QUEUE for each component, and the end
    BRANCH,  # for each depth of a depth-first search, the next direct node to try
    TRIALS,  # 2 · WORDS words for each signed candidate: what its trial eliminates and places
    NETS,  # the same: the candidates that its net eliminates and places
    NET,  # the same for the last net
    NET_CONCLUSIONS,  # the same for all conclusions
    ELIMINATED_BY,  # for each candidate that the last trial eliminated, the index of the placement
    TRIAL_PLACED,  # for each placement of the last trial, its candidate; first the assumption
    TRIAL_CITED,  # for each placement of the last trial, its constraint
    IS_NEEDED,  # for each placement of the last trial, whether a conclusion needs it
    GRAPH_SIZE,
) = accumulate(
    (0, 1, 1, ALL_NODES, 1, 1, 1, 1, 81, 243, 1, 10, 10, 1, MAX_TRIED, 10, 10, 1, MAX_SETS,
     MAX_SETS, BANDS * MAX_SETS, 9 * BANDS * MAX_SETS, 9 * BANDS * MAX_SETS, MAX_SETS + 1,
     MAX_SETS, 2 * MAX_COMMONS, MAX_COMMONS, MAX_COMMONS, 81 * SET_WORDS, 9 * SET_WORDS,
     729 * SET_WORDS, 9 * SET_WORDS, 6 * MAX_SETS, 10 * BANDS, 9 * BANDS,
     6 * GRAPH_NODES, MAX_DIRECT, *4 * (2 * GRAPH_NODES,), 2 * GRAPH_NODES + 1, 81,
     9 * BANDS, 9 * BANDS, 1, 1, 81 * BANDS, 81 * BANDS, 42, 64, 4 * WORDS * SINGLES,
     4 * WORDS * SINGLES, 2 * WORDS, 2 * WORDS, SINGLES, *3 * (UNITS * 9 + 2 * 81,))
)  # fmt: skip
"""Offsets of the parts of `graph`: the links between the nodes of a state, and searches in them."""

(
    HAS_CLOSURE,  # 1 if the parts that follow are known; see `explainer.closure`
    NODE_COUNT,  # number of nodes: the candidates that are left
    ROW_WORDS,  # number of words of a set of nodes: bit k of word n is node BITS · n + k
    NODE_CANDIDATES,  # for each node, its candidate, ascending
    NODE_AT,  # for each candidate that is left, its node
    STRONG_NODES,  # the nodes to which a node has a strong link, at most 4
    PENDING_ROW,  # a set of nodes that are still to be followed
    STRONG_LINKS,  # for each node, whether it has a strong link in a unit (1) and in its cell (2)
    CONTRADICTED,  # for each node, whether it implies its contrary: on (1), off (2)
    IS_CONTRADICTED,  # whether any node, on or off, implies its contrary
    REFUTED_COUNT,  # number of the nodes that imply, on, their contrary
    REFUTED,  # these nodes
    WEAK_ROWS,  # for each node on, the set of nodes that one weak link makes off
    ON_ROWS,  # for each node on, the set of nodes that it implies on
    OFF_ROWS,  # for each node on, the set of nodes that it implies off
    WHOLE_GRAPH_SIZE,
) = accumulate(
    (GRAPH_SIZE, 1, 1, 1, SINGLES, SINGLES, 4, WORDS, SINGLES, SINGLES, 1, 1, SINGLES,
     *3 * (WORDS * SINGLES,))
)  # fmt: skip
"""Offsets of further parts of `graph`: what the candidates of a state imply; see
`explainer.closure`.
"""

# `walk`
STEPS_TAKEN = 0  # number of steps so far; -1 before `set_up`
IS_UNIQUE = 1  # 1 if it is proved that the puzzle has one solution
TECHNIQUE_COUNT = 2  # number of techniques to try
SCORE = 3  # sum of the scores of all steps
HIGHEST_RATING = 4  # highest rating of a step, in tenths
HARDEST = 5  # index of the hardest technique so far
HAS_QUEUES = 6  # whether singles are taken from queues, see `singles`
RESUME_ROW = 7  # the row of the technique that is searched after a pause, or 0
FIRST_RATING = 8  # rating of the first step, in tenths
PLACING_RATING = 9  # highest rating up to the first step that places, or 0 before that step
TECHNIQUE_ROWS = 10  # a row of TECHNIQUE_ROW_SIZE numbers for each technique, in this order

# A row of `walk`. HARDNESS orders techniques by level, then by score. SE is the rating of Sudoku
# Explainer in tenths. KIND, FORM and SIZE are fields of `techniques.Technique`.
HARDNESS, POINTS, SE, KIND, FORM, SIZE, TECHNIQUE_ROW_SIZE = range(7)

(
    STAMP,  # the number of the last count of nodes
    STAMPS,  # for each signed node, the last count that visited it
    STACK,  # derivations that a count has not visited yet
    BEST_RANK,  # of the best hint so far: the rank of its rating, or NOTHING if there is none
    BEST_COMPLEXITY,  # its number of nodes
    BEST_KIND,  # its kind
    BEST_BASE,  # its base rating
    BEST_SOURCE,  # the signed node or the constraint from which it starts
    BEST_CONCLUSION,  # the signed node that it concludes, or NOTHING
    BEST_LINKS,  # the links that its search follows, or NOTHING
    BEST_ORDER,  # its place in the order of search, among cycles and chains
    CYCLE_END,  # the last node on of the best cycle
    CYCLE_END_OFF,  # the node off that follows it
    CYCLE,  # the signed nodes of a cycle, from its end
    ON_PARENT,  # for each candidate on: the candidate on before it, or NOTHING
    ON_PARENT_OFF,  # for each candidate on: the candidate off between the two
    QUEUE_ON,  # candidates on, in the order in which they are reached
    PENDING,  # pairs of a candidate off and the candidate on that implies it
    LOOP_PLACES,  # for each unit, the positions that cells of a unique loop may have
    LOOP_CELLS,  # of a path that may become a unique loop: its cells
    LOOP_NEXT,  # for each, the kind of unit to try next, as box, row, column
    LOOP_REST,  # for each, the positions in the unit of the last kind that are to be tried
    LOOP_KINDS,  # for each, the kind of unit that it shares with the one before
    LOOP_EXTRAS,  # for each, the other digits of the path so far
    LOOP_ROOF,  # for each, how many cells of the path so far have other digits
    IS_FOLLOWED,  # for each candidate, whether its slot is known
    SLOTS,  # the first slot, then a slot for each candidate on
) = accumulate(
    (0, 1, 2 * SINGLES, 2 * SINGLES, *10 * (1,), 2 * SINGLES, *3 * (SINGLES,), 60000, 27,
     *6 * (20,), SINGLES)
)  # fmt: skip
"""Offsets of the parts of `workspace`, in which the steps of Sudoku Explainer are found. It has
16-bit numbers. `explainer.nested_layout` shares the parts up to BEST_ORDER.
"""

(
    ON_COUNT,  # number of candidates on that are reached
    OFF_COUNT,  # number of candidates off
    CONFLICT,  # a signed node whose contrary is reached, or NOTHING
    CONFLICT_DERIVATION,  # where the derivation of that node starts in the slot
    LAST_DERIVATION,  # where the last derivation starts
    DERIVATIONS_END,  # where the next derivation will start
    DERIVATION_AT,  # for each signed node, where its derivation starts; 0 if it is not reached
    ON_ORDER,  # candidates on in the order in which they are reached
    OFF_ORDER,  # candidates off
    DERIVATIONS,  # a derivation for each node that is reached
    SLOT_SIZE,
) = accumulate((0, *6 * (1,), 2 * SINGLES, SINGLES, SINGLES, 8 * SINGLES + 12))
"""Offsets in a slot, which holds all nodes that follow from an assumption. The slots of
`explainer.nested_layout` share the parts up to OFF_ORDER.
"""

# A derivation: the constraint of the strong link (NOTHING for a weak one), the number of nodes on
# the longest path from the assumption, and the parents of the node.
PARENT_COUNT, STRONG_LINK, NODE_DEPTH, FIRST_PARENT = range(4)

WORKSPACE_SIZE = SLOTS + SLOT_SIZE * (SINGLES + 1)
