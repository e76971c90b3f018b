"""Decide what a source is: one problem, a collection, an archive, or unreadable.

`source_in` examines the bytes of a small file, `source_at` any file or folder, and
`source_of_member` a member of an archive.

`looks_like_no_puzzle` distinguishes unrelated files in an archive from invalid puzzles. A doubtful
text, such as a grid with a wrong character, counts as a puzzle. Because many texts contain a line
of digits, such a line counts only if it has the cells of a whole puzzle, or if there is little
other text.
"""

from __future__ import annotations

import io
import math
import re
import stat
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase

from pipeline.errors import InvalidPuzzle, LimitReached, is_environmental, printable
from pipeline.files import kind_in_words
from pipeline.limits import Deadline, Limits
from pipeline.reading import (
    Archive,
    Collection,
    OneProblem,
    Readable,
    SingleFormula,
    SinglePuzzle,
    Source,
    Unreadable,
)
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import Member, check_readable, is_packed, kind_of, open_unpacked
from pipeline.reading.formats import (
    FORMATS,
    HEAD_BYTES,
    Layout,
    Parsed,
    is_formula,
    oversize_error,
    parse_source,
    read_text,
)
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, CELL_CHARACTERS, DIGITS
from pipeline.reading.formats.dimacs import ParsedFormula, looks_like_cnf, parse_formula
from pipeline.reading.formats.foreign import foreign_text_error
from pipeline.reading.formats.spaces import is_in_spaces
from pipeline.reading.formats.text import is_border, is_utf_16, significant_lines
from pipeline.settings import Settings

COLLECTION_CHUNK_BYTES = 64 * 1024
"""Size of the chunks in which a collection is read."""

_MAX_PARSING_SECONDS = 1.0
"""Time limit for parsing a source at once. After that, the process that solves it parses it."""

NOTHING_LIKE_A_PUZZLE = "nothing in it looks like a puzzle"
"""Text added to the error of an archive member for which `looks_like_no_puzzle` is true."""

_SAMPLE_BYTES = 64 * 1024
"""Size of the beginning of a source that `looks_like_no_puzzle` examines."""

_WORD = re.compile(r"[^\s,;:|\"'\[\]]+")
_FIELD = re.compile(r"[,;\t]")
_LETTERS = re.compile(r"[0-9A-Y.*_?-]+|[0-9a-y.*_?-]+")
_LETTER_LENGTHS = {*range(15, 18), *range(24, 27), *range(250, 262), *range(620, 631)}
"""Lengths of rows and puzzles of letters, with a few characters too many or too few."""

_MIN_ROW, _MAX_ROW, _MIN_PUZZLE_WORD, _MIN_CELLS = 4, 26, 15, 16
"""Lengths of the shortest and the longest row, of the shortest word that may be a damaged puzzle,
and of the smallest puzzle."""


def source_in(data: bytes, name: str, settings: Settings) -> tuple[Source | None, bool]:
    """Decide what the bytes of a whole file are. Returns the source, and whether it may be cut off.

    The source is None if the file is packed or takes too long to read. Then use `source_at`.
    """
    if is_packed(data):
        return None, False
    head, start = data[:HEAD_BYTES], time.perf_counter()
    result: Parsed | ParsedFormula | Layout | InvalidPuzzle | None
    try:
        reading = settings.reading.at_most(_MAX_PARSING_SECONDS)
        result = read_text(head, len(data) <= HEAD_BYTES, printable(name), reading)
        if isinstance(result, Layout):
            is_cut_off = not data.endswith(b"\n") and _ends_in_invalid_entry(data, result, settings)
            return Collection(result, "plain"), is_cut_off
        if len(data) > settings.max_bytes:
            return _oversize(name, settings, f"{len(data)} bytes"), False
        if result is None:
            result = parse_problem(
                unparsed_source(data, name, settings), settings, _MAX_PARSING_SECONDS
            )
    except InvalidPuzzle as error:
        result = error
    except LimitReached:
        return None, False
    if isinstance(result, LimitReached):
        return None, False
    source = _source_of(data, name, result, len(data), time.perf_counter() - start)
    is_short = isinstance(result, ParsedFormula) and result.is_short
    return source, is_short or (isinstance(result, InvalidPuzzle) and result.truncated)


