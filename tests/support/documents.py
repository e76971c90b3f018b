"""Documents of f-puzzles: one with every key that is a rule, and how documents are packed."""

from __future__ import annotations

import json
from typing import Any

from lzstring import LZString
from support import parsers

from pipeline.errors import InvalidPuzzle
from pipeline.reading.formats import Parsed

Document = dict[str, Any]


def document(side: int = 4, **keys: Any) -> Document:
    """A document with nothing given."""
    grid: list[list[Document]] = [[{} for _ in range(side)] for _ in range(side)]
    return {"size": side, "grid": grid, **keys}


def lines(*lines: str, **members: Any) -> list[Document]:
    """What stands under the key of a line: `R1C1 R1C2`."""
    return [{"lines": [line.split() for line in lines], **members}]


def cells(names: str, **members: Any) -> Document:
    return {"cells": names.split(), **members}


def whole() -> Document:
    """A document of 9 by 9 with every key that is a rule; it need not have a solution."""
    made = document(9, **RULES)
    made["grid"][0][0] = {"value": 5, "given": True}
    made["grid"][0][1] = {"givenPencilMarks": [1, 2, 9]}
    made["grid"][0][2] = {"region": 1}
    made["grid"][0][3] = {"region": 0}
    made["solution"] = [
        str((3 * row + row // 3 + at) % 9 + 1) for row in range(9) for at in range(9)
    ]
    return made


RULES: Document = {
    "ruleset": "What only people read",
    "diagonal+": True,
    "diagonal-": True,
    "antiknight": True,
    "antiking": True,
    "windoku": True,
    "nonconsecutive": True,
    "negative": ["ratio", "difference", "xv"],
    "killercage": [
        cells("R1C1 R1C2", value="11"),
        cells("R9C8 R9C9"),
        cells("R9C6 R9C7", value="DR7"),
    ],
    "cage": [cells("R4C2 R5C2 R5C3", value="DR4")],
    "extraregion": [cells("R4C4 R4C5 R5C4")],
    "clone": [cells("R1C8 R1C9", cloneCells=["R3C8", "R3C9"])],
    "quadruple": [cells("R2C2 R2C3 R3C2 R3C3", values=[1, "2", 2])],
    "arrow": [cells("R9C1 R8C1", lines=[["R8C1", "R7C2", "R6C3"], ["R9C1", "R9C2"]])],
    "difference": [cells("R1C4 R1C5", value="3"), cells("R3C4 R3C5")],
    "ratio": [cells("R2C4 R2C5", value=3), cells("R2C7 R2C8")],
    "xv": [cells("R5C1 R6C1", value="X"), cells("R5C2 R6C2", value="V")],
    "even": [{"cell": "R7C7"}],
    "odd": [{"cell": "R7C8"}],
    "minimum": [{"cell": "R5C8"}, {"cell": "R5C9"}],
    "maximum": [{"cell": "R7C5"}],
    "columnindexer": [cells("R8C8 R8C9")],
    "rowindexer": [cells("R3C1")],
    "boxindexer": [cells("R2C8")],
    "littlekillersum": [{"cell": "R0C4", "direction": "DL", "value": "17"}],
    "sandwichsum": [{"cell": "R0C3", "value": "8"}],
    "xsum": [{"cell": "R10C3", "value": 20}],
    "skyscraper": [{"cell": "R3C0", "value": "4"}, {"cell": "R3C10", "value": "2"}],
    "thermometer": lines("R1C1 R2C2 R3C3", "R1C1 R2C1"),
    "slowthermometer": lines("R4C1 R4C2"),
    "palindrome": lines("R5C5 R6C5 R7C4"),
    "renban": lines("R5C6 R6C6 R7C6"),
    "whispers": [*lines("R8C4 R8C5"), *lines("R9C4 R9C5", value="4")],
    "betweenline": lines("R4C7 R4C8 R4C9"),
    "regionsumline": lines("R6C2 R6C3 R6C4"),
    "entropicline": lines("R7C1 R8C2 R9C3"),
    "modularline": lines("R2C1 R3C2 R4C3"),
    "nabner": lines("R6C7 R6C8 R6C9"),
    "zipperline": lines("R3C6 R3C7 R4C6"),
    "doublearrow": lines("R1C6 R2C6 R1C7"),
    "lockout": lines("R8C6 R8C7 R9C7", value=5),
}


def text_of(made: Document) -> str:
    return json.dumps(made, separators=(",", ":"))


packed = LZString.compressToBase64


def read(made: Document | str) -> Parsed:
    return parsers.read(made if isinstance(made, str) else text_of(made))


def refusal(made: Document | str) -> InvalidPuzzle:
    """The error for a document that is refused."""
    return parsers.refusal(made if isinstance(made, str) else text_of(made))
