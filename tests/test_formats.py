"""The formats that single programs write: how each is told, read and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.errors import InvalidPuzzle, UsageError
from pipeline.parse import FORMATS, Parsed, format_named, parse_puzzle, parse_source, render_puzzle
from pipeline.parse.hodoku import givens_of
from pipeline.puzzle import Geometry, Puzzle

EXAMPLES = Path(__file__).parents[1] / "examples"
FOUR, NINE = Geometry(2, 2), Geometry(3, 3)
LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
CLASSIC = parse_puzzle(LINE)
ROWS = "".join(LINE[start : start + 9] + "\n" for start in range(0, 81, 9))
FRAMED = """\
*-----------*
|53.|.7.|...|
|6..|195|...|
|.98|...|.6.|
|---+---+---|
|8..|.6.|..3|
|4..|8.3|..1|
|7..|.2.|..6|
|---+---+---|
|.6.|...|28.|
|...|419|..5|
|...|.8.|.79|
*-----------*
"""
BORDERED = """\
puzzle size: 2x2
+-----+-----+
| 1 _ | _ _ |
| _ _ | 3 _ |
+-----+-----+
| _ 4 | _ _ |
| _ _ | _ 2 |
+-----+-----+
"""
XML = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<opensudoku>
  <name>Sudoku</name>
  <game data="{LINE.replace(".", "0")}" />
</opensudoku>
"""
SMALL = Puzzle.of_values(FOUR, [1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2])


def read(text: str | bytes, *reading, **options) -> Parsed:
    raw = text.encode() if isinstance(text, str) else text
    return parse_source(raw, "a.txt", *reading, **options)


def refusal(text: str, **options) -> InvalidPuzzle:
    with pytest.raises(InvalidPuzzle) as caught:
        read(text, **options)
    return caught.value


@pytest.mark.parametrize(
    ("name", "format_name", "box", "givens", "reason"),
    [
        ("sadman.sdk", "sadman", (3, 3), 26, "line 3 is the heading of a section"),
        (
            "simple-sudoku.ss",
            "simple-sudoku",
            (3, 3),
            27,
            "9 rows in the frame that Simple Sudoku draws",
        ),
        ("bordered.txt", "bordered", (2, 5), 40, "it begins with 'experiment:'"),
        ("opensudoku.opensudoku", "opensudoku", (3, 3), 23, "it begins with '<'"),
        ("hodoku.txt", "hodoku", (3, 3), 24, "it begins with a colon"),
        ("spreadsheet.csv", "spreadsheet", (3, 3), 28, "9 lines of 9 fields"),
        ("list.json", "json", (3, 3), 29, "it begins as a list in JSON"),
        ("spaces.txt", "spaces", (3, 3), 30, "9 rows in which a space is a blank"),
        ("hexadecimal.txt", "characters 0-F", (4, 4), 110, "16 rows of 16 characters"),
    ],
)
def test_an_example_is_read_as_what_it_is(name, format_name, box, givens, reason):
    parsed = read((EXAMPLES / name).read_bytes())
    puzzle = parsed.puzzle
    assert (parsed.format, parsed.variant, parsed.reason) == (format_name, "classic", reason)
    assert puzzle.geometry == Geometry(*box)
    assert len(list(puzzle.givens())) == givens


@pytest.mark.parametrize(
    ("format_name", "puzzle", "text"),
    [
        ("sadman", SMALL, "[Puzzle]\n1...\n..3.\n.4..\n...2\n"),
        ("simple-sudoku", CLASSIC, FRAMED),
        ("bordered", SMALL, BORDERED),
        ("opensudoku", CLASSIC, XML),
        ("hodoku", CLASSIC, f":0000:x:{LINE}:::\n"),
    ],
)
def test_a_puzzle_is_written_as_its_program_writes_it(format_name, puzzle, text):
    assert render_puzzle(puzzle, format_name) == text
    assert read(text).puzzle == puzzle
    assert read(text).format == format_name


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_name_is_one_word_that_can_be_declared(known):
    assert format_named(known.name) is known
    assert known.name.split() == [known.name]


def test_a_format_that_there_is_not_is_a_usage_error_that_names_those_there_are():
    with pytest.raises(UsageError, match=r"^--format: expected one of auto, opensudoku, .*, grid$"):
        read(ROWS, format_name="crossword")


def test_a_declared_format_overrides_what_the_content_says():
    assert read(FRAMED, format_name="grid") == Parsed(
        CLASSIC, "grid", "--format says so", "classic"
    )
    assert str(refusal(ROWS, format_name="line")).startswith("a.txt:2:1: expected a single puzzle")
    expected = "expected a line of HoDoKu's library, ':0000:x:' and 81 cells, found '53..7....'"
    assert str(refusal(LINE[:9], format_name="hodoku")) == f"a.txt:1:1: {expected}"


