"""What the clauses of a rule forbid, read back from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pipeline.puzzle.clauses import Clauses, Most
from pipeline.puzzle.puzzle import Geometry, Rule

Held = frozenset[tuple[int, int]]
"""(cell, value) of some cells."""


def stated(geometry: Geometry, rule: Rule, most: Most | None = None) -> Clauses:
    """The clauses of a rule, which may take so much."""
    clauses = Clauses(geometry.side, geometry.size, most or Most())
    rule.encode(geometry, clauses)
    return clauses


def forbidden(geometry: Geometry, rule: Rule) -> Counter[Held]:
    """What may not be held together, if the clauses say nothing else, and how many say so."""
    n = geometry.side
    made = stated(geometry, rule).made
    assert all(literal < 0 for clause in made for literal in clause)
    return Counter(
        frozenset(((-literal - 1) // n, (-literal - 1) % n + 1) for literal in clause)
        for clause in made
    )


def unlike(
    geometry: Geometry,
    near: Callable[[int, int], bool],
    goes: Callable[[int, int], bool],
    spared: tuple[tuple[int, int], ...] = (),
) -> Counter[Held]:
    """Each pair of values that do not go, at each two cells that are near, found by comparing all.

    `near` is told how many rows and columns two cells are apart.
    """
    cells, values = range(geometry.size), range(1, geometry.side + 1)
    places = [geometry.place(cell) for cell in cells]
    pairs = [
        (a, b)
        for b in cells
        for a in range(b)
        if near(abs(places[a][0] - places[b][0]), abs(places[a][1] - places[b][1]))
        and (a, b) not in spared
    ]
    return Counter(
        frozenset({(a, u), (b, v)})
        for a, b in pairs
        for u in values
        for v in values
        if not goes(u, v)
    )


def orthogonal(rows: int, columns: int) -> bool:
    """Whether cells so many rows and columns apart share a border."""
    return rows + columns == 1
