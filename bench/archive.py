"""What can be said of an archive: how fast, and that it is right.

    python bench/archive.py speed FILE…       each column, against the slower form in the same run
    python bench/archive.py brute FILE…       100 puzzles, and as many with one given less, against
                                              all 3,359,232 symmetries
    python bench/archive.py copies FILE…      10,000 copies are all found, and no others
    python bench/archive.py minimal FILE…     500 puzzles, givens left out for PySAT's minisat22
    python bench/archive.py overlap A B       how long, and in how much memory

Each FILE holds one 9×9 puzzle a line.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pysat.solvers import Minisat22

from pipeline.catalogue import minlex, singles
from pipeline.catalogue.canonical import canonical_forms, lowest_form
from pipeline.catalogue.comparing import Copy, Tally, dedupe, overlap
from pipeline.catalogue.effort import backdoors_of, depths_of, splits_of
from pipeline.catalogue.puzzles import (
    ValueArray,
    line_orders,
    lines_of,
    masks_of_values,
    random_symmetries,
    values_of_masks,
)
from pipeline.catalogue.solutions import redundant_givens, solutions_of
from pipeline.certify import many as checking
from pipeline.native import COMPILE_AFTER
from pipeline.puzzle.puzzle import NINE, Puzzle
from pipeline.reading.formats.plain import masks_of_plain
from pipeline.settings import Settings
from pipeline.solving import compiled as lanes
from pipeline.solving.encode import encode_puzzle

COPIES, BRUTE, BY_HAND, OF_EFFORT = 10_000, 100, 500, 500


def main() -> None:
    chosen, *files = sys.argv[1:]
    for program in (minlex.PROGRAM, singles.PROGRAM, lanes.PROGRAM, checking.PROGRAM):
        program.compile_into(program.folder())
    for loaded in (minlex.loaded, singles.loaded, lanes.loaded, checking.loaded):
        loaded.count(COMPILE_AFTER)
    if chosen == "overlap":
        compare(*map(Path, files))
        return
    works: dict[str, Callable[[ValueArray], None]] = {
        "speed": speed,
        "brute": brute,
        "copies": copies,
        "minimal": minimal,
    }
    for name in files:
        print(Path(name).name)
        works[chosen](puzzles_in(Path(name)))


def puzzles_in(path: Path) -> ValueArray:
    lines = [line[:81] for line in path.read_text().splitlines() if len(line) >= 81]
    masks = masks_of_plain(np.frombuffer("".join(lines).encode(), np.uint8).reshape(-1, 81))
    return values_of_masks(masks)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of three rounds, and what came of the last."""
    best, found = float("inf"), None
    for _ in range(3):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return best, found


def show(name: str, count: int, seconds: float) -> None:
    print(f"  {name:<34}{count / seconds:12,.0f}/s")


def speed(puzzles: ValueArray) -> None:
    masks = masks_of_values(NINE, puzzles)
    _, known = timed(lambda: solutions_of(NINE, masks, 2))
    grids, count = known.grids[0], len(puzzles)
    fast, ours = timed(lambda: canonical_forms(puzzles, known.unique, grids))
    show("canonical, with its solution", count, fast)
    alone = timed(lambda: canonical_forms(puzzles, solutions_of(NINE, masks, 2).unique, grids))[0]
    show("canonical, solved and certified", count, alone)
    few = puzzles[:20].copy()
    few[np.arange(20), (few > 0).argmax(axis=1)] = 0
    show("canonical, several solutions", 20, timed(lambda: [lowest_form(p, 3) for p in few])[0])
    seconds, found = timed(lambda: redundant_givens(NINE, masks))
    show("minimal", count, seconds)
    print(f"  {'':<34}{(~found.cells.any(axis=1)).mean():12.0%} are minimal")
    some = masks[:OF_EFFORT]
    depth, depths = timed(lambda: depths_of(some))
    show("effort: depth", len(some), depth)
    width, widths = timed(lambda: backdoors_of(some, grids[:OF_EFFORT]))
    show("effort: backdoor", len(some), width)
    seconds, splits = timed(lambda: splits_of(ours[:OF_EFFORT]))
    show("effort: splits", len(some), seconds)
    states = np.array(some.T, np.uint16, order="C")
    show("singles", len(some), timed(lambda: singles.close_singles(states.copy()))[0])
    for name, numbers in (("depths", depths), ("backdoors", widths)):
        kinds, counts = np.unique(numbers, return_counts=True)
        print(f"  {name}:", ", ".join(f"{k}: {c}" for k, c in zip(kinds, counts, strict=True)))
    print(f"  splits: {splits.mean.mean():.1f}, spread {splits.spread.mean():.1f}")


def brute(puzzles: ValueArray) -> None:
    every = np.linspace(0, len(puzzles) - 1, BRUTE).astype(int)
    chosen = np.repeat(puzzles[every], 2, axis=0)
    for place in range(1, len(chosen), 2):
        chosen[place, np.flatnonzero(chosen[place])[place % 17]] = 0
    known = solutions_of(NINE, masks_of_values(NINE, chosen), 2)
    start = time.perf_counter()
    ours = canonical_forms(chosen, known.unique, known.grids[0])
    fast = time.perf_counter() - start
    start, wrong = time.perf_counter(), 0
    for place, puzzle in enumerate(chosen):
        through = known.grids[0, place] if known.unique[place] else puzzle
        wrong += bytes(lowest_of_all(puzzle, through)) != bytes(ours[place])
    slow = time.perf_counter() - start
    kinds = f"{known.unique.sum()} with one solution"
    print(f"  {len(chosen)} puzzles, {kinds}: {wrong} differ; {slow / fast:,.0f} x as fast")


