"""What every notation of many puzzles must do, for any puzzles and any size of a piece."""

from __future__ import annotations

import codecs
import io
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from support.parsers import layout_of
from support.strategies import examples

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import (
    COLLECTIONS,
    START,
    Entry,
    Layout,
    TextChunk,
    parse_puzzle,
)
from pipeline.reading.formats.cells import DIGITS
from pipeline.reading.formats.records import MAX_RECORD_BYTES
from pipeline.settings import Reading

SIDES = (4, 6, 8, 9)
ROUGHLY = (1, 7, 100, 333, 4096, 1 << 20)
"""Sizes of pieces: a record each, some, all."""

every_collection = pytest.mark.parametrize("name", [known.name for known in COLLECTIONS])
sizes = st.sampled_from(ROUGHLY) | st.integers(1, 2000)


def cells(side: int, seed: int, blanks: str = ".") -> str:
    """A puzzle's n² characters; a value or two, and one blank at least, are always there."""
    chance = random.Random(seed)
    drawn = chance.choices(DIGITS[:side] + blanks * 9, k=side * side - 2 - len(blanks))
    return "".join([DIGITS[side - 1], *blanks, *drawn, "1"])


def filled(side: int, seed: int) -> str:
    """A grid as a solution looks: equal values are not neighbours, as in a jigsaw's regions."""
    values = random.Random(seed).sample(DIGITS[:side], side)
    return "".join(values[(row + column) % side] for row in range(side) for column in range(side))


