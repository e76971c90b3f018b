"""Decide whether a source is one puzzle, and in which format, a collection, or a formula.

Only the content counts, not the name. To add a notation, add a module and an entry in FORMATS;
`CONTRIBUTING.md` lists further steps.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, count, islice
from typing import TYPE_CHECKING, BinaryIO, Final

from pipeline.errors import InvalidPuzzle, LimitReached, UsageError
from pipeline.puzzle.geometry import MAX_SIDE, NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import (
    chunk_may_name_rule,
    comments_in,
    may_name_rule,
    more_unread,
    rule_lines,
    unread_lines,
    with_remarks,
)
from pipeline.reading.formats.base import (
    MAX_LINES_EXAMINED,
    Details,
    Format,
    ManyFormat,
    SourceHead,
)
from pipeline.reading.formats.board_collections import BOARDS
from pipeline.reading.formats.boards import BOARD
from pipeline.reading.formats.boxes import BORDERED, BOXES
from pipeline.reading.formats.cage_maps import KILLER_GRID
from pipeline.reading.formats.cells import ALL_GEOMETRIES, KNOWN, shape_in_words
from pipeline.reading.formats.characters import CHARACTERS
from pipeline.reading.formats.code import CODE
from pipeline.reading.formats.dimacs import CNF_FORMAT, looks_like_cnf
from pipeline.reading.formats.foreign import name_foreign
from pipeline.reading.formats.fpuzzles import FPUZZLES
from pipeline.reading.formats.grid import GRID
from pipeline.reading.formats.iss import ISS, one_or_many
from pipeline.reading.formats.jigsaw_collections import JIGSAWS
from pipeline.reading.formats.jigsaws import (
    JIGSAW,
    SOLO,
    check_no_region_map,
)
from pipeline.reading.formats.json_lists import JSON
from pipeline.reading.formats.killers import ARROWS, KILLER, SUMOCUE
from pipeline.reading.formats.line import LINE, Fields
from pipeline.reading.formats.links import LINK
from pipeline.reading.formats.numbers import SPREADSHEET
from pipeline.reading.formats.opensudoku import OPENSUDOKU
from pipeline.reading.formats.parsed import Entry, Parsed, TextChunk
from pipeline.reading.formats.pencilmarks import PENCIL_MARKS
from pipeline.reading.formats.programs import HODOKU, SADMAN
from pipeline.reading.formats.records import (
    MAX_RECORD_BYTES,
    Reader,
    cut_lines,
    entries_of_lines,
    halves,
    is_damaged_row,
    is_plain,
)
from pipeline.reading.formats.region_maps import JIGSAW_GRID, find_map
from pipeline.reading.formats.samurai import SAMURAI, judge_lines
from pipeline.reading.formats.spaces import SPACES, is_in_spaces
from pipeline.reading.formats.text import (
    AS_UTF_8,
    Text,
    TextLine,
    cells_of,
    decode_text,
    is_utf_16,
    oversize,
    without_utf_16,
)
from pipeline.reading.formats.wordoku import WORDOKU
from pipeline.settings import DETECTED, AlphabetChoice, Reading, VariantChoice

if TYPE_CHECKING:
    from pipeline.reading.formats.plain import ChunkContents

ONE_LINE: Final = (KILLER, ARROWS, JIGSAW, SUMOCUE, SOLO, LINK, FPUZZLES, ISS)
"""The one-line notations of variants, in the order in which they are tried."""

FORMATS: Final = (
    OPENSUDOKU,
    HODOKU,
    CODE,
    *ONE_LINE,
    SAMURAI,
    PENCIL_MARKS,
    JSON,
    SADMAN,
    KILLER_GRID,
    JIGSAW_GRID,
    WORDOKU,
    BORDERED,
    SPREADSHEET,
    SPACES,
    CHARACTERS,
    BOXES,
    BOARD,
    LINE,
    GRID,
)
"""The formats in the order in which they are tried; the last one reports errors in any text."""

_MAX_HEADER_LINES = 20
_NOTHING_FITS = "no other format fits"

_MAX_LINES_TRIED = 100
"""Number of lines that are read to recognise variants."""

_MAX_CHUNKS_TRIED = 100
"""Number of chunks that are read to find the size of the first puzzle."""

_SHORTEST_VARIANT = 2 * min(ALL_GEOMETRIES) ** 2
"""Length of the smallest jigsaw, the only variant that contains only characters of cells."""

_FEW_LINES = 10
"""With at most this many lines of a longer source, jigsaws are confused with wrong solutions."""


def _recognise_variants(head: SourceHead) -> tuple[None, str] | None:
    if head.is_single:
        return None
    if head.declared:
        return None, "it is declared"
    lines = [*islice(head.lines, _MAX_LINES_TRIED)]
    if lines and _begins_as_iss(lines[0]):
        is_iss = all(_begins_as_iss(line) or not head.is_variant(line) for line in lines)
        if is_iss:
            is_collection = one_or_many(head.lines) == "many"
            return (None, "every line is a constraint string") if is_collection else None
    known = sum(map(head.is_variant, lines))
    if known * 2 > len(lines) >= head.minimum:
        return None, "most lines are variants"
    return None


def _begins_as_iss(line: str) -> bool:
    return ISS.begins is not None and ISS.begins.match(line) is not None


def _is_variant(line: str) -> bool:
    """Whether a line is a variant: in a one-line notation, with its keywords if it has any."""
    if is_plain(line) or (len(line) < _SHORTEST_VARIANT and KNOWN.issuperset(cells_of(line))):
        return False
    text = Text("", (TextLine.of_text(1, line),), line.encode(errors="replace"))
    return any(
        known.recognise(text) is not None and (not known.begins or known.begins.match(line))
        for known in ONE_LINE
    )


def _entries_of_variants(chunk: TextChunk, _layout: None, reader: Reader) -> list[Entry]:
    return entries_of_lines(chunk, reader, lambda line, number, by: by.read(line, (number,)))


VARIANTS = ManyFormat(
    "variants", _recognise_variants, cut_lines, _entries_of_variants, has_variants=True
)
"""A file of variants, one per line; the notation may differ from line to line."""

COLLECTIONS: Final[tuple[ManyFormat, ...]] = (
    VARIANTS,
    JIGSAWS,
    *(known.many for known in FORMATS if known.many is not None),
    BOARDS,
)
"""The collection formats: variants first, boards last, most others in the order of FORMATS."""

BY_NAME: Final[Mapping[str, Format]] = {known.name: known for known in FORMATS}
_COLLECTION_NAMES = tuple(known.name for known in COLLECTIONS)
FORMAT_NAMES: Final = tuple(dict.fromkeys((*BY_NAME, *_COLLECTION_NAMES, CNF_FORMAT)))
"""The values of `--format` besides `auto`."""

HEAD_BYTES = 1024 * 1024
"""Number of bytes from the start of a source that suffice to recognise it."""

_MAX_SINGLE_BYTES = 4096
"""Up to this size in bytes, a source is first parsed as a single puzzle."""

_SIZES = re.compile(r"\s*([1-9]\d{0,2})\s+([1-9]\d{0,2})\s*", re.ASCII)
_AS_JSON = re.compile(rb'\s*(?:\{\s*"|\[\s*[{"\[])')
_SECTIONS = frozenset(("[puzzle]", "[state]"))
"""Headings in SadMan's files; the sections below them are one puzzle."""

