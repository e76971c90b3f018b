"""Layout of the two arrays of a search: the search changes `state`, and only reads `problem`.

Both are one-dimensional. They are int64 arrays when compiled, and lists when run as plain Python.
Cells and values are numbered from 0. A set of values is a mask with bit v for the value of index v.
A set of cells is WORDS_PER_SET numbers of CELLS_PER_WORD bits each.

The tables below list offsets and the numbers at these offsets.
"""

from __future__ import annotations

NONE = -1  # means that there is no cell, offset or limit
MAX_COST = 1 << 20  # more than the number of cells
CELLS_PER_WORD = 62  # bits of a number in a set of cells

# `state`: fixed offsets. `problem` has the offsets of the areas after DOMAINS.
PHASE = 0  # BEGIN, FORWARD or BACK: what `search` does next
DEPTH = 1  # number of open branches
NODES = 2  # number of branches so far
FAILURES = 3  # number of failures so far
FIXED_COUNT = 4  # length of the stack of fixed cells
IS_PROBING = 5  # 1 while an alternative is tried; no constraint is scheduled then
HAS_CHANGED = 6  # 1 after `restrict` has changed a cell
FAILED_CONSTRAINT = 7  # the constraint that failed last; ~cell if peers left a cell no value
QUEUE_FIRST = 8  # 4 numbers: the position in its ring at which each queue starts
QUEUE_LENGTH = 12  # 4 numbers: the length of each queue
LAST_FIXED = 16  # the cell whose value was last eliminated from its peers
DOMAINS = 17  # CELL_COUNT masks: the candidates of each cell

# Phases.
BEGIN, FORWARD, BACK = range(3)

# Queues of constraints, in the order in which they are emptied. The cheapest propagators come
# first: EARLY is for pairs, SOON for units, sums and sets. A constraint in LATE is scheduled only
# when one of its cells becomes fixed.
EARLY, SOON, NORMAL, LATE = range(4)
QUEUES = 4  # number of queues

# `problem`: sizes.
CELL_COUNT = 0  # number of cells
VALUE_COUNT = 1  # number of values
CONSTRAINT_COUNT = 2  # number of constraints that can be scheduled
UNIT_COUNT = 3  # number of units: the first UNIT_COUNT constraints
WORDS_PER_SET = 4  # numbers that a set of cells takes
SETS_STRIDE = 5  # the greatest sum of different indices, plus 2

# `problem`: offsets of areas of `state`.
FIXED_STACK = 6  # CELL_COUNT cells: the fixed cells whose peers are not restricted yet
IS_QUEUED = 7  # CONSTRAINT_COUNT flags
QUEUE_RINGS = 8  # QUEUES × CONSTRAINT_COUNT constraints: ring buffers
SAVED_CELLS = 9  # (CELL_COUNT + 1) × CELL_COUNT masks: all cells before each open branch
DECISIONS = 10  # (CELL_COUNT + 1) × 2: the cell and the bit of each open branch
SCRATCH = 11  # working memory of the current propagator
PROBE_MASKS = 12  # 2 masks per cell: before the alternatives, and the union of all results
MEMORY = 19  # data that propagators keep between calls; zeros before the first call

# `problem`: offsets of areas of `problem`.
OFFSETS = 13  # CONSTRAINT_COUNT offsets of constraints
QUEUES_OF = 14  # CONSTRAINT_COUNT queues: the queue of each constraint
CONSTRAINT_DATA = 15  # the constraints, one after another: see the tables below
WATCHERS = 16  # 2 · CELL_COUNT + 1 offsets into a list of constraints. Every change of cell c
#                schedules the constraints from offset number 2c to 2c + 1. When the cell becomes
#                fixed, the constraints from there to offset number 2c + 2 are scheduled too
PEERS = 17  # CELL_COUNT sets of cells: the peers of each cell
SETS_BY_SUM = 18  # offsets of lists of masks: number size · SETS_STRIDE + sum is the offset of the
#                   sets of values of this size and sum
EDGES = 24  # number of edges, then for each its bit, its length and its cells: the places at which
#             a RANKED line may begin with the value; the search also branches on these

# `problem`: bit tables, then all other areas from DATA.
LOWEST_BITS = 32  # index of the bit b, at b modulo MODULUS: 2 is a primitive root of 67
HIGHEST_BITS = 128  # index of the highest bit, for each mask of CHUNK bits
BIT_COUNTS = 1152  # number of bits, for each mask of CHUNK bits
DATA = 2176  # start of the other areas
MODULUS, CHUNK = 67, 10  # of LOWEST_BITS, and of HIGHEST_BITS and BIT_COUNTS

# A constraint: its kind, the number of its cells, its cells (the scope), then further numbers.
CONSTRAINT_KIND, SCOPE_LENGTH, SCOPE = range(3)

