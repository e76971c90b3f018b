"""The settings file: TOML with the names of the options, without the dashes before them."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from pipeline.cli.arguments import did_you_mean, expectation, plain
from pipeline.cli.options import kinds
from pipeline.errors import UsageError, printable
from pipeline.settings import Settings

MAX_BYTES = 1024 * 1024

_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")


def read_config(path: Path) -> dict[str, Any]:
    """The settings in a file, by field of Settings.

    Relative paths in it, but for those of programs, are relative to its folder. Raises UsageError
    for a file that cannot be read, what is no setting, and a value of the wrong kind or out of
    range.
    """
    shown = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"{shown}: a settings file has at most {MAX_BYTES:,} bytes")
        found = tomllib.loads(data.decode())
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{shown}: expected UTF-8, found something else at byte {error.start + 1}"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown}{_placed(str(error))}") from error
    except (ValueError, RecursionError) as error:  # numbers, and nests, beyond all measure
        raise UsageError(f"{shown}: {error}") from error
    names = {name.replace("_", "-"): name for name in kinds()}
    chosen = {}
    for key, value in found.items():
        if key not in names:
            hint = did_you_mean(key, names)
            raise UsageError(f"{shown}: {printable(key)}: no such setting{hint}")
        chosen[names[key]] = _converted(f"{shown}: {key}", value, kinds()[names[key]], path.parent)
    try:
        Settings(**chosen)
    except UsageError as error:
        raise UsageError(f"{shown}: {str(error).removeprefix('--')}") from error
    return chosen


def _converted(about: str, value: object, kind: Any, folder: Path) -> Any:
    """A value of TOML as a setting of that kind."""
    expected = expectation(kind)
    wanted = {"true or false": bool, "a whole number": int, "a number": float}.get(expected, str)
    if type(value) is int and wanted is float:
        value = float(value)
    with suppress(ValueError):
        if type(value) is wanted:
            converted = plain(value, kind)
            return folder / converted.expanduser() if isinstance(converted, Path) else converted
    found = str(value).lower() if isinstance(value, bool) else repr(value)[:100]
    raise UsageError(f"{about}: expected {expected}, found {found}")


def _placed(message: str) -> str:
    """`:LINE:COLUMN: what` of what tomllib says."""
    match = _PLACE.fullmatch(message)
    return f":{match[2]}:{match[3]}: {match[1]}" if match else f": {message}"
