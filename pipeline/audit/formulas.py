"""Two formulas, clause by clause: the one that should have been refuted, and the one that was."""

from __future__ import annotations

from pipeline.certify.formula import Clause, Formula
from pipeline.puzzle import Geometry

_LONGEST_SHOWN = 12


def difference(expected: Formula, found: Formula, geometry: Geometry | None) -> str | None:
    """The first clause that differs, is missing or is added, numbered from 1; None for no such.

    With a `geometry`, clauses that rule a whole grid out are told for such.
    """
    if expected.variables != found.variables:
        return f"it has {found.variables} variables instead of {expected.variables}"
    ours, theirs = expected.clauses, found.clauses
    if ours == theirs:
        return None
    least = min(len(ours), len(theirs))
    shared = zip(ours, theirs, strict=False)
    place = next((at for at, (one, other) in enumerate(shared) if one != other), least)
    missing = _unless_in(ours, theirs, place)
    added = _unless_in(theirs, ours, place)
    return f"clause {place + 1} {_said(missing, added, geometry)}"


def _said(missing: Clause | None, added: Clause | None, geometry: Geometry | None) -> str:
    """What is wrong with a clause, one of which is missing there, or added, or both."""
    if added is not None and (grid := _grid_of(added, geometry)):
        return f"blocks a grid that was not published: {grid}"
    if added is not None:
        instead = "" if missing is None else f", instead of {_shown(missing)}"
        return f"is added: {_shown(added)}{instead}"
    if missing is not None and (grid := _grid_of(missing, geometry)):
        return f"is missing, which blocks the published grid {grid}"
    if missing is not None:
        return f"is missing: {_shown(missing)}"
    return "is not in its place"


def _unless_in(
    clauses: tuple[Clause, ...], others: tuple[Clause, ...], place: int
) -> Clause | None:
    """The clause at a place, unless it is among the others from there on; None if there is none."""
    if place >= len(clauses):
        return None
    clause = clauses[place]
    return None if clause in others[place:] else clause


def _grid_of(clause: Clause, geometry: Geometry | None) -> str | None:
    """The grid that a clause rules out, in one line; None where it rules out something else."""
    if geometry is None or len(clause) != geometry.side**2 or max(clause) > 0:
        return None
    side = geometry.side
    places = [divmod(-literal - 1, side) for literal in clause]
    if [cell for cell, _ in places] != [*range(side * side)]:
        return None
    return ("" if side <= 9 else " ").join(str(value + 1) for _, value in places)


def _shown(clause: Clause) -> str:
    more = "… " if len(clause) > _LONGEST_SHOWN else ""
    return "'" + "".join(f"{literal} " for literal in clause[:_LONGEST_SHOWN]) + more + "0'"
