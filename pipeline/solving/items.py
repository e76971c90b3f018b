"""Read the problems of a source: a file, a folder, an archive or bytes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Unpack

from pipeline.errors import LimitReached, RefusalCode, printable, shortened
from pipeline.keywords import SourceOptions, settings_from
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading import Archive, Collection, OneProblem, Unreadable
from pipeline.reading.archives import UnpackLimits
from pipeline.reading.archives.streams import Meter, PeekableStream, drain
from pipeline.reading.archives.walk import open_unpacked, walk
from pipeline.reading.formats import Entry, Layout, Parsed, parsed_from, symbols_of
from pipeline.reading.formats.dimacs import FORMULA_REFUSED
from pipeline.reading.formats.parsed import Notes
from pipeline.reading.read import COLLECTION_CHUNK_BYTES, parse_now, source_at, source_of_member
from pipeline.settings import Settings
from pipeline.solving.problem import FormulaProblem, PuzzleProblem, problem_in

_UNPARSED_FORMAT = "grid", "it was not read"
"""The format of a puzzle that was not parsed, and the reason for this format."""

ROWS_PER_BATCH = 1024
"""Maximum number of puzzles of a collection that are solved together."""


@dataclass(frozen=True)
class Item:
    """One problem of a source, or the reason why it could not be read.

        >>> next(read("examples/collection.txt"))
        <Item collection.txt:2: puzzle>

    - `name`: the name of the source, or of a member of an archive.
    - `line`: the first line of a puzzle in a collection, counted from 1; else None.
    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    - `is_only_item`: whether the source has no other item.
    - `data`: the bytes of the source, if this is the only item.
    - `seconds`: the time that reading `data` took.
    """

    name: str
    line: int | None
    content: PuzzleProblem | FormulaProblem | Entry | Unreadable | LimitReached | str
    """The problem, or its entry in a collection; or the reason why there is no problem."""
    symbols: str = ""
    is_only_item: bool = False
    data: bytes | None = None
    seconds: float | None = None

    def __repr__(self) -> str:
        kind = "formula" if isinstance(self.content, FormulaProblem) else "puzzle"
        summary = self.reason or kind
        return f"<Item {shortened(f'{printable(self.where)}: {summary}')}>"

    @cached_property
    def problem(self) -> PuzzleProblem | FormulaProblem | None:
        """The problem; None if it could not be read."""
        match self.content:
            case PuzzleProblem() | FormulaProblem() as problem:
                return problem
            case Entry(error=None) as entry:
                return problem_of(entry)
        return None

    @property
    def reason(self) -> str | None:
        """Why there is no problem; None if there is one."""
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
        """The kind of `reason`."""
        content = self.content
        return content.code if isinstance(content, Entry | Unreadable) else "not-a-puzzle"

    @property
    def where(self) -> str:
        """The name, with the line of a puzzle in a collection."""
        return f"{self.name}:{self.line}" if self.line else self.name

    @property
    def plain(self) -> str:
        """The cells of a plain 9×9 puzzle of a collection, as text; empty for any other item."""
        return self.content.text if isinstance(self.content, Entry) and self.content.plain else ""

    @property
    def unread(self) -> tuple[str, ...]:
        """The parts of the source that were not read, as in `Parsed`."""
        return self.content.unread if isinstance(self.content, (PuzzleProblem, Entry)) else ()

    @property
    def notes(self) -> Notes:
        """Texts about the puzzle, with their names, such as its title."""
        problem = self.problem
        return problem.parsed.notes if isinstance(problem, PuzzleProblem) else ()


def read(source: str | Path | bytes, **settings: Unpack[SourceOptions]) -> Iterator[Item]:
    r"""Yield an Item for each problem of a file, folder or archive, or of bytes.

    The source is streamed in constant memory. An unreadable part yields an Item with a `reason`.

        >>> for item in read(b"1.....2..3.....4\n1...............\nx\n"):
        ...     print(item.line, item.problem and item.problem.puzzle.cells[0], item.reason)
        1 1 None
        2 1 None
        3 None data:3:1: expected a row of 4, 6, 8 or 9 cells, found 1 cell

    Raises UsageError for an invalid setting, and OSError if the source cannot be accessed.
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
    """Yield an Item for a puzzle, or for each problem at a path, as `read` does.

    `name` is the name of the source. Names of members of an archive begin with this name.
    """
    if isinstance(source, Puzzle):
        return iter((Item(name, None, PuzzleProblem(parsed_from(source)), is_only_item=True),))
    return _items_at(source, name, settings, f"{name}/")


