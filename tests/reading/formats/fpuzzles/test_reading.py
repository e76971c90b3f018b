"""What the keys of a document mean, and that nothing of it is left out in silence."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.cases import default_cases, for_each
from support.documents import RULES, Document, cells, document, lines, read, refusal, text_of, whole

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import cages, outside, pairs, regions
from pipeline.puzzle.rules import lines as along
from pipeline.reading.formats.fpuzzles.document import Misread, parse_json
from pipeline.reading.formats.notations import FLAGS, KEYS
from pipeline.service.solving import solve_puzzle
from pipeline.settings import Settings

FOUR = Geometry(2, 2)
BOXES = tuple(FOUR.boxes())
LINE = "R1C1 R1C2 R2C3"

RULES_ON_4X4: dict[str, tuple[Any, list[object]]] = {
    "diagonal+": (True, [regions.Diagonal(rising=True)]),
    "diagonal-": (True, [regions.Diagonal(rising=False)]),
    "antiknight": (True, [pairs.AntiKnight()]),
    "antiking": (True, [pairs.AntiKing()]),
    "disjointgroups": (True, [regions.DisjointGroups()]),
    "nonconsecutive": (True, [pairs.Nonconsecutive()]),
    "killercage": (
        [cells("R1C1 R2C1", value="5"), cells("R1C2", value="0"), cells("R4C4 R4C3", value=None)],
        [cages.Cage((0, 4), 5), cages.Cage((1,)), cages.Cage((15, 14))],
    ),
    "cage": (
        [cells("R1C1 R2C1", value="DR5"), cells("R1C2 R1C3", value=" dr9 ")],
        [
            cages.DigitalRoot((0, 4), 5, repeating=True),
            cages.DigitalRoot((1, 2), 9, repeating=True),
        ],
    ),
    "extraregion": ([cells("R1C1 R2C2")], [regions.ExtraRegion((0, 5))]),
    "clone": ([cells("R1C1 R1C2", cloneCells=["R3C3", "R3C4"])], [cages.Clone((0, 1), (10, 11))]),
    "quadruple": (
        [cells("R1C1 R1C2 R2C1 R2C2", values=[3, "3"])],
        [cages.Quadruple((0, 1, 4, 5), (3, 3))],
    ),
    "arrow": (
        [cells("R1C2 R1C1", lines=[["R1C1", "R2C2"], ["R1C2", "R2C3", "R3C3"]])],
        [cages.Arrow((0, 1), (5,)), cages.Arrow((0, 1), (6, 10))],
    ),
    "difference": (
        [cells("R1C1 R1C2"), cells("R2C1 R2C2", value="2")],
        [pairs.WhiteDot(0, 1), pairs.WhiteDot(4, 5, 2)],
    ),
    "ratio": (
        [cells("R1C1 R1C2", value=""), cells("R2C1 R2C2", value=3)],
        [pairs.BlackDot(0, 1), pairs.BlackDot(4, 5, 3)],
    ),
    "xv": (
        [cells("R1C1 R1C2", value="X"), cells("R2C1 R2C2", value="v")],
        [pairs.XV(0, 1, 10), pairs.XV(4, 5, 5)],
    ),
    "minimum": (
        [{"cell": "R1C1"}, {"cell": "R1C2"}],
        [pairs.Extreme(0, (4,), maximum=False), pairs.Extreme(1, (2, 5), maximum=False)],
    ),
    "maximum": ([{"cell": "R2C2"}], [pairs.Extreme(5, (1, 4, 6, 9), maximum=True)]),
    "columnindexer": (
        [cells("R1C1 R2C2")],
        [pairs.Indexer(0, row=False), pairs.Indexer(5, row=False)],
    ),
    "rowindexer": ([cells("R1C1")], [pairs.Indexer(0, row=True)]),
    "boxindexer": (
        [cells("R1C1 R2C3"), cells("R4C4")],
        [
            pairs.BoxIndexer(0, BOXES[0]),
            pairs.BoxIndexer(6, BOXES[1]),
            pairs.BoxIndexer(15, BOXES[3]),
        ],
    ),
    "littlekillersum": (
        [
            {"cell": "R0C3", "direction": "DL", "value": "4", "cells": ["R1C2", "R2C1"]},
            {"cell": "R5C0", "direction": "UR", "value": 10},
            {"cell": "R2C5", "direction": "UL"},
        ],
        [outside.LittleKiller((1, 4), 4), outside.LittleKiller((12, 9, 6, 3), 10)],
    ),
    "sandwichsum": ([{"cell": "R0C2", "value": "0"}], [outside.Sandwich((1, 5, 9, 13), 0)]),
    "xsum": ([{"cell": "R5C2", "value": 7}], [outside.XSum((13, 9, 5, 1), 7)]),
    "skyscraper": (
        [{"cell": "R1C0", "value": "2"}, {"cell": "R1C5", "value": "1"}],
        [outside.Skyscraper((0, 1, 2, 3), 2), outside.Skyscraper((3, 2, 1, 0), 1)],
    ),
    "thermometer": (
        lines(LINE, "R4C4 R4C3"),
        [along.Thermometer((0, 1, 6)), along.Thermometer((15, 14))],
    ),
    "slowthermometer": (lines(LINE), [along.Thermometer((0, 1, 6), slow=True)]),
    "palindrome": (lines(LINE), [along.Palindrome((0, 1, 6))]),
    "renban": (lines("R1C1 R1C2 R2C2 R1C1"), [along.Renban((0, 1, 5))]),
    "whispers": (
        [*lines(LINE), *lines(LINE, value="3")],
        [along.Whispers((0, 1, 6), 2), along.Whispers((0, 1, 6), 3)],
    ),
    "betweenline": (lines(LINE), [along.Between((0, 1, 6))]),
    "regionsumline": (lines(LINE), [along.RegionSum((0, 1, 6), BOXES)]),
    "entropicline": (lines(LINE), [along.Entropic((0, 1, 6))]),
    "modularline": (
        [*lines(LINE), *lines(LINE, value=2)],
        [along.Modular((0, 1, 6)), along.Modular((0, 1, 6), 2)],
    ),
    "nabner": (lines(LINE), [along.Nabner((0, 1, 6))]),
    "zipperline": (lines(LINE), [along.Zipper((0, 1, 6))]),
    "doublearrow": (lines(LINE), [along.DoubleArrow((0, 1, 6))]),
    "lockout": (
        [*lines(LINE), *lines(LINE, value=2)],
        [along.Lockout((0, 1, 6)), along.Lockout((0, 1, 6), 2)],
    ),
}
"""By key: what stands there in a document of 4 by 4, and the rules that it is."""


@for_each("key", RULES_ON_4X4)
def test_a_key_is_its_rules(key):
    value, rules = RULES_ON_4X4[key]
    parsed = read(document(**{key: value}))
    assert parsed.puzzle == Puzzle.empty(FOUR, tuple(rules))
    assert (parsed.format, parsed.variant, parsed.unread) == ("f-puzzles", "rules", ())


def test_every_key_that_is_known_is_tested():
    assert RULES_ON_4X4.keys() | {"even", "odd", "windoku"} == (
        FLAGS.keys() | KEYS.keys() | {"nonconsecutive"}
    )
    assert RULES.keys() >= (FLAGS.keys() | KEYS.keys()) - {"disjointgroups"}


def test_a_cage_may_have_a_digital_root_in_place_of_a_sum():
    made = document(killercage=[cells("R1C1 R2C1", value="DR5"), cells("R1C2", value="dr9")])
    rules = (cages.DigitalRoot((0, 4), 5), cages.DigitalRoot((1,), 9))
    assert read(made).puzzle.rules == rules
    for value in ("DR", "DR0", "DR10", "5R"):
        made = document(killercage=[cells("R1C1 R2C1", value=value)])
        assert f"found {value!r}" in str(refusal(made))


def test_a_digital_root_may_stand_in_a_drawn_cage_beside_outlines_of_rules():
    clone = [cells("R1C1 R1C2", cloneCells=["R3C3", "R3C4"])]
    drawn = [cells("R1C1 R1C2"), cells("R1C3 R1C4", value="DR5", outlineC="#000000")]
    rules = read(document(clone=clone, cage=drawn)).puzzle.rules
    assert {*rules} == {
        cages.Clone((0, 1), (10, 11)),
        cages.DigitalRoot((2, 3), 5, repeating=True),
    }
    elsewhere = [*drawn, cells("R1C3 R2C3")]
    assert read(document(clone=clone, cage=elsewhere)).unread == ("drawings",)
    strange = [cells("R1C3 R1C4", value="DR5", lookandsay=True)]
    assert "cage 1, found 'lookandsay'" in str(refusal(document(cage=strange)))


def test_a_box_indexer_points_into_its_region_in_reading_order():
    made = document(boxindexer=[cells("R1C1 R1C3")])
    made["grid"] = [
        [{"region": int(each)} for each in row] for row in ("0001", "0211", "2213", "2333")
    ]
    found = read(made).puzzle.rules[-2:]
    assert found == (pairs.BoxIndexer(0, (0, 1, 2, 4)), pairs.BoxIndexer(2, (0, 1, 2, 4)))
    made["grid"][0][0] = {"region": None}
    assert "its region must have 4 cells, not 3" in str(refusal(made))
    made["boxindexer"] = [cells("R1C1")]
    assert not any(isinstance(rule, pairs.BoxIndexer) for rule in read(made).puzzle.rules)


def test_windoku_is_of_nine():
    assert read(document(9, windoku=True)).puzzle.rules == (regions.Windoku(),)
    assert "9" in str(refusal(document(windoku=True)))


@for_each("key", FLAGS)
def test_a_flag_that_is_false_is_no_rule(key):
    assert read(document(**{key: False})).puzzle == Puzzle.empty(FOUR)


def test_negative_rules_spare_what_is_marked():
    marked = document(
        difference=[cells("R1C2 R1C1", value=3)],
        ratio=[cells("R2C1 R3C1")],
        xv=[cells("R4C4 R4C3", value="V")],
    )
    dots = ((0, 1), (4, 8))
    told = {
        "ratio": pairs.NegativeKropki((), (2,), dots),
        "difference": pairs.NegativeKropki((3,), (), dots),
        "xv": pairs.NegativeXV((5, 10), ((14, 15),)),
    }
    for name, rule in told.items():
        assert read({**marked, "negative": [name]}).puzzle.rules[3:] == (rule,)
    both = read({**marked, "negative": ["ratio", "difference"]}).puzzle.rules[3:]
    assert both == (pairs.NegativeKropki((3,), (2,), dots),)
    exempt = read({**marked, "nonconsecutive": True}).puzzle.rules[3:]
    assert exempt == (pairs.Nonconsecutive(dots),)
    assert read(document(negative=["ratio"])).puzzle.rules == (pairs.NegativeKropki((), (2,), ()),)


def test_only_values_that_are_given_count():
    made = document()
    made["grid"][0] = [
        {"value": 2, "given": True},
        {"value": 3},
        {"value": "4", "given": True, "c": "#fff", "centerPencilMarks": [1]},
        {"value": 1, "given": False, "givenPencilMarks": [1, "3"], "cornerPencilMarks": [2]},
    ]
    assert read(made).puzzle == Puzzle(FOUR, (2, 15, 8, 5, *[15] * 12))


def test_values_and_marks_of_a_player_are_the_progress():
    made = document()
    made["grid"][0] = [
        {"value": 2, "given": True, "centerPencilMarks": [1]},
        {"value": "3", "centerPencilMarks": [1]},
        {"centerPencilMarks": ["1", 4], "cornerPencilMarks": [2]},
        {"value": 9, "centerPencilMarks": []},
    ]
    assert read(made).progress == (((1, 3),), ((2, 2), (2, 3)))


def test_even_and_odd_cells_alone_are_masks():
    made = document(even=[{"cell": "R1C1"}], odd=[{"cell": "R1C2"}])
    made["grid"][3][3] = {"value": 1, "given": True}
    parsed = read(made)
    assert parsed.variant == "even-odd"
    assert parsed.puzzle == Puzzle(FOUR, (0b1010, 0b0101, *[15] * 13, 1))
    assert read(document()).variant == "classic"


def test_even_and_odd_cells_beside_rules_are_rules():
    rules = read(document(even=[{"cell": "R1C1"}], antiking=True)).puzzle.rules
    assert rules == (pairs.Parity(0, odd=False), pairs.AntiKing())


@pytest.mark.parametrize("marks", [["R1C1"], ["R1C2", "R1C2"]])
def test_marks_that_masks_would_not_show_are_rules(marks):
    made = document(odd=[{"cell": name} for name in marks])
    made["grid"][0][0] = {"value": 2, "given": True}
    parsed = read(made)
    assert parsed.variant == "rules"
    assert len(parsed.puzzle.rules) == len(marks)


def test_regions_other_than_the_boxes_make_a_jigsaw():
    made = document()
    made["grid"][0][1] = {"region": 1}
    made["grid"][0][2] = {"region": "0"}
    chunks = ((0, 2, 4, 5), (1, 3, 6, 7), *BOXES[2:])
    assert read(made).puzzle == Puzzle.empty(Geometry(1, 4), tuple(map(regions.Region, chunks)))
    line = {**made, "regionsumline": lines(LINE)}
    assert read(line).puzzle.rules[-1] == along.RegionSum((0, 1, 6), chunks)
    assert "box" in str(refusal({**made, "disjointgroups": True}))


def test_regions_that_are_the_boxes_are_no_rules():
    made = document()
    made["grid"][0][0] = {"region": 0}
    assert read(made).puzzle == Puzzle.empty(FOUR)


def test_a_cell_may_be_in_no_region():
    made = document()
    made["grid"][0][0] = {"region": None}
    rules = read(made).puzzle.rules
    assert rules == (regions.ExtraRegion((1, 4, 5)), *map(regions.Region, BOXES[1:]))


def test_cells_that_are_all_in_no_region_have_no_boxes():
    made = document(grid=[[{"region": None}] * 4] * 4)
    assert read(made).puzzle == Puzzle.empty(Geometry(1, 4))
    assert len(solve_puzzle(read(made).puzzle, Settings(max_solutions=1000)).solutions) == 576
    line = {**made, "regionsumline": lines(LINE)}
    assert read(line).puzzle.rules == (along.RegionSum((0, 1, 6), ()),)
    assert "box" in str(refusal({**made, "disjointgroups": True}))


def test_a_given_that_its_marks_forbid_leaves_no_solution():
    made = document()
    made["grid"][0][0] = {"given": True, "value": 1, "givenPencilMarks": [2, 3]}
    made["grid"][3][3] = {"given": True, "value": 1, "givenPencilMarks": [1, 3]}
    found = read(made)
    assert found.puzzle == Puzzle(FOUR, (0b0110, *[15] * 14, 1), (pairs.Among(0, (1,)),))
    assert found.variant == "rules"


NO_RULES: Document = {
    "xv": [cells("R1C1 R1C2"), cells("R2C1 R2C2", value=" ")],
    "quadruple": [cells("R1C1 R1C2 R2C1 R2C2", values=[])],
    "arrow": [cells("R1C1"), cells("R2C2", lines=[]), cells("R3C3 R3C4", lines=[["R3C4"]])],
    "betweenline": lines("R1C1 R1C2"),
    "littlekillersum": [
        {"cell": "R0C3", "direction": "DL", "value": value} for value in (None, "", "0", 0)
    ],
    "sandwichsum": [{"cell": "R0C1"}, {"cell": "R0C2", "value": ""}],
    "xsum": [{"cell": "R0C1", "value": value} for value in (None, "", "0", 0)],
    "skyscraper": [{"cell": "R0C1", "value": value} for value in (None, "", "0", 0)],
}
"""What editors write for clues that were placed, and not filled in."""


@for_each("key", NO_RULES)
def test_what_was_placed_and_not_filled_in_is_no_rule(key):
    assert read(document(**{key: NO_RULES[key]})).puzzle == Puzzle.empty(FOUR)


def test_a_blank_letter_is_no_mark_that_a_negative_rule_spares():
    made = document(xv=[cells("R1C1 R1C2", value="")], negative=["xv"])
    assert read(made).puzzle.rules == (pairs.NegativeXV((5, 10), ()),)


@for_each(
    ("side", "box"),
    [(4, (2, 2)), (5, (1, 5)), (6, (2, 3)), (8, (2, 4)), (9, (3, 3)), (10, (2, 5)), (12, (3, 4)),
     (15, (3, 5)), (16, (4, 4))],
)  # fmt: skip
def test_a_side_has_its_usual_boxes(side, box):
    assert read(document(side)).puzzle.geometry == Geometry(*box)


def test_prose_is_named_as_unread_and_the_solution_as_claimed():
    made = document(ruleset="Prose", solution="1234341221434321", title="x", antiking=True)
    parsed = read(made)
    assert (parsed.unread, parsed.claimed) == (("ruleset",), "1234341221434321")
    assert read({**made, "solution": [*"1234341221434321"]}).claimed == "1234341221434321"
    assert read({**made, "ruleset": " ", "solution": None}).unread == ()
    large = read(document(10, solution=[10] * 100))
    assert large.claimed == " ".join(["10"] * 100)


def test_a_solution_that_is_not_whole_is_named_as_unread():
    parsed = read(document(solution=[*"123434122143432", "."]))
    assert (parsed.unread, parsed.claimed) == (("solution",), None)
    assert "16 values" in str(refusal(document(solution="1234")))


COSMETICS: Document = {
    "title": "A",
    "author": "B",
    "disabledlogic": ["x"],
    "truecandidatesoptions": ["y"],
    "highlightConflicts": False,
    "successMessage": "C",
    "fogofwar": ["R1C1"],
    "foglight": ["R1C1"],
    "line": [],
    "rectangle": [],
}


def test_what_says_nothing_changes_nothing():
    made = whole()
    plain = read(made)
    coloured = {**COSMETICS, **copy.deepcopy(made)}
    for key in KEYS:
        coloured[key] = [{**each, "outlineC": "#000", "width": 0.5} for each in coloured[key]]
    coloured["grid"][4][4] = {"c": "#f00", "cArray": ["#f00"], "highlight": 3, "value": 7}
    found = read(coloured)
    assert (found.puzzle, found.claimed, found.unread) == (
        plain.puzzle,
        plain.claimed,
        plain.unread,
    )


@for_each("key", ["lunchboxes", "boxindexers", "Size", "killerCage", ""])
def test_a_key_that_is_not_known_is_refused_by_its_name(key):
    error = refusal(document(**{key: []}))
    assert error.found == repr(key)
    assert "a known rule" in error.expected


def test_a_member_that_is_not_known_is_refused_by_its_name_and_place():
    made = document(killercage=[cells("R1C1"), cells("R1C2", lookandsay=True)])
    assert "killercage 2, found 'lookandsay'" in str(refusal(made))
    made = document()
    made["grid"][1][2] = {"letter": "A"}
    assert "in R2C3, found 'letter'" in str(refusal(made))


REFUSED: dict[str, tuple[Document, str]] = {
    "no size": ({"grid": [[{}]]}, "'size'"),
    "an empty grid": ({"grid": []}, "a grid in 'grid': rows"),
    "no grid": ({"size": 9}, "'grid'"),
    "side 3": (document(3), "from 4 to 16 in size, found 3"),
    "side 17": (document(17), "from 4 to 16"),
    "a row short": ({**document(), "grid": document()["grid"][1:]}, "4 rows of 4 cells"),
    "a sum in words": (document(killercage=[cells("R1C1", value="ten")]), "found 'ten'"),
    "a sum below 0": (document(killercage=[cells("R1C1", value=-1)]), "found -1"),
    "a sum of 1.5": (document(killercage=[cells("R1C1", value=1.5)]), "found 1.5"),
    "a sum that is true": (document(killercage=[cells("R1C1", value=True)]), "found true"),
    "a cage without cells": (document(killercage=[cells("")]), "at least 1 cell"),
    **{
        f"a loop of {key}": (
            document(**{key: lines("R1C1 R1C2 R2C2 R1C1")}),
            "lines of different cells",
        )
        for key in ("zipperline", "doublearrow", "regionsumline")
    },
    "a cage with a cell twice": (document(killercage=[cells("R1C1 R1C1")]), "different cells"),
    "a cell outside": (document(killercage=[cells("R0C1")]), "'R1C1' to 'R4C4'"),
    "a cell far away": (document(killercage=[cells("R7C1")]), "found 'R7C1'"),
    "no cell": (document(killercage=[cells("A1")]), "such as 'R1C1'"),
    "no cells": (document(killercage=[{"value": 3}]), "'cells' in killercage 1, found none"),
    "no list": (document(killercage=True), "a list in killercage"),
    "no object": (document(killercage=[3]), "an object"),
    "no flag": (document(antiknight=1), "true or false in antiknight"),
    "three cells": (document(difference=[cells("R1C1 R1C2 R1C3")]), "2 cells"),
    "a ratio of 0": (document(ratio=[cells("R1C1 R1C2", value=0)]), "at least 1"),
    "no X": (document(xv=[cells("R1C1 R1C2", value="10")]), "'X' or 'V'"),
    "a clone too short": (
        document(clone=[cells("R1C1 R1C2", cloneCells=["R2C1"])]),
        "2 cells in clone 1, cloneCells, found 1",
    ),
    "three around": (document(quadruple=[cells("R1C1 R1C2 R2C1", values=[1])]), "4 cells"),
    "a quadruple of 5": (
        document(quadruple=[cells("R1C1 R1C2 R2C1 R2C2", values=[5])]),
        "from 1 to 4 in quadruple 1, values 1",
    ),
    "a shaft elsewhere": (
        document(arrow=[cells("R1C1", lines=[["R1C2", "R1C3"]])]),
        "starts in the circle in arrow 1, lines 1",
    ),
    "no line": (document(renban=[{"lines": []}]), "at least one line"),
    "a circle elsewhere": (
        document(arrow=[cells("R1C1", lines=[["R1C2"]])]),
        "starts in the circle in arrow 1, lines 1",
    ),
    "a line of a cell": (document(thermometer=lines("R1C1")), "at least 2 cells"),
    "a line's number": (document(thermometer=lines(LINE, value=3)), "no value"),
    "a clue inside": (document(sandwichsum=[{"cell": "R1C1", "value": 3}]), "next to a row"),
    "a clue at a corner": (document(sandwichsum=[{"cell": "R0C0", "value": 3}]), "next to a row"),
    "a clue in words": (document(xsum=[{"cell": "R0C1", "value": "ten"}]), "found 'ten'"),
    "a blank clue inside": (document(xsum=[{"cell": "R1C1"}]), "next to a row"),
    "no direction": (
        document(littlekillersum=[{"cell": "R0C1", "direction": "D", "value": 3}]),
        "'UL', 'UR', 'DL' or 'DR'",
    ),
    "a direction out": (
        document(littlekillersum=[{"cell": "R0C1", "direction": "UL", "value": 3}]),
        "from which UL leads in",
    ),
    "another diagonal": (
        document(
            littlekillersum=[
                {"cell": "R0C3", "direction": "DL", "value": 4, "cells": ["R1C2", "R2C2"]}
            ]
        ),
        "the cells of the diagonal",
    ),
    "no such negative": (document(negative=["killer"]), "each once"),
    "a negative twice": (document(negative=["xv", "xv"]), "each once"),
}


@for_each("made", REFUSED.values())
def test_what_is_wrong_is_refused_with_what_was_expected(made):
    assert made[1] in str(refusal(made[0]))


@for_each(
    ("cell", "expected"),
    [
        ({"given": True}, "a 'value' in a cell with 'given'"),
        ({"given": True, "value": 5}, "from 1 to 4 in R1C1, value, found 5"),
        ({"given": True, "value": "A"}, "found 'A'"),
        ({"given": 1, "value": 1}, "true or false"),
        ({"givenPencilMarks": [5]}, "from 1 to 4"),
        ({"region": 4}, "from 0 to 3"),
        ({"region": 1}, "at most 4 cells"),
    ],
)
def test_a_cell_that_is_wrong_is_refused(cell, expected):
    made = document()
    made["grid"][0][0] = cell
    assert expected in str(refusal(made))


DRAWN = {"cells": ["R1C1", "R1C2"], "outlineC": "#000000"}


@for_each("key", ["line", "rectangle", "circle", "text", "cage"])
def test_a_drawing_is_not_read_unless_it_is_marked_as_a_rule(key):
    parsed = read(document(antiking=True, **{key: [DRAWN]}))
    assert (parsed.puzzle.rules, parsed.unread) == ((pairs.AntiKing(),), ("drawings",))
    error = refusal(document(antiking=True, **{key: [{**DRAWN, "isNewConstraint": True}]}))
    assert f"in {key} 1, found '{key}', whose rule is given only in prose" in str(error)


def test_what_a_drawing_that_is_not_read_contains_does_not_matter():
    made = document(
        ruleset="Prose.",
        line=[{"lines": [["R0C0", "R99C99"], []], "opacity": 1}],
        text=[{"cells": [], "value": "\u2191 \ud800"}],
        circle=[{}],
    )
    assert read(made).unread == ("ruleset", "drawings")
    for wrong in ([3], {}, "R1C1"):
        assert "in line" in str(refusal(document(line=wrong)))


@for_each(
    ("parity", "rules"),
    [("even", ()), ("Odd", ()), ("", ()), (None, ()), ("odd", (pairs.AntiKing(),))],
)
def test_a_cell_has_a_parity(parity, rules):
    made = document(antiking=bool(rules))
    made["grid"][0][1] = {"parity": parity}
    puzzle = read(made).puzzle
    if rules:
        assert puzzle.rules == (*rules, pairs.Parity(1, odd=True))
    else:
        masks = {"even": FOUR.even_values, "odd": FOUR.odd_values}
        assert puzzle.cells[1] == masks.get(str(parity).lower(), FOUR.all_values)
        assert puzzle.is_plain


@for_each("parity", ["low", 1, True, ["odd"]])
def test_any_other_parity_is_refused(parity):
    made = document()
    made["grid"][0][1] = {"parity": parity}
    assert "'even' or 'odd' in R1C2, parity" in str(refusal(made))


def test_a_cage_that_is_drawn_around_the_cells_of_a_rule_is_no_rule():
    clone = [cells("R1C1 R1C2", cloneCells=["R3C3", "R3C4"])]
    made = document(clone=clone, cage=[DRAWN, cells("R3C4 R3C3", value="")])
    assert read(made).puzzle.rules == (cages.Clone((0, 1), (10, 11)),)
    assert read(made).unread == ()
    for value in ("5", "DR", "DR0", "DR10", "R5"):
        drawn = cells("R1C1 R1C2", value=value)
        assert read({**made, "cage": [drawn]}).unread == ("drawings",)
        assert "in prose" in str(refusal({**made, "cage": [{**drawn, "isNewConstraint": True}]}))
    assert read({**made, "cage": [cells("R1C1 R1C3")]}).unread == ("drawings",)


@pytest.mark.parametrize(
    "mark",
    [{"isNewConstraint": True}, {"fromRangskSolver": True}, {"fromConstraint": "Renban"}],
)
def test_a_line_that_is_marked_may_repeat_that_of_a_rule(mark):
    drawn = {"lines": [["R2C1", "R1C1"]], "outlineC": "#F067F0", "width": 0.4, **mark}
    made = document(renban=lines("R1C1 R2C1"), line=[drawn])
    assert read(made).puzzle.rules == (along.Renban((0, 4)),)
    elsewhere = {**drawn, "lines": [["R1C1", "R2C2"]]}
    assert "in prose" in str(refusal({**made, "line": [elsewhere]}))
    assert "in prose" in str(refusal(document(line=[drawn])))
    unmarked = {key: value for key, value in drawn.items() if key not in mark}
    assert read({**made, "line": [unmarked]}).unread == ("drawings",)


def test_what_programs_draw_for_clues_and_indexers_repeats_them():
    made = document(
        xsum=[{"cell": "R0C1", "value": "7"}],
        rowindexer=[cells("R1C1"), cells("R2C2")],
        text=[{"cells": ["R0C1"], "value": "7", "size": 0.7, "fromConstraint": "X Sum"}],
        cage=[cells("R1C1 R2C2", fromConstraint="Row Indexer")],
    )
    assert len(read(made).puzzle.rules) == 3


@pytest.mark.parametrize(
    ("key", "name", "symbol"), [("xsum", "X Sum", "◯"), ("skyscraper", "Skyscraper", "▯")]
)
def test_a_clue_may_be_drawn_with_its_symbol_and_its_number(key, name, symbol):
    clues = [{"cell": "R0C1", "value": "3"}, {"cell": "R0C2", "value": ""}]
    drawn = [
        {"cells": [clue["cell"]], "value": value, "fontC": "#000000", "fromConstraint": name}
        for clue in clues
        for value in (symbol, clue["value"])
    ]
    made = document(**{key: clues}, text=drawn)
    assert len(read(made).puzzle.rules) == 1
    other = [{**drawn[0], "value": "◻"}]
    assert "text 1" in str(refusal({**made, "text": other}))
    assert "text 1" in str(refusal(document(text=drawn)))
    assert "text 1" in str(refusal(document(**{key: clues[1:]}, text=[drawn[0]])))


def test_a_drawing_says_no_value_but_that_of_the_rule_that_it_repeats():
    text = {"cells": ["R0C1"], "value": 7, "fromConstraint": "X Sum"}
    circle = {"cells": ["R1C1"], "value": "", "isNewConstraint": True}
    made = document(
        xsum=[{"cell": "R0C1", "value": "7"}],
        renban=lines("R1C1 R2C1"),
        text=[text],
        circle=[circle],
    )
    assert len(read(made).puzzle.rules) == 2
    for value in ("8", "DR7"):
        assert "text 1" in str(refusal({**made, "text": [{**text, "value": value}]}))
    assert "circle 1" in str(refusal({**made, "circle": [{**circle, "value": "7"}]}))


def parts(value: Any, *way: Any) -> Iterator[tuple[Any, ...]]:
    """The ways to every part of a document, but the whole."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for step, member in members:
        yield (*way, step)
        if isinstance(member, dict | list):
            yield from parts(member, *way, step)


