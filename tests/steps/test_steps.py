"""Steps of logic: found in the right order, certified, and told as a person writes them."""

from __future__ import annotations

import time

import pytest
from support.needs import compiles_steps
from support.step_states import STATES
from support.techniques import EXPLAINER_RATINGS, masks_of

from pipeline import solve, solve_many
from pipeline.certify.steps import PLACED
from pipeline.errors import SolverError
from pipeline.outbox.traits import RatingColumns
from pipeline.reading.formats import parse_source
from pipeline.solving import RATING_VERSION
from pipeline.steps import (
    BY_RATING,
    BY_SCORE,
    PROGRAM,
    Use,
    _Walker,
    loader,
    ratings,
    steps,
    uses_of,
)
from pipeline.steps import layout as L
from pipeline.steps.orders import technique_named
from pipeline.steps.presentation.wording import text_of
from pipeline.steps.step_arrays import append_new, lowest_bit, reset_step
from pipeline.steps.techniques import FILLED, MORE, take_steps

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARDEST = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."

HIDDEN_PAIR = "....36.....18...5.......4.3.9...3.6...26....17..1..5.9....5..8..4....9.2.19....4."
HIDDEN_PAIR_AND_MORE = (
    "..6.4...32...196.....6...8...3.7..155......2...29...........8......5..4.7.8...95."
)
"""Puzzles that need a hidden pair, and then an XY-wing."""


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)


def test_an_easy_puzzle_is_filled_by_singles():
    solution = solve(EASY).solutions[0].values
    taken = [*steps(masks_of(EASY), unique=True)]
    placed = [each for step in taken for each in step.placed]
    assert len(taken) == len(placed) == 81 - sum(sign != "." for sign in EASY)
    assert all(solution[cell] == value for cell, value in placed)


def test_no_step_is_found_where_no_technique_applies():
    simple = [technique for technique in BY_SCORE if technique.level < 2]
    assert not [*steps(masks_of(HARDEST), unique=True, techniques=simple)]


def test_a_puzzle_that_is_not_proved_unique_has_no_step_that_says_so():
    parsed = parse_source(STATES["hodoku", "unique rectangle 1"].encode(), "state.txt")
    placed, eliminated = parsed.progress
    techniques = [each for each in BY_SCORE if each.needs_unique]
    for unique in (True, False):
        found = steps(
            parsed.puzzle.cells,
            unique=unique,
            techniques=techniques,
            placed=placed,
            eliminated=eliminated,
        )
        assert (next(found, None) is not None) == unique


def test_marks_are_candidates_that_are_gone():
    cells = masks_of("." * 81)
    cells[0] = 0b11
    cells[1] = 0b11
    first = next(steps(cells, unique=False))
    assert text_of(first).startswith("locked pair 1,2 in r1c1,r1c2 removes 1,2 from r1c3,r1c4")


def test_a_rectangle_may_lack_a_candidate_that_is_gone_but_not_one_that_the_puzzle_excludes():
    pattern = {0: (1, 2), 3: (1, 2), 9: (1, 2), 12: (1, 3, 4)}
    eliminated = [(c, v) for c, kept in pattern.items() for v in range(1, 10) if v not in kept]
    techniques = [each for each in BY_SCORE if each.name == "unique rectangle 1"]
    cells = masks_of("." * 81)
    (step,) = steps(cells, unique=True, techniques=techniques, eliminated=eliminated)
    assert step.eliminated == ((12, 1),)
    cells[12] &= ~0b10
    assert not [*steps(cells, unique=True, techniques=techniques, eliminated=eliminated)]


def test_a_step_that_does_not_follow_is_never_told(monkeypatch):
    monkeypatch.setattr("pipeline.steps.techniques.follows", lambda *_: 0)
    with pytest.raises(SolverError, match=r"step 1, .* does not follow"):
        next(steps(masks_of(EASY), unique=True))


def test_ratings_are_the_sum_of_scores_and_the_hardest_step():
    (easy,) = ratings([masks_of(EASY)])
    assert (easy.level, easy.se, easy.solved) == ("easy", 1.2, True)
    scores = [step.technique.score for step in steps(masks_of(EASY), unique=True)]
    assert (easy.score, easy.steps) == (sum(scores), len(scores))
    first = next(steps(masks_of(EASY), unique=True, techniques=BY_RATING)).technique.se / 10
    assert (easy.ep, easy.ed) == (first, first)
    told = [str(sum(scores)), "easy", easy.hardest, str(len(scores)), "1.2", *2 * [str(first)], ""]
    assert RatingColumns.texts(easy) == told
    assert easy.version == RATING_VERSION


