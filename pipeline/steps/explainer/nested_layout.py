"""Layout of the array `nest`, with which `explainer.nested` finds chains.

It has 32-bit numbers. A signed node is 2 · candidate + 1 for "on" and 2 · candidate for "off".
`layout` has the names of all parts that `nest` shares with `workspace`.
"""

from __future__ import annotations

from itertools import accumulate

from pipeline.steps.layout import CYCLE_END, DERIVATIONS, NODE_DEPTH, SINGLES, STRONG_LINK

MAX_CANDIDATES = 400
"""Maximum number of candidates of a state in which chains are searched. When a puzzle with one
solution needs such a chain, it has fewer than 350.
"""

MAX_HINTS, INDEX_SIZE = 1 << 16, 1 << 17
"""Maximum number of numbered hints in a state, and size of the hash table of their numbers. Further
hints are not used, so ratings would be less exact; puzzles of rating 11.9 have some 20,000.
"""

MAX_RECORDS, MAX_ELIMINATIONS = 4000, 60
"""Maximum number of recorded hints of a search among the remaining candidates, and of eliminations
of a cycle.
"""

FIRST_LIMIT = 50
"""The first complexity limit of a search. Without a result, the next search has a higher limit."""

MAX_WORK, NESTED_WORK = 256, 64
"""A search pauses after MAX_WORK units of work. An extension of a slot is one unit, a search among
the remaining candidates NESTED_WORK.
"""

MAX_STAMP = 1 << 29
"""When a stamp exceeds this number, all stamps restart from 0."""

CITED_WORDS, CITED_BITS = 11, 30
"""A set of constraints is CITED_WORDS numbers of CITED_BITS bits each."""

HASH_MASK = (1 << 60) - 1
"""Hashes of hints have 60 bits."""

(
    ON_HEAD,  # number of nodes on that have been followed
    OFF_HEAD,  # number of nodes off that have been followed
    NEXT_MIN,  # a lower bound of the complexity of all later nodes; 0 if it is not known
    DONE_LEVEL,  # the highest level that is completed
    PATTERNS_ON,  # ON_COUNT at the end of level 1
    PATTERNS_OFF,  # OFF_COUNT at the end of level 1
    PATTERNS_END,  # DERIVATIONS_END at the end of level 1
    NEST_DERIVATIONS,  # the derivations of all nodes that are reached
    NEST_SLOT_SIZE,
) = accumulate((DERIVATIONS, *7 * (1,), 12000))
"""Offsets in a slot of `nest`, after the parts that slots of `workspace` have, too."""

CAUSE, MIN_COMPLEXITY = STRONG_LINK, NODE_DEPTH
"""Names of two parts of a derivation that have a wider meaning in `nest`.

- CAUSE: the constraint of a strong link; NOTHING for a weak link and for the assumption; -2 - n for
  hint n, which eliminates a candidate.
- MIN_COMPLEXITY: a lower bound of the complexity of the chain to this node: without hints, its
  depth.
"""

MAX_DERIVATIONS_END = NEST_SLOT_SIZE - 4700
"""No hint eliminates anything above this size of a slot, so that all links have room."""

(
    HINT_COMPLEXITY,
    COUNTED_IN,  # the number of the last count that included this hint
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
    RECORD_IS_USED,  # whether it is the FIRST_RECORD of a candidate, and so in SORTED
    RECORD_LOW,  # this and the next two: as HINT_LOW, HINT_HIGH and HINT_CITED
    RECORD_HIGH,
    RECORD_CITED,
    RECORD_ELIMINATION_COUNT,  # of a cycle: the candidates that it eliminates
    RECORD_ELIMINATIONS,
    RECORD_SIZE,
) = accumulate((0, *6 * (1,), CITED_WORDS, 1, MAX_ELIMINATIONS))
"""Offsets in a record of a hint."""

