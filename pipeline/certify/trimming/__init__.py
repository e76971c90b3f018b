"""What of a refutation is needed, and why each step of that follows: hints, which nobody trusts.

`kernel.py` finds them, as machine code or, where there is none, in plain Python.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.native import Loaded, Program

LONG = 5_000
"""Characters of a proof for which loading machine code at once pays."""

_SOURCES = "building.py", "kernel.py", "state.py"
PROGRAM = Program(
    name="trim",
    sources=tuple(map(Path(__file__).with_name, _SOURCES)),
    compiler="pipeline.certify.trimming.building.object_code",
    trial="pipeline.certify.trimming.hints.try_trim",
    arguments="P" * 16 + "q" * 6,
    result="q",
)
loaded = Loaded(PROGRAM)