def lowest_of_all(puzzle: ValueArray, through: ValueArray) -> ValueArray:
    """The lowest image of a puzzle by the symmetries that make `through` the lowest.

    All are gone through: for each order of the rows, all of the columns, which are dropped at the
    first cell in which they are not the lowest yet.
    """
    orders, best = line_orders(3), np.full((2, 81), 10, np.uint8)
    for lying in (False, True):
        grids = [
            each.reshape(9, 9).T if lying else each.reshape(9, 9) for each in (through, puzzle)
        ]
        for rows in orders:
            left = _lowest_columns(grids[0][rows], orders, best[0])
            if left is None:
                continue
            columns, labels, image = left
            asked = grids[1][rows][:, columns].swapaxes(0, 1).reshape(-1, 81)
            shown = np.take_along_axis(labels, asked.astype(np.intp), 1)
            found = np.frombuffer(min(row.tobytes() for row in shown), np.uint8)
            is_lower = image.tobytes() < best[0].tobytes()
            if is_lower or found.tobytes() < best[1].tobytes():
                best = np.array([image, found])
    lowest: ValueArray = best[1]
    return lowest


def _lowest_columns(
    grid: ValueArray, columns: NDArray[np.intp], best: ValueArray
) -> tuple[NDArray[np.intp], ValueArray, ValueArray] | None:
    """The orders of columns that make a grid the lowest, their labels, and its image.

    None if that is not as low as the best.
    """
    labels, used = np.zeros((len(columns), 10), np.uint8), np.zeros(len(columns), np.uint8)
    image, is_lower = np.zeros(81, np.uint8), False
    for cell in range(81):
        each = np.arange(len(columns))
        values = grid[cell // 9, columns[:, cell % 9]]
        is_new = (values > 0) & (labels[each, values] == 0)
        used += is_new
        labels[each[is_new], values[is_new]] = used[is_new]
        shown = labels[each, values]
        image[cell] = shown.min()
        if not is_lower and image[cell] > best[cell]:
            return None
        is_lower = is_lower or image[cell] < best[cell]
        kept = shown == image[cell]
        if not kept.all():
            columns, labels, used = columns[kept], labels[kept], used[kept]
    return columns, labels, image


def copies(puzzles: ValueArray) -> None:
    """Copies of puzzles are all found, and none of the puzzles is called a copy of another."""
    which = np.arange(COPIES) % len(puzzles)
    images = random_symmetries(3, COPIES, 3).of(puzzles[which])
    settings, tally = Settings().of_many(), Tally()
    with TemporaryDirectory() as folder:
        first, second = Path(folder, "first.txt"), Path(folder, "second.txt")
        first.write_bytes(lines_of(puzzles))
        second.write_bytes(lines_of(images))
        start = time.perf_counter()
        found = list(dedupe([(first, "first"), (second, "second")], settings, None, tally))
        seconds = time.perf_counter() - start
    told = [each for each in found if isinstance(each, Copy)]
    own = [each for each in told if each.source == str(first)]
    right = sum(
        each.first_line == which[each.line - 1] + 1
        for each in told
        if each.source == str(second) and each.line
    )
    print(f"  of {COPIES} copies {right} are found; {len(own)} of the {len(puzzles)} are copies")
    print(f"  {tally.puzzles / seconds:,.0f} puzzles/s")


def minimal(puzzles: ValueArray) -> None:
    """Against PySAT: is there another solution without a given? It has another value there."""
    chosen = puzzles[np.linspace(0, len(puzzles) - 1, BY_HAND).astype(int)].copy()
    grids = solutions_of(NINE, masks_of_values(NINE, chosen), 2).grids[0]
    for place in range(0, BY_HAND, 2):  # many puzzles of collections are minimal
        some = np.random.PCG64(place).random_raw(9) % np.uint64(81)
        chosen[place, some] = grids[place, some]
    masks = masks_of_values(NINE, chosen)
    start = time.perf_counter()
    ours = redundant_givens(NINE, masks).cells
    fast = time.perf_counter() - start
    start, wrong = time.perf_counter(), 0
    rules = list(encode_puzzle(Puzzle.empty(NINE), "extended").clauses())
    with Minisat22(bootstrap_with=rules) as solver:
        for place, puzzle in enumerate(chosen):
            literals = [9 * cell + int(puzzle[cell]) for cell in np.flatnonzero(puzzle).tolist()]
            for given in literals:
                others = [literal for literal in literals if literal != given]
                is_redundant = not solver.solve([*others, -given])
                wrong += is_redundant != ours[place, (given - 1) // 9]
    slow = time.perf_counter() - start
    print(f"  {BY_HAND} puzzles, {ours.sum()} redundant givens: {wrong} differ", end="")
    print(f"; {slow / fast:,.0f} x as fast")


def compare(known: Path, asked: Path) -> None:
    tallies, start = (Tally(), Tally()), time.perf_counter()
    for _ in overlap([(known, "known")], [(asked, "asked")], Settings().of_many(), None, tallies):
        pass
    seconds = time.perf_counter() - start
    puzzles = sum(each.puzzles for each in tallies)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{tallies[1].copies} of {tallies[1].puzzles} are among {tallies[0].puzzles}")
    print(f"{seconds:.1f} s, {puzzles / seconds:,.0f} puzzles/s, {peak} MB at most")


if __name__ == "__main__":
    main()
