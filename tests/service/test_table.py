"""Collections through the real `run`: what is dropped, and the very bytes that come out."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import zlib
from collections import Counter
from hashlib import sha256

import pytest
from support.drop_folders import (
    NO_SOLUTION,
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    events_in,
)
from support.oracle import is_solution, solutions
from support.puzzles import SIX, pattern
from support.sources import check_records

from pipeline import parse_puzzle
from pipeline.outbox.rows import Rows
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import one_line
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import TextChunk
from pipeline.service.jobs.collection import CheckpointedTable
from pipeline.settings import Settings

HEADER = (
    "index,line,puzzle,status,solutions,complete,certificate,solution,message,disagreement,title\n"
)
A = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
B = ".................1.....2.3......45....1.6.....4......7....8.4....9...2..3.61...9."
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
B_SOLVED = "534891672962437851718652934893714526271568349645923187157289463489376215326145798"


def joined(text):
    return text.replace("\n", "")


ONE, ONE_SOLVED = joined(SMALL), joined(SMALL_SOLVED)
TURNED, TURNED_SOLVED = joined(OTHER), joined(OTHER_SOLVED)
TWO, TWO_SOLVED = joined(TWO_SOLUTIONS), ("1234342143122143", "1243342143122134")
MORE = joined(SIX)
CLASH = joined(NO_SOLUTION)
SAID = '"row 1 holds 1 twice: row 1, column 1 and row 1, column 3"'
DOTS = "." * 16
SIX_BY_SIX = one_line(pattern(Geometry(2, 3)).values)
SIXTEEN = pattern(Geometry(4, 4)).values
LETTERS = "." + "".join("0123456789ABCDEF"[value - 1] for value in SIXTEEN)[1:]
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def rows(*lines):
    return "".join(line + "\n" for line in lines)


def grid(line):
    side = round(len(line) ** 0.5)
    return rows(*(line[at : at + side] for at in range(0, len(line), side)))


def relabelled(seed):
    """The puzzle A and its solution with other digits for its own."""
    digits = list("123456789")
    random.Random(seed).shuffle(digits)
    table = str.maketrans("123456789", "".join(digits))
    return A.translate(table), SOLVED.translate(table)


RELABELLED = [relabelled(seed) for seed in range(100)]
PAIR = rows(ONE, TURNED)

WELL = {
    "good.txt": rows("# easy", A, "", B),
    "mixed.txt": rows(ONE, SIX_BY_SIX[:-1] + ".", A, TWO, CLASH),
    "numbers.sdm": rows(LETTERS, LETTERS),
    "pair.txt": PAIR,
    "alone.txt": rows(ONE),
    "claims.csv": rows(
        "quizzes,solutions",
        f"{A},{SOLVED}",
        f"{B},{SOLVED}",
        f"{A.replace('.', '0')},{SOLVED[:-1]}8",
    ),
    "many.txt": rows(*(puzzle for puzzle, _ in RELABELLED)),
    "euler.txt": "".join(f"Grid {at:02}\n{grid(line)}" for at, line in ((1, A), (2, B))),
    **{f"packed-{end}.txt.{end}": pack(PAIR.encode()) for end, pack in PACKERS.items()},
    **{f"lone-{end}.txt.{end}": pack(OTHER.encode()) for end, pack in PACKERS.items()},
}
"""All of it is solved: the pass exits with 0."""

BAD = {
    "top.txt": rows("# hard", ONE, "", TWO, "nonsense, of words", CLASH, MORE, ONE[:-1], TURNED),
}


def half(data):
    return data[: len(data) // 2]


HEAD = ["# made", "# by", "# chance", ""]


def wide(number, lines):
    """Lines of a puzzle and a kilobyte that packs badly."""
    noise = random.Random(number)
    return rows(*HEAD, *(f"{ONE} {noise.randbytes(500).hex()}" for _ in range(lines))).encode()


CUT = {
    "cut.txt.gz": half(gzip.compress(wide(1, 1200))),
    "sum.txt.gz": gzip.compress(wide(3, 120))[:-6] + b"\0\0\0\0\0\0",
}
"""About half of the first can be read, and all of the last but its checksum."""


def dropped(folder, sources, *options):
    """A pass over these."""
    box = DropFolder.within(folder)
    for name, content in sources.items():
        box.drop(name, content)
    return box, box.run(*options)


def table(box, stem):
    return list(csv.DictReader(io.StringIO(box.text(f"{stem}.csv"), newline="")))


def names_of(box, stem):
    return {name for name in box.published() if name.rpartition(".")[0].startswith(stem)}


@pytest.fixture(scope="module")
def well(tmp_path_factory):
    return dropped(tmp_path_factory.mktemp("well"), WELL)


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    return dropped(tmp_path_factory.mktemp("bad"), BAD)


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    return dropped(tmp_path_factory.mktemp("cut"), CUT)


@pytest.mark.parametrize("kind", ["well", "bad"])
def test_originals_are_done_and_standard_error_and_the_exit_code_tell_how_each_ended(request, kind):
    box, done = request.getfixturevalue(kind)
    sources, level, code = {"well": (WELL, "info", 0), "bad": (BAD, "error", 1)}[kind]
    assert done.returncode == code, done.stderr
    assert box.kept("done") == set(sources)
    assert (box.kept("failed"), box.waiting(), box.in_work()) == (set(), set(), set())
    ended = [e for e in events_in(done.stderr) if e["event"] == "job.finished"]
    assert {e["source"]: e["level"] for e in ended} == dict.fromkeys(sources, level)


def unique(place, puzzle, solution, said="", title=""):
    """The row of a puzzle with one solution; its place is index and line."""
    return f"{place},{puzzle},unique,1,true,exhaustive-search,{solution},{said},{said},{title}"


WRONG = "the solution in the file is wrong"
LETTERS_SOLVED = "".join("0123456789ABCDEF"[value - 1] for value in SIXTEEN)
PUBLISHED = {
    "good.txt": ("lines", [[SOLVED, B_SOLVED]], {"unique": 2}),
    "mixed.txt": (
        "lines",
        [
            [ONE_SOLVED, SIX_BY_SIX, SOLVED, TWO_SOLVED[0], DOTS],
            [DOTS, "." * 36, "." * 81, TWO_SOLVED[1], DOTS],
        ],
        {"multiple": 1, "unique": 3, "unsolvable": 1},
    ),
    "numbers.sdm": ("lines", [[LETTERS_SOLVED] * 2], {"unique": 2}),
    "pair.txt": ("lines", [[ONE_SOLVED, TURNED_SOLVED]], {"unique": 2}),
    "claims.csv": ("csv", [[SOLVED, B_SOLVED, SOLVED]], {"disagreements": 2, "unique": 3}),
    "many.txt": ("lines", [[solved for _, solved in RELABELLED]], {"unique": 100}),
    "euler.txt": ("stacked", [[SOLVED, B_SOLVED]], {"unique": 2}),
}
"""The format, the solutions by rank, and the totals of each collection."""
ROWS = {
    "good.txt": [unique("1,2", A, SOLVED), unique("2,4", B, B_SOLVED)],
    "mixed.txt": [
        unique("1,1", ONE, ONE_SOLVED),
        unique("2,2", f"{SIX_BY_SIX[:-1]}.", SIX_BY_SIX),
        unique("3,3", A, SOLVED),
        f"4,4,{TWO},multiple,2,true,exhaustive-search,{TWO_SOLVED[0]},,,",
        f"5,5,{CLASH},unsolvable,0,true,exhaustive-search,,{SAID},,",
    ],
    "numbers.sdm": [unique(place, LETTERS, LETTERS_SOLVED) for place in ("1,1", "2,2")],
    "pair.txt": [unique("1,1", ONE, ONE_SOLVED), unique("2,2", TURNED, TURNED_SOLVED)],
    "claims.csv": [
        unique("1,2", A, SOLVED),
        unique("2,3", B, B_SOLVED, WRONG),
        unique("3,4", A, SOLVED, WRONG),
    ],
    "many.txt": [unique(f"{at},{at}", *each) for at, each in enumerate(RELABELLED, 1)],
    "euler.txt": [
        unique("1,2", A, SOLVED, title="Grid 01"),
        unique("2,12", B, B_SOLVED, title="Grid 02"),
    ],
}


@pytest.mark.parametrize("source", PUBLISHED)
def test_a_collection_has_its_rows_its_solutions_and_a_record_of_both(well, source):
    box, _ = well
    form, solved, totals = PUBLISHED[source]
    stem, data, record = source[:-4], WELL[source].encode(), box.record(source[:-4])
    assert box.text(f"{stem}.csv") == HEADER + rows(*ROWS[source])
    files = {f"{stem}_{rank}.solution": rows(*lines) for rank, lines in enumerate(solved, 1)}
    assert {name: box.text(name) for name in files} == files
    assert names_of(box, stem) == {*files, *(f"{stem}.{end}" for end in ("csv", "json", "log"))}
    assert (record["source"], record["bytes"]) == (source, len(data))
    assert record["sha256"] == sha256(data).hexdigest()
    assert (record["schema"], record["status"], record["format"]) == (2, "collection", form)
    assert record["totals"] == totals


def test_every_file_is_listed_in_its_record_with_its_hash(well, bad, cut):
    for box, _ in (well, bad, cut):
        check_records(box)


def test_one_line_alone_is_a_single(well):
    box, _ = well
    assert (box.record("alone")["status"], box.record("alone")["format"]) == ("unique", "line")
    assert box.text("alone_1.solution") == rows(ONE_SOLVED)
    assert names_of(box, "alone") == {"alone.json", "alone.log", "alone_1.solution"}


@pytest.mark.parametrize("end", PACKERS)
def test_compressed_they_give_what_they_give_unpacked(well, end):
    box, _ = well
    for part in (".csv", "_1.solution"):
        assert box.text(f"packed-{end}{part}") == box.text(f"pair{part}")
    packed = box.record(f"packed-{end}")
    data = WELL[f"packed-{end}.txt.{end}"]
    assert (packed["bytes"], packed["sha256"]) == (len(data), sha256(data).hexdigest())
    assert (packed["status"], packed["totals"]) == ("collection", {"unique": 2})
    assert box.record(f"lone-{end}")["status"] == "unique"
    assert box.text(f"lone-{end}_1.solution") == OTHER_SOLVED


def test_the_log_and_standard_error_tell_format_reason_totals_and_how_long_it_took(well):
    box, done = well
    shown = {e["source"]: e for e in events_in(done.stderr) if e["event"] == "job.finished"}
    claimed, read, ended = events_in(box.text("claims.log"))
    told, record = [claimed["event"], read["event"], ended["event"]], box.record("claims")
    assert told == ["job.claimed", "stage.parse", "job.finished"]
    assert (read["format"], ended["totals"]) == (record["format"], record["totals"])
    assert read["reason"]
    assert {event["job"] for event in (claimed, read, ended)} == {record["job"]}
    assert record["seconds"] == ended["seconds"] == shown["claims.csv"]["seconds"]
    assert [*record["seconds"]] == ["total"]
    assert record["seconds"]["total"] > 0
    assert shown["claims.csv"]["totals"] == record["totals"]


def test_each_kind_of_answer_has_its_row_and_its_lines(bad):
    box, _ = bad
    found = table(box, "top")
    more = found.pop(4)
    cells = '"top.txt:8:16: expected a line of 16, 36, 64 or 81 cells, found 15 cells"'
    text = box.text("top.csv").splitlines(keepends=True)
    del text[5]
    assert "".join(text) == HEADER + rows(
        f"1,2,{ONE},unique,1,true,exhaustive-search,{ONE_SOLVED},,,",
        f"2,4,{TWO},multiple,2,true,exhaustive-search,{TWO_SOLVED[0]},,,",
        "3,5,nonsense,invalid,0,,,,\"top.txt:5:1: expected a digit or a blank, found 'n'\",,",
        f"4,6,{CLASH},unsolvable,0,true,exhaustive-search,,{SAID},,",
        f"6,8,{ONE[:-1]},invalid,0,,,,{cells},,",
        f"7,9,{TURNED},unique,1,true,exhaustive-search,{TURNED_SOLVED},,,",
    )
    assert (more["index"], more["line"], more["puzzle"]) == ("5", "7", MORE)
    assert (more["status"], more["solutions"], more["complete"]) == ("multiple", "2", "false")
    first, second = (box.text(f"top_{rank}.solution").splitlines() for rank in (1, 2))
    assert (first.pop(4), second[4]) == (more["solution"], second.pop(4))
    assert first == [ONE_SOLVED, TWO_SOLVED[0], DOTS, DOTS, DOTS, TURNED_SOLVED]
    assert second == [DOTS, TWO_SOLVED[1], DOTS, DOTS, DOTS, DOTS]
    assert not (box.outbox / "top_3.solution").exists()
    assert box.record("top")["totals"] == {
        "invalid": 2,
        "multiple": 2,
        "unique": 2,
        "unsolvable": 1,
    }


def test_a_cut_off_collection_ends_with_a_row_that_says_so(cut):
    box, done = cut
    assert done.returncode == 1
    *good, last = (row for row in table(box, "cut") if row["status"] == "unique" or row["message"])
    assert (last["message"], last["puzzle"]) == ("it ends too early: it is cut off", "")
    whole = zlib.decompressobj(31).decompress(CUT["cut.txt.gz"]).count(b"\n") - len(HEAD)
    assert len(good) >= whole > 300
    assert [int(row["line"]) - len(HEAD) for row in good] == list(range(1, len(good) + 1))
    assert int(last["line"]) >= int(good[-1]["line"])
    solved = box.text("cut_1.solution")
    assert solved == rows(*[ONE_SOLVED] * len(good)) + rows(DOTS) * (
        len(table(box, "cut")) - len(good)
    )
    assert box.kept("done") == set(CUT)


def test_a_collection_whose_checksum_is_wrong_says_so_behind_its_puzzles(cut):
    box, _ = cut
    *good, last = table(box, "sum")
    assert ({row["status"] for row in good}, last["status"]) == ({"unique"}, "invalid")
    assert len(good) >= 100
    assert "it is damaged" in last["message"]


@pytest.mark.parametrize("most", [1, 3])
def test_as_many_solutions_are_looked_for_as_are_asked_for(tmp_path, most):
    source = rows(TWO, ONE, MORE)
    box, done = dropped(tmp_path, {"top.txt": source}, "--max-solutions", str(most))
    assert done.returncode == 0
    assert {name for name in box.published() if name.endswith(".solution")} == {
        f"top_{rank}.solution" for rank in range(1, most + 1)
    }
    texts = [box.text(f"top_{rank}.solution").splitlines() for rank in range(1, most + 1)]
    found = table(box, "top")
    said = f"there are more solutions than the {most} asked for"
    assert found[1]["message"] == ""
    assert (found[2]["solutions"], found[2]["complete"]) == (str(most), "false")
    assert found[2]["message"] == said
    puzzle = parse_puzzle(MORE)
    several = {text[2] for text in texts}
    assert len(several) == most
    assert all(is_solution(puzzle, Grid(puzzle.geometry, tuple(map(int, t)))) for t in several)
    wanted = [one_line(each.values) for each in solutions(parse_puzzle(TWO), 3)]
    if most == 1:
        assert texts[0][0] in wanted
        assert (found[0]["status"], found[0]["message"]) == ("multiple", said)
    else:
        assert [text[0] for text in texts] == [*TWO_SOLVED, DOTS] == [*wanted, DOTS]
        assert [text[1] for text in texts] == [ONE_SOLVED, DOTS, DOTS]
        assert found[0]["complete"] == "true"


def test_more_than_max_total_bytes_is_said(tmp_path):
    sources = {
        "large.txt.gz": gzip.compress(wide(4, 1200)),
        "small.txt.gz": gzip.compress(wide(5, 100)),
        "plain.txt": wide(6, 450),
    }
    box, done = dropped(tmp_path, sources, "--max-total-bytes", str(2**19))
    assert done.returncode == 1
    last = table(box, "large")[-1]
    assert (last["status"], last["puzzle"]) == ("invalid", "")
    assert "--max-total-bytes" in last["message"]
    assert box.record("large")["totals"]["unique"] >= 300
    assert box.record("large")["totals"]["invalid"] >= 1
    assert box.record("small")["totals"] == {"unique": 100}
    assert box.record("plain")["totals"] == {"unique": 450}


def test_max_bytes_bounds_one_puzzle_and_not_a_stream_of_them(tmp_path):
    sources = {
        "top.txt": rows(*[A] * 30, LETTERS, B),
        "packed.txt.gz": gzip.compress(rows(*[A] * 30).encode()),
        "single.txt": grid(A) + "#" * 200,
    }
    box, done = dropped(tmp_path, sources, "--max-bytes", "200")
    assert done.returncode == 1
    assert box.record("top")["totals"] == {"invalid": 1, "unique": 31}
    long = table(box, "top")[30]
    assert long["status"] == "invalid"
    assert "at most 200 bytes (--max-bytes)" in long["message"]
    assert box.record("packed")["totals"] == {"unique": 30}
    assert box.record("single")["status"] == "invalid"
    assert box.kept("failed") == {"single.txt"}


def test_a_declared_collection_without_a_puzzle_is_an_empty_table(tmp_path):
    sources = {"none.txt": "# nothing\n", "one.txt": rows(ONE)}
    box, done = dropped(tmp_path, sources, "--format", "lines", "--settle", "0")
    assert done.returncode == 0
    assert box.text("none.csv") == HEADER
    assert box.record("none")["totals"] == {}
    assert box.record("one")["totals"] == {"unique": 1}


def test_dropped_again_a_collection_replaces_what_it_was_as_a_whole(tmp_path):
    box, _ = dropped(tmp_path, {"top.txt": rows(ONE, TWO)})
    assert (box.outbox / "top_2.solution").exists()
    box.drop("top.txt", PAIR)
    assert box.run().returncode == 0
    assert box.published() == {"top.csv", "top.json", "top.log", "top_1.solution"}
    assert box.text("top_1.solution") == rows(ONE_SOLVED, TURNED_SOLVED)
    box.drop("top.txt", SMALL)
    assert box.run().returncode == 0
    assert box.published() == {"top.json", "top.log", "top_1.solution"}
    assert box.text("top_1.solution") == SMALL_SOLVED
    assert box.kept("done") == {"top.txt", "2/top.txt", "3/top.txt"}


class InMemory:
    """Growing files that are nowhere."""

    def __init__(self):
        self.files = {}

    def append(self, name, data):
        self.files[name] = self.files.get(name, b"") + data


def test_a_table_that_goes_on_knows_what_it_has_counted():
    begun = CheckpointedTable(InMemory(), "top", Settings())
    fallbacks = (Fallback(solver="pysat", reason="minisat ended with exit code 3", puzzles=1),)
    totals = Counter(unique=1, fallbacks=1)
    begun.add(Rows(1, 1, b"1,\n", [b"1\n"], totals, fallbacks), TextChunk(1, b"x\n"))
    resumed = CheckpointedTable(
        InMemory(), "top", Settings(), json.loads(json.dumps(begun.state()))
    )
    assert (resumed.count, resumed.totals, resumed.fallbacks) == (1, totals, fallbacks)
