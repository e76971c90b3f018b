"""The pages of techniques are what docs/techniques.py makes from examples that need them."""

from __future__ import annotations

import runpy

import pytest
from support.cases import for_each
from support.oracle import solutions
from support.pages import PAGES, ROOT

from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.steps import loader

MADE = runpy.run_path(str(ROOT / "docs" / "techniques.py"))
EXAMPLES, TECHNIQUES, SLUG = MADE["examples"](), MADE["techniques"](), MADE["slug"]
PICTURES = ROOT / "docs" / "assets" / "techniques"
FOLDER = "docs/reference/techniques"


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)


def test_every_technique_has_a_page_in_the_index():
    names = {f"{FOLDER}/{SLUG(name)}.md" for name in TECHNIQUES} | {f"{FOLDER}/index.md"}
    assert {name for name in PAGES if name.startswith(FOLDER)} == names
    assert PAGES[f"{FOLDER}/index.md"] == MADE["index"](), "run `python docs/techniques.py`"
    assert len({*map(SLUG, TECHNIQUES)}) == len(TECHNIQUES)


def test_only_examples_have_pictures_and_other_pages_say_why():
    assert {path.stem for path in PICTURES.glob("*.svg")} == {*map(SLUG, EXAMPLES)}
    for name in TECHNIQUES:
        page = PAGES[f"{FOLDER}/{SLUG(name)}.md"]
        assert ("## Example" in page) == (name in EXAMPLES)
        assert ("There is no example: " in page) == (name not in EXAMPLES)


@pytest.mark.trial
@for_each("name", [*EXAMPLES])
def test_a_page_and_its_picture_are_what_the_program_makes(name):
    step = EXAMPLES[name].step(TECHNIQUES[name])
    assert step.technique.name == name
    page = PAGES[f"{FOLDER}/{SLUG(name)}.md"]
    assert page == MADE["page"](name, step), "run `python docs/techniques.py`"
    drawn = (PICTURES / f"{SLUG(name)}.svg").read_text()
    assert drawn == MADE["picture"](name, EXAMPLES[name], step), "run `python docs/techniques.py`"


@pytest.mark.trial
@for_each("name", [*EXAMPLES])
def test_the_state_of_an_example_leaves_its_only_solution(name):
    example = EXAMPLES[name]
    puzzle = Puzzle(NINE_BY_NINE, tuple(example.masks))
    (grid,) = solutions(puzzle, 2)
    words = example.state.split()
    assert len(words) == 81
    assert all(str(value) in word for value, word in zip(grid.values, words, strict=True))