def source_at(path: Path, name: str, settings: Settings, *, counts_members: bool = False) -> Source:
    """Decide what a file or folder is, from its content. Raises OSError.

    With `counts_members`, an archive with too many members is refused here, not when it is walked.
    """
    status = path.lstat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return _unreadable(name, "a file or a folder", kind_in_words(status.st_mode), None)
    limits = UnpackLimits.of(settings)
    try:
        kind = kind_of(path)
        if kind in ("zip", "tar", "folder"):
            if kind != "folder":
                check_readable(path, limits, counts_members=counts_members)
            return Archive(kind)
        size = path.stat().st_size
        with PeekableStream(open_unpacked(path, limits)) as stream:
            shown_size = f"{size} bytes" if kind == "plain" else "more"
            result = _source_in_stream(stream, printable(name), settings, shown_size)
    except UnpackError as error:
        return Unreadable(name, f"{printable(name)}: {error}", None, status.st_size)
    except PermissionError:
        found = "no permission to read it"
        return _unreadable(name, "a readable file", found, status.st_size)
    if isinstance(result, Layout):
        return Collection(result, kind)
    return replace(result, name=name, size=size)


def source_of_member(
    member: Member, settings: Settings
) -> OneProblem | tuple[Layout, PeekableStream]:
    """Decide what a member of an archive is. For a collection, returns its layout and its stream.

    Raises OSError if the environment is at fault.
    """
    if member.stream is None:
        return Unreadable(member.name, member.refusal or "")
    try:
        stream = PeekableStream(member.stream)
        result = _source_in_stream(stream, member.name, settings)
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        return Unreadable(member.name, str(error))
    return (result, stream) if isinstance(result, Layout) else result


def parse_problem(
    source: Readable, settings: Settings, max_seconds: float = math.inf
) -> Parsed | ParsedFormula:
    """Parse the puzzle or formula of a source, unless it was parsed before.

    Takes at most `max_seconds` and `settings.timeout`. Raises InvalidPuzzle and LimitReached.
    """
    if source.parsed is not None:
        return source.parsed
    seconds = min(settings.timeout, max_seconds)
    if isinstance(source, SinglePuzzle):
        return parse_source(source.data, source.name, settings.reading.at_most(seconds))
    deadline = Deadline.of(Limits(seconds, settings.memory_limit))
    try:
        return parse_formula(
            source.data, source.name, settings.max_bytes, deadline, strict=settings.strict
        )
    except InvalidPuzzle as error:
        error.code = "damaged" if error.code == "not-a-puzzle" else error.code
        raise foreign_text_error(error, source.data) from None


def parse_now(source: OneProblem, settings: Settings) -> OneProblem:
    """Parse a source, unless it was parsed before. Returns the parsed or the refused source.

    Raises LimitReached.
    """
    if isinstance(source, Unreadable) or source.parsed is not None:
        return source
    start = time.perf_counter()
    result: Parsed | ParsedFormula | InvalidPuzzle
    try:
        result = parse_problem(source, settings)
    except InvalidPuzzle as error:
        result = error
    return _source_of(source.data, source.name, result, source.size, time.perf_counter() - start)


def unparsed_source(data: bytes, name: str, settings: Settings) -> Readable:
    """A source of one puzzle or formula that is not parsed yet."""
    kind = SingleFormula if is_formula(data[:HEAD_BYTES], settings.reading) else SinglePuzzle
    return kind(name, data)


def _unreadable(name: str, expected: str, found: str, size: int | None) -> Unreadable:
    return Unreadable(name, str(InvalidPuzzle(name, None, None, expected, found)), None, size)


def _oversize(name: str, settings: Settings, found: str) -> Unreadable:
    reason = str(oversize_error(name, settings.max_bytes, found))
    return Unreadable(name, reason, code="too-large")


def _source_in_stream(
    stream: PeekableStream, name: str, settings: Settings, size: str = "more"
) -> OneProblem | Layout:
    """Decide what a stream is. For a collection, returns its layout.

    `size`: the size of the source in words, for the error if it is too large.
    """
    start = time.perf_counter()
    head = stream.head(HEAD_BYTES + 1)
    reading = settings.reading.at_most(_MAX_PARSING_SECONDS)
    result = read_text(head[:HEAD_BYTES], len(head) <= HEAD_BYTES, name, reading)
    if isinstance(result, Layout):
        return result
    seconds = time.perf_counter() - start
    data = stream.read_rest(settings.max_bytes + 1)
    if len(data) > settings.max_bytes:
        return _oversize(name, settings, size)
    if result is None or isinstance(result, LimitReached):
        return unparsed_source(data, name, settings)
    return _source_of(data, name, result, None, seconds)


def _source_of(
    data: bytes,
    name: str,
    result: Parsed | ParsedFormula | InvalidPuzzle,
    size: int | None,
    seconds: float,
) -> OneProblem:
    match result:
        case Parsed():
            return SinglePuzzle(name, data, size, result, seconds)
        case ParsedFormula():
            return SingleFormula(name, data, size, result, seconds)
    place = (result.line, result.column) if result.line and result.column else None
    reason, code = str(result), result.code
    return Unreadable(name, reason, data, size, seconds, place, code, result.read_as)


