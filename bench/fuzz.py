"""Reads damaged files for a while, to find texts that crash the reader or take long.

    python bench/fuzz.py SECONDS [FOLDER…]

The samples are the files of `examples/` and of each FOLDER. A text is a sample in which bytes
were changed, removed, repeated or replaced by a part of another sample, or random bytes. It must
be read or refused. If anything else happens, or it takes more than 20 s, the text is left in
`fuzz.bin` and the program ends with a traceback. The seed is printed; `SEED` in the environment
repeats a run.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import time
from pathlib import Path

from pipeline import PipelineError, read

EXAMPLES = Path(__file__).parent.parent / "examples"
MAX_BYTES = 20_000
MAX_SECONDS = 20.0
LAST = Path("fuzz.bin")
ALPHABET = b"0123456789.,;|+-=_*?xXaAzZ#/{}[]()<>\"' \t\r\n\x00\x1a\xc3\xe2\xff~^$&%@:"


def damaged(sample: bytes, other: bytes, rng: random.Random) -> bytes:
    """A copy of a sample with one to eight faults."""
    text = bytearray(sample)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 1, 2, 9, 82, 400)))
        kind = rng.randrange(5)
        if kind == 0:
            text[start:end] = b""
        elif kind == 1:
            text[start:start] = text[start:end] * rng.choice((1, 2, 81))
        elif kind == 2:
            text[start:end] = bytes(rng.choices(ALPHABET, k=rng.choice((1, 1, 2, 9))))
        elif kind == 3:
            first = rng.randrange(len(other) + 1)
            text[start:start] = other[first : first + rng.choice((1, 9, 82, 400))]
        else:
            text[start:end] = rng.randbytes(end - start)
    return bytes(text[:MAX_BYTES])


def main(seconds: float, folders: list[Path]) -> None:
    paths = (path for folder in (EXAMPLES, *folders) for path in sorted(folder.rglob("*")))
    samples = [path.read_bytes()[:MAX_BYTES] for path in paths if path.is_file()]
    seed = int(os.environ.get("SEED") or time.time())
    print(f"{len(samples)} samples, seed {seed}", flush=True)
    rng = random.Random(seed)
    texts = puzzles = refused = 0
    slowest, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        sample, other = rng.choice(samples), rng.choice(samples)
        data = damaged(sample, other, rng) if rng.random() < 0.95 else rng.randbytes(300)
        LAST.write_bytes(data)
        faulthandler.dump_traceback_later(MAX_SECONDS, exit=True)
        start = time.perf_counter()
        texts += 1
        try:
            for item in read(data):
                puzzles, refused = puzzles + (not item.reason), refused + bool(item.reason)
        except PipelineError:
            refused += 1
        slowest = max(slowest, time.perf_counter() - start)
        faulthandler.cancel_dump_traceback_later()
    LAST.unlink()
    shown = f"{puzzles:,} puzzles, {refused:,} refused"
    print(f"{texts:,} texts: {shown}; the slowest took {slowest:.2f} s")


if __name__ == "__main__":
    main(float(sys.argv[1]), [*map(Path, sys.argv[2:])])
