"""Layout of the arrays `nest` and `inner`, with which `explainer.nested` finds chains.

`nest` has 32-bit numbers, `inner` 64-bit numbers. A signed node is 2 · candidate + 1 for "on" and
2 · candidate for "off", as in `layout`.
"""

from __future__ import annotations

from itertools import accumulate

from pipeline.steps.layout import CONSTRAINTS, SINGLES

MAX_CANDIDATES = 400
"""The most candidates of a state in which chains are searched. A puzzle with one solution that is
stuck has fewer than 350.
"""

MAX_HINTS, INDEX_SIZE = 1 << 16, 1 << 17
"""Maximum number of numbered hints in a state, and size of the hash table of their numbers. Further
hints are not used, so ratings would be less exact; puzzles of rating 11.9 have some 20,000.
"""

MAX_RECORDS, MAX_ELIMINATIONS = 4000, 60
"""The most hints that a search among the remaining candidates records, and the most eliminations of
a cycle.
"""

FIRST_LIMIT = 50
"""The first complexity limit of a search. Without a result, the next search has a higher limit."""

MAX_WORK, NESTED_WORK = 256, 64
"""A search pauses after MAX_WORK units of work. An extension of a slot is one unit, a search among
the remaining candidates NESTED_WORK.
"""

MAX_STAMP = 1 << 29
"""Above it, all stamps restart from 0."""

CITED_WORDS, CITED_BITS = 11, 30
"""A set of constraints is CITED_WORDS numbers of CITED_BITS bits each."""

SET_WORDS, SET_BITS = 7, 60
"""A set of remaining candidates is SET_WORDS numbers of SET_BITS bits each."""

WHOLE_SET, HASH_MASK = (1 << SET_BITS) - 1, (1 << 60) - 1

(
    INNER_GRID,  # CONSTRAINTS masks: the candidates in a search among the remaining candidates
    EXCLUDED,  # for each remaining candidate: the candidates that it excludes
    STEPS_ON,  # the candidates that are on after one weak and one strong link
    IMPLIED_ON,  # all candidates that are on after static links
    IMPLIED_OFF,  # all candidates off that it implies
    PENDING,  # a set of candidates to look at
    INNER_SIZE,
) = accumulate((0, CONSTRAINTS, *4 * (MAX_CANDIDATES * SET_WORDS,), SET_WORDS))
"""Offsets of the parts of `inner`; all but the first are sets."""

(
    ON_COUNT,  # the number of nodes on
    OFF_COUNT,  # the number of nodes off
    SLOT_END,  # the offset in the slot of the next entry
    LAST_ENTRY,  # where in `nest` the last entry is
    CONFLICT,  # the signed node whose contrary is reached, or NOTHING
    CONFLICT_AT,  # its entry
    ON_HEAD,  # how many nodes on have been followed
    OFF_HEAD,  # how many nodes off
    NEXT_MIN,  # a lower bound of the complexity of all nodes to come; 0 if it is not known
    DONE_LEVEL,  # the highest level that is completed
    PATTERNS_ON,  # ON_COUNT, OFF_COUNT and SLOT_END at the end of level 1
    PATTERNS_OFF,
    PATTERNS_END,
    ENTRY_AT,  # for each signed node, where in `nest` its entry is; 0 if it is not reached
    ON_ORDER,  # the candidates on, in the order in which they are reached
    OFF_ORDER,  # the candidates off
    ENTRIES,
    SLOT_SIZE,
) = accumulate((0, *13 * (1,), 2 * SINGLES, SINGLES, SINGLES, 12000))
"""Offsets in a slot, which holds what follows from an assumption."""

PARENT_COUNT, CAUSE, MIN_COMPLEXITY, FIRST_PARENT = range(4)
"""Offsets in an entry, which says why a node is reached.

- PARENT_COUNT: the number of parents, which are signed nodes from FIRST_PARENT on.
- CAUSE: the constraint of a strong link; NOTHING for a weak link and for the assumption; -2 - n for
  hint n, which eliminates a candidate.
- MIN_COMPLEXITY: a lower bound of the complexity of the chain to this node.
"""

MAX_SLOT_END = SLOT_SIZE - 4700
"""No hint eliminates anything above this size of a slot, so that all links have room."""

(
    HINT_COMPLEXITY,
    HINT_STAMP,  # the last count of a hint that came to it
    HINT_LOW,  # two halves of a hash of its conclusion and its nodes
    HINT_HIGH,
    HINT_CITED,  # the set of constraints that it cites
    HINT_SIZE,
) = accumulate((0, 1, 1, 1, 1, CITED_WORDS))
"""Offsets in a numbered hint."""

