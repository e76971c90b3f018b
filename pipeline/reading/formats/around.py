"""Text around a grid: its title, and unread text that may be a rule.

Lines above a grid are its title, and so are notes above or below it, such as `Author: Ann`, an
address, a copyright or a page number. A line is reported as unread if it names a rule, or if it is
below the last grid and not a note. Comments, columns of CSV and further fields matter only if they
name a rule.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipeline.errors import printable
from pipeline.puzzle.puzzle import Rule
from pipeline.reading.formats.parsed import Entry, title_of
from pipeline.reading.formats.text import COMMENTS, NEWLINE

_LONGEST_EXCERPT = 80
_MAP_ROWS = 4
"""So many lines of one word, all of one length, may be a map above a grid, not a title."""

_MOST_UNREAD = 8
"""Maximum number of texts of a puzzle that are quoted."""

_RULES = (
    *("anti diagonal", "anti king", "anti knight", "argyle", "asterisk", "battenburg"),
    *("between line", "cage", "chaos construction", "consecutive", "counting circle", "diagonal"),
    *("diagonally", "disjoint", "double arrow", "entropic", "full rank", "futoshiki", "girandola"),
    *("greater than", "hyper sudoku", "indexing", "inequality", "inequalities", "irregular"),
    *("jigsaw", "knight", "kropki", "little killer", "lockout", "magic square", "modular line"),
    *("nabner", "non consecutive", "numbered room", "palindrome", "parity line", "quadruple"),
    *("region", "renban", "sandwich", "skyscraper", "slingshot", "thermo", "thermometer"),
    *("toroidal", "whisper", "windoku", "x sum", "zipper line"),
)
"""Names of rules; a space may also be a hyphen, or missing. Words that are common in titles are
left out: X, XV, sum, even, odd, king, arrow, killer, clone, dot."""

_RULE = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(_RULES)})(?:e?s)?(?![^\W_])".replace(" ", "[ _-]?"), re.IGNORECASE
)
_SYNONYMS = {"kropki": "dot", "consecutive": "dot", "irregular": "region", "inequality": "greater"}

_ANY_RULE = frozenset(
    ("rule", "rules", "constraint", "constraints", "variant", "variants", "layout")
)
"""Keys of lines, and names of columns, whose text is always a rule."""

_RULE_COLUMNS = frozenset(
    (
        *("killer", "arrow", "arrows", "king", "even", "odd", "parity", "xv", "dots", "sums"),
        *("clone", "clones"),
    )
)
"""Columns of rules whose names may be in any title."""

_STEMS = tuple(name.replace(" ", "").encode() for name in (*_RULES, "rule", *_ANY_RULE, "rcrc"))
_STEMS = tuple({x for x in _STEMS if not any(other in x for other in _STEMS if other != x)})
"""Parts of these names without spaces: each name contains at least one of them."""

_CAGES = re.compile(
    r"(?<![^\W_])[rR][0-9]{1,2}[cC][0-9]{1,2}\W{1,3}[rR][0-9]{1,2}[cC][0-9]"
    r"|(?<![^\s,;])[^\W_]\s{0,2}=\s{0,2}[0-9]{1,3}[\s,;]{1,3}[^\W_]\s{0,2}=\s{0,2}[0-9]"
)
"""Cells or sums of cages: `R1C1 R1C2`, `a=8 b=10`."""

_BYTES_OF_SUMS = re.compile(rb"[0-9A-Za-z] ?= ?[0-9]{1,3}[ ,;\t]{1,3}[0-9A-Za-z] ?=")
_LOWER = bytes(range(256)).lower()
_SIGNS = b"0123456789.,_*|+-=: \t\r\n"

_UNNAMED = re.compile(rf"\s*(?:{'|'.join(_ANY_RULE)})\s*[:=]\s*(.*)", re.IGNORECASE)
_HARMLESS_KEYS = frozenset(
    (
        *("author", "authors", "creator", "setter", "constructor", "source", "publisher", "url"),
        *("link", "date", "published", "created", "difficulty", "level", "rating", "rated"),
        *("score", "stars", "id", "no", "nr", "number", "copyright", "license", "licence", "page"),
    )
)
_NOTHING = frozenset(
    ("", "-", "0", "no", "false", "none", "null", "nan", "n/a", "classic", "standard", "normal")
)
"""Values in a rules column that mean no rules."""

_SIDE = re.compile(r"([0-9]{1,3})(?:x\1)?")
_ABOUT, _LETTER = re.compile("[ABSLU](?=[A-Z][a-z]|[0-9])"), re.compile(r"\A[A-Z](?=[A-Z][a-z]|\s)")
"""SadMan's comments begin with a letter: author, date, source, level and address, or another."""

