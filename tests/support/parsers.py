"""Reading puzzles in tests, what refuses them, and puzzles that many formats can write."""

from __future__ import annotations

import re

import pytest
from support.puzzles import NINE, NINE_SOLVED

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats import Layout, Parsed, parse_puzzle, parse_source, read_text
from pipeline.settings import DETECTED, Reading

LINE, SOLVED = NINE, NINE_SOLVED
CLASSIC = parse_puzzle(LINE)


def grid(cells: str) -> str:
    """The n² cells in n lines."""
    side = round(len(cells) ** 0.5)
    return "".join(cells[start : start + side] + "\n" for start in range(0, len(cells), side))


ROWS = grid(LINE)


def layout_of(
    head: bytes, complete: bool = True, reading: Reading = DETECTED, source: str = ""
) -> Layout | None:
    """The layout of a collection; None for anything else."""
    found = read_text(head, complete, source, reading)
    return found if isinstance(found, Layout) else None


def read(text: str | bytes, **options) -> Parsed:
    data = text.encode() if isinstance(text, str) else text
    return parse_source(data, "a.txt", Reading(**options))


def refusal(text: str | bytes, **options) -> InvalidPuzzle:
    with pytest.raises(InvalidPuzzle) as caught:
        read(text, **options)
    return caught.value


def refused(text: str | bytes, **options) -> tuple[str, bool]:
    """The message without the file's name, and whether the text may be cut off."""
    error = refusal(text, **options)
    return str(error).removeprefix("a.txt:").lstrip(), error.truncated


def said_of(text: str | bytes, **options) -> str:
    return refused(text, **options)[0]


def check_place(error: InvalidPuzzle, data: bytes) -> None:
    """The line exists; the column, if it is known, lies in it or just behind its end."""
    text = data.decode("utf-8-sig", errors="replace")
    lines = re.split(r"\r\n|\r|\n", text)
    if error.line is not None:
        assert 1 <= error.line <= len(lines)
        assert error.column is None or (1 <= error.column <= len(lines[error.line - 1]) + 1)
    assert str(error).startswith("a.txt:")
    assert str(error).isprintable()


def check_read_or_refused(text: str, format_name: str) -> None:
    """A text is a puzzle, or refused at a place that exists."""
    data = text.encode()
    try:
        read(data, format=format_name)
    except InvalidPuzzle as error:
        check_place(error, data)
