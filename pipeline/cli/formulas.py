"""What the commands do that show what a solver would get and what its answer means."""

from __future__ import annotations

from pathlib import Path

import typer

from pipeline.certify import certify_grid, certify_model
from pipeline.cli.files import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    check_target,
    empty_puzzle,
    read_bytes,
    read_file,
    read_grid,
    read_puzzle,
    source_name,
    write_to,
)
from pipeline.errors import InputError, InvalidResult, SolverError
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import (
    Parsed,
    is_written_as_values,
    parsed_from,
    read_values,
    solution_text,
)
from pipeline.reading.formats.formula import read_model
from pipeline.service.exits import ALL_WELL, SOME_BAD
from pipeline.settings import NumberingChoice, Settings
from pipeline.solving.cnf import Sat, Unknown, Unsat, decode_model, dimacs_lines, parse_result
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.problem import FormulaProblem, PuzzleProblem

LARGEST_RESULT = 1 << 30


def encode(
    settings: Settings,
    file: Path | None,
    empty: str | None,
    numbering: NumberingChoice,
    output: Path | None,
    *,
    force: bool,
) -> None:
    if (file is None) == (empty is None):
        raise typer.BadParameter("give either a puzzle file or --empty")
    target = output or STANDARD_OUTPUT
    check_target("--output", target, [file] if file else [], force=force)
    puzzle = _puzzle(empty, file, settings).puzzle
    write_to(target, dimacs_lines(encode_puzzle(puzzle, settings.encoding, numbering)))


def _puzzle(empty: str | None, file: Path | None, settings: Settings) -> Parsed:
    """The empty puzzle of that size, or the one in the file."""
    if empty is not None:
        return parsed_from(empty_puzzle(empty))
    return read_puzzle(file or STANDARD_INPUT, settings)


def decode(
    settings: Settings, files: list[Path], empty: str | None, numbering: NumberingChoice
) -> None:
    if len(files) != (1 if empty else 2) or files.count(STANDARD_INPUT) > 1:
        raise typer.BadParameter("give PUZZLE and RESULT, or --empty and RESULT; one may be -")
    parsed = _puzzle(empty, files[0], settings)
    text = read_bytes(files[-1], LARGEST_RESULT).decode("ascii", errors="replace")
    try:
        print(_decoded(text, parsed, settings, numbering), end="")
    except (InvalidResult, SolverError) as error:
        raise InvalidResult(f"{source_name(files[-1])}: {error}") from error


def _decoded(text: str, parsed: Parsed, settings: Settings, numbering: NumberingChoice) -> str:
    """The grid of a result text, in the notation of its puzzle, or `no solution`."""
    answer = parse_result(text)
    match answer:
        case Sat(model):
            cnf = encode_puzzle(parsed.puzzle, settings.encoding, numbering)
            grid = decode_model(model, cnf)
            violations = certify_grid(parsed.puzzle, grid)
            if violations:
                raise SolverError(f"not a solution of this puzzle: {violations[0]}")
            return solution_text(parsed, grid)
        case Unsat():
            return "no solution\n"
        case Unknown(reason):
            raise SolverError(f"the result tells nothing: {reason}")


def certify(puzzle: Path, solutions: list[Path], settings: Settings) -> None:
    code = ALL_WELL
    wanted = read_file(puzzle, settings)
    for file in solutions:
        before = f"{source_name(file)}: " if len(solutions) > 1 else ""
        try:
            lines = [f"{before}{fault}" for fault in _faults(file, wanted, settings)]
        except InputError as error:
            lines = [str(error)]
        print("\n".join(lines or [f"{before}valid"]))
        code = SOME_BAD if lines else code
    raise typer.Exit(code)


def _grid(file: Path, wanted: Parsed, settings: Settings) -> Grid:
    """The grid in a file, as solutions of that puzzle are written. Raises InputError."""
    puzzle = wanted.puzzle
    in_numbers = puzzle.geometry.side > 9 and is_written_as_values(wanted.format, puzzle)
    if puzzle.is_plain and not in_numbers:
        return read_grid(file, settings)
    return read_values(read_bytes(file, settings.max_bytes), source_name(file), puzzle.geometry)


def _faults(file: Path, wanted: PuzzleProblem | FormulaProblem, settings: Settings) -> list[str]:
    """What is wrong with the grid, or the model, in a file. Raises InputError."""
    if isinstance(wanted, PuzzleProblem):
        grid = _grid(file, wanted.parsed, settings)
        return [*map(str, certify_grid(wanted.puzzle, grid))]
    data = read_bytes(file, LARGEST_RESULT)
    try:
        broken = certify_model(wanted.parsed.written, read_model(data, wanted.parsed.variables))
    except InputError as error:
        raise InputError(f"{source_name(file)}: {error}") from error
    return [] if broken is None else [f"clause {broken + 1} is not satisfied"]