_COLLECTION_ONLY = frozenset(_COLLECTION_NAMES) - BY_NAME.keys()
"""Names for `--format` that are not formats of single puzzles."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The format of a collection, and the details that the format has found.

    Any process can read a chunk, given only the layout. `reason`: why the format was chosen.
    `cells`: the number of cells of the first puzzle. `name`: the name of the source.
    """

    name: str
    format: ManyFormat
    details: Details
    reason: str
    cells: int = NINE.size

    def chunks(self, stream: BinaryIO, size: int) -> Iterator[TextChunk]:
        """Cut the stream into chunks of about `size` bytes, in bounded memory."""
        return self.format.chunks(stream, self.details, size)

    def entries(self, chunk: TextChunk, reading: Reading, *, raises: bool = False) -> list[Entry]:
        """The puzzles of a chunk.

        With `raises`, an invalid one raises InvalidPuzzle instead of becoming an entry.
        """
        reading = reading._replace(format="auto")
        reader = Reader(self.name, reading, parse_single, _needs_its_text, raises)
        entries = self.format.entries(chunk, self.details, reader)
        if chunk_may_name_rule(chunk.data):
            text = chunk.data.decode(errors="surrogateescape")
            return with_remarks(entries, comments_in(text, chunk.first_line))
        return entries

    def contents(self, chunk: TextChunk, reading: Reading) -> ChunkContents:
        """The puzzles of a chunk: the plain ones as an array, others as in `entries`."""
        from pipeline.reading.formats.plain import ChunkContents, PlainLines, plain_lines  # noqa: PLC0415 - numpy

        plain = PlainLines.none(chunk)
        if reading.takes_plain and self.format.takes_plain_lines(self.details):
            plain = plain_lines(chunk)
            if any(chunk_may_name_rule(other.data) for other in plain.remaining):
                plain = PlainLines.none(chunk)  # its comments belong to puzzles
        entries = (self.entries(other, reading) for other in plain.remaining)
        return ChunkContents(plain, list(chain.from_iterable(entries)))

    def with_cells(self, head: bytes, reading: Reading) -> Layout:
        """A copy with the number of cells of the first puzzle, if that can be found quickly."""
        reading = reading.at_most(1 / _MAX_CHUNKS_TRIED)
        chunks = islice(self.chunks(io.BytesIO(head), 1), _MAX_CHUNKS_TRIED)
        for entry in chain.from_iterable(self.entries(chunk, reading) for chunk in chunks):
            if entry.plain:
                return self
            if entry.puzzle is not None:
                return replace(self, cells=len(entry.puzzle.cells))
        return self


