"""Jigsaws, samurais and Solo's ids, and what is said of those that are none."""

from __future__ import annotations

import pytest
from support.cases import for_each
from support.notations import JIGSAW, SAMURAI, SOLO
from support.parsers import LINE, ROWS, SOLVED, grid, layout_of, read, said_of

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.pairs import Among
from pipeline.puzzle.rules.regions import Diagonal, Region
from pipeline.reading.formats.samurai import SAMURAI_GEOMETRY
from pipeline.settings import Reading
from pipeline.solving.items import read as items

CELLS = "1.........3..4.."
REGIONS = "AABBAABBCCDDCCDD"
FOUR = CELLS + REGIONS
BOXES = tuple(Region(cells) for cells in Geometry(2, 2).boxes())
ID = "4j:1j2a3b,b__cd__a___b_"


def samurai(old: str, new: str) -> str:
    assert old in SAMURAI
    return SAMURAI.replace(old, new, 1)


@for_each("text", [FOUR, f"{CELLS} {REGIONS}", f"{CELLS}\n{REGIONS}", FOUR.replace(".", "0")])
def test_a_jigsaw_is_its_cells_and_then_its_regions(text):
    parsed = read(text + "\n")
    assert (parsed.format, parsed.variant) == ("jigsaw", "rules")
    assert (parsed.puzzle.geometry, parsed.puzzle.rules) == (Geometry(1, 4), BOXES)
    assert dict(parsed.puzzle.givens()) == {0: 1, 10: 3, 13: 4}


def test_any_signs_name_regions_even_apart_if_that_is_declared():
    apart = "ABCD" * 4
    parsed = read(CELLS + apart, format="jigsaw")
    assert parsed.puzzle.rules == tuple(Region(tuple(range(at, 16, 4))) for at in range(4))


def test_values_of_larger_jigsaws_are_letters():
    cells = "J" + "." * 98 + "a"
    regions = "".join(sign * 10 for sign in "0123456789")
    puzzle = read(cells + regions).puzzle
    assert dict(puzzle.givens()) == {0: 10, 99: 1}
    said = said_of("K" + "." * 99 + regions)
    assert said == "1:1: expected one of A to J or a blank, found 'K'"


def test_a_letter_that_is_two_in_upper_case_is_no_value():
    regions = "".join(sign * 25 for sign in "ABCDEFGHIJKLMNOPQRSTUVWXY")
    said = said_of("ﬆ" + "." * 624 + regions, format="jigsaw")
    assert said.startswith("1:1: expected one of A to Y or a blank")


def test_a_puzzle_and_its_solution_are_no_jigsaw():
    assert read(LINE + SOLVED).format != "jigsaw"


GRID = "..2..4\n...6..\n.25.6.\n......\n16.2..\n..3.1.\n"
LETTERS = "AABBCC\n" * 3 + "DDEEFF\n" * 3
NUMBERS = "112233\n" * 3 + "445566\n" * 3


def beside(left: str, right: str, between: str) -> str:
    rows = zip(left.split(), right.split(), strict=True)
    return "".join(f"{row}{between}{other}\n" for row, other in rows)


def in_one_line(text: str) -> str:
    return "".join(text.split()) + "\n"


def spaced(text: str) -> str:
    return "".join(" ".join(row) + "\n" for row in text.split())


AROUND = {
    "below": f"{GRID}\n{LETTERS}",
    "digits below": f"{GRID}\n{NUMBERS}",
    "directly below": GRID + NUMBERS,
    "above": f"{LETTERS}\n{GRID}",
    "digits above": f"{NUMBERS}\n{GRID}",
    "under a heading": f"Puzzle\n{GRID}\nRegions:\n{LETTERS}",
    "spaced": spaced(GRID) + spaced(NUMBERS),
    "with commas": spaced(GRID).replace(" ", ",") + spaced(NUMBERS).replace(" ", ","),
    "with zeros": GRID.replace(".", "0") + NUMBERS.replace("6", "0"),
    "beside": beside(GRID, LETTERS, "  "),
    "digits beside": beside(GRID, NUMBERS, " | "),
    "on the left": beside(LETTERS, GRID, "\t"),
    "in one line": GRID + in_one_line(NUMBERS),
    "in one line above": in_one_line(LETTERS) + GRID,
    "of a grid in one line": in_one_line(GRID) + NUMBERS,
    "in a section": f"[Puzzle]\n{GRID}[Jigsaw]\n{LETTERS}",
    "in a section before": f"[Regions]\n{NUMBERS}[Puzzle]\n{GRID}[State]\n{GRID}",
}


