r"""f-puzzles: a JSON document with a grid and rules, which may be packed and contained in a link.

    {"size":9,"grid":[[{},…],…,[…,{"value":1,"given":true},…],…],"killercage":[…]}
    N4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSSzKLryBdZQmq8l54+x1p7rj…
    https://sudokupad.app/fpuzzlesN4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSS…

Rules are objects that name their cells, such as `R1C1`. Unknown keys are errors. A drawing that is
marked as the copy of a rule is an error if no rule of the document has its cells and value. Sides
are 4 to 16.

In a link, the document is packed by LZString and encoded in base64. It follows `load=`,
`puzzleid=`, `fpuzzles` or `fpuz`, and ends at a `&`, `#` or `?`. It may contain slashes and percent
signs. A space is a `+` that URL decoding has replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase, digits

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.fpuzzles.document import MAX_CHARACTERS, Misread, parse_json
from pipeline.reading.formats.parsed import Notes, Parsed
from pipeline.reading.formats.text import Text, Word, line_and_column, quote
from pipeline.settings import Reading

_OBJECT = re.compile(r"\{\s*(?:$|[\"}])")
_PACKED = re.compile(r"N4Ig|fpuz(?:zles)?N4|(?:scl|ctc|scf)[\w+/=%]{20}")
_SHORT_NAME = re.compile(r"(?=[a-z\d]*[A-Z])(?=[A-Zx\d]*[a-wyz])(?=[A-Za-z]*\d)[A-Za-z\d]{8,19}")
"""The short name of a puzzle on a server; its mixed case distinguishes it from cells."""

_PENPA = re.compile(r"\bm=(?:edit|solve)&p=", re.IGNORECASE)
"""The part that all links of Penpa contain."""

_LINK = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)*(?:f-puzzles\.com|sudokupad\.app|crackingthecryptic\.com)\b"
    r"|https?://\S*(?:[?&](?:load|puzzleid)=|/fpuz)"
    rf"|(?:https?://\S*)?{_PENPA.pattern}",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    rf"\s*(?:\{{(?s:.{{0,2000}}?)\"(?:size|grid)\"\s*:|N4Ig|fpuz(?:zles)?N4|{_LINK.pattern})"
)

MAX_PACKED = 1 << 16
"""Maximum number of characters of a packed document."""

_ALPHABET = f"{ascii_uppercase}{ascii_lowercase}{digits}+/"
_BASE64_VALUES = {character: index for index, character in enumerate(_ALPHABET)}
_INITIAL_ENTRIES = ("", "", "")
"""The first three entries of every LZString dictionary.

