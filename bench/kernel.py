"""The batch solver alone, and the share of each stage of the way from bytes to rows.

    python bench/kernel.py FILE…

Each FILE holds one 9×9 puzzle a line; it is repeated up to 50,000 puzzles. Stages are
microseconds of processor time a puzzle, the best of some rounds.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.certify import certify_lists
from pipeline.certify import many as checking
from pipeline.certify.many import MAX_NODES
from pipeline.limits import NEVER
from pipeline.native import LOAD_AFTER_SECONDS, Program
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading import Collection
from pipeline.reading.formats.plain import masks_of_plain
from pipeline.reading.read import source_at
from pipeline.service.jobs import CHUNK_SIZES
from pipeline.service.solving import solve_chunk
from pipeline.settings import Settings
from pipeline.solving import compiled as lanes
from pipeline.solving.compiled import BatchSolutions, BatchSolver, Masks
from pipeline.solving.solvers import Solvers

COUNT = 50_000
ROUNDS = 4
MOST = 3


def seconds_of(work: Callable[[], Any]) -> float:
    """The least processor time of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def linked(program: Program) -> Callable[..., int]:
    """The program's function; its code is kept for the next time."""
    program.compile_into(program.create_folder())
    return program.load_from(program.create_folder())


def each(function: Callable[[Any], Any], of: list[Any]) -> Callable[[], list[Any]]:
    return lambda: [function(one) for one in of]


def main() -> None:
    search = BatchSolver(linked(lanes.PROGRAM))
    step = linked(checking.PROGRAM)
    lanes.loader.add_seconds(LOAD_AFTER_SECONDS)
    for name in sys.argv[1:]:
        lines = [line[:81] for line in Path(name).read_text().splitlines() if len(line) >= 81]
        lines = (lines * (COUNT // len(lines) + 1))[:COUNT]
        report(Path(name), "\n".join(lines).encode() + b"\n", search, step)


def report(path: Path, data: bytes, search: BatchSolver, step: Callable[..., int]) -> None:
    settings = Settings().for_collection()
    source = source_at(path, path.name, settings)
    assert isinstance(source, Collection)
    chunks = list(source.layout.chunks(io.BytesIO(data), CHUNK_SIZES.chunk))
    read = partial(source.layout.contents, reading=settings.reading)
    contents = [read(chunk) for chunk in chunks]
    masks = [masks_of_plain(content.plain_cells()[1]) for content in contents]
    answers = [search(some, MOST, NEVER) for some in masks]
    pairs = list(zip(masks, answers, strict=True))

    def check(pair: tuple[Masks, BatchSolutions]) -> Any:
        few, found = pair
        whole = found.counts < MOST  # only of these are the solutions claimed to be all
        claim = few[whole], found.counts[whole], found.grids[:, whole]
        return checking.check_in_parallel(step, *claim, MAX_NODES, NEVER)

    def certify(pair: tuple[Masks, BatchSolutions]) -> Any:
        few, found = pair
        listed = np.where(found.counts < MOST, 0, MOST)
        return certify_lists(NINE_BY_NINE, few, listed, found.grids)

    with Solvers() as solvers:
        solve = partial(solve_chunk, layout=source.layout, solvers=solvers, settings=settings)
        rows = [solve(chunk) for chunk in chunks]
        stages: dict[str, Callable[[], Any]] = {
            "read": each(read, chunks),
            "masks": each(lambda content: masks_of_plain(content.plain_cells()[1]), contents),
            "search": each(lambda some: search(some, MOST, NEVER), masks),
            "solutions are all": each(check, pairs),
            "the others' solutions": each(certify, pairs),
            "all to rows": each(solve, chunks),
            "table, if counted anew": each(lambda some: some.table_from(0), rows),
        }
        count = sum(map(len, masks))
        print(f"{path.name}: {count} puzzles, microseconds each")
        taken = {stage: seconds_of(work) for stage, work in stages.items()}
    whole = taken["all to rows"]
    for stage, seconds in taken.items():
        print(f"  {stage:<23}{seconds / count * 1e6:8.2f}{seconds / whole:6.0%}")
    search.branches = 0
    for some in masks:
        search(some, MOST, NEVER)
    each_second, branched = count / taken["search"], search.branches / count
    print(f"  search: {each_second:,.0f} puzzles/s, {branched:.2f} branches a puzzle")


if __name__ == "__main__":
    main()
