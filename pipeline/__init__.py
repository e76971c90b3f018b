"""A drop folder that solves Sudoku puzzles with SAT solvers and certifies every answer.

The library does everything that the commands do:

    >>> from pipeline import solve
    >>> result = solve("1.....2..3.....4")
    >>> result.status, len(result.solutions), result.complete
    ('unique', 1, True)

`solve_many` solves puzzles in bulk, `solutions` yields solutions one by one, and `read` reads any
source that the inbox accepts. `dedupe` and `overlap` find equivalent puzzles, `generate` creates
new puzzles, `convert` and `Puzzle.to` write puzzles in other notations. `to_frame` and `to_arrow`
return tables of results. `parse_puzzle`, `encode_puzzle`, `decode_model` and `certify_grid` are the
individual stages. `bench` compares solvers. `steps_of` explains a puzzle by logical steps,
`all_steps_of` lists those that are possible now, and `mistakes_of` compares the state of a game
with the solution. The rules of variants are in `pipeline.rules`.
"""

from __future__ import annotations

from importlib import import_module

from pipeline.version import __version__

TYPE_CHECKING = False  # importing typing.TYPE_CHECKING takes long: see pipeline.cli

if TYPE_CHECKING:
    from typing import Any

    from pipeline.api import (
        Mistake,
        all_steps_of,
        bench,
        convert,
        dedupe,
        generate,
        mistakes_of,
        overlap,
        solutions,
        solve,
        solve_many,
        steps_of,
        to_arrow,
        to_frame,
    )
    from pipeline.catalogue.comparing import Copy, SkippedItem, Tally
    from pipeline.catalogue.generating import Wish
    from pipeline.certify import Violation, certifier, certify_grid, is_solution
    from pipeline.errors import (
        EnvironmentFailure,
        InputError,
        InvalidPuzzle,
        InvalidResult,
        LimitReached,
        MissingFolder,
        PipelineError,
        SolverError,
        SolverMissing,
        UsageError,
    )
    from pipeline.puzzle.geometry import Geometry
    from pipeline.puzzle.puzzle import Candidate, Grid, Puzzle, Rule
    from pipeline.reading.formats import Parsed, parse_puzzle, parse_source, render_puzzle
    from pipeline.reading.formats.dimacs import Model
    from pipeline.service.converting import Converted
    from pipeline.service.solving import solve_puzzle
    from pipeline.settings import Settings
    from pipeline.solving import Effort, Traits
    from pipeline.solving.bench import BenchResult, SolverRun
    from pipeline.solving.cnf import (
        Answer,
        Cnf,
        Sat,
        Unknown,
        Unsat,
        decode_model,
        dimacs_lines,
        parse_result,
    )
    from pipeline.solving.encode import encode_puzzle
    from pipeline.solving.items import Item, read
    from pipeline.solving.problem import FormulaProblem, Problem, PuzzleProblem
    from pipeline.solving.result import Certificate, Proof, Result, SolverUsed
    from pipeline.steps import Step

__all__ = [
    "Answer",
    "BenchResult",
    "Candidate",
    "Certificate",
    "Cnf",
    "Converted",
    "Copy",
    "Effort",
    "EnvironmentFailure",
    "FormulaProblem",
    "Geometry",
    "Grid",
    "InputError",
    "InvalidPuzzle",
    "InvalidResult",
    "Item",
    "LimitReached",
    "MissingFolder",
    "Mistake",
    "Model",
    "Parsed",
    "PipelineError",
    "Problem",
    "Proof",
    "Puzzle",
    "PuzzleProblem",
    "Result",
    "Rule",
    "Sat",
    "Settings",
    "SkippedItem",
    "SolverError",
    "SolverMissing",
    "SolverRun",
    "SolverUsed",
    "Step",
    "Tally",
    "Traits",
    "Unknown",
    "Unsat",
    "UsageError",
    "Violation",
    "Wish",
    "__version__",
    "all_steps_of",
    "bench",
    "certifier",
    "certify_grid",
    "convert",
    "decode_model",
    "dedupe",
    "dimacs_lines",
    "encode_puzzle",
    "generate",
    "is_solution",
    "mistakes_of",
    "overlap",
    "parse_puzzle",
    "parse_result",
    "parse_source",
    "read",
    "render_puzzle",
    "solutions",
    "solve",
    "solve_many",
    "solve_puzzle",
    "steps_of",
    "to_arrow",
    "to_frame",
]

_PUBLIC_NAMES = {
    "api": (
        "Mistake all_steps_of bench convert dedupe generate mistakes_of overlap solutions solve "
        "solve_many steps_of to_arrow to_frame"
    ),
    "catalogue.comparing": "Copy SkippedItem Tally",
    "catalogue.generating": "Wish",
    "certify": "Violation certifier certify_grid is_solution",
    "errors": (
        "EnvironmentFailure InputError InvalidPuzzle InvalidResult LimitReached MissingFolder "
        "PipelineError SolverError SolverMissing UsageError"
    ),
    "puzzle.geometry": "Geometry",
    "puzzle.puzzle": "Candidate Grid Puzzle Rule",
    "reading.formats": "Parsed parse_puzzle parse_source render_puzzle",
    "reading.formats.dimacs": "Model",
    "service.converting": "Converted",
    "service.solving": "solve_puzzle",
    "settings": "Settings",
    "solving": "Effort Traits",
    "solving.bench": "BenchResult SolverRun",
    "solving.cnf": "Answer Cnf Sat Unknown Unsat decode_model dimacs_lines parse_result",
    "solving.encode": "encode_puzzle",
    "solving.items": "Item read",
    "solving.problem": "FormulaProblem Problem PuzzleProblem",
    "solving.result": "Certificate Proof Result SolverUsed",
    "steps": "Step",
}
"""Module → the public names that it defines, separated by spaces."""


def __getattr__(name: str) -> Any:
    """Import the module of a public name on first use: an audit must not load the solvers."""
    for module, names in _PUBLIC_NAMES.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
