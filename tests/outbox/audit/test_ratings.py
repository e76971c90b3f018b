"""What `--traits rating` adds is found anew, unless a step failed its check."""

from __future__ import annotations

import pytest

from pipeline.outbox.tables import PuzzleRow, columns
from pipeline.outbox.traits import FORMER_RATING
from pipeline.solving import RATING_VERSION

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
FILES = {"many.txt": f"{EASY}\n{EASY[::-1]}\n", "easy.txt": EASY}
OPTIONS = ("--traits", "rating")
FAILED = {
    "rating": "failed",
    "level": "",
    "hardest": "BUG+1",
    "steps": "7",
    "se": "",
    "ep": "",
    "ed": "",
}
CUT = {"se": ">1.0", "ep": "", "ed": "", "stopped": "time limit"}


def test_a_rating_is_said_to_have_failed_where_it_does_not_or_where_another_build_rated(outbox):
    outbox.set_row("many.csv", "many", 2, **FAILED)
    told = {"score": 0, "level": None, "hardest": "BUG+1", "steps": 7, "se": 0, "solved": False}
    told["version"] = RATING_VERSION
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
        {"ep": "1.1"},
        {"ed": "9.9"},
        {"stopped": "no technique applies"},
        {**CUT, "level": "hard"},
        {**CUT, "stopped": "time"},
        {"rating": "failed"},
        {**FAILED, "se": "1"},
    ],
)
def test_a_forged_rating_is_found(outbox, forged):
    outbox.set_row("many.csv", "many", 1, **forged)
    problems = outbox.finding("many").problems
    assert problems
    assert all("--traits rating" in each and "row 1" in each for each in problems)


def test_a_rating_that_a_time_limit_cut_short_is_no_problem(outbox):
    outbox.set_row("many.csv", "many", 1, **CUT)
    outbox.edit_in("easy", "rating", se=1.0, ep=None, ed=None, stopped="time limit")
    for stem in ("many", "easy"):
        assert outbox.finding(stem).verdict == "ok"
        assert any("time ran out" in note for note in outbox.finding(stem).notes)


def test_ratings_of_an_earlier_version_are_not_compared(outbox):
    rating = outbox.record("easy")["rating"]
    former = {
        name: rating[name] for name in rating if name not in ("ep", "ed", "stopped", "version")
    }
    outbox.edit("easy", rating={**former, "se": 9.9})
    assert "version 1 of the ratings" in str(outbox.finding("easy").problems)
    _take_columns_of_former_rating(outbox)
    outbox.set_row("many.csv", "many", 1, se="9.9")
    for stem in ("many", "easy"):
        outbox.edit(stem, build="0")
        assert outbox.finding(stem).verdict == "unchecked"
        assert "not compared" in str(outbox.finding(stem).gaps)


def test_a_malformed_rating_of_an_earlier_version_is_found(outbox):
    _take_columns_of_former_rating(outbox)
    outbox.set_row("many.csv", "many", 1, se="high")
    outbox.edit("many", build="0")
    assert "malformed" in str(outbox.finding("many").problems)


def _take_columns_of_former_rating(outbox):
    """Give a table the columns of an earlier version."""
    now, kept = columns(PuzzleRow, ["rating"]), columns(PuzzleRow, [FORMER_RATING])
    rows = outbox.rows("many.csv")
    kept_indexes = [now.index(name) for name in kept]
    lines = [",".join(row[k] for k in kept_indexes) for row in rows]
    outbox.write("many.csv", "".join(f"{line}\n" for line in lines), "many")
