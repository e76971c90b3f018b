"""Text around a grid: its title, and unread text that may be a rule.

The title consists of the lines above a grid, and of notes below it, such as `Author: Ann`, an
address, a copyright or a page number. A line is reported as unread if it names a rule, or if it is
below the last grid and not a note. Comments, columns of CSV and further fields are reported only if
they name a rule.
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

_MAX_EXCERPT_LENGTH = 80
_MIN_MAP_ROWS = 4
"""Minimum number of lines of equal length above a grid that may be a map instead of titles."""

_MAX_UNREAD_TEXTS = 8
"""Maximum number of unread texts of a puzzle that are reported."""

_RULE_NAMES = (
    *("anti diagonal", "anti king", "anti knight", "argyle", "asterisk", "battenburg"),
    *("between line", "cage", "chaos construction", "consecutive", "counting circle", "diagonal"),
    *("diagonally", "disjoint", "double arrow", "entropic", "full rank", "futoshiki", "girandola"),
    *("greater than", "hyper sudoku", "indexing", "inequality", "inequalities", "irregular"),
    *("jigsaw", "knight", "kropki", "little killer", "lockout", "magic square", "modular line"),
    *("nabner", "non consecutive", "numbered room", "palindrome", "parity line", "quadruple"),
    *("region", "renban", "sandwich", "skyscraper", "slingshot", "thermo", "thermometer"),
    *("toroidal", "whisper", "windoku", "x sum", "zipper line"),
)
"""Names of rules. Each space may also be a hyphen, an underscore or missing. X, XV, sum, even, odd,
king, arrow, killer, clone and dot are not included, because they are common in titles."""

_RULE_NAME = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(_RULE_NAMES)})(?:e?s)?(?![^\W_])".replace(" ", "[ _-]?"),
    re.IGNORECASE,
)
"""A name of `_RULE_NAMES`, or its plural."""

_SYNONYMS = {"kropki": "dot", "consecutive": "dot", "irregular": "region", "inequality": "greater"}
"""Word of `_RULE_NAMES` → word with the same meaning in the name or caption of a rule."""

_RULE_KEYS = frozenset(
    ("rule", "rules", "constraint", "constraints", "variant", "variants", "layout")
)
"""Keys of lines, and names of columns, whose text is always a rule."""

_RULE_COLUMNS = frozenset(
    (
        *("killer", "arrow", "arrows", "king", "even", "odd", "parity", "xv", "dots", "sums"),
        *("clone", "clones"),
    )
)
"""Names of columns with rules that are not in `_RULE_NAMES`, because titles may contain them."""

_NAMES_WITHOUT_SPACES = tuple(
    name.replace(" ", "").encode() for name in (*_RULE_NAMES, "rule", *_RULE_KEYS, "rcrc")
)
_STEMS = tuple(
    {
        name
        for name in _NAMES_WITHOUT_SPACES
        if not any(other in name for other in _NAMES_WITHOUT_SPACES if other != name)
    }
)
"""The names of rules without spaces, except those that contain a shorter one. `rcrc` stands for two
cells such as `R1C1 R1C2`."""

_CAGES = re.compile(
    r"(?<![^\W_])[rR][0-9]{1,2}[cC][0-9]{1,2}\W{1,3}[rR][0-9]{1,2}[cC][0-9]"
    r"|(?<![^\s,;])[^\W_]\s{0,2}=\s{0,2}[0-9]{1,3}[\s,;]{1,3}[^\W_]\s{0,2}=\s{0,2}[0-9]"
)
"""Cells or sums of cages: `R1C1 R1C2`, `a=8 b=10`."""

_SUMS_IN_BYTES = re.compile(rb"[0-9A-Za-z] ?= ?[0-9]{1,3}[ ,;\t]{1,3}[0-9A-Za-z] ?=")
"""Sums of cages, in a quick test of bytes."""

_TO_LOWER_CASE = bytes(range(256)).lower()
"""Translates bytes to lower case."""

_NOT_IN_STEMS = b"0123456789.,_*|+-=: \t\r\n"
"""Frequent characters of grids, none of which is in `_STEMS`."""

_KEYED_RULE = re.compile(rf"\s*(?:{'|'.join(_RULE_KEYS)})\s*[:=]\s*(.*)", re.IGNORECASE)
"""A line such as `Rules: …`, with its text in a group."""

_HARMLESS_KEYS = frozenset(
    (
        *("author", "authors", "creator", "setter", "constructor", "source", "publisher", "url"),
        *("link", "date", "published", "created", "difficulty", "level", "rating", "rated"),
        *("score", "stars", "id", "no", "nr", "number", "copyright", "license", "licence", "page"),
    )
)
"""Keys of lines, and names of columns, whose text is never a rule."""

_NO_RULE_WORDS = frozenset(
    ("", "-", "0", "no", "false", "none", "null", "nan", "n/a", "classic", "standard", "normal")
)
"""Texts that mean, in a column of rules, that a puzzle has no rules."""

_SIDE = re.compile(r"([0-9]{1,3})(?:x\1)?")
"""The side of a puzzle, such as `9` or `9x9`."""

_SADMAN_REMARK, _SADMAN_LETTER = (
    re.compile("[ABSLU](?=[A-Z][a-z]|[0-9])"),
    re.compile(r"\A[A-Z](?=[A-Z][a-z]|\s)"),
)
"""Comments in files of SadMan Sudoku begin with a letter that states their kind. The first pattern
matches comments about author, date, source, level and address; the second matches the letter of any
comment."""

_NOTE = re.compile(
    r"<?(?:https?://|www\.)\S+"
    r"|(?:©|\(c\)|copyright\b).*"
    r"|[-–(\[]? ?(?:page|p\.)? ?[0-9]{1,6}(?: ?(?:/|of) ?[0-9]{1,6})? ?[-–)\].]?",
    re.IGNORECASE,
)
"""An address, a copyright or a page number."""

_KEY = re.compile(r"([^\W\d_]+)\s*[:=]")
"""The key of a line such as `Author: Ann`."""

Lines = Iterable[tuple[int, str]]
"""Lines of text with their numbers."""


def may_name_rule(data: bytes) -> bool:
    """Whether bytes may name a rule: a quick test, because most collections have few letters."""
    if b"=" in data and _SUMS_IN_BYTES.search(data):
        return True
    letters = data.translate(_TO_LOWER_CASE, _NOT_IN_STEMS)
    used = {letter for letter in b"abcdefghijklmnopqrstuvwxyz" if letter in letters}
    return any(stem in letters for stem in _STEMS if used.issuperset(stem))


chunk_may_name_rule = lru_cache(maxsize=2)(may_name_rule)
"""`may_name_rule` for a chunk of a collection, cached because there are several callers."""


def names_rule(text: str, applied_rules: Sequence[Rule] = ()) -> bool:
    """Whether a text names a rule that is not in `applied_rules`."""
    keyed = _KEYED_RULE.fullmatch(text)
    if keyed and not applied_rules and not _means_no_rule(keyed[1]):
        return True
    applied_names = _join_names(f"{rule.name} {rule.caption()}" for rule in applied_rules)
    if _CAGES.search(text) and not applied_rules:
        return True
    words = (_join_names([match[0]]).removesuffix("s") for match in _RULE_NAME.finditer(text))
    return any(
        word not in applied_names and _SYNONYMS.get(word, word) not in applied_names
        for word in words
    )


def _join_names(texts: Iterable[str]) -> str:
    """Join texts in lower case, without spaces, underscores and hyphens."""
    return "\n".join(texts).lower().translate({ord(character): None for character in " _-"})


def is_note(text: str) -> bool:
    """Whether a line is a note, which cannot change the puzzle."""
    key = _KEY.match(text)
    return bool(key and key[1].lower() in _HARMLESS_KEYS) or _NOTE.fullmatch(text) is not None


def excerpt(text: str) -> str:
    """A text in quotes, shortened, on one line."""
    shown = printable(" ".join(text[: 4 * _MAX_EXCERPT_LENGTH].split()))
    return (
        f"'{shown}'" if len(shown) <= _MAX_EXCERPT_LENGTH else f"'{shown[:_MAX_EXCERPT_LENGTH]}…'"
    )


def title_and_unread(
    lines_above: Lines, lines_below: Lines, applied_rules: Sequence[Rule] = ()
) -> tuple[str, tuple[str, ...]]:
    """The title and the unread lines among the lines above and below a grid.

    A line is unread if it names a rule that is not in `applied_rules`, or if it is below the grid
    and not a note.
    """
    titles, rules = list[str](), list[str]()
    unread, lines_above = [], [*lines_above]
    widths = Counter(map(_width_of_row, (line for _, line in lines_above)))
    for lines, is_below in ((lines_above, False), (lines_below, True)):
        for number, line in lines:
            text = " ".join(line.split())
            if any(map(str.isalnum, text)):
                is_title = not is_below or is_note(text)
                width = 0 if is_below else _width_of_row(line)
                is_map_row = width > 0 and widths[width] >= _MIN_MAP_ROWS
                is_rule = is_map_row or _is_rule_text(text, applied_rules)
                if is_title:
                    (rules if is_rule else titles).append(text)
                if is_rule or not is_title:
                    unread.append((number, text))
    return title_of(titles or rules[:1]), unread_lines(unread)


def _width_of_row(line: str) -> int:
    """The number of characters of a line that is one word or single characters; 0 for any other."""
    words = line.split()
    return len("".join(words)) if len(words) == 1 or {*map(len, words)} == {1} else 0


def _is_rule_text(text: str, applied_rules: Sequence[Rule] = ()) -> bool:
    """Whether a line names a rule; False for a line with a key in `_HARMLESS_KEYS`."""
    key = _KEY.match(text)
    return not (key and key[1].lower() in _HARMLESS_KEYS) and names_rule(text, applied_rules)


def unread_lines(lines: Lines) -> tuple[str, ...]:
    """Lines that were not read, in the form of `Parsed.unread`."""
    return _limit_texts([f"line {number}: {excerpt(text)}" for number, text in lines])


def _limit_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """The first texts, and `further text` if there are more."""
    return (
        *texts[:_MAX_UNREAD_TEXTS],
        *(("further text",) if len(texts) > _MAX_UNREAD_TEXTS else ()),
    )


def comments_in(text: str, first_line: int = 1) -> list[tuple[int, str]]:
    """The numbered comments of a text, without markers and without remarks of SadMan Sudoku."""
    comments = []
    for number, line in enumerate(NEWLINE.split(text), first_line):
        body = line.lstrip()
        if body.startswith(COMMENTS):
            body = body.lstrip("#/")
            if not _SADMAN_REMARK.match(body):
                comments.append((number, _SADMAN_LETTER.sub("", body)))
    return comments


def rule_lines(lines: Lines, applied_rules: Sequence[Rule] = ()) -> list[tuple[int, str]]:
    """The lines that name a rule that is not in `applied_rules`."""
    return [(number, text) for number, text in lines if _is_rule_text(text.strip(), applied_rules)]


def add_unread_texts(unread: tuple[str, ...], texts: Sequence[str]) -> tuple[str, ...]:
    """Add texts to the unread parts of a puzzle."""
    return _limit_texts((*unread, *texts)) if texts else unread


def add_remarks(entries: list[Entry], remarks: Lines) -> list[Entry]:
    """Add each remark that names a rule to the entry below it, or to the last entry."""
    updated = [*entries]
    indices = [index for index, entry in enumerate(updated) if entry.error is None]
    lines = [updated[index].line for index in indices]
    for remark in remarks if indices else ():
        index = indices[min(bisect_left(lines, remark[0]), len(indices) - 1)]
        entry = updated[index]
        unread = unread_lines(rule_lines([remark], entry.puzzle.rules if entry.puzzle else ()))
        updated[index] = entry._replace(unread=add_unread_texts(entry.unread, unread))
    return updated


def is_rule_column(name: str) -> bool:
    """Whether a column with this name contains rules."""
    return name in _RULE_KEYS or name in _RULE_COLUMNS or names_rule(name)


def unread_field(name: str, text: str, line: int, side: int) -> str | None:
    """The unread text of a field besides the cells of a puzzle; None if the field has no rules.

    `name` is the name of its column in lower case, or ""; `side` is the side of the puzzle.
    """
    if name in _HARMLESS_KEYS or _means_no_rule(text, side):
        return None
    if not (is_rule_column(name) or _is_rule_text(text)):
        return None
    return f"{f'column {excerpt(name)}' if name else f'line {line}'}: {excerpt(text)}"


def _means_no_rule(value: str, side: int | None = None) -> bool:
    """Whether a field says that a puzzle has only the usual rules, or states only its side."""
    normalised = value.strip(" .").lower().replace("×", "x").replace(" ", "")
    normalised = normalised.removesuffix("rules").removesuffix("sudoku")
    size = _SIDE.fullmatch(normalised)
    return normalised in _NO_RULE_WORDS or (size is not None and side in (None, int(size[1])))