(
    COUNT_NUMBER,  # the number of the last count of the complexity of a hint
    CITED_SET,  # the constraints that a hint cites
    HINT_COUNT,  # the number of numbered hints
    NUMBERED_HINTS,  # the numbered hints
    INDEX,  # a hash table of 1 + the numbers of hints
    ELIMINATION_COUNT,  # the number of eliminations of the hint in use
    ELIMINATIONS,  # these candidates
    ELIMINATION_PARENT_COUNT,  # the number of parents of these eliminations
    ELIMINATION_PARENTS,  # these parents, as signed nodes
    RECORD_COUNT,  # the number of records of the search
    HINT_RECORDS,  # the records
    FIRST_RECORD,  # for each candidate, the first record that eliminates it, or NOTHING
    SORTED,  # the records in use, in order
    STRONG_FIRST,  # for each candidate, its first index in STRONG; at the end, the end of STRONG
    STRONG_UNITS,  # for each, the index of its first link in a unit
    STRONG,  # a candidate and the constraint of the link, within the cell first
    WEAK_FIRST,  # the same for WEAK
    WEAK_UNITS,
    WEAK,  # candidates that have a strong link
    QUEUE,  # the nodes that a search has reached: signed nodes, for cycles candidates on
    LINK_PARENT,  # for each signed node of a chain, the node before it, or NOTHING
    LINK_CONSTRAINT,  # the constraint of the strong link, or NOTHING
    LINK_DEPTH,  # the number of nodes up to it
    CYCLE_PARENT,  # for each candidate on of a cycle, the candidate on before it
    CYCLE_PARENT_OFF,  # the candidate off between the two, or NOTHING
    CYCLE_CONSTRAINT,  # the constraint of the strong link
    CLOSING_CONSTRAINT,  # the constraint of the link that closes a cycle
    CYCLE_MARK,  # twice the number of the last cycle
    CELL_MARKS,  # for each cell, CYCLE_MARK of the last cycle through it
    NODE_MARKS,  # for each candidate, CYCLE_MARK of the last cycle with a node on that sees it;
    # 1 more if it also sees a node off
    INNER_ROUND,  # the number of the last search among the remaining candidates
    INNER_FOLLOWED,  # for each candidate, the last search that followed it
    SLOT_NUMBER,  # for each candidate, the number of its slots; NOTHING if it has none
    PASS,  # the number of the last pass through all candidates
    EXTENDED,  # for each assumption, the last pass that extended its slot
    READY_LEVEL,  # the level that all slots have completed, or NOTHING
    PAUSED_LEVEL,  # 1 + the level of a search that is paused, or 0
    NEXT_CANDIDATE,  # the candidate at which the search continues
    LIMIT,  # the complexity up to which it searches
    IS_CUT,  # whether any slot ended at the limit
    WORK_DONE,  # the units of work since the last pause
    OUTER_SLOTS,  # slots for the candidates of the state, each on; then for each of them off
    INNER_SLOTS,  # slots for the candidates of a search, each on; then one for any of them off
    NEST_SIZE,
) = accumulate(
    (
        CYCLE_END, 1, CITED_WORDS, 1, MAX_HINTS * HINT_SIZE, INDEX_SIZE, 1,
        4 * SINGLES, 1, 2 * SINGLES, 1, MAX_RECORDS * RECORD_SIZE, SINGLES, SINGLES,
        SINGLES + 1, SINGLES + 1, 8 * SINGLES, SINGLES + 1,
        SINGLES + 1, 29 * SINGLES, 2 * SINGLES, 2 * SINGLES, 2 * SINGLES, 2 * SINGLES, SINGLES,
        SINGLES, SINGLES, 1, 1, 81, SINGLES, 1, SINGLES, SINGLES, 1, 2 * SINGLES, 1, 1, 1, 1, 1,
        1, 2 * MAX_CANDIDATES * NEST_SLOT_SIZE, (MAX_CANDIDATES + 1) * NEST_SLOT_SIZE,
    )
)  # fmt: skip
"""Offsets of the parts of `nest` that follow the parts shared with `workspace`. Until a hint is
found, BEST_COMPLEXITY is LIMIT + 1 and BEST_SOURCE is NOTHING.
"""
