"""Layout of the two arrays of a search: it changes `state`, and only reads `problem`.

Both are one-dimensional: int64 arrays in machine code, lists in plain Python. Cells and values
count from 0. A set of values is a mask with bit v for the value of index v. A set of cells takes
SET_WORDS numbers of CELLS_IN_WORD bits each.

The tables below list offsets and their contents.
"""

from __future__ import annotations

NOTHING = -1
CELLS_IN_WORD = 62

# `state`: fixed offsets. The areas after CELLS are found by the offsets in `problem`.
PHASE = 0  # BEGIN, FORWARD or BACK: what `search` does next
DEPTH = 1  # number of open branches
NODES = 2  # number of branches so far
FAILURES = 3  # number of failures so far
FIXED_COUNT = 4  # length of the stack of fixed cells
PROBING = 5  # 1 while an alternative is tried: then no constraint is scheduled
HAS_CHANGED = 6  # 1 once `restrict` has changed a cell
FAILED_CONSTRAINT = 7  # the constraint that failed last; ~cell if a peer left this cell no value
QUEUE_FIRST = 8  # 4 numbers: the position in its ring at which each queue starts
QUEUE_LENGTH = 12  # 4 numbers: the length of each queue
RESTART = 16  # failures at which the search restarts; NOTHING after a solution (see `search`)
CELLS = 18  # CELL_COUNT masks: the candidates of each cell

# Phases.
BEGIN, FORWARD, BACK = range(3)

# Queues, in the order in which they are emptied. The cheapest propagators come first: pairs, then
# units and sums. Constraints in LATE are scheduled only by a cell that becomes fixed.
EARLY, SOON, NORMAL, LATE = range(4)
QUEUES = 4

# `problem`: sizes.
CELL_COUNT = 0  # number of cells
VALUE_COUNT = 1  # number of values
CONSTRAINT_COUNT = 2  # number of constraints that can be scheduled
UNIT_COUNT = 3  # number of units: the first UNIT_COUNT constraints
SET_WORDS = 4  # numbers that a set of cells takes
SETS_STRIDE = 5  # the greatest sum of different indices, plus 2

# `problem`: offsets of areas of `state`.
FIXED_STACK = 6  # SIZE cells: the fixed cells whose peers are not restricted yet
IS_QUEUED = 7  # CONSTRAINT_COUNT flags
QUEUE_RINGS = 8  # QUEUES × CONSTRAINT_COUNT constraints: ring buffers
SAVED_CELLS = 9  # (CELL_COUNT + 1) × CELL_COUNT masks: all cells before each open branch
DECISIONS = 10  # (CELL_COUNT + 1) × 2: the cell and the bit of each open branch
SCRATCH = 11  # scratch of the propagator that runs
PROBED = 12  # 2 numbers per cell: its mask before an alternative, and the union after all of them

# `problem`: offsets of its own areas.
OFFSETS = 13  # CONSTRAINT_COUNT offsets: where each constraint is
QUEUES_OF = 14  # CONSTRAINT_COUNT queues: where each constraint waits
CONSTRAINT_DATA = 15  # the constraints, one after another: see the tables below
WATCHERS = 16  # 2 · CELL_COUNT + 1 offsets into a list of constraints; for cell c, those from
#                number 2c are scheduled by every change, those from 2c + 1 only when it is fixed
PEERS = 17  # CELL_COUNT sets of cells: the peers of each cell
SETS_BY_SUM = 18  # offsets of masks: at size · SETS_STRIDE + sum, of the sets of this size and sum

# `problem`: bit tables, then all other areas from DATA.
LOWEST_BIT = 32  # index of the bit b, at b modulo MODULUS: 2 is a primitive root of 67
HIGHEST_BIT = 128  # index of the highest bit, for each mask of CHUNK bits
BIT_COUNT = 1152  # number of bits, for each mask of CHUNK bits
DATA = 2176
MODULUS, CHUNK = 67, 10

# A constraint: its kind, the number of its cells, the cells, then numbers of its own.
KIND, SCOPE_LENGTH, SCOPE = range(3)

# Kinds of constraints, and the numbers that follow the cells. "Where" is an offset in `problem`.
UNIT = 0  # no numbers. As many cells as values, all different
ALL_DIFFERENT = 1  # no numbers. The cells are all different
SAME_VALUES = 2  # length of the first part. Both parts of the cells hold the same values
PAIR = 3  # where two tables are: for the values of one cell, the possible values of the other
TOTAL = 4  # total, number of groups, then for each group its length, weight and has_sets, then for
#            each group its context. The sum of weight × index is the total. The cells of a group
#            differ; has_sets: whether the sets of values with its sum are enumerated
ONE_OF_SETS = 5  # where the sets begin and end, context. The cells hold exactly one of these sets
MIN_COUNT = 6  # bit, minimum. At least that many cells hold the value
SAME_COUNTS = 7  # mask, number of parts, their lengths. Parts have equally many values in the mask
AUTOMATON = 8  # where an automaton is. It accepts the values of the cells, in order
ONE_OF_VALUES = 9  # mask. The cell holds one of these values
ANY_OF = 10  # number of alternatives, then for each its length and its constraints, as offsets from
#              CONSTRAINT_DATA. One of the alternatives holds; none contains another ANY_OF
CONNECTED = 11  # mask, size or 0, length + 1 offsets of neighbours from here, the neighbours. Cells
#                 with a value in the mask are one region of that size. A neighbour is a position in
#                 the scope
DIFFERENT_PAIRS = 12  # no numbers. The cells are pairs: no two pairs hold the same two values
COUNT_OF_EQUAL = 13  # offset, unbroken, number of arms, their lengths. The cells are a counter, a
#                      start, and arms. The counter is the number of cells, start included, that
#                      equal the start; of each arm only the leading run counts if it is unbroken.
#                      A count less the offset is the index of the counter's value
RANKED = 14  # bit, rank, may_tie, line length. The cells are lines. The first begins with the
#              value. Among the other lines that begin with it, `rank` are less than the first and,
#              unless may_tie is set, none is equal to it

# The last two kinds may name a cell several times.

# The context of a group: the number of units that contain all of it, then for each of these units
# the number of its other cells, and those cells.

# An automaton: number of states, length + 1 offsets of edges from here, edges. The edges of one
# cell are triples: state, next state, mask. State 0 is the start, the last one is accepting.

# What `search` returns. SOLUTION: each cell has one value.
UNFINISHED, SOLUTION, COMPLETE = range(3)