def is_formula(head: bytes, reading: Reading) -> bool:
    """Whether a source that begins with `head` is a formula for `parse_formula`."""
    return reading.format == CNF_FORMAT or (reading.format == "auto" and looks_like_cnf(head))


def read_text(
    head: bytes, complete: bool, source: str, reading: Reading
) -> Parsed | Layout | InvalidPuzzle | None:
    """Read a source: its puzzle, its layout as a collection, or the error.

    `head` is its first HEAD_BYTES, or the whole source if `complete`. None for a formula, or if the
    rest is needed to decide. A small puzzle is parsed first, which is faster than looking for a
    collection. A declared collection format is always used; a declared format of single puzzles
    rules a collection out, unless a collection format has the same name (HoDoKu, OpenSudoku).
    Raises UsageError for an unknown format.
    """
    if is_formula(head, reading):
        return None
    if is_utf_16(head):
        return _read_utf_16(head, complete, source, reading)
    examined = _Examined(head, complete, source, reading)
    is_small = complete and len(head) <= _MAX_SINGLE_BYTES and reading.format == "auto"
    result = examined.only_puzzle() if is_small else None
    if isinstance(result, Parsed):
        return result
    if layout := examined.layout():
        return layout.with_cells(head, reading)
    return result or examined.only_puzzle() if complete else None


