"""What may be declared of a source's notation, and so may stand in a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pipeline.parse import FORMATS
from pipeline.parse.collections import COLLECTIONS
from pipeline.parse.formula import CNF_FORMAT
from pipeline.settings import CHOICES

_SINGLE, _MANY = (known.name for known in FORMATS), (known.name for known in COLLECTIONS)
FORMAT_NAMES: Final = tuple(dict.fromkeys((*_SINGLE, *_MANY, CNF_FORMAT)))
DECLARABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "format": FORMAT_NAMES,
    "variant": CHOICES["variant"],
    "alphabet": CHOICES["alphabet"],
}
