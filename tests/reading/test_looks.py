"""What looks like a puzzle, however damaged, and what is something else."""

from __future__ import annotations

import codecs
import random
import time
from pathlib import Path

from support.cases import for_each
from support.notations import WITH_RULES
from support.parsers import CLASSIC, LINE, ROWS

from pipeline.reading.formats import FORMATS, render_puzzle
from pipeline.reading.read import looks_like_no_puzzle

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").iterdir())

SOMETHING_ELSE = {
    "nothing": "",
    "empty lines": " \n\n",
    "only comments": "# a grid\n// of puzzles\n",
    "a word": "hello\n",
    "prose": "This archive has 100 puzzles.\nThey were made in 2020,\nand tested.\n",
    "contents": "Easy ones ........ 3\nHard ones ....... 12\n",
    "rules": "-----\nabout\n-----\n",
    "a table of names": "name,score\nann,10\nbob,12\n",
    "a table of files": "puzzle,rating\n001.txt,3.4\n002.txt,9.1\n",
    "a table of numbers": "id,clues,rating\n1,24,3.5\n2,25,1.2\n",
    "Markdown": "# Puzzles\n\nMade by *me*.\n\n| a | b |\n|---|---|\n| x | 2 |\n",
    "JSON": '{"name": "x", "sizes": [9, 16]}',
    "a list in JSON": '[{"name": "x"}]',
    "coordinates in JSON": '{"c": [[12.5, 41.9], [12.6, 41.8]]}',
    "HTML": '<?xml version="1.0"?>\n<html><body>53..7</body></html>',
    "a settings file": "[core]\nname = x\n",
    "hashes": "d41d8cd98f00b204e9800998ecf8427e  a.txt\n0cc175b9c0f1b6a831c399e269772661  b.txt\n",
    "PDF": "%PDF-1.4\n%âã\n1 0 obj\n<< /Type /Page >>\nendobj\nxref\n0 2\n0000000016 00000 n \n",
}
MORE = "and so on\n" * 50
SOMETHING_ELSE |= {
    "years": "Made in\n" + "".join(f"{year}\n" for year in range(2010, 2025)) + MORE,
    "days": "On\nthese\n" + "".join(f"{day}\n" for day in range(20130401, 20130431)) + MORE * 3,
    "years in a line": "Made in\n2010 2011 2012 2013\n" + MORE,
    "a table of counts": "Counts\n\n| a | b | c | d |\n|---|---|---|---|\n"
    + "".join(f"| {n} | {n + 1} | {n + 2} | 27 |\n" for n in range(5))
    + MORE,
    "numbers in code": "x = [\n    1, 0, 0, 0,\n    0, 1, 0, 0,\n    0, 0, 1, 0,\n]\n"
    + "pass\n" * 20,
    "an address": "The server is\n123.123.123.123\nfor now\nand always\nso\n",
    "a bit mask": "Of\nbits\nMASK = 0b0000000001111\nTHIRD = 1.33333333333333\n" + MORE,
    "a key": "The key\n" + "0123456789abcdef" * 16 + "\nfor\nall\nof\nus\n",
    "a listing": "Directory\n" + "........\n" * 9 + MORE,
}
DAMAGED = {
    "a wrong sign": ROWS.replace("7", "k", 1),
    "wrong signs": ROWS.replace("7", "k"),
    "a title": "Taken from the paper\n\n" + ROWS.replace("7", "k", 1),
    "a row": "53..7....\n",
    "a long line": LINE + "1",
    "a wrong sign in a line": LINE.replace("8", "k", 1),
    "one bad of 16 cells": "1.k.............\n",
    "a line and a word": f"{LINE}\nhello\n",
    "a table": f"puzzle,solution\n{LINE[:80]},1\n",
    "empty fields": "5,3,,,7,,,,\n6,k,,1,9,5,,,\n",
    "spaces": "53  7\n6  195\n 98    k\n",
    "wide spaces": "5 3     7\n6     1 k 5\n",
    "few digits among spaces": "1\n  2\n 3\n   4\n",
    "rows above text": ROWS.replace("7", "k", 1) + MORE,
    "bars": "| 5 3 . | . 7 . |\n|-------+-------|\n| k . . | 1 9 5 |\n",
    "underscores": "__3_\n_1__\n2___\n___k\n",
    "dashes": "--3-\n-1--\n2---\n---k\n",
    "only blanks": ".........\n" * 8 + "........k\n",
    "letters": "..C..F..IJ.L..O.\n.D.A..Z.....B..K\n",
    "letters in a line": "ABCDEFGHIJKLMNOP" * 16 + "ABC",
    "a list": "[[5, 3, 0,\n",
    "a list of texts": '["53..7..',
    "a list of lines": "[\n [null, 3,\n",
    "XML": '<?xml version="1.0"?>\n<opensudoku>\n<game data="12"/>',
    "a section": "[Puzzle]\nnone\n",
    "a size": "puzzle size: 2x2\n",
    "a size and names": "experiment: x\ntask: 1\npuzzle size: 2x2\n",
    "a library": ":0000:x:..7+3",
    "the size of a box": "2 2\n1 0 x\n",
    "a comment": "c easy\n",
    "a formula": "p cnf x y\n",
    "a border": "*-----------*\n",
}


