"""Sue de Coq, ALS-XZ, ALS-XY-wing and ALS chain."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from support.positions import UNITS, candidates_of, cell_of, eliminated, eliminated_by, first_step
from support.step_states import example
from support.techniques import masks_of

from pipeline.steps import Step, steps
from pipeline.steps.orders import technique_named
from pipeline.steps.presentation.wording import sentence_of


def _rest(unit: str, but: str, values: str) -> str:
    cells = [f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in UNITS[unit]]
    return " ".join(f"{cell}<>{values}" for cell in cells if cell not in but.split())


LINKED = ("ALS-XZ", "ALS-XY-wing", "ALS chain")
CHAIN = {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c9": "14"}
CASES = {
    "a Sue de Coq": (
        "Sue de Coq",
        {"r1c1": "1234", "r1c2": "1234", "r1c7": "12", "r3c3": "34"},
        _rest("r1", "r1c1 r1c2 r1c3 r1c7", "12")
        + " r1c3<>1234 "
        + _rest("b1", "r1c1 r1c2 r1c3 r3c3", "34"),
    ),
    "a Sue de Coq whose line has a further digit": (
        "Sue de Coq",
        {"r1c1": "1234", "r1c2": "1234", "r1c7": "15", "r1c8": "25", "r3c3": "34"},
        _rest("r1", "r1c1 r1c2 r1c3 r1c7 r1c8", "125")
        + " r1c3<>12345 "
        + _rest("b1", "r1c1 r1c2 r1c3 r3c3", "34"),
    ),
    "no Sue de Coq if line and box share a digit": (
        "Sue de Coq",
        {"r1c1": "1234", "r1c2": "1234", "r1c7": "12", "r3c3": "14"},
        "",
    ),
    "no Sue de Coq without surplus": (
        "Sue de Coq",
        {"r1c1": "123", "r1c2": "123", "r1c7": "12", "r3c3": "34"},
        "",
    ),
    "an ALS-XZ": (
        "ALS-XZ",
        {"r1c1": "12", "r1c5": "13", "r2c5": "23"},
        "r1c4<>2 r1c6<>2 r2c1<>2 r2c2<>2 r2c3<>2",
    ),
    "an ALS-XZ with two restricted commons": (
        "ALS-XZ",
        {"r5c2": "12", "r5c7": "13", "r5c8": "23"},
        _rest("r5", "r5c2 r5c7 r5c8", "12") + " " + _rest("r5", "r5c2 r5c7 r5c8", "3")
        + " r4c7<>3 r4c8<>3 r4c9<>3 r6c7<>3 r6c8<>3 r6c9<>3",
    ),
    "an ALS-XY-wing": (
        "ALS-XY-wing",
        {"r1c1": "12", "r1c5": "23", "r5c5": "13"},
        "r5c1<>1",
    ),
    "no ALS-XY-wing with one digit": (
        "ALS-XY-wing",
        {"r1c1": "12", "r1c5": "23", "r5c5": "24"},
        "",
    ),
    "an ALS chain": ("ALS chain", CHAIN, "r1c9<>1 r5c1<>1"),
    "a death blossom": (
        "death blossom",
        {"r1c1": "12", "r1c5": "13", "r5c1": "24", "r5c2": "34"},
        "r1c2<>3 r5c5<>3",
    ),
    "no death blossom without a petal for each candidate": (
        "death blossom",
        {"r1c1": "123", "r1c5": "14", "r5c1": "24"},
        "",
    ),
    "no ALS chain with a broken link": ("ALS chain", {**CHAIN, "r5c5": "345"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_sets_eliminate_candidates(case):
    technique, cells, expected = CASES[case]
    assert eliminated_by(technique, cells) == candidates_of(expected)


POSITION = """
    34  39  349 =1  26    =7   26   =8   25
    =2  =1  78  39  568   68   369  37   4
    78  =6  =5  39  =4    28   =1   37   29
    18  =4  138 =2  39    58   69   6    =7
    =9  7   278 =6  8     =4   25   =1   =3
    36  25  236 =7  39    =1   =8   4    29
    17  =8  127 =4  27    =9   3    35   =6
    =5  79  69  =8  67    =3   =4   =2   =1
    346 23  346 =5  =1    26   =7   =9   =8
