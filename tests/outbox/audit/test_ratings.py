"""What `--traits rating` adds is found anew, unless a step failed its check."""

from __future__ import annotations

import pytest

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
FILES = {"many.txt": f"{EASY}\n{EASY[::-1]}\n", "easy.txt": EASY}
OPTIONS = ("--traits", "rating")
FAILED = {"rating": "failed", "level": "", "hardest": "BUG+1", "steps": "7", "se": ""}


def test_a_rating_is_said_to_have_failed_where_it_does_not_or_where_another_build_rated(outbox):
    outbox.set_row("many.csv", "many", 2, **FAILED)
    told = {"score": 0, "level": None, "hardest": "BUG+1", "steps": 7, "se": 0, "solved": False}
    outbox.edit("easy", rating={**told, "failed": "step 7, BUG+1, does not follow"})
    assert {each.verdict for each in outbox.findings().values()} == {"bad"}
    for stem in ("many", "easy"):
        outbox.edit(stem, build="0")
    assert {each.verdict for each in outbox.findings().values()} == {"unchecked"}


@pytest.mark.parametrize(
    "forged",
    [
        {"rating": "1"},
        {"level": "hard"},
        {"se": "9.9"},
        {"rating": "failed"},
        {**FAILED, "se": "1"},
    ],
)
def test_a_forged_rating_is_found(outbox, forged):
    outbox.set_row("many.csv", "many", 1, **forged)
    problems = outbox.finding("many").problems
    assert problems
    assert all("--traits rating" in each and "row 1" in each for each in problems)