def rows(text: str) -> list[str]:
    """The rows of n² cells, or of n² cells and as many names of regions."""
    side = isqrt(len(text))
    side = side if side * side == len(text) else isqrt(len(text) // 2)
    return [text[start : start + side] for start in range(0, len(text), side)]


@dataclass(frozen=True)
class Written:
    """A source, the puzzles in it as characters, and the solutions beside them."""

    name: str
    data: bytes
    texts: tuple[str, ...]
    claims: tuple[str | None, ...]

    def puzzles(self) -> list[Puzzle]:
        return [parse_puzzle(text) for text in self.texts]


def _lines(draw: DrawFn, texts: Sequence[str], claims: Sequence[str]) -> tuple[str, bool]:
    comment = draw(st.sampled_from(["", "# one a line\n\n", "// easy\n"]))
    form = draw(
        st.sampled_from(["{0}\n", "{0} 1.2 a b\n", "{0}; x\n", "0a1f9 {0} 3\n", " {0}\t\n#\n"])
        | st.sampled_from(["{0},{1}\n", "{0}\t{1} 7\n", "{0}|{1}\n", "{0}{1}\n"])
    )
    body = (form.format(*pair) for pair in zip(texts, claims, strict=True))
    return comment + "".join(body), "{1}" in form


def _csv(draw: DrawFn, texts: Sequence[str], claims: Sequence[str]) -> tuple[str, bool]:
    header, form = draw(
        st.sampled_from(
            [
                ("quizzes,solutions", "{0},{1}"),
                ("id,puzzle,SOLUTION,clues", "7,{0},{1},"),
                ('"Solution";"Question"', '"{1}";"{0}"'),
                ('name\tPuzzle\tx"y', '"a\t""b"\t{0}\t'),
                ("question", "{0}"),
                ("a,b,c,d,e", '99,,"a, b",17,{0}'),
                ("", "99,x y,,17,{0},1"),
                ("", '"{0}","a"'),
            ]
        )
    )
    lines = [form.format(*pair) for pair in zip(texts, claims, strict=True)]
    return "\n".join([header, *lines] if header else lines) + "\n", "{1}" in form


def _stacked(draw: DrawFn, texts: Sequence[str], _claims: Sequence[str]) -> tuple[str, bool]:
    row = draw(st.sampled_from(["{0}", " {0} ", "|{0}|"]))
    frame = draw(st.sampled_from(["", "+---+\n"]))
    between = draw(
        st.sampled_from(["", "\n", " \n\n", "Grid {0:02}\n", "\nNo. {0}\nvery easy\n\n", "{0}\n"])
    )
    grids = (
        between.format(number)
        + frame
        + "".join(row.format(line) + "\n" for line in rows(text))
        + frame
        for number, text in enumerate(texts, 1)
    )
    return "".join(grids), False


def _opensudoku(draw: DrawFn, texts: Sequence[str], _claims: Sequence[str]) -> tuple[str, bool]:
    form = draw(
        st.sampled_from(
            [
                '  <game data="{0}" />\n',
                "<game data='{0}'/>",
                '\n<game note="a &lt; b"\n data="{0}"></game><!-- <game data="" /> -->\n',
            ]
        )
    )
    games = "".join(form.format(text.replace(".", "0")) for text in texts)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n <name>x</name>\n'
    return f"{head}{games}</opensudoku>\n", False


def _hodoku(draw: DrawFn, texts: Sequence[str], _claims: Sequence[str]) -> tuple[str, bool]:
    form = draw(st.sampled_from([":0000:x:{0}:::\n", ":0705:1 9:{0}:314 916:a:b\n"]))
    return "".join(map(form.format, texts)), False


def sumocue(text: str) -> str:
    """The puzzle as SumoCue writes it."""
    return f"SumoCueV1={'='.join(text.replace('.', '0'))}"


def _variants(draw: DrawFn, texts: Sequence[str], _claims: Sequence[str]) -> tuple[str, bool]:
    form = draw(st.sampled_from(["{0}\n", " {0} \n", "# a puzzle\n\n{0}\n"]))
    return "".join(form.format(sumocue(text)) for text in texts), False


def _json(draw: DrawFn, texts: Sequence[str], claims: Sequence[str]) -> tuple[str, bool]:
    form = draw(
        st.sampled_from(
            [
                '{{"puzzle": "{0}", "solution": "{1}"}}',
                '{{"id": 7, "Solution":"{1}", "quiz" : "{0}", "tags": ["a", {{"b": "]"}}]}}',
                '{{"data": {{"board": "{0}"}}, "title": "\\"{{["}}',
            ]
        )
    )
    records = [form.format(*pair) for pair in zip(texts, claims, strict=True)]
    if draw(st.booleans()):
        return "".join(f"{record}\n" for record in records), "{1}" in form
    form, between = draw(st.sampled_from([("[{}]\n", ","), ("[\n {}\n]\n", " ,\n ")]))
    wrapped = draw(
        st.sampled_from([form, f'{{{{"newboard": {{{{"grids": {form}, "n": 2}}}}}}}}\n'])
    )
    return wrapped.format(between.join(records)), claims[0] in records[0]


def _boards(draw: DrawFn, texts: Sequence[str], _claims: Sequence[str]) -> tuple[str, bool]:
    between = draw(
        st.sampled_from(
            ["Puzzle {0}\n", "No. {0}\n\n", "{0}.\n", "# a {0}\n", "---\n", "=====\n", "\n"]
        )
    )
    frame = draw(st.sampled_from(["", "┌────┐\n", "+----+\n"]))
    boards = (
        between.format(number)
        + frame
        + "".join(f"│{line}│\n" for line in rows(text))
        + frame.replace("┌", "└").replace("┐", "┘")
        for number, text in enumerate(texts, 1)
    )
    return "".join(boards), False


def with_regions(text: str) -> str:
    """The cells, and a region for each row, of which the first two share both rows."""
    side = isqrt(len(text))
    half = side // 2
    shared = "a" * half + "b" * (side - half) + "a" * (side - half) + "b" * half
    return text + shared + "".join(name * side for name in "cdefghi"[: side - 2])


def _jigsaws(draw: DrawFn, texts: Sequence[str], _claims: Sequence[str]) -> tuple[str, bool]:
    between = draw(st.sampled_from(["", "\n", "Puzzle {0}\n\n", "# a {0}\n", "---\n"]))
    is_beside, gap = draw(st.booleans()), draw(st.sampled_from(["", "\n", "Regions:\n"]))
    written = []
    for number, text in enumerate(texts, 1):
        lines = rows(text)
        grid, regions = lines[: len(lines) // 2], lines[len(lines) // 2 :]
        record = [f"{row} {names}" for row, names in zip(grid, regions, strict=True)]
        shown = "\n".join(record if is_beside else [*grid, gap.strip(), *regions])
        written.append(between.format(number) + shown + "\n")
    return "".join(written), False


WRITERS: dict[str, Callable[[DrawFn, Sequence[str], Sequence[str]], tuple[str, bool]]] = {
    "variants": _variants,
    "lines": _lines,
    "csv": _csv,
    "stacked": _stacked,
    "opensudoku": _opensudoku,
    "hodoku": _hodoku,
    "json": _json,
    "boards": _boards,
    "jigsaws": _jigsaws,
}
ONLY_NINE = ("opensudoku", "hodoku")
IN_ROWS = ("stacked", "boards", "jigsaws")
ALSO_SINGLE = (*ONLY_NINE, "json")
"""Formats that cannot be declared for collections alone."""


@st.composite
def written(draw: DrawFn, name: str) -> Written:
    """A collection of 2 to 7 puzzles, however the format allows."""
    seeds = draw(st.lists(st.integers(0, 10**6), min_size=2, max_size=7, unique=True))
    side = 9 if name in ONLY_NINE else draw(st.sampled_from(SIDES))
    mixed = name in ("lines", "csv", "variants") and draw(st.booleans())
    sides = [SIDES[seed % 4] if mixed else side for seed in seeds]
    only_classic = name in (*ONLY_NINE, "variants", "jigsaws")
    blanks = "." if only_classic else draw(st.sampled_from([".", ".", "0", "_", "*."]))
    pairs = list(zip(sides, seeds, strict=True))
    texts = [cells(*pair, blanks) for pair in pairs]
    texts = [*map(with_regions, texts)] if name == "jigsaws" else texts
    solutions = [filled(*pair) for pair in pairs]
    text, are_claimed = WRITERS[name](draw, texts, solutions)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    newline = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    claims = tuple(solution if are_claimed else None for solution in solutions)
    data = (mark + text.replace("\n", newline)).encode()
    return Written(name, data, tuple(texts), claims)


def detected(data: bytes, declared: str = "auto") -> Layout:
    found = layout_of(data, True, Reading(format=declared), "a.txt")
    assert found is not None
    return found


def pieces_of(found: Layout, data: bytes, size: int) -> list[TextChunk]:
    return list(found.chunks(io.BytesIO(data), size))


def read(found: Layout, data: bytes, size: int, variant: str = "auto") -> list[Entry]:
    return [
        entry
        for chunk in pieces_of(found, data, size)
        for entry in found.entries(chunk, Reading(variant))
    ]


def puzzle_of(entry: Entry) -> Puzzle | None:
    return parse_puzzle(entry.text) if entry.plain else entry.puzzle


def check(entries: Sequence[Entry], data: bytes) -> None:
    """Each entry is a puzzle or an error, at a line that exists and that follows the last one's."""
    lines = 1 + data.count(b"\n") + data.count(b"\r")
    assert all(first.line <= second.line for first, second in pairwise(entries))
    for entry in entries:
        assert 1 <= entry.line <= lines
        assert (entry.plain, entry.puzzle is not None, entry.error is not None).count(True) == 1
        if entry.plain:
            assert entry.claimed is None or (len(entry.claimed) == 81 and entry.claimed.isdigit())
        if entry.error is not None:
            assert entry.error.startswith("a.txt:")
            assert (entry.error + entry.text).isprintable()


def test_every_format_is_written_here():
    assert WRITERS.keys() == {known.name for known in COLLECTIONS}


@every_collection
@examples(6)
@given(data=st.data())
def test_a_written_collection_is_found_and_read_back_whatever_the_size_of_the_pieces(name, data):
    source = data.draw(written(name))
    found = detected(source.data)
    assert found.reason
    if (found.format.name, name) != ("lines", "csv"):
        assert found.format.name == name
    entries = read(found, source.data, data.draw(sizes))
    check(entries, source.data)
    assert [puzzle_of(entry) for entry in entries] == source.puzzles()
    assert [entry.claimed for entry in entries] == list(source.claims)
    assert [len(entry.text) for entry in entries] == [len(text) for text in source.texts]


@every_collection
@examples(4)
@given(data=st.data())
def test_the_pieces_are_the_source_and_can_be_cut_further(name, data):
    source, size = data.draw(written(name)), data.draw(sizes)
    found = detected(source.data)
    chunks = pieces_of(found, source.data, size)
    assert b"".join(chunk.data for chunk in chunks) == source.data
    smallest = pieces_of(found, source.data, 1)
    longest = max(len(chunk.data) for chunk in smallest)
    assert max(len(chunk.data) for chunk in chunks) <= max(size, longest)
    starts = [START, *(chunk.end for chunk in chunks)]
    assert starts[-1].byte == len(source.data)
    assert [
        part.shifted_by(start)
        for start, chunk in zip(starts, chunks, strict=False)
        for part in pieces_of(found, chunk.data, 1)
    ] == smallest
    rest = pieces_of(found, source.data[starts[1].byte :], size)
    assert [chunk.shifted_by(starts[1]) for chunk in rest] == chunks[1:], "it may go on there"


class Dripping(io.BytesIO):
    """A stream that gives less than it is asked for."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 1, 3))


@every_collection
@examples(6)
@given(data=st.data())
def test_pieces_do_not_depend_on_the_stream_and_are_read_in_another_process_as_here(name, data):
    source, size = data.draw(written(name)), data.draw(sizes)
    found = detected(source.data)
    chunks = list(found.chunks(Dripping(source.data), size))
    assert chunks == pieces_of(found, source.data, size)
    there, sent = pickle.loads(pickle.dumps((found, chunks)))
    entries = [entry for chunk in sent for entry in there.entries(chunk, Reading())]
    assert entries == read(found, source.data, 200)


@st.composite
def mutated(draw: DrawFn, name: str) -> bytes:
    """A collection with a few cuts, copies and foreign bytes."""
    data = draw(written(name)).data
    for _ in range(draw(st.integers(1, 5))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        put = draw(
            st.sampled_from(
                [b"", b"\n", b"\r", b"\0", b"\xff", b'"', b"<", b"&x;", b" ", b",", b"x"]
            )
            | st.just(data[start:end])
            | st.binary(max_size=4)
        )
        data = data[:start] + put + data[draw(st.sampled_from([start, end, end])) :]
    return data


@every_collection
@examples(8)
@given(data=st.data())
def test_a_mutated_collection_is_read_the_same_whatever_the_size_of_the_pieces(name, data):
    raw = data.draw(mutated(name))
    variant = data.draw(st.sampled_from(["auto", "auto", "classic", "even-odd"]))
    usual, declared = Reading(), Reading(format=name)
    found = layout_of(raw, True, usual, "a.txt")
    found = found or layout_of(raw, True, declared, "a.txt")
    if found is None:
        assert name in ALSO_SINGLE
        return
    entries = read(found, raw, 1 << 20, variant)
    check(entries, raw)
    assert read(found, raw, data.draw(sizes), variant) == entries


@every_collection
@examples(8)
@given(
    raw=st.binary(max_size=200)
    | st.text(" \n\r0123.*x|+-#:<>\"',;aG\0", max_size=200).map(str.encode)
)
def test_any_bytes_can_be_declared_to_be_a_collection(name, raw):
    found = layout_of(raw, True, Reading(format=name), "a.txt")
    if found is None:
        assert name in ALSO_SINGLE
        return
    assert found.format.name == name
    check(read(found, raw, 50), raw)


@every_collection
@examples(6)
@given(data=st.data())
def test_a_head_that_is_cut_anywhere_is_of_that_format_or_of_none(name, data):
    source = data.draw(written(name))
    assert detected(source.data)
    end = data.draw(st.integers(0, len(source.data)))
    found = layout_of(source.data[:end], complete=False)
    assert found is None or {found.format.name, name} in ({name}, {"lines", "csv"})
    long = b"\n".join([source.data.removeprefix(codecs.BOM_UTF8)] * 6)
    assert layout_of(long, complete=False) is not None


@every_collection
@examples(4)
@given(data=st.data())
def test_a_bad_sign_costs_one_row(name, data):
    source = data.draw(written(name))
    found = detected(source.data)
    before = read(found, source.data, 100)
    victim = data.draw(st.integers(0, len(source.texts) - 1))
    row = rows(source.texts[victim])[1] if name in IN_ROWS else source.texts[victim]
    row = row.replace(".", "0") if name == "opensudoku" else row
    row = sumocue(row) if name == "variants" else row
    line = before[victim].line
    at = source.data.find(row.encode(), _start_of(source.data, line))
    bad = data.draw(st.sampled_from([b"!", b"\xff", b"\0", b"o"]))
    spoiled = source.data[:at] + bad + source.data[at + 1 :]
    after = read(found, spoiled, data.draw(sizes))
    check(after, spoiled)
    assert after[victim].error is not None
    place = int(after[victim].error.split(":")[1])
    assert line <= place <= line + len(rows(source.texts[victim]))
    assert after[:victim] + after[victim + 1 :] == before[:victim] + before[victim + 1 :]


def _start_of(data: bytes, line: int) -> int:
    """The offset of a line's first byte."""
    lines = data.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1]))


@every_collection
@pytest.mark.parametrize("size", [100, 1 << 20])
@examples(4)
@given(data=st.data())
def test_a_record_without_end_is_one_error_and_is_skipped(name, size, data):
    source = data.draw(written(name).filter(lambda made: b"\n\r" not in made.data))
    found = detected(source.data)
    entries = read(found, source.data, 100)
    at = source.data.rfind(b"1")
    endless = source.data[:at] + b"5" * (3 * MAX_RECORD_BYTES) + source.data[at:]
    chunks = pieces_of(found, endless, size)
    assert all(len(chunk.data) <= max(size, MAX_RECORD_BYTES + 1) for chunk in chunks)
    after = read(found, endless, size)
    check(after, endless)
    assert after[:-1] == entries[:-1]
    assert after[-1].error is not None
    assert after[-1].line <= entries[-1].line
