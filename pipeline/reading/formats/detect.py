"""Decide whether a source is one puzzle, a collection or a formula, and in which format it is.

Only the content counts, not the name of the file. To add a notation, add a module and an entry in
FORMATS; `CONTRIBUTING.md` lists further steps.
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
from pipeline.puzzle.geometry import MAX_SIDE, NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import (
    add_remarks,
    add_unread_texts,
    chunk_may_name_rule,
    comments_in,
    may_name_rule,
    rule_lines,
    unread_lines,
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
from pipeline.reading.formats.cells import ALL_GEOMETRIES, CELL_CHARACTERS, shape_in_words
from pipeline.reading.formats.characters import CHARACTERS
from pipeline.reading.formats.code import CODE
from pipeline.reading.formats.dimacs import CNF_FORMAT, looks_like_cnf
from pipeline.reading.formats.foreign import foreign_text_error
from pipeline.reading.formats.fpuzzles import FPUZZLES
from pipeline.reading.formats.grid import GRID
from pipeline.reading.formats.iss import ISS, one_or_many
from pipeline.reading.formats.jigsaw_collections import JIGSAWS
from pipeline.reading.formats.jigsaws import (
    JIGSAW,
    SOLO,
    check_no_region_map,
    map_cells,
)
from pipeline.reading.formats.json_lists import JSON
from pipeline.reading.formats.killers import ARROWS, KILLER, SUMOCUE
from pipeline.reading.formats.line import LINE, FieldLayout
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
    is_damaged_row,
    is_plain,
    split_solution,
)
from pipeline.reading.formats.region_maps import JIGSAW_GRID, find_map
from pipeline.reading.formats.samurai import SAMURAI, reason_for_lines
from pipeline.reading.formats.spaces import SPACES, is_in_spaces
from pipeline.reading.formats.text import (
    AS_UTF_8,
    Text,
    TextLine,
    cells_of,
    decode_text,
    is_utf_16,
    oversize_error,
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
"""The formats in the order in which they are tried. The last one reads all other texts, so that it
reports their errors."""

_MAX_HEADER_LINES = 20
"""Number of lines of a refused text in which to look for the keywords of its format."""

_NO_FORMAT_FITS = "no other format fits"
"""The reason for the last format if it does not recognise the text either."""

_MAX_LINES_TRIED = 100
"""Maximum number of lines to examine for variants."""

_MAX_CHUNKS_TRIED = 100
"""Maximum number of chunks to read in order to find the size of the first puzzle."""

_MIN_VARIANT_LENGTH = 2 * min(ALL_GEOMETRIES) ** 2
"""Length of the smallest jigsaw. A shorter line is a variant only if it has characters that are not
cells."""

_MAX_AMBIGUOUS_LINES = 10
"""Maximum number of ambiguous lines in the beginning of a source: if they may be jigsaws or puzzles
with wrong solutions, the rest of the source is read to decide."""


def _recognise_variants(head: SourceHead) -> tuple[None, str] | None:
    if head.is_single:
        return None
    if head.is_declared:
        return None, "the format was specified"
    lines = [*islice(head.lines, _MAX_LINES_TRIED)]
    if lines and _begins_like_iss(lines[0]):
        is_iss = all(_begins_like_iss(line) or not head.is_variant(line) for line in lines)
        if is_iss:
            is_collection = one_or_many(head.lines) == "many"
            return (None, "every line is a constraint string") if is_collection else None
    variant_count = sum(map(head.is_variant, lines))
    if variant_count * 2 > len(lines) >= head.minimum:
        return None, "most lines are variants"
    return None


def _begins_like_iss(line: str) -> bool:
    return ISS.begins is not None and ISS.begins.match(line) is not None


def _is_variant(line: str) -> bool:
    """Whether a line is a variant in a one-line notation and has its keywords, if it has any."""
    if is_plain(line) or (
        len(line) < _MIN_VARIANT_LENGTH and CELL_CHARACTERS.issuperset(cells_of(line))
    ):
        return False
    text = Text.of_line(line)
    return any(candidate.recognises_line(text) for candidate in ONE_LINE)


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
"""The formats of single puzzles by name."""

_COLLECTION_NAMES = tuple(known.name for known in COLLECTIONS)
FORMAT_NAMES: Final = tuple(dict.fromkeys((*BY_NAME, *_COLLECTION_NAMES, CNF_FORMAT)))
"""The values of `--format` besides `auto`."""

HEAD_BYTES = 1024 * 1024
"""Number of bytes from the start of a source that suffice to recognise it."""

_MAX_SINGLE_BYTES = 4096
"""Maximum size of a source that is parsed as a single puzzle before anything else."""

_BOX_SIZE = re.compile(r"\s*([1-9]\d{0,2})\s+([1-9]\d{0,2})\s*", re.ASCII)
"""A line with the height and the width of a box."""

_JSON_BEGINS = re.compile(rb'\s*(?:\{\s*"|\[\s*[{"\[])')
"""The beginning of an object, or of a list of objects, strings or lists."""

_SADMAN_HEADINGS = frozenset(("[puzzle]", "[state]"))
"""Headings in the files of SadMan Sudoku, each of which contains one puzzle."""

_COLLECTION_ONLY = frozenset(_COLLECTION_NAMES) - BY_NAME.keys()
"""Names for `--format` that are not formats of single puzzles."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The format of a collection and its details, with which any process can read any chunk.

    - `name`: the name of the source, for messages.
    - `details`: what the format needs to know about the source.
    - `reason`: why the format was chosen.
    - `cells`: the number of cells of the first puzzle.
    """

    name: str
    format: ManyFormat
    details: Details
    reason: str
    cells: int = NINE_BY_NINE.size

    def chunks(self, stream: BinaryIO, size: int) -> Iterator[TextChunk]:
        """Cut the stream into chunks of about `size` bytes, in bounded memory."""
        return self.format.chunks(stream, self.details, size)

    def entries(self, chunk: TextChunk, reading: Reading, *, raises: bool = False) -> list[Entry]:
        """Read the entries of a chunk.

        With `raises`, an invalid record raises InvalidPuzzle instead of becoming an entry.
        """
        reading = reading._replace(format="auto")
        reader = Reader(self.name, reading, parse_single, _needs_source_text, raises)
        entries = self.format.entries(chunk, self.details, reader)
        if chunk_may_name_rule(chunk.data):
            text = chunk.data.decode(errors="surrogateescape")
            return add_remarks(entries, comments_in(text, chunk.first_line))
        return entries

    def contents(self, chunk: TextChunk, reading: Reading) -> ChunkContents:
        """The puzzles of a chunk: plain lines as an array, others as entries."""
        from pipeline.reading.formats.plain import ChunkContents, PlainLines, plain_lines  # noqa: PLC0415 - numpy

        plain = PlainLines.without_lines(chunk)
        if reading.takes_plain and self.format.takes_plain_lines(self.details):
            plain = plain_lines(chunk)
            if any(chunk_may_name_rule(part.data) for part in plain.remaining):
                plain = PlainLines.without_lines(chunk)  # comments with rules belong to plain lines
        entries = (self.entries(part, reading) for part in plain.remaining)
        return ChunkContents(plain, list(chain.from_iterable(entries)))

    def with_cells(self, head: bytes, reading: Reading) -> Layout:
        """A copy with the number of cells of the first puzzle, if that is found quickly."""
        reading = reading.at_most(1 / _MAX_CHUNKS_TRIED)
        chunks = islice(self.chunks(io.BytesIO(head), 1), _MAX_CHUNKS_TRIED)
        for entry in chain.from_iterable(self.entries(chunk, reading) for chunk in chunks):
            if entry.plain:
                return self
            if entry.puzzle is not None:
                return replace(self, cells=len(entry.puzzle.cells))
        return self


_FILE_NAME = re.compile(r"[\w./\\: -]*[^\W\d_][\w -]*\.[a-z][a-z0-9]{1,9}", re.IGNORECASE)
"""Matches a text that is probably the name of a file."""


def is_formula(head: bytes, reading: Reading) -> bool:
    """Whether a source that begins with `head` is, or is declared to be, a formula."""
    return reading.format == CNF_FORMAT or (reading.format == "auto" and looks_like_cnf(head))


def read_text(
    head: bytes, is_complete: bool, source: str, reading: Reading
) -> Parsed | Layout | InvalidPuzzle | None:
    """Read a source. Returns its puzzle, its layout if it is a collection, or the error.

    Returns None for a formula, or if the rest of the source is needed to decide. `head` is its
    first HEAD_BYTES, or the whole source if `is_complete`. A small source is first parsed as one
    puzzle, which is faster than looking for a collection. If a format of single puzzles is
    declared, the source is not a collection, unless a collection format has the same name (HoDoKu,
    OpenSudoku). Raises UsageError for an unknown format.
    """
    if is_formula(head, reading):
        return None
    if is_utf_16(head):
        return _read_utf_16(head, is_complete, source, reading)
    examined = _ExaminedSource(head, is_complete, source, reading)
    is_small = is_complete and len(head) <= _MAX_SINGLE_BYTES and reading.format == "auto"
    result = examined.only_puzzle() if is_small else None
    if isinstance(result, Parsed):
        return result
    if layout := examined.layout():
        return layout.with_cells(head, reading)
    return result or examined.only_puzzle() if is_complete else None


def _read_utf_16(
    head: bytes, is_complete: bool, source: str, reading: Reading
) -> Parsed | InvalidPuzzle:
    """Read a single puzzle in UTF-16, as spreadsheets save it. Collections are refused."""
    expected, found = "a single puzzle, or UTF-8", "UTF-16"
    refusal = InvalidPuzzle(source, None, None, expected, found, code="not-text", hint=AS_UTF_8)
    if not is_complete:
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

    Raises InvalidPuzzle with line, column, what was expected and what was found, UsageError for an
    unknown format, or boxes that are neither `auto` nor of the form `2x3`, and TypeError for
    anything but a text.
    """
    if not isinstance(data, (str, bytes)):
        kind = type(data).__name__
        raise TypeError(
            f"expected a text as str or bytes, found {kind}; Puzzle.from_rows takes rows, and "
            "Puzzle.from_file a file"
        )
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    reading = Reading(variant, format=format_name, alphabet=alphabet, boxes=boxes)
    try:
        return parse_source(raw, "puzzle", reading).puzzle
    except InvalidPuzzle as error:
        if is_formula(raw[:HEAD_BYTES], reading):
            hint = "`solve` and `read` take formulas"
            raise InvalidPuzzle("puzzle", 1, 1, "a puzzle", "a formula", hint=hint) from None
        raise with_file_hint(error, data) from None


