"""The givens and marks that contradict each other, found by a child process.

The child outlives a puzzle and serves the next; one that hangs is ended and replaced. It tells
whatever it finds at once, so that its latest word stands when the time is up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import chain
from multiprocessing.connection import Connection
from typing import Literal, NamedTuple

from pipeline.cnf import Clause
from pipeline.encode import Numbering, encode_puzzle
from pipeline.errors import SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle import Puzzle, values_of
from pipeline.solve.base import Closing
from pipeline.solve.cores import shrinking_cores
from pipeline.solve.peer import Peer, limit_memory

LARGEST_SIDE = 36
"""Its rules are 3.3 million clauses and take seconds to load; those of 49×49 are 11 million."""

_GRACE = 0.5
"""Seconds after its deadline that a child has to say so, before it is killed."""


class Contradiction(NamedTuple):
    """Cells whose givens and marks have no solution together; `minimal` if all are needed."""

    cells: tuple[int, ...]
    minimal: bool


_Question = tuple[Puzzle, Deadline, int]
"""The last one is how many megabytes the child may take for it."""

_Last = Literal["no more", "solvable"]
"""How the child ends its reply, which is any number of Contradictions, the best one last."""


class Explainer(Closing):
    """Finds contradictions with a process, which is started for the first of them."""

    def __init__(self) -> None:
        self._peer: Peer | None = None

    def warm(self) -> None:
        """Start the process, unless it runs or cannot be had."""
        if self._peer and self._peer.has_ended():
            self.close()
        if self._peer is None:
            with contextlib.suppress(OSError):
                self._peer = Peer(__name__)

    def contradiction(self, puzzle: Puzzle, limits: Limits) -> Contradiction | None:
        """The smallest contradiction that was found within the limits, or None.

        None, too, for sides above LARGEST_SIDE and where no process can be had, or it dies: an
        explanation is an extra. Raises SolverError where the puzzle has a solution.
        """
        deadline = Deadline.of(limits)
        if puzzle.geometry.side > LARGEST_SIDE or not deadline.left():
            return None
        self.warm()
        return self._ask(self._peer, (puzzle, deadline, limits.megabytes)) if self._peer else None

    def _ask(self, peer: Peer, question: _Question) -> Contradiction | None:
        _, deadline, _ = question
        best: Contradiction | None = None
        last: _Last | None = None
        try:
            peer.send(question)
            while last is None:
                reply: Contradiction | _Last | None = peer.hear(deadline.left() + _GRACE)
                if reply is None:
                    break
                if isinstance(reply, Contradiction):
                    best = reply
                else:
                    last = reply
        except EOFError:
            pass
        finally:
            if last is None:
                self.close()
        if last == "solvable":
            raise SolverError("the puzzle that was found to have no solution has one")
        return best

    def close(self) -> None:
        """End the process."""
        if self._peer:
            self._peer.close()
            self._peer = None


def serve(descriptor: int) -> None:
    """What the child does: take puzzles from the pipe until its other end is closed."""
    with Connection(descriptor) as pipe, contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            puzzle, deadline, megabytes = pipe.recv()
            limit_memory(megabytes)
            last: _Last = "no more"
            try:
                for contradiction in contradictions(puzzle, deadline):
                    pipe.send(contradiction)
            except ValueError:
                last = "solvable"
            pipe.send(last)


def contradictions(puzzle: Puzzle, deadline: Deadline) -> Iterator[Contradiction]:
    """Ever better ones, as `shrinking_cores` finds them. Raises ValueError for a solvable puzzle.

    A given is assumed by its candidate's variable, a mark by one of its own, which implies that
    the values it forbids are not there.
    """
    geometry = puzzle.geometry
    rules = encode_puzzle(Puzzle.empty(geometry), "extended")
    before = Numbering(geometry).before
    cells: dict[int, int] = {}
    marks: list[Clause] = []
    for cell, mask in enumerate(puzzle.cells):
        if mask == geometry.all_values:
            continue
        if mask & (mask - 1):
            assumption = rules.variables + cell + 1
            forbidden = values_of(geometry.all_values & ~mask)
            marks += ((-assumption, -(before(cell) + value)) for value in forbidden)
        else:
            assumption = before(cell) + mask.bit_length()
        cells[assumption] = cell
    for core in shrinking_cores(chain(rules.clauses(), marks), list(cells), deadline):
        yield Contradiction(tuple(sorted(map(cells.__getitem__, core.literals))), core.minimal)
