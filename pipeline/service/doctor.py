"""`doctor`: check the machine, and suggest fixes."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Literal

from pipeline.errors import PipelineError, in_words, listed
from pipeline.limits import Limits
from pipeline.native import Program
from pipeline.service.log import Log
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.settle import has_writer
from pipeline.settings import Settings
from pipeline.solving.cnf import Cnf, Unsat
from pipeline.solving.solvers import Solver, Solvers

CHECK_INTERVAL = 1.0
"""Seconds between checks of `UncompiledPrograms` while a program is not compiled."""
MIN_FREE_BYTES = 256 * 1024 * 1024
"""Free disk space below which `doctor` warns."""
_MIN_INOTIFY = {"max_user_watches": 8192, "max_queued_events": 16384}
"""Setting of inotify → its minimum."""
_INOTIFY = Path("/proc/sys/fs/inotify")
"""The folder of inotify's settings."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of one check: `about` states the finding, and `remedy` what to do, if needed."""

    level: Literal["ok", "warning", "problem"]
    about: str
    remedy: str = ""


def examine(settings: Settings) -> Iterator[Diagnosis]:
    """Check solvers, compiled code, folders, disk space and inotify."""
    folders = Folders(settings.inbox, settings.outbox)
    yield from _check_solvers(settings)
    yield from _check_permissions(folders)
    if folders.inbox.is_dir():
        yield _check_leases(folders.inbox)
    if folders.inbox.is_dir() and folders.outbox.is_dir():
        same = folders.inbox.stat().st_dev == folders.outbox.stat().st_dev
        where = "one filesystem" if same else "two filesystems, which is fine"
        yield Diagnosis("ok", f"inbox and outbox are on {where}")
        yield from _check_space(folders)
    yield from _check_inotify()


def programs_of(settings: Settings) -> list[Program]:
    """The compilable programs that these settings use, such as the batch solver and checks.

    Raises ImportError without numpy.
    """
    from pipeline.certify import many, proof, variants  # noqa: PLC0415 - slow to load
    from pipeline.solving import cdcl  # noqa: PLC0415 - as above
    from pipeline.solving.compiled import PROGRAM as BATCH_SOLVER  # noqa: PLC0415

    used = [BATCH_SOLVER] if settings.solver in ("auto", "batch") else []
    if not settings.trust_solver:
        used += [many.PROGRAM, variants.PROGRAM]
        used += [cdcl.PROGRAM] if settings.solver == "auto" else []
        used.append(proof.PROGRAM)
    elif settings.solver == "auto":
        used.append(variants.PROGRAM)
    if {"canonical", "effort"} & {*settings.trait_names}:
        from pipeline.catalogue import minlex  # noqa: PLC0415

        used.append(minlex.PROGRAM)
    if "effort" in settings.trait_names:
        from pipeline.catalogue import singles  # noqa: PLC0415

        used.append(singles.PROGRAM)
    if "rating" in settings.trait_names:
        from pipeline import steps  # noqa: PLC0415

        used.append(steps.PROGRAM)
    return used


class UncompiledPrograms:
    """Logs which programs are not compiled yet, and when their compilation has finished."""

    def __init__(self, settings: Settings, log: Log, check_seconds: float = CHECK_INTERVAL) -> None:
        self._settings = settings
        self._log = log
        self._check_seconds = check_seconds
        self._reported: dict[str, str] = {}
        self._next_check = 0.0

    def check(self) -> None:
        """Log the changes since the last check. Checks at most once per interval."""
        if time.monotonic() < self._next_check:
            return
        before, self._reported = self._reported, self._missing_programs()
        names_by_reason = defaultdict[str, list[str]](list)
        for name, reason in self._reported.items():
            if before.get(name) != reason:
                names_by_reason[reason].append(name)
        for reason, names in names_by_reason.items():
            self._log.info("compiled.missing", programs=listed(names), reason=reason)
        if ready := [name for name in before if name not in self._reported]:
            self._log.info("compiled.ready", programs=listed(ready))
        self._next_check = time.monotonic() + self._check_seconds if self._reported else inf

    def _missing_programs(self) -> dict[str, str]:
        """The programs that are not compiled: name → reason."""
        programs = programs_of(self._settings)
        return {
            program.name: reason for program in programs if (reason := program.unavailable_reason())
        }


