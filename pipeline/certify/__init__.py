"""Checks that share no code with what they check."""

from __future__ import annotations

from pipeline.certify.grids import (
    Violation,
    certifier,
    certify_grid,
    certify_lists,
    certify_many,
    certify_model,
    clashing_givens,
)

__all__ = [
    "Violation",
    "certifier",
    "certify_grid",
    "certify_lists",
    "certify_many",
    "certify_model",
    "clashing_givens",
]
