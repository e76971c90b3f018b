"""Decide whether a source holds one problem, a collection, or an archive.

`formats.detect` tells what bytes are. `contents_in` looks at all bytes of a small file,
`contents_of` at any file, and `contents_of_member` at a member of an archive.

`looks_like_no_puzzle` tells invalid puzzles in an archive from its other files. A grid with a wrong
sign looks like a puzzle, and in case of doubt a source looks like one. Single lines of digits are
common in any text. So a line among much other text counts only if it has the cells of a whole
puzzle.
"""

from __future__ import annotations

import codecs
import io
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
from pipeline.reading import Archive, Collection, Contents, Single, Source
from pipeline.reading.archives import UnpackError, UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import Member, check_readable, is_packed, kind_of, opened
from pipeline.reading.formats import (
    FORMATS,
    HEAD_BYTES,
    Detected,
    FormulaBegun,
    NotMany,
    Parsed,
    What,
    detect,
    oversize,
    parse_source,
)
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, DIGITS, KNOWN, number_of
from pipeline.reading.formats.formula import ParsedFormula, looks_like_cnf, parse_formula
from pipeline.reading.formats.spaces import is_in_spaces
from pipeline.reading.formats.text import is_border, said_lines
from pipeline.settings import Reading, Settings

PIECE_BYTES = 64 * 1024
"""Bytes of a collection to read at once."""

_MOST_CELLS = 100
_SECONDS = 1.0
"""Of work to parse a puzzle before it is claimed."""

NO_PUZZLE = "nothing in it looks like a puzzle"
"""What a message adds for such a source in an archive, after the error from reading it."""

_SAMPLE_BYTES = 64 * 1024
_WORD = re.compile(r"[^\s,;:|\"'\[\]]+")
_FIELD = re.compile(r"[,;\t]")
_LETTERS = re.compile(r"[0-9A-Y.*_?-]+|[0-9a-y.*_?-]+")
_IN_LETTERS = {*range(15, 18), *range(24, 27), *range(250, 262), *range(620, 631)}
"""Approximate numbers of signs in rows and puzzles that are written in letters."""

_SHORTEST_ROW, _LONGEST_ROW, _SHORTEST_PUZZLE, _FEWEST_CELLS = 4, 26, 15, 16


def contents_in(data: bytes, name: str, settings: Settings) -> tuple[Contents | None, bool]:
    """Tell what all the bytes of a file hold, and whether they look cut off.

    None if only the file can tell: it is packed, or takes too long to parse.
    """
    if is_packed(data):
        return None, False
    head, most = data[:HEAD_BYTES], settings.max_bytes
    reading = settings.reading.at_most(_SECONDS)
    begun = time.perf_counter()
    parsed: Parsed | ParsedFormula
    try:
        match detect(head, len(data) <= HEAD_BYTES, name, reading):
            case Detected() as found:
                source = Source(printable(name), found, _cells(head, name, found, reading))
                is_torn = not data.endswith(b"\n") and _ends_badly(data, found, reading)
                return Collection(source, "plain"), is_torn
            case _ if len(data) > most:
                return Single(name, None, str(oversize(name, most, f"{len(data)} bytes"))), False
            case FormulaBegun():
                deadline = Deadline.of(Limits(settings.timeout, settings.memory_limit))
                parsed = parse_formula(data, name, most, deadline)
            case Parsed() as parsed:
                pass
            case NotMany():
                parsed = parse_source(data, name, *reading)
    except LimitReached:
        return None, False
    except InvalidPuzzle as error:
        spent = time.perf_counter() - begun
        return Single(name, data, str(error), len(data), seconds=spent), error.truncated
    spent = time.perf_counter() - begun
    return Single(name, data, None, len(data), parsed, spent), False


def contents_of(path: Path, name: str, settings: Settings) -> Contents:
    """Tell by its content what has been claimed. Raises OSError."""
    status = path.lstat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return _refused(name, "a file or a folder", kind_in_words(status.st_mode), None)
    try:
        return _contents(path, name, settings)
    except UnpackError as error:
        return Single(name, None, f"{printable(name)}: {error}", status.st_size)
    except PermissionError:
        found = "no permission to read it"
        return _refused(name, "a file that may be read", found, status.st_size)


def _refused(name: str, expected: str, found: str, size: int | None) -> Single:
    return Single(name, None, str(InvalidPuzzle(name, None, None, expected, found)), size)


def _contents(path: Path, name: str, settings: Settings) -> Contents:
    limits = UnpackLimits(settings.max_total_bytes)
    kind = kind_of(path)
    if kind in ("zip", "tar", "folder"):
        if kind != "folder":
            check_readable(path, limits)
        return Archive(kind)
    size = path.stat().st_size
    found = f"{size} bytes" if kind == "plain" else "more"
    with PeekableStream(opened(path, limits)) as stream:
        what = _one_or_many(stream, printable(name), settings, found)
    if isinstance(what, Source):
        return Collection(what, kind)
    return replace(what, name=name, size=size)


def contents_of_member(
    member: Member, settings: Settings
) -> Single | tuple[Source, PeekableStream]:
    """A member of an archive as one puzzle, or a collection's source with its stream.

    Raises OSError if the environment keeps it from being read.
    """
    if member.stream is None:
        return Single(member.name, None, member.refusal)
    try:
        stream = PeekableStream(member.stream)
        found = _one_or_many(stream, member.name, settings)
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        return Single(member.name, None, str(error))
    return (found, stream) if isinstance(found, Source) else found


