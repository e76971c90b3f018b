"""Make a collection of any size from known puzzles, by relabelling and permuting them.

    python bench/collection.py COUNT [FILE] > puzzles.txt

FILE holds one puzzle a line; without one the benchmark makes its own. Each puzzle gets its
digits relabelled, its rows and columns permuted within their bands, the bands permuted, and is
transposed or not: it is as hard as it was, and as unique. The output depends on nothing else.
"""

from __future__ import annotations

import random
import sys
from itertools import chain

from puzzles import puzzles

SOURCES = 5000


def shuffled(text: str, generator: random.Random) -> str:
    """An equivalent of a 9×9 puzzle of 81 characters."""
    labels = dict(zip("123456789", generator.sample("123456789", 9), strict=True))
    rows, columns = (_lines(generator) for _ in "rc")
    cells = [[text[9 * row + column] for column in columns] for row in rows]
    if generator.random() < 0.5:
        cells = [list(line) for line in zip(*cells, strict=True)]
    return "".join(labels.get(sign, ".") for sign in chain.from_iterable(cells))


def _lines(generator: random.Random) -> list[int]:
    bands = generator.sample(range(3), 3)
    return [3 * band + line for band in bands for line in generator.sample(range(3), 3)]


def main() -> None:
    count, generator = int(sys.argv[1]), random.Random(1)
    known = [data.decode().split()[0] for data in puzzles(sys.argv[2:], SOURCES)]
    for number in range(count):
        sys.stdout.write(shuffled(known[number % len(known)], generator) + "\n")


if __name__ == "__main__":
    main()
