"""The unread parts of sources (`Parsed.unread`), as messages and as counts over many puzzles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from pipeline.errors import counted

CODES = ("ruleset", "drawings", "solution")
"""The unread parts that are codes; all others are texts."""

OF_HEADER = "header: "
"""The beginning of texts about the header of a formula, which are not rules."""

_OTHER_RULES = {
    ("ruleset",): "the text of the rules was not read",
    ("drawings",): "drawings were not read",
    ("ruleset", "drawings"): "drawings and the text of the rules were not read",
}
MAX_UNREAD, OTHER_TEXTS = 20, "other texts"
_LINE = re.compile(r"line [0-9]+: ")


def caveat(status: str, unread: Collection[str]) -> str | None:
    """A message about what an answer ignores, given its status and the `unread` of its record."""
    headers = [text for text in unread if text.startswith(OF_HEADER)]
    if headers:
        return "; ".join(headers)
    if status not in ("unique", "multiple", "unsolvable"):
        return None
    others = _OTHER_RULES.get(tuple(code for code in ("ruleset", "drawings") if code in unread))
    caveats = [f"{status} by the rules that were read; {others}"] if others else []
    if "solution" in unread:
        caveats.append("the solution in the file is incomplete and was not compared")
    if texts := unread_texts(unread):
        caveats.append(f"{status} by the rules that were read; not read: {', '.join(texts)}")
    return "; ".join(caveats) or None


def unread_texts(unread: Collection[str]) -> list[str]:
    """The unread texts, each with its place."""
    return [text for text in unread if text not in CODES]


def unread_of_many(unread: Mapping[str, int], verb: str = "read") -> str:
    """`not read: the rules text (3 puzzles)`; empty if everything was read."""
    named = {
        "ruleset": "the rules text",
        "drawings": "drawings",
        "solution": "an incomplete solution",
    }
    parts = (f"{named.get(text, text)} ({counted(n, 'puzzle')})" for text, n in unread.items())
    return f"not {verb}: " + ", ".join(parts) if unread else ""


def unread_counts(records: Iterable[Iterable[str]]) -> Counter[str]:
    """How many puzzles have each unread part; line numbers are removed."""
    texts = ({_LINE.sub("", text, count=1): None for text in unread} for unread in records)
    return Counter(chain.from_iterable(texts))


def add_unread(total: Counter[str], more: Mapping[str, int]) -> None:
    """Add up unread parts; above MAX_UNREAD different texts, further ones count as OTHER_TEXTS."""
    for text, count in more.items():
        total[text if text in total or len(total) < MAX_UNREAD else OTHER_TEXTS] += count
