"""How often steps and ratings agree with those of other programs, and how fast they are.

    python bench/steps.py FILE…

Each FILE is one of three:

- A table: its first line names its columns, separated by tabs. One is `puzzle`; others are expected
  values: `level` and `score` of HoDoKu; `se` or `er`, `ep`, `ed` of Sudoku Explainer: the highest
  rating of a step, that up to the first placement, that of the first step.
- Cases of techniques, as in HoDoKu's library: `:CODE:digits:GRID:deleted candidates:eliminated
  candidates:filled cells:`. In GRID, `+` is before a digit that is no given; a candidate is its
  digit, row and column, `415`. A case agrees if the technique, with singles between, concludes all
  of that; if CODE ends with `-x`, if the technique finds nothing.
- Puzzles, one in a line, which are only timed.

It prints how many values agree: levels, scores within 5 %, and ratings that are equal and within
0.2, for each level or each half point of the expected rating. Then the puzzles per second of
processor time.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.solving import Rating
from pipeline.steps import BY_SCORE, loader, ratings, steps

CODES = {
    "0000": "full house",
    "0002": "hidden single",
    "0003": "naked single",
    "0100": "pointing",
    "0101": "claiming",
    "0110": "locked pair",
    "0111": "locked triple",
    "0200": "naked pair",
    "0201": "naked triple",
    "0202": "naked quadruple",
    "0210": "hidden pair",
    "0211": "hidden triple",
    "0212": "hidden quadruple",
    "0300": "X-wing",
    "0301": "swordfish",
    "0302": "jellyfish",
    "0310": "finned X-wing",
    "0311": "finned swordfish",
    "0312": "finned jellyfish",
    "0320": "sashimi X-wing",
    "0321": "sashimi swordfish",
    "0322": "sashimi jellyfish",
    "0400": "skyscraper",
    "0401": "2-string kite",
    "0402": "empty rectangle",
    "0403": "turbot fish",
    "0500": "simple colours",
    "0501": "simple colours",
    "0502": "multi-colours",
    "0503": "multi-colours",
    "0600": "unique rectangle 1",
    "0601": "unique rectangle 2",
    "0602": "unique rectangle 3",
    "0603": "unique rectangle 4",
    "0604": "unique rectangle 5",
    "0605": "unique rectangle 6",
    "0606": "hidden rectangle",
    "0607": "avoidable rectangle 1",
    "0608": "avoidable rectangle 2",
    "0610": "BUG+1",
    "0701": "X-chain",
    "0702": "XY-chain",
    "0703": "remote pair",
    "0706": "alternating inference chain",
    "0707": "alternating inference chain",
    "0708": "alternating inference chain",
    "0709": "grouped chain",
    "0710": "grouped chain",
    "0711": "grouped chain",
    "0800": "XY-wing",
    "0801": "XYZ-wing",
    "0803": "W-wing",
    "0901": "ALS-XZ",
    "0902": "ALS-XY-wing",
    "0903": "ALS chain",
    "1101": "Sue de Coq",
    "1301": "forcing chain",
    "1302": "forcing chain",
    "1303": "forcing net",
}
TECHNIQUES = {each.name: each for each in BY_SCORE}
GRID = re.compile(r"[0-9.]{81}")
RATING_FIELDS = {"se": "se", "er": "se", "ep": "ep", "ed": "ed"}
"""For each column of Sudoku Explainer's ratings, the field of `Rating`."""


class Agreement:
    """Counts of expected values by measure and group; for each kind of agreement one count."""

    def __init__(self) -> None:
        self.counts = defaultdict[tuple[str, str], list[int]](list)
        self.examples = defaultdict[tuple[str, str], list[str]](list)

    def add(self, measure: str, group: str, agreements: list[bool], example: str) -> None:
        """Count a value. `agreements`: whether it agrees, strictest kind first."""
        for key in ((measure, group), (measure, "all")):
            counts = self.counts[key] or [0] * (1 + len(agreements))
            counts[0] += 1
            for k, agrees in enumerate(agreements, 1):
                counts[k] += agrees
            self.counts[key] = counts
            if not agreements[-1]:
                self.examples[key].append(example)

    def lines(self) -> Iterator[str]:
        """A line for each group, and up to three examples of values that do not agree."""
        for (measure, group), (total, *agreeing) in sorted(self.counts.items()):
            shares = "  ".join(f"{count:5} {count / total:6.1%}" for count in agreeing)
            yield f"{measure:30} {group:8} {total:5}: {shares}"
        for (measure, group), examples in self.examples.items():
            if group != "all":
                yield from (f"    {measure}: {example[:140]}" for example in examples[:3])