_NOTE = re.compile(
    r"<?(?:https?://|www\.)\S+"
    r"|(?:©|\(c\)|copyright\b).*"
    r"|[-–(\[]? ?(?:page|p\.)? ?[0-9]{1,6}(?: ?(?:/|of) ?[0-9]{1,6})? ?[-–)\].]?",
    re.IGNORECASE,
)
_KEY = re.compile(r"([^\W\d_]+)\s*[:=]")

Lines = Iterable[tuple[int, str]]
"""Lines of text with their numbers."""


def may_name_rule(data: bytes) -> bool:
    """Whether bytes may name a rule: a quick test, because most collections have few letters."""
    if b"=" in data and _BYTES_OF_SUMS.search(data):
        return True
    letters = data.translate(_LOWER, _SIGNS)
    used = {letter for letter in b"abcdefghijklmnopqrstuvwxyz" if letter in letters}
    return any(stem in letters for stem in _STEMS if used.issuperset(stem))


chunk_may_name_rule = lru_cache(maxsize=2)(may_name_rule)
"""The same for a chunk of a collection, cached because several callers ask."""


def names_rule(text: str, applied: Sequence[Rule] = ()) -> bool:
    """Whether a text names a rule that is not in `applied`."""
    unnamed = _UNNAMED.fullmatch(text)
    if unnamed and not applied and not _is_nothing(unnamed[1]):
        return True
    known = _joined(f"{rule.name} {rule.caption()}" for rule in applied)
    if _CAGES.search(text) and not applied:
        return True
    words = (_joined([match[0]]).removesuffix("s") for match in _RULE.finditer(text))
    return any(word not in known and _SYNONYMS.get(word, word) not in known for word in words)


def _joined(texts: Iterable[str]) -> str:
    """Texts in lower case, without word separators."""
    return "\n".join(texts).lower().translate({ord(sign): None for sign in " _-"})


def is_note(text: str) -> bool:
    """Whether a line is information that cannot change the puzzle."""
    key = _KEY.match(text)
    return bool(key and key[1].lower() in _HARMLESS_KEYS) or _NOTE.fullmatch(text) is not None


def excerpt(text: str) -> str:
    """A text in quotes, shortened, on one line."""
    shown = printable(" ".join(text[: 4 * _LONGEST_EXCERPT].split()))
    return f"'{shown}'" if len(shown) <= _LONGEST_EXCERPT else f"'{shown[:_LONGEST_EXCERPT]}…'"


def title_and_unread(
    above: Lines, below: Lines, applied: Sequence[Rule] = ()
) -> tuple[str, tuple[str, ...]]:
    """The title in the lines above and below a grid, and the unread lines.

    A line that names a rule in `applied` was read.
    """
    titles, rules = list[str](), list[str]()
    unread, above = [], [*above]
    widths = Counter(map(_width_of_row, (line for _, line in above)))
    for lines, is_below in ((above, False), (below, True)):
        for number, line in lines:
            text = " ".join(line.split())
            if any(map(str.isalnum, text)):
                is_title = not is_below or is_note(text)
                width = 0 if is_below else _width_of_row(line)
                is_of_map = width > 0 and widths[width] >= _MAP_ROWS
                is_rule = is_of_map or _tells_rule(text, applied)
                if is_title:
                    (rules if is_rule else titles).append(text)
                if is_rule or not is_title:
                    unread.append((number, text))
    return title_of(titles or rules[:1]), unread_lines(unread)


