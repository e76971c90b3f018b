"""Check solutions, their completeness and logical steps, without using code of the solvers."""

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
"""Alias of `is_solution`, until 1.1."""

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