def _read_utf_16(
    head: bytes, complete: bool, source: str, reading: Reading
) -> Parsed | InvalidPuzzle:
    """A single puzzle in UTF-16, as spreadsheets save it; anything else is refused."""
    expected, found = "a single puzzle, or UTF-8", "UTF-16"
    refusal = InvalidPuzzle(source, None, None, expected, found, code="not-text", hint=AS_UTF_8)
    if not complete:
        return refusal
    try:
        result = read_text(without_utf_16(head, source), True, source, reading)
    except InvalidPuzzle as error:
        return error
    return result if isinstance(result, Parsed | InvalidPuzzle) else refusal


def parse_puzzle(
    data: bytes | str,
    variant: VariantChoice = "auto",
    format_name: str = "auto",
    alphabet: AlphabetChoice = "auto",
    boxes: str = "auto",
) -> Puzzle:
    r"""Parse a text of any known format.

        >>> parse_puzzle("1...\n..2.\n.3..\n...4\n").geometry
        Geometry(height=2, width=2)

    Raises InvalidPuzzle with line, column, what was expected and what was found, and UsageError for
    an unknown format, or boxes that are neither `auto` nor of the form `2x3`.
    """
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    reading = Reading(variant, format=format_name, alphabet=alphabet, boxes=boxes)
    return parse_source(raw, "puzzle", reading).puzzle


def parse_source(data: bytes, source: str, reading: Reading = DETECTED) -> Parsed:
    """Parse the puzzle in `data`; `source` names it in messages.

    A collection of a single puzzle is that puzzle. Raises InvalidPuzzle, without reading a source
    of more than `reading.max_bytes` bytes, and UsageError for an unknown format.
    """
    result = _Examined(without_utf_16(data, source), True, source, reading).only_puzzle()
    if isinstance(result, InvalidPuzzle):
        raise result
    return result


def parse_single(data: bytes, source: str, reading: Reading) -> Parsed:
    """Parse the puzzle in `data` by the formats of single puzzles. Raises as `parse_source`.

    A file may be cut off if the error is in its last line, or in no particular line.
    """
    if len(data) > reading.max_bytes:
        raise oversize(source, reading.max_bytes, "more")
    text = decode_text(data, source)
    if reading.format == "auto":
        chosen, reason = format_of(text)
    elif reading.format in BY_NAME:
        chosen, reason = BY_NAME[reading.format], "--format says so"
    else:
        names = ", ".join(BY_NAME)
        raise UsageError(f"--format: expected one of auto, {names}")
    # these formats read region maps; SadMan's parser reports the section of the map
    if chosen not in (JIGSAW_GRID, KILLER_GRID, SADMAN):
        check_no_region_map(text)
    try:
        parsed = chosen.parse(text, reading)
        _check_boxes(text, parsed.puzzle.geometry, reading)
    except InvalidPuzzle as error:
        error.truncated |= error.line is None or error.line >= text.lines[-1].number
        if error.code == "not-a-puzzle" and _begins_as(chosen, text):
            error.code = "damaged"
        if reason != _NOTHING_FITS:
            error.read_as = f"{chosen.name}: {reason}"
        elif not any(is_damaged_row(x.text, 4) for x in text.rows):
            error.code = "not-a-puzzle"
        raise (name_foreign(error, data) if reading.format == "auto" else error) from None
    parsed = replace(parsed, format=f"{chosen.name} {parsed.format}".rstrip(), reason=reason)
    if may_name_rule(data):
        named_rules = rule_lines(_remarks(text, chosen), parsed.puzzle.rules)
        return parsed.with_text("", more_unread(parsed.unread, unread_lines(named_rules)))
    return parsed


def _begins_as(chosen: Format, text: Text) -> bool:
    """Whether a text begins with the keywords or the header of a format."""
    head = "\n".join(line.text for line in text.lines[:_MAX_HEADER_LINES])
    return chosen.begins is not None and chosen.begins.match(head) is not None