def _items_at(path: Path, name: str, settings: Settings, prefix: str) -> Iterator[Item]:
    """Yield an Item for each problem at a path; arguments as for `sources_at`."""
    for source_name, content in sources_at(path, name, settings, prefix):
        if not isinstance(content, tuple):
            yield item_of(content, source_name, settings, is_only_item=source_name == name)
            continue
        layout, stream = content
        for chunk in layout.chunks(stream, COLLECTION_CHUNK_BYTES):
            for entry in layout.entries(chunk, settings.reading):
                yield Item(source_name, entry.line, entry, entry.symbols)
        if stream.error:
            yield Item(source_name, None, str(stream.error))


def sources_at(
    path: Path, name: str, settings: Settings, prefix: str
) -> Iterator[tuple[str, OneProblem | tuple[Layout, PeekableStream]]]:
    """Yield (name, source) for each source at a path.

    The source is a single problem or, for a collection, a pair (layout, stream). Names of members
    of an archive begin with `prefix`.
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
    """Yield (name, source) for each member of an archive or file in a folder, as `sources_at` does.

    - `meter`: counts the bytes read.
    - `skipped`: the number of members to skip at the start.
    """
    for number, member in enumerate(walk(path, UnpackLimits.of(settings), meter)):
        if number < skipped:
            drain(member.stream)
        else:
            yield member.name, source_of_member(member, settings)


def item_of(
    source: OneProblem, name: str, settings: Settings, *, is_only_item: bool = False
) -> Item:
    """The item of a source with a single problem. If the problem is rejected, it has a `reason`."""
    start, symbols = time.perf_counter(), ""
    content: PuzzleProblem | FormulaProblem | Unreadable | LimitReached
    try:
        source = parse_now(source, settings)
        if isinstance(source, Unreadable):
            content = source
        else:
            content = problem_in(source, settings)
            symbols = symbols_of(content.format)
        seconds = source.seconds
    except LimitReached as error:
        content, seconds = error, time.perf_counter() - start
    if not is_only_item:
        return Item(name, None, content, symbols)
    return Item(name, None, content, symbols, True, source.data, seconds)


def reject_formulas(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items. Each formula is replaced by an item with a `reason`."""
    for item in items:
        is_formula = isinstance(item.content, FormulaProblem)
        yield replace(item, content=FORMULA_REFUSED) if is_formula else item


def problem_of(entry: Entry) -> PuzzleProblem:
    """The problem of an entry. Raises ValueError if the entry has an error."""
    parsed, puzzle = entry.parsed, entry.puzzle_read
    if puzzle is None:
        raise ValueError("the entry has an error")
    if parsed is None:
        parsed = Parsed(puzzle, *_UNPARSED_FORMAT) if entry.plain else parsed_from(puzzle)
        parsed = parsed if entry.symbols else replace(parsed, claimed=entry.claimed)
    return PuzzleProblem(parsed.with_text(entry.title, entry.unread))


def group_items(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield lists of items to solve together: consecutive plain puzzles of a collection.

    Every other item is alone in its list.
    """
    rows: list[Item] = []
    for item in items:
        is_single = item.line is None or (item.problem and item.problem.plain_geometry is None)
        if rows and (is_single or len(rows) == ROWS_PER_BATCH):
            yield rows
            rows = []
        if is_single:
            yield [item]
        else:
            rows.append(item)
    if rows:
        yield rows
