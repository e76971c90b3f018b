"""What of a refutation is needed: found by machine code, which nobody has to trust.

A refutation from some of a formula's clauses refutes the formula. So what the trimmer leaves of a
proof is checked in place of the whole, and a wrong choice is no worse than none: the whole is
checked then.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.native import Loaded, Program

LONG = 50_000
"""Characters of a proof for which loading it at once pays: dratify takes most of a second."""

PROGRAM = Program(
    "trim",
    "trim",
    ("pipeline.certify.trimming.kernel", "pipeline.certify.trimming.state"),
    "pipeline.certify.trimming.asking.try_trim",
)
loaded = Loaded(PROGRAM)


@dataclass(frozen=True, slots=True)
class Part:
    """So many further steps, and by their numbers the clauses that suffice for them.

    The steps of a proof are numbered after the formula's clauses.
    """

    steps: int
    clauses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Which steps of a proof are kept, and the parts that these make up."""

    kept: tuple[int, ...]
    parts: tuple[Part, ...]
