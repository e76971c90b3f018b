"""Orders of techniques, and techniques by name."""

from __future__ import annotations

import pytest

from pipeline.errors import UsageError
from pipeline.steps import BY_SCORE
from pipeline.steps.hodoku import SINGLE
from pipeline.steps.orders import ORDERS, order_with, technique_named
from pipeline.steps.techniques import TECHNIQUES


def test_a_beginner_takes_singles_in_boxes_first_and_then_follows_hodoku():
    beginner = ORDERS["boxes"]
    names = [technique.name for technique in beginner[:4]]
    boxes, lines = "hidden single in a box", "hidden single in a line"
    assert names == ["full house", boxes, lines, "naked single"]
    assert beginner[4:] == tuple(each for each in BY_SCORE if each.kind != SINGLE)
    assert all(technique.score for technique in beginner)


def test_an_unknown_order_is_a_usage_error():
    with pytest.raises(UsageError, match=r"^order: expected one of .*hodoku.*, found 'x'$"):
        order_with("x")


def test_an_optional_technique_comes_at_its_place():
    assert order_with("hodoku") == TECHNIQUES
    assert order_with("hodoku", ()) == ORDERS["hodoku"]
    assert order_with("boxes", ["X-wing"]) == ORDERS["boxes"]
    assert order_with("explainer") == ORDERS["explainer"]
    names = [technique.name for technique in order_with("boxes", ["death blossom"])]
    at = names.index("death blossom")
    assert names[at - 1 : at + 2] == ["ALS chain", "death blossom", "forcing chain"]
    assert names[:at] + names[at + 1 :] == [technique.name for technique in ORDERS["boxes"]]


@pytest.mark.parametrize("name", ["X-wing", "xwing", "X wing", "x_WING"])
def test_case_spaces_and_hyphens_of_a_name_do_not_matter(name):
    assert technique_named(name).name == "X-wing"


def test_names_of_the_first_order_come_first():
    hodoku, explainer = ORDERS["hodoku"], ORDERS["explainer"]
    assert technique_named("naked pair", (*hodoku, *explainer)) in hodoku
    assert technique_named("naked pair", (*explainer, *hodoku)) in explainer


def test_an_unknown_name_is_refused_with_a_suggestion():
    with pytest.raises(
        UsageError, match=r"unknown technique 'sword fishes'; did you mean swordfish\?"
    ):
        technique_named("sword fishes")
    with pytest.raises(UsageError, match=r"similar are .*; docs/reference/steps.md lists all"):
        technique_named("qqq")
