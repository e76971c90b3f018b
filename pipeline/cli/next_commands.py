"""Suggest commands to try after a puzzle was solved."""

from __future__ import annotations

import shlex
from pathlib import Path

from pipeline.api import has_orders, has_steps
from pipeline.cli.file_access import names_file
from pipeline.cli.messages import say
from pipeline.cli.options import program
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.shapes import Outline
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result

_MAX_COUNTED = 1_000_000
"""The limit in the suggested `count` command."""

_MAX_NAME = 200
"""Length from which a puzzle or link that was an argument is not repeated in each command."""


def suggest_commands(file: Path, result: Result) -> None:
    """Print commands to try with a puzzle, on standard error. `file`: the source of the puzzle."""
    commands = _commands_for(result, f"{file.stem}.svg" if names_file(file) else "puzzle.svg")
    if not commands:
        return
    named, heading = shlex.quote(str(file)), "Try next:"
    if len(named) > _MAX_NAME and not names_file(file):
        named, heading = "PUZZLE", "Try next, with your puzzle or link in place of PUZZLE:"
    width = max(map(len, commands))
    lines = (f"    {text:{width}}  {program()} {commands[text]} {named}" for text in commands)
    say("\n".join(["", heading, *lines]))


def _commands_for(result: Result, picture: str) -> dict[str, str]:
    """Purpose → command without its source. `picture`: the name of the file to draw."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return {}
    commands = dict[str, str]()
    if result.status == "unique" and has_steps(result):
        commands |= {"step by step": "solve --steps", "a hint": "solve --hint"}
        if has_orders(problem) and not (result.traits and result.traits.rating):
            commands["its difficulty"] = "solve --traits rating"
    if result.solutions:
        commands["a page to print"] = "sheet"
    if result.status == "multiple" and not result.complete:
        commands["count solutions"] = f"count --max-solutions {_MAX_COUNTED}"
    if _has_undrawn_shapes(problem.puzzle):
        commands["a full picture"] = f"convert -o {shlex.quote(picture)}"
    return commands


def _has_undrawn_shapes(puzzle: Puzzle) -> bool:
    """Whether rules have drawings that a terminal does not show, such as arrows."""
    shapes = (shape for rule in puzzle.rules for shape in rule.draw(puzzle.geometry))
    return any(puzzle.geometry.lowest != 1 or not isinstance(shape, Outline) for shape in shapes)
