"""Prove published assertions: write the formula and its refutations, and run external checkers."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pipeline.cli.file_access import check_target, write_to
from pipeline.cli.messages import say
from pipeline.cli.options import Output
from pipeline.errors import (
    EnvironmentFailure,
    LimitReached,
    SolverError,
    SolverMissing,
    UsageError,
    counted,
    printable,
)
from pipeline.files import read_regular
from pipeline.limits import MIB, Deadline, Limits
from pipeline.outbox.assertions import Assertion, enclosing_folders
from pipeline.outbox.names import PROOF_SUFFIX
from pipeline.outbox.published import PublishedCollection, PublishedPuzzle
from pipeline.settings import Settings
from pipeline.solving.complete import prove_complete
from pipeline.solving.one import solve_problem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Bounds, ended_within, open_unnamed_file, start_child

VALID_PROOF_LINES = frozenset((b"s VERIFIED UNSAT", b"c VERIFIED"))
"""The lines that `cake_lpr` and `lrat-check` print for a valid proof."""

_MAX_OUTPUT_BYTES = MIB
"""Maximum size of the output of a checker."""
_MAX_ADDRESS_SPACE = 2**40
"""Limit of the address space of a checker in bytes. `cake_lpr` reserves far more than it uses."""


def prepare_folder(folder: Path, published: PublishedPuzzle | PublishedCollection) -> Path:
    """Check the folder for the files of a proof, create it if necessary, and return it.

    Raises UsageError, OSError.
    """
    shown = f"--output {printable(str(folder))}"
    if not folder.parent.is_dir() or (os.path.lexists(folder) and not folder.is_dir()):
        raise UsageError(f"{shown}: no such folder; name an existing folder")
    folder.mkdir(exist_ok=True)
    if any(folder.samefile(published_folder) for published_folder in enclosing_folders(published)):
        raise UsageError(f"{shown} is reserved for published results; name another folder")
    return folder


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of an attempt to prove an assertion: the files of the proof, or a reason.

    `other_solution`: the text of a solution that the assertion does not list, which refutes it.
    """

    name: str
    status: str
    proved: bool = False
    steps: int | None = None
    variables: int | None = None
    clauses: int | None = None
    files: tuple[str, ...] = ()
    reason: str | None = None
    other_solution: str | None = None


def prove(
    assertion: Assertion,
    folder: Path,
    solvers: Solvers,
    settings: Settings,
    checker: Checker | None,
) -> Attempt:
    """Prove that an assertion lists all solutions, and write the files of the proof.

    If `checker` is given, the files are written only if the checker confirms the proof.
    """
    attempt = Attempt(assertion.name, assertion.status)
    limits = Limits(settings.timeout, settings.memory_limit)
    certificate, proof = prove_complete(assertion.problem, assertion.solutions, solvers, limits)
    if proof is None:
        other = (
            None if certificate.complete != "no" else _other_solution(assertion, solvers, settings)
        )
        why = f"recorded as {assertion.status}, but there is another {assertion.problem.noun}"
        reason = why if other else f"not proved: {certificate.reason}"
        return replace(attempt, reason=reason, other_solution=other)
    formula = proof.formula()
    try:
        if checker:
            checker.confirm(formula.text(), proof.lrat, Deadline.of(limits))
    except (SolverError, LimitReached) as error:
        return replace(attempt, reason=f"the checker did not confirm the proof: {error}")
    stem = f"{assertion.stem}{PROOF_SUFFIX}"
    texts = {
        folder / f"{stem}.cnf": "".join(formula.text()),
        folder / f"{stem}.drat": proof.drat,
        folder / f"{stem}.lrat": proof.lrat,
    }
    _write_new(texts)
    return replace(
        attempt,
        proved=True,
        steps=certificate.steps or 0,
        variables=formula.variables,
        clauses=len(formula.clauses),
        files=tuple(map(str, texts)),
    )