def with_file_hint(error: InvalidPuzzle, data: str | bytes) -> InvalidPuzzle:
    """Add a hint how to read a file to an error, if the text looks like the name of a file."""
    if isinstance(data, str) and _FILE_NAME.fullmatch(data):
        error.hint = error.hint or "to read a file, use `Path` or `Puzzle.from_file`"
    return error


def parse_source(data: bytes, source: str, reading: Reading = DETECTED) -> Parsed:
    """Parse the puzzle in `data`; `source` names it in messages.

    A collection of one puzzle is read as that puzzle. Raises InvalidPuzzle, also for more than
    `reading.max_bytes` bytes, and UsageError for an unknown format.
    """
    result = _ExaminedSource(without_utf_16(data, source), True, source, reading).only_puzzle()
    if isinstance(result, InvalidPuzzle):
        raise result
    return result


def parse_single(data: bytes, source: str, reading: Reading) -> Parsed:
    """Parse the puzzle in `data` in a format of single puzzles.

    Raises the same errors as `parse_source`. If an InvalidPuzzle names the last line or no line,
    the file may be cut off, and its attribute `truncated` is True.
    """
    if len(data) > reading.max_bytes:
        raise oversize_error(source, reading.max_bytes, "more")
    text = decode_text(data, source)
    if reading.format == "auto":
        chosen_format, reason = format_of(text)
    elif reading.format in BY_NAME:
        chosen_format, reason = BY_NAME[reading.format], "--format says so"
    else:
        names = ", ".join(BY_NAME)
        raise UsageError(f"--format: expected one of auto, {names}")
    # these formats read region maps; SadMan's parser reports the section of the map
    if chosen_format not in (JIGSAW_GRID, KILLER_GRID, SADMAN):
        check_no_region_map(text)
    try:
        parsed = chosen_format.parse(text, reading)
        _check_boxes(text, parsed.puzzle.geometry, reading)
    except InvalidPuzzle as error:
        error.truncated |= error.line is None or error.line >= text.lines[-1].number
        if error.code == "not-a-puzzle" and _has_beginning_of(chosen_format, text):
            error.code = "damaged"
        error.read_as = f"{chosen_format.name}: {reason}"
        if reason == _NO_FORMAT_FITS and not any(is_damaged_row(row.text, 4) for row in text.rows):
            error.code = "not-a-puzzle"
        raise (foreign_text_error(error, data) if reading.format == "auto" else error) from None
    parsed = replace(parsed, format=f"{chosen_format.name} {parsed.format}".rstrip(), reason=reason)
    if may_name_rule(data):
        named_rules = rule_lines(_lines_with_remarks(text, chosen_format), parsed.puzzle.rules)
        return parsed.with_text("", add_unread_texts(parsed.unread, unread_lines(named_rules)))
    return parsed


