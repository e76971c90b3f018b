"""What every trait must do; a new one is tested by being registered."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

import numpy as np
import pytest
from support.cases import for_each
from support.outboxes import linked, made, shared
from support.pages import PAGES

from pipeline.catalogue.traits import COMPUTATIONS, SolvedBatch, find_traits
from pipeline.outbox.schema import PuzzleRecord
from pipeline.outbox.traits import TRAITS
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading.formats import parse_puzzle
from pipeline.settings import TraitName
from pipeline.solving import Traits

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
EMPTY = "." * 81
UNSOLVABLE = "55" + "." * 79
MARKED = EASY.replace(".", "*", 1)
SMALL = "1.....2..3.....4"
CAGED = ".Shape~4x4.~R1C1_1.~R2C3_2.~R3C2_3.~R4C4_4.Cage~3~R1C1~R1C2"
FILES = {
    "many.txt": f"{EASY}\n{EMPTY}\n{UNSOLVABLE}\n{SMALL}\n",
    "variants.txt": f"{CAGED}\n{CAGED.replace('.~R4C4_4', '')}\n",
    **{
        f"{name}.txt": f"{text}\n"
        for name, text in (
            *(("easy", EASY), ("empty", EMPTY), ("unsolvable", UNSOLVABLE)),
            *(("marked", MARKED), ("small", SMALL), ("caged", CAGED)),
        )
    },
}
"""Puzzles with one solution, several and none, of other sizes, with marks, and variants."""

every_trait = for_each("name", TRAITS)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return shared(
        tmp_path_factory,
        "every_trait",
        lambda folder: made(folder, FILES, "--traits", ",".join(TRAITS)),
    )


@pytest.fixture
def outbox(original, tmp_path):
    return linked(original, tmp_path)


def test_every_trait_can_be_chosen_and_is_computed():
    assert get_args(TraitName) == tuple(TRAITS) == tuple(COMPUTATIONS)


@every_trait
def test_it_has_a_field_in_results_and_records_and_a_section_in_the_reference(name):
    field = TRAITS[name].field
    assert COMPUTATIONS[name][0] == field
    assert field in {each.name for each in fields(Traits)}
    assert field in PuzzleRecord.__struct_fields__
    assert re.search(rf"(?m)^## {name}$", PAGES["docs/reference/traits.md"])
    assert f"- `{name}`:" in PAGES["docs/how-to/archive.md"]


@every_trait
def test_its_columns_are_empty_if_nothing_is_known(name):
    empty = TRAITS[name].texts(None)
    assert [*empty] == [""] * len(TRAITS[name].__struct_fields__)
    assert TRAITS[name].pattern.fullmatch(",".join(empty))


@every_trait
def test_it_has_values_for_the_puzzles_that_it_says(name):
    """One puzzle has one solution, one has several, and one was left undecided."""
    masks = np.array([parse_puzzle(text).cells for text in (EASY, EMPTY, EASY)], np.uint64)
    flags = np.eye(3, dtype=np.bool_)
    solutions = np.array([[*map(int, SOLVED)]] * 3, np.uint8)
    solved = SolvedBatch(NINE_BY_NINE, masks, flags[0], flags[1], solutions)
    found = find_traits(
        solved,
        (name,),
        lambda batch: (np.zeros(batch.masks.shape, np.bool_), np.ones(len(batch.masks), np.bool_)),
    )
    has_value = [TRAITS[name].value_of(traits, NINE_BY_NINE) is not None for traits in found]
    assert has_value == [True, TRAITS[name].known_for == "decided", False]


def test_an_audit_finds_nothing_wrong_with_what_is_published(outbox):
    problems = {name: finding.problems for name, finding in outbox.findings().items()}
    assert problems == dict.fromkeys(problems, ())
    assert len(problems) == len(FILES)


@for_each("name", [name for name in TRAITS if name != "minimal"])  # its time may have run out
def test_an_audit_finds_what_is_left_out(outbox, name):
    columns = TRAITS[name].__struct_fields__
    header, row, *_ = outbox.rows("many.csv")
    told = [column for column in columns if row[header.index(column)]]
    outbox.set_row("many.csv", "many", 1, **dict.fromkeys(told, ""))
    assert any(f"--traits {name}" in problem for problem in outbox.problems("many"))
