"""Puzzles for the benchmarks: from files with one puzzle per line, or generated."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import render_puzzle

CLUES = 26


def puzzles(files: Sequence[str], count: int) -> list[bytes]:
    """Up to `count` puzzles of the files; without files, `count` generated ones."""
    given = [line.encode() for path in files for line in Path(path).read_text().splitlines()]
    return given[:count] or [made(seed) for seed in range(count)]


def made(seed: int) -> bytes:
    """A 9×9 puzzle with 26 cells of a shuffled pattern grid; most have several solutions."""
    generator = random.Random(seed)
    bands, stacks = generator.sample(range(3), 3), generator.sample(range(3), 3)
    rows = [3 * band + row for band in bands for row in generator.sample(range(3), 3)]
    columns = [3 * stack + column for stack in stacks for column in generator.sample(range(3), 3)]
    digits = generator.sample(range(1, 10), 9)
    kept = set(generator.sample(range(81), CLUES))
    values = [
        digits[(3 * (row % 3) + row // 3 + column) % 9] if 9 * i + j in kept else 0
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]
    return render_puzzle(Puzzle.of_values(Geometry(3, 3), values), "line").encode()
