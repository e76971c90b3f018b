"""Tables of spreadsheets and data frames."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from support.cases import for_each
from support.parsers import CLASSIC, LINE, read, refusal, said_of

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import Layout, parse_source, read_text
from pipeline.settings import Reading
from pipeline.solving.items import read as read_items

ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def table(blank: str = "", end: str = "", between: str = ",") -> str:
    return "".join(
        between.join(blank if sign == "." else sign + end for sign in row) + "\n" for row in ROWS
    )


def indexed(text: str, label: Callable[[int], object]) -> str:
    return "".join(f"{label(n)},{line}\n" for n, line in enumerate(text.splitlines()))


def with_gaps(band: str) -> str:
    lines = [
        ",,".join(",".join(row[start : start + 3].replace(".", "0")) for start in (0, 3, 6))
        for row in ROWS
    ]
    bands = ["\n".join(lines[start : start + 3]) for start in (0, 3, 6)]
    return f"\n{band}\n".join(bands) + "\n"


FLOATS = table(end=".0")
INDEXED = ",0,1,2,3,4,5,6,7,8\n" + indexed(table(), int)
PRINTED = "   " + "    ".join("012345678") + "\n"
PRINTED += "".join(
    f"{n}  " + "  ".join("NaN" if sign == "." else f"{sign}.0" for sign in row) + "\n"
    for n, row in enumerate(ROWS)
)


@for_each(
    "text",
    [
        FLOATS,
        table("NaN", ".0"),
        table("-1"),
        table("-1.0", ".0"),
        table("None"),
        table("nan", between=";"),
        table("<NA>", between="\t"),
        INDEXED,
        INDEXED.replace(",", "\t"),
        "index" + INDEXED,
        "A,B,C,D,E,F,G,H,I\n" + table(),
        "1,2,3,4,5,6,7,8,9\n" + table("0"),
        "c1,c2,c3,c4,c5,c6,c7,c8,c9\n" + table("."),
        indexed(table(), lambda n: n + 1),
        indexed(table(), lambda n: "abcdefghi"[n]),
        "sep=;\n" + table(between=";"),
        "sep=,\r\n" + table("0").replace("\n", "\r\n"),
        with_gaps("," * 10),
        with_gaps(""),
        "," * 9 + "\n" + indexed(table(), lambda _: ""),
        "".join(line + ",\n" for line in table().splitlines()),
        table().replace("5,3", '"5\n","3"', 1),
        PRINTED,
        table(between="\t").encode("utf-16"),
        LINE.encode("utf-16"),
        table() + "\x1a",
        LINE + "\r\n\x1a",
        LINE + "\x1a\x1a",
    ],
)
def test_a_table_is_read_as_programs_write_it(text):
    data = text if isinstance(text, bytes) else text.encode()
    parsed = parse_source(data, "a.csv")
    assert (parsed.puzzle, parsed.unread) == (CLASSIC, ())


@for_each(
    ("text", "message"),
    [
        (FLOATS.replace("9.0", "9.5", 1), "2:11: expected a number from 1 to 9, or one symbol"),
        (FLOATS.replace("9.0", "10.0", 1), "found '10.0'"),
        (FLOATS.replace(",,6.0", ",6.0", 1), "3:17: expected a row of 9 fields, found 8 fields"),
        (FLOATS[:60], "expected"),
        (table("NaN").replace("NaN", "-1", 1), "one symbol for all blanks, '-1' as before"),
        (INDEXED.replace("\n3,", "\n4,"), "expected"),
        (INDEXED.replace(",0,1,2", ",0,2,1"), "expected"),
        ("A,B,C,D,E,F,G,H,K\n" + table(), "expected"),
        (with_gaps(",,,,1,,,,,,"), "expected"),
        (table().replace("5,3", '"5\n",3', 1) + "Both diagonals count\n", "expected"),
        (table().replace("5,3", '"5,3', 1), "expected"),
    ],
)
def test_a_damaged_table_is_refused(text, message):
    said = said_of(text)
    assert message in said, said


def test_twelve_rows_need_declared_boxes_with_labels_too():
    rows = [",".join(str((row + n) % 12 + 1) for n in range(12)) for row in range(12)]
    text = "," + ",".join(map(str, range(12))) + "\n"
    text += "".join(f"{n},{row}\n" for n, row in enumerate(rows))
    assert "--boxes 2x6, 3x4, 4x3 or 6x2" in said_of(text)
    assert read(text, boxes="3x4").puzzle.geometry == Geometry(3, 4)


def test_gaps_show_which_boxes_a_grid_of_six_has():
    rows = ["1,,,,,2", ",,3,,,", ",4,,,5,", "", "6,,,,,", ",,1,,,", ",,,2,,"]
    wide = "\n".join(
        ",,".join(",".join(row.split(",")[n : n + 2]) for n in (0, 2, 4)) if row else "," * 7
        for row in rows
    )
    puzzle = read(wide).puzzle
    assert puzzle.geometry == Geometry(3, 2)
    assert [*puzzle.givens()][:2] == [(0, 1), (5, 2)]


def test_ten_rows_with_labels_are_one_puzzle_if_its_boxes_are_declared():
    rows = [",1,2,3,4,5,6,7,8,9", *(f"{n}," + "," * 8 for n in range(1, 10))]
    text = "\n".join(rows)
    assert read(text).puzzle == Puzzle.of_values(Geometry(3, 3), [0] * 81)
    assert len(read(text, boxes="2x5").puzzle.cells) == 100


@for_each("mark", ["sep=;\n", "sep=;\r\n"])
def test_a_collection_may_name_its_delimiter_and_end_in_ctrl_z(mark):
    text = f"{mark}id;puzzle;solution\n" + f"1;{LINE};{SOLUTION}\n" * 3 + "\x1a"
    layout = read_text(text.encode(), True, "a.csv", Reading())
    assert isinstance(layout, Layout)
    (chunk,) = layout.chunks(io.BytesIO(text.encode()), 2**20)
    entries = layout.entries(chunk, Reading())
    assert [(entry.text, entry.claimed) for entry in entries] == [(LINE, SOLUTION)] * 3


def test_a_collection_in_utf_16_and_damaged_utf_16_are_named():
    data = f"{LINE}\n{LINE}\n{LINE}\n".encode("utf-16")
    assert "save it as UTF-8" in str(read_text(data, True, "a.txt", Reading()))
    assert "save it as UTF-8" in str(read_text(data, False, "a.txt", Reading()))
    found = read_text(data, True, "a.txt", Reading())
    assert isinstance(found, InvalidPuzzle)
    assert found.code == "not-text"
    with pytest.raises(InvalidPuzzle, match="1:81: expected valid UTF-16 text"):
        parse_source(LINE.encode("utf-16")[:-1], "a.txt")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_named(encoding):
    error = refusal(f"{LINE}\n".encode(encoding))
    assert "save it as UTF-8" in error.hint
    assert refusal(b"1\0" * 2 + b"ab\0").hint == ""


def test_utf_16_in_an_archive_is_read_or_named():
    members = {
        "one.txt": table(between="\t"),
        "many.txt": f"{LINE}\n" * 3,
        "many.csv": f"puzzle,solution\n{LINE},{SOLUTION}\n" * 2,
        "grids.txt": "".join(f"Puzzle {n}\n{table('0')}" for n in (1, 2)),
        "formula.cnf": "p cnf 2 1\n1 -2 0\n",
    }
    with io.BytesIO() as packed:
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in members.items():
                archive.writestr(name, text.encode("utf-16"))
        items = {item.name: item for item in read_items(packed.getvalue())}
    assert items.pop("one.txt").problem is not None
    assert all("save it as UTF-8" in (item.reason or "") for item in items.values())
    assert len(items) == 4
