"""Files that `init --systemd` and `init --examples` copy from the package, adapted to a folder."""

from __future__ import annotations

import grp
import os
import pwd
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pipeline.errors import UsageError, printable
from pipeline.files import write_new

SERVICE = "sudoku-pipeline"
UNITS = (f"{SERVICE}.service", f"{SERVICE}-run.service", f"{SERVICE}-run.timer")
"""The service that runs `watch`; alternatively, the service that runs `run`, and its timer."""

UNITS_FOLDER = "systemd"
"""The folder for units in the folder of `init`."""

_TEMPLATE_FOLDER, _TEMPLATE_PROGRAMS = "/srv/sudoku", "/opt/sudoku-pipeline/bin"
_TEMPLATE_USER = "sudoku"
"""The paths and the user in the units of the package. Root gets a service of this user."""

_SAFE_PATH = re.compile(r"/[\w./@:+,~-]*", re.ASCII)
_HOMES, _TEMPORARY = ("/home", "/root", "/run/user"), ("/tmp", "/var/tmp")  # noqa: S108 - not used


def package_folder(name: str) -> Path:
    """The folder `deploy` or `examples`: in the installed package, or beside it in a clone."""
    package = Path(__file__).parents[1]
    return next(path for path in (package / name, package.parent / name) if path.is_dir())


def copy_examples(inbox: Path) -> Iterator[tuple[Path, bool]]:
    """Copy the examples to an inbox. Yields (path, whether it was created). Raises OSError."""
    for example in sorted(package_folder("examples").iterdir()):
        yield _write(inbox / example.name, example.read_bytes())


def write_units(folder: Path, settings_file: str) -> Iterator[tuple[Path, bool]]:
    """Write systemd units that watch an inbox in `folder`, which must exist.

    `settings_file`: the name of the settings file in this folder, which the units read.

    The service runs the program of this process, as its user; if that is root, as `sudoku`. Yields
    (path, whether it was created). Raises UsageError for a path that a unit cannot contain, and
    OSError.
    """
    place, programs = _paths_of(folder)
    for path in (place, programs):
        if not _SAFE_PATH.fullmatch(str(path)):
            raise UsageError(
                f"--systemd: {printable(str(path))}: expected a path of letters, digits and "
                "./@:+,~-, found others; use another folder"
            )
    units = place / UNITS_FOLDER
    units.mkdir(exist_ok=True)
    for name in UNITS:
        template = (package_folder("deploy") / name).read_text()
        unit = _adapted(template, place, programs).replace(
            "ExecStart=", f"Environment=SUDOKU_PIPELINE_CONFIG={place / settings_file}\nExecStart="
        )
        yield _write(folder / UNITS_FOLDER / name, unit.encode())


def install_obstacle(folder: Path) -> str | None:
    """Why the service of `write_units` could not start, and what to do; None if it can.

    The user `sudoku`, of which root gets a service, usually cannot enter home folders.
    """
    hidden = [path for path in _paths_of(folder) if _is_below(_HOMES, path)]
    if os.geteuid() != 0 or not hidden:
        return None
    return (
        f"The user {_TEMPLATE_USER} may not be able to read {printable(str(hidden[-1]))};\n"
        "if so, install the program and create the folder elsewhere, as in /opt and /srv."
    )


def install_commands(folder: Path) -> list[str]:
    """The commands that install the service of `write_units`."""
    place = folder.resolve()
    sudo = "" if os.geteuid() == 0 else "sudo "
    commands = [
        f"{sudo}cp {place / UNITS_FOLDER / UNITS[0]} /etc/systemd/system/",
        f"{sudo}systemctl enable --now {SERVICE}",
    ]
    if os.geteuid() == 0:
        commands = [
            f"useradd --system --home-dir {place} {_TEMPLATE_USER}",
            f"chown -R {_TEMPLATE_USER}:{_TEMPLATE_USER} {place / 'inbox'} {place / 'outbox'}",
            *commands,
        ]
    return commands


def _paths_of(folder: Path) -> tuple[Path, Path]:
    """The folder of a service and that of its program, as absolute paths."""
    return folder.resolve(), Path(sys.executable).parent.absolute()


def _adapted(template: str, place: Path, programs: Path) -> str:
    """A unit of the package with the paths and, unless it is root, the user of this process."""
    _, _, unit = template.partition("\n\n")
    unit = unit.replace(_TEMPLATE_FOLDER, str(place)).replace(_TEMPLATE_PROGRAMS, str(programs))
    if os.geteuid() != 0:
        user, group = _account()
        unit = unit.replace(f"User={_TEMPLATE_USER}\n", f"User={user}\n")
        unit = unit.replace(f"Group={_TEMPLATE_USER}\n", f"Group={group}\n")
    if _is_below(_HOMES, place, programs):  # ReadWritePaths= stay writable
        unit = unit.replace("ProtectHome=yes\n", "ProtectHome=read-only\n")
    if _is_below(_TEMPORARY, place, programs):
        unit = unit.replace("PrivateTmp=yes\n", "PrivateTmp=no\n")
    return f"# Written by `sudoku-pipeline init --systemd`, for {place}.\n\n{unit}"


def _account() -> tuple[str, str]:
    """The user and the group of this process; their numbers if they have no name."""
    user, group = str(os.geteuid()), str(os.getegid())
    with suppress(KeyError):
        user = pwd.getpwuid(os.geteuid()).pw_name
    with suppress(KeyError):
        group = grp.getgrgid(os.getegid()).gr_name
    return user, group


def _is_below(folders: tuple[str, ...], *paths: Path) -> bool:
    return any(path.is_relative_to(folder) for path in paths for folder in folders)


def _write(path: Path, content: bytes) -> tuple[Path, bool]:
    """Write a file unless it exists. Returns its path, and whether it was written."""
    try:
        write_new(path, [content])
    except FileExistsError:
        return path, False
    return path, True
