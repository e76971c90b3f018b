"""Why a puzzle has no solution: the clues that contradict each other, and a sentence.

What is not obvious is found by a child process. It outlives a puzzle and serves the next; one that
hangs is killed and replaced. It reports each finding at once, so that its latest is known when the
time is up.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple

from pipeline.certify import clashing_givens
from pipeline.errors import LimitReached, SolverError, counted
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause, ClauseBuilder
from pipeline.puzzle.puzzle import Puzzle, unit_name, units_of, values_of
from pipeline.solving.encode import Numbering, encode_puzzle
from pipeline.solving.solvers.base import Closeable
from pipeline.solving.solvers.child import Peer, limit_memory

LIMITS = Limits(2.0)
"""Default limits of an explanation."""

LARGEST_SIDE = 36
"""Its rules are 3.3 million clauses and take seconds to load; those of 49×49 are 11 million."""

ENGINE = "minisat22"
"""It respects a budget of conflicts; glucose4 checks it only when it restarts."""

_MOST_TOLD = 8
"""Clues that a sentence names; for more a drawing is clearer."""

_GRACE = 0.5
"""Seconds after its deadline in which a child may reply, before it is killed."""

_CONFLICTS = 200
"""The engine checks the clock after each slice of so many conflicts."""

_FIRST_SLICES = 2
"""Slices for a question at first; four times as many whenever it comes up again."""


@dataclass(frozen=True, slots=True)
class Clue:
    """What a cell is to hold: a value, or a mark: `even`, `odd` or, for any other, its values.

    Row and column count from 1.
    """

    row: int
    column: int
    holds: int | Literal["even", "odd"] | tuple[int, ...]

    @classmethod
    def at(cls, cell: int, puzzle: Puzzle) -> Clue:
        """The clue in a cell that is not blank."""
        geometry, mask = puzzle.geometry, puzzle.cells[cell]
        place, values = geometry.place(cell), tuple(values_of(mask))
        if len(values) == 1:
            return cls(*place, values[0])
        if mask == geometry.even_values:
            return cls(*place, "even")
        return cls(*place, "odd" if mask == geometry.odd_values else values)

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    @property
    def value(self) -> int | None:
        """The value, unless it is a mark."""
        return self.holds if isinstance(self.holds, int) else None

    def __str__(self) -> str:
        holds = " or ".join(map(str, self.holds)) if isinstance(self.holds, tuple) else self.holds
        return f"{holds} in row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues and rules that no grid can keep together, and a sentence.

    The clues are in the order of their cells; `rules` are the places of rules in `Puzzle.rules`.
    `minimal`: without any one of them there is such a grid. It is False if time was too short
    to leave out what is not needed, and for a unit with two or more marks too many.
    """

    clues: tuple[Clue, ...]
    message: str
    minimal: bool
    rules: tuple[int, ...] = ()

    def places(self) -> tuple[tuple[int, int], ...]:
        return tuple(clue.place for clue in self.clues)


def explain_conflict(
    puzzle: Puzzle, explainer: Explainer | None = None, limits: Limits = LIMITS
) -> Conflict | None:
    """Explain why an unsolvable puzzle has no solution; None if that takes too long.

    Two equal givens in a unit come first, then a unit with too many even or odd cells, then a
    small set of givens and marks, found by the explainer's process (without one, by a new
    process, which takes 0.1 s to start). Raises SolverError if the puzzle has a solution after
    all.
    """
    if clash := clashing_givens(puzzle):
        cell_at = puzzle.geometry.cell_at
        cells = [cell for place in clash.cells if (cell := cell_at(*place)) is not None]
        return Conflict(_clues(puzzle, cells), clash.message, minimal=True)
    if crowd := min(_crowds(puzzle), key=lambda crowd: crowd.excess, default=None):
        return Conflict(_clues(puzzle, crowd.cells), crowd.message, minimal=crowd.excess == 1)
    with contextlib.nullcontext(explainer) if explainer else Explainer() as asked:
        found = asked.contradiction(puzzle, limits)
    if found is None:
        return None
    clues = _clues(puzzle, found.cells)
    told = [puzzle.rules[rule].describe(puzzle.geometry) for rule in found.rules]
    sentence = _sentence(clues, told, minimal=found.minimal)
    return Conflict(clues, sentence, found.minimal, found.rules)


