"""`init`: create the folders and a settings file with comments."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.errors import EnvironmentFailure, UsageError, printable
from pipeline.files import write_new
from pipeline.option import Setting
from pipeline.settings import Settings, settings_declared

_WIDTH = 92
"""Maximum line length of comments."""
_HEAD = """\
# Settings of sudoku-pipeline. Each line shows a default: remove its "#" to change it. Options
# (--timeout 5m) take precedence over the environment (SUDOKU_PIPELINE_TIMEOUT=5m), and the
# environment over this file.
#
# [example]: this setting has no default; the line shows an example.
# [named]: only allowed if you name this file with --config or SUDOKU_PIPELINE_CONFIG, because a
# file found in the current folder may come from a stranger.
"""


def create(folder: Path, settings_file: str) -> Iterator[tuple[Path, bool]]:
    """Create a folder with an inbox, an outbox and a settings file.

    Yields (path, whether it was created) for each. Existing files and folders are not changed.
    Raises UsageError if `folder` is a file, EnvironmentFailure if the inbox or outbox is a file,
    OSError if creating fails.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{printable(str(folder))} is a file; name a folder")
    defaults = Settings()
    for path in (folder / defaults.inbox, folder / defaults.outbox):
        is_new = not path.exists()
        if not is_new and not path.is_dir():
            raise EnvironmentFailure(
                f"{printable(str(path))}: expected a folder, found a file; move it"
            )
        path.mkdir(parents=True, exist_ok=True)
        yield path, is_new
    path = folder / settings_file
    try:
        write_new(path, [*settings_lines()])
    except FileExistsError:
        yield path, False
    else:
        yield path, True


def settings_lines() -> Iterator[str]:
    """Yield the text of a settings file: all settings, commented out, grouped as in the help."""
    yield _HEAD
    declared = settings_declared().values()
    for panel in dict.fromkeys(setting.panel for setting in declared):
        yield f"\n# {panel}\n# {'-' * len(panel)}\n"
        for setting in (setting for setting in declared if setting.panel == panel):
            yield f"\n{_comment(setting)}\n#{setting.key} = {_toml_value(setting)}\n"


def _comment(setting: Setting) -> str:
    """The help and choices of a setting as comment lines."""
    marks = "[example] " * (setting.default is None) + "[named] " * setting.is_risky
    text = marks + setting.help
    if not all(choice in text for choice in setting.choices):
        text += f" One of {', '.join(setting.choices)}."
    return textwrap.fill(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _toml_value(setting: Setting) -> str:
    """The default of a setting in TOML, or an example if it has none."""
    value: Any = setting.display_value(setting.default)
    if value is None:
        value = int(setting.minimum) if setting.kind is int else setting.metavar
    return json.dumps(str(value) if isinstance(value, Path) else value)
