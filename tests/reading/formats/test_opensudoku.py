"""OpenSudoku: the games in its XML, and what is no such XML, or an attack."""

from __future__ import annotations

from support.cases import for_each
from support.parsers import CLASSIC, LINE, read, refusal, said_of

DATA = LINE.replace(".", "0")
GAME = f'<game data="{DATA}" />'
XML = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<opensudoku>
  <name>Grüße</name>
  <description>5 &lt; 6 &amp; more</description>
  {GAME}
</opensudoku>
"""
EXPECTED = '<game data="…"> with 81 digits'
CELL = "a digit or a blank"
ONE_BLANK = "one symbol for all blanks, '0' as before"
LAUGHS = """\
<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY lol "000">
 <!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
 <!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">
]>
<opensudoku><name>&lol3;</name></opensudoku>
"""
OUTSIDE = """\
<!DOCTYPE opensudoku [<!ENTITY outside SYSTEM "file:///etc/passwd">]>
<opensudoku><name>&outside;</name></opensudoku>
"""
PARAMETER = """\
<!DOCTYPE opensudoku [<!ENTITY % outside SYSTEM "http://localhost/x.dtd"> %outside;]>
<opensudoku/>
"""


def fields(version: int, line: str = LINE) -> str:
    """The data of a game as the app exports it: what is a blank in `line` was filled in by 1."""
    between = {1: "-|", 2: "0||", 3: "511|", 4: "0|511|", 5: "0|0|7|"}[version]
    cells = (f"1|{between}1|" if sign == "." else f"{sign}|{between}0|" for sign in line)
    return f"version: {version}&#10;{''.join(cells)}"


@for_each(
    "text",
    [
        XML,
        XML.replace("\n", "\r\n"),
        "\ufeff" + XML,
        XML.replace("  ", "\t").replace('"', "'"),
        XML.replace(GAME, f'<folder name="a"><game note=""\n data="{DATA}"></game></folder>'),
        XML.replace("<opensudoku", '<opensudoku version="2"'),
        XML.replace("<opensudoku", '<opensudoku xmlns="http://example.org/"'),
        XML.replace("opensudoku", "opensudoku2"),
        XML.replace("UTF-8", "ISO-8859-1"),
        XML.replace(DATA, LINE),
        GAME.join(["<opensudoku>", "</opensudoku>"]),
    ],
)
def test_the_game_of_an_opensudoku_file_is_its_puzzle(text):
    parsed = read(text)
    assert (parsed.puzzle, parsed.format, parsed.variant) == (CLASSIC, "opensudoku", "classic")


@for_each("version", [1, 2, 3, 4, 5])
def test_of_a_game_in_play_what_the_player_cannot_change_is_the_puzzle(version):
    assert read(XML.replace(DATA, fields(version))).puzzle == CLASSIC
    assert read(XML.replace(DATA, fields(version).replace("&#10;", "\n"))).puzzle == CLASSIC


@for_each("version", [1, 2, 3, 4, 5])
def test_values_of_the_player_are_the_progress(version):
    blanks = (cell for cell, sign in enumerate(LINE) if sign == ".")
    progress = read(XML.replace(DATA, fields(version))).progress
    assert progress == (tuple((cell, 1) for cell in blanks), ())
    assert read(XML).progress == ((), ())


@for_each("text", [LAUGHS, OUTSIDE, PARAMETER])
def test_document_types_and_entities_are_refused_unread(text):
    line = text[: text.index("<!DOCTYPE")].count("\n") + 1
    error = refusal(text)
    assert error.line == line
    assert error.expected == "XML without a document type or entities"


@for_each(
    ("text", "message"),
    [
        (XML.replace(GAME, ""), f"expected {EXPECTED}, found no game"),
        (
            XML.replace(GAME, GAME + "\n " + GAME),
            "6:2: expected a single game, found a second game",
        ),
        (XML.replace("opensudoku>", "other>"), "2:1: expected <opensudoku>, found <other>"),
        (XML.replace(DATA, DATA[:-1]), f"5:3: expected {EXPECTED}, found 80 cells"),
        (XML.replace("data", "x"), f"5:3: expected {EXPECTED}, found 0 cells"),
        (XML.replace(DATA, "a" + DATA[1:]), f"5:3: expected {CELL}, found 'a'"),
        (XML.replace(DATA, DATA[:-2] + ".0"), f"5:3: expected {ONE_BLANK}, found '.'"),
        (XML.replace(DATA, fields(4)[:-4]), f"5:3: expected {CELL}, found 'v'"),
        (XML.replace(DATA, "version: 6 1|0|"), f"5:3: expected {CELL}, found 'v'"),
        (XML.replace("</name>", "</nome>"), "3:16: expected XML, found mismatched tag"),
        (XML.replace("<name>", "<name>&nbsp;"), "3:9: expected XML, found undefined entity"),
        (XML.replace("/>", ">"), "6:3: expected XML, found mismatched tag"),
        (XML + "<more/>", "7:1: expected XML, found junk after document element"),
    ],
)
def test_what_is_no_game_is_refused_at_its_tag(text, message):
    assert said_of(text) == message


def test_tags_without_end_and_elements_and_names_without_number_are_refused():
    endless = f'<opensudoku><game data="{"0" * 3_000_000}"/></opensudoku>'
    assert refusal(endless).expected == "tags of at most 1048576 characters"
    deep = refusal("<opensudoku>" + "<a>" * 100_000)
    assert (
        str(deep) == "a.txt:1:202: expected elements nested at most 64 deep, found deeper nesting"
    )
    named = refusal("<opensudoku>" + "".join(f"<a{number}/>" for number in range(100_000)))
    assert (named.line, named.expected) == (1, "at most 256 names of elements and attributes")
    attributes = refusal("<opensudoku " + " ".join(f"a{i}=''" for i in range(1000)) + "/>")
    assert attributes.expected == "at most 256 names of elements and attributes"
