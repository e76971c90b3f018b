"""Every format has an example in the reference, which is read as that format."""

from __future__ import annotations

import io
import re

from support.cases import for_each
from support.pages import BLOCKS, PAGES

from pipeline import parse_puzzle, parse_source
from pipeline.reading.formats import COLLECTIONS, FORMATS, Layout, is_formula, read_text
from pipeline.reading.formats.targets import TARGETS
from pipeline.service.converting import NAMES, file_of
from pipeline.settings import Reading

CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
PAGE = "docs/reference/formats.md"
SHOWN = [block for block in BLOCKS if block.page == PAGE]
MANY = PAGES[PAGE].partition("\n## Many puzzles\n")[0].count("\n")
SINGLES = [block for block in SHOWN if block.line <= MANY]
OTHERS = [block for block in SHOWN if block.line > MANY]


def detected(block):
    data = block.text.encode()
    return read_text(data, is_complete=True, source="shown", reading=Reading())


@for_each("block", SINGLES)
def test_an_example_of_one_puzzle_is_read_as_what_it_is_called(block):
    assert detected(block).format == block.title


@for_each("block", OTHERS)
def test_an_example_of_many_is_read_as_what_it_is_called(block):
    if block.title == "cnf":
        assert is_formula(block.text.encode(), Reading())
        return
    what = detected(block)
    assert isinstance(what, Layout)
    assert what.format.name == block.title
    (chunk,) = what.chunks(io.BytesIO(block.text.encode()), 2**20)
    entries = what.entries(chunk, Reading())
    assert len(entries) == 2
    assert [entry.error for entry in entries] == [None, None]


def test_every_format_has_an_example_and_a_heading():
    headings = set(re.findall(r"^### ([\w-]+)", PAGES[PAGE], re.MULTILINE))
    singles = {known.name for known in FORMATS}
    many = {known.name for known in COLLECTIONS}
    assert {block.title.split()[0] for block in SINGLES} == singles
    assert {block.title for block in OTHERS} == {*many, "cnf"}
    assert headings == {*singles, *many, "cnf"}


def test_the_table_of_what_is_converted_is_that_of_the_package():
    table = PAGES["docs/how-to/convert.md"].partition("| read as |")[2].partition("\n\n")[0]
    rows = [[cell.strip(" `") for cell in row.split("|")[1:4]] for row in table.split("\n")[2:]]
    assert {row[0] for row in rows} - {"–"} == {*(known.name for known in FORMATS), "csv"}
    written = {to: many for _, to, many in rows if to != "–"}
    assert {*written} == {*NAMES}
    for to, many in written.items():
        assert (many == "yes") == (file_of(to, solutions=False).max_items != 1), to
    for read, to, _ in rows:
        if to in TARGETS and read != "csv":
            text = parse_puzzle(CLASSIC).to(to).encode()
            assert parse_source(text, "").format.partition(" ")[0] == read