@for_each("text", AROUND.values())
def test_a_grid_and_the_map_of_its_regions_are_a_jigsaw(text):
    parsed = read(text)
    regions = Geometry(3, 2).boxes()
    assert parsed.format == ("sadman" if "[" in text else "jigsaw-grid")
    assert (parsed.puzzle.geometry, parsed.unread) == (Geometry(1, 6), ())
    assert {*parsed.puzzle.rules} == {Region(cells) for cells in regions}
    assert dict(parsed.puzzle.givens()) == dict(read(in_one_line(GRID)).puzzle.givens())
    (item,) = items(text.encode())
    assert item.problem.puzzle == parsed.puzzle


@pytest.mark.trial
@for_each("text", AROUND.values())
def test_a_jigsaw_that_lost_a_sign_is_refused_or_the_same(text):
    puzzle = read(text).puzzle
    for at, sign in enumerate(text):
        for item in items((text[:at] + text[at + 1 :]).encode()):
            assert item.reason or item.problem.puzzle == puzzle, (at, sign)


def test_a_jigsaw_may_have_a_title_and_what_else_is_there_is_named():
    parsed = read(f"Jigsaw 17 by Ann\n{GRID}\n{LETTERS}Both diagonals too\n")
    assert parsed.title == "Jigsaw 17 by Ann"
    assert parsed.unread == ("line 15: 'Both diagonals too'",)


@for_each(
    ("text", "place", "found"),
    [
        (GRID.replace(".", " ") + LETTERS, "7:1", "a region map and 0 rows of 6 cells"),
        ((f"Grid\n{GRID}" + in_one_line(NUMBERS)) * 3, "8:1", "a region map and 18 rows"),
        (GRID.removeprefix("..2..4\n") + LETTERS, "6:1", "a region map and 5 rows of 6 cells"),
        (f"{GRID}..2\n{LETTERS}", "8:1", "a region map and 6 rows of 6 cells"),
        (GRID + LETTERS.replace("DDEEFF", "DDEEFE", 1), "10:6", "region 'E' of 7 cells"),
        (GRID + NUMBERS.replace("112233", "112234", 1), "7:6", "region '4' of 7 cells"),
        (GRID + LETTERS.replace("AABBCC", "AABBXC", 1), "7:5", "7 regions, region 'X' of 1 cell"),
        (beside(GRID, NUMBERS.replace("44", "45", 1), " "), "6:11", "region '5' of 7 cells"),
        (GRID + "AABBCC\nAABBCC\nDABBCC\nADEEFF\n" + "DDEEFF\n" * 2, "10:1", "region 'A' in 2"),
        (GRID.replace("6", "k", 1) + LETTERS, "2:4", "'k'"),
        (GRID.replace("6", "7", 1) + LETTERS, "2:4", "'7'"),
        (f"[Puzzle]\n+--+\n[Jigsaw]\n{LETTERS}", "2:1", "0 cells"),
        (f"[Puzzle]\n{GRID}[Jigsaw]\n{LETTERS[:-7]}", "13:6", "30 characters"),
        (f"[Puzzle]\n{GRID}[Jigsaw]\n{LETTERS[:-2]}E\n", "14:6", "region 'E' of 7 cells"),
        (f"[Jigsaw]\n{LETTERS}[Puzzle]\n{GRID}[Regions]\n{LETTERS}", "21:6", "72 characters"),
    ],
)
def test_a_map_that_leaves_its_puzzle_open_is_refused_by_what_is_wrong(text, place, found):
    (item,) = items(text.encode())
    assert item.reason.startswith(f"data:{place}: expected ")
    said = said_of(text)
    assert said.startswith(f"{place}: expected ")
    assert f"found {found}" in said


def test_two_grids_of_digits_that_may_be_a_damaged_jigsaw_are_read_where_that_is_declared():
    text = GRID + NUMBERS.replace("112233", "112234", 1)
    assert layout_of(text.encode(), complete=True) is None
    assert "--format stacked" in said_of(text)
    assert layout_of(text.encode(), True, Reading(format="stacked")) is not None


