"""Dynamic chains that use other steps: levels, pauses, and ratings of the hardest puzzles."""

from __future__ import annotations

from support.cases import for_each
from support.needs import compiles_steps
from support.step_walks import Walk, walk_from
from support.techniques import HARDEST_RATINGS, NESTED_EXAMPLES, masks_of

from pipeline.steps import BY_RATING, PROGRAM, _Walker, loader, ratings
from pipeline.steps.layout import STEPS_TAKEN
from pipeline.steps.techniques import FILLED, MORE, PAUSED

PLUS = "dynamic forcing chain plus"


def first_step(masks, order=BY_RATING, run=None) -> Walk:
    """The first step from a state, with the compiled `take_steps` or in plain Python."""
    walker = _Walker(run, order)
    walker.begin(masks, unique=True)
    return walk_from(walker)


def compiled_steps():
    """The compiled `take_steps`."""
    PROGRAM.compile_into(PROGRAM.create_folder())
    return PROGRAM.load_from(PROGRAM.create_folder())


def paused_step(run, masks):
    """How often a walk pauses at a deadline that is over, before its first step; and that step."""
    walker, pauses = _Walker(run, BY_RATING), 0
    walker.begin(masks, unique=True)
    while walker.take_until(0) == PAUSED and walker.walk[STEPS_TAKEN] < 1:
        pauses += 1
    return pauses, [*walker.step]


def test_a_search_that_pauses_finds_the_same_step():
    masks = NESTED_EXAMPLES[PLUS].masks
    pauses, step = paused_step(None, masks)
    assert pauses > 1
    assert step == first_step(masks).step


def test_a_level_asked_alone_follows_the_levels_before_it():
    (plus,) = (technique for technique in BY_RATING if technique.name == PLUS)
    example = NESTED_EXAMPLES[PLUS]
    walk = first_step(example.masks, [plus])
    assert (walk.rating, walk.placed, walk.eliminated) == (
        example.rating,
        example.placed,
        example.eliminated,
    )
    assert walk.is_certified()


def test_a_rating_that_a_pause_ends_is_at_least_that_of_the_technique_at_hand():
    walker, rated = _Walker(None, BY_RATING), []
    walker.begin(NESTED_EXAMPLES[PLUS].masks, unique=True)
    while (outcome := walker.take_until(0)) == PAUSED:
        assert walker.highest_rating(PAUSED) == walker.paused_technique.se
        rated.append(walker.paused_technique.se)
    assert [*dict.fromkeys(rated)] == [85, 90]
    assert walker.highest_rating(outcome) == NESTED_EXAMPLES[PLUS].rating


@compiles_steps
@for_each("name", NESTED_EXAMPLES)
def test_a_nested_chain_is_the_step_of_sudoku_explainer_and_certified(name):
    example = NESTED_EXAMPLES[name]
    walk = first_step(example.masks, run=compiled_steps())
    assert walk.technique == name
    assert (walk.rating, walk.placed, walk.eliminated) == example[:1] + example[2:]
    assert walk.is_certified()
    assert paused_step(compiled_steps(), example.masks)[0] > 1


@compiles_steps
def test_the_hardest_puzzles_have_their_known_ratings(monkeypatch):
    run = compiled_steps()
    monkeypatch.setattr(loader, "get", lambda *_, **__: run)
    found = ratings(map(masks_of, HARDEST_RATINGS), seconds=1000)
    assert [(each.se, each.ep, each.ed) for each in found] == [*HARDEST_RATINGS.values()]


@compiles_steps
def test_a_walk_continues_after_each_pause():
    line, (rating, *_) = next(iter(HARDEST_RATINGS.items()))
    walker = _Walker(compiled_steps(), BY_RATING)
    walker.begin(masks_of(line), unique=True)
    outcomes = [walker.take_until(0)]
    while outcomes[-1] in (MORE, PAUSED):
        outcomes.append(walker.take_until(0))
    assert (outcomes[-1], outcomes.count(PAUSED) > 10) == (FILLED, True)
    assert walker.highest_rating(FILLED) == round(10 * rating)
