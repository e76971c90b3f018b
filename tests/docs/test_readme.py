"""The README is short, sets up in one line, and promises first what comes first."""

from __future__ import annotations

import re
import tomllib

from support.pages import PAGES, ROOT

README = PAGES["README.md"]
ALL = "\n".join(PAGES.values())


def test_it_has_a_thousand_words_at_most():
    assert len(README.split()) <= 1000


def test_it_begins_with_what_is_certified():
    beginning = " ".join(README.partition("\n## ")[0].split())
    assert (
        "Nothing dropped is lost, and every answer is checked by something other than what found it"
        in beginning
    )
    assert "they say `claimed`, and why" in beginning


def test_it_sets_up_in_one_line_and_tests_in_another():
    first, second = re.findall(r"^    python3 -m venv .*", README, re.MULTILINE)
    assert all(part in first for part in ("pip install '.[fast]'", "examples/", " run ", "outbox/"))
    assert all(part in second for part in ("pip install", "[test]", "pytest"))


def test_what_is_installed_with_an_extra_is_installed_from_the_clone():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"pip install (?:--\w+ )*'?([^\s'\[]*)\[(\w+)\]", ALL)
    assert {what for what, _ in named} == {"."}
    assert {"cluster", "dev", "test"} <= {extra for _, extra in named}
    assert {extra for _, extra in named} <= project["optional-dependencies"].keys()