def test_a_declared_grid_has_no_region_map():
    said = said_of(GRID + NUMBERS, format="grid")
    assert said.startswith("7:1: expected a grid without a separate region map")
    said = said_of(GRID, format="jigsaw-grid")
    assert said.startswith("1:1: expected a grid, and a map of n connected regions of n cells")


def test_a_region_map_far_behind_in_a_collection_is_an_error_at_its_place():
    many = f"{ROWS}\n" * 100
    nine = "".join(f"{row}\n" * 3 for row in ("111222333", "444555666", "777888999"))
    titled = "".join(f"Grid {at}\n{ROWS}" for at in range(100)) + f"Grid\n{ROWS}{nine}"
    letters = nine.translate(str.maketrans("123456789", "ABCDEFGHI"))
    texts = [many + each + f"\n{many}" for each in (nine, letters, spaced(nine))]
    texts += [titled, many.removesuffix("\n") + in_one_line(nine)]
    for text, line in zip(texts, (1001, 1001, 1001, 1001, 991), strict=True):
        errors = [item for item in items(text.encode()) if item.reason]
        assert [item.line for item in errors] == [line]
        assert "expected a grid without a separate region map" in errors[0].reason


@for_each(
    "text",
    [
        NUMBERS,
        f"{ROWS}\n{grid(SOLVED)}",
        ROWS + grid(SOLVED),
        grid(SOLVED) * 3,
        grid("1212343421214343") * 2,
    ],
)
def test_grids_that_are_no_regions_are_read_as_grids(text):
    assert all(item.problem.puzzle.is_plain for item in items(text.encode()))


@for_each(
    "text",
    [
        "puzzle,regions\n{},{}\n",
        "id,puzzle,layout\n1,{},{}\n2,{},{}\n",
        "id;board;m\n1;{};{}\n2;{};{}\n",
        "{},{}\n{},{}\n",
        "{} {} 1.2\n{} {} 7.1\n",
        "{1},{0}\n{1},{0}\n",
    ],
)
def test_a_column_of_region_maps_belongs_to_the_puzzles(text):
    for regions in (LETTERS, NUMBERS):
        cells, signs = GRID.replace("\n", ""), regions.replace("\n", "")
        fields = [cells, signs] if "{1}" in text else [cells, signs] * 2
        found = [*items(text.format(*fields).encode())]
        assert {(item.reason, item.problem.unread) for item in found} == {(None, ())}
        assert {item.problem.puzzle for item in found} == {read(GRID + LETTERS).puzzle}


@for_each(
    ("text", "message"),
    [
        ("puzzle,cages\n{},{}\n", "2:38: expected no region map in column 'cages' (write"),
        (
            "puzzle,regions,m\n{0},{1},{1}\n",
            "2:75: expected only one region map, the one in column 'regions' (write",
        ),
    ],
)
def test_columns_that_leave_open_what_the_regions_are_are_refused(text, message):
    cells, signs = GRID.replace("\n", ""), LETTERS.replace("\n", "")
    (item,) = items(text.format(cells, signs).encode())
    assert item.reason.startswith(f"data:{message}")


def test_a_named_column_of_regions_is_refused_only_where_it_tells_regions():
    cells, signs = GRID.replace("\n", ""), LETTERS.replace("\n", "")
    values = ("", "classic", "." * 36, "6x6", signs[:-1] + "A")
    text = "puzzle,regions\n" + "".join(f"{cells},{value}\n" for value in values)
    assert [bool(item.reason) for item in items(text.encode())] == [False] * 4 + [True]
    damaged = NUMBERS.replace("\n", "")[:-1] + "1"
    assert all(item.reason for item in items(f"puzzle,regions\n{cells},{damaged}\n".encode()))


@for_each(
    ("text", "message"),
    [
        ("5" + FOUR[1:], "1:1: expected one of 1 to 4 or a blank, found '5'"),
        ("1-........3..4.." + REGIONS, "1:3: expected one symbol for all blanks, '-' as before"),
        (FOUR[:-1] + "E", "1:32: expected 4 regions, found 'E'"),
        (FOUR[:-1] + "A", "1:32: expected 4 regions of 4 cells, found 'A'"),
    ],
)
def test_a_jigsaw_that_is_none_is_refused(text, message):
    assert said_of(text).startswith(message)


