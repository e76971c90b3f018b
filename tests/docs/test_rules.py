"""The pages of rules and variants are what docs/rules.py makes; what they show keeps the rules."""

from __future__ import annotations

import re
import runpy
from itertools import chain

import pytest
from support.cases import for_each
from support.pages import PAGES, ROOT
from support.rules.predicates import MEANS

import pipeline.rules
from pipeline import Puzzle, parse_puzzle, solve

MADE = runpy.run_path(str(ROOT / "docs" / "rules.py"))
EXAMPLES = MADE["EXAMPLES"]
PICTURES = ROOT / "docs" / "assets" / "rules"
VARIANTS = [*chain.from_iterable(MADE["VARIANTS"].values())]
GALLERY = ROOT / "docs" / "assets" / "gallery"
each_example = for_each("example", EXAMPLES)


def test_the_page_is_what_the_rules_say():
    assert PAGES["docs/reference/rules.md"] == MADE["page"](), "run `python docs/rules.py`"


@each_example
def test_a_picture_is_what_the_report_draws(example):
    drawn = (PICTURES / example.file).read_text()
    assert drawn == MADE["picture"](example), "run `python docs/rules.py`"


def test_every_rule_has_its_example_and_every_picture_its_rule():
    named = [type(example.rules[0]).__name__ for example in EXAMPLES]
    assert sorted(named) == sorted(rule.__name__ for rule in MEANS)
    assert {path.name for path in PICTURES.iterdir()} == {example.file for example in EXAMPLES}


def test_every_rule_is_in_one_group():
    grouped = [rule.__name__ for group in MADE["GROUPS"].values() for rule in group]
    assert sorted(grouped) == sorted(rule.__name__ for rule in MEANS)


def test_the_gallery_is_what_its_puzzles_are():
    assert PAGES["docs/gallery.md"] == MADE["gallery_page"](), "run `python docs/rules.py`"
    files = {name for each in VARIANTS for name in (each.picture, each.path.name)}
    assert {path.name for path in GALLERY.iterdir()} <= files


@for_each("variant", VARIANTS)
def test_a_puzzle_of_the_gallery_is_drawn_as_it_is_and_has_its_rule(variant):
    drawn = (GALLERY / variant.picture).read_text()
    assert drawn == MADE["gallery_picture"](variant), "run `python docs/rules.py`"
    puzzle = parse_puzzle(variant.path.read_text())
    has_rule = any(isinstance(rule, variant.rule) for rule in puzzle.rules if variant.rule)
    assert has_rule or variant.rule is None or variant.file == "even-odd.sudoku"


@pytest.mark.trial
@for_each("variant", VARIANTS)
def test_a_puzzle_of_the_gallery_has_one_solution(variant):
    assert solve(variant.path.read_text()).status == "unique"


@each_example
def test_the_line_of_python_that_is_shown_makes_the_first_rule_of_the_picture(example):
    part = PAGES["docs/reference/rules.md"].partition(f"\n### {example.name}\n")[2]
    [line] = re.findall(r"^Python: `(.+)`\.$", part.partition("\n##")[0], re.MULTILINE)
    geometry = example.geometry
    rule = eval(line, {**vars(pipeline.rules), "boxes": geometry.boxes()})
    assert Puzzle.empty(geometry).with_rules(rule).rules == example.rules[:1]


@each_example
def test_a_shown_grid_keeps_its_rules(example):
    values = [*map(int, example.values)]
    units = (*example.geometry.rows(), *example.geometry.columns(), *example.geometry.boxes())
    assert all(len({values[cell] for cell in unit}) == len(unit) for unit in units)
    assert all(rule.holds(example.geometry, values) for rule in example.rules)
