"""Generate puzzles with one certified solution by removing clues from full grids.

The cells of a grid are tried in random order. A cell is emptied if the puzzle still has a single
solution without it; in symmetric puzzles the opposite cell is emptied too. With parity marks, a
cell that cannot be emptied is marked even or odd if the puzzle then still has a single solution. A
clue that cannot be removed cannot be removed later either, so after one pass the puzzle is minimal:
no clue can be removed, and no given can become a mark.

Few puzzles have a certain technique as their hardest. Where a puzzle uses the technique, but then
needs a harder one, variants of it are tried: some givens are added, then clues are removed again.

The same seed gives the same puzzles on every machine and with every version of numpy: they depend
only on raw words of PCG64 and on the first solutions of the batch solver. Asking for more puzzles
does not change the first puzzles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count, repeat, tee
from math import inf

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.effort import MAX_TRIAL_DEPTH, depths_of
from pipeline.catalogue.puzzle_arrays import Flags, Indices, ValueArray, random_symmetries
from pipeline.catalogue.solutions import (
    CertifiedBatch,
    certified_solutions,
    find_solutions,
    redundant_clues,
)
from pipeline.errors import LimitReached, UsageError
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.settings import Level
from pipeline.solving import LEVELS
from pipeline.solving.compiled import solve_masks
from pipeline.solving.solvers import Solvers
from pipeline.steps import Use, ratings, uses_of
from pipeline.steps.orders import technique_named
from pipeline.steps.techniques import Technique

BATCH_GRIDS = 512
"""Number of grids per batch. Another number would give other puzzles for the same seed."""

MAX_FRUITLESS_BATCHES = 2000
"""Number of consecutive batches without a suitable puzzle after which generation gives up."""

MAX_FRUITLESS_RATED_BATCHES = 40
"""The same limit if puzzles must have a certain level: rating them takes longer."""

MAX_FRUITLESS_TECHNIQUE_BATCHES = 400
"""The same limit if a certain technique must be the hardest."""

VARIANTS_PER_PUZZLE, ADDED_GIVENS = 128, 4
"""The number of variants of a puzzle that needs a harder technique, and of givens added to each. Of
the variants, 1 to 10 times as many have the technique as their hardest as of other puzzles."""

MIN_FRUITLESS_BATCHES, HOPELESS_DISTANCE = 10, 3
"""Generation gives up after MIN_FRUITLESS_BATCHES if the requested number of clues differs by
HOPELESS_DISTANCE or more (twice that for symmetric puzzles) from every number that occurred. Each
further clue of distance makes puzzles at least 15 times as rare."""

MAX_MINIMAL_GIVENS = 40
"""The largest known number of givens of a minimal classic puzzle (M. Dobrichev, 2014)."""

MIN_GIVENS = 17
"""The minimum number of givens for one solution (McGuire, Tugemann, Civario, 2012)."""

_CELLS, _SIDE = 81, 9
_LAST = np.uint64(1 << 62)
"""Added to a random rank, or used as a rank, to put a cell after those that are drawn."""
_BLANK = np.uint16(NINE_BY_NINE.all_values)
"""The mask of a blank cell."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Properties of the puzzles to generate.

    - `givens`: minimum and maximum number of clues, including marks.
    - `minimal`: whether no clue may be redundant. If false, clues are removed only until a random
      number of clues, from the range `givens`, is left.
    - `symmetric`: whether the pattern of clues has half-turn symmetry.
    - `marks`: whether cells may be marked even or odd.
    - `depth`: minimum and maximum depth (see `effort`), 0 to 2. Depth 2 is very rare: none of the
      first 1,024,000 puzzles of seed 0 has it.
    - `level`: the level of the puzzle's rating (see `pipeline.steps`).
    - `technique`: the name of the hardest technique among the steps in HoDoKu's order, to which an
      optional technique is added; case, spaces and hyphens do not matter.

    Raises UsageError for empty ranges, an unknown technique, a technique above the level, and for
    naked singles: the hardest technique of a rating is then `full house`, which scores the same.
    """

    givens: tuple[int, int] = (MIN_GIVENS, _CELLS)
    minimal: bool = True
    symmetric: bool = False
    marks: bool = False
    depth: tuple[int, int] | None = None
    level: Level | None = None
    technique: str | None = None

    @property
    def hardest(self) -> Technique | None:
        """The technique that must be the hardest. Raises UsageError for an unknown name."""
        return technique_named(self.technique) if self.technique else None

    def __post_init__(self) -> None:
        _check_range("givens", self.givens)
        minimum, maximum = self.givens
        if not 0 <= minimum <= maximum <= _CELLS:
            raise UsageError(f"givens: expected a range within 0 to {_CELLS}")
        if not self.marks and maximum < MIN_GIVENS:
            raise UsageError(f"givens: a puzzle with one solution has at least {MIN_GIVENS}")
        if self.minimal and not self.marks and minimum > MAX_MINIMAL_GIVENS:
            raise UsageError(
                f"givens: no minimal puzzle with more than {MAX_MINIMAL_GIVENS} givens is known; "
                "minimal=False allows redundant givens"
            )
        if self.depth is not None:
            _check_range("depth", self.depth)
        if self.level is not None and self.level not in LEVELS:
            raise UsageError(f"level: expected one of {', '.join(LEVELS)}, found {self.level!r}")
        if self.depth and not 0 <= self.depth[0] <= self.depth[1] <= MAX_TRIAL_DEPTH:
            raise UsageError(f"depth: expected a range within 0 to {MAX_TRIAL_DEPTH}")
        try:
            hardest = self.hardest
        except UsageError as error:
            raise UsageError(f"technique: {error}") from error
        if hardest and hardest.name == "naked single":
            raise UsageError("technique: naked singles count as full houses; use full house")
        if hardest and self.level and LEVELS.index(self.level) < hardest.level:
            raise UsageError(
                f"technique: a puzzle with a step of {hardest.name} is at least "
                f"{hardest.level_name}, not {self.level}"
            )


def _check_range(name: str, value: object) -> None:
    """Raise UsageError unless this is a pair of whole numbers."""
    match value:
        case (int(), int()):
            return
    raise UsageError(f"{name}: expected (minimum, maximum), found {value!r}")


@dataclass(frozen=True, slots=True)
class Generated:
    """A puzzle: its masks, its only solution, and the search nodes of the uniqueness proof."""

    masks: tuple[int, ...]
    solution: tuple[int, ...]
    nodes: int


def generate_puzzles(
    wish: Wish, seed: int, on_tried: Callable[[int], object] = lambda _: None
) -> Iterator[Generated]:
    """Generate puzzles endlessly. `on_tried` is called with the number of puzzles tried so far.

    Raises UsageError for a negative seed, and LimitReached when suitable puzzles are too rare.
    """
    if seed < 0:
        raise UsageError(f"seed: expected 0 or more, found {seed}")
    with Solvers("pysat") as solvers:  # used while there is no compiled code
        yield from _generate_batches(wish, seed, on_tried, solvers)


def _generate_batches(
    wish: Wish, seed: int, on_tried: Callable[[int], object], solvers: Solvers
) -> Iterator[Generated]:
    """Yield the suitable puzzles of each batch. Raises LimitReached if they are too rare."""
    fruitless, tried, tried_before, fewest_clues, most_clues = 0, 0, 0, _CELLS, 0
    for number in count():
        generator = np.random.PCG64(np.random.SeedSequence((seed, number)))
        masks = _make_batch(wish, generator, solvers, partial(on_tried, tried))
        clues = (masks != _BLANK).sum(axis=1)
        fewest_clues, most_clues = (
            min(fewest_clues, int(clues.min())),
            max(most_clues, int(clues.max())),
        )
        fruitless += 1
        insufficient: list[list[int]] = []
        for puzzle in _suitable_puzzles(wish, masks, on_tried, tried, insufficient):
            fruitless = 0
            yield puzzle
        tried += len(masks)
        if insufficient and not wish.marks:
            sources = np.array(insufficient, np.uint16)
            masks = _make_variants(wish, sources, generator, solvers, partial(on_tried, tried))
            solutions = set[tuple[int, ...]]()  # one puzzle of each full grid
            for puzzle in _suitable_puzzles(wish, masks, on_tried, tried, []):
                if puzzle.solution not in solutions:
                    fruitless = 0
                    solutions.add(puzzle.solution)
                    yield puzzle
            tried += len(masks)
        if not fruitless:
            tried_before = tried
        distance = HOPELESS_DISTANCE * (2 if wish.symmetric else 1)
        is_far = (
            wish.givens[0] >= most_clues + distance or wish.givens[1] <= fewest_clues - distance
        )
        max_fruitless = MAX_FRUITLESS_RATED_BATCHES if wish.level else MAX_FRUITLESS_BATCHES
        if wish.technique:
            max_fruitless = MAX_FRUITLESS_TECHNIQUE_BATCHES
        if fruitless == max_fruitless or (fruitless == MIN_FRUITLESS_BATCHES and is_far):
            raise LimitReached(
                f"none of {tried - tried_before:,} puzzles has the requested properties; "
                f"relax one of them; these puzzles have {fewest_clues} to {most_clues} givens"
            )


def _suitable_puzzles(
    wish: Wish,
    masks: NDArray[np.uint16],
    on_tried: Callable[[int], object],
    tried: int,
    insufficient: list[list[int]],
) -> Iterator[Generated]:
    """Yield the puzzles of a batch (P, 81) that fulfil the wish, each with a certified solution.

    `tried`: the number of puzzles tried before. Appends to `insufficient` the puzzles that use the
    wished technique, but need a harder one.
    """
    chosen = masks[_has_properties(wish, masks)]
    if not (wish.level or wish.technique):
        solved = certified_solutions(NINE_BY_NINE, chosen, 2)
        for index in np.flatnonzero(solved.unique).tolist():
            on_tried(tried)
            yield _generated_puzzle(chosen, solved, index)
        return
    for index in _with_wished_steps(wish, chosen, lambda k: on_tried(tried + k), insufficient):
        one = chosen[index : index + 1]
        solved = certified_solutions(NINE_BY_NINE, one, 2)
        if solved.unique.all():
            yield _generated_puzzle(one, solved, 0)


def _generated_puzzle(masks: NDArray[np.uint16], solved: CertifiedBatch, index: int) -> Generated:
    grid, nodes = solved.grids[0, index], int(solved.nodes[index])
    return Generated(tuple(masks[index].tolist()), tuple(grid.tolist()), nodes)


def _with_wished_steps(
    wish: Wish,
    masks: NDArray[np.uint16],
    on_tried: Callable[[int], object],
    insufficient: list[list[int]],
) -> Iterator[int]:
    """Yield the index of each puzzle whose steps have the wished level and hardest technique.

    `insufficient` as for `_suitable_puzzles`.
    """
    puzzles: list[list[int]] = masks.tolist()

    def hits() -> Iterator[int]:
        uses = uses_of(wish.hardest, puzzles) if wish.hardest else repeat(Use.HARDEST)
        for index, use in zip(range(len(puzzles)), uses, strict=False):
            on_tried(index + 1)
            if use == Use.HARDEST:
                yield index
            elif use == Use.INSUFFICIENT:
                insufficient.append(puzzles[index])

    indices, rated = tee(hits())
    if not wish.level:
        yield from indices
        return
    found = ratings((puzzles[index] for index in rated), has_se=False)
    for index, rating in zip(indices, found, strict=False):
        if rating.level == wish.level:
            yield index


def _make_batch(
    wish: Wish, generator: np.random.PCG64, solvers: Solvers, on_step: Callable[[], object]
) -> NDArray[np.uint16]:
    """Make a puzzle from each of a batch of random grids. Returns the masks (P, 81)."""
    grids = _random_grids(generator, solvers)
    given = np.left_shift(1, grids - 1, dtype=np.uint16)
    masks, (minimum, maximum) = given.copy(), wish.givens
    target_clues = minimum + (
        generator.random_raw(BATCH_GRIDS) % np.uint64(maximum - minimum + 1)
    ).astype(np.int64)
    min_clues = np.zeros(BATCH_GRIDS, np.int64) if wish.minimal else target_clues
    order = np.argsort(generator.random_raw((BATCH_GRIDS, _CELLS)), axis=1, kind="stable")
    if wish.symmetric:
        order = _first_halves(order)
    return _remove_clues(wish, masks, order, min_clues, solvers, on_step)


def _make_variants(
    wish: Wish,
    sources: NDArray[np.uint16],
    generator: np.random.PCG64,
    solvers: Solvers,
    on_step: Callable[[], object],
) -> NDArray[np.uint16]:
    """Make VARIANTS_PER_PUZZLE puzzles from each puzzle (P, 81): add givens, then remove clues.

    Old givens are tried before those that are added. Returns at most BATCH_GRIDS puzzles.
    """
    solved = find_solutions(NINE_BY_NINE, sources, 1, solvers=solvers).grids[0]
    rows = np.resize(np.arange(len(sources)), min(BATCH_GRIDS, VARIANTS_PER_PUZZLE * len(sources)))
    given = np.left_shift(1, solved[rows] - 1, dtype=np.uint16)
    is_blank = sources[rows] == _BLANK
    draws = generator.random_raw((len(rows), _CELLS)) >> np.uint64(2)
    cells = np.argsort(np.where(is_blank, draws, _LAST), axis=1, kind="stable")[:, :ADDED_GIVENS]
    is_added = np.zeros_like(is_blank)
    is_added[np.arange(len(rows))[:, None], cells] = True
    if wish.symmetric:
        is_added |= is_added[:, ::-1]
    masks = np.where(is_added, given, sources[rows])
    order = np.argsort(np.where(is_added, draws + _LAST, draws), axis=1, kind="stable")
    if wish.symmetric:
        order = _first_halves(order)
    min_clues = np.zeros(len(rows), np.int64) if wish.minimal else (~is_blank).sum(axis=1)
    return _remove_clues(wish, masks, order, min_clues, solvers, on_step)


def _remove_clues(
    wish: Wish,
    masks: NDArray[np.uint16],
    order: NDArray[np.intp],
    min_clues: NDArray[np.int64],
    solvers: Solvers,
    on_step: Callable[[], object],
) -> NDArray[np.uint16]:
    """Weaken the clues of puzzles (P, 81), one cell after another, while one solution remains.

    `order` (P, C): the cells to try. `min_clues` (P,): the number of clues to leave.
    """
    additions = [np.full_like(masks, _BLANK)]
    if wish.marks:
        is_odd = masks & np.uint16(NINE_BY_NINE.odd_values) != 0
        additions.append(
            np.where(is_odd, NINE_BY_NINE.odd_values, NINE_BY_NINE.even_values).astype(np.uint16)
        )
    steps = [(added, column) for column in order.T for added in additions]
    if wish.marks:
        steps += [(additions[0], column) for column in order.T]
    for added, column in steps:
        on_step()
        relaxed = _add_candidates(masks, added, column, symmetric=wish.symmetric)
        clues = (relaxed != _BLANK).sum(axis=1)
        changed = np.flatnonzero((relaxed != masks).any(axis=1) & (clues >= min_clues))
        if len(changed):
            unique = find_solutions(NINE_BY_NINE, relaxed[changed], 2, solvers=solvers).counts == 1
            masks[changed[unique]] = relaxed[changed[unique]]
    return masks


def _random_grids(generator: np.random.PCG64, solvers: Solvers) -> ValueArray:
    """Return random grids (BATCH_GRIDS, 81), whose distribution is not uniform.

    The three boxes on the diagonal are filled at random. Then a random value is assigned to each of
    five cells, unless no solution would remain. The result is a random image of the first solution.
    """
    masks = np.full((BATCH_GRIDS, _SIDE, _SIDE), _BLANK, np.uint16)
    for box in range(0, _SIDE, 3):
        values = np.argsort(generator.random_raw((BATCH_GRIDS, _SIDE)), axis=1, kind="stable")
        bits = np.left_shift(1, values.astype(np.uint16), dtype=np.uint16)
        masks[:, box : box + 3, box : box + 3] = bits.reshape(-1, 3, 3)
    flat = masks.reshape(BATCH_GRIDS, _CELLS)
    for cell in (3, 15, 8, 54, 33):
        indices = (generator.random_raw(BATCH_GRIDS) % np.uint64(9)).astype(np.uint16)
        bits = np.left_shift(1, indices)
        tried = flat.copy()
        tried[:, cell] = bits
        solvable = find_solutions(NINE_BY_NINE, tried, 1, solvers=solvers).counts == 1
        flat[solvable] = tried[solvable]
    solutions = solve_masks(flat, 1, inf).grids[0]
    return random_symmetries(3, BATCH_GRIDS, int(generator.random_raw() >> 1)).images(solutions)


def _first_halves(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Remove the cells after the centre of the grid from orders of cells: (P, 81) → (P, 41)."""
    chosen = order <= _CELLS // 2
    return order[chosen].reshape(len(order), -1)