def test_a_jigsaw_of_no_size_is_refused():
    expected = "n² cells and the region of each, for example 81 and 81 characters"
    said = said_of(JIGSAW[:-1], format="jigsaw")
    assert said == f"1:162: expected {expected}, found 161 characters"
    assert said_of(f"{FOUR}\n" * 3, format="jigsaw").startswith("3:1: expected a single puzzle")


def test_a_samurai_is_five_grids_that_share_boxes():
    parsed = read(SAMURAI)
    assert (parsed.format, parsed.variant) == ("samurai", "rules")
    puzzle = parsed.puzzle
    assert (puzzle.geometry.size, puzzle.geometry.extent, puzzle.rules) == (369, (21, 21), ())
    givens = dict(puzzle.givens())
    for line, (top, left) in zip(SAMURAI.split(), puzzle.geometry.grids, strict=True):
        for at, sign in enumerate(line):
            cell = puzzle.geometry.cell_at(top + at // 9 + 1, left + at % 9 + 1)
            assert givens.get(cell, 0) == (0 if sign == "." else int(sign))


def test_five_lines_that_do_not_agree_are_five_puzzles():
    lines = SAMURAI.split()
    other = samurai(lines[2], "4" + lines[2][1:])
    assert said_of(other).startswith("2:1: expected a single puzzle")


def test_a_shared_cell_that_is_given_twice_leaves_no_solution():
    lines = SAMURAI.split()
    found = read(samurai(lines[2], "4" + lines[2][1:]), format="samurai").puzzle
    place = SAMURAI_GEOMETRY.cell_at(7, 7)
    assert found.rules == (Among(place, (4,)),)
    assert found.cells == read(SAMURAI).puzzle.cells


def test_a_shared_cell_may_be_given_in_one_of_its_grids():
    lines = SAMURAI.split()
    assert lines[2][0] == "3"
    without = samurai(lines[2], "." + lines[2][1:])
    assert read(without, format="samurai").puzzle == read(SAMURAI).puzzle


def fives(*lines: str) -> str:
    return "".join(line.ljust(81, ".") + "\n" for line in lines)


EITHER = {
    "nothing is shared": fives("1", "2", "3", "4", "5"),
    "all is blank": fives(*[""] * 5),
    "a shared cell is given once": samurai(SAMURAI.split()[2], "." + SAMURAI.split()[2][1:]),
}


@pytest.mark.parametrize("text", EITHER.values(), ids=EITHER)
def test_five_lines_that_may_be_a_samurai_or_five_puzzles_are_asked_for(text):
    assert layout_of(text.encode(), complete=True) is None
    expected = "--format samurai for one puzzle, or --format lines for five"
    found = "5 lines of 81 cells that may be one puzzle or five"
    assert said_of(f"# five\n{text}") == f"expected {expected}, found {found}"
    assert read(text, format="samurai").format == "samurai"
    assert layout_of(text.encode(), True, Reading(format="lines")) is not None


FIVE = {
    "a shared cell has two values": fives("." * 80 + "1", "", "." * 20 + "2", "", ""),
    "a unit has a value twice": fives("." * 80 + "1", "", "1", "", ""),
    "there are two kinds of blanks": fives("1", "2", "0", "4", "5"),
    "there are six": fives("1", "2", "3", "4", "5", "6"),
}


@for_each("text", FIVE.values())
def test_lines_that_cannot_be_a_samurai_are_many_puzzles(text):
    found = layout_of(text.encode(), complete=True)
    assert found is not None
    assert found.format.name == "lines"


def picture(text: str, outside: str, between: str = "") -> str:
    """The picture of a samurai, with this sign where no cell is."""
    geometry, givens = (puzzle := read(text).puzzle).geometry, dict(puzzle.givens())
    places = [[geometry.cell_at(row + 1, at + 1) for at in range(21)] for row in range(21)]
    signs = [
        [outside if cell is None else str(givens.get(cell, ".")) for cell in row] for row in places
    ]
    return "".join(between.join(row).rstrip() + "\n" for row in signs)


@for_each(("outside", "between"), [(" ", ""), ("-", ""), (".", ""), ("-", " "), (" ", " ")])
def test_a_samurai_may_be_a_picture_of_its_21_rows(outside, between):
    text = picture(SAMURAI, outside, between)
    assert read(text).format == "samurai"
    assert read(text).puzzle == read(SAMURAI).puzzle
    assert read(text.replace(".", "-")).puzzle == read(SAMURAI).puzzle
    wrong = text.replace("2", "a", 1)
    assert said_of(wrong) == "1:1: expected one of 1 to 9 or a blank, found 'a'"


@for_each(
    ("text", "message"),
    [
        (SAMURAI[:-9], "5:74: expected 81 cells, found 73 cells"),
        (SAMURAI[: 4 * 82], "4:82: expected 5 lines of 81 cells, found 4 lines"),
        (SAMURAI + SAMURAI[:82], "6:1: expected 5 lines of 81 cells, found 6 lines"),
        ("a" + SAMURAI[1:], "1:1: expected one of 1 to 9 or a blank, found 'a'"),
        (
            SAMURAI.replace(".", "0", 1).replace("2", "1", 1),
            "1:3: expected one symbol for all blanks, '0' as before",
        ),
    ],
)
def test_a_samurai_that_is_none_is_refused(text, message):
    assert said_of(text, format="samurai").startswith(message)


def test_blocks_of_an_id_are_told_by_their_borders():
    puzzle = read(ID).puzzle
    assert puzzle.geometry == Geometry(1, 4)
    assert dict(puzzle.givens()) == {0: 1, 11: 2, 13: 3}
    regions = ((0, 1, 2, 4), (3, 6, 7, 11), (5, 8, 9, 10), (12, 13, 14, 15))
    assert puzzle.rules == tuple(map(Region, regions))


def test_an_id_has_diagonals_and_cages_and_what_it_skips():
    puzzle = read(SOLO.replace("2x3k", "2x3xkmd4du")).puzzle
    assert puzzle.geometry == Geometry(2, 3)
    assert puzzle.rules[:2] == (Diagonal(rising=False), Diagonal(rising=True))
    assert puzzle.rules[2:] == read(SOLO).puzzle.rules
    cages = [rule for rule in puzzle.rules if isinstance(rule, Cage)]
    assert sorted(cell for cage in cages for cell in cage.cells) == list(range(36))
    assert sum(cage.total for cage in cages) == 6 * 21


@for_each("params", ["2x3dk", "2x3m4dk", "2x3uk", "2x3dak"])
def test_a_difficulty_takes_no_letter_that_means_a_rule(params):
    assert read(SOLO.replace("2x3k", params)).puzzle == read(SOLO).puzzle


def test_an_id_without_rules_is_a_plain_puzzle():
    parsed = read("2x3:1_2_3_4_5_6zd\n")
    assert (parsed.puzzle.geometry, parsed.variant) == (Geometry(2, 3), "classic")
    assert [value for _, value in parsed.puzzle.givens()] == [1, 2, 3, 4, 5, 6]


@for_each(
    ("text", "message"),
    [
        ("6x6:a", "1:1: expected sizes such as '3x3:' or '9j:', of side 2 to 31"),
        ("2x2:o", "1:6: expected 16 cells, found 15 cells"),
        ("2x2:o_5", "1:7: expected a number from 1 to 4, a letter for blanks or '_'"),
        ("2x2:²o", "1:5: expected a number from 1 to 4, a letter for blanks or '_'"),
        ("2x2:٣o", "1:5: expected a number from 1 to 4, a letter for blanks or '_'"),
        ("2x2:z", "1:5: expected at most 16 cells, found 'z'"),
        ("2x2:p,a", "1:8: expected 1 field, found 2 fields"),
        ("4j:p,b__cd__a___b", "1:18: expected 24 pairs of cells and a border, found 24 pairs"),
        ("4j:p,b__cd__a___b_a", "1:19: expected the end after 24 pairs of cells and a border"),
        ("4j:p,_" + "_" * 24, "1:31: expected 4 regions, found 16 regions"),
        ("2x2k:p,x,1_2n", "1:14: expected one sum for each cage, found several sums in one cage"),
    ],
)
def test_an_id_that_is_none_is_refused(text, message):
    assert said_of(text, format="solo").startswith(message)
