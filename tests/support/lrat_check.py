#!/usr/bin/env python3
"""A small checker of LRAT, for tests, in place of real ones that cannot be installed here.

Tests put it on the PATH as `cake_lpr` and `lrat-check`, because it takes the same two files and
prints the same verdict. It shares no code with the package. Each hint
is read literal by literal, against an assignment in a dict.
"""

from __future__ import annotations

import sys
from pathlib import Path


class Wrong(Exception):
    pass


def clauses_of(dimacs: str) -> list[list[int]]:
    clauses: list[list[int]] = [[]]
    for line in dimacs.splitlines():
        if line[:1] not in ("c", "p"):
            for word in line.split():
                if word == "0":
                    clauses.append([])
                else:
                    clauses[-1].append(int(word))
    return clauses[:-1]


def is_refuted(clause: list[int], hints: list[list[int]]) -> bool:
    """Whether the hints refute the negation of a clause. Raises Wrong for one that is no unit."""
    value = {abs(literal): literal < 0 for literal in clause}
    for hint in hints:
        left = {x for x in hint if value.get(abs(x)) is not (x < 0)}
        if not left:
            return True
        if len(left) > 1:
            raise Wrong(hint)
        value |= {abs(literal): literal > 0 for literal in left}
    return False


def verify(dimacs: str, proof: str) -> None:
    """Raise Wrong, or an error of Python's, unless the proof refutes the formula."""
    known = dict(enumerate(clauses_of(dimacs), 1))
    for line in proof.splitlines():
        words = line.split()
        if words[1] == "d":
            for word in words[2:-1]:
                del known[int(word)]
            continue
        number, *numbers, end = [int(word) for word in words]
        clause, hints = numbers[: numbers.index(0)], numbers[numbers.index(0) + 1 :]
        if end != 0 or number in known or not is_refuted(clause, [known[hint] for hint in hints]):
            raise Wrong(line)
        if not clause:
            return
        known[number] = clause
    raise Wrong("no empty clause")


if __name__ == "__main__":
    try:
        verify(*(Path(name).read_text("ascii") for name in sys.argv[1:3]))
    except (Wrong, KeyError, ValueError, IndexError, OSError) as error:
        print(f"c {error!r}\ns NOT VERIFIED")
        sys.exit(1)
    print("s VERIFIED UNSAT")
