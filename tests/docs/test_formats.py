"""Every format has an example in the reference, which is read as that format."""

from __future__ import annotations

import io
import re

import pytest
from support.pages import BLOCKS, PAGES

from pipeline.reading.formats import COLLECTIONS, FORMATS, Detected, FormulaBegun, detect
from pipeline.settings import Reading

PAGE = "docs/reference/formats.md"
SHOWN = [block for block in BLOCKS if block.page == PAGE]
MANY = PAGES[PAGE].partition("\n## Many puzzles\n")[0].count("\n")
SINGLES = [block for block in SHOWN if block.line <= MANY]
OTHERS = [block for block in SHOWN if block.line > MANY]


def detected(block):
    data = block.text.encode()
    return detect(data, complete=True, source="shown", reading=Reading())


@pytest.mark.parametrize("block", SINGLES, ids=lambda block: block.title)
def test_an_example_of_one_puzzle_is_read_as_what_it_is_called(block):
    assert detected(block).format == block.title


@pytest.mark.parametrize("block", OTHERS, ids=lambda block: block.title)
def test_an_example_of_many_is_read_as_what_it_is_called(block):
    what = detected(block)
    if block.title == "cnf":
        assert isinstance(what, FormulaBegun)
        return
    assert isinstance(what, Detected)
    assert what.format.name == block.title
    (piece,) = what.pieces(io.BytesIO(block.text.encode()), 2**20)
    entries = what.entries(piece, "shown", Reading())
    assert len(entries) == 2
    assert [entry.error for entry in entries] == [None, None]


def test_every_format_has_an_example_and_a_heading():
    headings = set(re.findall(r"^### ([\w-]+)", PAGES[PAGE], re.MULTILINE))
    singles = {known.name for known in FORMATS}
    many = {known.name for known in COLLECTIONS}
    assert {block.title.split()[0] for block in SINGLES} == singles
    assert {block.title for block in OTHERS} == {*many, "cnf"}
    assert headings == {*singles, *many, "cnf"}