def test_a_rating_uses_the_techniques_of_its_order():
    (rating,) = ratings([masks_of(EASY)], scored=BY_SCORE[2:3], has_se=False)
    assert (rating.hardest, rating.score) == ("hidden single", 14 * rating.steps)


def test_a_rating_without_time_is_a_lower_bound_that_says_why():
    (cut,) = ratings([masks_of(EASY)], seconds=0)
    (whole,) = ratings([masks_of(EASY)])
    assert (cut.steps, cut.stopped, cut.solved) == (1, "time limit", False)
    assert cut.score < whole.score
    assert cut.se <= whole.se
    score, level, _, _, se, _, _, stopped = RatingColumns.texts(cut)
    assert (score[0], level, se[0], stopped) == (">", "extreme", ">", "time limit")


def test_a_technique_that_lies_fails_its_puzzle_alone(monkeypatch):
    def lies(s, t, o, *_):
        reset_step(o)
        cell = next(cell for cell in range(81) if s[cell])
        append_new(o, PLACED, 9 * cell + lowest_bit(t, s[cell]))
        return 1

    lied = next(line for line, rating in EXPLAINER_RATINGS if rating == 2.6)
    truth = [RatingColumns.texts(rating) for rating in ratings([masks_of(EASY)])]
    monkeypatch.setattr("pipeline.steps.hodoku.patterns.find_locked_candidates", lies)
    first, second, third = ratings([masks_of(EASY), masks_of(lied), masks_of(EASY)])
    assert [*map(RatingColumns.texts, (first, third))] == [*truth, *truth]
    number = second.steps
    assert second.failed.startswith(f"step {number}, pointing, does not follow from the cells")
    assert RatingColumns.texts(second) == ["failed", "", "pointing", str(number), "", "", "", ""]
    results = [*solve_many([EASY, lied], traits="rating")]
    assert [result.status for result in results] == ["unique", "unique"]
    assert [RatingColumns.texts(result.traits.rating) for result in results] == [
        *truth,
        RatingColumns.texts(second),
    ]


@compiles_steps
def test_machine_code_takes_the_steps_of_plain_python():
    PROGRAM.compile_into(PROGRAM.create_folder())  # its trial compares them
    assert PROGRAM.load_from(PROGRAM.create_folder())


@pytest.mark.parametrize(
    ("puzzle", "expected"),
    [(EASY, Use.NONE), (HIDDEN_PAIR, Use.HARDEST), (HIDDEN_PAIR_AND_MORE, Use.INSUFFICIENT)],
)
def test_the_use_of_a_technique_agrees_with_the_rating(puzzle, expected):
    pair = technique_named("hidden pair")
    assert [*uses_of(pair, [masks_of(puzzle)])] == [expected]
    (rating,) = ratings([masks_of(puzzle)], has_se=False)
    assert (rating.hardest == "hidden pair") == (expected == Use.HARDEST)
    order = [each for each in BY_SCORE if (each.level, each.score) <= (pair.level, pair.score)]
    taken = [*steps(masks_of(puzzle), unique=True, techniques=order)]
    assert (pair in [step.technique for step in taken]) == (expected != Use.NONE)
    is_filled = sum(len(step.placed) for step in taken) == puzzle.count(".")
    assert is_filled == (expected != Use.INSUFFICIENT)


def test_machine_code_looks_at_the_clock_during_long_walks(monkeypatch):
    """Arrays of numpy are walked here by the functions that are also compiled."""
    monkeypatch.setattr("pipeline.steps._MAX_STEPS", 5)
    walker = _Walker(take_steps, BY_SCORE[:3])
    walker.begin(masks_of(EASY), unique=True)
    assert walker.take_until(time.monotonic()) == MORE
    assert walker.walk[L.STEPS_TAKEN] == 5
    assert walker.take_until(time.monotonic() + 1000) == FILLED
    assert walker.walk[L.STEPS_TAKEN] > 5
