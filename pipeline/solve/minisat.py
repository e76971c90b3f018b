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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
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
from pipeline.solve.scratch import scratch_folder

SATISFIABLE, UNSATISFIABLE, NO_VERDICT = 10, 20, 0
_WIDEST_HEADER = len(header(2**31, 2**63))
_MOST_OUTPUT = 4 * MIB
_BYTES_PER_LITERAL = 12
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


class Minisat:
    """The minisat program at `program`."""

    name = "minisat"
    version: str | None = None

    def __init__(self, program: str) -> None:
        self._program = program
        self._stack = ExitStack()
        self._folder: Path | None = None
        self._names = count(1)

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[Session]:
        with ExitStack() as stack:
            with _room():
                file = self.fresh_path().open("w", encoding="ascii")
                stack.callback(_close, file)
                session = _Session(self, cnf, limits, file)
            yield session

    def fresh_path(self) -> Path:
        """A path of no file, in a private folder. Raises OSError where there is no room for one.

        Never one used before: minisat may leave a stale result as it is, and to truncate a file
        makes some filesystems write it out.
        """
        if self._folder is None or not self._folder.is_dir():  # some clear /tmp now and then
            self._stack.close()
            self._folder = self._stack.enter_context(scratch_folder())
        return self._folder / str(next(self._names))

    def run(self, problem: str, limits: Limits, seconds: float, most: int) -> Answer:
        """What minisat says of a DIMACS file within that time; its result is at most that long.

        Raises SolverError for anything but an answer, EnvironmentFailure where it cannot start.
        """
        result, output = self.fresh_path(), self.fresh_path()
        argv = [
            self._program,
            "-verb=0",
            "-no-pre",
            f"-cpu-lim={math.ceil(seconds) + 1}",
            f"-mem-lim={limits.megabytes}",
            problem,
            str(result),
        ]
        bounds = Bounds(limits.megabytes * MIB, max(most, _MOST_OUTPUT))
        try:
            code = run_child(argv, output, bounds, seconds)
            if code is None:
                return Unknown(limits.out_of_time)
            return _verdict(code, result, output, most) or Unknown(limits.out_of_memory)
        except OSError as error:
            blame = EnvironmentFailure if is_environmental(error) else SolverError
            raise blame(f"{self._program} cannot be run: {error.strerror}") from error
        finally:
            for path in (result, output):
                with contextlib.suppress(OSError):
                    path.unlink()

    def close(self) -> None:
        self._folder = None
        self._stack.close()


@contextmanager
def _room() -> Iterator[None]:
    """Around what needs room on the disk, a descriptor or a process."""
    try:
        yield
    except OSError as error:
        raise EnvironmentFailure(f"no room for minisat's files: {error.strerror}") from error


def _close(file: TextIO) -> None:
    """Close and remove a file whose last bytes nobody needs."""
    with contextlib.suppress(OSError):
        Path(file.name).unlink()
    with contextlib.suppress(OSError):
        file.close()


class _Session:
    """A DIMACS file that grows at its end, asked about as it is."""

    def __init__(self, owner: Minisat, cnf: Cnf, limits: Limits, file: TextIO) -> None:
        self._owner = owner
        self._limits = limits
        self._deadline = Deadline.of(limits)
        self._file = file
        self._variables = cnf.variables
        self._size = cnf.size
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
        most = _BYTES_PER_LITERAL * self._variables + MIB
        return self._owner.run(self._file.name, self._limits, left, most)


def _verdict(code: int, result: Path, output: Path, most: int) -> Sat | Unsat | None:
    """What exit code and result file say together; None if the memory was too small.

    Raises SolverError for anything else.
    """
    if code not in (SATISFIABLE, UNSATISFIABLE, NO_VERDICT):
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        raise SolverError(f"minisat ended with {how}")
    try:
        if code == NO_VERDICT and not result.exists():
            if b"INDETERMINATE" in read_regular(output, _MOST_OUTPUT):
                return None
            raise SolverError("minisat ended with exit code 0 and without a result")
        answer = parse_result(read_regular(result, most).decode("ascii", errors="replace"))
    except (OSError, InvalidResult) as error:
        raise SolverError(f"minisat ended with exit code {code}, but: {error}") from error
    match code, answer:
        case (10, Sat() as verdict) | (20, Unsat() as verdict):
            return verdict
    said = type(answer).__name__.upper()  # it gives up for no reason of ours either
    raise SolverError(f"minisat ended with exit code {code}, and its result says {said}")