def _width_of_row(line: str) -> int:
    """The number of signs in a line of one word, or of single signs; 0 for any other line."""
    words = line.split()
    return len("".join(words)) if len(words) == 1 or {*map(len, words)} == {1} else 0


def _tells_rule(text: str, applied: Sequence[Rule] = ()) -> bool:
    """Whether a line names a rule; the value of a harmless key is a name or a place."""
    key = _KEY.match(text)
    return not (key and key[1].lower() in _HARMLESS_KEYS) and names_rule(text, applied)


def unread_lines(lines: Lines) -> tuple[str, ...]:
    """Lines that were not read, as `Parsed.unread` has them."""
    return _bounded([f"line {number}: {excerpt(text)}" for number, text in lines])


def _bounded(texts: Sequence[str]) -> tuple[str, ...]:
    return (*texts[:_MOST_UNREAD], *(("further text",) if len(texts) > _MOST_UNREAD else ()))


def comments_in(text: str, first_line: int = 1) -> list[tuple[int, str]]:
    """The comments of a text without their markers; SadMan's author lines are left out."""
    comments = []
    for number, line in enumerate(NEWLINE.split(text), first_line):
        body = line.lstrip()
        if body.startswith(COMMENTS):
            body = body.lstrip("#/")
            if not _ABOUT.match(body):
                comments.append((number, _LETTER.sub("", body)))
    return comments


def rule_lines(lines: Lines, applied: Sequence[Rule] = ()) -> list[tuple[int, str]]:
    """The lines that name a rule."""
    return [(number, text) for number, text in lines if _tells_rule(text.strip(), applied)]


def more_unread(known: tuple[str, ...], texts: Sequence[str]) -> tuple[str, ...]:
    """Unread texts with further ones added."""
    return _bounded((*known, *texts)) if texts else known


def with_remarks(entries: list[Entry], remarks: Lines) -> list[Entry]:
    """Add remarks that name a rule to entries: each belongs to the next entry, else to the last."""
    updated = [*entries]
    indices = [index for index, entry in enumerate(updated) if entry.error is None]
    lines = [updated[index].line for index in indices]
    for remark in remarks if indices else ():
        index = indices[min(bisect_left(lines, remark[0]), len(indices) - 1)]
        entry = updated[index]
        unread = unread_lines(rule_lines([remark], entry.puzzle.rules if entry.puzzle else ()))
        updated[index] = entry._replace(unread=more_unread(entry.unread, unread))
    return updated


def is_rule_column(name: str) -> bool:
    """Whether a column of this name contains rules."""
    return name in _ANY_RULE or name in _RULE_COLUMNS or names_rule(name)


def unread_field(name: str, text: str, line: int, side: int) -> str | None:
    """The unread text of a further field of a puzzle of that side, or None.

    `name` is the name of its column in lower case, if it has one.
    """
    if name in _HARMLESS_KEYS or _is_nothing(text, side):
        return None
    if not (is_rule_column(name) or _tells_rule(text)):
        return None
    return f"{f'column {excerpt(name)}' if name else f'line {line}'}: {excerpt(text)}"


def _is_nothing(value: str, side: int | None = None) -> bool:
    """Whether a value means that a puzzle has only the usual rules, or is just its side."""
    normalised = value.strip(" .").lower().replace("×", "x").replace(" ", "")
    normalised = normalised.removesuffix("rules").removesuffix("sudoku")
    size = _SIDE.fullmatch(normalised)
    return normalised in _NOTHING or (size is not None and side in (None, int(size[1])))
