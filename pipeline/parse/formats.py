"""All known notations. A new one is one module, and one entry in FORMATS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pipeline.parse.base import Collection, Format
from pipeline.parse.bordered import BORDERED
from pipeline.parse.boxes import BOXES
from pipeline.parse.characters import CHARACTERS
from pipeline.parse.formula import CNF_FORMAT
from pipeline.parse.grid import GRID
from pipeline.parse.hodoku import HODOKU
from pipeline.parse.json_grid import JSON
from pipeline.parse.line import LINE
from pipeline.parse.opensudoku import OPENSUDOKU
from pipeline.parse.sadman import SADMAN
from pipeline.parse.simple import SIMPLE
from pipeline.parse.spaces import SPACES
from pipeline.parse.spreadsheet import SPREADSHEET
from pipeline.settings import CHOICES

FORMATS: Final = (
    OPENSUDOKU,
    HODOKU,
    JSON,
    SADMAN,
    BORDERED,
    SIMPLE,
    SPREADSHEET,
    SPACES,
    CHARACTERS,
    BOXES,
    LINE,
    GRID,
)
"""In the order in which they are tried; the last one explains what is wrong with the rest."""

COLLECTIONS: Final[tuple[Collection[Any], ...]] = tuple(
    known.many for known in FORMATS if known.many is not None
)
"""The same notations for sources of many puzzles, in that order."""

_SINGLE, _MANY = (known.name for known in FORMATS), (known.name for known in COLLECTIONS)
FORMAT_NAMES: Final = tuple(dict.fromkeys((*_SINGLE, *_MANY, CNF_FORMAT)))
"""What `--format` takes besides `auto`."""

DECLARABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "format": FORMAT_NAMES,
    "variant": CHOICES["variant"],
    "alphabet": CHOICES["alphabet"],
}
"""What can be declared about a source's notation, and so may stand in a record."""


def format_named(name: str) -> Format:
    """The format of that name; raises KeyError if there is none."""
    return {known.name: known for known in FORMATS}[name]