@pytest.mark.parametrize(
    "text",
    [
        f"[Puzzle]\n{ROWS}",
        f"#ARuud\n#D[State]\n[Puzzle]\n{ROWS}",
        f"[puzzle]\r\n{ROWS}[State]\n{ROWS.replace('.', '1')}[PencilMarks]\n12,34,\n",
        f"[State]\n{ROWS.replace('.', '1')}\n[ Puzzle ]\n{ROWS.replace('.', '0')}",
        f"#AWho\n{ROWS}\n[State]\n{ROWS.replace('.', '1')}",
    ],
    ids=["heading", "header lines", "sections behind", "sections before", "no heading"],
)
def test_only_the_section_puzzle_of_an_sdk_file_is_the_puzzle(text):
    parsed = read(text)
    assert (parsed.puzzle, parsed.format) == (CLASSIC, "sadman")


def test_an_sdk_file_without_sections_is_a_grid():
    parsed = read(f"#ARuud\n#DA random puzzle\n#LEasy\n{ROWS}")
    assert (parsed.puzzle, parsed.format) == (CLASSIC, "grid")


@pytest.mark.parametrize(
    ("text", "message", "truncated"),
    [
        ("[Puzzle]\n", "1:1: expected the rows of the puzzle under [Puzzle], found none", True),
        (
            "[Puzzle]\n[State]\n",
            "1:1: expected the rows of the puzzle under [Puzzle], found none",
            False,
        ),
        ("[State]\n12\n", "2:3: expected a section [Puzzle], found none", True),
        (
            "#A\n [Puz",
            "2:2: expected the heading of a section, such as [Puzzle], found '[Puz'",
            True,
        ),
        (f"[Puzzle]\n{ROWS[:20]}", "3:10: expected 9 rows, found 2 rows", True),
        (f"[Puzzle]\n{ROWS[:20]}[State]\n", "3:10: expected 9 rows, found 2 rows", False),
        (
            f"[Puzzle]\n{ROWS}[Puzzle]\n",
            "11:1: expected a single puzzle, found a second [Puzzle]",
            False,
        ),
        (
            f"Easy\n[Puzzle]\n{ROWS}",
            "1:1: expected nothing but comments before the section [Puzzle], found 'Easy'",
            False,
        ),
        ("[Puzzle]\n....\n.a..\n", "3:2: expected a digit or a blank, found 'a'", False),
    ],
)
def test_an_sdk_file_that_is_none_is_refused(text, message, truncated):
    error = refusal(text)
    assert (str(error), error.truncated) == (f"a.txt:{message}", truncated)


@pytest.mark.parametrize(
    "text",
    [
        FRAMED.replace("*-----------*", "+-----------+"),
        FRAMED.replace("|---+---+---|", "----+---+----"),
        FRAMED.replace("|.98|...|.6.|", "|.98|....6.|"),
        FRAMED.replace("|.98|...|.6.|", "| .98|...|.6. |"),
        FRAMED.removesuffix("*-----------*\n"),
    ],
)
def test_nine_rows_in_another_frame_than_simple_sudokus_are_a_grid(text):
    parsed = read(text)
    assert (parsed.puzzle, parsed.format) == (CLASSIC, "grid")


def test_a_frame_that_is_cut_off_anywhere_says_so():
    last_cell = FRAMED.rindex("9")
    for length in range(len(FRAMED.rstrip())):
        if not last_cell < length <= last_cell + 3:  # all but the last border
            assert refusal(FRAMED[:length]).truncated, FRAMED[:length]


def test_simple_sudoku_has_nine_rows():
    error = refusal("1...\n..3.\n.4..\n...2\n", format_name="simple-sudoku")
    assert str(error) == "a.txt:1:1: expected 9 rows of 9 cells, found 4 rows"


def test_placed_digits_of_a_library_line_are_blanks():
    placed = LINE.replace(".", "+1", 3)
    for line in (placed, placed.replace(".", "0")):
        parsed = read(f":0702:9:{line}:711 918:811::\n")
        assert (parsed.puzzle, parsed.format) == (CLASSIC, "hodoku")
    assert read(f":0000:x:{LINE.replace('.', '+1')}").puzzle == CLASSIC


def test_one_library_line_gives_its_cells_where_they_stand():
    assert givens_of(":0000:x:1+2.:31 2::") == "        1 .."
    assert givens_of(" :0702:9:1+20:31 2::") == "         1 00"
    assert givens_of(LINE) is None
    assert givens_of("") is None


@pytest.mark.parametrize(
    ("text", "message", "truncated"),
    [
        (":", "1:1: expected a line of HoDoKu's library, ':0000:x:' and 81 cells, found ':'", True),
        (":0000:x:", "1:9: expected 81 cells, found 0 cells", True),
        (f":0000:x:{LINE[:80]}", "1:89: expected 81 cells, found 80 cells", True),
        (f":0000:x:{LINE[:80]}:::", "1:89: expected 81 cells, found 80 cells", False),
        (f":0000:x:{LINE}.", "1:91: expected 81 cells, found 82 cells", False),
        (":0000:x:+a..:::", "1:9: expected a digit or a blank, found '+'", False),
        (":0000:x:+1a.:::", "1:11: expected a digit or a blank, found 'a'", False),
        (f":0000:x:{LINE}:::\n" * 2, "2:1: expected a single puzzle, found 2 lines", False),
    ],
)
def test_a_library_line_that_is_none_is_refused(text, message, truncated):
    error = refusal(text)
    assert (str(error), error.truncated) == (f"a.txt:{message}", truncated)
