"""Measure and verify the traits of collections, and the search for copies.

    python bench/archive.py speed FILE…    the speed of each trait
    python bench/archive.py brute FILE…    compare the forms of 200 puzzles, half of them with a
                                           given removed, with the lowest of 3,359,232 images
    python bench/archive.py copies FILE…   check that 10,000 copies are found, and no others
    python bench/archive.py minimal FILE…  compare redundant givens of 500 puzzles with PySAT
    python bench/archive.py overlap A B    time and memory of an overlap

Each FILE holds one 9×9 puzzle per line.
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
from pipeline.catalogue.comparing import Copy, Tally, find_copies, find_overlap
from pipeline.catalogue.effort import backdoors_of, depths_of, splits_of
from pipeline.catalogue.puzzle_arrays import (
    ValueArray,
    line_orders,
    masks_of_values,
    random_symmetries,
    text_lines,
    values_of_masks,
)
from pipeline.catalogue.solutions import certified_solutions, redundant_givens
from pipeline.certify import many as checking
from pipeline.native import COMPILE_AFTER_SECONDS
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.plain import masks_of_plain
from pipeline.settings import Settings
from pipeline.solving import compiled as lanes
from pipeline.solving.encode import encode_puzzle

COPIES, BRUTE, BY_HAND, OF_EFFORT = 10_000, 100, 500, 500


def main() -> None:
    chosen, *files = sys.argv[1:]
    for program in (minlex.PROGRAM, singles.PROGRAM, lanes.PROGRAM, checking.PROGRAM):
        program.compile_into(program.create_folder())
    for loader in (minlex.loader, singles.loader, lanes.loader, checking.loader):
        loader.add_seconds(COMPILE_AFTER_SECONDS)
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
    """The best processor time of three rounds in seconds, and the result of the last."""
    best, result = float("inf"), None
    for _ in range(3):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def show(name: str, count: int, seconds: float) -> None:
    print(f"  {name:<34}{count / seconds:12,.0f}/s")


def speed(puzzles: ValueArray) -> None:
    masks = masks_of_values(NINE_BY_NINE, puzzles)
    _, solved = timed(lambda: certified_solutions(NINE_BY_NINE, masks, 2))
    grids, count = solved.grids[0], len(puzzles)
    fast, ours = timed(lambda: canonical_forms(puzzles, solved.unique, grids))
    show("canonical, with its solution", count, fast)
    alone = timed(
        lambda: canonical_forms(puzzles, certified_solutions(NINE_BY_NINE, masks, 2).unique, grids)
    )[0]
    show("canonical, solved and certified", count, alone)
    few = puzzles[:20].copy()
    few[np.arange(20), (few > 0).argmax(axis=1)] = 0
    show("canonical, several solutions", 20, timed(lambda: [lowest_form(p, 3) for p in few])[0])
    seconds, redundant = timed(lambda: redundant_givens(NINE_BY_NINE, masks))
    show("minimal", count, seconds)
    print(f"  {'':<34}{(~redundant.cells.any(axis=1)).mean():12.0%} are minimal")
    sample = masks[:OF_EFFORT]
    depth, depths = timed(lambda: depths_of(sample))
    show("effort: depth", len(sample), depth)
    width, widths = timed(lambda: backdoors_of(sample, grids[:OF_EFFORT]))
    show("effort: backdoor", len(sample), width)
    seconds, splits = timed(lambda: splits_of(ours[:OF_EFFORT]))
    show("effort: splits", len(sample), seconds)
    states = np.array(sample.T, np.uint16, order="C")
    show("singles", len(sample), timed(lambda: singles.propagate_singles(states.copy()))[0])
    for name, numbers in (("depths", depths), ("backdoors", widths)):
        kinds, counts = np.unique(numbers, return_counts=True)
        print(f"  {name}:", ", ".join(f"{k}: {c}" for k, c in zip(kinds, counts, strict=True)))
    print(f"  splits: {splits.mean.mean():.1f}, spread {splits.spread.mean():.1f}")


def brute(puzzles: ValueArray) -> None:
    indices = np.linspace(0, len(puzzles) - 1, BRUTE).astype(int)
    chosen = np.repeat(puzzles[indices], 2, axis=0)
    for index in range(1, len(chosen), 2):
        chosen[index, np.flatnonzero(chosen[index])[index % 17]] = 0
    solved = certified_solutions(NINE_BY_NINE, masks_of_values(NINE_BY_NINE, chosen), 2)
    start = time.perf_counter()
    ours = canonical_forms(chosen, solved.unique, solved.grids[0])
    fast = time.perf_counter() - start
    start, wrong = time.perf_counter(), 0
    for index, puzzle in enumerate(chosen):
        through = solved.grids[0, index] if solved.unique[index] else puzzle
        wrong += bytes(lowest_of_all(puzzle, through)) != bytes(ours[index])
    slow = time.perf_counter() - start
    kinds = f"{solved.unique.sum()} with one solution"
    print(f"  {len(chosen)} puzzles, {kinds}: {wrong} differ; {slow / fast:,.0f} x as fast")


def lowest_of_all(puzzle: ValueArray, through: ValueArray) -> ValueArray:
    """The lowest image of a puzzle under the symmetries that minimise `through`.

    Tries all symmetries: for each order of the rows, all orders of the columns, each dropped at the
    first cell where it is not the lowest.
    """
    orders, best = line_orders(3), np.full((2, 81), 10, np.uint8)
    for lying in (False, True):
        grids = [
            cells.reshape(9, 9).T if lying else cells.reshape(9, 9) for cells in (through, puzzle)
        ]
        for rows in orders:
            left = _lowest_columns(grids[0][rows], orders, best[0])
            if left is None:
                continue
            columns, labels, image = left
            permuted = grids[1][rows][:, columns].swapaxes(0, 1).reshape(-1, 81)
            images = np.take_along_axis(labels, permuted.astype(np.intp), 1)
            lowest_image = np.frombuffer(min(row.tobytes() for row in images), np.uint8)
            is_lower = image.tobytes() < best[0].tobytes()
            if is_lower or lowest_image.tobytes() < best[1].tobytes():
                best = np.array([image, lowest_image])
    lowest: ValueArray = best[1]
    return lowest


def _lowest_columns(
    grid: ValueArray, columns: NDArray[np.intp], best: ValueArray
) -> tuple[NDArray[np.intp], ValueArray, ValueArray] | None:
    """The orders of columns that minimise a grid, their labels, and the image.

    None if the image is higher than `best`.
    """
    labels, used = np.zeros((len(columns), 10), np.uint8), np.zeros(len(columns), np.uint8)
    image, is_lower = np.zeros(81, np.uint8), False
    for cell in range(81):
        rows = np.arange(len(columns))
        values = grid[cell // 9, columns[:, cell % 9]]
        is_new = (values > 0) & (labels[rows, values] == 0)
        used += is_new
        labels[rows[is_new], values[is_new]] = used[is_new]
        relabelled = labels[rows, values]
        image[cell] = relabelled.min()
        if not is_lower and image[cell] > best[cell]:
            return None
        is_lower = is_lower or image[cell] < best[cell]
        kept = relabelled == image[cell]
        if not kept.all():
            columns, labels, used = columns[kept], labels[kept], used[kept]
    return columns, labels, image


def copies(puzzles: ValueArray) -> None:
    """Check that all copies are items, and that no puzzle is reported as a copy of another."""
    originals = np.arange(COPIES) % len(puzzles)
    images = random_symmetries(3, COPIES, 3).images(puzzles[originals])
    settings, tally = Settings().for_collection(), Tally()
    with TemporaryDirectory() as folder:
        first, second = Path(folder, "first.txt"), Path(folder, "second.txt")
        first.write_bytes(text_lines(puzzles))
        second.write_bytes(text_lines(images))
        start = time.perf_counter()
        items = list(find_copies([(first, "first"), (second, "second")], settings, None, tally))
        seconds = time.perf_counter() - start
    reported = [item for item in items if isinstance(item, Copy)]
    own = [copy for copy in reported if copy.source == "first"]
    right = sum(
        copy.first_line == originals[copy.line - 1] + 1
        for copy in reported
        if copy.source == "second" and copy.line
    )
    print(f"  of {COPIES} copies {right} are found; {len(own)} of the {len(puzzles)} are copies")
    print(f"  {tally.puzzles / seconds:,.0f} puzzles/s")


def minimal(puzzles: ValueArray) -> None:
    """Compare with PySAT: has the puzzle a solution with another value instead of a given?"""
    chosen = puzzles[np.linspace(0, len(puzzles) - 1, BY_HAND).astype(int)].copy()
    grids = certified_solutions(NINE_BY_NINE, masks_of_values(NINE_BY_NINE, chosen), 2).grids[0]
    for index in range(0, BY_HAND, 2):  # add givens to every other puzzle, as many are minimal
        cells = np.random.PCG64(index).random_raw(9) % np.uint64(81)
        chosen[index, cells] = grids[index, cells]
    masks = masks_of_values(NINE_BY_NINE, chosen)
    start = time.perf_counter()
    ours = redundant_givens(NINE_BY_NINE, masks).cells
    fast = time.perf_counter() - start
    start, wrong = time.perf_counter(), 0
    rules = list(encode_puzzle(Puzzle.empty(NINE_BY_NINE), "extended").clauses())
    with Minisat22(bootstrap_with=rules) as solver:
        for index, puzzle in enumerate(chosen):
            literals = [9 * cell + int(puzzle[cell]) for cell in np.flatnonzero(puzzle).tolist()]
            for given in literals:
                remaining = [literal for literal in literals if literal != given]
                is_redundant = not solver.solve([*remaining, -given])
                wrong += is_redundant != ours[index, (given - 1) // 9]
    slow = time.perf_counter() - start
    print(f"  {BY_HAND} puzzles, {ours.sum()} redundant givens: {wrong} differ", end="")
    print(f"; {slow / fast:,.0f} x as fast")


def compare(known: Path, asked: Path) -> None:
    tallies, start = (Tally(), Tally()), time.perf_counter()
    for _ in find_overlap(
        [(known, "known")], [(asked, "asked")], Settings().for_collection(), None, tallies
    ):
        pass
    seconds = time.perf_counter() - start
    puzzles = sum(tally.puzzles for tally in tallies)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{tallies[1].copies} of {tallies[1].puzzles} are among {tallies[0].puzzles}")
    print(f"{seconds:.1f} s, {puzzles / seconds:,.0f} puzzles/s, {peak} MB at most")


if __name__ == "__main__":
    main()
