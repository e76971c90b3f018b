"""Extended: exactly one for every cell, and for every value in each row, column and box.

I. Lynce and J. Ouaknine, Sudoku as a SAT problem, 2006.
"""

from __future__ import annotations

from pipeline.encode.families import Rule, encode_rules

encode_extended = encode_rules(
    "extended",
    (
        Rule("every cell holds a value", "cell", "at least one"),
        Rule("no cell holds two values", "cell", "at most one"),
        Rule("every row holds every value", "row", "at least one"),
        Rule("no value twice in a row", "row", "at most one"),
        Rule("every column holds every value", "column", "at least one"),
        Rule("no value twice in a column", "column", "at most one"),
        Rule("every box holds every value", "box", "at least one"),
        Rule("no value twice in a box", "box", "at most one"),
    ),
)
