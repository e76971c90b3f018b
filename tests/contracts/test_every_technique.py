"""What every technique must do; a new one is tested by its row and its state."""

from __future__ import annotations

import pytest
from support.cases import for_each
from support.step_states import STATES, WITHOUT_STATE
from support.step_walks import rated_walk, walk_of
from support.techniques import RATED_EXAMPLES

from pipeline.certify.steps import CITED, DEADLY, EXTRAS
from pipeline.steps import loader
from pipeline.steps.orders import order_with

ORDER_NAMES = "hodoku", "explainer"


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)


@for_each("order", ORDER_NAMES)
def test_every_technique_has_a_name_of_its_own_and_a_state(order):
    names = [technique.name for technique in order_with(order)]
    assert len({*names}) == len(names)
    assert {(order, name) for name in names} - STATES.keys() == {
        key for key in WITHOUT_STATE if key[0] == order
    }


@pytest.mark.parametrize(("order", "name"), STATES)
def test_a_step_follows_from_what_it_cites_and_not_from_nothing(order, name):
    walk = walk_of(order, name)
    assert walk.technique == name
    assert walk.is_certified()
    assert walk.is_certified(unique=False) == (not walk.step[DEADLY])
    walk.step[CITED] = walk.step[DEADLY] = walk.step[EXTRAS] = 0
    assert not walk.is_certified()


@pytest.mark.parametrize("name", RATED_EXAMPLES)
def test_the_first_step_is_that_of_sudoku_explainer(name):
    example, walk = RATED_EXAMPLES[name], rated_walk(name)
    assert walk.technique == name
    assert (walk.rating, walk.placed, walk.eliminated) == example[:1] + example[2:]


def test_every_technique_of_sudoku_explainer_has_a_first_step():
    names = {technique.name for technique in order_with("explainer")}
    assert names - RATED_EXAMPLES.keys() == {name for _, name in WITHOUT_STATE} & names
