"""What every technique must do; a new one is tested by its row and its example."""

from __future__ import annotations

import pytest
from support.cases import for_each
from support.step_walks import Walk, rated_walk, scored_walk, solution_of
from support.techniques import EXAMPLES, RATED_EXAMPLES, WITHOUT_EXAMPLE, masks_of

from pipeline import steps as steps_package
from pipeline.certify.steps import CITED, DEADLY, EXTRAS
from pipeline.steps import BY_RATING, BY_SCORE, steps
from pipeline.steps.wording import text_of


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(steps_package.loader, "get", lambda *_, **__: None)


@pytest.mark.parametrize(("order", "examples"), [(BY_SCORE, EXAMPLES), (BY_RATING, RATED_EXAMPLES)])
def test_every_technique_has_a_name_of_its_own_and_an_example(order, examples):
    names = [technique.name for technique in order]
    assert len({*names}) == len(names)
    assert {*examples} == {*names} - {*WITHOUT_EXAMPLE}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_technique_is_taken_when_no_simpler_one_applies(name):
    number, line = EXAMPLES[name]
    solution = solution_of(masks_of(line))
    walk = scored_walk(name)
    assert walk.technique == name
    assert walk.number == number + 1
    assert walk.placed or walk.struck
    assert all(solution[cell] == value for cell, value in walk.placed)
    assert all(solution[cell] != value for cell, value in walk.struck)


@for_each("name", RATED_EXAMPLES)
def test_a_technique_of_sudoku_explainer_concludes_what_that_program_concludes(name):
    example, walk = RATED_EXAMPLES[name], rated_walk(name)
    assert walk.technique == name
    assert (walk.rating, walk.placed, walk.struck) == example[:1] + example[2:]


def _walks() -> list[Walk]:
    return [*map(scored_walk, EXAMPLES), *map(rated_walk, RATED_EXAMPLES)]


@for_each("walk", _walks())
def test_a_step_follows_from_what_it_cites_and_not_from_nothing(walk):
    assert walk.is_certified()
    walk.step[CITED] = walk.step[DEADLY] = walk.step[EXTRAS] = 0
    assert not walk.is_certified()


@for_each("walk", [walk for walk in _walks() if walk.step[DEADLY]])
def test_a_step_from_uniqueness_needs_a_proof_of_uniqueness(walk):
    assert walk.is_certified()
    assert not walk.is_certified(unique=False)


@for_each("name", RATED_EXAMPLES)
def test_a_step_of_sudoku_explainer_has_a_text(name):
    example = RATED_EXAMPLES[name]
    step = next(steps(example.masks, unique=True, techniques=BY_RATING))
    assert (step.placed, step.struck) == (example.placed, example.struck)
    assert name in text_of(step)