def _clues(puzzle: Puzzle, cells: Iterable[int]) -> tuple[Clue, ...]:
    return tuple(Clue.at(cell, puzzle) for cell in sorted(cells))


class _Crowd(NamedTuple):
    """The cells of a unit that must hold an even, or odd, value: `excess` more than there are."""

    cells: tuple[int, ...]
    excess: int
    message: str


def _crowds(puzzle: Puzzle) -> Iterator[_Crowd]:
    """Each unit, rows first, with more cells for even or for odd values than it can have."""
    geometry = puzzle.geometry
    for index, unit in enumerate(units_of(geometry)):
        for parity, values in (("even", geometry.even_values), ("odd", geometry.odd_values)):
            cells = tuple(cell for cell in unit if not puzzle.cells[cell] & ~values)
            most = values.bit_count()
            if len(cells) > most:
                name = unit_name(geometry, index)
                message = f"{name} has {len(cells)} cells for {parity} values, and there are {most}"
                yield _Crowd(cells, len(cells) - most, message)


def _sentence(clues: Sequence[Clue], rules: Sequence[str], *, minimal: bool) -> str:
    """Say what has no solution together; `rules` are told by name, as clues are by place."""
    if rules and minimal and len(clues) + len(rules) <= _MOST_TOLD:
        named = [*map(str, clues), *rules]
        if len(named) == 1:
            return f"{named[0]} leaves no solution"
        return f"{', '.join(named[:-1])} and {named[-1]} leave no solution"
    givens = sum(clue.value is not None for clue in clues)
    kinds = {"given": givens, "mark": len(clues) - givens, "rule": len(rules)}
    said = " and ".join(counted(number, noun) for noun, number in kinds.items() if number)
    if not said:
        return "rows, columns and boxes alone have no solution"
    if not minimal:
        return f"{said} have no solution together; there was no time to find fewer"
    number = len(clues) + len(rules)
    fewer = "either of them does" if number == 2 else f"any {number - 1} of them do"
    named = [*map(str, clues), *rules]
    if rest := named[_MOST_TOLD:]:
        named = [*named[:_MOST_TOLD], f"and {len(rest)} more"]
    return f"{said} have no solution together, though {fewer}: {'; '.join(named)}"


class Contradiction(NamedTuple):
    """Cells whose givens and marks, and rules by their places, have no solution together.

    `minimal` if all are needed.
    """

    cells: tuple[int, ...]
    minimal: bool
    rules: tuple[int, ...] = ()


_Last = Literal["no more", "solvable"]
"""The end of the child's reply, which is any number of Contradictions, the best one last."""


class Explainer(Closeable):
    """Finds contradictions by a process that is started for the first of them."""

    def __init__(self) -> None:
        self._peer: Peer | None = None

    def warm(self) -> None:
        """Start the process, unless it runs or cannot be started."""
        if self._peer and self._peer.has_ended():
            self.close()
        if self._peer is None:
            with contextlib.suppress(OSError):
                self._peer = Peer(__name__)

    def contradiction(self, puzzle: Puzzle, limits: Limits) -> Contradiction | None:
        """The smallest contradiction that was found within the limits, or None.

        Also None for sides above LARGEST_SIDE and if no process can be started, or it dies: an
        explanation is an extra. Raises SolverError if the puzzle has a solution.
        """
        deadline = Deadline.of(limits)
        if puzzle.geometry.side > LARGEST_SIDE or not deadline.left():
            return None
        self.warm()
        return self._ask(self._peer, puzzle, deadline, limits.megabytes) if self._peer else None

    def _ask(
        self, peer: Peer, puzzle: Puzzle, deadline: Deadline, megabytes: int
    ) -> Contradiction | None:
        best: Contradiction | None = None
        reply: Contradiction | _Last | None = None
        try:
            peer.send((puzzle, deadline, megabytes))
            while isinstance(reply := peer.hear(deadline.left() + _GRACE), Contradiction):
                best = reply
        except EOFError:
            reply = None
        finally:
            if reply is None:
                self.close()
        if reply == "solvable":
            raise SolverError("the puzzle that was found to have no solution has one")
        return best

    def close(self) -> None:
        if self._peer:
            self._peer.close()
            self._peer = None


