"""How often steps and ratings agree with those of another program; and how fast they are.

    python bench/steps.py FILE…

Lines of a FILE are of two kinds. A case of a technique, as HoDoKu's library of them has it:

    :CODE:digits:GRID:deleted candidates:struck candidates:filled cells:

where `+` in GRID is before a digit that is no given, and a candidate is its digit, row and column,
`415`. It agrees if that technique, again and again with singles between, concludes all that; if
CODE ends with `-x`, if it finds nothing. Or a
puzzle in a line with what is expected of it, apart by white space, commas or semicolons: a level, a
score (a whole number), Sudoku Explainer's rating (with a decimal point), the name of a technique
that is taken. Lines that expect nothing are only timed.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.solving import LEVELS, Rating
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


def main() -> None:
    loader.get(at_once=True)
    agree, differ = Counter[str](), defaultdict[str, list[str]](list)
    puzzles = []
    for line in (line for file in sys.argv[1:] for line in Path(file).read_text().splitlines()):
        if line.startswith(":") and line.count(":") >= 6:
            code, _, variant = line.split(":")[1].partition("-")
            name = CODES.get(code, "a technique that is not here")
            agrees = name in TECHNIQUES and concludes(name, line.split(":"), variant == "x")
            told = [(name, agrees)]
        elif found := GRID.match(line):
            puzzles.append(line[:81])
            told = [*compared(line[:81], re.split(r"[\s,;]+", line[found.end() :].strip()))]
        else:
            continue
        for what, agrees in told:
            agree[what] += agrees
            if not agrees:
                differ[what].append(line)
    for what in sorted({*agree, *differ}):
        total = agree[what] + len(differ[what])
        print(f"{what:32} {agree[what]:6} of {total:6} agree")
        for line in differ[what][:3]:
            print(f"    {line[:140]}")
    if puzzles:
        masks = [masks_of(puzzle) for puzzle in puzzles]
        begun = time.process_time()
        rated = [*ratings(masks)]
        spent = time.process_time() - begun
        taken = sum(each.steps for each in rated)
        print(f"{len(rated)} puzzles, {taken} steps: {len(rated) / spent:.0f} puzzles a second")


def masks_of(grid: str) -> list[int]:
    return [511 if sign in ".0" else 1 << int(sign) - 1 for sign in grid]


def concludes(name: str, case: list[str], must_fail: bool) -> bool:
    """Whether a technique, with singles between, comes to what a case expects, or to nothing."""
    masks = masks_of(case[3].replace("+", ""))
    struck, *expected = [candidates(field) for field in case[4:7]]
    if must_fail:
        return not [*steps(masks, unique=True, techniques=[TECHNIQUES[name]], struck=struck)]
    order = [*BY_SCORE[:3], TECHNIQUES[name]]
    taken = [*steps(masks, unique=True, techniques=order, struck=struck)]
    placed = dict(each for step in taken for each in step.placed)
    gone = {each for step in taken for each in step.struck}
    return all(placed.get(cell) == value for cell, value in expected[1]) and all(
        each in gone or placed.get(each[0], each[1]) != each[1] for each in expected[0]
    )


def candidates(field: str) -> list[tuple[int, int]]:
    """`415` is 4 in row 1, column 5: its cell, from 0, and the digit."""
    return [(9 * int(each[1]) + int(each[2]) - 10, int(each[0])) for each in field.split()]


def compared(puzzle: str, expected: list[str]) -> Iterator[tuple[str, bool]]:
    """What is expected of a puzzle, each with whether it is so."""
    expected = [*filter(None, expected)]
    if not expected:
        return
    rating: Rating = next(ratings([masks_of(puzzle)]))
    for field in expected:
        if field in LEVELS:
            yield "level", rating.level == field
        elif re.fullmatch(r"\d+\.\d", field):
            yield "rating of Sudoku Explainer", abs(rating.se - float(field)) < 0.05
        elif field.isdecimal():
            yield "score of HoDoKu", rating.score == int(field)
        elif field in TECHNIQUES:
            taken = {step.technique.name for step in steps(masks_of(puzzle), unique=True)}
            yield field, field in taken


if __name__ == "__main__":
    main()
