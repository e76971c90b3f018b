r"""f-puzzles: a JSON document with a grid and rules, as it is, packed, or in a link.

    {"size":9,"grid":[[{},…],…,[…,{"value":1,"given":true},…],…],"killercage":[…]}
    N4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSSzKLryBdZQmq8l54+x1p7rj…
    https://sudokupad.app/fpuzzlesN4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSS…

Cells and rules are objects with cells by name, `R1C1`. Unknown keys are refused by name, and
so are drawings, unless they repeat known rules. Sides are 4 to 16.
"""

from __future__ import annotations

import re

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats.base import Format, Parsed
from pipeline.reading.formats.fpuzzles.document import LONGEST, Misread, load
from pipeline.reading.formats.text import Text
from pipeline.settings import Reading

_OBJECT = re.compile(r"\{\s*(?:$|[\"}])")
_PACKED = re.compile(r"N4Ig|fpuz(?:zles)?N4|(?:scl|ctc|scf)[\w+/=%]{20}")
_SHORT = re.compile(r"(?=[a-z\d]*[A-Z])(?=[A-Zx\d]*[a-wyz])(?=[A-Za-z]*\d)[A-Za-z\d]{8,19}")
"""A short name of a link, which is no row of a grid: no alphabet has small letters and large."""

_LINK = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)*(?:f-puzzles\.com|sudokupad\.app|crackingthecryptic\.com)\b"
    r"|https?://\S*(?:[?&](?:load|puzzleid)=|/fpuz)",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    rf"\s*(?:\{{(?s:.{{0,2000}}?)\"(?:size|grid)\"\s*:|N4Ig|fpuz(?:zles)?N4|{_LINK.pattern})"
)


def recognise_fpuzzles(text: Text) -> str | None:
    first = text.lines[0].text.lstrip()
    if _OBJECT.match(first):
        return "it begins as an object in JSON"
    if _LINK.match(first):
        return "it begins as a link to a puzzle"
    if _PACKED.match(first):
        return "it begins as what a link to a puzzle holds"
    alone = len(text.lines) == 1 and _SHORT.fullmatch(first.rstrip())
    return "it is like the short name of a link to a puzzle" if alone else None


def parse_fpuzzles(text: Text, _reading: Reading) -> Parsed:
    from pipeline.reading.formats.fpuzzles.packed import unpack  # noqa: PLC0415 - few are
    from pipeline.reading.formats.fpuzzles.reading import read  # noqa: PLC0415 - with all rules

    is_packed = not text.lines[0].text.lstrip().startswith("{")
    if not is_packed and len(text.data) > LONGEST:
        raise text.error(None, None, f"at most {LONGEST} bytes", f"{len(text.data)}")
    written = unpack(text) if is_packed else text.without_comments()
    try:
        return read(load(written))
    except Misread as misread:
        raise _invalid(text, misread, "" if is_packed else written) from None


def _invalid(text: Text, misread: Misread, written: str) -> InvalidPuzzle:
    """The error with the way to its place; a text that is no JSON has a line and column."""
    expected = f"{misread.expected} in {misread.where}" if misread.where else misread.expected
    line = column = None
    if written and misread.offset is not None:
        line = written.count("\n", 0, misread.offset) + 1
        column = misread.offset - written.rfind("\n", 0, misread.offset)
    return text.error(line, column, expected, misread.found)


FPUZZLES = Format("f-puzzles", recognise_fpuzzles, parse_fpuzzles, begins=_BEGINS)
