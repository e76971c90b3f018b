"""The problems in a source, one at a time, whatever was dropped: a file, a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple, Unpack

from pipeline.errors import InvalidPuzzle, LimitReached
from pipeline.reading import Archive, Collection, OneProblem, Unreadable
from pipeline.reading.archives import UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import opened, walk
from pipeline.reading.formats import Entry, Layout, Parsed, parsed_from, signs_of
from pipeline.reading.read import PIECE_BYTES, source_at, source_of_member
from pipeline.settings import Settings, SourceOptions, settings_given
from pipeline.solving.problem import FormulaProblem, PuzzleProblem, problem_in

_NOT_READ = "grid", "it was not read"
"""As `parsed_from` has it for a plain puzzle."""

AT_ONCE = 1024
"""Puzzles of a collection that are solved together."""


@dataclass(frozen=True, slots=True)
class Item:
    """One problem of a source, or the reason why it could not be read.

    `name` is that of the source, or of the member of an archive. `line` is where the puzzle
    begins in a collection, from 1. `signs` are those of the values 1, 2, … if they are letters.
    """

    name: str
    line: int | None
    problem: PuzzleProblem | FormulaProblem | None
    reason: str | None = None
    signs: str = ""

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name


def read(source: str | Path | bytes, **settings: Unpack[SourceOptions]) -> Iterator[Item]:
    r"""Read whatever can be dropped: each problem of a file, folder or archive, or in bytes.

    Streamed, in memory that does not grow with the source. An unreadable part becomes an
    Item with a reason, in its place.

        >>> for item in read(b"1.....2..3.....4\n1...............\nx\n"):
        ...     print(item.line, item.problem and item.problem.puzzle.cells[0], item.reason)
        1 1 None
        2 1 None
        3 None data:3:1: expected a row of 4, 6, 8 or 9 cells, found 1 cell

    Raises UsageError for a wrong value of a setting, OSError if the environment fails.
    """
    chosen = settings_given(settings, SourceOptions)
    if not isinstance(source, bytes):
        yield from items_of(Path(source), Path(source).name, chosen)
        return
    with NamedTemporaryFile() as copy:  # archives need random access
        copy.write(source)
        copy.flush()
        yield from items_of(Path(copy.name), "data", chosen)


class Part(NamedTuple):
    """An entry of a collection, and the name of that."""

    name: str
    entry: Entry

    def item(self) -> Item:
        entry = self.entry
        problem = None if entry.error else problem_of(entry)
        return Item(self.name, entry.line, problem, entry.error, entry.signs)


def items_of(path: Path, name: str, settings: Settings) -> Iterator[Item]:
    """The problems of what lies at a path, as `read` gives them; `name` is the source's name."""
    for part in parts_of(path, name, settings):
        yield part.item() if isinstance(part, Part) else part


def parts_of(path: Path, name: str, settings: Settings) -> Iterator[Item | Part]:
    """The same, but collections as entries, most of which are plain text that is soon copied."""
    room = UnpackLimits(settings.max_total_bytes)
    match source_at(path, name, settings):
        case Archive():
            for member in walk(path, room):
                found = source_of_member(member, settings)
                if isinstance(found, tuple):
                    yield from _parts_of(*found, settings)
                else:
                    yield item_of(found, settings)
        case Collection(layout):
            with PeekableStream(opened(path, room)) as stream:
                yield from _parts_of(layout, stream, settings)
        case source:
            yield item_of(source, settings)


def item_of(source: OneProblem, settings: Settings) -> Item:
    """The problem of a source that holds only one, or the reason why it is refused."""
    if isinstance(source, Unreadable):
        return Item(source.name, None, None, source.reason)
    try:
        problem = problem_in(source, settings)
    except (InvalidPuzzle, LimitReached) as error:
        return Item(source.name, None, None, str(error))
    return Item(source.name, None, problem, signs=signs_of(problem.format))


def _parts_of(layout: Layout, stream: PeekableStream, settings: Settings) -> Iterator[Item | Part]:
    for piece in layout.pieces(stream, PIECE_BYTES):
        for entry in layout.entries(piece, settings.reading):
            yield Part(layout.name, entry)
    if stream.error:
        yield Item(layout.name, None, None, str(stream.error))


def problem_of(entry: Entry) -> PuzzleProblem:
    """The problem of an entry that has no error."""
    parsed, puzzle = entry.parsed, entry.puzzle_read
    if puzzle is None:
        raise ValueError("an entry that has an error")
    if parsed is None:
        parsed = Parsed(puzzle, *_NOT_READ) if entry.plain else parsed_from(puzzle)
        parsed = parsed if entry.signs else replace(parsed, claimed=entry.claimed)
    return PuzzleProblem(parsed.with_text(entry.title, entry.unread))


def groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Group the items that are solved together: rows without rules; all else one by one."""
    rows: list[Item] = []
    for item in items:
        is_alone = item.line is None or (item.problem and item.problem.geometry_alone is None)
        if rows and (is_alone or len(rows) == AT_ONCE):
            yield rows
            rows = []
        if is_alone:
            yield [item]
        else:
            rows.append(item)
    if rows:
        yield rows
