"""Generated puzzles fulfil the wish, have one solution, and depend only on the seed."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from support.machine_code import Asked
from support.needs import needs_numba
from support.oracle import is_solution, solutions

from pipeline.catalogue import generating
from pipeline.catalogue.effort import depths_of
from pipeline.catalogue.generating import Wish, generate_puzzles
from pipeline.catalogue.solutions import certified_solutions, redundant_clues
from pipeline.errors import LimitReached, UsageError
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.solvers import Solvers
from pipeline.steps import Use, ratings

FULL = NINE_BY_NINE.all_values


@pytest.fixture(autouse=True)
def _few_at_once(monkeypatch):
    monkeypatch.setattr(generating, "BATCH_GRIDS", 24)


def some(wish, number, seed=1):
    return list(islice(generate_puzzles(wish, seed), number))


def clues_of(generated):
    return [sum(mask != FULL for mask in each.masks) for each in generated]


def clues_in(masks):
    return (masks != FULL).sum(axis=1)


def array(generated):
    return np.array([each.masks for each in generated], np.uint16)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(),
        Wish(minimal=False, givens=(30, 33)),
        Wish(symmetric=True, minimal=False, givens=(24, 50)),
        Wish(symmetric=True, minimal=False, givens=(24, 50), marks=True),
        Wish(symmetric=True),
        Wish(marks=True),
    ],
)
def test_generated_puzzles_fulfil_the_wish_and_have_exactly_their_solution(wish):
    generated = some(wish, 2 if wish.symmetric and wish.minimal else 6)
    for each in generated:
        puzzle, grid = Puzzle(NINE_BY_NINE, each.masks), Grid(NINE_BY_NINE, each.solution)
        assert is_solution(puzzle, grid)
        assert solutions(puzzle, 2) == [grid]
        is_clue = [mask != FULL for mask in each.masks]
        assert not wish.symmetric or is_clue == is_clue[::-1], "half a turn changes it"
    least, most = wish.givens
    assert all(least <= clues <= most for clues in clues_of(generated))
    if wish.minimal:
        assert not redundant_clues(NINE_BY_NINE, array(generated)).cells.any()
    kinds = {mask for each in generated for mask in each.masks if mask & mask - 1}
    parities = {NINE_BY_NINE.even_values, NINE_BY_NINE.odd_values} if wish.marks else set()
    assert kinds == {FULL} | parities


def test_all_puzzles_have_the_wished_depth():
    easy = array(some(Wish(depth=(0, 0)), 6))
    assert depths_of(easy).tolist() == [0] * 6
    harder = array(some(Wish(depth=(1, 2)), 6))
    assert (depths_of(harder) >= 1).all()


def test_the_wished_technique_is_the_hardest_of_all_puzzles(monkeypatch):
    monkeypatch.setattr(generating, "BATCH_GRIDS", 6)  # each puzzle of a batch is rated
    made = some(Wish(technique="POINTING"), 2)
    rated = [*ratings((each.masks for each in made), has_se=False)]
    assert [each.hardest for each in rated] == ["pointing"] * 2
    assert all(each.solved and each.se == 0 for each in rated)


def test_techniques_that_are_unknown_or_above_the_level_are_refused(monkeypatch):
    with pytest.raises(UsageError, match=r"technique: .*did you mean X-wing"):
        Wish(technique="X wong")
    with pytest.raises(UsageError, match="a step of X-wing is at least hard, not easy"):
        Wish(technique="x wing", level="easy")
    hardest = Wish(technique="Death Blossom", level="unfair").hardest
    assert hardest
    assert (hardest.name, hardest.level_name) == ("death blossom", "unfair")
    with pytest.raises(UsageError, match="naked singles count as full houses"):
        Wish(technique="naked single")
    monkeypatch.setattr(generating, "MAX_FRUITLESS_TECHNIQUE_BATCHES", 1)
    with pytest.raises(LimitReached, match="none of 48 puzzles"):  # with variants
        some(Wish(technique="full house"), 1)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_all_puzzles_have_the_wished_level(level):
    made = some(Wish(level=level), 2)
    assert [each.level for each in ratings(each.masks for each in made)] == [level] * 2


def test_equal_seeds_give_equal_puzzles_and_other_seeds_give_others():
    three, five = some(Wish(), 3), some(Wish(), 5)
    assert five[:3] == three
    assert len({each.masks for each in five}) == 5
    assert not set(some(Wish(), 5, seed=2)) & set(five)


def test_the_first_puzzle_of_a_seed_never_changes():
    """If this must change, the changelog has to say so: people write seeds down."""
    (first,) = some(Wish(), 1, seed=2024)
    expected = "941537286862491573357628194129754638584263719736189425295876341613942857478315962"
    assert "".join(map(str, first.solution)) == expected


@needs_numba
@pytest.mark.trial  # plain Python takes some seconds for a puzzle
def test_the_same_is_generated_with_and_without_machine_code(lanes, monkeypatch):
    found = []
    monkeypatch.setattr(generating, "BATCH_GRIDS", 1)
    for step in (lanes._run_search, None):
        monkeypatch.setattr("pipeline.solving.compiled.loader", Asked(step))
        found.append(some(Wish(minimal=False, givens=(75, 78)), 1))
    assert found[0] == found[1]


def test_empty_ranges_are_refused():
    for wrong in ({"givens": (10, 16)}, {"givens": (30, 20)}, {"depth": (0, 3)}):
        with pytest.raises(UsageError, match=r"givens|depth"):
            Wish(**wrong)


def test_generation_gives_up_if_no_puzzle_fulfils_the_wish(monkeypatch):
    monkeypatch.setattr(generating, "MAX_FRUITLESS_BATCHES", 2)
    with pytest.raises(LimitReached, match="none of 48 puzzles"):
        some(Wish(givens=(17, 17)), 1)


def test_variants_are_other_puzzles_with_the_same_solution_and_symmetry():
    wish = Wish(symmetric=True, minimal=False, givens=(24, 40))
    sources = array(some(wish, 3))
    with Solvers("pysat") as solvers:
        made = generating._make_variants(wish, sources, np.random.PCG64(1), solvers, lambda: None)
    assert made.shape == (24, 81)  # as many as in a batch
    solved = certified_solutions(NINE_BY_NINE, made, 2)
    assert solved.unique.all()
    grids = certified_solutions(NINE_BY_NINE, sources, 2).grids[0]
    assert (solved.grids[0] == np.resize(grids, (24, 81))).all()
    assert ((made != FULL) == (made != FULL)[:, ::-1]).all()
    assert (clues_in(made) >= clues_in(np.resize(sources, (24, 81)))).all()
    assert len({puzzle.tobytes() for puzzle in made}) > 12


def test_variants_of_puzzles_that_need_a_harder_technique_are_tried(monkeypatch):
    monkeypatch.setattr(generating, "BATCH_GRIDS", 8)
    tried = []
    made = [*islice(generate_puzzles(Wish(technique="pointing"), 3, tried.append), 2)]
    assert [each.hardest for each in ratings((each.masks for each in made), has_se=False)] == [
        "pointing"
    ] * 2
    assert tried == sorted(tried)
    assert tried[-1] > 8


def test_of_the_variants_of_a_puzzle_one_is_taken(monkeypatch):
    """All variants of two puzzles suit, but those of one puzzle have its solution."""
    uses = iter([[Use.INSUFFICIENT] * 2 + [Use.NONE] * 22, [Use.HARDEST] * 24, [Use.HARDEST] * 24])
    monkeypatch.setattr(generating, "uses_of", lambda *_: next(uses))
    first, second, third, *_ = some(Wish(technique="pointing"), 3)
    assert len({first.solution, second.solution, third.solution}) == 3
