r"""Whether the library counts as many solutions of each text as another program does.

    python bench/differential.py [--limit 2] [--timeout 60] [--workers 1] ANSWERS
    python bench/differential.py --random 1000 [--seed 1]

Each line of the file ANSWERS is a text, a tab and the number of solutions that the other program
found; or, if the text is a document or has several lines, JSON:

    .Shape~4x4.Thermo~R1C1~R1C2~R1C3~R1C4	12
    {"text": ".Shape~4x4\\n.AntiKing", "solutions": 0}

Numbers from `--limit` on are equal, so the program may stop there. A line is printed for each text
with another number, and for each without any, with the reason: `refused by name` for rules that are
not known or do not fit, which is no fault; `invalid`; `unknown` if the time did not suffice. The
last line counts them all. The exit code is 1 if a number differs, or a text is invalid or unknown.

`--random` prints texts with random rules in ISS's notation, for the other program to answer:

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
from pathlib import Path

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
LINES = ("Thermo", "Whisper~2", "Renban", "Palindrome", "Between", "RegionSumLine", "Zipper")
PAIRS = ("WhiteDot", "BlackDot", "X", "V", "GreaterThan")
FLAGS = ("AntiKnight", "AntiKing", "AntiConsecutive", "Diagonal~1", "Diagonal~-1", "DisjointSets")
OUTSIDE = ("Sandwich~{0}~{1}{2}", "Skyscraper~{1}{2}~{3}~", "XSum~{1}{2}~~{0}")


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("answers", type=Path, nargs="?")
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--random", type=int, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.random:
        chance = random.Random(asked.seed)
        for _ in range(asked.random):
            print(random_text(chance))
    elif asked.answers and not asked.answers.is_file():
        parser.error(f"no such file: {asked.answers}")
    elif asked.answers:
        sys.exit(compare(asked.answers, asked.limit, asked.timeout, asked.workers))
    else:
        parser.error("a file of answers, or --random COUNT, is needed")


def compare(answers: Path, limit: int, timeout: float, workers: int) -> int:
    """Print each difference, and how many there are of each kind; the exit code."""
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
    """The number of each line, its text, and how many solutions the other program found."""
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
    """What a result comes to beside the other program's number, and what is said of it."""
    if result.status == "invalid":
        return reason_for(text), result.message or ""
    ours = len(result.solutions)
    if result.status not in ("unique", "multiple", "unsolvable"):
        return UNKNOWN, f"{result.status}, {theirs} by the other program"
    return (SAME if ours == theirs else DIFFERS), f"{ours} solutions, {theirs} by the other program"


def reason_for(text: str) -> str:
    """Whether an invalid text has rules that are refused by name, or is at fault otherwise."""
    try:
        parse_source(text.encode(), "text")
    except InvalidPuzzle as error:
        return REFUSED if error.expected.startswith("rules that") else INVALID
    return INVALID


def random_text(chance: random.Random) -> str:
    """A text in ISS's notation: a side, one to four rules, and a few givens."""
    side = chance.choice((4, 6, 9))
    kinds = chance.choices(("line", "pair", "cage", "flag", "outside"), k=chance.randint(1, 4))
    rules = [random_rule(kind, side, chance) for kind in kinds]
    cells = chance.sample(range(side * side), side * side // 5)
    given = [f"{name(cell, side)}_{chance.randint(1, side)}" for cell in cells[: side // 2]]
    return f".Shape~{side}x{side}" + "".join(f".{rule}" for rule in rules) + f".~{'~'.join(given)}"


def random_rule(kind: str, side: int, chance: random.Random) -> str:
    if kind == "flag":
        return chance.choice(FLAGS)
    if kind == "outside":
        line, most = (chance.choice("RC"), chance.randint(1, side)), side * (side - 1) // 2
        return chance.choice(OUTSIDE).format(
            chance.randint(1, most), *line, chance.randint(1, side)
        )
    path = random_path(side, 2 if kind == "pair" else chance.randint(3, 5), chance)
    cells = "~".join(name(cell, side) for cell in path)
    if kind == "cage":
        return f"Cage~{chance.randint(len(path), side * len(path))}~{cells}"
    return f"{chance.choice(PAIRS if kind == 'pair' else LINES)}~{cells}"


def random_path(side: int, length: int, chance: random.Random) -> list[int]:
    """Up to so many different cells, each beside the one before; two at least."""
    path = [chance.randrange(side * side)]
    while len(path) < length:
        row, column = divmod(path[-1], side)
        steps = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        around = [r * side + c for r, c in steps if 0 <= r < side and 0 <= c < side]
        if not (free := [cell for cell in around if cell not in path]):
            break
        path.append(chance.choice(free))
    return path


def name(cell: int, side: int) -> str:
    row, column = divmod(cell, side)
    return f"R{row + 1}C{column + 1}"


if __name__ == "__main__":
    main()
