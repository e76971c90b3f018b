"""Constraint texts: what each type means, and that none is left out in silence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import parsing
from support.pages import PAGES
from support.parsing import check_read_or_refused, read
from support.strategies import examples

from pipeline import solve
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import NINE, Geometry, Puzzle
from pipeline.puzzle.rules import cages, lines, outside, pairs, regions
from pipeline.reading.formats import detect_collection
from pipeline.reading.formats.iss.types import KNOWN, RULES_OF_TYPES, STRICT, TYPES

FOUR = Geometry(2, 2)
SHAPE = ".Shape~4x4"
JIGSAW = "0010011122323233"
REGIONS = ((0, 1, 3, 4), (2, 5, 6, 7), (8, 9, 11, 13), (10, 12, 14, 15))


def refusal(text: str) -> InvalidPuzzle:
    return parsing.refusal(text, format_name="iss")


LINE, CELLS = "R1C1~R1C2~R2C3", (0, 1, 6)
OF_FOUR: dict[str, list[object]] = {
    ".AntiKnight": [pairs.AntiKnight()],
    ".AntiKing": [pairs.AntiKing()],
    ".AntiConsecutive": [pairs.Nonconsecutive()],
    ".DisjointSets": [regions.DisjointGroups()],
    ".Diagonal~1": [regions.Diagonal(rising=True)],
    ".Diagonal~-1": [regions.Diagonal(rising=False)],
    ".AllDifferent~R1C1~R2C2": [regions.ExtraRegion((0, 5))],
    f".Thermo~{LINE}": [lines.Thermometer(CELLS)],
    f".Palindrome~{LINE}": [lines.Palindrome(CELLS)],
    f".Renban~{LINE}": [lines.Renban(CELLS)],
    f".Between~{LINE}": [lines.Between(CELLS)],
    f".Zipper~{LINE}": [lines.Zipper(CELLS)],
    f".DoubleArrow~{LINE}": [lines.DoubleArrow(CELLS)],
    f".Modular~2~{LINE}": [lines.Modular(CELLS, 2)],
    f".Lockout~3~{LINE}": [lines.Lockout(CELLS, 3)],
    f".Whisper~{LINE}": [lines.Whispers(CELLS, 5)],
    f".Whisper~3~{LINE}": [lines.Whispers(CELLS, 3)],
    f".RegionSumLine~{LINE}": [lines.RegionSum(CELLS, tuple(FOUR.boxes()))],
    ".WhiteDot~R1C1~R1C2~R2C2~R4C4~R4C3": [
        pairs.WhiteDot(0, 1),
        pairs.WhiteDot(1, 5),
        pairs.WhiteDot(15, 14),
    ],
    ".BlackDot~R1C1~R1C2": [pairs.BlackDot(0, 1)],
    ".X~R1C1~R1C2": [pairs.XV(0, 1, 10)],
    ".V~R1C1~R1C2": [pairs.XV(0, 1, 5)],
    ".GreaterThan~R2C2~R1C2~R2C1": [pairs.Greater(5, 1), pairs.Greater(5, 4)],
    ".Cage~5~R1C1~R2C1": [cages.Cage((0, 4), 5)],
    ".Cage~0~R1C1~R2C1": [cages.Cage((0, 4))],
    ".Cage~5~R1C1~R1C1~R2C1": [cages.Cage((0, 4)), cages.Sum(((0, 2), (4, 1)), 5)],
    ".Sum~6~R1C1~R2C1~R1C1": [cages.Sum(((0, 2), (4, 1)), 6)],
    ".EqualSum~R1C1~R1C2~-~R2C3": [cages.EqualSums(((0, 1), (6,)))],
    ".SameValues~2~R1C1~R1C2~R3C3~R3C4": [cages.SameMultiset(((0, 1), (10, 11)))],
    ".Arrow~R1C1~R1C2~R1C3": [cages.Arrow((0,), (1, 2))],
    ".PillArrow~2~R1C2~R1C1~R2C2~R3C3": [cages.Arrow((0, 1), (5, 10))],
    ".Quad~R2C2~3~3": [cages.Quadruple((5, 6, 9, 10), (3, 3))],
    ".LittleKiller~9~R1C1": [outside.LittleKiller((0, 5, 10, 15), 9)],
    ".LittleKiller~9~R2C1": [outside.LittleKiller((4, 9, 14), 9)],
    ".LittleKiller~9~R1C4": [outside.LittleKiller((3, 6, 9, 12), 9)],
    ".LittleKiller~9~R1C3": [outside.LittleKiller((2, 5, 8), 9)],
    ".LittleKiller~9~R3C4": [outside.LittleKiller((11, 6, 1), 9)],
    ".LittleKiller~9~R4C2": [outside.LittleKiller((13, 10, 7), 9)],
    ".Sandwich~0~C1": [outside.Sandwich((0, 4, 8, 12), 0)],
    ".Sandwich~2~R3": [outside.Sandwich((8, 9, 10, 11), 2)],
    ".Skyscraper~C1~2": [outside.Skyscraper((0, 4, 8, 12), 2)],
    ".XSum~R1~3~4": [outside.XSum((0, 1, 2, 3), 3), outside.XSum((3, 2, 1, 0), 4)],
    ".XSum~R2~~4": [outside.XSum((7, 6, 5, 4), 4)],
    ".XSum~R3~3~": [outside.XSum((8, 9, 10, 11), 3)],
    ".Indexing~C~R1C1~R2C2": [pairs.Indexer(0, row=False), pairs.Indexer(5, row=False)],
    ".Indexing~R~R1C1": [pairs.Indexer(0, row=True)],
    ".StrictKropki.WhiteDot~R1C2~R1C1": [
        pairs.WhiteDot(1, 0),
        pairs.NegativeKropki((1,), (2,), ((0, 1),)),
    ],
    ".StrictXV.V~R1C2~R1C1": [pairs.XV(1, 0, 5), pairs.NegativeXV((5, 10), ((0, 1),))],
}


@pytest.mark.parametrize("text", OF_FOUR)
def test_a_type_is_its_rules(text):
    parsed = read(SHAPE + text)
    assert parsed.puzzle == Puzzle.empty(FOUR, tuple(OF_FOUR[text]))
    assert (parsed.format, parsed.variant) == ("iss", "rules")


def test_every_type_that_is_known_is_tested():
    tested = {re.match(r"\.(\w+)", text)[1] for text in OF_FOUR}
    assert tested | {"Windoku", "Entropic"} == TYPES.keys() | STRICT.keys()


def test_a_renban_that_names_a_cell_twice_has_no_solution():
    text = f"{SHAPE}.Renban~R1C1~R1C2~R1C1"
    assert read(text).puzzle.rules == (lines.Renban((0, 1, 0)),)
    assert solve(text, solver="pysat").status == "unsolvable"


@pytest.mark.parametrize(
    ("line", "most"),
    [
        *((f".{name}", 1) for name in ("Thermo", "Palindrome", "Renban", "RegionSumLine")),
        *((f".{name}", 1) for name in ("Whisper", "Whisper~3", "Modular~3", "Entropic")),
        *((f".{name}", 2) for name in ("Between", "Zipper")),
    ],
)
def test_a_line_that_compares_no_cells_is_no_rule(line, most):
    cells = ("~R1C1", "~R1C2", "~R2C3")
    for count in range(1, 4):
        rules = read(line + "".join(cells[:count])).puzzle.rules
        assert len(rules) == (count > most), (line, count)


def test_of_clues_at_one_place_the_last_counts():
    twice = {
        ".Sandwich~3~R1.Sandwich~5~C1.Sandwich~7~R1": ".Sandwich~5~C1.Sandwich~7~R1",
        ".Skyscraper~C1~2~3.Skyscraper~C1~4~": ".Skyscraper~C1~~3.Skyscraper~C1~4~",
        ".XSum~R1~5.XSum~R1~~6.XSum~R1~7": ".XSum~R1~~6.XSum~R1~7",
        ".Quad~R1C1~1.Quad~R1C2~1.Quad~R1C1~2~3": ".Quad~R1C2~1.Quad~R1C1~2~3",
        ".LittleKiller~9~R2C1.LittleKiller~8~R2C1": ".LittleKiller~8~R2C1",
        ".Cage~9~R1C1~R1C2.Cage~8~R1C1~R1C2": ".Cage~9~R1C1~R1C2.Cage~8~R1C1~R1C2",
    }
    for text, counted in twice.items():
        assert read(text).puzzle == read(counted).puzzle, text
    assert len(read(".Cage~9~R1C1~R1C2.Cage~8~R1C1~R1C2").puzzle.rules) == 2


def test_rows_and_columns_of_clues_are_decimal_and_cells_are_not():
    shape = ".Shape~12x12"
    row = tuple(range(9 * 12, 10 * 12))
    assert read(f"{shape}.Sandwich~5~R10").puzzle.rules == (outside.Sandwich(row, 5),)
    assert "'Ra'" in str(refusal(f"{shape}.Sandwich~5~Ra"))
    assert "'R13'" in str(refusal(f"{shape}.Sandwich~5~R13"))
    assert "'R10C1'" in str(refusal(f"{shape}.Thermo~R10C1~RaC2"))


def test_only_the_first_cell_of_a_pill_may_have_two_digits():
    puzzle = read(".Shape~12x12.PillArrow~3~R1C3~R1C1~R1C2~R2C2~R2C3").puzzle
    assert puzzle.rules == (cages.Arrow((0, 1, 2), (13, 14)),)
    nine, full = (1 << 9) - 1, (1 << 12) - 1
    assert puzzle.cells == (full, nine, nine, *[full] * 141)


@pytest.mark.parametrize(
    ("side", "box", "corners"),
    [
        (4, (2, 2), ["22"]),
        (6, (2, 3), ["22"]),
        (8, (2, 4), ["22", "52"]),
        (12, (3, 4), ["22", "62", "27", "67"]),
        (7, (1, 7), []),
    ],
)
def test_a_windoku_of_another_side_has_windows_of_its_boxes_a_cell_apart(side, box, corners):
    height, width = box
    windows = read(f".Shape~{side}x{side}.Windoku").puzzle.rules
    assert windows == tuple(
        regions.ExtraRegion(
            tuple(
                (int(top) - 1 + down) * side + int(left) - 1 + right
                for down in range(height)
                for right in range(width)
            )
        )
        for top, left in corners
    )


def test_values_may_be_named_givens():
    assert read(".Given~R1C1_5~R1C2_1_2").puzzle == read(".~R1C1_5~R1C2_1_2").puzzle


LINK = "https://sigh.github.io/Interactive-Sudoku-Solver/?q="


def test_a_link_is_the_text_in_it():
    plain = read(".Cage~3~R1C1~R1C2.~R1C3_5")
    for link in (
        f"{LINK}.Cage~3~R1C1~R1C2.~R1C3_5\n",
        f"{LINK}%0A.Cage%7e3+~R1C1~R1C2%20.~R1C3_5&mode=step-by-step#x",
        "http://localhost:8080/?mode=x&q=.Cage~3~R1C1~R1C2.~R1C3_5",
    ):
        parsed = read(link)
        assert (parsed.puzzle, parsed.format) == (plain.puzzle, "iss")


def test_what_is_wrong_in_a_link_is_told_where_it_stands():
    link = f"{LINK}.Cage%7E3~R1C1~R1C2.Lunchboxes~3~R1C1"
    error = refusal(link)
    assert (error.line, error.column) == (1, link.index("Lunchboxes") + 1)
    assert "2 lines" in str(refusal(f"{link}\n.AntiKing\n"))


@pytest.mark.parametrize(
    "text",
    [
        ".Whisper~5~R1C1~R2C1~R3C1~R4C2~R5C3~R6C4~R7C5~R8C6",
        ".~R1C1_5_6_7_8"
        + "".join(f"~R{row}C{column}_5" for row in (2, 3) for column in range(1, 7)),
    ],
)
def test_a_text_as_long_as_a_jigsaw_is_none(text):
    assert len(text) in {2 * side * side for side in range(4, 26)}
    assert read(text).format == "iss"


def test_without_a_shape_it_is_of_nine():
    assert read(".Windoku").puzzle == Puzzle.empty(NINE, (regions.Windoku(),))
    line = read(".Entropic~R1C1~R1C2~R2C3").puzzle
    assert line == Puzzle.empty(NINE, (lines.Entropic((0, 1, 11)),))


def test_values_of_cells_hold_together():
    parsed = read(".~r1c1_5~R1C2_1_2_9.~R1C2_9_8")
    full = NINE.all_values
    assert parsed.puzzle == Puzzle(NINE, (16, 256, *[full] * 79))
    assert parsed.variant == "classic"
    marks = "R1C1_2_4~R2C2_1_3~R3C3_1"
    assert read(f"{SHAPE}.~{marks}").variant == "even-odd"


def test_values_of_a_cell_that_contradict_each_other_leave_no_solution():
    puzzle = read(f"{SHAPE}.~R1C1_1_2~R1C1_3_4~R1C1_2.").puzzle
    assert puzzle == Puzzle(FOUR, (2, *[15] * 15), (pairs.Among(0, (3, 4)),))


def test_lines_that_close_are_read():
    for name in ("Thermo", "Between", "Lockout~4"):
        kind, *_ = read(f"{SHAPE}.{name}~R1C1~R1C2~R2C2~R1C1.").puzzle.rules
        assert kind.line == (0, 1, 5, 0)


def test_white_space_and_empty_items_mean_nothing():
    spread = " . Sha\tpe ~4 x4\n.. .Whis per~ 3~R1 C1~\n\nR1C2\n# words\n.~R1C1 _ 1.\n"
    assert read(spread).puzzle == read(f"{SHAPE}.Whisper~3~R1C1~R1C2.~R1C1_1").puzzle


def test_coordinates_above_nine_are_letters():
    parsed = read(".Shape~16x16.~R1Cg_16~RaCC_10")
    assert dict(parsed.puzzle.givens()) == {15: 16, 9 * 16 + 11: 10}


@pytest.mark.parametrize(("side", "box"), [(6, (2, 3)), (7, (1, 7)), (8, (2, 4)), (12, (3, 4))])
def test_a_shape_has_its_usual_boxes(side, box):
    assert read(f".Shape~{side}x{side}").puzzle.geometry == Geometry(*box)


def test_a_jigsaw_adds_regions_and_boxes_may_be_dropped():
    rules = tuple(map(regions.Region, REGIONS))
    assert read(f"{SHAPE}.Jigsaw~{JIGSAW}").puzzle == Puzzle.empty(FOUR, rules)
    without = f"{SHAPE}.NoBoxes.Jigsaw~{JIGSAW}"
    assert read(without).puzzle == Puzzle.empty(Geometry(1, 4), rules)
    line = read(f"{without}.RegionSumLine~{LINE}").puzzle.rules[-1]
    assert line == lines.RegionSum(CELLS, REGIONS)


@pytest.mark.parametrize(
    "name", ["Lunchboxes", "Or", "And", "End", "NFA", "Pair", "RegionSize", "thermo", "Sumline"]
)
def test_a_type_that_is_not_known_is_refused_by_its_name(name):
    error = refusal(f".Thermo~{LINE}.{name}~R1C1~R2C1.AntiKing")
    assert (error.line, error.column) == (1, 24)
    assert str(error).endswith(f"expected rules that are known, found '{name}'")


def test_the_reference_names_the_types_that_are_read_and_some_that_are_refused():
    page = PAGES["docs/reference/formats.md"]
    (reads,) = re.findall(r"The types that are read: (.*) and those that\n\[Rules\]", page)
    (others,) = re.findall(r"- all other types, such as (.*);", page)
    read_too, refused = (re.findall(r"`\.(\w+)`", names) for names in (reads, others))
    assert {"", *read_too, *(name for name, _ in RULES_OF_TYPES)} == KNOWN
    assert refused
    for name in refused:
        assert f"'{name}'" in str(refusal(f".{name}~R1C1~R1C2"))


REFUSED = {
    ".Shape~6x9": "'6x9'",
    ".Shape~9x9~0-8": "'0-8'",
    ".Shape~3x3": "'3x3'",
    ".Shape~17x17": "'17x17'",
    ".Shape": "a square",
    ".Shape~4x4.Shape~4x4": "a single '.Shape'",
    ".NoBoxes~1": "the end of the constraint",
    ".Jigsaw~0011": "81 signs, 9 for each region",
    f"{SHAPE}.Jigsaw~{'0' * 16}": "16 signs, 4 for each region",
    f"{SHAPE}.NoBoxes.DisjointSets": "a grid with boxes",
    f"{SHAPE}.NoBoxes.RegionSumLine~R1C1~R1C2": "a grid with boxes",
    f"{SHAPE}.Jigsaw~{JIGSAW}.RegionSumLine~R1C1~R1C2": "a grid with boxes",
    f"{SHAPE}.Entropic~{LINE}": "a grid of side 9",
    ".AntiKing~R1C1": "the end of the constraint",
    ".~R1C1": "a cell and its values",
    ".~": "a cell and its values",
    ".~R1C1_0": "a number, 1 to 9",
    f"{SHAPE}.~R5C1_1": "'R1C1' to 'R4C4'",
    ".Lockout~3~R1C1": "2 cells or more in '.Lockout', found 1",
    ".DoubleArrow~R1C1~R1C2": "at least 3 cells",
    ".Thermo~R1C1~LOOP": "'LOOP'",
    ".WhiteDot~R1C1~R2C2": "a neighbour",
    ".WhiteDot~R1C1~R1C2~R5C5": "'R5C5'",
    ".WhiteDot~R1C1~R1C2~R1C1": "different cells",
    ".Cage~x~R1C1": "a number, 0 or more",
    ".Cage~5": "1 cells or more",
    ".Cage": "a number",
    ".EqualSum~R1C1~R1C2": "two groups",
    ".EqualSum~R1C1~-": "two groups",
    ".SameValues~2~R1C1~R1C2~R1C3": "2 groups of one size",
    ".PillArrow~4~R1C1~R1C2~R1C3~R1C4~R2C4": "2 to 3",
    ".Quad~R9C9~1": "top left",
    ".Quad~R1C1": "a cell, and values",
    ".Quad~R1C1~10": "1 to 9",
    ".Diagonal": "'1' or '-1'",
    ".Diagonal~2": "'1' or '-1'",
    ".LittleKiller~9~R2C2": "at the edge",
    ".LittleKiller~9~R9C1": "no lower corner",
    ".LittleKiller~9~R9C9": "no lower corner",
    ".Skyscraper~C1~0": "1 or more",
    ".LittleKiller~9": "1 cells or more",
    ".Sandwich~3~R1C1": "'R1' or 'C1'",
    ".Sandwich~3": "a row or column",
    f"{SHAPE}.XSum~C5~1~2": "'R1' or 'C1'",
    ".XSum~C5~~": "a number",
    ".XSum~C5": "a number",
    ".Indexing~B~R1C1": "'R' or 'C'",
    ".Modular~1~R1C1~R1C2": "2 or more",
    ".": "a constraint",
    "R1C1.": "'.' and the type",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_refused_with_what_was_expected(text):
    assert REFUSED[text] in str(refusal(text))


WHOLE = (
    "Shape~4x4",
    "NoBoxes",
    f"Jigsaw~{JIGSAW}",
    "~R1C1_1~R1C2_2_3",
    *(text[1:] for text in OF_FOUR if text.count(".") == 1 and "DisjointSets" not in text),
    "StrictKropki",
    "StrictXV",
)
"""Constraints of all types but of those that need boxes, or nine."""


def told(items: list[str]) -> Puzzle | None:
    try:
        return read("." + ".".join(items)).puzzle
    except InvalidPuzzle:
        return None


def test_no_constraint_can_change_and_the_puzzle_stay():
    before = told([*WHOLE])
    assert before is not None
    for at, item in enumerate(WHOLE):
        name, *words = item.split("~")
        changes = [[], [f"{name}2" + item.removeprefix(name)], [f"{item}~R4C4"]]
        for place, word in enumerate(words):
            others = [[f"{word}x"], [_next(word)], *([[]] if word else [])]
            changes += [
                ["~".join([name, *words[:place], *other, *words[place + 1 :]])] for other in others
            ]
        for changed in changes:
            after = told([*WHOLE[:at], *changed, *WHOLE[at + 1 :]])
            assert after != before, (item, changed)


def _next(word: str) -> str:
    """Another cell, number or sign."""
    return f"{word[:-1]}{int(word[-1]) % 4 + 1}" if word and word[-1].isdigit() else f"{word}-"


@pytest.mark.parametrize("text", [f"{SHAPE}.~R1C1_1", f".Thermo~{LINE}", ".X~R1C1~R1C2"])
def test_a_text_that_is_cut_off_says_so_unless_it_is_one_all_the_same(text):
    for end in range(1, len(text)):
        if told([text[1:end]]) is None:
            assert refusal(text[:end]).truncated, text[:end]


def test_a_grid_that_begins_with_a_dot_is_a_grid():
    assert read("." * 16).format == "line"
    assert read("...1\n.2..\n..3.\n4...").format == "grid"
    rows = "\n".join("." + "NFADBCEGHIJKLOP" for _ in range(16))
    assert read(rows).format == "characters A-P"


def test_constraints_one_a_line_are_one_text_even_if_it_is_refused():
    text = ".Thermo~R1C1~R1C2\n.Cage~3~R1C1~R1C2\n.Lunchboxes~3~R1C1~R2C1\n"
    assert detect_collection(text.encode(), complete=True) is None
    assert "'Lunchboxes'" in str(refusal(text))


signs = st.sampled_from([*".~~~_- \n", *"RC19agxé", "R1C1", "R2C1", "~R1C2", "3", "4x4", "-1"])


@examples(200)
@given(st.lists(st.sampled_from([*TYPES, "Shape", "Jigsaw", "NoBoxes", ""]) | signs, max_size=25))
def test_anything_is_read_or_refused_at_a_place_that_exists(words):
    text = "." + "".join(words)
    check_read_or_refused(text, "iss")