def main() -> None:
    loader.get(at_once=True)
    agreement, puzzles = Agreement(), list[str]()
    for file in map(Path, sys.argv[1:]):
        lines = file.read_text().splitlines()
        if lines and "puzzle" in lines[0].split("\t"):
            rows = [*csv.DictReader(lines, delimiter="\t")]
            puzzles += [row["puzzle"] for row in rows]
            for row in rows:
                compare(row, agreement)
            continue
        for line in lines:
            if line.startswith(":") and line.count(":") >= 6:
                code, _, variant = line.split(":")[1].partition("-")
                name = CODES.get(code, "a technique that is not here")
                agrees = name in TECHNIQUES and concludes(name, line.split(":"), variant == "x")
                agreement.add(name, "", [agrees], line)
            elif GRID.match(line):
                puzzles.append(line[:81])
    for line in agreement.lines():
        print(line)
    if puzzles:
        masks = [masks_of(puzzle) for puzzle in puzzles]
        begun = time.process_time()
        rated = [*ratings(masks)]
        spent = time.process_time() - begun
        taken = sum(each.steps for each in rated)
        print(f"{len(rated)} puzzles, {taken} steps: {len(rated) / spent:.0f} puzzles a second")


def compare(row: dict[str, str], agreement: Agreement) -> None:
    """Compare the rating of a puzzle with the expected values in a row of a table."""
    rating: Rating = next(ratings([masks_of(row["puzzle"])]))
    if level := row.get("level"):
        got = f"{row['puzzle']} {level}, got {rating.level}"
        agreement.add("level", level, [rating.level == level], got)
    if score := row.get("score"):
        difference = abs(rating.score - int(score)) / int(score)
        got = f"{row['puzzle']} {score}, got {rating.score}"
        agreement.add(
            "score: equal, within 5 %",
            level or "",
            [rating.score == int(score), difference <= 0.05],
            got,
        )
    for column, field in RATING_FIELDS.items():
        if expected := row.get(column):
            value = getattr(rating, field)
            difference = abs(value - float(expected))
            band = f"{float(expected) // 0.5 / 2:.1f}…"
            got = f"{row['puzzle']} {expected}, got {'>' if rating.stopped else ''}{value:.1f}"
            agreement.add(
                f"{column}: equal, within 0.2", band, [difference < 0.05, difference < 0.25], got
            )


def masks_of(grid: str) -> list[int]:
    return [511 if sign in ".0" else 1 << int(sign) - 1 for sign in grid]


def concludes(name: str, case: list[str], must_fail: bool) -> bool:
    """Whether a technique, with singles between, concludes what a case expects, or nothing."""
    masks = masks_of(case[3].replace("+", ""))
    eliminated, *expected = [candidates(field) for field in case[4:7]]
    if must_fail:
        return not [
            *steps(masks, unique=True, techniques=[TECHNIQUES[name]], eliminated=eliminated)
        ]
    order = [*BY_SCORE[:3], TECHNIQUES[name]]
    taken = [*steps(masks, unique=True, techniques=order, eliminated=eliminated)]
    placed = dict(each for step in taken for each in step.placed)
    gone = {each for step in taken for each in step.eliminated}
    return all(placed.get(cell) == value for cell, value in expected[1]) and all(
        each in gone or placed.get(each[0], each[1]) != each[1] for each in expected[0]
    )


def candidates(field: str) -> list[tuple[int, int]]:
    """`415` is 4 in row 1, column 5: its cell, from 0, and the digit."""
    return [(9 * int(each[1]) + int(each[2]) - 10, int(each[0])) for each in field.split()]


if __name__ == "__main__":
    main()
