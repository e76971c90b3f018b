"""Minisat as a child process. It is never trusted.

A verdict is the exit code and a result file that agrees with it; for SAT a model too, which
whoever asked holds against the clauses. Anything else is a SolverError. Version 2.2.1 is known
to report SAT without a model when its disk is full, and to keep a stale result on a parse
error: hence a fresh result path for every question.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from pipeline.cnf import Answer, Clause, Cnf, Sat, Unknown, Unsat
from pipeline.dimacs import clause_lines, header, parse_result
from pipeline.errors import (
    EnvironmentFailure,
    InvalidResult,
    SolverError,
    SolverMissing,
    is_environmental,
)
from pipeline.files import read_regular
from pipeline.solve.base import Deadline, Limits, Session
from pipeline.solve.child import MIB, Bounds, run_child

SATISFIABLE, UNSATISFIABLE, NO_VERDICT = 10, 20, 0
_WIDEST_HEADER = len(header(2**31, 2**63))
_MOST_OUTPUT = 4 * MIB
_BYTES_PER_LITERAL = 12
_PREFIX = "sudoku-pipeline-"
_HOW_TO_INSTALL = "install it (apt-get install minisat, brew install minisat) or use --solver pysat"


def find_minisat(path: str | None) -> str | None:
    """Where the minisat program is: `path` if given, else the PATH's; None if there is none.

    Raises SolverMissing where `path` is not a program.
    """
    if path is None:
        return shutil.which("minisat")
    found = shutil.which(path)
    if found is None:
        raise SolverMissing(f"--minisat {path}: not a program that can be run; {_HOW_TO_INSTALL}")
    return found


def missing_minisat() -> SolverMissing:
    """The error for --solver minisat where there is none."""
    return SolverMissing(f"minisat is not installed; {_HOW_TO_INSTALL}")


@dataclass(frozen=True, slots=True)
class Minisat:
    """The minisat program at `program`."""

    program: str
    name: str = "minisat"
    version: str | None = None

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[Session]:
        with ExitStack() as stack:
            with _room():
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=_PREFIX))
                file = (Path(folder) / "puzzle.cnf").open("w", encoding="ascii")
                stack.callback(_close, file)
                session = _Session(self.program, cnf, limits, file)
            yield session

    def close(self) -> None:
        """Nothing is kept between sessions."""


@contextmanager
def _room() -> Iterator[None]:
    """Around what needs room on the disk, a descriptor or a process."""
    try:
        yield
    except OSError as error:
        raise EnvironmentFailure(f"no room for minisat's files: {error.strerror}") from error


def _close(file: TextIO) -> None:
    """Close a file whose last bytes nobody needs."""
    with contextlib.suppress(OSError):
        file.close()


class _Session:
    """A DIMACS file that grows at its end, and a process for each question."""

    def __init__(self, program: str, cnf: Cnf, limits: Limits, file: TextIO) -> None:
        self._program = program
        self._limits = limits
        self._deadline = Deadline.of(limits)
        self._file = file
        self._folder = Path(file.name).parent
        self._variables = cnf.variables
        self._size = cnf.size
        self._questions = 0
        self._write_header()
        for lines in clause_lines(cnf.clauses()):
            if not self._deadline.left():
                break  # the first question is answered with that
            file.write(lines)

    def _write_header(self) -> None:
        """Write the header over the old one; blanks make all headers equally long."""
        line = header(self._variables, self._size)
        self._file.seek(0)
        self._file.write(line.rstrip("\n").ljust(_WIDEST_HEADER) + "\n")

    def add(self, clause: Clause) -> None:
        with _room():
            self._size += 1
            self._write_header()
            self._file.seek(0, 2)
            self._file.writelines(clause_lines([clause]))

    def solve(self) -> Answer:
        left = self._deadline.left()
        if not left:
            return Unknown(self._limits.out_of_time)
        with _room():
            self._file.flush()
        self._questions += 1
        result = self._folder / f"result-{self._questions}"
        output = self._folder / f"output-{self._questions}"
        bounds = Bounds(self._limits.megabytes * MIB, max(self._most_result, _MOST_OUTPUT))
        argv = [
            self._program,
            "-verb=0",
            "-no-pre",
            f"-cpu-lim={math.ceil(left) + 1}",
            f"-mem-lim={self._limits.megabytes}",
            self._file.name,
            str(result),
        ]
        try:
            code = run_child(argv, output, bounds, left)
        except OSError as error:
            blame = EnvironmentFailure if is_environmental(error) else SolverError
            raise blame(f"{self._program} cannot be run: {error.strerror}") from error
        if code is None:
            return Unknown(self._limits.out_of_time)
        return self._verdict(code, result, output)

    @property
    def _most_result(self) -> int:
        """More bytes than any result has."""
        return _BYTES_PER_LITERAL * self._variables + MIB

    def _verdict(self, code: int, result: Path, output: Path) -> Answer:
        """What exit code and result file say together."""
        if code not in (SATISFIABLE, UNSATISFIABLE, NO_VERDICT):
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            raise SolverError(f"minisat ended with {how}")
        try:
            if code == NO_VERDICT and not result.exists():
                if b"INDETERMINATE" in read_regular(output, _MOST_OUTPUT):
                    return Unknown(self._limits.out_of_memory)
                raise SolverError("minisat ended with exit code 0 and without a result")
            text = read_regular(result, self._most_result).decode("ascii", errors="replace")
            answer = parse_result(text)
        except (OSError, InvalidResult) as error:
            raise SolverError(f"minisat ended with exit code {code}, but: {error}") from error
        match code, answer:
            case (10, Sat()) | (20, Unsat()):
                return answer
        said = type(answer).__name__.upper()  # it gives up for no reason of ours either
        raise SolverError(f"minisat ended with exit code {code}, and its result says {said}")
