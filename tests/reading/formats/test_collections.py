"""Collections are told from single puzzles, and read row by row, the bad ones too."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from support.cases import for_each
from support.parsers import LINE as A
from support.parsers import SOLVED, grid, layout_of

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats import (
    Entry,
    Layout,
    TextChunk,
    parse_puzzle,
    parse_source,
)
from pipeline.reading.formats.records import MAX_RECORD_BYTES
from pipeline.settings import Reading

EXAMPLES = {
    path.name: path.read_bytes()
    for path in sorted((Path(__file__).parents[3] / "examples").iterdir())
    if path.stem != "collection" and path.suffix != ".cnf"
}
B = ".................1.....2.3......45....1.6.....4......7....8.4....9...2..3.61...9."
C = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
D = C.replace("0", ".")
"""C as entries have it: their blanks are dots."""
FOUR, FIVE = "1.......4......3", "...4....2....1.."
SIXTEEN = "8.D...A..649....\n" + ".0..9..7..8F.51.\n" * 15

LENGTHS = "a line of 16, 36, 64 or 81 cells"
ONE_BLANK = "one symbol for all blanks, '0' as before"
READING = Reading()


def detected(data: str | bytes, declared: str = "auto") -> Layout:
    found = layout_of(_bytes(data), True, Reading(format=declared), "a.txt")
    assert found is not None
    return found


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data


def read(data: str | bytes, declared: str = "auto", reading: Reading = READING) -> list[Entry]:
    found = detected(data, declared)
    return [
        entry
        for chunk in found.chunks(io.BytesIO(_bytes(data)), 200)
        for entry in found.entries(chunk, reading)
    ]


def plain(line: int, text: str, claimed: str | None = None) -> Entry:
    return Entry(line, text, None, None, claimed, plain=True)


@for_each("data", EXAMPLES.values())
def test_no_example_of_a_single_puzzle_is_a_collection(data):
    assert layout_of(data, complete=True) is None


@pytest.mark.trial
@for_each("name", sorted(EXAMPLES.keys() - {"samurai.txt"}))  # it has puzzles for lines
def test_no_example_is_a_collection_with_a_line_too_few_or_too_many_either(name):
    data = EXAMPLES[name]
    lines = data.splitlines(keepends=True)
    for at in range(len(lines)):
        assert layout_of(b"".join(lines[:at] + lines[at + 1 :]), complete=True) is None
        twice = b"".join([*lines[:at], lines[at], *lines[at:]])
        if len(lines) > 1 and b"<game" not in lines[at] and b"://" not in lines[at]:
            assert layout_of(twice, complete=True) is None


@for_each(
    "text",
    [
        "",
        "\n\n# nothing\n",
        "\ufeff",
        "no puzzle\n" * 30,
        A,
        f"# one\n{A}\n\n",
        f"{A} 1.2 name\n",
        f"puzzle,solution\n{A},{SOLVED}\n",
        f"Grid 01\n{grid(A)}",
        f":0000:x:{A}:::\n",
        f'<opensudoku><game data="{C}"/></opensudoku>',
        grid(A) + "123456789\n",
        grid(A) + "\nThe end of it.\n",
        grid(A).replace("\n", "\n\n"),
        grid("*..." * 4),
        "3 3\n" + grid(A.replace(".", "0")),
        "3 3\n" + grid(A.replace(".", "0"))[:-20],
        "2 2\n" + "0 0 0 0\n" * 4,
        "4 4\n" + "0 0 1 0 2 0 0 3 0 0 4 0 0 0 0 1\n" * 16,
        SIXTEEN,
        SIXTEEN.replace("D", "!"),
        (".C..F..IJ.L..O....X......\n") * 25,
        f"#AMe\n[Puzzle]\n{grid(A)}[State]\n{grid(SOLVED)}",
        f"#AMe\n[Puzzle]\n{grid(A)}x\n[State]\n{grid(SOLVED)}",
        "*-----------*\n" + grid(A) + "*-----------*\n",
        "experiment: 3x3\npuzzle size: 3x3\n" + grid(A),
    ],
)
def test_what_may_be_a_single_puzzle_and_what_is_none_is_no_collection(text):
    assert layout_of(text.encode(), complete=True) is None


@for_each(
    ("text", "name", "reason"),
    [
        (f"{A}\n{B}\n", "lines", "one whole puzzle per line"),
        (f"{A} 1\n{B} 2\n", "lines", "one whole puzzle per line"),
        (f"0a1b {A} 1\n09ff {B} 2\n", "lines", "one whole puzzle in field 2 of each line"),
        ("1... ...4 ..3. ....\n" * 2, "lines", "one whole puzzle per line"),
        (f"{A}\nsome words\n", None, ""),
        (f"{A}\n{B[:80]}\n", "lines", "one whole puzzle per line"),
        (f"{A}\n{'a few words and '}\n{'more'}\n", None, ""),
        (f"a,Puzzle,b\n1,{A},\n2,{B},\n", "csv", "its header names the column 'puzzle'"),
        (f"id,sudoku\n1,{A}\n2,{B}\n", "csv", "it has a header, and field 2 is a puzzle"),
        (f"9,,a b,,{A},1\n8,x,,,{B}\n", "csv", "field 5 of its records is a puzzle"),
        (f"Grid 01\n{grid(A)}Grid 02\n{grid(B)}", "stacked", "grids of 9 rows, under titles"),
        (f"{grid(A)}\n{grid(B)}", "stacked", "grids of 9 rows, separated by empty lines"),
        (grid(A) + grid(B), "stacked", "grids of 9 rows, one below the other"),
        (
            f'<opensudoku>\n<game data="{C}"/><game data="{C}"/></opensudoku>',
            "opensudoku",
            "<opensudoku> with 2 games or more",
        ),
        (f":0:x:{A}:::\n:0:x:{B}:::\n", "hodoku", "its lines form a HoDoKu library"),
    ],
)
def test_the_format_and_the_reason_are_told(text, name, reason):
    found = layout_of(text.encode(), complete=True)
    assert (found.format.name if found else None) == name
    assert (found.reason if found else "") == reason


def test_sixteen_lines_of_sixteen_cells_are_not_decided():
    lines = f"{FOUR}\n{FIVE}\n" * 8
    assert layout_of(lines.encode(), complete=True) is None
    assert len(read(lines, "lines")) == 16
    assert layout_of(f"puzzle\n{lines}".encode(), complete=True) is None
    assert len(read(f"{lines}{FOUR}\n")) == 17
    assert len(read(lines.replace("4", "*"))) == 16, "even/odd cells are of 4×4 puzzles"


def test_rows_of_sixteen_with_larger_values_are_grids_and_without_are_puzzles():
    assert [len(entry.text) for entry in read(SIXTEEN + "\n" + SIXTEEN)] == [256, 256]
    assert [len(entry.text) for entry in read(f"{FOUR}\n" * 33)] == [16] * 33
    with_one_bad = read(f"{FOUR}\n" * 31 + FOUR.replace("4", "5"))
    assert [entry.error for entry in with_one_bad if entry.error] == [
        "a.txt:32:9: expected a value from 1 to 4 or a blank, found '5'"
    ]


def test_a_declared_format_is_not_asked_for_by_content():
    assert read(A, "lines") == [plain(1, A)]
    assert read(f"{A},1\n", "csv") == [plain(1, A)]
    assert read(grid(A), "stacked") == [plain(1, A)]
    assert layout_of(f"{A}\n{B}\n".encode(), True, Reading(format="grid")) is None
    assert layout_of(f":0:x:{A}:::\n".encode(), True, Reading(format="hodoku")) is None
    assert detected(f"{A}\n{B}\n", "auto").format.name == "lines"


def test_lines_may_be_of_any_side_and_have_comments_and_more_fields():
    entries = read(f"# tdoku\n{A}\n+---+\n{FOUR}; easy\n  {B}\t3 | x\n// end\n{C}{SOLVED}\n")
    assert entries[0] == plain(2, A)
    assert entries[1].puzzle == parse_puzzle(FOUR)
    assert entries[1][:2] == (4, FOUR)
    assert entries[2:] == [plain(5, B), plain(7, D, SOLVED)]


@for_each("sign", "_-x?*")
def test_one_kind_of_blank_is_as_good_as_another(sign):
    assert read(f"{A.replace('.', sign)}\n{B}\n") == [plain(1, A), plain(2, B)]


def test_stars_and_dots_in_a_line_mark_even_and_odd_cells():
    marked = "*..1" * 4
    entries = read(f"{marked}\n{FOUR}\n{A}\n")
    assert entries[0].puzzle == parse_puzzle(marked)
    assert entries[0].text == marked
    assert entries[1].puzzle == parse_puzzle(FOUR)
    assert entries[2].plain


def test_nothing_is_plain_where_dots_are_declared_to_be_odd_cells():
    entries = read(f"{A}\n{C}\n", reading=Reading("even-odd"))
    assert entries[0].puzzle == parse_puzzle(A, "even-odd")
    assert entries[1].error == "a.txt:2:1: expected a digit, '*' or '.', found '0'"


def test_lines_may_be_spaced_and_numbers_of_other_boxes_stay_numbers_under_their_size():
    entries = read("1... ...4 ..3. ....\n1,0,0,0,0,0,0,4,0,0,3,0,0,0,0,0\n1 4  1" + " 0" * 15)
    assert [entry.text for entry in entries] == [
        "1......4..3.....",
        "1......4..3.....",
        "1 4 1" + " 0" * 15,
    ]
    assert [entry.puzzle is None for entry in entries] == [False] * 3


def test_characters_of_larger_puzzles_decide_their_alphabet_or_it_is_declared():
    line = SIXTEEN.replace("\n", "")
    unclear = line.replace("0", "1")
    entries = read(f"{line}\n{unclear}\n")
    assert entries[0].puzzle == parse_puzzle(SIXTEEN)
    assert entries[0].text == line
    assert entries[1].error is not None
    assert entries[1].error.startswith("a.txt:2: expected --alphabet 0-F or 1-G")
    assert all(
        entry.puzzle for entry in read(f"{line}\n{unclear}\n", "auto", Reading(alphabet="0-F"))
    )


@for_each(
    ("line", "error"),
    [
        (A[:-1], f"2:81: expected {LENGTHS}, found 80 cells"),
        (A + "1", f"2:83: expected {LENGTHS}, found 82 cells"),
        ("  " + A.replace("7", "!", 1), "2:7: expected a digit or a blank, found '!'"),
        (A.replace(".", "0", 1), f"2:4: expected {ONE_BLANK}, found '.'"),
        ("some words", "2:1: expected a digit or a blank, found 's'"),
        (A + " \udcff", "2:83: expected UTF-8 text, found the byte 0xff"),
        (A[:20] + "\0" + A[21:], "2:21: expected UTF-8 text, found a NUL character"),
        ("|", "2:2: expected a puzzle in field 1, found 0 fields"),
        (
            "5" * (MAX_RECORD_BYTES + 1),
            f"2:1: expected a puzzle of at most {MAX_RECORD_BYTES} bytes, found more",
        ),
    ],
)
def test_a_bad_line_is_one_row_that_says_why(line, error):
    data = f"{A}\n{line}\n{B}\n{C}".encode(errors="surrogateescape")
    first, bad, *rest = read(data)
    assert [first, *rest] == [plain(1, A), plain(3, B), plain(4, D)]
    assert bad.error == f"a.txt:{error}"
    assert (bad.line, bad.puzzle, bad.claimed) == (2, None, None)
    assert bad.text.isprintable()


def test_a_line_behind_a_byte_order_mark_counts_its_columns_without_it():
    assert read(f"\ufeff{A[:-1]}!\n{B}\n{C}")[0].error == (
        "a.txt:1:81: expected a digit or a blank, found '!'"
    )


def test_a_column_beside_the_puzzles_is_their_solution():
    header = f"id,Puzzle,Solutions\n1,{A},{SOLVED}\n"
    records = f'2,{B},\n3,{C},{SOLVED[:-1]}\n4,"{A}","{SOLVED}"\n5,{C}\n'
    entries = read(header + records)
    assert entries[0] == plain(2, A, SOLVED)
    assert entries[1] == plain(3, B)
    assert (entries[2].claimed, entries[2].puzzle) == (SOLVED[:-1], parse_puzzle(C))
    assert entries[3:] == [plain(5, A, SOLVED), plain(6, D)]
    assert read(f"{SOLVED};{A}\n{SOLVED};{B}\n") == [plain(1, A, SOLVED), plain(2, B, SOLVED)]
    assert read(f"{A} {SOLVED}\n{B} {SOLVED} x\n") == [plain(1, A, SOLVED), plain(2, B, SOLVED)]


@for_each(
    "header",
    [
        "question,answer",
        "Quiz,Answers",
        "puzzle,solved",
        "quizzes,final_grid",
        "grid,solved",
        "board,solution",
        "given,solution",
        "unsolved,solved",
        "start,end",
        "solved,unsolved",
        "answer,question",
        "solution,board",
    ],
)
def test_a_column_of_full_grids_is_the_solution_whatever_it_is_called(header):
    wrong = SOLVED[:-2] + "97"
    pairs = [(A, SOLVED), (A, wrong)]
    if header in ("solved,unsolved", "answer,question", "solution,board"):
        pairs = [(solution, puzzle) for puzzle, solution in pairs]
    records = [f"{first},{second}\n" for first, second in pairs]
    expected = [plain(2, A, SOLVED), plain(3, A, wrong)]
    assert read(f"{header}\n{''.join(records)}") == expected
    alone = parse_source(f"{header}\n{records[1]}".encode(), "a.csv")
    assert (alone.puzzle, alone.claimed) == (parse_puzzle(A), wrong)


def test_an_open_solution_does_not_keep_the_others_from_being_compared():
    open_grid = "." * 81
    for header in ("solved,unsolved", "a,b"):
        rows = f"{SOLVED},{A}\n{open_grid},{B}\n{SOLVED},{A}\n"
        entries = read(f"{header}\n{rows}")
        assert [entry.claimed for entry in entries] == [SOLVED, open_grid, SOLVED]


@for_each(
    ("record", "errors"),
    [
        ("4", ["4:2: expected a puzzle in field 2, found 1 field"]),
        ("4,,x", ["4:3: expected a puzzle in field 2, found ''"]),
        (f"4,{A[:-1]}", [f"4:83: expected {LENGTHS}, found 80 cells"]),
        (
            f'4,"{A[:40]}\n{A[40:]}"',
            [
                "4:1: expected a CSV record, found a quote that is not closed on this line",
                "5:43: expected a puzzle in field 2, found 1 field",
            ],
        ),
        (f'4,"{A}"x', ["4:1: expected a CSV record, found text after a closing quote"]),
        (f'"4,5","{A[:-1]}!"', ["4:88: expected a digit or a blank, found '!'"]),
    ],
)
def test_a_bad_record_of_csv_is_a_row_for_each_line_of_it(record, errors):
    entries = read(f"id,puzzle\n1,{A}\n2,{B}\n{record}\n5,{C}")
    assert [entry.error for entry in entries if entry.error] == [f"a.txt:{said}" for said in errors]
    assert [entry.text for entry in entries if entry.plain] == [A, B, D]


@for_each(
    "text",
    [
        f"Grid 01\n{grid(A)}Grid 02\n{grid(B)}Grid 03\n{grid(C)}",
        f"Puzzles\n\nGrid 01\n{grid(A)}\n\nGrid 02\n\n{grid(B)}by me\n\nGrid 03\n{grid(C)}",
        f"Easy Monster\n{grid(A)}Golden Nugget\n{grid(B)}Tarek's 12th\n{grid(C)}",
        f"1\n{grid(A)}2\n{grid(B)}3\n{grid(C)}",
        f"[1]\n{grid(A)}\n[2]\n{grid(B)}\n[3]\n{grid(C)}",
        f"{grid(A)}\n \n{grid(B)}\n{grid(C)}\n\n",
        f"A\n\n{grid(A)}\nB\n\n{grid(B)}\nC\n\n{grid(C)}",
        f"{grid(A)}# next\n{grid(B)}+---+\n{grid(C)}",
        "\n".join(grid(text).replace("\n", "\n\n", 3) for text in (A, B, C)),
        "".join("+===+\n" + grid(text).replace("\n", "|\n") + "+===+\n" for text in (A, B, C)),
        f"{grid(A)}{grid(B)}\n{grid(C)}",
    ],
)
def test_grids_may_stand_under_titles_between_empty_lines_or_close_together(text):
    assert [(entry.text, entry.plain) for entry in read(text)] == [(A, True), (B, True), (D, True)]
    spaced = text.replace(".", ". ") if "Grid" in text else text
    assert [entry.text for entry in read(spaced)] == [A, B, D]


def test_where_an_empty_line_is_missing_there_are_two_grids_all_the_same():
    text = "\n".join([grid(A), grid(B), grid(C), grid(A) + grid(B)])
    assert [(entry.line, entry.text) for entry in read(text)[2:]] == [(21, D), (31, A), (40, B)]


def test_a_stacked_grid_begins_behind_its_title():
    first, second = read(f"Grid 01\n{grid(A)}Grid 02\n\n{grid(FOUR + A[16:])}")
    assert (first.line, second.line) == (2, 13)


@for_each(
    ("bad", "row", "error"),
    [
        (grid(B)[:-10], 8, "10: expected 9 rows, found 8 rows"),
        (grid(B) + "........1\n", 10, "1: expected 9 rows, found 10 rows"),
        (grid("!" + B[1:]), 1, "1: expected a digit or a blank, found '!'"),
        (grid(B).replace("1.6", "16"), 5, "9: expected a row of 9 cells, found 8 cells"),
        (grid("0" + B[1:]), 1, f"2: expected {ONE_BLANK}, found '.'"),
    ],
)
@for_each("title", ["Grid 0\n", "\n"])
def test_a_damaged_grid_between_others_is_one_row(title, bad, row, error):
    before = f"#\n{title}{grid(A)}{title}{grid(B)}{title}"
    after = title.join(["", grid(C), bad, grid(A), grid(B)])
    found = read(before + bad + after)
    assert [entry.text for entry in found if not entry.error] == [A, B, D, A, B]
    wrong = [entry.error for entry in found if entry.error]
    assert len(wrong) == 2
    assert wrong[0] == f"a.txt:{before.count(chr(10)) + row}:{error}"


def test_stacked_grids_may_be_even_odd_or_of_other_sides():
    marked = EXAMPLES["even-odd.sudoku"].decode()
    entries = read(f"{marked}\n{marked}")
    assert [entry.puzzle for entry in entries] == [parse_puzzle(marked)] * 2
    six = "123456" + "." * 29 + "1"
    assert [entry.text for entry in read(grid(six) * 3)] == [six] * 3


def test_a_digit_that_was_placed_in_a_hodoku_library_is_not_given():
    entries = read(f":0000:x:{A.replace('7', '+7')}:::\n:0000:x:{A}:::\n:0000:x:{A[:-1]}:::\n")
    assert entries[0].text == A.replace("7", ".")
    assert entries[1] == plain(2, A)
    assert entries[2].error == "a.txt:3:89: expected 81 cells, found 80 cells"


def test_a_bad_game_of_opensudoku_does_not_stop_the_others():
    games = [f'data="{C}"', 'data="12"', f'data="&a;{C}"', "x", "", f"note='>' data='{C}'"]
    text = "<opensudoku>\n" + "\n".join(f"<game {game}/>" for game in games) + "\n</opensudoku>"
    entries = read(text)
    assert [entry.line for entry in entries if entry.plain] == [2, 7]
    assert [entry.error for entry in entries if entry.error] == [
        'a.txt:3: expected <game data="…"> with 81 digits, found 2 cells',
        "a.txt:4: expected XML, found undefined entity",
        "a.txt:5: expected XML, found not well-formed (invalid token)",
        'a.txt:6: expected <game data="…"> with 81 digits, found 0 cells',
    ]


def test_opensudoku_with_a_document_type_is_left_to_who_refuses_it():
    games = f'<game data="{C}"/>' * 2
    for declaration in ("<!DOCTYPE a>", '<!DOCTYPE a [<!ENTITY b "c">]>'):
        text = f"<?xml version='1.0'?>{declaration}<opensudoku>{games}</opensudoku>"
        assert layout_of(text.encode(), complete=True) is None


class Endless(io.RawIOBase):
    """Bytes without end of line, which notes how much it was asked for."""

    def __init__(self, size: int) -> None:
        self.left, self.most = size, 0

    def read(self, size: int = -1) -> bytes:
        self.most = max(self.most, size)
        given = min(size, self.left)
        self.left -= given
        return b"5" * given


@pytest.mark.parametrize("name", ["lines", "csv", "stacked"])
def test_a_line_without_end_is_skipped_in_bounded_memory(name):
    found = detected(f"{A}\n{B}\n", name)
    stream = Endless(50 * MAX_RECORD_BYTES)
    (chunk,) = found.chunks(stream, 100)
    assert len(chunk.data) == MAX_RECORD_BYTES + 1
    assert stream.most <= 2 * MAX_RECORD_BYTES
    (entry,) = found.entries(chunk, READING)
    assert (
        entry.error
        == f"a.txt:1:1: expected a puzzle of at most {MAX_RECORD_BYTES} bytes, found more"
    )


LONE = {
    "a header and a row": f"puzzle\n{A}\n",
    "two columns": f"quizzes,solutions\n{A},{A}\n",
    "further fields": f"{A} 1.2 name\n",
    "a hash before it": f"0011223344556677 {A} 7.1\n",
    "many fields": f"12345,99,99,0,{A},C21\n",
    "a title": f"Grid 01\n{grid(A)}",
    "its solution behind it": A + SOLVED,
    "a comment before it": f"# easy\n{A} easy\n",
}


@for_each("name", LONE)
def test_a_collection_of_one_puzzle_is_that_puzzle(name):
    parsed = parse_source(LONE[name].encode(), "a.txt")
    assert parsed.puzzle == parse_puzzle(A)
    assert parsed.format in ("line", "grid")
    assert "there is only one puzzle" in parsed.reason


@pytest.mark.parametrize("broken", ["x", "53..7....6..195....98....6.8...6...34 1.2", "puzzle\n12"])
def test_what_is_no_puzzle_is_none_by_standing_alone_in_a_collection(broken):
    with pytest.raises(InvalidPuzzle):
        parse_source(broken.encode(), "a.txt")


@pytest.mark.parametrize("times", [2, 3, 16])
def test_lines_that_may_be_several_large_grids_are_not_decided(times):
    text = ("1..2.3.4" * 2 + "\n") * 16 * times
    assert layout_of(text.encode(), complete=True) is None
    with pytest.raises(InvalidPuzzle, match=f"--format lines for {16 * times} puzzles"):
        parse_source(text.encode(), "a.txt")
    assert detected(text, "lines").format.name == "lines"
    assert detected(text, "stacked").format.name == "stacked"


def test_a_declared_collection_may_hold_one_puzzle_and_is_no_single_one_if_it_holds_more():
    assert parse_source(f"{A} x\n".encode(), "a.txt", Reading(format="lines")).format == "line"
    with pytest.raises(InvalidPuzzle, match="expected one puzzle, found no puzzle or several"):
        parse_source(f"{A}\n{B}\n".encode(), "a.txt", Reading(format="lines"))


@for_each("delimiter", [",", " "])
@for_each("bad", [1, 2, 3])
def test_solutions_are_not_taken_for_puzzles_where_many_puzzles_are_damaged(delimiter, bad):
    lines = [A, *[A[:-1] + "k"] * bad]
    data = "".join(f"{line}{delimiter}{SOLVED}\n" for line in lines).encode()
    found = layout_of(data, complete=True)
    if found is not None:
        entries = found.entries(TextChunk(1, data), Reading())
        assert [entry.text[:80] for entry in entries] == [A[:80]] * len(lines)
        assert [entry.error is None for entry in entries] == [True] + [False] * bad


def test_a_damaged_puzzle_beside_its_solution_is_no_puzzle():
    with pytest.raises(InvalidPuzzle, match="found 'k'"):
        parse_source(f"{A[:-1]}k,{SOLVED}\n".encode(), "a.csv")