def _has_beginning_of(chosen_format: Format, text: Text) -> bool:
    """Whether a text begins with the keywords or the header of a format."""
    head = "\n".join(line.text for line in text.lines[:_MAX_HEADER_LINES])
    return chosen_format.begins is not None and chosen_format.begins.match(head) is not None


def _lines_with_remarks(text: Text, chosen_format: Format) -> list[tuple[int, str]]:
    """The comments of a text and, if its format has other text, all its lines or fields."""
    lines = comments_in(text.data.decode())
    if chosen_format.has_other_text:
        fields = (
            line.text.split(":") if chosen_format is HODOKU else [line.text] for line in text.lines
        )
        numbers = (line.number for line in text.lines)
        lines += ((n, field) for n, row in zip(numbers, fields, strict=True) for field in row)
    return sorted(lines)


def _check_boxes(text: Text, geometry: Geometry, reading: Reading) -> None:
    """Raise InvalidPuzzle if a source contradicts the boxes given by --boxes."""
    if reading.box not in (None, (geometry.height, geometry.width)):
        expected = f"boxes of {reading.boxes}, as --boxes says"
        raise text.error(None, None, expected, shape_in_words(geometry), code="wrong-shape")


def is_written_as_values(format_name: str, puzzle: Puzzle) -> bool:
    """Whether solutions are written as rows of values, not as filled puzzles in the same format."""
    puzzle_format = BY_NAME.get(format_name.partition(" ")[0])
    if not puzzle.is_plain or puzzle_format is None or not puzzle_format.has_solutions:
        return True
    has_default_boxes = puzzle.geometry == ALL_GEOMETRIES.get(puzzle.geometry.side)
    return not has_default_boxes and not puzzle_format.states_boxes


