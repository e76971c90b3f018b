"""Check solutions, their completeness, and logical steps. The checks use no code of the solvers."""

from __future__ import annotations

from pipeline.certify.grids import (
    Violation,
    certify_grid,
    certify_lists,
    certify_many,
    certify_model,
    clashing_givens,
    is_solution,
)

certifier = is_solution
"""The old name of `is_solution`, which works until 1.1."""

__all__ = [
    "Violation",
    "certifier",
    "certify_grid",
    "certify_lists",
    "certify_many",
    "certify_model",
    "clashing_givens",
    "is_solution",
]
