"""Checks that share no code with what they check."""

from __future__ import annotations

from pipeline.certify.rules import Violation, certifier, certify_grid, clashing_givens

__all__ = ["Violation", "certifier", "certify_grid", "clashing_givens"]
