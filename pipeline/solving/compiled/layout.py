"""Layout of the batch solver's arrays.

LANES puzzles are searched in parallel; each lane has one bit in every vector of 512 bits. The
candidates have two forms:

- *Planes*: a vector for each candidate, with one bit for each lane. Propagation works on them.
- *Rows*: ROW_WORDS words for each lane, with nine bits for each cell. Backtracking works on them.

`deduction.transpose` turns one into the other, in place. Word k of a row is
WORD_BITS · VECTOR_WORDS words from the next one.

`planes` has these vectors. A triad is three cells of a row or column in one box.

| vector | number | for each lane |
|---|---|---|
| 0 | 729 | candidates: 81 · row + 9 · column + value |
| BRANCH_CELL | BRANCH_BITS | binary digits of the cell to branch on, lowest first |
| ROW_MAY | 243 | row triads that can have a value: 81 · band + 27 · row in it + 9 · stack + value |
| ROW_MUST | 243 | row triads that must have it |
| COLUMN_MAY | 243 | column triads: 81 · stack + 27 · column in it + 9 · band + value |
| COLUMN_MUST | 243 | column triads that must have it |
| DEAD | 1 | a contradiction was found |
| OPEN | 1 | some cell has several candidates |
| CHANGED | 1 | the last round eliminated something |
| HIDDEN_SINGLE | 9 | cells of the present box with a hidden single |
| SEVERAL | 9 | cells of the present box with several candidates |
| COUNT | 4 · 81 | binary digits of the number of candidates of each cell: 81 · digit + cell |
| SELECTED | 81 | cells among which `choose` chooses |
| AVOIDED | 81 | cells that it avoids if it can |
| ROW_SINGLE | 81 | at most one triad of the row has the value: 9 · row + value |
| COLUMN_SINGLE | 81 | the same for columns |
| ROW_HAS | 243 | as ROW_MAY: some selected cell of the triad can have the value |
| COLUMN_HAS | 243 | as COLUMN_MAY |
"""

from __future__ import annotations

import numpy as np

WORD_BITS = 64
VECTOR_WORDS = 8
"""Machine words in a vector."""

LANES = VECTOR_WORDS * WORD_BITS
"""Puzzles searched in parallel."""

ROW_WORDS = 12
"""Words of a row: 729 bits for candidates, then BRANCH_BITS."""

ROUNDS = 5
"""Rounds of propagation per step. With more, finished lanes wait for others; with fewer,
transpositions take a larger share of the time."""

BRANCH_CELL, BRANCH_BITS = 729, 7
BRANCH_SHIFT = BRANCH_CELL % WORD_BITS
"""Where BRANCH_CELL starts in the last word of a row."""
CANDIDATE_BITS = np.uint64((1 << BRANCH_SHIFT) - 1)
"""The bits of candidates in the last word of a row."""

ROW_MAY, ROW_MUST = 768, 1011
COLUMN_MAY, COLUMN_MUST = 1254, 1497
DEAD, OPEN, CHANGED = 1740, 1741, 1742
HIDDEN_SINGLE, SEVERAL = 1743, 1752
COUNT, SELECTED, AVOIDED = 1761, 2085, 2166
ROW_SINGLE, COLUMN_SINGLE = 2247, 2328
ROW_HAS, COLUMN_HAS = 2409, 2652
VECTORS = 2896

ONE, ALL, NONE = np.uint64(1), np.uint64(2**WORD_BITS - 1), np.uint64(0)

# Indices in `Lanes.numbers`.
STARTED = 0  # number of puzzles that were started
PENDING = 1  # pending branches of all lanes
FREE = 2  # the first free slot for a branch
VICTIM = 3  # the lane from which a branch was last stolen
BRANCHES = 4  # branches so far