def _remarks(text: Text, chosen: Format) -> list[tuple[int, str]]:
    """The comments of a text, and the lines that its format skips or reads only in part."""
    lines = comments_in(text.data.decode())
    if chosen.has_other_text:
        fields = (line.text.split(":") if chosen is HODOKU else [line.text] for line in text.lines)
        numbers = (line.number for line in text.lines)
        lines += ((n, field) for n, row in zip(numbers, fields, strict=True) for field in row)
    return sorted(lines)


def _check_boxes(text: Text, geometry: Geometry, reading: Reading) -> None:
    """Raise InvalidPuzzle if a source contradicts the boxes given by --boxes."""
    if reading.box not in (None, (geometry.height, geometry.width)):
        expected = f"boxes of {reading.boxes}, as --boxes says"
        raise text.error(None, None, expected, shape_in_words(geometry), code="wrong-shape")


def is_written_as_values(format_name: str, puzzle: Puzzle) -> bool:
    """Whether the solutions of a puzzle are written as rows of values, the default."""
    known = BY_NAME.get(format_name.partition(" ")[0])
    if not puzzle.is_plain or known is None or not known.has_solutions:
        return True
    has_usual = puzzle.geometry == ALL_GEOMETRIES.get(puzzle.geometry.side)
    return not has_usual and not known.states_boxes


def _needs_its_text(parsed: Parsed) -> bool:
    """Whether the text has information that its cells alone would lose."""
    puzzle = parsed.puzzle
    if not puzzle.is_plain or parsed.unread or parsed.variant == "rules":
        return True
    return not puzzle.geometry.has_boxes and is_written_as_values(parsed.format, puzzle)


def format_of(text: Text) -> tuple[Format, str]:
    """The format of a text, and why."""
    for candidate in FORMATS:
        reason = candidate.recognise(text)
        if reason is not None:
            return candidate, reason
    return FORMATS[-1], _NOTHING_FITS


