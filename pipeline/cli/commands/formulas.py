"""Commands for using and comparing SAT solvers: encode, decode, certify, bench."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pipeline.cli.completion import complete_solvers
from pipeline.cli.messages import say
from pipeline.cli.options import (
    READING_FIELDS,
    FilesArgument,
    ForceOption,
    Output,
    check_json,
    example_hint,
    is_piped,
    json_option,
    output_option,
    takes,
)
from pipeline.errors import (
    InputError,
    InvalidResult,
    PipelineError,
    SolverError,
    UsageError,
    counted,
    printable,
)
from pipeline.service.signals import EXIT_BAD_INPUT, EXIT_OK
from pipeline.settings import EncodingChoice, NumberingChoice, Settings

if TYPE_CHECKING:
    from pipeline.reading.formats import Parsed
    from pipeline.solving.cnf import Cnf
    from pipeline.solving.problem import FormulaProblem, PuzzleProblem

EmptyOption = Annotated[
    str | None,
    typer.Option("--empty", metavar="HxW", help="Use an empty grid with boxes of this size."),
]
NumberingOption = Annotated[
    NumberingChoice,
    typer.Option(
        "--numbering",
        metavar="NAME",
        help="`dense`: numbers without gaps; `decimal`: the digits of row, column and value.",
    ),
]
MAX_RESULT_BYTES = 1 << 30
"""Maximum size of a solver's result file."""


@takes("encoding", *READING_FIELDS, "max_total_bytes", "max_members", "quiet", encoding="extended")
def encode(  # noqa: PLR0913 - one parameter per option
    context: typer.Context,
    settings: Settings,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="A puzzle, or files of puzzles; - or nothing for standard input."),
    ] = None,
    *,
    empty: EmptyOption = None,
    numbering: NumberingOption = "dense",
    output: Annotated[
        str | None,
        output_option(
            "Write to this file instead of standard output; FOLDER/: write one file per puzzle.",
            "PATH",
        ),
    ] = None,
    force: ForceOption = False,
    as_json: Annotated[
        bool,
        json_option(
            "source, line, variables, clauses; with -o file and puzzles, else text; reason if a "
            "puzzle was not encoded"
        ),
    ] = False,
) -> None:
    """Encode puzzles as CNF in DIMACS format.

    Several puzzles need -o FOLDER/.

    sudoku-pipeline encode examples/classic.sudoku -o classic.cnf

    sudoku-pipeline encode examples/collection.txt -o formulas/

    sudoku-pipeline encode --empty 3x3 --encoding textbook --numbering decimal

    Exit code 1: a puzzle could not be encoded.
    """
    from pipeline.cli.file_access import (
        STANDARD_INPUT,
        STANDARD_OUTPUT,
        check_target,
        source_name,
        write_to,
    )
    from pipeline.solving.cnf import dimacs_lines
    from pipeline.solving.encode import encode_puzzle

    if not files and empty is None and is_piped():
        files = [STANDARD_INPUT]
    if bool(files) == (empty is not None):
        raise UsageError(f"give either puzzle files or --empty{example_hint(context.command)}")
    target, out = Path(output) if output else STANDARD_OUTPUT, Output(as_json, settings.quiet)
    if files and (target.is_dir() or (output or "").endswith("/")):
        code = _encode_each(files, target, settings, numbering, out, force=force)
        raise typer.Exit(code)
    if files and len(files) > 1:
        raise UsageError("several files need -o FOLDER/, which gets one formula per puzzle")
    check_target("--output", target, files or [], force=force)
    check_json(output, as_json=as_json)
    source = files[0] if files else STANDARD_INPUT
    fields = {"source": source_name(source) if files else None, "line": None}
    try:
        puzzle = _parsed_puzzle(empty, source, settings).puzzle
    except InputError as error:
        out.row(fields | {"reason": str(error)})
        raise
    cnf = encode_puzzle(puzzle, settings.encoding, numbering)
    if output or not as_json:
        write_to(target, dimacs_lines(cnf))
    if as_json:
        written = {"file": output, "puzzles": 1}
        text = {} if output else {"text": "".join(dimacs_lines(cnf))}
        out.row(fields | _sizes_of(cnf) | (written if output else text))


def _sizes_of(cnf: Cnf) -> dict[str, object]:
    """The numbers of variables and clauses, as fields for JSON."""
    return {"variables": cnf.variables, "clauses": cnf.size}


