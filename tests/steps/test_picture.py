"""What is drawn of a step: the roles of candidates, and links."""

from __future__ import annotations

import pytest
from support.step_states import STATES, example

from pipeline.steps.presentation.picture import Role, picture_of


@pytest.mark.parametrize(("order", "name"), STATES)
def test_conclusions_have_their_role_and_all_roles_are_candidates(order, name):
    step = example(order, name)
    picture = picture_of(step)
    placed = {each for each, role in picture.roles.items() if role == Role.PLACED}
    eliminated = {each for each, role in picture.roles.items() if role == Role.ELIMINATED}
    assert (placed, eliminated - {*step.eliminated}) == ({*step.placed}, set())
    assert {*step.eliminated} <= eliminated | placed
    assert all(step.before.has(*candidate) for candidate in picture.roles)
    for link in picture.links:
        assert all(step.before.has(cell, link.start.value) for cell in link.start.cells)
        assert all(step.before.has(cell, link.end.value) for cell in link.end.cells)


@pytest.mark.parametrize(
    ("name", "strong", "weak"),
    [
        ("skyscraper", 2, 0),
        ("2-string kite", 2, 0),
        ("empty rectangle", 1, 0),
        ("W-wing", 1, 0),
        ("turbot fish", 2, 1),
        ("X-chain", 3, 2),
        ("remote pair", 4, 3),
        ("simple colours", 6, 0),
        ("naked pair", 0, 0),
    ],
)
def test_chains_and_patterns_of_strong_links_have_links(name, strong, weak):
    links = picture_of(example("hodoku", name)).links
    found = [link.is_strong for link in links]
    assert (found.count(True), found.count(False)) == (strong, weak)


def test_a_fish_has_fins_and_shaded_lines():
    step = example("hodoku", "finned X-wing")
    picture = picture_of(step)
    fins = [each for each, role in picture.roles.items() if role == Role.FIN]
    assert fins == [(cell, value) for cell in step.fins for value in step.values]
    names = [step.before.unit_names[unit] for unit in picture.units]
    assert names == ["row 3", "row 9", "column 6", "column 7"]


def test_the_two_colours_have_different_roles():
    step = example("hodoku", "simple colours")
    roles = picture_of(step).roles
    for node in step.chain:
        (cell,) = node.cells
        expected = Role.PATTERN if node.holds else Role.SECOND
        assert roles[cell, node.value] == expected
