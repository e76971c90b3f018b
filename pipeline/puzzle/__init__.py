"""Geometry, puzzles, and the rules of variants."""
