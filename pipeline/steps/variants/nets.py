"""Forcing nets in a puzzle of any geometry: an assumption that singles lead to a contradiction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.steps.variants.patterns import Found
from pipeline.steps.variants.state import Citations, State, cells_of

_MAX_PLACED = 40
"""Most placed candidates of a net; people do not follow longer ones."""

_NO_VALUE = 63
"""A bit that stands for no value: a contradiction in a cell is not about one of its values."""


def find_net(state: State) -> Iterator[Found]:
    """Yield the shortest net: a candidate that is false, since singles would follow from it.

    All candidates are tried; the following of one ends when it is longer than the best.
    """
    best: _Following | None = None
    for cell in sorted(state.open_cells, key=lambda cell: state.masks[cell].bit_count()):
        for bit in cells_of(state.masks[cell]):
            following = _Following(state, cell, bit)
            limit = best.length if best else _MAX_PLACED
            if following.is_contradicted(limit):
                best = following
    if best:
        yield best.found()


class _Following:
    """What follows from an assumption by singles.

    - `placed`: the placed candidates in order; the first is the assumption.
    - `reasons`: for each, the unit in which it is the last place; None for the last candidate of a
      cell, and for the assumption.
    - `conflict`: where no candidate is left, and the value: a unit, or -1 - cell for a cell.
    - `cause`: for each eliminated candidate, the index of the placed one that eliminates it.
    """

    def __init__(self, state: State, cell: int, bit: int) -> None:
        self._state = state
        self._masks = [*state.masks]
        self._open = {*state.open_cells}
        self._cause: dict[tuple[int, int], int] = {}
        self._placed: list[tuple[int, int]] = []
        self._reasons: list[int | None] = []
        self._conflict: tuple[int, int] | None = None
        self._pending: list[tuple[int, int, int | None]] = [(cell, bit, None)]
        self._ancestors: list[int] = []

    @property
    def length(self) -> int:
        """The number of placed candidates that lead to the contradiction."""
        return len(self._ancestors)

    def is_contradicted(self, limit: int) -> bool:
        """Whether a contradiction follows from fewer than `limit` placed candidates."""
        while self._pending and self._conflict is None and len(self._placed) < 4 * limit:
            cell, bit, unit = self._pending.pop(0)
            if cell in self._open:
                if self._masks[cell] >> bit & 1:
                    self._place(cell, bit, unit)
                elif unit is not None:
                    self._conflict = (unit, bit)
        if self._conflict is None:
            return False
        self._ancestors = self._find_ancestors()
        return len(self._ancestors) < limit

    def _place(self, cell: int, bit: int, unit: int | None) -> None:
        state, number = self._state, len(self._placed)
        self._placed.append((cell, bit))
        self._reasons.append(unit)
        self._open.discard(cell)
        changed = [(cell, other) for other in cells_of(self._masks[cell] & ~(1 << bit))]
        seen = cells_of(state.sees[cell])
        changed += [(c, bit) for c in seen if c in self._open and self._masks[c] >> bit & 1]
        for candidate in changed:
            self._cause[candidate] = number
            self._masks[candidate[0]] &= ~(1 << candidate[1])
        for other, value in changed:
            mask = self._masks[other]
            if other in self._open and mask & mask - 1 == 0:
                if not mask:
                    self._conflict = (-1 - other, _NO_VALUE)
                    return
                self._pending.append((other, mask.bit_length() - 1, None))
            for index in state.units_with[other]:
                if not state.units[index].is_full:
                    continue
                places = [c for c in state.units[index].cells if self._masks[c] >> value & 1]
                if not places:
                    self._conflict = (index, value)
                    return
                if len(places) == 1 and places[0] in self._open:
                    self._pending.append((places[0], value, index))

    def _premises(self, unit: int | None, cell: int, bit: int) -> set[int]:
        """The placed candidates that eliminate all others of a cell, or all other places."""
        state = self._state
        if unit is None:
            struck = [(cell, other) for other in cells_of(state.masks[cell] & ~(1 << bit))]
        else:
            struck = [(c, bit) for c in state.units[unit].cells if c != cell]
        return {self._cause[each] for each in struck if each in self._cause}

    def _find_ancestors(self) -> list[int]:
        """The placed candidates that lead to the contradiction."""
        if self._conflict is None:
            return []
        where, bit = self._conflict
        pending = self._premises(where if where >= 0 else None, -1 - where, bit)
        found: set[int] = set()
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                if number:
                    pending |= self._premises(self._reasons[number], *self._placed[number])
        return sorted(found)

    def found(self) -> Found:
        cited = Citations()
        placed = [(self._reasons[number], *self._placed[number]) for number in self._ancestors[1:]]
        if self._conflict is not None:
            where, bit = self._conflict
            placed.append((where if where >= 0 else None, -1 - where, bit))
        for unit, cell, bit in placed:
            self._cite(cited, unit, cell, bit)
        start = self._placed[0]
        chain = tuple((cell, bit, True) for cell, bit in (self._placed[n] for n in self._ancestors))
        return Found(
            struck=[start], values=1 << start[1], cells=(start[0],), chain=chain, cited=cited
        )

    def _cite(self, cited: Citations, unit: int | None, cell: int, bit: int) -> None:
        """Cite the cell or unit, and what eliminates its other candidates."""
        state = self._state
        if unit is None:
            cited.cells[cell] = None
            others: Sequence[tuple[int, int]] = [(cell, b) for b in cells_of(state.masks[cell])]
        else:
            cited.places[unit, bit] = None
            others = [(c, bit) for c in state.units[unit].cells]
        for other in others:
            if other != (cell, bit) and other in self._cause:
                by = self._placed[self._cause[other]]
                if by[0] != other[0]:
                    state.cite_sight(cited, other[0], by[0])
                else:
                    cited.cells[by[0]] = None
