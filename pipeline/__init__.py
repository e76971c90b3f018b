"""A drop folder that solves Sudoku puzzles with SAT solvers and certifies every answer.

The library does everything that the commands do:

    >>> from pipeline import solve
    >>> result = solve("1.....2..3.....4")
    >>> result
    <Result unique, 1 solution, exhaustive-search>
    >>> result.solution[1, 2]
    2

Functions are named as commands: `solve`, `count`, `generate`, `convert`, `dedupe` and `bench`.
`read` reads any source that the inbox accepts, `parse_puzzle` a text. `solve_many` solves in bulk,
and `to_frame` makes a table of the results. `steps_of` explains a puzzle by logical steps, `rate`
rates it. Rules of variants are in `pipeline.rules`, exceptions in `pipeline.errors`.
"""

from __future__ import annotations

from importlib import import_module

from pipeline.version import __version__

TYPE_CHECKING = False  # importing typing.TYPE_CHECKING takes long: see pipeline.cli

if TYPE_CHECKING:
    from typing import Any

    from pipeline.api import (
        all_steps_of,
        bench,
        convert,
        count,
        dedupe,
        generate,
        mistakes_of,
        rate,
        solutions,
        solve,
        solve_many,
        steps_of,
        to_frame,
    )
    from pipeline.certify import certify_grid
    from pipeline.errors import InvalidPuzzle, PipelineError
    from pipeline.puzzle.geometry import Geometry
    from pipeline.puzzle.puzzle import Grid, Puzzle
    from pipeline.reading.formats import parse_puzzle
    from pipeline.solving.items import Item, read
    from pipeline.solving.result import Result
    from pipeline.steps import Step

__all__ = [
    "Geometry",
    "Grid",
    "InvalidPuzzle",
    "Item",
    "PipelineError",
    "Puzzle",
    "Result",
    "Step",
    "__version__",
    "all_steps_of",
    "bench",
    "certify_grid",
    "convert",
    "count",
    "dedupe",
    "generate",
    "mistakes_of",
    "parse_puzzle",
    "rate",
    "read",
    "solutions",
    "solve",
    "solve_many",
    "steps_of",
    "to_frame",
]

_PUBLIC_NAMES = {
    "api": (
        "Mistake all_steps_of bench convert count dedupe generate mistakes_of overlap rate "
        "solutions solve solve_many steps_of to_arrow to_frame"
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
"""Module → the names that can be imported from this package, separated by spaces.

`__all__` does not list all: programs written before 1.0 find the others here, too.
"""

if not TYPE_CHECKING:  # type checkers would take any name for one that exists

    def __getattr__(name: str) -> Any:
        """Import the module of a public name on first use: an audit must not load the solvers."""
        for module, names in _PUBLIC_NAMES.items():
            if name in names.split():
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