Their codes are commands: 0 and 1 introduce a character, and 2 ends the text.
"""

_END_CODE = 2
_ANY_LINK = re.compile(r"[a-z]+://|[\w.-]+\.[a-z]+/", re.IGNORECASE)
_BEFORE_PACKED = re.compile(
    r"[?&](?:load|puzzleid)=|/fpuz(?:zles)?(?=N4)|^fpuz(?:zles)?|/(?=(?:scl|ctc|scf)[\w+%]{17})",
    re.IGNORECASE,
)
_FPUZZLES_PREFIX = re.compile(r"fpuz(?:zles)?(?=N4)", re.IGNORECASE)
_OTHER_NOTATIONS = {
    "scl": "SudokuPad's own notation, 'scl…', which has drawings instead of rules",
    "ctc": "SudokuPad's older notation, 'ctc…', which has drawings instead of rules",
    "scf": "SudokuPad's compressed notation, 'scf…'",
}
_PENPA_REFUSED = "Penpa's notation, 'm=edit&p=…', which has drawings instead of rules"
HINT_OPEN_LINK = "links are not fetched: open it in a browser and copy the cells"
"""The advice in the error for a link that contains no puzzle."""

_MIN_PACKED = 20
"""Minimum number of characters of a packed document that does not begin with `N4Ig`."""

_EXPECTED = "an f-puzzles document, or a link with one"


def recognise_fpuzzles(text: Text) -> str | None:
    first = text.lines[0].text.lstrip()
    if _OBJECT.match(first) and _may_be_document(text):
        return "it is a JSON object with a size and a grid of objects"
    if _LINK.match(first):
        return "it begins with a link to a puzzle"
    if _PACKED.match(first):
        return "it begins like the data of a puzzle link"
    is_short_name = len(text.lines) == 1 and _SHORT_NAME.fullmatch(first.rstrip())
    return "it looks like the short name of a puzzle link" if is_short_name else None


def _may_be_document(text: Text) -> bool:
    """Whether a text is an f-puzzles document, perhaps with damaged JSON."""
    if b'"grid"' not in text.data or len(text.data) > MAX_CHARACTERS:
        return b'"grid"' in text.data
    try:
        return is_document(parse_json(text.without_comments()))
    except Misread:
        return b'"size"' in text.data and not text.lines[-1].text.rstrip().endswith(",")


def is_document(value: object) -> bool:
    """Whether a JSON value is an f-puzzles document, perhaps with errors."""
    if not isinstance(value, dict) or "grid" not in value:
        return False
    rows = value["grid"] if isinstance(value["grid"], list) else [value["grid"]]
    cells = [cell for row in rows[:2] for cell in (row if isinstance(row, list) else [row])]
    if not cells or cells == [None]:
        return "size" in value
    return any(isinstance(cell, dict) for cell in cells)


def parse_fpuzzles(text: Text, _reading: Reading) -> Parsed:
    from pipeline.reading.formats.fpuzzles.reading import read_document  # noqa: PLC0415 - loads all rules

    is_packed = not text.lines[0].text.lstrip().startswith("{")
    if not is_packed and len(text.data) > MAX_CHARACTERS:
        raise text.error(None, None, f"at most {MAX_CHARACTERS} bytes", f"{len(text.data)}")
    json_text = unpack(text) if is_packed else text.without_comments()
    try:
        return read_document(parse_json(json_text))
    except Misread as misread:
        raise _error_of(text, misread, "" if is_packed else json_text) from None


def _error_of(text: Text, misread: Misread, json_text: str) -> InvalidPuzzle:
    """The error for a misread value, with its path, or with the line and column of invalid JSON.

    `json_text`: the text of the document; empty if it was packed.
    """
    line = column = None
    if json_text and misread.offset is not None:
        line, column = line_and_column(json_text, misread.offset)
    return text.error(line, column, misread.expected_at_path, misread.found, code=misread.code)


def unpack(text: Text) -> str:
    """Unpack the JSON text in a link, or in the packed part of a link. Raises InvalidPuzzle."""
    line, *rest = text.lines
    if rest:
        raise text.at_line(rest[0], "a single link or document", code="several-puzzles")
    body = line.text.strip()
    word = _packed_word(text, Word(line.number, line.text.find(body) + 1, body))
    packed = word.text.rstrip("=")
    if len(packed) > MAX_PACKED:
        found = f"{len(packed)} characters"
        raise text.at_word(word, f"at most {MAX_PACKED} characters", found)
    wrong = next((character for character in packed if character not in _BASE64_VALUES), None)
    if wrong is not None:
        raise text.at_word(word, "letters, digits, '+' and '/'", quote(wrong))
    unpacked = _lz_unpack(packed)
    if unpacked is None:
        raise text.at_word(word, "a document compressed with LZString", "damaged data")
    if len(unpacked) > MAX_CHARACTERS:
        raise text.at_word(word, f"a document of at most {MAX_CHARACTERS} characters", "more")
    return unpacked


def _packed_word(text: Text, word: Word) -> Word:
    """The packed document in a link or word, with percent signs decoded and `fpuzzles` removed.

    Raises InvalidPuzzle for a word that is clearly not an f-puzzles document.
    """
    from urllib.parse import unquote  # noqa: PLC0415 - slow to load, and few puzzles are links

    if _PENPA.search(word.text):
        raise text.at_word(word, _EXPECTED, _PENPA_REFUSED, code="link", hint=HINT_OPEN_LINK)
    is_link = _ANY_LINK.match(word.text) is not None
    match = _BEFORE_PACKED.search(word.text)
    begin = match.end() if match else 0
    if is_link and match is None:
        expected = f"{_EXPECTED}; this link can only be resolved by its server"
        raise text.at_word(word, expected, code="link", hint=HINT_OPEN_LINK)
    body = re.split("[&#?]", word.text[begin:], maxsplit=1)[0] if is_link else word.text[begin:]
    decoded = unquote(body).replace(" ", "+")
    packed = Word(word.line, word.column + begin, _FPUZZLES_PREFIX.sub("", decoded))
    if len(packed.text) >= _MIN_PACKED and (other := _OTHER_NOTATIONS.get(packed.text[:3].lower())):
        raise text.at_word(packed, _EXPECTED, other, code="link", hint=HINT_OPEN_LINK)
    if len(packed.text) < _MIN_PACKED and not packed.text.startswith("N4Ig"):
        expected = f"{_EXPECTED}; a short name can only be resolved by its server"
        raise text.at_word(packed, expected, code="link", hint=HINT_OPEN_LINK)
    return packed


def _lz_unpack(packed: str) -> str | None:
    """Unpack an LZString text, up to MAX_CHARACTERS; None if it is damaged or cut off.

    The limit is needed because 64 KiB can unpack to hundreds of megabytes. Each code is 0 or 1 (a
    new character of 8 or 16 bits follows), 2 (the end), or the number of an entry. Each code also
    adds an entry: the previous phrase and the first character of the current one.
    """
    bits = (_BASE64_VALUES[char] >> shift & 1 for char in packed for shift in range(5, -1, -1))
    entries, unpacked, length, previous = [*_INITIAL_ENTRIES], list[str](), 0, ""
    try:
        while (
            code := _read_number(bits, len(entries).bit_length())
        ) != _END_CODE and length <= MAX_CHARACTERS:
            if code < 2:
                entries.append(chr(_read_number(bits, 16 if code else 8)))
                code = len(entries) - 1
            if code > len(entries) or (code == len(entries) and not previous):
                return None
            phrase = entries[code] if code < len(entries) else previous + previous[0]
            unpacked.append(phrase)
            length += len(phrase)
            if previous:
                entries.append(previous + phrase[0])
            previous = phrase
    except StopIteration:
        return None
    return "".join(unpacked)


def _read_number(bits: Iterator[int], width: int) -> int:
    """Read a number of `width` bits, the lowest first. Raises StopIteration if bits are missing."""
    number = 0
    for bit in range(width):
        number |= next(bits) << bit
    return number


def lz_pack(text: str) -> str:
    """Pack an ASCII text by LZString in base64, so that `_lz_unpack` can unpack it.

    A phrase is the longest known entry at the current position, or a new character. Each phrase
    adds an entry: the previous phrase and the first character of the current one.
    """
    bits, codes = list[int](), dict[str, int]()
    size, previous, position = len(_INITIAL_ENTRIES), "", 0
    while position < len(text):
        phrase = text[position]
        if previous:
            codes.setdefault(previous + phrase, size + (phrase not in codes))
        end = position + 1
        while end < len(text) and text[position : end + 1] in codes:
            end += 1
        if phrase in codes:
            phrase = text[position:end]
            bits += _bits(codes[phrase], size.bit_length())
        else:
            bits += _bits(0, size.bit_length()) + _bits(ord(phrase), 8)
            codes[phrase], size = size, size + 1
        size += bool(previous)
        previous, position = phrase, position + len(phrase)
    bits += [*_bits(_END_CODE, size.bit_length()), 0]
    bits += [0] * (-len(bits) % 6)
    groups = (bits[first : first + 6] for first in range(0, len(bits), 6))
    packed = "".join(_ALPHABET[int("".join(map(str, group)), 2)] for group in groups)
    return packed + "=" * (-len(packed) % 4)


def _bits(number: int, width: int) -> list[int]:
    """The bits of a number, the lowest first."""
    return [number >> bit & 1 for bit in range(width)]


def render_fpuzzles(
    puzzle: Puzzle,
    notation: str,
    solution: Grid | None = None,
    notes: Notes = (),
) -> str:
    """Write a document or, with the notation `link` or `sudokupad`, a link that contains it.

    Raises ValueError with a noun phrase for the first property that a document cannot express.
    """
    from pipeline.reading.formats.fpuzzles.writing import document_text  # noqa: PLC0415 - loads all rules

    text = document_text(puzzle, solution, notes)
    return f"{_LINK_PREFIXES[notation]}{lz_pack(text)}\n" if notation else f"{text}\n"


_LINK_PREFIXES = {
    "link": "https://www.f-puzzles.com/?load=",
    "sudokupad": "https://sudokupad.app/fpuzzles",
}
"""Notation → the part of the link before the packed document."""

FPUZZLES = Format("f-puzzles", recognise_fpuzzles, parse_fpuzzles, render_fpuzzles, begins=_BEGINS)
