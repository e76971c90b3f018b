"""The pages that docs/reference.py makes are what the package says of itself."""

from __future__ import annotations

import re
import runpy

import pytest
from support.commands import run
from support.pages import COMMANDS, MADE, PAGES, ROOT

from pipeline.settings import settings_declared


@pytest.fixture(scope="module")
def made():
    return runpy.run_path(str(ROOT / "docs" / "reference.py"))


@pytest.mark.parametrize("page", sorted(MADE))
def test_a_page_is_what_the_package_says(page, made):
    assert PAGES[page] == made["page"](page.rpartition("/")[2]), "run `python docs/reference.py`"


def test_all_pages_that_are_made_are_looked_at(made):
    assert {f"docs/reference/{name}" for name in made["PAGES"]} == MADE


def test_every_command_with_its_options_and_every_setting_has_a_place():
    page = PAGES["docs/reference/commands.md"]
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert parts.keys() == COMMANDS.keys()
    for name, command in COMMANDS.items():
        shown = [each for each in command.params if not getattr(each, "hidden", False)]
        for option in (each for each in shown if each.opts[0].startswith("--")):
            known = f"settings.md#{option.opts[0][2:]})", f"`{option.opts[0]}"
            assert any(each in parts[name] for each in known), option.opts
    page = PAGES["docs/reference/settings.md"]
    for setting in settings_declared().values():
        part = page.partition(f"\n## {setting.key}\n")[2].partition("\n## ")[0]
        assert f"`{setting.variable}`" in part
        assert "default: " in part.lower()


def test_the_settings_that_a_found_file_may_hold_are_listed():
    page = PAGES["docs/how-to/settings.md"]
    listed = page.partition("may only contain")[2].partition("For other")[0]
    harmless = {each.key for each in settings_declared().values() if not each.is_risky}
    assert {*re.findall(r"`([\w-]+)`", listed)} == harmless


def test_the_page_of_metrics_has_those_of_the_file(tmp_path):
    (tmp_path / "inbox").mkdir()
    folders = ("--inbox", f"{tmp_path}/inbox", "--outbox", f"{tmp_path}/outbox")
    assert run("run", *folders, "--metrics", f"{tmp_path}/now.prom")[0] == 0
    written = re.findall(r"^# TYPE (\w+) (\w+)$", (tmp_path / "now.prom").read_text(), re.MULTILINE)
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGES["docs/reference/metrics.md"], re.MULTILINE)
    assert [(name.removesuffix("_total"), kind) for name, kind in told] == written
