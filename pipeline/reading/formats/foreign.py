"""Files of other programs: named as what they are, with what to do instead.

Binary files are recognised by their first bytes. Texts are looked at only after reading has failed,
so no puzzle or formula is refused because it looks like something else.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle

_HEAD_BYTES = 64 * 1024

_UNPACK = "unpack it first, or use gzip, bzip2, xz, zip or tar"
_PICTURE = "type the cells: one line of 81 digits and dots"
_CELLS = "copy the cells as text"
_AS_CSV = "save the sheet as CSV"
_TO_CNF = "convert it to DIMACS CNF"
_EXPECTED = "a puzzle as text"


class Foreign(NamedTuple):
    """What a file is, and what to do."""

    name: str
    hint: str


_BINARY = {
    b"%PDF-": Foreign("a PDF document", f"{_CELLS}, one puzzle a line"),
    b"\x89PNG": Foreign("a picture (PNG)", _PICTURE),
    b"\xff\xd8\xff": Foreign("a picture (JPEG)", _PICTURE),
    b"GIF87a": Foreign("a picture (GIF)", _PICTURE),
    b"GIF89a": Foreign("a picture (GIF)", _PICTURE),
    b"II*\0": Foreign("a picture (TIFF)", _PICTURE),
    b"MM\0*": Foreign("a picture (TIFF)", _PICTURE),
    b"\xd0\xcf\x11\xe0": Foreign("a document of an older office program", _AS_CSV),
    b"\x28\xb5\x2f\xfd": Foreign("a file packed by zstd", _UNPACK),
    b"\x04\x22\x4d\x18": Foreign("a file packed by lz4", _UNPACK),
    b"\x1f\x9d": Foreign("a file packed by compress", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": Foreign("a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": Foreign("a RAR archive", _UNPACK),
    b"LZIP\x01": Foreign("a file packed by lzip", _UNPACK),
    b"SQLite format 3\0": Foreign("an SQLite database", "export the puzzles as CSV"),
    b"PAR1\x15": Foreign("a Parquet table", "export the puzzles as CSV"),
}
"""By the first bytes, which no text has."""

_PATTERNS = (
    (
        re.compile(rb"\x5d\0\0.{2}(?:\xff{8}|.{4}\0{4})\0", re.DOTALL),
        Foreign("a file packed by lzma", _UNPACK),
    ),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), Foreign("a picture (WebP)", _PICTURE)),
    (re.compile(rb"BM.{4}\0{4}", re.DOTALL), Foreign("a picture (BMP)", _PICTURE)),
    (
        re.compile(rb"\0\0\0.ftyp(?:heic|heix|mif1|avif)", re.DOTALL),
        Foreign("a picture (HEIF)", _PICTURE),
    ),
)
"""The same by patterns."""

_XML = r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--[^>]*+>\s*+)?"
_STARS, _REMARKS = (rf"(?:{sign}[^\n]*+\n|[ \t\r]*+\n)*+[ \t]*+" for sign in (r"\*", "c"))
_LITERALS = r"(?:[ \t]++-?\d++)*+[ \t\r]*+"
_OPB = Foreign("a pseudo-Boolean problem (OPB)", _TO_CNF)
_WCNF = Foreign("a MaxSAT problem (WCNF)", f"{_TO_CNF}: its hard clauses without weights")
_TEXTS = tuple(
    (re.compile(pattern, re.IGNORECASE), foreign)
    for pattern, foreign in (
        (
            rf"{_XML}(?:<!doctype\s++html|<(?:html|head|body|table|div|p|span|meta|script)\b)",
            Foreign("a web page (HTML)", f"{_CELLS}, or give its link if the cells are in it"),
        ),
        (rf"{_XML}(?:<!doctype\s++)?<?ksudoku\b", Foreign("a game of KSudoku", _PICTURE)),
        (rf"{_XML}(?:<!doctype\s++svg|<svg)\b", Foreign("a picture (SVG)", _PICTURE)),
        (
            r'\s*+\{(?=[^\0]{0,4000}?"difficulty_category")(?=[^\0]{0,4000}?"time_elapsed")',
            Foreign("a saved game of GNOME Sudoku", _PICTURE),
        ),
        (r"\{\\rtf", Foreign("a rich text document (RTF)", _CELLS)),
        (r"\*[ \t]*+#variable=", _OPB),
        (
            rf"{_STARS}(?:(?:min|max):[^\n;]*+;\s*+)?(?:[+-]?\d++[ \t]++~?x\d++[ \t]*+)++[<>=]",
            _OPB,
        ),
        (rf"{_REMARKS}p[ \t]++wcnf\b", _WCNF),
        (rf"{_REMARKS}(?:\d++{_LITERALS}\n)*+h[ \t]++-?\d++{_LITERALS}(?:\n|\Z)", _WCNF),
        (
            rf"{_REMARKS}p[ \t]++cnf[^\n]*+\n{_REMARKS}[ae][ \t]++\d",
            Foreign("a quantified formula (QDIMACS)", "only formulas without quantifiers are read"),
        ),
        (
            rf"{_REMARKS}p[ \t]++(?:edge|col)\b",
            Foreign("a graph (DIMACS)", "encode it as a formula in DIMACS CNF first"),
        ),
    )
)
"""Texts, by how they begin; tried only if reading has failed."""


def foreign_file(data: bytes) -> Foreign | None:
    """What a binary file of another program is; None for anything else."""
    for sign, foreign in _BINARY.items():
        if data.startswith(sign):
            return foreign
    return next((known for pattern, known in _PATTERNS if pattern.match(data)), None)


def name_foreign(error: InvalidPuzzle, data: bytes) -> InvalidPuzzle:
    """The error for a text that no format reads: with its name, if it is of another program."""
    text = data[:_HEAD_BYTES].decode("utf-8-sig", errors="replace")
    foreign = next((known for pattern, known in _TEXTS if pattern.match(text)), None)
    return refuse_foreign(error.source, foreign) if foreign else error


def refuse_foreign(source: str, foreign: Foreign) -> InvalidPuzzle:
    """The error for a file of another program."""
    return InvalidPuzzle(
        source, None, None, _EXPECTED, foreign.name, code="foreign-format", hint=foreign.hint
    )