def serve(descriptor: int) -> None:
    """Run in the child: serve puzzles from the pipe until its other end is closed."""
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
    """Yield ever smaller ones, as `shrinking_cores` does. Raises ValueError for a solvable puzzle.

    A given is assumed by its candidate's variable, a mark by a variable of its own that implies
    that the forbidden values are absent, a rule by one that implies its clauses.
    """
    geometry = puzzle.geometry
    units = encode_puzzle(Puzzle.empty(geometry), "extended")
    before = Numbering(geometry).before
    cells: dict[int, int] = {}
    marks: list[Clause] = []
    for cell, mask in enumerate(puzzle.cells):
        if mask == geometry.all_values:
            continue
        if mask & (mask - 1):
            assumption = units.variables + cell + 1
            forbidden = values_of(geometry.all_values & ~mask)
            marks += ((-assumption, -(before(cell) + value)) for value in forbidden)
        else:
            assumption = before(cell) + mask.bit_length()
        cells[assumption] = cell
    rules, stated = _assumed_rules(puzzle, units.variables + geometry.size)
    clauses = chain(units.clauses(), marks, stated)
    for core, minimal in shrinking_cores(clauses, [*rules, *cells], deadline):
        yield Contradiction(
            tuple(sorted(cells[each] for each in core if each in cells)),
            minimal,
            tuple(sorted(rules[each] for each in core if each in rules)),
        )


def _assumed_rules(puzzle: Puzzle, highest: int) -> tuple[dict[int, int], list[Clause]]:
    """The assumption of each rule → its place; and their clauses, each under its assumption.

    `highest` is the highest variable that is taken.
    """
    geometry = puzzle.geometry
    clauses = ClauseBuilder(geometry.side, geometry.size)
    clauses.variables = highest
    rules: dict[int, int] = {}
    for place, rule in enumerate(puzzle.rules):
        assumption = clauses.new()
        rules[assumption] = place
        with clauses.under(assumption):
            rule.encode(geometry, clauses)
    return rules, clauses.made


def shrinking_cores(
    clauses: Iterable[Clause], assumptions: Sequence[int], deadline: Deadline
) -> Iterator[tuple[list[int], bool]]:
    """Yield ever fewer assumptions that cannot all hold; True marks a last, minimal set.

    The series stops early, or does not begin, when the deadline has passed; up to there it is the
    same at every run. Raises ValueError if all assumptions can hold. Run it in a process that can
    be killed: the deadline is not checked while the engine propagates.

    Deletion with clause-set refinement (J. Marques-Silva and I. Lynce, On improving MUS extraction
    algorithms, 2011): each assumption is left out in turn. If the others have a model, it is
    needed; if they have none, only the solver's core of them is kept. A hard question is put off:
    the smaller the core, the fewer of these are left.
    """
    from pysat.solvers import Solver  # noqa: PLC0415 - only the child needs it

    with Solver(name=ENGINE) as engine, contextlib.suppress(LimitReached):
        engine.append_formula(deadline.watch(clauses))
        core = _core_of(engine, assumptions, sys.maxsize, deadline)
        if not isinstance(core, set):
            raise ValueError("all assumptions can hold")  # noqa: TRY004
        needed: list[int] = []
        untried = [literal for literal in assumptions if literal in core]
        hard: list[int] = []
        yield untried, False
        slices = _FIRST_SLICES
        while untried or hard:
            if not untried:
                untried, hard, slices = hard, [], slices * 4
            tried = untried.pop()
            core = _core_of(engine, [*needed, *hard, *untried], slices, deadline)
            if core == "holds":
                needed.append(tried)
            elif core == "hard":
                hard.append(tried)
            else:
                untried = [literal for literal in untried if literal in core]
                hard = [literal for literal in hard if literal in core]
                yield [*needed, *hard, *untried], False
        yield needed, True


def _core_of(
    engine: Any, assumed: Sequence[int], slices: int, deadline: Deadline
) -> set[int] | Literal["holds", "hard"]:
    """Assumptions that cannot all hold, if so; `hard` if that many slices were not enough."""
    for _ in range(slices):
        deadline.check()
        engine.conf_budget(_CONFLICTS)
        holds = engine.solve_limited(assumptions=assumed)
        if holds is not None:
            return "holds" if holds else set(engine.get_core() or ())
    return "hard"
