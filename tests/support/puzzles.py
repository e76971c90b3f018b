"""Puzzles and formulas with known answers, fake minisats, and watching processes end."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from itertools import combinations
from pathlib import Path

from pipeline.puzzle.clauses import Clause
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.cnf import Cnf, Family

PATIENCE = 100.0
"""Seconds after which a wait has failed; nothing waits for as long as that."""

TIME_LIMITS = (1.0, 10.0, PATIENCE)
"""Seconds, for what a solver has to do within a limit: the longer ones where others keep the
machine busy."""

UNIQUE = "1...\n..2.\n.3..\n...4\n"
TWO = "12..\n....\n..2.\n...1\n"
SIX = "1.4.\n..1.\n.1..\n...1\n"
NONE = "12..\n..1.\n...2\n...3\n"
"""Solvable by no grid, though no two givens clash."""

EVEN_ODD = """\
2.*.*.47.
7**..**..
.9.24..*6
..*18.9**
3*.***5..
*.*..9*23
941..**.8
*..*.*.3*
**.65..4.
"""
EVEN_ODD_SIX = """\
2.*.*.47.
7**..**..
.9.24..*6
..*18.9**
.*.***5..
*.*...*23
9*1..**.8
*..*.*..*
**.*5..*.
"""


NINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
NINE_SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
NINE_TWO = "53467891267219534819834256785976.42.42685.79.713924856961537284287419635345286179"
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
"""A puzzle with one solution that takes some search."""

STUCK = "..9..............1.....234.....5......3...6....7.1...8.5...3....9...6...18......5"
"""A puzzle without a solution, which propagation alone does not find out."""


def cnf_of(*clauses: Clause, variables: int | None = None) -> Cnf:
    """A formula of no puzzle; `variables` is its highest if not given."""
    highest = max((abs(literal) for clause in clauses for literal in clause), default=0)
    family = Family("made up", len(clauses), clauses)
    return Cnf(Geometry(1, 2), "made up", variables or highest, (family,), {})


def pigeons(holes: int) -> Cnf:
    """One pigeon more than holes: unsatisfiable, and hard for every solver that resolves."""

    def sits(pigeon: int, hole: int) -> int:
        return pigeon * holes + hole + 1

    at_least = [tuple(sits(p, h) for h in range(holes)) for p in range(holes + 1)]
    at_most = [
        (-sits(p, h), -sits(q, h))
        for h in range(holes)
        for p, q in combinations(range(holes + 1), 2)
    ]
    return cnf_of(*at_least, *at_most)


def pattern(geometry: Geometry) -> Grid:
    """A filled grid of any size: each row is the one above, shifted."""
    height, width, n = geometry.height, geometry.width, geometry.side
    return Grid(
        geometry,
        tuple((width * (r % height) + r // height + c) % n + 1 for r in range(n) for c in range(n)),
    )


def holed(grid: Grid, every: int) -> Puzzle:
    """The grid with one cell of `every` taken out."""
    values = (0 if cell % every == 0 else value for cell, value in enumerate(grid.values))
    return Puzzle.of_values(grid.geometry, values)


def digits(grid: Grid) -> str:
    """The rows of a grid as lines of digits."""
    return "".join("".join(map(str, row)) + "\n" for row in grid.rows())


def program(path: Path, body: str) -> str:
    """A shell script in place of minisat that waits for its question: `$cnf`, `$out` are files."""
    reading = "while [ $# -gt 2 ]; do shift; done\nout=$2 cnf=$0.$$.cnf; cat $1 > $cnf"
    path.write_text(f"#!/bin/sh\n{reading}\n{body}\n")
    path.chmod(0o755)
    return str(path)


def children(of: int | None = None, argv: bytes = b"") -> set[int]:
    """The processes with `argv` in their command lines that this, or another, started; alive."""
    found: set[int] = set()
    for listed in Path(f"/proc/{of or os.getpid()}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found.update(map(int, listed.read_text().split()))
    return {pid for pid in found if _runs(pid, argv)}


def _runs(pid: int, argv: bytes) -> bool:
    of = Path(f"/proc/{pid}")
    try:
        state = (of / "stat").read_text().rsplit(") ", 1)[1][0]
        return state != "Z" and argv in (of / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def has_ended(pid: int) -> bool:
    """Wait until a process, of whatever parent, has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)
