"""A drop folder that solves Sudoku puzzles by SAT and certifies every answer.

The library does what the commands do:

    >>> from pipeline import parse_puzzle, solve_puzzle
    >>> solve_puzzle(parse_puzzle("1.....2..3.....4")).status
    'unique'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pipeline.version import __version__

if TYPE_CHECKING:
    from pipeline.certify import Violation, certifier, certify_grid
    from pipeline.cnf import Answer, Cnf, Sat, Unknown, Unsat, decode_model
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

_HOMES = {
    "certify": ("Violation", "certifier", "certify_grid"),
    "cnf": ("Answer", "Cnf", "Sat", "Unknown", "Unsat", "decode_model"),
    "dimacs": ("dimacs_lines", "parse_result"),
    "encode": ("encode_puzzle",),
    "errors": (
        "EnvironmentFailure",
        "InputError",
        "InvalidPuzzle",
        "InvalidResult",
        "PipelineError",
        "SolverError",
        "SolverMissing",
        "UsageError",
    ),
    "parse": ("Parsed", "parse_puzzle", "parse_source", "render_puzzle"),
    "puzzle": ("Candidate", "Geometry", "Grid", "Puzzle"),
    "result": ("Result",),
    "settings": ("Settings",),
    "stages": ("solve_puzzle",),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for: an audit, or a certifier, shall not load what solves."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
