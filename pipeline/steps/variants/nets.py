"""Forcing nets in a puzzle of any geometry: singles lead from an assumption to a contradiction."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.puzzle.geometry import indices_of
from pipeline.steps.step import Candidate
from pipeline.steps.variants.patterns import Deduction
from pipeline.steps.variants.state import Citations, State

_MAX_PLACED = 40
"""Maximum number of placed candidates in a net; people do not follow longer ones."""


def find_shortest_net(state: State) -> Iterator[Deduction]:
    """Yield the shortest net, if there is one: a candidate from which a contradiction follows.

    Each candidate is tried, up to the length of the best net so far.
    """
    best: _Net | None = None
    for cell in sorted(state.open_cells, key=lambda cell: state.masks[cell].bit_count()):
        for bit in indices_of(state.masks[cell]):
            net = _Net(state, cell, bit)
            if net.reaches_contradiction(len(best.needed) if best else _MAX_PLACED):
                best = net
    if best:
        yield best.deduction()


class _Net:
    """The singles that follow from an assumption, until there is a contradiction.

    A *constraint* is a triple of a unit or None, a cell and a value. With a unit, one of the places
    of the value in the unit holds it. Without, the cell holds one of its candidates.

    - `_placed`: the placed candidates in order; the first is the assumption.
    - `_reasons`: for each, the unit in which it is the last place; None for the last candidate of a
      cell, and for the assumption.
    - `_conflict`: the constraint of which no candidate is left.
    - `_causes`: for each eliminated candidate, the index of the placed one that eliminates it.
    - `needed`: the indices of the placed candidates from which the contradiction follows.
    """

    def __init__(self, state: State, cell: int, bit: int) -> None:
        self._state = state
        self._masks = [*state.masks]
        self._open_cells = {*state.open_cells}
        self._causes: dict[Candidate, int] = {}
        self._placed: list[Candidate] = []
        self._reasons: list[int | None] = []
        self._conflict: tuple[int | None, int, int] | None = None
        self._pending: list[tuple[int | None, int, int]] = [(None, cell, bit)]
        self.needed: list[int] = []

    def reaches_contradiction(self, limit: int) -> bool:
        """Place singles. Returns whether fewer than `limit` of them lead to a contradiction."""
        while self._pending and self._conflict is None and len(self._placed) < 4 * limit:
            unit, cell, bit = self._pending.pop(0)
            if cell in self._open_cells:
                if self._masks[cell] >> bit & 1:
                    self._place(unit, cell, bit)
                elif unit is not None:
                    self._conflict = unit, -1, bit
        if self._conflict is None:
            return False
        self.needed = self._find_needed(self._conflict)
        return len(self.needed) < limit

    def _place(self, unit: int | None, cell: int, bit: int) -> None:
        """Place a candidate, and find the singles and the contradictions that arise."""
        state, number = self._state, len(self._placed)
        self._placed.append((cell, bit))
        self._reasons.append(unit)
        self._open_cells.discard(cell)
        eliminated = [(cell, other) for other in indices_of(self._masks[cell] & ~(1 << bit))]
        peers = indices_of(state.peers[cell])
        eliminated += [(c, bit) for c in peers if c in self._open_cells and self._has(c, bit)]
        for candidate in eliminated:
            self._causes[candidate] = number
            self._masks[candidate[0]] &= ~(1 << candidate[1])
        for changed, value in eliminated:
            mask = self._masks[changed]
            if changed in self._open_cells and mask & mask - 1 == 0:
                if not mask:
                    self._conflict = None, changed, -1
                    return
                self._pending.append((None, changed, mask.bit_length() - 1))
            for index in state.units_with[changed]:
                if not state.units[index].is_full:
                    continue
                places = [c for c in state.units[index].cells if self._has(c, value)]
                if not places:
                    self._conflict = index, -1, value
                    return
                if len(places) == 1 and places[0] in self._open_cells:
                    self._pending.append((index, places[0], value))

    def _has(self, cell: int, bit: int) -> int:
        return self._masks[cell] >> bit & 1

    def _eliminated_in(self, unit: int | None, cell: int, bit: int) -> list[Candidate]:
        """The candidates of a constraint, without (cell, bit), that the net has eliminated."""
        if unit is None:
            candidates = [(cell, other) for other in indices_of(self._state.masks[cell])]
        else:
            candidates = [(other, bit) for other in self._state.units[unit].cells]
        return [c for c in candidates if c != (cell, bit) and c in self._causes]

    def _find_needed(self, conflict: tuple[int | None, int, int]) -> list[int]:
        """The indices of the placed candidates from which a conflict follows."""
        pending = {self._causes[candidate] for candidate in self._eliminated_in(*conflict)}
        needed = set[int]()
        while pending:
            number = pending.pop()
            if number not in needed:
                needed.add(number)
                if number:
                    single = self._reasons[number], *self._placed[number]
                    pending |= {self._causes[c] for c in self._eliminated_in(*single)}
        return sorted(needed)

    def deduction(self) -> Deduction:
        cited = Citations()
        for number in self.needed[1:]:
            self._cite(cited, self._reasons[number], *self._placed[number])
        if self._conflict:
            self._cite(cited, *self._conflict)
        start = self._placed[0]
        return Deduction(
            eliminated=[start],
            values=1 << start[1],
            cells=(start[0],),
            chain=tuple((*self._placed[number], True) for number in self.needed),
            cited=cited,
        )

    def _cite(self, cited: Citations, unit: int | None, cell: int, bit: int) -> None:
        """Cite a constraint, and the cells and units that eliminate its other candidates."""
        if unit is None:
            cited.cells[cell] = None
        else:
            cited.places[unit, bit] = None
        for candidate in self._eliminated_in(unit, cell, bit):
            cause, _ = self._placed[self._causes[candidate]]
            if cause == candidate[0]:
                cited.cells[cause] = None
            else:
                self._state.cite_peers(cited, (cause,), candidate[0])
