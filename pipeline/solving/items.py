"""Iterate over the problems of a source: a file, a folder, an archive or bytes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Unpack

from pipeline.errors import LimitReached, RefusalCode, printable
from pipeline.keywords import SourceOptions, settings_from
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading import Archive, Collection, OneProblem, Unreadable
from pipeline.reading.archives import UnpackLimits
from pipeline.reading.archives.streams import Meter, PeekableStream, drain
from pipeline.reading.archives.walk import open_unpacked, walk
from pipeline.reading.formats import Entry, Layout, Parsed, parsed_from, signs_of
from pipeline.reading.formats.dimacs import FORMULA_REFUSED
from pipeline.reading.formats.parsed import Notes
from pipeline.reading.read import COLLECTION_CHUNK_BYTES, read_now, source_at, source_of_member
from pipeline.settings import Settings
from pipeline.solving.problem import FormulaProblem, PuzzleProblem, problem_in

_NOT_READ = "grid", "it was not read"
"""Format and reason of a puzzle that was not parsed, as `parsed_from` sets them."""

BATCH_SIZE = 1024
"""Puzzles of a collection that are solved together."""


@dataclass(frozen=True)
class Item:
    """One problem of a source, or the reason why it could not be read.

    `name`: the name of the source, or of a member of an archive. `line`: the first line of a puzzle
    in a collection, from 1. `signs`: the letters of the values 1, 2, … if they are not numbers.
    `is_alone`: the source has no other item. `data` then has its bytes, and `seconds` is the time
    that reading them took.
    """

    name: str
    line: int | None
    content: PuzzleProblem | FormulaProblem | Entry | Unreadable | LimitReached | str
    """The problem, or the entry of a collection that it is made from; else the reason."""
    signs: str = ""
    is_alone: bool = False
    data: bytes | None = None
    seconds: float | None = None

    @cached_property
    def problem(self) -> PuzzleProblem | FormulaProblem | None:
        match self.content:
            case PuzzleProblem() | FormulaProblem() as problem:
                return problem
            case Entry(error=None) as entry:
                return problem_of(entry)
        return None

    @property
    def reason(self) -> str | None:
        match self.content:
            case Entry(error=error):
                return error
            case Unreadable(reason=reason):
                return reason
            case PuzzleProblem() | FormulaProblem():
                return None
        return str(self.content)

    @property
    def code(self) -> RefusalCode:
        """The kind of the reason."""
        content = self.content
        return content.code if isinstance(content, Entry | Unreadable) else "not-a-puzzle"

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name

    @property
    def plain(self) -> str:
        """The cells of a plain 9×9 puzzle of a collection; empty for any other item."""
        return self.content.text if isinstance(self.content, Entry) and self.content.plain else ""

    @property
    def unread(self) -> tuple[str, ...]:
        """The parts that were not read, as in `Parsed`."""
        return self.content.unread if isinstance(self.content, (PuzzleProblem, Entry)) else ()

    @property
    def notes(self) -> Notes:
        """Texts about the puzzle, such as its title, by name."""
        problem = self.problem
        return problem.parsed.notes if isinstance(problem, PuzzleProblem) else ()


def read(source: str | Path | bytes, **settings: Unpack[SourceOptions]) -> Iterator[Item]:
    r"""Read each problem of a file, folder or archive, or of bytes.

    The source is streamed in constant memory. An unreadable part yields an Item with a `reason`.

        >>> for item in read(b"1.....2..3.....4\n1...............\nx\n"):
        ...     print(item.line, item.problem and item.problem.puzzle.cells[0], item.reason)
        1 1 None
        2 1 None
        3 None data:3:1: expected a row of 4, 6, 8 or 9 cells, found 1 cell

    Raises UsageError for an invalid setting, OSError if the environment fails.
    """
    chosen = settings_from(settings, SourceOptions)
    if not isinstance(source, bytes):
        yield from _items_at(Path(source), Path(source).name, chosen, "")
        return
    with NamedTemporaryFile() as copy:  # archives need random access
        copy.write(source)
        copy.flush()
        yield from _items_at(Path(copy.name), "data", chosen, "")


def items_of(source: Path | Puzzle, name: str, settings: Settings) -> Iterator[Item]:
    """Yield the problems of a puzzle or a path, as `read` does.

    `name` is the name of the source, and a prefix of the names of an archive's members.
    """
    if isinstance(source, Puzzle):
        return iter((Item(name, None, PuzzleProblem(parsed_from(source)), is_alone=True),))
    return _items_at(source, name, settings, f"{name}/")


def _items_at(path: Path, name: str, settings: Settings, prefix: str) -> Iterator[Item]:
    for where, content in sources_at(path, name, settings, prefix):
        if not isinstance(content, tuple):
            yield item_of(content, where, settings, is_alone=where == name)
            continue
        layout, stream = content
        for chunk in layout.chunks(stream, COLLECTION_CHUNK_BYTES):
            for entry in layout.entries(chunk, settings.reading):
                yield Item(where, entry.line, entry, entry.signs)
        if stream.error:
            yield Item(where, None, str(stream.error))


def sources_at(
    path: Path, name: str, settings: Settings, prefix: str
) -> Iterator[tuple[str, OneProblem | tuple[Layout, PeekableStream]]]:
    """Yield (name, single problem) or (name, (layout, stream) of a collection) for a path.

    Names of members of an archive begin with `prefix`.
    """
    limits = UnpackLimits.of(settings)
    match source_at(path, name, settings):
        case Archive():
            for member, content in members_of(path, settings):
                yield f"{prefix}{member}", content
        case Collection(layout):
            with PeekableStream(open_unpacked(path, limits)) as stream:
                yield printable(name), (layout, stream)
        case source:
            yield name, source


def members_of(
    path: Path, settings: Settings, meter: Meter | None = None, skipped: int = 0
) -> Iterator[tuple[str, OneProblem | tuple[Layout, PeekableStream]]]:
    """The members of an archive, or the files in a folder, as in `sources_at`, by their names.

    The first `skipped` members are left out; `meter` counts the bytes read.
    """
    for number, member in enumerate(walk(path, UnpackLimits.of(settings), meter)):
        if number < skipped:
            drain(member.stream)
        else:
            yield member.name, source_of_member(member, settings)


def item_of(source: OneProblem, name: str, settings: Settings, *, is_alone: bool = False) -> Item:
    """The item of a source with a single problem, or with the reason why it is rejected."""
    start, signs = time.perf_counter(), ""
    content: PuzzleProblem | FormulaProblem | Unreadable | LimitReached
    try:
        source = read_now(source, settings)
        if isinstance(source, Unreadable):
            content = source
        else:
            content = problem_in(source, settings)
            signs = signs_of(content.format)
        seconds = source.seconds
    except LimitReached as error:
        content, seconds = error, time.perf_counter() - start
    if not is_alone:
        return Item(name, None, content, signs)
    return Item(name, None, content, signs, True, source.data, seconds)


def without_formulas(items: Iterable[Item]) -> Iterator[Item]:
    """Replace formulas by items with the reason that they are not puzzles."""
    for item in items:
        is_formula = isinstance(item.content, FormulaProblem)
        yield replace(item, content=FORMULA_REFUSED) if is_formula else item


def problem_of(entry: Entry) -> PuzzleProblem:
    """The problem of an entry. Raises ValueError if the entry has an error."""
    parsed, puzzle = entry.parsed, entry.puzzle_read
    if puzzle is None:
        raise ValueError("the entry has an error")
    if parsed is None:
        parsed = Parsed(puzzle, *_NOT_READ) if entry.plain else parsed_from(puzzle)
        parsed = parsed if entry.signs else replace(parsed, claimed=entry.claimed)
    return PuzzleProblem(parsed.with_text(entry.title, entry.unread))


def groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Group the items that are solved together: rows without further rules. Others stay single."""
    rows: list[Item] = []
    for item in items:
        is_alone = item.line is None or (item.problem and item.problem.geometry_alone is None)
        if rows and (is_alone or len(rows) == BATCH_SIZE):
            yield rows
            rows = []
        if is_alone:
            yield [item]
        else:
            rows.append(item)
    if rows:
        yield rows
