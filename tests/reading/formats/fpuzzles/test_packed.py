"""Documents that are packed, links that hold them, and documents from anybody."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lzstring import LZString
from support.cases import for_each
from support.documents import RULES, cells, document, packed, read, refusal, text_of, whole
from support.parsers import check_read_or_refused
from support.strategies import examples

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats import parse_source
from pipeline.reading.formats.fpuzzles import MAX_PACKED
from pipeline.reading.formats.fpuzzles import document as documents
from pipeline.settings import Reading

MADE = document(killercage=[cells("R1C1 R1C2", value="3")], title="é > ½")
PACKED = packed(text_of(MADE))
PENPA = "7VXLbtswELz7KwKeeRAp6mHd0tTuxXUfThEEgmAojooIlaFUtppAhv89s0saehVoi6JAD4Gs"
LINKS = {
    "bare": "{}",
    "f-puzzles": "https://www.f-puzzles.com/?load={}",
    "SudokuPad": "https://sudokupad.app/fpuzzles{}",
    "SudokuPad, short": "https://sudokupad.app/fpuz{}?setting-nogrid=1",
    "SudokuPad, a folder": "https://sudokupad.app/sudoku/fpuzzles{}",
    "a parameter": "https://sudokupad.app/?puzzleid=fpuzzles{}&x=1#y",
    "CTC": "https://app.crackingthecryptic.com/sudoku/?load=fpuz{}",
    "named": "fpuzzles{}",
    "no scheme": "  sudokupad.app/fpuzzles{}  ",
}


@for_each("link", LINKS.values())
def test_a_link_is_the_document_that_it_holds(link):
    parsed = read(link.format(PACKED))
    assert parsed.puzzle == read(MADE).puzzle
    assert parsed.format == "f-puzzles"


@for_each("link", LINKS.values())
def test_percent_signs_and_spaces_for_plus_signs_are_undone(link):
    assert {"+", "/"} <= {*packed(text_of(whole()))}
    for change in (quote, lambda text: text.replace("+", " "), lambda text: text.rstrip("=")):
        text = link.format(change(packed(text_of(whole()))))
        assert read(text).puzzle == read(whole()).puzzle


@for_each(
    ("text", "said"),
    [
        ("https://sudokupad.app/8bNmDd4J9G", "by its server"),
        ("https://f-puzzles.com/?id=y2xabcd", "by its server"),
        ("https://sudokupad.app/?puzzleid=8bNmDd4J9G", "by its server"),
        ("8bNmDd4J9G", "by its server"),
        ("https://sudokupad.app/", "by its server"),
        ("https://sudokupad.app/?puzzleid=scl" + "N" * 30, "'scl…', which has drawings"),
        ("https://sudokupad.app/scl" + "N" * 30, "'scl…', which has drawings"),
        ("https://sudokupad.app/sudoku/scf" + "N" * 30 + "?x=1", "compressed notation, 'scf…'"),
        ("https://sudokupad.app/ctc/a-name-that-is-long-enough", "by its server"),
        ("scl" + "N" * 30, "'scl…', which has drawings"),
        ("ctc" + "N" * 30, "'ctc…', which has drawings"),
        ("https://sudokupad.app/?puzzleid=scf" + "N" * 30, "compressed notation, 'scf…'"),
        (f"https://swaroopg92.github.io/penpa-edit/#m=edit&p={PENPA}", "Penpa's notation"),
        (f"https://swaroopg92.github.io/penpa-edit/?m=solve&p={PENPA}&a=x", "Penpa's notation"),
        (f"https://opt-pan.github.io/penpa-edit/?m=edit&p={PENPA}", "Penpa's notation"),
        (f"m=edit&p={PENPA}", "Penpa's notation"),
        (PACKED + "\n" + PACKED, "a single link"),
        (PACKED[:30] + "!" + PACKED[31:], "'!'"),
        ("N4Ig" * (MAX_PACKED // 4 + 1), f"at most {MAX_PACKED} characters"),
    ],
)
def test_what_holds_no_document_is_refused_with_the_reason(text, said):
    with pytest.raises(InvalidPuzzle) as caught:
        parse_source(text.encode(), "a.txt", Reading(format="f-puzzles"))
    assert said in str(caught.value)
    assert caught.value.line is not None


@pytest.mark.parametrize(
    "link", ["https://swaroopg92.github.io/penpa-edit/#m=edit&p={}", "m=edit&p={}"]
)
def test_a_link_of_penpa_is_known_and_refused_by_its_name(link):
    assert "which has drawings instead of rules" in str(refusal(link.format(PENPA)))


def test_what_unpacks_to_more_than_a_document_is_refused_unread():
    bomb = packed('{"' + "x" * (documents.MAX_CHARACTERS * 2))
    assert len(bomb) < MAX_PACKED
    assert f"at most {documents.MAX_CHARACTERS} characters" in str(refusal(bomb))


@examples(60)
@given(data=st.data())
def test_a_packed_document_that_is_damaged_is_read_or_refused(data):
    at = data.draw(st.integers(4, len(PACKED) - 1))
    sign = data.draw(st.sampled_from("ABNz059+/=é%"))
    cut = data.draw(st.booleans())
    damaged = PACKED[:at] if cut else PACKED[:at] + sign + PACKED[at + 1 :]
    check_read_or_refused(damaged, "f-puzzles")


IN_UTF_16 = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])
"""Characters that are one for LZString too."""


@examples(60)
@given(st.text(IN_UTF_16, max_size=200), st.text('{}[]":,019einu \\', max_size=200))
def test_what_is_packed_need_not_be_json(text, signs):
    for each in (text, signs, '{"' + signs):
        made = packed(each)
        assert LZString.decompressFromBase64(made) == each
        check_read_or_refused(made, "f-puzzles")


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
scalars |= st.sampled_from(["R1C1", "R1C2", "R2C1", "R0C1", "R5C5", "DL", "X", 1, 4, "7"])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cell", "cells", "lines", "value", "values", "direction", "given", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@examples(20)
@given(
    st.dictionaries(st.sampled_from([*RULES, "line", "cage", "grid", "size"]), values, max_size=4)
)
def test_anything_under_any_key_is_read_or_refused_at_its_place(keys):
    check_read_or_refused(json.dumps({**document(), **keys}, indent=1), "f-puzzles")


@for_each(
    ("text", "place", "said"),
    [
        ('{"size": 4,\n "grid": [[{}', (2, 14), "the end"),
        ('{"size": 4,\n "gri', (2, 2), '"gri'),
        ('{"size": 4,\n "grid" []}', (2, 9), "'[]}'"),
        ("{\n}", (1, 1), "an object without members"),
        ('# comment\n{\n "lunchbox": 1}', (2, 1), "'lunchbox'"),
        ('# comment\n{\n "lunchbox": 1, "grid": [[{}]]}', (None, None), "'lunchbox'"),
        ('{"a": 1, "a": 2}', (None, None), "'a' twice"),
        ('{"size": NaN, "grid": []}', (None, None), "from 4 to 16"),
        ('{"size": 1e999, "grid": []}', (None, None), "from 4 to 16"),
        ('{"size": ' + "9" * 5000 + "}", (None, None), "a few digits"),
        ('{"title": ' + "[" * 200_000 + "]" * 200_000 + "}", (None, None), "nested less deeply"),
        ('{"title": "' + "x" * documents.MAX_CHARACTERS + '"}', (None, None), "at most"),
    ],
)
def test_a_document_that_is_damaged_says_where(text, place, said):
    error = refusal(text)
    assert (error.line, error.column) == place
    assert said in str(error)


def test_an_error_names_the_way_to_its_place():
    made = document(killercage=[cells("R1C1", value="3"), cells("R1C2 R9C9")])
    assert "killercage 2, cells 2" in str(refusal(json.dumps(made, indent=2)))
    assert "killercage 2, cells 2" in str(refusal(packed(json.dumps(made))))


def test_a_document_that_is_cut_off_says_so():
    text = text_of(MADE)
    for end in range(1, len(text)):
        assert refusal(text[:end]).truncated, text[:end]
