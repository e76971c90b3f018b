"""Lines: one puzzle per line, perhaps with more fields behind it, or with a hash before it.

    # easy
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 1.2 name

Fields are separated by white space, commas, semicolons or bars. 162 characters are a puzzle and
its solution.
"""

from __future__ import annotations

from pipeline.parse.collections.base import CollectionFormat, Head
from pipeline.parse.collections.columns import find_fields
from pipeline.parse.collections.fields import Fields, entries, pieces


def recognise_lines(head: Head) -> tuple[Fields, str] | None:
    if head.is_single:
        return None
    found = find_fields(head)
    fields = found.fields
    if head.declared:
        return (fields if found.good and not fields.delimiter else Fields()), "it is declared"
    if not found.is_collection or fields.delimiter is not None:
        return None
    where = f"in field {fields.column + 1} of each line" if fields.column else "in single lines"
    return fields, f"whole puzzles {where}"


LINES = CollectionFormat("lines", recognise_lines, pieces, entries)