def _add_candidates(
    masks: NDArray[np.uint16], added: NDArray[np.uint16], cells: Indices, *, symmetric: bool
) -> NDArray[np.uint16]:
    """Return copies of the masks (P, 81) in which cell `cells[p]` may have further values.

    `added` (P, 81) contains these values. If `symmetric`, the opposite cell may have its values of
    `added`, too.
    """
    relaxed, puzzles = masks.copy(), np.arange(len(masks))
    for chosen in (cells, _CELLS - 1 - cells) if symmetric else (cells,):
        relaxed[puzzles, chosen] |= added[puzzles, chosen]
    return relaxed


def _has_properties(wish: Wish, masks: NDArray[np.uint16]) -> Flags:
    """Return flags (P,) of the puzzles with the requested properties. The level is not checked."""
    minimum, maximum = wish.givens
    clues = (masks != _BLANK).sum(axis=1)
    matching: Flags = (clues >= minimum) & (clues <= maximum)
    if wish.minimal and wish.symmetric:
        matching[matching] = ~redundant_clues(NINE_BY_NINE, masks[matching]).cells.any(axis=1)
    if wish.depth:
        depths = depths_of(masks[matching], wish.depth[1])
        matching[matching] = (depths >= wish.depth[0]) & (depths <= wish.depth[1])
    return matching
