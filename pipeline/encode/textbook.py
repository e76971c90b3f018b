"""Textbook: every row, column and box holds every value, and no cell holds two."""

from __future__ import annotations

from pipeline.encode.families import Rule, encode_rules

encode_textbook = encode_rules(
    "textbook",
    (
        Rule("every row holds every value", "row", "at least one"),
        Rule("every column holds every value", "column", "at least one"),
        Rule("every box holds every value", "box", "at least one"),
        Rule("no cell holds two values", "cell", "at most one"),
    ),
)
