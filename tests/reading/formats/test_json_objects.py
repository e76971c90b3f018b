"""JSON of programs and sites: the grid in it, what is beside it, and collections."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.parsers import layout_of, read, refusal
from support.strategies import examples

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import Entry, parse_puzzle, parse_source
from pipeline.settings import Reading

TEXT = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
FULL = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
REGIONS = "AAAABBBBCCCCDDDD"


def rows(cells: str, side: int = 9) -> list[str]:
    return [cells[start : start + side] for start in range(0, len(cells), side)]


FLAT = [int(cell) for cell in TEXT]
ROWS = [FLAT[start : start + 9] for start in range(0, 81, 9)]
SOLVED = [[int(cell) for cell in row] for row in rows(FULL)]
SMALL = "1.....2..3.....4"
DOCUMENT = {
    "size": 4,
    "grid": [[{"value": 1, "given": True}, {}, {}, {}], *[[{}] * 4] * 3],
    "antiking": True,
}


def with_blanks(blank: object) -> list[list[object]]:
    return [[cell or blank for cell in row] for row in ROWS]


READ: dict[str, Any] = {
    "a board": {"difficulty": "easy", "board": ROWS},
    "a text": {"puzzle": TEXT},
    "a flat list": FLAT,
    "a flat list in a member": {"quiz": FLAT},
    "rows of text": {"grid": rows(TEXT)},
    "rows in a text": {"clues": "\n".join(rows(TEXT.replace("0", ".")))},
    "texts for cells": {"question": [[*row] for row in rows(TEXT.replace("0", "."))]},
    "nothing for blanks": {"Value": with_blanks(None)},
    "empty blanks": with_blanks(""),
    "minus one": with_blanks(-1),
    "minus one in a flat list": [cell or -1 for cell in FLAT],
    "false": with_blanks(False),
    "floats": [[float(cell) for cell in row] for row in ROWS],
    "not a number": [[float(cell) if cell else float("nan") for cell in row] for row in ROWS],
    "in other objects": {"newboard": {"grids": [{"value": ROWS}], "results": 1, "message": "Ok"}},
    "nested once": {"puzzle": {"board": ROWS, "id": 7}},
    "data": {"data": {"puzzle": TEXT}, "url": "https://example.org/"},
    "a list of one object": [{"puzzle": TEXT}],
    "a list of one text": [TEXT],
    "twice the same": {"puzzle": TEXT, "board": ROWS},
    "no rules": {"puzzle": TEXT, "cages": [], "thermos": None, "diagonal": False, "jigsaw": ""},
    "the usual rules": {"puzzle": TEXT, "variant": "classic", "size": 9, "regions": "standard"},
    "the usual boxes": {"puzzle": TEXT, "boxes": 3, "boxWidth": 3, "box_size": "3x3"},
    "a map of the usual boxes": {
        "puzzle": TEXT,
        "regions": [[row // 3 * 3 + column // 3 for column in range(9)] for row in range(9)],
    },
    "constraints that are empty": {"puzzle": TEXT, "constraints": {"killer": [], "arrows": None}},
    "counts": {"puzzle": TEXT, "odd_count": 12, "variant_id": 3, "constraints": ["none"]},
    "a date that looks like cells": {"puzzle": "2024-10-10.1011", "board": ROWS},
    "members that mean nothing here": {"puzzle": TEXT, "theme": "dark", "moves": [{"cell": 3}]},
}


@for_each("document", READ.values())
def test_the_grid_is_found(document):
    for written in (json.dumps(document), json.dumps(document, indent=1), json.dumps([document])):
        if written.startswith("[") and isinstance(document, list) and written[1] == "[":
            continue
        parsed = read(written)
        assert parsed.puzzle == parse_puzzle(TEXT)
        assert (parsed.unread, parsed.claimed) == ((), None)
        assert parsed.format == "json"


@for_each(
    ("solution", "claimed"),
    [
        (FULL, FULL),
        (SOLVED, FULL),
        ([*map(int, FULL)], FULL),
        ([FULL], FULL),
        (rows(FULL), FULL),
        (None, None),
        (1, None),
    ],
)
def test_a_solution_is_compared(solution, claimed):
    for name in ("solution", "answer", "Solutions"):
        parsed = read(json.dumps({name: solution, "puzzle": TEXT}))
        assert (parsed.claimed, parsed.unread) == (claimed, ())


@for_each("solution", [FULL[1:], [FULL, FULL], FULL.replace("5", "."), {"a": 1}, "42"])
def test_a_solution_that_cannot_be_compared_is_unread(solution):
    document = {"puzzle": TEXT, "solution": solution}
    if isinstance(solution, dict):
        assert read(json.dumps(document)).claimed is None
    else:
        assert read(json.dumps(document)).unread == ("solution",)


def test_texts_are_the_title_and_the_author_and_rules_in_prose_are_unread():
    document = {"name": "Night", "author": "Ann", "puzzle": TEXT, "rules": "Anti-knight too."}
    parsed = read(json.dumps({**document, "info": {"text": "Both diagonals."}}))
    assert parsed.notes == (("title", "Night"), ("author", "Ann"))
    assert parsed.unread == (
        "member 'rules': 'Anti-knight too.'",
        "member 'text': 'Both diagonals.'",
    )


def test_a_document_of_f_puzzles_may_be_in_a_member():
    parsed = read(json.dumps({"data": DOCUMENT, "url": "https://example.org/"}))
    assert parsed.puzzle == read(json.dumps(DOCUMENT)).puzzle
    assert (parsed.variant, parsed.format) == ("rules", "json")
    bad = {**DOCUMENT, "riddle": 1}
    assert "expected a known rule, found 'riddle'" in str(refusal(json.dumps({"data": bad})))


def test_a_board_with_a_size_is_no_document_of_f_puzzles():
    for name in ("grid", "board"):
        assert read(json.dumps({"size": 9, name: ROWS})).puzzle == parse_puzzle(TEXT)


@for_each("shape", [REGIONS, rows(REGIONS, 4), [[*row] for row in rows(REGIONS, 4)], [*REGIONS]])
def test_a_region_map_makes_a_jigsaw(shape):
    jigsaw = parse_puzzle(f"{SMALL}{REGIONS}")
    for name in ("colours", "cages", "extraRegions"):
        assert "region map" in str(refusal(json.dumps({"puzzle": SMALL, name: shape})))
    for name in ("regions", "areas", "Jigsaw"):
        parsed = read(json.dumps({"puzzle": SMALL, name: shape}))
        assert (parsed.puzzle, parsed.variant) == (jigsaw, "rules")


def test_a_text_in_a_member_is_read_like_a_file():
    lines = ["#diagonal", *rows(TEXT)]
    parsed = read(json.dumps({"puzzle": "\n".join(lines)}))
    assert (parsed.puzzle, parsed.unread) == (parse_puzzle(TEXT), ("line 1: 'diagonal'",))
    both = "\n".join([*rows(SMALL, 4), "1111", "2222", "3333", "4444"])
    assert "region map" in str(refusal(json.dumps({"puzzle": both})))
    assert "the cells of a puzzle" in str(refusal(json.dumps({"puzzle": f"#{TEXT}"})))


def test_a_member_may_be_in_any_notation():
    parsed = read(json.dumps({"puzzle": f"{SMALL}{REGIONS}"}))
    assert parsed.puzzle == parse_puzzle(f"{SMALL}{REGIONS}")
    letters = "." * 240 + "123456789ABCDEFG"
    assert read(json.dumps({"board": letters})).puzzle == parse_puzzle(letters)
    sixteen = {"board": [[*range(16)], *[[0] * 16] * 15]}
    assert read(json.dumps(sixteen)).puzzle.geometry == Geometry(4, 4)


RULES: dict[str, object] = {
    "cages": [{"sum": 3, "cells": [[0, 0], [0, 1]]}],
    "killercage": [{}],
    "thermos": [[1]],
    "regions": [[0, 1], [2]],
    "arrows": [1],
    "diagonal": True,
    "antiKnight": True,
    "anti_king": 1,
    "Renban": "yes",
    "lines": [1],
    "evenCells": [[0, 1]],
    "white_dots": [[1]],
    "killerCages": "15 = r1c1 r1c2",
    "even": [[0, 1]],
    "xv": {"x": 1},
    "xSudoku": True,
    "X-Sudoku": True,
}


@for_each("name", RULES)
def test_rules_beside_a_grid_are_refused_by_name(name):
    expected = "a grid without rules in JSON (for rules, use f-puzzles or ISS), found the "
    for document in ({name: RULES[name]}, {"meta": {name: RULES[name]}}):
        error = refusal(json.dumps({"puzzle": TEXT, **document}, indent=1))
        assert f"expected {expected}member '{name}'" in str(error)
        assert (error.line, error.column) >= (3, 1)


KEYS = (
    "JSON with a grid: a member 'board', 'grid', 'puzzle', 'quiz', 'question', 'value' or 'clues'"
)
REFUSED = [
    ("{}", f"1:1: expected {KEYS}, found an object without members"),
    ('{"name": "x", "version": 1}', f"1:1: expected {KEYS}, found the keys 'name', 'version'"),
    ('[{"name": "x"}, {"name": "y"}]', f"1:1: expected {KEYS}, found the keys 'name'"),
    ('{"question": "Why?"}', "1:14: expected a grid in 'question': rows, or all cells in a list"),
    ('{"board": [[{"v": 1}]]}', "1:11: expected a grid in 'board': rows"),
    ('{"board": []}', "found an empty list"),
    ('{"board"', "1:9: expected JSON, found the end"),
    ('{"puzzle": "53..7', "1:12: expected JSON, found '\"53..7'"),
    (f'{{"id": 1,\n "puzzle": "{TEXT[1:]}"}}', "2:93: expected a line of 16, 36, 64 or 81 cells"),
    (f'{{"id": 1,\n "puzzle": "k{TEXT[1:]}"}}', "2:13: expected a digit or a blank, found 'k'"),
    (
        json.dumps({"puzzle": TEXT, "board": [[1] * 9] * 9}),
        "1:106: expected JSON with a single grid, found the grids 'puzzle' and 'board'",
    ),
    (
        '{"n": 1,\n"board": [[1, 2, 3, 4], [3, 5, 1, 2], [0, 0, 0, 0], [0, 0, 0, 0]]}',
        "2:29: expected a number from 1 to 4, or 0 or null for a blank, found '5'",
    ),
    (
        json.dumps({"board": [[0] * 6] * 6, "boxWidth": 2}),
        "expected boxes of 2×3 cells; declare other boxes with --boxes, found 'boxWidth' of 2",
    ),
    (
        json.dumps({"puzzle": SMALL, "a": REGIONS, "b": rows("ABCD" * 4, 4), "c": [*REGIONS]}),
        "expected one region map, named 'regions'",
    ),
    ('{"cages": [{"sum": 3}]}', "a killer as f-puzzles ('killercage') or SudokuPad ('3x3::k:…')"),
    (
        '{"cells": [[{"value": 5}]], "cages": [], "metadata": {}}',
        "found SudokuPad's own document, which has drawings instead of rules",
    ),
    (
        '{"time_elapsed": 0, "cells": [{"position": [0, 0], "value": 5, "fixed": true}]}',
        "found a saved game of GNOME Sudoku, which cannot be read",
    ),
    (f'{{"puzzle": "{TEXT}", "a": {"[1," * 50}1{"]" * 50}}}', "nested less deeply"),
    ('{"a": ' * 90_000, "nested less deeply"),
]


@for_each(("text", "message"), REFUSED)
def test_what_has_no_grid_is_refused_as_json(text, message):
    assert message in str(refusal(text))


def entries_of(text: str) -> list[Entry]:
    layout = layout_of(text.encode(), complete=True)
    assert layout is not None
    assert layout.format.name == "json"
    chunks = layout.chunks(io.BytesIO(text.encode()), 64)
    return [entry for chunk in chunks for entry in layout.entries(chunk, Reading())]


RECORDS = [
    {"id": 1, "puzzle": TEXT, "solution": FULL},
    {"id": 2, "board": ROWS, "solution": SOLVED, "title": "The second"},
    {"id": 3, "board": with_blanks(None)},
]
LISTS = {
    "JSON Lines": "".join(f"{json.dumps(record)}\n" for record in RECORDS),
    "a list": json.dumps(RECORDS),
    "a list in lines": json.dumps(RECORDS, indent=1),
    "in another object": json.dumps({"newboard": {"grids": RECORDS, "results": 3}}),
    "of lists": json.dumps([ROWS] * 3),
    "of flat lists": json.dumps([FLAT] * 3),
    "of texts": json.dumps([TEXT] * 3),
    "lists in lines": f"{json.dumps(ROWS)}\n" * 3,
}


@for_each("name", LISTS)
def test_lists_of_puzzles_are_collections(name):
    entries = entries_of(LISTS[name])
    assert [entry.error for entry in entries] == [None] * 3
    assert all(entry.puzzle_read == parse_puzzle(TEXT) for entry in entries)
    if "of" not in name and "lists" not in name:
        assert [entry.claimed for entry in entries] == [FULL, FULL, None]
        assert [entry.title for entry in entries] == ["", "The second", ""]


def test_an_entry_that_is_wrong_is_one_error_at_its_place():
    bad = [{"puzzle": TEXT}, {"puzzle": TEXT, "thermos": [1]}, {"name": 1}, {"puzzle": TEXT[1:]}]
    records = [*map(json.dumps, [*bad, {"puzzle": TEXT}, {"puzzle": TEXT}, {"puzzle": TEXT}])]
    for text in ("\n".join(records), "[\n" + ",\n".join(records) + "\n]"):
        entries = entries_of(text)
        assert [entry.error is None for entry in entries] == [True, *[False] * 3, *[True] * 3]
        first = text.count("\n", 0, text.find("thermos")) + 1
        assert f":{first}:108: expected a grid without rules" in str(entries[1].error)
        assert f":{first + 1}:" in str(entries[2].error)


@for_each(
    "stated",
    [
        {"box": {"width": 2, "height": 3}},
        {"boxSize": {"rows": 3, "cols": 2}},
        {"boxWidth": 2.0, "boxHeight": 3.0},
        {"blockSize": ["3", "2"]},
        {"boxes": "3x2"},
    ],
)
def test_boxes_other_than_the_usual_are_not_ignored(stated):
    text = json.dumps({"puzzle": "." * 36, **stated})
    assert "expected boxes of 2×3 cells; declare other boxes with --boxes" in str(refusal(text))


def test_the_end_of_file_sign_of_dos_ends_a_list_of_puzzles():
    text = f"[{json.dumps({'puzzle': TEXT})},{json.dumps({'puzzle': TEXT})}]\n\x1a"
    assert [entry.error for entry in entries_of(text)] == [None, None]


def test_a_rule_after_a_list_of_puzzles_is_an_error():
    text = json.dumps({"puzzles": [{"puzzle": TEXT}, {"puzzle": TEXT}], "antiKnight": True})
    assert [entry.error is None for entry in entries_of(text)] == [True, True, False]


@for_each("text", ["[\n" + "[1,2,3,4],\n" * 2 + "[1,2,3,4]]", json.dumps([[0] * 16] * 15)])
def test_rows_are_no_puzzles_of_their_own(text):
    assert layout_of(text.encode(), complete=True) is None
    assert "16 rows" in str(refusal(text)) or "row" in str(refusal(text))


@for_each("cut", [1, 2, 20, 100])
def test_a_list_that_is_cut_off_is_refused(cut):
    text = json.dumps([{"puzzle": TEXT}] * 3)[:-cut]
    assert layout_of(text.encode(), complete=True) is None
    error = refusal(text)
    assert "expected JSON, found" in str(error)
    assert error.truncated


@for_each("text", [f'["{TEXT}"', f'["{TEXT}", "{TEXT}"', f'[["{TEXT}"', f'{{"{TEXT}"'])
def test_damaged_json_is_not_a_puzzle_in_a_field(text):
    assert "JSON" in str(refusal(text))


def test_a_damaged_object_in_two_lines_is_no_collection():
    assert layout_of(f'{{"puzzle": "{TEXT}"}}\n]}}'.encode(), complete=True) is None


@pytest.mark.parametrize("written", [json.dumps(READ["in other objects"]), json.dumps(RECORDS[0])])
@examples(20)
@given(data=st.data())
def test_a_damaged_object_is_refused_or_has_the_same_cells(written, data):
    """A cut or a foreign sign outside the grid never makes another puzzle."""
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(written))] * 2)))
    put = data.draw(st.sampled_from(["", *'"[]{},:\\', "null", " "]))
    cut = written[:start] + put + written[max(start, min(end, start + 3)) :]
    try:
        parsed = parse_source(cut.encode(), "a.json")
    except InvalidPuzzle:
        return
    assert parsed.puzzle == parse_puzzle(TEXT)


@examples(20)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-2, 99) | st.sampled_from([TEXT, SMALL, "", "9x9"]),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from([*RULES, "board", "puzzle", "data", "boxes", "size", "solution"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_members_are_read_or_refused(document):
    written = json.dumps(document)
    for text in (written, f"[{written},{written}]", f"{written}\n{written}\n"):
        with suppress(InvalidPuzzle):
            parse_source(text.encode(), "a.json")
        layout = layout_of(text.encode(), complete=True)
        chunks = layout.chunks(io.BytesIO(text.encode()), 1) if layout else ()
        for chunk in chunks:
            assert layout is not None
            layout.entries(chunk, Reading())


@for_each(
    "solution",
    [{"value": FULL}, {"value": SOLVED}, {"grid": rows(FULL)}, {"data": {"board": SOLVED}}],
)
def test_a_solution_in_an_object_is_compared(solution):
    for document in (
        {"puzzle": TEXT, "solution": solution},
        {"newboard": {"grids": [{"value": ROWS, "solution": solution}]}},
    ):
        parsed = read(json.dumps(document))
        assert parsed.claimed == FULL
        assert parsed.unread == ()


def test_a_solution_that_is_none_is_unread():
    assert read(json.dumps({"puzzle": TEXT, "solution": {"value": None}})).claimed is None
    assert read(json.dumps({"puzzle": TEXT, "solution": {"value": "12"}})).unread == ("solution",)


def test_json_of_as_many_characters_as_a_jigsaw_has_is_json():
    cells, names = "..2..4...6...25.6.......16.2....3.1.", "AABBCC" * 3 + "DDEEFF" * 3
    assert (
        len(document := json.dumps({"puzzle": cells, "regions": names}, separators=(",", ":")))
        == 98
    )
    assert len(read(document).puzzle.rules) == 6


@for_each(
    ("key", "value"),
    [("type", "killer"), ("gameType", "X-Sudoku"), ("mode", "arrow sudoku"), ("kind", "even/odd")],
)
def test_a_type_that_is_a_rule_is_unread(key, value):
    assert read(json.dumps({"board": ROWS, key: value})).unread == (f"member '{key}': '{value}'",)
    assert read(json.dumps({"board": ROWS, key: "easy"})).unread == ()
    assert read(json.dumps({"board": ROWS, key: "classic sudoku 9x9"})).unread == ()


def test_a_state_of_play_beside_the_initial_grid_is_refused():
    for name in ("initial", "initialBoard", "original"):
        assert "the grids" in str(refusal(json.dumps({name: ROWS, "board": SOLVED})))
        assert read(json.dumps({name: ROWS, "board": ROWS})).puzzle == parse_puzzle(TEXT)
    assert read(json.dumps({"puzzle": TEXT, "userBoard": SOLVED})).puzzle == parse_puzzle(TEXT)
