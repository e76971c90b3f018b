r"""Compare numbers of solutions with those of another program.

    python bench/differential.py [--limit 2] [--timeout 60] [--workers 1] ANSWERS
    python bench/differential.py --random 1000 [--documents] [--seed 1]

Each line of the file ANSWERS is a text, a tab and the number of solutions that the other program
found; or, if the text is a document or has several lines, JSON:

    .Shape~4x4.Thermo~R1C1~R1C2~R1C3~R1C4	12
    {"text": ".Shape~4x4\\n.AntiKing", "solutions": 0}

Counts stop at `--limit`, so the other program may stop there too. A line is printed for each text
whose number differs or is missing, with the reason: `refused by name` for unsupported rules, which
is not a fault; `invalid`; `unknown` if the time ran out. The last line has the totals. The exit
code is 1 if a number differs, or a text is invalid or unknown.

`--random` prints texts in the notation of ISS with random rules of all types, or documents of
f-puzzles with all keys, as input of the other program. About two of three have a planted solution:

    python bench/differential.py --random 1000 --seed 7 > texts
    their-counter --limit 2 < texts | paste texts - > answers
    python bench/differential.py answers
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from random_texts import random_lines

from pipeline import solve_many
from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats import parse_source
from pipeline.solving.result import Result

SAME, DIFFERS, REFUSED, INVALID, UNKNOWN = (
    "same",
    "differs",
    "refused by name",
    "invalid",
    "unknown",
)
FAULTS = {DIFFERS, INVALID, UNKNOWN}


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("answers", type=Path, nargs="?")
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--random", type=int, metavar="COUNT")
    parser.add_argument("--documents", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.random:
        chance = random.Random(asked.seed)
        for text in islice(random_lines(chance, documents=asked.documents), asked.random):
            print(text)
    elif asked.answers and not asked.answers.is_file():
        parser.error(f"no such file: {asked.answers}")
    elif asked.answers:
        sys.exit(compare(asked.answers, asked.limit, asked.timeout, asked.workers))
    else:
        parser.error("a file of answers, or --random COUNT, is needed")


def compare(answers: Path, limit: int, timeout: float, workers: int) -> int:
    """Print the differences and their totals; return the exit code."""
    given = [*answers_in(answers)]
    texts = (text for _, text, _ in given)
    results = solve_many(texts, workers=workers, max_solutions=limit, timeout=timeout)
    counts: Counter[str] = Counter()
    for (number, text, theirs), result in zip(given, results, strict=True):
        verdict, said = judged(text, result, min(theirs, limit))
        counts[verdict] += 1
        if verdict != SAME:
            print(f"{answers.name}:{number}: {verdict}: {said}: {text!r}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) or "no texts")
    return 1 if FAULTS & counts.keys() else 0


def answers_in(path: Path) -> Iterator[tuple[int, str, int]]:
    """Yield line number, text, and the other program's number of solutions."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        try:
            if line.startswith("{") and '"text"' in line:
                told = json.loads(line)
                text, count = told["text"], told["solutions"]
            else:
                text, _, count = line.rpartition("\t")
            yield number, text, int(count)
        except (ValueError, KeyError, TypeError):
            what = "a text, a tab and a number, or JSON with text and solutions"
            raise SystemExit(f"{path.name}:{number}: expected {what}, found {line!r}") from None


def judged(text: str, result: Result, theirs: int) -> tuple[str, str]:
    """The verdict on a result, given the other program's number, and a message."""
    if result.status == "invalid":
        return reason_for(text), result.message or ""
    ours = len(result.solutions)
    if result.status not in ("unique", "multiple", "unsolvable"):
        return UNKNOWN, f"{result.status}, {theirs} by the other program"
    return (SAME if ours == theirs else DIFFERS), f"{ours} solutions, {theirs} by the other program"


def reason_for(text: str) -> str:
    """The verdict on an invalid text: `refused by name` for an unsupported rule, else `invalid`."""
    try:
        parse_source(text.encode(), "text")
    except InvalidPuzzle as error:
        return REFUSED if error.expected.startswith(("a known", "a rule that")) else INVALID
    return INVALID


if __name__ == "__main__":
    main()
