"""What `init` makes: folders, and a settings file that shows every default."""

from __future__ import annotations

import re

import pytest
from support.commands import run

from pipeline.cli.config import CONFIG_FILE, read_config
from pipeline.settings import Settings, settings_declared

DEFAULT = re.compile(r"^#(?=[a-z-]+ = )", re.MULTILINE)
EXAMPLE = re.compile(r"^# \[example\] (?:.*\n# )*.*\n#(.*) = .*\n", re.MULTILINE)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_makes_the_folders_and_the_file_and_says_how_to_start(place):
    code, printed, said = run("init", "srv/my sudoku")
    assert (code, said) == (0, "")
    made = [f"srv/my sudoku/{each}" for each in ("inbox", "outbox", CONFIG_FILE)]
    assert printed.splitlines()[:3] == [f"created {each}" for each in made]
    assert all((place / each).exists() for each in made)
    assert "    cd 'srv/my sudoku'\n    sudoku-pipeline run " in printed
    assert printed.endswith(
        "To run it as a service: sudoku-pipeline init --systemd 'srv/my sudoku'\n"
    )


def test_what_it_made_is_ready_for_a_run(place, monkeypatch):
    assert run("init")[0] == 0
    (place / "inbox" / "a.txt").write_text("1...\n..2.\n.3..\n...4\n")
    assert run("run", "--settle", "0")[0] == 0
    assert (place / "outbox" / "a_1.solution").exists()


def test_nothing_that_is_there_is_changed(place):
    (place / "outbox").mkdir()
    (place / "outbox" / "a.json").write_text("{}")
    (place / CONFIG_FILE).write_text("timeout = 5\n")
    code, printed, _ = run("init", ".")
    assert code == 0
    assert printed.splitlines()[:3] == ["created inbox", "kept outbox", f"kept {CONFIG_FILE}"]
    assert (place / "outbox" / "a.json").read_text() == "{}"
    assert (place / CONFIG_FILE).read_text() == "timeout = 5\n"


def test_a_file_in_the_place_of_a_folder_is_left_and_named(place):
    (place / "inbox").write_text("mine")
    code, _, said = run("init")
    assert (code, said) == (
        75,
        "sudoku-pipeline: inbox: expected a folder, found a file; move it\n",
    )
    assert (place / "inbox").read_text() == "mine"
    code, printed, said = run("init", "inbox")
    assert (code, printed, said) == (2, "", "sudoku-pipeline: inbox is a file; name a folder\n")


def test_the_file_holds_every_setting_with_its_default(place):
    run("init")
    text = (place / CONFIG_FILE).read_text()
    assert read_config(place / CONFIG_FILE) == {}
    (place / "all.toml").write_text(DEFAULT.sub("", EXAMPLE.sub("", text)))
    chosen = read_config(place / "all.toml")
    named = {name for name, each in settings_declared().items() if each.default is not None}
    assert chosen.keys() == named
    chosen |= {name: chosen[name].relative_to(place) for name in ("inbox", "outbox")}
    assert Settings(**chosen) == Settings()


def test_settings_without_a_default_have_an_example(place):
    run("init")
    shown = EXAMPLE.findall((place / CONFIG_FILE).read_text())
    assert {*shown} == {e.key for e in settings_declared().values() if e.default is None}


def test_those_that_only_a_named_file_may_hold_are_marked(place):
    run("init")
    parts = (place / CONFIG_FILE).read_text().split("\n\n")
    marked = {part.rpartition("\n#")[2].partition(" = ")[0] for part in parts if "[named] " in part}
    assert marked == {each.key for each in settings_declared().values() if each.is_risky}
