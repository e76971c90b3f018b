r"""f-puzzles: a JSON document with a grid and rules, as it is, packed, or in a link.

    {"size":9,"grid":[[{},…],…,[…,{"value":1,"given":true},…],…],"killercage":[…]}
    N4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSSzKLryBdZQmq8l54+x1p7rj…
    https://sudokupad.app/fpuzzlesN4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSS…

Cells and rules are objects with cells by name, `R1C1`. Unknown keys are refused by name, and
so are drawings, unless they repeat known rules. Sides are 4 to 16.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Geometry, Grid
from pipeline.reading.formats.base import Format, Found
from pipeline.reading.formats.fpuzzles.document import (
    LONGEST,
    Misread,
    load,
    whole_number,
)
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


def parse_fpuzzles(text: Text, _reading: Reading) -> Found:
    from pipeline.reading.formats.fpuzzles.reading import read  # noqa: PLC0415 - with all rules

    is_packed = not text.lines[0].text.lstrip().startswith("{")
    if is_packed:
        from pipeline.reading.formats.fpuzzles.packed import unpack  # noqa: PLC0415 - few are

        written = unpack(text)
    else:
        written = _written(text)
    try:
        return read(load(written))._replace(document=written)
    except Misread as misread:
        raise _invalid(text, misread, None if is_packed else written) from None


def _written(text: Text) -> str:
    """The JSON text, line by line, with empty lines for comments. Raises InvalidPuzzle."""
    if len(text.data) > LONGEST:
        raise text.error(None, None, f"at most {LONGEST} bytes", f"{len(text.data)}")
    said = {line.number: line.text for line in text.lines}
    return "\n".join(said.get(number, "") for number in range(1, text.lines[-1].number + 1))


def _invalid(text: Text, misread: Misread, written: str | None) -> InvalidPuzzle:
    """The error with the way to its place; a text that is no JSON has a line and column."""
    expected = f"{misread.expected} in {misread.where}" if misread.where else misread.expected
    line = column = None
    if written is not None and misread.offset is not None:
        line = written.count("\n", 0, misread.offset) + 1
        column = misread.offset - written.rfind("\n", 0, misread.offset)
    return text.error(line, column, expected, misread.found, truncated=misread.truncated)


def fill_fpuzzles(document: str, grid: Grid) -> str:
    """The document with the grid's value in each cell that is not given, in one line."""
    filled: Any = load(document)
    cells = [cell for row in filled["grid"] for cell in row]
    for cell, value in zip(cells, grid.values, strict=True):
        if not cell.get("given"):
            cell["value"] = value
    return json.dumps(filled, separators=(",", ":")) + "\n"


def filled_fpuzzles(data: bytes, source: str, geometry: Geometry) -> Grid:
    """The grid whose values are in a document that is filled. Raises InvalidPuzzle."""
    try:
        filled: Any = load(data.decode())
        values = [whole_number(cell["value"]) for row in filled["grid"] for cell in row]
        return Grid(geometry, tuple(value for value in values if value))
    except (Misread, KeyError, TypeError, ValueError):
        expected = f"a document of f-puzzles with a value in each of {geometry.size} cells"
        raise InvalidPuzzle(source, None, None, expected, "another") from None


FPUZZLES = Format(
    "f-puzzles",
    recognise_fpuzzles,
    parse_fpuzzles,
    render=None,
    begins=_BEGINS,
    fill=fill_fpuzzles,
    filled=filled_fpuzzles,
)
