"""A drop folder that solves Sudoku puzzles by SAT and certifies every answer.

The library does what the commands do:

    >>> from pipeline import parse_puzzle, solve_puzzle
    >>> solve_puzzle(parse_puzzle("1.....2..3.....4")).status
    'unique'
"""

from __future__ import annotations

from pipeline.certify import Violation, certifier, certify_grid
from pipeline.cnf import Answer, Cnf, Sat, Unknown, Unsat
from pipeline.decode import decode_model
from pipeline.dimacs import dimacs_lines, parse_result
from pipeline.encode import encode_puzzle
from pipeline.errors import (
    EnvironmentFailure,
    InputError,
    InvalidPuzzle,
    InvalidResult,
    PipelineError,
    SolverError,
    SolverMissing,
    UsageError,
)
from pipeline.parse import Parsed, parse_puzzle, parse_source, render_puzzle
from pipeline.puzzle import Candidate, Geometry, Grid, Puzzle
from pipeline.result import Result
from pipeline.settings import Settings
from pipeline.stages import solve_puzzle
from pipeline.version import __version__

__all__ = [
    "Answer",
    "Candidate",
    "Cnf",
    "EnvironmentFailure",
    "Geometry",
    "Grid",
    "InputError",
    "InvalidPuzzle",
    "InvalidResult",
    "Parsed",
    "PipelineError",
    "Puzzle",
    "Result",
    "Sat",
    "Settings",
    "SolverError",
    "SolverMissing",
    "Unknown",
    "Unsat",
    "UsageError",
    "Violation",
    "__version__",
    "certifier",
    "certify_grid",
    "decode_model",
    "dimacs_lines",
    "encode_puzzle",
    "parse_puzzle",
    "parse_result",
    "parse_source",
    "render_puzzle",
    "solve_puzzle",
]