(
    RECORD_KEY,  # a number that orders records as Sudoku Explainer orders hints
    RECORD_COMPLEXITY,
    RECORD_SIGNED,  # the signed node that it concludes, or NOTHING for a cycle
    RECORD_IS_USED,  # whether it is the first to eliminate a candidate
    RECORD_LOW,  # this and the next two: as HINT_LOW, HINT_HIGH and HINT_CITED
    RECORD_HIGH,
    RECORD_CITED,
    RECORD_ELIMINATION_COUNT,  # of a cycle: the candidates that it eliminates
    RECORD_ELIMINATIONS,
    RECORD_SIZE,
) = accumulate((0, *6 * (1,), CITED_WORDS, 1, MAX_ELIMINATIONS))
"""Offsets in a record of a hint."""

(
    STAMP,  # the number of the last count of nodes
    STAMPS,  # for each signed node, the last count that visited it
    STACK,  # what a search has still to look at
    HINT_STAMP_NOW,  # the number of the last count of hints
    CITED_SET,  # the constraints that a hint cites
    HINT_COUNT,  # the number of numbered hints
    HINTS,  # the numbered hints
    INDEX,  # a hash table of 1 + the numbers of hints
    ELIMINATION_COUNT,  # of a hint in use: its eliminations
    ELIMINATIONS,  # candidates
    PARENTS_COUNT,  # the parents of what it eliminates
    PARENTS,  # signed nodes
    RECORD_COUNT,  # the number of records of the search
    RECORDS,  # the records
    FIRST_RECORD,  # for each candidate, the first record that eliminates it, or NOTHING
    SORTED,  # the records in use, in order
    REMAINING_COUNT,  # the number of remaining candidates
    REMAINING,  # the remaining candidates
    INDEX_OF,  # for each of them, its index in REMAINING
    HAS_CONTRARY,  # for each of them, whether it implies its contrary
    IN_CYCLE,  # for each of them, whether it implies itself
    STRONG_FIRST,  # for each candidate, its first index in STRONG; at the end, the end of STRONG
    STRONG_UNITS,  # for each, the index of its first link in a unit
    STRONG,  # a candidate and the constraint of the link, within the cell first
    WEAK_FIRST,  # the same for WEAK
    WEAK_UNITS,
    WEAK,  # candidates that have a strong link
    QUEUE,  # what a search has reached: signed nodes, or candidates on
    LINK_PARENT,  # for each signed node of a chain, the node before it, or NOTHING
    LINK_CONSTRAINT,  # the constraint of the strong link, or NOTHING
    LINK_DEPTH,  # the number of nodes up to it
    ON_PARENT,  # for each candidate on of a cycle, the candidate on before it
    ON_VIA,  # the candidate off between the two, or NOTHING
    ON_CONSTRAINT,  # the constraint of the strong link
    CLOSING_CONSTRAINT,  # the constraint of the link that closes a cycle
    MARK,  # the number of the last cycle, times 2
    CELL_MARKS,  # for each cell, the last cycle that it is part of
    NODE_MARKS,  # for each candidate, the last cycle that has a node on that sees it
    INNER_ROUND,  # the number of the last search among the remaining candidates
    INNER_FOLLOWED,  # for each candidate, the last search that followed it
    NUMBER_OF,  # for each candidate that may start, its number, else NOTHING
    PASS,  # the number of the last pass through all candidates
    EXTENDED,  # for each assumption, the last pass that extended its slot
    READY_LEVEL,  # the level that all slots have completed, or NOTHING
    PAUSED_LEVEL,  # 1 + the level of a search that is paused, or 0
    NEXT,  # the candidate at which it goes on
    LIMIT,  # the complexity up to which it searches
    IS_CUT,  # whether the limit ended any slot
    WORK,  # the units of work since the last pause
    BEST_COMPLEXITY,  # of the best hint so far: its complexity, or LIMIT + 1
    BEST_KIND,  # its kind
    BEST_SOURCE,  # the assumption or the constraint from which it starts, or NOTHING
    BEST_SIGNED,  # the signed node that it concludes, or one that contradicts another
    OUTER_SLOTS,  # slots for all assumptions
    INNER_SLOTS,  # slots for the candidates on of a search, and one more
    NEST_SIZE,
) = accumulate(
    (
        0,
        1, 2 * SINGLES, 2 * SINGLES, 1, CITED_WORDS, 1, MAX_HINTS * HINT_SIZE, INDEX_SIZE, 1,
        4 * SINGLES, 1, 2 * SINGLES, 1, MAX_RECORDS * RECORD_SIZE, SINGLES, SINGLES, 1, SINGLES,
        SINGLES, SINGLES, SINGLES, SINGLES + 1, SINGLES + 1, 8 * SINGLES, SINGLES + 1,
        SINGLES + 1, 29 * SINGLES, 2 * SINGLES, 2 * SINGLES, 2 * SINGLES, 2 * SINGLES, SINGLES,
        SINGLES, SINGLES, 1, 1, 81, SINGLES, 1, SINGLES, SINGLES, 1, 2 * SINGLES, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 2 * MAX_CANDIDATES * SLOT_SIZE, (MAX_CANDIDATES + 1) * SLOT_SIZE,
    )
)  # fmt: skip
"""Offsets of the parts of `nest`."""
