"""What of a refutation is needed, and why each step of that follows: hints, which nobody trusts.

`kernel.py` finds them, as machine code or, where there is none, in plain Python.
"""

from __future__ import annotations

from pipeline.native import Loaded, Program

LONG = 5_000
"""Characters of a proof for which loading machine code at once pays."""

PROGRAM = Program(
    "trim",
    "trim",
    ("pipeline.certify.trimming.kernel", "pipeline.certify.trimming.state"),
    "pipeline.certify.trimming.hints.try_trim",
)
loaded = Loaded(PROGRAM)