def _check_solvers(settings: Settings) -> Iterator[Diagnosis]:
    """Check that the requested solvers are installed and work."""
    try:
        solvers = Solvers(settings.solver, settings.minisat)
    except (PipelineError, ImportError) as error:
        yield Diagnosis("problem", "solver", str(error))
        return
    if solvers.missing_solver:
        remedy = "PySAT is used instead; to change that, apt-get install minisat"
        yield Diagnosis("warning", solvers.missing_solver, remedy)
    with solvers:
        for solver in solvers.chain:
            yield _check_solver(solver)
    yield from _check_compiled(settings)


def _check_solver(solver: Solver) -> Diagnosis:
    """Check that a solver starts and finds an empty clause unsatisfiable."""
    about = f"{solver.name} {solver.version or ''}".strip()
    try:
        with solver.open(Cnf(None, "none", 0, (), {}), Limits(10.0)) as session:
            session.add(())
            answer = session.solve()
    except PipelineError as error:
        return Diagnosis("problem", about, f"does not work: {error}; reinstall it")
    if isinstance(answer, Unsat):
        return Diagnosis("ok", f"{about} works")
    return Diagnosis("problem", about, "reports the empty clause as satisfiable; reinstall it")


def _check_compiled(settings: Settings) -> Iterator[Diagnosis]:
    """Compile the programs that are not compiled yet."""
    try:
        programs = programs_of(settings)
    except ImportError as error:
        yield Diagnosis("problem", "numpy", f"cannot be imported: {error}; reinstall it")
        return
    is_well = True
    for program in programs:
        try:
            folder = program.create_folder()
            program.compile_into(folder)
            program.load_from(folder)
        except ImportError:
            about = "no compiled code: PySAT solves collections, hundreds of times slower"
            yield Diagnosis("warning", about, "install the extra [fast], which includes numba")
            return
        except OSError as error:
            remedy = "make it writable by its owner only, or set XDG_CACHE_HOME"
            yield Diagnosis("warning", f"compiled code cannot be cached: {in_words(error)}", remedy)
            return
        except Exception as error:  # noqa: BLE001 - numba raises many types
            about = f"{program.name} cannot be compiled: {in_words(error)}"
            yield Diagnosis("warning", about, "run doctor again, or reinstall the extra [fast]")
            is_well = False
    if is_well:
        yield Diagnosis("ok", "compiled code is ready")


def _check_permissions(folders: Folders) -> Iterator[Diagnosis]:
    """Check that the inbox and the outbox exist and are writable."""
    for option, folder in (("--inbox", folders.inbox), ("--outbox", folders.outbox)):
        if not folder.is_dir():
            yield Diagnosis("problem", f"{folder}: no such folder", f"create it, or set {option}")
        elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            remedy = f"make it writable with chown or chmod, or set {option}"
            yield Diagnosis("problem", f"{folder} is not writable", remedy)
        else:
            yield Diagnosis("ok", f"{folder} is writable")


def _check_leases(folder: Path) -> Diagnosis:
    """Check that leases show whether a file is open for writing."""
    try:
        with (
            tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as file,
            Path(file.name).open("rb") as reader,
        ):
            seen = has_writer(reader.fileno())
    except OSError as error:
        return Diagnosis("problem", in_words(error), "make the folder writable")
    if seen:
        return Diagnosis("ok", "leases show when a file is complete")
    remedy = "a file counts as complete when it is unchanged for --settle seconds; to be safe, "
    remedy += "write files under a temporary name and rename them"
    return Diagnosis("warning", f"leases do not work on {folder}", remedy)


def _check_space(folders: Folders) -> Iterator[Diagnosis]:
    """Check the free disk space of each folder."""
    temporary = Path(tempfile.gettempdir())
    folder_by_use = {"inbox": folders.inbox, "outbox": folders.outbox, "temporary files": temporary}
    for use, folder in folder_by_use.items():
        free = shutil.disk_usage(folder).free
        about = f"{free // 2**20} MB free for {use}"
        if free >= MIN_FREE_BYTES:
            yield Diagnosis("ok", about)
        else:
            remedy = "free some space; `prune --older-than 30d` deletes old originals"
            yield Diagnosis("warning", about, remedy)


def _check_inotify() -> Iterator[Diagnosis]:
    """Check the limits of inotify."""
    for name, minimum in _MIN_INOTIFY.items():
        try:
            value = int((_INOTIFY / name).read_text())
        except (OSError, ValueError):
            yield Diagnosis("warning", "inotify is not available", "use `watch --poll`")
            return
        if value < minimum:
            remedy = f"sysctl fs.inotify.{name}={minimum}; until then, rescans find missed files"
            yield Diagnosis("warning", f"inotify's {name} is {value}, below {minimum}", remedy)
        else:
            yield Diagnosis("ok", f"inotify's {name} is {value}")
