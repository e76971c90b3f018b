"""Singles come from queues, so their order is that of HoDoKu, and so is the score."""

from __future__ import annotations

import csv
from pathlib import Path

from support.cases import for_each
from support.needs import compiles_steps
from support.positions import cell_of, eliminated
from support.techniques import masks_of

from pipeline.steps import BY_SCORE, PROGRAM, loader, ratings, steps

SINGLES = BY_SCORE[:3]

with (Path(__file__).parents[1] / "support" / "hodoku_scores.csv").open() as file:
    SCORES = [(row["puzzle"], row["level"], int(row["score"])) for row in csv.DictReader(file)]
"""Puzzles, with their levels and scores by HoDoKu 2.2."""


def singles(grid: str = "." * 81, cells=None, places=None) -> list[tuple[str, int, int]]:
    taken = steps(
        masks_of(grid), unique=False, techniques=SINGLES, eliminated=eliminated(cells, places)
    )
    return [(step.technique.name, *step.placed[0]) for step in taken]


@for_each("case", [case for case in SCORES if case[1] == "easy"])
def test_level_and_score_are_those_of_hodoku(case):
    puzzle, level, score = case
    (rating,) = ratings([masks_of(puzzle)])
    assert (rating.level, rating.score) == (level, score)


@compiles_steps
def test_all_levels_and_scores_are_those_of_hodoku(monkeypatch):
    PROGRAM.compile_into(PROGRAM.create_folder())
    run = PROGRAM.load_from(PROGRAM.create_folder())
    monkeypatch.setattr(loader, "get", lambda *_, **__: run)
    rated = ratings([masks_of(puzzle) for puzzle, _, _ in SCORES])
    assert [(each.level, each.score) for each in rated] == [case[1:] for case in SCORES]


def test_the_single_that_appears_first_is_taken_first():
    assert singles(cells={"r5c5": "1"}) == [("naked single", cell_of("r5c5"), 1)]
    taken = singles(places={"7 r9": "r9c9", "3 r1": "r1c1"})
    # candidates of row 1 are eliminated before those of row 9
    assert taken == [
        ("hidden single", cell_of("r1c1"), 3),
        ("hidden single", cell_of("r9c9"), 7),
    ]


def test_a_naked_single_comes_before_hidden_ones():
    taken = singles(cells={"r9c9": "5"}, places={"3 r1": "r1c1"})
    assert taken == [
        ("naked single", cell_of("r9c9"), 5),
        ("hidden single", cell_of("r1c1"), 3),
    ]


def test_the_last_cell_of_a_unit_is_a_full_house_and_comes_first():
    taken = singles("12345678." + "." * 72, cells={"r5c5": "4"})
    assert taken == [
        ("full house", cell_of("r1c9"), 9),
        ("naked single", cell_of("r5c5"), 4),
    ]


def test_a_single_that_was_filled_otherwise_is_skipped():
    # r1c9 is a naked single, the full house of row 1, and a hidden single of its units
    taken = singles("12345678." + "." * 72)
    assert taken == [("full house", cell_of("r1c9"), 9)]


def test_marks_of_a_puzzle_leave_singles():
    cells = masks_of("." * 81)
    cells[40] = 0b10
    cells[41] = 0b11
    taken = [*steps(cells, unique=False, techniques=SINGLES)]
    assert [step.placed for step in taken] == [((41, 1),)]