def _needs_source_text(parsed: Parsed) -> bool:
    """Whether to keep the text of a puzzle, because the cells alone do not describe the puzzle."""
    puzzle = parsed.puzzle
    if not puzzle.is_plain or parsed.unread or parsed.variant == "rules":
        return True
    return not puzzle.geometry.has_boxes and is_written_as_values(parsed.format, puzzle)


def format_of(text: Text) -> tuple[Format, str]:
    """The format of a text, and the reason for it."""
    for candidate in FORMATS:
        reason = candidate.recognise(text)
        if reason is not None:
            return candidate, reason
    return FORMATS[-1], _NO_FORMAT_FITS


class _ExaminedSource:
    """A source or, unless `is_complete`, its beginning. Results of parsing it are cached."""

    def __init__(self, data: bytes, is_complete: bool, source: str, reading: Reading) -> None:
        self._data, self._source, self._reading = data, source, reading
        self._is_complete = is_complete
        self._may_be_collection = True

    def only_puzzle(self) -> Parsed | InvalidPuzzle:
        """The puzzle of the source, even if it is a collection of one puzzle; else the error."""
        result = self.single_format_result
        if isinstance(result, Parsed | LimitReached) or result.read_as.startswith(BORDERED.name):
            return result
        try:
            return self._puzzle_of_small_collection() or self.single_format_result
        except InvalidPuzzle as error:
            return error

    @cached_property
    def single_format_result(self) -> Parsed | InvalidPuzzle:
        """The puzzle, read in a format of single puzzles; else the error."""
        if self._reading.format in _COLLECTION_ONLY:
            expected, found = "one puzzle", "no puzzle or several"
            return InvalidPuzzle(self._source, None, None, expected, found, code="several-puzzles")
        try:
            return parse_single(self._data, self._source, self._reading)
        except InvalidPuzzle as error:
            return error

    def _can_be_read_as_one(self, head: SourceHead) -> bool:
        """Whether a format of single puzzles can read the source; False for a long source."""
        if not head.is_complete or len(head.lines) == MAX_LINES_EXAMINED:
            return False
        examined = self
        if self._reading.declared() or len(self._data) > self._reading.max_bytes:
            undeclared = DETECTED._replace(steps=self._reading.steps)
            examined = _ExaminedSource(self._data, True, self._source, undeclared)
        result = examined.single_format_result
        return isinstance(result, Parsed | LimitReached) or result.read_as.startswith(CODE.name)

    def layout(self, minimum: int = 2) -> Layout | None:
        """The layout of a collection of at least `minimum` puzzles; None if it is not one.

        `minimum` is 1 if the source cannot be a single puzzle.
        """
        if not self._may_be_collection:
            return None
        declared, head = self._reading.format, replace(self._head, minimum=minimum)
        for candidate in COLLECTIONS:
            details = candidate.recognise(head) if declared in ("auto", candidate.name) else None
            if details is not None:
                return Layout(self._source, candidate, *details)
        self._may_be_collection = minimum > 1
        return None

    @cached_property
    def _head(self) -> SourceHead:
        is_declared = self._reading.format in _COLLECTION_ONLY
        return SourceHead(
            self._data, self._is_complete, is_declared, self._is_one_puzzle, cache(_is_variant)
        )

    def _puzzle_of_small_collection(self) -> Parsed | None:
        """The only puzzle of a small collection; None for any other source.

        Raises InvalidPuzzle for a faulty region map beside the puzzle.
        """
        data, reading = self._data, self._reading
        is_damaged_json = reading.format == "auto" and _JSON_BEGINS.match(data)
        may_be_collection = reading.format == "auto" or reading.format in _COLLECTION_ONLY
        if is_damaged_json or not may_be_collection:
            return None
        if len(data) > min(MAX_RECORD_BYTES, reading.max_bytes):
            return None
        layout = self.layout(minimum=1)
        if layout is None or layout.format.name not in _COLLECTION_ONLY:
            return None
        has_maps = isinstance(layout.details, FieldLayout) and bool(layout.details.maps)
        chunks = layout.chunks(io.BytesIO(data), 1)
        batches = (layout.entries(chunk, reading, raises=has_maps) for chunk in chunks)
        entries = [*islice(chain.from_iterable(batches), None if has_maps else 2)]
        if len(entries) != 1 or entries[0].error is not None:
            return None
        entry = entries[0]
        try:
            text = entry.text.encode(errors="surrogateescape")
            undeclared = reading._replace(format="auto")
            parsed = entry.parsed or parse_single(text, self._source, undeclared)
        except InvalidPuzzle:
            return None
        reason = f"{layout.reason}, but there is only one puzzle"
        parsed = replace(parsed, reason=reason, claimed=entry.claimed)
        return parsed.with_text(entry.title, entry.unread)

    def _is_one_puzzle(self, head: SourceHead) -> bool:
        """Whether a source is one puzzle, perhaps a damaged one, and not a collection."""
        if len(head.lines) < 2 and head.is_complete and head.minimum > 1:
            return True
        is_sadman = any(line.strip().lower() in _SADMAN_HEADINGS for line in head.lines)
        if is_sadman or find_map([*map(map_cells, head.lines)]):
            return True
        if (
            _has_cages(head)
            or _begins_with_box_size(head)
            or (head.minimum > 1 and self._can_be_read_as_one(head))
        ):
            return True
        if not head.is_complete and _is_ambiguously_short(head):
            return True
        # five lines may be a samurai; if that is ambiguous, parse_samurai asks for --format
        if head.has_all_lines and reason_for_lines([*map(cells_of, head.lines)]):
            return True
        return head.has_all_lines and is_in_spaces(head.data)


