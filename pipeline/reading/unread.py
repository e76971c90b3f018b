"""Messages about the unread parts of sources (`Parsed.unread`), and counts over many puzzles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from pipeline.errors import counted

CODES = ("ruleset", "drawings", "solution")
"""The unread parts that are codes. All other unread parts are texts."""

HEADER_PREFIX = "header: "
"""The beginning of unread texts about the header of a formula."""

_CAVEATS = {
    ("ruleset",): "the text of the rules was not read",
    ("drawings",): "drawings were not read",
    ("ruleset", "drawings"): "drawings and the text of the rules were not read",
}
MAX_UNREAD = 20
"""Maximum number of different unread parts that are counted separately."""

OTHER_TEXTS = "other texts"
"""The name under which more than MAX_UNREAD different parts are counted together."""

_LINE = re.compile(r"line [0-9]+: ")


def caveat(status: str, unread: Collection[str]) -> str | None:
    """A message about the unread parts that an answer ignores; None without such parts.

    `status`, `unread`: the fields of the record with these names.
    """
    headers = [text for text in unread if text.startswith(HEADER_PREFIX)]
    if headers:
        return "; ".join(headers)
    if status not in ("unique", "multiple", "unsolvable"):
        return None
    ignored = _CAVEATS.get(tuple(code for code in ("ruleset", "drawings") if code in unread))
    caveats = [f"{status} by the rules that were read; {ignored}"] if ignored else []
    if "solution" in unread:
        caveats.append("the solution in the file is incomplete and was not compared")
    if texts := unread_texts(unread):
        caveats.append(f"{status} by the rules that were read; not read: {', '.join(texts)}")
    return "; ".join(caveats) or None


def unread_texts(unread: Collection[str]) -> list[str]:
    """The unread parts that are texts, each with its location."""
    return [text for text in unread if text not in CODES]


def unread_summary(unread: Mapping[str, int], verb: str = "read") -> str:
    """Describe counted unread parts, as in `not read: drawings (3 puzzles)`; empty if none."""
    named = {
        "ruleset": "the rules text",
        "drawings": "drawings",
        "solution": "an incomplete solution",
    }
    parts = (f"{named.get(text, text)} ({counted(n, 'puzzle')})" for text, n in unread.items())
    return f"not {verb}: " + ", ".join(parts) if unread else ""


def unread_counts(records: Iterable[Iterable[str]]) -> Counter[str]:
    """Count the puzzles that have each unread part, without the line numbers in texts."""
    texts = ({_LINE.sub("", text, count=1): None for text in unread} for unread in records)
    return Counter(chain.from_iterable(texts))


def add_unread(total: Counter[str], added: Mapping[str, int]) -> None:
    """Add counts to `total`. From MAX_UNREAD parts on, new parts are counted as OTHER_TEXTS."""
    for text, count in added.items():
        total[text if text in total or len(total) < MAX_UNREAD else OTHER_TEXTS] += count
