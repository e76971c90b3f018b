"""What stands where in the two arrays of a search: its state, and what it searches.

Both hold whole numbers. The state is in `w`; `d` is only read. Cells and values count from 0, and
sets of values are masks: bit v stands for the value of index v.
"""

from __future__ import annotations

NOTHING = -1

PHASE, DEPTH, NODES, FAILURES, FIXED, QUIET, CHANGED, BLAMED = range(8)
"""In `w`: what comes next; branches that are open; branches and failures so far; cells on the stack
of those that were just fixed. QUIET: no constraint is woken. CHANGED: a cell was. BLAMED: the last
constraint that failed, or ~cell if a cell could only be equal to one that must not be."""

FIRST, WAITING = 8, 12
"""In `w`, of each of the QUEUES: where it begins in its ring, and its length."""

RESTART = 16
"""In `w`: the number of failures at which the search begins anew; NOTHING after a solution, which
it would find again."""

CELLS = 18
"""In `w`: the mask of each cell."""

EARLY, SOON, NORMAL, LATE = range(4)
"""The queues: a constraint is taken from the first that is not empty. The quickest to look at come
early, pairs before units and sums. Those in the last one wait for cells that are fixed."""
QUEUES = 4

(
    SIZE, VALUES, CONSTRAINTS, UNITS, WORDS, WIDTH,
    STACK, QUEUED, RINGS, SAVED, CHOSEN, MARKS, KEPT,
    PLACES, PRIORITIES, STATED, WOKEN, APART, SETS,
) = range(19)  # fmt: skip
"""In `d`. Numbers: cells; values; constraints that can be woken, the first of which are UNITS;
words of a set of cells; one more than the greatest sum of different values.

Places in `w`: the stack; whether each constraint is in a queue; the rings of the queues; the masks
before each open branch, and its cell and bit; what one constraint notes while it is looked at; the
masks before and after an alternative.

Places in `d`: where each constraint is, and its queue; where the first one is; for each cell two
places in a list of constraints, of those that any change wakes and of those that only a last value
does; for each cell the set of those that hold another value; for each size and sum the place of
the first set of values that has them."""

LOWEST, HIGHEST, NUMBER, DATA = 32, 128, 1152, 2176
"""In `d`: the index of a bit, at the bit modulo 67; the highest bit and the number of bits of ten
bits; and all the rest."""
MODULUS, CHUNK = 67, 10

CELLS_IN_WORD = 62

KIND, LENGTH, SCOPE = range(3)
"""In a constraint: its kind, its number of cells, and the cells; its own numbers follow."""

(
    UNIT, DISTINCT, SAME, PAIR, TOTAL, ONE_SET, AT_LEAST, COUNTS, PATHS, ALLOWED, EITHER,
    CONNECTED, DIFFERENT_PAIRS, COUNT_OF_EQUAL, RANKED,
) = range(15)  # fmt: skip
"""The kinds, each with its own numbers.

UNIT: as many cells as values, all different. DISTINCT: all different. SAME: the number of cells of
the first part; both parts hold the same values. PAIR: places of two tables: the values that go with
some of the other cell. TOTAL: the sum of weight × index; the number of groups, and for each its
length, its weight, and whether it is worth looking at its sets: the cells of a group are different;
then for each group what is beside it: the number of units that hold it, and the length and the
cells of the rest of each. ONE_SET: the places where the sets begin and end, one of which is that of
all values held; and what is beside the cells.
AT_LEAST: a bit and the number of cells that hold it. COUNTS: a mask, the number of parts, and their
lengths: values in the mask are equally often in each part. PATHS: the place of an automaton: its
number of states, for each cell and for the end the place of its edges, counted from there, and
the edges: state, next state, mask. The first state is the start, the last is accepted. ALLOWED: a
mask. EITHER: the number of alternatives, and for each the number and the places of its constraints,
counted from the first constraint; they are of other kinds. CONNECTED: a mask, the number of cells
that hold a value in it, or 0, and for each cell and the end the place of its neighbours, counted
from there; each is named by its place among the cells. DIFFERENT_PAIRS: none; the cells are pairs.
COUNT_OF_EQUAL: what is counted, less the index of the counter's value; whether only an unbroken row
counts; the number of arms, and their lengths: the cells are counter, start, and arms. RANKED: a
bit, the number of other lines that are less, whether others may be equal, and the length of
each: the cells are all lines. Cells may be named several times by the last two."""

BEGIN, FORWARD, BACK = range(3)
"""The phases."""

UNFINISHED, FOUND, COMPLETE = range(3)
"""What a search returns. FOUND: each cell has one value, which is a solution."""
