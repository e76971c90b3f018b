"""Puzzles per second of `generate --technique`, compared with `generate` in the same run.

    python bench/generating.py [--seconds SECONDS] [--seed SEED] [TECHNIQUE…]

For each TECHNIQUE, by default all of HoDoKu's, puzzles are generated for some seconds of processor
time, by default 5. A line has the puzzles found and tried, the share
that was found, the puzzles per second, and how many times as long each took as a puzzle without a
wish. Machine code is compiled before the measurement.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from contextlib import suppress

from pipeline import generate
from pipeline.catalogue.generating import Wish
from pipeline.errors import LimitReached
from pipeline.steps import BY_SCORE, loader
from pipeline.steps.orders import technique_named


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("techniques", metavar="TECHNIQUE", nargs="*")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    names = [technique_named(name).name for name in options.techniques]
    loader.get(at_once=True)
    generated_in(Wish(), options.seed, 0)  # loads the other programs
    count, _, seconds = generated_in(Wish(), options.seed, options.seconds)
    plain = count / seconds
    print(f"{'any':28} {count:6,}                          {plain:8.2f}/s")
    for name in names or [technique.name for technique in BY_SCORE]:
        wish = Wish(technique=name)
        count, tried, seconds = generated_in(wish, options.seed, options.seconds)
        ratio = f"{plain * seconds / count:8.1f} times as long" if count else ""
        share, rate = f"{count / max(tried, 1):8.3%}", f"{count / seconds:8.2f}/s"
        print(f"{name:28} {count:6,} of {tried:8,} {share}  {rate} {ratio}", flush=True)


def generated_in(wish: Wish, seed: int, seconds: float) -> tuple[int, int, float]:
    """The numbers of puzzles generated and tried in some processor time, and the time it took."""
    count = tried = 0
    begun = time.process_time()

    def on_tried(number: int) -> None:
        nonlocal tried
        tried = number
        if time.process_time() - begun > seconds:
            raise TimeoutError

    with suppress(TimeoutError, LimitReached):
        for _ in generate(wish, seed, on_tried):
            count += 1
    return count, tried, time.process_time() - begun


if __name__ == "__main__":
    main()
