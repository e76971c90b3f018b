"""What a machine lacks, each with its remedy."""

from __future__ import annotations

import os
import shutil
import sys
from types import SimpleNamespace

import pytest
from support.drop_folders import DropFolder
from support.needs import needs_minisat, needs_numba
from support.puzzles import program

from pipeline.certify import many, proof, variants
from pipeline.native import Program
from pipeline.service import doctor
from pipeline.service.doctor import Diagnosis, examine
from pipeline.settings import Settings


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.outbox.mkdir()
    return box


def examined(box, **options):
    """The diagnoses; the solver is pysat by default."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox, **{"solver": "pysat", **options})
    return list(examine(settings))


def about(found, words):
    """The one diagnosis that begins so."""
    (one,) = (each for each in found if each.about.startswith(words))
    return one


def machine(monkeypatch, tmp_path, *, watches=None, queued=None, free=None):
    """A machine with these inotify limits, and bytes free."""
    folder = tmp_path / "inotify"
    folder.mkdir(exist_ok=True)
    for name, value in {"max_user_watches": watches, "max_queued_events": queued}.items():
        if value is not None:
            (folder / name).write_text(f"{value}\n")
    monkeypatch.setattr(doctor, "_INOTIFY", folder)
    if free is not None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))


def test_everything_that_is_well_is_said_to_be_ok_and_nothing_is_left(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path, watches=10**6, queued=10**6, free=10**12)
    found = examined(box)
    assert {(each.level, each.remedy) for each in found} == {("ok", "")}
    assert len(found) >= 9
    assert list(box.inbox.iterdir()) == list(box.outbox.iterdir()) == []


@needs_minisat
def test_both_solvers_are_asked_where_both_are_there(box):
    found = examined(box, solver="auto")
    assert [about(found, name).level for name in ("minisat", "pysat")] == ["ok", "ok"]


@pytest.mark.parametrize(
    ("options", "level", "words"),
    [
        ({"solver": "auto"}, "warning", "minisat is not installed"),
        ({"solver": "minisat"}, "problem", "solver"),
        ({"solver": "auto", "minisat": "/nonexistent/minisat"}, "problem", "solver"),
    ],
)
def test_a_minisat_that_is_not_there_is_a_problem_only_if_it_is_asked_for(
    box, monkeypatch, options, level, words
):
    monkeypatch.setenv("PATH", "/nonexistent")
    found = examined(box, **options)
    assert (found[0].level, found[0].about.startswith(words)) == (level, True)
    assert "apt-get install minisat" in found[0].remedy
    assert level == "problem" or about(found, "pysat").level == "ok"


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
    found = examined(box, solver="auto", minisat=program(tmp_path / "minisat", body))
    minisat = about(found, "minisat")
    assert (minisat.level, words in minisat.remedy) == ("problem", True)
    assert about(found, "pysat").level == "ok"


@pytest.mark.parametrize("solver", ["auto", "batch"])
def test_lanes_that_cannot_be_loaded_are_a_problem(box, monkeypatch, solver):
    monkeypatch.setitem(sys.modules, "pipeline.solving.compiled", None)
    found = about(examined(box, solver=solver), "numpy")
    assert (found.level, "pipeline.solving.compiled" in found.remedy) == ("problem", True)


@needs_numba
@pytest.mark.usefixtures("lanes", "checking", "trimmer")
def test_machine_code_is_ready_missing_or_without_a_place(box, tmp_path, monkeypatch):
    ready = about(examined(box, solver="batch"), "compiled code")
    assert (ready.level, ready.about) == ("ok", "compiled code is ready")
    (tmp_path / "file").touch()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        found = about(examined(box, solver="batch"), "compiled code")
        assert (found.level, "XDG_CACHE_HOME" in found.remedy) == ("warning", True)
    monkeypatch.setattr("pipeline.native.find_spec", lambda name: None)
    found = about(examined(box, solver="batch"), "no compiled code")
    assert (found.level, "[fast]" in found.remedy) == ("warning", True)


@needs_numba
def test_what_cannot_be_compiled_is_named_with_the_reason(box, tmp_path, monkeypatch):
    def failing(_program):
        raise RuntimeError("no such instruction")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Program, "_compile", failing)
    found = examined(box, solver="batch")
    for name in ("batch", "check", "variants", "trim"):
        one = about(found, f"{name} cannot be compiled")
        assert one.level == "warning"
        assert "cannot be compiled: RuntimeError: no such instruction" in one.about
    assert not any("ready" in each.about for each in found)


@needs_numba
@pytest.mark.usefixtures("checking", "ruling", "trimmer")
@pytest.mark.parametrize("solver", [pytest.param("minisat", marks=needs_minisat), "pysat"])
def test_the_checks_are_compiled_whatever_the_solver(box, tmp_path, monkeypatch, solver):
    programs = many.PROGRAM, variants.PROGRAM, proof.PROGRAM
    codes = {each.name: (each.create_folder() / "code.o").read_bytes()[32:] for each in programs}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Program, "_compile", lambda program: codes[program.name])
    assert about(examined(box, solver=solver), "compiled code").level == "ok"
    made = {path.name.partition("-")[0] for path in tmp_path.glob("cache/*/*")}
    assert made == {"check", "variants", "trim"}


@pytest.mark.parametrize("name", ["inbox", "outbox"])
def test_a_missing_folder_is_a_problem_and_is_not_made(box, name):
    folder = getattr(box, name)
    folder.rmdir()
    found = about(examined(box), f"{folder}: no such folder")
    assert (found.level, found.remedy) == ("problem", f"create it, or set --{name}")
    assert not folder.exists()


@pytest.mark.parametrize("name", ["inbox", "outbox"])
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
        found = about(examined(here, solver="minisat"), f"{name} is not writable")
    finally:
        if not os.getresuid()[2]:
            os.setresuid(0, 0, 0)
    assert (found.level, bool(found.remedy)) == ("problem", True)


def test_where_leases_do_not_work_it_is_said_how_to_drop_files(box, monkeypatch):
    monkeypatch.setattr(doctor, "has_writer", lambda _: None)
    found = about(examined(box), "leases do not work")
    assert (found.level, "--settle" in found.remedy, "rename" in found.remedy) == (
        "warning",
        True,
        True,
    )


def test_low_limits_of_this_machine_are_warnings(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path, watches=8191, queued=16384, free=100 * 2**20)
    found = examined(box)
    full = [each for each in found if "MB free" in each.about]
    assert [each.about for each in full] == [
        f"100 MB free for {place}" for place in ("inbox", "outbox", "temporary files")
    ]
    assert all(each.level == "warning" and "prune" in each.remedy for each in full)
    watches = about(found, "inotify's max_user_watches")
    assert watches.level == "warning"
    assert watches.about == "inotify's max_user_watches is 8191, below 8192"
    assert watches.remedy.startswith("sysctl fs.inotify.max_user_watches=8192;")
    assert about(found, "inotify's max_queued_events").level == "ok"


def test_without_inotify_polling_is_the_remedy(box, monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path)
    assert examined(box)[-1] == Diagnosis(
        "warning", "inotify is not available", "use `watch --poll`"
    )
