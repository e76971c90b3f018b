#!/usr/bin/env python3
"""A small checker of LRAT, for tests, in place of real ones that cannot be installed here.

It is not `cake_lpr` and not `lrat-check`, though tests put it on the PATH under these names: it
takes the same two files, prints the same verdict, and shares no code with the package. Each hint
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


def verify(dimacs: str, proof: str) -> None:
    """Raise Wrong, or an error of Python's, unless the proof refutes the formula."""
    known = dict(enumerate(clauses_of(dimacs), 1))
    for line in proof.splitlines():
        words = line.split()
        if words[1] == "d":
            for word in words[2:-1]:
                del known[int(word)]
            continue
        numbers = [int(word) for word in words]
        middle = numbers.index(0)
        clause, hints = numbers[1:middle], numbers[middle + 1 : -1]
        if numbers[-1] != 0 or numbers[0] in known:
            raise Wrong(line)
        value: dict[int, bool] = {}
        for literal in clause:
            value[abs(literal)] = literal < 0
        refuted = False
        for hint in hints:
            left = [x for x in known[hint] if value.get(abs(x)) is not (x < 0)]
            if len({*left}) > 1:
                raise Wrong(line)
            refuted = refuted or not left
            for literal in left:
                value[abs(literal)] = literal > 0
        if not refuted:
            raise Wrong(line)
        if not clause:
            return
        known[numbers[0]] = clause
    raise Wrong("no empty clause")


if __name__ == "__main__":
    try:
        verify(*(Path(name).read_text("ascii") for name in sys.argv[1:3]))
    except (Wrong, KeyError, ValueError, IndexError, OSError) as error:
        print(f"c {error!r}\ns NOT VERIFIED")
        sys.exit(1)
    print("s VERIFIED UNSAT")