WHOLE = text_of(whole())


def changed(way: tuple[Any, ...], how: str) -> Document | None:
    """The whole document with one part deleted, renamed or altered; None if it cannot be."""
    holder = made = json.loads(WHOLE)
    for step in way[:-1]:
        holder = holder[step]
    old = holder[way[-1]]
    if how == "deleted":
        del holder[way[-1]]
    elif how == "renamed" and isinstance(holder, dict):
        holder[f"{way[-1]}2"] = holder.pop(way[-1])
    elif how == "altered" and isinstance(old, bool):
        holder[way[-1]] = not old
    elif how == "altered" and isinstance(old, int):
        holder[way[-1]] = old + 1
    elif how == "altered" and isinstance(old, str):
        holder[way[-1]] = "" if way == ("ruleset",) else _next(old)
    else:
        return None
    return made


def _next(word: str) -> str:
    """Another cell, number, or word."""
    if word.isdigit():
        return str(int(word) + 1)
    return f"{word[:-1]}{int(word[-1]) % 9 + 1}" if word[-1].isdigit() else f"{word}z"


@pytest.mark.parametrize(
    "how", default_cases(["deleted", "renamed", "altered"], "renamed", "altered")
)
def test_no_part_of_a_document_can_change_and_the_puzzle_stay(how):
    before = read(whole())
    tried = 0
    for way in parts(whole()):
        made = changed(way, how)
        if made is None:
            continue
        tried += 1
        try:
            found = read(made)
        except InvalidPuzzle:
            continue
        assert (found.puzzle, found.claimed, found.unread) != (
            before.puzzle,
            before.claimed,
            before.unread,
        ), (how, way)
    assert tried > 100


def test_a_key_that_stands_twice_is_refused():
    text = text_of(document(antiking=True))
    assert "'antiking' twice" in str(refusal(text.replace("}]]", '}]],"antiking":false', 1)))


def test_a_cell_that_is_marked_twice_is_marked_once():
    found = read(document(minimum=[{"cell": "R1C1"}] * 3))
    assert found.puzzle.rules == (pairs.Extreme(0, (1, 4), maximum=False),)


def test_one_key_of_very_many_that_stands_twice_is_found():
    """Each was compared with all, which took minutes."""
    keys = "".join(f'"{at:x}":1,' for at in range(90_000))
    with pytest.raises(Misread, match="'15f8f' twice"):
        parse_json(f'{{{keys}"15f8f":1}}')