def _encode_each(
    files: list[Path],
    target: Path,
    settings: Settings,
    numbering: NumberingChoice,
    out: Output,
    *,
    force: bool,
) -> int:
    """Write the CNF of each puzzle to a file in the folder `target`. Returns the exit code."""
    from pipeline.cli.converting import items_of_files, skip_message
    from pipeline.cli.file_access import OutputFolder, atomic_output
    from pipeline.reading.formats.dimacs import FORMULA_REFUSED
    from pipeline.service.log import Display
    from pipeline.solving.cnf import dimacs_lines
    from pipeline.solving.encode import encode_puzzle
    from pipeline.solving.problem import PuzzleProblem

    folder, done, code = OutputFolder(target, ".cnf", files, force=force), 0, EXIT_OK
    items = items_of_files(files, settings)
    for item in Display(None, bar=not (out.quiet or out.as_json)).with_progress(items, "encoding"):
        fields: dict[str, object] = {"source": item.name, "line": item.line}
        try:
            if not isinstance(item.problem, PuzzleProblem):
                raise InputError(item.reason or FORMULA_REFUSED)
            cnf = encode_puzzle(item.problem.puzzle, settings.encoding, numbering)
        except (PipelineError, ValueError) as error:
            say(skip_message(item.where, str(error)))
            code, fields["reason"] = EXIT_BAD_INPUT, str(error)
        else:
            path = folder.target_of(item.name, item.line)
            with atomic_output(path) as file:
                file.writelines(chunk.encode() for chunk in dimacs_lines(cnf))
            done += 1
            fields |= _sizes_of(cnf) | {"file": str(path), "puzzles": 1}
        out.row(fields)
    if done:
        out.report_file(target, f": {counted(done, 'formula')}")
    return code


@takes("encoding", *READING_FIELDS, encoding="extended")
def decode(
    settings: Settings,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="[PUZZLE] RESULT",
            help="The puzzle, unless --empty is given, and the result file.",
        ),
    ],
    empty: EmptyOption = None,
    numbering: NumberingOption = "dense",
    as_json: Annotated[
        bool, json_option("source; solution: the text of the grid, or null if there is none")
    ] = False,
) -> None:
    """Convert a solver's result file to a grid.

    The result is in minisat's format, or has the s and v lines of the SAT competition. Use the same
    --encoding and --numbering as with `encode`.

    sudoku-pipeline decode examples/classic.sudoku classic.out

    sudoku-pipeline decode --empty 3x3 --numbering decimal empty.out
    """
    from pipeline.cli.file_access import STANDARD_INPUT, read_bytes, source_name

    if len(files) != (1 if empty else 2) or files.count(STANDARD_INPUT) > 1:
        raise UsageError("give PUZZLE and RESULT, or --empty and RESULT; only one of them can be -")
    parsed = _parsed_puzzle(empty, files[0], settings)
    text = read_bytes(files[-1], MAX_RESULT_BYTES).decode("ascii", errors="replace")
    try:
        decoded = _decode(text, parsed, settings.encoding, numbering)
    except (InvalidResult, SolverError) as error:
        raise InvalidResult(f"{source_name(files[-1])}: {error}") from error
    text = (decoded or "no solution").removesuffix("\n")
    Output(as_json).row({"source": source_name(files[-1]), "solution": decoded}, text)


def _decode(
    text: str, parsed: Parsed, encoding: EncodingChoice, numbering: NumberingChoice
) -> str | None:
    """Decode the result of a solver to a grid in the notation of the puzzle.

    Returns None if the solver found no solution.

    Raises InvalidResult and SolverError.
    """
    from pipeline.certify import certify_grid
    from pipeline.reading.formats import solution_text
    from pipeline.solving.cnf import Sat, Unknown, decode_model, parse_result
    from pipeline.solving.encode import encode_puzzle

    answer = parse_result(text)
    if isinstance(answer, Unknown):
        raise SolverError(f"the result contains no answer: {answer.reason}")
    if not isinstance(answer, Sat):
        return None
    grid = decode_model(answer.model, encode_puzzle(parsed.puzzle, encoding, numbering))
    if violations := certify_grid(parsed.puzzle, grid):
        raise SolverError(f"the result is not a solution of this puzzle: {violations[0]}")
    return solution_text(parsed, grid)


def _parsed_puzzle(empty: str | None, file: Path, settings: Settings) -> Parsed:
    """Read the puzzle in a file; if `empty` is given, make an empty one with boxes of that size."""
    from pipeline.cli.file_access import empty_puzzle, read_puzzle
    from pipeline.reading.formats import parsed_from

    return read_puzzle(file, settings) if empty is None else parsed_from(empty_puzzle(empty))