def _ends_in_invalid_entry(data: bytes, layout: Layout, settings: Settings) -> bool:
    """Whether the last entry of a collection is invalid, so that the file may be cut off."""
    last = deque(layout.chunks(io.BytesIO(data), 1), maxlen=1)
    if not last:
        return False
    entries = layout.entries(last[0], settings.reading.at_most(_MAX_PARSING_SECONDS))
    return bool(entries) and entries[-1].error is not None


def looks_like_no_puzzle(data: bytes) -> bool:
    """Whether a source, such as a file in an archive, does not look like a puzzle in any format.

    Only the first 64 KiB are examined, and they are not parsed. A source looks like a puzzle if it
    begins with the keywords of a format, if it contains a whole puzzle or a border, or if its first
    two lines or a quarter of its lines may be rows or whole puzzles, even damaged ones.
    """
    encoded = data[:_SAMPLE_BYTES]
    decoded = encoded.decode("utf-16" if is_utf_16(data) else "utf-8-sig", errors="replace")
    lines = significant_lines(decoded)
    text = "\n".join(lines)
    has_keywords = any(
        format_.begins is not None and format_.begins.match(text) for format_ in FORMATS
    )
    if has_keywords or looks_like_cnf(data) or is_in_spaces(encoded):
        return False
    if any(_has_whole_puzzle(line) or is_border(line) for line in lines):
        return False
    text_lines = [line for line in lines if any(char.isalnum() or char == "." for char in line)]
    may_have_cells = [_may_have_cells(line) for line in text_lines]
    is_likely = all(may_have_cells[:2]) or sum(may_have_cells) * 4 >= len(text_lines)
    return not (text_lines and is_likely)


def _may_have_cells(line: str) -> bool:
    """Whether a line may be a row of cells, or has a word that may be a whole puzzle."""
    if _FIELD.search(line):
        words = [field.strip(" \"'[]") for field in _FIELD.split(line)]
    else:
        words = line.replace("|", " ").split()
    short_words = sum(len(word) < 2 or (len(word) < 4 and word.isdigit()) for word in words)
    if len(words) >= _MIN_ROW and short_words * 4 >= len(words) * 3:
        return any(CELL_CHARACTERS.issuperset(word) for word in words if word)
    are_same_length = len({*map(len, words[:-1])}) < 2 and not _FIELD.search(line)
    row = "".join(words) if are_same_length else ""
    if _MIN_ROW <= len(row) <= _MAX_ROW and _are_mostly_cells(row, 3 / 4):
        return True
    return any(len(word) >= _MIN_PUZZLE_WORD and _are_mostly_cells(word, 7 / 8) for word in words)


def _are_mostly_cells(cells: str, min_share: float) -> bool:
    """Whether at least `min_share` of the characters are digits or blanks, or all are letters."""
    if len(cells) in _LETTER_LENGTHS and _LETTERS.fullmatch(cells):
        letters = sum(map(str.isalpha, cells))
        return len(cells) > _MAX_ROW or letters * 4 < len(cells) * 3
    return sum(map(CELL_CHARACTERS.__contains__, cells)) >= len(cells) * min_share


def _has_whole_puzzle(line: str) -> bool:
    """Whether a line, or a word in it, has about as many cells as a puzzle."""
    # HoDoKu writes `+` before a placed digit.
    words = [word.replace("+", "") for word in _WORD.findall(line)]
    if len({*map(len, words)}) == 1 and (len(words[0]) == 1 or len(words) == len(words[0]) > 4):
        # The words are cells or rows. Four words of four digits are left out: they may be years.
        words = ["".join(words)]
    return any(_has_cells_of_puzzle(word) for word in words if len(word) >= _MIN_CELLS - 1)


def _has_cells_of_puzzle(word: str) -> bool:
    """Whether a word has about as many cells as a puzzle, nearly all of them valid."""
    for side in ALL_GEOMETRIES:
        # For side 4, exactly 16 cells are required, because IP addresses may have 15 characters.
        if abs(len(word) - side**2) <= (side - 1) // 4:
            symbols = DIGITS[:side] + ascii_uppercase[: side if side > len(DIGITS) else 0]
            given = [symbol for symbol in word.upper() if symbol in symbols]
            blanks = sum(map(BLANKS.__contains__, word))
            are_valid = (len(given) + blanks) * 8 >= len(word) * 7
            return are_valid and blanks * 8 >= len(word) and len({*given}) * 2 > side
    return False
