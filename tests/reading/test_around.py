"""Text around a grid: its title, what is harmless, and what may be a rule and is named."""

from __future__ import annotations

import io

import pytest
from support.cases import for_each
from support.parsers import LINE, ROWS, grid

from pipeline.reading.formats import Layout, read_text
from pipeline.reading.formats.around import may_name_rule
from pipeline.settings import Reading
from pipeline.solving.items import read
from pipeline.solving.problem import PuzzleProblem

OTHER = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
RULE = "Both diagonals contain 1-9"
SAID = f"'{RULE}'"
NUMBERS = " ".join("1000002003000004")
SIX = "..2..4...6...25.6.......16.2....3.1."
GAME = f'<game data="{LINE.replace(".", "0")}" />\n'
XML = f"<opensudoku>\n<name>Diagonals</name>\n{GAME}{{}}</opensudoku>\n"

UNREAD = {
    "below": (f"{ROWS}\n{RULE}\n", f"line 11: {SAID}"),
    "below, with nothing between": (f"{ROWS}{RULE}\n", f"line 10: {SAID}"),
    "below a 6×6": (f"{grid(SIX)}\n{RULE}\n", f"line 8: {SAID}"),
    "one word": (f"{ROWS}\nThermo\n", "line 11: 'Thermo'"),
    "prose without a known word": (f"{ROWS}\nGrey: even\n", "line 11: 'Grey: even'"),
    "above": (f"{RULE}\n{ROWS}", f"line 1: {SAID}"),
    "above, after a title": (f"Sudoku 7\n{RULE}\n\n{ROWS}", f"line 2: {SAID}"),
    "a key that holds rules": (f"Variant: nonsense\n{ROWS}", "line 1: 'Variant: nonsense'"),
    "a comment": (f"# {RULE}\n{ROWS}", f"line 1: {SAID}"),
    "a comment below": (f"{ROWS}// {RULE}\n", f"line 10: {SAID}"),
    "a comment above a line": (f"#{RULE}\n{LINE}\n", f"line 1: {SAID}"),
    "SadMan's comment": (f"#AAnn Knight\n#C{RULE}\n[Puzzle]\n{ROWS}", f"line 2: {SAID}"),
    "SadMan's section": (f"[Puzzle]\n{ROWS}[Comment]\n{RULE}\n", f"line 12: {SAID}"),
    "beside a line": (f"{LINE} {RULE}\n", f"line 1: {SAID}"),
    "a field of HoDoKu": (f":0000:x:{LINE}:::{RULE}:\n", f"line 1: {SAID}"),
    "a comment of boxes": (f"c windoku\n2 2\n{NUMBERS}\n", "line 1: 'c windoku'"),
    "OpenSudoku's name": (XML.format(""), "line 2: '<name>Diagonals</name>'"),
    "a column of rules": (f"puzzle,rules\n{LINE},X\n", "column 'rules': 'X'"),
    "constraints": (f"id,puzzle,constraints\n1,{LINE},X\n", "column 'constraints': 'X'"),
    "a layout": (f"puzzle,layout\n{LINE},odd\n", "column 'layout': 'odd'"),
    "a variant": (f"puzzle,variant\n{LINE},X-Sudoku\n", "column 'variant': 'X-Sudoku'"),
    "a column named by a rule": (f"puzzle,diagonals\n{LINE},1\n", "column 'diagonals': '1'"),
    "another side": (f"puzzle,rules\n{LINE},8x8\n", "column 'rules': '8x8'"),
    "a column that names a rule": (f"puzzle,name\n{LINE},Thermo 3\n", "column 'name': 'Thermo 3'"),
    "another rule than that of the text": (f"# thermo\n{'.AntiKing'}\n", "line 1: 'thermo'"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_text_that_may_be_a_rule_is_named(name: str) -> None:
    text, unread = UNREAD[name]
    (item,) = read(text.encode())
    assert isinstance(item.problem, PuzzleProblem), item.reason
    assert item.problem.unread == (unread,)


WORDS = (
    *("diagonal", "Diagonals", "CAGES", "thermometers", "thermo", "knight", "anti-knight"),
    *("antiking", "regions", "jigsaw", "Kropki", "non-consecutive", "nonconsecutive", "windoku"),
    *("sandwiches", "whispers", "little killer", "hypersudoku", "x-sums", "irregular"),
)
HARMLESS = (
    *("Grid 01", "Killer Sudoku no. 4", "X-Sudoku", "Sum of all fears", "Odd one out", "The king"),
    *("Even more", "Arrow Press, p. 7", "Regional news", "Savage 3", "Knightsbridge 4"),
)


@for_each("word", WORDS)
def test_whole_words_name_a_rule(word: str) -> None:
    (item,) = read(f"No. 7, {word} in it\n{ROWS}".encode())
    assert item.problem
    assert item.problem.unread == (f"line 1: 'No. 7, {word} in it'",)
    assert may_name_rule(word.encode())


@for_each("title", HARMLESS)
def test_a_line_above_a_grid_is_its_title(title: str) -> None:
    (item,) = read(f"{title}\n\n{ROWS}".encode())
    assert isinstance(item.problem, PuzzleProblem)
    assert (item.problem.parsed.title, item.problem.unread) == (title, ())


NOTES = (
    *("Difficulty: hard", "rating=7.1", "Date: 3 May", "source: The Diagonal Times", "Author: Ann"),
    *("id: 12", "https://example.org/12", "www.example.org", "© 2020 Ann", "Copyright Ann", "12"),
    *("Page 12", "p. 12 of 90", "- 12 -"),
)


@for_each("note", NOTES)
def test_notes_below_a_grid_are_kept_with_its_title(note: str) -> None:
    (item,) = read(f"No. 1\n{ROWS}\n{note}\n=====\n".encode())
    assert isinstance(item.problem, PuzzleProblem)
    assert (item.problem.parsed.title, item.problem.unread) == (f"No. 1; {note}", ())


def test_a_title_is_printable_and_not_too_long() -> None:
    (item,) = read(f"A\x1b[1m\ttitle {'x' * 300}\n{ROWS}".encode())
    assert isinstance(item.problem, PuzzleProblem)
    title = item.problem.parsed.title
    assert (title[:16], len(title), title[-1]) == ("A\\x1b[1m title x", 200, "…")


def test_what_was_not_read_is_printable_and_bounded() -> None:
    rule = f"An\x1b[1m\tcage {'y' * 300}\n"
    (item,) = read(f"{ROWS}\n{rule * 50}".encode())
    assert item.problem
    *texts, more = item.problem.unread
    assert (len(texts), more) == (8, "further text")
    assert {len(text) for text in texts} <= {*range(80, 100)}
    assert all(text.isprintable() for text in texts)


@for_each("value", ("", "none", "Classic", "standard", "9", "9x9", "9×9", "No", "normal sudoku"))
def test_columns_that_say_that_there_is_no_rule_are_harmless(value: str) -> None:
    (item,) = read(f"puzzle,rules,diagonal\n{LINE},{value},{value}\n".encode())
    assert item.problem
    assert item.problem.unread == ()


@for_each("column", ("id", "rating", "date", "author", "difficulty", "source"))
def test_harmless_columns_may_hold_any_word(column: str) -> None:
    (item,) = read(f"puzzle,{column}\n{LINE},Knight\n".encode())
    assert item.problem
    assert item.problem.unread == ()


@for_each(
    "text",
    (
        "# Diagonal\n.Diagonal~1.Diagonal~-1\n",
        "# cages\n3x3::k:" + "".join(f"{256 * 45 + row}:" * 9 for row in range(9)),
        "# A jigsaw\n1.........3..4..AABBAABBCCDDCCDD\n",
        "# Non-consecutive\n.AntiConsecutive\n",
    ),
)
def test_a_rule_that_was_read_is_not_named(text: str) -> None:
    (item,) = read(text.encode())
    assert item.problem, item.reason
    assert item.problem.unread == ()


MANY = {
    "titles": (f"Grid 01\n{ROWS}Grid 02\n{grid(OTHER)}", [("Grid 01", ()), ("Grid 02", ())]),
    "no title before the first": (f"{ROWS}Second\n{grid(OTHER)}", [("", ()), ("Second", ())]),
    "titles of two lines": (
        f"One\nAuthor: Ann\n{ROWS}Two\n\nby Bob\n\n{grid(OTHER)}",
        [("One; Author: Ann", ()), ("Two; by Bob", ())],
    ),
    "numbers": (f"1.\n{ROWS}2.\n{grid(OTHER)}", [("1.", ()), ("2.", ())]),
    "empty lines": (f"{ROWS}\n3 stars\n\n{grid(OTHER)}", [("", ()), ("3 stars", ())]),
    "a rule between belongs to the next": (
        f"Grid 1\n{ROWS}{RULE}\nGrid 2\n{grid(OTHER)}",
        [("Grid 1", ()), ("Grid 2", (f"line 11: {SAID}",))],
    ),
    "text below the last": (
        f"No. 1\n{ROWS}\nNo. 2\n{grid(OTHER)}\nAuthor: Ann\nAnd so on\n",
        [("No. 1", ()), ("No. 2; Author: Ann", ("line 24: 'And so on'",))],
    ),
    "text below the last of bare grids": (
        f"{ROWS}{grid(OTHER)}{RULE}\n",
        [("", ()), ("", (f"line 19: {SAID}",))],
    ),
    "comments": (
        f"# easy\n{ROWS}# {RULE}\n{grid(OTHER)}# thermo\n",
        [("", ()), ("", (f"line 11: {SAID}", "line 21: 'thermo'"))],
    ),
    "comments between lines": (
        f"# easy\n{LINE}\n# {RULE}\n{OTHER}\n# thermo\n",
        [("", ()), ("", (f"line 3: {SAID}", "line 5: 'thermo'"))],
    ),
    "fields beside lines": (
        f"{LINE} 1.2 thermo\n{OTHER} 7.1 even\n",
        [("", ("line 1: '1.2 thermo'",)), ("", ())],
    ),
    "a column": (
        f"puzzle,rules\n{LINE},classic\n{OTHER},kropki\n",
        [("", ()), ("", ("column 'rules': 'kropki'",))],
    ),
    "a library": (
        f":0000:x:{LINE}:::\n:0000:x:{OTHER}:::{RULE}:\n",
        [("", ()), ("", (f"line 2: {SAID}",))],
    ),
    "OpenSudoku": (
        XML.format(GAME),
        [("", ("line 2: '<name>Diagonals</name>'",)), ("", ())],
    ),
}


@pytest.mark.parametrize("name", MANY)
def test_text_belongs_to_one_of_many_puzzles(name: str) -> None:
    text, expected = MANY[name]
    problems = [item.problem for item in read(text.encode())]
    parsed = [problem.parsed for problem in problems if isinstance(problem, PuzzleProblem)]
    assert [(each.title, each.unread) for each in parsed] == expected


@pytest.mark.parametrize("name", MANY)
def test_text_belongs_to_the_same_puzzle_however_a_file_is_cut(name: str) -> None:
    data = MANY[name][0].encode()
    found = read_text(data, True, "", Reading())
    assert isinstance(found, Layout)

    def texts(size: int) -> list[tuple[int, str, tuple[str, ...]]]:
        chunks = found.chunks(io.BytesIO(data), size)
        entries = (e for chunk in chunks for e in found.entries(chunk, Reading()))
        return [(entry.line, entry.title, entry.unread) for entry in entries]

    assert texts(1) == texts(100) == texts(len(data))


def test_a_long_text_keeps_no_grid_from_being_read() -> None:
    text = "A sentence about nothing at all.\n" * 520
    items = [*read(f"{text}No. 1\n{ROWS}No. 2\n{grid(OTHER)}{text}".encode())]
    titles = [item.problem.parsed.title for item in items if item.problem]
    assert ([item.reason for item in items], titles[1]) == ([None, None], "No. 2")


def test_long_comments_cost_no_puzzle_and_no_piece_is_too_long() -> None:
    comment = "# a comment about nothing at all\n"
    above, below = comment * 4500, comment * 2000
    data = f"{above}# {RULE}\n{LINE}\n{below}{OTHER}\n{above}".encode()
    found = read_text(data, True, "", Reading())
    assert isinstance(found, Layout)
    chunks = [*found.chunks(io.BytesIO(data), 1000)]
    entries = [each for chunk in chunks for each in found.entries(chunk, Reading())]
    assert [(each.text, each.unread) for each in entries] == [
        (LINE, (f"line 4501: {SAID}",)),
        (OTHER, ()),
    ]
    assert max(len(chunk.data) for chunk in chunks) <= 2 * 64 * 1024


@pytest.mark.parametrize("between", ["", " "])
def test_a_map_of_cages_above_a_grid_is_no_title(between):
    rows = [between.join(row) for row in ("aabb", "ccdd", "eeff", "ggh.")]
    (item,) = read("\n".join([*rows, "", "1...", ".4..", "..4.", "...1", ""]).encode())
    assert item.unread == tuple(f"line {n}: '{row}'" for n, row in enumerate(rows, 1))
    (item,) = read(b"One\nTwo\nSix\n\n1...\n.4..\n..4.\n...1\n")
    assert item.unread == ()
