"""The page of steps lists the techniques as the package has them."""

from __future__ import annotations

from support.pages import PAGES

from pipeline.solving import LEVELS
from pipeline.steps.techniques import MAX_SCORES, TECHNIQUES


def test_the_table_has_every_technique_with_its_level_score_and_rating():
    rows = [
        [field.strip() for field in line.strip("|").split("|")][:4]
        for line in PAGES["docs/reference/steps.md"].splitlines()
        if line.startswith("| ") and not line.startswith("| technique")
    ]
    assert rows == [
        [
            each.name,
            LEVELS[each.level] if each.score else "",
            str(each.score or ""),
            f"{each.se / 10:.1f}" if each.se else "",
        ]
        for each in TECHNIQUES
    ]


def test_the_page_says_where_a_level_ends():
    for most in MAX_SCORES:
        assert f"{most:,}" in PAGES["docs/reference/steps.md"]
