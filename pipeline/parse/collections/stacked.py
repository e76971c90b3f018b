"""Stacked grids: finding out their side, and what stands between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pipeline.parse.collections.base import CollectionFormat, Head, Piece
from pipeline.parse.collections.shapes import is_above_four, is_row, without_separators
from pipeline.parse.collections.stack import (
    BLANK_LINE,
    Stack,
    entries,
    is_several,
    pieces,
    records,
    rows_of,
)

_SIDES = (4, 6, 8, 9, 16, 25)
_MOST_RECORDS = 64
_WORD = re.compile(r"[ \t]{0,100}([\"'(\[<]?[^\W\d_]{2,30})")
_ANY_WORD = r"""[ \t]{0,100}["'(\[<]?(?![xX]{2})[A-Za-z\x80-\xff]{2}"""
_END = r"[ \t]{0,20}(?:[\r\n]|\Z)"
_NUMBER = r"[\[(<>=:]{0,5}[ \t]?[0-9]{1,6}[ \t]?[\])<>=:.]{0,5}" + _END


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to read a source: how many of its records are grids, or damaged ones."""

    stack: Stack
    good: int
    near: int
    bad: int

    @property
    def is_collection(self) -> bool:
        several = self.good >= 2 or (self.good + self.near >= 2 and self.stack.title is not None)
        return self.good > 0 and several and self.good + self.near > self.bad

    @property
    def reason(self) -> str:
        side = self.stack.side
        match self.stack.title:
            case None:
                between = "one below the other"
            case title if title == BLANK_LINE:
                between = "with empty lines between"
            case _:
                between = "under titles"
        return f"grids of {side} rows, {between}"


def recognise_stacked(head: Head) -> tuple[Stack, str] | None:
    if head.is_single:
        return None
    side = _side_meant(head)
    if side is None:
        return (Stack(9, None), "it is declared") if head.declared else None
    ways = [_judge(head, Stack(side, title)) for title in _titles(head, side)]
    most = max(way.good for way in ways)
    best = next(way for way in ways if way.good * 2 >= most)
    if head.declared:
        return best.stack, best.reason
    several = side == 16 and best.stack.title is None and head.is_whole
    undecided = several and not any(map(is_above_four, head.lines))
    return (best.stack, best.reason) if best.is_collection and not undecided else None


def _side_meant(head: Head) -> int | None:
    """The side that most rows have."""
    lengths = Counter(len(without_separators(line)) for line in head.lines)
    for side, _ in lengths.most_common():
        if side in _SIDES and sum(is_row(line, side) for line in head.lines) >= side:
            return side
    return None


def _titles(head: Head, side: int) -> Iterator[str | None]:
    """What may stand between the grids: the surest first."""
    others = [line for line in head.lines if not is_row(line, side)]
    words = Counter(match[1] for line in others if (match := _WORD.match(line)))
    for word, times in words.most_common(1):
        if times > 1:
            yield rf"[ \t]{{0,100}}{re.escape(word)}"
    if words:
        yield _ANY_WORD
    if any(re.fullmatch(_NUMBER, line.strip()) for line in others):
        yield rf"[ \t]{{0,100}}+(?!\S{{{side}}}{_END}){_NUMBER}"
    yield BLANK_LINE
    yield None


def _judge(head: Head, stack: Stack) -> _Way:
    good = near = bad = 0
    texts = [text for _, text in islice(records(Piece(1, head.sample), stack), _MOST_RECORDS)]
    is_all = head.complete and head.sample == head.data and len(texts) < _MOST_RECORDS
    for text in texts if is_all else texts[:-1]:
        rows = rows_of(text, 1, stack.side)
        right = sum(is_row(line, stack.side) for _, line in rows)
        if len(rows) == stack.side == right:
            good += 1
        elif right * 2 >= stack.side and (
            len(rows) <= stack.side + 1 or is_several(rows, stack.side)
        ):
            near += 1
        elif rows:
            bad += 1
    return _Way(stack, good, near, bad)


STACKED = CollectionFormat("stacked", recognise_stacked, pieces, entries)