# Kinds of constraints: the further numbers, and the meaning of the constraint. Propagators call the
# offset of the further numbers `data`.
UNIT = 0  # mask. The cells are as many as the values in the mask, and hold each of them
ALL_DIFFERENT = 1  # none. The cells are all different
SAME_VALUES = 2  # length of the first part. Both parts of the cells hold the same values
PAIR = 3  # offsets in `problem` of two tables: for values of the first cell, the possible values of
#           the second, and the reverse
TOTAL = 4  # total, number of groups, then for each group its length, weight and has_sets, then for
#            each group its context. The sum of weight × index is the total. The cells of a group
#            differ. has_sets: whether the propagator lists the sets of values with the group's sum
ONE_OF_SETS = 5  # offsets in `problem` where a list of sets begins and ends, context. The cells
#                  hold exactly the values of one of the sets
MIN_COUNTS = 6  # number of masks, then for each a minimum and the mask. At least `minimum` cells
#                 have a value in the mask
SAME_COUNTS = 7  # mask, number of parts, their lengths. All parts have equally many cells with a
#                  value in the mask
AUTOMATON = 8  # offset in `problem` of an automaton, which accepts the values of the cells in order
ONE_OF_VALUES = 9  # mask. The cell holds one of these values
ANY_OF = 10  # number of alternatives, then for each its length and its constraints, as offsets from
#              CONSTRAINT_DATA. At least one alternative holds; none contains another ANY_OF
CONNECTED = 11  # mask, size or 0, length + 1 offsets, neighbours, equal cells, index in MEMORY. The
#                 cells with a value in the mask form one region of this size. The neighbours of
#                 each cell are positions in the scope; the offsets count from the first offset. The
#                 cells that are equal by rule form rings: each has the position of the next, or its
#                 own
DIFFERENT_PAIRS = 12  # none. The cells are pairs: no two pairs hold the same two values
COUNT_OF_EQUAL = 13  # offset, is_unbroken, number of arms, their lengths. The cells are a counter,
#                      a start, and arms. The counter is the number of cells, including the start,
#                      that equal the start. If is_unbroken is set, an arm counts only up to its
#                      first cell that differs. The index of the counter's value is the count minus
#                      the offset
RANKED = 14  # bit, rank, may_tie, line length, edge length, used. The cells are lines. The first
#              line begins with the value. Of the other lines that begin with the value, `rank` are
#              less than the first, and none equals it unless may_tie is set. If the edge length is
#              n > 1, the other lines are edges of n lines each: exactly one line of each edge
#              begins with the value. `used` is `bit` if the cells of each line differ, else 0
EQUAL_TO_ANY = 15  # none. The first cell equals at least one of the other cells
COUNT_OF_VALUES = 16  # lowest value. The first cell, a counter, has as its value the number of
#                       different values in the other cells
OCCURRENCES = 17  # bit, minimum, maximum, offset in `problem` of covers. From `minimum` to
#                   `maximum` cells hold the value
COUNTS_ITSELF = 18  # lowest value, offsets in `problem` where a list of sets begins and ends, or
#                     NONE twice, offset of covers. Each value v that the cells hold is in exactly v
#                     of them. The values of the cells are one of the sets
AUTOMATON_OF_PEERS = 19  # as AUTOMATON, for cells that are peers of each other
INCREASING = 20  # used. The first half of the cells is lexicographically less than the second.
#                  `used` is 0, or the value that begins both halves if the cells of a half differ
SEGMENT_SUMS = 21  # total, is_loop, lowest value. The cells are divided into consecutive segments,
#                    each of which sums to the total. In a loop, segments may begin anywhere
SUM_BETWEEN = 22  # total, lowest value. The values between the smallest and the largest one, in the
#                   order of the cells, sum to the total. Other constraints state that they differ

# A scope of COUNT_OF_EQUAL, RANKED, INCREASING or SEGMENT_SUMS may name a cell several times.

# The context of a group: the number of units that contain the whole group, then for each of these
# units the number of its other cells, the mask of its values, and these cells.

# An automaton: number of states, length + 1 offsets of edges from the start of the automaton,
# edges. The edges of each cell are triples: state, next state, mask. State 0 is the initial state,
# and the last state is accepting.

# Covers: their number, then for each cover the number of its groups, then for each group its length
# and its cells. The groups of a cover contain each cell of the scope once. The cells of a group are
# peers of each other.

# What `search` returns. LIMIT_REACHED: it has made `max_nodes` branches; another call continues.
# SOLUTION: each cell has one value. COMPLETE: there are no other solutions.
LIMIT_REACHED, SOLUTION, COMPLETE = range(3)