def _one_or_many(
    stream: PeekableStream, name: str, settings: Settings, size: str = "more"
) -> Single | Source:
    """The one puzzle in a stream of that size, or the source of a collection, not read yet."""
    what = what_in(stream, name, settings)
    if isinstance(what, Source):
        return what
    data = stream.whole(settings.max_bytes + 1)
    if len(data) > settings.max_bytes:
        return Single(name, None, str(oversize(name, settings.max_bytes, size)))
    return Single(name, data, what=what)


def what_in(stream: PeekableStream, name: str, settings: Settings) -> Source | What:
    """The source of the collection in a stream, or what `detect` finds in any other."""
    head = stream.head(HEAD_BYTES + 1)
    complete = len(head) <= HEAD_BYTES
    what = detect(head[:HEAD_BYTES], complete, name, settings.reading)
    if isinstance(what, Detected):
        return Source(name, what, _cells(head, name, what, settings.reading))
    return what


def _cells(head: bytes, name: str, detected: Detected, reading: Reading) -> int:
    """The number of cells of the first puzzle, to stand for those whose size is not known."""
    pieces = detected.pieces(io.BytesIO(head), 1)
    for piece, _ in zip(pieces, range(_MOST_CELLS), strict=False):
        for entry in detected.entries(piece, name, reading):
            if entry.plain:
                return 81
            if entry.puzzle is not None:
                return len(entry.puzzle.cells)
    return 81


def _ends_badly(data: bytes, detected: Detected, reading: Reading) -> bool:
    """Whether the last entry of a collection is invalid: the file may be cut off."""
    last = deque(detected.pieces(io.BytesIO(data), 1), maxlen=1)
    if not last:
        return False
    entries = detected.entries(last[0], "", reading)
    return bool(entries) and entries[-1].error is not None


def looks_like_no_puzzle(data: bytes) -> bool:
    """Whether nothing in a source looks like the beginning of a puzzle in any format.

    That is no error in an archive. Its first 64 KiB decide; nothing is parsed. A source looks like
    a puzzle if it begins with a format's own words, or if a whole puzzle or a border stands
    anywhere. A source whose first two lines, or a quarter of its lines, may be rows or whole
    puzzles, even damaged ones, looks like one too.
    """
    encoded = data[:_SAMPLE_BYTES]
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoded = encoded.decode("utf-16" if utf_16 else "utf-8-sig", errors="replace")
    lines = said_lines(decoded)
    text = "\n".join(lines)
    begun = any(known.begins is not None and known.begins.match(text) for known in FORMATS)
    if begun or looks_like_cnf(data) or is_in_spaces(encoded):
        return False
    if any(map(_is_whole, lines)) or any(map(is_border, lines)):
        return False
    told = [line for line in lines if any(sign.isalnum() or sign == "." for sign in line)]
    likely = [_is_likely(line) for line in told]
    return not told or (not all(likely[:2]) and sum(likely) * 4 < len(likely))


def _is_likely(line: str) -> bool:
    """Whether a line may be a row of cells, or holds a word that may be a whole puzzle."""
    if _FIELD.search(line):
        words = [field.strip(" \"'[]") for field in _FIELD.split(line)]
    else:
        words = line.replace("|", " ").split()
    single = sum(len(word) < 2 or (len(word) < 4 and word.isdigit()) for word in words)
    known = any(word and KNOWN.issuperset(word) for word in words)
    if len(words) >= _SHORTEST_ROW and known and single * 4 >= len(words) * 3:
        return True
    alike = len({*map(len, words[:-1])}) < 2 and not _FIELD.search(line)
    row = "".join(words) if alike else ""
    if _SHORTEST_ROW <= len(row) <= _LONGEST_ROW and _are_known(row, 3 / 4):
        return True
    return any(len(word) >= _SHORTEST_PUZZLE and _are_known(word, 7 / 8) for word in words)


def _are_known(cells: str, part: float) -> bool:
    """Whether so many of the signs are digits and blanks, or may be a row or puzzle in letters."""
    if len(cells) in _IN_LETTERS and _LETTERS.fullmatch(cells):
        letters = sum(map(str.isalpha, cells))
        return len(cells) > _LONGEST_ROW or letters * 4 < len(cells) * 3
    drawn = not any(sign.isdigit() or sign == "." for sign in cells)
    return not drawn and sum(sign in KNOWN for sign in cells) >= len(cells) * part


def _is_whole(line: str) -> bool:
    """Whether a line, or a word in it, has the cells of a puzzle, give or take a few."""
    words = [word.replace("+", "") for word in _WORD.findall(line)]  # HoDoKu's mark
    if len({*map(len, words)}) == 1 and (len(words[0]) == 1 or len(words) == len(words[0]) > 4):
        words = ["".join(words)]  # single cells, or rows; but not years and the like
    return any(_has_cells(word) for word in words if len(word) >= _FEWEST_CELLS - 1)


def _has_cells(word: str) -> bool:
    for side in ALL_GEOMETRIES:
        if abs(len(word) - side**2) <= (side - 1) // 4:  # none for 4×4: addresses have 15
            values = [sign for sign in word if _is_value(sign, side)]
            blanks = sum(sign in BLANKS for sign in word)
            known = (len(values) + blanks) * 8 >= len(word) * 7
            return known and blanks * 8 >= len(word) and len({*values}) * 2 > side
    return False


def _is_value(cell: str, side: int) -> bool:
    if cell.isdigit():
        return bool(number_of(cell, side))
    return side > len(DIGITS) and len(cell) == 1 and cell.upper() in ascii_uppercase[:side]
