"""Ratings of whole puzzles, and rules of Sudoku Explainer that differ from those of others."""

from __future__ import annotations

from support.cases import for_each
from support.needs import compiles_steps
from support.techniques import EXPLAINER_RATINGS, masks_of

from pipeline.steps import BY_RATING, PROGRAM, _Walker, loader, ratings, steps
from pipeline.steps.layout import HIGHEST_RATING
from pipeline.steps.techniques import FILLED

CASES = {
    "...2..8....9.3...637..6....5........7.3.....9.62.8......6..7.8442.3.......74...25": 2.6,
    "..7..5..........15..279.....5.92.3.....457........3..89.....18.8.517...932.......": 2.6,
    "...5...7.....4.8..74..8....5..4..1...9..3.7..1.4.9.3.2.2.1....841.97.5...5.3.8...": 2.8,
    ".4.2.....5....3.9.2..1..6..9.5...346......18........59.2...4..361..8..2...9.....1": 3.0,
    "........1.......23....45........3.....12.....56....4......6.7..2.3......85.......": 3.4,
    "..1....57.97...2.8...8...1.1...9....532.71.....9.....57.......6.2....98......85.1": 6.7,
    ".....6.1....9...8.....8..7..9........2.391.....47.2...74..1.82..618..79...943...1": 7.1,
    ".1.45....6.8....7.9....78...6.14.5......7...9.....3..4.9.6..31.....1.9.8.5.......": 7.8,
    "...932...6.8...37........2...42....8..3.1.5..7....46...9........57...2.4...175...": 8.2,
    ".....18...25..37....38..........6..1.9.......7..1.2..4..6.5..7.3.....24......9..3": 8.3,
    ".35..4......1....7...38..5.58..9..2...2...6...6..7..93.5..17...4....8......2..81.": 9.0,
}
"""Puzzles whose rating depends on one rule: a direct step places only, and only in a unit of its
own kind (2.6 to 3.4); the shortest of all chains is taken (6.7 to 8.3), Nishio (7.8) and the length
of dynamic chains (9.0) count.
"""


def rated_by(run, line):
    """The rating of a puzzle, by the compiled `take_steps`, or in plain Python."""
    walker = _Walker(run, BY_RATING)
    walker.begin(masks_of(line), unique=True)
    assert walker.take(1000) == FILLED
    return int(walker.walk[HIGHEST_RATING]) / 10


@for_each("line, rating", [case for case in CASES.items() if case[1] < 7])
def test_a_rating_follows_from_the_rules_for_direct_steps_and_cycles(line, rating):
    assert rated_by(None, line) == rating


@for_each("rating, line", [(r, line) for line, r in EXPLAINER_RATINGS if r < 6])
def test_a_puzzle_without_chains_is_rated_as_by_sudoku_explainer(rating, line):
    assert rated_by(None, line) == rating


@compiles_steps
def test_puzzles_of_all_bands_are_rated_as_by_sudoku_explainer():
    PROGRAM.compile_into(PROGRAM.create_folder())
    run = PROGRAM.load_from(PROGRAM.create_folder())
    expected = {**dict(EXPLAINER_RATINGS), **CASES}
    assert {line: rated_by(run, line) for line in expected} == expected


def test_a_direct_step_only_places(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)
    line = next(line for line, rating in EXPLAINER_RATINGS if rating == 2.0)
    taken = [*steps(masks_of(line), unique=True, techniques=BY_RATING)]
    direct = [step for step in taken if step.technique.name.startswith("direct")]
    assert direct
    assert all(step.placed and not step.eliminated for step in direct)


def test_a_rating_is_the_highest_of_all_steps(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)
    line, rating = next(case for case in EXPLAINER_RATINGS if case[1] == 2.6)
    (found,) = ratings([masks_of(line)])
    taken = steps(masks_of(line), unique=True, techniques=BY_RATING)
    assert found.se == rating == max(step.technique.se for step in taken) / 10
