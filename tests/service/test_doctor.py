"""What a machine lacks, each with its remedy."""

from __future__ import annotations

import os
import shutil
import sys
from typing import NamedTuple

import pytest
from support.dropping import DropFolder
from support.needs import needs_minisat, needs_numba
from support.solving import program

from pipeline.certify import compiled, trimming
from pipeline.native import Program
from pipeline.service import doctor
from pipeline.service.doctor import Diagnosis, examine
from pipeline.settings import Settings


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.outbox.mkdir()
    return box


def examined(box, **options):
    """What is found; `solver` is pysat if nothing else is said."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox, **{"solver": "pysat", **options})
    return list(examine(settings))


def about(findings, words):
    """The one finding that begins so."""
    (found,) = (finding for finding in findings if finding.about.startswith(words))
    return found


def test_everything_that_is_well_is_said_to_be_ok_without_a_remedy(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path, watches=10**6, queued=10**6, free=10**12)
    findings = examined(box)
    assert {finding.level for finding in findings} == {"ok"}
    assert not any(finding.remedy for finding in findings)
    assert len(findings) >= 9


def machine(monkeypatch, tmp_path, *, watches=None, queued=None, free=None):
    """A machine with these inotify limits, and bytes free."""
    folder = tmp_path / "inotify"
    folder.mkdir(exist_ok=True)
    for name, value in {"max_user_watches": watches, "max_queued_events": queued}.items():
        if value is not None:
            (folder / name).write_text(f"{value}\n")
    monkeypatch.setattr(doctor, "_INOTIFY", folder)
    if free is not None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(free, 0, free))


@needs_minisat
def test_both_solvers_are_asked_where_both_are_there(box):
    findings = examined(box, solver="auto")
    assert about(findings, "minisat").level == "ok"
    assert about(findings, "pysat").level == "ok"


def test_where_minisat_lacks_pysat_is_used_and_how_to_install_it_is_said(box, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    findings = examined(box, solver="auto")
    found = about(findings, "minisat is not installed")
    assert found.level == "warning"
    assert "apt-get install minisat" in found.remedy
    assert about(findings, "pysat").level == "ok"


@pytest.mark.parametrize("solver", ["auto", "lanes"])
def test_lanes_that_cannot_be_loaded_are_a_problem(box, monkeypatch, solver):
    monkeypatch.setitem(sys.modules, "pipeline.solving.compiled", None)
    found = about(examined(box, solver=solver), "numpy")
    assert found.level == "problem"
    assert "pipeline.solving.compiled" in found.remedy


@needs_numba
@pytest.mark.usefixtures("lanes", "checking", "trimmer")
def test_machine_code_are_ready(box):
    found = about(examined(box, solver="lanes"), "machine code")
    assert (found.level, found.about) == ("ok", "machine code is ready")


@needs_numba
def test_machine_code_without_a_place_are_a_warning(box, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    found = about(examined(box, solver="lanes"), "machine code")
    assert found.level == "warning"
    assert "XDG_CACHE_HOME" in found.remedy


@needs_numba
def test_what_cannot_be_compiled_is_named_with_the_reason(box, tmp_path, monkeypatch):
    def failing(_program):
        raise RuntimeError("no such instruction")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Program, "_compiled", failing)
    findings = examined(box, solver="lanes")
    for name in ("lanes", "check", "trim"):
        found = about(findings, f"machine code of {name}")
        assert found.level == "warning"
        assert "cannot be had: RuntimeError: no such instruction" in found.about
    assert not any("ready" in finding.about for finding in findings)


@needs_numba
@pytest.mark.parametrize("solver", ["minisat", "pysat"])
def test_the_checks_are_compiled_whatever_the_solver(
    box, tmp_path, monkeypatch, checking, trimmer, solver
):
    programs = compiled.PROGRAM, trimming.PROGRAM
    codes = {each.name: (each.folder() / "code.o").read_bytes()[32:] for each in programs}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Program, "_compiled", lambda program: codes[program.name])
    assert about(examined(box, solver=solver), "machine code").level == "ok"
    made = {path.name.partition("-")[0] for path in tmp_path.glob("cache/*/*")}
    assert made == {"check", "trim"}


def test_machine_code_may_be_missing(box, monkeypatch):
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    found = about(examined(box, solver="lanes"), "no machine code")
    assert (found.level, "[fast]" in found.remedy) == ("warning", True)


@pytest.mark.parametrize("options", [{"solver": "minisat"}, {"minisat": "/nonexistent/minisat"}])
def test_a_minisat_that_is_asked_for_and_not_there_is_a_problem(box, monkeypatch, options):
    monkeypatch.setenv("PATH", "/nonexistent")
    found = examined(box, **{"solver": "auto", **options})[0]
    assert found.level == "problem"
    assert "apt-get install minisat" in found.remedy


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "does not work"),
        ("kill -SEGV $$", "does not work"),
        ("printf 'SAT\\n0\\n' > \"$out\"; exit 10", "satisfiable"),
    ],
    ids=["nonsense", "crash", "lie"],
)
def test_a_minisat_that_does_not_answer_the_empty_question_is_a_problem(box, tmp_path, body, words):
    findings = examined(box, solver="auto", minisat=program(tmp_path / "minisat", body))
    found = about(findings, "minisat")
    assert found.level == "problem"
    assert words in found.remedy
    assert about(findings, "pysat").level == "ok"


@pytest.mark.parametrize("name", ["inbox", "outbox"])
def test_a_missing_folder_is_a_problem_and_is_not_made(box, name):
    folder = getattr(box, name)
    folder.rmdir()
    found = about(examined(box), f"{folder} is missing")
    assert (found.level, found.remedy) == ("problem", f"make it, or give --{name}")
    assert not folder.exists()


@pytest.mark.parametrize(
    "name",
    [
        "inbox",
        "outbox",
    ],
)
def test_a_folder_that_may_not_be_written_in_is_a_problem(box, name, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    folder = getattr(box, name)
    folder.chmod(0o555)
    if not os.geteuid():
        examined(box)  # so that everything is loaded
        box.inbox.parent.chmod(0o755)
        (box.outbox if name == "inbox" else box.inbox).chmod(0o777)
        monkeypatch.chdir(box.inbox.parent)
        os.setresuid(65534, 65534, 0)
    try:
        here = DropFolder(*(path.relative_to(path.parent) for path in (box.inbox, box.outbox)))
        found = about(examined(here, solver="minisat"), f"{name} may not be written in")
    finally:
        if not os.getresuid()[2]:
            os.setresuid(0, 0, 0)
    assert found.level == "problem"
    assert found.remedy


def test_where_leases_do_not_work_it_is_said_how_to_drop_files(box, monkeypatch):
    monkeypatch.setattr(doctor, "has_writer", lambda _: None)
    found = about(examined(box), "leases do not work")
    assert found.level == "warning"
    assert "--settle" in found.remedy
    assert "rename" in found.remedy


def test_what_is_full_is_a_warning_for_each_place(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path, free=100 * 2**20)
    full = [finding for finding in examined(box) if "MB free" in finding.about]
    assert [finding.about for finding in full] == [
        f"100 MB free for {place}" for place in ("inbox", "outbox", "temporary files")
    ]
    assert all(finding.level == "warning" and "prune" in finding.remedy for finding in full)


def test_low_inotify_limits_are_warnings_with_the_line_that_raises_them(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path, watches=8191, queued=16384)
    findings = examined(box)
    found = about(findings, "max_user_watches")
    assert (found.level, found.about) == ("warning", "max_user_watches is 8191")
    assert found.remedy.startswith("sysctl fs.inotify.max_user_watches=8192;")
    assert about(findings, "inotify's max_queued_events").level == "ok"


def test_without_inotify_polling_is_the_remedy(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path)
    assert examined(box)[-1] == Diagnosis("warning", "no inotify here", "watch --poll")


def test_nothing_is_left_in_the_folders(box):
    examined(box)
    assert list(box.inbox.iterdir()) == list(box.outbox.iterdir()) == []
