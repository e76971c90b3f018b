"""`init --systemd` and `init --examples`: files that fit the folder, in a clone or from a wheel."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import run

from pipeline.service import units
from pipeline.service.units import UNITS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(place: Path) -> dict[str, str]:
    return {name: (place / "srv" / "systemd" / name).read_text() for name in UNITS}


def test_units_have_the_absolute_paths_of_the_folder_and_of_the_program(place):
    code, printed, said = run("init", "--systemd", "srv")
    assert (code, said) == (0, "")
    assert printed.splitlines()[3:6] == [f"created srv/systemd/{name}" for name in UNITS]
    service = written(place)["sudoku-pipeline.service"]
    assert f"\nWorkingDirectory={place}/srv\n" in service
    assert f"\nReadWritePaths={place}/srv\n" in service
    assert f"\nEnvironment=PATH={Path(sys.executable).parent}:" in service
    assert f"\nEnvironment=SUDOKU_PIPELINE_CONFIG={place}/srv/sudoku-pipeline.toml\n" in service
    assert "/srv/sudoku/" not in service.replace(f"{place}/srv", "")
    assert f"cp {place}/srv/systemd/sudoku-pipeline.service /etc/systemd/system/" in printed
    assert printed.endswith("systemctl enable --now sudoku-pipeline\n")


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None and os.environ.get("CI") != "true",
    reason="systemd-analyze is not installed",
)
def test_systemd_accepts_the_units(place):
    assert run("init", "--systemd", "srv")[0] == 0
    paths = [str(place / "srv" / "systemd" / name) for name in UNITS]
    verified = subprocess.run(
        ["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("is_root", [True, False])
def test_the_service_runs_as_the_current_user_but_not_as_root(place, monkeypatch, is_root):
    user = pwd.getpwall()[1]
    monkeypatch.setattr(os, "geteuid", lambda: 0 if is_root else user.pw_uid)
    code, printed, _ = run("init", "--systemd", "srv")
    assert code == 0
    service = written(place)["sudoku-pipeline.service"]
    assert f"\nUser={'sudoku' if is_root else user.pw_name}\n" in service
    assert ("useradd --system" in printed) == is_root
    assert ("sudo cp " in printed) != is_root


def test_a_user_without_a_name_is_named_by_number(place, monkeypatch):
    """As in a container with `--user 12345`."""
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(os, "getegid", lambda: 12346)
    assert run("init", "--systemd", "srv")[0] == 0
    assert "\nUser=12345\nGroup=12346\n" in written(place)["sudoku-pipeline.service"]


@pytest.mark.parametrize(
    ("folder", "lines"),
    [
        ("/srv/x", ["ProtectHome=yes", "PrivateTmp=yes"]),
        ("/home/me/x", ["ProtectHome=read-only", "PrivateTmp=yes"]),
        ("/tmp/x", ["ProtectHome=yes", "PrivateTmp=no"]),
    ],
)
def test_the_sandbox_does_not_hide_the_folder(folder, lines):
    template = (ROOT / "deploy" / UNITS[0]).read_text()
    unit = units._adapted(template, Path(folder), Path("/opt/x/bin")).splitlines()
    assert [line for line in unit if line.startswith(("ProtectHome", "PrivateTmp"))] == [
        *sorted(lines, key=unit.index)
    ]


def test_a_path_that_a_unit_cannot_contain_is_refused(place):
    code, _, said = run("init", "--systemd", "my folder")
    assert code == 2
    assert "my folder: expected a path of letters, digits and ./@:+,~-" in said
    assert not (place / "my folder" / "systemd").exists()


def test_examples_are_put_in_the_inbox_and_solved(place):
    names = {path.name for path in (ROOT / "examples").iterdir()}
    (place / "inbox").mkdir()
    (place / "inbox" / "line.sdm").write_text("mine")
    code, printed, _ = run("init", "--examples")
    assert code == 0
    assert f"created {len(names) - 1} examples in inbox" in printed
    assert {path.name for path in (place / "inbox").iterdir()} == names
    assert (place / "inbox" / "line.sdm").read_text() == "mine"
    assert (place / "inbox" / "six.txt").read_text() == (ROOT / "examples/six.txt").read_text()


def test_an_installed_package_contains_units_and_examples(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "pipeline"
    for folder in (package / "service", package / "examples", package.parent / "examples"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(units, "__file__", str(package / "service" / "units.py"))
    assert units.package_folder("examples") == package / "examples"


@pytest.mark.parametrize(
    ("user", "programs", "is_told"),
    [(0, "/root/venv/bin", True), (0, "/opt/x/bin", False), (1000, "/home/me/bin", False)],
)
def test_root_is_told_of_a_program_that_the_service_cannot_read(
    monkeypatch, user, programs, is_told
):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(sys, "executable", f"{programs}/python")
    obstacle = units.install_obstacle(Path("/srv/x"))
    assert (f"may not be able to read {programs};" in (obstacle or "")) == is_told
