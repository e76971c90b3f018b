"""Descriptions of rules on sheets: sentences of the reference, with numbers."""

from __future__ import annotations

import runpy

from support.cases import for_each
from support.pages import PAGES, ROOT

from pipeline.puzzle.rules import cages, custom, lines, outside, pairs
from pipeline.puzzle.rules.meaning import sentences

EXAMPLES = runpy.run_path(str(ROOT / "docs" / "rules.py"))["EXAMPLES"]
MEANINGS = " ".join(PAGES["docs/reference/rules.md"].replace("`", "").split())


@for_each("example", EXAMPLES)
def test_every_rule_has_a_short_description(example):
    for captions, said in sentences(example.rules):
        assert captions
        assert said[0].isupper()
        assert said.endswith(".")
        assert "`" not in said
        assert len(said) <= 200


def test_descriptions_are_sentences_of_the_reference():
    told = [said for example in EXAMPLES for _, said in sentences(example.rules)]
    same = [said for said in told if said in MEANINGS]
    assert len(same) > len(told) / 2  # the others contain numbers


@for_each(
    ("rules", "said"),
    [
        ([lines.Whispers((0, 1), 5), lines.Whispers((3, 4), 5)], "differ by at least 5."),
        ([pairs.WhiteDot(0, 1), pairs.WhiteDot(2, 3)], "differ by 1."),
        ([pairs.WhiteDot(0, 1), pairs.WhiteDot(2, 3, 4)], "differ by the difference."),
        ([cages.Cage((0, 1), 7)], "sum to the total, if it has one."),
        ([lines.Thermometer((0, 1))], "from its bulb."),
        ([lines.Thermometer((0, 1), slow=True)], "On a slow one they may stay the same."),
        ([pairs.Nonconsecutive(())], "hold consecutive values."),
        ([pairs.Nonconsecutive(((0, 1),))], "Pairs with a dot are exempt."),
        ([pairs.NegativeXV((5, 10), ())], "do not sum to 5 or 10."),
        ([outside.FullRank((0, 1, 2), 3, tied=True)], "other lines may be equal to it."),
    ],
)
def test_a_description_has_the_numbers_and_flags_that_the_drawing_lacks(rules, said):
    [(_, found)] = sentences(rules)
    assert found.endswith(said)


def test_kinds_with_equal_descriptions_share_one():
    relations = [custom.Relation((0, 1), (0,) * 10, label=label) for label in ("a", "b")]
    whispers = [lines.Whispers((0, 1), number) for number in (4, 5)]
    found = sentences([*relations, *whispers])
    assert [captions for captions, _ in found] == ["a, b", "whispers 4", "whispers 5"]