def show_attempt(attempt: Attempt, out: Output) -> None:
    """Print the outcome of an attempt; if `out` is quiet, only a failure."""
    if out.as_json:
        out.row(asdict(attempt))
    elif attempt.other_solution:
        print(f"BAD  {attempt.name}: {attempt.reason}:")
        print(attempt.other_solution, end="", flush=True)
    elif not attempt.proved:
        say(f"{attempt.name}: {attempt.reason}")
    else:
        size = f"{attempt.variables:,} variables, {attempt.clauses:,} clauses"
        names = ", ".join(map(printable, attempt.files))
        steps = counted(attempt.steps or 0, "step")
        out.note(f"{attempt.name}: {attempt.status}: {steps}, {size}: {names}")


def _write_new(texts: Mapping[Path, str]) -> None:
    """Write the files that do not exist. `texts`: path → content.

    Raises UsageError if a file exists with other content.
    """
    existing = {path for path in texts if os.path.lexists(path)}
    for path in texts:
        check_target(
            "--output", path, force=True
        )  # the content of an existing file is compared below
        if path in existing and not _has_content(path, texts[path]):
            shown = printable(str(path))
            raise UsageError(
                f"{shown} exists with other content; remove it, or name another folder"
            )
    for path in texts.keys() - existing:
        write_to(path, [texts[path]])


def _has_content(path: Path, text: str) -> bool:
    """Whether a file can be read and contains this text."""
    try:
        return read_regular(path, len(text)) == text.encode("ascii")
    except OSError:
        return False


def _other_solution(assertion: Assertion, solvers: Solvers, settings: Settings) -> str | None:
    """Search for a solution that an assertion lacks. Returns its text, or None."""
    more = replace(settings, max_solutions=len(assertion.solutions) + 1)
    result = solve_problem(assertion.problem, solvers, more, Stopwatch(), explain=False)
    different = [solution for solution in result.solutions if solution not in assertion.solutions]
    return "".join(assertion.problem.text(different[0])) if different else None


class Checker:
    """An external program that checks a refutation in LRAT of a formula in DIMACS.

    Raises SolverMissing if the program is not installed.
    """

    def __init__(self, program: str) -> None:
        executable = shutil.which(program)
        if executable is None:
            raise SolverMissing(
                f"--checker {program}: no such program; install it, or give its path"
            )
        self._name, self._program = Path(executable).name, executable

    def confirm(self, formula: Iterable[str], lrat: str, deadline: Deadline) -> None:
        """Run the checker on a formula and its refutation.

        Raises SolverError unless the checker exits with 0 and prints that the refutation is valid,
        LimitReached after the deadline, and EnvironmentFailure if the checker cannot be run.
        """
        seconds = deadline.left()
        bounds = Bounds(_MAX_ADDRESS_SPACE, _MAX_OUTPUT_BYTES, math.ceil(seconds) + 1)
        try:
            with (
                tempfile.TemporaryDirectory(prefix="sudoku-pipeline-") as folder,
                open_unnamed_file() as output,
            ):
                files = Path(folder, "formula.cnf"), Path(folder, "proof.lrat")
                for path, chunks in zip(files, (formula, [lrat]), strict=True):
                    with path.open("w", encoding="ascii") as file:
                        file.writelines(chunks)
                argv = [self._program, *map(str, files)]
                with start_child(argv, bounds, output.fileno()) as process:
                    if not ended_within(process, seconds):
                        raise LimitReached(f"{self._name}: {deadline.reason}")
                    code = process.wait()
                output_text = os.pread(output.fileno(), _MAX_OUTPUT_BYTES, 0)
        except OSError as error:
            raise EnvironmentFailure(f"cannot run {self._program}: {error.strerror}") from error
        if code or VALID_PROOF_LINES.isdisjoint(line.strip() for line in output_text.splitlines()):
            last = output_text.decode("ascii", errors="replace").strip().rpartition("\n")[2][:100]
            raise SolverError(f"{self._name} exited with code {code} and printed {last!r}")
