"""The settings file: TOML with the names of the options, without the dashes before them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.cli.options import CONFIG
from pipeline.errors import UsageError, printable
from pipeline.settings import Settings, settings_declared

MAX_BYTES = 1024 * 1024

_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")


def read_config(path: Path, *, is_named: bool = True) -> dict[str, Any]:
    """The settings in a file, by field of Settings.

    Relative paths in it, except of programs, are relative to its folder. Raises UsageError for a
    file that cannot be read, an unknown setting, a wrong value, and a risky setting in a file that
    was found rather than named.
    """
    try:
        chosen = _chosen(_parsed(path), path, is_named=is_named)
        Settings(**chosen)
    except UsageError as error:
        message = str(error).removeprefix("--")
        raise UsageError(f"{printable(str(path))}: {message}") from error
    return chosen


def _chosen(found: Mapping[str, Any], path: Path, *, is_named: bool) -> dict[str, Any]:
    known = {setting.key: setting for setting in settings_declared().values()}
    chosen = {}
    for key, value in found.items():
        setting = known.get(key)
        if setting is None:
            raise UsageError(f"{printable(key)}: no such setting{did_you_mean(key, known)}")
        if setting.risky and not is_named:
            why = f"not taken from a file that was only found; name it: --{CONFIG} {path}"
            raise UsageError(f"{key}: {why}")
        setting.check(value, key)
        is_path = setting.kind is Path
        chosen[setting.name] = path.parent / Path(value).expanduser() if is_path else value
    return chosen


def _parsed(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"a settings file has at most {MAX_BYTES:,} bytes")
        return tomllib.loads(data.decode())
    except OSError as error:
        raise UsageError(str(error.strerror)) from error
    except UnicodeDecodeError as error:
        found = f"found something else at byte {error.start + 1}"
        raise UsageError(f"expected UTF-8, {found}") from error
    except (ValueError, RecursionError) as error:  # of TOML; also numbers and nests too large
        match = _PLACE.fullmatch(str(error))
        where = f"line {match[2]}, column {match[3]}: {match[1]}" if match else str(error)
        raise UsageError(where) from error


def did_you_mean(name: str, known: Any, prefix: str = "") -> str:
    """A hint at the known name that is nearest to a mistyped one, if one is near.

    The prefix, which all of them have, is not compared.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    bare = [each.removeprefix(prefix) for each in known]
    nearest = get_close_matches(name.removeprefix(prefix), bare, 1, 0.65)
    return f"; did you mean {prefix}{nearest[0]}?" if nearest else ""
