"""Links that contain a puzzle, and the refusal of those that do not."""

from __future__ import annotations

import io
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.documents import document, packed, text_of
from support.parsers import LINE, check_read_or_refused, layout_of, read, refusal
from support.strategies import examples

from pipeline.settings import Reading

DOTS, ZEROS = LINE.replace("0", "."), LINE.replace(".", "0")
SOLO = "3x3:a8b2c6c4b5b1_4_7a9c3a3c8c9_6e4_7c9c6a6c1a9_2_5b2b9c8c6b1a"
SOLO_SITE = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/solo.html"
LINKS = {
    "query": "https://www.sudokuwiki.org/sudoku.htm?bd={}",
    "path": "https://sudoku.coach/en/play/{}",
    "path, slash": "  https://example.org/{}/  ",
    "fragment": "https://example.org/#{}",
    "fragment, path": "https://example.org/#/play/{}?lang=en",
    "several values": "http://sudokuexchange.com/play/?id=12&s={}&d=2",
    "no scheme": "www.example.org/?puzzle={}",
    "no scheme, no www": "sudoku.coach/en/play/{}",
    "twice": "https://example.org/{0}?s={0}",
}


@for_each("link", LINKS.values())
@pytest.mark.parametrize("cells", [DOTS, ZEROS, ZEROS.replace("0", "-"), ZEROS.replace("0", "_")])
def test_a_link_is_the_puzzle_in_its_address(link, cells):
    parsed = read(link.format(cells))
    assert parsed.puzzle == read(LINE).puzzle
    assert parsed.format == "link"
    assert not parsed.unread


def test_percent_signs_are_undone():
    stars = ZEROS.replace("0", "*")
    assert read(f"https://example.org/?s={quote(stars, safe='')}").puzzle == read(LINE).puzzle


@for_each("cells", ["1.....2..3.....4", "1" + "." * 35, "1" + "0" * 63])
def test_other_sides_are_read(cells):
    assert read(f"https://example.org/{cells}").puzzle == read(cells).puzzle


@for_each(
    "link", [f"{SOLO_SITE}#{SOLO}", f"{SOLO_SITE}#{quote(SOLO, safe='')}", f"{SOLO_SITE}#2x2:1o"]
)
def test_an_id_of_solo_is_read(link):
    assert read(link).puzzle == read(unquote(link.partition("#")[2])).puzzle


def test_an_id_of_solo_that_is_wrong_is_refused_at_its_place():
    link = f"{SOLO_SITE}#3x3:a8b2c6c4b5b1_4_7a9c3a3c8c9_6e4_7c9c6a6c1a99"
    error = refusal(link)
    assert (error.line, error.expected) == (1, "a number from 1 to 9, a letter for blanks or '_'")
    assert link[error.column - 1 :] == "99"


@for_each(
    ("link", "message"),
    [
        (
            "https://puzz.link/p?sudoku/9/9/5h3g7i6h195i98i",
            "puzz.link, whose notation is not supported",
        ),
        (
            "https://pzplus.tck.mn/p.html?sudoku/9/9/5h3g",
            "puzz.link, whose notation is not supported",
        ),
        ("https://tinyurl.com/2p8kuvjz", "a short link, which only its server can resolve"),
        ("https://bit.ly/3xyz", "open it in a browser"),
        ("https://example.org/", "a link without cells; links are not fetched"),
        (f"{SOLO_SITE}#3x3#123456789012345", "choose 'Link to this puzzle by game ID'"),
        (
            f"https://example.org/?s={LINE[:-1]}",
            "16, 36, 64 or 81 digits and blanks, found 80 cells",
        ),
        (f"https://example.org/?s={LINE}1", "found 82 cells"),
        (f"https://example.org/?s={LINE}&t=1{LINE[1:]}", "found 2 puzzles"),
        (f"https://example.org/killer/{LINE}", "found 'killer' in it"),
        (f"https://example.org/hyper-sudoku/{LINE}", "found 'hyper-sudoku' in it"),
        (f"https://example.org/anti-king/{LINE}", "found 'anti-king' in it"),
        (f"https://example.org/greater-than/{LINE}", "found 'greater-than' in it"),
        (f"https://example.org/KillerSudoku.htm?bd={LINE}", "the link does not contain the rules"),
        (f"https://example.org/x-sudoku?bd={LINE}", "found 'x-sudoku' in it"),
        (f"https://example.org/?s={LINE}&rules=anti-knight", "found 'anti-knight' in it"),
        (f"https://example.org/?s={LINE}&sums=1", "found 'sums' in it"),
        (f"https://example.org/?s={LINE}&r={'abcdefghi' * 9}", "found a second such part"),
        (
            f"https://example.org/?s=..{LINE[2:-1]}0",
            "81 cells, but not only digits up to 9 and one character for blanks",
        ),
    ],
)
def test_other_links_are_refused_by_name_with_what_to_do(link, message):
    error = refusal(link)
    assert message in str(error)
    assert error.line == 1
    assert error.truncated  # a file that is still being written


@pytest.mark.parametrize("name", ["f-puzzles", "sudokupad"])
def test_links_with_documents_stay_what_they_are(name):
    link = {
        "f-puzzles": "https://www.f-puzzles.com/?load=",
        "sudokupad": "https://sudokupad.app/fpuzzles",
    }
    assert read(link[name] + packed(text_of(document()))).format == "f-puzzles"


def test_a_file_of_links_is_a_collection():
    links = [link.format(DOTS) for link in LINKS.values()]
    lines = [*links, f"{SOLO_SITE}#{SOLO}", f"https://example.org/{LINE[:-1]}"]
    data = "\n".join(lines).encode()
    layout = layout_of(data)
    assert layout is not None
    chunks = layout.chunks(io.BytesIO(data), 1 << 16)
    entries = [entry for chunk in chunks for entry in layout.entries(chunk, Reading())]
    assert [entry.error is None for entry in entries] == [*[True] * (len(lines) - 1), False]
    assert {len(entry.puzzle.cells) for entry in entries if entry.puzzle} == {81}


def test_addresses_between_puzzles_are_no_links():
    text = f"https://example.org/a\n{LINE}\nhttps://example.org/b\n{LINE}\n"
    layout = layout_of(text.encode())
    assert layout is None or layout.format.name != "variants"


@examples(40)
@given(data=st.data())
def test_a_damaged_link_is_read_or_refused(data):
    link = data.draw(st.sampled_from([*LINKS.values()])).format(LINE)
    position = data.draw(st.integers(0, len(link) - 1))
    put = data.draw(st.text("0123.x/?&#=%:é", max_size=3))
    check_read_or_refused(link[:position] + put + link[position + 1 :], "auto")
