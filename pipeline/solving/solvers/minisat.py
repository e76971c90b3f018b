"""Run minisat in child processes, which are not trusted.

Each process solves one formula from its standard input. Processes are started in advance, because
starting one takes half of the time. A SolverError is raised if the exit code and the result file
give different verdicts, or if SAT comes without a model. The caller checks the model against the
clauses.

When its disk is full, minisat 2.2.1 reports SAT without a model. After a parse error it leaves an
old result file unchanged, so each process gets a new file. The files for the result and the output
are unnamed, so a crash leaves none behind.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from pipeline.errors import EnvironmentFailure, InvalidResult, SolverError, is_environmental
from pipeline.limits import MIB, Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.solving.cnf import (
    Answer,
    Cnf,
    Sat,
    Unknown,
    Unsat,
    clause_lines,
    dimacs_header,
    parse_result,
)
from pipeline.solving.solvers import Session
from pipeline.solving.solvers.child import (
    Bounds,
    Child,
    ended_within,
    limit_process,
    open_unnamed_file,
    start_child,
    write_to_pipe,
)

EXIT_SAT, EXIT_UNSAT, EXIT_NO_VERDICT = 10, 20, 0
"""Exit codes of minisat."""

_MAX_OUTPUT_BYTES = 4 * MIB
"""Maximum size of the output of minisat."""

_MAX_WAITING_SECONDS = 5
"""CPU time limit, in seconds, of a process that waits for a formula. It needs milliseconds."""

_BYTES_PER_LITERAL = 12
"""Maximum number of bytes of a literal in a result file."""

_PROCESSES_AHEAD = 3
"""Number of processes started in advance. Most puzzles need two: one finds a solution, one decides
whether there is another. The third one is for the next puzzle.
"""


@dataclass(slots=True)
class _WaitingProcess:
    """A minisat process that waits for a formula. Closing `stack` ends it.

    - `limits`: its limits, in seconds and MiB.
    - `feed`: the pipe to its standard input.
    """

    process: Child
    limits: tuple[float, int]
    feed: BinaryIO
    result: BinaryIO
    output: BinaryIO
    stack: ExitStack


class Minisat:
    """The solver minisat. `program`: the path of the program."""

    name = "minisat"
    version: str | None = None

    def __init__(self, program: str) -> None:
        self._program = program
        self._waiting: list[_WaitingProcess] = []

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[Session]:
        self._start_ahead(limits, 1)
        yield MinisatSession(self, cnf, limits)

    def warm(self, limits: Limits) -> None:
        self._start_ahead(limits, _PROCESSES_AHEAD)

    def _start_ahead(self, limits: Limits, processes: int) -> None:
        """End waiting processes with other limits, then start some until `processes` are waiting.

        Raises EnvironmentFailure, SolverError.
        """
        process_limits = (limits.seconds, limits.megabytes)
        for started in list(self._waiting):
            if started.limits != process_limits or ended_within(started.process, 0):
                self._waiting.remove(started)
                started.stack.close()
        while len(self._waiting) < processes:
            self._waiting.append(self._start(limits))

    def _start(self, limits: Limits) -> _WaitingProcess:
        """Start a process that waits for a formula. Raises EnvironmentFailure, SolverError."""
        with ExitStack() as stack, self._converting_os_errors():
            result, output = (stack.enter_context(open_unnamed_file()) for _ in range(2))
            source, sink = os.pipe()
            feed = stack.enter_context(os.fdopen(sink, "wb", buffering=0))
            argv = [
                self._program,
                "-verb=0",
                "-no-pre",
                f"-cpu-lim={math.ceil(limits.seconds) + 1}",
                f"-mem-lim={limits.megabytes}",
                "/dev/stdin",
                f"/dev/fd/{result.fileno()}",
            ]
            initial_bounds = Bounds(limits.megabytes * MIB, _MAX_OUTPUT_BYTES, _MAX_WAITING_SECONDS)
            try:
                process = stack.enter_context(
                    start_child(argv, initial_bounds, output.fileno(), source, [result.fileno()])
                )
            finally:
                os.close(source)
            process_limits = (limits.seconds, limits.megabytes)
            return _WaitingProcess(process, process_limits, feed, result, output, stack.pop_all())

    def solve_text(
        self, text: Iterable[bytes], limits: Limits, deadline: Deadline, max_bytes: int
    ) -> Answer:
        """Solve a DIMACS text. `max_bytes`: maximum size of the text and of the result file.

        Raises SolverError, and EnvironmentFailure if minisat cannot be started.
        """
        self._start_ahead(limits, 1)
        minisat = self._waiting.pop(0)
        seconds = math.ceil(limits.seconds) + _MAX_WAITING_SECONDS
        with minisat.stack, self._converting_os_errors():
            bounds = Bounds(limits.megabytes * MIB, max(max_bytes, _MAX_OUTPUT_BYTES), seconds)
            limit_process(minisat.process, bounds)
            with minisat.feed:
                if not write_to_pipe(text, minisat.feed.fileno(), deadline.left()):
                    return Unknown(limits.timeout_message)
            # Start the next process while this one is busy. The next call raises any error again.
            with contextlib.suppress(SolverError, EnvironmentFailure):
                self._start_ahead(limits, 1)
            if not ended_within(minisat.process, deadline.left()):
                return Unknown(limits.timeout_message)
            result, output = (
                _read(minisat.result, max_bytes),
                _read(minisat.output, _MAX_OUTPUT_BYTES),
            )
            return _verdict(minisat.process.wait(), result, output) or Unknown(
                limits.memory_message
            )

    @contextmanager
    def _converting_os_errors(self) -> Iterator[None]:
        """Context manager: raise EnvironmentFailure or SolverError instead of an OSError."""
        try:
            yield
        except OSError as error:
            error_type = EnvironmentFailure if is_environmental(error) else SolverError
            raise error_type(f"{self._program} cannot be run: {error.strerror}") from error

    def close(self) -> None:
        while self._waiting:
            self._waiting.pop().stack.close()


def _read(file: BinaryIO, max_bytes: int) -> bytes:
    """Read up to `max_bytes` from the start of a file that another process has written."""
    descriptor = file.fileno()
    return os.pread(descriptor, min(max_bytes, os.fstat(descriptor).st_size), 0)


class MinisatSession:
    """A session that keeps the DIMACS text, and gives it to a new process at each `solve`."""

    def __init__(self, minisat: Minisat, cnf: Cnf, limits: Limits) -> None:
        self._minisat = minisat
        self._limits = limits
        self._deadline = Deadline.of(limits)
        self._variables = cnf.variables
        self._clauses = cnf.size
        self._text: list[bytes] = []
        self._size = 0
        for lines in chain.from_iterable(clause_lines(f.clauses) for f in cnf.families):
            self._size += len(lines)
            if self._is_too_large or not self._deadline.left():
                break  # `solve` reports the limit
            self._text.append(lines.encode("ascii"))

    @property
    def _is_too_large(self) -> bool:
        return self._size > self._limits.megabytes * MIB

    def add(self, clause: Clause) -> None:
        self._clauses += 1
        self._text += (lines.encode("ascii") for lines in clause_lines([clause]))

    def solve(self) -> Answer:
        if self._is_too_large:
            return Unknown(self._limits.memory_message)
        if not self._deadline.left():
            return Unknown(self._limits.timeout_message)
        head = dimacs_header(self._variables, self._clauses).encode("ascii")
        max_bytes = max(_BYTES_PER_LITERAL * self._variables, self._size) + MIB
        text = chain([head], self._text)
        return self._minisat.solve_text(text, self._limits, self._deadline, max_bytes)


def _verdict(code: int, result: bytes, output: bytes) -> Sat | Unsat | None:
    """The verdict of an exit code and a result file; None if memory ran out.

    Raises SolverError if the two do not agree.
    """
    if code not in (EXIT_SAT, EXIT_UNSAT, EXIT_NO_VERDICT):
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        raise SolverError(f"minisat ended with {how}")
    if code == EXIT_NO_VERDICT and not result:
        if b"INDETERMINATE" in output:
            return None
        raise SolverError("minisat ended with exit code 0 and without a result")
    try:
        answer = parse_result(result.decode("ascii", errors="replace"))
    except InvalidResult as error:
        raise SolverError(
            f"minisat ended with exit code {code}, but its result is invalid: {error}"
        ) from error
    match code, answer:
        case (10, Sat() as verdict) | (20, Unsat() as verdict):
            return verdict
    verdict_name = type(answer).__name__.upper()
    raise SolverError(f"minisat ended with exit code {code}, and its result says {verdict_name}")
