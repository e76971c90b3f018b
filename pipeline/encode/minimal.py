"""Minimal: every cell holds a value, and no value stands twice in a row, column or box.

I. Lynce and J. Ouaknine, Sudoku as a SAT problem, 2006.
"""

from __future__ import annotations

from pipeline.encode.families import Rule, encode_rules

encode_minimal = encode_rules(
    "minimal",
    (
        Rule("every cell holds a value", "cell", "at least one"),
        Rule("no value twice in a row", "row", "at most one"),
        Rule("no value twice in a column", "column", "at most one"),
        Rule("no value twice in a box", "box", "at most one"),
    ),
)