@takes(*READING_FIELDS)
def certify(
    puzzle: Annotated[Path, typer.Argument(help="The puzzle or formula; - is standard input.")],
    solutions: Annotated[list[Path], typer.Argument(help="Filled grids or models to check.")],
    settings: Settings,
    *,
    as_json: Annotated[bool, json_option("source, valid, faults")] = False,
) -> None:
    """Check solutions of a puzzle, or models of a formula.

    The check uses only the rules or clauses, no solver.

    sudoku-pipeline certify examples/classic.sudoku outbox/classic_1.solution

    sudoku-pipeline certify examples/colours.cnf outbox/colours_1.solution
    """
    from pipeline.cli.file_access import read_file, source_name

    code = EXIT_OK
    problem = read_file(puzzle, settings)
    for file in solutions:
        name = source_name(file)
        before = f"{name}: " if len(solutions) > 1 and not as_json else ""
        try:
            lines = [f"{before}{fault}" for fault in _faults(file, problem, settings)]
        except InputError as error:
            lines = [str(error)]
        fields = {"source": name, "valid": not lines, "faults": lines}
        Output(as_json).row(fields, "\n".join(lines or [f"{before}valid"]))
        code = EXIT_BAD_INPUT if lines else code
    raise typer.Exit(code)


def _faults(file: Path, problem: PuzzleProblem | FormulaProblem, settings: Settings) -> list[str]:
    """Check the grid or model in a file. Returns its faults. Raises InputError."""
    from pipeline.certify import certify_grid, certify_model
    from pipeline.cli.file_access import read_bytes, read_solution, source_name
    from pipeline.reading.formats.dimacs import read_model
    from pipeline.solving.problem import PuzzleProblem

    if isinstance(problem, PuzzleProblem):
        grid = read_solution(file, problem.parsed, settings)
        return [*map(str, certify_grid(problem.puzzle, grid))]
    data = read_bytes(file, MAX_RESULT_BYTES)
    try:
        broken = certify_model(problem.parsed.written, read_model(data, problem.parsed.variables))
    except InputError as error:
        raise InputError(f"{source_name(file)}: {error}") from error
    return [] if broken is None else [f"clause {broken + 1} is not satisfied"]


@takes(
    "minisat",
    "encoding",
    "timeout",
    "memory_limit",
    *READING_FIELDS,
    "max_total_bytes",
    "max_members",
    "quiet",
    encoding="extended",
)
def bench(
    files: FilesArgument,
    settings: Settings,
    *,
    solvers: Annotated[
        str,
        typer.Option(
            "--solvers",
            metavar="NAMES",
            autocompletion=complete_solvers,
            help="Solvers, separated by commas: minisat (the program) or names of PySAT's solvers.",
        ),
    ] = "minisat,glucose4,cadical195",
    unique: Annotated[
        bool,
        typer.Option(
            "--unique", help="Also ask for a second solution; the times include both answers."
        ),
    ] = False,
    to: Annotated[
        Literal["text", "csv", "latex"],
        typer.Option("--to", metavar="FORMAT", help="Format of the table: text, csv or latex."),
    ] = "text",
    as_json: Annotated[
        bool,
        json_option("name, line, variables, clauses, status, runs; reason if it was not read"),
    ] = False,
) -> None:
    """Compare solvers: the time that each takes for each puzzle.

    All solvers get the same clauses; --timeout and --memory-limit apply to each run. Times exclude
    starting the solver and, for PySAT, loading the clauses. Solutions are certified, but an answer
    "unsatisfiable" is not verified. Ctrl-C prints the results so far.

    sudoku-pipeline bench examples/classic.sudoku examples/killer.txt

    sudoku-pipeline bench --solvers minisat22,lingeling --unique examples/six.txt

    sudoku-pipeline bench --to latex --timeout 10s examples/six.txt > table.tex

    Exit code 1: a file could not be read, or a solver gave a wrong answer or none.
    """
    from pipeline.cli.benching import ResultTable
    from pipeline.cli.converting import items_of_files, skip_message
    from pipeline.service.log import Display
    from pipeline.solving.bench import bench as benched_of
    from pipeline.solving.bench import solvers_named

    named = solvers_named(
        [name.strip() for name in solvers.split(",") if name.strip()], settings.minisat
    )
    rows = benched_of(items_of_files(files, settings), named, settings, unique=unique)
    table, out, code = ResultTable(to, [*named]), Output(as_json), EXIT_OK
    try:
        for row in Display(None, bar=not settings.quiet).with_progress(rows, "bench"):
            out.row(dataclasses.asdict(row) | {"status": row.status})
            if row.reason is None and not as_json:
                table.add(row)
            if row.reason is not None:
                say(skip_message(row.where, row.reason))
            for run in row.runs:
                if run.failure in ("failed", "wrong"):
                    say(f"{printable(row.where)}: {run.solver}: {run.reason}")
            code = EXIT_BAD_INPUT if row.reason or any(r.failure for r in row.runs) else code
    finally:
        table.end()
    raise typer.Exit(code)
