"""Links, and what they hold: JSON packed by LZString and written in base64, `N4Ig…`.

What a link holds follows `load=`, `puzzleid=`, `fpuzzles` or `fpuz`, up to a `&`, `#` or `?`; it
may have slashes of its own, and percent signs. A `+` in it often has become a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase, digits
from urllib.parse import unquote

from pipeline.reading.formats.fpuzzles.document import LONGEST
from pipeline.reading.formats.text import Text, Word, quote

LONGEST_PACKED = 1 << 16
"""Characters of a packed document."""

_SIGNS = {sign: at for at, sign in enumerate(f"{ascii_uppercase}{ascii_lowercase}{digits}+/")}
_LINK = re.compile(r"[a-z]+://|[\w.-]+\.[a-z]+/", re.IGNORECASE)
_HELD = re.compile(
    r"[?&](?:load|puzzleid)=|/fpuz(?:zles)?(?=N4)|^fpuz(?:zles)?|/(?=(?:scl|ctc|scf)[\w+%]{17})",
    re.IGNORECASE,
)
_NAMED = re.compile(r"fpuz(?:zles)?(?=N4)", re.IGNORECASE)
_OTHERS = {
    "scl": "SudokuPad's own notation, 'scl…', which holds drawings in place of rules",
    "ctc": "SudokuPad's older notation, 'ctc…', which holds drawings in place of rules",
    "scf": "SudokuPad's packed notation, 'scf…'",
}
_SHORTEST = 20
_EXPECTED = "a link that holds an f-puzzles document, or the document"
_DAMAGED = "a document packed by LZString"


def unpack(text: Text) -> str:
    """The JSON text that a link, or what stands in a link, holds. Raises InvalidPuzzle."""
    line, *others = text.lines
    if others:
        raise text.at_line(others[0], "a single link or document", may_go_on=False)
    held = _held(text, Word(line.number, *_trimmed(line.text)))
    packed = held.text.rstrip("=")
    if len(packed) > LONGEST_PACKED:
        found = f"{len(packed)} characters"
        raise text.error(held.line, held.column, f"at most {LONGEST_PACKED} characters", found)
    strange = next((sign for sign in packed if sign not in _SIGNS), None)
    if strange is not None:
        raise text.error(held.line, held.column, "letters, digits, '+' and '/'", quote(strange))
    length = _unpacked_length(packed)
    if length is None:
        raise text.error(held.line, held.column, _DAMAGED, "a damaged one", truncated=True)
    if length > LONGEST:
        expected = f"a document of at most {LONGEST} characters"
        raise text.error(held.line, held.column, expected, f"{length} characters")
    from lzstring import LZString  # noqa: PLC0415 - few files are packed

    return str(LZString.decompressFromBase64(f"{packed}="))


def _trimmed(line: str) -> tuple[int, str]:
    """The column of a line's first character, and the line without the space around."""
    return len(line) - len(line.lstrip()) + 1, line.strip()


def _held(text: Text, word: Word) -> Word:
    """The packed text in a link, or the word itself, without its percent signs and names.

    Raises InvalidPuzzle for a word that is clearly no f-puzzles document.
    """
    is_link = _LINK.match(word.text) is not None
    match = _HELD.search(word.text)
    begin = match.end() if match else 0
    if is_link and match is None:
        raise text.at_word(word, f"{_EXPECTED}; what this link names is on a server")
    body = re.split("[&#?]", word.text[begin:], maxsplit=1)[0] if is_link else word.text[begin:]
    decoded = unquote(body).replace(" ", "+")
    named = _NAMED.match(decoded)
    held = Word(word.line, word.column + begin, decoded[named.end() :] if named else decoded)
    other = _OTHERS.get(held.text[:3].lower()) if len(held.text) >= _SHORTEST else None
    if other is not None:
        raise text.error(held.line, held.column, _EXPECTED, other)
    if len(held.text) < _SHORTEST and not held.text.startswith("N4Ig"):
        expected = f"{_EXPECTED}; what a short name stands for is on a server"
        raise text.at_word(held, expected)
    return held


def _unpacked_length(packed: str) -> int | None:
    """How many characters LZString would unpack; None if it is damaged or cut off.

    LZString itself knows no limit, and 64 KiB can stand for hundreds of megabytes. A code names
    an entry, or is 0 or 1 before the 8 or 16 bits of a new character, or 2 at the end; each code
    adds an entry that is one character longer than the one before.
    """
    bits = (_SIGNS[sign] >> shift & 1 for sign in packed for shift in range(5, -1, -1))
    entries, total, before, width, room = [0, 0, 0], 0, 0, 2, 1
    try:
        while (code := _read(bits, width)) != 2:
            if code < 2:
                _read(bits, 16 if code else 8)
                code = len(entries)
                entries.append(1)
                room -= 1
                if room == 0:
                    room, width = 1 << width, width + 1
            if code > len(entries) or (code == len(entries) and not before):
                return None
            length = entries[code] if code < len(entries) else before + 1
            total += length
            if total > LONGEST:
                return total
            if before:
                entries.append(before + 1)
                room -= 1
                if room == 0:
                    room, width = 1 << width, width + 1
            before = length
    except StopIteration:
        return None
    return total


def _read(bits: Iterator[int], width: int) -> int:
    """A number of so many bits, the lowest first. Raises StopIteration at the end."""
    number = 0
    for at in range(width):
        number |= next(bits) << at
    return number
