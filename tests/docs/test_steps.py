"""The page of steps lists the techniques as the package has them."""

from __future__ import annotations

from support.pages import PAGES

from pipeline.solving import LEVELS
from pipeline.steps.techniques import BY_RATING, MAX_SCORES, TECHNIQUES


def table_rows(heading: str) -> list[list[str]]:
    """The rows of the first table after a heading, each without its last field, a sentence."""
    _, found, text = PAGES["docs/reference/steps.md"].partition(f"\n## {heading}\n")
    assert found
    rows = [
        [field.strip() for field in line.strip("|").split("|")]
        for line in text.partition("\n## ")[0].splitlines()
        if line.startswith("| ")
    ]
    return [row[:-1] for row in rows[1:]]


def test_a_table_has_every_technique_of_hodoku_with_its_level_score_and_rating():
    rated = {each.name: f"{each.se / 10:.1f}" for each in BY_RATING}
    assert table_rows("Techniques") == [
        [
            each.name,
            LEVELS[each.level],
            str(each.score),
            rated.get(each.name, ""),
        ]
        for each in TECHNIQUES
    ]


def test_a_table_has_every_technique_of_sudoku_explainer_with_its_lowest_rating():
    assert table_rows("Techniques of Sudoku Explainer") == [
        [each.name, f"{each.se / 10:.1f}"] for each in BY_RATING
    ]


def test_the_page_says_where_a_level_ends():
    for most in MAX_SCORES:
        assert f"{most:,}" in PAGES["docs/reference/steps.md"]