"""
"""A position with naked singles that are not placed; `=` is before a value."""


def test_a_chain_is_traced_back_through_sets_after_its_first():
    tokens = POSITION.split()
    grid = "".join(token[1] if "=" in token else "." for token in tokens)
    cells = {
        f"r{cell // 9 + 1}c{cell % 9 + 1}": token
        for cell, token in enumerate(tokens)
        if "=" not in token
    }
    found = steps(
        masks_of(grid),
        unique=True,
        techniques=[technique_named("ALS chain")],
        eliminated=eliminated(cells),
    )
    step = next(found)
    assert {(4, 2), (8, 2), (26, 2), (42, 2)} <= {*step.eliminated}


def test_the_reason_of_a_death_blossom_names_its_stem():
    step = first_step(*CASES["a death blossom"][:2])
    assert step
    assert "The stem r1c1 is 1 or 2; its petals in " in sentence_of(step)


# A number with = is filled in. Naked singles are left open, so that there are hundreds of sets.
MANY_SETS = """
    =9 =5 =4  =2   =6  1    =8 =7  =3
    1  =6 3   =9   =8  =7   =4 5   2
    2  7  8   4    =3  5    6  =1  =9
    8  9  1   =5   79  =2   =3 46  67
    6  239 5  48   47  3    79 469 =1
    4  39 =7  =6   19  139  =2 =8  5
    =3 =4 269 1    257 8    579 269 678
    =5 =1 269 47   2479 489 79 369 678
    7  =8 9   =3   259 =6   15 29  =4
"""


# The sets of the chain share r4c2. In three sets, the last would have no place for 5.
SHARED_CELLS = """
    3  1  =6 4    =2 =9 8  7   5
    9  5  =2 6    8  =7 =1 =3  4
    8  57 =4 3    5  1  6  9   2
    57 4  3  2347 1  2  =9 =8  6
    2  =6 =8 =5   9  3  4  1   =7
    =1 9  7  38   =6 4  5  =2  35
    7  =3 5  1    =4 8  2  156 =9
    6  2  1  9    =7 5  3  =4  =8
    45 =8 9  2    3  =6 7  5   13
"""


@cache
def _first_chain(position: str) -> Step:
    marks = position.split()
    masks = [1 << int(mark[1]) - 1 if mark[0] == "=" else 511 for mark in marks]
    gone = [
        (cell, value)
        for cell, mark in enumerate(marks)
        for value in range(1, 10)
        if mark[0] != "=" and str(value) not in mark
    ]
    order = [technique_named("ALS chain")]
    return next(steps(masks, unique=False, techniques=order, eliminated=gone))


def test_a_chain_cites_only_sets_from_its_own_start():
    assert _first_chain(MANY_SETS).eliminated


REASONS = {
    **{name: lambda name=name: example("hodoku", name) for name in LINKED},
    **{case: lambda case=case: first_step(*CASES[case][:2])
       for case in CASES if CASES[case][0] in LINKED and CASES[case][2]},
    "many sets": lambda: _first_chain(MANY_SETS),
    "shared cells": lambda: _first_chain(SHARED_CELLS),
}  # fmt: skip


@pytest.mark.parametrize("case", REASONS)
def test_the_statements_of_a_reason_are_true(case):
    step = REASONS[case]()
    before, text = step.before, step.reason
    sets = {}
    for name, cell_names, values in re.findall(r"([A-F]) = ([rc\d, and]+) \(([^)]*)\)", text):
        sets[name] = [cell_of(cell) for cell in re.findall(r"r\dc\d", cell_names)]
        held = {value for cell in sets[name] for value in before.values_in(cell)}
        assert held == {*map(int, re.findall(r"\d", values))}
        assert len(held) == len({*sets[name]}) + 1
        assert before.units_with(sets[name])
    assert "".join(sets) == "ABCDEF"[: len(sets)]

    def places(name: str, value: int) -> list[int]:
        return [cell for cell in sets[name] if before.has(cell, value)]

    def is_seen(cell: int, value: int, name: str) -> bool:
        own = places(name, value)
        return bool(own) and all(before.sees(cell, place) for place in own)

    if double := re.search(r"they cannot both hold (\d), nor both (\d)", text):
        links = [("A", "B", int(value)) for value in double.groups()]
    else:
        found = re.findall(r"([A-F]) and ([A-F]) (?:cannot both hold|both) (\d)", text)
        links = [(first, second, int(value)) for first, second, value in found]
        assert [(first, second) for first, second, _ in links] == [*pairwise(sets)]
        assert all(one[2] != other[2] for one, other in pairwise(links))
    for first, second, value in links:
        assert places(second, value)
        assert all(is_seen(place, value, first) for place in places(second, value))
    linked = {value for _, _, value in links}
    for cell, value in step.eliminated:
        seen = [is_seen(cell, value, name) for name in ("A", [*sets][-1])]
        assert any(seen) if double and value not in linked else all(seen)
        assert double or value not in (links[0][2], links[-1][2])


def test_sets_that_do_not_prove_a_step_are_not_named():
    step = first_step("ALS-XZ", CASES["an ALS-XZ"][1])
    assert step
    other = replace(step, eliminated=((80, 9),))
    assert other.reason == (
        "The candidates of r1c1, r1c5 and r2c5 leave no other possibility: r9c9 is not 9."
    )
    assert str(other) == "ALS-XZ 1,2,3 in r1c1,r1c5,r2c5 removes 9 from r9c9"
