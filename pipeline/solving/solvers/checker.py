"""A checker of proofs that others wrote, as a child process: `cake_lpr`, `lrat-check`."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import EnvironmentFailure, LimitReached, SolverError, SolverMissing
from pipeline.limits import MIB, Deadline
from pipeline.solving.solvers.child import Bounds, child, ended_within, nameless_file

VERDICTS = frozenset((b"s VERIFIED UNSAT", b"c VERIFIED"))
"""The verdicts of `cake_lpr` and `lrat-check` on a proof that holds."""

_MOST_OUTPUT = MIB
_MEMORY = 2**40
"""Bytes that it may reserve, of which `cake_lpr` uses hardly any."""


class Checker:
    """A program that takes a formula in DIMACS and a refutation in LRAT, two files.

    Raises SolverMissing if it is not there.
    """

    def __init__(self, program: str) -> None:
        found = shutil.which(program)
        if found is None:
            raise SolverMissing(f"--checker {program}: not a program that can be run")
        self._name, self._program = Path(found).name, found

    def confirm(self, formula: Iterable[str], lrat: str, deadline: Deadline) -> None:
        """Have it check a refutation: it has to end well, and to say that the proof holds.

        Raises SolverError if it does not, LimitReached when the deadline has passed, and
        EnvironmentFailure if it cannot be run.
        """
        seconds = deadline.left()
        bounds = Bounds(_MEMORY, _MOST_OUTPUT, math.ceil(seconds) + 1)
        try:
            with (
                tempfile.TemporaryDirectory(prefix="sudoku-pipeline-") as folder,
                nameless_file() as output,
            ):
                files = Path(folder, "formula.cnf"), Path(folder, "proof.lrat")
                for path, pieces in zip(files, (formula, [lrat]), strict=True):
                    with path.open("w", encoding="ascii") as file:
                        file.writelines(pieces)
                argv = [self._program, *map(str, files)]
                with child(argv, bounds, output.fileno()) as process:
                    if not ended_within(process, seconds):
                        raise LimitReached(f"{self._name}: {deadline.reason}")
                    code = process.wait()
                said = os.pread(output.fileno(), _MOST_OUTPUT, 0)
        except OSError as error:
            raise EnvironmentFailure(f"{self._program} cannot be run: {error.strerror}") from error
        if code or VERDICTS.isdisjoint(line.strip() for line in said.splitlines()):
            last = said.decode("ascii", errors="replace").strip().rpartition("\n")[2][:100]
            raise SolverError(f"{self._name} ended with exit code {code} and said {last!r}")
