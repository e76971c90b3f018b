"""The formats that single programs write, and what holds for all formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.cases import for_each
from support.commands import run
from support.parsers import CLASSIC, LINE, ROWS, grid, read, refusal, said_of
from support.puzzles import EVEN_ODD

from pipeline.errors import UsageError
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import (
    FORMATS,
    Layout,
    Parsed,
    is_formula,
    parse_puzzle,
    parse_source,
    read_text,
    render_puzzle,
)
from pipeline.reading.formats.detect import HEAD_BYTES
from pipeline.reading.formats.programs import givens_of
from pipeline.settings import Reading, Settings

EXAMPLES = Path(__file__).parents[3] / "examples"
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
SMALL = parse_puzzle("1.....3..4.....2")
STATE = f"[State]\n{ROWS.replace('.', '1')}"


@for_each(
    ("name", "format_name", "box", "givens", "reason"),
    [
        ("sadman.sdk", "sadman", (3, 3), 26, "line 3 is the heading of a section"),
        ("simple-sudoku.ss", "grid", (3, 3), 27, "9 rows of 9 cells"),
        ("bordered.txt", "bordered", (2, 5), 40, "it begins with 'experiment:'"),
        ("opensudoku.opensudoku", "opensudoku", (3, 3), 23, "it begins with '<'"),
        ("hodoku.txt", "hodoku", (3, 3), 24, "it begins with a colon"),
        ("spreadsheet.csv", "spreadsheet", (3, 3), 28, "9 lines of 9 fields"),
        ("list.json", "json", (3, 3), 29, "it begins as a list in JSON"),
        ("pencil-marks.txt", "pencil-marks", (3, 3), 0, "9 characters for each of 81 cells"),
        ("spaces.txt", "spaces", (3, 3), 30, "9 rows in which a space is a blank"),
        ("hexadecimal.txt", "characters 0-F", (4, 4), 110, "16 rows of 16 characters"),
    ],
)
def test_an_example_is_read_as_what_it_is(name, format_name, box, givens, reason):
    parsed = read((EXAMPLES / name).read_bytes())
    assert (parsed.format, parsed.variant) == (format_name, "classic")
    assert parsed.reason.startswith(reason)
    assert parsed.puzzle.geometry == Geometry(*box)
    assert len(list(parsed.puzzle.givens())) == givens


@for_each(
    ("format_name", "puzzle", "text"),
    [
        ("sadman", SMALL, "[Puzzle]\n1...\n..3.\n.4..\n...2\n"),
        ("grid", CLASSIC, FRAMED),
        ("bordered", SMALL, BORDERED),
        ("opensudoku", CLASSIC, XML),
        ("hodoku", CLASSIC, f":0000:x:{LINE}:::\n"),
    ],
)
def test_a_puzzle_is_read_as_its_program_writes_it(format_name, puzzle, text):
    assert (read(text).puzzle, read(text).format) == (puzzle, format_name)
    if format_name in ("bordered", "sadman", "hodoku"):
        assert render_puzzle(puzzle, format_name) == text
    if text == FRAMED:
        assert puzzle.to("ss") == text


def test_every_name_is_one_word_that_can_be_declared():
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    assert all(known.name.split() == [known.name] for known in FORMATS)
    with pytest.raises(KeyError):
        render_puzzle(CLASSIC, "crossword")
    with pytest.raises(UsageError, match=r"^--format: expected one of auto, opensudoku, .*, grid$"):
        read(ROWS, format="crossword")


def test_a_declared_format_overrides_what_the_content_says():
    declared = Parsed(CLASSIC, "grid", "--format says so", "classic")
    assert read(FRAMED, format="grid") == declared
    assert said_of(ROWS, format="line").startswith("2:1: expected a single puzzle")
    expected = "a line of HoDoKu's library, ':0000:x:' and 81 cells"
    assert said_of(LINE[:9], format="hodoku") == f"1:1: expected {expected}, found '53..7....'"


def test_what_the_settings_say_of_reading_is_what_is_read_by():
    assert Settings().reading.at_most(1) == Reading() == Settings(timeout=1.0).reading
    settings = Settings(variant="classic", max_bytes=300, format="characters", alphabet="A-P")
    row = ("C" + "." * 15 + "\n").encode()
    parsed = parse_source(row * 16, "a.txt", settings.reading)
    assert (parsed.format, parsed.reason) == ("characters A-P", "--format says so")
    text = (row * 16).decode()
    assert parse_puzzle(text, alphabet="A-P").cells[0] == 1 << 2
    assert parse_puzzle(text, "auto", "characters", "1-G").cells[0] == 1 << 11


def test_the_commands_take_a_format_and_an_alphabet(puzzle_folder):
    (puzzle_folder / "sixteen.txt").write_text(("." * 16 + "\n") * 15 + "A" + "." * 15)
    code, _, said = run("solve", "--max-solutions", "1", "sixteen.txt")
    assert code == 1
    assert "--alphabet 0-F, 1-G or A-P" in said
    code, printed, _ = run("solve", "--alphabet", "1-G", "--max-solutions", "1", "sixteen.txt")
    assert (code, {*printed.splitlines()[1]}) == (0, {*"123456789ABCDEFG"})
    assert run("solve", "--format", "hodoku", "unique.txt")[0] == 1
    assert run("solve", "--format", "crossword", "unique.txt")[0] == 2
    assert run("solve", "--alphabet", "A-Z", "unique.txt")[0] == 2


LARGE = b"c\n16 16\n" + b" " * HEAD_BYTES + b"0 " * 65_536


@for_each(
    ("data", "format_name", "found"),
    [
        (LINE.encode(), "auto", "line"),
        (f"puzzle\n{LINE}\n".encode(), "auto", "line"),
        (LARGE, "auto", None),
        (f"{LINE}\n{LINE}\n".encode(), "auto", "many lines"),
        (f"{LINE}\n".encode() * 20_000, "auto", "many lines"),
        (f"{LINE}\n{LINE}\n".encode(), "line", None),
        (b"p cnf 1 1\n1 0\n", "auto", "a formula"),
        (b"1 0\n", "cnf", "a formula"),
        (b"1 0\n", "auto", None),
    ],
)
def test_what_a_source_is_is_told_by_its_beginning(data, format_name, found):
    head, complete = data[:HEAD_BYTES], len(data) <= HEAD_BYTES
    reading = Reading(format=format_name)
    if is_formula(head, reading):
        assert found == "a formula"
        return
    match read_text(head, complete, "a.txt", reading):
        case Parsed(format=name):
            assert name == found
        case Layout() as many:
            assert f"many {many.format.name}" == found
        case _:
            assert found is None


@for_each(
    "text",
    [
        f"[Puzzle]\n{ROWS}",
        f"#ARuud\n#D[State]\n[Puzzle]\n{ROWS}",
        f"[puzzle]\r\n{ROWS}{STATE}[PencilMarks]\n12,34,\n",
        f"{STATE}\n[ Puzzle ]\n{ROWS.replace('.', '0')}",
        f"#AWho\n{ROWS}\n{STATE}",
        f"[Puzzle]\n{ROWS}[Jigsaw]\n[Colours]\n1\n[Comment]\nEasy.\n",
    ],
)
def test_only_the_section_puzzle_of_an_sdk_file_is_the_puzzle(text):
    assert (read(text).puzzle, read(text).format) == (CLASSIC, "sadman")


def test_an_sdk_file_without_sections_is_a_grid():
    parsed = read(f"#ARuud\n#DA random puzzle\n#LEasy\n{ROWS}")
    assert (parsed.puzzle, parsed.format) == (CLASSIC, "grid")


NONE = "1:1: expected the rows of the puzzle under [Puzzle], found none"
HEADING = "the heading of a section, such as [Puzzle]"
BEFORE = "only comments before the section [Puzzle]"
SECTION = "[Puzzle], [Jigsaw], or a section that can be skipped, such as [State]"
PLACED = re.sub("([1-9])", r"+\1", LINE)
LIBRARY = "a line of HoDoKu's library, ':0000:x:' and 81 cells"
CELL = "a digit or a blank"


@for_each(
    ("text", "message"),
    [
        ("[Puzzle]\n", NONE),
        ("[Puzzle]\n[State]\n", NONE),
        ("[State]\n12\n", "2:3: expected a section [Puzzle], found none"),
        ("#A\n [Puz", f"2:2: expected {HEADING}, found '[Puz'"),
        (f"[Puzzle]\n{ROWS[:20]}", "3:10: expected 9 rows, found 2 rows"),
        (f"[Puzzle]\n{ROWS[:20]}[State]\n", "3:10: expected 9 rows, found 2 rows"),
        (f"[Puzzle]\n{ROWS}[Puzzle]\n", "11:1: expected a single puzzle, found a second"),
        (f"Easy\n[Puzzle]\n{ROWS}", f"1:1: expected {BEFORE}, found 'Easy'"),
        ("[Puzzle]\n....\n.a..\n", f"3:2: expected {CELL}, found 'a'"),
        (f"{ROWS}[State]\n{ROWS}[Cages]\n1 2 3\n", f"20:1: expected {SECTION}, found"),
        (f"[Thermo]\n1\n[Puzzle]\n{ROWS}", f"1:1: expected {SECTION}, found"),
        (":", f"1:1: expected {LIBRARY}, found ':'"),
        (":0000:x:", "1:9: expected 81 cells, found 0 cells"),
        (f":0000:x:{LINE[:80]}", "1:89: expected 81 cells, found 80 cells"),
        (f":0000:x:{LINE[:80]}:::", "1:89: expected 81 cells, found 80 cells"),
        (f":0000:x:{LINE}.", "1:91: expected 81 cells, found 82 cells"),
        (":0000:x:+a..:::", f"1:9: expected {CELL}, found '+'"),
        (":0000:x:+1a.:::", f"1:11: expected {CELL}, found 'a'"),
        (f":0000:x:{PLACED}:::", "1:9: expected a given digit (those after '+'"),
        (f":0000:x:{LINE}:::\n" * 2, "2:1: expected a single puzzle, found 2 lines"),
    ],
)
def test_an_sdk_file_or_a_library_line_that_is_none_is_refused(text, message):
    assert said_of(text).startswith(message)


@for_each(
    ("old", "new"),
    [
        ("*-----------*", "+-----------+"),
        ("|---+---+---|", "----+---+----"),
        ("|.98|...|.6.|", "|.98|....6.|"),
        ("|.98|...|.6.|", "| .98|...|.6. |"),
        ("|.79|\n*-----------*\n", "|.79|\n"),
    ],
)
def test_nine_rows_in_another_frame_than_simple_sudokus_are_a_grid(old, new):
    parsed = read(FRAMED.replace(old, new))
    assert (parsed.puzzle, parsed.format) == (CLASSIC, "grid")


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


HEXADECIMAL = "".join(f"{(4 * (at // 16 % 4) + at // 64 + at) % 16:X}" for at in range(256))
WHOLE = {
    "a grid": "1...\n..3.\n.4..\n...2\n",
    "even-odd": EVEN_ODD,
    "a line of 81": EVEN_ODD.replace("\n", ""),
    "boxes": "c easy\n2 3\n" + "0 0 0 0 0 6\n" * 6,
    "a frame": FRAMED[: FRAMED.rindex("9") + 1],
    "bordered": "task: 1\n" + BORDERED.replace("_", "__"),
    "XML": XML.replace("Sudoku<", "Grüße<"),
    "characters": grid(HEXADECIMAL),
    "characters in a line": HEXADECIMAL,
    "small letters": grid(HEXADECIMAL.lower()),
}


@for_each("whole", WHOLE.values())
def test_a_file_that_is_cut_off_anywhere_says_so(whole):
    assert read(whole)
    end = len(whole.rstrip())
    for length in (*range(0, end, 1 + end // 60), end - 1):
        assert refusal(whole[:length]).truncated, whole[:length]


@for_each(
    ("text", "may_be_cut_off"),
    [
        (ROWS.replace("7", "a"), False),
        (ROWS.replace("1", ""), False),
        (ROWS.replace("9\n", "a\n"), True),
        (f"{ROWS}# the end\n"[10:], True),
        ("[Puzzle]\n", True),
        ("[Puzzle]\n[State]\n", False),
        (f"[Puzzle]\n{ROWS[:20]}[State]\n", False),
        ("." * 80, True),
        (XML[:90], True),
        (XML.replace("XML", "xml").replace("<name>", ""), False),
    ],
)
def test_what_is_wrong_in_the_last_line_or_in_none_may_be_cut_off(text, may_be_cut_off):
    assert refusal(text).truncated is may_be_cut_off


def test_a_line_of_cells_with_placed_digits_is_read():
    line = LINE.replace("7", "+7", 1).replace("8", "+8", 1)
    blank = read(line).puzzle
    assert blank == parse_puzzle(LINE.replace("7", ".", 1).replace("8", ".", 1))
    assert read(line.replace(".", "0")).puzzle == blank
    assert "+" in said_of(line.replace("+7", "++7"))
    said_of(line + "5")
    said_of(f"{line}+")
