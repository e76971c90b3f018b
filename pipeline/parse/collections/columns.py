"""Which field of the lines holds the puzzle: found by looking at many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pipeline.parse.cells import EVEN, ODD
from pipeline.parse.collections.base import Head
from pipeline.parse.collections.fields import Fields, UnreadableError, split
from pipeline.parse.collections.shapes import (
    has_blanks,
    is_above_four,
    is_attempt,
    side_of,
    without_separators,
)

DELIMITERS = (",", ";", "\t", "|")
_WIDEST = 40
_BEHIND_HASH = 1
"""The field of the puzzle in lines that begin with a hash."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A way to read lines: in `good` of them there is a puzzle, in `near` what may be one."""

    fields: Fields
    good: int = 0
    near: int = 0
    total: int = 0

    @property
    def is_collection(self) -> bool:
        """Whether two puzzles or more are there, and not much else."""
        several = self.good >= 2 or (self.good == self.near == 1 and self.total == 2)
        return several and (self.good + self.near) * 2 > self.total


@lru_cache(maxsize=1)  # tables and lines ask the same of a source
def find_fields(head: Head) -> Finding:
    """The way in which most lines are puzzles.

    Where several ways are as good: a table only if more than a hash is before the puzzle.
    """
    lines = head.lines
    if not head.declared and may_be_sixteen(lines, whole=head.is_whole):
        return Finding(Fields())
    ways = [_survey(lines, Fields(), _BEHIND_HASH), _survey(lines, Fields(column=None))]
    ways += [
        _survey(lines, Fields(delimiter=delimiter))
        for delimiter in DELIMITERS
        if any(delimiter in line for line in lines)
    ]
    ways.append(_survey(lines, Fields()))
    return max(ways, key=lambda way: way.good)


def judge(fields: Fields, texts: Sequence[str], total: int) -> Finding:
    """How many of these texts are puzzles."""
    others = [text for text in texts if not side_of(text)]
    return Finding(fields, len(texts) - len(others), sum(map(is_attempt, others)), total)


def may_be_sixteen(lines: Sequence[str], *, whole: bool) -> bool:
    """Whether the lines of sixteen cells are the rows of 16×16 puzzles, or may be.

    `whole` says that these are all lines of the source.
    """
    cells = [without_separators(line) for line in lines]
    rows = [row for row in cells if len(row) == 16]
    others = sum(len(row) != 16 and is_attempt(row) for row in cells)
    if len(rows) <= others:
        return False
    above = sum(map(is_above_four, rows))
    several = whole and len(rows) == len(lines) and len(rows) % 16 == 0 and not above
    if several or len(rows) + others == 16:
        return above > 0 or not {EVEN, ODD} <= set("".join(rows))
    return above * 4 > len(rows)


def _survey(lines: Sequence[str], way: Fields, last: int = _WIDEST) -> Finding:
    """How many of the lines hold a puzzle where most of them do, up to the field `last`."""
    return survey_rows([_texts(line, way) for line in lines], way, last)


def survey_rows(rows: Sequence[Sequence[str]], way: Fields, last: int = _WIDEST) -> Finding:
    """How many of the records hold a puzzle where most of them do, up to the field `last`."""
    shaped: Counter[int] = Counter()
    open_cells: Counter[int] = Counter()
    for row in rows:
        for at, text in enumerate(row[:_WIDEST]):
            if side_of(text):
                shaped[at] += 1
                open_cells[at] += has_blanks(text)
    most = max(shaped.values(), default=0)
    likely = [at for at in sorted(shaped) if shaped[at] * 2 > most]
    eligible = [at for at in likely if at <= last]
    if not eligible:
        return Finding(way, total=len(rows))
    column = next((at for at in eligible if open_cells[at]), eligible[0])
    if not open_cells[column]:
        column = _with_blanks(rows, column, last)
    claim = next((at for at in likely if at != column and not open_cells[at]), None)
    fields = replace(way, column=None if way.column is None else column, claim=claim)
    return judge(fields, [row[column] for row in rows if column < len(row)], len(rows))


def _with_blanks(rows: Sequence[Sequence[str]], full: int, last: int) -> int:
    """The first column of puzzles with blanks, damaged ones too, beside one of `full` grids.

    There the full ones are solutions, however many of the puzzles are damaged. Else it is `full`.
    """
    columns = range(min(last + 1, max(map(len, rows))))
    texts = {at: [row[at] for row in rows if at < len(row)] for at in columns if at != full}
    return next((at for at, some in texts.items() if any(map(_has_blanks_like, some))), full)


def _has_blanks_like(text: str) -> bool:
    """Whether a field is a puzzle with blanks, or was one."""
    return (side_of(text) is not None or is_attempt(text)) and has_blanks(text)


def _texts(line: str, way: Fields) -> list[str]:
    try:
        return [text for _, text in split(line, way)]
    except UnreadableError:
        return []
