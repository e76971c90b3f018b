"""New puzzles with one solution, which is certified: from full grids, by leaving out what can be.

The cells of a grid are tried in a random order. Each is opened if the rest still has one solution,
with the cell opposite if the puzzle is to be symmetric. With parity marks, a cell that cannot be
opened is marked even or odd if that suffices. A clue that is needed once stays needed. So after all
cells the puzzle is minimal: no clue can be left out, nor can a given become a mark.

The same seed gives the same puzzles, on every machine and with every version of numpy: they depend
only on the raw words of PCG64 and the first solutions of the batch solver. The first puzzles do not
depend on how many are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import inf

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.effort import DEEPEST, depths_of
from pipeline.catalogue.puzzles import Flags, Indices, ValueArray, random_symmetries
from pipeline.catalogue.solutions import Known, found_in, redundant_clues, solutions_of
from pipeline.errors import LimitReached, UsageError
from pipeline.puzzle.puzzle import NINE
from pipeline.settings import Level
from pipeline.solving.compiled import solve_masks
from pipeline.solving.solvers import Solvers
from pipeline.steps import ratings

AT_ONCE = 512
"""Grids that are worked on together; another number would give other puzzles."""

MOST_TRIED = 2000
"""Lots of grids without a puzzle as wished, after which there is no hope."""

MOST_RATED = 40
"""The same, if their levels are found, which takes longer."""

FIRST_TRIED, FAR = 10, 3
"""After so many lots there is no hope for numbers of clues that are so far from all that occurred;
twice as far if clues come in pairs. Each further clue is at least 15 times as rare."""

MOST_MINIMAL = 40
"""Givens of a minimal classic puzzle; none with more is known (M. Dobrichev, 2014)."""

FEWEST = 17
"""Givens of a classic puzzle with one solution (G. McGuire, B. Tugemann and G. Civario, 2012)."""

_CELLS, _SIDE = 81, 9
_FULL = np.uint16(NINE.all_values)


@dataclass(frozen=True, slots=True)
class Wish:
    """Properties of the puzzles to generate.

    givens: the least and the most clues, with marks. minimal: no clue can be left out. Otherwise
    clues are left in, up to a number that is drawn from that range. symmetric: half a turn maps
    clues to clues. marks: with even and odd cells. depth: see `effort`, the least and the most, up
    to 2; none of the first 1,024,000 puzzles of seed 0 has depth 2. level: of the steps that solve
    it, see `steps`. Raises UsageError for empty ranges.
    """

    givens: tuple[int, int] = (FEWEST, _CELLS)
    minimal: bool = True
    symmetric: bool = False
    marks: bool = False
    depth: tuple[int, int] | None = None
    level: Level | None = None

    def __post_init__(self) -> None:
        least, most = self.givens
        if not 0 <= least <= most <= _CELLS:
            raise UsageError(f"givens: expected a range within 0 to {_CELLS}")
        if not self.marks and most < FEWEST:
            raise UsageError(f"givens: a puzzle with one solution has at least {FEWEST}")
        if self.minimal and not self.marks and least > MOST_MINIMAL:
            raise UsageError(
                f"givens: no minimal puzzle with more than {MOST_MINIMAL} clues is known; "
                "minimal=False leaves redundant clues in"
            )
        if self.depth and not 0 <= self.depth[0] <= self.depth[1] <= DEEPEST:
            raise UsageError(f"depth: expected a range within 0 to {DEEPEST}")


@dataclass(frozen=True, slots=True)
class Generated:
    """A puzzle: its masks, its only solution, and the nodes of the search that shows that."""

    masks: tuple[int, ...]
    solution: tuple[int, ...]
    nodes: int


def generate(
    wish: Wish, seed: int, on_tried: Callable[[int], object] = lambda _: None
) -> Iterator[Generated]:
    """Generate puzzles without end; call `on_tried` often with how many grids were tried.

    Raises UsageError for a negative seed, LimitReached if none is found for a long time, or if
    what was found shows that there is no hope.
    """
    if seed < 0:
        raise UsageError(f"seed: expected 0 or more, found {seed}")
    with Solvers("pysat") as solvers:  # used without machine code
        yield from _generated(wish, seed, on_tried, solvers)


def _generated(
    wish: Wish, seed: int, on_tried: Callable[[int], object], solvers: Solvers
) -> Iterator[Generated]:
    fruitless, fewest, most = 0, _CELLS, 0
    for number in count():
        words = np.random.PCG64(np.random.SeedSequence((seed, number)))
        masks = _made(wish, words, solvers, partial(on_tried, number * AT_ONCE))
        clues = (masks != _FULL).sum(axis=1)
        fewest, most = min(fewest, int(clues.min())), max(most, int(clues.max()))
        chosen = masks[_are_as_wished(wish, masks)]
        known = solutions_of(NINE, chosen, 2)
        is_fruitless = True
        for place in np.flatnonzero(known.unique).tolist():
            made = _told(chosen, known, place)
            on_tried(number * AT_ONCE)
            if wish.level is None or next(ratings([made.masks])).level == wish.level:
                is_fruitless = False
                yield made
        fruitless = fruitless + 1 if is_fruitless else 0
        far = FAR * (2 if wish.symmetric else 1)
        is_far = wish.givens[0] >= most + far or wish.givens[1] <= fewest - far
        most_tried = MOST_RATED if wish.level else MOST_TRIED
        if fruitless == most_tried or (fruitless == FIRST_TRIED and is_far):
            raise LimitReached(
                f"none of {fruitless * AT_ONCE:,} puzzles is as wished; "
                f"they have {fewest} to {most} clues"
            )


def _told(masks: NDArray[np.uint16], known: Known, place: int) -> Generated:
    grid = known.grids[0, place]
    return Generated(tuple(masks[place].tolist()), tuple(grid.tolist()), int(known.nodes[place]))


def _made(
    wish: Wish, words: np.random.PCG64, solvers: Solvers, on_step: Callable[[], object]
) -> NDArray[np.uint16]:
    """Puzzles (P, 81) made of random grids."""
    grids = _grids(words, solvers)
    given = np.left_shift(1, grids - 1, dtype=np.uint16)
    masks, (least, most) = given.copy(), wish.givens
    drawn = least + (words.random_raw(AT_ONCE) % np.uint64(most - least + 1)).astype(np.int64)
    wanted = np.zeros(AT_ONCE, np.int64) if wish.minimal else drawn
    order = np.argsort(words.random_raw((AT_ONCE, _CELLS)), axis=1, kind="stable")
    if wish.symmetric:
        order = _first_halves(order)
    kinds = [np.full_like(given, _FULL)]
    if wish.marks:
        is_odd = given & np.uint16(NINE.odd_values) != 0
        kinds.append(np.where(is_odd, NINE.odd_values, NINE.even_values).astype(np.uint16))
    steps = [(kind, column) for column in order.T for kind in kinds]
    if wish.marks:
        steps += [(kinds[0], column) for column in order.T]
    for kind, column in steps:
        on_step()
        weaker = _weakened(masks, kind, column, symmetric=wish.symmetric)
        clues = (weaker != _FULL).sum(axis=1)
        able = np.flatnonzero((weaker != masks).any(axis=1) & (clues >= wanted))
        if len(able):
            unique = found_in(NINE, weaker[able], 2, solvers=solvers).counts == 1
            masks[able[unique]] = weaker[able[unique]]
    return masks


def _grids(words: np.random.PCG64, solvers: Solvers) -> ValueArray:
    """Random grids (AT_ONCE, 81), not all equally likely.

    Three boxes on the diagonal are filled at random, and some cells where there is a solution
    with them; of the first solution that there is then, an image is taken.
    """
    masks = np.full((AT_ONCE, _SIDE, _SIDE), _FULL, np.uint16)
    for box in range(0, _SIDE, 3):
        values = np.argsort(words.random_raw((AT_ONCE, _SIDE)), axis=1, kind="stable")
        bits = np.left_shift(1, values.astype(np.uint16), dtype=np.uint16)
        masks[:, box : box + 3, box : box + 3] = bits.reshape(-1, 3, 3)
    flat = masks.reshape(AT_ONCE, _CELLS)
    for cell in (3, 15, 8, 54, 33):
        bits = np.left_shift(1, (words.random_raw(AT_ONCE) % np.uint64(9)).astype(np.uint16))
        tried = flat.copy()
        tried[:, cell] = bits
        able = found_in(NINE, tried, 1, solvers=solvers).counts == 1
        flat[able] = tried[able]
    found = solve_masks(flat, 1, inf).grids[0]
    return random_symmetries(3, AT_ONCE, int(words.random_raw() >> 1)).of(found)


def _first_halves(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of each order (P, 81) the cells of the first half, and the middle: (P, 41)."""
    chosen = order <= _CELLS // 2
    return order[chosen].reshape(len(order), -1)


def _weakened(
    masks: NDArray[np.uint16], kind: NDArray[np.uint16], cells: Indices, *, symmetric: bool
) -> NDArray[np.uint16]:
    """The puzzles with a cell of each weakened to `kind`, and the opposite one if `symmetric`."""
    weaker, each = masks.copy(), np.arange(len(masks))
    for at in (cells, _CELLS - 1 - cells) if symmetric else (cells,):
        weaker[each, at] |= kind[each, at]
    return weaker


def _are_as_wished(wish: Wish, masks: NDArray[np.uint16]) -> Flags:
    least, most = wish.givens
    clues = (masks != _FULL).sum(axis=1)
    wished: Flags = (clues >= least) & (clues <= most)
    if wish.minimal and wish.symmetric:
        wished[wished] = ~redundant_clues(NINE, masks[wished]).cells.any(axis=1)
    if wish.depth:
        depths = depths_of(masks[wished], wish.depth[1])
        wished[wished] = (depths >= wish.depth[0]) & (depths <= wish.depth[1])
    return wished
