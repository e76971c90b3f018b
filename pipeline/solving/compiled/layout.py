"""Layout of the batch solver's arrays.

LANES puzzles are searched in parallel; each lane has one bit in every vector of 512 bits. The
candidates have two forms:

- *Planes*: a vector for each candidate, with one bit for each lane. Propagation works on planes.
- *Records*: RECORD_WORDS words for each lane, with nine bits for each cell. Backtracking works on
  records.

`deduction.transpose` converts planes into records and back, in place. Consecutive words of a record
are WORD_BITS · VECTOR_WORDS words apart.

`planes` has the vectors below. A triad is the three cells of a row or column in one box; a row
triad is in a row. A triad *has* a value if one of its cells holds it.

| first vector | count | meaning of the bit of each lane |
|---|---|---|
| 0 | 729 | candidates: 81 · row + 9 · column + value |
| BRANCH_CELL | BRANCH_BITS | the cell to branch on, in binary, lowest bit first |
| ROW_MAY | 243 | a row triad can have the value: 81 · band + 27 · row in band + 9 · stack + value |
| ROW_MUST | 243 | a row triad must have the value: numbered as ROW_MAY |
| COLUMN_MAY | 243 | as ROW_MAY, for columns: 81 · stack + 27 · column in stack + 9 · band + value |
| COLUMN_MUST | 243 | a column triad must have the value: numbered as COLUMN_MAY |
| DEAD | 1 | a contradiction was found |
| HAS_OPEN_CELLS | 1 | some cell has several candidates |
| CHANGED | 1 | the last round eliminated a candidate |
| HIDDEN_SINGLES | 9 | the cell of the current box has a hidden single |
| SEVERAL | 9 | the cell of the current box has several candidates |
| COUNT | 4 · 81 | number of candidates of a cell, in binary, lowest bit first: 81 · bit + cell |
| SELECTED | 81 | `choose_cells` may choose the cell |
| AVOIDED | 81 | `choose_cells` avoids the cell if possible |
| ROW_SINGLE | 81 | at most one triad of the row can have the value (*): 9 · row + value |
| COLUMN_SINGLE | 81 | as ROW_SINGLE, for columns: 9 · column + value |
| ROW_SELECTED_MAY | 243 | a selected cell of the row triad can hold the value: as ROW_MAY |
| COLUMN_SELECTED_MAY | 243 | a selected cell of the column triad can hold it: as COLUMN_MAY |

(*) Later, `choose_cells` redefines ROW_SINGLE and COLUMN_SINGLE: at most one triad of the line has
a selected cell that can hold the value.
"""

from __future__ import annotations

import numpy as np

WORD_BITS = 64
VECTOR_WORDS = 8
"""The number of bits in a machine word, and of machine words in a vector."""

LANES = VECTOR_WORDS * WORD_BITS
"""Number of puzzles searched in parallel."""

RECORD_WORDS = 12
"""Number of words of a record: 729 bits for candidates, then BRANCH_BITS bits."""

ROUNDS_PER_STEP = 5
"""Rounds of propagation per step. With more rounds, finished lanes wait for others. With fewer,
transpositions take a larger share of the time.
"""

BRANCH_CELL, BRANCH_BITS = 729, 7
"""The first vector of the cell to branch on, and the number of its vectors."""
BRANCH_SHIFT = BRANCH_CELL % WORD_BITS
"""The bit at which BRANCH_CELL starts in the last word of a record."""
CANDIDATE_BITS = np.uint64((1 << BRANCH_SHIFT) - 1)
"""The bits of candidates in the last word of a record."""

ROW_MAY, ROW_MUST = 768, 1011
COLUMN_MAY, COLUMN_MUST = 1254, 1497
DEAD, HAS_OPEN_CELLS, CHANGED = 1740, 1741, 1742
HIDDEN_SINGLES, SEVERAL = 1743, 1752
COUNT, SELECTED, AVOIDED = 1761, 2085, 2166
ROW_SINGLE, COLUMN_SINGLE = 2247, 2328
ROW_SELECTED_MAY, COLUMN_SELECTED_MAY = 2409, 2652
VECTORS = 2896
"""The index of the first vector of each kind in `planes`, and the size of `planes` in vectors."""

ONE_BIT, ALL_BITS, NO_BITS = np.uint64(1), np.uint64(2**WORD_BITS - 1), np.uint64(0)
"""Words with only the lowest bit, with all bits, and with no bits."""

# Indices in `Lanes.numbers`:
STARTED = 0  # number of puzzles started so far
PENDING_BRANCHES = 1  # number of pending branches of all lanes
FREE_SLOT = 2  # the first free slot for a branch
VICTIM = 3  # the lane from which a branch was last stolen
BRANCHES = 4  # number of branches so far
