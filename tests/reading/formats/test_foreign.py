"""Files of other programs are refused by name, and puzzles that resemble them are read."""

from __future__ import annotations

import pytest
from support.cases import for_each
from support.parsers import LINE, ROWS, read, refusal

from pipeline.reading import SingleFormula, Unreadable
from pipeline.reading.read import source_in
from pipeline.settings import Settings

KSUDOKU = '<ksudoku>\n <game had-help="0">\n  <puzzle><values>fd__h</values></puzzle>\n </game>\n'


def reason(raw: bytes) -> str:
    """Why a file is refused, without its name."""
    source, is_torn = source_in(raw, "a", Settings())
    assert isinstance(source, Unreadable)
    assert not is_torn
    return source.reason.removeprefix("a: expected a puzzle as text, found ")


@for_each(
    ("raw", "name"),
    [
        (b"%PDF-1.4\n1 0 obj\n", "a PDF document; "),
        (b"\x89PNG\r\n\x1a\n\0", "a picture (PNG); "),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a picture (JPEG); "),
        (b"GIF89a\x01\0\x01\0", "a picture (GIF); "),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "a picture (WebP); "),
        (b"\0\0\0\x18ftypheic", "a picture (HEIF); "),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "a document of an older office program; save the sheet"),
        (
            b"\x28\xb5\x2f\xfd\x04\x58\x81",
            "a file compressed with zstd; unpack it first, or use gzip",
        ),
        (b"\x5d\0\0\x80\0" + b"\xff" * 8 + b"\0\x18\x0d", "a file compressed with lzma; unpack"),
        (
            b"\x5d\0\0\x80\0" + b"\x52\0\0\0\0\0\0\0" + b"\0\x18",
            "a file compressed with lzma; unpack",
        ),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive; unpack"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive; unpack"),
    ],
)
def test_a_binary_file_is_named(raw, name):
    assert reason(raw).startswith(name)


@for_each(
    ("text", "name"),
    [
        ("<html><head><title>x</title></head>\n<table><tr><td>9</td>", "a web page (HTML); copy"),
        ("<!DOCTYPE html>\n<html lang='en'>", "a web page (HTML); copy"),
        ("<!-- x --><html>\n<body>9</body>", "a web page (HTML); copy"),
        ("<!doctype HTML public>\n", "a web page (HTML); copy"),
        (f"<!DOCTYPE ksudoku>\n{KSUDOKU}", "a game of KSudoku; type the cells"),
        (f'<?xml version="1.0"?>\n<!DOCTYPE ksudoku>\n{KSUDOKU}', "a game of KSudoku; type"),
        (KSUDOKU, "a game of KSudoku; type the cells"),
        ('<svg xmlns="http://www.w3.org/2000/svg">', "a picture (SVG); type"),
        (
            '{"difficulty_category":2,"time_elapsed":1.5,"cells":[{"position":[0,1],"value":5}]}',
            "a saved game of GNOME Sudoku; type the cells",
        ),
        ("* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n", "a pseudo-Boolean problem (OPB); "),
        ("* made\n\nmin: +1 x1 ;\n+1 x1 +1 ~x2 >= 1 ;\n", "a pseudo-Boolean problem (OPB); "),
        ("h 1 2 0\n3 -1 0\n", "a MaxSAT problem (WCNF); convert it to DIMACS CNF"),
        ("c made\n3 -1 0\n1 2 0\nh 1 2 0\n", "a MaxSAT problem (WCNF); convert it"),
        ("p wcnf 2 2 10\n10 1 2 0\n3 -1 0\n", "a MaxSAT problem (WCNF); convert it"),
        ("c x\np cnf 2 1\na 1 0\ne 2 0\n1 2 0\n", "a quantified formula (QDIMACS); only"),
        ("p edge 3 1\ne 1 2\n", "a graph (DIMACS); encode it"),
    ],
)
def test_a_text_is_named(text, name):
    assert reason(text.encode()).startswith(name)
    assert reason(text.replace("\n", "\r\n").encode()).startswith(name)


@for_each("text", [f"<html>\n{ROWS}", f"h 1 2 0\n{LINE}\n", f"* #variable= 2\n{ROWS}"])
def test_a_text_that_can_be_read_is_not_refused_for_its_beginning(text):
    """Names are looked for only if no format reads it."""
    with_title = text.partition("\n")[2]
    assert read(with_title).puzzle == read(ROWS).puzzle


@pytest.mark.parametrize("text", ["p cnf 2 1\n1 2 0\n", "c a 1\np cnf 2 1\n1 2 0\n"])
def test_a_formula_is_no_other_problem(text):
    source, _ = source_in(text.encode(), "a", Settings())
    assert isinstance(source, SingleFormula)


def test_the_error_says_for_programs_that_the_format_is_foreign():
    error = refusal("h 1 2 0\n3 -1 0\n")
    assert error.code == "foreign-format"
    assert error.hint


def test_a_declared_format_reports_its_own_error():
    assert "WCNF" not in str(refusal("h 1 2 0\n3 -1 0\n", format="grid"))


@pytest.mark.parametrize("text", [" " * 60_000 + "h", "c\n" * 30_000 + "h", "1 2\n" * 15_000])
def test_long_texts_are_named_or_not_in_a_moment(text):
    assert refusal(text).code != "foreign-format"
