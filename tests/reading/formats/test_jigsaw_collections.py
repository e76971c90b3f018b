"""Collections of grids with region maps."""

from __future__ import annotations

import io

import pytest
from support.parsers import layout_of, read, refusal

from pipeline.reading.formats import Entry, parse_puzzle
from pipeline.settings import DETECTED

GRID = "..2..4\n...6..\n.25.6.\n......\n16.2..\n..3.1.\n"
OTHER = "1.....\n......\n..3...\n......\n....2.\n......\n"
LETTERS = "AABBCC\n" * 3 + "DDEEFF\n" * 3
DIGITS = "111222\n112223\n143333\n444563\n445566\n555666\n"
PUZZLE = read(f"{GRID}\n{LETTERS}").puzzle
SECOND = read(f"{OTHER}\n{DIGITS}").puzzle


def beside(grid: str, regions: str) -> str:
    pairs = zip(grid.split(), regions.split(), strict=True)
    return "".join(f"{cells} {names}\n" for cells, names in pairs)


FIRST = {
    "below": (f"{GRID}\n{LETTERS}", f"{OTHER}\n{DIGITS}"),
    "above": (f"{LETTERS}\n{GRID}", f"{DIGITS}\n{OTHER}"),
    "nothing between": (GRID + LETTERS, OTHER + DIGITS),
    "headings": (f"{GRID}Regions:\n{LETTERS}", f"{OTHER}Regions:\n{DIGITS}"),
    "beside": (beside(GRID, LETTERS), beside(OTHER, DIGITS)),
}
BETWEEN = ["", "\n", "Hard one\n", "\n# a comment\n", "---\n", "=====\n"]


def entries_of(text: str, size: int = 1) -> list[Entry]:
    layout = layout_of(text.encode())
    assert layout is not None
    assert layout.format.name == "jigsaws"
    chunks = layout.chunks(io.BytesIO(text.encode()), size)
    return [entry for chunk in chunks for entry in layout.entries(chunk, DETECTED)]


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("pair", FIRST.values(), ids=FIRST)
def test_several_jigsaws_are_a_collection(pair, between):
    text = pair[0] + between + pair[1] + between + pair[0]
    entries = entries_of(text)
    assert [entry.puzzle for entry in entries] == [PUZZLE, SECOND, PUZZLE]
    assert [parse_puzzle(entry.text) for entry in entries] == [PUZZLE, SECOND, PUZZLE]
    assert [entry.title for entry in entries][1:] == ["Hard one" * (between == "Hard one\n")] * 2
    assert entries_of(text, 1 << 20) == entries


def test_a_long_collection_is_recognised_by_its_beginning():
    text = f"{GRID}\n{LETTERS}\n" * 300
    layout = layout_of(text[:9000].encode(), False)
    assert layout is not None
    assert layout.format.name == "jigsaws"
    assert len(entries_of(text)) == 300
    wide = beside("1.......\n" * 8, "".join(f"{name * 8}\n" for name in "abcdefgh")) * 40
    assert len(entries_of(wide)) == 40


def test_a_damaged_jigsaw_is_an_error_of_its_own():
    bad = f"{GRID}\n{LETTERS.replace('DDEEFF', 'DDEEFE', 1)}\n"
    entries = entries_of(f"{GRID}\n{LETTERS}\n{bad}{OTHER}\n{DIGITS}\n")
    assert [entry.puzzle for entry in entries] == [PUZZLE, None, SECOND]


def test_a_missing_row_spoils_later_jigsaws_but_never_makes_another_one():
    records = [f"{GRID}\n{LETTERS}\n", f"{OTHER}\n{DIGITS}\n"] * 3
    lines = "".join(records).splitlines(keepends=True)
    for index, line in enumerate(lines[:26]):
        if line.strip():
            text = "".join(lines[:index] + lines[index + 1 :])
            layout = layout_of(text.encode())
            if layout is not None:
                puzzles = [entry.puzzle for entry in entries_of(text)]
                assert {*puzzles} <= {PUZZLE, SECOND, None}
                assert None in puzzles


def test_killers_are_no_jigsaws():
    killer = "1... AABB\n.... AABB\n..3. CCDD\n.4.. CCDD\nA=10 B=10 C=10 D=10\n"
    assert "one killer in a file" in str(refusal(killer + killer))
    assert layout_of((killer + killer).encode()) is None


def test_a_map_never_belongs_to_the_next_grid():
    first, second = f"{GRID}\n{LETTERS}\n", f"{OTHER}\n{DIGITS}\n"
    text = first + second + OTHER + first + second
    layout = layout_of(text.encode())
    if layout is not None:
        assert {*(entry.puzzle for entry in entries_of(text))} == {PUZZLE, SECOND, None}
    sections = f"[Puzzle]\n{GRID}[State]\n{OTHER}[Jigsaw]\n{LETTERS}"
    assert layout_of((sections * 3).encode()) is None


def test_two_jigsaws_with_maps_beside_them_are_no_grid_of_twice_their_side():
    regions = "".join(f"{name * 9}\n" for name in "123456789")
    nine = beside("1........\n........2\n" + ".........\n" * 7, regions)
    bad = nine.replace("111111111", "111111112")
    for first, second in ((nine, nine), (nine, bad), (bad, nine), (bad, bad)):
        layout = layout_of(f"---\n{first}---\n{second}".encode())
        if layout is None:
            refusal(f"---\n{first}---\n{second}")
        else:
            puzzles = [entry.puzzle for entry in entries_of(f"---\n{first}---\n{second}")]
            assert puzzles == [read(nine).puzzle] * 2


def test_headings_of_n_characters_are_no_rows():
    grid, regions = "1.......\n" + "........\n" * 7, "".join(f"{c * 8}\n" for c in "abcdefgh")
    jigsaw = f"{grid}Regions:\n{regions}"
    assert [entry.puzzle for entry in entries_of(jigsaw * 2)] == [read(jigsaw).puzzle] * 2


def test_a_row_of_equal_values_above_a_map_is_no_row_of_the_map():
    jigsaw = "1...\n....\n....\n1111\naabb\naabb\ncccc\ndddd\n"
    assert None not in [entry.puzzle for entry in entries_of(jigsaw * 2)]


def test_a_grid_between_two_maps_is_refused():
    assert refusal(f"{LETTERS}\n{GRID}\n{DIGITS}").code


def test_rows_that_are_all_the_same_are_no_jigsaws():
    assert layout_of(b"1 2 3 4\n" * 32) is None
    assert layout_of(b"abcd efgh ijkl\n" * 48) is None
