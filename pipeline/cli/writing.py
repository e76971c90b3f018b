"""Where the commands write: a file, a device, standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from pipeline.errors import UsageError, printable

STANDARD_OUTPUT = Path("-")


def check_target(option: str, target: Path, inputs: Sequence[Path] = ()) -> None:
    """Raise UsageError if the target cannot be written, or is one of the inputs."""
    if target == STANDARD_OUTPUT:
        return
    shown = f"{option}: {printable(str(target))}"
    try:
        target.resolve()
    except RuntimeError:  # of Python before 3.13
        raise UsageError(f"{shown} is a link to itself") from None
    if target.is_dir():
        raise UsageError(f"{shown} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise UsageError(f"{shown}: the folder is not there; make it first")
    if any(_are_one(target, given) for given in inputs):
        raise UsageError(f"{shown} is the file that is read; name another")


def _are_one(target: Path, given: Path) -> bool:
    return target.is_file() and given.is_file() and target.samefile(given)


def write_to(target: Path, pieces: Iterable[str]) -> None:
    """Write a text to a checked target: a device is written to, not replaced by a file."""
    from pipeline.report import write_whole  # noqa: PLC0415 - slow to load

    if target == STANDARD_OUTPUT:
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece.encode(errors="backslashreplace"))
        sys.stdout.buffer.flush()
    elif target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", errors="backslashreplace") as device:
            device.writelines(pieces)
    else:
        write_whole(target.resolve(), pieces)