def _has_cages(head: SourceHead) -> bool:
    """Whether a source begins with a killer, whose grid must not be read without the cages."""
    lines = map(TextLine.of_text, count(1), head.lines)
    return KILLER_GRID.recognise(Text("", tuple(lines), head.sample)) is not None


def _is_ambiguously_short(head: SourceHead) -> bool:
    """Whether a few lines may be either jigsaws or puzzles with wrong solutions."""
    lines = head.lines
    if len(lines) > _MAX_AMBIGUOUS_LINES:
        return False
    variants = [line for line in lines if head.is_variant(line)]
    certain = [line for line in variants if split_solution(cells_of(line))[1] is None]
    return len(variants) * 2 > len(lines) >= len(certain) * 2


def _begins_with_box_size(head: SourceHead) -> bool:
    """Whether a source begins with the size of a box, followed by about one number per cell."""
    body = [line for line in head.lines if not line.lstrip().startswith("c")]
    box = _BOX_SIZE.fullmatch(body[0]) if body else None
    if not box:
        return False
    side = int(box[1]) * int(box[2])
    numbers = sum(len(line.split()) for line in body[1:])
    minimum = side * side // 2 if head.has_all_lines else 0
    return side <= MAX_SIDE and minimum <= numbers <= 2 * side * side
