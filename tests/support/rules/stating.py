"""The clauses of a rule alone."""

from __future__ import annotations

from pipeline.puzzle.clauses import ClauseBuilder, Most
from pipeline.puzzle.puzzle import Geometry, Rule


def stated(geometry: Geometry, rule: Rule, most: Most | None = None) -> ClauseBuilder:
    """The clauses of a rule, which may take so much."""
    clauses = ClauseBuilder(geometry.side, geometry.size, most or Most())
    rule.encode(geometry, clauses)
    return clauses
