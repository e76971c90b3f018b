"""Read the settings file: TOML whose keys are the names of settings."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.cli.messages import current_value, say_renamed
from pipeline.errors import UsageError, did_you_mean, printable
from pipeline.settings import FORMER_NAMES, Settings, settings_declared

CONFIG, CONFIG_FILE = "config", "sudoku-pipeline.toml"
"""The option that names the settings file, and the default name of the file."""

MAX_CONFIG_BYTES = 1024 * 1024
"""Maximum size of a settings file."""

_POSITION = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
"""Matches a message of `tomllib` that ends with a position."""


def read_config(path: Path, *, is_named: bool = True) -> dict[str, Any]:
    """Read a settings file. Maps fields of `Settings` to values.

    All paths except paths of programs are relative to the folder of the file. Raises UsageError if
    the file cannot be read, for an unknown setting, for an invalid value, and, unless `is_named`,
    for a risky setting.

    `is_named`: whether the user named the file.
    """
    try:
        chosen = _values_by_field(_parsed_toml(path), path, is_named=is_named)
        Settings(**chosen)
    except UsageError as error:
        message = str(error).removeprefix("--")
        raise UsageError(f"{printable(str(path))}: {message}") from error
    return chosen


def _values_by_field(values: Mapping[str, Any], path: Path, *, is_named: bool) -> dict[str, Any]:
    """Check the values of a settings file. Maps fields of `Settings` to values."""
    known = {setting.key: setting for setting in settings_declared().values()}
    chosen = {}
    for written, value in values.items():
        key = FORMER_NAMES.get(written, written)
        if key != written:
            if key in values:
                raise UsageError(
                    f"{written}: the former name of {key}, which is set as well; remove {written}"
                )
            say_renamed(f"{printable(str(path))}: {written}", key)
        setting = known.get(key)
        if setting is None:
            raise UsageError(f"{printable(key)}: unknown setting{did_you_mean(key, known)}")
        if setting.is_risky and not is_named:
            why = "not allowed in a settings file that was not named"
            raise UsageError(f"{key}: {why}; to trust this file, pass --{CONFIG} {path}")
        taken = setting.read if setting.quantity and isinstance(value, str) else setting.check
        known_value = taken(current_value(setting.name, value, f"{path}: {key} ="), key)
        if setting.kind is Path:
            known_value = path.parent / Path(known_value).expanduser()
        chosen[setting.name] = known_value
    return chosen


def _parsed_toml(path: Path) -> dict[str, Any]:
    """Parse a settings file. Raises UsageError with the position of an error."""
    import tomllib  # noqa: PLC0415 - few users have a settings file

    try:
        data = _config_bytes(path)
        if len(data) > MAX_CONFIG_BYTES:
            raise UsageError(f"expected at most {MAX_CONFIG_BYTES:,} bytes, found more")
        return tomllib.loads(data.decode())
    except OSError as error:
        raise UsageError(str(error.strerror)) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"expected UTF-8, found an invalid byte at position {error.start + 1}"
        ) from error
    except (ValueError, RecursionError) as error:  # also for long numbers and deep nesting
        match = _POSITION.fullmatch(str(error))
        where = f"line {match[2]}, column {match[3]}: {match[1]}" if match else str(error)
        raise UsageError(where) from error


def _config_bytes(path: Path) -> bytes:
    """Read a settings file. Raises UsageError for a pipe, which might never have a writer."""
    from pipeline.files import kind_in_words  # noqa: PLC0415 - rarely needed

    if str(path) == os.devnull:
        return b""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise UsageError(f"expected a regular file, found {kind_in_words(mode)}")
        return file.read(MAX_CONFIG_BYTES + 1)
