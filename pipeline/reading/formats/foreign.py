"""Files of other programs: the error names the kind of file and says what to do.

Binary files are recognised by their first bytes. Texts are examined only after all formats have
failed, so no puzzle or formula is refused because it looks like another kind of file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle

_HEAD_BYTES = 64 * 1024
"""Size of the beginning of a text that is examined."""

_UNPACK_HINT = "unpack it first, or use gzip, bzip2, xz, zip or tar"
_TYPE_CELLS_HINT = "type the cells: one line of 81 digits and dots"
_COPY_CELLS_HINT = "copy the cells as text"
_CSV_HINT = "save the sheet as CSV"
_CNF_HINT = "convert it to DIMACS CNF"
_EXPECTED = "a puzzle as text"


class ForeignFile(NamedTuple):
    """The name of a kind of file, and the advice in its error."""

    name: str
    hint: str


_BINARY_FILES = {
    b"%PDF-": ForeignFile("a PDF document", f"{_COPY_CELLS_HINT}, one puzzle per line"),
    b"\x89PNG": ForeignFile("a picture (PNG)", _TYPE_CELLS_HINT),
    b"\xff\xd8\xff": ForeignFile("a picture (JPEG)", _TYPE_CELLS_HINT),
    b"GIF87a": ForeignFile("a picture (GIF)", _TYPE_CELLS_HINT),
    b"GIF89a": ForeignFile("a picture (GIF)", _TYPE_CELLS_HINT),
    b"II*\0": ForeignFile("a picture (TIFF)", _TYPE_CELLS_HINT),
    b"MM\0*": ForeignFile("a picture (TIFF)", _TYPE_CELLS_HINT),
    b"\xd0\xcf\x11\xe0": ForeignFile("a document of an older office program", _CSV_HINT),
    b"\x28\xb5\x2f\xfd": ForeignFile("a file compressed with zstd", _UNPACK_HINT),
    b"\x04\x22\x4d\x18": ForeignFile("a file compressed with lz4", _UNPACK_HINT),
    b"\x1f\x9d": ForeignFile("a file compressed with compress", _UNPACK_HINT),
    b"7z\xbc\xaf\x27\x1c": ForeignFile("a 7z archive", _UNPACK_HINT),
    b"Rar!\x1a\x07": ForeignFile("a RAR archive", _UNPACK_HINT),
    b"LZIP\x01": ForeignFile("a file compressed with lzip", _UNPACK_HINT),
    b"SQLite format 3\0": ForeignFile("an SQLite database", "export the puzzles as CSV"),
    b"PAR1\x15": ForeignFile("a Parquet table", "export the puzzles as CSV"),
}
"""Kinds of binary files by their first bytes. No text begins with these bytes."""

_BINARY_PATTERNS = (
    (
        re.compile(rb"\x5d\0\0.{2}(?:\xff{8}|.{4}\0{4})\0", re.DOTALL),
        ForeignFile("a file compressed with lzma", _UNPACK_HINT),
    ),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), ForeignFile("a picture (WebP)", _TYPE_CELLS_HINT)),
    (re.compile(rb"BM.{4}\0{4}", re.DOTALL), ForeignFile("a picture (BMP)", _TYPE_CELLS_HINT)),
    (
        re.compile(rb"\0\0\0.ftyp(?:heic|heix|mif1|avif)", re.DOTALL),
        ForeignFile("a picture (HEIF)", _TYPE_CELLS_HINT),
    ),
)
"""Kinds of binary files whose first bytes vary, with patterns for them."""

_XML = r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--[^>]*+>\s*+)?"
"""The XML declaration and a comment, if any."""

_STAR_COMMENTS, _C_COMMENTS = (
    rf"(?:{marker}[^\n]*+\n|[ \t\r]*+\n)*+[ \t]*+" for marker in (r"\*", "c")
)
"""Empty lines, and comments that begin with `*` or `c`."""

_LITERALS = r"(?:[ \t]++-?\d++)*+[ \t\r]*+"
"""The literals of a clause."""

_OPB = ForeignFile("a pseudo-Boolean problem (OPB)", _CNF_HINT)
_WCNF = ForeignFile("a MaxSAT problem (WCNF)", f"{_CNF_HINT}: its hard clauses without weights")
_TEXT_FILES = tuple(
    (re.compile(pattern, re.IGNORECASE), foreign)
    for pattern, foreign in (
        (
            rf"{_XML}(?:<!doctype\s++html|<(?:html|head|body|table|div|p|span|meta|script)\b)",
            ForeignFile(
                "a web page (HTML)",
                f"{_COPY_CELLS_HINT}, or give the link of the page if the link contains the cells",
            ),
        ),
        (
            rf"{_XML}(?:<!doctype\s++)?<?ksudoku\b",
            ForeignFile("a game of KSudoku", _TYPE_CELLS_HINT),
        ),
        (rf"{_XML}(?:<!doctype\s++svg|<svg)\b", ForeignFile("a picture (SVG)", _TYPE_CELLS_HINT)),
        (
            r'\s*+\{(?=[^\0]{0,4000}?"difficulty_category")(?=[^\0]{0,4000}?"time_elapsed")',
            ForeignFile("a saved game of GNOME Sudoku", _TYPE_CELLS_HINT),
        ),
        (r"\{\\rtf", ForeignFile("a rich text document (RTF)", _COPY_CELLS_HINT)),
        (r"\*[ \t]*+#variable=", _OPB),
        (
            _STAR_COMMENTS
            + r"(?:(?:min|max):[^\n;]*+;\s*+)?(?:[+-]?\d++[ \t]++~?x\d++[ \t]*+)++[<>=]",
            _OPB,
        ),
        (rf"{_C_COMMENTS}p[ \t]++wcnf\b", _WCNF),
        (rf"{_C_COMMENTS}(?:\d++{_LITERALS}\n)*+h[ \t]++-?\d++{_LITERALS}(?:\n|\Z)", _WCNF),
        (
            rf"{_C_COMMENTS}p[ \t]++cnf[^\n]*+\n{_C_COMMENTS}[ae][ \t]++\d",
            ForeignFile(
                "a quantified formula (QDIMACS)", "only formulas without quantifiers are read"
            ),
        ),
        (
            rf"{_C_COMMENTS}p[ \t]++(?:edge|col)\b",
            ForeignFile("a graph (DIMACS)", "encode it as a formula in DIMACS CNF first"),
        ),
    )
)
"""Kinds of texts, with patterns for their beginnings."""


def foreign_file(data: bytes) -> ForeignFile | None:
    """The kind of a binary file of another program; None for anything else."""
    for signature, kind in _BINARY_FILES.items():
        if data.startswith(signature):
            return kind
    return next((kind for pattern, kind in _BINARY_PATTERNS if pattern.match(data)), None)


def foreign_text_error(error: InvalidPuzzle, data: bytes) -> InvalidPuzzle:
    """The error for a text that no format can read, given the `error` of the last format.

    If the text is a file of another program, the error names its kind. Otherwise it is `error`.
    """
    text = data[:_HEAD_BYTES].decode("utf-8-sig", errors="replace")
    kind = next((file_kind for pattern, file_kind in _TEXT_FILES if pattern.match(text)), None)
    return foreign_error(error.source, kind) if kind else error


def foreign_error(source: str, kind: ForeignFile) -> InvalidPuzzle:
    """The error for a file of another program."""
    return InvalidPuzzle(
        source, None, None, _EXPECTED, kind.name, code="foreign-format", hint=kind.hint
    )
