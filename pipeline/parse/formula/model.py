"""Models in the notation of the SAT competitions."""

from __future__ import annotations

from pipeline.errors import InputError

Model = tuple[int, ...]
"""v or -v for each variable v = 1, 2, … of the header, in that order."""


def read_model(data: bytes, variables: int) -> Model:
    """The literals of a text in the SAT competition's notation, one for each variable in order.

    Lines that begin with `c` are comments. Raises InputError.
    """
    lines = [line for line in data.splitlines() if line and not line.startswith(b"c")]
    if lines[:1] != [b"s SATISFIABLE"]:
        raise InputError("expected a line 's SATISFIABLE'")
    words: list[bytes] = []
    for line in lines[1:]:
        kind, *rest = line.split(b" ")
        if kind != b"v":
            raise InputError(f"expected a line 'v …', found {line[:20]!r}")
        words += rest
    try:
        *literals, end = map(int, words)
    except ValueError:
        raise InputError("expected literals and 0 in the lines 'v …'") from None
    if end != 0 or [*map(abs, literals)] != [*range(1, variables + 1)]:
        raise InputError(f"expected a literal for each variable from 1 to {variables}, and 0")
    return tuple(literals)
