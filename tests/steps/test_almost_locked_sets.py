"""Sue de Coq, ALS-XZ, ALS-XY-wing and ALS chain."""

from __future__ import annotations

import pytest
from support.positions import UNITS, candidates_of, eliminated, eliminated_by, first_step
from support.techniques import masks_of

from pipeline.steps import steps
from pipeline.steps.orders import technique_named
from pipeline.steps.presentation.wording import sentence_of


def _rest(unit: str, but: str, values: str) -> str:
    cells = [f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in UNITS[unit]]
    return " ".join(f"{cell}<>{values}" for cell in cells if cell not in but.split())


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


def test_a_chain_cites_only_sets_from_its_own_start():
    marks = MANY_SETS.split()
    masks = [1 << int(mark[1]) - 1 if mark[0] == "=" else 511 for mark in marks]
    gone = [
        (cell, value)
        for cell, mark in enumerate(marks)
        for value in range(1, 10)
        if mark[0] != "=" and str(value) not in mark
    ]
    order = [technique_named("ALS chain")]
    step = next(steps(masks, unique=False, techniques=order, eliminated=gone))
    assert step.eliminated
