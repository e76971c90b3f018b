"""The page of rules is what docs/rules.py makes, and its pictures keep the rules they show."""

from __future__ import annotations

import re
import runpy

from support.cases import for_each
from support.pages import PAGES, ROOT
from support.rules.predicates import MEANS

import pipeline.rules
from pipeline import Puzzle

MADE = runpy.run_path(str(ROOT / "docs" / "rules.py"))
EXAMPLES = MADE["EXAMPLES"]
PICTURES = ROOT / "docs" / "assets" / "rules"
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


@each_example
def test_the_line_of_python_that_is_shown_makes_the_first_rule_of_the_picture(example):
    part = PAGES["docs/reference/rules.md"].partition(f"\n## {example.name}\n")[2]
    [line] = re.findall(r"^Python: `(.+)`\.$", part.partition("\n## ")[0], re.MULTILINE)
    geometry = example.geometry
    rule = eval(line, {**vars(pipeline.rules), "boxes": geometry.boxes()})
    assert Puzzle.empty(geometry).with_rules(rule).rules == example.rules[:1]


@each_example
def test_a_shown_grid_keeps_its_rules(example):
    values = [*map(int, example.values)]
    units = (*example.geometry.rows(), *example.geometry.columns(), *example.geometry.boxes())
    assert all(len({values[cell] for cell in unit}) == len(unit) for unit in units)
    assert all(rule.holds(example.geometry, values) for rule in example.rules)