@for_each("text", SOMETHING_ELSE.values())
def test_what_is_no_puzzle_does_not_look_like_one(text):
    assert looks_like_no_puzzle(text.encode())


@for_each("text", DAMAGED.values())
def test_what_begins_like_a_puzzle_looks_like_one(text):
    assert not looks_like_no_puzzle(text.encode())
    assert not looks_like_no_puzzle(codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode())


def test_other_encodings_hide_no_puzzle():
    for encoded in (
        ROWS.encode("utf-16"),
        codecs.BOM_UTF16_BE + ROWS.encode("utf-16-be"),
        ROWS.replace("7", "é", 1).encode("latin-1"),
    ):
        assert not looks_like_no_puzzle(encoded)


def test_a_long_line_of_digits_is_soon_found_to_be_no_puzzle():
    start = time.process_time()
    assert looks_like_no_puzzle(random.Random(1).randbytes(100_000).hex().encode())
    assert time.process_time() - start < 5


def test_bytes_that_are_no_text_are_no_puzzle():
    noise = random.Random(1).randbytes(50_000)
    for data in (noise, b"\0" * 50_000, b"\x89PNG\r\n\x1a\n" + noise, b"\xff\xd8\xff\xe0" + noise):
        assert looks_like_no_puzzle(data)


@for_each("path", EXAMPLES)
def test_every_example_looks_like_a_puzzle_with_a_wrong_sign_and_without_its_end(path):
    data = path.read_bytes()
    assert not looks_like_no_puzzle(data)
    assert not looks_like_no_puzzle(data[: len(data) * 9 // 10])
    middle = len(data) // 2
    assert not looks_like_no_puzzle(data[:middle] + b"\xff" + data[middle + 1 :])


@for_each("name", ["CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"])
def test_what_lies_beside_this_programs_source_is_no_puzzle(name):
    assert looks_like_no_puzzle((ROOT / name).read_bytes())


LINES = {
    "a line": f"{LINE}\n",
    "a line of four": "1.3..4.22..3.32.\n",
    "a line of words": " ".join(LINE) + "\n",
    "rows in a line": ROWS.replace("\n", " ") + "\n",
    "a table": f"7,{LINE},easy\n",
    "a library": f":0000:x:{LINE.replace('.', '+7', 5)}:314 916::\n",
}


@for_each("line", LINES.values())
def test_text_around_it_hides_no_damaged_line(line):
    for at in range(9 if line.startswith(":") else 0, len(line) - 6, 5):
        if line[at] in "123456789.":
            text = "They say so.\nand, for us,\n" * 9 + line[:at] + "k" + line[at + 1 :]
            assert not looks_like_no_puzzle(f"{text}and so on\n\nA: b (c)".encode()), text


def test_what_a_format_writes_or_reads_begins_as_it_says():
    for known in FORMATS:
        if known.begins and known.name != "sadman":  # its heading may be left out
            text = render_puzzle(CLASSIC, known.name) if known.render else WITH_RULES[known.name]
            assert known.begins.match(text), known.name
