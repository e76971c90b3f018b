"""Layout of the array `net`, with which `explainer_nested` finds chains that use other steps.

The array has 32-bit numbers. A signed node is 2 · candidate + 1 for on, 2 · candidate for off.
"""

from __future__ import annotations

from itertools import accumulate

from pipeline.steps.layout import CONSTRAINTS, SINGLES

MAX_CANDIDATES = 400
"""The most candidates with which dynamic chains are searched."""

MAX_HINTS, INDEX_SIZE = 1 << 16, 1 << 17
"""The most hints that are numbered; the size of the hash table of their numbers."""

MAX_RECORDS, MAX_STRIKES = 4000, 60
"""The most hints on reduced candidates that are recorded, and the most eliminations of a cycle."""

FIRST_LIMIT = 50
"""The first limit of complexity of a search; a search without result has a higher one next."""

MAX_WORK = 4
"""A search pauses after so many searches for nested hints."""

CITE_WORDS = 11
"""A set of constraints is so many numbers of 30 bits."""

HASH_MASK = (1 << 60) - 1

(
    ON_COUNT,  # the number of nodes on
    OFF_COUNT,  # the number of nodes off
    POOL_SIZE,  # where in the slot the next entry is written
    CONFLICT,  # the signed node whose contrary is reached, or NOTHING
    CONFLICT_AT,  # where its entry is
    SAVED_ON,  # ON_COUNT, OFF_COUNT and POOL_SIZE at the end of level 1
    SAVED_OFF,
    SAVED_POOL,
    ON_HEAD,  # how many nodes on have been followed
    OFF_HEAD,  # how many nodes off
    DONE_LEVEL,  # the highest level to the end of which it was followed
    NEXT_LEAST,  # a lower bound of the complexity of all nodes that follow, or 0
    PARENTS_AT,  # for each signed node, where its entry is; 0 if it is not reached
    ON_ORDER,  # the candidates on, in the order of reaching
    OFF_ORDER,  # the candidates off
    POOL,  # entries
    SLOT_SIZE,
) = accumulate((0, *12 * (1,), 2 * SINGLES, SINGLES, SINGLES, 12000))
"""Offsets in a slot.

An entry is the number of parents of a node, its cause, a lower bound of the complexity of its
chain, and the parents, which are signed nodes. The cause is the constraint of a strong link,
NOTHING, or -2 - n for hint n.
"""

SET_BITS, SET_WORDS = 60, 7
"""A set of remaining candidates is SET_WORDS numbers of SET_BITS bits each."""

(INNER_GRID, IMPLIED_ON, IMPLIED_OFF, EXCLUDED, STEPS_ON, INNER_SIZE) = accumulate(
    (0, CONSTRAINTS, *4 * (MAX_CANDIDATES * SET_WORDS,))
)
"""Offsets of the parts of `inner`, which has 64-bit numbers."""

POOL_LIMIT = SLOT_SIZE - 4700
"""No further eliminations are entered above this size of a slot."""

(HINT_COMPLEXITY, HINT_STAMP, HINT_LOW, HINT_HIGH, HINT_CITES, HINT_SIZE) = accumulate(
    (0, 1, 1, 1, 1, CITE_WORDS)
)

(
    RECORD_KEY, RECORD_COMPLEXITY, RECORD_SIGNED, RECORD_WINS, RECORD_LOW, RECORD_HIGH,
    RECORD_CITES, RECORD_STRIKE_COUNT, RECORD_STRIKES, RECORD_SIZE,
) = accumulate((0, *6 * (1,), CITE_WORDS, 1, MAX_STRIKES))  # fmt: skip

(
    STAMP, OUTER_STAMP, MARK, HINT_COUNT, STRIKE_COUNT, PARENT_COUNT, PARENTS_LEAST, RECORD_COUNT,
    LAST_CONSTRAINT, INNER_ROUND, PAUSED_LEVEL, NEXT, WORK, BEST_COMPLEXITY, BEST_KIND, BEST_SOURCE,
    BEST_SIGNED, CITES, STAMPS, STACK, STRIKES, PARENTS, NESTED_BEST, SORTED, NUMBER, EXTENDED,
    INNER_FOLLOWED, ON_PARENT, ON_VIA, ON_CONSTRAINT, QUEUE, TREE, CELL_MARKS, NODE_MARKS,
    STRONG_FIRST, STRONG_UNITS, STRONG, WEAK_FIRST, WEAK_UNITS, WEAK, RECORDS, HINTS, INDEX,
    LEFT_COUNT, LEFT, INDEX_OF, HAS_CONTRARY, IN_CYCLE, LIMIT, IS_CUT, PASS, OUTER_SLOTS, INNER_SLOTS, NET_SIZE,
) = accumulate(
    (0, *17 * (1,), CITE_WORDS, 2 * SINGLES, 2 * SINGLES, 4 * SINGLES, 2 * SINGLES, SINGLES,
     SINGLES, SINGLES, 2 * SINGLES, SINGLES, SINGLES, SINGLES, SINGLES, 2 * SINGLES, 6 * SINGLES,
     81, SINGLES, SINGLES + 1, SINGLES + 1, 8 * SINGLES, SINGLES + 1, SINGLES + 1, 29 * SINGLES,
     MAX_RECORDS * RECORD_SIZE, MAX_HINTS * HINT_SIZE, INDEX_SIZE, 1,
     SINGLES, SINGLES, SINGLES, SINGLES, 1, 1, 1, 2 * MAX_CANDIDATES * SLOT_SIZE,
     (MAX_CANDIDATES + 1) * SLOT_SIZE)
)  # fmt: skip