class _Examined:
    """A source or, unless `complete`, its beginning. It is parsed at most once."""

    def __init__(self, data: bytes, complete: bool, source: str, reading: Reading) -> None:
        self._data, self._source, self._reading = data, source, reading
        self._complete = complete
        self._may_be_many = True

    def only_puzzle(self) -> Parsed | InvalidPuzzle:
        """The only puzzle of the source, even if it is a collection of one; else the error."""
        result = self.as_single_format
        if isinstance(result, Parsed | LimitReached) or result.read_as.startswith(BORDERED.name):
            return result
        try:
            return self._lone_puzzle() or self.as_single_format
        except InvalidPuzzle as error:
            return error

    @cached_property
    def as_single_format(self) -> Parsed | InvalidPuzzle:
        """The puzzle as the formats of single puzzles read it; else the error."""
        if self._reading.format in _COLLECTION_ONLY:
            found: tuple[str, str] = ("one puzzle", "none, or several")
            return InvalidPuzzle(self._source, None, None, *found, code="several-puzzles")
        try:
            return parse_single(self._data, self._source, self._reading)
        except InvalidPuzzle as error:
            return error

    def _reads_as_one(self, head: SourceHead) -> bool:
        """Whether a format of single puzzles reads the source; long heads are not tried."""
        if not head.complete or len(head.lines) == MAX_LINES_EXAMINED:
            return False
        examined = self
        if self._reading.declared() or len(self._data) > self._reading.max_bytes:
            usual = DETECTED._replace(steps=self._reading.steps)
            examined = _Examined(self._data, True, self._source, usual)
        result = examined.as_single_format
        return isinstance(result, Parsed | LimitReached) or result.read_as.startswith(CODE.name)

    def layout(self, minimum: int = 2) -> Layout | None:
        """The layout of a collection of at least `minimum` puzzles.

        Use 1 if the source is known not to be a single puzzle.
        """
        if not self._may_be_many:
            return None
        declared, head = self._reading.format, replace(self._head, minimum=minimum)
        for candidate in COLLECTIONS:
            details = candidate.recognise(head) if declared in ("auto", candidate.name) else None
            if details is not None:
                return Layout(self._source, candidate, *details)
        self._may_be_many = minimum > 1
        return None

    @cached_property
    def _head(self) -> SourceHead:
        is_many = self._reading.format in _COLLECTION_ONLY
        is_variant = cache(_is_variant)
        return SourceHead(self._data, self._complete, is_many, self._is_one_puzzle, is_variant)

    def _lone_puzzle(self) -> Parsed | None:
        """The puzzle of a collection of one puzzle, or None.

        Raises InvalidPuzzle for a region map beside the puzzle, which its own text does not show.
        """
        data, reading = self._data, self._reading
        is_json = reading.format == "auto" and _AS_JSON.match(data)  # damaged JSON
        declarable = not is_json and (
            reading.format == "auto" or reading.format in _COLLECTION_ONLY
        )
        if len(data) > min(MAX_RECORD_BYTES, reading.max_bytes) or not declarable:
            return None
        layout = self.layout(minimum=1)
        if layout is None or layout.format.name not in _COLLECTION_ONLY:
            return None
        has_maps = isinstance(layout.details, Fields) and bool(layout.details.maps)
        chunks = layout.chunks(io.BytesIO(data), 1)
        read = (layout.entries(chunk, reading, raises=has_maps) for chunk in chunks)
        entries = [*islice(chain.from_iterable(read), None if has_maps else 2)]
        if len(entries) != 1 or entries[0].error is not None:
            return None
        entry = entries[0]
        try:
            text = entry.text.encode(errors="surrogateescape")
            own = entry.parsed or parse_single(text, self._source, reading._replace(format="auto"))
        except InvalidPuzzle:
            return None
        reason = f"{layout.reason}, and it has only one puzzle"
        return replace(own, reason=reason, claimed=entry.claimed).with_text(
            entry.title, entry.unread
        )

    def _is_one_puzzle(self, head: SourceHead) -> bool:
        if len(head.lines) < 2 and head.complete and head.minimum > 1:
            return True
        is_sectioned = any(line.strip().lower() in _SECTIONS for line in head.lines)
        # one puzzle with a region map or cages
        if is_sectioned or find_map([*map(cells_of, head.lines)]):
            return True
        if (
            _has_cages(head)
            or _begins_with_sizes(head)
            or (head.minimum > 1 and self._reads_as_one(head))
        ):
            return True
        if not head.complete and _is_too_short(head):
            return True
        # five lines that are, or may be, a samurai: parse_samurai decides or asks for --format
        if head.is_whole and judge_lines([*map(cells_of, head.lines)]):
            return True
        return head.is_whole and is_in_spaces(head.data)


def _has_cages(head: SourceHead) -> bool:
    """Whether a source has sums of cages, which a grid among them would lose."""
    lines = map(TextLine.of_text, count(1), head.lines)
    return KILLER_GRID.recognise(Text("", tuple(lines), head.sample)) is not None


def _is_too_short(head: SourceHead) -> bool:
    """Whether the lines are so few that they may be jigsaws or puzzles with wrong solutions."""
    lines = head.lines
    if len(lines) > _FEW_LINES:
        return False
    variants = [line for line in lines if head.is_variant(line)]
    sure = [line for line in variants if halves(cells_of(line))[1] is None]
    return len(variants) * 2 > len(lines) >= len(sure) * 2


def _begins_with_sizes(head: SourceHead) -> bool:
    """Whether a source begins with the size of a box, followed by about one number per cell."""
    body = [line for line in head.lines if not line.lstrip().startswith("c")]
    sizes = _SIZES.fullmatch(body[0]) if body else None
    if not sizes:
        return False
    side = int(sizes[1]) * int(sizes[2])
    numbers = sum(len(line.split()) for line in body[1:])
    minimum = side * side // 2 if head.is_whole else 0
    return side <= MAX_SIDE and minimum <= numbers <= 2 * side * side
